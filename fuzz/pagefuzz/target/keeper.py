"""The near end of `serve`: a process that has a library loaded, and what became of it."""

import os
import signal
import socket
import subprocess
import sys
import weakref
from pathlib import Path
from typing import NamedTuple

from pagefuzz.target import serve
from pagefuzz.target.serve import REPLY, REQUEST, Ask


class Died(Exception):
    """The library crashed, left or hung in the middle of a call; the message says which."""


class Reply(NamedTuple):
    """What the library returned, and what it showed."""

    value: int
    payload: bytes


class Keeper:
    """A process that has the library loaded, and serves one allocator at a time.

    hello: what the library says of itself, as JSON. Raises Died if loading it ends the process.
    """

    def __init__(self, library: Path) -> None:
        self.channel, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-I", "-S", serve.__file__, library, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
            )
        self.owner = os.getpid()
        weakref.finalize(self, _end, self.owner, self.process, self.channel)
        try:
            self.hello = self._reply().payload
        except (EOFError, OSError):
            raise Died(last_words(self.process.wait())) from None

    def ask(
        self, what: Ask, order: int = 0, pfn: int = 0, cpu: int = 0, payload: bytes = b""
    ) -> Reply:
        """Put a request to the allocator and wait for its reply.

        CREATE takes a machine and ALLOC_BULK an array as their payload, and no order. Raises Died;
        EOFError or OSError if the keeper itself is gone.
        """
        self.channel.sendall(REQUEST.pack(what, len(payload) or order, pfn, cpu) + payload)
        return self._reply()

    def _reply(self) -> Reply:
        died, value, size = REPLY.unpack(serve.receive(self.channel, REPLY.size))
        if died:
            raise Died(last_words(value))
        return Reply(value, serve.receive(self.channel, size) if size else b"")


def _end(owner: int, process: "subprocess.Popen[bytes]", channel: socket.socket) -> None:
    # A forked copy of this process has the same socket, and no business with it.
    if os.getpid() == owner:
        channel.close()
        process.wait()


def last_words(status: int) -> str:
    """How a process ended, from its exit status or minus its signal.

    >>> last_words(-11)
    'it crashed by SIGSEGV'
    """
    if -status in (signal.SIGPROF, signal.SIGALRM):
        return "it hung, and was stopped"
    if status < 0:
        return f"it crashed by {signal.Signals(-status).name}"
    return f"it left by exit({status})"
