"""Themes: merged sets, roles, and the targets of references."""

import pytest
from migrate.sources import source_of, theme_of, token
from msgspec.structs import replace

from tokensync.migrate.evaluation.themes import Definitions, ThemeTokens, share_readings, themes_of
from tokensync.migrate.evaluation.values import AliasTo, Flattened, Refused
from tokensync.migrate.source import Location, SourceToken, TokenSet
from tokensync.tokens import hexadecimal


def test_a_later_set_of_a_theme_replaces_an_earlier_one_and_both_are_listed():
    theme = theme_of({"a": {"x": "1"}, "b": {"x": "2"}})
    assert [*theme.tokens] == ["x"]
    assert theme.literal("x") == 2
    assert [(each.set, each.token.value, each.by_set) for each in theme.replaced] == [("a", "1", "b")]


def test_the_order_of_the_theme_decides_and_not_the_order_of_the_source():
    assert theme_of({"a": {"x": "1"}, "b": {"x": "2"}}, {"t": ["b", "a"]}).literal("x") == 1


def test_sets_outside_the_theme_resolve_references_but_create_nothing():
    theme = theme_of({"core": {"red": "r"}, "own": {"fg": "{red}"}}, {"t": ["own"]})
    assert [*theme.tokens] == ["fg"]
    assert theme.value("fg") == AliasTo("red")
    assert theme.literal("fg") == "r"


def test_a_source_set_creates_nothing_where_another_theme_creates_it():
    source = source_of({"core": {"red": "r"}, "own": {"fg": "{red}"}}, {"a": ["core*", "own"], "b": ["core"]})
    first, second = themes_of(source)
    assert ([*first.tokens], [*second.tokens]) == (["fg"], ["red"])
    assert first.lookup("red").value == "r"


def test_a_definition_that_a_source_set_replaces_is_not_created_and_is_listed():
    theme = theme_of({"own": {"x": "1"}, "core": {"x": "2"}}, {"t": ["own", "core*"]})
    assert not theme.tokens
    assert [each.token.value for each in theme.replaced] == ["1"]


def test_a_set_outside_the_theme_never_replaces_a_set_of_the_theme():
    theme = theme_of({"own": {"x": "1"}, "late": {"x": "2"}}, {"t": ["own"]})
    assert theme.literal("x") == 1
    assert not theme.replaced


def test_objects_of_two_sets_of_a_theme_are_merged_by_member():
    sets = {"a": {"t": {"fontSize": "1", "lineHeight": "2"}}, "b": {"t": {"lineHeight": "3"}}}
    assert theme_of(sets).lookup("t").value == {"fontSize": "1", "lineHeight": "3"}


def test_objects_are_not_merged_with_those_of_sets_outside_the_theme():
    sets = {"a": {"t": {"fontSize": "1"}}, "b": {"t": {"lineHeight": "3"}}}
    assert theme_of(sets, {"t": ["b"]}).lookup("t").value == {"lineHeight": "3"}


def test_a_theme_that_names_a_missing_set_has_the_tokens_of_the_others():
    assert [*theme_of({"a": {"x": "1"}}, {"t": ["gone", "a"]}).tokens] == ["x"]


def test_a_path_that_one_set_defines_twice_counts_once_and_the_earlier_definition_is_listed():
    source = source_of({"a": {"x.y": "1"}})
    twice = TokenSet("a", (token("x.y", "1"), SourceToken(("x.y",), "2", Location("tokens.json", 2))))
    shared = Definitions(replace(source, sets=(twice,)))
    assert [(each.token.value, each.by.value) for each in shared.repeated] == [("1", "2")]
    assert ThemeTokens(shared.source, source.themes[0], shared).literal("x.y") == 2


def test_a_set_can_be_a_source_in_one_theme_and_enabled_in_another():
    sets = {"core": {"x": ("number", 1)}, "own": {"y": ("number", "{x}")}}
    first, second = themes_of(source_of(sets, {"g/a": ["core*", "own"], "g/b": ["core", "own"]}))
    assert ([*first.tokens], [*second.tokens]) == (["y"], ["x", "y"])
    assert first.literal("y") == second.literal("y") == 1


