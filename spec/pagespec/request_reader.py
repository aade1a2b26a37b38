"""Reading one request: its verb and its words, and one clear sentence for the word to blame."""

from collections.abc import Mapping, Set
from typing import NamedTuple, TypeAlias

from pagespec.migratetype import LETTERS, UNMOVABLE
from pagespec.trace import FLAGS, NAMING, Operand, Request, TraceError
from pagespec.trace_words import (
    check_blanks,
    check_new_name,
    is_whole,
    lacking,
    read_fields,
    read_refusal,
    read_whole,
    short,
)
from pagespec.types import NO_MEMORY, ZoneClass
from pagespec.verbs import MAY_FAIL, Verb


class Shape(NamedTuple):
    """The words that a verb takes. named: whether a block's name may stand for pfn, or the slot of
    a frame in the array of bulk requests.

    A free or split needs no order then.
    """

    example: str
    needs: frozenset[str]
    may_have: frozenset[str] = frozenset()
    named: bool = False


_BLOCK = frozenset({"pfn", "order"})
_RANGE = frozenset({"pfn", "pages"})
_FRAME = frozenset({"pfn"})
_TYPE = frozenset({"mt"})
_CPU = frozenset({"cpu"})
_WHERE = frozenset({"cpu", "irq", "contended", "cold"})
SHAPES: dict[Verb, Shape] = {
    Verb.ALLOC: Shape(
        "a = alloc order=1",
        frozenset({"order"}),
        frozenset({"mt", "compound", "atomic", "nofragment", "emergency"}) | _WHERE,
    ),
    Verb.FREE: Shape("free a", _BLOCK, _WHERE, named=True),
    Verb.GET: Shape("get a", _FRAME, named=True),
    Verb.PUT: Shape("put a", _FRAME, _WHERE, named=True),
    Verb.SPLIT: Shape("split a", _BLOCK, named=True),
    Verb.UNRESERVE: Shape("unreserve mt=M force=1", frozenset(), frozenset({"mt", "force"})),
    Verb.ISOLATE: Shape("isolate pfn=8 pages=4", _RANGE),
    Verb.RESTORE: Shape("restore pfn=8 pages=4 mt=M", _RANGE, _TYPE),
    Verb.CONTIG: Shape("a = contig pfn=9 pages=2 mt=M", _RANGE, _TYPE | _CPU),
    Verb.POISON: Shape("poison pfn=9", _FRAME, named=True),
    Verb.HEAL: Shape("heal pfn=9", _FRAME, named=True),
    Verb.OFFLINE: Shape("offline pfn=8 pages=4", _RANGE),
    Verb.ONLINE: Shape("online pfn=8 pages=4", _RANGE),
    Verb.DRAIN: Shape("drain cpu=1", frozenset(), _CPU),
    Verb.DRAIN_ALL: Shape("drainall", frozenset()),
    Verb.DISABLE: Shape("disable", frozenset()),
    Verb.ENABLE: Shape("enable", frozenset()),
    Verb.AGE: Shape("age cpu=1", frozenset(), _CPU),
    Verb.UNPLUG: Shape("unplug cpu=1", frozenset(), _CPU),
    Verb.PLUG: Shape("plug cpu=1", frozenset(), _CPU),
    Verb.REFRESH: Shape("refresh cpu=1", frozenset(), _CPU),
    Verb.EXPIRE: Shape("expire cpu=1", frozenset(), _CPU),
    Verb.REST: Shape("rest", frozenset()),
    Verb.BULK: Shape(
        "bulk pages=5",
        frozenset({"pages"}),
        frozenset({"mt", "atomic", "nofragment", "cpu", "irq", "contended"}),
    ),
}
"""How each request is written."""


Shapes: TypeAlias = Mapping[Verb, Shape]

VERBS = {verb.value: verb for verb in Verb}

WRITTEN = {
    **{key: f"{key}=N" for key in ("order", "pfn", "slot", "pages", "cpu", "node")},
    "mt": "mt=LETTER",
    "highest": "highest=NAME",
    "onlynode": "onlynode=1",
    **{flag: f"{flag}=1" for flag in FLAGS},
}
"""How each word is written."""

KNOWN = {
    "mt": tuple(LETTERS),
    "highest": tuple(ZoneClass.__members__),
    **dict.fromkeys((*FLAGS, "onlynode"), ("0", "1")),
}
"""The values of the words that take some letters or names alone."""


