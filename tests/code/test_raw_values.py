"""Raw values: what a person would replace by a token in code of the web, and what nobody would."""

import pytest

from tokensync.code.files import parts
from tokensync.code.raw_values import raw_values
from tokensync.tokens import hexadecimal


def raws(path, text):
    found = [raw for part in parts(path, text) for raw in raw_values(part, text)]
    assert all(text[raw.start : raw.end] == raw.text for raw in found)
    return found


def found(path, text):
    """Return the texts of raw values, each with its use."""
    return [f"{raw.use}: {raw.text}" for raw in raws(path, text)]


def declared(text, ending="scss"):
    """Return the raw values of the declarations in a rule."""
    return found(f"a.{ending}", f".a {{ {text} }}")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("color: #FFF", "color: #FFF"),
        ("color: rgba(#fff, .5)", "color: rgba(#fff, .5)"),
        ("color: #0969da80", "color: #0969da80"),
        ("background: url(#gradient) no-repeat rgb(9 105 218 / 50%)", "background: rgb(9 105 218 / 50%)"),
        ("border: 1px solid hsl(210deg 10% 80%)", "border: 1px|border: hsl(210deg 10% 80%)"),
        ("color: oklch(0.6 0.1 250)", "color: oklch(0.6 0.1 250)"),
        ("color: color(display-p3 1 0.5 0)", "color: color(display-p3 1 0.5 0)"),
        ("color: rebeccapurple !important", "color: rebeccapurple"),
        ("-webkit-text-fill-color: White", "text-fill-color: White"),
        ("background: linear-gradient(to right, #fff 10%, black)", "background: #fff|background: black"),
        ("background: color-mix(in srgb, #fff 20%, var(--a))", "background: #fff"),
        (
            "box-shadow: 0 1px 2px rgba(0,0,0,.1), 0 0 0 3px $ring",
            "box-shadow: 1px|box-shadow: 2px|box-shadow: rgba(0,0,0,.1)|box-shadow: 3px",
        ),
        ("filter: drop-shadow(0 0 4px #000)", "filter: 4px|filter: #000"),
        ("padding: 4px 0.5rem 0 auto", "padding: 4px|padding: 0.5rem"),
        ("margin: -8px", "margin: -8px"),
        ("width: calc(100% - 16px)", "width: 16px"),
        ("inset-block-start: 12px", "inset-block-start: 12px"),
        ("transition: opacity .2s ease, color 300ms", "transition: .2s|transition: 300ms"),
        ("font-weight: 600", "font-weight: 600"),
        ("font-weight: bold", "font-weight: bold"),
        ("line-height: 1.5", "line-height: 1.5"),
        ("letter-spacing: 0.05em", "letter-spacing: 0.05em"),
        ("font-family: 'Open Sans', Arial, sans-serif", "font-family: 'Open Sans', Arial, sans-serif"),
        (
            "font: italic 700 12px/1.5 Inter, serif",
            "font-family: Inter, serif|font-weight: 700|font-size: 12px|line-height: 1.5",
        ),
        ("--my-local: #fff", "--my-local: #fff"),
        ("--space-card: 12px", "--space-card: 12px"),
    ],
)
def test_a_literal_is_found_with_its_property(text, expected):
    assert declared(text) == expected.split("|")
    assert declared(text, "css") == [each for each in expected.split("|") if "$" not in each]


@pytest.mark.parametrize(
    "text",
    [
        "color: var(--a)",
        "color: var(--a, #fff)",
        "color: currentColor; background: transparent; border-color: inherit; fill: none; color: CanvasText",
        "background: rgba(0, 0, 0, 0)",
        "margin: 0 auto; width: 100%; height: 50vh; padding: 0px",
        "flex: 1 0 200px; order: 2; grid-template-columns: 200px 1fr; transform: translateY(-2px)",
        "background: url(data:image/svg+xml;charset=utf8,%3Csvg fill='#fff'%3E)",
        "background: url(image.svg#abc)",
        "mask: linear-gradient(#000, transparent)",
        "-webkit-mask-image: linear-gradient(#000 30%, rgba(0,0,0,.65) 80%)",
        "content: '#fff 12px'",
        "color: rgb(var(--rgb) / 50%)",
        "color: hsl(from var(--a) h s l)",
        "white-space: nowrap; animation: red 1 linear; grid-area: gold; will-change: color",
        "filter: progid:DXImageTransform.Microsoft.gradient(startColorstr=#80000000, endColorstr=#80000000)",
        "font-family: sans-serif; font-family: inherit; font-weight: bolder; line-height: normal",
        "/* color: #fff; fixes #123 */",
        "$font-family: null; $use-family: false",
    ],
)
def test_what_no_token_could_replace_is_none(text):
    assert declared(text) == declared(text, "css") == []


