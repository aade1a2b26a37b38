"""Errors that are the user's to mend, each one clear sentence."""


class UsageError(Exception):
    """A request that cannot be carried out as asked; the message is the sentence the user reads.

    The command line prints it as `error: <sentence>` and exits 2, so it must say what was wrong,
    where, what was expected and what was got. Nothing has been changed when it is raised.
    """