def read_request(number: int, line: str, names: Set[str], shapes: Shapes) -> Request:
    """The request of a line. names: of the blocks that earlier lines have named."""
    check_blanks(number, line)
    line, arrow, answer = f"{line} ".partition(" -> ")
    words = line.split()
    name = words[0] if words[1:2] == ["="] else None
    words = words[0 if name is None else 2 :]
    verb = _verb(number, line, words)
    if name is not None:
        _check_name(number, verb, name, names)
    shape = shapes[verb]
    operand: Operand | None = None
    if shape.named and words[1:] and "=" not in words[1]:
        operand = _operand(number, words.pop(1), names)
    _check_known(number, verb, words[1:], shape)
    fields = read_fields(number, " ".join(words[1:]))
    _check_shape(number, line.strip(), verb, operand, fields.keys(), shape)
    for key in fields.keys() & KNOWN.keys():
        if fields[key] not in KNOWN[key]:
            raise TraceError(
                number, f"{key}={short(fields[key])}: expected one of {', '.join(KNOWN[key])}"
            )
    whole = {key: read_whole(number, key, fields[key]) for key in fields.keys() - KNOWN.keys()}
    return Request(
        verb=verb,
        order=whole.get("order"),
        name=name,
        operand=Operand(None, whole["pfn"]) if "pfn" in whole else operand,
        answer=_answer(number, verb, answer.strip()) if arrow else None,
        mt=LETTERS[fields["mt"]] if "mt" in fields else UNMOVABLE,
        pages=whole.get("pages", 0),
        slot=whole.get("slot"),
        cpu=whole.get("cpu", 0),
        node=whole.get("node", 0),
        highest=ZoneClass[fields.get("highest", ZoneClass.NORMAL.name)],
        only_node=fields.get("onlynode") == "1",
        **{flag: fields.get(flag) == "1" for flag in FLAGS},
    )


def _verb(number: int, line: str, words: list[str]) -> Verb:
    word = words[0] if words else ""
    if word in VERBS:
        return VERBS[word]
    if word in ("machine", "host", "zone"):
        raise TraceError(
            number,
            "expected a request: the machine is said once, or the host and its zones, before all "
            f"requests; got {line[:60].strip()!r}",
        )
    raise TraceError(
        number,
        f"expected a request such as `a = alloc order=1` (its verb one of {', '.join(VERBS)}), "
        f"got {line[:60].strip()!r}",
    )


def _check_name(number: int, verb: Verb, name: str, names: Set[str]) -> None:
    """Only what gives out a block gives it a name."""
    if verb not in NAMING:
        verbs = " and ".join(each.value for each in Verb if each in NAMING)
        raise TraceError(
            number, f"expected no name, which only {verbs} give, got {f'{short(name)} ='!r}"
        )
    check_new_name(number, name, names)


def _operand(number: int, word: str, names: Set[str]) -> Operand:
    name, plus, offset = word.partition("+")
    if name not in names:
        raise TraceError(
            number, f"expected the name of an earlier alloc or contig, got {short(name)!r}"
        )
    if plus and not is_whole(offset):
        raise TraceError(number, f"{short(word)}: expected a whole number behind the +")
    return Operand(name, int(offset or 0))


def _check_known(number: int, verb: Verb, words: list[str], shape: Shape) -> None:
    """Each verb takes its own words."""
    known = shape.needs | shape.may_have | (frozenset({"slot"}) if shape.named else frozenset())
    for word in words:
        key, equals, _ = word.partition("=")
        if equals and key in known:
            continue
        written = [how for each, how in WRITTEN.items() if each in known]
        if shape.named:
            written.insert(0, "a name first")
        one = "one of " if len(written) > 1 else ""
        raise TraceError(
            number,
            f"expected {one}{', '.join(written) or 'nothing'} behind `{verb.value}`, "
            f"got {short(word)!r}",
        )


def _check_shape(
    number: int, line: str, verb: Verb, operand: Operand | None, words: Set[str], shape: Shape
) -> None:
    """A block's name, or the slot of its frame, stands for all that its verb needs."""
    frames = ["a name"] if operand is not None else []
    frames += [WRITTEN[key] for key in ("pfn", "slot") if key in words]
    if len(frames) > 1:
        raise TraceError(number, f"expected one of {' and '.join(frames)}, got {line[:60]!r}")
    stands = operand is not None or "slot" in words
    lacks = [WRITTEN[key] for key in WRITTEN if key in shape.needs - words and not stands]
    if lacks:
        raise lacking(number, shape.example, line, lacks)


def _answer(number: int, verb: Verb, text: str) -> int:
    """An allocation gives a frame or none, any other request is done; each may be refused."""
    word, _, value = text.partition(" ")
    if word == "refused":
        return read_refusal(number, value).value
    if text == "none" and verb in MAY_FAIL:
        return NO_MEMORY
    served = "pfn" if verb in NAMING else "count" if verb is Verb.BULK else "done"
    if served == "done" and text == served:
        return 0
    if served != "done" and word == served and is_whole(value):
        return int(value)
    due = f"`{served}`" if served == "done" else f"`{served} N`"
    due += ", `none`" if verb in MAY_FAIL else ""
    raise TraceError(
        number,
        f"expected {due} or `refused REASON` as the answer to {verb.value}, got {short(text)!r}",
    )
