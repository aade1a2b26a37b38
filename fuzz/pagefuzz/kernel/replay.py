"""Replaying a trace from snapshot to snapshot, each event by its rule."""

from collections import Counter
from collections.abc import Callable, Iterable

from pagefuzz.kernel import again, compaction, isolation, rules, typed
from pagefuzz.kernel.compare import meet, open_window
from pagefuzz.kernel.isolation import Scan, Taken
from pagefuzz.kernel.percpu import noting
from pagefuzz.kernel.percpu.judging import judge
from pagefuzz.kernel.places import BUDDY, frames_in, is_all
from pagefuzz.kernel.snapshots import Snapshot
from pagefuzz.kernel.state import Replay, hold, log
from pagefuzz.kernel.tracefs import Event, block_in, number_in, range_in

MARKER = "tracing_mark_write"
STEAL = "mm_page_alloc_extfrag"


def replay_all(
    replay: Replay, events: Iterable[Event], snapshots: dict[str, Snapshot]
) -> Counter[str]:
    """Apply all events in file order and return how many there were of each kind."""
    kinds: Counter[str] = Counter()
    typed.begin(replay, snapshots.values())
    for event in events:
        kinds[event.kind] += 1
        noting.settle(replay, event)
        if event.kind != STEAL:
            typed.settle(replay, event)
        if rule := _PAGE_RULES.get(event.kind):
            _apply(replay, event, rule)
        elif event.kind == STEAL:
            _steal(replay, event)
        elif event.kind == noting.BATCHED:
            noting.listed(replay, event)
        elif event.kind == MARKER:
            _mark(replay, event, snapshots)
        elif event.kind.startswith("mm_compaction_"):
            _compact(replay, event)
    again.finish(replay)
    noting.finish(replay)
    typed.finish(replay)
    judge(replay, snapshots)
    return kinds


_Rule = Callable[[Replay, Event, int, int], None]

_PAGE_RULES: dict[str, _Rule] = {
    "mm_page_alloc": rules.allocate,
    "mm_page_free": rules.free,
    "mm_page_alloc_zone_locked": rules.take,
    "mm_page_pcpu_drain": rules.drain,
}


def _apply(replay: Replay, event: Event, rule: _Rule) -> None:
    pfn, order = block_in(event, replay.path)
    compaction.note(replay, event, order)
    if rule is rules.allocate:
        rules.request(replay, event)
    if pfn == 0:  # a request that failed; frame 0 itself is never handed out
        return
    if rules.fits(replay, event, pfn, order):
        typed.before(replay, event, pfn, order)
        captured = event.task in replay.captors and is_all(replay.places, pfn, order, BUDDY)
        rule(replay, event, pfn, order)
        typed.after(replay, event, pfn, order)
        noting.note(replay, event, pfn, order, captured=captured)
    if rule is rules.take:
        replay.split_from[event.cpu] = pfn, order


def _steal(replay: Replay, event: Event) -> None:
    # A claim of a small block was split under the lock and logged there already.
    pfn, order = block_in(event, replay.path)
    logged = replay.era.steals_unlogged and replay.split_from.get(event.cpu) == (pfn, order)
    if not rules.fits(replay, event, pfn, order):
        return
    typed.fell_back(replay, event, pfn, order, logged=logged)
    if replay.era.steals_unlogged and not logged:
        rules.take(replay, event, pfn, order)
        noting.note(replay, event, pfn, order, captured=False)


def _mark(replay: Replay, event: Event, snapshots: dict[str, Snapshot]) -> None:
    match event.payload.split():
        case ["SNAP", name, "begin"] if name in snapshots:
            open_window(replay, event)
        case ["SNAP", name, "end"] if name in snapshots:
            meet(replay, event, snapshots[name])
            noting.met(replay, event, snapshots[name])
            typed.met(replay, event, snapshots[name])


def _compact(replay: Replay, event: Event) -> None:
    def number(key: str) -> int:
        return number_in(event, replay.path, key)

    compaction.hear(replay, event)
    if replay.ledger.step(event.kind, event.task, event.line):
        again.hear(replay, event)
    if event.kind in isolation.EVENTS:
        _isolate(replay, event, number("nr_taken"))
    elif event.kind == isolation.BEGIN:
        scan = Scan(event.line, number("migrate_pfn"), number("free_pfn"), number("zone_end"))
        replay.ledger.begin(event.task, scan)
    elif event.kind == isolation.WANTED:
        replay.ledger.want(event.task, number("nr_taken"), replay.top)
    elif event.kind == isolation.END:
        replay.ledger.finish(event.task, number("free_pfn"), event.line)
        replay.captors.add(event.task)


def _isolate(replay: Replay, event: Event, taken: int) -> None:
    first, end = range_in(event, replay.path)
    end = min(end, len(replay.places)) if replay.zones else end
    free = [*frames_in(replay.places, first, end, BUDDY)] if replay.started and taken else []
    if len(free) != taken:
        replay.ledger.take(Taken(event.line, first, end, taken), event.task)
        return
    # All free frames of the range were taken, so it is known which.
    typed.isolated(replay, event, first, end)
    replay.ledger.take(Taken(event.line, first, end, 0), event.task)
    for frame in free:
        hold(replay, frame, isolation.LOGGED_CAUSE)
        log(replay, event.line, frame, 0, entered=False)
