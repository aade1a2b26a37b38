"""The description of a host: what it may be, and the sentence for what it may not."""

from dataclasses import replace

import pytest
from tests.spec.hosts import DMA, DMA32, MOVABLE_ZONE, NORMAL, host_of

from pagespec.era import ERAS
from pagespec.host import Host, Part
from pagespec.machine import Machine
from pagespec.nearest import zonelist
from pagespec.types import DomainError, ZoneClass


def part(zone_class: ZoneClass = NORMAL, node: int = 0, start: int = 0, **machine: object) -> Part:
    shape: dict[str, object] = {"pages": 16, "top": 3, "era": ERAS["6.1"], "start": start}
    return Part(zone_class, node, Machine(**shape | machine))  # type: ignore[arg-type]


BAD: list[tuple[tuple[Part, ...], dict[str, object], str]] = [
    ((), {}, "a host has no zone; expected one at least"),
    ((part(), part(DMA32, start=8)), {}, "zone at frame 8: expected 16 or more, where the one"),
    ((part(), part(start=16)), {}, "node 0 has two zones NORMAL; expected one"),
    ((part(MOVABLE_ZONE),), {}, "all zones are MOVABLE; expected one for the kernel's own use"),
    ((part(node=64),), {}, "zone at frame 0 is of node 64; expected 0 to 63"),
    (
        (part(), part(node=1, start=16, era=ERAS["6.12"])),
        {},
        "zone at frame 16 is of era 6.12; expected 6.1",
    ),
    (
        (part(), part(node=1, start=16, top=2)),
        {},
        "zone at frame 16 has top=2, pageblock=None; expected top=3, pageblock=None as in the",
    ),
    ((part(min_free=8),), {}, "zone at frame 0 says min_free; expected the host to"),
    (
        (part(cpus=2),),
        {"cpus": (0,)},
        "zone at frame 0 has cpus=2, far=[]; expected cpus=1, far=[]",
    ),
    (
        (part(cpus=1),),
        {"cpus": (1,)},
        "zone at frame 0 has cpus=1, far=[]; expected cpus=1, far=[0",
    ),
    ((part(DMA32, era=ERAS["2.6.11"]),), {}, "zone at frame 0: era 2.6.11 has no zone DMA32"),
    ((part(),), {"cpus": (99,)}, "zone at frame 0 has cpus=0, far=[]; expected cpus=1, far=[0]"),
    ((part(),), {"min_free": -1}, "min_free=-1: expected KiB from 0 to 4294967295"),
    ((part(),), {"ratios": (256, 0, 32)}, "ratios=256,0,32: expected 3 numbers from 1 to"),
    ((part(),), {"ratios": (256, 32)}, "ratios=256,32: expected 3 numbers from 1 to"),
    (
        (part(era=ERAS["2.6.8"]),),
        {"ratios": (1, 1, 1)},
        "era 2.6.8 keeps no low memory; expected no ratios",
    ),
    ((part(),), {"by_zone": True}, "era 6.1 tries zones by node only; expected no byzone=1"),
    ((part(), part(node=1, start=16)), {"numa": False}, "2 nodes without NUMA; expected one"),
]


@pytest.mark.parametrize(("parts", "host", "sentence"), BAD, ids=[bad[2][:40] for bad in BAD])
def test_a_bad_host_gets_one_sentence(
    parts: tuple[Part, ...], host: dict[str, object], sentence: str
) -> None:
    """It says what is wrong, with the value, and what was expected."""
    with pytest.raises(DomainError) as caught:
        Host(parts, **host)  # type: ignore[arg-type]

    assert str(caught.value).startswith(sentence)


TWO_NODES = ((DMA32, 0), (NORMAL, 0), (DMA32, 1), (NORMAL, 1))


def test_zones_by_node() -> None:
    """All of the own node before any of the other, the higher class first."""
    host = host_of(*TWO_NODES, era="4.10")

    assert zonelist(host, 0, NORMAL) == [1, 0, 3, 2]
    assert zonelist(host, 1, NORMAL) == [3, 2, 1, 0]


def test_zones_by_class() -> None:
    """Every node's higher zone before any lower one (numa_zonelist_order=zone)."""
    host = host_of(*TWO_NODES, era="4.10", by_zone=True)

    assert zonelist(host, 0, NORMAL) == [1, 3, 0, 2]
    assert zonelist(host, 1, NORMAL) == [3, 1, 2, 0]


def test_zones_up_to_a_class_and_of_one_node() -> None:
    """What a request does not allow is not on its list."""
    host = host_of(*TWO_NODES)

    assert zonelist(host, 1, DMA32) == [2, 0]
    assert zonelist(host, 1, DMA) == []
    assert zonelist(host, 1, NORMAL, only_node=True) == [3, 2]


def test_nodes_that_follow_come_first() -> None:
    """Of nodes equally far the next ones, so that not all fall back to the first."""
    host = host_of((NORMAL, 0), (NORMAL, 1), (NORMAL, 2), (NORMAL, 3), cpus=(0, 1, 2, 3))

    assert zonelist(host, 0, NORMAL) == [0, 1, 2, 3]
    assert zonelist(host, 1, NORMAL) == [1, 2, 3, 0]
    assert zonelist(host, 3, NORMAL) == [3, 0, 1, 2]


def test_a_node_without_cpus_comes_first() -> None:
    """Nobody there needs its memory."""
    host = host_of((NORMAL, 0), (NORMAL, 1), (NORMAL, 2), cpus=(0, 1))

    assert zonelist(host, 0, NORMAL) == [0, 2, 1]


def test_nodes_are_those_with_memory() -> None:
    """A node that has CPUs alone is none to ask for."""
    host = host_of((NORMAL, 3), (MOVABLE_ZONE, 1), cpus=(0, 3))

    assert host.nodes == (1, 3)
    assert replace(host, numa=True).era.name == "6.1"
