"""What is done to whole CPUs: drain their lists, switch them off, age them, unplug them.

Source: mm/page_alloc.c (drain_all_pages, zone_pcp_disable, decay_pcp_high, page_alloc_cpu_dead),
2.6.11 to 6.12.
"""

from pagespec.checks import check_cpu, check_supported, refused
from pagespec.events import Event, Kind
from pagespec.guards import RULES
from pagespec.pcp.lists import drain
from pagespec.pcp.resize import measure, resize
from pagespec.pcp.tuning import SCALE, Tuned, decay
from pagespec.steps import Guard, Step, Steps, Visit
from pagespec.types import BadCpu
from pagespec.vmstat.kept import Cells, Count, take_out
from pagespec.vmstat.zone import rests, set_threshold
from pagespec.zone import Zone


def work_on(zone: Zone, cpu: int) -> None:
    """Let what follows run on that CPU, or on the first that runs if it does not."""
    cpus = zone.machine.cpus
    if not 0 <= cpu < cpus or cpu in zone.unplugged:
        cpu = next((other for other in range(cpus) if other not in zone.unplugged), 0)
    zone.on_cpu = cpu


def drain_cpu(zone: Zone, cpu: int) -> Steps[None]:
    """Give back to the buddy all that a CPU keeps."""
    check_supported(zone, zone.machine.cpus > 0)
    check_cpu(zone, cpu)
    yield from _drain(zone, cpu)


def _drain(zone: Zone, cpu: int) -> Steps[None]:
    era = zone.machine.era
    kinds = len(zone.pcps[cpu])
    kind = 0
    while kind < kinds:
        pcp = zone.pcps[cpu][kind]
        kind += 1
        # A refill lists before it counts: so whoever looks without the guard may see nothing.
        more = pcp.count > 0 or not era.looks_before_guard
        while more:
            yield Guard(cpu)
            pages = min(pcp.count, pcp.load.batch << SCALE) if era.drains_in_parts else pcp.count
            more = pages < pcp.count
            if pages:
                yield Step.LOCK
                drain(zone, pcp, pages)
                yield Step.UNLOCK
            yield Step.UNGUARD


def drain_all(zone: Zone) -> Steps[None]:
    """Give back to the buddy all that any CPU keeps.

    Each CPU gives back what is its own, and counts it; since 6.0 the one that wants it does so for
    all.
    """
    remotely = zone.machine.era.drains_remotely
    wanted_by = zone.on_cpu
    cpu = 0
    while cpu < zone.machine.cpus:
        if not remotely:
            yield Visit(cpu)
            zone.on_cpu = cpu
        yield from _drain(zone, cpu)
        if not remotely:
            yield Step.BACK
            zone.on_cpu = wanted_by
        cpu += 1


def disable(zone: Zone) -> Steps[None]:
    """Let the lists keep nothing until they are enabled again: every free drains what it adds."""
    machine = zone.machine
    check_supported(zone, machine.cpus > 0 and not zone.disabled and machine.era.can_disable)
    zone.disabled = True
    yield from resize(zone)
    yield from drain_all(zone)


def enable(zone: Zone) -> Steps[None]:
    """Give the lists their sizes back."""
    check_supported(zone, zone.machine.cpus > 0 and zone.disabled)
    zone.disabled = False
    yield from resize(zone)


def age(zone: Zone, cpu: int) -> Steps[None]:
    """The periodic worker of a CPU: a high that has grown falls back, and what is above it goes."""
    check_supported(zone, zone.machine.cpus > 0 and zone.machine.era.tuning == "tuned")
    check_cpu(zone, cpu)
    yield from _age(zone, cpu)


def _age(zone: Zone, cpu: int) -> Steps[None]:
    pcp = zone.pcps[cpu][0]
    assert isinstance(pcp.load, Tuned)
    pcp.load, pages = decay(pcp.load, pcp.count)
    if pages:
        # Somebody else may have drained some of it until the guard is had.
        yield Guard(cpu)
        yield Step.LOCK
        drain(zone, pcp, pages)
        yield Step.UNLOCK
        yield Step.UNGUARD


