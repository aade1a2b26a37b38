"""Exhaustion where CPUs keep lists: what a state holds, what is tried, and which slips it finds."""

from collections.abc import Callable, Iterator

import pytest

from pagefuzz.prove.exhaust import exhaust, named
from pagefuzz.prove.ledger import read
from pagefuzz.prove.listed import LISTED_DOMAINS, ListedDomain
from pagefuzz.prove.renaming import canonical_of, renaming_of
from pagefuzz.prove.states import frozen, thawed
from pagefuzz.prove.twin import twin_beside
from pagefuzz.prove.vocabulary import CALLERS, GROUPS, Asked, groups_in, vocabulary_of
from pageimpl.allocator import Allocator
from pageimpl.source import plain_modules
from pagespec import zonelist
from pagespec.boot import boot
from pagespec.era import ERAS
from pagespec.laws.law import LawBroken
from pagespec.machine import Machine
from pagespec.migratetype import MOVABLE, UNMOVABLE
from pagespec.ops import perform
from pagespec.pcp import lists
from pagespec.types import DomainError
from pagespec.verbs import Op, Outcome, Verb
from pagespec.zone import Zone

ROWS = {row.what: dict(row.finding.counts) for row in read() if row.engine == "exhaust"}
SECONDS = {row.what: row.finding.seconds for row in read() if row.engine == "exhaust"}
QUICK = [domain for domain in LISTED_DOMAINS if SECONDS.get(str(domain), 1) < 0.7]
LISTED = ("2.6.8", "2.6.11", "2.6.37", "2.6.39", "4.10", "4.11-rc", "5.15", "6.1", "6.12")
FRAMES = Asked((0,), (UNMOVABLE,))


@pytest.mark.parametrize("domain", QUICK, ids=str)
def test_quick_domains_come_out_as_committed(domain: ListedDomain) -> None:
    """Every count and the checksum; the larger rows are run by `prove`."""
    counts = domain.exhaust(domain.sizes.pages)

    assert {name: (number,) for name, number in named(counts).items()} == ROWS[str(domain)]


def test_rows_reach_what_they_are_there_for() -> None:
    """Lists serve, refill and drain in each, and each way to keep them from it is met."""
    for domain in LISTED_DOMAINS:
        counts = ROWS[str(domain)]
        words = str(domain).split()

        assert counts["served"][0] > 0
        assert counts["refills"][0] > 0
        assert ("irq" in words or "contended" in words) <= (counts.get("barred", (0,))[0] > 0)
        assert ("min_free" in words) <= (counts.get("below", (0,))[0] > 0)
        assert ("drain" in words and "bulk" not in words) <= (counts.get("drained", (0,))[0] > 0)


def test_every_way_of_tuning_meets_every_group_of_lists() -> None:
    """No request about lists or marks is forgotten, and no row names one that its era lacks."""
    about = (*[*GROUPS][[*GROUPS].index("bulk") :], *CALLERS, "atomic", "emergency")
    tunings = {ERAS[era].tuning for era in LISTED}
    for tuning in tunings:
        rows = [domain for domain in LISTED_DOMAINS if ERAS[domain.era].tuning == tuning]
        tried = {name for domain in rows for name in str(domain).split()}
        there = {
            name
            for domain in rows
            for name in groups_in(
                Machine(8, 2, ERAS[domain.era], cpus=2, min_free=16), FRAMES, about
            )
        }

        assert there <= tried
        assert tried & {*about} <= there


