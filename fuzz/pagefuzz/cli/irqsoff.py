"""`pagefuzz irqsoff`: how long does each operation keep interrupts off?"""

import click

from pagefuzz.exits import Exit


@click.command()
def command() -> Exit:
    """Print windows."""
    return Exit.HELD
