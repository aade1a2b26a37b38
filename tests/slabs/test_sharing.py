"""`pagefuzz slabs`: the same requests in both schemes, counted, or one sentence about bad input."""

import pytest

from pagefuzz.cli._entry import run
from pagefuzz.exits import Exit
from pagefuzz.slabs.sharing.mixes import MIXES, read_mix
from pagefuzz.slabs.sharing.tables import Row, cells
from pagefuzz.slabs.sharing.workload import Use
from pagespec.slab.sizes import PAGE

Capture = pytest.CaptureFixture[str]

FEW = ("--groups", "3", "--objects", "40", "--sizes", "256", "--cpus", "2", "--seed", "7")


def ran(capsys: Capture, *arguments: str) -> tuple[int, str, str]:
    """The code, and what was printed."""
    code = run(["slabs", *arguments])
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    return code, out, err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--sizes", "12"], "'12' is no mix; expected files, kmalloc, bench, or sizes of 8 to"),
        (["--sizes", "64:0"], "'64:0' is no mix"),
        (["--sizes", ""], "'' is no mix"),
        (["--sizes", ",".join(["64"] * 257)], "257 sizes: expected 1 to 256"),
        (["--churn", "nan"], "--churn nan: expected 0 to 100"),
        (["--churn", "-1"], "--churn -1.0: expected 0 to 100"),
        (["--groups", "1024", "--objects", "5000"], "expected 5,000,000 objects of all groups"),
        (["--groups", "0"], "0 is not in the range 1<=x<=1024"),
        (["--era", "6.12", "--design", "slab"], "--design slab: era 6.12 has slub"),
        (["--era", "4.10"], "'4.10' is not one of"),
        (["--plot", "/proc/none"], "--plot /proc/none: "),
    ],
)
def test_bad_input_is_one_sentence(arguments: list[str], sentence: str, capsys: Capture) -> None:
    """On stderr, with the offending value and what was expected; nothing is counted."""
    code, out, err = ran(capsys, *arguments)

    assert (code, out) == (Exit.USAGE, "")
    assert sentence in err


def test_mixes_are_read() -> None:
    """By name, or size by size with weights."""
    assert [kind[1:] for kind in read_mix("64:3,1024").kinds] == [(64, 3), (1024, 1)]
    assert read_mix("files") is MIXES["files"]


def test_the_listing_s_sizes_give_its_objects_a_slab() -> None:
    """Slabtop rounds sizes, but says how many objects a slab of so many frames has."""
    listed = {
        "ext4_inode_cache": (8, 30),
        "dentry": (1, 21),
        "ecryptfs_inode_cache": (8, 32),
        "proc_inode_cache": (4, 26),
        "buffer_head": (1, 39),
        "kmalloc-128": (1, 32),
        "radix_tree_node": (4, 28),
        "kmalloc-1024": (8, 32),
        "inode_cache": (4, 28),
        "kmalloc-32": (1, 128),
        "ext4_extent_status": (1, 102),
        "vm_area_struct": (1, 20),
        "kmalloc-64": (1, 64),
    }

    for kind in MIXES["files"].kinds:
        frames, objects = listed[kind.name]
        assert frames * PAGE // kind.size == objects, kind
    assert len(listed) == len(MIXES["files"].kinds)


def test_a_row_adds_up() -> None:
    """By hand: 100 objects of 256 bytes are 6.25 frames, on 20 or on 8 of them."""
    row = Row(4, Use(100, 25_600, 20, 320), Use(100, 25_600, 8, 128))

    assert cells(row) == (4, 100, 7, 20, 8, 31.2, 78.1, 12, 60.0, 1)
