"""``tokensync build``: selected outputs, folders, ownership of files, and checks."""

import gc
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from commands.projects import (
    COLORS,
    DESIGN,
    QUICKSTART,
    files_in,
    on_the_platform,
    output,
    project_in,
    pulled_in,
    quickstart_in,
    tokensync,
    work_tree_at,
)

from tokensync.system import stat_manifest

MANIFEST = "tokensync.outputs.json"
ALL = output("css", "web") + output("android", "droid") + output("ios", "apple")


@pytest.fixture
def project(folder, monkeypatch):
    """A pulled and built project with an output a platform, two colours, two modes."""
    monkeypatch.setattr(stat_manifest, "_MARGIN", 0)  # tokensync itself may have been installed just now
    pulled_in(folder, outputs=ALL)
    time.sleep(0.02)  # files of this very tick of the file system's clock prove nothing
    tokensync("-q", "build")
    return folder


def paths(folder):
    return {each["path"] for each in json.loads((folder / MANIFEST).read_bytes())["outputs"]}


class TestAssets:
    """Apple's Asset Catalog Format Reference, "Unique Asset Names": within a target, a name is unique across catalogs.

    It includes the names of groups that provide a namespace.
    """

    HARBOR, ISLAND = 'options = { name = "Harbor" }', 'options = { name = "Island" }'
    GROUPED, SPACED = (
        f'options = {{ name = "Harbor", groups = "collection"{more} }}' for more in ("", ", namespace = true")
    )

    @pytest.mark.parametrize(
        ("first", "second"),
        [
            ("Ferry/Harbor", "Ferry/Island"),
            ("Ferry", "Ferry/Island"),
            (".", "Island"),
            ("Sources/UI/A", "Sources/UI/B"),
        ],
    )
    def test_equal_names_in_one_target_are_reported(self, folder, first, second):
        pulled_in(folder, outputs=output("ios", first, self.HARBOR) + output("ios", second, self.ISLAND))
        stderr = tokensync("build").stderr
        assert (
            f"the catalog of {first} has the names of 2 colours of this output, such as 'slate', and a target" in stderr
        )
        assert 'set naming = { prefix = "island" }, or ignore this' in stderr
        text = Path("tokensync.toml").read_text(encoding="utf-8")
        prefixed = text.replace(self.ISLAND, f'{self.ISLAND}\nnaming = {{ prefix = "island" }}')
        Path("tokensync.toml").write_text(prefixed, encoding="utf-8")
        assert "asset-shared" not in tokensync("build").stderr

    def test_a_group_without_a_namespace_is_no_part_of_a_name(self, folder):
        pulled_in(folder, outputs=output("ios", "Ferry", self.GROUPED) + output("ios", "Ferry/Island", self.ISLAND))
        assert "has the names of 2 colours of this output" in tokensync("build").stderr

    @pytest.mark.parametrize(
        ("first", "second"),
        [
            (output("ios", "Sources/Harbor", HARBOR), output("ios", "Sources/Island", ISLAND)),
            (output("ios", "Harbor", HARBOR), output("ios", "Island", ISLAND)),
            (output("ios", "Ferry/Harbor"), output("ios", "Ferry/Island")),  # two enums of one name
            (output("ios", "Ferry/Harbor", HARBOR), output("android", "Ferry/Island")),
            (output("ios", "Ferry/Harbor", SPACED), output("ios", "Ferry/Island", ISLAND)),
        ],
    )
    def test_targets_of_their_own_may_have_equal_names(self, folder, first, second):
        pulled_in(folder, outputs=first + second)
        assert "asset-shared" not in tokensync("build").stderr


