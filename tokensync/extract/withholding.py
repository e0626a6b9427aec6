"""The options ``only_published`` and ``include_hidden``: which local variables a run leaves out.

What is left out is not lost: the snapshot keeps it, and the graph knows it as ``withheld``, so that aliases to it still
resolve (to literals, like aliases to remote variables).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from tokensync.errors import UsageError
from tokensync.problems import Problem, problem

if TYPE_CHECKING:
    from tokensync.wire import Snapshot, WireVariable

_SHOWN = 5


def withhold(
    snapshot: Snapshot, *, only_published: bool = False, include_hidden: bool = True
) -> tuple[Snapshot, tuple[Problem, ...]]:
    """The snapshot with the ids of what the options leave out, and a note for each reason that names them.

    Raises UsageError when only published variables are wanted and no published response was read.
    """
    if only_published and snapshot.published is None:
        raise UsageError(
            f"{snapshot.file}: only_published needs the published variables; give them with --published FILE"
        )
    live = [each for each in snapshot.local.variables.values() if not each.remote and not each.deleted_but_referenced]
    hidden = [] if include_hidden else [each for each in live if each.hidden_from_publishing]
    published = snapshot.published_by_key()
    unpublished = [each for each in live if only_published and each.key not in published]
    problems = (
        *_told(snapshot.file, hidden, "hidden from publishing"),
        *_told(snapshot.file, unpublished, "not published"),
    )
    withheld = frozenset(each.id for each in (*hidden, *unpublished))
    return replace(snapshot, withheld=withheld), problems


def _told(file: str, variables: list[WireVariable], why: str) -> tuple[Problem, ...]:
    if not variables:
        return ()
    names = ", ".join(each.name[:60] for each in variables[:_SHOWN])
    more = f" and {len(variables) - _SHOWN} more" if len(variables) > _SHOWN else ""
    counted = "1 variable is" if len(variables) == 1 else f"{len(variables)} variables are"
    to_do = "left out, as the options ask"
    return (problem("variable-withheld", file, f"{counted} {why} ({names}{more})", to_do),)
