"""Planted faults hunted on threads, each in a process of its own.

The kernels are compiled once, and each hunt is a fork of the process that has them.

    python -m pagefuzz.threads.planted [SECONDS [FAULT ...]]
"""

import json
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from time import perf_counter
from typing import NamedTuple

from pagefuzz.museum.mutant import patches_of
from pagefuzz.threads.drivers import Driver, driver_of
from pagefuzz.threads.faults import FAULTS, IMPORTS, NUMBERS, SOUND
from pagefuzz.threads.forked import Told, forked
from pagefuzz.threads.hunt import COUNTERS, compile_all, hunt

ROUND_SECONDS = 3.0
"""How long a round may take before a thread of it counts as one that hangs."""

ENDS_AFTER_SECONDS = 5.0
"""How much longer than its hunt a process may go on before it is stopped."""


class Caught(NamedTuple):
    """What came of a hunt: the law that broke and its complaint, or how the process ended.

    law: None if nothing was found.
    """

    fault: str
    law: str | None
    complaint: str
    operations: int
    seconds: float


def faulty_driver() -> Driver:
    """The kernels with all faults planted, none of which is chosen."""
    from pageimpl.source import compiled_modules

    edits = [*(fault.edit for fault in FAULTS.values()), *IMPORTS]
    return driver_of(compiled_modules(patches_of(edits)))


def caught(driver: Driver, fault: str, seed: int, seconds: float, threads: int) -> Caught:
    """Hunt one fault in a fork of this process, by its name in `faults`."""
    compile_all(driver)
    began = perf_counter()
    work = partial(_hunt, driver, fault, seed, seconds, threads)
    told, how = forked(work, seconds + ENDS_AFTER_SECONDS)
    spent = perf_counter() - began
    if told is None:
        return Caught(fault, "OUT-fault", how, 0, spent)
    law, complaint, operations = told
    return Caught(
        fault, None if law is None else str(law), str(complaint), int(operations or 0), spent
    )


def _hunt(driver: Driver, fault: str, seed: int, seconds: float, threads: int) -> Told:
    hunted = hunt(
        seed,
        seconds=seconds,
        threads=threads,
        driver=driver,
        fault=NUMBERS[fault],
        counters=float(FAULTS[fault].counters) if fault in FAULTS else COUNTERS,
        patience_seconds=ROUND_SECONDS,
    )
    if hunted.failure is None:
        return [None, "", hunted.operations]
    broken = hunted.failure.broken
    return [broken.law_id, broken.complaint[:1000], hunted.operations]


def hunt_all(
    seed: int, seconds: float, names: Sequence[str] = (), threads: int = 2
) -> Iterator[Caught]:
    """The faults of those names, or the sound kernels and then all of them, one after the other."""
    driver = faulty_driver()
    for name in names or (SOUND, *FAULTS):
        yield caught(driver, name, seed, seconds, threads)


def main() -> None:
    """Print one line of JSON for each hunt."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 10.0
    for one in hunt_all(1, seconds, sys.argv[2:]):
        print(json.dumps(one), flush=True)


if __name__ == "__main__":
    main()
