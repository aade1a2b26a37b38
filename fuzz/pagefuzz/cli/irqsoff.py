"""`pagefuzz irqsoff`: how long does each operation have interrupts off?"""

import click

from pagefuzz.exits import Exit
from pagefuzz.report import console
from pagespec.era import ERAS


@click.command()
@click.option("--era", "eras", type=click.Choice(list(ERAS)), multiple=True, help="Only these.")
def command(eras: tuple[str, ...]) -> Exit:
    """Say how long each operation has interrupts off, in frames and list nodes visited.

    Per era: the bound that the law IRQ-window sets, and what the worst case that is known comes to,
    on a zone of 2 GiB whose lists 128 CPUs keep.

    Exit codes: 0 no case exceeds its bound; 1 one does; 2 usage.
    """
    from pagefuzz.irqsoff.worst import COLUMNS, cells, rows

    found = []
    with console.progress("irqsoff") as tell:
        for row in rows(eras or ERAS):
            found.append(row)
            tell(f"{row.era} {row.verb.value}")
    console.table("interrupts off", COLUMNS, [cells(row) for row in found])
    broken = [row for row in found if row.seen > row.bound]
    for row in broken:
        print(
            f"error: IRQ-window: {row.verb.value} of era {row.era} visited {row.seen} places, at "
            f"most {row.bound} are due: {row.what}"
        )
    return Exit.BROKEN if broken else Exit.HELD
