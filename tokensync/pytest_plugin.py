"""The pytest plugin: an emulator of the platform as a fixture. Nothing is imported before a test uses it."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from tokensync.emulator.spaces import Space
    from tokensync.testing import Platform

_MARKER = "tokensync_emulator"
_SWITCH = (bool, "True or False")
_OPTIONS: dict[str, tuple[type | tuple[type, ...], str]] = {
    "faults": ((dict, list), "a list of rules, such as [{'nth': 1, 'status': 503}]"),
    "now": ((int, float), "a time in Unix seconds, such as 1_800_000_000"),
    "rate_limits": _SWITCH,
    "state": ((str, os.PathLike), "the path of a file"),
    "strict": _SWITCH,
    "tls": _SWITCH,
}
"""The options of the marker: their types, and what to write."""
_OF_A_SERVER = ("state", "tls")
_MOST_SHOWN = 20
_PLATFORMS = pytest.StashKey[list["Platform"]]()
_BEFORE = pytest.StashKey[dict["Space", int]]()
"""The last request before a test to each platform that is older than it."""


@pytest.fixture(scope="session")
def _tokensync_server() -> Iterator[Platform]:
    from tokensync.testing import running

    with running() as platform:
        yield platform


@contextmanager
def _alone(config: pytest.Config, opened: AbstractContextManager[Platform]) -> Iterator[Platform]:
    """Open a platform while no test can reach the real service."""
    from tokensync.testing import refusing_the_service

    with refusing_the_service(), opened as platform:
        config.stash[_PLATFORMS].append(platform)
        try:
            yield platform
        finally:
            config.stash[_PLATFORMS].remove(platform)


@pytest.fixture(scope="session")
def tokensync_emulator_session(pytestconfig: pytest.Config, _tokensync_server: Platform) -> Iterator[Platform]:
    """An emulated platform for all tests of this process."""
    with _alone(pytestconfig, _tokensync_server.space()) as platform:
        yield platform


@pytest.fixture(scope="module")
def tokensync_emulator_module(pytestconfig: pytest.Config, _tokensync_server: Platform) -> Iterator[Platform]:
    """An emulated platform for the tests of a module."""
    with _alone(pytestconfig, _tokensync_server.space()) as platform:
        yield platform


@pytest.fixture
def tokensync_emulator(request: pytest.FixtureRequest) -> Iterator[Platform]:
    """An emulated platform for one test. ``@pytest.mark.tokensync_emulator(...)`` sets its options."""
    options: dict[str, Any] = {}
    for marker in reversed(list(request.node.iter_markers(_MARKER))):  # those of the module and the class first
        options |= marker.kwargs
    from tokensync.testing import running

    if any(options.get(name) for name in _OF_A_SERVER):
        opened = running(**options)
    else:
        own = {name: value for name, value in options.items() if name not in _OF_A_SERVER}
        opened = request.getfixturevalue("_tokensync_server").space(**own)
    with _alone(request.config, opened) as platform:
        yield platform


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.stash[_PLATFORMS] = []
    config.addinivalue_line("markers", f"{_MARKER}({', '.join(_OPTIONS)}): the options of the fixture {_MARKER}")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse a marker with an option that does not exist: it would be ignored, or fail far from its cause."""
    for item in items:
        for marker in item.iter_markers(_MARKER):
            if marker.args:
                raise pytest.UsageError(f"{item.nodeid}: {_MARKER} takes named options only: {', '.join(_OPTIONS)}")
            for name, value in marker.kwargs.items():
                if name not in _OPTIONS:
                    from tokensync.system.wording import suggestion

                    advice = suggestion(name, tuple(_OPTIONS))
                    raise pytest.UsageError(f"{item.nodeid}: {_MARKER} has no option {name}; {advice}")
                types, form = _OPTIONS[name]
                if value is not None and not isinstance(value, types):
                    raise pytest.UsageError(f"{item.nodeid}: {name} of {_MARKER} is {value!r}; write {form}")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Remember where the requests of this test begin."""
    item.stash[_BEFORE] = {
        platform.own: max((entry.number for entry in platform.requests), default=0)
        for platform in item.config.stash[_PLATFORMS]
    }


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show the last requests that the emulators of a failed test received."""
    report = yield
    if report.failed:
        before, lines = item.stash.get(_BEFORE, {}), list[str]()
        for platform in item.config.stash[_PLATFORMS]:
            requests = platform.own.journal.entries(since=before.get(platform.own, 0))
            lines += [str(entry) for entry in requests[-_MOST_SHOWN:]]
        if lines or any(name.startswith(_MARKER) for name in getattr(item, "fixturenames", ())):
            report.sections.append((f"the last requests of {_MARKER}", "\n".join(lines) or "none"))
    return report
