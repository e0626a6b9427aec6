"""Font weights stored as text: how an edited one is written, and how they merge."""

from __future__ import annotations

import pytest
from graphs import alias, collection, color, graph, key, token
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from plan.merges import clean, edited, merged, with_ids

from tokensync.normalize.mapping import TypeRules
from tokensync.plan.conflicts import ConflictKey
from tokensync.plan.desired import desired
from tokensync.plan.differ import differences
from tokensync.plan.merging import merge
from tokensync.plan.operations import SetValue
from tokensync.plan.state import state_of
from tokensync.tokens import TokenGraph
from tokensync.tokens.values import AS_TEXT, USUAL_NAMES, WeightTexts, font_style

TYPE = with_ids(collection("Type", "Light", "Dark"), 1)
STYLE = ("FONT_STYLE",)
BOLD = key("Type", "bold")


def place(at, context):
    return f"{at} in {context}"


def weight(name, *values, **rest):
    """A token of the platform."""
    return token(TYPE, name, *values, type=AS_TEXT, scopes=STYLE, id=f"V:{name}", variable_key=f"k{name}", **rest)


def planned(theirs, **edits):
    """The (name, value) pairs that are sent for changed tokens."""
    ours = TokenGraph(
        theirs.collections.values(),
        (replace(each, values=edits.get(each.key.path, each.values)) for each in theirs.tokens.values()),
    )
    result = desired(ours, theirs, location_of=place)
    assert result.problems == ()
    operations = differences(state_of(theirs), state_of(result.graph))
    assert all(isinstance(each, SetValue) for each in operations)
    return [(each.variable.removeprefix("V:"), each.after) for each in operations]


class TestHowAFileWritesAWeight:
    @pytest.mark.parametrize(
        ("texts", "weight", "written"),
        [
            ([], 600.0, "Semi Bold"),
            (["Bold", "Regular"], 600.0, "Semi Bold"),
            (["bold", "regular"], 600.0, "semi bold"),
            (["BOLD", "Regular", "LIGHT"], 800.0, "EXTRA BOLD"),
            (["SemiBold", "Bold"], 800.0, "ExtraBold"),
            (["Semibold", "Bold"], 800.0, "Extrabold"),
            (["semi-bold"], 200.0, "extra-light"),
            (["semi-bold"], 500.0, "medium"),
            (["semiBold", "Bold", "Regular", "Light"], 500.0, "Medium"),
            (["semiBold", "Bold", "Regular", "Light"], 900.0, "Black"),
            (["semiBold", "Bold", "Regular", "Light"], 800.0, "extraBold"),
            (["Semi Bold", "Extra Bold", "light"], 700.0, "bold"),
            (["100", "light"], 900.0, "black"),
            (["Semi_Bold", "Extra Bold", "Ultra Light"], 950.0, "Extra Black"),
            (["Demi Bold", "Demi Bold", "Semi Bold"], 600.0, "Demi Bold"),
            (["Heavy"], 900.0, "Heavy"),
            (["SemiBoldItalic"], 800.0, "ExtraBold"),
            (["Italic"], 400.0, "Regular"),
            (["400", "700"], 600.0, "600"),
            (["400", "700"], 650.0, "650"),
            (["400", "Bold", "Light"], 600.0, "Semi Bold"),
            (["Condensed", "", "\ud800"], 700.0, "Bold"),
        ],
    )
    def test_as_its_other_texts_are_written(self, texts, weight, written):
        assert WeightTexts(texts).text(weight) == written

    @pytest.mark.parametrize(
        ("texts", "before", "weight", "written"),
        [
            (["Bold"], "Semi Bold Italic", 700.0, "Bold Italic"),
            (["BoldItalic"], "SemiBoldItalic", 800.0, "ExtraBoldItalic"),
            (["Bold", "Bold Oblique"], "Bold Italic", 300.0, "Light Italic"),
            (["Italic", "Bold"], "Bold Italic", 400.0, "Italic"),
            (["Bold"], "Bold Italic", 400.0, "Regular Italic"),
            (["Bold"], "Italic", 700.0, "Bold Italic"),
            (["Bold-Italic"], "Italic", 300.0, "Light-Italic"),
            (["bold"], "oblique", 700.0, "bold oblique"),
            (["semiBold", "Bold"], "Italic", 300.0, "LightItalic"),
            (["400 Italic"], "700 Italic", 500.0, "500 Italic"),
        ],
    )
    def test_what_is_italic_stays_italic(self, texts, before, weight, written):
        assert WeightTexts([*texts, before]).text(weight, before) == written

    @pytest.mark.parametrize("before", ["SemiBold", "semi_bold", "Demi Bold Italic", "600"])
    def test_a_text_that_already_has_the_weight_stays(self, before):
        assert WeightTexts(["Semi Bold"]).text(600.0, before) == before

    @pytest.mark.parametrize("weight", [450.0, 600.5, 1.0, 1000.0])
    def test_a_weight_without_a_name_has_no_text_among_names(self, weight):
        assert WeightTexts(["Bold"]).text(weight) is None

    @given(
        st.lists(
            st.sampled_from(["Bold", "SemiBold", "extra light italic", "ULTRA-BOLD", "Oblique", "350"]) | st.text()
        ),
        st.sampled_from(["", "Bold", "Light Italic", "Oblique", "black-oblique", "Roman"]),
        st.sampled_from(sorted(map(float, USUAL_NAMES))),
    )
    def test_what_is_written_is_read_as_the_weight_and_the_slant(self, texts, before, weight):
        style = font_style(before)
        written = WeightTexts(texts).text(weight, before)
        assert font_style(written) == (weight, "" if style is None else style.slant)


