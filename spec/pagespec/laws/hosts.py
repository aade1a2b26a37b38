"""Laws about hosts of several zones: who serves, what else may change, and what is counted."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from pagespec.host import Host, Numa
from pagespec.laws.cells import at_work
from pagespec.laws.holdings import REFUSALS, UNSERVED, due_refusal
from pagespec.laws.law import Complaint, LawBook
from pagespec.laws.near import (
    FIRST,
    HOST_VERBS,
    LISTED_VERBS,
    class_of,
    due_numbers,
    local_to,
    name_of,
    node_of,
    number_at,
    seen,
)
from pagespec.laws.swept import Swept
from pagespec.laws.tries import passes, passes_at, rights_of, serves_by_list, with_kswapd
from pagespec.laws.wording import wording
from pagespec.migratetype import MOVABLE
from pagespec.types import FAULT, NO_MEMORY, Pfn, Refusal, ZoneClass
from pagespec.verbs import Op, Outcome, Verb
from pagespec.vmstat.kept import copy_of_cells, tell
from pagespec.watermark.check import NO_RIGHTS
from pagespec.zone import COUNTS, STATE, Zone


class HostState(NamedTuple):
    """The zones of a host between two requests, and what each has counted."""

    host: Host
    zones: tuple[Swept, ...]
    numa: tuple[Numa, ...]


class HostStep(NamedTuple):
    """One request to a host between two states."""

    before: HostState
    op: Op
    outcome: Outcome
    after: HostState

    @property
    def host(self) -> Host:
        """The host, which stays the same."""
        return self.before.host


HOST_LAWS: LawBook[HostStep] = LawBook()

LEFT = tuple(name for name in (*STATE, *COUNTS) if name not in ("pcps", "levels"))
"""What a zone that is tried in vain keeps: all but what its lists and marks remember of it.

