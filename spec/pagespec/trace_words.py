"""Reading the words of a trace's lines: numbers, runs and letters, each with its own sentence."""

import re
from collections.abc import Iterator, Sequence, Set

from pagespec.migratetype import LETTERS, MigrateType
from pagespec.trace import TraceError
from pagespec.types import Pfn, Refusal

DIGITS = 15
"""The most digits of a number."""


def first_word(line: str) -> str:
    """What the line begins with."""
    return line.partition(" ")[0]


def check_blanks(number: int, line: str) -> None:
    """Words stand one blank apart, so that each trace is written in one way."""
    if re.search(r"\s\s|[^\S ]", line) is not None:
        raise TraceError(number, f"expected one blank between words, got {line[:60]!r}")


def read_words(
    number: int, line: str, word: str, needs: frozenset[str], known: frozenset[str]
) -> dict[str, str]:
    """The words of a line that begins with a certain one."""
    check_blanks(number, line)
    first, _, rest = line.partition(" ")
    fields = read_fields(number, rest) if first == word else {}
    if first != word or not needs <= fields.keys() <= known:
        must = " ".join(f"{key}=..." for key in sorted(needs))
        may = ", ".join(f"{key}=..." for key in sorted(known - needs))
        also = f", with {may} if need be" if may else ""
        got = blamed(line, fields.keys() - known)
        raise TraceError(number, f"expected `{word} {must}`{also}, got {got!r}")
    return fields


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


def blamed(line: str, unknown: Set[str]) -> str:
    """The first word of the line with an unknown key; without any the line itself, cut."""
    words = (word for word in line.split() if word.partition("=")[0] in unknown)
    return short(next(words, "")) or line[:60]


def is_whole(text: str) -> bool:
    """Whether the text is a number; int() alone would also read 1_0, +1 and other digits."""
    return re.fullmatch(rf"[0-9]{{1,{DIGITS}}}", text) is not None


def read_whole(number: int, key: str, text: str) -> int:
    """The number that the text writes."""
    if is_whole(text):
        return int(text)
    if re.fullmatch(r"[0-9]+", text) is not None:
        expected = f"at most {10**DIGITS - 1}, in at most {DIGITS} digits"
    else:
        expected = "a whole number"
    raise TraceError(number, f"{key}={short(text)}: expected {expected}")


def read_signed(number: int, key: str, text: str) -> int:
    """The number that the text writes, with a minus if it is below 0."""
    digits = text.removeprefix("-")
    if re.fullmatch(r"[0-9]+", digits) is None:
        raise TraceError(number, f"{key}={short(text)}: expected a whole number, as in 31 or -31")
    size = read_whole(number, key, digits)
    return size if digits == text else -size


def read_numbers(number: int, key: str, text: str) -> Iterator[int]:
    """The numbers of a list."""
    for word in text.split(","):
        if not word:
            raise TraceError(
                number, f"{key}={short(text)}: expected a whole number before and after each comma"
            )
        yield read_whole(number, key, word)


def read_holes(number: int, text: str) -> Iterator[tuple[Pfn, Pfn]]:
    """The runs [first, end) of frames without memory."""
    for hole in text.split(","):
        first, plus, count = hole.partition("+")
        if not (first and plus and count):
            raise TraceError(
                number, f"holes={short(text)}: expected FIRST+COUNT,..., got {short(hole)!r}"
            )
        start = read_whole(number, "holes", first)
        yield start, start + read_whole(number, "holes", count)


def read_types(number: int, text: str) -> Iterator[MigrateType]:
    """The types of pageblocks, by letter and count."""
    if re.fullmatch(rf"(?:[{''.join(LETTERS)}](?:[0-9]{{1,8}})?)+", text) is None:
        raise TraceError(
            number,
            f"types={short(text)}: expected letters of {', '.join(LETTERS)}, each with a count of "
            "at most 99999999 after it if need be, as in M2C",
        )
    for letter, count in re.findall(r"([A-Z])([0-9]*)", text):
        yield from [LETTERS[letter]] * int(count or 1)


def read_flag(number: int, key: str, text: str) -> bool:
    """Whether the word says 1; 0 says no."""
    if text not in ("0", "1"):
        raise TraceError(number, f"{key}={short(text)}: expected one of 0, 1")
    return text == "1"


def lacking(number: int, example: str, line: str, lacks: Sequence[str]) -> TraceError:
    """The error of a line without words that it must have. example: such a line as it should be."""
    return TraceError(
        number,
        f"expected `{example}` or the like, got {line[:60]!r}, which lacks {', '.join(lacks)}",
    )


ABOUT_BLOCKS = tuple(refusal for refusal in Refusal if refusal > Refusal.NO_CACHE)
"""Why requests are refused that are not about objects."""


def check_new_name(number: int, name: str, names: Set[str]) -> None:
    """Refuse a name that is none, or that something before has."""
    if re.fullmatch("[a-z]+", name) is None:
        raise TraceError(number, f"expected a name of the letters a to z, got {short(name)!r}")
    if name in names:
        raise TraceError(number, f"expected a new name, got {short(name)!r} again")


def read_refusal(number: int, name: str, expected: Sequence[Refusal] = ABOUT_BLOCKS) -> Refusal:
    """The refusal of that name, as an answer says it. expected: those that such requests may have;
    what is under test may answer any other.
    """
    if name not in Refusal.__members__:
        names = ", ".join(refusal.name for refusal in expected)
        raise TraceError(number, f"expected one of {names}, got {name[:40]!r}")
    return Refusal[name]


def short(text: str) -> str:
    """A value as an error repeats it."""
    return text if len(text) <= 40 else f"{text[:40]}..."
