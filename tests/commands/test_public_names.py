"""The public names of the package."""

import subprocess
import sys

import pytest
from commands.projects import COLORS, on_the_platform, output, project_in

import tokensync


def test_all_is_sorted_and_is_what_is_exported():
    assert tokensync.__all__ == sorted(set(tokensync.__all__))
    assert set(tokensync.__all__) == {*tokensync._HOMES, "__version__"}
    assert set(tokensync.__all__) <= set(dir(tokensync))


@pytest.mark.parametrize("name", tokensync.__all__)
def test_each_public_name_exists_and_has_a_docstring(name):
    value = getattr(tokensync, name)
    assert value.__doc__


def test_another_name_is_an_attribute_error_as_everywhere():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = tokensync.nothing


def test_importing_the_package_imports_no_submodules():
    program = "import sys, tokensync; print([name for name in sys.modules if name.startswith('tokensync.')])"
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, encoding="utf-8")
    assert done.stdout.strip() == "['tokensync.version']"


def test_the_main_workflow_runs_without_the_command_line(folder):
    project_in(folder, outputs=output("css", "web"))
    on_the_platform(COLORS)
    project = tokensync.load_project("tokensync.toml")
    with tokensync.connect(project) as client:
        pulled = tokensync.pull(project, client)
    built = tokensync.build_project(project)
    assert (pulled.files[0].tokens, built.written.changed) == (2, ("web/tokens.css",))
    with pytest.raises(tokensync.TokensyncError):
        tokensync.load_project("nowhere.toml")
