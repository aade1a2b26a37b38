"""Eras as data: what each kernel chose, one record a release.

Code asks the era; there is no folder per kernel version. A choice is a word, so that a report can
print it.
Source: mm/page_alloc.c of the releases that are named, and the four postings of the 2004 series
(26 August to 8 September, linux-mm).
"""

from dataclasses import dataclass, replace
from typing import Literal

from pagespec.choices import BlockChoices
from pagespec.compaction.design import DESIGNS, CompactionDesign
from pagespec.guards import GuardName
from pagespec.migratetype import NUMBERS, UNMOVABLE, MigrateType
from pagespec.pcp.index import ListRule
from pagespec.pcp.sizes import BatchRule
from pagespec.types import DomainError
from pagespec.vmstat.numa import NumaName
from pagespec.watermark.check import RightsRule
from pagespec.watermark.marks import MinFreeRule

MarksRule = Literal["thirds", "quarters", "shift", "scale"]
Visits = Literal["interrupt", "worker"]
StoreOrder = Literal["high-first", "one-first", "batch-first"]
Bulk = Literal["none", "first-of-all", "first-of-call"]
SlabDesign = Literal["slub", "slab"]
SlabCharge = Literal["slabs", "before", "after"]
OrderCheck = Literal["none", "counts", "lists-or-rights", "lists"]
Shortcut = Literal["none", "wraps-cma-only", "wraps", "stops"]
CellsRule = Literal["none", "zones", "nodes"]
CloseReads = Literal["never", "while-reclaiming", "reclaim"]
Tuning = Literal["pair", "batches", "doubling", "doubling-flush", "tuned"]


