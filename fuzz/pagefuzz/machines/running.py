"""Running state machines of Hypothesis: the same examples for the same seed."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from pagefuzz.machines.buddy import buddy_machine
from pagefuzz.machines.judged import Judged, Ledger
from pagefuzz.machines.repeatable import without_constants
from pagespec.era import Era

Make: TypeAlias = Callable[[Ledger, Sequence[Era], st.SearchStrategy[int]], type[Judged]]
"""Makes the state machine whose examples report to the ledger, of eras and lengths of zones."""


def run_machine(
    ledger: Ledger,
    eras: Sequence[Era],
    draw_seed: int,
    *,
    examples: int,
    steps: int = 50,
    pages: int | None = None,
    shrink: bool = True,
    make: Make = buddy_machine,
) -> None:
    """Run so many examples, and shrink the first failure. Raises LawBroken.

    pages: the length of every zone; any small one without it. make: which state machine.
    An allocator that declines all machines is passed over.
    """
    machine = make(ledger, eras, st.integers(1, 80) if pages is None else st.just(pages))
    declined = ledger.declined
    try:
        run_examples(machine, draw_seed, examples=examples, steps=steps, shrink=shrink)
    except Unsatisfiable:
        # Hypothesis says so of a test without one example, and there may be other reasons.
        if ledger.declined == declined:
            raise


def run_examples(
    machine: type[RuleBasedStateMachine],
    draw_seed: int,
    *,
    examples: int,
    steps: int,
    shrink: bool,
) -> None:
    """Run so many examples of any state machine, and shrink the first failure. Raises LawBroken.

    Deadlines are off: the first call of a compiled kernel takes seconds. No database: what is
    found is a trace on disk, and the same seed must draw the same examples.
    """
    with without_constants():
        run_state_machine_as_test(
            seed(draw_seed)(machine), settings=_settings(examples, shrink=shrink, steps=steps)
        )


def run_test(test: Callable[[], None], draw_seed: int, *, examples: int, shrink: bool) -> None:
    """The same for a test whose arguments are given by strategies."""
    with without_constants():
        _settings(examples, shrink=shrink)(seed(draw_seed)(test))()


def _settings(examples: int, *, shrink: bool, steps: int = 1) -> settings:
    return settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        database=None,
        phases=(Phase.generate, Phase.shrink) if shrink else (Phase.generate,),
        suppress_health_check=list(HealthCheck),
        print_blob=False,
        report_multiple_bugs=False,
    )
