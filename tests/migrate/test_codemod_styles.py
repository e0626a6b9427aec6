"""The codemod in style sheets: custom properties and Sass variables, and what only looks like them."""

import pytest
from migrate.codemods import codemod, markers, rewritten

from tokensync.code.renaming.rewriting import Choices
from tokensync.system.positions import replaced

CSS = {"css": {"--c-bg": "--color-background"}}
SASS = {"css": {"$c-bg": "$color-background"}}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a { --c-bg: red }", "a { --color-background: red }"),
        ("a { b: var( --c-bg,#fff) }", "a { b: var( --color-background,#fff) }"),
        ("a { b: var(/* x */--c-bg) }", "a { b: var(/* x */--color-background) }"),
        ("a { b: var(--\\63 -bg) }", "a { b: var(--color-background) }"),
        ("a { b: var(--\\000063-bg) }", "a { b: var(--color-background) }"),
        ("a { b: var(--c\\-bg) }", "a { b: var(--color-background) }"),
        ("@property --c-bg { syntax: '*' }", "@property --color-background { syntax: '*' }"),
        ("a { transition: --c-bg 1s }", "a { transition: --color-background 1s }"),
        ("@container side style(--c-bg: red) { }", "@container side style(--color-background: red) { }"),
        ("a{--c-bg:var(--c-bg-hover,var(--c-bg))}", "a{--color-background:var(--c-bg-hover,var(--color-background))}"),
        ("@apply --c-bg;", "@apply --color-background;"),
        ("\ufeff--c-bg:1", "\ufeff--color-background:1"),
    ],
)
def test_a_custom_property_is_renamed_where_it_is_declared_and_used(before, after):
    assert rewritten("css", before, CSS) == (after, [])


@pytest.mark.parametrize(
    "text",
    [
        "a { --c-bg-hover: 1; b: var(--c-bg-hover) var(--x--c-bg) var(--c-bg\\.5) }",
        "a { b: var(--C-BG) }",
        "a { b: url(x#--c-bg) url( --c-bg ) URL(x--c-bg) }",
        ".--c-bg, #--c-bg, .a--c-bg { }",
        "a { anchor-name: --c-bg; view-transition-name: --c-bg; b: anchor(--c-bg top) }",
        "@custom-media --c-bg (width > 1px); @media (--c-bg) { }",
        "@custom-selector :--c-bg h1; :--c-bg { }",
        "@container --c-bg (width > 1px) { } a { container-name: --c-bg }",
        "@font-palette-values --c-bg { } a { b: --c-bg(1) }",
        "a { b: 10--c-bg }",
    ],
)
def test_what_only_looks_like_the_custom_property_stays(text):
    assert rewritten("css", text, CSS) == (text, [])


def test_names_in_strings_and_comments_are_listed_and_changed_if_wanted():
    text = '/* --c-bg */\na { content: "--c-bg"; b: "var(--c-bg-x)" }'
    findings = [("comment", 1, 4, "--c-bg"), ("string", 2, 15, "--c-bg")]
    assert rewritten("css", text, CSS) == (text, findings)
    new = text.replace('"--c-bg"', '"--color-background"')
    assert rewritten("css", text, CSS, strings=True) == (new, findings[:1])
    assert rewritten("css", text, CSS, strings=True, comments=True) == (
        new.replace("/* --c-bg", "/* --color-background"),
        [],
    )


def test_line_ends_byte_order_marks_and_broken_bytes_stay():
    text = b"\xef\xbb\xbfa {\r\n  --c-bg: '\xff';\r\n\tb:var(--c-bg)\r}\n".decode("utf-8", "surrogateescape")
    new, findings = rewritten("css", text, CSS)
    assert new == text.replace("--c-bg", "--color-background")
    assert findings == []


def test_a_swap_is_made_in_one_run():
    renames = {"css": {"--a": "--b", "--b": "--a", "--c": "--d", "--d": "--e"}}
    text = "a { --a: var(--b); --c: var(--d) }"
    assert rewritten("css", text, renames) == ("a { --b: var(--a); --d: var(--e) }", [])


def test_a_second_run_changes_nothing():
    prepared = codemod(**CSS)
    text = "a { --c-bg: 1; b: var(--c-bg, '--c-bg') } /* --c-bg */"
    first = replaced(text, prepared.rewrite("a.css", text).edits)
    assert first != text
    assert prepared.rewrite("a.css", first).edits == ()


@pytest.mark.parametrize("function", ["hsl", "hsla", "rgb", "RGB", "oklch", "color"])
def test_a_whole_colour_among_the_parts_of_one_is_reported_until_it_is_fixed(function):
    renames = {"css": {"--c-bg": {"to": "--background", "whole_color": True}}}
    text = f"a {{ b: {function}(var(--c-bg) / 0.5) }}"
    new, findings = rewritten("css", text, renames)
    assert new == text.replace("--c-bg", "--background")
    assert markers(findings) == ["warn"]
    assert rewritten("css", new, renames) == (new, [("warn", 1, 13 + len(function), "--background")])


def test_a_whole_colour_in_a_relative_colour_is_right():
    renames = {"css": {"--c-bg": {"to": "--background", "whole_color": True}}}
    new, findings = rewritten("css", "a { b: hsl(from var(--c-bg) h s l / 0.5) var(--c-bg) }", renames)
    assert new == "a { b: hsl(from var(--background) h s l / 0.5) var(--background) }"
    assert findings == []


