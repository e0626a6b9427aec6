"""The merge of tokens: separate edits are combined, and overlapping ones are conflicts."""

from __future__ import annotations

import pytest
from graphs import alias, color, key, token
from msgspec.structs import replace
from plan.merges import (
    ACCENT,
    BLACK,
    BLUE,
    RED,
    SIZE,
    TEXT,
    WHITE,
    clean,
    design,
    edited,
    members,
    merged,
    renamed,
    with_tokens,
    without,
)

from tokensync.plan.conflicts import ConflictKey
from tokensync.tokens import Alias, Composite, DanglingAlias, Quantity, TokenGraph, TokenKey

GREEN = color("#00ff00")


def new(name, *values, of="theme", **rest):
    return token(design().collections["design", of], name, *values, **rest)


class TestWithoutConflict:
    def test_equal_sides_give_the_same_graph_and_no_difference(self):
        result = merged(design(), design())
        assert result.graph == design()
        assert result.differences == ()

    @pytest.mark.parametrize("swap", [False, True])
    def test_one_sides_edit_holds_when_the_other_made_none(self, swap):
        changed = edited(renamed(design(), ACCENT, "primary"), TEXT, description="x", hidden=True, values={1: BLACK})
        sides = (changed, design()) if swap else (design(), changed)
        assert clean(*sides) == changed

    def test_edits_of_two_modes_of_one_token_are_combined(self):
        ours, theirs = edited(design(), ACCENT, values={0: GREEN}), edited(design(), ACCENT, values={1: BLACK})
        assert clean(ours, theirs).tokens[ACCENT].values == (GREEN, BLACK, None, WHITE)

    def test_a_rename_and_an_edit_are_combined_and_aliases_follow(self):
        ours = renamed(design(), ACCENT, "primary")
        theirs = edited(design(), ACCENT, values={0: GREEN}, description="new words")
        both = clean(ours, theirs)
        primary = both.tokens[key("Theme", "primary")]
        assert (primary.values[0], primary.description, primary.id) == (GREEN, "new words", "V:1")
        assert both.tokens[TEXT].values[0] == alias("Theme", "primary")
        assert clean(theirs, ours) == both

    def test_equal_edits_of_both_sides_are_no_conflict(self):
        ours = edited(renamed(design(), ACCENT, "primary"), TEXT, values={1: RED})
        assert clean(ours, ours) == ours

    def test_a_rename_and_type_change_that_the_other_side_has_made_with_a_new_variable_is_one_token(self):
        """The former names are given to another token, so the names of the base do not match the two."""
        base = with_tokens(design(), new("old", Quantity(1.0, ""), type="number", id="V:8"))
        renamed_accent = renamed(without(base, key("Theme", "old")), ACCENT, "old")
        ours = with_tokens(renamed_accent, new("fresh", "a text", type="string", id="V:8"))
        theirs = with_tokens(renamed_accent, new("fresh", "a text", type="string", id="V:9"))
        result = merged(ours, theirs, base)
        assert result.conflicts == ()
        assert result.graph == theirs

    def test_code_syntax_merges_platform_by_platform(self):
        ours = edited(design(), TEXT, code_syntax=(("WEB", "var(--text)"),))
        theirs = edited(design(), TEXT, code_syntax=(("ANDROID", "Text"),))
        assert clean(ours, theirs).tokens[TEXT].code_syntax == (("ANDROID", "Text"), ("WEB", "var(--text)"))

    def test_scopes_are_sets_and_a_weight_is_a_style_to_the_platform(self):
        base = edited(design(), SIZE, scopes=("FONT_STYLE", "GAP"))
        ours = edited(design(), SIZE, scopes=("GAP", "FONT_WEIGHT"))
        assert merged(ours, base, base).differences == ()

    def test_a_new_token_of_ours_has_no_id_and_follows_the_one_before_it(self):
        ours = design()
        tokens = list(ours.tokens.values())
        tokens.insert(1, new("fresh", RED, RED, None, None))
        ours = TokenGraph(ours.collections.values(), tokens)
        theirs = with_tokens(design(), new("theirs", RED, RED, None, None, id="V:9", variable_key="k9"))
        both = clean(ours, theirs)
        assert [each.key.path for each in both.tokens.values()] == ["accent.base", "fresh", "text", "gap", "theirs"]
        assert both.tokens[key("Theme", "fresh")].id == ""

    def test_names_that_one_side_swaps_stay_swapped_with_their_values(self):
        swapped = renamed(
            renamed(renamed(design(), ACCENT, "passing"), TEXT, "accent/base"), key("Theme", "passing"), "text"
        )
        theirs = edited(design(), ACCENT, values={1: BLACK})
        both = clean(swapped, theirs)
        assert both.tokens[TEXT].id == "V:1"
        assert both.tokens[TEXT].values[1] == BLACK
        assert both.tokens[ACCENT].values[0] == Alias(TEXT)

    def test_what_only_files_hold_stays_ours(self):
        shadow = new(
            "shadow", Composite('{"color":"{theme.accent.base}"}', (("{theme.accent.base}", ACCENT),)), type="shadow"
        )
        ours = edited(
            with_tokens(design(), shadow),
            SIZE,
            deprecated="old",
            extensions='{"a":1}',
            values={0: Quantity(1.0, "rem")},
        )
        theirs = renamed(design(), ACCENT, "primary")
        both = clean(ours, theirs)
        primary = key("Theme", "primary")
        assert both.tokens[shadow.key].values[0] == Composite(
            '{"color":"{theme.primary}"}', (("{theme.primary}", primary),)
        )
        gap = both.tokens[SIZE]
        assert (gap.deprecated, gap.extensions, gap.values) == ("old", '{"a":1}', (Quantity(1.0, "rem"),))


