"""The Swift package that docs/targets/ios.md shows has the files that it lists, and builds."""

import os
import re
import shutil
import subprocess
import sys

import pytest
from shown_commands import ROOT

PAGE = (ROOT / "docs" / "targets" / "ios.md").read_text(encoding="utf-8")
QUICKSTART = ROOT / "examples" / "quickstart"


def blocks(title):
    """The blocks of a section of the page, by what they are fenced with."""
    text = PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    return dict(re.findall(r"```(\w+)\n(.*?)```", text, re.DOTALL))


def listed(tree):
    """The paths of a tree that is drawn by indentation; folders end with a stroke, and the first is around them all."""
    above = []
    for line in tree.splitlines():
        above = [*above[: (len(line) - len(line.lstrip())) // 2], line.strip()]
        yield "".join(above[1:])


SHOWN = blocks("In a Swift package")


@pytest.fixture
def package(tmp_path):
    """The package of the page, with the quickstart's tokens."""
    folder = tmp_path / "DesignTokens"
    shutil.copytree(QUICKSTART / "tokens", folder / "tokens")
    shutil.copyfile(QUICKSTART / "tokensync.lock", folder / "tokensync.lock")
    files = (QUICKSTART / "tokensync.toml").read_text(encoding="utf-8").partition("[[outputs]]")[0]
    (folder / "tokensync.toml").write_text(files + SHOWN["toml"], encoding="utf-8")
    (folder / "Package.swift").write_text(SHOWN["swift"], encoding="utf-8")
    command = [sys.executable, "-m", "tokensync", "build"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TOKENSYNC_")}
    environment["PYTHONPATH"] = str(ROOT)
    done = subprocess.run(
        command, check=False, capture_output=True, encoding="utf-8", cwd=folder, env=environment, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return folder


def test_the_package_has_the_files_that_the_page_lists(package):
    files = {f"{each.relative_to(package).as_posix()}{'/' * each.is_dir()}" for each in package.rglob("*")}
    shown = {each for each in files if re.fullmatch(r"Package\.swift|tokensync\.toml|Sources/.*", each)}
    assert {each for each in shown if not re.search(r"\.xcassets/.", each)} == set(listed(SHOWN["text"])) - {""}


def test_every_output_on_the_page_is_in_the_app_or_in_the_package():
    paths = re.findall(r'^path = "(.+)"$', PAGE, re.MULTILINE)
    assert paths[0] == "Ferry/DesignTokens"
    assert set(paths[1:]) == {"Sources/DesignTokens"}


@pytest.mark.outside
def test_the_package_builds_as_the_page_shows_it(swift_build, package):
    swift_build(package)
    resources = {each.name for each in package.glob(".build/debug/DesignTokens_DesignTokens.resources/*")}
    assert resources == {"Tokens.xcassets"}
