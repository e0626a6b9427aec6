"""Saved responses in, the same responses out; and publishing."""

import json

import pytest
from corpus.building import CORPUS, NO_CORPUS
from emulator.platform import (
    ACCENT,
    BLUE,
    GAP,
    KEY,
    LIGHT,
    ODD,
    REMOTE,
    THEME,
    Platform,
    delete,
    new_variable,
    response,
    start,
    update,
    variables,
)

from tokensync.emulator.services.variables import draft
from tokensync.emulator.services.variables.publishing import Seed
from tokensync.system.errors import ProblemsError, UsageError

RESPONSES = sorted(path.name for path in CORPUS.glob("*local*.json"))


@pytest.mark.parametrize("name", RESPONSES or [pytest.param("", marks=pytest.mark.skip(NO_CORPUS))])
class TestCorpus:
    def test_a_real_response_comes_back_equal(self, name):
        text = (CORPUS / name).read_bytes()
        platform = Platform(start())
        platform.emulator.seed("Real", text)
        assert platform.get(key="Real").json == json.loads(text)

    def test_unchanged_members_remain_as_they_were(self, name):
        before = json.loads((CORPUS / name).read_bytes())
        platform = Platform(start())
        platform.emulator.seed("Real", json.dumps(before).encode())
        local = [v for v in before["meta"]["variables"].values() if not v["remote"] and "deletedButReferenced" not in v]
        changed = local[0]
        body = variables(update(changed["id"], description="changed"))
        assert platform.post(body, "Real").status_code == 200
        changed["description"] = "changed"
        assert platform.get(key="Real").json == before

    def test_all_its_values_can_be_written_again(self, name):
        """Every value that GET gives is one that POST takes, unless it aliases what is not there."""
        before = json.loads((CORPUS / name).read_bytes())
        platform = Platform(start())
        platform.emulator.seed("Real", json.dumps(before).encode())
        all_of_them = before["meta"]["variables"]
        there = {id_ for id_, v in all_of_them.items() if "deletedButReferenced" not in v}
        written = [
            {"variableId": id_, "modeId": mode, "value": value}
            for id_, variable in all_of_them.items()
            if not variable["remote"] and id_ in there
            for mode, value in variable["valuesByMode"].items()
            if not (isinstance(value, dict) and value.get("type") == "VARIABLE_ALIAS" and value["id"] not in there)
        ]
        answer = platform.post({"variableModeValues": written}, "Real")
        assert answer.status_code == 200, answer.json
        after = platform.get(key="Real").json
        assert after["meta"]["variableCollections"] == before["meta"]["variableCollections"]
        assert [*after["meta"]["variables"]] == [*all_of_them]


@pytest.mark.skipif(not (CORPUS / "primer-published.json").exists(), reason=NO_CORPUS)
def test_a_real_published_response_comes_back_equal():
    local, published = ((CORPUS / f"primer-{which}.json").read_bytes() for which in ("local", "published"))
    platform = Platform(start())
    platform.emulator.seed("Real", local, published)
    assert platform.get("published", "Real").json == json.loads(published)


def test_a_response_with_unknown_members_is_returned_unchanged():
    platform = Platform()
    assert platform.get().json == response()
    assert platform.get().headers["Content-Type"] == "application/json; charset=utf-8"


def test_a_file_without_variables_answers_empty_maps():
    platform = Platform()
    platform.emulator.files.create("Empty")
    empty = {"status": 200, "error": False, "meta": {"variables": {}, "variableCollections": {}}}
    assert platform.get(key="Empty").json == platform.get("published", "Empty").json == empty


def test_numbers_and_names_are_not_touched_by_a_seed():
    seed = b'{"meta":{"variables":{"VariableID:1:1":{"name":"a.b","x":1e400,"y":1.10}},"variableCollections":{}}}'
    platform = Platform()
    platform.emulator.seed("Odd", seed)
    assert b'{"name":"a.b","x":1e400,"y":1.10}' in platform.get(key="Odd").data


def test_a_byte_order_mark_is_omitted():
    platform = Platform()
    platform.emulator.seed("Marked", b"\xef\xbb\xbf" + json.dumps(response()).encode())
    assert platform.get(key="Marked").json == response()


def test_seeding_again_replaces_the_variables_and_keeps_the_file():
    platform = Platform()
    platform.emulator.files.set_plan(KEY, "starter")
    smaller = response()
    del smaller["meta"]["variables"][GAP]
    platform.emulator.seed(KEY, json.dumps(smaller).encode(), name="Harbor 2")
    assert platform.get().status_code == 403
    platform.emulator.files.set_plan(KEY, "enterprise")
    assert platform.get().json == smaller


