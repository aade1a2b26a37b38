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
    ("host era=6.1 top=3", "host era=9.9 top=3", "no era is called '9.9'"),
    ("host era=6.1 top=3", "host era=6.1 top=30", "top=30: the top order is 0 to 15"),
    ("host era=6.1 top=3", "host era=6.1", "expected `host era=... top=...`"),
    ("cpus=0,1", "cpus=0,x", "cpus=x: expected a whole number"),
    ("ratios=4,5,6", "ratios=4,5", "ratios=(4, 5): expected 3 numbers"),
    ("ratios=4,5,6", "byzone=2", "byzone=2: expected one of 0, 1"),
    ("class=DMA32", "class=HIGHMEM", "class=HIGHMEM: expected one of DMA, DMA32, NORMAL, MOVABLE"),
    ("start=16 ", "start=8 ", "zone at frame 8: expected 16 or more"),
    ("holes=20+2", "holes=99+2", "hole 99..101: holes are not empty"),
    ("types=M3U", "types=Q", "types=Q: expected letters"),
    (" node=0 pages=16 start", " pages=16 start", "expected `zone class=... node=... pages=...`"),
    ("highest=DMA32", "highest=LOW", "highest=LOW: expected one of DMA, DMA32, NORMAL, MOVABLE"),
    ("onlynode=1", "onlynode=2", "onlynode=2: expected one of 0, 1"),
    ("disable pfn=16", "disable", "expected `disable pfn=16` or the like, got 'disable'"),
    ("free a", "free a node=1", "expected `free a` or the like"),
]


@pytest.mark.parametrize(("text", "other", "sentence"), BAD, ids=[bad[1] for bad in BAD])
def test_bad_text_gets_one_sentence(text: str, other: str, sentence: str) -> None:
    """With the line, what was expected, and what stood there."""
    assert text in TEXT

    with pytest.raises(TraceError) as caught:
        parse_host(TEXT.replace(text, other, 1))

    assert str(caught.value).startswith("line ")
    assert sentence in str(caught.value)


def test_requests_of_one_zone_name_no_node() -> None:
    """A zone that is alone has none to choose from."""
    text = "pagefuzz-trace 1\nmachine pages=16 top=3 era=6.1\na = alloc order=1 node=1"

    with pytest.raises(TraceError, match="line 3: expected `a = alloc order=1` or the like"):
        parse(text)
