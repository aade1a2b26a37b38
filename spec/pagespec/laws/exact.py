"""The law about list order, which only an allocator that promises Linux's own frames must keep."""

from typing import NamedTuple

from pagespec.laws.law import Complaint, LawBook
from pagespec.migratetype import MigrateType
from pagespec.verbs import Outcome
from pagespec.zone import STATE, Lists, Zone


class Placed(NamedTuple):
    """What a request returned and how the lists stand, beside what the stamps say.

    lists: per order and type, the free blocks in list order. expected: the same by the stamp
    oracle, which knows no lists.
    """

    request: str
    outcome: Outcome
    expected_outcome: Outcome
    lists: Lists
    expected: Lists


EXACT_LAWS: LawBook[Placed] = LawBook()


@EXACT_LAWS.law(
    "BUD-place", level="exact", source="mm/page_alloc.c, buddy_merge_likely (2.6.35) and expand"
)
def placed(subject: Placed) -> Complaint:
    """Blocks enter their list where the era says, and requests are served from its head.

    The order of the lists decides which memory is warm and which large blocks can still form.
    """
    if subject.outcome != subject.expected_outcome:
        return (
            f"{subject.request} gave {subject.outcome}, expected {subject.expected_outcome} "
            "from the head of its list"
        )
    for order, (got, due) in enumerate(zip(subject.lists, subject.expected, strict=True)):
        for mt in sorted(got.keys() | due.keys()):
            if got.get(mt) != due.get(mt):
                return (
                    f"after {subject.request} the list of order {order} and type {mt.name} is "
                    f"{got.get(mt)}, expected {due.get(mt)}"
                )
    return None


class Twins(NamedTuple):
    """The spec's state and the allocator's after the same requests."""

    spec: Zone
    view: Zone


TWIN_LAWS: LawBook[Twins] = LawBook()


@TWIN_LAWS.law("TWIN-equal", level="exact", source="derived")
def equal(twins: Twins) -> Complaint:
    """The allocator's state is the spec's, field by field.

    It catches what no other law names, and with it a fault in the laws themselves.
    """
    spec, view = twins
    for field in STATE:
        due, got = getattr(spec, field), getattr(view, field)
        if due != got:
            return f"{field} is {got}, the spec's is {due}"
    return None


class Foretold(NamedTuple):
    """What the spec answered and made of the pageblocks' types, and what the stamps foretold."""

    request: str
    outcome: Outcome
    foretold: Outcome
    pageblocks: list[MigrateType]
    foretold_pageblocks: list[MigrateType]


ORACLE_LAWS: LawBook[Foretold] = LawBook()


@ORACLE_LAWS.law("SPEC-stamps", level="exact", source="derived")
def foretold(subject: Foretold) -> Complaint:
    """The spec answers what the stamps foretell, and gives each pageblock the type that they do.

    The fault is then in one of these two, not in the allocator beside them: a slip that was made in
    spec and allocator alike shows here.
    """
    if subject.outcome != subject.foretold:
        return f"{subject.request}: the spec gave {subject.outcome}, the stamps {subject.foretold}"
    for number, (mt, due) in enumerate(
        zip(subject.pageblocks, subject.foretold_pageblocks, strict=True)
    ):
        if mt is not due:
            return (
                f"after {subject.request} the spec has {mt.name} for pageblock {number}, "
                f"the stamps {due.name}"
            )
    return None
