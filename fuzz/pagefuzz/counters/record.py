"""From requests to counters and their answers to a trace."""

from collections.abc import Iterable

from pagefuzz.record import complaint_of
from pagespec.laws.holdings import REFUSALS
from pagespec.laws.law import LawBroken
from pagespec.verbs import Outcome
from pagespec.vmstat.machine import CounterMachine
from pagespec.vmstat.trace import CounterRequest, CounterTrace
from pagespec.vmstat.verbs import CounterOp


def counter_trace_of(
    machine: CounterMachine, done: Iterable[tuple[CounterOp, Outcome]], broken: LawBroken
) -> CounterTrace:
    """A run that broke a law, with the complaint as its comment.

    Faulty counters may answer what no trace has words for; that stays unsaid.
    """
    requests = tuple(
        CounterRequest(op, outcome if outcome >= 0 or outcome in REFUSALS else None)
        for op, outcome in done
    )
    return CounterTrace(machine, requests, broken.law_id, (complaint_of(broken),))
