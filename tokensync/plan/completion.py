"""What Figma's own export of variables lacks, from the last agreed state and the token files of a project."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from tokensync.extract.wire import GUESSED, MADE_UP
from tokensync.normalize.mapping import RESOLVED_TYPES, slug, unique
from tokensync.tokens import Collection, DanglingAlias, Mode, Token, TokenGraph, TokenKey, Translator, Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tokensync.tokens.collection import FamilyKey

_EQUAL_VALUES = 0.5
"""The share of values that a renamed mode has kept, at least."""


class _Column(NamedTuple):
    """A mode of a completed collection: its columns in the export and in the known state, each None if it has none."""

    own: int | None
    former: int | None


def completed(exported: TokenGraph, known: TokenGraph, order: TokenGraph) -> TokenGraph:
    """Return the graph of an export with what it lacks (``wire.Capture``) from ``known``, the last agreed state.

    So a collection or mode that is not exported stays, and a variable is deleted if its collection is exported without
    it. A collection is found by its variables, a mode by its name, or else by its values, and both keep their handles.
    The order is that of the token files, ``order``.
    """
    return _Completion(exported, known, order).graph()


class _Completion:
    def __init__(self, exported: TokenGraph, known: TokenGraph, order: TokenGraph) -> None:
        self.known, self.order = known, order
        self.by_id = {token.id: token for token in known.tokens.values() if token.id and token.origin == "local"}
        self.of_family: dict[FamilyKey, list[Token]] = {key: [] for key in exported.collections}
        for token in exported.tokens.values():
            self.of_family[token.key[:2]].append(token)
        self.collections = exported.collections
        self.formers = self._former_families()
        taken = {handle for _, handle in known.collections}
        self.families = {
            key: former.key if former is not None else (key[0], unique(key[1], taken))
            for key, former in self.formers.items()
        }
        self.same = {key: self._former_token(token) for key, token in exported.tokens.items()}
        now = {key: TokenKey(*self.families[key[:2]], key.path) for key in exported.tokens}
        kept = {same.key: now[key] for key, same in self.same.items() if same is not None}
        # An alias of an older file names a variable of this file by its former name; its key is the same.
        by_key = {token.variable_key: key for key, token in known.tokens.items() if token.origin == "local"}
        homes = {key: kept.get(by_key[token.variable_key], by_key[token.variable_key])
                 for key, token in exported.tokens.items()
                 if token.origin == "remote" and token.variable_key and token.variable_key in by_key}  # fmt: skip
        self.of_export = Translator({**now, **homes})
        self.homes = homes
        matched = {former.key for former in self.formers.values() if former is not None}
        # Whether motion variables are exported is not known, so they stay.
        gone = {key: DanglingAlias(token.id) for key, token in known.tokens.items()
                if token.origin == "local" and key[:2] in matched and key not in kept
                and token.type in RESOLVED_TYPES}  # fmt: skip
        self.of_known = Translator({**kept, **gone})
        self.stay = [token for key, token in known.tokens.items() if key not in kept and key not in gone]

    def graph(self) -> TokenGraph:
        """Return the completed graph."""
        ranks = {name: rank for rank, token in enumerate(self.order.tokens.values()) for name in (token.key, token.id)}
        collections: dict[FamilyKey, Collection] = {}
        tokens: list[tuple[float, Token]] = []
        for key, family in self.collections.items():
            columns = self._columns(family, self.formers[key])
            collections[self.families[key]] = self._collection(family, self.formers[key], columns)
            rank: float = -1
            for token in (token for token in self.of_family[key] if token.key not in self.homes):
                found = self._token(token, columns, is_guessed=family.id.startswith(GUESSED))
                rank = ranks.get(token.id, ranks.get(found.key, rank))
                tokens.append((rank, found))
        for key, family in self.known.collections.items():
            if not family.is_of_styles:
                collections.setdefault(key, family)
        tokens += ((ranks.get(token.key, len(ranks)), self.of_known.token(token, token.key))
                   for token in self.stay if token.key[:2] in collections)  # fmt: skip
        tokens.sort(key=lambda pair: pair[0])
        places = {key: place for place, key in enumerate(self.order.collections)}
        in_order = sorted(collections.values(), key=lambda family: places.get(family.key, len(places)))
        return TokenGraph(in_order, (token for _, token in tokens))

    def _former_families(self) -> dict[FamilyKey, Collection | None]:
        """Return the known collection of each exported one."""
        free = {key: family for key, family in self.known.collections.items() if not family.is_of_styles}
        formers: dict[FamilyKey, Collection | None] = {}
        for key, family in self.collections.items():
            votes = Counter(self.by_id[token.id].key[:2] for token in self.of_family[key] if token.id in self.by_id)
            named = [known.key for known in free.values() if known.origin == family.origin
                     and (known.name == family.name
                          or known.collection_key == family.collection_key != "")]  # fmt: skip
            best = [former for former in (*(former for former, _ in votes.most_common()), *named) if former in free]
            formers[key] = free.pop(best[0]) if best else None
        return formers

    def _former_token(self, token: Token) -> Token | None:
        former = self.formers[token.key[:2]]
        if former is None:
            return None
        by_id = self.by_id.get(token.id)
        if by_id is not None and by_id.key[:2] == former.key:
            return by_id
        by_path = self.known.tokens.get(TokenKey(*former.key, token.key.path))
        is_same = by_path is not None and (by_path.origin != "local" or token.id.startswith(MADE_UP))
        return by_path if is_same else None

    def _token(self, token: Token, columns: Sequence[_Column], *, is_guessed: bool) -> Token:
        same = self.same[token.key]
        values = tuple(self._value(token, same, column) for column in columns)
        changed = replace(token, key=TokenKey(*self.families[token.key[:2]], token.key.path), values=values)
        if same is None:
            return changed
        is_kind = RESOLVED_TYPES.get(same.type) == RESOLVED_TYPES.get(token.type)
        return replace(
            changed,
            id=same.id or token.id,
            variable_key=same.variable_key or token.variable_key,
            published=same.published,
            type=same.type if is_guessed and is_kind else token.type,  # rules name the collection that it is in
        )

    def _value(self, token: Token, same: Token | None, column: _Column) -> Value | None:
        if column.own is not None:
            return self.of_export.value(token.values[column.own])
        return None if same is None or column.former is None else self.of_known.value(same.values[column.former])

    def _columns(self, family: Collection, former: Collection | None) -> list[_Column]:
        """Return the modes: those of the token files in their order, the new ones, and then those of extensions."""
        if former is None:
            return [_Column(column, None) for column in range(len(family.modes))]
        own = dict(self._same_modes(family, former))
        in_files = self.order.collections.get(former.key, former).modes
        order = {mode.context: rank for rank, mode in enumerate(in_files)}
        ranked = sorted(range(len(former.modes)), key=lambda old: order.get(former.modes[old].context, len(order)))
        roots = [old for old in ranked if former.modes[old].collection == former.handle]
        new = [column for column in range(len(family.modes)) if column not in own.values()]
        return [
            *(_Column(own.get(old), old) for old in roots),
            *(_Column(column, None) for column in new),
            *(_Column(None, old) for old in ranked if old not in roots),
        ]

    def _collection(self, family: Collection, former: Collection | None, columns: Sequence[_Column]) -> Collection:
        _, handle = self.families[family.key]
        at = {column.former: index for index, column in enumerate(columns)}
        contexts = {mode.context for mode in (former.modes if former is not None else ())}

        def mode_of(column: _Column) -> Mode:
            own = None if column.own is None else family.modes[column.own]
            if former is not None and column.former is not None:
                mode = former.modes[column.former]
                parent = None if mode.parent is None else at[mode.parent]
                return replace(mode, name=mode.name if own is None else own.name, parent=parent)
            mode = family.modes[column.own or 0]
            name = unique(mode.slug, contexts)
            return replace(mode, collection=handle, slug=name, context=name)

        modes = tuple(map(mode_of, columns))
        if former is None:
            return replace(family, handle=handle, modes=modes)
        # A file's name has not all characters of a collection's name.
        is_known = family.id.startswith(GUESSED) or slug(family.name, "") == slug(former.name, "")
        name = former.name if is_known else family.name
        key = former.collection_key or family.collection_key
        return replace(former, name=name, collection_key=key, modes=modes, default_mode=at[former.default_mode])

    def _same_modes(self, family: Collection, former: Collection) -> Iterator[tuple[int, int]]:
        """Yield the columns of the modes that both have, in the known state and in the export."""
        names = {mode.name: column for column, mode in enumerate(family.modes)}
        roots = {mode.name: old for old, mode in enumerate(former.modes) if mode.collection == former.handle}
        yield from ((roots[name], names[name]) for name in roots if name in names)
        gone = [old for name, old in roots.items() if name not in names]
        new = [column for name, column in names.items() if name not in roots]
        if len(gone) == len(new) == 1:
            both = [(token, same) for token in self.of_family[family.key] if (same := self.same[token.key])]
            kept = sum(self.of_export.value(token.values[new[0]]) == self.of_known.value(same.values[gone[0]])
                       for token, same in both)  # fmt: skip
            if kept > _EQUAL_VALUES * len(both):
                yield gone[0], new[0]
