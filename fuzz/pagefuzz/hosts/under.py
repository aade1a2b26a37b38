"""From a target to an allocator of hosts, for those targets that are one."""

from pagefuzz.errors import UsageError
from pagefuzz.hosts.target import HostFactory, SpecHost
from pagefuzz.target.builtin import Spec, TwinFactory
from pagefuzz.target.protocol import Factory


def host_factory_of(factory: Factory) -> HostFactory:
    """The twin of hosts for the twin, with its kernels, and the spec for the spec.

    Raises UsageError for any other target: an allocator from outside knows one zone.
    """
    if isinstance(factory, TwinFactory):
        # Numba takes a third of a second to import; whoever tests the spec need not wait.
        from pagefuzz.hosts.twin import TwinHostFactory

        return TwinHostFactory(factory.kernels)
    if factory is Spec:
        return SpecHost
    raise UsageError(
        "the target serves one zone, and the trace is of a host; expected the target numba or spec"
    )
