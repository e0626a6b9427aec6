"""Match the collections, extensions and modes of several graphs in passes, the most reliable criterion first."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Generic, TypeVar

from tokensync.normalize.mapping import unique
from tokensync.tokens.paths import groups_around, path_of

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping, Sequence

    from tokensync.settings import MovedConfig
    from tokensync.tokens import Collection, Extension, Mode, TokenGraph
    from tokensync.tokens.collection import FamilyKey


Scope = tuple[str, str]  # (file, collection's handle); an empty one means any


class Moves:
    """Former names from ``[[moved]]`` entries. Entries may stay: they have no effect once the old name is gone."""

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
        """Yield the former handles of a collection, the latest first; several entries may give several at once."""
        return _former_names(
            handle, lambda each: [old for scope in (file, "") for old in self._collections.get((scope, each), ())]
        )

    def modes(self, file: str, handle: str, names: Iterable[str]) -> Iterator[tuple[str, ...]]:
        """Yield the former names or contexts of a mode, given its present ones."""
        tables = [self._modes[scope] for scope in _scopes(file, handle) if scope in self._modes]
        if tables:
            for name in names:
                yield from _former_names(name, lambda each: [old for table in tables for old in table.get(each, ())])

    def tokens(self, file: str, handle: str, path: str) -> Iterator[tuple[str, ...]]:
        """Return the former paths of a token: by its own entries, or else by those of its innermost moved group."""
        scopes = _scopes(file, handle)
        tokens = [self._tokens[scope] for scope in scopes if scope in self._tokens]
        groups = [self._groups[scope] for scope in scopes if scope in self._groups]
        return _former_names(path, lambda each: _former_paths(each, tokens, groups)) if tokens or groups else iter(())


def _former_paths(path: str, tokens: list[dict[str, list[str]]], groups: list[dict[str, list[str]]]) -> list[str]:
    former = [old for table in tokens for old in table.get(path, ())]
    if former or not groups:
        return former
    for group in groups_around(path):
        former = [f"{old}{path[len(group) :]}" for table in groups for old in table.get(group, ())]
        if former:
            return former
    return []


def _former_names(name: str, formers: Callable[[str], list[str]]) -> Iterator[tuple[str, ...]]:
    """Yield the names before a name, step by step, and stop at a cycle."""
    seen = {name}
    current = [name]
    while current:
        current = list(dict.fromkeys(old for each in current for old in formers(each) if old not in seen))
        seen.update(current)
        if current:
            yield tuple(current)


def _scopes(file: str, handle: str) -> tuple[Scope, ...]:
    return ((file, handle), (file, ""), ("", handle), ("", ""))


def _path(spelled: str) -> str:
    """Return ``a/b`` as a path."""
    return path_of(spelled.split("/"))


Item = TypeVar("Item")
Key = TypeVar("Key", bound="Hashable")
Identity = TypeVar("Identity", bound="Hashable")


def match_in_passes(
    items: Iterable[Item],
    passes: Iterable[Callable[[Item], Identity | None]],
    matched: dict[Identity, Item],
    assign: Callable[[Item, Identity], None],
) -> list[Item]:
    """Assign each item the identity that the first pass finds, each only once, and return the unmatched items."""
    pending = list(items)
    for find in passes:
        unmatched: list[Item] = []
        for item in pending:
            identity = find(item)
            if identity is None or identity in matched:
                unmatched.append(item)
            else:
                matched[identity] = item
                assign(item, identity)
        pending = unmatched
        if not pending:
            break
    return pending


def moved_items(names: Mapping[Item, Identity | None], former: Mapping[Item, Sequence[Identity]]) -> frozenset[Item]:
    """Return the items that have moved, given the identities of the present and the former names.

    An entry is an old one, without an effect, if its new name exists already, and its former name is that of another
    item, which has not moved, or that another item has moved from.
    """
    claims = Counter(identity for each in former.values() for identity in each)
    unmoved = {identity for item, identity in names.items() if identity is not None and not former.get(item)}

    def is_old(item: Item, identities: Sequence[Identity]) -> bool:
        own = names[item]
        is_free = own is not None and not claims[own]
        return is_free and any(each in unmoved or claims[each] > 1 for each in identities)

    return frozenset(item for item, identities in former.items() if not is_old(item, identities))


class UniqueIndex(Generic[Key, Identity]):
    """Values by key; a key with several values has none."""

    def __init__(self) -> None:
        self._entries: dict[Key, Identity | None] = {}

    def add(self, key: Key, value: Identity) -> None:
        """Add a value to the key. The same value may be added again."""
        if key and self._entries.setdefault(key, value) != value:
            self._entries[key] = None

    def get(self, key: Key) -> Identity | None:
        """Return the value of the key if there is exactly one."""
        return self._entries.get(key)


class NameIndex(Generic[Key, Identity]):
    """Identities by a name that several may share."""

    def __init__(self) -> None:
        self._entries: dict[Key, dict[Identity, set[int]]] = {}

    def add(self, name: Key, identity: Identity, graph: int = 0) -> None:
        """Add an identity with the name; ``graph`` is the number of a graph that has it, from 0."""
        self._entries.setdefault(name, {}).setdefault(identity, set()).add(graph)

    def only_unmatched(self, name: Key, matched: Container[Identity]) -> Identity | None:
        """Return the unmatched identity with the name if there is exactly one.

        Identities of the first graph take precedence, then those of more graphs: of collections with the same name,
        one may be a copy that nobody has pulled, and one may be deleted.
        """
        ranks = {
            each: (0 in graphs, len(graphs))
            for each, graphs in self._entries.get(name, {}).items()
            if each not in matched
        }
        best = [each for each, rank in ranks.items() if rank == max(ranks.values())]
        return best[0] if len(best) == 1 else None


class FamilyMatcher:
    """The collection families of several graphs, by the first graph's names."""

    def __init__(self, moves: Moves) -> None:
        self._moves = moves
        self._entries: dict[FamilyKey, Family] = {}
        self._by_id: dict[tuple[str, str], FamilyKey] = {}
        self._any_id: dict[str, FamilyKey] = {}
        self._by_key: UniqueIndex[str, FamilyKey] = UniqueIndex()
        self._by_handle: dict[tuple[bool, FamilyKey], FamilyKey] = {}
        self._by_name: NameIndex[tuple[str, str], FamilyKey] = NameIndex()  # by file and name
        self._handles: dict[str, set[str]] = {}  # by file; families and extensions share a namespace
        self._graphs = 0

    def add(
        self, graph: TokenGraph, realm: str
    ) -> tuple[dict[FamilyKey, FamilyKey], dict[tuple[FamilyKey, str], str], dict[FamilyKey, tuple[str, ...]]]:
        """Match a graph's families, extensions and modes, and return their identities.

        ``realm`` names the file that the graph's ids are from: ids of another file are the weakest criterion.
        """
        families: dict[FamilyKey, FamilyKey] = {}
        matched: dict[FamilyKey, Collection] = {}
        passes: Sequence[Callable[[Collection], FamilyKey | None]] = (
            lambda each: self._by_id.get((realm, each.id)) if each.id else None,
            lambda each: self._by_key.get(each.collection_key),
            self._by_former_handle,
            lambda each: self._by_handle.get((_is_local(each), each.key)),
            lambda each: self._any_id.get(each.id) if each.id else None,
            # The folder name of a new collection need not be the handle derived from its name on the platform.
            lambda each: None if each.id else self._by_name.only_unmatched((each.file, each.name), matched),
        )
        unmatched = match_in_passes(
            graph.collections.values(), passes, matched, lambda each, identity: families.__setitem__(each.key, identity)
        )
        for each in unmatched:
            handle = unique(each.handle, self._handles.setdefault(each.file, set()))
            families[each.key] = (each.file, handle)
            self._entries[each.file, handle] = Family(self._handles[each.file], handle)
        extensions: dict[tuple[FamilyKey, str], str] = {}
        modes: dict[FamilyKey, tuple[str, ...]] = {}
        for each in graph.collections.values():
            identity = families[each.key]
            self._add(each, identity, realm)
            family = self._entries[identity]
            own = family.extensions_of(each, realm, self._moves, self._graphs)
            extensions |= {(each.key, handle): name for handle, name in own.items()}
            modes[each.key] = family.modes_of(each, own, realm, self._moves)
        self._graphs += 1
        return families, extensions, modes

    def _add(self, each: Collection, identity: FamilyKey, realm: str) -> None:
        if each.id:
            self._by_id.setdefault((realm, each.id), identity)
            self._any_id.setdefault(each.id, identity)
        self._by_key.add(each.collection_key, identity)
        self._by_handle[_is_local(each), each.key] = identity
        if _is_local(each):
            self._by_name.add((each.file, each.name), identity, self._graphs)

    def _by_former_handle(self, each: Collection) -> FamilyKey | None:
        if not _is_local(each):
            return None
        for handles in self._moves.collections(each.file, each.handle):
            for handle in handles:
                former = self._by_handle.get((True, (each.file, handle)))
                if former is not None:
                    return former
        return None


