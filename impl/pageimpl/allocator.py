"""One zone with its memory and its kernels: the class by which Python drives the twin."""

from collections.abc import Sequence
from functools import cache
from random import Random

import numpy as np
import numpy.typing as npt

from pageimpl import dice, walk
from pageimpl.layout import empty_zone, frames_in_array, layout_of, records_of, types_in
from pageimpl.memory import (
    Memory,
    Words,
    free_pages_of,
    managed_of,
    shift_of,
)
from pageimpl.migratetype import TYPES
from pageimpl.source import Kernels, installed_modules, plain_modules
from pageimpl.stream import COLUMNS
from pageimpl.verbs import ANYWHERE, COMPOUND_WANTED, NUMBER_OF, want_of
from pagespec.machine import MAX_PAGES, MAX_PFN, Machine
from pagespec.migratetype import MigrateType
from pagespec.types import MAX_TOP, NO_MEMORY, REFUSED, Block, Order, Pfn, Refusal
from pagespec.verbs import Op, Outcome

_plain = cache(plain_modules)


class Allocator:
    """The allocator of one zone, all of whose memory is free at first.

    jit: whether to run the compiled kernels. modules: a set of kernels from `source` to run
    instead. memory: the zone's buffer, for `refine`.

    Raises DomainError for an era that the twin does not have.
    """

    def __init__(
        self, machine: Machine, *, jit: bool = True, modules: Kernels | None = None
    ) -> None:
        self.machine = machine
        self.kernels = modules or (installed_modules() if jit else _plain())
        self.memory: Memory = empty_zone(machine)
        self._mem = self.kernels.operand(self.memory)
        self._walk = walk.walk_buffer(self.memory)
        self._types = records_of(self.memory)["type"][types_in(machine, layout_of(machine))]
        self._array = frames_in_array(self.memory)
        for first, end in machine.managed:
            self.kernels.boot_chunk(self._mem, first, end)
        self.kernels.settle(self._mem)

    def perform(self, op: Op) -> Outcome:
        """Serve any request: the outcome that the spec gives it, refusals as their codes."""
        return self.kernels.perform(
            self._mem,
            NUMBER_OF[op.verb],
            _as_order(op.order),
            _as_pfn(op.pfn),
            want_of(op),
            op.pages if 0 <= op.pages <= MAX_PAGES else 0,
        )

    def alloc(self, order: Order, *, compound: bool = False) -> Pfn | None:
        """Allocate a block: its first frame, or None if no free block is large enough.

        Raises BadOrder.
        """
        got = self.kernels.alloc_pages(self._mem, _as_order(order), COMPOUND_WANTED * compound)
        if got >= 0:
            return got
        if got == NO_MEMORY:
            return None
        raise REFUSED[Refusal(got)](Block(0, order))

    def free(self, pfn: Pfn, order: Order) -> None:
        """Drop the owner's reference to a block.

        Raises Refused, in the spec's sense, for anything but a block held with that order.
        """
        code = self.kernels.free_pages(self._mem, _as_pfn(pfn), _as_order(order), ANYWHERE)
        if code:
            raise REFUSED[Refusal(code)](Block(pfn, order))

    def get(self, pfn: Pfn) -> None:
        """Take one more reference to the block that the frame heads. Raises Refused."""
        code = self.kernels.get_page(self._mem, _as_pfn(pfn))
        if code:
            raise REFUSED[Refusal(code)](Block(pfn, 0))

    def put(self, pfn: Pfn) -> None:
        """Drop a reference; the last one frees the block. Raises Refused."""
        code = self.kernels.put_page(self._mem, _as_pfn(pfn), ANYWHERE)
        if code:
            raise REFUSED[Refusal(code)](Block(pfn, 0))

    def free_area(self) -> walk.Lists:
        """Per order and type, the free blocks' first frames in list order. Raises TornList."""
        return walk.free_area_of(self.memory, self.machine.types_listed, self._walk)

    def pageblocks(self) -> list[MigrateType]:
        """The type of each pageblock, lowest first; none on a machine without pageblocks."""
        return [TYPES[number] for number in self._types.tolist()]

    def slots(self) -> dict[Pfn, int]:
        """The frames that the array of bulk requests holds, each with the number of its slot."""
        filled = self._array.nonzero()[0]
        pfns = self._array[filled] - shift_of(self.memory)
        return dict(zip(pfns.tolist(), filled.tolist(), strict=True))

    def free_frames(self) -> int:
        """How many frames the zone counts as free."""
        return free_pages_of(self.memory)


