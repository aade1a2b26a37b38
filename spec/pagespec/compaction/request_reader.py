"""Reading one request of compaction: its verb and words, and one clear sentence for a bad one."""

from collections.abc import Set

from pagespec.compaction.trace import COMPACTION_SHAPES, FIELDS, CompactionRequest, Shape
from pagespec.compaction.verbs import ANSWERS as RESULTS
from pagespec.compaction.verbs import FRAMES, MODES, CompactionOp, CompactionVerb, Mode, Result
from pagespec.migratetype import LETTERS, MOVABLE
from pagespec.trace import Operand, TraceError
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
from pagespec.types import NO_MEMORY
from pagespec.verbs import Outcome

VERBS = {verb.value: verb for verb in CompactionVerb}
MODE_NAMED: dict[str, Mode] = {mode: mode for mode in MODES}
RESULT_NAMED = {result.name.lower(): result for result in Result}
FLAGS = ("lru", "killed", "whole", "irq")

KNOWN: dict[str, tuple[str, ...]] = {
    "mt": tuple(LETTERS),
    "mode": MODES,
    **dict.fromkeys(FLAGS, ("0", "1")),
}
"""The values of the words that take some alone."""

WRITTEN = {
    **{word: f"{word}=N" for word in FIELDS},
    **{flag: f"{flag}=1" for flag in FLAGS},
    "lru": "lru=0",
    "mt": "mt=LETTER",
    "mode": "mode=NAME",
}
"""How each word is written."""


def read_compaction_request(number: int, line: str, names: Set[str]) -> CompactionRequest:
    """The request of a line. names: of the blocks that earlier lines have named."""
    check_blanks(number, line)
    line, arrow, answer = f"{line} ".partition(" -> ")
    words = line.split()
    name = words[0] if words[1:2] == ["="] else None
    words = words[0 if name is None else 2 :]
    verb = _verb(number, line, words)
    if name is not None:
        _check_name(number, verb, name, names)
    shape, operand = COMPACTION_SHAPES[verb], None
    if shape.named and words[1:] and "=" not in words[1]:
        operand = _operand(number, words.pop(1), names)
    _check_known(number, verb, words[1:], shape)
    fields = read_fields(number, " ".join(words[1:]))
    for key in fields.keys() & KNOWN.keys():
        if fields[key] not in KNOWN[key]:
            raise TraceError(
                number, f"{key}={short(fields[key])}: expected one of {', '.join(KNOWN[key])}"
            )
    _check_complete(number, line.strip(), verb, operand, fields)
    return CompactionRequest(
        op=_op(number, verb, fields),
        name=name,
        operand=operand,
        sized=operand is not None and "order" in fields,
        answer=_answer(number, verb, answer.strip()) if arrow else None,
    )


def _op(number: int, verb: CompactionVerb, fields: dict[str, str]) -> CompactionOp:
    """The request that the words of a line say."""
    whole = {key: read_whole(number, key, fields[key]) for key in fields.keys() - KNOWN.keys()}
    return CompactionOp(
        verb=verb,
        cpu=whole.get("cpu", 0),
        order=whole.get("number", whole.get("order", 0)),
        pfn=whole.get("pfn", 0),
        pages=whole.get("pages", 0),
        mt=LETTERS[fields["mt"]] if "mt" in fields else MOVABLE,
        lru=fields.get("lru", "1") == "1",
        mode=MODE_NAMED[fields.get("mode", "sync")],
        killed=fields.get("killed") == "1",
        whole=fields.get("whole") == "1",
        irq=fields.get("irq") == "1",
    )


def _verb(number: int, line: str, words: list[str]) -> CompactionVerb:
    word = words[0] if words else ""
    if word in VERBS:
        return VERBS[word]
    if word in ("compaction", "machine"):
        raise TraceError(
            number,
            "expected a request: what is compacted is said once, before all requests; "
            f"got {line[:60].strip()!r}",
        )
    raise TraceError(
        number,
        f"expected a request such as `a = alloc order=1` (its verb one of {', '.join(VERBS)}), "
        f"got {line[:60].strip()!r}",
    )


def _check_name(number: int, verb: CompactionVerb, name: str, names: Set[str]) -> None:
    """Only what gives out frames gives them a name."""
    if verb not in FRAMES:
        verbs = ", ".join(each.value for each in CompactionVerb if each in FRAMES)
        raise TraceError(
            number, f"expected no name, which only {verbs} give, got {f'{short(name)} ='!r}"
        )
    check_new_name(number, name, names)


def _operand(number: int, word: str, names: Set[str]) -> Operand:
    name, plus, offset = word.partition("+")
    if name not in names:
        verbs = ", ".join(each.value for each in CompactionVerb if each in FRAMES)
        raise TraceError(
            number, f"expected the name of an earlier one of {verbs}, got {short(name)!r}"
        )
    if plus and not is_whole(offset):
        raise TraceError(number, f"{short(word)}: expected a whole number behind the +")
    return Operand(name, int(offset or 0))


def _check_known(number: int, verb: CompactionVerb, words: list[str], shape: Shape) -> None:
    """Each verb takes its own words."""
    known = shape.needs | shape.may_have
    for word in words:
        key, equals, _ = word.partition("=")
        if equals and key in known:
            continue
        written = [how for each, how in WRITTEN.items() if each in known]
        if shape.named:
            written.insert(0, "a name first")
        one = "one of " if len(written) > 1 else ""
        raise TraceError(
            number, f"expected {one}{', '.join(written)} behind `{verb.value}`, got {short(word)!r}"
        )


def _check_complete(
    number: int, line: str, verb: CompactionVerb, operand: Operand | None, fields: dict[str, str]
) -> None:
    """A name stands for a frame and an order, and the whole zone for any order."""
    shape = COMPACTION_SHAPES[verb]
    if operand is not None and "pfn" in fields:
        raise TraceError(number, f"expected one of a name and pfn=N, got {line[:60]!r}")
    stands: Set[str] = {"pfn", "order"} if operand is not None else set()
    if verb is CompactionVerb.COMPACT and fields.get("whole") == "1":
        stands = {"order"}
    lacks = [how for key, how in WRITTEN.items() if key in shape.needs - fields.keys() - stands]
    if lacks:
        raise lacking(number, shape.example, line, lacks)


def _answer(number: int, verb: CompactionVerb, text: str) -> Outcome:
    """A frame or none, how a run ended, or that it was done; each may be refused."""
    word, _, value = text.partition(" ")
    if word == "refused":
        return read_refusal(number, value).value
    if verb in FRAMES:
        if text == "none":
            return NO_MEMORY
        if word == "pfn" and is_whole(value):
            return int(value)
        due = "`pfn N`, `none`"
    elif verb in RESULTS:
        if text in RESULT_NAMED:
            return RESULT_NAMED[text]
        due = ", ".join(f"`{name}`" for name in RESULT_NAMED)
    else:
        if text == "done":
            return 0
        due = "`done`"
    raise TraceError(
        number,
        f"expected {due} or `refused REASON` as the answer to {verb.value}, got {short(text)!r}",
    )
