"""Commands on large projects use cached states, and write the same files as without the cache."""

import pytest
from commands.projects import COLORS, files_in, on_the_platform, project_in, pulled_in, tokensync
from commands.test_pull import edit

from tokensync.dtcg import cache, read_folder

SLATE, NIGHT = {**COLORS, "slate": ("#445566", "#778899")}, {**COLORS, "night": ("#000011", "#000022")}
RENAMED = {
    "slate2" if name == "slate" else name: tuple(text.replace("slate", "slate2") for text in values)
    for name, values in COLORS.items()
}


@pytest.fixture(autouse=True)
def entries(tmp_path_factory, monkeypatch):
    """Use an empty cache folder, for files of any size."""
    home = tmp_path_factory.mktemp("home", numbered=True)
    home.chmod(0o700)
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(home))
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr(cache, "LEAST", 0)
    return home


def journey(folder):
    """Pull several changes of the platform and apply an edit; return the files after each step."""
    project_in(folder)
    steps = []
    for colors in (COLORS, SLATE, NIGHT, RENAMED):
        on_the_platform(colors)
        tokensync("-q", "pull")
        steps.append(files_in(folder))
    edit(folder, "#112233", "#102233")
    edit(folder, "0.06666667", "0.0627451")
    tokensync("-q", "status", code=3)
    tokensync("-q", "plan")
    tokensync("-q", "apply")
    steps.append(files_in(folder))
    tokensync("-q", "pull")
    return [*steps, files_in(folder)]


def of_project(files):
    return {path: content for path, content in files.items() if not str(path).startswith(".tokensync")}


def test_files_are_the_same_with_and_without_cached_states(tmp_path, monkeypatch):
    steps = []
    for name, setting in (("with", "on"), ("without", "off")):
        folder = tmp_path / name
        folder.mkdir()
        monkeypatch.chdir(folder)
        monkeypatch.setenv("TOKENSYNC_CACHE", setting)
        steps.append([of_project(each) for each in journey(folder)])
    assert steps[0] == steps[1]


def test_restored_files_do_not_make_written_files_valid(folder):
    """Pull a cycle, restore the previous files as git does, and pull the cycle again."""
    pulled_in(folder)
    tokensync("-q", "status", code=0)
    valid = files_in(folder)
    on_the_platform({**COLORS, "slate": ("#112233", "{text/muted}")})
    tokensync("-q", "pull")
    for path, content in valid.items():
        (folder / path).write_bytes(content)
    tokensync("-q", "pull")
    assert [each.code for each in read_folder("tokens", "one").problems] == ["token-cycle"]
