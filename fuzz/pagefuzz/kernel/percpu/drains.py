"""Drains: how much goes back to the buddy, when, and from which lists in turn.

Source: mm/page_alloc.c of 6.1 and 6.12 (free_unref_page_commit, nr_pcp_free, drain_pages_zone,
drain_zone_pages, decay_pcp_high).
"""

from itertools import groupby

from pagefuzz.kernel import findings as law
from pagefuzz.kernel.percpu import causes, lifo
from pagefuzz.kernel.percpu.lists import CpuLists, Judge, Spot, empty, lists_of
from pagefuzz.kernel.percpu.load import CALM, FLUSH, Counts, Drain
from pagefuzz.kernel.percpu.outcome import broken, explained
from pagefuzz.kernel.percpu.records import Drained, Freed, Next, Returned
from pagespec.frames import SIZES
from pagespec.migratetype import REQUESTED, UNMOVABLE
from pagespec.pcp.drain import from_preferred
from pagespec.pcp.index import LISTS, list_index
from pagespec.pcp.tuning import Pressure

WORKER = "kworker/"
"""Tasks of this name refresh the statistics of their CPU, and look after its lists as they do."""


def find_triggers(judge: Judge) -> None:
    """Note the frees that a drain of the same CPU, task and zone follows at once."""
    for record in judge.records:
        if isinstance(record, Drained) and record.after is not None:
            free = judge.records[record.after]
            if isinstance(free, Freed) and (free.task, free.zone) == (record.task, record.zone):
                judge.triggers[record.after] = free


def freed(judge: Judge, record: Freed, future: Next) -> None:
    """Put a freed block on its list, and judge that nothing had to be drained if nothing was."""
    if not lifo.freed(judge, record, future) or judge.at in judge.triggers:
        return
    cpu = lists_of(judge, record.cpu, record.zone)
    counts = cpu.counts()
    if not cpu.sized:
        judge.findings.passed[law.DRAIN] += 1
    elif record.torn:
        cpu.load.may_be_freed(record.block.order)
        judge.findings.passed[law.DRAIN] += 1
    elif cpu.load.kept(record.block.order, counts, pressures(judge, record.zone)):
        explained(judge, law.DRAIN, "free without a drain", CALM)
    elif record.in_interrupt and future.fate.silent:
        # It came while the CPU was at its lists, so that it went to the buddy, and merged there.
        lifo.returned(judge, record.block.pfn)
        explained(judge, law.DRAIN, "free without a drain", causes.PAST)
    else:
        broken(
            judge,
            law.DRAIN,
            "free without a drain",
            record.line,
            f"CPU {record.cpu} keeps at least {counts.least} frames of {judge.zones[record.zone]}"
            f" after pfn {record.block.pfn:#x}: expected a drain by {cpu.load.shown()}.",
        )


def drained(judge: Judge, record: Drained) -> Drained | None:
    """Judge a run of drained blocks as far as it is of one CPU's lists, and return the rest.

    Whoever drains all CPUs lets one CPU's lists go before it takes the next one's, whose owner may
    be at work meanwhile. So the rest is judged at its own line.
    """
    owner, length = _first_part(judge, record)
    part, rest = record.blocks[:length], record.blocks[length:]
    is_own = record.after is not None and owner == record.cpu
    _drained(judge, record, owner, part, judge.triggers.get(record.after or 0) if is_own else None)
    return record._replace(line=rest[0].line, blocks=rest, after=None) if rest else None


def _first_part(judge: Judge, record: Drained) -> tuple[int, int]:
    """Return whose lists a run drains first, and how many blocks of it are theirs.

    Hidden blocks belong to the first owner that is known, as long as it may have some.
    """
    owner: int | None = None
    hidden = 0
    for number, each in enumerate(record.blocks):
        spot = judge.where.get(each.block.pfn)
        if spot is None:
            hidden += SIZES[each.block.order]
            if owner is not None and hidden > lists_of(judge, owner, record.zone).hidden:
                return owner, number
        elif owner is None and hidden > lists_of(judge, spot.cpu, record.zone).hidden:
            return record.cpu, number
        elif owner is None:
            owner = spot.cpu
        elif spot.cpu != owner:
            return owner, number
    return record.cpu if owner is None else owner, len(record.blocks)


