"""What is left of a machine for an allocator that has no word for all of it.

Of drawn machines most have marks, pageblocks, CPUs' lists or counts that CPUs keep parts of.
Whoever serves but one of these would be tried on few machines, and Hypothesis gives up when it
finds none. So what an allocator declines is tried again without them, before another machine is
drawn.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

from pagespec.machine import Machine


def _without_cells(machine: Machine) -> Machine:
    return replace(machine, cells=False)


def _without_marks(machine: Machine) -> Machine:
    return replace(machine, min_free=None)


def _without_pageblocks(machine: Machine) -> Machine:
    return replace(machine, pageblock=None, types=(), guard=0)


def _without_lists(machine: Machine) -> Machine:
    return replace(machine, cpus=0, far=frozenset(), batch=None, high=None, cells=False)


KINDS = (_without_cells, _without_marks, _without_pageblocks, _without_lists)
"""What an allocator may have no word for; each takes one kind out of a machine."""


def plainer(machine: Machine) -> Iterator[Machine]:
    """The machine, then what is left of it without one kind of things, without two, and so on.

    Each form comes once.
    """
    seen: set[Machine] = set()
    for count in range(len(KINDS) + 1):
        for kinds in combinations(KINDS, count):
            form = machine
            for without in kinds:
                form = without(form)
            if form not in seen:
                seen.add(form)
                yield form
