"""Custom properties of CSS: values, names, references and reports. One oddity a stylesheet."""

import pytest
from migrate.stylesheet_sources import lines_accounted, lines_declared, notes, read_css, reasons, tables
from msgspec.structs import replace

from tokensync.migrate.conversion.graph import convert
from tokensync.migrate.conversion.mapping_file import propose
from tokensync.migrate.evaluation.values import text_of
from tokensync.migrate.readers.css import reader as css
from tokensync.migrate.source import Location
from tokensync.system.errors import UsageError

VALUES = {
    "a colour": ("#1f6feb", "#1f6feb", "color"),
    "a colour with alpha": ("#abcd", "#abcd", "color"),
    "a colour's name": ("RebeccaPurple", "RebeccaPurple", "color"),
    "no colour at all": ("transparent", "transparent", "color"),
    "a colour of the text around": ("currentColor", "currentColor", "css"),
    "oklch with none": ("oklch(60% 0.2 none / 0.4)", "oklch(60% 0.2 none / 0.4)", "css"),
    "a colour of another space": ("color(display-p3 1 0 0)", "color(display-p3 1 0 0)", "css"),
    "a colour without spaces": ("rgba(0,0,0,.5)", "rgba(0,0,0,.5)", "css"),
    "a colour with spaces": ("hsl( 210deg   17% 98% )", "hsl(210deg 17% 98%)", "css"),
    "pixels": ("16px", "16px", "dimension"),
    "rem": (".5rem", ".5rem", "dimension"),
    "a negative length": ("-0.05rem", "-0.05rem", "dimension"),
    "a length of the text's size": ("-0.05em", "-0.05em", "css"),
    "milliseconds": ("150ms", "150ms", "duration"),
    "a whole number": ("10", 10, "number"),
    "a number": ("-1.50", -1.5, "number"),
    "a number with an exponent": ("1e3", 1000, "number"),
    "a percentage": ("50%", "50%", "css"),
    "a text": ('"hello"', "hello", "string"),
    "a text with braces": ('"{hello}"', "{hello}", "string"),
    "a list of fonts": ("'Segoe UI', Arial, sans-serif", ["Segoe UI", "Arial", "sans-serif"], "fontFamily"),
    "a generic font": ("ui-monospace", ["ui-monospace"], "fontFamily"),
    "a list of fonts with a fallback": ("var(--own, 'Inter'), serif", "'Inter', serif", "fontFamily"),
    "a shadow": ("0 0 1px 1px #0003, inset 1px 2px red", "0 0 1px 1px #0003, inset 1px 2px red", "shadow"),
    "lengths": ("0 16px", "0 16px", "css"),
    "a curve": ("cubic-bezier(0.4, 0, 1, 1)", [0.4, 0.0, 1.0, 1.0], "cubicBezier"),
    "a gradient": ("linear-gradient(red, blue)", "linear-gradient(red, blue)", "css"),
    "an expression": ("calc( 1px + 2px )", "calc(1px + 2px)", "css"),
    "a comment inside": ("1px /* or 2px */", "1px", "dimension"),
    "several lines": ("1px\n  solid\n  red", "1px solid red", "css"),
    "an address": ("url( x.svg )", "url( x.svg )", "css"),
    "important": ("1px !important", "1px", "dimension"),
    "a block": ("{ a: b }", "{ a: b }", "css"),
    "an invalid colour": ("#12", "#12", "css"),
}


@pytest.mark.parametrize(("written", "value", "type_"), VALUES.values(), ids=VALUES)
def test_a_value_has_its_type_where_the_text_tells_it(written, value, type_):
    (token,) = read_css(f":root {{ --x: {written} }}").sets[0].tokens
    assert (token.value, token.type) == (value, type_)


BY_NAME = [
    ("--font-weight-bold", "700", 700, "fontWeight"),
    ("--shadow-md", "0 1px 2px rgb(0 0 0 / 0.1)", "0 1px 2px rgb(0 0 0 / 0.1)", "shadow"),
    ("--shadow-color", "#000", "#000", "color"),
    ("--font-body", '"Inter"', "Inter", "fontFamily"),
    ("--font-family", "Inter", ["Inter"], "fontFamily"),
    ("--z-index", "700", 700, "number"),
]


