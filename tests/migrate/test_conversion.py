"""Sources to graphs: which collection a token is in, its values, names, ids, and the ledger of what became of it."""

import pytest
from migrate.sources import source_of
from msgspec.structs import replace

from tokensync.migrate.conversion.graph import convert
from tokensync.migrate.conversion.mapping_file import propose
from tokensync.migrate.source import Location, Unread
from tokensync.tokens import Collection, Color, Composite, Mode, Token, TokenGraph, TokenKey, value_text

CORE = {"white": ("color", "#fff"), "black": ("color", "#000"), "space": ("dimension", "4px")}
MODES = {"m/Light": ["core", "light"], "m/Dark": ["core", "dark"]}


def migrated(sets, themes=None, *, present=None, change=lambda mapping: mapping):
    source = source_of(sets, themes)
    found = convert(source, change(propose(source)), "file", present)
    assert found.ledger.counts.is_balanced
    return found


def tokens(found):
    """The tokens of a conversion: collection/path to values as text."""
    return {
        f"{key.collection}/{key.path}": [None if each is None else value_text(each) for each in token.values]
        for key, token in found.graph.tokens.items()
    }


def lines(found, *kinds):
    return [f"{each.name}: {each.reason}" for each in found.ledger.lines if each.kind in (kinds or (each.kind,))]


def _layer(color):
    return {"x": 0, "y": 1, "blur": 2, "spread": 0, "color": color, "type": "dropShadow"}


