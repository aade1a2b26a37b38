"""What the workload had interrupts off for, as tables, as sentences and as JSON."""

import json
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from pagefuzz.drift.words import memory, number
from pagefuzz.irqsoff.sampled import report, total
from pagefuzz.irqsoff.sides import Side
from pagefuzz.irqsoff.stretches import WORDS, Part, Recorded, in_us, in_visits
from pagefuzz.irqsoff.workload import Shape

HEADS = (
    *("era", "interrupts off in", "stretches", "longest,\nvisits", "at most"),
    *("mean,\nus", "longest,\nus"),
)


class PartRow(NamedTuple):
    """A part of an era: its stretches. Visits are None where nothing counts them."""

    era: str
    part: Part
    stretches: int
    longest: int | None
    at_most: int | None
    mean_us: float | None
    longest_us: float | None


def rows_of(sides: Sequence[Side]) -> list[PartRow]:
    """Each part that had interrupts off, era by era."""
    return [_row_of(side, part) for side in sides for part in side.recorded.rows]


def _row_of(side: Side, part: Part) -> PartRow:
    recorded = side.recorded
    longest = at_most = None
    if part != "alloc" and part != "give":
        longest, at_most = recorded.most[part], side.at_most(part)
    count, slowest = recorded.timed[part], recorded.slowest.get(part)
    mean_us = recorded.ticks[part] / count / recorded.rate if count else None
    longest_us = None if slowest is None else slowest / recorded.rate
    return PartRow(side.era, part, recorded.counts[part], longest, at_most, mean_us, longest_us)


def cells(row: PartRow) -> tuple[object, ...]:
    """The row as the table has it."""
    return (
        *(row.era, WORDS[row.part], row.stretches, row.longest, row.at_most),
        *(None if us is None else round(us, 2) for us in (row.mean_us, row.longest_us)),
    )


def beside(sides: Sequence[Side], unit: str) -> list[tuple[str, ...]]:
    """The reports of all eras side by side, line by line."""
    reports = [
        report(in_us(side.recorded) if unit == "us" else in_visits(side.recorded), unit)
        for side in sides
    ]
    return list(zip_longest(*reports, fillvalue=""))


SAMPLED = (
    "One event a round is sampled, as the tracer of 2011 had it: a stretch is noted if it is the "
    "longest so far, and who samples reads that one and begins anew. So the total is no real total "
    "time. Visits are of scanners alone, and the same for the same seed. Times are of all parts, "
    "measured on this twin in this run; of allocating and giving back the whole is measured."
)
ABSENT = (
    "Events of reclaim (shrink_inactive_list, split_huge_page), of block I/O (__make_request) and "
    "of other interrupts (save_args, __wake_up) cannot arise here: there is nothing of the kind."
)
SEEN_IN_2011 = (
    "The thread of 2011 saw compaction_alloc with interrupts off for up to 8,409 us, and not at "
    "all after the patch; all that was sampled fell from 22,355 us to 5,493 us, 4.07 times less. "
    "That was another machine and other code, so no microsecond here compares with those."
)


def said(shape: Shape, sides: Sequence[Side]) -> Iterator[str]:
    """What the figures say, and what they do not, in paragraphs."""
    rounds = sides[0].recorded.rounds
    huge = ", ".join(f"{side.got:,} of {side.asked:,} in {side.era}" for side in sides)
    yield (
        f"{memory(shape.pages)} in pageblocks of {memory(1 << shape.pageblock)}, "
        f"{rounds:,} rounds; huge pages that were got: {huge}."
    )
    first, *others = sides
    for other in others:
        yield _compared(first, other)
    yield f"{SAMPLED} {_left_out(sides)}"
    yield ABSENT
    yield SEEN_IN_2011


def _compared(first: Side, other: Side) -> str:
    before, after = first.recorded, other.recorded
    visits = _ratio(before.most.get("free", 0), after.most.get("free", 0))
    sampled = _ratio(total(in_visits(before)), total(in_visits(after)))
    mean = _ratio(_mean_us(before), _mean_us(after))
    longest = [recorded.most.get("free", 0) for recorded in (after, before)]
    return (
        f"{other.era} against {first.era}: the longest window of the free scanner visits "
        f"{longest[0]:,} places and not {longest[1]:,}, 1 to {visits}; all that was sampled in "
        f"visits is 1 to {sampled}. In time on this twin, its mean window is 1 to {mean}."
    )


def _left_out(sides: Sequence[Side]) -> str:
    served = sum(side.recorded.served for side in sides)
    times = sum(side.recorded.left_out for side in sides)
    return (
        f"No times were taken while this host took the processor away: {times:,} of {served:,} "
        "times that requests were put."
    )


def _ratio(before: float, after: float) -> str:
    return number(before / after) if after else "nothing to compare with"


def _mean_us(recorded: Recorded) -> float:
    count = recorded.timed["free"]
    return recorded.ticks["free"] / count / recorded.rate if count else 0.0


def json_of(shape: Shape, sides: Sequence[Side], complaints: Sequence[str]) -> str:
    """All of it for machines. complaints: what is wrong, in sentences."""
    return json.dumps(
        {
            "pages": shape.pages,
            "pageblock": shape.pageblock,
            "seed": f"{shape.seed:08x}",
            "rounds": sides[0].recorded.rounds,
            "errors": list(complaints),
            "eras": [
                {
                    "era": side.era,
                    "huge_asked": side.asked,
                    "huge_got": side.got,
                    "served": side.recorded.served,
                    "left_out": side.recorded.left_out,
                    "sampled_visits": [each._asdict() for each in in_visits(side.recorded)],
                    "sampled_us": [each._asdict() for each in in_us(side.recorded)],
                    "total_visits": total(in_visits(side.recorded)),
                    "total_us": total(in_us(side.recorded)),
                    "parts": [row._asdict() for row in rows_of([side])],
                }
                for side in sides
            ],
        },
        indent=2,
    )
