"""Names on each platform: words, identifiers, collisions, and what is said about them."""

from __future__ import annotations

import keyword

import pytest
from graphs import collection, color, graph, token
from hypothesis import given
from hypothesis import strategies as st

from tokensync.naming import PLATFORMS, names_for, readable, swift_name, words
from tokensync.naming.identifiers import RULES, android_identifier, ios_identifier
from tokensync.naming.words import ascii_words, camel, pascal, transliterated

BLACK = color("#000000")
SYNTAX = {"css": "WEB", "android": "ANDROID", "ios": "iOS"}


def named(platform, *tokens):
    """The names of tokens given as (collection name, token name, code syntax or nothing), and the problems."""
    families = {name: collection(name) for name, _, _ in tokens}
    listed = [
        token(families[of], name, BLACK, code_syntax=((SYNTAX[platform], syntax),) if syntax else ())
        for of, name, syntax in tokens
    ]
    made = graph(*families.values(), *listed)
    names, problems = names_for(made, made.tokens.values(), platform)
    return list(names.values()), [each.code for each in problems]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("accentBase", ("accent", "base")),
        ("RGBColor", ("rgb", "color")),
        ("borderRGB", ("border", "rgb")),
        ("blue500", ("blue500",)),
        ("500blue", ("500blue",)),
        ("H1Title", ("h1title",)),
        ("a-b_c.d  e", ("a", "b", "c", "d", "e")),
        ("%", ()),
        ("e\u0301clat", ("éclat",)),
        ("ГолубойФон", ("голубой", "фон")),
        ("İstanbul", ("istanbul",)),
        ("X", ("x",)),
        ("aB", ("a", "b")),
    ],
)
def test_words_end_where_a_reader_sees_them_end(name, expected):
    """At whatever is no letter or digit, at camel humps and after acronyms; not between letters and digits."""
    assert words(name) == expected


def test_words_have_an_ascii_form():
    """Accents fall, ligatures come apart, what has no ASCII letters is named by its code points."""
    assert ascii_words("Größe ﬁn 色彩 Ångström") == ("groudfe", "fin", "u8272u5f69", "angstrom")
    assert transliterated("abc") == "abc"


def test_spellings_join_words():
    """Nothing joined is nothing."""
    assert camel(("rgb", "color", "50")) == "rgbColor50"
    assert pascal(("rgb", "color")) == "RgbColor"
    assert camel(()) == ""


@pytest.mark.parametrize(
    ("platform", "expected"),
    [("css", "--rgb-color-accent500"), ("android", "rgb_color_accent500"), ("ios", "rgbColorAccent500")],
)
def test_each_platform_has_its_case(platform, expected):
    """kebab-case, snake_case and lowerCamelCase."""
    assert named(platform, ("Base", "RGBColor/accent500", "")) == ([expected], [])


def test_the_first_keeps_its_name_and_the_next_find_others():
    """The template's name for a code syntax, then the collection in front, then numbers."""
    names, codes = named(
        "css",
        ("One", "a", "--x"),
        ("One", "b", "var(--x)"),
        ("One", "x", ""),
        ("One", "X", ""),
        ("Two", "x", ""),
        ("Two", "x!", ""),
        ("Two", "x?", ""),
    )
    assert names == ["--x", "--b", "--one-x", "--one-x-2", "--two-x", "--two-x-2", "--two-x-3"]
    assert codes == ["identifier-collision"] * 6


def test_a_collision_names_both_tokens():
    """And says what the second is called instead."""
    of = collection("Base")
    made = graph(of, token(of, "Same name", BLACK), token(of, "same-name", BLACK))
    _, (found,) = names_for(made, made.tokens.values(), "css")
    assert str(found) == (
        "Base / same-name: its css name --same-name is the name of Base / Same name, so it is --base-same-name; "
        "give one of the two another code syntax or name [identifier-collision]"
    )


def test_a_name_taken_as_an_alternative_is_taken():
    """Whoever comes later has to step aside too."""
    names, _ = named("css", ("One", "x", ""), ("One", "X", ""), ("One", "one/x", ""), ("One", "y", "--one-x"))
    assert names == ["--x", "--one-x", "--one-one-x", "--y"]


def test_case_alone_tells_names_apart_except_on_ios():
    """There a name is a folder, on disks that ignore case."""
    tokens = [("One", "a", "Accent"), ("One", "b", "accent")]
    assert named("android", *tokens) == (["Accent", "accent"], [])
    assert named("ios", *tokens) == (["Accent", "b"], ["identifier-collision"])


def test_an_unusable_code_syntax_has_a_suggestion():
    """The template names the token."""
    of = collection("Base")
    made = graph(of, token(of, "accent/base", BLACK, code_syntax=(("WEB", "bg-[x]"),)))
    names, (found,) = names_for(made, made.tokens.values(), "css")
    assert list(names.values()) == ["--accent-base"]
    assert found.code == "code-syntax-unusable"
    assert found.what_to_do == "write it as var(--accent-base)"


def test_a_blank_code_syntax_is_none():
    """An empty field is no opinion."""
    assert named("css", ("One", "a", "  ")) == (["--a"], [])


@pytest.mark.parametrize(
    ("made", "name", "expected"),
    [
        (android_identifier, "class", "class_"),
        (android_identifier, "2xl", "_2xl"),
        (android_identifier, "größe-x", "groudfe_x"),
        (android_identifier, "__", "token"),
        (ios_identifier, "2xl", "_2xl"),
        (ios_identifier, "CON", "CON_"),
        (ios_identifier, "x²", "x2"),
        (ios_identifier, "x🎨y", "x_y"),
        (ios_identifier, "", "token"),
    ],
)
def test_what_is_no_identifier_is_made_one(made, name, expected):
    """Keywords, digits in front, other scripts, device files of Windows."""
    assert made(name) == expected


def test_swift_keywords_stand_in_back_ticks():
    """Others do not."""
    assert swift_name("default") == "`default`"
    assert swift_name("accent") == "accent"


@given(st.text(max_size=400), st.sampled_from(PLATFORMS))
def test_any_text_becomes_an_identifier_once(text, platform):
    """What is repaired needs no further repair, and is no longer than names may be."""
    rules = RULES[platform]
    name = rules.repaired(text)
    assert rules.repaired(name) == name
    body = name.removeprefix("--")
    assert 0 < len(body) <= 200
    assert any(map(str.isalnum, body))
    if platform != "css":
        assert body.isidentifier()
        assert not (platform == "android" and keyword.iskeyword(body) and body in rules.reserved)


@given(st.lists(st.text(max_size=3), min_size=1, max_size=12), st.sampled_from(PLATFORMS))
def test_all_names_of_an_output_differ(given_names, platform):
    """Whatever the tokens are called, and each change of a name is said."""
    of = collection("Base")
    made = graph(of, *{each.key: each for each in (token(of, name, BLACK) for name in given_names)}.values())
    names, problems = names_for(made, made.tokens.values(), platform)
    assert len({RULES[platform].folded(each) for each in names.values()}) == len(made.tokens)
    assert len(set(problems)) == len(problems)


def test_problems_show_readable_names():
    """One line, whatever the name holds."""
    assert readable("a\nb\u202e") == "a\\u000ab\\u202e"
    assert len(readable("x" * 10_000)) == 120


def test_many_equal_names_cost_no_more_than_different_ones():
    """A thousand nameless tokens are numbered in one go."""
    names, codes = named("css", *((("Base"), "🎨" * at, "") for at in range(1, 1001)))
    assert names[:3] == ["--token", "--base-token", "--base-token-2"]
    assert names[-1] == "--base-token-999"
    assert len(codes) == 999
