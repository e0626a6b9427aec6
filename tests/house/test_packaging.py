"""The sdist and the wheel, built as a release builds them, and the wheel run from an empty folder. No network."""

import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.metadata import Metadata
from packaging.version import Version

from tokensync import __version__

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = (
    "templates",
    "config",
    "docs",
    "examples/quickstart",
    "examples/github-action",
    "examples/gitlab-ci",
    "npm/redirect.cjs",
)

OMITTED = (
    "examples/quickstart/code/",
    "examples/quickstart/tokens/",
    "docs/images/",
    "docs/site.",
    "docs/llms.txt",
    "docs/compare-",
)
"""What the wheel does not need: results of the demo, and files that no command reads."""

# Building takes seconds: all of these run in one worker.
pytestmark = pytest.mark.xdist_group("packaging")


def run(*command, cwd, env=None):
    done = subprocess.run(
        [str(each) for each in command],
        check=False,
        capture_output=True,
        encoding="utf-8",
        cwd=cwd,
        env=env or os.environ,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def tracked(folder):
    """The files of a folder that git tracks or would track, by their path in it, with their bytes."""
    listed = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", folder, cwd=ROOT).split("\0")
    return {name: (ROOT / name).read_bytes() for name in listed if name and (ROOT / name).is_file()}


def distributions(folder):
    (sdist,) = folder.glob("*.tar.gz")
    (wheel,) = folder.glob("*.whl")
    return sdist, wheel


def build(source, folder):
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, source, cwd=folder, env=dated())
    return distributions(folder)


def dated():
    """The environment of a release: all times in the archives are the commit's."""
    return {**os.environ, "SOURCE_DATE_EPOCH": run("git", "log", "-1", "--format=%ct", cwd=ROOT).strip()}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The sdist, and the wheel that was built from it: those of a release, or built by the environment of the tests."""
    if given := os.environ.get("TOKENSYNC_DISTRIBUTIONS"):
        return distributions(ROOT / given)
    return build(ROOT, tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def installed(built, tmp_path_factory):
    """The folder of programs of a new environment that holds the wheel, and sees the dependencies of this one."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder, with_pip=False)
    programs = folder / ("Scripts" if sys.platform == "win32" else "bin")
    python = programs / Path(sys.executable).name
    install = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-index", "--no-deps"]
    run(*install, built[1], cwd=folder, env={**os.environ, "PYTHONWARNINGS": ""})  # pip's own are no concern of ours
    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder).strip())
    # A path entry, not a site folder: the editable install of this checkout stays unseen.
    dependencies = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (site / "dependencies.pth").write_text("\n".join(sorted(dependencies)) + "\n", encoding="utf-8")
    return programs


def test_the_sdist_has_all_files_of_the_repository(built):
    """The tests, too: people who package tokensync run them."""
    with tarfile.open(built[0]) as archive:
        names = {member.name.partition("/")[2] for member in archive if member.isfile()}
    assert names - {"PKG-INFO"} == set(tracked("."))


@pytest.mark.outside  # for its time: collecting takes a minute
def test_the_tests_can_be_collected_and_run_from_the_sdist(built, tmp_path):
    with tarfile.open(built[0]) as archive:
        archive.extractall(tmp_path, filter="data")
    (folder,) = tmp_path.iterdir()
    environment = empty_folder_environment(tmp_path)
    pytest_there = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not outside"]
    there, here = (
        run(*pytest_there, "--collect-only", cwd=each, env=environment).splitlines() for each in (folder, ROOT)
    )
    # Parameters can be real responses, which are beside a checkout only.
    functions = {line.partition("[")[0] for line in here if "::" in line}
    assert functions == {line.partition("[")[0] for line in there if "::" in line} != set()
    run(*pytest_there, "tests/tokens", "tests/extract/wire", cwd=folder, env=environment)


def test_a_build_in_another_folder_gives_the_same_bytes(built, tmp_path):
    """Whatever the times and the permissions of the sources are."""
    for name, content in tracked(".").items():
        copy = tmp_path / "source" / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(content)
        copy.chmod(0o700 if os.access(ROOT / name, os.X_OK) else 0o600)
        os.utime(copy, (1, 1_000_000_000))
    folder = tmp_path / "again"
    folder.mkdir()
    again = build(tmp_path / "source", folder)
    assert [path.name for path in again] == [path.name for path in built]
    for first, second in zip(built, again, strict=True):
        assert first.read_bytes() == second.read_bytes(), first.name


def test_the_archives_hold_plain_files_at_relative_paths(built):
    with tarfile.open(built[0]) as archive:
        assert [member.name for member in archive if not (member.isfile() or member.isdir())] == []
        names = archive.getnames()
    with zipfile.ZipFile(built[1]) as archive:
        names += archive.namelist()
    assert [name for name in names if name.startswith(("/", "\\")) or ".." in name.split("/") or ":" in name] == []


