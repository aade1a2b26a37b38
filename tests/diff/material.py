"""The traces of the page about eras, and what two eras show, without any of the code under test."""

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from pagespec.boot import boot
from pagespec.era import ERAS, Era
from pagespec.events import Event, Kind
from pagespec.ops import perform
from pagespec.trace import Names, Trace
from pagespec.trace_reader import parse
from pagespec.verbs import Outcome
from pagespec.zone import Lists, Zone, lists_of

PAGE = Path(__file__).parents[2] / "docs" / "eras.md"


class Documented(NamedTuple):
    """A trace of the page: under which heading, its text, and the two eras that it parts."""

    heading: str
    text: str
    eras: tuple[Era, Era]
    trace: Trace

    @property
    def name(self) -> str:
        """What a test calls it."""
        return self.heading.replace(" ", "-").replace("`", "")


def documented() -> list[Documented]:
    """Every trace of the page in order."""
    found = []
    heading = ""
    lines = iter(PAGE.read_text().split("\n"))
    for line in lines:
        if line.startswith("#"):
            heading = line.lstrip("# ")
        elif line == "```":
            block = []
            for inside in lines:
                if inside == "```":
                    break
                block.append(inside)
            if block[0].startswith("pagefuzz-trace"):
                trace = parse("\n".join(block) + "\n")
                one, _, other, *_ = trace.comments[0].split()
                eras = ERAS[one], ERAS[other]
                found.append(Documented(heading, "\n".join(block) + "\n", eras, trace))
    return found


class Shown(NamedTuple):
    """What can be seen after a request."""

    outcome: Outcome
    lists: Lists
    pageblocks: list[str]
    counts: tuple[int, int, int]
    places: tuple[object, ...]
    cpus: tuple[object, ...]
    log: list[Event]


def shown_by(trace: Trace, era: Era) -> list[Shown]:
    """What the era's spec shows at boot and after each request of the trace."""
    zone, names = boot(replace(trace.machine, era=era)), Names()
    shown = [_shown(zone, 0)]
    for request in trace.requests:
        op = names.op_of(request)
        assert op is not None
        zone.log.clear()
        outcome = perform(zone, op)
        names.learn(request, outcome, zone.slots)
        shown.append(_shown(zone, outcome))
    return shown


def _shown(zone: Zone, outcome: Outcome) -> Shown:
    tracepoints = (Kind.ALLOC, Kind.FREE, Kind.ZONE_LOCKED, Kind.EXTFRAG, Kind.PCPU_DRAIN)
    levels = zone.levels
    return Shown(
        outcome,
        [{mt: heads for mt, heads in lists.items() if heads} for lists in lists_of(zone)],
        [mt.name for mt in zone.pageblocks],
        (zone.free_pages, zone.free_cma, zone.nr_reserved),
        (dict(zone.held), dict(zone.guards), set(zone.poisoned), set(zone.offline)),
        (
            [
                [[list(blocks) for blocks in pcp.lists if blocks] for pcp in pcps if pcp.count]
                for pcps in zone.pcps
            ],
            dict(zone.slots),
            levels and (levels.boost, levels.below_high, levels.reclaiming),
            (zone.pgalloc, zone.pgfree),
            # As text, since a zone changes its cells in place.
            repr(zone.cells),
        ),
        [event for event in zone.log if event.kind in tracepoints],
    )
