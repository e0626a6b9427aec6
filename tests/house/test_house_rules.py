"""The house rules, and those of imports, output and texts of errors."""

import ast
import os
import runpy
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

import grimp
import pytest

from tokensync.commands.listening import Listener
from tokensync.emulator.access import Credentials
from tokensync.emulator.apps import Created
from tokensync.emulator.endpoints import Call
from tokensync.emulator.people import User
from tokensync.emulator.store import Identities
from tokensync.emulator.tokens import Token
from tokensync.emulator.webhooks import Webhook
from tokensync.extract.client.endpoints import Request
from tokensync.extract.client.groups import Webhook as ClientWebhook
from tokensync.extract.client.responses import Answer

ROOT = Path(__file__).resolve().parents[2]
RULES = runpy.run_path(str(ROOT / "checks" / "house_rules.py"))


@pytest.mark.parametrize(
    "line",
    [
        "# TO" + "DO: later",
        "path = '/ho" + "me/somebody/file'",
        "cd /tm" + "p/x",
        "index = 'https://py" + "pi.org/simple'",
        "as DES" + "IGN section 4 says",
    ],
)
def test_a_trace_is_found_with_its_line(line):
    (message,) = RULES["traces"](Path("a.py"), f"first\n{line}\n")
    assert message.startswith("a.py:2: contains ")


@pytest.mark.parametrize("line", ["GET /v1/work/x", "a/tmp/b", "todo_list = []", "the design of a button"])
def test_similar_text_is_not_a_trace(line):
    assert list(RULES["traces"](Path("a.py"), line)) == []


@pytest.mark.parametrize(
    ("line", "word", "replacement"),
    [
        ("# a comment is told", "told", "reported"),
        ("def test_a_problem_is_told_once():", "told", "reported"),
        ("Aliases go in a circle.", "circle", "cycle"),
        ("what it has no more", "has no more", "no longer"),
        ("Whoever wrote it", "Whoever", "anyone who"),
        ("verdict = found", "verdict", "outcome"),
    ],
)
def test_a_banned_word_is_found_with_its_line_and_replacement(line, word, replacement):
    (message,) = RULES["banned_words"](Path("a.py"), f"first\n{line}\n")
    assert message == f'a.py:2: "{word}" (say "{replacement}")'


@pytest.mark.parametrize(
    "line", ['"plan-circle": Code()', '{"verdict": 1}', "amended", "it has no more than two", 'id="told"', "encircled"]
)
def test_similar_text_is_not_a_banned_word(line):
    assert list(RULES["banned_words"](Path("a.py"), line)) == []


def test_a_long_function_is_found():
    text = "def short():\n    pass\n\ndef long():\n" + "    pass\n" * 60
    assert [each.split(":")[1] for each in RULES["long_functions"](Path("a.py"), text)] == ["4"]


@pytest.mark.parametrize(
    "name", ["utils.py", "a/common.py", "tests/test_helpers.py", "a/misc/b.py", "a/color_utils.py"]
)
def test_a_name_without_meaning_is_found(name):
    words = RULES["empty_words"](Path(name))
    assert words


@pytest.mark.parametrize("name", ["base_url.py", "tests/test_base_url.py", "common_mark.py", "a/naming.py"])
def test_a_name_with_other_words_is_accepted(name):
    assert not RULES["empty_words"](Path(name))


@pytest.mark.parametrize(
    "line",
    [
        "import subprocess",
        "    from subprocess import run",
        "os.execv(program, arguments)",
        "os.popen('x')",
        "import multiprocessing",
        "os.replace(a, b)",
        "descriptor = os.open(path, flags)",
        "os.makedirs(folder)",
        "with open(path, 'wb') as file:",
        'open(path, "x")',
        "shutil.rmtree(folder)",
        "Path(path).write_text(text)",
        "import tempfile",
    ],
)
def test_a_program_or_a_write_past_the_module_for_it_is_found(line):
    (message,) = RULES["reserved_calls"](Path("tokensync/commands/build2.py"), f"first\n{line}\n")
    assert message.startswith("tokensync/commands/build2.py:2: ")


