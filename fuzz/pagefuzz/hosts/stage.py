"""On what a trace is played to be drawn: a zone, or the zones of a host, each with its name."""

from collections.abc import Callable
from dataclasses import dataclass

from pagespec import ops, system
from pagespec.boot import boot
from pagespec.host_trace import HostTrace
from pagespec.laws.near import name_of
from pagespec.trace import Trace
from pagespec.verbs import Op, Outcome
from pagespec.zone import Zone


@dataclass(frozen=True, slots=True)
class Stage:
    """The spec with all memory free.

    names: of each zone; empty for one that is alone. serve: serves a request. counts: what each
    zone has counted of the nodes that were asked, in words; empty for one that is alone.
    """

    zones: list[Zone]
    names: list[str]
    serve: Callable[[Op], Outcome]
    counts: Callable[[int], str]


def stage_of(trace: Trace | HostTrace) -> Stage:
    """The zone of a machine, or the zones of a host."""
    if isinstance(trace, Trace):
        zone = boot(trace.machine)
        return Stage([zone], [""], lambda op: ops.perform(zone, op), lambda number: "")
    state = system.boot_system(trace.host)
    names = [name_of(trace.host, number) for number in range(len(state.zones))]

    def counts(number: int) -> str:
        numa = state.numa[number]._asdict().items()
        return "counted         " + ", ".join(f"{name} {count}" for name, count in numa)

    return Stage(state.zones, names, lambda op: system.perform(state, op), counts)
