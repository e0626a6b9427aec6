"""Compare two graphs of one design file: which collections, modes and tokens are new, gone or changed.

Only content of the file itself is compared: local tokens, and the overrides and modes of its own extensions. Ids and
keys, which the platform assigns, are not content. Neither are handles and contexts, which are the names of folders and
files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from tokensync.normalize.mapping import RESOLVED_TYPES, name_of_path
from tokensync.plan.conflicts import MergeInput, same, scope_set
from tokensync.plan.identities import LIVE, IdentityMap, Moves
from tokensync.tokens.values import json_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tokensync.settings import MovedConfig
    from tokensync.system.problems import Problem
    from tokensync.tokens import Collection, TokenGraph, TokenKey
    from tokensync.tokens.collection import FamilyKey

Kind = Literal["new", "gone", "changed"]


class Change(NamedTuple):
    """A member of a token or collection with its old and new JSON values; None where it is absent."""

    member: str
    before: Any
    after: Any


class Difference(NamedTuple):
    """A token, or a collection (``token`` is empty), that is new, gone or changed, with its members."""

    file: str
    collection: str
    token: str
    kind: Kind
    changes: tuple[Change, ...]

    @property
    def subject(self) -> str:
        """Return ``theme / text/muted``."""
        return " / ".join(each for each in (self.collection, self.token) if each)


def compare(
    before: TokenGraph, after: TokenGraph, moved: Sequence[MovedConfig] = (), *, types_of_variables: bool = False
) -> tuple[tuple[Difference, ...], tuple[Problem, ...]]:
    """Return the differences between two graphs of one file, and the problems of matching their objects.

    They have the order of ``after``; what is gone comes last in its collection. Objects are matched by id first, so
    that a renamed token or mode is one change. With ``types_of_variables``, a ``number`` and a ``dimension`` have the
    same type, for example, because the platform has only FLOAT.
    """
    identities = IdentityMap(Moves(moved))
    old = MergeInput(before, identities.add(before))
    new = MergeInput(after, identities.add(after, is_last=True))
    families = dict.fromkeys((*new.families, *old.families))
    found = (
        each for family in families for each in _FamilyComparison(family, old, new, types_of_variables).differences()
    )
    return tuple(found), tuple(identities.problems)


def former_keys(before: TokenGraph, after: TokenGraph, moved: Sequence[MovedConfig] = ()) -> dict[TokenKey, TokenKey]:
    """Return the key that each token of ``after`` has in ``before``, matched as ``compare`` does."""
    identities = IdentityMap(Moves(moved))
    old = MergeInput(before, identities.add(before))
    new = MergeInput(after, identities.add(after, is_last=True))
    return {token.key: old.tokens[identity].key for identity, token in new.tokens.items() if identity in old.tokens}


class _Member(NamedTuple):
    """A member's value in identities, by which it is compared, and as JSON with the names of its graph."""

    identity: object
    json: Any


