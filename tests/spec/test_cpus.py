"""What is done to whole CPUs: drained, switched off, unplugged, aged. Worked out by hand.

Source: mm/page_alloc.c (drain_all_pages, zone_pcp_disable, zone_pcp_enable, page_alloc_cpu_dead,
decay_pcp_high, drain_zone_pages), 2.6.11 to 6.12.
"""

from typing import Any

import pytest

from pagespec.boot import boot
from pagespec.era import ERAS
from pagespec.events import Kind
from pagespec.machine import Machine
from pagespec.migratetype import CMA, HIGHATOMIC, ISOLATE, MOVABLE, UNMOVABLE
from pagespec.ops import perform
from pagespec.pcp.tuning import Doubling, Tuned
from pagespec.types import Refusal
from pagespec.verbs import Op, Verb
from pagespec.zone import Zone, free_blocks

SWITCHED = ("5.15", "6.1", "6.12")


def zone_of(era: str, pages: int = 64, **machine: Any) -> Zone:
    """A zone of two CPUs, with a batch of 4."""
    fields: dict[str, Any] = {"top": 4, "cpus": 2, "batch": 4, **machine}
    return boot(Machine(pages, era=ERAS[era], **fields))


def kept(zone: Zone) -> list[int]:
    """The frames that each CPU keeps."""
    return [sum(pcp.count for pcp in pcps) for pcps in zone.pcps]


def used(zone: Zone) -> Zone:
    """Each CPU has asked for a frame and keeps the rest of its batch."""
    for cpu in range(zone.machine.cpus):
        assert perform(zone, Op(Verb.ALLOC, cpu=cpu)) >= 0
    assert all(kept(zone))
    return zone


@pytest.mark.parametrize("era", ERAS)
def test_a_drained_zone_is_whole_but_for_what_is_held(era: str) -> None:
    """One CPU's drain leaves the other's lists alone."""
    zone = used(zone_of(era, batch=3 if era in ("2.6.8", "2.6.11") else 4))
    before = kept(zone)

    perform(zone, Op(Verb.DRAIN, cpu=1))
    assert kept(zone) == [before[0], 0]
    perform(zone, Op(Verb.DRAIN_ALL))
    assert kept(zone) == [0, 0]
    for cpu, pfn in enumerate(list(zone.held)):
        perform(zone, Op(Verb.FREE, 0, pfn, cpu=cpu))
    assert kept(zone) == [1, 1]
    perform(zone, Op(Verb.DRAIN_ALL))
    whole = free_blocks(boot(zone.machine))
    assert sorted(free_blocks(zone)) == sorted(whole)


@pytest.mark.parametrize("era", SWITCHED)
@pytest.mark.parametrize("order", [0, 2])
def test_disabled_lists_keep_nothing(era: str, order: int) -> None:
    """A request gets one block through the list, and a free drains what it adds."""
    zone = used(zone_of(era))
    assert perform(zone, Op(Verb.DISABLE)) == 0
    assert kept(zone) == [0, 0]

    zone.log.clear()
    pfn = perform(zone, Op(Verb.ALLOC, order))
    assert [event.pfn for event in zone.log if event.kind is Kind.REFILL] == [1]
    assert perform(zone, Op(Verb.FREE, order, pfn)) == 0
    assert Kind.PCPU_DRAIN in {event.kind for event in zone.log}
    assert kept(zone) == [0, 0]


def test_enabled_lists_have_their_sizes_again() -> None:
    """And what they had learnt: here that the next drain is doubled once."""
    zone = zone_of("5.15", high=9)
    zone.pcps[0][0].load = Doubling(9, 4, factor=1)
    perform(zone, Op(Verb.DISABLE))
    assert zone.pcps[0][0].load == Doubling(0, 1, factor=1)
    perform(zone, Op(Verb.ENABLE))
    assert zone.pcps[0][0].load == Doubling(9, 4, factor=1)

    later = zone_of("6.12", high=9)
    load = later.pcps[0][0].load
    assert isinstance(load, Tuned)
    perform(later, Op(Verb.DISABLE))
    assert later.pcps[0][0].load == load._replace(high_min=0, high_max=0, batch=1)
    perform(later, Op(Verb.ENABLE))
    assert later.pcps[0][0].load == load


