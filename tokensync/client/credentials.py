"""Credentials: where access tokens come from and where logins are stored."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, NoReturn, Protocol
from urllib.parse import quote

import msgspec

from tokensync.disk import replace_file
from tokensync.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


Kind = Literal["oauth", "personal"]

VARIABLES: tuple[tuple[str, Kind], ...] = (
    ("FIGMA_OAUTH_TOKEN", "oauth"),
    ("FIGMA_ACCESS_TOKEN", "personal"),
    ("FIGMA_TOKEN", "personal"),
)
"""The environment variables that may hold a token, the first that is set wins; "personal" covers plan access tokens."""

HIDDEN = "[hidden]"
STORED = "the stored login"
"""The ``source`` of what ``tokensync auth login`` keeps."""


class Credential:
    """A token and the header it travels in. Its repr, str and every message of the client hide the secret."""

    __slots__ = ("_others", "_secret", "kind", "source")

    def __init__(self, kind: Kind, secret: str, source: str = "the access token", others: tuple[str, ...] = ()) -> None:
        """``source`` says where the token came from, for messages; a secret that cannot be a header is a UsageError.

        ``others`` are secrets that are sent besides, in bodies, and hidden like this one.
        """
        secret = secret.strip()
        if not secret:
            raise UsageError(f"{source}: it is empty; put an access token there")
        if not all("!" <= character <= "~" for character in secret):
            raise UsageError(
                f"{source}: it holds a space, a line break or another character that no access token has; "
                "copy the token again, alone"
            )
        self.kind = kind
        self.source = source
        self._secret = secret
        self._others = tuple(filter(None, others))

    @property
    def secret(self) -> str:
        """The token itself: for the request header and the keyring, nothing else."""
        return self._secret

    def header(self) -> tuple[str, str]:
        """The name and the value of the header that carries this token."""
        if self.kind == "oauth":
            return "Authorization", f"Bearer {self._secret}"
        return "X-Figma-Token", self._secret

    def hide_in(self, text: str) -> str:
        """The text with the secrets, as they are or percent-encoded, replaced."""
        for secret in (self._secret, *self._others):
            text = text.replace(secret, HIDDEN).replace(quote(secret, safe=""), HIDDEN)
        return text

    def __repr__(self) -> str:
        return f"Credential({self.kind!r}, {HIDDEN!r}, {self.source!r})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Credential is never pickled or copied to where its secret could be read")


Renew = Callable[[Credential], Credential | None]
"""Given a token that the platform refused, another one; None when there is none."""


def from_environment(environment: Mapping[str, str]) -> Credential | None:
    """The token of the first variable of ``VARIABLES`` that is set and not blank, or None."""
    for name, kind in VARIABLES:
        if environment.get(name, "").strip():
            return Credential(kind, environment[name], name)
    return None


def required_from_environment(environment: Mapping[str, str]) -> Credential:
    """The token of ``from_environment``; none is a UsageError that says what to set."""
    credential = from_environment(environment)
    if credential is None:
        oauth, *others = (name for name, _ in VARIABLES)
        raise UsageError(
            f"environment: no access token is set; put a personal access token in {others[0]} (or {others[1]}), "
            f"or an OAuth token in {oauth}, or log in with tokensync auth login"
        )
    return credential


FOLDER_VARIABLE = "TOKENSYNC_CREDENTIALS"
"""An environment variable that names a folder: logins are kept in files there, and in no keyring."""

_SERVICE = "tokensync"
KEYRING = "the system's keyring"
"""Where a login is kept, in words, when it is in no file."""
_HOME = "USERPROFILE" if os.name == "nt" else "HOME"
_ELSEWHERE = f"set {_HOME}, or {FOLDER_VARIABLE} to a folder of your own, or put the token into FIGMA_TOKEN instead"
_SAFEST = 1.0
"""The least priority of keyrings that are one: those that keep texts readable in a file have a lower one."""


class Login(msgspec.Struct, frozen=True, omit_defaults=True):
    """An access token, and what renews it. ``expires`` is Unix seconds, None when not known.

    ``user`` is the id and ``handle`` the name of whoever allowed it, where the platform told.
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

    @property
    def credential(self) -> Credential:
        """The token as requests carry it."""
        return Credential(self.kind, self.token, STORED, (self.refresh_token, self.client_secret))

    @property
    def renewable(self) -> bool:
        """Whether there is all that a refresh needs."""
        return bool(self.refresh_token and self.client_id and self.client_secret)

    def __repr__(self) -> str:
        return f"Login({self.kind!r}, user={self.user!r}, expires={self.expires!r})"


class Found(NamedTuple):
    """A login and where it is kept, in words."""

    login: Login
    where: str


class Forgotten(NamedTuple):
    """Where a login was removed, and which keyrings still give it although they were asked to delete it; in words."""

    removed: tuple[str, ...]
    kept: tuple[str, ...]


class _Keyring(Protocol):
    """What we use of a keyring's backend."""

    @property
    def name(self) -> str: ...
    def get_password(self, service: str, username: str) -> str | None: ...
    def set_password(self, service: str, username: str, password: str) -> None: ...
    def delete_password(self, service: str, username: str) -> None: ...


