"""Compaction by worked examples, each derived by hand from what the release's source does."""

import pytest
from tests.spec.compactions import ERAS_WITH, laid_out, layout

from pagespec.compaction.events import Kind
from pagespec.compaction.freescan import isolate_freepages
from pagespec.compaction.machine import CompactionMachine
from pagespec.compaction.ops import perform, steps_of
from pagespec.compaction.state import Compaction, Move, Run
from pagespec.compaction.suitable import fragmentation_index
from pagespec.compaction.targets import no_targets
from pagespec.compaction.verbs import WHOLE, CompactionOp, CompactionVerb, Mode, Result
from pagespec.era import ERAS
from pagespec.machine import Machine
from pagespec.migratetype import UNMOVABLE
from pagespec.steps import run
from pagespec.types import NO_MEMORY, DomainError, Refusal

SPREAD = "m.m. .m.. m... ..m."


def compact(compaction: Compaction, *, killed: bool = False, mode: Mode = "sync") -> Result:
    op = CompactionOp(CompactionVerb.COMPACT, whole=True, killed=killed, mode=mode)
    return Result(perform(compaction, op))


def isolated(compaction: Compaction, *, free: int, migrate: int, wanted: int, order: int) -> Run:
    """What one search for targets leaves in a run."""
    wants = Run(order, free=free, migrate=migrate, wanted=wanted, sought=order)
    wants.targets = no_targets(compaction)
    compaction.runs.append(wants)
    run(isolate_freepages(compaction, wants))
    return wants


def frames(wants: Run) -> list[list[int]]:
    return [[block.pfn for block in blocks] for blocks in wants.targets]


MOVES = {
    # A pageblock is always finished, so 12 is taken along for the third block, and the search goes
    # on above the pageblock beside the other scanner: 8 is no target.
    "2.6.37": ([Move(2, 15, 0), Move(0, 13, 0), Move(5, 12, 0)], ".... .... m... mmmm"),
    # It ends as soon as there are two frames, and goes on there.
    "4.10": ([Move(2, 13, 0), Move(0, 12, 0), Move(5, 15, 0)], ".... .... m... mmmm"),
}


@pytest.mark.parametrize("era", ["2.6.37", "2.6.39", "4.10", "6.12"])
def test_blocks_are_moved_together(era: str) -> None:
    """Which block goes where is that release's, and the zone below is free in the end."""
    compaction = laid_out(SPREAD, era)
    moves, after = MOVES["2.6.37" if era.startswith("2.6") else "4.10"]
    if era == "6.12":
        # Targets are kept in order of their frames there.
        moves = [Move(2, 12, 0), Move(0, 13, 0), Move(5, 15, 0)]

    assert compact(compaction) is Result.COMPLETE
    assert compaction.moves == moves
    assert layout(compaction) == after.replace(" ", "")
    assert compaction.isolated == []
    assert compaction.runs == []
    assert compaction.zone.free_pages == 11
    assert compaction.isolated_lru == 0


def test_a_pageblock_that_is_free_was_a_target_once_and_is_none_since() -> None:
    """Until 2.6.39 large free blocks were broken up first, since 3.16 they are spared."""
    text = "mm.. .... .m.. ...."

    early = isolated(laid_out(text, "2.6.37"), free=16, migrate=0, wanted=2, order=1)
    later = isolated(laid_out(text, "4.10"), free=12, migrate=0, wanted=2, order=1)

    # The whole pageblock, though two would do; the last frame is used first.
    assert (frames(early), early.free) == ([[15, 14, 13, 12]], 12)
    # Frame 8, and then a block of two: enough, at the pageblock's end.
    assert (frames(later), later.free) == ([[11, 10, 8]], 4)


def test_free_blocks_are_sought_on_their_lists_since_5_1() -> None:
    """Frame 8 is on the list of order 0, in the upper quarter; then its pageblock is walked."""
    compaction = laid_out("mm.. .... .m.. ....", "6.12")
    wants = isolated(compaction, free=12, migrate=0, wanted=2, order=1)

    # Blocks stay blocks. The walk has not moved: only the list was looked at.
    assert (frames(wants), wants.free) == ([[8], [10], []], 12)
    assert compaction.skips == {2}
    assert [event.kind for event in compaction.log if event.kind in (Kind.SOUGHT, Kind.AROUND)] == [
        Kind.SOUGHT,
        Kind.AROUND,
    ]


