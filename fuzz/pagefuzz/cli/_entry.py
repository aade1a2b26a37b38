"""The way in: one table of commands, each imported when it is used.

`pagefuzz.cli.NAME` holds `command`, a `click.Command` whose callback returns an `Exit` (or None,
which is HELD). Bad input is a typed error and ends here as one sentence and exit 2.
"""

import errno
import signal
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module

import click

from pagefuzz.cli._streams import drop, outlive_readers
from pagefuzz.errors import UsageError
from pagefuzz.exits import Exit

COMMANDS = {
    "run": "Fuzz a target against the spec, canary first, traces of real kernels last.",
    "smoke": "Run every engine briefly with a fixed seed.",
    "replay": "Run saved traces again: FIXED, FAILED or ERROR for each.",
    "show": "Draw a trace step by step: free lists by order, counters.",
    "shrink": "Find the smallest trace that breaks the same law.",
    "diff": "Find the shortest traces on which two eras, or two allocators, part.",
    "check": "Ask whether a real kernel's trace keeps the laws.",
    "prove": "Check contracts symbolically and small zones exhaustively.",
    "explore": "Explore who may come between whom: CPUs, interrupts and locks, step by step.",
    "irqsoff": "Say how long each operation has interrupts off, at most and at worst.",
    "mutants": "Plant known bugs and see that each one is found.",
    "slabs": "Count what groups that share caches save in slabs.",
    "drift": "Weigh what CPUs keep back of counters against how often they tell.",
    "bench": "Measure steps and operations per second.",
    "list": "List targets, laws, eras, events and mutants.",
    "doctor": "Say whether this installation can be trusted.",
}


class _Commands(click.Group):
    """A group that knows its commands' help without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = import_module(f"pagefuzz.cli.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="pagefuzz")
def pagefuzz() -> None:
    """Judge a page allocator: laws, a spec that runs, and engines that try to break them.

    Exit codes: 0 every law held; 1 a law broken; 2 usage or environment; 3 inconclusive or vacuous;
    4 the harness is not trustworthy; 130 interrupted.
    """


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code, never letting bad input become a traceback."""
    try:
        code = pagefuzz.main(list(arguments), prog_name="pagefuzz", standalone_mode=False)
    except click.Abort:  # click's name for KeyboardInterrupt
        return _say("interrupted", Exit.INTERRUPTED)
    except click.ClickException as error:
        error.show()
        return Exit.USAGE
    except Exception as error:
        if (sentence := _sentence(error)) is not None:
            return _say(f"error: {sentence}", Exit.USAGE)
        # Not exit 1, which Python would choose: a crash of ours is no verdict about a target.
        traceback.print_exc()
        return Exit.UNTRUSTWORTHY
    return Exit.HELD if code is None else int(code)


def main() -> None:
    """Enter from the shell.

    SIGTERM, by which `timeout` and CI end a job, asks for what Ctrl-C asks: a summary.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        outlive_readers()
    except UsageError as error:
        sys.exit(_say(f"error: {error}", Exit.USAGE))
    sys.exit(_written(run(sys.argv[1:])))


def _written(code: int) -> int:
    """Write what stdout still holds, and return the exit code, which is of usage if that fails.

    What is left goes nowhere then: Python would try again at its end, and show how that fails.
    """
    try:
        sys.stdout.flush()
    except OSError as error:
        drop(sys.stdout.fileno())
        if code != Exit.USAGE:
            return _say(f"error: {_sentence(error) or error}", Exit.USAGE)
    return code


def _sentence(error: Exception) -> str | None:
    """Return what to tell the user if the error is theirs or the environment's, else None."""
    from pagespec.types import DomainError

    if isinstance(error, UsageError | DomainError):
        return str(error)
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EIO):
        return f"the output could not be written: {error.strerror}"
    if isinstance(error, ModuleNotFoundError) and error.name:
        package = error.name.partition(".")[0]
        if package not in ("pagespec", "pageimpl", "pagefuzz"):
            return f"the Python package {package} is not installed: repeat the installation"
    return None


def _say(line: str, code: Exit) -> Exit:
    click.echo(line, err=True)
    return code
