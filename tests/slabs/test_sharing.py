"""`pagefuzz slabs`: the same requests in both schemes, counted, or one sentence about bad input."""

import json
from pathlib import Path

import pytest

from pagefuzz.cli._entry import run
from pagefuzz.errors import UsageError
from pagefuzz.exits import Exit
from pagefuzz.slabs.sharing import workload
from pagefuzz.slabs.sharing.mixes import MIXES, read_mix
from pagefuzz.slabs.sharing.tables import Row, cells
from pagefuzz.slabs.sharing.workload import Use, Workload, use_of
from pagespec.era import ERAS
from pagespec.slab.sizes import PAGE

Capture = pytest.CaptureFixture[str]


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


FEW = Workload(ERAS["5.8"], "slub", 2, read_mix("256").kinds, 3, 40, 1.0, 7)
"""Three groups with 40 objects each on the average, of which a frame has 16, on two CPUs."""


def silent(line: str) -> None:
    """Progress for nobody."""


def test_one_group_has_nobody_to_share_with() -> None:
    """Its slabs are as many either way; with more groups the same objects need fewer if shared."""
    alone = FEW._replace(groups=1)
    assert use_of(alone, "caches", silent) == use_of(alone, "objects", silent)

    own, shared = use_of(FEW, "caches", silent), use_of(FEW, "objects", silent)
    assert (own.objects, own.in_use) == (shared.objects, shared.in_use) == (120, 120 * 256)
    assert (own.slots, shared.slots) == (16 * own.frames, 16 * shared.frames)
    assert 120 <= shared.slots < own.slots


def test_a_zone_that_is_too_small_is_doubled(monkeypatch: pytest.MonkeyPatch) -> None:
    """And the figures are those of a large one; at the most there is one sentence."""
    due = use_of(FEW, "caches", silent)
    monkeypatch.setattr(workload, "FIRST_PAGES", 1)
    assert use_of(FEW, "caches", silent) == due

    monkeypatch.setattr(workload, "MAX_PAGES", 4)
    with pytest.raises(UsageError, match="4 frames, the most that a zone has here, are too few"):
        use_of(FEW, "caches", silent)


@pytest.mark.parametrize(("era", "design"), [("5.15", "slab"), ("6.12", "slub")])
def test_the_command_counts(era: str, design: str, tmp_path: Path, capsys: Capture) -> None:
    """The seed first and last, a row for 1, 2 and 3 groups, the claim beside it, and a picture."""
    words = ["--groups", "3", "--objects", "40", "--sizes", "256", "--cpus", "2", "--seed", "7"]
    words += ["--era", era, "--design", design]
    code, out, err = ran(capsys, *words, "--plot", str(tmp_path))
    lines = out.splitlines()

    assert (code, err) == (Exit.HELD, "")
    assert (lines[0], lines[-1]) == ("seed 00000007", "seed 00000007")
    rows = [line.split("│")[1].strip() for line in lines if line.startswith("│")]
    assert rows == ["1", "2", "3"]
    assert "30 to 45 % less slab memory" in out
    assert "no confirmation" in " ".join(out.split())
    assert {path.name for path in tmp_path.iterdir()} == {
        "slabs-by-groups.png",
        "slabs-by-groups.svg",
    }

    code, out, _ = ran(capsys, *words, "--json")
    figures = json.loads(out)
    assert (code, figures["seed"], figures["era"]) == (Exit.HELD, "00000007", era)
    assert [row["groups"] for row in figures["rows"]] == [1, 2, 3]
    for row in figures["rows"]:
        assert row["saved_frames"] == row["own"]["frames"] - row["shared"]["frames"]
        assert row["shared"]["in_use"] == row["shared"]["objects"] * 256
