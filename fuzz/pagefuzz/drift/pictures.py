"""Three pictures of a machine's counters, each with one message that stands in its title."""

from collections.abc import Callable
from math import log
from typing import TYPE_CHECKING

from pagefuzz.drift.canvas import (
    BLUE,
    DARK,
    GREEN,
    GREY,
    KINDS,
    ORANGE,
    Ink,
    drawing,
    guide,
    label,
    line,
    plain_numbers,
    point,
    rendered,
)
from pagefuzz.drift.figures import (
    CPU_COUNTS,
    UPDATES,
    counted_at_once,
    cpu_rows,
    folds,
    passed_from,
    rate,
    saturated_from,
    threshold_rows,
    zone_row,
)
from pagefuzz.drift.machine import PAGES_A_GIB, PAGES_A_MIB, Asked, alone
from pagefuzz.drift.words import memory, number, of
from pagespec.machine import MAX_CPUS
from pagespec.vmstat.drift import kept_by_cpus
from pagespec.vmstat.numa import NumaName
from pagespec.vmstat.threshold import MOST, drift_mark

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CPUS = (*range(1, 64), *range(64, MAX_CPUS + 1, 8))
CPU_TICKS = CPU_COUNTS[::2]
ZONES = tuple(gib * PAGES_A_GIB for gib in (1, 8, 64, 512))
SIGNED = (*range(1, 256), *range(256, 2**15 - 3, 256), 2**15 - 3)
THRESHOLDS = (*SIGNED, *range(2**15, 2**16, 256), 2**16 - 3)
"""Beyond those of 16 bits with a sign there is only a cell without, which leaves nothing behind."""
WIDE: tuple[NumaName, ...] = ("s16-draft", "u16")


def draw_all(machine: Asked, tell: Callable[[str], None] = lambda _: None) -> dict[str, bytes]:
    """Draw every picture, and return what is to stand in each of FILES.

    It takes seconds, so `tell` hears of each picture before it is drawn.
    """
    files: dict[str, bytes] = {}
    for name, draw in PICTURES.items():
        tell(f"drawing {name}")
        files |= {f"{name}.{kind}": content for kind, content in draw(machine).items()}
    return files


def to_compare(machine: Asked) -> list[Asked]:
    """Machines with one zone each, of sizes far apart; the nearest makes room for the machine."""
    own = machine.largest.pages
    nearest = min(ZONES, key=lambda pages: abs(log(pages / own)))
    sizes = sorted({own, *ZONES} - ({nearest} - {own}))
    return [machine if pages == own else alone(machine, pages) for pages in sizes]


def draw_thresholds(machine: Asked) -> dict[str, bytes]:
    """What a threshold costs above, and what it buys below."""
    row, refill = zone_row(machine, machine.largest), counted_at_once(machine)
    cpus, gap = of(machine.cpus, "CPU"), row.gap
    thresholds = range(1, THRESHOLDS[-1] + 1)
    beyond = (one for one in thresholds if drift_mark(machine.cpus, one, row.marks))
    first = next(beyond, None)
    title = "Rarer folds are paid for in drift" + (
        f":\nfrom a threshold of {first:,} on, {cpus} can hide more than lies between min and low"
        if first is not None
        else f",\nbut {cpus} cannot hide what lies between min and low"
    )
    with drawing(8.6, 7.2, title) as figure:
        above, below = figure.subplots(2, 1, sharex=True)
        kept = [kept_by_cpus([one] * machine.cpus).most for one in THRESHOLDS]
        line(above, [*THRESHOLDS], [pages / PAGES_A_MIB for pages in kept], BLUE)
        above.set_xscale("log")
        above.set_yscale("log")
        if gap:
            words = f"low - min in a zone of {memory(row.zone.pages)}: {memory(gap)}"
            guide(above, gap / PAGES_A_MIB, words, right=True)
        for at, one in enumerate(one for one in threshold_rows(machine, WIDE) if one.whose):
            x, y = one.threshold, one.at_rest / PAGES_A_MIB
            point(above, x, y)
            # Neighbours get their words on different sides of the line, where there is room.
            side = (-8, 4) if at % 2 == 0 and x >= 16 else (10, 0)
            label(above, x, y, f"{one.whose}: {one.threshold:,}", DARK, *side)
            below.axvline(x, color=GREY.color, linewidth=0.8)
        above.set_ylabel(f"worst drift of {cpus}, in MiB")
        _rates(below, BLUE, 1, "inc or dec, one way", 400)
        _rates(below, ORANGE, 1, "inc or dec, up or down", 60, both_ways=True)
        if refill > 1:
            _rates(below, GREEN, refill, f"refills of {refill} pages, one way", 600)
        without_sign = folds(THRESHOLDS[-1], overstep=False, sign=False).up
        point(below, THRESHOLDS[-1], without_sign)
        label(below, THRESHOLDS[-1], without_sign, "u16, inc only", DARK, 8, 4)
        below.set_yscale("log")
        below.set_ylim(0.005, 2 * UPDATES)
        below.set_ylabel(f"folds of a CPU in {UPDATES:,} updates")
        below.set_xlabel("threshold, in pages")
        below.set_xlim(0.9, 600_000)
        plain_numbers(above)
        plain_numbers(below)
        return rendered(figure)


def _rates(
    axes: "Axes", ink: Ink, step: int, words: str, at: int, *, both_ways: bool = False
) -> None:
    """Folds by threshold; the words stand beside the line where the threshold is `at`."""
    rates = {one: rate(one, step, overstep=step == 1, both_ways=both_ways) for one in (*SIGNED, at)}
    line(axes, [*SIGNED], [rates[one] for one in SIGNED], ink)
    label(axes, at, rates[at], words, ink, *((-8, -8) if both_ways else (8, 8)))


