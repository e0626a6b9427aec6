"""The Tailwind theme: names of variables, hostile names and texts, and the lines that a change affects."""

import json
import re

import pytest
import tinycss2
from generate.targets.changes import changed_lines
from generate.targets.composite_values import VALUES, composite_of
from generate.targets.hostile_graphs import hostile_graphs
from graphs import alias, collection, color, graph, token
from hypothesis import given

from tokensync.generate.naming import names_for
from tokensync.generate.output import Resolution
from tokensync.generate.target import OutputRequest
from tokensync.generate.targets import generate, naming_of
from tokensync.generate.targets.css import CssOptions, CssTheme
from tokensync.generate.targets.css.texts import Notation, output_of
from tokensync.generate.targets.tailwind import TailwindOptions
from tokensync.generate.targets.tailwind.render import names_of, namespace_of, theme_names
from tokensync.settings import NamingConfig
from tokensync.tokens import DanglingAlias, Quantity

BLACK, WHITE, RED = color("#000000"), color("#ffffff"), color("#ff0000")
OF = collection("Base")


def text_of(token_graph, **options):
    ((path, content),) = generate(token_graph, OutputRequest(platform="tailwind", **options))[0]
    assert path == "theme.css"
    return content.decode()


def defaults(text):
    """Return the declarations of ``@theme`` and of the root's blocks, without switches."""
    declared = {}
    for rule in tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True):
        prelude = tinycss2.serialize(rule.prelude).strip()
        if rule.lower_at_keyword == "theme" and not prelude:
            declared |= declarations(rule.content)
        if rule.lower_at_keyword == "layer":
            for block in tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True):
                if tinycss2.serialize(block.prelude).strip().startswith(":root"):
                    declared |= declarations(block.content)
    # switches begin with one underscore; a token can be called __proto__
    return {name: value for name, value in declared.items() if re.match(r"--(?!_(?!_))", name)}


def variables(token_graph, rules=None, **request):
    """Return Tailwind's names of the tokens, in order."""
    output = output_of(Resolution(token_graph), OutputRequest(platform="tailwind", **request), Notation(CssOptions()))
    return [f"--{name}" for name in names_of(output, rules).themed.values()]


def declarations(content):
    for each in tinycss2.parse_blocks_contents(content, skip_comments=True, skip_whitespace=True):
        assert each.type == "declaration", each
        yield each.name, [part for part in each.value if part.type not in ("whitespace", "comment")]


@given(hostile_graphs())
def test_a_theme_of_hostile_texts_reads_back(token_graph):
    """Each token has a variable with a unique name, and strings are unchanged."""
    by_name = defaults(text_of(token_graph))
    tokens = list(token_graph.tokens.values())
    css, _ = names_for(token_graph, tokens, naming_of("css"))
    assert by_name.keys() >= {*css.values()}
    for each in tokens:
        if each.type == "string":
            (value,) = by_name[css[each.key]]
            assert value.value == re.sub("[\0\ud800-\udfff]", "\ufffd", each.values[0])


@pytest.mark.parametrize(
    ("name", "type_", "scopes", "namespace"),
    [
        ("accent", "color", (), "color"),
        ("body", "fontFamily", (), "font"),
        ("bold", "fontWeight", (), "font-weight"),
        ("gap", "dimension", (), "spacing"),
        ("gap", "dimension", ("ALL_SCOPES",), "spacing"),
        ("body", "dimension", ("FONT_SIZE",), "text"),
        ("body", "dimension", ("LINE_HEIGHT",), "leading"),
        ("body", "dimension", ("FONT_SIZE", "LINE_HEIGHT"), ""),
        ("wide", "dimension", ("LETTER_SPACING",), "tracking"),
        ("card", "dimension", ("CORNER_RADIUS",), "radius"),
        ("gap", "dimension", ("GAP", "WIDTH_HEIGHT"), "spacing"),
        ("blur-lg", "dimension", ("EFFECT_FLOAT",), "blur"),
        ("breakpoint-md", "dimension", ("WIDTH_HEIGHT",), "breakpoint"),
        ("opacity-of-paper", "number", (), ""),
        ("tight", "number", ("LINE_HEIGHT",), "leading"),
        ("z-index", "number", (), ""),
        ("color-of-the-year", "string", (), ""),
        ("enabled", "boolean", (), ""),
    ],
)
def test_a_namespace_depends_on_type_scopes_and_name(name, type_, scopes, namespace):
    from tokensync.generate.output import PLAIN_KINDS, Resolution

    only = token(OF, name, None, type=type_, scopes=scopes)
    (kind,) = Resolution(graph(OF, only)).kinds
    assert namespace_of(only, PLAIN_KINDS[kind], name) == namespace


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("color/accent", "accent"), ["--color-accent", "--color-accent-2"]),
        (("colors/accent",), ["--color-accent"]),
        (("color",), ["--color-color"]),
        (("text/muted",), ["--color-text-muted"]),
    ],
)
def test_a_name_has_its_namespace_once(names, expected):
    assert variables(graph(OF, *(token(OF, name, RED) for name in names))) == expected


