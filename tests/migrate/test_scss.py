"""Variables, maps, mixins and comments of SCSS. One oddity a stylesheet."""

import re

import pytest
from migrate.stylesheet_sources import notes, read_css, reasons, tables

from tokensync.migrate.readers.css import reader as css


def read_scss(text):
    return read_css(text, "a.scss")


def test_variables_and_custom_properties_refer_to_each_other():
    source = read_scss("""
        $blue: #00f;
        $gap_x: 4px;
        $double: $gap-x * 2;
        :root {
          --blue: #{$blue};
          --gap: #{$gap_x};
          --both: $blue;
        }
        $from-css: var(--gap);
    """)
    assert tables(source) == {
        "base": {
            "scss.blue": "#00f",
            "gap-x": "4px",
            "double": "{gap-x} * 2",
            "blue": "{scss.blue}",
            "gap": "{gap-x}",
            "both": "{scss.blue}",
            "from-css": "{gap}",
        }
    }
    assert [token.code_syntax[0][1] for token in source.sets[0].tokens] == [
        "$blue",
        "$gap-x",
        "$double",
        "var(--blue)",
        "var(--gap)",
        "var(--both)",
        "$from-css",
    ]


def test_maps_are_groups_with_the_line_of_each_entry():
    source = read_scss("""
        $breakpoints: (
          sm: 640px, // phones
          "md": 768px,
          'deep': (a: 1, b: (c: $x)),
        );
        $x: 2px;
        $list: (1px, 2px);
        $use: map.get($breakpoints, sm);
        $old: map-get($breakpoints, 'md') + 1px;
        $deep: map.get($breakpoints, "deep", b, c);
        $none: map.get($breakpoints, xl);
    """)
    assert tables(source) == {
        "base": {
            "breakpoints.sm": "640px",
            "breakpoints.md": "768px",
            "breakpoints.deep.a": 1,
            "breakpoints.deep.b.c": "{x}",
            "x": "2px",
            "list": "(1px, 2px)",
            "use": "{breakpoints.sm}",
            "old": "{breakpoints.md} + 1px",
            "deep": "{breakpoints.deep.b.c}",
        }
    }
    assert [token.at.line for token in source.sets[0].tokens[:4]] == [2, 3, 4, 4]
    assert reasons(source) == {"$none": "no file declares the entry map.get($breakpoints, xl)"}


DEFAULTS = [
    ("$a: 1 !default; $a: 2;", 2),
    ("$a: 2; $a: 1 !default;", 2),
    ("$a: 1 !default; $a: 2 !default;", 1),
    ("$a: 1; $a: 2;", 2),
]


@pytest.mark.parametrize(("text", "wanted"), DEFAULTS)
def test_defaults_count_only_without_another_value(text, wanted):
    source = read_scss(text)
    assert tables(source) == {"base": {"a": wanted}}
    assert len(reasons(source)) == 1


NOT_TOKENS = {
    "local": (".a { $x: 1px; }", "the variable is local to a block"),
    "of a mixin": ("@mixin m($y) { $x: $y; }", "it is inside of @mixin m($y)"),
    "of a loop": ("@each $k in (a, b) { $x: 1; }", "it is inside of @each $k in (a, b)"),
    "of a condition": ("@if $dark { $x: 1 !global; }", "it is inside of @if $dark"),
    "null": ("$x: null;", "null is no value of its own"),
    "its own value": ("$x: 1; $x: $x * 2;", "it changes its own earlier value; compile the SCSS, and give the CSS"),
    "of another module": ("@use 'b'; b.$x: 1px;", "sets a variable of another module"),
    "a computed text": ('$a: b; $x: "a#{$a}";', "Sass computes a part of a text; compile the SCSS"),
    "a computed address": ("$a: b; $x: url(#{$a}/c.svg);", "Sass computes a part of a text; compile the SCSS"),
    "a function": ("$x: darken(#fff, 15%);", "Sass computes darken(); compile the SCSS, and give the CSS"),
    "a function inside": ("$x: 1px solid lighten(#fff, 15%);", "Sass computes lighten()"),
    "a function of a module": (
        "@use 'sass:color'; $x: color.scale(#fff, $lightness: -10%);",
        "Sass computes color.scale()",
    ),
    "an own function": ("@function f($a) { @return $a; } $x: f(1);", "Sass computes f()"),
    "empty": ("$x: ;", "the value is empty"),
}


