"""`pagefuzz bench`: how fast are the engines here?"""

import click

from pagefuzz.exits import Exit
from pagefuzz.report import console


@click.command()
def command() -> Exit:
    """Measure steps and operations per second of one core: spec, lockstep machine, stream, twin.

    A report of one sitting, not a test: rates of two sittings or machines do not compare.
    """
    # Only now, so that `bench --help` need not wait for numba and Hypothesis.
    from pagefuzz.rates import all_rates

    with console.progress("bench") as tell:
        rows = []
        for rate in all_rates():
            tell(rate.what)
            rows.append((rate.what, round(rate.per_second)))
    console.table("rates of one core, by processor time", ("what", "operations/s"), rows)
    return Exit.HELD
