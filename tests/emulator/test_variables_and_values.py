"""POST variables: creating, updating and deleting variables, and setting their values."""

import json
import struct

import pytest
from emulator.platform import (
    ACCENT,
    BLUE,
    BRAND,
    BRAND_DARK,
    BRAND_LIGHT,
    DARK,
    GAP,
    GONE,
    KEY,
    LABEL,
    LIGHT,
    LINK,
    MUTED,
    ODD,
    PRIMITIVES,
    RED,
    REGION,
    REGION_DARK,
    REGION_LIGHT,
    REMOTE,
    REMOTE_COLLECTION,
    SHOWN,
    THEME,
    VALUE,
    WHITE,
    Platform,
    Row,
    alias,
    collections,
    contract,
    create,
    delete,
    extension,
    modes,
    new_variable,
    response,
    update,
    values,
    variables,
)

MISSING = "VariableID:8:8"

test_variables = contract(
    Row(
        "rule 10: a new variable is white, 0, empty or false in every mode",
        variables(
            new_variable("c", "COLOR", THEME, id="c"),
            new_variable("f", "FLOAT", THEME, id="f"),
            new_variable("s", "STRING", THEME, id="s"),
            new_variable("b", "BOOLEAN", THEME, id="b"),
        ),
        after=lambda s: (
            [s.variable(each)["valuesByMode"] for each in "cfsb"]
            == [{LIGHT: value, DARK: value} for value in (WHITE, 0, "", False)]
        ),
    ),
    Row(
        "a new variable is local, shown everywhere and last in its collection",
        variables(new_variable()),
        after=lambda s: (
            s.variable("v") | {"id": "", "key": ""}
            == {
                "id": "",
                "name": "new",
                "key": "",
                "variableCollectionId": PRIMITIVES,
                "resolvedType": "FLOAT",
                "valuesByMode": {VALUE: 0},
                "remote": False,
                "description": "",
                "hiddenFromPublishing": False,
                "scopes": ["ALL_SCOPES"],
                "codeSyntax": {},
            }
            and s.collections[PRIMITIVES]["variableIds"][-1] == s.ids["v"]
            and len(s.variable("v")["key"]) == 40
        ),
    ),
    Row(
        "a new variable takes description, scopes, code syntax and hiding",
        variables(new_variable(description="d", scopes=["GAP"], codeSyntax={"WEB": "--x"}, hiddenFromPublishing=True)),
        after=lambda s: (
            [s.variable("v")[m] for m in ("description", "scopes", "codeSyntax", "hiddenFromPublishing")]
            == ["d", ["GAP"], {"WEB": "--x"}, True]
        ),
    ),
    Row("CREATE needs a name", variables(new_variable(name=None)), 400, "name: is required"),
    Row("CREATE needs a collection", variables(new_variable(in_=None)), 400, "variableCollectionId: is required"),
    Row("CREATE needs a type", variables(new_variable(type_=None)), 400, "resolvedType: is required"),
    Row("a type is one of four", variables(new_variable(type_="EASING")), 400, "must be one of BOOLEAN"),
    Row("a collection is there", variables(new_variable(in_="VariableCollectionId:8:8")), 400, "not found"),
    Row("rule 11: a collection is local", variables(new_variable(in_=REMOTE_COLLECTION)), 400, "is remote"),
    Row("UPDATE needs an id", variables({"action": "UPDATE"}), 400, "id: is required"),
    Row("DELETE needs an id", variables({"action": "DELETE"}), 400, "id: is required"),
    Row("an id has to be there", variables(update(MISSING, name="x")), 400, "not found"),
    Row("a deleted variable is not there", variables(update(GONE, name="x")), 400, "not found"),
    Row("a collection's id is not a variable's", variables(update(THEME, name="x")), 400, "not found"),
    Row(
        "UPDATE changes what is given and leaves the rest, unknown members too",
        variables(update(GAP, description="d", hiddenFromPublishing=True)),
        after=lambda s: (
            [s.variables[GAP][m] for m in ("name", "description", "hiddenFromPublishing", "scopes", "ofTomorrow")]
            == ["gap", "d", True, ["GAP"], {"x": [1, None]}]
        ),
    ),
    Row(
        "3.4: the type is ignored on UPDATE, which is 200",
        variables(update(GAP, resolvedType="COLOR")),
        after=lambda s: s.variables[GAP]["resolvedType"] == "FLOAT",
    ),
    Row(
        "3.4: a variable's collection cannot change",
        variables(update(GAP, variableCollectionId=THEME)),
        400,
        "cannot change",
    ),
    Row("3.4: its own collection may be named", variables(update(GAP, variableCollectionId=PRIMITIVES))),
    Row("rule 11: a remote variable cannot be updated", variables(update(REMOTE, name="x")), 400, "is remote"),
    Row("rule 11: nor deleted", variables(delete(REMOTE)), 400, "is remote"),
    Row("a description is a string", variables(update(GAP, description=1)), 400, "description: must be a string"),
    Row("hiding is a boolean", variables(update(GAP, hiddenFromPublishing="no")), 400, "must be a boolean"),
)