def _as_order(order: Order) -> Order:
    """The order, or -1 for one that no zone has."""
    return order if 0 <= order <= MAX_TOP else -1


def _as_pfn(pfn: Pfn) -> Pfn:
    """The frame number, or -1 for one that no zone has and a machine word might not hold."""
    return pfn if 0 <= pfn < MAX_PFN else -1


class Stream:
    """A random stream of requests to one allocator, the same for the same seed.

    weights: how often each order is drawn, from order 0; each half as often as the one below by
    default. illegal, references, splits, typed: how many of 1024 requests are illegal, take or drop
    a reference, split a block into pages, or are about pageblocks and places of frames. listed: how
    many are about CPUs, what they keep, and kswapd. compound, atomic, nofragment, emergency: the
    same for 1024 allocations; irq, contended, cold: for requests that may go through a CPU's lists.
    A machine is asked for nothing legal that is about what it does not have.
    """

    def __init__(
        self,
        allocator: Allocator,
        seed: int,
        *,
        weights: Sequence[int] = (),
        illegal: int = 32,
        references: int = 64,
        splits: int = 8,
        typed: int = 64,
        compound: int = 256,
        atomic: int = 128,
        nofragment: int = 64,
        listed: int = 32,
        emergency: int = 32,
        irq: int = 64,
        contended: int = 64,
        cold: int = 64,
    ) -> None:
        self.allocator = allocator
        machine = allocator.machine
        top = machine.top
        weights = weights or [1 << (top - order) for order in range(top + 1)]
        if len(weights) > top + 1 or min(weights) < 0 or not 0 < sum(weights) < 1 << 31:
            raise ValueError(f"weights={weights}: expected up to {top + 1} numbers, not all 0")
        pages = managed_of(allocator.memory)
        self._state = Words(dice.TABLE + pages)
        state = self._state.array
        random = Random(seed)
        state[dice.LOW] = random.getrandbits(32) | 1
        state[dice.HIGH] = random.getrandbits(32)
        state[dice.ODDS_ILLEGAL] = illegal
        state[dice.ODDS_REFERENCE] = references
        state[dice.ODDS_SPLIT] = splits
        state[dice.ODDS_TYPED] = 0 if machine.pageblock is None else typed
        state[dice.ODDS_COMPOUND] = compound
        state[dice.ODDS_ATOMIC] = atomic
        state[dice.ODDS_NOFRAGMENT] = nofragment
        has_lists_or_marks = machine.cpus > 0 or machine.min_free is not None
        state[dice.ODDS_LISTED] = listed if has_lists_or_marks else 0
        state[dice.ODDS_EMERGENCY] = emergency
        state[dice.ODDS_IRQ] = irq
        state[dice.ODDS_CONTENDED] = contended
        state[dice.ODDS_COLD] = cold
        state[dice.PAGES] = pages
        sums = np.cumsum(weights)
        state[dice.WEIGHTS : dice.TABLE] = sums[-1]
        state[dice.WEIGHTS : dice.WEIGHTS + len(sums)] = sums

    def run(self, count: int) -> npt.NDArray[np.int64]:
        """Serve the next requests: a row each, with the columns that `stream` names."""
        out = Words(COLUMNS * count)
        kernels = self.allocator.kernels
        kernels.run_stream(
            kernels.operand(self.allocator.memory),
            kernels.operand(self._state),
            count,
            kernels.operand(out),
        )
        return out.array.reshape(count, COLUMNS)
