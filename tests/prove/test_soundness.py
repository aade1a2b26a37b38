"""What checks of a zone's count let pass, in every state of small machines."""

from collections.abc import Callable
from functools import cache

import pytest

from pagefuzz.prove.ledger import read
from pagefuzz.prove.soundness.cases import SOUND_CASES, SoundCase
from pagefuzz.prove.soundness.domains import EXCHANGED, SOUND_DOMAINS, SoundDomain
from pagefuzz.prove.soundness.survey import Promise, Question, Survey
from pagespec.laws.law import LawBroken
from pagespec.vmstat import counters as counters_room
from pagespec.vmstat import reads, retune
from pagespec.vmstat.counters import boot_counters
from pagespec.vmstat.ops import perform
from pagespec.vmstat.threshold import drift_mark, pressure_threshold
from pagespec.vmstat.verbs import CounterOp, CounterVerb
from pagespec.watermark.marks import Marks

LONGER = ("the mark stands", "an exchange is under way", "an update is under way")
QUICK = [
    domain
    for domain in SOUND_DOMAINS
    if domain.case not in LONGER or domain.cpus * domain.promise.kept < 4
]


@cache
def survey_of(domain: SoundDomain) -> Survey:
    """The domain's survey."""
    return domain.survey()


@pytest.mark.parametrize("domain", QUICK, ids=str)
def test_checks_pass_what_is_promised_and_no_less(domain: SoundDomain) -> None:
    """In every state, and some state is as low as that; the larger domains are run by `prove`."""
    found = survey_of(domain)
    short = [
        [found.short[Question(reclaim, level, 0)] for level in ("min", "low", "high")]
        for reclaim in (True, False)
    ]

    if domain.case == "the mark stands" and domain.era != "2.6.37":
        # Reclaim takes a zone at its high mark for one above it. With low at high it would as well.
        marks = boot_counters(domain.machine()).marks[0]
        assert short[0] == [int(mark == marks.high) for mark in marks]
    if domain.case in ("no mark is due", "the mark stands"):
        kept = domain.cpus * domain.promise.kept
        marks = boot_counters(domain.machine()).marks[0]
        assert short[1] == [min(kept, mark + 1) for mark in marks]


@pytest.mark.parametrize(
    ("case", "by_reclaim", "for_requests"),
    [
        ("min_free has risen", (4, 4, 4), (4, 4, 4)),
        ("a CPU is gone", (1, 2, 3), (5, 6, 7)),
        ("kswapd raises the threshold", (4, 4, 4), (4, 4, 4)),
        ("a mark is left from boot", (4, 4, 4), (4, 4, 4)),
        ("kswapd is awake", (0, 0, 0), (5, 5, 5)),
        ("kswapd has no room", (0, 0, 0), (3, 3, 3)),
        ("an exchange is under way", (5, 5, 6), (5, 6, 7)),
        ("an update is under way", (5, 5, 5), (5, 5, 5)),
    ],
)
def test_each_case_falls_as_short_as_it_can(
    case: str, by_reclaim: tuple[int, ...], for_requests: tuple[int, ...]
) -> None:
    """By how many frames, at worst, a zone is too low that passes min, low and high."""
    found = [survey_of(domain).short for domain in QUICK if domain.case == case]

    for reclaim, expected in ((True, by_reclaim), (False, for_requests)):
        worst = [
            max(short[Question(reclaim, level, 0)] for short in found)
            for level in ("min", "low", "high")
        ]
        assert worst == [*expected]


ROWS = {row.what: row.finding for row in read()}
QUICK_CASES = [case for case in SOUND_CASES if ROWS[str(case)].seconds < 0.7]


@pytest.mark.parametrize("case", QUICK_CASES, ids=str)
def test_quick_cases_come_out_as_committed(case: SoundCase) -> None:
    """With all counts of their row; the larger ones are run by `prove`."""
    assert tuple(case.counts().items()) == ROWS[str(case)].counts


UNDER_WAY = [d for d in SOUND_DOMAINS if d.most_updates and d.cpus * d.promise.kept < 4]


@pytest.mark.parametrize("field", ["kept", "unseen", "misread"])
@pytest.mark.parametrize("domain", UNDER_WAY, ids=str)
def test_no_promise_is_too_careful(domain: SoundDomain, field: str) -> None:
    """With one frame more that may be missing, or many, no state is as low as that."""
    for more in (1, 50):
        careful = domain.promise._replace(**{field: getattr(domain.promise, field) + more})
        with pytest.raises(LawBroken, match="no state has as few frames as promised"):
            domain._replace(promise=careful).survey()


def test_a_mark_from_boot_is_there_and_lets_kswapd_raise_the_threshold() -> None:
    """It is what 2 CPUs keep of 1 frame each; low is 5 frames above min, so 2 each with kswapd."""
    [domain] = [d for d in SOUND_DOMAINS if d.case == "a mark is left from boot"]
    counters = boot_counters(domain.machine())
    assert (counters.drift_marks, counters.thresholds) == ([2], [1])
    perform(counters, CounterOp(CounterVerb.WAKE))

    assert counters.thresholds == [2]
    assert boot_counters(domain._replace(era="4.10").machine()).drift_marks == [0]


SLIPS: list[tuple[str, object, str, Callable[..., object]]] = [
    ("the mark stands", counters_room, "drift_mark", lambda *of: max(0, drift_mark(*of) - 1)),
    ("the mark stands", counters_room, "drift_mark", lambda *of: drift_mark(*of) + 1),
    ("the mark stands", reads, "kept", lambda counters, place: counters.cells[0][place]),
    ("kswapd is awake", retune, "pressure_threshold", lambda *of: pressure_threshold(*of) + 1),
]


@pytest.mark.parametrize(("case", "room", "name", "slip"), SLIPS)
def test_a_slip_shows(
    monkeypatch: pytest.MonkeyPatch,
    case: str,
    room: object,
    name: str,
    slip: Callable[..., object],
) -> None:
    """A mark too low lets too much pass, one too high less than is promised."""
    domain = next(d for d in SOUND_DOMAINS if d.case == case and d.cpus == 2)
    monkeypatch.setattr(room, name, slip)

    with pytest.raises(LawBroken, match="VM-sound"):
        domain.survey()


def test_a_mark_is_due_where_drift_is_one_frame_more_than_low_less_min(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With drift 6 and a gap of 5, who passes low is at min; a mark that is not set shows that."""
    domain = SoundDomain("", "2.6.39", 3, 2, 80, 48, EXCHANGED, Promise(2, above_min=True))
    assert boot_counters(domain.machine()).drift_marks == [36]

    def only_beyond(cpus: int, threshold: int, marks: Marks) -> int:
        drift = cpus * threshold
        return marks.high + drift if drift > marks.low - marks.min + 1 else 0

    monkeypatch.setattr(counters_room, "drift_mark", only_beyond)
    with pytest.raises(LawBroken, match="passes low for order 0 with 20 frames free"):
        domain.survey()
