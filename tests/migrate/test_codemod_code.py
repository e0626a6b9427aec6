"""The codemod in programs and in Android's XML: names of code, resources, and what only looks like them."""

import pytest
from migrate.codemods import markers, rewritten

RESOURCE = {"android": {"color/c_bg": "color/background"}}
SWIFT = {"ios": {"cBg": "colorBackground", "Color.ink": "Color.text"}}
TS = {"ts": {"cBg": "colorBackground", "tokens.primary": "tokens.main"}}


# --- Kotlin and Java ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "val a = R.color.c_bg",
        "val a = com.example.R.color.c_bg",
        "val a = R\n  .color // x\n  .c_bg",
        'val a = "x ${R.color.c_bg} y ${"${R.color.c_bg}"}"',
        "import a.b.R as Res\nval a = Res.color.c_bg",
        "import a.b.R.color.c_bg\nval a = f(c_bg)",
        "val a = R.color.`c_bg`",
        '"""raw " ${R.color.c_bg}"""',
    ],
)
def test_a_resource_is_renamed_in_kotlin(text):
    assert rewritten("kotlin", text, RESOURCE) == (text.replace("c_bg", "background"), [])


@pytest.mark.parametrize(
    "text",
    [
        "android.R.color.c_bg; R.dimen.c_bg; R.color.c_bg_hover; c_bg; x.color.c_bg; R.attr.c_bg",
        '\'"\'; R.color.c_b; "\\${R.color.c_bg_x}"',
    ],
)
def test_other_resources_stay(text):
    assert rewritten("kotlin", text, RESOURCE) == (text, [])


def test_java_has_no_interpolation_and_no_nested_comments():
    text = 'int a = R.color.c_bg; /* /* */ b(R.color.c_bg); String s = "${R.color.x}", t = """\n" R.color.c_bg """;'
    new, findings = rewritten("A.java", text, RESOURCE)
    assert new == text.replace("R.color.c_bg;", "R.color.background;").replace("b(R.color.c_bg", "b(R.color.background")
    assert findings == [("string", 2, 3, "color/c_bg")]


def test_names_in_strings_and_comments_of_kotlin_are_listed():
    text = 'r.getIdentifier("c_bg", "color", p) // R.color.c_bg\n/* a /* @color/c_bg */ R.color.c_bg */ "see c_bg"'
    new, findings = rewritten("kotlin", text, RESOURCE)
    assert new == text
    assert markers(findings) == ["string", "comment", "comment", "comment"]
    new, findings = rewritten("kotlin", text, RESOURCE, strings=True, comments=True)
    assert new == text.replace("c_bg", "background", 4)
    assert findings == []


def test_names_of_kotlin_are_renamed_with_and_without_owners():
    renames = {"android": {"cBg": "colorBackground", "Old.primary": "Tokens.main"}}
    text = 'val a = Theme.cBg + cBg + Old.primary + Old\n?.primary + other.primary; "$cBg ${Old.primary} $$cBg2" // cBg'
    new, findings = rewritten("kotlin", text, renames)
    assert new == (
        "val a = Theme.colorBackground + colorBackground + Tokens.main + Tokens\n?.main + other.primary; "
        '"$colorBackground ${Tokens.main} $$cBg2" // cBg'
    )
    assert markers(findings) == ["comment"]


def test_a_new_owner_is_added_where_it_can_be():
    renames = {"android": {"cBg": "Tokens.background"}}
    text = 'val a = cBg; f("$cBg"); Tokens.cBg; Theme.cBg; val cBg = 1; Tokens.background'
    new, findings = rewritten("kotlin", text, renames)
    assert new == (
        'val a = Tokens.background; f("${Tokens.background}"); Tokens.background; Theme.cBg; val cBg = 1; '
        "Tokens.background"
    )
    assert findings == [("manual", 1, 43, "cBg"), ("manual", 1, 52, "cBg")]
    assert rewritten("kotlin", new, renames)[0] == new


def test_multi_dollar_strings_of_kotlin_interpolate_with_as_many_dollars():
    text = '$$"a $cBg $$cBg $${R.color.c_bg} ${R.color.c_bg}"'
    renames = {"android": {"cBg": "colorBackground", "color/c_bg": "color/background"}}
    new, findings = rewritten("kotlin", text, renames)
    assert new == '$$"a $cBg $$colorBackground $${R.color.background} ${R.color.c_bg}"'
    assert markers(findings) == ["string"]


