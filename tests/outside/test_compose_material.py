"""Compose's Material 3 shows the tokens as its colours, text styles and shapes, in every mode of the theme."""

import re
from itertools import product

import pytest
from generate.targets.cases import CASES
from generate.targets.cases_material import LEVELS, material
from outside.kotlin_compiler import STRICT

from tokensync.generate.target import OutputRequest
from tokensync.generate.targets import generate
from tokensync.project.configuration import typed_options
from tokensync.tokens import Theme, channel

pytestmark = [pytest.mark.outside, pytest.mark.xdist_group("compose material")]

FAMILY = ("design", "scheme")
ROLES = {
    "primary": ("scheme", "accent.base"),
    "onPrimary": ("scheme", "accent.on"),
    "surface": ("scheme", "md.sys.color.surface"),
    "onSurface": ("scheme", "md.sys.color.on-surface"),
    "error": ("scheme", "danger"),
    "surfaceTint": ("scheme", "accent.base"),
}
"""The tokens of the filled roles; without a token, the tint is the primary colour, as in Material."""
NEWER = ("surface-container-high", "primary-fixed")

SCHEMES = """package design.tokens
import androidx.compose.material3.ColorScheme
import androidx.compose.material3.darkColorScheme
import androidx.compose.material3.lightColorScheme
import androidx.compose.ui.graphics.toArgb
public fun main() {
    for (mode in SchemeMode.entries) {
        val values = DesignTokensValues(DesignTokensTheme(mode))
        val scheme: ColorScheme = DesignTokensMaterial.colorScheme(values)
        val own = if (mode.name.contains("Dark")) darkColorScheme() else lightColorScheme()
        val colors = listOf(ROLES)
        println(colors.joinToString(" ") { it.toArgb().toUInt().toString(16) } + " " + (scheme.outline == own.outline))
    }
    val values = DesignTokensValues()
    println(DesignTokensMaterial.typography(values).bodyLarge == BaseTokens.typescaleBodyLarge)
    println(DesignTokensMaterial.typography(values).bodySmall == androidx.compose.material3.Typography().bodySmall)
    println(DesignTokensMaterial.shapes(values).extraLarge)
}
""".replace("ROLES", ", ".join(f"scheme.{role}" for role in ROLES))

SYSTEM = """package design.tokens
import android.app.UiModeManager
import androidx.compose.material3.MaterialTheme
import androidx.compose.ui.graphics.Color
import scene.composed
public fun main() {
    for (dark in listOf(false, true)) for (asked in listOf(0f, 0.5f, 1f)) {
        UiModeManager.setting = asked
        composed(dark) {
            DesignTokensMaterialTheme {
                val isShown = MaterialTheme.colorScheme.primary == DesignTokens.scheme.accentBase
                println("${DesignTokens.chosen.scheme} $isShown ${MaterialTheme.typography.bodyLarge.fontSize}")
            }
            DesignTokensMaterialTheme(DesignTokensTheme.system(SchemeMode.IslanderLight)) {
                println(DesignTokens.chosen.scheme)
            }
        }
    }
    composed {
        DesignTokensMaterialTheme(colorScheme = { it.copy(primary = Color.Red) }) {
            println(MaterialTheme.colorScheme.primary == Color.Red)
        }
    }
}
"""

STAND_IN = """package design.tokens
import androidx.compose.material3.ColorScheme
import androidx.compose.ui.graphics.Color
internal val later: MutableMap<String, Color> = mutableMapOf()
internal fun ColorScheme.copy(
    primary: Color, onPrimary: Color, error: Color, surface: Color, onSurface: Color, surfaceTint: Color,
    surfaceContainerHigh: Color, primaryFixed: Color,
): ColorScheme {
    later += mapOf("surfaceContainerHigh" to surfaceContainerHigh, "primaryFixed" to primaryFixed)
    return copy(primary = primary, onPrimary = onPrimary, error = error, surface = surface, onSurface = onSurface,
        surfaceTint = surfaceTint)
}
public fun main() {
    val values = DesignTokensValues()
    DesignTokensMaterial.colorScheme(values)
    println(later.map { (name, color) -> "$name ${color == values.scheme.mdSysColorSurface}" })
}
"""
"""The roles that Material has from 1.2 and 1.4 on."""


