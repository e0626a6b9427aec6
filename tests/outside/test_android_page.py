"""The commands of docs/targets/android.md lead to a screen in light, dark and a brand, whose code compiles."""

import re
import shutil
from itertools import product

import pytest
from checkers import ROOT, written
from outside.android_classes import app_classes
from outside.graphs import subject_of
from outside.test_android_material import DECLARED, argb, in_style, shown
from shown_commands import differences

from tokensync.tokens import Theme, TokenKey

pytestmark = pytest.mark.outside

SECTION = (
    (ROOT / "docs" / "targets" / "android.md")
    .read_text(encoding="utf-8")
    .partition("\n## From nothing to a themed screen\n")[2]
    .partition("\n## ")[0]
)
REPLACE = r"""```console
$ sed -i.bak '/^\[\[outputs/,$d' tokensync.toml && cat ../output.toml >> tokensync.toml
```"""
COLORS = {
    "colorPrimary": "accent",
    "colorOnPrimary": "text.on-accent",
    "colorSurface": "background.page",
    "ferry_status_success": "status.success",
}
"""The paths of tokens by the attributes that show them."""


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    """The app after the commands of the section, with its layout and strings."""
    folder = tmp_path_factory.mktemp("page")
    shutil.copytree(ROOT / "examples" / "quickstart", folder / "examples" / "quickstart")
    ((block, output),) = re.findall(r"(```toml\n(.*?)```\n\n<!-- .*? -->)", SECTION, re.DOTALL)
    (folder / "output.toml").write_text(output, encoding="utf-8")
    actual = differences(SECTION.replace(block, REPLACE), folder)
    assert not actual, "\n\n".join(actual)
    main = folder / "ferry" / "app" / "src" / "main"
    for path, text in re.findall(r"```xml\n<!-- (res/\S+) -->\n(.*?)```", SECTION, re.DOTALL):
        written(main, {path: text})
    return main


@pytest.fixture(scope="module")
def linked(app, aapt2, tmp_path_factory):
    material = tmp_path_factory.mktemp("material")
    written(material, {"values/declared.xml": f"<resources>{DECLARED}</resources>"})
    return aapt2(material, app / "tokens-res", app / "res")


def test_the_screen_links_and_shows_light_dark_and_a_brand(linked):
    graph = subject_of("quickstart").graph
    for mode, (overlay, device) in enumerate(product(("", "ThemeOverlay.Theme.ThemeIslander"), ("", "night"))):
        theme = in_style(linked, "Theme.Ferry", device)
        if overlay:
            theme |= in_style(linked, overlay, device)
        resolve = graph.resolver(Theme("", ((("design", "theme"), mode),)))
        for attribute, path in COLORS.items():
            wanted = argb(resolve(TokenKey("design", "theme", path)))
            assert shown(linked, theme, device, attribute) == wanted, (overlay, device, attribute)


def test_lint_finds_nothing_in_the_screen_and_its_resources(app, android_lint):
    findings = android_lint(app / "res", app / "tokens-res")
    assert [finding for finding in findings if ": UnusedResources: " not in finding] == []


def test_the_code_compiles_with_the_resources(linked, kotlinc):
    _, activity = re.findall(r"```kotlin\n(.*?)```", SECTION, re.DOTALL)
    named = re.findall(r"R\.(\w+)\.(\w+)`", SECTION)
    assert len(named) == 3
    uses = "".join(f"val use{at} = R.{type_}.{name}\n" for at, (type_, name) in enumerate(named))
    kotlinc(app_classes(linked, "ferry", activity + uses))
