"""The store of logins: a keyring, or else a private file."""

from __future__ import annotations

import os
import stat
import sys

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.errors import KeyringLocked, PasswordDeleteError

from tokensync.client.credentials import KEYRING, CredentialStore, Login
from tokensync.errors import UsageError

posix = pytest.mark.skipif(sys.platform == "win32", reason="asks for what only POSIX has")

PLACE = "api.figma.com"
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


@pytest.fixture
def settings(tmp_path):
    return {"XDG_CONFIG_HOME": str(tmp_path), "APPDATA": str(tmp_path)}


@pytest.fixture
def store(settings):
    return CredentialStore(settings)


def files(tmp_path):
    return [each for each in tmp_path.rglob("*") if each.is_file()]


class TestKeyring:
    def test_a_login_comes_back_and_nothing_is_in_a_file(self, memory, store, tmp_path):
        assert store.save(PLACE, LOGIN) == KEYRING
        assert store.find(PLACE) == (LOGIN, KEYRING)
        assert store.find("other") is None
        assert files(tmp_path) == []

    def test_it_takes_the_place_of_a_file(self, memory, store, tmp_path):
        memory.locked = True
        store.save(PLACE, LOGIN)
        assert len(files(tmp_path)) == 1
        memory.locked = False
        assert store.find(PLACE).where != KEYRING
        store.save(PLACE, LOGIN)
        assert files(tmp_path) == []
        assert store.find(PLACE).where == KEYRING

    def test_logging_out_removes_the_login_from_wherever_it_is(self, memory, store, tmp_path):
        memory.locked = True
        path = store.save(PLACE, LOGIN)
        memory.locked = False
        memory.set_password("tokensync", PLACE, "{}")
        assert store.delete(PLACE) == ((KEYRING, path), ())
        assert store.find(PLACE) is None
        assert store.delete(PLACE) == ((), ())

    @pytest.mark.parametrize("refuses", [True, False], ids=["refuses", "ignores"])
    def test_a_keyring_that_does_not_delete_is_named_and_the_file_is_removed_all_the_same(
        self, memory, store, tmp_path, monkeypatch, refuses
    ):
        def keep(*_):
            if refuses:
                raise KeyringLocked

        monkeypatch.setattr(memory, "delete_password", keep)
        store.save(PLACE, LOGIN)
        monkeypatch.setattr(memory, "set_password", keep)
        path = store.save(PLACE, Login("personal", "new"))
        removal = store.delete(PLACE)
        assert removal.removed == (path,)
        assert removal.remaining == (f"the system's keyring ({memory.name}, entry tokensync of {PLACE})",)
        assert files(tmp_path) == []
        assert store.find(PLACE) == (LOGIN, KEYRING)

    @pytest.mark.parametrize("priority", [-1, 0, 0.5])
    def test_one_that_keeps_no_secrets_is_none(self, memory, store, priority):
        memory.priority = priority
        assert store.save(PLACE, LOGIN) != KEYRING
        assert memory.kept == {}

    def test_what_is_not_ours_is_reported_without_showing_it(self, memory, store):
        memory.set_password("tokensync", PLACE, "hunter2")
        with pytest.raises(UsageError, match="the system's keyring: not a login of tokensync") as caught:
            store.find(PLACE)
        assert "hunter2" not in str(caught.value)

    def test_a_folder_of_ones_own_is_used_in_its_place(self, memory, settings, tmp_path):
        store = CredentialStore({**settings, "TOKENSYNC_CREDENTIALS": str(tmp_path / "own")})
        path = store.save(PLACE, LOGIN)
        assert os.path.dirname(path) == str(tmp_path / "own")
        assert store.find(PLACE) == (LOGIN, path)
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

    def test_it_is_found_again_and_not_the_one_before(self, short, store):
        assert store.save(PLACE, Login("personal", "old")) == KEYRING
        path = store.save(PLACE, self.LONG)
        assert path != KEYRING
        assert store.find(PLACE) == (self.LONG, path)
        assert short.kept == {}

    def test_it_is_found_even_where_the_keyring_cannot_forget_the_one_before(self, short, store, monkeypatch):
        store.save(PLACE, Login("personal", "old"))

        def refuse(*_):
            raise KeyringLocked

        monkeypatch.setattr(short, "delete_password", refuse)
        store.save(PLACE, self.LONG)
        assert store.find(PLACE).login == self.LONG

    def test_a_short_one_after_it_is_in_the_keyring_alone(self, short, store, tmp_path):
        store.save(PLACE, self.LONG)
        assert store.save(PLACE, Login("personal", "new")) == KEYRING
        assert store.find(PLACE).login.token == "new"
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
            homeless.save(PLACE, LOGIN)
        assert list(tmp_path.iterdir()) == []

    def test_there_is_no_stored_login_and_nothing_to_forget(self, homeless):
        assert homeless.find(PLACE) is None
        assert homeless.delete(PLACE) == ((), ())

    def test_the_keyring_still_takes_it(self, memory, homeless):
        assert homeless.save(PLACE, LOGIN) == KEYRING
        assert homeless.find(PLACE) == (LOGIN, KEYRING)

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
        path = store.save(PLACE, LOGIN)
        assert store.find(PLACE) == (LOGIN, path)
        assert store.delete(PLACE) == ((path,), ())
        assert store.find(PLACE) is None

    def test_each_platform_has_its_own(self, store, tmp_path):
        places = ["127.0.0.1:80", "127.0.0.1:8/0", "127.0.0.1-80", "../../x", "a" * 300]
        for number, place in enumerate(places):
            store.save(place, Login("personal", str(number)))
        assert [store.find(each).login.token for each in places] == list("01234")
        assert {each.parent for each in files(tmp_path)} == {tmp_path / "tokensync" / "credentials"}

    @posix
    def test_nobody_else_may_read_it_from_the_first_moment_on(self, store, monkeypatch):
        modes = []
        replace = os.replace

        def watched(source, target):
            modes.append(stat.S_IMODE(os.stat(source).st_mode))
            replace(source, target)

        monkeypatch.setattr(os, "replace", watched)
        before = os.umask(0)
        try:
            path = store.save(PLACE, LOGIN)
            store.save(PLACE, LOGIN)
        finally:
            os.umask(before)
        assert modes == [0o600, 0o600]
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
        assert stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode) == 0o700

    def test_a_write_that_fails_leaves_the_one_before_and_nothing_besides(self, store, monkeypatch, tmp_path):
        store.save(PLACE, LOGIN)

        def fail(*_):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "replace", fail)
        with pytest.raises(OSError, match="No space left"):
            store.save(PLACE, Login("personal", "other"))
        assert len(files(tmp_path)) == 1
        assert store.find(PLACE).login == LOGIN

    @posix
    @pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o666])
    def test_one_that_others_may_read_or_write_is_not_used(self, store, mode):
        path = store.save(PLACE, LOGIN)
        os.chmod(path, mode)
        with pytest.raises(UsageError, match="other users can read or write it"):
            store.find(PLACE)
        store.delete(PLACE)
        assert store.find(PLACE) is None

    @posix
    @pytest.mark.parametrize("make", [os.mkdir, getattr(os, "mkfifo", None)])
    def test_what_is_no_file_is_reported_and_not_waited_for(self, store, make):
        path = store.save(PLACE, LOGIN)
        os.unlink(path)
        make(path, 0o700)
        with pytest.raises(UsageError, match="not a regular file; remove it, and log in again"):
            store.find(PLACE)

    @posix
    def test_a_link_is_not_followed(self, store, tmp_path):
        path = store.save(PLACE, LOGIN)
        elsewhere = tmp_path / "elsewhere"
        os.rename(path, elsewhere)
        os.symlink(elsewhere, path)
        with pytest.raises(UsageError, match="not readable"):
            store.find(PLACE)
        store.save(PLACE, Login("personal", "new"))
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
        ],
    )
    def test_one_that_is_damaged_is_reported(self, store, content):
        path = store.save(PLACE, LOGIN)
        with open(path, "wb") as file:
            file.write(content)
        with pytest.raises(UsageError, match="not a login of tokensync; log out, and log in again"):
            store.find(PLACE)


def test_a_login_does_not_show_its_secrets():
    for text in (repr(LOGIN), str(LOGIN), repr(LOGIN.credential)):
        for secret in ("t0ken-t0ken", "refr3sh", "s3cret"):
            assert secret not in text


def test_messages_of_its_client_hide_every_secret_of_it():
    assert LOGIN.credential.hide_in("t0ken-t0ken refr3sh s3cret") == "[hidden] [hidden] [hidden]"


def test_it_is_renewable_with_all_that_a_refresh_needs():
    assert LOGIN.renewable
    assert not Login("personal", "x").renewable
