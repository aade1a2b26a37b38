"""The guide pages of the spec: their generated parts are current and their examples are true."""

import doctest

import pytest
from tests.spec.test_laws_can_fail import books

from pagefuzz.pages import DOCS, PARTS, current
from pagefuzz.report.laws import laws_markdown
from pagefuzz.report.markdown import table
from pagespec.laws.books import Entry, all_laws
from pagespec.schedule.laws import AT_EVERY_STEP


@pytest.mark.parametrize("page", PARTS)
def test_pages_are_current(page: str) -> None:
    """If this fails, `python -m pagefuzz.pages` mends the page."""
    text = (DOCS / page).read_text()

    assert text == current(text, PARTS[page])


def test_examples_of_the_model_are_true() -> None:
    """Every example in the page is run."""
    failed, tried = doctest.testfile(str(DOCS / "model.md"), module_relative=False)

    assert failed == 0
    assert tried > 5


def test_the_page_of_laws_has_every_law() -> None:
    """Those of every book, wherever it stands, with a row of its own."""
    laws = {law.id for book in books().values() for law in book.laws}
    laws |= {law.id for law in AT_EVERY_STEP.laws}
    rows = [line.split(" | ")[0].strip("| ") for line in laws_markdown({}).split("\n")]

    assert {law.id for law in all_laws()} == laws
    assert {row for row in rows if row in laws} == laws


def test_a_law_in_markdown() -> None:
    """Each thing that is said of it has a column; a bar in a cell stays a bar."""
    law = Entry("A", "exact", "numbers", "|x| < 2.", "Why.", "derived", ("6.1", "6.12"))

    assert laws_markdown({"A": ["m", "n"]}, [law]) == (
        "## About numbers\n\n"
        "| id | level | law | why | source | eras | mutants it may name |\n"
        "|---|---|---|---|---|---|---|\n"
        "| A | exact | \\|x\\| < 2. | Why. | derived | since 6.1 | m, n |\n"
    )


def test_numbers_in_tables_are_read_at_a_glance() -> None:
    """To the right, and in groups of three."""
    assert table(["zone", "frames"], [("64 GiB", 2**24)]) == (
        "| zone | frames |\n|---|---:|\n| 64 GiB | 16,777,216 |\n"
    )


def test_a_page_without_a_place_for_its_part_is_refused() -> None:
    """A mark that was edited away is named, and nothing is written in its stead."""
    with pytest.raises(ValueError, match="a place for the part 'eras'"):
        current("# Eras\n", {"eras": str})
