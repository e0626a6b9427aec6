"""Code syntax as designers type it: its identifiers, and texts without one."""

import re
import time

import pytest
from corpus.building import ROOT
from hypothesis import given
from hypothesis import strategies as st

from tokensync.generate.naming import code_syntax, pattern_flaw, written_flaw
from tokensync.generate.targets import NAMED, naming_of


@pytest.mark.parametrize(
    ("platform", "text", "name"),
    [
        ("css", "var(--accent-base)", "--accent-base"),
        ("css", "var( --accent-base , #fff)", "--accent-base"),
        ("css", "var(--a, var(--b, 1px))", "--a"),
        ("css", "--borderColor-done", "--borderColor-done"),
        ("css", "--accent;", "--accent"),
        ("css", "--accent: #1f6feb;", "--accent"),
        ("css", "$accent-base", "--accent-base"),
        ("css", "@accent", "--accent"),
        ("css", "accent-base", "--accent-base"),
        ("css", "var(--borderRadius-small) /* utility class: .rounded-1 */", "--borderRadius-small"),
        ("css", "var(--größe) // the size", "--größe"),
        ("css", "var(--a /* inside */)", "--a"),
        ("css", "var(--a) /* never closed", "--a"),
        ("css", "color: var(--accent);", "--accent"),
        ("css", "background-color: $accent;", "--accent"),
        ("css", "hsl(var(--accent))", "--accent"),
        ("css", "rgb(var(--accent) / 50%)", "--accent"),
        ("css", "calc(var(--gap) * 1px)", "--gap"),
        ("css", "text-[--accent]", "--accent"),
        ("css", "bg-(--accent)/50", "--accent"),
        ("css", "hover:bg-[var(--accent)]", "--accent"),
        ("css", "text-[color:var(--accent)]", "--accent"),
        ("css", "#{$accent}", "--accent"),
        ("css", "tokens.$accent", "--accent"),
        ("css", "map.get($colors, 'accent-base')", "--accent-base"),
        ("css", "map-get($colors, accent)", "--accent"),
        ("css", 'theme("colors.accent")', "--accent"),
        ("css", "theme(colors.blue.500)", "--blue-500"),
        ("css", "theme.colors.accent", "--accent"),
        ("css", "${tokens.colorAccent}", "--colorAccent"),
        ("css", "colors.accent[500]", "--accent-500"),
        ("css", "colors.accent['500']", "--accent-500"),
        ("css", "accent.500", "--accent-500"),
        ("css", "tokens['accent-base']", "--accent-base"),
        ("css", "--accent: var(--blue-500)", "--accent"),
        ("css", "--accent: var(--blue-500);", "--accent"),
        ("css", "$accent: $blue;", "--accent"),
        ("css", "$accent: #1f6feb !default;", "--accent"),
        ("css", "a.value", "--a"),
        ("css", "tokens.color.accent.value", "--accent"),
        ("css", "${tokens.color.accent.value}", "--accent"),
        ("css", "color.accent.default", "--accent-default"),
        ("css", "color.accent.default.value", "--accent-default"),
        ("css", "theme.palette.primary.main", "--primary-main"),
        ("css", 'theme("colors.primary.base")', "--primary-base"),
        ("css", "palette.main", "--main"),
        ("css", "theme.palette.main", "--main"),
        ("css", "colors.primary['main']", "--primary-main"),
        ("css", 'theme("colors.main")', "--main"),
        ("css", 'theme("colors.accent.DEFAULT")', "--accent"),
        ("css", "colors.accent.DEFAULT", "--accent"),
        ("css", "token(color.accent.value)", "--accent"),
        ("css", "value", "--value"),
        ("css", "--main", "--main"),
        ("css", "colors.blue[500].value", "--blue-500"),
        ("css", "theme.colors.primary.color", "--primary"),
        ("css", 'theme("colors.primary.color")', "--primary"),
        ("css", "tokens.color.accent.hex", "--accent"),
        ("css", "color.accent.value.hex", "--accent"),
        ("css", "token.accent.token", "--accent"),
        ("css", "theme.button.color", "--button-color"),
        ("css", "button.color", "--button-color"),
        ("css", "AppTheme.color", "--color"),
        ("css", "theme.color", "--color"),
        ("css", "theme.spacing.px", "--px"),
        ("css", "theme.text.body.fontSize", "--body-fontSize"),
        ("css", "theme.primary.main.default", "--primary-main-default"),
        ("css", "--color", "--color"),
        ("css", "currentColor", None),
        ("css", "inherit", None),
        ("scss", "unset", None),
        ("css", "bg-[x]", None),
        ("css", "calc(var(--a) + var(--b))", None),
        ("css", "var(--a b)", None),
        ("css", "var(--x); } body { color: red", None),
        ("css", "/* nothing */", None),
        ("css", "the accent colour", None),
        ("scss", "var(--accent-base)", "$accent-base"),
        ("scss", "$accent_base", "$accent_base"),
        ("typescript", "var(--accent-base)", "accentBase"),
        ("typescript", "--borderColor-done", "borderColorDone"),
        ("typescript", "theme.colors.AccentBase", "AccentBase"),
        ("typescript", "colors.accent[500]", "accent500"),
        ("android", "R.color.accent_base", "accent_base"),
        ("android", "com.acme.R.color.accent", "accent"),
        ("android", "@color/accent_base", "accent_base"),
        ("android", "@com.acme.ds:color/accent", "accent"),
        ("android", "@dimen/gap <!-- dp -->", "gap"),
        ("android", "?attr/accent", "accent"),
        ("android", "?brandAccent", "brandAccent"),
        ("android", "radiusSm", "radiusSm"),
        ("android", "`object`", "object"),
        ("android", "colorResource(R.color.accent)", "accent"),
        ("android", "colorResource(id = R.color.accent)", "accent"),
        ("android", "dimensionResource(R.dimen.gap).value", "gap"),
        ("android", "ContextCompat.getColor(context, R.color.accent)", "accent"),
        ("android", "getColor(R.color.accent, theme)", "accent"),
        ("android", "MaterialTheme.colorScheme.accent", "accent"),
        ("android", "AcmeTheme.accent", "accent"),
        ("android", "LocalColors.current.accent", "accent"),
        ("android", "theme.colors.`object`", "object"),
        ("android", "colors.blue[500]", "blue_500"),
        ("android", "AcmeTheme.colors.blue.500", "blue_500"),
        ("android", "AppTheme.spacing.gap.dp", "gap"),
        ("ios", "AppTheme.spacing.gap.dp", "gap"),
        ("android", "AppTheme.type.body.sp", "body"),
        ("android", "R.dimen.gap.dp", "gap"),
        ("android", "AppTheme.colors.accent.toArgb()", "accent"),
        ("android", "AppTheme.colors.accent.value", "accent"),
        ("android", "AppTheme.colors.accent.default", "accent_default"),
        ("android", "AppTheme.colors.primary.`main`", "primary_main"),
        ("android", "R.color.main", "main"),
        ("android", "colorResource(R.color.base)", "base"),
        ("android", "@color/main", "main"),
        ("android", "AppTheme.colors.main", "main"),
        ("android", "com.acme.android.R.color.accent", "accent"),
        ("android", "android.R.color.white", None),
        ("android", "android.R.dimen.app_icon_size", None),
        ("android", "colorResource(android.R.color.white)", None),
        ("android", "colorResource(id = android.R.color.white)", None),
        ("android", "ContextCompat.getColor(context, android.R.color.white)", None),
        ("android", "getColor(android.R.color.white, theme)", None),
        ("android", "AppTheme.colors.primary.color", "primary"),
        ("android", "AppTheme.dimens.gap.size", "gap"),
        ("android", "AppTheme.button.color", "button_color"),
        ("android", "AppTheme.primary.color", "primary_color"),
        ("android", "AppTheme.color", "color"),
        ("android", "R.color.color", "color"),
        ("android", "AppTheme.typography.bodyLarge.fontSize", "bodyLarge_fontSize"),
        ("compose", "AppTheme.colors.primary.color", "primary"),
        ("compose", "AppTheme.button.color", "buttonColor"),
        ("android", "Color.White", None),
        ("compose", "Color.Unspecified", None),
        ("android", "Color.RED", None),
        ("android", "Color.White.copy(alpha = 0.5f)", None),
        ("android", "androidx.compose.ui.graphics.Color.White", None),
        ("android", "com.google.android.material.R.attr.colorPrimary", None),
        ("android", "AppTheme.Color.White", "White"),
        ("android", "Color.White[500]", "White_500"),
        ("android", "accent-base", None),
        ("android", "@android:color/black", None),
        ("android", "?android:attr/textColor", None),
        ("android", "größe", None),
        ("compose", "R.color.accent_base", "accentBase"),
        ("compose", "AcmeTheme.colors.accentBase", "accentBase"),
        ("compose", "AppTheme.spacing.gapLarge.dp", "gapLarge"),
        ("compose", "AppTheme.colors.accent.default", "accentDefault"),
        ("android", "@*android:color/white", None),
        ("android", "?attr/colorPrimary", None),
        ("android", "?colorOnSurface", None),
        ("android", "?com.acme:attr/colorOnPrimaryContainer", None),
        ("android", "?attr/textAppearanceBodyLarge", None),
        ("android", "MaterialColors.getColor(view, R.attr.colorPrimary)", None),
        ("android", "?attr/colorBrand", "colorBrand"),
        ("android", "?attr/colorPrimaryMuted", "colorPrimaryMuted"),
        ("android", "MaterialTheme.colorScheme.primary", None),
        ("android", "MaterialTheme.colorScheme.onSurfaceVariant.copy(alpha = 0.5f)", None),
        ("android", "androidx.compose.material3.MaterialTheme.colorScheme.surfaceContainerHigh", None),
        ("android", "MaterialTheme.colors.primaryVariant", None),
        ("android", "MaterialTheme.typography.bodyLarge.fontSize", None),
        ("android", "MaterialTheme.shapes.medium", None),
        ("android", "MaterialTheme.colorScheme.primaryMuted", "primaryMuted"),
        ("android", "AppTheme.colorScheme.primary", "primary"),
        ("compose", "MaterialTheme.colorScheme.primary", None),
        ("android", "?android:attr/textColorPrimary", None),
        ("android", "android.R.attr.colorPrimary", None),
        ("android", "android.graphics.Color.WHITE", None),
        ("android", "Color(android.graphics.Color.WHITE)", None),
        ("android", "stringResource(android.R.string.ok).uppercase()", None),
        ("android", "com.android.R.color.accent", "accent"),
        ("android", "R.color.accent // not android.R.color.white", "accent"),
        ("compose", "android.R.color.white", None),
        ("compose", "Color.Accent", "Accent"),
        ("compose", "colors.blue[500]", "blue500"),
        ("ios", "accentBase", "accentBase"),
        ("ios", ".accentBase", "accentBase"),
        ("ios", "Color.accentBase", "accentBase"),
        ("ios", "Color.`default`", "default"),
        ("ios", "UIColor.accentBase // dynamic", "accentBase"),
        ("ios", 'Color("accentBase")', "accentBase"),
        ("ios", 'Color("accentBase", bundle: .module)', "accentBase"),
        ("ios", 'Color("Brand/accentBase")', "accentBase"),
        ("ios", 'UIColor(named: "accentBase")!', "accentBase"),
        ("ios", "Color(.accentBase)", "accentBase"),
        ("ios", "UIColor(resource: .accentBase)", "accentBase"),
        ("ios", "Theme.colors.accentBase", "accentBase"),
        ("ios", "Theme.shared.color.accentBase", "accentBase"),
        ("ios", ".theme.accentBase", "accentBase"),
        ("ios", "Asset.Colors.accentBase.color", "accentBase"),
        ("ios", "R.color.accentBase()!", "accentBase"),
        ("ios", "Color.blue[500]", "blue500"),
        ("ios", "color.gray2.500", "gray2_500"),
        ("ios", "DS.Color.accent.swiftUIColor", "accent"),
        ("ios", "DS.Color.accent.uiColor.cgColor", "accent"),
        ("ios", "UIColor.accent.cgColor", "accent"),
        ("ios", "DS.Spacing.gap.rawValue", "gap"),
        ("ios", "DS.Color.accent.default", "accentDefault"),
        ("ios", "DS.Color.`accent`.`default`", "accentDefault"),
        ("ios", ".value", "value"),
        ("ios", "DS.Color.main", "main"),
        ("ios", 'Color("Brand/accent/default")', "accentDefault"),
        ("ios", 'Color("Brand/default")', "default"),
        ("ios", "R.color.main()", "main"),
        ("ios", "Theme.colors.primary.color", "primary"),
        ("ios", "DS.Color.accent.color", "accent"),
        ("ios", "Theme.button.color", "buttonColor"),
        ("ios", "UIColor.systemRed", None),
        ("ios", "UIKit.UIColor.systemRed", None),
        ("ios", "UIColor.label.cgColor", None),
        ("ios", "NSColor.labelColor", None),
        ("ios", "NSColor.systemRed", None),
        ("ios", "Color.red", None),
        ("ios", "SwiftUI.Color.red", None),
        ("ios", "Color.red.opacity(0.5)", None),
        ("ios", "Color.primary", None),
        ("ios", ".red", None),
        ("ios", ".systemBlue", None),
        ("ios", "Color(.systemRed)", None),
        ("ios", "Color(uiColor: .secondaryLabel)", None),
        ("ios", "Color(nsColor: NSColor.red)", None),
        ("ios", "Color(UIColor.label)", None),
        ("ios", "Font.body", None),
        ("ios", "red", "red"),
        ("ios", "Theme.red", "red"),
        ("ios", "DS.Color.red", "red"),
        ("ios", "Color.label", "label"),
        ("ios", "Color.brandRed", "brandRed"),
        ("ios", 'Color("red")', "red"),
        ("ios", "UIColor(resource: .red)", "red"),
        ("ios", "Color.red.accent", "accent"),
        ("ios", "accent-base", None),
        ("ios", 'Color("a\\(b)")', None),
        ("ios", "2xl", None),
    ],
)
def test_every_form_names_what_it_should(platform, text, name):
    """Comments do not count, and what is no identifier is refused."""
    assert code_syntax(naming_of(platform), {}).read(text) == name


