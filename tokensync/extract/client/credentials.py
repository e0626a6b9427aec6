"""Access tokens and the store of logins."""

from __future__ import annotations

import errno
import hashlib
import html
import json
import os
import re
import stat
import sys
import time
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from importlib.util import find_spec
from threading import Thread
from typing import Annotated, Any, Literal, NamedTuple, NoReturn, Protocol
from urllib.parse import quote

import msgspec

from tokensync.system.child import without_credentials
from tokensync.system.disk import HeldOpenError, replace_file, when_released
from tokensync.system.errors import DECODE_ERRORS, UsageError
from tokensync.system.positions import decoded, line_of_error

Kind = Literal["oauth", "personal"]

VARIABLES: tuple[tuple[str, Kind], ...] = (
    ("FIGMA_OAUTH_TOKEN", "oauth"),
    ("FIGMA_ACCESS_TOKEN", "personal"),
    ("FIGMA_TOKEN", "personal"),
)
"""The environment variables of tokens. The first that is set wins; "personal" includes plan access tokens."""

HIDDEN = "[hidden]"
_SHORTEST_TOKEN = 16
_SHORTEST_BASE64 = 10
_URL_SAFE = str.maketrans("+/", "-_")
STORED = "the stored login"
"""The ``source`` of a token stored by ``tokensync auth login``."""


class Credential:
    """An access token and its request header. Its repr, its str and all messages of the client hide the secret."""

    __slots__ = ("_others", "_secret", "kind", "source")

    def __init__(self, kind: Kind, secret: str, source: str = "the access token", others: tuple[str, ...] = ()) -> None:
        """Raise UsageError for a secret that no header can carry.

        ``source`` names the origin of the token in messages. ``others`` are secrets in request bodies, hidden as well.
        """
        secret = secret.strip()
        if not secret:
            raise UsageError(f"{source}: empty; set it to an access token")
        if not all("!" <= character <= "~" for character in secret):
            raise UsageError(
                f"{source}: contains a space, a line break or another character that access tokens do not have; "
                "copy only the token"
            )
        self.kind = kind
        self.source = source
        self._secret = secret
        self._others = tuple(filter(None, others))

    @property
    def secret(self) -> str:
        """Return the token itself, for the request header and the keyring only."""
        return self._secret

    def header(self) -> tuple[str, str]:
        """Return the name and value of the header that carries the token."""
        if self.kind == "oauth":
            return "Authorization", f"Bearer {self._secret}"
        return "X-Figma-Token", self._secret

    def hide_in(self, text: str, more: tuple[str, ...] = ()) -> str:
        """Return the text with all secrets and those in ``more`` replaced, also where they are escaped or in base64."""
        return without_secrets(text, (self._secret, *self._others, *more))

    def is_in(self, body: bytes) -> bool:
        """Return whether a body contains the secret. One that is shorter than any token may be in it by chance."""
        if len(self._secret) < _SHORTEST_TOKEN:
            return False
        forms = {self._secret, quote(self._secret, safe=""), json.dumps(self._secret)[1:-1], *_in_base64(self._secret)}
        return any(form.encode() in body for form in forms)

    def __repr__(self) -> str:
        return f"Credential({self.kind!r}, {HIDDEN!r}, {self.source!r})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Credential cannot be pickled or copied: its secret could leak")


def without_secrets(text: str, secrets: Iterable[str]) -> str:
    """Return a text with secrets replaced, as they are or as URLs, JSON, HTML and headers escape them."""
    for secret in secrets:
        characters = "".join(map(_in_any_escape, secret))
        text = re.sub("|".join((characters, *map(re.escape, _in_base64(secret)))), HIDDEN, text)
    return text


def _in_any_escape(character: str) -> str:
    """Return a pattern of a character and its escapes in URLs, JSON and HTML, also of JSON in JSON or HTML."""
    code, units = ord(character), character.encode("utf-16-be", "surrogatepass").hex()
    in_url = "".join(f"%{byte:02x}" for byte in character.encode("utf-8", "surrogatepass"))
    in_json = r"\\{1,8}".join(f"u{units[at : at + 4]}" for at in range(0, len(units), 4))
    escapes = (in_url, in_json, f"x{code:02x}", f"&#0*{code};", f"&#x0*{code:x};")
    plain = {character, html.escape(character), "+" if character == " " else character}
    return rf"\\{{0,8}}(?:{'|'.join(map(re.escape, sorted(plain)))}|(?i:{'|'.join(escapes)}))"


