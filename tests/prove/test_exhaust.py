"""Exhaustion visits what a formula says there is, and no slip gets through unseen."""

from dataclasses import replace
from math import factorial

import pytest
from tests.prove import closed_forms

from pagefuzz.prove.domains import DOMAINS, Domain
from pagefuzz.prove.exhaust import Counts, exhaust
from pagefuzz.prove.ledger import read
from pagefuzz.prove.states import frozen, thawed
from pagespec import buddy
from pagespec.boot import boot
from pagespec.era import ERAS, Era
from pagespec.laws.law import LawBroken
from pagespec.machine import Machine
from pagespec.migratetype import MigrateType
from pagespec.stamps import blocks
from pagespec.types import DomainError
from pagespec.zone import Zone, list_del, list_of

COUNTS = {row.what: dict(row.finding.counts) for row in read() if row.engine == "exhaust"}


@pytest.mark.parametrize("era", ["2.6.8", "2.6.11", "2.6.39", "4.10", "6.1"])
@pytest.mark.parametrize("top", range(5))
def test_small_zones_have_as_many_states_as_the_formula_says(era: str, top: int) -> None:
    """Every combination of free and held blocks is reached, in every order of its lists."""
    for pages in range(1, 8):
        counts = exhaust(Machine(pages, top, ERAS[era]))

        assert counts.states == closed_forms.states(0, pages, top)
        assert counts.steps == closed_forms.steps(0, pages, top)


@pytest.mark.parametrize("domain", DOMAINS, ids=str)
def test_the_committed_counts_are_those_of_the_formula(domain: Domain) -> None:
    """Also those of the larger zones, which take minutes to visit."""
    zones = range(1, domain.pages + 1)
    start, top = domain.start, domain.top

    assert COUNTS[str(domain)]["states"] == tuple(
        closed_forms.states(start, pages, top) for pages in zones
    )
    assert COUNTS[str(domain)]["steps"] == (
        sum(closed_forms.steps(start, pages, top) for pages in zones),
    )


def test_without_blocks_states_are_partial_permutations() -> None:
    """With TOP 0 a state is a list of some of n frames: the sum of n! / k! over k."""
    for pages in range(1, 12):
        assert exhaust(Machine(pages, 0, ERAS["6.1"])).states == sum(
            factorial(pages) // factorial(held) for held in range(pages + 1)
        )


def but_for_checksum(counts: Counts) -> Counts:
    """What does not depend on the order in which states were visited."""
    return counts._replace(checksum=0)


@pytest.mark.parametrize("era", ["2.6.8", "2.6.39", "6.1"])
@pytest.mark.parametrize("start", [0, 1, 3])
def test_renaming_changes_no_count(era: str, start: int) -> None:
    """One state for each class, or every state by itself: up to 7 frames the counts are equal.

    With another first frame up to 6, which takes a seventh of the time.
    """
    for top in range(3):
        for pages in range(1, 8 if start == 0 else 7):
            machine = Machine(pages, top, ERAS[era], start)

            assert but_for_checksum(exhaust(machine)) == but_for_checksum(
                exhaust(machine, renaming=False)
            )


def test_renaming_minds_holes() -> None:
    """A block with a hole in it is no whole block."""
    machine = Machine(7, 1, ERAS["4.10"], holes=((2, 3),))

    assert but_for_checksum(exhaust(machine)) == but_for_checksum(exhaust(machine, renaming=False))


@pytest.mark.parametrize("era", ["2.6.8", "2.6.11", "2.6.39", "4.10", "6.1"])
def test_larger_tops_are_alike(era: str) -> None:
    """No zone of up to 11 frames has a block above order 3: a larger TOP only adds refusals."""
    small, *large = (COUNTS[f"era {era} top {top} start 0 pages 1..8"] for top in (5, 15))
    visited = COUNTS[f"era {era} top 4 start 0 pages 1..11"]["states"][:8]

    for counts in (small, *large):
        assert counts["states"] == visited
    for name in ("splits", "merges", "heads", "tails"):
        assert {counts[name] for counts in large} == {small[name]}


