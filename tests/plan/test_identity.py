"""Matching of tokens by ids, keys, moves and names; ambiguity is reported."""

from __future__ import annotations

from graphs import collection, graph, key, token
from hypothesis import given
from hypothesis import strategies as some
from msgspec.structs import replace
from plan.matching import identified
from plan.merges import ACCENT, RED, SIZE, TEXT, design, edited, renamed, with_tokens, without

from tokensync.settings import MovedConfig
from tokensync.tokens import TokenGraph


def moved(kind, old, new, **rest):
    return MovedConfig(kind=kind, from_=old, to=new, **rest)


def bare(of):
    """The graph without any id or key, as another tool would write it."""
    collections = [
        replace(
            each,
            id="",
            collection_key="",
            modes=tuple(replace(mode, id="") for mode in each.modes),
            extensions=tuple(replace(one, id="", collection_key="") for one in each.extensions),
        )
        for each in of.collections.values()
    ]
    return TokenGraph(collections, [replace(each, id="", variable_key="") for each in of.tokens.values()])


def ids(of, current, *moves, **options):
    """The id of each token, by path; there are no problems."""
    found, problems = identified(of, current, moves, **options)
    assert not problems, problems
    return {each.key.path: each.id for each in found.tokens.values()}


def codes(of, current, *moves, **options):
    return [each.code for each in identified(of, current, moves, **options)[1]]


ALL = {"accent.base": "V:1", "text": "V:2", "gap": "V:3"}


class TestTokens:
    def test_names_are_enough_where_nothing_else_is_known(self):
        found, problems = identified(bare(design()), design())
        assert found == design()
        assert not problems

    def test_an_id_counts_before_a_name(self):
        swapped = renamed(renamed(renamed(design(), ACCENT, "x"), TEXT, "accent/base"), key("Theme", "x"), "text")
        assert ids(swapped, design()) == {"accent.base": "V:2", "text": "V:1", "gap": "V:3"}

    def test_a_key_counts_where_the_id_does_not(self):
        other = edited(renamed(design(), ACCENT, "primary"), key("Theme", "primary"), id="V:77")
        assert ids(other, design())["primary"] == "V:1"
        assert ids(renamed(design(), ACCENT, "primary"), design(), ids_count=False)["primary"] == "V:1"

    def test_ids_that_the_file_has_not_are_left_out(self):
        fresh = with_tokens(design(), token(design().collections["design", "size"], "x", 1, id="V:99", type="number"))
        assert ids(fresh, design()) == {**ALL, "x": ""}

    def test_of_two_with_one_id_the_one_of_the_known_name_keeps_it(self):
        copy = replace(design().tokens[ACCENT], key=key("Theme", "a/copy"))
        before = TokenGraph(design().collections.values(), (copy, *design().tokens.values()))
        found, problems = identified(before, design())
        assert {each.key.path: each.id for each in found.tokens.values()} == {**ALL, "a.copy": ""}
        assert found.tokens[key("Theme", "a/copy")].variable_key == ""
        assert [(each.code, each.where) for each in problems] == [("token-id-copied", "theme / a/copy")]


