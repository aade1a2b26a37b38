"""Machines whose CPUs keep page lists and parts of counts, and zones with watermarks.

Their sizes are such that small zones meet them.

What follows from the size of a zone of a few frames is a list that keeps nothing, and a mark above
all its memory. So sizes are mostly drawn, small enough that lists are refilled, drained and
flushed again and again; those of real zones come up too.
"""

from dataclasses import replace
from random import Random

from pagefuzz.campaign.grouped import MANY
from pagespec.machine import Machine

LISTED, MARKED = 0.65, 0.5
"""How many machines have CPUs with lists, and how many zones have watermarks."""

CELLED, CELLED_MARKED = 0.7, 0.8
"""How many of the machines with lists keep parts of counts too, if their era does; and how many of
these zones have watermarks, which are what sees counts late."""

LARGE_PAGES = 1000
"""The length of a zone from which lists and marks are drawn as large as real ones."""

BATCHES, HIGHS = (None, 0, 1, 1, 2, 2, 3, 4, 7), (None, 0, 1, 2, 3, 4, 6, 8, 8, 12, 20)
LARGE_BATCHES, LARGE_HIGHS = (None, 2, 7, 15, 31), (None, 0, 12, 60, 200)
"""The batch and high of lists; None for what follows from the zone's size."""


def with_lists(rng: Random, machine: Machine) -> Machine:
    """The machine, often with CPUs that keep lists and counts, and as often with watermarks."""
    large = machine.pages >= LARGE_PAGES
    if rng.random() < LISTED:
        high = rng.choice(LARGE_HIGHS if large else HIGHS)
        machine = replace(
            machine,
            cpus=rng.choice((1, 1, 2, 2, 3, 4)),
            batch=rng.choice(LARGE_BATCHES if large else BATCHES),
            high=None if machine.era.tuning == "pair" else high,
            cells=machine.era.cells != "none" and rng.random() < CELLED,
        )
    # An atomic request that is served above the low mark reserves no pageblock.
    marked = CELLED_MARKED if machine.cells else MARKED
    if rng.random() < (marked if machine.pageblocks < MANY else MARKED / 4):
        share = rng.choice((0, 1, 2, machine.pages // 16, machine.pages // 8, machine.pages // 4))
        # A frame has 4 KiB.
        machine = replace(machine, min_free=4 * share)
    return machine
