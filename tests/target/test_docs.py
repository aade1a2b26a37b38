"""What `docs/targets.md` shows works as it stands there."""

import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tests.target.material import any_machines, forget, listed_machines, machines, walked

from pagefuzz.target import native
from pagefuzz.target.build import COMPILERS
from pagefuzz.target.load import BUILT_IN, factory_of
from pagefuzz.target.protocol import FillsArrays, KeepsLists, Serves
from pagespec.laws.outside import Promises
from pagespec.verbs import Verb

PAGE = (Path(__file__).parents[2] / "docs" / "targets.md").read_text()


@pytest.fixture(autouse=True)
def nothing_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page's files are found where they are written."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    forget(monkeypatch, "mine", "target_mine", "target_cpus")


def block(language: str) -> str:
    """The one block of the page in that language."""
    (text,) = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    return str(text)


def test_the_python_example_is_an_allocator(tmp_path: Path) -> None:
    """A dozen lines are enough."""
    (tmp_path / "mine.py").write_text(block("python"))
    factory = factory_of(f"{tmp_path}/mine.py:Mine")

    for seed, machine in enumerate(machines(33)):
        assert walked(factory, machine, seed).level == "outside"


def test_the_example_with_cpus_is_an_allocator(tmp_path: Path) -> None:
    """It takes machines with CPUs and without, and the page names each call in both languages."""
    (tmp_path / "mine.py").write_text(block("python"))
    (tmp_path / "cpus.py").write_text(block("python3"))
    factory = factory_of(f"{tmp_path}/cpus.py:WithCpus")

    for seed, machine in enumerate([*listed_machines(33), *machines(11)]):
        lockstep = walked(factory, machine, seed)
        assert (Verb.DRAIN in lockstep.target.verbs) == (machine.cpus > 0)
    methods = [name for name in (*vars(KeepsLists), *vars(FillsArrays)) if name[0] != "_"]
    assert len(methods) == 4
    assert [name for name in methods if f"`{name}(" not in PAGE or f"`pf_{name}`" not in PAGE] == []


def test_what_a_target_may_say_that_it_serves_is_on_the_page() -> None:
    """Each field of Serves has its row."""
    assert [field for field in Serves._fields if f"| `{field}=" not in PAGE] == []


def test_the_example_with_serve_takes_every_machine(tmp_path: Path) -> None:
    """Pageblocks included, but for cells; and it is judged at the strictest level."""
    (tmp_path / "all.py").write_text(block("py"))
    factory = factory_of(f"{tmp_path}/all.py:Mine")
    grouped = listed = marked = 0

    for seed, machine in enumerate(any_machines(33)):
        assert walked(factory, replace(machine, cells=False), seed).level == "exact"
        grouped += machine.pageblock is not None
        listed += machine.cpus > 0
        marked += machine.min_free is not None
    assert min(grouped, listed, marked) > 0


@pytest.mark.skipif(shutil.which("rustc") is None, reason="no rustc: the example is not built")
def test_the_rust_example_is_an_allocator(tmp_path: Path) -> None:
    """Built by the command in its first line."""
    text = block("rust")
    (tmp_path / "mine.rs").write_text(text)
    command = text.splitlines()[0].removeprefix("// ").split()
    subprocess.run([*command, "-o", "libmine.so"], cwd=tmp_path, check=True)
    factory = factory_of(f"{tmp_path}/libmine.so")

    for seed, machine in enumerate(machines(33)):
        assert walked(factory, machine, seed).level == "outside"


@pytest.mark.skipif(not any(map(shutil.which, COMPILERS)), reason="no C compiler")
def test_the_c_declarations_are_the_header_s(tmp_path: Path) -> None:
    """A declaration that differed would not compile beside the header's."""
    (tmp_path / "mine.c").write_text(block("c"))
    compiler = next(filter(None, map(shutil.which, COMPILERS)))
    include = f"-I{native.HEADER.parent}"
    done = subprocess.run(
        [compiler, "-fsyntax-only", include, "mine.c"], cwd=tmp_path, capture_output=True, text=True
    )

    assert done.stderr == ""


def test_every_promise_is_on_the_page() -> None:
    """In the words of both languages."""
    words = [*Promises._fields, *re.findall(r"#define (PF_[A-Z_]+) \du", native.HEADER.read_text())]

    assert [word for word in words if f"`{word}`" not in PAGE] == []


def test_every_built_in_target_loads_or_says_why() -> None:
    """The table that `pagefuzz list` prints names nothing that is not there."""
    compilers = any(map(shutil.which, COMPILERS))

    for name in BUILT_IN:
        if compilers or name in ("numba", "spec"):
            assert callable(factory_of(name))
