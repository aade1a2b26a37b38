"""Reading traces: text to requests, and one clear sentence for any text that is none."""

import re
from collections.abc import Iterator

from pagespec.era import era_named
from pagespec.machine import Machine
from pagespec.ops import Verb
from pagespec.trace import FORMAT, Operand, Request, Trace, TraceError
from pagespec.types import NO_MEMORY, DomainError, Pfn, Refusal

_NAME = r"[a-z]+"
_NUMBER = r"[0-9]{1,15}"
_REQUEST = re.compile(
    rf"(?:(?P<name>{_NAME}) = )?(?P<verb>alloc|free|get|put)"
    rf"(?: (?:pfn=(?P<pfn>{_NUMBER})|(?P<of>{_NAME})(?:\+(?P<offset>{_NUMBER}))?(?![=a-z])))?"
    rf"(?: order=(?P<order>{_NUMBER}))?(?: compound=(?P<compound>[01]))?"
    rf"(?: -> (?P<answer>pfn {_NUMBER}|none|done|refused [A-Z_]+))?"
)
_SHAPE = (
    "`a = alloc order=1`, `free a`, `free a+1 order=0`, `free pfn=9 order=0`, `get a` or `put a`"
)


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
    unknown = fields.keys() - {"pages", "top", "era", "start", "holes"}
    if unknown or not {"pages", "top", "era"} <= fields.keys():
        raise TraceError(
            number,
            "expected `machine pages=N top=N era=NAME`, with start=N and holes=FIRST+COUNT,... "
            f"if need be, got {line[:60]!r}",
        )
    try:
        return Machine(
            pages=_whole(fields["pages"]),
            top=_whole(fields["top"]),
            era=era_named(fields["era"]),
            start=_whole(fields.get("start", "0")),
            holes=tuple(_holes(fields["holes"])) if "holes" in fields else (),
        )
    except DomainError as error:
        raise TraceError(number, str(error)) from None
    except ValueError:
        raise TraceError(number, f"expected whole numbers, got {line[:60]!r}") from None


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


def _request(number: int, line: str, names: set[str]) -> Request:
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
    if found["name"] in names:
        raise TraceError(number, f"expected a new name, got {found['name']!r} again")
    return Request(
        verb=verb,
        order=order,
        name=found["name"],
        operand=operand,
        compound=found["compound"] == "1",
        answer=_answer(number, verb, found["answer"]),
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
    if verb is Verb.ALLOC and word in ("pfn", "none"):
        return int(value) if word == "pfn" else NO_MEMORY
    if verb is not Verb.ALLOC and word == "done":
        return 0
    due = "`pfn N` or `none`" if verb is Verb.ALLOC else "`done`"
    raise TraceError(number, f"expected {due} as the answer to {verb.value}, got {text!r}")
