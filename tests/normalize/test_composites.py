"""Composite tokens that [[composites]] rules assemble from groups of variables."""

import json
from itertools import product

import pytest
from graphs import alias, collection, color, graph, key, token
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tokensync.normalize.composites import assembled, flaws, json_of, member_of
from tokensync.settings import CompositeConfig
from tokensync.tokens import Alias, Theme
from tokensync.tokens.composites import literal_json

PARTS = {"x": 0, "y": 2, "blur": 4, "spread": 1}
BLACK = color("#000000")


def shadow(of, name, *, shade=BLACK, **changed):
    """The five variables of a shadow."""
    numbers = [token(of, f"{name}/{part}", changed.get(part, PARTS[part]), type="dimension") for part in PARTS]
    return [*numbers, token(of, f"{name}/color", *(shade if isinstance(shade, tuple) else (shade,)))]


def rule(match="shadow/*/{x,y,blur,spread,color}", type="shadow", **rest):  # noqa: A002
    return CompositeConfig(type=type, match=match, **rest)


def written(result, of, name, mode=0):
    """The JSON of an assembled token in a mode."""
    return json.loads(result.graph.tokens[key(of.name, name)].values[mode].json)


def local(result):
    return [str(each.key) for each in result.graph.tokens.values() if each.origin == "local"]


def px(number):
    return {"value": number, "unit": "px"}


BASE = collection("Base")
PLAIN = graph(BASE, *shadow(BASE, "shadow/small"), *shadow(BASE, "shadow/large", y=8), token(BASE, "ink", BLACK))


def test_a_group_becomes_one_token_and_its_parts_are_no_tokens_of_outputs():
    result = assembled(PLAIN, [rule()])
    assert local(result) == ["base / ink", "base / shadow/small", "base / shadow/large"]
    assert written(result, BASE, "shadow/large") == {
        "offsetX": px(0),
        "offsetY": px(8),
        "blur": px(4),
        "spread": px(1),
        "color": {"colorSpace": "srgb", "components": [0, 0, 0]},
    }
    assert result.findings == ()


def test_the_graph_of_the_files_stays_as_it_is():
    before = list(PLAIN.tokens.values())
    assembled(PLAIN, [rule()])
    assert list(PLAIN.tokens.values()) == before


def test_an_assembly_tells_its_rule_and_parts():
    result = assembled(PLAIN, [rule("nothing/{x,color}"), rule()])
    assembly = result.assemblies[key("Base", "shadow/small")]
    assert assembly.rule == 1
    assert [part.names[-1] for part in assembly.parts] == ["x", "y", "blur", "spread", "color"]


def test_the_value_differs_by_mode_where_a_part_does():
    of = collection("Theme", "Light", "Dark")
    result = assembled(graph(of, *shadow(of, "shadow/low", shade=(BLACK, color("#ffffff")))), [rule()])
    light, dark = (written(result, of, "shadow/low", mode)["color"]["components"] for mode in (0, 1))
    assert (light, dark) == ([0, 0, 0], [1, 1, 1])


def test_a_mode_of_an_extension_without_values_inherits_the_token():
    of = collection("Theme", "Light", extensions=[("Brand", "Theme")])
    result = assembled(graph(of, *shadow(of, "shadow/low")), [rule()])
    assert result.graph.tokens[key("Theme", "shadow/low")].values[1] is None


def test_a_value_of_an_extension_makes_one_of_the_token():
    of = collection("Theme", "Light", extensions=[("Brand", "Theme")])
    result = assembled(graph(of, *shadow(of, "shadow/low", shade=(BLACK, color("#ffffff")))), [rule()])
    assert written(result, of, "shadow/low", 1)["offsetY"] == px(2)
    assert written(result, of, "shadow/low", 1)["color"]["components"] == [1, 1, 1]


