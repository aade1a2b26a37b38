"""All ways to hold the lock isolate the same frames at rest, and a slip in one of them shows."""

import pytest

from pagefuzz.compaction.variants import WAYS, Way, campaign
from pageimpl.compaction.choices import BOUND_LOW, BOUND_LOW_OR_START, LAZY, RECHECKS
from pagespec.laws.law import LawBroken


def test_all_ways_isolate_the_same_frames() -> None:
    """On zones of which enough isolate something, are near their mark, or have nothing to walk."""
    seen = campaign(20_000, 3)

    assert seen.zones == 20_000
    assert seen.frames > seen.zones
    assert min(seen.near, seen.apart, seen.short) > 200
    assert seen.apart < seen.zones // 2


@pytest.mark.parametrize(
    ("number", "way", "law"),
    [
        (1, Way(RECHECKS, BOUND_LOW, 0), "CMP-meet"),
        (1, Way(RECHECKS, BOUND_LOW_OR_START, 1), "CMP-free"),
        (0, WAYS[1], "CMP-meet"),
    ],
)
def test_a_way_that_differs_is_found(number: int, way: Way, law: str) -> None:
    """One that leaves its scanner elsewhere, or stops where the others go on."""
    ways = [*WAYS]
    ways[number] = way

    with pytest.raises(LawBroken) as broken:
        campaign(2_000, 3, ways)

    assert broken.value.law_id == law
    assert "zone " in broken.value.complaint


def test_who_stops_early_has_what_the_others_began_with() -> None:
    """A walk that stops early may not be the one that the others are held to."""
    with pytest.raises(LawBroken):
        campaign(2_000, 3, [Way(LAZY, BOUND_LOW, 1), WAYS[0], WAYS[2]])
