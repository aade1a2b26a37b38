"""The processes in which a shared library runs, so that its crash ends them and not the run.

The keeper loads the library once. For each allocator it forks a child that serves the requests and
waits for it; a child starts from the same memory each time, so nothing that one allocator breaks
reaches the next, and a trace means the same wherever it is replayed. Every request gets one reply:
from the child, or from the keeper that saw it die. A child that does not answer ends itself by a
timer, of processor time for loops and of real time for sleeps.

Started as a script, with the standard library alone: it must come up and fork quickly.
"""

import ctypes
import json
import os
import resource
import signal
import socket
import struct
import sys
from array import array
from collections.abc import Callable
from enum import IntEnum
from typing import TypeAlias

REQUEST = struct.Struct("=qqqq")
"""What is asked, then three numbers: order, pfn and CPU. What has a payload has its length for an
order."""

REPLY = struct.Struct("=qqq")
"""Whether the library died, what it returned (or how it died), and the payload's length."""

CLOSED = 113
"""The exit status of a child that was asked to end."""

REQUEST_SECONDS, FRAME_SECONDS, LOADING_SECONDS = 0.2, 1e-6, 2.0
"""Processor time after which a request hangs, with so much more for each frame of the zone, and
after which the loading of the library does."""

PATIENCE = 50
"""How much more a call may sleep than it may compute."""

REQUIRED = ("pf_abi", "pf_create", "pf_destroy", "pf_alloc", "pf_free")
OPTIONAL = (
    ("promises", ("pf_promises",)),
    ("lists", ("pf_free_list",)),
    ("counts", ("pf_nr_free", "pf_free_pages")),
    ("references", ("pf_alloc_compound", "pf_get", "pf_put")),
    ("cpus", ("pf_alloc_on", "pf_free_on", "pf_drain")),
    ("bulk", ("pf_alloc_bulk",)),
    ("threads", ("pf_threads",)),
)
"""What a library may offer besides, and the functions that make it up."""

_ZONE, _LONG, _ORDER = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int32
_Type: TypeAlias = type[ctypes.c_void_p] | type[ctypes.c_int64] | type[ctypes.c_int32]


class Ask(IntEnum):
    """What a request asks for, by the function of the library that serves it."""

    CREATE = 0
    DESTROY = 1
    ALLOC = 2
    ALLOC_COMPOUND = 3
    FREE = 4
    GET = 5
    PUT = 6
    FREE_LIST = 7  # of every order, and then the counts if there are any
    ALLOC_ON = 8
    FREE_ON = 9
    DRAIN = 10
    ALLOC_BULK = 11  # its payload, there and back, is the array


class Run(ctypes.Structure):
    """struct pf_run."""

    _fields_ = [("first", _LONG), ("end", _LONG)]


class Description(ctypes.Structure):
    """struct pf_machine."""

    _fields_ = [
        ("size", _LONG),
        ("start", _LONG),
        ("pages", _LONG),
        ("top", _LONG),
        ("index_base", _LONG),
        ("run_count", _LONG),
        ("runs", ctypes.POINTER(Run)),
        ("hole_count", _LONG),
        ("holes", ctypes.POINTER(Run)),
        ("era", ctypes.c_char_p),
        ("cpus", _LONG),
        ("batch", _LONG),
        ("high", _LONG),
    ]


def receive(channel: socket.socket, size: int) -> bytes:
    """Exactly so many bytes. Raises EOFError if the other side has gone."""
    data = channel.recv(size)
    while len(data) < size:
        more = channel.recv(size - len(data))
        if not more:
            raise EOFError
        data += more
    return data


def _reply(channel: socket.socket, died: bool, value: int, payload: bytes = b"") -> None:
    channel.sendall(REPLY.pack(died, value, len(payload)) + payload)


def _limit(seconds: float) -> None:
    """End this process after so long of processor time, or fifty times that of real time.

    Processor time, because a busy machine must not make a hang of a request that waits its turn.
    """
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE * seconds)


def _load(path: str) -> tuple[ctypes.CDLL | None, dict[str, object]]:
    """The library, and what it says of itself for `native` to judge."""
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        return None, {"error": str(error)}
    there = {name for name in REQUIRED if hasattr(library, name)}
    there |= {name for _, names in OPTIONAL for name in names if hasattr(library, name)}
    takes: dict[str, list[_Type]] = {
        "pf_alloc": [_ZONE, _ORDER],
        "pf_alloc_compound": [_ZONE, _ORDER],
        "pf_free": [_ZONE, _LONG, _ORDER],
        "pf_get": [_ZONE, _LONG],
        "pf_put": [_ZONE, _LONG],
        "pf_free_list": [_ZONE, _ORDER, _ZONE, _LONG],
        "pf_nr_free": [_ZONE, _ORDER],
        "pf_free_pages": [_ZONE],
        "pf_alloc_on": [_ZONE, _ORDER, _ORDER],
        "pf_free_on": [_ZONE, _LONG, _ORDER, _ORDER],
        "pf_drain": [_ZONE, _ORDER],
        "pf_alloc_bulk": [_ZONE, _ZONE, _LONG, _ORDER],
    }
    for name in there & takes.keys():
        function = getattr(library, name)
        function.restype, function.argtypes = _LONG, takes[name]
    if "pf_create" in there and "pf_destroy" in there:
        library.pf_create.restype = ctypes.c_void_p
        library.pf_destroy.restype, library.pf_destroy.argtypes = None, [_ZONE]
    offer: dict[str, object] = {"functions": sorted(there)}
    if "pf_abi" in there:
        offer["abi"] = library.pf_abi()
    if "pf_promises" in there:
        library.pf_promises.restype = ctypes.c_uint32
        offer["promises"] = library.pf_promises()
    return library, offer


