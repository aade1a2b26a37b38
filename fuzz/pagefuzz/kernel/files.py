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
    for number, text in _lines(path):
        yield number, text.rstrip("\r\n")


def _lines(path: str) -> Iterator[tuple[int, str]]:
    number = 0
    try:
        with _opened(path) as stream:
            for number, raw in enumerate(stream, 1):
                if b"\0" in raw:
                    raise UsageError(f"{path}:{number}: expected text, got binary data")
                yield number, raw.decode("utf-8", "replace")
    except READ_ERRORS as error:
        raise UsageError(f"{path}:{number + 1}: cannot read further: {_reason(error)}") from error


def beside(trace: str, *names: str) -> Path | None:
    """Return the first of the names that exists in the directory of the trace."""
    if trace == STDIN:
        return None
    directory = Path(trace).parent
    return next((directory / name for name in names if (directory / name).exists()), None)


def text_of(path: str) -> str:
    """Return the whole text of a file, with the end of its last line if it has one."""
    lines = [text for _, text in _lines(path)]
    return "".join(lines)


def begins_with(path: str, first: bytes) -> bool:
    """Return whether a file's text begins so.

    Nothing is taken from a pipe: standard input is looked into unless it is compressed, and a named
    one is not. What cannot be read begins with nothing.
    """
    if path == STDIN:
        return cast(BufferedReader, sys.stdin.buffer).peek(len(first)).startswith(first)
    if not Path(path).is_file():
        return False
    try:
        with _opened(path) as stream:
            return stream.read(len(first)) == first
    except (UsageError, *READ_ERRORS):
        return False


@contextmanager
def _opened(path: str) -> Iterator[IO[bytes]]:
    if path == STDIN:
        yield _unpacked(cast(BufferedReader, sys.stdin.buffer))
        return
    if not Path(path).exists():
        raise UsageError(f"{path}: expected a file, got no such file")
    if Path(path).is_dir():
        raise UsageError(f"{path}: expected a file, got a directory")
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
