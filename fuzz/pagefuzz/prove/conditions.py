"""Which conditions there are: found in the code, so that none can be forgotten.

Every function of the spec with a `post:` is one, and so are every agreement and every rule; every
pair of scalar forms is two, once by paths and once by numbers, or one where CrossHair cannot follow
the twin; and every domain of zones, of counters or of slabs is one.
"""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from importlib import import_module
from inspect import getmembers, isfunction
from pkgutil import walk_packages
from types import ModuleType
from typing import NamedTuple, Protocol

import pagespec
from pagefuzz.prove import agreements, cells, counting, measures, objects, rules, scalars
from pagefuzz.prove.domains import DOMAINS, Domain
from pagefuzz.prove.drift.domains import DRIFT_DOMAINS
from pagefuzz.prove.folds import FOLD_DOMAINS
from pagefuzz.prove.listed import LISTED_DOMAINS, ListedDomain
from pagefuzz.prove.soundness import lemmas
from pagefuzz.prove.soundness.cases import SOUND_CASES
from pagefuzz.prove.typed import TYPED_DOMAINS, TypedDomain
from pagefuzz.prove.widths import WIDTH_DOMAINS
from pagefuzz.slabs.closed import SLAB_DOMAINS

BY_BITS = "_by_bits"
"""The end of the name of the twin's form, beside the spec's."""

PAIRED = (scalars, measures, counting, objects)
"""Where the two forms of a function stand side by side."""

_DOMAINS: tuple[Domain | TypedDomain | ListedDomain, ...] = (
    *DOMAINS,
    *TYPED_DOMAINS,
    *LISTED_DOMAINS,
)
ZONES = {str(domain): domain for domain in _DOMAINS}
"""The domains that are exhausted, by the words of their conditions."""


class CounterDomain(Protocol):
    """A domain of counters, or of slabs."""

    def counts(self) -> dict[str, tuple[int, ...]]:
        """What is found there, by name. Raises LawBroken if something does not hold."""


_COUNTER_DOMAINS: tuple[CounterDomain, ...] = (
    *WIDTH_DOMAINS,
    *FOLD_DOMAINS,
    *DRIFT_DOMAINS,
    *SOUND_CASES,
    *SLAB_DOMAINS,
)
COUNTERS = {str(domain): domain for domain in _COUNTER_DOMAINS}
"""The same for counters and slabs."""


SECTIONS = {
    **{str(domain): "Zones" for domain in DOMAINS},
    **{str(domain): "Zones with pageblocks" for domain in TYPED_DOMAINS},
    **{str(domain): "Zones whose CPUs keep lists" for domain in LISTED_DOMAINS},
    **dict.fromkeys(COUNTERS, "Counters"),
    **{str(case): "Soundness" for case in SOUND_CASES},
    **{str(domain): "Slabs" for domain in SLAB_DOMAINS},
}
"""Where each domain stands in the guide pages; functions have a section of their own."""


class Condition(NamedTuple):
    """Something that must hold, and the engine that tries to break it.

    engine: check, agree, diffbehavior, numbers, exhaust or count. what: a function or a domain.
    postconditions: how many CrossHair must speak of.
    """

    engine: str
    what: str
    postconditions: int = 1

    def __str__(self) -> str:
        return f"{self.engine} {self.what}"

    @property
    def section(self) -> str:
        """The heading that it stands under in the guide pages."""
        return SECTIONS.get(self.what, "Functions")

    def matches(self, pattern: str) -> bool:
        """Whether a part of its line, or its section from the start on, is like the pattern."""
        low = pattern.lower()
        line, section = str(self).lower(), self.section.lower()
        return fnmatchcase(line, f"*{low}*") or fnmatchcase(section, f"{low}*")


def contracts_in(module: ModuleType, engine: str) -> Iterator[Condition]:
    """The module's own functions that have postconditions."""
    for name, function in getmembers(module, isfunction):
        lines = (function.__doc__ or "").splitlines()
        posts = sum(line.strip().startswith("post:") for line in lines)
        if posts and function.__module__ == module.__name__:
            yield Condition(engine, f"{module.__name__}.{name}", posts)


def modules_of(package: ModuleType) -> Iterator[ModuleType]:
    """Every module of the package."""
    for found in walk_packages(package.__path__, f"{package.__name__}."):
        yield import_module(found.name)


def pairs_in(module: ModuleType) -> Iterator[str]:
    """The names of functions whose two forms stand side by side in a module."""
    for name, _ in getmembers(module, isfunction):
        if hasattr(module, name + BY_BITS):
            yield name


def module_of_pair(name: str) -> ModuleType:
    """Where the two forms stand."""
    return next(module for module in PAIRED if hasattr(module, name))


def all_conditions() -> list[Condition]:
    """Every condition, in the order of the ledger."""
    found = [
        contract for module in modules_of(pagespec) for contract in contracts_in(module, "check")
    ]
    for module in (agreements, cells, rules, lemmas):
        found += contracts_in(module, "agree")
    found += [Condition("diffbehavior", name) for name in pairs_in(scalars)]
    for module in PAIRED:
        found += [Condition("numbers", name) for name in pairs_in(module)]
    found += [Condition("exhaust", domain) for domain in ZONES]
    found += [Condition("count", domain) for domain in COUNTERS]
    return found
