"""Reading traces: text to requests, and one clear sentence for any text that is none."""

import re
from collections.abc import Iterator, Mapping, Set
from typing import NamedTuple, TypeAlias

from pagespec.era import era_named
from pagespec.laws.books import all_laws
from pagespec.machine import Machine
from pagespec.migratetype import LETTERS, UNMOVABLE, MigrateType
from pagespec.trace import FLAGS, FORMAT, NAMING, SIZES_GIVEN, Operand, Request, Trace, TraceError
from pagespec.types import NO_MEMORY, DomainError, Pfn, Refusal, ZoneClass
from pagespec.verbs import MAY_FAIL, Verb

_NAME = r"[a-z]+"
_DIGITS = 15
_NUMBER = rf"[0-9]{{1,{_DIGITS}}}"
_VERBS = "|".join(verb.value for verb in Verb)
_REQUEST = re.compile(
    rf"(?:(?P<name>{_NAME}) = )?(?P<verb>{_VERBS})"
    rf"(?: (?P<of>{_NAME})(?:\+(?P<offset>{_NUMBER}))?(?![=a-z]))?"
    rf"(?P<words>(?: [a-z]+=[A-Za-z0-9]+)*)"
    rf"(?: -> (?P<answer>pfn {_NUMBER}|none|count {_NUMBER}|done|refused [A-Z_]+))?"
)


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
Lines: TypeAlias = Iterator[tuple[int, str]]
"""The lines of a trace that say something, each with its number."""


def parse(text: str) -> Trace:
    """The trace that the text describes.

    Raises TraceError, with the line's number, for any other text.
    """
    comments, body = lines_of(text)
    machine = read_machine(*next(body))
    requests, expect = read_requests(body, SHAPES)
    return Trace(machine, requests, expect, comments)


def lines_of(text: str) -> tuple[tuple[str, ...], Lines]:
    """The comments of a trace, and its other lines behind the format's; one at least."""
    # Not splitlines(), which also ends lines where no editor does, and would count them wrong.
    lines = [(at, line.strip()) for at, line in enumerate(text.removesuffix("\n").split("\n"), 1)]
    if lines[0][1] != FORMAT:
        raise TraceError(1, f"expected {FORMAT!r}, got {lines[0][1][:40]!r}")
    comments = tuple(line[1:].strip() for _, line in lines if line.startswith("#"))
    body = [(number, line) for number, line in lines[1:] if line and line[0] != "#"]
    return comments, iter(body or [(len(lines), "the end of the file")])


def read_requests(body: Lines, shapes: Shapes) -> tuple[tuple[Request, ...], str | None]:
    """The requests of a trace, and the law that it names at its end, if any."""
    requests: list[Request] = []
    names: set[str] = set()
    expect: str | None = None
    for number, line in body:
        if expect is not None:
            raise TraceError(number, f"expected nothing after `expect`, got {line[:60]!r}")
        if line.startswith("expect "):
            expect = _expect(number, line.removeprefix("expect ").strip())
        else:
            request = _request(number, line, names, shapes)
            requests.append(request)
            if request.name is not None:
                names.add(request.name)
    return tuple(requests), expect


def read_machine(number: int, line: str) -> Machine:
    """The machine that a line describes."""
    word, _, rest = line.partition(" ")
    fields = read_fields(number, rest) if word == "machine" else {}
    unknown = fields.keys() - {
        *("pages", "top", "era", "start", "holes", "pageblock", "types", "guard", "cpus"),
        *SIZES_GIVEN,
    }
    if unknown or not {"pages", "top", "era"} <= fields.keys():
        raise TraceError(
            number,
            "expected `machine pages=N top=N era=NAME`, with start=N, holes=FIRST+COUNT,..., "
            "pageblock=N, types=M2C, guard=N, cpus=N, batch=N, high=N and min_free=N if need be, "
            f"got {line[:60]!r}",
        )
    whole = {
        key: read_whole(number, key, fields[key])
        for key in ("pages", "top", "start", "pageblock", "guard", "cpus", *SIZES_GIVEN)
        if key in fields
    }
    try:
        return Machine(
            era=era_named(fields["era"]),
            holes=tuple(read_holes(number, fields["holes"])) if "holes" in fields else (),
            types=tuple(read_types(number, fields["types"])) if "types" in fields else (),
            pages=whole["pages"],
            top=whole["top"],
            start=whole.get("start", 0),
            pageblock=whole.get("pageblock"),
            guard=whole.get("guard", 0),
            cpus=whole.get("cpus", 0),
            batch=whole.get("batch"),
            high=whole.get("high"),
            min_free=whole.get("min_free"),
        )
    except TraceError:
        raise
    except DomainError as error:
        raise TraceError(number, str(error)) from None


def read_fields(number: int, text: str) -> dict[str, str]:
    """The words of a line, each of the form KEY=VALUE."""
    fields: dict[str, str] = {}
    for word in text.split():
        key, equals, value = word.partition("=")
        if not equals or not value:
            raise TraceError(number, f"expected KEY=VALUE, got {word[:40]!r}")
        if key in fields:
            raise TraceError(number, f"expected each key once, got {key!r} again")
        fields[key] = value
    return fields


def read_whole(number: int, key: str, text: str) -> int:
    """The number that the text writes; int() alone would also read 1_0, +1 and other digits."""
    if re.fullmatch(_NUMBER, text) is not None:
        return int(text)
    if re.fullmatch(r"[0-9]+", text) is not None:
        expected = f"at most {10**_DIGITS - 1}, in at most {_DIGITS} digits"
    else:
        expected = "a whole number"
    raise TraceError(number, f"{key}={_short(text)}: expected {expected}")


