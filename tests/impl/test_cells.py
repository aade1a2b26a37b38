"""CPUs that keep parts of a zone's counts: the twin keeps, tells and sees what the spec does."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from random import Random

import numpy as np
import pytest
from tests.impl.machines import TWIN_ERAS
from tests.impl.test_lists import changed, machine_with_lists

from pagefuzz.hosts.draw import random_host
from pagefuzz.hosts.lockstep import HostLockstep
from pagefuzz.hosts.twin import TwinHostFactory
from pagefuzz.hosts.walk import WALK_REQUESTS, walk
from pagefuzz.lockstep import Lockstep
from pagefuzz.target.builtin import TwinFactory
from pageimpl import memory as words
from pageimpl.allocator import Allocator, Stream
from pageimpl.memory import Memory
from pageimpl.pcp import state as areas
from pageimpl.refine import zone_of
from pageimpl.source import Kernels, plain_modules
from pagespec.era import ERAS, Era
from pagespec.host import Host
from pagespec.laws.cells import CELL_STATE_LAWS
from pagespec.laws.law import LawBroken
from pagespec.laws.swept import swept
from pagespec.machine import Machine
from pagespec.verbs import Op, Verb

NAMES = [era.name for era in TWIN_ERAS if era.cells != "none"]

COMPILED = pytest.mark.parametrize("jit", [False, True], ids=["plain", "compiled"])


def machine_with_cpus(era: Era, rng: Random) -> Machine:
    """A small machine whose CPUs keep lists."""
    while True:
        machine = machine_with_lists(era, rng)
        if machine.cpus:
            return replace(machine, cells=False)


def machine_with_cells(era: Era, rng: Random) -> Machine:
    """The same whose CPUs keep parts of counts too."""
    return replace(machine_with_cpus(era, rng), cells=True)


def host_with_cells(era: str, rng: Random) -> Host:
    """A small host whose CPUs have cells in every zone."""
    while True:
        host = random_host(rng, ERAS[era])
        if host.cpus:
            parts = (replace(p, machine=replace(p.machine, cells=True)) for p in host.parts)
            return replace(host, parts=tuple(parts))


@pytest.mark.parametrize("era", NAMES)
def test_small_hosts(era: str) -> None:
    """All zones of a host, whose CPUs are far from some of them, with the plain kernels.

    The compiled ones are put to the spec with all other hosts.
    """
    rng = Random(f"cells {era}")

    walk(
        HostLockstep(host_with_cells(era, rng), TwinHostFactory(plain_modules())),
        rng,
        WALK_REQUESTS,
    )


@pytest.mark.parametrize("era", NAMES)
def test_the_forms_agree_byte_for_byte(era: str) -> None:
    """After each request of a random stream both memories hold the same bytes."""
    machine = machine_with_cells(ERAS[era], Random(f"forms {era}"))
    plain, compiled = Allocator(machine, jit=False), Allocator(machine)
    streams = Stream(plain, 11), Stream(compiled, 11)

    for _ in range(300):
        expected, actual = (stream.run(1).tolist() for stream in streams)
        assert expected == actual
        assert np.array_equal(plain.memory.array, compiled.memory.array)


THRESHOLD = "min(MOST, (bits_of(cpus) << 1) * (1 + bits_of(pages >> UNIT_SHIFT)))"


def keeping_up_to(threshold: int) -> Kernels:
    """The plain kernels, whose CPUs tell a zone what is beyond that threshold."""

    def patch(text: str) -> str:
        assert text.count(THRESHOLD) == 1
        return text.replace(THRESHOLD, str(threshold))

    return plain_modules({"vmstat.threshold": patch})


@pytest.mark.parametrize("threshold", [1, 125, 127])
def test_what_fits_is_not_lost(threshold: int) -> None:
    """Until a byte is full, what the zone was told and what the CPU keeps is all there is."""
    assert "CELL-sum" not in broken_by_one_way(threshold)


@pytest.mark.parametrize("threshold", [128, 200])
def test_what_does_not_fit_is_lost(threshold: int) -> None:
    """A cell is a byte: beyond what it holds, the zone's count is wrong from then on."""
    assert "CELL-sum" in broken_by_one_way(threshold)


def broken_by_one_way(threshold: int) -> set[str]:
    """The laws of cells that a zone breaks once a CPU has taken all of it, or has given it back.

    Each frame is counted by itself.
    """
    machine = Machine(512, 4, ERAS["5.15"], cpus=1, batch=1, high=1, cells=True)
    allocator = Allocator(machine, modules=keeping_up_to(threshold))
    pfns = [allocator.perform(Op(Verb.ALLOC)) for _ in range(machine.pages)]
    found = {*CELL_STATE_LAWS.broken(machine.era, swept(zone_of(allocator)))}
    for pfn in pfns:
        assert allocator.perform(Op(Verb.FREE, 0, pfn)) == 0
    found |= {*CELL_STATE_LAWS.broken(machine.era, swept(zone_of(allocator)))}
    return {broken.law_id for broken in found}


@pytest.mark.parametrize("threshold", [127, 200])
def test_another_threshold_is_found(threshold: int) -> None:
    """Before anything is lost, too."""
    machine = Machine(512, 4, ERAS["6.12"], cpus=1, cells=True)

    with pytest.raises(LawBroken) as found:
        Lockstep(machine, TwinFactory(keeping_up_to(threshold)))
    assert found.value.law_id == "CELL-boot"


ZONE_WORDS = ("kept_free", "kept_cma", "cell_threshold", "drift_mark")
AREA_WORDS = ("free_cell", "cma_cell", "rest")


def accessors(memory: Memory, name: str) -> tuple[Callable[[], int], Callable[[int], None]]:
    """What reads and writes a word; of a CPU's, the first CPU's."""
    if name in ZONE_WORDS:
        load, store = getattr(words, f"{name}_of"), getattr(words, f"set_{name}")
        return partial(load, memory), partial(store, memory)
    load, store = getattr(areas, f"{name}_of"), getattr(areas, f"set_{name}")
    q = words.lists_first_of(memory)
    return partial(load, memory, q), partial(store, memory, q)


@pytest.mark.parametrize("name", [*ZONE_WORDS, *AREA_WORDS])
def test_every_word_is_read_back(name: str) -> None:
    """A word that has fallen out of step shows."""
    machine = Machine(64, 4, ERAS["6.12"], cpus=2, min_free=40, cells=True)
    allocator = Allocator(machine, jit=False)
    _, store = accessors(allocator.memory, name)

    assert changed(allocator, lambda memory: store(77))


@COMPILED
@pytest.mark.parametrize("era", ["2.6.8", "2.6.37", "5.15", "6.12"])
def test_zones_without_cells_leave_the_words_alone(era: str, jit: bool) -> None:
    """What stands in words that only cells need makes no odds and stays; and nothing is kept."""
    rng = Random(f"without {era}")
    for _ in range(3):
        machine = replace(machine_with_cpus(ERAS[era], rng), far=frozenset({0}))
        as_ever, written = Allocator(machine, jit=jit), Allocator(machine, jit=jit)
        loads = {}
        for name in (*ZONE_WORDS, *AREA_WORDS):
            loads[name], store = accessors(written.memory, name)
            store(0 if name in ("kept_free", "kept_cma", "drift_mark") else 77)
        before = {name: load() for name, load in loads.items()}

        rows, others = (Stream(each, 5).run(1500) for each in (as_ever, written))
        assert np.array_equal(rows, others)
        assert before == {name: load() for name, load in loads.items()}
