"""A migration after another one: edits since then stay, renamed things are renamed, and what is left is named."""

import json

import pytest
from commands.migration_sources import studio, themes
from commands.projects import project_in, tokensync

from tokensync.migrate.record import MIGRATIONS
from tokensync.project.configuration import load_project
from tokensync.project.sources import read_tokens
from tokensync.tokens import Alias, hexadecimal

LIGHT, DARK = {"core": "source", "light": "enabled"}, {"core": "source", "dark": "enabled"}
SOURCE = {
    "core": {"ink": studio("#111111"), "gap": studio("8px", "spacing"), "edge": studio("2px", "spacing")},
    "light": {"core": {"page": studio("#ffffff")}, "line": studio("{ink}")},
    "dark": {"core": {"page": studio("#000000")}, "line": studio("#333333")},
    "$themes": themes(("Light", {**LIGHT, "core": "enabled"}), ("Dark", {**DARK, "core": "enabled"})),
}
MAPPING = """
[[collections]]
name = "Mode"
modes = [{ theme = "Light", name = "Light" }, { theme = "Dark", name = "Dark" }]
[[collections]]
name = "base"
sets = ["core", "light", "dark"]
"""


@pytest.fixture
def migrated(folder):
    """A project with the source, migrated and applied."""
    project_in(folder)
    source(SOURCE)
    migrate()
    tokensync("-q", "apply")
    tokensync("-q", "pull")
    return folder


def source(document):
    with open("source.json", "w", encoding="utf-8") as file:
        json.dump(document, file, indent=1)


def migrate(mapping=MAPPING, *options, code=0):
    with open("mapping.toml", "w", encoding="utf-8") as file:
        file.write(mapping)
    done = tokensync("migrate", "source.json", "--mapping", "mapping.toml", "--json", *options, code=code)
    return json.loads(done.output)


def found(done, code):
    return [each for each in done["problems"] if each["code"] == code]


def graph():
    return read_tokens(load_project(), "one").graph


def value(path, mode=0):
    (token,) = (each for key, each in graph().tokens.items() if key.path == path)
    return token.values[mode]


def edited(path, change):
    """Edit a token in the token files, which ``change`` changes in the parsed JSON."""
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    change(document)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(document, file, indent=2)


BASE, DARK_FILE = "tokens/one/base/default.tokens.json", "tokens/one/mode/dark.tokens.json"


def set_gap(document):
    document["base"]["gap"]["$value"] = {"value": 99, "unit": "px"}


