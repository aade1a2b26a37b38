"""The fast twin of slabs: the spec's answers and states, from memory that both forms agree on."""

from itertools import pairwise, product
from random import Random

import numpy as np
import pytest

from pagefuzz.slabs.draw import random_slabs
from pagefuzz.slabs.requests import random_mix, random_request
from pagefuzz.slabs.stream import SlabReplay
from pagefuzz.slabs.target import perform_quietly
from pageimpl.memory import OutsideMemory
from pageimpl.slab import state
from pageimpl.slab.refine import TornChain, slabs_of
from pageimpl.slab.twin import SlabTwin, perform_all
from pageimpl.slab.verbs import rows_of
from pageimpl.source import plain_modules
from pagespec.era import ERAS, Era, SlabDesign
from pagespec.machine import Machine
from pagespec.slab.array_sizes import free_limit, order_of_array_slab
from pagespec.slab.laws.difference import difference
from pagespec.slab.machine import SCHEMES, Scheme, SlabMachine
from pagespec.slab.ops import perform, start
from pagespec.slab.sizes import (
    CPU_PARTIAL_5_12,
    CPU_PARTIAL_6_1,
    array_limit,
    batch_of,
    cpu_partial,
    min_partial,
    order_of_slab,
    shared_batches,
)
from pagespec.slab.verbs import SlabOp, SlabVerb
from pagespec.types import Refusal
from pagespec.verbs import Outcome

KINDS = [
    (era, design, scheme)
    for era in ERAS.values()
    for design, scheme in product(era.slab_designs, SCHEMES)
]
ZONE = Machine(64, 4, ERAS["6.1"], start=1, cpus=2)
MACHINE = SlabMachine(ZONE, 2, scheme="caches", groups=3)
ADDRESSES = 4
"""Words at the start of a buffer that say where others lie."""


def contents(twin: SlabTwin) -> list[bytes]:
    """All that the twin keeps, but for where it lies."""
    slabs, zone = twin.memory, twin.zone.memory
    return [
        each.tobytes() for each in (slabs.array[8 * ADDRESSES :], slabs.objects.array, zone.array)
    ]


@pytest.mark.parametrize(("era", "design", "scheme"), KINDS)
def test_the_twin_is_the_spec(era: Era, design: SlabDesign, scheme: Scheme) -> None:
    """Each answer, each bulk request's objects, and every so often the whole state."""
    rng = Random(f"twin {era.name} {design} {scheme}")
    for _ in range(3):
        SlabReplay(random_slabs(rng, era, design, scheme), rng, None).run(100)


@pytest.mark.parametrize(("era", "design"), [("5.8", "slab"), ("5.15", "slub"), ("6.12", "slub")])
def test_plain_and_compiled_agree_byte_for_byte(era: str, design: SlabDesign) -> None:
    """After each request both forms' memory is the same, and so is the zone's."""
    rng = Random(f"forms {era}")
    machine = random_slabs(rng, ERAS[era], design, "objects")
    plain, compiled, spec = SlabTwin(machine, jit=False), SlabTwin(machine), start(machine)
    mix = random_mix(rng, machine)

    for _ in range(150):
        op = random_request(rng, spec, mix)
        assert plain.perform(op) == compiled.perform(op) == perform(spec, op)
        assert contents(plain) == contents(compiled)


def served(twin: SlabTwin, *ops: SlabOp) -> list[int]:
    return [twin.perform(op) for op in ops]


def test_illegal_frees_are_refused_and_change_nothing() -> None:
    """Anything but an object's own first byte, once: alone, in bulk, and behind ones that are."""
    twin = SlabTwin(MACHINE)
    served(
        twin, SlabOp(SlabVerb.CREATE, cache=1, size=64), SlabOp(SlabVerb.CREATE, cache=2, size=64)
    )
    first, second, freed, other, large = served(
        twin,
        *[SlabOp(SlabVerb.ALLOC, cache=1)] * 3,
        SlabOp(SlabVerb.ALLOC, cache=2),
        SlabOp(SlabVerb.LARGE, order=2),
    )
    withheld = twin.perform(SlabOp(SlabVerb.ALLOC, cache=1))
    assert served(
        twin,
        SlabOp(SlabVerb.FREE, addresses=(freed,)),
        SlabOp(SlabVerb.FREE, addresses=(withheld,), withheld=(withheld,)),
    ) == [0, 0]
    before = contents(twin)
    wrong = [0, -8, 1, first + 1, first + 8, freed, withheld, large + 64, large + 4096, 8, 2**70]
    wrong += [ZONE.end * 4096, (ZONE.end + 1) * 4096, first + 2**40]

    for address in wrong:
        for op in (
            SlabOp(SlabVerb.FREE, addresses=(address,)),
            SlabOp(
                SlabVerb.FREE_BULK, addresses=(first, large, second, address), withheld=(first,)
            ),
        ):
            assert twin.perform(op) == Refusal.NOT_OBJECT, address
            assert contents(twin) == before
    for addresses, cache, due in (
        ((first, second, first), 1, Refusal.NOT_OBJECT),
        ((large, large), 0, Refusal.NOT_OBJECT),
        ((first, other), 1, Refusal.WRONG_CACHE),
        ((first, large), 1, Refusal.WRONG_CACHE),
        ((first, other), 3, Refusal.NO_CACHE),
    ):
        op = SlabOp(SlabVerb.FREE_BULK, cache=cache, addresses=addresses)
        assert twin.perform(op) == due
        assert contents(twin) == before


