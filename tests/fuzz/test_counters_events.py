"""Events of counters: told by hand from requests whose course the kernel's rules fix."""

import pytest

from pagefuzz.counters.events import CounterEvent, events_of_boot, name_of_counter_event
from pagefuzz.counters.floor import counter_floor
from pagefuzz.counters.lockstep import CounterLockstep
from pagefuzz.counters.target import SpecCounters
from pagespec.era import ERAS
from pagespec.types import Refusal
from pagespec.vmstat.counters import boot_counters
from pagespec.vmstat.trace_reader import parse_counters
from pagespec.vmstat.verbs import CounterVerb

HEAD = "pagefuzz-trace 1\ncounters era=6.1 cpus=0,1 normal=2 pressure=0\n"
ZONES = "zone node=0 pages=500\nzone node=1 pages=500\n"


def met(*requests: str, head: str = HEAD) -> set[tuple[str, int]]:
    """What the last of the requests meets."""
    trace = parse_counters(head + ZONES + "\n".join(requests) + "\n")
    lockstep = CounterLockstep(trace.machine, SpecCounters)
    for request in trace.requests[:-1]:
        lockstep.step(request.op)
    lockstep.reached.clear()
    lockstep.step(trace.requests[-1].op)
    return {(event.name, number) for event, number in lockstep.reached}


@pytest.mark.parametrize(
    ("requests", "events"),
    [
        (["mod free zone=0 by=2"], set()),
        (["mod free zone=0 by=3"], {("UP", 0)}),
        (["mod free zone=0 by=2", "inc free zone=0"], {("UP", 1), ("OVERSTEP", 0)}),
        (["mod free zone=0 by=-2", "dec free zone=0"], {("DOWN", 2), ("OVERSTEP", 0)}),
        (["mod free zone=0 by=3 open=1"], {("OPEN", 0)}),
        # Before the cell is written the zone is told, then all.
        (["mod free zone=0 by=3 open=1", "land number=0"], {("LANDED", 0)}),
        (["mod free zone=0 by=3 open=1", "land number=0", "land number=0"], {("LANDED", 1)}),
        (["mod free zone=0 by=3 open=1", *["land number=0"] * 3], {("LANDED", 2)}),
        # An exchange has written it by then.
        (
            ["mod free zone=0 by=3 open=1 irqs_on=1", *["land number=0"] * 3],
            {("REFUSED", Refusal.NO_UPDATE)},
        ),
        (
            ["mod free zone=0 by=3 open=1", "inc free zone=0"],
            {("REFUSED", Refusal.BUSY)},
        ),
        # At 0 kswapd's threshold makes an exchange tell on its way back; a plain step does not.
        (
            ["mod free zone=0 by=2", "wake node=0", "dec free zone=0 irqs_on=1"],
            {("BACK", 0), ("UP", 2)},
        ),
        (["mod free zone=0 by=2", "wake node=0", "dec free zone=0"], {("BEYOND", 0)}),
        (["wake node=0"], {("LOWERED", 0)}),
        (["wake node=0", "rest node=0"], {("RESTORED", 0)}),
        (["wake node=0", "unplug cpu=1"], {("RESET", 0), ("MARKED", 0)}),
        (["refresh cpu=0"], set()),
        (["inc free zone=0", "refresh cpu=0"], {("REFRESHED", 0)}),
        (["inc free zone=0", "refresh cpu=0 open=1"], {("REFRESHED", 0), ("HELD", 0)}),
        (
            ["inc free zone=0", "refresh cpu=0 open=1", "read free all=1"],
            {("LAGGED", 0)},
        ),
        (["inc free zone=0 cpu=1", "read free zone=0"], set()),
        (["inc free zone=0 cpu=1", "read free zone=0 close=1"], {("CLOSE", 0)}),
        (["mod cma zone=0 by=-3", "read cma zone=0"], {("CLAMPED", 0)}),
        (["read cma zone=0"], set()),
        (["minfree kbytes=400"], {("OUTDATED", 0)}),
        (["resize zone=0 pages=600"], set()),
        # The drift mark is the high mark and two CPUs' thresholds: 4 frames.
        (["mod free zone=0 by=-496", "check zone=0 level=low order=0 reclaim=1"], set()),
        (
            ["mod free zone=0 by=-497", "check zone=0 level=low order=0 reclaim=1"],
            {("LOOKED", 0)},
        ),
        (
            [
                *("mod free zone=0 by=-499", "dec free zone=0"),
                "check zone=0 level=low order=0 reclaim=1",
            ],
            {("LOOKED", 0), ("CHANGED_MIND", 0)},
        ),
        (["take zone=0 level=min order=0"], {("TAKEN", 0)}),
        (["take zone=0 level=min order=9"], {("DECLINED", 0)}),
        # The mark is at 100; the last of two frames is taken unseen from below it.
        (
            [
                *("minfree kbytes=800", "mod free zone=0 by=-399"),
                *["take zone=0 level=min order=0"] * 2,
            ],
            {("TAKEN", 0), ("BREACHED", 0)},
        ),
        (["count zone=0 preferred=0"], {("COUNTED", 4)}),
        (["count zone=0 preferred=1"], {("COUNTED", 4), ("MISSED", 0)}),
        (["count zone=0 preferred=0", "read hit zone=0"], {("FOLDED", 0)}),
        (["numaoff"], set()),
        (["count zone=0 preferred=0", "numaoff"], {("ZEROED", 0)}),
        (["numaoff", "count zone=0 preferred=0"], {("UNCOUNTED", 0)}),
    ],
)
def test_what_a_request_meets(requests: list[str], events: set[tuple[str, int]]) -> None:
    """By the kernel's rules, worked out by hand; thresholds are 2, and 0 while kswapd is awake."""
    assert met(*requests) == events