def test_a_comment_does_not_cut_an_address():
    """Two slashes after a colon are no comment."""
    assert code_syntax(naming_of("css"), {}).read("https://example.com/--x") is None


@pytest.mark.parametrize("platform", ["css", "android", "ios"])
@pytest.mark.parametrize(
    "text",
    [
        "a" + " " * 40_000 + "/",
        "a/" + "\n" * 40_000 + "b",
        "<!--" * 40_000,
        "/* " * 40_000,
        *(each * 40_000 + "!" for each in ("a.", "a-", "a:", "`", "a`.", "--a", "var(", "a(", "[a", "${", " ", "a ")),
        "a: " * 40_000,
        "$" + "a." * 40_000 + "[",
        "a-[" + "a-" * 40_000,
        "R.a." * 40_000,
        "R.a(" + "a." * 40_000,
    ],
    ids=lambda text: text[:8],
)
def test_a_hostile_text_costs_no_more_than_its_length(platform, text):
    """Patterns that start anew at every blank or bracket took seconds for a text like these."""
    syntax = code_syntax(naming_of(platform), {})
    started = time.process_time()
    syntax.read(text)
    assert time.process_time() - started < 2


def read_with(pattern, text, platform="ios"):
    """Return the name that a pattern of the configuration finds, or None."""
    patterns = {"css": "WEB", "scss": "WEB", "android": "ANDROID", "compose": "ANDROID", "ios": "iOS"}
    return code_syntax(naming_of(platform), {patterns[platform]: (pattern,)}).read(text)


