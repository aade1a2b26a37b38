"""How large the lists of CPUs and the marks of a zone must be when they are set."""

from collections.abc import Callable

from pagespec.era import Era, MarksRule
from pagespec.laws.masks import managed_frames
from pagespec.pcp.sizes import (
    BATCH_RULES,
    high_by_watermark,
    highest,
    hot_and_cold,
    raw_batch,
    six_batches,
)
from pagespec.pcp.state import Load
from pagespec.pcp.tuning import Doubling, Tuned
from pagespec.watermark.marks import MIN_FREE_RULES, Marks, min_free_kbytes
from pagespec.zone import Zone

GAPS: dict[MarksRule, Callable[[int, int], tuple[int, int]]] = {
    "thirds": lambda share, managed: (share, 2 * share),
    "quarters": lambda share, managed: (share * 5 // 4 - share, share * 3 // 2 - share),
    "shift": lambda share, managed: (share // 4, share // 2),
    "scale": lambda share, managed: (
        max(share // 4, managed // 1000),
        2 * max(share // 4, managed // 1000),
    ),
}
"""How far the low and the high mark of a zone lie above its lowest one, by the era's rule: from its
share of min_free_kbytes and its size, in frames."""


def due_marks(era: Era, kbytes: int, pages: int) -> Marks:
    """The marks of a zone of so many frames that is alone, for a given min_free_kbytes."""
    share = kbytes // 4 if pages else 0
    low, high = GAPS[era.marks](share, pages)
    return Marks(share, share + low, share + high)


def resized(zone: Zone, kind: int, old: Load) -> Load:
    """The sizes that lists get when CPUs come or go, or lists are switched off or on.

    What they have learnt stays. Since 5.14 the CPUs of the zone's node share its low mark. A
    machine may say itself how large a batch and `high` are.
    """
    machine = zone.machine
    pages = managed_frames(machine).bit_count()
    raw = machine.batch
    if raw is None:
        raw = raw_batch(pages, *BATCH_RULES[machine.era.batch])
    batch = max(1, raw)
    if machine.era.tuning == "pair":
        return hot_and_cold(batch)[kind]
    if not isinstance(old, Doubling | Tuned):
        six = six_batches(raw)
        return six if machine.high is None else six._replace(high=machine.high)
    cpus = sharing(zone)
    high = machine.high
    if high is None:
        high = high_by_watermark(zone.sized_low, cpus, batch)
    most = max(high, highest(pages, cpus, batch))
    if zone.disabled:
        high, most, batch = 0, 0, 1
    if isinstance(old, Doubling):
        return old._replace(high=high, batch=batch)
    return old._replace(high_min=high, high_max=most, batch=batch)


def sharing(zone: Zone) -> int:
    """How many CPUs share what the zone can spare: those that run on its node, or else all."""
    running = set(range(zone.machine.cpus)) - zone.unplugged
    return len(running - zone.machine.far) or len(running)


def low_mark(zone: Zone) -> int:
    """The low mark as it stands; of a zone without marks the one that it would have by default.

    From it the sizes follow when a CPU comes or goes, and with them whenever they are set again.
    """
    if zone.levels is not None:
        return zone.levels.marks.low + zone.levels.boost
    pages = managed_frames(zone.machine).bit_count()
    kbytes = min_free_kbytes(4 * pages, MIN_FREE_RULES[zone.machine.era.min_free])
    return due_marks(zone.machine.era, kbytes, pages).low
