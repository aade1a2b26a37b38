"""What can be kept of a run that cannot be repeated: a text for whoever has to find the cause.

A seed fixes what threads ask for, not when they run: the same seed may break nothing tomorrow. So
the record says what was asked, by whom, on which machine, and what the state complained of. The
latest requests of each thread also become a scenario for the forms that a scheduler drives, whose
failures can be repeated; that one of them fails there is likely for no cause, and possible for
most.
"""

import os
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from pagefuzz.threads.handed import handed
from pagefuzz.threads.team import Latest, Team
from pagefuzz.threads.zones import NAMES, Program
from pagespec.laws.law import LawBroken
from pagespec.schedule.contexts import Scenario
from pagespec.schedule.trace import ScheduleTrace, schedule_text_of
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

    seed, zone, round: of the hunt, and how many zones and rounds had passed. served: the requests
    of that zone until then. described: lines on the machine and on what each thread asks for.
    latest: lines on what the threads asked for last. scenario: the same for a scheduler, if the
    requests are such as it takes.
    """

    seed: int
    zone: int
    round: int
    served: int
    described: tuple[str, ...]
    latest: tuple[str, ...]
    scenario: Scenario | None
    broken: LawBroken


def failure_of(
    seed: int, zone: int, number: int, team: Team, broken: LawBroken, served: int
) -> Failure:
    """The failure of a zone, as the threads' words tell it."""
    latest = [team.latest(thread) for thread in range(len(team.states))]
    threads = [f"thread {one.number} cpu={one.cpu} {_odds(one)}" for one in team.programs]
    told = [
        f"{at}: {_told(request)}" for at, many in enumerate(latest) for request in many[-SHOWN:]
    ]
    return Failure(
        seed,
        zone,
        number,
        served,
        (machine_line(team.machine), *threads),
        tuple(told),
        handed(team.machine, [program.cpu for program in team.programs], latest),
        broken,
    )


def record_of(failure: Failure) -> str:
    """The failure as text."""
    lines = [
        FORMAT,
        f"# {NOT_REPEATABLE}",
        f"seed {failure.seed:x} zone {failure.zone} round {failure.round}",
        *failure.described,
        f"served {failure.served}",
        f"broken {failure.broken.law_id}: {failure.broken.complaint}",
        "# the latest requests of each thread, its oldest first",
        *failure.latest,
    ]
    return "\n".join(lines) + "\n"


def keep(failure: Failure, folder: Path) -> Path:
    """Write the record, and beside it the scenario for a scheduler; return the record's place."""
    text = record_of(failure)
    digest = sha256(text.encode()).hexdigest()[:12]
    path = folder / f"{failure.broken.law_id}-{digest}.threads.txt"
    folder.mkdir(parents=True, exist_ok=True)
    _write(path, text)
    if failure.scenario is not None:
        comment = f"from {path.name}: the latest requests, {NOT_REPEATABLE}"
        trace = ScheduleTrace(failure.scenario, comments=(comment,))
        _write(path.with_suffix("").with_suffix(".trace"), schedule_text_of(trace))
    return path


def _write(path: Path, text: str) -> None:
    # A reader, or a process that is killed, must never see half a record.
    half = path.with_suffix(f".{os.getpid()}.half")
    half.write_text(text, encoding="utf-8")
    half.replace(path)


def _odds(program: Program) -> str:
    words = dict(program.words)
    return " ".join(f"{name}={words[at]}" for at, name in NAMES.items() if words.get(at))


def _told(request: Latest) -> str:
    verb, order, pfn, want, outcome = request
    about = f" pfn={pfn}" if pfn else ""
    return f"{verb.value} order={order}{about} want={want:#x} -> {outcome}"
