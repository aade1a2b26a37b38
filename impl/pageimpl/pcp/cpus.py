"""What is done to whole CPUs: drain their lists, switch them off, age them, unplug them.

The twin of the spec's `pcp.cpus`: 0, or a refusal's code.
"""

from pageimpl.checks import BAD_CPU, UNSUPPORTED, is_no_cpu
from pageimpl.era import TUNE_DOUBLING, TUNE_PAIR, TUNE_TUNED
from pageimpl.jitcache import inlined, kernel
from pageimpl.locks import lock_lists, may_drain_others, unlock_lists
from pageimpl.memory import (
    COUNTS_IN_CELLS,
    Memory,
    boost_of,
    can_disable_of,
    counting_of,
    cpus_of,
    default_low_mark_of,
    disabled_of,
    drains_remotely_of,
    eighth_of,
    list_batch_of,
    list_high_of,
    mark_of,
    marked_of,
    on_cpu_of,
    refreshes_unplugged_of,
    set_disabled,
    set_on_cpu,
    set_sized_low,
    sets_shift_of,
    shared_of,
    sized_low_of,
    tuning_of,
)
from pageimpl.pcp.drain import drain
from pageimpl.pcp.index import area_of
from pageimpl.pcp.state import (
    batch_of,
    count_of,
    far_of,
    set_batch,
    set_high,
    set_high_max,
    set_high_min,
    set_unplugged,
    unplugged_of,
)
from pageimpl.pcp.tuning import decay
from pageimpl.vmstat.kept import tell
from pageimpl.vmstat.zone import rests, set_threshold, start
from pageimpl.watermark.levels import MARK_LOW


@kernel
def drain_kinds(mem: Memory, cpu: int, by: int) -> None:
    """Give back to the buddy all that a CPU keeps; `by` is the one at work."""
    for cold in range(sets_shift_of(mem) + 1):
        q = area_of(mem, cpu, cold)
        lock_lists(mem, q)
        drain(mem, q, count_of(mem, q), 0, by)
        unlock_lists(mem, q)


@kernel
def drain_all(mem: Memory, by: int) -> None:
    """Give back to the buddy all that any CPU keeps, as the CPU at work wants.

    Each CPU counts what it gives back, or since 6.0 the one that wants it. In a zone that is shared
    and whose lists have no lock, only that one can be drained.
    """
    if not may_drain_others(mem):
        drain_kinds(mem, by, by)
        return
    wanted_by = on_cpu_of(mem)
    for cpu in range(cpus_of(mem)):
        if not drains_remotely_of(mem):
            work_on(mem, cpu)
        drain_kinds(mem, cpu, by)
    work_on(mem, wanted_by)


@kernel
def one_that_runs(mem: Memory, cpu: int) -> int:
    """That CPU, or the first that runs if it does not."""
    if is_no_cpu(mem, cpu):
        cpu = 0
        while unplugged_of(mem, area_of(mem, cpu, 0)):
            cpu += 1
    return cpu


@inlined
def work_on(mem: Memory, cpu: int) -> None:
    """Let what follows run on that CPU.

    Threads that share a zone say so when they take its lock.
    """
    if shared_of(mem) == 0:
        set_on_cpu(mem, cpu)


@kernel
def check_lists(mem: Memory, cpu: int) -> int:
    """Refuse a machine without lists, and CPUs that do not run."""
    if cpus_of(mem) == 0:
        return UNSUPPORTED
    return BAD_CPU if is_no_cpu(mem, cpu) else 0


@kernel
def drain_cpu(mem: Memory, cpu: int) -> int:
    """Give back to the buddy all that a CPU keeps that runs."""
    code = check_lists(mem, cpu)
    if code == 0:
        drain_kinds(mem, cpu, cpu)
    return code


@kernel
def drain_every_cpu(mem: Memory, by: int) -> int:
    """Give back to the buddy all that any CPU keeps, where one may do that for all."""
    if not may_drain_others(mem):
        return UNSUPPORTED
    drain_all(mem, by)
    return 0


@kernel
def disable(mem: Memory, by: int) -> int:
    """Let the lists keep nothing until they are enabled again (since 5.12)."""
    if cpus_of(mem) == 0 or disabled_of(mem) or not can_disable_of(mem):
        return UNSUPPORTED
    if not may_drain_others(mem):
        return UNSUPPORTED
    set_disabled(mem, 1)
    resize(mem)
    drain_all(mem, by)
    return 0


@kernel
def enable(mem: Memory) -> int:
    """Give the lists their sizes back."""
    if cpus_of(mem) == 0 or not disabled_of(mem):
        return UNSUPPORTED
    set_disabled(mem, 0)
    resize(mem)
    return 0


@kernel
def running(mem: Memory, near: bool) -> int:
    """How many CPUs run, or how many of them belong to the zone's node."""
    count = 0
    for cpu in range(cpus_of(mem)):
        q = area_of(mem, cpu, 0)
        if not unplugged_of(mem, q) and not (near and far_of(mem, q)):
            count += 1
    return count


