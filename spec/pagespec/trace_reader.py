"""Reading traces: text to requests, and one clear sentence for any text that is none."""

import re
from collections.abc import Iterator

from pagespec.era import era_named
from pagespec.machine import Machine
from pagespec.ops import Verb
from pagespec.trace import FORMAT, Operand, Request, Trace, TraceError
from pagespec.types import NO_MEMORY, DomainError, Pfn, Refusal

_NAME = r"[a-z]+"
_REQUEST = re.compile(
    rf"(?:(?P<name>{_NAME}) = )?(?P<verb>alloc|free|get|put)"
    rf"(?: (?:pfn=(?P<pfn>\d+)|(?P<of>{_NAME})(?:\+(?P<offset>\d+))?(?![=a-z])))?"
    r"(?: order=(?P<order>\d+))?(?: compound=(?P<compound>[01]))?"
    r"(?: -> (?P<answer>pfn \d+|none|done|refused [A-Z_]+))?"
)
_SHAPE = (
    "`a = alloc order=1`, `free a`, `free a+1 order=0`, `free pfn=9 order=0`, `get a` or `put a`"
)


def parse(text: str) -> Trace:
    """The trace that the text describes.

    Raises TraceError, with the line's number, for any other text.
    """
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1)]
    if not lines or lines[0][1] != FORMAT:
        found = lines[0][1][:40] if lines else "an empty file"
        raise TraceError(1, f"expected {FORMAT!r}, got {found!r}")
    comments = tuple(line[1:].strip() for _, line in lines if line.startswith("#"))
    body = iter([(number, line) for number, line in lines[1:] if line and line[0] != "#"])
    machine = _machine(*next(body, (len(lines), "the end of the file")))
    requests: list[Request] = []
    expect: str | None = None
    for number, line in body:
        if expect is not None:
            raise TraceError(number, f"expected nothing after `expect`, got {line[:60]!r}")
        if line.startswith("expect "):
            expect = line.removeprefix("expect ").strip()
        else:
            requests.append(_request(number, line, {r.name for r in requests}))
    return Trace(machine, tuple(requests), expect, comments)


def _machine(number: int, line: str) -> Machine:
    word, _, rest = line.partition(" ")
    fields = dict(_fields(number, rest)) if word == "machine" else {}
    unknown = fields.keys() - {"pages", "top", "era", "start", "holes"}
    if unknown or not {"pages", "top", "era"} <= fields.keys():
        raise TraceError(
            number,
            "expected `machine pages=N top=N era=NAME`, with start=N and holes=FIRST+COUNT,... "
            f"if need be, got {line[:60]!r}",
        )
    try:
        return Machine(
            pages=int(fields["pages"]),
            top=int(fields["top"]),
            era=era_named(fields["era"]),
            start=int(fields.get("start", "0")),
            holes=tuple(_holes(fields["holes"])) if "holes" in fields else (),
        )
    except DomainError as error:
        raise TraceError(number, str(error)) from None
    except ValueError:
        raise TraceError(number, f"expected whole numbers, got {line[:60]!r}") from None


def _fields(number: int, text: str) -> Iterator[tuple[str, str]]:
    for word in text.split():
        key, equals, value = word.partition("=")
        if not equals or not value:
            raise TraceError(number, f"expected KEY=VALUE, got {word!r}")
        yield key, value


def _holes(text: str) -> Iterator[tuple[Pfn, Pfn]]:
    for hole in text.split(","):
        first, _, count = hole.partition("+")
        yield int(first), int(first) + int(count)


def _request(number: int, line: str, names: set[str | None]) -> Request:
    found = _REQUEST.fullmatch(line)
    if found is None:
        raise TraceError(number, f"expected {_SHAPE}, got {line[:60]!r}")
    verb = Verb(found["verb"])
    order = None if found["order"] is None else int(found["order"])
    operand: Operand | None = None
    if found["of"] is not None:
        operand = Operand(found["of"], int(found["offset"] or 0))
        if operand.name not in names:
            raise TraceError(number, f"expected the name of an earlier alloc, got {operand.name!r}")
    elif found["pfn"] is not None:
        operand = Operand(None, int(found["pfn"]))
    _check_shape(number, line, verb, order, operand, found["name"], found["compound"])
    if found["name"] in names and found["name"] is not None:
        raise TraceError(number, f"expected a new name, got {found['name']!r} again")
    return Request(
        verb=verb,
        order=order,
        name=found["name"],
        operand=operand,
        compound=found["compound"] == "1",
        answer=_answer(number, found["answer"]),
    )


def _check_shape(
    number: int,
    line: str,
    verb: Verb,
    order: int | None,
    operand: Operand | None,
    name: str | None,
    compound: str | None,
) -> None:
    """Each verb takes its own words: an allocation an order, anything else a frame."""
    if verb is Verb.ALLOC:
        right = operand is None and order is not None
    else:
        right = operand is not None and name is None and compound is None
        if verb is Verb.FREE and operand is not None:
            right = right and (operand.name is not None or order is not None)
        elif verb is not Verb.FREE:
            right = right and order is None
    if not right:
        raise TraceError(number, f"expected {_SHAPE}, got {line[:60]!r}")


def _answer(number: int, text: str | None) -> int | None:
    if text is None:
        return None
    if text.startswith("pfn "):
        return int(text.removeprefix("pfn "))
    if text.startswith("refused "):
        name = text.removeprefix("refused ")
        if name not in Refusal.__members__:
            raise TraceError(
                number, f"expected one of {', '.join(Refusal.__members__)}, got {name}"
            )
        return Refusal[name].value
    return NO_MEMORY if text == "none" else 0
