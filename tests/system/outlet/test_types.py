"""The type checker refuses a text that is not escaped, and one that is escaped for another outlet."""

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
pytestmark = pytest.mark.campaign  # mypy reads the whole package

HEAD = """
from tokensync.system import outlet
from tokensync.system.outlet import streams
from tokensync.system.outlet.documents import in_json, page
from tokensync.system.outlet.markdown import Block, code, document, plain, row, text
from tokensync.system.outlet.documents import message
from tokensync.system.outlet.terminal import line, shown
name: str = input()
"""
ACCEPTED = (
    "outlet.write(line(name), shown(name), err=True)",
    "outlet.write_document(document([Block((text('## {}', code(name)),), (row(code(name), plain(name)),))]))",
    "outlet.write_document(page(name.encode()))",
    "streams._write_piece(in_json(name), is_last=True)",
    "outlet.write_document(message(name, [[('+ ', name)]]))",
)
REFUSED = (
    "outlet.write(name)",
    "outlet.write('ours')",
    "outlet.write(f'{line(name)}!')",
    "outlet.write(line(name) + name)",
    "outlet.write(code(name))",
    "outlet.write(in_json(name))",
    "outlet.write(page(b''))",
    "outlet.write_document(name)",
    "streams._write_piece(name, is_last=True)",
    "streams._write_piece(line(name), is_last=True)",
    "outlet.write_document(line(name))",
    "outlet.write_document(in_json(name))",
    "text('## {}', name)",
    "text('## {}', line(name))",
    "row(plain(name), name)",
    "row(shown(name))",
    "Block((name,))",
    "document([Block(rows=(f'| {plain(name)} |',))])",
    "message(name, [[(name, name)]])",
)


def test_mypy_accepts_escaped_texts_and_refuses_every_other(tmp_path):
    lines = [*HEAD.splitlines(), *ACCEPTED, *REFUSED]
    path = tmp_path / "snippets.py"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", "--no-error-summary", str(path)]
    lenient = {**os.environ, "PYTHONWARNINGS": ""}  # mypy opens files without an encoding
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, encoding="utf-8", env=lenient)
    errors = [each for each in done.stdout.splitlines() if ": error: " in each]
    refused = {lines[int(each.split("snippets.py:")[1].split(":")[0]) - 1] for each in errors}
    assert refused == set(REFUSED), done.stdout
    assert all("[arg-type]" in each or "[list-item]" in each for each in errors), done.stdout


TYPES = {
    "Line": "terminal",
    "Markdown": "markdown",
    "Message": "message",
    "Html": "documents",
    "Json": "documents",
    "Script": "documents",
}
OF_OURS = {"text": 1, "header": 99}
"""Functions whose first arguments are texts of ours, and how many."""


def calls(path: Path) -> Iterator[ast.Call]:
    """Yield the calls of bare names in a module."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node


def broken_rules(path: Path) -> Iterator[str]:
    """Yield the calls of a module that make an outlet's text elsewhere, or take a template that is not a literal."""
    source = path.read_text(encoding="utf-8")
    for call in calls(path):
        name = call.func.id
        if name in TYPES and f"tokensync.system.outlet.{TYPES[name]} import" in source:
            yield f"{path}:{call.lineno}: {name}"
        if name in OF_OURS and "tokensync.system.outlet.markdown import" in source:
            for each in call.args[: OF_OURS[name]]:
                choices = (each.body, each.orelse) if isinstance(each, ast.IfExp) else (each,)
                if not all(isinstance(choice, ast.Constant) for choice in choices):
                    yield f"{path}:{call.lineno}: {name} of another text"


def test_only_an_outlet_makes_its_texts_and_templates_are_literals():
    assert [each for path in (ROOT / "tokensync").rglob("*.py") for each in broken_rules(path)] == []


def test_that_is_noticed(tmp_path):
    path = tmp_path / "module.py"
    for source in (
        "from tokensync.system.outlet.markdown import Markdown\nMarkdown(name)\n",
        "from tokensync.system.outlet.markdown import text\ntext(name)\n",
        "from tokensync.system.outlet.markdown import text\ntext(f'## {name}')\n",
        "from tokensync.system.outlet.markdown import header\nheader('', name)\n",
    ):
        path.write_text(source, encoding="utf-8")
        assert list(broken_rules(path))
