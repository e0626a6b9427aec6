"""Two states of a file, fact by fact: which tokens and collections are new, gone, renamed or changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from tokensync.commands.lock import facts
from tokensync.mapping import name_of_path
from tokensync.report.differences import Change, Difference

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tokensync.tokens import TokenGraph, TokenKey

_Subject = tuple[str, str]
"""The collection's handle and the token's path, which is empty for the collection itself."""

_IDENTITY = frozenset({"id", "variable key", "collection key", "key", "origin", "published"})
"""What the platform gives to things: no part of what they are."""


def compared(before: TokenGraph, after: TokenGraph, file: str) -> tuple[Difference, ...]:
    """Return what differs between two graphs of one file, in the order of the later one; what is gone comes last.

    A token is the same in both by the variable's id, else by its path. Only local things count.
    """
    renamed = _renamed(before, after, file)
    first, second = _told(before, file, renamed), _told(after, file, {})
    order = dict.fromkeys((*_subjects(after, file), *_subjects(before, file)))
    return tuple(
        each
        for subject in order
        if subject in first or subject in second
        if (each := _difference(file, subject, first.get(subject), second.get(subject), renamed)) is not None
    )


def _renamed(before: TokenGraph, after: TokenGraph, file: str) -> Mapping[_Subject, _Subject]:
    """Names of before to names of after, of tokens that carry one id and have moved within their collection."""
    at_first = _by_id(before, file)
    found = {}
    for identity, key in _by_id(after, file).items():
        old = at_first.get(identity)
        if old is not None and old != key and old.collection == key.collection:
            found[old.collection, old.path] = (key.collection, key.path)
    return found


def _by_id(graph: TokenGraph, file: str) -> dict[str, TokenKey]:
    return {
        token.id: key
        for key, token in graph.tokens.items()
        if token.id and token.origin == "local" and key.file == file
    }


def _subjects(graph: TokenGraph, file: str) -> Iterator[_Subject]:
    yield from ((each.handle, "") for each in graph.collections.values() if each.file == file)
    yield from ((key.collection, key.path) for key in graph.tokens if key.file == file)


def _told(graph: TokenGraph, file: str, renamed: Mapping[_Subject, _Subject]) -> dict[_Subject, dict[str, Any]]:
    """Return what is said of each subject, by what it is called now."""
    told: dict[_Subject, dict[str, Any]] = {}
    foreign: set[_Subject] = set()
    for line in facts(graph, file, ""):
        _, handle, path, said, value = msgspec.json.decode(line)
        if not handle:
            continue
        subject = renamed.get((handle, path), (handle, path))
        if said == "origin" and value != "local":
            foreign.add(subject)
        if said not in _IDENTITY:
            told.setdefault(subject, {})[said] = _content(said, value, file, renamed)
    return {subject: each for subject, each in told.items() if subject not in foreign}


def _content(said: str, value: Any, file: str, renamed: Mapping[_Subject, _Subject]) -> Any:
    """Return a fact's value without ids, and with aliases by the names of now."""
    if said.startswith("mode "):
        name, _, _, parent = value
        return {"name": name, "follows": parent} if parent else {"name": name}
    if said.startswith("extension "):
        name, _, _, hidden, parent = value
        return {"name": name, "hidden": hidden, "extends": parent}
    return _followed(value, file, renamed) if renamed and isinstance(value, dict) else value


def _followed(value: dict[str, Any], file: str, renamed: Mapping[_Subject, _Subject]) -> dict[str, Any]:
    followed = {
        name: _followed(each, file, renamed) if isinstance(each, dict) else each for name, each in value.items()
    }
    target = value.get("alias")
    if isinstance(target, list) and target[0] == file:
        followed["alias"] = [file, *renamed.get((target[1], target[2]), (target[1], target[2]))]
    return followed


def _difference(
    file: str,
    subject: _Subject,
    before: dict[str, Any] | None,
    after: dict[str, Any] | None,
    renamed: Mapping[_Subject, _Subject],
) -> Difference | None:
    handle, path = subject
    name = name_of_path(path) if path else ""
    if before is None or after is None:
        said = after or before or {}
        gone = after is None
        changes = tuple(
            Change(each, value if gone else None, None if gone else value) for each, value in sorted(said.items())
        )
        return Difference(file, handle, name, "gone" if gone else "new", changes)
    old = next((each for each, now in renamed.items() if now == subject), None) if path else None
    changes = tuple(
        Change(each, before.get(each), after.get(each))
        for each in sorted({*before, *after})
        if before.get(each) != after.get(each)
    )
    if old is not None:
        changes = (Change("name", name_of_path(old[1]), name), *changes)
    return Difference(file, handle, name, "changed", changes) if changes else None
