"""Code syntax as designers type it: what it names, and what it is when it names nothing."""

from __future__ import annotations

import time

import pytest

from tokensync.naming.code_syntax import code_syntax


@pytest.mark.parametrize(
    ("platform", "text", "name"),
    [
        ("css", "var(--accent-base)", "--accent-base"),
        ("css", "var( --accent-base , #fff)", "--accent-base"),
        ("css", "var(--a, var(--b, 1px))", "--a"),
        ("css", "--borderColor-done", "--borderColor-done"),
        ("css", "--accent;", "--accent"),
        ("css", "$accent-base", "--accent-base"),
        ("css", "@accent", "--accent"),
        ("css", "accent-base", "--accent-base"),
        ("css", "var(--borderRadius-small) /* utility class: .rounded-1 */", "--borderRadius-small"),
        ("css", "var(--größe) // the size", "--größe"),
        ("css", "var(--a /* inside */)", "--a"),
        ("css", "var(--a) /* never closed", "--a"),
        ("css", "bg-[var(--x)]", None),
        ("css", "tokens.color.primary", None),
        ("css", "var(--a b)", None),
        ("css", "var(--x); } body { color: red", None),
        ("css", "/* nothing */", None),
        ("android", "R.color.accent_base", "accent_base"),
        ("android", "com.acme.R.color.accent", "accent"),
        ("android", "@color/accent_base", "accent_base"),
        ("android", "@dimen/gap <!-- dp -->", "gap"),
        ("android", "radiusSm", "radiusSm"),
        ("android", "colorResource(R.color.accent)", "accent"),
        ("android", "colorResource(id = R.color.accent)", "accent"),
        ("android", "MaterialTheme.colorScheme.primary", "primary"),
        ("android", "AcmeTheme.accent", "accent"),
        ("android", "accent-base", None),
        ("android", "@android:color/black", None),
        ("android", "größe", None),
        ("ios", "accentBase", "accentBase"),
        ("ios", ".accentBase", "accentBase"),
        ("ios", "Color.accentBase", "accentBase"),
        ("ios", "Color.`default`", "default"),
        ("ios", "UIColor.accentBase // dynamic", "accentBase"),
        ("ios", 'Color("accentBase")', "accentBase"),
        ("ios", 'Color("accentBase", bundle: .module)', "accentBase"),
        ("ios", 'UIColor(named: "accentBase")!', "accentBase"),
        ("ios", "Color(.accentBase)", "accentBase"),
        ("ios", "Theme.colors.accentBase", "accentBase"),
        ("ios", "accent-base", None),
        ("ios", 'Color("a\\(b)")', None),
        ("ios", "2xl", None),
    ],
)
def test_every_form_names_what_it_should(platform, text, name):
    """Comments do not count, and what is no identifier is refused."""
    assert code_syntax(platform).identifier(text) == name


def test_a_comment_does_not_cut_an_address():
    """Two slashes after a colon are no comment."""
    assert code_syntax("css").identifier("https://example.com/--x") is None


@pytest.mark.parametrize("platform", ["css", "android", "ios"])
@pytest.mark.parametrize(
    "text", ["a" + " " * 40_000 + "/", "a/" + "\n" * 40_000 + "b", "<!--" * 40_000, "/* " * 40_000]
)
def test_a_hostile_text_costs_no_more_than_its_length(platform, text):
    """Patterns that start anew at every blank or bracket took seconds for a text like these."""
    syntax = code_syntax(platform)
    started = time.perf_counter()
    assert syntax.identifier(text) is None
    assert time.perf_counter() - started < 2
