"""The pictures of `pagefuzz drift`: one message each, nothing over another, the same bytes."""

import re
import resource
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
import pytest

from pagefuzz.cli._entry import run
from pagefuzz.drift import canvas, files, page, pictures
from pagefuzz.drift.machine import REVIEWED, Asked, asked
from pagefuzz.errors import UsageError
from pagefuzz.exits import Exit
from pagefuzz.pages import DOCS
from pagefuzz.pages import PICTURES as IMAGES
from pagespec.vmstat.machine import CountedZone

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

FILES = {f"{name}.{kind}" for name in pictures.PICTURES for kind in ("svg", "png")}
FIRST = "drift-by-threshold.svg"
SECOND = "drift-by-threshold.png"

MACHINES = {
    "review": asked(*REVIEWED),
    "laptop": asked("6.1", 4, (CountedZone(0, 2**19), CountedZone(0, 3 * 2**20))),
    "large": asked("6.12", 1024, (CountedZone(0, 2**26),)),
    "no pressure": asked("2.6.37", 64, (CountedZone(0, 2**22),)),
    "no marks": asked("4.10", 8, (CountedZone(0, 2**18),), 0),
    "one page": asked("4.10", 1, (CountedZone(0, 1),), 0),
}


def drawn(machine: Asked, monkeypatch: pytest.MonkeyPatch) -> "dict[str, Figure]":
    """Each picture as it is about to be written, laid out."""
    kept: list[Figure] = []
    told: list[str] = []

    def keep(figure: "Figure") -> dict[str, bytes]:
        figure.draw_without_rendering()
        kept.append(figure)
        return {}

    monkeypatch.setattr(pictures, "rendered", keep)
    pictures.draw_all(machine, told.append)
    assert told == [f"drawing {name}" for name in pictures.PICTURES]
    return dict(zip(pictures.PICTURES, kept, strict=True))


def test_the_pages_pictures_are_current(tmp_path: Path) -> None:
    """If this fails, `python -m pagefuzz.pages` mends them; no setting of a user changes a byte."""
    with mpl.rc_context({"axes.edgecolor": "red", "font.size": 20}):
        paths = page.draw(tmp_path)

    assert {path.name for path in paths} == FILES <= {path.name for path in IMAGES.iterdir()}
    assert [path.name for path in paths if path.read_bytes() != image(path).read_bytes()] == []


def image(path: Path) -> Path:
    return IMAGES / path.name


def test_pictures_say_nothing_of_when_and_where() -> None:
    """No date, no version, no address but those of the format."""
    for path in IMAGES.glob("*.svg"):
        text = path.read_text()
        assert re.findall(r"<dc:(?:date|creator)|matplotlib v\d", text, re.I) == []
    for path in IMAGES.glob("*.png"):
        assert b"tEXt" not in path.read_bytes()


def test_the_page_shows_every_picture_in_words_too() -> None:
    """Each is there once, with a text for those who do not see it."""
    shown = re.findall(r"!\[(.+)\]\(images/(.+)\)", (DOCS / "drift.md").read_text())

    assert [name for _, name in shown] == [f"{name}.svg" for name in pictures.PICTURES]
    assert all(len(words) > 60 for words, _ in shown)


def test_plot_writes_what_it_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """SVG and PNG of each picture, whose paths end the output; the folder is made."""
    folder = tmp_path / "new" / "folder"

    assert run(["drift", "--cpus", "4", "--zone", "2G", "--plot", str(folder)]) == Exit.HELD
    written = capsys.readouterr().out.splitlines()[-len(FILES) :]
    assert {Path(line) for line in written} == set(folder.iterdir())
    assert {path.name for path in folder.iterdir()} == FILES


