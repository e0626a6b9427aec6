"""Mutation testing: change one thing in a function, and see whether a test fails.

The tests of a room are collected and run once, which shows the functions that each of them calls. Then each mutant is
a fork of that process, in which one function has other code: a test is run that calls the function, the quickest one
first, until one fails. So nothing is imported or collected again, and a mutant takes about as long as its tests. What
tests do in processes of their own is not mutated. Needs a POSIX system.

    python benchmarks/mutants.py                            150 mutants of each room, of seed 1
    python benchmarks/mutants.py plan --most 1000 --seed 7
    python benchmarks/mutants.py plan --again FILE           the survivors of an earlier run
    python benchmarks/mutants.py plan/differ.py --most 9999 --tests tests/plan/test_planning.py
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import functools
import gc
import os
import re
import signal
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path
from random import Random
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

CHECKOUT = Path(__file__).resolve().parent.parent
PACKAGE = CHECKOUT / "tokensync"
ROOMS = {
    "normalize": (("normalize",), ("tests/normalize", "tests/corpus")),
    "plan": (("plan",), ("tests/plan",)),
    "apply": (("apply",), ("tests/apply", "tests/plan/test_end_to_end.py")),
    "escaping": (
        ("system/outlet", "generate/notation.py"),
        ("tests/system/outlet", "tests/corpus/test_hostile_texts.py", "tests/cli/test_console.py", "tests/generate"),
    ),
    "boundary": (
        ("system/boundary.py", "system/disk.py"),
        ("tests/system", "tests/commands/test_hostile_checkout.py", "tests/commands/test_swapped_links.py"),
    ),
}
"""For each room its code, and the tests that judge it."""
SECONDS = 30
"""How long the tests of a mutant may take, or three times their time without a change. What runs longer has failed: a
loop that does not end is an effect."""
LONGEST = 180
"""The most seconds for the tests of a mutant."""
_COMPARED = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.AnnAssign)
_CACHED = type(functools.cache(len))
_COMPUTED = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd}


class Site(NamedTuple):
    """A place in a function of a module's tree, and what could stand there instead."""

    path: Path
    tree: ast.Module
    function: ast.FunctionDef
    parent: ast.AST
    field: str
    position: int | None
    child: ast.AST
    other: ast.AST

    def __str__(self) -> str:
        line = getattr(self.child, "lineno", self.function.lineno)
        before, after = _short(ast.unparse(self.child)), _short(ast.unparse(self.other))
        return f"{self.path.relative_to(PACKAGE).as_posix()}:{line}: {before} -> {after}"

    def put(self, node: ast.AST) -> None:
        """Write a node at this place."""
        if self.position is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.position] = node

    def code(self) -> CodeType | None:
        """Return the code of the changed function; None if it does not compile."""
        first = min([self.function.lineno, *(node.lineno for node in self.function.decorator_list)])
        self.put(self.other)
        try:
            pending = [compile(ast.fix_missing_locations(self.tree), str(self.path), "exec")]
        except (SyntaxError, TypeError, ValueError):
            return None
        finally:
            self.put(self.child)
        while pending:
            code = pending.pop()
            if code.co_name == self.function.name and code.co_firstlineno == first:
                return code
            pending += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
        return None


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) < 90 else f"{line[:88]}…"


