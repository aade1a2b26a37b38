"""`pagefuzz show`: a trace as pictures, one a step."""

from pathlib import Path

import click

from pagefuzz.cli.traces import read_trace
from pagefuzz.drawing import answered, drawn
from pagefuzz.errors import UsageError
from pagefuzz.exits import Exit
from pagespec.boot import boot
from pagespec.events import Event, Kind
from pagespec.ops import perform
from pagespec.trace import Names, line_of
from pagespec.zone import Zone

TURNS = {
    Kind.SPLIT: "expand: split page[{pfn}] order {order}",
    Kind.MERGE: "merge: two of order {order} become page[{pfn}]",
    Kind.TAIL: "page[{pfn}] order {order} goes to the tail: a merge is likely",
}
"""The events that explain a picture, in words."""


@click.command()
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--step", type=click.IntRange(min=0), help="Only this request; 0 is boot.")
def command(path: Path, step: int | None) -> Exit:
    """Draw each step of a trace as the spec takes it.

    Free lists by order with the head at the left, what is held, and the counters, in the manner of
    the 2004 mail that proposed the order in the page.
    """
    trace = read_trace(path)
    if step is not None and step > len(trace.requests):
        raise UsageError(f"--step {step}: the trace has {len(trace.requests)} requests")
    zone, names = boot(trace.machine), Names()
    _draw(step, 0, "boot", zone, [])
    for number, request in enumerate(trace.requests, 1):
        op = names.op_of(request)
        if op is None:
            print(f"{number}: {line_of(request)}\n    skipped: its block was never given out\n")
            continue
        zone.log.clear()
        outcome = perform(zone, op)
        names.learn(request, outcome)
        title = f"{line_of(request._replace(answer=None))}    {answered(op, outcome)}"
        _draw(step, number, title, zone, zone.log)
    return Exit.HELD


def _draw(only: int | None, number: int, title: str, zone: Zone, log: list[Event]) -> None:
    if only not in (None, number):
        return
    print(f"{number}: {title}")
    for event in log:
        if event.kind in TURNS:
            print(f"    {TURNS[event.kind].format(pfn=event.pfn, order=event.order)}")
    print("\n".join(f"        {line}" for line in drawn(zone)), end="\n\n")
