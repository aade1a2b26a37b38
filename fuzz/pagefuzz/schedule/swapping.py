"""States with contexts, CPUs and names that have changed places."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import TypeVar

from pagefuzz.schedule.aspects import FrozenNumbers, FrozenPcps
from pagefuzz.schedule.frozen import Freezer, FrozenNames, State
from pagefuzz.schedule.standing import FrozenContext, Part
from pagefuzz.schedule.symmetry import Swap, swaps_of
from pagespec.pcp.lists import Where
from pagespec.schedule.contexts import Hold, Place, Scenario
from pagespec.steps import Guard, Visit
from pagespec.verbs import Op
from pagespec.zone import Zone

V = TypeVar("V")


class Swapping:
    """One change of places. memo: per place in a state, the numbers that were changed before."""

    def __init__(self, swap: Swap, freezer: Freezer, zone: Zone) -> None:
        self.cpus, self.roles, self.names = swap
        self.freezer = freezer
        self.parts = dict(self.swapped_parts(zone))
        self.memo: list[dict[int, int]] = [{} for _ in freezer.aspects]
        contexts = len(freezer.aspects) - len(self.roles)
        changes: list[Callable[[int], int] | None] = [None] * contexts
        changes[1], changes[3], changes[4] = self.pcps, self.numbers, self.naming
        self.changes = [*changes, *(self.context_changer(at) for at in range(len(self.roles)))]
        self.to = [*range(contexts), *(contexts + to for to in self.roles)]

    def swapped_parts(self, zone: Zone) -> Iterator[tuple[Part, Part]]:
        """The parts of each CPU, with the same ones of the other."""
        numbers = self.freezer.part_numbers
        for cpu, to in enumerate(self.cpus):
            yield numbers[id(zone.pcps[cpu])], numbers[id(zone.pcps[to])]
            for one, two in zip(zone.pcps[cpu], zone.pcps[to], strict=True):
                pairs = zip((one, one.lists, *one.lists), (two, two.lists, *two.lists), strict=True)
                for mine, other in pairs:
                    yield numbers[id(mine)], numbers[id(other)]

    def state(self, state: State) -> State:
        """The state with places changed."""
        swapped = list(state)
        for at, (number, change) in enumerate(zip(state, self.changes, strict=True)):
            if change is not None:
                memo = self.memo[at]
                new = memo.get(number)
                if new is None:
                    new = memo[number] = change(number)
                swapped[self.to[at]] = new
        return tuple(swapped)

    def by_cpu(self, values: Sequence[V]) -> tuple[V, ...]:
        """What goes by CPU, equally many of each, in the new order."""
        each = len(values) // len(self.cpus)
        return tuple(
            value
            for to in range(len(self.cpus))
            for value in values[self.cpus.index(to) * each :][:each]
        )

    def pcps(self, number: int) -> int:
        """The CPUs' lists."""
        pcps = self.freezer.zone_aspects[1]
        lists, pages, loads = pcps.values[number]
        return pcps.number(FrozenPcps(self.by_cpu(lists), self.by_cpu(pages), self.by_cpu(loads)))

    def numbers(self, number: int) -> int:
        """What CPUs have counted."""
        numbers = self.freezer.zone_aspects[3]
        counts, levels, cells = numbers.values[number]
        counts = counts._replace(
            pgallocs=self.by_cpu(counts.pgallocs), pgfrees=self.by_cpu(counts.pgfrees)
        )
        return numbers.number(FrozenNumbers(counts, levels, cells))

    def naming(self, number: int) -> int:
        """What is named."""
        naming, names = self.freezer.naming, self.names
        blocks, slots, unnamed = naming.values[number]
        blocks = frozenset((names.get(name, name), block) for name, block in blocks)
        unnamed = frozenset(names.get(name, name) for name in unnamed)
        return naming.number(FrozenNames(blocks, slots, unnamed))

    def context_changer(self, at: int) -> Callable[[int], int]:
        """What makes a context that of the role whose place it takes."""
        standing, other = self.freezer.contexts[at], self.freezer.contexts[self.roles[at]]

        def changed(number: int) -> int:
            frames, values = standing.values[number]
            numbers = None
            if frames is not None:
                each = [standing.frames[frame] for frame in frames]
                numbers = tuple(
                    other.number_by_value((program, place, tuple(map(self.value, kept))))
                    for program, place, kept in each
                )
            return other.number(FrozenContext(numbers, tuple(map(self.value, values))))

        return changed

    def value(self, value: Hashable) -> Hashable:
        """A local or a field with every number of a CPU changed."""
        if isinstance(value, Part):
            return self.parts.get(value, value)
        if isinstance(value, Where | Op | Guard | Visit | Place):
            return value._replace(cpu=self.cpus[value.cpu])
        if isinstance(value, Hold):
            lists = value.lists
            known = lists is not None and lists >= 0
            return value._replace(lists=self.cpus[lists]) if known and lists is not None else value
        if isinstance(value, tuple):
            items = [self.value(item) for item in value]
            return value._make(items) if hasattr(value, "_make") else tuple(items)
        return value


class Symmetry:
    """Says which of the states that differ only in places stands for all of them."""

    def __init__(self, scenario: Scenario, freezer: Freezer, start: State) -> None:
        zone = freezer.world.shared
        self.swappings: list[Swapping] = []
        if isinstance(zone, Zone):
            ways = [Swapping(swap, freezer, zone) for swap in swaps_of(scenario)]
            # What happened first may have told the CPUs apart.
            self.swappings = [each for each in ways if each.state(start) == start]

    def key(self, state: State, last: int) -> tuple[int, ...]:
        """The same for all states that differ only in places. last: who took the last step."""
        key = (*state, last)
        for each in self.swappings:
            by = each.roles[last] if last >= 0 else last
            key = min(key, (*each.state(state), by))
        return key

    def all(self, state: State) -> list[State]:
        """A state with all that differ from it only in places."""
        return [state, *(each.state(state) for each in self.swappings)]