class TestPlans:
    def test_a_number_is_sent_as_the_file_writes_it_and_an_untouched_text_is_not(self):
        theirs = graph(TYPE, weight("bold", "Bold", "ExtraBold"), weight("semi", "SemiBold", "Light Italic"))
        assert planned(theirs) == []
        assert planned(theirs, bold=(600.0, "ExtraBold"), semi=("SemiBold", 700.0)) == [
            ("bold", "SemiBold"),
            ("semi", "Bold Italic"),
        ]

    def test_a_text_that_was_written_by_hand_is_sent_as_it_is(self):
        theirs = graph(TYPE, weight("bold", "Bold", "Bold"))
        assert planned(theirs, bold=("demi_bold OBLIQUE", "Bold")) == [("bold", "demi_bold OBLIQUE")]

    def test_a_number_equal_to_the_texts_weight_is_no_change(self):
        theirs = graph(TYPE, weight("bold", "Bold Italic", "700"))
        assert planned(theirs, bold=(700.0, 700.0)) == []

    def test_the_old_text_is_found_where_the_platforms_modes_stand_in_another_order(self):
        theirs = graph(TYPE, weight("bold", "Bold Italic", "Light"))
        turned = replace(TYPE, modes=(TYPE.modes[1], TYPE.modes[0]), default_mode=1)
        ours = graph(turned, replace(theirs.tokens[BOLD], values=("Light", 600.0)))
        (made,) = desired(ours, theirs, location_of=place).graph.tokens.values()
        assert made.values == ("Light", "Semi Bold Italic")

    @pytest.mark.parametrize(("number", "advice"), [(450.0, 'write "regular" or "medium"'), (1.0, 'write "thin"')])
    def test_a_weight_without_a_name_is_an_error_with_the_names_next_to_it(self, number, advice):
        theirs = graph(TYPE, weight("bold", "Bold", "Bold"))
        ours = graph(TYPE, replace(theirs.tokens[BOLD], values=(number, "Bold")))
        (problem,) = desired(ours, theirs, location_of=place).problems
        assert (problem.code, problem.where) == ("token-inexpressible", "type / bold in light")
        assert f"the weight {number:g} has no name" in problem.what
        assert problem.what_to_do == advice

    def test_a_new_one_gets_the_scope_that_a_text_can_have_and_that_a_pull_reads_it_by(self):
        result = desired(graph(TYPE, token(TYPE, "new", 600.0, type=AS_TEXT)), graph(TYPE), location_of=place)
        (made,) = result.graph.tokens.values()
        assert (made.values, made.scopes) == (("Semi Bold", "Semi Bold"), STYLE)
        assert TypeRules().type_of("STRING", made.scopes, "new", "Type") == AS_TEXT
        assert (result.notes, result.problems) == ((), ())

    def test_one_that_becomes_a_number_or_a_number_that_becomes_one_is_a_variable_of_another_type(self):
        theirs = graph(TYPE, weight("bold", "Bold", "Bold"))
        ours = graph(TYPE, replace(theirs.tokens[BOLD], type="fontWeight", values=(700.0, 700.0)))
        assert list(desired(ours, theirs, location_of=place).retyped) == ["V:bold"]

    def test_a_text_that_is_no_weight_any_more_is_no_reason_for_a_note_about_its_type(self):
        theirs = graph(TYPE, weight("bold", "Bold", "Bold"))
        ours = graph(TYPE, replace(theirs.tokens[BOLD], type="string", values=("Roman", "Bold")))
        assert desired(ours, theirs, location_of=place).notes == ()


