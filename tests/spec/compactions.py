"""Zones that are laid out frame by frame, for tests of compaction."""

from dataclasses import replace

from pagespec.alloc import alloc_pages
from pagespec.compaction.design import Scan
from pagespec.compaction.machine import CompactionMachine
from pagespec.compaction.ops import perform, start
from pagespec.compaction.state import Compaction
from pagespec.compaction.verbs import CompactionOp, CompactionVerb
from pagespec.era import ERAS
from pagespec.machine import Machine
from pagespec.migratetype import MOVABLE, UNMOVABLE
from pagespec.rmqueue import Want
from pagespec.steps import run
from pagespec.types import Pfn

ERAS_WITH = tuple(name for name, era in ERAS.items() if era.compaction is not None)


def laid_out(
    frames: str,
    era: str,
    *,
    pageblock: int = 2,
    scan: Scan | None = None,
    cpus: int = 0,
    min_free: int | None = None,
    start_pfn: Pfn = 0,
    design: str | None = None,
) -> Compaction:
    """A zone with a letter for each frame, spaces apart.

    . free, m movable and on the LRU, n movable in another way, p movable and pinned, u unmovable.
    design: compacts as another era does.
    """
    letters = frames.replace(" ", "")
    made = ERAS[era]
    if design is not None:
        made = replace(made, compaction=ERAS[design].compaction)
    zone = Machine(
        pages=len(letters),
        top=pageblock,
        era=made,
        start=start_pfn,
        pageblock=pageblock,
        cpus=cpus,
        batch=4 if cpus else None,
        min_free=min_free,
    )
    compaction = start(CompactionMachine(zone, scan))
    held = set()
    while (pfn := run(alloc_pages(compaction.zone, Want(0, MOVABLE), emergency=True))) is not None:
        held.add(pfn)
    assert len(held) == len(letters)
    for pfn, letter in enumerate(letters, start_pfn):
        if letter == ".":
            perform(compaction, CompactionOp(CompactionVerb.FREE, pfn=pfn))
            continue
        if letter == "u":
            whose = compaction.zone.held[pfn]
            compaction.zone.held[pfn] = whose._replace(mt=UNMOVABLE)
        elif letter != "n":
            compaction.lru.add(pfn)
        if letter == "p":
            perform(compaction, CompactionOp(CompactionVerb.PIN, pfn=pfn))
    perform(compaction, CompactionOp(CompactionVerb.DRAIN_ALL))
    compaction.log.clear()
    compaction.zone.log.clear()
    return compaction


def layout(compaction: Compaction) -> str:
    """The zone's frames again: the same letters, and c for what only CPUs or nobody has."""
    zone = compaction.zone
    letters = dict.fromkeys(range(zone.machine.start, zone.machine.end), "c")
    for pfn, order in zone.tag.items():
        letters.update(dict.fromkeys(range(pfn, pfn + 2**order), "."))
    for pfn, held in zone.held.items():
        letter = "u" if held.mt is UNMOVABLE else "m" if pfn in compaction.lru else "n"
        letter = "p" if held.refs > 1 else letter
        letters.update(dict.fromkeys(range(pfn, pfn + 2**held.order), letter))
    return "".join(letters.values())
