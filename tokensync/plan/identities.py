"""A common identity for the objects of several graphs of one design file.

An object has the name that the first graph gives it, or a new name if that graph lacks it. Objects are matched in
passes, the most reliable criterion first. A token is matched only within its collection, since a variable cannot change
its collection.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from msgspec import Struct, field

from tokensync.normalize.mapping import unique
from tokensync.system.problems import Problem, problem
from tokensync.system.wording import shortened
from tokensync.tokens import Collection, Extension, Token, TokenGraph, TokenKey
from tokensync.tokens.collection import FamilyKey
from tokensync.tokens.paths import groups_around, path_of

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping, Sequence

    from tokensync.settings import MovedConfig


Scope = tuple[str, str]  # (file, collection's handle); an empty one means any


class Moves:
    """Former names from ``[[moved]]`` entries. Entries may stay: they have no effect once the old name is gone."""

    def __init__(self, entries: Sequence[MovedConfig]) -> None:
        self.any = bool(entries)
        self._former: dict[tuple[str, Scope], dict[str, list[str]]] = {}  # former names by kind, scope and new name
        for entry in entries:
            new, old, collection = entry.to, entry.from_, entry.collection
            if entry.kind in ("token", "group"):
                new, old = path_of(new.split("/")), path_of(old.split("/"))
            elif entry.kind == "collection":
                collection = ""
            self._former.setdefault((entry.kind, (entry.file, collection)), {}).setdefault(new, []).append(old)

    def _tables(self, kind: str, file: str, handle: str = "") -> list[dict[str, list[str]]]:
        """Return the former names by new names in the scopes of a collection, the narrowest first."""
        scopes = dict.fromkeys(((file, handle), (file, ""), ("", handle), ("", "")))
        return [self._former[kind, scope] for scope in scopes if (kind, scope) in self._former]

    def collections(self, file: str, handle: str) -> Iterator[tuple[str, ...]]:
        """Yield the former handles of a collection, the latest first; several entries may give several at once."""
        tables = self._tables("collection", file)
        return _former_names(handle, lambda each: [old for table in tables for old in table.get(each, ())])

    def modes(self, file: str, handle: str, names: Iterable[str]) -> Iterator[tuple[str, ...]]:
        """Yield the former names or contexts of a mode, given its present ones."""
        if tables := self._tables("mode", file, handle):
            for name in names:
                yield from _former_names(name, lambda each: [old for table in tables for old in table.get(each, ())])

    def tokens(self, file: str, handle: str, path: str) -> Iterator[tuple[str, ...]]:
        """Return the former paths of a token: by its own entries, or else by those of its innermost moved group."""
        tokens, groups = self._tables("token", file, handle), self._tables("group", file, handle)
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


Item = TypeVar("Item")
Key = TypeVar("Key", bound="Hashable")
Identity = TypeVar("Identity", bound="Hashable")


def _match_in_passes(
    items: Iterable[Item],
    passes: Iterable[Callable[[Item], Identity | None]],
    matched: dict[Identity, Item],
) -> list[Item]:
    """Match each item with the identity that the first pass finds, each only once, and return the unmatched items."""
    pending = list(items)
    for find in passes:
        unmatched: list[Item] = []
        for item in pending:
            identity = find(item)
            if identity is None or identity in matched:
                unmatched.append(item)
            else:
                matched[identity] = item
        pending = unmatched
        if not pending:
            break
    return pending


def _moved_items(names: Mapping[Item, Identity | None], former: Mapping[Item, Sequence[Identity]]) -> frozenset[Item]:
    """Return the items that have moved, given the identities of the present and the former names.

    An entry is an old one, without an effect, if its new name exists already, and its former name is that of another
    item, which has not moved, or that another item has moved from.
    """
    claims = Counter(identity for each in former.values() for identity in each)
    unmoved = {identity for item, identity in names.items() if identity is not None and not former.get(item)}

    def is_old(item: Item, identities: Sequence[Identity]) -> bool:
        own = names[item]
        is_free = own is not None and not claims[own]
        return is_free and any(identity in unmoved or claims[identity] > 1 for identity in identities)

    return frozenset(item for item, identities in former.items() if not is_old(item, identities))


def _add_unique(entries: dict[Key, Identity | None], key: Key, value: Identity) -> None:
    """Add a value to a key, which may not be empty. A key with several values has none."""
    if key and entries.setdefault(key, value) != value:
        entries[key] = None


SharedNames = dict[Key, dict[Identity, set[int]]]
"""Identities by a name that several may share, with the numbers of the graphs that have them, from 0."""


def _only_unmatched(entries: SharedNames[Key, Identity], name: Key, matched: Container[Identity]) -> Identity | None:
    """Return the unmatched identity with the name if there is exactly one.

    Identities of the first graph take precedence, then those of more graphs: of collections with the same name, one may
    be a copy that nobody has pulled, and one may be deleted.
    """
    ranks = {
        identity: (0 in graphs, len(graphs))
        for identity, graphs in entries.get(name, {}).items()
        if identity not in matched
    }
    best = [identity for identity, rank in ranks.items() if rank == max(ranks.values())]
    return best[0] if len(best) == 1 else None


class _FamilyMatcher(Struct, eq=False):
    """The collection families of several graphs, by the first graph's names."""

    _moves: Moves
    _entries: dict[FamilyKey, Family] = {}
    _by_id: dict[tuple[str, str], FamilyKey] = {}
    _any_id: dict[str, FamilyKey] = {}
    _by_key: dict[str, FamilyKey | None] = {}
    _by_handle: dict[tuple[bool, FamilyKey], FamilyKey] = {}
    _by_name: SharedNames[tuple[str, str], FamilyKey] = {}  # by file and name
    _handles: dict[str, set[str]] = {}  # by file; families and extensions share a namespace
    _graphs: int = 0

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
            lambda each: self._by_handle.get((each.origin == "local", each.key)),
            lambda each: self._any_id.get(each.id) if each.id else None,
            # The folder name of a new collection need not be the handle derived from its name on the platform.
            lambda each: None if each.id else _only_unmatched(self._by_name, (each.file, each.name), matched),
        )
        unmatched = _match_in_passes(graph.collections.values(), passes if self._entries else (), matched)
        families.update((each.key, identity) for identity, each in matched.items())
        for collection in unmatched:
            handle = unique(collection.handle, self._handles.setdefault(collection.file, set()))
            families[collection.key] = (collection.file, handle)
            self._entries[collection.file, handle] = Family(self._handles[collection.file], handle)
        extensions: dict[tuple[FamilyKey, str], str] = {}
        modes: dict[FamilyKey, tuple[str, ...]] = {}
        for each in graph.collections.values():
            identity = families[each.key]
            if each.id:
                self._by_id.setdefault((realm, each.id), identity)
                self._any_id.setdefault(each.id, identity)
            _add_unique(self._by_key, each.collection_key, identity)
            is_own = each.origin == "local"  # else its handle is one of a library
            self._by_handle[is_own, each.key] = identity
            if is_own:
                graphs = self._by_name.setdefault((each.file, each.name), {}).setdefault(identity, set())
                graphs.add(self._graphs)
            family = self._entries[identity]
            own = family.extensions_of(each, realm, self._moves, self._graphs) if each.extensions else {}
            extensions |= {(each.key, handle): name for handle, name in own.items()}
            modes[each.key] = family.modes_of(each, own, realm, self._moves)
        self._graphs += 1
        return families, extensions, modes

    def _by_former_handle(self, each: Collection) -> FamilyKey | None:
        if each.origin != "local":
            return None
        for handles in self._moves.collections(each.file, each.handle):
            for handle in handles:
                former = self._by_handle.get((True, (each.file, handle)))
                if former is not None:
                    return former
        return None


