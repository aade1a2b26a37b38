"""Agreements hold, say what they claim, and fail for a twin with a slip."""

from itertools import product

import pytest

import pageimpl
from pagefuzz.prove import agreements
from pagefuzz.prove.conditions import all_conditions, modules_of
from pagefuzz.prove.exhaust import exhaust
from pagefuzz.prove.halving import concrete
from pagefuzz.prove.twin import twin_beside
from pagefuzz.prove.verdict import Verdict
from pageimpl.allocator import Allocator
from pageimpl.source import plain_modules
from pagespec.era import ERAS
from pagespec.laws.law import LawBroken
from pagespec.machine import Machine

CHOICES = list(product((False, True), range(16), range(8)))


def test_every_agreement_holds_for_every_number() -> None:
    """The same paths that CrossHair follows, run plainly."""
    for agreement in (
        agreements.free_set_stays_canonical,
        agreements.tag_agrees_with_bitmap,
        agreements.twin_agrees_by_tag,
        agreements.twin_agrees_by_bitmap,
    ):
        assert all(agreement(*choice) for choice in CHOICES)


def test_agreements_reach_every_order() -> None:
    """Zones of 4 and of 8 frames have blocks of every order up to 3, and requests for them."""
    posed = [agreements.posed("6.1", *choice) for choice in CHOICES]
    orders = {order for zone, _ in posed for order in range(4) if zone.free_area[order]}

    assert orders == {0, 1, 2, 3}
    assert {(op.verb.value, op.order) for _, op in posed} == {
        *(("alloc", order) for order in range(4)),
        ("free", 0),
        ("free", 1),
    }


def test_concrete() -> None:
    """Halving finds every number of its range."""
    assert [concrete(value, 11) for value in range(11)] == list(range(11))


def test_every_contract_with_a_twin_has_a_pair() -> None:
    """Arithmetic that the twin has in the module of the same name is compared with it."""
    spec = {c.what.removeprefix("pagespec.") for c in all_conditions() if c.engine == "check"}
    twins = {
        f"{module.__name__}.{name}".removeprefix("pageimpl.")
        for module in modules_of(pageimpl)
        for name, function in vars(module).items()
        if getattr(function, "__module__", None) == module.__name__
    }
    both = {what.rpartition(".")[2] for what in spec & twins}
    paired = {c.what for c in all_conditions() if c.engine == "numbers"}

    assert len(both) > 10
    assert both <= paired


@pytest.mark.parametrize(
    ("module", "right", "wrong"),
    [
        ("buddy", "order < top:", "order <= top:"),
        ("buddy", "high -= 1", "high -= 2"),
        ("zone", "if to_tail else head", "if not to_tail else head"),
    ],
)
def test_a_slip_in_the_twin_is_found(module: str, right: str, wrong: str) -> None:
    """Exhaustion beside a twin with a slip ends at a law."""
    kernels = plain_modules({module: lambda text: text.replace(right, wrong)})
    machine = Machine(8, 2, ERAS["4.10"])
    beside = twin_beside(Allocator(machine, modules=kernels))

    with pytest.raises(LawBroken):
        exhaust(machine, beside=beside)


def test_strengths_are_ordered() -> None:
    """Every verdict has its strength."""
    from pagefuzz.prove.verdict import STRENGTH

    assert set(STRENGTH) == set(Verdict)