def _in_base64(secret: str) -> set[str]:
    """Return the base64 of a secret, in both alphabets, at each position that it can have in a longer text.

    Characters that depend on its neighbours are omitted. Short ones are, too, since they may be in a text by chance.
    """
    content = secret.encode("utf-8", "surrogatepass")
    forms = set()
    for before in range(3):
        encoded = b64encode(bytes(before) + content).decode()
        form = encoded[-(-before * 8 // 6) : (before + len(content)) * 8 // 6]
        forms |= {form, form.translate(_URL_SAFE)}
    return {form for form in forms if len(form) >= _SHORTEST_BASE64}


Renew = Callable[[Credential], Credential | None]
"""A function from a refused token to another one, or None."""


def from_environment(environment: Mapping[str, str]) -> Credential | None:
    """Return the token of the first variable of ``VARIABLES`` that is not blank, or None."""
    for name, kind in VARIABLES:
        if environment.get(name, "").strip():
            return Credential(kind, environment[name], name)
    return None


def required_from_environment(environment: Mapping[str, str]) -> Credential:
    """Return the token of ``from_environment``. Raise UsageError without one."""
    credential = from_environment(environment)
    if credential is None:
        oauth, *others = (name for name, _ in VARIABLES)
        raise UsageError(
            f"environment: no access token is set; create a personal access token in Figma (Settings, Security) and "
            f"put it in {others[0]} (or {others[1]}), or an OAuth token in {oauth}, or log in with tokensync auth login"
        )
    return credential


FOLDER_VARIABLE = "TOKENSYNC_CREDENTIALS"
"""The environment variable of a folder that stores logins in files, in place of a keyring."""

_SERVICE = "tokensync"
KEYRING = "the system's keyring"
"""The location of a login in a keyring, in words."""
_HOME = "USERPROFILE" if os.name == "nt" else "HOME"
_ELSEWHERE = f"set {_HOME}, or {FOLDER_VARIABLE} to a folder of your own, or set FIGMA_TOKEN to the token instead"
_CI_VARIABLES = ("CI", "TF_BUILD", "JENKINS_URL", "TEAMCITY_VERSION")
"""Environment variables of CI, where no keyring is used: it would be empty, or wait for a person."""
_KEYRING_SECONDS = 4.0
"""The most seconds that all calls of a keyring may take: a locked one can wait for a dialog that nobody sees."""
_POLL_SECONDS = 0.1  # Windows delivers Ctrl-C only between waits
_LEAST_PRIORITY = 1.0
"""The least priority of real keyrings. Backends that store plain text in a file have a lower one."""


class Login(msgspec.Struct, frozen=True, omit_defaults=True):
    """An access token with the means to renew it. ``expires`` is in Unix seconds, or None if unknown.

    ``user`` is the id and ``handle`` the name of the user who allowed access; both are empty if unknown. ``confirmed``
    is false for a token that was stored without asking the platform.
    """

    kind: Kind
    token: str
    expires: Annotated[float, msgspec.Meta(ge=0, le=253_402_300_799)] | None = None  # to the end of the year 9999
    refresh_token: str = ""
    client_id: str = ""
    client_secret: str = ""
    scopes: tuple[str, ...] = ()
    user: str = ""
    handle: str = ""
    confirmed: bool = True

    @property
    def credential(self) -> Credential:
        """Return the credential for requests."""
        return Credential(self.kind, self.token, STORED, (self.refresh_token, self.client_secret))

    @property
    def renewable(self) -> bool:
        """Return whether the token can be refreshed."""
        return bool(self.refresh_token and self.client_id and self.client_secret)

    def __repr__(self) -> str:
        return f"Login({self.kind!r}, user={self.user!r}, expires={self.expires!r})"


class StoredLogin(NamedTuple):
    """A login for a platform, and its location in words."""

    login: Login
    location: str
    platform: str

    @property
    def in_file(self) -> bool:
        """Return whether the login is in a file instead of a keyring."""
        return self.location != KEYRING


class Removal(NamedTuple):
    """The locations of removed logins, and of those that a keyring failed to delete; in words."""

    removed: tuple[str, ...]
    remaining: tuple[str, ...]


class _Keyring(Protocol):
    """The interface of a keyring backend."""

    @property
    def name(self) -> str: ...
    def get_password(self, service: str, username: str) -> str | None: ...
    def set_password(self, service: str, username: str, password: str) -> None: ...
    def delete_password(self, service: str, username: str) -> None: ...


class CredentialStore:
    """The stored logins of this user. ``platform`` is the ``label`` of a ``BaseUrl``.

    A login is in a file only if no keyring accepted it. So a file takes precedence over a keyring, which may still
    hold an earlier login. No keyring is used under CI, and none is read or written if the environment has a token.
    Raises UsageError for a relative ``TOKENSYNC_CREDENTIALS``: each working folder, and so each repository, would have
    its own logins.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._ci = next((name for name in _CI_VARIABLES if _is_set(environment.get(name, ""))), "")
        token = from_environment(environment)
        self._token = "" if token is None else token.source
        self._spent = 0.0
        self._slow = False
        """Whether the keyring has used up its time."""
        self._own_folder = environment.get(FOLDER_VARIABLE, "").strip()
        if self._own_folder and not os.path.isabs(self._own_folder):
            home = os.path.expanduser("~")
            absolute = os.path.normpath(os.path.join(home, os.path.expanduser(self._own_folder)))
            advice = f"write {absolute}" if os.path.isabs(absolute) else "write the whole path"
            what = f"{self._own_folder} is a relative path, so every working folder would have its own logins"
            raise UsageError(f"{FOLDER_VARIABLE}: {what}; {advice}")
        self._folder = self._own_folder or _folder(environment)

    @property
    def why_file(self) -> str:
        """Return why logins are in files, in words."""
        if self._own_folder:
            return f"{FOLDER_VARIABLE} is set"
        if self._ci or self._token:
            return f"{self._ci or self._token} is set, so no keyring is used"
        if find_spec("keyring") is None:
            return 'the package keyring is not installed; to use the keyring, install the extra "keyring" of tokensync'
        return f"{KEYRING} is missing or locked, or did not accept the login"

    @property
    def location(self) -> str:
        """Return where a login would be stored, in words. Raises UsageError without a folder for a file."""
        for _ in self._keyrings():
            return KEYRING
        if self._folder is None:
            raise UsageError(f"{_HOME}: there is no home folder to store the login in; {_ELSEWHERE}")
        return self._folder

    @property
    def who_can_read(self) -> str:
        """Return who can read the files of logins, in words. Windows has no file modes."""
        if os.name != "nt":
            return "a file that only you can read (mode 0600)"
        if self._own_folder:
            return f"a file for everybody who can read {self._own_folder}"
        return "a file in your user profile, which Windows protects from other users but not from administrators"

    def find(self, platform: str) -> StoredLogin | None:
        """Return the login for a platform. Raise UsageError for a file that others can read or that is no login."""
        path = self._path(platform)
        content = _private_content(path) if path else None
        if path and content is not None:
            return StoredLogin(_read(content, path), path, platform)
        for keyring in self._keyrings():
            with suppress(_Unusable):
                text = self._call(keyring.get_password, _SERVICE, platform)
                if text:
                    return StoredLogin(_read(text.encode(), KEYRING), KEYRING, platform)
        if self._slow:
            what = f"no answer within {_KEYRING_SECONDS:g} seconds; it may be waiting to be unlocked"
            raise UsageError(f"{KEYRING}: {what}; unlock it, or set {FOLDER_VARIABLE} or FIGMA_TOKEN")
        return None

    def save(self, platform: str, login: Login) -> StoredLogin:
        """Store a login in place of the previous one.

        Use a file if the keyring does not return the same text: some truncate or refuse long ones. Raises UsageError
        without a folder for the file.
        """
        content = msgspec.json.encode(login)
        path = self._path(platform)
        for keyring in self._keyrings():
            with suppress(_Unusable):
                self._call(keyring.set_password, _SERVICE, platform, content.decode())
                if self._call(keyring.get_password, _SERVICE, platform) == content.decode():
                    if path:
                        _remove(path)
                    return StoredLogin(login, KEYRING, platform)
        if path is None or self._folder is None:
            raise UsageError(f"{_HOME}: there is no home folder to store the login in; {_ELSEWHERE}")
        try:
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            replace_file(os.path.join(os.path.realpath(self._folder), os.path.basename(path)), content, private=True)
        except OSError as error:
            if error.errno not in _NO_PLACE or isinstance(error, HeldOpenError):
                raise
            raise UsageError(f"{path}: the login cannot be stored there ({error.strerror}); {_ELSEWHERE}") from error
        self._refuse_shared(path)
        for keyring in self._keyrings():
            with suppress(_Unusable):  # a login that remains there is out of date
                self._call(keyring.delete_password, _SERVICE, platform)
        return StoredLogin(login, path, platform)

    def delete(self, platform: str) -> Removal:
        """Delete the login for a platform from the keyring and the file."""
        removed, remaining = [], []
        for keyring in self._keyrings(deletes=True):
            with suppress(_Unusable):
                if self._call(keyring.get_password, _SERVICE, platform) is None:
                    continue
                with suppress(_Unusable):
                    self._call(keyring.delete_password, _SERVICE, platform)
                if self._call(keyring.get_password, _SERVICE, platform) is None:
                    removed.append(KEYRING)
                else:
                    remaining.append(f"{KEYRING} ({keyring.name}, entry {_SERVICE} of {platform})")
        if self._slow:
            remaining.append(f"{KEYRING} (entry {_SERVICE} of {platform}), which did not answer")
        path = self._path(platform)
        if path and _remove(path):
            removed.append(path)
        return Removal(tuple(removed), tuple(remaining))

    def _path(self, platform: str) -> str | None:
        """Return the file of a platform: one each, so that concurrent logins never overwrite each other."""
        if self._folder is None:
            return None
        name = re.sub(r"[^A-Za-z0-9.]+", "-", platform).strip("-")[:60]
        digest = hashlib.sha256(platform.encode()).hexdigest()[:12]
        return os.path.join(self._folder, f"{name}-{digest}.json")

    def _keyrings(self, *, deletes: bool = False) -> Iterator[_Keyring]:
        """Yield the keyring, if there is one to use. A token in the environment does not keep it from ``deletes``."""
        if self._own_folder or self._ci or self._slow or (self._token and not deletes):
            return
        with suppress(_Unusable):
            backend = self._call(_chosen_keyring)
            if self._call(lambda: backend.priority) >= _LEAST_PRIORITY:
                yield backend

    def _call(self, function: Any, *arguments: str) -> Any:
        """Call a keyring within its time. Each backend raises exceptions of its own; a file is in place of all of them.

        A call that does not end keeps its thread, which does not keep the process.
        """
        if self._slow:
            raise _Unusable
        results: list[Any] = []
        failures: list[Exception] = []

        def call() -> None:
            try:
                results.append(function(*arguments))
            except Exception as error:  # noqa: BLE001 - see above
                failures.append(error)

        thread = Thread(target=call, name="keyring", daemon=True)
        started = time.monotonic()
        with without_credentials():
            thread.start()
            while thread.is_alive() and self._spent + time.monotonic() - started < _KEYRING_SECONDS:
                thread.join(_POLL_SECONDS)
        self._spent += time.monotonic() - started
        if results:
            return results[0]
        self._slow = not failures
        raise _Unusable from (failures[0] if failures else None)

    def _refuse_shared(self, path: str) -> None:
        """Remove a login that others can read, although its mode was set, and raise UsageError."""
        try:
            _private_content(path)
        except UsageError:
            _remove(path)
            what = "the file system does not keep permissions, so others could read the login"
            raise UsageError(f"{path}: {what}; {_ELSEWHERE}") from None


_NO_PLACE = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOENT, errno.ENOTDIR)
"""The errors of a folder in which this user can store nothing."""


class _Unusable(Exception):
    """The keyring is missing, locked or failing."""


def _chosen_keyring() -> Any:
    if sys.platform != "darwin":
        # The backend for macOS would start ldconfig and a C compiler everywhere, to look for libraries of macOS.
        sys.modules.setdefault("keyring.backends.macOS.api", None)  # type: ignore[arg-type]
    import keyring

    return keyring.get_keyring()


def _is_set(value: str) -> bool:
    return value.strip().lower() not in ("", "0", "false", "no")


def _folder(environment: Mapping[str, str]) -> str | None:
    """Return the folder of credentials, or None without a home folder: ``expanduser`` then returns ``~`` unchanged."""
    if os.name == "nt":
        # Unlike APPDATA, it does not follow the user to other machines.
        choices = (environment.get("LOCALAPPDATA", ""), os.path.expanduser("~\\AppData\\Local"))
    else:
        choices = (environment.get("XDG_CONFIG_HOME", ""), os.path.expanduser("~/.config"))
    settings = next(filter(os.path.isabs, choices), None)
    return settings and os.path.join(settings, "tokensync", "credentials")


def _private_content(path: str) -> bytes | None:
    """Return the content of a file that only this user can read, or None if it does not exist."""
    names = ("O_NOFOLLOW", "O_BINARY", "O_NONBLOCK")  # the last one for pipes
    flags = sum((getattr(os, name, 0) for name in names), os.O_RDONLY)
    try:
        descriptor = when_released(lambda: os.open(path, flags))
    except (FileNotFoundError, NotADirectoryError):  # the latter if HOME is /dev/null
        return None
    except HeldOpenError:
        raise
    except OSError as error:
        raise UsageError(f"{path}: not readable ({error.strerror}); log out, and log in again") from None
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)
        raise UsageError(f"{path}: not a regular file; remove it, and log in again with tokensync auth login")
    with os.fdopen(descriptor, "rb") as file:
        if os.name != "nt" and (status.st_uid != os.getuid() or stat.S_IMODE(status.st_mode) & 0o077):
            what = "other users can read or write it, so its tokens may be compromised"
            raise UsageError(f"{path}: {what}; remove it, and log in again with tokensync auth login")
        return file.read()


def _read(content: bytes, where: str) -> Login:
    try:
        return decoded(content, Login)
    except DECODE_ERRORS as error:
        if where != KEYRING:
            where = f"{where}:{line_of_error(content, error)}"
        what = "this is not a login of tokensync, or it was damaged"
        raise UsageError(f"{where}: {what}; run tokensync auth logout, and log in again") from None


def _remove(path: str) -> bool:
    try:
        when_released(lambda: os.unlink(path))
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True
