"""Planted faults hunted on threads, each in a process of its own.

A faulty kernel may never end, or write where it should not; only its process survives neither. The
kernels are compiled once, and each hunt is a fork of the process that has them.

    python -m pagefuzz.threads.planted [SECONDS [FAULT ...]]
"""

import json
import os
import select
import signal
import sys
from collections.abc import Iterator, Sequence
from time import perf_counter
from typing import NamedTuple

from pagefuzz.museum.mutant import patches_of
from pagefuzz.threads.drivers import Driver, driver_of
from pagefuzz.threads.faults import FAULTS, IMPORTS, NUMBERS, SOUND
from pagefuzz.threads.hunt import COUNTERS, hunt
from pagespec.era import ERAS

ROUND_SECONDS = 3.0
"""How long a round may take before a thread of it counts as one that hangs."""

ENDS_AFTER_SECONDS = 5.0
"""How much longer than its hunt a process may go on, before it counts as one that hangs."""


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


def warm(driver: Driver) -> None:
    """Compile what hunts call, before there is a clock or a fork."""
    for counters in (0.0, 1.0):
        hunt(1, operations=1, threads=1, driver=driver, counters=counters, era=ERAS["6.12"])


def caught(driver: Driver, fault: str, seed: int, seconds: float, threads: int) -> Caught:
    """Hunt one fault in a fork of this process, by its name in `faults`."""
    theirs, ours = os.pipe()
    began = perf_counter()
    child = os.fork()
    if child == 0:
        _hunt_and_leave(driver, fault, seed, seconds, threads, ours)
    os.close(ours)
    with os.fdopen(theirs, "rb") as pipe:
        ready, _, _ = select.select([pipe], [], [], seconds + ENDS_AFTER_SECONDS)
        if not ready:
            os.kill(child, signal.SIGKILL)
        text = pipe.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    spent = perf_counter() - began
    if text:
        law, complaint, operations = json.loads(text)
        return Caught(fault, law, complaint, operations, spent)
    if not ready:
        return Caught(fault, "LIVE-ends", "the hunt did not end, and was stopped", 0, spent)
    return Caught(fault, "OUT-fault", f"the process ended with status {status}", 0, spent)


def _hunt_and_leave(
    driver: Driver, fault: str, seed: int, seconds: float, threads: int, pipe: int
) -> None:
    share = float(FAULTS[fault].counters) if fault in FAULTS else COUNTERS
    number = NUMBERS[fault]
    hunted = hunt(
        seed,
        seconds=seconds,
        threads=threads,
        driver=driver,
        fault=number,
        counters=share,
        patience_seconds=ROUND_SECONDS,
    )
    broken = hunted.failure.broken if hunted.failure is not None else None
    told = (broken and broken.law_id, broken.complaint if broken else "", hunted.operations)
    os.write(pipe, json.dumps(told).encode()[:4000])
    os._exit(0)


def hunt_all(
    seed: int, seconds: float, names: Sequence[str] = (), threads: int = 2
) -> Iterator[Caught]:
    """The faults of those names, or the sound kernels and then all of them, one after the other."""
    driver = faulty_driver()
    warm(driver)
    for name in names or (SOUND, *FAULTS):
        yield caught(driver, name, seed, seconds, threads)


def main() -> None:
    """Print one line of JSON for each hunt."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 10.0
    for one in hunt_all(1, seconds, sys.argv[2:]):
        print(json.dumps(one), flush=True)


if __name__ == "__main__":
    main()
