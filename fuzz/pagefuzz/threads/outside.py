"""Libraries of others on threads, if they say that they may be called so: the OUT laws alone.

A library that defines `pf_threads` is called by that many threads at most, each for a CPU of its
own where it keeps frames by CPU. Nothing but its answers is looked at: whose frames they are, and
whether all the memory is there again in the end. It runs in a fork of this process.
"""

import ctypes
from collections.abc import Callable
from functools import partial
from pathlib import Path

from pagefuzz.errors import UsageError
from pagefuzz.target.build import built
from pagefuzz.target.native import Library
from pagefuzz.target.serve import Description, Run
from pagefuzz.threads.forked import Told, forked
from pagespec.laws.law import LawBroken
from pagespec.machine import Machine
from pagespec.types import NO_MEMORY

SOURCE = Path(__file__).with_name("outside.c")

PATIENCE_SECONDS = 30.0
"""How long a run may take before its process is stopped."""

WRONG = {
    1: ("OUT-disjoint", "frame {} was given out while somebody had it"),
    2: ("OUT-inside", "frame {} was given out, which is outside of the zone"),
    3: ("OUT-align", "frame {} was given out, which no block of that order starts at"),
    4: ("OUT-fault", "a legal free of frame {} was refused"),
    5: ("OUT-return", "all was given back, and {} frames can be had again"),
}
"""Per number of a wrong answer: the law that it breaks, and how."""

_CALLS = ("pf_alloc", "pf_free", "pf_alloc_on", "pf_free_on")
_ZONE, _LONG, _ORDER = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int32


def hunt_library(
    library: Library, machine: Machine, *, threads: int, seed: int, steps: int
) -> tuple[LawBroken | None, int]:
    """Let threads call the library for so many requests each: what broke, and how many were served.

    Raises UsageError for a library that may not be called by so many threads.
    """
    cpus = "cpus" in library.offer.parts
    if machine.cpus not in (0, threads) or (machine.cpus and not cpus):
        raise UsageError(
            f"target {library.name}: a machine with cpus={machine.cpus} for {threads} threads; "
            f"expected {f'0 or {threads}' if cpus else '0, it has no pf_alloc_on'}"
        )
    work = partial(_run, library.path, built(SOURCE), machine, threads, seed, steps)
    told, how = forked(work, PATIENCE_SECONDS)
    if told is None:
        return LawBroken("OUT-fault", how), 0
    most, wrong, about, served = (int(number or 0) for number in told)
    if most < threads:
        raise UsageError(
            f"target {library.name}: threads={threads}, expected at most {max(1, most)}: "
            + ("pf_threads() says so" if most else "it does not define pf_threads")
        )
    if wrong == 0:
        return None, served
    law, complaint = WRONG[wrong]
    return LawBroken(law, complaint.format(about)), served


def _run(path: Path, churn: Path, machine: Machine, threads: int, seed: int, steps: int) -> Told:
    library, driver = ctypes.CDLL(str(path)), ctypes.CDLL(str(churn))
    most = int(library.pf_threads()) if hasattr(library, "pf_threads") else 0
    if most < threads:
        return [most, 0, 0, 0]
    library.pf_create.restype = ctypes.c_void_p
    zone = ctypes.c_void_p(library.pf_create(ctypes.byref(_description(machine))))
    names = [name if machine.cpus or not name.endswith("_on") else "" for name in _CALLS]
    calls = (ctypes.c_void_p * len(names))(
        *(ctypes.cast(getattr(library, name), ctypes.c_void_p) if name else None for name in names)
    )
    shape = (_LONG * 4)(machine.start, machine.pages, machine.base, machine.top)
    told = (_LONG * 3)()
    driver.pt_churn.argtypes = [_ZONE, _ZONE, _ZONE, _LONG, _LONG, _LONG, _ZONE]
    driver.pt_churn(calls, zone, shape, threads, seed, steps, told)
    wrong, about, served = told
    if wrong == 0:
        there = _all_frames(library, zone, machine)
        if there != machine.managed_pages:
            wrong, about = 5, there
    return [most, wrong, about, served]


def _all_frames(library: ctypes.CDLL, zone: ctypes.c_void_p, machine: Machine) -> int:
    """How many frames can be had one by one, with all lists of CPUs drained before."""
    if machine.cpus:
        library.pf_drain.argtypes = [_ZONE, _ORDER]
        for cpu in range(machine.cpus):
            library.pf_drain(zone, cpu)
        library.pf_alloc_on.restype, library.pf_alloc_on.argtypes = _LONG, [_ZONE, _ORDER, _ORDER]
        alloc: Callable[[], int] = partial(library.pf_alloc_on, zone, 0, 0)
    else:
        library.pf_alloc.restype, library.pf_alloc.argtypes = _LONG, [_ZONE, _ORDER]
        alloc = partial(library.pf_alloc, zone, 0)
    count = 0
    while count <= machine.pages and alloc() != NO_MEMORY:
        count += 1
    return count


def _description(machine: Machine) -> Description:
    runs = (Run * len(machine.managed))(*(Run(*run) for run in machine.managed))
    holes = (Run * len(machine.holes))(*(Run(*hole) for hole in machine.holes))
    pointer = ctypes.POINTER(Run)
    return Description(
        ctypes.sizeof(Description),
        machine.start,
        machine.pages,
        machine.top,
        machine.base,
        len(runs),
        ctypes.cast(runs, pointer),
        len(holes),
        ctypes.cast(holes, pointer),
        machine.era.name.encode(),
        machine.cpus,
        -1 if machine.batch is None else machine.batch,
        -1 if machine.high is None else machine.high,
    )