class TestCheck:
    def test_it_is_0_right_after_a_build_and_reads_no_token(self, project, monkeypatch):
        monkeypatch.setattr("tokensync.commands.build.from_project", None)
        assert tokensync("build", "--check").stderr == "all outputs are current\n"

    @pytest.mark.parametrize(
        "touched",
        ["web/tokens.css", "droid/values/colors.xml", "apple/Tokens.swift", "apple/Tokens.xcassets/Contents.json"],
    )
    def test_it_is_3_after_touching_an_output_and_names_it(self, project, touched):
        path = project / touched
        path.write_bytes(path.read_bytes() + b"\n")
        advice = "run tokensync build, and commit what it writes"
        assert tokensync("build", "--check", code=3).stderr == f"not current: {touched}\n{advice}\n"

    @pytest.mark.parametrize(
        "content",
        [b"", b"\xff", b'{"\xff": 1}', b"[" * 100_000, b'{"outputs": [{"path": 5}]}', b"9" * 5000],
    )
    def test_a_damaged_manifest_is_named_and_written_anew(self, project, content):
        before = files_in(project)
        (project / MANIFEST).write_bytes(b"\n" + content)
        done = tokensync("build", "--check", code=3)
        assert "[manifest-unreadable]" in done.stderr
        assert f"{MANIFEST}:2: " in done.stderr
        assert f"not current: {MANIFEST}" in done.stderr
        assert "[manifest-unreadable]" in tokensync("build").stderr
        assert files_in(project) == before
        assert "manifest-unreadable" not in tokensync("build").stderr

    def test_it_is_3_when_an_output_is_gone(self, project):
        shutil.rmtree(project / "apple" / "Tokens.xcassets")
        assert tokensync("build", "--check", code=3).stderr.count("not current") == 3

    def test_it_is_3_when_tokens_changed(self, project):
        on_the_platform({**COLORS, "slate": ("#000000", "#445566")})
        tokensync("-q", "pull")
        tokensync("build", "--check", code=3)

    def test_it_writes_nothing(self, project):
        (project / "web" / "tokens.css").write_bytes(b"")
        before = files_in(project)
        tokensync("build", "--check", code=3)
        assert files_in(project) == before

    def test_checkouts_with_other_line_ends_are_current(self, project):
        for path, content in files_in(project).items():
            (project / path).write_bytes(content.replace(b"\n", b"\r\n"))
        tokensync("build", "--check")
        before = files_in(project)
        tokensync("build")
        assert files_in(project) == before
        tokensync("format", "--check")

    def test_a_setting_of_one_output_makes_that_output_alone_out_of_date(self, project):
        config = project / "tokensync.toml"
        config.write_text(
            config.read_text("utf-8").replace('path = "web"', 'path = "web"\nexclude = { paths = ["slate"] }'),
            encoding="utf-8",
        )
        assert tokensync("build", "--check", code=3).stderr.splitlines()[-2] == "not current: web/tokens.css"
        tokensync("build", "--check", "--platform", "android")

    def test_an_output_that_should_not_be_there_any_more_is_not_current(self, project):
        config = project / "tokensync.toml"
        config.write_text(config.read_text("utf-8").replace(output("css", "web"), ""), encoding="utf-8")
        assert "not current: web/tokens.css" in tokensync("build", "--check", code=3).stderr

    def test_a_clone_of_a_repository_with_committed_outputs_is_current(self, folder):
        def git(*arguments):
            environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
            subprocess.run(
                ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *arguments], check=True, env=environment
            )

        if shutil.which("git") is None:
            pytest.skip("git is not there")
        quickstart_in(folder / "harbor")
        git("init", "-q", "harbor")
        git("-C", "harbor", "add", ".")
        git("-C", "harbor", "commit", "-q", "-m", "All of it")
        git("clone", "-q", "harbor", "clone")
        assert tokensync("build", "--check", "-c", "clone").stderr.endswith("clone: all outputs are current\n")
        assert tokensync("build", "-c", "clone", "--json").output.count('"current": true') == 1

    def test_a_manifest_that_is_missing_or_out_of_date_is_not_current(self, project):
        manifest = project / MANIFEST
        for content in (None, b"", b'{"outputs": []}', manifest.read_bytes().replace(b'"css"', b'"scss"')):
            manifest.unlink() if content is None else manifest.write_bytes(content)
            for platforms in ((), ("--platform", "css")):
                lines = tokensync("build", "--check", *platforms, code=3).stderr.splitlines()
                command = " ".join(("tokensync build", *platforms))
                assert lines[-2:] == [f"not current: {MANIFEST}", f"run {command}, and commit what it writes"]
        tokensync("-q", "build")
        tokensync("build", "--check")

    def test_json_counts_tokens_and_files_also_if_all_is_current(self, project):
        for options in ((), ("--snapshot", DESIGN[0], "-o", "elsewhere")):
            tokensync("-q", "build", *options)
            counts = json.loads(tokensync("build", "--json", *options).output)
            checked = json.loads(tokensync("build", "--check", "--json", *options).output)
            assert checked["current"] is True
            assert (checked["tokens"], checked["files"]) == (counts["tokens"], counts["files"]) > (0, 0)

    def test_json_lists_stale_outputs(self, project):
        (project / "web" / "tokens.css").write_bytes(b"")
        done = tokensync("build", "--check", "--json", code=3)
        assert json.loads(done.output)["stale"] == ["web/tokens.css"]
        assert done.stderr == ""


