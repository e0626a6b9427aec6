"""Parsers, a linter, minifiers and a browser read the generated CSS as its own reading does."""

import gzip
import math
import random
from decimal import Decimal
from functools import partial
from itertools import permutations, product

import pytest
from checkers import node_program, run
from generate.targets.hostile_graphs import hostile_examples
from graphs import alias, collection, color, graph, token
from outside.css_oracle import ROOT, Oracle, shown
from outside.css_themes import axes, nestings, pairs, theme_of
from outside.expected import decimal, family, same
from outside.generated import many_modes
from outside.graphs import Subject, subject_of
from outside.themes import Appearance, chosen_by, systems

from tokensync.generate.target import OutputRequest
from tokensync.generate.targets import generate
from tokensync.generate.targets.css import CssOptions
from tokensync.tokens import ComposedColor, DanglingAlias

pytestmark = pytest.mark.outside

MOST_NESTED = 60
"""Ordered pairs of an axis' contexts, of which as many are tried as this; they are spread over all of them."""


@pytest.fixture
def page(subject, chromium):
    files = subject.files("css")
    assert list(files) == ["tokens.css"]
    with chromium(files["tokens.css"].decode("utf-8")) as page:
        yield page


def test_each_theme_in_each_appearance(subject, page, counted):
    oracle = Oracle(subject.graph)
    for system in systems(subject.graph):
        chosen = [choice for axis in axes(subject.graph) for choice in axis.choices()]
        oracle.compare(page, system, [(ROOT,), *((each,) for each in chosen), *((ROOT, each) for each in chosen)])
    counted("css", "computed values, each theme x appearance", subject.name, oracle.compared, oracle.differences)


