"""`pagefuzz slabs`: what do groups that share caches save in slabs?"""

from math import isfinite
from pathlib import Path
from textwrap import fill

import click

from pagefuzz.cli.options import Folder, Seed, new_seed
from pagefuzz.errors import UsageError
from pagefuzz.exits import Exit
from pagefuzz.findings import make_ready
from pagefuzz.report import console
from pagespec.era import ERAS, SlabDesign
from pagespec.machine import MAX_CPUS
from pagespec.slab.machine import MAX_GROUPS

WIDTH = 100
MOST_OBJECTS = 5_000_000
"""The most objects of all groups together: more would take minutes."""

MOST_CHURN = 100
"""How often all objects give way to others at most."""

SLAB_ERAS = [name for name, era in ERAS.items() if era.slab_designs]


@click.command()
@click.option(
    "--groups",
    type=click.IntRange(1, MAX_GROUPS),
    default=64,
    show_default=True,
    help="How many groups there are at most; fewer are counted as well.",
)
@click.option(
    "--objects",
    type=click.IntRange(1, MOST_OBJECTS),
    default=5000,
    show_default=True,
    help="How many objects a group holds on the average.",
)
@click.option(
    "--sizes",
    default="files",
    show_default=True,
    metavar="MIX",
    help="files, kmalloc or bench, or bytes with weights as in 64:3,1024.",
)
@click.option("--cpus", type=click.IntRange(1, MAX_CPUS), default=16, show_default=True)
@click.option("--era", type=click.Choice(SLAB_ERAS), default=SLAB_ERAS[0], show_default=True)
@click.option("--design", type=click.Choice(("slub", "slab")), default="slub", show_default=True)
@click.option(
    "--churn",
    type=float,
    default=1.0,
    show_default=True,
    help="How many times as many objects as there are give way to others.",
)
@click.option("--seed", type=Seed(), default=new_seed, help="Repeat the run with this seed.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON alone.")
@click.option(
    "--plot",
    type=Folder(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Draw the picture to this directory, as SVG and PNG.",
)
def command(
    groups: int,
    objects: int,
    sizes: str,
    cpus: int,
    era: str,
    design: SlabDesign,
    churn: float,
    seed: int,
    as_json: bool,
    plot: Path | None,
) -> Exit:
    """Count the slabs of groups with caches of their own, and of groups that share them.

    Until 5.8 each group had a second set of caches, whose slabs nobody else could use; since then
    all share one, and pay by the object. The same requests are put to the twin in both schemes, for
    1, 2, 4 and so on groups, and the frames of its slabs are counted.
    """
    from pagefuzz.drift.files import check_replaceable, write_all
    from pagefuzz.slabs.sharing import picture, tables
    from pagefuzz.slabs.sharing.mixes import read_mix
    from pagefuzz.slabs.sharing.workload import Workload, use_of

    if groups * objects > MOST_OBJECTS:
        raise UsageError(
            f"--groups {groups} --objects {objects}: expected {MOST_OBJECTS:,} objects of all "
            "groups together, or fewer"
        )
    if not isfinite(churn) or not 0 <= churn <= MOST_CHURN:
        raise UsageError(f"--churn {churn}: expected 0 to {MOST_CHURN}")
    if design not in ERAS[era].slab_designs:
        raise UsageError(f"--design {design}: era {era} has {' and '.join(ERAS[era].slab_designs)}")
    mix = read_mix(sizes)
    if plot is not None:
        make_ready(plot, "--plot", "pictures")
        check_replaceable(plot, picture.FILES)
    if not as_json:
        console.seed(seed)
    rows: list[tables.Row] = []
    work = Workload(ERAS[era], design, cpus, mix.kinds, groups, objects, churn, seed)
    try:
        with console.progress("slabs") as tell:
            tell("loading the twin's kernels, which takes a while where they must be compiled")
            for count in _counts(groups):
                some = work._replace(groups=count)
                own, shared = (use_of(some, scheme, tell) for scheme in ("caches", "objects"))
                rows.append(tables.Row(count, own, shared))
    except KeyboardInterrupt:
        # JSON is all or nothing: whoever reads it cannot see that rows are missing.
        if not as_json:
            if rows:
                console.table("slabs by groups", tables.HEADS, map(tables.cells, rows))
            console.seed(seed)
        raise
    if as_json:
        print(tables.json_of(work, mix, rows))
    else:
        console.table("slabs by groups", tables.HEADS, map(tables.cells, rows))
        for paragraph in tables.said(work, mix, rows):
            print(f"\n{fill(paragraph, WIDTH)}")
    if plot is not None:
        written = write_all(plot, picture.draw(rows))
        if not as_json:
            print("\n".join(["", *map(str, written)]))
    if not as_json:
        console.seed(seed)
    return Exit.HELD


def _counts(most: int) -> list[int]:
    """1, 2, 4 and so on, and the most."""
    powers = [1 << doublings for doublings in range(most.bit_length())]
    return list(dict.fromkeys([*powers, most]))