@pytest.mark.parametrize(
    ("platform", "pattern", "text", "name"),
    [
        ("ios", "DS.Color.{name}.token", "DS.Color.accent.token", "accent"),
        ("ios", "DS.*.{name}.token()", "DS.Spacing.gap.token()", "gap"),
        ("ios", "ds(.{name})", "ds(.accent)", "accent"),
        ("ios", "DS.Color.{name}.token", "DS.Color.accent.other", "other"),
        ("android", "AcmeTheme.*.{name}(*)", "AcmeTheme.colors.accent(context)", "accent"),
        ("compose", "AcmeTheme.*.{name}(*)", "AcmeTheme.colors.accent(context)", "accent"),
        ("css", "ds-token(--{name})", "ds-token(--accent-base)", "--accent-base"),
        ("ios", "Color.{name}", "Color.red", "red"),
        ("ios", "UIColor.{name}", "UIColor.systemRed", "systemRed"),
        ("android", "Color.{name}", "Color.White", "White"),
        ("css", "{name}", "inherit", "--inherit"),
        ("css", "ds-{name}", "ds-accent", "--accent"),
        ("css", "{name}Color", "accentColor", "--accent"),
        ("scss", "ds-token(--{name})", "ds-token(--accent-base)", "$accent-base"),
        ("css", "a+({name})?", "a+(accent)?", "--accent"),
        ("css", "a+({name})?", "aaa(accent)", None),
    ],
)
def test_a_pattern_of_the_configuration_comes_first(platform, pattern, text, name):
    assert read_with(pattern, text, platform) == name