class TestMoves:
    def test_a_token_is_what_it_was_called(self):
        now = bare(renamed(design(), ACCENT, "brand/primary"))
        assert ids(now, design()) == {"brand.primary": "", "text": "V:2", "gap": "V:3"}
        assert ids(now, design(), moved("token", "accent/base", "brand/primary"))["brand.primary"] == "V:1"
        assert ids(now, design(), moved("token", "accent/base", "brand/primary", collection="theme"))["brand.primary"]
        assert not ids(now, design(), moved("token", "accent/base", "brand/primary", collection="size"))[
            "brand.primary"
        ]
        assert not ids(now, design(), moved("token", "accent/base", "brand/primary", file="other"))["brand.primary"]

    def test_a_moved_group_includes_its_tokens_and_a_tokens_own_entry_has_precedence(self):
        now = bare(renamed(design(), ACCENT, "brand/main/base"))
        assert ids(now, design(), moved("group", "accent", "brand/main"))["brand.main.base"] == "V:1"
        both = (moved("group", "nothing", "brand/main"), moved("token", "accent/base", "brand/main/base"))
        assert ids(now, design(), *both)["brand.main.base"] == "V:1"

    def test_entries_may_form_chains_and_cycles_and_may_stay(self):
        now = bare(renamed(design(), ACCENT, "c"))
        steps = (moved("token", "accent/base", "b"), moved("token", "b", "c"), moved("token", "c", "b"))
        assert ids(now, design(), *steps)["c"] == "V:1"
        assert ids(bare(design()), design(), *steps) == ALL

    def test_a_collection_and_a_mode_are_what_they_were_called(self):
        now = graph(
            collection("Look", "Day", "Dark"),
            token(collection("Look", "Day", "Dark"), "text", RED, RED),
        )
        found, problems = identified(
            now, design(), (moved("collection", "theme", "look"), moved("mode", "Light", "Day", collection="look"))
        )
        family = found.collections["design", "look"]
        assert not problems
        assert (family.id, [each.id for each in family.modes]) == ("C:1", ["1:0", "1:1"])
        assert found.tokens[key("Look", "text")].id == "V:2"

    def test_an_entry_has_no_effect_if_both_names_exist_on_both_sides(self):
        entries = (moved("token", "accent/base", "text"), moved("mode", "Light", "Dark", collection="theme"))
        found, problems = identified(bare(design()), design(), entries)
        assert found == design()
        assert not problems
        assert ids(
            bare(renamed(design(), ACCENT, "b")),
            design(),
            moved("token", "accent/base", "b"),
            moved("token", "b", "text"),
        ) == {
            "b": "V:1",
            "text": "V:2",
            "gap": "V:3",
        }

    def test_names_can_be_swapped_and_passed_on_to_a_new_token(self):
        swap = (moved("token", "accent/base", "text"), moved("token", "text", "accent/base"))
        assert ids(bare(design()), design(), *swap) == {"accent.base": "V:2", "text": "V:1", "gap": "V:3"}
        theme = design().collections["design", "theme"]
        passed = with_tokens(bare(design()), token(theme, "last", RED, RED, None, None))
        entries = (moved("token", "accent/base", "text"), moved("token", "text", "last"))
        assert ids(passed, design(), *entries) == {"accent.base": "", "text": "V:1", "last": "V:2", "gap": "V:3"}

    def test_a_name_of_a_removed_token_goes_along_a_chain(self):
        theme = design().collections["design", "theme"]
        now = with_tokens(design(), replace(token(theme, "third", RED, RED, None, None), id="V:4"))
        entries = (moved("token", "accent/base", "text"), moved("token", "third", "accent/base"))
        assert ids(bare(design()), now, *entries) == {"accent.base": "V:4", "text": "V:1", "gap": "V:3"}

    def test_two_entries_that_lead_to_one_token_are_ambiguous(self):
        now = bare(renamed(without(design(), TEXT), ACCENT, "primary"))
        entries = (moved("token", "accent/base", "primary"), moved("token", "text", "primary"))
        assert codes(now, design(), *entries) == ["moved-ambiguous"]

    def test_one_entry_each_for_two_tokens_that_were_one_is_ambiguous(self):
        theme = design().collections["design", "theme"]
        now = bare(with_tokens(renamed(design(), ACCENT, "one"), token(theme, "two", RED, RED, None, None)))
        entries = (moved("token", "accent/base", "one"), moved("token", "accent/base", "two"))
        assert codes(now, design(), *entries) == ["moved-ambiguous"]


class TestCollections:
    def test_a_copied_key_names_nothing(self):
        twin = replace(design().collections["design", "size"], handle="size-2", id="C:9")
        current = TokenGraph((*design().collections.values(), twin), design().tokens.values())
        found, _ = identified(bare(current), current)
        assert [each.id for each in found.collections.values()] == ["C:1", "C:2", "C:9"]

    def test_an_id_of_another_file_is_a_hint_that_a_handle_outweighs(self):
        swapped = TokenGraph(
            [
                replace(each, id={"C:1": "C:2", "C:2": "C:1"}[each.id], collection_key="")
                for each in design().collections.values()
            ],
            design().tokens.values(),
        )
        found, _ = identified(swapped, design(), ids_count=False)
        assert [each.id for each in found.collections.values()] == ["C:1", "C:2"]


@given(some.permutations(["accent/base", "text", "a", "b"]), some.sets(some.sampled_from(["V:1", "V:2"])))
def test_no_variable_is_two_tokens_and_ids_survive_any_renaming(names, kept):
    now = renamed(renamed(renamed(design(), ACCENT, "x/x"), TEXT, names[1]), key("Theme", "x/x"), names[0])
    now = TokenGraph(
        now.collections.values(),
        [each if each.id in kept else replace(each, id="", variable_key="") for each in now.tokens.values()],
    )
    found, problems = identified(now, design())
    given_ids = [each.id for each in found.tokens.values() if each.id]
    assert not problems
    assert len(set(given_ids)) == len(given_ids)
    assert found.tokens[SIZE].id == "V:3"
    for token_of in now.tokens.values():
        if token_of.id:
            assert found.tokens[token_of.key].id == token_of.id
