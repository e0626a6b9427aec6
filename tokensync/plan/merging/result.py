"""The merge's outcome as graphs: what stays, under the names that it has in the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from tokensync.mapping import RESOLVED_TYPES
from tokensync.plan.merging.composites import respelled
from tokensync.plan.merging.sides import Translator
from tokensync.tokens import Collection, Composite, DanglingAlias, Extension, Mode, TokenGraph, TokenKey

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tokensync.plan.merging.families import MergedExtension, MergedFamily
    from tokensync.plan.merging.naming import FamilyNames
    from tokensync.plan.merging.sides import Side
    from tokensync.plan.merging.tokens import MergedToken
    from tokensync.tokens import Token
    from tokensync.tokens.collection import FamilyKey


def merged_graph(
    families: Sequence[MergedFamily],
    tokens: Sequence[MergedToken],
    keys: Mapping[TokenKey, TokenKey],
    names: Mapping[FamilyKey, FamilyNames],
    sides: Sequence[Side],
) -> TokenGraph:
    """The graph of what stays; ``sides`` are all graphs, the platform's first: they know the ids of what goes."""
    changed: dict[TokenKey, TokenKey | DanglingAlias] = {
        identity: key for identity, key in keys.items() if identity is not key and identity != key
    }
    for side in sides:
        for identity in side.tokens.keys() - keys.keys():
            known = side.tokens[identity].id or f"{identity.collection}.{identity.path}"
            changed.setdefault(identity, DanglingAlias(known))
    collections = [_collection(each, names[each.identity], sides[0]) for each in families]
    return TokenGraph(collections, _tokens(tokens, keys, Translator(changed)))


def _tokens(
    tokens: Sequence[MergedToken], keys: Mapping[TokenKey, TokenKey], translator: Translator
) -> Iterator[Token]:
    for each in tokens:
        token = translator.token(each.token, keys[each.token.key])
        if token.type not in RESOLVED_TYPES:
            values = tuple(
                respelled(value, token.type) if isinstance(value, Composite) else value for value in token.values
            )
            token = replace(token, values=values)
        yield token


def _collection(family: MergedFamily, names: FamilyNames, theirs: Side) -> Collection:
    their = theirs.families.get(family.identity) if family.sides != "ours" else None
    columns = {each.identity: column for column, each in enumerate(family.modes)}
    their_columns = theirs.columns[family.identity] if their is not None else {}
    their_extensions = theirs.extensions(family.identity) if their is not None else {}

    def extension(each: MergedExtension) -> Extension:
        known = their_extensions.get(each.identity)
        return Extension(
            handle=names.handles[each.identity],
            name=each.name,
            parent=names.handles[each.parent],
            id=known.id if known is not None else "",
            collection_key=known.collection_key if known is not None else "",
            hidden=each.hidden,
            default_mode=columns[each.default],
            origin=known.origin if known is not None else "local",
        )

    def mode_id(identity: str) -> str:
        column = their_columns.get(identity)
        return "" if column is None or their is None else their.modes[column].id

    file, root = family.identity
    return Collection(
        file=file,
        handle=names.handles[root],
        name=family.name,
        modes=tuple(
            Mode(
                name=each.name,
                collection=names.handles[each.owner],
                slug=names.modes[each.identity][0],
                context=names.modes[each.identity][1],
                id=mode_id(each.identity),
                parent=None if each.parent is None else columns[each.parent],
            )
            for each in family.modes
        ),
        default_mode=columns[family.default],
        extensions=tuple(map(extension, family.extensions)),
        id=their.id if their is not None else "",
        collection_key=their.collection_key if their is not None else "",
        hidden=family.hidden,
        origin=their.origin if their is not None else "local",
        opaque=their.opaque if their is not None else (),
    )


def aligned_graph(theirs: Side, names: Mapping[FamilyKey, FamilyNames]) -> TokenGraph:
    """What the platform holds, with the handles and file names that the token files have for it."""
    collections = []
    changed: dict[FamilyKey, FamilyKey] = {}
    for identity, family in theirs.families.items():
        own = names[identity]
        handles = {family.handle: own.handles[identity[1]]}
        handles |= {each.handle: own.handles[name] for name, each in theirs.extensions(identity).items()}
        modes = tuple(
            replace(mode, collection=handles[mode.collection], slug=own.modes[name][0], context=own.modes[name][1])
            for name, mode in zip(theirs.names.modes[family.key], family.modes, strict=True)
        )
        extensions = tuple(
            replace(each, handle=handles[each.handle], parent=handles.get(each.parent, handles[family.handle]))
            for each in family.extensions
        )
        collections.append(replace(family, handle=handles[family.handle], modes=modes, extensions=extensions))
        if handles[family.handle] != family.handle:
            changed[family.key] = (family.file, handles[family.handle])
    if not changed:
        return TokenGraph(collections, theirs.graph.tokens.values())
    keys: dict[TokenKey, TokenKey | DanglingAlias] = {}
    for key in theirs.graph.tokens:
        family_key = changed.get(key[:2])
        if family_key is not None:
            keys[key] = TokenKey(*family_key, key.path)
    translator = Translator(keys)
    return TokenGraph(
        collections, (translator.token(each, translator.key(key)) for key, each in theirs.graph.tokens.items())
    )