def check_can_expire(zone: Zone, cpu: int) -> None:
    """Refuse eras that let lists be, and CPUs that do not run."""
    check_supported(zone, zone.machine.cpus > 0 and zone.machine.era.tuning != "pair")
    check_cpu(zone, cpu)


def expire(zone: Zone, cpu: int) -> Steps[None]:
    """A CPU has not used a remote node's zone for a while: a batch of what it keeps goes back."""
    check_can_expire(zone, cpu)
    yield from _expire(zone, cpu)


def _expire(zone: Zone, cpu: int) -> Steps[None]:
    pcp = zone.pcps[cpu][0]
    # Since lists have a lock of their own, it is taken only if there is something to drain.
    within = not RULES[zone.machine.era.guard].locks
    if within:
        yield Guard(cpu)
    pages = min(pcp.count, pcp.load.batch)
    if pages and not within:
        yield Guard(cpu)
    if pages:
        yield Step.LOCK
        drain(zone, pcp, pages)
        yield Step.UNLOCK
    if pages or within:
        yield Step.UNGUARD


def _read_out(count: Count, cpu: int) -> Steps[bool]:
    """Let a CPU tell what it keeps; whether that was anything. In between it is in flight."""
    yield Step.EDIT
    pages = take_out(count, cpu)
    if pages:
        yield Step.TELL
        count.told += pages
    return pages != 0


def _read_out_cells(cells: Cells, cpu: int) -> Steps[bool]:
    """The same of all that a CPU keeps of one zone."""
    free = yield from _read_out(cells.free, cpu)
    cma = yield from _read_out(cells.cma, cpu)
    return free or cma


def refresh(zone: Zone, cpu: int) -> Steps[None]:
    """The periodic worker of a CPU: it tells what it has counted, and looks after its lists.

    What these give back then is counted anew, so a CPU can keep something right after it.
    """
    cells = zone.cells
    check_supported(zone, cells is not None)
    check_cpu(zone, cpu)
    told = False
    if cells is not None:
        told = yield from _read_out_cells(cells, cpu)
        if told:
            zone.log.append(Event(Kind.READ_OUT, cpu, 0))
    if zone.machine.era.tuning == "tuned":
        yield from _age(zone, cpu)
    if rests(zone, cpu, told=told, kept=zone.pcps[cpu][0].count > 0):
        yield from _expire(zone, cpu)


def unplug(zone: Zone, cpu: int) -> Steps[None]:
    """Take a CPU away: its lists are drained; the others share what it could keep (since 5.14).

    How long its lists had still to rest is not forgotten until it comes back.
    """
    check_supported(zone, zone.machine.cpus > 1)
    check_cpu(zone, cpu)
    if zone.machine.cpus - len(zone.unplugged) == 1:
        raise refused(zone, BadCpu, 0, 0, f"cpu {cpu}")
    zone.unplugged.add(cpu)
    work_on(zone, cpu)
    zone.log.append(Event(Kind.UNPLUGGED, cpu, 0))
    yield from _drain(zone, cpu)
    if zone.cells is not None:
        told = yield from _read_out_cells(zone.cells, cpu)
        rests(zone, cpu, told=told and zone.machine.era.refreshes_unplugged, kept=False)
    yield from measure(zone)
    set_threshold(zone)


def plug(zone: Zone, cpu: int) -> Steps[None]:
    """Bring a CPU back, with empty lists."""
    check_supported(zone, zone.machine.cpus > 1)
    if cpu not in zone.unplugged:
        raise refused(zone, BadCpu, 0, 0, f"cpu {cpu}")
    zone.unplugged.discard(cpu)
    zone.log.append(Event(Kind.PLUGGED, cpu, 0))
    yield from measure(zone)
    set_threshold(zone)
