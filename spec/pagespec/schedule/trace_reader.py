"""Reading traces of schedules: text to contexts and moves, and one sentence for any other text."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import get_args

from pagespec.era import Era, StoreOrder, Visits
from pagespec.guards import RULES
from pagespec.machine import MAX_CPUS, MAX_PAGES, Machine
from pagespec.request_reader import SHAPES, Shapes, read_request
from pagespec.schedule.contexts import Asked, Level, Role, Scenario, Sizes
from pagespec.schedule.rules import Move
from pagespec.schedule.trace import INTERRUPTS, VARIED, ScheduleTrace
from pagespec.trace import Request, TraceError
from pagespec.trace_reader import lines_of, read_body, read_machine
from pagespec.trace_words import (
    check_blanks,
    first_word,
    is_whole,
    read_flag,
    read_whole,
    read_words,
    short,
)

MAX_MOVES = 100_000
"""The most moves of a schedule."""

SCHEDULE_WORDS = frozenset({"vary", "task", "interrupt", "sizes", "schedule"})
"""What lines begin with that only traces of schedules have."""

ASKED_SHAPES: Shapes = {
    verb: shape._replace(may_have=shape.may_have - {"cpu", "irq", "contended"})
    for verb, shape in SHAPES.items()
}
"""How tasks and interrupts write their requests: where they are, their own lines say."""

KNOWN: dict[str, tuple[str, ...]] = {
    "guard": tuple(RULES),
    "visits": get_args(Visits),
    "stores": get_args(StoreOrder),
    "bounds": ("0", "1"),
    "build": ("up",),
    "lock": ("irqs-on",),
}
"""What a trace may vary, and to what."""


@dataclass(slots=True)
class Lined:
    """A task or an interrupt as far as it has been read, with the line of each of its requests."""

    role: Role
    lines: list[int] = field(default_factory=list)
    requests: list[Asked] = field(default_factory=list)


def is_schedule(text: str) -> bool:
    """Whether the text has a line that only traces of schedules have."""
    words = {first_word(line.strip()) for line in text.split("\n")}
    return not words.isdisjoint(SCHEDULE_WORDS)


def parse_schedule(text: str) -> ScheduleTrace:
    """The trace that the text describes.

    Raises TraceError, with the line's number, for any other text.
    """
    comments, lines = lines_of(text)
    body = list(lines)
    machine = read_machine(*body[0])
    reader = Reader(machine, frozenset(_named(body)))
    _, expect = read_body(iter(body[1:]), "schedule", reader.read)
    if not reader.roles:
        raise TraceError(
            body[-1][0], "expected a line `task cpu=N` or `interrupt cpu=N level=NAME`, got none"
        )
    _check_names(reader)
    return ScheduleTrace(reader.scenario, tuple(reader.schedule or ()), expect, comments)


def _named(body: Sequence[tuple[int, str]]) -> Iterator[str]:
    """The names that any line gives to a block."""
    for _, line in body:
        words = line.split()
        if words[1:2] == ["="]:
            yield words[0]


class Reader:
    """Reads line after line. names: those that any line gives; a context may wait for them."""

    def __init__(self, machine: Machine, names: frozenset[str]) -> None:
        self.machine = machine
        self.names = names
        self.given: set[str] = set()
        self.varied: dict[str, str] = {}
        self.setup: list[Request] = []
        self.roles: list[Lined] = []
        self.schedule: list[Move] | None = None

    @property
    def scenario(self) -> Scenario:
        """What has been read, put together."""
        era = self.machine.era
        for word, value in self.varied.items():
            if word in VARIED:
                era = _varied(era, VARIED[word], value)
        return Scenario(
            replace(self.machine, era=era),
            tuple(each.role._replace(requests=tuple(each.requests)) for each in self.roles),
            tuple(self.setup),
            alone="build" in self.varied,
            lock_irqs_on="lock" in self.varied,
        )

    def read(self, number: int, line: str) -> None:
        """Read one line."""
        if self.schedule is not None:
            raise TraceError(
                number, f"expected nothing but `expect` behind the schedule, got {line[:60]!r}"
            )
        readers: dict[str, Callable[[int, str], None]] = {
            "vary": self.vary,
            "task": self.task,
            "interrupt": self.interrupt,
            "sizes": self.sizes,
            "schedule": self.moves,
        }
        readers.get(first_word(line), self.request)(number, line)

    def vary(self, number: int, line: str) -> None:
        """What is not as in the era."""
        if self.varied or self.setup or self.roles:
            raise TraceError(
                number, f"expected `vary` once, right behind the machine, got {line[:60]!r}"
            )
        fields = read_words(number, line, "vary", frozenset(), frozenset(KNOWN))
        if not fields:
            raise TraceError(
                number, f"expected one of {', '.join(f'{word}=...' for word in KNOWN)}, got nothing"
            )
        for word, value in fields.items():
            if value not in KNOWN[word]:
                one = "one of " if len(KNOWN[word]) > 1 else ""
                raise TraceError(
                    number, f"{word}={short(value)}: expected {one}{', '.join(KNOWN[word])}"
                )
        if "build" in fields and self.machine.cpus > 1:
            raise TraceError(
                number,
                f"build=up: a kernel for one CPU knows no others, and the machine has cpus="
                f"{self.machine.cpus}; expected cpus=1",
            )
        self.varied = fields

    def task(self, number: int, line: str) -> None:
        """A task."""
        fields = read_words(number, line, "task", frozenset({"cpu"}), frozenset({"cpu", "moves"}))
        moves = read_flag(number, "moves", fields.get("moves", "0"))
        self.roles.append(Lined(Role(Level.TASK, self.cpu(number, fields["cpu"]), (), moves)))

    def interrupt(self, number: int, line: str) -> None:
        """An interrupt."""
        words = frozenset({"cpu", "level"})
        fields = read_words(number, line, "interrupt", words, words)
        level = fields["level"]
        if level not in INTERRUPTS:
            raise TraceError(
                number, f"level={short(level)}: expected one of {', '.join(INTERRUPTS)}"
            )
        self.roles.append(Lined(Role(INTERRUPTS[level], self.cpu(number, fields["cpu"]), ())))

    def cpu(self, number: int, text: str) -> int:
        """A CPU that the machine has; any, if none keeps lists."""
        cpu, least = read_whole(number, "cpu", text), self.machine.cpus or MAX_CPUS
        if cpu >= least:
            raise TraceError(number, f"cpu={cpu}: expected a CPU of the machine, 0 to {least - 1}")
        return cpu

    def sizes(self, number: int, line: str) -> None:
        """A request to set the sizes of all lists."""
        words = frozenset({"batch", "high"})
        fields = read_words(number, line, "sizes", words, words)
        if not self.roles:
            raise TraceError(
                number, f"expected `sizes` behind a task or an interrupt, got {line[:60]!r}"
            )
        said = {word: read_whole(number, word, text) for word, text in fields.items()}
        for word, size in said.items():
            if size > MAX_PAGES:
                raise TraceError(number, f"{word}={size}: expected 0 to {MAX_PAGES} frames")
        self._ask(number, Sizes(**said))

    def request(self, number: int, line: str) -> None:
        """A request of the setup, or of the task or interrupt that was said last."""
        naming = line.split()[1:2] == ["="]
        shapes = ASKED_SHAPES if self.roles else SHAPES
        # A name is new if no line before gave it; a block may be named by a line further down,
        # if it is another's.
        known = self.names if self.roles and not naming else self.given
        request = read_request(number, line, known, shapes)
        if request.name is not None:
            self.given.add(request.name)
        if self.roles:
            self._ask(number, request)
        else:
            self.setup.append(request)

    def _ask(self, number: int, asked: Asked) -> None:
        self.roles[-1].lines.append(number)
        self.roles[-1].requests.append(asked)

    def moves(self, number: int, line: str) -> None:
        """The schedule."""
        check_blanks(number, line)
        if not self.roles:
            raise TraceError(
                number, "expected a task or an interrupt before the schedule, which is of none"
            )
        self.schedule = []
        for word in line.split()[1:]:
            self.schedule += self.run(number, word)
            if len(self.schedule) > MAX_MOVES:
                raise TraceError(
                    number, f"expected at most {MAX_MOVES} moves, got more from {short(word)!r} on"
                )
        if not self.schedule:
            raise TraceError(number, "expected moves behind `schedule`, as in 0*3 1>2, got nothing")

    def run(self, number: int, word: str) -> list[Move]:
        """The moves that one word says."""
        said = re.fullmatch(r"([0-9]+)(?:([*>])([0-9]+))?", word)
        if said is None:
            raise TraceError(
                number,
                "expected moves such as 2, 2*5 for five steps or 2>1 for the way to CPU 1, got "
                f"{short(word)!r}",
            )
        who, how, text = said.groups()
        context = int(who) if is_whole(who) else len(self.roles)
        if context >= len(self.roles):
            raise TraceError(
                number,
                f"{short(word)}: expected a task or an interrupt, 0 to {len(self.roles) - 1}",
            )
        if how == "*":
            count = read_whole(number, who + " steps", text)
            if not 1 <= count <= MAX_MOVES:
                raise TraceError(number, f"{short(word)}: expected 1 to {MAX_MOVES} steps")
            return [Move(context)] * count
        if how is None:
            return [Move(context)]
        role = self.roles[context].role
        if not role.moves:
            raise TraceError(
                number, f"{short(word)}: expected the way of a task that says moves=1 in its line"
            )
        return [Move(context, self.cpu(number, text))]


def _varied(era: Era, name: str, value: str) -> Era:
    known: str | bool = value == "1" if isinstance(getattr(era, name), bool) else value
    # What each word may say has been looked at, which its type alone can't tell.
    return replace(era, **{name: known})  # type: ignore[arg-type]


def _check_names(reader: Reader) -> None:
    """Somebody must be able to go on until all are finished, as far as names are waited for."""
    given = {request.name for request in reader.setup}
    ats = [0] * len(reader.roles)
    going = True
    while going:
        going = False
        for number, each in enumerate(reader.roles):
            for asked in each.requests[ats[number] :]:
                if waits_for(asked) not in (None, *given):
                    break
                if isinstance(asked, Request):
                    given.add(asked.name)
                ats[number] += 1
                going = True
    for at, each in zip(ats, reader.roles, strict=True):
        if at < len(each.requests):
            name = waits_for(each.requests[at])
            raise TraceError(
                each.lines[at],
                f"expected the name of a block that is allocated before, or meanwhile by another, "
                f"got {short(name or '')!r}, for which this waits in vain",
            )


def waits_for(asked: Asked) -> str | None:
    """The name of the block that a request is about, if it has one."""
    if isinstance(asked, Sizes) or asked.operand is None:
        return None
    return asked.operand.name
