"""The law about what changes hands when an allocation is served."""

from pagespec.frames import SIZES
from pagespec.laws.fallback import NOTHING, Effect, effects_of, listed_in, run_to_move
from pagespec.laws.law import Complaint, LawBook, Transition
from pagespec.laws.reserve import reserved_by
from pagespec.laws.serving import by_buddy, source_of
from pagespec.laws.swept import Changes, Listed, changes
from pagespec.laws.types import has_pageblocks
from pagespec.laws.wording import wording
from pagespec.migratetype import HIGHATOMIC, MigrateType
from pagespec.types import Block

CLAIM_LAWS: LawBook[Transition] = LawBook()


@CLAIM_LAWS.law(
    "MT-claim",
    eras=has_pageblocks,
    source="mm/page_alloc.c, steal_suitable_fallback and move_freepages_block, 2.6.37 to 6.12",
)
def changed_hands(step: Transition) -> Complaint:
    """Lists and types change with an allocation as its fallback says, and not otherwise.

    A pageblock is claimed only if half of it or more is free or alike; blocks of other pageblocks
    stay where they are. In 6.12 a block that is used without a claim leaves the rest to its own
    lists, earlier to the request's. What else would change is memory that lost its neighbours.
    """
    zone, plain = step.before.zone, by_buddy(step)
    taken = None if plain is None else source_of(plain)
    if zone.machine.pageblock is None or plain is None or taken is None:
        return None
    got = changes(step.before, step.after)
    expected = [_expected(plain, effect, taken) for effect in effects_of(plain, taken)]
    if not expected or any(due == (got, step.after.zone.pageblocks) for due in expected):
        return None
    lists, types = expected[0]
    for number, mt in enumerate(types):
        if step.after.zone.pageblocks[number] is not mt:
            return f"{wording(step.op)} left pageblock {number} another type than {mt.name}"
    wrong = min((got.gone ^ lists.gone) | (got.come ^ lists.come))
    return f"{wording(step.op)}: {wrong.block} on the list of {wrong.mt.name} is out of place"


def _expected(step: Transition, effect: Effect, taken: Listed) -> tuple[Changes, list[MigrateType]]:
    """How lists and pageblocks' types must differ afterwards."""
    zone, op = step.before.zone, step.op
    pfn, guard = taken.block.pfn, zone.machine.guard
    halves = (Block(pfn + SIZES[half], half) for half in range(op.order, taken.block.order))
    gone = effect.moved | {taken}
    come = {Listed(half, effect.rest) for half in halves if half.order >= guard}
    come |= {Listed(block, op.mt) for block, _ in effect.moved - {taken}}
    types = zone.pageblocks.copy()
    for number in effect.typed:
        types[number] = op.mt
    if step.after.zone.nr_reserved > zone.nr_reserved:
        before = step.before.listed
        after = (before - gone) | come
        got = Block(step.outcome, op.order)
        for number in reserved_by(zone, got):
            types[number] = HIGHATOMIC
        run = run_to_move(zone, got.pfn)
        along = NOTHING if run is None else listed_in(after, run)
        after = (after - along) | {Listed(block, HIGHATOMIC) for block, _ in along}
        return Changes(before - after, after - before), types
    return Changes(gone - come, frozenset(come - gone)), types
