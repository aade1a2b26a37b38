"""The kernels of threads for any set of the twin's kernels: the installed, or one with faults."""

from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import NamedTuple, cast

from pagefuzz.threads import churn as texts
from pageimpl.jitcache import compiled
from pageimpl.memory import Memory, Words
from pageimpl.source import Kernels, installed_modules


class Driver(NamedTuple):
    """What threads call, and the kernels that these call."""

    kernels: Kernels
    churn: Callable[[Memory, Words, Words, Words, int], None]
    release_all: Callable[[Memory, Words, Words, Words], None]
    trials: Callable[[Memory, Words, Words, int, int, int, int], None]


ENTRIES = ("churn", "release_all", "trials")


@cache
def installed_driver() -> Driver:
    """The kernels of threads for the twin as it is, kept on disk like all that are installed."""
    return Driver(installed_modules(), texts.churn, texts.release_all, texts.trials)


def driver_of(kernels: Kernels) -> Driver:
    """The same for another set of compiled kernels, for this process alone."""
    scope = {
        name: _own(kernels, value) if callable(value) else value
        for name, value in vars(texts).items()
    }
    for name, value in vars(texts).items():
        function = getattr(value, "py_func", None)
        if function is not None and function.__module__ == texts.__name__:
            copy = FunctionType(function.__code__, scope, f"{name}_under_test")
            copy.__qualname__ = f"{name}_under_test_{id(kernels)}"
            scope[name] = compiled(copy, keep=False)
    churn, release_all, trials = (scope[name] for name in ENTRIES)
    return Driver(
        kernels,
        cast(Callable[[Memory, Words, Words, Words, int], None], churn),
        cast(Callable[[Memory, Words, Words, Words], None], release_all),
        cast(Callable[[Memory, Words, Words, int, int, int, int], None], trials),
    )


def _own(kernels: Kernels, value: Callable[..., object]) -> object:
    """What that set has in place of a kernel of the installed one; anything else stays."""
    function = getattr(value, "py_func", None)
    if function is None:
        return value
    module = kernels.modules.get(function.__module__.removeprefix("pageimpl."))
    return value if module is None else getattr(module, function.__name__)
