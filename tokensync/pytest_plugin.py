"""The pytest plugin: an emulator of the platform as a fixture. Nothing is imported before a test uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from tokensync.testing import Platform

_MARKER = "tokensync_emulator"
_OPTIONS = ("faults", "now", "rate_limits", "state", "strict", "tls")
_OF_A_SERVER = ("state", "tls")
_MOST_SHOWN = 20
_PLATFORM = pytest.StashKey["Platform"]()


@pytest.fixture(scope="session")
def _tokensync_server() -> Iterator[Platform]:
    from tokensync.testing import running

    with running() as platform:
        yield platform


def _alone(server: Platform) -> Iterator[Platform]:
    """Yield a platform of its own while no test can reach the real service."""
    from tokensync.testing import refusing_the_service

    with refusing_the_service(), server.space() as platform:
        yield platform


@pytest.fixture(scope="session")
def tokensync_emulator_session(_tokensync_server: Platform) -> Iterator[Platform]:
    """An emulated platform for all tests of this process."""
    yield from _alone(_tokensync_server)


@pytest.fixture(scope="module")
def tokensync_emulator_module(_tokensync_server: Platform) -> Iterator[Platform]:
    """An emulated platform for the tests of a module."""
    yield from _alone(_tokensync_server)


@pytest.fixture
def tokensync_emulator(request: pytest.FixtureRequest) -> Iterator[Platform]:
    """An emulated platform for one test. ``@pytest.mark.tokensync_emulator(...)`` sets its options."""
    options: dict[str, Any] = {}
    for marker in reversed(list(request.node.iter_markers(_MARKER))):  # those of the module and the class first
        options |= marker.kwargs
    from tokensync.testing import refusing_the_service, running

    if any(options.get(name) for name in _OF_A_SERVER):
        opened = running(**options)
    else:
        own = {name: value for name, value in options.items() if name not in _OF_A_SERVER}
        opened = request.getfixturevalue("_tokensync_server").space(**own)
    with refusing_the_service(), opened as platform:
        request.node.stash[_PLATFORM] = platform
        yield platform


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line("markers", f"{_MARKER}({', '.join(_OPTIONS)}): the options of the fixture {_MARKER}")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse a marker with an option that does not exist: it would be ignored, or fail far from its cause."""
    for item in items:
        for marker in item.iter_markers(_MARKER):
            if marker.args:
                raise pytest.UsageError(f"{item.nodeid}: {_MARKER} takes named options only: {', '.join(_OPTIONS)}")
            for name in marker.kwargs:
                if name not in _OPTIONS:
                    from tokensync.system.wording import suggestion

                    advice = suggestion(name, _OPTIONS)
                    raise pytest.UsageError(f"{item.nodeid}: {_MARKER} has no option {name}; {advice}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show the last requests that the emulator of a failed test received."""
    report = yield
    if report.failed and (platform := item.stash.get(_PLATFORM, None)):
        requests = platform.requests[-_MOST_SHOWN:]
        lines = [str(entry) for entry in requests] or ["none"]
        report.sections.append(("the last requests of tokensync_emulator", "\n".join(lines)))
    return report
