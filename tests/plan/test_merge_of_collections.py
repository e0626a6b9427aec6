"""The merge of collections, extensions and modes, and their final names."""

from __future__ import annotations

import pytest
from graphs import collection, key, token
from msgspec.structs import replace
from plan.journeys import graph_of
from plan.library import NEW, Library
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
    with_collection,
    with_tokens,
    without,
)

from tokensync.plan.state import refs_of, state_of
from tokensync.tokens import Mode, TokenGraph

THEME = ("design", "theme")


def with_mode(of, name, value, number, *, extended=True):
    """The graph with a third mode of Theme, whose values are all this one; a number makes it the platform's."""
    slug = name.lower()

    def change(each):
        made = Mode(name=name, collection="theme", slug=slug, context=slug, id=f"1:{number}" if number else "")
        modes = [*each.modes[:2], made, *(replace(mode, parent=mode.parent) for mode in each.modes[2:])]
        if extended:
            follower = {"collection": "brand", "context": f"brand.{slug}", "parent": 2}
            modes.append(replace(made, **follower, id=f"X:1/1:{number}" if number else ""))
        return replace(each, modes=tuple(modes), extensions=(replace(each.extensions[0], default_mode=3),))

    changed = with_collection(of, "theme", change)

    def values(each):
        if each.key.collection != "theme":
            return each
        return replace(each, values=(*each.values[:2], value, *each.values[2:], *((None,) if extended else ())))

    return TokenGraph(changed.collections.values(), map(values, changed.tokens.values()))


def without_dark(of):
    """The graph without the mode Dark, in the extension too."""

    def change(each):
        return replace(
            each,
            modes=(each.modes[0], replace(each.modes[2], parent=0)),
            extensions=(replace(each.extensions[0], default_mode=1),),
        )

    changed = with_collection(of, "theme", change)
    return TokenGraph(
        changed.collections.values(),
        (
            replace(each, values=(each.values[0], each.values[2])) if each.key.collection == "theme" else each
            for each in changed.tokens.values()
        ),
    )


def without_brand(of):
    """The graph without the extension."""
    changed = with_collection(of, "theme", lambda each: replace(each, modes=each.modes[:2], extensions=()))
    return TokenGraph(
        changed.collections.values(),
        (
            replace(each, values=each.values[:2]) if each.key.collection == "theme" else each
            for each in changed.tokens.values()
        ),
    )


def without_size(of):
    """The graph without the second collection."""
    return TokenGraph((of.collections[THEME],), without(of, SIZE).tokens.values())


def libraries():
    """A collection with an extension, three times; what is added to each has ids of its own."""
    base = Library()
    root = base.add_collection("Theme", ["Light", "Dark"])
    base.add_variable(root, "gap", "FLOAT", [4, 8])
    base.add_extension("Brand", root)
    copies = (base.copy(), base.copy())
    for number, each in enumerate(copies):
        each.session = NEW + number
    return base, *copies


def valid(graph):
    """The graph, as a plan could use it: every ref is unique, and its state can be made."""
    refs = refs_of(graph)
    modes = [(family, mode) for family, own in refs.modes.items() for mode in own]
    assert len(set(modes)) == len(modes)
    state_of(graph, refs)
    return graph


