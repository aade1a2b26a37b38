"""Units of work: what a campaign is cut into, each a pure function of the seed and its number.

So a run can be split over processes and machines, and any part of it done again: the same seed and
number give the same requests, whatever ran before. The number alone decides the gear and the era,
round robin, so that a short run has met every era in every gear before it meets one twice.
"""

from dataclasses import replace
from random import Random
from time import perf_counter

from pagefuzz.campaign.gears import RUN_GEAR
from pagefuzz.campaign.plan import Plan, Result
from pagefuzz.compaction.shrink import shrink_compaction
from pagefuzz.compaction.under import compaction_factory_of
from pagefuzz.counters.shrink import shrink_counters
from pagefuzz.counters.under import counter_factory_of
from pagefuzz.findings import keep
from pagefuzz.hosts.shrink import shrink_host
from pagefuzz.hosts.under import host_factory_of
from pagefuzz.schedule.shrink import shrink_trace
from pagefuzz.shrink import shrink
from pagefuzz.slabs.shrink import shrink_slabs
from pagefuzz.slabs.under import slab_factory_of
from pagefuzz.target.protocol import Factory
from pagespec.compaction.trace import CompactionTrace
from pagespec.era import ERAS
from pagespec.host_trace import AnyTrace
from pagespec.laws.law import Level
from pagespec.schedule.trace import ScheduleTrace
from pagespec.slab.trace import SlabTrace
from pagespec.trace import Trace
from pagespec.vmstat.trace import CounterTrace


def empty_result(plan: Plan, number: int) -> Result:
    """The unit's gear and era, which take turns, and nothing done yet."""
    turn, gear = divmod(number, len(plan.gears))
    return Result(number, plan.gears[gear], plan.eras[turn % len(plan.eras)])


def run_unit(plan: Plan, number: int, factory: Factory) -> Result:
    """Do one unit's work; a failure is on disk before it is shrunk."""
    begin = perf_counter()
    result = empty_result(plan, number)
    smallest: list[AnyTrace] = []

    def found(trace: AnyTrace) -> None:
        origin = f"seed {plan.seed:08x} unit {number}"
        trace = replace(trace, comments=(origin, *trace.comments))
        result.law, result.complaint = trace.expect, ", ".join(trace.comments)
        result.finding = keep(trace, plan.out / "raw")
        smallest[:] = [trace]

    rng = Random(f"{plan.seed:x}/{number}")
    RUN_GEAR[result.gear](plan, rng, ERAS[result.era], factory, result, found)
    for trace in smallest:
        try:
            small = _shrunk(trace, factory, plan.level)
        except ValueError:
            # Put again it breaks nothing: what remains of the finding is the raw trace.
            result.complaint += "; its trace does not break it again"
        else:
            result.law, result.complaint = small.expect, ", ".join(small.comments)
            result.finding = keep(small, plan.out)
    result.seconds = perf_counter() - begin
    return result


def _shrunk(trace: AnyTrace, factory: Factory, level: Level) -> AnyTrace:
    if isinstance(trace, Trace):
        return shrink(trace, factory, level)
    if isinstance(trace, ScheduleTrace):
        return shrink_trace(trace)
    if isinstance(trace, CounterTrace):
        return shrink_counters(trace, counter_factory_of(factory))
    if isinstance(trace, SlabTrace):
        return shrink_slabs(trace, slab_factory_of(factory))
    if isinstance(trace, CompactionTrace):
        return shrink_compaction(trace, compaction_factory_of(factory))
    return shrink_host(trace, host_factory_of(factory))
