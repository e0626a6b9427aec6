"""Names on each platform: words, identifiers, collisions and their problems."""

from unicodedata import category

import pytest
from graphs import collection, color, graph, token
from hypothesis import given
from hypothesis import strategies as st

from tokensync.generate.naming import Naming, names_for, rendered_bytes
from tokensync.generate.naming.rules import (
    ascii_words,
    camel,
    pascal,
    path_words,
    transliterated,
    words,
    words_of_paths,
)
from tokensync.generate.targets import NAMED, naming_of
from tokensync.generate.targets.compose import kotlin_name
from tokensync.generate.targets.ios import swift_name
from tokensync.settings import NamingConfig
from tokensync.system.errors import ProblemsError
from tokensync.system.outlet import readable

BLACK = color("#000000")
SYNTAX = {
    "css": "WEB",
    "scss": "WEB",
    "typescript": "WEB",
    "android": "ANDROID",
    "compose": "ANDROID",
    "flutter": "ANDROID",
    "ios": "iOS",
}


def named(platform, *tokens, **settings):
    """The names of tokens given as (collection name, token name, code syntax or nothing), and the problems' codes."""
    names, problems = named_with_problems(platform, *tokens, **settings)
    return list(names.values()), [each.code for each in problems]


def texts_of(platform, *tokens):
    """The problems of the same as one text."""
    return "\n".join(map(str, named_with_problems(platform, *tokens)[1]))


def named_with_problems(platform, *tokens, **settings):
    """The names by key, and the problems."""
    families = {name: collection(name) for name, _, _ in tokens}
    listed = [
        token(families[of], name, BLACK, code_syntax=((SYNTAX[platform], syntax),) if syntax else ())
        for of, name, syntax in tokens
    ]
    made = graph(*families.values(), *listed)
    return names_for(made, made.tokens.values(), naming_of(platform), settings=NamingConfig(**settings))


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
        ("-4", ("negative", "4")),
        ("\N{MINUS SIGN}0.5px", ("negative", "0", "5px")),
        ("-a", ("a",)),
        ("4-8", ("4", "8")),
        ("-", ()),
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
    [
        ("css", "--rgb-color-accent500"),
        ("scss", "$rgb-color-accent500"),
        ("typescript", "rgbColorAccent500"),
        ("android", "rgb_color_accent500"),
        ("compose", "rgbColorAccent500"),
        ("ios", "rgbColorAccent500"),
    ],
)
def test_each_platform_has_its_case(platform, expected):
    """kebab-case, snake_case and lowerCamelCase."""
    assert named(platform, ("Base", "RGBColor/accent500", "")) == ([expected], [])


@pytest.mark.parametrize("platform", NAMED)
@given(st.lists(st.text("aB2-/%é\n ", max_size=8), max_size=5))
def test_the_packaged_template_writes_what_the_rules_write(platform, tokens):
    """A user's copy of the template changes no name."""
    families = [collection("Base"), collection("2nd x")]
    listed = [token(family, f"{name}/x{at}", BLACK) for family in families for at, name in enumerate(tokens)]
    made, rules = graph(*families, *listed), naming_of(platform)
    naming = Naming(made, rules, None, NamingConfig(prefix="Ac me"), {}, [])
    for with_collection in (False, True):
        names = naming.spelled(made.table.order, with_collection=with_collection)
        rows = [(path, (), "") for path in naming._words(made.table.order, with_collection=with_collection)]
        text = rendered_bytes(f"codesyntax/{platform}.j2", None, rows=rows).decode()
        assert names == (rules.identifiers(text[:-1].split("\n")) if rows else [])


