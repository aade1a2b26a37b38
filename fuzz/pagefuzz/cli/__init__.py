"""The command line, one file a command.

Nothing else may live here: importing `pagefuzz.cli.list` or `pagefuzz.cli.run` binds those names in
this module, where they would hide Python's `list` or a function of the same name.
"""

from pagefuzz.cli._entry import main

__all__ = ["main"]
