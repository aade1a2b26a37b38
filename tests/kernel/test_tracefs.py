"""The text of tracefs in its many forms."""

import gzip
import io
import lzma
import sys
from pathlib import Path

import pytest

from pagefuzz.errors import UsageError
from pagefuzz.kernel.files import numbered_lines
from pagefuzz.kernel.tracefs import Event, Preamble, block_in, events, number_in, range_in

ALLOC = "mm_page_alloc: page=(____ptrval____) pfn=0x2c28 order=1 migratetype=0 gfp_flags=GFP_KERNEL"


def read(*lines: str) -> tuple[list[Event], Preamble]:
    preamble = Preamble()
    return list(
        events(enumerate(lines, 1), preamble),
    ), preamble


def one(line: str) -> Event:
    (event,), _ = read(line)
    return event


@pytest.mark.parametrize(
    ("text", "task", "cpu", "flags"),
    [
        ("              dd-127     [000] .....     6.296244: ", "dd-127", 0, "....."),
        ("              dd-127     [003] d..2     6.296244: ", "dd-127", 3, "d..2"),
        ("              dd-127     [003]     6.296244: ", "dd-127", 3, ""),
        ("              dd-127     (  197) [001] d.s3. 4563211: ", "dd-127", 1, "d.s3."),
        ("              dd-127     (-------) [001] ..... 6.1: ", "dd-127", 1, "....."),
        ("    kworker/0:1-11       [000] ..... 6.1: ", "kworker/0:1-11", 0, "....."),
        ("          <idle>-0       [000] d.h1. 6.1: ", "<idle>-0", 0, "d.h1."),
        ("   a task-1 b-22-4711    [000] ..... 6.1: ", "a task-1 b-22-4711", 0, "....."),
        ("           <...>-4711    [012] ..... 6.1: ", "<...>-4711", 12, "....."),
    ],
)
def test_the_fixed_part(text: str, task: str, cpu: int, flags: str) -> None:
    event = one(text + ALLOC)
    assert (event.task, event.cpu, event.flags) == (task, cpu, flags)
    assert event.kind == "mm_page_alloc"
    assert block_in(event, "trace") == (0x2C28, 1)


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (".....", False),
        ("d..3.", False),
        ("..s3.", True),
        ("d.h1.", True),
        ("d.H1", True),
        ("", False),
    ],
)
def test_interrupts_show_in_the_third_flag(flags: str, expected: bool) -> None:
    assert one(f"dd-1 [000] {flags} 6.1: {ALLOC}").in_interrupt is expected


@pytest.mark.parametrize(
    "payload",
    [
        "page=(____ptrval____) pfn=0x2c28 order=1",
        "page=000000007a91d1b9 pfn=11304 order=1 migratetype=0",
        "order=1 nr_free=3650 pfn=0x2c28",
        "page=          (null) pfn=0x2c28 alloc_order=1 fallback_order=9",
    ],
)
def test_payloads_are_read_by_key(payload: str) -> None:
    assert block_in(one(f"dd-1 [000] ..... 6.1: mm_page_alloc: {payload}"), "trace") == (0x2C28, 1)


def test_compaction_fields() -> None:
    begin = "zone_start=0x1 migrate_pfn=0x10 free_pfn=0xe00 zone_end=0x1000, mode=sync"
    assert number_in(one(f"dd-1 [000] ..... 6.1: begin: {begin}"), "trace", "zone_end") == 0x1000
    taken = one("dd-1 [000] ..... 6.1: isolate: range=(0xe00 ~ 0x1000) nr_scanned=512 nr_taken=7")
    assert range_in(taken, "trace") == (0xE00, 0x1000)


@pytest.mark.parametrize(
    ("payload", "got"),
    [
        ("page=0 order=1", "no such field"),
        ("pfn=0x2c2", "no such field"),
        ("pfn=0x order=1", "'0x'"),
        ("pfn=-5 order=1", "-5"),
        ("pfn=0x2c28 order=one", "'one'"),
    ],
)
def test_a_bad_payload_is_one_sentence(payload: str, got: str) -> None:
    event = one(f"dd-1 [000] ..... 6.1: mm_page_free: {payload}")
    with pytest.raises(UsageError, match=rf"^trace:1: mm_page_free: expected .*, got {got}$"):
        block_in(event, "trace")


def test_the_preamble_counts_what_is_no_event() -> None:
    found, preamble = read(
        "# tracer: nop",
        "# entries-in-buffer/entries-written: 4563/11312   #P:2",
        "",
        f"dd-1 [000] ..... 6.1: {ALLOC}",
        "CPU:1 [LOST 12 EVENTS]",
        "CPU:0 [LOST EVENTS]",
        "##### CPU 1 buffer started ####",
        "[    6.123456] random: crng init done",
    )
    assert len(found) == preamble.entries == 1
    assert (preamble.in_buffer, preamble.written) == (4563, 11312)
    assert preamble.lost == 13
    assert preamble.noise == [8]


@pytest.mark.parametrize("pack", [bytes, lzma.compress, gzip.compress])
def test_packed_and_plain_text(
    pack: type[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = pack("# tracer: nop\nZürich\n".encode())
    path = tmp_path / "trace"
    path.write_bytes(data)
    expected = [(1, "# tracer: nop"), (2, "Zürich")]
    assert list(numbered_lines(str(path))) == expected
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(data))))
    assert list(numbered_lines("-")) == expected