class TestEdits:
    def test_an_edit_stays_and_is_reported_with_both_places(self, migrated):
        edited(BASE, set_gap)
        done = migrate()
        assert value("gap") == 99
        (one,) = found(done, "migrate-edit-kept")
        assert one["severity"] == "note"
        assert one["where"].startswith("source.json:7 ")
        assert f"its value in Default is 99 in {BASE}:" in one["what"]
        assert "the last migration wrote 8" in one["what"]

    def test_what_the_source_has_changed_besides_is_migrated(self, migrated):
        edited(BASE, set_gap)
        source({**SOURCE, "core": {**SOURCE["core"], "edge": studio("3px", "spacing")}})
        migrate()
        assert (value("gap"), value("edge")) == (99, 3)

    def test_an_edit_that_the_source_contradicts_stays_with_a_warning_that_names_all_values(self, migrated):
        edited(BASE, set_gap)
        source({**SOURCE, "core": {**SOURCE["core"], "gap": studio("16px", "spacing")}})
        done = migrate()
        assert value("gap") == 99
        (one,) = found(done, "migrate-edit-contested")
        assert one["severity"] == "warning"
        assert "is 99 in" in one["what"]
        assert "the last migration wrote 8, and the source now has 16" in one["what"]
        assert found(migrate(), "migrate-edit-contested") == []
        assert value("gap") == 99

    def test_an_applied_edit_stays_too(self, migrated):
        edited(BASE, set_gap)
        tokensync("-q", "plan")
        tokensync("-q", "apply")
        tokensync("-q", "pull")
        assert len(found(migrate(), "migrate-edit-kept")) == 1
        assert value("gap") == 99

    def test_overwrite_writes_the_values_of_the_source(self, migrated):
        edited(BASE, set_gap)
        done = migrate(MAPPING, "--overwrite")
        assert value("gap") == 8
        assert found(done, "migrate-edit-kept") == []

    def test_a_mode_is_edited_on_its_own(self, migrated):
        def change(document):
            document["mode"]["line"]["$value"] = "{base.ink}"

        edited(DARK_FILE, change)
        light = {**SOURCE["light"], "line": studio("#eeeeee")}
        source({**SOURCE, "light": light})
        done = migrate()
        assert [hexadecimal(value("line")), type(value("line", 1))] == ["#eeeeee", Alias]
        assert ["in Dark" in each["what"] for each in found(done, "migrate-edit-kept")] == [True]

    def test_a_description_is_edited_as_a_value_is(self, migrated):
        source({**SOURCE, "core": {**SOURCE["core"], "gap": {**studio("8px", "spacing"), "description": "old"}}})
        migrate()
        edited(BASE, lambda document: document["base"]["gap"].update({"$description": "mine"}))
        (one,) = found(migrate(), "migrate-edit-kept")
        assert "its description is 'mine'" in one["what"]

    def test_another_type_by_hand_keeps_the_whole_token(self, migrated):
        def change(document):
            document["base"]["gap"].update({"$type": "string", "$value": "wide"})
            del document["base"]["gap"]["$extensions"]

        edited(BASE, change)
        (one,) = found(migrate(MAPPING, "--offline"), "migrate-edit-kept")
        assert "its type is string in" in one["what"]
        assert value("gap") == "wide"

    def test_a_deleted_token_does_not_come_back(self, migrated):
        edited(BASE, lambda document: document["base"].pop("gap"))
        done = migrate()
        assert all(key.path != "gap" for key in graph().tokens)
        (one,) = (each for each in found(done, "migrate-token-reported") if "gap" in each["where"])
        assert "the token files have no base/gap any more" in one["what"]
        assert "--overwrite" in one["what_to_do"]
        migrate(MAPPING, "--overwrite")
        assert value("gap") == 8

    def test_token_files_that_were_removed_are_written_again(self, migrated):
        for path in (migrated / "tokens" / "one").rglob("*.json"):
            path.unlink()
        (migrated / "tokens" / "one.resolver.json").unlink()
        (migrated / "tokensync.lock").unlink()
        migrate(MAPPING, "--offline")
        assert value("gap") == 8


class TestRenames:
    def test_a_renamed_collection_mode_and_token_keep_their_variables(self, migrated):
        before = {each.id for each in graph().tokens.values()}
        mapping = MAPPING.replace('name = "Mode"', 'name = "Farben"').replace('name = "Light"', 'name = "Tag"')
        done = migrate(f'{mapping}\n[names]\n"gap" = "space.gap"\n')
        assert done["plan"]["variables_created"] == done["plan"]["collections_created"] == 0
        assert done["plan"]["modes_created"] == 0
        shown = tokensync("plan").output
        for each in ('name  "Mode" -> "Farben"', 'name  "Light" -> "Tag"', 'name  "gap" -> "space/gap"'):
            assert each in shown
        tokensync("-q", "apply")
        tokensync("-q", "pull")
        assert {each.id for each in graph().tokens.values()} == before

    def test_two_collections_can_swap_their_names(self, migrated):
        mapping = MAPPING.replace('"base"', '"?"').replace('"Mode"', '"base"').replace('"?"', '"Mode"')
        assert migrate(mapping)["plan"]["variables_created"] == 0
        assert {each.name: len(each.modes) for each in graph().collections.values()} == {"base": 2, "Mode": 1}

    def test_a_name_that_was_given_in_the_design_file_stays(self, migrated):
        edited(
            "tokens/one/mode/light.tokens.json",
            lambda document: document["$extensions"]["org.tokensync"]["collection"].update(name="Theme"),
        )
        tokensync("-q", "plan")
        tokensync("-q", "apply")
        tokensync("-q", "pull")
        assert migrate()["plan"]["collections_created"] == 0
        assert [each.name for each in graph().collections.values()] == ["Theme", "base"]

    def test_other_tokens_still_refer_to_a_renamed_one(self, migrated):
        edited(BASE, lambda document: document["base"].update(own={"$type": "dimension", "$value": "{base.gap}"}))
        migrate(f'{MAPPING}\n[names]\n"gap" = "space.gap"\n')
        assert value("own").target.path == "space.gap"

    def test_variables_that_a_migration_leaves_are_named(self, migrated):
        done = migrate(f'skip = ["gap"]\n{MAPPING}')
        (one,) = found(done, "migrate-variable-left")
        assert one["where"].startswith(f"{BASE}:")
        assert "a former migration wrote base/gap" in one["what"]
        assert "tokensync tokens rename base/gap NEW" in one["what_to_do"]
        assert len(found(migrate(f'skip = ["gap"]\n{MAPPING}'), "migrate-variable-left")) == 1


