"""From a target to an allocator of objects under test, for those targets that have one."""

from pagefuzz.errors import UsageError
from pagefuzz.slabs.target import SlabFactory, SpecSlabs
from pagefuzz.target.builtin import Spec, TwinFactory
from pagefuzz.target.protocol import Factory


def slab_factory_of(factory: Factory) -> SlabFactory:
    """The twin of slabs for the twin, with its kernels, and the spec for the spec.

    Raises UsageError for any other target: an allocator from outside has no objects.
    """
    if isinstance(factory, TwinFactory):
        # Numba takes a third of a second to import; whoever tests the spec need not wait.
        from pagefuzz.slabs.twin import TwinSlabFactory

        return TwinSlabFactory(factory.kernels)
    if factory is Spec:
        return SpecSlabs
    raise UsageError(
        "the target has no slabs, and the trace is of some; expected the target numba or spec"
    )
