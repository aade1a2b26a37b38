"""What `--target` names: an allocator that comes with the project, or the user's own."""

import importlib
import importlib.util
import sys
import traceback
from functools import cache
from pathlib import Path
from types import ModuleType

from pagefuzz.errors import UsageError
from pagefuzz.target.builtin import Spec, TwinFactory
from pagefuzz.target.protocol import Factory

DEFAULT = "numba"

BUILT_IN: dict[str, str] = {
    DEFAULT: "the compiled twin, equal to Linux of the era",
    "spec": "the spec itself",
    "example": "a buddy allocator in C, built with the system's compiler",
    "firstfit": "the least that can be tested, in C: alloc and free alone",
}
"""The targets that come with the project, and what they are."""

FORMS = "MODULE:NAME, FILE.py:NAME, FILE.so or FILE.c"
"""How the user's own allocator is named."""

_EXAMPLES = {"example": "buddy.c", "firstfit": "firstfit.c"}


@cache
def factory_of(target: str) -> Factory:
    """The allocator that the string names; always the same one for the same string.

    Raises UsageError, in one sentence, for a string that names none.
    """
    if target == DEFAULT:
        return TwinFactory()
    if target == "spec":
        return Spec
    if target in _EXAMPLES:
        return _library(Path(__file__).parent / "example" / _EXAMPLES[target], target)
    place, colon, name = target.rpartition(":")
    if colon and place and name:
        module = _file(Path(place), target) if place.endswith(".py") else _module(place, target)
        return _named(module, name, target)
    path = Path(target)
    if path.suffix in (".c", ".so"):
        if not path.is_file():
            raise UsageError(f"target {target}: there is no such file")
        return _library(path.absolute(), target)
    raise UsageError(
        f"target {target!r} is unknown; expected one of {', '.join(BUILT_IN)}, or your own as "
        f"{FORMS}"
    )


def _library(path: Path, target: str) -> Factory:
    # The twin and the spec need none of the machinery for libraries.
    from pagefuzz.target.build import built
    from pagefuzz.target.native import Library

    return Library(built(path) if path.suffix == ".c" else path, target)


def _module(name: str, target: str) -> ModuleType:
    # An installed command does not look where the user stands; Python itself does.
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and (name == error.name or name.startswith(f"{error.name}.")):
            raise UsageError(
                f"target {target}: there is no module {error.name}; expected one that is "
                f"installed or lies here, or a path such as ./{name}.py:NAME"
            ) from None
        raise _not_imported(target, error) from error
    except (Exception, SystemExit) as error:
        raise _not_imported(target, error) from error


def _file(path: Path, target: str) -> ModuleType:
    if not path.is_file():
        raise UsageError(f"target {target}: there is no file {path}")
    # A name of its own, since the file may be called like a module that is in use.
    name = f"target_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path.absolute())
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # As when the file is run: it finds its neighbours, and its classes find their module.
    sys.path.insert(0, str(path.absolute().parent))
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise _not_imported(target, error) from error
    return module


def _not_imported(target: str, error: BaseException) -> UsageError:
    """The sentence for whatever a user's file raised, with the place in it."""
    where = ""
    if isinstance(error, SyntaxError):
        where = f" at {error.filename}:{error.lineno}"
    elif frames := traceback.extract_tb(error.__traceback__):
        where = f" at {frames[-1].filename}:{frames[-1].lineno}"
    told = error.msg if isinstance(error, SyntaxError) else error
    return UsageError(
        f"target {target}: importing it raised {type(error).__name__}{where}: {told}; mend it, "
        "and try it with python first"
    )


def _named(module: ModuleType, name: str, target: str) -> Factory:
    if not hasattr(module, name):
        there = [
            found
            for found, value in vars(module).items()
            if isinstance(value, type) and value.__module__ == module.__name__
        ]
        raise UsageError(
            f"target {target}: there is no {name} in it; expected the name of a class or "
            f"function that takes a machine (classes there: {', '.join(there) or 'none'})"
        )
    found = getattr(module, name)
    if not callable(found):
        raise UsageError(
            f"target {target}: {name} is {type(found).__name__}, expected a class or function "
            "that takes a machine"
        )
    factory: Factory = found
    return factory