def test_only_declarations_have_raw_values():
    text = (
        "#fff, a#abc:hover, a[href='#add'], .b:not(#cab) { }\n"
        "@media (min-width: 700px) and (color: #fff) { .c { } }\n"
        "@supports (color: #fff) { }\n"
        "@font-face { font-family: 'Own'; font-weight: 700; src: url(a.woff2) }\n"
        "@property --a { syntax: '<color>'; initial-value: #fff; inherits: true }\n"
        "@keyframes a { 50% { color: #bad } }"
    )
    assert found("a.css", text) == ["color: #bad"]


def test_variables_maps_and_arguments_of_sass_are_read():
    text = """
$primary: #0d6efd !default; // not #123
$gaps: ("small": 4px, large: (x: 8px));
$theme: (text: white, weight: bold);
@include button(#fff, $border: #000, $gap: 2px);
@function tint($c: #eee) { @return mix(white, darken(#123456, 5%), 10%); }
@use "x" with ($accent: #abc);
.a { --#{$p}blue: #00f; #{$p}-color: #0f0; color: darken(#fed, 5%); color: map-get($colors, red); padding: $a * 2px }
.b { color: rgba(#000, .5); &:hover { border-radius: math.div(4px, 2) } }
"""
    assert found("a.scss", text) == [
        "$primary: #0d6efd",
        "$gaps.small: 4px",
        "$gaps.large.x: 8px",
        "$theme.text: white",
        "$theme.weight: bold",
        "button: #fff",
        "$border: #000",
        "$gap: 2px",
        "$c: #eee",
        ": white",
        ": #123456",
        "$accent: #abc",
        "--blue: #00f",
        "-color: #0f0",
        "color: #fed",
        "color: rgba(#000, .5)",
        "border-radius: 4px",
    ]
    assert {raw.text for raw in raws("a.scss", text) if not raw.is_computed} == {"#00f", "#0f0", "rgba(#000, .5)"}
    assert hexadecimal(raws("a.scss", "a { color: rgba(#000, 50%) }")[0].value) == "#00000080"


def test_the_indented_syntax_and_less_are_read():
    assert found("a.sass", "$a: #fff\n.b\n  color: #abc\n  a:not(#abc)\n    margin: 4px 8px\n") == [
        "$a: #fff",
        "color: #abc",
        "margin: 4px",
        "margin: 8px",
    ]
    less = "@primary: #1890ff;\n.mixin(#eee; 4px);\n.a { color: fade(#fff, 10%); padding+: 4px; .b(); &:extend(.c); }"
    assert found("a.less", less) == ["@primary: #1890ff", "mixin: #eee", "color: #fff", "padding: 4px"]


def test_directives_of_svelte_are_read():
    assert found("a.svelte", "<p style:color='#eee' style:padding='{x}px'/>") == ["color: #eee"]


def test_families_are_read_after_a_size_that_is_a_reference():
    assert found("a.css", "a { font: var(--size)/var(--line) 'Inter', serif }") == ["font-family: 'Inter', serif"]
    assert found("a.css", "a { font: 600 16px/1.5 var(--family) }") == [
        "font-weight: 600",
        "font-size: 16px",
        "line-height: 1.5",
    ]


