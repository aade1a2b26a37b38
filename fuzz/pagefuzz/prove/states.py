"""A zone's exact state as bytes: its lists in their order, and where every other frame is.

What repeats the lists (tags, counts, pair bits) is left out and checked instead: a zone whose
fields are out of step with its lists has no such form. What nobody can see any more is left out
too: the frames that were once given out, and the log. So are the types of what is held, which few
requests look at; `heldtypes` tries every combination of them there.
"""

from collections import OrderedDict
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from pagespec.frames import SIZES
from pagespec.laws.exact import TWIN_LAWS, Twins
from pagespec.laws.state import STATE_LAWS
from pagespec.laws.swept import swept
from pagespec.machine import Machine
from pagespec.migratetype import CMA, HIGHATOMIC, ISOLATE, MigrateType
from pagespec.pcp.state import empty_pcps
from pagespec.types import MAX_TOP, DomainError, Order, Pfn
from pagespec.watermark.levels import levels_of
from pagespec.zone import Held, Zone

State: TypeAlias = bytes
"""Per order and type, the frames in list order; then a byte a frame: one more than the order of the
held block that it heads, or the mark of a guard or a poisoned frame. With pageblocks, after another
separator, a byte for each: its type, and a mark if it is offline; and the size of the reserve."""

SEPARATOR = b"\xff"
GUARD, POISONED = 0x20, 0x40
OFFLINE = 0x10
HELD = tuple(Held(order, refs=1, compound=False) for order in range(MAX_TOP + 1))
TYPE_OF = tuple(MigrateType)


def frozen(zone: Zone) -> State:
    """The state of a zone in which every held block has one reference."""
    parts = [bytes(blocks) for lists in zone.free_area for blocks in lists.values()]
    start = zone.machine.start
    heads = bytearray(zone.machine.pages)
    for pfn, held in zone.held.items():
        heads[pfn - start] = held.order + 1
    for pfn, order in zone.guards.items():
        heads[pfn - start] = GUARD | order
    for pfn in zone.poisoned:
        heads[pfn - start] = POISONED
    parts.append(bytes(heads))
    if zone.pageblocks:
        blocks = bytearray(zone.pageblocks)
        for pfn in zone.offline:
            blocks[zone.machine.pageblock_number(pfn)] |= OFFLINE
        blocks.append(zone.nr_reserved)
        parts.append(bytes(blocks))
    return SEPARATOR.join(parts)


def length_behind_lists(machine: Machine) -> int:
    """How many bytes of a state stand behind its lists: frames, pageblocks, the reserve."""
    return machine.pages + (0 if machine.pageblock is None else machine.pageblocks + 2)


class Implied(NamedTuple):
    """What the lists of a state imply: the fields of a zone that repeat them.

    marks: a byte a frame, with the type of the list and the order of the block that it heads.
    """

    tag: dict[Pfn, Order]
    nr_free: list[int]
    free_pages: int
    free_cma: int
    free_highatomic: int
    pair_bits: list[set[int]]
    marks: bytes


LISTED = 0x80
"""A mark of a free block's head, beside the type of its list and its order."""


def implied(machine: Machine, lists: Sequence[bytes]) -> Implied:
    """The fields that repeat lists, which stand order by order and in each type by type.

    How free frames are counted is the era's: since 4.10 isolated ones do not count.
    """
    types = machine.types_listed
    tag: dict[Pfn, Order] = {}
    by_type = dict.fromkeys(TYPE_OF, 0)
    nr_free = [0] * (machine.top + 1)
    marks = bytearray(machine.pages)
    for at, blocks in enumerate(lists):
        order, mt = at // len(types), types[at % len(types)]
        nr_free[order] += len(blocks)
        by_type[mt] += len(blocks) * SIZES[order]
        for pfn in blocks:
            tag[pfn] = order
            marks[pfn - machine.start] = LISTED | mt << 4 | order
    if machine.era.isolation != "move":
        by_type[ISOLATE] = 0
    tagged = machine.era.design == "tag"
    return Implied(
        tag=tag if tagged else {},
        nr_free=nr_free,
        free_pages=sum(by_type.values()),
        free_cma=by_type[CMA],
        free_highatomic=by_type[HIGHATOMIC] if machine.era.retypes_on_merge else 0,
        pair_bits=[set() for _ in nr_free] if tagged else pairs_of(machine, lists),
        marks=bytes(marks),
    )


def pairs_of(machine: Machine, lists: Sequence[bytes]) -> list[set[int]]:
    """Per order below the top, the pairs of which exactly one sibling is listed."""
    pairs: list[set[int]] = [set() for _ in lists]
    for order, blocks in enumerate(lists[:-1]):
        for pfn in blocks:
            pairs[order] ^= {(pfn - machine.base) // SIZES[order + 1]}
    return pairs


def thawed(machine: Machine, state: State) -> Zone:
    """The zone of a state, with all that repeats the lists; what is held there is UNMOVABLE."""
    parts = state.split(SEPARATOR)
    blocks = parts.pop() if machine.pageblock is not None else b""
    heads, lists = parts.pop(), parts
    marks = [(pfn, mark) for pfn, mark in enumerate(heads, machine.start) if mark]
    held = {pfn: HELD[mark - 1] for pfn, mark in marks if mark < GUARD}
    types = machine.types_listed
    size, first = SIZES[machine.pageblock or 0], machine.start
    repeats = implied(machine, lists)
    return Zone(
        machine=machine,
        free_area=[
            {
                mt: OrderedDict.fromkeys(listed)
                for mt, listed in zip(types, lists[at : at + len(types)], strict=True)
            }
            for at in range(0, len(lists), len(types))
        ],
        tag=repeats.tag,
        nr_free=repeats.nr_free,
        free_pages=repeats.free_pages,
        free_cma=repeats.free_cma,
        free_highatomic=repeats.free_highatomic,
        pair_bits=repeats.pair_bits,
        pageblocks=[TYPE_OF[mark & ~OFFLINE] for mark in blocks[:-1]],
        nr_reserved=blocks[-1] if blocks else 0,
        held=held,
        given=set(held),
        guards={pfn: mark & ~GUARD for pfn, mark in marks if mark & GUARD},
        poisoned={pfn for pfn, mark in marks if mark == POISONED},
        offline={
            (first // size + number) * size
            for number, mark in enumerate(blocks[:-1])
            if mark & OFFLINE
        },
        pcps=empty_pcps(machine),
        levels=levels_of(machine),
        unplugged=set(),
        disabled=False,
        slots={},
        pgalloc=0,
        pgfree=0,
        visited=0,
        log=[],
    )


def check_in_step(zone: Zone, state: State, repeats: Implied) -> None:
    """Raise LawBroken if a field that repeats the lists differs from them."""
    same = (
        zone.tag == repeats.tag
        and zone.nr_free == repeats.nr_free
        and zone.free_pages == repeats.free_pages
        and zone.free_cma == repeats.free_cma
        and zone.free_highatomic == repeats.free_highatomic
        and zone.pair_bits == repeats.pair_bits
    )
    if not same:
        STATE_LAWS.check(zone.machine.era, swept(zone))
        TWIN_LAWS.check(zone.machine.era, Twins(thawed(zone.machine, state), zone))


def check_small(machine: Machine) -> None:
    """Raise DomainError for a machine whose frames do not fit in a state's bytes."""
    if machine.end > SEPARATOR[0]:
        raise DomainError(
            f"zone {machine.start}..{machine.end}: exhaustion needs frames below {SEPARATOR[0]}"
        )