class _FamilyComparison:
    """Compares a collection with its extensions and tokens. Modes have the context of the new graph if it has them."""

    def __init__(self, family: FamilyKey, old: MergeInput, new: MergeInput, types_of_variables: bool) -> None:
        self._family = family
        self._types: Mapping[str, str] = RESOLVED_TYPES if types_of_variables else {}
        self._old = old
        self._new = new
        self._columns_are_equal = old.families.get(family) == new.families.get(family) and not new.translator.changed
        sides = [(side, own) for side in (old, new) if (own := side.families.get(family)) is not None]
        self._handle = sides[-1][1].handle
        # The lock does not contain the default modes of extensions.
        self._has_defaults = all(
            own.modes[extension.default_mode].collection == extension.handle
            for _, own in sides
            for extension in own.extensions
            if extension.origin in LIVE
        )
        self._contexts: dict[str, str] = {}
        self._extensions: dict[str, str] = {}
        for side, own in sides:
            names = side.names
            self._contexts.update(
                (name, mode.context) for name, mode in zip(names.modes[own.key], own.modes, strict=True)
            )
            self._extensions.update((names.extensions[own.key, each.handle], each.handle) for each in own.extensions)

    def differences(self) -> Iterator[Difference]:
        """Yield the difference of the collection, then those of its tokens."""
        old, new = self._old, self._new
        yield from self._difference("", self._collection(old), self._collection(new))
        for identity in dict.fromkeys((*new.tokens_of(self._family), *old.tokens_of(self._family))):
            one, other = old.tokens.get(identity), new.tokens.get(identity)
            if self._columns_are_equal and one == other:
                continue
            before, after = self._token(old, identity), self._token(new, identity)
            token = other if after and other is not None else one
            if token is not None:
                yield from self._difference(name_of_path(token.key.path), before, after)

    def _difference(
        self, token: str, before: Mapping[str, _Member], after: Mapping[str, _Member]
    ) -> Iterator[Difference]:
        changes = []
        for member in dict.fromkeys((*before, *after)):
            old, new = before.get(member), after.get(member)
            if old is None or new is None or not same(old.identity, new.identity):
                changes.append(Change(member, old and old.json, new and new.json))
        if changes:
            kind: Kind = "changed" if before and after else "new" if after else "gone"
            yield Difference(self._family[0], self._handle, token, kind, tuple(changes))

    def _collection(self, side: MergeInput) -> dict[str, _Member]:
        own = side.families.get(self._family)
        if own is None:
            return {}
        members = {}
        if own.origin in LIVE:
            members["name"] = _Member(own.name, own.name)
            members["hidden"] = _Member(own.hidden, own.hidden)
            if own.modes:
                default = side.default_mode(self._family)
                members["default mode"] = _Member(default, self._contexts[default])
        names = side.names.modes[own.key]
        for column in _columns(own):
            mode, name = own.modes[column], names[column]
            parent = None if mode.parent is None else names[mode.parent]
            follows = {} if parent is None else {"follows": self._contexts[parent]}
            members[f"mode {self._contexts[name]}"] = _Member((mode.name, parent), {"name": mode.name, **follows})
        for name, each in side.extensions(self._family).items():
            if each.origin in LIVE:
                parent = side.parent_of(self._family, name)
                extends = self._extensions.get(parent, self._handle)
                default = names[each.default_mode] if self._has_defaults else ""
                shown = {"name": each.name, "hidden": each.hidden, "extends": extends}
                members[f"extension {self._extensions[name]}"] = _Member(
                    (each.name, each.hidden, parent, default),
                    {**shown, **({"default mode": self._contexts[default]} if default else {})},
                )
        return members

    def _token(self, side: MergeInput, identity: TokenKey) -> dict[str, _Member]:
        token = side.tokens.get(identity)
        if token is None:
            return {}
        members = {}
        own = side.families[self._family]
        is_live = token.origin in LIVE
        if is_live:
            name = name_of_path(token.key.path)
            optional = (
                ("description", token.description, token.description),
                ("scopes", scope_set(token), sorted(token.scopes)),
                ("code syntax", token.code_syntax, dict(token.code_syntax)),
                ("hidden", token.hidden, token.hidden),
                ("deprecated", token.deprecated, token.deprecated),
                ("extensions", token.extensions, token.extensions),
            )
            members = {
                "name": _Member(name, name),
                "type": _Member(self._types.get(token.type, token.type), token.public_type),
            }
            members.update((member, _Member(key, shown)) for member, key, shown in optional if shown)
        names = side.names.modes[own.key]
        # Of a token of another origin, only the overrides in the file's own extensions are content.
        overrides = (column for column in _columns(own) if own.modes[column].collection != own.handle)
        for column in range(len(own.modes)) if is_live else overrides:
            if (value := token.values[column]) is not None:
                name = names[column]
                members[f"in {self._contexts[name]}"] = _Member(side.value(identity, name), json_value(value))
        return members


def _columns(family: Collection) -> Iterator[int]:
    """Yield the columns of the modes that the file itself defines: its own, and those of its extensions."""
    own = {extension.handle for extension in family.extensions if extension.origin in LIVE}
    if family.origin in LIVE:
        own.add(family.handle)
    return (column for column, mode in enumerate(family.modes) if mode.collection in own)
