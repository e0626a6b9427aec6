"""Sass compiles a sheet that uses the partial: each token comes to what the graph resolves it to."""

import re
from decimal import Decimal
from functools import cache

import pytest
from checkers import Refused
from generate.targets.cases import CASES
from generate.targets.cases_css import lengths, measured, pairs, widths
from generate.targets.cases_web import combined
from msgspec.structs import replace
from outside.css_oracle import UNREPRESENTABLE
from outside.expected import kind_of, same, showable, value_of
from outside.graphs import subject_of
from outside.theme_choices import choices
from outside.written import css_value, family

from tokensync.generate.naming import in_order, names_for
from tokensync.generate.target import OutputRequest
from tokensync.generate.targets import generate, naming_of
from tokensync.generate.targets.css import CssOptions
from tokensync.generate.targets.scss import ScssOptions
from tokensync.tokens import DEFAULT_THEME

pytestmark = pytest.mark.outside

LAST_DIGIT = Decimal("6e-11")
"""Sass writes ten digits after the point, half of one more is lost."""
MOST_CALLS = 60_000
"""Of token(), which looks one token up; a large graph is asked theme by theme, its pairs through the mixin."""


def sheet_of(chosen, names):
    """A rule a choice: ``.shown`` by the mixin, ``.asked`` by the function."""
    lines = ['@use "tokens";']
    called = 0
    for at, themes in enumerate(chosen):
        arguments = ", ".join(map(quoted, themes))
        lines.append(f".shown-{at} {{ @include tokens.custom-properties({arguments}); }}")
        called += len(names)
        if called <= MOST_CALLS:
            comma = ", " if arguments else ""
            lines.append(f".asked-{at} {{ @each $name in {listed(names)} {{")
            lines.append(f"  #{{'--' + $name}}: tokens.token($name{comma}{arguments}); }} }}")
    return "\n".join(lines)


def quoted(text):
    return '"' + "".join(f"\\{ord(each):x} " if not each.isalnum() else each for each in text) + '"'


def listed(names):
    return f"({', '.join(map(quoted, names))},)"


def rules_of(css):
    """The declarations of each rule, by its class; a line each."""
    rules, current = {}, {}
    for line in css.split("\n"):
        if rule := re.fullmatch(r"\.([\w-]+) \{", line):
            current = rules[rule[1]] = {}
        elif line not in ("}", ""):
            name, _, value = line.strip().removesuffix(";").partition(": ")
            assert name.startswith("--"), line
            assert name not in current, line
            current[name] = value
    return rules


@cache
def read(kind, text):
    if kind == "boolean" and text in ("true", "false"):
        return ("number", Decimal(int(text == "true")), "")
    return family(text) if kind == "family" else css_value(text)


def near(expected, actual):
    """Whether two values are equal, numbers within what Sass writes of them."""
    if expected == actual:
        return True
    if actual and (expected[0], actual[0]) == ("number", "number"):
        return expected[2] == actual[2] and abs(expected[1] - actual[1]) <= max(LAST_DIGIT, abs(expected[1]) / 10**15)
    return same(expected, actual)


def test_each_token_equals_the_graph_in_every_theme_and_pair(subject, sass, counted):
    graph = subject.graph
    files = {name: content.decode() for name, content in subject.files("scss").items()}
    declared = [each for each in in_order(graph.tokens.values(), graph) if each.origin == "local"]
    names = {key: each.removeprefix("$") for key, each in names_for(graph, declared, naming_of("scss"))[0].items()}
    properties, _ = names_for(graph, declared, naming_of("css"))
    chosen = choices(graph)
    usual = subject.resolver(chosen[0][1])
    declared_names = [names[each.key] for each in declared if value_of(kind_of(each), usual(each.key)) is not None]
    rules = rules_of(sass(sheet_of([themes for themes, _ in chosen], declared_names), files))
    compared, differences = 0, []
    tokens = [(each.key, kind_of(each), properties[each.key], f"--{names[each.key]}") for each in declared]
    for at, (_, theme) in enumerate(chosen):
        resolve = subject.resolver(theme)
        shown = rules["shown-0"] | rules.get(f"shown-{at}", {})
        by_function = rules.get(f"asked-{at}", {})
        for key, kind, property_, variable in tokens:
            expected = value_of(kind, resolve(key))
            if expected is None:
                continue
            if expected[0] == "string":
                expected = ("string", showable(expected[1], UNREPRESENTABLE))
            texts = [shown.get(property_), by_function.get(variable)]
            for text in (each for each in texts if each is not None):
                compared += 1
                if not near(expected, read(kind, text)):
                    differences.append(f"{theme.name}: {key}: {text} is not {expected}")
            if texts[0] is None:
                differences.append(f"{theme.name}: {key}: not there")
    counted("scss", "values, each theme and pair of themes", subject.name, compared, differences)


