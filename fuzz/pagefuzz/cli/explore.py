"""`pagefuzz explore`: does any law break, whoever comes between whom?"""

from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from pagefuzz.cli.options import Seed, cores, new_seed, out_option
from pagefuzz.cli.traces import read_trace
from pagefuzz.errors import UsageError
from pagefuzz.exits import Exit, worst
from pagefuzz.report.words import counted

if TYPE_CHECKING:
    from pagefuzz.explore.tasks import Reach
    from pagespec.schedule.contexts import Scenario


ANY_WAY = frozenset({"pattern", "jobs"})
OF_WAYS = {
    "--twin": frozenset({"twin", "bound", "no_hash", "seed"}),
    "--experiments": frozenset({"experiments", "write"}),
    "--random": frozenset({"random", "pct", "seed", "out"}),
    "every schedule": frozenset(
        {"bound", "depth", "no_hash", "checkpoint", "resume", "update", "out"}
    ),
}
"""Per way to explore, the options that say something about it."""


@click.command()
@click.argument("pattern", default="*")
@click.option(
    "--bound",
    type=click.IntRange(min=0),
    help="Preemptions of a schedule, at most; of slabs and compaction switches.",
)
@click.option("--depth", type=click.IntRange(min=1), help="Steps of a schedule, at most.")
@click.option("--no-hash", is_flag=True, help="Go every way to a state, not one for all.")
@click.option("--random", type=click.IntRange(min=1), help="So many runs by chance instead.")
@click.option(
    "--pct",
    type=click.IntRange(min=1),
    help="With --random: by priorities, for faults that need so many ordered steps.",
)
@click.option("--seed", type=Seed(), default=new_seed, help="Repeat what was drawn by this seed.")
@click.option("--twin", is_flag=True, help="Explore the twin's own text instead of the spec.")
@click.option("--experiments", is_flag=True, help="Leave out rules instead: each must break.")
@click.option(
    "--write",
    type=click.Path(file_okay=False, path_type=Path),
    help="With --experiments: keep their schedules as traces in this directory.",
)
@click.option(
    "--checkpoint",
    type=click.Path(file_okay=False, path_type=Path),
    help="Keep the states in this directory, so that a search can be gone on with.",
)
@click.option("--resume", is_flag=True, help="Go on from what --checkpoint has kept there.")
@click.option("--update", is_flag=True, help="Enter what the scenarios came to among the counts.")
@click.option("--jobs", type=click.IntRange(min=1), default=cores, help="Processes; one a core.")
@out_option
@click.pass_context
def command(
    ctx: click.Context,
    pattern: str,
    bound: int | None,
    depth: int | None,
    no_hash: bool,
    random: int | None,
    pct: int | None,
    seed: int,
    twin: bool,
    experiments: bool,
    write: Path | None,
    checkpoint: Path | None,
    resume: bool,
    update: bool,
    jobs: int,
    out: Path,
) -> Exit:
    """Explore every schedule of built-in scenarios: who comes between whom, at every step.

    PATTERN picks scenarios by a part of their name, `*` standing for anything; or it is a file, a
    trace of a schedule, whose scenario is explored. Without bounds every state is visited that a
    scenario can reach, so "exhausted" speaks of these scenarios and of no larger ones.

    Exit codes: 0 every law held, and the counts are as committed; 1 a law broke, or a count
    changed; 2 usage; 3 vacuous: a law was never asked, or nobody came between; 130 interrupted,
    after the tables of what was explored by then.
    """
    if experiments:
        _check_options(ctx, "--experiments")
        from pagefuzz.explore import trials
        from pagefuzz.schedule.every import EVERY_EXPERIMENT

        return trials.run_and_show(chosen(EVERY_EXPERIMENT, pattern, "experiment"), jobs, write)
    if twin:
        _check_options(ctx, "--twin")
        from pagefuzz.explore.twins import BOUND, TwinTask, run_and_show
        from pagefuzz.schedule.twin.cases import TWIN_CASES

        to = BOUND if bound is None else bound
        cases = chosen(TWIN_CASES, pattern, "case of the twin")
        tasks = [TwinTask(case, to, seed, not no_hash) for case in cases]
        return worst(run_and_show(tasks, jobs, seed))
    if random is not None:
        _check_options(ctx, "--random")
        from pagefuzz.explore.luck import draw_all

        return worst(draw_all(scenarios_of(pattern), random, seed, pct or 0, jobs, out))
    _check_options(ctx, "every schedule")
    from pagefuzz.explore.tasks import Reach

    if resume and checkpoint is None:
        raise UsageError("--resume: say by --checkpoint where the states were kept")
    reach = Reach(bound, depth, not no_hash)
    return _explore(pattern, reach, checkpoint, jobs, out, resume=resume, update=update)


def _check_options(ctx: click.Context, way: str) -> None:
    """Refuse an option that says nothing about that way to explore. Raises UsageError."""
    for name in ctx.params:
        said = ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if said and name not in ANY_WAY | OF_WAYS[way]:
            raise UsageError(f"--{name.replace('_', '-')} says nothing about {way}: leave it out")


def _explore(
    pattern: str,
    reach: "Reach",
    checkpoint: Path | None,
    jobs: int,
    out: Path,
    *,
    resume: bool,
    update: bool,
) -> Exit:
    """Visit states, and compare how many there are with what is committed, or enter it."""
    from pagefuzz.explore import counts
    from pagefuzz.explore.session import explore
    from pagefuzz.explore.tasks import DEFAULT, tasks_of
    from pagefuzz.schedule.every import EVERY_SCENARIO

    if update and (reach != DEFAULT or Path(pattern).is_file()):
        raise UsageError("--update: counts are of every schedule of built-in scenarios alone")
    scenarios = scenarios_of(pattern)
    committed = counts.read()
    whole = len(scenarios) == len(EVERY_SCENARIO)
    if whole and not update:
        counts.check_complete(EVERY_SCENARIO, committed)
    tasks = tasks_of(scenarios, reach, checkpoint, resume=resume)
    codes, results = explore(tasks, {} if update else committed, jobs, out, whole=whole)
    if update:
        found = {name: each.counts for name, each in results.items() if each.exhausted}
        counts.write(counts.entered(EVERY_SCENARIO, committed, found))
        print(f"{counted(len(found), 'scenario')} entered in {counts.COUNTS}")
    return worst(codes)


def scenarios_of(pattern: str) -> "dict[str, Scenario]":
    """The scenario of a trace, or those whose names the pattern picks. Raises UsageError."""
    from pagefuzz.schedule.every import EVERY_SCENARIO
    from pagespec.schedule.trace import ScheduleTrace

    path = Path(pattern)
    if path.is_file():
        trace = read_trace(path)
        if not isinstance(trace, ScheduleTrace):
            raise UsageError(f"{path}: expected a trace of a schedule, with tasks or interrupts")
        return {path.name: trace.scenario}
    return {
        name: EVERY_SCENARIO[name] for name in chosen(EVERY_SCENARIO, pattern, "trace or scenario")
    }


def chosen(names: Iterable[str], pattern: str, what: str) -> list[str]:
    """The names that have the pattern in them, `*` standing for anything. Raises UsageError."""
    found = [name for name in names if fnmatchcase(name, f"*{pattern}*")]
    if not found:
        example = next(iter(names))
        raise UsageError(f"no {what} matches {pattern!r}; expected a part of a name like {example}")
    return found
