"""What the CPUs keep of one zone's free frames: plain data, and the smallest moves.

The zone knows the truth, since its lists do. So what is left to remember is how much of it each CPU
has not told yet.
"""

from dataclasses import dataclass, replace

from pagespec.vmstat.cell import mod


@dataclass(slots=True)
class Cells:
    """The cells of all CPUs, for the frames that are free and for those of them that are CMA's.

    threshold, drift_mark: as they were computed last. rest: per CPU, how many refreshes its lists
    may still rest until they give back frames of a zone of another node.
    """

    free: list[int]
    cma: list[int]
    rest: list[int]
    threshold: int = 0
    drift_mark: int = 0


def empty_cells(cpus: int) -> Cells:
    """Cells that hold nothing, of a zone that is told everything at once."""
    return Cells([0] * cpus, [0] * cpus, [0] * cpus)


def copy_of_cells(cells: Cells | None) -> Cells | None:
    """The same cells, sharing nothing that changes."""
    if cells is None:
        return None
    return replace(cells, free=cells.free.copy(), cma=cells.cma.copy(), rest=cells.rest.copy())


def keep(kept: list[int], cpu: int, pages: int, threshold: int) -> None:
    """Count on a CPU: what its cell can't hold is told."""
    kept[cpu] = mod(kept[cpu], pages, threshold).left