class TestCollections:
    def test_a_new_collection_of_either_side_stays(self):
        more = collection("More")
        ours = TokenGraph((*design().collections.values(), more), (*design().tokens.values(), token(more, "x", RED)))
        theirs = with_collection(design(), "size", lambda each: replace(each, hidden=True))
        both = valid(clean(ours, theirs))
        assert list(both.collections) == [THEME, ("design", "size"), ("design", "more")]
        assert both.tokens[key("More", "x")].values == (RED,)
        assert clean(theirs, ours) == both

    def test_a_collection_that_is_renamed_there_keeps_its_folder(self):
        theirs = with_collection(design(), "size", lambda each: replace(each, name="Spacing", handle="spacing"))
        theirs = TokenGraph(
            [
                replace(each, modes=tuple(replace(mode, collection=each.handle) for mode in each.modes))
                if each.handle == "spacing"
                else each
                for each in theirs.collections.values()
            ],
            [
                replace(each, key=each.key._replace(collection="spacing")) if each.key == SIZE else each
                for each in theirs.tokens.values()
            ],
        )
        ours = edited(design(), SIZE, values={0: 8.0})
        result = merged(ours, theirs)
        both = valid(result.graph)
        assert both.collections["design", "size"].name == "Spacing"
        assert both.tokens[SIZE].values == (8.0,)
        assert SIZE in result.theirs.tokens
        assert clean(theirs, ours).collections["design", "spacing"].name == "Spacing"

    @pytest.mark.parametrize("swap", [False, True])
    def test_a_collection_that_one_side_deleted_is_deleted_unless_the_other_changed_it(self, swap):
        def sides(changed):
            gone = without_size(design())
            return (changed, gone) if swap else (gone, changed)

        assert ("design", "size") not in valid(clean(*sides(design()))).collections
        changes = (
            edited(design(), SIZE, values={0: 8.0}),
            with_collection(design(), "size", lambda each: replace(each, hidden=True)),
            with_tokens(design(), token(design().collections["design", "size"], "x", 1, type="number")),
        )
        for changed in changes:
            assert members(merged(*sides(changed))) == [("size", "existence")]
            kept = valid(clean(*sides(changed), always="ours" if swap else "theirs"))
            assert {each.path for each in kept.tokens if each.collection == "size"} == {
                each.path for each in changed.tokens if each.collection == "size"
            }
            assert bool(kept.collections["design", "size"].id) != swap
            assert SIZE not in clean(*sides(changed), always="theirs" if swap else "ours").tokens

    def test_names_and_visibility_merge_one_by_one(self):
        ours = with_collection(design(), "size", lambda each: replace(each, name="Sizes"))
        theirs = with_collection(design(), "size", lambda each: replace(each, hidden=True))
        size = clean(ours, theirs).collections["design", "size"]
        assert (size.name, size.hidden, size.handle) == ("Sizes", True, "size")
        other = with_collection(design(), "size", lambda each: replace(each, name="Space"))
        assert members(merged(ours, other)) == [("size", "name")]

    def test_a_token_that_went_to_another_collection_is_new_there(self):
        ours = without(design(), SIZE)
        theme = ours.collections[THEME]
        ours = with_tokens(ours, token(theme, "gap", 4, 4, None, None, type="number", id="V:3", variable_key="k3"))
        result = merged(ours, design())
        assert [each.code for each in result.problems] == ["token-changed-collection"]
        assert SIZE not in result.graph.tokens
        assert result.graph.tokens[key("Theme", "gap")].id == ""

    def test_a_deleted_default_mode_is_replaced_by_another(self):
        theirs = with_collection(design(), "theme", lambda each: replace(each, default_mode=1))
        assert clean(design(), theirs).collections[THEME].default_mode == 1
        result = merged(without_dark(design()), theirs)
        assert result.graph.collections[THEME].default_mode == 0


