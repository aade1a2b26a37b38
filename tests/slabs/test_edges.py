"""What lies at the edge of slabs: numbers no design has, machines too large, runs that are cut."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pagefuzz.cli._entry import run
from pagefuzz.exits import Exit
from pagefuzz.slabs.lockstep import SlabLockstep
from pagefuzz.slabs.replay import replay_slabs
from pagefuzz.slabs.sharing import workload
from pagefuzz.slabs.target import SpecSlabs
from pagefuzz.slabs.twin import TwinSlabFactory
from pageimpl.slab import layout
from pagespec.slab.laws.difference import difference
from pagespec.slab.ops import perform, start
from pagespec.slab.state import Slabs, copy_of_slabs
from pagespec.slab.trace import SlabNames
from pagespec.slab.trace_reader import parse_slabs
from pagespec.slab.verbs import SlabVerb

Capture = pytest.CaptureFixture[str]

HEAD = "pagefuzz-trace 1\nslabs era=5.15 pages=16 top=3 start=1 cpus=2\n"


@pytest.mark.parametrize("word", ["batch=1", "shared=0"])
def test_a_slub_cache_has_no_numbers_of_arrays(word: str) -> None:
    """Such a request is refused, and laws agree that it must be."""
    trace = parse_slabs(f"{HEAD}create cache=1 size=1024 {word}\n")

    for factory in (SpecSlabs, TwinSlabFactory()):
        verdict = replay_slabs(trace, factory)
        assert verdict.broken is None, verdict.broken


def swap_free_blocks(slabs: Slabs) -> None:
    """Let a list of the zone have its first block last."""
    blocks = next(each for area in slabs.zone.free_area for each in area.values() if len(each) > 1)
    blocks.move_to_end(next(iter(blocks)))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda slabs: slabs.caches[1, 0].cpus[1].partial.append(7), "caches[(1, 0)].cpus[1]"),
        (lambda slabs: slabs.held.pop(16384), "held[16384] is None and HeldObject("),
        (lambda slabs: setattr(slabs.stocks[1], "bytes", 8), "stocks[1].bytes is 8 and 0"),
        (lambda slabs: slabs.zone.tag.popitem(), "zone.tag["),
        (swap_free_blocks, "zone.free_area["),
    ],
)
def test_of_two_states_the_first_difference_is_told(
    change: Callable[[Slabs], object], words: str
) -> None:
    """Not the whole cache, let alone the whole zone; the order in lists counts."""
    trace = parse_slabs(
        "pagefuzz-trace 1\nslabs era=6.12 pages=300 top=10 start=1 cpus=2\n"
        "create cache=1 size=1024\na = alloc cache=1\nb,c = allocbulk cache=1 objects=2\n"
    )
    slabs, names = start(trace.machine), SlabNames()
    for request in trace.requests:
        op = names.op_of(request)
        assert op is not None
        names.learn(request, perform(slabs, op), slabs.slots)
    other = copy_of_slabs(slabs)
    change(other)

    told = difference(other, slabs)
    assert told is not None
    assert told.startswith(words)
    assert len(told) < 400


def test_idle_cpus_are_not_flushed_at_the_end() -> None:
    """Of very many CPUs only those that keep something: each request costs a look at all."""
    text = (
        HEAD.replace("cpus=2", "cpus=300") + "create cache=1 size=1024\na = alloc cache=1 cpu=299\n"
    )
    trace = parse_slabs(text)
    lockstep = SlabLockstep(trace.machine, SpecSlabs)
    for request in trace.requests:
        lockstep.step(request.op)
    lockstep.finish()

    flushed = [op.cpu for op, _ in lockstep.done if op.verb is SlabVerb.FLUSH]
    assert flushed == [299]
    assert (lockstep.seen.caches, lockstep.seen.frames) == ({}, {})


def test_memory_that_is_not_there_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Capture
) -> None:
    """A frame of objects takes a frame of the twin's; a zone that is too large is no crash."""

    def none_left(count: int) -> None:
        raise MemoryError(f"Unable to allocate {count * 8} bytes")

    monkeypatch.setattr(layout, "Words", none_left)
    file = tmp_path / "large.trace"
    file.write_text(HEAD)
    code = run(["replay", str(file)])
    out, err = capsys.readouterr()

    assert (code, out) == (Exit.USAGE, "")
    assert "large.trace: pages=16: " in err
    assert "Traceback" not in err


def test_an_interrupted_count_tells_what_it_has(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """The rows so far, what was interrupted, and the seed as the last line."""
    counted: list[int] = []

    def use_of(work: workload.Workload, *rest: object) -> workload.Use:
        if work.groups == 4:
            raise KeyboardInterrupt
        counted.append(work.groups)
        return workload.Use(100, 4096, 2, 200)

    monkeypatch.setattr(workload, "use_of", use_of)
    code = run(["slabs", "--groups", "8", "--seed", "1f"])
    out, err = capsys.readouterr()

    assert code == Exit.INTERRUPTED
    assert counted == [1, 1, 2, 2]
    assert "slabs by groups" in out
    assert out.splitlines()[-1] == "seed 0000001f"
    assert "interrupted" in err


def test_no_folder_is_one_sentence(capsys: Capture) -> None:
    """The empty word is not the folder that one is in."""
    code = run(["slabs", "--groups", "1", "--objects", "1", "--plot", ""])
    out, err = capsys.readouterr()

    assert (code, out) == (Exit.USAGE, "")
    assert "'' is no folder" in err
