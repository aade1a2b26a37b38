"""Every example in a docstring of the spec is true, and no module with examples is left out."""

import doctest
import importlib
import pkgutil

import pytest

import pagespec

MODULES = [module.name for module in pkgutil.walk_packages(pagespec.__path__, prefix="pagespec.")]


@pytest.mark.parametrize("name", MODULES)
def test_examples_are_true(name: str) -> None:
    """What a reader is shown is what the code does."""
    failed, _ = doctest.testmod(importlib.import_module(name))

    assert failed == 0


def test_the_worked_examples_stand_where_their_readers_look() -> None:
    """The examples of 2004 and the vectors of boot are doctests, not only tests."""
    examples = {
        name: sum(len(test.examples) for test in doctest.DocTestFinder().find(module))
        for name in MODULES
        for module in [importlib.import_module(name)]
    }

    assert {name for name, count in examples.items() if count} >= {
        "pagespec.buddy",
        "pagespec.bitmap",
        "pagespec.boot",
        "pagespec.frames",
        "pagespec.trace",
    }
