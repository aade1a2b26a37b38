"""A host with the memory of its zones: the class by which Python drives the twin of hosts."""

from typing import NamedTuple

from pageimpl.allocator import Allocator
from pageimpl.memory import Memory, Words, Zones, set_extended
from pageimpl.source import Kernels
from pageimpl.system import (
    BY_HIGHEST,
    CLASS,
    COUNTS_NODES,
    CPU_NODES,
    CPUS,
    HIT,
    LISTED,
    NEARBY,
    NODE,
    NUMBERS,
    ROW,
    ROWS,
    ZONES,
)
from pageimpl.verbs import NUMBER_OF, want_of
from pageimpl.watermark.levels import write_levels
from pageimpl.watermark.marks import Marks, marks_of
from pagespec.host import Host, Numa
from pagespec.machine import MAX_PAGES, MAX_PFN
from pagespec.types import MAX_TOP, ZoneClass
from pagespec.verbs import Op, Outcome, Verb


class Near(NamedTuple):
    """The zones that a request may try, in order: their memories, and their numbers."""

    zones: Zones
    numbers: Words


class HostAllocator:
    """The allocators of a host's zones, all of whose memory is free at first.

    jit, modules: as of `Allocator`. zones: the allocator of each zone, for `refine`.

    Raises DomainError for an era that the twin does not have.
    """

    def __init__(self, host: Host, *, jit: bool = True, modules: Kernels | None = None) -> None:
        self.host = host
        machines = [part.machine for part in host.parts]
        self.zones = [Allocator(machine, jit=jit, modules=modules) for machine in machines]
        self.kernels = self.zones[0].kernels
        self.memories: list[Memory] = [zone.memory for zone in self.zones]
        if host.min_free is not None:
            _write_marks(self)
        self._words = _words_of(host)
        self._all = Zones(self.memories)
        self._near: dict[tuple[int, ZoneClass, bool], Near] = {}

    def perform(self, op: Op) -> Outcome:
        """Serve any request: the outcome that the spec gives it, refusals as their codes."""
        only_node = op.only_node and op.verb is not Verb.UNRESERVE
        near = self._near_to(op.node, op.highest, only_node)
        operand = self.kernels.operand
        outcome: int = self.kernels.perform_on_host(
            operand(self._words),
            operand(self._all),
            operand(near.zones),
            operand(near.numbers),
            NUMBER_OF[op.verb],
            op.order if 0 <= op.order <= MAX_TOP else -1,
            # A frame number that no zone has, and that a machine word might not hold.
            op.pfn if 0 <= op.pfn < MAX_PFN else -1,
            want_of(op),
            op.pages if 0 <= op.pages <= MAX_PAGES else 0,
            op.highest,
        )
        return outcome

    def numa(self) -> list[Numa]:
        """What each zone has counted."""
        words = self._words.array[ROWS : ROWS + ROW * len(self.zones)].reshape(-1, ROW)
        return [Numa(*counts) for counts in words[:, HIT:].tolist()]

    def _near_to(self, node: int, highest: ZoneClass, only_node: bool) -> Near:
        key = node, highest, only_node
        if key not in self._near:
            self._near[key] = _near_of(self, *key)
        return self._near[key]


def _words_of(host: Host) -> Words:
    rows = len(host.parts) * ROW
    words = Words(ROWS + rows + len(host.cpus))
    array = words.array
    array[ZONES] = len(host.parts)
    array[COUNTS_NODES] = host.numa
    array[BY_HIGHEST] = host.era.reserves_by_highest
    array[CPU_NODES] = ROWS + rows
    array[CPUS] = len(host.cpus)
    array[ROWS + NODE : ROWS + rows : ROW] = [part.node for part in host.parts]
    array[ROWS + CLASS : ROWS + rows : ROW] = [part.zone_class for part in host.parts]
    array[ROWS + rows :] = host.cpus
    return words


def _near_of(allocator: HostAllocator, node: int, highest: ZoneClass, only_node: bool) -> Near:
    """The list of a node, as the kernel builds it: node after node, each from its top down."""
    host = allocator.host
    nodes = host.nodes
    numbers: list[int] = []
    # The nodes behind, then those before; and each time those without CPUs one place nearer.
    around = sorted(nodes, key=lambda other: (other < node) + (other in host.cpus))
    for other in (node, *(each for each in around if each != node and not only_node)):
        found = [at for at, part in enumerate(host.parts) if part.node == other]
        found = [at for at in found if host.parts[at].zone_class <= highest]
        numbers += sorted(found, key=lambda at: host.parts[at].zone_class, reverse=True)
    if host.by_zone:
        numbers.sort(key=lambda at: host.parts[at].zone_class, reverse=True)
    words = Words(NUMBERS + len(numbers))
    words.array[LISTED] = len(numbers) if node in nodes else -1
    of_node = [host.parts[at].node for at in numbers]
    away = [place for place, other in enumerate(of_node) if other != of_node[0]]
    words.array[NEARBY] = away[0] if away else len(numbers)
    words.array[NUMBERS:] = numbers
    return Near(Zones([allocator.memories[at] for at in numbers]), words)


def _write_marks(allocator: HostAllocator) -> None:
    """Give each zone its share of min_free_kbytes, and what it keeps for its own."""
    host = allocator.host
    pages = [part.machine.managed_pages for part in host.parts]
    apart = [host.era.movable_apart and part.zone_class is ZoneClass.MOVABLE for part in host.parts]
    lowmem = sum(count for count, alone in zip(pages, apart, strict=True) if not alone)
    for number, part in enumerate(host.parts):
        memory = allocator.memories[number]
        marks = marks_of(host.era, host.min_free or 0, pages[number], lowmem)
        if apart[number]:
            least = max(32, min(pages[number] >> 10, 128))
            marks = Marks(*(mark - marks.min + least for mark in marks))
        reserve = [
            _kept(host, number, pages, upto) if host.era.keeps_low_memory else 0
            for upto in ZoneClass
        ]
        write_levels(memory, part.machine.era, marks, reserve)
        set_extended(memory, 1)
        allocator.kernels.settle(allocator.kernels.operand(memory))


def _kept(host: Host, number: int, pages: list[int], upto: ZoneClass) -> int:
    """What a zone keeps from requests that may use the zones of its node up to a class."""
    own, above = host.parts[number], 0
    for part, count in zip(host.parts, pages, strict=True):
        if part.node == own.node and own.zone_class < part.zone_class <= upto:
            above += count
    return above // (*host.ratios, 1)[own.zone_class] if pages[number] else 0