def test_a_theme_inside_another_of_its_axis(subject, page, counted):
    oracle = Oracle(subject.graph)
    for system in systems(subject.graph)[:2]:
        nested = []
        for axis in axes(subject.graph):
            both = list(permutations(axis.choices(), 2))
            nested += both[:: len(both) // MOST_NESTED + 1]
        oracle.compare(page, system, [(ROOT, *each) for each in nested])
    what = "computed values, a theme inside another of its axis"
    counted("css", what, subject.name, oracle.compared, oracle.differences)


def test_pairs_of_axes_that_interact(subject, page, counted):
    oracle = Oracle(subject.graph)
    for system in systems(subject.graph)[:2]:
        placements = []
        for one, other in pairs(subject.graph):
            for first, second in product(one.choices(), other.choices()):
                element = ({**first[0], **second[0]}, {**first[1], **second[1]})
                placements += [(element,), (ROOT, element), (ROOT, first, second), (ROOT, second, first)]
        oracle.compare(page, system, placements)
    what = "computed values, pairs of axes on one element and nested both ways"
    counted("css", what, subject.name, oracle.compared, oracle.differences)


QUERIES = {"prefers-color-scheme": 0, "prefers-contrast": 1}


def test_each_declaration_of_each_block(subject, lightningcss, counted):
    (css,) = subject.files("css").values()
    oracle = Oracle(subject.graph)
    places = {name: at for at, name in enumerate(oracle.kinds)}
    compared, differences = 0, []
    rules = lightningcss(css.decode("utf-8"))
    of_root = [rule for rule in rules if not rule["at"] and rule["selectors"][0] == rules[0]["selectors"][0]]
    on = {name for rule in of_root for name, tokens in rule["declarations"] if name not in places and tokens == INITIAL}
    for rule in rules:
        values = oracle.expected(theme_of_rule(subject.graph, rule))
        for name, value in rule["declarations"]:
            tokens = chosen(value, on, places)
            has_no_value = tokens in ([], INITIAL) and (name not in places or values[places[name]] is None)
            if oracle.is_composite(name) or name == "color-scheme" or has_no_value:
                continue
            compared += 1
            actual = value_of(oracle, values, places, name, tokens)
            if name not in places or not same(values[places[name]], actual):
                wanted = shown(values[places[name]]) if name in places else "no such name"
                differences.append(f"{rule['selectors']} {name}: expected {wanted}, found {shown(actual)}")
    counted("css", "declarations, typed, block by block", subject.name, compared, differences)


INITIAL = [{"type": "token", "value": {"type": "ident", "value": "initial"}}]


def chosen(tokens, on, places):
    """A value with its switches thrown: those of the root, of which each rule with switches is, too."""
    actual = []
    for each in tokens:
        if each["type"] == "var" and each["value"]["name"]["ident"] not in places:
            if each["value"]["name"]["ident"] in on:
                actual += chosen(each["value"]["fallback"] or [], on, places)
        elif not (each["type"] == "token" and each["value"]["type"] == "white-space"):
            actual.append(each)
    return actual


def theme_of_rule(graph, rule):
    """What an element shows that the rule is for: all attributes of its first selector, under the system's modes."""
    scheme_and_contrast = ["", ""]
    for at in rule["at"]:
        for name, value in features(at):
            if name in QUERIES:
                scheme_and_contrast[QUERIES[name]] = value
    system = Appearance(*scheme_and_contrast)
    known = {tuple(attributes.items()): modes for axis in axes(graph) for attributes, modes in axis.choices()}
    return theme_of(graph, chosen_by(graph, system), (known[(each,)] for each in attributes_in(rule["selectors"][0])))


def features(query):
    """(name, value) of each feature in a media query, however it is nested."""
    if isinstance(query, dict):
        if query.get("type") == "plain":
            yield query["name"], query["value"]["value"]
        else:
            for each in query.values():
                yield from features(each)
    elif isinstance(query, list):
        for each in query:
            yield from features(each)


def attributes_in(selector):
    """(name, value) of the attributes that a selector asks for; one of any value tells nothing."""
    for each in selector:
        if each["type"] == "attribute" and each["operation"] is not None:
            yield each["name"], each["operation"]["value"]
        elif each.get("kind") in ("is", "where"):
            yield from attributes_in(each["selectors"][0])


def value_of(oracle, values, places, name, tokens):
    """Lightning CSS's tokens in the words of outside/expected.py; a reference is its target's value in this theme."""
    parts = [each for each in tokens if not (each["type"] == "token" and each["value"]["type"] == "white-space")]
    if oracle.kinds.get(name) == "family" and parts[0]["type"] != "var":
        named = [each for each in parts if each["value"]["type"] != "comma"]
        return ("family", tuple(family(e["value"]["value"], quoted=e["value"]["type"] == "string") for e in named))
    return single(parts[0], values, places) if len(parts) == 1 else ("several", parts)


def single(part, values, places):
    kind, content = part["type"], part["value"]
    match kind:
        case "color" if content["type"] == "rgb":
            return ("color", *(content[each] / 255 for each in "rgb"), content["alpha"])
        case "length":
            return ("number", decimal(content["value"]), content["unit"])
        case "time":
            return ("number", decimal(content["value"]), {"seconds": "s", "milliseconds": "ms"}[content["type"]])
        case "var":
            return values[places[content["name"]["ident"]]]
        case "function" if content["name"] == "color-mix":
            return mixed(content["arguments"], values, places)
        case "token" if content["type"] == "number":
            return ("number", decimal(content["value"]), "")
        case "token" if content["type"] == "string":
            return ("string", content["value"])
    return (kind, content)


def mixed(arguments, values, places):
    """``color-mix(in srgb, BASE SHARE, transparent)``: the base with its alpha multiplied.

    The share is a percentage, or ``calc(OPACITY * 100%)`` of a reference.
    """
    base = next(single(each, values, places) for each in arguments if each["type"] in ("color", "var"))
    within = [inner for each in arguments if is_calc(each) for inner in each["value"]["arguments"]]
    factors = [single(each, values, places) for each in within if each["type"] == "var"]
    written = [each["value"] for each in (*arguments, *within) if each["type"] == "token"]
    percentages = [each["value"] for each in written if each["type"] == "percentage"]
    assert len(percentages) == 1, arguments
    share = percentages[0] * math.prod(float(number) for _, number, _ in factors)
    return (*base[:4], base[4] * min(max(share, 0.0), 1.0))


def is_calc(part):
    return part["type"] == "function" and part["value"]["name"] == "calc"


def test_a_wrong_value_is_seen():
    assert single({"type": "length", "value": {"unit": "px", "value": 4}}, [], {}) == ("number", Decimal(4), "px")
    part = {"type": "color", "value": {"type": "rgb", "r": 255, "g": 0, "b": 51, "alpha": 1}}
    assert single(part, [], {}) == ("color", 1.0, 0.0, 0.2, 1)


def test_no_rule_about_mistakes_is_broken(subject, stylelint):
    for content in subject.files("css").values():
        stylelint(content.decode("utf-8"))


RESPONSES = ("quickstart", "primer", "moon", "sds", "synthetic")
FORMS = {"default": {}, "switches": {"form": "switches"}, "minified": {"minify": True}}
BROTLI = """
const bytes = require("node:fs").readFileSync(0);
console.log(require("node:zlib").brotliCompressSync(bytes).length);
"""


def test_style_sheets_can_be_reviewed_line_by_line_and_stay_small(capsys):
    """Primer without switches, all in lines under 160 characters, in a quarter of the gzip of Primer's own themes."""
    sizes = {}
    subjects = {"40 modes x 5,000": Subject("many", many_modes()), **{each: subject_of(each) for each in RESPONSES}}
    for name, subject in subjects.items():
        for form, options in FORMS.items():
            ((_, css),) = subject.files("css", CssOptions(**options)).items()
            brotli = int(run([node_program("esbuild"), "--eval", BROTLI], stdin=css.decode("utf-8")))
            sizes[name, form] = (len(css), len(gzip.compress(css, mtime=0)), brotli)
            assert form == "minified" or max(map(len, css.decode("utf-8").splitlines())) < 160
    with capsys.disabled():
        for (name, form), (raw, gzipped, brotli) in sizes.items():
            print(f"\n{name}, {form}: {raw:,} B, gzip {gzipped:,} B, brotli {brotli:,} B")
    text = subject_of("primer").files("css")["tokens.css"].decode("utf-8")
    assert "--_" not in text and "/* remote" not in text
    assert sizes["primer", "default"][1] < 42_000
    assert sizes["primer", "minified"][1] < 13_821 * 1.3


SEEDS = range(6)
COLORS = 5
MOST = 1_600
"""Nestings of a graph: all of those on three axes of two contexts each."""
OPTIONS = {
    "defaults": {},
    "switches": {"form": "switches"},
    "fallbacks": {"fallbacks": True, "minify": True},
    "light-dark": {"light_dark": True},
    "property": {"property": True, "light_dark": True},
    "by theme": {"split": "theme"},
    "by group in a layer": {"split": "group", "layer": "tokens"},
}


def generated(seed):
    """A scheme that a brand extends, and one more axis, of two modes or many; colours refer to each other in all."""
    choose = random.Random(seed)
    scheme = collection("Scheme", "Light", "Dark", extensions=[("Brand", "Scheme")])
    several = [("Density", "Cosy", "Dense"), ("Contrast", "Standard", "High"), ("Size", *"12345")]
    other = collection(*several[seed % len(several)])
    base = collection("Base")
    families = [base, scheme, other]
    parts = choose.sample(families, len(families))

    def value(at):
        literal = color(choose.choice(["#000000", "#1f6feb", "#ff0000", "#ffffff"]), choose.choice([1.0, 1.0, 0.5]))
        if not at:
            return literal
        of = alias(choose.choice(families).name, f"c{choose.randrange(at)}")
        share = choose.choice([50.0, alias(choose.choice(families).name, "share")])
        kinds = [literal, of, of, of, ComposedColor(of, share), ComposedColor(literal, share), DanglingAlias("V:9:9")]
        return choose.choices(kinds, weights=[2, 1, 1, 1, 1, 1, 0.15])[0]

    for of in families:
        for name, make, rest in (
            *((f"c{at}", lambda at=at: value(at), {}) for at in range(COLORS)),
            ("share", lambda: choose.choice([20, 80, 100]), {"type": "number", "scopes": ("OPACITY",)}),
        ):
            columns = [None if mode.parent is not None and choose.random() < 0.5 else make() for mode in of.modes]
            parts.append(token(of, name, *columns, **rest))
    return graph(*parts)


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_every_nesting_to_depth_four_shows_the_values_of_the_graph(options, chromium, capsys):
    compared = paths = 0
    for seed in SEEDS:
        token_graph = generated(seed)
        files = generate(token_graph, OutputRequest(platform="css", options=CssOptions(**options)))[0]
        css = b"".join(each.content for each in files if each.path != "index.css")
        oracle = Oracle(token_graph, tells_absent=True)
        placements = [(ROOT, *each) for each in nestings(token_graph, 4)]
        placements = placements[:: len(placements) // MOST + 1]
        with chromium(css.decode("utf-8")) as page:
            for system in systems(token_graph)[:2]:
                oracle.compare(page, system, placements)
        assert oracle.differences == []
        compared += oracle.compared
        paths += len(placements)
    with capsys.disabled():
        print(f" {paths} nestings, {compared} computed values", end="")
    assert paths >= 340 * len(SEEDS)


@pytest.mark.parametrize("options", [{}, {"light_dark": True}, {"composed": "literal"}], ids=str)
def test_screens_of_either_gamut_show_display_p3_colours_in_every_nesting(options, chromium):
    for seed in SEEDS:
        token_graph = generated(seed)
        request = OutputRequest(platform="css", options=CssOptions(profile="display-p3", **options))
        ((_, css),) = generate(token_graph, request)[0]
        with chromium(css.decode("utf-8")) as page:
            for screen in ("srgb", "p3"):
                oracle = Oracle(token_graph, tells_absent=True, screen=screen)
                for system in systems(token_graph)[:2]:
                    oracle.compare(page, system, [(ROOT, *each) for each in nestings(token_graph, 2)])
                assert oracle.compared
                assert oracle.differences == []


def lacking():
    """Tokens without a value in the default context, in another one, or by what they refer to."""
    scheme, density = collection("Scheme", "Light", "Dark"), collection("Density", "Cosy", "Dense")
    nothing = DanglingAlias("V:9:9")
    return graph(
        scheme,
        density,
        token(scheme, "ink", nothing, color("#000000")),
        token(scheme, "paper", color("#ffffff"), nothing),
        token(scheme, "text", alias("Scheme", "ink")),
        token(density, "mark", alias("Scheme", "ink"), color("#ff0000")),
        token(density, "gap", nothing, 8, type="dimension"),
    )


@pytest.mark.parametrize("make", [lacking, *(partial(generated, seed) for seed in range(3))])
def test_the_host_of_a_shadow_tree_shows_the_defaults_and_its_own_modes(make, chromium):
    """Whatever the page around it has chosen, on a host of each choice and on each element within."""
    token_graph = make()
    ((_, css),) = generate(token_graph, OutputRequest(platform="css", options=CssOptions(root=":root, :host")))[0]
    every = [ROOT, *(choice for axis in axes(token_graph) for choice in axis.choices())]
    placements = [
        (ROOT, (page, {}), ({**host, "shadow-host": ""}, of_host), inner)
        for (page, _), (host, of_host), inner in product(every, repeat=3)
    ]
    oracle = Oracle(token_graph, tells_absent=True)
    with chromium(css.decode("utf-8")) as page:
        for system in systems(token_graph)[:2]:
            oracle.compare(page, system, placements[:: len(placements) // (MOST // 4) + 1])
    assert oracle.compared
    assert oracle.differences == []


MARKUP = (
    *("</style>", "</STYLE >", "</script>", "</ScRiPt/x", "<!--", "-->", "]]>", "\\</style>", "\\3c /style>"),
    *("<\\/style>", "\0</style>", "\ud800</style\t", "</style", "<!--<script>"),
)


def marked():
    """A graph with markup wherever a design file has text."""
    of = collection("</style>", "</style>", "Dark </style> <!--")
    return graph(
        of,
        *(
            token(
                of,
                f"{text} {type_}",
                text,
                type=type_,
                description=text,
                code_syntax=(("WEB", f"var(--{text})"),),
                deprecated=text,
            )
            for text in MARKUP
            for type_ in ("string", "fontFamily")
        ),
    )


def test_no_text_ends_the_element_that_a_minified_file_is_put_into(minify):
    graphs = [marked(), *hostile_examples(12)]

    def files(platform):
        several = (generate(each, OutputRequest(platform=platform))[0] for each in graphs)
        return [content.decode() for files in several for path, content in files if path.endswith((".css", ".js"))]

    sheets, modules = [*files("css"), *files("tailwind")], files("typescript")
    minified = minify(sheets, modules)
    assert len(minified) == 2 * len(sheets) + len(modules)
    for each in minified[: 2 * len(sheets)]:
        assert "</style" not in each.lower()
    for each in minified[2 * len(sheets) :]:
        assert "</script" not in each.lower()
