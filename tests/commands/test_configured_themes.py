"""[themes] that name a mode or a collection which was renamed on the platform: code keeps the former names."""

from pathlib import Path

import pytest
from commands.projects import COLORS, on_the_platform, output, project_in, tokensync

NIGHT = '[themes.evening]\nTheme = "Dark"\n'


@pytest.fixture
def project(folder):
    project_in(folder, outputs=output("css", "web") + NIGHT)
    on_the_platform(COLORS)
    tokensync("-q", "pull")
    tokensync("-q", "build")
    return folder


def rename_on_the_platform(old, new):
    """Rename a mode or a collection in the design file, and pull."""
    for path in Path("tokens/one/theme").iterdir():
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace(f'"{old}"', f'"{new}"'), encoding="utf-8")
    tokensync("-q", "plan")
    tokensync("-q", "apply")
    tokensync("-q", "pull")


@pytest.mark.parametrize(("old", "new"), [("Dark", "Night"), ("Theme", "Colour scheme")])
def test_a_build_finds_the_former_name(project, old, new):
    before = Path("web/tokens.css").read_text(encoding="utf-8")
    rename_on_the_platform(old, new)
    assert f'"{new}"' in Path("tokensync.lock").read_text(encoding="utf-8")
    tokensync("build", "--force")
    assert Path("web/tokens.css").read_text(encoding="utf-8") == before
    assert '[data-theme="evening"]' in before


@pytest.mark.parametrize("choice", ['Theme = "Dusk"', 'Schema = "Dark"'])
def test_a_name_that_was_never_used_is_still_an_error(project, choice):
    config = Path("tokensync.toml")
    config.write_text(config.read_text(encoding="utf-8").replace('Theme = "Dark"', choice), encoding="utf-8")
    assert "[theme-unknown-" in tokensync("build", code=1).stderr
