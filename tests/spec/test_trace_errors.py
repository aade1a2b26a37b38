"""Traces: what is no trace is refused in one sentence."""

import re
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.spec.test_trace import GOOD

from pagespec.trace import TraceError, text_of
from pagespec.trace_reader import parse

HEAD = "pagefuzz-trace 1\nmachine pages=8 top=3 era=6.1\n"

GROUPED = "pagefuzz-trace 1\nmachine pages=8 top=3 era=6.1 "

BAD = {
    # The first line and the machine.
    "": (1, "expected 'pagefuzz-trace 1', got ''"),
    "\ufeff" + GOOD: (1, r"got '\ufeffpagefuzz-trace 1'"),
    "pagefuzz-trace 2\n": (1, "got 'pagefuzz-trace 2'"),
    "pagefuzz-trace 1\n": (1, "got 'the end of the file'"),
    "pagefuzz-trace 1\n\n# x\n": (3, "got 'the end of the file'"),
    "pagefuzz-trace 1\na = alloc order=0\n": (2, "expected `machine pages=N top=N era=NAME`"),
    "pagefuzz-trace 1\nmachine pages=8 top=3\n": (2, "expected `machine pages=N"),
    "pagefuzz-trace 1\nmachine pages=8 top=3 era=6.1 cores=2\n": (2, "if need be, got 'cores=2'"),
    "pagefuzz-trace 1\nmachine pages=8 top=3 era=\n": (2, "expected KEY=VALUE, got 'era='"),
    "pagefuzz-trace 1\nmachine pages 8\n": (2, "expected KEY=VALUE, got 'pages'"),
    "pagefuzz-trace 1\nmachine pages=8 pages=9 top=3 era=6.1\n": (2, "got 'pages' again"),
    "pagefuzz-trace 1\nmachine pages=eight top=3 era=6.1\n": (
        2,
        "pages=eight: expected a whole number",
    ),
    "pagefuzz-trace 1\nmachine pages=1_0 top=3 era=6.1\n": (
        2,
        "pages=1_0: expected a whole number",
    ),
    f"pagefuzz-trace 1\nmachine pages={'9' * 5000} top=3 era=6.1\n": (
        *(2, f"pages={'9' * 40}...: expected at most 999999999999999"),
    ),
    GROUPED + "start=1000000000000000\n": (
        *(2, "start=1000000000000000: expected at most 999999999999999"),
    ),
    "pagefuzz-trace 1\nmachine pages=0 top=3 era=6.1\n": (2, "pages=0: a zone has 1 to"),
    "pagefuzz-trace 1\nmachine pages=8 top=16 era=6.1\n": (2, "top=16: the top order is 0 to 15"),
    "pagefuzz-trace 1\nmachine pages=8 top=3 era=7.7\n": (2, "no era is called '7.7'"),
    "pagefuzz-trace 1\nmachine pages=8 top=3 era=6.1 holes=4\n": (
        2,
        "holes=4: expected FIRST+COUNT",
    ),
    "pagefuzz-trace 1\nmachine pages=8 top=3 era=6.1 holes=4+9\n": (2, "hole 4..13: holes are"),
    "pagefuzz-trace 1\nmachine pages=8 top=3 era=6.1 holes=4+1,5+1\n": (2, "hole 5..6: holes are"),
    GROUPED + "holes=1+1,2+x\n": (2, "holes=x: expected a whole number"),
    GROUPED + "pageblock=x\n": (2, "pageblock=x: expected a whole number"),
    GROUPED + "pageblock=4\n": (2, "pageblock=4: a pageblock of era 6.1 has order 1 to the top"),
    GROUPED + "pageblock=2 types=M\n": (2, "types: 1 types for 2 pageblocks"),
    GROUPED + "pageblock=2 types=M3\n": (2, "types: 3 types for 2 pageblocks"),
    GROUPED + "pageblock=2 types=MX\n": (2, "types=MX: expected letters of U, M, E, H, C, I, R"),
    GROUPED + "pageblock=2 types=2M\n": (2, "types=2M: expected letters of U, M, E, H, C, I, R"),
    GROUPED + "pageblock=2 types=mm\n": (2, "types=mm: expected letters of U, M, E, H, C, I, R"),
    GROUPED + "pageblock=2 types=MR\n": (2, "types: pageblock 1 is RESERVE; era 6.1 has none"),
    "pagefuzz-trace 1\nmachine pages=8 top=3 era=4.10 pageblock=2 types=MC\n": (
        *(2, "types: the largest block at frame 0 is C in part"),
    ),
    GROUPED + "types=M2\n": (2, "types: only a machine with pageblocks has any"),
    GROUPED + "guard=9\n": (2, "guard=9: guard pages are below order 0 to 3"),
    "pagefuzz-trace 1\nmachine pages=8 top=3 era=6.12 guard=1\n": (2, "and era 6.12 does not"),
    "pagefuzz-trace 1\nmachine pages=8 top=3 era=2.6.11 pageblock=2\n": (2, "has no pageblocks"),
    # CPUs and watermarks.
    GROUPED + "cpus=two\n": (2, "cpus=two: expected a whole number"),
    GROUPED + "cpus=1025\n": (2, "cpus=1025: page lists are kept by 0 to 1024 CPUs"),
    GROUPED + "batch=3\n": (2, "batch=3: only a machine with cpus=N has lists to size"),
    GROUPED + "high=0\n": (2, "high=0: only a machine with cpus=N has lists to size"),
    GROUPED + "cpus=1 batch=99999999\n": (2, "batch=99999999: the size of a list is 0 to"),
    GROUPED + "cpus=1 high=x\n": (2, "high=x: expected a whole number"),
    GROUPED + "min_free=-1\n": (2, "min_free=-1: expected a whole number"),
    GROUPED + "min_free=99999999\n": (2, "min_free=99999999: expected 0 to"),
    "pagefuzz-trace 1\nmachine pages=8 top=3 era=2.6.11 cpus=1 high=9\n": (
        *(2, "high=9: era 2.6.11 sizes its hot and cold lists by the batch"),
    ),
    # Requests.
    HEAD + "malloc 8\n": (3, "expected a request such as `a = alloc order=1` (its verb one of"),
    HEAD + "alloc\n": (3, "expected `a = alloc order=1` or the like, got 'alloc'"),
    HEAD + "A = alloc order=1\n": (3, "expected a name of the letters a to z, got 'A'"),
    HEAD + "a = alloc order=-1\n": (3, "order=-1: expected a whole number"),
    HEAD + "a = alloc order=²\n": (3, "order=²: expected a whole number"),
    HEAD + f"a = alloc order={'9' * 5000}\n": (
        *(3, f"order={'9' * 40}...: expected at most 999999999999999"),
    ),
    HEAD + "a = alloc order=0 compound=2\n": (3, "compound=2: expected one of 0, 1"),
    HEAD + "a = alloc order=0\na = alloc order=0\n": (4, "expected a new name, got 'a' again"),
    HEAD + "free a\n": (3, "expected the name of an earlier alloc or contig, got 'a'"),
    HEAD + "free pfn=3\n": (3, "`free a` or the like, got 'free pfn=3', which lacks order=N"),
    HEAD + "a = free pfn=3 order=0\n": (
        3,
        "expected no name, which only alloc and contig give, got 'a ='",
    ),
    HEAD + "get pfn=3 order=0\n": (
        3,
        "expected one of a name first, pfn=N, slot=N behind `get`, got 'order=0'",
    ),
    HEAD + "get pfn=3 -> refused WHY\n": (3, "expected one of BAD_ORDER, OUTSIDE"),
    HEAD + "get pfn=3 -> pfn 3\n": (
        3,
        "expected `done` or `refused REASON` as the answer to get, got 'pfn 3'",
    ),
    HEAD + "alloc order=0 -> done\n": (
        3,
        "expected `pfn N`, `none` or `refused REASON` as the answer to alloc",
    ),
    HEAD + "alloc order=0 mt=X\n": (3, "mt=X: expected one of U, M, E, H, C, I, R"),
    HEAD + "alloc order=0 mt=MM\n": (3, "mt=MM: expected one of U, M, E, H, C, I, R"),
    HEAD + "alloc order=0 force=1\n": (3, "behind `alloc`, got 'force=1'"),
    HEAD + "alloc order=0 atomic=yes\n": (3, "atomic=yes: expected one of 0, 1"),
    HEAD + "alloc order=0 mt=M mt=M\n": (3, "expected each key once, got 'mt' again"),
    HEAD + "split pfn=0\n": (3, "`split a`"),
    HEAD + "split a\n": (3, "expected the name of an earlier alloc or contig, got 'a'"),
    HEAD + "unreserve pfn=0\n": (
        3,
        "expected one of mt=LETTER, force=1 behind `unreserve`, got 'pfn=0'",
    ),
    HEAD + "unreserve order=0\n": (
        3,
        "expected one of mt=LETTER, force=1 behind `unreserve`, got 'order=0'",
    ),
    HEAD + "isolate pfn=0\n": (
        3,
        "`isolate pfn=8 pages=4` or the like, got 'isolate pfn=0', which lacks pages=N",
    ),
    HEAD + "isolate pages=4\n": (3, "`isolate pfn=8 pages=4`"),
    HEAD + "isolate pfn=0 pages=4 mt=M\n": (
        3,
        "expected one of pfn=N, pages=N behind `isolate`, got 'mt=M'",
    ),
    HEAD + "a = isolate pfn=0 pages=4\n": (
        3,
        "expected no name, which only alloc and contig give, got 'a ='",
    ),
    HEAD + "a = alloc order=0\nisolate a pages=1\n": (
        4,
        "expected one of pfn=N, pages=N behind `isolate`, got 'a'",
    ),
    HEAD + "restore pfn=0 pages=-4\n": (3, "pages=-4: expected a whole number"),
    HEAD + "contig pfn=0 pages=4 order=1\n": (
        3,
        "one of pfn=N, pages=N, cpu=N, mt=LETTER behind `contig`, got 'order=1'",
    ),
    HEAD + "poison\n": (3, "`poison pfn=9`"),
    HEAD + "poison pfn=0 pages=1\n": (
        3,
        "one of a name first, pfn=N, slot=N behind `poison`, got 'pages=1'",
    ),
    HEAD + "heal pfn=x\n": (3, "pfn=x: expected a whole number"),
    HEAD + "offline pfn=0 pages=4 force=1\n": (
        3,
        "one of pfn=N, pages=N behind `offline`, got 'force=1'",
    ),
    HEAD + "online pfn=0\n": (3, "`online pfn=8 pages=4`"),
    HEAD + "isolate pfn=0 pages=4 -> none\n": (
        3,
        "expected `done` or `refused REASON` as the answer to isolate",
    ),
    HEAD + "contig pfn=0 pages=4 -> done\n": (
        3,
        "expected `pfn N`, `none` or `refused REASON` as the answer to contig",
    ),
    HEAD + "unreserve -> pfn 3\n": (
        3,
        "expected `done`, `none` or `refused REASON` as the answer to unreserve",
    ),
    HEAD + "alloc order=0 cpu=x\n": (3, "cpu=x: expected a whole number"),
    HEAD + "alloc order=0 emergency=yes\n": (3, "emergency=yes: expected one of 0, 1"),
    HEAD + "get pfn=3 cpu=1\n": (
        3,
        "expected one of a name first, pfn=N, slot=N behind `get`, got 'cpu=1'",
    ),
    HEAD + "free pfn=3 order=0 emergency=1\n": (3, "behind `free`, got 'emergency=1'"),
    HEAD + "free slot=x\n": (3, "slot=x: expected a whole number"),
    HEAD + "free slot=1 pfn=3\n": (3, "expected one of pfn=N and slot=N, got 'free slot=1 pfn=3'"),
    HEAD + "a = alloc order=0\nfree a slot=1\n": (
        4,
        "expected one of a name and slot=N, got 'free a slot=1'",
    ),
    HEAD + "isolate slot=1 pages=4\n": (
        3,
        "expected one of pfn=N, pages=N behind `isolate`, got 'slot=1'",
    ),
    HEAD + "alloc slot=1 order=0\n": (3, "behind `alloc`, got 'slot=1'"),
    HEAD + "bulk\n": (3, "expected `bulk pages=5` or the like"),
    HEAD + "a = bulk pages=5\n": (
        3,
        "expected no name, which only alloc and contig give, got 'a ='",
    ),
    HEAD + "bulk pages=5 cold=1\n": (3, "behind `bulk`, got 'cold=1'"),
    HEAD + "bulk pages=5 -> done\n": (
        3,
        "expected `count N` or `refused REASON` as the answer to bulk",
    ),
    HEAD + "bulk pages=5 -> none\n": (
        3,
        "expected `count N` or `refused REASON` as the answer to bulk",
    ),
    HEAD + "get pfn=3 -> count 1\n": (
        3,
        "expected `done` or `refused REASON` as the answer to get",
    ),
    HEAD + "drain pages=1\n": (3, "expected cpu=N behind `drain`, got 'pages=1'"),
    HEAD + "drainall cpu=1\n": (3, "expected nothing behind `drainall`, got 'cpu=1'"),
    HEAD + "disable cpu=1\n": (3, "expected nothing behind `disable`, got 'cpu=1'"),
    HEAD + "enable -> none\n": (3, "expected `done` or `refused REASON` as the answer to enable"),
    HEAD + "age cpu=\n": (3, "expected KEY=VALUE, got 'cpu='"),
    HEAD + "unplug 1\n": (3, "expected cpu=N behind `unplug`, got '1'"),
    HEAD + "plug order=1\n": (3, "expected cpu=N behind `plug`, got 'order=1'"),
    HEAD + "expire a\n": (3, "expected cpu=N behind `expire`, got 'a'"),
    HEAD + "drain cpu=-1\n": (3, "cpu=-1: expected a whole number"),
    HEAD + "bulk pages=-1\n": (3, "pages=-1: expected a whole number"),
    HEAD + "free slot=-1\n": (3, "slot=-1: expected a whole number"),
    HEAD + "alloc order=0 cold=-1\n": (3, "cold=-1: expected one of 0, 1"),
    HEAD + "alloc order=0 hot=1\n": (
        *(3, "expected one of order=N, cpu=N, mt=LETTER, compound=1, atomic=1, nofragment=1, "),
    ),
    HEAD + "alloc hot=1 order=0\n": (3, "cold=1 behind `alloc`, got 'hot=1'"),
    HEAD + "drain irq=1\n": (3, "expected cpu=N behind `drain`, got 'irq=1'"),
    HEAD + "drain cpu=1 again\n": (3, "expected cpu=N behind `drain`, got 'again'"),
    HEAD + "drain -> slurp\n": (3, "expected `done` or `refused REASON` as the answer to drain"),
    HEAD + "alloc order=0 -> slurp\n": (3, "as the answer to alloc, got 'slurp'"),
    HEAD + "alloc order=0 -> pfn -1\n": (3, "as the answer to alloc, got 'pfn -1'"),
    HEAD + "drain ->\n": (3, "as the answer to drain, got ''"),
    HEAD + "drain -> done done\n": (3, "as the answer to drain, got 'done done'"),
    HEAD + "a = alloc order=0\nfree a+x\n": (4, "a+x: expected a whole number behind the +"),
    HEAD + "a = alloc order=0\nfree a+\n": (4, "a+: expected a whole number behind the +"),
    HEAD + "a = alloc order=0\nfree order=0 a\n": (4, "a name first, order=N, pfn=N, slot=N,"),
    HEAD + "a =\n": (3, "expected a request such as `a = alloc order=1`"),
    # Blanks, comments, and lines in the wrong place.
    HEAD + "alloc  order=0\n": (3, "one blank between words, got 'alloc  order=0'"),
    HEAD + "alloc\torder=0\n": (3, r"one blank between words, got 'alloc\torder=0'"),
    HEAD + "alloc order=0 ->  none\n": (3, "one blank between words"),
    HEAD + "drain # CPU 0\n": (3, "expected a comment on a line of its own, got '# CPU 0'"),
    HEAD.replace("\n", " # small\n").replace(" # small", "", 1): (
        *(2, "expected a comment on a line of its own, got '# small'"),
    ),
    HEAD + "mallok 1\nalloc order=0 # late\n": (3, "such as `a = alloc order=1` (its verb"),
    HEAD + HEAD.splitlines()[1]: (3, "expected a request: the machine is said once"),
    HEAD + "host era=6.1 top=3\n": (3, "expected a request: the machine is said once"),
    HEAD + "rest cpu=1\n": (3, "expected nothing behind `rest`, got 'cpu=1'"),
    HEAD + "expect\n": (3, "such as `a = alloc order=1` (its verb one of alloc, free, get"),
    HEAD + "\nexpect NO-SUCH\n": (4, "the name of a law after `expect`, got 'NO-SUCH'"),
    HEAD + "expect  BUD-tag\n": (3, "expected one blank between words, got 'expect  BUD-tag'"),
    HEAD + "expect VM-fold\n": (
        *(3, "expected a law about zones after `expect`, got VM-fold, which is about counters"),
    ),
    HEAD + "expect NUMA-sum\n": (3, "got NUMA-sum, which is about hosts"),
    HEAD.replace(" top", "  top"): (2, "expected one blank between words, got 'machine pages=8  "),
    HEAD.replace(" top", "\ttop"): (2, "expected one blank between words, got 'machine pages=8\\t"),
    HEAD + "expect BUD-tag\nalloc order=0\n": (4, "expected nothing after `expect`"),
}


@pytest.mark.parametrize("text", BAD, ids=range(len(BAD)))
def test_what_is_no_trace_is_refused_with_its_line(text: str) -> None:
    """One sentence: the line, what was expected, what stood there."""
    line, sentence = BAD[text]

    with pytest.raises(TraceError, match=re.escape(sentence)) as caught:
        parse(text)

    assert caught.value.line == line
    assert str(caught.value).startswith(f"line {line}: ")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


@given(st.text(st.sampled_from(" \n#=+->,0179abcx²\u2028") | st.characters()), st.integers(0, 200))
def test_any_text_is_a_trace_or_is_refused(noise: str, at: int) -> None:
    """A good trace with anything put into it is refused properly, or reads, and writes back."""
    for text in (noise, HEAD + noise, GOOD[:at] + noise + GOOD[at:], GOOD[:at] + noise):
        with suppress(TraceError):
            assert parse(text_of(parse(text))) == parse(text)