def _describe(payload: bytes) -> Description:
    """The machine of a CREATE: numbers, runs and holes, and the era's name."""
    count = struct.unpack_from("=q", payload)[0]
    numbers = array("q", payload[8 : 8 + 8 * count])
    start, pages, top, base, run_count, hole_count, cpus, batch, high = numbers[:9]
    edges = numbers[9:]
    runs = (Run * (run_count + hole_count))(
        *(Run(edges[at], edges[at + 1]) for at in range(0, len(edges), 2))
    )
    holes = (Run * hole_count)(*runs[run_count:])
    return Description(
        ctypes.sizeof(Description),
        start,
        pages,
        top,
        base,
        run_count,
        ctypes.cast(runs, ctypes.POINTER(Run)),
        hole_count,
        ctypes.cast(holes, ctypes.POINTER(Run)),
        payload[8 + 8 * count :],
        cpus,
        batch,
        high,
    )


def _serve(library: ctypes.CDLL, channel: socket.socket, payload: bytes) -> None:
    """Serve one allocator until it is closed; the last reply is the keeper's."""
    machine = _describe(payload)
    pages, orders = machine.pages, range(machine.top + 1)
    seconds = REQUEST_SECONDS + FRAME_SECONDS * pages
    _limit(seconds)
    zone = library.pf_create(ctypes.byref(machine))
    signal.setitimer(signal.ITIMER_REAL, 0)
    _reply(channel, False, int(bool(zone)))
    calls: dict[int, Callable[[int, int, int], int]] = {
        Ask.ALLOC: lambda order, _, __: library.pf_alloc(zone, order),
        Ask.ALLOC_COMPOUND: lambda order, _, __: library.pf_alloc_compound(zone, order),
        Ask.FREE: lambda order, pfn, _: library.pf_free(zone, pfn, order),
        Ask.GET: lambda _, pfn, __: library.pf_get(zone, pfn),
        Ask.PUT: lambda _, pfn, __: library.pf_put(zone, pfn),
        Ask.ALLOC_ON: lambda order, _, cpu: library.pf_alloc_on(zone, order, cpu),
        Ask.FREE_ON: lambda order, pfn, cpu: library.pf_free_on(zone, pfn, order, cpu),
        Ask.DRAIN: lambda _, __, cpu: library.pf_drain(zone, cpu),
    }
    room, counts = array("q"), hasattr(library, "pf_nr_free")
    while True:
        what, order, pfn, cpu = REQUEST.unpack(receive(channel, REQUEST.size))
        value, shown = 0, array("q")
        _limit(seconds)
        if what in calls:
            value = calls[what](order, pfn, cpu)
        elif what == Ask.ALLOC_BULK:
            shown = array("q", receive(channel, order))
            value = library.pf_alloc_bulk(zone, shown.buffer_info()[0], len(shown), cpu)
        elif what == Ask.FREE_LIST:
            room = room or array("q", bytes(8 * pages))
            address = room.buffer_info()[0]
            for order in orders:
                count = library.pf_free_list(zone, order, address, pages)
                shown.append(count)
                shown.extend(room[: max(0, count)])
            if counts:
                shown.extend(library.pf_nr_free(zone, order) for order in orders)
                shown.append(library.pf_free_pages(zone))
        else:
            if zone:
                library.pf_destroy(zone)
            os._exit(CLOSED)
        signal.setitimer(signal.ITIMER_REAL, 0)
        _reply(channel, False, value, shown.tobytes())


def _keep(path: str, channel: socket.socket) -> None:
    """Load the library, then give each allocator a child of its own, one after the other."""
    _limit(LOADING_SECONDS)
    library, offer = _load(path)
    _limit(0)
    _reply(channel, False, 0, json.dumps(offer).encode())
    while library is not None:
        _, size, _, _ = REQUEST.unpack(receive(channel, REQUEST.size))
        payload = receive(channel, size)
        child = os.fork()
        if child == 0:
            _serve(library, channel, payload)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        _reply(channel, status != CLOSED, status)


def main() -> None:
    """Keep the library of the first argument, over the socket of the second."""
    # What the library prints must not end up among results; Ctrl-C is the caller's business; and
    # a crash that is found a thousand times must not leave a thousand core files.
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        _keep(sys.argv[1], socket.socket(fileno=int(sys.argv[2])))
    except (EOFError, OSError):
        os._exit(0)


if __name__ == "__main__":
    main()