def test_the_wheel_has_only_the_package_and_its_data(built):
    expected = dict(tracked("tokensync"))
    for folder in SHIPPED:
        needed = {name: content for name, content in tracked(folder).items() if not name.startswith(OMITTED)}
        expected |= {f"tokensync/_data/{name}": content for name, content in needed.items()}
    with zipfile.ZipFile(built[1]) as archive:
        held = {name: archive.read(name) for name in archive.namelist() if ".dist-info/" not in name}
    assert sorted(held) == sorted(expected)
    assert held == expected
    assert "tokensync/py.typed" in held


LONGEST_PATH = 80
"""Of a path in the wheel: Windows refuses paths over 260 characters, and its Store Python takes 140 of them."""
LARGEST_WHEEL, LARGEST_PACKAGES = 7_200_000, 9_000_000
"""Bytes of the files of tokensync, and of the packages that it needs, as they are installed."""


def test_paths_in_the_wheel_leave_room_for_long_folders(built):
    with zipfile.ZipFile(built[1]) as archive:
        assert [name for name in archive.namelist() if len(name) >= LONGEST_PATH] == []


def test_an_installation_is_small(built):
    with zipfile.ZipFile(built[1]) as archive:
        assert sum(each.file_size for each in archive.infolist()) < LARGEST_WHEEL
    runtime = (ROOT / "requirements" / "runtime.txt").read_text("utf-8")
    sizes = {}
    for name in re.findall(r"^([\w.-]+)==", runtime, re.MULTILINE):
        with suppress(PackageNotFoundError):  # what another Python needs
            files = [file for file in distribution(name).files if file.suffix != ".pyc"]
            sizes[name] = sum(Path(each.locate()).stat().st_size for each in files)
    assert len(sizes) > 10
    assert sum(sizes.values()) < LARGEST_PACKAGES, sizes


def test_no_copy_of_the_data_lies_in_the_checkout():
    assert not (ROOT / "tokensync" / "_data").exists(), "tokensync/_data hides the data beside the package: remove it"


def test_the_wheel_declares_its_metadata_and_dependencies(built):
    with zipfile.ZipFile(built[1]) as archive:
        (name,) = [each for each in archive.namelist() if each.endswith(".dist-info/METADATA")]
        metadata = archive.read(name).decode()
        licence = [each for each in archive.namelist() if each.endswith("licenses/LICENSE")]
    assert Metadata.from_email(metadata, validate=True).version == Version(__version__)
    assert "\nLicense-Expression: Apache-2.0\n" in metadata
    assert "\nRequires-Python: >=3.11\n" in metadata
    assert "\nAuthor: The maintainers of tokensync\n" in metadata
    urls = re.findall(r"^Project-URL: (\w+), https://", metadata, re.MULTILINE)
    assert urls == ["Source", "Issues", "Changelog"]
    assert len(licence) == 1


def empty_folder_environment(folder):
    names = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    kept = {name: value for name, value in os.environ.items() if name not in names}
    return {**kept, "HOME": str(folder), "NO_COLOR": "1", "COLUMNS": "100"}


def test_the_installed_wheel_finds_its_data(installed, tmp_path):
    program = (
        "import os, tokensync\n"
        "from tokensync.system import resources\n"
        "print(tokensync.__file__)\n"
        "assert resources.read_bytes('config', 'type-rules.toml')\n"
        "assert os.listdir(resources.path('templates'))\n"
        "assert resources.read_bytes('examples', 'quickstart', 'design.local.json')\n"
    )
    environment = empty_folder_environment(tmp_path)
    python = installed / Path(sys.executable).name
    location = run(python, "-c", program, cwd=tmp_path, env=environment)
    assert Path(location.strip()).is_relative_to(installed.parent)


@pytest.mark.parametrize("way", ["program", "module"])
def test_the_installed_wheel_prints_its_version_in_an_empty_folder(installed, tmp_path, way):
    suffix = ".exe" if sys.platform == "win32" else ""
    python = installed / Path(sys.executable).name
    command = [installed / f"tokensync{suffix}"] if way == "program" else [python, "-m", "tokensync"]
    version = run(*command, "--version", cwd=tmp_path, env=empty_folder_environment(tmp_path))
    assert version.strip() == f"tokensync {__version__}"
    assert list(tmp_path.iterdir()) == []


def test_the_installed_wheel_runs_the_demo_from_an_empty_folder(installed, tmp_path):
    python = installed / Path(sys.executable).name
    run(python, "-m", "tokensync", "demo", cwd=tmp_path, env=empty_folder_environment(tmp_path))
    names = {path.name for path in tmp_path.rglob("*") if path.is_file()}
    assert {"tokens.css", "colors.xml", "Tokens.swift", "tokensync.toml", "tokensync.lock"} <= names


def test_a_checkout_and_an_editable_install_see_the_same_data():
    from tokensync.system import resources

    assert Path(resources.ROOT) == ROOT
    assert Path(resources.path("examples", "quickstart", "design.local.json")).is_file()
