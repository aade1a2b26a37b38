"""What a law is: a name, a sentence, and a function that says how a state or a step breaks it.

A law is computed from states alone. It may use the arithmetic of frames, never an algorithm of the
allocator: a law that runs the code it judges is no law.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, Literal, NamedTuple, TypeVar, get_args

from pagespec.era import Era
from pagespec.events import Event
from pagespec.laws.swept import Swept
from pagespec.verbs import Op, Outcome

Level = Literal["outside", "refines", "exact"]
"""What a law needs: only the requests and their outcomes; a state; or the lists' order too."""

LEVELS: tuple[Level, ...] = get_args(Level)
"""The levels, the strictest last."""

Complaint = str | None
"""How the law is broken, in a sentence with the offending values; None if it holds."""


class Transition(NamedTuple):
    """One request between two states.

    visited: frames and list nodes that the spec looked at, 0 for any other allocator. log: what the
    spec said it did, in order; empty for any other allocator.
    """

    before: Swept
    op: Op
    outcome: Outcome
    after: Swept
    visited: int = 0
    log: tuple[Event, ...] = ()


class LawBroken(Exception):
    """A law does not hold."""

    def __init__(self, law_id: str, complaint: str) -> None:
        super().__init__(f"{law_id}: {complaint}")
        self.law_id = law_id
        self.complaint = complaint


Subject = TypeVar("Subject")


@dataclass(frozen=True, slots=True)
class Law(Generic[Subject]):
    """One law.

    id: its name. sentence: what must hold. reason: why it matters. source: where it comes from.
    eras: whether it speaks about an era.
    """

    id: str
    level: Level
    source: str
    eras: Callable[[Era], bool]
    sentence: str
    reason: str
    complaint: Callable[[Subject], Complaint]


class LawBook(Generic[Subject]):
    """The laws about one kind of subject, in the order in which they are judged.

    parts: the books that it is put together from, if any.
    """

    def __init__(self, *parts: "LawBook[Subject]") -> None:
        self.laws: list[Law[Subject]] = [law for part in parts for law in part.laws]

    def law(
        self,
        law_id: str,
        *,
        source: str,
        level: Level = "refines",
        eras: Callable[[Era], bool] = lambda era: True,
    ) -> Callable[[Callable[[Subject], Complaint]], Callable[[Subject], Complaint]]:
        """Enter a function as a law; its docstring is the sentence and then the reason."""

        def enter(function: Callable[[Subject], Complaint]) -> Callable[[Subject], Complaint]:
            sentence, _, reason = (function.__doc__ or "").partition("\n\n")
            self.laws.append(
                Law(
                    id=law_id,
                    level=level,
                    source=source,
                    eras=eras,
                    sentence=" ".join(sentence.split()),
                    reason=" ".join(reason.split()),
                    complaint=function,
                )
            )
            return function

        return enter

    def broken(
        self,
        era: Era,
        subject: Subject,
        without: frozenset[str] = frozenset(),
        level: Level = "exact",
    ) -> Iterator[LawBroken]:
        """Every law of the era that the subject breaks, the most basic first.

        without: laws about fields that the subject does not show. level: the strictest laws that
        are judged.
        """
        judged = LEVELS[: LEVELS.index(level) + 1]
        for law in self.laws:
            if law.level in judged and law.id not in without and law.eras(era):
                complaint = law.complaint(subject)
                if complaint is not None:
                    yield LawBroken(law.id, complaint)

    def check(
        self,
        era: Era,
        subject: Subject,
        without: frozenset[str] = frozenset(),
        level: Level = "exact",
    ) -> None:
        """Raise LawBroken for the first law of the era that the subject breaks."""
        for broken in self.broken(era, subject, without, level):
            raise broken
