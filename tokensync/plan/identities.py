"""One identity space for several graphs of one design file.

A thing goes by the name that the first graph has for it, and by a name of its own where that graph lacks it. A token
is matched within its collection only: a variable cannot change its collection.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from tokensync.plan.matching import Families, Index, Moves, in_passes
from tokensync.problems import problem
from tokensync.tokens import TokenGraph, TokenKey
from tokensync.wording import shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tokensync.problems import Problem
    from tokensync.settings import MovedConfig
    from tokensync.tokens import Collection, Token
    from tokensync.tokens.collection import FamilyKey


class Names(NamedTuple):
    """The identity of each thing of one graph, keyed by what the graph calls it.

    ``extensions`` is keyed by (family, handle); ``modes`` holds an identity for each of a family's modes, in order.
    """

    families: Mapping[FamilyKey, FamilyKey]
    extensions: Mapping[tuple[FamilyKey, str], str]
    modes: Mapping[FamilyKey, tuple[str, ...]]
    tokens: Mapping[TokenKey, TokenKey]


_LIVE = ("local", "withheld")


class IdentityMap:
    """Gives the things of each graph that is added their identities. ``problems`` are those found so far.

    Signs of identity, the surest first: the id, the key, a ``[[moved]]`` entry, the name; last an id of another file.
    """

    def __init__(self, moves: Moves | None = None) -> None:
        self.problems: list[Problem] = []
        self._moves = moves or Moves(())
        self._families = Families(self._moves)
        self._by_id: dict[str, dict[str, TokenKey]] = {}  # by realm
        self._by_key: Index[str, TokenKey] = Index()
        self._by_path: dict[bool, dict[TokenKey, TokenKey]] = {True: {}, False: {}}  # by whether it is live
        self._last_paths: dict[TokenKey, str] = {}  # where it is not the identity's own
        self._identities: set[TokenKey] = set()
        self._is_empty = True

    def add(self, graph: TokenGraph, realm: str = "", *, is_last: bool = False) -> Names:
        """Match a graph with those added before. ``realm`` names the file whose ids it carries.

        A later graph's names count before those of earlier ones: the base knows better than the platform what a
        token file calls by an old name. Of the last graph nothing has to be remembered.
        """
        families, extensions, modes = self._families.add(graph, realm)
        tokens: dict[TokenKey, TokenKey] = {}
        if self._is_empty:
            tokens = {key: key for key in graph.tokens}
            self._identities.update(tokens)
        else:
            for token in self._match(graph.tokens.values(), families, realm, tokens):
                tokens[token.key] = self._new(_in_family(token.key, families))
        self._is_empty = False
        if not is_last:
            self._note(graph, families, tokens, realm)
        return Names(families, extensions, modes, tokens)

    def _match(
        self,
        tokens: Iterable[Token],
        families: Mapping[FamilyKey, FamilyKey],
        realm: str,
        found: dict[TokenKey, TokenKey],
    ) -> list[Token]:
        taken: dict[TokenKey, Token] = {}
        elsewhere: list[tuple[Token, TokenKey]] = []
        waiting = self._by_their_ids(tokens, families, realm, taken, elsewhere)
        found.update((token.key, identity) for identity, token in taken.items())
        if not waiting:
            return waiting
        keys: Index[str, TokenKey] = Index()
        for token in waiting:
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

        def former(token: Token) -> TokenKey | None:
            return self._former(token, families, taken)

        passes: Sequence[Callable[[Token], TokenKey | None]] = (by_key, former, by_path, by_foreign_id)
        left = in_passes(waiting, passes, taken, lambda token, identity: found.__setitem__(token.key, identity))
        for token, identity in elsewhere:
            if identity not in taken:
                self._report_other_collection(token, identity)
        return left

    def _by_their_ids(
        self,
        tokens: Iterable[Token],
        families: Mapping[FamilyKey, FamilyKey],
        realm: str,
        taken: dict[TokenKey, Token],
        elsewhere: list[tuple[Token, TokenKey]],
    ) -> list[Token]:
        """Return the first pass, which is all that most tokens need. Returns those that it leaves, in their order."""
        by_id = self._by_id.get(realm, {})
        left: list[Token] = []
        for token in tokens:
            identity = by_id.get(token.id)
            if identity is None:
                left.append(token)
            elif identity[:2] != families[token.key[:2]]:
                left.append(token)
                elsewhere.append((token, identity))
            elif identity not in taken:
                taken[identity] = token
            else:
                holder = taken[identity]
                keeps = token if token.key.path == self._last_paths.get(identity, identity.path) else holder
                copy = holder if keeps is token else token
                taken[identity] = keeps
                left.append(copy)
                what = f"it carries the variable id of {_shown(keeps.key)}"
                to_do = "it is taken for a new token; remove the id from the copy"
                self.problems.append(problem("token-id-copied", _shown(copy.key), what, to_do))
        return left

    def _former(
        self, token: Token, families: Mapping[FamilyKey, FamilyKey], taken: Mapping[TokenKey, Token]
    ) -> TokenKey | None:
        """Return what was called so before, if it is still to be found under that name and nothing else goes by it."""
        if token.origin not in _LIVE:
            return None
        file, handle, path = token.key
        identity = families[file, handle]
        for paths in self._moves.tokens(file, handle, path):
            known = (self._by_path[True].get(TokenKey(*identity, each)) for each in paths)
            free = list(dict.fromkeys(each for each in known if each is not None))
            if len(free) > 1:
                what = f"{len(free)} [[moved]] entries lead to it from tokens that are there"
                self.problems.append(problem("moved-ambiguous", _shown(token.key), what, "keep one of the entries"))
                return None
            if free:
                holder = taken.get(free[0])
                if holder is not None and holder.key.path in paths:
                    return None  # it has not moved: the entry speaks of something else
                if holder is not None:
                    what = f"[[moved]] says that it was {_shown(free[0])}, which is {_shown(holder.key)} already"
                    to_do = "correct the entry"
                    self.problems.append(problem("moved-ambiguous", _shown(token.key), what, to_do))
                    return None
                return free[0]
        return None

    def _report_other_collection(self, token: Token, identity: TokenKey) -> None:
        what = f"it carries the id of {_shown(identity)}, and a variable cannot change its collection"
        to_do = "it is taken for a new token, and the other for deleted"
        self.problems.append(problem("token-changed-collection", _shown(token.key), what, to_do))

    def _new(self, wanted: TokenKey) -> TokenKey:
        identity, number = wanted, 1
        while identity in self._identities:
            number += 1
            identity = wanted._replace(path=f"{wanted.path}-{number}")
        self._identities.add(identity)
        return identity

    def _note(
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
            place = key if key[:2] in same else _in_family(key, families)
            if token.origin in _LIVE:
                live[place] = identity
            else:
                others[place] = identity
            if identity is not key and identity[2] != key[2]:
                self._last_paths[identity] = key[2]
        by_id.pop("", None)


def _in_family(key: TokenKey, families: Mapping[FamilyKey, FamilyKey]) -> TokenKey:
    return TokenKey(*families[key[:2]], key.path)


def _shown(key: TokenKey) -> str:
    return shortened(str(key))


def identified(
    desired: TokenGraph, current: TokenGraph, moved: Sequence[MovedConfig] = (), *, ids_count: bool = True
) -> tuple[TokenGraph, tuple[Problem, ...]]:
    """Return the desired graph with the ids and keys of what it has in common with the current one; no others are left.

    ``ids_count`` tells that the desired graph's ids are of this very file: else they are no more than hints.
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
    found = {each.handle: known_extensions.get(extensions[own.key, each.handle]) for each in own.extensions}
    return replace(
        own,
        id=known.id if known is not None else "",
        collection_key=known.collection_key if known is not None else "",
        opaque=known.opaque if known is not None else (),
        modes=tuple(replace(mode, id=known_modes.get(name, "")) for mode, name in zip(own.modes, modes, strict=True)),
        extensions=tuple(
            replace(each, id=same.id, collection_key=same.collection_key)
            if (same := found[each.handle]) is not None
            else replace(each, id="", collection_key="")
            for each in own.extensions
        ),
    )


__all__ = ["IdentityMap", "Moves", "Names", "identified"]