def test_each_theme_has_its_own_value_of_a_computed_token():
    sets = {
        "light": {"base": ("spacing", "4px")},
        "dark": {"base": ("spacing", "8px")},
        "own": {"double": ("spacing", "{base} * 2")},
    }
    themes = themes_of(source_of(sets, {"m/light": ["light", "own"], "m/dark": ["dark", "own"]}))
    assert [each.literal("double") for each in themes] == [8, 16]


@pytest.mark.parametrize(
    ("written", "path"),
    [
        ("{a.b}", "a.b"),
        ("{ a.b }", "a.b"),
        ("$a.b", "a.b"),
        ("{a.b.value}", "a.b"),
        ("{a.b.$value}", "a.b"),
        ("{!a.b}", "a.b"),
        ("{core.a.b}", "a.b"),
        ("{g}", "g.$root"),
        ("{h}", "h._"),
        ("{i}", "i.DEFAULT"),
        ("{ !core.a.b.value }", "a.b"),
        ("{a.{letter}}", "a.b"),
        ("{{whole}}", "a.b"),
        ("{edge}", "edge "),
    ],
)
def test_a_reference_names_its_target_in_every_spelling(written, path):
    tokens = {"a.b": "x", "g.$root": "g", "h._": "h", "i.DEFAULT": "i", "own": written}
    tokens |= {"letter": "b", "whole": "a.b", "edge ": "e"}
    assert theme_of({"core": tokens}).value("own") == AliasTo(path)


def test_the_full_path_comes_before_every_other_meaning_of_a_reference():
    theme = theme_of({"a": {"a.b": "1", "b": "2", "own": "{a.b}"}})
    assert theme.value("own") == AliasTo("a.b")


def test_a_set_is_named_by_its_folders_or_its_last_name():
    tokens = {"x": "1", "p": "{base/light.x}", "q": "{base.light.x}", "r": "{light.x}"}
    theme = theme_of({"base/light": tokens})
    assert {theme.value(each) for each in "pqr"} == {AliasTo("x")}


def test_a_name_in_another_case_is_refused_with_the_right_one():
    theme = theme_of({"a": {"Red": "1", "own": "{red}"}})
    assert theme.value("own") == Refused("it refers to {red}, and there is no such token; did you mean {Red}?")


def test_a_missing_target_is_refused_for_every_token_on_the_way():
    theme = theme_of({"a": {"x": "{y}", "y": "{gone}"}})
    assert theme.value("x") == theme.value("y") == Refused("it refers to {gone}, and there is no such token")


def test_a_target_that_only_another_theme_of_the_group_has_is_refused_with_its_name():
    sets = {"light": {"fg": "{shade}"}, "dark": {"shade": "1", "fg": "{shade}"}}
    source = source_of(sets, {"mode/light": ["light"], "mode/dark": ["dark"]})
    light, dark = themes_of(source)
    assert light.value("fg").reason == "it refers to {shade}, which only the theme dark of this group has"
    assert dark.value("fg") == AliasTo("shade")


def test_a_target_in_a_theme_of_another_group_resolves():
    source = source_of({"core": {"red": "1"}, "own": {"fg": "{red}"}}, {"p/core": ["core"], "s/own": ["own"]})
    assert themes_of(source)[1].value("fg") == AliasTo("red")


def test_a_cycle_over_two_sets_is_refused_with_its_tokens():
    theme = theme_of({"a": {"x": "{y}"}, "b": {"y": "{x}", "z": "{x}"}})
    reason = "it refers to itself: {x} → {y} → {x}"
    assert [theme.value(each) for each in "xyz"] == [Refused(reason)] * 3


def test_a_token_that_refers_to_itself_is_refused():
    assert theme_of({"a": {"x": "{x}"}}).value("x") == Refused("it refers to itself: {x} → {x}")


def test_chains_of_any_length_resolve():
    tokens = {f"t{index}": f"{{t{index + 1}}}" for index in range(50_000)} | {"t50000": "end"}
    assert theme_of({"a": tokens}).literal("t0") == "end"


def test_a_chain_of_expressions_of_any_length_resolves():
    tokens = {f"t{index}": ("number", f"{{t{index + 1}}} + 1") for index in range(20_000)} | {"t20000": ("number", 0)}
    assert theme_of({"a": tokens}).literal("t0") == 20_000


