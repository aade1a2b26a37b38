"""Pictures on disk: all of them are written, or none is changed."""

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from pagefuzz.errors import UsageError


def check_replaceable(folder: Path, names: Iterable[str]) -> None:
    """See that nothing but plain files would be replaced, before the work of drawing is done.

    Raises UsageError.
    """
    for path in (folder / name for name in names):
        if path.exists() and not path.is_file():
            raise UsageError(f"{path} is no plain file; expected one to replace, or nothing there")


def write_all(folder: Path, pictures: Mapping[str, bytes]) -> list[Path]:
    """Write each picture under its name, and return the files.

    They are written under other names first, so that a full disk leaves the old ones whole. Raises
    UsageError.
    """
    check_replaceable(folder, pictures)
    halves = {folder / name: folder / f"{name}.{os.getpid()}.half" for name in pictures}
    path = folder
    try:
        for path, half in halves.items():
            half.write_bytes(pictures[path.name])
        for path, half in halves.items():
            half.replace(path)
    except OSError as error:
        raise UsageError(f"{path} could not be written: {error.strerror}") from None
    finally:
        for half in halves.values():
            with suppress(OSError):
                half.unlink(missing_ok=True)
    return list(halves)