def test_patterns_of_another_platform_have_no_effect():
    assert code_syntax(naming_of("ios"), {"WEB": ("ds({name})",)}).read("ds(accent)") is None


@pytest.mark.parametrize(
    ("pattern", "what"),
    [
        ("DS.Color", "must contain {name} once"),
        ("{name}.{name}", "must contain {name} once"),
        ("DS\n{name}", "not printable"),
        ("**.{name}", "whole member"),
        ("a*.{name}", "whole member"),
        ("*{name}", "whole member"),
        ("{name}*", "whole member"),
        ("*-*.{name}", "whole member"),
    ],
)
def test_an_invalid_pattern_is_refused(pattern, what):
    assert what in pattern_flaw(pattern, "iOS")[0]


@pytest.mark.parametrize(
    ("syntax", "text", "to_do"),
    [
        ("iOS", ".accent", "write {name} where the name is: .{name}"),
        ("iOS", "DS.Color.accent", "write {name} where the name is: DS.Color.{name}"),
        ("iOS", "DS.{token}", "write {name} where the name is: DS.{name}"),
        ("ANDROID", "R.{resource}.{token}", "write {name} where the name is: R.{resource}.{name}"),
        ("ANDROID", "R.color.accent", "write {name} where the name is: R.color.{name}"),
        ("WEB", "var(--accent)", "write {name} where the name is: var(--{name})"),
        ("WEB", "the name", "write {name} where the name is"),
        ("WEB", "{name}{name}", "keep only one {name}"),
    ],
)
def test_the_remedy_for_a_form_without_a_name_is_the_form_with_it(syntax, text, to_do):
    """An iOS form was advised to be like R.color."""
    assert pattern_flaw(text, syntax)[1] == written_flaw(text, syntax)[1] == to_do