def test_what_is_sought_leaves_the_next_pageblock_alone() -> None:
    """The pair at 2 lies too low. Of single frames 4 is the last on its list: low, but no lower
    than half way between the scanners, which ends the search. Then 6 is found beside it, and 8,
    where the next pageblock begins, is not looked at.
    """
    compaction = laid_out("mm.. .m.m .m.m .m.m", "6.1")
    wants = isolated(compaction, free=12, migrate=0, wanted=4, order=2)

    found = [event.pfn for event in compaction.log if event.kind is Kind.SOUGHT]
    assert (found, frames(wants), compaction.skips) == ([4], [[6, 4]], {1})


def test_the_scanner_ends_where_it_may_not_take_a_block_or_goes_on() -> None:
    """Marks of 4 and 5 frames: 2.6.37 asks for the low one and tries each frame, 4.10 stops.

    Seven frames are free. The pair needs 7 above low or 6 above min: refused before, taken since.
    """
    text = "mmmm mmmm mmmm .... ..m. mmmm"
    early = laid_out(text, "2.6.37", min_free=16)
    later = laid_out(text, "4.10", min_free=16)
    assert early.zone.levels is not None
    assert early.zone.levels.marks[:2] == (4, 5)

    first = isolated(early, free=16, migrate=0, wanted=9, order=1)
    second = isolated(later, free=16, migrate=0, wanted=9, order=1)

    assert frames(first) == [[19]]
    # 17 is tried, as the second half of a block that it does not head, and so is what is larger.
    refused = [(event.pfn, event.pages) for event in early.log if event.kind is Kind.REFUSED]
    assert refused == [(16, 2), (12, 4)]
    # Above min: 7 > 4 + 2, and of five then 5 > 4 + 1 does not hold for long.
    assert frames(second) == [[17, 16]]
    assert [event.pfn for event in later.log if event.kind is Kind.REFUSED] == [19]
    assert second.free == 19


def test_a_search_in_vain_moved_the_scanner_up() -> None:
    """In 2.6.37 it stood one pageblock above the other then, even if it had been lower."""
    text = "mmmm .... .... mmmm"
    early = isolated(laid_out(text, "2.6.37"), free=8, migrate=8, wanted=1, order=1)
    later = isolated(laid_out(text, "2.6.39"), free=8, migrate=8, wanted=1, order=1)

    assert (early.free, later.free) == (12, 8)
    assert frames(early) == frames(later) == [[]]


def test_pinned_blocks_stay_and_are_left_alone_since_3_18() -> None:
    """Before, they were taken off the LRU, and put back when they could not be moved."""
    for era, kinds in (("2.6.37", [Kind.SOURCE, Kind.PINNED]), ("4.10", [Kind.PINNED])):
        compaction = laid_out("p... .... .... ..m.", era)
        compact(compaction)

        seen = [event.kind for event in compaction.log if event.pfn == 0 and event.kind in kinds]
        assert seen == kinds
        assert layout(compaction) == "p.............m."
        assert compaction.zone.held[0].refs == 2


def test_only_the_lru_is_counted() -> None:
    """Blocks that are movable in another way are moved since 4.8, and never counted."""
    early, later = (laid_out("n.m. .... .... ..m.", era) for era in ("2.6.37", "4.10"))
    for compaction in (early, later):
        counts = []
        for _ in steps_of(compaction, CompactionOp(CompactionVerb.COMPACT, whole=True)):
            assert sum(len(each.sources) for each in compaction.runs) <= 2
            counts.append(compaction.isolated_lru)
        assert (max(counts), compaction.isolated_lru) == (1, 0)

    assert layout(early)[0] == "n"
    assert layout(later)[0] == "."
    assert Move(0, 12, 0) in later.moves


@pytest.mark.parametrize("era", ["2.6.39", "4.10", "5.8"])
def test_a_caller_that_is_to_die_gives_up(era: str) -> None:
    """At once, and nothing stays isolated."""
    compaction = laid_out(SPREAD, era)

    assert compact(compaction, killed=True) is Result.CONTENDED
    assert layout(compaction) == SPREAD.replace(" ", "")
    assert all(held.refs == 1 for held in compaction.zone.held.values())


