"""Whether all ways to hold the lock isolate the same frames of a zone at rest.

Random zones are laid out by a kernel and walked by the free scanner in three ways, each on a copy:
with one lock throughout (2.6.37), with a lock for each pageblock and a second look (2.6.39), and
with a lock taken at the first free block, which stops as soon as there is enough. The first two
must leave the same zone and the same list. They differ in one respect only, where there is nothing
to walk: the older moves its position up to one pageblock above the other scanner, the newer leaves
it. What the third isolates is how the others begin, and as much as was wanted or all there is.

    python -m pagefuzz.compaction.variants [ZONES [SEED]]

All kernels of it stand in this file: numba looks at one file's text to know what is stale.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from time import perf_counter
from typing import NamedTuple

import numpy as np

from pagefuzz.report import console
from pageimpl.alloc import free_pages
from pageimpl.compaction.choices import BOUND_LOW, BOUND_LOW_OR_START, LAZY, LOCKED, RECHECKS
from pageimpl.compaction.freescan import isolate_freepages
from pageimpl.compaction.lists import forget_targets
from pageimpl.compaction.state import (
    NONE,
    CompactionMemory,
    first_target_of,
    free_of,
    migrate_of,
    next_target_of,
    set_free,
    set_free_bound,
    set_migrate,
    set_scan,
    set_stops_within,
    set_wanted,
    target_pages_of,
    wanted_of,
    zone_of,
)
from pageimpl.compaction.twin import CompactionTwin
from pageimpl.dice import HIGH, LOW, draw_below
from pageimpl.jitcache import kernel
from pageimpl.memory import Words, mark_of, set_word, shift_of
from pageimpl.migratetype import MOVABLE, RESERVE, UNMOVABLE
from pageimpl.pageblock import set_pageblock_type
from pageimpl.source import installed_modules
from pageimpl.watermark.levels import MARK_LOW
from pagespec.compaction.machine import CompactionMachine
from pagespec.era import ERAS
from pagespec.frames import SIZES
from pagespec.laws.law import LawBroken
from pagespec.machine import Machine
from pagespec.verbs import Op, Verb

ZONES = 1_000_000
"""The zones of a campaign."""

TOP, MIN_FREE = 6, 24
EVERY = 10_000

SHAPES = ((64, 2, 0), (96, 3, 5), (250, 3, 3), (256, 4, 16), (40, 4, 12), (320, 6, 0))
"""Zones to lay out: their frames, the order of a pageblock, and their first frame.