class TestCollections:
    def test_a_token_is_in_the_collection_whose_modes_change_it_and_others_are_in_the_base(self):
        found = migrated({"core": CORE, "light": {"bg": "{white}"}, "dark": {"bg": "{black}"}}, MODES)
        assert tokens(found) == {
            "base/white": ["#ffffff"],
            "base/black": ["#000000"],
            "base/space": ["4"],
            "m/bg": ["{base.white}", "{base.black}"],
        }
        assert lines(found) == []

    def test_the_later_set_of_a_theme_wins(self):
        sets = {"core": {"x": ("number", 1)}, "light": {"x": ("number", 2)}, "dark": {"x": ("number", 3)}}
        found = migrated(sets, MODES)
        assert tokens(found) == {"m/x": ["2", "3"]}
        assert found.ledger.counts.tokens_reported == 1
        assert lines(found, "replaced") == [
            "x: the set 'light' replaces it (tokens.json:1), the set 'dark' replaces it (tokens.json:1)"
        ]

    def test_a_source_set_resolves_without_creating_and_its_tokens_stay_in_its_own_collection(self):
        found = migrated(
            {"core": CORE, "light": {"bg": "{white}"}, "dark": {"bg": "{black}"}},
            {"m/Light": ["core*", "light"], "m/Dark": ["core*", "dark"]},
        )
        assert tokens(found)["core/white"] == ["#ffffff"]
        assert tokens(found)["m/bg"] == ["{core.white}", "{core.black}"]

    def test_a_set_that_is_a_source_in_one_theme_and_enabled_in_another_has_its_value_in_both(self):
        sets = {"a": {"x": ("number", 1)}, "b": {"x": ("number", 2)}}
        assert tokens(migrated(sets, {"m/A": ["a*"], "m/B": ["a*", "b"]})) == {"m/x": ["1", "2"]}

    def test_a_set_of_no_theme_is_a_collection_and_its_own_tokens_come_first_for_its_aliases(self):
        sets = {"on": {"x": ("number", 1)}, "off": {"x": ("number", 2), "y": ("number", "{x}")}}
        found = migrated(sets, {"m/A": ["on"]})
        assert tokens(found) == {"m/x": ["1"], "off/x": ["2"], "off/y": ["{off.x}"]}

    def test_a_token_of_one_theme_only_is_reported_and_never_filled(self):
        found = migrated({"light": {"a": ("number", 1)}, "dark": {"a": ("number", 2), "only": ("color", "#f00")}},
                         {"m/Light": ["light"], "m/Dark": ["dark"]})  # fmt: skip
        assert tokens(found) == {"m/a": ["1", "2"]}
        assert lines(found, "reported") == ["only: it has no value in the mode Light of 'm'"]

    @pytest.mark.parametrize(("missing", "values"), [("first", ["#ff0000", "#ff0000"]), ("default", None)])
    def test_the_mapping_can_say_which_value_fills_a_mode(self, missing, values):
        def change(mapping):
            first, *others = mapping.collections
            return replace(mapping, collections=(replace(first, missing=missing), *others))

        sets = {"light": {"a": ("number", 1)}, "dark": {"a": ("number", 2), "only": ("color", "#f00")}}
        found = migrated(sets, {"m/Light": ["light"], "m/Dark": ["dark"]}, change=change)
        assert tokens(found).get("m/only") == values
        assert len(lines(found, "filled")) == (values is not None)

    def test_a_token_of_two_groups_is_in_the_first_and_the_others_are_named(self):
        sets = {each: {"x": ("number", at)} for at, each in enumerate("abcd")}
        found = migrated(sets, {"m/A": ["a"], "m/B": ["b"], "n/C": ["c"], "n/D": ["d"]})
        assert tokens(found) == {"m/x": ["0", "1"]}
        assert lines(found, "contested") == ["x: it is in 'm', and has other values in n"]
        assert [each.at for each in found.ledger.of("reported")] == [Location("tokens.json", 1)] * 2

    def test_an_alias_into_another_dimension_follows_its_modes(self):
        sets = {"a": {"x": ("number", 1)}, "b": {"x": ("number", 2)}, "c": {"y": "{x}"}, "d": {"y": ("number", 3)}}
        found = migrated(sets, {"m/A": ["a"], "m/B": ["b"], "n/C": ["c"], "n/D": ["d"]})
        assert tokens(found) == {"m/x": ["1", "2"], "n/y": ["{m.x}", "3"]}

    def test_an_alias_to_a_value_that_no_mode_of_the_target_has_is_flattened(self):
        sets = {
            **{each: {"x": ("number", at)} for at, each in enumerate("ab")},
            "own": {"x": ("number", 9)},
            "c": {"y": "{x}"},
            "d": {"y": ("number", 3)},
        }
        found = migrated(sets, {"m/A": ["a"], "m/B": ["b"], "n/C": ["own*", "c"], "n/D": ["d"]})
        assert tokens(found)["n/y"] == ["9", "3"]
        assert lines(found, "flattened") == ["y: {x} of 'm' has another value than in the theme 'C'"]

    def test_an_alias_to_a_shadow_stays_an_alias_in_token_files(self):
        low = ("boxShadow", [_layer("#000"), _layer("#fff")])
        found = migrated({"a": {"low": low, "card": ("boxShadow", "{low}"), "menu": ("boxShadow", "{card}")}})
        assert [tokens(found)[name] for name in ("all/card", "all/menu")] == [["{all.low}"], ["{all.card}"]]
        assert found.ledger.counts.aliases_written == 2
        assert lines(found, "reported", "flattened") == []

    def test_an_alias_to_a_shadow_of_another_mode_is_flattened(self):
        shadows = {name: {"low": ("boxShadow", _layer(color))} for name, color in (("a", "#000"), ("b", "#fff"))}
        found = migrated(
            {**shadows, "c": {"card": ("boxShadow", "{low}")}, "d": {"low": ("boxShadow", _layer("#f00"))}},
            {"m/A": ["a"], "m/B": ["b"], "n/C": ["d*", "c"]},
        )
        assert "[1,0,0]" in tokens(found)["n/card"][0]
        assert lines(found, "flattened") == ["card: {low} of 'm' has another value than in the theme 'C'"]

    def test_aliases_that_would_be_a_cycle_in_some_combination_of_modes_are_flattened(self):
        sets = {"a": {"x": "{y}"}, "b": {"x": ("number", 1)}, "c": {"y": "{x}"}, "d": {"y": ("number", 2)}}
        found = migrated(sets, {"m/A": ["a"], "m/B": ["b"], "n/C": ["c"], "n/D": ["d"]})
        assert tokens(found) == {"m/x": ["2", "1"], "n/y": ["1", "2"]}
        assert lines(found, "flattened") == [
            "x: {y} refers back to it in another combination of modes",
            "y: {x} refers back to it in another combination of modes",
        ]

    def test_1_and_true_are_different_values(self):
        found = migrated({"a": {"x": ("number", 1)}, "b": {"x": ("boolean", True)}}, {"m/A": ["a"], "m/B": ["b"]})
        assert lines(found, "reported")[0] == "x: its values have different types: number in A, boolean in B"


