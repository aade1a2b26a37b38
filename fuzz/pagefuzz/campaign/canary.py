"""The canary: faults planted in the twin, one of which each gear must catch before it counts.

Single frames are no longer merged. For a long time nothing goes wrong that a caller would see: a
harness that has stopped looking at the lists, or whose comparison has gone blind, does not notice.
Nor does it notice, of counters, that an increment leaves nothing behind in its CPU's cell: all adds
up, and readers are nearer to the truth than they need be.

Nor, of objects, that a stock which takes over what is left of a group's charge leaves it there as
well: nobody is short of anything, and the group pays a little more than it has.

Nor, of compaction, that the free scanner begins where the two have met last: runs end at once, as
they do where nothing can be moved.

Nor, of schedules, that a drain from elsewhere waits for nobody: it seldom comes just then.
"""

from collections.abc import Callable
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

SLAB_FAULT = ("        set_rest(mem, g, 0)\n", "        set_rest(mem, g, rest_of(mem, g))\n")
"""The planted change of the twin's `refill`."""

COMPACTION_FAULT = (
    "    set_cached_free(mem, last_pageblock(mem))\n    set_cached_async(mem, start_of(mem))\n",
    "    set_cached_async(mem, start_of(mem))\n",
)
"""The planted change of the twin's `forget_positions`."""

GUARD: GuardName = "local-lock"
"""The guard by which contexts are kept off lists: it keeps no remote drain off, which the era of
the canary has."""


FAULTS = {
    "buddy": FAULT,
    "vmstat.cell": COUNTER_FAULT,
    "slab.stock": SLAB_FAULT,
    "compaction.skips": COMPACTION_FAULT,
}
"""The planted changes, by the module of the twin whose text they change."""

ALONE: dict[Gear, str] = {"slabs": "slab.stock", "compaction": "compaction.skips"}
"""Gears that stand on zones, whose fault would hide their own: the module of the one they get."""


def planted_twin(gear: Gear | None = None) -> TwinFactory:
    """Twins with the canary's faults, in the plain form of their kernels, and with its guard.

    gear: one that gets its own fault alone, if it has one.
    """
    from pageimpl.source import plain_modules

    modules = [ALONE[gear]] if gear in ALONE else [*FAULTS]
    return TwinFactory(
        plain_modules({module: _patch(*FAULTS[module]) for module in modules}), guard=GUARD
    )


def _patch(old: str, new: str) -> Callable[[str], str]:
    return lambda text: text.replace(old, new)


def missed_by(plan: Plan, level: Level) -> list[Gear]:
    """The gears of the plan that do not catch the canary, each in the very code that a run uses.

    A gear must find the fault, keep its trace, and shrink it. The fault is in the tag design.
    level: at which the run judges its own target.
    """
    missed: list[Gear] = []
    with TemporaryDirectory() as folder:
        for gear in plan.gears:
            small = replace(
                plan, gears=(gear,), eras=("6.1",), level=level, rounds=150, out=Path(folder)
            )
            result = run_unit(small, 0, planted_twin(gear))
            if result.law is None or result.finding is None or not result.finding.exists():
                missed.append(gear)
    return missed
