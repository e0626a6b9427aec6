"""aapt2 links a Material 3 theme against Material's attributes; each role shows its token on devices and in brands.

Material's own artifact is in no registry that the checks use, so its attributes are declared here, from its public
names (material-components-android, theming/Color.md, Typography.md and Shape.md).
"""

import re

import pytest
from generate.targets.cases import CASES
from graphs import collection, color, graph, token

from tokensync.generate.material import ROLES
from tokensync.generate.target import OutputRequest
from tokensync.generate.targets import generate
from tokensync.project.configuration import typed_options
from tokensync.tokens import Theme, channel

pytestmark = pytest.mark.outside

ACCENTS = ("Primary", "Secondary", "Tertiary")
FORMS = ("{}", "On{}", "{}Container", "On{}Container")
FIXED = ("{}Fixed", "{}FixedDim", "On{}Fixed", "On{}FixedVariant")
SURFACES = """
OnBackground Surface OnSurface SurfaceVariant OnSurfaceVariant SurfaceInverse OnSurfaceInverse PrimaryInverse
SurfaceBright SurfaceDim SurfaceContainerLowest SurfaceContainerLow SurfaceContainer SurfaceContainerHigh
SurfaceContainerHighest Outline OutlineVariant
""".split()
STYLES = ("Display", "Headline", "Title", "Body", "Label")
CORNERS = ("ExtraSmall", "Small", "Medium", "Large", "ExtraLarge")
COLORS = [f"color{form.format(name)}" for name in (*ACCENTS, "Error") for form in FORMS]
COLORS += [f"color{form.format(name)}" for name in ACCENTS for form in FIXED] + [f"color{name}" for name in SURFACES]
REFERENCES = [f"textAppearance{style}{size}" for style in STYLES for size in ("Large", "Medium", "Small")]
REFERENCES += [f"shapeAppearanceCorner{corner}" for corner in CORNERS]
DECLARED = "".join(
    [
        *(f'<attr name="{name}" format="color"/>' for name in COLORS),
        *(f'<attr name="{name}" format="reference"/>' for name in REFERENCES),
        '<attr name="cornerSize" format="dimension|fraction"/>',
        '<attr name="cornerFamily" format="enum"><enum name="rounded" value="0"/><enum name="cut" value="1"/></attr>',
        '<style name="Theme.Material3.DayNight.NoActionBar" parent="android:Theme.Material.Light.NoActionBar"/>',
    ]
)

COLOR_BACKGROUND = "0x01010031"
"""android.R.attr.colorBackground."""
SCHEME = ("design", "scheme")
OVERLAYS = {
    "Islander": (6, 7),
    "LightHighContrast": (4, 5),
    "LightMediumContrast": (2, 3),
    "IslanderLightHighContrast": (10, 11),
    "IslanderLightMediumContrast": (8, 9),
}
"""The modes of each overlay by day and at night."""


def linked_of(aapt2, tmp_path, token_graph, request):
    for path, content in generate(token_graph, request)[0]:
        target = tmp_path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    (tmp_path / "values" / "declared.xml").write_text(f"<resources>{DECLARED}</resources>", encoding="utf-8")
    return aapt2(tmp_path)


def items_of(text):
    """The items of a style as aapt2 prints it: ``colorPrimary(0x7f010000)=#ff000000``, of Android's the number only."""
    items = re.finditer(r"^\s*(?:(?P<name>\w+)\()?(?P<id>0x[0-9a-f]+)\)?=(?P<value>\S+)", text, re.MULTILINE)
    return {item["name"] or item["id"]: item["value"] for item in items}


def in_style(linked, name, device):
    """The items of a style on a device, with those of its parents in this package."""
    values = linked[f"style/{name}"]
    text = values.get(device, values[""])
    parent = re.search(r"parent=style/([\w.]+)", text)
    inherited = in_style(linked, parent[1], device) if parent and f"style/{parent[1]}" in linked else {}
    return inherited | items_of(text)


def shown(linked, theme, device, name):
    """What an attribute comes to in the items of a theme."""
    value = theme[name]
    for _ in range(10):
        if value.startswith("?"):
            value = theme[value.rpartition("/")[2]]
        elif value.startswith("@color/"):
            values = linked[value.removeprefix("@")]
            value = values.get(device, values[""])
        else:
            return value
    raise AssertionError(f"{name} is in a cycle")


def argb(value):
    return f"#{bytes(map(channel, (value.alpha, value.red, value.green, value.blue))).hex()}"


def test_every_role_has_an_attribute_of_material(aapt2, tmp_path):
    of = collection("Sys")
    colors = [role.name for role in ROLES.values() if role.kind == "color"]
    tokens = graph(of, *(token(of, f"md/sys/color/{name}", color("#ffffff")) for name in colors))
    options = typed_options("android", {"material": {"names": True}})
    linked = linked_of(aapt2, tmp_path, tokens, OutputRequest(platform="android", options=options))
    items = in_style(linked, "Theme.DesignTokens", "")
    assert items.keys() == {*COLORS, COLOR_BACKGROUND}


