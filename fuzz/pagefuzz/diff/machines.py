"""The machines on which `diff` looks: a declared set of small ones, and random larger ones."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random

from pagefuzz.errors import UsageError
from pagespec.era import Era
from pagespec.frames import SIZES
from pagespec.machine import Machine
from pagespec.migratetype import CMA, MOVABLE, RECLAIMABLE, UNMOVABLE, MigrateType
from pagespec.trace import FORMAT, Trace, TraceError, text_of
from pagespec.trace_reader import parse
from pagespec.types import DomainError

USUAL: dict[str, int] = {
    "pages=8 top=3 pageblock=2": 3,
    "pages=8 top=2 pageblock=2": 2,
    "pages=8 top=2 pageblock=2 types=UM": 3,
    "pages=8 top=3 pageblock=2 types=UM": 3,
    "pages=8 top=3 pageblock=2 types=MH": 2,
    "pages=12 top=3 pageblock=2 types=C2M": 2,
    "pages=16 top=4 pageblock=4 types=U": 4,
    "pages=8 top=3": 6,
    "pages=7 top=2 start=1": 5,
    "pages=16 top=3": 4,
    "pages=8 top=2 cpus=1 batch=2": 4,
    "pages=8 top=2 pageblock=2 cpus=1 batch=2 high=3": 3,
    "pages=8 top=2 pageblock=2 types=MH cpus=1 batch=1 high=2": 2,
    "pages=8 top=2 pageblock=2 cpus=2 batch=1 high=4": 2,
    "pages=8 top=2 cpus=2 batch=2 cells=1": 2,
    "pages=16 top=3 min_free=12": 4,
    "pages=16 top=3 pageblock=3 cpus=1 batch=2 high=4 min_free=12": 2,
}
"""The default set, and up to how many requests each is searched if nothing else is said.

On most of them boot leaves one block a list, so that two eras agree on its order; on the others
they show how they hand memory over.
"""

OTHER_BOUND = 3
"""Up to how many requests a machine that is not of the set is searched."""


def machine_of(text: str, era: Era) -> Machine:
    """The machine that the words of a trace's `machine` line describe, without its era.

    Raises UsageError.
    """
    if "era=" in text:
        raise UsageError(f"machine {text!r}: expected no era here; the two sides name theirs")
    try:
        return parse(f"{FORMAT}\nmachine {' '.join(text.split())} era={era.name}\n").machine
    except TraceError as error:
        raise UsageError(f"machine {text!r}, era {era.name}: {error.sentence}") from None


def words_of(machine: Machine) -> str:
    """The machine's words, without its era."""
    text = next(line for line in text_of(Trace(machine, ())).split("\n") if "machine " in line)
    return " ".join(word for word in text.split()[1:] if not word.startswith("era="))


def random_machine(rng: Random, eras: tuple[Era, Era]) -> Machine:
    """A machine with few blocks of the top order, mostly of different types, so that boot agrees.

    What two eras do at boot alone is found on the small machines.
    """
    era = eras[0]
    while True:
        top = rng.choice((2, 3, 3, 4, 5))
        blocks = rng.choice((1, 2, 2, 3, 4))
        pages = blocks * SIZES[top] - rng.choice((0, 0, 0, rng.randrange(SIZES[top])))
        start = rng.choice((0, 0, 0, rng.randrange(SIZES[top])))
        if any(each.numbering is None for each in eras):
            return Machine(pages, top, era, start)
        pageblock = rng.choice([order for order in (top, top - 1, top - 2) if order > 0])
        try:
            bare = Machine(pages, top, era, start, pageblock=pageblock)
            types = tuple(_types(rng, bare, eras))
            grouped = replace(bare, types=types)
            cells = all(each.cells != "none" for each in eras)
            return with_lists(rng, grouped, cells) if rng.random() < 0.5 else grouped
        except DomainError:
            continue


def with_lists(rng: Random, machine: Machine, cells: bool) -> Machine:
    """The machine with CPUs that keep short lists, and often with watermarks.

    cells: whether the CPUs may keep parts of counts too.
    """
    return replace(
        machine,
        cpus=rng.choice((1, 1, 2)),
        batch=rng.choice((1, 2, 3)),
        high=None if machine.era.tuning == "pair" else rng.choice((2, 4, 6, 9)),
        min_free=rng.choice((None, None, 12, machine.pages)),
        cells=cells and rng.random() < 0.5,
    )


def _types(rng: Random, machine: Machine, eras: tuple[Era, Era]) -> Iterator[MigrateType]:
    """A type for each largest block, and so for the pageblocks in it."""
    types = [
        mt for mt in (MOVABLE, UNMOVABLE, RECLAIMABLE, CMA) if all(mt in era.types for era in eras)
    ]
    rng.shuffle(types)
    pageblock, size = SIZES[machine.pageblock or 0], SIZES[machine.top]
    first = machine.start // pageblock * pageblock
    for head in range(first, machine.end, pageblock):
        yield types[(head // size - first // size) % len(types)]
