"""The locked requirements agree with the dependencies that pyproject.toml declares. No network."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
LOCKS = ("audit", "build", "development", "hooks", "lowest", "runtime")


def locked(name):
    """The version of each package of a lock file, and whether a hash is required of it."""
    text = (ROOT / "requirements" / f"{name}.txt").read_text("utf-8").replace("\\\n", " ")
    found = {}
    for line in text.splitlines():
        if line and not line.lstrip().startswith("#"):
            requirement, *hashes = re.split(r"\s--hash=", line)
            package, _, version = requirement.partition(";")[0].strip().partition("==")
            found[canonicalize_name(package)] = (Version(version), bool(hashes))
    return found


def lower_bounds():
    """The lower bound of each dependency."""
    extras = PROJECT["project"]["optional-dependencies"]
    for text in (*PROJECT["project"]["dependencies"], *extras["keyring"], *extras["migrate"], *extras["tls"]):
        requirement = Requirement(text)
        (bound,) = [Version(each.version) for each in requirement.specifier if each.operator == ">="]
        yield canonicalize_name(requirement.name), bound


def disagreements(bounds, versions):
    """The dependencies whose locked version is not their lower bound."""
    return [f"{name}>={bound}" for name, bound in bounds if versions.get(name, (None, None))[0] != bound]


def test_the_lowest_versions_are_the_lower_bounds_of_the_dependencies():
    assert disagreements(lower_bounds(), locked("lowest")) == [], "run `make lock`"


def test_a_lower_bound_that_was_not_locked_is_found():
    versions = {"click": (Version("8.3.3"), True)}
    bounds = [("click", Version("8.4")), ("msgspec", Version("14.2"))]
    assert disagreements(bounds, versions) == ["click>=8.4", "msgspec>=14.2"]


@pytest.mark.parametrize("lock", LOCKS)
def test_each_locked_version_has_its_hashes(lock):
    packages = locked(lock)
    assert len(packages) > 5
    assert [name for name, (_, hashed) in packages.items() if not hashed] == []


@pytest.mark.parametrize("lock", ["build", "runtime"])
def test_a_release_is_built_and_tried_with_versions_that_were_tested(lock):
    tested = locked("development")
    assert {name: version for name, version in locked(lock).items() if tested.get(name) != version} == {}


def test_hooks_and_the_demo_need_no_package_of_logins_and_servers():
    assert {"cryptography", "keyring", "pyjson5", "secretstorage"} & set(locked("runtime")) == set()
    assert {"cryptography", "keyring"} <= set(locked("development"))


def test_nothing_but_the_build_backend_and_its_front_end_is_there_when_a_release_is_built():
    declared = {canonicalize_name(Requirement(text).name) for text in PROJECT["dependency-groups"]["build"]}
    assert declared == {"build", "editables", "hatchling"}
    assert set(locked("build")) & {name for name, _ in lower_bounds()} == set()


def test_a_user_is_not_advised_to_install_a_name_that_anyone_can_register():
    """Until the first release, the name belongs to nobody: only the folder of a checkout is safe to install."""
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")]
    installers = r"(?:pipx?|uv(?: tool| pip)?) (?:install|run|add)(?: -\S+)*|uvx"
    advice = re.compile(rf"(?:{installers}) \"?tokensync\b")
    assert [path.name for path in pages if advice.search(path.read_text("utf-8"))] == []
    assert advice.search("pip install tokensync")
    assert advice.search('pip install -U "tokensync[testing]"')
    assert advice.search("uvx tokensync")
