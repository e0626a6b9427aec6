"""Each rule finds its mistake, stays silent without it, and each setting changes a result."""

import coloraide
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lint.graphs import BLACK, WHITE, codes, collection, color, found, token
from msgspec.structs import replace

from tokensync.lint import Subject, lint
from tokensync.lint.values import over, ratio
from tokensync.settings import ContrastConfig, LintConfig
from tokensync.tokens import (
    MODES_PER_COLLECTION,
    Collection,
    Color,
    Composite,
    Extension,
    Mode,
    Theme,
    TokenGraph,
    float32,
)


def pair(**more):
    return (ContrastConfig(foreground=("theme/text/*",), background=("theme/bg/*",), **more),)


THEME = collection("theme", "light", "dark")


class TestContrast:
    def test_a_pair_is_judged_in_every_mode_and_the_problem_names_both_tokens(self):
        tokens = [token("theme/text/main", BLACK, BLACK), token("theme/bg/page", WHITE, color("#222222"))]
        (low,) = found([THEME], tokens, contrast=pair())
        assert (low.code, low.severity, low.where) == ("contrast-low", "error", "theme / text/main")
        assert low.what == "its contrast has to be at least 4.5"
        assert low.names == ("1.31 on theme / bg/page in theme/dark",)

    @pytest.mark.parametrize(
        ("text", "minimum", "shown"),
        [
            ("#777777", "AA", "4.47"),
            ("#767676", "AA", None),
            ("#0078d7", "AA", "4.49"),
            ("#959595", "large", "2.99"),
            ("#949494", "ui", None),
            ("#767676", "AAA", "4.54"),
            ("#767676", 4.6, "4.54"),
            ("#767676", 4.5, None),
        ],
    )
    def test_a_ratio_is_never_rounded_up(self, text, minimum, shown):
        tokens = [token("theme/text/main", color(text)), token("theme/bg/page", WHITE)]
        problems = found([collection("theme")], tokens, contrast=pair(minimum=minimum))
        assert [shown] == [each.names[0].split(" on ")[0] for each in problems] if shown else not problems

    @given(*(st.tuples(*[st.integers(0, 255)] * 3) for _ in range(2)))
    def test_ratios_agree_with_another_implementation(self, first, second):
        ours = ratio(*(Color(*(float32(channel / 255) for channel in each)) for each in (first, second)), WHITE)
        colors = [coloraide.Color("srgb", [channel / 255 for channel in each]) for each in (first, second)]
        assert ours == pytest.approx(colors[0].contrast(colors[1], method="wcag21"), rel=1e-3)

    @given(*(st.tuples(*[st.integers(0, 255)] * 3) for _ in range(2)), st.integers(0, 100))
    def test_blending_agrees_with_another_implementation(self, above, below, percent):
        top = Color(*(each / 255 for each in above), percent / 100)
        blended = over(top, Color(*(each / 255 for each in below)))
        other = coloraide.Color("srgb", [each / 255 for each in above], percent / 100)
        layered = coloraide.Color.layer([other, coloraide.Color("srgb", [each / 255 for each in below])], space="srgb")
        expected = [c * layered.alpha() for c in layered.coords(nans=False)]
        assert [blended.red, blended.green, blended.blue] == pytest.approx(expected, abs=1e-6)

    def test_collections_on_the_alias_chains_are_combined_and_no_others(self):
        brand = collection("brand", "a", "b")
        other = collection("density", "wide", "narrow")
        tokens = [
            token("brand/ink", BLACK, color("#999999")),
            token("theme/text/main", "brand/ink", "brand/ink"),
            token("theme/bg/page", WHITE, BLACK),
            token("density/gap", 1.0, 2.0, type_="number"),
        ]
        (low,) = found([brand, THEME, other], tokens, contrast=pair())
        shown = [name.replace(" on theme / bg/page", "") for name in low.names]
        assert "2.84 in theme/light + brand/b" in shown
        assert "1.00 in theme/dark + brand/a" in shown
        assert "theme/dark + brand/b" not in str(low)

    def test_configured_themes_are_the_only_ones(self):
        tokens = [token("theme/text/main", BLACK, BLACK), token("theme/bg/page", WHITE, BLACK)]
        themes = (Theme("day", (((THEME.key), 0),)),)
        assert not found([THEME], tokens, themes, contrast=pair())
        (low,) = found([THEME], tokens, (*themes, Theme("night", ((THEME.key, 1),))), contrast=pair())
        assert "in night" in low.names[0]

    def test_the_remedy_is_a_step_of_the_scale_that_suffices_in_that_theme(self):
        scale = collection("gray")
        tokens = [
            *(
                token(f"gray/{number}", color(text))
                for number, text in ((1, "#999999"), (2, "#737373"), (3, "#111111"))
            ),
            token("theme/text/main", "gray/1", "gray/1"),
            token("theme/bg/page", WHITE, color("#000000")),
        ]
        (low,) = found([scale, THEME], tokens, contrast=pair())
        assert low.what_to_do == "in theme/light, use gray / 2, for example (4.74)"

    def test_without_a_scale_the_remedy_is_a_direction(self):
        tokens = [token("theme/text/main", WHITE, BLACK), token("theme/bg/page", color("#eeeeee"), color("#111111"))]
        (low,) = found([THEME], tokens, contrast=pair())
        assert low.what_to_do == "make it lighter, or the background darker"

    @pytest.mark.parametrize(
        ("text", "ground", "backdrop", "expected"),
        [
            (BLACK, color("#ffffff", 0.3), None, ["contrast-unknown"]),
            (BLACK, color("#ffffff", 0.9), None, []),
            (color("#aaaaaa"), color("#ffffff", 0.9), None, ["contrast-low"]),
            (BLACK, color("#ffffff", 0.5), "#ffffff", []),
            (BLACK, color("#ffffff", 0.5), "#000000", []),
            (BLACK, color("#ffffff", 0.1), "#000000", ["contrast-low"]),
            (color("#000000", 0.3), WHITE, None, ["contrast-low"]),
            (color("#000000", 0.9), WHITE, None, []),
        ],
    )
    def test_translucent_colours_are_blended_and_nothing_is_assumed_below(self, text, ground, backdrop, expected):
        single = collection("theme")
        tokens = [token("theme/text/main", text), token("theme/bg/page", ground)]
        if backdrop:
            tokens.append(token("theme/canvas", color(backdrop)))
        assert codes([single], tokens, contrast=pair(backdrop="theme/canvas" if backdrop else "")) == expected

    def test_a_translucent_backdrop_decides_nothing(self):
        tokens = [
            token("theme/text/main", BLACK),
            token("theme/bg/page", color("#ffffff", 0.5)),
            token("theme/canvas", color("#ffffff", 0.5)),
        ]
        (unknown,) = found([collection("theme")], tokens, contrast=pair(backdrop="theme/canvas"))
        assert (unknown.code, unknown.what_to_do) == ("contrast-unknown", "use an opaque backdrop")

    def test_a_colour_without_a_value_in_a_theme_is_counted(self):
        tokens = [token("theme/text/main", BLACK, None), token("theme/bg/page", WHITE, WHITE)]
        (unknown,) = found([THEME], tokens, contrast=pair())
        assert unknown.code == "contrast-unknown"
        assert "unknown in theme/dark, as theme / text/main has no colour" in unknown.what

    @pytest.mark.parametrize(
        ("name", "is_judged"),
        [("disabled", False), ("isDisabled", False), ("inactive", False), ("undisabled", True), ("placeholder", True)],
    )
    def test_only_inactive_controls_are_exempt(self, name, is_judged):
        tokens = [token(f"theme/text/{name}", WHITE), token("theme/bg/page", WHITE)]
        assert bool(found([collection("theme")], tokens, contrast=pair())) is is_judged

    def test_names_that_match_nothing_are_errors_with_a_similar_name_and_other_entries_are_checked(self):
        tokens = [token("theme/text/main", WHITE), token("theme/bg/page", WHITE)]
        wrong = (
            ContrastConfig(foreground=("theme/text/mainn",), background=("theme/bg/*",)),
            ContrastConfig(foreground=("theme/text/*",), background=("theme/bg/*",), backdrop="theme/bg/pages"),
        )
        problems = found([collection("theme")], tokens, contrast=(*wrong, *pair()))
        assert [(each.where, each.code) for each in problems] == [
            ("lint.contrast.0.foreground.0", "lint-unknown-name"),
            ("lint.contrast.1.backdrop", "lint-unknown-name"),
            ("theme / text/main", "contrast-low"),
        ]
        assert problems[0].what_to_do == 'use "theme/text/main"'
        assert problems[1].what_to_do == 'use "theme/bg/page"'

    def test_careless_patterns_are_refused(self):
        tokens = [token(f"theme/{number}", BLACK) for number in range(24)]
        every = (ContrastConfig(foreground=("*",), background=("*",)),)
        (many,) = found([collection("theme")], tokens, contrast=every)
        assert (many.code, "552 pairs" in many.what) == ("lint-pairs-many", True)

    def test_too_many_combinations_are_reported_and_each_mode_is_judged_alone(self):
        sides = [collection(f"c{number}", *(f"m{mode}" for mode in range(9))) for number in range(3)]
        tokens = [
            token("c2/ink", *[BLACK] * 9),
            token("c1/ink", *["c2/ink"] * 9),
            token("theme/text/main", *["c1/ink"] * 9),
            token("theme/bg/page", *[WHITE] * 8, BLACK),
        ]
        theme = collection("theme", *(f"m{mode}" for mode in range(9)))
        low, unknown, *_ = found([*sides, theme], tokens, contrast=pair())
        assert low.names == ("1.00 on theme / bg/page in theme/m8",)
        assert "more than 512 combinations" in unknown.what
        tokens[-1] = token("theme/bg/page", *[WHITE] * 9)
        (unknown,) = [each for each in found([*sides, theme], tokens, contrast=pair()) if each.severity == "error"]
        assert "more than 512 combinations" in unknown.what


