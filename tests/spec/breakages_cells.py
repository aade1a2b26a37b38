"""States and requests that break one law each, in zones whose CPUs keep parts of counts."""

from typing import Any

from tests.spec.rows import row, state, step, zone_after

from pagespec.era import ERAS
from pagespec.laws.exact import COUNTED_LAWS, Counted
from pagespec.laws.swept import swept
from pagespec.laws.whole import BOOT_LAWS
from pagespec.verbs import Op, Verb
from pagespec.vmstat.kept import Cells
from pagespec.zone import Zone, copy_of

ALLOC = Op(Verb.ALLOC)


def counted(era: str, *ops: Op, **machine: Any) -> Zone:
    """A zone of 16 frames with two CPUs, each of which may keep 4; CPU 0's batch is 3."""
    return zone_after(*ops, **{"era": ERAS[era], "cpus": 2, "batch": 3, "cells": True, **machine})


def cells(zone: Zone) -> Cells:
    assert zone.cells is not None
    return zone.cells


def pass_on(zone: Zone, pages: int, *, to: int) -> None:
    """CPU 0 keeps so many frames less, and another so many more."""
    cells(zone).free.kept[0] -= pages
    cells(zone).free.kept[to] += pages


def tell_less(zone: Zone, pages: int) -> None:
    """CPU 0 keeps so many frames that the zone was told of."""
    cells(zone).free.told -= pages
    cells(zone).free.kept[0] += pages


def boot(era: str, what: str, min_free: int, **broken: int) -> None:
    """A row of a zone that has just come up, where two CPUs keep more or less than the gap."""
    sound = counted(era, pages=64, min_free=min_free)
    after = copy_of(sound)
    for name, value in broken.items():
        setattr(cells(after), name, value)
    row(BOOT_LAWS, "CELL-boot", what, swept(after), swept(sound), sound.machine.era)


KEPT = counted("6.12", ALLOC)  # CPU 0 took 3 of 16 frames, and keeps that to itself
GONE = counted("6.12", ALLOC, Op(Verb.UNPLUG, cpu=1))
MARKED = counted("6.12", min_free=16)  # marks 4, 5, 6: what two CPUs may keep is more than 1

state("CELL-sum", "a change is lost", lambda z: cells(z).free.kept.__setitem__(0, 0), KEPT)
state("CELL-sum", "the zone is told twice", lambda z: setattr(cells(z).free, "told", 19), KEPT)
state("CELL-sum", "CMA's count is off", lambda z: setattr(cells(z).cma, "told", 1), KEPT)
state("CELL-sum", "no cells", lambda z: setattr(z, "cells", None), KEPT)
state("CELL-width", "more than a byte has room for", lambda z: tell_less(z, 129), KEPT)
state("CELL-width", "a CPU that is gone keeps some", lambda z: pass_on(z, 1, to=1), GONE)

boot("4.10", "a threshold as if one CPU ran", 16, threshold=2)
boot("4.10", "the drift mark is not set", 16, drift_mark=0)
boot("4.10", "a drift mark without need", 128, drift_mark=56)
boot("6.12", "the drift mark without marks goes", 128, drift_mark=0)
boot("6.12", "the drift mark without marks stays where another is due", 16, drift_mark=8)

step(
    "CELL-threshold",
    "a CPU goes and the threshold stays",
    lambda z: setattr(cells(z), "threshold", 4),
    KEPT,
    Op(Verb.UNPLUG, cpu=1),
)
step(
    "CELL-threshold",
    "the drift mark is forgotten",
    lambda z: setattr(cells(z), "drift_mark", 0),
    MARKED,
    ALLOC,
)
step(
    "CELL-threshold",
    "kswapd wakes and CPUs keep as much as before",
    lambda z: setattr(cells(z), "threshold", 4),
    counted("6.12", *[ALLOC] * 9, Op(Verb.ALLOC, 1), Op(Verb.REFRESH), min_free=16),
    Op(Verb.ALLOC, 2),
)
step("CELL-owner", "another CPU counts", lambda z: pass_on(z, 1, to=1), KEPT, ALLOC)
step("CELL-bound", "a cell is not told", lambda z: tell_less(z, 9), KEPT, Op(Verb.FREE, 0, 0))
step("CELL-fold", "a refresh tells nothing", lambda z: tell_less(z, -3), KEPT, Op(Verb.REFRESH))

SAME = Counted("alloc order 0", KEPT.cells, KEPT.cells)
OTHER = Counted("alloc order 0", counted("6.12", ALLOC._replace(cpu=1)).cells, KEPT.cells)
row(COUNTED_LAWS, "ORACLE-cells", "another CPU counted", OTHER, SAME, ERAS["6.12"])
