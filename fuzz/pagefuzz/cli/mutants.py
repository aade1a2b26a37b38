"""`pagefuzz mutants`: is every known bug found, and named?"""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pagefuzz.cli.options import Seed, cores, new_seed
from pagefuzz.errors import UsageError
from pagefuzz.exits import Exit, worst
from pagefuzz.report import console

if TYPE_CHECKING:
    from pagefuzz.museum.shared import SharedSlip


@click.command()
@click.argument("pattern", default="")
@click.option("--seed", type=Seed(), default=new_seed, help="Repeat the hunts of this seed.")
@click.option(
    "--seeds", type=click.IntRange(min=1), default=5, show_default=True, help="Hunts a mutant."
)
@click.option("--jobs", type=click.IntRange(min=1), default=cores, help="Processes; one a core.")
@click.option(
    "--write",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Keep the smallest trace of each mutant in this directory.",
)
def command(pattern: str, seed: int, seeds: int, jobs: int, folder: Path | None) -> Exit:
    """Plant known bugs one at a time, and see that each is found and named.

    PATTERN chooses the mutants whose name, kind or source contains it. Each must break a law that
    fits its mechanism within 10 s, one about pageblocks, CPUs' lists, marks or zones within 20 s,
    under every one of several fresh seeds. Those of interleavings are planted in the spec, and
    every state of their scenario is visited, which depends on no seed. Then slips that spec and
    twin share are planted in a copy of the checkout, where only knowledge from outside stops them.

    Exit codes: 0 all found; 1 one survived or was misnamed; 2 no such mutant; 3 a verdict missing;
    130 interrupted, after the table of what was hunted by then.
    """
    from pagefuzz.museum import results
    from pagefuzz.museum.catalogue import matching
    from pagefuzz.museum.hunting import hunt_all
    from pagefuzz.museum.slips import SHARED
    from pagefuzz.museum.store import write

    mutants = matching(pattern)
    slips = [slip for slip in SHARED if pattern in slip.id]
    if not mutants and not slips:
        raise UsageError(f"no mutant matches {pattern!r}; expected part of a name, kind or source")
    console.seed(seed)
    codes: list[Exit] = []
    if mutants:
        with console.progress("mutants") as tell:
            verdicts, interrupted = hunt_all(mutants, seed, seeds, jobs, tell)
        codes.append(results.show_verdicts(verdicts))
        if folder is not None:
            print(f"{write(verdicts, folder)} traces written to {folder}")
        if interrupted:
            codes.append(Exit.INTERRUPTED)
    if slips and Exit.INTERRUPTED not in codes:
        codes.append(_judged(slips, jobs))
    console.seed(seed)
    return worst(codes)


def _judged(slips: "list[SharedSlip]", jobs: int) -> Exit:
    """Plant the slips that spec and twin share, if the tests that stop them are here."""
    from pagefuzz.museum import results
    from pagefuzz.museum.shared import judge, tree

    root = tree()
    if root is None:
        print("slips that spec and twin share: not judged, the tests come with a checkout only")
        return Exit.INCONCLUSIVE
    with console.progress("shared slips") as tell, ThreadPoolExecutor(jobs) as pool:
        tell(f"{len(slips)} copies of the tree")
        return results.show_judgements(pool.map(lambda slip: judge(slip, root), slips))
