"""The widths of cells, beside integers that have one; and folds, beside chains solved elsewhere."""

import ctypes
from fractions import Fraction

import numpy as np
import pytest

from pagefuzz.prove import folds, widths
from pagefuzz.prove.folds import FoldDomain, by_a_coin, changes_by, steady
from pagefuzz.prove.widths import STEPS, WIDTH_DOMAINS, WidthDomain, held, stepped
from pagespec.laws.law import LawBroken
from pagespec.vmstat import drift
from pagespec.vmstat.cell import Told, Width, inc_without_overstep

C_TYPES: dict[Width, type[ctypes.c_int8] | type[ctypes.c_int16] | type[ctypes.c_uint16]] = {
    "s8": ctypes.c_int8,
    "s16": ctypes.c_int16,
    "u16": ctypes.c_uint16,
}


@pytest.mark.parametrize("width", C_TYPES)
def test_a_cell_is_as_in_c(width: Width) -> None:
    """Every value around both ends, and beyond."""
    for value in (*range(-70000, 70000, 7), *range(-260, 260), *range(-32770, -32760)):
        assert held(value, width) == C_TYPES[width](value).value


@pytest.mark.parametrize(
    ("width", "largest", "twice"),
    [("s8", 126, 125), ("s16", 32766, 32765), ("u16", 65534, 65533)],
)
def test_the_limits_leave_room_for_two(width: Width, largest: int, twice: int) -> None:
    """What is added before the look must be representable: one step, and one that interrupts it."""
    (domain,) = (domain for domain in WIDTH_DOMAINS if domain.width == width)
    counts = domain.counts()
    most = C_TYPES[width](-1).value % 2 ** (8 * ctypes.sizeof(C_TYPES[width]))
    most = most if width == "u16" else most // 2

    assert (counts["largest"], counts["twice"]) == ((largest,), (twice,))
    assert (largest + 1, twice + 2) == (most, most)
    assert domain.thresholds[-1] == twice


@pytest.mark.parametrize("threshold", [127, 128, 129])
def test_larger_thresholds_overflow_eight_bits(threshold: int) -> None:
    """From 127 on an increment is lost in the sign; a decrement, which has one more, from 128."""
    up = stepped(127, 1, threshold, "s8")
    down = stepped(-128, -1, threshold, "s8")

    assert up == Told(0, -128)
    assert down == Told(0, 127)
    with pytest.raises(LawBroken, match="VM-width"):
        WidthDomain("s8", range(threshold, threshold + 1)).counts()
    assert (stepped(-127, -1, threshold, "s8") == Told(0, -128)) is (threshold >= 128)


def test_a_width_shows_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """A change that leaves too much, and a step without its half threshold, are found."""
    domain = WidthDomain("s8", range(100, 101))
    with monkeypatch.context() as patch:
        patch.setattr(widths, "mod", lambda diff, by, threshold: Told(0, diff + by))
        with pytest.raises(LawBroken, match="is left of"):
            domain.counts()
    monkeypatch.setitem(STEPS, "s8", {1: inc_without_overstep})
    with pytest.raises(LawBroken, match="VM-width"):
        domain.counts()


def shares_by_powers(rows: list[list[float]]) -> list[float]:
    """The long run of a chain by running it long."""
    chain = np.linalg.matrix_power((np.eye(len(rows)) + np.array(rows)) / 2, 2**14)
    return [float(share) for share in chain[0]]


@pytest.mark.parametrize("threshold", range(12))
@pytest.mark.parametrize("step", [1, 2, 3])
@pytest.mark.parametrize("overstep", [False, True])
def test_a_coin_by_running_it_long(threshold: int, step: int, overstep: bool) -> None:
    """The share of updates that tell, from powers of a matrix over all that a cell holds."""
    up, down = changes_by(step, threshold, overstep=overstep)
    values = range(-threshold, threshold + 1)
    reached = {0}
    while (more := {change(value).left for value in reached for change in (up, down)}) - reached:
        reached |= more
    kept = [value for value in values if value in reached]
    kept.sort(key=abs)
    rows = [[sum(change(a).left == b for change in (up, down)) / 2 for b in kept] for a in kept]
    shares = shares_by_powers(rows)
    tells = sum(
        share * sum(change(value).pages != 0 for change in (up, down)) / 2
        for share, value in zip(shares, kept, strict=True)
    )

    assert float(by_a_coin(up, down)) == pytest.approx(1 / tells, rel=1e-9)
    assert by_a_coin(up, down) == drift.updates_a_fold(
        threshold, step, overstep=overstep, both_ways=True
    )


def test_a_walk_from_home_and_back() -> None:
    """A weather of two days, by hand: from 1 half of the time to 2, from 2 always to 1."""
    half, one = Fraction(1, 2), Fraction(1)

    assert steady({1: {1: half - one, 2: one}, 2: {1: half, 2: -one}}) == {
        1: Fraction(2, 3),
        2: Fraction(1, 3),
    }


def test_a_wrong_number_of_updates_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a threshold that a coin walks without, as one would guess at first."""

    def guessed(threshold: int, step: int, *, overstep: bool, both_ways: bool) -> int:
        way = threshold // step + 1
        return way * way if both_ways else way + (threshold // 2 if overstep and step == 1 else 0)

    monkeypatch.setattr(folds, "updates_a_fold", guessed)
    with pytest.raises(LawBroken, match="9 updates are stated, 8 pass"):
        FoldDomain(range(3), range(1, 2)).counts()
