"""Random requests for any allocator, on machines of every shape, in mixes that vary by walk.

Each walk draws a mix of its own and switches whole kinds of requests off (swarm testing), since an
even mix hides what needs many of one kind. Phases fill the zone to its last block and empty it
again. A walk is a pure function of its random generator and of what the allocator answers.
"""

from collections import Counter
from dataclasses import replace
from random import Random

from pagefuzz.campaign.grouped import grouped_machine, holes_in, with_types
from pagefuzz.campaign.listed import with_lists
from pagefuzz.campaign.mix import random_mix, remember
from pagefuzz.campaign.requests import Known, random_op
from pagefuzz.coverage import Reached, events_in_crowd, is_crowded
from pagefuzz.lockstep import Lockstep
from pagespec.era import ERAS, Era
from pagespec.frames import SIZES
from pagespec.machine import Machine

FUZZED_ERAS = tuple(era for era in ERAS.values() if era.bounds == "zone")
"""The eras that an allocator other than the spec can stand for: those that were released."""

BEHAVIOURS = tuple(
    tuple(era for era in FUZZED_ERAS if replace(era, name="") == behaviour)
    for behaviour in dict.fromkeys(replace(era, name="") for era in FUZZED_ERAS)
)
"""The same, with those that differ by name alone together: each behaviour is drawn as often."""


WALK_REQUESTS = 100
"""Requests of one walk: enough to fill and empty a small zone, few enough to shrink fast."""

GROUPED = 0.75
"""How many of the machines of an era with pageblocks have them."""


def random_machine(rng: Random, era: Era | None = None) -> Machine:
    """A machine of any shape; mostly with pageblocks, if the era has them, and with lists."""
    era = era or rng.choice(rng.choice(BEHAVIOURS))
    grouped = era.numbering is not None and rng.random() < GROUPED
    return with_lists(rng, grouped_machine(rng, era) if grouped else _plain_machine(rng, era))


def _plain_machine(rng: Random, era: Era) -> Machine:
    top = rng.choice((0, 1, 2, 3, 3, 4, 4, 5, 6, 8, 10, 12))
    lengths = (rng.randint(1, 12), rng.randint(8, 40), rng.choice((16, 32, 64, 128)))
    # Now and then a zone that holds the largest block of any top, or so many that lists get long.
    pages = SIZES[max(top, 7)] + rng.randint(0, 12) if rng.random() < 0.2 else rng.choice(lengths)
    start = rng.choice((0, 0, rng.randint(1, 70), SIZES[top] * rng.randint(1, 3)))
    return Machine(pages, top, era, start, holes_in(rng, start, pages))


def large_machine(rng: Random, era: Era) -> Machine:
    """A machine with a few blocks of order 10, so that every order is met, and a large hole."""
    start = rng.choice((0, 1, 1 << 20))
    hole = start + rng.randrange(1024)
    machine = Machine(3072 + rng.randrange(1024), 10, era, start, ((hole, hole + 512),))
    if era.numbering is not None and rng.random() < GROUPED:
        machine = with_types(rng, replace(machine, pageblock=rng.choice((9, 9, 10))))
    return with_lists(rng, machine)


def walk(lockstep: Lockstep, rng: Random, count: int) -> Reached:
    """Put so many random requests to an allocator in lockstep, then give everything back.

    Returns what happened in a crowd. Raises LawBroken.
    """
    reached: Reached = Counter()
    managed = lockstep.machine.managed_pages
    mix = random_mix(rng, lockstep.machine, lockstep.target.verbs)
    known = Known(lockstep.book, lockstep.out_of_use)
    for _ in range(count):
        op = random_op(rng, known, mix)
        crowded = is_crowded(managed, lockstep.book.busy.bit_count())
        outcome = lockstep.step(op)
        remember(mix, op, outcome)
        if crowded:
            log = lockstep.spec.log if lockstep.level == "exact" else ()
            reached.update(events_in_crowd(outcome, log))
    lockstep.finish()
    return reached
