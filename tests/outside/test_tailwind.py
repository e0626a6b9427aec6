"""Tailwind's CLI makes utilities of the tokens; Chromium computes every token of what it writes as the graph has it."""

import re
from collections import Counter
from itertools import product

import pytest
from checkers import MODULES
from generate.targets.cases import CASES
from generate.targets.cases_composites import referring
from generate.targets.composite_values import LAYER, VALUES, composite_of, px
from graphs import alias, collection, color, graph, token
from msgspec.structs import replace
from outside.css_oracle import ROOT, Oracle
from outside.css_themes import axes, pairs
from outside.themes import systems

from tokensync.generate.output import Resolution
from tokensync.generate.target import OutputRequest
from tokensync.generate.targets import generate
from tokensync.generate.targets.css import CssOptions
from tokensync.generate.targets.css.texts import Notation, output_of
from tokensync.generate.targets.tailwind import TailwindOptions
from tokensync.generate.targets.tailwind.render import CONDITIONS, RESERVED_WORDS, names_of
from tokensync.tokens import DEFAULT_THEME, Color, ComposedColor, Quantity, Unresolved

pytestmark = pytest.mark.outside

SHEET = """@layer theme, base, components, utilities;
@import "tailwindcss/theme.css" layer(theme);
@import "tailwindcss/utilities.css" layer(utilities);
@import "./theme.css";
"""
PREFIXED_SHEET = """@import "tailwindcss/theme.css" layer(theme) prefix(tw);
@import "tailwindcss/utilities.css" prefix(tw);
@import "./theme.css";
"""
UTILITIES = {
    "background-image": "bg-{}",
    "blur": "blur-{}",
    "border-width": "border-{}",
    "breakpoint": "{}:flex",
    "color": "bg-{}",
    "container": "max-w-{}",
    "ease": "ease-{}",
    "font": "font-{}",
    "font-weight": "font-{}",
    "leading": "leading-{}",
    "opacity": "opacity-{}",
    "radius": "rounded-{}",
    "shadow": "shadow-{}",
    "spacing": "p-{}",
    "text": "text-{}",
    "tracking": "tracking-{}",
    "transition-duration": "duration-{}",
}
ALONE = {"spacing": "p-1", "radius": "rounded", "blur": "blur", "shadow": "shadow"}


class TailwindOracle(Oracle):
    """The oracle with the values of this target: breakpoints and containers in rem, and opacities in percent."""

    def _value(self, kind, part, literal):
        if kind in ("percentage", "fraction"):
            value = super()._value("percentage" if kind == "percentage" else "number", part, literal)
            return value and (value[0], value[1] * 100, "percent")
        if kind not in CONDITIONS:
            return super()._value(kind, part, literal)
        value = super()._value("length", part, literal)
        return value if value is None or value[2] == "rem" else (value[0], value[1] / 16, "rem")


def renamed(subject, oracle):
    """The oracle with the units of this target; the names within @theme, of tokens that have a value by default."""
    sheet = output_of(subject.resolution, OutputRequest(platform="tailwind"), Notation(CssOptions()))
    names = names_of(sheet)
    spaces = {sheet.tokens[index].key: space for index, space in names.spaces.items()}
    oracle.sources = [
        (
            key,
            "fraction" if (space, kind) == ("opacity", "number") else space if space in CONDITIONS else kind,
            suffix,
        )
        for key, kind, suffix in oracle.sources
        for space in [spaces.get(key)]
    ]
    usual = subject.graph.resolver(DEFAULT_THEME)
    keys = [sheet.tokens[index].key for index in names.themed]
    return [
        name for key, name in zip(keys, names.themed.values(), strict=True) if not isinstance(usual(key), Unresolved)
    ]


def utility(name):
    """The class that a variable makes."""
    if name in ALONE:
        return ALONE[name]
    namespace = max((each for each in UTILITIES if name.startswith(f"{each}-")), key=len)
    return UTILITIES[namespace].format(re.sub(r"(?<=\d)_(?=\d+$)", ".", name[len(namespace) + 1 :]))


