"""Tables in markdown."""

from collections.abc import Iterable, Sequence


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table; numbers are set to the right, and a cell may hold any text of one line."""
    filled = [list(row) for row in rows]
    first = filled[0] if filled else heads
    rule = ["---:" if isinstance(cell, int) else "---" for cell in first]
    lines = [_line(heads), f"|{'|'.join(rule)}|", *(_line(row) for row in filled)]
    return "\n".join(lines) + "\n"


def _line(cells: Iterable[object]) -> str:
    texts = [f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in cells]
    return "| " + " | ".join(text.replace("|", "\\|") for text in texts) + " |"