# --- XML ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        '<View android:background="@color/c_bg" />',
        "<View android:background='@com.example:color/c_bg' />",
        '<resources><color name="c_bg">#fff</color></resources>',
        '<resources><color name="x"> @color/c_bg </color></resources>',
        '<resources><item name="c_bg" type="color">#fff</item></resources>',
        '<item name="android:textColor">@color/c_bg</item>',
        '<View a="@{on ? @color/c_bg : @color/c_b}" />',
        '<aapt:attr name="x"><selector><item android:color="@color/c_bg"/></selector></aapt:attr>',
    ],
)
def test_a_resource_is_renamed_in_xml(text):
    assert rewritten("xml", text, RESOURCE) == (text.replace("c_bg", "background"), [])


@pytest.mark.parametrize(
    "text",
    [
        '<View a="?attr/c_bg" b="?c_bg" c="@android:color/c_bg" d="@dimen/c_bg" e="@color/c_bg_hover" f="c_bg" />',
        '<resources><dimen name="c_bg">1dp</dimen><style name="c_bg"/><attr name="c_bg"/></resources>',
        '<c_bg color="c_bg">c_bg</c_bg>',
    ],
)
def test_attributes_and_other_resources_stay(text):
    assert rewritten("xml", text, RESOURCE) == (text, [])


def test_tools_attributes_texts_and_comments_of_xml_are_listed():
    text = (
        '<a tools:background="@color/c_bg" b="see @color/c_bg"><!-- @color/c_bg -->or @color/c_bg'
        "<![CDATA[@color/c_bg]]></a>"
    )
    new, findings = rewritten("xml", text, RESOURCE)
    assert new == text
    assert markers(findings) == ["tools", "string", "comment", "string", "string"]
    assert findings[0] == ("tools", 1, 22, "color/c_bg")


def test_a_file_that_is_the_resource_is_listed():
    assert rewritten("app/res/color-night/c_bg.xml", "<selector/>", RESOURCE)[1] == [("file", 1, 1, "color/c_bg")]
    assert rewritten("app/res/layout/c_bg.xml", "<selector/>", RESOURCE)[1] == []
    assert rewritten("A.xcassets/cBg.colorset/Contents.json", "{}", SWIFT)[1] == [("file", 1, 1, "cBg")]


def test_dots_in_resources_are_underscores_in_code():
    renames = {"android": {"color/c.bg": "color/new.bg"}}
    assert rewritten("kotlin", "R.color.c_bg", renames)[0] == "R.color.new_bg"
    assert rewritten("xml", '<a b="@color/c.bg"/>', renames)[0] == '<a b="@color/new.bg"/>'


# --- Swift ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "let a = Color.cBg",
        "f(.cBg, \\.cBg)",
        'f("x \\(Color.cBg + g("\\(cBg)"))")',
        'f(#"\\(x) \\#(Color.cBg) """#)',
        '"""\n "quoted" \\(cBg)\n"""',
        "let a = `cBg`; a?.cBg / 2 / 3",
        "static let cBg = 1 /* a /* b */ c */; cBg",
    ],
)
def test_a_name_is_renamed_in_swift(text):
    assert rewritten("swift", text, SWIFT) == (text.replace("cBg", "colorBackground"), [])


def test_names_in_strings_comments_and_regular_expressions_of_swift_stay():
    text = 'Color("cBg"); UIColor(named: "cBg"); let r = /cBg+/; s = #/a cBg/#; "cBg x" // cBg\n#if cBgX\n$cBg'
    new, findings = rewritten("swift", text, SWIFT)
    assert new == text
    assert markers(findings) == ["string", "string", "comment"]
    new, findings = rewritten("swift", text, SWIFT, strings=True)
    assert new.startswith('Color("colorBackground"); UIColor(named: "colorBackground"); let r = /cBg+/')
    assert markers(findings) == ["comment"]


def test_a_plain_word_is_renamed_with_its_owner_only():
    text = "Color.ink; other.ink; .ink; ink; SwiftUI.Color.ink"
    assert rewritten("swift", text, SWIFT) == ("Color.text; other.ink; .ink; ink; SwiftUI.Color.text", [])
    new, findings = rewritten("swift", "Color.ink; ink; .ink", {"ios": {"ink": "text"}})
    assert new == "Color.ink; ink; .ink"
    assert findings == [("manual", 1, 7, "ink"), ("manual", 1, 18, "ink")]


def test_colours_of_the_system_are_listed():
    new, findings = rewritten("swift", "Color.purple; Tokens.purple", {"ios": {"Color.purple": "Color.brandPurple"}})
    assert new == "Color.purple; Tokens.purple"
    assert markers(findings) == ["manual"]
    new, findings = rewritten("swift", "Color.cBg", {"ios": {"Color.cBg": "Color.purple"}})
    assert new == "Color.purple"
    assert markers(findings) == ["warn"]