In the last a pageblock has 64 frames, so that a lock is released within it.
"""

ADDRESSES = 5 * 8
"""The bytes at the start of compaction's memory that are addresses, each memory's own."""


class Way(NamedTuple):
    """How the free scanner walks, by the words of its design."""

    scan: int
    bound: int
    stops: int


WAYS = (
    Way(LOCKED, BOUND_LOW, 0),
    Way(RECHECKS, BOUND_LOW_OR_START, 0),
    Way(LAZY, BOUND_LOW_OR_START, 1),
)
"""The three ways, in the order in which they are compared."""


@kernel
def lay_out(mem: CompactionMemory, dice: Words, pages: int, start: int, order: int) -> None:
    """Free some of a zone whose frames are all held, by pageblocks of random types and density."""
    zone = zone_of(mem)
    size = 1 << order
    first = start - start % size
    for block in range(first, start + pages, size):
        drawn = draw_below(dice, 8)
        mt = UNMOVABLE if drawn == 0 else RESERVE if drawn == 1 else MOVABLE
        set_pageblock_type(zone, max(block, start) + shift_of(zone), mt)
    for block in range(first, start + pages, size):
        density = draw_below(dice, 5) * 256
        for pfn in range(max(block, start), min(block + size, start + pages)):
            if draw_below(dice, 1024) < density:
                free_pages(zone, pfn, 0, 0)
    forget_targets(mem)
    place(mem, dice, pages, start, order)


@kernel
def place(mem: CompactionMemory, dice: Words, pages: int, start: int, order: int) -> None:
    """Let both scanners stand somewhere, and want some frames."""
    size = 1 << order
    blocks = pages // size + 1
    top = start + pages
    # Mostly near the ends, where there is something to walk.
    away = draw_below(dice, blocks) if draw_below(dice, 8) == 0 else draw_below(dice, 2)
    set_free(mem, top - top % size - away * size)
    set_migrate(mem, start + draw_below(dice, pages if draw_below(dice, 8) == 0 else pages // 2))
    set_wanted(mem, 1 + draw_below(dice, 32))


@kernel
def walk(mem: CompactionMemory, scan: int, bound: int, stops: int) -> None:
    """Walk the zone in one of the ways."""
    set_scan(mem, scan)
    set_free_bound(mem, bound)
    set_stops_within(mem, stops)
    isolate_freepages(mem)


@kernel
def is_beginning(one: CompactionMemory, other: CompactionMemory) -> bool:
    """Whether the frames that one has isolated are the first that the other has.

    The list begins with what was isolated last.
    """
    p, q = first_target_of(one, 0), first_target_of(other, 0)
    for _ in range(target_pages_of(other) - target_pages_of(one)):
        q = next_target_of(other, q)
    while p == q and p != NONE:
        p, q = next_target_of(one, p), next_target_of(other, q)
    return p == q


@dataclass(slots=True)
class Seen:
    """What came of a campaign.

    frames: what the first way isolated. near: zones so near their mark that the scanner may have
    been refused a block. apart: those in which the first two ways leave their scanner at different
    places. short: those in which the third stopped early.
    """

    zones: int = 0
    frames: int = 0
    near: int = 0
    apart: int = 0
    short: int = 0


class Layout:
    """Zones of one shape, laid out and walked in three ways."""

    def __init__(self, pages: int, pageblock: int, start: int, ways: Sequence[Way]) -> None:
        self.pages, self.pageblock, self.start = pages, pageblock, start
        self.size, self.ways = SIZES[pageblock], ways
        era = ERAS["2.6.37"]
        zone = Machine(pages, TOP, era, start=start, pageblock=pageblock, min_free=MIN_FREE)
        self.twins = [CompactionTwin(CompactionMachine(zone)) for _ in ways]
        for _ in range(pages):
            # Without an emergency the mark would keep the last ones.
            self.twins[0].zone.perform(Op(Verb.ALLOC, emergency=True))
        self.operands = [installed_modules().operand(twin.memory) for twin in self.twins]
        self.held = self.twins[0].zone.memory.array.copy()
        self.idle = self.twins[0].memory.array.copy()

    def run(self, dice: Words, seen: Seen) -> None:
        """Lay one more zone out and walk it. Raises LawBroken if the ways differ otherwise."""
        first = self.twins[0]
        first.zone.memory.array[:] = self.held
        first.memory.array[ADDRESSES:] = self.idle[ADDRESSES:]
        operands = self.operands
        lay_out(
            operands[0], installed_modules().operand(dice), self.pages, self.start, self.pageblock
        )
        for twin in self.twins[1:]:
            twin.zone.memory.array[:] = first.zone.memory.array
            twin.memory.array[ADDRESSES:] = first.memory.array[ADDRESSES:]
        was = free_of(first.memory)
        for mem, way in zip(operands, self.ways, strict=True):
            walk(mem, *way)
        self._compare(was, operands)
        self._enter(seen)

    def _compare(self, was: int, operands: Sequence[CompactionMemory]) -> None:
        locked, rechecks, lazy = (twin.memory for twin in self.twins)
        got, again, late = map(target_pages_of, (locked, rechecks, lazy))
        same = np.array_equal(locked.zone.array, rechecks.zone.array)
        if not same or got != again or not is_beginning(operands[1], operands[0]):
            raise LawBroken(
                "CMP-free", f"one lock isolated {got} frames, locks with a second look {again}"
            )
        low = migrate_of(locked) + self.size
        places = free_of(locked), free_of(rechecks)
        due = (low, was) if was < low else (places[0], places[0])
        if places != due:
            raise LawBroken("CMP-meet", f"from {was} scanners came to {places}, {due} is due")
        enough = late == got or late >= wanted_of(lazy)
        if not enough or not is_beginning(operands[2], operands[0]):
            raise LawBroken("CMP-free", f"one lock isolated {got} frames, a late one {late}")

    def _enter(self, seen: Seen) -> None:
        locked, rechecks, lazy = (twin.memory for twin in self.twins)
        seen.zones += 1
        seen.frames += target_pages_of(locked)
        seen.near += self.twins[0].zone.free_frames() <= mark_of(locked.zone, MARK_LOW) + SIZES[TOP]
        seen.apart += free_of(locked) != free_of(rechecks)
        seen.short += target_pages_of(lazy) < target_pages_of(locked)


def campaign(
    zones: int, seed: int, ways: Sequence[Way] = WAYS, tell: Callable[[Seen], None] = lambda _: None
) -> Seen:
    """Compare the ways on so many random zones.

    tell: is told now and then how far it is. Raises LawBroken, with the zone's number, for the
    first zone on which they differ otherwise than they should.
    """
    rng = Random(f"variants {seed:x}")
    dice = Words(HIGH + 1)
    set_word(dice, LOW, rng.getrandbits(32) | 1)
    set_word(dice, HIGH, rng.getrandbits(32))
    layouts = [Layout(*shape, ways) for shape in SHAPES]
    seen = Seen()
    for number in range(zones):
        try:
            layouts[number % len(layouts)].run(dice, seen)
        except LawBroken as broken:
            raise LawBroken(broken.law_id, f"zone {number}: {broken.complaint}") from None
        if number % EVERY == 0:
            tell(seen)
    return seen


def main() -> int:
    """Print what a campaign came to; 1 if the ways differ."""
    zones = int(sys.argv[1]) if len(sys.argv) > 1 else ZONES
    seed = int(sys.argv[2], 16) if len(sys.argv) > 2 else 1
    print(f"seed {seed:08x}")
    begin = perf_counter()
    try:
        with console.progress("variants") as tell:
            seen = campaign(zones, seed, tell=lambda seen: tell(f"{seen.zones:,} zones"))
    except LawBroken as broken:
        print(f"FAILED {broken.law_id}: {broken.complaint}")
        return 1
    rate = seen.zones / (perf_counter() - begin)
    print(
        f"not refuted on {seen.zones:,} zones ({rate:,.0f}/s): {seen.frames:,} frames isolated, "
        f"{seen.near:,} zones near the mark, scanners apart in {seen.apart:,}, "
        f"stopped early in {seen.short:,}"
    )
    print(f"seed {seed:08x}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
