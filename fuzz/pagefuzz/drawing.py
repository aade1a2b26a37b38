"""A zone drawn as the 2004 thread drew its example: per order, the free blocks in list order.

On a machine with pageblocks each order has a list a type, and a small zone is drawn frame by frame
as well, under the types of its pageblocks. CPUs' lists and watermarks are drawn where there are
any.
"""

from collections import Counter
from collections.abc import Iterator

from pagefuzz.drawing_cpus import counts_drawn, cpus_drawn, marks_drawn, slots_drawn
from pagefuzz.drawing_words import LABEL, chained, fitted, labelled, pages
from pagespec.frames import SIZES
from pagespec.machine import Machine
from pagespec.migratetype import CMA, LETTER_OF
from pagespec.pcp.index import order_of_list
from pagespec.trace import NAMING, answer_text
from pagespec.types import Pfn
from pagespec.verbs import Op, Outcome, Verb
from pagespec.zone import Held, Zone

SHOWN_FRAMES, LINE_FRAMES = 256, 64
"""The longest zone that is drawn frame by frame, and how many of its frames one line has."""

FREE, LISTED, HELD, GUARD, POISONED, OFFLINE, NOTHING = ".:#gx- "
LEGEND = (
    "frames: . free, : a CPU's, # held, g guard, x poisoned, - offline; blank: none or kept back"
)
"""What the letters of a frame by frame drawing mean."""


def drawn(zone: Zone) -> list[str]:
    """The zone's lists from the top order down, what is held, and the counters, a line each.

    >>> from pagespec.boot import boot
    >>> from pagespec.era import ERAS
    >>> from pagespec.machine import Machine
    >>> from pagespec.ops import perform
    >>> zone = boot(Machine(pages=8, top=3, era=ERAS["2.6.11"]))
    >>> outcome = perform(zone, Op(Verb.ALLOC, 0))
    >>> print("\\n".join(drawn(zone)))
    free_area[3]
    free_area[2] -> page[4-7]
    free_area[1] -> page[2-3]
    free_area[0] -> page[1]
    held            page[0]
    free_pages 7    nr_free 1 1 1 0
    >>> zone = boot(Machine(pages=8, top=2, era=ERAS["6.1"], pageblock=2))
    >>> outcome = perform(zone, Op(Verb.ALLOC, 1))
    >>> print("\\n".join(drawn(zone)))
    free_area[2] M -> page[4-7]
    free_area[1] U -> page[2-3]
    free_area[0]
    held            page[0-1] U
    types   0       U   M
    frames  0       ##......
    free_pages 6    nr_free 0 1 1
    free_cma 0      nr_reserved 0
    """
    return [
        line
        for text in (
            *_lists(zone),
            *cpus_drawn(zone),
            labelled("held", (_held(zone, *item) for item in sorted(zone.held.items()))),
            *slots_drawn(zone),
            *_places(zone),
            *_frames(zone),
            *_counters(zone),
            *counts_drawn(zone),
            *marks_drawn(zone),
        )
        for line in fitted(text)
    ]


def frame_by_frame(machine: Machine) -> bool:
    """Whether the machine's zones are drawn frame by frame."""
    return machine.pageblock is not None and machine.pages <= SHOWN_FRAMES


def _lists(zone: Zone) -> Iterator[str]:
    typed = zone.machine.pageblock is not None
    for order in reversed(range(len(zone.free_area))):
        label = f"free_area[{order}]"
        lists = {mt: blocks for mt, blocks in zone.free_area[order].items() if blocks}
        if not lists:
            yield label
        for mt, blocks in lists.items():
            letter = f" {LETTER_OF[mt]}" if typed else ""
            yield chained(label + letter, (pages(pfn, order) for pfn in blocks))
            label = " " * len(label)


def _held(zone: Zone, pfn: Pfn, block: Held) -> str:
    return (
        pages(pfn, block.order)
        + (f" {LETTER_OF[block.mt]}" if zone.machine.pageblock is not None else "")
        + (f" refs {block.refs}" if block.refs > 1 else "")
        + (" compound" if block.compound else "")
    )


