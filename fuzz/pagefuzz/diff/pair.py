"""What is compared: two eras, or two allocators on one era, on any machine that both serve."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from pagefuzz.diff.era_side import EraSide
from pagefuzz.diff.seen import Side
from pagefuzz.diff.target_side import TargetSide
from pagefuzz.errors import UsageError
from pagefuzz.target.load import BUILT_IN, FORMS, factory_of
from pagespec.era import ERAS, Era, era_named
from pagespec.machine import Machine

MakeSide = Callable[[Machine], Side]
"""A side on a machine, in the era that the side has. Raises DomainError if it does not serve it."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sides to be.

    eras: of each; the same one for two allocators. walks_anew: whether each request costs a walk
    from boot, so that fewer of them can be tried.
    """

    eras: tuple[Era, Era]
    makes: tuple[MakeSide, MakeSide]
    walks_anew: bool

    def on(self, machine: Machine) -> tuple[Side, Side]:
        """Both sides on the machine. Raises DomainError if one of them does not serve it."""
        one, other = (
            make(replace(machine, era=era)) for make, era in zip(self.makes, self.eras, strict=True)
        )
        return one, other


def pair_of(a: str, b: str, era: str | None) -> Pair:
    """The pair that the words of the command line name. Raises UsageError."""
    if a == b:
        raise UsageError(f"{a} twice: expected two different eras, or two different targets")
    names = [name for name in (a, b) if name in ERAS]
    if len(names) == 2:
        if era is not None:
            raise UsageError(f"--era {era}: expected none beside two eras; it is for two targets")
        return Pair((ERAS[a], ERAS[b]), (EraSide, EraSide), walks_anew=False)
    if names:
        target = a if names == [b] else b
        raise UsageError(
            f"{names[0]} is an era and {target!r} is none; expected two of the eras "
            f"{', '.join(ERAS)}, or two targets and --era"
        )
    if era is None:
        raise UsageError(
            f"{a!r} and {b!r} are no eras, so they are taken for targets: expected --era with "
            f"them, or two of the eras {', '.join(ERAS)}; targets are {', '.join(BUILT_IN)}, "
            f"{FORMS}"
        )
    found = era_named(era)
    return Pair((found, found), (_target(a), _target(b)), walks_anew=True)


def _target(name: str) -> MakeSide:
    factory = factory_of(name)
    return lambda machine: TargetSide(name, factory, machine)
