"""Reading traces: text to requests, and one clear sentence for any text that is none."""

import re
from collections.abc import Iterator, Set
from typing import NamedTuple

from pagespec.era import era_named
from pagespec.machine import Machine
from pagespec.migratetype import LETTERS, UNMOVABLE, MigrateType
from pagespec.trace import FLAGS, FORMAT, NAMING, Operand, Request, Trace, TraceError
from pagespec.types import NO_MEMORY, DomainError, Pfn, Refusal
from pagespec.verbs import MAY_FAIL, Verb

_NAME = r"[a-z]+"
_NUMBER = r"[0-9]{1,15}"
_VERBS = "|".join(verb.value for verb in Verb)
_REQUEST = re.compile(
    rf"(?:(?P<name>{_NAME}) = )?(?P<verb>{_VERBS})"
    rf"(?: (?P<of>{_NAME})(?:\+(?P<offset>{_NUMBER}))?(?![=a-z]))?"
    rf"(?P<words>(?: [a-z]+=[A-Za-z0-9]+)*)"
    rf"(?: -> (?P<answer>pfn {_NUMBER}|none|done|refused [A-Z_]+))?"
)


class Shape(NamedTuple):
    """The words that a verb takes. named: whether a block's name may stand for pfn.

    A free or split of a named block needs no order.
    """

    example: str
    needs: frozenset[str]
    may_have: frozenset[str] = frozenset()
    named: bool = False


_BLOCK = frozenset({"pfn", "order"})
_RANGE = frozenset({"pfn", "pages"})
_FRAME = frozenset({"pfn"})
_TYPE = frozenset({"mt"})
SHAPES: dict[Verb, Shape] = {
    Verb.ALLOC: Shape(
        "a = alloc order=1",
        frozenset({"order"}),
        frozenset({"mt", "compound", "atomic", "nofragment"}),
    ),
    Verb.FREE: Shape("free a", _BLOCK, named=True),
    Verb.GET: Shape("get a", _FRAME, named=True),
    Verb.PUT: Shape("put a", _FRAME, named=True),
    Verb.SPLIT: Shape("split a", _BLOCK, named=True),
    Verb.UNRESERVE: Shape("unreserve mt=M force=1", frozenset(), frozenset({"mt", "force"})),
    Verb.ISOLATE: Shape("isolate pfn=8 pages=4", _RANGE),
    Verb.RESTORE: Shape("restore pfn=8 pages=4 mt=M", _RANGE, _TYPE),
    Verb.CONTIG: Shape("a = contig pfn=9 pages=2 mt=M", _RANGE, _TYPE),
    Verb.POISON: Shape("poison pfn=9", _FRAME, named=True),
    Verb.HEAL: Shape("heal pfn=9", _FRAME, named=True),
    Verb.OFFLINE: Shape("offline pfn=8 pages=4", _RANGE),
    Verb.ONLINE: Shape("online pfn=8 pages=4", _RANGE),
}
"""How each request is written."""


def parse(text: str) -> Trace:
    """The trace that the text describes.

    Raises TraceError, with the line's number, for any other text.
    """
    # Not splitlines(), which also ends lines where no editor does, and would count them wrong.
    lines = [(at, line.strip()) for at, line in enumerate(text.removesuffix("\n").split("\n"), 1)]
    if lines[0][1] != FORMAT:
        raise TraceError(1, f"expected {FORMAT!r}, got {lines[0][1][:40]!r}")
    comments = tuple(line[1:].strip() for _, line in lines if line.startswith("#"))
    body = iter([(number, line) for number, line in lines[1:] if line and line[0] != "#"])
    machine = _machine(*next(body, (len(lines), "the end of the file")))
    requests: list[Request] = []
    names: set[str] = set()
    expect: str | None = None
    for number, line in body:
        if expect is not None:
            raise TraceError(number, f"expected nothing after `expect`, got {line[:60]!r}")
        if line.startswith("expect "):
            expect = line.removeprefix("expect ").strip()
        else:
            request = _request(number, line, names)
            requests.append(request)
            if request.name is not None:
                names.add(request.name)
    return Trace(machine, tuple(requests), expect, comments)


