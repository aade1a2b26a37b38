"""A zone's exact state as bytes: its lists in their order, and who heads a held block.

What repeats the lists (tags, counts, pair bits) is left out and checked instead: a zone whose
fields are out of step with its lists has no such form. What nobody can see any more is left out
too: the frames that were once given out, and the log.
"""

from collections import OrderedDict
from typing import TypeAlias

from pagespec.frames import SIZES
from pagespec.laws.exact import TWIN_LAWS, Twins
from pagespec.laws.state import STATE_LAWS
from pagespec.machine import Machine
from pagespec.types import MAX_TOP, DomainError
from pagespec.zone import Held, Zone

State: TypeAlias = bytes
"""Per order, the frames in list order; then a byte a frame: one more than the order it heads."""

SEPARATOR = b"\xff"
HELD = tuple(Held(order, refs=1, compound=False) for order in range(MAX_TOP + 1))


def frozen(zone: Zone) -> State:
    """The state of a zone in which every held block has one reference."""
    start = zone.machine.start
    heads = bytearray(zone.machine.pages)
    for pfn, held in zone.held.items():
        heads[pfn - start] = held.order + 1
    return SEPARATOR.join([*map(bytes, zone.free_area), heads])


def thawed(machine: Machine, state: State) -> Zone:
    """The zone of a state, with all that repeats the lists."""
    *lists, heads = state.split(SEPARATOR)
    tagged = machine.era.design == "tag"
    held = {pfn: HELD[order - 1] for pfn, order in enumerate(heads, machine.start) if order}
    return Zone(
        machine=machine,
        free_area=[OrderedDict.fromkeys(blocks) for blocks in lists],
        tag=tags_of(lists) if tagged else {},
        nr_free=[len(blocks) for blocks in lists],
        free_pages=frames_in(lists),
        pair_bits=[set() for _ in lists] if tagged else pairs_of(machine, lists),
        held=held,
        given=set(held),
        visited=0,
        log=[],
    )


def check_in_step(zone: Zone) -> None:
    """Raise LawBroken if a field that repeats the lists differs from them."""
    lists = [*map(bytes, zone.free_area)]
    if zone.machine.era.design == "tag":
        same = zone.tag == tags_of(lists) and not any(zone.pair_bits)
    else:
        same = zone.pair_bits == pairs_of(zone.machine, lists) and not zone.tag
    if not same or zone.nr_free != [*map(len, lists)] or zone.free_pages != frames_in(lists):
        STATE_LAWS.check(zone.machine.era, zone)
        TWIN_LAWS.check(zone.machine.era, Twins(thawed(zone.machine, frozen(zone)), zone))


def tags_of(lists: list[bytes]) -> dict[int, int]:
    """The order of each free block, by head."""
    return {pfn: order for order, blocks in enumerate(lists) for pfn in blocks}


def frames_in(lists: list[bytes]) -> int:
    """How many frames the lists hold."""
    return sum(len(blocks) * SIZES[order] for order, blocks in enumerate(lists))


def pairs_of(machine: Machine, lists: list[bytes]) -> list[set[int]]:
    """Per order below the top, the pairs of which exactly one sibling is listed."""
    pairs: list[set[int]] = [set() for _ in lists]
    for order, blocks in enumerate(lists[:-1]):
        for pfn in blocks:
            pairs[order] ^= {(pfn - machine.base) // SIZES[order + 1]}
    return pairs


def check_small(machine: Machine) -> None:
    """Raise DomainError for a machine whose frames do not fit in a state's bytes."""
    if machine.end > SEPARATOR[0]:
        raise DomainError(
            f"zone {machine.start}..{machine.end}: exhaustion needs frames below {SEPARATOR[0]}"
        )
