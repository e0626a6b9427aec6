"""Test your own scripts against an emulator of the platform over HTTP.

In pytest, the fixture ``tokensync_emulator`` is there as soon as tokensync is installed (``tokensync.pytest_plugin``);
elsewhere, use the context manager ``running``. docs/testing.md shows both.
"""

from __future__ import annotations

import json
import os
import socket
from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from tokensync.emulator import Emulator
from tokensync.system.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tokensync.emulator.faults import Script
    from tokensync.emulator.spaces import Entry, Space, Spaces

Response = bytes | str | os.PathLike[str] | dict[str, Any]
"""A saved response: its bytes, its path, or the decoded document."""


class Platform(NamedTuple):
    """An emulated platform at ``base_url``. ``token`` has all scopes.

    ``emulator`` controls its state: ``tokens``, ``files``, ``people``, ``clock`` and so on. ``certificate`` is the PEM
    file to trust for HTTPS, else None. ``own`` is its space, and ``spaces`` has all those of its server.
    """

    base_url: str
    token: str
    emulator: Emulator
    certificate: str | None
    spaces: Spaces
    own: Space

    def seed(self, file_key: str, local: Response, published: Response | None = None) -> None:
        """Fill a file with the variables in saved responses of the two GET endpoints."""
        self.emulator.seed(file_key, _bytes(local), None if published is None else _bytes(published))

    @property
    def requests(self) -> Sequence[Entry]:
        """Return the last thousand requests, the oldest first."""
        return self.own.journal.entries()

    def reset(self) -> None:
        """Go back to the start: no files, no faults, and no requests. The token stays valid."""
        self.own.reset()

    @contextmanager
    def space(
        self,
        *,
        rate_limits: bool = False,
        faults: Mapping[str, Any] | list[Any] | None = None,
        now: float | None = None,
        strict: bool = False,
    ) -> Iterator[Platform]:
        """Run an empty platform of its own beside this one, in the same server; the arguments are as of ``running``."""
        space = self.spaces.create(rate_limits=rate_limits, strict=strict, script=_script(faults), now=now)
        try:
            base_url, emulator = self.spaces.address_of(space, self.base_url), space.emulator
            yield self._replace(base_url=base_url, token=emulator.default_token, emulator=emulator, own=space)
        finally:
            with suppress(UsageError):  # the test has removed it over HTTP
                self.spaces.drop(space.name)

    @property
    def environment(self) -> dict[str, str]:
        """Return the environment variables with which tokensync uses this platform, past any proxy."""
        trust = {} if self.certificate is None else {"REQUESTS_CA_BUNDLE": self.certificate}
        direct = dict.fromkeys(("NO_PROXY", "no_proxy"), "127.0.0.1,localhost,::1")
        return {"TOKENSYNC_BASE_URL": self.base_url, "FIGMA_ACCESS_TOKEN": self.token, **direct, **trust}


@contextmanager
def running(
    *,
    state: str | None = None,
    tls: bool = False,
    rate_limits: bool = False,
    faults: Mapping[str, Any] | list[Any] | None = None,
    now: float | None = None,
    strict: bool = False,
) -> Iterator[Platform]:
    """Run a new platform with one user and one team on a free port of this machine.

    ``state`` is a file for its state; the default is memory. ``rate_limits`` enforces the platform's limits. ``faults``
    is a decoded script as for ``serve --faults``. ``now`` stops the clock at a time in Unix seconds, until
    ``emulator.clock`` changes. ``strict`` refuses what the emulator does not know in a request. Raises UsageError for
    an invalid script.
    """
    from tokensync.emulator.cli.operations import operate
    from tokensync.emulator.server import Server
    from tokensync.emulator.spaces import Space, Spaces

    script = _script(faults)
    with closing(Emulator(state, rate_limits=rate_limits)) as emulator:
        if now is not None:
            emulator.clock.stop(now)
        space = Space(emulator, script, strict=strict, resets=state is None)
        with closing(Spaces(space, operate)) as spaces, Server(spaces, tls=tls) as server, spaces.serving():
            yield Platform(server.base_url, emulator.default_token, emulator, server.certificate, spaces, space)


SERVICE_DOMAINS = ("figma.com", "figma-gov.com")
_look_ups: list[Callable[..., Any]] = []
"""What looked names up before, once for each use of ``refusing_the_service``."""


@contextmanager
def refusing_the_service() -> Iterator[None]:
    """Refuse to look up the platform's own names in this process, so that no test reaches the real service.

    Fixtures of several scopes do not end in the opposite order in which they began: the last one to end restores it.
    """
    _look_ups.append(_look_ups[0] if _look_ups else socket.getaddrinfo)
    socket.getaddrinfo = _guarded
    try:
        yield
    finally:
        if len(_look_ups) == 1:
            socket.getaddrinfo = _look_ups[0]
        _look_ups.pop()


def _guarded(host: Any, *arguments: Any, **options: Any) -> Any:
    name = host.decode("ascii", "replace") if isinstance(host, bytes) else str(host or "")
    if f".{name.lower().rstrip('.')}".endswith(tuple(f".{domain}" for domain in SERVICE_DOMAINS)):
        raise ConnectionRefusedError(f"{name}: a test must not reach the real service; use the emulator's base_url")
    look_up = (*_look_ups, socket.getaddrinfo)[0]  # none is left for a thread that outlives its test
    return look_up(host, *arguments, **options)


def _bytes(response: Response) -> bytes:
    match response:
        case bytes():
            return response
        case dict():
            return json.dumps(response).encode()
        case _:
            try:
                with open(response, "rb") as file:
                    return file.read()
            except OSError as error:
                raise UsageError(
                    f"{os.fspath(response)}: not readable ({error.strerror}); give a saved response"
                ) from None


def _script(faults: Mapping[str, Any] | list[Any] | None) -> Script | None:
    from tokensync.emulator.faults import script_of

    return None if faults is None else script_of(faults if isinstance(faults, list) else dict(faults), "faults")