@pytest.mark.parametrize(
    ("names", "scope", "expected"),
    [
        (("control/radius",), "CORNER_RADIUS", ["--radius-control"]),
        (("body/line-height", "caption/line-height"), "LINE_HEIGHT", ["--leading-body", "--leading-caption"]),
        (("body/size",), "FONT_SIZE", ["--text-body"]),
        (("radius/card", "card/radius"), "CORNER_RADIUS", ["--radius-card", "--radius-card-radius"]),
        (("radius/inner-radius",), "CORNER_RADIUS", ["--radius-inner-radius"]),
        (("badius",), "CORNER_RADIUS", ["--radius-badius"]),
        (("text/title/size/small",), "FONT_SIZE", ["--text-title-small"]),
        (("text/title/line-height/small",), "LINE_HEIGHT", ["--leading-title-small"]),
        (("typography/title/tracking",), "LETTER_SPACING", ["--tracking-title"]),
        (("typography/tracking/wide",), "LETTER_SPACING", ["--tracking-wide"]),
        (("control/stroke/thin",), "STROKE_FLOAT", ["--border-width-control-thin"]),
        (("card/borderRadius/small",), "CORNER_RADIUS", ["--radius-card-small"]),
    ],
)
def test_words_for_the_namespace_are_not_repeated(names, scope, expected):
    length = {"type": "dimension", "scopes": (scope,)}
    token_graph = graph(OF, *(token(OF, each, Quantity(4.0, "px"), **length) for each in names))
    assert variables(token_graph) == expected


def test_a_size_has_no_name_of_a_keyword():
    token_graph = graph(OF, *(token(OF, name, 4, type="dimension") for name in ("space/full", "auto", "space/fuller")))
    names = variables(token_graph)
    assert names == ["--spacing-space-full", "--spacing-auto-2", "--spacing-fuller"]


def test_a_width_named_like_a_container_is_that_of_the_container():
    """Of Tailwind's containers and of the design file's, by their properties; heights are those of the spacing."""
    names = ("space/md", "space/page", "space/other", "container/page")
    text = text_of(graph(OF, *(token(OF, name, 4, type="dimension") for name in names)))
    widths = re.findall(r"--max-width-([\w-]+): var\(--([\w-]+)\);", text.partition("@theme inline")[2])
    assert widths == [("md", "container-md"), ("page", "container-page")]
    renamed = text_of(graph(OF, token(OF, names[3], 4, type="dimension")), naming=NamingConfig(prefix="acme"))
    assert "--max-width-page: var(--acme-container-page);" in renamed and "--container-page: 0.25rem;" in renamed


@pytest.mark.parametrize(
    ("modes", "themes", "queries"),
    [
        (("Light", "Dark"), {}, ["(prefers-color-scheme: dark)"]),
        (("Dark", "Light"), {}, ["(prefers-color-scheme: dark)"]),
        (("Light", "Dark"), {"scheme/dark": CssTheme(media=False)}, []),
        (("A", "B"), {}, None),
    ],
)
def test_the_variant_dark_follows_the_system_as_the_themes_do(modes, themes, queries):
    scheme = collection("Scheme", *modes)
    text = text_of(graph(scheme, token(scheme, "ink", BLACK, WHITE)), options=TailwindOptions(themes=themes))
    variant = text.partition("@theme")[0].partition("@custom-variant dark")[2]
    assert bool(variant) == (queries is not None)
    assert re.findall(r"@media (.*) \{", variant) == (queries or [])


