"""What a check finds: breaks of law with their place, explanations by cause, and the verdict."""

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from pagefuzz.exits import Exit
from pagefuzz.kernel.freecounts import Outcome
from pagefuzz.kernel.loss import Loss
from pagefuzz.kernel.thresholds import Threshold

DISJOINT = "OUT-disjoint"
ALIGN = "BUD-align"
INSIDE = "BUD-inside"
PARTITION = "BUD-partition"
REFUSE = "BUD-refuse"
EXPAND = "BUD-expand"
MAXIMAL = "BUD-maximal"
NUMBER = "MT-number"
EXTFRAG = "MT-extfrag"
LIST = "MT-list"
RETURN = "MT-return"
FALLBACK = "MT-fallback"
FREE_COUNT = "MT-free"
BLOCK_COUNT = "MT-pageblocks"
LIFO = "PCP-lifo"
REFILL = "PCP-refill"
DRAIN = "PCP-drain"
COUNT = "PCP-count"
CMP_STEPS = "CMP-steps"
CMP_RANGE = "CMP-range"
CMP_SCAN = "CMP-scan"
CMP_FREE = "CMP-free"
CMP_RESULT = "CMP-result"
CMP_UNDO = "CMP-undo"
THRESHOLD = "VM-threshold"
DRIFT = "VM-drift"
NUMA = "VM-numa"

LAWS = {
    DISJOINT: "live blocks never overlap",
    ALIGN: "a block starts at a multiple of its size",
    INSIDE: "a block lies in one zone",
    PARTITION: "a frame is in one place at a time: free, cached, live or isolated",
    REFUSE: "nothing is freed that is free, or as more than was allocated",
    EXPAND: "a request takes the lowest part of a maximal free block",
    MAXIMAL: "no two free buddies stay apart: buddyinfo is the canonical decomposition",
    NUMBER: "a type that an event prints is one that the kernel has, or a request may have",
    EXTFRAG: "a fallback's event agrees with itself and with the table of fallbacks",
    LIST: "a block leaves the list that it is on",
    RETURN: "a page returns from a per-CPU list with its pageblock's type",
    FALLBACK: "a request falls back when it must, to the block that the rules name",
    FREE_COUNT: "pagetypeinfo's free blocks by type and order are those of the lists",
    BLOCK_COUNT: "pagetypeinfo's pageblocks by type follow the events that change them",
    LIFO: "requests take the front of a CPU's list, drains take the back",
    REFILL: "a list that is empty gets the batch that its sizes say",
    DRAIN: "a free drains when the lists hold too much, by their sizes and in their turn",
    COUNT: "zoneinfo's count of a CPU's lists is that of the replayed ones",
    CMP_STEPS: "a run of compaction begins and ends once, and its events come in its order",
    CMP_RANGE: "compaction's scanners stay in the zone; one ascends, the other descends to it",
    CMP_SCAN: "they count what they look at, and isolate as much as they may at a time",
    CMP_FREE: "compaction isolates as targets no more frames than are free there",
    CMP_RESULT: "a run's result says whether its scanners met",
    CMP_UNDO: "what compaction isolated is moved to or from, or given back",
    THRESHOLD: "a zone's threshold follows from the CPUs that run and the frames that it manages",
    DRIFT: "the free frames of buddyinfo and of zoneinfo differ by what CPUs may keep, at most",
    NUMA: "hits and misses are as many as local and other ones; a miss is foreign somewhere",
}
NEEDS_SNAPSHOT = (
    INSIDE,
    PARTITION,
    EXPAND,
    MAXIMAL,
    EXTFRAG,
    LIST,
    RETURN,
    FALLBACK,
    FREE_COUNT,
    BLOCK_COUNT,
    LIFO,
    REFILL,
    DRAIN,
    COUNT,
    CMP_FREE,
    THRESHOLD,
    DRIFT,
    NUMA,
)
LOSS_PROOF = (ALIGN, INSIDE, NUMBER, THRESHOLD, DRIFT, NUMA)
"""Laws about a single event, or about a snapshot: what is lost cannot excuse what is there."""


class Verdict(StrEnum):
    """What may be said about a law, or about all of them."""

    HELD = "held"
    BROKEN = "broken"
    INCONCLUSIVE = "inconclusive"
    UNCHECKED = "not checked"


