"""From the files of each format to variables on the emulator and back: the same tokens, and nothing left to plan."""

import json
import tomllib
import zipfile
from contextlib import chdir

import pytest
from commands.migration_sources import SOURCES, leaves_of, migrated, studio, tokens, written
from commands.projects import (
    COLORS,
    DESIGN,
    files_in,
    on_the_platform,
    output,
    project_in,
    pulled_in,
    quickstart_in,
    tokensync,
)
from corpus.building import OWN_ERROR, run_here
from optional import needs_json5

from tokensync.commands import plan as plan_command
from tokensync.emulator.cli.states import open_emulator
from tokensync.migrate import migrating
from tokensync.migrate.cli import migrate_command
from tokensync.migrate.readers.source_files import FORMATS
from tokensync.plan.planning import Planning
from tokensync.project.configuration import load_project
from tokensync.project.connection import connect
from tokensync.project.lock import Lock
from tokensync.project.sources import read_tokens
from tokensync.tokens import Color

NOTHING = {
    "collections_created": 0,
    "modes_created": 0,
    "variables_created": 0,
    "variables_updated": 0,
    "variables_deleted": 0,
}


def is_balanced(counts):
    aliases = [counts[f"aliases_{each}"] for each in ("written", "composed", "flattened", "reported")]
    return counts["tokens_read"] == counts["tokens_migrated"] + counts["tokens_reported"] and counts[
        "aliases_read"
    ] == sum(aliases)


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=needs_json5 if each == "style-dictionary" else ()) for each in SOURCES]
)
class TestEveryFormat:
    def test_tokens_become_variables_that_pull_back_to_the_same_tokens(self, name, folder):
        source = SOURCES[name]
        written(folder / "source", source.files)
        done = migrated("source", "--to", "harbor")
        assert done["format"] == source.format
        assert is_balanced(done["counts"])
        assert done["counts"]["tokens_read"] == source.read
        assert done["counts"]["tokens_migrated"] == source.migrated
        assert {each["name"]: each["modes"] for each in done["collections"] if each["tokens"]} == source.collections
        before = tokens()
        tokensync("apply")
        tokensync("pull")
        assert tokens() == before
        assert "nothing to do" in tokensync("plan").output
        again = migrated("source")
        assert again["plan"].items() >= NOTHING.items()
        assert tokens() == before
        assert {**again, "plan": 0, "written": 0, "problems": 0} == {**done, "plan": 0, "written": 0, "problems": 0}

    def test_every_reported_token_has_file_line_and_reason(self, name, folder):
        written(folder / "source", SOURCES[name].files)
        done = migrated("source", "--to", "harbor", "--offline", "--no-rehearse")
        reported = [each for each in done["ledger"] if each["outcome"] in ("reported", "unread", "flattened")]
        for each in reported:
            content = (folder / "source" / each["file"]).read_text(encoding="utf-8")
            assert 1 <= each["line"] <= content.count("\n") + 1
            assert each["reason"]
        assert sum(each["outcome"] == "reported" for each in reported) <= done["counts"]["tokens_reported"]


def test_the_number_of_tokens_read_is_that_of_the_values_in_the_json():
    for source in SOURCES.values():
        documents = [each for each in source.files.values() if not isinstance(each, str)]
        if documents and source.counts_leaves:
            assert source.read == sum(map(leaves_of, documents))


def test_the_formats_of_the_command_are_those_that_are_recognized():
    (option,) = (each for each in migrate_command.params if each.name == "form")
    assert {each.name for each in FORMATS} == {*option.type.choices}


STUDIO = SOURCES["tokens-studio"].files


