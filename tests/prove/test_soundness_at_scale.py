"""What checks of a zone's count let pass on many CPUs: searched, at the extremes, and in traces."""

from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pagefuzz.prove.soundness import lemmas
from pagefuzz.prove.soundness.bound import least_passed
from pagefuzz.prove.soundness.breach import Fall, by_refills, fall
from pagefuzz.prove.soundness.space import (
    Action,
    Kind,
    Space,
    refill,
    single,
    takes,
    visit,
    way_to,
)
from pagefuzz.prove.soundness.witness import WITNESSES, all_keep_back, machine_of
from pagespec.era import ERAS
from pagespec.vmstat.counters import Counters, boot_counters
from pagespec.vmstat.machine import CountedZone, CounterMachine
from pagespec.vmstat.ops import perform
from pagespec.vmstat.trace import CounterTrace, counter_text_of
from pagespec.vmstat.trace_reader import parse_counters
from pagespec.vmstat.verbs import CounterOp, CounterVerb, Level
from pagespec.watermark.marks import Marks

GIB = 2**18
BATCH = 31
TRACES = Path(__file__).parent / "traces" / "soundness"
REFRESH, WAKE, REST = CounterVerb.REFRESH, CounterVerb.WAKE, CounterVerb.REST
UNPLUG, PLUG = CounterVerb.UNPLUG, CounterVerb.PLUG
MIN_FREE, RESIZE = CounterVerb.MIN_FREE, CounterVerb.RESIZE
LEVELS: tuple[Level, ...] = ("min", "low", "high")


class Book:
    """Counters beside what requests alone say of them.

    truth: the free frames. most: per CPU, the largest threshold since all that it kept was told.
    """

    def __init__(self, machine: CounterMachine) -> None:
        self.counters = boot_counters(machine)
        self.truth = machine.zones[0].pages
        self.most = [self.counters.thresholds[0] for _ in machine.cpus]

    def ask(self, ops: Iterable[CounterOp]) -> None:
        """Put requests, and note them."""
        for op in ops:
            assert perform(self.counters, op) >= 0
            self.truth += op.by
            now = self.counters.thresholds[0]
            if op.verb in (REFRESH, UNPLUG) or abs(op.by) > 250:
                self.most[op.cpu] = now
            self.most = [max(most, now) for most in self.most]

    def passes(self, level: Level, order: int, *, reclaim: bool) -> bool:
        """A check's answer."""
        check = CounterOp(CounterVerb.CHECK, level=level, order=order, reclaim=reclaim)
        return perform(self.counters, check) == 1

    @property
    def kept(self) -> int:
        """The most that the CPUs that run can keep."""
        return sum(self.most[cpu] for cpu in self.counters.running)


# --- by search ---------------------------------------------------------------------------------

