"""Ctrl-C: the first lets a campaign end what it has begun, the second ends it at once.

Python would raise wherever it just is, between a result and its entry in the summary too.
"""

import os
import signal
from types import FrameType

TOLD = b"interrupted: the units under way come to their end; again to leave at once\n"


class Interrupt:
    """Within `with`, the first Ctrl-C is remembered in `asked`; the next one raises as ever.

    Once the summary is being written, which takes a moment, any more come too late to matter.
    """

    def __init__(self) -> None:
        self.asked = False

    def __enter__(self) -> "Interrupt":
        self.before = signal.signal(signal.SIGINT, self._remember)
        return self

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGINT, self.before)

    def let_finish(self) -> None:
        """Pay no more heed to Ctrl-C until the end."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    def _remember(self, number: int, frame: FrameType | None) -> None:
        self.asked = True
        signal.signal(signal.SIGINT, self.before)
        # Not print, which must not be entered twice.
        os.write(2, TOLD)
