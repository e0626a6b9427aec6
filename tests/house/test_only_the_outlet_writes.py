"""No module but tokensync/outlet/streams.py writes to stdout or stderr, so that none can pass by its escapes."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "tokensync"
OUTLET = PACKAGE / "outlet" / "streams.py"
WITH_REASON = {
    "naming/sandbox.py": {"sys.stdout"},  # in a child, whose stdout is a pipe to the parent
    "stat_manifest.py": {"sys.stdout", "sys.stderr"},  # one line of ASCII in which nothing has to be escaped
}

STREAMS = {f"sys.{prefix}{name}{prefix}" for name in ("stdout", "stderr") for prefix in ("", "__")}
CLICKS = {
    f"click.{name}"
    for name in (
        *("echo", "secho", "echo_via_pager", "clear", "pause", "prompt", "confirm", "progressbar", "edit"),
        *("get_text_stream", "get_binary_stream"),
    )
}
OTHERS = {
    *("builtins.print", "builtins.breakpoint", "os.system", "os.popen", "sys.excepthook", "sys.displayhook"),
    *("logging.basicConfig", "logging.StreamHandler", "logging.lastResort", "warnings.warn", "traceback.print_exc"),
    *("traceback.print_exception", "traceback.print_stack", "faulthandler.enable"),
}
MODULES = {"colorama", "curses", "getpass", "pdb", "pprint", "rich", "tqdm"}
FILES = {"/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/fd/1", "/dev/fd/2", "CONOUT$"}
PROGRAMS = {f"subprocess.{name}" for name in ("run", "Popen", "call", "check_call", "check_output", "getoutput")}


def writers(text: str) -> Iterator[str]:
    """Yield the code in a module that could write to one of the two streams."""
    tree = ast.parse(text)
    names = dict(_imported(tree))
    yield from (each for each in names.values() if each.split(".")[0] in MODULES)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute):
            if (called := _called(node, names)) in STREAMS | CLICKS | OTHERS:
                yield called
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in FILES:
            yield node.value
        elif isinstance(node, ast.Call):
            yield from _calls(node, names)


def _calls(node: ast.Call, names: dict[str, str]) -> Iterator[str]:
    called = _called(node.func, names)
    keywords = {each.arg for each in node.keywords}
    is_caught = "capture_output" in keywords or keywords >= {"stdout", "stderr"}
    first = node.args[0] if node.args else None
    is_stream = isinstance(first, ast.Constant) and first.value in (1, 2)
    if (
        (called in PROGRAMS and not is_caught)
        or (called in ("os.write", "os.fdopen", "builtins.open") and is_stream)
        or called == "builtins.input"
    ):
        yield called


def _imported(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((each.asname or each.name.split(".")[0], each.name) for each in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield from ((each.asname or each.name, f"{node.module}.{each.name}") for each in node.names)


def _called(node: ast.expr, names: dict[str, str]) -> str:
    """The full name of an expression such as ``click.echo``, by what was imported; empty for others."""
    match node:
        case ast.Name(id=name):
            return names.get(name, f"builtins.{name}")
        case ast.Attribute(value=value, attr=attribute):
            before = _called(value, names)
            return f"{before}.{attribute}" if before else ""
    return ""


def test_the_modules_leave_writing_to_the_outlet():
    actual = {
        path.relative_to(PACKAGE).as_posix(): set(writers(path.read_text(encoding="utf-8")))
        for path in PACKAGE.rglob("*.py")
        if path != OUTLET
    }
    assert len(actual) > 100
    assert {name: those for name, those in actual.items() if those} == WITH_REASON


@pytest.mark.parametrize(
    "text",
    [
        "print(1)",
        "say = print",
        "name = input('which? ')",
        "import sys\nsys.stdout.write('x')",
        "import sys as s\ns.__stderr__.write('x')",
        "from sys import stderr\nstderr.write('x')",
        "import sys\nenviron = {'wsgi.errors': sys.stderr}",
        "import click\nclick.echo('x')",
        "from click import secho as say\nsay('x')",
        "from rich.console import Console\nConsole().print('x')",
        "import getpass\ngetpass.getpass()",
        "import logging\nlogging.basicConfig()",
        "import traceback\ntraceback.print_exc()",
        "import os\nos.write(1, b'x')",
        "open(2, 'w')",
        "open('/dev/stderr', 'w')",
        "import subprocess\nsubprocess.run(['git'])",
        "from subprocess import Popen\nPopen(['git'], stdout=-1)",
    ],
)
def test_each_way_of_writing_is_noticed(text):
    assert list(writers(text))


def test_the_outlet_itself_is_noticed():
    actual = set(writers(OUTLET.read_text(encoding="utf-8")))
    assert {"sys.stdout", "sys.stderr", "click.echo", "click.prompt", "rich.console.Console"} <= actual
