"""Cells and thresholds by shifts are those of the spec, all over their widths, which matter."""

from collections.abc import Callable, Iterable
from types import ModuleType

import pytest

from pageimpl.source import Kernels, installed_modules, plain_modules
from pageimpl.vmstat.choices import LONG, S8, S16, U16
from pageimpl.vmstat.refine import counters_of
from pageimpl.vmstat.state import AREAS_FIRST, LINE, CounterMemory, set_own_threshold
from pageimpl.vmstat.twin import CounterTwin
from pageimpl.vmstat.verbs import HIT
from pagespec.era import ERAS
from pagespec.vmstat import cell as spec
from pagespec.vmstat import threshold as formulas
from pagespec.vmstat.cell import Told
from pagespec.vmstat.machine import CountedZone, CounterMachine, Item, Place
from pagespec.vmstat.numa import NumaName
from pagespec.vmstat.reads import in_truth
from pagespec.vmstat.verbs import CounterOp, CounterVerb
from pagespec.watermark.marks import Marks

THRESHOLDS = range(formulas.MOST + 1)

DELTAS = (
    *(0, 1, 2, 3, 30, 31, 61, 62, 63, 124, 125, 126, 127, 249, 250, 251, 252, 512, 1024, 2**31 - 1),
    *(-1, -2, -31, -62, -63, -124, -125, -126, -249, -250, -251, -512, -1024, -(2**31)),
)
"""Changes of every size that has a meaning to a cell of eight bits, both ways."""

FORMS = pytest.mark.parametrize("load", [plain_modules, installed_modules])

Load = Callable[[], Kernels]


def cells_of(load: Load) -> ModuleType:
    return load().modules["vmstat.cell"]


@FORMS
def test_changes_by_many_pages(load: Load) -> None:
    """Every cell of eight bits and every threshold, by changes of every kind of size."""
    cells = cells_of(load)
    for threshold in THRESHOLDS:
        for diff in range(-127, 128):
            for delta in DELTAS:
                assert cells.mod(diff, delta, threshold) == spec.mod(diff, delta, threshold)
                told = cells.exchange(diff, delta, threshold, 0)
                assert told == spec.exchange(diff, delta, threshold, 0)


@FORMS
def test_changes_by_one(load: Load) -> None:
    """Every cell that a threshold of up to 125 has left, also where it was lowered since."""
    cells = cells_of(load)
    for threshold in THRESHOLDS:
        for diff in range(-formulas.MOST, formulas.MOST + 1):
            assert cells.inc(diff, threshold, S8) == spec.inc(diff, threshold)
            assert cells.dec(diff, threshold, S8) == spec.dec(diff, threshold)
            for one in (-1, 1):
                told = cells.exchange(diff, one, threshold, one)
                assert told == spec.exchange(diff, one, threshold, one)


