"""Code syntax as designers type it: its identifiers, and texts without one."""

from __future__ import annotations

import time

import pytest

from tokensync.naming.names import code_syntax
from tokensync.targets import naming_of


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
        ("android", "?attr/colorAccent", "colorAccent"),
        ("android", "?colorAccent", "colorAccent"),
        ("android", "radiusSm", "radiusSm"),
        ("android", "`object`", "object"),
        ("android", "colorResource(R.color.accent)", "accent"),
        ("android", "colorResource(id = R.color.accent)", "accent"),
        ("android", "dimensionResource(R.dimen.gap).value", "gap"),
        ("android", "ContextCompat.getColor(context, R.color.accent)", "accent"),
        ("android", "getColor(R.color.accent, theme)", "accent"),
        ("android", "MaterialTheme.colorScheme.primary", "primary"),
        ("android", "AcmeTheme.accent", "accent"),
        ("android", "LocalColors.current.accent", "accent"),
        ("android", "theme.colors.`object`", "object"),
        ("android", "colors.blue[500]", "blue_500"),
        ("android", "AcmeTheme.colors.blue.500", "blue_500"),
        ("android", "accent-base", None),
        ("android", "@android:color/black", None),
        ("android", "?android:attr/textColor", None),
        ("android", "größe", None),
        ("compose", "R.color.accent_base", "accentBase"),
        ("compose", "AcmeTheme.colors.accentBase", "accentBase"),
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
        ("ios", "accent-base", None),
        ("ios", 'Color("a\\(b)")', None),
        ("ios", "2xl", None),
    ],
)
def test_every_form_names_what_it_should(platform, text, name):
    """Comments do not count, and what is no identifier is refused."""
    reading = code_syntax(naming_of(platform)).read(text)
    assert (reading and reading.name) == name


@pytest.mark.parametrize(
    ("platform", "text", "reference"),
    [
        ("css", "var(--accent, #fff); /* base */", "var(--accent, #fff)"),
        ("css", "--accent", "var(--accent)"),
        ("css", "accent", "var(--accent)"),
        ("android", "MaterialTheme.colorScheme.primary", "MaterialTheme.colorScheme.primary"),
        ("ios", "Color.accent", "Color.accent"),
        ("scss", "var(--accent)", "$accent"),
        ("compose", "R.color.accent_base", "accentBase"),
    ],
)
def test_the_text_is_the_reference_on_the_platform_that_it_was_written_for(platform, text, reference):
    """Another platform that takes the name has a reference of its own."""
    assert code_syntax(naming_of(platform)).read(text).reference == reference


def test_a_comment_does_not_cut_an_address():
    """Two slashes after a colon are no comment."""
    assert code_syntax(naming_of("css")).read("https://example.com/--x") is None


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
    syntax = code_syntax(naming_of(platform))
    started = time.process_time()
    syntax.read(text)
    assert time.process_time() - started < 2
