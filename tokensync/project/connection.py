"""The client of a project: a token of the environment or a stored login, or the embedded emulator in this process."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tokensync.disk import create_file, shown_path
from tokensync.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tokensync.client import Client, Credential, FileReference, Wait
    from tokensync.client.credentials import CredentialStore, Login
    from tokensync.emulator import Emulator
    from tokensync.project.configuration import Project


EMULATOR = "emulator:"
STATE_FOLDER = ".tokensync"
STATE_FILE = "emulator.sqlite"


def project_for(config: str | None, base_url: str | None) -> Project:
    """Return the project that is asked from; where there is none, the folder itself with the defaults.

    The embedded emulator keeps its state in a project, so without one it is a UsageError.
    """
    import msgspec

    from tokensync.project.configuration import FILE_NAME, Project, load_project
    from tokensync.settings import Config

    try:
        project = load_project(config, allow_outside=True)
    except UsageError:
        platform = base_url or os.environ.get("TOKENSYNC_BASE_URL") or Config().base_url
        if config is not None or platform == EMULATOR or os.environ.get("TOKENSYNC_CONFIG"):
            raise
        project = Project(os.getcwd(), FILE_NAME, Config(base_url=platform))
    if base_url:
        return msgspec.structs.replace(project, config=msgspec.structs.replace(project.config, base_url=base_url))
    return project


@contextmanager
def connect(
    project: Project, *, on_wait: Callable[[str], None] = lambda text: None, plan_scope: str | None = None
) -> Iterator[Client]:
    """A client for the project's ``base_url``; ``on_wait`` is called before each wait for a retry.

    A token of the environment wins over a stored login; to the embedded emulator it is a personal one, or with
    ``plan_scope`` a plan access token of that scope. Raises UsageError when the address cannot be used or there is
    no token.
    """
    from tokensync.client import Client, Credential, RetryPolicy, from_environment, required_from_environment

    config = project.config

    def client(credential: Credential, emulator: Emulator | None = None, renewal: Renewal | None = None) -> Client:
        return Client(
            config.base_url,
            credential,
            wsgi=emulator,
            connect_timeout=config.client.connect_timeout,
            read_timeout=config.client.read_timeout,
            retry=RetryPolicy(attempts=config.client.attempts, longest_retry_after=config.client.longest_wait),
            on_wait=lambda wait: on_wait(_wait_text(wait)),
            renew=renewal,
        )

    if config.base_url == EMULATOR:
        with embedded_emulator(project) as emulator:
            secret = emulator.default_token if plan_scope is None else _plan_token(emulator, plan_scope)
            credential = Credential("personal", secret, "the emulator's token")
            with client(credential, emulator) as connected:
                yield connected
        return
    renewal = None
    found = from_environment(os.environ)
    if found is None:
        renewal = stored_login(config.base_url, client)
        found = renewal.first() or required_from_environment(os.environ)
    with client(found, renewal=renewal) as connected:
        yield connected


def stored_login(base_url: str, client: Callable[[Credential], Client]) -> Renewal:
    """Return what ``tokensync auth login`` stored for a platform; ``client`` makes the client that a refresh is asked
    on.
    """
    from tokensync.client.base_url import resolve
    from tokensync.client.credentials import CredentialStore

    return Renewal(CredentialStore(os.environ), resolve(base_url).label, client)


def _plan_token(emulator: Emulator, scope: str) -> str:
    """Return a plan access token of the emulator's first user that has just this scope; the same one each time."""
    owner = emulator.tokens.of(emulator.default_token).user
    for each in emulator.tokens.all():
        if (each.kind, each.user, each.scopes) == ("plan", owner, (scope,)) and each.expires > emulator.clock():
            return each.secret
    return emulator.tokens.create(kind="plan", scopes=(scope,), user=owner, name="tokensync")


@contextmanager
def embedded_emulator(project: Project) -> Iterator[Emulator]:
    """The project's own emulator, with its state in ``.tokensync/``, which git is told to leave out."""
    from tokensync.emulator import Emulator

    emulator = Emulator(os.path.join(state_folder(project), STATE_FILE))
    try:
        yield emulator
    finally:
        emulator.close()


