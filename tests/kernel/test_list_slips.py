"""Slips in the spec's own arithmetic: a bundled trace notices each, by the law that fits.

Traces judge the spec as much as a kernel: each slip is put where the replay asks the spec.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from tests.kernel.material import BUNDLED

from pagefuzz.kernel import check_run
from pagefuzz.kernel.findings import DRAIN, LIFO, REFILL
from pagefuzz.kernel.percpu import doubling, drains, lifo, lists, refills, tuned
from pagefuzz.kernel.percpu.records import blocks_of_batch
from pagespec.era import ERAS
from pagespec.machine import Machine
from pagespec.migratetype import MOVABLE, MigrateType
from pagespec.pcp import index, tuning
from pagespec.pcp.drain import from_preferred
from pagespec.pcp.lists import blocks_to_refill
from pagespec.pcp.state import empty_pcp
from pagespec.pcp.tuning import SCALE, Doubling, Freed, Pressure, Tuned
from pagespec.zone import empty_zone

OLD, NEW = BUNDLED


def from_the_first(
    lengths: Sequence[int], pages: int, sizes: Sequence[int], preferred: int
) -> Iterator[int]:
    return from_preferred(lengths, pages, sizes, 0)


def without_types(rule: index.ListRule, order: int, mt: MigrateType) -> int:
    return index.list_index(rule, order, MOVABLE)


def only_single_frames(rule: index.ListRule, order: int, huge: int) -> bool:
    return order == 0


def rounded_down(batch: int, order: int) -> int:
    return max(batch >> order, 1)


def never_flushes(load: Doubling, order: int) -> bool:
    return False


def always_flushes(load: Doubling, order: int) -> bool:
    return 1 <= order <= index.COSTLY


def drains_a_batch(load: Doubling, count: int, zone: Pressure, *, free_high: bool = False) -> int:
    return count if free_high else load.batch


def drains_at_a_batch_more(load: Doubling, zone: Pressure) -> int:
    return tuning.high_of(load, zone) + load.batch


def never_doubles(load: Tuned, order: int, count: int, zone: Pressure) -> tuple[int, Tuned]:
    blocks, after = tuning.refill(load._replace(factor=0), order, count, zone)
    return blocks, after._replace(factor=0)


def doubles_at_once(load: Tuned, order: int, count: int, zone: Pressure) -> tuple[int, Tuned]:
    return tuning.refill(load._replace(factor=min(load.factor + 1, SCALE)), order, count, zone)


def never_flushes_anew(load: Tuned, order: int, count: int, zone: Pressure) -> Freed:
    return tuning.freed(load._replace(high_order=False), order, count, zone)


def flushes_half(load: Tuned, order: int, count: int, zone: Pressure) -> Freed:
    found = tuning.freed(load, order, count, zone)
    return found._replace(drain=found.drain // 2) if order else found


Slip = tuple[Path, object, str, Callable[..., object], str]

SLIPS: list[Slip] = [
    (OLD, drains, "from_preferred", from_the_first, DRAIN),
    (NEW, drains, "from_preferred", from_the_first, DRAIN),
    (OLD, lifo, "list_index", without_types, LIFO),
    (NEW, lifo, "list_index", without_types, LIFO),
    (OLD, lists, "is_kept", only_single_frames, DRAIN),
    (OLD, doubling, "blocks_of_batch", rounded_down, REFILL),
    (OLD, doubling, "frees_high", never_flushes, DRAIN),
    (OLD, doubling, "frees_high", always_flushes, DRAIN),
    (OLD, doubling, "drain_of", drains_a_batch, DRAIN),
    (OLD, doubling, "high_of", drains_at_a_batch_more, DRAIN),
    (NEW, tuned, "refill", never_doubles, REFILL),
    (NEW, tuned, "refill", doubles_at_once, REFILL),
    (NEW, tuned, "freed", never_flushes_anew, DRAIN),
    (NEW, tuned, "freed", flushes_half, DRAIN),
]


@pytest.mark.parametrize(
    ("trace", "room", "name", "slip", "law"),
    SLIPS,
    ids=[f"{slip[0].parent.name}-{slip[3].__name__}" for slip in SLIPS],
)
def test_a_slip_is_noticed(
    trace: Path,
    room: object,
    name: str,
    slip: Callable[..., object],
    law: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(room, name, slip)
    if room is lifo:
        monkeypatch.setattr(refills, name, slip)
    assert law in {each.law for each in check_run(trace).findings.broken}


def test_a_batch_is_as_many_blocks_as_the_spec_asks_for() -> None:
    machine = Machine(pages=16, top=3, pageblock=2, era=ERAS["6.1"], cpus=1)
    zone = empty_zone(machine)
    for batch in range(1, 64):
        for order in range(11):
            pcp = empty_pcp(machine, Doubling(4 * batch, batch))
            assert blocks_of_batch(batch, order) == blocks_to_refill(zone, pcp, order)