@pytest.mark.parametrize(("name", "written", "value", "type_"), BY_NAME)
def test_a_name_tells_the_type_of_some_values(name, written, value, type_):
    (token,) = read_css(f":root {{ {name}: {written} }}").sets[0].tokens
    assert (token.value, token.type) == (value, type_)


REFERENCES = {
    "alone": ("var(--b)", "{b}"),
    "with spaces": ("var( --b )", "{b}"),
    "in an expression": ("calc(var(--b) * 0.6)", "calc({b} * 0.6)"),
    "two": ("var(--b) var(--c)", "{b} {c}"),
    "with a fallback": ("var(--b, #fff)", "{b}"),
    "with a fallback that is a reference": ("var(--b, var(--c))", "{b}"),
    "undeclared with a fallback": ("var(--z, #fff)", "#fff"),
    "undeclared with a reference as fallback": ("var(--z, var(--b))", "{b}"),
    "undeclared twice with a fallback": ("var(--z, var(--y, 1px))", "1px"),
    "undeclared with a list as fallback": ("var(--z, 1px, 2px)", "1px, 2px"),
    "undeclared": ("var(--z)", "{z}"),
    "with an escape": (r"var(--\62)", "{b}"),
    "other case": ("VAR(--b)", "{b}"),
    "in a mix of colours": ("color-mix(in oklab, var(--b) 50%, red)", "color-mix(in oklab, {b} 50%, red)"),
    "in a colour": ("rgb(var(--b) 0 0)", "rgb({b} 0 0)"),
    "of a relative colour": ("oklch(from var(--b) l c h / 0.5)", "oklch(from {b} l c h / 0.5)"),
    "Tailwind's theme": ("--theme(--b, initial)", "{b}"),
    "Tailwind's opacity": ("--alpha(var(--b) / 50%)", "rgba({b}, 50%)"),
    "Tailwind's spacing": ("--spacing(4)", "calc({spacing} * 4)"),
}


@pytest.mark.parametrize(("written", "wanted"), REFERENCES.values(), ids=REFERENCES)
def test_references_have_the_path_of_their_target(written, wanted):
    source = read_css(f":root {{ --a: {written}; --b: red; --c: 1px; --spacing: 4px }}")
    assert tables(source)["base"]["a"] == wanted


def test_a_name_that_no_file_declares_is_reported_once():
    source = read_css(":root {\n --a: var(--z);\n --b: var(--z) 1px;\n --c: var(--y, 1px) }")
    assert notes(source) == {"--z": "no file declares it; add the file that does, or give it a value"}
    assert source.unread[0].at == Location("a.css", 2)


NOT_TOKENS = {
    "nothing": ("--x: ;", "the value is empty"),
    "nothing at the end": ("--x:", "the value is empty"),
    "a comment": ("--x: /* later */;", "the value is empty"),
    "initial": ("--x: initial", "initial is no value of its own"),
    "inherit": ("--x: INHERIT", "INHERIT is no value of its own"),
    "itself": ("--x: var(--x)", "it refers to itself: the declaration elsewhere counts"),
    "itself inside": ("--x: calc(var(--x, 1px) + 1px)", "it refers to itself: the declaration elsewhere counts"),
    "a broken text": ('--x: "abc\n', "not valid CSS: Bad string token"),
    "braces beside references": (
        "--x: {a} var(--b)",
        "the value has braces beside references; give the braces another form",
    ),
}


@pytest.mark.parametrize(("declaration", "reason"), NOT_TOKENS.values(), ids=NOT_TOKENS)
def test_what_has_no_value_is_reported_with_its_line(declaration, reason):
    source = read_css(f":root {{ --b: 1px;\n{declaration}\n}}")
    (unread,) = [each for each in source.unread if each.is_token]
    assert (unread.at, unread.name, unread.reason) == (Location("a.css", 2), "--x", reason)
    assert source.read == 2


def test_a_name_with_a_brace_cannot_be_referred_to():
    assert reasons(read_css(r":root { --a\{b: 1px }")) == {"--a{b": "references cannot contain this name; rename it"}