def test_a_rename_can_be_written_with_a_warning_or_only_listed():
    renames = {
        "css": {
            "--a": {"to": "--x", "role": "warn", "note": "it is lighter"},
            "--b": {"to": "--y", "role": "manual", "note": "split it"},
            "--c": {"role": "manual"},
        }
    }
    done = codemod(**renames).rewrite("a.css", "a { b: var(--a) var(--b) var(--c) }")
    assert [(each.start, each.text) for each in done.edits] == [(11, "--x")]
    assert [(each.marker, each.old, each.new, each.what) for each in done.findings] == [
        ("warn", "--a", "--x", "it is lighter"),
        ("manual", "--b", "--y", "split it"),
        ("manual", "--c", "", "no new name is safe; change it by hand"),
    ]


def test_a_new_name_that_the_file_declares_already_is_reported():
    text = ":root { --c-bg: red }\n.x { --color-background: red }"
    new, findings = rewritten("css", text, CSS)
    assert new == text.replace("--c-bg", "--color-background")
    assert findings == [("warn", 2, 6, "--color-background")]


def test_a_new_name_gets_the_escapes_that_it_needs():
    assert rewritten("css", "a { b: var(--a) }", {"css": {"--a": "--space-0.5"}})[0] == "a { b: var(--space-0\\2e 5) }"
    renames = {"css": {"--space-0\\.5": "--space-half"}}
    assert rewritten("css", "a { b: var(--space-0\\.5) }", renames)[0] == "a { b: var(--space-half) }"


# --- Sass -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "$c-bg: red !default;",
        "a { b: #{$c-bg}; c: $c-bg }",
        "a { b: tokens.$c-bg }",
        'a { b: "x#{$c-bg}y" url(a#{$c-bg}b) url($c-bg) }',
        "@include x($c-bg...); @use 'y' with ($c-bg: 1);",
        "a#{$c-bg}b { --x: #{$c-bg} }",
    ],
)
def test_a_variable_of_sass_is_renamed(text):
    assert rewritten("scss", text, SASS) == (text.replace("$c-bg", "$color-background"), [])


def test_a_variable_of_sass_can_be_written_with_an_underscore():
    assert rewritten("scss", "a { b: $c_bg }", SASS) == ("a { b: $color-background }", [])


def test_longer_variables_of_sass_stay():
    text = "$c-bg-hover: $c-bg-hover2; a { b: $-c-bg }"
    assert rewritten("scss", text, SASS) == (text, [])


def test_keys_of_maps_are_listed():
    text = 'a { b: map.get($m, "c-bg") map-get($m, c-bg); d: $c-bg }\n.c-bg { c-bg: c-bg }'
    new, findings = rewritten("scss", text, SASS, strings=True)
    assert new == text.replace("$c-bg", "$color-background")
    assert findings == [("string", 1, 21, "c-bg"), ("string", 1, 40, "c-bg")]


def test_line_comments_are_comments_of_sass_only():
    assert rewritten("scss", "// $c-bg\n$c-bg: 1;", SASS) == (
        "// $c-bg\n$color-background: 1;",
        [("comment", 1, 4, "$c-bg")],
    )
    assert rewritten("css", "a { b: x//var(--c-bg)\n}", CSS)[0] == "a { b: x//var(--color-background)\n}"


def test_sass_evaluates_interpolations_in_comments_that_it_writes():
    text = "/* $c-bg #{$c-bg} */ // #{$c-bg}"
    new, findings = rewritten("scss", text, SASS)
    assert new == "/* $c-bg #{$color-background} */ // #{$c-bg}"
    assert markers(findings) == ["comment", "comment"]


def test_a_name_that_is_built_is_listed():
    text = "a { b: var(--c-#{$x}) var(--c-bg#{$x}) var(#{$x}--c-bg) }"
    new, findings = rewritten("scss", text, CSS)
    assert new == text
    assert findings == [("built", 1, 12, "--c-…"), ("built", 1, 27, "--c-bg…"), ("built", 1, 49, "--c-bg…")]


def test_the_indented_syntax_of_sass_is_read():
    text = "// $c-bg\n   $c-bg\n$c-bg: red\na\n  b: $c-bg\n  // $c-bg\n    more $c-bg\n  c: $c-bg\n"
    new, findings = rewritten("a.sass", text, SASS)
    assert [line for line in new.split("\n") if "color" in line] == [
        "$color-background: red",
        "  b: $color-background",
        "  c: $color-background",
    ]
    assert markers(findings) == ["comment"] * 4


def test_less_has_line_comments_and_built_names():
    text = "// --c-bg\na { b: var(--c-bg) var(--c-@{x}) var(--c-bg@{x}) }"
    new, findings = rewritten("a.less", text, CSS)
    assert new == "// --c-bg\na { b: var(--color-background) var(--c-@{x}) var(--c-bg@{x}) }"
    assert markers(findings) == ["comment", "built", "built"]


def test_declarations_stay_where_the_new_names_read_the_old_ones():
    renames = codemod(**CSS).renames
    done = codemod(**CSS).rewrite(
        "a.css",
        "@media print { .dark { --c-bg: 1; b: var(--c-bg) } } @property --c-bg { }",
        Choices(kept=frozenset(renames.all)),
    )
    assert [each.start for each in done.edits] == [41]
    assert [each.selector for each in done.declared] == [".dark"]