class TestModes:
    def test_a_mode_that_a_migration_leaves_is_named(self, migrated):
        night = themes(("Light", {**LIGHT, "core": "enabled"}), ("Night", {**DARK, "core": "enabled"}))
        source({**SOURCE, "$themes": night})
        mapping = MAPPING.replace('theme = "Dark", name = "Dark"', 'theme = "Night", name = "Night"')
        (one,) = found(migrate(mapping), "migrate-variable-left")
        assert (one["where"], "wrote the mode Dark, and this one does not" in one["what"]) == ("Mode", True)

    def test_a_new_theme_can_keep_the_mode_of_another_one_by_its_name(self, migrated):
        night = themes(("Light", {**LIGHT, "core": "enabled"}), ("Night", {**DARK, "core": "enabled"}))
        source({**SOURCE, "$themes": night})
        done = migrate(MAPPING.replace('theme = "Dark", name = "Dark"', 'theme = "Night", name = "Dark"'))
        assert found(done, "migrate-variable-left") == []
        assert done["plan"]["modes_created"] == 0

    def test_a_theme_that_is_new_becomes_a_mode_beside_the_others(self, migrated):
        more = themes(
            ("Light", {**LIGHT, "core": "enabled"}),
            ("Dark", {**DARK, "core": "enabled"}),
            ("Dim", {**DARK, "core": "enabled"}),
        )
        source({**SOURCE, "$themes": more})
        mapping = MAPPING.replace('name = "Dark" }]', 'name = "Dark" }, { theme = "Dim", name = "Dim" }]')
        done = migrate(mapping)
        assert (done["plan"]["modes_created"], done["plan"]["collections_created"]) == (1, 0)
        assert found(done, "migrate-edit-kept") == []


class TestRecord:
    def test_a_second_migration_of_the_same_source_says_nothing_about_edits(self, migrated):
        done = migrate()
        assert found(done, "migrate-edit-kept") == found(done, "migrate-variable-left") == []
        before = (migrated / MIGRATIONS).read_bytes()
        migrate()
        assert (migrated / MIGRATIONS).read_bytes() == before

    def test_a_record_with_conflict_marks_and_other_lines_is_read_as_far_as_it_goes(self, migrated):
        path = migrated / MIGRATIONS
        text = path.read_text(encoding="utf-8")
        path.write_text(
            f'<<<<<<< HEAD\n{text}=======\n[1]\n["one",2]\n["one","base","","sets",7]\n>>>>>>> other\n',
            encoding="utf-8",
        )
        edited(BASE, set_gap)
        migrate()
        assert value("gap") == 99

    def test_the_record_keeps_other_design_files(self, folder):
        project_in(folder, files=("one", "two"))
        source(SOURCE)
        migrate(MAPPING, "--to", "one", "--offline")
        one = (folder / MIGRATIONS).read_text(encoding="utf-8")
        migrate(MAPPING, "--to", "two", "--offline")
        assert one in (folder / MIGRATIONS).read_text(encoding="utf-8")


