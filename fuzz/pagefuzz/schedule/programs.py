"""A generator of steps, made over into a function that can be entered at any of its stops.

A generator cannot be copied, so whoever wants to go two ways from one point would have to run it
anew from its start. But operations keep a discipline: all that lives across a stop is in named
locals, and a stop is a statement of its own. So their text can be cut at the stops, by rule, into
blocks that take the locals and give them back. There is still one text of each operation; what is
made of it here is checked against the generator itself, step by step.

Only locals that are read again are kept, so that states which differ in nothing else are one.

What cannot be cut is refused: a stop within a loop over an iterator, a try or a with, whose state
has no name; one within an expression; and a function that reads locals of another.
"""

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from types import CodeType, FunctionType
from typing import Final, NamedTuple, TypeAlias

Locals: TypeAlias = tuple[object, ...]


UNSET: Final = ...
"""The value of a local that is not bound, or not read any more."""

STOPS, CALLS, ENDS = 0, 1, 2
"""What comes of entering a program: it stops, it goes on in another one, or it ends."""

Came: TypeAlias = tuple[int, object, int, Locals]
"""One of the three, with the stop, the generator that goes on, or the value; then where to enter
next, and with which locals."""


@dataclass(frozen=True, eq=False, slots=True)
class Program:
    """What was made of one generator function.

    code: what it was made of. names: its locals. enter: takes the place to enter, what the stop
    before gives, and the locals. lines: the line of the source on which each place begins, by
    place.
    """

    code: CodeType
    names: tuple[str, ...]
    enter: Callable[[int, object, Locals], Came]
    lines: tuple[int, ...]


@dataclass(slots=True)
class Block:
    """Statements without a stop, and what follows them.

    then: the source of the last statements, which leave the block. nexts: the blocks after it.
    takes: the name that what a stop gives is bound to on entry.
    """

    line: int
    takes: str | None = None
    body: list[ast.stmt] = field(default_factory=list)
    then: str = ""
    reads: frozenset[str] = frozenset()
    nexts: tuple[int, ...] = ()


class CannotCut(TypeError):
    """A generator does not keep the discipline by which it could be entered at its stops."""


class Loop(NamedTuple):
    """Where `continue` and `break` go."""

    again: int
    after: int


def stops(node: ast.AST) -> bool:
    """Whether there is a stop in the statement."""
    return any(isinstance(part, ast.Yield | ast.YieldFrom) for part in ast.walk(node))


def leaves_loop(node: ast.stmt) -> bool:
    """Whether the statement leaves or repeats a loop that is around it."""
    if isinstance(node, ast.Break | ast.Continue):
        return True
    if isinstance(node, ast.For | ast.While):
        return False
    return any(
        leaves_loop(part) for part in ast.iter_child_nodes(node) if isinstance(part, ast.stmt)
    )


