"""The small machines of one case and era together: one condition, and one row of the ledger."""

from itertools import groupby
from typing import NamedTuple

from pagefuzz.prove.soundness.domains import SOUND_DOMAINS, SoundDomain
from pagefuzz.prove.soundness.survey import Question, Survey


class SoundCounts(NamedTuple):
    """What was found: machines and their states, and by how many frames at most a zone was too low.

    reclaim_min: when reclaim asked for min, and so on; request_min: when a request did. Each for
    one frame.
    """

    machines: int
    states: int
    reclaim_min: int
    reclaim_low: int
    reclaim_high: int
    request_min: int
    request_low: int
    request_high: int


SHORT = tuple(
    Question(reclaim, level, 0) for reclaim in (True, False) for level in ("min", "low", "high")
)
"""The questions of the counts from reclaim_min on."""


class SoundCase(NamedTuple):
    """Machines of one era in which the same may happen."""

    case: str
    era: str
    domains: tuple[SoundDomain, ...]

    @property
    def lengths(self) -> range:
        """One, the most frames that a zone of it has."""
        most = max(domain.pages for domain in self.domains)
        return range(most, most + 1)

    def exhaust(self, pages: int) -> SoundCounts:
        """The counts over all its machines of up to so many frames. Raises LawBroken as `survey`."""
        found = [domain.survey() for domain in self.domains if domain.pages <= pages]
        return SoundCounts(len(found), sum(each.states for each in found), *_worst(found))

    def __str__(self) -> str:
        cpus = sorted({domain.cpus for domain in self.domains})
        kbytes = sorted({domain.min_free for domain in self.domains})
        normal = sorted({-1 if d.normal is None else d.normal for d in self.domains})
        said = ",".join("by formula" if size < 0 else str(size) for size in normal)
        return (
            f"counts where {self.case}: era {self.era} cpus {','.join(map(str, cpus))} "
            f"threshold {said} min_free {','.join(map(str, kbytes))}"
        )


def _worst(found: list[Survey]) -> list[int]:
    return [max(each.short[question] for each in found) for question in SHORT]


SOUND_CASES = tuple(
    SoundCase(*key, tuple(domains))
    for key, domains in groupby(
        sorted(SOUND_DOMAINS, key=lambda domain: (domain.case, domain.era)),
        key=lambda domain: (domain.case, domain.era),
    )
)