@pytest.mark.parametrize("target", ["directory", "/dev/full"])
def test_what_is_no_plain_file_is_not_replaced(
    target: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One sentence with its name and exit 2, before anything is printed or drawn."""
    place = tmp_path / "drift-by-cpus.svg"
    if target == "directory":
        place.mkdir()
    else:
        place.symlink_to(target)

    assert run(["drift", "--plot", str(tmp_path)]) == Exit.USAGE
    assert capsys.readouterr() == (
        "",
        f"error: {place} is no plain file; expected one to replace, or nothing there\n",
    )
    assert list(tmp_path.iterdir()) == [place]


def test_a_full_disk_leaves_the_old_pictures(tmp_path: Path) -> None:
    """The sentence names the file that did not fit; others are as they were, and no half is left.

    A limit on the size of files stands for the disk.
    """
    (tmp_path / FIRST).write_bytes(b"old")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(UsageError, match=f"{SECOND} could not be written: File too large"):
            files.write_all(tmp_path, {FIRST: b"new", SECOND: bytes(2000)})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {FIRST: b"old"}
    assert files.write_all(tmp_path, {FIRST: b"new"}) == [tmp_path / FIRST]
    assert (tmp_path / FIRST).read_bytes() == b"new"


@pytest.mark.parametrize("name", MACHINES)
def test_words_lie_apart_and_inside(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No label of any panel covers another or is cut off; axes are named with units, no legend."""
    for picture, figure in drawn(MACHINES[name], monkeypatch).items():
        labels = [text for axes in figure.axes for text in axes.texts]
        boxes = [(text.get_text(), text.get_window_extent()) for text in labels]
        assert len(boxes) >= 4, picture
        hidden = [(a, b) for (a, one), (b, two) in combinations(boxes, 2) if one.overlaps(two)]
        assert hidden == [], picture
        edge = figure.bbox
        assert [
            text
            for text, box in boxes
            if not (edge.x0 <= box.x0 and box.x1 <= edge.x1 and box.y1 <= edge.y1)
        ] == [], picture
        assert not [axes for axes in figure.axes if axes.get_legend()], picture
        names = [figure.get_supxlabel(), figure.get_supylabel()]
        names += [
            axis.get_label_text() for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)
        ]
        named = " ".join(names)
        assert re.search("CPUs|in pages", named), picture
        assert re.search("in MiB|in 1,000 updates", named), picture


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "review",
            {
                "drift-by-threshold": "threshold of 73 on, 112 CPUs can hide more",
                "drift-by-cpus": "8 CPUs in a zone of 1 GiB and 66 CPUs in a zone of 31 GiB",
                "folds-by-cpus": "a zone of 31 GiB is there from 64 CPUs on",
            },
        ),
        (
            "large",
            {
                "drift-by-threshold": "threshold of 66 on, 1,024 CPUs can hide more",
                "drift-by-cpus": "8 CPUs in a zone of 1 GiB and 537 CPUs in a zone of 256 GiB",
                "folds-by-cpus": "a zone of 256 GiB is there from 16 CPUs on",
            },
        ),
        (
            "one page",
            {
                "drift-by-threshold": "threshold of 1 on, 1 CPU can hide more",
                "drift-by-cpus": "1 CPU in a zone of 4 KiB and 135 CPUs in a zone of 64 GiB",
                "folds-by-cpus": "a zone of 4 KiB is not there with 1,024 CPUs",
            },
        ),
    ],
)
def test_titles_carry_the_machines_figures(
    name: str, expected: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message of each picture is of the machine that was asked about."""
    titles = {stem: one.get_suptitle() for stem, one in drawn(MACHINES[name], monkeypatch).items()}

    assert [titles[stem] for stem, words in expected.items() if words not in titles[stem]] == []


def test_lines_are_the_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Points of the lines, read back: 112 CPUs keep 54.6875 MiB at 125, and fold at every 188th."""
    figures = drawn(MACHINES["review"], monkeypatch)
    by_threshold, folds = figures["drift-by-threshold"].axes
    panel = figures["drift-by-cpus"].axes[2]
    steps = figures["folds-by-cpus"].axes[0].lines[2]

    assert (125, 112 * 125 / 256) in points(by_threshold.lines[0])
    assert [(125, 1000 / 188) in points(line) for line in folds.lines].count(True) == 1
    assert panel.get_title() == "a zone of 31 GiB"
    assert (112, 54.6875) in points(panel.lines[0])
    assert {(1, 1000 / 28), (1024, 1000 / 188)} <= points(steps)


def points(line: "Line2D") -> set[tuple[float, float]]:
    return {(float(x), float(y)) for x, y in np.asarray(line.get_xydata())}


def test_lines_differ_in_grey_too() -> None:
    """Any two kinds of line differ by their dashes, or by half of how dark they are."""
    inks = (canvas.DARK, canvas.BLUE, canvas.ORANGE, canvas.GREEN, canvas.GREY)

    for one, other in combinations(inks, 2):
        apart = abs(darkness(one.color) - darkness(other.color))
        assert one.dashes != other.dashes or apart > 0.3


def darkness(color: str) -> float:
    red, green, blue = (int(color[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return 0.299 * red + 0.587 * green + 0.114 * blue