@FORMS
def test_wider_cells(load: Load) -> None:
    """Every NUMA statistic of 16 bits, at its own threshold and at others."""
    cells = cells_of(load)
    for threshold in (0, 1, 7, 2**16 - 3):
        for diff in range(threshold + 1):
            told = cells.inc_without_overstep(diff, threshold, U16)
            assert told == spec.inc_without_overstep(diff, threshold)
    for threshold in (0, 1, 7, 2**15 - 3):
        for diff in range(-(threshold // 2), threshold + 1):
            assert cells.inc(diff, threshold, S16) == spec.inc(diff, threshold)


@FORMS
def test_a_threshold_needs_room_for_one_more(load: Load) -> None:
    """One above the largest still fits and leaves nothing over; with two above, pages are lost."""
    cells = cells_of(load)
    assert cells.inc(126, 126, S8) == Told(190, -63)
    assert cells.inc(127, 127, S8) == (0, -128)
    assert cells.dec(-127, 127, S8) == Told(-191, 63)
    assert cells.dec(-128, 128, S8) == (0, 127)
    assert cells.inc(32767, 32767, S16) == (0, -32768)
    assert cells.inc_without_overstep(65534, 65534, U16) == Told(65535, 0)
    assert cells.inc_without_overstep(65535, 65535, U16) == (0, 0)


def in_range(numbers: Iterable[int], width: int, size: int) -> list[int]:
    """What a cell of so many bits keeps of numbers, from the definition of two's complement."""
    low = 0 if width == U16 else -(2 ** (size - 1))
    return [(number - low) % 2**size + low for number in numbers]


@FORMS
@pytest.mark.parametrize(("width", "size"), [(S8, 8), (S16, 16), (U16, 16), (LONG, 64)])
def test_a_cell_keeps_what_fits(load: Load, width: int, size: int) -> None:
    """Stored and narrowed, every number around a width's ends comes back as the width has it."""
    kernels = load()
    cells, memory = kernels.modules["vmstat.cell"], CounterMemory(AREAS_FIRST + 2 * LINE)
    mem, at = kernels.operand(memory), AREAS_FIRST + LINE - size // 8
    numbers = [n for end in (0, 2**7, 2**8, 2**15, 2**16) for n in range(end - 300, end + 301)]
    numbers += [-n for n in numbers] + [2**62, -(2**62)]
    stored = []
    for number in numbers:
        cells.set_cell(mem, at, width, number)
        stored.append(cells.cell_at(mem, at, width))
        around = [cells.cell_at(mem, at + step, S8) for step in (-1, size // 8)]
        assert around == [0, 0]

    expected = in_range(numbers, width, size)
    assert expected == stored
    assert expected == [cells.narrowed(number, width) for number in numbers]


def wider(most: int) -> Callable[[str], str]:
    return lambda text: text.replace("MOST = 125", f"MOST = {most}")


@pytest.mark.parametrize("most", [124, 126, 127])
def test_a_normal_threshold_too_large_loses_pages(most: int) -> None:
    """What the limit of thresholds is for: from 127 on, a CPU's cell wraps, and pages are lost."""
    machine = CounterMachine(ERAS["6.1"], (0,) * 64, (CountedZone(0, 2**24),))
    twin = CounterTwin(machine, modules=plain_modules({"vmstat.threshold": wider(most)}))
    assert counters_of(twin).thresholds == [most]

    twin.perform(CounterOp(CounterVerb.INC, item=Item.CMA, times=1000))

    place = machine.places.index(Place(Item.CMA, 0))
    assert in_truth(counters_of(twin), place) == (
        in_range([1000], S8, 8)[0] if most > 126 else 1000
    )


@pytest.mark.parametrize(("numa", "most"), [("u16", 2**16 - 2), ("s16-draft", 2**15 - 2)])
def test_a_numa_threshold_too_large_loses_counts(numa: NumaName, most: int) -> None:
    """In cells of 16 bits, too, the threshold's successor must fit."""
    machine = CounterMachine(ERAS["5.15"], (0,), (CountedZone(0, 1000),), numa=numa)
    place = next(at for at, place in enumerate(machine.places) if place.item is Item.HIT)
    for threshold, counted in ((most - 1, 2**16), (most, 2**16), (most + 1, 0)):
        twin = CounterTwin(machine)
        set_own_threshold(twin.memory, HIT, threshold)
        twin.perform(CounterOp(CounterVerb.COUNT, times=2**16))
        assert in_truth(counters_of(twin), place) == counted


MEMORY = sorted({0, 1, 2**24} | {2**bit + more for bit in range(25) for more in (-1, 0, 1)})


@FORMS
def test_thresholds_follow_the_formulas(load: Load) -> None:
    """For every number of CPUs up to 1,024 and memory around every doubling."""
    kernels = load().modules["vmstat.threshold"]
    for cpus in range(1, 1025):
        for pages in MEMORY:
            assert kernels.normal_threshold(cpus, pages) == formulas.normal_threshold(cpus, pages)


@FORMS
def test_pressure_and_drift_follow_the_formulas(load: Load) -> None:
    """For gaps around where the pressure threshold and the need of a drift mark change."""
    kernels = load().modules["vmstat.threshold"]
    for cpus in (1, 2, 3, 7, 64, 112, 1024):
        gaps = {0, 1, 2**31} | {
            cpus * n + more for n in (1, 2, 18, 124, 125) for more in (-1, 0, 1)
        }
        for gap in gaps:
            marks = Marks(5, 5 + gap, 5 + 2 * gap)
            pressure = formulas.pressure_threshold(cpus, marks)
            assert kernels.pressure_threshold(cpus, gap) == pressure
            for threshold in (0, 1, 2, 18, 125):
                drift = formulas.drift_mark(cpus, threshold, marks)
                assert kernels.drift_mark(cpus, threshold, gap, marks.high) == drift
