"""Whatever is in a file, a reader of sources returns a source that holds together, and never another exception."""

import string

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from optional import needs_json5

from tokensync.migrate.readers import android, asset_catalog
from tokensync.migrate.readers.css import reader as css
from tokensync.migrate.source import Source

CSS = """\
@import "b.css" layer(x) (min-width: 1px);
@custom-media --d (prefers-color-scheme: dark), (--e);
@property --p { syntax: "<color>"; inherits: true; initial-value: red }
@theme inline { --color-a: var(--a); --color-*: initial; --s: var(--s) }
:root, .x:not(.y, :is(.dark)) { --a: 0 0% 100%; --b: hsl(var(--a) / calc(1 - var(--z, 2))) !important; --c: {a} "b" }
@layer a { [data-theme='dark'], .dark .theme-x { --a: light-dark(#fff, var(--b)); & > b { --e: url( x ) } } }
@media not all and (width >= 40rem) or (--d) { html { --w: 1px } }
"""
SCSS = """\
@use "b" as c with ($x: 1px, $y: (a: b));
$m: (a: 1px, "b": (c: $x, d: #{$m})) !default; // it's "
@mixin dark($a...) { --#{$x}a: math.div($x, 2); @include dark; }
.a { @include dark; &-b { $local: map.get($m, a, b) !global; --x: c.$y; } @each $k, $v in $m { --#{$k}: $v; } }
$m: map-merge($m, (a: b)); $a: -$m*2+#{1};
"""
XML = """\
<resources xmlns:tools="t">
  <color name="a" tools:ignore="x">#80FFFFFF</color><color name="b">@color/a</color>
  <dimen name="c">16dp</dimen><item name="d" type="dimen" format="float">0.5</item>
  <string name="e" translatable="false">"a\\u0041 &amp; {b}"</string><macro name="f">?attr/x</macro>
  <integer name="g">0x1F</integer><bool name="h">true</bool><fraction name="i">50%</fraction>
</resources>
"""
STATES = '<selector xmlns:android="a"><item android:alpha="0.5" android:color="#80ffffff"/></selector>'
COLORS = """\
{"colors": [
  {"idiom": "universal", "color": {"color-space": "srgb", "components": {"red": "0x33", "green": "51", "blue": "0.2",
   "alpha": "1.000"}}},
  {"idiom": "ipad", "appearances": [{"appearance": "luminosity", "value": "dark"}], "display-gamut": "display-P3",
   "color": {"color-space": "gray-gamma-22", "components": {"white": 0.5, "alpha": 1}}},
  {"color": {"platform": "ios", "reference": "labelColor"}}
], "properties": {"provides-namespace": true}}
"""
SET = "A.xcassets/G/{}.colorset/Contents.json"

FIXTURES = {
    "css": (css.read, {"a.css": CSS, "b.css": CSS, "c.ts": "x: 'hsl(var(--c))'"}),
    "scss": (css.read, {"a.scss": SCSS, "_b.scss": SCSS}),
    "android": (android.read, {"res/values/a.xml": XML, "res/values-night-v31/a.xml": XML, "res/color/a.xml": STATES}),
    "asset catalog": (
        asset_catalog.read,
        {SET.format("a"): COLORS, SET.format("b"): COLORS, "A.xcassets/G/Contents.json": COLORS},
    ),
}

FRAGMENTS = [
    *"{}()[]\"'\\;:,/*!#$@&.-_%<>=\n\r\t\f\0\ufeff\ud800é ",
    *(
        "--a",
        "var(",
        "#{",
        "$x",
        "//",
        "/*",
        "*/",
        "@media",
        "@mixin a {",
        ":root",
        ".dark",
        ":is(",
        "url(",
        "!default",
    ),
    *("1e999", "-0", "9" * 40, "0x", "(" * 200, "{" * 200, "[" * 200, ":not(" * 50, "<a>" * 200, "&lt;", "]]>", "<!--"),
    *("null", "true", "@color/", "?attr/", "@+id/", "name=", "\\u", "\\ud83d"),
]
edits = st.lists(
    st.tuples(
        st.integers(0, 2000),
        st.integers(0, 40),
        st.one_of(st.sampled_from(FRAGMENTS), st.text(string.printable, max_size=5), st.text(max_size=3)),
    ),
    max_size=6,
)


