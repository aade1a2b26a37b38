"""A zone that threads share, and the threads' own books of what they hold."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from pagefuzz.threads import churn
from pagefuzz.threads.drivers import Driver
from pagefuzz.threads.running import PATIENCE_SECONDS, Span, together
from pagefuzz.threads.zones import Program
from pageimpl.allocator import Allocator
from pageimpl.layout import share
from pageimpl.memory import Words, pgalloc_of, pgfree_of, set_shared
from pageimpl.verbs import VERBS
from pagespec.frames import SIZES
from pagespec.machine import Machine
from pagespec.types import Block, Pfn
from pagespec.verbs import Verb


class Latest(NamedTuple):
    """One of the latest requests of a thread, and what came of it."""

    verb: Verb
    order: int
    pfn: Pfn
    want: int
    outcome: int


class Team:
    """The threads of one zone, with their words.

    shared: blocks to which all threads take references, and of which nobody frees the first.
    before: the frames that were counted as given and returned before the threads began. fault: the
    planted fault, 1 for none; see `faults`. patience_seconds: how long a round may take.
    """

    def __init__(
        self, machine: Machine, programs: Sequence[Program], driver: Driver, fault: int = 1
    ) -> None:
        self.patience_seconds = PATIENCE_SECONDS
        self.machine, self.programs, self.driver = machine, tuple(programs), driver
        self.allocator = Allocator(machine, modules=driver.kernels)
        self.owners, self.clock = Words(machine.pages), Words(churn.CLOCK_WORDS)
        self.shared = list(self._common_blocks())
        memory = self.allocator.memory
        share(memory)
        set_shared(memory, fault)
        self.before = pgalloc_of(memory), pgfree_of(memory)
        self.states = [self._state(program) for program in programs]

    def _common_blocks(self) -> Iterator[Block]:
        """A few blocks that are compound, so that any reference may be the last."""
        if self.machine.managed_pages < 16:
            return
        for order in (0, min(1, self.machine.top)):
            pfn = self.allocator.alloc(order, compound=True)
            if pfn is not None:
                yield Block(pfn, order)

    def _state(self, program: Program) -> Words:
        state = Words(churn.WORDS)
        words = state.array
        for at, value in program.words:
            words[at] = value
        words[churn.ME] = program.number + 1
        words[churn.CPU] = program.cpu
        words[churn.START] = self.machine.start
        words[churn.PAGES] = self.machine.pages
        words[churn.TEAM] = len(self.programs)
        words[churn.SHARED_BLOCKS] = len(self.shared)
        for number, block in enumerate(self.shared):
            words[churn.SHARED + number] = block.pfn
        return state

    def run(self, steps: int) -> list[Span]:
        """Let all put requests for so many turns each. Raises LawBroken if one hangs."""
        return self._together(self.driver.churn, steps)

    def release_all(self) -> None:
        """Let all give back what they hold and drain their lists. Raises LawBroken if one hangs.

        Nobody is at work when that begins, so what all share can go first.
        """
        for block in self.shared:
            self.allocator.free(*block)
        self.before = self.before[0], self.before[1] + sum(SIZES[one.order] for one in self.shared)
        self.shared.clear()
        self._together(self.driver.release_all)

    def compile(self) -> None:
        """Let the kernels be there before a clock runs, which would take compiling for hanging.

        For a team that is thrown away: its thread ends before it has begun.
        """
        for work in (*self._works(self.driver.churn, 0), *self._works(self.driver.release_all)):
            work()

    def _together(self, kernel: Callable[..., None], *more: int) -> list[Span]:
        return together(self._works(kernel, *more), self, self.patience_seconds)

    def _works(self, kernel: Callable[..., None], *more: int) -> list[Callable[[], None]]:
        operand = self.driver.kernels.operand
        mem = operand(self.allocator.memory)
        both = operand(self.owners), operand(self.clock)
        return [partial(kernel, mem, operand(state), *both, *more) for state in self.states]

    def held_by(self, number: int) -> Iterator[Block]:
        """The blocks that a thread has in its book."""
        words = self.states[number].array
        for held in words[churn.TABLE :][words[churn.TABLE :] != 0].tolist():
            yield Block((held >> 5) - 1, held & 15)
        # What its bulk requests gave it, the slots say, which only it fills.
        if words[churn.FILLED]:
            for pfn in self.allocator.slots():
                yield Block(pfn, 0)

    def count(self, word: int) -> int:
        """What all threads together have counted in that word of theirs."""
        return sum(int(state.array[word]) for state in self.states)

    def latest(self, number: int) -> list[Latest]:
        """The latest requests of a thread, the oldest first."""
        words = self.states[number].array
        served = int(words[churn.SERVED])
        rows = words[churn.RING : churn.SHARED].reshape(churn.RING_ENTRIES, churn.RING_WORDS)
        order = [
            at % churn.RING_ENTRIES for at in range(max(0, served - churn.RING_ENTRIES), served)
        ]
        return [
            Latest(VERBS[verb], order, pfn, want, outcome)
            for verb, order, pfn, want, outcome in rows[order].tolist()
        ]
