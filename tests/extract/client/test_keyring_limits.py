"""Keyrings that hang, ask, fail or keep little, and the places where none is used."""

import io
import os
import subprocess
import sys
import threading
import time

import keyring
import pytest
from commands.projects import project_in
from corpus.building import OWN_ERROR, run_here
from keyring.backend import KeyringBackend

from tokensync.extract.client import credentials
from tokensync.extract.client.credentials import KEYRING, CredentialStore, Login
from tokensync.system.errors import UsageError

HOST = "api.figma.com"
OLD, NEW = Login("personal", "0ld-t0ken"), Login("personal", "n3w-t0ken")


class Trying(KeyringBackend):
    """A keyring whose methods can hang, ask a person, or fail, and that counts its calls."""

    priority = 5

    def __init__(self):
        super().__init__()
        self.kept = {}
        self.calls = []
        self.hangs = self.fails = ()
        self.released = threading.Event()

    def get_password(self, service, username):
        self._called("get")
        return self.kept.get((service, username))

    def set_password(self, service, username, password):
        self._called("set")
        if len(password) > 1280:
            raise OSError(1783, "The stub received bad data")
        self.kept[service, username] = password

    def delete_password(self, service, username):
        self._called("delete")
        del self.kept[service, username]

    def _called(self, name):
        self.calls.append(name)
        if name in self.hangs:
            self.released.wait(60)
        if name in self.fails:
            raise RuntimeError("prompt dismissed")


@pytest.fixture
def trying(monkeypatch):
    backend = Trying()
    monkeypatch.setattr(keyring, "get_keyring", lambda: backend)
    monkeypatch.setattr(credentials, "_KEYRING_SECONDS", 0.3)
    yield backend
    backend.released.set()


@pytest.fixture
def settings(tmp_path):
    return {"XDG_CONFIG_HOME": str(tmp_path), "LOCALAPPDATA": str(tmp_path)}


@pytest.mark.parametrize("method", ["hangs", "fails"])
@pytest.mark.parametrize("calls", [("set",), ("get",), ("delete",), ("set", "get", "delete")], ids="-".join)
@pytest.mark.parametrize("length", [9, 1200, 1500])
def test_what_was_saved_is_found_whatever_the_keyring_does(trying, settings, method, calls, length):
    new = Login("personal", "n" * length)
    store = CredentialStore(settings)
    assert store.save(HOST, OLD).location == KEYRING
    setattr(trying, method, calls)
    started = time.monotonic()
    CredentialStore(settings).save(HOST, new)
    assert time.monotonic() - started < 5
    trying.hangs = trying.fails = ()
    assert CredentialStore(settings).find(HOST).login == new


@pytest.mark.parametrize("length", [1300, 4000])
def test_what_is_too_long_for_the_keyring_is_in_the_file_alone(trying, settings, length):
    store = CredentialStore(settings)
    store.save(HOST, OLD)
    path = store.save(HOST, Login("oauth", "t" * length)).location
    assert path != KEYRING
    assert trying.kept == {}
    assert store.find(HOST).login.token == "t" * length


def test_a_keyring_that_waits_for_a_person_is_named_in_time(trying, settings):
    trying.hangs = ("get",)
    store = CredentialStore(settings)
    started = time.monotonic()
    with pytest.raises(
        UsageError, match=r"^the system's keyring: no answer within .* unlock it, or set TOKENSYNC_CRED"
    ):
        store.find(HOST)
    assert time.monotonic() - started < 5
    assert trying.calls == ["get"]


def test_logging_out_says_that_a_keyring_which_hangs_may_keep_the_login(trying, settings):
    trying.hangs = ("get",)
    removal = CredentialStore(settings).delete(HOST)
    assert removal == ((), (f"the system's keyring (entry tokensync of {HOST}), which did not answer",))


def test_all_calls_of_a_slow_keyring_share_one_limit(trying, settings, monkeypatch):
    monkeypatch.setattr(trying, "_called", lambda name: time.sleep(0.25))
    started = time.monotonic()
    assert CredentialStore(settings).save(HOST, NEW).location != KEYRING
    assert time.monotonic() - started < 2


def test_the_limit_leaves_a_command_less_than_five_seconds_of_waiting():
    assert credentials._KEYRING_SECONDS + credentials._POLL_SECONDS < 5


@pytest.mark.parametrize("variable", ["CI", "TF_BUILD", "JENKINS_URL", "TEAMCITY_VERSION"])
def test_under_ci_no_keyring_is_used(trying, settings, variable):
    trying.kept["tokensync", HOST] = "{}"
    store = CredentialStore({**settings, variable: "true"})
    assert store.find(HOST) is None
    assert store.save(HOST, NEW).location != KEYRING
    assert store.find(HOST).login == NEW
    assert store.delete(HOST).remaining == ()
    assert trying.calls == []
    assert store.why_file == f"{variable} is set, so no keyring is used"


