"""Drawing with matplotlib so that the same figures give the same bytes, and grey is enough.

matplotlib is imported only when something is drawn: it takes a second, and looks for fonts.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.typing import RcKeyType

STYLE: "dict[RcKeyType, object]" = {
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.labelsize": 10,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.dpi": 100,
    "font.family": "DejaVu Sans",  # comes with matplotlib, so it is the same everywhere
    "font.size": 10,
    "grid.color": "#e4e4e4",
    "legend.frameon": False,
    "lines.linewidth": 2.0,
    "savefig.dpi": 120,
    "svg.fonttype": "path",
    "svg.hashsalt": "pagefuzz",
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
}


class Ink(NamedTuple):
    """How a line is drawn: colour-blind readers tell it by darkness, and print by its dashes."""

    color: str
    dashes: str


DARK = Ink("#000000", "-")
BLUE = Ink("#0072b2", "-")
ORANGE = Ink("#d55e00", "--")
GREEN = Ink("#009e73", "-.")
GREY = Ink("#6a6a6a", ":")


@contextmanager
def drawing(width: float, height: float, title: str) -> Iterator["Figure"]:
    """A figure with its message above it; sizes in inches."""
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # no news of font caches
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context():
        # Not the user's settings: the pictures are to be the same bytes for everybody.
        mpl.rcdefaults()
        mpl.rcParams.update(STYLE)
        figure = Figure(figsize=(width, height), layout="constrained")
        figure.suptitle(title, x=0.01, ha="left", fontsize=12, fontweight="bold")
        yield figure


KINDS: dict[str, dict[str, None]] = {
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
}
"""Per kind of file, what it is not to say of when and by what it was made."""


def rendered(figure: "Figure") -> dict[str, bytes]:
    """The picture as each kind of file."""
    files = {}
    for kind, unsaid in KINDS.items():
        content = BytesIO()
        figure.savefig(content, format=kind, metadata=unsaid)
        files[kind] = content.getvalue()
    return files


def line(axes: "Axes", xs: list[float], ys: list[float], ink: Ink, *, steps: bool = False) -> None:
    """A line through the points, or level until the next one."""
    style = "steps-post" if steps else "default"
    axes.plot(xs, ys, color=ink.color, linestyle=ink.dashes, drawstyle=style)


def guide(axes: "Axes", y: float, text: str, *, right: bool = False) -> None:
    """A level to compare with, and its words at the left above it, or at the right below it."""
    axes.axhline(y, color=GREY.color, linestyle="--", linewidth=1.2)
    axes.annotate(
        text,
        (1 if right else 0, y),
        xycoords=("axes fraction", "data"),
        xytext=(-4, -4) if right else (5, 3),
        textcoords="offset points",
        color=GREY.color,
        fontsize=9,
        ha="right" if right else "left",
        va="top" if right else "bottom",
    )


def point(axes: "Axes", x: float, y: float) -> None:
    """A point to be named."""
    axes.plot([x], [y], color=DARK.color, marker="o", markersize=6)


def label(axes: "Axes", x: float, y: float, text: str, ink: Ink, dx: float, dy: float) -> None:
    """Words at a point, moved by so many printer's points."""
    axes.annotate(
        text,
        (x, y),
        xytext=(dx, dy),
        textcoords="offset points",
        color=ink.color,
        fontsize=9,
        ha="left" if dx >= 0 else "right",
        va="center" if dy == 0 else "bottom" if dy > 0 else "top",
        annotation_clip=False,
    )


def plain_numbers(axes: "Axes", *, x: bool = True, y: bool = True) -> None:
    """Ticks as numbers with all their digits, not as powers."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    for axis, wanted in ((axes.xaxis, x), (axes.yaxis, y)):
        if wanted:
            axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
            axis.set_minor_formatter(NullFormatter())
