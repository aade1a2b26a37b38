"""Scenarios about what lies behind CPUs' lists: shared blocks, pageblocks, the reserve, cells."""

from pagefuzz.schedule.scenarios_lists import FOUR, GUARDED, LATE, NEARLY_FULL, Topic, scenarios
from pagefuzz.schedule.scenarios_said import hardirq, task
from pagespec.migratetype import HIGHATOMIC, MOVABLE

TYPED = GUARDED[2:]
"""The eras whose pageblocks have types that matter here."""

TOPICS: dict[str, Topic] = {
    "shared-block": Topic(
        2,
        (
            task(0, "free a", "b = alloc order=1"),
            task(1, "put a", "c = alloc order=0"),
        ),
        ("a = alloc order=2", "get a"),
    ),
    "shared-compound": Topic(
        2,
        (
            task(0, "free a", "b = alloc order=1"),
            task(1, "put a", "c = alloc order=0"),
        ),
        ("a = alloc order=2 compound=1", "get a"),
    ),
    "shared-by-three": Topic(
        2,
        (
            task(0, "get a", "free a"),
            task(1, "put a"),
            hardirq(1, "put a"),
        ),
        ("a = alloc order=1", "get a", "get a"),
    ),
    "isolated": Topic(
        2,
        (
            task(0, "free s", "a = alloc order=0 mt=M"),
            task(1, "isolate pfn=0 pages=8"),
        ),
        tuple(f"{line} mt=M" if "=" in line else line for line in NEARLY_FULL),
        TYPED,
        shape={"pageblock": 3},
    ),
    "isolated-and-back": Topic(
        2,
        (
            task(0, "free p"),
            task(1, "isolate pfn=0 pages=8", "restore pfn=0 pages=8 mt=M"),
        ),
        ("p = alloc order=2 mt=M",),
        TYPED,
        shape={"pageblock": 3},
    ),
    "range": Topic(
        2,
        (
            task(0, "free p", "a = alloc order=1 mt=M"),
            task(1, "c = contig pfn=0 pages=3 mt=M"),
        ),
        ("p = alloc order=1 mt=M",),
        TYPED,
        shape={"pageblock": 3},
    ),
    "stolen": Topic(
        2,
        (
            task(0, "free p", "free q"),
            task(1, "a = alloc order=2", "b = alloc order=0"),
        ),
        ("p = alloc order=2 mt=M", "q = alloc order=3 mt=M"),
        TYPED,
        shape={"pageblock": 2},
    ),
    "reserve": Topic(
        2,
        (
            task(0, "a = alloc order=1 atomic=1", "b = alloc order=0 mt=M"),
            task(1, "unreserve mt=M force=1"),
            hardirq(0, "c = alloc order=1 atomic=1"),
        ),
        eras=TYPED,
        shape={"pageblock": 2, "types": (MOVABLE, HIGHATOMIC, MOVABLE, MOVABLE)},
    ),
    "cells": Topic(
        2,
        (
            task(0, "a = alloc order=1", "free a"),
            hardirq(0, "b = alloc order=0"),
            task(0, "refresh"),
            task(1, "c = alloc order=0", "refresh"),
        ),
        eras=GUARDED[1:],
        shape={"cells": True},
    ),
    "unplugged": Topic(
        2,
        (
            task(0, "unplug cpu=1", "plug cpu=1"),
            task(0, "a = alloc order=0", "free p"),
            hardirq(0, "b = alloc order=0"),
        ),
        ("p = alloc order=0", "q = alloc order=0 cpu=1"),
    ),
    "pages-failing": Topic(
        2,
        (
            task(0, "a = alloc order=0 mt=M", "free s"),
            task(1, "poison pfn=4", "heal pfn=4"),
        ),
        tuple(f"{line} mt=M" if "=" in line else line for line in FOUR),
        LATE,
        shape={"pageblock": 2},
    ),
}

ZONE_SCENARIOS = dict(scenarios(TOPICS))