@pytest.mark.parametrize(
    ("era", "cpus", "one_less"),
    [
        # 262144 frames have the marks 1024, 1286 and 1548; 1286 for four CPUs are 321, for three
        # 428. From 6.7 on high may grow to an eighth of the zone: 8192 frames each, then 10922.
        ("5.15", 4, Doubling(428, 63)),
        ("6.12", 4, Tuned(428, 10922, 63)),
        # Before, lists are sized by the batch alone.
        ("4.10", 4, None),
    ],
)
def test_an_unplugged_cpu_leaves_its_share_to_the_others(
    era: str, cpus: int, one_less: Doubling | Tuned | None
) -> None:
    """And gives back what it kept."""
    zone = zone_of(era, pages=262144, top=10, cpus=cpus, batch=None)
    before = zone.pcps[0][0].load
    if one_less is not None:
        shared = {"5.15": Doubling(321, 63), "6.12": Tuned(321, 8192, 63)}[era]
        assert before == shared

    perform(zone, Op(Verb.ALLOC, cpu=2))
    perform(zone, Op(Verb.UNPLUG, cpu=2))
    assert kept(zone) == [0] * cpus
    assert zone.pcps[0][0].load == (before if one_less is None else one_less)
    assert perform(zone, Op(Verb.ALLOC, cpu=2)) == Refusal.BAD_CPU
    perform(zone, Op(Verb.PLUG, cpu=2))
    assert zone.pcps[0][0].load == before
    assert perform(zone, Op(Verb.ALLOC, cpu=2)) >= 0


def test_the_cpus_of_the_zones_own_node_share_it() -> None:
    """One of four CPUs is: it sizes all lists by the 1286 frames. When it is gone, the other three
    share them."""
    zone = zone_of("5.15", 262144, top=10, cpus=4, far=frozenset({1, 2, 3}), batch=None)
    assert [pcps[0].load for pcps in zone.pcps] == [Doubling(1286, 63)] * 4
    perform(zone, Op(Verb.UNPLUG, cpu=3))
    assert zone.pcps[0][0].load == Doubling(1286, 63)
    perform(zone, Op(Verb.PLUG, cpu=3))
    perform(zone, Op(Verb.UNPLUG, cpu=0))
    assert zone.pcps[1][0].load == Doubling(428, 63)


def test_what_expires_is_a_batch() -> None:
    """Of the nine frames that a CPU keeps four go, four, and one; then there is nothing to go."""
    zone = zone_of("6.1", high=99)
    pfns = [perform(zone, Op(Verb.ALLOC)) for _ in range(9)]
    perform(zone, Op(Verb.DRAIN))
    for pfn in pfns:
        perform(zone, Op(Verb.FREE, 0, pfn))
    counts = []
    for _ in range(4):
        perform(zone, Op(Verb.EXPIRE))
        counts.append(kept(zone)[0])
    assert counts == [5, 1, 0, 0]


# --- types --------------------------------------------------------------------------------------


def test_memory_that_nobody_asks_for_by_name_is_listed_as_movable() -> None:
    """CMA memory and that of the reserve; and when it is drained it goes to its own lists again."""
    types = (HIGHATOMIC, MOVABLE, CMA, MOVABLE)
    zone = zone_of("6.1", pageblock=4, types=types, cpus=1, high=99)
    urgent = Op(Verb.ALLOC, 1, mt=UNMOVABLE, atomic=True, contended=True)
    assert perform(zone, urgent) == 0
    assert perform(zone, Op(Verb.CONTIG, pfn=32, pages=1, mt=CMA)) == 32

    perform(zone, Op(Verb.FREE, 1, 0))
    perform(zone, Op(Verb.FREE, 0, 32))
    lists = zone.pcps[0][0].lists
    assert [list(lists[index].items()) for index in (0, 1, 3, 4)] == [
        *([], [(32, CMA)], [], [(0, HIGHATOMIC)])
    ]
    assert perform(zone, Op(Verb.ALLOC, mt=UNMOVABLE)) != 32
    assert perform(zone, Op(Verb.ALLOC, mt=MOVABLE)) == 32
    assert perform(zone, Op(Verb.ALLOC, 1, mt=MOVABLE)) == 0

    perform(zone, Op(Verb.FREE, 1, 0))
    perform(zone, Op(Verb.FREE, 0, 32))
    perform(zone, Op(Verb.DRAIN))
    assert [list(zone.free_area[4][mt]) for mt in (HIGHATOMIC, CMA)] == [[0], [32]]


