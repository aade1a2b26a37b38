"""Hosts by hand: who serves whom, what is kept from whom, and what is counted."""

import pytest
from tests.spec.hosts import DMA, DMA32, MOVABLE_ZONE, NORMAL, host_of, system_after

from pagespec.events import Kind
from pagespec.host import Host, Numa
from pagespec.migratetype import MOVABLE
from pagespec.pcp.tuning import Doubling
from pagespec.steps import run
from pagespec.system import System, alloc_pages, boot_system, perform
from pagespec.types import NO_MEMORY, BadNode, BadType, Refusal
from pagespec.verbs import Op, Verb

ALLOC, LARGE = Op(Verb.ALLOC, 0), Op(Verb.ALLOC, 3)
TWO_NODES = ((DMA32, 0), (NORMAL, 0), (DMA32, 1), (NORMAL, 1))


def served(system: System, op: Op, times: int) -> int:
    """How many of so many requests are served."""
    return sum(perform(system, op) >= 0 for _ in range(times))


def free_pages(system: System) -> list[int]:
    return [zone.free_pages for zone in system.zones]


def emptied(host: Host, op: Op) -> list[int]:
    """The zones in the order in which requests for all they have come to them."""
    system = boot_system(host)
    order = []
    while (pfn := perform(system, op)) != NO_MEMORY:
        order.append(pfn // 16)
    return list(dict.fromkeys(order))


@pytest.mark.parametrize(
    ("host", "op", "order"),
    [
        (host_of(*TWO_NODES), LARGE, [1, 0, 3, 2]),
        (host_of(*TWO_NODES), LARGE._replace(node=1), [3, 2, 1, 0]),
        (host_of(*TWO_NODES, era="2.6.37", by_zone=True), LARGE, [1, 3, 0, 2]),
        (host_of(*TWO_NODES, era="4.11-rc", by_zone=True), LARGE, [1, 3, 0, 2]),
        (host_of(*TWO_NODES), LARGE._replace(only_node=True), [1, 0]),
        (host_of(*TWO_NODES), LARGE._replace(highest=DMA32, node=1), [2, 0]),
        (
            host_of((NORMAL, 0), (MOVABLE_ZONE, 0)),
            LARGE._replace(highest=MOVABLE_ZONE, mt=MOVABLE),
            [1, 0],
        ),
        (host_of((NORMAL, 0), (MOVABLE_ZONE, 0)), LARGE._replace(mt=MOVABLE), [0]),
    ],
)
def test_zones_are_emptied_in_order(host: Host, op: Op, order: list[int]) -> None:
    """By node or by class; up to the highest; of one node if no other will do."""
    assert emptied(host, op) == order


def test_refusals_of_hosts() -> None:
    """A node without memory; memory for movable blocks alone asked for by another type."""
    system = boot_system(host_of((NORMAL, 0), (MOVABLE_ZONE, 0), cpus=(0, 1)))

    assert perform(system, ALLOC._replace(node=1)) == Refusal.BAD_NODE
    assert perform(system, ALLOC._replace(highest=MOVABLE_ZONE)) == Refusal.BAD_TYPE
    assert perform(system, ALLOC._replace(node=1, cpu=2)) == Refusal.BAD_CPU
    assert perform(system, Op(Verb.BULK, pages=2, node=1)) == Refusal.BAD_NODE
    assert perform(system, Op(Verb.FREE, 0, 99)) == Refusal.OUTSIDE


def test_refusals_of_hosts_name_what_is_to_blame() -> None:
    """The node or the type, not a block that the request does not have."""
    system = boot_system(host_of((NORMAL, 0), (MOVABLE_ZONE, 0)))
    node, apart = ALLOC._replace(node=1), ALLOC._replace(highest=MOVABLE_ZONE)

    with pytest.raises(BadNode, match=r"^node 1: no such node .*; expected "):
        run(alloc_pages(system, node))
    with pytest.raises(BadType, match=r"^type U: no such request .*; expected "):
        run(alloc_pages(system, apart))


# --- what zones keep from whom -----------------------------------------------------------------


def test_dma32_is_kept_from_those_who_could_have_normal_memory() -> None:
    """DMA32 of 500,000 frames keeps 5,859 from requests for 1,500,000 of NORMAL, not from its own.

    Of min_free_kbytes 11,313, the default for so much memory, DMA32's share is 707 frames. Blocks
    of 1,024 are served while free - 1023 is above what is kept: 481 to NORMAL requests, until 7,456
    are left, and 6 more to those for DMA32.
    Source: the worked reserve of 2.6.24 to 6.12 (ratio 256), and the marks of 4.6.
    """
    host = host_of((DMA32, 0), (NORMAL, 0), pages=(500_000, 1_500_000), top=10, min_free=11_313)
    system = boot_system(host)
    low = system.zones[0].levels
    assert low is not None
    assert low.reserve == (0, 0, 5859, 5859)
    assert low.marks.min == 707

    normal = served(system, Op(Verb.ALLOC, 10), 3000)

    assert 500_000 - system.zones[0].free_pages == 481 * 1024
    assert normal - 481 == (1_500_000 - system.zones[1].free_pages) // 1024
    assert served(system, Op(Verb.ALLOC, 10, highest=DMA32), 100) == 6


@pytest.mark.parametrize(("era", "given"), [("2.6.37", 256), ("4.10", 256), ("5.15", 156)])
def test_by_which_class_a_zone_keeps_memory_back(era: str, given: int) -> None:
    """Until 4.19 by that of the first zone on the list, later by the highest that is allowed.

    Near node 0 the first zone is DMA32, for want of a better one. Node 1 has 25,600 frames of
    NORMAL, so its DMA32 keeps 100 from requests for NORMAL, and none from those for DMA32.
    """
    host = host_of(
        (DMA32, 0),
        (DMA32, 1),
        (NORMAL, 1),
        era=era,
        pages=(16, 256, 25_600),
        top=10,
        min_free=0,
    )
    system = boot_system(host)
    assert perform(system, Op(Verb.ALLOC, 4)) == 0
    assert served(system, Op(Verb.ALLOC, 10), 25) == 25
    assert free_pages(system) == [0, 256, 0]

    assert served(system, ALLOC, 300) == given


def test_nothing_is_kept_in_the_oldest_era() -> None:
    """2.6.8 has no such reserve by default."""
    host = host_of((DMA, 0), (NORMAL, 0), era="2.6.8", pages=(256, 25_600), top=10, min_free=0)
    levels = boot_system(host).zones[0].levels

    assert levels is not None
    assert levels.reserve == (0, 0, 0, 0)


def test_marks_of_a_host_share_one_number() -> None:
    """Of 16,384 KiB, 4,096 frames, each of two equal zones has 2,048; the gap is a thousandth.

    Source: the worked marks of a zone of 1,048,576 frames: 2,048, 3,096, 4,144.
    """
    host = host_of((NORMAL, 0), (NORMAL, 1), pages=1 << 20, top=10, min_free=16_384)

    for zone in boot_system(host).zones:
        assert zone.levels is not None
        assert zone.levels.marks == (2048, 3096, 4144)


def test_memory_for_movable_blocks_takes_no_share_in_the_newest_era() -> None:
    """It keeps a thousandth, 32 frames at least: of 65,536 frames 64; the rest shares as if alone.

    The gaps follow the share that it would have, or a thousandth.
    """
    shapes = {"6.1": [(256, 321, 386), (256, 321, 386)], "6.12": [(512, 640, 768), (64, 192, 320)]}
    for era, marks in shapes.items():
        places = ((NORMAL, 0), (MOVABLE_ZONE, 0))
        host = host_of(*places, era=era, pages=1 << 16, top=10, min_free=2048)

        got = [zone.levels and tuple(zone.levels.marks) for zone in boot_system(host).zones]
        assert got == marks


def test_the_newest_era_tries_the_high_mark_first() -> None:
    """A zone that is not above it serves all the same, above its low mark, and is remembered.

    Marks are 8, 10 and 12 of 64 frames each; the 53rd request finds 12 frames left.
    """
    for era, remembers in (("6.1", False), ("6.12", True)):
        host = host_of((NORMAL, 0), (NORMAL, 1), era=era, pages=64, min_free=64)
        system = boot_system(host)
        levels = system.zones[0].levels
        assert levels is not None
        assert tuple(levels.marks) == (8, 10, 12)

        assert served(system, ALLOC, 52) == 52
        assert not levels.below_high
        assert served(system, ALLOC, 2) == 2
        assert levels.below_high is remembers
        assert free_pages(system) == [10, 64]
        # At its low mark the other node serves, and kswapd sleeps.
        assert perform(system, ALLOC) == 64
        assert not levels.reclaiming


def test_low_marks_before_far_memory_and_far_memory_before_the_reserve() -> None:
    """All zones are tried against their low marks before any is tried against its lowest one."""
    system = boot_system(host_of((NORMAL, 0), (NORMAL, 1), pages=64, min_free=64))

    assert served(system, ALLOC, 54) == 54
    assert free_pages(system) == [10, 64]
    assert served(system, ALLOC, 54) == 54
    assert free_pages(system) == [10, 10]
    assert served(system, ALLOC, 9) == 4
    assert free_pages(system) == [8, 8]
    assert all(zone.levels and zone.levels.reclaiming for zone in system.zones)
    # Urgent requests may have three eighths of the rest: 8 - 4 - 1 are kept.
    assert served(system, ALLOC._replace(atomic=True), 99) == 10
    assert free_pages(system) == [3, 3]


# --- CPUs, near and far ------------------------------------------------------------------------

LISTS = {"batch": 2, "high": 9}


def listed(system: System, cpu: int) -> list[int]:
    """What the CPU keeps of each zone."""
    return [zone.pcps[cpu][0].count for zone in system.zones]


def test_what_a_cpu_keeps_of_a_far_node_expires() -> None:
    """A batch of each far zone goes back, nothing of its own node's."""
    system = system_after(host_of((NORMAL, 0), (NORMAL, 1), cpus=(0, 1), machine=LISTS))
    for node, cpu in ((0, 1), (0, 1), (0, 1), (1, 1)):
        perform(system, ALLOC._replace(node=node, cpu=cpu))
    for pfn in (0, 1, 2, 16):
        perform(system, Op(Verb.FREE, 0, pfn, cpu=1))
    assert listed(system, 1) == [4, 2]

    assert perform(system, Op(Verb.EXPIRE, cpu=1)) == 0
    assert listed(system, 1) == [2, 2]
    assert perform(system, Op(Verb.EXPIRE, cpu=0)) == 0
    assert listed(system, 1) == [2, 2]


def test_high_is_shared_by_the_cpus_of_the_zones_node() -> None:
    """A low mark of 3,096 is 774 frames for each of four CPUs, 1,548 for each of two.

    A node without CPUs is shared by all six. When one is unplugged the others have more.
    Source: the worked sizes of a zone of 1,048,576 frames and four CPUs, 5.14 to 6.12.
    """
    host = host_of(
        (NORMAL, 0),
        (NORMAL, 1),
        (NORMAL, 2),
        cpus=(0, 0, 0, 0, 1, 1),
        pages=1 << 20,
        top=10,
        min_free=24_576,
    )
    system = boot_system(host)

    def highs() -> list[int]:
        loads = [zone.pcps[0][0].load for zone in system.zones]
        return [load.high for load in loads if isinstance(load, Doubling)]

    assert highs() == [774, 1548, 516]
    assert perform(system, Op(Verb.UNPLUG, cpu=3)) == 0
    assert highs() == [1032, 1548, 619]
    assert perform(system, Op(Verb.PLUG, cpu=3)) == 0
    assert highs() == [774, 1548, 516]


def test_all_zones_are_drained_and_rest() -> None:
    """A CPU's lists of all zones go back at once, and kswapd sleeps on every node."""
    host = host_of((NORMAL, 0), (NORMAL, 1), cpus=(0, 1), machine=LISTS, min_free=0)
    system = boot_system(host)
    for node in (0, 1):
        perform(system, ALLOC._replace(node=node))
    assert listed(system, 0) == [1, 1]
    for zone in system.zones:
        assert zone.levels is not None
        zone.levels.reclaiming = True

    assert perform(system, Op(Verb.DRAIN)) == perform(system, Op(Verb.REST)) == 0
    assert listed(system, 0) == [0, 0]
    assert not any(zone.levels and zone.levels.reclaiming for zone in system.zones)


# --- what is counted ---------------------------------------------------------------------------


def test_hits_misses_and_foreign() -> None:
    """By the node that was meant, and by the CPU that asked; blocks count once, of any order."""
    system = boot_system(host_of((NORMAL, 0), (NORMAL, 1), cpus=(0, 1)))

    assert perform(system, LARGE._replace(cpu=0)) == 0
    assert system.numa == [Numa(hit=1, local=1), Numa()]
    assert perform(system, LARGE._replace(cpu=1)) == 8
    assert system.numa == [Numa(hit=2, local=1, other=1), Numa()]
    # Node 0 has nothing left: node 1 serves, and it is the CPU's own.
    assert perform(system, LARGE._replace(cpu=1)) == 16
    assert system.numa == [
        Numa(hit=2, foreign=1, local=1, other=1),
        Numa(miss=1, local=1),
    ]
    assert perform(system, LARGE._replace(cpu=0)) == 24
    assert system.numa[1] == Numa(miss=2, local=1, other=1)
    # What fails is not counted, nor what is freed.
    before = system.numa.copy()
    assert perform(system, LARGE) == NO_MEMORY
    assert perform(system, Op(Verb.FREE, 3, 0)) == 0
    assert system.numa == before


def test_a_lower_zone_of_the_node_is_a_hit() -> None:
    """What is meant is a node, not a zone."""
    system = boot_system(host_of((DMA32, 0), (NORMAL, 0), (NORMAL, 1)))

    assert served(system, LARGE, 5) == 5
    places = [(Kind.LOWER, 0), (Kind.LOWER, 0), (Kind.FAR, 2)]
    logs = [event for zone in system.zones for event in zone.log]
    assert [event[:2] for event in logs if event.kind in (Kind.LOWER, Kind.FAR)] == places
    assert [each.hit for each in system.numa] == [2, 2, 0]
    assert [each.foreign for each in system.numa] == [0, 1, 0]
    assert system.numa[2].miss == 1


def test_a_kernel_for_one_node_counts_nothing() -> None:
    """CONFIG_NUMA=n."""
    system = boot_system(host_of((NORMAL, 0), numa=False))

    assert served(system, LARGE, 3) == 2
    assert system.numa == [Numa()]


def test_an_array_counts_each_frame() -> None:
    """Five slots filled at once are five hits; the one that is asked for alone is counted too."""
    system = boot_system(host_of((NORMAL, 0), (NORMAL, 1), cpus=(0, 1), machine=LISTS))

    assert perform(system, Op(Verb.BULK, pages=5, node=1)) == 5
    assert system.numa == [Numa(), Numa(hit=5, other=5)]
    assert perform(system, Op(Verb.BULK, pages=6)) == 6
    assert system.numa == [Numa(hit=1, local=1), Numa(hit=5, other=5)]


def test_an_array_is_filled_by_the_first_near_zone_with_room() -> None:
    """None behind another node's is asked; without room one frame comes in the ordinary way.

    Marks of each zone are 2, 2 and 2 of 16 frames: with six slots to fill 9 must be there.
    """
    host = host_of(*TWO_NODES, cpus=(0, 1), machine=LISTS, min_free=32)
    system = boot_system(host)
    past_lists = LARGE._replace(contended=True)
    assert perform(system, past_lists) == 16
    assert perform(system, Op(Verb.BULK, pages=6)) == 6
    assert len(system.zones[0].slots) == 6

    assert perform(system, past_lists) == 8
    assert perform(system, Op(Verb.BULK, pages=12)) == 7
    assert [len(zone.slots) for zone in system.zones] == [6, 1, 0, 0]
