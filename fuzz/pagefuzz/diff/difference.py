"""What two sides show differently after the same request, in one sentence and in one word."""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from pagefuzz.diff.seen import Seen
from pagefuzz.diff.state import State
from pagespec.events import Event, Kind
from pagespec.laws.holdings import REFUSALS
from pagespec.migratetype import LETTER_OF, MigrateType
from pagespec.trace import answer_text
from pagespec.types import FAULT, NO_MEMORY, Block
from pagespec.verbs import Outcome, Verb
from pagespec.zone import COUNTS

Aspect: TypeAlias = Literal[
    "refusal",
    "success",
    "chosen block",
    "pageblock type",
    "free blocks",
    "list type",
    "place of a frame",
    "place in a list",
    "CPU's list",
    "watermark",
    "CPU's count",
    "count",
    "tracepoints",
]
"""What differs; of several the first counts."""

IGNORABLE: tuple[Aspect, ...] = (
    "pageblock type",
    "free blocks",
    "list type",
    "place in a list",
    "CPU's list",
    "watermark",
    "CPU's count",
    "count",
    "tracepoints",
)
"""What may differ and yet be looked past: the two still hold the same blocks by the same names."""

TRACEPOINTS = (Kind.ALLOC, Kind.FREE, Kind.ZONE_LOCKED, Kind.EXTFRAG, Kind.PCPU_DRAIN)
"""The events that a kernel prints."""


class Difference(NamedTuple):
    """What differs. here, there: how it is on the first side and on the second."""

    aspect: Aspect
    what: str
    here: str
    there: str


def difference_of(
    verb: Verb, seen: tuple[Seen, Seen], ignored: frozenset[Aspect] = frozenset()
) -> Difference | None:
    """The first aspect in which the two differ, or None."""
    one, other = seen
    if one == other:
        return None
    return next((found for found in _all(verb, one, other) if found.aspect not in ignored), None)


def _all(verb: Verb, one: Seen, other: Seen) -> Iterator[Difference]:
    if one.outcome != other.outcome:
        answers = [_answer(verb, outcome) for outcome in (one.outcome, other.outcome)]
        yield Difference(_answers(one.outcome, other.outcome), "the answer", *answers)
    if one.shows and other.shows:
        if one.state != other.state:
            yield from _states(one.state, other.state)
        for what, here, there in zip(COUNTS, one.counted, other.counted, strict=False):
            if here != there:
                yield Difference("count", what, f"{here} more", f"{there} more")
        if one.prints and other.prints and one.log != other.log:
            logs = [", ".join(printed(seen.log)) or "nothing" for seen in (one, other)]
            if logs[0] != logs[1]:
                yield Difference("tracepoints", "what is logged", *logs)


def _answer(verb: Verb, outcome: Outcome) -> str:
    return "missing" if outcome == FAULT else answer_text(verb, outcome)


def _answers(one: Outcome, other: Outcome) -> Aspect:
    if one in REFUSALS or other in REFUSALS:
        return "refusal"
    unserved = {NO_MEMORY, FAULT} & {one, other}
    return "success" if unserved else "chosen block"


def _states(one: State, other: State) -> Iterator[Difference]:
    """One difference an aspect, where there is any."""
    for number, pair in enumerate(zip(one.pageblocks, other.pageblocks, strict=False)):
        if pair[0] is not pair[1]:
            names = pair[0].name, pair[1].name
            yield Difference("pageblock type", f"the type of pageblock {number}", *names)
            break
    if one.lists != other.lists:
        yield from _lists(one, other)
    yield from _listed(one, other)
    for name in ("boost", "below_high", "reclaiming"):
        here, there = getattr(one.sizes, name), getattr(other.sizes, name)
        if here != there:
            yield Difference("watermark", name, str(here), str(there))
    if one.told is not None and other.told is not None:
        for name in one.told._fields:
            here, there = getattr(one.told, name), getattr(other.told, name)
            if here != there:
                yield Difference("CPU's count", WHAT_IS_TOLD[name], str(here), str(there))
    for name in ("held", "guards", "poisoned", "offline", "slots"):
        here, there = getattr(one, name), getattr(other, name)
        if here != there:
            yield Difference("place of a frame", f"what is {name}", str(here), str(there))
    for name in ("nr_free", "free_pages", "free_cma", "free_highatomic", "nr_reserved"):
        here, there = getattr(one, name), getattr(other, name)
        if here != there and None not in (here, there):
            yield Difference("count", name, str(here), str(there))


WHAT_IS_TOLD = {
    "free": "what was told of free frames",
    "free_kept": "what CPUs keep of free frames",
    "cma": "what was told of free CMA frames",
    "cma_kept": "what CPUs keep of free CMA frames",
    "rest": "how long the CPUs' lists may rest",
    "threshold": "the threshold",
    "drift_mark": "the drift mark",
}
"""The fields of `Told` in words."""


def _lists(one: State, other: State) -> Iterator[Difference]:
    types = _types(one), _types(other)
    if types[0].keys() != types[1].keys():
        alone = [
            ", ".join(map(str, sorted(here.keys() - there.keys()))) or "nothing"
            for here, there in (types, types[::-1])
        ]
        yield Difference("free blocks", "what it alone has free", *alone)
    for block, mt in types[0].items():
        if types[1].get(block, mt) is not mt:
            letters = LETTER_OF[mt], LETTER_OF[types[1][block]]
            yield Difference("list type", f"the type of the list of {block}", *letters)
            break
    lists = dict(one.lists), dict(other.lists)
    for key in lists[0]:
        heads = [" ".join(map(str, each.get(key, ()))) for each in lists]
        if heads[0] != heads[1]:
            what = f"the list of order {key.order} {LETTER_OF[key.mt]}"
            yield Difference("place in a list", what, *heads)
            break


def _listed(one: State, other: State) -> Iterator[Difference]:
    """The first list of a CPU that the two have differently, and then by which type."""
    lists = dict(one.listed), dict(other.listed)
    for at in sorted(lists[0].keys() | lists[1].keys()):
        heads = [" ".join(str(pfn) for pfn, _ in each.get(at, ())) for each in lists]
        types = ["".join(LETTER_OF[mt] for _, mt in each.get(at, ())) for each in lists]
        what = f"the list {at.name} of CPU {at.cpu}"
        if heads[0] != heads[1]:
            yield Difference("CPU's list", what, *(each or "empty" for each in heads))
        elif types[0] != types[1]:
            yield Difference("list type", f"what {what} returns to", *types)
        else:
            continue
        return


def _types(state: State) -> dict[Block, MigrateType]:
    """The type of the list that each free block is on."""
    return {Block(pfn, order): mt for (order, mt), blocks in state.lists for pfn in blocks}


def printed(log: Sequence[Event]) -> list[str]:
    """The tracepoints of a log in order, much as a kernel prints them, with types by letter."""
    return [_printed(event) for event in log if event.kind in TRACEPOINTS]


def _printed(event: Event) -> str:
    text = f"{event.kind.value} pfn={event.pfn} order={event.order}"
    if event.kind is Kind.FREE:
        return text
    text += f" type={LETTER_OF[event.mt]}"
    if event.kind is Kind.EXTFRAG:
        text += (
            f" from order={event.from_order} type={LETTER_OF[event.from_mt]}"
            f" change_ownership={event.owned:d}"
        )
    return text