def test_an_alias_of_a_part_becomes_a_reference_to_its_target():
    result = assembled(
        graph(BASE, token(BASE, "ink", BLACK), *shadow(BASE, "shadow/s", shade=alias("Base", "ink"))), [rule()]
    )
    value = result.graph.tokens[key("Base", "shadow/s")].values[0]
    assert json.loads(value.json)["color"] == "{base.ink}"
    assert value.references == (("{base.ink}", key("Base", "ink")),)
    resolved = result.graph.resolve(result.graph.tokens[key("Base", "shadow/s")], Theme(""))
    assert json.loads(resolved.json)["color"]["components"] == [0, 0, 0]


def test_kept_parts_stay_tokens_and_the_composite_refers_to_them():
    result = assembled(PLAIN, [rule(keep=True)])
    assert "base / shadow/small/blur" in local(result)
    assert written(result, BASE, "shadow/small")["blur"] == "{base.shadow.small.blur}"


def test_a_part_that_another_token_refers_to_stays_a_token():
    result = assembled(
        graph(
            *PLAIN.collections.values(),
            *PLAIN.tokens.values(),
            token(BASE, "gap", alias("Base", "shadow/small/blur"), type="dimension"),
        ),
        [rule()],
    )
    assert "base / shadow/small/blur" in local(result)
    assert "base / shadow/small/x" not in local(result)


def test_a_group_that_refers_to_all_parts_of_another_refers_to_its_token():
    of = collection("Theme")
    parts = [
        token(of, f"shadow/card/{part}", alias("Base", f"shadow/small/{part}"), type="dimension") for part in PARTS
    ]
    parts.append(token(of, "shadow/card/color", alias("Base", "shadow/small/color")))
    result = assembled(graph(BASE, of, *PLAIN.tokens.values(), *parts), [rule()])
    assert result.graph.tokens[key("Theme", "shadow/card")].values == (Alias(key("Base", "shadow/small")),)
    assert "base / shadow/small/x" not in local(result)


def test_a_group_that_refers_to_other_parts_of_another_has_a_value_of_its_own():
    of = collection("Theme")
    swapped = {"x": "y", "y": "x", "blur": "blur", "spread": "spread"}
    parts = [
        token(of, f"shadow/card/{part}", alias("Base", f"shadow/small/{target}"), type="dimension")
        for part, target in swapped.items()
    ]
    parts.append(token(of, "shadow/card/color", alias("Base", "shadow/small/color")))
    result = assembled(graph(BASE, of, *PLAIN.tokens.values(), *parts), [rule()])
    assert written(result, of, "shadow/card")["offsetX"] == "{base.shadow.small.y}"


def test_numbered_groups_are_layers_if_the_rule_says_so():
    tokens = [*shadow(BASE, "shadow/s/2", y=9), *shadow(BASE, "shadow/s/1"), *shadow(BASE, "shadow/plain")]
    result = assembled(graph(BASE, *tokens), [rule(layers=True)])
    assert local(result) == ["base / shadow/plain", "base / shadow/s"]
    assert [layer["offsetY"] for layer in written(result, BASE, "shadow/s")] == [px(2), px(9)]
    assert local(assembled(graph(BASE, *tokens), [rule()])) == [
        "base / shadow/s/2",
        "base / shadow/s/1",
        "base / shadow/plain",
    ]


def test_a_shadow_with_an_incomplete_layer_stays_as_it_is():
    tokens = [*shadow(BASE, "shadow/s/1"), *shadow(BASE, "shadow/s/2")[:3]]
    result = assembled(graph(BASE, *tokens), [rule(layers=True)])
    assert len(local(result)) == len(tokens)
    assert [finding.code for finding in result.findings] == ["composite-parts-missing"]


def test_incomplete_groups_stay_as_they_are_with_one_problem():
    tokens = [*shadow(BASE, "shadow/a"), *shadow(BASE, "shadow/b")[1:], *shadow(BASE, "shadow/c")[:4]]
    result = assembled(graph(BASE, *tokens), [rule()])
    assert len(local(result)) == 9
    (finding,) = result.findings
    assert finding.what == "2 groups lack parts and stay as they are (shadow/b: offsetX, shadow/c: color)"


