"""The store of logins: a keyring, or else a private file."""

import os
import stat
import subprocess
import sys
from collections import Counter

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.errors import KeyringLocked, PasswordDeleteError
from system.disk.held_open import holding, named

from tokensync.extract.client.credentials import KEYRING, CredentialStore, Login
from tokensync.system.disk import HeldOpenError
from tokensync.system.errors import UsageError

posix = pytest.mark.skipif(sys.platform == "win32", reason="asks for what only POSIX has")

HOST = "api.figma.com"
LOGIN = Login("oauth", "t0ken-t0ken", 1_800_000_000.0, "refr3sh", "id", "s3cret", ("a:b",), "1" * 19, "ann")


class Memory(KeyringBackend):
    """A keyring that a test can lock."""

    priority = 5

    def __init__(self):
        super().__init__()
        self.kept = {}
        self.locked = False

    def get_password(self, service, username):
        self._check()
        return self.kept.get((service, username))

    def set_password(self, service, username, password):
        self._check()
        self.kept[service, username] = password

    def delete_password(self, service, username):
        self._check()
        if self.kept.pop((service, username), None) is None:
            raise PasswordDeleteError

    def _check(self):
        if self.locked:
            raise KeyringLocked


@pytest.fixture
def memory(monkeypatch):
    backend = Memory()
    monkeypatch.setattr(keyring, "get_keyring", lambda: backend)
    return backend


STARTED = """
import os, sys
from tokensync.extract.client.credentials import CredentialStore
programs = []
sys.addaudithook(lambda event, arguments: programs.append(arguments[0]) if event == "subprocess.Popen" else None)
CredentialStore(os.environ).find("api.figma.com")
sys.exit(f"started {programs}" if programs else None)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Python starts cmd.exe to tell the version of Windows")
def test_no_program_is_started_to_choose_a_keyring(settings):
    environment = {name: value for name, value in os.environ.items() if name != "PYTHON_KEYRING_BACKEND"}
    command = [sys.executable, "-c", STARTED]
    done = subprocess.run(command, env=environment | settings, check=False, capture_output=True, encoding="utf-8")
    assert (done.returncode, done.stderr) == (0, "")


def test_programs_that_a_keyring_starts_inherit_no_credentials(memory, settings, monkeypatch):
    inherited = []
    monkeypatch.setenv("FIGMA_TOKEN", "t0ken-t0ken")
    monkeypatch.setattr(memory, "get_password", lambda *_: inherited.append(dict(os.environ)))
    assert CredentialStore(settings).find(HOST) is None
    assert [each.get("FIGMA_TOKEN") for each in inherited] == [None]
    assert os.environ["FIGMA_TOKEN"] == "t0ken-t0ken"


@pytest.fixture
def settings(tmp_path):
    return {"XDG_CONFIG_HOME": str(tmp_path), "LOCALAPPDATA": str(tmp_path)}


@pytest.fixture
def store(settings):
    return CredentialStore(settings)


def files(tmp_path):
    return [each for each in tmp_path.rglob("*") if each.is_file()]


class TestKeyring:
    def test_a_login_is_restored_without_a_file(self, memory, store, tmp_path):
        assert store.save(HOST, LOGIN).location == KEYRING
        assert store.find(HOST) == (LOGIN, KEYRING, HOST)
        assert store.find("other") is None
        assert files(tmp_path) == []

    def test_it_replaces_a_file(self, memory, store, tmp_path):
        memory.locked = True
        store.save(HOST, LOGIN)
        assert len(files(tmp_path)) == 1
        memory.locked = False
        assert store.find(HOST).location != KEYRING
        store.save(HOST, LOGIN)
        assert files(tmp_path) == []
        assert store.find(HOST).location == KEYRING

    def test_logging_out_removes_the_login_from_wherever_it_is(self, memory, store, tmp_path):
        memory.locked = True
        path = store.save(HOST, LOGIN).location
        memory.locked = False
        memory.set_password("tokensync", HOST, "{}")
        assert store.delete(HOST) == ((KEYRING, path), ())
        assert store.find(HOST) is None
        assert store.delete(HOST) == ((), ())

    @pytest.mark.parametrize("refuses", [True, False], ids=["refuses", "ignores"])
    def test_a_keyring_that_does_not_delete_is_named_and_the_file_is_removed_all_the_same(
        self, memory, store, tmp_path, monkeypatch, refuses
    ):
        def keep(*_):
            if refuses:
                raise KeyringLocked

        monkeypatch.setattr(memory, "delete_password", keep)
        store.save(HOST, LOGIN)
        monkeypatch.setattr(memory, "set_password", keep)
        path = store.save(HOST, Login("personal", "new")).location
        removal = store.delete(HOST)
        assert removal.removed == (path,)
        assert removal.remaining == (f"the system's keyring ({memory.name}, entry tokensync of {HOST})",)
        assert files(tmp_path) == []
        assert store.find(HOST) == (LOGIN, KEYRING, HOST)

    @pytest.mark.parametrize("priority", [-1, 0, 0.5])
    def test_a_keyring_that_stores_no_secrets_is_not_used(self, memory, store, priority):
        memory.priority = priority
        assert store.save(HOST, LOGIN).location != KEYRING
        assert memory.kept == {}

    def test_a_foreign_entry_is_reported_without_showing_it(self, memory, store):
        memory.set_password("tokensync", HOST, "hunter2")
        with pytest.raises(UsageError, match="the system's keyring: this is not a login of tokensync") as caught:
            store.find(HOST)
        assert "hunter2" not in str(caught.value)

    def test_a_configured_folder_is_used_instead(self, memory, settings, tmp_path):
        store = CredentialStore({**settings, "TOKENSYNC_CREDENTIALS": str(tmp_path / "own")})
        path = store.save(HOST, LOGIN).location
        assert os.path.dirname(path) == str(tmp_path / "own")
        assert store.find(HOST) == (LOGIN, path, HOST)
        assert memory.kept == {}


class Short(Memory):
    """A keyring like Windows's: what is too long for it is refused, or, by some, cut; the item before stays."""

    cuts = False
    most = 200

    def set_password(self, service, username, password):
        if len(password) > self.most and not self.cuts:
            raise OSError(1783, "The stub received bad data")
        super().set_password(service, username, password[: self.most])