class CredentialStore:
    """The logins of this user on this machine. ``place`` is that of ``tokensync.client.base_url.BaseUrl``.

    A login is in a file only where no keyring took it, so a file counts before a keyring, which may still hold the
    login before. Raises UsageError for a ``TOKENSYNC_CREDENTIALS`` that is not absolute: each working folder, and
    thereby each repository, would have its own.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._own_folder = environment.get(FOLDER_VARIABLE, "").strip()
        if self._own_folder and not os.path.isabs(self._own_folder):
            home = os.path.expanduser("~")
            meant = os.path.normpath(os.path.join(home, os.path.expanduser(self._own_folder)))
            advice = f"write {meant}" if os.path.isabs(meant) else "write the whole path"
            what = f"{self._own_folder} is not absolute, so every working folder would have logins of its own"
            raise UsageError(f"{FOLDER_VARIABLE}: {what}; {advice}")
        self._folder = self._own_folder or _folder(environment)

    def find(self, place: str) -> Found | None:
        """The login for a platform. A file that others may read or that is none of ours is a UsageError."""
        path = self._path(place)
        content = _private_content(path) if path else None
        if path and content is not None:
            return Found(_read(content, path), path)
        for keyring in self._keyrings():
            with suppress(_Unusable):
                text = _asked(keyring.get_password, _SERVICE, place)
                if text:
                    return Found(_read(text.encode(), KEYRING), KEYRING)
        return None

    def save(self, place: str, login: Login) -> str:
        """Keep a login in place of the one before; where, in words.

        What a keyring does not give back goes into the file: some cut or refuse long texts. Raises UsageError when
        there is no folder for it.
        """
        content = msgspec.json.encode(login)
        path = self._path(place)
        for keyring in self._keyrings():
            with suppress(_Unusable):
                _asked(keyring.set_password, _SERVICE, place, content.decode())
                if _asked(keyring.get_password, _SERVICE, place) == content.decode():
                    if path:
                        _remove(path)
                    return KEYRING
        if path is None or self._folder is None:
            raise UsageError(f"{_HOME}: there is no home folder to keep the login in; {_ELSEWHERE}")
        try:
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            replace_file(path, content, private=True)
        except PermissionError as fault:
            raise UsageError(f"{path}: the login cannot be kept there ({fault.strerror}); {_ELSEWHERE}") from fault
        for keyring in self._keyrings():
            with suppress(_Unusable):  # what is left there is out of date
                _asked(keyring.delete_password, _SERVICE, place)
        return path

    def forget(self, place: str) -> Forgotten:
        """Remove the login for a platform from wherever it is."""
        removed, kept = [], []
        for keyring in self._keyrings():
            with suppress(_Unusable):
                if _asked(keyring.get_password, _SERVICE, place) is None:
                    continue
                with suppress(_Unusable):
                    _asked(keyring.delete_password, _SERVICE, place)
                if _asked(keyring.get_password, _SERVICE, place) is None:
                    removed.append(KEYRING)
                else:
                    kept.append(f"{KEYRING} ({keyring.name}, entry {_SERVICE} of {place})")
        path = self._path(place)
        if path and _remove(path):
            removed.append(path)
        return Forgotten(tuple(removed), tuple(kept))

    def _path(self, place: str) -> str | None:
        """A file a platform, so that two logins at a time cannot lose each other; None without a folder for it."""
        if self._folder is None:
            return None
        name = re.sub(r"[^A-Za-z0-9.]+", "-", place).strip("-")[:60]
        digest = hashlib.sha256(place.encode()).hexdigest()[:12]
        return os.path.join(self._folder, f"{name}-{digest}.json")

    def _keyrings(self) -> Iterator[_Keyring]:
        """The system's keyring, where there is one and no folder is named in its place."""
        if self._own_folder:
            return
        with suppress(_Unusable):
            import keyring

            backend = _asked(keyring.get_keyring)
            if _asked(lambda: backend.priority) >= _SAFEST:
                yield backend


class _Unusable(Exception):
    """There is no keyring, or it is locked, or it does not answer."""


def _asked(question: Any, *arguments: str) -> Any:
    """What a keyring answers. Each system's own has faults of its own kinds; whatever it is, there is the file."""
    try:
        return question(*arguments)
    except Exception as fault:
        raise _Unusable from fault


def _folder(environment: Mapping[str, str]) -> str | None:
    """The user's own settings folder; None without one: Python then gives ``~`` back as it is, a relative path."""
    if os.name == "nt":
        choices = (environment.get("APPDATA", ""), os.path.expanduser("~\\AppData\\Roaming"))
    else:
        choices = (environment.get("XDG_CONFIG_HOME", ""), os.path.expanduser("~/.config"))
    settings = next(filter(os.path.isabs, choices), None)
    return settings and os.path.join(settings, "tokensync", "credentials")


def _private_content(path: str) -> bytes | None:
    """The bytes of a file that nobody but this user may read; None when there is none."""
    flags = (getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_BINARY", "O_NONBLOCK"))  # the last for a pipe's sake
    try:
        descriptor = os.open(path, sum(flags, os.O_RDONLY))
    except FileNotFoundError:
        return None
    except OSError as fault:
        raise UsageError(f"{path}: it cannot be read ({fault.strerror}); log out, and log in again") from None
    about = os.fstat(descriptor)
    if not stat.S_ISREG(about.st_mode):
        os.close(descriptor)
        raise UsageError(f"{path}: it is no file; remove it, and log in again with tokensync auth login")
    with os.fdopen(descriptor, "rb") as file:
        if os.name != "nt" and (about.st_uid != os.getuid() or stat.S_IMODE(about.st_mode) & 0o077):
            what = "others may read or write it, so its tokens may be known to them"
            raise UsageError(f"{path}: {what}; remove it, and log in again with tokensync auth login")
        return file.read()


def _read(content: bytes, where: str) -> Login:
    try:
        return msgspec.json.decode(content, type=Login)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise UsageError(f"{where}: it holds no login of ours; log out, and log in again") from None


def _remove(path: str) -> bool:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return False
    return True
