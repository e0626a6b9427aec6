"""``tokensync pull``: edits are preserved, and nothing is written before everything is read."""

import json

import pytest
from commands.projects import COLORS, files_in, on_the_platform, output, project_in, pulled_in, response, tokensync

from tokensync.emulator import Emulator
from tokensync.emulator.server import Server
from tokensync.emulator.services.variables.publishing import Seed
from tokensync.project.lock import read_lock
from tokensync.system.disk import replace_file

LIGHT = ("tokens", "one", "theme", "light.tokens.json")
LIGHT_PATH = "/".join(LIGHT)


def edit(folder, old, new, path=LIGHT):
    file = folder.joinpath(*path)
    before = file.read_text(encoding="utf-8")
    assert old in before
    file.write_text(before.replace(old, new), encoding="utf-8", newline="\n")


class TestSecondPull:
    def test_it_changes_no_byte_and_reports_that(self, project):
        before = files_in(project)
        assert tokensync("pull").stderr.splitlines()[-1] == "  nothing to do"
        assert files_in(project) == before

    def test_a_change_on_the_platform_changes_its_token_files_and_facts_alone(self, project):
        before = files_in(project)
        on_the_platform({**COLORS, "slate": ("#112233", "#ffffff")})
        assert "changed 1 token file" in tokensync("pull").stderr
        after = files_in(project)
        assert [path for path in after if after[path] != before.get(path)] == [
            "tokens/one/theme/dark.tokens.json",
            "tokensync.lock",
        ]

    @pytest.mark.parametrize("name", ["a\u2028b", "a\u0085b", "a\x0bb", "a\nb", "\u202eb", "<<<<<<<", "=======", "ä/ö"])
    def test_it_is_quiet_whatever_characters_a_name_holds(self, folder, name):
        pulled_in(folder, {name: ("#000000", "#ffffff"), "text": (f"x{name}", name)})
        before = files_in(folder)
        assert "nothing to do" in tokensync("pull").stderr
        assert files_in(folder) == before


class TestInterruptedPull:
    def test_no_plan_is_made_from_files_of_two_states_and_the_next_pull_completes_them(self, project, monkeypatch):
        on_the_platform({**COLORS, "slate": ("#112233", "#ffffff"), "new": ("#000000", "#ffffff")})
        written = []

        def dying(path, *arguments, **named):
            if written:
                raise KeyboardInterrupt
            if path.endswith(".tokens.json"):
                written.append(path)
            replace_file(path, *arguments, **named)

        with monkeypatch.context() as patch:
            patch.setattr("tokensync.dtcg.folder.replace_file", dying)
            tokensync("pull", code=130)
        before = files_in(project)
        for command in ("plan", "status", "pull --dry-run"):
            shown = tokensync(*command.split(), code=4).stderr
            assert "tokens/one: a pull was interrupted while it wrote these files; run tokensync pull" in shown
        assert files_in(project) == before
        tokensync("-q", "pull")
        after = files_in(project)
        tokensync("-q", "plan", "--exit-code")
        assert "nothing to do" in tokensync("pull").stderr
        assert files_in(project) == after
        assert not list(project.glob(".tokensync/pull-*.json"))


