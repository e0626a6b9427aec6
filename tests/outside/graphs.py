"""The graphs whose outputs outside checkers read: every real response, the quickstart, and a large generated one.

The fixture ``subject`` is each of them in turn; a test that takes it runs once a graph.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import cache, cached_property
from pathlib import Path

import pytest
from corpus.building import CORPUS, NO_CORPUS, ROOT, published_of
from msgspec import Struct

from tokensync.generate.output import Resolution
from tokensync.tokens import Resolved, Theme, TokenGraph, TokenKey

QUICKSTART = ROOT / "examples" / "quickstart"


class Subject:
    """A graph under the name that the table of counts has for it."""

    def __init__(self, name: str, graph: TokenGraph) -> None:
        self.name = name
        self.graph = graph
        self._resolvers: dict[frozenset, Callable[[TokenKey], Resolved]] = {}

    def __repr__(self) -> str:
        return self.name

    @cached_property
    def resolution(self) -> Resolution:
        """What all outputs of the graph have in common."""
        from tokensync.generate.output import Resolution

        return Resolution(self.graph)

    def resolver(self, theme: Theme) -> Callable[[TokenKey], Resolved]:
        """The graph's own resolver for a theme; all tests of the graph ask the same one."""
        modes = frozenset(theme.modes)
        if modes not in self._resolvers:
            self._resolvers[modes] = self.graph.resolver(theme)
        return self._resolvers[modes]

    def files(self, platform: str, options: Struct | None = None) -> dict[str, bytes]:
        """The files of an output by their paths, built with no configuration but these options."""
        from tokensync.generate.target import OutputRequest
        from tokensync.generate.targets import generate

        request = OutputRequest(platform=platform, options=options)
        outputs, _ = generate(self.graph, request, self.resolution)
        return {each.path: each.content for each in outputs}

    def write(self, platform: str, folder: Path, options: Struct | None = None) -> Path:
        """The same files under a folder."""
        for name, content in self.files(platform, options).items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return folder


@cache
def subject_of(name: str) -> Subject:
    """Return one of the graphs, which is built once per process."""
    if name == "generated":
        from outside.generated import generated

        return Subject(name, generated())
    from tokensync.project.sources import from_snapshot

    if name == "quickstart":
        path, published = QUICKSTART / "design.local.json", QUICKSTART / "design.published.json"
    else:
        path = response_of(name)
        if path is None:
            pytest.skip(NO_CORPUS)
        published = published_of(path)
    return Subject(name, from_snapshot(str(path), str(published) if published else None).graph)


def response_of(name: str) -> Path | None:
    """The saved response whose file name begins so."""
    return next(iter(sorted(CORPUS.glob(f"{name}*local*.json"))), None)


def pytest_generate_tests(metafunc):
    if "subject" in metafunc.fixturenames:
        from outside.counts import COLUMNS

        metafunc.parametrize("subject", COLUMNS, indirect=True)


@pytest.fixture
def subject(request):
    return subject_of(request.param)


def subjects_of(request):
    """The graphs of the tests of a module that are run, those that are absent omitted: for what reads all at once."""
    tests = [each for each in request.session.items if each.path == request.path and "subject" in each.fixturenames]
    for name in sorted({each.callspec.params["subject"] for each in tests}):
        with suppress(pytest.skip.Exception):
            yield subject_of(name)
