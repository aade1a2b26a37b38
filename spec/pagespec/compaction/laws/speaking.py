"""Which eras a law of compaction speaks about."""

from pagespec.era import Era


def compacts(era: Era) -> bool:
    """Whether anything is compacted."""
    return era.compaction is not None


def remembers(era: Era) -> bool:
    """Whether later runs begin where earlier ones were."""
    return era.compaction is not None and era.compaction.remembers


def captures(era: Era) -> bool:
    """Whether a task can wait in a slot for a block that is freed."""
    return era.compaction is not None and era.compaction.captures


def looks_again(era: Era) -> bool:
    """Whether a pageblock's type is looked at under the lock."""
    return era.compaction is not None and era.compaction.targets == "large-or-movable"


def walks_only(era: Era) -> bool:
    """Whether targets are found by walking alone, and used before the migrate scanner goes on."""
    design = era.compaction
    return design is not None and design.free_bound == "block" and not design.seeks
