"""The small machines of one case and era together: one condition, and one row of the ledger."""

from typing import NamedTuple

from pagefuzz.prove.soundness.domains import SOUND_DOMAINS, SoundDomain
from pagefuzz.prove.soundness.survey import LEVELS, Question


class SoundCase(NamedTuple):
    """Machines of one era in which the same may happen."""

    case: str
    era: str
    domains: tuple[SoundDomain, ...]

    def counts(self) -> dict[str, tuple[int, ...]]:
        """Machines and their states, and by how many frames at most a zone was too low when it
        passed min, low and high for one frame: for reclaim, and for a request.

        Raises LawBroken as `survey` does.
        """
        found = [domain.survey() for domain in self.domains]
        short = {
            by: tuple(
                max(each.short[Question(by == "by_reclaim", level, 0)] for each in found)
                for level in LEVELS
            )
            for by in ("by_reclaim", "by_request")
        }
        states = sum(each.states for each in found)
        return {"machines": (len(found),), "states": (states,), **short}

    def __str__(self) -> str:
        cpus = sorted({domain.cpus for domain in self.domains})
        kbytes = sorted({domain.min_free for domain in self.domains})
        normal = sorted({-1 if d.normal is None else d.normal for d in self.domains})
        said = ",".join("by-formula" if size < 0 else str(size) for size in normal)
        return (
            f"marks where {self.case}: era {self.era} cpus {','.join(map(str, cpus))} "
            f"threshold {said} min_free {','.join(map(str, kbytes))}"
        )


SOUND_CASES = tuple(
    SoundCase(case, era, tuple(d for d in SOUND_DOMAINS if (d.case, d.era) == (case, era)))
    for case, era in dict.fromkeys((domain.case, domain.era) for domain in SOUND_DOMAINS)
)
