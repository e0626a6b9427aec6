"""The Flutter app: its output is sound Dart, and its screen is that of the documentation and uses what is there."""

import re
import shutil

import pytest
from examples.test_quickstart import ROOT, tokensync
from optional import tree_parser
from outside.dart_library import Library
from shown_commands import differences

EXAMPLE = ROOT / "examples" / "flutter"
SECTION = (
    (ROOT / "docs" / "targets" / "flutter.md")
    .read_text(encoding="utf-8")
    .partition("\n## From nothing to a themed screen\n")[2]
    .partition("\n## ")[0]
)
REPLACE = r"""```console
$ sed -i.bak '/^\[\[outputs/,$d' tokensync.toml && cat ../output.toml >> tokensync.toml
```"""
SHOWN = {
    "light": ("surface: 0xFFF5F7F9", "primary: 0xFF13748A"),
    "dark": ("surface: 0xFF0C141B", "primary: 0xFF7CC6D3"),
    "islanderLight": ("surface: 0xFFFFFAF7", "primary: 0xFFE0603F"),
    "islanderDark": ("surface: 0xFF0C141B", "primary: 0xFFF2876B"),
}
"""What the screens of the other platforms show by the same commands."""


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


def test_the_commands_of_the_page_lead_to_material_colors_in_light_dark_and_a_brand(tmp_path):
    shutil.copytree(ROOT / "examples" / "quickstart", tmp_path / "examples" / "quickstart")
    ((block, output),) = re.findall(r"(```toml\n(.*?)```\n\n<!-- .*? -->)", SECTION, re.DOTALL)
    (tmp_path / "output.toml").write_text(output, encoding="utf-8")
    actual = differences(SECTION.replace(block, REPLACE), tmp_path)
    assert not actual, "\n\n".join(actual)
    source = (tmp_path / "ferry" / "lib" / "tokens" / "design_tokens.dart").read_bytes()
    filled = re.findall(
        r"^      (\w+): theme\.(\w+),$", source.decode().partition("defaults.copyWith(")[2], re.MULTILINE
    )
    roles = {role: name for role, name in filled if role in ("surface", "primary")}
    for mode, colors in SHOWN.items():
        values = Library(source).values("ThemeTokens", {"theme": mode, "density": "comfortable"})
        assert {f"{role}: 0x{values[name][1]:08X}" for role, name in roles.items()} == {*colors}


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
