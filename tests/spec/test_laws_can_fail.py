"""Every law can fail: a law that nothing breaks is decoration."""

import importlib
import pkgutil

import pytest
from tests.spec import (
    breakages,
    breakages_cells,
    breakages_compaction,
    breakages_compaction_steps,
    breakages_counters,
    breakages_hosts,
    breakages_listed,
    breakages_objects,
    breakages_slabs,
    breakages_typed,
)
from tests.spec.rows import ROWS, Row

import pagespec.laws
import pagespec.slab.laws
import pagespec.vmstat.laws
from pagespec.laws.law import Law, LawBook, LawBroken
from pagespec.schedule.laws import AT_EVERY_STEP


def every_law() -> list[Law[object]]:
    """The laws of all books, once each: a book may be put together from others."""
    return list({id(law): law for book in books().values() for law in book.laws}.values())


def books() -> dict[str, LawBook[object]]:
    """Every book of laws that the spec has, by name, wherever it stands.

    But not the laws at every step: they may have the name of one at rest, and rows of their own.
    """
    rooms = [
        importlib.import_module(f"{room.__name__}.{module.name}")
        for room in (pagespec.laws, pagespec.slab.laws, pagespec.vmstat.laws)
        for module in pkgutil.iter_modules(room.__path__)
    ]
    return {
        f"{room.__name__}.{name}": value
        for room in rooms
        for name, value in vars(room).items()
        if isinstance(value, LawBook) and value is not AT_EVERY_STEP
    }


FILLED_BY = (
    breakages,
    breakages_cells,
    breakages_compaction,
    breakages_compaction_steps,
    breakages_counters,
    breakages_hosts,
    breakages_listed,
    breakages_objects,
    breakages_slabs,
    breakages_typed,
)
"""The files that enter rows as they are read."""


@pytest.mark.parametrize("row", ROWS, ids=[f"{row.law_id}: {row.what}" for row in ROWS])
def test_the_law_speaks_first(row: Row) -> None:
    """A broken subject is named by the law that fits, and its unbroken sibling by none."""
    with pytest.raises(LawBroken) as caught:
        row.book.check(row.era, row.broken)

    assert caught.value.law_id == row.law_id
    assert str(caught.value).startswith(f"{row.law_id}: ")
    assert list(row.book.broken(row.era, row.sound)) == []


def test_no_law_is_without_a_breakage() -> None:
    """Whoever adds a law adds a row that it names."""
    laws = {law.id for law in every_law()}

    assert laws - {row.law_id for row in ROWS} == set()
    assert {row.law_id for row in ROWS} - laws == set()


def test_laws_are_named_once_and_explained() -> None:
    """One name, one law; each says what holds, why it matters, and where it comes from."""
    laws = every_law()
    silent = [law.id for law in laws if not (law.sentence and law.reason and law.source)]

    assert len({law.id for law in laws}) == len(laws)
    assert silent == []
    assert [law.id for law in laws if not law.sentence.endswith(".")] == []
