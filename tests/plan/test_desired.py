"""Conversion of merged graphs to variables: values, scopes, modes of extensions, and reports."""

from __future__ import annotations

import json

import pytest
from corpus.building import CORPUS, NO_CORPUS
from design_file import collection as listed
from design_file import extension, graph_of, variable
from design_file import response as answered
from emulator.platform import response
from graphs import alias, collection, color, graph, key, token
from msgspec.structs import replace

from tokensync.extract.wire import snapshot
from tokensync.normalize.graph import normalize
from tokensync.normalize.mapping import TypeRule, TypeRules
from tokensync.plan.desired import desired
from tokensync.plan.differ import differences
from tokensync.plan.operations import CreateVariable, DeleteVariable
from tokensync.plan.state import state_of
from tokensync.plan.validation import validate
from tokensync.tokens import Alias, Composite, Quantity, TokenGraph, TokenKey

THEME = collection("Theme", "Light", "Dark")
SIZES = collection("Sizes")
NOTHING = TokenGraph((), ())
RED, BLUE = color("#ff0000"), color("#0000ff")


def place(at, context):
    return f"{at} in {context}"


def aim(*parts, theirs=NOTHING, **options):
    return desired(graph(*parts), theirs, location_of=place, **options)


def only(result):
    (made,) = result.graph.tokens.values()
    return made


def kept(of, name, *values, **rest):
    """A token of the platform."""
    return token(of, name, *values, id=f"VariableID:{name}", variable_key=f"key-{name}", **rest)


def known(of):
    """A collection of the platform."""
    modes = tuple(replace(each, id=f"1:{number}") for number, each in enumerate(of.modes))
    return replace(of, id=f"VariableCollectionId:{of.handle}", modes=modes)


@pytest.mark.parametrize("name", ["moon", "primer", "sds", "synthetic"])
def test_a_pulled_graph_is_the_desired_graph(name):
    found = sorted(CORPUS.glob(f"{name}*local*.json"))
    if not found:
        pytest.skip(NO_CORPUS)
    pulled, _ = normalize(snapshot("kit", found[0].read_bytes()))
    result = desired(pulled, pulled, location_of=place)
    assert (result.problems, result.notes, result.retyped) == ((), (), {})
    before, after = state_of(pulled), state_of(result.graph)
    assert differences(before, after) == ()
    assert validate(before, after, (), place) == ()


def test_a_library_with_extensions_is_its_own_desired_graph():
    pulled, _ = normalize(snapshot("kit", json.dumps(response()).encode()))
    assert desired(pulled, pulled, location_of=place).graph == pulled


def at_path(of, path):
    return replace(of, key=of.key._replace(path=path))


class TestNames:
    @pytest.mark.parametrize("path", ["a/b", "a%2Fb", "spacing.1/2", "plain%41", "end/"])
    def test_a_new_name_that_a_pull_brings_back_at_another_path_is_an_error(self, path):
        (problem,) = aim(SIZES, at_path(token(SIZES, "made", 1.0), path)).problems
        assert problem.code == "plan-name-path"

    @pytest.mark.parametrize("path", ["a.b", "a%2Eb", "50%", "end.%00"])
    def test_every_name_that_a_pull_writes_may_be_planned(self, path):
        assert aim(SIZES, at_path(token(SIZES, "made", 1.0), path)).problems == ()

    def test_a_variable_that_is_not_renamed_may_have_such_a_path(self):
        of = known(SIZES)
        there = kept(of, "a/b", 1.0)
        assert aim(of, at_path(there, "a/b"), theirs=graph(of, there)).problems == ()


