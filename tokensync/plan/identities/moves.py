"""What things were called before, by the configuration's ``[[moved]]`` entries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.tokens.paths import groups_around, path_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from tokensync.settings import MovedConfig

Scope = tuple[str, str]  # (file, collection's handle), either of them empty for any


class Moves:
    """Former names. Entries may stay for ever: one whose former name is not there any more says nothing."""

    def __init__(self, entries: Sequence[MovedConfig]) -> None:
        self._collections: dict[Scope, list[str]] = {}
        self._modes: dict[Scope, dict[str, list[str]]] = {}
        self._tokens: dict[Scope, dict[str, list[str]]] = {}
        self._groups: dict[Scope, dict[str, list[str]]] = {}
        for each in entries:
            match each.kind:
                case "collection":
                    self._collections.setdefault((each.file, each.to), []).append(each.from_)
                case "mode":
                    own = self._modes.setdefault((each.file, each.collection), {})
                    own.setdefault(each.to, []).append(each.from_)
                case "token" | "group":
                    paths = self._tokens if each.kind == "token" else self._groups
                    own = paths.setdefault((each.file, each.collection), {})
                    own.setdefault(_path(each.to), []).append(_path(each.from_))

    def collections(self, file: str, handle: str) -> Iterator[tuple[str, ...]]:
        """The handles that a collection had, the latest first; several at once are several entries' word for it."""
        return _back(
            handle, lambda each: [old for scope in (file, "") for old in self._collections.get((scope, each), ())]
        )

    def modes(self, file: str, handle: str, names: Iterable[str]) -> Iterator[tuple[str, ...]]:
        """The names or contexts that a mode had, which goes by these now."""
        tables = [self._modes[scope] for scope in _scopes(file, handle) if scope in self._modes]
        if tables:
            for name in names:
                yield from _back(name, lambda each: [old for table in tables for old in table.get(each, ())])

    def tokens(self, file: str, handle: str, path: str) -> Iterator[tuple[str, ...]]:
        """The paths that a token had: by its own entries, else by those of its groups, the innermost first."""
        scopes = _scopes(file, handle)
        tokens = [self._tokens[scope] for scope in scopes if scope in self._tokens]
        groups = [self._groups[scope] for scope in scopes if scope in self._groups]
        return _back(path, lambda each: _former_paths(each, tokens, groups)) if tokens or groups else iter(())


def _former_paths(path: str, tokens: list[dict[str, list[str]]], groups: list[dict[str, list[str]]]) -> list[str]:
    found = [old for table in tokens for old in table.get(path, ())]
    if found or not groups:
        return found
    for group in groups_around(path):
        found = [f"{old}{path[len(group) :]}" for table in groups for old in table.get(group, ())]
        if found:
            return found
    return []


def _back(name: str, before: Callable[[str], list[str]]) -> Iterator[tuple[str, ...]]:
    """From a name to those before it, step by step; entries that lead in a circle end it."""
    seen = {name}
    current = [name]
    while current:
        current = list(dict.fromkeys(old for each in current for old in before(each) if old not in seen))
        seen.update(current)
        if current:
            yield tuple(current)


def _scopes(file: str, handle: str) -> tuple[Scope, ...]:
    return ((file, handle), (file, ""), ("", handle), ("", ""))


def _path(spelled: str) -> str:
    """``a/b`` as a path."""
    return path_of(spelled.split("/"))
