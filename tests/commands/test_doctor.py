"""``tokensync doctor``: each thing that differs between machines is shown, with what to change."""

import contextlib
import io
import json
import os

import msgspec
import pytest
from commands.privileges import MODES_BIND, bound_by_modes
from commands.projects import files_in, project_in, tokensync
from commands.repositories import git

from tokensync.apply.locking import locked, this_process
from tokensync.cli.main import run


@pytest.fixture
def healthy(folder, monkeypatch):
    """Give the command a machine on which nothing needs a change."""
    home = folder / "home"
    home.mkdir()
    for name in ("CI", "TF_BUILD", "JENKINS_URL", "TEAMCITY_VERSION", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
    for name in ("SSL_CERT_FILE", "SSL_CERT_DIR", "HTTPS_PROXY", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    project = project_in(folder / "project")
    monkeypatch.chdir(project)
    return project


def found(code=0):
    """Return the values and the advice of all checks by name; a lock's name is unique here."""
    checks = json.loads(tokensync("doctor", "--json", code=code).output)["checks"]
    return {each["name"]: (each["value"], each["to_do"]) for each in checks}


def test_a_configuration_without_design_files_needs_a_change(healthy):
    (healthy / "tokensync.toml").write_bytes(b"")
    assert "add a [[files]] table" in found(code=1)["project"][1]


def test_a_machine_in_order_ends_with_0_and_nothing_is_written(healthy):
    before = files_in(healthy, without=())
    checks = found()
    assert {to_do for _, to_do in checks.values()} == {""}
    assert checks["project"][0].endswith("tokensync.toml")
    assert "msgspec " in checks["packages"][0]
    assert files_in(healthy, without=()) == before


def test_no_secret_is_shown(healthy, monkeypatch):
    monkeypatch.setenv("FIGMA_TOKEN", "figd_s3cret")
    monkeypatch.setenv("HTTPS_PROXY", "http://ann:pa55word@127.0.0.1:9")
    output = tokensync("doctor").output
    assert "from FIGMA_TOKEN" in output
    assert "set by HTTPS_PROXY" in output
    assert "s3cret" not in output
    assert "pa55word" not in output


def test_a_console_without_unicode_is_named_with_the_variable_that_helps(healthy):
    stream = io.TextIOWrapper(io.BytesIO(), encoding="cp1252")
    with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(io.StringIO()):
        assert run(["doctor"]) == 1
        stream.flush()
        shown = stream.buffer.getvalue().decode("cp1252")
    assert "encoding of stdout      cp1252" in shown
    assert "-> set PYTHONUTF8=1" in shown


@pytest.mark.skipif(os.name == "nt", reason="homes are otherwise there")
def test_a_missing_home_says_what_to_set(healthy, monkeypatch):
    monkeypatch.setenv("HOME", "relative")
    value, to_do = found(1)["home folder"]
    assert (value, to_do.startswith("set HOME")) == ("none", True)


def test_a_bundle_that_is_not_there_is_named(healthy, monkeypatch):
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "nowhere.pem")
    assert found(1)["trusted certificates"] == (
        "those of REQUESTS_CA_BUNDLE",
        "nowhere.pem does not exist; correct REQUESTS_CA_BUNDLE",
    )


def test_ci_is_the_reason_for_no_keyring(healthy, monkeypatch):
    monkeypatch.setenv("CI", "true")
    assert found()["logins"][0].endswith("because CI is set, so no keyring is used")


def test_a_configuration_that_cannot_be_read_is_shown_with_its_line(healthy):
    (healthy / "tokensync.toml").write_text("outputs = 1", encoding="utf-8")
    value, to_do = found(1)["project"]
    assert value == "not readable"
    assert "tokensync.toml:1:" in to_do


@pytest.mark.skipif(not MODES_BIND, reason="file modes do not bind this process here")
def test_a_checkout_that_cannot_be_written_says_where_plans_can_go(healthy):
    healthy.chmod(0o555)
    with bound_by_modes():
        to_do = found(1)["local state"][1]
    healthy.chmod(0o755)
    assert "plan -o FILE" in to_do


class TestLocks:
    def test_one_that_is_held_names_its_process(self, healthy):
        with locked(str(healthy / ".tokensync" / "apply-one.lock"), "one"):
            value, to_do = found(1)["lock"]
        assert value.endswith(f"apply-one.lock is held by process {os.getpid()} on {this_process(0.0).host[:60]}")
        assert to_do == "wait until it ends"

    def test_one_of_an_unknown_machine_names_the_file_to_delete(self, healthy):
        (healthy / ".tokensync").mkdir()
        other = msgspec.structs.replace(this_process(1.0), host="other")
        (healthy / ".tokensync" / "apply-one.lock.owner").write_bytes(msgspec.json.encode(other))
        value, to_do = found(1)["lock"]
        assert "may be held by process" in value
        assert to_do.endswith("apply-one.lock.owner")

    @pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="asks /proc when a process started")
    def test_one_of_a_process_that_has_ended_needs_nothing(self, healthy):
        (healthy / ".tokensync").mkdir()
        ended = msgspec.structs.replace(this_process(1.0), started="1")
        (healthy / ".tokensync" / "apply-one.lock.owner").write_bytes(msgspec.json.encode(ended))
        assert "the next apply takes it over" in found()["lock"][0]


def test_the_merge_driver_that_the_attributes_name_is_asked_of_git(healthy, monkeypatch):
    git("init", "-q")
    assert "git merge driver" not in found()
    (healthy / ".gitattributes").write_text("*.tokens.json merge=tokensync\n", encoding="utf-8")
    command = 'git config merge.tokensync.driver "tokensync merge-file %O %A %B %P"'
    what = f"not configured; to merge token files by token, run `{command}`"
    assert found()["git merge driver"] == (what, ""), "git merges without it, too"
    git("config", "merge.tokensync.driver", "tokensync merge-file %O %A %B %P")
    assert found()["git merge driver"] == ("tokensync merge-file %O %A %B %P", "")
