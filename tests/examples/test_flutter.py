"""The Flutter app: its output is sound Dart, and its screen is that of the documentation and uses what is there."""

import re
import shutil

import pytest
from examples.test_quickstart import ROOT, tokensync
from optional import tree_parser
from outside.dart_library import Library

EXAMPLE = ROOT / "examples" / "flutter"


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    folder = tmp_path_factory.mktemp("app") / "flutter"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("tokens.outputs.json"))
    tokensync(folder, "build")
    return folder


def test_the_screen_is_that_of_the_documentation():
    page = (ROOT / "docs" / "targets" / "flutter.md").read_text(encoding="utf-8")
    screen = (EXAMPLE / "lib" / "main.dart").read_text(encoding="utf-8")
    assert f"```dart\n{screen}```" in page
    assert not tree_parser("tree_sitter_dart").parse(screen.encode()).root_node.has_error


def test_each_token_of_the_screen_is_declared(app):
    library = Library((app / "lib" / "tokens" / "design_tokens.dart").read_bytes())
    screen = (app / "lib" / "main.dart").read_text(encoding="utf-8")
    used = re.findall(r"\b(theme|density)\.(\w+)", screen)
    assert len(used) == 3
    for collection, name in used:
        assert name in library.classes[f"{collection.capitalize()}Tokens"].fields
    assert {"toThemeData", "forBrightness"} <= library.classes["DesignTokens"].methods.keys()


def test_variables_of_materials_roles_are_used(app):
    """Dart warns of others."""
    text = (app / "lib" / "tokens" / "design_tokens.dart").read_text(encoding="utf-8")
    for body in re.findall(r"\{\n((?:    .*\n)*?)  \}\n", text):
        for variable in re.findall(r"^    final (\w+) = ", body, re.MULTILINE):
            assert f": {variable}." in body