def _machine(number: int, line: str) -> Machine:
    word, _, rest = line.partition(" ")
    fields = _fields(number, rest) if word == "machine" else {}
    unknown = fields.keys() - {
        *("pages", "top", "era", "start", "holes", "pageblock", "types", "guard")
    }
    if unknown or not {"pages", "top", "era"} <= fields.keys():
        raise TraceError(
            number,
            "expected `machine pages=N top=N era=NAME`, with start=N, holes=FIRST+COUNT,..., "
            f"pageblock=N, types=M2C and guard=N if need be, got {line[:60]!r}",
        )
    try:
        return Machine(
            pages=_whole(fields["pages"]),
            top=_whole(fields["top"]),
            era=era_named(fields["era"]),
            start=_whole(fields.get("start", "0")),
            holes=tuple(_holes(fields["holes"])) if "holes" in fields else (),
            pageblock=_whole(fields["pageblock"]) if "pageblock" in fields else None,
            types=tuple(_types(fields["types"])) if "types" in fields else (),
            guard=_whole(fields.get("guard", "0")),
        )
    except DomainError as error:
        raise TraceError(number, str(error)) from None
    except ValueError:
        raise TraceError(
            number, f"expected whole numbers, and letters for types, got {line[:60]!r}"
        ) from None


def _fields(number: int, text: str) -> dict[str, str]:
    fields: dict[str, str] = {}
    for word in text.split():
        key, equals, value = word.partition("=")
        if not equals or not value:
            raise TraceError(number, f"expected KEY=VALUE, got {word[:40]!r}")
        if key in fields:
            raise TraceError(number, f"expected each key once, got {key!r} again")
        fields[key] = value
    return fields


def _whole(text: str) -> int:
    """The number that the text writes; int() alone would also read 1_0, +1 and other digits."""
    if re.fullmatch(_NUMBER, text) is None:
        raise ValueError(text)
    return int(text)


def _holes(text: str) -> Iterator[tuple[Pfn, Pfn]]:
    for hole in text.split(","):
        first, _, count = hole.partition("+")
        yield _whole(first), _whole(first) + _whole(count)


def _types(text: str) -> Iterator[MigrateType]:
    if re.fullmatch(rf"(?:[{''.join(LETTERS)}](?:[0-9]{{1,8}})?)+", text) is None:
        raise ValueError(text)
    for letter, count in re.findall(r"([A-Z])([0-9]*)", text):
        yield from [LETTERS[letter]] * int(count or 1)


def _request(number: int, line: str, names: set[str]) -> Request:
    found = _REQUEST.fullmatch(line)
    if found is None:
        raise TraceError(number, f"expected {_examples()}, got {line[:60]!r}")
    verb = Verb(found["verb"])
    words = _fields(number, found["words"])
    operand: Operand | None = None
    if found["of"] is not None:
        operand = Operand(found["of"], int(found["offset"] or 0))
        if operand.name not in names:
            raise TraceError(number, f"expected the name of an earlier alloc, got {operand.name!r}")
    _check_shape(number, line, verb, operand, words.keys(), found["name"])
    if found["name"] in names:
        raise TraceError(number, f"expected a new name, got {found['name']!r} again")
    try:
        mt = LETTERS[words["mt"]] if "mt" in words else UNMOVABLE
        flags = {flag: bool(("0", "1").index(words.get(flag, "0"))) for flag in FLAGS}
        if "pfn" in words:
            operand = Operand(None, _whole(words["pfn"]))
        order = _whole(words["order"]) if "order" in words else None
        pages = _whole(words.get("pages", "0"))
    except (KeyError, ValueError):
        raise TraceError(
            number,
            f"expected whole numbers, types of {', '.join(LETTERS)} and flags of 0 or 1, "
            f"got {line[:60]!r}",
        ) from None
    return Request(
        verb=verb,
        order=order,
        name=found["name"],
        operand=operand,
        answer=_answer(number, verb, found["answer"]),
        mt=mt,
        pages=pages,
        **flags,
    )


def _examples() -> str:
    return ", ".join(f"`{shape.example}`" for shape in SHAPES.values())


def _check_shape(
    number: int,
    line: str,
    verb: Verb,
    operand: Operand | None,
    words: Set[str],
    name: str | None,
) -> None:
    """Each verb takes its own words; only what gives out a block gives it a name."""
    shape = SHAPES[verb]
    needs = shape.needs if operand is None else frozenset[str]()
    right = needs <= words <= shape.needs | shape.may_have
    if operand is not None:
        right = right and shape.named and "pfn" not in words
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
    if word == "done" and verb not in NAMING:
        return 0
    due = "`pfn N`" if verb in NAMING else "`done`"
    due += " or `none`" if verb in MAY_FAIL else ""
    raise TraceError(number, f"expected {due} as the answer to {verb.value}, got {text!r}")