def partial(case):
    return {each.path: each.content.decode() for each in generate(*CASES[case])[0]}


@pytest.mark.parametrize("case", [each for each in CASES if each.startswith("scss/")])
def test_every_golden_partial_compiles(case, sass):
    files = partial(case)
    mixin = ".x { @include tokens.custom-properties(); }" if "@mixin" in files["_tokens.scss"] else ""
    sass(f'@use "tokens";\n{mixin}', files)


@pytest.mark.parametrize(
    ("use", "message"),
    [
        ('.x { --a: #{tokens.token("nothing")}; }', "No token is called nothing."),
        ('.x { --a: #{tokens.token("ink", "scheme/drak")}; }', "No theme is called scheme/drak."),
        ('.x { @include tokens.custom-properties("nothing"); }', "No theme is called nothing."),
        (".x { color: tokens.$nothing; }", "Undefined variable"),
    ],
)
def test_a_missing_name_is_an_error(use, message, sass):
    with pytest.raises(Refused, match=re.escape(message)):
        sass(f'@use "tokens";\n{use}', partial("scss/combined"))


def test_combinations_of_themes_resolve_correctly(sass):
    use = '.x { a: tokens.token("ink", "scheme/dark", "brand/island"); b: tokens.token("ink", "scheme/dark"); }'
    assert sass(f'@use "tokens";\n{use}', partial("scss/combined")) == ".x {\n  a: #fff;\n  b: #000;\n}"


def test_a_text_style_is_a_font_and_its_parts(sass):
    css = sass('@use "tokens";\n.x { @include tokens.custom-properties(); }', partial("scss/composites"))
    assert '--a-typography: 600 1rem/1.5 "Inter", sans-serif;' in css
    assert "--a-typography-letter-spacing: -0.25px;" in css
    assert "--a-shadow: 0px 1px 0.125rem -1px rgba(0, 0, 0, 0.25), inset 0px 1px 0.125rem -1px #fff;" in css


def test_a_mixin_writes_the_properties_of_a_text_style_in_a_theme(sass):
    use = """
.a { @include tokens.text-style(tokens.$slanted); }
.b { @include tokens.text-style("body", "density/dense"); }
.c { @include tokens.custom-properties(); }"""
    css = sass(f'@use "tokens";{use}', partial("scss/text-styles"))
    slanted, body, properties = (" ".join(rule.split()) for rule in css.split("}")[:3])
    assert slanted == (
        '.a { font-family: "Inter", sans-serif; font-size: 1rem; font-weight: 600; letter-spacing: -0.25px;'
        " line-height: 20px; font-style: italic; text-transform: uppercase; text-decoration: underline;"
    )
    assert body == (
        '.b { font-family: "Inter", system-ui, sans-serif; font-size: 14px; font-weight: 600;'
        " letter-spacing: -0.25px; line-height: 18px;"
    )
    assert '--slanted: italic 600 1rem/20px "Inter", sans-serif;' in properties
    assert '--2-plain: 13px "Inter", system-ui, sans-serif;' in properties


DESIGN_FILES = ("quickstart", "sds", "primer")


def real(name):
    return pytest.param(lambda: subject_of(name).graph, id=name)


def themed(graph):
    """A sheet that declares the custom properties of each theme by its mixin, and of each pair of themes."""
    rules = {"": ":root { @include tokens.custom-properties; }"}
    for themes, theme in unbranded(graph)[1:]:
        attributes = "".join(f'[{name}="{value}"]' for name, value in attributes_of(graph, theme).items())
        arguments = ", ".join(map(quoted, themes))
        mixin = themes[0].replace("/", "-") if len(themes) == 1 else f"custom-properties({arguments})"
        rules[attributes] = f":root{attributes} {{ @include tokens.{mixin}; }}"
    return "\n".join(rules.values())


def unbranded(graph):
    """The choices that one attribute for each collection makes."""
    modes = {key: [mode.collection == key[1] for mode in family.modes] for key, family in graph.collections.items()}
    return [choice for choice in choices(graph) if all(modes[key][mode] for key, mode in choice[1].modes)]


def attributes_of(graph, theme):
    return {f"data-{key[1]}": graph.collections[key].modes[mode].slug for key, mode in theme.modes}