def read_holes(number: int, text: str) -> Iterator[tuple[Pfn, Pfn]]:
    """The runs [first, end) of frames without memory."""
    for hole in text.split(","):
        first, plus, count = hole.partition("+")
        if not (first and plus and count):
            raise TraceError(
                number, f"holes={_short(text)}: expected FIRST+COUNT,..., got {_short(hole)!r}"
            )
        start = read_whole(number, "holes", first)
        yield start, start + read_whole(number, "holes", count)


def read_types(number: int, text: str) -> Iterator[MigrateType]:
    """The types of pageblocks, by letter and count."""
    if re.fullmatch(rf"(?:[{''.join(LETTERS)}](?:[0-9]{{1,8}})?)+", text) is None:
        raise TraceError(
            number,
            f"types={_short(text)}: expected letters of {', '.join(LETTERS)}, each with a count of "
            "at most 99999999 after it if need be, as in M2C",
        )
    for letter, count in re.findall(r"([A-Z])([0-9]*)", text):
        yield from [LETTERS[letter]] * int(count or 1)


def _short(text: str) -> str:
    """A value as an error repeats it."""
    return text if len(text) <= 40 else f"{text[:40]}..."


def _expect(number: int, name: str) -> str:
    if name not in {law.id for law in all_laws()}:
        raise TraceError(number, f"expected the name of a law after `expect`, got {name[:60]!r}")
    return name


def _request(number: int, line: str, names: set[str], shapes: Shapes) -> Request:
    found = _REQUEST.fullmatch(line)
    if found is None:
        raise TraceError(number, f"expected {_example_for(line)}, got {line[:60]!r}")
    verb = Verb(found["verb"])
    words = read_fields(number, found["words"])
    operand: Operand | None = None
    if found["of"] is not None:
        operand = Operand(found["of"], int(found["offset"] or 0))
        if operand.name not in names:
            raise TraceError(number, f"expected the name of an earlier alloc, got {operand.name!r}")
    _check_shape(number, line, verb, operand, words.keys(), found["name"], shapes[verb])
    if found["name"] in names:
        raise TraceError(number, f"expected a new name, got {found['name']!r} again")
    for key in words.keys() & {"mt", "highest", "onlynode", *FLAGS}:
        known = KNOWN.get(key, ("0", "1"))
        if words[key] not in known:
            raise TraceError(
                number, f"{key}={_short(words[key])}: expected one of {', '.join(known)}"
            )
    if "pfn" in words:
        operand = Operand(None, read_whole(number, "pfn", words["pfn"]))
    return Request(
        verb=verb,
        order=read_whole(number, "order", words["order"]) if "order" in words else None,
        name=found["name"],
        operand=operand,
        answer=_answer(number, verb, found["answer"]),
        mt=LETTERS[words["mt"]] if "mt" in words else UNMOVABLE,
        pages=read_whole(number, "pages", words.get("pages", "0")),
        slot=read_whole(number, "slot", words["slot"]) if "slot" in words else None,
        cpu=read_whole(number, "cpu", words.get("cpu", "0")),
        node=read_whole(number, "node", words.get("node", "0")),
        highest=ZoneClass[words.get("highest", ZoneClass.NORMAL.name)],
        only_node=words.get("onlynode") == "1",
        **{flag: words.get(flag) == "1" for flag in FLAGS},
    )


KNOWN = {"mt": tuple(LETTERS), "highest": tuple(ZoneClass.__members__)}
"""The values of the words that take some letters or names alone."""


def _example_for(line: str) -> str:
    """How a request is written: of the verb that the line has a word for, or of any."""
    words = line.split()
    for verb, shape in SHAPES.items():
        if verb.value in words:
            return f"`{shape.example}` or the like"
    verbs = ", ".join(verb.value for verb in Verb)
    return f"a request such as `a = alloc order=1` (its verb one of {verbs})"


def _check_shape(
    number: int,
    line: str,
    verb: Verb,
    operand: Operand | None,
    words: Set[str],
    name: str | None,
    shape: Shape,
) -> None:
    """Each verb takes its own words; only what gives out a block gives it a name."""
    instead = (operand is not None) + ("slot" in words) + ("pfn" in words)
    needs = shape.needs
    if shape.named and (operand is not None or "slot" in words):
        needs, words = frozenset(), words - {"slot"}
    right = needs <= words <= shape.needs | shape.may_have and instead <= 1
    if operand is not None:
        right = right and shape.named
    if not right or (name is not None and verb not in NAMING):
        raise TraceError(number, f"expected `{shape.example}` or the like, got {line[:60]!r}")


def _answer(number: int, verb: Verb, text: str | None) -> int | None:
    """An allocation gives a frame or none, any other request is done; each may be refused."""
    if text is None:
        return None
    word, _, value = text.partition(" ")
    if word == "refused":
        if value not in Refusal.__members__:
            raise TraceError(
                number, f"expected one of {', '.join(Refusal.__members__)}, got {value[:40]!r}"
            )
        return Refusal[value].value
    if word == "none" and verb in MAY_FAIL:
        return NO_MEMORY
    if word == "pfn" and verb in NAMING:
        return int(value)
    if word == "count" and verb is Verb.BULK:
        return int(value)
    if word == "done" and verb not in NAMING | {Verb.BULK}:
        return 0
    due = "`pfn N`" if verb in NAMING else "`count N`" if verb is Verb.BULK else "`done`"
    due += " or `none`" if verb in MAY_FAIL else ""
    raise TraceError(number, f"expected {due} as the answer to {verb.value}, got {text!r}")
