"""Requests of simple sync scripts, which use the names of new objects as temporary ids."""

from emulator.platform import Platform

MADE = {
    "variableCollections": [
        {"action": "CREATE", "id": "Sea", "name": "Sea", "initialModeId": "day"},
        {"action": "CREATE", "id": "Roles", "name": "Roles", "initialModeId": "light"},
    ],
    "variableModes": [
        {"action": "UPDATE", "id": "day", "name": "day", "variableCollectionId": "Sea"},
        {"action": "UPDATE", "id": "light", "name": "light", "variableCollectionId": "Roles"},
        {"action": "CREATE", "id": "dark", "name": "dark", "variableCollectionId": "Roles"},
    ],
    "variables": [
        {
            "action": "CREATE",
            "id": "sea/blue",
            "name": "sea/blue",
            "variableCollectionId": "Sea",
            "resolvedType": "COLOR",
            "description": "",
            "hiddenFromPublishing": False,
            "scopes": ["ALL_SCOPES"],
            "codeSyntax": {},
        },
        {
            "action": "CREATE",
            "id": "accent",
            "name": "accent",
            "variableCollectionId": "Roles",
            "resolvedType": "COLOR",
        },
    ],
    "variableModeValues": [
        {"variableId": "sea/blue", "modeId": "day", "value": {"r": 0.12549, "g": 0.25098, "b": 0.50196}},
        {"variableId": "accent", "modeId": "light", "value": {"type": "VARIABLE_ALIAS", "id": "sea/blue"}},
        {"variableId": "accent", "modeId": "dark", "value": {"r": 0, "g": 0, "b": 0, "a": 1}},
    ],
}


def test_names_serve_as_temporary_ids_and_empty_arrays_do_no_harm():
    platform = Platform()
    platform.emulator.files.create("Empty")
    answer = platform.post(MADE, "Empty")
    assert answer.status_code == 200, answer.json
    ids = answer.json["meta"]["tempIdToRealId"]
    assert set(ids) == {"Sea", "Roles", "day", "light", "dark", "sea/blue", "accent"}
    state = platform.state(ids, "Empty")
    assert [mode["name"] for mode in state.collection("Roles")["modes"]] == ["light", "dark"]
    assert state.variable("accent")["valuesByMode"][ids["light"]]["id"] == ids["sea/blue"]
    nothing = {array: [] for array in MADE}
    nothing["variables"] = [{"action": "UPDATE", "id": ids["accent"], "description": "of the day"}]
    assert platform.post(nothing, "Empty").status_code == 200
