"""Remote variables: subscribed ids, updates, and the changes that only the library's own file may make."""

import json
import re

import pytest
from emulator.platform import (
    ACCENT,
    BLUE,
    DARK,
    GAP,
    KEY,
    LABEL,
    LIGHT,
    PRIMITIVES,
    RED,
    REMOTE,
    VALUE,
    Platform,
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

from tokensync.system.errors import UsageError

APP = "App"
REMOTE_ID = re.compile(r"VariableID:[^/]+/\d+:\d+")


@pytest.fixture
def platform():
    platform = Platform()
    platform.emulator.publish(KEY)
    platform.emulator.files.create(APP, name="App")
    return platform


@pytest.fixture
def own(platform):
    """The ids of a collection and of two variables of the app's own."""
    return platform.post(
        collections(
            create(id="c", name="App", initialModeId="m"),
            variables=[
                create(id="x", name="x", variableCollectionId="c", resolvedType="COLOR"),
                create(id="n", name="n", variableCollectionId="c", resolvedType="FLOAT"),
            ],
        ),
        APP,
    ).json["meta"]["tempIdToRealId"]


def published(platform):
    return platform.get("published").json["meta"]


def status_and_message(answer):
    return answer.status_code, answer.json["message"]


class TestUsing:
    def test_a_used_variable_is_remote_under_its_subscribed_id(self, platform):
        (id_,) = platform.emulator.variables.use(APP, KEY, "gap")
        assert id_ == published(platform)["variables"][GAP]["subscribed_id"]
        assert REMOTE_ID.fullmatch(id_)
        state = platform.state(key=APP)
        shown, source = state.variables[id_], platform.state().variables[GAP]
        assert (shown["remote"], shown["hiddenFromPublishing"]) == (True, True)
        for member in ("name", "key", "resolvedType", "valuesByMode", "scopes", "ofTomorrow"):
            assert shown[member] == source[member]

    def test_its_collection_is_copied_and_lists_the_used_variables(self, platform):
        ids = platform.emulator.variables.use(APP, KEY, "gap", BLUE)
        state = platform.state(key=APP)
        (collection,) = state.collections.values()
        assert collection["id"] == published(platform)["variableCollections"][PRIMITIVES]["subscribed_id"]
        assert {each["variableCollectionId"] for each in state.variables.values()} == {collection["id"]}
        assert collection["remote"] is True
        assert sorted(collection["variableIds"]) == sorted(ids)
        assert collection["modes"] == [{"modeId": VALUE, "name": "Value"}]

    def test_aliased_variables_are_copied_and_the_aliases_lead_to_the_copies(self, platform):
        (id_,) = platform.emulator.variables.use(APP, KEY, "link")
        state = platform.state(key=APP)
        accent = state.variables[id_]["valuesByMode"][LIGHT]["id"]
        blue = state.variables[accent]["valuesByMode"][LIGHT]["id"]
        assert state.variables[blue]["name"] == "blue/500"
        assert state.variables[accent]["valuesByMode"][DARK] == RED
        assert state.variables[id_]["valuesByMode"][DARK] == alias(REMOTE)
        assert REMOTE in state.variables

    def test_all_of_a_library_is_used_at_once(self, platform):
        ids = platform.emulator.variables.use(APP, KEY)
        assert len(ids) == len(published(platform)["variables"]) == len(set(ids))
        assert platform.emulator.variables.use(APP, KEY) == ids
        assert len(platform.state(key=APP).variables) == len(ids) + 1

    def test_only_published_variables_can_be_used(self, platform):
        platform.post(variables(new_variable("later")))
        with pytest.raises(UsageError, match="no published variable 'later'"):
            platform.emulator.variables.use(APP, KEY, "later")
        with pytest.raises(UsageError, match="publish it first"):
            platform.emulator.variables.use(KEY, APP)
        with pytest.raises(UsageError, match="give another file"):
            platform.emulator.variables.use(KEY, KEY)

    def test_a_copy_has_the_values_of_the_publication_and_not_later_ones(self, platform):
        platform.post(values((GAP, VALUE, 99)))
        (id_,) = platform.emulator.variables.use(APP, KEY, "gap")
        assert platform.state(key=APP).variables[id_]["valuesByMode"] == {VALUE: 4}

    def test_a_library_that_was_seeded_as_published_is_used_as_well(self, platform):
        local, meta = platform.get().data, json.dumps({"meta": published(platform)}).encode()
        platform.emulator.seed("Seeded", local, meta)
        (id_,) = platform.emulator.variables.use(APP, "Seeded", "gap")
        assert platform.state(key=APP).variables[id_]["valuesByMode"] == {VALUE: 4}


class TestAliasing:
    def test_a_variable_of_the_file_aliases_a_remote_one(self, platform, own):
        (id_,) = platform.emulator.variables.use(APP, KEY, BLUE)
        assert platform.post(values((own["x"], own["m"], alias(id_))), APP).status_code == 200
        assert platform.state(key=APP).variables[own["x"]]["valuesByMode"] == {own["m"]: alias(id_)}

    def test_a_remote_variable_that_the_file_does_not_use_cannot_be_aliased(self, platform, own):
        id_ = published(platform)["variables"][BLUE]["subscribed_id"]
        status, message = status_and_message(platform.post(values((own["x"], own["m"], alias(id_))), APP))
        assert (status, f"variable {id_!r} not found" in message) == (400, True)

    def test_a_remote_variable_has_to_be_of_the_same_type(self, platform, own):
        (id_,) = platform.emulator.variables.use(APP, KEY, BLUE)
        assert status_and_message(platform.post(values((own["n"], own["m"], alias(id_))), APP))[0] == 400

    @pytest.mark.parametrize("change", ["rename", "value", "delete", "mode", "collection", "variable"])
    def test_remote_objects_cannot_be_changed(self, platform, change):
        (id_,) = platform.emulator.variables.use(APP, KEY, "gap")
        state = platform.state(key=APP)
        collection = state.variables[id_]["variableCollectionId"]
        body = {
            "rename": variables(update(id_, name="other")),
            "value": values((id_, VALUE, 5)),
            "delete": variables(delete(id_)),
            "mode": modes(create(name="New", variableCollectionId=collection)),
            "collection": collections(update(collection, name="other")),
            "variable": variables(new_variable(in_=collection)),
        }[change]
        status, message = status_and_message(platform.post(body, APP))
        assert (status, "is remote" in message) == (400, True), message
        assert platform.state(key=APP) == state

    def test_a_branch_uses_the_remote_variables_of_its_main_file(self, platform):
        (id_,) = platform.emulator.variables.use(APP, KEY, "gap")
        platform.emulator.files.branch(APP, "Branch")
        assert platform.state(key="Branch").variables[id_]["remote"] is True


class TestUpdating:
    def test_a_new_publication_leaves_the_copy_until_the_file_takes_it(self, platform, own):
        (old,) = platform.emulator.variables.use(APP, KEY, "accent")
        platform.post(values((own["x"], own["m"], alias(old))), APP)
        platform.post(values((ACCENT, DARK, alias(BLUE))))
        platform.emulator.publish(KEY)
        assert platform.state(key=APP).variables[old]["valuesByMode"][DARK] == RED
        assert platform.emulator.variables.update(APP, KEY) == 1
        state = platform.state(key=APP)
        new = published(platform)["variables"][ACCENT]["subscribed_id"]
        assert new != old
        assert old not in state.variables
        assert state.variables[own["x"]]["valuesByMode"] == {own["m"]: alias(new)}
        assert state.variables[new]["valuesByMode"][DARK] == state.variables[new]["valuesByMode"][LIGHT]
        assert platform.emulator.variables.update(APP, KEY) == 0

    def test_the_collection_of_the_new_copies_is_the_new_one_for_all(self, platform):
        platform.emulator.variables.use(APP, KEY, "gap", BLUE)
        platform.post(values((GAP, VALUE, 8)))
        platform.emulator.publish(KEY)
        platform.emulator.variables.update(APP, KEY)
        state = platform.state(key=APP)
        (collection,) = state.collections.values()
        assert collection["id"] == published(platform)["variableCollections"][PRIMITIVES]["subscribed_id"]
        assert {each["variableCollectionId"] for each in state.variables.values()} == {collection["id"]}
        assert sorted(collection["variableIds"]) == sorted(state.variables)

    def test_after_an_update_the_platform_still_finds_cycles_and_names(self, platform, own):
        (old,) = platform.emulator.variables.use(APP, KEY, "gap")
        platform.post(values((own["n"], own["m"], alias(old))), APP)
        platform.post(variables(update(GAP, name="space")))
        platform.emulator.publish(KEY)
        platform.emulator.variables.update(APP, KEY)
        (new,) = (each["id"] for each in platform.state(key=APP).variables.values() if each["name"] == "space")
        assert platform.post(values((own["n"], own["m"], alias(new))), APP).status_code == 200


class TestSharedFonts:
    REFUSAL = (400, f"Some node properties bound to the following variables could not be updated: {LABEL}")

    def test_a_string_variable_bound_to_text_in_a_shared_font_cannot_be_updated(self, platform):
        platform.emulator.variables.bind_to_shared_font(KEY, LABEL)
        before = platform.get().data
        for body in (values((LABEL, VALUE, "Hi")), variables(update(LABEL, name="text"))):
            assert status_and_message(platform.post(body)) == self.REFUSAL
        assert status_and_message(platform.post(values((GAP, VALUE, 8), (LABEL, VALUE, "Hi")))) == self.REFUSAL
        assert platform.get().data == before

    def test_others_can_and_so_can_it_once_the_text_is_gone(self, platform):
        platform.emulator.variables.bind_to_shared_font(KEY, LABEL)
        assert platform.post(values((GAP, VALUE, 8))).status_code == 200
        platform.emulator.variables.bind_to_shared_font(KEY, LABEL, bound=False)
        assert platform.post(values((LABEL, VALUE, "Hi"))).status_code == 200

    def test_a_branch_has_the_text_too(self, platform):
        platform.emulator.variables.bind_to_shared_font(KEY, LABEL)
        platform.emulator.files.branch(KEY, "Branch")
        assert status_and_message(platform.post(values((LABEL, VALUE, "Hi")), "Branch")) == self.REFUSAL

    @pytest.mark.parametrize("id_", [GAP, REMOTE, "VariableID:9:9"])
    def test_only_a_string_variable_of_the_file_can_be_bound(self, platform, id_):
        with pytest.raises(UsageError, match="not a string variable"):
            platform.emulator.variables.bind_to_shared_font(KEY, id_)
