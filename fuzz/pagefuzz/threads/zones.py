"""What is drawn for threads to share: a zone of an era, and what each thread will ask for.

Zones are tiny, so that threads are at one frame at the same time and find the zone empty; or
crowded; or as large as real ones. Each thread works for a CPU of its own, as the twin's locks ask
of threads; in zones without lists all have number 0.
"""

from random import Random
from typing import NamedTuple

from pagefuzz.threads import churn
from pageimpl.dice import HIGH, LOW
from pagespec.era import ERAS, Era
from pagespec.machine import Machine
from pagespec.types import DomainError

SHARED_ERAS = tuple(era for era in ERAS.values() if era.bounds == "zone")
"""The eras whose zones threads can share: those that the twin has."""

PLAIN = 0.25
"""How many zones have no lists, so that the zone's lock does all."""


class Program(NamedTuple):
    """What one thread asks for: its number and CPU, and words of its state, by their index."""

    number: int
    cpu: int
    words: tuple[tuple[int, int], ...]


NAMES = {
    churn.TOP: "top",
    churn.TYPES_ASKED: "types",
    churn.ENTRIES: "blocks",
    churn.MOST_SLOTS: "slots",
    churn.ODDS_REFERENCE: "references",
    churn.ODDS_SPLIT: "splits",
    churn.ODDS_RARE: "drains",
    churn.ODDS_COMPOUND: "compound",
    churn.ODDS_ATOMIC: "atomic",
    churn.ODDS_IRQ: "irq",
    churn.ODDS_CONTENDED: "contended",
    churn.ODDS_COLD: "cold",
}
"""What of a program a reader wants to know, by the index of its word."""


def random_zone(rng: Random, era: Era, threads: int) -> Machine:
    """A zone of the era that so many threads may share."""
    while True:
        try:
            return _zone(rng, era, threads)
        except DomainError:
            # Not every top order goes with every pageblock; the next draw will do.
            continue


def _zone(rng: Random, era: Era, threads: int) -> Machine:
    size = rng.choice(("tiny", "tiny", "tiny", "crowded", "crowded", "real"))
    if size == "tiny":
        pages, top = rng.randint(2, 24), rng.randint(0, 4)
    elif size == "crowded":
        pages, top = rng.randint(30, 300), rng.randint(2, 8)
    else:
        pages, top = rng.choice((4096, 16384)), 10
    start = rng.choice((0, 0, rng.randrange(64)))
    grouped = era.numbering is not None and top > 0 and rng.random() < 0.7
    pageblock = rng.randint(max(1, top - 1), top) if grouped else None
    if rng.random() < PLAIN:
        return Machine(pages, top, era, start, pageblock=pageblock)
    pair = era.tuning == "pair"
    return Machine(
        pages,
        top,
        era,
        start,
        pageblock=pageblock,
        cpus=threads,
        batch=rng.choice((1, 2, 4, None)),
        high=None if pair or rng.random() < 0.5 else rng.randint(0, 12),
        min_free=rng.choice((None, None, 0, pages // 8, pages // 2)),
        cells=era.cells != "none" and rng.random() < 0.7,
    )


def random_programs(rng: Random, machine: Machine, threads: int) -> list[Program]:
    """What each of the threads asks for, with its own odds; kinds of requests may be left out."""

    def odds(*values: int) -> int:
        return rng.choice((0, *values))

    fills = machine.cpus > 0 and machine.era.bulk != "none"
    programs = []
    # Together they want more than there is, half of the time.
    share = max(1, machine.pages // threads)
    for number in range(threads):
        words = {
            LOW: rng.getrandbits(32) | 1,
            HIGH: rng.getrandbits(32),
            churn.TOP: rng.randint(0, machine.top),
            churn.TYPES_ASKED: rng.choice((1, 3)) if machine.pageblock is not None else 1,
            churn.ENTRIES: min(churn.MOST_HELD, rng.choice((1, 4, share, 2 * share))),
            # There is one array, whose slots say whose frame it was only while one thread fills it.
            churn.MOST_SLOTS: rng.choice((0, 4, 16)) if number == 0 and fills else 0,
            churn.ODDS_REFERENCE: odds(64, 256),
            churn.ODDS_SPLIT: odds(64, 256),
            churn.ODDS_RARE: odds(4, 64, 256),
            churn.ODDS_COMPOUND: odds(256, 1024),
            churn.ODDS_ATOMIC: odds(128),
            churn.ODDS_IRQ: odds(128),
            churn.ODDS_CONTENDED: odds(128),
            churn.ODDS_COLD: odds(256),
        }
        cpu = number if machine.cpus else 0
        programs.append(Program(number, cpu, tuple(sorted(words.items()))))
    return programs
