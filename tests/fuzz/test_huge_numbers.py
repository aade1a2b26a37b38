"""Requests that name more than there is are refused, and nothing that judges them stumbles."""

import pytest

from pagefuzz.cli._entry import run
from pagefuzz.exits import Exit
from pagefuzz.replay import replay
from pagefuzz.target.builtin import Spec
from pagefuzz.undoing import enter, out_of_use
from pagespec.era import ERAS
from pagespec.events import Kind
from pagespec.laws.holdings import REFUSALS
from pagespec.laws.law import LEVELS, Level
from pagespec.machine import Machine
from pagespec.trace_reader import parse
from pagespec.verbs import Op, Outcome, Verb

MACHINES = (
    "pages=16 top=3 era=2.6.8",
    "pages=16 top=3 era=6.1 pageblock=2",
    "pages=16 top=3 era=6.12 pageblock=2 cpus=2 batch=2 high=8 min_free=8",
)
LARGE = (17, 18, 64, 999_999_999_999_999)
"""The last order that has a size, the first that has none, more than a word has bits, the most."""

REQUESTS = (
    "alloc order={}",
    "free pfn=0 order={}",
    "free a order={}",
    "split a order={}",
    "get pfn={}",
    "put a+{}",
    "isolate pfn=0 pages={}",
    "restore pfn=0 pages={} mt=M",
    "contig pfn=0 pages={} mt=M",
    "offline pfn=0 pages={}",
    "poison pfn={}",
    "unplug cpu={}",
)


def text_for(machine: str) -> str:
    """Every request with every number, behind a block to speak of."""
    requests = "\n".join(request.format(n) for request in REQUESTS for n in LARGE)
    return f"pagefuzz-trace 1\nmachine {machine}\na = alloc order=0\n{requests}\n"


class Agrees(Spec):
    """Serves what it should refuse, by doing nothing."""

    def serve(self, op: Op) -> Outcome:
        outcome = super().serve(op)
        return 0 if outcome in REFUSALS else outcome


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("machine", MACHINES)
def test_they_are_refused_and_judged(machine: str, level: Level) -> None:
    """Each of them, at every level."""
    trace = parse(text_for(machine))
    verdict = replay(trace, Spec, level)

    assert verdict.broken is None
    refused = sum(count for (kind, _), count in verdict.reached.items() if kind is Kind.REFUSE)
    assert refused >= len(REQUESTS) * len(LARGE) - len(verdict.skipped)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("number", LARGE)
@pytest.mark.parametrize("request_", ["free pfn=0 order={}", "free a order={}", "split a order={}"])
def test_who_serves_them_breaks_a_law(request_: str, number: int, level: Level) -> None:
    """What cannot be is not carried on with: the law about refusals comes first."""
    head = f"pagefuzz-trace 1\nmachine {MACHINES[1]}\na = alloc order=0\n"
    verdict = replay(parse(head + request_.format(number)), Agrees, level)

    assert verdict.broken is not None
    assert verdict.broken.law_id == "OUT-refuse"


@pytest.mark.parametrize("machine", MACHINES)
def test_they_are_shown(
    machine: str, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    """A picture of what did not happen is a picture all the same."""
    path = tmp_path_factory.mktemp("show") / "large.trace"
    path.write_text(text_for(machine))

    assert run(["show", str(path)]) == Exit.HELD
    assert "order=18" in capsys.readouterr().out


def test_a_range_beyond_the_zone_has_no_way_back() -> None:
    """Who serves it has isolated nothing that could be restored."""
    machine = Machine(16, 3, ERAS["6.1"], pageblock=2)
    out = out_of_use(machine)
    enter(out, Op(Verb.ISOLATE, pfn=0, pages=1 << 20), 0)
    assert out.isolated == set()
    enter(out, Op(Verb.ISOLATE, pfn=8, pages=8), 0)
    assert out.isolated == {8, 12}
