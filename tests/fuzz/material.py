"""Planted faults, small plans, and what tests of campaigns put to them."""

from pathlib import Path
from random import Random
from typing import NamedTuple

from pagefuzz.campaign.plan import Gear, Plan
from pagefuzz.campaign.walk import random_machine, walk
from pagefuzz.lockstep import Lockstep
from pagefuzz.record import trace_of
from pagefuzz.target.builtin import TwinFactory
from pagefuzz.target.protocol import Factory
from pageimpl.source import plain_modules
from pagespec.era import ERAS
from pagespec.laws.law import LawBroken, Level
from pagespec.machine import Machine
from pagespec.trace import Trace

GEARS: tuple[Gear, ...] = ("stream", "walk", "hypothesis")
SMALL = Machine(pages=16, top=3, era=ERAS["6.1"])


class Fault(NamedTuple):
    """A change of a kernel's text, and the law that it breaks."""

    module: str
    old: str
    new: str
    law: str


NO_MERGE = Fault("buddy", "while order < top:\n", "while 0 < order < top:\n", "BUD-maximal")
COUNT_OFF = Fault(
    "buddy",
    "account(mem, -(1 << order), mt, False)",
    "account(mem, -1, mt, False)",
    "BUD-count",
)
NO_DOUBLE = Fault("checks", "DOUBLE if owner & GIVEN else NEVER_GIVEN", "NEVER_GIVEN", "BUD-refuse")
ALWAYS_HEAD = Fault(
    "buddy", "to_tail = buddy_merge_likely(mem, p, order)", "to_tail = False", "BUD-place"
)
FAULTS = (NO_MERGE, COUNT_OFF, NO_DOUBLE, ALWAYS_HEAD)


def planted(fault: Fault) -> TwinFactory:
    """Twins with the fault, in the plain form of their kernels."""

    def patch(text: str) -> str:
        assert text.count(fault.old) == 1
        return text.replace(fault.old, fault.new)

    return TwinFactory(plain_modules({fault.module: patch}))


def failure(factory: Factory, level: Level = "exact", seed: int = 0) -> Trace:
    """The trace of the first walk that breaks a law."""
    for number in range(400):
        rng = Random(f"{seed}/{number}")
        machine = random_machine(rng, ERAS["6.1"])
        lockstep: Lockstep | None = None
        try:
            lockstep = Lockstep(machine, factory, level)
            walk(lockstep, rng, 60)
        except LawBroken as broken:
            return trace_of(machine, lockstep.done if lockstep else [], broken)
    raise AssertionError("no law broke in 400 walks")


def plan_of(
    out: Path,
    *,
    seed: int = 1,
    target: str = "numba",
    level: Level = "exact",
    eras: tuple[str, ...] = ("6.1",),
    gears: tuple[Gear, ...] = GEARS,
    rounds: int = 1,
) -> Plan:
    """A plan that takes a fraction of a second a unit."""
    return Plan(("run",), seed, target, level, eras, gears, out, rounds)
