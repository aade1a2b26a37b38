"""The rules of the house: short files, one-way imports, typed and documented names, clean text."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parent.parent
ROOMS = {"pagespec": ROOT / "spec", "pageimpl": ROOT / "impl", "pagefuzz": ROOT / "fuzz"}
MAX_LINES = 400
MEDIAN_LINES = 200

FOREIGN = {
    "pagespec": set[str](),
    "pageimpl": {"numpy", "numba", "llvmlite"},
    "pagefuzz": {
        *("numpy", "numba", "llvmlite", "hypothesis", "crosshair", "z3"),
        *("click", "rich", "matplotlib", "greenlet"),
        "_typeshed",  # for type checkers alone
    },
}
OURS = {
    "pagespec": {"pagespec"},
    "pageimpl": {"pagespec", "pageimpl"},
    "pagefuzz": {"pagespec", "pageimpl", "pagefuzz"},
}
VOCABULARY = {
    f"pagespec.{module}"
    for module in (
        *("types", "choices", "era", "guards", "machine", "host"),
        *("migratetype", "verbs"),
        *("vmstat.machine", "vmstat.numa", "vmstat.verbs", "slab.machine", "slab.verbs"),
        *("compaction.design", "compaction.machine", "compaction.verbs"),
    )
}
STATE = {
    f"pagespec.{module}"
    for module in ("zone", "pcp.sizes", "pcp.state", "pcp.tuning", "watermark.levels")
} | {
    *("pagespec.watermark.marks", "pagespec.vmstat.counters", "pagespec.vmstat.kept"),
    *("pagespec.slab.state", "pagespec.compaction.state"),
}
REFINES = {
    f"pageimpl.{module}"
    for module in ("refine", "vmstat.refine", "slab.refine", "compaction.refine")
}
LAWS = "Laws and stamps do not import the algorithm that they judge"
"""The import contract whose modules no law may import, not even by a detour."""

BY_DETOUR = {"pagespec.vmstat.cell", "pagespec.vmstat.threshold"}
"""Algorithms that the state itself imports, so that only a law's own imports can be forbidden."""

# The hosts that a reader may be sent to; anything else in the tree is a leak or a tracker.
PUBLIC_HOSTS = {"lore.kernel.org", "git.kernel.org", "docs.kernel.org", "lwn.net"}
TEXT = {"", ".c", ".cfg", ".h", ".json", ".md", ".py", ".rs", ".toml", ".trace", ".txt"}


@cache
def modules() -> dict[str, Path]:
    """Map the dotted name of every module of the three packages to its file."""
    return {
        ".".join(path.relative_to(room).with_suffix("").parts).removesuffix(".__init__"): path
        for package, room in ROOMS.items()
        for path in sorted((room / package).rglob("*.py"))
    }


def imports(name: str, path: Path) -> Iterator[str]:
    """Yield the module that each import statement of a file may load, relative ones resolved."""
    known = modules()
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parts = package.split(".")
                above = ".".join(parts[: len(parts) - node.level + 1])
                base = f"{above}.{base}" if base else above
            for alias in node.names:
                child = f"{base}.{alias.name}"
                yield child if child in known else base


@cache
def all_imports() -> list[tuple[str, str]]:
    """List (importer, imported) over the three packages."""
    return [(name, got) for name, path in modules().items() for got in imports(name, path)]


def within(name: str, *packages: str) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def public(path: Path) -> Iterator[ast.FunctionDef | ast.ClassDef]:
    """Yield the module-level functions and classes whose names have no underscore in front."""
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            yield node


def test_files_are_short() -> None:
    """No file has more than 400 lines, and half of a package's have fewer than 200."""
    lines = {name: len(path.read_text().splitlines()) for name, path in modules().items()}

    assert {name: count for name, count in lines.items() if count > MAX_LINES} == {}
    for package in ROOMS:
        assert median(count for name, count in lines.items() if within(name, package)) < (
            MEDIAN_LINES
        )


