"""Reading traces of schedules: text to contexts and moves, and one sentence for any other text."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import get_args

from pagespec.compaction.machine import CompactionMachine
from pagespec.compaction.request_reader import read_compaction_request
from pagespec.compaction.trace import CompactionRequest
from pagespec.compaction.trace_reader import read_compaction
from pagespec.era import Era, StoreOrder, Visits
from pagespec.guards import RULES
from pagespec.laws.books import TraceKind
from pagespec.machine import MAX_PAGES, Machine
from pagespec.request_reader import SHAPES, Shapes, read_request
from pagespec.schedule.contexts import (
    LEFT_OUT,
    REQUESTS,
    AnyMachine,
    Asked,
    First,
    Level,
    Move,
    Role,
    Scenario,
    Sizes,
    given_by,
    waits_for,
)
from pagespec.schedule.moves_reader import read_cpu, read_moves
from pagespec.schedule.trace import INTERRUPTS, VARIED, ScheduleTrace
from pagespec.slab.machine import SlabMachine
from pagespec.slab.request_reader import read_slab_request
from pagespec.slab.trace import SlabRequest
from pagespec.slab.trace_reader import read_slabs
from pagespec.trace import Request, TraceError
from pagespec.trace_reader import lines_of, read_body, read_machine
from pagespec.trace_words import first_word, read_flag, read_whole, read_words, short
from pagespec.verbs import Verb
from pagespec.vmstat.machine import CounterMachine
from pagespec.vmstat.request_reader import read_counter_request
from pagespec.vmstat.trace import COUNTER_SHAPES, CounterRequest
from pagespec.vmstat.trace_reader import read_counters
from pagespec.vmstat.verbs import CounterVerb

SCHEDULE_WORDS = frozenset({"vary", "task", "interrupt", "sizes", "schedule"})
"""What lines begin with that only traces of schedules have."""

ABOUT_CPUS = frozenset({Verb.UNPLUG, Verb.PLUG, CounterVerb.UNPLUG, CounterVerb.PLUG})
"""The verbs that say which CPU they are about, whoever asks."""

ASKED_SHAPES: Shapes = {
    verb: shape._replace(may_have=shape.may_have - {"cpu", "irq", "contended"})
    if verb not in ABOUT_CPUS
    else shape
    for verb, shape in SHAPES.items()
}
"""How tasks and interrupts write their requests: where they are, their own lines say."""

ASKED_COUNTER_SHAPES = {
    verb: shape._replace(may_have=shape.may_have - {"cpu", "open"})
    if verb not in ABOUT_CPUS
    else shape
    for verb, shape in COUNTER_SHAPES.items()
}
"""The same of counters; where an update stops, the schedule says."""

KNOWN: dict[str, tuple[str, ...]] = {
    "guard": tuple(RULES),
    "visits": get_args(Visits),
    "stores": get_args(StoreOrder),
    "bounds": ("0", "1"),
    "build": ("up",),
    "lock": ("irqs-on",),
    "adds": ("split",),
    "without": tuple(LEFT_OUT),
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
    comments, body = lines_of(text)
    number, line = next(body)
    machine: AnyMachine
    if first_word(line) == "counters":
        machine, body = read_counters(chain([(number, line)], body))
    else:
        machine = ONE_LINE.get(first_word(line), read_machine)(number, line)
    reader = Reader(machine, frozenset(_named(text)))
    _, expect = read_body(body, TRACE_KIND.get(type(machine), "schedule"), reader.read)
    if not reader.roles:
        raise TraceError(
            text.rstrip().count("\n") + 1,
            "expected a line `task cpu=N` or `interrupt cpu=N level=NAME`, got the end of the file",
        )
    _check_names(reader)
    return ScheduleTrace(reader.scenario, tuple(reader.schedule or ()), expect, comments)


def _named(text: str) -> Iterator[str]:
    """The names that any line gives to a block."""
    for line in text.split("\n"):
        words = line.split()
        if words[1:2] == ["="]:
            yield from words[0].split(",")


class Reader:
    """Reads line after line. names: those that any line gives; a context may wait for them."""

    def __init__(self, machine: AnyMachine, names: frozenset[str]) -> None:
        self.machine = machine
        self.cpus = cpus_of(machine)
        self.names = names
        self.given: set[str] = set()
        self.varied: dict[str, str] = {}
        self.first: list[First] = []
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
            of_era(self.machine, era),
            tuple(each.role._replace(requests=tuple(each.requests)) for each in self.roles),
            tuple(self.first),
            alone="build" in self.varied,
            lock_irqs_on="lock" in self.varied,
            splits_adds="adds" in self.varied,
            without=self.varied.get("without", ""),
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
        if self.varied or self.first or self.roles:
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
        if "build" in fields and self.cpus > 1:
            raise TraceError(
                number,
                f"build=up: a kernel for one CPU knows no others, and the machine has cpus="
                f"{self.cpus}; expected cpus=1",
            )
        rule = fields.get("without")
        if rule is not None and LEFT_OUT[rule] is not type(self.machine):
            raise TraceError(number, f"without={rule}: expected a rule that the machine has")
        self.varied = fields

    def task(self, number: int, line: str) -> None:
        """A task."""
        fields = read_words(number, line, "task", frozenset({"cpu"}), frozenset({"cpu", "moves"}))
        moves = read_flag(number, "moves", fields.get("moves", "0"))
        cpu = read_cpu(number, fields["cpu"], self.cpus)
        self.roles.append(Lined(Role(Level.TASK, cpu, (), moves)))

    def interrupt(self, number: int, line: str) -> None:
        """An interrupt."""
        words = frozenset({"cpu", "level"})
        fields = read_words(number, line, "interrupt", words, words)
        level = fields["level"]
        if level not in INTERRUPTS:
            raise TraceError(
                number, f"level={short(level)}: expected one of {', '.join(INTERRUPTS)}"
            )
        cpu = read_cpu(number, fields["cpu"], self.cpus)
        self.roles.append(Lined(Role(INTERRUPTS[level], cpu, ())))

    def sizes(self, number: int, line: str) -> None:
        """A request to set the sizes of all lists."""
        if not isinstance(self.machine, Machine):
            what = REQUESTS[type(self.machine)].name
            raise TraceError(number, f"expected a request to {what}, got {line[:60]!r}")
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
        request: First
        if isinstance(self.machine, CounterMachine):
            request = self.of_counters(number, line, self.machine)
        elif isinstance(self.machine, Machine):
            request = self.of_zone(number, line)
        else:
            request = self.of_kind(number, line)
        if self.roles:
            self._ask(number, request)
        else:
            self.first.append(request)

    def of_kind(self, number: int, line: str) -> CompactionRequest | SlabRequest:
        """A request to slabs or to a zone that is compacted; where one works, its line says."""
        words = line.split()
        own = set(words[0].split(",")) if words[1:2] == ["="] else set[str]()
        for word in ("cpu", "irq") if self.roles else ():
            if any(each.startswith(f"{word}=") for each in words):
                raise TraceError(
                    number,
                    f"expected no word {word}=, which the line of the task or interrupt says",
                )
        twice = own & self.given
        known = (self.names if self.roles else self.given) - own | twice
        request: CompactionRequest | SlabRequest
        if isinstance(self.machine, SlabMachine):
            request = read_slab_request(number, line, known)
        else:
            request = read_compaction_request(number, line, known)
        self.given |= own
        return request

    def of_zone(self, number: int, line: str) -> Request:
        """A request to a zone. Its name is new; the block that it is about may be named further
        down, if it is another's."""
        naming = line.split()[1:2] == ["="]
        known = self.names if self.roles and not naming else self.given
        request = read_request(number, line, known, ASKED_SHAPES if self.roles else SHAPES)
        if request.name is not None:
            self.given.add(request.name)
        return request

    def of_counters(self, number: int, line: str, machine: CounterMachine) -> CounterRequest:
        """A request to counters."""
        shapes = ASKED_COUNTER_SHAPES if self.roles else COUNTER_SHAPES
        request = read_counter_request(number, line, machine, shapes)
        if self.roles and request.op.verb is CounterVerb.LAND:
            raise TraceError(
                number, f"expected no `land` of a task or an interrupt, got {line[:60]!r}"
            )
        return request

    def _ask(self, number: int, asked: Asked) -> None:
        self.roles[-1].lines.append(number)
        self.roles[-1].requests.append(asked)

    def moves(self, number: int, line: str) -> None:
        """The schedule."""
        if not self.roles:
            raise TraceError(
                number, "expected a task or an interrupt before the schedule, which is of none"
            )
        self.schedule = read_moves(number, line, [each.role for each in self.roles], self.cpus)