class TestEdits:
    def test_an_edit_stays_and_what_changed_on_the_platform_comes_beside_it(self, project):
        edit(project, "#112233", "#102233")
        edit(project, "0.06666667", "0.0627451")
        on_the_platform({**COLORS, "slate": ("#112233", "#ffffff"), "fresh": ("#000000", "#000000")})
        tokensync("-q", "pull")
        light = (project / LIGHT_PATH).read_text("utf-8")
        assert '"hex": "#102233"' in light
        assert '"fresh"' in light
        assert "#ffffff" in (project / "tokens" / "one" / "theme" / "dark.tokens.json").read_text("utf-8")
        before = files_in(project)
        assert "nothing to do" in tokensync("pull").stderr
        assert files_in(project) == before

    def test_a_rename_stays_and_so_do_the_aliases_to_it(self, project):
        edit(project, '"slate"', '"stone"')
        edit(project, "{theme.slate}", "{theme.stone}")
        dark = ("tokens", "one", "theme", "dark.tokens.json")
        edit(project, '"slate"', '"stone"', dark)
        edit(project, "{theme.slate}", "{theme.stone}", dark)
        before = files_in(project)
        tokensync("-q", "pull")
        assert files_in(project) == before

    def test_a_token_that_somebody_removed_stays_removed(self, project):
        for mode in ("light", "dark"):
            path = project / "tokens" / "one" / "theme" / f"{mode}.tokens.json"
            document = json.loads(path.read_text("utf-8"))
            del document["theme"]["text"]
            path.write_text(json.dumps(document), encoding="utf-8")
        tokensync("-q", "pull")
        assert "muted" not in (project / LIGHT_PATH).read_text("utf-8")

    def test_an_edit_that_the_platform_already_has_is_no_difference(self, project):
        before = files_in(project)
        on_the_platform({**COLORS, "slate": ("#000000", "#445566")})
        tokensync("-q", "pull")
        pulled = files_in(project)
        for path, content in before.items():
            if path == "tokensync.lock":
                (project / path).write_bytes(content)
        assert "nothing to do" in tokensync("pull").stderr
        assert files_in(project) == pulled

    def test_an_unreadable_token_file_is_reported_with_its_location(self, project):
        edit(project, '"theme": {', '<<<<<<< ours\n"theme": {')
        assert "light.tokens.json:" in tokensync("-q", "pull", code=1).stderr
        tokensync("-q", "pull", "--theirs")
        tokensync("format", "--check")

    def test_another_layout_is_no_edit(self, project):
        path = project.joinpath(*LIGHT)
        path.write_text(json.dumps(json.loads(path.read_text("utf-8"))), encoding="utf-8")
        tokensync("-q", "pull")


class TestLock:
    def test_conflict_markers_are_resolved(self, project):
        theirs = files_in(project)
        on_the_platform({**COLORS, "slate": ("#000000", "#445566")})
        tokensync("-q", "pull")
        pulled = files_in(project)
        ours, others = (each["tokensync.lock"].decode().splitlines(keepends=True) for each in (pulled, theirs))
        both = ["<<<<<<< HEAD\n", *ours, "||||||| base\n", *others, "=======\n", *others, ">>>>>>> theirs\n"]
        (project / "tokensync.lock").write_text("".join(both), encoding="utf-8")
        tokensync("-q", "pull")
        assert files_in(project) == pulled

    def test_conflict_marks_lose_no_edit(self, project):
        lock = project / "tokensync.lock"
        lines = lock.read_text("utf-8").splitlines(keepends=True)
        lock.write_text("".join(["<<<<<<< a\n", *lines, "=======\n", *lines, ">>>>>>> b\n"]), encoding="utf-8")
        edit(project, "#112233", "#102233")
        edit(project, "0.06666667", "0.0627451")
        tokensync("-q", "pull")
        assert lock.read_text("utf-8") == "".join(lines)
        assert "#102233" in (project / LIGHT_PATH).read_text("utf-8")

    @pytest.mark.parametrize(
        "content", [None, b"", b"\xff\xfe", b"no lock\n[1]\n[1,2,3,4,5]\n{}\n", b'["one","","","\xff",1]\n']
    )
    def test_a_missing_or_invalid_lock_is_recreated(self, project, content):
        before = files_in(project)
        lock = project / "tokensync.lock"
        lock.unlink() if content is None else lock.write_bytes(content)
        tokensync("-q", "pull")
        assert files_in(project) == before

    def test_without_a_lock_an_edit_is_still_refused(self, project):
        (project / "tokensync.lock").unlink()
        for path in (project / "tokens").rglob("*.tokens.json"):
            path.write_text(
                path.read_text("utf-8").replace('"slate"', '"stone"').replace("{theme.slate}", "{theme.stone}"),
                encoding="utf-8",
            )
        assert "stone" in tokensync("-q", "pull", code=4).stderr

    def test_it_has_a_fact_a_line_for_each_side_of_a_conflict(self, folder):
        a, b, c = (f'["one","","","{letter}",1]' for letter in "abc")
        (folder / "tokensync.lock").write_text(f"{a}\n<<<<<<< x\n{b}\n=======\n{c}\n>>>>>>> y\n", encoding="utf-8")
        locked = read_lock(str(folder))["one"]
        assert locked.any_side == {a, b, c}
        assert locked.every_side == {a}

    def test_it_names_a_branch_by_both_keys_and_a_url_by_its_key(self, folder):
        project_in(folder)
        on_the_platform(COLORS)
        config = folder / "tokensync.toml"
        config.write_text(
            config.read_text("utf-8").replace("key-one", "https://www.figma.com/design/key-one/Some-title"),
            encoding="utf-8",
        )
        tokensync("-q", "pull")
        assert '["one","","","key","key-one"]\n' in (folder / "tokensync.lock").read_text("utf-8")