def test_tests_are_short() -> None:
    """The same bound holds for tests, which are read more often than they are written."""
    lines = {str(path): len(path.read_text().splitlines()) for path in ROOT.glob("tests/**/*.py")}

    assert {name: count for name, count in lines.items() if count > MAX_LINES} == {}


def test_imports_run_one_way() -> None:
    """pagefuzz -> pageimpl -> pagespec, and from outside only what each room declares."""
    wrong = [
        (name, got)
        for name, got in all_imports()
        if (top := got.partition(".")[0]) not in sys.stdlib_module_names
        and top not in OURS[name.partition(".")[0]] | FOREIGN[name.partition(".")[0]]
    ]

    assert wrong == []


def test_the_twin_takes_only_vocabulary() -> None:
    """An implementation that borrows behaviour from its oracle is judged by itself."""
    wrong = [
        (name, got)
        for name, got in all_imports()
        if within(name, "pageimpl")
        and within(got, "pagespec")
        and got not in VOCABULARY
        and not (name in REFINES and got in STATE)
    ]

    assert wrong == []


def test_laws_import_no_algorithm() -> None:
    """A law computed by the code that it judges is no law, nor are stamps a second opinion."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    laws = next(each for each in contracts["contracts"] if each["name"] == LAWS)
    algorithms = {*laws["forbidden_modules"], *BY_DETOUR}
    wrong = [
        (name, got)
        for name, got in all_imports()
        if within(name, *laws["source_modules"]) and within(got, *algorithms)
    ]

    assert wrong == []
    assert algorithms <= modules().keys()


def test_public_names_are_documented() -> None:
    """Every module, public function and public class says what it is."""
    silent = [name for name, path in modules().items() if not docstring(path)]
    silent += [
        f"{name}.{node.name}"
        for name, path in modules().items()
        for node in public(path)
        if not ast.get_docstring(node)
    ]

    assert silent == []


def docstring(path: Path) -> str | None:
    return ast.get_docstring(ast.parse(path.read_text()))


def test_public_functions_are_typed() -> None:
    """Every argument and every result has a type, kernels included."""
    bare = [
        f"{name}.{node.name}"
        for name, path in modules().items()
        for node in public(path)
        if isinstance(node, ast.FunctionDef) and not fully_typed(node)
    ]

    assert bare == []


def fully_typed(node: ast.FunctionDef) -> bool:
    given = node.args
    arguments = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    return node.returns is not None and all(a.annotation for a in arguments if a is not None)


def test_every_module_imports_without_a_warning() -> None:
    """Importing everything under -W error works, so that users see no warning of ours."""
    names = [name for name in modules() if not name.endswith("__main__")]
    path = ":".join(str(room) for room in ROOMS.values())
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", "\n".join(f"import {name}" for name in names)],
        env={"PYTHONPATH": path, "PATH": "/usr/bin:/bin"},
        cwd=ROOT,
        capture_output=True,
        text=True,
    )

    assert done.stderr == ""
    assert done.returncode == 0


def texts() -> Iterator[tuple[str, str]]:
    """Yield name and text of every text file of the tree that a clone would have."""
    made = {"out", "build", "dist"}
    rooms = [room for room in ROOT.iterdir() if room.name[0] != "." and room.name not in made]
    for room in sorted([*rooms, ROOT / ".ci"]):
        for path in sorted(room.rglob("*")) if room.is_dir() else [room]:
            if path.is_file() and path.suffix in TEXT and "__pycache__" not in path.parts:
                yield str(path.relative_to(ROOT)), path.read_text(errors="replace")


def test_tree_names_no_machine_and_no_registry() -> None:
    """Nothing in the tree depends on where it was written: no home, no workplace, no registry."""
    place = re.compile(r"(?<![\w.~])/(?:root|home|work|Users)/\w")
    address = re.compile(r"\bhttps?://([\w.-]+)")
    leaks = [
        f"{path}: {found}"
        for path, text in texts()
        for found in [
            *place.findall(text),
            *(host for host in address.findall(text) if host not in PUBLIC_HOSTS),
        ]
    ]

    assert leaks == []
