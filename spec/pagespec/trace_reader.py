"""Reading traces: text to requests, and one clear sentence for any text that is none."""

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias, TypeVar

from pagespec.era import era_named
from pagespec.laws.books import LAWS_OF, TraceKind
from pagespec.machine import Machine
from pagespec.request_reader import SHAPES, Shapes, read_request
from pagespec.trace import FORMAT, SIZES_GIVEN, Request, Trace, TraceError
from pagespec.trace_words import (
    blamed,
    check_blanks,
    read_fields,
    read_flag,
    read_holes,
    read_types,
    read_whole,
)
from pagespec.types import DomainError

Lines: TypeAlias = Iterator[tuple[int, str]]
"""The lines of a trace that say something, each with its number."""

AnyRequest = TypeVar("AnyRequest")


def parse(text: str) -> Trace:
    """The trace that the text describes.

    Raises TraceError, with the line's number, for any other text.
    """
    comments, body = lines_of(text)
    machine = read_machine(*next(body))
    requests, expect = read_requests(body, "zone", SHAPES)
    return Trace(machine, requests, expect, comments)


def lines_of(text: str) -> tuple[tuple[str, ...], Lines]:
    """The comments of a trace, and its other lines behind the format's; one at least."""
    # Not splitlines(), which also ends lines where no editor does, and would count them wrong.
    lines = [(at, line.strip()) for at, line in enumerate(text.removesuffix("\n").split("\n"), 1)]
    if lines[0][1] != FORMAT:
        raise TraceError(1, f"expected {FORMAT!r}, got {lines[0][1][:40]!r}")
    comments = tuple(line[1:].strip() for _, line in lines if line.startswith("#"))
    body = [(number, line) for number, line in lines[1:] if line and line[0] != "#"]
    return comments, _alone(body or [(len(lines), "the end of the file")])


def _alone(lines: list[tuple[int, str]]) -> Lines:
    """The lines one by one, so that the first fault of a trace is told first."""
    for number, line in lines:
        _, mark, comment = line.partition("#")
        if mark:
            raise TraceError(
                number, f"expected a comment on a line of its own, got {mark + comment[:40]!r}"
            )
        yield number, line


def read_requests(
    body: Lines, kind: TraceKind, shapes: Shapes
) -> tuple[tuple[Request, ...], str | None]:
    """The requests of a trace, and the law that it names at its end, if any."""
    names: set[str] = set()

    def read(number: int, line: str) -> Request:
        request = read_request(number, line, names, shapes)
        if request.name is not None:
            names.add(request.name)
        return request

    return read_body(body, kind, read)


def read_body(
    body: Lines, kind: TraceKind, read: Callable[[int, str], AnyRequest]
) -> tuple[tuple[AnyRequest, ...], str | None]:
    """What each line says to a reader, and the law that the trace names at its end, if any."""
    requests: list[AnyRequest] = []
    expect: str | None = None
    for number, line in body:
        if expect is not None:
            raise TraceError(number, f"expected nothing after `expect`, got {line[:60]!r}")
        if line.startswith("expect "):
            check_blanks(number, line)
            expect = _expect(number, line.removeprefix("expect "), kind)
        else:
            requests.append(read(number, line))
    return tuple(requests), expect


MACHINE_WORDS = frozenset(
    {
        *("pages", "top", "era", "start", "holes", "pageblock", "types", "guard", "cpus"),
        *("cells", *SIZES_GIVEN),
    }
)
"""What a line may say of a zone."""


def read_machine(number: int, line: str) -> Machine:
    """The machine that a line describes."""
    check_blanks(number, line)
    word, _, rest = line.partition(" ")
    fields = read_fields(number, rest) if word == "machine" else {}
    unknown = fields.keys() - MACHINE_WORDS
    if unknown or not {"pages", "top", "era"} <= fields.keys():
        raise TraceError(
            number,
            "expected `machine pages=N top=N era=NAME`, with start=N, holes=FIRST+COUNT,..., "
            "pageblock=N, types=M2C, guard=N, cpus=N, batch=N, high=N, min_free=N and cells=1 if "
            "need be, "
            f"got {blamed(line, unknown)!r}",
        )
    return machine_of(number, fields)


def machine_of(number: int, fields: Mapping[str, str]) -> Machine:
    """The machine that the words of a line describe; `pages`, `top` and `era` are among them."""
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
            cells=read_flag(number, "cells", fields.get("cells", "0")),
        )
    except TraceError:
        raise
    except DomainError as error:
        raise TraceError(number, str(error)) from None


def _expect(number: int, name: str, kind: TraceKind) -> str:
    """A law that is never asked of such a trace could not break: it would seem kept, or mended."""
    if name not in frozenset().union(*LAWS_OF.values()):
        raise TraceError(number, f"expected the name of a law after `expect`, got {name[:60]!r}")
    if name not in LAWS_OF[kind]:
        others = " and ".join(f"{other}s" for other, laws in LAWS_OF.items() if name in laws)
        raise TraceError(
            number,
            f"expected a law about {kind}s after `expect`, got {name}, which is about {others}",
        )
    return name
