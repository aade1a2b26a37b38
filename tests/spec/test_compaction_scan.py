"""The three ways to hold the lock: the same frames at rest, and interrupts off for how long."""

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

import pytest
from tests.spec.compactions import laid_out

from pagespec.compaction.design import SCANS, Scan
from pagespec.compaction.events import Kind
from pagespec.compaction.freescan import isolate_freepages
from pagespec.compaction.ops import perform, steps_of
from pagespec.compaction.state import Compaction, Run, copy_of_compaction
from pagespec.compaction.targets import no_targets
from pagespec.compaction.verbs import CompactionOp, CompactionVerb
from pagespec.frames import SIZES
from pagespec.migratetype import MOVABLE
from pagespec.steps import Step, Steps, run
from pagespec.types import Order, Pfn
from pagespec.zone import Held, lists_of


class Seen(NamedTuple):
    """All that a search for targets leaves behind."""

    targets: list[list[tuple[int, int]]]
    free: Pfn
    lists: object
    types: object
    free_pages: int


def begun(compaction: Compaction, *, free: Pfn, migrate: Pfn, wanted: int) -> Run:
    wants = Run(1, free=free, migrate=migrate, wanted=wanted, sought=1)
    wants.targets = no_targets(compaction)
    compaction.runs.append(wants)
    return wants


def seen(compaction: Compaction, wants: Run) -> Seen:
    zone = compaction.zone
    targets = [[(pfn, order) for pfn, order in blocks] for blocks in wants.targets]
    return Seen(targets, wants.free, lists_of(zone), zone.pageblocks, zone.free_pages)


def searched(compaction: Compaction, *, free: Pfn, migrate: Pfn, wanted: int) -> Seen:
    wants = begun(compaction, free=free, migrate=migrate, wanted=wanted)
    run(isolate_freepages(compaction, wants))
    return seen(compaction, wants)


def zones(
    number: int, era: str, design: str | None = None
) -> Iterator[tuple[str, dict[str, int], dict[Scan, Compaction]]]:
    """Zones at random, each with a place to begin and a need, once for each way to scan."""
    for seed in range(number):
        random = Random(seed)
        pageblock = random.randint(1, 3)
        size, blocks = SIZES[pageblock], random.randint(3, 8)
        length = size * blocks - random.choice([0, 0, 1])
        text = "".join(random.choices(".mu", [random.choice([1, 5]), 2, 1], k=length))
        marks = random.choice([None, 16])
        made = {
            scan: laid_out(text, era, pageblock=pageblock, scan=scan, min_free=marks, design=design)
            for scan in SCANS
        }
        place = {
            "free": size * random.randint(1, blocks - (era != "2.6.37")),
            "migrate": random.randrange(length),
            "wanted": random.randint(1, 2 * size),
        }
        yield text, place, made


@pytest.mark.parametrize("era", ["2.6.37", "4.10", "6.12"])
def test_all_ways_isolate_the_same_frames_at_rest(era: str) -> None:
    """How the lock is held makes no difference if nobody else is there."""
    found = 0
    for text, place, made in zones(150, era):
        first, *others = (searched(compaction, **place) for compaction in made.values())
        assert all(other == first for other in others), (text, place)
        found += any(map(bool, first.targets))
    assert found > 30


def test_the_patch_of_2011_differs_only_where_the_scanners_have_crossed() -> None:
    """At entry with no pageblock in between, 2.6.37 moves the free scanner up, 2.6.39 does not."""
    crossed = 0
    after = (made["rechecks"] for _, _, made in zones(300, "2.6.37", "2.6.39"))
    for (text, place, made), later in zip(zones(300, "2.6.37"), after, strict=True):
        size = SIZES[later.machine.zone.pageblock or 0]
        old, new = searched(made["locked"], **place), searched(later, **place)
        low = place["migrate"] + size
        if place["free"] < low:
            crossed += 1
            assert (old.free, new.free) == (low, place["free"]), (text, place)
            new = new._replace(free=low)
        assert old == new, (text, place)
    assert 30 < crossed < 270


class Window(NamedTuple):
    """Frames and list nodes that were looked at with interrupts off, and free blocks before."""

    visited: int
    blocks: int


def windows(compaction: Compaction, steps: Steps[None]) -> list[int]:
    """How much was looked at under each hold of the lock."""
    held: list[int] = []
    since = 0
    for stop in steps:
        if stop is Step.UNLOCK:
            held.append(compaction.zone.visited - since)
        elif stop is Step.LOCK:
            since = compaction.zone.visited
    return held


def window_of(text: str, era: str, scan: Scan, *, pageblock: int, wanted: int) -> int:
    compaction = laid_out(text, era, pageblock=pageblock, scan=scan)
    end = len(text) if era == "2.6.37" else len(text) - SIZES[pageblock]
    wants = begun(compaction, free=end, migrate=0, wanted=wanted)
    return max(windows(compaction, isolate_freepages(compaction, wants)), default=0)


