"""Pictures of a zone: the example of 2004, drawn as the thread drew it."""

from pagefuzz.drawing import SHOWN_BLOCKS, answered, drawn
from pagespec.boot import boot
from pagespec.era import ERAS
from pagespec.machine import Machine
from pagespec.ops import perform
from pagespec.types import NO_MEMORY, Refusal
from pagespec.verbs import Op, Verb
from pagespec.zone import Zone

BOOT = """\
free_area[3] -> page[0-7]
free_area[2]
free_area[1]
free_area[0]
held            nothing
free_pages 8    nr_free 0 0 0 1"""

ONE_PAGE = """\
free_area[3]
free_area[2] -> page[4-7]
free_area[1] -> page[2-3]
free_area[0] -> page[1]
held            page[0]
free_pages 7    nr_free 1 1 1 0"""


def picture(zone: Zone) -> str:
    return "\n".join(drawn(zone))


def test_one_page_from_eight() -> None:
    """The mail's example: one page of an eight-page chunk leaves a page, a pair and a quad."""
    zone = boot(Machine(pages=8, top=3, era=ERAS["2.6.11"]))
    assert picture(zone) == BOOT

    assert perform(zone, Op(Verb.ALLOC, 0)) == 0
    assert picture(zone) == ONE_PAGE

    assert perform(zone, Op(Verb.FREE, 0, 0)) == 0
    assert picture(zone) == BOOT


def test_pair_bits_are_drawn_where_there_are_any() -> None:
    """The old design shows, per order, which pairs have one half free."""
    zone = boot(Machine(pages=8, top=3, era=ERAS["2.6.8"]))
    perform(zone, Op(Verb.ALLOC, 0))

    assert picture(zone) == ONE_PAGE + "\n" + "\n".join(
        f"pairs[{order}] set    0" for order in range(3)
    )


def test_what_is_held_says_how() -> None:
    """References and compound blocks show."""
    zone = boot(Machine(pages=8, top=3, era=ERAS["6.1"]))
    perform(zone, Op(Verb.ALLOC, 1, compound=True))
    perform(zone, Op(Verb.GET, 0, 0))

    assert "held            page[0-1] refs 2 compound" in drawn(zone)


def test_long_lists_are_counted() -> None:
    """A picture stays one: what does not fit is a number."""
    zone = boot(Machine(pages=64, top=0, era=ERAS["6.1"]))
    more = f" and {64 - SHOWN_BLOCKS} more"
    assert drawn(zone)[0].endswith(more)
    assert drawn(zone)[0].count("page[") == SHOWN_BLOCKS

    for _ in range(64):
        perform(zone, Op(Verb.ALLOC, 0))
    assert drawn(zone)[1].endswith(more)


def test_answers_are_in_words() -> None:
    """What came of a request reads as the thread would say it."""
    assert answered(Op(Verb.ALLOC, 2), 4) == "return page -> page[4-7]"
    assert answered(Op(Verb.ALLOC, 2), NO_MEMORY) == "none"
    assert answered(Op(Verb.FREE, 2, 4), 0) == "done"
    assert answered(Op(Verb.FREE, 2, 4), Refusal.DOUBLE) == "refused DOUBLE"
