"""Requests to a host: served by the zones of a list, near the CPU that asks.

The twin of the spec's `system`. A host's own words lie beside its zones: what it is, a row for each
zone with what that has counted, and the node of each CPU. The zones that a request may try come
twice: as the table of their addresses, and as a list of their numbers.
"""

from pageimpl.alloc import count_alloc, counted, hold
from pageimpl.bulk import check_bulk, fill_from_lists, put_in_array
from pageimpl.checks import BAD_CPU, BAD_ORDER, BAD_TYPE, UNSUPPORTED, is_no_cpu
from pageimpl.era import NO_RESERVE, TUNE_PAIR
from pageimpl.highatomic import unreserve_pageblock
from pageimpl.jitcache import kernel
from pageimpl.locks import lock_zone, unlock_zone
from pageimpl.memory import (
    COUNTS_IN_CELLS,
    Memory,
    Words,
    Zones,
    counting_of,
    end_of,
    first_of,
    reserve_of,
    set_word,
    shift_of,
    top_of,
    tuning_of,
    word_at,
    zone_at,
)
from pageimpl.migratetype import MOST_REQUESTED, MOVABLE
from pageimpl.ops import perform
from pageimpl.pageblock import has_pageblocks
from pageimpl.pcp.cpus import check_lists, one_that_runs, work_on
from pageimpl.pcp.index import area_of
from pageimpl.pcp.state import far_of
from pageimpl.verbs import (
    AGE,
    ALLOC,
    BULK,
    COMPOUND_WANTED,
    CPU_BITS,
    CPU_SHIFT,
    DRAIN,
    DRAIN_ALL,
    EMERGENCY,
    EXPIRE,
    FORCE,
    PLUG,
    REFRESH,
    REST,
    UNPLUG,
    UNRESERVE,
    WANTED_SHIFT,
)
from pageimpl.zonelist import serve
from pagespec.types import NO_MEMORY, Refusal, ZoneClass

BAD_NODE = Refusal.BAD_NODE.value
MOVABLE_ZONE = ZoneClass.MOVABLE.value

# The host's words: how many zones it has, whether it counts by node, whether reserves go by the
# highest class that a request allows, where the CPUs' nodes begin, and how many CPUs there are.
ZONES = 0
COUNTS_NODES = 1
BY_HIGHEST = 2
CPU_NODES = 3
CPUS = 4

# A zone's row: its node and class, then what it counts.
ROWS = 5
NODE = 0
CLASS = 1
HIT = 2
MISS = 3
FOREIGN = 4
LOCAL = 5
OTHER = 6
ROW = 7

# A list of zones: how many there are, how many of them from the first on are of the first one's
# node, and then their numbers. Without a node there is none: -1.
LISTED = 0
NEARBY = 1
NUMBERS = 2


@kernel
def row_of(number: int) -> int:
    """Where the row of a zone begins."""
    return ROWS + number * ROW


@kernel
def preferred_of(near: Words) -> int:
    """The first zone of a list; the first of all where the list is empty."""
    return word_at(near, NUMBERS) if word_at(near, LISTED) > 0 else 0


@kernel
def check_place(near: Words, mt: int, highest: int) -> int:
    """Refuse a node without memory, and memory for movable blocks alone for any other type."""
    if word_at(near, LISTED) < 0:
        return BAD_NODE
    return BAD_TYPE if highest == MOVABLE_ZONE and mt != MOVABLE else 0


@kernel
def count_numa(host: Words, preferred: int, number: int, cpu: int, times: int) -> None:
    """Count allocations by the node they were meant for, and by the CPU's."""
    if word_at(host, COUNTS_NODES) == 0:
        return
    row, meant = row_of(number), row_of(preferred)
    node = word_at(host, row + NODE)
    if node == word_at(host, meant + NODE):
        set_word(host, row + HIT, word_at(host, row + HIT) + times)
    else:
        set_word(host, row + MISS, word_at(host, row + MISS) + times)
        set_word(host, meant + FOREIGN, word_at(host, meant + FOREIGN) + times)
    cpus = word_at(host, CPUS)
    near = cpus > 0 and word_at(host, word_at(host, CPU_NODES) + cpu) == node
    at = row + LOCAL if near else row + OTHER
    set_word(host, at, word_at(host, at) + times)


@kernel
def alloc_pages(
    host: Words, zones: Zones, tried: Zones, near: Words, order: int, want: int, highest: int
) -> int:
    """Allocate a block from the zones of a list: its first frame, or a code."""
    first = zone_at(zones, 0)
    cpu, mt = want >> CPU_SHIFT & CPU_BITS, want >> WANTED_SHIFT
    if order < 0 or order > top_of(first):
        return BAD_ORDER
    if mt > MOST_REQUESTED:
        return BAD_TYPE
    if is_no_cpu(first, cpu):
        return BAD_CPU
    code = check_place(near, mt, highest)
    if code < 0:
        return code
    preferred = preferred_of(near)
    by_highest = word_at(host, BY_HIGHEST) != 0
    of_class = highest if by_highest else word_at(host, row_of(preferred) + CLASS)
    place, p, listed = serve(tried, word_at(near, LISTED), order, want, of_class)
    if p == 0:
        return NO_MEMORY
    mem = zone_at(tried, place)
    count_numa(host, preferred, word_at(near, NUMBERS + place), cpu, 1)
    hold(mem, p, order, want)
    count_alloc(mem, counted(mem, order, listed))
    return p - shift_of(mem)


