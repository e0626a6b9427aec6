"""The types of numbers by scopes, aliases and names, and the units of opacities."""

import pytest
from graphs import alias, collection, graph, token

from tokensync.normalize.mapping import TypeRule, TypeRules, opacities
from tokensync.tokens import Alias, TokenKey

BASE = collection("Base", "Light", "Dark")
OTHER = collection("Other")


def number(name, *values, scopes=("ALL_SCOPES",), of=BASE, **rest):
    return token(of, name, *values, type="number", scopes=scopes, **rest)


def types(*tokens, rules=()):
    """Return the type and source of each number by its path."""
    table = graph(BASE, OTHER, *tokens).table
    found = TypeRules(rules).numbers(table)
    return {table.paths[index].replace(".", "/"): tuple(number) for index, number in found.items()}


@pytest.mark.parametrize(
    "name",
    [
        *("space/s", "spacing.4", "Spacing 4", "spacing4", "gap", "column-gap", "grid/columns/gap", "gutter/md"),
        *("radius/full", "borderRadius", "--mds-radius-xs", "corner/lg", "padding/left", "paddingInline", "inset/s"),
        *("size/20", "iconSize", "ICON_SIZE", "Component sizes/--mds-size-6xs", "control/minHeight", "device-width"),
        *("border/width", "border-default", "stroke/focus", "strokeWeight", "stroke/weight/thin", "font-size/lg"),
        *("fontSize", "letterSpacing/tight", "line-height/lg", "lineHeight", "text/body/lineHeight", "blur/100"),
        *("title-page/size-small", "spacing/scale/4", "margin/-1", "size/2xl", "breakpoint/md", "dimension/x4"),
    ],
)
def test_a_word_of_the_name_makes_a_number_a_length(name):
    assert types(number(name, 24)) == {name.replace(".", "%2E"): ("dimension", "name")}


@pytest.mark.parametrize(
    "name",
    [
        *("opacity/border", "border-opacity", "opacity-size", "weight/bold", "font-weight", "scale", "size-scale"),
        *("type/scale", "aspect-ratio", "height/ratio", "z-index/modal", "zIndex", "columns/desktop", "grid/columns"),
        *("item/count", "duration/fast", "delay", "rotation/width-of-arrow", "line-height-multiplier"),
    ],
)
def test_a_false_friend_stays_a_number_and_needs_no_note(name):
    assert types(number(name, 2)) == {name: ("number", "name")}


@pytest.mark.parametrize(
    "name", ["depth/100", "icon/small", "spaceship", "sized", "workspace", "heightened", "borderless", "airspace", "lg"]
)
def test_a_part_of_a_word_tells_nothing(name):
    assert types(number(name, 24)) == {name: ("number", "nothing")}


def test_a_small_line_height_is_a_multiple_and_a_large_one_a_length():
    found = types(number("line-height/a", 1.2, 1.5), number("lineHeight/b", 1.5, 20), number("line height/c", 16))
    assert found["line-height/a"] == ("number", "name")
    assert found["lineHeight/b"] == ("dimension", "name")
    assert found["line height/c"] == ("dimension", "name")


def test_a_line_height_that_is_too_small_for_a_length_is_a_multiple_despite_its_scope():
    scopes = ("LINE_HEIGHT",)
    found = types(
        number("a", 1.5, 1.25, scopes=scopes),
        number("b", 24, 1.5, scopes=scopes),
        number("c", alias("Base", "ratio"), scopes=scopes),
        number("ratio", 1.375),
        number("d", alias("Base", "a")),
        number("line-height/none", 0, scopes=scopes),
        number("e", 1.5, scopes=("FONT_SIZE",)),
    )
    assert (found["a"], found["c"], found["d"]) == (("number", "values"), ("number", "values"), ("number", "alias"))
    assert {found[name] for name in ("b", "line-height/none", "e")} == {("dimension", "scopes")}


def test_a_rule_of_the_team_makes_a_small_line_height_a_length():
    found = types(number("a", 1.5, scopes=("LINE_HEIGHT",)), rules=[TypeRule(type="dimension", path="a")])
    assert found == {"a": ("dimension", "rule")}


@pytest.mark.parametrize("scopes", [("ALL_SCOPES",), ("CORNER_RADIUS",)])
@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        *(
            ("corner-radius-full", 0.5, "number"),
            ("borderRadius/pill", 1, "number"),
            ("radius/full", 9999, "dimension"),
        ),
        *(
            ("corner-radius-none", 0, "dimension"),
            ("radius/full", 0, "dimension"),
            ("radius/hairline", 0.5, "dimension"),
        ),
    ],
)
def test_a_full_radius_up_to_one_is_a_multiplier(name, value, expected, scopes):
    assert types(number(name, value, scopes=scopes))[name][0] == expected


