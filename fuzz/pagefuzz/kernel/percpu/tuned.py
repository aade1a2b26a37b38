"""The sizes of 6.12: refills that double, drains that follow what was freed, a high that moves.

`high` grows with refills and drains, and falls back unseen. So what is known of it is how large it
may be; how small is given by its lower bound. What was freed of late is known within two bounds.
Source: mm/page_alloc.c of 6.12 (nr_pcp_alloc, nr_pcp_free, nr_pcp_high, decay_pcp_high).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice, product

from pagefuzz.kernel.percpu.load import (
    BELOW_HIGH,
    CALM,
    CLAMPED,
    DOUBLED,
    FLUSH,
    RECLAIMING,
    Counts,
    Drain,
)
from pagefuzz.kernel.snapshots import Sizes
from pagefuzz.kernel.zoneinfo import Pageset
from pagespec.frames import SIZES
from pagespec.pcp.sizes import high_by_watermark, highest
from pagespec.pcp.tuning import SCALE, Pressure, Tuned, freed, refill, taken
from pagespec.types import Order

_CALM = Pressure()
_ZONES = _CALM, Pressure(below_high=True)


@dataclass
class TunedLoad:
    """The possible states.

    sizes: the fixed part: bounds of `high`, and the batch. high: how large `high` may be. factors:
    how often the next refill may double. freed: of late, at least and at most. high_order: whether
    the last free was of a higher order; waits: whether a flush waits for a batch.
    """

    sizes: list[Tuned] = field(default_factory=list)
    high: int = 0
    factors: set[int] = field(default_factory=lambda: set(range(SCALE + 1)))
    freed: tuple[int, int] | None = None
    high_order: set[bool] = field(default_factory=lambda: {False, True})
    waits: set[bool] = field(default_factory=lambda: {False, True})

    def resize(self, sizes: list[Sizes], cpu: int) -> None:
        """Take zoneinfo's sizes; how many CPUs share a node's low mark it does not say."""
        self.sizes = []
        for each in sizes:
            if cpu in each.pagesets:
                pageset = each.pagesets[cpu]
                self.sizes += _bounds(each, pageset)
                self.high = max(pageset.high, *(load.high_min for load in self.sizes))
        if self.freed is None and self.sizes:
            self.freed = 0, max(load.batch << SCALE for load in self.sizes) + SIZES[9]

    def requested(self) -> None:
        """Let what was freed before count half."""
        least, most = self._freed()
        self.freed = taken(_with_freed(least)).freed, taken(_with_freed(most)).freed

    def refilled(self, order: Order, blocks: int, counts: Counts) -> str | None:
        """Exclude the factors with which a refill would have asked for another number."""
        causes: dict[str, set[int]] = {}
        highest_after = 0
        for load, factor, zone in product(self.sizes, sorted(self.factors), _ZONES):
            wanted = load.batch << factor
            # `high` grows before it limits the refill, unless the zone is below its high mark.
            grown = 0 if zone.below_high else wanted
            for high, count in _fitting(load, self.high, blocks - grown, counts):
                state = load._replace(high=high, factor=factor)
                asked, after = refill(state, order, count, zone)
                if asked == blocks:
                    limit = BELOW_HIGH if zone.below_high else CLAMPED
                    exact = DOUBLED if order == 0 and factor else CALM
                    cause = exact if order or asked == wanted else limit
                    causes.setdefault(cause, set()).add(after.factor)
            grown_to = refill(load._replace(high=self.high, factor=factor), order, 0, _CALM)[1].high
            highest_after = max(highest_after, grown_to)
        self.high = max(highest_after, self.high)
        self.factors = set[int]().union(*causes.values()) or self.factors
        return next(
            (cause for cause in (CALM, DOUBLED, CLAMPED, BELOW_HIGH) if cause in causes), None
        )

    def kept(self, order: Order, counts: Counts, pressures: list[Pressure]) -> bool:
        """Exclude what would have drained."""
        states = self._states(self._freed(), [self.high])
        kept = (
            state.waits
            for state, pressure in product(states, pressures)
            if not freed(state, order, counts.least, pressure).drain
        )
        # Only frees of higher orders, which may flush, tell whether a flush waits for a batch.
        left = set(kept) if order else set(islice(kept, 1))
        if left and order:
            self.waits = left
        self._free(order)
        return bool(left)

    def may_be_freed(self, order: Order) -> None:
        """Allow the states before the free as well as those after it."""
        (least, most), factors, high_order = self._freed(), self.factors, self.high_order
        self._free(order)
        after_least, after_most = self._freed()
        self.freed = min(least, after_least), max(most, after_most)
        self.factors |= factors
        self.high_order |= high_order

    def drained(
        self, order: Order, counts: Counts, drain: Drain, pressures: list[Pressure]
    ) -> str | None:
        """Exclude what would have drained less, or more."""
        causes = set()
        least, most = self._freed()
        of_late = {least, most, min(max(drain.pages - SIZES[order], least), most)}
        for state in self._states(tuple(of_late), self._highs(counts, drain)):
            for pressure, count in product(pressures, {*counts}):
                wanted = freed(state, order, count, pressure).drain
                is_all = counts.least <= drain.pages <= counts.most and drain.pages < wanted
                if wanted and (drain.is_of(wanted) or is_all):
                    causes.add(_cause(state, order, drain, pressure))
        grown = max(load.high_max for load in self.sizes)
        batch = max(load.batch for load in self.sizes)
        self.high = max(self.high, min(grown, most + SIZES[order] + batch))
        self._free(order)
        order_of = (CALM, FLUSH, RECLAIMING, BELOW_HIGH)
        return next((cause for cause in order_of if cause in causes), None)

    def ages(self, counts: Counts, drain: Drain) -> bool:
        """Give back a batch to another node, or what `high` has fallen below."""
        left = counts.most - drain.pages
        floor = min(load.high_min for load in self.sizes)
        return left >= floor or (left > 0 and any(drain.is_of(load.batch) for load in self.sizes))

    def empties(self, drain: Drain) -> bool:
        """Leave what a flush does not reach."""
        return all(drain.pages < load.batch << SCALE for load in self.sizes)

    def shown(self) -> str:
        """Return the sizes in words."""
        batches = " or ".join(map(str, sorted({load.batch for load in self.sizes})))
        factors = ", ".join(map(str, sorted(self.factors)))
        least, most = self._freed()
        return (
            f"batch {batches}, high up to {self.high}, refills doubled {factors} times,"
            f" {least} to {most} frames freed of late"
        )

    def _freed(self) -> tuple[int, int]:
        return self.freed or (0, 0)

    def _free(self, order: Order) -> None:
        least, most = self._freed()
        after = [
            freed(load._replace(freed=each), order, 0, _CALM).load.freed
            for load in self.sizes
            for each in (least, most)
        ]
        self.freed = min(after), max(after)
        self.factors = {factor // 2 for factor in self.factors}
        self.high_order = {freed(self.sizes[0], order, 0, _CALM).load.high_order}

    def _states(self, of_late: tuple[int, ...], highs: list[int]) -> Iterator[Tuned]:
        for load, late, high, high_order, waits in product(
            self.sizes, of_late, highs, self.high_order, self.waits
        ):
            yield load._replace(freed=late, high=high, high_order=high_order, waits=waits)

    def _highs(self, counts: Counts, drain: Drain) -> list[int]:
        batch = self.sizes[0].batch
        points = (0, self.high, drain.pages + batch, counts.least, counts.most)
        return sorted({min(point, self.high) for point in points})


def _bounds(sizes: Sizes, pageset: Pageset) -> Iterator[Tuned]:
    """Yield the bounds of `high`, by how many CPUs share them, or as the administrator set it.

    They are those of the low mark when they were set: its boost of that time is not known.
    """
    managed, low, boost, pagesets = sizes
    batch = pageset.batch
    for cpus, mark in product(range(1, len(pagesets) + 1), {low, low + boost}):
        high_min = high_by_watermark(mark, cpus, batch)
        yield Tuned(high_min, max(high_min, highest(managed, cpus, batch)), batch)
    if pageset.high:
        yield Tuned(pageset.high, pageset.high, batch)


def _with_freed(pages: int) -> Tuned:
    return Tuned(0, 0, 1, freed=pages)


def _fitting(load: Tuned, most: int, blocks: int, counts: Counts) -> Iterator[tuple[int, int]]:
    """Yield highs and counts at which a refill stops at high, and those around them."""
    base = blocks + load.batch
    least_count, most_count = counts
    for count in {least_count, most_count, min(max(load.high_min - base, least_count), most_count)}:
        for high in {load.high_min, most, min(max(base + count, load.high_min), most)}:
            yield high, count


def _cause(state: Tuned, order: Order, drain: Drain, pressure: Pressure) -> str:
    if pressure.reclaiming:
        return RECLAIMING
    if pressure.below_high:
        return BELOW_HIGH
    flushes = 1 <= order <= 3 and state.high_order and state.freed >= state.batch
    return FLUSH if flushes else CALM
