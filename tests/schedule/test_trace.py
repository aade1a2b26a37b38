"""The trace of a schedule is text: it reads back as written, and other text says why not."""

import re
from dataclasses import replace
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given, settings
from tests.schedule.drawn import traces

from pagefuzz.schedule.every import EVERY_EXPERIMENT, EVERY_SCENARIO
from pagespec.era import ERAS
from pagespec.host_trace import any_text_of, parse_any
from pagespec.machine import Machine
from pagespec.schedule.contexts import Level, Move, Role, Scenario, Sizes
from pagespec.schedule.trace import INTERRUPTS, ScheduleTrace, schedule_text_of
from pagespec.schedule.trace_reader import KNOWN, SCHEDULE_WORDS, parse_schedule
from pagespec.trace import Operand, Request, TraceError
from pagespec.trace_reader import parse
from pagespec.types import DomainError
from pagespec.verbs import Verb
from pagespec.vmstat.machine import CounterMachine

TEXT = """pagefuzz-trace 1
# seed 1
machine pages=16 top=3 era=6.12 cpus=2 batch=2 high=4
vary guard=bare-trylock visits=interrupt stores=one-first bounds=0 lock=irqs-on
a = alloc order=0 cpu=1 -> pfn 0
free a cpu=1 irq=1
task cpu=0 moves=1
b = alloc order=0 cold=1 -> pfn 1
put c
sizes batch=8 high=24
interrupt cpu=1 level=hardirq
c = alloc order=1
drainall
schedule 0*3 1*2 0 0>1 1*4
expect PCP-owner
"""


def test_each_line_says_its_part() -> None:
    """What stands there is what is read."""
    trace = parse_any(TEXT)
    assert isinstance(trace, ScheduleTrace)
    scenario = trace.scenario
    era = scenario.machine.era

    assert (era.name, era.guard, era.visits) == ("6.12", "bare-trylock", "interrupt")
    assert (era.stores_sizes, era.bounds_drains) == ("one-first", False)
    assert (scenario.alone, scenario.lock_irqs_on) == (False, True)
    assert scenario.setup == (
        Request(Verb.ALLOC, order=0, name="a", answer=0, cpu=1),
        Request(Verb.FREE, operand=Operand("a", 0), cpu=1, irq=True),
    )
    assert scenario.roles == (
        Role(
            Level.TASK,
            0,
            (
                Request(Verb.ALLOC, order=0, name="b", answer=1, cold=True),
                Request(Verb.PUT, operand=Operand("c", 0)),
                Sizes(8, 24),
            ),
            moves=True,
        ),
        Role(
            Level.HARDIRQ,
            1,
            (Request(Verb.ALLOC, order=1, name="c"), Request(Verb.DRAIN_ALL)),
        ),
    )
    one, two = Move(0), Move(1)
    assert trace.schedule == (one, one, one, two, two, one, Move(0, 1), two, two, two, two)
    assert (trace.expect, trace.comments) == ("PCP-owner", ("seed 1",))
    assert len(trace.requests) == 7
    assert schedule_text_of(trace) == any_text_of(trace) == TEXT


@settings(max_examples=300, deadline=None)
@given(traces())
def test_any_trace_reads_back(trace: ScheduleTrace) -> None:
    """As text and as what it says, and no other reader is asked for it."""
    text = schedule_text_of(trace)

    assert parse_any(text) == trace
    assert schedule_text_of(parse_schedule(text)) == text


NAMED = EVERY_SCENARIO | {name: each.scenario for name, each in EVERY_EXPERIMENT.items()}


@pytest.mark.parametrize("name", NAMED)
def test_what_is_built_in_can_be_written(name: str) -> None:
    """Scenarios and experiments: what is found in one of them is a trace."""
    trace = ScheduleTrace(NAMED[name], (Move(0), Move(0)))

    assert parse_any(schedule_text_of(trace)) == trace


def test_an_era_that_no_trace_can_say_is_not_written() -> None:
    """A trace that would be of another era when it is read again is none."""
    era = replace(ERAS["6.1"], guard="trylock", tuning="tuned")
    trace = ScheduleTrace(Scenario(Machine(16, 3, era), (Role(Level.TASK, 0, ()),)))

    with pytest.raises(DomainError, match=r"era 6\.1 is varied in more than a trace can say"):
        schedule_text_of(trace)


