"""POST variables: creating, updating and deleting collections and modes."""

from emulator.platform import (
    ACCENT,
    BLUE,
    BRAND,
    BRAND_DARK,
    BRAND_LIGHT,
    DARK,
    GAP,
    LIGHT,
    LINK,
    PRIMITIVES,
    RED,
    REGION,
    REGION_DARK,
    REGION_LIGHT,
    REMOTE_COLLECTION,
    THEME,
    VALUE,
    Platform,
    Row,
    alias,
    collections,
    contract,
    create,
    delete,
    modes,
    new_variable,
    update,
    values,
    variables,
)

EXTENDS = {"id": "e", "name": "New", "parentVariableCollectionId": THEME}
MAPPING = "initialModeIdToParentModeIdMapping"


def names(state, collection):
    return [mode["name"] for mode in state.collections[collection]["modes"]]


def ids(state, collection):
    return [mode["modeId"] for mode in state.collections[collection]["modes"]]


test_collections = contract(
    Row(
        "rule 5: a new collection has one mode, which is its default",
        collections(create(id="c", name="New")),
        after=lambda s: (
            len(s.collection("c")["modes"]) == 1
            and s.collection("c")["defaultModeId"] == s.collection("c")["modes"][0]["modeId"]
            and s.collection("c")["variableIds"] == []
            and s.collection("c")["remote"] is s.collection("c")["isExtension"] is False
            and s.collection("c")["hiddenFromPublishing"] is False
            and len(s.collection("c")["key"]) == 40
        ),
    ),
    Row("a new collection needs a name", collections(create(id="c")), 400, "name: is required"),
    Row("a name is not empty", collections(create(name="")), 400, "name: must not be empty"),
    Row("a name is a string", collections(create(name=None)), 400, "name: must be a string"),
    Row("two collections may have one name", collections(create(name="Theme"))),
    Row(
        "a collection is made hidden",
        collections(create(id="c", name="New", hiddenFromPublishing=True)),
        after=lambda s: s.collection("c")["hiddenFromPublishing"] is True,
    ),
    Row("hidden is a boolean", collections(create(name="X", hiddenFromPublishing=1)), 400, "must be a boolean"),
    Row("UPDATE needs an id", collections({"action": "UPDATE"}), 400, "id: is required"),
    Row("DELETE needs an id", collections({"action": "DELETE"}), 400, "id: is required"),
    Row("an id has to be there", collections(update("VariableCollectionId:8:8")), 400, "not found"),
    Row(
        "UPDATE changes what is given and leaves the rest, unknown members too",
        collections(update(THEME, name="Colours")),
        after=lambda s: (
            s.collections[THEME]["name"] == "Colours"
            and s.collections[THEME]["hiddenFromPublishing"] is False
            and s.collections[THEME]["ofTomorrow"] is True
        ),
    ),
    Row(
        "UPDATE hides a collection",
        collections(update(THEME, hiddenFromPublishing=True)),
        after=lambda s: s.collections[THEME]["hiddenFromPublishing"] is True,
    ),
    Row("a name cannot be taken away", collections(update(THEME, name="")), 400, "name: must not be empty"),
    Row(
        "rule 11: a remote collection cannot be updated",
        collections(update(REMOTE_COLLECTION, name="X")),
        400,
        "is remote",
    ),
    Row("rule 11: nor deleted", collections(delete(REMOTE_COLLECTION)), 400, "is remote"),
    Row(
        "a parent is given at CREATE only",
        collections(update(THEME, parentVariableCollectionId=PRIMITIVES)),
        400,
        "only be set when the action is CREATE",
    ),
    Row("a first mode's id too", collections(update(THEME, initialModeId="m")), 400, "only be set when"),
    Row(
        "an extension can be renamed and hidden",
        collections(update(BRAND, name="B", hiddenFromPublishing=True)),
        after=lambda s: s.collections[BRAND]["name"] == "B" and s.collections[BRAND]["hiddenFromPublishing"],
    ),
)