class TestTarget:
    def test_a_zip_is_read_as_the_folder(self, folder):
        with zipfile.ZipFile(folder / "tokens.zip", "w") as archive:
            for path, content in STUDIO.items():
                archive.writestr(path, json.dumps(content))
        assert migrated("tokens.zip", "--to", "harbor")["counts"]["tokens_read"] == SOURCES["tokens-studio"].read

    def test_only_a_rehearsed_plan_is_said_to_be_rehearsed(self, folder):
        written(folder / "source", STUDIO)
        plain = tokensync("migrate", "source", "--to", "harbor", "--no-rehearse").stderr
        assert "not rehearsed\n" in plain
        assert "rehearsed on" not in plain
        assert "rehearsed on the embedded emulator\n" in tokensync("migrate", "source").stderr

    def test_a_new_project_gets_a_configuration_and_its_token_files(self, folder):
        written(folder / "source", STUDIO)
        done = tokensync("migrate", "source", "--to", "Harbor UI")
        assert "wrote tokensync.toml" in done.stderr
        assert load_project().config.files[0].name == "harbor-ui"
        assert (folder / "tokens" / "harbor-ui.resolver.json").is_file()
        assert not (folder / "tokensync.conflicts.toml").exists()

    @pytest.mark.parametrize("source", [".", "tokens"])
    def test_what_the_migration_writes_is_not_read_as_a_source(self, folder, source):
        written(folder / "tokens", STUDIO)
        (folder / "tokensync.toml").write_text(
            'base_url = "emulator:"\n\n[[files]]\nname = "harbor"\nkey = "harbor"\n\n'
            '[[outputs]]\nplatform = "json"\npath = "."\n',
            encoding="utf-8",
        )
        first = migrated(source)
        tokensync("apply")
        tokensync("pull")
        proposed = tokensync("migrate", source, "--propose").output
        tokensync("build")
        again = migrated(source)
        assert again["counts"] == first["counts"]
        assert again["plan"].items() >= NOTHING.items()
        assert tokensync("migrate", source, "--propose").output == proposed

    def test_the_token_files_of_one_design_file_can_be_the_source_for_another(self, folder):
        written(folder / "source", STUDIO)
        first = migrated("source", "--to", "harbor")
        done = migrated("tokens/harbor", "--to", "quay")
        assert done["counts"]["tokens_read"] == done["counts"]["tokens_migrated"] >= first["counts"]["tokens_migrated"]

    def test_a_new_project_keeps_its_token_files_out_of_a_source_with_a_resolver_document(self, folder):
        written(folder / "source", SOURCES["dtcg"].files)
        (folder / "source" / "lantern.resolver.json").write_text("{}", encoding="utf-8")
        first = migrated("source", "--to", "harbor", "--offline")
        assert (folder / "tokens" / "harbor.resolver.json").is_file()
        assert migrated("source", "--offline")["counts"] == first["counts"]

    def test_a_url_is_the_key_of_a_new_file_of_an_existing_project(self, folder):
        project_in(folder)
        written(folder / "source", STUDIO)
        url = "https://www.figma.com/design/AbC123/Harbor-Web"
        migrated("source", "--to", url, "--offline")
        assert [(each.name, each.key) for each in load_project().config.files][-1] == ("harbor-web", url)

    def test_tokens_that_the_design_file_has_already_are_kept(self, folder, project):
        written(folder / "source", STUDIO)
        before, _ = tokens(load_project().config.files[0].name)
        name = load_project().config.files[0].name
        done = migrated("source")
        after, _ = tokens(name)
        assert before.items() <= after.items()
        assert done["plan"]["variables_deleted"] == 0
        assert done["plan"]["variables_created"] > 0

    def test_without_a_destination_it_asks_for_one(self, folder):
        written(folder / "source", STUDIO)
        assert "--to NAME, KEY or URL" in tokensync("migrate", "source", code=2).stderr

    def test_offline_needs_no_platform_and_makes_no_plan(self, folder, monkeypatch):
        written(folder / "source", STUDIO)
        monkeypatch.setenv("TOKENSYNC_BASE_URL", "figma")
        assert "token" in tokensync("migrate", "source", "--to", "harbor", code=2).stderr
        assert not (folder / "tokensync.toml").exists()
        done = migrated("source", "--to", "harbor", "--offline")
        assert done["plan"] is None
        assert (folder / "tokens" / "harbor.resolver.json").is_file()

    def test_offline_in_a_project_with_variables_keeps_them(self, folder, project):
        written(folder / "source", STUDIO)
        name = load_project().config.files[0].name
        before, _ = tokens(name)
        done = migrated("source", "--offline")
        assert done["plan"] is None
        assert before.items() <= tokens(name)[0].items()
        assert done["counts"]["tokens_migrated"] > 0
        tokensync("plan")


