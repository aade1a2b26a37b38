"""What is said of large machines, each as one trace that anybody can replay."""

from collections.abc import Callable, Iterable

from pagefuzz.drift.machine import PAGES_A_GIB, own_min_free
from pagefuzz.prove.soundness.breach import by_refills, fall
from pagefuzz.prove.soundness.space import Space, single, takes, visit, way_to
from pagespec.era import ERAS
from pagespec.vmstat.counters import Counters, boot_counters
from pagespec.vmstat.machine import CountedZone, CounterMachine
from pagespec.vmstat.ops import perform
from pagespec.vmstat.trace import CounterRequest, CounterTrace
from pagespec.vmstat.verbs import ANSWERS, CounterOp, CounterVerb, Level


def machine_of(era: str, cpus: int, *zones: int) -> CounterMachine:
    """A machine with min_free_kbytes as it boots: one zone a node, and its CPUs among the nodes.

    zones: their frames.
    """
    counted = tuple(CountedZone(node, pages) for node, pages in enumerate(zones))
    of_nodes = tuple(cpu * len(zones) // cpus for cpu in range(cpus))
    return CounterMachine(ERAS[era], of_nodes, counted, own_min_free(ERAS[era], counted))


def trace_of(machine: CounterMachine, ops: Iterable[CounterOp], *comments: str) -> CounterTrace:
    """The requests with what the spec answers."""
    counters = boot_counters(machine)
    answered = []
    for op in ops:
        outcome = perform(counters, op)
        answered.append(CounterRequest(op, outcome if op.verb in ANSWERS else None))
    return CounterTrace(machine, tuple(answered), comments=comments)


def looked_at(level: Level) -> tuple[CounterOp, ...]:
    """How the zone stands at the end: its count, what is free in truth, and what checks say."""
    count = CounterOp(CounterVerb.READ)
    check = CounterOp(CounterVerb.CHECK, level=level)
    return count, count._replace(close=True), check, check._replace(reclaim=True)


def all_keep_back(counters: Counters, shown: int) -> Iterable[CounterOp]:
    """Every CPU that runs keeps back all it may of what was taken, and the count shows so much."""
    kept = counters.thresholds[0]
    yield CounterOp(CounterVerb.MOD, by=shown - counters.told[0])
    for cpu in sorted(counters.running):
        yield CounterOp(CounterVerb.MOD, cpu, by=-kept)


# --- the traces --------------------------------------------------------------------------------


def two_cpus() -> CounterTrace:
    """Found by search: no shorter way leads below min."""
    machine = CounterMachine(ERAS["2.6.39"], (0, 0), (CountedZone(0, 6),), min_free=16, normal=2)
    kinds = (takes("low", 0), single(CounterVerb.REFRESH))
    least = boot_counters(machine).marks[0].min
    found = next(at for at in visit(Space(machine, (), kinds)) if at.truth < least)
    ops = [op for action in way_to(found) for op in action]
    return trace_of(
        machine,
        (*ops, *looked_at("low")),
        "min 4, low 5, high 6: three frames, and the count still shows all of them",
    )


def through_min() -> CounterTrace:
    """62 GiB fall from high to below min, and nobody has seen anything."""
    machine = machine_of("2.6.39", 112, 62 * PAGES_A_GIB)
    marks = boot_counters(machine).marks[0]
    fallen = fall(by_refills(machine, marks.high, marks.min - 1, "low"))
    return trace_of(
        machine,
        (*fallen.ops, *looked_at("low")),
        "131 refills on 33 of 112 CPUs take a zone from high to below min, and low still passes",
    )


def empty_above_high() -> CounterTrace:
    """The same machine is empty, and the count shows one frame more than high."""
    machine = machine_of("2.6.39", 112, 62 * PAGES_A_GIB)
    marks = boot_counters(machine).marks[0]
    fallen = fall(by_refills(machine, marks.high + 1, 0, "low"))
    return trace_of(
        machine,
        (*fallen.ops, *looked_at("high")),
        "391 refills on 98 of 112 CPUs empty a zone whose count stays above high",
    )


def a_cpu_is_gone() -> CounterTrace:
    """One CPU of 64 leaves, and the mark with it; the others still keep what they kept."""
    machine = machine_of("4.10", 64, PAGES_A_GIB)
    counters = boot_counters(machine)
    gone = counters.thresholds[0]
    # With one CPU less: thresholds of 60, not 70.
    mark = counters.marks[0].high + 63 * 60
    return trace_of(
        machine,
        (
            *all_keep_back(counters, mark + gone),
            CounterOp(CounterVerb.UNPLUG, 63),
            *looked_at("low"),
        ),
        "64 CPUs keep 70 frames each; with 63 the mark is for 60 each: reclaim passes low, "
        "and what is free is less than min",
    )


def min_free_raised() -> CounterTrace:
    """The marks have risen beyond the drift mark that was made from lower ones."""
    machine = machine_of("2.6.39", 112, 62 * PAGES_A_GIB)
    counters = boot_counters(machine)
    raised = CounterOp(CounterVerb.MIN_FREE, pages=131072)
    perform(counters, raised)
    low = counters.marks[0].low
    return trace_of(
        machine,
        (raised, *all_keep_back(counters, low + 1), *looked_at("low")),
        "min_free_kbytes is four times as high, the drift mark as before: reclaim passes low, "
        "and what is free is less than min",
    )


def kswapd_raises() -> CounterTrace:
    """Kswapd wakes, and CPUs may keep more than before."""
    machine = machine_of("4.10", 8, PAGES_A_GIB // 4)
    counters = boot_counters(machine)
    before = (
        CounterOp(CounterVerb.MIN_FREE, pages=16384),
        CounterOp(CounterVerb.WAKE),
    )
    for op in before:
        perform(counters, op)
    return trace_of(
        machine,
        (*before, *all_keep_back(counters, counters.marks[0].high + 1), *looked_at("high")),
        "the threshold for a kswapd that is awake is 125, the normal one 24: what 8 CPUs keep "
        "grows from 192 frames to 1000, and the old drift mark of 960 is below min",
    )


WITNESSES: dict[str, Callable[[], CounterTrace]] = {
    "two-cpus": two_cpus,
    "through-min": through_min,
    "empty-above-high": empty_above_high,
    "a-cpu-is-gone": a_cpu_is_gone,
    "min-free-raised": min_free_raised,
    "kswapd-raises": kswapd_raises,
}
"""The stored traces, by the names of their files."""
