"""Plan files: existing files that a plan must not overwrite."""

from pathlib import Path

import pytest
from commands.projects import COLORS, files_in, on_the_platform, project_in, tokensync


@pytest.fixture
def project(folder):
    project_in(folder)
    on_the_platform(COLORS)
    tokensync("pull")
    return folder


@pytest.mark.parametrize("path", ["tokens/one/theme/light.tokens.json", "tokens/one.resolver.json", "tokensync.lock"])
def test_plan_does_not_overwrite_a_file_of_the_project(project, path):
    assert Path(path).is_file()
    before = files_in(project)
    assert f"{path}: this file is not a plan" in tokensync("plan", "-o", path, code=2).stderr
    assert files_in(project) == before
