"""The locked requirements agree with the dependencies that pyproject.toml declares. No network."""

import re
import runpy
import tomllib
from itertools import chain
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
LOCKS = ("audit", "build", "clients", "development", "docs", "hooks", "installers", "lowest", "runtime")
WHEELS = runpy.run_path(str(ROOT / "checks" / "wheels.py"))


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
    extras = PROJECT["project"]["optional-dependencies"].values()
    for text in (*PROJECT["project"]["dependencies"], *chain.from_iterable(extras)):
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


def lock_file(*names, marker="", name="example"):
    """A document of uv with one package and the wheels with these tags."""
    package = {"name": name, "version": "1", "wheels": [{"url": f"../example-1-{each}.whl"} for each in names]}
    return {"packages": [package | ({"marker": marker} if marker else {})]}


OFFLINE = {
    *("attrs", "click", "coloraide", "deepdiff", "jinja2", "jsonschema", "jsonschema-specifications", "markupsafe"),
    *("msgspec", "orderly-set", "referencing", "rpds-py", "typing-extensions"),
}
"""The packages that hooks and builds load. From Python 3.13 on, typing-extensions is not one of them."""

COMPILED = [
    f"cp311-abi3-{each}"
    for each in (
        *("win_amd64", "win_arm64", "macosx_10_12_x86_64", "macosx_11_0_arm64"),
        *("manylinux_2_17_x86_64.manylinux2014_x86_64", "manylinux_2_28_aarch64"),
        *("musllinux_1_2_x86_64", "musllinux_1_1_aarch64"),
    )
]


@pytest.mark.parametrize("tags", [["py3-none-any"], ["py2.py3-none-any"], COMPILED], ids=["pure", "both", "compiled"])
def test_a_package_with_a_wheel_for_each_system_has_no_gap(tags):
    assert list(WHEELS["gaps"](lock_file(*tags), WHEELS["PYTHONS"])) == []


def test_a_wheel_is_missed_on_each_system_and_python_that_it_does_not_fit():
    without_arm = [each for each in COMPILED if "win_arm64" not in each]
    found = [system for _, system in WHEELS["gaps"](lock_file(*without_arm), [(3, 11), (3, 15)])]
    assert found == ["Windows arm64: 3.11", "Windows arm64: 3.15"]
    old = [each.replace("abi3", "cp311") for each in COMPILED]
    assert {system for _, system in WHEELS["gaps"](lock_file(*old), [(3, 11), (3, 12)])} == {
        f"{system}: 3.12" for system in WHEELS["SYSTEMS"]
    }
    new_libc = [each.replace("manylinux_2_28", "manylinux_2_31") for each in COMPILED]
    assert [system for _, system in WHEELS["gaps"](lock_file(*new_libc), [(3, 14)])] == ["glibc arm64: 3.14"]


def test_a_marker_says_where_a_wheel_is_needed():
    marker = "sys_platform != 'win32' or platform_machine != 'ARM64'"
    without_arm = [each for each in COMPILED if "win_arm64" not in each]
    assert list(WHEELS["gaps"](lock_file(*without_arm, marker=marker), WHEELS["PYTHONS"])) == []


def test_a_gap_is_refused_unless_it_has_a_reason():
    refused, missing = WHEELS["refused"], ["musl x86-64: 3.11", "Windows arm64: 3.11"]
    assert refused({"msgspec 1": missing}) == [f"msgspec 1: {each}" for each in missing]
    assert refused({"playwright 1": missing}) == ["playwright 1: Windows arm64: 3.11"]


def test_the_table_of_wheels_belongs_to_the_lock_files_and_has_no_gap_without_a_reason():
    table = tomllib.loads(WHEELS["TABLE"].read_text("utf-8"))
    assert table["lock_files"] == WHEELS["locked_digest"](), "run `make lock`"
    assert WHEELS["refused"](table["missing"]) == []
    assert table == tomllib.loads(WHEELS["table"](table["missing"]))


def test_each_package_that_may_lack_a_wheel_is_locked_and_no_part_of_the_core():
    named = set(WHEELS["ALLOWED"])
    assert named <= {name for lock in LOCKS for name in locked(lock)}
    assert named & set(locked("runtime")) == set()


def test_hooks_and_the_demo_need_no_package_of_logins_and_servers():
    assert set(locked("runtime")) == OFFLINE | {
        *("certifi", "charset-normalizer", "idna", "requests", "urllib3"),  # the client
        "werkzeug",  # the emulator, which the demo runs on
    }
    assert {"cryptography", "keyring"} <= set(locked("development"))


def test_nothing_but_the_build_backend_and_its_front_end_is_there_when_a_release_is_built():
    declared = {canonicalize_name(Requirement(text).name) for text in PROJECT["dependency-groups"]["build"]}
    assert declared == {"build", "editables", "hatchling"}
    assert set(locked("build")) & {name for name, _ in lower_bounds()} == set()


WARNING = re.compile(r"Once tokensync is on the package index, .*? Do not run it yet: .*?\bthe\s+name\.", re.DOTALL)


def test_a_user_is_not_advised_to_install_a_name_that_anyone_can_register():
    """Until the first release, the name belongs to nobody: only the folder of a checkout is safe to install."""
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")]
    # `uv run` installs the checkout that it is in, never a package by its name.
    installers = r"(?:pipx? (?:install|run)|uv(?: tool| pip)? (?:install|add)|uv tool run)(?: -\S+)*|uvx"
    advice = re.compile(rf"(?:{installers}) \"?tokensync\b")
    assert [path for path in pages if advice.search(WARNING.sub("", path.read_text("utf-8"), count=1))] == []
    assert advice.search("pip install tokensync")
    assert advice.search('pip install -U "tokensync[testing]"')
    assert advice.search("uvx tokensync")
    assert advice.search("uv tool run tokensync")
