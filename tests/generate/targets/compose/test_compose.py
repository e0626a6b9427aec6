"""Kotlin for Compose: its contents, the lines that a change affects, and hostile design files."""

import pytest
from generate.targets.cases import CASES
from generate.targets.cases_compose import crossing
from generate.targets.changes import changed_lines
from generate.targets.compose_reading import read_compose
from generate.targets.hostile_graphs import TEXTS, hostile_graphs
from graphs import alias, collection, color, graph, token
from hypothesis import given
from hypothesis import strategies as st

from tokensync.generate.naming import names_for
from tokensync.generate.target import OutputRequest, Selection
from tokensync.generate.targets import generate, naming_of
from tokensync.generate.targets.compose import ComposeOptions, ComposeTheme, render
from tokensync.generate.targets.compose import literals as kotlin
from tokensync.generate.targets.compose.render import TypeNames
from tokensync.tokens import DEFAULT_THEME, Quantity, Theme, Unresolved

BLACK, WHITE = color("#000000"), color("#ffffff")


def collection_graph(of, **rest):
    """Return the files of a Compose output by path."""
    return {each.path: each.content for each in generate(of, OutputRequest(platform="compose", **rest))[0]}


def lines_changed(before, after):
    """Return (path, line) of the differences between two sets of files."""
    assert set(before) == set(after)
    return [(path, line) for path in before for line in changed_lines(before[path].decode(), after[path].decode())]


@pytest.mark.parametrize("name", [each for each in CASES if each.startswith("compose/")])
def test_tree_sitter_reads_every_golden_file(name):
    """The class of a mode overrides only properties of the default mode."""
    files, _ = generate(*CASES[name])
    types = read_compose(dict(files))
    for each in types.values():
        assert all(property_.type for property_ in each.values())


def test_changing_a_literal_changes_its_line_alone():
    """It also changes literals that depend on it, but not references."""
    tokens = list(crossing().tokens.values())
    families_ = crossing().collections.values()
    ink = next(each for each in tokens if each.key.path == "ink")
    other = token(next(iter(families_)), "ink", color("#123456"), WHITE)
    before = collection_graph(graph(*families_, *tokens))
    after = collection_graph(graph(*families_, *[other if each is ink else each for each in tokens]))
    assert lines_changed(before, after) == [
        ("SchemeTokens.kt", "-    public open val ink: Color get() = Color(0xFF000000)"),
        ("SchemeTokens.kt", "+    public open val ink: Color get() = Color(0xFF123456)"),
        ("PartsTokens.kt", "-                ToneMode.Calm -> Color(0x33000000)"),
        ("PartsTokens.kt", "-                ToneMode.Vivid -> Color(0x80000000)"),
        ("PartsTokens.kt", "+                ToneMode.Calm -> Color(0x33123456)"),
        ("PartsTokens.kt", "+                ToneMode.Vivid -> Color(0x80123456)"),
    ]


def test_a_new_token_adds_a_line():
    """It adds one line per mode in which it differs."""
    of = collection("Scheme", "Light", "Dark")
    first, last = token(of, "a", BLACK, WHITE), token(of, "c", BLACK)
    before = collection_graph(graph(of, first, last))
    after = collection_graph(graph(of, first, token(of, "b", BLACK, WHITE), last))
    assert lines_changed(before, after) == [
        ("SchemeTokens.kt", "+    public open val b: Color get() = Color(0xFF000000)"),
        ("SchemeTokens.kt", "+    override val b: Color get() = Color(0xFFFFFFFF)"),
    ]


def test_a_collection_too_large_for_one_class_is_split(monkeypatch):
    """Each token is in one part, and references from other parts find it."""
    monkeypatch.setattr(render, "MAX_PROPERTIES", 2)
    base, scheme = collection("Base"), collection("Scheme", "Light", "Dark")
    files = collection_graph(
        graph(
            base,
            scheme,
            *(token(base, f"b{at}", BLACK if at else alias("Base", "b4")) for at in range(5)),
            *(token(scheme, f"s{at}", BLACK if at else alias("Scheme", "s4"), WHITE) for at in range(5)),
        )
    )
    types = read_compose(files)
    assert [len(types[each]) for each in ("BaseTokensPart", "BaseTokensPart2", "BaseTokens")] == [2, 2, 1]
    assert types["BaseTokensPart"]["b0"].value == "BaseTokens.b4"
    assert types["SchemeTokensPart"]["s0"].value == "tokens.scheme.s4"
    assert [len(types[f"SchemeDarkTokens{each}"]) for each in ("Part", "Part2", "")] == [2, 2, 1]
    assert b"object BaseTokens : BaseTokensPart2()" in files["BaseTokens.kt"]
    assert (
        b"class SchemeDarkTokens(private val tokens: DesignTokensValues) : SchemeDarkTokensPart2(tokens)"
        in (files["SchemeTokens.kt"])
    )


def test_collections_of_two_files_with_the_same_name_have_unique_names():
    """They include the names of the files."""
    one, other = collection("Base"), collection("Base")
    other = type(other)(**{each: getattr(other, each) for each in other.__struct_fields__} | {"file": "other"})
    files = collection_graph(graph(one, other, token(one, "a", BLACK), token(other, "a", WHITE)))
    assert sorted(files) == ["DesignBaseTokens.kt", "DesignTokens.kt", "OtherBaseTokens.kt"]


