"""Outside checkers as fixtures: programs that are not ours read what we generate.

A missing one skips the test and says so in pytest's summary; with TOKENSYNC_REQUIRE_CHECKERS=1 (`make verify`) it
fails. Every test that asks for one carries the marker ``outside``. What each returns:

lightningcss(css: str) -> list[dict]
    Each style rule in order, those inside at-rules too:
    {"selectors": [[component, ...], ...], "declarations": [[name, typed value], ...]}.
    Only custom properties are listed, duplicates too; the value is Lightning CSS's token list.
terrazzo(*, resolver: Path | None = None, tokens: Path | None = None) -> dict
    One of the two: a resolver document, or one token file. {"tokens": {id: {"type", "value"}}, "permutations": int}:
    the tokens with all modifiers at their default, and how many combinations of contexts were read.
aapt2(resources: Path) -> dict
    Compiles and links a folder that holds values/, values-night/...: {"color/name": {"": "#ff112233", "night": "..."}}.
swift(source: bytes | str), kotlin(source: bytes | str)
    The tree-sitter tree, which is whole: an ERROR or MISSING node fails.

Each raises Refused, with the checker's own words, for what it does not accept.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
INSTALLED = ROOT / ".checkers"
FRAMEWORK = Path(os.environ.get("TOKENSYNC_ANDROID_FRAMEWORK", "/usr/share/android-framework-res/framework-res.apk"))
REQUIRED = os.environ.get("TOKENSYNC_REQUIRE_CHECKERS") == "1"


class Refused(AssertionError):
    """A checker does not accept what it was given."""


def missing(checker, how):
    """Skip, or fail where checkers are required; the text names the checker either way."""
    words = f"{checker} is not installed: {how}"
    if REQUIRED:
        pytest.fail(words, pytrace=False)
    pytest.skip(words)


def run(command, *, given="", cwd=None, refused=True):
    done = subprocess.run(
        command, check=False, input=given, capture_output=True, text=True, encoding="utf-8", cwd=cwd, timeout=300
    )
    if refused and done.returncode:
        raise Refused(f"{Path(command[0]).name}: {(done.stderr or done.stdout).strip()[:4000]}")
    return done.stdout


def node(package, script):
    """A callable that gives JSON to a script in checks/ and returns its JSON; the script may import ``package``."""
    program = shutil.which("node")
    if program is None:
        missing(package, "Node is not on the path")
    if not (INSTALLED / "node_modules" / package).is_dir():
        missing(package, "`make verify` installs it")
    source = (ROOT / "checks" / script).read_text(encoding="utf-8")

    def ask(given):
        # A script given as text resolves its imports from the working folder, where the packages are.
        return json.loads(
            run([program, "--input-type=module", "--eval", source], given=json.dumps(given), cwd=INSTALLED)
        )

    return ask


@pytest.fixture(scope="session")
def lightningcss():
    return node("lightningcss", "read_css.mjs")


@pytest.fixture(scope="session")
def terrazzo():
    ask = node("@terrazzo/parser", "read_tokens.mjs")

    def read(*, resolver=None, tokens=None):
        assert (resolver is None) != (tokens is None), "one of resolver and tokens"
        return ask(Path(resolver or tokens).resolve().as_uri())

    return read


@pytest.fixture(scope="session")
def aapt2(tmp_path_factory):
    program = shutil.which("aapt2")
    if program is None or not FRAMEWORK.is_file():
        missing("aapt2", "on Debian the packages aapt and android-framework-res; else see CONTRIBUTING.md")

    def read(resources):
        folder = tmp_path_factory.mktemp("aapt2")
        manifest = folder / "AndroidManifest.xml"
        manifest.write_text('<manifest xmlns:android="http://schemas.android.com/apk/res/android" package="a.b"/>')
        compiled, linked = str(folder / "compiled.zip"), str(folder / "linked.apk")
        run([program, "compile", "--dir", str(resources), "-o", compiled])
        run([program, "link", "-I", str(FRAMEWORK), "--manifest", str(manifest), "-o", linked, compiled])
        return dumped(run([program, "dump", "resources", linked]))

    return read


def dumped(text):
    """What ``aapt2 dump resources`` prints, as {"type/name": {qualifier: value}}."""
    found = {}
    values, qualifier = {}, None
    for line in text.splitlines():
        if resource := re.fullmatch(r"    resource 0x[0-9a-f]{8} (\S+)(?: PUBLIC)?", line):
            values, qualifier = found.setdefault(resource[1], {}), None
        elif value := re.fullmatch(r"      \(([^)]*)\) (.*)", line):
            qualifier = re.sub(r"-v\d+$", "", value[1])
            values[qualifier] = value[2]
        elif qualifier is not None and not line.startswith("  type "):
            values[qualifier] += "\n" + line
    return found


def tree_reader(language_package):
    try:
        tree_sitter = __import__("tree_sitter")
        grammar = __import__(language_package)
    except ImportError:
        missing(
            language_package.replace("_", "-"), "it is part of requirements/development.txt: `make test` installs it"
        )
    parser = tree_sitter.Parser(tree_sitter.Language(grammar.language()))

    def read(source):
        encoded = source.encode() if isinstance(source, str) else source
        tree = parser.parse(encoded)
        if tree.root_node.has_error:
            broken = first_broken(tree.root_node)
            row, column = broken.start_point
            line = encoded.splitlines()[row : row + 1]
            raise Refused(
                f"{language_package}: {row + 1}:{column + 1}: {broken.type}: {b''.join(line).decode(errors='replace')}"
            )
        return tree

    return read


def first_broken(node):
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if each.is_error or each.is_missing:
            return each
        waiting.extend(child for child in reversed(each.children) if child.has_error or child.is_missing)
    return node


@pytest.fixture(scope="session")
def swift():
    return tree_reader("tree_sitter_swift")


@pytest.fixture(scope="session")
def kotlin():
    return tree_reader("tree_sitter_kotlin")
