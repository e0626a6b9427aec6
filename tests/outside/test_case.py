"""On a file system that ignores the case of names, nothing is lost when a path changes in case alone."""

import json
import os
import re
import shlex
import unicodedata
from pathlib import Path

import pytest
from commands.projects import COLORS, files_in, on_the_platform, output, project_in, tokensync
from commands.repositories import git

pytestmark = pytest.mark.outside

OUTPUTS = output("css", "code/web") + output("ios", "code/apple") + output("android", "code/droid/res")


@pytest.fixture
def project(ignoring_case, monkeypatch):
    """Build a project there, and make it the working folder."""
    for name in os.environ:
        if name.startswith(("TOKENSYNC_", "FIGMA_")):
            monkeypatch.delenv(name)
    monkeypatch.chdir(ignoring_case)
    git("init", "-q")
    project = project_in(ignoring_case / "project", outputs=OUTPUTS)
    monkeypatch.chdir(project)
    on_the_platform(COLORS)
    tokensync("-q", "pull")
    tokensync("-q", "build")
    Path("code", "web", "index.html").write_text("<!doctype html>", encoding="utf-8")
    Path(".gitattributes").write_text("* -text\n", encoding="utf-8")
    git("add", "-A")
    git("commit", "-q", "-m", "Start")
    return project


def respell(path, name):
    """Rename a file or folder in case alone, over a third name."""
    path.rename(path.with_name("third")).rename(path.with_name(name))


def names(folder):
    return sorted(path.relative_to(folder).as_posix() for path in Path(folder).rglob("*"))


def follow(advice):
    """Run the commands of git that problems advise."""
    commands = re.findall(r"git mv (\S+) (\S+), then git mv (\S+) (\S+)", advice)
    assert commands
    for former, third, same, path in commands:
        assert third == same
        git("mv", *shlex.split(f"{former} {third}"))
        git("mv", *shlex.split(f"{third} {path}"))


def configure(before, after):
    config = Path("tokensync.toml")
    assert before in config.read_text("utf-8")
    config.write_text(config.read_text("utf-8").replace(before, after), encoding="utf-8")


def folded(files):
    return {path.casefold(): content for path, content in files.items() if not path.startswith("tokensync.")}


@pytest.mark.parametrize("spelling", ["Code", "CODE"])
def test_an_output_path_that_changes_in_case_keeps_every_output(project, spelling):
    before = folded(files_in(project / "code"))
    configure('"code/', f'"{spelling}/')
    assert "removed" not in tokensync("build").stderr
    assert folded(files_in(project / "code")) == before
    tokensync("build", "--check")


def test_so_it_does_while_a_value_changes(project):
    on_the_platform({**COLORS, "slate": ("#000000", "#ffffff")})
    tokensync("-q", "pull")
    configure('"code/', '"Code/')
    tokensync("-q", "build")
    assert "#000" in (project / "code" / "web" / "tokens.css").read_text("utf-8")
    tokensync("build", "--check")


def test_a_catalog_that_changes_in_case_keeps_its_colours(project):
    configure('path = "code/apple"', 'path = "code/apple"\noptions = { catalog = "TOKENS", name = "TOKENS" }')
    tokensync("-q", "build")
    assert len(list((project / "code" / "apple" / "tokens.xcassets").glob("*.colorset"))) == len(COLORS)
    tokensync("build", "--check")


def test_the_tokens_folder_in_another_case_is_the_same_folder(project):
    before = folded(files_in(project / "tokens"))
    Path("tokensync.toml").write_text(
        'tokens = "Tokens"\n' + Path("tokensync.toml").read_text("utf-8"), encoding="utf-8"
    )
    tokensync("-q", "pull")
    assert folded(files_in(project / "tokens")) == before
    tokensync("build", "--check")
    configure('"code/web"', '"TOKENS/web"')
    assert "the folder is for token files" in tokensync("build", code=2).stderr


