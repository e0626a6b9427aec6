"""Connections of a project: to the platform with a token or stored login, or to one that runs in this process."""

from __future__ import annotations

import os
import time
from contextlib import closing, contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Protocol, cast

from tokensync.system import plugins, stat_manifest
from tokensync.system.disk import create_file, is_writable, open_file, shown_path, sync_folder, temporary_folder
from tokensync.system.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

    from tokensync.extract.client import BaseUrl, Client, Credential, FileReference, Wait
    from tokensync.extract.client.credentials import CredentialStore, Login
    from tokensync.project.configuration import Project


EMULATOR = "emulator:"
SNAPSHOT = "snapshot:"
"""The scheme of saved responses: a file or a folder instead of the platform."""
BRIDGE = "bridge:"
"""The scheme of a plugin in the editor."""
STATE_FOLDER = stat_manifest.FOLDER
_SEARCHED_BY_POST = "/v1/developer_logs"
"""The path of the only request that changes nothing, and is not a GET."""


STYLES_WANTED = "tokensync.styles"
"""The member of a request's environment with the keys of the files whose styles are wanted, for a connection that can
write them."""


class Platform(Protocol):
    """A platform in this process: a WSGI application that answers requests to a scheme of ``base_url``.

    A plug-in of ``tokensync.connections`` is a function that returns one for the address after the scheme and the path
    of a file for its state, or None for a state in memory.
    """

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request (PEP 3333)."""

    def token_for(self, plan_scope: str | None) -> str:
        """Return an access token, or a plan access token with a scope."""

    def close(self) -> None:
        """Close the state."""


class Emulated(Platform, Protocol):
    """The emulator, for what people do in the design tool: it has no request."""

    def seed(self, file_key: str, local: bytes, published: bytes | None = None, name: str | None = None) -> None:
        """Replace the variables of a file with those of saved responses."""

    def deliver_due(self) -> int:
        """Send the events that are due, and return their number."""


def project_for(config: str | None, base_url: str | None) -> Project:
    """Return the project with ``base_url`` replaced; without a configuration, the working folder with the defaults.

    Raises UsageError for a platform in this process without a project, since its state is stored there.
    """
    from tokensync.extract.client.addresses import resolve
    from tokensync.project.configuration import BASE_URL_VARIABLE, FILE_NAME, NoConfiguration, Project, load_project
    from tokensync.settings import Config

    try:
        project = load_project(config, checks_paths=False)
    except NoConfiguration:
        address = base_url or os.environ.get(BASE_URL_VARIABLE) or Config().base_url
        if resolve(address).in_process:
            raise
        project = Project(os.getcwd(), FILE_NAME, Config(base_url=address))
    if base_url:
        project = with_base_url(project, base_url)
    server_of(project)
    return project


def with_base_url(project: Project, base_url: str) -> Project:
    """Return the project with the ``base_url`` that a user has typed."""
    from msgspec.structs import replace

    return replace(project, config=replace(project.config, base_url=base_url), base_url_in_file=False)


def server_of(project: Project) -> BaseUrl:
    """Return the project's server. Raises UsageError, with its place in the configuration, for an invalid address."""
    from tokensync.extract.client.addresses import resolve
    from tokensync.project.configuration import locator

    try:
        return resolve(project.config.base_url)
    except UsageError:
        where = locator(project.text, project.source)(("base_url",)) if project.base_url_in_file else "base_url"
        return resolve(project.config.base_url, where)


def writes_motion(project: Project) -> bool:
    """Return whether plans can write motion variables: the REST API cannot, the plugin and its scripts can."""
    return f"{server_of(project).scheme}:" in (BRIDGE, SNAPSHOT)


def refuse_foreign_server(project: Project, secret: str, consent: str) -> None:
    """Raise UsageError if the configuration names a server that is neither Figma's nor on this machine.

    Anyone who opens a pull request writes the configuration, so it cannot choose who receives a secret. ``secret`` and
    ``consent``, which has a ``{url}``, are the words for what would be sent and for how the user permits it.
    """
    from tokensync.extract.client.addresses import NAMED
    from tokensync.project.configuration import locator

    if not project.base_url_in_file or project.config.base_url in (EMULATOR, *NAMED):
        return
    server = server_of(project)
    if server.is_foreign:
        where = locator(project.text, project.source)(("base_url",))
        what = f"{server.url} is neither Figma nor this machine, and {secret} is not sent to a server that only"
        raise UsageError(f"{where}: {what} the configuration names; if you trust it, {consent.format(url=server.url)}")


