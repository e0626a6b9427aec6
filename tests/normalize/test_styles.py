"""Published styles as tokens beside the variables."""

import json

import pytest
from commands.projects import DESIGN
from hypothesis import given
from hypothesis import strategies as st

from tokensync.dtcg import read, write
from tokensync.extract.client.groups import PublishedItem
from tokensync.extract.wire import snapshot
from tokensync.extract.wire.styles import style_in
from tokensync.normalize.graph import normalize
from tokensync.normalize.styles import with_styles
from tokensync.tokens import Alias, Color, ComposedColor, TokenKey, float32

GRAPH = normalize(snapshot("harbor", DESIGN[0].read_bytes()))[0]
FONT, WEIGHT, SIZE, HEIGHT, SPACING = (f"VariableID:34:{number}" for number in (2, 6, 11, 12, 14))
SPACE, RADIUS = "VariableID:3:31", "VariableID:3:32"
ACCENT = next(token.id for key, token in GRAPH.tokens.items() if key[1:] == ("theme", "accent"))
BODY = {"fontFamily": "Inter", "fontWeight": 400, "fontSize": 16, "letterSpacing": 0, "lineHeightPx": 24}
RED = {"r": 1, "g": 0, "b": 0, "a": 1}
SHADOW = {"type": "DROP_SHADOW", "visible": True, "color": RED, "offset": {"x": 0, "y": 2}, "radius": 4, "spread": 1}


def alias(id_):
    return {"type": "VARIABLE_ALIAS", "id": id_}


def px(number):
    return {"value": number, "unit": "px"}


def style(kind, node, name="a/b", id_="1:1"):
    return style_in(PublishedItem("k" + id_, node_id=id_, name=name, style_type=kind, description="About it"), node)


def tokens_of(*styles):
    graph, problems = with_styles(GRAPH, "harbor", styles)
    return [token for key, token in graph.tokens.items() if key not in GRAPH.tokens], problems


def token_of(kind, node, **more):
    (token,), problems = tokens_of(style(kind, node, **more))
    assert problems == ()
    return token


def value_of(kind, node):
    return json.loads(token_of(kind, node).values[0].json)


def reason(kind, node):
    tokens, (note,) = tokens_of(style(kind, node))
    assert tokens == []
    return note.what


def test_a_text_style_is_a_typography_token():
    token = token_of("TEXT", {"style": BODY})
    assert (token.key, token.type) == (TokenKey("harbor", "text-styles", "a.b"), "typography")
    assert (token.id, token.variable_key, token.description) == ("S:1:1", "k1:1", "About it")
    assert json.loads(token.values[0].json) == {
        "fontFamily": "Inter",
        "fontSize": px(16),
        "fontWeight": 400,
        "letterSpacing": px(0),
        "lineHeight": px(24),
    }


@pytest.mark.parametrize(
    ("members", "height"),
    [
        ({"lineHeightUnit": "PIXELS"}, px(24)),
        ({"lineHeightUnit": "FONT_SIZE_%", "lineHeightPercentFontSize": 150.00000596046448}, 1.5),
        ({"lineHeightUnit": "FONT_SIZE_%", "lineHeightPercentFontSize": 133.3333282470703}, 1.33333),
        ({"lineHeightUnit": "INTRINSIC_%"}, None),
    ],
)
def test_each_unit_of_a_line_height_has_its_form(members, height):
    assert value_of("TEXT", {"style": BODY | members}).get("lineHeight") == height


def test_bound_members_of_a_text_style_are_references():
    names = ("fontFamily", "fontWeight", "fontSize", "letterSpacing")
    bound = {name: [alias(id_)] for name, id_ in zip(names, (FONT, WEIGHT, SIZE, SPACING), strict=True)}
    token = token_of("TEXT", {"style": BODY, "boundVariables": bound})
    value = json.loads(token.values[0].json)
    assert [value[name] for name in names] == [
        "{typography.font.text}",
        "{typography.weight.strong}",
        "{typography.body.size}",
        "{typography.body.letter-spacing}",
    ]
    assert len(token.references) == 4


@pytest.mark.parametrize("bound", [{"fontSize": [alias("VariableID:9:9")]}, {"fontSize": alias(FONT)}, {"fontSize": 1}])
def test_a_binding_to_what_the_member_does_not_accept_leaves_the_literal(bound):
    assert value_of("TEXT", {"style": BODY, "boundVariables": bound})["fontSize"] == px(16)


