"""What a lockstep did until a law broke, as a trace."""

from pagefuzz.lockstep import Lockstep
from pagefuzz.record import trace_of
from pagespec.laws.law import LawBroken
from pagespec.machine import Machine
from pagespec.trace import Trace


def failure_of(machine: Machine, lockstep: Lockstep | None, broken: LawBroken) -> Trace:
    """The requests that were put, and the law; without a lockstep it broke at boot."""
    if lockstep is None:
        return trace_of(machine, [], broken)
    return trace_of(machine, lockstep.done, broken, lockstep.filled)
