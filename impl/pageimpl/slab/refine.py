"""From the twin's memory to the spec's state of slabs, by reading every raw field."""

import numpy as np
import numpy.typing as npt

from pageimpl.refine import zone_of
from pageimpl.slab import state
from pageimpl.slab.choices import SLUB
from pageimpl.slab.state import (
    AREAS_FIRST,
    EMPTY,
    FRAME_WORDS,
    FULL,
    HELD,
    LINE,
    NOTHING,
    PARTIAL,
    ROWS_FIRST,
    WORD,
    SlabMemory,
)
from pageimpl.slab.twin import SlabTwin
from pagespec.slab.machine import MAX_CACHES
from pagespec.slab.state import (
    Array,
    Cache,
    CpuSlab,
    Group,
    HeldObject,
    Shape,
    Slab,
    Slabs,
    Stock,
)
from pagespec.slab.verbs import Address
from pagespec.types import Pfn

SLAB_WORD, CACHE_WORD, LARGE_WORD = 2, 3, 7
"""The words of a frame's row that name the row of its slab's first frame and the record of its
cache, and that say how large an object it begins."""

PAGE = WORD * FRAME_WORDS


class TornChain(Exception):
    """A chain of objects or slabs does not end where it must."""

    def __init__(self, at: int) -> None:
        super().__init__(f"chain from {at}: it visits more than there is; expected it to end")
        self.at = at


def _address(memory: SlabMemory, p: int) -> Address:
    return state.base_of(memory) + p * WORD


def _place(row: int) -> int:
    return (row - ROWS_FIRST) // LINE * FRAME_WORDS


def _pfn(memory: SlabMemory, row: int) -> Pfn:
    return _address(memory, _place(row)) // PAGE


def _area(memory: SlabMemory, c: int, cpu: int) -> int:
    return c + AREAS_FIRST + cpu * state.area_bytes_of(memory, c)


def _chain(memory: SlabMemory, p: int) -> list[int]:
    """The places of a chain of objects, by their links."""
    first, most = p, state.pages_of(memory) * FRAME_WORDS
    places: list[int] = []
    links = memory.objects.view
    while p != NOTHING:
        if len(places) > most:
            raise TornChain(first)
        places.append(p)
        p = links[p]
    return places


def _listed(memory: SlabMemory, head: int) -> list[Pfn]:
    """The slabs of a node's list, both ways alike."""
    rows: list[int] = []
    before, row = head, state.next_of(memory, head)
    while row != head:
        if state.prev_of(memory, row) != before or len(rows) > state.pages_of(memory):
            raise TornChain(head)
        rows.append(row)
        before, row = row, state.next_of(memory, row)
    return [_pfn(memory, row) for row in rows]