class TestSeveralConfigurations:
    @pytest.fixture
    def other(self, project):
        tables = (project / "tokensync.toml").read_text("utf-8").partition("[[outputs]]")[0]
        (project / "other.toml").write_text(tables + output("scss", "sass"), encoding="utf-8")
        return project

    def test_a_build_keeps_the_outputs_of_another_configuration(self, other):
        before = files_in(other)
        tokensync("-q", "build", "-c", "other.toml")
        assert set(files_in(other)) - set(before) == {"sass/_tokens.scss"}
        after = files_in(other)
        for options in ((), ("-c", "other.toml"), ("--force",), ("-c", "other.toml", "--force")):
            tokensync("build", "--check", *[each for each in options if each != "--force"])
            tokensync("-q", "build", *options)
            assert files_in(other) == after

    def test_each_configuration_removes_its_own_former_outputs(self, other):
        tokensync("-q", "build", "-c", "other.toml")
        (other / "other.toml").write_text(
            (other / "other.toml").read_text("utf-8").replace('"sass"', '"styles"'), encoding="utf-8"
        )
        tokensync("-q", "build", "-c", "other.toml")
        assert (other / "styles" / "_tokens.scss").exists()
        assert not (other / "sass").exists()
        assert (other / "web" / "tokens.css").exists()
        tokensync("build", "--check")

    def test_the_output_of_another_configuration_is_not_overwritten(self, other):
        (other / "other.toml").write_text(
            (other / "other.toml").read_text("utf-8") + output("css", "web", 'naming = { prefix = "x" }'),
            encoding="utf-8",
        )
        stderr = tokensync("build", "-c", "other.toml", code=1).stderr
        assert "web/tokens.css: tokensync.toml also has an output that writes it" in stderr


class TestPlatformsAndFiles:
    def test_a_platform_is_built_and_the_others_stay_as_they_are(self, project):
        before = files_in(project)
        (project / "web" / "tokens.css").unlink()
        (project / "droid" / "values" / "colors.xml").unlink()
        assert tokensync("-v", "build", "--platform", "css").stderr.splitlines()[0] == "written: web/tokens.css"
        del before["droid/values/colors.xml"]
        assert files_in(project) == before
        tokensync("build", "--check", "--platform", "css", "--platform", "ios")
        tokensync("build", "--check", code=3)

    def test_a_platform_of_a_saved_response_leaves_the_other_folders_alone(self, folder):
        tokensync("-q", "build", "--snapshot", DESIGN[0], "-o", "out")
        before = files_in(folder)
        tokensync("-q", "build", "--snapshot", DESIGN[0], "-o", "out", "--platform", "ios")
        assert files_in(folder) == before

    def test_a_folder_that_holds_one_platform_is_not_current_for_another(self, project):
        tokensync("-q", "build", "-o", "out", "--platform", "css")
        tokensync("build", "-o", "out", "--platform", "css", "--check")
        tokensync("build", "-o", "out", "--platform", "ios", "--check", code=3)

    def test_a_platform_without_an_output_is_reported(self, folder):
        project_in(folder, outputs=output("css", "web"))
        stderr = tokensync("build", "--platform", "ios", code=2).stderr
        assert "no configured output matches" in stderr
        assert sorted(files_in(folder)) == ["tokensync.toml"]

    def test_without_outputs_nothing_is_built_into_the_project_unasked(self, folder):
        pulled_in(folder)
        assert "-o DIR" in tokensync("build", code=2).stderr
        tokensync("-q", "build", "-o", "out")
        assert {each.name for each in (folder / "out").iterdir()} == {"css", "android", "ios", MANIFEST}

    def test_several_outputs_of_a_platform_have_folders_of_their_own_under_another_root(self, folder, monkeypatch):
        monkeypatch.setenv("TOKENSYNC_ALLOW_OUTSIDE", "1")
        pulled_in(folder, outputs=output("css", "a") + output("css", "../b") + output("ios", "c"))
        tokensync("-q", "build", "-o", "out")
        assert {"css/a/tokens.css", "css/b/tokens.css", "ios/Tokens.swift"} <= set(files_in(folder / "out"))

    def test_a_file_selects_the_outputs_that_declare_its_tokens_and_they_are_whole(self, folder):
        outputs = (
            output("css", "both") + output("css", "one", 'files = ["one"]') + output("css", "two", 'files=["two"]')
        )
        project_in(folder, files=("one", "two"), outputs=outputs)
        on_the_platform(COLORS, "one")
        on_the_platform({"other": ("#ffffff", "#000000")}, "two")
        tokensync("-q", "pull")
        tokensync("-q", "build", "--file", "two")
        assert not (folder / "one").exists()
        assert b"--slate" in (folder / "both" / "tokens.css").read_bytes()
        assert b"--slate" not in (folder / "two" / "tokens.css").read_bytes()
        tokensync("-q", "build")
        assert paths(folder) == {"both/tokens.css", "one/tokens.css", "two/tokens.css"}

    def test_an_output_of_a_pulled_file_needs_no_other_file(self, folder):
        project_in(folder, files=("one", "two"), outputs=output("css", "web", 'files = ["one"]'))
        on_the_platform(COLORS, "one")
        tokensync("-q", "pull", "--file", "one")
        tokensync("-q", "build")
        assert (folder / "web" / "tokens.css").is_file()

    def test_tokens_that_were_never_pulled_are_an_error(self, folder):
        project_in(folder, outputs=ALL)
        assert "token-files-absent" in tokensync("build", code=1).stderr

    def test_an_unknown_file_is_reported(self, project):
        assert "no such file is configured; use one" in tokensync("build", "--file", "two", code=2).stderr