def test_how_long_interrupts_are_off_is_bounded_by_what_is_held_on_to() -> None:
    """Per pageblock of P frames with F free blocks: 1 + P + 2F, and all of them if locked."""
    for text, place, made in zones(100, "2.6.37"):
        any_zone = made["locked"]
        size = SIZES[any_zone.machine.zone.pageblock or 0]
        heads = sorted(any_zone.zone.tag)
        blocks = [sum(pfn // size == number for pfn in heads) for number in range(len(text))]
        # And one more for each pageblock that half of becomes movable.
        bounds = [1 + size + 2 * count + 1 for count in blocks]
        limits: dict[Scan, int] = {"locked": sum(bounds), "rechecks": max(bounds), "lazy": 66}
        for scan, bound in limits.items():
            compaction = made[scan]
            wants = begun(compaction, **place)
            longest = max(windows(compaction, isolate_freepages(compaction, wants)), default=0)
            assert longest <= bound, (scan, text, place)


def test_the_bounds_are_reached() -> None:
    """Every other frame is free: the whole zone, one pageblock, or 32 frames with 16 free ones."""
    text = ".m" * 128
    # Pageblocks of 64 frames, 2 of them above the one beside the other scanner's; in each are 32
    # free blocks of one frame.
    each = 1 + 64 + 2 * 32

    assert window_of(text, "2.6.37", "locked", pageblock=6, wanted=1000) == 2 * each
    assert window_of(text, "2.6.37", "rechecks", pageblock=6, wanted=1000) == each
    # The frame again, 31 more, and 16 list nodes.
    assert window_of(text, "4.10", "lazy", pageblock=6, wanted=1000) == 1 + 31 + 16


@pytest.mark.parametrize("scan", ["rechecks", "lazy"])
def test_what_was_seen_without_the_lock_is_looked_at_again(scan: Scan) -> None:
    """Somebody allocates all that is free while the scanner waits for the lock."""
    compaction = laid_out("m... .... .m.. .m..", "4.10", scan=scan)
    wants = begun(compaction, free=12, migrate=0, wanted=4)
    steps = isolate_freepages(compaction, wants)
    assert next(steps) is Step.LOCK
    while perform(compaction, CompactionOp(CompactionVerb.ALLOC)) >= 0:
        pass

    run(steps)

    assert compaction.isolated == []
    assert len(compaction.zone.held) == 16


def test_a_block_that_its_holder_frees_while_it_is_isolated_is_freed_once() -> None:
    """At every step of a run, the block is somebody's or is on its way to the lists."""
    whole = CompactionOp(CompactionVerb.COMPACT, whole=True)
    freed_at = 0
    for after in range(40):
        compaction = laid_out("m... .... .... ..m.", "4.10")
        steps = steps_of(compaction, whole)
        stops = sum(1 for _ in zip(range(after), steps, strict=False))
        name = next(
            (
                pfn
                for pfn in (0, *(move.target for move in compaction.moves))
                if pfn in compaction.zone.held
            ),
            None,
        )
        if stops < after or name is None:
            continue
        assert perform(compaction, CompactionOp(CompactionVerb.FREE, pfn=name)) == 0
        freed_at += 1
        run(steps)
        assert sorted(compaction.zone.held) == [14], after
        assert compaction.zone.free_pages == 15
        assert compaction.isolated_lru == 0
        assert compaction.lru == {14}
    assert freed_at > 5


def join(compaction: Compaction, head: Pfn, order: Order) -> None:
    """Let the frames from head on be one block, and its holder one."""
    for pfn in range(head + 1, head + SIZES[order]):
        del compaction.zone.held[pfn]
        compaction.lru.discard(pfn)
    compaction.zone.held[head] = Held(order, 1, compound=True, mt=MOVABLE)


def test_an_interrupt_loses_nothing_to_a_slot_that_is_no_longer_looked_at() -> None:
    """At every step of a request that finds nothing to compact, an interrupt frees a block.

    Whether it is captured or free, it is there for the request.
    """
    taken = []
    for after in range(60):
        compaction = laid_out("uuuu mmmm uuuu uuuu", "5.8")
        join(compaction, 4, 2)
        steps = steps_of(compaction, CompactionOp(CompactionVerb.DIRECT, order=2))
        if sum(1 for _ in zip(range(after), steps, strict=False)) < after:
            break
        free = CompactionOp(CompactionVerb.FREE, pfn=4, order=2, irq=True)
        assert perform(compaction, free) == 0
        taken.append(any(event.kind is Kind.CAPTURED for event in compaction.log))
        got: Pfn | None = run(steps)
        held = sum(SIZES[each.order] for each in compaction.zone.held.values())
        assert held + compaction.zone.free_pages == 16, after
        # Only behind the last look at the lists is it too late.
        assert got == 4 or after == len(taken) - 1, after
        assert compaction.captures == [None]
    assert True in taken
    assert False in taken


def test_what_is_moved_at_a_time_is_counted_in_frames() -> None:
    """Of four blocks of 16 frames two are isolated at once, since 32 frames are enough."""
    top = "u" * 16 + "." * 48
    compaction = laid_out("m" * 64 + 3 * top, "6.12", pageblock=6)
    for head in range(0, 64, 16):
        join(compaction, head, 4)
    most = 0
    for _ in steps_of(compaction, CompactionOp(CompactionVerb.COMPACT, whole=True)):
        most = max(most, compaction.isolated_lru)

    assert most == 32
    # The last first; a block of 32 is cut for the second, whose rest is there for the third.
    assert [move[:2] for move in compaction.moves] == [(16, 208), (0, 224), (48, 240), (32, 144)]


def test_a_copy_shares_nothing() -> None:
    """Also while a run is under way."""
    compaction = laid_out("m.m. .m.. m... ..m.", "6.12")
    steps = steps_of(compaction, CompactionOp(CompactionVerb.COMPACT, whole=True))
    for _ in range(4):
        next(steps)
    copy = copy_of_compaction(compaction)
    assert copy == compaction
    assert compaction.runs

    run(steps)

    assert copy != compaction
    assert copy.runs
    assert not compaction.runs
