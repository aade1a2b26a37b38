"""The trace of a host is text: it reads back as it was written, and anything else says why not."""

from random import Random

import pytest

from pagefuzz.hosts.draw import random_host
from pagefuzz.hosts.lockstep import HostLockstep
from pagefuzz.hosts.record import HostRecorder
from pagefuzz.hosts.target import SpecHost
from pagefuzz.hosts.walk import walk
from pagespec.host_trace import HostTrace, any_text_of, host_text_of, parse_any, parse_host
from pagespec.trace import TraceError
from pagespec.trace_reader import parse
from pagespec.types import ZoneClass

TEXT = """pagefuzz-trace 1
# seed 1
host era=6.1 top=3 pageblock=2 cpus=0,1 min_free=48 ratios=4,5,6
zone class=DMA32 node=0 pages=16
zone class=NORMAL node=0 pages=16 start=16 holes=20+2 types=M3U guard=1 batch=2 high=8
zone class=NORMAL node=1 pages=17 start=40
a = alloc order=1 cpu=1 node=1 -> pfn 40
b = alloc order=0 mt=M highest=DMA32 onlynode=1
bulk pages=3 highest=MOVABLE node=7 -> refused BAD_NODE
free a
disable pfn=16
unreserve mt=M force=1 node=1
expect NUMA-zonelist
"""


def test_it_reads_back_as_it_was_written() -> None:
    """Word for word, but for the order of words."""
    trace = parse_host(TEXT)

    assert parse_host(host_text_of(trace)) == trace
    assert host_text_of(parse_host(host_text_of(trace))) == host_text_of(trace)
    assert trace.host.cpus == (0, 1)
    assert trace.host.ratios == (4, 5, 6)
    assert [part.machine.far for part in trace.host.parts] == [{1}, {1}, {0}]
    assert trace.requests[1].highest is ZoneClass.DMA32
    assert trace.requests[1].only_node
    assert trace.requests[4].operand == (None, 16)


@pytest.mark.parametrize("seed", range(30))
def test_any_run_reads_back(seed: int) -> None:
    """Every host and every request that a walk draws."""
    rng = Random(f"text {seed}")
    lockstep = HostLockstep(random_host(rng), SpecHost)
    walk(lockstep, rng, 60)
    recorder = HostRecorder(lockstep.host)
    filled = lockstep.filled
    requests = tuple(
        recorder.request_of(*each, filled.get(at, {})) for at, each in enumerate(lockstep.done)
    )
    trace = HostTrace(lockstep.host, requests, None, ("seed",))

    assert parse_host(host_text_of(trace)) == trace


def test_the_two_kinds_are_told_apart() -> None:
    """By the line behind the comments; neither reader takes the other's."""
    plain = "pagefuzz-trace 1\nmachine pages=16 top=3 era=6.1\nalloc order=1"

    assert parse_any(TEXT) == parse_host(TEXT)
    assert parse_any(plain) == parse(plain)
    assert any_text_of(parse_any(TEXT)) == host_text_of(parse_host(TEXT))
    assert parse_any(any_text_of(parse_any(plain))) == parse(plain)
    with pytest.raises(TraceError, match="line 3: expected `machine pages=N"):
        parse(TEXT)
    with pytest.raises(TraceError, match="line 2: expected `host era="):
        parse_host(plain)


