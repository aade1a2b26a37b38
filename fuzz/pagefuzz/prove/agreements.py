"""What must agree on small zones, as contracts that CrossHair follows over all paths.

Lists of symbolic values defeat it, so each contract takes two small numbers, builds a zone inside
and serves one request. `free` is a mask of the zone's pieces: 4 frames, or 4 pairs of frames. A
piece that is not free is held by itself. `choice` is an order to allocate or a piece to free; to
free a piece that is free already must be refused alike.
"""

from collections.abc import Callable

from pagefuzz.prove.halving import concrete
from pagefuzz.prove.states import SEPARATOR, frozen, thawed
from pagefuzz.prove.twin import twin_beside
from pageimpl.allocator import Allocator
from pagespec.era import ERAS
from pagespec.frames import SIZES, canonical
from pagespec.machine import Machine
from pagespec.ops import perform
from pagespec.verbs import Op, Outcome, Verb
from pagespec.zone import Zone, copy_of, free_blocks

PIECES = 4
TOP = 3
ERA_NAMES = ("2.6.8", "2.6.11", "6.1")
MACHINES = {
    (era, pairs): Machine(PIECES * (2 if pairs else 1), TOP, ERAS[era])
    for era in ERA_NAMES
    for pairs in (False, True)
}
"""By era, and whether a piece is a pair of frames."""

TWINS: dict[Machine, Callable[[Zone, Op, Outcome, Zone], None]] = {
    machine: twin_beside(Allocator(machine, jit=False)) for machine in MACHINES.values()
}


def zone_with(machine: Machine, free: int) -> Zone:
    """The zone in which the pieces of the mask are free, its lists in ascending order."""
    size = machine.pages // PIECES
    frames = {pfn for pfn in range(machine.pages) if free >> pfn // size & 1}
    lists = [bytearray() for _ in range(machine.top + 1)]
    for pfn, order in sorted(canonical(frames, machine.top)):
        lists[order].append(pfn)
    heads = bytearray(machine.pages)
    for pfn in {*range(0, machine.pages, size)} - frames:
        heads[pfn] = 1 + SIZES.index(size)
    return thawed(machine, SEPARATOR.join([*lists, heads]))


def request(machine: Machine, choice: int) -> Op:
    """The request of a number: alloc of order 0 to TOP, then free of each piece."""
    if choice <= TOP:
        return Op(Verb.ALLOC, choice)
    size = machine.pages // PIECES
    return Op(Verb.FREE, SIZES.index(size), (choice - TOP - 1) * size)


def posed(era: str, pairs: bool, free: int, choice: int) -> tuple[Zone, Op]:
    """The zone and the request that the numbers name, all of them plain by now."""
    machine = MACHINES[era, bool(pairs)]
    zone = zone_with(machine, concrete(free, 2**PIECES))
    return zone, request(machine, concrete(choice, TOP + 1 + PIECES))


def twin_agrees(era: str, pairs: bool, free: int, choice: int) -> bool:
    """Whether the twin's plain form answers as the spec does and leaves every field the same.

    Raises LawBroken, which says what differs, if not.
    """
    before, op = posed(era, pairs, free, choice)
    after = copy_of(before)
    outcome = perform(after, op)
    TWINS[before.machine](before, op, outcome, after)
    return True


def free_set_stays_canonical(pairs: bool, free: int, choice: int) -> bool:
    """After a request the free set is the canonical decomposition of the free frames.

    pre: 0 <= free < 16
    pre: 0 <= choice < 8
    post: _
    """
    zone, op = posed("6.1", pairs, free, choice)
    perform(zone, op)
    held = {pfn + place for pfn, held in zone.held.items() for place in range(SIZES[held.order])}
    return set(free_blocks(zone)) == canonical({*range(zone.machine.pages)} - held, TOP)


def tag_agrees_with_bitmap(pairs: bool, free: int, choice: int) -> bool:
    """Order tag and pair bitmap answer alike and leave the same lists and holdings.

    pre: 0 <= free < 16
    pre: 0 <= choice < 8
    post: _
    """
    tag, op = posed("2.6.11", pairs, free, choice)
    bitmap, _ = posed("2.6.8", pairs, free, choice)
    return perform(tag, op) == perform(bitmap, op) and frozen(tag) == frozen(bitmap)


def twin_agrees_by_tag(pairs: bool, free: int, choice: int) -> bool:
    """The twin of 6.1 agrees with the spec.

    pre: 0 <= free < 16
    pre: 0 <= choice < 8
    post: _
    """
    return twin_agrees("6.1", pairs, free, choice)


def twin_agrees_by_bitmap(pairs: bool, free: int, choice: int) -> bool:
    """The twin of 2.6.8 agrees with the spec.

    pre: 0 <= free < 16
    pre: 0 <= choice < 8
    post: _
    """
    return twin_agrees("2.6.8", pairs, free, choice)