class TestAliasLayers:
    LOW, HIGH = collection("low"), collection("high")

    def edges(self, down, up):
        lower = [token(f"low/{n}", *(["high/t0"] if n < up else [WHITE])) for n in range(max(down, up) + 1)]
        higher = [token(f"high/t{n}", *([f"low/{up}"] if 0 < n <= down else [WHITE])) for n in range(down + 1)]
        return [*lower, *higher]

    def test_one_alias_against_the_others_is_an_error_with_its_target(self):
        (layer,) = found([self.LOW, self.HIGH], self.edges(40, 1))
        assert (layer.code, layer.severity, layer.where) == ("layer-order", "error", "low / 0")
        assert layer.what == "it refers to high / t0, a higher layer (40 aliases lead from high to low)"

    def test_one_direction_is_never_reported(self):
        assert not found([self.LOW, self.HIGH], self.edges(40, 0))

    def test_without_a_majority_the_setting_is_suggested_once(self):
        (unclear,) = found([self.LOW, self.HIGH], self.edges(20, 20))
        assert (unclear.code, unclear.severity) == ("layer-order-unclear", "note")
        assert 'add layers = ["high", "low"]' in unclear.what_to_do

    @pytest.mark.parametrize(("layers", "wrong"), [(("high", "low"), "low"), (("Low", "High"), "high")])
    def test_declared_layers_decide(self, layers, wrong):
        problems = found([self.LOW, self.HIGH], self.edges(20, 20), layers=layers)
        orders = [each for each in problems if each.code == "layer-order"]
        assert len(orders) == 20
        assert all(each.where.startswith(f"{wrong} / ") for each in orders)

    def test_an_unknown_collection_is_an_error_with_a_similar_name(self):
        (unknown,) = found([collection("high-layer")], [], layers=("hihg-layer",))
        assert (unknown.where, unknown.code) == ("lint.layers.0", "lint-unknown-name")
        assert '"high-layer"' in unknown.what_to_do