def test_room_grows_with_the_caches_and_is_used_again() -> None:
    """Requests go on where they had to stop, and caches that go leave room for others."""
    ops = [SlabOp(SlabVerb.GROUP, group=group) for group in (1, 2, 3)]
    ops += [SlabOp(SlabVerb.CREATE, cache=n, size=4096, order=0) for n in range(1, 101)]
    ops += [SlabOp(SlabVerb.ALLOC, cache=n, group=1 + n % 3, cpu=n % 2) for n in range(1, 41)]
    twin, spec = SlabTwin(MACHINE), start(MACHINE)
    small = twin.memory.size
    outcomes = perform_all(twin, rows_of(ops), len(ops)).tolist()

    assert outcomes == [perform(spec, op) for op in ops]
    assert min(outcomes) == 0 < max(outcomes)
    assert slabs_of(twin).caches == spec.caches
    large = twin.memory.size
    assert large > small
    frees = [SlabOp(SlabVerb.FREE, addresses=(address,)) for address in outcomes if address]
    again = [SlabOp(SlabVerb.DESTROY, cache=number) for number in range(1, 101)] + ops[3:]
    for _ in range(3):
        assert {twin.perform(op) for op in frees} == {0}
        assert min(served(twin, *again)) == 0
        frees = [SlabOp(SlabVerb.FREE, addresses=(address,)) for address in slabs_of(twin).held]
    assert twin.memory.size == large


class Both:
    """The twin and the spec on one machine, which must agree after each request."""

    def __init__(self, machine: SlabMachine) -> None:
        self.twin, self.spec = SlabTwin(machine), start(machine)

    def __call__(self, op: SlabOp) -> Outcome:
        outcome = perform_quietly(self.spec, op)
        assert self.twin.perform(op) == outcome
        assert difference(slabs_of(self.twin), self.spec) is None
        return outcome


@pytest.mark.parametrize("era", ["5.8", "5.15", "6.1", "6.12"])
def test_bulk_requests_fail_as_the_spec_s_do(era: str) -> None:
    """For lack of frames, then since the group must not have so many; what stays charged too."""
    zone = Machine(8, 3, ERAS[era], start=8)
    both = Both(SlabMachine(zone, scheme="objects", groups=1, limit=2))
    both(SlabOp(SlabVerb.CREATE, cache=1, size=1024, order=0))
    both(SlabOp(SlabVerb.CREATE, cache=2, size=4096, order=0))
    both(SlabOp(SlabVerb.GROUP, group=1))
    held = [both(SlabOp(SlabVerb.ALLOC, cache=2)) for _ in range(7)]
    assert both(SlabOp(SlabVerb.ALLOC_BULK, cache=1, group=1, objects=5)) == 0
    for address in held:
        both(SlabOp(SlabVerb.FREE, addresses=(address,)))
    both(SlabOp(SlabVerb.SHRINK, cache=2))
    assert both(SlabOp(SlabVerb.ALLOC_BULK, cache=1, group=1, objects=3)) == 3
    got = tuple(both.spec.slots)
    assert both(SlabOp(SlabVerb.ALLOC_BULK, cache=1, group=1, objects=9)) == 0
    both(SlabOp(SlabVerb.FREE_BULK, cache=1, addresses=got))


def test_a_group_that_has_gone_waits_for_its_objects() -> None:
    """Its account is closed with the last of them, not when a stock is emptied before."""
    both = Both(SlabMachine(ZONE, 2, scheme="objects", groups=2))
    both(SlabOp(SlabVerb.CREATE, cache=1, size=256))
    for group in (1, 2):
        both(SlabOp(SlabVerb.GROUP, group=group))
    held = [both(SlabOp(SlabVerb.ALLOC, cache=1, group=1)) for _ in range(2)]
    both(SlabOp(SlabVerb.OFFLINE, group=1))
    for address in held:
        both(SlabOp(SlabVerb.FREE, addresses=(address,)))
        both(SlabOp(SlabVerb.ALLOC, cache=1, group=2))
    assert set(both.spec.groups) == {2}


