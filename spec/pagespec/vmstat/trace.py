"""The trace of counters: in place of the machine a line for the CPUs, and one for each zone.

    pagefuzz-trace 1
    counters era=6.1 cpus=0,0,1 min_free=64 numa=u16 normal=2 pressure=5 numa_threshold=3
    zone node=0 pages=500
    zone node=1 pages=40000
    mod free zone=0 cpu=1 by=-31 irqs_on=1 open=1
    inc isolated node=0 cpu=1 times=5 -> done
    land number=0
    refresh cpu=1 -> count 3
    read hit all=1
    check zone=0 level=low order=0 reclaim=1 -> yes
    expect VM-conserve

A request that is about one counter says what is counted and, by its number, of which zone or node;
only one of the two is right, as the machine counts. What a request needs is always written, what it
may have only where it differs from what goes without saying.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from pagespec.trace import FORMAT
from pagespec.types import Refusal
from pagespec.verbs import Outcome
from pagespec.vmstat.machine import NODE_ITEMS, NUMA_ITEMS, CounterMachine, Item
from pagespec.vmstat.verbs import ALL, CounterOp, CounterVerb


class CounterRequest(NamedTuple):
    """One request of a trace. answer: what the spec answered, if the trace says."""

    op: CounterOp
    answer: Outcome | None = None


@dataclass(frozen=True, slots=True)
class CounterTrace:
    """Where counters are kept, the requests put to them, and the law that they break, if any."""

    machine: CounterMachine
    requests: tuple[CounterRequest, ...]
    expect: str | None = None
    comments: tuple[str, ...] = ()


# --- the words of each verb --------------------------------------------------------------------


class Shape(NamedTuple):
    """The words that a verb takes.

    about: what it names first, a counter by its item and its zone or node, or one of these alone.
    """

    example: str
    about: Literal["counter", "zone", "node", "nothing"]
    needs: frozenset[str] = frozenset()
    may_have: frozenset[str] = frozenset()


_CPU = frozenset({"cpu"})
_STEP = Shape("inc isolated node=0", "counter", may_have=_CPU | {"times", "irqs_on", "open"})

COUNTER_SHAPES: dict[CounterVerb, Shape] = {
    CounterVerb.MOD: Shape(
        "mod free zone=0 by=-31", "counter", frozenset({"by"}), _CPU | {"irqs_on", "open"}
    ),
    CounterVerb.INC: _STEP,
    CounterVerb.DEC: _STEP._replace(example="dec isolated node=0"),
    CounterVerb.LAND: Shape("land number=0", "nothing", frozenset({"number"})),
    CounterVerb.REFRESH: Shape("refresh cpu=1", "nothing", may_have=_CPU | {"open"}),
    CounterVerb.UNPLUG: Shape("unplug cpu=1", "nothing", may_have=_CPU),
    CounterVerb.PLUG: Shape("plug cpu=1", "nothing", may_have=_CPU),
    CounterVerb.WAKE: Shape("wake node=0", "node"),
    CounterVerb.REST: Shape("rest node=0", "node"),
    CounterVerb.MIN_FREE: Shape("minfree kbytes=128", "nothing", frozenset({"kbytes"})),
    CounterVerb.RESIZE: Shape(
        "resize zone=0 pages=600", "zone", frozenset({"pages"}), frozenset({"silent"})
    ),
    CounterVerb.READ: Shape("read free zone=0", "counter", may_have=frozenset({"all", "close"})),
    CounterVerb.CHECK: Shape(
        "check zone=0 level=low order=0",
        "zone",
        frozenset({"level", "order"}),
        frozenset({"reclaim"}),
    ),
    CounterVerb.TAKE: Shape(
        "take zone=1 level=min order=3", "zone", frozenset({"level", "order"}), _CPU
    ),
    CounterVerb.COUNT: Shape(
        "count zone=0 preferred=1",
        "zone",
        frozenset({"preferred"}),
        _CPU | {"times", "interleave"},
    ),
    CounterVerb.NUMA_OFF: Shape("numaoff", "nothing"),
    CounterVerb.NUMA_ON: Shape("numaon", "nothing"),
}
"""How each request is written. Instead of its zone or node a counter that is read may say all=1."""

FIELDS = {
    **{word: word for word in ("preferred", "cpu", "by", "times", "number")},
    "kbytes": "pages",
    **{word: word for word in ("pages", "level", "order")},
    **{word: word for word in ("irqs_on", "open", "close", "reclaim", "interleave", "silent")},
}
"""In the order of writing, each word with the field of a request that it says."""

SIZES_SAID = ("normal", "pressure", "numa_threshold")
"""Thresholds that a machine may say in place of those that follow."""


def scope_of(machine: CounterMachine, item: Item) -> Literal["zone", "node"]:
    """By what the machine counts the item; also where its era does not count it at all."""
    by_node = item in NODE_ITEMS or (item in NUMA_ITEMS and machine.design.of_node)
    return "node" if by_node else "zone"


# --- writing -----------------------------------------------------------------------------------


def counter_text_of(trace: CounterTrace) -> str:
    """The trace as text; parsing it gives the trace back."""
    machine = trace.machine
    lines = [FORMAT, *(f"# {comment}" for comment in trace.comments), *counters_lines(machine)]
    lines += [counter_line_of(machine, request) for request in trace.requests]
    if trace.expect is not None:
        lines.append(f"expect {trace.expect}")
    return "\n".join(lines) + "\n"


def counters_lines(machine: CounterMachine) -> list[str]:
    """Where counters are kept as lines of a trace."""
    line = f"counters era={machine.era.name} cpus={','.join(map(str, machine.cpus))}"
    if machine.min_free:
        line += f" min_free={machine.min_free}"
    if machine.numa is not None:
        line += f" numa={machine.numa}"
    for word in SIZES_SAID:
        size = getattr(machine, word)
        if size is not None:
            line += f" {word}={size}"
    return [line, *(f"zone node={zone.node} pages={zone.pages}" for zone in machine.zones)]


def counter_line_of(machine: CounterMachine, request: CounterRequest) -> str:
    """One request as a line of a trace of that machine."""
    op = request.op
    shape, plain = COUNTER_SHAPES[op.verb], CounterOp(op.verb)
    words = [op.verb.value]
    if shape.about == "counter":
        words.append(op.item.value)
        everywhere = op.where == ALL and "all" in shape.may_have
        words.append("all=1" if everywhere else f"{scope_of(machine, op.item)}={op.where}")
    elif shape.about != "nothing":
        words.append(f"{shape.about}={op.where}")
    for word, field in FIELDS.items():
        value = getattr(op, field)
        if word in shape.needs or (word in shape.may_have and value != getattr(plain, field)):
            words.append(f"{word}={value if isinstance(value, str) else int(value)}")
    if request.answer is not None:
        words.append(f"-> {counter_answer_text(op.verb, request.answer)}")
    return " ".join(words)


NUMBERED = frozenset({CounterVerb.REFRESH, CounterVerb.READ})
"""The verbs that are answered by a number."""

ASKING = frozenset({CounterVerb.CHECK, CounterVerb.TAKE})
"""The verbs that are answered by yes or no."""


def counter_answer_text(verb: CounterVerb, outcome: Outcome) -> str:
    """An outcome in words, as it follows `->`."""
    if outcome <= max(Refusal):
        return f"refused {Refusal(outcome).name}"
    if verb in NUMBERED:
        return f"count {outcome}"
    if verb in ASKING:
        return "yes" if outcome else "no"
    return "done"