class TestRehearsal:
    def test_a_conflict_of_token_files_and_design_file_has_to_be_settled_first(self, folder, project):
        written(folder / "source", STUDIO)
        path = folder / "tokens" / "one" / "theme" / "light.tokens.json"
        path.write_text(path.read_text(encoding="utf-8").replace("#112233", "#112244"), encoding="utf-8")
        on_the_platform({**COLORS, "slate": ("#998877", "#445566")})
        done = tokensync("migrate", "source", code=4)
        assert done.stderr.strip() == (
            "error: one: the token files and the design file have changed the same things; "
            "run tokensync pull, choose the sides, and migrate again"
        )

    def test_nothing_is_written_if_the_platform_would_refuse_the_plan(self, folder):
        modes = {f"m{number}": {"x": {"$value": number, "$type": "number"}} for number in range(41)}
        themes = [{"id": each, "name": each, "group": "g", "selectedTokenSets": {each: "enabled"}} for each in modes]
        written(folder / "source", {"tokens.json": {**modes, "$themes": themes}})
        done = tokensync("migrate", "source", "--to", "harbor", code=1)
        assert "error: g: it would have 41 modes; Figma allows 40; remove some of its modes" in done.stderr
        assert not (folder / "tokens").exists()
        assert not (folder / "tokensync.toml").exists()
        tokensync("migrate", "source", "--to", "harbor", "--no-rehearse", code=1)
        assert not list(folder.glob("tokens/**/*.tokens.json"))

    def test_a_collection_with_too_many_variables_is_refused_before_anything_is_written(self, folder):
        sizes = {f"s{number}": studio(f"{number}px", "spacing") for number in range(5001)}
        written(folder, {"tokens.json": {"core": sizes, "$themes": []}})
        stderr = tokensync("migrate", "tokens.json", "--to", "harbor", code=1).stderr
        assert "error: core: it would have 5,001 variables; Figma allows 5,000; give some of its sets" in stderr
        assert not (folder / "tokens").exists()

    def test_the_plan_that_was_rehearsed_is_the_plan_of_the_project(self, folder, monkeypatch):
        made = []

        class Counting(Planning):
            def plan(self, before, after):
                result = super().plan(before, after)
                made.extend([result[0]] if result[0].operations else [])
                return result

        monkeypatch.setattr(plan_command, "Planning", Counting)
        written(folder / "source", SOURCES["tokens-studio"].files)
        done = migrated("source", "--to", "harbor")
        assert [each.counts.variables_created for each in made] == [done["plan"]["variables_created"]]
        tokensync("apply")

    def test_changes_that_a_second_plan_still_has_are_refused(self, folder, monkeypatch):
        monkeypatch.setattr(migrating, "apply_plans", lambda *arguments, **options: ())
        written(folder / "source", STUDIO)
        assert "a second plan still has" in tokensync("migrate", "source", "--to", "harbor", code=1).stderr
        assert not (folder / "tokens").exists()

    def test_other_values_that_a_pull_would_return_are_refused(self, folder, monkeypatch):
        apply_plans = migrating.apply_plans

        def spoiling(applier, **options):
            done = apply_plans(applier, **options)
            key, client = applier.project.config.files[0].key, applier.client.variables
            variables = json.loads(client.local(key))["meta"]["variables"].values()
            color = next(each for each in variables if each["resolvedType"] == "COLOR")
            value = {"r": 0.5, "g": 0.25, "b": 0.125, "a": 0.5}
            values = [{"variableId": color["id"], "modeId": mode, "value": value} for mode in color["valuesByMode"]]
            client.post(key, json.dumps({"variableModeValues": values}).encode())
            return done

        monkeypatch.setattr(migrating, "apply_plans", spoiling)
        written(folder / "source", STUDIO)
        stderr = tokensync("migrate", "source", "--to", "harbor", code=1).stderr
        assert "instead of" in stderr
        assert "in a pull after the apply" in stderr
        assert not (folder / "tokens").exists()

    def test_a_design_file_that_changes_after_the_rehearsal_gets_a_plan_of_its_own(self, folder):
        project_in(folder)
        on_the_platform({})
        written(folder / "source", STUDIO)
        target = migrating.destination(None, None)
        recognized = migrating.read("source", None)

        def changing(step):
            if step == "reading one":
                on_the_platform({"ink": ("#000000", "#ffffff")})

        with connect(target.project) as client:
            mapping = migrating.mapping_for(recognized.source, None)
            done = migrating.migrate(target, client, recognized, mapping, progress=changing)
        assert done.is_rehearsed
        tokensync("apply")  # refuses a plan that was made from another state of the file
        assert "nothing to do" in tokensync("plan").output

    def test_the_real_file_is_not_written_before_apply(self, folder):
        project_in(folder)
        on_the_platform({})
        written(folder / "source", STUDIO)
        name = load_project().config.files[0].name
        assert migrated("source", "--to", name)["plan"]["variables_created"] > 0
        again = migrated("source", "--to", name)
        assert again["plan"]["variables_created"] > 0


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", "null", "1", '{"a": 1}', '{"a": {"value": "{a}", "type": "color"}}', "\ufeff{}", "\x00", "{'a':"],
)
def test_no_file_however_broken_ends_in_a_traceback(folder, content):
    (folder / "tokens.json").write_text(content, encoding="utf-8")
    done = run_here("migrate", "tokens.json", "--to", "harbor", "--format", "tokens-studio")
    assert done.code in (0, 1, 2)
    assert OWN_ERROR not in done.stderr