def test_escapes_are_part_of_no_name():
    source = read_css(r":root { --\63 -bg: 1px; --spacing-0\.5: 2px; --w-1\/2: 50%; --x: var(--spacing-0\.5) }")
    assert tables(source) == {"base": {"c-bg": "1px", "spacing-0.5": "2px", "w-1/2": "50%", "x": "{spacing-0.5}"}}
    assert [token.code_syntax for token in source.sets[0].tokens] == [
        (("WEB", "var(--c-bg)"),),
        (),
        (),
        (("WEB", "var(--x)"),),
    ]


def test_names_are_case_sensitive():
    assert tables(read_css(":root { --a: 1px; --A: 2px; --b: var(--A) }")) == {
        "base": {"a": "1px", "A": "2px", "b": "{A}"}
    }


def test_names_are_divided_where_three_share_a_group_that_is_no_token():
    source = read_css("""
        :root {
          --color-red-50: #f00;
          --color-red-100: #e00;
          --color-red-200: #d00;
          --color-black: #000;
          --card: #fff;
          --card-title: #eee;
          --card-text: #ddd;
          --text-xs: 1rem;
          --text-xs--line-height: 1.5;
          --text-sm: 2rem;
          --gap-x: var(--color-red-50);
        }
    """)
    assert [token.name for token in source.sets[0].tokens] == [
        ("color", "red", "50"),
        ("color", "red", "100"),
        ("color", "red", "200"),
        ("color", "black"),
        ("card",),
        ("card-title",),
        ("card-text",),
        ("text", "xs"),
        ("text", "xs--line-height"),
        ("text", "sm"),
        ("gap-x",),
    ]
    assert source.sets[0].tokens[-1].value == "{color.red.50}"


COMPONENTS = {
    "shadcn": (
        "--bg: 0 0% 100%; --card: var(--bg); --use: hsl(var(--card)); --veil: hsl(var(--bg) / 50%)",
        {"bg": "hsl(0 0% 100%)", "card": "{bg}", "use": "{card}", "veil": "rgba({bg}, 50%)"},
    ),
    "by its shape": ("--bg: 222.2 84% 4.9%", {"bg": "hsl(222.2 84% 4.9%)"}),
    "with alpha": ("--bg: 0 0% 0% / 0.2; --use: hsl(var(--bg))", {"bg": "hsl(0 0% 0% / 0.2)", "use": "{bg}"}),
    "Bootstrap": (
        "--rgb: 13, 110, 253; --use: rgba(var(--rgb), var(--o)); --o: .5",
        {"rgb": "rgb(13 110 253)", "use": "rgba({rgb}, {o})", "o": 0.5},
    ),
    "oklch": ("--c: 60% 0.2 120; --use: oklch(var(--c))", {"c": "oklch(60% 0.2 120)", "use": "{c}"}),
    "used in another file": ("--c: 255 0 0", {"c": "rgb(255 0 0)"}),
    "no components": (
        "--c: 1px 2px 3px; --use: hsl(var(--d)); --d: red",
        {"c": "1px 2px 3px", "use": "hsl({d})", "d": "red"},
    ),
    "not by shape": ("--c: 1 2 3", {"c": "1 2 3"}),
}


@pytest.mark.parametrize(("declarations", "wanted"), COMPONENTS.values(), ids=COMPONENTS)
def test_components_of_a_colour_become_the_colour(declarations, wanted):
    files = {
        "a.css": f":root {{ {declarations} }}".encode(),
        "tailwind.config.js": b"a: 'rgb(var(--c) / <alpha-value>)'",
    }
    if declarations.startswith(("--c: 60%", "--c: 1")):
        del files["tailwind.config.js"]
    source = css.read(files)
    assert tables(source) == {"base": wanted}
    assert source.read == len(wanted)


def test_colours_made_of_components_are_noted_with_what_code_has_to_change():
    source = read_css(":root { --bg: 0 0% 100%; --fg: 0 0% 0% }")
    assert notes(source) == {
        "--bg": "2 names with the components of a colour became whole colours: --bg, --fg; "
        "in code, hsl(var(--bg)) has to become var(--bg)"
    }


