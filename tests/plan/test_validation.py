"""Every rule of requests, checked by validation beforehand and by the platform."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from emulator.platform import (
    ACCENT,
    BLUE,
    BRAND,
    BRAND_DARK,
    BRAND_LIGHT,
    DARK,
    GAP,
    KEY,
    LABEL,
    LIGHT,
    LINK,
    MUTED,
    ODD,
    PRIMITIVES,
    REGION,
    REGION_DARK,
    REMOTE,
    REMOTE_COLLECTION,
    SHOWN,
    THEME,
    VALUE,
    Platform,
    response,
)
from hypothesis import assume, given
from hypothesis import strategies as st
from plan.naive import body
from plan.state_edits import both, changed, collected, gone, made, moded, new, renamed, to, unmoded, valued

from tokensync import tokens
from tokensync.extract.wire import snapshot
from tokensync.normalize.graph import normalize
from tokensync.plan import state as platform
from tokensync.plan.batches import batches_of, ids_of_answer
from tokensync.plan.differ import differences
from tokensync.plan.state import FileState, ObjectValue, VariableState, state_of
from tokensync.plan.validation import validate
from tokensync.system.problems import CODES
from tokensync.tokens import MODES_PER_COLLECTION, VARIABLES_PER_COLLECTION

if TYPE_CHECKING:
    from collections.abc import Callable

BEFORE = state_of(normalize(snapshot("kit", json.dumps(response()).encode()))[0])
RED = ObjectValue(1, 0, 0, 1)
HALF = "\ud83c"


class Row(NamedTuple):
    """A desired state, its problem codes in validation, and the platform's response to a request for it.

    ``request`` stands in where no operation would ask for it. The platform is not asked where ``silent``: it would
    neither do it nor refuse it.
    """

    sentence: str
    edit: Callable[[FileState], FileState]
    codes: tuple[str, ...] = ()
    request: dict[str, Any] | None = None
    silent: bool = False


EXTENDING = (("b1", "Light", LIGHT), ("b2", "Dark", DARK))
DARK_GONE = unmoded((THEME, DARK), (BRAND, BRAND_DARK), (REGION, REGION_DARK))
LIGHT_GONE = unmoded((THEME, LIGHT), (BRAND, BRAND_LIGHT), (REGION, f"{REGION}/{LIGHT}"))
LIBRARY_EXTENDED = made(modes=EXTENDING[:1], parent=REMOTE_COLLECTION, root=REMOTE_COLLECTION)
COMPOSED = ObjectValue(color=to(BLUE), opacity=40)
FULL = tuple((f"m{n}", f"Mode {n}") for n in range(2, MODES_PER_COLLECTION + 1))


def crowd(number: int) -> Callable[[FileState], FileState]:
    crowded = {
        f"v{n}": VariableState(
            ref=f"v{n}", collection=PRIMITIVES, name=f"n{n}", type="FLOAT", values={VALUE: 1}, scopes=("GAP",)
        )
        for n in range(number)
    }
    return lambda state: state._replace(variables=state.variables | crowded)


FREE = VARIABLES_PER_COLLECTION - 5

NAMES = (
    Row("a new variable", new()),
    Row("names may hold slashes, spaces and any script", new("a/b c/ñ☃🎨 50%")),
    Row("a name is not empty", new(""), ("plan-name",)),
    *(Row(f"a new name has no {each}", new(f"a{each}b"), ("plan-name",)) for each in ".{}"),
    Row("a name that a rename brings has none either", changed(GAP, name="a.b"), ("plan-name",)),
    Row("an old name with dots is left alone", changed(ODD, description="what it is")),
    Row("an odd variable can be given a plain name", changed(ODD, name="plain")),
    Row("half a character is no name", new(HALF), ("plan-name",)),
    Row("names are unique in a collection", new("gap"), ("plan-name-taken",)),
    Row("over all of the new ones, too", both(new(), new(ref="w")), ("plan-name-taken", "plan-name-taken")),
    Row("and renamed ones", changed(GAP, name="muted"), ("plan-name-taken",)),
    Row("a name of another collection is free", new("accent")),
    Row(
        "a name of a deleted variable is free",
        new("gone", "COLOR", RED, collection=THEME, values={LIGHT: RED, DARK: RED}),
    ),
    Row("a name is free once its variable goes", both(gone(GAP), new("gap"))),
    Row("a name is free once its variable has another", both(changed(GAP, name="space"), new("gap"))),
    Row("two names swap", both(changed(GAP, name="muted"), changed(MUTED, name="gap"))),
    Row("a collection's name is not empty", collected(THEME, name=""), ("plan-name",)),
    Row("nor a new one's", made(name=""), ("plan-name",)),
    Row("collections may share a name, dots and all", made(name=".Theme")),
    Row("half a character is no collection's name", collected(THEME, name=HALF), ("plan-name",)),
    Row("a mode's name is not empty", renamed(THEME, LIGHT, ""), ("plan-name",)),
    Row("a mode's name has 40 characters at most", moded(("w", "x" * 40))),
    Row("41 are too many", moded(("m", "x" * 41)), ("plan-name",)),
    Row("by a rename, too", renamed(THEME, LIGHT, "x" * 41), ("plan-name",)),
    Row("and in a new collection", made(modes=(("m", "x" * 41),)), ("plan-name",)),
    Row("modes share no name, which Figma would take", moded(("w", "Value")), ("plan-name-taken",), silent=True),
    Row("nor by a rename", renamed(THEME, LIGHT, "Dark"), ("plan-name-taken",), silent=True),
    Row("a mode's name is free once the mode goes", both(DARK_GONE, renamed(THEME, LIGHT, "Dark"))),
    Row("and in another collection", moded(("w", "Light"))),
    Row("two modes swap their names", both(renamed(THEME, LIGHT, "Dark"), renamed(THEME, DARK, "Light"))),
)

ROOM = (
    Row("a collection takes 40 modes", moded(*FULL)),
    Row("41 are too many", moded(*FULL, ("m", "One")), ("plan-limit",)),
    Row("in a new collection, too", made(modes=(("m", "One"), ("n", "Two"), *FULL)), ("plan-limit",)),
    Row("a collection takes 5000 variables", crowd(FREE)),
    Row("5001 are too many", crowd(FREE + 1), ("plan-limit",)),
    Row("what goes makes room", both(gone(GAP), crowd(FREE + 1))),
    Row("a new collection has modes", made(modes=()), ("plan-limit",), silent=True),
)

MODES = (
    Row("a mode goes, and those that extend it", DARK_GONE),
    Row("the default mode goes, and the first of the rest is it", LIGHT_GONE),
    Row("no other can be it", collected(THEME, default=DARK), ("plan-default-mode",), silent=True),
    Row("not even with the old one gone", both(moded(("w", "W"), default="w"), unmoded((PRIMITIVES, VALUE)))),
    Row(
        "when another is left that comes first",
        both(moded(("x", "X"), ref=THEME), LIGHT_GONE, collected(THEME, default="x")),
        ("plan-default-mode",),
        silent=True,
    ),
    Row("the last mode stays", collected(PRIMITIVES, modes=()), ("plan-changeless",), silent=True),
    Row("a mode of an extension alone does not go", unmoded((BRAND, BRAND_DARK)), ("plan-extension",), silent=True),
    Row(
        "nor come",
        moded((f"{BRAND}/x", "X", LIGHT), ref=BRAND),
        ("plan-extension",),
        {"variableModes": [{"action": "CREATE", "name": "X", "variableCollectionId": BRAND}]},
    ),
    Row("nor come for none", moded((f"{BRAND}/x", "X", "nothing"), ref=BRAND), ("plan-extension",), silent=True),
    Row(
        "nor get another name",
        renamed(BRAND, BRAND_LIGHT, "Day"),
        ("plan-extension",),
        {"variableModes": [{"action": "UPDATE", "id": BRAND_LIGHT, "name": "Day", "variableCollectionId": BRAND}]},
    ),
    Row(
        "an extension's default mode follows", collected(BRAND, default=BRAND_DARK), ("plan-default-mode",), silent=True
    ),
)

EXTENSIONS = (
    Row("a collection is extended", made(modes=EXTENDING, parent=THEME, root=THEME)),
    Row(
        "an extension is extended",
        made(modes=(("b1", "Light", BRAND_LIGHT), ("b2", "Dark", BRAND_DARK)), parent=BRAND, root=THEME),
    ),
    Row("a remote one is not", LIBRARY_EXTENDED, ("plan-extension",)),
    Row("nor what is not there", made(modes=EXTENDING, parent="nothing", root="nothing"), ("plan-extension",)),
    Row("in all modes", made(modes=EXTENDING[:1], parent=THEME, root=THEME), ("plan-extension",), silent=True),
    Row("and no others", made(modes=(*EXTENDING, ("b3", "X", "x")), parent=THEME, root=THEME), ("plan-extension",)),
    Row(
        "under their names",
        made(modes=(("b1", "Day", LIGHT), EXTENDING[1]), parent=THEME, root=THEME),
        ("plan-extension",),
        silent=True,
    ),
    Row(
        "an extension owns no variables",
        new(collection=BRAND, kind="COLOR", values={BRAND_LIGHT: RED, BRAND_DARK: RED}),
        ("plan-extension",),
    ),
    Row("what a collection extends is settled", collected(REGION, parent=THEME), ("plan-changeless",), silent=True),
    Row("an override is set", valued((LINK, BRAND_DARK, RED), (LINK, BRAND_LIGHT, to(BLUE)))),
    Row("an override is taken away", valued((ACCENT, BRAND_LIGHT, None))),
    Row("a value of a root mode is not", valued((ACCENT, DARK, None)), ("plan-value-absent",), {
        "variableModeValues": [{"variableId": ACCENT, "modeId": DARK, "value": None}]
    }),
    Row("a new variable has a value in each mode", new(values={}), ("plan-value-absent",), silent=True),
)  # fmt: skip

HELD = (
    Row("a number is one of 32 bits", valued((GAP, VALUE, 16777217)), ("plan-value",), silent=True),
    Row("so is a duration", new("n", "TIMING", ObjectValue(seconds=1e39), scopes=()), ("plan-value",), silent=True),
    Row("an easing is a curve", new("n", "EASING", ObjectValue(easing="{}"), scopes=()), ("plan-value",), silent=True),
    Row(
        "a variable of a library is used before another one refers to it",
        both(new(ref="L", fixed=True, collection=REMOTE_COLLECTION, values={}), valued((GAP, VALUE, to("L")))),
        ("plan-alias",),
        silent=True,
    ),
)

MISPLACED = (
    Row("a new variable has no value in another collection's mode", new(values={VALUE: 1, LIGHT: 1}), ("plan-value",)),
    Row("nor of an extension's of another collection", new(values={VALUE: 1, BRAND_LIGHT: 1}), ("plan-value",)),
)

TYPES = (
    Row("a type is settled", changed(GAP, type="STRING", values={VALUE: "4"}, scopes=()), ("plan-changeless",)),
    Row(
        "a collection is settled",
        changed(GAP, collection=THEME, values={LIGHT: 1, DARK: 1}),
        ("plan-changeless",),
        {"variables": [{"action": "UPDATE", "id": GAP, "variableCollectionId": THEME}]},
    ),
    *(
        Row(f"{value!r:.30} is no {kind}", new(kind=kind, value=value), ("plan-value",))
        for kind, values in (
            ("FLOAT", ("1", True, RED, COMPOSED)),
            ("STRING", (1, True, RED)),
            ("BOOLEAN", (1, "true", RED)),
            ("COLOR", (1, "#ff0000", True)),
        )
        for value in values
    ),
    *(
        Row(f"{value!r:.30} is a {kind}", new(kind=kind, value=value))
        for kind, value in (
            ("FLOAT", -0.5),
            ("FLOAT", 3.4e38),
            ("FLOAT", 1e-45),
            ("STRING", ""),
            ("STRING", "{not.an.alias}"),
            ("STRING", "line\n\u2028 tab\t\0 🎨"),
            ("BOOLEAN", False),
            ("COLOR", ObjectValue(0, 0, 0, 0)),
            ("COLOR", COMPOSED),
        )
    ),
    Row("a number is a 32-bit float", new(value=3.5e38), ("plan-value",)),
    Row("also when it is whole", new(value=10**39), ("plan-value",)),
    Row("half a character is no text", new(kind="STRING", value=f"a{HALF}"), ("plan-value",)),
    Row("a channel is from 0 to 1", new(kind="COLOR", value=ObjectValue(1.5, 0, 0, 1)), ("plan-value",)),
    Row("alpha too", new(kind="COLOR", value=ObjectValue(1, 0, 0, -0.5)), ("plan-value",)),
    Row("also in an override", valued((ACCENT, BRAND_DARK, "red")), ("plan-value",)),
    Row("also of what exists", valued((GAP, VALUE, "4")), ("plan-value",)),
)

COMPOSITIONS = (
    Row("a reference and a percentage", valued((ACCENT, LIGHT, COMPOSED))),
    Row("a colour and a reference", valued((ACCENT, LIGHT, ObjectValue(color=RED, opacity=to(MUTED))))),
    Row("two references", valued((ACCENT, LIGHT, ObjectValue(color=to(BLUE), opacity=to(MUTED))))),
    Row("not none", valued((ACCENT, LIGHT, ObjectValue(color=RED, opacity=40))), ("plan-value",)),
    Row("not without an opacity", valued((ACCENT, LIGHT, ObjectValue(color=to(BLUE)))), ("plan-value",)),
    Row("nor a colour", valued((ACCENT, LIGHT, ObjectValue(opacity=to(MUTED)))), ("plan-value",)),
    Row("not above 100", valued((ACCENT, LIGHT, ObjectValue(color=to(BLUE), opacity=100.5))), ("plan-value",)),
    Row("not below 0", valued((ACCENT, LIGHT, ObjectValue(color=to(BLUE), opacity=-1))), ("plan-value",)),
    Row("100 is all of it", valued((ACCENT, LIGHT, ObjectValue(color=to(BLUE), opacity=100)))),
    Row(
        "the colour's channels are from 0 to 1",
        valued((ACCENT, LIGHT, ObjectValue(color=ObjectValue(2, 0, 0, 1), opacity=to(MUTED)))),
        ("plan-value",),
    ),
    Row(
        "the opacity is a number's",
        valued((ACCENT, LIGHT, ObjectValue(color=to(BLUE), opacity=to(LABEL)))),
        ("plan-alias",),
    ),
    Row(
        "the colour is a colour's",
        valued((ACCENT, LIGHT, ObjectValue(color=to(GAP), opacity=to(MUTED)))),
        ("plan-alias",),
    ),
)

ALIASES = (
    Row("an alias leads to a variable of its type", valued((GAP, VALUE, to(MUTED)))),
    Row("not of another", valued((GAP, VALUE, to(LABEL))), ("plan-alias",)),
    Row("nor in an override", valued((ACCENT, BRAND_DARK, to(SHOWN))), ("plan-alias",)),
    Row("not to nothing", valued((GAP, VALUE, to("VariableID:9:9"))), ("plan-alias",)),
    Row("not to what is deleted already", valued((ACCENT, LIGHT, to("VariableID:2:5"))), ("plan-alias",)),
    Row("not to what the plan deletes", both(gone(MUTED), valued((GAP, VALUE, to(MUTED)))), ("plan-alias",)),
    Row("to a remote variable that is in use", valued((ACCENT, LIGHT, to(REMOTE)))),
    Row("to a new variable", both(new(), valued((GAP, VALUE, to("v"))))),
    Row("an alias that stays may dangle", both(gone(BLUE), valued((ACCENT, DARK, to(REMOTE))))),
    Row("not to itself", valued((GAP, VALUE, to(GAP))), ("plan-circle",)),
    Row("nor a new one", new(value=to("v")), ("plan-circle",)),
    Row("not in a cycle", valued((GAP, VALUE, to(MUTED)), (MUTED, VALUE, to(GAP))), ("plan-circle", "plan-circle")),
    Row("not in one of several modes", valued((ACCENT, DARK, to(LINK))), ("plan-circle",)),
    Row("nor through an override", valued((ACCENT, BRAND_DARK, to(LINK))), ("plan-circle",)),
    Row(
        "nor through a composed colour",
        valued((ACCENT, DARK, ObjectValue(color=to(LINK), opacity=50))),
        ("plan-circle",),
    ),
    Row(
        "an alias can be turned round",
        valued((LINK, LIGHT, RED), (ACCENT, LIGHT, to(LINK))),
    ),
)

SCOPES = (
    *(Row(f"scopes may be {each}", changed(GAP, scopes=each)) for each in ((), ("ALL_SCOPES",), ("FONT_SIZE", "GAP"))),
    Row("of its type", changed(GAP, scopes=("TEXT_FILL",)), ("plan-scopes",)),
    Row("one that is not known is for Figma to refuse", changed(GAP, scopes=("NEW",)), ("plan-scope-unknown",)),
    Row("beside all, too", changed(GAP, scopes=("ALL_SCOPES", "NEW")), ("plan-scope-unknown",)),
    Row("a boolean has none but all", new(kind="BOOLEAN", value=True, scopes=("TEXT_CONTENT",)), ("plan-scopes",)),
    Row("all scopes stand alone", changed(GAP, scopes=("ALL_SCOPES", "GAP")), ("plan-scopes",)),
    Row("all fills exclude fills", changed(BLUE, scopes=("ALL_FILLS", "TEXT_FILL")), ("plan-scopes",)),
    Row("and nothing else", changed(BLUE, scopes=("ALL_FILLS", "STROKE_COLOR"))),
)

TEXTS = (
    Row("a description is any text", changed(GAP, description='"</>\n🎨')),
    Row("of whole characters", changed(GAP, description=HALF), ("plan-text",)),
    Row(
        "code syntax is for three platforms", changed(GAP, code_syntax=(("ANDROID", "a"), ("WEB", "--a"), ("iOS", "a")))
    ),
    Row("and no other", changed(GAP, code_syntax=(("FLUTTER", "a"),)), ("plan-text",)),
    Row("of whole characters too", changed(GAP, code_syntax=(("WEB", HALF),)), ("plan-text",)),
    Row("a new variable's as well", new(description=HALF, code_syntax=(("KMP", "x"),)), ("plan-text", "plan-text")),
)

FIXED = (
    Row(
        "what is remote is not changed",
        changed(REMOTE, description="mine"),
        ("plan-fixed",),
        {"variables": [{"action": "UPDATE", "id": REMOTE, "description": "mine"}]},
    ),
    Row(
        "nor a value of it",
        valued((REMOTE, LIGHT, to(BLUE))),
        ("plan-fixed",),
        {"variableModeValues": [{"variableId": REMOTE, "modeId": LIGHT, "value": {"r": 0, "g": 0, "b": 0}}]},
    ),
    Row(
        "nor its collection",
        collected(REMOTE_COLLECTION, name="Mine"),
        ("plan-fixed",),
        {"variableCollections": [{"action": "UPDATE", "id": REMOTE_COLLECTION, "name": "Mine"}]},
    ),
    Row("nothing is made in it", new(collection=REMOTE_COLLECTION, kind="COLOR", values={LIGHT: RED}), ("plan-fixed",)),
)

ROWS = (*NAMES, *ROOM, *MODES, *EXTENSIONS, *HELD, *MISPLACED, *TYPES, *COMPOSITIONS, *ALIASES, *SCOPES, *TEXTS, *FIXED)


def place(ref: str, mode: str | None) -> str:
    return f"{ref} in {mode}"


@pytest.mark.parametrize("row", ROWS, ids=[re.sub(r"\W+", "-", row.sentence) for row in ROWS])
def test_validation_and_the_platform_are_of_one_mind(row):
    after = row.edit(BEFORE)
    operations = differences(BEFORE, after)
    found = validate(BEFORE, after, operations, place)
    assert tuple(each.code for each in found) == row.codes, found
    assert all(each.severity == CODES[each.code].severity for each in found)
    if row.codes:
        if not row.silent:
            request = body(operations) if row.request is None else row.request
            answer = Platform().post(json.dumps(request).encode())
            assert answer.status_code == 400, answer.json
        return
    assert operations
    carry_out(operations)


def carry_out(operations):
    platform = Platform()
    ids: dict[str, str] = {}
    for batch in batches_of(operations, BEFORE):
        answer = platform.request("POST", f"/v1/files/{KEY}/variables", data=batch.body(ids))
        assert answer.status_code == 200, answer.json
        ids |= ids_of_answer(batch, answer.json["meta"]["tempIdToRealId"], ids)


LAWFUL = tuple(row for row in ROWS if not row.codes and "5000" not in row.sentence and "room" not in row.sentence)


@given(st.lists(st.sampled_from(LAWFUL), min_size=2, max_size=4, unique=True))
def test_whatever_mixture_validation_lets_through_the_platform_carries_out(rows):
    try:
        after = both(*(row.edit for row in rows))(BEFORE)
    except (KeyError, IndexError):  # one edits what another removed
        assume(False)
    operations = differences(BEFORE, after)
    if validate(BEFORE, after, operations, place):
        return
    carry_out(operations)


def test_existing_oddities_are_no_problems():
    """A library with objects that no request can create: repeated or odd names, cycles, scopes of another type."""
    odd = both(
        changed(GAP, name="muted", scopes=("TEXT_FILL",)),
        valued((ACCENT, DARK, to(LINK)), (MUTED, VALUE, to("VariableID:9:9"))),
        renamed(THEME, LIGHT, "x" * 50),
        renamed(BRAND, BRAND_LIGHT, "other"),
        crowd(FREE + 10),
    )(BEFORE)
    assert validate(odd, odd, differences(odd, odd), place) == ()
    touched = both(
        changed(GAP, description="described"), changed(BLUE, name="azure"), valued((SHOWN, VALUE, False)), DARK_GONE
    )(odd)
    operations = differences(odd, touched)
    assert len(operations) == 4
    assert validate(odd, touched, operations, place) == ()


def test_a_plan_that_changes_an_old_cycle_has_a_problem():
    odd = valued((ACCENT, DARK, to(LINK)))(BEFORE)
    touched = valued((LINK, DARK, to(ACCENT)))(odd)
    (fault,) = validate(odd, touched, differences(odd, touched), place)
    assert fault.code == "plan-circle" and '"link" > "accent" > "link"' in fault.what
    assert fault.where == place(LINK, DARK)


def test_a_plan_that_breaks_a_cycle_is_valid():
    odd = valued((ACCENT, DARK, to(LINK)))(BEFORE)
    assert validate(odd, BEFORE, differences(odd, BEFORE), place) == ()


def test_all_problems_are_reported_at_once_with_their_locations():
    after = both(
        new("a.b"),
        changed(GAP, name="muted", scopes=("TEXT_FILL",), description=HALF),
        valued((ACCENT, BRAND_DARK, to(LABEL)), (LABEL, VALUE, 7)),
        renamed(THEME, LIGHT, "x" * 41),
    )(BEFORE)
    found = validate(BEFORE, after, differences(BEFORE, after), place)
    assert sorted((each.code, each.where) for each in found) == sorted(
        (
            ("plan-name", place("v", None)),
            ("plan-name-taken", place(GAP, None)),
            ("plan-scopes", place(GAP, None)),
            ("plan-text", place(GAP, None)),
            ("plan-alias", place(ACCENT, BRAND_DARK)),
            ("plan-value", place(LABEL, VALUE)),
            ("plan-name", place(THEME, LIGHT)),
        )
    )


def test_scopes_that_do_not_fit_are_answered_with_those_that_do():
    after = changed(BLUE, scopes=("GAP",))(BEFORE)
    (fault,) = validate(BEFORE, after, differences(BEFORE, after), place)
    assert "GAP cannot be used on a COLOR variable" in fault.what
    assert "ALL_FILLS" in fault.what_to_do
    assert "CORNER_RADIUS" not in fault.what_to_do


def only_warnings(before, after, *earlier):
    found = validate(before, after, differences(before, after), place, earlier)
    assert all(each.severity == "warning" for each in found), found
    return [each.code for each in found]


@pytest.mark.parametrize("scopes", [("TRANSFORM",), ("ALL_SCOPES", "TRANSFORM"), ("FONT_FAMILY",)])
def test_scopes_that_the_platform_has_on_a_variable_of_the_type_can_be_given_to_another(scopes):
    holding = changed(MUTED, scopes=scopes)(BEFORE)
    assert only_warnings(holding, new(scopes=scopes)(holding)) == []
    assert only_warnings(BEFORE, new(scopes=scopes)(BEFORE), holding) == []  # as a rollback has it
    wrong = new(kind="STRING", value="x", scopes=("TRANSFORM",))(holding)
    assert only_warnings(holding, wrong) == ["plan-scope-unknown"]


def test_a_platform_that_has_code_syntax_on_the_platform_can_have_more_of_it():
    holding = changed(MUTED, code_syntax=(("FLUTTER", "muted"),))(BEFORE)
    assert only_warnings(holding, changed(MUTED, code_syntax=(("FLUTTER", "quiet"),))(holding)) == []
    assert only_warnings(BEFORE, new(code_syntax=(("FLUTTER", "new"),))(BEFORE), holding) == []


def test_a_scope_that_is_not_known_is_shown_with_those_that_are_spelled_like_it():
    after = changed(GAP, scopes=("FONT_SISE", "\x1b[31m" + "x" * 1000))(BEFORE)
    misspelled, long = validate(BEFORE, after, differences(BEFORE, after), place)
    assert 'the scope "FONT_SISE" is unknown' in misspelled.what
    assert misspelled.what_to_do.startswith("write FONT_SIZE")
    assert len(long.what) < 200
    assert "CORNER_RADIUS" in long.what_to_do


def test_a_hostile_name_is_shown_in_part():
    after = both(new("x" * 10_000), new("x" * 10_000, ref="w"))(BEFORE)
    for each in validate(BEFORE, after, differences(BEFORE, after), place):
        assert len(each.what) < 200


def test_a_cycle_through_a_whole_library_is_reported_in_linear_time():
    """The cycle is searched once: a search for each of 20,000 values would be quadratic."""
    number = 20_000
    chain = {
        f"v{n}": VariableState(
            ref=f"v{n}", collection="c", name=f"n{n}", type="FLOAT", values={"m": to(f"v{(n + 1) % number}")}
        )
        for n in range(number)
    }
    before = made()(FileState({}, {}))
    after = before._replace(variables=chain)
    found = [each for each in validate(before, after, differences(before, after), place) if each.code == "plan-circle"]
    assert len(found) == number


LIMITS = {
    "MODES_PER_COLLECTION": 40,
    "MODE_NAME_CHARACTERS": 40,
    "VARIABLES_PER_COLLECTION": 5000,
    "BODY_BYTES": 4_000_000,
}


@pytest.mark.parametrize("name", LIMITS)
def test_the_limits_are_those_of_the_documentation(name):
    """Section 8 of the API's documentation has them in a table."""
    home = tokens if hasattr(tokens, name) else platform
    assert getattr(home, name) == LIMITS[name]