class TestDeprecated:
    @pytest.mark.parametrize(
        ("reason", "advice"),
        [(True, "refer to another token"), ("Use ink.", "refer to another token (its deprecation says: Use ink.)")],
    )
    def test_a_token_that_refers_to_a_deprecated_one_is_a_warning(self, reason, advice):
        tokens = [token("theme/old", WHITE, deprecated=reason), token("theme/new", "theme/old")]
        (used,) = found([collection("theme")], tokens)
        assert (used.code, used.severity, used.where) == ("deprecated-in-use", "warning", "theme / new")
        assert used.what == "it refers to theme / old, which is deprecated"
        assert used.what_to_do == advice

    def test_deprecated_tokens_may_refer_to_each_other(self):
        tokens = [token("theme/old", WHITE, deprecated=True), token("theme/older", "theme/old", deprecated="Use it.")]
        assert not found([collection("theme")], tokens)


class TestCodeSyntax:
    def tokens(self, handle, count, **more):
        return [token(f"{handle}/t{number}", WHITE, **more) for number in range(count)]

    WEB = (("WEB", "var(--x)"),)

    @pytest.mark.parametrize(("with_it", "without", "expected"), [(90, 10, 10), (89, 11, 0), (9, 1, 0), (10, 1, 1)])
    def test_exceptions_are_reported_only_where_almost_all_have_it(self, with_it, without, expected):
        theme = collection("theme")
        have = [token(f"theme/with{number}", WHITE, code_syntax=self.WEB) for number in range(with_it)]
        problems = found([theme], [*have, *self.tokens("theme", without)])
        assert [each.code for each in problems] == ["code-syntax-missing"] * expected

    def test_a_collection_without_any_is_one_problem(self):
        both = [collection("theme"), collection("responsive", "small", "large")]
        forgotten = [token(f"responsive/t{number}", WHITE, BLACK) for number in range(4)]
        (missing,) = found(both, [*self.tokens("theme", 50, code_syntax=self.WEB), *forgotten])
        assert missing.where == "responsive/small"
        assert "no token of responsive (4 tokens) has code syntax for WEB, but 92 %" in missing.what

    def test_hidden_tokens_need_none(self):
        tokens = [*self.tokens("theme", 50, code_syntax=self.WEB), token("theme/hidden", WHITE, hidden=True)]
        assert not found([collection("theme")], tokens)


