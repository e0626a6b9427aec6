"""The screens of examples/android build from its generated files alone, and show the values of its token files."""

import os
import re
import shutil
from contextlib import chdir
from itertools import product

import pytest
from checkers import ROOT, written
from commands.projects import tokensync
from outside.android_classes import app_classes
from outside.test_android_material import DECLARED, argb, in_style, shown

from tokensync.project.configuration import load_project
from tokensync.project.sources import from_project
from tokensync.tokens import Theme, TokenKey

pytestmark = [pytest.mark.outside, pytest.mark.xdist_group("examples_android")]

IMAGES = ROOT / "docs" / "images"
BRAND, SCHEME = ("kite", "brand"), ("kite", "scheme")
SCHEMES = [
    "light",
    "light-medium-contrast",
    "light-high-contrast",
    "dark",
    "dark-medium-contrast",
    "dark-high-contrast",
]
"""In the order in which the program shows them."""
ROLES = {"primary": "primary", "onSurface": "on-surface", "errorContainer": "error-container", "outline": "outline"}
MAIN = """package kite
import android.app.UiModeManager
import androidx.compose.material3.MaterialTheme
import androidx.compose.runtime.CompositionLocalProvider
import androidx.compose.runtime.InternalComposeApi
import androidx.compose.ui.ImageComposeScene
import androidx.compose.ui.LocalSystemTheme
import androidx.compose.ui.SystemTheme
import androidx.compose.ui.graphics.toArgb
import androidx.compose.ui.graphics.toComposeImageBitmap
import androidx.compose.ui.graphics.toPixelMap
import kite.tokens.BrandMode
import kite.tokens.KiteMaterialTheme
import kite.tokens.KiteTheme
@OptIn(InternalComposeApi::class)
fun main() {
    for (brand in BrandMode.entries) for (system in listOf(SystemTheme.Light, SystemTheme.Dark))
        for (contrast in listOf(0f, 0.5f, 1f)) {
            UiModeManager.setting = contrast
            val scene = ImageComposeScene(320, 320) {
                CompositionLocalProvider(LocalSystemTheme provides system) {
                    BrandedStation(brand)
                    KiteMaterialTheme(KiteTheme.system().copy(brand = brand)) {
                        val scheme = MaterialTheme.colorScheme
                        println(listOf(SHOWN).joinToString(" ") { "#" + it.toArgb().toUInt().toString(16) })
                        println(MaterialTheme.typography.titleMedium.fontWeight?.weight)
                    }
                }
            }
            println("#" + scene.render().toComposeImageBitmap().toPixelMap()[2, 2].toArgb().toUInt().toString(16))
            scene.close()
        }
}
""".replace("SHOWN", ", ".join(f"scheme.{role}" for role in ROLES))

PICTURE = """package kite
import androidx.compose.foundation.layout.Box
import androidx.compose.foundation.layout.Column
import androidx.compose.foundation.layout.Row
import androidx.compose.foundation.layout.size
import androidx.compose.ui.ImageComposeScene
import androidx.compose.ui.Modifier
import androidx.compose.ui.unit.Density
import androidx.compose.ui.unit.dp
import java.io.File
import javax.imageio.ImageIO
import kite.tokens.BrandMode
import kite.tokens.KiteMaterialTheme
import kite.tokens.KiteTheme
import kite.tokens.SchemeMode
private val schemes =
    listOf(SchemeMode.Light, SchemeMode.Dark, SchemeMode.LightHighContrast, SchemeMode.DarkHighContrast)
fun main() {
    val scene = ImageComposeScene(4 * WIDTH, 2 * HEIGHT, Density(1f)) {
        Column {
            for (brand in BrandMode.entries) Row {
                for (scheme in schemes) Box(Modifier.size(WIDTH.dp, HEIGHT.dp)) {
                    KiteMaterialTheme(KiteTheme(brand, scheme)) { Station() }
                }
            }
        }
    }
    val picture = File("PICTURE")
    if (IS_TAKEN) picture.writeBytes(scene.render().encodeToData()!!.bytes)
    scene.close()
    val pixels = ImageIO.read(picture)
    for (row in 0..1) for (column in 0..3) {
        println("#" + pixels.getRGB(column * WIDTH + 2, row * HEIGHT + 2).toUInt().toString(16))
    }
}
"""
PICTURED = ("light", "dark", "light-high-contrast", "dark-high-contrast")
SIZE = {"WIDTH": "260", "HEIGHT": "290"}


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    """A copy of the example without what may be built in it, where it is built."""
    folder = tmp_path_factory.mktemp("examples") / "android"
    shutil.copytree(
        ROOT / "examples" / "android", folder, ignore=shutil.ignore_patterns("tokens-res", "tokensync.outputs*")
    )
    with chdir(folder):
        tokensync("build")
    return folder