test_names = contract(
    Row(
        "rule 6: a name is unique in its collection",
        variables(new_variable("gap")),
        400,
        r"variables\[0\]\.name: a variable named 'gap' exists already",
    ),
    Row("rule 6: a rename keeps to that", variables(update(GAP, name="muted")), 400, "'muted' exists already"),
    Row("rule 6: in another collection it is free", variables(new_variable("gap", in_=THEME))),
    Row("rule 6: letters' case counts", variables(new_variable("Gap"))),
    Row(
        "rule 6: two new ones of one name", variables(new_variable(id="a"), new_variable(id="b")), 400, "exists already"
    ),
    Row("rule 6: a deleted variable's name is free", variables(delete(BLUE), new_variable("blue/500"))),
    Row("rule 6: a name freed by a rename is free", variables(update(GAP, name="g"), new_variable("gap"))),
    Row("rule 6: one that is kept for a deleted variable is free", variables(new_variable("gone", in_=THEME))),
    Row("a variable may have the name of a group", variables(new_variable("blue"))),
    Row("2.4: no dot", variables(new_variable("a.b")), 400, r"cannot contain '\.'"),
    Row("2.4: no opening brace", variables(new_variable("a{b")), 400, "cannot contain '{'"),
    Row("2.4: no closing brace", variables(update(GAP, name="a}b")), 400, "cannot contain '}'"),
    Row("a name is not empty", variables(new_variable("")), 400, "name: must not be empty"),
    Row("a name is a string", variables(new_variable(5)), 400, "name: must be a string"),
    Row(
        "a name of long ago is kept, also when it is sent again",
        variables(update(ODD, name="odd.name{x}", description="d")),
        after=lambda s: (s.variables[ODD]["name"], s.variables[ODD]["description"]) == ("odd.name{x}", "d"),
    ),
    Row(
        "a name is kept character for character",
        variables(new_variable('\u202eé / *\u200b/ "; $x \\(y)\n')),
        after=lambda s: s.variable("v")["name"] == '\u202eé / *\u200b/ "; $x \\(y)\n',
    ),
)