class TestNames:
    def test_names_that_clash_by_case_or_outer_spaces_are_settled(self):
        found = migrated({"core": dict.fromkeys(("a.Edge", "a.edge", "a.edge ", "a/b", "a.b"), ("number", 1))})
        assert [*tokens(found)] == ["all/a.Edge", "all/a.edge-2", "all/a.edge-3", "all/a.b", "all/a.b-2"]
        assert lines(found, "renamed") == [
            "a.edge: it is named a/edge-2",
            "a.edge : it is named a/edge-3",
            "a.b: it is named a/b-2",
        ]

    def test_a_name_that_is_too_long_is_cut_and_stays_distinct(self):
        long = "x" * 300
        found = migrated({"core": {f"{long}a": ("number", 1), f"{long}b": ("number", 2)}})
        names = [key.path for key in found.graph.tokens]
        assert len(set(names)) == 2
        assert max(map(len, names)) == 255

    def test_the_mapping_renames_tokens_and_groups_and_everything_that_refers_to_them(self):
        found = migrated(
            {"core": {"old.a": ("number", 1), "old.b": ("number", "{old.a}"), "c": ("number", "{old.b}")}},
            change=lambda mapping: replace(mapping, names={"old": "new", "old.b": "other.b"}),
        )
        assert tokens(found) == {"all/new.a": ["1"], "all/other.b": ["{all.new.a}"], "all/c": ["{all.other.b}"]}
        assert [(each.names, each.new.path) for each in found.renamed][1] == (("old", "b"), "other.b")

    def test_an_entry_of_the_mapping_without_effect_is_reported_with_the_nearest_name(self):
        found = migrated(
            {"core": {"space.small": ("number", 1)}},
            change=lambda mapping: replace(mapping, types={"space.smal": "dimension"}),
        )
        assert [(each.steps, each.what_to_do) for each in found.invalid] == [
            (("types", "space.smal"), 'use "space.small"')
        ]

    def test_a_type_of_the_mapping_decides_how_a_value_without_one_is_read(self):
        texts = {"core": {"ticket": ("", "#12345"), "face": ("", "Inter, serif"), "ink": ("color", "#12345")}}
        assert [each for each in lines(migrated(texts), "reported") if "looks like a colour" in each] == [
            "ticket: '#12345' looks like a colour, and cannot be read as one"
        ]
        types = {"ticket": "string", "face": "fontFamily", "ink": "string"}
        found = migrated(texts, change=lambda mapping: replace(mapping, types=types))
        assert {key.path: (each.type, each.values) for key, each in found.graph.tokens.items()} == {
            "ticket": ("string", ("#12345",)),
            "face": ("fontFamily", (Composite('["Inter","serif"]'),)),
        }

    def test_the_mapping_sets_types_scopes_and_code_syntax_and_skips_tokens(self):
        found = migrated(
            {"core": {"space.s": ("number", 1), "old.a": ("number", 1), "b": ("number", "{old.a}")}},
            change=lambda mapping: replace(
                mapping,
                types={"space.*": "dimension"},
                scopes={"space.*": ("GAP",)},
                code_syntax={"WEB": {"space.*": "var(--{name})"}},
                skip=("old.*",),
            ),
        )
        (space, other) = found.graph.tokens.values()
        assert (space.type, space.scopes, space.code_syntax) == ("dimension", ("GAP",), (("WEB", "var(--space-s)"),))
        assert other.values == (1.0,)
        assert lines(found) == ["old.a: the mapping skips it", "b: {old.a} is not migrated"]


SETS = {"core": CORE, "light": {"bg": "{white}"}, "dark": {"bg": "{black}"}}


