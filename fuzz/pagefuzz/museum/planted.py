"""Faults planted in the spec itself, for as long as interleavings are looked for in it.

The functions of the spec stay the objects that all its modules know; their code is exchanged for
what the patched text gives, and then put back. Whatever else a module holds stays as it is, so an
edit may change functions, and the names that they import.
"""

import ast
import linecache
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from itertools import count
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

from pagefuzz.museum.mutant import Edit, patches_of

_variants = count(1)


@contextmanager
def planted_in_spec(edits: Iterable[Edit]) -> Iterator[None]:
    """Let the spec have these faults inside the block. Each edit's module is one of pagespec.

    Raises ValueError for an edit whose text is not there, or that changes no function.
    """
    undo: list[tuple[FunctionType, CodeType]] = []
    borrowed: list[tuple[ModuleType, str]] = []
    try:
        for name, patch in patches_of(edits).items():
            module = import_module(f"pagespec.{name}")
            assert module.__file__ is not None
            text = patch(Path(module.__file__).read_text(encoding="utf-8"))
            borrowed += [(module, each) for each in _imported(module, text)]
            changed = list(_changed(module, text))
            if not changed:
                raise ValueError(f"the edits of {name} change no function: expected one that does")
            for function, code in changed:
                undo.append((function, function.__code__))
                function.__code__ = code
        yield
    finally:
        for function, code in undo:
            function.__code__ = code
        for module, each in borrowed:
            delattr(module, each)


def _imported(module: ModuleType, text: str) -> Iterator[str]:
    """Give the module the names that only the patched text imports."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            for alias in node.names:
                if not hasattr(module, alias.name):
                    setattr(module, alias.name, getattr(import_module(node.module), alias.name))
                    yield alias.name


def _changed(module: ModuleType, text: str) -> Iterator[tuple[FunctionType, CodeType]]:
    """The functions of a module whose code the patched text changes, with that code."""
    file = f"<pagespec/{module.__name__}, variant {next(_variants)}>"
    # Without a time of change the entry stays: programs are cut from it, tracebacks show it.
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    for code in compile(text, file, "exec").co_consts:
        if isinstance(code, CodeType):
            function = vars(module).get(code.co_name)
            if isinstance(function, FunctionType) and _differs(function.__code__, code):
                yield function, code


def _differs(old: CodeType, new: CodeType) -> bool:
    """Whether the code does something else; where it stands means nothing."""
    return (
        old.co_code != new.co_code
        or old.co_names != new.co_names
        or old.co_varnames != new.co_varnames
        or len(old.co_consts) != len(new.co_consts)
        or any(
            _differs(one, other)
            if isinstance(one, CodeType) and isinstance(other, CodeType)
            else one != other
            for one, other in zip(old.co_consts, new.co_consts, strict=True)
        )
    )
