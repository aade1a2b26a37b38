"""The command line's contract: lazy, one sentence for bad input, codes that scripts can trust."""

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import click
import pytest

from pagefuzz.cli import _entry as cli
from pagefuzz.errors import UsageError
from pagefuzz.exits import Exit, worst
from pagefuzz.report import console
from pagespec.trace_reader import parse
from pagespec.types import DomainError

HEAVY = ("numba", "numpy", "hypothesis", "crosshair", "rich")


@pytest.fixture
def speaking(monkeypatch: pytest.MonkeyPatch) -> "Speaking":
    return Speaking(monkeypatch)


class Speaking:
    """Replaces every command by one that raises or returns what the test gives."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.monkeypatch = monkeypatch

    def __call__(self, outcome: BaseException | Exit | None) -> int:
        @click.command()
        def command() -> Exit | None:
            if isinstance(outcome, BaseException):
                raise outcome
            return outcome

        self.monkeypatch.setattr(
            cli._Commands, "get_command", lambda _self, _context, _name: command
        )
        return cli.run(["list"])


def test_help_imports_nothing_heavy() -> None:
    """`pagefuzz --help` answers at once because the engines are not loaded."""
    code = (
        "import sys; from pagefuzz.cli._entry import run; assert run(['--help']) == 0;"
        f"print([name for name in {HEAVY} if name in sys.modules])"
    )
    path = ":".join(entry for entry in sys.path if entry)
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": path}, capture_output=True, text=True
    )

    assert done.stderr == ""
    assert done.stdout.splitlines()[-1] == "[]"


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    """What the table holds is what the user sees."""
    assert cli.run(["--help"]) == Exit.HELD

    shown = capsys.readouterr().out
    assert [name for name in cli.COMMANDS if f"\n  {name} " not in shown] == []


def test_table_and_modules_agree() -> None:
    """Every command of the table has its file, and every file of a command its line there."""
    folder = Path(cli.__file__).parent
    files = {path.stem for path in folder.glob("*.py") if "\ndef command(" in path.read_text()}

    assert set(cli.COMMANDS) == files


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "Makefile", ".ci/run"])
def test_pages_show_only_commands_that_exist(page: str) -> None:
    """A command that a page tells you to type is in the table."""
    text = (Path(__file__).parents[2] / page).read_text()
    shown = set(re.findall(r"(?:`|\.venv/bin/)pagefuzz ([a-z]+)", text))

    assert shown - set(cli.COMMANDS) == set()


def test_the_first_trace_that_a_reader_sees_is_one() -> None:
    """The example in README.md parses."""
    text = (Path(__file__).parents[2] / "README.md").read_text()
    example = text.partition("```\npagefuzz-trace")[2].partition("```")[0]

    assert len(parse(f"pagefuzz-trace{example}").requests) == 2


@pytest.mark.parametrize("name", list(cli.COMMANDS))
def test_every_command_has_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each command explains itself and exits 0."""
    assert cli.run([name, "--help"]) == Exit.HELD
    assert f"Usage: pagefuzz {name}" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["nonsense"], ["--nonsense"], ["doctor", "--nonsense"], []])
def test_wrong_usage_exits_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """A request that was not understood is no verdict, and no traceback."""
    assert cli.run(arguments) == Exit.USAGE

    captured = capsys.readouterr()
    assert captured.out == ""
    assert "Usage: pagefuzz" in captured.err
    assert "Traceback" not in captured.err


@pytest.mark.parametrize("error", [UsageError("no such target: x"), DomainError("top is 99")])
def test_bad_input_is_one_sentence(
    error: Exception, speaking: Speaking, capsys: pytest.CaptureFixture[str]
) -> None:
    """Typed errors become `error: <sentence>` on stderr and exit 2."""
    assert speaking(error) == Exit.USAGE
    assert capsys.readouterr() == ("", f"error: {error}\n")