class TestModes:
    @pytest.mark.parametrize("swap", [False, True])
    def test_a_new_mode_of_one_side_brings_its_values(self, swap):
        more = with_mode(design(), "Dim", BLACK, 0 if swap else 7)
        sides = (more, design()) if swap else (design(), more)
        both = valid(clean(*sides))
        assert both == more

    @pytest.mark.parametrize("swap", [False, True])
    def test_a_token_of_another_kind_has_its_default_value_in_the_other_sides_new_mode(self, swap):
        texts = edited(design(), ACCENT, type="string", values={0: "red", 1: "blue", 3: "white"})
        more = with_mode(design(), "Dim", BLACK, 0 if swap else 7)
        sides = (more, texts) if swap else (texts, more)
        accent = valid(clean(*sides)).tokens[ACCENT]
        assert accent.type == "string"
        assert accent.values == ("red", "blue", "red", None, "white", None)

    def test_new_modes_of_both_sides_are_combined_with_those_of_extensions(self):
        ours = with_mode(design(), "Dim", BLACK, 0, extended=False)
        theirs = with_mode(design(), "Bright", WHITE, 7)
        both = valid(clean(ours, theirs))
        family = both.collections[THEME]
        assert [each.context for each in family.modes] == [
            "light", "dark", "bright", "dim", "brand.light", "brand.dark", "brand.bright", "brand.dim",
        ]  # fmt: skip
        assert [each.parent for each in family.modes[4:]] == [0, 1, 2, 3]
        assert both.tokens[TEXT].values[1:4] == (WHITE, WHITE, BLACK)
        assert len(both.tokens[TEXT].values) == 8

    def test_a_renamed_mode_keeps_its_values_its_file_and_its_followers_name(self):
        def renamed_modes(*, followers):
            def rename(each):
                return replace(
                    each,
                    modes=tuple(
                        replace(mode, name="Night")
                        if mode.name == "Dark" and (followers or mode.parent is None)
                        else mode
                        for mode in each.modes
                    ),
                )

            return with_collection(design(), "theme", rename)

        other = edited(design(), ACCENT, values={1: BLACK})
        both = valid(clean(renamed_modes(followers=False), other))
        family = both.collections[THEME]
        assert [each.name for each in family.modes] == ["Light", "Night", "Light", "Night"]
        assert family.modes[1].slug == "dark"
        assert both.tokens[ACCENT].values[1] == BLACK
        assert clean(other, renamed_modes(followers=True)) == both

    @pytest.mark.parametrize("swap", [False, True])
    def test_a_deleted_mode_is_deleted_unless_the_other_side_changed_a_value_in_it(self, swap):
        def sides(changed):
            gone = without_dark(design())
            return (changed, gone) if swap else (gone, changed)

        assert [each.context for each in valid(clean(*sides(design()))).collections[THEME].modes] == [
            "light",
            "brand.light",
        ]
        changed = edited(design(), ACCENT, values={1: BLACK})
        assert members(merged(*sides(changed))) == [("theme", "mode dark")]
        kept = valid(clean(*sides(changed), always="ours" if swap else "theirs"))
        assert kept.tokens[ACCENT].values[:2] == (RED, BLACK)
        assert kept.collections[THEME].modes[1].id == ("" if swap else "1:1")
        gone = valid(clean(*sides(changed), always="theirs" if swap else "ours"))
        assert len(gone.collections[THEME].modes) == 2

    def test_each_side_deletes_another_mode_and_an_answer_chooses_the_remaining_one(self):
        def without_light(of):
            family = of.collections[THEME]
            kept = replace(
                family,
                modes=(family.modes[1], replace(family.modes[3], parent=0)),
                extensions=(replace(family.extensions[0], default_mode=1),),
            )
            changed = with_collection(of, "theme", lambda each: kept)
            return TokenGraph(
                changed.collections.values(),
                (
                    replace(each, values=(each.values[1], each.values[3])) if each.key.collection == "theme" else each
                    for each in changed.tokens.values()
                ),
            )

        ours, theirs = without_dark(design()), without_light(design())
        assert members(merged(ours, theirs)) == [("theme", "mode dark")]
        for always, left in (("ours", ("Light", "")), ("theirs", ("Dark", "1:1"))):
            both = valid(clean(ours, theirs, always=always))
            assert [(each.name, each.id) for each in both.collections[THEME].modes if each.parent is None] == [left]