def test_a_member_of_a_typography_is_an_alias_to_the_token_that_it_becomes():
    theme = theme_of({"a": {"typo": ("typography", {"fontSize": "16px"}), "own": ("fontSizes", "{typo.fontSize}")}})
    assert theme.value("own") == AliasTo("typo.fontSize")
    assert theme.literal("own") == theme.literal("typo.fontSize") == 16


def test_a_member_of_a_shadow_is_a_literal_unless_it_is_a_reference():
    layers = [{"color": "#f00", "x": "{two}", "y": "1", "blur": "3px", "spread": "0"}]
    tokens = {"two": ("spacing", "2px"), "shadow": ("boxShadow", layers), "again": ("boxShadow", "{shadow}")}
    theme = theme_of({"a": tokens | {"c": ("color", "{again.0.color}"), "x": ("spacing", "{shadow.0.x}")}})
    assert isinstance(theme.value("c"), Flattened)
    assert hexadecimal(theme.literal("c")) == "#ff0000"
    assert theme.value("x") == AliasTo("two")


def test_a_member_that_a_composite_lacks_is_refused():
    theme = theme_of({"a": {"typo": ("typography", {"fontSize": "16px"}), "own": "{typo.color}"}})
    reason = "it refers to {typo.color}, and {typo} has no such member"
    assert theme.value("own") == Refused(reason)


def test_members_that_refer_to_each_other_are_refused():
    members = {"fontSize": "{typo.lineHeight}", "lineHeight": "{typo.fontSize}"}
    theme = theme_of({"a": {"typo": ("typography", members)}})
    assert "refers to itself" in theme.literal("typo.fontSize").reason


def test_a_brace_without_its_partner_is_no_reference():
    assert theme_of({"a": {"own": "{unclosed"}}).literal("own") == "{unclosed"
    assert theme_of({"a": {"own": ("color", "{unclosed")}}).value("own") == Refused("'{unclosed' is not a colour")


def test_a_dollar_sign_that_names_no_token_is_a_text():
    assert theme_of({"a": {"own": "$nothing for $5"}}).literal("own") == "$nothing for $5"


def test_references_in_a_value_that_is_text_are_characters():
    source = replace(source_of({"a": {}}), sets=(TokenSet("a", (token("own", "{b}", "string", is_text=True),)),))
    assert ThemeTokens(source, source.themes[0]).literal("own") == "{b}"


def test_a_path_without_a_token_is_refused():
    assert theme_of({"a": {"x": "1"}}).value("y") == Refused("there is no token 'y'")


def test_a_target_of_another_type_decides_the_type_and_is_noted():
    reading = theme_of({"a": {"x": ("spacing", "4px"), "own": ("color", "{x}")}}).reading("own")
    assert (reading.value, reading.type) == (AliasTo("x"), "dimension")
    assert reading.notes == ("{x} is no colour but a dimension",)


@pytest.mark.parametrize("written", ["{a.{b}}", "{a.{{b}}}", "rgba({gone}, 1)", "{gone} * 2", "{x {gone}"])
def test_what_refers_to_nothing_is_refused_with_the_name(written):
    assert "refers to {" in theme_of({"a": {"own": written}}).value("own").reason


@pytest.mark.parametrize("base", [10, "{base}"])
def test_themes_share_the_readings_that_none_of_them_changes(base):
    core = {"gap": "1rem", "inset": "{gap}", "size": ("dimension", "2px"), "twice": ("dimension", "{size} * 2")}
    core |= {"red": ("color", "#f00"), "link": "{red}", "own": "{accent}", "round": "{other}", "other": "{round}"}
    of_themes = {
        "a": {"accent": "{red}", "base": ("number", "10")},
        "b": {"accent": "{link}", "base": ("number", "20")},
    }
    source = source_of({"core": core, **of_themes}, {"a": ["core", "a"], "b": ["core", "b"]})
    shared = share_readings(themes := themes_of(source, base))
    assert shared.keys() == {"red", "link", "size"} | ({"gap", "inset", "twice"} if base == 10 else set())
    for theme in themes:
        alone = ThemeTokens(source, theme.theme, base_font_size=base)
        assert {path: theme.reading(path) for path in theme.own} == {path: alone.reading(path) for path in alone.own}
        assert all(theme.reading(path) is each for path, each in shared.items())