def test_opacities_are_percentages_with_the_scopes_of_opacities():
    found = migrated({"core": {"half": ("opacity", "50%"), "same": ("opacity", "{half}"), "n": ("number", 5)}})
    scopes = {key.path: token.scopes for key, token in found.graph.tokens.items()}
    assert scopes == {"half": ("COLOR_OPACITY", "OPACITY"), "same": ("COLOR_OPACITY", "OPACITY"), "n": ()}
    assert tokens(found)["all/half"] == ["50"]


def test_scopes_that_a_variable_of_the_type_cannot_have_are_left_out_and_named():
    source = source_of({"a": {"x": ("string", "clamp(1rem, 2vw, 2rem)"), "y": ("color", "#fff")}})
    sets = [
        replace(each, scopes=scopes)
        for each, scopes in zip(
            source.sets[0].tokens, [("FONT_SIZE", "TEXT_CONTENT"), ("ALL_FILLS", "TEXT_FILL", "NEW")], strict=True
        )
    ]
    source = replace(source, sets=(replace(source.sets[0], tokens=tuple(sets)),))
    found = convert(source, propose(source), "file")
    assert [each.scopes for each in found.graph.tokens.values()] == [("TEXT_CONTENT",), ("ALL_FILLS", "NEW")]
    assert lines(found, "changed") == [
        "x: a STRING variable cannot have FONT_SIZE among the scopes FONT_SIZE, TEXT_CONTENT; it is left out",
        "y: a COLOR variable cannot have TEXT_FILL among the scopes ALL_FILLS, TEXT_FILL, NEW; it is left out",
    ]


def test_the_value_of_a_group_has_the_name_of_the_group():
    found = migrated({"core": {"a.$root": ("number", 1), "a.b": ("number", "{a}"), "c": ("number", "{a.$root}")}})
    assert tokens(found) == {"all/a": ["1"], "all/a.b": ["{all.a}"], "all/c": ["{all.a}"]}
    assert lines(found) == []


@pytest.mark.parametrize(("base", "pixels"), [(16.0, "24"), (10.0, "15"), ("{size.base}", "27")])
def test_rem_are_pixels_of_the_base_font_size_also_in_composites(base, pixels):
    sets = {
        "core": {
            "size.base": ("dimension", "18px"),
            "a": ("sizing", "1.5rem"),
            "t": ("typography", {"fontSize": "1.5rem"}),
        }
    }
    found = tokens(migrated(sets, change=lambda mapping: replace(mapping, base_font_size=base)))
    assert (found["all/a"], found["all/t.fontSize"]) == ([pixels], [pixels])