class TestDesignFiles:
    def test_the_variables_of_another_design_file_become_those_of_this_one(self, folder):
        quickstart = quickstart_in(folder / "quickstart")
        text = (quickstart / "tokensync.toml").read_text(encoding="utf-8")
        (quickstart / "tokensync.toml").write_text(
            f'{text}\n[[files]]\nname = "copy"\nkey = "copy"\n', encoding="utf-8"
        )
        with chdir(quickstart):
            tokensync("-q", "emulator", "seed", *DESIGN)
            done = migrated("figma:harbor", "--to", "copy")
            assert is_balanced(done["counts"])
            assert done["counts"]["tokens_reported"] == 0
            tokensync("apply")
            tokensync("pull", "--file", "copy")
            original, _ = tokens("harbor")
            copied, _ = tokens("copy")
            local = {key for key in original if original[key]}
            assert {key[1:] for key in copied} <= {key[1:] for key in local}
            assert len(copied) == done["plan"]["variables_created"]
            assert migrated("figma:harbor", "--to", "copy")["plan"].items() >= NOTHING.items()

    def test_styles_of_one_solid_paint_become_colours_and_others_are_reported(self, folder):
        project_in(folder, files=("one", "two"))
        on_the_platform({"ink": ("#000000", "#ffffff")})
        with open_emulator(None, None) as emulator:
            emulator.libraries.sample("key-one", components=0)
            emulator.publish("key-one")
        done = migrated("figma:one#styles", "--to", "two")
        kinds = {each["type"] for each in json.loads(tokensync("files", "styles", "one", "--json").output)}
        assert kinds == {"FILL", "TEXT", "EFFECT", "GRID"}
        assert done["counts"]["tokens_migrated"] == done["plan"]["variables_created"] > 0
        reasons = {each["reason"] for each in done["ledger"] if each["outcome"] == "unread"}
        assert "it is a text style, which no variable can hold; it stays a style" in reasons
        assert is_balanced(done["counts"])

    def test_a_design_file_cannot_be_read_offline(self, folder):
        project_in(folder)
        assert "remove --offline" in tokensync("migrate", "figma:one", "--to", "one", "--offline", code=2).stderr

    def test_a_design_file_has_a_proposal(self, folder):
        project_in(folder)
        on_the_platform({"ink": ("#000000", "#ffffff")})
        assert 'name = "Theme"' in tokensync("migrate", "figma:one", "--propose").output