def test_each_variable_of_the_theme_makes_its_utility(subject, tailwind, counted):
    """Where the class can be written (Tailwind looks for classes in ASCII) and no other variable makes it, too."""
    themed = renamed(subject, Oracle(subject.graph))
    (css,) = subject.files("tailwind").values()
    classes = Counter(utility(each) for each in themed if each.isascii())
    candidates = [each for each, count in classes.items() if count == 1]
    sheet = tailwind(SHEET, {"theme.css": css.decode()}, candidates)
    selectors = {each.replace("\\", "") for each in re.findall(r"\.((?:[\w-]|\\.)+) \{", sheet)}
    differences = [f"{each} is no utility" for each in candidates if each not in selectors]
    counted("tailwind", "utilities of the variables of the theme", subject.name, len(candidates), differences)


def test_each_theme_and_pair_in_each_appearance(subject, tailwind, chromium, counted):
    oracle = TailwindOracle(subject.graph)
    renamed(subject, oracle)
    (css,) = subject.files("tailwind", TailwindOptions(static=True)).values()
    with chromium(tailwind(SHEET, {"theme.css": css.decode()})) as page:
        for system in systems(subject.graph)[:2]:
            single = [(each,) for axis in axes(subject.graph) for each in axis.choices()]
            double = [
                ({**one[0], **other[0]}, {**one[1], **other[1]})
                for first, second in pairs(subject.graph)
                for one, other in product(first.choices(), second.choices())
            ]
            oracle.compare(
                page, system, [(ROOT,), *single, *((ROOT, *each) for each in single), *((e,) for e in double)]
            )
    what = "computed values, each theme and pair x appearance"
    counted("tailwind", what, subject.name, oracle.compared, oracle.differences)


@pytest.mark.parametrize("case", [each for each in CASES if each.startswith("tailwind/")])
def test_tailwind_accepts_every_golden_theme(case, tailwind):
    (file,) = generate(*CASES[case])[0]
    prefix = " prefix(tw)" if case.endswith("prefix") else ""
    tailwind(f'@import "tailwindcss"{prefix};\n@import "./theme.css";', {"theme.css": file.content.decode()})


def test_the_prefix_of_tailwind_is_not_that_of_the_properties(tailwind):
    (file,) = generate(*CASES["tailwind/prefix"])[0]
    css = tailwind(PREFIXED_SHEET, {"theme.css": file.content.decode()}, ["tw:bg-text"])
    assert "background-color: var(--text);" in css
    assert "--text: var(--ink);" in css
    assert "--tw-color-" not in css.partition("@layer utilities")[2]


def test_the_first_words_of_tailwinds_variables_are_known():
    """A property that begins with one is not in @theme; where this fails, Tailwind makes utilities of more names."""
    bundles = (MODULES / "tailwindcss" / "dist").glob("*.*js")
    text = "".join(path.read_text(encoding="utf-8") for path in bundles)
    keys = set(re.findall(r"""["'`]--([a-z]+)(?:-[a-z-]+)?["'`]""", text))
    assert len(keys) > 60
    assert keys - RESERVED_WORDS - {"theme", "alpha"} == set()


def test_a_text_style_makes_a_utility_of_its_size_and_related_properties(tailwind):
    (file,) = generate(*CASES["tailwind/composites"])[0]
    css = tailwind(SHEET, {"theme.css": file.content.decode()}, ["text-a-typography", "font-a-typography"])
    rule = css.partition(".text-a-typography {")[2].partition("}")[0]
    assert [each.split(":")[0].strip() for each in rule.strip().split("\n")] == [
        "font-size",
        "line-height",
        "letter-spacing",
        "font-weight",
    ]
    assert "font-family: var(--a-typography-font-family);" in css


@pytest.mark.parametrize("form", ["blocks", "inline"])
@pytest.mark.parametrize("prefix", ["", "tw"])
def test_a_size_applies_the_line_height_and_the_like_of_its_group_in_each_theme(prefix, form, tailwind, chromium):
    """A class for the line height takes precedence, as beside Tailwind's own sizes."""
    graph_of_styles, request = CASES["tailwind/text-styles"]
    (file,) = generate(graph_of_styles, replace(request, options=TailwindOptions(prefix=prefix, form=form)))[0]
    classes = ["text-body-size", "text-body-size leading-[50px]", "text-body"]
    if prefix:
        classes = [" ".join(f"{prefix}:{each}" for each in several.split()) for several in classes]
    css = tailwind(PREFIXED_SHEET if prefix else SHEET, {"theme.css": file.content.decode()}, classes)
    properties = ["font-size", "line-height", "letter-spacing", "font-weight"]
    shown = """(properties) => [...document.querySelectorAll("p")].map(
      (element) => properties.map((name) => getComputedStyle(element).getPropertyValue(name)))"""
    html = "".join(f'<p class="{each}"></p>' for each in classes)
    with chromium(css, html + f"<div data-density=dense>{html}</div>") as page:
        assert page.page.evaluate(shown, properties) == [
            ["16px", "24px", "0.5px", "450"],
            ["16px", "50px", "0.5px", "450"],
            ["16px", "24px", "-0.25px", "600"],
            ["14px", "18px", "0.5px", "450"],
            ["14px", "50px", "0.5px", "450"],
            ["14px", "18px", "-0.25px", "600"],
        ]