BAD = [
    ("host era=6.1 top=3", "host era=9.9 top=3", 3, "no era is called '9.9'"),
    ("host era=6.1 top=3", "host era=6.1 top=30", 3, "top=30: the top order is 0 to 15"),
    ("host era=6.1 top=3", "host era=6.1", 3, "expected `host era=... top=...`"),
    ("cpus=0,1", "cores=2", 3, "if need be, got 'cores=2'"),
    ("start=40", "size=40", 6, "if need be, got 'size=40'"),
    ("cpus=0,1", "cpus=0,x", 3, "cpus=x: expected a whole number"),
    ("cpus=0,1", "cpus=0,,1", 3, "cpus=0,,1: expected a whole number before and after each comma"),
    ("cpus=0,1", "cpus=0,64", 3, "CPU 1 is of node 64; expected 0 to 63"),
    ("cpus=0,1", f"cpus=0{',0' * 1024}", 3, "cpus=1025: page lists are kept by 0 to 1024 CPUs"),
    ("pageblock=2", "pageblock=9", 3, "pageblock=9: a pageblock of era 6.1 has order 1 to the top"),
    ("ratios=4,5,6", "ratios=4,5", 3, "ratios=4,5: expected 3 numbers"),
    ("ratios=4,5,6", "byzone=2", 3, "byzone=2: expected one of 0, 1"),
    ("ratios=4,5,6", "byzone=1", 3, "era 6.1 tries zones by node only; expected no byzone=1"),
    ("ratios=4,5,6", "numa=0", 3, "2 nodes without NUMA; expected one"),
    ("class=DMA32", "class=HIGHMEM", 4, "class=HIGHMEM: expected one of DMA, DMA32, NORMAL, MOV"),
    ("start=16 ", "start=8 ", 5, "zone at frame 8: expected 16 or more"),
    ("start=40", "start=24", 6, "zone at frame 24: expected 32 or more"),
    ("holes=20+2", "holes=99+2", 5, "hole 99..101: holes are not empty"),
    ("types=M3U", "types=Q", 5, "types=Q: expected letters"),
    (" node=0 pages=16 start", " pages=16 start", 5, "expected `zone class=... node=... pages=..."),
    (
        "class=DMA32 node=0",
        "class=DMA32 node=64",
        4,
        "zone at frame 0 is of node 64; expected 0 to",
    ),
    ("NORMAL node=1", "NORMAL node=64", 6, "zone at frame 40 is of node 64; expected 0 to 63"),
    ("NORMAL node=1", "NORMAL node=0", 6, "node 0 has two zones NORMAL; expected one"),
    ("highest=DMA32", "highest=LOW", 8, "highest=LOW: expected one of DMA, DMA32, NORMAL, MOVABLE"),
    ("onlynode=1", "onlynode=2", 8, "onlynode=2: expected one of 0, 1"),
    ("node=7", "node=-7", 9, "node=-7: expected a whole number"),
    ("free a", "free a node=1", 10, "behind `free`, got 'node=1'"),
    ("disable pfn=16", "disable", 11, "expected `disable pfn=16` or the like, got 'disable'"),
    ("disable pfn=16", "disable cpu=1", 11, "expected pfn=N behind `disable`, got 'cpu=1'"),
    ("zone class=DMA32", "host era=6.1 top=3\nzone class=DMA32", 4, "got 'host era=6.1 top=3'"),
    ("zone class=DMA32", "machine pages=8\nzone class=DMA32", 4, "expected `zone class=NAME"),
    ("era=6.1 top", "era=6.1  top", 3, "expected one blank between words, got 'host era=6.1  top"),
    ("zone class=DMA32", "zone  class=DMA32", 4, "expected one blank between words, got 'zone  "),
    (
        "NUMA-zonelist",
        "VM-fold",
        13,
        "a law about hosts after `expect`, got VM-fold, which is abou",
    ),
    ("free a", "zone class=DMA node=0 pages=9", 10, "expected a request: the machine is said once"),
    ("free a", "host era=6.1 top=3", 10, "expected a request: the machine is said once"),
]


@pytest.mark.parametrize(("text", "other", "line", "sentence"), BAD, ids=range(len(BAD)))
def test_bad_text_gets_one_sentence(text: str, other: str, line: int, sentence: str) -> None:
    """With the line to blame, what was expected, and what stood there."""
    assert text in TEXT

    with pytest.raises(TraceError) as caught:
        parse_any(TEXT.replace(text, other, 1))

    assert caught.value.line == line
    assert sentence in caught.value.sentence
    assert len(caught.value.sentence) < 300


OLD = "pagefuzz-trace 1\nhost era=2.6.11 top=3\nzone class=NORMAL node=0 pages=16\n"


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        (
            OLD + "zone class=MOVABLE node=0 pages=16 start=16\n",
            *(4, "zone at frame 16: era 2.6.11 has no zone MOVABLE"),
        ),
        ("pagefuzz-trace 1\n# x\nhost era=6.1 top=3\n", 3, "got 'the end of the file'"),
        ("pagefuzz-trace 1\nhost era=6.1 top=3\nrest\n", 3, "behind the host, got 'rest'"),
        ("pagefuzz-trace 1\nhost\nrest\n", 2, "expected `host era=... top=...`"),
        (
            "pagefuzz-trace 1\nzone class=NORMAL node=0 pages=16\n",
            *(2, "`machine pages=N top=N era=NAME`, or `host era=NAME top=N` and a line `zone"),
        ),
        ("pagefuzz-trace 1\n\n", 2, "or `host era=NAME top=N` and a line `zone class=NAME"),
    ],
)
def test_what_is_missing_or_too_new_is_told_at_its_line(
    text: str, line: int, sentence: str
) -> None:
    """A zone that the era lacks, a host without zones, neither machine nor host."""
    with pytest.raises(TraceError) as caught:
        parse_any(text)

    assert caught.value.line == line
    assert sentence in caught.value.sentence


def test_requests_of_one_zone_name_no_node() -> None:
    """A zone that is alone has none to choose from."""
    text = "pagefuzz-trace 1\nmachine pages=16 top=3 era=6.1\na = alloc order=1 node=1"

    with pytest.raises(TraceError, match=r"line 3: .* behind `alloc`, got 'node=1'"):
        parse(text)