def test_a_variable_of_another_type_is_no_part():
    tokens = [*shadow(BASE, "shadow/a")[:4], token(BASE, "shadow/a/color", "black", type="string")]
    assert "shadow/a: color" in assembled(graph(BASE, *tokens), [rule()]).findings[0].what


def test_a_mistyped_reference_in_members_is_named():
    tokens = shadow(BASE, "shadow/a")[:4]
    (finding,) = assembled(graph(BASE, *tokens), [rule(members={"color": "{ink/soft}"})]).findings
    assert finding.what_to_do == "correct {ink/soft} in members, which is no token of the right type here"


def test_a_name_that_is_taken_is_reported():
    tokens = [*shadow(BASE, "shadow/a"), token(BASE, "shadow/a", BLACK)]
    result = assembled(graph(BASE, *tokens), [rule()])
    assert len(local(result)) == 6
    (finding,) = result.findings
    assert finding.code == "composite-name-taken"
    assert finding.what == "shadow/a is the name of another token, so the parts stay as they are"
    assert finding.what_to_do == 'set name = "shadow/*/shadow", or narrow match'


def test_an_earlier_rule_takes_the_parts():
    result = assembled(PLAIN, [rule("shadow/small/{x,y,blur,spread,color}", members={"inset": True}), rule()])
    assert written(result, BASE, "shadow/small")["inset"] is True
    assert "inset" not in written(result, BASE, "shadow/large")


def test_a_rule_that_matches_nothing_is_reported_unless_files_are_missing():
    nothing = [rule("elevation/*/{x,y,color}")]
    assert [finding.code for finding in assembled(PLAIN, nothing).findings] == ["composite-rule-unused"]
    assert assembled(PLAIN, nothing, is_whole=False).findings == ()
    (finding,) = assembled(PLAIN, [rule(collection="Other")]).findings
    assert finding.what == "no group of variables of Other matches shadow/*/{x,y,blur,spread,color}"


def test_the_names_of_parts_can_be_within_the_path():
    of = collection("Text")
    tokens = [
        token(of, "text/title/size/small", 16, type="dimension"),
        token(of, "text/title/size/large", 32, type="dimension"),
        token(of, "text/title/weight/small", 600, type="fontWeight"),
        token(of, "text/title/weight/large", 700, type="fontWeight"),
        token(of, "text/title/leading", 1.5, type="number"),
        token(of, "family", "Inter", type="fontFamily"),
    ]
    members = {"lineHeight": "{text/*/leading}", "fontFamily": "{text/family}", "letterSpacing": "0.5px"}
    result = assembled(
        graph(of, *tokens),
        [rule("text/*/{size,weight}/*", "typography", name="text/*/shorthand/*", members=members)],
    )
    assert written(result, of, "text/title/shorthand/large") == {
        "fontSize": px(32),
        "fontWeight": 700,
        "lineHeight": "{text.text.title.leading}",
        "fontFamily": "{text.family}",
        "letterSpacing": {"value": 0.5, "unit": "px"},
    }


def test_weights_and_curves_that_are_kept_as_text_become_numbers():
    tokens = [
        token(BASE, "body/family", "Inter", type="fontFamily"),
        token(BASE, "body/size", 16, type="dimension"),
        token(BASE, "body/weight", "Semi Bold", type="fontWeight as text"),
        token(BASE, "fade/duration", 200, type="number"),
        token(BASE, "fade/curve", "cubic-bezier(0.2, 0, .5, 1)", type="string"),
    ]
    result = assembled(graph(BASE, *tokens), [rule("body/{family,size,weight}", "typography", name="text")])
    assert written(result, BASE, "text")["fontWeight"] == 600
    curve = rule("*/{curve}", "transition", members={"duration": "200ms"})
    assert written(assembled(graph(BASE, *tokens), [curve]), BASE, "fade") == {
        "duration": {"value": 200, "unit": "ms"},
        "timingFunction": [0.2, 0, 0.5, 1],
    }