def test_a_weight_by_name_has_the_values_of_one():
    found = types(
        *(number("weight/bold", 700), number("font-weight", 350, 1000), number("font-weight/body", alias("Base", "w"))),
        *(number("w", 400), number("grid/weight", 2), number("stroke/weight", 100), number("weight/huge", 2000)),
    )
    weights = {name for name, (type_name, _) in found.items() if type_name == "fontWeight"}
    assert weights == {"weight/bold", "font-weight", "font-weight/body", "w"}


def test_the_collection_tells_what_the_name_does_not():
    sizes, weights, heights = collection("Component sizes"), collection("Weights"), collection("lineHeights")
    table = graph(
        *(sizes, weights, heights, number("lg", 24, of=sizes), number("ratio", 2, of=sizes)),
        *(number("strong", 600, of=weights), number("huge", 2000, of=weights)),
        *(number("tight", 1.25, of=heights), number("loose", 24, of=heights)),
    ).table
    found = {table.paths[index]: tuple(kind) for index, kind in TypeRules().numbers(table).items()}
    assert found == {
        "lg": ("dimension", "name"),
        "ratio": ("number", "name"),
        "strong": ("fontWeight", "name"),
        "huge": ("number", "nothing"),
        "tight": ("number", "name"),
        "loose": ("dimension", "name"),
    }


@pytest.mark.parametrize("name", ["Type scale", "Opacity", "Sizes and opacities", "Ratios of sizes"])
def test_a_collection_with_the_words_of_numbers_tells_nothing(name):
    table = graph(collection(name), number("step", 16, of=collection(name))).table
    assert [*TypeRules().numbers(table).values()] == [("number", "nothing")]


def test_a_number_that_nothing_else_describes_has_the_type_of_the_tokens_that_refer_to_it():
    found = types(
        *(number("4", 16), number("3", alias("Base", "4"))),
        *(number("card/gap", alias("Base", "3")), number("icon", alias("Base", "3"), scopes=("WIDTH_HEIGHT",))),
    )
    assert (found["3"], found["4"]) == (("dimension", "uses"), ("dimension", "uses"))


def test_a_step_of_a_scale_that_no_token_refers_to_has_the_type_of_the_others():
    found = types(
        *(number("scale-01", 12), number("scale-02", 14), number("scale-x", 14), number("03", 3)),
        *(number("text/size", alias("Base", "scale-02")), number("02", 4), number("card/gap", alias("Base", "02"))),
        *(number("mixed/1", 4), number("mixed/2", 8), number("mixed/3", 9)),
        *(number("a/gap", alias("Base", "mixed/1")), number("ratio", alias("Base", "mixed/2"), scopes=("OPACITY",))),
    )
    lengths = {name for name, (kind, source) in found.items() if (kind, source) == ("dimension", "uses")}
    assert lengths == {"scale-01", "scale-02", "02", "03", "mixed/1"}
    assert found["mixed/3"] == found["scale-x"] == ("number", "nothing")


def test_uses_of_several_types_and_cycles_tell_nothing():
    found = types(
        *(number("4", 16), number("a", alias("Base", "4"), scopes=("OPACITY",)), number("gap", alias("Base", "4"))),
        *(number("x", alias("Base", "y")), number("y", alias("Base", "x"))),
        *(number("5", 5), number("weight/a", alias("Base", "5"), scopes=("FONT_WEIGHT",))),
    )
    assert {found[name][1] for name in ("4", "x", "y")} == {"nothing"}
    assert found["5"] == ("fontWeight", "uses")


def test_the_values_of_a_line_height_include_those_of_its_targets():
    found = types(
        number("factor-of-text", 1.5), number("plain", 16), number("line-height/a", alias("Base", "plain"), 3)
    )
    assert found["line-height/a"] == ("dimension", "name")


def test_an_alias_of_a_length_is_a_length_through_any_number_of_steps():
    chain = [number(f"step/{each}", alias("Base", f"step/{each + 1}")) for each in range(1000)]
    found = types(*chain, number("step/1000", 4, scopes=("GAP",)))
    assert found["step/0"] == ("dimension", "alias")
    assert {each for each, _ in found.values()} == {"dimension"}


def test_an_alias_in_one_mode_is_enough():
    assert types(number("space/s", 4), number("a", 3, alias("Base", "space/s")))["a"] == ("dimension", "alias")