@pytest.mark.parametrize("name", ["android/material", "android/material-brands"])
def test_each_role_shows_its_token_by_day_and_at_night(aapt2, tmp_path, name):
    token_graph, request = CASES[name]
    linked = linked_of(aapt2, tmp_path, token_graph, request)
    theme_name = request.options.material.theme
    roles = {"colorPrimary": "accent.base", "colorOnPrimary": "accent.on", "colorSurface": "md.sys.color.surface"}
    keys = {key.path: key for key in token_graph.tokens}
    for mode, device in enumerate(("", "night")):
        theme = in_style(linked, theme_name, device)
        resolve = token_graph.resolver(Theme("", ((SCHEME, mode),)))
        for attribute, path in roles.items():
            assert shown(linked, theme, device, attribute) == argb(resolve(keys[path])), (attribute, device)
        assert theme["textAppearanceBodyLarge"] == "@style/TextAppearance.TypescaleBodyLarge"
        corner = in_style(linked, theme["shapeAppearanceCornerSmall"].removeprefix("@style/"), device)
        assert corner["cornerSize"] == "@dimen/corner_small"


def test_a_role_follows_the_overlays_of_brands_and_of_contrast(aapt2, tmp_path):
    token_graph, request = CASES["android/material-brands"]
    linked = linked_of(aapt2, tmp_path, token_graph, request)
    key = next(key for key in token_graph.tokens if key.path == "accent.base")
    for overlay, modes in OVERLAYS.items():
        for mode, device in zip(modes, ("", "night"), strict=True):
            theme = in_style(linked, "Theme.Harbor", device)
            theme |= in_style(linked, f"ThemeOverlay.Harbor.Scheme.{overlay}", device)
            wanted = token_graph.resolver(Theme("", ((SCHEME, mode),)))(key)
            assert shown(linked, theme, device, "colorPrimary") == argb(wanted), (overlay, device)
    assert {name for name in linked if name.startswith("style/ThemeOverlay.Harbor.Scheme.")} == {
        f"style/ThemeOverlay.Harbor.Scheme.{overlay}" for overlay in OVERLAYS
    }


def test_a_role_follows_the_overlays_of_contrast_without_brands(aapt2, tmp_path):
    token_graph, request = CASES["android/material"]
    linked = linked_of(aapt2, tmp_path, token_graph, request)
    roles = {"colorPrimary": "accent.base", "colorOnPrimary": "accent.on", "colorSurface": "md.sys.color.surface"}
    keys = {key.path: key for key in token_graph.tokens}
    for level, modes in {"High": (4, 5), "Medium": (2, 3)}.items():
        for mode, device in zip(modes, ("", "night"), strict=True):
            theme = in_style(linked, "Theme.DesignTokens", device)
            theme |= in_style(linked, f"ThemeOverlay.DesignTokens.{level}Contrast", device)
            resolve = token_graph.resolver(Theme("", ((SCHEME, mode),)))
            for attribute, path in roles.items():
                assert shown(linked, theme, device, attribute) == argb(resolve(keys[path])), (level, device, attribute)


def test_a_full_radius_is_half_of_the_size_unless_it_depends_on_a_mode(aapt2, tmp_path):
    base, scheme = collection("Base"), collection("Scheme", "Light", "Dark", "Round")
    radii = {"corner/small": 998, "corner/medium": 999, "corner/large": 33_554_432}
    tokens = graph(
        base,
        scheme,
        *(token(base, name, radius, type="dimension") for name, radius in radii.items()),
        token(scheme, "corner/extra-small", 9999, 4, 9999, type="dimension"),
        token(scheme, "corner/extra-large", 4, 4, 9999, type="dimension"),
    )
    options = typed_options("android", {"material": {"names": True}, "brands": "styles"})
    linked = linked_of(aapt2, tmp_path, tokens, OutputRequest(platform="android", options=options))
    shapes = {
        name.rpartition(".")[2]: items_of(texts[""])["cornerSize"]
        for name, texts in linked.items()
        if name.startswith("style/ShapeAppearance")
    }
    assert shapes == {
        "ExtraSmall": "?attr/corner_extra_small",
        "Small": "@dimen/corner_small",
        "Medium": HALF,
        "Large": HALF,
        "ExtraLarge": "?attr/corner_extra_large",
    }


def test_the_sizes_and_weights_of_a_text_style_follow_a_brand(aapt2, tmp_path):
    linked = linked_of(aapt2, tmp_path, *CASES["android/text-styles-of-brands"])
    body = in_style(linked, "TextAppearance.Copy", "")
    shown_sizes = []
    for overlay in ("", ".Fancy"):
        theme = in_style(linked, f"ThemeOverlay.Type{overlay}", "")
        size = theme[body[TEXT_SIZE].removeprefix("?attr/")]
        values = linked.get(size.removeprefix("@"), {"": size})
        shown_sizes.append(values[""])
    assert shown_sizes == ["16.000000sp", "20.000000sp"]


HALF = "0.500000%"
"""What aapt2 prints for 50 %: the bits of a fraction are those of 0.5."""
TEXT_SIZE = "0x01010095"
"""android.R.attr.textSize."""
