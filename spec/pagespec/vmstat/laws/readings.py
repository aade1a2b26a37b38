"""Laws about readers: what they see, and what they may conclude from it."""

from pagespec.laws.law import Complaint, LawBook
from pagespec.vmstat.counters import Counters
from pagespec.vmstat.laws.book import CounterBook
from pagespec.vmstat.laws.changes import number_of
from pagespec.vmstat.laws.step import CounterStep
from pagespec.vmstat.laws.wording import named, wording
from pagespec.vmstat.machine import NUMA_ITEMS, Item, Place
from pagespec.vmstat.verbs import ALL, CounterVerb

READING_LAWS: LawBook[CounterStep] = LawBook()

CHECKING = frozenset({CounterVerb.CHECK, CounterVerb.TAKE})


def kept(counters: Counters, number: int) -> int:
    """What the CPUs that run keep of a place."""
    return sum(cells[number] for cpu, cells in enumerate(counters.cells) if cpu in counters.running)


def due_reading(step: CounterStep) -> int:
    """What a reader must be answered."""
    counters, op, truth = step.before, step.op, step.book.truth
    numa = counters.machine.numa_name if op.item in NUMA_ITEMS else None
    if op.where == ALL:
        numbers = [number for number, place in enumerate(counters.places) if place.item is op.item]
        folding = sum(kept(counters, number) for number in numbers) if numa == "events" else 0
        if numa == "longs":
            return sum(truth[number] for number in numbers)
        return max(0, counters.totals[op.item] + folding)
    number = number_of(counters, op)
    if numa in ("longs", "u16", "s16-draft", "events"):
        return truth[number]
    close = op.close and numa is None
    return max(0, counters.told[number] + (kept(counters, number) if close else 0))


@READING_LAWS.law(
    "VM-read",
    source="include/linux/vmstat.h, zone_page_state and zone_page_state_snapshot, 2.6.18 to 6.12",
)
def read(step: CounterStep) -> Complaint:
    """A cheap reader sees what is told, a close one also what CPUs that run keep, never below 0.

    NUMA statistics of a zone or node are seen as they are in every design but that of 2.6.18, where
    only what is told is seen; those of the whole machine lag there, in that of 4.14 and in the
    draft of 2017. What a reader sees is all that decides.
    """
    if step.op.verb is not CounterVerb.READ or not step.legal:
        return None
    due = due_reading(step)
    if step.outcome == due:
        return None
    return f"{wording(step.op)} answered {step.outcome}, expected {due}"


def free_of(counters: Counters, zone: int) -> int:
    """The number of a zone's count of free frames."""
    return counters.places.index(Place(Item.FREE, zone))


def level_of(step: CounterStep) -> int:
    """The mark that a check is about."""
    marks = step.before.marks[step.op.where]
    return {"min": marks.min, "low": marks.low, "high": marks.high}[step.op.level]


def looks_closely(step: CounterStep) -> bool:
    """Whether a check adds up what CPUs keep."""
    counters, op = step.before, step.op
    cheap = max(0, counters.told[free_of(counters, op.where)])
    node = counters.machine.zones[op.where].node
    asks = {
        "never": False,
        "while-reclaiming": node in counters.reclaiming,
        "reclaim": op.reclaim and op.verb is CounterVerb.CHECK,
    }
    return asks[counters.machine.era.close_reads] and cheap < counters.drift_marks[op.where]


def truth_before(step: CounterStep) -> int:
    """The zone's free frames in truth, before a block is taken."""
    taken = 2**step.op.order if step.op.verb is CounterVerb.TAKE and step.outcome else 0
    return step.book.truth[free_of(step.before, step.op.where)] + taken


@READING_LAWS.law(
    "VM-sound",
    eras=lambda era: era.close_reads != "never",
    source="mm/vmstat.c, refresh_zone_stat_thresholds (percpu_drift_mark), 2.6.37 to 6.12",
)
def sound(step: CounterStep) -> Complaint:
    """Who looks closely passes only what is above its mark in truth; who need not, not below high.

    The former as long as no update of the count is under way. The latter where the drift mark is
    met and stands: marks and thresholds are those that it was made for, and no CPU keeps more from
    before. A zone that is told to have exactly its drift mark may have exactly its high mark. Else
    reclaim would rest while the last frames go.
    """
    wrong = _too_few(step.after, step.book)
    if wrong is not None:
        return f"after {wording(step.op)} {wrong}"
    counters, op = step.before, step.op
    if op.verb not in CHECKING or not step.legal or step.outcome != 1:
        return None
    number = free_of(counters, op.where)
    if not looks_closely(step) or any(update.place == number for update in counters.updates):
        return None
    truth = truth_before(step)
    if truth - 2**op.order + 1 > level_of(step):
        return None
    return f"{wording(op)} passed {level_of(step)} with {truth} free frames in truth"


def _too_few(counters: Counters, book: CounterBook) -> str | None:
    """A zone above a drift mark that stands, and below its high mark in truth."""
    for zone, marks in enumerate(book.settings.marks):
        number, made_for = free_of(counters, zone), book.settings.standing[zone]
        mark, told = counters.drift_marks[zone], counters.told[number]
        if made_for is None or told < mark or mark == 0:
            continue
        if max(book.largest[cpu][number] for cpu in range(len(book.largest))) > made_for:
            continue
        if any(update.place == number for update in counters.updates):
            continue
        if book.truth[number] < marks.high:
            return (
                f"{named(counters.places[number])} is told {told}, above its drift mark {mark}, "
                f"and is {book.truth[number]}, below its high mark {marks.high}"
            )
    return None


@READING_LAWS.law(
    "VM-check",
    source="mm/page_alloc.c, zone_watermark_ok_safe; include/linux/mmzone.h, zone_nr_free_pages",
)
def checked(step: CounterStep) -> Complaint:
    """A check passes if what it sees is above the mark without the block, all but its first frame.

    Below the drift mark it sees what CPUs keep as well: whoever asks while kswapd is awake, as of
    2.6.37; reclaim alone, and always, since 2.6.39. A request takes a block only if there is one.
    """
    if step.op.verb not in CHECKING or not step.legal:
        return None
    counters, op = step.before, step.op
    number = free_of(counters, op.where)
    free = counters.told[number] + (kept(counters, number) if looks_closely(step) else 0)
    due = max(0, free) - 2**op.order + 1 > level_of(step)
    if op.verb is CounterVerb.TAKE:
        due = due and truth_before(step) >= 2**op.order
    if step.outcome == due:
        return None
    return f"{wording(op)} answered {step.outcome}, seen are {max(0, free)} free frames"
