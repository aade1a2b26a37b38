"""A planted fault as data: where it comes from, what it does, and the laws that fit it."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple

from pagespec.schedule.contexts import Scenario

Kind = Literal[
    "coalescing",
    "order tag",
    "expand/split",
    "boundary",
    "holes",
    "init",
    "bad free",
    "accounting",
    "linkage",
    "references",
    "fallback",
    "pageblock",
    "reserve",
    "isolation",
    "ranges",
    "places",
    "CPUs' lists",
    "watermarks",
    "bulk requests",
    "zone choice",
    "counters",
    "zones' cells",
    "compaction",
    "slabs",
    "interleavings",
]
SLIP = "slip"
"""The source of a fault that no history tells of: a plausible slip of the hand."""


class Limits(NamedTuple):
    """What is asked of the hunts for a mutant.

    seconds: how long one may go on from its first request to the first failure. requests: what nine
    of ten shrunk traces must not exceed.
    """

    seconds: float
    requests: int


BLOCK_LIMITS = Limits(10.0, 8)
WIDER_LIMITS = Limits(20.0, 12)
"""For faults about pageblocks, CPUs, marks, scanners and slabs: most take an empty list, a full
pageblock or a zone that is nearly used up before they show."""

WIDER_KINDS: frozenset[Kind] = frozenset(
    {
        *("fallback", "pageblock", "reserve", "isolation", "ranges", "places"),
        *("CPUs' lists", "watermarks", "bulk requests", "zone choice", "compaction", "slabs"),
    }
)

HOST_KINDS: frozenset[Kind] = frozenset({"zone choice"})
"""For faults that only hosts of several zones can have."""

COUNTER_KINDS: frozenset[Kind] = frozenset({"counters"})
"""For faults of counters, on machines that do nothing but count."""

COMPACTION_KINDS: frozenset[Kind] = frozenset({"compaction"})
"""For faults of scanners, in zones that are compacted."""

SLAB_KINDS: frozenset[Kind] = frozenset({"slabs"})
"""For faults of caches of objects, on machines that ask for little else."""

STEP_KINDS: frozenset[Kind] = frozenset({"interleavings"})
"""For faults that take others at the wrong moment. They are planted in the spec's own text, and
every state of their scenario is visited: no hunt depends on a seed."""


class Edit(NamedTuple):
    """One change of a module's source: a text that stands there exactly once, and its successor."""

    module: str
    old: str
    new: str

    def __call__(self, source: str) -> str:
        """The source with the change. Raises ValueError if the old text is not there once."""
        count = source.count(self.old)
        if count != 1:
            raise ValueError(
                f"the text to be replaced in {self.module} must stand there once, "
                f"it does {count} times: {self.old!r}"
            )
        return source.replace(self.old, self.new)


@dataclass(frozen=True, slots=True)
class Mutant:
    """One planted fault.

    source: a historical bug, by its name in docs/museum.md, a release of Linux, or SLIP. mechanism:
    what goes wrong, in a sentence. laws: the laws that name it, any of which may be the first to
    break. fits: why they do. scenario: who is at work, where it takes several; the edits are then
    of the spec, and there may be none if the scenario itself is what is wrong.
    """

    id: str
    kind: Kind
    source: str
    mechanism: str
    edits: tuple[Edit, ...]
    laws: frozenset[str]
    fits: str
    scenario: Scenario | None = None

    @property
    def limits(self) -> Limits:
        """What is asked of its hunts."""
        return WIDER_LIMITS if self.kind in WIDER_KINDS else BLOCK_LIMITS


def planted(
    mutant_id: str,
    kind: Kind,
    source: str,
    mechanism: str,
    *edits: Edit,
    laws: Collection[str],
    fits: str,
) -> Mutant:
    """A mutant, written as the tables write it."""
    return Mutant(mutant_id, kind, source, mechanism, edits, frozenset(laws), fits)


def between(
    mutant_id: str,
    source: str,
    mechanism: str,
    *edits: Edit,
    scenario: Scenario,
    laws: Collection[str],
    fits: str,
) -> Mutant:
    """A mutant of the spec that it takes several contexts to find."""
    law_ids = frozenset(laws)
    return Mutant(mutant_id, "interleavings", source, mechanism, edits, law_ids, fits, scenario)


def patches_of(edits: Iterable[Edit]) -> dict[str, Callable[[str], str]]:
    """The edits as one patch a module, for `pageimpl.source`."""
    by_module: dict[str, list[Edit]] = {}
    for edit in edits:
        by_module.setdefault(edit.module, []).append(edit)
    return {module: partial(_all, together) for module, together in by_module.items()}


def _all(edits: list[Edit], source: str) -> str:
    for edit in edits:
        source = edit(source)
    return source
