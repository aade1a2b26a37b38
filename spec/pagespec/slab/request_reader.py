"""Reading one request for objects: its verb and its words, and one clear sentence for a bad one."""

import re
from collections.abc import Iterator, Mapping, Set

from pagespec.slab.trace import FIELDS, NAMING, SLAB_SHAPES, Place, Shape, SlabRequest
from pagespec.slab.verbs import SlabOp, SlabVerb
from pagespec.trace import TraceError
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
from pagespec.types import NO_MEMORY, Refusal
from pagespec.verbs import Outcome

VERBS = {verb.value: verb for verb in SlabVerb}

WRITTEN = {**{word: f"{word}=N" for word in FIELDS}, "withheld": "withheld=NAME,NAME"}
"""How each word is written."""

REFUSALS = (
    *(Refusal.BAD_ORDER, Refusal.UNSAID, Refusal.UNSUPPORTED, Refusal.BAD_RANGE, Refusal.BAD_CPU),
    *(refusal for refusal in Refusal if refusal <= Refusal.NO_CACHE),
)
"""Why requests for objects are refused."""


def read_slab_request(
    number: int,
    line: str,
    names: Set[str],
    shapes: Mapping[SlabVerb, Shape] = SLAB_SHAPES,
) -> SlabRequest:
    """The request of a line. names: of the objects that earlier lines have named."""
    check_blanks(number, line)
    line, arrow, answer = f"{line} ".partition(" -> ")
    given, words = _split_names(line.split())
    verb = _verb(number, line, words)
    shape = shapes[verb]
    places: tuple[Place, ...] = ()
    if shape.places and words[1:] and "=" not in words[1]:
        places = tuple(_places(number, words.pop(1), names))
    _check_known(number, verb, words[1:], shape)
    fields = read_fields(number, " ".join(words[1:]))
    _check_complete(number, line.strip(), verb, places, shape, fields.keys())
    withheld = fields.pop("withheld", "")
    op = _op(verb, {key: read_whole(number, key, text) for key, text in fields.items()})
    if given is not None:
        _check_names(number, op, given, names)
    return SlabRequest(
        op=op,
        names=() if given is None else tuple(given),
        places=places,
        withheld=tuple(_places(number, withheld, names)) if withheld else (),
        answer=_answer(number, verb, answer.strip()) if arrow else None,
    )


def _op(verb: SlabVerb, whole: dict[str, int]) -> SlabOp:
    """The request that the words of a line say, but for its addresses."""
    return SlabOp(
        verb=verb,
        cpu=whole.get("cpu", 0),
        cache=whole.get("cache", 0),
        size=whole.get("size", 0),
        order=whole.get("order"),
        objects_kept=whole.get("kept"),
        partials=whole.get("partials"),
        batch=whole.get("batch"),
        shared=whole.get("shared"),
        group=whole.get("group", 0),
        objects=whole.get("objects", 0),
    )


def _split_names(words: list[str]) -> tuple[list[str] | None, list[str]]:
    """The names before a line's `=`, if it has any, and the words behind it."""
    if words[1:2] == ["="]:
        return words[0].split(","), words[2:]
    return None, words


def _verb(number: int, line: str, words: list[str]) -> SlabVerb:
    word = words[0] if words else ""
    if word in VERBS:
        return VERBS[word]
    if word in ("machine", "host", "counters", "slabs"):
        raise TraceError(
            number,
            "expected a request: the zone and the CPUs are said once, before all requests; "
            f"got {line[:60].strip()!r}",
        )
    raise TraceError(
        number,
        f"expected a request such as `a = alloc cache=1` (its verb one of {', '.join(VERBS)}), "
        f"got {line[:60].strip()!r}",
    )


def _check_names(number: int, op: SlabOp, given: list[str], names: Set[str]) -> None:
    """What gives out objects names each of them, all of them anew."""
    if op.verb not in NAMING:
        verbs = ", ".join(verb.value for verb in SlabVerb if verb in NAMING)
        got = f"{short(','.join(given))} ="
        raise TraceError(number, f"expected no name, which only {verbs} give, got {got!r}")
    for place, name in enumerate(given):
        check_new_name(number, name, {*names, *given[:place]})
    objects = op.objects if op.verb is SlabVerb.ALLOC_BULK else 1
    if len(given) != objects:
        raise TraceError(number, f"expected a name for each of {objects} objects, got {len(given)}")


def _places(number: int, text: str, names: Set[str]) -> Iterator[Place]:
    """The addresses of a list: objects by name, what lies behind them, and numbers."""
    for word in text.split(","):
        name, plus, offset = word.partition("+")
        if not plus and re.fullmatch("[0-9]+", word) is not None:
            yield Place(None, read_whole(number, "address", word))
            continue
        if name not in names:
            raise TraceError(
                number,
                f"expected an address or the name of an object of an earlier line, "
                f"got {short(name)!r}",
            )
        if plus and not is_whole(offset):
            raise TraceError(number, f"{short(word)}: expected a whole number behind the +")
        yield Place(name, int(offset or 0))


def _check_known(number: int, verb: SlabVerb, words: list[str], shape: Shape) -> None:
    """Each verb takes its own words; each may say who asks."""
    known = shape.needs | shape.may_have | {"cpu"}
    for word in words:
        key, equals, _ = word.partition("=")
        if equals and key in known:
            continue
        written = [how for each, how in WRITTEN.items() if each in known]
        if shape.places:
            written.insert(0, "names first")
        one = "one of " if len(written) > 1 else ""
        raise TraceError(
            number,
            f"expected {one}{', '.join(written)} behind `{verb.value}`, got {short(word)!r}",
        )


def _check_complete(
    number: int,
    line: str,
    verb: SlabVerb,
    places: tuple[Place, ...],
    shape: Shape,
    words: Set[str],
) -> None:
    """A free is about one object; a bulk one about any number, none included."""
    lacks = [how for key, how in WRITTEN.items() if key in shape.needs - words]
    if verb is SlabVerb.FREE and not places:
        lacks.insert(0, "a name")
    if lacks:
        raise lacking(number, shape.example, line, lacks)
    if verb is SlabVerb.FREE and len(places) > 1:
        raise TraceError(number, f"expected one object behind `free`, got {len(places)}")


def _answer(number: int, verb: SlabVerb, text: str) -> Outcome:
    """An address or none, a number of objects, or that it was done; each may be refused."""
    word, _, value = text.partition(" ")
    if word == "refused":
        return read_refusal(number, value, REFUSALS).value
    if verb not in NAMING:
        if text == "done":
            return 0
        due = "`done`"
    else:
        served = "objects" if verb is SlabVerb.ALLOC_BULK else "address"
        if word == served and is_whole(value):
            return int(value)
        due = f"`{served} N`"
        if served == "address":
            if text == "none":
                return NO_MEMORY
            due += ", `none`"
    raise TraceError(
        number,
        f"expected {due} or `refused REASON` as the answer to {verb.value}, got {short(text)!r}",
    )
