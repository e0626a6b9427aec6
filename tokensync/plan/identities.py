"""A common identity for the objects of several graphs of one design file.

An object has the name that the first graph gives it, or a new name if that graph lacks it. A token is matched only
within its collection, since a variable cannot change its collection.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from tokensync.plan.matching import FamilyMatcher, Moves, UniqueIndex, match_in_passes, moved_items
from tokensync.system.problems import problem
from tokensync.system.wording import shortened
from tokensync.tokens import TokenGraph, TokenKey

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

    from tokensync.settings import MovedConfig
    from tokensync.system.problems import Problem
    from tokensync.tokens import Collection, Token
    from tokensync.tokens.collection import FamilyKey


class Names(NamedTuple):
    """The identity of each object of one graph, by its key in that graph.

    ``extensions`` is keyed by (family, handle). ``modes`` holds the identities of a family's modes in order.
    """

    families: Mapping[FamilyKey, FamilyKey]
    extensions: Mapping[tuple[FamilyKey, str], str]
    modes: Mapping[FamilyKey, tuple[str, ...]]
    tokens: Mapping[TokenKey, TokenKey]


_LIVE = ("local", "withheld")


class IdentityMap:
    """Identities of the objects of all added graphs.

    Objects are matched by id, by key, by a ``[[moved]]`` entry, by name, and last by an id of another file.
    """

    def __init__(self, moves: Moves | None = None) -> None:
        self.problems: list[Problem] = []
        self._moves = moves or Moves(())
        self._families = FamilyMatcher(self._moves)
        self._by_id: dict[str, dict[str, TokenKey]] = {}  # by realm
        self._by_key: UniqueIndex[str, TokenKey] = UniqueIndex()
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
            self._live = frozenset(key for key, token in graph.tokens.items() if token.origin in _LIVE)
        else:
            for token in self._match(graph.tokens.values(), families, realm, tokens):
                tokens[token.key] = self._new(_in_family(token.key, families))
        if is_last:
            self._match_recreated(graph, families, tokens)
        else:
            self._remember(graph, families, tokens, realm)
        self._added.append(tokens)
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
        keys: UniqueIndex[str, TokenKey] = UniqueIndex()
        for token in pending:
            keys.add(token.variable_key, token.key)

        def in_its_family(token: Token, identity: TokenKey | None) -> TokenKey | None:
            return identity if identity is not None and identity[:2] == families[token.key[:2]] else None

        def by_key(token: Token) -> TokenKey | None:
            if not token.variable_key or keys.get(token.variable_key) is None:
                return None
            return in_its_family(token, self._by_key.get(token.variable_key))

        def by_path(token: Token) -> TokenKey | None:
            return self._by_path[token.origin in _LIVE].get(_in_family(token.key, families))

        def by_foreign_id(token: Token) -> TokenKey | None:
            known = (own.get(token.id) for name, own in self._by_id.items() if name != realm) if token.id else ()
            return next((each for each in known if in_its_family(token, each) is not None), None)

        @cache
        def moved() -> Container[TokenKey]:
            free = [each for each in pending if each.key not in identities]
            former = {each.key: found for each in free if (found := self._former_identities(each, families)[1])}
            return moved_items({each.key: by_path(each) for each in free}, former) if former else ()

        def former(token: Token) -> TokenKey | None:
            return self._former(token, families, matched) if token.key in moved() else None

        passes: Sequence[Callable[[Token], TokenKey | None]] = (by_key, former, by_path, by_foreign_id)
        unmatched = match_in_passes(
            pending, passes, matched, lambda token, identity: identities.__setitem__(token.key, identity)
        )
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
        if len(self._added) < 2:
            return
        first, *between = self._added
        lacking = [key for key, identity in identities.items() if identity not in first]
        if not lacking:
            return
        known = {identity for tokens in between for identity in tokens.values()}
        taken = set(identities.values())
        for key in lacking:
            new = _in_family(key, families)
            if new in self._live and new not in known and new not in taken and graph.tokens[key].origin in _LIVE:
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
        if token.origin not in _LIVE:
            return (), ()
        file, handle, path = token.key
        identity = families[file, handle]
        for paths in self._moves.tokens(file, handle, path):
            known = (self._by_path[True].get(TokenKey(*identity, each)) for each in paths)
            if found := tuple(dict.fromkeys(each for each in known if each is not None)):
                return paths, found
        return (), ()

    def _former(
        self, token: Token, families: Mapping[FamilyKey, FamilyKey], matched: Mapping[TokenKey, Token]
    ) -> TokenKey | None:
        """Return the identity of the token's former name, if a token has that name and it is not matched otherwise."""
        paths, candidates = self._former_identities(token, families)
        if len(candidates) > 1:
            what = f"{len(candidates)} [[moved]] entries lead to it from existing tokens"
            to_do = f"keep one of the entries: from {' or '.join(map(_label, candidates))}"
            self.problems.append(problem("moved-ambiguous", _label(token.key), what, to_do))
            return None
        if not candidates:
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

    def _remember(
        self,
        graph: TokenGraph,
        families: Mapping[FamilyKey, FamilyKey],
        tokens: Mapping[TokenKey, TokenKey],
        realm: str,
    ) -> None:
        by_id = self._by_id.setdefault(realm, {})
        live, others = self._by_path[True], self._by_path[False]
        same = {key for key, identity in families.items() if key == identity}
        for key, token in graph.tokens.items():
            identity = tokens[key]
            by_id.setdefault(token.id, identity)
            self._by_key.add(token.variable_key, identity)
            name = key if key[:2] in same else _in_family(key, families)
            if token.origin in _LIVE:
                live[name] = identity
            else:
                others[name] = identity
            if identity is not key and identity[2] != key[2]:
                self._last_paths[identity] = key[2]
        by_id.pop("", None)