def test_words_of_text_styles_are_those_of_token_files():
    more = {"textCase": "UPPER", "textDecoration": "STRIKETHROUGH", "fontStyle": "Bold Italic"}
    value = value_of("TEXT", {"style": BODY | more})
    assert [value[name] for name in ("textCase", "textDecoration", "fontStyle")] == [
        "uppercase",
        "line-through",
        "italic",
    ]


def test_what_token_files_have_no_members_for_is_kept_as_an_extension():
    more = {"textCase": "SMALL_CAPS", "textDecoration": "NONE", "paragraphSpacing": 8}
    token = token_of("TEXT", {"style": BODY | more})
    assert json.loads(token.extensions) == {"com.figma.style": {"paragraphSpacing": 8, "textCase": "SMALL_CAPS"}}
    assert "textCase" not in json.loads(token.values[0].json)


@pytest.mark.parametrize(
    ("kind", "node"),
    [
        ("TEXT", {"style": BODY | {"paragraphSpacing": 8.0}}),
        ("EFFECT", {"effects": [SHADOW, {"type": "NOISE", "radius": 8.0}]}),
    ],
)
def test_kept_numbers_are_spelled_as_in_token_files(kind, node):
    assert "8.0" not in token_of(kind, node).extensions


def test_a_font_whose_name_looks_like_a_reference_is_none():
    token = token_of("TEXT", {"style": BODY | {"fontFamily": "{theme.accent}"}})
    assert token.references == ()


def test_an_effect_style_is_a_shadow_with_references():
    bound = {"color": alias(ACCENT), "radius": alias(SPACE), "spread": alias(RADIUS)}
    token = token_of("EFFECT", {"effects": [SHADOW | {"boundVariables": bound}]})
    assert (token.key.collection, token.type) == ("effect-styles", "shadow")
    assert json.loads(token.values[0].json) == {
        "color": "{theme.accent.$root}",
        "offsetX": px(0),
        "offsetY": px(2),
        "blur": "{primitives.size.8}",
        "spread": "{primitives.size.12}",
    }


def test_shadows_are_in_the_order_of_css_and_blurs_are_kept():
    effects = [
        SHADOW | {"radius": 1},
        {"type": "LAYER_BLUR", "radius": 9},
        SHADOW | {"type": "INNER_SHADOW", "radius": 2},
        SHADOW | {"visible": False},
    ]
    token = token_of("EFFECT", {"effects": effects})
    layers = json.loads(token.values[0].json)
    assert [(layer["blur"]["value"], layer.get("inset")) for layer in layers] == [(2, True), (1, None)]
    assert json.loads(token.extensions) == {"com.figma.style": {"effects": [{"type": "LAYER_BLUR", "radius": 9}]}}


def test_a_blur_is_its_radius():
    blur = {"type": "BACKGROUND_BLUR", "radius": 4}
    token = token_of("EFFECT", {"effects": [blur]})
    assert (token.type, token.values) == ("dimension", (4.0,))
    assert json.loads(token.extensions) == {"com.figma.style": {"type": "BACKGROUND_BLUR"}}
    bound = token_of("EFFECT", {"effects": [blur | {"boundVariables": {"radius": alias(SPACE)}}]})
    assert bound.values == (Alias(TokenKey("harbor", "primitives", "size.8")),)


def test_a_paint_style_of_one_colour_is_a_colour():
    paint = {"type": "SOLID", "color": RED, "opacity": 0.5}
    assert token_of("FILL", {"fills": [paint]}).values == (Color(1.0, 0.0, 0.0, 0.5),)
    bound = paint | {"boundVariables": {"color": alias(ACCENT)}}
    accent = Alias(TokenKey("harbor", "theme", "accent"))
    assert token_of("FILL", {"fills": [bound]}).values == (ComposedColor(accent, 50.0),)
    assert token_of("FILL", {"fills": [bound | {"opacity": 1}]}).values == (accent,)
    assert token_of("FILL", {"fills": [bound | {"opacity": 0}]}).values == (ComposedColor(accent, 0.0),)


