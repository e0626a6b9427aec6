"""A checkout that cannot be written: what reads works, and what writes names the way out."""

import json
import re
import stat

import pytest
from commands.privileges import MODES_BIND, bound_by_modes
from commands.projects import files_in, output, pulled_in, tokensync

from tokensync.project.outputs import MANIFEST

pytestmark = pytest.mark.skipif(not MODES_BIND, reason="file modes do not bind this process here")

READING = [
    *("status", "check", "build --check", "build", "lint", "format --check", "tokens list", "tokens show slate"),
    *("tokens why slate", "tokens unused", "usage", "diff lock tokens", "diff lock remote", "pull --dry-run"),
    *("logs", "files layers one", "webhooks list", "api variables local --file one"),
]


@pytest.fixture
def checkout(folder, request):
    """Pull and build in a project, and make it the working folder. Its manifest may be of another version."""
    project = pulled_in(folder / "project", outputs=output("css", "web"))
    tokensync("-q", "build")
    if getattr(request, "param", "") == "another version":
        manifest = project / MANIFEST
        manifest.write_bytes(written_by_another_version(manifest.read_bytes()))
    return project


def written_by_another_version(content):
    """Return a manifest with another layout, more members and digests that this version does not write."""
    document = json.loads(content)
    entries = [{"input": "0" * 64, "output": "1" * 64, **each} for each in reversed(document["outputs"])]
    return json.dumps({"version": 0, "outputs": entries}).encode()


@pytest.fixture(params=["state", "no state"])
def read_only(checkout, request):
    """Take away the permission to write, with and without the emulator's state."""
    if request.param == "no state":
        for path in sorted((checkout / ".tokensync").rglob("*"), reverse=True):
            path.unlink()
        (checkout / ".tokensync").rmdir()
    before = {path: path.stat().st_mode for path in (checkout, *checkout.rglob("*"))}
    for path, mode in before.items():
        path.chmod(stat.S_IMODE(mode) & ~0o222)
    with bound_by_modes():
        yield request.param
    for path, mode in before.items():
        path.chmod(mode)


@pytest.mark.parametrize("command", READING)
def test_each_reading_verb_ends_as_in_a_checkout_that_can_be_written(checkout, read_only, command, request):
    before = files_in(checkout, without=())
    done = tokensync(*command.split(), code=OUTCOMES.get((read_only, command), 0))
    assert "Permission denied" not in done.stderr
    assert "readonly" not in done.stderr
    if done.code == 1:
        assert re.search(
            "the embedded emulator has no file|Library file not found|404 .(?:File not|Not) found", done.stderr
        )
    assert files_in(checkout, without=()) == before


@pytest.mark.parametrize("read_only", ["state"], indirect=True)
@pytest.mark.parametrize("checkout", ["another version"], indirect=True)
@pytest.mark.parametrize("command", ["build", "build --check", "check"])
def test_a_manifest_of_another_version_that_lists_the_same_stays(checkout, read_only, command):
    before = files_in(checkout, without=())
    assert "not current" not in tokensync(*command.split()).stderr
    assert files_in(checkout, without=()) == before


ON_THE_PLATFORM = (
    *("status", "tokens unused", "usage", "diff lock remote", "pull --dry-run", "files layers one", "webhooks list"),
    "api variables local --file one",
)
OUTCOMES = {("no state", command): 1 for command in ON_THE_PLATFORM}
"""The exit codes that are not 0: an emulator without a state has no file."""


@pytest.mark.parametrize("read_only", ["state"], indirect=True)
class TestPlan:
    def test_it_names_the_option_for_another_file(self, checkout, read_only):
        done = tokensync("plan", code=2)
        assert ".tokensync/plan.json: the plan cannot be written there; write it elsewhere with -o FILE" in done.stderr

    def test_it_can_be_written_elsewhere(self, checkout, read_only, tmp_path):
        tokensync("plan", "-o", tmp_path / "plan.json")
        assert (tmp_path / "plan.json").exists()


@pytest.mark.parametrize("read_only", ["state"], indirect=True)
def test_a_change_of_a_state_that_cannot_be_written_is_refused_and_not_lost(checkout, read_only, monkeypatch):
    monkeypatch.setenv("SECRET", "passc0de")
    done = tokensync(
        *("webhooks", "create", "--event", "FILE_UPDATE", "--file", "one", "--endpoint", "https://example.com/hook"),
        *("--passcode-env", "SECRET"),
        code=2,
    )
    assert "it cannot be written, so nothing can change; make the folder writable" in done.stderr