def draw_drift_by_cpus(machine: Asked) -> dict[str, bytes]:
    """Drift by CPUs, beside the gap between marks, for zones of several sizes."""
    firsts = [(one, passed_from(one)) for one in to_compare(machine)]
    crossed = [
        f"{of(first, 'CPU')} in a zone of {memory(one.largest.pages)}"
        for one, first in firsts
        if first is not None
    ]
    title = "Drift grows with CPUs, the gap between min and low with memory alone" + (
        f":\nit is passed by {' and '.join(dict.fromkeys([crossed[0], crossed[-1]]))}"
        if crossed
        else f",\nand {MAX_CPUS:,} CPUs do not pass it"
    )
    with drawing(8.6, 7.2, title) as figure:
        panels = figure.subplots(2, 2, sharex=True, sharey=True)
        for panel, (one, first) in zip(panels.flat, firsts, strict=True):
            early = first is not None and first**2 <= MAX_CPUS
            _drift_panel(panel, one, first, early=early)
            if one is machine:
                _own(panel, machine, early=early)
        figure.supylabel("worst drift of free pages with the normal threshold, in MiB", fontsize=10)
        figure.supxlabel("CPUs", fontsize=10)
        return rendered(figure)


def _drift_panel(panel: "Axes", machine: Asked, first: int | None, *, early: bool) -> None:
    """One zone. early: whether few CPUs pass its gap."""
    rows = cpu_rows(machine, CPUS)
    mib = [row.at_normal / PAGES_A_MIB for row in rows]
    _cpu_axis(panel)
    panel.set_yscale("log")
    panel.set_title(f"a zone of {memory(machine.largest.pages)}", fontsize=10)
    line(panel, [*CPUS], mib, BLUE)
    if first is not None:
        [at] = cpu_rows(machine, (first,))
        point(panel, first, at.at_normal / PAGES_A_MIB)
    if gap := rows[0].gap:
        passed = "" if first is None else f"\npassed from {of(first, 'CPU')} on"
        # Right of where they cross there is room below the curve, left of it above.
        guide(panel, gap / PAGES_A_MIB, f"low - min: {memory(gap)}{passed}", right=early)
    plain_numbers(panel)


def _own(panel: "Axes", machine: Asked, *, early: bool) -> None:
    """Where the machine itself stands, in words that keep clear of those about the gap."""
    kept, cpus = zone_row(machine, machine.largest).at_normal, machine.cpus
    right = cpus < 8 or (cpus <= 128 and not early)
    point(panel, cpus, kept / PAGES_A_MIB)
    words = f"{of(cpus, 'CPU')}: {memory(kept)}"
    label(panel, cpus, kept / PAGES_A_MIB, words, DARK, *((10, -1) if right else (-8, 6)))


def draw_folds_by_cpus(machine: Asked) -> dict[str, bytes]:
    """Folds by CPUs, for zones of several sizes."""
    own, least = machine.largest.pages, folds(MOST).up
    full = saturated_from(own)
    title = (
        f"With the normal threshold no CPU folds less than {number(least)} times in {UPDATES:,} "
        "updates one way:\n"
    ) + (
        f"a zone of {memory(own)} is there from {of(full, 'CPU')} on"
        if full is not None
        else f"a zone of {memory(own)} is not there with {MAX_CPUS:,} CPUs"
    )
    with drawing(8.6, 5.2, title) as figure:
        axes = figure.subplots()
        _cpu_axis(axes)
        axes.set_yscale("log")
        for one, ink in zip(to_compare(machine), (BLUE, ORANGE, DARK, GREEN), strict=True):
            rates = [folds(row.normal).up for row in cpu_rows(one, CPUS)]
            line(axes, [*CPUS], rates, ink, steps=True)
            label(axes, 1, rates[0], memory(one.largest.pages), ink, -6, 0)
        guide(axes, least, f"threshold {MOST}, the most in 8 bits: {number(least)}")
        _kswapd(axes, machine)
        axes.set_xlim(0.45, 1.5 * MAX_CPUS)
        axes.set_ylabel(f"folds of a CPU in {UPDATES:,} updates by 1 page, one way")
        axes.set_xlabel("CPUs")
        plain_numbers(axes)
        return rendered(figure)


def _kswapd(axes: "Axes", machine: Asked) -> None:
    """The same while kswapd is awake, where that makes a difference, in the machine's zone."""
    rows = [*zip(CPUS, cpu_rows(machine, CPUS), strict=True)]
    awake = [(cpus, folds(row.pressure).up) for cpus, row in rows if row.pressure is not None]
    if not awake:
        return
    line(axes, [cpus for cpus, _ in awake], [rate for _, rate in awake], GREY, steps=True)
    middle = next(one for one in awake if one[0] ** 2 >= awake[0][0] * awake[-1][0])
    label(axes, *middle, f"{memory(machine.largest.pages)}\nwhile kswapd is awake", GREY, -8, 2)


def _cpu_axis(axes: "Axes") -> None:
    axes.set_xscale("log", base=2)
    axes.set_xticks(CPU_TICKS)
    axes.set_xlim(0.8, 1.3 * MAX_CPUS)


PICTURES: dict[str, Callable[[Asked], dict[str, bytes]]] = {
    "drift-by-threshold": draw_thresholds,
    "drift-by-cpus": draw_drift_by_cpus,
    "folds-by-cpus": draw_folds_by_cpus,
}
"""Per picture, the name of its files without their ending."""

FILES = tuple(f"{name}.{kind}" for name in PICTURES for kind in KINDS)
