"""Exhaustion with pageblocks: what a state holds, what it leaves out, and which slips it finds."""

from collections.abc import Callable

import pytest
from tests.prove.plain_search import Step, rest_of, steps_with_held_types

from pagefuzz.prove.exhaust import exhaust, named
from pagefuzz.prove.ledger import read
from pagefuzz.prove.states import frozen, thawed
from pagefuzz.prove.twin import twin_beside
from pagefuzz.prove.typed import TYPED, TYPED_DOMAINS, TypedDomain
from pagefuzz.prove.vocabulary import GROUPS, Asked, Vocabulary, groups_in, vocabulary_of
from pageimpl.allocator import Allocator
from pageimpl.source import plain_modules
from pagespec import buddy, fallback, highatomic, isolation
from pagespec.boot import boot
from pagespec.era import ERAS
from pagespec.laws.law import LawBroken
from pagespec.machine import Machine
from pagespec.migratetype import MOVABLE, RECLAIMABLE, REQUESTED, UNMOVABLE
from pagespec.ops import perform
from pagespec.verbs import Op, Outcome, Verb
from pagespec.zone import Zone

ROWS = {row.what: dict(row.finding.counts) for row in read() if row.engine == "exhaust"}
SMALL = [domain for domain in TYPED_DOMAINS if ROWS[str(domain)]["steps"][0] < 4_000]
PAIRS = Asked((1, 2, 3), REQUESTED)
SINGLES = Asked((0, 1, 2), (UNMOVABLE, MOVABLE))


def smaller(era: str) -> Machine:
    """A pageblock and a half: few states down to single frames."""
    return Machine(6, 2, ERAS[era], pageblock=2)


@pytest.mark.parametrize("domain", SMALL, ids=str)
def test_small_domains_come_out_as_committed(domain: TypedDomain) -> None:
    """Every count and the checksum; the larger rows are run by `prove`."""
    counts = domain.exhaust(8)

    assert {name: (number,) for name, number in named(counts).items()} == ROWS[str(domain)]


def test_every_era_has_a_small_domain_or_shares_one() -> None:
    """So that the test above is not empty."""
    assert len(SMALL) >= 3


def test_every_group_is_exhausted_in_every_era_that_has_it() -> None:
    """No request is forgotten, and no row names one that its era does not have."""
    for era in TYPED:
        rows = [domain for domain in TYPED_DOMAINS if domain.era == era]
        machine = rows[0].machine()
        tried = {name for domain in rows for name in domain.groups}
        there = groups_in(machine, PAIRS, (*GROUPS, "split"))

        assert tried | {"alloc"} >= set(there)
        for domain in rows:
            words = str(domain).split()
            assert [name for name in GROUPS if name in words] == [
                name for name in GROUPS if name in there and name in (*domain.groups, "alloc")
            ]


@pytest.mark.parametrize("era", TYPED)
def test_a_state_is_its_bytes(era: str) -> None:
    """Thawed and frozen again, a state with pieces, isolation and lost frames is the same."""
    machine = Machine(16, 3, ERAS[era], pageblock=2, guard=int(ERAS[era].guards))
    zone = boot(machine)
    for op in (
        Op(Verb.ISOLATE, pfn=8, pages=8),
        Op(Verb.OFFLINE, pfn=8, pages=8),
        Op(Verb.ALLOC, 0, mt=RECLAIMABLE),
        Op(Verb.ALLOC, 1),
        Op(Verb.POISON, pfn=7),
    ):
        perform(zone, op)
    zone.given = set(zone.held)
    zone.held = {pfn: held._replace(mt=UNMOVABLE) for pfn, held in zone.held.items()}
    again = thawed(machine, frozen(zone))
    again.log, again.visited, again.pgalloc = zone.log, zone.visited, zone.pgalloc

    assert zone.offline
    assert bool(zone.poisoned) == ERAS[era].takes_poisoned
    assert again == zone


def steps_of(machine: Machine, vocabulary: Vocabulary) -> set[Step]:
    """Every step of an exhaustion, by states without the types of what is held."""
    steps: set[Step] = set()

    def note(before: Zone, op: Op, outcome: Outcome, after: Zone) -> None:
        steps.add(Step(rest_of(before), op, outcome, rest_of(after)))

    exhaust(machine, vocabulary, beside=note)
    return steps


@pytest.mark.parametrize("era", ["4.10", "6.1", "6.12"])
def test_the_types_of_what_is_held_may_be_left_out(
    monkeypatch: pytest.MonkeyPatch, era: str
) -> None:
    """With them as part of the state, no step is seen that was not seen without them.

    On one pageblock and a half, of which the half is never claimed. Where they are weighed, steps
    are missed if they are not tried.
    """
    machine = smaller(era)
    vocabulary = vocabulary_of(machine, Asked((0, 1), (UNMOVABLE, MOVABLE)), ("alloc",))
    plain = steps_with_held_types(machine, vocabulary)

    assert plain <= steps_of(machine, vocabulary)
    monkeypatch.setattr("pagefuzz.prove.exhaust.other_types", lambda before, log: ())
    assert (plain <= steps_of(machine, vocabulary)) == (era == "4.10")


@pytest.mark.parametrize(
    ("era", "room", "name", "slip", "law"),
    [
        ("6.1", buddy, "types_part", lambda zone, mt, other: False, "BUD-count"),
        ("6.12", fallback, "alike_pages", lambda zone, mt, own, free, movable: 0, "MT-claim"),
        ("6.1", fallback, "can_steal", lambda zone, order, mt: True, "MT-claim"),
        ("5.15", highatomic, "reserve_limit", lambda zone: 8, "HA-reserve"),
        ("4.10", isolation, "account", lambda zone, pages, mt: None, "BUD-count"),
        ("6.1", isolation, "merges_anew", lambda zone, pfn: None, "MT-merge"),
    ],
)
def test_a_slip_in_the_spec_breaks_a_law(
    monkeypatch: pytest.MonkeyPatch,
    era: str,
    room: object,
    name: str,
    slip: Callable[..., object],
    law: str,
) -> None:
    """And the report has the step at which it showed."""
    machine = Machine(8, 3, ERAS[era], pageblock=2)
    groups = ("alloc", "atomic", "unreserve", "isolate", "restore")
    vocabulary = vocabulary_of(machine, PAIRS, groups)
    if room is fallback:
        machine = smaller(era)
        vocabulary = vocabulary_of(machine, SINGLES, ("alloc",))
    monkeypatch.setattr(room, name, slip)

    with pytest.raises(LawBroken, match=r"; at [a-z]+ of .*, pageblocks [A-Z]{2} of ") as raised:
        exhaust(machine, vocabulary)
    assert raised.value.law_id == law


@pytest.mark.parametrize(
    ("module", "right", "wrong"),
    [
        ("fallback", "or mt != MOVABLE", "or mt == MOVABLE"),
    ],
)
def test_a_slip_in_the_twin_is_found(module: str, right: str, wrong: str) -> None:
    """Exhaustion beside a twin with a slip ends at a law."""
    kernels = plain_modules({module: lambda text: text.replace(right, wrong)})
    machine = smaller("6.1")
    beside = twin_beside(Allocator(machine, modules=kernels))

    with pytest.raises(LawBroken):
        exhaust(machine, vocabulary_of(machine, SINGLES, ("alloc",)), beside=beside)