@pytest.mark.parametrize(
    ("design", "number", "times"), [("items", 1, 3), ("u16", 2, 2), ("s16-draft", 3, 2)]
)
def test_designs_tell_beyond_their_thresholds(design: str, number: int, times: int) -> None:
    """The zone's own of 2, or one of 1 that is said; the request before leaves the cell at it."""
    own = "" if design == "items" else " numa_threshold=1"
    head = HEAD.replace("normal=2", f"numa={design} normal=2")
    head = head.rstrip("\n") + own + "\n"
    request = f"count zone=0 preferred=0 times={times - 1}"

    assert met(request, head=head) == {("COUNTED", number)}
    assert met(request, "count zone=0 preferred=0", head=head) == {
        ("COUNTED", number),
        ("NUMA_TOLD", number),
    }


def test_a_drift_mark_at_boot_is_met() -> None:
    """Where all CPUs together keep more than lies between the marks, or before there were any."""
    machine = parse_counters(HEAD + ZONES).machine
    assert list(events_of_boot(boot_counters(machine))) == [(CounterEvent.MARKED, 0)]

    plenty = HEAD.replace("cpus", "min_free=4000 cpus") + ZONES
    early = parse_counters(plenty).machine
    assert list(events_of_boot(boot_counters(early))) == [(CounterEvent.MARKED, 0)]
    late = parse_counters(plenty.replace("era=6.1", "era=4.10")).machine
    assert list(events_of_boot(boot_counters(late))) == []


def test_every_event_has_words_of_its_own() -> None:
    """A table of what is missing tells them apart."""
    events = [
        (kind, number)
        for kind, number in counter_floor(ERAS["6.12"])
        if not isinstance(kind, CounterVerb)
    ]
    names = {name_of_counter_event(kind, number) for kind, number in events}

    assert len(names) == len(events)
    assert "an update went on: tell the whole machine" in names
    assert "a cell told downward by dec" in names
    assert "request to counters refused: BUSY" in names
    assert "a cell of NUMA statistics told, design u16" in names