def test_isolated_memory_is_not_listed() -> None:
    """It goes to the buddy at once, and what a CPU keeps of the range comes back before."""
    for era in ("2.6.37", "4.10", "5.15", "6.1", "6.12"):
        zone = zone_of(era, pageblock=4, cpus=1)
        pfn = perform(zone, Op(Verb.ALLOC, mt=MOVABLE))
        first = pfn // 16 * 16
        assert perform(zone, Op(Verb.ISOLATE, pfn=first, pages=16)) == 0
        assert kept(zone) == [0]
        assert perform(zone, Op(Verb.FREE, 0, pfn)) == 0
        assert kept(zone) == [0]
        assert list(zone.free_area[4][ISOLATE]) == [first]


def test_a_block_of_2_6_37_leaves_an_isolated_pageblock_by_a_list() -> None:
    """It is listed, its pageblock is isolated while it is nobody's, and the drain trusts the type
    that it had. Later releases read the type again as long as any pageblock is isolated."""
    left = {}
    for era in ("2.6.37", "4.10"):
        zone = zone_of(era, pages=32, pageblock=4, cpus=1, batch=1, high=9)
        pfns = [perform(zone, Op(Verb.ALLOC, mt=MOVABLE)) for _ in range(16)]
        perform(zone, Op(Verb.FREE, 0, pfns[0]))
        first = pfns[0] // 16 * 16
        perform(zone, Op(Verb.ISOLATE, pfn=first, pages=16))
        left[era] = pfns[0] in zone.free_area[0][MOVABLE]
    assert left == {"2.6.37": True, "4.10": False}


def test_huge_blocks_of_6_1_are_on_one_list() -> None:
    """So an unmovable request gets CMA memory; 5.15 and 6.12 tell them apart."""
    got = {}
    for era in SWITCHED:
        zone = zone_of(era, pageblock=4, types=(MOVABLE, CMA, MOVABLE, MOVABLE), cpus=1, high=99)
        pfns = [perform(zone, Op(Verb.ALLOC, 4, mt=MOVABLE)) for _ in range(4)]
        assert sorted(pfns) == [0, 16, 32, 48]
        perform(zone, Op(Verb.FREE, 4, 16))
        got[era] = perform(zone, Op(Verb.ALLOC, 4, mt=UNMOVABLE))
    assert got == {"5.15": -1, "6.1": 16, "6.12": -1}


# --- counts -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("era", "listed", "huge"), [("5.15", 1, 1), ("6.1", 4, 16), ("6.12", 4, 16), ("4.10", 4, 16)]
)
def test_5_15_counts_operations_on_lists(era: str, listed: int, huge: int) -> None:
    """Later, and before, all are counted in frames; so are blocks that no list is for."""
    zone = zone_of(era, pageblock=4, cpus=1)
    for order, due in ((2, listed), (4, huge)):
        before = zone.pgalloc, zone.pgfree
        pfn = perform(zone, Op(Verb.ALLOC, order, mt=MOVABLE))
        perform(zone, Op(Verb.FREE, order, pfn))
        assert (zone.pgalloc - before[0], zone.pgfree - before[1]) == (due, due)

    large = boot(Machine(64, 5, ERAS[era], pageblock=4, cpus=1, batch=4))
    pfn = perform(large, Op(Verb.ALLOC, 5, mt=MOVABLE))
    perform(large, Op(Verb.FREE, 5, pfn))
    assert (large.pgalloc, large.pgfree) == (32, 32)
