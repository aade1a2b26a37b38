"""What people see: results on stdout, progress on stderr.

Colours and live panels appear on a terminal only; piped output is plain, complete and stable.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic

from rich.cells import cell_len
from rich.console import Console
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from pagefuzz.report.words import cell as text_of

Tell = Callable[[str], None]

_LINE_EVERY_S = 10.0
_PANEL_EVERY_S = 0.2
_NO_LIMIT = 10_000  # columns: a pipe has no width, and a cut cell is a lost fact


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table on stdout; numbers stand right, everything else left.

    Cells are never read as markup, so that `[6.1]` in a name stays what it is; None is an
    empty one. On a terminal cells are broken between words alone, and lines run over where that is
    not enough, since a number that has lost digits is another number.
    """
    body = [list(row) for row in rows]
    drawn = Table(title=Text(title), title_justify="left", title_style="bold")
    for place, name in enumerate(columns):
        numeric = bool(body) and all(isinstance(row[place], int | float | None) for row in body)
        words = " ".join([name, *(text_of(row[place]) for row in body)]).split()
        drawn.add_column(
            Text(name),
            justify="right" if numeric else "left",
            min_width=max(map(cell_len, words), default=0),
        )
    for row in body:
        drawn.add_row(*(Text(text_of(cell)) for cell in row))
    _console(stderr=False).print(drawn, crop=False)


def seed(value: int) -> None:
    """Print the seed on stdout; a campaign does so first and last, also when all is well."""
    print(f"seed {value:08x}", flush=True)


@contextmanager
def progress(title: str) -> Iterator[Tell]:
    """Yield `tell(line)`, which shows the latest state of a long job on stderr.

    On a terminal it is a panel that disappears at the end, so it may have several lines; elsewhere
    one line every 10 s, so that a log of an hour stays readable. Calling it often is cheap.
    """
    console = _console(stderr=True)
    started = monotonic()
    shown = started

    def elapsed() -> str:
        minutes, seconds = divmod(int(monotonic() - started), 60)
        return f"{minutes}m{seconds:02}s"

    if not console.is_terminal:

        def tell_line(line: str) -> None:
            nonlocal shown
            if monotonic() - shown >= _LINE_EVERY_S:
                shown = monotonic()
                console.print(Text(f"{title} {elapsed()}  {' '.join(line.split())}"))

        yield tell_line
        return

    shown -= _PANEL_EVERY_S  # the first word at once: the next one may take seconds
    # No refresh thread: a campaign may start its workers by fork while the panel is up.
    with Live(console=console, auto_refresh=False, transient=True) as live:

        def tell_panel(line: str) -> None:
            nonlocal shown
            if monotonic() - shown >= _PANEL_EVERY_S:
                shown = monotonic()
                live.update(Panel(Text(line), title=f"{title} {elapsed()}"), refresh=True)

        yield tell_panel


def _console(*, stderr: bool) -> Console:
    console = Console(stderr=stderr, highlight=False)
    if not console.is_terminal:
        console.width = _NO_LIMIT
    return console
