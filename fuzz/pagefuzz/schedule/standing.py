"""Where a context stands, as a value that can be compared and kept.

What it has in its locals may be a part of what is shared, like a CPU's lists: such a part is named
by its number, since it stays the same object whatever stands in it.
"""

from collections.abc import Hashable
from dataclasses import fields
from operator import attrgetter
from typing import NamedTuple, TypeAlias

from pagefuzz.schedule.aspects import Aspect
from pagefuzz.schedule.frames import Frame
from pagefuzz.schedule.programs import UNSET, Program
from pagespec.schedule.contexts import Context


class Part(NamedTuple):
    """A part of what is shared, by its number."""

    number: int


class OwnList(NamedTuple):
    """A list that a context has to itself."""

    items: tuple[Hashable, ...]


class OwnSet(NamedTuple):
    """A set that a context has to itself."""

    items: frozenset[Hashable]


class OwnDict(NamedTuple):
    """A dict that a context has to itself."""

    items: tuple[tuple[Hashable, Hashable], ...]


OWN = (OwnList, OwnSet, OwnDict)

FrozenFrame: TypeAlias = tuple[Program, int, tuple[Hashable, ...]]


class FrozenContext(NamedTuple):
    """A context as a value. frames: the numbers of its frames. values: its other fields."""

    frames: tuple[int, ...] | None
    values: tuple[Hashable, ...]


FIELDS = tuple(field.name for field in fields(Context) if field.name != "rest")
_values_of = attrgetter(*FIELDS)
PLAIN = frozenset({int, bool, str, type(None), type(UNSET)})
"""The types of most locals, which are values as they are."""
CONTROL = tuple(
    FIELDS.index(name) for name in ("place", "at", "come", "stop", "ready", "holds", "back")
)
"""Those of its fields that say what may happen next, besides whether a request is under way."""
HOLDS = FIELDS.index("holds")


class Whole(NamedTuple):
    """A frame as it was when it was met first, to be gone on from again.

    own: the lists, sets and dicts of its own, which could change in place, each with a copy.
    """

    frame: Frame
    own: tuple[tuple[object, object], ...]


class Standing(Aspect[Context, FrozenContext]):
    """A context with all that it still needs.

    parts: of what is shared, by number and by identity. controls: per number, that of what may
    happen next follows from; holds: what it holds. frames: by number; whole: as they go back to the
    context, or None if they are made anew each time, as all are with something of their own once
    one such thing has changed in place and trusts is False. known: the numbers of whole ones, by
    identity.
    """

    def __init__(self, of: Context, parts: list[object], numbers: dict[int, Part]) -> None:
        super().__init__(of)
        self.parts = parts
        self.part_numbers = numbers
        self.controls: list[int] = []
        self.control_numbers: dict[Hashable, int] = {}
        self.holds: list[Hashable] = []
        self.frames: list[FrozenFrame] = []
        self.frame_numbers: dict[FrozenFrame, int] = {}
        self.whole: list[Whole | None] = []
        self.known: dict[int, int] = {}
        self.trusts = True

    def look(self) -> FrozenContext:
        """The context with its locals by value."""
        rest = self.of.rest
        frames: tuple[int, ...] | None = None
        if rest is not None:
            assert isinstance(rest, tuple)
            known = self.known
            numbers = [known.get(id(frame), -1) for frame in rest]
            if -1 in numbers:
                numbers = [
                    self.number_of(frame) if number < 0 else number
                    for frame, number in zip(rest, numbers, strict=True)
                ]
            frames = tuple(numbers)
        return FrozenContext(frames, _values_of(self.of))

    def number_of(self, frame: Frame) -> int:
        """The number of a frame by its value."""
        frozen = self.frozen_frame(frame)
        number = self.frame_numbers.get(frozen)
        if number is not None:
            return number
        number = self.frame_numbers[frozen] = len(self.frames)
        self.frames.append(frozen)
        own: list[tuple[object, object]] = []
        for value, each in zip(frame.kept, frozen[2], strict=True):
            if type(each) in OWN:
                own.append((value, self.thawed_value(each)))
        whole = Whole(frame, tuple(own)) if self.trusts or not own else None
        self.whole.append(whole)
        if whole is not None:
            self.known[id(frame)] = number
        return number

    def number_by_value(self, frozen: FrozenFrame) -> int:
        """The number of a frame that may not have been met yet."""
        number = self.frame_numbers.get(frozen)
        if number is None:
            program, at, kept = frozen
            number = self.number_of(Frame(program, at, tuple(map(self.thawed_value, kept))))
        return number

    def enter(self, value: FrozenContext) -> None:
        """Number what may happen next follows from."""
        frames, values = value
        control = (frames is None, *[values[at] for at in CONTROL])
        self.controls.append(self.control_numbers.setdefault(control, len(self.control_numbers)))
        self.holds.append(values[HOLDS])

    def check(self) -> None:
        """See whether a step has changed in place what a frame had of its own.

        It is done before the context is looked at again.
        """
        frames = self.values[self.stands].frames
        if frames is None or not self.trusts:
            return
        for number in frames:
            whole = self.whole[number]
            if whole is not None and any(value != copy for value, copy in whole.own):
                self.distrust()
                return

    def distrust(self) -> None:
        """Keep no frames as they were that hold something of their own."""
        self.trusts = False
        for number, whole in enumerate(self.whole):
            if whole is not None and whole.own:
                del self.known[id(whole.frame)]
                self.whole[number] = None

    def put(self, value: FrozenContext, before: FrozenContext | None) -> None:
        """Set its fields again."""
        frames, values = value
        context = self.of
        context.rest = None
        if frames is not None:
            context.rest = tuple([self.frame_of(number) for number in frames])
        for name, each in zip(FIELDS, values, strict=True):
            setattr(context, name, each)

    def frame_of(self, number: int) -> Frame:
        """The frame of that number."""
        whole = self.whole[number]
        if whole is not None:
            return whole.frame
        program, at, kept = self.frames[number]
        return Frame(program, at, tuple(map(self.thawed_value, kept)))

    def frozen_frame(self, frame: Frame) -> FrozenFrame:
        """One program and its locals as a value."""
        program, at, kept = frame
        value_of = self.frozen_value
        return (
            program,
            at,
            tuple([each if type(each) in PLAIN else value_of(each) for each in kept]),
        )

    def frozen_value(self, value: object) -> Hashable:
        """The value of a local: a part of what is shared by its number."""
        part = self.part_numbers.get(id(value))
        if part is not None:
            return part
        if isinstance(value, list):
            return OwnList(tuple(map(self.frozen_value, value)))
        if isinstance(value, set):
            return OwnSet(frozenset(value))
        if isinstance(value, dict):
            return OwnDict(tuple(value.items()))
        return value  # what is not hashable is refused when it is entered

    def thawed_value(self, frozen: Hashable) -> object:
        """The local of such a value."""
        if type(frozen) is Part:
            return self.parts[frozen.number]
        if type(frozen) is OwnList:
            return [self.thawed_value(item) for item in frozen.items]
        if type(frozen) is OwnSet:
            return set(frozen.items)
        if type(frozen) is OwnDict:
            return dict(frozen.items)
        return frozen
