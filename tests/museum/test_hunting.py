"""The hunts: what they find, that they end, and that they find nothing where nothing is."""

import pytest

from pagefuzz.campaign.hunt import fail
from pagefuzz.exits import Exit
from pagefuzz.museum.catalogue import MUTANTS, matching
from pagefuzz.museum.equivalent import EQUIVALENTS, Equivalent
from pagefuzz.museum.exhibit import plain_exhibit
from pagefuzz.museum.hunting import (
    Fate,
    Kill,
    Verdict,
    hunt_all,
    hunt_compiled,
    hunt_plain,
    seeds_of,
)
from pagefuzz.museum.mutant import SLIP, Edit, Mutant, planted
from pagefuzz.museum.results import show_judgements, show_verdicts
from pagefuzz.museum.shared import Judgement, judge, tree
from pagefuzz.museum.slips import SHARED
from pagefuzz.museum.store import smallest
from pagespec.host_trace import parse_host
from pagespec.vmstat.trace_reader import parse_counters

WALKS = 25
MUTANT = MUTANTS[0]
FITTING = min(MUTANT.laws)


def silent(mutant_id: str, *edits: Edit) -> Mutant:
    return planted(mutant_id, "order tag", SLIP, "a test", *edits, laws=("BUD-tag",), fits="")


UNHARMED = Edit("buddy", "    return 0\n", "    return 0 + 0\n")
ENDLESS = Edit("buddy", "high > least:\n        high -= 1\n", "high > least:\n")


def kill(law: str = FITTING, requests: int = 1) -> Kill:
    return Kill(law, 100, 0.1, requests, "pagefuzz-trace 1\n")


def test_a_few_are_found_and_named() -> None:
    """The whole museum is the command's; these stand for it in a plain test run."""
    mutants = [*matching("tails-leaked"), *matching("unlink-forgets-prev")]
    told: list[str] = []
    verdicts, interrupted = hunt_all(mutants, 20040824, 1, 2, told.append)

    assert [verdict.mutant for verdict in verdicts] == mutants
    assert [verdict.fate for verdict in verdicts] == [Fate.KILLED, Fate.KILLED]
    assert len(told) == 2
    assert not interrupted


def test_a_fault_of_hosts_is_hunted_on_hosts() -> None:
    """Its trace is that of a host, small enough to be read at once."""
    mutant = matching("zones-tried-from-the-last")[0]
    found = hunt_plain(mutant, 20040824)

    assert found is not None
    assert found.law in mutant.laws
    assert len(parse_host(found.trace).requests) == found.requests <= 4


def test_a_fault_of_counters_is_hunted_among_counters() -> None:
    """Its trace is that of a machine which does nothing but count."""
    mutant = matching("lowered-at-rest-too")[0]
    found = hunt_plain(mutant, 20040824)

    assert found is not None
    assert found.law in mutant.laws
    assert len(parse_counters(found.trace).requests) == found.requests == 1


def test_an_interrupt_leaves_the_verdicts_that_there_are() -> None:
    """What was found in an hour is not thrown away in the last minute."""
    mutants = [*matching("unlink-forgets-prev"), *matching("tails-leaked")]

    def impatient(line: str) -> None:
        raise KeyboardInterrupt

    verdicts, interrupted = hunt_all(mutants, 1, 1, 1, impatient)

    assert [verdict.mutant for verdict in verdicts] == mutants[:1]
    assert interrupted


def test_an_endless_loop_is_a_request_that_was_not_answered() -> None:
    """Without the meter the hunt would never come back."""
    trace, _ = next(
        found
        for walk in range(WALKS)
        if (found := fail(plain_exhibit([ENDLESS]), f"endless/{walk}", "exact", None))[0]
    )
    assert trace is not None
    assert trace.expect == "OUT-fault"


@pytest.mark.parametrize("one", EQUIVALENTS, ids=lambda one: one.id)
def test_equivalents_are_not_found(one: Equivalent) -> None:
    """A bounded search sees no difference, as the reason says; a find would be a false alarm."""
    factory = plain_exhibit(one.edits)

    for walk in range(WALKS):
        trace, _ = fail(factory, f"equivalent/{walk}", "exact", None)
        assert trace is None


