"""What /proc/zoneinfo says is read in the words of each release, and bad text gets one sentence."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.kernel.material import unpack
from tests.kernel.test_bad_input import SNAPSHOTS, TRACE, sentence
from tests.kernel.zones import FILES, LIVE, NODES, OLD, SMALL, replaced, written, zone_text

from pagefuzz.errors import UsageError
from pagefuzz.kernel.zoneinfo import Pageset, read_zoneinfo


def test_a_file_of_6_18() -> None:
    dma, dma32, normal, movable, device = read_zoneinfo("zoneinfo", LIVE.read_text())
    assert [dma.name, device.name] == [(0, "DMA"), (0, "Device")]
    assert (dma.line, dma32.line) == (1, 99)
    assert [dma32.amounts[word] for word in ("free", "min", "low", "high", "boost", "promo")] == [
        *(772807, 9790, 12237, 14684, 0, 17131)
    ]
    assert [dma32.amounts[word] for word in ("spanned", "present", "managed", "cma")] == [
        *(1044480, 782336, 772807, 0)
    ]
    assert dma32.protection == (0, 0, 2176, 2176, 2176)
    assert dma32.amounts["start_pfn"] == 4096
    assert dma32.pagesets == {cpu: Pageset(0, 6118, 63, 24) for cpu in (0, 1)}
    assert normal.managed == 557056
    assert movable.pagesets == {}


def test_a_file_of_two_nodes() -> None:
    zones = {zone.name: zone for zone in read_zoneinfo("zoneinfo", NODES.read_text())}
    assert len(zones) == 10
    second = zones[1, "DMA32"]
    assert second.pagesets[1] == Pageset(1790, 1991, 15, 12)
    assert [second.amounts[f"numa_{word}"] for word in ("hit", "miss", "local", "other")] == [
        *(31503, 0, 30402, 1101)
    ]
    assert "nr_slab_reclaimable" not in second.amounts  # the node's, not the zone's


def test_the_words_of_2_6_37() -> None:
    (zone,) = read_zoneinfo("zoneinfo", OLD)
    assert zone.managed == zone.amounts["present"] == 3920
    assert zone.amounts["nr_free_pages"] == 3976
    assert zone.protection == (0, 3254, 8051, 8051)
    assert zone.pagesets == {cpu: Pageset(0, 0, 1, 4) for cpu in (0, 1)}


def test_a_kernel_for_one_cpu_prints_no_threshold() -> None:
    (zone,) = read_zoneinfo("zoneinfo", zone_text(thresholds=[None]))
    assert zone.pagesets == {0: Pageset(0, 0, 1, None)}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_part_of_a_file_passes_for_one(path: Path) -> None:
    """Cut anywhere, up to the newline at the end; a cut behind a whole node is another machine."""
    text = path.read_text()
    whole = {
        0,
        *(at for at in range(1, len(text)) if text.startswith("Node 1, zone      DMA\n", at)),
    }
    for end in range(len(text)):
        if end in whole and end:
            read_zoneinfo("zoneinfo", text[:end])
            continue
        with pytest.raises(UsageError, match=r"^zoneinfo:?\d*: expected .*, got .*[^.]$"):
            read_zoneinfo("zoneinfo", text[:end])


ZONE = zone_text()
HUGE = "9" * 20
LONGER = "9" * 5000

WRONG = {
    "a word twice": (ZONE, "        low      625\n", "        min      625\n", ":4: "),
    "a number that no counter holds": (ZONE, "numa_local   10", f"numa_local   {HUGE}", ":16: "),
    "more digits than Python reads": (ZONE, "numa_local   10", f"numa_local   {LONGER}", ":16: "),
    "more frames than any machine": (ZONE, "managed  50000", f"managed  {2**40 + 1}", ":8: "),
    "a negative number": (ZONE, "managed  50000", "managed  -1", ":8: "),
    "a CPU twice": (ZONE, "cpu: 1", "cpu: 0", ":24: "),
    "lists of no CPU": (ZONE, "    cpu: 0\n", "", ":19: "),
    "no count": (ZONE, "    cpu: 0\n       count: 0\n", "    cpu: 0\n", "count of CPU 0"),
    "no low mark": (ZONE, "        low      625\n", "", "expected low of zone Normal of node 0"),
    "prose": (ZONE, "  pagesets\n", "  It was a dark night.\n", ":18: "),
    "another file of /proc": (
        ZONE,
        "Node 0, zone   Normal",
        "Node 0, zone   Normal   1   0",
        ":1: ",
    ),
    "a zone twice": (ZONE + ZONE, ZONE + ZONE, ZONE + ZONE, "Normal again"),
    "one zone of two": (ZONE, "protection: (0)", "protection: (0, 12)", "2 zones of node 0, got 1"),
    "no protection": (ZONE, "        protection: (0)\n", "", "expected protection"),
    "no lists": (ZONE, ZONE[ZONE.index("    cpu: 0") : ZONE.index("  node_un")], "", "pagesets"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_line_is_named(
    what: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    text, was, now, named = WRONG[what]
    path = written(tmp_path, replaced(text, was, now))
    found = sentence(capfd, str(path))
    assert str(path) in found
    assert named in found
    assert len(found) < 300


def empty(path: Path) -> None:
    path.write_text("")


def prose(path: Path) -> None:
    path.write_text("It was a dark and stormy night.\n")


def binary(path: Path) -> None:
    path.write_bytes(b"Node 0, zone" + bytes(range(256)))


def cut(path: Path) -> None:
    path.write_text(SMALL.read_text()[:2000])


def an_empty_directory(path: Path) -> None:
    path.mkdir()


def absent(path: Path) -> None:
    assert not path.exists()


@pytest.mark.parametrize("make", [empty, prose, binary, cut, an_empty_directory, absent])
def test_a_bad_file(
    make: Callable[[Path], None], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "zoneinfo"
    make(path)
    found = sentence(capfd, str(path))
    assert str(path) in found
    assert "expected" in found


@pytest.mark.parametrize("option", ["--snapshots", "--stats"])
def test_files_of_a_run_need_a_trace(
    option: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, ZONE)
    assert option in sentence(capfd, str(path), option, str(tmp_path))


def test_a_bad_snapshot_that_is_not_exact_is_bad_input_too(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:

    unpack(SNAPSHOTS, tmp_path)
    path = next(tmp_path.rglob("01-start-raw")) / "zoneinfo"
    path.write_text(path.read_text()[:3000])
    found = sentence(capfd, str(TRACE), "--snapshots", str(tmp_path / "snaps"))
    assert "01-start-raw/zoneinfo:" in found