@contextmanager
def connect(
    project: Project, *, on_wait: Callable[[str], None] = lambda text: None, plan_scope: str | None = None
) -> Iterator[Client]:
    """Yield a client for the project's ``base_url``; call ``on_wait`` with a message before each retry.

    A token in the environment takes precedence over a stored login. For the embedded emulator, the client has a
    personal token, or a plan access token with ``plan_scope``. Raises UsageError for an invalid address, without a
    token, and for a server that may not receive the token. Users permit a server by a login that they stored for it.
    """
    from tokensync.extract.client import Client, Credential, RetryPolicy, from_environment, required_from_environment
    from tokensync.extract.client.credentials import CredentialStore
    from tokensync.project.configuration import BASE_URL_VARIABLE

    config = project.config
    server = server_of(project)

    def client(
        credential: Credential, application: WSGIApplication | None = None, renewal: Renewal | None = None
    ) -> Client:
        return Client(
            config.base_url,
            credential,
            wsgi=application,
            connect_timeout=config.client.connect_timeout,
            read_timeout=config.client.read_timeout,
            retry=RetryPolicy(attempts=config.client.attempts, longest_retry_after=config.client.longest_wait),
            on_wait=lambda wait: on_wait(_wait_text(wait)) if wait.seconds >= _NOTICED else None,
            renew=renewal,
        )

    if server.in_process:
        server = _with_path(project, server)
        state = state_file(server.scheme)
        is_writable = has_writable_state(project, state)
        with _opened(project, server) if is_writable else _copied(project, server) as platform:
            credential = Credential("personal", platform.token_for(plan_scope), f"the token of {server.label}")
            application = (
                partial(_answer, server.scheme, platform, _with_styles(project))
                if is_writable
                else _for_reads(platform, project, state)
            )
            with client(credential, application) as connected:
                yield connected
        return
    renewal = None
    stored = from_environment(os.environ)
    if stored is not None:
        refuse_foreign_server(project, stored.source, f"set {BASE_URL_VARIABLE}={{url}}")
    else:
        renewal = Renewal(CredentialStore(os.environ), server.label, client)
        stored = renewal.first()
    if stored is None:
        refuse_foreign_server(project, "a token", "run tokensync auth login --base-url {url}")
        stored = required_from_environment(os.environ)
    with client(stored, renewal=renewal) as connected:
        yield connected


def _with_path(project: Project, server: BaseUrl) -> BaseUrl:
    """Return the server with the absolute path of saved responses; any other server is as it was.

    Raises UsageError for a path out of bounds that only the configuration names: a stranger may have written it.
    """
    from tokensync.project.configuration import locator

    if f"{server.scheme}:" != SNAPSHOT:
        return server
    path = project.path(server.address)
    if project.base_url_in_file and (flaw := project.boundary._replace(tokens=()).flaw(path)):
        where = locator(project.text, project.source)(("base_url",))
        raise UsageError(f"{where}: {server.address!r:.200}: {flaw.what}; {flaw.what_to_do}")
    return server._replace(address=path)


def state_file(scheme: str) -> str:
    """Return the name of the file in ``.tokensync/`` with the state of a platform in this process."""
    return f"{scheme}.sqlite"


@contextmanager
def _opened(project: Project, server: BaseUrl) -> Iterator[Platform]:
    state = os.path.join(state_folder(project), state_file(server.scheme))
    with closing(_platform(server, state)) as platform:
        yield platform


def _answer(
    scheme: str, platform: Platform, styles: frozenset[str], environ: WSGIEnvironment, start_response: StartResponse
) -> Iterable[bytes]:
    with plugins.answering("connections", scheme):
        return platform({**environ, STYLES_WANTED: styles}, start_response)


def _with_styles(project: Project) -> frozenset[str]:
    """Return the keys of the files whose styles the configuration wants."""
    from tokensync.extract.client import parse_file

    files = (file for file in project.config.files if file.styles)
    wanted = [parse_file(file.key, f"{project.source} (file {file.name})") for file in files]
    return frozenset(key for reference in wanted for key in (reference.main_key, reference.working_key))


def _platform(server: BaseUrl, state: str) -> Platform:
    with plugins.answering("connections", server.scheme):
        platform: Platform = plugins.load("connections", server.scheme)(server.address, state)
        return platform


@contextmanager
def embedded_emulator(project: Project) -> Iterator[Emulated]:
    """Yield the project's emulator, which stores its state in ``.tokensync/``."""
    from tokensync.extract.client.addresses import resolve

    with _opened(project, resolve(EMULATOR)) as platform:
        yield cast("Emulated", platform)


def has_writable_state(project: Project, name: str) -> bool:
    """Return whether a file of local state can be written, or created: a checkout may be read-only."""
    state = state_path(project, name)
    folder = os.path.dirname(state)
    if not os.path.isdir(folder):
        return is_writable(project.folder)
    return is_writable(folder) and (is_writable(state) or not os.path.exists(state))


@contextmanager
def _copied(project: Project, server: BaseUrl) -> Iterator[Platform]:
    """Yield a platform on a copy of a state that cannot be written; an empty one without a state."""
    state = state_file(server.scheme)
    with temporary_folder() as folder:
        copied = os.path.join(folder, state)
        for suffix in ("", "-wal"):  # the log has what is not in the file yet
            with suppress(FileNotFoundError), open_file(state_path(project, state + suffix)) as file:
                create_file(copied + suffix, file.read(), private=True)
        with closing(_platform(server, copied)) as platform:
            yield platform