class TestValues:
    def test_a_rem_becomes_16_px(self):
        of = token(SIZES, "gap", Quantity(1.5, "rem"), type="dimension", scopes=("GAP",))
        result = aim(SIZES, of)
        assert only(result).values == (24.0,)
        assert result.notes == ("1 rem is converted to 16 px: sizes / gap",)

    @pytest.mark.parametrize(
        ("kind", "value"),
        [
            ("dimension", Quantity(3e38, "rem")),
            ("fontFamily", Composite("[]")),
            ("fontFamily", Composite('["{a.b}"]', (("{a.b}", key("Sizes", "gap")),))),
        ],
    )
    def test_a_new_token_that_cannot_be_a_variable_is_omitted_and_reported(self, kind, value):
        result = aim(SIZES, token(SIZES, "odd", value, type=kind))
        assert result.graph.tokens == {}
        (found,) = result.problems
        assert (found.severity, found.code, found.where) == ("warning", "token-left-out", "sizes / odd in value")

    def test_such_a_value_of_an_existing_token_is_an_error_with_a_placeholder(self):
        was = kept(known(SIZES), "font", "Inter", type="fontFamily", scopes=("FONT_FAMILY",))
        now = replace(was, values=(Composite("[1]"),))
        result = aim(known(SIZES), now, theirs=graph(known(SIZES), was))
        (found,) = result.problems
        assert (found.severity, found.code) == ("error", "token-inexpressible")
        assert now.key in result.graph.tokens

    def test_a_list_of_one_font_is_that_font(self):
        assert only(aim(SIZES, token(SIZES, "font", Composite('["Inter"]'), type="fontFamily"))).values == ("Inter",)

    def test_a_variable_holds_the_first_font_of_a_list(self):
        result = aim(SIZES, token(SIZES, "font", Composite('["Inter","serif"]'), type="fontFamily"))
        assert only(result).values == ("Inter",)
        what = "its variable holds the first font of its list, and code has all of them"
        assert (result.notes, result.problems) == ((f"{what}: sizes / font",), ())

    def test_a_length_that_would_not_come_back_is_not_converted(self):
        result = aim(SIZES, token(SIZES, "gap", Quantity(0.12345678912, "rem"), type="dimension"))
        assert [each.code for each in result.problems] == ["token-left-out"]

    def test_new_tokens_that_refer_to_such_a_one_stay_with_it_to_any_depth(self):
        result = aim(
            SIZES,
            token(SIZES, "third", alias("Sizes", "second"), type="fontFamily"),
            token(SIZES, "second", alias("Sizes", "first"), type="fontFamily"),
            token(SIZES, "first", Composite("[1]"), type="fontFamily"),
            token(SIZES, "other", "Inter", type="fontFamily"),
        )
        assert [each.path for each in result.graph.tokens] == ["other"]
        assert [each.code for each in result.problems] == ["token-left-out"] * 3

    def test_composites_are_counted_by_type_with_the_location_of_the_first(self):
        shadows = [token(SIZES, f"s{n}", Composite("{}"), type="shadow") for n in range(3)]
        result = aim(SIZES, *shadows, token(SIZES, "fast", Quantity(200.0, "ms"), type="duration"))
        assert [(each.severity, each.where, each.what) for each in result.problems] == [
            (
                "note",
                "sizes / s0 in None",
                "a shadow token cannot be a variable; nor can 2 more of this type",
            ),
            ("note", "sizes / fast in None", "a duration token cannot be a variable"),
        ]
        assert state_of(result.graph).variables == {}

    def test_a_conversion_without_effect_has_no_note(self):
        was = kept(known(SIZES), "gap", 24.0, type="dimension", scopes=("GAP",))
        now = replace(was, values=(Quantity(1.5, "rem"),))
        assert aim(known(SIZES), now, theirs=graph(known(SIZES), was)).notes == ()


class TestModes:
    def test_a_new_token_has_the_default_modes_value_in_modes_without_one(self):
        result = aim(THEME, token(THEME, "accent", RED, None))
        assert only(result).values == (RED, RED)
        assert result.notes == ("the default mode's value is used in modes without a value: theme / accent",)

    def test_an_extension_inherits_modes_that_the_token_files_omit(self):
        branded = collection("Theme", "Light", "Dark", extensions=[("Brand", "Theme")])
        assert only(aim(branded, token(branded, "accent", RED, None))).values == (RED, RED, None, None)

    def test_a_new_mode_holds_the_default_modes_values_of_what_exists(self):
        was = known(THEME)
        accent = kept(was, "accent", RED, BLUE)
        wider = replace(was, modes=(*was.modes, replace(was.modes[1], name="High", slug="high", context="high", id="")))
        result = aim(wider, replace(accent, values=(RED, BLUE, None)), theirs=graph(was, accent))
        assert only(result).values == (RED, BLUE, RED)

    def test_a_value_that_the_files_have_no_more_is_not_made_up(self):
        was = known(THEME)
        accent = kept(was, "accent", RED, BLUE)
        result = aim(was, replace(accent, values=(RED, None)), theirs=graph(was, accent))
        before, after = state_of(graph(was, accent)), state_of(result.graph)
        assert [each.code for each in validate(before, after, differences(before, after), place)] == [
            "plan-value-absent"
        ]