def _in_family(key: TokenKey, families: Mapping[FamilyKey, FamilyKey]) -> TokenKey:
    return TokenKey(*families[key[:2]], key.path)


def _label(key: TokenKey) -> str:
    return shortened(str(key))


def identified(
    desired: TokenGraph, current: TokenGraph, moved: Sequence[MovedConfig] = (), *, ids_count: bool = True
) -> tuple[TokenGraph, tuple[Problem, ...]]:
    """Return the desired graph with the ids and keys of matching objects of the current one, and no others.

    ``ids_count`` is True if the desired graph's ids are from the same file; otherwise they are only hints.
    """
    identity_map = IdentityMap(Moves(moved))
    identity_map.add(current)
    names = identity_map.add(desired, "" if ids_count else "elsewhere", is_last=True)
    collections = tuple(
        _collection(each, names.families[key], names.modes[key], names.extensions, current.collections)
        for key, each in desired.collections.items()
    )
    return TokenGraph(collections, _tokens(desired, names.tokens, current)), tuple(identity_map.problems)


def _tokens(desired: TokenGraph, names: Mapping[TokenKey, TokenKey], current: TokenGraph) -> Iterator[Token]:
    for key, token in desired.tokens.items():
        known = current.tokens.get(names[key])
        identity, variable_key = (known.id, known.variable_key) if known is not None else ("", "")
        same = token.id == identity and token.variable_key == variable_key
        yield token if same else replace(token, id=identity, variable_key=variable_key)


def _collection(
    own: Collection,
    identity: FamilyKey,
    modes: tuple[str, ...],
    extensions: Mapping[tuple[FamilyKey, str], str],
    current: Mapping[FamilyKey, Collection],
) -> Collection:
    known = current.get(identity)
    known_modes = {each.context: each.id for each in known.modes} if known is not None else {}
    known_extensions = {each.handle: each for each in known.extensions} if known is not None else {}
    same_extensions = {each.handle: known_extensions.get(extensions[own.key, each.handle]) for each in own.extensions}
    return replace(
        own,
        id=known.id if known is not None else "",
        collection_key=known.collection_key if known is not None else "",
        opaque=known.opaque if known is not None else (),
        modes=tuple(replace(mode, id=known_modes.get(name, "")) for mode, name in zip(own.modes, modes, strict=True)),
        extensions=tuple(
            replace(each, id=same.id, collection_key=same.collection_key)
            if (same := same_extensions[each.handle]) is not None
            else replace(each, id="", collection_key="")
            for each in own.extensions
        ),
    )


__all__ = ["IdentityMap", "Moves", "Names", "identified"]
