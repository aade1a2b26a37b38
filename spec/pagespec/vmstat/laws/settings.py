"""What requests have set, kept from the requests alone: CPUs, sizes, marks and thresholds.

Marks follow min_free_kbytes and sizes; thresholds follow CPUs, and sizes since 4.9; so either can
be older than the other.
"""

from dataclasses import dataclass

from pagespec.laws.sized import GAPS
from pagespec.vmstat.laws.limits import due_normal, due_pressure
from pagespec.vmstat.machine import CounterMachine
from pagespec.vmstat.verbs import CounterOp, CounterVerb
from pagespec.watermark.marks import Marks


@dataclass(slots=True)
class Settings:
    """How a machine is set.

    standing: per zone, the threshold that its drift mark was made for, or None if it is older than
    the marks or the thresholds, or not due.
    """

    running: set[int]
    min_free: int
    pages: list[int]
    marks: list[Marks]
    thresholds: list[int]
    node_thresholds: dict[int, int]
    drift_marks: list[int]
    standing: list[int | None]
    reclaiming: set[int]
    numa_on: bool = True


def settings_of(machine: CounterMachine) -> Settings:
    """How a machine is set at boot."""
    zones = machine.zones
    settings = Settings(
        running=set(range(len(machine.cpus))),
        min_free=machine.min_free,
        pages=[zone.pages for zone in zones],
        marks=[],
        thresholds=[0] * len(zones),
        node_thresholds=dict.fromkeys(machine.nodes, 0),
        drift_marks=[0] * len(zones),
        standing=[None] * len(zones),
        reclaiming=set(),
    )
    if machine.era.early_drift_marks and len(machine.cpus) > 1:
        settings.marks = [Marks(0, 0, 0)] * len(zones)
        _tune(machine, settings)
    settings.marks = due_marks(machine, settings)
    _tune(machine, settings)
    return settings


def due_marks(machine: CounterMachine, settings: Settings) -> list[Marks]:
    """Each zone's watermarks: its share of min_free_kbytes by its size, and two gaps above it."""
    marks, total = [], sum(settings.pages)
    for pages in settings.pages:
        share = settings.min_free // 4 * pages // max(1, total)
        low, high = GAPS[machine.era.marks](share, pages)
        marks.append(Marks(share, share + low, share + high))
    return marks


def set_by(machine: CounterMachine, settings: Settings, op: CounterOp) -> None:
    """Let a legal request set what it sets."""
    if op.verb in (CounterVerb.UNPLUG, CounterVerb.PLUG):
        settings.running ^= {op.cpu}
        _tune(machine, settings)
    elif op.verb in (CounterVerb.WAKE, CounterVerb.REST):
        awake = op.verb is CounterVerb.WAKE
        (settings.reclaiming.add if awake else settings.reclaiming.discard)(op.where)
        if machine.era.lowers_thresholds:
            _lower_or_raise(machine, settings, op.where, awake=awake)
    elif op.verb is CounterVerb.MIN_FREE:
        settings.min_free = op.pages
        _mark(machine, settings)
    elif op.verb is CounterVerb.RESIZE:
        settings.pages[op.where] = op.pages
        if not op.silent:
            _mark(machine, settings)
        if not op.silent and machine.era.resized_thresholds:
            _tune(machine, settings)
    elif op.verb in (CounterVerb.NUMA_OFF, CounterVerb.NUMA_ON):
        settings.numa_on = op.verb is CounterVerb.NUMA_ON


def _mark(machine: CounterMachine, settings: Settings) -> None:
    """Set the watermarks; a drift mark stands only as long as they are those it was made for."""
    old, settings.marks = settings.marks, due_marks(machine, settings)
    settings.standing = [
        made_for if was.high == now.high else None
        for made_for, was, now in zip(settings.standing, old, settings.marks, strict=True)
    ]


def _normal(machine: CounterMachine, settings: Settings, zone: int) -> int:
    if machine.normal is not None:
        return machine.normal
    return due_normal(len(settings.running), settings.pages[zone])


def _tune(machine: CounterMachine, settings: Settings) -> None:
    """Set every threshold to the normal one, and the drift marks that are due."""
    if machine.era.cells == "none":
        return
    for zone, marks in enumerate(settings.marks):
        normal = settings.thresholds[zone] = _normal(machine, settings, zone)
        kept = len(settings.running) * normal
        settings.standing[zone] = None
        if kept > marks.low - marks.min and machine.era.close_reads != "never":
            settings.drift_marks[zone] = marks.high + kept
            settings.standing[zone] = normal
    for node in settings.node_thresholds:
        settings.node_thresholds[node] = max(
            threshold
            for threshold, zone in zip(settings.thresholds, machine.zones, strict=True)
            if zone.node == node
        )


def _lower_or_raise(machine: CounterMachine, settings: Settings, node: int, *, awake: bool) -> None:
    for number, zone in enumerate(machine.zones):
        if zone.node == node and settings.drift_marks[number]:
            pressure = machine.pressure
            if pressure is None:
                pressure = due_pressure(len(settings.running), settings.marks[number])
            normal = _normal(machine, settings, number)
            settings.thresholds[number] = pressure if awake else normal
