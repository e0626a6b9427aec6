"""Match collections, extensions and modes of several graphs: in passes, the surest sign first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from tokensync.mapping import unique
from tokensync.tokens.paths import groups_around, path_of

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Sequence

    from tokensync.settings import MovedConfig
    from tokensync.tokens import Collection, Extension, Mode, TokenGraph
    from tokensync.tokens.collection import FamilyKey


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
        """Return the handles that a collection had, the latest first; several at once are several entries'
        word for it.
        """
        return _back(
            handle, lambda each: [old for scope in (file, "") for old in self._collections.get((scope, each), ())]
        )

    def modes(self, file: str, handle: str, names: Iterable[str]) -> Iterator[tuple[str, ...]]:
        """Yield the names or contexts that a mode had, which goes by these now."""
        tables = [self._modes[scope] for scope in _scopes(file, handle) if scope in self._modes]
        if tables:
            for name in names:
                yield from _back(name, lambda each: [old for table in tables for old in table.get(each, ())])

    def tokens(self, file: str, handle: str, path: str) -> Iterator[tuple[str, ...]]:
        """Return the paths that a token had: by its own entries, else by those of its groups, the innermost first."""
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


Thing = TypeVar("Thing")
Key = TypeVar("Key", bound="Hashable")
Identity = TypeVar("Identity", bound="Hashable")


def in_passes(
    things: Iterable[Thing],
    passes: Iterable[Callable[[Thing], Identity | None]],
    taken: dict[Identity, Thing],
    found: Callable[[Thing, Identity], None],
) -> list[Thing]:
    """Give each thing the identity that the first pass finds for it; no two get the same. Returns those left over."""
    waiting = list(things)
    for find in passes:
        left: list[Thing] = []
        for thing in waiting:
            identity = find(thing)
            if identity is None or identity in taken:
                left.append(thing)
            else:
                taken[identity] = thing
                found(thing, identity)
        waiting = left
        if not waiting:
            break
    return waiting


class Index(Generic[Key, Identity]):
    """What goes by a key that may not be unique: then it names nothing."""

    def __init__(self) -> None:
        self._known: dict[Key, Identity | None] = {}

    def add(self, key: Key, value: Identity) -> None:
        """Note a value under the key. The same one may be noted again."""
        if key and self._known.setdefault(key, value) != value:
            self._known[key] = None

    def get(self, key: Key) -> Identity | None:
        """Return the one value of the key, if there is just one."""
        return self._known.get(key)


class Named(Generic[Key, Identity]):
    """What goes by a name that several may have: it names the one of them that nothing else is."""

    def __init__(self) -> None:
        self._known: dict[Key, set[Identity]] = {}

    def add(self, name: Key, identity: Identity) -> None:
        """Note what goes by the name."""
        self._known.setdefault(name, set()).add(identity)

    def free(self, name: Key, taken: Container[Identity]) -> Identity | None:
        """Return what goes by the name and is not taken, if there is just one."""
        left = [each for each in self._known.get(name, ()) if each not in taken]
        return left[0] if len(left) == 1 else None


class Families:
    """The collection families of several graphs. The first graph's names are the identities."""

    def __init__(self, moves: Moves) -> None:
        self._moves = moves
        self._known: dict[FamilyKey, Family] = {}
        self._by_id: dict[tuple[str, str], FamilyKey] = {}
        self._any_id: dict[str, FamilyKey] = {}
        self._by_key: Index[str, FamilyKey] = Index()
        self._by_handle: dict[tuple[bool, FamilyKey], FamilyKey] = {}
        self._by_name: Named[tuple[str, str], FamilyKey] = Named()  # by file and name
        self._handles: dict[str, set[str]] = {}  # by file: of families and extensions, which share a namespace

    def add(
        self, graph: TokenGraph, realm: str
    ) -> tuple[dict[FamilyKey, FamilyKey], dict[tuple[FamilyKey, str], str], dict[FamilyKey, tuple[str, ...]]]:
        """Match a graph's families, extensions and modes, and remember what they are called there.

        ``realm`` names the file whose ids the graph carries: in another one they are the weakest sign.
        """
        families: dict[FamilyKey, FamilyKey] = {}
        taken: dict[FamilyKey, Collection] = {}
        passes: Sequence[Callable[[Collection], FamilyKey | None]] = (
            lambda each: self._by_id.get((realm, each.id)) if each.id else None,
            lambda each: self._by_key.get(each.collection_key),
            self._by_former_handle,
            lambda each: self._by_handle.get((_is_here(each), each.key)),
            lambda each: self._any_id.get(each.id) if each.id else None,
            # The folder of a new collection need not be called as the platform's name makes its handle.
            lambda each: None if each.id else self._by_name.free((each.file, each.name), taken),
        )
        left = in_passes(
            graph.collections.values(), passes, taken, lambda each, identity: families.__setitem__(each.key, identity)
        )
        for each in left:
            handle = unique(each.handle, self._handles.setdefault(each.file, set()))
            families[each.key] = (each.file, handle)
            self._known[each.file, handle] = Family(self._handles[each.file], handle)
        extensions: dict[tuple[FamilyKey, str], str] = {}
        modes: dict[FamilyKey, tuple[str, ...]] = {}
        for each in graph.collections.values():
            identity = families[each.key]
            self._note(each, identity, realm)
            family = self._known[identity]
            own = family.extensions_of(each, realm, self._moves)
            extensions |= {(each.key, handle): name for handle, name in own.items()}
            modes[each.key] = family.modes_of(each, own, realm, self._moves)
        return families, extensions, modes

    def _note(self, each: Collection, identity: FamilyKey, realm: str) -> None:
        if each.id:
            self._by_id.setdefault((realm, each.id), identity)
            self._any_id.setdefault(each.id, identity)
        self._by_key.add(each.collection_key, identity)
        self._by_handle[_is_here(each), each.key] = identity
        if _is_here(each):
            self._by_name.add((each.file, each.name), identity)

    def _by_former_handle(self, each: Collection) -> FamilyKey | None:
        if not _is_here(each):
            return None
        for handles in self._moves.collections(each.file, each.handle):
            for handle in handles:
                found = self._by_handle.get((True, (each.file, handle)))
                if found is not None:
                    return found
        return None