test_extensions = contract(
    Row(
        "rule 7: an extension has all modes and variables of its parent, and no values of its own",
        collections(create(**EXTENDS)),
        after=lambda s: (
            s.collection("e")["isExtension"] is True
            and s.collection("e")["parentVariableCollectionId"] == THEME
            and s.collection("e")["rootVariableCollectionId"] == THEME
            and s.collection("e")["variableIds"] == s.collections[THEME]["variableIds"]
            and s.collection("e")["inheritedVariableIds"] == s.collections[THEME]["variableIds"]
            and s.collection("e")["localVariableIds"] == []
            and s.collection("e")["variableOverrides"] == {}
            and s.collection("e")["defaultModeId"] == f"{s.ids['e']}/{LIGHT}"
            and s.collection("e")["modes"]
            == [
                {"modeId": f"{s.ids['e']}/{LIGHT}", "name": "Light", "parentModeId": LIGHT},
                {"modeId": f"{s.ids['e']}/{DARK}", "name": "Dark", "parentModeId": DARK},
            ]
        ),
    ),
    Row(
        "an extension is extended: its modes' parents are the extension's, their ids end in the root's",
        collections(create(**EXTENDS | {"parentVariableCollectionId": REGION})),
        after=lambda s: (
            s.collection("e")["rootVariableCollectionId"] == THEME
            and s.collection("e")["modes"][1]
            == {"modeId": f"{s.ids['e']}/{DARK}", "name": "Dark", "parentModeId": REGION_DARK}
        ),
    ),
    Row(
        "a collection of the same request is extended, by its temporary id",
        collections(create(id="c", name="C"), create(**EXTENDS | {"parentVariableCollectionId": "c"})),
        after=lambda s: s.collection("e")["parentVariableCollectionId"] == s.ids["c"],
    ),
    Row(
        "but not when the request makes modes of it, which come after collections",
        collections(create(**EXTENDS), variableModes=[create(name="X", variableCollectionId=THEME)]),
        400,
        "the same request extends",
    ),
    Row(
        "nor when it makes modes of a parent's parent",
        collections(
            create(**EXTENDS | {"parentVariableCollectionId": REGION}),
            variableModes=[create(name="X", variableCollectionId=THEME)],
        ),
        400,
        "the same request extends",
    ),
    Row(
        "a parent is not combined with a first mode's id",
        collections(create(**EXTENDS, initialModeId="m")),
        400,
        "initialModeId: cannot be combined",
    ),
    Row(
        "a parent is local",
        collections(create(**EXTENDS | {"parentVariableCollectionId": REMOTE_COLLECTION})),
        400,
        "is remote",
    ),
    Row(
        "a parent is there",
        collections(create(**EXTENDS | {"parentVariableCollectionId": "VariableCollectionId:8:8"})),
        400,
        "not found",
    ),
    Row(
        "a mapping gives some of the modes temporary ids, which can be used at once",
        collections(
            create(**EXTENDS, **{MAPPING: {DARK: "d"}}),
            variableModeValues=[{"variableId": ACCENT, "modeId": "d", "value": alias(BLUE)}],
        ),
        after=lambda s: (
            s.ids["d"] == f"{s.ids['e']}/{DARK}"
            and s.collection("e")["variableOverrides"] == {ACCENT: {s.ids["d"]: alias(BLUE)}}
        ),
    ),
    Row(
        "a mapping's keys are the parent's own mode ids, extended ones under an extended parent",
        collections(create(**EXTENDS | {"parentVariableCollectionId": BRAND, MAPPING: {BRAND_LIGHT: "l"}})),
        after=lambda s: s.ids["l"] == f"{s.ids['e']}/{LIGHT}",
    ),
    Row(
        "a mapping's key may be the temporary id of the first mode of a new parent",
        collections(
            create(id="c", name="C", initialModeId="m"),
            create(**EXTENDS | {"parentVariableCollectionId": "c", MAPPING: {"m": "em"}}),
        ),
        after=lambda s: s.ids["em"] == f"{s.ids['e']}/{s.ids['m']}",
    ),
    Row(
        "a mapping's key is a mode of the parent",
        collections(create(**EXTENDS, **{MAPPING: {VALUE: "x"}})),
        400,
        "is not a mode of the parent",
    ),
    Row(
        "a mapping's ids are unique in the request",
        collections(create(**EXTENDS, **{MAPPING: {LIGHT: "e"}})),
        400,
        "used more than once",
    ),
    Row("a mapping maps to strings", collections(create(**EXTENDS, **{MAPPING: {LIGHT: 1}})), 400, "strings"),
    Row("a mapping is an object", collections(create(**EXTENDS, **{MAPPING: []})), 400, "must be an object"),
    Row(
        "a mapping needs a parent",
        collections(create(name="X", **{MAPPING: {LIGHT: "x"}})),
        400,
        "only be used together with parentVariableCollectionId",
    ),
    Row(
        "rule 7: no mode is made in an extension",
        modes(create(name="X", variableCollectionId=BRAND)),
        400,
        "cannot be created in an extended",
    ),
    Row(
        "rule 7: no mode is renamed in an extension",
        modes(update(BRAND_LIGHT, name="X", variableCollectionId=BRAND)),
        400,
        "cannot be updated",
    ),
    Row(
        "rule 7: no mode is deleted in an extension alone", modes(delete(BRAND_LIGHT)), 400, "with its parent mode only"
    ),
    Row(
        "rule 7: an extension's mode may be deleted along with its parent mode",
        modes(delete(DARK), delete(BRAND_DARK), delete(REGION_DARK, variableCollectionId=REGION)),
        after=lambda s: [ids(s, each) for each in (THEME, BRAND, REGION)] == [[LIGHT], [BRAND_LIGHT], [REGION_LIGHT]],
    ),
    Row(
        "rule 7: no variable is made in an extension",
        variables(new_variable(in_=BRAND)),
        400,
        "cannot be created in an extended",
    ),
    Row(
        "rule 7: a variable made in the root is in all its extensions",
        variables(new_variable(in_=THEME)),
        after=lambda s: all(
            s.collections[each][member][-1] == s.ids["v"]
            for each in (BRAND, REGION)
            for member in ("variableIds", "inheritedVariableIds")
        ),
    ),
)

