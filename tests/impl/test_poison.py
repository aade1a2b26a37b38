"""What lies outside looks free: forgetting to ask whether a frame exists shows at once."""

from collections.abc import Callable

import pytest
from tests.impl.machines import MACHINES, TWIN_ERAS, TYPED_ERAS, name_of, requests

from pageimpl.allocator import Allocator, Stream
from pageimpl.layout import empty_zone, layout_of
from pageimpl.memory import BUDDY, HOLE, Memory, OutsideMemory, next_of, owner_of, tag_of
from pageimpl.refine import TornList, zone_of
from pageimpl.source import Patch, compiled_modules, plain_modules
from pagespec.boot import boot
from pagespec.machine import Machine
from pagespec.ops import perform

TAGGED = [machine for machine in MACHINES if machine.era.design == "tag"]


def is_present(machine: Machine, pfn: int) -> bool:
    return any(first <= pfn < end for first, end in machine.chunks)


@pytest.mark.parametrize("machine", TAGGED, ids=name_of)
def test_absent_neighbours_look_like_buddies(machine: Machine) -> None:
    """Whatever block may be free beside an absent frame, some order of it finds a false buddy."""
    memory, layout = empty_zone(machine), layout_of(machine)
    for first, end in machine.chunks:
        checked = 0
        for order in range(machine.top):
            size = 1 << order
            # The block that starts the chunk, as a lower or an upper half; the same at its end.
            for pfn in (
                -(-(first - machine.base) // size) * size + machine.base,
                (end - machine.base) // size * size + machine.base - size,
            ):
                buddy = machine.base + (pfn - machine.base ^ size)
                if first <= pfn and pfn + size <= end and not is_present(machine, buddy):
                    checked += looks_free(memory, buddy + layout.shift)
        aligned = all((edge - machine.base) % (1 << machine.top) == 0 for edge in (first, end))
        assert checked > 0 or aligned or end - first < 2


def looks_free(memory: Memory, slot: int) -> bool:
    return tag_of(memory, slot) & BUDDY != 0 and next_of(memory, slot) == slot


@pytest.mark.parametrize("machine", MACHINES, ids=name_of)
def test_only_absent_frames_are_poison(machine: Machine) -> None:
    """Every frame in a hole and every slot around the zone is; no frame that exists."""
    memory, layout = empty_zone(machine), layout_of(machine)
    for slot in range(layout.origin, layout.origin + layout.span):
        pfn = slot - layout.shift
        assert looks_free(memory, slot) != is_present(machine, pfn)
        hole = machine.start <= pfn < machine.end and not is_present(machine, pfn)
        assert (owner_of(memory, slot) == HOLE) == hole


def swap(old: str, new: str) -> Patch:
    def patch(text: str) -> str:
        assert old in text
        return text.replace(old, new)

    return patch


WITHOUT_CHECK: dict[str, tuple[str, Callable[[str], str]]] = {
    "no bounds": ("bounds", swap("first_of(mem) <= p < end_of(mem) and ", "")),
    "no holes": ("bounds", swap(" and owner_of(mem, p) != HOLE", "")),
    "no check in the loop": ("buddy", swap("not frame_exists(mem, buddy) or ", "")),
    "no lower bound": ("bounds", swap("first_of(mem) <= p < ", "p < ")),
    "no upper bound": ("bounds", swap(" <= p < end_of(mem)", " <= p")),
    "merge to the top inclusive": ("buddy", swap("while order < top:", "while order <= top:")),
    "likely to the top": ("buddy", swap("if order >= top_of(mem) - 1:", "if order >= 40:")),
}

ODD = Machine(61, 3, TWIN_ERAS[-1], start=5, holes=((9, 14), (30, 31)))


TYPED = [Machine(61, 3, era, start=5, holes=((9, 14), (30, 31)), pageblock=2) for era in TYPED_ERAS]

# One for each way to forget. Compiled, some would read further than any buffer reaches, and each
# set takes a while to compile.
COMPILED = ("no bounds", "no holes", "no check in the loop")


@pytest.mark.parametrize("fault", WITHOUT_CHECK)
def test_a_forgotten_check_shows(fault: str) -> None:
    """A few requests tell such an allocator from the spec."""
    module, patch = WITHOUT_CHECK[fault]

    assert differs_within(Allocator(ODD, modules=plain_modules({module: patch})), ODD, 3_000)


@pytest.mark.parametrize("fault", COMPILED)
def test_a_forgotten_check_shows_compiled(fault: str) -> None:
    """It shows the same way where nothing checks the bounds of the buffer."""
    module, patch = WITHOUT_CHECK[fault]

    assert differs_within(Allocator(ODD, modules=compiled_modules({module: patch})), ODD, 3_000)


@pytest.mark.parametrize("machine", TYPED, ids=name_of)
@pytest.mark.parametrize(
    ("module", "old"),
    [
        ("pageblock", "    if not frame_exists(mem, p):\n        return -1\n"),
        ("buddy", "not frame_exists(mem, buddy) or "),
    ],
)
def test_a_check_forgotten_among_pageblocks_shows(machine: Machine, module: str, old: str) -> None:
    """So do a tag that is believed where pageblocks' blocks are moved, counted and cut, and where
    blocks merge."""
    allocator = Allocator(machine, modules=plain_modules({module: swap(old, "")}))

    assert differs_within(allocator, machine, 2000)


def differs_within(allocator: Allocator, machine: Machine, count: int) -> bool:
    """Whether the allocator's state or an answer leaves the spec's within that many requests."""
    zone, stream = boot(machine), Stream(allocator, 2)
    try:
        for _ in range(count):
            zone.log.clear()
            zone.visited = 0
            if zone != zone_of(allocator):
                return True
            [(op, actual)] = requests(stream.run(1))
            if perform(zone, op) != actual:
                return True
    except (OutsideMemory, TornList):
        return True
    return False