class TestEqualModes:
    def test_two_modes_without_a_difference_are_reported_at_the_second(self):
        tokens = [token("theme/a", WHITE, WHITE), token("theme/b", BLACK, BLACK)]
        (equal,) = found([THEME], tokens)
        assert (equal.code, equal.severity, equal.where) == ("modes-equal", "warning", "theme/dark")
        assert equal.what == "all 2 tokens have the same values in the modes 'Light' and 'Dark' of theme"

    @pytest.mark.parametrize(
        "tokens", [[("theme/a", WHITE, WHITE), ("theme/b", BLACK, WHITE)], [("theme/a", BLACK, BLACK)]]
    )
    def test_one_difference_or_a_single_token_is_silence(self, tokens):
        assert not found([THEME], [token(*each) for each in tokens])

    def test_an_extension_may_inherit_everything(self):
        inherited = (
            Mode(name=each.name, collection="x", slug=each.slug, context=f"x.{each.slug}", parent=index)
            for index, each in enumerate(THEME.modes)
        )
        extension = Extension(handle="x", name="X", parent="theme")
        modes = (*THEME.modes, *inherited)
        family = Collection(file="one", handle="theme", name="Theme", modes=modes, extensions=(extension,))
        tokens = [token("theme/a", WHITE, BLACK, None, None), token("theme/b", BLACK, WHITE, None, None)]
        assert not found([family], tokens)


