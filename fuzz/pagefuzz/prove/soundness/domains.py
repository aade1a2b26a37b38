"""The small machines whose every state is visited: with marks that stand, that do not, and none.

Each case says what goes wrong there, or that nothing does.
"""

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from pagefuzz.prove.soundness.space import Kind, Space, changes, landings, min_free, single
from pagefuzz.prove.soundness.survey import Promise, Survey, survey
from pagespec.era import ERAS
from pagespec.vmstat.counters import boot_counters
from pagespec.vmstat.drift import told_at_once
from pagespec.vmstat.machine import CountedZone, CounterMachine
from pagespec.vmstat.verbs import CounterOp, CounterVerb

REFRESH, WAKE, REST = CounterVerb.REFRESH, CounterVerb.WAKE, CounterVerb.REST
UNPLUG, PLUG = CounterVerb.UNPLUG, CounterVerb.PLUG


class SoundDomain(NamedTuple):
    """One small zone, what may happen there, and what is promised of it.

    normal: the threshold, None for the one that follows from the CPUs.
    """

    case: str
    era: str
    cpus: int
    normal: int | None
    min_free: int
    pages: int
    kinds: tuple[Kind, ...]
    promise: Promise
    start: tuple[CounterOp, ...] = ()
    most_updates: int = 0

    def machine(self) -> CounterMachine:
        """The machine of the zone."""
        zone = CountedZone(0, self.pages)
        era = ERAS[self.era]
        return CounterMachine(era, (0,) * self.cpus, (zone,), self.min_free, normal=self.normal)

    def survey(self) -> Survey:
        """What checks let pass in all states. Raises LawBroken as `survey` does."""
        return survey(
            Space(self.machine(), self.start, self.kinds, self.most_updates), self.promise
        )

    def __str__(self) -> str:
        said = "by the formula" if self.normal is None else self.normal
        return (
            f"{self.case}: era {self.era} cpus {self.cpus} threshold {said} "
            f"min_free {self.min_free} pages {self.pages}"
        )


MIXED = (changes(-2, -1, 1, 2), single(REFRESH))
EXCHANGED = (*MIXED, changes(-1, 1, irqs_on=True))
RECLAIMED = (*EXCHANGED, single(WAKE, REST))
AWAKE = (CounterOp(WAKE),)


def standing() -> Iterator[SoundDomain]:
    """All machines of few CPUs, with small thresholds and marks, where a drift mark is due.

    Where one is due, the design is the same in all eras since 2.6.39; so 3 CPUs in one of them.
    """
    for era, most, least in (("2.6.37", 2, 8), ("2.6.39", 2, 8), ("4.10", 3, 24)):
        for cpus, normal, kbytes in product(range(1, most + 1), (1, 2, 3), (least, 16, 32)):
            pages = kbytes // 4 * 3 // 2 + 2 * cpus * normal + 6
            promise = Promise(normal, sound=True)
            domain = SoundDomain(
                "the mark stands", era, cpus, normal, kbytes, pages, RECLAIMED, promise
            )
            if boot_counters(domain.machine()).drift_marks[0]:
                yield domain


def under_way() -> Iterator[SoundDomain]:
    """One update at a time that has left its cell and is yet to tell the zone."""
    by_exchange = (*EXCHANGED, changes(-2, -1, irqs_on=True, left_open=True), landings)
    plain = (*MIXED, changes(-2, -1, 1, 2, left_open=True), landings)
    for cpus, normal in ((1, 2), (1, 3), (2, 1), (2, 2)):
        most = max(told_at_once(normal, 1), told_at_once(normal, 2))
        promise = Promise(normal, unseen=most, misread=most)
        pages = 6 + 2 * cpus * normal + 2 * most + 6
        yield SoundDomain(
            "an exchange is under way",
            "2.6.39",
            cpus,
            normal,
            16,
            pages,
            by_exchange,
            promise,
            most_updates=1,
        )
        # It shows in full beside its cell, once it has told the zone. The marks are higher, since
        # before an increment there can't be fewer frames than none.
        promise = Promise(normal, unseen=2, misread=told_at_once(normal, 1))
        yield SoundDomain(
            "an update is under way",
            "2.6.37",
            cpus,
            normal,
            28,
            pages + 4,
            plain,
            promise,
            AWAKE,
            most_updates=1,
        )


RAISED = (*EXCHANGED, min_free(8, 32))
RAISED_FAR = (*RECLAIMED, min_free(16, 64))
PLUGGED = (*EXCHANGED, single(UNPLUG, PLUG))

SOUND_DOMAINS = (
    *standing(),
    *under_way(),
    # The mark is older than the marks that it was made from.
    SoundDomain("min_free has risen", "2.6.39", 1, 3, 8, 26, RAISED, Promise(3)),
    SoundDomain("min_free has risen", "2.6.39", 2, 2, 8, 26, RAISED, Promise(2)),
    # With the CPU its mark goes, but not what the other keeps.
    SoundDomain("a CPU is gone", "2.6.39", 2, None, 16, 30, PLUGGED, Promise(4)),
    # The threshold for a kswapd that is awake is 4 or 2, the normal one 2 or 1.
    SoundDomain("kswapd raises the threshold", "2.6.39", 1, None, 16, 38, RAISED_FAR, Promise(4)),
    SoundDomain("kswapd raises the threshold", "2.6.39", 2, 1, 16, 38, RAISED_FAR, Promise(2)),
    # Low is at least as far above min as all that CPUs keep.
    *(
        SoundDomain(
            "no mark is due", era, cpus, normal, 80, 46, RECLAIMED, Promise(normal, above_min=True)
        )
        for era, cpus, normal in (
            ("2.6.37", 2, 2),
            *(("2.6.39", cpus, normal) for cpus, normal in ((1, 1), (1, 3), (2, 2), (3, 1))),
            ("4.10", 2, 2),
        )
    ),
    # None is due either, but there is one as high as all that CPUs keep, which is below every mark.
    # While kswapd is awake they keep 2 frames each, not 1.
    SoundDomain(
        "a mark is left from boot", "5.15", 2, 1, 80, 46, RECLAIMED, Promise(2, above_min=True)
    ),
    # From when kswapd wakes to when it sleeps, with cells that were empty.
    SoundDomain(
        "kswapd is awake", "2.6.39", 1, 6, 80, 50, EXCHANGED, Promise(5, above_min=True), AWAKE
    ),
    SoundDomain(
        "kswapd is awake", "2.6.39", 2, 3, 80, 50, EXCHANGED, Promise(2, above_min=True), AWAKE
    ),
    SoundDomain(
        "kswapd is awake", "2.6.39", 3, 2, 80, 50, EXCHANGED, Promise(1, above_min=True), AWAKE
    ),
    # The same where low and min are apart by less than a frame for each CPU.
    SoundDomain("kswapd has no room", "2.6.39", 2, 2, 16, 24, EXCHANGED, Promise(1), AWAKE),
    SoundDomain("kswapd has no room", "2.6.39", 3, 2, 16, 24, EXCHANGED, Promise(1), AWAKE),
)