def state_folder(project: Project) -> str:
    """Return the folder for what is this machine's alone, made when it is not there; git is told to ignore it."""
    folder = state_path(project)
    if not os.path.isdir(folder):
        os.makedirs(folder)
        create_file(os.path.join(folder, ".gitignore"), b"*\n")
    return folder


def state_path(project: Project, *parts: str) -> str:
    """Return the path of ``.tokensync/``, or of something in it.

    Raises UsageError for links there: a checkout can bring them, and state would be written through them.
    """
    folder = project.path(STATE_FOLDER)
    _refuse_link(folder)
    for parent, folders, names in os.walk(folder):
        for name in folders + names:
            _refuse_link(os.path.join(parent, name))
    return os.path.join(folder, *parts)


def _refuse_link(path: str) -> None:
    if os.path.islink(path):
        raise UsageError(f"{shown_path(path)}: this is a link, and nothing is written through links; remove it")


def _wait_text(wait: Wait) -> str:
    return f"{wait.reason}; trying again in {wait.seconds:.0f} s ({wait.attempt} of {wait.attempts})"


_EARLY_SECONDS = 60.0
"""A token that expires this soon is renewed before it is used."""


class Renewal:
    """Finds another access token for a platform when one is refused: the one that another run got, or a refreshed one.

    ``app_client`` makes the client on which the OAuth app of a login shows its secret.
    """

    def __init__(
        self,
        store: CredentialStore,
        place: str,
        app_client: Callable[[Credential], Client],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._store = store
        self._place = place
        self._app_client = app_client
        self._clock = clock

    def __call__(self, refused: Credential) -> Credential | None:
        """Another token than the refused one; None when there is none. A refresh that is refused is a PlatformError."""
        found = self._store.find(self._place)
        if found is None:
            return None
        if found.login.token != refused.secret:
            return found.login.credential
        return self._refreshed(found.login) if found.login.renewable else None

    def first(self) -> Credential | None:
        """Return the stored token to begin with, renewed when it has expired or is about to; None when none is
        stored.
        """
        found = self._store.find(self._place)
        if found is None:
            return None
        login = found.login
        if login.renewable and login.expires is not None and login.expires - _EARLY_SECONDS <= self._clock():
            return self._refreshed(login)
        return login.credential

    def _refreshed(self, login: Login) -> Credential:
        import msgspec

        asked_at = self._clock()
        with self._app_client(app_credential(login.client_secret, login.refresh_token)) as client:
            grant = client.oauth.refresh(login.client_id, login.client_secret, login.refresh_token)
        renewed = msgspec.structs.replace(
            login,
            token=grant.access_token,
            expires=asked_at + grant.expires_in,
            refresh_token=grant.refresh_token or login.refresh_token,
        )
        self._store.save(self._place, renewed)
        return renewed.credential


def app_credential(client_secret: str, *others: str) -> Credential:
    """Return an OAuth app's secret as the credential of a client, so that it and the others are hidden in all
    messages.
    """
    from tokensync.client import Credential

    return Credential("oauth", client_secret, "the client secret of the OAuth app", others)


def configured(project: Project) -> dict[str, FileReference]:
    """Return the files of the configuration by their names. A key that is none is a UsageError that says whose
    it is.
    """
    from tokensync.client import parse_file

    return {each.name: parse_file(each.key, f"files.{each.name}.key") for each in project.config.files}


def meant(project: Project, given: str, where: str) -> FileReference:
    """Return the file that somebody gave as a configured name, a key or a URL; what is none of them is a UsageError."""
    from tokensync.client import parse_file

    return configured(project).get(given) or parse_file(given, where)


def names_by_key(project: Project) -> dict[str, str]:
    """Return the configured names by key, of main files and of branches."""
    found: dict[str, str] = {}
    for name, reference in configured(project).items():
        found |= {reference.main_key: name, reference.working_key: name}
    return found
