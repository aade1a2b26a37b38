"""`pagefuzz run`: the main job."""

from math import isfinite
from pathlib import Path

import click

from pagefuzz.campaign.pool import Budget
from pagefuzz.campaign.session import plan_for, run_session
from pagefuzz.cli.options import Seed, cores, level_option, new_seed, out_option, target_option
from pagefuzz.errors import UsageError
from pagefuzz.exits import Exit
from pagespec.laws.law import Level

ROUNDS = 4
"""Work of one unit: so much that every gear in every era takes about 15 seconds on two cores."""


@click.command()
@target_option
@click.option(
    "--seconds",
    type=click.FloatRange(min=0),
    default=30.0,
    show_default=True,
    help="About how long, in whole turns of every gear in every era.",
)
@click.option(
    "--units", type=click.IntRange(min=1), help="How many units to do, whatever it takes."
)
@click.option(
    "--operations",
    type=click.IntRange(min=1),
    help="How many operations to do at least, in whole turns, whatever it takes.",
)
@click.option(
    "--seed", type=Seed(), default=new_seed, help="Repeat the run that printed this seed."
)
@click.option("--jobs", type=click.IntRange(min=1), default=cores, help="Processes; one a core.")
@click.option("--era", "eras", multiple=True, metavar="ERA", help="Only this era; repeatable.")
@level_option
@out_option
def command(
    target: str,
    seconds: float,
    units: int | None,
    operations: int | None,
    seed: int,
    jobs: int,
    eras: tuple[str, ...],
    level: Level,
    out: Path,
) -> Exit:
    """Fuzz a target beside the spec: canary first, traces of real kernels last.

    What each unit of work does depends on the seed alone; --seconds only says how many there are,
    in whole turns of every gear in every era, as many as end nearest to it. One turn takes about
    15 s on two idle cores. So a run is repeated by its seed and --units. Failures are kept as
    traces under --out before anything else is done with them.

    For a verdict of weight take the eras one by one: --era 6.1 --operations 10000000.
    """
    if not isfinite(seconds):
        raise UsageError(f"--seconds {seconds}: expected a finite number")
    if units and operations:
        raise UsageError(f"--units {units} --operations {operations}: expected one of the two")
    plan = plan_for("run", target, seed, level, eras, out, ROUNDS)
    budget = Budget(None if units or operations else seconds, units, operations)
    return run_session(plan, jobs, budget)
