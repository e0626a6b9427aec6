"""Update the lock after an apply, with what it has changed, and tell plans and pulls about one carried out in part."""

from __future__ import annotations

from functools import cached_property
from itertools import compress, islice
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from tokensync.apply.journal import Applies, Journal
from tokensync.extract.client import parse_file
from tokensync.plan.differ import differences
from tokensync.plan.identities import IdentityMap, Moves
from tokensync.plan.operations import Aspect, aspects_of, is_in
from tokensync.project.connection import STATE_FOLDER
from tokensync.project.lock import (
    LOCK,
    Fact,
    Lock,
    Locked,
    facts,
    graph_facts,
    locked_graph,
    read_lock,
    with_captured,
    write_lock,
)
from tokensync.project.sources import graph_of, read_tokens, with_defaults
from tokensync.system.disk import shown_path
from tokensync.system.errors import ConflictError
from tokensync.system.wording import counted, listed_once
from tokensync.tokens import Collection, TokenGraph

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from tokensync.apply.sending import Reading
    from tokensync.plan.state import FileState, Ref
    from tokensync.project.configuration import Project
    from tokensync.settings import FileConfig


_Subject = tuple[str, str, str]
"""The subject of a fact: the collection's handle, the token's path, and the property."""
_MISSING: Any = object()
"""The value of a fact that there is not."""


def lock_applied(
    project: Project,
    before: Reading,
    now: Reading,
    *,
    by_others: Iterable[Aspect] = (),
    is_rollback: bool = False,
    lock_at_start: str = "",
) -> None:
    """Update the facts of one file in the lock with the differences between two readings.

    ``by_others`` is what others have changed between the two: the next pull merges it, so the lock must not have it. A
    lock with a git conflict is not changed; the next pull resolves it. After an interrupted apply, the lock is older
    than ``before``. ``lock_at_start`` is the digest of the lock when the apply began: a pull has changed it if it is
    another one now.
    """
    locked = read_lock(project.folder)
    own = locked.get(before.file, Locked())
    if own.any_side != own.every_side:
        return
    held = own.every_side
    graph = locked_graph(_decoded(sorted(held))) if held else None
    configured = {file.name for file in project.config.files}
    updated = {name: lines.every_side for name, lines in locked.items() if name in configured}
    updated[before.file] = _updated_facts(
        project, held, graph, before, now, by_others, is_rollback=is_rollback, lock_at_start=lock_at_start
    )
    # By the bridge: an older capture would take back what was applied.
    if b'"capture"' in now.raw and (time := now.snapshot.time):
        updated[before.file] = with_captured(updated[before.file], before.file, time)
    write_lock(project.folder, updated.values())


def record_applied(project: Project, before: Reading, now: Reading) -> bool:
    """Update the lock with what an apply elsewhere has changed; return whether it did not have that.

    Raises ConflictError unless the lock has the state before it: otherwise it is newer, or has been merged meanwhile.
    """
    file = next(file for file in project.config.files if file.name == before.file)
    key = str(parse_file(file.key))
    former, later = (facts(_graph(project, reading), file.name, key) for reading in (before, now))
    held = read_lock(project.folder).get(before.file, Locked()).every_side
    changed = {fact[:4] for fact in _decoded(former ^ later)}
    is_as_after = all(line in later for line, fact in zip(held, _decoded(held), strict=True) if fact[:4] in changed)
    if is_as_after and (
        later - former <= held  # else what the token files omit is not in the lock
        or _updated_facts(project, held, locked_graph(_decoded(sorted(held))), before, now) == held
    ):
        return False
    if not former - later <= held:
        what = "it does not have the state before this apply, so it is newer"
        raise ConflictError(f"{LOCK}: {what}; nothing has to be recorded: run tokensync pull")
    lock_applied(project, before, now)
    return True


_MEMBERS = {"code_syntax": "codeSyntax", "hidden": "hiddenFromPublishing"}
"""The members of a variable's JSON whose names differ from those of a plan."""

_WITHOUT_MEMBERS: Mapping[str, Any] = {
    "valuesByMode": {},
    "description": "",
    "hiddenFromPublishing": False,
    "scopes": [],
    "codeSyntax": {},
}
"""A variable about which the lock has nothing but its name and type."""