def test_a_gradient_keeps_its_type_and_direction():
    stops = [{"position": 0, "color": RED}, {"position": 1, "color": RED, "boundVariables": {"color": alias(ACCENT)}}]
    handles = [{"x": 0.5, "y": 0}, {"x": 0.5, "y": 1}]
    paint = {"type": "GRADIENT_RADIAL", "gradientStops": stops, "gradientHandlePositions": handles}
    token = token_of("FILL", {"fills": [paint]})
    assert [stop["color"] for stop in json.loads(token.values[0].json)][1] == "{theme.accent.$root}"
    kept = {"type": "GRADIENT_RADIAL", "gradientHandlePositions": [[0.5, 0], [0.5, 1]]}
    assert json.loads(token.extensions) == {"com.figma.style": kept}


def test_the_numbers_of_a_grid_style_are_tokens():
    columns = {"pattern": "COLUMNS", "count": 12, "gutterSize": 20, "offset": 8, "sectionSize": 60, "alignment": "MIN"}
    tokens, problems = tokens_of(
        style("GRID", {"layoutGrids": [columns | {"boundVariables": {"gutterSize": alias(SPACE)}}]})
    )
    assert problems == ()
    assert {token.key.path: token.values[0] for token in tokens} == {
        "a.b.columns.count": 12.0,
        "a.b.columns.gutter": Alias(TokenKey("harbor", "primitives", "size.8")),
        "a.b.columns.margin": 8.0,
        "a.b.columns.size": 60.0,
    }
    assert {token.type for token in tokens if token.key.path != "a.b.columns.count"} == {"dimension"}
    assert next(token.type for token in tokens if token.key.path == "a.b.columns.count") == "number"
    assert len({token.id for token in tokens}) == 4


@pytest.mark.parametrize(
    ("grid", "paths"),
    [
        ({"pattern": "GRID", "sectionSize": 8, "count": -1}, ["a.b.grid.size"]),
        (
            {"pattern": "ROWS", "count": -1, "gutterSize": 4, "sectionSize": 8, "alignment": "STRETCH"},
            ["a.b.rows.gutter"],
        ),
    ],
)
def test_a_grid_has_tokens_for_what_it_defines(grid, paths):
    tokens, _ = tokens_of(style("GRID", {"layoutGrids": [grid]}))
    assert [token.key.path for token in tokens] == paths


@pytest.mark.parametrize(
    ("kind", "node", "why"),
    [
        ("TEXT", {}, "the file does not contain it; it may be deleted there, but not in the publication"),
        ("TEXT", {"style": {"fontFamily": 1}}, "the response has no font for it"),
        ("EFFECT", {"effects": [{"type": "NOISE"}]}, "it has no shadow, but noise"),
        (
            "EFFECT",
            {"effects": [SHADOW | {"color": {"r": 2, "g": 0, "b": 0}}]},
            "the colour of a shadow cannot be read",
        ),
        ("EFFECT", {"effects": []}, "it has no visible effect"),
        ("EFFECT", {"effects": [{"type": "LAYER_BLUR", "radius": 1e39}]}, "the radius of its blur cannot be read"),
        ("FILL", {"fills": [{"type": "IMAGE"}]}, "its paint is a image"),
        ("FILL", {"fills": [{"type": "SOLID", "color": RED}] * 2}, "it has 2 paints"),
        ("FILL", {"fills": [{"type": "SOLID"}]}, "its colour cannot be read"),
        ("GRID", {"layoutGrids": []}, "it has no grid, or several of one kind"),
        ("GRID", {"layoutGrids": [{"pattern": "{a.b}"}]}, "it has no grid, or several of one kind"),
    ],
)
def test_a_style_without_a_form_is_omitted_with_its_reason(kind, node, why):
    assert reason(kind, node).endswith(f"cannot be a token: {why}")


def test_one_note_is_about_all_styles_of_a_kind():
    blurred = {"effects": [{"type": "GLASS"}]}
    _, (note,) = tokens_of(style("EFFECT", blurred, "one", "1:1"), style("EFFECT", blurred, "two", "1:2"))
    assert note.what.startswith("2 effect styles cannot be a token")
    assert (note.code, note.names) == ("styles-omitted", ("one", "two"))


@pytest.mark.parametrize(
    "name", ["", "/", "a.b", "{a}", "$type", "a//b", "../../etc", "con", "a\x00b", "\u202ename", "x" * 900]
)
def test_hostile_names_have_token_files(name):
    graph, _ = with_styles(GRAPH, "harbor", [style("TEXT", {"style": BODY}, name)])
    files = write(graph, "harbor")
    assert all(len(file.path) < 100 and ".." not in file.path for file in files)
    back, problems = read({file.path: file.content for file in files}, "harbor")
    assert back == graph
    assert not [problem for problem in problems if problem.severity == "error"]


