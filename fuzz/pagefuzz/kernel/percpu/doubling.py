"""The sizes of 6.0 to 6.6: drains that double, a flush after higher orders."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from pagefuzz.kernel.percpu.load import CALM, FLUSH, RECLAIMING, Counts, Drain
from pagefuzz.kernel.percpu.records import blocks_of_batch
from pagefuzz.kernel.snapshots import Sizes
from pagespec.pcp.tuning import (
    SCALE,
    Doubling,
    Pressure,
    after_alloc,
    after_drain,
    drain_of,
    frees_high,
    high_of,
)
from pagespec.types import Order

UNLIMITED = 16
"""More doublings than any batch has: high is below a zone's frames."""

LEARNT = {(factor, limit) for limit in (SCALE, UNLIMITED) for factor in range(limit + 1)}
"""How often the next drain may double, and at most. Later releases of 6.1 have 6.7's limit."""


@dataclass
class DoublingLoad:
    """The possible states: any of these batches and highs, with any of what may be learnt."""

    batches: set[int] = field(default_factory=set)
    highs: set[int] = field(default_factory=set)
    learnt: set[tuple[int, int]] = field(default_factory=lambda: set(LEARNT))

    def resize(self, sizes: list[Sizes], cpu: int) -> None:
        """Take zoneinfo's sizes: which of two hold in between two snapshots is not known."""
        pagesets = [each.pagesets[cpu] for each in sizes if cpu in each.pagesets]
        if pagesets:
            self.batches = {each.batch for each in pagesets}
            self.highs = {each.high for each in pagesets}

    def requested(self) -> None:
        """Halve the factor."""
        self.learnt = {(after_alloc(load).factor, limit) for load, limit in self._states()}

    def refilled(self, order: Order, blocks: int, counts: Counts) -> str | None:
        """Ask for a batch, always."""
        return CALM if blocks in {blocks_of_batch(each, order) for each in self.batches} else None

    def kept(self, order: Order, counts: Counts, pressures: list[Pressure]) -> bool:
        """Exclude the factors with which a free would have drained."""
        left = {
            (load.factor, limit)
            for load, limit in self._states()
            if not frees_high(load, order)
            and any(counts.least < high_of(load, pressure) for pressure in pressures)
        }
        self.learnt = left or self.learnt
        return bool(left)

    def may_be_freed(self, order: Order) -> None:
        """Learn nothing: only drains change the factor."""

    def drained(
        self, order: Order, counts: Counts, drain: Drain, pressures: list[Pressure]
    ) -> str | None:
        """Exclude the factors with which a free would have drained less, or more."""
        causes: dict[str, set[tuple[int, int]]] = {}
        for load, limit in self._states():
            flush = frees_high(load, order)
            for pressure in pressures:
                if _explains(load, counts, drain, pressure, flush=flush):
                    cause = FLUSH if flush else RECLAIMING if pressure.reclaiming else CALM
                    after = after_drain(load, pressure, free_high=flush).factor
                    causes.setdefault(cause, set()).add((min(after, limit), limit))
        self.learnt = set[tuple[int, int]]().union(*causes.values()) or set(LEARNT)
        return next((cause for cause in (CALM, FLUSH, RECLAIMING) if cause in causes), None)

    def ages(self, counts: Counts, drain: Drain) -> bool:
        """Give a batch back to a node that is not the CPU's own."""
        return counts.most > drain.pages and any(map(drain.is_of, self.batches))

    def empties(self, drain: Drain) -> bool:
        """Leave nothing after a flush."""
        return True

    def shown(self) -> str:
        """Return the sizes in words."""
        highs = " or ".join(map(str, sorted(self.highs)))
        batches = " or ".join(map(str, sorted(self.batches)))
        factors = ", ".join(map(str, sorted({factor for factor, _ in self.learnt})))
        return f"batch {batches}, high {highs}, drains doubled {factors} times"

    def _states(self) -> Iterator[tuple[Doubling, int]]:
        for batch in self.batches:
            for high in self.highs:
                for factor, limit in self.learnt:
                    yield Doubling(high, batch, factor), limit


def _explains(
    load: Doubling, counts: Counts, drain: Drain, pressure: Pressure, *, flush: bool
) -> bool:
    if flush:
        return counts.least <= drain.pages <= counts.most
    wanted = drain_of(load, counts.most, pressure)
    is_all = counts.least <= drain.pages <= counts.most and drain.pages < wanted
    return counts.most >= high_of(load, pressure) and (is_all or drain.is_of(wanted))