class TestFonts:
    CSS = ":root { --sans: Inter, 'Segoe UI', sans-serif; --body: var(--sans); --font-code: 'Fira Code' }\n"

    def test_figma_gets_the_first_font_of_a_list_and_code_the_whole_list(self, folder):
        project_in(folder, outputs=output("css", "web"))
        written(folder, {"fonts.css": self.CSS})
        done = migrated("fonts.css")
        (line,) = (each for each in done["ledger"] if each["outcome"] == "changed")
        assert line["reason"] == "Figma gets the first of the fonts Inter, Segoe UI, sans-serif; code gets all of them"
        tokensync("-q", "apply")
        tokensync("-q", "pull")
        (of_platform,) = Lock(folder).graphs("one")
        assert {key.path: each.values[0] for key, each in of_platform.tokens.items()}["sans"] == "Inter"
        tokensync("-q", "build")
        css = (folder / "web" / "tokens.css").read_text(encoding="utf-8")
        assert '--sans: "Inter", "Segoe UI", sans-serif;' in css
        assert "--body: var(--sans);" in css
        assert "nothing to do" in tokensync("plan").output


class TestRenames:
    @pytest.mark.parametrize("modules", [("typescript",), ("react-native",), ("react-native", "typescript")])
    def test_old_identifiers_that_change_are_written_for_the_codemod(self, folder, modules):
        outputs = "".join(output(each, each) for each in ("css", "android", "ios", *modules))
        project_in(folder, outputs=outputs)
        colors = {"Blue Dark": studio("#00f"), "blueDark": studio("#00e"), "A": studio("#111"), "a": studio("#112")}
        sizes = {"step": studio("4px", "spacing")}
        written(folder, {"source.json": {"core": {"Color": colors, "size": sizes}, "$themes": []}})
        (folder / "mapping.toml").write_text(
            '[[collections]]\nname = "core"\nsets = ["core"]\n[names]\n"size.step" = "space.step"\n', encoding="utf-8"
        )
        done = tokensync("migrate", "source.json", "--to", "one", "--mapping", "mapping.toml")
        assert "run: tokensync migrate code PATHS --renames tokensync.renames.toml" in done.stderr
        renames = tomllib.loads((folder / "tokensync.renames.toml").read_text(encoding="utf-8"))
        assert {platform: table for platform, table in renames.items() if platform[0] != "$"} == {
            "css": {
                "--color-blue-dark": {
                    "role": "manual",
                    "note": "it was the name of several tokens, "
                    "which are now --color-blue-dark, --core-color-blue-dark",
                },
                "--color-a": {
                    "role": "manual",
                    "note": "it was the name of several tokens, which are now --color-a, --color-a-2",
                },
                "--size-step": "--space-step",
            },
            **{
                platform: {**{old: renames[platform][old] for old in manual}, **changed}
                for platform, manual, changed in (
                    ("android", ("color/color_blue_dark", "color/color_a"), {"dimen/size_step": "dimen/space_step"}),
                    ("ios", ("colorBlueDark", "colorA"), {"sizeStep": "spaceStep"}),
                    ("ts", ("colorBlueDark", "colorA"), {"sizeStep": "spaceStep"}),
                )
            },
        }
        (folder / "page.css").write_text("a { margin: var(--size-step); }\n", encoding="utf-8")
        shown = tokensync("migrate", "code", "page.css", "--renames", "tokensync.renames.toml", code=3).output
        assert "+a { margin: var(--space-step); }" in shown

    def test_a_name_whose_value_was_the_parts_of_a_colour_is_listed_where_code_uses_it_so(self, folder):
        project_in(folder, outputs=output("css", "web"))
        css = ":root { --ink: 222 47% 11%; --main: var(--ink); --gap: 8px }\na { color: hsl(var(--ink)) }\n"
        written(folder, {"theme.css": css})
        migrated("theme.css")
        renames = tomllib.loads((folder / "tokensync.renames.toml").read_text(encoding="utf-8"))
        assert renames["css"] == {name: {"to": name, "whole_color": True} for name in ("--ink", "--main")}
        code = {"a.css": "a { color: hsl(var(--ink)); margin: var(--gap) }\n", "a.ts": 'f("hsl(var(--main))")\n'}
        written(folder / "app", code)
        shown = tokensync("migrate", "code", "app", "--renames", "tokensync.renames.toml", "--keep-old", "app/old.css")
        assert "app/a.css:1:20: [warn] --ink: the new value is a whole colour, but hsl() needs" in shown.stderr
        assert "app/a.ts:1:12: [warn] --main: " in shown.stderr
        assert "0 names to change in 0 of 2 files; listed 2 warn" in shown.stderr
        tokensync(
            "migrate", "code", "app", "--renames", "tokensync.renames.toml", "--keep-old", "app/old.css", "--write"
        )
        assert not (folder / "app" / "old.css").exists()

    def test_parts_of_a_colour_in_other_formats_are_known_too(self, folder):
        project_in(folder, outputs=output("css", "web"))
        written(folder, {"source.json": {"core": {"ink": studio("222 47% 11%")}, "$themes": []}})
        (folder / "mapping.toml").write_text(
            '[[collections]]\nname = "core"\nsets = ["core"]\n[names]\n"ink" = "text"\n', encoding="utf-8"
        )
        migrated("source.json", "--mapping", "mapping.toml")
        renames = tomllib.loads((folder / "tokensync.renames.toml").read_text(encoding="utf-8"))
        assert renames["css"] == {"--ink": {"to": "--text", "whole_color": True}}

    def test_nothing_is_written_if_no_identifier_changes(self, folder):
        written(folder / "source", SOURCES["css"].files)
        migrated("source", "--to", "harbor")
        assert not (folder / "tokensync.renames.toml").exists()