class Family:
    """The extensions and modes of one family, by every name that a graph has for them."""

    def __init__(self, handles: set[str], handle: str) -> None:
        self.handle = handle
        self._handles = handles
        self._extension_ids: dict[tuple[str, str], str] = {}
        self._any_extension_id: dict[str, str] = {}
        self._extension_keys: UniqueIndex[str, str] = UniqueIndex()
        self._extension_handles: dict[str, str] = {}
        self._extension_names: NameIndex[str, str] = NameIndex()
        self._contexts: set[str] = set()
        self._mode_ids: dict[tuple[str, str, str], str] = {}  # (realm, owner, id)
        self._any_mode_id: dict[tuple[str, str], str] = {}
        self._followers: UniqueIndex[tuple[str, str], str] = UniqueIndex()  # by (owner, parent mode)
        self._slugs: dict[tuple[str, str], str] = {}
        self._names: NameIndex[tuple[str, str], str] = NameIndex()

    def extensions_of(self, collection: Collection, realm: str, moves: Moves, graph: int) -> dict[str, str]:
        """Return the identities of the collection's extensions, by handle. ``graph`` is the graph's number."""
        own: dict[str, str] = {}
        matched: dict[str, Extension] = {}
        passes: Sequence[Callable[[Extension], str | None]] = (
            lambda each: self._extension_ids.get((realm, each.id)) if each.id else None,
            lambda each: self._extension_keys.get(each.collection_key),
            lambda each: _first(self._extension_handles, moves.collections(collection.file, each.handle)),
            lambda each: self._extension_handles.get(each.handle),
            lambda each: self._any_extension_id.get(each.id) if each.id else None,
            lambda each: None if each.id else self._extension_names.only_unmatched(each.name, matched),
        )
        unmatched = match_in_passes(
            collection.extensions, passes, matched, lambda each, identity: own.__setitem__(each.handle, identity)
        )
        for each in unmatched:
            own[each.handle] = unique(each.handle, self._handles)
        for each in collection.extensions:
            identity = own[each.handle]
            if each.id:
                self._extension_ids.setdefault((realm, each.id), identity)
                self._any_extension_id.setdefault(each.id, identity)
            self._extension_keys.add(each.collection_key, identity)
            self._extension_handles[each.handle] = identity
            self._extension_names.add(each.name, identity, graph)
        return own

    def modes_of(self, collection: Collection, extensions: dict[str, str], realm: str, moves: Moves) -> tuple[str, ...]:
        """Return the identities of the collection's modes in order. Parents are matched before their extensions."""
        modes = collection.modes
        own: dict[int, str] = {}
        matched: dict[str, int] = {}
        handles = list(dict.fromkeys(each.collection for each in modes))

        def owner(column: int) -> str:
            return extensions.get(modes[column].collection, self.handle)

        def former(column: int) -> str | None:
            mode = modes[column]
            steps = moves.modes(collection.file, mode.collection, dict.fromkeys((mode.name, mode.context, mode.slug)))
            for names in steps:
                for name in names:
                    former = self._named(owner(column), name)
                    if former is not None:
                        return former
            return None

        def follower(column: int) -> str | None:
            parent = modes[column].parent
            return self._followers.get((owner(column), own[parent])) if parent is not None and parent in own else None

        def named(column: int) -> str | None:
            return self._names.only_unmatched((owner(column), modes[column].name), matched)

        def slugged(column: int) -> str | None:
            return self._slugs.get((owner(column), modes[column].slug))

        passes: Sequence[Callable[[int], str | None]] = (
            lambda column: self._mode_ids.get((realm, owner(column), modes[column].id)) if modes[column].id else None,
            follower,
            lambda column: former(column) if column in moved else None,
            named,
            slugged,
            lambda column: self._any_mode_id.get((owner(column), modes[column].id)) if modes[column].id else None,
        )
        for handle in handles:
            columns = [column for column, mode in enumerate(modes) if mode.collection == handle]
            claims = {each: (identity,) for each in columns if (identity := former(each)) is not None}
            moved = moved_items({each: named(each) or slugged(each) for each in columns}, claims) if claims else ()
            for column in match_in_passes(columns, passes, matched, own.__setitem__):
                mode, own_owner = modes[column], owner(column)
                is_usual = own_owner in (self.handle, mode.collection)
                own[column] = unique(mode.context if is_usual else f"{own_owner}.{mode.slug}", self._contexts)
        for column, mode in enumerate(modes):
            self._add_mode(mode, owner(column), own[column], None if mode.parent is None else own[mode.parent], realm)
        return tuple(own[column] for column in range(len(modes)))

    def _named(self, owner: str, name: str) -> str | None:
        """Return the mode with a slug, a context or else a name."""
        slug = name.removeprefix(f"{owner}.")
        return (
            self._slugs.get((owner, name))
            or self._slugs.get((owner, slug))
            or self._names.only_unmatched((owner, name), {})
        )

    def _add_mode(self, mode: Mode, owner: str, identity: str, parent: str | None, realm: str) -> None:
        self._contexts.add(identity)
        if mode.id:
            self._mode_ids.setdefault((realm, owner, mode.id), identity)
            self._any_mode_id.setdefault((owner, mode.id), identity)
        if parent is not None:
            self._followers.add((owner, parent), identity)
        self._slugs[owner, mode.slug] = identity
        self._names.add((owner, mode.name), identity)


def _first(entries: dict[str, str], steps: Iterator[tuple[str, ...]]) -> str | None:
    return next((entries[name] for names in steps for name in names if name in entries), None)


def _is_local(collection: Collection) -> bool:
    """Return whether the collection is the file's own, so that its handle is not one of a library."""
    return collection.origin == "local"
