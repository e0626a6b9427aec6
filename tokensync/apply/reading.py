"""One file of the platform as an apply sees it: its state now, and the one request that changes it."""

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
    """What an apply needs of a client's ``variables``: one read and one write."""

    def local(self, file: FileReference | str) -> bytes:
        """Return the JSON of the local variables."""

    def post(self, file: FileReference | str, body: bytes) -> bytes:
        """Sends a batch once."""


class Reading:
    """What the platform held at one moment; ``raw`` is the answer itself."""

    def __init__(self, file: str, raw: bytes) -> None:
        self.file = file
        self.raw = raw

    @cached_property
    def snapshot(self) -> Snapshot:
        """Return the answer as typed data. Raises ProblemsError for one that is not as the API promises."""
        from tokensync.wire import snapshot

        taken = snapshot(self.file, self.raw)
        taken.refuse_values()  # a fingerprint may be all that is asked for
        return taken

    @cached_property
    def graph(self) -> TokenGraph:
        """Return all of it, whatever the configuration leaves out: an apply must see what a plan may bear upon."""
        from tokensync.normalize import normalize

        return normalize(self.snapshot)[0]

    @cached_property
    def state(self) -> FileState:
        """As a plan sees it, by the platform's ids."""
        return state_of(self.graph)

    @cached_property
    def fingerprint(self) -> str:
        """Return what a plan is bound to: the SHA-256 of the canonical form of the local variables."""
        return self.snapshot.fingerprint()


class Remote:
    """One file of the platform: ``file`` is its configured name."""

    def __init__(self, variables: Variables, file: str, reference: FileReference | str) -> None:
        self.file = file
        self._variables = variables
        self._reference = reference

    def read(self) -> Reading:
        """Return what it holds now. Raises what the client raises."""
        return Reading(self.file, self._variables.local(self._reference))

    def post(self, body: bytes) -> dict[str, str]:
        """Sends a batch once; real ids by temporary ones, as far as the answer tells. Raises what the client does."""
        answer = self._variables.post(self._reference, body)
        try:
            return msgspec.json.decode(answer, type=_Answer).meta.made
        except msgspec.DecodeError:  # carried out all the same: what it made can be read back
            return {}


class _Meta(msgspec.Struct):
    made: dict[str, str] = msgspec.field(default_factory=dict, name="tempIdToRealId")


class _Answer(msgspec.Struct):
    meta: _Meta