def test_tailwind_themes_are_the_base_before_all_rules():
    source = read_css("""
        @theme { --color-a: red; --radius: 1px; }
        @theme default { --radius: 9px }
        :root { --radius: 2px; --background: white }
        .dark { --background: black }
        @theme inline {
          --color-background: var(--background);
          --font-sans: var(--font-sans);
        }
    """)
    assert tables(source) == {
        "base": {"color-a": "red", "radius": "2px", "color-background": "{background}"},
        "appearance/light": {"background": "white"},
        "appearance/dark": {"background": "black"},
    }
    assert sorted(each.reason for each in source.unread if each.is_token) == [
        "a.css:3 replaces it in the same mode: '1px' by '2px'",
        "a.css:3 replaces it in the same mode: '9px' by '2px'",
        "it refers to itself: the declaration elsewhere counts",
    ]


def test_tailwind_resets_remove_what_earlier_themes_declare():
    source = read_css("""
        @theme { --color-a: red; --color-b: red; --text-a: 1px }
        @theme {
          --color-*: initial;
          --text-a: initial;
          --color-c: blue;
        }
    """)
    assert tables(source) == {"base": {"color-c": "blue"}}
    assert reasons(source) == {
        "--color-*": "it removes names from Tailwind's theme",
        "--color-a": "--color-*: initial in a.css:3 removes it",
        "--color-b": "--color-*: initial in a.css:3 removes it",
        "--text-a": "initial is no value of its own",
    }
    assert source.read == 6


def test_registered_properties_give_types_and_initial_values():
    source = read_css("""
        @property --a { syntax: "<length>"; inherits: true; initial-value: 2px }
        @property --b { syntax: "<color>"; inherits: true; initial-value: red }
        @property --c { syntax: "<color>"; inherits: true }
        :root { --b: var(--c); --c: color-mix(in srgb, red, blue) }
    """)
    assert {token.path: (token.value, token.type) for _, token in source.tokens()} == {
        "a": ("2px", "dimension"),
        "b": ("{c}", "color"),
        "c": ("color-mix(in srgb, red, blue)", "color"),
    }
    assert reasons(source) == {"--b": "a.css:4 replaces it in the same mode: 'red' by 'var(--c)'"}


def test_rules_that_declare_no_token_are_noted():
    source = read_css("""
        @keyframes spin { to { --angle: 360deg } }
        @keyframes ping { to { color: red } }
        @font-face { font-family: X }
        @custom-media --wide (min-width: 1px);
        :root { --a: 1px; color: red }
    """)
    assert notes(source) == {
        "spin": "@keyframes, 2 times (spin, ping): it declares no token",
        "": "@font-face, 1 time: it declares no token",
        "--wide": "@custom-media, 1 time (--wide): it declares no token",
    }
    assert list(reasons(source)) == ["--angle"]
    assert tables(source) == {"base": {"a": "1px"}}


def test_imports_are_followed_in_their_place_and_under_their_conditions():
    source = css.read(
        {
            "index.css": b"@import 'sub/a.css'; @import url(dark.css) (prefers-color-scheme: dark); :root { --a: 2px }",
            "dark.css": b":root { --a: 3px }",
            "sub/a.css": b'@import "./b.css" layer(low);\n:root { --a: 1px }',
            "sub/b.css": b":root { --a: 0px; --b: 1px }\n@import '../index.css';",
        }
    )
    assert tables(source) == {
        "base": {"b": "1px"},
        "appearance/light": {"a": "2px"},
        "appearance/dark": {"a": "3px"},
    }
    assert source.read == 5


def test_an_import_of_another_package_is_noted():
    source = read_css('@import "tailwindcss";\n:root { --a: 1px }')
    assert notes(source) == {"tailwindcss": "the imported stylesheet is not among these files; add it if it has tokens"}


def test_a_comment_after_a_declaration_is_its_description():
    source = read_css(":root {\n --a: 1px; /* the\n gap */\n --b: 2px;\n /* no */ --c: 3px /* no */ }")
    assert [token.description for token in source.sets[0].tokens] == ["the gap", "", ""]


