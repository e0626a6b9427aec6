"""Each installer runs the demo without an index: from a wheel and an sdist, in a folder with a blank and letters."""

import os
import sys
import venv
from pathlib import Path

import pytest
from checkers import ROOT, missing, run

pytestmark = [pytest.mark.outside, pytest.mark.xdist_group("installers")]

PROGRAMS = ROOT / ".venv-installers" / ("Scripts" if sys.platform == "win32" else "bin")
ODD = "Größe 色"


@pytest.fixture(scope="module")
def wheels(tmp_path_factory):
    """A folder with the locked packages that tokensync, and a build of it, need."""
    folder = tmp_path_factory.mktemp("wheels")
    for lock in ("runtime", "build"):
        options = ["--quiet", "--require-hashes", "--only-binary=:all:", "--disable-pip-version-check"]
        run(
            [sys.executable, "-m", "pip", "download", *options, "-d", folder, "-r", f"requirements/{lock}.txt"],
            cwd=ROOT,
        )
    return folder


@pytest.fixture(scope="module")
def distributions(tmp_path_factory):
    """The sdist and the wheel."""
    folder = tmp_path_factory.mktemp("dist") / ODD
    run([sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT])
    return {path.suffix.removeprefix("."): path for path in folder.iterdir()}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / ODD).mkdir()
    return tmp_path / ODD


@pytest.fixture
def environment(tmp_path, wheels):
    """An environment without an index, in which installers keep their files for the test alone."""
    folders = ("PIPX_HOME", "PIPX_BIN_DIR", "SHIV_ROOT", "UV_CACHE_DIR", "UV_TOOL_DIR", "UV_TOOL_BIN_DIR")
    return {
        **{name: str(tmp_path / name) for name in folders},
        "NO_COLOR": "1",
        "PIP_FIND_LINKS": str(wheels),
        "PIP_NO_INDEX": "1",
        "PIPX_DEFAULT_PYTHON": sys.executable,
        "PYTHONPATH": "",
        "UV_FIND_LINKS": str(wheels),
        "UV_NO_INDEX": "1",
        "UV_OFFLINE": "1",
        "UV_PYTHON": sys.executable,
    }


def program(name):
    path = PROGRAMS / (f"{name}.exe" if sys.platform == "win32" else name)
    return path if path.exists() else missing(name, "`make verify` installs it into .venv-installers")


def check_demo(command, folder, environment):
    run([*command, "demo", "-q"], cwd=folder, environment=environment)
    names = {path.name for path in folder.rglob("*") if path.is_file()}
    assert {"tokens.css", "colors.xml", "Tokens.swift", "tokensync.lock"} <= names


@pytest.mark.parametrize("kind", ["whl", "gz"])
def test_uvx_runs_the_demo(kind, distributions, folder, environment):
    check_demo([program("uvx"), "--from", distributions[kind], "tokensync"], folder, environment)


def test_pipx_runs_the_demo(distributions, folder, environment):
    check_demo([program("pipx"), "run", "--spec", distributions["whl"], "tokensync"], folder, environment)


def test_an_installed_tool_of_uv_runs_the_demo(distributions, folder, environment):
    run([program("uv"), "tool", "install", "--quiet", distributions["whl"]], environment=environment)
    suffix = ".exe" if sys.platform == "win32" else ""
    check_demo([Path(environment["UV_TOOL_BIN_DIR"]) / f"tokensync{suffix}"], folder, environment)


def test_a_zip_application_of_shiv_runs_the_demo(distributions, folder, environment):
    packed = folder / "tokensync.pyz"
    run([program("shiv"), "-c", "tokensync", "-o", packed, distributions["whl"]], environment=environment)
    check_demo([sys.executable, packed], folder, environment)


@pytest.mark.parametrize("kind", ["whl", "gz"])
def test_pip_installs_it_into_an_odd_folder_and_it_runs_the_demo(kind, distributions, folder, environment):
    venv.create(folder / "venv", with_pip=False)
    python = folder / "venv" / PROGRAMS.name / Path(sys.executable).name
    run(
        [sys.executable, "-m", "pip", "--python", python, "install", "-q", distributions[kind]], environment=environment
    )
    check_demo([python, "-m", "tokensync"], folder, environment)


def test_a_path_entry_of_the_checkout_is_not_what_runs(distributions, folder, environment):
    """The commands above run what was installed, not this checkout."""
    command = [
        program("uvx"),
        "--from",
        distributions["whl"],
        "python",
        "-c",
        "import tokensync; print(tokensync.__file__)",
    ]
    location = Path(run(command, cwd=folder, environment=environment).strip())
    assert not location.is_relative_to(ROOT)
    assert os.path.exists(location.parent / "_data")