def test_a_breakpoint_is_a_variant_with_its_own_length(tailwind):
    (file,) = generate(*CASES["tailwind/namespaces"])[0]
    css = tailwind(SHEET, {"theme.css": file.content.decode()}, ["lg:flex", "md:flex"])
    assert set(re.findall(r"@media \(width >= ([^)]*)\)", css)) == {"0.25rem"}
    assert ".lg\\:flex" in css
    assert ".md\\:flex" in css


BREAKPOINTS = {"tiny": 320, "md": 700, "large": 1012, "roomy": 1100, "huge": 1400}
CONTAINERS = {"narrow": 400, "md": 500, "page": 1000, "broad": 1100}
"""In pixels, among Tailwind's own and, as ``md``, instead of one."""


@pytest.mark.parametrize("options", [{}, {"dimensions": "rem"}, {"dimensions": "rem", "base": 10.0}])
def test_the_widest_matching_variant_wins_among_custom_and_built_in_ones(options, tailwind, chromium):
    """At every width, on elements that ask for all variants."""
    of = collection("Base")
    token_graph = graph(
        of,
        *(token(of, f"breakpoint/{name}", width, type="dimension") for name, width in BREAKPOINTS.items()),
        *(token(of, f"container/{name}", Quantity(float(w), "px"), type="dimension") for name, w in CONTAINERS.items()),
    )
    root = options.get("base", 16)
    screens = {name: rem * 16 for name, rem in CONDITIONS["breakpoint"].items()} | BREAKPOINTS
    boxes = {name: int(rem * root) for name, rem in CONDITIONS["container"].items()} | CONTAINERS
    of_screen = [f"{name}:z-[{width}]" for name, width in screens.items()]
    of_box = [f"@{name}:z-[{width}]" for name, width in boxes.items()]
    (file,) = generate(token_graph, OutputRequest(platform="tailwind", options=TailwindOptions(**options)))[0]
    css = tailwind(SHEET, {"theme.css": file.content.decode()}, [*of_screen, *of_box, "@container"])
    html = f'<p id=a class="{" ".join(of_screen)}"></p><div id=c class=@container><p id=b class="{" ".join(of_box)}">'
    with chromium(f"html {{ font-size: {root}px }} {css}", html) as page:
        for width in beside(screens.values()):
            page.page.set_viewport_size({"width": width, "height": 600})
            assert page.page.evaluate("getComputedStyle(a).zIndex") == widest(screens.values(), width), width
        for width in beside(boxes.values()):
            page.page.evaluate("(width) => { c.style.width = `${width}px` }", width)
            assert page.page.evaluate("getComputedStyle(b).zIndex") == widest(boxes.values(), width), width


def beside(widths):
    """Each width, and the one right below it."""
    return sorted({near for each in widths for near in (each - 1, each)})


def widest(widths, room):
    return str(max((each for each in widths if each <= room), default="auto"))


def test_a_whole_rem_is_all_that_tailwind_orders_variants_by(tailwind):
    """So that ``breakpoint-order`` is right; where this fails, Tailwind has come to know better."""
    theme = "@theme { --breakpoint-aa: 49.5rem; --breakpoint-zz: 49.25rem; }"
    css = tailwind(f'@import "tailwindcss"; {theme}', {}, ["aa:flex", "zz:flex"])
    assert re.findall(r"\(width >= (49[^)]*)\)", css) == ["49.5rem", "49.25rem"]


