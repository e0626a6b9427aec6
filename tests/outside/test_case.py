"""On a file system that ignores the case of names, nothing is lost when a path changes in case alone."""

import os
from pathlib import Path

import pytest
from commands.projects import COLORS, files_in, on_the_platform, output, project_in, tokensync, work_tree_at

pytestmark = pytest.mark.outside

OUTPUTS = output("css", "code/web") + output("ios", "code/apple") + output("android", "code/droid/res")


@pytest.fixture
def project(ignoring_case, monkeypatch):
    """Build a project there, and make it the working folder."""
    for name in os.environ:
        if name.startswith(("TOKENSYNC_", "FIGMA_")):
            monkeypatch.delenv(name)
    work_tree_at(ignoring_case)
    project = project_in(ignoring_case / "project", outputs=OUTPUTS)
    monkeypatch.chdir(project)
    on_the_platform(COLORS)
    tokensync("-q", "pull")
    tokensync("-q", "build")
    return project


def configure(before, after):
    config = Path("tokensync.toml")
    assert before in config.read_text()
    config.write_text(config.read_text().replace(before, after))


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
    assert "#000000" in (project / "code" / "web" / "tokens.css").read_text()
    tokensync("build", "--check")


def test_a_catalog_that_changes_in_case_keeps_its_colours(project):
    configure('path = "code/apple"', 'path = "code/apple"\noptions = { catalog = "TOKENS", name = "TOKENS" }')
    tokensync("-q", "build")
    assert len(list((project / "code" / "apple" / "tokens.xcassets").glob("*.colorset"))) == len(COLORS)
    tokensync("build", "--check")


def test_the_tokens_folder_in_another_case_is_the_same_folder(project):
    before = folded(files_in(project / "tokens"))
    Path("tokensync.toml").write_text('tokens = "Tokens"\n' + Path("tokensync.toml").read_text())
    tokensync("-q", "pull")
    assert folded(files_in(project / "tokens")) == before
    tokensync("build", "--check")
    configure('"code/web"', '"TOKENS/web"')
    assert "the folder is for token files" in tokensync("build", code=2).stderr


@pytest.mark.parametrize("path", ["../.GIT/hooks", "../.Git", ".TokenSync"])
def test_gits_folder_is_reserved_in_every_spelling(project, path):
    configure('"code/web"', f'"{path}"')
    tokensync("build", code=2)
    assert [each.name for each in (project.parent / ".git").iterdir()] == ["HEAD"]