class Family(Struct, eq=False):
    """The extensions and modes of one family, by every name that a graph has for them."""

    _handles: set[str]
    handle: str
    _extension_ids: dict[tuple[str, str], str] = {}
    _any_extension_id: dict[str, str] = {}
    _extension_keys: dict[str, str | None] = {}
    _extension_handles: dict[str, str] = {}
    _extension_names: SharedNames[str, str] = {}
    _contexts: set[str] = field(default_factory=set)
    _mode_ids: dict[tuple[str, str, str], str] = {}  # (realm, owner, id)
    _any_mode_id: dict[tuple[str, str], str] = {}
    _followers: dict[tuple[str, str], str | None] = {}  # by (owner, parent mode)
    _slugs: dict[tuple[str, str], str] = {}
    _names: SharedNames[tuple[str, str], str] = {}

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
            lambda each: None if each.id else _only_unmatched(self._extension_names, each.name, matched),
        )
        unmatched = _match_in_passes(collection.extensions, passes, matched)
        own.update((each.handle, identity) for identity, each in matched.items())
        for extension in unmatched:
            own[extension.handle] = unique(extension.handle, self._handles)
        for each in collection.extensions:
            identity = own[each.handle]
            if each.id:
                self._extension_ids.setdefault((realm, each.id), identity)
                self._any_extension_id.setdefault(each.id, identity)
            _add_unique(self._extension_keys, each.collection_key, identity)
            self._extension_handles[each.handle] = identity
            self._extension_names.setdefault(each.name, {}).setdefault(identity, set()).add(graph)
        return own

    def modes_of(self, collection: Collection, extensions: dict[str, str], realm: str, moves: Moves) -> tuple[str, ...]:
        """Return the identities of the collection's modes in order. Parents are matched before their extensions."""
        modes = collection.modes
        own: dict[int, str] = {}
        matched: dict[str, int] = {}
        handles = list(dict.fromkeys(mode.collection for mode in modes))
        is_known = bool(self._contexts)  # an earlier graph has the family

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
            return _only_unmatched(self._names, (owner(column), modes[column].name), matched)

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
            claims = {}
            if moves.any:
                claims = {column: (identity,) for column in columns if (identity := former(column)) is not None}
            moved = _moved_items({each: named(each) or slugged(each) for each in columns}, claims) if claims else ()
            unmatched = _match_in_passes(columns, passes if is_known else (), matched)
            own.update((column, identity) for identity, column in matched.items())
            for column in unmatched:
                mode, own_owner = modes[column], owner(column)
                is_usual = own_owner in (self.handle, mode.collection)
                own[column] = unique(mode.context if is_usual else f"{own_owner}.{mode.slug}", self._contexts)
        identities = tuple(own[column] for column in range(len(modes)))
        self._add_modes(collection, identities, extensions, realm)
        return identities

    def _add_modes(
        self, collection: Collection, identities: tuple[str, ...], extensions: Mapping[str, str], realm: str
    ) -> None:
        for mode, identity in zip(collection.modes, identities, strict=True):
            owner = extensions.get(mode.collection, self.handle)
            self._contexts.add(identity)
            if mode.id:
                self._mode_ids.setdefault((realm, owner, mode.id), identity)
                self._any_mode_id.setdefault((owner, mode.id), identity)
            if mode.parent is not None:
                _add_unique(self._followers, (owner, identities[mode.parent]), identity)
            self._slugs[owner, mode.slug] = identity
            self._names.setdefault((owner, mode.name), {}).setdefault(identity, set()).add(0)

    def _named(self, owner: str, name: str) -> str | None:
        """Return the mode with a slug, a context or else a name."""
        slug = name.removeprefix(f"{owner}.")
        return (
            self._slugs.get((owner, name))
            or self._slugs.get((owner, slug))
            or _only_unmatched(self._names, (owner, name), {})
        )