@pytest.mark.parametrize(
    "bad",
    [
        b"",
        b"not JSON",
        json.dumps(response()).encode()[:-9],
        b"[]",
        b"{}",
        b'{"meta": null}',
        b'{"meta": {"variables": {}}}',
        b'{"status": 403, "err": "Invalid token"}',
        b'{"meta": {"variables": [], "variableCollections": {}}}',
        b'{"meta": {"variables": {"a": 5}, "variableCollections": {}}}',
        b'{"meta": {"variables": {"a": {"valuesByMode": []}}, "variableCollections": {}}}',
        b'{"meta": {"variables": {}, "variableCollections": {"c": {"modes": [{}]}}}}',
        b'{"meta": {"variables": {"a": {"valuesByMode": {"m": ' + b"[" * 200_000 + b"}}}}}",
        b'{"meta": {"variables": {"a": {"name": "\xff"}}, "variableCollections": {}}}',
        b'{"meta": {"variables": {"a": {"name": "\\ud800"}}, "variableCollections": {}}}',
    ],
)
def test_an_invalid_response_is_refused_and_the_file_remains_unchanged(bad):
    platform = Platform()
    before = platform.get().data
    with pytest.raises(
        ProblemsError, match=r"seed of Harbor, local variables(:\d+)?: not an answer .*\[seed-unreadable\]"
    ):
        platform.emulator.seed(KEY, bad)
    with pytest.raises(ProblemsError, match="seed of New, published variables: not an answer"):
        platform.emulator.seed("New", json.dumps(response()).encode(), b"{}")
    assert platform.get().data == before
    assert platform.emulator.files.keys() == (KEY,)


def test_a_response_that_cannot_be_read_is_named_with_its_line_and_no_file_is_seeded():
    platform = Platform()
    before = platform.get().data
    good = json.dumps(response()).encode()
    for local, published, where in (
        (b'{"meta": {\n"variables": {\n@', None, "a.json:3: "),
        (b'{"meta": {"variables": {}, "variableCollections": {}},\n"\xff": 1}', None, "a.json:2: "),
        (good, b'{"meta":\n\n[' + b"[" * 100_000, "b.json:3: "),
    ):
        seeds = [
            Seed(KEY, None, good.replace(b"Harbor", b"Cove"), None),
            Seed("X", "x", local, published, "a.json", "b.json"),
        ]
        with pytest.raises(ProblemsError, match=where):
            platform.emulator.seed_all(seeds)
        assert platform.emulator.files.keys() == (KEY,)
        assert platform.get().data == before


def published(platform):
    meta = platform.get("published").json["meta"]
    return meta["variables"], meta["variableCollections"]


def test_publishing_includes_local_live_visible_variables_with_both_names_of_the_type():
    platform = Platform()
    assert published(platform) == ({}, {})
    platform.post(variables(update(ODD, hiddenFromPublishing=True)))
    platform.emulator.publish(KEY)
    variables_, collections_ = published(platform)
    assert ACCENT in variables_
    assert not {ODD, REMOTE} & {*variables_}
    assert variables_[BLUE] == {
        "id": BLUE,
        "subscribed_id": f"VariableID:key-of-{BLUE}/1:1",
        "name": "blue/500",
        "key": f"key-of-{BLUE}",
        "variableCollectionId": "VariableCollectionId:1:1",
        "resolvedType": "COLOR",
        "resolvedDataType": "COLOR",
        "updatedAt": "2027-01-15T08:00:00.000Z",
    }
    assert set(collections_[THEME]) == {"id", "subscribed_id", "name", "key", "updatedAt"}


def test_a_variable_without_a_collection_is_not_published():
    platform = Platform()
    odd = response()
    del odd["meta"]["variables"][GAP]["variableCollectionId"]
    platform.emulator.seed(KEY, json.dumps(odd).encode())
    platform.emulator.publish(KEY)
    published = platform.get("published").json["meta"]["variables"]
    assert GAP not in published
    assert published != {}


def test_publishing_again_gives_changed_variables_and_their_collection_a_new_subscribed_id():
    platform = Platform()
    platform.emulator.publish(KEY)
    before, collections_before = published(platform)
    platform.post({"variableModeValues": [{"variableId": ACCENT, "modeId": LIGHT, "value": {"r": 0, "g": 0, "b": 0}}]})
    platform.post(variables(delete(GAP)))
    assert published(platform) == (before, collections_before)
    platform.emulator.publish(KEY)
    after, collections_after = published(platform)
    assert GAP not in after
    assert {id_ for id_ in after if after[id_] != before[id_]} == {ACCENT}
    assert after[ACCENT]["subscribed_id"].endswith("/1:2")
    changed = {id_ for id_ in collections_after if collections_after[id_] != collections_before[id_]}
    assert changed >= {THEME}
    platform.emulator.publish(KEY)
    assert published(platform) == (after, collections_after)