@kernel
def alloc_pages_bulk(
    host: Words, zones: Zones, tried: Zones, near: Words, pages: int, want: int, highest: int
) -> int:
    """Fill the empty ones of the first slots: how many from the first on are known filled.

    Reserves go by the class of the first zone of the list in all eras. Or a refusal's code.
    """
    code = check_bulk(zone_at(zones, 0), pages, want)
    if code == 0:
        code = check_place(near, want >> WANTED_SHIFT, highest)
    if code < 0:
        return code
    want &= ~(COMPOUND_WANTED | EMERGENCY)
    count, preferred = word_at(host, ZONES), preferred_of(near)
    of_class = word_at(host, row_of(preferred) + CLASS)
    populated, place, got, settled = fill_from_lists(
        zones, count, tried, word_at(near, NEARBY), pages, want, of_class
    )
    if got > 0:
        number = word_at(near, NUMBERS + place)
        count_numa(host, preferred, number, want >> CPU_SHIFT & CPU_BITS, got)
    if settled:
        return populated
    pfn = alloc_pages(host, zones, tried, near, 0, want, highest)
    if pfn < 0:
        return populated
    mem = zone_at(zones, number_at(zones, count, pfn))
    put_in_array(mem, pfn + shift_of(mem), populated)
    return populated + 1


@kernel
def number_at(zones: Zones, count: int, pfn: int) -> int:
    """The number of the zone in which the frame lies; for a frame in none, of the first."""
    for number in range(count):
        mem = zone_at(zones, number)
        if first_of(mem) <= pfn + shift_of(mem) < end_of(mem):
            return number
    return 0


@kernel
def unreserve(first: Memory, tried: Zones, near: Words, want: int) -> int:
    """Give up a pageblock of the first zone of a list that has one to spare: 0, or a code."""
    mt = want >> WANTED_SHIFT
    if not has_pageblocks(first) or reserve_of(first) == NO_RESERVE:
        return UNSUPPORTED
    if mt > MOST_REQUESTED:
        return BAD_TYPE
    if word_at(near, LISTED) < 0:
        return BAD_NODE
    for place in range(word_at(near, LISTED)):
        mem = zone_at(tried, place)
        lock_zone(mem, want >> CPU_SHIFT & CPU_BITS)
        found = unreserve_pageblock(mem, mt, want & FORCE != 0)
        unlock_zone(mem)
        if found:
            return 0
    return NO_MEMORY


@kernel
def expire(zones: Zones, count: int, want: int) -> int:
    """Give back a batch of what the CPU keeps of the zones of other nodes: 0, or a code."""
    first, cpu = zone_at(zones, 0), want >> CPU_SHIFT & CPU_BITS
    if tuning_of(first) == TUNE_PAIR:
        return UNSUPPORTED
    code = check_lists(first, cpu)
    for number in range(count if code == 0 else 0):
        mem = zone_at(zones, number)
        if far_of(mem, area_of(mem, cpu, 0)):
            perform(mem, EXPIRE, 0, 0, want, 0)
    return code


@kernel
def is_of_host(verb: int) -> bool:
    """Whether a request of that verb is about all zones."""
    return verb in (DRAIN, DRAIN_ALL, AGE, REFRESH, UNPLUG, PLUG, REST)


@kernel
def perform_on_host(
    host: Words,
    zones: Zones,
    tried: Zones,
    near: Words,
    verb: int,
    order: int,
    pfn: int,
    want: int,
    pages: int,
    highest: int,
) -> int:
    """Serve one request: a first frame, a count of slots, 0, NO_MEMORY, or a refusal's code.

    tried, near: the zones that the request may try.
    """
    count = word_at(host, ZONES)
    if counting_of(zone_at(zones, 0)) & COUNTS_IN_CELLS:
        for number in range(count):
            mem = zone_at(zones, number)
            work_on(mem, one_that_runs(mem, want >> CPU_SHIFT & CPU_BITS))
    if verb == ALLOC:
        return alloc_pages(host, zones, tried, near, order, want, highest)
    if verb == BULK:
        return alloc_pages_bulk(host, zones, tried, near, pages, want, highest)
    if verb == UNRESERVE:
        return unreserve(zone_at(zones, 0), tried, near, want)
    if verb == EXPIRE:
        return expire(zones, count, want)
    if is_of_host(verb):
        code = 0
        for number in range(count):
            # All zones refuse it or none.
            code = perform(zone_at(zones, number), verb, order, pfn, want, pages)
        return code
    return perform(zone_at(zones, number_at(zones, count, pfn)), verb, order, pfn, want, pages)