test_scopes_and_code_syntax = contract(
    Row(
        "no scopes at all is fine",
        variables(update(GAP, scopes=[])),
        after=lambda s: s.variables[GAP]["scopes"] == [],
    ),
    Row("a number's scopes", variables(update(GAP, scopes=["CORNER_RADIUS", "COLOR_OPACITY", "FONT_VARIATIONS"]))),
    Row("a text's scopes", variables(update(LABEL, scopes=["TEXT_CONTENT", "FONT_FAMILY", "FONT_STYLE"]))),
    Row("a colour's scopes", variables(update(BLUE, scopes=["ALL_FILLS", "STROKE_COLOR", "EFFECT_COLOR"]))),
    Row("a boolean's scopes", variables(update(SHOWN, scopes=["ALL_SCOPES"]))),
    Row("a colour has no gap", variables(update(BLUE, scopes=["GAP"])), 400, "'GAP' is not a scope of COLOR"),
    Row("a number has no fill", variables(update(GAP, scopes=["ALL_FILLS"])), 400, "not a scope of FLOAT"),
    Row("a text has no size", variables(update(LABEL, scopes=["FONT_SIZE"])), 400, "not a scope of STRING"),
    Row("a boolean has no text", variables(update(SHOWN, scopes=["TEXT_CONTENT"])), 400, "not a scope of BOOLEAN"),
    Row("a new variable's scopes too", variables(new_variable(scopes=["X"])), 400, "'X' is not a scope"),
    Row("ALL_SCOPES is alone", variables(update(GAP, scopes=["ALL_SCOPES", "GAP"])), 400, "cannot be combined"),
    Row("ALL_FILLS is the only fill", variables(update(BLUE, scopes=["ALL_FILLS", "TEXT_FILL"])), 400, "other fill"),
    Row("scopes are an array", variables(update(GAP, scopes="GAP")), 400, "array of strings"),
    Row("scopes are strings", variables(update(GAP, scopes=[1])), 400, "array of strings"),
    Row(
        "code syntax takes the place of all that was there",
        variables(update(GAP, codeSyntax={"WEB": "--a", "ANDROID": "a"}), update(GAP, codeSyntax={"iOS": ".a"})),
        after=lambda s: s.variables[GAP]["codeSyntax"] == {"iOS": ".a"},
    ),
    Row("code syntax is for three platforms", variables(update(GAP, codeSyntax={"IOS": "x"})), 400, "'IOS' is not one"),
    Row("code syntax is of strings", variables(update(GAP, codeSyntax={"WEB": 1})), 400, "object of strings"),
    Row("code syntax is an object", variables(update(GAP, codeSyntax=[])), 400, "object of strings"),
)


def value_of(id_, mode):
    return lambda s: s.variables[id_]["valuesByMode"][mode]


test_values = contract(
    Row(
        "a value of each type",
        values((GAP, VALUE, 2.5), (LABEL, VALUE, "x"), (SHOWN, VALUE, False), (BLUE, VALUE, RED)),
        after=lambda s: (
            [s.variables[v]["valuesByMode"][VALUE] for v in (GAP, LABEL, SHOWN, BLUE)] == [2.5, "x", False, RED]
        ),
    ),
    Row(
        "a colour without a is opaque",
        values((BLUE, VALUE, {"r": 0, "g": 0.5, "b": 1})),
        after=lambda s: value_of(BLUE, VALUE)(s) == {"r": 0, "g": 0.5, "b": 1, "a": 1},
    ),
    Row(
        "numbers are float32",
        values((GAP, VALUE, 0.9), (BLUE, VALUE, {"r": 0.1, "g": 0, "b": 0, "a": 0.3})),
        after=lambda s: (
            value_of(GAP, VALUE)(s) == 0.8999999761581421
            and value_of(BLUE, VALUE)(s) == {"r": 0.10000000149011612, "g": 0, "b": 0, "a": 0.30000001192092896}
        ),
    ),
    Row(
        "negative and large numbers",
        values((GAP, VALUE, -1e30)),
        after=lambda s: value_of(GAP, VALUE)(s) == struct.unpack("<f", struct.pack("<f", -1e30))[0],
    ),
    Row("a number past float32", values((GAP, VALUE, 1e39)), 400, "cannot|is not a number that can be stored"),
    Row(
        "a number past float64",
        b'{"variableModeValues": [{"variableId": "%s", "modeId": "1:0", "value": 1e999}]}' % GAP.encode(),
        400,
        "is not a number that can be stored",
    ),
    Row("an integer of 400 digits", values((GAP, VALUE, 10**400)), 400, "is not a number that can be stored"),
    Row("a boolean is no number", values((GAP, VALUE, True)), 400, "does not match the type FLOAT"),
    Row("a number is no boolean", values((SHOWN, VALUE, 1)), 400, "does not match the type BOOLEAN"),
    Row("a number is no text", values((LABEL, VALUE, 1)), 400, "does not match the type STRING"),
    Row("a text is no number", values((GAP, VALUE, "1")), 400, "does not match the type FLOAT"),
    Row("a text is no colour", values((BLUE, VALUE, "#fff")), 400, "does not match the type COLOR"),
    Row("a colour is no number", values((GAP, VALUE, RED)), 400, "does not match the type FLOAT"),
    Row("a list is no value", values((GAP, VALUE, [1])), 400, "does not match the type FLOAT"),
    Row("a channel is missing", values((BLUE, VALUE, {"r": 0, "g": 0})), 400, r"value\.b: must be a number"),
    Row("a channel is past 1", values((BLUE, VALUE, RED | {"r": 255})), 400, r"value\.r: must be a number from 0 to 1"),
    Row("a channel is below 0", values((BLUE, VALUE, RED | {"a": -0.1})), 400, r"value\.a: must be"),
    Row("a channel is true", values((BLUE, VALUE, RED | {"g": True})), 400, r"value\.g: must be"),
    Row(
        "a variable is required",
        {"variableModeValues": [{"modeId": VALUE, "value": 1}]},
        400,
        "variableId: is required",
    ),
    Row("a mode is required", {"variableModeValues": [{"variableId": GAP, "value": 1}]}, 400, "modeId: is required"),
    Row(
        "a value is required", {"variableModeValues": [{"variableId": GAP, "modeId": VALUE}]}, 400, "value: is required"
    ),
    Row("a variable is there", values((MISSING, VALUE, 1)), 400, "not found"),
    Row("a deleted variable is not", values((GONE, LIGHT, RED)), 400, "not found"),
    Row("a mode is the variable's", values((GAP, LIGHT, 1)), 400, "is not of the collection"),
    Row("rule 11: a remote variable's value cannot change", values((REMOTE, LIGHT, RED)), 400, "is remote"),
    Row(
        "rule 9: null removes nothing from an original mode",
        values((GAP, VALUE, None)),
        400,
        "null removes an override",
    ),
)

