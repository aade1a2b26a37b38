"""Rows of slabs, and of requests for objects, that are not as they should be."""

from collections.abc import Callable
from typing import Any

from tests.spec.rows import row

from pagespec.era import ERAS
from pagespec.laws.law import LawBook
from pagespec.machine import Machine
from pagespec.slab.laws.book import SlabBook, book_of, enter
from pagespec.slab.laws.judge import SLAB_LAWS, SLAB_REST_LAWS
from pagespec.slab.laws.step import SlabStep
from pagespec.slab.machine import SlabMachine
from pagespec.slab.ops import perform, start
from pagespec.slab.state import Cache, Slabs, copy_of_slabs
from pagespec.slab.verbs import SlabOp, SlabVerb

Change = Callable[[Slabs], object]

CREATE = SlabOp(SlabVerb.CREATE, cache=1, size=1024, order=0, objects_kept=4, partials=1)
ALLOC = SlabOp(SlabVerb.ALLOC, cache=1)
GROUP = SlabOp(SlabVerb.GROUP, group=1)


def bulk(objects: int, cpu: int = 0, group: int = 0) -> SlabOp:
    return SlabOp(SlabVerb.ALLOC_BULK, cpu, cache=1, objects=objects, group=group)


def free(*addresses: int, cpu: int = 0, withheld: tuple[int, ...] = ()) -> SlabOp:
    verb = SlabVerb.FREE if len(addresses) == 1 else SlabVerb.FREE_BULK
    return SlabOp(verb, cpu, addresses=addresses, withheld=withheld)


def machine_of(era: str = "5.15", pages: int = 31, **machine: Any) -> SlabMachine:
    """Two CPUs and a zone of frames 1 to 31: objects of 1024 bytes start at 4096."""
    zone = Machine(pages=pages, top=3, era=ERAS[era], start=1)
    return SlabMachine(zone, **{"cpus": 2, **machine})


def stepped(
    machine: SlabMachine,
    ops: list[SlabOp],
    outcome: int | None = None,
    change: Change = id,
    entered: Callable[[SlabBook], object] = id,
) -> SlabStep:
    """What the last request makes of slabs, or with another outcome and another state."""
    slabs, book = start(machine), book_of(machine)
    for number, op in enumerate(ops):
        before = copy_of_slabs(slabs)
        got = perform(slabs, op)
        slabs.zone.log.clear()
        if number < len(ops) - 1:
            assert got >= -1, op
            enter(book, op, got, slabs.slots)
    change(slabs)
    step = SlabStep(before, op, got if outcome is None else outcome, slabs, book)
    if not step.refused and got >= -1:
        enter(book, op, step.outcome, slabs.slots)
    entered(book)
    return step


def broken(
    law_id: str,
    what: str,
    machine: SlabMachine,
    *ops: SlabOp,
    outcome: int | None = None,
    change: Change = id,
    entered: Callable[[SlabBook], object] = id,
    laws: LawBook[SlabStep] = SLAB_LAWS,
) -> None:
    """A row of requests of which the last is served as it should not be."""
    wrong = stepped(machine, [*ops], outcome, change, entered)
    row(laws, law_id, what, wrong, stepped(machine, [*ops]), machine.era)


def resting(law_id: str, what: str, machine: SlabMachine, *ops: SlabOp, change: Change) -> None:
    """A row of slabs that are broken when those requests have been served, and something done."""
    wrong, sound = stepped(machine, [*ops], change=change), stepped(machine, [*ops])
    row(SLAB_REST_LAWS, law_id, what, wrong.after, sound.after, machine.era)


def of_cache(change: Callable[[Cache], object], key: tuple[int, int] = (1, 0)) -> Change:
    """Changes a cache."""
    return lambda slabs: change(slabs.caches[key])


def all_of(*changes: Change) -> Change:
    """One change after the other."""
    return lambda slabs: [change(slabs) for change in changes]


def sets(of: Callable[[Slabs], object], name: str, value: object) -> Change:
    """Gives a field of something another value."""
    return lambda slabs: setattr(of(slabs), name, value)
