"""Reading one request to counters: its verb and its words, and one clear sentence for a bad one."""

import re
from collections.abc import Mapping, Set

from pagespec.trace import TraceError
from pagespec.trace_words import (
    check_blanks,
    lacking,
    read_fields,
    read_refusal,
    read_signed,
    read_whole,
    short,
)
from pagespec.verbs import Outcome
from pagespec.vmstat.machine import NUMA_ITEMS, CounterMachine, Item
from pagespec.vmstat.trace import (
    ASKING,
    COUNTER_SHAPES,
    FIELDS,
    NUMBERED,
    CounterRequest,
    Shape,
    scope_of,
)
from pagespec.vmstat.verbs import ALL, LEVELS, CounterOp, CounterVerb, Level

VERBS = {verb.value: verb for verb in CounterVerb}
ITEMS = {item.value: item for item in Item}
CHANGED = tuple(item.value for item in Item if item not in NUMA_ITEMS)
"""What may be changed by number; allocations are counted and read, and their change refused."""

LEVEL_NAMED: dict[str, Level] = {level: level for level in LEVELS}
FLAGS = ("irqs_on", "open", "close", "reclaim", "interleave", "silent")

KNOWN: dict[str, tuple[str, ...]] = {
    "level": LEVELS,
    "all": ("1",),
    **dict.fromkeys(FLAGS, ("0", "1")),
}
"""The values of the words that take some alone."""

WRITTEN = {
    **{word: f"{word}=N" for word in ("zone", "node", "all", *FIELDS)},
    **{flag: f"{flag}=1" for flag in ("all", *FLAGS)},
    "level": "level=NAME",
}
"""How each word is written."""

ANSWERED = "[0-9]{1,20}"
"""A number as an answer: faulty counters may answer whatever has 64 bits."""


def read_counter_request(
    number: int,
    line: str,
    machine: CounterMachine,
    shapes: Mapping[CounterVerb, Shape] = COUNTER_SHAPES,
) -> CounterRequest:
    """The request of a line, to the counters of that machine."""
    check_blanks(number, line)
    line, arrow, answer = f"{line} ".partition(" -> ")
    first, *words = line.split() or [""]
    verb = _verb(number, line, first)
    shape = shapes[verb]
    item, scope = Item.FREE, shape.about
    if shape.about == "counter":
        item = _item(number, verb, words)
        scope = scope_of(machine, item)
        first = f"{first} {words.pop(0)}"
    needs = shape.needs if scope == "nothing" else shape.needs | {scope}
    _check_known(number, first, words, needs | shape.may_have)
    fields = read_fields(number, " ".join(words))
    _check_complete(number, line.strip(), shape, needs, fields.keys())
    for key in fields.keys() & KNOWN.keys():
        if fields[key] not in KNOWN[key]:
            known = f"{'one of ' if len(KNOWN[key]) > 1 else ''}{', '.join(KNOWN[key])}"
            raise TraceError(number, f"{key}={short(fields[key])}: expected {known}")
    return CounterRequest(
        _op(number, verb, item, fields),
        _answer(number, verb, answer.strip()) if arrow else None,
    )


def _op(number: int, verb: CounterVerb, item: Item, fields: dict[str, str]) -> CounterOp:
    """The request that the words of a line say."""
    whole = {
        key: read_whole(number, key, text)
        for key, text in fields.items()
        if key != "by" and key not in KNOWN
    }
    flagged = {flag: fields.get(flag) == "1" for flag in FLAGS}
    return CounterOp(
        verb=verb,
        item=item,
        where=ALL if "all" in fields else whole.get("zone", whole.get("node", 0)),
        cpu=whole.get("cpu", 0),
        by=read_signed(number, "by", fields.get("by", "0")),
        times=whole.get("times", 1),
        number=whole.get("number", 0),
        level=LEVEL_NAMED[fields.get("level", "min")],
        order=whole.get("order", 0),
        preferred=whole.get("preferred", 0),
        pages=whole.get("kbytes", whole.get("pages", 0)),
        **flagged,
    )


def _verb(number: int, line: str, word: str) -> CounterVerb:
    if word in VERBS:
        return VERBS[word]
    if word in ("machine", "host", "counters", "zone"):
        raise TraceError(
            number,
            "expected a request: the CPUs and zones are said once, before all requests; "
            f"got {line[:60].strip()!r}",
        )
    raise TraceError(
        number,
        f"expected a request such as `mod free zone=0 by=1` (its verb one of {', '.join(VERBS)}), "
        f"got {line[:60].strip()!r}",
    )


def _item(number: int, verb: CounterVerb, words: list[str]) -> Item:
    """What is counted stands right behind the verb."""
    word = words[0] if words else ""
    if word not in ITEMS:
        got = repr(short(word)) if words else "nothing"
        known = ITEMS if verb is CounterVerb.READ else CHANGED
        raise TraceError(
            number, f"expected one of {', '.join(known)} behind `{verb.value}`, got {got}"
        )
    return ITEMS[word]


def _check_known(number: int, first: str, words: list[str], known: Set[str]) -> None:
    """Each verb takes its own words, and an item says whether zones or nodes count it."""
    for word in words:
        key, equals, _ = word.partition("=")
        if equals and key in known:
            continue
        written = [how for each, how in WRITTEN.items() if each in known]
        one = "one of " if len(written) > 1 else ""
        raise TraceError(
            number,
            f"expected {one}{', '.join(written) or 'nothing'} behind `{first}`, "
            f"got {short(word)!r}",
        )


def _check_complete(number: int, line: str, shape: Shape, needs: Set[str], words: Set[str]) -> None:
    """A counter that is read may be that of the whole machine, and then is none of its parts."""
    written = dict(WRITTEN)
    if "all" in shape.may_have:
        both = [key for key in ("zone", "node", "all") if key in words]
        if len(both) > 1:
            got = " and ".join(WRITTEN[key] for key in both)
            raise TraceError(number, f"expected one of {got}, got {line[:60]!r}")
        if both == ["all"]:
            return
        written |= {key: f"{WRITTEN[key]} or {WRITTEN['all']}" for key in ("zone", "node")}
    lacks = [how for key, how in written.items() if key in needs - words]
    if lacks:
        raise lacking(number, shape.example, line, lacks)


def _answer(number: int, verb: CounterVerb, text: str) -> Outcome:
    """A refusal, a number, yes or no, or that it was done: each verb has its own answer."""
    word, _, value = text.partition(" ")
    if word == "refused":
        return read_refusal(number, value).value
    if verb in NUMBERED:
        if word == "count" and re.fullmatch(ANSWERED, value) is not None:
            return int(value)
        due = "`count N`"
    elif verb in ASKING:
        if text in ("yes", "no"):
            return int(text == "yes")
        due = "`yes`, `no`"
    else:
        if text == "done":
            return 0
        due = "`done`"
    raise TraceError(
        number,
        f"expected {due} or `refused REASON` as the answer to {verb.value}, got {short(text)!r}",
    )
