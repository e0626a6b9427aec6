"""The npm package runs the Python command through uv or pipx, and does nothing else."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from checkers import missing

from tokensync import __version__

pytestmark = pytest.mark.outside

NPM = Path(__file__).resolve().parents[2] / "npm"
ARGUMENTS = ("build", "--json", "a b", "größe", "$(touch x)", "--", "-x")


@pytest.fixture
def npx(tmp_path):
    """Run the program of the npm package where only these runners are on the path, which print what they get."""
    node = shutil.which("node") or missing("node")
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()

    def execute(runners, end="exit 3"):
        for name in runners:
            runner = bin_folder / name
            runner.write_text(f"#!/bin/sh\nprintf '%s\\n' {name} \"$@\"\n{end}\n", encoding="utf-8")
            runner.chmod(0o755)
        environment = {**os.environ, "PATH": str(bin_folder)}
        command = [node, NPM / "tokensync.js", *ARGUMENTS]
        return subprocess.run(
            command, env=environment, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False
        )

    return execute


@pytest.mark.parametrize(
    ("runners", "before"),
    [
        (("uv", "pipx"), ("uv", "tool", "run", f"tokensync@{__version__}")),
        (("pipx",), ("pipx", "run", "--spec", f"tokensync=={__version__}", "tokensync")),
    ],
)
def test_the_runner_gets_the_version_and_each_argument_as_it_was(npx, runners, before):
    done = npx(runners)
    assert done.stdout.splitlines() == [*before, *ARGUMENTS]
    assert (done.returncode, done.stderr) == (3, "")


def test_a_signal_ends_it_as_a_shell_reports_it(npx):
    assert npx(("uv",), "kill -TERM $$").returncode == 128 + 15


def test_without_a_runner_it_says_what_to_install(npx):
    done = npx(())
    assert done.stderr.startswith("error: tokensync: neither uv nor pipx is on the path; install uv ")
    assert (done.stdout, done.returncode) == ("", 1)


def test_it_has_the_version_of_the_python_package_and_no_dependencies():
    package = json.loads((NPM / "package.json").read_text("utf-8"))
    assert package["version"] == __version__
    assert {"dependencies", "scripts"} & set(package) == set()
