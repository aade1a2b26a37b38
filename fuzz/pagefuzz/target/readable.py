"""Whether what an allocator shows as its state can be judged at all.

Asked only when a law has stumbled over a state: laws trust the types of what they read, and to
check every field at every step would cost as much as the laws do.
"""

from collections.abc import Iterable, Iterator

from pagespec.machine import MAX_SLOTS, Machine
from pagespec.migratetype import MigrateType
from pagespec.pcp.state import Pcp
from pagespec.watermark.marks import Marks
from pagespec.zone import STATE, Held, Zone, empty_zone


def unreadable(zone: Zone, machine: Machine) -> str | None:
    """What no law can read in the state, in a sentence; None if each field is of its kind."""
    return next(_faults(zone, machine), None)


def _faults(zone: Zone, machine: Machine) -> Iterator[str]:
    plain = empty_zone(machine)
    for field in STATE:
        got: object = getattr(zone, field)
        kind = type(getattr(plain, field))
        if not isinstance(got, kind):
            yield _complaint(field, got, f"of type {kind.__name__}")
    orders = range(machine.top + 1)
    for field, per_order in (
        ("free_area", zone.free_area),
        ("nr_free", zone.nr_free),
        ("pair_bits", zone.pair_bits),
    ):
        if len(per_order) != len(orders):
            yield _complaint(field, per_order, f"with an entry for each order 0..{machine.top}")
    yield from _strays("nr_free", zone.nr_free, int, "of whole numbers")
    yield from _strays("pageblocks", zone.pageblocks, MigrateType, "of migratetypes")
    yield from _strays("pair_bits", zone.pair_bits, set, "of sets of pairs")
    yield from _strays("free_area", zone.free_area, dict, "of lists by type for each order")
    for lists in zone.free_area:
        yield from _strays("free_area", lists, MigrateType, "with migratetypes for keys")
        yield from _strays("free_area", lists.values(), dict, "of OrderedDicts of frames")
        for heads in lists.values():
            yield from _far("free_area", heads, machine)
    for field, frames in (
        ("tag", zone.tag),
        ("held", zone.held),
        ("given", zone.given),
        ("guards", zone.guards),
        ("poisoned", zone.poisoned),
        ("offline", zone.offline),
        ("slots", zone.slots),
    ):
        yield from _far(field, frames, machine)
    yield from _strays("held", zone.held.values(), Held, "of Held by frame")
    yield from _disordered("tag", zone.tag.values(), machine)
    yield from _disordered("guards", zone.guards.values(), machine)
    yield from _disordered("held", [held.order for held in zone.held.values()], machine)
    refs = [held.refs for held in zone.held.values()]
    yield from _strays("held", refs, int, "with whole numbers of references")
    yield from _faults_of_cpus(zone, plain)


def _faults_of_cpus(zone: Zone, plain: Zone) -> Iterator[str]:
    """What no law can read in the CPUs' lists, the marks and the array of bulk requests."""
    machine = zone.machine
    yield from _strays(
        "slots", zone.slots.values(), int, "with the number of a slot for each frame"
    )
    for slot in zone.slots.values():
        if not 0 <= slot < MAX_SLOTS:
            yield _complaint("slots", slot, f"with slots 0..{MAX_SLOTS - 1}")
    for cpu in zone.unplugged:
        if cpu not in range(machine.cpus):
            yield _complaint("unplugged", cpu, f"of CPUs 0..{machine.cpus - 1}")
    if zone.levels is not None:
        yield from _strays("levels", [zone.levels.marks], Marks, "with Marks")
        yield from _strays("levels", [*zone.levels.marks, zone.levels.boost], int, "of frames")
    if len(zone.pcps) != machine.cpus:
        yield _complaint("pcps", zone.pcps, f"with an entry for each of {machine.cpus} CPUs")
    for pcps, due in zip(zone.pcps, plain.pcps, strict=False):
        yield from _strays("pcps", pcps, Pcp, "of Pcps by CPU")
        if len(pcps) != len(due):
            yield _complaint("pcps", pcps, f"with {len(due)} Pcps for each CPU")
        for pcp, empty in zip(pcps, due, strict=False):
            yield from _strays("pcps", [pcp.load], type(empty.load), "with the sizes of its era")
            yield from _strays("pcps", [pcp.count], int, "with whole numbers for counts")
            if len(pcp.lists) != len(empty.lists):
                yield _complaint("pcps", pcp.lists, f"with {len(empty.lists)} lists for each CPU")
            for blocks in pcp.lists:
                yield from _strays("pcps", [blocks], dict, "of OrderedDicts of frames")
                yield from _strays("pcps", blocks.values(), MigrateType, "with types for values")
                yield from _far("pcps", blocks, machine)


def _strays(field: str, entries: Iterable[object], kind: type, expected: str) -> Iterator[str]:
    for entry in entries:
        if not isinstance(entry, kind):
            yield _complaint(field, entry, expected)


def _far(field: str, frames: Iterable[object], machine: Machine) -> Iterator[str]:
    """Masks of frames that lie far out would not fit in memory."""
    near = range(machine.start - machine.pages, machine.end + machine.pages)
    for pfn in frames:
        if not isinstance(pfn, int) or pfn not in near:
            yield _complaint(field, pfn, "of frames near the zone")


def _disordered(field: str, given: Iterable[object], machine: Machine) -> Iterator[str]:
    for order in given:
        if not isinstance(order, int) or not 0 <= order <= machine.top:
            yield _complaint(field, order, f"with orders 0..{machine.top}")


def _complaint(field: str, got: object, expected: str) -> str:
    return f"state() shows {repr(got)[:60]} in {field}; expected {field} {expected}"
