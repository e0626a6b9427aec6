"""GET local, GET published and POST variables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from emulator.contract.rows import Answer, Row, get, post
from emulator.platform import (
    ACCENT,
    BLUE,
    BRAND,
    BRAND_LIGHT,
    DARK,
    GAP,
    GONE,
    LABEL,
    LIGHT,
    LINK,
    MUTED,
    PRIMITIVES,
    RED,
    REMOTE,
    REMOTE_COLLECTION,
    THEME,
    VALUE,
    Platform,
    State,
    alias,
    collections,
    create,
    delete,
    modes,
    new_variable,
    update,
    values,
    variables,
)

LOCAL = "/v1/files/{file}/variables/local"
PUBLISHED = "/v1/files/{file}/variables/published"
WRITE = "/v1/files/{file}/variables"
FIELDS = {
    *("id", "name", "key", "variableCollectionId", "resolvedType", "valuesByMode", "remote", "description"),
    *("hiddenFromPublishing", "scopes", "codeSyntax"),
}
COLLECTION_FIELDS = {"id", "name", "key", "modes", "defaultModeId", "remote", "hiddenFromPublishing", "variableIds"}
PUBLISHED_FIELDS = {"id", "subscribed_id", "name", "key", "updatedAt"}
EXTENSION_FIELDS = {
    *("parentVariableCollectionId", "rootVariableCollectionId", "inheritedVariableIds", "localVariableIds"),
    "variableOverrides",
}
FIVE = {"name": "Five", "parentVariableCollectionId": THEME, "id": "e"}


def every(body: Any, kind: str) -> list[dict[str, Any]]:
    """Return the objects of a kind in a response, at least one."""
    items = [*body["meta"][kind].values()]
    assert items
    return items


def published(platform: Platform) -> Mapping[str, str]:
    platform.emulator.publish("Harbor")
    return {}


def branch(platform: Platform) -> Mapping[str, str]:
    platform.emulator.files.branch("Harbor", "Twig")
    return {"branch": "Twig"}


def plan(name: str) -> Callable[[Platform], Mapping[str, str]]:
    def setup(platform: Platform) -> Mapping[str, str]:
        platform.emulator.files.set_plan("Harbor", name)
        return {}

    return setup


def account(name: str) -> Callable[[Platform], Mapping[str, str]]:
    def setup(platform: Platform) -> Mapping[str, str]:
        platform.emulator.tokens.set_account(platform.emulator.default_token, name)
        return {}

    return setup


def viewer(platform: Platform) -> Mapping[str, str]:
    return {"viewer": platform.emulator.tokens.create(permission="viewer")}


def figjam(platform: Platform) -> Mapping[str, str]:
    platform.emulator.files.set_editor("Harbor", "figjam")
    return {}


def then(body_matches: Callable[[State], Any]) -> Callable[[Answer, Platform], bool]:
    """Return a check of the file after the request."""
    return lambda answer, platform: bool(body_matches(platform.state(answer.body["meta"]["tempIdToRealId"])))


def untouched(answer: Answer, platform: Platform) -> bool:
    return bool(platform.get().data == Platform().get().data)


def changed(cites: str | tuple[str, ...], body: Any, body_matches: Callable[[State], Any] = lambda state: True) -> Row:
    """Return a row whose change succeeds."""
    return Row((cites,) if isinstance(cites, str) else cites, post(WRITE, body), after=then(body_matches))


def refused(cites: str | tuple[str, ...], body: Any, message: str) -> Row:
    """Return a row whose change is refused as a whole."""
    return Row((cites,) if isinstance(cites, str) else cites, post(WRITE, body), 400, message, after=untouched)


def shared_font(platform: Platform) -> Mapping[str, str]:
    platform.emulator.variables.bind_to_shared_font("Harbor", LABEL)
    return {}


def two_publishes(platform: Platform) -> Mapping[str, str]:
    """Publish, change one variable, publish again; the first answer is kept for the row."""
    platform.emulator.publish("Harbor")
    before = platform.get("published").json["meta"]["variables"]
    assert platform.post(variables(update(GAP, name="space"))).status_code == 200
    platform.emulator.publish("Harbor")
    return {"gap": before[GAP]["subscribed_id"], "blue": before[BLUE]["subscribed_id"]}


def only_the_changed_one_is_new(answer: Answer, platform: Platform) -> bool:
    fresh = Platform()
    before = two_publishes(fresh)
    now = answer.body["meta"]["variables"]
    return now[GAP]["subscribed_id"] != before["gap"] and now[BLUE]["subscribed_id"] == before["blue"]


READING = (
    Row(
        (
            "envelope: most answers stand in an envelope of status, error and meta",
            "local variables: a local variable has these fields",
            "variables: local variables of a file or a branch, with the remote ones it uses",
        ),
        get(LOCAL),
        body_matches=lambda body: (
            body["error"] is False and all(set(each) >= FIELDS for each in every(body, "variables"))
        ),
        live=True,
    ),
    Row(
        (
            "local collections: a local collection has these fields",
            "local collections: variableIds is the order of the collection",
        ),
        get(LOCAL),
        body_matches=lambda body: all(set(each) >= COLLECTION_FIELDS for each in every(body, "variableCollections")),
        live=True,
    ),
    Row(
        ("local collections: an extended collection names its parent, its root and its overrides",),
        get(LOCAL),
        body_matches=lambda body: set(body["meta"]["variableCollections"][BRAND]) >= EXTENSION_FIELDS,
    ),
    Row(
        ("local collections: deletedButReferenced reports what is deleted and still referenced",),
        get(LOCAL),
        body_matches=lambda body: body["meta"]["variables"][GONE]["deletedButReferenced"] is True,
    ),
    Row(
        ("local variables: a remote variable is named by its subscribed id",),
        get(LOCAL),
        body_matches=lambda body: body["meta"]["variables"][REMOTE]["remote"] is True and "/" in REMOTE,
    ),
    Row(
        ("variables: local variables of a file or a branch, with the remote ones it uses",),
        get("/v1/files/{branch}/variables/local"),
        setup=branch,
    ),
    Row(
        (
            "published variables: a published variable and collection have these fields and no modes",
            "variables: published variables are of a main file",
        ),
        get(PUBLISHED),
        setup=published,
        body_matches=lambda body: (
            all(set(each) >= {*PUBLISHED_FIELDS, "variableCollectionId"} for each in every(body, "variables"))
            and all({*each} >= PUBLISHED_FIELDS and "modes" not in each for each in every(body, "variableCollections"))
        ),
    ),
    Row(
        (
            "published variables: id and key stay for a lifetime; publishing a change changes subscribed_id",
            "published variables: updatedAt of a collection changes with any of its variables",
        ),
        get(PUBLISHED),
        setup=two_publishes,
        body_matches=lambda body: {GAP, BLUE} <= set(body["meta"]["variables"]),
        after=only_the_changed_one_is_new,
    ),
    Row(
        ("variables: published variables are of a main file", "variables: reading errors are 400, 401 and 403"),
        get("/v1/files/{branch}/variables/published"),
        400,
        "File key must be the key of a main file, not of a branch",
        setup=branch,
    ),
    *(
        Row(
            (
                "variables: variables are for full members of an Enterprise plan",
                "errors: 403 covers plan, account type, scope, file permissions and design files",
            ),
            request,
            403,
            message,
            setup=setup,
        )
        for request in (get(LOCAL), get(PUBLISHED), post(WRITE, values((GAP, VALUE, 1))))
        for setup, message in (
            (plan("organization"), "Limited by Figma plan"),
            (account("guest"), "Incorrect account type"),
        )
    ),
    *(
        Row(
            ("variables: reading errors are 400, 401 and 403",),
            get(f"/v1/files/Har.bor/variables/{which}"),
            400,
            "file_key must be the key of a file",
        )
        for which in ("local", "published")
    ),
    Row(
        ("variables: a file that is not there is 404", "errors: 404 is a thing that is not there"),
        get("/v1/files/Nowhere/variables/local"),
        404,
        "Not found",
    ),
)

ACCESS = (
    Row(
        ("variables: writing needs file_variables:write and edit access",),
        post(WRITE, values((GAP, VALUE, 1)), by="{viewer}"),
        403,
        "Insufficient file permissions",
        setup=viewer,
    ),
    Row(
        ("variables: only design files are written",),
        post(WRITE, values((GAP, VALUE, 1))),
        403,
        "API only available for design files",
        setup=figjam,
    ),
    Row(
        ("variables: a branch is written too",),
        post("/v1/files/{branch}/variables", values((GAP, VALUE, 1))),
        setup=branch,
        after=untouched,
    ),
    Row(
        ("variables: a file that is not there is 404",),
        post("/v1/files/Nowhere/variables", values((GAP, VALUE, 1))),
        404,
        "Not found",
    ),
    Row(
        (
            "variables: 3 a body is 4 MB at most",
            "errors: 413 is a body of variables over 4 MB",
            "limits: 40 modes, 40 characters, 5000 variables, 4 MB",
        ),
        post(WRITE, b" " * (4_000_000 + 1)),
        413,
        "Request body is larger than 4 MB",
        after=untouched,
    ),
)

CHANGES = (
    changed(
        (
            "variables: 1 arrays are applied in their order, and changes in theirs",
            "variables: the answer maps temporary ids",
        ),
        {
            "variableModeValues": [{"variableId": "v", "modeId": "m2", "value": 3}],
            "variables": [new_variable(in_="c")],
            "variableModes": [create(id="m2", name="Second", variableCollectionId="c")],
            "variableCollections": [create(id="c", name="New", initialModeId="m1")],
        },
        lambda s: (
            s.variable("v")["valuesByMode"] == {s.ids["m1"]: 0, s.ids["m2"]: 3} and set(s.ids) == {"c", "m1", "m2", "v"}
        ),
    ),
    refused(
        (
            "variables: 2 a request is kept whole or not at all",
            "errors: 400 is a bad parameter or a failed validation, and the message describes it",
            "envelope: an error body has a message",
        ),
        variables(
            update(LABEL, name="renamed"), variableModeValues=[{"variableId": GAP, "modeId": VALUE, "value": "x"}]
        ),
        r"variableModeValues\[0\]\.value: does not match the type FLOAT.*",
    ),
    refused(
        "variables: 4 temporary ids are unique in a request and mapped to real ones",
        variables(new_variable("a"), new_variable("b")),
        r"variables\[1\]\.id: the temporary id 'v' is used more than once.*",
    ),
    changed("variables: all four arrays are optional", modes(update(LIGHT, name="Day", variableCollectionId=THEME))),
    *(
        refused("variables: UPDATE and DELETE need an id", {array: [{"action": action}]}, r".*\.id: is required.*")
        for array in ("variableCollections", "variableModes", "variables")
        for action in ("UPDATE", "DELETE")
    ),
    refused(
        "variable objects: an action is CREATE, UPDATE or DELETE",
        variables({"action": "MOVE"}),
        r".*action: must be one of.*",
    ),
    changed(
        "variable objects: an action is CREATE, UPDATE or DELETE",
        variables(new_variable(), update(GAP, name="g"), delete(MUTED)),
        lambda s: s.variables[GAP]["name"] == "g" and MUTED not in s.variables,
    ),
    refused("variables: a new collection needs a name", collections(create(id="c")), r".*name: is required.*"),
    changed(
        "variables: 5 a new collection has one mode",
        collections(create(id="c", name="New", hiddenFromPublishing=True)),
        lambda s: len(s.collection("c")["modes"]) == 1 and s.collection("c")["hiddenFromPublishing"],
    ),
    refused(
        "variables: a parent is local, given at CREATE, and not with a first mode",
        collections(create(**FIVE | {"parentVariableCollectionId": REMOTE_COLLECTION})),
        ".*is remote.*",
    ),
    refused(
        "variables: a parent is local, given at CREATE, and not with a first mode",
        collections(create(**FIVE, initialModeId="m")),
        ".*initialModeId: cannot be combined.*",
    ),
    refused(
        "variables: a parent is local, given at CREATE, and not with a first mode",
        collections(update(THEME, parentVariableCollectionId=PRIMITIVES)),
        ".*only be set when the action is CREATE.*",
    ),
    changed(
        "variables: a mapping of first modes may be sparse and needs a parent",
        collections(create(**FIVE, initialModeIdToParentModeIdMapping={DARK: "d"})),
        lambda s: s.ids["d"] == f"{s.ids['e']}/{DARK}",
    ),
    refused(
        "variables: a mapping of first modes may be sparse and needs a parent",
        collections(create(name="X", initialModeIdToParentModeIdMapping={DARK: "d"})),
        ".*only be used together with parentVariableCollectionId.*",
    ),
    refused(
        "variables: a mode change needs its collection",
        modes(create(name="X")),
        ".*variableCollectionId: is required.*",
    ),
    *(
        refused(
            "variables: a new variable needs name, collection and type",
            variables({key: value for key, value in new_variable().items() if key != missing}),
            rf".*{missing}: is required.*",
        )
        for missing in ("name", "variableCollectionId", "resolvedType")
    ),
    changed(
        (
            "variables: a type on UPDATE is ignored with 200",
            "variable objects: type and collection of a variable cannot change",
        ),
        variables(update(GAP, resolvedType="COLOR")),
        lambda s: s.variables[GAP]["resolvedType"] == "FLOAT",
    ),
    refused(
        "variable objects: type and collection of a variable cannot change",
        variables(update(GAP, variableCollectionId=THEME)),
        ".*cannot change.*",
    ),
    refused(
        (
            "local variables: a name is unique in its collection and has no dot or brace",
            "variables: 6 names are unique in a collection",
        ),
        variables(new_variable("gap")),
        r"variables\[0\]\.name: a variable named 'gap' exists already.*",
    ),
    *(
        refused(
            "local variables: a name is unique in its collection and has no dot or brace",
            variables(new_variable(f"a{each}b")),
            ".*cannot contain.*",
        )
        for each in ".{}"
    ),
    changed(
        "local variables: scopes limit pickers, not bindings",
        variables(
            update(GAP, scopes=["OPACITY"]), variableModeValues=values((MUTED, VALUE, alias(GAP)))["variableModeValues"]
        ),
        lambda s: s.variables[GAP]["scopes"] == ["OPACITY"],
    ),
    changed(
        "local variables: code syntax is of WEB, ANDROID and iOS",
        variables(update(GAP, codeSyntax={"WEB": "--gap", "ANDROID": "gap", "iOS": ".gap"})),
        lambda s: s.variables[GAP]["codeSyntax"]["iOS"] == ".gap",
    ),
    refused(
        "local variables: code syntax is of WEB, ANDROID and iOS",
        variables(update(GAP, codeSyntax={"IOS": "x"})),
        ".*'IOS' .*",
    ),
)

RULES = (
    *(
        refused(
            "variables: a value matches its type, and an alias resolves to it", body, ".*(does not match|resolves to).*"
        )
        for body in (values((GAP, VALUE, True)), values((GAP, VALUE, alias(BLUE))))
    ),
    changed(
        "local variables: an alias and a composed colour have their shapes",
        values((ACCENT, LIGHT, {"color": alias(BLUE), "opacity": 50}), (MUTED, VALUE, alias(GAP))),
        lambda s: s.variables[MUTED]["valuesByMode"][VALUE] == alias(GAP),
    ),
    refused(
        "variables: 8 an alias makes no cycle",
        values((ACCENT, DARK, alias(ACCENT))),
        ".*the variable itself.*",
    ),
    refused("variables: 8 an alias makes no cycle", values((ACCENT, LIGHT, alias(LINK))), ".*cycle.*"),
    refused(
        "variables: 8 a composed colour has an alias",
        values((ACCENT, LIGHT, {"color": RED, "opacity": 50})),
        ".*alias.*",
    ),
    refused(
        "variables: 7 extended collections make no modes and no variables, and inherit all",
        modes(create(name="X", variableCollectionId=BRAND)),
        ".*cannot be created in an extended.*",
    ),
    refused(
        "variables: 7 extended collections make no modes and no variables, and inherit all",
        variables(new_variable(in_=BRAND)),
        ".*extended.*",
    ),
    changed(
        "variables: 7 extended collections make no modes and no variables, and inherit all",
        variables(new_variable(in_=THEME)),
        lambda s: s.ids["v"] in s.collections[BRAND]["variableIds"],
    ),
    changed(
        "variables: 7 modes of an extended collection go with the parent's",
        modes(delete(DARK)),
        lambda s: [each["modeId"] for each in s.collections[BRAND]["modes"]] == [BRAND_LIGHT],
    ),
    changed(
        "variables: 9 a mode id of the root sets the root's value",
        values((ACCENT, LIGHT, RED)),
        lambda s: s.variables[ACCENT]["valuesByMode"][LIGHT] == RED,
    ),
    changed(
        "variables: 9 an extended mode id sets an override, and null removes it",
        values((LINK, BRAND_LIGHT, RED), (ACCENT, BRAND_LIGHT, None)),
        lambda s: s.collections[BRAND]["variableOverrides"] == {LINK: {BRAND_LIGHT: RED}},
    ),
    refused(
        "variables: 9 null with an original mode id is an error", values((GAP, VALUE, None)), ".*removes an override.*"
    ),
    changed(
        "variables: 10 new modes and variables have values",
        variables(new_variable(), variableModes=[create(id="m", name="New", variableCollectionId=PRIMITIVES)]),
        lambda s: s.variable("v")["valuesByMode"] == {VALUE: 0, s.ids["m"]: 0},
    ),
    Row(
        ("variables: 12 a string bound to text in a shared font cannot be updated",),
        post(WRITE, values((LABEL, VALUE, "x"))),
        400,
        f"Some node properties bound to the following variables could not be updated: {LABEL}",
        setup=shared_font,
    ),
    *(
        refused(("variables: 11 remote things are updated in their own file alone",), body, ".*is remote.*")
        for body in (
            variables(update(REMOTE, name="x")),
            collections(update(REMOTE_COLLECTION, name="x")),
            values((REMOTE, LIGHT, RED)),
        )
    ),
    refused(
        "variable objects: remote variables and collections cannot be updated",
        variables(delete(REMOTE)),
        ".*is remote.*",
    ),
    refused(
        ("variables: 6 40 modes a collection, 40 characters a mode, 5000 variables a collection",),
        modes(*(create(name=f"mode {n}", variableCollectionId=THEME) for n in range(39))),
        ".*40 modes.*",
    ),
    refused(
        ("variables: 6 40 modes a collection, 40 characters a mode, 5000 variables a collection",),
        modes(create(name="x" * 41, variableCollectionId=THEME)),
        ".*40 characters.*",
    ),
    refused(
        (
            "variables: 6 40 modes a collection, 40 characters a mode, 5000 variables a collection",
            "limits: 40 modes, 40 characters, 5000 variables, 4 MB",
        ),
        variables(*(new_variable(f"v{n}", id=None) for n in range(5000))),
        ".*5000 variables.*",
    ),
)

ROWS = (*READING, *ACCESS, *CHANGES, *RULES)