def _without_changes(before: Reading, now: Reading, by_others: Iterable[Aspect]) -> Reading:
    """Return a reading in which what others have changed is as it was before."""
    from tokensync.apply.sending import Reading

    was, is_now = (msgspec.json.decode(reading.raw)["meta"] for reading in (before, now))
    for kind, ref, part in by_others:
        if kind == "collection":
            is_now["variableCollections"].pop(ref, None)
            continue
        former, variable = was["variables"].get(ref), is_now["variables"].get(ref)
        if former is None and part:  # the apply created it
            former = _WITHOUT_MEMBERS
        if kind == "value" and former is not None and variable is not None:
            _restore_value(former, was, is_now, ref, part)
        elif part and former is not None and variable is not None:
            _restore(former, variable, _MEMBERS.get(part, part))
        elif not part:
            _restore(was["variables"], is_now["variables"], ref)
    for collection in is_now["variableCollections"].values():
        own = collection["id"]
        variables_of = (each for each in is_now["variables"].values() if each["variableCollectionId"] == own)
        collection["variableIds"] = [variable["id"] for variable in variables_of]
    return Reading(now.file, msgspec.json.encode({"status": 200, "error": False, "meta": is_now}))


def _restore_value(
    former: Mapping[str, Any], was: Mapping[str, Any], is_now: Mapping[str, Any], variable: str, mode: str
) -> None:
    """Restore a variable's value in a mode of its collection, or of a collection that overrides it."""
    _restore(former["valuesByMode"], is_now["variables"][variable]["valuesByMode"], mode)
    for identity, collection in is_now["variableCollections"].items():
        before = was["variableCollections"].get(identity, {}).get("variableOverrides") or {}
        overrides = collection.get("variableOverrides")
        if overrides is not None and (variable in before or variable in overrides):
            _restore(before.get(variable, {}), overrides.setdefault(variable, {}), mode)


def _restore(former: Mapping[str, Any], present: dict[str, Any], name: str) -> None:
    if name in former:
        present[name] = former[name]
    else:
        present.pop(name, None)


def _graph(project: Project, reading: Reading) -> TokenGraph:
    """Return the graph as a pull stores it, without the publication state, which an apply does not change."""
    from tokensync.extract.wire import withhold
    from tokensync.normalize.graph import referenced

    file = next(file for file in project.config.files if file.name == reading.file)
    has_styles = bool(file.styles) and bool(reading.state.styles)
    if project.config.extract.include_hidden and not project.config.types and not has_styles:
        return referenced(reading.graph)
    snapshot, _ = withhold(reading.snapshot, include_hidden=project.config.extract.include_hidden)
    graph = graph_of(project, snapshot)[0]
    if has_styles:
        from tokensync.normalize.styles import local_styles, with_styles

        graph, _ = with_styles(graph, file.name, local_styles(snapshot, file))
    return referenced(graph)


def _updated_facts(
    project: Project,
    held: frozenset[str],
    locked: TokenGraph | None,
    before: Reading,
    now: Reading,
    by_others: Iterable[Aspect] = (),
    *,
    is_rollback: bool = False,
    lock_at_start: str = "",
) -> frozenset[str]:
    """Return the facts ``held`` of a lock, whose graph is ``locked``, with the differences between two readings.

    The other arguments are those of ``lock_applied``.
    """
    file = next(file for file in project.config.files if file.name == before.file)
    was = _graph(project, before)
    is_now = _graph(project, _without_changes(before, now, by_others) if by_others else now)
    locked = was if locked is None else locked
    ours = with_defaults(project, read_tokens(project, file.name, like=is_now).graph)
    is_pulled = lock_at_start not in ("", Lock(project.folder).digest)
    moves = Moves(project.config.moved)
    members = _OmittedMembers(file, ours, was, is_now, moves, is_rollback=is_rollback, is_pulled=is_pulled)
    key = str(parse_file(file.key))
    were, are = facts(was, file.name, key), facts(is_now, file.name, key)
    same = frozenset(_with_same_objects(held & were & are, was, is_now))
    known = None if members.is_pulled else locked  # a pull in the middle of the apply wrote names of that moment
    names = [_PresentNames(file.name, graph, was, is_now, known) for graph in (locked, was, is_now)]
    lines_of = (held - same, were - same, are - same)
    old, earlier, later = (own.values_by_subject(lines) for own, lines in zip(names, lines_of, strict=True))
    replaced = _replaced(was, is_now)
    fresh: dict[_Subject, Any] = {}
    for subject, value in old.items():
        # Facts that the plan did not change stay as the lock has them, whatever the platform has.
        is_same = earlier.get(subject, _MISSING) == later.get(subject, _MISSING)
        if is_same and subject[:2] not in replaced:
            fresh[subject] = value
    for subject, value in later.items():
        previous = earlier.get(subject, _MISSING)
        is_changed = previous != value or subject[:2] in replaced
        if is_changed and (subject in old or not members.is_unpulled(subject)):
            stated = members.stated_part(subject, value, previous)
            if stated is not _MISSING:
                fresh[subject] = stated
    fresh |= _pulled(names, old, earlier, later, members)
    lines = {msgspec.json.encode([file.name, *subject, value]).decode(): subject for subject, value in fresh.items()}
    lines[msgspec.json.encode([file.name, "", "", "key", key]).decode()] = ("", "", "key")
    lines |= ((line, fact[1:4]) for line, fact in zip(same, _decoded(same), strict=True))
    # An object that the lock does not contain completely is no base for a merge.
    complete = {(handle, path) for handle, path, name in lines.values() if name == ("type" if path else "name")}
    return frozenset(line for line, (handle, path, _) in lines.items() if not handle or (handle, path) in complete)


