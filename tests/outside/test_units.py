"""Lengths in em and %, and words of text styles, as the programs that consume outputs understand them."""

import pytest
from checkers import written
from graphs import collection, graph, key, token

from tokensync.generate.target import OutputRequest
from tokensync.generate.targets import generate
from tokensync.generate.targets.css import CssOptions
from tokensync.tokens import Alias, Composite, Quantity
from tokensync.tokens.composites import canonical

pytestmark = pytest.mark.outside

TEXT = collection("Text", "Light", "Dark")


def px(number):
    return {"value": number, "unit": "px"}


def units():
    """Lengths that are relative in all modes, in one mode, or by reference, and text styles with them."""

    def style(name, **members):
        json = canonical({"fontFamily": ["Inter"], "fontSize": px(20), "fontWeight": 400, **members})
        ends = {"{text.tight}": key("Text", "tight"), "{text.text-case}": key("Text", "textCase")}
        references = tuple(pair for pair in ends.items() if pair[0] in json)
        return token(TEXT, name, Composite(json, references), type="typography")

    words = {"fontStyle": "italic", "textCase": "uppercase", "textDecoration": "line-through"}
    return graph(
        TEXT,
        token(TEXT, "tight", Quantity(-0.05, "em"), Quantity(0.1, "em"), type="dimension"),
        token(TEXT, "tighter", Alias(key("Text", "tight")), Alias(key("Text", "tight")), type="dimension"),
        token(TEXT, "half", Quantity(50.0, "%"), type="dimension"),
        token(TEXT, "mixed", 8.0, Quantity(25.0, "%"), type="dimension"),
        *(token(TEXT, name, word, type=name) for name, word in words.items()),
        style("body", letterSpacing={"value": -5, "unit": "%"}, lineHeight={"value": 150, "unit": "%"}, **words),
        style("linked", letterSpacing="{text.tight}", textCase="{text.text-case}", lineHeight=px(30)),
    )


def files_of(platform, **options):
    files, problems = generate(units(), OutputRequest(platform=platform, **options))
    return {path: content.decode() for path, content in files}, [problem.what for problem in problems]


SHOWN = """[...document.querySelectorAll("p")].map((element) => {
  const style = getComputedStyle(element);
  return [style.letterSpacing, style.lineHeight, style.fontStyle, style.textTransform, style.textDecorationLine,
    style.width] })"""


@pytest.mark.parametrize(
    "options", [{}, {"property": True, "dimensions": "rem"}], ids=["defaults", "registered in rem"]
)
def test_a_browser_resolves_them_at_the_element_that_uses_them(options, chromium):
    files, problems = files_of("css", options=CssOptions(classes="font", **options))
    assert problems == []
    (css,) = files.values()
    rules = """.single { font-size: 40px; letter-spacing: var(--tighter); width: var(--half);
        font-style: var(--font-style); text-transform: var(--text-case); text-decoration: var(--text-decoration) }"""
    html = '<div style="width: 200px">{}</div>'.format(
        '<p class="body"></p><p class="linked"></p><p class="single"></p>'
    )
    with chromium(css + rules, html) as page:
        words = ["italic", "uppercase", "line-through"]
        assert page.page.evaluate(SHOWN) == [
            ["-1px", "30px", *words, "200px"],
            ["-1px", "30px", "normal", "uppercase", "none", "200px"],
            ["-2px", "normal", *words, "100px"],
        ]


def test_sass_computes_with_them(sass):
    files, _ = files_of("scss")
    sheet = '@use "tokens" as *;\n.x { a: $tight * 2; b: $half * 2; c: $text-case; d: math.unit($tight) }'
    css = sass(f'@use "sass:math";\n{sheet}', files)
    assert css == '.x {\n  a: -0.1em;\n  b: 100%;\n  c: uppercase;\n  d: "em";\n}'


def test_aapt2_links_numbers_in_em_and_fractions(aapt2, tmp_path):
    files, problems = files_of("android")
    assert "android has no lengths in %" in problems  # of the mode Dark of mixed
    values = aapt2(written(tmp_path, files))
    assert values["dimen/tight"][""] == "-0.05"
    assert values["dimen/half"][""] == "0.5"
    assert values["string/text_case"][""] == '"uppercase"'


MAIN = """package design.tokens
public fun main() {
    for (mode in TextMode.entries) {
        val text = DesignTokensValues(DesignTokensTheme(mode)).text
        println(listOf(text.tighter, text.half, text.textCase, text.linked.letterSpacing, text.body.letterSpacing))
        println(text.body.lineHeight)
    }
}
"""


def test_kotlin_runs_with_them(kotlinc):
    files, problems = files_of("compose")
    assert "compose has no lengths in %" in problems
    answer = kotlinc({**files, "Main.kt": MAIN}, "design.tokens.MainKt")
    assert answer.splitlines() == [
        "[-0.05.em, 0.5, uppercase, -0.05.em, -0.05.em]",
        "1.5.em",
        "[0.1.em, 0.5, uppercase, 0.1.em, -0.05.em]",
        "1.5.em",
    ]


def test_a_module_of_react_native_has_percent_as_texts(esm, tmp_path):
    files, problems = files_of("react-native")
    assert "react-native has no lengths in em" in problems
    module = esm(written(tmp_path, {**files, "package.json": '{"type": "module"}'}) / "tokens.js")
    assert (module["half"], module["textCase"], "tight" in module) == ("50%", "uppercase", False)
    assert (module["body"]["letterSpacing"], module["body"]["lineHeight"]) == (-1, 30)
