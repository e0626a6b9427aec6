"""Rules about names, scopes, aliases, scales and colours: each finds its mistake, and each setting changes a result."""

from itertools import pairwise

import coloraide
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lint.graphs import BLACK, WHITE, codes, collection, color, found, token

from tokensync.lint import values
from tokensync.settings import NamePatternConfig, ScaleConfig, VisionConfig
from tokensync.tokens import Color, Quantity, Theme, float32

THEME = collection("theme", "light", "dark")
BASE = collection("base")


def of(problems, code):
    return [each for each in problems if each.code == code]


def pattern(*match, **more):
    return {"naming": (NamePatternConfig(match=match, **more),)}


class TestNaming:
    @pytest.mark.parametrize(
        ("case", "right", "wrong"),
        [
            ("camel", ("textMuted", "text", "gray100", "100"), ("TextMuted", "text-muted", "text_muted", "text muted")),
            ("constant", ("TEXT_MUTED", "TEXT", "100"), ("text", "TEXT-MUTED", "TEXT_")),
            ("kebab", ("text-muted", "text", "2xl", "größe-1"), ("Text", "text--muted", "-text", "textMuted")),
            ("pascal", ("TextMuted", "Text", "100"), ("textMuted", "Text Muted")),
            ("snake", ("text_muted", "text"), ("text-muted", "Text_muted")),
            ("title", ("Text Muted", "Text", "Size 100"), ("text", "Text muted", "Text  Muted")),
        ],
    )
    def test_each_case_has_its_names(self, case, right, wrong):
        for name in right:
            assert not found([BASE], [token(f"base/{name}", WHITE)], **pattern("base/*", case=case)), name
        for name in wrong:
            (flaw,) = found([BASE], [token(f"base/{name}", WHITE)], **pattern("base/*", case=case))
            assert (flaw.code, flaw.severity) == ("name-pattern", "warning")
            assert flaw.what == f"the name {name!r} is not in {case} case"

    def test_a_wrong_group_is_one_finding_that_names_the_command(self):
        tokens = [token(f"base/My Text/{name}", WHITE) for name in ("a", "b", "c")]
        (flaw,) = found([BASE], tokens, **pattern("*", case="kebab"))
        assert flaw.what_to_do == "run tokensync tokens rename 'base/My Text' NAME"

    @pytest.mark.parametrize(
        ("name", "flaw"),
        [
            ("text/muted", None),
            ("bg/muted/hover", None),
            ("border/muted", "the name 'border' does not match 'text|bg'"),
            ("text/1", "the name '1' does not match '[a-z]*'"),
            ("text/muted/x/9", "the name '9' does not match '[a-z]*'"),
            ("text", "a missing name does not match '[a-z]*'"),
        ],
    )
    def test_the_names_of_a_path_are_matched_in_turn_and_the_last_glob_is_for_the_rest(self, name, flaw):
        problems = found([BASE], [token(f"base/{name}", WHITE)], **pattern("*", names=("text|bg", "[a-z]*")))
        assert [each.what for each in problems] == ([flaw] if flaw else [])

    def test_an_entry_is_for_the_tokens_that_it_matches(self):
        tokens = [token("base/A", WHITE), token("base/x/B", WHITE)]
        assert len(found([BASE], tokens, **pattern("base/x/*", case="kebab"))) == 1

    def test_a_glob_that_matches_nothing_is_an_error_with_a_similar_name(self):
        (unknown,) = found([BASE], [token("base/text", WHITE)], **pattern("base/txt", case="kebab"))
        assert (unknown.code, unknown.where) == ("lint-unknown-name", "lint.naming.0.match.0")
        assert unknown.what_to_do == 'use "base/text"'

    @pytest.mark.parametrize(("usual", "odd", "expected"), [(18, 2, 2), (17, 2, 0), (9, 1, 0), (10, 1, 1), (20, 0, 0)])
    def test_exceptions_from_the_case_of_a_group_are_notes(self, usual, odd, expected):
        names = [*(f"one-{n}" for n in range(usual)), *(f"Two{n}" for n in range(odd))]
        problems = found([BASE], [token(f"base/group/{name}", WHITE) for name in names])
        assert [(each.code, each.severity) for each in problems] == [("name-mixed", "note")] * expected

    def test_groups_have_cases_of_their_own(self):
        tokens = [token(f"base/{group}{n}", WHITE) for group in ("low/a-", "high/A") for n in range(10)]
        assert not found([BASE], tokens)