@pytest.mark.parametrize(
    ("curve", "expected"),
    [
        ("cubic-bezier(0, 2, 1, -1)", [0, 2, 1, -1]),
        ("cubic-bezier(1.01, 0, 1, 1)", None),
        ("cubic-bezier(0, 0, -0.01, 1)", None),
        ("cubic-bezier(0, 0, 1)", None),
    ],
)
def test_a_curve_goes_from_the_start_of_its_time_to_the_end(curve, expected):
    made = assembled(
        graph(BASE, token(BASE, "fade/curve", curve, type="string")),
        [rule("*/{curve}", "transition", members={"duration": "200ms"})],
    )
    if expected is None:
        assert local(made) == ["base / fade/curve"]
    else:
        assert written(made, BASE, "fade")["timingFunction"] == expected


def test_the_style_of_a_border_is_a_word_of_the_format():
    width, line = token(BASE, "edge/width", 1, type="dimension"), "edge/style"
    members = {"color": "#000000"}
    of = rule("*/{width,style}", "border", members=members)
    dashed = assembled(graph(BASE, width, token(BASE, line, "dashed", type="string")), [of])
    assert written(dashed, BASE, "edge")["style"] == "dashed"
    wavy = assembled(graph(BASE, width, token(BASE, line, "wavy", type="string")), [of])
    assert local(wavy) == ["base / edge/width", "base / edge/style"]


def test_a_group_with_fewer_parts_than_the_one_that_it_refers_to_has_a_value_of_its_own():
    of = collection("Text")
    tokens = [
        token(of, "text/a/family", "Inter", type="fontFamily"),
        token(of, "text/a/size", 16, type="dimension"),
        token(of, "text/b/size", alias("Text", "text/a/size"), type="dimension"),
    ]
    members = {"fontFamily": "Arial", "fontWeight": "400", "lineHeight": "1.5"}
    whole = rule("text/a/{family,size}", "typography", name="a", members=members)
    part = rule("text/b/{size}", "typography", name="b", members=members)
    result = assembled(graph(of, *tokens), [whole, part])
    assert written(result, of, "b")["fontFamily"] == ["Arial"]


def test_properties_are_those_that_all_parts_share():
    properties = {"description": "Low.", "hidden": True, "published": True}
    tokens = [replace(part, **properties) for part in shadow(BASE, "shadow/a")]
    low = assembled(graph(BASE, *tokens), [rule()]).graph.tokens[key("Base", "shadow/a")]
    assert (low.description, low.hidden, low.published, low.type) == ("Low.", True, True, "shadow")


@pytest.mark.parametrize(
    ("type_", "name", "member"),
    [
        ("shadow", "offset-x", "offsetX"),
        ("shadow", "OffsetY", "offsetY"),
        ("shadow", "blurRadius", "blur"),
        ("typography", "line-height", "lineHeight"),
        ("typography", "font family", "fontFamily"),
        ("typography", "size", "fontSize"),
        ("border", "colour", "color"),
        ("transition", "easing", "timingFunction"),
        ("shadow", "size", None),
    ],
)
def test_names_mean_members(type_, name, member):
    assert member_of(type_, name) == member


@pytest.mark.parametrize(
    ("config", "what"),
    [
        (rule("shadow/*"), "it has 0 lists in braces instead of one"),
        (rule("{x}/{color}"), "it has 2 lists in braces instead of one"),
        (rule("s/{x,glow,color}"), "'glow' means no member of a shadow"),
        (rule("s/{x,y}"), "no variable is the color of the shadow"),
        (rule(members={"glow": 1}), "a shadow has no such member"),
        (rule(members={"blur": "soft"}), "soft is not a dimension"),
        (rule(name="*/*/*"), "it has more * than match"),
    ],
)
def test_flaws_of_a_rule(config, what):
    assert [flaw[1] for flaw in flaws(config)] == [what]