LENGTHS = {"space/sm": 4, "space/0.5": 2, "size/radius/100": 8, "breakpoint/md": 700, "space/md": 16}


@pytest.mark.parametrize("prefix", ["", "acme", "acme-ds"])
def test_a_prefix_of_all_names_is_no_part_of_tailwinds_names(prefix):
    """A namespace is found behind it, and ``p-0.5`` looks for ``--spacing-0_5``."""
    tokens = [token(OF, name, value, type="dimension") for name, value in LENGTHS.items()]
    token_graph = graph(OF, *tokens, token(OF, "color/ink", BLACK), token(OF, "label", "a", type="string"))
    names = variables(token_graph, naming=NamingConfig(prefix=prefix))
    assert names == [
        *("--spacing-sm", "--spacing-0_5", "--radius-100", "--breakpoint-md", "--spacing-md", "--color-ink")
    ]
    text = text_of(token_graph, naming=NamingConfig(prefix=prefix))
    before = f"--{prefix}" if prefix else "-"
    assert f"--spacing-sm: var({before}-space-sm);" in text and f"{before}-space-sm: 4px;" in text


def test_a_prefix_in_the_code_syntax_of_most_tokens_is_no_part_of_tailwinds_names():
    """The first word of the paths is none, nor is that of the collection."""
    tokens = [
        token(OF, name, BLACK, code_syntax=(("WEB", f"var(--sds-color-{name})"),)) for name in ("brand/1", "brand/2")
    ]
    names = variables(graph(OF, *tokens, token(OF, "ink", RED)))
    assert names[:3] == ["--color-brand-1", "--color-brand-2", "--color-ink"]
    tokens = [token(OF, name, BLACK, code_syntax=(("WEB", f"var(--base-{name})"),)) for name in ("a", "b")]
    tokens += [token(OF, f"brand/{name}", BLACK) for name in ("c", "d", "e")]
    names = variables(graph(OF, *tokens))
    assert names == [f"--color-{name}" for name in ("base-a", "base-b", "brand-c", "brand-d", "brand-e")]


def test_reset_namespaces_have_no_names_of_tailwind():
    """A container named like one of Tailwind's is not there to take a width back from a spacing."""
    tokens = [token(OF, name, 780, type="dimension") for name in ("breakpoint/tablet", "space/md")]
    options = TailwindOptions(reset=("color", "breakpoint", "container"), comments="none")
    text = text_of(graph(OF, *tokens), options=options)
    assert text.partition("@theme {\n")[2].startswith(
        "  --color-*: initial;\n  --breakpoint-*: initial;\n  --container-*: initial;\n  --breakpoint-tablet: 48.75rem;"
    )
    assert "--max-width-md" not in text
    assert problems_of(graph(OF, *tokens), reset=("breakpoint",)) == []
    assert [code for code, _, _ in problems_of(graph(OF, *tokens))] == ["breakpoint-order"]


def test_the_configuration_of_tailwind_merge_has_the_names_of_each_namespace():
    tokens = [
        *(token(OF, name, 4, type="dimension") for name in ("space/sm", "space/0.5", "border-width/fine")),
        *(token(OF, name, 4, type="dimension", scopes=("FONT_SIZE",)) for name in ("caption", "body")),
        token(OF, "color/body", RED),
        token(OF, "opacity/hover", 8, type="number"),
        token(OF, "label", "a", type="string"),
    ]
    options = TailwindOptions(prefix="tw", merge=True)
    files = dict(generate(graph(OF, *tokens), OutputRequest(platform="tailwind", options=options))[0])
    configuration = json.loads(files["tailwind-merge.json"])
    assert configuration["prefix"] == "tw"
    assert configuration["extend"]["theme"] == {"spacing": ["sm", "0.5"], "text": ["caption", "body-2"]}
    groups = configuration["extend"]["classGroups"]
    assert groups["border-w-t"] == [{"border-t": ["fine"]}] and groups["opacity"] == [{"opacity": ["hover"]}]
    assert set(files) == {"theme.css", "tailwind-merge.json"}