@dataclass(frozen=True, slots=True)
class Era(BlockChoices):
    """The choices of one release, as far as the allocator's behaviour depends on them.

    `choices` says those about blocks, which come first.

    What follows matters to machines whose CPUs have page lists of their own.
    lists: which lists a CPU has.
    reserve_for_frames: whether an atomic request for a single frame that does not come by a list,
        because an interrupt makes it, may use the reserve first.
    guard: what keeps others off a CPU's lists, as `guards` says: interrupts are off; requests from
        interrupts do not use them; a local lock; or a lock that is tried, with interrupts off
        or on.
    batch: the rule for the batch.
    tuning: how large lists grow: a hot and a cold one, each within fixed bounds; six batches;
        drains that double, and a flush when higher orders are freed; refills that double too.
    cold_at_tail: whether the other end of the one list is for cold frames, freed or asked for.
    drains_from_preferred: whether a drain empties the list that was freed into first and the others
        after it, not all in turns.
    buddy_after_lists: whether a request whose list cannot be refilled asks the buddy once more,
        which may have a reserve for it.
    counts_drain_once: whether a drain counts its frames all at once, not block by block.
    drains_remotely: whether whoever wants all CPUs' lists drained does it for all of them; visits:
        if not, whether each is reached by an interrupt or by a worker.
    looks_before_guard: whether who drains a CPU's lists looks if they hold anything before it has
        their guard. drains_in_parts: whether it releases the guard after every 32 batches.
    bounds_drains: whether a drain asks for no more than there is, whatever the sizes say.
    stores_sizes: in which order the sizes of lists in use are stored: high first; with a batch of
        1 meanwhile; or batch first.
    can_disable: whether the lists can be switched off while memory is taken away.
    drains_each_pageblock: whether the CPUs' lists are drained after each pageblock of a range that
        is isolated, not once at the end.
    counts_operations: whether a block of a CPU's list counts as one frame, whatever its order, in
        what was allocated and freed. counts_unguarded: whether what was allocated, and what was
        freed to the buddy, is counted when the guard or lock has been released, by whatever means
        the machine has to add.

    bulk: whether there are bulk requests, and which first frame must be had for the lists to be all
        that is asked: the array's, or the call's.

    What follows matters to zones with watermarks.
    min_free, marks: the rules for the marks of a zone. rights: what rights lower the minimum by.
    order_check: what is asked beyond the count for larger blocks: nothing; what the smaller orders
        hold; a suitable list, which requests with rights are spared; or a suitable list.
    shortcut: for single frames: none; the difference wraps below 0 and leaves the reserve out; it
        wraps; or it stops at 0.
    reserves_by_highest: whether a zone's reserve is that against the highest zone the request
        allows, not the first that is there.
    boosts: whether a fallback that breaks up a pageblock raises the marks. wakes_unboosted: whether
        it also wakes kswapd where there is nothing to raise, in a zone that is too small.
        spares_urgent: whether a boost holds up no single frames for requests that cannot wait.
    tries_high_first: whether a zone above its high mark serves without a further question.
    drains_on_failure: whether a request that would fail has the CPUs' lists drained first.

    What follows matters to hosts of several zones.
    keeps_low_memory: whether zones keep frames from requests that could have higher ones.
    movable_apart: whether a zone for movable blocks alone has a minimum of its own.
    zonelists_by_zone: whether the order in which zones are tried may be by zone, not by node.

    What follows matters to counters.
    cells: for whose counters each CPU has a cell: nobody's; those of zones; those of nodes as well.
    exchanges_cells: whether a cell can be changed in one exchange, with interrupts on.
    refreshes_unplugged: whether a CPU that is gone tells what it kept by a refresh like any other,
        so that its lists have to rest anew.
    lowers_thresholds: whether CPUs tell more often while kswapd is awake.
    close_reads: who adds up what the CPUs keep, where a zone runs low: nobody; all who ask for its
        marks, while kswapd is awake; or reclaim, always, and requests never.
    early_drift_marks: whether CPUs come up before the marks are there at boot, and find a gap of 0.
    resized_thresholds: whether thresholds follow when memory is plugged in or out.
    numa: how NUMA statistics are kept.

    compaction: how the zone is compacted, which `compaction.design` says; None if it is not.

    What follows matters to slabs, which were read of 5.8 and later.
    slab_designs: which allocators of objects there are.
    keeps_more_partials: whether a CPU keeps four times as many objects on its partial slabs, and
        counts them by the slab. keeps_no_partials: whether one that is to keep none takes no more
        than it needs off the node's list either; if not, and it counts by the slab, it takes one.
    halves_slabs: whether half a slab may be wasted before fewer objects on it must do.
    opens_slow_path: whether interrupts are let in between the parts of a search for objects; if
        not, only while the page allocator is asked.
    splices_chains: whether what a CPU gives up of a slab joins the slab's own chain in one piece;
        if not, object by object, and so the other way round.
    detaches_by_swapping: whether a bulk free moves the objects that it takes to the end of the
        array; if not, it replaces them by nothing.
    undoes_in_bulk: whether a bulk request that fails frees what it had in one go, not one by one.
        undoes_unhooked: whether no hook ever sees those objects then.
    slab_charge: when a group pays for objects: with the slab, since it has caches of its own;
        before, for all that a bulk request asks for, of which those never got are forgotten if it
        fails; or after.
    """

    lists: ListRule = "one"
    reserve_for_frames: bool = False
    guard: GuardName = "irqs-off"
    batch: BatchRule = "256k"
    tuning: Tuning = "pair"
    cold_at_tail: bool = False
    drains_from_preferred: bool = False
    buddy_after_lists: bool = False
    counts_drain_once: bool = False
    drains_remotely: bool = False
    visits: Visits = "interrupt"
    looks_before_guard: bool = False
    drains_in_parts: bool = False
    bounds_drains: bool = False
    stores_sizes: StoreOrder = "high-first"
    can_disable: bool = False
    drains_each_pageblock: bool = False
    counts_operations: bool = False
    counts_unguarded: bool = False
    bulk: Bulk = "none"
    min_free: MinFreeRule = "root"
    marks: MarksRule = "thirds"
    rights: RightsRule = "halves-down"
    order_check: OrderCheck = "none"
    shortcut: Shortcut = "none"
    reserves_by_highest: bool = False
    boosts: bool = False
    wakes_unboosted: bool = False
    spares_urgent: bool = False
    tries_high_first: bool = False
    drains_on_failure: bool = False
    keeps_low_memory: bool = True
    movable_apart: bool = False
    zonelists_by_zone: bool = False
    cells: CellsRule = "none"
    exchanges_cells: bool = False
    refreshes_unplugged: bool = False
    lowers_thresholds: bool = False
    close_reads: CloseReads = "never"
    early_drift_marks: bool = False
    resized_thresholds: bool = False
    numa: NumaName = "longs"
    compaction: CompactionDesign | None = None
    slab_designs: tuple[SlabDesign, ...] = ()
    keeps_more_partials: bool = False
    keeps_no_partials: bool = False
    halves_slabs: bool = False
    opens_slow_path: bool = False
    splices_chains: bool = False
    detaches_by_swapping: bool = False
    undoes_in_bulk: bool = False
    undoes_unhooked: bool = False
    slab_charge: SlabCharge = "slabs"

    def __hash__(self) -> int:
        # Whatever is remembered by machine looks its era up: not by all these choices each time.
        return hash(self.name)

    @property
    def types(self) -> tuple[MigrateType, ...]:
        """The migratetypes that the era has; one alone, and one list per order, without pageblocks.

        >>> [mt.name for mt in ERAS["2.6.37"].types]
        ['UNMOVABLE', 'RECLAIMABLE', 'MOVABLE', 'RESERVE', 'ISOLATE']
        """
        return (UNMOVABLE,) if self.numbering is None else NUMBERS[self.numbering]

    @property
    def isolates_pageblocks(self) -> bool:
        """Whether a range to isolate need only be whole pageblocks, not whole largest blocks."""
        return self.isolation in ("split-ends", "split-large")


