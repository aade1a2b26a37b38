"""Operations keep the discipline of steps, and its check finds what breaks it."""

from pathlib import Path

import pytest
from tests.spec.discipline import faults, operations

import pagespec
from pagespec.steps import Step, Steps, run

ROOT = Path(pagespec.__path__[0])
SOURCES = sorted(ROOT.rglob("*.py"))

SOUND = """
def free(zone, pfn) -> Steps[None]:
    piece = 3
    while piece >= 0:
        yield Step.LOCK
        left: int = yield from give_back(zone, pfn)
        got = yield Step.UNLOCK
        piece -= 1
    for order in range(3):
        log(order)

def runs(frames) -> Iterator[int]:
    for frame in frames:
        yield frame
"""
LOOP = "a for loop around a yield keeps an iterator"
INSIDE = "a yield inside an expression keeps operands on the stack"
OUTSIDE = "a name from outside the operation is no local of it"

PLANTED = {
    "for piece in pieces:\n        yield Step.LOCK": LOOP,
    "for piece in pieces:\n        if piece:\n            yield from f(piece)": LOOP,
    "with lock:\n        yield Step.LOCK": "a with block around a yield keeps a context manager",
    "try:\n        yield Step.LOCK\n    finally:\n        f()": "a try block around a yield acts "
    "when the operation is abandoned",
    "x = 1 + (yield Step.LOCK)": INSIDE,
    "return (yield from f())": INSIDE,
    "f(zone, (yield Step.LOCK))": INSIDE,
    "if (yield Step.LOCK):\n        pass": INSIDE,
    "while (x := (yield Step.LOCK)):\n        pass": INSIDE,
    "zone.held[pfn] = yield Step.LOCK": INSIDE,
    "x = y = yield Step.LOCK": INSIDE,
    "x += yield Step.LOCK": INSIDE,
    "yield (yield Step.LOCK)": INSIDE,
    "yield from steps": "yield from takes a call, not a generator that lives elsewhere",
    "global x\n    yield Step.LOCK": OUTSIDE,
    "nonlocal x\n    yield Step.LOCK": OUTSIDE,
}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_operations_keep_the_discipline(path: Path) -> None:
    """All state that lives across a yield is in named locals or in the zone."""
    assert faults(path.read_text()) == []


