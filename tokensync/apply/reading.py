"""Read a file of the platform, and send the request that changes it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import msgspec

from tokensync.plan.refs import state_of

if TYPE_CHECKING:
    from tokensync.client import FileReference
    from tokensync.plan.state import FileState
    from tokensync.tokens import TokenGraph
    from tokensync.wire import Snapshot


class Variables(Protocol):
    """The methods of a client's ``variables`` that an apply uses."""

    def local(self, file: FileReference | str) -> bytes:
        """Return the JSON of the local variables."""

    def post(self, file: FileReference | str, body: bytes) -> bytes:
        """Send a batch once and return the response."""


class Reading:
    """The local variables of a file at one moment. ``raw`` is the response."""

    def __init__(self, file: str, raw: bytes) -> None:
        self.file = file
        self.raw = raw

    @cached_property
    def snapshot(self) -> Snapshot:
        """Return the response as typed data. Raises ProblemsError for an invalid one."""
        from tokensync.wire import snapshot

        decoded = snapshot(self.file, self.raw)
        decoded.refuse_values()  # here, since the fingerprint may be all that is used
        return decoded

    @cached_property
    def graph(self) -> TokenGraph:
        """Return the complete graph, without the configuration's exclusions: a plan may affect any object."""
        from tokensync.normalize import normalize

        return normalize(self.snapshot)[0]

    @cached_property
    def state(self) -> FileState:
        """Return the file's state, with the platform's ids as refs."""
        return state_of(self.graph)

    @cached_property
    def fingerprint(self) -> str:
        """Return the SHA-256 of the canonical form of the local variables, which a plan is bound to."""
        return self.snapshot.fingerprint()


class Remote:
    """A file of the platform. ``file`` is its configured name."""

    def __init__(self, variables: Variables, file: str, reference: FileReference | str) -> None:
        self.file = file
        self._variables = variables
        self._reference = reference

    def read(self) -> Reading:
        """Return its present content. Raises the client's errors."""
        return Reading(self.file, self._variables.local(self._reference))

    def post(self, body: bytes) -> dict[str, str]:
        """Send a batch once and return the real ids by temporary ones. Raises the client's errors."""
        answer = self._variables.post(self._reference, body)
        try:
            return msgspec.json.decode(answer, type=_Answer).meta.made
        except msgspec.DecodeError:  # the batch is applied, and its objects can be read back
            return {}


class _Meta(msgspec.Struct):
    made: dict[str, str] = msgspec.field(default_factory=dict, name="tempIdToRealId")


class _Answer(msgspec.Struct):
    meta: _Meta
