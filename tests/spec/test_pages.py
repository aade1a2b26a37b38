"""The guide pages of the spec: their generated parts are current and their examples are true."""

import doctest

import pytest
from tests.spec.test_laws_can_fail import books

from pagefuzz.report.laws import CHAPTERS, laws_markdown
from pagefuzz.report.markdown import table
from pagefuzz.report.pages import DOCS, PARTS, current
from pagespec.laws.law import LawBook


@pytest.mark.parametrize("page", PARTS)
def test_pages_are_current(page: str) -> None:
    """If this fails, `python -m pagefuzz.report.pages` mends the page."""
    text = (DOCS / page).read_text()

    assert text == current(text, PARTS[page])


def test_examples_of_the_model_are_true() -> None:
    """Every example in the page is run."""
    failed, tried = doctest.testfile(str(DOCS / "model.md"), module_relative=False)

    assert failed == 0
    assert tried > 5


def test_the_page_of_laws_has_every_book() -> None:
    """A new book of laws must get a chapter, in which each of its laws has a row."""
    assert {id(chapter.book) for chapter in CHAPTERS} == {id(book) for book in books().values()}
    for chapter in CHAPTERS:
        assert all(f"| {law.id} | {law.level} |" in laws_markdown() for law in chapter.book.laws)


def test_a_law_in_markdown() -> None:
    """Columns are id, level, sentence, reason, source, designs; a bar in a cell stays a bar."""
    book: LawBook[int] = LawBook()

    @book.law("A-law", source="derived", designs=("tag",))
    def small(subject: int) -> str | None:
        """It holds |x| < 2.

        Else it
        breaks.
        """
        return None if abs(subject) < 2 else f"{subject} is too much"

    assert small(1) is None
    assert laws_markdown((CHAPTERS[0]._replace(title="Numbers", book=book),)) == (
        "## Numbers\n\n"
        "| id | level | law | why | source | designs |\n"
        "|---|---|---|---|---|---|\n"
        "| A-law | refines | It holds \\|x\\| < 2. | Else it breaks. | derived | tag |\n"
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