machines = st.builds(
    machine_of,
    st.sampled_from(["2.6.39", "4.10", "6.1"]),
    st.integers(2, 128),
    st.sampled_from([16 * 256, GIB // 4, GIB, 16 * GIB, 62 * GIB]),
)
PLAIN = [REFRESH, WAKE, REST, CounterVerb.MOD]
SIZES = {MIN_FREE: st.integers(0, 2**18), RESIZE: st.integers(2**14, 2**24)}


def some_requests(data: st.DataObject, book: Book, verbs: list[CounterVerb]) -> None:
    """A few requests, then what every CPU may keep, at a count near a mark."""
    counters = book.counters
    for _ in range(data.draw(st.integers(0, 6))):
        verb, cpu = (
            data.draw(st.sampled_from(verbs)),
            data.draw(st.sampled_from([*counters.running])),
        )
        if verb is UNPLUG and len(counters.running) == 1:
            continue
        if verb is PLUG:
            cpu = next((c for c in range(len(counters.cells)) if c not in counters.running), -1)
            if cpu < 0:
                continue
        pages = data.draw(SIZES[verb]) if verb in SIZES else 0
        by = data.draw(st.sampled_from([-125, -31, -1, 1, 64])) if verb is CounterVerb.MOD else 0
        book.ask([CounterOp(verb, cpu, by=by, pages=pages)])
    marks = counters.marks[0]
    near = data.draw(st.sampled_from([*marks, *counters.drift_marks])) + data.draw(
        st.integers(-2, 2)
    )
    keeping = counters.thresholds[0]
    first = min(counters.running)
    book.ask(
        [CounterOp(CounterVerb.MOD, first, by=near - counters.told[0] - counters.cells[first][0])]
    )
    idle = data.draw(st.sets(st.sampled_from([*counters.running]), max_size=2))
    for cpu in counters.running - idle:
        book.ask([CounterOp(CounterVerb.MOD, cpu, by=-keeping - counters.cells[cpu][0])])


@given(machines, st.data())
def test_with_its_mark_a_zone_that_passes_is_not_too_low(
    machine: CounterMachine, data: st.DataObject
) -> None:
    """Nor is it below min where none is due, since who passes low is above.

    A mark that is left from boot changes nothing about that, though kswapd raises thresholds there.
    """
    book = Book(machine)
    marks = book.counters.marks[0]
    is_due = sum(book.most) > marks.low - marks.min
    some_requests(data, book, PLAIN)
    assume(book.truth >= 0)
    counters = book.counters

    if not is_due:
        for reclaim in (False, True):
            assert not book.passes("low", 0, reclaim=reclaim) or book.truth > marks.min
        return
    for level, order in product(LEVELS[:2], range(11)):
        mark = getattr(marks, level)
        if 2**order <= marks.high - mark and book.passes(level, order, reclaim=True):
            assert book.truth - (2**order - 1) > mark
    if counters.told[0] >= counters.drift_marks[0]:
        assert book.truth >= marks.high


@given(machines, st.data())
def test_whatever_happens_to_marks_and_thresholds_what_passes_is_as_promised(
    machine: CounterMachine, data: st.DataObject
) -> None:
    """With min_free_kbytes and memory changed, and CPUs that come and go."""
    book = Book(machine)
    some_requests(data, book, [*PLAIN, UNPLUG, PLUG, MIN_FREE, RESIZE])
    assume(book.truth >= 0)
    counters = book.counters

    for level, order, reclaim in product(LEVELS, (0, 3, 9), (False, True)):
        if book.passes(level, order, reclaim=reclaim):
            least = getattr(counters.marks[0], level) + 2**order
            looks = counters.drift_marks[0] if reclaim else 0
            assert book.truth >= least_passed(least, looks, kept=book.kept)


# --- at the extremes of 112 CPUs ---------------------------------------------------------------

STANDING = [("2.6.39", (62 * GIB,), 26_093), ("4.10", (31 * GIB, 31 * GIB), 34_283)]


@pytest.mark.parametrize(("era", "zones", "mark"), STANDING)
def test_at_the_drift_mark_112_cpus_leave_the_zone_at_high(
    era: str, zones: tuple[int, ...], mark: int
) -> None:
    """One frame less, and reclaim looks closely; the mark is for 125 frames a CPU."""
    machine = machine_of(era, 112, *zones)
    for shown, passes in ((mark, True), (mark - 1, False)):
        book = Book(machine)
        book.ask(all_keep_back(book.counters, shown))
        marks = book.counters.marks[0]

        assert book.counters.drift_marks[0] == mark == marks.high + 14_000
        assert book.truth == shown - 14_000
        assert book.passes("high", 0, reclaim=True) is passes
        assert book.passes("low", 0, reclaim=True)
        assert book.passes("high", 0, reclaim=False)


def test_the_mark_is_lost_at_53_gib() -> None:
    """Where a thousandth of the zone is as much as 112 CPUs keep: then low is as far above min."""
    due = [
        boot_counters(machine_of("4.10", 112, pages)).drift_marks[0] > 0
        for pages in (14_000_000 - 1, 14_000_000)
    ]

    assert due == [True, False]


def test_kswapd_lets_112_cpus_keep_no_more_than_low_less_min() -> None:
    """17 frames each of 2015; but not in a zone of 16 MiB, where it would be less than one each."""
    large, small = machine_of("2.6.39", 112, 62 * GIB), machine_of("2.6.39", 112, 4096)
    for machine, threshold, above_min in ((large, 17, True), (small, 1, False)):
        book = Book(machine)
        book.ask([CounterOp(WAKE)])
        marks = book.counters.marks[0]
        assert book.counters.thresholds == [threshold]
        book.ask(all_keep_back(book.counters, marks.low + 1))

        assert book.passes("low", 0, reclaim=False)
        assert (book.truth > marks.min) is above_min


def test_what_112_cpus_kept_before_kswapd_woke_stays() -> None:
    """Until each of them changes the counter, or its worker has come by."""
    book = Book(machine_of("2.6.39", 112, 62 * GIB))
    marks = book.counters.marks[0]
    book.ask(all_keep_back(book.counters, marks.low + 4_000))
    book.ask([CounterOp(WAKE)])

    assert book.passes("low", 0, reclaim=False)
    assert book.truth == marks.low - 10_000 < marks.min
    book.ask(CounterOp(REFRESH, cpu) for cpu in range(112))
    assert not book.passes("low", 0, reclaim=False)


# --- the lemmas are as sharp as can be -----------------------------------------------------------


def test_each_lemma_needs_all_that_it_asks_for() -> None:
    """With one frame less of mark, or more of drift or of a block, there is a counterexample."""
    marks = Marks(2, 3, 5)

    assert lemmas.a_count_at_the_mark_is_high_in_truth(7, -2, 2, marks)
    assert not lemmas.a_count_at_the_mark_is_high_in_truth(7, -3, 2, marks)
    # Not even a mark that stands keeps a zone above high.
    assert lemmas.passes(7, -2, 7, marks.high, 0)
    # Of a block of 4 frames, 3 beside its first, low is not far enough below high.
    assert lemmas.passes(7, -2, 7, marks.low, 2)
    assert not lemmas.passes(5, 0, 7, marks.low, 2)
    assert lemmas.where_no_mark_is_due_low_keeps_above_min(4, -1, 1, marks)
    assert not lemmas.where_no_mark_is_due_low_keeps_above_min(4, -2, 2, marks)


# --- falls -------------------------------------------------------------------------------------


def shortest_ways(space: Space) -> dict[int, int]:
    """How many actions it takes at least to get so many free frames, or fewer."""
    shortest: dict[int, int] = {}
    for at in visit(space):
        for end in range(at.truth, 15):
            shortest.setdefault(end, len(way_to(at)))
    return shortest


def refills(level: Level, batch: int) -> Kind:
    """Requests for one frame that find their CPU's list empty and fill it by a batch."""

    def kind(counters: Counters, cpu: int) -> Iterator[Action]:
        yield refill(cpu, level, batch)

    return kind


def fewest_refills(frames: int, batch: int) -> int:
    """No fewer refills take so many frames: none takes more than a batch."""
    return -(-frames // batch)


@pytest.mark.parametrize("batch", [1, 2, 3])
@pytest.mark.parametrize("level", ["min", "low"])
def test_no_fall_of_a_small_zone_is_shorter(level: Level, batch: int) -> None:
    """By refills in any order, and refreshes; nor, if it ends, by blocks of up to their size."""
    ended = 0
    for cpus, normal in product((1, 2, 3), (1, 2)):
        zone = CountedZone(0, 15)
        machine = CounterMachine(ERAS["2.6.39"], (0,) * cpus, (zone,), 32, normal=normal)
        kinds = refills(level, batch), single(REFRESH)
        alike = shortest_ways(Space(machine, (), kinds))
        blocks = takes(level, *range(batch.bit_length()))
        mixed = shortest_ways(Space(machine, (), (*kinds, blocks)))
        for end in range(15 % batch, 15):
            fallen = fall(Fall(machine, 15, end, level, batch))
            fewest = fewest_refills(15 - end, batch)
            ended += fallen.ended
            if fallen.ended:
                assert alike[end] == mixed[end] == len(fallen.requests) == fewest
            else:
                assert alike.get(end, 99) > fewest

    assert ended > 20


@pytest.mark.parametrize(
    ("era", "zones", "level", "above_high", "end", "requests", "cpus"),
    [
        ("2.6.39", (62 * GIB,), "low", 0, "min", 131, 33),
        ("2.6.39", (62 * GIB,), "low", 1, "empty", 391, 98),
        ("2.6.37", (62 * GIB,), "low", 1, "empty", 391, 98),
        ("4.10", (31 * GIB, 31 * GIB), "low", 0, "min", 525, 112),
        ("4.10", (62 * GIB,), "min", 0, "min", 1049, 112),
        ("4.10", (62 * GIB,), "min", 0, "empty", 1309, 112),
    ],
)
def test_112_cpus_fall_through_min(
    era: str,
    zones: tuple[int, ...],
    level: Level,
    above_high: int,
    end: str,
    requests: int,
    cpus: int,
) -> None:
    """Replayed request by request, each passes; and no way is shorter with refills of 31."""
    machine = machine_of(era, 112, *zones)
    marks = boot_counters(machine).marks[0]
    least = 0 if end == "empty" else marks.min - 1
    way = by_refills(machine, marks.high + above_high, least, level)
    fallen = fall(way)
    truth, counters = zones[0], boot_counters(machine)
    if level == "min":
        # Who asks for min has woken kswapd, which lowers no threshold where there is no mark.
        perform(counters, CounterOp(WAKE))
    for op in fallen.ops:
        answer = perform(counters, op)
        assert answer == (op.verb is CounterVerb.CHECK)
        truth += op.by

    assert (way.batch, fallen.ended) == (BATCH, True)
    assert len(fallen.requests) == fewest_refills(way.start - way.end, BATCH)
    assert truth <= least
    assert len(fallen.requests) == requests
    assert len({request[1].cpu for request in fallen.requests}) == cpus
    assert shown_of(counters) > (marks.high - 1 if cpus < 112 else marks[LEVELS.index(level)])


def shown_of(counters: Counters) -> int:
    """What the count of the first zone shows."""
    return perform(counters, CounterOp(CounterVerb.READ))


def test_a_zone_without_a_mark_holds_against_requests_for_low() -> None:
    """62 GiB since 4.10: low is so far above min that the last that passes is above it."""
    machine = machine_of("4.10", 112, 62 * GIB)
    marks = boot_counters(machine).marks[0]
    fallen = fall(by_refills(machine, marks.high, marks.min - 1, "low"))

    assert not fallen.ended
    assert fallen.shown <= marks.low
    assert fallen.truth > marks.min
    assert least_passed(marks.low + 1, 0, kept=14_000) - BATCH > marks.min


# --- stored ------------------------------------------------------------------------------------


def replayed(trace: CounterTrace) -> Counters:
    """The counters at the end. Every answer must be the one that is written."""
    counters = boot_counters(trace.machine)
    for op, answer in trace.requests:
        outcome = perform(counters, op)
        assert outcome >= 0
        assert answer in (None, outcome)
    return counters


@pytest.mark.parametrize("name", WITNESSES)
def test_the_stored_trace_is_what_is_found(name: str) -> None:
    """And it replays."""
    text = (TRACES / f"{name}.trace").read_text()

    assert text == counter_text_of(WITNESSES[name]())
    replayed(parse_counters(text))


@pytest.mark.parametrize(
    ("name", "shown", "free", "below", "for_requests", "by_reclaim"),
    [
        ("two-cpus", 6, 3, "min", 1, 0),
        ("through-min", 12_093, 8_032, "min", 1, 0),
        ("empty-above-high", 12_094, 0, "min", 1, 0),
        ("a-cpu-is-gone", 5_328, 918, "min", 1, 1),
        ("min-free-raised", 40_961, 26_961, "min", 1, 1),
        ("kswapd-raises", 6_145, 5_145, "high", 1, 1),
    ],
)
def test_where_stored_traces_end(
    name: str, shown: int, free: int, below: Level, for_requests: int, by_reclaim: int
) -> None:
    """With a count that passes, and fewer frames than the mark, by the sum of what was asked."""
    trace = parse_counters((TRACES / f"{name}.trace").read_text())
    counters = replayed(trace)
    ops = [op for op, _ in trace.requests]
    asked = sum(op.by for op in ops) - sum(op.verb is CounterVerb.TAKE for op in ops)

    assert trace.machine.zones[0].pages + asked == free < getattr(counters.marks[0], below)
    assert [answer for _, answer in trace.requests[-4:]] == [shown, free, for_requests, by_reclaim]


def test_stored_traces_are_all_there() -> None:
    """None is left over."""
    assert {path.stem for path in TRACES.iterdir()} == {*WITNESSES}