def test_a_trace_of_a_zone_is_another_kind() -> None:
    """Each reader wants its own lines."""
    zone = "pagefuzz-trace 1\nmachine pages=16 top=3 era=6.1\na = alloc order=0\n"

    assert parse_any(zone) == parse(zone)
    with pytest.raises(TraceError, match="line 3: expected a line `task cpu=N` or `interrupt"):
        parse_schedule(zone)
    with pytest.raises(TraceError, match="line 4: expected a request such as"):
        parse(TEXT)


BAD = [
    ("vary guard=bare-trylock visits", "vary guard=lock visits", 4, "guard=lock: expected one of"),
    ("visits=interrupt", "visits=ipi", 4, "visits=ipi: expected one of interrupt, worker"),
    ("bounds=0", "bounds=2", 4, "bounds=2: expected one of 0, 1"),
    (
        "stores=one-first",
        "stores=1",
        4,
        "stores=1: expected one of high-first, one-first, bat",
    ),
    ("lock=irqs-on", "lock=on", 4, "lock=on: expected irqs-on"),
    ("lock=irqs-on", "locks=no", 4, "if need be, got 'locks=no'"),
    ("lock=irqs-on", "build=smp", 4, "build=smp: expected up"),
    ("lock=irqs-on", "build=up", 4, "the machine has cpus=2; expected cpus=1"),
    ("lock=irqs-on", "bounds=1", 4, "expected each key once, got 'bounds' again"),
    ("free a cpu=1 irq=1", "vary bounds=1", 6, "expected `vary` once, right behind the machine"),
    ("vary guard", "vary bounds=1\nvary guard", 5, "expected `vary` once, right behind the machi"),
    ("put c", "vary bounds=1", 9, "expected `vary` once, right behind the machine, got 'vary bou"),
    ("a = alloc", "a  = alloc", 5, "expected one blank between words"),
    ("free a cpu=1", "free c cpu=1", 6, "expected the name of an earlier alloc or contig, got 'c'"),
    ("free a cpu=1 irq=1", "sizes batch=1 high=1", 6, "expected `sizes` behind a task or an inter"),
    ("free a cpu=1 irq=1", "schedule 0", 6, "expected a task or an interrupt before the schedule"),
    ("task cpu=0", "task", 7, "expected `task cpu=...`, with moves=... if need be, got 'task mov"),
    ("task cpu=0", "task cpu=2", 7, "cpu=2: expected a CPU of the machine, 0 to 1"),
    ("task cpu=0", "task cpu=x", 7, "cpu=x: expected a whole number"),
    ("moves=1", "moves=2", 7, "moves=2: expected one of 0, 1"),
    ("moves=1", "level=nmi", 7, "with moves=... if need be, got 'level=nmi'"),
    ("b = alloc order=0", "b = alloc order=0 cpu=1", 8, "behind `alloc`, got 'cpu=1'"),
    ("b = alloc order=0", "b = alloc order=0 irq=1", 8, "behind `alloc`, got 'irq=1'"),
    ("b = alloc order=0", "b = alloc order=0 contended=1", 8, "`alloc`, got 'contended=1'"),
    ("b = alloc order=0", "a = alloc order=0", 8, "expected a new name, got 'a' again"),
    ("c = alloc", "c = alloc order=1\nb = alloc", 13, "expected a new name, got 'b' again"),
    ("put c", "put x", 9, "expected the name of an earlier alloc or contig, got 'x'"),
    ("c = alloc order=1\ndrainall", "get b\nc = alloc order=1\nput c", 0, ""),
    ("b = alloc order=0 cold=1", "put c\nb = alloc order=0", 0, ""),
    (
        "c = alloc order=1\ndrainall",
        "drainall\nfree c\nc = alloc order=1",
        *(9, "before, or meanwhile by another, got 'c', for which this waits in vain"),
    ),
    ("sizes batch=8", "sizes", 10, "expected `sizes batch=... high=...`, got 'sizes high=24'"),
    ("batch=8", "batch=-8", 10, "batch=-8: expected a whole number"),
    ("high=24", "high=16777217", 10, "high=16777217: expected 0 to 16777216 frames"),
    ("interrupt cpu=1 level=hardirq", "interrupt cpu=1", 11, "expected `interrupt cpu=... level="),
    ("level=hardirq", "level=task", 11, "level=task: expected one of softirq, hardirq, nmi"),
    ("cpu=1 level=hardirq", "cpu=1 level=nmi moves=1", 11, "got 'moves=1'"),
    ("drainall", "drainall cpu=1", 13, "expected nothing behind `drainall`, got 'cpu=1'"),
    ("drainall", "machine pages=8", 13, "expected a request: the machine is said once"),
    ("schedule 0*3", "schedule 2*3", 14, "2*3: expected a task or an interrupt, 0 to 1"),
    ("schedule 0*3", f"schedule {10**20}", 14, "expected a task or an interrupt, 0 to 1"),
    ("schedule 0*3", "schedule 0*0", 14, "0*0: expected 1 to 100000 steps"),
    ("schedule 0*3", "schedule 0*100001", 14, "0*100001: expected 1 to 100000 steps"),
    ("schedule 0*3", f"schedule 0*{10**20}", 14, "expected at most 999999999999999, in at most"),
    (
        "schedule 0*3",
        "schedule 0*99999 1",
        14,
        "expected at most 100000 moves, got more from '1*",
    ),
    ("schedule 0*3", "schedule a*3", 14, "expected moves such as 2, 2*5 for five steps or 2>1 for"),
    ("schedule 0*3", "schedule 0*", 14, "the way to CPU 1, got '0*'"),
    ("schedule 0*3", "schedule 0*3>1", 14, "the way to CPU 1, got '0*3>1'"),
    ("0>1", "0>2", 14, "cpu=2: expected a CPU of the machine, 0 to 1"),
    ("0>1", "1>0", 14, "1>0: expected the way of a task that says moves=1 in its line"),
    ("schedule 0*3 1*2 0 0>1 1*4", "schedule", 14, "expected moves behind `schedule`, as in 0*3"),
    ("schedule 0*3 1*2", "schedule 0*3  1*2", 14, "expected one blank between words"),
    ("schedule", "schedule 0\nschedule", 15, "expected nothing but `expect` behind the schedule, "),
    ("expect", "free a\nexpect", 15, "expected nothing but `expect` behind the schedule, got 'fre"),
    ("PCP-owner", "PCP-owned", 15, "expected the name of a law after `expect`, got 'PCP-owned'"),
    ("PCP-owner", "NUMA-zonelist", 15, "expected a law about schedules after `expect`, got NUMA-"),
]
"""Text, what is put in its place, the line to blame and why; line 0 if nothing is wrong."""


