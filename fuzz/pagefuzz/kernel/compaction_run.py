"""What is known of a run of compaction after the events so far."""

from dataclasses import dataclass, field

from pagefuzz.kernel.findings import Findings
from pagefuzz.kernel.tracefs import Event

BEGIN = "mm_compaction_begin"
FINISHED = "mm_compaction_finished"
MIGRATE = "mm_compaction_isolate_migratepages"
FREE = "mm_compaction_isolate_freepages"
FAST = "mm_compaction_fast_isolate_freepages"
MOVED = "mm_compaction_migratepages"
END = "mm_compaction_end"
SUITABLE = "mm_compaction_suitable"
WAKE = "mm_compaction_kcompactd_wake"
SLEEP = "mm_compaction_kcompactd_sleep"

ALL = -1
"""The order of a run that wants no block, but all of a zone compacted."""


@dataclass
class Run:
    """A run of one task over the zone [first, end).

    began: the positions of both scanners at first. order: what is wanted, None until an event says
    it. step: the last event. ret: what the last question whether it is finished was answered.
    migrate: where the migration scanner stands at least. resume, below: the free scanner goes on at
    the one, or with a pageblock that begins before the other. stride: frames from one that the free
    scanner looks at to the next, at most. wanted: frames isolated to be moved and not moved yet.
    yielded: the last pageblock out of which frames are moved. taken, moved, given: free frames
    isolated, frames moved, and frames freed since the last question.
    """

    task: str
    line: int
    first: int
    end: int
    began: tuple[int, int]
    mode: str
    step: str = BEGIN
    order: int | None = None
    ret: str = ""
    migrate: int = 0
    resume: int | None = None
    below: int = 0
    stride: int = 1
    wanted: int = 0
    yielded: int | None = None
    taken: int = 0
    moved: int = 0
    given: int = 0

    @property
    def widest(self) -> int:
        """The stride that a walk of the free scanner begins with."""
        return 32 if self.mode == "async" else 1

    @property
    def is_proactive(self) -> bool:
        """Whether kcompactd runs unasked; it gives up when kswapd wakes, or as it sees fit."""
        return self.order == ALL and self.task.startswith("kcompactd")


@dataclass
class Compactions:
    """All runs that are seen.

    runs: by task. early: tasks that were at work before the trace began. served: tasks that an
    allocation shows to have done other things since. weighed: of each task, whether it last found
    that compaction is of use, until it begins. awake: of each kcompactd, the order
    that it was woken for; None while it sleeps.
    """

    runs: dict[str, Run] = field(default_factory=dict)
    early: set[str] = field(default_factory=set)
    served: set[str] = field(default_factory=set)
    weighed: dict[str, str] = field(default_factory=dict)
    awake: dict[str, int | None] = field(default_factory=dict)


def expect(findings: Findings, event: Event, law: str, holds: bool, sentence: str) -> bool:
    """Judge a law once and say whether it holds."""
    findings.checked[law] += 1
    if not holds:
        findings.breach(event.line, law, f"{event.kind}: {sentence}.")
    return holds