def test_an_alias_comes_before_the_name():
    found = types(
        number("ratio", 2), number("card/gap", alias("Base", "ratio")), number("a", alias("Base", "card/gap"))
    )
    assert found["card/gap"] == ("number", "alias")
    assert found["a"] == ("number", "alias")


def test_an_alias_of_a_number_that_nothing_describes_leaves_the_name_to_decide():
    found = types(number("scale-03", 16), number("root-font-size", alias("Base", "scale-03")))
    assert found == {"scale-03": ("dimension", "uses"), "root-font-size": ("dimension", "name")}


def test_a_rule_of_the_team_comes_first_and_its_aliases_follow():
    rules = (TypeRule(type="number", path="space/*", collection="Base"), TypeRule(type="dimension", path="depth"))
    found = types(
        number("space/s", 4),
        number("space/t", alias("Base", "depth")),
        number("depth", 4, scopes=("OPACITY",)),
        number("a", alias("Base", "space/s")),
        number("b", alias("Base", "depth")),
        rules=rules,
    )
    assert found == {
        "space/s": ("number", "rule"),
        "space/t": ("number", "rule"),
        "depth": ("dimension", "rule"),
        "a": ("number", "alias"),
        "b": ("dimension", "alias"),
    }


class TestContradictions:
    """The outcomes that docs/configuration.md describes."""

    def test_scopes_for_lengths_outrank_an_alias_of_a_number(self):
        found = types(number("ratio", 2), number("a", alias("Base", "ratio"), scopes=("GAP",)))
        assert found["a"] == ("dimension", "scopes")

    @pytest.mark.parametrize("scopes", [("OPACITY",), ("TEXT_CONTENT",), ("OPACITY", "TEXT_CONTENT")])
    def test_scopes_for_other_numbers_outrank_an_alias_of_a_length_and_the_name(self, scopes):
        found = types(number("size/50", 50), number("a", alias("Base", "size/50"), scopes=scopes))
        assert found["a"] == ("number", "scopes")
        assert types(number("size/50", 50, scopes=scopes))["size/50"][0] == "number"

    def test_scopes_for_lengths_outrank_an_alias_of_a_weight(self):
        weight = number("bold", 700, scopes=("FONT_WEIGHT",))
        found = types(weight, number("a", alias("Base", "bold"), scopes=("GAP",)))
        assert found["a"] == ("dimension", "scopes")

    def test_scopes_of_several_kinds_allow_each_of_them(self):
        both = ("OPACITY", "GAP")
        found = types(number("size/50", 50, scopes=both), number("a", alias("Base", "size/50"), scopes=both))
        assert found == {"size/50": ("dimension", "name"), "a": ("dimension", "alias")}

    def test_modes_with_aliases_to_different_types_leave_the_name_to_decide(self):
        parts = number("size/a", 4), number("ratio", 2)
        both = alias("Base", "size/a"), alias("Base", "ratio")
        found = types(*parts, number("b", *both), number("gap", *both))
        assert found["b"] == ("number", "nothing")
        assert found["gap"] == ("dimension", "name")

    def test_aliases_on_a_cycle_tell_nothing(self):
        found = types(number("size/a", alias("Base", "b")), number("b", alias("Base", "size/a")))
        assert set(found.values()) == {("number", "nothing")}

    def test_a_weight_out_of_range_is_a_number_and_so_are_its_aliases(self):
        found = types(
            number("a", 2000, scopes=("FONT_STYLE",)),
            number("b", alias("Base", "a")),
            number("c", alias("Base", "d"), 4),
        )
        assert found["a"] == ("number", "scopes")
        assert found["b"] == ("number", "alias")


def units(*tokens):
    """Return the units of opacities by path."""
    return {key.path.replace(".", "/"): each.unit for key, each in opacities(graph(BASE, OTHER, *tokens)).items()}