def _pulled(
    names: Sequence[_PresentNames],
    old: Mapping[_Subject, Any],
    earlier: Mapping[_Subject, Any],
    later: Mapping[_Subject, Any],
    members: _OmittedMembers,
) -> dict[_Subject, Any]:
    """Return the facts that a pull in the middle of the apply wrote, for the next pull has to update them.

    A value whose alias target others have renamed since is no such fact. ``names`` are those of the three mappings.
    """
    pulled: dict[_Subject, Any] = {}
    for subject, value in old.items():
        known = (earlier.get(subject, _MISSING), later.get(subject, _MISSING))
        if value not in known and members.states(subject, value):
            pulled[subject] = value
    if not pulled:
        return pulled
    sides = zip(names, (old, earlier, later), strict=True)
    locked, before, now = ([*own.with_ids(values, pulled)] for own, values in sides)
    other = (value not in known for value, *known in zip(locked, before, now, strict=True))
    return dict(compress(pulled.items(), other))


def _with_same_objects(lines: Iterable[str], was: TokenGraph, is_now: TokenGraph) -> Iterable[str]:
    """Omit facts about a name that another variable or collection has now: the facts of the two are equal by chance."""
    reused = {
        (key.collection, key.path)
        for key, each in was.tokens.items()
        if (now := is_now.tokens.get(key)) is not None and now.id != each.id
    }
    handles = {
        family.handle
        for key, family in was.collections.items()
        if (new := is_now.collections.get(key)) is not None and new.id != family.id
    }
    if not reused and not handles:
        return lines
    decoded = ((line, *msgspec.json.decode(line)[1:3]) for line in lines)
    return (line for line, handle, path in decoded if handle not in handles and (handle, path) not in reused)


def _replaced(was: TokenGraph, is_now: TokenGraph) -> set[tuple[str, str]]:
    """Return the handles and paths of deleted tokens whose names new ones have: no fact of theirs is unchanged."""
    existed = {token.id for token in was.tokens.values()}
    remaining = {token.id for token in is_now.tokens.values()}
    return {
        (key.collection, key.path)
        for key, each in was.tokens.items()
        if each.id not in remaining and (new := is_now.tokens.get(key)) is not None and new.id not in existed
    }


def _decoded(lines: Iterable[str]) -> Iterator[Fact]:
    """Yield the facts of lines in their order. Many are decoded at once, but not all, which would take much memory."""
    remaining = iter(lines)
    while part := [*islice(remaining, 1000)]:
        yield from msgspec.json.decode(f"[{','.join(part)}]", type=list[Fact])