@pytest.mark.parametrize(
    "line", ["with open(path, 'rb') as file:", "open_file(path)", "os.path.isfile(a)", "store.open(1)"]
)
def test_a_read_is_no_write(line):
    assert list(RULES["reserved_calls"](Path("tokensync/x.py"), line)) == []


@pytest.mark.parametrize(
    "call",
    [
        "Path(path).read_text()",
        "path.write_text(text)",
        "path.write_text(text, newline='')",
        "path.open('a')",
        "open(path)",
        "open(path, 'w+')",
        "os.fdopen(descriptor)",
        "subprocess.run(command, text=True)",
    ],
)
def test_a_text_in_the_encoding_of_the_system_is_found(call):
    (message,) = RULES["unnamed_encodings"](Path("a.py"), f"first\n{call}\n")
    assert message == "a.py:2: opens a text without its encoding; name it"


@pytest.mark.parametrize(
    "call",
    [
        "path.read_text('utf-8')",
        "path.write_text(text, encoding='utf-8')",
        "path.open('ab')",
        "open(path, 'rb')",
        "open(path, 'w', encoding='utf-8')",
        "store.open('library')",
        "subprocess.run(command, encoding='utf-8')",
    ],
)
def test_bytes_and_texts_with_an_encoding_are_accepted(call):
    assert list(RULES["unnamed_encodings"](Path("a.py"), call)) == []


@pytest.mark.parametrize(
    "line",
    [
        '      - run: echo "TAG=$GITHUB_REF_NAME" >> $GITHUB_ENV',
        '          echo "$RUNNER_TEMP/bin" >> "${GITHUB_PATH}"',
        "          Add-Content $env:GITHUB_ENV $name",
        "          cat file >> ${{ github.env }}",
        "          echo '::set-env name=TAG::1'",
    ],
)
def test_a_workflow_that_sets_variables_of_later_steps_is_found(line):
    (message,) = RULES["changes_of_later_steps"](Path("release.yml"), f"steps:\n{line}\n")
    assert message.startswith("release.yml:2: writes variables of later steps")


@pytest.mark.parametrize(
    "line", ['echo "changed=true" >> "$GITHUB_OUTPUT"', "environment: release # not $GITHUB_ENV", "${{ env.PATH }}"]
)
def test_a_workflow_may_use_variables_of_its_own_step(line):
    assert list(RULES["changes_of_later_steps"](Path("release.yml"), line)) == []


def test_the_rule_about_later_steps_covers_a_release(monkeypatch, tmp_path):
    (tmp_path / "release.yml").write_text('run: echo "TAG=$GITHUB_REF_NAME" >> "$GITHUB_ENV"\n', encoding="utf-8")
    monkeypatch.setitem(RULES["broken_rules"].__globals__, "ROOT", tmp_path)
    assert len(list(RULES["broken_rules"](Path("release.yml")))) == 1


PACKAGE = ROOT / "tokensync"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EMULATOR_MAY_IMPORT = {"emulator", "system", "version"}


def imports(path):
    """Every module that a file names in an import, wherever it stands, with its first two parts."""
    package = ("tokensync", *path.relative_to(PACKAGE).parts[:-1])
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (tuple(alias.name.split(".")[:2]) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            before = package[: len(package) - node.level + 1] if node.level else ()
            module = (*before, *(node.module or "").split("."))
            if module == ("tokensync",):
                yield from (("tokensync", alias.name) for alias in node.names)
            else:
                yield module[:2]


def lint(folder):
    """Return the output of import-linter for the contract of a pyproject.toml beside a tokensync package."""
    program = Path(sys.executable).with_name("lint-imports")
    return subprocess.run(
        [shutil.which(program) or program, "--no-cache", "--no-logo"],
        check=False,
        capture_output=True,
        encoding="utf-8",
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "PYTHONIOENCODING": "utf-8", "NO_COLOR": "1"},
    )