@given(st.lists(st.text("aAbB1_-. /%é\n", max_size=9), max_size=4))
def test_words_of_several_paths_are_those_of_each(paths):
    """Also of paths with line breaks, signs and other scripts."""
    assert words_of_paths(paths) == [path_words(path) for path in paths]


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{{ path | join('-') }}", "--bgColor-Accent 2xl"),
        ("--{{ path | join('_') }}", "--bgColor_Accent 2xl"),
        ("{{ path | kebab }}", "--bg-color-accent-2xl"),
        ("{{ path | kebab('apart') }}", "--bg-color-accent-2-xl"),
        ("{{ path | snake }}", "--bg_color_accent_2xl"),
        ("{{ path | camel }}", "--bgColorAccent2xl"),
        ("{{ path | pascal }}", "--BgColorAccent2xl"),
        ("{{ path | constant }}", "--BG_COLOR_ACCENT_2XL"),
        ("{{ leaf | kebab }}-of-{{ group | camel }}", "--accent-2xl-of-bgColor"),
        ("{{ collection | kebab }}-{{ handle }}-{{ mode | kebab }}", "--my-modes-my-modes-value"),
        ("{{ type }}-{{ scopes | length }}-{{ words[-1] }}-{{ platform }}", "--color-0-2xl-css"),
        ("{% if type == 'color' %}c-{{ leaf | snake }}{% endif %}", "--c-accent_2xl"),
    ],
)
def test_one_line_of_the_configuration_names_tokens(template, expected):
    """It can use every fact of a token; what an identifier does not allow is replaced."""
    names, _ = named("css", ("My modes", "bgColor/Accent 2xl", ""), template=template)
    assert names == [expected.replace(" ", "-")]


@pytest.mark.parametrize(
    ("name", "numbers", "expected"),
    [
        ("gray/500", "", "gray-500"),
        ("gray/500", "joined", "gray500"),
        ("space/0/5", "joined", "space0-5"),
        ("500/gray", "joined", "500-gray"),
        ("h1/space2xl", "apart", "h-1-space-2-xl"),
    ],
)
def test_numbers_are_kept_apart_or_joined(name, numbers, expected):
    """Two numbers are never joined to another one."""
    template = f"{{{{ path | kebab('{numbers}') }}}}"
    assert named("css", ("Base", name, ""), template=template) == ([f"--{expected}"], [])


def test_one_line_fits_each_platform():
    """The sigil is added, and what a platform does not allow is replaced or transliterated."""
    of = ("Base", "bgColor/Größe", "")
    names = [named(platform, of, template="{{ path | join('-') }}")[0][0] for platform in ("scss", "android", "ios")]
    assert names == ["$bgColor-Größe", "bgColor_groudfe", "bgColor_Größe"]


def test_the_prefix_is_part_of_the_path_in_a_line():
    """And so is the suffix; code syntax stays as it is."""
    names, _ = named(
        "css", ("Base", "a/b", ""), ("Base", "c", "--X"), template="{{ path | join('.') }}", prefix="my", suffix="z"
    )
    assert names == ["--my-a-b-z", "--X"]


def test_names_that_a_line_makes_equal_get_the_handle_and_a_number():
    """Where the line does not use the path, only a number tells them apart."""
    tokens = [("One", "a/x", ""), ("One", "b/x", "")]
    assert named("css", *tokens, template="{{ leaf }}")[0] == ["--x", "--x-2"]
    assert named("css", *tokens, template="{{ path[-1:] | join }}")[0] == ["--x", "--x-2"]
    tokens = [("One", "x", ""), ("Two", "X", "")]
    assert named("css", *tokens, template="{{ path | kebab }}")[0] == ["--x", "--two-x"]


def test_a_line_break_in_a_name_is_none_in_a_line():
    """The names of a design file cannot make a template write another number of lines."""
    assert named("css", ("A\nB", "x\ny", ""), template="{{ collection }}/{{ leaf }}")[0] == ["--A-B-x-y"]