test_modes = contract(
    Row(
        "rule 10: a new mode starts with the default mode's values",
        modes(create(id="m", name="Dim", variableCollectionId=THEME)),
        after=lambda s: (
            names(s, THEME) == ["Light", "Dark", "Dim"]
            and s.variables[ACCENT]["valuesByMode"][s.ids["m"]] == alias(BLUE)
            and s.variables[LINK]["valuesByMode"][s.ids["m"]] == alias(ACCENT)
            and s.collections[THEME]["defaultModeId"] == LIGHT
        ),
    ),
    Row(
        "rule 7: a new mode is in all extensions, at every depth",
        modes(create(id="m", name="Dim", variableCollectionId=THEME)),
        after=lambda s: (
            s.collections[BRAND]["modes"][2]
            == {"modeId": f"{BRAND}/{s.ids['m']}", "name": "Dim", "parentModeId": s.ids["m"]}
            and s.collections[REGION]["modes"][2]
            == {"modeId": f"{REGION}/{s.ids['m']}", "name": "Dim", "parentModeId": f"{BRAND}/{s.ids['m']}"}
        ),
    ),
    Row("a new mode needs a name", modes(create(variableCollectionId=THEME)), 400, "name: is required"),
    Row("a new mode needs a collection", modes(create(name="X")), 400, "variableCollectionId: is required"),
    Row(
        "rule 11: not a remote one",
        modes(create(name="X", variableCollectionId=REMOTE_COLLECTION)),
        400,
        "is remote",
    ),
    Row(
        "rule 6: a mode's name has 40 characters",
        modes(create(name="é" * 40, variableCollectionId=THEME)),
        after=lambda s: names(s, THEME)[2] == "é" * 40,
    ),
    Row("rule 6: and not 41", modes(create(name="x" * 41, variableCollectionId=THEME)), 400, "at most 40 characters"),
    Row(
        "rule 6: a rename keeps to that too",
        modes(update(LIGHT, name="x" * 41, variableCollectionId=THEME)),
        400,
        "at most 40 characters",
    ),
    Row(
        "rule 6: a collection has 40 modes",
        modes(*(create(name=str(n), variableCollectionId=THEME) for n in range(38))),
        after=lambda s: len(ids(s, THEME)) == len(ids(s, REGION)) == 40,
    ),
    Row(
        "rule 6: and not 41",
        modes(*(create(name=str(n), variableCollectionId=THEME) for n in range(39))),
        400,
        r"variableModes\[38\].*at most 40 modes",
    ),
    Row(
        "a renamed mode is renamed in all extensions",
        modes(update(DARK, name="Night", variableCollectionId=THEME)),
        after=lambda s: [names(s, each)[1] for each in (THEME, BRAND, REGION)] == ["Night"] * 3,
    ),
    Row("UPDATE needs the collection", modes(update(DARK, name="Night")), 400, "variableCollectionId: is required"),
    Row(
        "UPDATE needs the right collection",
        modes(update(DARK, name="Night", variableCollectionId=PRIMITIVES)),
        400,
        "is not in collection",
    ),
    Row("UPDATE without a name changes nothing", modes(update(DARK, variableCollectionId=THEME))),
    Row(
        "a mode is deleted with its values, its extensions and their overrides",
        modes(delete(DARK, variableCollectionId=THEME)),
        after=lambda s: (
            [ids(s, each) for each in (THEME, BRAND, REGION)] == [[LIGHT], [BRAND_LIGHT], [REGION_LIGHT]]
            and s.variables[ACCENT]["valuesByMode"] == {LIGHT: alias(BLUE)}
            and s.collections[REGION]["variableOverrides"] == {}
            and s.collections[BRAND]["variableOverrides"] == {ACCENT: {BRAND_LIGHT: RED}}
        ),
    ),
    Row(
        "a mode is deleted without naming its collection",
        modes(delete(DARK)),
        after=lambda s: ids(s, THEME) == [LIGHT],
    ),
    Row(
        "but not from another collection",
        modes(delete(DARK, variableCollectionId=PRIMITIVES)),
        400,
        "is not in collection",
    ),
    Row("a mode that is not there", modes(delete("8:8")), 400, "not found"),
    Row("the last mode stays", modes(delete(VALUE)), 400, "last mode"),
    Row("even when others went in this request", modes(delete(DARK), delete(LIGHT)), 400, "last mode"),
    Row(
        "without its default mode a collection's first other mode is the default, in its extensions too",
        modes(delete(LIGHT, variableCollectionId=THEME)),
        after=lambda s: (
            [s.collections[each]["defaultModeId"] for each in (THEME, BRAND, REGION)] == [DARK, BRAND_DARK, REGION_DARK]
        ),
    ),
    Row(
        "a mode of a remote collection stays",
        modes(delete(LIGHT, variableCollectionId=REMOTE_COLLECTION)),
        400,
        "is remote",
    ),
)