class _OmittedMembers:
    """The members that token files omit from tokens that they contain, and those that they state."""

    def __init__(
        self,
        file: FileConfig,
        ours: TokenGraph,
        was: TokenGraph,
        is_now: TokenGraph,
        moves: Moves,
        *,
        is_rollback: bool,
        is_pulled: bool,
    ) -> None:
        identity_map = IdentityMap(moves)
        identity_map.add(is_now)
        names = identity_map.add(ours, is_last=True)
        self._modes = names.modes
        self._ours = {(known.collection, known.path): ours.tokens[key] for key, known in names.tokens.items()}
        remaining = {token.id for token in is_now.tokens.values()}
        self._gone = {token.id: token for token in was.tokens.values() if token.id and token.id not in remaining}
        self._is_rollback = is_rollback
        self.is_pulled = is_pulled
        existed = {token.id for token in was.tokens.values() if token.id}
        created = (key for key, each in is_now.tokens.items() if each.id not in existed)
        self._unpulled = {(key.collection, key.path) for key in created} - self._ours.keys() if is_pulled else set()
        self._file = file
        self._graphs = ours, was, is_now

    @cached_property
    def _stated(self) -> dict[_Subject, Any]:
        key = str(parse_file(self._file.key))
        lines = facts(self._graphs[0], self._file.name, key)
        return _PresentNames(self._file.name, *self._graphs).values_by_subject(lines)

    def states(self, subject: _Subject, value: Any) -> bool:
        """Return whether the token files have this value of a fact, which has the present names."""
        return bool(self._stated.get(subject, _MISSING) == value)

    def is_unpulled(self, subject: _Subject) -> bool:
        """Return whether a token was created after a pull in the middle of the apply, which removed it from the files.

        With the token in the lock, its absence from the files would be a deletion. Without it, the next pull adds it.
        """
        return subject[:2] in self._unpulled

    def stated_part(self, subject: _Subject, value: Any, earlier: Any) -> Any:
        """Return the part of a fact's value that the token files state, or ``_MISSING`` if they state none of it.

        The rest was never in the lock, and must not be added, except what a rollback restores: the lock had what the
        apply removed from a variable, or with it. Without it, the next plan would not contain the removal again.
        """
        handle, path, name = subject
        ours = self._ours.get((handle, path))
        if ours is None:
            return value
        if self._is_rollback:
            if name != "code syntax":
                return value
            known, was = dict(ours.code_syntax), {} if earlier is _MISSING else earlier
            return {each: text for each, text in value.items() if each in known or was.get(each) != text} or _MISSING
        match name:
            case "scopes" if ours.scopes and (was := self._gone.get(ours.id)) is not None:
                # The files still have the scopes of a variable that one of another type replaced. That is no edit of
                # ours: the next merge takes those of the new variable.
                is_replaced = was.type != ours.type and set(was.scopes) == set(ours.scopes)
                return sorted(ours.scopes) if is_replaced else value
            case "description" | "scopes":
                return value if getattr(ours, name) else _MISSING
            case "code syntax":
                known, was = dict(ours.code_syntax), {} if earlier is _MISSING else earlier
                # The files still have the text that a generated one has replaced: the next pull updates it.
                kept = {each: text for each, text in known.items() if was.get(each) == text}
                return {each: kept.get(each, text) for each, text in value.items() if each in known} or _MISSING
        if name.startswith("in ") and None in ours.values:
            values = zip(self._modes[ours.key[:2]], ours.values, strict=True)
            return _MISSING if (name.removeprefix("in "), None) in values else value
        return value


