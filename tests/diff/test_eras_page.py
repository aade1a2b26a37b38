"""Every trace of the page about eras parts the two eras at its end, and none is shorter."""

from dataclasses import replace
from functools import cache
from itertools import pairwise

import pytest
from tests.diff.material import PAGE, Documented, documented, shown_by

from pagefuzz.diff.era_side import EraSide
from pagefuzz.diff.parting import Group
from pagefuzz.diff.search import Found, search
from pagefuzz.diff.telling import trace_of
from pagefuzz.diff.walks import follow
from pagespec.era import ERAS, Era
from pagespec.machine import Machine
from pagespec.trace import answer_text, text_of

LENGTHS = {
    "Alignment counts from frame zero": [0],
    "A block that will soon merge waits at the tail": [6],
    "One list a type in place of a hot and a cold one": [2],
    "The tail is missed for upper halves": [4],
    "CPUs keep less back while kswapd is awake": [1],
    "Isolated memory no longer counts as free": [1],
    "A reserve for atomic requests": [1],
    "What is left of a stolen block belongs to the thief": [4],
    "Ranges of frames can be allocated": [1],
    "A drain counts block by block": [3],
    "A request from an interrupt goes to the buddy": [1],
    "A frame freed by an interrupt merges at once": [2],
    "An interrupt takes single frames from the reserve": [1],
    "Memory of boot goes to the tail": [0],
    "Moved blocks go to the tail": [2],
    "After a steal the request is served anew": [3],
    "Small movable requests take the smallest block": [4],
    "Held memory of the like kind counts for a claim": [3],
    "A request may ask not to fragment": [3],
    "CMA memory is used first while most free memory is CMA's": [1],
    "A failed attempt is no longer logged": [2],
    "A free frame that has failed is taken off the buddy": [1],
    "Lists for orders 1 to 3": [1],
    "Nobody asks for cold frames": [2],
    "Lists are drained once for a whole range": [3],
    "Arrays are filled in bulk": [1],
    "Lists can be switched off": [1],
    "The reserve is no longer free to the shortcut": [2],
    "Every zone of several CPUs has a drift mark": [0],
    "A fallback boosts the marks": [3],
    "A fallback wakes kswapd even where it boosts nothing": [3],
    "CMA memory that goes first is logged, too": [1],
    "Kswapd is let be where there is nothing to boost": [3],
    "Memory that no fallback reaches no longer merges with its neighbour": [0, 2],
    "Single pageblocks can be isolated": [1],
    "A range's neighbours keep their type": [1],
    "Single pageblocks can go offline": [3],
    "`zone_locked` names the list that served": [2],
    "A poisoned frame can come back": [2],
    "A block of a list counts as all its frames": [1],
    "A drain begins with the list just freed into": [3],
    "Whoever drains all lists counts what they held": [2],
    "Whoever finds the lists locked goes to the buddy": [1],
    "A list that cannot be refilled is not the end": [3],
    "The shortcut stops at nothing left": [2],
    "A merge gives the pageblock its type": [0],
    "One block of another type leaves the rest where it was": [3, 3],
    "Small zones keep no reserve": [1],
    "The reserve serves single frames before a request fails": [2],
    "`zone_locked` is silent when a fallback list served": [1],
    "`extfrag` comes after the page": [2],
    "Isolation cuts whatever is larger than a pageblock": [2, 2],
    "A refill asks for more each time": [3],
    "The high mark is asked for first": [1],
}
"""By heading, how many requests each trace has."""

TRACES = documented()
each = pytest.mark.parametrize("found", TRACES, ids=lambda found: found.name)


def test_lengths_are_as_they_were() -> None:
    """A change of the spec that makes a difference show earlier, or later, shows here."""
    lengths: dict[str, list[int]] = {}
    for found in TRACES:
        lengths.setdefault(found.heading, []).append(len(found.trace.requests))

    assert lengths == LENGTHS


@each
def test_the_eras_part_at_the_end_and_not_before(found: Documented) -> None:
    """Compared by the spec alone, request by request."""
    one, other = (shown_by(found.trace, era) for era in found.eras)

    assert [here == there for here, there in zip(one, other, strict=True)] == [
        *[True] * len(found.trace.requests),
        False,
    ]


@each
def test_answers_are_what_the_spec_gives(found: Documented) -> None:
    """The first era's behind the arrows, both eras' in the comments."""
    one, other = (shown_by(found.trace, era) for era in found.eras)

    assert [request.answer for request in found.trace.requests] == [
        shown.outcome for shown in one[1:]
    ]
    for era, shown, comment in zip(
        found.eras, (one[-1], other[-1]), found.trace.comments[1:], strict=True
    ):
        name, _, told = comment.partition(": ")
        assert name == era.name
        if told.startswith("the answer is "):
            verb = found.trace.requests[-1].verb
            assert told == f"the answer is {answer_text(verb, shown.outcome)}"
        elif told.startswith("the type of pageblock "):
            number, mt = told.removeprefix("the type of pageblock ").split(" is ")
            assert shown.pageblocks[int(number)] == mt
        elif told.startswith("what is logged is "):
            logged = [] if told.endswith("nothing") else told.split(", ")
            assert len(logged) == len(shown.log)
            for words, event in zip(logged, shown.log, strict=True):
                assert f"{event.kind.value} pfn={event.pfn} order={event.order}" in words