class TestALoginThatIsTooLongForTheKeyring:
    LONG = Login("oauth", "t" * 300)

    @pytest.fixture(params=[False, True], ids=["refused", "cut"])
    def short(self, monkeypatch, request):
        backend = Short()
        backend.cuts = request.param
        monkeypatch.setattr(keyring, "get_keyring", lambda: backend)
        return backend

    def test_the_new_login_is_found_instead_of_the_old_one(self, short, store):
        assert store.save(HOST, Login("personal", "old")).location == KEYRING
        path = store.save(HOST, self.LONG).location
        assert path != KEYRING
        assert store.find(HOST) == (self.LONG, path, HOST)
        assert short.kept == {}

    def test_the_new_login_is_found_if_the_keyring_cannot_delete_the_old_one(self, short, store, monkeypatch):
        store.save(HOST, Login("personal", "old"))

        def refuse(*_):
            raise KeyringLocked

        monkeypatch.setattr(short, "delete_password", refuse)
        store.save(HOST, self.LONG)
        assert store.find(HOST).login == self.LONG

    def test_a_later_short_login_is_only_in_the_keyring(self, short, store, tmp_path):
        store.save(HOST, self.LONG)
        assert store.save(HOST, Login("personal", "new")).location == KEYRING
        assert store.find(HOST).login.token == "new"
        assert files(tmp_path) == []


@posix
class TestWithoutAHome:
    """As for a user whom a container was given by number: no HOME, and no entry among the users of the system."""

    @pytest.fixture(params=[None, "relative", "~"], ids=["absent", "relative", "unexpanded"])
    def homeless(self, monkeypatch, request, tmp_path):
        import pwd

        def unknown(_):
            raise KeyError

        monkeypatch.setattr(pwd, "getpwuid", unknown)
        monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
        monkeypatch.chdir(tmp_path)
        if request.param is None:
            monkeypatch.delenv("HOME", raising=False)
        else:
            monkeypatch.setenv("HOME", request.param)
        return CredentialStore({})

    def test_a_login_is_refused_with_what_to_set_and_no_file_is_made(self, homeless, tmp_path):
        with pytest.raises(UsageError, match="HOME: there is no home folder .* set HOME, or TOKENSYNC_CREDENTIALS"):
            homeless.save(HOST, LOGIN)
        assert list(tmp_path.iterdir()) == []

    def test_without_a_stored_login_logout_deletes_no_login(self, homeless):
        assert homeless.find(HOST) is None
        assert homeless.delete(HOST) == ((), ())

    def test_the_keyring_still_takes_it(self, memory, homeless):
        assert homeless.save(HOST, LOGIN).location == KEYRING
        assert homeless.find(HOST) == (LOGIN, KEYRING, HOST)

    @pytest.mark.parametrize("folder", ["credentials", "~/credentials", "./x"])
    def test_a_folder_that_is_not_absolute_is_refused_with_the_one_that_is_meant(self, tmp_path, folder, monkeypatch):
        """Meant is one of the home folder: that of the working folder would stand in a repository."""
        (tmp_path / "repository").mkdir()
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.chdir(tmp_path / "repository")
        with pytest.raises(UsageError, match=f"write {tmp_path}/(credentials|x)$"):
            CredentialStore({"TOKENSYNC_CREDENTIALS": folder})

    @pytest.mark.usefixtures("homeless")
    def test_without_a_home_no_folder_is_proposed(self):
        with pytest.raises(UsageError, match="write the whole path$"):
            CredentialStore({"TOKENSYNC_CREDENTIALS": "~/credentials"})