def _places(zone: Zone) -> Iterator[str]:
    """Where frames are that are neither free nor held, if any are anywhere else."""
    size = zone.machine.pageblock or 0
    for label, blocks in (
        ("guards", sorted(zone.guards.items())),
        ("poisoned", [(pfn, 0) for pfn in sorted(zone.poisoned)]),
        ("offline", [(pfn, size) for pfn in sorted(zone.offline)]),
    ):
        if blocks:
            yield labelled(label, (pages(pfn, order) for pfn, order in blocks))


def _frames(zone: Zone) -> Iterator[str]:
    """The pageblocks' types over the frames; of a large zone how many pageblocks have each."""
    machine = zone.machine
    if frame_by_frame(machine):
        size, marks = SIZES[machine.pageblock or 0], _marks(zone)
        for first in range(machine.start // LINE_FRAMES * LINE_FRAMES, machine.end, LINE_FRAMES):
            line = range(max(first, machine.start), min(first + LINE_FRAMES, machine.end))
            letters = [LETTER_OF[zone.pageblocks[machine.pageblock_number(pfn)]] for pfn in line]
            starts = [pfn % size == 0 or pfn == line.start for pfn in line]
            types = (mt if new else " " for mt, new in zip(letters, starts, strict=True))
            yield f"{f'types   {line.start}':<{LABEL}}{''.join(types)}"
            yield f"{f'frames  {line.start}':<{LABEL}}{''.join(marks[pfn] for pfn in line)}"
    elif machine.pageblock is not None:
        counts = Counter(LETTER_OF[mt] for mt in zone.pageblocks)
        counted = ", ".join(f"{count} {letter}" for letter, count in counts.items())
        yield f"{'types':<{LABEL}}{counted}"


def _marks(zone: Zone) -> dict[Pfn, str]:
    """What each frame is."""
    machine = zone.machine
    marks = dict.fromkeys(range(machine.start, machine.end), NOTHING)
    blocks = [(pfn, order, FREE) for pfn, order in zone.tag.items()]
    blocks += [(pfn, held.order, HELD) for pfn, held in zone.held.items()]
    blocks += [(pfn, order, GUARD) for pfn, order in zone.guards.items()]
    blocks += [(pfn, 0, POISONED) for pfn in zone.poisoned]
    blocks += [(pfn, machine.pageblock or 0, OFFLINE) for pfn in zone.offline]
    blocks += [
        (pfn, order_of_list(index, machine.huge), LISTED)
        for pcps in zone.pcps
        for pcp in pcps
        for index, heads in enumerate(pcp.lists)
        for pfn in heads
    ]
    for pfn, order, mark in blocks:
        marks.update(dict.fromkeys(range(pfn, pfn + SIZES[order]), mark))
    return marks


def _counters(zone: Zone) -> Iterator[str]:
    era = zone.machine.era
    yield f"free_pages {zone.free_pages:<4} nr_free {' '.join(map(str, zone.nr_free))}"
    if zone.machine.pageblock is not None:
        counts = [f"free_cma {zone.free_cma:<6}"] if CMA in era.types else []
        counts += [f"nr_reserved {zone.nr_reserved}"] if era.reserve != "none" else []
        counts += [f"free_highatomic {zone.free_highatomic}"] if era.retypes_on_merge else []
        yield from [" ".join(counts)] if counts else []
    if zone.machine.cpus or zone.levels is not None:
        yield f"pgalloc {zone.pgalloc:<7} pgfree {zone.pgfree}"
    for order, pairs in enumerate(zone.pair_bits):
        if pairs:
            yield f"pairs[{order}] set    {' '.join(map(str, sorted(pairs)))}"


def answered(op: Op, outcome: Outcome) -> str:
    """What came of a request, in the words of a trace."""
    if op.verb is Verb.ALLOC and outcome >= 0:
        return f"return page -> {pages(outcome, op.order)}"
    if op.verb in NAMING and outcome >= 0:
        return f"return pages -> page[{outcome}-{outcome + op.pages - 1}]"
    return answer_text(op.verb, outcome)