Its threshold follows kswapd. And the CPU that asks counts what it has refilled its list with, also
if that is nothing: then a cell is told that was left beyond a threshold that fell.
"""

LEFT_BY_DRAINS = ("held", "given", "slots", "poisoned", "offline", "unplugged", "disabled", *COUNTS)
"""What it keeps if CPUs are drained and the reserve is given up on the way to failing."""


@HOST_LAWS.law(
    "NUMA-refuse", source="derived; mm/page_alloc.c, prepare_alloc_pages, 2.6.11 to 6.12"
)
def refused(step: HostStep) -> Complaint:
    """A host refuses what the zone of the frame refuses, and a request for no node or no such zone.

    Memory for movable blocks alone can be emptied only as long as nothing else is there.
    """
    due = due_host_refusal(step.before, step.op)
    got = Refusal(step.outcome) if step.outcome in REFUSALS else None
    if due is got:
        return None
    names = ["served" if each is None else f"refused as {each.name}" for each in (due, got)]
    return f"{wording(step.op)} must be {names[0]}, was {names[1]}"


def due_host_refusal(state: HostState, op: Op) -> Refusal | None:
    """The refusal that a request to a host deserves, if any."""
    number = None if op.verb in HOST_VERBS | LISTED_VERBS else number_at(state.host, op.pfn)
    due = due_refusal(state.zones[FIRST if number is None else number].zone, op)
    if due is not None or op.verb not in LISTED_VERBS:
        return due
    if op.node not in {part.node for part in state.host.parts}:
        return Refusal.BAD_NODE
    alone = op.highest is ZoneClass.MOVABLE and op.verb is not Verb.UNRESERVE
    return Refusal.BAD_TYPE if alone and op.mt is not MOVABLE else None


def _refuses(step: HostStep) -> bool:
    """Whether the request was refused or should have been: NUMA-refuse says which."""
    return step.outcome in REFUSALS or due_host_refusal(step.before, step.op) is not None


def _changed(step: HostStep, number: int, names: Sequence[str] = (*STATE, *COUNTS)) -> str | None:
    """The first of these fields that the request changed in a zone."""
    before, after = step.before.zones[number].zone, step.after.zones[number].zone
    if before is after:
        return None
    if names is LEFT:
        before, after = (_all_told(zone, step.op) for zone in (before, after))
    return next((name for name in names if getattr(before, name) != getattr(after, name)), None)


def _all_told(zone: Zone, op: Op) -> Zone:
    """The zone as if its threshold were 0 to the CPU that asks."""
    cells = copy_of_cells(zone.cells)
    if cells is None:
        return zone
    tell(cells.free, at_work(zone, op))
    return replace(zone, cells=replace(cells, threshold=0))


@HOST_LAWS.law("ZONE-untouched", source="derived; mm/page_alloc.c, 2.6.11 to 6.12")
def untouched(step: HostStep) -> Complaint:
    """A request changes the zone of its frame alone; one without a frame, those that it may try.

    Nothing that is refused changes any. A CPU's lists of other nodes' zones expire, not those of
    its own. Zones share CPUs and marks, and no frame.
    """
    for number in range(len(step.host.parts)):
        name = None if number in _may_change(step) else _changed(step, number)
        if name is not None:
            return f"{wording(step.op)} changed {name} of {name_of(step.host, number)}"
    return None


def _may_change(step: HostStep) -> set[int]:
    host, op = step.host, step.op
    if step.outcome in REFUSALS | {FAULT}:
        return set()
    if op.verb in LISTED_VERBS:
        return set(due_numbers(host, op))
    numbers = range(len(host.parts))
    if op.verb is Verb.EXPIRE:
        near = node_of(host, op.cpu)
        return {number for number in numbers if host.parts[number].node != near}
    return set(numbers) if op.verb in HOST_VERBS else {number_at(host, op.pfn) or FIRST}


class Tried(NamedTuple):
    """Who must serve: the place on the list of the zone that does, its length if none, None if only
    the state after the last try can tell. kept: what any zone that does not serve must keep.
    """

    place: int | None
    kept: Sequence[str]


@HOST_LAWS.law(
    "NUMA-zonelist",
    source="mm/page_alloc.c, get_page_from_freelist and its callers, 2.6.11 to 6.12",
)
def in_order(step: HostStep) -> Complaint:
    """A request is served by the first zone of its list that can at the same try, and by no other.

    Tries go from the low marks to the lowest ones, and each through the whole list. Far memory is
    slow, and low memory is all that some devices can use. A zone behind the one that serves is not
    touched; one that was tried in vain only remembers it.
    """
    op, outcome = step.op, step.outcome
    if op.verb is not Verb.ALLOC or outcome == FAULT or _refuses(step):
        return None
    host, numbers = step.host, due_numbers(step.host, op)
    got = None if outcome == NO_MEMORY else number_at(host, outcome)
    if got is not None and got not in numbers:
        return f"{wording(op)} was served by {name_of(host, got)}, which is not on its list"
    place = len(numbers) if got is None else numbers.index(got)
    tried = _due_try(step, numbers)
    if tried.place is None:
        able = _first_able(step, numbers[:place], step.after, "min")
        if able < place:
            return f"{wording(op)} passed {name_of(host, numbers[able])} by, which could serve it"
    elif tried.place != place:
        names = [
            "no zone" if at == len(numbers) else name_of(host, numbers[at])
            for at in (place, tried.place)
        ]
        return f"{wording(op)} was served by {names[0]}, expected {names[1]}"
    for at, number in enumerate(numbers):
        first = at > place and tried.place is not None and _first_try(step, numbers, tried)
        name = None if at == place else _changed(step, number, STATE if first else tried.kept)
        if name is not None:
            return f"{wording(op)} changed {name} of {name_of(host, number)}, which did not serve"
    return None


def _due_try(step: HostStep, numbers: Sequence[int]) -> Tried:
    last = len(numbers)
    if step.host.min_free is None:
        return Tried(_first_able(step, numbers, step.before, "min"), LEFT)
    for level in ("low", "min"):
        place = _first_able(step, numbers, step.before, level)
        if place < last:
            return Tried(place, LEFT)
    if step.op.emergency:
        return Tried(_first_able(step, numbers, step.before, "none"), LEFT)
    if step.op.atomic or not step.host.era.drains_on_failure or not numbers:
        return Tried(last, LEFT)
    return Tried(None, LEFT_BY_DRAINS)


def _first_try(step: HostStep, numbers: Sequence[int], tried: Tried) -> bool:
    """Whether the zone serves at the first try, so that none behind it was asked at all."""
    if step.host.min_free is None:
        return True
    return _first_able(step, numbers, step.before, "low") == tried.place


def _first_able(step: HostStep, numbers: Sequence[int], state: HostState, level: str) -> int:
    """The place of the first zone that could serve at a try; the list's length if none could."""
    zone_class = class_of(step.host, step.op, numbers)
    for place, number in enumerate(numbers):
        if _can_serve(seen(state.zones[number].zone, zone_class), step.op, level):
            return place
    return len(numbers)


def _can_serve(zone: Zone, op: Op, level: str) -> bool:
    if level in ("low", "none"):
        op = op._replace(atomic=False)
    if level == "none":
        return serves_by_list(zone, op) is not None
    if level == "low":
        return passes_at(zone, op, "low", NO_RIGHTS) and serves_by_list(zone, op) is not None
    if zone.levels is not None:
        zone = with_kswapd(zone, zone.levels)
    return passes_at(zone, op, "min", rights_of(op)) and serves_by_list(zone, op) is not None


