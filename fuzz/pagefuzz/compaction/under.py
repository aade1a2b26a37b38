"""From a target to a zone that is compacted, for those targets that compact."""

from pagefuzz.compaction.target import CompactionFactory, SpecCompaction
from pagefuzz.errors import UsageError
from pagefuzz.target.builtin import Spec, TwinFactory
from pagefuzz.target.protocol import Factory


def compaction_factory_of(factory: Factory) -> CompactionFactory:
    """The twin of compaction for the twin, with its kernels, and the spec for the spec.

    Raises UsageError for any other target: an allocator from outside compacts nothing.
    """
    if isinstance(factory, TwinFactory):
        # Numba takes a third of a second to import; whoever tests the spec need not wait.
        from pagefuzz.compaction.twin import TwinCompactionFactory

        return TwinCompactionFactory(factory.kernels)
    if factory is Spec:
        return SpecCompaction
    raise UsageError(
        "the target compacts nothing, and the trace is of compaction; expected the target numba or "
        "spec"
    )
