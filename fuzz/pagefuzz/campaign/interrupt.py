"""Ctrl-C or SIGTERM: the first lets a campaign end what it has begun, the second ends it at once.

Python would raise wherever it just is, between a result and its entry in the summary too.
"""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from pagefuzz.processes import ENDING

TOLD = b"interrupted: the units under way come to their end; again to leave at once\n"


class Interrupt:
    """Within `with`, either signal is remembered in `asked`, and raises only where it does no harm.

    at_once: whether the next one after the first may raise; true while units are at work, which can
    take long. Before, the canary is nearly done, and afterwards the summary is being written.
    """

    def __init__(self) -> None:
        self.asked = False
        self.at_once = False

    def __enter__(self) -> "Interrupt":
        self.before = {number: signal.signal(number, self._remember) for number in ENDING}
        return self

    def __exit__(self, *_: object) -> None:
        # An interrupted process is about to end with its own exit code: one more must not take it.
        for number, before in self.before.items():
            signal.signal(number, signal.SIG_IGN if self.asked else before)

    @contextmanager
    def heeded(self) -> Iterator[None]:
        """End the block where Ctrl-C raises, or an allocator under test raises the same."""
        try:
            yield
        except KeyboardInterrupt:
            self.asked = True

    def _remember(self, number: int, frame: FrameType | None) -> None:
        if self.asked and self.at_once:
            self.at_once = False
            raise KeyboardInterrupt
        if not self.asked:
            # Not print, which must not be entered twice.
            os.write(2, TOLD)
        self.asked = True