class TestScopes:
    def test_a_scope_that_a_type_cannot_have_is_a_warning(self):
        (unfit,) = found([BASE], [token("base/a", WHITE, scopes=("FRAME_FILL", "GAP"))])
        assert (unfit.code, unfit.severity) == ("scopes-unfit", "warning")
        assert unfit.what == "a variable of the type color cannot have the scope GAP"
        assert "FRAME_FILL" in unfit.what_to_do

    @pytest.mark.parametrize(
        ("kind", "scopes"),
        [("color", ("FRAME_FILL",)), ("dimension", ("GAP", "SOMETHING_NEW")), ("string", ("FONT_FAMILY",))],
    )
    def test_fitting_and_unknown_scopes_are_right(self, kind, scopes):
        assert not found([BASE], [token("base/a", 1.0 if kind == "dimension" else "x", type_=kind, scopes=scopes)])

    @pytest.mark.parametrize(("narrow", "wide", "expected"), [(90, 10, 10), (89, 11, 0), (9, 1, 0), (10, 1, 1)])
    def test_all_scopes_is_reported_only_where_almost_all_are_narrower(self, narrow, wide, expected):
        tokens = [token(f"base/n{n}", WHITE, scopes=("TEXT_FILL",)) for n in range(narrow)]
        tokens += [token(f"base/w{n}", WHITE, scopes=("ALL_SCOPES",)) for n in range(wide)]
        tokens += [token(f"base/s{n}", 1.0, type_="dimension", scopes=("ALL_SCOPES",)) for n in range(20)]
        assert codes([BASE], tokens) == ["scopes-all"] * expected


def chain(length, start="theme/a", mode=0):
    """A token, and as many others between it and a value in one mode; in the other, it has a value of its own."""
    names = [start, *(f"base/{n}" for n in range(length))]
    first = token(start, names[1], WHITE) if mode == 0 else token(start, WHITE, names[1])
    middle = [token(name, after) for name, after in pairwise(names[1:])]
    return [first, *middle, token(names[-1], WHITE)]


class TestAliasDepth:
    @pytest.mark.parametrize(("length", "expected"), [(4, []), (5, ["alias-deep"])])
    def test_more_than_four_aliases_are_a_note(self, length, expected):
        assert codes([THEME, BASE], chain(length)) == expected

    def test_the_setting_decides_and_the_theme_and_the_chain_are_named(self):
        (deep,) = found([THEME, BASE], chain(3, mode=1), depth=2)
        assert (deep.severity, deep.where) == ("note", "theme / a")
        assert deep.what == "its value in theme/dark is 3 aliases away (base / 0, base / 1, base / 2)"

    def test_a_chain_that_no_theme_takes_is_not_deep(self):
        tokens = [token("theme/a", "theme/b", WHITE), token("theme/b", WHITE, "base/c"), token("base/c", WHITE)]
        assert not found([THEME, BASE], tokens, depth=1)
        night = (Theme("night", ((THEME.key, 1),)),)
        assert not found([THEME, BASE], chain(5), night)

    def test_a_cycle_ends(self):
        assert not found([BASE], [token("base/a", "base/b"), token("base/b", "base/a")], depth=1)


LAYERS = {"layers": ("theme", "base")}


