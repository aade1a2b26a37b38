"""Checks of the harness itself: the same seed must give the same bytes."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from pagefuzz.campaign.canary import planted_twin
from pagefuzz.campaign.plan import Plan, Result
from pagefuzz.campaign.unit import run_unit
from pagefuzz.target.builtin import TwinFactory

SEED = 0x5EED


def same_seed_same_bytes() -> bool:
    """Whether each gear does the same in two processes: the same events, the same trace of a fault.

    The other process hashes strings in another way, since what depends on the order of a set looks
    repeatable to the process that does it twice.
    """
    return digest() == _digest_of_another_process()


def digest() -> str:
    """What one small run of every gear in both designs, and the findings of a faulty twin, come to.

    Both are small: a difference in the drawing of requests shows in the first few of them.
    """
    found = sha256()
    with TemporaryDirectory() as folder:
        for result in _results(Path(folder)):
            found.update(
                repr((result.operations, sorted(map(repr, result.reached.items())))).encode()
            )
            if result.finding is not None:
                found.update(result.finding.name.encode() + result.finding.read_bytes())
    return found.hexdigest()


def _results(folder: Path) -> Iterator[Result]:
    sound = Plan(
        command=("smoke",),
        seed=SEED,
        target="numba",
        level="exact",
        eras=("6.1", "2.6.8"),
        gears=(
            *("stream", "walk", "hypothesis", "hosts"),
            *("counters", "slabs", "compaction", "schedules"),
        ),
        out=folder,
        rounds=1,
    )
    for number in range(sound.turn):
        yield run_unit(sound, number, TwinFactory())
    # The faulty one is run until it fails, and its fault is in the first era's design.
    faulty = replace(sound, eras=sound.eras[:1], rounds=30)
    for number in range(faulty.turn):
        yield run_unit(faulty, number, planted_twin())


def _digest_of_another_process() -> str:
    done = subprocess.run(
        [sys.executable, "-c", "from pagefuzz.selfcheck import digest; print(digest())"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": "1"},
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return done.stdout.strip()