def test_attributes_of_markup_are_read():
    text = """<template><!-- #abc --><a href="#fff" id="add" style="color: #fff; padding: 4px" title="#face">#123</a>
<svg fill="#24292e" stroke='none' stop-color="white"><path d="M0 0#fff"/></svg>
<p :style="{ color: '#eee', marginTop: 8 }" class="bg-[#abc] p-4" style="width: {{ width }}px; color: {c}" /></template>
<script lang="ts">const anchor = "#fff"</script>
<style lang="scss" scoped>.a { color: #def; .b & { margin: 8px } }</style>"""
    assert found("a.vue", text) == [
        "color: #fff",
        "padding: 4px",
        "fill: #24292e",
        "stop-color: white",
        "color: '#eee'",
        "margin-top: 8",
        "background-color: bg-[#abc]",
        "color: #def",
        "margin: 8px",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<p style={{ color: '#fff', paddingTop: 8 }}/>", "color: '#fff'|padding-top: 8"),
        ("<p style={{ lineHeight: 1.5, margin: -4, border: `1px solid ${c}` }}/>", "line-height: 1.5|border: 1px"),
        ("<Box sx={{ p: 2, padding: 2, color: 'red', fontWeight: 600 }}/>", "color: 'red'|font-weight: 600"),
        ("<Box css={{ gap: '4px' }} color='#fff'/>", "gap: '4px'|color: '#fff'"),
        ("StyleSheet.create({ a: { padding: 12, fontFamily: 'Inter' } })", "padding: 12|font-family: 'Inter'"),
        ("const A = styled(B, { c: d })(({ theme }) => ({ padding: 8, color: '#fff' }))", "padding: 8|color: '#fff'"),
        ("const c = dark ? '#f0f0f0' : '#0ff0ff'", "c: '#f0f0f0'|c: '#0ff0ff'"),
        ("const colors = { a: '#123', list: ['#fff', '#000'] }", "a: '#123'|: '#fff'|: '#000'"),
        ("setColor('#0969da'); ctx.fillStyle = '#369'", ": '#0969da'|fill-style: '#369'"),
        ("const a = { boxShadow: '0 1px 2px #ccc' }", "box-shadow: 1px|box-shadow: 2px|box-shadow: #ccc"),
        ("const levels = ['0 1px 2px rgba(0,0,0,.1)', 'none']", ": rgba(0,0,0,.1)"),
        (
            "const A = styled.a<{ b: string }>`color: #eee; padding: 4px ${x}px;\n ${mixin}\n margin: 8px`",
            "color: #eee|padding: 4px|margin: 8px",
        ),
        ("const a = css`color: rgba(0, 0, 0, ${alpha}); /* #fff */`", ""),
        ("const b = c(`\n  color: #FFF;\n`)", "color: #FFF"),
        ("<path fill='red' stroke={'none'} stopColor='black'/>", "fill: 'red'|stop-color: 'black'"),
        ("clsx({ 'bg-[#abc]': a, 'b c': d })", "background-color: bg-[#abc]"),
        ("cn('bg-[#abc]', x && 'rounded-[4px]')", "background-color: bg-[#abc]|border-radius: rounded-[4px]"),
        ("<a className='hover:p-[13px] -m-[2px] md:text-[#fff]/50'/>", "padding: p-[13px]|margin: -m-[2px]"
         "|color: text-[#fff]"),
        ("const a = 'text-[color:#fff] [color:#fff] text-[14px] leading-[1.5] duration-[250ms]'",
         "color: text-[color:#fff]|color: [color:#fff]|font-size: text-[14px]|line-height: leading-[1.5]"
         "|transition-duration: duration-[250ms]"),
        ("const a = 'shadow-[0_1px_2px_#000]'", "box-shadow: #000"),
    ],
)  # fmt: skip
def test_styles_and_class_strings_in_scripts_are_found(text, expected):
    assert found("a.tsx", text) == [each for each in expected.split("|") if each]


@pytest.mark.parametrize(
    "text",
    [
        "// fixes #123, #abc123\n/* #fff */",
        "const issue = '#123'; const a = 'Fixes #123 and #abcdef'; f('#123'); f('#123456')",
        "const commit = '#deadbeef'; const sha = '#cafe12'; const pr = { number: '#123456' }",
        "document.querySelector('#add'); closest('#facade'); $('#fed')",
        "<a href='#fff' id='#abc'>Fixes #123 #abcdef</a>",
        "router.push('#bad'); const url = 'https://a.b/#fff'; navigate({ hash: '#faded0' })",
        "const a = /#fff/; class A { #fff = 1; get #abc() { return this.#fff } }",
        "<path d='M0 0 12px'/>",
        "const note = `\nfixes: #123;\n`; const chat = { channel: '#eee', name: '#abcdef' }",
        "const image = 'data:image/svg+xml,%3Csvg fill=%23fff'",
        "<Badge color='red' width='8px'/>",
        "const a = { width: 8, padding: 4, top: 1 }",
        "expect(`Fixes #123 ${a}`)",
        "const options = ['w-[var(--a)]', 'grid-cols-[200px_1fr]', 'content-[#fff]', 'a[0]', 'data-[state=open]:p-4']",
        "const b = x[a] - y[b]; type A = 'red' | 'blue'",
        "const a = <p style={{ width: '100%', color: 'inherit', zIndex: 0, margin: 0 }}/>",
    ],
)
def test_issues_hashes_ids_and_addresses_are_no_raw_values(text):
    assert found("a.tsx", text) == []


def test_every_beginning_of_a_text_is_read():
    text = "$a: (b: #fff)\n.c { font: 1px/2 a, 'b'; color: rgba(#000, .5) } @include d($e: 1px);\n@apply bg-[#fff];"
    script = "const a: b = css`c: ${d => `e`}`; <p style={{ f: '#fff', g: -1 }} h='i'>{j}</p>; k == '#fff'; l('#fff')"
    for end in range(len(text)):
        for path in ("a.scss", "a.sass", "a.less", "a.css"):
            raws(path, text[:end])
    for end in range(len(script)):
        raws("a.tsx", script[:end])
        raws("a.html", script[:end])


def test_templates_in_templates_and_unclosed_texts_end():
    texts = ("css`a: ${" * 3000, "rgb(" * 5000, "(" * 5000 + ":#fff", "'" * 5001, "<a b='" * 2000, "[a:" * 5000)
    deep = ("color: #fff; a{" * 9000, "<p style='" + "a{" * 20000 + "'>", "font-family: a" + " " * 20000 + "$")
    for text in (*texts, *deep):
        for path in ("a.tsx", "a.scss", "a.sass", "a.less", "a.css", "a.html"):
            raws(path, text)


def test_a_number_with_two_points_is_no_opacity():
    assert declared("color: rgba(#fff, .0.5)") == ["color: #fff"]
