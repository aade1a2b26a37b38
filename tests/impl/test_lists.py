"""CPUs' lists, watermarks and bulk requests: the twin answers and stands as the spec does."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from random import Random

import numpy as np
import numpy.typing as npt
import pytest
from tests.impl.machines import TWIN_ERAS, varied
from tests.impl.test_perform import op_for

from pageimpl import memory as words
from pageimpl.allocator import Allocator
from pageimpl.memory import Memory
from pageimpl.pcp import sizes as twin_sizes
from pageimpl.pcp import state as areas
from pageimpl.refine import zone_of
from pageimpl.walk import TornList
from pageimpl.watermark import marks as twin_marks
from pagespec.boot import boot
from pagespec.era import ERAS, Era
from pagespec.events import Kind
from pagespec.machine import MAX_CPUS, MAX_SLOTS, Machine
from pagespec.migratetype import ISOLATE, MOVABLE, REQUESTED
from pagespec.ops import perform
from pagespec.pcp.sizes import BATCH_RULES, raw_batch
from pagespec.types import DomainError, Refusal
from pagespec.verbs import Op, Outcome, Verb
from pagespec.watermark.levels import marks_of
from pagespec.watermark.marks import MIN_FREE_RULES, min_free_kbytes
from pagespec.zone import COUNTS, STATE, Zone

CPU_VERBS = (
    Verb.DRAIN,
    Verb.DRAIN_ALL,
    Verb.DISABLE,
    Verb.ENABLE,
    Verb.AGE,
    Verb.EXPIRE,
    *(Verb.REFRESH,) * 3,
    Verb.UNPLUG,
    Verb.PLUG,
    Verb.REST,
)

ERA_NAMES = [era.name for era in TWIN_ERAS]


def machine_with_lists(era: Era, rng: Random) -> Machine:
    """A small machine with lists or marks or both, whose lists are often too small for it.

    Half of those with lists have cells, if their era does.
    """
    while True:
        top, cpus = rng.randint(2, 5), rng.choice((0, 1, 2, 3))
        least = max(1, top - 1) if era.retypes_on_merge else 1
        grouped = era.numbering is not None and rng.random() < 0.8
        try:
            machine = Machine(
                rng.choice((16, 61, 100, 500)),
                top,
                era,
                rng.choice((0, 5, 16)),
                pageblock=rng.randint(least, top) if grouped else None,
                guard=rng.choice((0, 0, 1)) if era.guards else 0,
                cpus=cpus,
                far=frozenset(cpu for cpu in range(cpus) if rng.random() < 0.2),
                batch=rng.choice((None, 0, 1, 2, 5)) if cpus else None,
                high=rng.choice((None, 4, 9, 20)) if cpus and era.tuning != "pair" else None,
                min_free=rng.choice((8, 40, 100)) if not cpus else rng.choice((None, 8, 40)),
                cells=cpus > 0 and era.cells != "none" and rng.random() < 0.5,
            )
            if not grouped:
                return machine
            types = tuple(rng.choice((MOVABLE, *era.types[:4])) for _ in range(machine.pageblocks))
            return rng.choice((machine, varied(machine), replace(machine, types=types)))
        except DomainError:
            continue


def op_on_cpus(zone: Zone, rng: Random) -> Op:
    """A request as `op_for` draws it, from some CPU; or one about CPUs, arrays or kswapd."""
    cpus = zone.machine.cpus
    cpu = rng.choice((*range(cpus or 1), *range(cpus or 1), rng.choice((-1, cpus, 2 * MAX_CPUS))))
    dice = rng.random()
    if dice < 0.1:
        return Op(rng.choice(CPU_VERBS), cpu=cpu)
    if dice < 0.15:
        op = Op(Verb.BULK, pages=rng.choice((0, 1, 2, 3, 8, 20, MAX_SLOTS, MAX_SLOTS + 1)))
        op = op._replace(mt=rng.choice(REQUESTED), atomic=rng.random() < 0.1)
    elif dice < 0.2 and zone.slots:
        op = Op(rng.choice((Verb.FREE, Verb.PUT)), 0, rng.choice(list(zone.slots)))
    else:
        op = op_for(zone, rng)
    irq, contended, cold, emergency = (rng.random() < odds for odds in (0.1, 0.1, 0.2, 0.1))
    return op._replace(cpu=cpu, irq=irq, contended=contended, cold=cold, emergency=emergency)


def lasting(allocator: Allocator) -> npt.NDArray[np.uint8]:
    """The bytes of the memory, but for the CPU at work: it means nothing between two requests."""
    array, at = allocator.memory.array.copy(), dict(words.LOADS)[words.on_cpu_of].offset
    array[at : at + 8] = 0
    return array


def lockstep(machine: Machine, rng: Random, jit: bool, count: int) -> Counter[Kind]:
    """Compare outcome, state and counts after each request; the kinds of events passed through.

    What is refused changes not a byte.
    """
    zone, allocator = boot(machine), Allocator(machine, jit=jit)
    kinds: Counter[Kind] = Counter()
    for _ in range(count):
        op, before = op_on_cpus(zone, rng), lasting(allocator)
        outcome = allocator.perform(op)
        assert (op, outcome) == (op, perform(zone, op))
        view = zone_of(allocator)
        for field in (*STATE, *COUNTS):
            assert (op, field, getattr(zone, field)) == (op, field, getattr(view, field))
        isolated = zone.pageblocks.count(ISOLATE) - len(zone.offline)
        assert words.nr_isolated_of(allocator.memory) == isolated
        if Refusal.BAD_NODE <= outcome <= max(Refusal):
            assert np.array_equal(before, lasting(allocator))
        kinds.update(event.kind for event in zone.log)
        zone.log.clear()
    return kinds


@cache
def ran(era: str, jit: bool) -> Counter[Kind]:
    """Ten machines of the era in lockstep with the spec."""
    kinds: Counter[Kind] = Counter()
    for seed in range(10):
        rng = Random(f"{era} {seed} {jit}")
        kinds += lockstep(machine_with_lists(ERAS[era], rng), rng, jit, 150)
    return kinds


@pytest.mark.parametrize("era", ERA_NAMES)
@pytest.mark.parametrize("jit", [False, True], ids=["plain", "compiled"])
def test_small_machines(era: str, jit: bool) -> None:
    """Every era in both forms, and each passes through what its lists and marks are for."""
    kinds = ran(era, jit)

    for kind in (Kind.REFILL, Kind.PCPU_DRAIN, Kind.BELOW_MARK, Kind.KSWAPD, Kind.UNPLUGGED):
        assert kinds[kind] > 0, kind
    if ERAS[era].bulk != "none":
        assert kinds[Kind.FILLED] > 0
    for kind in (Kind.TOLD_MORE, Kind.TOLD_LESS, Kind.READ_OUT):
        assert (kinds[kind] > 0) is (ERAS[era].cells != "none"), kind


@pytest.mark.parametrize("era", ["2.6.11", "4.10", "6.12"])
@pytest.mark.parametrize("cpus", [0, 1])
def test_a_zone_may_be_one_hole(era: str, cpus: int) -> None:
    """It has marks of no frames, and lists for none."""
    machine = Machine(16, 3, ERAS[era], holes=((0, 16),), cpus=cpus, min_free=16)

    lockstep(machine, Random(era), False, 60)


def test_between_them_they_reach_all() -> None:
    """A guard that bars, a boost, frames given out in bulk, and thresholds that follow kswapd."""
    kinds = sum((ran(era, True) for era in ERA_NAMES), Counter[Kind]())

    assert {Kind.BARRED, Kind.BOOSTED, Kind.BULK, Kind.PLUGGED, Kind.RESERVED} <= set(kinds)
    assert {Kind.LOWERED, Kind.RAISED} <= set(kinds)


def served(allocator: Allocator, *ops: Op) -> list[Outcome]:
    return [allocator.perform(op) for op in ops]


@pytest.mark.parametrize("jit", [False, True], ids=["plain", "compiled"])
def test_an_array_is_filled_and_emptied(jit: bool) -> None:
    """Slots are known by their frames until the last reference to these is dropped."""
    allocator = Allocator(Machine(64, 4, ERAS["6.1"], cpus=1, batch=4, high=16), jit=jit)

    assert served(allocator, Op(Verb.BULK, pages=3)) == [3]
    assert sorted(allocator.slots().values()) == [0, 1, 2]
    by_slot = {slot: pfn for pfn, slot in allocator.slots().items()}
    assert served(allocator, Op(Verb.GET, 0, by_slot[1]), Op(Verb.PUT, 0, by_slot[1])) == [0, 0]
    assert served(allocator, Op(Verb.FREE, 0, by_slot[1])) == [0]
    assert sorted(allocator.slots().values()) == [0, 2]
    assert served(allocator, Op(Verb.BULK, pages=5)) == [5]
    assert sorted(allocator.slots().values()) == [0, 1, 2, 3, 4]


def test_a_warm_list_gives_back_what_came_last() -> None:
    """The frame freed last is the next one, on that CPU and on no other."""
    allocator = Allocator(Machine(64, 4, ERAS["2.6.37"], cpus=2, batch=4, high=16))
    first, second = served(allocator, Op(Verb.ALLOC), Op(Verb.ALLOC))
    assert served(allocator, Op(Verb.FREE, 0, first)) == [0]

    other, again = served(allocator, Op(Verb.ALLOC, cpu=1), Op(Verb.ALLOC))
    assert again == first
    assert other not in (first, second)


AREA_WORDS: dict[str, Callable[[Memory, int, int], None]] = {
    name: getattr(areas, name)
    for name in (
        "set_count",
        "set_batch",
        "set_high",
        "set_factor",
        "set_freed",
        "set_high_min",
        "set_high_max",
        "set_high_order",
        "set_waits",
        "set_unplugged",
    )
}

ZONE_WORDS = (
    "set_boost",
    "set_boosted",
    "set_below_high",
    "set_reclaiming",
    "set_disabled",
    "set_sized_low",
    "set_pgalloc",
    "set_pgfree",
)


def set_mark_77(memory: Memory, level: int) -> None:
    words.set_mark(memory, level, 77)


def changed(allocator: Allocator, change: Callable[[Memory], None]) -> bool:
    """Whether the zone that is read back is another one after a change to the memory."""
    before = zone_of(allocator)
    change(allocator.memory)
    after = zone_of(allocator)
    # Zones are the same whatever their CPUs have counted.
    return before != after or any(
        getattr(before, count) != getattr(after, count) for count in COUNTS
    )


@pytest.mark.parametrize("name", [*AREA_WORDS, "set_low", *ZONE_WORDS, "set_mark"])
def test_every_word_is_read_back(name: str) -> None:
    """A word that has fallen out of step shows."""
    era = {"set_factor": "6.1", "set_low": "2.6.11"}.get(name, "6.12")
    allocator = Allocator(Machine(64, 4, ERAS[era], cpus=2, min_free=40), jit=False)
    q = words.lists_first_of(allocator.memory)

    if hasattr(areas, name):
        assert changed(allocator, lambda memory: getattr(areas, name)(memory, q, 77))
    elif name == "set_mark":
        for level in range(3):
            assert changed(allocator, partial(set_mark_77, level=level))
    else:
        assert changed(allocator, lambda memory: getattr(words, name)(memory, 77))


def test_lists_are_read_link_by_link() -> None:
    """The type a block was listed with shows as it stands, and a torn list says where."""
    allocator = Allocator(Machine(64, 4, ERAS["6.1"], pageblock=3, cpus=1, batch=4), jit=False)
    allocator.perform(Op(Verb.ALLOC, mt=MOVABLE))
    memory = allocator.memory
    p = words.next_of(memory, words.lists_first_of(memory) + MOVABLE)

    assert changed(allocator, lambda memory: words.set_listed_type(memory, p, ISOLATE))
    assert changed(allocator, lambda memory: words.set_frame_in_array(memory, 9, p))
    words.set_prev(memory, p, 0)
    with pytest.raises(TornList, match=f"slot {words.lists_first_of(memory) + MOVABLE}"):
        zone_of(allocator)


@pytest.mark.parametrize("cpus", [1, 3])
@pytest.mark.parametrize("pages", [1, 64, 65])
@pytest.mark.parametrize("era", ["2.6.11", "6.12"])
def test_areas_are_apart_by_cache_lines(era: str, pages: int, cpus: int) -> None:
    """No two CPUs write to one line, and the words that requests touch fill a line of their own."""
    memory = Allocator(Machine(pages, 0, ERAS[era], start=3, cpus=cpus), jit=False).memory

    assert words.lists_first_of(memory) * words.RECORD % words.ALIGNMENT == 0
    assert areas.AREA_SLOTS * words.RECORD % words.ALIGNMENT == 0
    assert areas.HEADS * words.RECORD % words.ALIGNMENT == 0


SIZES = sorted({*range(2000), *(n + d for n in (4096, 65536, 2**20, 2**24) for d in (-1, 0, 1))})


def test_batches_are_the_spec_s() -> None:
    """By shifts as by divisions, for zones of all lengths that make a difference."""
    for rule, cap in BATCH_RULES.items():
        for pages in (*SIZES, *range(2000, 300_000, 511)):
            assert twin_sizes.raw_batch(pages, rule) == raw_batch(pages, *cap)


@pytest.mark.parametrize("era", ERA_NAMES)
def test_marks_are_the_spec_s(era: str) -> None:
    """For all sizes of zones and a zone's share of several amounts."""
    for pages in SIZES[1:]:
        rule = ERAS[era].min_free
        kbytes = min_free_kbytes(4 * pages, MIN_FREE_RULES[rule])
        assert twin_marks.min_free_kbytes(4 * pages, rule) == kbytes
        for asked, lowmem in ((kbytes, pages), (40, pages), (1003, 3 * pages), (0, pages)):
            expected = marks_of(ERAS[era], asked, pages, lowmem)
            assert tuple(twin_marks.marks_of(ERAS[era], asked, pages, lowmem)) == tuple(expected)