def old(of):
    """The graph as versions before this type had it: all texts are strings."""
    return TokenGraph(
        of.collections.values(),
        (replace(each, type="string") if each.type == AS_TEXT else each for each in of.tokens.values()),
    )


class TestMerges:
    THEIRS = graph(
        TYPE,
        weight("bold", "Bold", "Semi Bold Italic"),
        weight("heading", alias("Type", "bold"), "Light"),
        token(TYPE, "ink", color("#000000"), id="V:ink"),
    )

    def test_token_files_and_a_lock_from_before_take_the_type_and_conflict_in_nothing(self):
        result = merged(old(self.THEIRS), self.THEIRS, old(self.THEIRS))
        assert (result.graph, result.conflicts) == (self.THEIRS, ())
        assert [(each.key.path, each.key.member, each.side) for each in result.differences] == [
            ("bold", "type", "theirs"),
            ("heading", "type", "theirs"),
        ]

    def test_an_edit_in_such_files_stands(self):
        ours = edited(old(self.THEIRS), BOLD, values={0: "Heavy"})
        result = merged(ours, self.THEIRS, old(self.THEIRS))
        assert result.conflicts == ()
        assert (result.graph.tokens[BOLD].type, result.graph.tokens[BOLD].values[0]) == (AS_TEXT, "Heavy")

    def test_without_a_lock_the_type_is_no_conflict(self):
        result = merge((), old(self.THEIRS), self.THEIRS)
        assert (result.graph, result.conflicts) == (self.THEIRS, ())

    def test_a_deletion_there_is_none_of_an_edited_token_only_because_of_the_type(self):
        theirs = graph(TYPE, self.THEIRS.tokens[key("Type", "ink")])
        assert clean(old(self.THEIRS), theirs, self.THEIRS).tokens.keys() == theirs.tokens.keys()

    def test_a_number_in_the_files_is_the_text_of_that_weight_and_no_edit(self):
        ours = edited(self.THEIRS, BOLD, values=(700.0, 600.0))
        result = merged(ours, self.THEIRS, self.THEIRS)
        assert (result.graph, result.differences) == (self.THEIRS, ())

    def test_an_edit_on_the_platform_of_a_weight_that_is_a_number_here_is_merged(self):
        ours = edited(self.THEIRS, BOLD, values=(700.0, 600.0))
        theirs = edited(self.THEIRS, BOLD, values=("Black", "Medium"))
        assert clean(ours, theirs, self.THEIRS) == theirs

    def test_another_weight_here_and_another_text_there_are_a_conflict(self):
        ours = edited(self.THEIRS, BOLD, values=(300.0, 600.0))
        theirs = edited(self.THEIRS, BOLD, values=("Black", "Medium"))
        (conflict,) = merged(ours, theirs, self.THEIRS).conflicts
        assert conflict.key == ConflictKey("design", "type", "bold", "in light")
        assert (conflict.ours, conflict.theirs) == (300.0, "Black")