class TestOwnership:
    def test_a_foreign_file_is_refused_before_anything_is_written_and_named(self, folder):
        pulled_in(folder, outputs=ALL)
        (folder / "apple").mkdir()
        (folder / "apple" / "Tokens.swift").write_text("let mine = 1\n", encoding="utf-8")
        before = files_in(folder)
        assert "apple/Tokens.swift" in tokensync("-q", "build", code=1).stderr.replace(os.sep, "/")
        assert files_in(folder) == before
        tokensync("-q", "build", "--force")
        assert (folder / "apple" / "Tokens.swift").read_text("utf-8").startswith("// Generated")

    def test_obsolete_files_are_removed_with_their_empty_folders(self, project):
        config = project / "tokensync.toml"
        config.write_text(
            config.read_text("utf-8").replace('"droid"', '"android"').replace(output("css", "web"), ""),
            encoding="utf-8",
        )
        stderr = tokensync("build", "-v").stderr
        assert "removed: web/tokens.css" in stderr
        assert not (project / "web").exists()
        assert not (project / "droid").exists()
        assert (project / "android").is_dir()

    def test_a_colour_that_is_gone_leaves_the_catalog_and_somebody_elses_stays(self, project):
        on_the_platform({"slate": COLORS["slate"]})
        theirs = project / "apple" / "Tokens.xcassets" / "brand.colorset" / "Contents.json"
        theirs.parent.mkdir()
        theirs.write_text('{"info": {"author": "xcode", "version": 1}}', encoding="utf-8")
        tokensync("-q", "pull")
        tokensync("-q", "build")
        assert {each.name for each in theirs.parent.parent.iterdir()} == {
            "Contents.json",
            "brand.colorset",
            "slate.colorset",
        }
        tokensync("build", "--check")

    def test_a_former_output_with_other_content_is_reported_and_not_removed(self, project):
        (project / "web" / "tokens.css").write_text(".mine {}\n", encoding="utf-8")
        config = project / "tokensync.toml"
        config.write_text(config.read_text("utf-8").replace(output("css", "web"), ""), encoding="utf-8")
        assert "web/tokens.css" in tokensync("build").stderr
        assert (project / "web" / "tokens.css").read_text("utf-8") == ".mine {}\n"
        assert "output-left" not in tokensync("build").stderr

    def test_a_merge_conflict_in_the_manifest_needs_no_force(self, project):
        manifest = project / MANIFEST
        lines = manifest.read_text("utf-8").splitlines(keepends=True)
        at = next(number for number, line in enumerate(lines) if '"path"' in line)
        lines[at : at + 1] = ["<<<<<<< ours\n", lines[at], "=======\n", lines[at], ">>>>>>> theirs\n"]
        manifest.write_text("".join(lines), encoding="utf-8")
        on_the_platform({"slate": ("#000000", "#ffffff")})
        tokensync("-q", "pull")
        tokensync("-q", "build")
        tokensync("build", "--check")
        assert not (project / "apple" / "Tokens.xcassets" / "textMuted.colorset").exists()

    @pytest.mark.parametrize(
        "path",
        [
            "../precious.css",
            "/etc/passwd",
            "",
            ".",
            "a\\u0000b",
            "web/../../precious.css",
            "C:/precious.css",
            "precious.css",
        ],
    )
    def test_a_manifest_that_was_edited_cannot_have_other_files_removed(self, folder, path):
        outer, project = folder, folder / "project"
        work_tree_at(folder)
        pulled_in(project, outputs=output("css", "../web"))
        for each in (outer, project):
            (each / "precious.css").write_text("precious", encoding="utf-8")
        entry = f'{{"path": "{path}", "platform": "css", "output": "x"}}'
        (project / MANIFEST).write_text(f'{{"outputs": [{entry}]}}', encoding="utf-8")
        tokensync("-q", "build")
        assert all((each / "precious.css").read_text("utf-8") == "precious" for each in (outer, project))

    @pytest.mark.parametrize("content", [b"", b"[]", b'{"outputs": 5}', b'{"outputs": [{"path": 1}]}', b"\xff\x00"])
    def test_an_invalid_manifest_is_recreated(self, project, content):
        (project / MANIFEST).write_bytes(content)
        tokensync("-q", "build")
        tokensync("build", "--check")

    def test_after_a_build_that_was_cut_short_what_it_wrote_is_still_ours(self, folder, monkeypatch):
        pulled_in(folder, outputs=ALL)

        def full(path, content, folders, **options):
            if path.endswith(".swift"):
                raise OSError(28, "No space left on device", path)
            original(path, content, folders, **options)

        from tokensync.project import outputs

        original = outputs.create_file
        monkeypatch.setattr(outputs, "create_file", full)
        assert "Tokens.swift: No space left on device" in tokensync("-q", "build", code=1).stderr
        monkeypatch.undo()
        os.chdir(folder)
        on_the_platform({"slate": ("#000000", "#ffffff")})
        tokensync("-q", "pull")
        tokensync("-q", "build")
        tokensync("build", "--check")


