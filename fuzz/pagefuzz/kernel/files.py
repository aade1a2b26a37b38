"""Opening what users hand in: plain, .xz and .gz text, and where a run keeps its parts.

Every failure is a sentence that names the file, what was expected and what was found.
"""

import gzip
import lzma
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import IO, cast

from pagefuzz.errors import UsageError

STDIN = "-"
READ_ERRORS = (OSError, EOFError, lzma.LZMAError, zlib.error)


def numbered_lines(path: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text file with their numbers from 1; `-` is standard input.

    Undecodable bytes are kept as replacement characters, since a task may be called anything; a NUL
    byte means that the file is no text. UsageError says at which line reading ended and why.
    """
    number = 0
    try:
        with _opened(path) as stream:
            for number, raw in enumerate(stream, 1):
                if b"\0" in raw:
                    raise UsageError(f"{path}:{number}: expected text, got binary data.")
                yield number, raw.decode("utf-8", "replace").rstrip("\r\n")
    except READ_ERRORS as error:
        raise UsageError(f"{path}:{number + 1}: cannot read further: {_reason(error)}.") from error


def beside(trace: str, *names: str) -> Path | None:
    """Return the first of the names that exists in the directory of the trace."""
    if trace == STDIN:
        return None
    directory = Path(trace).parent
    return next((directory / name for name in names if (directory / name).exists()), None)


@contextmanager
def _opened(path: str) -> Iterator[IO[bytes]]:
    if path == STDIN:
        yield _unpacked(cast(BufferedReader, sys.stdin.buffer))
        return
    if not Path(path).exists():
        raise UsageError(f"{path}: expected a file, got no such file.")
    if Path(path).is_dir():
        raise UsageError(f"{path}: expected a file, got a directory.")
    with open(path, "rb") as stream:
        yield _unpacked(stream)


def _unpacked(stream: BufferedReader) -> IO[bytes]:
    # By what it is, not by its name: a pipe has none.
    magic = stream.peek(6)
    if magic.startswith(b"\xfd7zXZ\0"):
        return lzma.open(stream)
    if magic.startswith(b"\x1f\x8b"):
        return cast(IO[bytes], gzip.open(stream))
    return stream


def _reason(error: Exception) -> str:
    if isinstance(error, EOFError):
        return "expected the end of the compressed data, got the end of the file (truncated)"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error)