def edited(text: str, changes: list[tuple[int, int, str]]) -> bytes:
    for at, length, replacement in changes:
        start = at % (len(text) + 1)
        text = text[:start] + replacement + text[start + length :]
    return text.encode("utf-8", "surrogatepass")


def assert_holds_together(source: Source, files: dict[str, bytes]) -> None:
    """Sets are distinct, themes have sets of the source, paths of a set one value, and locations are in the files."""
    names = [each.name for each in source.sets]
    assert len(names) == len(set(names))
    for theme in source.themes:
        assert set(theme.sets) <= set(names)
        assert "enabled" in theme.sets.values()
    assert len({(theme.group, theme.name) for theme in source.themes}) == len(source.themes)
    for each in source.sets:
        values: dict[str, object] = {}
        assert all(values.setdefault(token.path, token.value) == token.value for token in each.tokens)
        assert all(token.name and all(token.name) for token in each.tokens)
    for at in [*(token.at for _, token in source.tokens()), *(each.at for each in source.unread)]:
        assert (
            1 <= at.line <= files[at.file].count(b"\n") + files[at.file].count(b"\r") + files[at.file].count(b"\f") + 1
        )
    assert all(each.reason for each in source.unread)


@needs_json5
@pytest.mark.parametrize("name", FIXTURES)
@given(changes=st.lists(edits, min_size=3, max_size=3))
@example(changes=[[], [], []])
def test_edited_files_are_read_or_reported(name, changes):
    read, texts = FIXTURES[name]
    files = {path: edited(text, each) for (path, text), each in zip(texts.items(), changes, strict=False)}
    assert_holds_together(read(files), files)


@needs_json5
@pytest.mark.parametrize("name", FIXTURES)
@given(content=st.binary(max_size=200))
def test_bytes_that_are_no_text_are_reported(name, content):
    read, texts = FIXTURES[name]
    files = dict.fromkeys(texts, content)
    assert_holds_together(read(files), files)


DEEP = {
    "rules": ":root{" * 3000 + "--a: 1px",
    "brackets": ":root{--a: " + "(" * 3000,
    "selectors": ":not(" * 3000 + "{--a: 1px}",
    "references": ":root{" + "".join(f"--a{i}: var(--a{i + 1});" for i in range(3000)) + "}",
    "fallbacks": ":root{--a: " + "var(--z, " * 3000 + "1px}",
    "lists": ".a, .b " * 3000 + "{--a: 1px}",
    "alternatives": ":is(.a, .b) " * 3000 + "{--a: 1px}",
    "maps": "$a: " + "(a: " * 3000 + "1px;",
    "media": "@media " + "(" * 3000 + "{:root{--a: 1px}}",
    "a class of hyphens": "." + "-" * 100_000 + "{--a: 1px}",
    "a use without an end": ":root{--a: 1px; color: rgb(var(--" + "\N{LATIN SMALL LETTER E WITH ACUTE}" * 3000,
    "a chain of components": ":root{" + "".join(f"--a{i}: var(--a{i + 1});" for i in range(3000)) + "--a3000: 0 0% 0%}",
    "addresses": ":root{--a: " + "url(" * 3000,
    "hyphens": ":root{--" + "a-" * 3000 + "b: 1px}",
    "lightness": ":root{--a: " + "light-dark(red, " * 3000,
}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_deep_and_long_stylesheets_are_read_or_reported(text):
    files = {"a.scss": text.encode()}
    source = css.read(files)
    assert_holds_together(source, files)
    assert source.read + len(source.unread) >= 1


def test_imports_in_all_directions_end():
    files = {f"{i}.css": "".join(f'@import "{j}.css" layer(l{j});' for j in range(8)).encode() for i in range(8)}
    files["0.css"] += b":root { --a: 1px }"
    source = css.read(files)
    assert {token.path for _, token in source.tokens()} == {"a"}


def test_entities_never_expand():
    entities = "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10 if i else "x"}">' for i in range(10))
    content = f'<!DOCTYPE r [{entities}]><resources><string name="x" translatable="false">&a9;</string></resources>'
    source = android.read({"values/a.xml": content.encode()})
    assert source.read == 0
    assert source.unread[0].reason.startswith("it declares entities")
