"""Hosts in campaigns and commands: a finding is one file, and one command shows it again."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from tests.fuzz.material import NO_MERGE, plan_of, planted

from pagefuzz.campaign.canary import missed_by
from pagefuzz.campaign.plan import Gear
from pagefuzz.campaign.session import plan_for
from pagefuzz.campaign.unit import run_unit
from pagefuzz.cli._entry import run
from pagefuzz.exits import Exit
from pagefuzz.hosts.replay import replay_host
from pagefuzz.hosts.under import host_factory_of
from pagefuzz.target.builtin import TwinFactory
from pagespec.host_trace import host_text_of, parse_host
from pagespec.laws.law import Level
from pagespec.verbs import Verb

TEXT = """pagefuzz-trace 1
host era=6.1 top=2 cpus=0,1 min_free=16
zone class=DMA32 node=0 pages=8
zone class=NORMAL node=0 pages=8 start=8 batch=2 high=4
zone class=NORMAL node=1 pages=8 start=16
a = alloc order=1 node=1 cpu=1 -> pfn 16
b = alloc order=0 highest=DMA32 onlynode=1
bulk pages=3 node=1
free a
"""


@pytest.mark.parametrize("era", ["2.6.11", "6.12"])
def test_a_unit_of_hosts_holds_and_counts(era: str, tmp_path: Path) -> None:
    """It judges each request, on walks and on Hypothesis examples."""
    result = run_unit(plan_of(tmp_path, eras=(era,), gears=("hosts",), rounds=2), 0, TwinFactory())

    assert (result.law, result.complaint) == (None, "")
    assert result.operations == result.judged > 100
    assert result.reached[Verb.ALLOC, 0] > 20


def test_a_unit_is_the_same_again(tmp_path: Path) -> None:
    """Whatever ran before: the same seed and number give the same requests."""
    plan = plan_of(tmp_path, gears=("hosts",))
    first, second = (run_unit(plan, 7, TwinFactory()) for _ in range(2))

    assert first.operations == second.operations
    assert first.reached == second.reached


def test_a_finding_is_one_file_and_small(tmp_path: Path) -> None:
    """Kept as it was found, then shrunk; both break the same law again."""
    twin = planted(NO_MERGE)
    result = run_unit(plan_of(tmp_path, gears=("hosts",), rounds=30), 0, twin)

    assert result.finding is not None
    small = parse_host(result.finding.read_text())
    assert len(small.requests) <= 3
    for path in (result.finding, *(tmp_path / "raw").iterdir()):
        verdict = replay_host(parse_host(path.read_text()), host_factory_of(twin))
        assert verdict.broken is not None
        assert verdict.broken.law_id == result.law


def test_the_gear_catches_the_canary(tmp_path: Path) -> None:
    """It is asked like any other before its silence counts."""
    assert missed_by(plan_of(tmp_path, gears=("hosts",)), "exact") == []


def test_runs_of_the_twin_walk_hosts(tmp_path: Path) -> None:
    """And those of allocators that know one zone do not."""

    def gears(target: str, level: Level) -> tuple[Gear, ...]:
        return plan_for("run", target, 1, level, ("6.1",), tmp_path, 1).gears

    assert gears("numba", "exact") == (
        "stream",
        "walk",
        "hypothesis",
        "hosts",
        "counters",
        "slabs",
        "compaction",
        "schedules",
    )
    assert "hosts" not in gears("spec", "exact")
    assert "hosts" not in gears("numba", "refines")


@pytest.mark.parametrize("target", ["numba", "spec"])
def test_replay_takes_hosts(
    target: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One command for traces of both kinds."""
    path = tmp_path / "host.trace"
    path.write_text(TEXT)

    assert run(["replay", "--target", target, str(path)]) == Exit.HELD
    assert "every law held in 4 requests" in capsys.readouterr().out


def test_replay_declines_allocators_of_one_zone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In one sentence."""
    path = tmp_path / "host.trace"
    path.write_text(TEXT)

    assert run(["replay", "--target", "example", str(path)]) == Exit.USAGE
    assert "serves one zone, and the trace is of a host" in capsys.readouterr().err


def test_show_draws_the_zones_that_a_request_came_to(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """At boot all of them; with what each counts."""
    path = tmp_path / "host.trace"
    path.write_text(TEXT)

    assert run(["show", str(path)]) == Exit.HELD
    steps = re.split(r"^\d+: ", capsys.readouterr().out, flags=re.MULTILINE)
    drawn = [re.findall(r"zone (\d) \(", step) for step in steps[1:]]
    assert drawn == [["0", "1", "2"], ["2"], ["0"], ["2"], ["2"]]
    assert "counted         hit 1, miss 0, foreign 0, local 1, other 0" in steps[2]
    assert max(map(len, "".join(steps).splitlines())) <= 100


def test_shrink_takes_hosts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And says so where there is nothing to shrink."""
    path = tmp_path / "host.trace"
    path.write_text(host_text_of(replace(parse_host(TEXT), expect="NUMA-count")))

    assert run(["shrink", "--target", "spec", str(path), "--out", str(tmp_path)]) == Exit.USAGE
    assert "breaks no law" in capsys.readouterr().err