@kernel
def settle(mem: Memory) -> None:
    """After boot: let sizes and thresholds follow the marks and the CPUs."""
    measure(mem)
    start(mem)


@kernel
def measure(mem: Memory) -> None:
    """Let the sizes of the lists follow the low mark as it stands now."""
    if cpus_of(mem) != 0:
        low = mark_of(mem, MARK_LOW) + boost_of(mem) if marked_of(mem) else default_low_mark_of(mem)
        set_sized_low(mem, low)
        resize(mem)


@kernel
def resize(mem: Memory) -> None:
    """Set the sizes of every CPU's lists from those that run; what they have learnt stays.

    Since 5.14 the CPUs of the zone's node share what it may spare, or all if it has none. What the
    lists of earlier eras keep depends on no CPU.
    """
    if tuning_of(mem) < TUNE_DOUBLING:
        return
    sharing = running(mem, True)
    if sharing == 0:
        sharing = running(mem, False)
    batch, high = list_batch_of(mem), list_high_of(mem)
    if high < 0:
        high = max(sized_low_of(mem) // sharing, batch << 2)
    high_max = max(high, eighth_of(mem) // sharing, batch << 2)
    if disabled_of(mem):
        batch, high, high_max = 1, 0, 0
    for cpu in range(cpus_of(mem)):
        q = area_of(mem, cpu, 0)
        set_batch(mem, q, batch)
        if tuning_of(mem) == TUNE_TUNED:
            set_high_min(mem, q, high)
            set_high_max(mem, q, high_max)
        else:
            set_high(mem, q, high)


@kernel
def age(mem: Memory, cpu: int) -> int:
    """The periodic worker of a CPU: a high that has grown falls, and what is above it goes."""
    if tuning_of(mem) != TUNE_TUNED:
        return UNSUPPORTED
    code = check_lists(mem, cpu)
    if code == 0:
        fall_back_to_load(mem, cpu)
    return code


@kernel
def fall_back_to_load(mem: Memory, cpu: int) -> None:
    """Let a high that has grown fall, and give back what is above it."""
    q = area_of(mem, cpu, 0)
    lock_lists(mem, q)
    drain(mem, q, decay(mem, q), 0, cpu)
    unlock_lists(mem, q)


@kernel
def give_back_batch(mem: Memory, cpu: int) -> None:
    """Give back a batch of what the CPU keeps."""
    q = area_of(mem, cpu, 0)
    lock_lists(mem, q)
    drain(mem, q, batch_of(mem, q), 0, cpu)
    unlock_lists(mem, q)


@kernel
def refresh(mem: Memory, cpu: int) -> int:
    """The periodic worker of a CPU: it tells what it has counted, and looks after its lists."""
    if not counting_of(mem) & COUNTS_IN_CELLS:
        return UNSUPPORTED
    code = check_lists(mem, cpu)
    if code == 0:
        told = tell(mem, cpu)
        if tuning_of(mem) == TUNE_TUNED:
            fall_back_to_load(mem, cpu)
        if rests(mem, cpu, told, count_of(mem, area_of(mem, cpu, 0)) > 0):
            give_back_batch(mem, cpu)
    return code


@kernel
def expire(mem: Memory, cpu: int) -> int:
    """A CPU has not used a remote node's zone for a while: a batch of what it keeps goes back."""
    if tuning_of(mem) == TUNE_PAIR:
        return UNSUPPORTED
    code = check_lists(mem, cpu)
    if code == 0:
        give_back_batch(mem, cpu)
    return code


@kernel
def unplug(mem: Memory, cpu: int) -> int:
    """Take a CPU away, but for the last one: its lists are drained, and the others' resized."""
    if cpus_of(mem) < 2:
        return UNSUPPORTED
    if is_no_cpu(mem, cpu) or running(mem, False) == 1:
        return BAD_CPU
    q = area_of(mem, cpu, 0)
    set_unplugged(mem, q, 1)
    by = one_that_runs(mem, cpu)
    work_on(mem, by)
    drain_kinds(mem, cpu, by)
    if counting_of(mem) & COUNTS_IN_CELLS:
        told = tell(mem, cpu)
        rests(mem, cpu, told and refreshes_unplugged_of(mem) != 0, False)
    measure(mem)
    set_threshold(mem)
    return 0


@kernel
def plug(mem: Memory, cpu: int) -> int:
    """Bring a CPU back, with empty lists."""
    if cpus_of(mem) < 2:
        return UNSUPPORTED
    if cpu >= cpus_of(mem) or not unplugged_of(mem, area_of(mem, cpu, 0)):
        return BAD_CPU
    set_unplugged(mem, area_of(mem, cpu, 0), 0)
    measure(mem)
    set_threshold(mem)
    return 0