class TestFontLists:
    LIST = Composite('["Inter","sans-serif"]')

    def fonts(self, value):
        of = new("font", value, value, None, None, type="fontFamily")
        return with_tokens(design(), of), of.key

    def test_a_list_is_no_edit_of_its_first_font(self):
        (base, font), (ours, _) = self.fonts("Inter"), self.fonts(self.LIST)
        assert clean(ours, base, base).tokens[font].values[0] == self.LIST
        assert clean(ours, base).tokens[font].values[0] == self.LIST

    def test_another_font_of_the_design_file_replaces_the_first_one_of_the_list(self):
        (base, font), (ours, _), (theirs, _) = self.fonts("Inter"), self.fonts(self.LIST), self.fonts("Roboto")
        found = clean(ours, theirs, base).tokens[font].values[0]
        assert found == Composite('["Roboto","sans-serif"]')

    def test_two_other_fonts_are_a_conflict(self):
        (base, _), (ours, _), (theirs, _) = self.fonts("Georgia"), self.fonts(self.LIST), self.fonts("Roboto")
        assert {each.key.path for each in merged(ours, theirs, base).conflicts} == {"font"}


class TestAbsence:
    def test_what_both_started_from_and_ours_lacks_is_deleted(self):
        both = clean(edited(without(design(), SIZE), ACCENT, description=""), design())
        assert SIZE not in both.tokens
        assert both.tokens[ACCENT].description == ""

    def test_what_the_platform_deleted_is_gone(self):
        assert SIZE not in clean(design(), without(design(), SIZE)).tokens

    def test_what_never_was_in_the_base_is_no_opinion(self):
        theirs = with_tokens(design(), new("more", RED, RED, None, None, id="V:9"))
        assert clean(design(), theirs) == theirs
        bare = edited(edited(design(), ACCENT, description=""), SIZE, scopes=())
        assert clean(bare, design(), TokenGraph((), ())) == design()
        assert clean(design(), bare, TokenGraph((), ())) == design()

    def test_an_alias_to_what_is_deleted_keeps_the_id_of_it(self):
        theirs = edited(design(), SIZE, description="other")
        ours = without(design(), ACCENT)
        assert clean(ours, theirs).tokens[TEXT].values[0] == DanglingAlias("V:1")

    def test_without_any_base_tokens_of_either_side_stay(self):
        ours = with_tokens(without(design(), SIZE), new("fresh", RED, RED, None, None))
        both = clean(ours, design(), TokenGraph((), ()))
        assert {SIZE, key("Theme", "fresh")} <= both.tokens.keys()


