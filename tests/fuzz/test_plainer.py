"""What an allocator declines is offered in plainer forms, and passed over if it takes none."""

from pathlib import Path
from random import Random

import pytest
from tests.fuzz.material import plan_of
from tests.fuzz.targets import Least

from pagefuzz.campaign.plan import Gear
from pagefuzz.campaign.unit import run_unit
from pagefuzz.campaign.walk import FUZZED_ERAS, random_machine
from pagefuzz.plainer import plainer
from pagefuzz.target.builtin import Spec
from pagefuzz.target.protocol import Serves
from pagespec.era import ERAS, Era
from pagespec.machine import Machine
from pagespec.types import DomainError, Order, Pfn

ERA = ERAS["6.1"]
EVERYTHING = Machine(
    16,
    3,
    ERA,
    pageblock=2,
    guard=1,
    cpus=2,
    far=frozenset({1}),
    batch=1,
    high=4,
    min_free=8,
    cells=True,
)


class WithoutDrain(Least):
    """Says for which CPU it is asked, but gives nothing back: it declines machines with CPUs."""

    def alloc_on(self, order: Order, cpu: int) -> Pfn | None:
        return self.alloc(order)

    def free_on(self, pfn: Pfn, order: Order, cpu: int) -> None:
        self.free(pfn, order)


class Grouped(Spec):
    """Takes pageblocks, and neither CPUs' lists nor marks."""

    serves = Serves()


class Exact(Spec):
    """Takes CPUs' lists and marks, and counts exactly."""

    serves = Serves(lists=True, marks=True)


class Nothing(Least):
    """Takes no machine at all."""

    def __init__(self, machine: Machine) -> None:
        raise DomainError("none")


def kinds_of(machine: Machine) -> tuple[bool, bool, bool, bool]:
    lists = machine.cpus > 0, machine.cells
    return machine.min_free is not None, machine.pageblock is not None, *lists


def test_each_combination_of_kinds_comes_once_and_fullest_first() -> None:
    """Twelve forms of a machine that has all four kinds, of which cells need lists.

    What is not taken away stays.
    """
    forms = list(plainer(EVERYTHING))
    counts = [sum(kinds_of(form)) for form in forms]

    assert forms[0] == EVERYTHING
    assert forms[-1] == Machine(16, 3, ERA)
    assert counts == sorted(counts, reverse=True)
    assert len({kinds_of(form) for form in forms}) == len(forms) == 12
    assert next(form for form in forms if kinds_of(form) == (False, False, True, False)) == Machine(
        16, 3, ERA, cpus=2, far=frozenset({1}), batch=1, high=4
    )


def test_a_plain_machine_has_no_plainer_form() -> None:
    """Nothing is offered twice."""
    assert list(plainer(Machine(16, 3, ERA))) == [Machine(16, 3, ERA)]


@pytest.mark.parametrize("era", FUZZED_ERAS, ids=lambda era: era.name)
def test_every_form_of_every_machine_is_one(era: Era) -> None:
    """No rule about machines forbids what is left."""
    rng = Random(1)
    for _ in range(50):
        machine = random_machine(rng, era)
        assert all(form.pages == machine.pages for form in plainer(machine))


@pytest.mark.parametrize("make", [Least, WithoutDrain, Grouped, Exact])
@pytest.mark.parametrize("gear", ["walk", "hypothesis"])
def test_an_allocator_is_judged_on_what_it_takes(
    make: type[Least] | type[Grouped], gear: Gear, tmp_path: Path
) -> None:
    """Whatever the seed: no machine of the list gear is what they take as it is drawn."""
    for seed in range(3):
        result = run_unit(plan_of(tmp_path, seed=seed, gears=(gear,)), 0, make)
        assert result.law is None
        assert result.operations > 20
        assert result.declined == 0


@pytest.mark.parametrize("gear", ["walk", "hypothesis"])
def test_an_allocator_that_takes_nothing_is_passed_over(gear: Gear, tmp_path: Path) -> None:
    """It is no fault of ours and no finding: machines were declined, and nothing was done."""
    result = run_unit(plan_of(tmp_path, gears=(gear,)), 0, Nothing)

    assert result.law is None
    assert result.complaint == ""
    assert result.operations == 0
    assert result.declined > 10