def test_a_survivor_is_hunted_in_its_compiled_form() -> None:
    """In a process of its own: a fault is found there too, and an endless loop loses it."""
    found, lost = hunt_compiled(matching("tag-not-cleared")[0], 1)

    assert found is not None
    assert found.law == "BUD-tag"
    assert not lost


def test_a_process_that_hangs_is_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is ended, and nobody claims to know what became of the mutant."""
    monkeypatch.setattr("pagefuzz.museum.hunting.COMPILED_SECONDS", 0.1)

    assert hunt_compiled(silent("endless", ENDLESS), 1) == (None, True)


def test_seeds_are_fresh_and_repeatable() -> None:
    """Each mutant has its own, and the command's seed repeats them all."""
    assert seeds_of(1, MUTANTS[0], 5) == seeds_of(1, MUTANTS[0], 5)
    assert len({*seeds_of(1, MUTANTS[0], 5), *seeds_of(1, MUTANTS[1], 5)}) == 10
    assert seeds_of(1, MUTANTS[0], 5) != seeds_of(2, MUTANTS[0], 5)


@pytest.mark.parametrize(
    ("kills", "lost", "fate", "code"),
    [
        ([kill(), kill()], False, Fate.KILLED, Exit.HELD),
        ([kill(), kill("INIT")], False, Fate.MISNAMED, Exit.BROKEN),
        ([kill(), None], False, Fate.SURVIVED, Exit.BROKEN),
        ([kill(), None], True, Fate.LOST, Exit.INCONCLUSIVE),
        ([kill(requests=9), kill()], False, Fate.KILLED, Exit.BROKEN),
        ([kill(requests=9), *[kill()] * 9], False, Fate.KILLED, Exit.HELD),
    ],
)
def test_the_worst_seed_counts(
    kills: list[Kill | None],
    lost: bool,
    fate: Fate,
    code: Exit,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One survival, one wrong name, or too many long traces fail the museum."""
    verdict = Verdict(MUTANT, dict(enumerate(kills)), lost)

    assert verdict.fate is fate
    assert show_verdicts([verdict]) is code
    assert ("survived the hunt" in capsys.readouterr().out) is (None in kills)


@pytest.mark.parametrize(
    ("pattern", "requests", "code"),
    [
        ("tails-leaked", 8, Exit.HELD),
        ("tails-leaked", 9, Exit.BROKEN),
        ("nofragment-ignored", 12, Exit.HELD),
        ("nofragment-ignored", 13, Exit.BROKEN),
    ],
)
def test_faults_of_pageblocks_may_take_longer_traces(
    pattern: str, requests: int, code: Exit
) -> None:
    """Each kind by its own limit: a long trace of one is not hidden among the short of another."""
    mutant = matching(pattern)[0]
    short = Verdict(MUTANT, {seed: kill() for seed in range(20)}, False)

    law = min(mutant.laws)
    long = Verdict(mutant, {1: kill(law, requests)}, False)
    assert show_verdicts([long]) is code
    if mutant.limits != MUTANT.limits:
        assert show_verdicts([short, long]) is code


def test_the_smallest_fitting_trace_is_kept() -> None:
    """A misnamed one is no example of the mutant, however small."""
    verdict = Verdict(MUTANT, {1: kill("INIT", 0), 2: kill(requests=3), 3: kill(requests=2)}, False)

    assert smallest(verdict) == kill(requests=2)
    assert smallest(Verdict(MUTANT, {1: None}, False)) is None


def test_a_slip_that_spec_and_twin_share_is_stopped_from_outside() -> None:
    """Lockstep is silent, the vectors are not; the others are the command's."""
    root = tree()
    assert root is not None
    judgement = judge(next(slip for slip in SHARED if slip.id == "index-base-of-2-6-11"), root)

    assert judgement.law == ""
    assert any("test_index_bases" in killer for killer in judgement.killers)
    assert show_judgements([judgement]) is Exit.HELD


@pytest.mark.parametrize(
    ("law", "killers"), [("BUD-place", ("tests/spec/test_vectors.py::test_x",)), ("", ())]
)
def test_a_shared_slip_that_nothing_stops_is_told(law: str, killers: tuple[str, ...]) -> None:
    """As is one that lockstep sees, which is not shared."""
    assert show_judgements([Judgement(SHARED[0], law, killers)]) is Exit.BROKEN
