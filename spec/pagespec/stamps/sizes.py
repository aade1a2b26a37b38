"""How large each CPU's lists are when they are set up, and when CPUs come and go."""

from pagespec.machine import Machine
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
from pagespec.watermark.marks import (
    MIN_FREE_RULES,
    Marks,
    marks_by_scale,
    marks_by_shift,
    marks_of_quarters,
    marks_of_thirds,
    min_free_kbytes,
    share_of,
)


def marks_for(machine: Machine, kbytes: int) -> Marks:
    """The marks of a zone that is alone, for a given min_free_kbytes."""
    pages = machine.managed_pages
    share = share_of(kbytes, pages, pages)
    match machine.era.marks:
        case "thirds":
            return marks_of_thirds(share)
        case "quarters":
            return marks_of_quarters(share)
        case "shift":
            return marks_by_shift(share, share)
        case "scale":
            return marks_by_scale(share, pages)


def sizes_for(machine: Machine, running: int, boost: int) -> tuple[Load, ...]:
    """The sizes of one CPU's lists while so many run: of the only set, or of the hot and the cold.

    What the machine says for itself stands in for what would follow from the zone.
    """
    era, pages = machine.era, machine.managed_pages
    raw = raw_batch(pages, *BATCH_RULES[era.batch]) if machine.batch is None else machine.batch
    batch = max(1, raw)
    if era.tuning == "pair":
        return hot_and_cold(batch)
    if era.tuning == "batches":
        fixed = six_batches(raw)
        return (fixed if machine.high is None else fixed._replace(high=machine.high),)
    high = machine.high
    if high is None:
        kbytes = machine.min_free
        if kbytes is None:
            kbytes = min_free_kbytes(4 * pages, MIN_FREE_RULES[era.min_free])
        high = high_by_watermark(marks_for(machine, kbytes).low + boost, running, batch)
    if era.tuning == "tuned":
        return (Tuned(high, max(high, highest(pages, running, batch)), batch),)
    return (Doubling(high, batch),)


def resized(load: Load, size: Load) -> Load:
    """The load with its sizes set anew; what it has learnt stays."""
    if isinstance(load, Tuned) and isinstance(size, Tuned):
        return load._replace(high_min=size.high_min, high_max=size.high_max, batch=size.batch)
    if isinstance(load, Doubling) and isinstance(size, Doubling):
        return load._replace(high=size.high, batch=size.batch)
    return size


def nothing_kept(load: Load) -> Load:
    """The load while the lists are disabled: what a free adds it drains at once."""
    match load:
        case Doubling():
            return load._replace(high=0, batch=1)
        case Tuned():
            return load._replace(high_min=0, high_max=0, batch=1)
    return load