def _drained(
    judge: Judge, record: Drained, owner: int, part: list[Returned], trigger: Freed | None
) -> None:
    cpu = lists_of(judge, owner, record.zone)
    counts = cpu.counts()
    spots = _spots(judge, owner, record.zone, part)
    if record.torn:
        _take_back(judge, spots, part)
        judge.findings.passed[law.DRAIN] += 1
        return
    expected_turns = _turns(judge, cpu, spots, part, trigger)
    _take_back(judge, spots, part)
    turns = [spot.number for spot in spots]
    if turns in expected_turns:
        explained(judge, law.DRAIN, "turns", causes.IN_TURN)
    else:
        expected = " or ".join(map(_show, expected_turns))
        broken(
            judge,
            law.DRAIN,
            "turns",
            record.line,
            f"CPU {owner}: expected {len(turns)} blocks from lists {expected}, got {_show(turns)}.",
        )
    drain = Drain(sum(SIZES[each.block.order] for each in part), part[-1].block.order)
    if not cpu.sized:
        judge.findings.passed[law.DRAIN] += 1
        return
    if trigger is not None:
        zone = pressures(judge, record.zone)
        cause = cpu.load.drained(trigger.block.order, counts, drain, zone)
    else:
        cause = _without_free(cpu, counts, drain, record.task)
    if cause is not None:
        explained(judge, law.DRAIN, "drain", cause)
    else:
        broken(
            judge,
            law.DRAIN,
            "drain",
            record.line,
            f"CPU {owner} drained {drain.pages} frames of {counts.least} to {counts.most}:"
            f" expected what follows from {cpu.load.shown()}.",
        )
    if cause == causes.WHOLE or (cause == FLUSH and _is_empty(cpu) and cpu.load.empties(drain)):
        empty(judge, cpu)


def _take_back(judge: Judge, spots: list[Spot], part: list[Returned]) -> None:
    for spot, each in zip(spots, part, strict=True):
        if each.mt is not None:
            judge.types[each.block.pfn >> judge.huge] = each.mt
        lifo.drained(judge, spot, each)


def _without_free(cpu: CpuLists, counts: Counts, drain: Drain, task: str) -> str | None:
    """Explain a drain that no free asked for: everything, a batch, or what is too much."""
    if task.startswith(WORKER) and cpu.load.ages(counts, drain):
        return causes.AGED
    return causes.WHOLE if _is_empty(cpu) and drain.pages >= counts.least else None


def _is_empty(cpu: CpuLists) -> bool:
    return all(entry.may_be_gone for each in cpu.lists for entry in each.values())


def _spots(judge: Judge, owner: int, zone: int, part: list[Returned]) -> list[Spot]:
    """Return the list that each block was on; a hidden one's is that of the type that is printed.

    Where that type is read anew, the list may be another: the next that may have hidden blocks.
    """
    rule = judge.era.lists
    complete = set(lists_of(judge, owner, zone).complete)
    spots: list[Spot] = []
    for each in part:
        known = judge.where.get(each.block.pfn)
        if known is None:
            order, mt = each.block.order, UNMOVABLE if each.mt is None else each.mt
            index = list_index(rule, order, mt)
            if judge.era.retypes_on_merge and index in complete:
                others = {list_index(rule, order, other) for other in REQUESTED} - complete
                at = spots[-1].number if spots else 0
                turns = [((other - at) % LISTS[rule], other) for other in others]
                _, index = min(turns, default=(0, index))
            known = Spot(owner, zone, index)
        else:
            complete.add(known.number)  # it was at the back, so nothing hidden is beneath
        spots.append(known)
    return spots


def _turns(
    judge: Judge,
    cpu: CpuLists,
    spots: list[Spot],
    part: list[Returned],
    trigger: Freed | None,
) -> list[list[int]]:
    """Return the lists that the spec would take so many frames from, by all that is known."""
    lengths = [sum(not entry.may_be_gone for entry in entries.values()) for entries in cpu.lists]
    for spot, each in zip(spots, part, strict=True):
        entry = cpu.lists[spot.number].get(each.block.pfn)
        lengths[spot.number] += entry is None or entry.may_be_gone
    sizes = [judge.sizes_of(index) for index in range(len(lengths))]
    pages = sum(SIZES[each.block.order] for each in part)
    return [
        list(from_preferred(lengths, pages, sizes, preferred))
        for preferred in _preferred(judge, trigger)
    ]


def _preferred(judge: Judge, trigger: Freed | None) -> list[int]:
    """Return the list that a drain begins with; any of its order where the free's is unknown."""
    if trigger is None:
        return [0]
    pfn, order = trigger.block
    spot = judge.where.get(pfn)
    if spot is not None and judge.cpus[spot[:2]].lists[spot.number][pfn].sure:
        return [spot.number]
    return [list_index(judge.era.lists, order, mt) for mt in REQUESTED]


def pressures(judge: Judge, zone: int) -> list[Pressure]:
    """Return the states of a zone that are possible now."""
    awake = judge.awake.get(judge.zones[zone].name[0])
    reclaiming = [False] if awake is False else [False, True]
    return [Pressure(each, below) for each in reclaiming for below in (False, True)]


def _show(turns: list[int]) -> str:
    return ", ".join(f"{index} x{len([*group])}" for index, group in groupby(turns)) or "none"