def exit_of(verdict: Verdict) -> Exit:
    """Return the exit code of a verdict."""
    return {Verdict.HELD: Exit.HELD, Verdict.BROKEN: Exit.BROKEN}.get(verdict, Exit.INCONCLUSIVE)


@dataclass(frozen=True, slots=True)
class Finding:
    """A broken law: where in the trace, which, and what happened in one sentence.

    path: the file, where it is not the trace.
    """

    line: int
    law: str
    sentence: str
    path: str = ""


class ThresholdRow(NamedTuple):
    """A zone's threshold, in a file."""

    where: str
    found: Threshold


@dataclass
class Tally:
    """Frames that one cause claims: how often, and what became of those taken without event.

    `held` were claimed as isolated; each is `returned` by a later free, or still held at the end.
    """

    claimed: int = 0
    held: int = 0
    returned: int = 0


@dataclass(frozen=True, slots=True)
class Comparison:
    """A snapshot against the replay: differing frames by cause, and those without one.

    `explained` is None for the snapshot that the replay starts from.
    """

    name: str
    line: int
    explained: dict[str, int] | None
    unexplained: int
    maximal: str

    @property
    def outcome(self) -> str:
        """`start`, `identical`, `explained` or `unexplained`."""
        if self.unexplained:
            return "unexplained"
        if self.explained is None:
            return "start"
        return "explained" if self.explained else "identical"


@dataclass
class Findings:
    """What replaying collects.

    checked: how often each law was judged; passed: how often it could not be, for want of
        knowledge.
    searches: the ways to search for a fallback that the trace leaves, if it excludes any.
    listing: events of the CPUs' lists, by law, what was asked of them, and cause.
    untyped: why types are not judged at all; empty if they are, or without any snapshot.
    uncounted: where they are, the snapshots that have no counts by type.
    thresholds: of every zone in every snapshot. drifts: how often the lists and the count of free
        frames compare so.
    """

    broken: list[Finding] = field(default_factory=list)
    checked: Counter[str] = field(default_factory=Counter)
    passed: Counter[str] = field(default_factory=Counter)
    searches: tuple[str, ...] = ()
    untyped: str = ""
    uncounted: list[str] = field(default_factory=list)
    listing: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    causes: dict[str, Tally] = field(default_factory=dict)
    comparisons: list[Comparison] = field(default_factory=list)
    thresholds: list[ThresholdRow] = field(default_factory=list)
    drifts: Counter[Outcome] = field(default_factory=Counter)

    def breach(self, line: int, law: str, sentence: str, path: str = "") -> None:
        """Note a broken law; path says in which file, if not in the trace."""
        self.broken.append(Finding(line, law, sentence, path))

    def tally(self, cause: str) -> Tally:
        """Return the tally of a cause."""
        return self.causes.setdefault(cause, Tally())


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of checking one run."""

    trace: str
    snapshots: str
    era: str
    kinds: dict[str, int]
    noise: tuple[int, ...]
    loss: Loss
    findings: Findings

    @property
    def laws(self) -> dict[str, Verdict]:
        """The verdict on each law."""
        return {law: self._verdict_on(law) for law in LAWS}

    @property
    def verdict(self) -> Verdict:
        """The verdict on the run: one broken law breaks it, lost events leave it open."""
        laws = self.laws.values()
        if Verdict.BROKEN in laws:
            return Verdict.BROKEN
        if self.loss.events or self.loss.cut or Verdict.HELD not in laws:
            return Verdict.INCONCLUSIVE
        return Verdict.HELD

    @property
    def exit(self) -> Exit:
        """The exit code of the verdict."""
        return exit_of(self.verdict)

    @property
    def breaches(self) -> list[Finding]:
        """The broken laws that count: with events lost, only those that loss cannot excuse."""
        if not self.loss.events:
            return self.findings.broken
        return [finding for finding in self.findings.broken if finding.law in LOSS_PROOF]

    def _verdict_on(self, law: str) -> Verdict:
        if any(finding.law == law for finding in self.breaches):
            return Verdict.BROKEN
        if not self.findings.checked[law]:
            return Verdict.UNCHECKED
        if self.loss.events and law not in LOSS_PROOF:
            return Verdict.INCONCLUSIVE
        return Verdict.HELD