class TestConflicts:
    def test_two_edits_of_one_value_name_the_member_and_all_three_sides(self):
        ours, theirs = edited(design(), ACCENT, values={0: GREEN}), edited(design(), ACCENT, values={0: BLACK})
        (conflict,) = merged(ours, theirs).conflicts
        assert conflict.key == ConflictKey("design", "theme", "accent.base", "in light")
        assert (conflict.bases, conflict.ours, conflict.theirs) == ((RED,), GREEN, BLACK)
        assert (conflict.token, conflict.context) == (ACCENT, "light")

    @pytest.mark.parametrize(
        ("mine", "other", "member"),
        [
            ({"description": "a"}, {"description": "b"}, "description"),
            ({"scopes": ("A",)}, {"scopes": ("B",)}, "scopes"),
            ({"code_syntax": (("WEB", "a"),)}, {"code_syntax": (("WEB", "b"),)}, "code syntax WEB"),
            ({"type": "string"}, {"type": "boolean"}, "type"),
        ],
    )
    def test_metadata_conflicts_member_by_member(self, mine, other, member):
        base = edited(design(), SIZE, description="x", code_syntax=(("WEB", "x"),))
        assert members(merged(edited(base, SIZE, **mine), edited(base, SIZE, **other), base)) == [("gap", member)]

    def test_two_renames_of_one_token_conflict(self):
        ours, theirs = renamed(design(), ACCENT, "mine"), renamed(design(), ACCENT, "other")
        assert members(merged(ours, theirs)) == [("other", "name")]
        for side, path in (("ours", "mine"), ("theirs", "other")):
            both = clean(ours, theirs, always=side)
            assert both.tokens[key("Theme", path)].id == "V:1"
            assert both.tokens[TEXT].values[0] == alias("Theme", path)

    @pytest.mark.parametrize("swap", [False, True])
    def test_a_deletion_against_an_edit_conflicts_and_either_answer_holds(self, swap):
        gone, changed = without(design(), SIZE), edited(design(), SIZE, values={0: 8.0})
        ours, theirs = (changed, gone) if swap else (gone, changed)
        result = merged(ours, theirs)
        assert members(result) == [("gap", "existence")]
        key_of = result.conflicts[0].key
        kept = "ours" if swap else "theirs"
        again = clean(ours, theirs, answers={key_of: kept})
        assert again.tokens[SIZE].values == (8.0,)
        assert again.tokens[SIZE].id == ("" if swap else "V:3")
        other = "theirs" if swap else "ours"
        assert SIZE not in clean(ours, theirs, answers={key_of: other}).tokens

    def test_equal_tokens_of_one_path_on_both_sides_are_one_and_different_ones_conflict(self):
        mine = with_tokens(design(), new("fresh", RED, RED, None, None))
        same = with_tokens(design(), new("fresh", RED, RED, None, None, id="V:9", variable_key="k9"))
        assert clean(mine, same) == same
        other = with_tokens(design(), new("fresh", BLUE, RED, None, None, id="V:9", variable_key="k9"))
        assert members(merged(mine, other)) == [("fresh", "in light")]

    def test_a_rename_onto_a_name_that_the_other_side_gave_away_is_a_conflict(self):
        ours = with_tokens(design(), new("primary", GREEN, GREEN, None, None))
        theirs = renamed(design(), ACCENT, "primary")
        assert members(merged(ours, theirs)) == [("primary", "name")]
        mine = clean(ours, theirs, always="ours")
        assert mine.tokens[key("Theme", "primary")].id == ""
        assert mine.tokens[key("Theme", "primary-2")].id == "V:1"
        assert mine.tokens[TEXT].values[0] == alias("Theme", "primary-2")
        other = clean(ours, theirs, always="theirs")
        assert other.tokens[key("Theme", "primary")].id == "V:1"
        assert other.tokens[key("Theme", "primary-2")].values[0] == GREEN

    def test_an_answer_resolves_only_the_conflict_that_it_names(self):
        ours = edited(design(), ACCENT, values={0: GREEN, 1: GREEN})
        theirs = edited(design(), ACCENT, values={0: BLACK, 1: BLACK})
        settled = {ConflictKey("design", "theme", "accent.base", "in dark"): "ours"}
        result = merged(ours, theirs, answers=settled)
        assert members(result) == [("accent.base", "in light")]
        assert result.graph.tokens[ACCENT].values[:2] == (BLACK, GREEN)

    def test_true_is_not_one(self):
        base = edited(design(), SIZE, values={0: 1.0})
        ours = edited(base, SIZE, type="boolean", values={0: True})
        for both in (clean(ours, base, base), clean(base, ours, base)):
            assert both.tokens[SIZE].values[0] is True


