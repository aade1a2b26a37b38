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


@lru_cache(maxsize=64)
def frames_that_exist(machine: Machine) -> int:
    """All frames of the zone but those in holes."""
    return _frames_of_runs(machine, machine.chunks)


@lru_cache(maxsize=64)
def managed_frames(machine: Machine) -> int:
    """All frames that boot hands over."""
    return _frames_of_runs(machine, machine.managed)


def _frames_of_runs(machine: Machine, runs: tuple[tuple[Pfn, Pfn], ...]) -> int:
    return sum(((1 << (end - first)) - 1) << (first - machine.start) for first, end in runs)


def lowest_of(machine: Machine, frames: int) -> Pfn:
    """The lowest frame of a set that is not empty."""
    return machine.start + (frames & -frames).bit_length() - 1