test_aliases = contract(
    Row(
        "an alias to a variable of the type",
        values((MUTED, VALUE, alias(GAP))),
        after=lambda s: value_of(MUTED, VALUE)(s) == alias(GAP),
    ),
    Row(
        "an alias to a remote variable that the file uses",
        values((ACCENT, LIGHT, alias(REMOTE))),
        after=lambda s: value_of(ACCENT, LIGHT)(s) == alias(REMOTE),
    ),
    Row("rule 8: not to itself", values((ACCENT, DARK, alias(ACCENT))), 400, "cannot point to the variable itself"),
    Row("rule 8: not back over one step", values((ACCENT, LIGHT, alias(LINK))), 400, "cycle"),
    Row("rule 8: not back over several steps", values((BLUE, VALUE, alias(LINK))), 400, "cycle"),
    Row(
        "rule 8: not in another mode either, since which mode counts is not settled here",
        values((ACCENT, DARK, alias(LINK))),
        400,
        "cycle",
    ),
    Row("rule 8: not over an override", values((BLUE, VALUE, alias(LINK))), 400, "cycle"),
    Row("rule 8: not in an override", values((ACCENT, REGION_LIGHT, alias(LINK))), 400, "cycle"),
    Row(
        "rule 8: not over a composed colour", values((BLUE, VALUE, {"color": alias(LINK), "opacity": 5})), 400, "cycle"
    ),
    Row(
        "an alias resolves to the variable's type",
        values((GAP, VALUE, alias(BLUE))),
        400,
        "resolves to COLOR, not FLOAT",
    ),
    Row("also over several steps", values((LABEL, VALUE, alias(LINK))), 400, "resolves to COLOR, not STRING"),
    Row("an alias to nothing", values((ACCENT, LIGHT, alias(MISSING))), 400, "not found"),
    Row("an alias to a deleted variable", values((ACCENT, LIGHT, alias(GONE))), 400, "not found"),
    Row("an alias to a collection", values((ACCENT, LIGHT, alias(THEME))), 400, "not found"),
    Row("an alias without an id", values((ACCENT, LIGHT, {"type": "VARIABLE_ALIAS"})), 400, "needs the id"),
    Row(
        "no unknown member of an alias is kept",
        values((MUTED, VALUE, {**alias(GAP), "x": 1})),
        after=lambda s: value_of(MUTED, VALUE)(s) == alias(GAP),
    ),
)


def composed(color, opacity):
    return {"color": color, "opacity": opacity}