def changed(node: ast.AST) -> Iterator[ast.AST]:
    """Yield other forms of a node."""
    match node:
        case ast.Compare(left=left, ops=[op, *ops], comparators=comparators):
            yield ast.Compare(left, [_COMPARED[type(op)](), *ops], comparators)
        case ast.BoolOp(op=op, values=values):
            yield ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
            yield from values
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield operand
        case ast.IfExp(body=body, orelse=orelse):
            yield body
            yield orelse
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _COMPUTED and not isinstance(left, ast.JoinedStr):
            yield ast.BinOp(left, _COMPUTED[type(op)](), right)
        case ast.Constant(value=bool() as value):
            yield ast.Constant(not value)
        case ast.Constant(value=int() as value):
            yield ast.Constant(value + 1)
        case ast.If(test=ast.Name() | ast.Attribute() | ast.Call() | ast.NamedExpr() as test, body=body, orelse=orelse):
            yield ast.If(ast.UnaryOp(ast.Not(), test), body, orelse)
        case ast.Expr(value=ast.Call() | ast.YieldFrom() | ast.Yield()) | ast.Raise() | ast.AugAssign():
            yield ast.Pass()
        case ast.Continue():
            yield ast.Break()
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            yield ast.Return(ast.Constant(None))


def sites_of(path: Path) -> Iterator[Site]:
    """Yield what can be changed in the functions of a module."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for function in _functions(tree):
        pending: list[ast.AST] = [function]
        while pending:
            parent = pending.pop()
            for field, value in ast.iter_fields(parent):
                if field in ("args", "decorator_list", "returns", "annotation") and isinstance(parent, _DEFINITIONS):
                    continue
                children = list(enumerate(value)) if isinstance(value, list) else [(None, value)]
                for position, child in children:
                    if isinstance(child, ast.AST) and not isinstance(child, ast.JoinedStr):
                        pending.append(child)
                        for other in changed(child):
                            yield Site(path, tree, function, parent, field, position, child, other)


def _functions(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef):
            yield from (child for child in node.body if isinstance(child, ast.FunctionDef))


def _without_lines(survivors: str) -> str:
    """Return survivors without the numbers of their lines, which other edits change."""
    return re.sub(r"^(\S+):\d+:", r"\1:", survivors, flags=re.MULTILINE)


def _place(code: CodeType) -> tuple[str, str, int]:
    return code.co_filename, code.co_name, code.co_firstlineno


class Trial:
    """Plug-in of pytest: runs the tests once, and then those of each mutant in a fork."""

    def __init__(self, files: list[Path], options: argparse.Namespace) -> None:
        self.files = {str(path): path for path in files}
        self.options = options
        self.calls: dict[tuple[str, str, int], set[pytest.Item]] = defaultdict(set)
        self.seconds: dict[pytest.Item, float] = {}
        self.failed: list[str] = []
        self.ends: Counter[str] = Counter()
        self.survivors: list[str] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run what was collected in this way."""
        for item in session.items:
            self._run_recorded(item)
        broken = set(self.failed)
        sites = [site for path in self.files.values() for site in sites_of(path)]
        if self.options.again:
            survived = _without_lines(Path(self.options.again).read_text(encoding="utf-8"))
            sites = [site for site in sites if _without_lines(f"{site}  [{site.function.name},") in survived]
        Random(self.options.seed).shuffle(sites)
        gc.unfreeze()  # frozen objects are not listed
        functions: dict[tuple[str, str, int], list[FunctionType]] = defaultdict(list)
        for function in gc.get_objects():
            if isinstance(function, FunctionType) and function.__code__.co_filename in self.files:
                functions[_place(function.__code__)].append(function)
        running: dict[int, tuple[Site, float]] = {}
        judged = 0
        for site in sites:
            if judged == self.options.most:
                break
            code = site.code()
            targets = functions.get(_place(code), []) if code else []
            if code is None or not targets:
                continue
            judged += 1
            tests = [item for item in self.calls[_place(code)] if item.nodeid not in broken]
            if not tests:
                self._end(site, "no test")
                continue
            while len(running) >= self.options.workers:
                self._wait(running)
            if child := os.fork():
                usual = sum(map(self.seconds.__getitem__, tests))
                running[child] = site, time.monotonic() + max(SECONDS, min(3 * usual, LONGEST))
                continue
            os.setsid()
            self._judge(targets, code, sorted(tests, key=self.seconds.__getitem__))
        while running:
            self._wait(running)
        return True

    def _run_recorded(self, item: pytest.Item) -> None:
        found: set[tuple[str, str, int]] = set()

        def record(frame: FrameType, event: str, _: object) -> None:
            if event == "call" and frame.f_code.co_filename in self.files:
                found.add(_place(frame.f_code))

        started = time.monotonic()
        sys.setprofile(record)
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
        sys.setprofile(None)
        self.seconds[item] = time.monotonic() - started
        for place in found:
            self.calls[place].add(item)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember the tests that failed."""
        if report.failed:
            self.failed.append(report.nodeid)

    def _judge(self, targets: list[FunctionType], code: CodeType, tests: list[pytest.Item]) -> None:
        """Run the tests with other code, and end this process with 1 if one of them fails."""
        self.failed.clear()
        try:
            for function in targets:
                function.__code__ = code
            for cached in gc.get_objects():
                if isinstance(cached, _CACHED) and cached.__module__.startswith("tokensync"):
                    cached.cache_clear()
            for item in tests:
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
                if self.failed:
                    break
            else:
                os._exit(0)
        finally:
            os._exit(1)

    def _wait(self, running: dict[int, tuple[Site, float]]) -> None:
        """Wait for the end of one process, or end those that take too long."""
        while True:
            child, status = os.waitpid(-1, os.WNOHANG)
            if child in running:
                site, _ = running.pop(child)
                self._end(site, "killed" if status else "survived")
                return
            late = [child for child, (_, latest) in running.items() if time.monotonic() > latest]
            for child in late:
                os.killpg(child, signal.SIGKILL)
                os.waitpid(child, 0)
                self._end(running.pop(child)[0], "too slow")
            if late:
                return
            time.sleep(0.01)

    def _end(self, site: Site, end: str) -> None:
        self.ends[end] += 1
        if end in ("survived", "no test"):
            self.survivors.append(f"{site}  [{site.function.name}, {end}]")


def main() -> int:
    """Judge mutants of the rooms that were asked for, and print a table and the survivors."""
    parser = argparse.ArgumentParser(description="Mutation testing of tokensync.")
    parser.add_argument("rooms", nargs="*", metavar="ROOM", help=f"{', '.join(ROOMS)}, or a path below tokensync/")
    parser.add_argument(
        "--tests", nargs="+", default=[], metavar="PATH", help="other tests than the room's, with campaigns among them"
    )
    parser.add_argument("--again", metavar="FILE", help="only the survivors that an earlier run printed into this file")
    parser.add_argument("--most", type=int, default=150, help="mutants of a room (default 150)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    sys.path.remove(str(CHECKOUT / "benchmarks"))  # its modules have names of tests' folders
    os.environ |= {"CI": "true"}  # so properties try the same examples each time
    trials = []
    for room in options.rooms or ROOMS:
        places, tests = ROOMS.get(room, ((room,), ()))
        trial = Trial([path for place in places for path in _modules(PACKAGE / place)], options)
        marked = "outside or not outside" if options.tests else "not campaign and not outside"
        arguments = ["-q", "-p", "no:cacheprovider", "-n", "0", "-m", marked]
        with open(os.devnull, "w", encoding="utf-8") as null, contextlib.redirect_stdout(null):
            pytest.main([*arguments, *(options.tests or tests)], plugins=[trial])
        trials.append((room, trial))
        for survivor in sorted(trial.survivors):
            print(survivor, flush=True)
    names = ("killed", "too slow", "survived", "no test")
    print(f"\n| room | mutants | {' | '.join(names)} |\n| --- |{' ---: |' * 5}")
    for room, trial in trials:
        counts = " | ".join(str(trial.ends[name]) for name in names)
        print(f"| {room} | {trial.ends.total()} | {counts} |")
    return 0


def _modules(place: Path) -> list[Path]:
    return [place] if place.suffix == ".py" else sorted(place.rglob("*.py"))


if __name__ == "__main__":
    sys.exit(main())