class Cutter:
    """Cuts the statements of a function into blocks."""

    def __init__(self, name: str, first_line: int) -> None:
        self.name = name
        self.first_line = first_line
        self.blocks: list[Block] = []

    def refused(self, node: ast.stmt, why: str) -> CannotCut:
        """The error for a statement that cannot be cut."""
        return CannotCut(f"{self.name}, line {self.first_line + node.lineno - 1}: {why}")

    def new(self, node: ast.stmt, takes: str | None = None) -> int:
        """A new block, which begins at a statement."""
        self.blocks.append(Block(self.first_line + node.lineno - 1, takes))
        return len(self.blocks) - 1

    def close(self, at: int, then: str, *nexts: int, reads: ast.AST | None = None) -> None:
        """Say what follows a block."""
        block = self.blocks[at]
        block.then, block.nexts = then, nexts
        block.reads = frozenset(names_in(reads, ast.Load)) if reads is not None else frozenset()

    def cut(self, body: Sequence[ast.stmt], at: int, loop: Loop | None) -> int | None:
        """Cut statements, beginning in that block; the block that is open at their end, if any."""
        here: int | None = at
        for node in body:
            if here is None:
                break
            here = self.cut_one(node, here, loop)
        return here

    def cut_one(self, node: ast.stmt, at: int, loop: Loop | None) -> int | None:
        """Cut one statement."""
        if isinstance(node, ast.Return):
            if stops(node):
                raise self.refused(node, "a stop within a return; expected a statement of its own")
            value = "None" if node.value is None else ast.unparse(node.value)
            self.close(at, f"return {ENDS}, {value}, 0, ()", reads=node.value)
            return None
        if isinstance(node, ast.Break | ast.Continue) and loop is not None:
            target = loop.after if isinstance(node, ast.Break) else loop.again
            self.close(at, goto(target), target)
            return None
        if not stops(node) and not (loop is not None and leaves_loop(node)):
            self.blocks[at].body.append(Ending().visit(node))
            return at
        if isinstance(node, ast.If | ast.While) and stops(node.test):
            raise self.refused(node, "a stop within a condition; expected a statement of its own")
        if isinstance(node, ast.If):
            return self.cut_if(node, at, loop)
        if isinstance(node, ast.While):
            return self.cut_while(node, at)
        return self.cut_stop(node, at)

    def cut_if(self, node: ast.If, at: int, loop: Loop | None) -> int:
        """Cut a branch."""
        yes, no = self.new(node.body[0]), self.new((node.orelse or [node])[0])
        after = self.new(node)
        test = ast.unparse(node.test)
        self.close(at, f"_at = {yes} if {test} else {no}", yes, no, reads=node.test)
        for begin, body in ((yes, node.body), (no, node.orelse)):
            end = self.cut(body, begin, loop)
            if end is not None:
                self.close(end, goto(after), after)
        return after

    def cut_while(self, node: ast.While, at: int) -> int:
        """Cut a loop."""
        if node.orelse:
            raise self.refused(node, "a loop with a stop and an else; expected none")
        again, body, after = self.new(node), self.new(node.body[0]), self.new(node)
        self.close(at, goto(again), again)
        test = ast.unparse(node.test)
        self.close(again, f"_at = {body} if {test} else {after}", body, after, reads=node.test)
        end = self.cut(node.body, body, Loop(again, after))
        if end is not None:
            self.close(end, goto(again), again)
        return after

    def cut_stop(self, node: ast.stmt, at: int) -> int:
        """Cut at a stop: a statement that is a yield, or binds one to a name."""
        if not isinstance(node, ast.Expr | ast.Assign | ast.AnnAssign):
            what = type(node).__name__.lower()
            raise self.refused(node, f"a stop within a {what}; expected `if` or `while` around it")
        given = node.value
        if not isinstance(given, ast.Yield | ast.YieldFrom) or given.value is None:
            raise self.refused(node, "a stop within an expression; expected a statement of its own")
        takes: str | None = None
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            taker = targets[0]
            if len(targets) > 1 or not isinstance(taker, ast.Name):
                raise self.refused(node, "what a stop gives goes elsewhere; expected one name")
            takes = taker.id
        after = self.new(node, takes)
        kind = STOPS if isinstance(given, ast.Yield) else CALLS
        self.close(
            at,
            f"return {kind}, {ast.unparse(given.value)}, {after}, KEPT_{after}",
            after,
            reads=given.value,
        )
        return after


class Ending(ast.NodeTransformer):
    """Makes `return x` say that the program has ended; functions within keep theirs."""

    def visit_Return(self, node: ast.Return) -> ast.Return:
        value = node.value or ast.Constant(None)
        parts: list[ast.expr] = [ast.Constant(ENDS), value, ast.Constant(0), ast.Tuple([])]
        return ast.Return(ast.Tuple(parts))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        return node


def goto(target: int) -> str:
    """The statement that leaves a block for another."""
    return f"_at = {target}"


