"""`pagefuzz show`: a trace as pictures, one a step."""

from collections.abc import Iterable
from pathlib import Path

import click

from pagefuzz.cli.traces import named, read_trace
from pagefuzz.compaction.target import served
from pagefuzz.drawing import LEGEND, answered, drawn, frame_by_frame
from pagefuzz.drawing_compaction import compaction_drawn, runs_told
from pagefuzz.drawing_counters import changes_told, counters_drawn
from pagefuzz.drawing_slabs import slabs_drawn
from pagefuzz.drawing_turns import turns
from pagefuzz.errors import UsageError
from pagefuzz.exits import Exit
from pagefuzz.hosts.stage import Stage, stage_of
from pagefuzz.record import complaint_of
from pagefuzz.report.words import counted
from pagefuzz.schedule.drawing import start_drawn, steps_drawn, without_answer
from pagespec.compaction.ops import start as start_compaction
from pagespec.compaction.trace import (
    CompactionNames,
    CompactionTrace,
    compaction_answer_text,
    compaction_line_of,
)
from pagespec.events import Kind
from pagespec.laws.law import LawBroken
from pagespec.machine import Machine
from pagespec.schedule.opening import opened
from pagespec.schedule.running import BY_GENERATORS
from pagespec.schedule.trace import ScheduleTrace, asked_line
from pagespec.slab.ops import perform as perform_slab
from pagespec.slab.ops import start
from pagespec.slab.state import copy_of_slabs
from pagespec.slab.trace import SlabNames, SlabTrace, slab_answer_text, slab_line_of
from pagespec.trace import Names, Request, line_of
from pagespec.verbs import Op, Outcome, Verb
from pagespec.vmstat.counters import boot_counters, copy_of_counters
from pagespec.vmstat.ops import perform
from pagespec.vmstat.trace import CounterTrace, counter_answer_text, counter_line_of

SILENT = frozenset({Verb.AGE, Verb.UNPLUG, Verb.PLUG, Verb.REST})
"""The verbs that may change what every zone of a host keeps, without any event."""


@click.command()
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--step", type=click.IntRange(min=0), help="Only this request or step; 0 is boot.")
def command(path: Path, step: int | None) -> Exit:
    """Draw each step of a trace as the spec takes it.

    Free lists by order with the head at the left, what is held, and the counters, in the manner of
    the 2004 mail that proposed the order in the page; and what CPUs keep, the next to be served at
    the left and the next to be drained at the right, with the sizes of their lists. On a machine
    with pageblocks lists, blocks and pageblocks carry the kernel's letter for their type: U
    unmovable, M movable, E reclaimable, H the reserve for atomic requests, C CMA, I isolated, R the
    reserve that came before.

    Of a host the zones are drawn that the request came to or names a frame of, with what they count
    of the nodes asked; none if it was refused before it came to any.

    Of a schedule each step is drawn: who takes it, where that context stood, what came of it, what
    it holds, whether interrupts reach its CPU and which frames it has in flight; of the zone what
    has changed. A context is further in than those before it, and a line marks where another goes
    on. The last line is the law that broke.

    Of counters those are drawn that are not 0: what their zones, nodes and the machine were told,
    what each CPU keeps, and what is under way, all of which add up to the truth; beside the
    threshold beyond which a CPU tells.

    Of slabs each cache is drawn: the slab that each CPU serves from with the chain of free objects
    that is its own, its partial slabs and the node's, what arrays hold, the next to be served at
    the left; then what callers hold, as slab#number, and what groups are charged.

    Of a zone that is compacted also what a run met, frame by frame, where blocks were moved, which
    ones are on the LRU, and where later runs begin.
    """
    trace = read_trace(path)
    if isinstance(trace, ScheduleTrace):
        with named(path):
            _draw_schedule(step, trace)
        return Exit.HELD
    if step is not None and step > len(trace.requests):
        raise UsageError(f"--step {step}: the trace has {counted(len(trace.requests), 'request')}")
    if isinstance(trace, CounterTrace):
        _draw_counters(step, trace)
        return Exit.HELD
    if isinstance(trace, SlabTrace):
        _draw_slabs(step, trace)
        return Exit.HELD
    if isinstance(trace, CompactionTrace):
        _draw_compaction(step, trace)
        return Exit.HELD
    with named(path):
        stage, names = stage_of(trace), Names()
    _print_legend(zone.machine for zone in stage.zones)
    _draw(step, 0, "boot", stage, range(len(stage.zones)))
    for number, request in enumerate(trace.requests, 1):
        op = names.op_of(request)
        if op is None:
            print(f"{number}: {line_of(request)}\n    skipped: its block was never given out\n")
            continue
        for zone in stage.zones:
            zone.log.clear()
        outcome = stage.serve(op)
        slots = {pfn: slot for zone in stage.zones for pfn, slot in zone.slots.items()}
        names.learn(request, outcome, slots)
        title = f"{line_of(request._replace(answer=None))}    {answered(op, outcome)}"
        _draw(step, number, title, stage, _concerned(stage, request, op, outcome))
    return Exit.HELD