def _numbers(memory: SlabMemory, c: int, row: int, p: int) -> list[int]:
    """The numbers on their slab of a chain's objects."""
    words, first = state.words_of(memory, c), _place(row)
    return [(place - first) // words for place in _chain(memory, p)]


def _kept(memory: SlabMemory, q: int) -> list[int]:
    """The rows of the partial slabs that a CPU keeps."""
    rows: list[int] = []
    row = state.first_partial_of(memory, q)
    while row != NOTHING:
        if len(rows) > state.pages_of(memory):
            raise TornChain(q)
        rows.append(row)
        row = state.next_of(memory, row)
    return rows


def _cpu_slab(memory: SlabMemory, c: int, q: int) -> CpuSlab:
    own = state.own_slab_of(memory, q)
    return CpuSlab(
        slab=None if own == NOTHING else _pfn(memory, own),
        chain=_numbers(memory, c, own, state.head_of(memory, q)),
        tid=state.tid_of(memory, q),
        partial=[_pfn(memory, row) for row in _kept(memory, q)],
    )


def _array(memory: SlabMemory, q: int) -> Array:
    entries = [
        _address(memory, state.entry_at(memory, q + WORD * number))
        for number in range(state.avail_of(memory, q))
    ]
    return Array(entries, state.touched_of(memory, q) != 0)


def _rows(memory: SlabMemory) -> npt.NDArray[np.int64]:
    """The rows of all frames, as one table: to ask each by itself takes as long as all the rest."""
    return (
        memory.array[ROWS_FIRST : state.cpu_rows_of(memory)]
        .view(np.int64)
        .reshape(-1, LINE // WORD)
    )


def _slabs(memory: SlabMemory) -> dict[int, list[int]]:
    """The rows of the first frames of all slabs, by the records of their caches."""
    rows = _rows(memory)
    own = np.arange(len(rows)) * LINE + ROWS_FIRST
    firsts = rows[:, SLAB_WORD] == own
    slabs: dict[int, list[int]] = {}
    for row, c in zip(own[firsts].tolist(), rows[firsts, CACHE_WORD].tolist(), strict=True):
        slabs.setdefault(c, []).append(row)
    return slabs


def _held(memory: SlabMemory, c: int, rows: list[int]) -> dict[Address, HeldObject]:
    """The objects of a cache's slabs that callers have."""
    words, count = state.words_of(memory, c), state.count_of(memory, c)
    number, group = state.number_of(memory, c), state.group_of(memory, c)
    base = state.base_of(memory)
    held: dict[Address, HeldObject] = {}
    for first in map(_place, rows):
        end = first + count * words
        found = memory.objects.view[first:end:words].tolist()
        for place, word in zip(range(first, end, words), found, strict=True):
            if word >= HELD:
                held[base + place * WORD] = HeldObject(number, group, word - HELD)
    return held


def _cache(memory: SlabMemory, c: int, rows: list[int]) -> Cache:
    """The cache of a record, whose slabs have those rows."""
    slub = state.design_of(memory) == SLUB
    areas = [_area(memory, c, cpu) for cpu in range(state.cpus_of(memory))]
    shared = state.shared_limit_of(memory, c)
    kept = {row for q in areas for row in _kept(memory, q)} if slub else set()
    return Cache(
        number=state.number_of(memory, c),
        group=state.group_of(memory, c),
        shape=Shape(
            size=state.size_of(memory, c),
            order=state.order_of(memory, c),
            objects=state.count_of(memory, c),
            objects_kept=state.kept_of(memory, c),
            partials=state.partials_of(memory, c),
            batch=state.batch_of(memory, c),
            shared=shared,
        ),
        slabs={
            (first := _pfn(memory, row)): Slab(
                first=first,
                inuse=state.inuse_of(memory, row),
                chain=_numbers(memory, c, row, state.chain_of(memory, row)),
                frozen=state.frozen_of(memory, row) != 0,
                counted=state.counted_of(memory, row) if row in kept else 0,
            )
            for row in rows
        },
        partial=_listed(memory, c + PARTIAL),
        full=_listed(memory, c + FULL),
        empty=_listed(memory, c + EMPTY),
        cpus=[_cpu_slab(memory, c, q) for q in areas] if slub else [],
        arrays=[] if slub else [_array(memory, q) for q in areas],
        shared=_array(memory, _area(memory, c, state.cpus_of(memory))) if shared else None,
        touched=state.cache_touched_of(memory, c) != 0,
    )


def _group(memory: SlabMemory, row: int) -> Group:
    return Group(
        pages=state.charged_pages_of(memory, row),
        rest=state.rest_of(memory, row),
        online=state.online_of(memory, row) != 0,
        lost=state.lost_of(memory, row),
    )


def slabs_of(twin: SlabTwin) -> Slabs:
    """The slabs that the twin's memory stands for. Raises TornChain where a chain does not end."""
    memory = twin.memory
    groups = state.groups_of(memory)
    entries = (MAX_CACHES + 1) * (groups + 1)
    table = memory.array[state.table_of(memory) :][: WORD * entries].view(np.int64)
    records = {divmod(at, groups + 1): int(table[at]) for at in table.nonzero()[0].tolist()}
    rows = _slabs(memory)
    caches = {key: _cache(memory, c, rows.get(c, [])) for key, c in records.items()}
    large = _large(memory)
    held = {first * PAGE: HeldObject(0, 0, 0) for first in large}
    for c, own in rows.items():
        held |= _held(memory, c, own)
    cpus = range(state.cpu_rows_of(memory), state.group_rows_of(memory), LINE)
    group_rows = state.group_rows_of(memory)
    return Slabs(
        machine=twin.machine,
        zone=zone_of(twin.zone),
        caches=caches,
        frames={first: key for key, cache in caches.items() for first in cache.slabs},
        held=held,
        withheld=[
            [_address(memory, p) for p in _chain(memory, state.first_withheld_of(memory, row))]
            for row in cpus
        ],
        large=large,
        groups={
            group: _group(memory, row)
            for group in range(1, groups + 1)
            if state.known_of(memory, row := group_rows + group * LINE)
        },
        stocks=[
            Stock(state.stock_group_of(memory, row), state.stock_bytes_of(memory, row))
            for row in cpus
        ],
        slots=twin.slots(),
    )


def _large(memory: SlabMemory) -> dict[Pfn, int]:
    """The order of each object that is whole frames."""
    larger = _rows(memory)[:, LARGE_WORD]
    return {
        _pfn(memory, ROWS_FIRST + at * LINE): int(larger[at]) - 1
        for at in larger.nonzero()[0].tolist()
    }
