"""Making a failing trace small, of whatever kind: passes of candidates, the first that fails wins.

The law must stay the same: a trace that breaks another law is another finding.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Generic, Protocol, TypeVar

from pagefuzz.record import complaint_of
from pagefuzz.replay import Verdict
from pagefuzz.smaller import OfAny
from pagespec.laws.law import LawBroken
from pagespec.types import DomainError


class Expecting(Protocol):
    """A trace of any kind, as far as it says which law it breaks."""

    @property
    def expect(self) -> str | None:
        """The law."""


Failing = TypeVar("Failing", bound=Expecting)


@dataclass(frozen=True, slots=True)
class Shrinker(Generic[Failing]):
    """How traces of one kind are put again, measured, and made smaller.

    failing: puts a trace again; what it needs of itself to break that law, or any law without one,
    and None if it does not. size_of: what shrinking makes smaller, the most important first.
    cost_of: what it costs to put a trace again. passes: each yields candidates, some of which are
    smaller. effort: what all may cost together; a count and not a time, so that a seed gives the
    same bytes.
    """

    failing: Callable[[Failing, str | None], Failing | None]
    size_of: Callable[[Failing], tuple[int, ...]]
    cost_of: Callable[[Failing], int]
    passes: tuple[Callable[[Failing], Iterator[Failing]], ...]
    effort: int


def smallest(
    shrinker: Shrinker[Failing],
    trace: Failing,
    found: Callable[[Failing], None] = lambda trace: None,
) -> Failing:
    """The smallest trace that the passes can find which breaks the same law as this one.

    found: takes each smaller trace as soon as it is there. Raises ValueError if the trace breaks no
    law.
    """
    failing = shrinker.failing(trace, None)
    if failing is None:
        raise ValueError("the trace breaks no law, so there is nothing to keep while shrinking")
    best = failing
    found(best)
    spent = 0

    def smaller(candidate: Failing) -> Failing | None:
        nonlocal spent
        if spent > shrinker.effort or shrinker.size_of(candidate) >= shrinker.size_of(best):
            return None
        spent += shrinker.cost_of(candidate)
        try:
            less = shrinker.failing(candidate, best.expect)
        except DomainError:
            return None
        # What it takes to make a candidate fail may be more than it has saved.
        return less if less and shrinker.size_of(less) < shrinker.size_of(best) else None

    size = None
    while size != shrinker.size_of(best):
        size = shrinker.size_of(best)
        for candidates in shrinker.passes:
            while (less := next(filter(None, map(smaller, candidates(best))), None)) is not None:
                best = less
                found(best)
    return best


def trimmed(trace: OfAny, verdict: Verdict, law_id: str | None) -> OfAny | None:
    """The trace without what it does not need, if it broke the law (or any law, without one)."""
    if verdict.broken is None or (law_id is not None and verdict.broken.law_id != law_id):
        return None
    kept = tuple(
        request._replace(answer=None)
        for position, request in enumerate(trace.requests[: verdict.step])
        if position not in verdict.skipped
    )
    comments = commented(trace.comments, trace.expect, verdict.broken)
    return replace(trace, requests=kept, expect=verdict.broken.law_id, comments=comments)


def commented(comments: tuple[str, ...], expect: str | None, broken: LawBroken) -> tuple[str, ...]:
    """The comments with the complaint; that of a larger trace speaks of what is gone."""
    others = [comment for comment in comments if not comment.startswith(f"{expect}: ")]
    return (*others, complaint_of(broken))