class TestKinds:
    """SIZE is a number in every state but those that make a text of it."""

    def text(self, graph):
        said = {at: "large" for at, value in enumerate(graph.tokens[SIZE].values) if value is not None}
        return edited(graph, SIZE, type="string", values=said)

    @pytest.mark.parametrize("swap", [False, True])
    def test_another_kind_here_and_another_value_there_is_one_conflict_of_the_type(self, swap):
        sides = self.text(design()), edited(design(), SIZE, values={0: 9.0})
        found = merged(*(reversed(sides) if swap else sides))
        assert members(found) == [("gap", "type")]

    @pytest.mark.parametrize("side", ["ours", "theirs"])
    def test_the_answer_brings_the_type_with_all_of_its_values(self, side):
        ours, theirs = self.text(design()), edited(design(), SIZE, values={0: 9.0})
        held = {"ours": ours, "theirs": theirs}[side].tokens[SIZE]
        for answer in ({"always": side}, {"answers": {ConflictKey(*SIZE, "type"): side}}):
            token = merged(ours, theirs, **answer).graph.tokens[SIZE]
            assert (token.type, token.values) == (held.type, held.values)


class TestTargets:
    @pytest.mark.parametrize("swap", [False, True])
    def test_a_deletion_of_what_the_other_side_newly_refers_to_is_a_conflict(self, swap):
        base = with_tokens(design(), new("lonely", RED, RED, None, None, id="V:8", variable_key="k8"))
        lonely = key("Theme", "lonely")
        gone, refers = without(base, lonely), edited(base, TEXT, values={1: Alias(lonely)})
        ours, theirs = (refers, gone) if swap else (gone, refers)
        assert members(merged(ours, theirs, base)) == [("lonely", "existence")]
        kept = clean(ours, theirs, base, always="ours" if swap else "theirs")
        assert kept.tokens[TEXT].values[1] == Alias(lonely)
        assert kept.tokens[lonely].id == ("" if swap else "V:8")
        dropped = clean(ours, theirs, base, always="theirs" if swap else "ours")
        assert lonely not in dropped.tokens
        assert dropped.tokens[TEXT].values[1] == DanglingAlias("V:8")

    def test_so_it_is_with_a_token_of_a_collection_that_the_other_side_deleted(self):
        more = new("more", RED, RED, None, None, type="number", id="V:8", variable_key="k8")
        base = with_tokens(design(), more)
        theirs = TokenGraph((base.collections["design", "theme"],), without(base, SIZE).tokens.values())
        ours = edited(base, more.key, values={0: Alias(SIZE)})
        assert members(merged(ours, theirs, base)) == [("gap", "existence")]
        kept = clean(ours, theirs, base, always="ours")
        assert kept.tokens[more.key].values[0] == Alias(SIZE)
        assert kept.tokens[SIZE].id == kept.collections["design", "size"].id == ""