class TestOpacities:
    def test_values_up_to_1_in_all_modes_are_fractions_and_others_percentages(self):
        found = units(
            number("opacity/a", 0.4, 1), number("opacity/b", 40, 80), number("c", 0.5, scopes=("OPACITY",), of=OTHER)
        )
        assert found == {"opacity/a": "fraction", "opacity/b": "percent", "c": "fraction"}

    @pytest.mark.parametrize(
        ("tokens", "expected"),
        [
            ([number("x", 8, scopes=("OPACITY",))], {"x": "percent"}),
            ([number("x", 0.5, scopes=("COLOR_OPACITY",))], {"x": "fraction"}),
            ([number("opacity-checkerboard/size", 4, unit="percent")], {"opacity-checkerboard/size": "percent"}),
            ([number("opacity/50", 50)], {"opacity/50": "percent"}),
            ([number("opacity-50", 50)], {"opacity-50": "percent"}),
            ([number("opacity/hover", 8)], {"opacity/hover": "percent"}),
            ([number("card/hoverOpacity", 8)], {"card/hoverOpacity": "percent"}),
            ([number("shadow/alpha", 8), number("shadow/size", 200)], {"shadow/alpha": "percent"}),
            ([number("opacity/1", 1), number("opacity/50", 50)], {"opacity/1": "percent", "opacity/50": "percent"}),
            ([number("opacity/a", 0.5), number("opacity/b", 50)], {"opacity/a": "fraction", "opacity/b": "percent"}),
            ([number("opacity/a", 0.5), number("opacity/b", 1)], {"opacity/a": "fraction", "opacity/b": "fraction"}),
            ([number("opacity/a", 50), number("opacity/b", 150)], {}),
            ([number("opacity/a", 50), number("opacity/b", -1)], {}),
            ([number("opacity-checkerboard/square-size", 4)], {}),
            ([number("opacity/size", 4)], {}),
            ([number("opacity/brand/hover", 8)], {}),
            ([number("opacity-hover", 8)], {}),
            ([number("alpha/radius", 8), number("alpha/hover", 8)], {}),
        ],
    )
    def test_only_a_rule_a_scope_or_the_end_of_a_name_among_values_up_to_100_makes_an_opacity(self, tokens, expected):
        assert units(*tokens) == expected

    def test_1_is_a_percentage_among_percentages_of_its_group_whatever_other_groups_contain(self):
        found = units(number("opacity/1", 1), number("opacity/50", 50), number("shadow/alpha", 0.5))
        assert found == {"opacity/1": "percent", "opacity/50": "percent", "shadow/alpha": "fraction"}

    def test_values_of_targets_count(self):
        found = units(number("plain", 40, of=OTHER), number("opacity/a", alias("Other", "plain"), 1))
        assert found == {"opacity/a": "percent"}

    def test_an_alias_of_an_opacity_is_one(self):
        found = units(
            number("opacity/a", 40), number("b", alias("Base", "opacity/a"), of=OTHER), number("c", alias("Other", "b"))
        )
        assert found == {"opacity/a": "percent", "b": "percent", "c": "percent"}

    def test_an_alias_of_an_opacity_and_of_a_length_is_none(self):
        both = alias("Base", "opacity/a"), alias("Base", "gap")
        found = units(number("opacity/a", 40), token(BASE, "gap", 4, type="dimension"), number("b", *both))
        assert found == {"opacity/a": "percent"}

    def test_1_is_a_percentage_among_percentages_only(self):
        assert units(number("opacity/1", 1), number("opacity/50", 50), number("opacity/0", 0))["opacity/1"] == "percent"
        assert units(number("opacity/full", 1), number("opacity/half", 0.5))["opacity/full"] == "fraction"
        assert units(number("opacity/full", 1))["opacity/full"] == "fraction"
        mixed = units(number("opacity/full", 1), number("opacity/half", 0.5), number("opacity/50", 50))
        assert mixed["opacity/full"] == "fraction"

    def test_an_alias_of_1_follows_its_target(self):
        found = units(
            number("opacity/1", 1), number("opacity/50", 50), number("opacity/a", alias("Base", "opacity/1"), of=OTHER)
        )
        assert found["opacity/a"] == "percent"

    def test_a_rule_chooses(self):
        found = units(
            number("a", 40, unit="fraction"),
            number("opacity/b", 0.4, unit="percent"),
            number("c", 40, unit="opacity"),
            number("d", alias("Base", "opacity/b")),
        )
        assert found == {"a": "fraction", "opacity/b": "percent", "c": "percent", "d": "percent"}

    def test_values_below_and_above_1_are_mixed(self):
        (found,) = opacities(graph(BASE, number("opacity/a", 0.4, 40))).values()
        assert (found.unit, found.is_mixed) == ("percent", True)

    @pytest.mark.parametrize("scopes", [("GAP",), ("OPACITY", "GAP")])
    def test_other_scopes_are_no_opacity_without_the_name(self, scopes):
        assert units(number("a", 40, scopes=scopes)) == {}

    def test_a_cycle_does_not_matter(self):
        own = TokenKey("design", "base", "opacity.a")
        assert units(number("opacity/a", Alias(own))) == {"opacity/a": "fraction"}