@pytest.mark.parametrize("defaults", [True, False])
@pytest.mark.parametrize(
    "make", [combined, lengths, measured, pairs, widths, *map(real, ("quickstart", "sds", "primer"))]
)
def test_variables_that_are_properties_show_what_the_css_output_shows_in_each_theme(make, defaults, sass, chromium):
    graph = make()
    options = ScssOptions(variables="properties", defaults=defaults, dimensions="rem")
    partials, _ = generate(graph, OutputRequest(platform="scss", options=options))
    ((_, css),) = generate(graph, OutputRequest(platform="css", options=CssOptions(dimensions="rem")))[0]
    local = [token for token in graph.tokens.values() if token.origin == "local"]
    variables, properties = (names_for(graph, local, naming_of(platform))[0] for platform in ("scss", "css"))
    resolve = graph.resolver(DEFAULT_THEME)
    composites = ("typography", "border", "shadow", "gradient", "transition")
    tokens = [token for token in local if token.type not in composites and value_of(kind_of(token), resolve(token.key))]
    kinds = {f"--used-{at}": kind_of(token) for at, token in enumerate(tokens)}
    used = "".join(f"--used-{at}: #{{tokens.{variables[token.key]}}};" for at, token in enumerate(tokens))
    of_css = "".join(f"--used-{at}: var({properties[token.key]});" for at, token in enumerate(tokens))
    pages = {
        sass(
            f'@use "tokens";\n{themed(graph)}\n:root {{ {used} }}',
            {each.path: each.content.decode() for each in partials},
        ),
        f"{css.decode()}\n:root {{ {of_css} }}",
    }
    placements = [[attributes_of(graph, theme)] for _, theme in unbranded(graph)]
    values = []
    for text in pages:
        with chromium(text, "<body style='font-size: 20px'>") as page:
            values.append([[value for _, value in row] for row in page.values(kinds, placements)])
    assert None not in values[0][0]
    differences = [
        (placement, name, one, other)
        for placement, *rows in zip(placements, *values, strict=True)
        for name, one, other in zip(kinds, *rows, strict=True)
        if (one, other) != (None, None) and (one is None or not same(one, other))
    ]
    assert differences == []


def test_the_mixin_of_a_text_style_follows_the_theme_of_the_page(sass, chromium):
    graph, request = CASES["scss/text-styles"]
    partials, _ = generate(graph, replace(request, options=ScssOptions(variables="properties")))
    rules = themed(graph) + ".x { @include tokens.body; }"
    css = sass(f'@use "tokens";\n{rules}', {each.path: each.content.decode() for each in partials})
    ask = """() => {
      const style = getComputedStyle(document.querySelector('.x')); return [style.fontSize, style.lineHeight] }"""
    with chromium(css, "<p class=x>") as page:
        assert page.page.evaluate(ask) == ["16px", "24px"]
        page.page.evaluate("document.documentElement.dataset.density = 'dense'")
        assert page.page.evaluate(ask) == ["14px", "18px"]


def test_another_style_sheet_configures_variables_with_defaults(sass):
    options = ScssOptions(defaults=True)
    files = {
        each.path: each.content.decode()
        for each in generate(pairs(), OutputRequest(platform="scss", options=options))[0]
    }
    use = '@use "tokens" with ($main: #123456);\n'
    use += '.x { color: tokens.$main; a: tokens.token("main"); b: tokens.token("fill") }'
    assert sass(use, files) == ".x {\n  color: #123456;\n  a: #123456;\n  b: #123456;\n}"
    with pytest.raises(Refused, match="This variable was not declared with !default"):
        sass(use, partial("scss/combined") | {"_tokens.scss": files["_tokens.scss"].replace(" !default", "")})


def test_values_of_custom_properties_are_css_and_not_what_sass_inspects(sass):
    """Sass writes a value of CSS as short as it can, but a text with an inspected value as it is."""
    css = sass(
        '@use "tokens";\n.x { @include tokens.custom-properties; }', partial("scss/composites"), style="compressed"
    )
    assert '--a-typography:600 1rem/1.5 "Inter",sans-serif;' in css
    assert "--a-typography-letter-spacing:-0.25px;" in css


def test_a_theme_of_any_name_is_found_under_it(sass):
    names = ["__proto__", "constructor", 'a"b\\ #{c} ${d}', "line\u2028end\n*/ </script>"]
    use = "".join(f".x{at} {{ a: tokens.token('ink', {quoted(each)}); }}\n" for at, each in enumerate(names))
    css = sass(f'@use "tokens";\n{use}', partial("scss/odd-themes"))
    assert re.findall("#[0-9a-f]{3}", css) == ["#fff", "#fff", "#000", "#fff"]