def names_in(node: ast.AST, how: type[ast.Load] | type[ast.Store]) -> Iterator[str]:
    """The names that are read or written anywhere in a statement."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, how):
            yield part.id


def read_first(block: Block) -> frozenset[str]:
    """The names that a block reads before it is sure to have written them."""
    read: set[str] = set()
    written: set[str] = {block.takes} if block.takes is not None else set()
    for node in block.body:
        read |= set(names_in(node, ast.Load)) - written
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            read |= {node.target.id} - written
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            written |= set(names_in(node, ast.Store))
    return frozenset(read | (block.reads - written))


def live(blocks: Sequence[Block]) -> list[frozenset[str]]:
    """Per block, the names that are still read from its start on."""
    reads = [read_first(block) for block in blocks]
    alive = list(reads)
    again = True
    while again:
        again = False
        for at, block in enumerate(blocks):
            written: set[str] = {block.takes} if block.takes is not None else set()
            for node in block.body:
                if isinstance(node, ast.Assign | ast.AnnAssign):
                    written |= set(names_in(node, ast.Store))
            after = frozenset().union(*(alive[number] for number in block.nexts)) - written
            if not after <= alive[at]:
                alive[at] |= after
                again = True
    return alive


def program_of(code: CodeType, around: dict[str, object]) -> Program:
    """The program of a generator function. around: the globals that its names are found in.

    Raises CannotCut for one that does not keep the discipline.
    """
    # By identity, since code is compared by all that is in it; a program keeps both alive.
    found = _PROGRAMS.get((id(code), id(around)))
    if found is None:
        found = _PROGRAMS[id(code), id(around)] = _made_over(code, around)
    return found


_PROGRAMS: dict[tuple[int, int], Program] = {}


def _made_over(code: CodeType, around: dict[str, object]) -> Program:
    tree = ast.parse(textwrap.dedent(inspect.getsource(code))).body[0]
    assert isinstance(tree, ast.FunctionDef)
    if code.co_freevars:
        outer = ", ".join(code.co_freevars)
        raise CannotCut(f"{code.co_name} reads {outer} of the function around it; expected none")
    names = tuple(dict.fromkeys((*code.co_varnames, *code.co_cellvars)))
    cutter = Cutter(code.co_name, code.co_firstlineno)
    body = tree.body[1:] if ast.get_docstring(tree) is not None else tree.body
    end = cutter.cut(body, cutter.new(tree.body[0]), None)
    if end is not None:
        cutter.close(end, f"return {ENDS}, None, 0, ()")
    entered = FunctionType(_compiled(code, names, cutter.blocks, live(cutter.blocks)), around)
    return Program(code, names, entered, tuple(block.line for block in cutter.blocks))


def _compiled(
    code: CodeType,
    names: Sequence[str],
    blocks: Sequence[Block],
    alive: Sequence[frozenset[str]],
) -> CodeType:
    text = [f"def {code.co_name}(_at, _given, _kept):"]
    bound = ", ".join(names)
    if names:
        text.append(f"    {bound}, = _kept")
    text.append("    while True:")
    for number, block in enumerate(blocks):
        text.append(f"        if _at == {number}:")
        if block.takes is not None:
            text.append(f"            {block.takes} = _given")
        for node in block.body:
            text.append(textwrap.indent(ast.unparse(ast.fix_missing_locations(node)), " " * 12))
        then = block.then
        if "KEPT_" in then:
            head, _, after = then.partition("KEPT_")
            target = blocks[int(after)]
            wanted = alive[int(after)] - ({target.takes} if target.takes is not None else set())
            kept = "".join(f"{name if name in wanted else '...'}, " for name in names)
            then = f"{head}({kept})"
        text.append(f"            {then}")
        if not then.startswith("return"):
            text.append("            continue")
    module = compile("\n".join(text), f"<stops of {code.co_qualname}>", "exec")
    return next(part for part in module.co_consts if isinstance(part, CodeType))