TRACE_KIND: dict[type[AnyMachine], TraceKind] = {
    CompactionMachine: "compaction schedule",
    SlabMachine: "slab schedule",
}
"""By machine, what a trace is about if that differs from the schedules of zones and counters."""

ONE_LINE: dict[str, Callable[[int, str], AnyMachine]] = {
    "compaction": read_compaction,
    "slabs": read_slabs,
}
"""By its first word, how to read what is said of a machine in one line."""


def cpus_of(machine: AnyMachine) -> int:
    """How many CPUs the machine has, as far as it says."""
    if isinstance(machine, CounterMachine):
        return len(machine.cpus)
    return (machine.zone.cpus or 1) if isinstance(machine, CompactionMachine) else machine.cpus


def of_era(machine: AnyMachine, era: Era) -> AnyMachine:
    """The same machine in another era."""
    if isinstance(machine, CompactionMachine | SlabMachine):
        return replace(machine, zone=replace(machine.zone, era=era))
    return replace(machine, era=era)


def _varied(era: Era, name: str, value: str) -> Era:
    known: str | bool = value == "1" if isinstance(getattr(era, name), bool) else value
    # What each word may say has been looked at, which its type alone can't tell.
    return replace(era, **{name: known})  # type: ignore[arg-type]


def _check_names(reader: Reader) -> None:
    """Somebody must be able to go on until all are finished, as far as names are waited for."""
    given = set().union(*map(given_by, reader.first))
    ats = [0] * len(reader.roles)
    going = True
    while going:
        going = False
        for number, each in enumerate(reader.roles):
            for asked in each.requests[ats[number] :]:
                if not waits_for(asked) <= given:
                    break
                given |= given_by(asked)
                ats[number] += 1
                going = True
    for at, each in zip(ats, reader.roles, strict=True):
        if at < len(each.requests):
            name = min(waits_for(each.requests[at]) - given)
            raise TraceError(
                each.lines[at],
                f"expected the name of a block that is allocated before, or meanwhile by another, "
                f"got {short(name)!r}, for which this waits in vain",
            )
