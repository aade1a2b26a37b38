"""Standard output and error as a command finds them: closed, or read by someone who may leave.

Whoever pipes results into `head` has chosen to see no more. That changes nothing about what holds:
the command comes to its end, writes its findings, and its exit code is its verdict.
"""

import io
import os
import sys
from typing import TYPE_CHECKING, TextIO

from pagefuzz.errors import UsageError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class _Heard(io.FileIO):
    """A stream whose reader may leave: what is written after that goes nowhere."""

    def write(self, data: "ReadableBuffer") -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            drop(self.fileno())
            return memoryview(data).nbytes


def drop(descriptor: int) -> None:
    """Let all that is written to a descriptor from here on go nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


def outlive_readers() -> None:
    """Let stdout and stderr outlive their readers. Raises UsageError if stdout is closed."""
    # Python's name for a stream that was closed before it started, to which print says nothing.
    if sys.stdout is None:
        raise UsageError(
            "standard output is closed: expected a file, a pipe or a terminal to write results to"
        )
    sys.stdout = _heard(sys.stdout)
    if sys.stderr is not None:
        sys.stderr = _heard(sys.stderr)


def _heard(stream: TextIO) -> TextIO:
    return io.TextIOWrapper(
        io.BufferedWriter(_Heard(stream.fileno(), "wb", closefd=False)),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream is sys.stderr or stream.isatty(),
    )
