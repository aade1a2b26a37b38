"""What sharing saves, as a table, as sentences and as JSON."""

import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pagefuzz.drift.words import memory, number
from pagefuzz.slabs.sharing.mixes import Mix
from pagefuzz.slabs.sharing.workload import Use, Workload
from pagespec.slab.sizes import PAGE

POINTER = 8
"""Bytes of shared slabs' vectors for each object: who pays for it."""

HEADS = (
    *("groups", "objects", "in use,\nframes", "frames,\nown", "frames,\nshared"),
    *("in use %,\nown", "in use %,\nshared", "saved,\nframes", "saved\n%", "vectors,\nframes"),
)


class Row(NamedTuple):
    """So many groups: with caches of their own, and with shared ones."""

    groups: int
    own: Use
    shared: Use

    @property
    def saved(self) -> int:
        """The frames that sharing saves; below 0 if it costs some."""
        return self.own.frames - self.shared.frames

    @property
    def percent(self) -> float:
        """The same in percent of the slabs of groups' own caches."""
        return 100 * self.saved / self.own.frames

    @property
    def vectors(self) -> int:
        """Frames that say of each object of shared slabs who pays, at least."""
        return -(-self.shared.slots * POINTER // PAGE)


def cells(row: Row) -> tuple[int | float, ...]:
    """The row as the table has it."""
    return (
        *(row.groups, row.shared.objects, -(-row.shared.in_use // PAGE)),
        *(row.own.frames, row.shared.frames),
        *(_percent(row.own), _percent(row.shared)),
        *(row.saved, round(row.percent, 1), row.vectors),
    )


def _percent(use: Use) -> float:
    return round(100 * use.utilisation, 1)


def said(work: Workload, mix: Mix, rows: Sequence[Row]) -> Iterator[str]:
    """What the figures say, and what they do not, in paragraphs."""
    last = rows[-1]
    yield (
        f"{work.groups:,} groups with {work.objects:,} objects each on the average, "
        f"{work.cpus:,} CPUs, {work.design}, era {work.era.name}; {number(work.churn)} times as "
        f"many objects as there are have given way to others. Sizes: {mix.source}."
    )
    verb = "saves" if last.saved >= 0 else "costs"
    yield (
        f"With {last.groups:,} groups, sharing caches {verb} {memory(abs(last.saved))} of "
        f"{memory(last.own.frames)} of slabs, {number(abs(last.percent))} %; of the bytes of slabs "
        f"{_percent(last.shared)} % are in use in place of {_percent(last.own)} %. The vectors "
        f"that say who pays for which object take {memory(last.vectors)} of that back."
    )
    yield (
        "When the series was posted in 2020 its author reported 30 to 45 % less slab memory and a "
        "better utilisation, on hosts in production. Those figures are of other workloads: groups "
        "there came and went, were of very different sizes, and left objects behind. These are "
        "counted on a model of the caches that groups had of their own, which was read from the "
        "thread and not from the kernel; they are no confirmation of those."
    )


def json_of(work: Workload, mix: Mix, rows: Sequence[Row]) -> str:
    """All of it for machines."""
    return json.dumps(
        {
            "era": work.era.name,
            "design": work.design,
            "cpus": work.cpus,
            "objects_per_group": work.objects,
            "churn": work.churn,
            "seed": f"{work.seed:08x}",
            "mix": [kind._asdict() for kind in mix.kinds],
            "rows": [
                {
                    "groups": row.groups,
                    "own": row.own._asdict() | {"utilisation": row.own.utilisation},
                    "shared": row.shared._asdict() | {"utilisation": row.shared.utilisation},
                    "saved_frames": row.saved,
                    "saved_percent": row.percent,
                    "vector_frames": row.vectors,
                }
                for row in rows
            ],
        },
        indent=2,
    )