class TestPresent:
    def first(self):
        """A graph after a migration and a pull: every object has an id and a key."""
        graph = migrated(SETS, MODES).graph
        return TokenGraph(
            (replace(each, id=f"c:{each.handle}") for each in graph.collections.values()),
            (
                replace(each, id=f"v:{number}", variable_key=f"{number:040x}")
                for number, each in enumerate(graph.tokens.values())
            ),
        )

    def test_a_second_migration_changes_nothing(self):
        first = self.first()
        assert migrated(SETS, MODES, present=first).graph == first

    def test_a_variable_is_found_by_the_key_in_a_theme_and_renamed(self):
        first = self.first()
        key = first.tokens[next(each for each in first.tokens if each.path == "bg")].variable_key
        source = source_of({**SETS, "light": {"back": "{white}"}, "dark": {"back": "{black}"}}, MODES)
        themes = tuple(replace(each, keys={"back": key}) for each in source.themes)
        found = convert(replace(source, themes=themes), propose(source), "file", first)
        (renamed,) = [each for each in found.graph.tokens.values() if each.variable_key == key]
        assert renamed.key.path == "back"
        assert renamed.id == "v:0" or renamed.id.startswith("v:")
        assert len(found.graph.tokens) == len(first.tokens)
        assert found.moved[renamed.key].path == "bg"

    def test_a_token_with_a_stored_key_stays_in_the_collection_of_its_variable(self):
        first = self.first()
        sets = {"core": CORE, "light": {"bg": "{white}"}, "dark": {"bg": "{white}"}}
        key = next(each.variable_key for each in first.tokens.values() if each.key.path == "bg")
        source = source_of(sets, MODES)
        source = replace(source, themes=tuple(replace(each, keys={"bg": key}) for each in source.themes))
        found = convert(source, propose(source), "file", first)
        assert tokens(found)["m/bg"] == ["{base.white}", "{base.white}"]

    def test_two_ungrouped_themes_that_were_exported_as_two_collections_keep_the_first_and_name_the_other(self):
        themes = {"Light": ["light"], "Dark": ["dark"]}
        sets = {"light": {"bg": ("color", "#fff")}, "dark": {"bg": ("color", "#000")}}
        exported = TokenGraph(
            (
                Collection(file="file", handle=each, name=each.title(), id=f"c:{each}", modes=(mode,))
                for each in ("light", "dark")
                for mode in (Mode(name=each.title(), collection=each, slug=each, context=each, id=f"m:{each}"),)
            ),
            (
                Token(
                    key=TokenKey("file", each, "bg"),
                    type="color",
                    values=(Color(1, 1, 1),),
                    id=f"v:{each}",
                    variable_key=each * 8,
                )
                for each in ("light", "dark")
            ),
        )
        source = source_of(sets, themes)
        keyed = tuple(replace(each, keys={"bg": each.name.lower() * 8}) for each in source.themes)
        source = replace(source, themes=keyed)
        found = convert(source, propose(source), "file", exported)
        assert tokens(found) == {"light/bg": ["#ffffff", "#000000"], "dark/bg": ["#ffffff"]}
        assert found.graph.tokens["file", "light", "bg"].id == "v:light"
        assert lines(found, "left") == ["bg: the variable bg of 'Dark' was this token, too; it stays as it is"]

    def test_a_token_that_no_mode_changes_stays_where_the_design_file_has_it_by_name(self):
        key = TokenKey("file", "m", "white")
        modes = tuple(
            Mode(name=each, collection="m", slug=each.lower(), context=each.lower()) for each in ("Light", "Dark")
        )
        exported = TokenGraph(
            [Collection(file="file", handle="m", name="m", id="c:m", modes=modes)],
            [Token(key=key, type="color", values=(Color(1, 1, 1), Color(1, 1, 1)), id="v:1")],
        )
        found = migrated(SETS, MODES, present=exported)
        assert tokens(found)["m/white"] == ["#ffffff", "#ffffff"]
        assert "base/white" not in tokens(found)
        assert tokens(found)["m/bg"] == ["{m.white}", "{base.black}"]

    def test_a_renamed_collection_is_found_by_the_keys_of_its_variables(self):
        first = self.first()
        renamed = TokenGraph(
            (replace(each, name=f"New {each.name}") for each in first.collections.values()), first.tokens.values()
        )
        keys = {token.key.path: token.variable_key for token in first.tokens.values()}
        source = source_of(SETS, MODES)
        source = replace(source, themes=tuple(replace(each, keys=keys) for each in source.themes))
        assert convert(source, propose(source), "file", renamed).graph == renamed

    def test_a_key_of_a_deleted_variable_creates_a_new_one(self):
        source = source_of(SETS, MODES)
        keyed = replace(source, themes=tuple(replace(each, keys={"bg": "f" * 40}) for each in source.themes))
        assert convert(keyed, propose(keyed), "file").graph == migrated(SETS, MODES).graph

    def test_other_variables_of_the_design_file_are_kept(self):
        first = self.first()
        found = migrated({"core": {"white": ("color", "#eee")}}, {"base/x": ["core"]}, present=first)
        assert found.graph.tokens.keys() == first.tokens.keys()
        assert tokens(found)["base/white"] == ["#eeeeee"]

    def test_numbered_names_are_found_again(self):
        sets = {"core": {"a": ("number", 1), "A": ("number", 2)}}
        first = migrated(sets).graph
        assert migrated(sets, present=first).graph == first
        assert [key.path for key in first.tokens] == ["a", "A-2"]

    def test_a_new_theme_is_a_new_mode_of_the_present_collection(self):
        sets = {**SETS, "dim": {"bg": ("color", "#333")}}
        found = migrated(sets, {**MODES, "m/Dim": ["core", "dim"]}, present=self.first())
        assert tokens(found)["m/bg"] == ["{base.white}", "{base.black}", "#333333"]
        assert found.graph.collections["file", "m"].id == "c:m"


