"""What the CPUs keep of one zone's counts of free frames: plain data, and the smallest moves."""

from dataclasses import dataclass, replace

from pagespec.vmstat.cell import mod


@dataclass(slots=True)
class Count:
    """One count: what the zone has been told, and what each CPU keeps in its cell."""

    told: int
    kept: list[int]


@dataclass(slots=True)
class Cells:
    """The counts of a zone that its CPUs keep parts of: of free frames, and of CMA's among them.

    The zone has the same numbers in full, since its lists know them; here is what readers see.
    threshold, drift_mark: as they were computed last. rest: per CPU, how many refreshes its lists
    may still rest until they give back frames of a zone of another node.
    """

    free: Count
    cma: Count
    rest: list[int]
    threshold: int = 0
    drift_mark: int = 0


def empty_cells(cpus: int) -> Cells:
    """Cells that hold nothing, of a zone that is told everything at once."""
    return Cells(Count(0, [0] * cpus), Count(0, [0] * cpus), [0] * cpus)


def copy_of_cells(cells: Cells | None) -> Cells | None:
    """The same cells, sharing nothing that changes."""
    if cells is None:
        return None
    free, cma = (replace(count, kept=count.kept.copy()) for count in (cells.free, cells.cma))
    return replace(cells, free=free, cma=cma, rest=cells.rest.copy())


def keep(count: Count, cpu: int, pages: int, threshold: int) -> int:
    """Count on a CPU, and return what is told since its cell can't hold it."""
    told, count.kept[cpu] = mod(count.kept[cpu], pages, threshold)
    count.told += told
    return told


def tell(count: Count, cpu: int) -> bool:
    """Tell all that a CPU keeps, and return whether that was anything."""
    pages, count.kept[cpu] = count.kept[cpu], 0
    count.told += pages
    return pages != 0