class TestScopes:
    @pytest.mark.parametrize(("kind", "value"), [("color", RED), ("string", "a"), ("boolean", True), ("number", 1.0)])
    def test_a_new_token_without_scopes_gets_all_scopes(self, kind, value):
        assert only(aim(SIZES, token(SIZES, "new", value, type=kind))).scopes == ("ALL_SCOPES",)

    @pytest.mark.parametrize(("kind", "value"), [("dimension", 4.0), ("fontWeight", 400.0), ("fontFamily", "Inter")])
    def test_a_type_that_scopes_tell_is_read_back_as_that_type(self, kind, value):
        scopes = only(aim(SIZES, token(SIZES, "new", value, type=kind))).scopes
        resolved = "STRING" if kind == "fontFamily" else "FLOAT"
        assert TypeRules().type_of(resolved, scopes, "new", "Sizes") == kind
        assert "FONT_STYLE" not in scopes

    def test_a_teams_own_rule_that_looks_at_names_needs_no_scopes(self):
        rules = TypeRules((TypeRule(type="dimension", resolved_type="FLOAT", path="space/*"),))
        assert only(aim(SIZES, token(SIZES, "space/s", 4.0, type="dimension"), rules=rules)).scopes == ("ALL_SCOPES",)

    def test_explicit_scopes_stay_and_a_type_that_they_do_not_imply_is_noted(self):
        made = token(SIZES, "gap", 4.0, type="dimension", scopes=("OPACITY",))
        result = aim(SIZES, made)
        assert only(result).scopes == ("OPACITY",)

    def test_a_type_that_changes_within_the_platforms_type_keeps_the_variable(self):
        was = kept(known(SIZES), "ratio", 4.0, type="number", scopes=("ALL_SCOPES",))
        result = aim(known(SIZES), replace(was, type="dimension"), theirs=graph(known(SIZES), was))
        assert only(result).id == was.id and result.retyped == {}
        assert result.notes == (
            "only the token files have the type dimension, since scopes, aliases and names do not imply it: "
            "sizes / ratio",
        )


class TestTypes:
    def test_another_type_on_the_platform_is_a_new_variable_and_both_are_known(self):
        was = kept(known(SIZES), "gap", 4.0, type="number", scopes=("GAP",))
        now = replace(was, type="string", values=("four",))
        theirs = graph(known(SIZES), was)
        result = aim(known(SIZES), now, theirs=theirs)
        assert result.retyped == {was.id: "variable:sizes/gap"}
        assert only(result).scopes == ("ALL_SCOPES",)
        operations = differences(state_of(theirs), state_of(result.graph))
        assert [type(each) for each in operations] == [CreateVariable, DeleteVariable]

    def test_a_length_by_its_name_keeps_all_scopes_when_its_type_on_the_platform_changes(self):
        was = kept(known(SIZES), "gap/s", "four", type="string", scopes=("ALL_SCOPES",))
        now = replace(was, type="dimension", values=(4.0,))
        assert only(aim(known(SIZES), now, theirs=graph(known(SIZES), was))).scopes == ("ALL_SCOPES",)


class TestReferences:
    def test_a_token_of_another_file_is_referred_to_by_its_remote_variable_here(self):
        library = collection("Library", origin="remote")
        there = TokenKey("other", "palette", "red")
        logo = replace(token(library, "logo", RED), id="VariableID:abc/1:1", variable_key="abc")
        result = aim(
            THEME,
            library,
            logo,
            token(THEME, "accent", Alias(there), RED),
            theirs=graph(library, logo),
            keys_elsewhere={there: "abc"},
        )
        assert result.problems == ()
        assert result.graph.tokens[key("Theme", "accent")].values[0] == Alias(logo.key)

    def test_a_remote_token_that_the_file_does_not_use_is_an_error_with_its_location(self):
        there = TokenKey("other", "palette", "red")
        result = aim(THEME, token(THEME, "accent", RED, Alias(there)), keys_elsewhere={there: "abc"})
        (found,) = result.problems
        assert (found.severity, found.where) == ("error", "theme / accent in dark")