def ops_for(zone: Zone) -> Iterator[Op]:
    """Requests that leave something in every field that CPUs and marks have."""
    types = (MOVABLE, UNMOVABLE) if zone.pageblocks else (UNMOVABLE,)
    yield Op(Verb.ALLOC, zone.machine.top)
    for cpu in (0, 1, 0, 2, 1):
        yield Op(Verb.ALLOC, 0, mt=types[cpu % len(types)], cpu=cpu, cold=cpu == 1)
    yield Op(Verb.BULK, pages=3, cpu=1)
    yield Op(Verb.FREE, 0, next(iter(zone.held)), cpu=2)
    yield Op(Verb.UNPLUG, cpu=0)
    yield Op(Verb.DISABLE)


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("era", LISTED)
def test_a_state_is_its_bytes(era: str, grouped: bool) -> None:
    """Thawed and frozen again, lists, sizes, slots, marks and CPUs are the same."""
    grouped = grouped and ERAS[era].numbering is not None
    machine = Machine(
        64, 4, ERAS[era], pageblock=3 if grouped else None, cpus=3, batch=3, min_free=200
    )
    zone = boot(machine)
    for op in ops_for(zone):
        perform(zone, op)
    zone.given = set(zone.held)
    zone.held = {pfn: held._replace(mt=UNMOVABLE) for pfn, held in zone.held.items()}
    again = thawed(machine, frozen(zone))
    again.log, again.visited = zone.log, zone.visited
    again.pgalloc, again.pgfree = zone.pgalloc, zone.pgfree

    assert zone.disabled or any(pcp.count for pcps in zone.pcps for pcp in pcps)
    assert zone.unplugged == {0}
    assert (zone.slots != {}) == (ERAS[era].bulk != "none")
    assert zone.levels is not None
    assert zone.levels.reclaiming
    assert again == zone
    assert frozen(again) == frozen(zone)


def test_states_of_large_lists_are_refused() -> None:
    """What is learnt must fit in a byte."""
    with pytest.raises(DomainError, match="exhaustion needs numbers below 255"):
        exhaust(Machine(8, 3, ERAS["6.12"], cpus=1, batch=8))


@pytest.mark.parametrize("min_free", [None, 4])
@pytest.mark.parametrize("era", ["2.6.11", "4.10", "6.1"])
def test_renaming_misses_no_class(era: str, min_free: int | None) -> None:
    """Visited by themselves, the states are of as many classes, also with frames on CPUs' lists."""
    high = None if ERAS[era].tuning == "pair" else 2
    machine = Machine(4, 0, ERAS[era], cpus=1, batch=1, high=high, min_free=min_free)
    vocabulary = vocabulary_of(machine, FRAMES, ("alloc", "atomic", "cold", "contended", "drain"))
    exchange = renaming_of(machine)
    classes = set()

    def note(before: Zone, op: Op, outcome: Outcome, after: Zone) -> None:
        classes.add(canonical_of(exchange, frozen(before))[0])

    plain = exhaust(machine, vocabulary, renaming=False, beside=note)
    renamed = exhaust(machine, vocabulary)

    assert renamed.states == len(classes) < plain.states


def small(era: str) -> Machine:
    """Four frames that merge, behind one CPU's lists."""
    return Machine(4, 2, ERAS[era], cpus=1, batch=1, high=3)


@pytest.mark.parametrize(
    ("era", "room", "name", "slip", "law"),
    [
        ("4.10", lists, "pages_to_drain", lambda zone, pcp, order: 0, "PCP-bound"),
        ("4.10", lists, "must_refill", lambda pcp, index: pcp.count < 2, "PCP-refill"),
        ("6.1", lists, "blocks_to_refill", lambda zone, pcp, order: 2, "PCP-refill"),
        ("4.11-rc", zonelist, "may_use_lists", lambda zone, order, where: order == 0, "PCP-owner"),
        ("4.10", lists, "_from_tail", lambda zone, where: not where.cold, "PCP-lifo"),
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
    """And the report has what the CPU kept at the step at which it showed."""
    machine = small(era)
    vocabulary = vocabulary_of(machine, FRAMES, ("alloc", "irq", "cold", "drain"))
    monkeypatch.setattr(room, name, slip)

    with pytest.raises(LawBroken, match=r"; at [a-z]+ .*, CPU 0 keeps ") as raised:
        exhaust(machine, vocabulary)
    assert raised.value.law_id == law


@pytest.mark.parametrize(
    ("era", "module", "right", "wrong"),
    [
        ("4.10", "pcp.drain", "prev_of(mem, head)", "next_of(mem, head)"),
        ("6.1", "pcp.tuning", "<< 2", "<< 1"),
    ],
)
def test_a_slip_in_the_twin_is_found(era: str, module: str, right: str, wrong: str) -> None:
    """Exhaustion beside a twin with a slip ends at a law."""
    kernels = plain_modules({module: lambda text: text.replace(right, wrong)})
    machine = Machine(6, 1, ERAS[era], cpus=1, batch=1, high=5, min_free=4)
    beside = twin_beside(Allocator(machine, modules=kernels))
    vocabulary = vocabulary_of(machine, FRAMES, ("alloc", "rest"))

    with pytest.raises(LawBroken):
        exhaust(machine, vocabulary, renaming=False, beside=beside)
