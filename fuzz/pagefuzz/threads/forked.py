"""Work in a fork of this process, which alone is ended by what it may do to itself.

A faulty kernel may never end, or write where it should not. What this process has compiled, its
fork has too.
"""

import json
import os
import select
import signal
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

Told: TypeAlias = list[str | int | None]
"""What work has to say, as far as it goes over a pipe."""

ROOM = 4096
"""Bytes that a pipe takes at once, whoever reads."""


class Ended(NamedTuple):
    """How the work ended.

    told: what it returned, or None if it did not come to that; then `how` says why.
    """

    told: Told | None
    how: str


def forked(work: Callable[[], Told], seconds: float) -> Ended:
    """Do the work in a fork, which is stopped after so long."""
    theirs, ours = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            text = json.dumps(work()).encode()
            os.write(ours, text if len(text) <= ROOM else b"[]")
        finally:
            # Not by an exception: nothing of the parent's may be ended here.
            os._exit(0)
    os.close(ours)
    with os.fdopen(theirs, "rb") as pipe:
        ready, _, _ = select.select([pipe], [], [], seconds)
        if not ready:
            os.kill(child, signal.SIGKILL)
        text = pipe.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if text:
        return Ended(json.loads(text), "")
    if not ready:
        return Ended(None, f"it did not end within {seconds:.0f} seconds, and was stopped")
    return Ended(None, f"its process ended with status {status}")
