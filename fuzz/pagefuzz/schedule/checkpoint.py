"""A search that was broken off, as text: where each move led, from which the rest follows.

    pagefuzz-checkpoint 1
    scenario 6a1f...
    source 90cc...
    options reduced=1 bound=2 depth=- without=PCP-owner
    asked BUD-align BUD-count ...
    events ALLOC=12 FREE=3
    0:1*3 1:2
    0:2
    end 2 4be0...

One line for each state that was gone on from, in the order in which they were found: the moves by
their place among those that could happen, the number of the state that each led to, and how often
it was taken in a row. A move that is not there was forbidden by a bound. A state is made to stand
again by the moves that lead to it. The scenario and the source of what it is explored with are
named by their digests, and so is the file itself: what has changed meanwhile, or was cut, is
refused.
"""

import hashlib
import os
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pagespec
from pagefuzz.errors import UsageError
from pagespec.schedule.contexts import Scenario

HEADER = "pagefuzz-checkpoint 1"
EXPLORER = (
    *("programs", "frames", "aspects", "counted", "standing", "frozen", "judging"),
    *("bounds", "reduction", "symmetry", "swapping", "following", "search", "resuming", "exhaust"),
)
"""The modules, besides those of the spec, by which states are numbered as they are."""


class Kept(NamedTuple):
    """A way from one state, as the file has it. number: the move's. to: the state's."""

    number: int
    to: int
    steps: int


class Checkpoint(NamedTuple):
    """What a file says. options: as text. ways: those of each state that was gone on from."""

    scenario: str
    source: str
    options: str
    asked: tuple[str, ...]
    events: tuple[tuple[str, int], ...]
    ways: tuple[tuple[Kept, ...], ...]


def digest_of(text: str) -> str:
    """The name of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def scenario_digest(scenario: Scenario) -> str:
    """The name of a scenario."""
    return digest_of(repr(scenario))


@cache
def source_digest() -> str:
    """The name of the texts that say what a step does, and what a state is."""
    spec = Path(*pagespec.__path__)
    paths = [Path(__file__).with_name(f"{name}.py") for name in EXPLORER]
    paths += sorted(spec.rglob("*.py"))
    texts = [f"{path.name}\n{path.read_text(encoding='utf-8')}" for path in paths]
    return digest_of("\n".join(texts))


def write(path: Path, point: Checkpoint) -> None:
    """Write the file, which is there as it was or as it is now, whenever it is read.

    Raises UsageError if it cannot be written.
    """
    lines = [
        HEADER,
        f"scenario {point.scenario}",
        f"source {point.source}",
        f"options {point.options}",
        " ".join(["asked", *point.asked]),
        " ".join(["events", *(f"{name}={count}" for name, count in point.events)]),
        *(" ".join(map(_word_of, ways)) for ways in point.ways),
    ]
    text = "".join(f"{line}\n" for line in lines)
    beside = path.with_name(f"{path.name}.new")
    try:
        with beside.open("w", encoding="utf-8") as file:
            file.write(f"{text}end {len(point.ways)} {digest_of(text)}\n")
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise UsageError(f"{path}: the checkpoint cannot be written: {error.strerror}") from error


def _word_of(kept: Kept) -> str:
    times = f"*{kept.steps}" if kept.steps > 1 else ""
    return f"{kept.number}:{kept.to}{times}"


def read(path: Path, scenario: Scenario, options: str) -> Checkpoint:
    """Read a file that is to be gone on from.

    Raises UsageError for one that cannot be read, is cut or changed, or is of another scenario, of
    other options or of another source.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise UsageError(f"{path}: the checkpoint cannot be read: {reason}") from error
    if not text.startswith(f"{HEADER}\n"):
        begins = repr(text[:40].partition("\n")[0]) if text else "an empty file"
        raise UsageError(f"{path}:1: expected {HEADER!r}, got {begins}")
    body, _, last = text.removesuffix("\n").rpartition("\n")
    lines, digest = body.split("\n"), digest_of(f"{body}\n")
    ways = lines[6:]
    if last != f"end {len(ways)} {digest}":
        raise UsageError(f"{path}: the checkpoint is cut or changed: its last line does not fit it")
    said, source, had, asked, events = (line.partition(" ")[2] for line in lines[1:6])
    if said != scenario_digest(scenario):
        raise UsageError(f"{path}: the checkpoint is of another scenario")
    if had != options:
        raise UsageError(f"{path}: the checkpoint was made with {had!r}; expected {options!r}")
    if source != source_digest():
        raise UsageError(f"{path}: the checkpoint is of another version of the source")
    return Checkpoint(
        said,
        source,
        had,
        tuple(asked.split()),
        tuple((name, int(count)) for name, _, count in map(_parted, events.split())),
        tuple(tuple(map(_kept_of, line.split())) for line in ways),
    )


def _parted(word: str) -> tuple[str, str, str]:
    return word.partition("=")


def _kept_of(word: str) -> Kept:
    number, _, rest = word.partition(":")
    to, _, steps = rest.partition("*")
    return Kept(int(number), int(to), int(steps or 1))