def test_a_missing_package_is_named(speaking: Speaking, capsys: pytest.CaptureFixture[str]) -> None:
    """An incomplete installation is the environment's fault, and says which package."""
    assert speaking(ModuleNotFoundError("No module", name="numba.core")) == Exit.USAGE
    assert capsys.readouterr().err.startswith("error: the Python package numba ")


def test_interrupt_exits_130(speaking: Speaking) -> None:
    """Ctrl-C ends as the shell reports it."""
    assert speaking(KeyboardInterrupt()) == Exit.INTERRUPTED


def test_our_own_crash_is_no_verdict(
    speaking: Speaking, capsys: pytest.CaptureFixture[str]
) -> None:
    """An unexpected exception shows its traceback and exits 4, never 1."""
    assert speaking(ZeroDivisionError("ours")) == Exit.UNTRUSTWORTHY
    assert "ZeroDivisionError: ours" in capsys.readouterr().err


@pytest.mark.parametrize("code", list(Exit))
def test_a_commands_code_is_the_exit_code(code: Exit, speaking: Speaking) -> None:
    """What a command returns is what the shell sees."""
    assert speaking(code) == code


def test_commands_do_not_hide_what_the_entry_uses(speaking: Speaking) -> None:
    """A command named as a builtin, loaded before, leaves the entry whole."""
    for name in cli.COMMANDS:
        import_module(f"pagefuzz.cli.{name}")

    assert speaking(None) == Exit.HELD


def test_a_silent_command_held(speaking: Speaking) -> None:
    """A command that returns nothing had nothing to complain about."""
    assert speaking(None) == Exit.HELD


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        ([Exit.HELD, Exit.HELD], Exit.HELD),
        ([Exit.HELD, Exit.INCONCLUSIVE], Exit.INCONCLUSIVE),
        ([Exit.INCONCLUSIVE, Exit.BROKEN], Exit.BROKEN),
        ([Exit.BROKEN, Exit.UNTRUSTWORTHY, Exit.INCONCLUSIVE], Exit.UNTRUSTWORTHY),
        ([Exit.INTERRUPTED, Exit.BROKEN], Exit.BROKEN),
        ([], Exit.INCONCLUSIVE),
    ],
)
def test_the_worst_code_speaks(codes: list[Exit], expected: Exit) -> None:
    """4 before 1 before 3, and no verdict at all is inconclusive."""
    assert worst(codes) == expected


def test_piped_tables_are_complete(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a terminal nothing is cut, coloured or read as markup."""
    long = "x" * 300
    console.table("title [b]", ("name", "count"), [(long, 1), ("[red]", 20)])

    shown = capsys.readouterr().out
    assert long in shown
    assert "[red]" in shown
    assert "title [b]" in shown
    assert "\x1b" not in shown


def test_piped_progress_speaks_every_ten_seconds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A log gets one line per 10 s, on stderr, however often the job reports."""
    now = 0.0
    monkeypatch.setattr(console, "monotonic", lambda: now)
    with console.progress("run") as tell:
        for now in range(65):
            tell(f"ops {now}\nbroken 0")

    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines()[0] == "run 0m10s  ops 10 broken 0"
    assert captured.err.splitlines()[-1] == "run 1m00s  ops 60 broken 0"
    assert len(captured.err.splitlines()) == 6


def test_progress_on_a_terminal_speaks_at_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first word is shown without a wait, since the second may come seconds later."""
    monkeypatch.setenv("FORCE_COLOR", "1")  # by which rich takes a pipe for a terminal
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(console, "monotonic", lambda: 0.0)
    with console.progress("drift") as tell:
        tell("first")
        tell("too soon")
        shown = capsys.readouterr()

    assert shown.out == ""
    assert "first" in shown.err
    assert "too soon" not in shown.err


def test_the_seed_is_printed_in_full(capsys: pytest.CaptureFixture[str]) -> None:
    """Eight hexadecimal digits, as traces write it."""
    console.seed(0x1F3C9AB)

    assert capsys.readouterr().out == "seed 01f3c9ab\n"