class TestLiterals:
    def test_a_colour_that_a_primitive_has_is_a_note_with_the_primitive(self):
        tokens = [token("base/ink", BLACK), token("theme/text", BLACK, WHITE), token("theme/x", "base/ink", "base/ink")]
        (same,) = found([THEME, BASE], tokens, **LAYERS)
        assert (same.code, same.severity, same.where) == ("literal-repeated", "note", "theme / text")
        assert same.what == "it has the literal #000000"
        assert same.what_to_do == "refer to base / ink, with this value, if that is meant"

    @pytest.mark.parametrize(
        ("primitives", "settings"),
        [
            ([token("base/ink", BLACK)], {}),
            ([token("base/ink", BLACK, deprecated=True)], LAYERS),
            ([token("base/ink", color("#000001"))], LAYERS),
            ([token("base/ink", 4.0, type_="dimension")], LAYERS),
        ],
    )
    def test_no_primitive_is_guessed(self, primitives, settings):
        type_ = primitives[0].type
        own = 4.0 if type_ == "dimension" else BLACK
        problems = found([THEME, BASE], [*primitives, token("theme/a", own, own, type_=type_)], **settings)
        assert not of(problems, "literal-repeated")

    def test_the_first_three_primitives_are_named(self):
        tokens = [*(token(f"base/{name}", BLACK) for name in "abcd"), token("theme/text", BLACK, WHITE)]
        (same,) = of(found([THEME, BASE], tokens, **LAYERS), "literal-repeated")
        assert same.what_to_do == "refer to base / a, base / b, base / c, with this value, if that is meant"

    def test_a_primitive_has_the_colour_in_all_of_its_modes(self):
        brands = collection("base", "a", "b")
        for second, expected in ((BLACK, 1), (WHITE, 0)):
            tokens = [token("base/ink", BLACK, second), token("theme/text", BLACK, color("#123456"))]
            assert len(of(found([THEME, brands], tokens, **LAYERS), "literal-repeated")) == expected

    def test_collections_for_aliases_have_no_literals_in_any_mode(self):
        tokens = [token("base/ink", BLACK), token("theme/text", "base/ink", WHITE), token("theme/on", True, False)]
        tokens[-1] = token("theme/on", True, False, type_="boolean")
        (literal,) = found([THEME, BASE], tokens, aliases_only=("theme",))
        assert (literal.code, literal.severity) == ("literal-in-layer", "warning")
        assert literal.what == "it has the literal #ffffff, and theme is for aliases"
        assert not found([THEME, BASE], tokens)

    def test_an_unknown_collection_is_an_error_with_a_similar_name(self):
        (unknown,) = found([THEME], [], aliases_only=("themes",))
        assert (unknown.where, unknown.what_to_do) == ("lint.aliases_only.0", 'use one of "Theme", "theme"')


class TestUnusedPrimitives:
    def test_a_value_of_the_lowest_layer_without_a_reference_is_a_note(self):
        tokens = [token("base/a", BLACK), token("base/b", WHITE), token("theme/x", "base/a", "base/a")]
        (unused,) = found([THEME, BASE], tokens, **LAYERS)
        assert (unused.code, unused.severity, unused.where) == ("primitive-unused", "note", "base / b")
        assert not found([THEME, BASE], tokens)

    def test_a_chain_that_only_hidden_primitives_use_is_unused_as_a_whole(self):
        tokens = [token("base/a", BLACK), token("base/b", "base/a", hidden=True), token("theme/x", WHITE, WHITE)]
        assert {each.where for each in found([THEME, BASE], tokens, **LAYERS)} == {"base / a", "base / b"}
        shown = [token("base/a", BLACK), token("base/b", "base/a"), token("theme/x", WHITE, WHITE)]
        assert not found([THEME, BASE], shown, **LAYERS)

    def test_a_deleted_variable_uses_nothing(self):
        tokens = [token("base/a", BLACK), token("theme/x", "base/a", "base/a", origin="deleted")]
        assert codes([THEME, BASE], tokens, **LAYERS) == ["primitive-unused"]


