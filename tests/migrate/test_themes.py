"""Themes: merged sets, roles, and the targets of references."""

import pytest
from migrate.sources import source_of

from tokensync.migrate.themes import ThemeTokens, themes_of
from tokensync.migrate.values import AliasTo, Refused


def theme_of(sets, themes=None, index=0, **options):
    source = source_of(sets, themes)
    return ThemeTokens(source, source.themes[index], **options)


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
    ],
)
def test_a_reference_names_its_target_in_every_spelling(written, path):
    tokens = {"a.b": "x", "g.$root": "g", "h._": "h", "i.DEFAULT": "i", "own": written}
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
