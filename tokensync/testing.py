"""Test your own scripts against an emulator of the platform over HTTP.

Add ``pytest_plugins = ["tokensync.testing"]`` to conftest.py for the fixture ``tokensync_emulator``, or use the context
manager ``running``. docs/testing.md shows both.
"""

from __future__ import annotations

import json
import os
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from tokensync.emulator import Emulator
from tokensync.system.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tokensync.emulator.faults import Script

Response = bytes | str | os.PathLike[str] | dict[str, Any]
"""A saved response: its bytes, its path, or the decoded document."""

_MARKER = "tokensync_emulator"


class Platform(NamedTuple):
    """An emulated platform at ``base_url``. ``token`` has all scopes.

    ``emulator`` controls its state: ``tokens``, ``files``, ``people``, ``clock`` and so on. ``certificate`` is the PEM
    file to trust for HTTPS, else None.
    """

    base_url: str
    token: str
    emulator: Emulator
    certificate: str | None

    def seed(self, file_key: str, local: Response, published: Response | None = None) -> None:
        """Fill a file with the variables in saved responses of the two GET endpoints."""
        self.emulator.seed(file_key, _bytes(local), None if published is None else _bytes(published))

    @property
    def environment(self) -> dict[str, str]:
        """Return the environment variables with which tokensync uses this platform."""
        trust = {} if self.certificate is None else {"REQUESTS_CA_BUNDLE": self.certificate}
        return {"TOKENSYNC_BASE_URL": self.base_url, "FIGMA_ACCESS_TOKEN": self.token, **trust}


@contextmanager
def running(
    *,
    state: str | None = None,
    tls: bool = False,
    rate_limits: bool = False,
    faults: Mapping[str, Any] | list[Any] | None = None,
    now: float | None = None,
) -> Iterator[Platform]:
    """Run a new platform with one user and one team on a free port of this machine.

    ``state`` is a file for its state; the default is memory. ``rate_limits`` enforces the platform's limits. ``faults``
    is a decoded script as for ``serve --faults``. ``now`` stops the clock at a time in Unix seconds, until
    ``emulator.clock`` changes. Raises UsageError for an invalid script.
    """
    from tokensync.emulator.server import Server

    clock = {} if now is None else {"clock": lambda: now}
    script = None if faults is None else _script(faults)
    with closing(Emulator(state, rate_limits=rate_limits, **clock)) as emulator:  # type: ignore[arg-type]
        application: Any = emulator
        if script is not None:
            from tokensync.emulator.faults import Faults

            application = Faults(emulator, script)
        with Server(application, tls=tls) as server, emulator.delivering():
            yield Platform(server.base_url, emulator.default_token, emulator, server.certificate)


@pytest.fixture
def tokensync_emulator(request: pytest.FixtureRequest) -> Iterator[Platform]:
    """Run a platform for this test. ``@pytest.mark.tokensync_emulator(...)`` sets the arguments of ``running``."""
    marker = request.node.get_closest_marker(_MARKER)
    with running(**({} if marker is None else marker.kwargs)) as platform:
        yield platform


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line(
        "markers", f"{_MARKER}(state, tls, rate_limits, faults, now): how the tokensync_emulator fixture is served"
    )


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


def _script(faults: Mapping[str, Any] | list[Any]) -> Script:
    from tokensync.emulator.faults import read

    return read(json.dumps(faults if isinstance(faults, list) else dict(faults)), "faults")