class Family:
    """One family: its extensions and modes by every name that a graph has for them."""

    def __init__(self, handles: set[str], handle: str) -> None:
        self.handle = handle
        self._handles = handles
        self._extension_ids: dict[tuple[str, str], str] = {}
        self._any_extension_id: dict[str, str] = {}
        self._extension_keys: Index[str, str] = Index()
        self._extension_handles: dict[str, str] = {}
        self._extension_names: Named[str, str] = Named()
        self._contexts: set[str] = set()
        self._mode_ids: dict[tuple[str, str, str], str] = {}  # (realm, owner, id)
        self._any_mode_id: dict[tuple[str, str], str] = {}
        self._followers: Index[tuple[str, str], str] = Index()  # by (owner, parent mode)
        self._slugs: dict[tuple[str, str], str] = {}
        self._names: Named[tuple[str, str], str] = Named()

    def extensions_of(self, collection: Collection, realm: str, moves: Moves) -> dict[str, str]:
        """Return the identities of the collection's extensions, by handle."""
        own: dict[str, str] = {}
        taken: dict[str, Extension] = {}
        passes: Sequence[Callable[[Extension], str | None]] = (
            lambda each: self._extension_ids.get((realm, each.id)) if each.id else None,
            lambda each: self._extension_keys.get(each.collection_key),
            lambda each: _first(self._extension_handles, moves.collections(collection.file, each.handle)),
            lambda each: self._extension_handles.get(each.handle),
            lambda each: self._any_extension_id.get(each.id) if each.id else None,
            lambda each: None if each.id else self._extension_names.free(each.name, taken),
        )
        left = in_passes(
            collection.extensions, passes, taken, lambda each, identity: own.__setitem__(each.handle, identity)
        )
        for each in left:
            own[each.handle] = unique(each.handle, self._handles)
        for each in collection.extensions:
            identity = own[each.handle]
            if each.id:
                self._extension_ids.setdefault((realm, each.id), identity)
                self._any_extension_id.setdefault(each.id, identity)
            self._extension_keys.add(each.collection_key, identity)
            self._extension_handles[each.handle] = identity
            self._extension_names.add(each.name, identity)
        return own

    def modes_of(self, collection: Collection, extensions: dict[str, str], realm: str, moves: Moves) -> tuple[str, ...]:
        """Return the identities of the collection's modes, in order; parents are matched before those that
        follow them.
        """
        modes = collection.modes
        own: dict[int, str] = {}
        taken: dict[str, int] = {}
        handles = list(dict.fromkeys(each.collection for each in modes))

        def owner(column: int) -> str:
            return extensions.get(modes[column].collection, self.handle)

        def former(column: int) -> str | None:
            mode = modes[column]
            steps = moves.modes(collection.file, mode.collection, dict.fromkeys((mode.name, mode.context, mode.slug)))
            for names in steps:
                for name in names:
                    found = self._named(owner(column), name)
                    if found is not None:
                        return found
            return None

        def follower(column: int) -> str | None:
            parent = modes[column].parent
            return self._followers.get((owner(column), own[parent])) if parent is not None and parent in own else None

        passes: Sequence[Callable[[int], str | None]] = (
            lambda column: self._mode_ids.get((realm, owner(column), modes[column].id)) if modes[column].id else None,
            follower,
            former,
            lambda column: self._slugs.get((owner(column), modes[column].slug)),
            lambda column: self._names.free((owner(column), modes[column].name), taken),
            lambda column: self._any_mode_id.get((owner(column), modes[column].id)) if modes[column].id else None,
        )
        for handle in handles:
            columns = [column for column, mode in enumerate(modes) if mode.collection == handle]
            for column in in_passes(columns, passes, taken, own.__setitem__):
                own[column] = unique(self._usual_context(modes[column], owner(column)), self._contexts)
        for column, mode in enumerate(modes):
            self._note_mode(mode, owner(column), own[column], None if mode.parent is None else own[mode.parent], realm)
        return tuple(own[column] for column in range(len(modes)))

    def _usual_context(self, mode: Mode, owner: str) -> str:
        return mode.context if owner == self.handle or owner == mode.collection else f"{owner}.{mode.slug}"

    def _named(self, owner: str, name: str) -> str | None:
        """By slug, by context, else by name."""
        slug = name.removeprefix(f"{owner}.")
        return self._slugs.get((owner, name)) or self._slugs.get((owner, slug)) or self._names.free((owner, name), {})

    def _note_mode(self, mode: Mode, owner: str, identity: str, parent: str | None, realm: str) -> None:
        self._contexts.add(identity)
        if mode.id:
            self._mode_ids.setdefault((realm, owner, mode.id), identity)
            self._any_mode_id.setdefault((owner, mode.id), identity)
        if parent is not None:
            self._followers.add((owner, parent), identity)
        self._slugs[owner, mode.slug] = identity
        self._names.add((owner, mode.name), identity)


def _first(known: dict[str, str], steps: Iterator[tuple[str, ...]]) -> str | None:
    return next((known[name] for names in steps for name in names if name in known), None)


def _is_here(collection: Collection) -> bool:
    """Return whether the file itself has the collection: its handle says nothing about those of libraries."""
    return collection.origin == "local"