def test_a_state_is_its_bytes() -> None:
    """Thawed and frozen again, a state is the same, and so is the zone."""
    for era in ("2.6.8", "6.1"):
        machine = Machine(11, 2, ERAS[era], 3)
        zone = boot(machine)

        assert thawed(machine, frozen(zone)) == zone


def test_large_zones_are_refused() -> None:
    """A frame must fit in a byte."""
    with pytest.raises(DomainError, match=r"zone 0\.\.256: exhaustion needs frames below 255"):
        exhaust(Machine(256, 3, ERAS["6.1"]))


def never_likely(zone: Zone, pfn: int, order: int) -> bool:
    return False


def no_merge(zone: Zone, pfn: int, order: int) -> bool:
    return order != 1 and zone.tag.get(pfn) == order


def keeps_the_tag(zone: Zone, pfn: int, order: int) -> MigrateType:
    mt = list_of(zone, pfn, order)
    list_del(zone, pfn, order, mt)
    if order != 2:
        del zone.tag[pfn]
    return mt


def loses_the_block(zone: Zone, pfn: int, order: int, mt: MigrateType) -> None:
    raise KeyError(pfn)


@pytest.mark.parametrize(
    ("name", "slip", "law"),
    [
        ("buddy_merge_likely", never_likely, "BUD-place"),
        ("page_is_buddy", no_merge, "BUD-maximal"),
        ("del_from_free_list", keeps_the_tag, "BUD-tag"),
        ("list_del", loses_the_block, "OUT-fault"),
    ],
)
def test_a_slip_in_the_spec_breaks_a_law(
    monkeypatch: pytest.MonkeyPatch, name: str, slip: object, law: str
) -> None:
    """And the report has the step at which it showed."""
    monkeypatch.setattr(buddy, name, slip)

    with pytest.raises(LawBroken, match=r"; at (alloc|free) of .* with free lists ") as raised:
        exhaust(Machine(8, 3, ERAS["4.10"]))
    assert raised.value.law_id == law


def counts_of(era: Era, pages: int = 7, top: int = 3) -> Counts:
    return exhaust(Machine(pages, top, era))


def test_slips_in_an_era_change_the_counts() -> None:
    """An era's choice is read by spec, stamps and twin alike: no law speaks, but the numbers do."""
    slips = (
        replace(ERAS["2.6.39"], placement="likely"),
        replace(ERAS["4.10"], placement="head"),
        replace(ERAS["4.10"], placement="likely-2.6.39"),
        replace(ERAS["2.6.11"], placement="likely"),
    )
    for slipped in slips:
        assert counts_of(slipped) != counts_of(ERAS[slipped.name])
    # Two blocks of one order are needed to tell how boot lists them.
    assert counts_of(replace(ERAS["6.1"], boot_to_tail=False), top=1) != counts_of(
        ERAS["6.1"], top=1
    )


def test_a_slip_in_spec_and_stamps_alike_changes_the_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A merge is asked for one order too early to be likely, in both."""
    right = counts_of(ERAS["4.10"])
    by_lists, by_stamps = buddy.buddy_merge_likely, blocks._merge_likely
    monkeypatch.setattr(
        buddy,
        "buddy_merge_likely",
        lambda zone, pfn, order: order < 1 and by_lists(zone, pfn, order),
    )
    monkeypatch.setattr(
        blocks, "_merge_likely", lambda of, block: block.order < 1 and by_stamps(of, block)
    )

    assert counts_of(ERAS["4.10"]) != right


def test_serving_from_the_tail_changes_the_checksum(monkeypatch: pytest.MonkeyPatch) -> None:
    """All sums are the same from the other end of the lists; the checksum is not."""
    right = counts_of(ERAS["2.6.11"])
    monkeypatch.setattr(buddy, "iter", reversed, raising=False)
    monkeypatch.setattr("pagefuzz.prove.exhaust.judge_order", lambda *given: None)
    slipped = counts_of(ERAS["2.6.11"])

    assert but_for_checksum(slipped) == but_for_checksum(right)
    assert slipped.checksum != right.checksum
