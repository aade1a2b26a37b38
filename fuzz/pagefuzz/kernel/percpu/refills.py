"""Refills: a list that is empty gets a batch, as long as the buddy has that much.

Source: mm/page_alloc.c of 6.1 and 6.12 (rmqueue_bulk, nr_pcp_alloc).
"""

from itertools import islice

from pagefuzz.kernel import findings as law
from pagefuzz.kernel.percpu import causes, lifo
from pagefuzz.kernel.percpu.lists import Judge, Spot, lists_of
from pagefuzz.kernel.percpu.outcome import broken, explained
from pagefuzz.kernel.percpu.records import Allocated, Next, Refill
from pagespec.frames import SIZES
from pagespec.pcp.index import list_index


def refilled(judge: Judge, record: Refill, futures: tuple[Next, ...]) -> None:
    """Judge a refill's length and whether its list was empty."""
    if record.mt is None or not judge.keeps(record.order):
        return
    for pfn in record.blocks:
        judge.types[pfn >> judge.huge] = record.mt
    index = list_index(judge.era.lists, record.order, record.mt)
    spot = Spot(record.cpu, record.zone, index)
    cpu = lists_of(judge, record.cpu, record.zone)
    if _went_past(judge, record, spot):
        judge.direct.add(record.blocks[0])
        explained(judge, law.REFILL, "refill", causes.DIRECT)
        return
    if record.torn:
        judge.findings.passed[law.REFILL] += 1
        cpu.silent += record.before * SIZES[record.order]  # zoneinfo may have counted them already
        lifo.append(judge, record, spot, futures)
        return
    if cpu.sized:
        _judge_length(judge, record, spot)
    else:
        judge.findings.passed[law.REFILL] += 1
    lifo.refilled(judge, record, spot, futures)


def _judge_length(judge: Judge, record: Refill, spot: Spot) -> None:
    cpu = lists_of(judge, spot.cpu, spot.zone)
    blocks = len(record.blocks)
    cause = cpu.load.refilled(record.order, blocks, cpu.counts())
    if cause is None and record.dry:
        cause = causes.DRY
    if cause is not None:
        explained(judge, law.REFILL, "refill", cause)
    else:
        broken(
            judge,
            law.REFILL,
            "refill",
            record.line,
            f"{lifo.name_of(spot, record.mt, record.order)} got {blocks} blocks from pfn"
            f" {record.blocks[0]:#x}: expected what follows from {cpu.load.shown()}.",
        )


def _went_past(judge: Judge, record: Refill, spot: Spot) -> bool:
    """Whether a single block went to a request at once, because an interrupt lost the lock."""
    entries = lists_of(judge, spot.cpu, spot.zone).lists[spot.number]
    if len(record.blocks) != 1 or not record.in_interrupt:
        return False
    if all(entry.may_be_gone for entry in entries.values()):
        return False
    later = islice(judge.records, judge.at + 1, None)
    following = next((each for each in later if each and each.line > record.line), None)
    return isinstance(following, Allocated) and following.block.pfn == record.blocks[0]
