"""The lock after an apply: what the plan changed is what both sides say now; all else stays as it was.

The platform may hold edits that nobody has pulled yet, and a plan fills in what token files need not say, such as
scopes. Were these in the lock, the token files, which lack them, would seem to have taken them back, and the next plan
would wipe them out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from tokensync.client import parse_file
from tokensync.commands.lock import facts, read_lock, write_lock
from tokensync.commands.type_rules import rules_of
from tokensync.plan.identities import Atlas, Moves

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tokensync.apply.reading import Reading
    from tokensync.config import FileConfig, Project
    from tokensync.tokens import Token, TokenGraph

_Subject = tuple[str, str, str]
"""The collection's handle, the token's path, and what is said: what a fact is about."""


def lock_applied(project: Project, before: Reading, now: Reading) -> None:
    """Bring the lock's facts about one file from ``before`` to ``now``, as far as the two differ.

    A lock that holds a git conflict stays as it is: the next pull mends it.
    """
    from tokensync.formats.dtcg import read_folder

    file = next(each for each in project.config.files if each.name == before.file)
    locked = read_lock(project.folder)
    own = locked.get(file.name)
    if own is not None and own.any_side != own.every_side:
        return
    was, is_now = _graph(project, before), _graph(project, now)
    configured = {each.name for each in project.config.files}
    others = {name: each.every_side for name, each in locked.items() if name in configured}
    held = own.every_side if own is not None else frozenset()
    ours = read_folder(project.tokens_folder, file.name).graph
    fresh = _brought_on(file, held, was, is_now, _Silence(ours, is_now, Moves(project.config.moved)))
    write_lock(project.folder, {**others, file.name: fresh}.values())


def _graph(project: Project, reading: Reading) -> TokenGraph:
    """As a pull remembers it, but for what is published: an apply changes nothing about that."""
    from tokensync.extract import withhold
    from tokensync.normalize import normalize, referenced

    snapshot, _ = withhold(reading.snapshot, include_hidden=project.config.extract.include_hidden)
    return referenced(normalize(snapshot, rules_of(project))[0])


def _brought_on(
    file: FileConfig, held: frozenset[str], was: TokenGraph, is_now: TokenGraph, silent: _Silence
) -> frozenset[str]:
    key = str(parse_file(file.key))
    were, are = facts(was, file.name, key), facts(is_now, file.name, key)
    same = frozenset(_about_the_same(held & were & are, was, is_now))
    renamed = _Renamed(was, is_now)
    old = {renamed.subject(subject): value for subject, value in _told(held - same)}
    earlier = {renamed.subject(subject): value for subject, value in _told(were - same)}
    later = dict(_told(are - same))
    # What the plan left alone stays as the lock has it, whatever the platform says.
    brought = {
        subject: said
        for subject, value in later.items()
        if earlier.get(subject, ...) != value and (said := silent.without(subject, value)) is not ...
    }
    kept = {subject: value for subject, value in old.items() if earlier.get(subject, ...) == later.get(subject, ...)}
    lines = {msgspec.json.encode([file.name, *subject, value]).decode() for subject, value in (kept | brought).items()}
    lines.add(msgspec.json.encode([file.name, "", "", "key", key]).decode())
    return frozenset(_whole({*same, *lines}))


def _about_the_same(lines: Iterable[str], was: TokenGraph, is_now: TokenGraph) -> Iterable[str]:
    """Without those about a name that another variable or collection has now: what is said of the two only agrees."""
    given_on = {
        (key.collection, key.path)
        for key, each in was.tokens.items()
        if (now := is_now.tokens.get(key)) is not None and now.id != each.id
    }
    handles = {
        family.handle
        for key, family in was.collections.items()
        if (new := is_now.collections.get(key)) is not None and new.id != family.id
    }
    if not given_on and not handles:
        return lines
    told = ((line, *msgspec.json.decode(line)[1:3]) for line in lines)
    return (line for line, handle, path in told if handle not in handles and (handle, path) not in given_on)


def _told(lines: Iterable[str]) -> Iterable[tuple[_Subject, Any]]:
    for line in lines:
        _, handle, path, said, value = msgspec.json.decode(line)
        yield (handle, path, said), value


def _whole(lines: Iterable[str]) -> Iterable[str]:
    """Return the facts about things that the lock knows as a whole: a part of one is no base for a merge."""
    told = [(line, *msgspec.json.decode(line)[1:4]) for line in lines]
    known = {(handle, path) for _, handle, path, said in told if said == ("type" if path else "name")}
    return (line for line, handle, path, _ in told if not handle or (handle, path) in known)


class _Silence:
    """What the token files say nothing about, of a token that they have."""

    def __init__(self, ours: TokenGraph, is_now: TokenGraph, moves: Moves) -> None:
        atlas = Atlas(moves)
        atlas.add(is_now)
        names = atlas.add(ours, is_last=True)
        self._modes = names.modes
        self._ours = {(known.collection, known.path): ours.tokens[key] for key, known in names.tokens.items()}

    def without(self, subject: _Subject, value: Any) -> Any:
        """As much of a fact's value as they say something about, or ``...``.

        What was never in the lock is no opinion, and has to stay out of it.
        """
        handle, path, said = subject
        ours = self._ours.get((handle, path))
        if ours is None:
            return value
        match said:
            case "description" | "scopes":
                return value if getattr(ours, said) else ...
            case "code syntax":
                known = dict(ours.code_syntax)
                heard = {platform: text for platform, text in value.items() if platform in known}
                return heard or ...
        return value if not said.startswith("in ") or self._has_value(ours, said.removeprefix("in ")) else ...

    def _has_value(self, token: Token, context: str) -> bool:
        """Return whether the token files give a token a value in a mode, or do not know the mode at all."""
        pairs = zip(self._modes[token.key[:2]], token.values, strict=True)
        return all(value is not None for mode, value in pairs if mode == context)


class _Renamed:
    """What the plan has given another name goes by the new one; ids tell what is the same."""

    def __init__(self, was: TokenGraph, is_now: TokenGraph) -> None:
        self._handles: dict[str, str] = {}
        self._contexts: dict[str, Mapping[str, str]] = {}
        families = {each.id: each for each in is_now.collections.values() if each.id}
        for each in was.collections.values():
            now = families.get(each.id)
            if now is None:
                continue
            self._handles[each.handle] = now.handle
            contexts = {mode.id: mode.context for mode in now.modes}
            handles = {own.id: own.handle for own in now.extensions}
            self._contexts[each.handle] = {
                **{f"in {mode.context}": f"in {contexts[mode.id]}" for mode in each.modes if mode.id in contexts},
                **{f"mode {mode.context}": f"mode {contexts[mode.id]}" for mode in each.modes if mode.id in contexts},
                **{
                    f"extension {own.handle}": f"extension {handles[own.id]}"
                    for own in each.extensions
                    if own.id in handles
                },
            }
        tokens = {each.id: each.key for each in is_now.tokens.values() if each.id}
        self._paths = {
            (each.key.collection, each.key.path): tokens[each.id].path
            for each in was.tokens.values()
            if each.id in tokens and tokens[each.id].path != each.key.path
        }

    def subject(self, subject: _Subject) -> _Subject:
        """Return what a fact is about, by the names of now."""
        handle, path, said = subject
        spelled = self._contexts.get(handle, {}).get(said, said)
        return self._handles.get(handle, handle), self._paths.get((handle, path), path), spelled
