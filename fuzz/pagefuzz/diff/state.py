"""A zone's state as a tuple: small enough to keep a million of, and enough to go on from.

What repeats the lists (tags, pair bits, counts of the CPUs' lists) is left out and made again. So
is what only illegal requests could tell, the frames that were once given out, and what only grows.
"""

from collections import OrderedDict
from collections.abc import Iterator
from typing import NamedTuple

from pagespec.era import Era
from pagespec.frames import SIZES
from pagespec.machine import Machine
from pagespec.migratetype import HIGHATOMIC, LETTER_OF, REQUESTED, MigrateType
from pagespec.pcp.index import COSTLY, LISTS, ListRule, order_of_list
from pagespec.pcp.state import Load
from pagespec.types import Order, Pfn
from pagespec.vmstat.kept import Cells, Count
from pagespec.zone import Held, Zone, empty_zone


class ListKey(NamedTuple):
    """Which free list: of an order, and of a type."""

    order: Order
    mt: MigrateType


class CpuList(NamedTuple):
    """Which list of which CPU, by a name that eras with the same kind of list share."""

    cpu: int
    name: str


class Sizes(NamedTuple):
    """What the lists of the CPUs and the watermarks have come to.

    loads: the sizes of each CPU's lists; their kind differs by era, so no two eras are compared in
    them. sized_low: as in `Zone`. boost, boosted, below_high, reclaiming: as in `Levels`.
    """

    loads: tuple[tuple[Load, ...], ...]
    unplugged: tuple[int, ...]
    disabled: bool
    sized_low: int
    boost: int
    boosted: bool
    below_high: bool
    reclaiming: bool


class Told(NamedTuple):
    """What the zone was told of its counts, and what each CPU keeps of them; see `Cells`."""

    free: int
    free_kept: tuple[int, ...]
    cma: int
    cma_kept: tuple[int, ...]
    rest: tuple[int, ...]
    threshold: int
    drift_mark: int


class State(NamedTuple):
    """What can be seen of a zone.

    lists: every list that is not empty, with its blocks in order. listed: the same of the CPUs'
    lists, each block with the type that it is listed as. slots: the frame in each slot. held: the
    holdings by head. free_highatomic: None where the era does not count it. told: None where no CPU
    keeps parts of counts. The other fields are as in `Zone`, in ascending order.
    """

    lists: tuple[tuple[ListKey, tuple[Pfn, ...]], ...]
    pageblocks: tuple[MigrateType, ...]
    held: tuple[tuple[Pfn, Held], ...]
    guards: tuple[tuple[Pfn, Order], ...]
    poisoned: tuple[Pfn, ...]
    offline: tuple[Pfn, ...]
    nr_free: tuple[int, ...]
    free_pages: int
    free_cma: int
    free_highatomic: int | None
    nr_reserved: int
    listed: tuple[tuple[CpuList, tuple[tuple[Pfn, MigrateType], ...]], ...]
    slots: tuple[tuple[int, Pfn], ...]
    sizes: Sizes
    told: Told | None


def names_of_lists(machine: Machine) -> list[list[str]]:
    """What the lists of a CPU are called: per set, each of its lists in order.

    >>> from pagespec.era import ERAS
    >>> names_of_lists(Machine(pages=8, top=3, era=ERAS["4.10"], cpus=1))
    [['order 0 U', 'order 0 M', 'order 0 E']]
    """
    rule = machine.era.lists
    if rule == "one":
        return [["order 0 U"], ["order 0 U, cold"]]
    names = [
        f"order {order_of_list(index, machine.huge)} {LETTER_OF[REQUESTED[index % 3]]}"
        for index in range(min(LISTS[rule], 3 * (COSTLY + 1)))
    ]
    huge: dict[ListRule, tuple[str, ...]] = {
        "orders": tuple(LETTER_OF[mt] for mt in REQUESTED),
        "huge-alone": ("UME",),
        "huge-by-movability": ("UE", "M"),
    }
    return [[*names, *(f"huge {letters}" for letters in huge.get(rule, ()))]]


def frozen(zone: Zone) -> State:
    """The state of a zone."""
    return State(
        tuple(
            (ListKey(order, mt), tuple(blocks))
            for order, lists in enumerate(zone.free_area)
            for mt, blocks in sorted(lists.items())
            if blocks
        ),
        tuple(zone.pageblocks),
        tuple(sorted(zone.held.items())),
        tuple(sorted(zone.guards.items())),
        tuple(sorted(zone.poisoned)),
        tuple(sorted(zone.offline)),
        tuple(zone.nr_free),
        zone.free_pages,
        zone.free_cma,
        zone.free_highatomic if zone.machine.era.retypes_on_merge else None,
        zone.nr_reserved,
        tuple(_listed(zone)),
        tuple(sorted((slot, pfn) for pfn, slot in zone.slots.items())),
        _sizes(zone),
        _told(zone),
    )


