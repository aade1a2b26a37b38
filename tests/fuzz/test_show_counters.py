"""`pagefuzz show` of counters: every line of the table adds up, and no line is too long."""

import re
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from pagefuzz.cli._entry import run
from pagefuzz.counters.draw import random_counters
from pagefuzz.counters.requests import random_mix, random_request
from pagefuzz.exits import Exit
from pagespec.era import ERAS, Era
from pagespec.types import Refusal
from pagespec.vmstat.counters import boot_counters
from pagespec.vmstat.machine import CountedZone, CounterMachine, Item
from pagespec.vmstat.ops import perform
from pagespec.vmstat.trace import CounterRequest, CounterTrace, counter_text_of
from pagespec.vmstat.verbs import CounterOp, CounterVerb


def shown(path: Path, text: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """The pictures, boot's first."""
    path.write_text(text)
    assert run(["show", str(path)]) == Exit.HELD
    return capsys.readouterr().out.strip().split("\n\n")


def rows_of(picture: str) -> dict[str, dict[str, int]]:
    """The table of a picture: per counter, what stands in each column but the threshold's."""
    lines = [line.strip() for line in picture.splitlines() if line.startswith(" " * 8)]
    if not lines[0].startswith("counter "):
        return {}
    _, *heads = re.split(r"\s\s+", lines[0])
    rows = {}
    for line in lines[1:]:
        found = re.fullmatch(r"(\w+ (?:zone \d+|node \d+|in all))\s+(.*)", line)
        if found is None:
            break
        values = [int(word.replace("never", "-1")) for word in found[2].replace(" .", " 0").split()]
        rows[found[1]] = dict(zip(heads, values, strict="in all" not in found[1]))
    return rows


STEP = """\
pagefuzz-trace 1
counters era=6.1 cpus=0,0 min_free=400 normal=4 pressure=1
zone node=0 pages=500
mod free zone=0 cpu=1 by=-31 open=1
land number=0
mod free zone=0 cpu=1 by=1
refresh cpu=1
land number=0
land number=0
inc isolated node=0 times=5
wake node=0
unplug cpu=1
numaoff
minfree kbytes=800
plug cpu=9
"""


def test_what_a_request_did_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What zones and the machine are told, thresholds, marks, and what is as it was."""
    pictures = shown(tmp_path / "a.trace", STEP, capsys)
    told = [re.findall("^    ([^ ].*)", picture, re.MULTILINE) for picture in pictures]

    assert told[:3] == [[], [], ["free zone 0: told 500 -> 469"]]
    assert pictures[3].startswith("3: mod free zone=0 cpu=1 by=1    refused BUSY\n")
    assert pictures[4].startswith("4: refresh cpu=1    refused BUSY\n")
    assert told[5] == ["free in all: told 500 -> 469"]
    assert told[6] == []
    assert told[7] == ["isolated node 0: told 0 -> 7", "isolated in all: told 0 -> 7"]
    # Boot leaves a drift mark of what both CPUs may keep, so kswapd lowers the threshold.
    assert told[8] == ["zone 0: threshold 4 -> 1"]
    assert "        kswapd awake    node 0\n" in pictures[8]
    assert "        unplugged       cpu 1\n" in pictures[9]
    assert "        NUMA statistics off\n" in pictures[10]
    assert "min 100 low 125 high 150, drift mark 8\n" in pictures[10]
    assert "min 200 low 250 high 300, drift mark 8\n" in pictures[11]
    assert pictures[12].splitlines()[1:] == pictures[11].splitlines()[1:]


def test_updates_under_way_are_listed_with_their_next_step(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the number that `land` takes, until nothing is left to do."""
    pictures = shown(tmp_path / "a.trace", STEP, capsys)
    begins = "        update 0        cpu 1, free zone 0, -31 pages: "
    lines = [[line for line in picture.splitlines() if "update 0 " in line] for picture in pictures]

    assert lines[1] == [f"{begins}tell the zone or node; its cell will hold 0"]
    assert lines[2] == [f"{begins}tell the whole machine; its cell will hold 0"]
    assert lines[5] == [f"{begins}write the CPU's cell; its cell will hold 0"]
    assert lines[6] == []
    assert rows_of(pictures[1])["free zone 0"]["under way"] == -31
    assert rows_of(pictures[2])["free zone 0"]["under way"] == 0
    assert rows_of(pictures[2])["free in all"]["under way"] == -31


DRIFTS = """\
pagefuzz-trace 1
counters era=6.1 cpus=0,0 min_free=400 normal=20
zone node=0 pages=500
wake node=0
rest node=0
unplug cpu=1
"""


def test_thresholds_and_drift_marks_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Lowered for kswapd, since two CPUs could keep back more than there is between the marks."""
    pictures = shown(tmp_path / "a.trace", DRIFTS, capsys)

    assert "min 100 low 125 high 150, drift mark 190" in pictures[0]
    assert pictures[1].splitlines()[1] == "    zone 0: threshold 20 -> 12"
    assert rows_of(pictures[1])["free zone 0"]["threshold"] == 12
    assert pictures[2].splitlines()[1] == "    zone 0: threshold 12 -> 20"
    # One CPU needs no mark; it stays.
    assert "drift mark 190" in pictures[3]


@pytest.mark.parametrize("era", ERAS.values(), ids=lambda era: era.name)
def test_the_table_adds_up_to_what_was_asked_for(
    era: Era, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever a walk did, the truth is the sum of its changes, also of the whole machine."""
    rows_seen = 0
    for seed in range(4):
        rng = Random(f"show {seed}")
        machine = random_counters(rng, era)
        counters, mix, done = boot_counters(machine), random_mix(rng, machine), []
        for _ in range(40):
            op = random_request(rng, counters, mix)
            done.append(CounterRequest(op, perform(counters, op)))
        text = counter_text_of(CounterTrace(machine, tuple(done)))
        pictures = shown(tmp_path / f"{seed}.trace", text, capsys)
        asked = Counter(
            {f"free zone {zone}": each.pages for zone, each in enumerate(machine.zones)}
        )
        asked["free in all"] = sum(zone.pages for zone in machine.zones)
        for picture, request in zip(pictures, [None, *done], strict=True):
            if request is not None:
                note(asked, request)
            for name, row in rows_of(picture).items():
                truth = row["truth"]
                parts = [row[head] for head in row if head not in ("truth", "threshold")]
                assert sum(parts) == truth
                if name.split()[0] in CHANGED:
                    assert truth == asked[name], (picture, name)
                rows_seen += 1
            assert [line for line in picture.splitlines() if len(line) > 100] == []
    assert rows_seen > 300


CHANGED = ("free", "cma", "isolated")
SIGNS = {CounterVerb.INC: 1, CounterVerb.DEC: -1}


def note(asked: Counter[str], request: CounterRequest) -> None:
    """Add what a request changed, if it was served."""
    op, outcome = request
    by = 0
    if outcome is None or outcome <= max(Refusal):
        return
    if op.verb in SIGNS:
        by = SIGNS[op.verb] * op.times
    elif op.verb is CounterVerb.MOD:
        by = op.by
    elif op.verb is CounterVerb.TAKE:
        by = -(2**op.order) * outcome
    scope = "node" if op.item is Item.ISOLATED else "zone"
    asked[f"{op.item.value} {scope} {op.where}"] += by
    asked[f"{op.item.value} in all"] += by


def test_a_thousand_cpus_fit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The first that keep something have a column, and all others one together."""
    machine = CounterMachine(ERAS["6.12"], (0,) * 1024, (CountedZone(0, 2**24),), 2**20)
    ops = [CounterOp(CounterVerb.MOD, cpu, by=-2) for cpu in range(5, 1024, 7)]
    trace = CounterTrace(machine, tuple(CounterRequest(op) for op in ops))
    boot, *_, last = shown(tmp_path / "a.trace", counter_text_of(trace), capsys)
    row = rows_of(last)["free zone 0"]
    named = [head for head in row if head.startswith("cpu ")]

    assert "others" in rows_of(boot)["free zone 0"]
    assert named[:3] == ["cpu 5", "cpu 12", "cpu 19"]
    assert row["others"] == -2 * (len(ops) - len(named))
    assert row["truth"] == 2**24 - 2 * len(ops)
    assert max(map(len, last.splitlines())) <= 100


def test_of_many_zones_those_are_drawn_that_change(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The others are counted."""
    machine = CounterMachine(ERAS["6.12"], (0,), (CountedZone(0, 1000),) * 30)
    ops = (
        CounterOp(CounterVerb.MOD, where=17, by=5),
        CounterOp(CounterVerb.RESIZE, where=29, pages=7, silent=True),
        CounterOp(CounterVerb.READ, where=3),
    )
    trace = CounterTrace(machine, tuple(CounterRequest(op) for op in ops))
    boot, change, resize, read = shown(tmp_path / "a.trace", counter_text_of(trace), capsys)

    assert list(rows_of(boot)) == [*(f"free zone {zone}" for zone in range(12)), "free in all"]
    assert list(rows_of(change)) == ["free zone 17", "free in all"]
    assert "        counters        29 more\n        zones           30 more\n" in change
    assert rows_of(resize) == {}
    assert "        zone 29         pages 7, " in resize
    assert "        zones           29 more\n" in resize
    assert "        counters        30 more\n        zones           30 more\n" in read


def test_one_step_is_drawn_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And of a trace too short for it, that it is."""
    path = tmp_path / "a.trace"
    pictures = shown(path, STEP, capsys)

    assert run(["show", str(path), "--step", "7"]) == Exit.HELD
    assert capsys.readouterr().out.strip() == pictures[7]
    assert run(["show", str(path), "--step", "13"]) == Exit.USAGE
    assert capsys.readouterr().err.count("--step 13: the trace has 12 requests") == 1


def test_a_kernel_s_events_are_none_of_counters(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is checked are kernels: a trace of counters gets one sentence."""
    path = tmp_path / "a.trace"
    path.write_text(STEP)

    assert run(["check", str(path)]) == Exit.USAGE
    err = capsys.readouterr().err
    assert err == (
        f"error: {path}: expected a real kernel's trace or zoneinfo, got a trace of requests, "
        "which `pagefuzz replay` puts to an allocator again\n"
    )