# --- TypeScript and JavaScript --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "import { cBg } from './tokens'; export { cBg as x }",
        "a = theme.cBg + theme?.cBg + theme!.cBg + cBg",
        "s = `x ${cBg} ${`${cBg}`}` / 2",
        "x = cBg / 2 / cBg",
        "const { cBg } = theme, o = { cBg: 1 }",
        "class A { cBg = 1; m() { return this.cBg } }",
    ],
)
def test_a_name_is_renamed_in_typescript(text):
    assert rewritten("ts", text, TS) == (text.replace("cBg", "colorBackground"), [])


def test_names_of_strings_texts_and_regular_expressions_stay():
    text = (
        'el.style.setProperty("--c-bg", x); s = `var(--c-bg)`; r = /cBg[/"]cBg/g; a.b("cBg"); t = "cBg is"; '
        'u = tokens["primary"]; v = "primary"; this.#cBg; // cBg primary\n'
    )
    new, findings = rewritten("ts", text, {**TS, "css": {"--c-bg": "--color-background"}})
    assert new == text
    assert [each[0] for each in findings] == ["string"] * 4 + ["comment"]
    assert [each[3] for each in findings] == ["--c-bg", "--c-bg", "cBg", "tokens.primary", "cBg"]


def test_strings_change_if_wanted():
    text = 'a.setProperty("--c-bg", x["cBg"]); f(`hsl(var(--c-bg) / 1)`, `--c-${x}`)'
    css = {"--c-bg": {"to": "--color-background", "whole_color": True}}
    new, findings = rewritten("ts", text, {**TS, "css": css}, strings=True)
    assert new == text.replace("--c-bg", "--color-background").replace("cBg", "colorBackground")
    assert findings == [("warn", 1, 47, "--c-bg"), ("built", 1, 63, "--c-…")]


def test_texts_and_attributes_of_jsx_are_no_code():
    text = (
        "const a = <T,>(x: T) => <Box cBg='cBg' b={cBg} {...theme.cBg}>don't cBg {cBg} <b/>cBg</Box>;\n"
        "return (<>{cBg ? <i>cBg</i> : cBg}</>) as Foo<cBg>; // x"
    )
    new, findings = rewritten("a.tsx", text, TS)
    assert new == (
        "const a = <T,>(x: T) => <Box cBg='cBg' b={colorBackground} {...theme.colorBackground}>don't cBg "
        "{colorBackground} <b/>cBg</Box>;\n"
        "return (<>{colorBackground ? <i>cBg</i> : colorBackground}</>) as Foo<colorBackground>; // x"
    )
    assert markers(findings) == ["string"]


def test_owners_can_change():
    renames = {"ts": {"tokens.color.bg": "theme.background", "old.cInk": "fresh.text"}}
    text = "a = tokens.color.bg; b = tokens?.color\n.bg; c = old.cInk; d = x.old.cInk"
    new, _ = rewritten("ts", text, renames)
    assert new == "a = theme.background; b = theme.background; c = fresh.text; d = x.fresh.text"


def test_a_new_name_without_an_owner_keeps_the_owner_of_the_old_one():
    renames = {"ios": {"Color.cBg": "background2"}}
    assert rewritten("swift", "Color.cBg; x.cBg", renames) == ("Color.background2; x.cBg", [])


# --- other files ----------------------------------------------------------------------------------------------------


def test_style_sheets_and_scripts_in_documents_are_read():
    text = (
        "<template><p :style=\"'var(--c-bg)'\">cBg</p></template>\n"
        '<style lang="scss">a { b: $c-bg var(--c-bg) } // $c-bg\n</style>\n<script setup lang="ts">x = cBg</script>'
    )
    css = {"--c-bg": "--color-background", "$c-bg": "$color-background"}
    new, findings = rewritten("A.vue", text, {**TS, "css": css})
    assert new == text.replace("{ b: $c-bg var(--c-bg)", "{ b: $color-background var(--color-background)").replace(
        "x = cBg", "x = colorBackground"
    )
    assert markers(findings) == ["text", "text", "comment"]


def test_names_in_languages_without_a_lexer_are_listed():
    css = {"css": {"--c-bg": "--color-background"}}
    text = "Use `--c-bg`, not --c-bg-hover.\n@color/c_bg"
    assert rewritten("README.md", text, {**css, **RESOURCE}) == (
        text,
        [("text", 1, 6, "--c-bg"), ("text", 2, 1, "color/c_bg")],
    )
    assert markers(rewritten("A.m", '[UIColor colorNamed:@"cBg"];', SWIFT)[1]) == ["text"]
