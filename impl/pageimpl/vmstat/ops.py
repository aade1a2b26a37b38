"""Serving requests to the counters, of whatever verb: the twin of the spec's `vmstat.ops`.

Threads that share the counters leave no updates under way, whose table has no lock, and take no
blocks; marks, thresholds and the CPUs that run are changed while no other thread is at work.
"""

from pageimpl.jitcache import kernel
from pageimpl.memory import Words, set_word, word_at
from pageimpl.vmstat.checks import (
    BAD_CPU,
    BAD_RANGE,
    NO_COUNTER,
    NO_UPDATE,
    UNSUPPORTED,
    check_cpu,
    check_node,
    check_order,
    check_zone,
    place_of,
)
from pageimpl.vmstat.count import count
from pageimpl.vmstat.counters import area_of
from pageimpl.vmstat.reads import is_above, read, read_total
from pageimpl.vmstat.refresh import refresh
from pageimpl.vmstat.retune import (
    change_min_free,
    plug,
    resize,
    rest,
    set_numa,
    unplug,
    wake,
)
from pageimpl.vmstat.state import (
    CounterMemory,
    cpus_of,
    in_lists_of,
    nr_places_of,
    nr_running_of,
    numa_on_of,
    numa_switch_of,
    room_of,
    running_of,
    shared_of,
    updates_of,
)
from pageimpl.vmstat.update import begin, change, land
from pageimpl.vmstat.verbs import (
    CHECK,
    CLOSE,
    COLUMN_AMOUNT,
    COLUMN_CPU,
    COLUMN_FLAGS,
    COLUMN_ITEM,
    COLUMN_RESULT,
    COLUMN_TIMES,
    COLUMN_VERB,
    COLUMN_WHERE,
    COLUMNS,
    COUNT,
    DEC,
    HIT,
    INC,
    INTERLEAVED,
    IRQS_ON,
    LAND,
    LEVEL_SHIFT,
    MIN_FREE,
    MOST_OPENED,
    NUMA_ON,
    OPEN,
    PLUG,
    READ,
    RECLAIM,
    REFRESH,
    RESIZE,
    REST,
    SILENT,
    TAKE,
    UNPLUG,
    WAKE,
)
from pagespec.machine import MAX_PAGES
from pagespec.vmstat.verbs import ALL, MOST_TIMES


@kernel
def change_of(
    mem: CounterMemory,
    verb: int,
    cpu: int,
    item: int,
    where: int,
    by: int,
    times: int,
    flags: int,
) -> int:
    """Serve a change of a counter."""
    code = check_cpu(mem, cpu)
    if code:
        return code
    place = place_of(mem, item, where)
    if place < 0:
        return place
    if item >= HIT:
        return UNSUPPORTED
    lean = 1 if verb == INC else -1 if verb == DEC else 0
    opens, irqs_on = flags & OPEN != 0, flags & IRQS_ON != 0
    if by < -(1 << 31) or by >= 1 << 31:
        return BAD_RANGE
    if times < 1 or times > (1 if opens or lean == 0 else MOST_TIMES):
        return BAD_RANGE
    delta = by if lean == 0 else lean
    if opens and shared_of(mem):
        return UNSUPPORTED
    if opens:
        begin(mem, cpu, place, delta, lean, irqs_on)
        return 0
    for _ in range(times):
        change(mem, cpu, place, delta, lean, irqs_on)
    return 0


@kernel
def read_of(mem: CounterMemory, item: int, where: int, close: bool) -> int:
    """Serve a reader of one counter, or of the machine's."""
    if where != ALL:
        place = place_of(mem, item, where)
        return place if place < 0 else read(mem, place, close)
    return read_total(mem, item) if nr_places_of(mem, item) else NO_COUNTER


@kernel
def take(mem: CounterMemory, cpu: int, zone: int, level: int, order: int) -> int:
    """Serve a request for a block, where the zone has one and is thought to keep above its mark."""
    code = check_cpu(mem, cpu)
    if code == 0:
        code = check_zone(mem, zone)
    if code == 0:
        code = check_order(order)
    if code == 0 and shared_of(mem):
        code = UNSUPPORTED
    if code:
        return code
    pages = 1 << order
    if in_lists_of(mem, zone) < pages or not is_above(mem, zone, level, order, False):
        return 0
    change(mem, cpu, zone, -pages, 0, False)
    return 1