@pytest.mark.parametrize("value", ["", "0", "false", " "])
def test_a_variable_that_denies_ci_does_not_count(trying, settings, value):
    assert CredentialStore({**settings, "CI": value}).save(HOST, NEW).location == KEYRING


def test_a_token_in_the_environment_keeps_the_keyring_unread_except_to_log_out(trying, settings):
    CredentialStore(settings).save(HOST, OLD)
    del trying.calls[:]
    store = CredentialStore({**settings, "FIGMA_TOKEN": "figd_x"})
    assert store.find(HOST) is None
    assert store.save(HOST, NEW).location != KEYRING
    assert trying.calls == []
    assert store.why_file == "FIGMA_TOKEN is set, so no keyring is used"
    assert store.delete(HOST).removed[0] == KEYRING
    assert trying.kept == {}


IMPORTED = """
import os, sys
from tokensync.extract.client.credentials import CredentialStore
store = CredentialStore(os.environ)
store.find("api.figma.com")
store.delete("api.figma.com")
sys.exit(sorted(name for name in sys.modules if name.partition(".")[0] == "keyring") or None)
"""


def test_ci_does_not_even_import_keyring(settings):
    environment = {**os.environ, **settings, "CI": "true"}
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED], env=environment, check=False, capture_output=True, encoding="utf-8"
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_reason_for_a_file_is_the_missing_package_if_it_is_missing(settings, monkeypatch):
    assert "is missing or locked, or did not accept the login" in CredentialStore(settings).why_file
    monkeypatch.setattr(credentials, "find_spec", lambda name: None)
    assert 'install the extra "keyring" of tokensync' in CredentialStore(settings).why_file


class TestWhoCanReadAFile:
    def test_on_windows_modes_are_not_claimed(self, settings, monkeypatch):
        shared = os.path.abspath("/shared/logins")
        with monkeypatch.context() as patch:
            patch.setattr(os, "name", "nt")
            own = CredentialStore({"TOKENSYNC_CREDENTIALS": shared}).who_can_read
            profile = CredentialStore(settings).who_can_read
        assert own == f"a file for everybody who can read {shared}"
        assert profile.startswith("a file in your user profile, which Windows protects from other users")

    @pytest.mark.skipif(os.name == "nt", reason="modes are of POSIX")
    def test_elsewhere_the_mode_is_named(self, settings):
        assert CredentialStore(settings).who_can_read == "a file that only you can read (mode 0600)"

    @pytest.mark.skipif(os.name == "nt", reason="modes are of POSIX")
    def test_a_file_system_that_keeps_no_modes_gets_no_login(self, settings, tmp_path, monkeypatch):
        with monkeypatch.context() as patch:
            patch.setattr(os, "fstat", _without_modes(os.fstat))
            with pytest.raises(UsageError, match="the file system does not keep permissions, so others could read"):
                CredentialStore({**settings, "CI": "1"}).save(HOST, NEW)
        assert [each for each in tmp_path.rglob("*") if each.is_file()] == []


def _without_modes(fstat):
    def status(descriptor):
        values = list(fstat(descriptor))
        values[0] |= 0o777
        return os.stat_result(values)

    return status


class TestFolder:
    def test_on_windows_it_does_not_roam(self, monkeypatch, tmp_path):
        with monkeypatch.context() as patch:
            patch.setattr(os, "name", "nt")
            folder = credentials._folder({"APPDATA": str(tmp_path / "roaming"), "LOCALAPPDATA": str(tmp_path)})
        assert folder == str(tmp_path / "tokensync" / "credentials")


@pytest.mark.parametrize("command", ["auth status", "auth logout", "auth login --token --offline", "doctor", "pull"])
def test_a_command_waits_only_once_for_a_keyring_that_never_answers(trying, settings, tmp_path, monkeypatch, command):
    for name in ("CI", "FIGMA_TOKEN", "FIGMA_ACCESS_TOKEN", "FIGMA_OAUTH_TOKEN", "TOKENSYNC_CREDENTIALS"):
        monkeypatch.delenv(name, raising=False)
    for name, folder in settings.items():
        monkeypatch.setenv(name, folder)
    monkeypatch.chdir(project_in(tmp_path / "project"))
    monkeypatch.setenv("TOKENSYNC_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setattr("sys.stdin", io.StringIO("figd_x1y2z3\n"))
    trying.hangs = ("get", "set", "delete")
    done = run_here(*command.split())
    assert OWN_ERROR not in done.stderr
    assert len(trying.calls) <= 1
    assert trying.calls or command == "doctor"
