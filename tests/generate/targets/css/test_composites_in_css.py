"""Composite tokens in a style sheet: computed values equal those of the graph, in every theme."""

import re

import pytest
from generate.targets.cases_composites import composite_references, composites
from generate.targets.composite_values import ENDS, LAYER, VALUES, composite_of, rem
from generate.targets.computed_css import computed_texts
from graphs import FILE, collection, color, graph, token
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tokensync.generate.naming import names_for
from tokensync.generate.notation import TYPES, composite
from tokensync.generate.target import OutputRequest
from tokensync.generate.targets import generate, naming_of
from tokensync.generate.targets.css import literals
from tokensync.tokens import (
    Composite,
    Quantity,
    Theme,
    Token,
    TokenGraph,
    TokenKey,
    Unresolved,
    inferred_themes,
)
from tokensync.tokens.composites import canonical, parts_of
from tokensync.tokens.paths import path_of

AS_LINTED = literals.PartNotation(literals.Colors().text)


def as_computed(text):
    """Return a value in the form of ``computed_texts``, in which percentages are calculated."""
    (actual,) = computed_texts(f":root {{ --x: {text} }}").values()
    return actual


def agreement(token_graph):
    """Return every composite in every theme, from the style sheet and from the graph."""
    files, problems = generate(token_graph, OutputRequest(platform="css"))
    text = files[0].content.decode()
    names, _ = names_for(token_graph, token_graph.tokens.values(), naming_of("css"))
    local = [each for each in token_graph.tokens.values() if each.type in TYPES and each.origin == "local"]
    for theme in (Theme("default"), *inferred_themes(token_graph.collections.values())):
        resolve = token_graph.resolver(theme)
        attributes = [
            (f"data-{handle}", token_graph.collections[file, handle].modes[mode].context)
            for (file, handle), mode in theme.modes
        ]
        shown = computed_texts(text, *attributes)
        for each in local:
            resolved = resolve(each.key)
            typed = None if isinstance(resolved, Unresolved) else composite(resolved, each.type)
            if typed is None:
                assert names[each.key] not in shown
                continue
            actual = shown[names[each.key]]
            if "calc(" in actual:
                actual = calculated(actual)
            assert actual == as_computed(literals.composite_text(typed, spelling=AS_LINTED)), (theme, each.key)
            for suffix, part in literals.parts_of(typed, spelling=AS_LINTED):
                of_part = shown.get(f"{names[each.key]}-{suffix}")
                assert of_part is None or calculated(of_part) == as_computed(part)
    return problems


def calculated(text):
    """Return the text with each ``calc(0.5 * 100%)`` evaluated."""
    return re.sub(r"calc\(([\d.-]+) \* 100%\)", lambda match: f"{float(match[1]) * 100:g}%", text)


@pytest.mark.parametrize("make", [composites, composite_references])
def test_computed_values_equal_the_graph(make):
    agreement(make())


def ends(of, *, flip):
    """Return a graph with a token for every type of a part, with different values in two modes."""
    first = {
        "black": color("#000000", 0.25),
        "four": 4,
        "quick": Quantity(120.0, "ms"),
        "share": 0.5,
        "bold": 700,
        "sans": Composite('["Inter","sans-serif"]'),
        "curve": composite_of(VALUES["cubicBezier"]),
        "dashes": composite_of(VALUES["strokeStyle"]),
        "below": composite_of(LAYER),
    }
    second = {**first, "black": color("#ffffff"), "four": 8, "bold": 450, "dashes": composite_of("groove")}
    types = {name: each for each, name in ENDS.items()}
    for name, value in first.items():
        values = (second[name], value) if flip else (value, second[name])
        yield name, types[name], values


names = st.text(min_size=1, max_size=20) | st.sampled_from(
    ["a", "*/", "</style>", "}", "var(--x)", "--", "font-size", "\\", '"', "\n", "size", "1"]
)


@st.composite
def graphs(draw):
    """Composites of any type, some of whose parts refer to tokens of hostile names, in a family of two modes."""
    scheme, style = collection("Scheme", "Light", "Dark"), collection("Style")
    group = draw(names)
    keys = {}
    parts = [scheme, style]
    for name, dtcg_type, values in ends(scheme, flip=draw(st.booleans())):
        composite_token = token(scheme, f"{group}/{name}", *values, type=dtcg_type)
        keys[dtcg_type] = composite_token.key
        parts.append(composite_token)
    keys["lineHeight"] = keys[draw(st.sampled_from(["number", "dimension"]))]
    for number in range(draw(st.integers(1, 4))):
        dtcg_type = draw(st.sampled_from(TYPES))
        value, actual = VALUES[dtcg_type], {}
        if dtcg_type == "typography":
            value = {**value, "fontFamily": draw(st.lists(st.text(max_size=20), min_size=1, max_size=3))}
            value |= draw(st.sampled_from([{}, {"lineHeight": rem(1.5), "fontStyle": "italic", "textCase": "none"}]))
        for part in tuple(parts_of(dtcg_type, value)):
            if part.type in keys and draw(st.booleans()):
                spelled = f"{{scheme.{keys[part.type].path}}}"
                value = put(value, part.path, spelled)
                actual[spelled] = keys[part.type]
        text = canonical(value)
        kept = tuple((each, end) for each, end in actual.items() if each in _strings(value))
        path = path_of((draw(names), f"it {number}"))
        of = TokenKey(FILE, "style", path)
        parts.append(Token(key=of, type=dtcg_type, values=(Composite(text, kept),)))
    return graph(*parts)


def _strings(value):
    if isinstance(value, str):
        return {value}
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return set().union(*map(_strings, inner))


def put(tree, path, value):
    if not path or isinstance(tree, str):
        return value if not path else tree
    members = list(tree) if isinstance(tree, list) else dict(tree)
    members[path[0]] = put(tree[path[0]], path[1:], value)
    return members


@given(graphs())
def test_composites_of_any_names_compute_to_the_values_of_the_graph(token_graph):
    agreement(token_graph)


@given(graphs())
@settings(max_examples=40, deadline=None)
def test_changing_one_color_changes_only_the_lines_that_show_it(token_graph):
    """Composites that refer to it with var() do not change."""
    ink = next(each for each in token_graph.tokens.values() if each.type == "color")
    other = replace(ink, values=(color("#123456"), *ink.values[1:]))
    changed = TokenGraph(
        token_graph.collections.values(), (other if each is ink else each for each in token_graph.tokens.values())
    )
    before, after = (
        generate(each, OutputRequest(platform="css"))[0][0].content.decode().splitlines()
        for each in (token_graph, changed)
    )
    (name,) = names_for(token_graph, [ink], naming_of("css"))[0].values()
    different = [line for line, now in zip(before, after, strict=True) if line != now]
    assert different
    assert all(line.strip().startswith(f"{name}:") for line in different)


@pytest.mark.parametrize(
    ("name", "selector"),
    [
        ("--body", ".body"),
        ("--2xl", r".\32 xl"),
        ("---x", r".\2d x"),
        ("--größe", ".größe"),
        ("--a{b}", r".a\7b b\7d "),
    ],
)
def test_the_selector_of_a_class_is_valid_whatever_the_name(name, selector):
    assert literals.class_selector(name) == selector