class TestTwoBases:
    """The lock holds a git conflict: a side is unchanged when it equals either of its sides."""

    def test_ours_equal_to_one_base_is_unchanged(self):
        newer = edited(design(), ACCENT, values={0: GREEN})
        assert clean(design(), newer, newer, design()) == newer
        assert clean(newer, design(), newer, design()) == design()

    def test_an_edit_against_both_bases_conflicts_with_theirs_only_when_that_is_new(self):
        newer, mine = edited(design(), ACCENT, values={0: GREEN}), edited(design(), ACCENT, values={0: BLACK})
        assert clean(mine, newer, newer, design()) == mine
        latest = edited(design(), ACCENT, values={0: WHITE})
        assert members(merged(mine, latest, newer, design())) == [("accent.base", "in light")]

    def test_a_token_that_one_base_lacks_is_not_deleted_by_who_lacks_it(self):
        more = with_tokens(design(), new("more", RED, RED, None, None, id="V:9"))
        assert clean(design(), more, more, design()) == more
        assert clean(more, design(), more, design()) == design()


class TestForeignTokens:
    def test_deleted_and_remote_tokens_are_as_the_platform_has_them(self):
        theirs = edited(design(), SIZE, origin="deleted", values={0: 8.0})
        assert clean(design(), theirs) == theirs
        ours = edited(design(), SIZE, values={0: 16.0})
        result = merged(ours, theirs)
        assert members(result) == [("gap", "existence")]
        mine = clean(ours, theirs, always="ours").tokens[SIZE]
        assert (mine.origin, mine.id, mine.values) == ("local", "", (16.0,))

    def test_a_withheld_token_is_edited_all_the_same(self):
        theirs = edited(design(), SIZE, origin="withheld")
        assert clean(design(), theirs) == theirs
        mine = clean(edited(design(), SIZE, values={0: 16.0}), theirs).tokens[SIZE]
        assert (mine.origin, mine.id, mine.values) == ("local", "V:3", (16.0,))
        assert clean(without(design(), SIZE), theirs) == theirs

    def test_a_library_variable_is_the_same_after_its_id_changed_with_a_publication(self):
        library = replace(design().collections["design", "size"], origin="remote", id="VariableCollectionId:k/1:1")
        base = TokenGraph(
            (design().collections["design", "theme"], library),
            (
                new("text", Alias(SIZE), RED, None, None, id="V:2"),
                new("gap", 4, of="size", type="number", origin="remote", id="VariableID:k3/1:1", variable_key="k3"),
            ),
        )
        theirs = TokenGraph(
            (base.collections["design", "theme"], replace(library, id="VariableCollectionId:k/2:2")),
            (base.tokens[TEXT], replace(base.tokens[SIZE], id="VariableID:k3/2:2", values=(8.0,))),
        )
        assert clean(base, theirs, base) == theirs
        edit = edited(base, TEXT, values={1: BLACK})
        assert clean(edit, theirs, base).tokens[TEXT].values[:2] == (Alias(SIZE), BLACK)


class TestKeysOfOtherFiles:
    def test_ids_of_another_file_are_hints_that_names_outweigh(self):
        theirs = TokenGraph(
            design().collections.values(),
            (
                new("text", RED, RED, None, None, id="V:1", variable_key="z1"),
                new("accent/base", alias("Theme", "text"), RED, None, None, id="V:2", variable_key="z2"),
                new("gap", 4, of="size", type="number", id="V:3", variable_key="z3", scopes=("GAP",)),
            ),
        )
        both = merged(design(), theirs, ids_count=False).graph
        assert {each.key.path: each.id for each in both.tokens.values()} == {
            "text": "V:1",
            "accent.base": "V:2",
            "gap": "V:3",
        }
        renamed_there = edited(renamed(theirs, SIZE, "space"), TokenKey("design", "size", "space"), variable_key="z9")
        assert merged(design(), renamed_there, ids_count=False).graph.tokens[key("Size", "space")].id == "V:3"