class TestScales:
    SIZES = (token("base/size/a", 12.0, type_="dimension"), token("base/size/b", 13.0, type_="dimension"))

    def on(self, tokens=SIZES, collections=(BASE,), **more):
        return found([*collections], [*tokens], scales=(ScaleConfig(match=("*size/*",), **more),))

    def test_a_number_that_is_no_multiple_of_the_step_is_a_warning(self):
        (off,) = self.on(step=4)
        assert (off.code, off.severity, off.where) == ("number-off-scale", "warning", "base / size/b")
        assert (off.what, off.names) == ("its scale has multiples of 4", ("13 in default",))

    def test_values_are_allowed_beside_the_step(self):
        assert not self.on(step=4, values=(13.0,))
        assert len(self.on(values=(12.0,))) == 1
        assert not found([BASE], [*self.SIZES])

    def test_a_number_is_judged_in_every_theme_through_aliases(self):
        tokens = [*self.SIZES, token("theme/size/x", "base/size/a", "base/size/b", type_="dimension")]
        problems = found([THEME, BASE], tokens, scales=(ScaleConfig(match=("theme/*",), step=4),))
        assert [each.names for each in problems] == [("13 in theme/dark",)]

    def test_fractions_and_durations_have_steps_too(self):
        third = token("base/size/c", float32(0.3), type_="number")
        assert not self.on((third, token("base/size/t", Quantity(200.0, "ms"), type_="duration")), step=0.1)
        assert len(self.on((token("base/size/t", Quantity(150.0, "ms"), type_="duration"),), step=100)) == 1


def near(tokens, limit=1.0, collections=(BASE,)):
    return of(found([*collections], tokens, near_colors=limit), "colors-near")


class TestNearColors:
    def test_a_colour_that_hardly_differs_from_an_earlier_one_is_a_note_with_the_distance(self):
        tokens = [token("base/a", color("#808080")), token("base/b", color("#818181")), token("base/c", BLACK)]
        (same,) = near(tokens)
        distance = coloraide.Color("#808080").delta_e(coloraide.Color("#818181"), method="2000")
        assert (same.severity, same.where) == ("note", "base / b")
        assert same.what == f"its colour hardly differs from that of base / a (CIEDE2000: {distance:.2f})"
        assert not near(tokens, 0.0)
        assert not near(tokens, 0.3)

    def test_equal_and_translucent_colours_and_those_of_other_collections_are_not_near(self):
        gray, other = color("#808080"), color("#818181")
        assert not near([token("base/a", gray), token("base/b", gray)])
        assert not near([token("base/a", gray), token("base/b", color("#818181", 0.5))])
        assert not near([token("base/a", gray), token("theme/b", other, other)], collections=(BASE, THEME))

    def test_colours_that_differ_in_one_mode_are_not_near(self):
        gray, other = color("#808080"), color("#818181")
        assert near([token("theme/a", gray, BLACK), token("theme/b", other, BLACK)], collections=(THEME,))
        assert near([token("theme/a", BLACK, gray), token("theme/b", BLACK, other)], collections=(THEME,))
        assert not near([token("theme/a", gray, BLACK), token("theme/b", other, WHITE)], collections=(THEME,))

    @given(st.lists(st.tuples(*[st.sampled_from([0, 1, 2, 3, 4, 120, 121, 122, 253, 254, 255])] * 3), max_size=25))
    def test_cells_lose_no_pair(self, channels):
        """Judged by another implementation, which compares all pairs."""
        distinct = [*dict.fromkeys(channels)]
        tokens = [token(f"base/{n}", Color(*(each / 255 for each in rgb))) for n, rgb in enumerate(distinct)]
        measured = [coloraide.Color("srgb", [each / 255 for each in rgb]) for rgb in distinct]
        kept, later = [], set()
        for name, one in zip(tokens, measured, strict=True):
            if any(one.delta_e(other, method="2000") < 2 for other in kept):
                later.add(str(name.key))
            else:
                kept.append(one)
        assert {each.where for each in near(tokens, 2.0)} == later

    @pytest.mark.parametrize("step", [1e-6, 1e-5, 1e-4])
    def test_twice_the_colours_take_about_twice_the_comparisons(self, step, monkeypatch):
        def comparisons(count):
            made = []
            distance = values._distance
            with monkeypatch.context() as patched:
                patched.setattr(values, "_distance", lambda *of: made.append(of) or distance(*of))
                near([token(f"base/{n}", Color(0.3 + n * step, 0.3 + 2 * n * step, 0.4)) for n in range(count)])
            return len(made)

        assert comparisons(2_000) < 3 * comparisons(1_000) < 30_000


