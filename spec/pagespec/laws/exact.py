"""The laws about list order, which only an allocator that promises Linux's own frames must keep."""

from collections.abc import Mapping
from typing import NamedTuple

from pagespec.laws.cells import has_cells
from pagespec.laws.law import Complaint, LawBook
from pagespec.migratetype import MigrateType
from pagespec.types import Pfn
from pagespec.verbs import Outcome
from pagespec.vmstat.kept import Cells
from pagespec.zone import COUNTS, STATE, KeptLists, Lists, Zone


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


class Kept(NamedTuple):
    """What CPUs keep and what slots hold after a request, beside what the stamps say.

    pcps: per CPU, set and list, the heads of the blocks, the end that is served first. slots: the
    slot of each frame that the array of bulk requests holds.
    """

    request: str
    pcps: KeptLists
    expected_pcps: KeptLists
    slots: Mapping[Pfn, int]
    expected_slots: Mapping[Pfn, int]


KEPT_LAWS: LawBook[Kept] = LawBook()


@KEPT_LAWS.law(
    "ORACLE-lists",
    level="exact",
    source="mm/page_alloc.c, rmqueue_bulk and free_pcppages_bulk, 2.6.11 to 6.12",
)
def kept(subject: Kept) -> Complaint:
    """Each CPU's lists hold the blocks that the stamps say, in their order, and slots the frames.

    What a CPU keeps is warm at one end and cold at the other: a refill or a drain at the wrong end
    loses what the lists are for, and one of the wrong length loses the balance between CPUs.
    """
    if subject.slots != subject.expected_slots:
        return (
            f"after {subject.request} the slots are {dict(subject.slots)}, "
            f"expected {dict(subject.expected_slots)}"
        )
    for cpu, (sets, due_sets) in enumerate(zip(subject.pcps, subject.expected_pcps, strict=True)):
        for lists, due_lists in zip(sets, due_sets, strict=True):
            for number, (got, due) in enumerate(zip(lists, due_lists, strict=True)):
                if got != due:
                    return (
                        f"after {subject.request} list {number} of CPU {cpu} is {got}, "
                        f"expected {due}"
                    )
    return None


def pcps_of(zone: Zone) -> KeptLists:
    """What the zone's CPUs keep, as plain lists."""
    return [[[list(blocks) for blocks in pcp.lists] for pcp in pcps] for pcps in zone.pcps]


class Counted(NamedTuple):
    """What CPUs keep of the counts, and what the zone was told, beside what the stamps say."""

    request: str
    cells: Cells | None
    expected: Cells | None


COUNTED_LAWS: LawBook[Counted] = LawBook()


@COUNTED_LAWS.law(
    "ORACLE-cells",
    level="exact",
    eras=has_cells,
    source="mm/vmstat.c, __mod_zone_page_state, and mm/page_alloc.c, 2.6.37 to 6.12",
)
def counted(subject: Counted) -> Complaint:
    """Each CPU keeps, and the zone was told, what the stamps say; so with thresholds and rests.

    The sum may be right although the wrong CPU counted, or counted at once what the era counts
    block by block. Then the zone is told at other times, and watermarks see another count.
    """
    if subject.cells != subject.expected:
        return f"after {subject.request} there is {subject.cells}, expected {subject.expected}"
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


@TWIN_LAWS.law("TWIN-counts", level="exact", source="derived")
def counts_equal(twins: Twins) -> Complaint:
    """The allocator has counted as allocated and as freed what the spec has.

    No request depends on these counts, so nothing else would ever show that they are off.
    """
    spec, view = twins
    for field in COUNTS:
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