@HOST_LAWS.law("BULK-host", source="mm/page_alloc.c, __alloc_pages_bulk, 5.15 to 6.12")
def filled(step: HostStep) -> Complaint:
    """A bulk request fills the empty slots below the count it returns, with frames of one zone.

    More than one frame come from the first zone of the near node that keeps above its low mark with
    all slots filled; a single frame as in an ordinary request. The count is what the caller
    relies on; frames from far zones would be slow, and drain what others need.
    """
    if step.op.verb is not Verb.BULK or step.outcome in UNSERVED or _refuses(step):
        return None
    op, count = step.op, step.outcome
    was, now = slots_of(step.before), slots_of(step.after)
    new = {slot: pfn for slot, pfn in now.items() if slot not in was}
    leading = next(slot for slot in range(op.pages + 1) if slot not in was or slot == op.pages)
    if any(now.get(slot) != pfn for slot, pfn in was.items()):
        return f"{wording(op)} changed slots that were filled before"
    if not leading <= count <= op.pages or any(slot not in now for slot in range(count)):
        return f"{wording(op)} of {op.pages} slots returned {count}, filled are {sorted(now)}"
    if any(slot >= count for slot in new):
        return f"{wording(op)} returned {count} and filled {sorted(new)}"
    numbers = due_numbers(step.host, op)
    served = {number_at(step.host, pfn) for pfn in new.values()}
    if len(served) > 1 or not served <= {*numbers}:
        return f"{wording(op)} took frames {sorted(new.values())}, expected them from one zone"
    number = next(iter(served), None)
    room = _first_with_room(step, numbers)
    if len(new) > 1 and number is not None and number != room:
        return f"{wording(op)} took {len(new)} frames from {name_of(step.host, number)}"
    return None


def slots_of(state: HostState) -> Mapping[int, Pfn]:
    """The array of bulk requests, by slot."""
    return {slot: pfn for swept in state.zones for pfn, slot in swept.zone.slots.items()}


def _first_with_room(step: HostStep, numbers: Sequence[int]) -> int | None:
    """The first zone of the near node that keeps above its low mark with all slots filled."""
    op = step.op._replace(order=0, atomic=False)
    for number in local_to(step.host, numbers):
        zone = seen(step.before.zones[number].zone, class_of(step.host, op, numbers))
        levels = zone.levels
        if levels is None:
            return number
        if passes(zone, op, levels.marks.low + levels.boost + op.pages, NO_RIGHTS):
            return number
    return None


@HOST_LAWS.law("NUMA-count", source="mm/page_alloc.c, zone_statistics, 2.6.11 to 6.12")
def counted(step: HostStep) -> Complaint:
    """Each allocation is counted once by whom it was meant for, and once by who asked.

    A hit of the zone that serves, if it is of the node of the first zone on the list; else its miss
    and that first zone's foreign. Local if the CPU is of that node too, other if not. Frames of a
    bulk request count each, blocks of any order once; nothing does in a kernel for one node.
    """
    due = list(step.before.numa)
    numbers = due_numbers(step.host, step.op) or [FIRST]
    for pfn in _given(step) if step.host.numa else ():
        number = number_at(step.host, pfn)
        if number is not None:
            _count(step.host, due, number, numbers[0], step.op.cpu)
    for number, (got, expected) in enumerate(zip(step.after.numa, due, strict=True)):
        if got != expected:
            where = name_of(step.host, number)
            return f"after {wording(step.op)} {where} counts {got}, expected {expected}"
    return None


def _given(step: HostStep) -> list[Pfn]:
    """The first frames of the blocks that the request gave out."""
    if step.op.verb is Verb.ALLOC:
        return [] if step.outcome in UNSERVED else [step.outcome]
    if step.op.verb is not Verb.BULK:
        return []
    was = slots_of(step.before)
    return [pfn for slot, pfn in slots_of(step.after).items() if slot not in was]


def _count(host: Host, due: list[Numa], number: int, preferred: int, cpu: int) -> None:
    node = host.parts[number].node
    meant = node == host.parts[preferred].node
    near = node_of(host, cpu) == node
    had = due[number]
    due[number] = had._replace(
        hit=had.hit + meant,
        miss=had.miss + (not meant),
        local=had.local + near,
        other=had.other + (not near),
    )
    due[preferred] = due[preferred]._replace(foreign=due[preferred].foreign + (not meant))


class HostTwins(NamedTuple):
    """What the host answered and has counted, and what the spec did and has."""

    request: str
    outcome: Outcome
    due: Outcome
    spec: tuple[Numa, ...]
    view: tuple[Numa, ...]


TWIN_HOST_LAWS: LawBook[HostTwins] = LawBook()


@TWIN_HOST_LAWS.law("TWIN-host", level="exact", source="derived")
def alike(twins: HostTwins) -> Complaint:
    """The host answers what the spec answers, and each of its zones counts the same.

    It catches what no other law names, and with it a fault in the laws themselves.
    """
    if twins.outcome != twins.due:
        return f"{twins.request} gave {twins.outcome}, the spec's {twins.due}"
    for number, (due, got) in enumerate(zip(twins.spec, twins.view, strict=True)):
        if due != got:
            return f"after {twins.request} zone {number} counts {got}, the spec's {due}"
    return None