test_composed_colours = contract(
    Row(
        "a colour's alias with an opacity from 0 to 100",
        values((ACCENT, LIGHT, composed(alias(BLUE), 12.5)), (ACCENT, DARK, composed(alias(BLUE), 100))),
        after=lambda s: (
            s.variables[ACCENT]["valuesByMode"]
            == {LIGHT: composed(alias(BLUE), 12.5), DARK: composed(alias(BLUE), 100)}
        ),
    ),
    Row(
        "a colour with the alias of an opacity",
        values((ACCENT, LIGHT, composed({"r": 0, "g": 0, "b": 0.1}, alias(MUTED)))),
        after=lambda s: (
            value_of(ACCENT, LIGHT)(s) == composed({"r": 0, "g": 0, "b": 0.10000000149011612, "a": 1}, alias(MUTED))
        ),
    ),
    Row(
        "both aliases",
        values((ACCENT, LIGHT, composed(alias(BLUE), alias(MUTED)))),
        after=lambda s: value_of(ACCENT, LIGHT)(s) == composed(alias(BLUE), alias(MUTED)),
    ),
    Row(
        "an opacity is float32",
        values((ACCENT, LIGHT, composed(alias(BLUE), 0.9))),
        after=lambda s: value_of(ACCENT, LIGHT)(s)["opacity"] == 0.8999999761581421,
    ),
    Row("rule 8: at least one of them is an alias", values((ACCENT, LIGHT, composed(RED, 5))), 400, "needs an alias"),
    Row("both are required: opacity", values((ACCENT, LIGHT, {"color": alias(BLUE)})), 400, "both color and opacity"),
    Row("both are required: color", values((ACCENT, LIGHT, {"opacity": alias(MUTED)})), 400, "both color and opacity"),
    Row("an opacity past 100", values((ACCENT, LIGHT, composed(alias(BLUE), 100.5))), 400, "from 0 to 100"),
    Row("an opacity below 0", values((ACCENT, LIGHT, composed(alias(BLUE), -1))), 400, "from 0 to 100"),
    Row("an opacity is a number", values((ACCENT, LIGHT, composed(alias(BLUE), "5"))), 400, "from 0 to 100"),
    Row("an opacity's alias is a number's", values((ACCENT, LIGHT, composed(RED, alias(BLUE)))), 400, "not FLOAT"),
    Row("a colour's alias is a colour's", values((ACCENT, LIGHT, composed(alias(GAP), 5))), 400, "not COLOR"),
    Row(
        "a colour is a colour",
        values((ACCENT, LIGHT, composed("red", alias(MUTED)))),
        400,
        "must be a color or an alias",
    ),
    Row("a colour is whole", values((ACCENT, LIGHT, composed({"r": 1}, alias(MUTED)))), 400, r"value\.g: must be"),
    Row("for colours only", values((GAP, VALUE, composed(alias(BLUE), 5))), 400, "does not match the type FLOAT"),
    Row(
        "an expression of old plugins is not written",
        values((ACCENT, LIGHT, {"type": "VARIABLE_EXPRESSION", "expressionArguments": [alias(BLUE), 5]})),
        400,
        r"value\.r: must be",
    ),
    Row("rule 8: not of itself", values((ACCENT, LIGHT, composed(alias(ACCENT), 5))), 400, "itself"),
)


def overrides(state, id_):
    return state.collections[id_]["variableOverrides"]


