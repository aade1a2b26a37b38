"""Keeping Hypothesis to its seed: the same draws in every process."""

from collections.abc import Iterator
from contextlib import contextmanager

from hypothesis.internal.conjecture.providers import HypothesisProvider


@contextmanager
def without_constants() -> Iterator[None]:
    """Keep Hypothesis from drawing constants that it finds in the source of imported modules.

    Processes differ in the modules that they have imported, so one seed would mean many things.
    There is no setting for it; doctor tells when a release of Hypothesis escapes this.
    """
    # mypy lets no method be replaced, and this is the one place where one must be.
    before = HypothesisProvider._maybe_draw_constant
    HypothesisProvider._maybe_draw_constant = _no_constant  # type: ignore[method-assign]
    try:
        yield
    finally:
        HypothesisProvider._maybe_draw_constant = before  # type: ignore[method-assign]


def _no_constant(*_: object, **__: object) -> None:
    return None
