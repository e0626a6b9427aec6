"""Client to snapshot: what the platform says about one file, and what the options leave out of it.

The options ``only_published`` and ``include_hidden`` omit local variables from a run. The snapshot keeps them, and the
graph knows them as ``withheld``, so that aliases to them still resolve (to literals, like aliases to remote variables).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from msgspec.structs import replace

from tokensync.errors import UsageError
from tokensync.problems import Problem, problem
from tokensync.wire import Snapshot, snapshot

if TYPE_CHECKING:
    from tokensync.client import FileReference
    from tokensync.wire import WireVariable

_SHOWN = 5


class _Variables(Protocol):
    def local(self, file: FileReference | str) -> bytes: ...

    def published(self, file: FileReference | str) -> bytes: ...


class Reader(Protocol):
    """What extract needs of a client: the two reads of the variables endpoints."""

    @property
    def variables(self) -> _Variables:
        """Return the variables endpoints."""


def extract(client: Reader, name: str, reference: FileReference | str) -> Snapshot:
    """Return the snapshot of the file that ``reference`` names, by a key or an address.

    A branch's published variables are its main file's. Raises what the client and ``snapshot`` raise.
    """
    raw_local = client.variables.local(reference)
    raw_published = client.variables.published(reference)
    return snapshot(name, raw_local, raw_published)


def withhold(
    snapshot: Snapshot, *, only_published: bool = False, include_hidden: bool = True
) -> tuple[Snapshot, tuple[Problem, ...]]:
    """Return the snapshot with the ids of what the options leave out, and a note for each reason that names them.

    Raises UsageError when only published variables are wanted and no published response was read.
    """
    if only_published and snapshot.published is None:
        snapshot.refuse_values()  # what is wrong with the response comes first
        raise UsageError(
            f"{snapshot.file}: only_published needs the published variables; give them with --published FILE"
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
    names = ", ".join(each.name[:60] for each in variables[:_SHOWN])
    more = f" and {len(variables) - _SHOWN} more" if len(variables) > _SHOWN else ""
    counted = "1 variable is" if len(variables) == 1 else f"{len(variables)} variables are"
    to_do = "omitted, as the options ask"
    return (problem("variable-withheld", file, f"{counted} {why} ({names}{more})", to_do),)