def test_equal_names_get_numbers():
    tokens, _ = tokens_of(*(style("TEXT", {"style": BODY}, "a", f"1:{number}") for number in range(3)))
    assert [token.key.path for token in tokens] == ["a", "a-2", "a-3"]


def test_collections_of_variables_keep_their_handles():
    first, _ = with_styles(GRAPH, "harbor", [style("TEXT", {"style": BODY})])
    second, _ = with_styles(first, "harbor", [style("TEXT", {"style": BODY})])
    assert [family.handle for family in second.collections.values()][-2:] == ["text-styles", "text-styles-2"]


LENGTHS = st.floats(0, 1000, width=32).map(lambda number: number + 0.0)
CHANNELS = st.floats(0, 1, width=32).map(lambda number: number + 0.0)
COLORS = st.fixed_dictionaries(dict.fromkeys("rgba", CHANNELS))
IDS = st.sampled_from([token.id for token in GRAPH.tokens.values()])


def bound(*members):
    return st.dictionaries(st.sampled_from(members), IDS.map(alias))


TEXTS = st.fixed_dictionaries(
    {
        "style": st.fixed_dictionaries(
            {
                "fontFamily": st.text(min_size=1, max_size=8),
                "fontSize": LENGTHS,
                "fontWeight": st.integers(1, 1000),
                "letterSpacing": LENGTHS,
                "lineHeightPx": LENGTHS,
                "lineHeightPercentFontSize": LENGTHS,
                "lineHeightUnit": st.sampled_from(["PIXELS", "FONT_SIZE_%", "INTRINSIC_%"]),
                "textCase": st.sampled_from(["ORIGINAL", "UPPER", "SMALL_CAPS"]),
            }
        ),
        "boundVariables": bound("fontFamily", "fontSize", "fontWeight", "letterSpacing", "lineHeight"),
    }
)
EFFECTS = st.fixed_dictionaries(
    {
        "type": st.sampled_from(["DROP_SHADOW", "INNER_SHADOW"]),
        "color": COLORS,
        "offset": st.fixed_dictionaries({"x": LENGTHS, "y": LENGTHS}),
        "radius": LENGTHS,
        "spread": LENGTHS,
        "boundVariables": bound("color", "radius", "offsetX", "offsetY", "spread"),
    }
)
PAINTS = st.fixed_dictionaries(
    {"type": st.just("SOLID"), "color": COLORS, "opacity": CHANNELS, "boundVariables": bound("color")}
)
STYLES = st.one_of(
    TEXTS.map(lambda node: ("TEXT", node)),
    st.lists(EFFECTS, min_size=1, max_size=3).map(lambda effects: ("EFFECT", {"effects": effects})),
    PAINTS.map(lambda paint: ("FILL", {"fills": [paint]})),
)


@given(st.lists(STYLES, min_size=1, max_size=4))
def test_styles_are_the_same_after_writing_and_reading(styles):
    made = [style(kind, node, f"s{number}", f"1:{number}") for number, (kind, node) in enumerate(styles)]
    graph, problems = with_styles(GRAPH, "harbor", made)
    assert problems == ()
    files = {file.path: file.content for file in write(graph, "harbor")}
    assert read(files, "harbor")[0] == graph


@given(st.lists(EFFECTS.map(lambda effect: effect | {"boundVariables": {}}), min_size=1, max_size=3))
def test_unbound_shadows_have_the_values_of_the_platform(effects):
    value = value_of("EFFECT", {"effects": effects})
    layers = value if isinstance(value, list) else [value]
    for layer, effect in zip(layers, reversed(effects), strict=True):
        written = [layer[name]["value"] for name in ("offsetX", "offsetY", "blur", "spread")]
        given_ = [effect["offset"]["x"], effect["offset"]["y"], effect["radius"], effect["spread"]]
        assert [float32(number) for number in written] == given_
        assert [float32(each) for each in layer["color"]["components"]] == [effect["color"][each] for each in "rgb"]
        assert float32(layer["color"].get("alpha", 1)) == effect["color"]["a"]