def _for_reads(platform: Platform, project: Project, name: str) -> WSGIApplication:
    """Return an application that only answers requests without changes: those of a copy would be lost."""

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if environ["REQUEST_METHOD"] != "GET" and not environ["PATH_INFO"].endswith(_SEARCHED_BY_POST):
            state = shown_path(state_path(project, name))
            raise UsageError(f"{state}: it cannot be written, so nothing can change; make the folder writable")
        return platform(environ, start_response)

    return answer


def state_folder(project: Project) -> str:
    """Return the folder of local state, ``.tokensync/``; create it if necessary, ignored by git."""
    folder = state_path(project)
    ignoring = os.path.join(folder, stat_manifest.IGNORE)
    if not os.path.exists(ignoring):
        create_file(ignoring, stat_manifest.IGNORE_ALL, whole=True)
        sync_folder(os.path.dirname(folder))
    return folder


def state_path(project: Project, *parts: str) -> str:
    """Return the path of ``.tokensync/``, or of a file in it.

    Raises UsageError for a folder that may come with a checkout: one that git tracks, whose plans somebody else may
    have written, or one with links, which would redirect writes.
    """
    from tokensync.system.git import tracks

    folder = project.path(STATE_FOLDER)
    _refuse_link(folder)
    if tracks(project.folder, STATE_FOLDER):
        shown = shown_path(folder)
        what = "git tracks this folder, so others may have written its plans and receipts"
        raise UsageError(f"{shown}: {what}; run git rm -r --cached {shown}, and delete the files that are not your own")
    for parent, folders, names in os.walk(folder):
        for name in folders + names:
            _refuse_link(os.path.join(parent, name))
    return os.path.join(folder, *parts)


def _refuse_link(path: str) -> None:
    if os.path.islink(path):
        raise UsageError(f"{shown_path(path)}: this is a link, which could redirect writes; remove it")


_NOTICED = 1.0
"""The shortest wait, in seconds, that is reported. If all attempts fail, the error gives their number."""


def _wait_text(wait: Wait) -> str:
    if wait.attempt == 1:
        return f"{wait.reason}; continuing in {wait.seconds:.0f} s"
    return f"{wait.reason}; trying again in {wait.seconds:.0f} s ({wait.attempt} of {wait.attempts})"


_EARLY_SECONDS = 60.0
"""Tokens that expire sooner are renewed before use."""


class Renewal:
    """The renewal of the stored access token of a platform (``label``).

    ``app_client`` returns a client that authenticates as the OAuth app of a login, for requesting a refresh.
    """

    def __init__(
        self,
        store: CredentialStore,
        label: str,
        app_client: Callable[[Credential], Client],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._store = store
        self._label = label
        self._app_client = app_client
        self._clock = clock

    def __call__(self, refused: Credential) -> Credential | None:
        """Return a token of a concurrent run or a refreshed one; None if neither is possible. Raises PlatformError."""
        stored = self._store.find(self._label)
        if stored is None:
            return None
        if stored.login.token != refused.secret:
            return stored.login.credential
        return self._refreshed(stored.login) if stored.login.renewable else None

    def first(self) -> Credential | None:
        """Return the stored token, renewed if it has expired or is about to; None if no token is stored."""
        stored = self._store.find(self._label)
        if stored is None:
            return None
        login = stored.login
        if login.renewable and login.expires is not None and login.expires - _EARLY_SECONDS <= self._clock():
            return self._refreshed(login)
        return login.credential

    def _refreshed(self, login: Login) -> Credential:
        import msgspec

        requested_at = self._clock()
        with self._app_client(app_credential(login.client_secret, login.refresh_token)) as client:
            grant = client.oauth.refresh(login.client_id, login.client_secret, login.refresh_token)
        renewed = msgspec.structs.replace(
            login,
            token=grant.access_token,
            expires=requested_at + grant.expires_in,
            refresh_token=grant.refresh_token or login.refresh_token,
        )
        self._store.save(self._label, renewed)
        return renewed.credential


def app_credential(client_secret: str, *others: str) -> Credential:
    """Return an OAuth app's secret as a credential, so that all messages hide it and ``others``."""
    from tokensync.extract.client import Credential

    return Credential("oauth", client_secret, "the client secret of the OAuth app", others)


def configured(project: Project) -> dict[str, FileReference]:
    """Return the configured design files by name. Raises UsageError for an invalid key."""
    from tokensync.extract.client import parse_file

    return {file.name: parse_file(file.key, f"files.{file.name}.key") for file in project.config.files}


def file_reference(project: Project, name: str, where: str) -> FileReference:
    """Return a design file by configured name, key or URL. Raises UsageError, located at ``where``, for others."""
    from tokensync.extract.client import parse_file

    return configured(project).get(name) or parse_file(name, where)


def names_by_key(project: Project) -> dict[str, str]:
    """Return the names of configured design files by the keys of main files and branches."""
    names: dict[str, str] = {}
    for name, reference in configured(project).items():
        names |= {reference.main_key: name, reference.working_key: name}
    return names