def test_scanners_that_have_met_begin_anew() -> None:
    """Nothing is free above what could be moved: the second run looks at everything again."""
    compaction = laid_out(".... m.m. mmmm mmmm", "4.10")
    op = CompactionOp(CompactionVerb.COMPACT, order=2, mt=UNMOVABLE)
    compaction.cached_free, compaction.cached_migrate = 8, [4, 4]

    assert (
        Result(perform(compaction, op)) is Result.SUCCESS
    )  # There is such a block from the start.
    compaction = laid_out("..mm m.m. mmmm mmmm", "4.10")
    compaction.cached_free, compaction.cached_migrate = 8, [4, 4]
    assert Result(perform(compaction, op)) is Result.PARTIAL
    assert (compaction.cached_free, compaction.cached_migrate) == (12, [0, 0])
    assert Result(perform(compaction, op)) is Result.COMPLETE
    # The worker does not decide about what was passed over; a request does.
    remembered = (compaction.flush, bool(compaction.skips))
    perform(compaction, CompactionOp(CompactionVerb.DIRECT, order=2))
    then = (compaction.flush, bool(compaction.skips))
    perform(compaction, CompactionOp(CompactionVerb.REST))
    assert (remembered, then) == ((False, True), (True, True))
    assert (compaction.flush, compaction.skips) == (False, set())


REMEMBERED = {"4.10": ({3}, 12), "5.8": ({2, 3}, 8), "6.12": ({2, 3}, 4)}
"""Only what yielded nothing; all that was walked to its end; and later runs begin below that."""


@pytest.mark.parametrize("era", REMEMBERED)
def test_what_was_walked_to_its_end_is_passed_over_next_time(era: str) -> None:
    """The pageblock at 12 has nothing, and the one at 8 what is wanted, at its end.

    Since 5.1 only every other frame is looked at there, as the one before was empty.
    """
    compaction = laid_out("mmmm uuuu .u.. uuuu", era)
    wants = isolated(compaction, free=12, migrate=0, wanted=2, order=WHOLE)

    assert (wants.target_pages, wants.free) == (3, 4)
    assert (compaction.skips, compaction.cached_free) == REMEMBERED[era]


def test_what_is_freed_is_captured_since_5_1() -> None:
    """The pageblock that the last move empties is the caller's, before it is on any list."""
    text = "m.m. .u.u mu.m .u.."
    early, later = laid_out(text, "4.10"), laid_out(text, "5.8")
    op = CompactionOp(CompactionVerb.DIRECT, order=2)

    assert perform(early, op) == perform(later, op) == 0
    assert Kind.CAPTURED in [event.kind for event in later.log]
    assert Kind.CAPTURED not in [event.kind for event in early.log]
    assert later.zone.held[0].order == 2
    assert later.zone.held[0].compound
    assert later.captures == [None]
    assert later.zone.free_pages == early.zone.free_pages == 4


def test_a_small_block_of_a_movable_pageblock_is_captured_for_movable_requests_alone() -> None:
    """3 and 2 are moved, and make a pair: captured as it stands, or merged with what follows."""
    text = "m.mm mmmm .u.u .u.u"
    op = CompactionOp(CompactionVerb.DIRECT, order=1)
    early, later, other = laid_out(text, "5.8"), laid_out(text, "6.12"), laid_out(text, "6.12")

    assert perform(early, op) == 0
    assert perform(later, op) == 2
    assert perform(other, op._replace(mt=UNMOVABLE)) == 0
    captured = [any(event.kind is Kind.CAPTURED for event in each.log) for each in (early, later)]
    assert captured == [False, True]


def test_the_worker_has_lists_drained_when_it_fails_since_4_18() -> None:
    """Frame 3 waits in a CPU's list, so its three neighbours are no block of four."""
    for era, got in (("4.10", NO_MEMORY), ("5.8", 0)):
        compaction = laid_out("...u uuuu uuuu uuuu", era, cpus=1)
        perform(compaction, CompactionOp(CompactionVerb.FREE, pfn=3))
        assert layout(compaction)[:4] == "...c"

        answer = perform(compaction, CompactionOp(CompactionVerb.BACKGROUND, order=2))

        assert Result(answer) is Result.COMPLETE
        assert perform(compaction, CompactionOp(CompactionVerb.ALLOC, order=2)) == got


