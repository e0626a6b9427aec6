"""What options make of Kotlin: nested groups, previews, letter spacing in em; and what needs none, such as pills."""

import json
import re

import pytest
from checkers import written
from generate.targets.cases import CASES
from generate.targets.cases_compose import composites, grouped
from generate.targets.composite_values import composite_of
from graphs import alias, collection, color, graph, key, token
from outside.graphs import subject_of
from outside.kotlin_compiler import STRICT

from tokensync.generate.material import Material
from tokensync.generate.target import OutputRequest
from tokensync.generate.targets import generate
from tokensync.generate.targets.compose import ComposeOptions
from tokensync.tokens import Composite, Theme, TokenGraph, channel
from tokensync.tokens.composites import canonical

pytestmark = [pytest.mark.outside, pytest.mark.xdist_group("compose options")]


def files_of(of, **options):
    request = OutputRequest(platform="compose", options=ComposeOptions(**options))
    return {path: content.decode() for path, content in generate(of, request)[0]}


NESTED = """package design.tokens
import androidx.compose.runtime.Composable
import scene.composed
@Composable fun shown() = println(DesignTokens.scheme.border.strong.value == DesignTokensValues().scheme.ink.ink.value)
public fun main() {
    val light: SchemeBorderGroup = DesignTokensValues().scheme.border
    val dark = DesignTokensValues(DesignTokensTheme(SchemeMode.Dark)).scheme
    println(listOf(light.root == dark.border.root, light.strong == dark.borderStrong, dark.a.bC, dark.a.schemeABC))
    println(listOf(DesignTokens.base.color.slate.slate500 == light.border, DesignTokens.base._2xl))
    println(DesignTokens.base.g0.g1.g2.g3.g4.g5.g6.g7.g8G9G10G11Gap)
    composed { shown() }
}
"""


def test_groups_hold_their_tokens_in_each_mode_and_colliding_names_stay_apart(kotlinc):
    """``border`` and ``border/root`` are two tokens, ``ink/root`` is a group, and a path of 13 names is cut."""
    answer = kotlinc({**files_of(grouped(), groups="nested"), "Main.kt": NESTED}, "design.tokens.MainKt")
    assert answer.splitlines() == ["[false, true, 2.0, 4.0]", "[true, 48.0.dp]", "4.0.dp", "true"]


def test_tokens_of_groups_have_no_other_public_name(kotlinc):
    """They are internal: of another module's view, only groups and tokens without a group are there."""
    text = files_of(grouped(), groups="nested")["SchemeTokens.kt"]
    of_class = text.partition("public open class SchemeTokens")[2].partition("\n}\n")[0]
    assert set(re.findall(r"public (?:open )?val (\w+):", of_class)) == {
        "a",
        "border",
        "borderStrong",
        "ink",
        "tokens",
        "veil",
    }


GROUP = 4_000


def test_a_group_of_very_many_tokens_can_be_loaded(kotlinc):
    of = collection("Base", "A", "B")
    tokens = [token(of, f"group/token {at}", at, at + 1, type="number") for at in range(GROUP)]
    main = f"package design.tokens\nfun main() {{ println(DesignTokensValues().base.group.token{GROUP - 1}) }}\n"
    files = {**files_of(graph(of, *tokens), groups="nested"), "Main.kt": main}
    assert kotlinc(files, "design.tokens.MainKt") == f"{GROUP - 1}.0\n"


def spaced() -> TokenGraph:
    """Text styles whose size, spacing or both depend on the mode of another collection."""
    size = collection("Size", "Small", "Large")
    text = collection("Text")
    value = {"fontFamily": ["Inter"], "fontWeight": 400, "lineHeight": 1.5}

    def style(name, points, spacing):
        json = canonical({**value, "fontSize": points, "letterSpacing": spacing})
        references = tuple(
            (f"{{size.{end}}}", key("Size", end)) for end in ("body", "tracking") if f"{{size.{end}}}" in json
        )
        return token(text, name, Composite(json, references), type="typography")

    pixels = {"value": -0.32, "unit": "px"}
    return graph(
        size,
        text,
        token(size, "body", 16, 32, type="dimension", scopes=("FONT_SIZE",)),
        token(size, "tracking", -0.32, 0.32, type="dimension", scopes=("LETTER_SPACING",)),
        style("plain", {"value": 16, "unit": "px"}, pixels),
        style("sized", "{size.body}", pixels),
        style("both", "{size.body}", "{size.tracking}"),
    )