def test_no_two_tokens_have_the_same_class():
    """Tailwind looks text-body up among colours first, and font-body among families; text-base is its own."""
    size = {"type": "dimension", "scopes": ("FONT_SIZE",)}
    tokens = [
        token(OF, "body/size", 4, **size),
        token(OF, "body", RED),
        token(OF, "base", RED),
        token(OF, "body/weight", 400, type="fontWeight"),
        token(OF, "body/family", "Inter", type="fontFamily"),
    ]
    assert variables(graph(OF, *tokens)) == [
        *("--text-body-size", "--color-body", "--color-base-2", "--font-weight-body-weight", "--font-body")
    ]


def test_a_colour_has_classes_that_do_not_repeat_its_role():
    """Unless another colour, a size, an image or Tailwind itself has that class."""
    colors = (
        "text/muted",
        "text/title",
        "text/center",
        "text/red-500",
        "fg color/on",
        "bg/x",
        "x",
        "border/x-y",
        "text",
    )
    tokens = [token(OF, name, BLACK) for name in colors]
    tokens.append(token(OF, "title", 4, type="dimension", scopes=("FONT_SIZE",)))
    text = text_of(graph(OF, *tokens))
    assert re.findall(r"(--(?:text|background|border)-color-[\w-]+): var\((--[\w-]+)\);", text) == [
        ("--text-color-muted", "--text-muted"),
        ("--text-color-on", "--fg-color-on"),
    ]


def test_the_search_for_uses_knows_both_classes_of_a_colour():
    token_graph = graph(OF, token(OF, "text/muted", BLACK), token(OF, "space/0.5", 4, type="dimension"))
    found = theme_names(Resolution(token_graph), OutputRequest(platform="tailwind"))
    assert [(variable, ending) for _, variable, ending in found] == [
        ("color-text-muted", "text-muted"),
        ("text-color-muted", "muted"),
        ("spacing-0_5", "0.5"),
    ]


def test_a_text_style_keeps_its_name_from_a_size():
    size = token(OF, "body/size", Quantity(16.0, "px"), type="dimension", scopes=("FONT_SIZE",))
    style = token(OF, "body", composite_of(VALUES["typography"]), type="typography")
    text = text_of(graph(OF, size, style))
    assert variables(graph(OF, size, style)) == ["--text-body-size"]
    assert "--text-body-size: var(--body-size);" in text
    assert "--text-body: var(--body-font-size);" in text
    assert "--text-body--line-height: var(--body-line-height);" in text


def test_a_name_of_tailwind_that_is_also_a_property_is_never_declared():
    """A string may have the name of a colour's variable, and a colour may be its own."""
    scheme = collection("Scheme", "A", "B")
    tokens = [
        token(scheme, "color/x", "text", "text", type="string"),
        token(scheme, "x", RED, BLACK),
        token(scheme, "color/y", RED, BLACK),
        token(scheme, "z", RED, BLACK),
    ]
    text = text_of(graph(scheme, *tokens))
    inline, _, reference = text.partition("@theme inline {")[2].partition("@theme inline reference {")
    assert re.findall(r"--[\w-]+: var\(.*\);", inline) == ["--color-z: var(--z);"]
    assert re.findall(r"--[\w-]+: var\(.*\);", reference) == [
        "--color-x: var(--x);",
        "--color-y: var(--color-y);",
    ]
    assert '--color-x: "text";' in text


