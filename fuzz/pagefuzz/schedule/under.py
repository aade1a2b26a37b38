"""Which targets a trace of a schedule says anything about."""

from pagefuzz.errors import UsageError
from pagefuzz.target.builtin import Spec, TwinFactory
from pagefuzz.target.protocol import Factory


def check_steps(factory: Factory) -> None:
    """Let schedules be followed for the spec, and for the twin, which stands for it.

    Raises UsageError for any other target: nobody can stop an allocator from outside in the middle
    of a request.
    """
    if factory is not Spec and not isinstance(factory, TwinFactory):
        raise UsageError(
            "the target cannot be stopped in the middle of a request, and the trace is of a "
            "schedule; expected the target numba or spec"
        )
