"""Before several processes would compile the same kernels, two compile one half each."""

import pytest

from pagefuzz.campaign.warm import compile_kernels


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile what is not there yet, where this process is the one that hands out the tests."""
    if getattr(session.config.option, "numprocesses", None):
        compile_kernels()
