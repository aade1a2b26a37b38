"""How a request comes to its frame: the functions of the spec that it passes through.

`python -m pagefuzz.report.callpath` prints the path of one request for a single frame in each era.
The allocator is read along it: whatever else a function calls is a question aside, or what the
buddy does with the rest of a block.
"""

import sys
from inspect import getdoc
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import NamedTuple

import pagespec
from pagefuzz.report.markdown import table
from pagespec import alloc
from pagespec.boot import boot
from pagespec.era import ERAS, Era
from pagespec.machine import Machine
from pagespec.rmqueue import Want
from pagespec.steps import run

SPEC = Path(pagespec.__file__).parent


class Called(NamedTuple):
    """A function on the path: its file within the spec, its line, its name and what it does."""

    file: str
    line: int
    name: str
    does: str


def call_path(era: Era) -> list[Called]:
    """The functions that the first request for a frame passes through, the last one picking it.

    The zone has all there is: a CPU with lists, which are empty, and watermarks; and a hole in
    front, so that none of its bounds is the frame that is given out. The path is the chain of calls
    at whose end that frame is first known.
    """
    machine = Machine(
        pages=1024, top=10, era=era, start=4096, holes=((4096, 4097),), cpus=1, min_free=16
    )
    due = run(alloc.alloc_pages(boot(machine), Want(0)))
    zone = boot(machine)
    chain: list[CodeType] = []

    def watch(frame: FrameType, event: str, value: object) -> None:
        if event == "return" and not chain and type(value) is int and value == due:
            chain.extend(_stack(frame))

    sys.setprofile(watch)
    try:
        run(alloc.alloc_pages(zone, Want(0)))
    finally:
        sys.setprofile(None)
    return [_called(code) for code in chain]


def _stack(frame: FrameType | None) -> list[CodeType]:
    """The functions of the spec that are at work, the outermost of the request first."""
    codes: list[CodeType] = []
    while frame is not None:
        named = frame.f_code.co_name != "<lambda>"  # An entry of a table, which only forwards.
        if named and SPEC in Path(frame.f_code.co_filename).parents:
            codes.append(frame.f_code)
        if frame.f_code is alloc.alloc_pages.__code__:
            break
        frame = frame.f_back
    return codes[::-1]


def _called(code: CodeType) -> Called:
    path = Path(code.co_filename)
    module = sys.modules[".".join(("pagespec", *path.relative_to(SPEC).with_suffix("").parts))]
    found = getattr(module, code.co_name)
    assert isinstance(found, FunctionType)
    does = (getdoc(found) or "").split("\n\n")[0].replace("\n", " ")
    return Called(str(path.relative_to(SPEC)), code.co_firstlineno, code.co_name, does)


def files_of(path: list[Called]) -> list[str]:
    """The files of the path, in the order in which a reader opens them."""
    return list(dict.fromkeys(called.file for called in path))


def call_path_markdown() -> str:
    """The path in the latest era."""
    path = call_path(list(ERAS.values())[-1])
    return table(("file", "function", "what it does"), [(c.file, c.name, c.does) for c in path])


def main() -> None:
    """Print the path in every era, and how many files it leads through."""
    for era in ERAS.values():
        path = call_path(era)
        print(f"{era.name}: {len(files_of(path))} files")
        for called in path:
            print(f"    spec/pagespec/{called.file}:{called.line}: {called.name}: {called.does}")


if __name__ == "__main__":
    main()