def _first(entries: dict[str, str], steps: Iterator[tuple[str, ...]]) -> str | None:
    return next((entries[name] for names in steps for name in names if name in entries), None)


LIVE = ("local", "withheld")
"""The origins of tokens and collections that the file itself has."""


class Names(NamedTuple):
    """The identity of each object of one graph, by its key in that graph.

    ``extensions`` is keyed by (family, handle). ``modes`` holds the identities of a family's modes in order.
    """

    families: Mapping[FamilyKey, FamilyKey]
    extensions: Mapping[tuple[FamilyKey, str], str]
    modes: Mapping[FamilyKey, tuple[str, ...]]
    tokens: Mapping[TokenKey, TokenKey]


class IdentityMap:
    """Identities of the objects of all added graphs.

    Objects are matched by id, by key, by a ``[[moved]]`` entry, by name, and last by an id of another file.
    """

    def __init__(self, moves: Moves | None = None) -> None:
        self.problems: list[Problem] = []
        self._moves = moves or Moves(())
        self._families = _FamilyMatcher(self._moves)
        self._by_id: dict[str, dict[str, TokenKey]] = {}  # by realm
        self._by_key: dict[str, TokenKey | None] = {}
        self._by_path: dict[bool, dict[TokenKey, TokenKey]] = {True: {}, False: {}}  # by whether the token is live
        self._last_paths: dict[TokenKey, str] = {}  # where it differs from the identity's path
        self._assigned: set[TokenKey] = set()
        self._added: list[Mapping[TokenKey, TokenKey]] = []  # the identities of each graph's tokens
        self._live: frozenset[TokenKey] = frozenset()  # of the first graph

    def add(self, graph: TokenGraph, realm: str = "", *, is_last: bool = False) -> Names:
        """Match a graph with those added before and return its names. ``realm`` names the file that its ids are from.

        Names of later graphs take precedence: the base is closer to the token files than the platform is. Nothing is
        remembered of the last graph.
        """
        families, extensions, modes = self._families.add(graph, realm)
        tokens: dict[TokenKey, TokenKey] = {}
        if not self._added:
            tokens = {key: key for key in graph.tokens}
            self._assigned.update(tokens)
            self._live = frozenset(key for key, token in graph.tokens.items() if token.origin in LIVE)
        else:
            for token in self._match(graph.tokens.values(), families, realm, tokens):
                tokens[token.key] = self._new(_in_family(token.key, families))
        if is_last and len(self._added) > 1 and not self._added[0].keys() >= set(tokens.values()):
            self._match_recreated(graph, families, tokens)
        self._added.append(tokens)
        by_id, by_path = self._by_id.setdefault(realm, {}), self._by_path
        same = {key for key, identity in families.items() if key == identity}
        for key, token in () if is_last else graph.tokens.items():
            identity = tokens[key]
            by_id.setdefault(token.id, identity)
            _add_unique(self._by_key, token.variable_key, identity)
            name = key if key[:2] in same else _in_family(key, families)
            by_path[token.origin in LIVE][name] = identity
            if identity is not key and identity[2] != key[2]:
                self._last_paths[identity] = key[2]
        by_id.pop("", None)
        return Names(families, extensions, modes, tokens)

    def _match(
        self,
        tokens: Iterable[Token],
        families: Mapping[FamilyKey, FamilyKey],
        realm: str,
        identities: dict[TokenKey, TokenKey],
    ) -> list[Token]:
        matched: dict[TokenKey, Token] = {}
        moved_elsewhere: list[tuple[Token, TokenKey]] = []
        pending = self._match_by_id(tokens, families, realm, matched, moved_elsewhere)
        identities.update((token.key, identity) for identity, token in matched.items())
        if not pending:
            return pending
        keys: dict[str, TokenKey | None] = {}
        for token in pending:
            _add_unique(keys, token.variable_key, token.key)

        def in_its_family(token: Token, identity: TokenKey | None) -> TokenKey | None:
            return identity if identity is not None and identity[:2] == families[token.key[:2]] else None

        def by_key(token: Token) -> TokenKey | None:
            if not token.variable_key or keys.get(token.variable_key) is None:
                return None
            return in_its_family(token, self._by_key.get(token.variable_key))

        def by_path(token: Token) -> TokenKey | None:
            return self._by_path[token.origin in LIVE].get(_in_family(token.key, families))

        def by_foreign_id(token: Token) -> TokenKey | None:
            known = (own.get(token.id) for name, own in self._by_id.items() if name != realm) if token.id else ()
            return next((key for key in known if in_its_family(token, key) is not None), None)

        @cache
        def moved() -> Container[TokenKey]:
            known = {token.key for token in matched.values()}
            free = [token for token in pending if token.key not in known]
            former = {token.key: found for token in free if (found := self._former_identities(token, families)[1])}
            return _moved_items({token.key: by_path(token) for token in free}, former) if former else ()

        def former(token: Token) -> TokenKey | None:
            return self._former(token, families, matched) if token.key in moved() else None

        passes: Sequence[Callable[[Token], TokenKey | None]] = (by_key, former, by_path, by_foreign_id)
        unmatched = _match_in_passes(pending, passes, matched)
        identities.update((token.key, identity) for identity, token in matched.items())
        for token, identity in moved_elsewhere:
            if identity not in matched:
                self._report_other_collection(token, identity)
        return unmatched

    def _match_recreated(
        self, graph: TokenGraph, families: Mapping[FamilyKey, FamilyKey], identities: dict[TokenKey, TokenKey]
    ) -> None:
        """Match tokens of the last graph whose variables the first graph lacks with new ones of the same names there.

        Both sides may have made the same change: a new variable, or a new type, for which a new variable is needed.
        """
        first, *between = self._added
        lacking = [key for key, identity in identities.items() if identity not in first]
        known = {identity for tokens in between for identity in tokens.values()}
        taken = set(identities.values())
        for key in lacking:
            new = _in_family(key, families)
            if new in self._live and new not in known and new not in taken and graph.tokens[key].origin in LIVE:
                identities[key] = new

    def _match_by_id(
        self,
        tokens: Iterable[Token],
        families: Mapping[FamilyKey, FamilyKey],
        realm: str,
        matched: dict[TokenKey, Token],
        moved_elsewhere: list[tuple[Token, TokenKey]],
    ) -> list[Token]:
        """Match by id, which is enough for most tokens, and return the unmatched ones in order."""
        by_id = self._by_id.get(realm, {})
        unmatched: list[Token] = []
        for token in tokens:
            identity = by_id.get(token.id)
            if identity is None:
                unmatched.append(token)
            elif identity[:2] != families[token.key[:2]]:
                unmatched.append(token)
                moved_elsewhere.append((token, identity))
            elif identity not in matched:
                matched[identity] = token
            else:
                holder = matched[identity]
                original = token if token.key.path == self._last_paths.get(identity, identity.path) else holder
                copy = holder if original is token else token
                matched[identity] = original
                unmatched.append(copy)
                what = f"it has the variable id of {_label(original.key)} and is treated as a new token"
                to_do = "remove the id from the copy"
                self.problems.append(problem("token-id-copied", _label(copy.key), what, to_do))
        return unmatched

    def _former_identities(
        self, token: Token, families: Mapping[FamilyKey, FamilyKey]
    ) -> tuple[tuple[str, ...], tuple[TokenKey, ...]]:
        """Return the token's latest former paths that tokens have, and the identities of these tokens."""
        if token.origin not in LIVE:
            return (), ()
        file, handle, path = token.key
        identity = families[file, handle]
        for paths in self._moves.tokens(file, handle, path):
            known = (self._by_path[True].get(TokenKey(*identity, path)) for path in paths)
            if found := tuple(dict.fromkeys(key for key in known if key is not None)):
                return paths, found
        return (), ()

    def _former(
        self, token: Token, families: Mapping[FamilyKey, FamilyKey], matched: Mapping[TokenKey, Token]
    ) -> TokenKey | None:
        """Return the identity of a former name that the token has, if that is not matched otherwise."""
        paths, candidates = self._former_identities(token, families)
        if len(candidates) > 1:
            what = f"{len(candidates)} [[moved]] entries lead to it from existing tokens"
            to_do = f"keep one of the entries: from {' or '.join(map(_label, candidates))}"
            self.problems.append(problem("moved-ambiguous", _label(token.key), what, to_do))
            return None
        holder = matched.get(candidates[0])
        if holder is not None and holder.key.path in paths:
            return None  # it has not moved: the entry is about another token
        if holder is not None:
            what = f"[[moved]] says it was {_label(candidates[0])}, but that is now {_label(holder.key)}"
            to_do = "correct the [[moved]] entry"
            self.problems.append(problem("moved-ambiguous", _label(token.key), what, to_do))
            return None
        return candidates[0]

    def _report_other_collection(self, token: Token, identity: TokenKey) -> None:
        what = f"it has the id of {_label(identity)}, but a variable cannot change its collection"
        to_do = f"remove the id: it is treated as a new token, and {_label(identity)} as deleted"
        self.problems.append(problem("token-changed-collection", _label(token.key), what, to_do))

    def _new(self, preferred: TokenKey) -> TokenKey:
        identity, number = preferred, 1
        while identity in self._assigned:
            number += 1
            identity = preferred._replace(path=f"{preferred.path}-{number}")
        self._assigned.add(identity)
        return identity


def _in_family(key: TokenKey, families: Mapping[FamilyKey, FamilyKey]) -> TokenKey:
    return TokenKey(*families[key[:2]], key.path)


def _label(key: TokenKey) -> str:
    return shortened(str(key))