class TestSpellingOnDisk:
    def test_outputs_get_the_new_spelling_and_folders_of_others_keep_theirs(self, project):
        configure('"code/', '"Code/')
        configure('path = "Code/droid/res"', 'path = "Code/Droid/Res"')
        tokensync("-q", "build")
        found = names(".")
        assert {"code/apple/Tokens.swift", "code/web/index.html", "code/web/tokens.css"} <= {*found}
        assert "code/Droid/Res/values/colors.xml" in found

    def test_a_folder_that_has_only_outputs_gets_the_new_spelling(self, project):
        Path("code", "web", "index.html").unlink()
        configure('"code/', '"Code/')
        assert "removed" not in tokensync("build").stderr
        assert {"Code/apple/Tokens.swift", "Code/web/tokens.css"} <= {*names(".")}
        tokensync("build", "--check")

    def test_a_file_of_a_catalog_gets_the_new_spelling(self, project):
        assert "code/apple/Tokens.xcassets/textMuted.colorset/Contents.json" in names(".")
        on_the_platform({"slate": ("#112233", "#445566"), "textmuted": ("{slate}", "{slate}")})
        tokensync("-q", "pull")
        tokensync("-q", "build")
        assert "code/apple/Tokens.xcassets/textmuted.colorset/Contents.json" in names(".")
        tokensync("build", "--check")

    def test_a_rename_that_is_refused_half_way_loses_nothing(self, project, monkeypatch):
        before = folded(files_in(project / "code"))
        configure('"code/droid/res"', '"code/Droid/res"')
        replace = os.replace

        def refuse(former, path, **options):
            if os.path.basename(path) == "Droid":
                raise OSError(5, "Input/output error")
            replace(former, path, **options)

        monkeypatch.setattr(os, "replace", refuse)
        tokensync("-q", "build", code=1)
        monkeypatch.undo()
        os.chdir(project)
        assert folded(files_in(project / "code")) == before
        tokensync("-q", "build")
        assert "code/Droid/res/values/colors.xml" in names(".")


class TestTokenFiles:
    @pytest.mark.parametrize(
        ("path", "name"),
        [
            ("tokens/one/theme/light.tokens.json", "LIGHT.tokens.json"),
            ("tokens/one/theme", "Theme"),
            ("tokens/one", "One"),
            ("tokens/one.resolver.json", "One.resolver.json"),
        ],
    )
    @pytest.mark.parametrize("is_edited", [False, True])
    def test_a_token_file_in_another_case_is_read_once_and_pull_gives_it_its_name(self, project, path, name, is_edited):
        before = files_in(project / "tokens")
        respell(project / path, name)
        assert "warning" not in tokensync("check").stderr
        tokensync("build", "--check")
        tokensync("format", "--check")
        if is_edited:
            on_the_platform({**COLORS, "slate": ("#000000", "#ffffff")})
        tokensync("-q", "pull")
        after = files_in(project / "tokens")
        assert after.keys() == before.keys()
        assert (after == before) is not is_edited
        assert "nothing to do" in tokensync("pull").stderr

    def test_a_token_file_whose_name_is_composed_otherwise_is_read_once_and_not_removed(self, project):
        modes = ("Light", "Dark", "Übernächtig")
        on_the_platform({"slate": ("#112233", "#445566", "#778899")}, modes=modes)
        tokensync("-q", "pull")
        before = files_in(project / "tokens")
        (path,) = Path("tokens").rglob("*chtig.tokens.json")
        respell(path, unicodedata.normalize("NFD", path.name))
        tokensync("-q", "build")
        assert "warning" not in tokensync("check").stderr
        tokensync("-q", "pull")
        assert list(files_in(project / "tokens").values()) == list(before.values())
        on_the_platform({"slate": ("#112233", "#445566", "#000000")}, modes=modes)
        tokensync("-q", "pull")
        assert len(files_in(project / "tokens")) == len(before)
        tokensync("-q", "build")
        tokensync("build", "--check")

    def test_a_token_that_is_renamed_in_case_is_renamed_in_its_file(self, project):
        on_the_platform({"Slate": ("#112233", "#445566"), "text/muted": ("{Slate}", "{Slate}")})
        tokensync("-q", "pull")
        assert '"Slate"' in Path("tokens/one/theme/light.tokens.json").read_text("utf-8")
        tokensync("-q", "build")
        tokensync("build", "--check")

    def test_a_file_that_format_is_given_in_another_case_keeps_its_name(self, project):
        before = names("tokens")
        file = Path("tokens/one/theme/light.tokens.json")
        content = file.read_text("utf-8")
        file.write_text(content.replace("  ", "    "), encoding="utf-8")
        tokensync("-q", "format", "Tokens/one/theme/LIGHT.tokens.json")
        assert file.read_text("utf-8") == content
        assert names("tokens") == before

    def test_migrated_collections_and_modes_that_differ_in_case_have_files_of_their_own(self, project):
        sets = {name: {"slate": {"type": "color", "value": f"#00000{at}"}} for at, name in enumerate(("kit", "KIT"))}
        document = {**sets, "$metadata": {"tokenSetOrder": list(sets)}}
        (project.parent / "tokens.json").write_text(json.dumps(document), encoding="utf-8")
        tokensync("-q", "migrate", "../tokens.json")
        found = [each for each in names("tokens") if each.endswith(".tokens.json")]
        assert len({each.casefold() for each in found}) == len(found)
        tokensync("-q", "build")
        tokensync("build", "--check")