def files_of(graph, request):
    return {path: content.decode() for path, content in generate(graph, request)[0]}


def argb(value):
    return f"{int.from_bytes(bytes(map(channel, (value.alpha, value.red, value.green, value.blue)))):x}"


def test_each_role_is_its_token_in_every_mode_and_the_others_are_materials_own(kotlinc):
    graph, request = CASES["compose/material"]
    answer = kotlinc({**files_of(graph, request), "Main.kt": SCHEMES}, "design.tokens.MainKt", *STRICT).splitlines()
    modes = graph.collections[FAMILY].modes
    keys = {(key.collection, key.path): key for key in graph.tokens}
    differences = []
    for mode, line in enumerate(answer[: len(modes)]):
        *colors, is_own = line.split()
        resolve = graph.resolver(Theme("", ((FAMILY, mode),)))
        wanted = [argb(resolve(keys[token])) for token in ROLES.values()]
        differences += [(mode, role) for role, *pair in zip(ROLES, colors, wanted, strict=True) if len(set(pair)) > 1]
        assert is_own == "true"
    assert (len(modes), differences) == (12, [])
    *styles, corners = answer[len(modes) :]
    assert styles == ["true", "true"]
    assert set(re.findall(r"CornerSize\(size = ([\d.]+\.dp)\)", corners)) == {"28.0.dp"}


ACCENTS = """package design.tokens
import androidx.compose.material3.darkColorScheme
import androidx.compose.material3.lightColorScheme
public fun main() {
    for (mode in SchemeMode.entries) {
        val scheme = DesignTokensMaterial.colorScheme(DesignTokensValues(DesignTokensTheme(mode)))
        val own = if (mode.name.contains("Dark")) darkColorScheme() else lightColorScheme()
        println(scheme.surface == own.surface && scheme.onSurface == own.onSurface && scheme.primary != own.primary)
    }
}
"""


def test_a_mode_named_dark_has_materials_dark_surface_if_tokens_fill_accents_only(kotlinc):
    request = OutputRequest(platform="compose", options=typed_options("compose", {"material": {}}))
    files = files_of(material(), request)
    assert "surface =" not in files["DesignTokensMaterial.kt"]
    answer = kotlinc({**files, "Main.kt": ACCENTS}, "design.tokens.MainKt", *STRICT)
    assert answer.splitlines() == ["true"] * 12


def test_the_theme_follows_the_dark_mode_and_the_contrast_of_the_system_in_brands_too(kotlinc):
    answer = kotlinc({**files_of(*CASES["compose/material"]), "Main.kt": SYSTEM}, "design.tokens.MainKt", *STRICT)
    *shown, has_other_colors = answer.splitlines()
    modes = [f"{scheme}{level}" for scheme, level in product(("Light", "Dark"), ("", "MediumContrast", "HighContrast"))]
    assert sorted(modes) == sorted(level.replace(" ", "") for level in LEVELS)
    assert shown == [line for mode in modes for line in (f"{mode} true 16.0.sp", f"Islander{mode}")]
    assert has_other_colors == "true"


def test_roles_of_later_versions_are_parameters_of_the_scheme(kotlinc):
    request = OutputRequest(platform="compose", options=typed_options("compose", CASES_OPTIONS))
    files = files_of(material(*NEWER), request)
    answer = kotlinc({**files, "Main.kt": STAND_IN}, "design.tokens.MainKt")
    assert answer == "[surfaceContainerHigh true, primaryFixed true]\n"


CASES_OPTIONS = {"material": {"roles": {"error": "danger"}, "names": True}}