@pytest.mark.parametrize(
    ("template", "what"),
    [
        ("{{ pth }}", "'pth' is undefined"),
        ("{{ path }}", "it prints a list or a row; print its parts in a loop, or join them"),
        ("{{ path | map('kebab') }}", "it prints a list or a row; print its parts in a loop, or join them"),
        ("{{ leaf.upper }}", "it prints a function; call it"),
        ("{{ path | join('-') }", "unexpected '}'"),
        ("{% endfor %}", "Encountered unknown tag 'endfor'"),
        ("{{ ''.__class__.__mro__ }}", "unsafe"),
        ("a\nb", "renders 2 lines for 1 tokens"),
        ("{{ path | kebab('aprt') }}", "'aprt' is no spelling of numbers; write 'joined' or 'apart'"),
    ],
)
def test_a_wrong_line_is_an_error_that_shows_it(template, what):
    """And names what the line can use."""
    with pytest.raises(ProblemsError) as raised:
        named("css", ("One", "x", ""), template=template)
    (found,) = raised.value.problems
    assert found.code == "template-failed"
    assert found.where == f"naming.template {template!r}"
    assert what in found.what


def test_the_error_of_a_wrong_line_lists_the_filters():
    with pytest.raises(ProblemsError) as raised:
        named("css", ("One", "x", ""), template="{{ path | jion('-') }}")
    (found,) = raised.value.problems
    assert found.what_to_do.endswith("the filters kebab, snake, camel, pascal, constant and join")


@pytest.mark.parametrize(
    ("platform", "syntax", "other", "line"),
    [
        ("css", "--fgColor-onEmphasis", "--fgColor-openEmphasis", "{{ path | join('-') }}"),
        ("css", "--ds-fgColor-onEmphasis", "--ds-fgColor-openEmphasis", "ds-{{ path | join('-') }}"),
        ("css", "--fgColorOnEmphasis", "--fgColorOpenEmphasis", "{{ path | camel }}"),
        ("android", "R.color.fgColorOnEmphasis", "fgColorOpenEmphasis", "{{ path | camel }}"),
        ("ios", "Color.FgColorOnEmphasis", "FgColorOpenEmphasis", "{{ path | pascal }}"),
        ("ios", "fg_color_on_emphasis", "fg_color_open_emphasis", "{{ path | snake }}"),
    ],
)
def test_names_in_another_case_than_code_syntax_are_reported_with_the_line_that_repairs_it(
    platform, syntax, other, line
):
    """With the line, both have the same case, and nothing is reported."""
    tokens = (("One", "fgColor/onEmphasis", syntax), ("One", "fgColor/openEmphasis", ""))
    assert named(platform, *tokens)[1] == ["naming-mixed"]
    assert f'to have {other}, write naming = {{ template = "{line}" }}' in texts_of(platform, *tokens)
    names, codes = named(platform, *tokens, template=line)
    assert (names[1], codes) == (other, [])


@pytest.mark.parametrize(
    "tokens",
    [
        (("One", "a/b", "--a-b"), ("One", "fgColor", "")),  # the usual case
        (("One", "aB", "--aB"), ("One", "c", "")),  # the same in either case
        (("One", "aB", "--aB"), ("One", "cD", "--cD")),  # no other token
        (("One", "aB", "--xY"), ("One", "cD", "")),  # no spelling of the path
    ],
)
def test_nothing_is_reported_where_no_line_repairs_anything(tokens):
    assert named("css", *tokens)[1] == []


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
    _, (found,) = names_for(made, made.tokens.values(), naming_of("css"))
    assert str(found) == (
        "Base / same-name: its css name --same-name is the name of Base / Same name, so it is --base-same-name; "
        "give one of them another code syntax or name [identifier-collision]"
    )


@pytest.mark.parametrize("signed", ["x/50%", "x/+50", "x/#50"])
def test_of_names_that_differ_by_signs_the_plain_one_is_unchanged(signed):
    names, codes = named("css", ("One", signed, ""), ("One", "x/50", ""), ("One", "X/50", ""))
    assert (names, codes) == (["--one-x-50", "--x-50", "--one-x-50-2"], ["identifier-collision"] * 2)


