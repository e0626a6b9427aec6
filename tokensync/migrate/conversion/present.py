"""What a design file has before a migration: its collections, modes and variables, which a second migration updates.

Variables are matched by key, then by id, then by name; collections and modes by id, then by name.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from tokensync.mapping import COLLECTION, MODE, slug, unique
from tokensync.tokens import Collection, Mode, TokenKey

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tokensync.migrate.conversion.mapping_file import MappedCollection
    from tokensync.migrate.source import SourceTheme
    from tokensync.tokens import Token, TokenGraph


class Family(NamedTuple):
    """A collection as it will be, and the column of each mapped mode in it."""

    collection: Collection
    columns: tuple[int, ...]

    @property
    def added(self) -> int:
        """Return the number of its modes."""
        return len(self.collection.modes)


class Present:
    """The local collections and tokens of a design file."""

    def __init__(self, graph: TokenGraph, file: str) -> None:
        self.graph = graph
        self.file = file
        self._collections = [
            each for each in graph.collections.values() if each.file == file and each.origin == "local"
        ]
        tokens = [each for key, each in graph.tokens.items() if key.file == file and each.origin == "local"]
        self._by_key = {each.variable_key: each for each in tokens if each.variable_key}
        self._by_id = {each.id: each for each in tokens if each.id}
        self._handles = {each.handle for each in graph.collections.values() if each.file == file}
        self._taken: set[str] = set()
        self._handles |= {one.handle for each in graph.collections.values() for one in each.extensions}

    def collection(
        self, mapped: MappedCollection, themes: Iterable[SourceTheme], identities: Iterable[str]
    ) -> Collection | None:
        """Return the collection of a mapped one, if there is one: by the id in its themes, by name, or by variables.

        ``identities`` are the keys and ids of the variables that its tokens were.
        """
        ids = {each.collection_id for each in themes if each.collection_id}
        by_id = next((each for each in self._collections if each.id in ids), None)
        folded = mapped.name.strip().casefold()
        by_name = next((each for each in self._collections if each.name.strip().casefold() == folded), None)
        if by_id or by_name or not self.has_identities:
            return by_id or by_name
        found = Counter(
            token.key[:2] for each in identities if (token := self._by_key.get(each) or self._by_id.get(each))
        )
        names = {each.name.casefold() for each in mapped.modes}

        def rank(key: tuple[str, str]) -> tuple[int, int]:
            modes = self.graph.collections[key].modes
            return sum(each.name.strip().casefold() in names for each in modes), found[key]

        return self.graph.collections[max(found, key=rank)] if found else None

    def family(self, mapped: MappedCollection, themes: Sequence[SourceTheme], identities: Iterable[str] = ()) -> Family:
        """Return the collection with the modes of a mapped one; present modes and their order stay.

        A collection of the design file belongs to the first mapped one that finds it.
        """
        present = self.collection(mapped, themes, identities)
        present = None if present is not None and present.handle in self._taken else present
        names = [each.name for each in mapped.modes] or ["Default"]
        mode_ids = [each.mode_id for each in themes] or [""]
        if present is not None:
            self._taken.add(present.handle)
        else:
            handle = unique(slug(mapped.name, COLLECTION), self._handles)
            modes, _ = _with_modes((), handle, names, mode_ids)
            return Family(
                Collection(file=self.file, handle=handle, name=mapped.name, modes=modes), tuple(range(len(modes)))
            )
        own = [each for each in present.modes if each.collection == present.handle]
        if not mapped.modes:
            return Family(present, (present.default_mode,))
        if len(own) == len(names) == 1:  # a collection of one mode keeps its name
            return Family(present, (present.modes.index(own[0]),))
        modes, columns = _with_modes(present.modes, present.handle, names, mode_ids)
        return Family(replace(present, modes=modes), columns)

    @property
    def has_identities(self) -> bool:
        """Return whether any variable has a key or an id."""
        return bool(self._by_key or self._by_id)

    def tokens(self, keys: Iterable[str], ids: Iterable[str]) -> list[Token]:
        """Return the variables with one of these keys, then those with one of these ids."""
        found = [*map(self._by_key.get, keys), *map(self._by_id.get, ids)]
        return [*{each.key: each for each in found if each is not None}.values()]

    def named(self, handle: str, path: str) -> Token | None:
        """Return the local token with a path in a collection."""
        found = self.graph.tokens.get(TokenKey(self.file, handle, path))
        return found if found is not None and found.origin == "local" else None

    def tokens_of(self, handle: str) -> Iterable[Token]:
        """Return the local tokens of a collection."""
        return (
            each for key, each in self.graph.tokens.items() if key[:2] == (self.file, handle) and each.origin == "local"
        )


def _with_modes(
    present: tuple[Mode, ...], handle: str, names: Sequence[str], ids: Sequence[str]
) -> tuple[tuple[Mode, ...], tuple[int, ...]]:
    """Return the modes with those that are missing at the end, and the column of each name."""
    modes = [*present]
    slugs = {each.slug for each in modes if each.collection == handle}
    contexts = {each.context for each in modes}
    columns: list[int] = []
    for name, mode_id in zip(names, ids, strict=True):
        own = [at for at, each in enumerate(modes) if each.collection == handle and at not in columns]
        found = next((at for at in own if mode_id and modes[at].id == mode_id), None)
        if found is None:
            folded = name.casefold()
            found = next((at for at in own if modes[at].name.strip().casefold() == folded), None)
        if found is None:
            found = len(modes)
            own_slug = unique(slug(name, MODE), slugs)
            modes.append(Mode(name=name, collection=handle, slug=own_slug, context=unique(own_slug, contexts)))
        columns.append(found)
    return tuple(modes), tuple(columns)
