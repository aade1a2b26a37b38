"""Text that is no trace of slabs gets one sentence, with the line to blame."""

import pytest
from tests.spec.slab_text import HEAD, TEXT

from pagespec.slab.trace_reader import parse_slabs
from pagespec.trace import TraceError

BAD = [
    # The machine.
    ("era=5.15 ", "era=9.9 ", 3, "no era is called '9.9'"),
    ("era=5.15 ", "", 3, "expected `slabs cpus=... era=... pages=... top=...`, with "),
    ("cpus=2 ", "", 3, "expected `slabs cpus=... era=..."),
    ("lists=1", "list=1", 3, "if need be, got 'list=1'"),
    ("lists=1", "lists=2", 3, "lists=2: expected one of 0, 1"),
    ("design=slab", "design=slob", 3, "design=slob: expected one of slub, slab"),
    ("era=5.15", "era=6.12", 3, "design=slab: era 6.12 has slub"),
    ("era=5.15", "era=6.1 era=6.1", 3, "expected each key once, got 'era' again"),
    ("era=5.15", "era=2.6.11", 3, "era 2.6.11 has no slabs here; expected 5.8 or later"),
    ("scheme=objects", "scheme=bytes", 3, "scheme=bytes: expected one of none, caches, objects"),
    ("scheme=objects", "scheme=none", 3, "groups=2: nobody is charged with scheme=none"),
    ("groups=2 limit=0", "limit=0", 3, "limit=0: only groups have a limit; say groups=N"),
    ("groups=2", "groups=1025", 3, "groups=1025: expected 0 to 1024"),
    ("groups=2", "groups=-1", 3, "groups=-1: expected a whole number"),
    ("limit=0", "limit=65", 3, "limit=65: expected 0 to 64 frames"),
    ("start=1 ", "", 3, "start=0: "),
    ("cpus=2", "cpus=0", 3, "cpus=0: objects are asked for by 1 to "),
    ("present=8", "present=0", 3, "present=0: expected 1 to "),
    ("pages=64", "pages=0", 3, "pages=0"),
    ("slabs era", "slabs  era", 3, "expected one blank between words, got 'slabs  era"),
    # Requests.
    ("reap", "slabs era=6.1", 18, "the zone and the CPUs are said once, before all requests; got"),
    (
        "reap",
        "drain cpu=1",
        18,
        "expected a request such as `a = alloc cache=1` (its verb one of c",
    ),
    ("reap", "a = ", 18, "expected a request such as"),
    ("reap", "reap  cpu=1", 18, "expected one blank between words"),
    ("reap", "reap cache=1", 18, "expected cpu=N behind `reap`, got 'cache=1'"),
    ("reap", "reap cpu=", 18, "expected KEY=VALUE, got 'cpu='"),
    ("reap", "reap cpu=1 cpu=1", 18, "expected each key once, got 'cpu' again"),
    ("reap", "reap cpu=1_0", 18, "cpu=1_0: expected a whole number"),
    ("reap", "reap # now", 18, "expected a comment on a line of its own"),
    ("create cache=1 size=1024", "create cache=1", 4, "which lacks size=N"),
    ("kept=4", "objects_kept=4", 4, "kept=N, partials=N, batch=N, shared=N behind `create`, got"),
    ("size=256", "size=1000000000000000", 5, "in at most 15 digits"),
    ("group group=1", "group", 6, "expected `group group=1` or the like, got 'group', which lacks"),
    # Names.
    ("a = alloc cpu=1 cache=1", "a = alloc cpu=1", 7, "which lacks cache=N"),
    ("a = alloc", "a,b = alloc", 7, "expected a name for each of 1 objects, got 2"),
    ("a = alloc", "A = alloc", 7, "expected a name of the letters a to z, got 'A'"),
    ("b,c,d =", "b,a,d =", 8, "expected a new name, got 'a' again"),
    ("b,c,d =", "b,c,c =", 8, "expected a new name, got 'c' again"),
    ("b,c,d =", "b,c =", 8, "expected a name for each of 3 objects, got 2"),
    ("b,c,d =", "b,,d =", 8, "expected a name of the letters a to z, got ''"),
    ("objects=3", "", 8, "expected"),
    (
        "release",
        "f = release",
        16,
        "expected no name, which only alloc, allocbulk, large give, got",
    ),
    # Addresses.
    (
        "c,0,b",
        "c,0,f",
        9,
        "expected an address or the name of an object of an earlier line, got 'f",
    ),
    ("c,0,b", "c,,b", 9, "expected an address or the name of an object of an earlier line, got ''"),
    ("a+8", "a+", 10, "a+: expected a whole number behind the +"),
    ("a+8", "a+x", 10, "a+x: expected a whole number behind the +"),
    ("8192", "-8", 10, "got '-8'"),
    ("8192", "1000000000000000", 10, "address=1000000000000000: expected at most"),
    ("free d+8", "free", 12, "expected `free a` or the like, got 'free', which lacks a name"),
    ("free d+8", "free d,a", 12, "expected one object behind `free`, got 2"),
    (
        "free d+8",
        "free d a",
        12,
        "expected one of names first, cpu=N, withheld=NAME,NAME behind `f",
    ),
    ("withheld=a", "withheld=z", 13, "the name of an object of an earlier line, got 'z'"),
    ("shrink", "shrink a", 19, "expected one of cpu=N, cache=N behind `shrink`, got 'a'"),
    # Answers, and the law at the end.
    ("-> address 4096", "-> pfn 1", 7, "expected `address N`, `none` or `refused REASON` as the a"),
    ("-> objects 3", "-> none", 8, "expected `objects N` or `refused REASON` as the answer to al"),
    ("-> done", "-> objects 3", 9, "expected `done` or `refused REASON` as the answer to freebulk"),
    ("-> refused NOT_OBJECT", "-> refused OBJECT", 12, "expected one of BAD_ORDER, UNSAID, UNSU"),
    ("expect OUT-fault", "expect SLB-nothing", 22, "the name of a law after `expect`, got 'SLB-n"),
    ("expect OUT-fault", "expect NUMA-sum", 22, "expected a law about slabs after `expect`, got N"),
    ("expect OUT-fault", "expect OUT-fault\nreap", 23, "expected nothing after `expect`, got 'rea"),
]


@pytest.mark.parametrize(("text", "other", "line", "sentence"), BAD, ids=range(len(BAD)))
def test_bad_text_gets_one_sentence(text: str, other: str, line: int, sentence: str) -> None:
    """With the line to blame, what was expected, and what stood there."""
    assert text in TEXT

    with pytest.raises(TraceError) as caught:
        parse_slabs(TEXT.replace(text, other, 1))

    assert caught.value.line == line
    assert sentence in caught.value.sentence
    assert len(caught.value.sentence) < 330
    assert "\n" not in caught.value.sentence


def test_a_trace_needs_no_request() -> None:
    """Somewhere to keep objects is enough; without that there is no trace."""
    assert parse_slabs(HEAD).requests == ()
    with pytest.raises(TraceError, match="got 'the end of the file'"):
        parse_slabs("pagefuzz-trace 1\n")