@pytest.mark.parametrize(("text", "other", "line", "sentence"), BAD, ids=range(len(BAD)))
def test_bad_text_gets_one_sentence(text: str, other: str, line: int, sentence: str) -> None:
    """With the line to blame, what was expected, and what stood there."""
    assert text in TEXT
    changed = TEXT.replace(text, other, 1)
    if line == 0:
        assert isinstance(parse_any(changed), ScheduleTrace)
        return

    with pytest.raises(TraceError) as caught:
        parse_any(changed)

    assert caught.value.line == line
    assert sentence in caught.value.sentence
    assert len(caught.value.sentence) < 300


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        ("vary bounds=1\n", 3, "expected a line `task cpu=N` or `interrupt cpu=N level=NAME`, got"),
        ("vary\ntask cpu=0\n", 3, "expected one of guard=..., visits=..., stores=..., bounds=...,"),
        ("task cpu=0\nfree a\ntask cpu=0\nfree b\n", 4, "an earlier alloc or contig, got 'a'"),
        (
            "task cpu=0\nfree b\na = alloc order=0\ntask cpu=0\nfree a\nb = alloc order=0\n",
            *(4, "meanwhile by another, got 'b', for which this waits in vain"),
        ),
        ("task cpu=1024\n", 3, "cpu=1024: expected a CPU of the machine, 0 to 1023"),
    ],
)
def test_what_leads_nowhere_is_told_at_its_line(text: str, line: int, sentence: str) -> None:
    """Nobody who works, nothing varied, and blocks for which all wait."""
    with pytest.raises(TraceError) as caught:
        parse_any(f"pagefuzz-trace 1\nmachine pages=16 top=3 era=6.1\n{text}")

    assert caught.value.line == line
    assert sentence in caught.value.sentence