CURVES = [0.25, 0, 0, 1], [0.5, 0, 0, 1]
DAY, NIGHT = {**LAYER, "blur": px(4)}, {**LAYER, "blur": px(20)}
TONED = referring({**LAYER, "color": "{x}"}, x="Scheme: color/x")
LAYERED = referring([LAYER, "{x}"], x="Scheme: shadow/x")
UTILITY_TOKENS = {
    # its type, its scopes, the values of two modes, and the property that shows it
    "color/x": ("color", (), color("#010203"), color("#f1f2f3"), "background-color"),
    "gradient/g": (
        "gradient",
        (),
        composite_of(VALUES["gradient"]),
        composite_of(VALUES["gradient"][:2]),
        "background-image",
    ),
    "blur/x": ("dimension", ("EFFECT_FLOAT",), 3, 5, "filter"),
    "border-width/w": ("dimension", ("STROKE_FLOAT",), 3, 5, "border-top-width"),
    "ease/x": ("cubicBezier", (), *map(composite_of, CURVES), "transition-timing-function"),
    "font/x": ("fontFamily", (), "Day", "Night", "font-family"),
    "weight/y": ("fontWeight", (), 300, 700, "font-weight"),
    "leading/x": ("dimension", ("LINE_HEIGHT",), 30, 50, "line-height"),
    "opacity/x": ("number", ("OPACITY",), 40, 20, "opacity"),
    "radius/x": ("dimension", ("CORNER_RADIUS",), 3, 5, "border-top-left-radius"),
    "shadow/x": ("shadow", (), composite_of(DAY), composite_of(NIGHT), "box-shadow"),
    "elevation": ("shadow", (), composite_of([DAY, NIGHT]), composite_of(NIGHT), "box-shadow"),
    "toned": ("shadow", (), TONED, TONED, "box-shadow"),
    "again": ("shadow", (), alias("Scheme", "elevation"), alias("Scheme", "shadow/x"), "box-shadow"),
    "of it": ("shadow", (), alias("Scheme", "elevation"), alias("Scheme", "elevation"), "box-shadow"),
    "layered": ("shadow", (), LAYERED, LAYERED, "box-shadow"),
    "space/x": ("dimension", ("GAP",), 3, 5, "padding-top"),
    "text/y": ("dimension", ("FONT_SIZE",), 13, 15, "font-size"),
    "tracking/x": ("dimension", ("LETTER_SPACING",), 3, 5, "letter-spacing"),
    "duration/x": ("duration", (), Quantity(200.0, "ms"), Quantity(300.0, "ms"), "transition-duration"),
}

LOCATIONS = [
    ("light", [], "Light"),
    ("dark", [], "Dark"),
    ("light", ["dark"], "Dark"),
    ("dark", ["light"], "Light"),
    ("light", ["dark", "light"], "Light"),
    ("dark", ["light", "dark"], "Dark"),
]
"""What the system asks for, the modes of the elements around, and the mode that is shown within."""
SHOWN = """(properties) => [...document.querySelectorAll("p")].map(
  (element, at) => getComputedStyle(element).getPropertyValue(properties[at]))"""


def utilities_of(modes, prefix="", form="blocks"):
    """The style sheet of ``UTILITY_TOKENS`` in these modes, and the class of each."""
    scheme = collection("Scheme", *modes)
    columns = [("Light", "Dark").index(each) for each in modes]
    several = [
        token(scheme, name, *(pair[at] for at in columns), type=type_, scopes=scopes)
        for name, (type_, scopes, *pair, _) in UTILITY_TOKENS.items()
    ]
    token_graph = graph(scheme, *several)
    request = OutputRequest(platform="tailwind", options=TailwindOptions(prefix=prefix, form=form))
    sheet = output_of(Resolution(token_graph), request, Notation(CssOptions()))
    classes = [utility(each) for each in names_of(sheet).themed.values()]
    (file,) = generate(token_graph, request)[0]
    return file.content.decode(), [f"{prefix}:{each}" if prefix else each for each in classes]


