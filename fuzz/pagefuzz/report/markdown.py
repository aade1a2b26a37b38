"""Tables in markdown."""

from collections.abc import Iterable, Sequence

from pagefuzz.report.words import cell as text_of


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table; numbers are set to the right, and a cell may hold any text of one line, or None."""
    filled: list[Sequence[object]] = [list(row) for row in rows]
    columns = zip(*(filled or [heads]), strict=True)
    rule = ["---:" if all(map(_is_number, column)) else "---" for column in columns]
    lines = [_line(heads), f"|{'|'.join(rule)}|", *(_line(row) for row in filled)]
    return "\n".join(lines) + "\n"


def _line(cells: Iterable[object]) -> str:
    return "| " + " | ".join(text_of(cell).replace("|", "\\|") for cell in cells) + " |"


def _is_number(cell: object) -> bool:
    return isinstance(cell, int | float | None)
