"""From a target to counters under test, for those targets that keep some."""

from pagefuzz.counters.target import CounterFactory, SpecCounters
from pagefuzz.errors import UsageError
from pagefuzz.target.builtin import Spec, TwinFactory
from pagefuzz.target.protocol import Factory


def counter_factory_of(factory: Factory) -> CounterFactory:
    """The twin of counters for the twin, with its kernels, and the spec for the spec.

    Raises UsageError for any other target: an allocator from outside keeps no counters.
    """
    if isinstance(factory, TwinFactory):
        # Numba takes a third of a second to import; whoever tests the spec need not wait.
        from pagefuzz.counters.twin import TwinCounterFactory

        return TwinCounterFactory(factory.kernels)
    if factory is Spec:
        return SpecCounters
    raise UsageError(
        "the target keeps no counters, and the trace is of some; expected the target numba or spec"
    )