def test_too_many_combinations_are_reported():
    """The other collections are then in their default modes."""
    several = [collection(f"Size {at}", *"abcdefgh") for at in range(3)]
    use = collection("Use")
    sizes = [token(several[0], "x", *(float(at) for at in range(8)), type="number")]
    for at in (1, 2):
        values = [alias(several[at - 1].name, "x"), *(float(each) for each in range(7))]
        sizes.append(token(several[at], "x", *values, type="number"))
    of = graph(*several, use, *sizes, token(use, "gap", alias("Size 2", "x"), type="dimension"))
    files, problems = generate(of, OutputRequest(platform="compose"))
    assert [each.code for each in problems] == ["theme-unsupported"] * 3
    assert read_compose(dict(files))["UseTokens"]["gap"].value == "0.dp"


def test_a_weight_that_is_a_fraction_in_another_collection_is_a_number():
    """It is a number in all modes."""
    size, text = collection("Size", "Cosy", "Dense"), collection("Text", "Plain", "Loud")
    of = graph(
        size,
        text,
        token(size, "strength", 400, 450.5, type="number"),
        token(text, "weight", 700, alias("Size", "strength"), type="fontWeight"),
        token(text, "bold", 700, type="fontWeight"),
    )
    types = read_compose(collection_graph(of))
    assert [each.type for each in types["TextTokens"].values()] == ["Float", "FontWeight"]
    assert types["TextLoudTokens"]["weight"].value == "tokens.size.strength"


def test_types_have_unique_names_regardless_of_case():
    """They also differ from the names of tokens."""
    types = TypeNames(["ColorTokens"])
    assert [types.claim(each) for each in ("ColorTokens", "AbTokens", "ABTokens")] == [
        *("ColorTokens2", "AbTokens", "ABTokens2"),
    ]


def system_of(files):
    """Return the function with the modes for the system's appearance."""
    return files["DesignTokens.kt"].decode().partition("fun system(")[2].partition("\n\n")[0]


def test_a_brand_follows_the_system_as_its_root_collection_does():
    """Its default mode may be light or dark."""
    scheme, tone = (
        collection("Scheme", "Light", "Dark", extensions=[("Brand B", "Scheme")]),
        collection("Tone", "A", "B"),
    )
    of = graph(scheme, tone, token(scheme, "ink", BLACK, WHITE), token(tone, "line", BLACK, WHITE))
    system = system_of(collection_graph(of))
    assert "SchemeMode.Light -> SchemeMode.Dark\n" in system
    assert "SchemeMode.BrandBLight -> SchemeMode.BrandBDark\n" in system
    assert "tone" not in system


@pytest.mark.parametrize(
    "rest",
    [
        {"exclude": Selection(themes=("scheme/brand-b.dark",))},
        {"options": ComposeOptions(themes={"scheme/brand-b.dark": ComposeTheme(appearance="none")})},
        {"themes": (Theme("brand", ((("design", "scheme"), 2),)), Theme("dark", ((("design", "scheme"), 1),)))},
    ],
)
def test_a_brand_stays_light_without_a_dark_mode_to_follow_with(rest):
    """The dark mode is excluded, disabled by the options, or not a configured theme."""
    scheme = collection("Scheme", "Light", "Dark", extensions=[("Brand B", "Scheme")])
    system = system_of(collection_graph(graph(scheme, token(scheme, "ink", BLACK, WHITE)), **rest))
    assert system.startswith("): DesignTokensTheme")
    assert "if (isSystemInDarkTheme()) DesignTokensTheme(scheme = SchemeMode.Dark) else" in system


@pytest.mark.parametrize(
    ("write", "value", "text"),
    [
        (kotlin.dp, -2.0, "(-2).dp"),
        (kotlin.dp, 3_000_000_000.0, "3000000000.0.dp"),
        (kotlin.sp, 0.5, "0.5.sp"),
        (kotlin.number, -0.5, "-0.5f"),
        (kotlin.font_weight, 450.5, None),
        (kotlin.font_weight, 1001.0, None),
        (kotlin.duration, Quantity(-1.5, "s"), "(-1.5).seconds"),
        (kotlin.duration, Quantity(1.0, "px"), None),
        (kotlin.LITERALS["boolean"], True, "true"),
        (kotlin.color, "red", None),
        (kotlin.string, "x" * 10_001, f'"{"x" * 10_000}" + "x"'),
    ],
)
def test_literals_are_kotlin(write, value, text):
    """In the measures of Compose."""
    assert write(value) == text


@given(hostile_graphs())
def test_hostile_graphs_read_back(of):
    """tree-sitter reads the expected properties with their names, and unchanged strings."""
    files, problems = generate(of, OutputRequest(platform="compose"))
    assert len(problems) == len(set(problems))
    types = read_compose(dict(files))
    names, _ = names_for(of, of.tokens.values(), naming_of("compose"))
    resolve = of.resolver(DEFAULT_THEME)
    expected = {key: of.tokens[key] for key in names if not isinstance(resolve(key), Unresolved)}
    own = next(each for each in types.values() if list(each) == [names[key] for key in expected])
    for key, each in expected.items():
        text = own[names[key]].string
        if each.type == "string" and text is not None:
            assert text == resolve(key)


@given(TEXTS)
def test_any_text_is_a_string_and_a_comment(text):
    """The string reads back, and the comment is on one line that the text cannot end."""
    of = collection("Base")
    files = collection_graph(graph(of, token(of, "a", text, type="string", description=text)))
    assert read_compose(files)["BaseTokens"]["a"].string == text
    comment = kotlin.comment(text)
    assert "*/" not in comment
    assert "/*" not in comment
    assert len(comment.splitlines()) <= 1


@given(st.sampled_from(["public", "internal"]), st.from_regex(r"[A-Z][A-Za-z0-9]{0,20}", fullmatch=True))
def test_types_are_named_by_the_options(visibility, name):
    """The file is too."""
    files = collection_graph(crossing(), options=ComposeOptions(name=name, visibility=visibility))
    types = read_compose(files)
    assert {name, f"{name}Theme", f"{name}Values"} <= set(types)
    assert f"{name}.kt" in files
