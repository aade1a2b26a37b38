"""Texts of /proc/zoneinfo for the tests: made by hand, and real files with faults."""

import re
from collections.abc import Sequence
from pathlib import Path

from tests.kernel.material import CHECKOUT

FILES = sorted((CHECKOUT / "tests" / "data" / "zoneinfo").glob("*.txt"))
SMALL, NODES, LIVE = FILES
"""6.1 with eight CPUs, 6.12 with four CPUs and two nodes, 6.18 with two CPUs."""

OLD = """\
Node 0, zone      DMA
  pages free     3976
        min      5
        low      6
        high     7
        scanned  0
        spanned  4080
        present  3920
    nr_free_pages 3976
    nr_inactive_anon 0
    numa_hit     1
    numa_miss    0
    numa_foreign 0
    numa_interleave 0
    numa_local   1
    numa_other   0
        protection: (0, 3254, 8051, 8051)
  pagesets
    cpu: 0
              count: 0
              high:  0
              batch: 1
  vm stats threshold: 4
    cpu: 1
              count: 0
              high:  0
              batch: 1
  vm stats threshold: 4
  all_unreclaimable: 0
  prev_priority:     12
  start_pfn:         16
  inactive_ratio:    1
"""
"""One zone, in the words of 2.6.37: no managed frames, and counters in front of protection."""


def zone_text(
    *,
    name: str = "Normal",
    managed: int = 50_000,
    thresholds: Sequence[int | None] = (8, 8),
    marks: tuple[int, int, int] = (500, 625, 750),
    free: int = 20_000,
    numa: tuple[int, int, int, int, int] = (10, 0, 0, 10, 0),
) -> str:
    """A zone of node 0 as 5.15 would print it, the only one of its node; CPUs by their thresholds.

    numa: hit, miss, foreign, local and other.
    """
    words = ("hit", "miss", "foreign", "local", "other")
    lines = [
        f"Node 0, zone {name:>8}",
        f"  pages free     {free}",
        *(
            f"        {word:<8} {at}"
            for word, at in zip(("min", "low", "high"), marks, strict=True)
        ),
        f"        spanned  {managed + 1000}",
        f"        present  {managed + 500}",
        f"        managed  {managed}",
        "        cma      0",
        "        protection: (0)",
        f"      nr_free_pages {free}",
        "      nr_free_cma  0",
        *(f"      numa_{word:<7} {at}" for word, at in zip(words, numa, strict=True)),
        "  pagesets",
    ]
    for cpu, threshold in enumerate(thresholds):
        lines += [f"    cpu: {cpu}", "       count: 0", "       high: 0", "       batch: 1"]
        if threshold is not None:
            lines.append(f"  vm stats threshold: {threshold}")
    lines += ["  node_unreclaimable:  0", "  start_pfn:           4096"]
    return "\n".join(lines) + "\n"


def without_cpu(text: str, cpu: int) -> str:
    """Take the lines of one CPU out of every zone."""
    found = rf"    cpu: {cpu}\n(?:  +\w+: +\d+\n)+?  vm stats threshold: \d+\n"
    shorter, count = re.subn(found, "", text)
    assert count
    return shorter


def with_managed(text: str, was: int, now: int) -> str:
    """Let the zone of so many managed frames have another number."""
    return replaced(text, f"managed  {was}\n", f"managed  {now}\n")


def replaced(text: str, was: str, now: str) -> str:
    """Replace a piece that is there exactly once."""
    assert text.count(was) == 1
    return text.replace(was, now)


def written(into: Path, text: str, name: str = "zoneinfo") -> Path:
    path = into / name
    path.write_text(text)
    return path