class _PresentNames:
    """Translates names of a state to the present ones, if the plan has changed them. Objects are identified by id.

    Names that others have changed and nobody has pulled yet become those of the lock, which the next pull changes.
    Facts about a deleted object whose name a renamed one has now are left out: they would be taken for those of the
    renamed one.
    """

    def __init__(
        self, file: str, graph: TokenGraph, was: TokenGraph, is_now: TokenGraph, locked: TokenGraph | None = None
    ) -> None:
        self._file = file
        self._graph = graph
        self._handles: dict[str, str] = {}
        self._contexts: dict[str, Mapping[str, str]] = {}
        earlier = {collection.id: collection for collection in was.collections.values() if collection.id}
        families = {collection.id: collection for collection in is_now.collections.values() if collection.id}
        of_lock = locked.collections.values() if locked is not None else ()
        locked_by_id = {collection.id: collection for collection in of_lock if collection.id}
        present_handles = {collection.handle for collection in graph.collections.values()}
        for each in graph.collections.values():
            before, now = earlier.get(each.id), families.get(each.id)
            if before is None or now is None:
                continue
            known_as = locked_by_id.get(each.id)
            if before.handle != now.handle:
                self._handles[each.handle] = now.handle
            elif known_as is not None and known_as.handle not in present_handles:
                self._handles[each.handle] = known_as.handle
            contexts = _changed(
                {mode.id: mode.context for mode in before.modes}, {mode.id: mode.context for mode in now.modes}
            )
            contexts = _unpulled_modes(each, known_as) | contexts
            handles = _changed(
                {own.id: own.handle for own in before.extensions}, {own.id: own.handle for own in now.extensions}
            )
            self._contexts[each.handle] = {
                **{f"in {mode.context}": f"in {contexts[mode.id]}" for mode in each.modes if mode.id in contexts},
                **{f"mode {mode.context}": f"mode {contexts[mode.id]}" for mode in each.modes if mode.id in contexts},
                **{
                    f"extension {own.handle}": f"extension {handles[own.id]}"
                    for own in each.extensions
                    if own.id in handles
                },
            }
        paths = _changed(
            {token.id: token.key.path for token in was.tokens.values()},
            {token.id: token.key.path for token in is_now.tokens.values() if token.id},
        )
        known = {token.id: token.key.path for token in locked.tokens.values()} if locked is not None else {}
        for key, token in graph.tokens.items():
            path = known.get(token.id, key.path) if token.id else key.path
            if path != key.path and key._replace(path=path) not in graph.tokens:
                paths.setdefault(token.id, path)
        self._paths = {
            (each.key.collection, each.key.path): paths[each.id] for each in graph.tokens.values() if each.id in paths
        }
        self._taken = {(handle, path) for (handle, _), path in self._paths.items()} - self._paths.keys()
        self._taken_handles = set(self._handles.values()) - self._handles.keys()
        self._taken_contexts = {handle: set(new.values()) - new.keys() for handle, new in self._contexts.items()}

    def values_by_subject(self, lines: Iterable[str]) -> dict[_Subject, Any]:
        """Return the values of facts by subject, with the present names."""
        values = {(handle, path, name): value for _, handle, path, name, value in _decoded(lines)}
        if not (self._handles or self._paths or any(self._contexts.values())):
            return values  # nothing is renamed
        return {
            self._subject((handle, path, name)): _with_targets(value, self._target) if name.startswith("in ") else value
            for (handle, path, name), value in values.items()
            # Others are of deleted objects: a renamed one has their name now.
            if (handle, path) not in self._taken
            and handle not in self._taken_handles
            and name not in self._taken_contexts.get(handle, ())
        }

    def _subject(self, subject: _Subject) -> _Subject:
        handle, path, name = subject
        spelled = self._contexts.get(handle, {}).get(name, name)
        return self._handles.get(handle, handle), self._paths.get((handle, path), path), spelled

    def _target(self, target: list[str]) -> list[str]:
        file, handle, path = target
        if file != self._file:
            return target
        return [file, self._handles.get(handle, handle), self._paths.get((handle, path), path)]

    def with_ids(self, values: Mapping[_Subject, Any], subjects: Iterable[_Subject]) -> Iterator[Any]:
        """Yield the values of subjects, or ``_MISSING``, with the ids of alias targets in place of their names."""
        ids = {tuple(self._target([*token.key])): token.id for token in self._graph.tokens.values() if token.id}
        for subject in subjects:
            yield _with_targets(values.get(subject, _MISSING), lambda target: ids.get(tuple(target), target))


def _with_targets(value: Any, changed: Callable[[list[str]], Any]) -> Any:
    """Return a value of a fact with the targets of its aliases replaced."""
    match value:
        case {"alias": target}:
            return {"alias": changed(target)}
        case {"color": color, "opacity": opacity}:
            return {"color": _with_targets(color, changed), "opacity": _with_targets(opacity, changed)}
        case {"composite": _, "references": references}:
            return {**value, "references": {each: changed(target) for each, target in references.items()}}
    return value


def _unpulled_modes(family: Collection, known_as: Collection | None) -> dict[str, str]:
    """Return the names in the lock of modes that have other names, by id, except names that other modes have now."""
    known = {} if known_as is None else {mode.id: mode.context for mode in known_as.modes}
    present = {mode.id: mode.context for mode in family.modes if mode.id}
    named = _changed(present, {id_: name for id_, name in known.items() if id_ in present})
    return {id_: name for id_, name in named.items() if name not in present.values()}