class TestPaths:
    def test_an_output_may_be_configured_beside_the_project_in_its_work_tree(self, folder):
        work_tree_at(folder)
        pulled_in(folder / "design", outputs=output("css", "../web/styles"))
        tokensync("-q", "build")
        tokensync("build", "--check")
        on_the_platform({"slate": ("#000000", "#ffffff")})
        tokensync("-q", "pull")
        tokensync("-q", "build")  # what is there is known to be ours
        assert b"text-muted" not in (folder / "web" / "styles" / "tokens.css").read_bytes()

    def test_an_output_may_be_the_projects_folder_itself(self, folder):
        pulled_in(folder, outputs=output("css", "."))
        tokensync("-q", "build")
        assert paths(folder) == {"tokens.css"}
        tokensync("build", "--check")

    def test_two_platforms_may_share_a_folder(self, folder):
        pulled_in(folder, outputs=output("css", "out") + output("ios", "out"))
        tokensync("-q", "build")
        before = files_in(folder)
        tokensync("-q", "build", "--platform", "css")
        assert files_in(folder) == before

    def test_an_absolute_path_is_refused_since_the_manifest_is_shared(self, folder):
        project_in(folder, outputs=output("css", (folder / "abs").as_posix()))
        assert "/outputs/0/path" in tokensync("build", code=2).stderr

    def test_two_outputs_of_one_file_are_refused(self, folder):
        pulled_in(folder, outputs=output("css", "web") + output("css", "./x/../web"))
        errors = {tokensync(*each, code=1).stderr for each in (("build",), ("build", "--check"))}
        assert len(errors) == 1
        assert "error: web/tokens.css: two outputs write this file; " in errors.pop()
        assert "[output-repeated]" in tokensync("check", code=5).stderr
        assert not (folder / "web").exists()

    @pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
    def test_a_link_in_place_of_an_output_is_not_followed(self, project):
        precious = project / "precious"
        precious.write_text("precious", encoding="utf-8")
        css = project / "web" / "tokens.css"
        css.unlink()
        css.symlink_to(precious)
        tokensync("-q", "build")
        assert precious.read_text("utf-8") == "precious"
        assert not css.is_symlink()

    @pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
    def test_a_link_to_nowhere_is_not_followed_either(self, project):
        css = project / "web" / "tokens.css"
        css.unlink()
        css.symlink_to(project / "nowhere")
        tokensync("-q", "build", code=1)
        assert not (project / "nowhere").exists()

    def test_a_file_in_place_of_a_folder_is_reported(self, folder):
        (folder / "out").write_text("", encoding="utf-8")
        assert "out" in tokensync("build", "--snapshot", DESIGN[0], "-o", "out", code=1).stderr

    def test_a_folder_in_place_of_a_file_is_reported(self, project):
        css = project / "web" / "tokens.css"
        css.unlink()
        css.mkdir()
        assert "tokens.css" in tokensync("build", code=1).stderr

    @pytest.mark.skipif(
        sys.platform == "win32" or getattr(os, "geteuid", lambda: 0)() == 0, reason="this user may write everywhere"
    )
    def test_a_read_only_folder_is_reported(self, folder):
        (folder / "out").mkdir(mode=0o555)
        assert "Permission denied" in tokensync("build", "--snapshot", DESIGN[0], "-o", "out", code=1).stderr


