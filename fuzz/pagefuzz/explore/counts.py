"""The counts: how many states each built-in scenario has, as committed text.

They are the same on every machine, so a change of one says that operations stop elsewhere, do
something else, or that the exploration is not what it was. `pagefuzz explore` compares them.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

from pagefuzz.errors import UsageError
from pagefuzz.explore.tasks import Counts

COUNTS = Path(__file__).with_name("counts.txt")

HEADER = """\
# What exploring each built-in scenario comes to: scenario | states | steps | ends | depth
# Written by `pagefuzz explore --update`.
"""


def line_of(name: str, counts: Counts) -> str:
    """The counts of a scenario as their line."""
    return " | ".join((name, *map(str, counts)))


def read(path: Path = COUNTS) -> dict[str, Counts]:
    """The counts by scenario.

    Raises UsageError with file and line for a line that is none.
    """
    found: dict[str, Counts] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if line.startswith("#"):
            continue
        name, *cells = (cell.strip() for cell in line.split("|"))
        if len(cells) != len(Counts._fields) or not all(cell.isdecimal() for cell in cells):
            raise UsageError(
                f"{path}:{number}: expected `scenario | {' | '.join(Counts._fields)}`, got "
                f"{line!r}; write it anew by --update"
            )
        if name in found:
            raise UsageError(f"{path}:{number}: {name} stands here twice")
        found[name] = Counts(*map(int, cells))
    return found


def write(counts: Mapping[str, Counts], path: Path = COUNTS) -> None:
    """Write the counts, in the order in which they are given."""
    text = HEADER + "".join(f"{line_of(name, each)}\n" for name, each in counts.items())
    path.write_text(text, encoding="utf-8")


def check_complete(names: Iterable[str], committed: Mapping[str, Counts]) -> None:
    """Raise UsageError if a scenario has no counts, or counts no scenario."""
    known = dict.fromkeys(names)
    for name in known:
        if name not in committed:
            raise UsageError(
                f"scenario {name} has no committed counts: enter them by "
                f"`pagefuzz explore {name} --update`"
            )
    for name in committed:
        if name not in known:
            raise UsageError(
                f"there are counts of {name} and no such scenario: bring it back, or, if it was "
                "meant to go, drop them by `pagefuzz explore --update`"
            )


def changes(name: str, counts: Counts, committed: Mapping[str, Counts]) -> str | None:
    """Which count changed and how, in a sentence; None if all are as committed."""
    if name not in committed:
        return None
    pairs = zip(Counts._fields, committed[name], counts, strict=True)
    changed = [f"{field} {now}, expected {was}" for field, was, now in pairs if was != now]
    return "; ".join(changed) or None


def entered(
    names: Iterable[str], committed: Mapping[str, Counts], found: Mapping[str, Counts]
) -> dict[str, Counts]:
    """The counts with those found in their place, in the order of the names."""
    both = {**committed, **found}
    return {name: both[name] for name in names if name in both}
