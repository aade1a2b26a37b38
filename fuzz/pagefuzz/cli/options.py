"""Options that several commands share, and how their words become values."""

import os
import re
from os import PathLike
from pathlib import Path
from secrets import randbits

import click

from pagefuzz.target.load import DEFAULT
from pagespec.laws.law import LEVELS


class Seed(click.ParamType[int]):
    """A seed in hexadecimal, as it is printed."""

    name = "hex"

    def convert(
        self, value: str | int, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """Read the seed, or say in a sentence what is wrong with it."""
        if isinstance(value, int):
            return value
        if re.fullmatch("[0-9a-fA-F]{1,16}", value) is None:
            self.fail(f"{value!r} is no seed; expected 1 to 16 hexadecimal digits, as in 1f3c9ab2")
        return int(value, 16)


class Folder(click.Path):
    """A folder, which the empty word is not: click takes that for the one that one is in."""

    def convert(
        self,
        value: str | PathLike[str],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> str | bytes | PathLike[str]:
        """Read the path, or say in a sentence what is wrong with it."""
        if value == "":
            self.fail("'' is no folder; expected its path, as in out/pictures, or . for this one")
        return super().convert(value, param, ctx)


def new_seed() -> int:
    """A seed that has not been drawn before."""
    return randbits(32)


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0))


target_option = click.option(
    "--target",
    default=DEFAULT,
    show_default=True,
    help="The allocator to test; see `list targets`.",
)
level_option = click.option(
    "--level",
    type=click.Choice(LEVELS),
    default="exact",
    show_default=True,
    help="The strictest level to judge at.",
)
out_option = click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("out/failures"),
    show_default=True,
    help="Where traces of failures go.",
)