def _changed(before: Mapping[str, str], now: Mapping[str, str]) -> dict[str, str]:
    """Return the present names that differ from the earlier ones, by id."""
    return {id_: name for id_, name in now.items() if before.get(id_, name) != name}


# --- applies that are carried out in part --------------------------------------------------------------------------


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
    effects = _effects(journal, raw)
    if effects is None or not _can_be_left_out(effects.by_others):
        return bases, theirs
    held, start = frozenset(graph_facts(bases[0])), journal.started.lock
    fresh = _updated_facts(project, held, bases[0], effects.before, effects.now, effects.by_others, lock_at_start=start)
    base = locked_graph(_decoded(sorted(fresh)))
    replaced = set(_variables_replaced(effects, ours, theirs))
    return (_without(base, replaced),), _without(theirs, replaced)


def lock_effects(project: Project, journal: Journal, now: Reading) -> None:
    """Add the effects of an unfinished apply to the lock, because another plan is applied instead of its rest."""
    effects = _effects(journal, now.raw)
    if effects is not None and _can_be_left_out(effects.by_others):
        by_others, lock_at_start = effects.by_others, journal.started.lock
        lock_applied(project, effects.before, now, by_others=by_others, lock_at_start=lock_at_start)


def refuse_temporary_members(journals: Iterable[tuple[Journal, bytes]]) -> None:
    """Raise ConflictError if the platform has temporary names or values of unfinished applies.

    ``journals`` are those of the applies, each with the platform's present response.
    """
    lines: list[str] = []
    for journal, raw in journals:
        effects = _effects(journal, raw)
        names = () if effects is None else tuple(dict.fromkeys(_temporary_members(effects)))
        if names:
            lines.append(
                f"{journal.folder}: this apply is carried out in part ({progress_of(journal)}), so Figma has "
                f"temporary names or values ({listed_once(names)}); continue it with tokensync apply --resume, reverse "
                f"it with tokensync rollback {journal.folder}, or apply a new plan instead of its rest, and pull again"
            )
    if lines:
        raise ConflictError("\n".join(lines))


def _can_be_left_out(by_others: Iterable[Aspect]) -> bool:
    """Return whether others have only changed members and values of variables, which ``lock_applied`` leaves out."""
    return all(other.kind in ("variable", "value") and other.part for other in by_others)


class _Effects(NamedTuple):
    """What an unfinished apply has done: the platform before it, now, as the apply left it, and as the plan wants it.

    ``by_others`` is what others have changed since.
    """

    before: Reading
    now: Reading
    left: FileState
    after: FileState
    by_others: frozenset[Aspect]


def _effects(journal: Journal, raw: bytes) -> _Effects | None:
    """Return the effects of an apply; None if its files are damaged. ``raw`` is the platform's present response."""
    from tokensync.apply.applying import execution_of, known_ids  # few commands have an unfinished apply
    from tokensync.apply.rollback import left_by
    from tokensync.apply.sending import Reading
    from tokensync.plan.batches import with_ids

    now = Reading(journal.started.file, raw)
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
    found = {aspect for aspect in done if is_in(aspect, rest)} | {aspect for aspect in rest if is_in(aspect, done)}
    now = effects.now.state
    for aspect in sorted(found - effects.by_others):
        known = now.variables.get(aspect.ref) or now.collections.get(aspect.ref)
        if known is not None:
            yield known.name


def _variables_replaced(effects: _Effects, ours: TokenGraph, theirs: TokenGraph) -> Iterator[Ref]:
    """Yield the variables that the apply would have deleted and whose tokens' names others have now."""
    keys = {each.id: key for key, each in theirs.tokens.items()}
    deleted = effects.before.state.variables.keys() - effects.after.variables.keys()
    for token in ours.tokens.values():
        if token.id in deleted and token.id in keys:
            other = theirs.tokens.get(keys[token.id]._replace(path=token.key.path))
            if other is not None and other.id != token.id:
                yield token.id


def _without(graph: TokenGraph, variables: AbstractSet[Ref]) -> TokenGraph:
    tokens = (token for token in graph.tokens.values() if token.id not in variables)
    return TokenGraph(graph.collections.values(), tokens) if variables else graph