COUNTED = """pagefuzz-trace 1
counters era=5.15 cpus=0,0 min_free=64 normal=4
zone node=0 pages=500
vary guard=no-interrupt adds=split
mod free zone=0 cpu=1 by=-31 irqs_on=1 open=1 -> done
land number=0 -> done
task cpu=0 moves=1
mod free zone=0 by=-3 irqs_on=1
unplug cpu=1
plug cpu=1
interrupt cpu=1 level=softirq
refresh
inc isolated node=0 times=5
count zone=0 preferred=0
schedule 0 1*3 0>1
expect VM-conserve
"""


def test_counters_are_worked_on_too() -> None:
    """Their lines stand in place of the machine's, and the requests are theirs."""
    trace = parse_any(COUNTED)
    assert isinstance(trace, ScheduleTrace)

    assert schedule_text_of(trace) == COUNTED
    assert isinstance(trace.scenario.machine, CounterMachine)
    assert trace.scenario.machine.cpus == (0, 0)
    assert trace.scenario.splits_adds
    assert [len(role.requests) for role in trace.scenario.roles] == [3, 3]


BAD_COUNTED = [
    ("zone node=0 pages=500\n", "", 3, "expected `zone node=N pages=N` behind the counters"),
    ("adds=split", "adds=whole", 4, "adds=whole: expected split"),
    ("adds=split", "build=up", 4, "the machine has cpus=2; expected cpus=1"),
    ("task cpu=0", "task cpu=2", 7, "cpu=2: expected a CPU of the machine, 0 to 1"),
    ("by=-3 irqs_on=1", "cpu=1 by=-3", 8, "behind `mod free`, got 'cpu=1'"),
    ("by=-3 irqs_on=1", "by=-3 open=1", 8, "behind `mod free`, got 'open=1'"),
    ("mod free zone=0 by=-3", "a = alloc order=1", 8, "expected a request such as `mod free zone="),
    ("unplug cpu=1", "land number=0", 9, "expected no `land` of a task or an interrupt, got 'land"),
    ("unplug cpu=1", "sizes batch=1 high=3", 9, "expected a request to counters, got 'sizes batch"),
    ("refresh", "refresh cpu=1", 12, "expected nothing behind `refresh`, got 'cpu=1'"),
    ("count zone=0", "count zone=0 cpu=0", 14, "behind `count`, got 'cpu=0'"),
    ("0>1", "0>2", 15, "cpu=2: expected a CPU of the machine, 0 to 1"),
    ("VM-conserve", "NUMA-zonelist", 16, "expected a law about schedules after `expect`, got "),
]


@pytest.mark.parametrize(
    ("text", "other", "line", "sentence"), BAD_COUNTED, ids=range(len(BAD_COUNTED))
)
def test_bad_text_of_counters_gets_one_sentence(
    text: str, other: str, line: int, sentence: str
) -> None:
    """As of zones."""
    assert text in COUNTED
    with pytest.raises(TraceError) as caught:
        parse_any(COUNTED.replace(text, other, 1))

    assert caught.value.line == line
    assert sentence in caught.value.sentence
    assert len(caught.value.sentence) < 300


PAGE = (Path(__file__).parents[2] / "docs" / "trace-format.md").read_text()
SECTION = PAGE.partition("## Schedules")[2].partition("\n## ")[0]


def test_every_word_is_explained() -> None:
    """What lines may say, and every name, in the rows of the page."""
    rows = "\n".join(line for line in SECTION.splitlines() if line.startswith("|"))
    words = {*KNOWN, "cpu", "moves", "level", "batch", "high"}
    names = {*INTERRUPTS, *chain(*KNOWN.values())} - {"0", "1"}

    assert [word for word in words if f"{word}=" not in rows] == []
    assert [name for name in names if not re.search(rf"[`=]{name}`", rows)] == []
    assert [word for word in SCHEDULE_WORDS if not re.search(rf"^\| `{word}\b", rows, re.M)] == []


@pytest.mark.parametrize("text", re.findall(r"```\n(pagefuzz-trace.*?)```", SECTION, re.DOTALL))
def test_the_examples_are_what_they_say(text: str) -> None:
    """They are traces of schedules, written as they would be."""
    trace = parse_any(text)

    assert isinstance(trace, ScheduleTrace)
    assert schedule_text_of(trace) == text