def test_the_prefix_of_tailwind_is_that_of_its_own_variables_only():
    """Tailwind adds it to the names in @theme, so it has no properties there."""
    scheme = collection("Scheme", "A", "B")
    token_graph = graph(scheme, token(scheme, "ink", BLACK, WHITE), token(scheme, "text", alias("Scheme", "ink")))
    text = text_of(token_graph, options=TailwindOptions(prefix="tw"))
    assert re.findall(r"--[\w-]+", text) == [
        *("--color-ink", "--ink", "--color-text", "--text"),
        *("--ink", "--text", "--ink", "--ink", "--text", "--ink"),
    ]


def test_a_string_does_not_contain_important():
    token_graph = graph(OF, token(OF, "a", "very !important", type="string"))
    assert '--a: "very \\21 important";' in text_of(token_graph)


@pytest.mark.parametrize(
    ("options", "values"),
    [
        ({}, ["43.75rem", "43.75rem", "30rem", "25rem", "30rem", "700px"]),
        ({"dimensions": "rem"}, ["43.75rem", "43.75rem", "30rem", "25rem", "30rem", "43.75rem"]),
        # A rem of a media query is the browser's 16 pixels, and one of a container query the page's.
        ({"dimensions": "rem", "base": 10.0}, ["43.75rem", "43.75rem", "30rem", "40rem", "30rem", "70rem"]),
    ],
)
def test_breakpoints_and_containers_are_always_in_rem(options, values):
    lengths = {
        "breakpoint/plain": 700,
        "breakpoint/pixels": Quantity(700.0, "px"),
        "breakpoint/root": Quantity(30.0, "rem"),
        "container/pixels": Quantity(400.0, "px"),
        "container/root": Quantity(30.0, "rem"),
        "panel": alias("Base", "breakpoint/plain"),
    }
    token_graph = graph(OF, *(token(OF, name, value, type="dimension") for name, value in lengths.items()))
    text = text_of(token_graph, options=TailwindOptions(**options))
    text = text.replace("  --spacing-panel: var(--panel);\n", "")
    assert [value for _, value in re.findall(r"  --([\w-]+): (.*);", text)] == values


def varied(type_, values, *names):
    """Return a graph of tokens with these values in two modes."""
    scheme = collection("Scheme", "A", "B")
    return graph(scheme, *(token(scheme, name, *values, type=type_) for name in names))


def problems_of(token_graph, **options):
    _, problems = generate(token_graph, OutputRequest(platform="tailwind", options=TailwindOptions(**options)))
    return [(each.code, each.where, each.what_to_do) for each in problems]


@pytest.mark.parametrize(
    ("name", "values", "codes"),
    [
        ("breakpoint/md", (700, 800), ["breakpoint-varies"]),
        ("container/md", (700, 800), ["breakpoint-varies"]),
        ("breakpoint/md", (700, 700), []),
        ("space/md", (700, 800), []),
        ("breakpoint/tablet", (780, 780), ["breakpoint-order"]),
        ("breakpoint/tablet", (768, 768), []),
        ("breakpoint/md", (780, 780), []),
        ("breakpoint/tablet", (767, 767), []),
        ("container/tablet", (780, 780), ["breakpoint-order"]),
        ("container/tablet", (1030, 1030), ["breakpoint-order"]),
        ("breakpoint/tablet", (1300, 1310), ["breakpoint-varies"]),
    ],
)
def test_conditions_that_a_theme_changes_or_that_cannot_be_sorted_are_reported(name, values, codes):
    assert [code for code, _, _ in problems_of(varied("dimension", values, name))] == codes


def test_the_advice_on_an_unsortable_breakpoint_has_possible_values():
    token_graph = varied("dimension", (780, 780), "breakpoint/tablet")
    advice = "make it less than 48rem (768px) or at least 49rem (784px)"
    assert problems_of(token_graph) == [("breakpoint-order", "Scheme / breakpoint/tablet", advice)]
    token_graph = varied("dimension", (485, 485), "container/tablet")
    advice = "make it less than 48rem (480px) or at least 49rem (490px)"
    assert problems_of(token_graph, base=10.0) == [("breakpoint-order", "Scheme / container/tablet", advice)]