@pytest.mark.parametrize(
    "pattern", ["{name}", "*.{name}.*", "(a+)+{name}$", "*.*.*.*.{name}.*.*.*", "{name}aaaaaaaaaaab"]
)
@pytest.mark.parametrize("character", ["a", "a.", "-", ".", "(a+)+", "\u00e9"])
def test_a_pattern_takes_linear_time(pattern, character):
    """A checkout may choose the patterns, and an editor the texts."""
    assert pattern_flaw(pattern, "WEB") is None
    syntax = code_syntax(naming_of("css"), {"WEB": (pattern,) * 50})
    started = time.process_time()
    for length in (500, 40_000):
        syntax.read(character * length + "!")
    assert time.process_time() - started < 2


@given(st.data(), st.sampled_from(NAMED))
def test_the_usual_form_is_read_as_the_patterns_read_it(data, platform):
    syntax = code_syntax(naming_of(platform), {})
    text = data.draw(st.from_regex(syntax.usual, fullmatch=True))
    name = data.draw(
        st.sampled_from(sorted({*syntax.special, "MaterialTheme", "android", "R", "attr", "colorPrimary"}))
    )
    for usual in (text, text.replace(syntax.usual.fullmatch(text)["name"], name)):
        assert syntax.names([usual]) == [syntax.read(usual)]


@pytest.mark.parametrize(
    ("platform", "text"),
    [("css", "var(--accent)"), ("android", "@color/accent"), ("ios", ".accent"), ("scss", "var(--a)")],
)
def test_the_usual_form_needs_no_other_pattern(platform, text):
    syntax = code_syntax(naming_of(platform), {})
    assert syntax._replace(source={**syntax.source, "patterns": ()}).names([text]) != [None]


DOCUMENTED = re.findall(
    r"^\| (WEB|ANDROID|iOS) \| (.*) \|$", (ROOT / "docs" / "outputs.md").read_text("utf-8"), re.MULTILINE
)


@pytest.mark.parametrize(
    ("syntax", "text"), [(syntax, text) for syntax, row in DOCUMENTED for text in re.findall("`([^`]+)`", row)]
)
def test_every_form_of_the_page_is_read(syntax, text):
    platform = {"WEB": "css", "ANDROID": "android", "iOS": "ios"}[syntax]
    assert code_syntax(naming_of(platform), {}).read(text).removeprefix("--") == "accent"


def test_the_page_lists_forms_of_each_platform():
    assert [syntax for syntax, _ in DOCUMENTED] == ["WEB", "ANDROID", "iOS"]