def test_rules_without_flaws():
    assert not list(flaws(rule()))
    assert not list(flaws(rule("s/{dim,color}", members={"blur": "dim", "offsetX": 1, "inset": True})))
    assert not list(flaws(rule("t/{size}", "typography", members={"fontFamily": "Inter, sans-serif"})))


def test_no_name_makes_the_search_slow():
    tokens = [token(BASE, "a" * 5_000, BLACK)]
    assert assembled(graph(BASE, *tokens), [rule("*a*a*a*a*a*a*a*b/{x,color}")]).assemblies == {}


NUMBERS = st.sampled_from([0, 1, 2.5, 16])
SHADES = st.sampled_from([color("#102030"), color("#ffffff", 0.5)])


@st.composite
def graphs_of_shadows(draw):
    """A collection of base values, and one of two shadows whose parts are literals or aliases, with an extension."""
    base = collection("Base", "One", "Two")
    of = collection("Theme", "Light", "Dark", extensions=[("Brand", "Theme")])
    tokens = [token(base, f"n/{at}", draw(NUMBERS), draw(NUMBERS), type="dimension") for at in range(2)]
    tokens += [token(base, f"c/{at}", draw(SHADES), draw(SHADES)) for at in range(2)]
    for name in ("a", "b"):
        for part in (*PARTS, "color"):
            is_color = part == "color"
            others = [alias("Base", f"{'c' if is_color else 'n'}/{at}") for at in range(2)]
            others += [alias("Theme", f"shadow/a/{part}")] if name == "b" else []
            value = st.one_of(SHADES if is_color else NUMBERS, st.sampled_from(others))
            values = [draw(value), draw(value), draw(st.none() | value)]
            tokens.append(token(of, f"shadow/{name}/{part}", *values, type="color" if is_color else "dimension"))
    return graph(base, of, *tokens)


@given(graphs_of_shadows(), st.booleans())
def test_a_token_has_the_values_of_its_parts_in_every_theme(original, keep):
    result = assembled(original, [rule(keep=keep)])
    families = [family.key for family in original.collections.values()]
    for modes in product(range(2), range(4)):
        theme = Theme("", tuple(zip(families, modes, strict=True)))
        value_of, part_of = result.graph.resolver(theme), original.resolver(theme)
        for name in ("a", "b"):
            value = json.loads(value_of(key("Theme", f"shadow/{name}")).json)
            for part, member in zip((*PARTS, "color"), ("offsetX", "offsetY", "blur", "spread", "color"), strict=True):
                literal = part_of(key("Theme", f"shadow/{name}/{part}"))
                assert value[member] == literal_json(literal, "color" if part == "color" else "dimension")


@pytest.mark.parametrize(
    ("part_type", "value", "json_value"),
    [
        ("fontFamily", "Inter, 'Noto Sans'", ["Inter", "Noto Sans"]),
        ("fontFamily", ["Inter"], ["Inter"]),
        ("fontFamily", ["Inter", 7], None),
        ("fontFamily", 7, None),
        ("fontFamily", " , ", None),
        ("strokeStyle", "dashed", "dashed"),
        ("strokeStyle", "wavy", None),
        ("cubicBezier", "cubic-bezier(0, -1, 1, 2)", [0, -1, 1, 2]),
        ("cubicBezier", [0, 0, 1], None),
        ("cubicBezier", [0, 0, 1, "1"], None),
        ("cubicBezier", [0, 0, 1.5, 1], None),
        ("css", "calc(1px + 2vw)", "calc(1px + 2vw)"),
        ("css", 7, None),
    ],
)
def test_the_value_of_a_member_has_a_form_of_its_type(part_type, value, json_value):
    assert json_of(part_type, value) == json_value
