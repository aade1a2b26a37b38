"""A zone that is compacted, drawn: as any zone, and what compaction knows of it."""

from collections.abc import Iterator

from pagefuzz.drawing import drawn
from pagefuzz.drawing_words import fitted, labelled, pages
from pagespec.compaction.events import Event, Kind
from pagespec.compaction.state import Compaction


def compaction_drawn(compaction: Compaction) -> list[str]:
    """The zone, the held blocks that are on the LRU or say a stray order, and where runs begin.

    >>> from pagespec.compaction.machine import CompactionMachine
    >>> from pagespec.compaction.ops import perform, start
    >>> from pagespec.compaction.verbs import CompactionOp, CompactionVerb
    >>> from pagespec.era import ERAS
    >>> from pagespec.machine import Machine
    >>> zone = start(CompactionMachine(Machine(8, 2, ERAS["6.1"], pageblock=2)))
    >>> outcome = perform(zone, CompactionOp(CompactionVerb.ALLOC))
    >>> print("\\n".join(compaction_drawn(zone)[-2:]))
    on the LRU      page[0]
    runs begin      at 4 downward, at 0 upward, at 0 by who will wait
    """
    return [
        *drawn(compaction.zone),
        *(line for text in _known(compaction) for line in fitted(text)),
    ]


def _known(compaction: Compaction) -> Iterator[str]:
    held = compaction.zone.held
    yield labelled("on the LRU", (pages(pfn, held[pfn].order) for pfn in sorted(compaction.lru)))
    if compaction.strays:
        said = (f"page[{pfn}] says {word}" for pfn, word in sorted(compaction.strays.items()))
        yield labelled("stray", said)
    if not compaction.machine.design.remembers:
        return
    hasty, patient = compaction.cached_migrate
    yield labelled(
        "runs begin",
        [
            f"at {compaction.cached_free} downward",
            f"at {hasty} upward",
            f"at {patient} by who will wait",
        ],
    )
    if compaction.skips:
        yield labelled("passed over", map(str, sorted(compaction.skips)))
    if compaction.flush:
        yield labelled("to be forgotten", ["all of it"])


def runs_told(compaction: Compaction) -> Iterator[str]:
    """What a request did, event by event, and where blocks have gone."""
    moves = iter(compaction.moves)
    for event in compaction.log:
        yield _told(event)
        if event.kind is Kind.MOVED:
            source, target, order = next(moves)
            yield f"    {pages(source, order)} -> {pages(target, order)}"


def _told(event: Event) -> str:
    many = f" and {event.pages - 1} more" if event.pages > 1 else ""
    return f"{event.kind.value}: frame {event.pfn}{many}"
