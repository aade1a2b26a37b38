"""Text that is no trace of counters gets one sentence, with the line to blame."""

import pytest
from tests.spec.counter_text import HEAD, TEXT

from pagespec.host_trace import parse_any, parse_host
from pagespec.trace import TraceError
from pagespec.trace_reader import parse
from pagespec.vmstat.trace_reader import parse_counters

BAD = [
    # What all zones share.
    ("era=6.1 ", "era=9.9 ", 3, "no era is called '9.9'"),
    ("era=6.1 ", "", 3, "expected `counters cpus=... era=...`, with min_free=..., normal=..., "),
    (" cpus=0,0,1", "", 3, "expected `counters cpus=... era=...`, with"),
    ("numa=u16", "design=u16", 3, "if need be, got 'design=u16'"),
    ("numa=u16", "numa=u8", 3, "numa=u8: expected one of longs, items, u16, s16-draft, events"),
    ("numa=u16", "numa=u16 numa=u16", 3, "expected each key once, got 'numa' again"),
    ("numa=u16", "numa=items", 3, "numa_threshold=3: only the designs u16 and s16-draft have one"),
    ("cpus=0,0,1", "cpus=0,,1", 3, "expected a whole number before and after each comma"),
    ("cpus=0,0,1", "cpus=0,64", 3, "CPU 1 is of node 64; expected 0 to 63"),
    ("cpus=0,0,1", f"cpus=0{',0' * 1024}", 3, "1025 CPUs: counters are kept by 1 to 1024"),
    ("min_free=64", "min_free=4294967296", 3, "min_free=4294967296: expected KiB from 0 to 4294"),
    ("min_free=64", "min_free=-1", 3, "min_free=-1: expected a whole number"),
    ("normal=2", "normal=126", 3, "normal=126: a cell of 8 bits allows 0 to 125"),
    ("pressure=5", "pressure=1e2", 3, "pressure=1e2: expected a whole number"),
    ("numa_threshold=3", "numa_threshold=65534", 3, "numa_threshold=65534: expected 0 to 65533"),
    ("era=6.1", "era=2.6.11", 3, "normal=2: era 2.6.11 counts without cells"),
    ("era=6.1 cpus", "era=6.1  cpus", 3, "expected one blank between words, got 'counters era"),
    ("counters era", "counters  era", 3, "expected one blank between words, got 'counters  era"),
    ("era=6.1 cpus", "era=6.1\tcpus", 3, "expected one blank between words, got 'counters era"),
    # Zones.
    ("zone node=1 p", "zone node=1  p", 5, "expected one blank between words, got 'zone node=1  "),
    ("zone node=1 pages=40000", "zone node=1", 5, "expected `zone node=... pages=...`, got 'zone"),
    ("zone node=0 pages=500", "zone class=DMA node=0 pages=500", 4, "got 'class=DMA'"),
    ("pages=40000", "pages=0", 5, "zone 1 has 0 frames; expected 1 to 16777216"),
    ("pages=500", "pages=16777217", 4, "zone 0 has 16777217 frames; expected 1 to 16777216"),
    ("zone node=1", "zone node=64", 5, "zone 1 is of node 64; expected 0 to 63"),
    ("zone node=1", "zone node=0 pages=1\n" * 256 + "zone node=1", 260, "257 zones: expected 1 to"),
    # Requests.
    ("land number=0", "zone node=1 pages=9", 9, "expected a request: the CPUs and zones are said"),
    ("land number=0", "counters era=6.1", 9, "said once, before all requests; got 'counters era=6"),
    ("land number=0", "a = alloc order=1", 9, "expected a request such as `mod free zone=0 by=1`"),
    ("land number=0", "land  number=0", 9, "expected one blank between words"),
    ("land number=0", "land", 9, "expected `land number=0` or the like, got 'land', which lacks n"),
    ("land number=0", "land number=", 9, "expected KEY=VALUE, got 'number='"),
    ("land number=0", "land number=0 number=0", 9, "expected each key once, got 'number' again"),
    ("land number=0", "land number=0 cpu=1", 9, "expected number=N behind `land`, got 'cpu=1'"),
    ("land number=0", "land number=0 # the first", 9, "expected a comment on a line of its own"),
    ("land number=0", "land number=1000000000000000", 9, "in at most 15 digits"),
    ("mod free", "mod", 6, "expected one of free, cma, isolated behind `mod`, got 'zone=0'"),
    ("mod free", "mod pages", 6, "expected one of free, cma, isolated behind `mod`, got 'pages'"),
    ("read hit", "read pages", 18, "hit, miss, foreign, interleave, local, other behind `read`"),
    ("mod free zone=0 cpu=1 by=-31 irqs_on=1 open=1", "mod", 6, "behind `mod`, got nothing"),
    ("by=-31", "by=--31", 6, "by=--31: expected a whole number, as in 31 or -31"),
    ("by=-31", "by=+31", 6, "by=+31: expected a whole number, as in 31 or -31"),
    ("by=-31", "by=-1000000000000000", 6, "expected at most 999999999999999, in at most 15 digits"),
    (" by=-31", "", 6, "which lacks by=N"),
    ("irqs_on=1", "irqs_on=2", 6, "irqs_on=2: expected one of 0, 1"),
    ("irqs_on=1", "times=1", 6, "irqs_on=1, open=1 behind `mod free`, got 'times=1'"),
    ("zone=0 cpu=1", "node=0 cpu=1", 6, "expected one of zone=N, cpu=N, by=N, irqs_on=1, open=1"),
    (
        "isolated node=0",
        "isolated zone=0",
        7,
        "expected one of node=N, cpu=N, times=N, irqs_on=1, ",
    ),
    ("isolated node=0", "isolated", 7, "which lacks node=N"),
    ("isolated node=0", "isolated node=-1", 7, "node=-1: expected a whole number"),
    ("cma zone=1", "cma all=1", 8, "behind `dec cma`, got 'all=1'"),
    ("wake node=0", "wake zone=0", 13, "expected node=N behind `wake`, got 'zone=0'"),
    ("wake node=0", "wake free", 13, "expected node=N behind `wake`, got 'free'"),
    ("wake node=0", "wake", 13, "expected `wake node=0` or the like, got 'wake', which lacks node"),
    ("kbytes=128", "pages=128", 15, "expected kbytes=N behind `minfree`, got 'pages=128'"),
    ("read hit all=1", "read hit", 18, "got 'read hit', which lacks zone=N or all=1"),
    ("read hit all=1", "read hit node=0", 18, "expected one of zone=N, all=1, close=1 behind `rea"),
    ("read hit all=1", "read hit all=0", 18, "all=0: expected 1"),
    ("read hit all=1", "read hit zone=0 all=1", 18, "expected one of zone=N and all=1, got 'read"),
    ("level=low", "level=promo", 19, "level=promo: expected one of min, low, high"),
    (" level=low", "", 19, "which lacks level=NAME"),
    (" level=min order=3", "", 20, "which lacks level=NAME, order=N"),
    ("preferred=1 ", "", 21, "got 'count zone=0 cpu=2 times=4 interleave=1', which lacks preferr"),
    ("numaoff", "numaoff node=0", 22, "expected nothing behind `numaoff`, got 'node=0'"),
    # Answers, and the law at the end.
    ("-> done", "-> count 1", 7, "expected `done` or `refused REASON` as the answer to inc, got "),
    ("-> count 3", "-> count", 10, "expected `count N` or `refused REASON` as the answer to refre"),
    ("-> count 3", "-> count -3", 10, "got 'count -3'"),
    ("-> count 3", f"-> count {10**20}", 10, f"got 'count {10**20}'"),
    ("-> refused BAD_CPU", "-> refused CPU", 11, "expected one of BAD_ORDER, OUTSIDE, "),
    ("-> yes", "-> done", 19, "expected `yes`, `no` or `refused REASON` as the answer to check, g"),
    ("-> no", "->", 20, "or `refused REASON` as the answer to take, got ''"),
    (
        "VM-conserve",
        "VM-conserves",
        24,
        "the name of a law after `expect`, got 'VM-conserves'",
    ),
    ("expect VM", "expect  VM", 24, "expected one blank between words, got 'expect  VM-conserve"),
    (
        "VM-conserve",
        "BUD-maximal",
        24,
        "expected a law about counters after `expect`, got BUD-maximal, which is about zones and h",
    ),
    ("VM-conserve", "NUMA-sum", 24, "got NUMA-sum, which is about hosts"),
    ("VM-conserve", "VM-conserve\nland number=0", 25, "expected nothing after `expect`, got 'land"),
]


