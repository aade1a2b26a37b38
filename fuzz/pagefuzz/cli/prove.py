"""`pagefuzz prove`: what can be shown over all paths, and by visiting every state."""

import click

from pagefuzz.cli.options import cores
from pagefuzz.errors import UsageError
from pagefuzz.exits import Exit, worst
from pagefuzz.report import console
from pagefuzz.report.words import counted

LONG_S = 120
"""From here on times are told in minutes."""


@click.command()
@click.argument("pattern", default="*")
@click.option("--update", is_flag=True, help="Enter what the conditions came to into the ledger.")
@click.option(
    "--within",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Leave out conditions that took longer when they were entered.",
)
def command(pattern: str, update: bool, within: float | None) -> Exit:
    """Check contracts symbolically and small zones exhaustively, against the committed ledger.

    PATTERN picks conditions by a part of their line, `*` standing for anything, or by the start of
    the heading that they have in docs/proofs.md, in any case: 'buddy_of', 'exhaust*4.10',
    'counters'.

    Exit codes: 0 every condition is as good as its row; 1 one is worse or refuted; 2 usage, or a
    condition and its row do not meet; 3 one came to no verdict.
    """
    from pagefuzz.prove import gate, ledger
    from pagefuzz.prove.conditions import all_conditions

    conditions, rows = all_conditions(), ledger.read()
    if not update:
        gate.check_complete(conditions, rows)
    chosen = [condition for condition in conditions if condition.matches(pattern)]
    if not chosen:
        raise UsageError(f"no condition matches {pattern!r}: `pagefuzz prove` alone runs them all")
    if within is not None:
        took = {(row.engine, row.what): row.finding.seconds for row in rows}
        quick = [one for one in chosen if took.get(one[:2], 0) <= within]
        print(f"{len(chosen) - len(quick)} of {len(chosen)} conditions left out: over {within:g} s")
        chosen = quick
        if not chosen:
            raise UsageError(f"no condition took {within:g} s or less: give more time")
    length_s = gate.expected_s(chosen, rows, cores())
    about = f"{length_s:.0f} s" if length_s < LONG_S else f"{length_s / 60:.0f} minutes"
    click.echo(
        f"{counted(len(chosen), 'condition')}: about {about} on {counted(cores(), 'idle core')}, "
        "by the ledger",
        err=True,
    )
    before = {} if update else {(row.engine, row.what): row.finding for row in rows}
    with console.progress("prove") as tell:
        judgements = gate.run_all(chosen, before, tell)
    console.table(
        "prove",
        ("engine", "what", "verdict", "seconds", ""),
        (
            (*condition[:2], finding.verdict.value, finding.seconds, sentence)
            for condition, finding, _, sentence in judgements
        ),
    )
    if update:
        ledger.write(gate.entered(conditions, rows, judgements))
    return worst(judgement.code for judgement in judgements)