class TestLimits:
    @pytest.mark.parametrize(("count", "end"), [(36, None), (37, "allows 3 more"), (40, "allows no more")])
    def test_modes_are_reported_above_90_percent(self, count, end):
        full = collection("theme", *(f"m{number}" for number in range(count)))
        problems = found([full], [])
        assert [(each.code, each.severity, each.what.endswith(end)) for each in problems] == (
            [("limit-near", "note", True)] if end else []
        )
        assert MODES_PER_COLLECTION == 40

    @pytest.mark.parametrize(("count", "expected"), [(4500, []), (4501, ["limit-near"])])
    def test_variables_are_reported_above_90_percent(self, count, expected):
        tokens = [token(f"theme/t{number}", 1.0, type_="number") for number in range(count)]
        assert codes([collection("theme")], tokens) == expected

    def test_collections_of_other_files_are_not_reported(self):
        full = collection("theme", *(f"m{number}" for number in range(40)), origin="remote")
        assert not found([full], [])


def test_a_rule_locates_only_what_it_reports():
    graph = TokenGraph([THEME], [token("theme/text/a", BLACK, WHITE), token("theme/bg/a", WHITE, BLACK)])
    asked = []
    lint(Subject(graph, LintConfig(contrast=pair()), location_of=lambda *of: asked.append(of) or "here"))
    assert asked == []
    problems = lint(
        Subject(graph, LintConfig(contrast=pair(minimum=21.5)), location_of=lambda *of: asked.append(of) or "here")
    )
    assert len(asked) == len(problems) == 1


def parts(*groups, names=("x", "y", "blur", "color")):
    """The variables of shadows in one collection."""
    return [
        token(
            f"one/{group}/{name}", BLACK if name == "color" else 1.0, type_="color" if name == "color" else "dimension"
        )
        for group in groups
        for name in names
    ]


def snippets(tokens):
    return [each.snippet for each in found([collection("one")], tokens) if each.code == "composites-possible"]


RULE = '[[composites]]\ntype = "shadow"\nmatch = "{}/*/{{x,y,blur,color}}"'


@pytest.mark.parametrize(
    ("groups", "start"),
    [
        (("shadow/low", "shadow/high"), "shadow"),
        (("card/shadow/low", "card/shadow/high"), "card/shadow"),
        (("shadow", "shadow/low"), ""),
        (("shadow/low", "card/shadow"), ""),
    ],
)
def test_a_rule_for_groups_with_the_parts_of_shadows(groups, start):
    assert snippets(parts(*groups)) == [RULE.format(start).replace('"/', '"')]


def test_numbered_groups_are_proposed_as_layers_if_they_are_not_levels():
    layered = f"{RULE.format('shadow')}\nlayers = true"
    assert snippets(parts("shadow/a/1", "shadow/a/2", "shadow/b")) == [layered]
    assert snippets(parts("shadow/a/1", "shadow/b/1")) == [layered]
    assert snippets(parts("shadow/1", "shadow/2", "shadow/3")) == [RULE.format("shadow")]


@pytest.mark.parametrize(
    "tokens",
    [
        parts("shadow/low"),
        parts("shadow/low", "shadow/high", names=("x", "y", "blur", "color", "other")),
        parts("shadow/low", "shadow/high", names=("x", "y", "color")),
        parts("shadow/low", "shadow/high", names=("x", "offset-x", "y", "blur", "color")),
        [replace(part, type="string", values=("none",)) for part in parts("shadow/low", "shadow/high")],
        [replace(part, origin="withheld") for part in parts("shadow/low", "shadow/high")],
    ],
)
def test_no_rule_for_groups_that_are_not_plain(tokens):
    assert snippets(tokens) == []


def test_a_composite_token_needs_no_code_syntax():
    tokens = [token(f"one/{at}", BLACK, code_syntax=(("WEB", "x"),)) for at in range(20)]
    low = Composite('{"color":"#000000"}')
    assert codes([collection("one")], [*tokens, token("one/low", low, type_="shadow")]) == []


def test_the_parts_of_assembled_tokens_count_as_variables():
    parts = [token(f"one/{at}/x", 1.0, type_="dimension", origin="withheld") for at in range(4_600)]
    assert codes([collection("one")], parts) == ["limit-near"]