class TestExtensions:
    def test_an_override_is_merged_mode_by_mode_and_removed_by_either_side(self):
        ours = edited(design(), ACCENT, values={3: None})
        theirs = edited(design(), ACCENT, values={2: BLUE})
        assert clean(ours, theirs).tokens[ACCENT].values == (RED, BLUE, BLUE, None)
        assert clean(theirs, ours).tokens[ACCENT].values == (RED, BLUE, BLUE, None)

    @pytest.mark.parametrize("swap", [False, True])
    def test_a_deleted_extension_goes_unless_the_other_side_changed_an_override(self, swap):
        def sides(changed):
            gone = without_brand(design())
            return (changed, gone) if swap else (gone, changed)

        assert valid(clean(*sides(design()))).collections[THEME].extensions == ()
        changed = edited(design(), TEXT, values={2: BLACK})
        assert members(merged(*sides(changed))) == [("brand", "existence")]
        kept = valid(clean(*sides(changed), always="ours" if swap else "theirs"))
        assert kept.tokens[TEXT].values[2] == BLACK
        assert kept.collections[THEME].extensions[0].id == ("" if swap else "X:1")

    def test_a_new_extension_has_a_mode_for_each_of_its_parents(self):
        base = without_brand(design())
        both = valid(clean(design(), base, base))
        assert [each.context for each in both.collections[THEME].modes] == [
            "light",
            "dark",
            "brand.light",
            "brand.dark",
        ]
        assert both.collections[THEME].extensions[0].id == ""
        assert both.tokens[ACCENT].values[3] == WHITE

    @pytest.mark.parametrize("swap", [False, True])
    def test_a_deletion_of_an_extension_that_the_other_side_extends_is_a_conflict(self, swap):
        base, extending, without_it = libraries()
        (brand,) = extending.extensions()
        extending.add_extension("Sub", brand)
        without_it.remove_collection(without_it.extensions()[0]["id"])
        sides = [graph_of(each.response()) for each in (extending, without_it)]
        result = merged(*(reversed(sides) if swap else sides), graph_of(base.response()))
        assert members(result) == [("brand", "existence")]

    @pytest.mark.parametrize("swap", [False, True])
    def test_one_that_both_sides_made_below_different_parents_has_each_mode_once(self, swap):
        base, one, other = libraries()
        one.add_extension("Sub", one.extensions()[0])
        one.add_mode(one.roots()[0], "Touch")
        other.add_extension("Sub", other.roots()[0])
        sides = [graph_of(each.response()) for each in (one, other)]
        graph = valid(clean(*(reversed(sides) if swap else sides), graph_of(base.response())))
        (family,) = graph.collections.values()
        (sub,) = [each.handle for each in family.extensions if each.name == "Sub"]
        assert [each.name for each in family.modes if each.collection == sub] == ["Light", "Dark", "Touch"]

    def test_an_override_of_a_library_variable_is_ours_to_change_and_nothing_else_of_it(self):
        def foreign(of):
            changed = with_collection(of, "theme", lambda each: replace(each, origin="remote"))
            return TokenGraph(
                changed.collections.values(),
                (
                    replace(each, origin="remote") if each.key.collection == "theme" else each
                    for each in changed.tokens.values()
                ),
            )

        base = foreign(design())
        ours = foreign(edited(design(), ACCENT, values={0: BLACK, 3: BLACK}, description="mine"))
        theirs = foreign(edited(design(), ACCENT, values={1: WHITE}))
        accent = clean(ours, theirs, base).tokens[ACCENT]
        assert accent.values == (RED, WHITE, None, BLACK)
        assert accent.description == "Accent"


class TestTwoFamiliesOfOneName:
    def test_a_new_local_collection_is_not_the_librarys_of_the_same_handle(self):
        library = replace(design().collections["design", "size"], origin="remote")
        theirs = TokenGraph((design().collections[THEME], library), without(design(), SIZE).tokens.values())
        size = replace(collection("Size"), handle="size")
        ours = TokenGraph(
            (design().collections[THEME], size),
            (*without(design(), SIZE).tokens.values(), token(size, "gap", 4, type="number")),
        )
        both = valid(clean(ours, theirs, theirs))
        assert {key: each.origin for key, each in both.collections.items()} == {
            THEME: "local",
            ("design", "size"): "local",
            ("design", "size-2"): "remote",
        }
