"""An apply of a file that is carried out in part: what a plan and a pull must know about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.apply.applying import execution_of, known_ids
from tokensync.apply.journal import Applies
from tokensync.apply.rollback import left_by
from tokensync.apply.sending import Reading
from tokensync.extract.client import parse_file
from tokensync.plan.batches import with_ids
from tokensync.plan.differ import differences
from tokensync.plan.operations import aspects_of, is_in
from tokensync.project.applied_lock import applied_graph, lock_applied
from tokensync.project.connection import STATE_FOLDER
from tokensync.system.disk import shown_path
from tokensync.system.errors import ConflictError
from tokensync.system.wording import counted, listed_once
from tokensync.tokens import TokenGraph

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from collections.abc import Set as AbstractSet

    from tokensync.apply.journal import Journal
    from tokensync.plan.operations import Aspect
    from tokensync.plan.state import FileState, Ref
    from tokensync.project.configuration import Project
    from tokensync.settings import FileConfig


def unfinished_apply(project: Project, file: FileConfig) -> Journal | None:
    """Return the journal of a file's last apply if it is carried out in part."""
    journal = Applies(shown_path(project.path(STATE_FOLDER))).in_part(file.name)
    return journal if journal is not None and journal.started.key == str(parse_file(file.key)) else None


def progress_of(journal: Journal) -> str:
    """Return how far an unfinished apply is: ``1 of 7 requests``."""
    return f"{journal.carried_out} of {counted(journal.started.batches, 'request')}"


def without_effects(
    project: Project,
    journal: Journal | None,
    raw: bytes,
    bases: tuple[TokenGraph, ...],
    ours: TokenGraph,
    theirs: TokenGraph,
) -> tuple[tuple[TokenGraph, ...], TokenGraph]:
    """Return the bases of a merge and the platform's graph so that an unfinished apply's effects are no edits.

    What it has done so far, temporary names and values included, is added to the base, as at the end of an apply to the
    lock. A variable of another type that it has already replaced is in neither graph, so that its token is matched with
    the new variable. ``raw`` is the platform's present response. The graphs stay as they are without such an apply, if
    its files are damaged, which ``apply`` reports, if the lock has a git conflict, or if others have changed more than
    members of variables.
    """
    if journal is None or len(bases) != 1:
        return bases, theirs
    effects = _effects(journal, Reading(journal.started.file, raw))
    if effects is None or not _can_be_left_out(effects.by_others):
        return bases, theirs
    base = applied_graph(
        project, bases[0], effects.before, effects.now, by_others=effects.by_others, lock_at_start=journal.started.lock
    )
    replaced = set(_replaced(effects, ours, theirs))
    return (_without(base, replaced),), _without(theirs, replaced)


def lock_effects(project: Project, journal: Journal, now: Reading) -> None:
    """Add the effects of an unfinished apply to the lock, because another plan is applied instead of its rest."""
    effects = _effects(journal, now)
    if effects is not None and _can_be_left_out(effects.by_others):
        by_others, lock_at_start = effects.by_others, journal.started.lock
        lock_applied(project, effects.before, now, by_others=by_others, lock_at_start=lock_at_start)


def refuse_temporary_members(journals: Iterable[tuple[Journal, bytes]]) -> None:
    """Raise ConflictError if the platform has temporary names or values of unfinished applies.

    ``journals`` are those of the applies, each with the platform's present response.
    """
    lines: list[str] = []
    for journal, raw in journals:
        effects = _effects(journal, Reading(journal.started.file, raw))
        names = () if effects is None else tuple(dict.fromkeys(_temporary_members(effects)))
        if names:
            lines.append(
                f"{journal.folder}: this apply is carried out in part ({progress_of(journal)}), so the platform has "
                f"temporary names or values ({listed_once(names)}); continue it with tokensync apply --resume, reverse "
                f"it with tokensync rollback {journal.folder}, or apply a new plan instead of its rest, and pull again"
            )
    if lines:
        raise ConflictError("\n".join(lines))


def _can_be_left_out(by_others: Iterable[Aspect]) -> bool:
    """Return whether others have only changed members and values of variables, which ``lock_applied`` leaves out."""
    return all(each.kind in ("variable", "value") and each.part for each in by_others)


class _Effects(NamedTuple):
    """What an unfinished apply has done: the platform before it, now, as the apply left it, and as the plan wants it.

    ``by_others`` is what others have changed since.
    """

    before: Reading
    now: Reading
    left: FileState
    after: FileState
    by_others: frozenset[Aspect]


def _effects(journal: Journal, now: Reading) -> _Effects | None:
    """Return the effects of an apply; None if its files are damaged."""
    try:
        execution = execution_of(journal)
        every = list(left_by(journal, execution, now))
    except ConflictError:
        return None
    left = min(every, key=lambda state: len(differences(state, now.state)))
    after = with_ids(execution.states[-1], known_ids(journal))
    return _Effects(execution.before, now, left, after, aspects_of(differences(left, now.state)))


def _temporary_members(effects: _Effects) -> Iterator[str]:
    """Yield the names of the objects with members that the apply has changed and would have changed again."""
    done = aspects_of(differences(effects.before.state, effects.left))
    rest = aspects_of(differences(effects.left, effects.after))
    found = {each for each in done if is_in(each, rest)} | {each for each in rest if is_in(each, done)}
    now = effects.now.state
    for each in sorted(found - effects.by_others):
        known = now.variables.get(each.ref) or now.collections.get(each.ref)
        if known is not None:
            yield known.name


def _replaced(effects: _Effects, ours: TokenGraph, theirs: TokenGraph) -> Iterator[Ref]:
    """Yield the variables that the apply would have deleted and whose tokens' names others have now."""
    keys = {each.id: key for key, each in theirs.tokens.items()}
    deleted = effects.before.state.variables.keys() - effects.after.variables.keys()
    for token in ours.tokens.values():
        if token.id in deleted and token.id in keys:
            other = theirs.tokens.get(keys[token.id]._replace(path=token.key.path))
            if other is not None and other.id != token.id:
                yield token.id


def _without(graph: TokenGraph, variables: AbstractSet[Ref]) -> TokenGraph:
    tokens = (each for each in graph.tokens.values() if each.id not in variables)
    return TokenGraph(graph.collections.values(), tokens) if variables else graph