_2_6_8 = Era(
    "2.6.8",
    design="bitmap",
    index_base="zone",
    placement="head",
    buddy_after_lists=True,
    keeps_low_memory=False,
)
_2_6_37 = Era(
    "2.6.37",
    min_free="64m",
    marks="shift",
    drains_on_failure=True,
    zonelists_by_zone=True,
    rights="quarter-after",
    order_check="counts",
    numbering="reclaimable-first",
    lists="types",
    batch="512k-rounded",
    tuning="batches",
    cold_at_tail=True,
    drains_each_pageblock=True,
    cells="zones",
    refreshes_unplugged=True,
    close_reads="while-reclaiming",
    counts_drain_once=True,
    numa="items",
    compaction=DESIGNS["2.6.37"],
)
_4_10 = Era(
    "4.10",
    stores_sizes="one-first",
    min_free="64m",
    marks="scale",
    drains_on_failure=True,
    zonelists_by_zone=True,
    rights="quarter-after",
    order_check="lists-or-rights",
    shortcut="wraps-cma-only",
    numbering="movable-first",
    barrier="isolate",
    fallback="steal-largest",
    cma="last",
    isolation="account",
    reserve="at-least-one",
    guards=True,
    lists="types",
    batch="512k-rounded",
    tuning="batches",
    cold_at_tail=True,
    drains_each_pageblock=True,
    cells="nodes",
    exchanges_cells=True,
    lowers_thresholds=True,
    close_reads="reclaim",
    resized_thresholds=True,
    numa="items",
    compaction=DESIGNS["4.10"],
)
_5_8 = replace(
    _4_10,
    name="5.8",
    min_free="256m",
    rights="oom-instead",
    order_check="lists",
    reserves_by_highest=True,
    boosts=True,
    wakes_unboosted=True,
    zonelists_by_zone=False,
    fallback="move-then-retry",
    cma="balanced",
    nofragment=True,
    zone_locked="attempt-but-cma-first",
    cold_at_tail=False,
    visits="worker",
    batch="1m-rounded",
    early_drift_marks=True,
    numa="u16",
    compaction=DESIGNS["5.8"],
    slab_designs=("slub", "slab"),
)
_5_15 = replace(
    _5_8,
    name="5.15",
    shortcut="wraps",
    wakes_unboosted=False,
    spares_urgent=True,
    boot_to_tail=True,
    moved_to_tail=True,
    takes_poisoned=True,
    zone_locked="request",
    lists="orders",
    guard="local-lock",
    bounds_drains=True,
    stores_sizes="batch-first",
    tuning="doubling",
    can_disable=True,
    drains_each_pageblock=False,
    counts_operations=True,
    counts_unguarded=True,
    bulk="first-of-all",
    numa="events",
    opens_slow_path=True,
    splices_chains=True,
    slab_charge="before",
)
_6_1 = replace(
    _5_15,
    name="6.1",
    shortcut="stops",
    barrier="unmergeable",
    isolation="split-ends",
    returns_poisoned=True,
    zone_locked="list",
    lists="huge-alone",
    guard="trylock-irqs-off",
    tuning="doubling-flush",
    drains_from_preferred=True,
    drains_remotely=True,
    looks_before_guard=True,
    buddy_after_lists=True,
    counts_operations=False,
    bulk="first-of-call",
    keeps_more_partials=True,
    detaches_by_swapping=True,
    undoes_in_bulk=True,
)
_6_12 = replace(
    _6_1,
    name="6.12",
    rights="harder-needs-high",
    tries_high_first=True,
    movable_apart=True,
    fallback="claim-or-single",
    isolation="split-large",
    reserve="one-percent",
    retypes_on_merge=True,
    guards=False,
    lists="huge-by-movability",
    guard="trylock",
    looks_before_guard=False,
    drains_in_parts=True,
    tuning="tuned",
    compaction=DESIGNS["6.12"],
    slab_designs=("slub",),
    keeps_no_partials=True,
    halves_slabs=True,
    undoes_unhooked=True,
    slab_charge="after",
)

ERAS: dict[str, Era] = {
    era.name: era
    for era in (
        _2_6_8,
        replace(_2_6_8, name="2004-v1", design="tag", bounds="aligned-order"),
        replace(_2_6_8, name="2004-v2", design="tag", bounds="buddyend"),
        Era(
            "2.6.11",
            index_base="zone",
            placement="head",
            buddy_after_lists=True,
            min_free="64m",
            marks="quarters",
            rights="quarter-after",
            order_check="counts",
        ),
        _2_6_37,
        replace(
            _2_6_37,
            name="2.6.39",
            placement="likely-2.6.39",
            exchanges_cells=True,
            lowers_thresholds=True,
            close_reads="reclaim",
            compaction=DESIGNS["2.6.39"],
        ),
        _4_10,
        replace(
            _4_10, name="4.11-rc", guard="no-interrupt", reserve_for_frames=True, visits="worker"
        ),
        _5_8,
        _5_15,
        _6_1,
        _6_12,
    )
}
"""Every era by name, oldest first."""


def era_named(name: str) -> Era:
    """The era of that name.

    Raises DomainError, which lists the names, for any other.
    """
    if name not in ERAS:
        raise DomainError(f"no era is called {name!r}; expected one of {', '.join(ERAS)}")
    return ERAS[name]
