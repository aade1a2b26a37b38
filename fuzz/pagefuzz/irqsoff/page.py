"""The guide page's table of scanners and their worst cases."""

from pagefuzz.irqsoff.scanners import COLUMNS, cells, scan_rows
from pagefuzz.report import markdown

PRINTED = ("2.6.37", "2.6.39", "4.10", "5.8", "6.12")
"""The eras of the table: those left out are as the one before."""


def scanners_markdown() -> str:
    """One row for each scanner of each era."""
    return markdown.table(COLUMNS, map(cells, scan_rows(PRINTED)))