SPACED = """package design.tokens
public fun main() {
    for (mode in SizeMode.entries) {
        val text = DesignTokensValues(DesignTokensTheme(mode)).text
        println(listOf(text.plain, text.sized, text.both).map { "${it.letterSpacing} of ${it.fontSize}" })
    }
}
"""


def test_letter_spacing_in_em_is_the_share_of_the_size_in_every_mode(kotlinc):
    files = files_of(spaced(), letter_spacing="em")
    answer = kotlinc({**files, "Main.kt": SPACED}, "design.tokens.MainKt", *STRICT, common=True)
    small = "[-0.02.em of 16.0.sp, -0.02.em of 16.0.sp, -0.02.em of 16.0.sp]"
    large = "[-0.02.em of 16.0.sp, -0.01.em of 32.0.sp, 0.01.em of 32.0.sp]"
    assert answer.splitlines() == [small, large]


PILLS = """
import androidx.compose.foundation.shape.*
import androidx.compose.ui.geometry.Size
import androidx.compose.ui.graphics.Outline
import androidx.compose.ui.unit.*
fun corners(shape: CornerBasedShape, size: Size): List<Float> {
    val outline = shape.createOutline(size, LayoutDirection.Ltr, Density(3f))
    val rect = (outline as Outline.Rounded).roundRect
    return listOf(rect.topLeftCornerRadius, rect.topRightCornerRadius, rect.bottomRightCornerRadius).map { it.x }
}
fun main() {
    val sizes = listOf(Size(300f, 100f), Size(100f, 100f), Size(40f, 900f))
    for (size in sizes) for (full in listOf(999f, 9999f, 3.3554432E7f)) {
        val equal = corners(RoundedCornerShape(full.dp), size) == corners(RoundedCornerShape(50), size)
        val left = corners(RoundedCornerShape(topStart = full.dp, bottomStart = full.dp), size)
        val top = corners(RoundedCornerShape(topStart = full.dp, topEnd = full.dp), size)
        println("$equal ${left == corners(RoundedCornerShape(50, 0, 0, 50), size)} $top")
    }
}
"""


def test_a_very_large_corner_is_a_pill_in_compose(kotlinc):
    """All corners are half of the shorter side. Those of one side alone are as long as they can be, as in CSS."""
    lines = kotlinc({"Main.kt": PILLS}, "MainKt").splitlines()
    assert len(lines) == 9
    assert {line[:9] for line in lines} == {"true true"}
    assert [line[10:] for line in lines[::3]] == ["[100.0, 100.0, 0.0]", "[100.0, 100.0, 0.0]", "[40.0, 40.0, 0.0]"]


PREVIEWED = """package design.tokens
import androidx.compose.runtime.Composer
import androidx.compose.runtime.currentComposer
import androidx.compose.ui.ImageComposeScene
import org.jetbrains.skia.Bitmap
public fun main() {
    val previews = Class.forName("design.tokens.DesignTokensPreviewsKt")
    for (name in listOf(NAMES)) {
        val preview = previews.getDeclaredMethod(name, Composer::class.java, Int::class.java)
        preview.isAccessible = true
        val scene = ImageComposeScene(400, 800) { preview.invoke(null, currentComposer, 0) }
        val bitmap = Bitmap.makeFromImage(scene.render())
        println(List(3) { bitmap.getColor(28, 28 + 56 * it).toUInt().toString(16) })
        scene.close()
    }
}
"""
"""Prints the colours of the first three squares of each preview, from what is drawn."""


def previewed() -> TokenGraph:
    base, scheme = collection("Base"), collection("Scheme $x", "Light", "Dark")
    red, blue, green = map(color, ("#ff0000", "#0000ff", "#00ff00"))
    return graph(
        base,
        scheme,
        token(base, "red", red),
        token(base, "radius/small", 8, type="dimension"),
        token(base, "space/small", 8, type="dimension"),
        token(base, "body", composite_of(json.loads(BODY)), type="typography"),
        token(scheme, "text/primary", alias("Base", "red"), blue),
        token(scheme, "text/muted", green, alias("Base", "red")),
        token(scheme, "ink", blue, green),
    )