@kernel
def count_of(
    mem: CounterMemory, cpu: int, preferred: int, zone: int, times: int, interleave: bool
) -> int:
    """Serve whoever counts allocations."""
    code = check_cpu(mem, cpu)
    if code == 0:
        code = check_zone(mem, preferred)
    if code == 0:
        code = check_zone(mem, zone)
    if code:
        return code
    if times < 1 or times > MOST_TIMES:
        return BAD_RANGE
    count(mem, cpu, preferred, zone, times, interleave)
    return 0


@kernel
def perform_on_cpu(mem: CounterMemory, verb: int, cpu: int, opens: bool) -> int:
    """Serve a request about a CPU."""
    if verb == PLUG:
        if cpu < 0 or cpu >= cpus_of(mem) or running_of(mem, area_of(mem, cpu)):
            return BAD_CPU
        plug(mem, cpu)
        return 0
    code = check_cpu(mem, cpu)
    if code:
        return code
    if verb == REFRESH:
        if opens and shared_of(mem):
            return UNSUPPORTED
        return refresh(mem, cpu, opens)
    if nr_running_of(mem) == 1:
        return BAD_CPU
    unplug(mem, cpu)
    return 0


@kernel
def perform_rare(mem: CounterMemory, verb: int, where: int, amount: int, flags: int) -> int:
    """Serve a request that changes what counting follows."""
    if verb in (WAKE, REST):
        code = check_node(mem, where)
        if code:
            return code
        if verb == WAKE:
            wake(mem, where)
        else:
            rest(mem, where)
        return 0
    if verb == MIN_FREE:
        if amount < 0 or amount >= 1 << 32:
            return BAD_RANGE
        change_min_free(mem, amount)
        return 0
    if verb == RESIZE:
        code = check_zone(mem, where)
        if code:
            return code
        if amount < 1 or amount > MAX_PAGES:
            return BAD_RANGE
        resize(mem, where, amount, flags & SILENT != 0)
        return 0
    on = 1 if verb == NUMA_ON else 0
    if not numa_switch_of(mem) or numa_on_of(mem) == on:
        return UNSUPPORTED
    set_numa(mem, on)
    return 0


@kernel
def perform(
    mem: CounterMemory,
    verb: int,
    cpu: int,
    item: int,
    where: int,
    amount: int,
    times: int,
    flags: int,
) -> int:
    """Serve one request: 0, a number of its own, or a refusal's code.

    There is room for MOST_OPENED more updates under way.
    """
    if verb <= DEC:
        return change_of(mem, verb, cpu, item, where, amount, times, flags)
    if verb == COUNT:
        return count_of(mem, cpu, amount, where, times, flags & INTERLEAVED != 0)
    if verb == LAND:
        if amount < 0 or amount >= updates_of(mem):
            return NO_UPDATE
        land(mem, amount)
        return 0
    if verb == READ:
        return read_of(mem, item, where, flags & CLOSE != 0)
    if verb == TAKE:
        return take(mem, cpu, where, flags >> LEVEL_SHIFT, amount)
    if verb == CHECK:
        code = check_zone(mem, where)
        if code == 0:
            code = check_order(amount)
        if code:
            return code
        level = flags >> LEVEL_SHIFT
        return 1 if is_above(mem, where, level, amount, flags & RECLAIM != 0) else 0
    if verb in (REFRESH, UNPLUG, PLUG):
        return perform_on_cpu(mem, verb, cpu, flags & OPEN != 0)
    return perform_rare(mem, verb, where, amount, flags)


@kernel
def perform_rows(mem: CounterMemory, rows: Words, first: int, end: int) -> int:
    """Serve the requests of rows from `first` up to `end`, and write their results.

    Returns the first row that was not served: `end`, or one that would want a larger table of
    updates under way.
    """
    for number in range(first, end):
        if updates_of(mem) + MOST_OPENED > room_of(mem):
            return number
        at = number * COLUMNS
        result = perform(
            mem,
            word_at(rows, at + COLUMN_VERB),
            word_at(rows, at + COLUMN_CPU),
            word_at(rows, at + COLUMN_ITEM),
            word_at(rows, at + COLUMN_WHERE),
            word_at(rows, at + COLUMN_AMOUNT),
            word_at(rows, at + COLUMN_TIMES),
            word_at(rows, at + COLUMN_FLAGS),
        )
        set_word(rows, at + COLUMN_RESULT, result)
    return end