def test_publishing_a_seeded_library_leaves_unchanged_items():
    platform = Platform()
    platform.emulator.publish(KEY)
    text = platform.get("published").data
    other = Platform()
    other.emulator.seed(KEY, json.dumps(response()).encode(), text)
    other.emulator.publish(KEY)
    assert other.get("published").json == json.loads(text)


def test_scopes_and_code_syntax_platforms_of_a_seed_are_accepted_afterwards():
    """The documentation lists neither; the platform that the response came from has them."""
    odd = response()
    odd["meta"]["variables"][GAP] |= {"scopes": ["TRANSFORM"], "codeSyntax": {"FLUTTER": "gap"}}
    new = new_variable(scopes=["TRANSFORM", "GAP"], codeSyntax={"FLUTTER": "new"})
    platform = Platform()
    assert platform.post(variables(new)).status_code == 400
    platform.emulator.seed("Odd", json.dumps(odd).encode())
    assert platform.post(variables(delete(GAP)), "Odd").status_code == 200
    assert platform.post(variables(new), "Odd").status_code == 200
    assert platform.post(variables(new)).status_code == 200
    for refused in (
        new_variable("other", "STRING", scopes=["TRANSFORM"]),
        new_variable("other", scopes=["TRANSFORMS"]),
        new_variable("other", scopes=["ALL_SCOPES", "GAP", "TRANSFORM"]),
        new_variable("other", codeSyntax={"KMP": "other"}),
    ):
        assert platform.post(variables(refused), "Odd").status_code == 400


def test_the_words_of_seeds_are_read_once_a_request(monkeypatch):
    odd = response()
    odd["meta"]["variables"][GAP] |= {"scopes": ["TRANSFORM"], "codeSyntax": {"FLUTTER": "gap"}}
    platform = Platform()
    platform.emulator.seed(KEY, json.dumps(odd).encode())
    read = []
    seeded_words = draft.seeded_words
    monkeypatch.setattr(draft, "seeded_words", lambda connection: read.append(1) or seeded_words(connection))
    words = {"scopes": ["TRANSFORM"], "codeSyntax": {"FLUTTER": "new"}}
    changes = [new_variable(f"new {number}", id=f"v{number}", **words) for number in range(3)]
    assert platform.post(variables(*changes)).status_code == 200
    assert read == [1]


@pytest.mark.parametrize("words", [{"scopes": None, "codeSyntax": None}, {"scopes": [1, {}], "codeSyntax": ["WEB"]}])
def test_words_of_any_shape_stay_in_a_seed_as_they_are(words):
    odd = response()
    odd["meta"]["variables"][GAP] |= words
    platform = Platform()
    platform.emulator.seed("Odd", json.dumps(odd).encode())
    assert platform.get(key="Odd").json == odd


STYLES = [
    {
        "key": "a" * 40,
        "name": "low",
        "type": "EFFECT",
        "node": "9:1",
        "updated_at": "2026-01-02T03:04:05Z",
        "description": "Cards",
        "value": [{"type": "LAYER_BLUR", "radius": 2}],
        "boundVariables": {"effects": [{"type": "VARIABLE_ALIAS", "id": "VariableID:1:3"}]},
    }
]


def seed_of(styles):
    local = json.dumps({"meta": {"variables": {}, "variableCollections": {}}}).encode()
    return Seed(KEY, "one", local, None, styles=styles if isinstance(styles, bytes) else json.dumps(styles).encode())


def test_saved_styles_replace_those_of_the_file_and_are_published():
    platform = Platform()
    platform.emulator.libraries.add_style(KEY, "other", "TEXT")
    platform.emulator.seed_all([seed_of(STYLES)])
    (style,) = platform.request("GET", f"/v1/files/{KEY}/styles").json["meta"]["styles"]
    assert (style["key"], style["name"], style["node_id"]) == ("a" * 40, "low", "9:1")
    assert style["updated_at"].startswith("2026-01-02T03:04:05")
    node = platform.request("GET", f"/v1/files/{KEY}/nodes?ids=9:1").json["nodes"]["9:1"]["document"]
    assert (node["effects"], node["boundVariables"]) == (STYLES[0]["value"], STYLES[0]["boundVariables"])
    platform.emulator.seed_all([seed_of(STYLES)])
    assert platform.emulator.libraries.keys(KEY, "style") == ("a" * 40,)


@pytest.mark.parametrize("styles", [b"[", b"[1]", [STYLES[0] | {"type": "FONT"}], [STYLES[0] | {"updated_at": "soon"}]])
def test_what_is_no_list_of_styles_is_refused_as_a_whole(styles):
    platform = Platform()
    key = platform.emulator.libraries.add_style(KEY, "other", "TEXT")
    with pytest.raises(UsageError, match="no list of styles"):
        platform.emulator.seed_all([seed_of(styles)])
    assert platform.emulator.libraries.keys(KEY, "style") == (key,)