@pytest.mark.parametrize(("text", "other", "line", "sentence"), BAD, ids=range(len(BAD)))
def test_bad_text_gets_one_sentence(text: str, other: str, line: int, sentence: str) -> None:
    """With the line to blame, what was expected, and what stood there."""
    assert text in TEXT

    with pytest.raises(TraceError) as caught:
        parse_any(TEXT.replace(text, other, 1))

    assert caught.value.line == line
    assert sentence in caught.value.sentence
    assert len(caught.value.sentence) < 330
    assert "\n" not in caught.value.sentence


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        (HEAD, 2, "expected `zone node=N pages=N` behind the counters, got 'the end of the file'"),
        (
            HEAD + "numaoff\n",
            3,
            "expected `zone node=N pages=N` behind the counters, got 'numaoff'",
        ),
        ("pagefuzz-trace 1\ncounters\n", 2, "expected `counters cpus=... era=...`, with"),
        ("pagefuzz-trace 1\ncounter era=6.1\n", 2, "or `counters era=NAME cpus=N,N` and a line"),
        ("pagefuzz-trace 2\ncounters era=6.1\n", 1, "expected 'pagefuzz-trace 1', got 'pagefuzz"),
    ],
)
def test_what_is_missing_is_told_at_its_line(text: str, line: int, sentence: str) -> None:
    """No zone, nothing said of the counters, no kind of trace, another version."""
    with pytest.raises(TraceError) as caught:
        parse_any(text)

    assert caught.value.line == line
    assert sentence in caught.value.sentence


def test_no_reader_takes_another_kind() -> None:
    """Each wants its own line behind the comments."""
    with pytest.raises(TraceError, match="line 3: expected `machine pages=N"):
        parse(TEXT)
    with pytest.raises(TraceError, match="line 3: expected `host era="):
        parse_host(TEXT)
    with pytest.raises(TraceError, match="line 2: expected `counters cpus="):
        parse_counters("pagefuzz-trace 1\nmachine pages=16 top=3 era=6.1\n")