def test_code_syntax_is_added_to_existing_code_syntax():
    of = token(THEME, "accent", RED, code_syntax=(("ANDROID", "accent"), ("WEB", "old")))
    result = aim(THEME, of, code_syntax={of.key: {"WEB": "var(--accent)", "iOS": "Theme.accent"}})
    assert only(result).code_syntax == (("ANDROID", "accent"), ("WEB", "var(--accent)"), ("iOS", "Theme.accent"))


class TestExtensions:
    ROOT = listed("VariableCollectionId:1:1")
    BRAND = extension("VariableCollectionId:2:1", "Brand", ROOT, {"VariableID:1:2": (..., {"r": 1, "g": 0, "b": 0})})
    REGION = extension("VariableCollectionId:3:1", "Region", BRAND)
    ACCENT = variable("VariableID:1:2", "accent", ROOT, "COLOR", [{"r": 0, "g": 0, "b": 0}] * 2)
    THEIRS = graph_of(answered([ROOT, BRAND, REGION], [ACCENT]))[0]

    def changed(self, **members):
        (family,) = self.THEIRS.collections.values()
        return TokenGraph([replace(family, **members)], self.THEIRS.tokens.values()), family

    def operations(self, wanted):
        result = desired(wanted, self.THEIRS, location_of=place)
        before, after = state_of(self.THEIRS), state_of(result.graph)
        operations = differences(before, after)
        assert validate(before, after, operations, place) == ()
        return operations

    def test_their_modes_are_called_as_the_roots(self):
        _, family = self.changed()
        modes = (replace(family.modes[0], name="Day"), *family.modes[1:])
        wanted, _ = self.changed(modes=modes)
        result = desired(wanted, self.THEIRS, location_of=place)
        assert [each.name for each in result.graph.collections[family.key].modes] == ["Day", "Dark"] * 3
        assert [type(each).__name__ for each in self.operations(wanted)] == ["RenameMode"]

    def test_a_mode_without_a_file_has_no_overrides_and_retains_its_id(self):
        _, family = self.changed()
        left = [0, 1, 2]  # the root's modes, and one of the first extension
        tokens = [replace(each, values=tuple(each.values[at] for at in left)) for each in self.THEIRS.tokens.values()]
        modes = tuple(family.modes[at] for at in left)
        extensions = tuple(replace(each, default_mode=min(each.default_mode, 2)) for each in family.extensions)
        wanted = TokenGraph([replace(family, modes=modes, extensions=extensions)], tokens)
        (operation,) = self.operations(wanted)
        assert (operation.variable, operation.mode, operation.after) == (
            "VariableID:1:2",
            "VariableCollectionId:2:1/m1",
            None,
        )

    def test_a_new_mode_of_the_root_is_one_of_every_extension(self):
        _, family = self.changed()
        new = replace(family.modes[1], name="High", slug="high", context="high", id="")
        tokens = [replace(each, values=(*each.values, each.values[0])) for each in self.THEIRS.tokens.values()]
        wanted = TokenGraph([replace(family, modes=(*family.modes, new))], tokens)
        (made,) = self.operations(wanted)
        assert made.extended == (
            ("VariableCollectionId:2:1", "mode:brand/high"),
            ("VariableCollectionId:3:1", "mode:region/high"),
        )

    def test_a_new_extension_needs_no_modes_and_its_default_follows(self):
        _, family = self.changed()
        made = replace(family.extensions[0], handle="acme", name="Acme", id="", collection_key="", default_mode=0)
        wanted, _ = self.changed(extensions=(*family.extensions, made))
        (operation,) = self.operations(wanted)
        assert operation.parent == "VariableCollectionId:1:1"
        assert [(each.name, each.parent) for each in operation.modes] == [("Light", "m0"), ("Dark", "m1")]
