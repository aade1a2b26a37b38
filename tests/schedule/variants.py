"""Kernels with one rule left out, in which random walks must find a fault."""

from dataclasses import replace
from random import Random

from pagefuzz.schedule.draw import random_scenario
from pagefuzz.schedule.record import schedule_trace_of
from pagefuzz.schedule.walk import walk
from pagespec.era import ERAS, Era
from pagespec.schedule.trace import ScheduleTrace

VARIANTS: dict[str, Era] = {
    "no test for interrupts": replace(ERAS["4.11-rc"], guard="preempt-off"),
    "drain by interrupt": replace(ERAS["4.11-rc"], visits="interrupt"),
    "trylock alone": replace(ERAS["6.12"], guard="bare-trylock"),
    "remote drain": replace(ERAS["6.1"], guard="local-lock"),
    "interrupts on": replace(ERAS["5.15"], guard="preempt-off"),
}


def failing_walk(name: str, seed: int) -> ScheduleTrace:
    """The first walk of a variant that breaks a law."""
    for number in range(300):
        rng = Random(f"{name}/{seed}/{number}")
        walked = walk(rng.getrandbits(63), random_scenario(rng, VARIANTS[name]))
        if walked.broken is not None:
            return schedule_trace_of(walked.scenario, tuple(walked.schedule), walked.broken)
    raise AssertionError(f"no law broke in 300 walks of {name}")