class TestLedger:
    def test_every_outcome_is_counted_and_has_a_line(self):
        sets = {
            "core": {
                "white": ("color", "#fff"),
                "alias": ("color", "{white}"),
                "half": ("color", "rgba({white}, 0.5)"),
                "size": ("dimension", "4px"),
                "double": ("dimension", "{size} * 2"),
                "bad": ("color", "{nothing}"),
                "text": ("typography", {"fontFamily": "Inter", "fontSize": "{size}"}),
            }
        }
        source = source_of(sets)
        source = replace(source, unread=(Unread(Location("b.json", 3), "x", "the value is empty"),))
        found = convert(source, propose(source), "file")
        counts = found.ledger.counts
        assert (counts.tokens_read, counts.tokens_migrated, counts.tokens_reported) == (8, 6, 2)
        assert (counts.aliases_read, counts.aliases_written, counts.aliases_composed) == (5, 2, 1)
        assert (counts.aliases_flattened, counts.aliases_reported) == (1, 1)
        assert {each.kind for each in found.ledger.lines} >= {"unread", "flattened", "reported", "lowered"}
        assert tokens(found)["all/half"] == ["{all.white} at 50 %"]
        assert tokens(found)["all/text.fontSize"] == ["{all.size}"]

    def test_a_name_keeps_its_value_if_code_gets_the_value_of_the_source(self):
        sets = {
            "core": {
                "white": ("color", "#fff"),
                "families": ("fontFamily", ["Inter", "Arial"]),
                "wide": ("color", "color(display-p3 0 1 0)"),
                "text": ("typography", {"fontSize": "4px", "lineHeight": "AUTO"}),
                "bad": ("color", "{nothing}"),
            }
        }
        source = replace(source_of(sets), unread=(Unread(Location("b.json", 3), "x", "it is no token"),))
        counts = convert(source, propose(source), "file").ledger.counts
        assert (counts.names_kept, counts.names) == (2, 6)

    def test_a_negative_number_without_a_type_is_a_length_beside_lengths_in_pixels(self):
        spacings = {"tight": -0.5, "snug": "-0.50", "wide": "0.5px"}
        sets = {"core": {f"{group}.{name}": ("", value) for group in ("a", "b") for name, value in spacings.items()}}
        sets["core"]["b.wide"] = ("", "wide")
        found = migrated(sets)
        types = {token.key.path: token.type for token in found.graph.tokens.values()}
        assert (types["a.tight"], types["a.snug"], types["b.tight"]) == ("dimension", "dimension", "number")

    def test_the_words_of_a_note_do_not_decide_whether_a_value_is_kept(self):
        found = migrated({"core": {"fonts": ("fontFamily", ["It is read as", "Arial"])}})
        (note,) = found.ledger.of("changed")
        assert "is read as" in note.reason
        assert (found.ledger.counts.names_kept, found.ledger.counts.names) == (1, 1)

    def test_a_line_is_a_problem_with_file_and_line(self):
        found = migrated({"core": {"a.b": ("color", "{c}")}})
        (problem,) = found.ledger.problems()
        assert problem.where == "tokens.json:1 (#/a/b)"
        assert "there is no such token" in problem.what

    def test_nothing_is_filled_when_a_target_is_reported_after_it_was_found(self):
        sets = {"core": {"a": ("color", "#fff"), "b": ("color", "{a}")}}
        found = migrated(sets, change=lambda mapping: replace(mapping, types={"a": "dimension"}))
        assert tokens(found) == {"all/b": ["#ffffff"]}
        assert lines(found) == ["a: the value is no dimension", "b: {a} is not migrated"]


@pytest.mark.parametrize("number", ["2147483647", "1e39"])
def test_a_number_that_variables_cannot_store_is_reported(number):
    found = migrated({"core": {"layer": ("number", float(number)), "top": "{layer}"}})
    assert tokens(found) == {}
    assert all("variables are 32-bit floats" in each or "not migrated" in each for each in lines(found, "reported"))
    assert found.ledger.counts.tokens_reported == 2