def test_code_syntax_keeps_its_name_although_its_path_has_a_sign():
    names, _ = named("css", ("One", "x/50%", "--x-50"), ("One", "x/50", ""))
    assert names == ["--x-50", "--one-x-50"]


@pytest.mark.parametrize(("platform", "expected"), [("css", "--space-negative-4"), ("ios", "spaceNegative4")])
def test_the_minus_of_a_number_is_a_word(platform, expected):
    names, codes = named(platform, ("One", "space/-4", ""), ("One", "space/4", ""))
    assert (names, codes) == ([expected, expected.replace("negative-", "").replace("Negative", "")], [])


def test_a_name_taken_as_an_alternative_is_taken():
    """Later tokens avoid alternative names as well."""
    names, _ = named("css", ("One", "x", ""), ("One", "X", ""), ("One", "one/x", ""), ("One", "y", "--one-x"))
    assert names == ["--x", "--one-x", "--one-one-x", "--y"]


def test_case_alone_tells_names_apart_except_on_ios():
    """There a name is a folder, on disks that ignore case."""
    tokens = [("One", "a", "Accent"), ("One", "b", "accent")]
    assert named("android", *tokens) == (["Accent", "accent"], [])
    assert named("ios", *tokens) == (["Accent", "b"], ["identifier-collision"])


@pytest.mark.parametrize(
    ("platforms", "text", "reason"),
    [
        (("css", "scss", "typescript"), ("WEB", "bg-[x]"), "contains no name"),
        (("css", "scss", "typescript"), ("WEB", "inherit"), "is a keyword of CSS, not the name of a variable"),
        (("android", "compose"), ("ANDROID", "accent-base"), "contains no name"),
        (
            ("android", "compose"),
            ("ANDROID", "Color.White"),
            "refers to a resource or colour of Android itself, not of the app",
        ),
        (
            ("android", "compose"),
            ("ANDROID", "MaterialTheme.colorScheme.primary"),
            "refers to a role of Material's theme, which is not the name of a token",
        ),
        (("ios",), ("iOS", "UIColor.systemRed"), "refers to a colour or font of Apple's frameworks, not of the app"),
    ],
)
def test_a_code_syntax_without_a_name_has_the_same_advice_in_all_outputs(platforms, text, reason):
    """The template names the token."""
    of = collection("Base")
    made = graph(of, token(of, "accent/base", BLACK, code_syntax=(text,)))
    advice = set()
    for platform in platforms:
        names, (found,) = names_for(made, made.tokens.values(), naming_of(platform))
        assert found.code == "code-syntax-unusable"
        (name,) = names.values()
        assert found.what == f"its {text[0]} code syntax {text[1]!r} {reason}, so it becomes {name}"
        advice.add(found.what_to_do)
    option = text[0].lower()
    correct = f"correct it in the design file or by tokensync plan --code-syntax {option}, or add its form to "
    fill = "set the option material of the output, so that it fills the role, or correct it in the design file"
    assert advice == {fill if "MaterialTheme" in text[1] else f"{correct}[code_syntax.{option}]"}


@pytest.mark.parametrize(
    ("platform", "syntax", "text"),
    [
        ("android", "ANDROID", "8.dp"),
        ("compose", "ANDROID", "8.dp"),
        ("android", "ANDROID", "Color(0xFF112233)"),
        ("css", "WEB", "16px"),
        ("css", "WEB", "#ff0000"),
        ("css", "WEB", "rgb(31, 111, 235)"),
        ("ios", "iOS", "8"),
        ("ios", "iOS", "CGFloat(8)"),
    ],
)
def test_a_code_syntax_without_anything_like_a_name_has_no_form_to_configure(platform, syntax, text):
    of = collection("Base")
    made = graph(of, token(of, "accent/base", BLACK, code_syntax=((syntax, text),)))
    _, (found,) = names_for(made, made.tokens.values(), naming_of(platform))
    assert found.code == "code-syntax-unusable"
    assert found.what_to_do == f"correct it in the design file or by tokensync plan --code-syntax {syntax.lower()}"