class TestGit:
    def test_a_change_of_case_that_git_does_not_notice_is_reported_until_git_has_it(self, project):
        configure('"code/', '"Code/')
        configure("Code/droid", "Code/Droid")
        tokensync("-q", "build")
        git("add", "-A")
        for command in (("build",), ("check",)):
            assert "[name-case]" in tokensync(*command).stderr
        advice = tokensync("check", "--staged", "-v", code=3).stderr
        follow(advice)
        git("add", "-A")
        renamed = git("diff", "--cached", "--name-status", "-M").stdout
        assert "project/code/web/tokens.css\tproject/Code/web/tokens.css" in renamed
        assert "project/code/web/index.html\tproject/Code/web/index.html" in renamed
        assert "project/Code/Droid/res/values/colors.xml" in renamed
        for command in (("build",), ("build", "--check"), ("check",), ("check", "--staged")):
            assert "[name-case]" not in tokensync(*command).stderr

    def test_a_project_that_is_entered_in_another_case_is_the_same(self, project, monkeypatch):
        monkeypatch.chdir(project.with_name("PROJECT"))
        for command in ("build --check", "check", "check --staged", "pull", "format --check", "diff git:HEAD tokens"):
            assert "warning" not in tokensync(*command.split()).stderr
        assert git("status", "--short").stdout == ""

    def test_a_hook_that_is_installed_in_another_case_is_installed_once(self, project, monkeypatch):
        tokensync("-q", "install-hook")
        monkeypatch.chdir(project.with_name("PROJECT"))
        tokensync("-q", "install-hook")
        hook = (project.parent / ".git" / "hooks" / "pre-commit").read_text("utf-8")
        assert hook.count("check --staged") == 1

    def test_init_keeps_files_that_it_finds_in_another_case(self, project, monkeypatch):
        for name in ("tokensync.toml", ".gitattributes"):
            respell(project / name, name.upper())
        before = files_in(project)
        tokensync("init", "--yes", "--key", "abcdefghijklmnop")
        assert files_in(project) == before

    @pytest.mark.parametrize("path", ["../.GIT/hooks", "../.Git", ".TokenSync"])
    def test_gits_folder_is_reserved_in_every_spelling(self, project, path):
        configure('"code/web"', f'"{path}"')
        before = names("../.git/hooks")
        tokensync("build", code=2)
        assert names("../.git/hooks") == before
