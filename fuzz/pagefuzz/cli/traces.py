"""Reading trace files for commands: every fault of a file is one sentence with its place."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pagefuzz.errors import UsageError
from pagespec.host_trace import AnyTrace, parse_any
from pagespec.trace import TraceError
from pagespec.types import DomainError


def read_trace(path: Path) -> AnyTrace:
    """The trace in the file. Raises UsageError as `file:line: sentence`."""
    try:
        return parse_any(path.read_text(encoding="utf-8"))
    except TraceError as error:
        raise UsageError(f"{path}:{error.line}: {error.sentence}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path}:1: expected a trace in text, got bytes that are none") from None
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}; expected a readable file") from None


@contextmanager
def named(path: Path) -> Iterator[None]:
    """Let the sentence that says why nobody can serve the trace begin with its file."""
    try:
        yield
    except (UsageError, DomainError) as error:
        raise UsageError(f"{path}: {error}") from None


def trace_files(path: Path) -> Iterator[Path]:
    """The file itself, or the traces below a folder. Raises UsageError if there are none."""
    if not path.is_dir():
        yield path
        return
    found = sorted(path.rglob("*.trace"))
    if not found:
        raise UsageError(f"{path}: no trace below this folder; expected files named *.trace")
    yield from found