def _draw_counters(only: int | None, trace: CounterTrace) -> None:
    """Draw what each request did to the counters, and how they stand."""
    counters = boot_counters(trace.machine)
    _print(only, 0, "boot", [], counters_drawn(counters))
    for number, request in enumerate(trace.requests, 1):
        before = copy_of_counters(counters)
        outcome = perform(counters, request.op)
        line = counter_line_of(trace.machine, request._replace(answer=None))
        title = f"{line}    {counter_answer_text(request.op.verb, outcome)}"
        changes = changes_told(before, counters)
        _print(only, number, title, changes, counters_drawn(counters, before))


def _draw_slabs(only: int | None, trace: SlabTrace) -> None:
    """Draw what each request left of caches, groups and what callers hold."""
    slabs, names = start(trace.machine), SlabNames()
    _print(only, 0, "boot", [], slabs_drawn(slabs))
    for number, request in enumerate(trace.requests, 1):
        op = names.op_of(request)
        line = slab_line_of(request._replace(answer=None))
        if op is None:
            _print(only, number, line, ["skipped: its object was never given out"], [])
            continue
        before = copy_of_slabs(slabs)
        outcome = perform_slab(slabs, op)
        names.learn(request, outcome, slabs.slots)
        title = f"{line}    {slab_answer_text(op.verb, outcome)}"
        _print(only, number, title, [], slabs_drawn(slabs, before))


def _draw_compaction(only: int | None, trace: CompactionTrace) -> None:
    """Draw what each request met, and how the zone stands."""
    compaction, names = start_compaction(trace.machine), CompactionNames()
    _print_legend([trace.machine.zone])
    _print(only, 0, "boot", [], compaction_drawn(compaction))
    for number, request in enumerate(trace.requests, 1):
        op = names.op_of(request)
        line = compaction_line_of(request._replace(answer=None))
        if op is None:
            _print(only, number, line, ["skipped: its block was never given out"], [])
            continue
        outcome = served(compaction, op)
        names.learn(request.name, op, outcome, compaction.moves)
        title = f"{line}    {compaction_answer_text(op.verb, outcome)}"
        told = [*turns(compaction.zone.log), *runs_told(compaction)]
        _print(only, number, title, told, compaction_drawn(compaction))


def _draw_schedule(only: int | None, trace: ScheduleTrace) -> None:
    """Draw what each step did, and at the end which law it broke."""
    scenario = trace.scenario
    world = opened(scenario, BY_GENERATORS)
    first = [asked_line(scenario, without_answer(asked)) for asked in scenario.setup]
    if isinstance(scenario.machine, Machine):
        _print_legend([scenario.machine])
    _print(only, 0, "boot", first, start_drawn(world))
    number = 0
    broken: LawBroken | None = None
    for number, (step, lines) in enumerate(steps_drawn(world, trace.schedule), 1):
        broken = step.broken
        if only in (None, number):
            print("\n".join(lines))
    if only is not None and only > number:
        raise UsageError(f"--step {only}: the schedule comes to {counted(number, 'step')}")
    print(f"\n{complaint_of(broken) if broken is not None else 'every law held'}")


def _print_legend(machines: Iterable[Machine]) -> None:
    if any(map(frame_by_frame, machines)):
        print(f"{LEGEND}\n")


def _print(
    only: int | None, number: int, title: str, turns: Iterable[str], lines: Iterable[str]
) -> None:
    if only in (None, number):
        print(f"{number}: {title}")
        for turn in turns:
            print(f"    {turn}")
        for line in lines:
            print(f"        {line}")
        print()


def _concerned(stage: Stage, request: Request, op: Op, outcome: Outcome) -> list[int]:
    """The zones to draw after a request."""
    if len(stage.zones) == 1 or (op.verb in SILENT and outcome >= 0):
        return list(range(len(stage.zones)))
    of_frame = request.operand is not None or request.slot is not None
    return [
        at
        for at, zone in enumerate(stage.zones)
        # That it was refused stands in the log of the first zone, for want of a better one.
        if any(event.kind is not Kind.REFUSE for event in zone.log)
        or (of_frame and zone.machine.start <= op.pfn < zone.machine.end)
    ]


def _draw(only: int | None, number: int, title: str, stage: Stage, shown: Iterable[int]) -> None:
    """Draw what the request did to each of the zones, and how they stand."""
    if only not in (None, number):
        return
    print(f"{number}: {title}")
    for at in shown:
        if stage.names[at]:
            print(f"    {stage.names[at]}")
        for turn in turns(stage.zones[at].log):
            print(f"    {turn}")
        lines = [*drawn(stage.zones[at]), *filter(None, [stage.counts(at)])]
        print("\n".join(f"        {line}" for line in lines))
    print()
