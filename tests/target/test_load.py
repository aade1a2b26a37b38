"""`--target` takes what the page says, and tells in one sentence what is wrong with the rest."""

import re
import shutil
import sys
from pathlib import Path

import pytest
from tests.target.material import EXAMPLES, SMALL, forget, needs_cc

from pagefuzz.errors import UsageError
from pagefuzz.lockstep import Lockstep
from pagefuzz.target.build import built
from pagefuzz.target.builtin import Spec, TwinFactory
from pagefuzz.target.load import factory_of
from pagespec.laws.law import LawBroken

MINE = """\
from helper import SIZE

class Mine:
    def __init__(self, machine): ...
    def alloc(self, order): return SIZE
    def free(self, pfn, order): ...

number = 7
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory to stand in, whose modules are forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    # Other tests may have loaded files of the same names, whose folders are found first.
    elsewhere = [path for path in sys.path if not (Path(path) / "mine.py").exists()]
    monkeypatch.setattr(sys, "path", elsewhere)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    forget(monkeypatch, "mine", "helper", "broken", "target_mine")
    factory_of.cache_clear()
    (tmp_path / "helper.py").write_text("SIZE = 99")
    return tmp_path


def test_ours_by_name() -> None:
    """What comes with the project needs no path."""
    assert [factory_of("numba"), factory_of("spec")] == [TwinFactory(), Spec]


@pytest.mark.parametrize("target", ["mine.py:Mine", "./mine.py:Mine", "mine:Mine"])
def test_the_user_s_class(here: Path, target: str) -> None:
    """A file or a module where the user stands, which finds its neighbours."""
    (here / "mine.py").write_text(MINE)

    with pytest.raises(LawBroken, match=r"^OUT-inside: alloc gave pfn 99"):
        Lockstep(SMALL, factory_of(target)).finish()


@needs_cc
@pytest.mark.parametrize("target", ["./mine.so", "mine.c"])
def test_the_user_s_library(here: Path, target: str) -> None:
    """A shared library or one C file."""
    shutil.copy(EXAMPLES / "buddy.c", "mine.c")
    shutil.copy(built(EXAMPLES / "buddy.c"), "mine.so")

    Lockstep(SMALL, factory_of(target)).finish()


@pytest.mark.parametrize(
    ("target", "text", "told"),
    [
        ("nubma", None, "target 'nubma' is unknown; expected one of numba, spec, example, "),
        ("mine.so", None, "target mine.so: there is no such file"),
        ("mine.c", None, "target mine.c: there is no such file"),
        ("gone.py:Mine", None, "target gone.py:Mine: there is no file gone.py"),
        ("gone:Mine", None, "there is no module gone; expected one that is installed or lies here"),
        ("os.gone:Mine", None, "there is no module os.gone"),
        ("mine.py:Yours", MINE, "there is no Yours in it; .* (classes there: Mine)"),
        ("mine.py:number", MINE, "number is int, expected a class or function"),
        ("mine.py:Mine", "import gone\n", "raised ModuleNotFoundError at .*mine.py:1: No module"),
        ("mine:Mine", "import gone\n", "raised ModuleNotFoundError at .*mine.py:1: No module"),
        ("mine.py:Mine", "class Mine\n", "importing it raised SyntaxError at .*mine.py:1: "),
        ("mine.py:Mine", "\n\n1 / 0\n", "importing it raised ZeroDivisionError at .*mine.py:3: "),
        ("mine.py:Mine", "exit(3)\n", "importing it raised SystemExit at "),
        ("mine.py:Mine", b"\xff", "importing it raised SyntaxError at "),
    ],
)
def test_wrong_targets(here: Path, target: str, text: str | bytes | None, told: str) -> None:
    """Never a traceback: one line with the value, what was expected, and the place."""
    if text is not None:
        (here / "mine.py").write_bytes(text if isinstance(text, bytes) else text.encode())

    with pytest.raises(UsageError) as caught:
        factory_of(target)

    assert re.search(told.replace("(", r"\(").replace(")", r"\)"), str(caught.value))
    assert "\n" not in str(caught.value)


@needs_cc
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("int x = ;\n", "did not compile it: .*mine.c:1:.* error: "),
        ('#include "gone.h"\n', "did not compile it: .*mine.c:1:.*gone.h"),
        ("int x;\n", "target mine.c: pf_abi is missing; define it as .*pagefuzz.h says"),
        ("BUDDY-pf_free", "target mine.c: pf_free is missing"),
        ("BUDDY-pf_nr_free", "target mine.c: pf_nr_free is missing"),
        ("BUDDY-PF_ABI", r"target mine.c: pf_abi\(\) is 7, expected 1: build it again with "),
        ("void f(void);\nint pf_abi(void) { f(); return 1; }\n", "not loaded: .*undefined symbol"),
        (
            "void abort(void);\n__attribute__((constructor)) void f(void) { abort(); }\n",
            "target mine.c: it crashed by SIGABRT while it was loaded",
        ),
    ],
)
def test_wrong_libraries(here: Path, text: str, told: str) -> None:
    """What does not compile, does not load, lacks a function or was built for another version."""
    word = text.removeprefix("BUDDY-")
    if word != text:
        buddy = (EXAMPLES / "buddy.c").read_text()
        text = re.sub(rf"\b{word}\b", "7" if word == "PF_ABI" else "renamed", buddy)
    (here / "mine.c").write_text(text)

    with pytest.raises(UsageError, match=told) as caught:
        factory_of("mine.c")

    assert "\n" not in str(caught.value)


def test_a_file_that_is_no_library(here: Path) -> None:
    """The loader's own words say what it is."""
    (here / "mine.so").write_text("no library")

    with pytest.raises(UsageError, match=r"^target mine.so: not loaded: .*expected a shared lib"):
        factory_of("mine.so")


@needs_cc
def test_a_change_in_an_included_file_is_a_new_build(here: Path) -> None:
    """The cache is keyed by everything that is compiled, flags and all."""
    (here / "mine.c").write_text('#include "part.h"\nint x = X;\n')
    builds = []
    for value in "121":
        (here / "part.h").write_text(f"#define X {value}\n")
        builds.append(built(here / "mine.c"))

    assert [builds.index(build) for build in builds] == [0, 1, 0]


@pytest.mark.parametrize("asked", ["nocc -m64", ""])
def test_without_a_compiler(here: Path, monkeypatch: pytest.MonkeyPatch, asked: str) -> None:
    """One sentence says what to install, and what CC was if there is one."""
    monkeypatch.setenv("CC", asked)
    monkeypatch.setenv("PATH", "")

    with pytest.raises(UsageError, match=r"no C compiler was found; expected (nocc|cc or gcc or)"):
        factory_of("example")
