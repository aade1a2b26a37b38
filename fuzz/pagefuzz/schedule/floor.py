"""The floor of meetings: how contexts must have met, era by era, before silence means anything."""

from collections.abc import Callable

from pagefuzz.schedule.meetings import Meeting
from pagespec.era import Era
from pagespec.guards import RULES

MEETS: dict[Meeting, Callable[[Era], bool]] = {
    Meeting.LOST: lambda era: RULES[era.guard].locks,
    Meeting.BARRED: lambda era: RULES[era.guard].bars_interrupts,
    Meeting.WITHIN: lambda era: not RULES[era.guard].irqs_off,
    Meeting.DRAIN_WAITS: lambda era: True,
    Meeting.REFILLED: lambda era: True,
    Meeting.DRAINED: lambda era: True,
    Meeting.VISITED: lambda era: not era.drains_remotely,
    Meeting.MOVED: lambda era: True,
    Meeting.PREEMPTED: lambda era: True,
    Meeting.IN_FLIGHT: lambda era: True,
    # Before, the sizes followed from the batch, and nobody set them while lists were in use.
    Meeting.HALF_STORED: lambda era: era.tuning != "pair",
}
"""Which eras know each meeting. One interrupt within another is seldom, and nothing depends on it:
both are kept off, or neither."""


def schedule_floor(era: Era) -> set[tuple[Meeting, int]]:
    """The meetings that a run over the era must reach."""
    return {(meeting, 0) for meeting, meets in MEETS.items() if meets(era)}
