"""Laws about NUMA statistics: each allocation is counted once as near or far, wanted or not."""

from pagespec.laws.law import Complaint, LawBook
from pagespec.vmstat.counters import Counters
from pagespec.vmstat.laws.step import CounterStep
from pagespec.vmstat.laws.sums import accounted
from pagespec.vmstat.laws.wording import numa_places, wording
from pagespec.vmstat.machine import Item
from pagespec.vmstat.verbs import CounterVerb

STATISTIC_LAWS: LawBook[CounterStep] = LawBook()


def counted(counters: Counters) -> dict[tuple[Item, int], int]:
    """What each node has been counted, told or kept, by item and node."""
    zones, sums = counters.machine.zones, dict[tuple[Item, int], int]()
    for number in numa_places(counters.machine):
        place = counters.places[number]
        node = place.where if place.of_node else zones[place.where].node
        key = place.item, node
        sums[key] = sums.get(key, 0) + accounted(counters, number)
    return sums


@STATISTIC_LAWS.law("VM-numa", source="mm/page_alloc.c, zone_statistics, 2.6.9 to 6.12")
def once(step: CounterStep) -> Complaint:
    """An allocation is a hit or a miss, local or other, at the node that served, and once.

    A miss is foreign at the node that was wanted. So hits and misses are as many as local and other
    ones, and misses as foreign ones. Allocations count, not frames. While statistics are off
    nothing is counted, and all is 0.
    """
    counters, op = step.before, step.op
    if not step.after.numa_on:
        numbers = numa_places(step.after.machine)
        rest = [step.after.told[number] for number in numbers]
        rest += [cells[number] for cells in step.after.cells for number in numbers]
        if any(rest):
            return f"after {wording(op)} statistics are off and not 0"
    if op.verb is not CounterVerb.COUNT or not step.legal or not counters.numa_on:
        return None
    served = counters.machine.zones[op.where].node
    wanted = counters.machine.zones[op.preferred].node
    was, now = counted(counters), counted(step.after)
    new = {key: now[key] - was[key] for key in now if now[key] != was[key]}
    near, far = (op.times, 0) if served == wanted else (0, op.times)
    local = op.times if counters.machine.cpus[op.cpu] == served else 0
    due = {
        (Item.HIT, served): near,
        (Item.MISS, served): far,
        (Item.FOREIGN, wanted): far,
        (Item.LOCAL, served): local,
        (Item.OTHER, served): op.times - local,
        (Item.INTERLEAVE, served): op.times if op.interleave else 0,
    }
    wrong = {key for key in {*new, *due} if new.get(key, 0) != due.get(key, 0)}
    if not wrong:
        return None
    item, node = min(wrong, key=lambda key: (key[0].value, key[1]))
    return (
        f"{wording(op)} counted {new.get((item, node), 0)} {item.value} at node {node}, "
        f"expected {due.get((item, node), 0)}"
    )
