"""A CPU's page lists of one zone: plain data, as they stand at the start.

Source: include/linux/mmzone.h (struct per_cpu_pages) and mm/page_alloc.c (setup_pageset), 2.6.11 to
6.12.
"""

from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import TypeAlias

from pagespec.machine import Machine
from pagespec.migratetype import MigrateType
from pagespec.pcp.index import LISTS
from pagespec.pcp.sizes import (
    BATCH_RULES,
    Pageset,
    high_by_watermark,
    highest,
    hot_and_cold,
    raw_batch,
    six_batches,
)
from pagespec.pcp.tuning import Doubling, Tuned
from pagespec.types import Pfn
from pagespec.watermark.levels import Levels, levels_of, marks_of
from pagespec.watermark.marks import MIN_FREE_RULES, min_free_kbytes

Load: TypeAlias = Pageset | Doubling | Tuned
"""The sizes of a CPU's lists, with what they have learnt."""


@dataclass(slots=True)
class Pcp:
    """The lists that one CPU keeps of one zone.

    lists: per list, the heads of its blocks, each with the type that it had when it was listed. The
        front is the end that requests are served from. count: the frames in all of them together.
    """

    lists: list["OrderedDict[Pfn, MigrateType]"]
    count: int
    load: Load


def empty_pcp(machine: Machine, load: Load) -> Pcp:
    """Lists that hold nothing."""
    return Pcp([OrderedDict() for _ in range(LISTS[machine.era.lists])], 0, load)


def copy_of_pcp(pcp: Pcp) -> Pcp:
    """The same lists, sharing nothing that changes."""
    return replace(pcp, lists=[blocks.copy() for blocks in pcp.lists])


def low_mark_of(machine: Machine, levels: Levels | None) -> int:
    """The zone's low mark as it stands; without watermarks, what the kernel would choose itself."""
    if levels is not None:
        return levels.marks.low + levels.boost
    pages = machine.managed_pages
    kbytes = min_free_kbytes(4 * pages, MIN_FREE_RULES[machine.era.min_free])
    return marks_of(machine.era, kbytes, pages, pages).low


def loads_of(machine: Machine, low_mark: int, running: int) -> tuple[Load, ...]:
    """The sizes of one CPU's lists, of so many that run: one set, or a hot and a cold one.

    low_mark: what the CPUs share since 5.14, in frames. Where the machine sets batch or high
    itself, they stand for what the zone's size would give: real zones are so much larger that small
    ones would keep nothing.
    """
    pages = machine.managed_pages
    raw = (
        raw_batch(pages, *BATCH_RULES[machine.era.batch])
        if machine.batch is None
        else machine.batch
    )
    batch = max(1, raw)
    tuning = machine.era.tuning
    if tuning == "pair":
        return hot_and_cold(batch)
    if tuning == "batches":
        pageset = six_batches(raw)
        return (pageset if machine.high is None else pageset._replace(high=machine.high),)
    high = high_by_watermark(low_mark, running, batch) if machine.high is None else machine.high
    if tuning == "tuned":
        return (Tuned(high, max(high, highest(pages, running, batch)), batch),)
    return (Doubling(high, batch),)


def empty_pcps(machine: Machine) -> list[list[Pcp]]:
    """The lists of every CPU, in two sets where hot and cold blocks are kept apart."""
    low_mark = low_mark_of(machine, levels_of(machine))
    near = machine.cpus - len(machine.far) or machine.cpus
    loads = loads_of(machine, low_mark, near) if machine.cpus else ()
    return [[empty_pcp(machine, load) for load in loads] for _ in range(machine.cpus)]
