"""What counters keep back, as a small state: everything but how much there is in truth.

No change depends on the truth, so it is no part of a state: what zones and the machine have been
told is what is missing from it. A state also has what nobody could see in the counters: how large
each change under way is, and how large thresholds have been.
"""

from typing import NamedTuple

from pagespec.laws.law import LawBroken
from pagespec.vmstat.counters import Counters, Stage, boot_counters, copy_of_counters
from pagespec.vmstat.machine import CounterMachine, Item

STAGES = tuple(Stage)
PLACE, TOTAL = STAGES.index(Stage.PLACE), STAGES.index(Stage.TOTAL)


class Held(NamedTuple):
    """What a CPU's update has still to tell, and what is known of it besides.

    stage: by its number. left: what it will write into the cell, or empty. size: of the change, 0
    if it is a refresh that tells the total. most: the largest threshold since the cell was told
    before, summed over zones for a refresh. since: the largest since the update began.
    """

    zone: int
    pages: int
    stage: int
    left: tuple[int, ...]
    size: int
    most: int
    since: int
    refresh: bool


class Kept(NamedTuple):
    """What one CPU keeps of a counter of each zone.

    most: per zone, the largest threshold since the cell was told or read out. held: its updates
    under way, sorted.
    """

    runs: bool
    cells: tuple[int, ...]
    most: tuple[int, ...]
    held: tuple[Held, ...]


class State(NamedTuple):
    """What all CPUs keep, sorted, since any two of them may change places; the thresholds; and
    whether kswapd is awake."""

    cpus: tuple[Kept, ...]
    thresholds: tuple[int, ...]
    awake: bool


class Known(NamedTuple):
    """What requests alone tell about an update under way, in the order of `Counters.updates`."""

    size: int
    most: int
    since: int
    refresh: bool


def missing(held: Held, cell: int) -> int:
    """What an update has taken out of its cell and not told its zone; less what stands twice."""
    untold = held.pages if held.stage == PLACE else 0
    return untold + sum(held.left) - (cell if held.left else 0)


def error_of(kept: Kept, zone: int) -> int:
    """How much of a zone's count a CPU keeps back."""
    cell = kept.cells[zone]
    return cell + missed_of(kept, zone)


def missed_of(kept: Kept, zone: int) -> int:
    """How much of it even a close look at the cell misses."""
    return sum(missing(held, kept.cells[zone]) for held in kept.held if held.zone == zone)


def total_error_of(kept: Kept) -> int:
    """How much a CPU keeps back of the total."""
    told = sum(held.pages for held in kept.held if held.stage == TOTAL)
    return told + sum(error_of(kept, zone) for zone in range(len(kept.cells)))


class Small(NamedTuple):
    """Counters, the truth, and what is known of them besides.

    truth: per zone. most: per CPU and zone. known: per update. The counter is the one of free
    frames, whose places have the numbers of the zones.
    """

    counters: Counters
    truth: list[int]
    most: list[list[int]]
    known: list[Known]


def copy_of(small: Small) -> Small:
    """The same, sharing nothing that changes."""
    counters, truth, most, known = small
    most = [largest.copy() for largest in most]
    return Small(copy_of_counters(counters), truth.copy(), most, known.copy())


def booted(machine: CounterMachine) -> Small:
    """Everything as at boot, when all has been told."""
    counters = boot_counters(machine)
    truth = counters.told[: len(machine.zones)]
    return Small(counters, truth, [counters.thresholds.copy() for _ in machine.cpus], [])


def frozen(small: Small) -> State:
    """The state of counters.

    Raises LawBroken if what has been told and what is kept back do not make up the truth.
    """
    counters, truth = small.counters, small.truth
    held: list[list[Held]] = [[] for _ in counters.cells]
    for update, known in zip(counters.updates, small.known, strict=True):
        left = () if update.left is None else (update.left,)
        stage = STAGES.index(update.stage)
        held[update.cpu].append(Held(update.place, update.pages, stage, left, *known))
    cpus = [
        Kept(
            cpu in counters.running,
            tuple(cells[: len(truth)]),
            tuple(small.most[cpu]),
            tuple(sorted(held[cpu])),
        )
        for cpu, cells in enumerate(counters.cells)
    ]
    for zone, due in enumerate(truth):
        made_up = counters.told[zone] + sum(error_of(kept, zone) for kept in cpus)
        if made_up != due:
            raise LawBroken("VM-conserve", f"zone {zone} has {due}, {made_up} are told and kept")
    if (made_up := counters.totals[Item.FREE] + sum(map(total_error_of, cpus))) != sum(truth):
        raise LawBroken("VM-conserve", f"{sum(truth)} in all, {made_up} are told and kept")
    return State(tuple(sorted(cpus)), tuple(counters.thresholds), bool(counters.reclaiming))