def test_a_blank_code_syntax_is_none():
    """An empty field is no opinion."""
    assert named("css", ("One", "a", "  ")) == (["--a"], [])


@pytest.mark.parametrize(
    ("platform", "name", "expected"),
    [
        ("android", "class", "class_"),
        ("android", "2xl", "_2xl"),
        ("android", "größe-x", "groudfe_x"),
        ("android", "__", "token"),
        ("ios", "2xl", "_2xl"),
        ("ios", "CON", "CON_"),
        ("ios", "x²", "x2"),
        ("ios", "x🎨y", "x_y"),
        ("ios", "", "token"),
        ("scss", "$2xl", "$token-2xl"),
        ("scss", "--_accent", "$accent"),
        ("scss", "größe x", "$größe-x"),
        ("typescript", "default", "default_"),
        ("typescript", "__proto__", "__proto___"),
        ("typescript", "2xl", "_2xl"),
        ("typescript", "größe", "größe"),
        ("compose", "2xl", "_2xl"),
        ("flutter", "2xl", "n2xl"),
        ("flutter", "größe", "groudfe"),
        ("flutter", "_a-b", "a_b"),
        ("flutter", "class", "class_"),
        ("compose", "größe", "größe"),
        ("compose", "x²", "x2"),
        ("compose", "a-b", "a_b"),
        ("compose", "\U0001d44e\u0870", "au870"),
        ("android", "Widget.Accent", "Widget_Accent"),
    ],
)
def test_what_is_no_identifier_is_created_one(platform, name, expected):
    """Keywords, digits in front, other scripts, device files of Windows."""
    assert naming_of(platform).repair(name) == expected


def test_swift_keywords_stand_in_back_ticks():
    """Others do not."""
    assert swift_name("default") == "`default`"
    assert swift_name("accent") == "accent"


def test_kotlin_keywords_stand_in_back_ticks():
    """Soft keywords do not."""
    assert kotlin_name("object") == "`object`"
    assert kotlin_name("value") == "value"


@pytest.mark.parametrize(
    ("platform", "names", "codes"),
    [
        ("css", ["--ds-accent-base-token", "--mine"], []),
        ("scss", ["$ds-accent-base-token", "$mine"], []),
        ("typescript", ["dsAccentBaseToken", "mine"], []),
        ("android", ["ds_accent_base_token", "mine"], []),
        ("compose", ["dsAccentBaseToken", "mine"], []),
        ("ios", ["dsAccentBaseToken", "mine"], []),
    ],
)
def test_prefix_and_suffix_are_joined_as_the_platform_joins_words(platform, names, codes):
    """To the names that templates give; what a designer wrote stays."""
    tokens = [("One", "accent/base", ""), ("One", "b", "mine")]
    assert named(platform, *tokens, prefix="DS", suffix="token") == (names, codes)


@pytest.mark.parametrize(
    ("platform", "written", "expected"),
    [
        ("css", "var(--accent)", "--ds-accent-x"),
        ("scss", "$accent", "$ds-accent-x"),
        ("android", "@color/accent", "ds_accent_x"),
        ("compose", "Theme.accent", "dsAccentX"),
        ("ios", "Color.accent", "dsAccentX"),
    ],
)
def test_a_written_name_gets_them_too_when_asked_for(platform, written, expected):
    """Each in its platform's spelling."""
    found = named(platform, ("One", "a", written), prefix="ds", suffix="x", code_syntax="extend")
    assert found == ([expected], [])


def test_code_syntax_can_be_ignored():
    """Nothing is said of what is unusable then."""
    assert named("css", ("One", "a", "--x"), ("One", "b", "?"), code_syntax="ignore") == (["--a", "--b"], [])


