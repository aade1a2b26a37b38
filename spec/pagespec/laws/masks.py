"""Sets of frames as integers with one bit a frame, counted from the zone's start.

A union is an `or`, an overlap an `and`, and a zone of 64 frames fits in one machine word.
"""

from functools import lru_cache

from pagespec.frames import SIZES
from pagespec.machine import Machine
from pagespec.types import Block, Pfn

WHOLE = tuple((1 << size) - 1 for size in SIZES)
"""Per order, the frames of a block at the zone's start."""


def frames_of(machine: Machine, block: Block) -> int:
    """The block's frames; those below the zone's start are lost."""
    offset = block.pfn - machine.start
    return WHOLE[block.order] << offset if offset >= 0 else WHOLE[block.order] >> -offset


def frames_of_run(machine: Machine, first: Pfn, end: Pfn) -> int:
    """The frames [first, end) as far as they lie in the zone."""
    first, end = max(first, machine.start), min(end, machine.end)
    return ((1 << end - first) - 1) << first - machine.start if first < end else 0


@lru_cache(maxsize=64)
def frames_that_exist(machine: Machine) -> int:
    """All frames of the zone but those in holes."""
    return _frames_of_runs(machine, machine.chunks)


@lru_cache(maxsize=64)
def managed_frames(machine: Machine) -> int:
    """All frames that boot hands over."""
    return _frames_of_runs(machine, machine.managed)


def _frames_of_runs(machine: Machine, runs: tuple[tuple[Pfn, Pfn], ...]) -> int:
    return sum(frames_of_run(machine, first, end) for first, end in runs)


def lowest_of(machine: Machine, frames: int) -> Pfn:
    """The lowest frame of a set that is not empty."""
    return machine.start + (frames & -frames).bit_length() - 1
