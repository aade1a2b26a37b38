"""What can be kept of a run that cannot be repeated: a text for whoever has to find the cause.

A seed fixes what threads ask for, not when they run: the same seed may break nothing tomorrow. So
the record says what was asked, by whom, on which machine, and what the state complained of. The
latest requests of each thread also become a scenario for the forms that a scheduler drives, whose
failures can be repeated; that they fail there is likely for none of them, and possible for all.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from pagefuzz.threads.team import Latest, Team
from pagefuzz.threads.zones import NAMES, Program
from pagespec.laws.law import LawBroken
from pagespec.machine import Machine
from pagespec.trace import machine_line

FORMAT = "pagefuzz-threads 1"

SHOWN = 24
"""The latest requests of each thread that a record shows."""

NOT_REPEATABLE = (
    "not repeatable by its seed alone: the seed fixes what each thread asks for, not when it runs"
)


@dataclass(frozen=True, slots=True)
class Failure:
    """A law that broke on threads.

    zone, round: the numbers of the zone under its seed, and of the round in which it broke, both
    from 0. served: requests served in that zone until then. latest: per thread, its latest
    requests, the oldest first.
    """

    seed: int
    zone: int
    round: int
    served: int
    machine: Machine
    programs: tuple[Program, ...]
    latest: tuple[tuple[Latest, ...], ...]
    broken: LawBroken


def failure_of(
    seed: int, zone: int, number: int, team: Team, broken: LawBroken, served: int
) -> Failure:
    """The failure, as the threads' words tell it."""
    latest = tuple(tuple(team.latest(thread)) for thread in range(len(team.states)))
    return Failure(seed, zone, number, served, team.machine, team.programs, latest, broken)


def record_of(failure: Failure) -> str:
    """The failure as text."""
    lines = [
        FORMAT,
        f"# {NOT_REPEATABLE}",
        f"seed {failure.seed:x} zone {failure.zone} round {failure.round}",
        machine_line(failure.machine),
    ]
    for program in failure.programs:
        lines.append(f"thread {program.number} cpu={program.cpu} {_odds(program)}")
    lines.append(f"served {failure.served}")
    lines.append(f"broken {failure.broken.law_id}: {failure.broken.complaint}")
    for number, latest in enumerate(failure.latest):
        lines.append(f"# the latest requests of thread {number}, the oldest first")
        lines += [f"{number}: {_told(request)}" for request in latest[-SHOWN:]]
    return "\n".join(lines) + "\n"


def keep(failure: Failure, folder: Path) -> Path:
    """Write the record, whole or not at all, and return where it stands."""
    text = record_of(failure)
    digest = sha256(text.encode()).hexdigest()[:12]
    path = folder / f"{failure.broken.law_id}-{digest}.threads.txt"
    folder.mkdir(parents=True, exist_ok=True)
    half = path.with_suffix(f".{os.getpid()}.half")
    half.write_text(text, encoding="utf-8")
    half.replace(path)
    return path


def _odds(program: Program) -> str:
    words = dict(program.words)
    return " ".join(f"{name}={words[at]}" for at, name in NAMES.items() if words.get(at))


def _told(request: Latest) -> str:
    verb, order, pfn, want, outcome = request
    about = f" pfn={pfn}" if pfn else ""
    return f"{verb.value} order={order}{about} want={want:#x} -> {outcome}"


def kinds_of(latest: Sequence[Latest]) -> str:
    """How often each kind of request is among them, as words."""
    verbs = [request.verb.value for request in latest]
    return " ".join(f"{verb}*{verbs.count(verb)}" for verb in dict.fromkeys(verbs))
