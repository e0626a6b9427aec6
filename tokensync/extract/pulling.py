"""Asks the platform for both responses of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from tokensync.wire import Snapshot, snapshot

if TYPE_CHECKING:
    from tokensync.client import FileReference


class _Variables(Protocol):
    def local(self, file: FileReference | str) -> bytes: ...

    def published(self, file: FileReference | str) -> bytes: ...


class Reader(Protocol):
    """What extract needs of a client: the two reads of the variables endpoints."""

    @property
    def variables(self) -> _Variables:
        """The variables endpoints."""


def extract(client: Reader, name: str, reference: FileReference | str) -> Snapshot:
    """The snapshot of the file that ``reference`` names (a key or an address; a branch's published variables are its
    main file's). Raises what the client raises, and ProblemsError for an answer that is not as the API promises.
    """
    raw_local = client.variables.local(reference)
    raw_published = client.variables.published(reference)
    return snapshot(name, raw_local, raw_published)