test_overrides = contract(
    Row(
        "rule 9: an extended mode's value is an override, kept by the extended collection",
        values((LINK, BRAND_DARK, RED)),
        after=lambda s: (
            overrides(s, BRAND) == {ACCENT: {BRAND_LIGHT: RED}, LINK: {BRAND_DARK: RED}}
            and s.variables[LINK]["valuesByMode"] == {LIGHT: alias(ACCENT), DARK: alias(REMOTE)}
            and overrides(s, REGION) == {LINK: {REGION_DARK: alias(BLUE)}}
        ),
    ),
    Row(
        "rule 9: an override is replaced",
        values((ACCENT, BRAND_LIGHT, alias(BLUE))),
        after=lambda s: overrides(s, BRAND) == {ACCENT: {BRAND_LIGHT: alias(BLUE)}},
    ),
    Row(
        "rule 9: an original mode's value is the root's and leaves overrides alone",
        values((ACCENT, LIGHT, WHITE)),
        after=lambda s: value_of(ACCENT, LIGHT)(s) == WHITE and overrides(s, BRAND) == {ACCENT: {BRAND_LIGHT: RED}},
    ),
    Row(
        "rule 9: null removes an override",
        values((ACCENT, BRAND_LIGHT, None)),
        after=lambda s: overrides(s, BRAND) == {},
    ),
    Row(
        "rule 9: null where no override is changes nothing",
        values((ACCENT, REGION_LIGHT, None)),
        after=lambda s: overrides(s, REGION) == {LINK: {REGION_DARK: alias(BLUE)}},
    ),
    Row(
        "rule 9: null removes one mode's override and leaves the other's",
        values((ACCENT, BRAND_DARK, WHITE), (ACCENT, BRAND_LIGHT, None)),
        after=lambda s: overrides(s, BRAND) == {ACCENT: {BRAND_DARK: WHITE}},
    ),
    Row("an override has the variable's type", values((ACCENT, BRAND_LIGHT, 5)), 400, "value"),
    Row("an override of a variable from elsewhere", values((GAP, BRAND_LIGHT, 5)), 400, "does not have variable"),
    Row("a mode of no collection", values((ACCENT, "VariableCollectionId:8:8/2:0", RED)), 400, "not found"),
    Row("no mode of the collection", values((ACCENT, f"{BRAND}/8:8", RED)), 400, "not found"),
    Row(
        "a root's mode is not written with a collection in front",
        values((ACCENT, f"{THEME}/{LIGHT}", RED)),
        400,
        "not found",
    ),
    Row("a composed colour overrides", values((ACCENT, BRAND_LIGHT, composed(alias(BLUE), 5)))),
)


def test_a_remote_variable_is_overridden_by_a_local_extension_of_its_collection():
    seed = response()
    local = extension("VariableCollectionId:6:1", REMOTE_COLLECTION, "", {})
    local["rootVariableCollectionId"] = REMOTE_COLLECTION
    local["variableIds"] = local["inheritedVariableIds"] = [REMOTE]
    seed["meta"]["variableCollections"][local["id"]] = local
    platform = Platform()
    platform.emulator.seed(KEY, json.dumps(seed).encode())
    assert platform.post(values((REMOTE, f"{local['id']}/{LIGHT}", WHITE))).status_code == 200
    state = platform.state()
    assert overrides(state, local["id"]) == {REMOTE: {f"{local['id']}/{LIGHT}": WHITE}}
    assert state.variables[REMOTE] == seed["meta"]["variables"][REMOTE]


test_deleting_variables = contract(
    Row(
        "a variable that nothing aliases is gone",
        variables(delete(GAP)),
        after=lambda s: GAP not in s.variables and GAP not in s.collections[PRIMITIVES]["variableIds"],
    ),
    Row(
        "it is gone from extensions and their overrides too",
        variables(delete(LINK)),
        after=lambda s: (
            LINK not in s.variables
            and overrides(s, REGION) == {}
            and all(
                LINK not in s.collections[each][member]
                for each in (BRAND, REGION)
                for member in ("variableIds", "inheritedVariableIds")
            )
        ),
    ),
    Row(
        "one that another aliases stays as deleted, and the alias dangles as it was",
        variables(delete(BLUE)),
        after=lambda s: (
            s.variables[BLUE]["deletedButReferenced"] is True
            and s.variables[BLUE]["valuesByMode"] != {}
            and BLUE in s.collections[PRIMITIVES]["variableIds"]
            and value_of(ACCENT, LIGHT)(s) == alias(BLUE)
        ),
    ),
    Row(
        "it goes in the same request when the last alias to it does",
        variables(
            delete(BLUE),
            variableModeValues=[
                {"variableId": ACCENT, "modeId": LIGHT, "value": RED},
                {"variableId": LINK, "modeId": REGION_DARK, "value": None},
            ],
        ),
        after=lambda s: BLUE not in s.variables,
    ),
    Row(
        "with a chain's end deleted first, all of it goes",
        variables(delete(BLUE), delete(ACCENT), delete(LINK)),
        after=lambda s: not {BLUE, ACCENT, LINK} & {*s.variables},
    ),
    Row(
        "with a chain's start deleted first, all of it goes",
        variables(delete(LINK), delete(ACCENT), delete(BLUE)),
        after=lambda s: not {BLUE, ACCENT, LINK} & {*s.variables},
    ),
    Row(
        "a deleted variable keeps what it aliases only as long as it stays itself",
        variables(delete(ACCENT), delete(BLUE)),
        after=lambda s: (
            s.variables[ACCENT]["deletedButReferenced"] is s.variables[BLUE]["deletedButReferenced"] is True
        ),
    ),
    Row(
        "the aliases that a new mode starts with count too",
        modes(
            create(id="m", name="Dusk", variableCollectionId=THEME),
            variables=[delete(BLUE)],
            **values((ACCENT, LIGHT, RED), (LINK, REGION_DARK, None)),
        ),
        after=lambda s: s.variables[BLUE]["deletedButReferenced"] is True,
    ),
    Row(
        "a mode that goes takes its aliases along",
        modes(delete(LIGHT), variables=[delete(ACCENT)]),
        after=lambda s: ACCENT not in s.variables,
    ),
    Row(
        "an extension that goes takes its aliases along",
        collections(delete(BRAND), variables=[delete(BLUE)], variableModeValues=[])
        | {"variableModes": [delete(LIGHT)]},
        after=lambda s: BLUE not in s.variables,
    ),
    Row("a variable is deleted once", variables(delete(GAP), delete(GAP)), 400, "not found"),
    Row(
        "a deleted variable is no alias's target",
        variables(delete(BLUE), variableModeValues=[{"variableId": ACCENT, "modeId": DARK, "value": alias(BLUE)}]),
        400,
        "not found",
    ),
    Row(
        "a variable made and deleted in one request leaves nothing",
        variables(new_variable(), delete("v")),
        after=lambda s: s.ids["v"] not in s.variables and s.ids["v"] not in s.collections[PRIMITIVES]["variableIds"],
    ),
)