def test_a_mode_id_of_two_collections_needs_the_collection_to_delete_it():
    import json

    from emulator.platform import KEY, collection, response

    seed = response()
    other = collection("VariableCollectionId:7:1", "Other", {LIGHT: "Light", "7:7": "Second"}, [])
    seed["meta"]["variableCollections"][other["id"]] = other
    platform = Platform()
    platform.emulator.seed(KEY, json.dumps(seed).encode())
    answer = platform.post(modes(delete(LIGHT)))
    assert answer.status_code == 400
    assert "several collections" in answer.json["message"]
    assert platform.post(modes(delete(LIGHT, variableCollectionId=other["id"]))).status_code == 200
    assert ids(platform.state(), THEME) == [LIGHT, DARK]


test_deleting_collections = contract(
    Row(
        "a collection that nothing refers to goes with its variables",
        collections(create(id="c", name="C"), variables=[new_variable(in_="c")]) | {"variableModes": []},
        after=lambda s: s.ids["c"] in s.collections,
    ),
    Row(
        "its extensions go with it, and their overrides refer to nothing any more",
        collections(delete(BRAND)),
        after=lambda s: BRAND not in s.collections and REGION not in s.collections and THEME in s.collections,
    ),
    Row(
        "an extension alone goes without its parent",
        collections(delete(REGION)),
        after=lambda s: REGION not in s.collections and BRAND in s.collections,
    ),
    Row(
        "what others alias in it stays as deleted, and the collection as long as it does",
        collections(delete(PRIMITIVES)),
        after=lambda s: (
            s.collections[PRIMITIVES]["deletedButReferenced"] is True
            and s.collections[PRIMITIVES]["variableIds"] == [BLUE]
            and s.variables[BLUE]["deletedButReferenced"] is True
            and GAP not in s.variables
        ),
    ),
    Row(
        "a deleted collection is not there any more",
        collections(delete(BRAND), update(BRAND, name="X")),
        400,
        "not found",
    ),
    Row(
        "nor are its modes",
        collections(delete(PRIMITIVES), variableModes=[create(name="X", variableCollectionId=PRIMITIVES)]),
        400,
        "not found",
    ),
    Row(
        "a collection made and deleted in one request leaves nothing",
        collections(create(id="c", name="C"), delete("c")),
        after=lambda s: s.ids["c"] not in s.collections,
    ),
    Row(
        "an extension made and deleted in one request leaves nothing",
        collections(create(**EXTENDS), delete("e")),
        after=lambda s: s.ids["e"] not in s.collections,
    ),
)


def test_a_deleted_collection_goes_when_the_last_reference_into_it_does():
    platform = Platform()
    assert platform.post(collections(delete(PRIMITIVES))).status_code == 200
    overrides = values((ACCENT, LIGHT, RED), (LINK, REGION_DARK, None))
    assert platform.post(overrides).status_code == 200
    state = platform.state()
    assert BLUE not in state.variables
    assert PRIMITIVES not in state.collections
