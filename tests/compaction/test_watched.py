"""Compaction step by step: laws at every step hold, and windows come near their bounds."""

from itertools import islice
from random import Random

import pytest
from tests.spec.compactions import laid_out

from pagefuzz.compaction.draw import random_compaction
from pagefuzz.compaction.requests import random_mix, random_requests
from pagefuzz.compaction.watched import watch
from pagespec.compaction.laws.windows import Scanner, bound
from pagespec.compaction.ops import perform, start, steps_of
from pagespec.compaction.state import Compaction, copy_of_compaction
from pagespec.compaction.verbs import CompactionOp, CompactionVerb
from pagespec.era import ERAS
from pagespec.laws.law import LawBroken
from pagespec.steps import Step, Steps

WHOLE = CompactionOp(CompactionVerb.COMPACT, whole=True)


@pytest.mark.parametrize("era", ["2.6.37", "2.6.39", "4.10", "5.8", "6.12"])
def test_the_spec_keeps_the_laws_at_every_step(era: str) -> None:
    """And with interrupts off; a watched request is served as one that is not."""
    for number in range(3):
        rng = Random(f"{era} {number}")
        machine = random_compaction(rng, ERAS[era])
        zone = start(machine)
        for op in islice(random_requests(rng, zone, random_mix(rng, machine)), 100):
            alike = copy_of_compaction(zone)
            assert perform(alike, op) == watch(zone, op).outcome
            assert alike == zone


def longest(zone: Compaction, op: CompactionOp, scanner: Scanner) -> tuple[int, int]:
    """The longest window of the scanner, and its bound."""
    most = bound(zone.machine, scanner, strays=bool(zone.strays))
    windows = [each.visited for each in watch(zone, op).windows if each.scanner == scanner]
    return max(windows), most


MOVABLE_BLOCK, PAIRS, ONE_FREE = "m" * 16, "m." * 8, "m" * 15 + "."


def test_a_window_before_2011_grows_with_the_zone() -> None:
    """All pageblocks are walked under one hold of the lock, until there are sixteen frames.

    Each has one: it costs its look, its sixteen frames and two for the one that is taken. Of thirty
    the second walk comes past sixteen that are empty by now; the one that is beside the migrate
    scanner is left out.
    """
    for pageblocks, due in ((10, 10 * 19), (30, 16 * 17 + 13 * 19)):
        zone = laid_out(MOVABLE_BLOCK * 3 + ONE_FREE * pageblocks, "2.6.37", pageblock=4)
        visited, most = longest(zone, WHOLE, "free")
        assert visited == due <= most
    assert visited > 0.8 * most


def test_a_window_after_2011_is_a_pageblock() -> None:
    """Every other frame of it is free: the bound but for the pageblock that changes its type."""
    zone = laid_out(MOVABLE_BLOCK * 2 + PAIRS * 2, "2.6.39", pageblock=4)

    assert longest(zone, WHOLE, "free") == (1 + 16 + 2 * 8, 1 + 2 * 16 + 1)


def test_a_lazy_window_is_32_frames() -> None:
    """Of a pageblock of 64 every other frame is free: again but for a change of type."""
    zone = laid_out("m" * 128 + "m." * 64, "4.10", pageblock=6)

    assert longest(zone, WHOLE._replace(mode="sync"), "free") == (47, 49)


def test_a_stray_order_carries_a_scanner_past_its_stop() -> None:
    """A number that can be an order is stepped over, also past the frame where it would stop.

    The lock is taken at the first frame, and frame 31 seems to head a block of two: so frame 32 is
    never looked at, and the lock is kept to the pageblock's end.
    """
    zone = laid_out("m" * 128 + "." + "m" * 63, "4.10", pageblock=6)
    plain, most = longest(copy_of_compaction(zone), WHOLE, "free")
    assert plain <= most == 49

    zone.strays[128 + 31] = 1
    visited, wider = longest(zone, WHOLE, "free")
    assert most < visited <= wider == 97


@pytest.mark.parametrize(
    ("era", "frames", "pageblock", "due"),
    [("2.6.39", "u" * 128 + "." * 64, 6, 32), ("4.10", "u" * 32 + "m" * 32 + "." * 64, 5, 32)],
)
def test_a_migrate_scanner_is_off_for_32_frames(
    era: str, frames: str, pageblock: int, due: int
) -> None:
    """Where it looks again at the first block, one more at most."""
    visited, most = longest(laid_out(frames, era, pageblock=pageblock), WHOLE, "migrate")

    assert due <= visited <= most <= due + 1


def test_a_list_is_looked_through_at_most_to_its_limit() -> None:
    """Half a pageblock's entries at the beginning of a run: here all of them lie too low."""
    zone = laid_out("m.m.m.m.m.m.m.m." + "m" * 48, "5.8", pageblock=4)
    op = CompactionOp(CompactionVerb.COMPACT, order=4)
    visited, most = longest(zone, op, "lists")

    assert (visited, most) == (8, 18)


def test_dropping_the_lock_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the steps say nothing of a lock, what is isolated is isolated without."""

    def unlocked(compaction: Compaction, op: CompactionOp) -> Steps[int | None]:
        steps = steps_of(compaction, op)
        try:
            while True:
                stop = next(steps)
                if stop is not Step.LOCK:
                    yield stop
        except StopIteration as end:
            value: int | None = end.value
            return value

    monkeypatch.setattr("pagefuzz.compaction.watched.steps_of", unlocked)
    zone = laid_out("mm.. m... u.m. ....", "4.10")

    with pytest.raises(LawBroken, match="CMP-recheck"):
        watch(zone, WHOLE)