def test_a_variable_that_came_as_deleted_stays_since_layers_may_refer_to_it():
    platform = Platform()
    assert platform.post(variables(delete(ODD))).status_code == 200
    assert GONE in platform.state().variables


def test_a_deleted_variable_goes_though_it_aliases_itself_as_a_seed_may_have_it():
    platform = Platform()
    odd = response()
    odd["meta"]["variables"][ACCENT]["valuesByMode"][DARK] = alias(ACCENT)
    platform.emulator.seed(KEY, json.dumps(odd).encode())
    assert platform.post(variables(delete(LINK), delete(ACCENT))).status_code == 200
    assert ACCENT not in platform.state().variables


def test_a_deleted_variable_goes_in_a_later_request_when_the_last_alias_to_it_does():
    platform = Platform()
    platform.post(variables(delete(BLUE)))
    platform.post(values((ACCENT, LIGHT, RED)))
    assert BLUE in platform.state().variables
    platform.post(values((LINK, REGION_DARK, None)))
    assert BLUE not in platform.state().variables
    assert BLUE not in platform.state().collections[PRIMITIVES]["variableIds"]


def test_rule_6_a_collection_has_5000_variables_and_not_one_more():
    platform = Platform()
    entries = [create(name=str(n), variableCollectionId="c", resolvedType="BOOLEAN") for n in range(5000)]
    body = collections(create(id="c", name="Many"), variables=entries)
    refused = platform.post(body | {"variables": [*entries, entries[0] | {"name": "more"}]})
    assert refused.status_code == 400
    assert "at most 5000 variables" in refused.json["message"]
    id_ = platform.post(body).json["meta"]["tempIdToRealId"]["c"]
    more = new_variable(in_=id_)
    assert platform.post(variables(more)).status_code == 400
    first = platform.state().collections[id_]["variableIds"][0]
    assert platform.post(variables(delete(first), more)).status_code == 200


@pytest.mark.parametrize("backwards", [False, True])
def test_a_chain_of_thousands_of_aliases_is_written_in_a_moment(backwards):
    platform = Platform()
    count = 4000
    entries = [new_variable(f"v{n}", id=f"v{n}") for n in range(count)]
    chain = [(f"v{n}", VALUE, alias(f"v{n + 1}")) for n in range(count - 1)]
    if backwards:
        chain.reverse()
    body = variables(*entries, variableModeValues=values(*chain)["variableModeValues"])
    ids = platform.post(body).json["meta"]["tempIdToRealId"]
    answer = platform.post(values((ids[f"v{count - 1}"], VALUE, alias(ids["v0"]))))
    assert "cycle" in answer.json["message"]
