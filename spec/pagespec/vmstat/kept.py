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
    """Count on a CPU, and return what is told since its cell can't hold it.

    >>> count = Count(told=10, kept=[0, 20])
    >>> keep(count, 1, 1, threshold=20), count
    (21, Count(told=31, kept=[0, 0]))

    pre: 0 <= cpu < len(count.kept) and threshold >= 0
    post: count.told + count.kept[cpu] == __old__.count.told + __old__.count.kept[cpu] + pages
    post: count.told == __old__.count.told + __return__
    post: -threshold <= count.kept[cpu] <= threshold
    """
    told, count.kept[cpu] = mod(count.kept[cpu], pages, threshold)
    count.told += told
    return told


def take_out(count: Count, cpu: int) -> int:
    """Empty a CPU's cell, and return what it kept.

    >>> count = Count(told=10, kept=[-4, 20])
    >>> take_out(count, 0), count
    (-4, Count(told=10, kept=[0, 20]))
    """
    pages, count.kept[cpu] = count.kept[cpu], 0
    return pages


def tell(count: Count, cpu: int) -> bool:
    """Tell all that a CPU keeps, and return whether that was anything.

    >>> count = Count(told=10, kept=[-4, 20])
    >>> tell(count, 0), tell(count, 0), count
    (True, False, Count(told=6, kept=[0, 20]))

    pre: 0 <= cpu < len(count.kept)
    post: count.told == __old__.count.told + __old__.count.kept[cpu]
    post: count.kept[cpu] == 0
    post: __return__ == (count.told != __old__.count.told)
    """
    pages = take_out(count, cpu)
    count.told += pages
    return pages != 0