OPERATIONS = {
    "alloc": ["alloc_pages", "give_back", "free_pages", "get_page", "put_page", "split_page"],
    "compaction/capture": ["drain_own", "free_block", "give_back_captured"],
    "compaction/freescan": [
        *("walk_by_frames", "walk_by_pageblocks", "isolate_freepages", "isolate_range"),
    ],
    "compaction/migrate": ["put_back", "migrate"],
    "compaction/ops": [
        *("_alloc", "_free", "_pin", "_unpin", "_stray", "_compact", "_direct", "_background"),
        *("_claim", "_drain_all", "_rest"),
    ],
    "compaction/run": [
        *("compact_zone", "release_targets", "allocate", "compact_for", "work_in_background"),
    ],
    "compaction/scan": ["scan_frames", "scan_pageblock"],
    "compaction/seek": ["seek", "scan_around"],
    "compaction/sources": [
        *("scan_sources", "isolate_by_frames", "isolate_by_pageblocks", "isolate_migratepages"),
    ],
    "contig": ["isolate_range", "_isolate", "restore_range", "_restore", "alloc_contig"],
    "pcp/cpus": [
        *("drain_cpu", "_drain", "drain_all", "disable", "enable"),
        *(
            "age",
            "_age",
            "expire",
            "_expire",
            "_read_out",
            "_read_out_cells",
            "refresh",
            "unplug",
            "plug",
        ),
    ],
    "pcp/lists": ["alloc_from_list", "refill_list", "take_from_list", "free_to_list"],
    "pcp/resize": ["measure", "resize", "retune", "set_sizes"],
    "zonelist": ["take_block", "get_page_from_freelist", "serve", "rest"],
    "bulk": ["alloc_pages_bulk", "fill_from_lists"],
    "system": ["alloc_pages", "alloc_pages_bulk", "unreserve_first", "each_zone", "expire"],
    "highatomic": ["unreserve"],
    "places": ["poison", "heal", "offline", "online"],
    "tally": ["count_allocated", "count_freed"],
    "slab/array": ["take", "take_bulk", "give", "_take", "refill", "grow", "_give"],
    "slab/bulk": [
        *("alloc_bulk", "undo", "free_detached", "give_chain", "uncharge_each", "free_each"),
        "free_together",
    ],
    "slab/charge": ["charge_before", "charge_after", "forget", "uncharge"],
    "slab/growing": ["new_slab", "discard_slab", "discard_slabs"],
    "slab/objects": ["alloc_object", "free_object", "alloc_large", "free_large", "release"],
    "slab/ops": [
        *("_create", "_destroy", "_shrink", "_alloc", "_free", "_alloc_bulk", "_free_bulk"),
        *("_large", "_release", "_flush", "_reap", "_group", "_offline"),
    ],
    "slab/partial": [
        *("let_in", "shut_out", "keep_partial", "unfreeze", "unfreeze_all", "take_from_node"),
        "deactivate",
    ],
    "slab/reap": ["flush", "shrink", "reap", "give_up_empty", "_drain", "_return"],
    "slab/slub": [
        *("take", "take_slowly", "find_slab", "replace_slab", "give_up_slab", "give"),
        *("give_slowly", "flush", "take_bulk"),
    ],
    "slab/slub_upkeep": ["shrink"],
    "slab/stock": ["charge_bytes", "uncharge_bytes", "_refill"],
    "slab/upkeep": ["flush_cpu", "reap_cpu", "shrink", "release_all", "destroy", "offline"],
    "vmstat/count": ["count", "count_anywhere"],
    "vmstat/ops": [
        *("_change", "_land", "_refresh", "_unplug", "_plug", "_wake", "_rest"),
        *("_min_free", "_resize", "_read", "_check", "_take", "_count", "_numa"),
    ],
    "vmstat/refresh": ["refresh"],
    "vmstat/retune": ["unplug"],
    "vmstat/update": ["change", "change_by_exchange", "change_plainly"],
}


def test_the_operations_are_found() -> None:
    """The check above is not vacuous: these are the operations that it has read, and all."""
    found = {
        path.relative_to(ROOT).with_suffix("").as_posix(): operations(path.read_text())
        for path in SOURCES
    }

    assert {name: names for name, names in found.items() if names} == OPERATIONS


@pytest.mark.parametrize("body", PLANTED, ids=PLANTED.keys())
def test_planted_violations_are_found(body: str) -> None:
    """Each way to hide state across a yield is named, on its line."""
    source = f"def outer(x):\n  def op(zone, pfn) -> Steps[None]:\n    {body}\n"

    assert [fault.partition(": ")[2] for fault in faults(source)] == [PLANTED[body]]


def test_what_is_allowed_is_allowed() -> None:
    """Loops without a yield, named results, and iterators that are no operations."""
    assert faults(SOUND) == []
    assert operations(SOUND) == ["free"]


def test_an_operation_cannot_hide_its_kind() -> None:
    """A generator that yields steps says so in its type, so that the check reads it."""
    assert faults("def f(zone) -> Iterator[Step]:\n    yield Step.LOCK\n") != []
    assert faults("f = lambda: (yield Step.LOCK)\n") != []


def test_run_goes_to_the_end_and_returns_the_value() -> None:
    """The sequential allocator is the operation with nothing in between."""
    passed: list[Step] = []

    def operation() -> Steps[int]:
        passed.append(Step.LOCK)
        yield Step.LOCK
        passed.append(Step.UNLOCK)
        yield Step.UNLOCK
        return 7

    assert run(operation()) == 7
    assert passed == [Step.LOCK, Step.UNLOCK]
