"""The trace of requests that come between each other: who asks for what, and who goes on when.

    pagefuzz-trace 1
    machine pages=16 top=3 era=6.12 cpus=1 batch=2 high=4
    vary guard=bare-trylock build=up
    a = alloc order=0 -> pfn 0
    task cpu=0 moves=1
    b = alloc order=0
    free a
    sizes batch=8 high=24
    interrupt cpu=0 level=hardirq
    c = alloc order=1
    schedule 0*3 1*2 0 1>1 1*4
    expect PCP-owner

What stands before the first task or interrupt is done first, one request after the other. Tasks and
interrupts are numbered in the order of their lines; what follows such a line they ask for, on their
own CPU. In the schedule `0*3` are three steps of the first of them, and with `1>1` the second goes
to CPU 1. When it is at its end, whoever went on last goes on as long as possible. `vary` says
what is not as in the era, and with `without` which rule is left out. Where counters, slabs or a
zone that is compacted are worked on, their lines stand in place of the machine's.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import groupby

from pagespec.compaction.machine import CompactionMachine
from pagespec.compaction.trace import CompactionRequest, compaction_line, compaction_line_of
from pagespec.era import ERAS, Era
from pagespec.schedule.contexts import AnyMachine, Asked, Level, Move, Role, Scenario, Sizes
from pagespec.slab.machine import SlabMachine
from pagespec.slab.trace import SlabRequest, slab_line_of, slabs_line
from pagespec.trace import FORMAT, Request, line_of, machine_line
from pagespec.types import DomainError
from pagespec.vmstat.machine import CounterMachine
from pagespec.vmstat.trace import counter_line_of, counters_lines


@dataclass(frozen=True, slots=True)
class ScheduleTrace:
    """Who works on a zone, who goes on when, and the law that they break, if any."""

    scenario: Scenario
    schedule: tuple[Move, ...] = ()
    expect: str | None = None
    comments: tuple[str, ...] = ()

    @property
    def requests(self) -> tuple[Asked, ...]:
        """All that is asked: first what happens first, and then each one's in turn."""
        asked = [asked for role in self.scenario.roles for asked in role.requests]
        return (*self.scenario.setup, *asked)


VARIED = {
    "guard": "guard",
    "visits": "visits",
    "stores": "stores_sizes",
    "bounds": "bounds_drains",
}
"""The words for what may differ from an era, with the fields that hold it."""

INTERRUPTS = {level.name.lower(): level for level in Level if level is not Level.TASK}
"""The levels of interrupts, as a trace names them."""


def schedule_text_of(trace: ScheduleTrace) -> str:
    """The trace as text; parsing it gives the trace back.

    Raises DomainError for an era that differs from its release in what no trace can say.
    """
    scenario = trace.scenario
    machine = scenario.machine
    lines = [FORMAT, *(f"# {comment}" for comment in trace.comments)]
    lines += machine_lines(machine)
    varied = _varied(scenario)
    if varied:
        lines.append(" ".join(["vary", *varied]))
    lines += [asked_line(scenario, request) for request in scenario.setup]
    for role in scenario.roles:
        lines += [role_line(role), *(asked_line(scenario, asked) for asked in role.requests)]
    if trace.schedule:
        lines.append(f"schedule {schedule_words(trace.schedule)}")
    if trace.expect is not None:
        lines.append(f"expect {trace.expect}")
    return "\n".join(lines) + "\n"


def machine_lines(machine: AnyMachine) -> list[str]:
    """What a scenario happens on, as lines of a trace."""
    if isinstance(machine, CounterMachine):
        return counters_lines(machine)
    if isinstance(machine, CompactionMachine):
        return [compaction_line(machine)]
    return [slabs_line(machine) if isinstance(machine, SlabMachine) else machine_line(machine)]


def role_line(role: Role) -> str:
    """A task or an interrupt as a line of a trace."""
    if role.level is Level.TASK:
        return f"task cpu={role.cpu}" + (" moves=1" if role.moves else "")
    return f"interrupt cpu={role.cpu} level={role.level.name.lower()}"


def asked_line(scenario: Scenario, asked: Asked) -> str:
    """What is asked for as a line of a trace."""
    if isinstance(asked, Sizes):
        return f"sizes batch={asked.batch} high={asked.high}"
    if isinstance(asked, Request):
        return line_of(asked)
    if isinstance(asked, SlabRequest):
        return slab_line_of(asked)
    if isinstance(asked, CompactionRequest):
        return compaction_line_of(asked)
    assert isinstance(scenario.machine, CounterMachine)
    return counter_line_of(scenario.machine, asked)


def schedule_words(moves: Iterable[Move]) -> str:
    """Moves as a trace says them: runs of one context in one word.

    >>> schedule_words([Move(0), Move(0), Move(1), Move(1, cpu=2), Move(1)])
    '0*2 1 1>2 1'
    """
    words = []
    for move, run in groupby(moves):
        count = len(list(run))
        if move.cpu is not None:
            words += [f"{move.context}>{move.cpu}"] * count
        else:
            words.append(str(move.context) if count == 1 else f"{move.context}*{count}")
    return " ".join(words)


def _varied(scenario: Scenario) -> list[str]:
    """The words of what is not as in the era's release."""
    era = scenario.machine.era
    plain = ERAS[era.name]
    words: list[str] = []
    known: Era = plain
    for word, field in VARIED.items():
        value: str | bool = getattr(era, field)
        if value != getattr(plain, field):
            words.append(f"{word}={value if isinstance(value, str) else int(value)}")
            # The field is one of the era's, which its name alone can't tell.
            known = replace(known, **{field: value})  # type: ignore[arg-type]
    if known != era:
        said = ", ".join(VARIED.values())
        raise DomainError(
            f"era {era.name} is varied in more than a trace can say; expected none but {said}"
        )
    words += ["build=up"] if scenario.alone else []
    words += ["lock=irqs-on"] if scenario.lock_irqs_on else []
    words += ["adds=split"] if scenario.splits_adds else []
    words += [f"without={scenario.without}"] if scenario.without else []
    return words