FILES = {
    "a BOM": (b"\xef\xbb\xbf:root { --a: 1px }", 1, []),
    "CRLF": (b":root {\r\n  --a: 1px;\r\n  --b: 2px\r\n}", 2, []),
    "not UTF-8": (b":root { --a: \xff }", 0, [("a.css", 1, "the text is not UTF-8; save the file as UTF-8")]),
    "LFS": (
        b"version https://git-lfs.github.com/spec/v1\noid",
        0,
        [("a.css", 1, "the file is a pointer of Git LFS; run: git lfs pull")],
    ),
    "no tokens": (b"a { color: red }", 0, []),
    "empty": (b"", 0, []),
    "an unclosed rule": (b":root { --a: 1px", 1, []),
    "a brace too many": (
        b":root { --a: 1px } }\n.x { --b: 2px }",
        2,
        [("a.css", 1, "unmatched }; correct the stylesheet")],
    ),
    "a missing semicolon": (b":root { --a: 1px\n --b: 2px }", 1, []),
    "too many brackets": (b":root { --a: " + b"(" * 500, 1, []),
}


@pytest.mark.parametrize(("content", "read", "noted"), FILES.values(), ids=FILES)
def test_files_that_are_not_perfect_are_read_as_far_as_they_go(content, read, noted):
    source = css.read({"a.css": content})
    assert source.read == read
    found = [(each.at.file, each.at.line, each.reason) for each in source.unread if not each.is_token]
    assert found == noted


def test_lines_count_from_one_in_every_kind_of_line_ends():
    for end in ("\n", "\r\n", "\r", "\f"):
        source = css.read({"a.css": f"{end}:root {{{end}--a: 1px;{end}--b: 2px }}".encode()})
        assert [token.at.line for token in source.sets[0].tokens] == [3, 4]


def test_every_declaration_is_a_token_or_reported():
    text = """\
:root {
  --a: 1px;
  --a: 2px;
  --b: ;
  --c: light-dark(red, blue);
  --d: var(--d);
}
.dark { --a: 3px }
.dark { --a: 3px }
.btn, .dark .btn {
  --x: 1px;
}
@media print {
  :root { --a: 5px }
  @supports (x: y) {
    .y { --z: 1 }
  }
}
@theme {
  --k-a: 1;
}
@property --p { syntax: "*"; inherits: false; initial-value: 1 }
@layer a {
  @layer b {
    html {
      --a: 6px;
      & .z { --y: 1 }
    }
  }
}
@keyframes k {
  to { --k: 1 }
}
"""
    source = read_css(text)
    assert lines_accounted(source) == lines_declared(text)
    assert len(lines_declared(text)) == 15


def test_only_stylesheets_that_declare_something_are_recognized():
    assert css.recognized({"a.css": b":root{--a:1px}"})
    assert css.recognized({"a.SCSS": b"$a: 1px;"})
    assert css.recognized({"x/theme.css": b"@theme{\n}"})
    assert not css.recognized({"a.css": b"a { color: var(--a) }", "b.json": b"{}"})


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "tinycss2", None)
    with pytest.raises(
        UsageError,
        match=r"a\.css: to read CSS, tokensync needs the package tinycss2 of the extra 'migrate'; run `python -m pip",
    ):
        read_css(":root { --a: 1px }")


CODE = {
    "a keyword": ("ease-in-out", "ease-in-out"),
    "a keyword of no colour": ("currentColor", "currentColor"),
    "a function": ("max( 1rem,  min(4vw, 2rem) )", "max(1rem, min(4vw, 2rem))"),
    "a length that depends on the text": ("20ch", "20ch"),
    "a percentage": ("50%", "50%"),
    "a ratio": ("16 / 9", "16 / 9"),
    "a sum of units": ("calc(100vw - 2px)", "calc(100vw - 2px)"),
    "a gradient": ("linear-gradient(45deg, red, blue)", "linear-gradient(45deg, red, blue)"),
    "a colour that is calculated": ("oklch(98% calc(0.1 * 2) 250)", "oklch(98% calc(0.1 * 2) 250)"),
    "a reference inside": ("max(var(--gap), 2vw)", "max(16px, 2vw)"),
    "an opacity inside": ("brightness(var(--opacity))", "brightness(0.5)"),
    "a length of the text's size": ("-0.02em", "-0.02em"),
    "a sum of percentages": ("calc(1% + 2%)", "calc(1% + 2%)"),
    "a sum with a percentage inside": ("calc(var(--share) + 2%)", "calc(1% + 2%)"),
    "a curve inside": ("all 1s var(--curve)", "all 1s cubic-bezier(0.2, 0, 0, 1)"),
    "a curve behind a curve": ("all 1s var(--same)", "all 1s cubic-bezier(0.2, 0, 0, 1)"),
    "layers inside": ("0 1px red, var(--layers)", "0 1px red, 0 1px #fff, 0 2px blue"),
    "the parts of a colour inside": ("a(hsl(var(--ink) / 50%))", "a(rgb(from #f9fafb r g b / 50%))"),
}
OTHERS = """
    --gap: 16px; --opacity: 0.5; --share: 1%; --curve: cubic-bezier(.2, 0, 0, 1); --same: var(--curve);
    --layers: 0 1px #fff, 0 2px blue; --ink: 210 17% 98%"""