@pytest.mark.parametrize(("text", "reason"), NOT_TOKENS.values(), ids=NOT_TOKENS)
def test_variables_that_need_a_compiler_are_reported(text, reason):
    assert reasons(read_scss(text))["$x"].startswith(reason)


def test_an_entry_without_a_name_is_reported():
    assert reasons(read_scss("$m: (: 1, a: 2, '': 3);")) == {"$m.": "references cannot contain this name; rename it"}


def test_names_with_a_constant_are_read_and_computed_ones_reported():
    source = read_scss("""
        $variable-prefix: bs- !default;
        $prefix: $variable-prefix !default;
        $variable-prefix: x- !default;
        :root {
          --#{$prefix}blue: #00f;
          --bs-use: var(--#{$prefix}blue);
          @each $name, $value in $colors { --#{$name}: #{$value}; }
          --#{$other}x: 1;
        }
    """)
    assert tables(source)["base"] == {
        "prefix": "{variable-prefix}",
        "variable-prefix": "bs-",
        "bs-blue": "#00f",
        "bs-use": "{bs-blue}",
    }
    assert set(reasons(source)) == {"$variable-prefix", "--#{$name}", "--#{$other}x"}


def test_constants_in_selectors_and_at_the_start_of_names_are_read():
    source = read_scss("""
        $parent: "";
        $class: "dark" !default;
        $start: "--x-";
        #{$parent} :root { #{$start}a: #fff; #{$start}b: var(#{$start}a); #{$side}-top: 1px }
        .#{$class} { #{$start}a: #000 }
    """)
    sets = tables(source)
    assert (sets["appearance/light"], sets["appearance/dark"]) == ({"x-a": "#fff"}, {"x-a": "#000"})
    assert sets["base"]["x-b"] == "{x-a}"
    assert reasons(source) == {}


def test_mixins_without_arguments_are_expanded_where_they_are_included():
    source = read_scss("""
        @mixin dark { --a: #000; @include more; }
        @mixin more() { --b: 1px }
        @mixin unused { --c: 1px }
        @mixin wide($x) { --d: $x }
        :root { --a: #fff; --b: 2px }
        .dark { @include dark; }
        @media (prefers-color-scheme: dark) { :root { @include theme.dark(); @include wide(1px) } }
    """)
    assert tables(source) == {
        "appearance/light": {"a": "#fff", "b": "2px"},
        "appearance/dark": {"a": "#000", "b": "1px"},
    }
    assert set(reasons(source)) == {"--c", "--d"}
    assert source.read == 6


def test_mixins_of_the_same_name_are_those_of_their_modules():
    files = {
        "main.scss": b"@use 'tokens';\n@use 'dark.scss' as night;\n:root { @include tokens.all; }\n"
        b".dark { @include night.all; @include all; }",
        "tokens/_index.scss": b"@forward 'light';",
        "tokens/_light.scss": b"@mixin all { --a: #fff }",
        "_dark.scss": b"$c: #000; @mixin all { --a: #{$c}; @include own } @mixin own { --b: 1px }",
        "_other.scss": b"$c: #111; @mixin own { --b: 2px }",
    }
    source = css.read(files)
    assert tables(source) == {
        "base": {"dark.c": "#000", "other.c": "#111"},
        "appearance/light": {"a": "#fff"},
        "appearance/dark": {"a": "{dark.c}", "b": "1px"},
    }
    assert reasons(source)["--b"].startswith("it is inside of @mixin own")


def test_a_name_that_several_modules_declare_needs_its_namespace():
    source = css.read({"a.scss": b"@use 'b';\n$x: $gap;\n", "_b.scss": b"$gap: 1px;", "_c.scss": b"$gap: 2px;"})
    assert tables(source)["base"]["x"] == "{gap}"
    assert set(notes(source)) == {"$gap"}


def test_mixins_that_include_themselves_end():
    source = read_scss("@mixin a { @include b; --x: 1px } @mixin b { @include a } :root { @include a }")
    assert tables(source) == {"base": {"x": "1px"}}