def test_the_contract_is_kept():
    done = lint(ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("tokens/__init__.py", "tokensync.commands"),  # upwards
        ("dtcg/__init__.py", "tokensync.generate.target"),  # a sibling
        ("emulator/__init__.py", "tokensync.extract.client"),
        ("emulator/__init__.py", "tokensync.extract.wire"),
        ("generate/__init__.py", "tokensync.extract.wire"),
    ],
)
def test_a_breach_is_noticed(tmp_path, importer, imported):
    shutil.copyfile(ROOT / "pyproject.toml", tmp_path / "pyproject.toml")
    for path in PACKAGE.rglob("*.py"):
        copy = tmp_path / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(f"import {imported}\n" if path == PACKAGE / importer else "", encoding="utf-8")
    done = lint(tmp_path)
    assert "1 broken" in done.stdout or "2 broken" in done.stdout, done.stdout + done.stderr


def test_no_two_files_import_each_other():
    """Imports for the type checker and those within functions count."""
    graph = grimp.build_graph("tokensync", exclude_type_checking_imports=False, cache_dir=None)
    order = TopologicalSorter({each: graph.find_modules_directly_imported_by(each) for each in graph.modules})
    order.prepare()  # raises CycleError


def test_the_emulator_does_not_import_the_reader_of_platform_responses():
    rooms = {
        (path.name, module[1])
        for path in (PACKAGE / "emulator").rglob("*.py")
        if path.parent.name != "cli"  # its commands
        for module in imports(path)
        if module[0] == "tokensync" and module[1:] != ("__version__",)
    }
    assert {edge for edge in rooms if edge[1] not in EMULATOR_MAY_IMPORT} == set()


IMPORTED_AS = {"pyyaml": "yaml"}


def test_the_dependencies_are_the_imported_packages():
    imported = {module[0] for path in PACKAGE.rglob("*.py") for module in imports(path)}
    project = PROJECT["project"]
    extras = [line for lines in project["optional-dependencies"].values() for line in lines]
    names = {line.split(">=")[0].split("[")[0] for line in (*project["dependencies"], *extras)}
    declared = {IMPORTED_AS.get(each, each) for each in names}
    assert imported - set(sys.stdlib_module_names) - {"tokensync"} == declared


SOURCES = Path(__file__).resolve().parents[2] / "tokensync"
OUTLET = SOURCES / "system" / "outlet" / "streams.py"
WITH_REASON = {
    "generate/naming/sandbox.py": {"sys.stdout"},  # in a child, whose stdout is a pipe to the parent
    "system/stat_manifest.py": {"sys.stdout", "sys.stderr"},  # one line of ASCII in which nothing has to be escaped
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
        path.relative_to(SOURCES).as_posix(): set(writers(path.read_text(encoding="utf-8")))
        for path in SOURCES.rglob("*.py")
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
    assert {"sys.stdout", "sys.stderr", "click.echo", "click.prompt"} <= actual


SECRET = "tide-and-time"
TOKEN = Token(SECRET, "personal", ("file_variables:read",), 0.0, "1", "token", None)
CALL: dict[str, Any] = {
    "connection": None,
    "now": 0.0,
    "identities": Identities("seed", "entropy"),
    "body": SECRET.encode(),
    "query": {"state": SECRET},
    "headers": {"X-Figma-Token": SECRET},
    "root": "http://127.0.0.1",
    "token": TOKEN,
    "user": User("1", "owner", "owner@example.com", "full", True, "owner"),
}
CARRIERS = (
    Request("POST", f"v1/oauth/token?code={SECRET}", "", SECRET.encode(), basic=SECRET),
    Answer(200, {"Set-Cookie": SECRET}, SECRET.encode()),
    ClientWebhook("1", passcode=SECRET),
    Listener(("true",), {"PASSWORD": SECRET}, SECRET),
    TOKEN,
    Created("client", SECRET),
    Credentials(SECRET, f"Bearer {SECRET}"),
    Call(**CALL),
    Webhook(1, "FILE_UPDATE", "file", "key", "1", "team-1", "ACTIVE", None, SECRET, "https://example.com", None),
)


@pytest.mark.parametrize("carrier", CARRIERS, ids=lambda each: f"{type(each).__module__}.{type(each).__name__}")
def test_objects_with_a_secret_do_not_show_it(carrier):
    assert SECRET not in f"{carrier!r} {carrier} {[carrier]}"
    assert type(carrier).__name__ in repr(carrier)
