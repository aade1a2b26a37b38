"""What is done to whole CPUs: their lists are emptied, switched off, aged; they come and go."""

from pagespec.pcp.tuning import Tuned, decay
from pagespec.stamps.cells import follow_cpus, is_due, leave, tell, work_on
from pagespec.stamps.kept import count_of, drain
from pagespec.stamps.sizes import nothing_kept, resized, sizes_for
from pagespec.stamps.state import Stamps, sharers


def drain_cpu(stamps: Stamps, cpu: int) -> None:
    """Give back all that a CPU keeps."""
    for cold in range(len(stamps.loads[cpu])):
        drain(stamps, cpu, bool(cold), count_of(stamps, cpu, bool(cold)))


def drain_all(stamps: Stamps) -> None:
    """Give back all that any CPU keeps.

    Until 5.18 each CPU does it, and so counts, for itself; since 6.0 whoever wants it, for all.
    """
    here = stamps.at_work
    for cpu in range(stamps.machine.cpus):
        if not stamps.machine.era.drains_remotely:
            work_on(stamps, cpu)
        drain_cpu(stamps, cpu)
    stamps.at_work = here


def disable(stamps: Stamps) -> None:
    """Let no list keep anything, and empty them."""
    stamps.disabled = True
    _resize(stamps)
    drain_all(stamps)


def enable(stamps: Stamps) -> None:
    """Let the lists keep as much as they may."""
    stamps.disabled = False
    _resize(stamps)


def unplug(stamps: Stamps, cpu: int) -> None:
    """Take a CPU away: another gives back what it keeps, and tells what it has not told."""
    stamps.unplugged.add(cpu)
    work_on(stamps, cpu)
    drain_cpu(stamps, cpu)
    leave(stamps, cpu)
    _share(stamps)
    follow_cpus(stamps)


def plug(stamps: Stamps, cpu: int) -> None:
    """Bring a CPU back."""
    stamps.unplugged.remove(cpu)
    _share(stamps)
    follow_cpus(stamps)


def age(stamps: Stamps, cpu: int) -> None:
    """Let a high that has grown fall back, and give back what is above it."""
    load = stamps.loads[cpu][0]
    if isinstance(load, Tuned):
        stamps.loads[cpu][0], pages = decay(load, count_of(stamps, cpu, False))
        drain(stamps, cpu, False, pages)


def expire(stamps: Stamps, cpu: int) -> None:
    """Give back a batch of what a CPU keeps of a zone that it has not used for a while."""
    for cold, load in enumerate(stamps.loads[cpu]):
        drain(stamps, cpu, bool(cold), load.batch)


def refresh(stamps: Stamps, cpu: int) -> None:
    """Tell what a CPU has not told; then let its lists age, and those of a far zone expire.

    What these give back is counted only after that.
    """
    told = tell(stamps, cpu)
    age(stamps, cpu)
    if is_due(stamps, cpu, told=told, keeps=count_of(stamps, cpu, False) > 0):
        expire(stamps, cpu)


def _share(stamps: Stamps) -> None:
    """Share anew what the CPUs may keep, of the low mark as it stands."""
    stamps.sizes = sizes_for(stamps.machine, sharers(stamps), stamps.boost)
    _resize(stamps)


def _resize(stamps: Stamps) -> None:
    for loads in stamps.loads:
        for cold, size in enumerate(stamps.sizes):
            load = resized(loads[cold], size)
            loads[cold] = nothing_kept(load) if stamps.disabled else load