def test_comments_of_a_line_hide_quotes_and_braces():
    source = read_scss("""
        // don't { read this
        $a: 1px; // it's "a
        $b: url(https://example.com/x); // }
        $c: "// no comment"; /* // } */
        :root { --d: 2px } // --e: 3px;
    """)
    assert tables(source) == {"base": {"a": "1px", "b": "url(https://example.com/x)", "c": "// no comment", "d": "2px"}}
    assert [token.at.line for token in source.sets[0].tokens] == [2, 3, 4, 5]


def test_nested_selectors_are_one_condition():
    source = read_scss(":root { --a: 1; .dark & { --a: 2 } &[data-theme=x] { --a: 3; &.dark { --a: 4 } } }")
    assert tables(source) == {
        "appearance + theme/light": {"a": 1},
        "appearance + theme/dark": {"a": 2},
        "appearance + theme/x": {"a": 3},
        "appearance + theme/dark x": {"a": 4},
    }


def test_modules_have_variables_of_the_same_name():
    source = css.read(
        {
            "main.scss": b"@use 'colors';\n@use 'sub/buttons' as b;\n@use 'sass:math';\n"
            b":root { --x: #{colors.$primary}; --y: #{b.$primary}; --z: math.div(colors.$gap, 2) }",
            "_colors.scss": b"$primary: red; $gap: 4px;",
            "sub/_buttons.scss": b"$primary: blue; $hover: $primary;",
        }
    )
    assert tables(source) == {
        "base": {
            "colors.primary": "red",
            "gap": "4px",
            "buttons.primary": "blue",
            "hover": "{buttons.primary}",
            "x": "{colors.primary}",
            "y": "{buttons.primary}",
            "z": "({gap} / 2)",
        }
    }


def test_the_configuration_of_a_module_replaces_its_defaults():
    source = css.read(
        {
            "main.scss": b"@use 'theme' with ($a: 2px, $b: 3px);",
            "_theme.scss": b"$a: 1px !default; $b: 3px !default;",
        }
    )
    assert tables(source) == {"base": {"a": "2px", "b": "3px"}}
    assert sorted(each.at.file for each in source.unread if each.is_token) == [
        "_theme.scss"
    ]  # the other default is the same


def test_an_undeclared_variable_is_noted():
    source = read_scss("$a: $b; $c: lib.$d;")
    assert set(notes(source)) == {"$b", "lib.$d"}


def test_booleans_of_scss_are_booleans():
    (one, other) = read_scss("$a: true; $b: false;").sets[0].tokens
    assert (one.value, one.type, other.value) == (True, "boolean", False)


BOOTSTRAP_LIKE = """\
// Color system
$white:    #fff !default;
$gray-100: #f8f9fa !default;
$gray-200: #e9ecef !default;
$gray-300: #dee2e6 !default;
$grays: (
  "100": $gray-100,
  "200": $gray-200
) !default;
$spacer: 1rem !default;
$spacers: (
  0: 0,
  1: $spacer * .25,
) !default;
$enable-shadows: false !default;
$font-family-sans-serif: system-ui, -apple-system, "Segoe UI" !default;
$body-color: rgba($white, .5) !default;
$link-hover: darken($white, 15%) !default;
"""


def test_every_variable_is_a_token_or_reported():
    """Variables are counted by a pattern, and entries of maps by hand: 8 variables, and 4 entries of 2 maps."""
    source = read_scss(BOOTSTRAP_LIKE)
    variables = re.findall(r"^\$[\w-]+:(?!\s*\($)", BOOTSTRAP_LIKE, re.MULTILINE)
    assert source.read == len(variables) + 4 == 13
    assert set(reasons(source)) == {"$link-hover"}
    assert tables(source)["base"] == {
        "white": "#fff",
        "gray.100": "#f8f9fa",
        "gray.200": "#e9ecef",
        "gray.300": "#dee2e6",
        "grays.100": "{gray.100}",
        "grays.200": "{gray.200}",
        "spacer": "1rem",
        "spacers.0": 0,
        "spacers.1": "{spacer} * .25",
        "enable-shadows": False,
        "font-family-sans-serif": ["system-ui", "-apple-system", "Segoe UI"],
        "body-color": "rgba({white}, .5)",
    }