BODY = '{"fontFamily": ["Inter"], "fontSize": {"value": 16, "unit": "px"}, "fontWeight": 400, "lineHeight": 1.5}'


@pytest.mark.parametrize("groups", ["flat", "nested"])
def test_previews_draw_the_colors_of_each_mode(kotlinc, groups):
    """Android Studio shows functions with the annotation and without parameters; it is the one of Compose 1.10."""
    of = previewed()
    files = files_of(of, groups=groups, previews=True)
    source = files["DesignTokensPreviews.kt"]
    previews = re.findall(
        r"@Preview\(name = (.+), group = (.+), showBackground = true\)\n@Composable\nprivate fun (\w+)\(\) =", source
    )
    assert [name for *_, name in previews] == ["BasePreview", "SchemeXLightPreview", "SchemeXDarkPreview"]
    assert [label for label, *_ in previews] == ['"Base"', '"Light"', '"Dark"']
    names = ", ".join(f'"{name}"' for *_, name in previews[1:])
    main = PREVIEWED.replace("NAMES", names)
    answer = kotlinc({**files, "Main.kt": main}, "design.tokens.MainKt", *STRICT, common=True).splitlines()
    keys = [key for key in of.tokens if key.collection.startswith("scheme")]
    resolvers = [of.resolver(Theme("", ((keys[0][:2], mode),))) for mode in (0, 1)]
    assert answer == [f"[{', '.join(argb(resolve(key)) for key in keys)}]" for resolve in resolvers]
    assert re.findall(r"Sample\((\S+), (\w+) = ", source) == [
        ('"red"', "color"),
        ('"radius.small"' if groups == "nested" else '"radiusSmall"', "radius"),
        ('"body"', "style"),
        *(
            (f'"{name}"', "color")
            for name in (["text.primary", "text.muted"] if groups == "nested" else ["textPrimary", "textMuted"])
        ),
        ('"ink"', "color"),
    ]


def argb(value):
    return f"{int.from_bytes(bytes(map(channel, (value.alpha, value.red, value.green, value.blue)))):x}"


def test_many_previews_and_nested_composites_compile_as_common_code(kotlinc):
    base = collection("Base", "A", "B")
    tokens = [token(base, f"color/{at}", color(f"#{at:06x}"), color("#ffffff")) for at in range(700)]
    for of in (graph(base, *tokens), composites(), TokenGraph([base], [])):
        files = files_of(of, groups="nested", previews=True, letter_spacing="em", visibility="internal")
        kotlinc(files, "", *STRICT, common=True)


REASONS = {
    "FunctionNaming": "composables begin with a capital letter",
    "InvalidPackageDeclaration": "the folder is not that of the package",
    "LargeClass": "a collection is a class",
    "LongMethod": "a preview has a line for each token",
    "MagicNumber": "the values of tokens are numbers",
    "MayBeConst": "a constant would be copied into other modules, which would keep an old value",
    "TooManyFunctions": "there is a preview for each mode",
    "UnusedPrivateMember": "only an editor calls previews",
    "VariableNaming": "keywords are in backticks",
}
"""Rules of detekt that generated files turn off, as all others: why they do not follow them."""
FORMS = {
    "flat": {},
    "nested": {"groups": "nested", "previews": True, "letter_spacing": "em", "material": Material(names=True)},
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["primer", "quickstart"])
def test_detekt_finds_only_what_tokens_cannot_follow_and_nothing_with_its_annotation(detekt, tmp_path, name, form):
    files = files_of(subject_of(name).graph, **FORMS[form])
    written(tmp_path / "as-is", files)
    written(tmp_path / "bare", {path: text.replace('"detekt:all", ', "") for path, text in files.items()})
    assert detekt(tmp_path / "as-is") == ""
    rules = {line: re.search(r"\[(\w+)\]$", line)[1] for line in detekt(tmp_path / "bare").splitlines()}
    assert [line for line, rule in rules.items() if rule not in REASONS] == []
    assert "MagicNumber" in rules.values()


def test_detekt_finds_nothing_in_golden_files(detekt, tmp_path):
    for name in CASES:
        if name.startswith("compose/"):
            written(tmp_path / name, {path: content.decode() for path, content in generate(*CASES[name])[0]})
    assert detekt(tmp_path) == ""