class TestSmallMigrations:
    def test_missing_code_syntax_is_planned_and_what_people_wrote_stays(self, folder):
        pulled_in(
            folder, {"ink": ("#000000", "#ffffff"), "paper": ("#ffffff", "#000000")}, outputs=output("css", "web")
        )
        path = folder / "tokens" / "one" / "theme" / "light.tokens.json"
        document = json.loads(path.read_text(encoding="utf-8"))
        document["theme"]["ink"]["$extensions"]["com.figma.codeSyntax"] = {"WEB": "var(--mine)"}
        path.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
        tokensync("-q", "plan")
        tokensync("-q", "apply")
        shown = tokensync("migrate", "--fill-missing-code-syntax").output
        assert "var(--paper)" in shown
        assert "ink" not in shown
        assert "ANDROID" not in shown

    def test_a_migration_can_set_the_code_syntax_of_its_tokens(self, folder):
        project_in(folder, outputs=output("css", "web"))
        written(folder, {"source.json": {"core": {"ink": studio("#000")}, "$themes": []}})
        migrated("source.json", "--fill-missing-code-syntax")
        tokensync("-q", "apply")
        tokensync("-q", "pull")
        (token,) = read_tokens(load_project(), "one").graph.tokens.values()
        assert token.code_syntax == (("WEB", "var(--ink)"),)

    def test_variables_are_copied_between_two_design_files(self, folder):
        project_in(folder, files=("one", "two"))
        on_the_platform({"ink": ("#000000", "#ffffff"), "text": ("{ink}", "{ink}")})
        done = json.loads(tokensync("migrate", "--copy-between", "one", "two", "--json").output)
        assert done["counts"]["aliases_written"] == done["counts"]["aliases_read"] > 0
        assert done["plan"]["variables_created"] == 2
        assert "remove x" in tokensync("migrate", "x", "--copy-between", "one", "two", code=2).stderr

    def test_without_a_source_it_says_so(self, folder):
        assert "Missing argument 'SOURCE'" in tokensync("migrate", "--to", "x", code=2).stderr

    def test_it_refuses_a_second_source_instead_of_ignoring_it(self, folder):
        assert "b.css: migrate reads one SOURCE" in tokensync("migrate", "a.css", "b.css", "--to", "x", code=2).stderr


