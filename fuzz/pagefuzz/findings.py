"""Findings on disk: a failure is a file before anything else is done with it.

A file is named by its law and its content, so that the same failure found twice is one file and
files of several runs can be merged by copying.
"""

import os
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryFile

from pagefuzz.errors import UsageError
from pagespec.host_trace import AnyTrace, any_text_of


def make_ready(folder: Path, option: str = "--out", what: str = "traces") -> None:
    """Make the folder, since a finding that cannot be kept would be lost after all the work.

    option, what: how it was named, and what is to be written. Raises UsageError.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise UsageError(
            f"{option} {folder}: {error.strerror}; expected a folder in which {what} can be written"
        ) from None


def keep(trace: AnyTrace, folder: Path) -> Path:
    """Write the trace, whole or not at all, and return where it stands."""
    folder.mkdir(parents=True, exist_ok=True)
    text = any_text_of(trace)
    digest = sha256(text.encode()).hexdigest()[:12]
    path = folder / f"{trace.expect or 'no-law'}-{digest}.trace"
    # A reader, or a process that is killed, must never see half a trace.
    half = path.with_suffix(f".{os.getpid()}.half")
    try:
        half.write_text(text, encoding="utf-8")
        half.replace(path)
    except OSError:
        half.unlink(missing_ok=True)
        raise
    return path