def _listed(zone: Zone) -> Iterator[tuple[CpuList, tuple[tuple[Pfn, MigrateType], ...]]]:
    names = names_of_lists(zone.machine)
    for cpu, pcps in enumerate(zone.pcps):
        for pcp, of_set in zip(pcps, names, strict=True):
            for blocks, name in zip(pcp.lists, of_set, strict=True):
                if blocks:
                    yield CpuList(cpu, name), tuple(blocks.items())


def _sizes(zone: Zone) -> Sizes:
    levels = zone.levels
    return Sizes(
        tuple(tuple(pcp.load for pcp in pcps) for pcps in zone.pcps),
        tuple(sorted(zone.unplugged)),
        zone.disabled,
        zone.sized_low,
        levels.boost if levels else 0,
        levels.boosted if levels else False,
        levels.below_high if levels else False,
        levels.reclaiming if levels else False,
    )


def _told(zone: Zone) -> Told | None:
    cells = zone.cells
    if cells is None:
        return None
    free, cma = cells.free, cells.cma
    return Told(
        free.told,
        tuple(free.kept),
        cma.told,
        tuple(cma.kept),
        tuple(cells.rest),
        cells.threshold,
        cells.drift_mark,
    )


def thawed(machine: Machine, state: State) -> Zone:
    """A zone of that state, which shares nothing that changes."""
    zone = empty_zone(machine)
    tagged = machine.era.design == "tag"
    for (order, mt), blocks in state.lists:
        zone.free_area[order][mt] = OrderedDict.fromkeys(blocks)
        if tagged:
            zone.tag.update(dict.fromkeys(blocks, order))
        elif order < machine.top:
            for pfn in blocks:
                zone.pair_bits[order] ^= {(pfn - machine.base) // SIZES[order + 1]}
    zone.pageblocks = list(state.pageblocks)
    zone.held = dict(state.held)
    zone.given = set(zone.held)
    zone.guards = dict(state.guards)
    zone.poisoned, zone.offline = set(state.poisoned), set(state.offline)
    zone.nr_free, zone.free_pages = list(state.nr_free), state.free_pages
    zone.free_cma, zone.free_highatomic = state.free_cma, state.free_highatomic or 0
    zone.nr_reserved = state.nr_reserved
    zone.slots = {pfn: slot for slot, pfn in state.slots}
    _thaw_lists(zone, state)
    if state.told is not None:
        free, free_kept, cma, cma_kept, rest, threshold, drift_mark = state.told
        counts = Count(free, list(free_kept)), Count(cma, list(cma_kept))
        zone.cells = Cells(*counts, list(rest), threshold, drift_mark)
    return zone


def _thaw_lists(zone: Zone, state: State) -> None:
    """Set the CPUs' lists and what sizes have come to; of another kind of era, its own at boot."""
    listed, sizes = dict(state.listed), state.sizes
    names = names_of_lists(zone.machine)
    for cpu, pcps in enumerate(zone.pcps):
        for number, (pcp, of_set) in enumerate(zip(pcps, names, strict=True)):
            pcp.lists = [OrderedDict(listed.get(CpuList(cpu, name), ())) for name in of_set]
            orders = (order_of_list(at, zone.machine.huge) for at in range(len(of_set)))
            pcp.count = sum(
                SIZES[order] * len(blocks) for order, blocks in zip(orders, pcp.lists, strict=True)
            )
            if len(sizes.loads[cpu]) == len(pcps):
                load = sizes.loads[cpu][number]
                pcp.load = load if type(load) is type(pcp.load) else pcp.load
    zone.unplugged, zone.disabled = set(sizes.unplugged), sizes.disabled
    zone.sized_low = sizes.sized_low
    if zone.levels is not None:
        zone.levels.boost, zone.levels.below_high = sizes.boost, sizes.below_high
        zone.levels.boosted, zone.levels.reclaiming = sizes.boosted, sizes.reclaiming


def in_terms_of(era: Era, state: State) -> State:
    """The state with what the era alone would count, so that its laws can judge another's state."""
    if not era.retypes_on_merge:
        return state._replace(free_highatomic=None)
    free = sum(
        SIZES[order] * len(blocks) for (order, mt), blocks in state.lists if mt is HIGHATOMIC
    )
    return state._replace(free_highatomic=free)
