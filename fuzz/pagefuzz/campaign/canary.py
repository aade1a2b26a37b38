"""The canary: faults planted in the twin, one of which each gear must catch before it counts.

Single frames are no longer merged. For a long time nothing goes wrong that a caller would see: a
harness that has stopped looking at the lists, or whose comparison has gone blind, does not notice.
Nor does it notice, of counters, that an increment leaves nothing behind in its CPU's cell: all adds
up, and readers are nearer to the truth than they need be.

Nor, of schedules, that a drain from elsewhere waits for nobody: it seldom comes just then.
"""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from pagefuzz.campaign.plan import Gear, Plan
from pagefuzz.campaign.unit import run_unit
from pagefuzz.target.builtin import TwinFactory
from pagespec.guards import GuardName
from pagespec.laws.law import Level

FAULT = ("    while order < top:\n", "    while 0 < order < top:\n")
"""The planted change of the twin's `free_one_block`: old text and new."""


COUNTER_FAULT = (
    "    if total <= threshold:\n        return 0, total\n    overstep = threshold >> 1\n",
    "    if total <= threshold:\n        return 0, total\n    overstep = 0\n",
)
"""The planted change of the twin's `inc`."""

GUARD: GuardName = "local-lock"
"""The guard by which contexts are kept off lists: it keeps no remote drain off, which the era of
the canary has."""


def planted_twin() -> TwinFactory:
    """Twins with the canary's faults, in the plain form of their kernels, and with its guard."""
    from pageimpl.source import plain_modules

    return TwinFactory(
        plain_modules(
            {
                "buddy": lambda text: text.replace(*FAULT),
                "vmstat.cell": lambda text: text.replace(*COUNTER_FAULT),
            }
        ),
        guard=GUARD,
    )


def missed_by(plan: Plan, level: Level) -> list[Gear]:
    """The gears of the plan that do not catch the canary, each in the very code that a run uses.

    A gear must find the fault, keep its trace, and shrink it. The fault is in the tag design.
    level: at which the run judges its own target.
    """
    twin = planted_twin()
    missed: list[Gear] = []
    with TemporaryDirectory() as folder:
        for gear in plan.gears:
            small = replace(
                plan, gears=(gear,), eras=("6.1",), level=level, rounds=150, out=Path(folder)
            )
            result = run_unit(small, 0, twin)
            if result.law is None or result.finding is None or not result.finding.exists():
                missed.append(gear)
    return missed