def test_a_range_is_claimed_whole_or_not_at_all() -> None:
    """What free blocks have beyond it goes back."""
    compaction = laid_out("m... .... ..u. mmmm", "6.1")
    assert perform(compaction, CompactionOp(CompactionVerb.CLAIM, pfn=2, pages=7)) == 2
    assert layout(compaction) == "m.uuuuuuu.u.mmmm"
    assert perform(compaction, CompactionOp(CompactionVerb.CLAIM, pfn=9, pages=3)) == NO_MEMORY
    assert layout(compaction) == "m.uuuuuuu.u.mmmm"
    assert compaction.zone.free_pages == 3
    assert perform(compaction, CompactionOp(CompactionVerb.CLAIM, pfn=9, pages=8)) == (
        Refusal.BAD_RANGE
    )


@pytest.mark.parametrize("number", [0, 1, 3, 70, 127])
def test_what_is_mistaken_for_an_order_harms_nothing(number: int) -> None:
    """A number that is none is not used, and one that could be makes no range that is not free."""
    compaction = laid_out("m... .... ..mm ....", "6.1")
    perform(compaction, CompactionOp(CompactionVerb.STRAY, pfn=10, order=number))

    assert perform(compaction, CompactionOp(CompactionVerb.CLAIM, pfn=8, pages=4)) == NO_MEMORY
    assert compact(compaction) is Result.COMPLETE
    assert layout(compaction)[10] == "m"
    assert compaction.zone.free_pages == 13


def test_the_index_tells_want_of_memory_from_fragments() -> None:
    """The definition, by hand: 32 single frames for order 3, 1000 - (1000 + 4000) / 32."""
    assert fragmentation_index(3, 32, 32, 0) == 844
    assert fragmentation_index(9, 32, 32, 0) == 967
    assert fragmentation_index(1, 0, 0, 0) == 0
    assert fragmentation_index(2, 8, 2, 2) == -1000


def test_machines_and_requests_outside_the_domain_are_refused() -> None:
    """With one sentence each."""
    with pytest.raises(DomainError, match=r"2\.6\.11 compacts nothing; expected 2\.6\.37 or"):
        CompactionMachine(Machine(pages=16, top=3, era=ERAS["2.6.11"]))
    with pytest.raises(DomainError, match="say pageblock=ORDER"):
        CompactionMachine(Machine(pages=16, top=3, era=ERAS["6.1"]))
    with pytest.raises(DomainError, match="scan=often: expected one of locked, rechecks, lazy"):
        CompactionMachine(Machine(16, 3, ERAS["6.1"], pageblock=2), "often")  # type: ignore[arg-type]

    compaction = laid_out("....", "2.6.37")
    verb = CompactionVerb
    for op, refusal in (
        (CompactionOp(verb.COMPACT, order=3), Refusal.BAD_ORDER),
        (CompactionOp(verb.COMPACT, order=0), Refusal.BAD_ORDER),
        (CompactionOp(verb.COMPACT, order=1, cpu=1), Refusal.BAD_CPU),
        (CompactionOp(verb.COMPACT, order=1, mode="async"), Refusal.UNSUPPORTED),
        (CompactionOp(verb.BACKGROUND, order=1), Refusal.UNSUPPORTED),
        (CompactionOp(verb.CLAIM, pages=1), Refusal.UNSUPPORTED),
        (CompactionOp(verb.REST), Refusal.UNSUPPORTED),
        (CompactionOp(verb.PIN, pfn=1), Refusal.DOUBLE),
        (CompactionOp(verb.STRAY, pfn=9), Refusal.OUTSIDE),
    ):
        assert perform(compaction, op) == refusal, op
    assert layout(compaction) == "...."


def test_every_era_since_2_6_37_compacts() -> None:
    assert ERAS_WITH == ("2.6.37", "2.6.39", "4.10", "4.11-rc", "5.8", "5.15", "6.1", "6.12")
    assert WHOLE == -1
