"""A zone's exact state as bytes: its lists in their order, and where every other frame is.

What repeats the lists (tags, counts, pair bits) is left out and checked instead: a zone whose
fields are out of step with its lists has no such form. What nobody can see any more is left out
too: the frames that were once given out, and the log. So are the types of what is held, which few
requests look at; `heldtypes` tries every combination of them there.
"""

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import fields
from itertools import chain, islice
from typing import TypeAlias

from pagefuzz.prove.implied import Implied, count_of, implied, repeats_lists
from pagespec.frames import SIZES
from pagespec.laws.exact import TWIN_LAWS, Twins
from pagespec.laws.state import STATE_LAWS
from pagespec.laws.swept import swept
from pagespec.machine import Machine
from pagespec.migratetype import MigrateType
from pagespec.pcp.index import LISTS
from pagespec.pcp.sizes import Pageset
from pagespec.pcp.state import Load, Pcp, empty_pcps, low_mark_of
from pagespec.pcp.tuning import SCALE, Doubling, Tuned
from pagespec.types import MAX_TOP, DomainError, Pfn
from pagespec.watermark.levels import Levels, levels_of
from pagespec.zone import Held, Zone

State: TypeAlias = bytes
"""Per order and type, the frames in list order, and per list of each CPU; then a byte a frame: one
more than the order of the held block that it heads, or the mark of a guard, of a poisoned frame, of
a slot, or of a block that a CPU keeps, with its number or type. With pageblocks, after another
separator, a byte for each: its type, and a mark if it is offline; and the size of the reserve. With
CPUs' lists or watermarks, after one more, what these have learnt."""

SEPARATOR = b"\xff"
GUARD, POISONED, SLOT, KEPT = 0x20, 0x40, 0x80, 0xC0
OFFLINE = 0x10
HELD = tuple(Held(order, refs=1, compound=False) for order in range(MAX_TOP + 1))
TYPE_OF = tuple(MigrateType)
STANDING = tuple(field.name for field in fields(Levels) if field.name not in ("marks", "reserve"))
"""What changes of a zone's watermarks."""


def frozen(zone: Zone) -> State:
    """The state of a zone in which every held block has one reference."""
    parts = [bytes(blocks) for lists in zone.free_area for blocks in lists.values()]
    kept = [blocks for pcps in zone.pcps for pcp in pcps for blocks in pcp.lists]
    parts += map(bytes, kept)
    start = zone.machine.start
    heads = bytearray(zone.machine.pages)
    for pfn, held in zone.held.items():
        heads[pfn - start] = held.order + 1
    for pfn, order in zone.guards.items():
        heads[pfn - start] = GUARD | order
    for pfn in zone.poisoned:
        heads[pfn - start] = POISONED
    for pfn, slot in zone.slots.items():
        heads[pfn - start] = SLOT | slot
    for pfn, mt in chain.from_iterable(blocks.items() for blocks in kept):
        heads[pfn - start] = KEPT | mt
    parts.append(bytes(heads))
    if zone.pageblocks:
        blocks = bytearray(zone.pageblocks)
        for pfn in zone.offline:
            blocks[zone.machine.pageblock_number(pfn)] |= OFFLINE
        blocks.append(zone.nr_reserved)
        parts.append(bytes(blocks))
    if learns(zone.machine):
        parts.append(bytes(learnt(zone)))
    return SEPARATOR.join(parts)


def learns(machine: Machine) -> bool:
    """Whether there is anything to learn: page lists of CPUs, or watermarks."""
    return machine.cpus > 0 or machine.min_free is not None


def learnt(zone: Zone) -> Iterator[int]:
    """What CPUs' lists and watermarks have learnt, as small numbers."""
    yield zone.disabled
    yield zone.sized_low
    yield from (cpu in zone.unplugged for cpu in range(zone.machine.cpus))
    if zone.levels is not None:
        yield from (getattr(zone.levels, name) for name in STANDING)
    yield from chain.from_iterable(pcp.load for pcps in zone.pcps for pcp in pcps)


def parts_behind_lists(machine: Machine) -> int:
    """How many parts of a state stand behind its free lists.

    They are what CPUs keep, the frames, and if there are any the pageblocks and what was learnt.
    """
    kept = sum(LISTS[machine.era.lists] for pcps in empty_pcps(machine) for _ in pcps)
    return kept + 1 + (machine.pageblock is not None) + learns(machine)