def test_a_list_of_fonts_with_a_reference_inside_is_all_of_them():
    source = read_css(':root { --own: My Font; --font-stack: Inter, var(--own), "Segoe UI", sans-serif }')
    tokens = {token.key.path: token for token in convert(source, propose(source), "file").graph.tokens.values()}
    (value,) = tokens["font-stack"].values
    assert (tokens["font-stack"].type, text_of(value)) == ("fontFamily", "Inter, My Font, Segoe UI, sans-serif")


@pytest.mark.parametrize(("written", "value"), CODE.values(), ids=CODE)
def test_what_only_css_can_read_stays_as_it_is_for_code(written, value):
    source = read_css(f":root {{ --x: {written}; {OTHERS} }}")
    converted = convert(source, propose(source), "file")
    token = next(token for key, token in converted.graph.tokens.items() if key.path == "x")
    assert (token.type, token.values) == ("css", (value,))
    assert "x" in [line.name for line in converted.ledger.of("files only")]
    assert converted.ledger.counts.tokens_reported == 0


@pytest.mark.parametrize("written", ["url(x.svg)", '"a" "b"', "{ a: b }", "#12", "grün"])
def test_what_outputs_cannot_write_for_css_is_reported(written):
    source = read_css(f":root {{ --x: {written} }}")
    ledger = convert(source, propose(source), "file").ledger
    assert (ledger.counts.tokens_migrated, [line.name for line in ledger.of("reported")]) == (0, ["x"])


def test_a_keyword_goes_to_figma_if_the_mapping_gives_it_the_type_string():
    source = read_css(":root { --x: ease-in-out; --y: 20ch }")
    mapping = replace(propose(source), types={"*": "string"})
    assert [token.type for token in convert(source, mapping, "file").graph.tokens.values()] == ["string", "string"]


def test_a_declaration_that_repeats_another_one_is_no_loss():
    source = read_css(":root { --a: 1px; --b: var(--a) } :root { --a: 1px; --b: var(--a) }")
    counts = convert(source, propose(source), "file").ledger.counts
    assert (counts.tokens_read, counts.tokens_migrated, counts.aliases_written) == (4, 4, 2)
    assert counts.is_balanced


def test_a_declaration_that_repeats_another_one_in_a_minified_form_is_no_loss():
    source = read_css(":root { --a: rgb(0, 0, 0 / 0.5); --b: #ABC } :root { --a: rgb(0,0,0/.5); --b: #abc }")
    assert reasons(source) == {}
    assert [len(each.tokens) for each in source.sets] == [4]


def test_a_declaration_that_repeats_a_reported_one_is_reported():
    source = read_css(":root { --a: url(x) } :root { --a: url(x) }")
    counts = convert(source, propose(source), "file").ledger.counts
    assert (counts.tokens_read, counts.tokens_reported) == (2, 2)


def test_a_shadow_that_is_none_in_another_mode_is_css_in_both():
    source = read_css(":root { --raised: 0 1px 2px red; --flat: 0 1px 2px red } .dark { --raised: none }")
    assert {f"{each.name} {token.path}": token.type for each, token in source.tokens()} == {
        "base flat": "shadow",
        "appearance/light raised": "css",
        "appearance/dark raised": "css",
    }