def test_collisions_can_be_errors():
    """So that a build stops instead of renaming."""
    of = collection("Base")
    made = graph(of, token(of, "a", BLACK), token(of, "A", BLACK))
    (warning,) = names_for(made, made.tokens.values(), naming_of("css"))[1]
    (error,) = names_for(made, made.tokens.values(), naming_of("css"), settings=NamingConfig(collisions="raise"))[1]
    assert (warning.severity, error.severity) == ("warning", "error")


def test_each_collection_has_names_of_its_own_in_compose():
    """There a collection is a class."""
    tokens = [("One", "accent", ""), ("Two", "accent", ""), ("Two", "Accent", "")]
    assert named("compose", *tokens) == (["accent", "accent", "twoAccent"], ["identifier-collision"])
    assert named("typescript", *tokens)[0] == ["accent", "twoAccent", "twoAccent_2"]


def test_names_that_a_language_takes_for_one_collide():
    """Sass has no underscores of its own; the JVM names a property's getter with a capital."""
    assert named("scss", ("One", "a", "$x-y"), ("One", "b", "$x_y"))[0] == ["$x-y", "$b"]
    assert named("compose", ("One", "a", "Theme.accent"), ("One", "b", "Theme.Accent"))[0] == ["accent", "b"]
    assert named("compose", ("One", "a", "isDark"), ("One", "b", "IsDark"))[0] == ["isDark", "IsDark"]
    assert named("android", ("One", "a", "R.color.accent"), ("One", "b", "R.dimen.accent"))[0] == ["accent", "b"]


@given(st.text(max_size=400), st.sampled_from(NAMED))
def test_any_text_becomes_an_identifier_once(text, platform):
    """What is repaired needs no further repair, and is no longer than names may be."""
    rules = naming_of(platform)
    name = rules.repair(text)
    assert rules.repair(name) == name
    assert name.startswith(rules.sigil)
    body = name.removeprefix(rules.sigil)
    assert 0 < len(body) <= 200
    assert any(map(str.isalnum, body))
    assert rules.fold(name) not in rules.reserved
    if rules.separator == "_":
        assert body.isidentifier()
    if platform == "scss":
        assert not body[0].isascii() or body[0].isalpha()
    if platform == "compose":
        assert all(each.isascii() or (each < "\ud800" and category(each)[0] in "LN") for each in body)


SETTINGS = st.builds(
    NamingConfig,
    prefix=st.text(max_size=3),
    suffix=st.text(max_size=3),
    code_syntax=st.sampled_from(["keep", "extend", "ignore"]),
)


@given(
    st.lists(st.tuples(st.text(max_size=3), st.text(max_size=8)), min_size=1, max_size=12),
    st.sampled_from(NAMED),
    SETTINGS,
)
def test_all_names_of_an_output_differ(written, platform, settings):
    """Whatever the tokens are called, and each change of a name is said."""
    of = collection("Base")
    tokens = [token(of, name, BLACK, code_syntax=((SYNTAX[platform], syntax),)) for name, syntax in written]
    made = graph(of, *{each.key: each for each in tokens}.values())
    names, problems = names_for(made, made.tokens.values(), naming_of(platform), settings=settings)
    assert all(naming_of(platform).repair(each) == each for each in names.values())
    assert len({naming_of(platform).fold(each) for each in names.values()}) == len(made.tokens)  # of one collection
    assert len(set(problems)) == len(problems)


def test_problems_show_readable_names():
    """One line, whatever the name holds."""
    assert readable("a\nb\u202e") == "a\\nb\\u202e"
    assert len(readable("x" * 10_000)) == 120


def test_many_equal_names_cost_no_more_than_different_ones():
    """A thousand nameless tokens are numbered in one go."""
    names, codes = named("css", *((("Base"), "🎨" * at, "") for at in range(1, 1001)))
    assert names[:3] == ["--token", "--base-token", "--base-token-2"]
    assert names[-1] == "--base-token-999"
    assert len(codes) == 999