def vision(*match, **more):
    return {"vision": (VisionConfig(match=match, **more),)}


class TestColorVision:
    STATUS = (
        token("theme/status/danger", color("#d1242f"), color("#d1242f")),
        token("theme/status/success", color("#1a7f37"), color("#0969da")),
    )

    def test_colours_that_look_alike_to_some_people_are_a_note_in_the_theme_where_they_do(self):
        (alike,) = found([THEME], [*self.STATUS], **vision("theme/status/*", minimum=30))
        assert (alike.code, alike.severity, alike.where) == ("colors-indistinct", "note", "theme / status/danger")
        assert all(name.endswith(" in theme/light") for name in alike.names)
        assert any(" from theme / status/success with deuteranopia" in name for name in alike.names)

    @pytest.mark.parametrize(
        ("kind", "matrix"),
        [
            (
                "protanopia",
                ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
            ),
            (
                "deuteranopia",
                ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
            ),
            (
                "tritanopia",
                ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
            ),
        ],
    )
    def test_the_simulation_is_that_of_the_paper_in_linear_rgb(self, kind, matrix):
        """The matrices are those of table 1 in Machado, Oliveira and Fernandes (2009) for a severity of 1.0."""
        colors = ["#d1242f", "#1a7f37"]
        simulated = []
        for text in colors:
            linear = coloraide.Color(text).convert("srgb-linear")[:3]
            seen = [sum(share * part for share, part in zip(row, linear, strict=True)) for row in matrix]
            simulated.append(coloraide.Color("srgb-linear", seen).convert("srgb").clip())
        distance = simulated[0].delta_e(simulated[1], method="2000")
        (alike,) = found([THEME], [*self.STATUS], **vision("theme/status/*", minimum=100))
        shown = next(name for name in alike.names if f"{kind} in theme/light" in name)
        assert float(shown.split()[0]) == pytest.approx(distance, abs=0.02)

    def test_nothing_is_said_without_the_setting_or_above_the_minimum_or_of_translucent_colours(self):
        assert not found([THEME], [*self.STATUS])
        assert not found([THEME], [*self.STATUS], **vision("theme/status/*", minimum=0.1))
        glass = [token(f"theme/status/{n}", color("#d1242f", 0.5), color("#d1242f", 0.6)) for n in "ab"]
        assert not found([THEME], glass, **vision("theme/status/*", minimum=100))

    def test_too_many_pairs_are_an_error(self):
        tokens = [token(f"base/{n}", Color(n / 40, 0, 0)) for n in range(40)]
        (many,) = found([BASE], tokens, **vision("*"))
        assert (many.code, many.where) == ("lint-pairs-many", "lint.vision.0")
        assert "780 pairs" in many.what


def test_descriptions_are_needed_where_the_setting_says_so():
    tokens = [token("base/a", WHITE), token("base/b", BLACK, description="Text."), token("base/c/d", BLACK)]
    (missing,) = found([BASE], tokens, descriptions=("base/?",))
    assert (missing.code, missing.severity, missing.where) == ("description-missing", "warning", "base / a")
    assert not found([BASE], tokens)