class TestSeveralFiles:
    def test_a_file_that_cannot_be_read_leaves_the_others_pulled(self, folder, monkeypatch):
        monkeypatch.delenv("CI", raising=False)
        project_in(folder, files=("two", "one"))
        on_the_platform(COLORS, "one")
        stderr = tokensync("pull", code=1).stderr
        assert "one: 2 tokens in 1 collection, 2 modes\n  changed 3 token files\n" in stderr
        assert "error: two: the embedded emulator has no file key-two; fill it with tokensync emulator seed" in stderr
        assert "error: 1 of 2 files: not pulled; to try again, run tokensync pull --file two\n" in stderr
        assert read_lock(str(folder)).keys() == {"one"}
        before = files_in(folder)
        failed = json.loads(tokensync("pull", "--json", code=1).output)["error"]
        assert "tokensync pull --file two" in failed["message"]
        on_the_platform(COLORS, "two")
        tokensync("-q", "pull", "--file", "two")
        assert before.items() - files_in(folder).items() == {("tokensync.lock", before["tokensync.lock"])}

    def test_if_no_file_can_be_read_nothing_is_written(self, folder, monkeypatch):
        monkeypatch.delenv("CI", raising=False)
        project_in(folder, files=("one", "two"))
        before = files_in(folder)
        assert "two" not in tokensync("-q", "pull", "--snapshot-out", "raw", code=1).stderr
        assert files_in(folder) == before

    def test_a_runner_without_the_emulator_s_files_needs_a_base_url_and_a_key(self, folder, monkeypatch):
        monkeypatch.setenv("CI", "true")
        project_in(folder, files=("two",))
        stderr = tokensync("-q", "pull", code=1).stderr
        assert 'set base_url = "figma" in tokensync.toml, and the key of two to the URL of the design file' in stderr
        assert "seed" not in stderr

    def test_one_of_them_can_be_pulled_and_the_other_keeps_its_facts(self, folder):
        project_in(folder, files=("one", "two"))
        on_the_platform(COLORS, "one")
        on_the_platform(COLORS, "two")
        tokensync("-q", "pull")
        before = files_in(folder)
        on_the_platform({"slate": COLORS["slate"]}, "one")
        tokensync("-q", "pull", "--file", "one")
        after = files_in(folder)
        assert {path for path in before if "two" in path and after[path] != before[path]} == set()
        assert read_lock(str(folder)).keys() == {"one", "two"}
        tokensync("-q", "pull", "--file", "two")

    def test_remains_of_a_file_that_is_no_longer_configured_are_reported(self, folder):
        project_in(folder, files=("one", "two"))
        on_the_platform(COLORS, "one")
        on_the_platform(COLORS, "two")
        tokensync("-q", "pull")
        project_in(folder)
        stderr = tokensync("pull").stderr
        assert "token-files-forgotten" in stderr
        assert (folder / "tokens" / "two").is_dir()
        assert read_lock(str(folder)).keys() == {"one"}


