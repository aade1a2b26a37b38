"""The two ways of 2004 that were not merged, beside the form that was.

Where do they agree with it, and what memory do they give up? The census answers the first question
on every small machine, the prices answer the second on machines of any size.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from pagefuzz.report.markdown import table
from pagespec.boot import boot
from pagespec.buddy import free_one_block, rmqueue_smallest
from pagespec.era import ERAS
from pagespec.frames import SIZES
from pagespec.laws.whole import whole_zone
from pagespec.machine import Machine
from pagespec.migratetype import UNMOVABLE
from pagespec.types import Block, Order, Pfn
from pagespec.zone import Zone, lists_of

MERGED, FIRST, SECOND = ERAS["2.6.11"], ERAS["2004-v1"], ERAS["2004-v2"]
CENSUS_PAGES, CENSUS_TOPS = 20, (2, 4)


def without_victims(machine: Machine) -> Machine:
    """The machine in the merged form, with holes where the given era keeps frames back."""
    edges = [machine.start, *(edge for run in machine.managed for edge in run), machine.end]
    gaps = zip(edges[::2], edges[1::2], strict=True)
    holes = tuple((first, end) for first, end in gaps if first < end)
    return replace(machine, era=MERGED, holes=holes)


def bit_reversed(pfns: list[int]) -> list[int]:
    """An order in which neighbours lie far apart, so that merges come late and in bulk."""
    return sorted(pfns, key=lambda pfn: f"{pfn:064b}"[::-1])


def same_lists(one: Machine, other: Machine) -> bool:
    """Whether two machines give the same frames and keep the same lists, list for list.

    Everything is given out in single frames, comes back in an order that merges late, and goes out
    and comes back once more in blocks of every order; compared after each request.
    """
    zones = boot(one), boot(other)
    return _alike(*zones) and all(same and _alike(*zones) for same in _rounds(*zones))


def _alike(one: Zone, other: Zone) -> bool:
    return lists_of(one) == lists_of(other)


def _rounds(one: Zone, other: Zone) -> Iterator[bool]:
    """Serve the same requests in both zones; after each, whether both gave the same frame."""
    for orders in ([0], range(one.machine.top, -1, -1)):
        held: dict[Pfn, Order] = {}
        for order in orders:
            while (got := rmqueue_smallest(one, order, UNMOVABLE)) is not None:
                held[got] = order
                yield rmqueue_smallest(other, order, UNMOVABLE) == got
            yield rmqueue_smallest(other, order, UNMOVABLE) is None
        for pfn in bit_reversed(list(held)):
            free_one_block(one, pfn, held[pfn], UNMOVABLE)
            free_one_block(other, pfn, held[pfn], UNMOVABLE)
            yield True


# --- where do they agree? ----------------------------------------------------------------------


def small_machines(pages: int) -> Iterator[Machine]:
    """Every machine of that length with no hole or one, of the census's top orders."""
    spots = range(pages + 1)
    holes = [((first, end),) for first in spots for end in spots if first < end]
    for top in CENSUS_TOPS:
        for hole in [(), *holes]:
            yield Machine(pages, top, MERGED, holes=hole)


@dataclass(slots=True)
class Census:
    """How many machines were tried, and on how many of them a way agrees with the merged form.

    second_without_victims: agrees with the merged form on the machine that lacks the victims.
    """

    machines: int = 0
    first: int = 0
    second: int = 0
    second_without_victims: int = 0
    aligned: int = 0


def census(pages: int) -> Census:
    """The census over all small machines of that length."""
    count = Census()
    for machine in small_machines(pages):
        first, second = replace(machine, era=FIRST), replace(machine, era=SECOND)
        agrees = same_lists(machine, second)
        count.machines += 1
        count.aligned += second.managed == second.chunks
        count.first += same_lists(machine, first)
        count.second += agrees
        count.second_without_victims += agrees or same_lists(without_victims(second), second)
    return count


def census_markdown() -> str:
    """One row a length of zones."""
    rows = [(pages, census(pages)) for pages in range(1, CENSUS_PAGES + 1)]
    return table(
        [
            "frames",
            "machines",
            "v1 agrees",
            "every end aligned",
            "v2 agrees",
            "v2 agrees, its victims taken for holes",
        ],
        [
            (pages, c.machines, c.first, c.aligned, c.second, c.second_without_victims)
            for pages, c in rows
        ],
    )


# --- what do they give up? ---------------------------------------------------------------------


class Price(NamedTuple):
    """What a machine loses by the second way.

    frames: kept back for ever. lost: the largest block that the merged form has after boot and
    the second way has not.
    """

    frames: int
    lost: Block | None


def price(machine: Machine) -> Price:
    """What the second way gives up on a machine."""
    second = replace(machine, era=SECOND)
    # The free set after boot, without booting: large zones take a while.
    before, after = whole_zone(replace(machine, era=MERGED)), whole_zone(second)
    frames = sum(SIZES[block.order] for block in before) - sum(SIZES[b.order] for b in after)
    lost = max(before - after, key=lambda block: (block.order, block.pfn), default=None)
    return Price(frames, lost)


EXAMPLES: dict[str, Machine] = {
    "8 frames": Machine(8, 3, MERGED),
    "61 frames": Machine(61, 4, MERGED),
    "61 frames, a hole of one": Machine(61, 4, MERGED, holes=((20, 21),)),
    "1000 frames": Machine(1000, 6, MERGED),
    "64 GiB": Machine(2**24, 10, MERGED),
    "64 GiB less one frame": Machine(2**24 - 1, 10, MERGED),
    "64 GiB less 2 MiB": Machine(2**24 - 512, 10, MERGED),
    "64 GiB, a hole of 2 MiB every GiB": Machine(
        2**24, 10, MERGED, holes=tuple((gib + 512, gib + 1024) for gib in range(0, 2**24, 2**18))
    ),
}


def prices_markdown() -> str:
    """One row an example."""
    rows = [
        (
            name,
            machine.top,
            sum(end - first for first, end in machine.chunks),
            price(machine).frames,
            "none" if (lost := price(machine).lost) is None else f"order {lost.order}",
        )
        for name, machine in EXAMPLES.items()
    ]
    return table(
        ["zone", "TOP", "frames that exist", "v2 gives up", "largest block that v2 lost"], rows
    )
