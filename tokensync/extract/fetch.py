"""Fetch the snapshot of a file, and apply the options that omit variables.

The options ``only_published`` and ``include_hidden`` omit local variables. They stay in the snapshot and are
``withheld`` in the graph, so that aliases to them still resolve (to literals, like aliases to remote variables).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from msgspec.structs import replace

from tokensync.extract.wire import Snapshot, snapshot
from tokensync.system.errors import UsageError
from tokensync.system.problems import Problem, problem

if TYPE_CHECKING:
    from tokensync.extract.client import FileReference
    from tokensync.extract.wire import WireVariable


class _Variables(Protocol):
    def local(self, file: FileReference | str) -> bytes: ...

    def published(self, file: FileReference | str) -> bytes: ...


class Reader(Protocol):
    """A client with the two GET endpoints of variables."""

    @property
    def variables(self) -> _Variables:
        """Return the variables endpoints."""


def extract(client: Reader, name: str, reference: FileReference | str) -> Snapshot:
    """Return the snapshot of a file.

    A branch has the published variables of its main file. Raises the exceptions of the client and of ``snapshot``.
    """
    raw_local = client.variables.local(reference)
    raw_published = client.variables.published(reference)
    return snapshot(name, raw_local, raw_published)


def withhold(
    snapshot: Snapshot, *, only_published: bool = False, include_hidden: bool = True
) -> tuple[Snapshot, tuple[Problem, ...]]:
    """Return the snapshot with the ids of omitted variables, and a note for each reason.

    Raises UsageError for ``only_published`` without a published response.
    """
    if only_published and snapshot.published is None:
        snapshot.refuse_values()  # problems of the response come first
        raise UsageError(
            f"{snapshot.file}: only_published requires the published variables; pass them with --published FILE"
        )
    if include_hidden and not only_published:
        return snapshot, ()
    live = [each for each in snapshot.local.variables.values() if not each.remote and not each.deleted_but_referenced]
    hidden = [] if include_hidden else [each for each in live if each.hidden_from_publishing]
    published = snapshot.published_by_key()
    unpublished = [each for each in live if only_published and each.key not in published]
    problems = (
        *_notes(snapshot.file, hidden, "hidden from publishing"),
        *_notes(snapshot.file, unpublished, "not published"),
    )
    withheld = frozenset(each.id for each in (*hidden, *unpublished))
    return replace(snapshot, withheld=withheld), problems


def _notes(file: str, variables: list[WireVariable], why: str) -> tuple[Problem, ...]:
    if not variables:
        return ()
    names = [each.name[:60] for each in variables]
    count = "1 variable is" if len(variables) == 1 else f"{len(variables)} variables are"
    return (problem("variable-withheld", file, f"{count} {why}", "omitted, according to the options", names),)
