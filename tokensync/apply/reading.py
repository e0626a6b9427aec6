"""Read a file of the platform, and send the request that changes it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import msgspec

from tokensync.plan.refs import GraphState, refs_of, state_of
from tokensync.system.errors import DECODE_ERRORS
from tokensync.tokens import TokenGraph

if TYPE_CHECKING:
    from tokensync.extract.client import FileReference
    from tokensync.extract.wire import Snapshot
    from tokensync.plan.state import FileState


class Variables(Protocol):
    """The methods of a client's ``variables`` that an apply uses."""

    def local(self, file: FileReference | str) -> bytes:
        """Return the JSON of the local variables."""

    def post(self, file: FileReference | str, body: bytes) -> bytes:
        """Send a batch once and return the response."""


class Reading:
    """The local variables of a file at one moment. ``raw`` is the response.

    ``earlier`` is the previous reading. Both share the tokens and variables that did not change, which makes comparing
    them cheap and saves memory.
    """

    def __init__(self, file: str, raw: bytes, earlier: Reading | None = None) -> None:
        self.file = file
        self.raw = raw
        self._earlier = earlier

    def without_earlier(self) -> Reading:
        """Drop the reference to the previous reading, and return self."""
        self._earlier = None
        return self

    @property
    def snapshot(self) -> Snapshot:
        """Return the response as typed data. Raises ProblemsError for an invalid one.

        It is not cached, because it takes more memory than the graph and is seldom needed again.
        """
        from tokensync.extract.wire import snapshot

        return snapshot(self.file, self.raw)

    @cached_property
    def graph(self) -> TokenGraph:
        """Return the complete graph, without the configuration's exclusions: a plan may affect any object."""
        from tokensync.normalize.graph import normalize

        graph, _ = normalize(self.snapshot)
        return graph if self._earlier is None else _sharing(graph, self._earlier.graph)

    @cached_property
    def state(self) -> FileState:
        """Return the file's state, with the platform's ids as refs."""
        earlier = self._earlier
        if earlier is None:
            return state_of(self.graph)
        return state_of(self.graph, similar=GraphState(earlier.graph, refs_of(earlier.graph), earlier.state))

    @cached_property
    def fingerprint(self) -> str:
        """Return the SHA-256 of the canonical form of the local variables, which a plan is bound to."""
        from tokensync.extract.wire import fingerprint

        _ = self.graph  # raises for an invalid response, which has no fingerprint
        return fingerprint(self.file, self.raw)


def _sharing(graph: TokenGraph, earlier: TokenGraph) -> TokenGraph:
    """Return the graph with the equal tokens of an earlier one."""
    tokens = earlier.tokens
    return TokenGraph(
        graph.collections.values(),
        (
            other if (other := tokens.get(key)) is not None and other == token else token
            for key, token in graph.tokens.items()
        ),
    )


class Remote:
    """A file of the platform. ``file`` is its configured name."""

    def __init__(self, variables: Variables, file: str, reference: FileReference | str) -> None:
        self.file = file
        self._variables = variables
        self._reference = reference
        self._last: Reading | None = None

    def read(self) -> Reading:
        """Return its present content. Raises the client's errors."""
        raw = self._variables.local(self._reference)
        if self._last is None or self._last.raw != raw:
            earlier = None if self._last is None else self._last.without_earlier()
            self._last = Reading(self.file, raw, earlier)
        return self._last

    def post(self, body: bytes) -> dict[str, str]:
        """Send a batch once and return the real ids by temporary ones. Raises the client's errors."""
        answer = self._variables.post(self._reference, body)
        try:
            return msgspec.json.decode(answer, type=_Answer).meta.made
        except DECODE_ERRORS:  # the batch is applied, and its objects can be read back
            return {}


class _Meta(msgspec.Struct):
    made: dict[str, str] = msgspec.field(default_factory=dict, name="tempIdToRealId")


class _Answer(msgspec.Struct):
    meta: _Meta