class TestFile:
    def test_a_login_comes_back(self, store):
        path = store.save(HOST, LOGIN).location
        assert store.find(HOST) == (LOGIN, path, HOST)
        assert store.delete(HOST) == ((path,), ())
        assert store.find(HOST) is None

    def test_each_platform_has_its_own(self, store, tmp_path):
        places = ["127.0.0.1:80", "127.0.0.1:8/0", "127.0.0.1-80", "../../x", "a" * 300]
        for number, location in enumerate(places):
            store.save(location, Login("personal", str(number)))
        assert [store.find(each).login.token for each in places] == list("01234")
        assert {each.parent for each in files(tmp_path)} == {tmp_path / "tokensync" / "credentials"}

    @posix
    def test_only_the_owner_may_read_it_from_its_creation_on(self, store, monkeypatch):
        modes = []
        replace = os.replace

        def watched(source, target, *, src_dir_fd, dst_dir_fd):
            modes.append(stat.S_IMODE(os.stat(source, dir_fd=src_dir_fd).st_mode))
            replace(source, target, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)

        monkeypatch.setattr(os, "replace", watched)
        before = os.umask(0)
        try:
            path = store.save(HOST, LOGIN).location
            store.save(HOST, LOGIN)
        finally:
            os.umask(before)
        assert modes == [0o600, 0o600]
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
        assert stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode) == 0o700

    @named
    def test_a_file_that_is_held_open_for_a_moment_is_written_read_and_removed(self, store, tmp_path):
        attempts = Counter()

        def is_held(*call):
            attempts[call] += 1
            return attempts[call] <= 2

        store.save(HOST, Login("personal", "old"))
        with holding(tmp_path, is_held, calls=("replace", "unlink", "open")):
            path = store.save(HOST, LOGIN).location
            assert store.find(HOST) == (LOGIN, path, HOST)
            assert store.delete(HOST) == ((path,), ())
        assert {call for call, _ in attempts} == {"replace", "unlink", "open"}

    @named
    @pytest.mark.parametrize("action", ["save", "find", "delete"])
    def test_a_file_that_stays_open_is_named(self, store, tmp_path, action):
        path = store.save(HOST, LOGIN).location
        with (
            holding(tmp_path, lambda *_: True, calls=("replace", "unlink", "open")),
            pytest.raises(HeldOpenError) as caught,
        ):
            getattr(store, action)(HOST, *([LOGIN] if action == "save" else []))
        assert caught.value.filename == path
        assert store.find(HOST) == (LOGIN, path, HOST)

    def test_a_failed_write_leaves_only_the_previous_login(self, store, monkeypatch, tmp_path):
        store.save(HOST, LOGIN)

        def fail(*_, **__):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "replace", fail)
        with pytest.raises(OSError, match="No space left"):
            store.save(HOST, Login("personal", "other"))
        assert len(files(tmp_path)) == 1
        assert store.find(HOST).login == LOGIN

    @posix
    @pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o666])
    def test_one_that_others_may_read_or_write_is_not_used(self, store, mode):
        path = store.save(HOST, LOGIN).location
        os.chmod(path, mode)
        with pytest.raises(UsageError, match="other users can read or write it"):
            store.find(HOST)
        store.delete(HOST)
        assert store.find(HOST) is None

    @posix
    @pytest.mark.parametrize("make", [os.mkdir, getattr(os, "mkfifo", None)])
    def test_a_special_file_is_reported_without_waiting(self, store, make):
        path = store.save(HOST, LOGIN).location
        os.unlink(path)
        make(path, 0o700)
        with pytest.raises(UsageError, match="not a regular file; remove it, and log in again"):
            store.find(HOST)

    @posix
    def test_a_link_is_not_followed(self, store, tmp_path):
        path = store.save(HOST, LOGIN).location
        elsewhere = tmp_path / "elsewhere"
        os.rename(path, elsewhere)
        os.symlink(elsewhere, path)
        with pytest.raises(UsageError, match="not readable"):
            store.find(HOST)
        store.save(HOST, Login("personal", "new"))
        assert b"t0ken" in elsewhere.read_bytes()

    @pytest.mark.parametrize(
        "content",
        [
            b"",
            b"{",
            b"[]",
            b"{}",
            b'{"kind": "magic", "token": "x"}',
            b'{"kind": "oauth", "token": "x", "expires": 1e300}',
            b'{"kind": "oauth", "token": "x", "expires": -1e18}',
            b'{"kind": "oauth", "more": ' + b"[" * 100_000,
            b"\xff",
            b'{"kind": "oauth", "token": "x", "user\xff": "7"}',
        ],
    )
    def test_one_that_is_damaged_is_reported(self, store, content):
        path = store.save(HOST, LOGIN).location
        with open(path, "wb") as file:
            file.write(content)
        with pytest.raises(
            UsageError,
            match=r"\.json:1: this is not a login.*; run tokensync auth logout, and log in again",
        ):
            store.find(HOST)


def test_a_login_does_not_show_its_secrets():
    for text in (repr(LOGIN), str(LOGIN), repr(LOGIN.credential)):
        for secret in ("t0ken-t0ken", "refr3sh", "s3cret"):
            assert secret not in text


def test_messages_of_its_client_hide_every_secret():
    assert LOGIN.credential.hide_in("t0ken-t0ken refr3sh s3cret") == "[hidden] [hidden] [hidden]"


def test_it_can_be_renewed_with_the_stored_data():
    assert LOGIN.renewable
    assert not Login("personal", "x").renewable
