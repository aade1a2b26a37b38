"""Looking for what threads break: zone after zone, round after round.

Zones, requests and rounds follow from the seed; what comes of them also from when the threads run,
which nobody chooses. So nothing here is repeatable, and a run that finds nothing has refuted
nothing in so many requests: it is no proof, and not even a search of a known part of the schedules.
"""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from time import perf_counter

from pagefuzz.threads import churn
from pagefuzz.threads.counting import Counting, random_counters, random_rows
from pagefuzz.threads.drivers import Driver, installed_driver
from pagefuzz.threads.judging import judge, judge_end
from pagefuzz.threads.record import Failure, failure_of, keep
from pagefuzz.threads.running import PATIENCE_SECONDS, overlap
from pagefuzz.threads.team import Team
from pagefuzz.threads.zones import SHARED_ERAS, random_programs, random_zone
from pageimpl.memory import Words
from pagespec.era import ERAS, Era
from pagespec.laws.law import LawBroken
from pagespec.vmstat.trace import counters_lines

ROUNDS = 6
"""Rounds of one zone at most; all threads rest between two of them."""

TURNS = (50, 500, 5_000, 20_000)
"""Turns of a round: often a few, so that states are judged soon after they were reached."""

COUNTERS = 0.1
"""How many of the zones are counters alone."""


@dataclass(slots=True)
class Hunted:
    """What came of a hunt.

    operations: requests served, by all threads together. judged: moments at which all rested and
    the state was judged. together: rounds in which all threads were at work at some moment; with
    fewer processors than threads they may still have taken turns. seconds: from begin to end.
    reached: what a run must meet to mean anything. record: where the failure stands, if there was
    one and a folder to keep it in.
    """

    seed: int
    threads: int
    zones: int = 0
    rounds: int = 0
    together: int = 0
    judged: int = 0
    operations: int = 0
    seconds: float = 0.0
    reached: Counter[str] = field(default_factory=Counter)
    failure: Failure | None = None
    record: Path | None = None


def hunt(
    seed: int,
    *,
    seconds: float | None = None,
    operations: int | None = None,
    threads: int = 2,
    era: Era | None = None,
    driver: Driver | None = None,
    fault: int = 1,
    counters: float = COUNTERS,
    patience_seconds: float = PATIENCE_SECONDS,
    folder: Path | None = None,
) -> Hunted:
    """Let threads share zones, for so long or until so many requests are served or a law breaks.

    era: the one of all zones; any if it is None. driver: the kernels, the installed ones by
    default. fault: the fault that is planted in them, 1 for none. counters: how many of the zones
    are counters alone. patience_seconds: how long a round of a zone may take. folder: where a
    failure is kept at once. Both budgets may be given; the first to be used up ends the hunt, after
    the zone that is under way. Raises ValueError for a hunt without end or with fewer than one
    thread.
    """
    if seconds is None and operations is None:
        raise ValueError("a hunt has no end; expected seconds=, operations= or both")
    if threads < 1:
        raise ValueError(f"threads={threads}: expected 1 or more")
    driver = driver or installed_driver()
    hunted = Hunted(seed, threads)
    compile_all(driver)
    began = perf_counter()
    while hunted.failure is None:
        hunted.seconds = perf_counter() - began
        if seconds is not None and hunted.seconds >= seconds:
            break
        if operations is not None and hunted.operations >= operations:
            break
        rng = Random(f"{seed:x}/{hunted.zones}")
        of_zone = era or rng.choice(SHARED_ERAS)
        if rng.random() < counters:
            _count(hunted, rng, of_zone, driver, fault)
        else:
            _share(hunted, rng, of_zone, driver, fault, patience_seconds)
        hunted.zones += 1
    hunted.seconds = perf_counter() - began
    if hunted.failure is not None and folder is not None:
        hunted.record = keep(hunted.failure, folder)
    return hunted


def compile_all(driver: Driver) -> None:
    """Compile what threads call, in zones that nobody shares, before there is a clock."""
    rng = Random(0)
    machine = random_zone(rng, ERAS["6.12"], 1)
    Team(machine, random_programs(rng, machine, 1), driver).compile()
    counters = random_counters(rng, ERAS["6.12"], 1)
    Counting(counters, driver.kernels).twin.perform_rows(Words(1), 0)


def _share(
    hunted: Hunted, rng: Random, era: Era, driver: Driver, fault: int, patience_seconds: float
) -> None:
    """Let threads share one more zone, and enter what came of it."""
    machine = random_zone(rng, era, hunted.threads)
    team = Team(machine, random_programs(rng, machine, hunted.threads), driver, fault)
    team.patience_seconds = patience_seconds
    rounds = rng.randint(1, ROUNDS)
    number = -1
    try:
        while number + 1 < rounds:
            number += 1
            hunted.together += overlap(team.run(rng.choice(TURNS)))
            hunted.rounds += 1
            judge(team)
            hunted.judged += 1
        team.release_all()
        judge_end(team)
        hunted.judged += 1
    except LawBroken as broken:
        served = team.count(churn.SERVED)
        hunted.failure = failure_of(hunted.seed, hunted.zones, number, team, broken, served)
    hunted.operations += team.count(churn.SERVED)
    hunted.reached["failed"] += team.count(churn.FAILED)
    hunted.reached["given"] += team.count(churn.GIVEN)
    hunted.reached["lists" if machine.cpus else "no lists"] += 1
    hunted.reached["cells"] += machine.cells


def _count(hunted: Hunted, rng: Random, era: Era, driver: Driver, fault: int) -> None:
    """Let threads share counters, and enter what came of it."""
    machine = random_counters(rng, era, hunted.threads)
    counting = Counting(machine, driver.kernels, fault)
    rows = rng.choice(TURNS)
    number = -1
    try:
        while number + 1 < ROUNDS:
            number += 1
            tables = [random_rows(rng, machine, cpu, rows) for cpu in range(hunted.threads)]
            hunted.together += overlap(counting.run(tables))
            hunted.rounds += 1
            hunted.operations += sum(len(table) for table in tables)
            counting.judge()
            hunted.judged += 1
    except LawBroken as broken:
        threads = [
            f"thread {cpu} cpu={cpu} {rows} requests a round" for cpu in range(hunted.threads)
        ]
        served = rows * hunted.threads * (number + 1)
        described = (*counters_lines(machine), *threads)
        hunted.failure = Failure(
            hunted.seed, hunted.zones, number, served, described, (), None, broken
        )
    hunted.reached["counters"] += 1
