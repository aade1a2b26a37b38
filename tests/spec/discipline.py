"""The discipline of steps: what an explorer cannot see must not live across a yield.

An explorer hashes the zone, the position of each operation and its named locals. An iterator, an
operand that waits on the stack, or an open context manager is none of these.
"""

import ast
from collections.abc import Iterator

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
HIDDEN = {
    ast.For: "a for loop around a yield keeps an iterator",
    ast.AsyncFor: "a for loop around a yield keeps an iterator",
    ast.With: "a with block around a yield keeps a context manager",
    ast.AsyncWith: "a with block around a yield keeps a context manager",
    ast.Try: "a try block around a yield acts when the operation is abandoned",
    ast.TryStar: "a try block around a yield acts when the operation is abandoned",
}


def own(node: ast.AST, above: tuple[ast.AST, ...] = ()) -> Iterator[tuple[ast.AST, ...]]:
    """Every node of a function's own body, each behind those that hold it, outermost first."""
    for child in ast.iter_child_nodes(node):
        path = (*above, child)
        yield path
        if not isinstance(child, Function | ast.ClassDef):
            yield from own(child, path)


def yields(function: Function) -> list[tuple[ast.AST, ...]]:
    """The function's own yields, each behind the nodes that hold it."""
    paths = own(function)
    return [path for path in paths if isinstance(path[-1], ast.Yield | ast.YieldFrom)]


def generators(tree: ast.AST) -> list[Function]:
    return [node for node in ast.walk(tree) if isinstance(node, Function) and yields(node)]


def is_operation(function: Function) -> bool:
    """Whether it says that it is made of steps."""
    returns = None if isinstance(function, ast.Lambda) else function.returns
    return returns is not None and ast.unparse(returns).startswith("Steps[")


def operations(source: str) -> list[str]:
    """The names of the operations in a source."""
    found = filter(is_operation, generators(ast.parse(source)))
    return [getattr(function, "name", "lambda") for function in found]


def faults(source: str) -> list[str]:
    """What in the source breaks the discipline, as `line: what`."""
    found: list[tuple[int, str]] = []
    for function in generators(ast.parse(source)):
        if is_operation(function):
            found += operation_faults(function)
        elif "Step." in ast.unparse(function):
            found.append((function.lineno, "a generator that yields steps must say Steps[...]"))
    return [f"{line}: {what}" for line, what in sorted(set(found))]


def operation_faults(function: Function) -> Iterator[tuple[int, str]]:
    for path in yields(function):
        node, holders = path[-1], path[:-1]
        line = getattr(node, "lineno", 0)
        for holder in holders:
            if type(holder) in HIDDEN:
                yield line, HIDDEN[type(holder)]
        if not stands_alone(holders[-1]):
            yield line, "a yield inside an expression keeps operands on the stack"
        if isinstance(node, ast.YieldFrom) and not isinstance(node.value, ast.Call):
            yield line, "yield from takes a call, not a generator that lives elsewhere"
    for path in own(function):
        if isinstance(path[-1], ast.Global | ast.Nonlocal):
            yield path[-1].lineno, "a name from outside the operation is no local of it"


def stands_alone(statement: ast.AST) -> bool:
    """Whether a yield directly in the statement is all of it, or all that a name is bound to."""
    if isinstance(statement, ast.AnnAssign):
        return isinstance(statement.target, ast.Name)
    if isinstance(statement, ast.Assign):
        return len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name)
    return isinstance(statement, ast.Expr)