class TestOptions:
    def test_a_dry_run_shows_changes_and_writes_nothing(self, folder):
        project_in(folder)
        on_the_platform(COLORS)
        before = files_in(folder)
        stderr = tokensync("pull", "--dry-run", "--snapshot-out", "raw").stderr
        assert "would change 3 token files" in stderr
        assert "    one/theme/light.tokens.json" in stderr
        assert files_in(folder) == before

    def test_raw_responses_are_saved_byte_for_byte(self, folder):
        project_in(folder)
        on_the_platform(COLORS)
        tokensync("-q", "pull", "--snapshot-out", "raw/today")
        kept = (folder / "raw" / "today" / "one.local.json").read_bytes()
        assert json.loads(kept) == json.loads(response(COLORS))
        assert sorted(each.name for each in (folder / "raw" / "today").iterdir()) == [
            "one.local.json",
            "one.published.json",
        ]
        tokensync("-q", "build", "--snapshot", "raw/today/one.local.json", "-o", "out")

    def test_json_lists_the_changes(self, folder):
        project_in(folder)
        on_the_platform(COLORS)
        (file,) = json.loads(tokensync("pull", "--json").output)["files"]
        assert (file["name"], file["tokens"], file["modes"], len(file["changed"])) == ("one", 2, 2, 3)

    def test_only_published_leaves_out_what_is_not_and_says_how_much(self, folder):
        project_in(folder, more="extract = { only_published = true }")
        on_the_platform(COLORS)
        stderr = tokensync("pull").stderr
        assert "2 variables are not published (slate, text/muted)" in stderr
        assert "one: 0 tokens" in stderr

    def test_the_emulator_state_is_ignored_by_git(self, project):
        assert (project / ".tokensync" / ".gitignore").read_text("utf-8") == "*\n"


class TestOnASocket:
    @pytest.fixture
    def emulator(self):
        emulator = Emulator()
        with Server(emulator) as server:
            emulator.address = server.base_url
            yield emulator
        emulator.close()

    def test_it_is_what_the_embedded_one_gives(self, project, emulator, monkeypatch):
        emulator.seed_all([Seed("key-one", "one", response(COLORS), None)])
        monkeypatch.setenv("TOKENSYNC_BASE_URL", emulator.address)
        monkeypatch.setenv("FIGMA_TOKEN", emulator.default_token)
        before = files_in(project)
        assert "nothing to do" in tokensync("pull").stderr
        assert files_in(project) == before

    def test_a_branch_is_read_with_the_published_variables_of_its_main_file(self, folder, emulator, monkeypatch):
        emulator.seed_all([Seed("main", "one", response(COLORS), None)])
        emulator.publish("main")
        emulator.files.branch("main", "twig")
        project_in(folder, outputs=output("css", "web"))
        config = folder / "tokensync.toml"
        config.write_text(
            config.read_text("utf-8").replace("key-one", "https://www.figma.com/design/main/branch/twig/Name"),
            encoding="utf-8",
        )
        monkeypatch.setenv("TOKENSYNC_BASE_URL", emulator.address)
        monkeypatch.setenv("FIGMA_TOKEN", emulator.default_token)
        tokensync("-q", "pull", "--snapshot-out", "raw")
        assert len(json.loads((folder / "raw" / "one.published.json").read_bytes())["meta"]["variables"]) == 2
        assert '["one","","","key","main/branch/twig"]' in (folder / "tokensync.lock").read_text("utf-8")

    def test_a_missing_scope_is_reported_with_advice(self, project, emulator, monkeypatch):
        emulator.seed_all([Seed("key-one", "one", response(COLORS), None)])
        token = emulator.tokens.create(scopes=("file_content:read",))
        monkeypatch.setenv("TOKENSYNC_BASE_URL", emulator.address)
        monkeypatch.setenv("FIGMA_TOKEN", token)
        stderr = tokensync("-q", "pull", code=1).stderr
        assert "file_variables:read" in stderr
        assert token not in stderr

    def test_a_refused_connection_is_reported(self, project, monkeypatch):
        monkeypatch.setenv("TOKENSYNC_BASE_URL", "http://127.0.0.1:9")
        monkeypatch.setenv("FIGMA_TOKEN", "figd_x")
        config = project / "tokensync.toml"
        config.write_text(config.read_text("utf-8") + "[client]\nattempts = 1\n", encoding="utf-8")
        assert "127.0.0.1:9" in tokensync("-q", "pull", code=1).stderr

    def test_missing_credentials_are_a_usage_error_that_names_the_variable(self, project, monkeypatch):
        monkeypatch.setenv("TOKENSYNC_BASE_URL", "figma")
        assert "FIGMA_ACCESS_TOKEN" in tokensync("-q", "pull", code=2).stderr


def test_what_was_pulled_is_counted_in_plurals_that_agree(folder):
    project_in(folder)
    on_the_platform({"slate": ("#112233",)}, modes=("Value",))
    assert "one: 1 token in 1 collection, 1 mode\n" in tokensync("pull").stderr