class TestRehearsal:
    def test_its_problems_are_located_in_the_source(self, migrated):
        edited(BASE, lambda document: document["base"]["edge"].update({"$value": "{base.gap}"}))
        source({**SOURCE, "core": {**SOURCE["core"], "gap": studio("{edge}", "spacing")}})
        with open("mapping.toml", "w", encoding="utf-8") as file:
            file.write(MAPPING)
        shown = tokensync("migrate", "source.json", "--mapping", "mapping.toml", code=1).stderr
        assert "error: source.json:7 (#/gap): its references form a cycle" in shown
        assert f"(it would be {BASE}:" in shown

    def test_a_change_of_a_variables_type_is_said_to_be_held_back(self, migrated):
        source({**SOURCE, "core": {**SOURCE["core"], "edge": studio("#ff0000")}})
        with open("mapping.toml", "w", encoding="utf-8") as file:
            file.write(MAPPING)
        shown = tokensync("migrate", "source.json", "--mapping", "mapping.toml").stderr
        assert "held back: 1 change that would delete variables; run: tokensync plan --file one" in shown
        assert "nothing to apply" not in shown


def exported(**variables):
    """Write an export of Figma with a number for each id, named by the keywords."""
    tokens = {
        name: {"$type": "number", "$value": value, "$extensions": {"com.figma.variableId": f"VariableID:1:{number}"}}
        for name, (number, value) in variables.items()
    }
    source({**tokens, "$extensions": {"com.figma.modeName": "Mode 1"}})
    done = tokensync("migrate", "source.json", "--json")
    return json.loads(done.output)


class TestIdsOfFigmasExport:
    def test_a_variable_that_is_renamed_in_figma_is_renamed_in_the_token_files(self, folder):
        project_in(folder)
        exported(old=(7, 4), other=(8, 8))
        assert found(exported(new=(7, 5), other=(8, 8)), "migrate-variable-left") == []
        assert sorted(key.path for key in graph().tokens) == ["new", "other"]
        assert value("new") == 5

    def test_an_applied_rename_keeps_the_variable(self, folder):
        project_in(folder)
        exported(old=(7, 4), other=(8, 8))
        tokensync("-q", "apply")
        tokensync("-q", "pull")
        before = {key.path: token.id for key, token in graph().tokens.items()}
        exported(other=(8, 8), new=(7, 4))
        tokensync("-q", "apply")
        tokensync("-q", "pull")
        after = {key.path: token.id for key, token in graph().tokens.items()}
        assert after == {"new": before["old"], "other": before["other"]}

    def test_names_that_two_variables_swap_are_swapped(self, folder):
        project_in(folder)
        exported(one=(7, 1), two=(8, 2))
        exported(two=(7, 1), one=(8, 2))
        assert (value("two"), value("one")) == (1, 2)

    def test_a_new_variable_with_the_name_of_a_renamed_one_is_another_token(self, folder):
        project_in(folder)
        exported(one=(7, 1))
        exported(one=(8, 2), former=(7, 1))
        assert (value("one"), value("former")) == (2, 1)

    def test_an_id_of_another_design_file_is_not_taken_for_that_variable(self, folder):
        project_in(folder)
        exported(one=(4, 1), two=(5, 2), three=(3, 3))
        tokensync("-q", "apply")
        tokensync("-q", "pull")
        own = {key.path: token.id for key, token in graph().tokens.items()}
        assert set(own.values()) == {"VariableID:1:3", "VariableID:1:4", "VariableID:1:5"}
        again = exported(three=(3, 30), two=(5, 20), one=(4, 10))
        assert (found(again, "migrate-edit-kept"), found(again, "migrate-edit-contested")) == ([], [])
        assert (value("one"), value("two"), value("three")) == (10, 20, 30)
        assert own == {key.path: token.id for key, token in graph().tokens.items()}