def thawed(machine: Machine, state: State) -> Zone:
    """The zone of a state, with all that repeats the lists; what is held there is UNMOVABLE."""
    parts = state.split(SEPARATOR)
    numbers = iter(parts.pop() if learns(machine) else b"\0\0")
    blocks = parts.pop() if machine.pageblock is not None else b""
    heads = parts.pop()
    count = (machine.top + 1) * len(machine.types_listed)
    lists, kept = parts[:count], iter(parts[count:])
    marks = {pfn: mark for pfn, mark in enumerate(heads, machine.start) if mark}
    slots = {pfn: mark - SLOT for pfn, mark in marks.items() if SLOT <= mark < KEPT}
    held = {pfn: HELD[mark - 1] for pfn, mark in marks.items() if mark < GUARD}
    held |= dict.fromkeys(slots, HELD[0])
    disabled, sized_low = bool(next(numbers)), next(numbers)
    unplugged = {cpu for cpu in range(machine.cpus) if next(numbers)}
    levels = levels_in(machine, numbers)
    pcps = empty_pcps(machine)
    for pcp in chain.from_iterable(pcps):
        fill(machine, pcp, kept, marks, numbers)
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
        guards={pfn: mark & ~GUARD for pfn, mark in marks.items() if GUARD <= mark < POISONED},
        poisoned={pfn for pfn, mark in marks.items() if mark == POISONED},
        offline={
            (first // size + number) * size
            for number, mark in enumerate(blocks[:-1])
            if mark & OFFLINE
        },
        pcps=pcps,
        levels=levels,
        unplugged=unplugged,
        disabled=disabled,
        sized_low=sized_low,
        slots=slots,
        cells=None,
        on_cpu=0,
        gathered=None,
        pgallocs=[0] * (machine.cpus or 1),
        pgfrees=[0] * (machine.cpus or 1),
        visited=0,
        log=[],
    )


def levels_in(machine: Machine, numbers: Iterator[int]) -> Levels | None:
    """The watermarks as they stand by the next numbers, if there are any."""
    levels = levels_of(machine)
    if levels is not None:
        for name in STANDING:
            setattr(levels, name, type(getattr(levels, name))(next(numbers)))
    return levels


def fill(
    machine: Machine,
    pcp: Pcp,
    lists: Iterator[bytes],
    marks: Mapping[Pfn, int],
    numbers: Iterator[int],
) -> None:
    """Put the blocks of the next lists onto a CPU's, which have learnt what the numbers say."""
    for index, blocks in enumerate(islice(lists, len(pcp.lists))):
        pcp.lists[index] = OrderedDict((pfn, TYPE_OF[marks[pfn] - KEPT]) for pfn in blocks)
    pcp.count = count_of(machine, pcp)
    pcp.load = load_in(pcp.load, numbers)


def load_in(load: Load, numbers: Iterator[int]) -> Load:
    """The sizes that the next numbers say, of the same kind."""
    values = islice(numbers, len(load))
    if isinstance(load, Pageset):
        return Pageset._make(values)
    return Doubling._make(values) if isinstance(load, Doubling) else Tuned._make(values)


def check_in_step(zone: Zone, state: State, repeats: Implied) -> None:
    """Raise LawBroken if a field that repeats the lists differs from them."""
    if not repeats_lists(zone, repeats):
        STATE_LAWS.check(zone.machine.era, swept(zone))
        TWIN_LAWS.check(zone.machine.era, Twins(thawed(zone.machine, state), zone))


def check_small(machine: Machine) -> None:
    """Raise DomainError for a machine whose frames or sizes do not fit in a state's bytes."""
    if machine.end > SEPARATOR[0]:
        raise DomainError(
            f"zone {machine.start}..{machine.end}: exhaustion needs frames below {SEPARATOR[0]}"
        )
    if machine.cells:
        raise DomainError("cells=1: the exhaustion of zones has no place for cells; expected none")
    levels = levels_of(machine)
    marks = 0 if levels is None else 3 * levels.marks.high
    low_mark = low_mark_of(machine, levels)
    sizes = [
        size
        for pcp in chain.from_iterable(empty_pcps(machine))
        for size in (*pcp.load, pcp.load.batch << SCALE * isinstance(pcp.load, Tuned))
    ]
    largest = max(marks, low_mark, *sizes) + machine.pages
    if largest >= SEPARATOR[0]:
        raise DomainError(
            f"lists or marks of up to {largest} frames: exhaustion needs numbers below "
            f"{SEPARATOR[0]}"
        )