@each
def test_the_command_writes_it_so(found: Documented) -> None:
    """The block in the page is what `diff` prints for these requests, to the letter."""
    parting = follow(_sides(found.trace.machine, found.eras), found.trace.requests)

    assert parting is not None
    assert text_of(trace_of(parting)) == found.text


@each
def test_no_trace_of_its_kind_is_shorter(found: Documented) -> None:
    """All shorter traces of the vocabulary on that machine are tried."""
    parting = follow(_sides(found.trace.machine, found.eras), found.trace.requests)

    assert parting is not None
    assert parting.group not in _groups(found.trace.machine, found.eras, parting.length - 1)


@cache
def _groups(machine: Machine, eras: tuple[Era, Era], bound: int) -> set[Group]:
    """The groups of all partings up to the bound; none below the length of boot's."""
    found = Found()
    if bound >= 0:
        search(_sides(machine, eras), bound, found)
    return set(found.first)


def _sides(machine: Machine, eras: tuple[Era, Era]) -> tuple[EraSide, EraSide]:
    return EraSide(replace(machine, era=eras[0])), EraSide(replace(machine, era=eras[1]))


def test_the_bitmap_and_the_tag_never_part() -> None:
    """What the page says of 2.6.8 and 2.6.11: 6 requests on 8 frames, and the set's others."""
    assert "up to 6 requests on a zone of 8 frames" in PAGE.read_text()
    era = ERAS["2.6.8"]
    for machine, bound in (
        (Machine(8, 3, era), 6),
        (Machine(7, 2, era, 1), 5),
        (Machine(16, 3, era), 4),
    ):
        found = Found()
        search(_sides(machine, (era, ERAS["2.6.11"])), bound, found)

        assert found.first == {}
        assert found.states > 30


FIELDS = [*Era.__dataclass_fields__]
NOT_IN_SMALL_ZONES = {
    # Counted out of 6.12 by the model.
    *("name", "guards"),
    # The sizes of real zones: tests/spec/test_pcp_vectors.py and test_watermark_vectors.py.
    *("batch", "min_free"),
    # Rights of victims of the OOM killer, which no request has: the same vectors.
    "rights",
    # Hits and misses are counted beside zones: tests/spec/test_vmstat_sequences.py.
    "numa",
    # Hosts of several zones: tests/spec/test_host.py.
    *("reserves_by_highest", "zonelists_by_zone", "movable_apart"),
    # What matters to several requests at once: tests/schedule.
    *("visits", "bounds_drains", "stores_sizes", "looks_before_guard", "drains_in_parts"),
    # Compaction and slabs, of which the last fields are, have machines of their own.
    *FIELDS[FIELDS.index("compaction") :],
}
"""What no trace of one small zone can show."""

UNSEEN = {
    # Two guards that bar the same requests, interrupts or lost locks aside.
    *(("5.8", "guard"), ("6.1", "guard")),
    # Lists that serve nobody who asks for so much; an array that keeps its old frames; the lists of
    # huge pages.
    *(("4.10", "order_check"), ("5.15", "bulk"), ("5.15", "lists"), ("6.1", "lists")),
    # A flush is for blocks of higher orders, and what they are counted as tells the eras apart when
    # they are allocated. Vectors: tests/spec/test_pcp_vectors.py.
    ("5.15", "tuning"),
    # Drains double when many frames have been freed: the same vectors.
    ("5.8", "tuning"),
    # Who cannot wait meets a boost when much has been allocated: tests/spec/test_zonelist.py.
    ("5.8", "spares_urgent"),
}
"""Choices of the era after that one which short traces do not tell apart."""


def test_every_choice_of_the_later_eras_is_on_the_page() -> None:
    """Between 4.10 and 6.12 each field in which two neighbours differ has a trace that needs it.

    An era with that one choice taken back shows no difference to the earlier one at the end of the
    trace, or another one.
    """
    later = ["4.10", "5.8", "5.15", "6.1", "6.12"]
    for one, other in pairwise(later):
        eras = ERAS[one], ERAS[other]
        traces = [found for found in TRACES if found.eras == eras]
        for field in Era.__dataclass_fields__:
            if field in NOT_IN_SMALL_ZONES or (one, field) in UNSEEN:
                continue
            if getattr(eras[0], field) == getattr(eras[1], field):
                continue
            without = replace(eras[1], **{field: getattr(eras[0], field)})
            needed = [
                found.heading
                for found in traces
                if shown_by(found.trace, without)[-1] != shown_by(found.trace, eras[1])[-1]
            ]
            assert needed, f"no trace from {one} to {other} shows {field}"
