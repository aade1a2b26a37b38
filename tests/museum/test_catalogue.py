"""The mutants as data: their texts are there, and no two are the same fault."""

from collections import Counter
from pathlib import Path
from typing import get_args

import pytest

from pagefuzz.museum.catalogue import MUTANTS, matching
from pagefuzz.museum.equivalent import EQUIVALENTS
from pagefuzz.museum.mutant import (
    SLIP,
    STEP_KINDS,
    WIDER_KINDS,
    Edit,
    Kind,
    Mutant,
    patches_of,
)
from pagefuzz.museum.planted import planted_in_spec
from pagefuzz.museum.shared import tree
from pagefuzz.museum.slips import SHARED
from pageimpl.source import KERNEL_MODULES, plain_modules
from pagespec.laws.books import all_laws

LAWS = {law.id for law in all_laws()}


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.id)
def test_each_applies(mutant: Mutant) -> None:
    """Every old text stands in its module once, and the module still loads."""
    assert mutant.edits
    if mutant.kind in STEP_KINDS:
        with planted_in_spec(mutant.edits):
            pass
    else:
        plain_modules(patches_of(mutant.edits))


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.id)
def test_each_names_laws_that_exist(mutant: Mutant) -> None:
    """A law that is not there would never name anything."""
    assert mutant.laws
    assert mutant.laws <= LAWS
    # Equality with the spec names no mechanism.
    assert not mutant.laws & {"TWIN-equal", "TWIN-counters"}


def test_every_historical_bug_can_be_looked_up() -> None:
    """Its name has a row that says where to read of it; the rest are releases and slips."""
    page = Path(__file__).parents[2] / "docs" / "museum.md"
    text = page.read_text(encoding="utf-8").partition("## Where the historical bugs are from")[2]
    rows = [line.split(" | ") for line in text.partition("\n## ")[0].splitlines()]
    places = {row[0].removeprefix("| "): row[2] for row in rows if len(row) == 3}
    sources = {mutant.source for mutant in MUTANTS} - {SLIP}

    releases = {source.removeprefix("Linux ") for source in sources - places.keys()}
    early = {"2.4.0", "2.6.37", "2.6.39", "4.10", "4.11-rc"}
    assert releases == early | {"5.15", "6.1", "6.3", "6.12"}


def test_they_are_distinct() -> None:
    """No two have a name, a mechanism or a change in common, nor share it with an equivalent."""
    for texts in (
        [mutant.id for mutant in MUTANTS] + [one.id for one in EQUIVALENTS],
        [mutant.mechanism for mutant in MUTANTS],
        [str(sorted(mutant.edits)) for mutant in MUTANTS]
        + [str(sorted(one.edits)) for one in EQUIVALENTS],
    ):
        assert [text for text, count in Counter(texts).items() if count > 1] == []


def test_there_are_enough_of_every_kind() -> None:
    """Both designs, all kinds, and history as well as slips of the hand."""
    of_twin = [mutant for mutant in MUTANTS if mutant.kind not in STEP_KINDS]
    modules = Counter(edit.module for mutant in of_twin for edit in mutant.edits)

    assert len(MUTANTS) >= 60
    assert sum(mutant.kind in WIDER_KINDS for mutant in MUTANTS) >= 20
    assert {mutant.kind for mutant in MUTANTS} == set(get_args(Kind))
    assert min(Counter(mutant.kind for mutant in MUTANTS).values()) >= 4
    assert sum(mutant.source != SLIP for mutant in MUTANTS) >= 20
    assert set(modules) <= set(KERNEL_MODULES)
    assert modules["bitmap"] >= 8


def test_a_text_that_is_not_there_once_is_an_error() -> None:
    """Else a mutant would quietly become the original when the kernels change."""
    with pytest.raises(ValueError, match="it does 0 times"):
        Edit("buddy", "no such text", "")("while order < top:")
    with pytest.raises(ValueError, match="it does 2 times"):
        Edit("buddy", "order", "")("order, order")


def test_shared_slips_apply() -> None:
    """Every old text stands in its file once."""
    root = tree()
    assert root is not None

    for slip in SHARED:
        texts: dict[str, str] = {}
        for edit in slip.edits:
            path = root / edit.module
            texts[edit.module] = edit(texts.get(edit.module) or path.read_text())


def test_a_pattern_chooses() -> None:
    """By name, by kind and by source."""
    assert [mutant.id for mutant in matching("tails-leaked")] == ["tails-leaked"]
    assert {mutant.kind for mutant in matching("linkage")} == {"linkage"}
    assert [mutant.id for mutant in matching("LNX-FREE-01")] == ["tails-leaked"]
    assert matching("no such mutant") == []