def scheme_of(accent=BLACK, *, added=()):
    scheme = collection("Scheme", "A", "B")
    return graph(
        scheme,
        token(scheme, "accent", accent, WHITE),
        token(scheme, "link", alias("Scheme", "accent")),
        *(token(scheme, each, RED) for each in added),
        token(scheme, "other", RED),
    )


@pytest.mark.parametrize("modes", [2, 6])
def test_a_token_without_a_default_value_has_a_utility_for_the_modes_with_one(modes):
    scheme = collection("Scheme", *(f"Mode {number}" for number in range(modes)))
    values = (DanglingAlias("V:9:9"), *(BLACK,) * (modes - 1))
    text = text_of(graph(scheme, token(scheme, "text/ink", *values)))
    assert "--color-text-ink: var(--text-ink);" in text
    assert text.count("--text-ink: initial;") == 1 and text.count("--text-ink: #000;") == modes - 1


def test_changing_one_variable_changes_only_its_lines():
    assert changed_lines(text_of(scheme_of()), text_of(scheme_of(RED))) == [
        "-    --accent: #000;",
        "+    --accent: #f00;",
    ]


def test_a_new_variable_adds_its_own_line():
    lines = changed_lines(text_of(scheme_of()), text_of(scheme_of(added=("new",))))
    assert lines == ["+  --new: #f00;", "+  --color-new: var(--new);"]


def test_a_property_has_the_name_that_dev_mode_shows():
    """It is in @theme, from which Tailwind omits it if nothing uses it, unless Tailwind would make utilities of it."""
    tokens = [
        token(OF, "ink", BLACK, code_syntax=(("WEB", "var(--sea)"),)),
        token(OF, "color/reef", RED),
        token(OF, "text/muted", RED),
        token(OF, "size/4", 4, type="dimension"),
        token(OF, "label", "a", type="string"),
    ]
    theme, _, layer = text_of(graph(OF, *tokens)).partition("@layer theme")
    theme, _, inline = theme.partition("@theme inline")
    assert re.findall(r"--[\w-]+(?=:)", theme) == ["--sea", "--color-reef", "--label"]
    assert re.findall(r"--[\w-]+(?=:)", layer) == ["--text-muted", "--size-4"]
    assert "--color-sea: var(--sea);" in inline and "--spacing-size-4: var(--size-4);" in inline


def test_an_inline_breakpoint_of_many_modes_has_a_block_for_each_and_no_switches():
    sizes = collection("Sizes", "light", "dark", "c", "d", "e")
    wide = token(sizes, "breakpoint/wide", *(Quantity(each, "px") for each in (4, 5, 6, 7, 8)), type="dimension")
    css = text_of(graph(sizes, wide), options=TailwindOptions(form="inline"))
    assert css.count("--breakpoint-wide: 0.") == 7  # the default in @theme, too, and dark twice
    assert "var(--_" not in css


def test_a_rule_chooses_the_namespace_and_what_is_left_of_the_path():
    """The first glob that matches counts; a breakpoint can only be a length."""
    names = ("layout/max/prose", "layout/max/none", "z/modal", "layer/x")
    tokens = [token(OF, name, 4, type="dimension") for name in names]
    rules = {"layout/max/none": "none", "layout/max/*": "max-width", "z/*": "z-index", "*": "breakpoint"}
    token_graph = graph(OF, *tokens, token(OF, "ink", RED))
    assert variables(token_graph, rules) == [
        *("--max-width-prose", "--z-index-modal", "--breakpoint-layer-x", "--color-ink")
    ]
    text = text_of(token_graph, options=TailwindOptions(namespaces=rules))
    assert "--max-width-prose: var(--layout-max-prose);" in text


def test_a_property_may_have_the_name_of_another_tokens_variable():
    """text/muted is a colour, and muted a size, for which Tailwind looks up --text-muted without declaring it."""
    tokens = [
        token(OF, "text/muted", BLACK, code_syntax=(("WEB", "var(--text-muted)"),)),
        token(OF, "muted", 4, type="dimension", scopes=("FONT_SIZE",)),
    ]
    text = text_of(graph(OF, *tokens))
    assert re.findall(r"--text-muted: (.*);", text) == ["var(--muted)", "#000"]
