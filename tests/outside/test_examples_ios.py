"""The package and app of examples/ios compile from generated files alone, and have the values of its token files."""

import json
import shutil
from contextlib import chdir
from itertools import product

import pytest
from checkers import ROOT
from commands.projects import tokensync
from outside.expected import same
from outside.swift_values import Catalog, Look, colorsets, in_srgb

from tokensync.project.configuration import load_project
from tokensync.project.sources import from_project
from tokensync.tokens import Theme, TokenKey

pytestmark = [pytest.mark.outside, pytest.mark.xdist_group("examples_ios")]

BRAND, SCHEME = ("lantern", "brand"), ("lantern", "scheme")
SCHEMES = {
    Look(): "light",
    Look(contrast=True): "light-high-contrast",
    Look(dark=True): "dark",
    Look(dark=True, contrast=True): "dark-high-contrast",
}
ROLES = {"surface": "surface", "accent": "accent", "onAccent": "on-accent", "accentSubtle": "accent-subtle"}
MAIN = """import SwiftUI
import UIKit

for brand in [BrandLanternTokens(), BrandMatineeTokens()] as [any BrandTokens] {
    for (dark, contrast) in LOOKS {
        var environment = EnvironmentValues()
        environment.colorScheme = dark ? .dark : .light
        environment._colorSchemeContrast = contrast ? .increased : .standard
        environment.tokensTheme.brand = brand
        let theme = environment.tokensTheme
        let traits = UITraitCollection(dark ? .dark : .light, contrast ? .high : .normal)
        for color in [ROLES] {
            print(UIColor(color).resolvedColor(with: traits))
        }
        print("\\"\\(theme.title.families[0]) \\(theme.title.font(size: 20).shown)\\"")
    }
}
""".replace("LOOKS", str([(look.dark, look.contrast) for look in SCHEMES]).lower()).replace(
    "ROLES", ", ".join(f"theme.{role}" for role in ROLES)
)


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    """A copy of the example without what may be built in it, where it is built."""
    folder = tmp_path_factory.mktemp("examples") / "ios"
    shutil.copytree(ROOT / "examples" / "ios", folder, ignore=shutil.ignore_patterns("Sources", ".build", "*.outputs*"))
    with chdir(folder):
        tokensync("build")
    return folder


def sources_of(folder):
    return {path.name: path.read_text("utf-8") for path in folder.glob("*.swift")}


def generated_in(example):
    return example / "LanternTokens" / "Sources" / "LanternTokens"


@pytest.fixture(scope="module")
def package(example, swift_module):
    """The folder with the compiled module of the package, which is in the language mode of its manifest."""
    return swift_module("LanternTokens", sources_of(generated_in(example)), "-swift-version", "5")


@pytest.mark.parametrize("isolation", [(), ("-default-isolation", "MainActor")], ids=["nonisolated", "MainActor"])
@pytest.mark.parametrize("version", ["5", "6"])
def test_an_app_in_any_language_mode_compiles_against_the_package(example, package, swiftc, version, isolation):
    swiftc(sources_of(example / "Lantern"), "-parse-as-library", "-swift-version", version, *isolation, "-I", package)


def test_the_package_builds(example, swift_build):
    swift_build(example / "LanternTokens")


def test_the_theme_has_the_colours_and_the_typeface_of_each_brand_in_each_appearance(example, swift_app):
    graph = from_project(load_project(str(example)), []).graph
    folder = generated_in(example)
    files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*.json")}
    catalog = Catalog(colorsets(files))
    lines = swift_app({**sources_of(folder), "main.swift": MAIN}, "-swift-version", "6").splitlines()
    printed = iter(map(json.loads, lines))
    for brand, (look, scheme) in product(("lantern", "matinee"), SCHEMES.items()):
        modes = [(key, [mode.slug for mode in graph.collections[key].modes]) for key in (BRAND, SCHEME)]
        chosen = tuple((key, slugs.index(name)) for (key, slugs), name in zip(modes, (brand, scheme), strict=True))
        resolve = graph.resolver(Theme("", chosen))
        for path in ROLES.values():
            *components, alpha = next(printed)
            actual = catalog.color(components[0], look) if len(components) == 1 else in_srgb("srgb", *components, alpha)
            color = resolve(TokenKey(*SCHEME, path))
            assert same(("color", color.red, color.green, color.blue, color.alpha), actual), (brand, scheme, path)
        design = "serif" if brand == "matinee" else "rounded"
        assert next(printed) == f"ui-{design} system 20.0 400 {design} 700"
    assert next(printed, None) is None