def test_a_shared_array_takes_as_much_as_it_has_room_for() -> None:
    """Full arrays spill into one that is full in part."""
    machine = SlabMachine(ZONE, 2, design="slab")
    both = Both(machine)
    both(SlabOp(SlabVerb.CREATE, cache=1, size=256, objects_kept=4, batch=3, shared=1))
    held = [both(SlabOp(SlabVerb.ALLOC, cache=1)) for _ in range(24)]
    for number, address in enumerate(held):
        both(SlabOp(SlabVerb.FREE, cpu=number // 12, addresses=(address,)))
        if number % 6 == 5:
            both(SlabOp(SlabVerb.REAP, cpu=0))
            both(SlabOp(SlabVerb.ALLOC_BULK, cpu=1 - number // 12, cache=1, objects=number // 6))


def test_a_record_serves_only_caches_of_its_size() -> None:
    """One that was given up is too small for larger arrays, and lies beside others."""
    both = Both(SlabMachine(ZONE, 2, design="slab"))
    for number, kept in ((1, 4), (2, 4)):
        both(SlabOp(SlabVerb.CREATE, cache=number, size=64, objects_kept=kept, batch=4))
    both(SlabOp(SlabVerb.DESTROY, cache=1))
    both(SlabOp(SlabVerb.CREATE, cache=1, size=64, objects_kept=100, batch=60))
    for number, objects in ((2, 3), (1, 40), (1, 40), (2, 3)):
        op = SlabOp(SlabVerb.ALLOC_BULK, cache=number, objects=objects)
        assert both(op) == objects


def test_fields_do_not_overlap() -> None:
    """No two words of the machine, or of the same row, record or area, are one."""
    fields = {field for _, field in state.LOADS}
    once = sorted(field.offset for field in fields if field.stride == 0)

    assert {field for _, field in state.STORES} == fields
    assert all(b - a >= 8 for a, b in pairwise(once))
    assert 8 * ADDRESSES <= once[0] <= once[-1] < state.SLOTS_FIRST
    for names in (
        ("next", "prev", "slab", "cache", "inuse", "chain", "frozen", "large"),
        ("number", "group", "size", "words", "order", "count", "kept", "partials", "batch"),
        ("head", "tid", "own_slab", "first_partial", "nr_kept"),
    ):
        loads = dict(state.LOADS)
        assert len({loads[vars(state)[f"{name}_of"]].offset for name in names}) == len(names)


def test_plain_code_cannot_leave_the_buffer() -> None:
    """A row beside the first or behind the last word is refused."""
    memory = SlabTwin(MACHINE, jit=False).memory
    for at in (0, state.ROWS_FIRST - 8, state.ROWS_FIRST + 4, memory.size):
        with pytest.raises(OutsideMemory):
            state.inuse_of(memory, at)
    with pytest.raises(OutsideMemory):
        state.set_slot(memory, -1, 0)


def test_a_chain_without_end_is_told() -> None:
    """Whoever reads a torn memory gets an error, not a loop."""
    twin = SlabTwin(MACHINE)
    served(twin, SlabOp(SlabVerb.CREATE, cache=1, size=64), SlabOp(SlabVerb.ALLOC, cache=1))
    words = twin.memory.objects.view
    head = next(p for p in range(len(words)) if words[p])
    words[head + 8] = head + 8

    with pytest.raises(TornChain, match="expected it to end"):
        slabs_of(twin)


def test_sizes_are_the_spec_s() -> None:
    """For whole words up to five frames, and every count of CPUs that makes a difference."""
    twin = plain_modules().modules
    sizes, arrays = vars(twin["slab.sizes"]), vars(twin["slab.array_sizes"])

    for size in (*range(8, 20500, 8), 1 << 15, 1 << 16, (1 << 17) + 8):
        for cpus, top, halves in product((1, 2, 8), (3, 10), (False, True)):
            if size <= 4096 << top:
                due = order_of_slab(size, cpus, top, halves=halves)
                assert sizes["order_of_slab"](size, cpus, top, halves) == due
                assert arrays["order_of_array_slab"](size, top) == order_of_array_slab(size, top)
        for table in (CPU_PARTIAL_5_12, CPU_PARTIAL_6_1):
            more = table is CPU_PARTIAL_6_1
            assert sizes["cpu_partial"](size, more) == cpu_partial(size, table)
        assert sizes["min_partial"](size) == min_partial(size)
        assert sizes["array_limit"](size) == array_limit(size)
        assert sizes["shared_batches"](size, 2) == shared_batches(size, 2)
        assert sizes["shared_batches"](size, 1) == shared_batches(size, 1)
    for limit in range(1, 300):
        assert sizes["batch_of"](limit) == batch_of(limit)
        assert arrays["free_limit"](3, limit, 7) == free_limit(3, limit, 7)
    assert np.array_equal([sizes["min_objects"](cpus) for cpus in (1, 4, 127)], [8, 16, 32])
