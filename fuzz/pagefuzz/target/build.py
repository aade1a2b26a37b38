"""From one C file to a shared library, built once for each text and kept."""

import hashlib
import os
import shlex
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from pagefuzz.errors import UsageError
from pagefuzz.target.native import HEADER

COMPILERS = ("cc", "gcc", "clang")
"""The system's C compilers, the first that is there; the environment's CC goes before."""

_ALWAYS = ("-std=c11", "-shared", "-fPIC", f"-I{HEADER.parent}")
_USUALLY = "-O2 -g"


def built(source: Path) -> Path:
    """The library of a C file, compiled with CC and CFLAGS of the environment if they are set.

    The key is the text after preprocessing, so a change in any file that it includes counts.
    Raises UsageError without a compiler, and for a file that does not compile.
    """
    command = [*_compiler(source), *_ALWAYS, *shlex.split(os.environ.get("CFLAGS", _USUALLY))]
    text = _run([*command, "-E", str(source)], source)
    digest = hashlib.sha256("\0".join(command).encode() + b"\0" + text).hexdigest()
    library = _directory() / f"{source.stem}-{digest[:32]}.so"
    if not library.exists():
        # Built aside and moved, so that several processes may build it at once.
        with tempfile.TemporaryDirectory(dir=library.parent) as aside:
            made = Path(aside, library.name)
            _run([*command, "-o", str(made), str(source)], source)
            made.replace(library)
    return library


def _compiler(source: Path) -> list[str]:
    asked = os.environ.get("CC")
    names = [asked] if asked else COMPILERS
    for name in names:
        words = shlex.split(name)
        if words and shutil.which(words[0]):
            return words
    raise UsageError(
        f"target {source}: no C compiler was found; expected {' or '.join(names)} on the PATH: "
        "install one (on Debian and Ubuntu apt-get install gcc), or name one in CC"
    )


def _run(command: list[str], source: Path) -> bytes:
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode == 0:
        return done.stdout
    lines = done.stderr.decode(errors="replace").splitlines()
    told = next((line for line in lines if "error" in line), lines[-1] if lines else "no message")
    raise UsageError(
        f"target {source}: {command[0]} did not compile it: {told.strip()}; expected C11 that "
        f"includes {HEADER.name}"
    )


@cache
def _directory() -> Path:
    """The user's cache, or a directory of this process where that cannot be written."""
    root = os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()
    kept = Path(root, "pagefuzz", "targets")
    try:
        kept.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=kept):
            return kept
    except OSError:
        return Path(tempfile.mkdtemp(prefix="pagefuzz-"))