class TestIdentities:
    def test_a_token_that_tokens_studio_renamed_keeps_its_variable_by_its_key(self, folder):
        written(folder / "source", STUDIO)
        migrated("source", "--to", "harbor")
        tokensync("-q", "apply")
        tokensync("-q", "pull")
        graph = read_tokens(load_project(), "harbor").graph
        keys = {key.path: token.variable_key for key, token in graph.tokens.items() if key.collection == "mode"}
        document = json.loads(json.dumps(STUDIO["tokens.json"]))
        for name in ("light", "dark"):
            document[name]["background"] = document[name].pop("bg")
        for theme in document["$themes"]:
            theme["$figmaVariableReferences"] = {"background": keys["bg"], "hover": keys["hover"], "gone": "f" * 40}
        written(folder / "source", {"tokens.json": document})
        done = migrated("source")
        assert done["plan"]["variables_created"] == done["plan"]["collections_created"] == 0
        assert done["plan"]["variables_updated"] == 1
        assert 'name  "bg" -> "background"' in tokensync("plan").output

    def test_an_export_of_the_design_file_itself_plans_nothing(self, folder):
        quickstart = quickstart_in(folder / "quickstart")
        with chdir(quickstart):
            tokensync("-q", "emulator", "seed", *DESIGN)
            tokensync("-q", "pull")
            graph = read_tokens(load_project(), "harbor").graph
            written(quickstart / "export", native_export(graph))
            before = tokens("harbor")
            done = migrated("export")
            assert done["format"] == "figma"
            assert done["plan"].items() >= NOTHING.items()
            assert tokens("harbor") == before


def native_export(graph):
    """The literals of two collections as Figma exports them: a file for each mode, without the collection's name."""
    files = {}
    for family in graph.collections.values():
        if family.origin != "local" or family.extensions:
            continue
        for column, mode in enumerate(family.modes):
            tree = {"$extensions": {"com.figma.modeName": mode.name}}
            for key, token in graph.tokens.items():
                value = token.values[column] if key[:2] == family.key and token.origin == "local" else None
                if not isinstance(value, Color):
                    continue
                *groups, name = key.path.split(".")
                node = tree
                for group in groups:
                    node = node.setdefault(group, {})
                components = [value.red, value.green, value.blue]
                node[name] = {
                    "$type": "color",
                    "$value": {"colorSpace": "srgb", "components": components, "alpha": value.alpha, "hex": "#000000"},
                    "$extensions": {"com.figma.variableId": token.id, "com.figma.scopes": [*token.scopes]},
                }
            if len(tree) > 1:
                files[f"{family.name}/{mode.name}.tokens.json"] = tree
    return files


def test_a_design_file_that_the_emulator_does_not_know_keeps_its_token_files(folder, monkeypatch):
    """A pull from the empty file that a migration would begin with would delete all tokens."""
    monkeypatch.chdir(quickstart_in(folder / "harbor"))
    before = files_in(folder / "harbor")
    (folder / "old.css").write_text(":root { --sand: #f5e9d0 }", encoding="utf-8")
    done = tokensync("migrate", folder / "old.css", code=2)
    assert "the embedded emulator has no file" in done.stderr
    assert files_in(folder / "harbor") == before