@pytest.mark.parametrize("form", ["blocks", "inline"])
@pytest.mark.parametrize("prefix", ["", "tw"])
def test_each_utility_shows_the_value_of_the_theme(prefix, form, tailwind, chromium):
    """As if the theme's values were the only ones: Tailwind may not have copied those of another theme."""
    sheet = PREFIXED_SHEET if prefix else SHEET
    properties = [each[-1] for each in UTILITY_TOKENS.values()]
    expected = {}
    for mode in ("Light", "Dark"):
        css, classes = utilities_of([mode], prefix)
        with chromium(tailwind(sheet, {"theme.css": css}, classes), html_of([], classes)) as page:
            expected[mode] = page.page.evaluate(SHOWN, properties)
    alike = [name for name, *pair in zip(UTILITY_TOKENS, *expected.values(), strict=True) if pair[0] == pair[1]]
    assert alike == []
    css, classes = utilities_of(["Light", "Dark"], prefix, form)
    built = tailwind(sheet, {"theme.css": css}, classes)
    for system, around, mode in LOCATIONS:
        with chromium(built, html_of(around, classes)) as page:
            page.emulate(scheme=system)
            assert page.page.evaluate(SHOWN, properties) == expected[mode], (system, around)


MODIFIED = {
    # a class with a modifier, the property that shows it, and the alpha in Light and in Dark
    "bg-black/50": ("background-color", 0.5, 0.25),
    "bg-card/50": ("background-color", 0.5, 0.25),
    "bg-card/hover": ("background-color", 0.08, 0.16),
    "text-card/soft": ("color", 0.4, 0.6),
    "border-card/again": ("border-top-color", 0.4, 0.6),
    "bg-black/10": ("background-color", 0.1, 0.1),
    "bg-veil": ("background-color", 0.5, 0.25),
    "bg-haze": ("background-color", 0.004, 0.006),
    "bg-beyond": ("background-color", 1, 1),
    "bg-veil/hover": ("background-color", 0.04, 0.04),
    "opacity-hover": ("opacity", 0.08, 0.16),
    "opacity-soft": ("opacity", 0.4, 0.6),
}
ALPHA = """(properties) => [...document.querySelectorAll("p")].map((element, at) => {
  const value = getComputedStyle(element).getPropertyValue(properties[at]);
  return Number(/^[\\d.]+$/.test(value) ? value : (/[/,] ?([\\d.]+)\\)$/.exec(value) ?? [, 1])[1]) })"""


@pytest.mark.parametrize("form", ["blocks", "inline"])
@pytest.mark.parametrize("prefix", ["", "tw"])
def test_opacities_and_modifiers_of_colours_show_the_share_of_each_theme(prefix, form, tailwind, chromium):
    """A modifier mixes by the variable, which has to be a percentage; ``opacity/50`` is also that of Tailwind's /50."""
    scheme = collection("Scheme", "Light", "Dark")
    card = Color(1.0, 0.5, 0.0, 1.0)
    token_graph = graph(
        scheme,
        token(scheme, "color/card", card, card),
        *(
            token(scheme, f"color/{name}", *(2 * (ComposedColor(card, alias("Scheme", f"opacity/{share}")),)))
            for name, share in (("veil", "50"), ("haze", "soft"), ("beyond", "beyond"))
        ),
        token(scheme, "opacity/50", 50, 25, type="number"),
        token(scheme, "opacity/hover", 8, 16, type="number"),
        token(scheme, "opacity/beyond", 150, 150, type="number", scopes=("OPACITY",)),
        token(scheme, "opacity/soft", 0.4, 0.6, type="number", scopes=("OPACITY",)),
        token(scheme, "opacity/again", *(2 * (alias("Scheme", "opacity/soft"),)), type="number"),
    )
    options = TailwindOptions(prefix=prefix, form=form)
    (file,) = generate(token_graph, OutputRequest(platform="tailwind", options=options))[0]
    classes = [f"{prefix}:{name}" if prefix else name for name in MODIFIED]
    built = tailwind(PREFIXED_SHEET if prefix else SHEET, {"theme.css": file.content.decode()}, classes)
    properties = [name for name, *_ in MODIFIED.values()]
    for location in ([], ["dark"], ["dark", "light"]):
        expected = [alphas[location[-1:] == ["dark"]] for _, *alphas in MODIFIED.values()]
        with chromium(built, html_of(location, classes)) as page:
            assert page.page.evaluate(ALPHA, properties) == pytest.approx(expected, abs=0.001), location


def html_of(around, classes):
    elements = "".join(f'<p class="{each}"></p>' for each in classes)
    for mode in reversed(around):
        elements = f'<div data-scheme="{mode}">{elements}</div>'
    return elements