class TestTemplates:
    def test_a_template_of_the_users_counts_as_an_input(self, folder):
        pulled_in(folder, outputs=output("css", "web", 'templates = "mine"'))
        (folder / "mine" / "css").mkdir(parents=True)
        template = folder / "mine" / "css" / "tokens.css.j2"
        template.write_text("/* mine */\n", encoding="utf-8")
        tokensync("-q", "build")
        assert (folder / "web" / "tokens.css").read_text("utf-8") == "/* mine */\n"
        tokensync("build", "--check")
        template.write_text("/* other */\n", encoding="utf-8")
        tokensync("build", "--check", code=3)
        tokensync("-q", "build")
        assert (folder / "web" / "tokens.css").read_text("utf-8") == "/* other */\n"

    def test_a_catalog_template_that_names_another_author_is_refused(self, folder):
        pulled_in(folder, outputs=output("ios", "apple", 'templates = "mine"'))
        (folder / "mine" / "ios").mkdir(parents=True)
        (folder / "mine" / "ios" / "catalog.json.j2").write_text('{"info": {"author": "me"}}\n', encoding="utf-8")
        assert "catalog-unsigned" in tokensync("build", code=1).stderr
        assert not (folder / "apple").exists()


def test_building_twice_changes_no_byte(project):
    before = files_in(project)
    times = {path: (project / path).stat().st_mtime_ns for path in before}
    assert tokensync("build").stderr == "all outputs are current\n"
    assert "(0 written, 8 unchanged)" in tokensync("build", "--verbose").stderr
    assert files_in(project) == before
    assert {path: (project / path).stat().st_mtime_ns for path in before} == times


def test_pythons_collector_is_on_again_after_a_build_and_after_one_that_fails(project):
    tokensync("-q", "build")
    assert gc.isenabled()
    (project / "tokens" / "one" / "theme" / "light.tokens.json").write_text("{", encoding="utf-8")
    tokensync("-q", "build", code=1)
    assert gc.isenabled()


def test_a_token_that_the_design_file_lacks_is_to_get_its_values_in_the_token_files(folder):
    pulled_in(folder, outputs=output("css", "web"))
    path = folder / "tokens" / "one" / "theme" / "light.tokens.json"
    document = json.loads(path.read_text("utf-8"))
    document["theme"]["fresh"] = {"$type": "color", "$value": {"colorSpace": "srgb", "components": [1, 0, 0]}}
    path.write_text(json.dumps(document), encoding="utf-8")
    advice = "give it a value in the token files, or apply, which sets the default mode's value (until then"
    assert f"Theme / fresh / dark: it has no value; {advice}" in tokensync("build").stderr


def test_a_build_of_a_response_into_a_new_folder_digests_nothing(folder, monkeypatch):
    shutil.copy(QUICKSTART / "design.local.json", folder)
    monkeypatch.setattr("tokensync.project.outputs.sha256", None)
    monkeypatch.setattr("tokensync.system.resources.program_digest", None)
    assert "written" in tokensync("build", "--snapshot", "design.local.json", "-o", "out").stderr