@pytest.fixture(scope="module")
def value_of(example):
    """A function that returns a colour of the token files by its path in the scheme, for a scheme and a brand."""
    graph = from_project(load_project(str(example)), []).graph

    def value(path, scheme, brand):
        modes = [(key, [mode.slug for mode in graph.collections[key].modes]) for key in (SCHEME, BRAND)]
        chosen = tuple((key, slugs.index(name)) for (key, slugs), name in zip(modes, (scheme, brand), strict=True))
        return argb(graph.resolver(Theme("", chosen))(TokenKey(*SCHEME, path)))

    return value


def sources_of(example):
    folder = example / "app" / "src" / "main" / "kotlin"
    return {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in folder.rglob("*.kt")}


def test_screens_of_compose_show_each_brand_in_each_appearance_of_the_system(example, value_of, kotlinc):
    answer = kotlinc({**sources_of(example), "Main.kt": MAIN}, "kite.MainKt", "-progressive", "-Werror").splitlines()
    looks = list(product(("kite", "ember"), SCHEMES))
    assert len(answer) == 3 * len(looks)
    for (brand, scheme), at in zip(looks, range(0, len(answer), 3), strict=True):
        assert answer[at].split() == [value_of(path, scheme, brand) for path in ROLES.values()], (brand, scheme)
        assert answer[at + 1] == "600"
        assert answer[at + 2] == value_of("surface", scheme, brand), "the background of the picture"


def test_the_picture_in_the_docs_shows_each_brand_in_four_appearances(example, value_of, kotlinc):
    """With TOKENSYNC_PICTURES=1, as `make screenshots` sets it, the picture is taken first."""
    is_taken = os.environ.get("TOKENSYNC_PICTURES") == "1"
    main = PICTURE.replace("IS_TAKEN", str(is_taken).lower()).replace("PICTURE", (IMAGES / "android.png").as_posix())
    for name, length in SIZE.items():
        main = main.replace(name, length)
    answer = kotlinc({**sources_of(example), "Main.kt": main}, "kite.MainKt").split()
    assert answer == [value_of("surface", scheme, brand) for brand, scheme in product(("kite", "ember"), PICTURED)]


def declared_in(folder):
    widgets = '<attr name="cardBackgroundColor" format="color"/><attr name="shapeAppearance" format="reference"/>'
    return written(folder, {"values/material.xml": f"<resources>{DECLARED}{widgets}</resources>"})


SHOWN = {
    "colorOnSurface": "on-surface",
    "colorErrorContainer": "error-container",
    "colorOnErrorContainer": "on-error-container",
    "kite_available": "available",
}
"""The colours of the layout by their attributes, which follow brands and contrasts, as no ``@color/`` does."""


def test_screens_of_xml_link_and_show_each_brand_in_each_appearance(example, value_of, aapt2, tmp_path):
    main = example / "app" / "src" / "main"
    linked = aapt2(declared_in(tmp_path), main / "tokens-res", main / "res")
    layout = (main / "res" / "layout" / "station.xml").read_text(encoding="utf-8")
    assert {*re.findall(r'[cC]olor="([^"]+)"', layout)} == {f"?attr/{name}" for name in SHOWN}
    for brand, night, level in product(("Kite", "Ember"), (False, True), ("", "Medium", "High")):
        device = "night" if night else ""
        theme = in_style(linked, "Theme.Kite", device)
        if level:
            theme |= in_style(linked, f"ThemeOverlay.Scheme.Light{level}Contrast", device)
        if brand != "Kite":
            theme |= in_style(linked, f"ThemeOverlay.Brand.{brand}", device)
        scheme = "-".join(filter(None, ("dark" if night else "light", level.lower(), level and "contrast")))
        for attribute, path in (SHOWN | {"colorPrimary": "primary"}).items():
            assert shown(linked, theme, device, attribute) == value_of(path, scheme, brand.lower()), (brand, scheme)


def test_activities_of_the_readme_and_of_the_page_compile_with_the_resources(example, aapt2, kotlinc, tmp_path):
    main = example / "app" / "src" / "main"
    linked = aapt2(declared_in(tmp_path), main / "tokens-res", main / "res")
    _, classes = re.findall(r"```kotlin\n(.*?)```", (example / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    page = (ROOT / "docs" / "targets" / "android.md").read_text(encoding="utf-8").partition("\n## Material 3\n")[2]
    for lines in re.findall(r"```kotlin\n(.*?)```", page, re.DOTALL):
        classes += f"fun Application.apply{len(classes)}() {{\nval application = this\n{lines}}}\n"
    kotlinc(app_classes(linked, "kite", classes))


def test_lint_finds_nothing_in_the_screens_and_the_generated_resources(example, android_lint):
    main = example / "app" / "src" / "main"
    findings = android_lint(main / "res", main / "tokens-res")
    # Lint sees the resources of a library here, without the code that uses them.
    assert [finding for finding in findings if ": UnusedResources: " not in finding] == []
    assert {finding.partition(":")[0] for finding in findings} == {"layout/station.xml", "values/strings.xml"}
