"""`pagefuzz smoke`: every engine briefly, the same each time."""

from pathlib import Path

import click

from pagefuzz.campaign.pool import Budget
from pagefuzz.campaign.session import plan_for, run_session
from pagefuzz.cli.options import cores, level_option, out_option, target_option
from pagefuzz.exits import Exit
from pagespec.laws.law import Level

SEED = 0x5110D2
ROUNDS = 4
"""Work of one unit: as little as reaches nearly every event of the floor."""


@click.command()
@target_option
@level_option
@out_option
def command(target: str, level: Level, out: Path) -> Exit:
    """Run every engine briefly with a fixed seed: each gear once in each era.

    An era that has not met all its events by then has its turn again.

    The same version gives the same verdict each time. It takes about a minute of CPU time, half of
    that on two idle cores, and some minutes on a busy machine or where kernels must be compiled.
    """
    plan = plan_for("smoke", target, SEED, level, (), out, ROUNDS)
    return run_session(plan, cores(), Budget(units=plan.turn, completes=True))
