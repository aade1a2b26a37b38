"""Groups that take objects and give them back, on the twin, and what their slabs come to."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pagefuzz.errors import UsageError
from pagefuzz.slabs.sharing.mixes import Kind
from pageimpl.slab import state
from pageimpl.slab.twin import SlabTwin, perform_all
from pageimpl.slab.verbs import (
    ALLOC,
    COLUMN_CACHE,
    COLUMN_COUNT,
    COLUMN_CPU,
    COLUMN_FIRST,
    COLUMN_GROUP,
    COLUMN_VERB,
    COLUMNS,
    FREE,
)
from pagespec.era import Era, SlabDesign
from pagespec.machine import MAX_PAGES, Machine
from pagespec.slab.machine import Scheme, SlabMachine
from pagespec.slab.sizes import PAGE
from pagespec.slab.verbs import SlabOp, SlabVerb

Numbers = npt.NDArray[np.int64]

TOP = 10
"""The top order of the zone, as kernels have it."""

CHUNK = 2**15
"""Requests that are put at a time."""

ROUNDS = 64
"""In how many rounds each object is replaced once, about: those of a round go, then others come."""

FIRST_PAGES = 2**12
"""Frames that a zone has at first beside those for the bytes that are held at most."""


class Workload(NamedTuple):
    """What groups do.

    objects: how many each holds, on the average. churn: how many times as many as there are give
    way to others, of any group and kind. The same seed makes the same requests in both schemes.
    """

    era: Era
    design: SlabDesign
    cpus: int
    kinds: tuple[Kind, ...]
    groups: int
    objects: int
    churn: float
    seed: int


class Use(NamedTuple):
    """What slabs come to.

    objects, in_use: those that are held, and their bytes. frames: of all slabs. slots: for how
    many objects they have room.
    """

    objects: int
    in_use: int
    frames: int
    slots: int

    @property
    def utilisation(self) -> float:
        """The share of slabs' bytes that callers hold."""
        return self.in_use / (self.frames * PAGE)


def use_of(work: Workload, scheme: Scheme, tell: Callable[[str], None]) -> Use:
    """Put the requests to a fresh twin and count its slabs.

    The zone is one that is never short: this is about slabs, not about memory that runs out. How
    large it must be is not known before, so a zone that turns out too small is doubled. Raises
    UsageError if none is large enough.
    """
    held = work.groups * work.objects * max(kind.size for kind in work.kinds) // PAGE
    pages = 1 << (held + FIRST_PAGES).bit_length()
    while pages <= MAX_PAGES:
        use = _counted(work, scheme, pages, tell)
        if use is not None:
            return use
        pages *= 2
    raise UsageError(
        f"{MAX_PAGES:,} frames, the most that a zone has here, are too few for these groups and "
        "objects; expected fewer of either"
    )


def _counted(work: Workload, scheme: Scheme, pages: int, tell: Callable[[str], None]) -> Use | None:
    """What slabs come to in a zone of so many frames, or None if it was too small."""
    zone = Machine(pages, TOP, work.era, start=1 << TOP)
    machine = SlabMachine(zone, work.cpus, design=work.design, scheme=scheme, groups=work.groups)
    twin = SlabTwin(machine)
    for number, kind in enumerate(work.kinds, 1):
        _founded(twin, SlabOp(SlabVerb.CREATE, cache=number, size=kind.size))
    for group in range(1, work.groups + 1):
        _founded(twin, SlabOp(SlabVerb.GROUP, group=group))
    try:
        kinds = _requests(work, twin, f"{work.groups} groups, {scheme}", tell)
    except _TooSmall:
        return None
    sizes = np.array([kind.size for kind in work.kinds])
    frames, slots = _slabs(twin)
    return Use(len(kinds), int(sizes[kinds].sum()), frames, slots)


class _TooSmall(Exception):
    """The zone has no frames left for a slab."""


def _founded(twin: SlabTwin, op: SlabOp) -> None:
    outcome = twin.perform(op)
    assert outcome == 0, f"{op} gave {outcome}"


def _requests(work: Workload, twin: SlabTwin, title: str, tell: Callable[[str], None]) -> Numbers:
    """Serve all requests; the kinds of the objects that are held at the end."""
    rng = np.random.default_rng(work.seed)
    weights = np.array([kind.weight for kind in work.kinds], float)
    shares = weights / weights.sum()
    count = work.groups * work.objects
    kinds = rng.choice(len(work.kinds), count, p=shares)
    groups = rng.permutation(np.repeat(np.arange(1, work.groups + 1), work.objects))
    held = np.empty(count, np.int64)
    for some in _chunks(np.arange(count)):
        cpus = rng.integers(work.cpus, size=len(some))
        held[some] = _taken(twin, cpus, kinds[some], groups[some])
        tell(f"{title}: {some[-1] + 1:,} of {count:,} objects taken")
    left, most = round(work.churn * count), max(1, count // ROUNDS)
    while left:
        for some in _chunks(rng.permutation(count)[: min(left, most)]):
            _given_back(twin, rng.integers(work.cpus, size=len(some)), held[some])
            kinds[some] = rng.choice(len(work.kinds), len(some), p=shares)
            others = rng.integers(1, work.groups + 1, size=len(some))
            cpus = rng.integers(work.cpus, size=len(some))
            held[some] = _taken(twin, cpus, kinds[some], others)
            left -= len(some)
        tell(f"{title}: {left:,} objects still to give way to others")
    return kinds


def _chunks(numbers: Numbers) -> Iterator[Numbers]:
    for first in range(0, len(numbers), CHUNK):
        yield numbers[first : first + CHUNK]


def _taken(twin: SlabTwin, cpus: Numbers, kinds: Numbers, groups: Numbers) -> Numbers:
    """Take an object each; their addresses."""
    rows = np.zeros((len(cpus), COLUMNS), np.int64)
    rows[:, COLUMN_VERB] = ALLOC
    rows[:, COLUMN_CPU] = cpus
    rows[:, COLUMN_CACHE] = kinds + 1
    rows[:, COLUMN_GROUP] = groups
    addresses = perform_all(twin, rows.ravel(), len(rows))
    if addresses.min() <= 0:
        raise _TooSmall
    return addresses


def _given_back(twin: SlabTwin, cpus: Numbers, addresses: Numbers) -> None:
    """Give the objects back, each on its CPU."""
    count = len(cpus)
    words = np.zeros(count * (COLUMNS + 2), np.int64)
    rows = words[: count * COLUMNS].reshape(count, COLUMNS)
    rows[:, COLUMN_VERB] = FREE
    rows[:, COLUMN_CPU] = cpus
    rows[:, COLUMN_COUNT] = 1
    rows[:, COLUMN_FIRST] = count * COLUMNS + 2 * np.arange(count)
    words[count * COLUMNS :: 2] = addresses
    outcomes = perform_all(twin, words, count)
    assert not outcomes.any(), "an object that is held was not taken back"


def _slabs(twin: SlabTwin) -> tuple[int, int]:
    """The frames of all slabs, and for how many objects they have room."""
    memory = twin.memory
    table = memory.array[state.table_of(memory) : state.records_of(memory)].view(np.int64)
    frames = slots = 0
    for record in table[table != state.NOTHING].tolist():
        slabs = state.nr_slabs_of(memory, record)
        frames += slabs << state.order_of(memory, record)
        slots += slabs * state.count_of(memory, record)
    return frames, slots
