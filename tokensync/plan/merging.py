"""Merge the token files and the platform, using their common base.

All graphs share one identity space: an object has the platform's name, or a new name if the platform lacks it. So the
sides can be compared member by member. A token that is equal on both sides, as most are, costs one comparison.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from tokensync.normalize.mapping import RESOLVED_TYPES, unique
from tokensync.plan.conflicts import (
    EXISTENCE,
    Conflict,
    ConflictKey,
    ConflictPolicy,
    Difference,
    MergeInput,
    SideName,
    with_known_texts,
)
from tokensync.plan.identities import IdentityMap, Moves
from tokensync.plan.object_merging import Merger, merged_families
from tokensync.tokens import (
    Collection,
    Composite,
    DanglingAlias,
    Extension,
    Mode,
    TokenGraph,
    TokenKey,
    Translator,
    targets,
)
from tokensync.tokens.composites import with_references

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tokensync.plan.object_merging import MergedExtension, MergedFamily, MergedToken
    from tokensync.settings import MovedConfig
    from tokensync.system.problems import Problem
    from tokensync.tokens import Token
    from tokensync.tokens.collection import FamilyKey


_OTHER_REALM = "elsewhere"  # the realm of ids of another file


class Merged(NamedTuple):
    """The result of a merge. ``graph`` is the platform's with our edits; open conflicts have the platform's value.

    ``theirs`` is the platform's graph with the handles and file names of ``graph``. ``our_keys`` returns
    the keys in the token files by keys in ``graph``.
    """

    graph: TokenGraph
    theirs: TokenGraph
    conflicts: tuple[Conflict, ...]
    differences: tuple[Difference, ...]
    problems: tuple[Problem, ...]
    our_keys: Callable[[], Mapping[TokenKey, TokenKey]]


def merge(
    bases: Sequence[TokenGraph],
    ours: TokenGraph,
    theirs: TokenGraph,
    *,
    moved: Sequence[MovedConfig] = (),
    answers: Mapping[ConflictKey, SideName] | None = None,
    always: SideName | None = None,
    ids_count: bool = True,
) -> Merged:
    """Merge the token files (``ours``) with the platform (``theirs``), all of one file.

    ``bases`` are the common ancestors: none before the first pull, two if the lock holds a git conflict. ``answers``
    decides single conflicts, ``always`` all others. ``ids_count`` is True if the ids in ``ours`` and ``bases`` are from
    the same file as ``theirs``; otherwise they are only hints.
    """
    identity_map = IdentityMap(Moves(moved))
    realm = "" if ids_count else _OTHER_REALM
    their_side = MergeInput(theirs, identity_map.add(theirs))
    base_sides = [MergeInput(base, identity_map.add(base, realm)) for base in bases]
    our_side = with_known_texts(
        MergeInput(ours, identity_map.add(ours, realm, is_last=True)), (*base_sides, their_side)
    )
    policy = ConflictPolicy(answers or {}, always)
    families = merged_families(base_sides, our_side, their_side, policy)
    tokens = tuple(Merger(families, base_sides, our_side, their_side, policy).merged())
    conflicts = missing_targets(tokens, our_side, their_side)
    kept = [key for each in conflicts if policy.conflict(each) == keeping_side(each) for key in existence_keys(each)]
    if kept:
        open_ones = policy.conflicts
        policy = ConflictPolicy(answers or {}, always, kept)
        families = merged_families(base_sides, our_side, their_side, policy)
        tokens = tuple(Merger(families, base_sides, our_side, their_side, policy).merged())
        policy.conflicts = list(dict.fromkeys([*open_ones, *policy.conflicts]))
    names = family_names(families, our_side, their_side)
    keys = token_keys(tokens, names, policy)
    return Merged(
        merged_graph(families, tokens, keys, names, (their_side, *base_sides, our_side)),
        aligned_graph(their_side, names),
        tuple(policy.conflicts),
        tuple(policy.differences),
        tuple(identity_map.problems),
        lambda: {keys[identity]: key for key, identity in our_side.names.tokens.items() if identity in keys},
    )


def missing_targets(tokens: Sequence[MergedToken], ours: MergeInput, theirs: MergeInput) -> list[Conflict]:
    """Return a conflict for each deleted token to which the other side has added a reference."""
    stay = {token.token.key for token in tokens if token.token.origin != "deleted"}
    gone = {token for side in (ours, theirs) for token in side.tokens.keys() - stay if side.has(token)}
    if not gone:
        return []

    def is_common(identity: TokenKey) -> bool:
        """Return whether neither side has changed a token, and so added a reference."""
        return identity in ours.tokens and identity in theirs.tokens and ours.has_values_of(theirs, identity)

    found = {
        target: None
        for token in tokens
        for value in token.token.values
        for target in targets(value)
        if target in gone and not is_common(token.token.key)
    }
    return [
        Conflict(
            ConflictKey(*identity, EXISTENCE),
            (True,),
            ours.has(identity),
            theirs.has(identity),
            ours.tokens[identity].key if ours.has(identity) else None,
        )
        for identity in found
    ]


def keeping_side(conflict: Conflict) -> SideName:
    """Return the side that still has the token."""
    return "ours" if conflict.ours else "theirs"


def existence_keys(conflict: Conflict) -> Iterator[ConflictKey]:
    """Yield the keys of the objects that must stay for the token to stay: the token and its collection."""
    yield conflict.key
    yield conflict.key._replace(path="")


def merged_graph(
    families: Sequence[MergedFamily],
    tokens: Sequence[MergedToken],
    keys: Mapping[TokenKey, TokenKey],
    names: Mapping[FamilyKey, FamilyNames],
    sides: Sequence[MergeInput],
) -> TokenGraph:
    """Return the merged graph. ``sides`` are all inputs, the platform's first, for the ids of deleted tokens."""
    changed: dict[TokenKey, TokenKey | DanglingAlias] = {
        identity: key for identity, key in keys.items() if identity is not key and identity != key
    }
    for side in sides:
        for identity in side.tokens.keys() - keys.keys():
            known = side.tokens[identity].id or f"{identity.collection}.{identity.path}"
            changed.setdefault(identity, DanglingAlias(known))
    collections = [_collection(family, names[family.identity], sides[0], sides[-1]) for family in families]
    translator = Translator(changed)
    translated: list[Token] = []
    for merged in tokens:
        token = translator.token(merged.token, keys[merged.token.key])
        if token.type not in RESOLVED_TYPES:
            values = (respelled(value, token.type) if isinstance(value, Composite) else value for value in token.values)
            token = replace(token, values=tuple(values))
        translated.append(token)
    return TokenGraph(collections, translated)


def _collection(family: MergedFamily, names: FamilyNames, theirs: MergeInput, ours: MergeInput) -> Collection:
    their = theirs.families.get(family.identity) if family.sides != "ours" else None
    own = ours.families.get(family.identity)
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

    ids = {} if their is None else {mode: their.modes[column].id for mode, column in their_columns.items()}
    file, root = family.identity
    return Collection(
        file=file,
        handle=names.handles[root],
        name=family.name,
        modes=tuple(
            Mode(
                name=mode.name,
                collection=names.handles[mode.owner],
                slug=names.modes[mode.identity][0],
                context=names.modes[mode.identity][1],
                id=ids.get(mode.identity, ""),
                parent=None if mode.parent is None else columns[mode.parent],
            )
            for mode in family.modes
        ),
        default_mode=columns[family.default],
        extensions=tuple(map(extension, family.extensions)),
        # Styles that only the token files have never become variables.
        id=their.id if their is not None else own.id if own is not None and own.is_of_styles else "",
        collection_key=their.collection_key if their is not None else "",
        hidden=family.hidden,
        origin=their.origin if their is not None else "local",
        opaque=their.opaque if their is not None else (),
    )


def aligned_graph(theirs: MergeInput, names: Mapping[FamilyKey, FamilyNames]) -> TokenGraph:
    """Return the platform's graph with the handles and file names of the token files."""
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


_ROOT = "$root"


def respelled(value: Composite, token_type: str) -> Composite:
    """Return the composite with its references rewritten for their targets; itself if nothing changes."""
    texts = {spelled: _spelling(spelled, target) for spelled, target in value.references}
    if all(spelled == text for spelled, text in texts.items()):
        return value
    references = tuple((texts[spelled], target) for spelled, target in value.references)
    return Composite(with_references(token_type, value.json, texts), references)


def _spelling(spelled: str, target: TokenKey) -> str:
    address = f"{target.collection}.{target.path}"
    if spelled[:1] != "{":
        return spelled if spelled.removesuffix("/$value") == f"#/{address.replace('.', '/')}" else f"{{{address}}}"
    suffix = f".{_ROOT}" if spelled.endswith(f".{_ROOT}}}") else ""
    return f"{{{address}{suffix}}}"


class FamilyNames(NamedTuple):
    """The handle of each collection of a family, by identity, and (slug, context) of each mode."""

    handles: Mapping[str, str]
    modes: Mapping[str, tuple[str, str]]


def family_names(
    families: Sequence[MergedFamily], ours: MergeInput, theirs: MergeInput
) -> dict[FamilyKey, FamilyNames]:
    """Return names for all families of both sides and of the merge, preferably those of the token files.

    So a collection or mode that was renamed on the platform retains its folder, its file and its configuration.
    """
    identities = list(dict.fromkeys([*theirs.families, *ours.families]))
    taken: dict[str, set[str]] = {}
    handles: dict[FamilyKey, dict[str, str]] = {identity: {} for identity in identities}
    for side in (ours, theirs):
        for identity in identities:
            family = side.families.get(identity)
            if family is None:
                continue
            wanted = {identity[1]: family.handle}
            wanted |= {name: each.handle for name, each in side.extensions(identity).items()}
            for name, handle in wanted.items():
                if name not in handles[identity]:
                    handles[identity][name] = unique(handle, taken.setdefault(identity[0], set()))
    merged = {family.identity: family for family in families}
    return {
        each: FamilyNames(handles[each], _mode_names(each, handles[each], merged.get(each), ours, theirs))
        for each in identities
    }


def _mode_names(
    family: FamilyKey, handles: Mapping[str, str], merged: MergedFamily | None, ours: MergeInput, theirs: MergeInput
) -> dict[str, tuple[str, str]]:
    names: dict[str, tuple[str, str]] = {}
    slugs: dict[str, set[str]] = {}
    contexts: set[str] = set()
    root = family[1]

    def add(identity: str, owner: str, slug: str, context: str | None) -> None:
        own = unique(slug, slugs.setdefault(owner, set()))
        usual = own if owner == root else f"{handles[owner]}.{own}"
        names[identity] = (own, unique(context or usual, contexts))

    for side in (ours, theirs):
        for owner in handles:
            for identity, mode in side.modes(family, owner).items():
                if identity not in names:
                    # A context that is derived from a handle that has changed is derived anew.
                    is_own = owner == root or mode.collection == handles[owner]
                    add(identity, owner, mode.slug, mode.context if is_own else None)
    for each in merged.modes if merged is not None else ():
        if each.identity not in names:
            parent = names[each.parent][0] if each.parent in names else each.identity
            add(each.identity, each.owner, parent, None)
    return names


def token_keys(
    tokens: Sequence[MergedToken], names: Mapping[FamilyKey, FamilyNames], policy: ConflictPolicy
) -> dict[TokenKey, TokenKey]:
    """Return the final key of each token, by identity. Two tokens with the same path are a conflict.

    The token of the chosen side gets the path, and the other token a unique variant of it.
    """
    wanted: dict[TokenKey, MergedToken] = {}
    keys: dict[TokenKey, TokenKey] = {}
    late: list[tuple[MergedToken, TokenKey]] = []
    for each in tokens:
        identity = each.token.key
        family = identity[:2]
        key = TokenKey(family[0], names[family].handles[family[1]], each.path)
        other = wanted.get(key)
        if other is None:
            wanted[key] = each
            keys[identity] = key
            continue
        if each.token.origin == other.token.origin == "local" and each.ours != other.ours:
            ours, theirs = (each, other) if each.ours else (other, each)
            named = ConflictKey(*theirs.token.key, "name")
            conflict = Conflict(named, (), str(ours.token.key), str(theirs.token.key))
            loser = theirs if policy.conflict(conflict) == "ours" else ours
        else:  # a deleted or remote token loses the path
            loser = other if each.token.origin == "local" and other.token.origin != "local" else each
        winner = other if loser is each else each
        wanted[key] = winner
        keys[winner.token.key] = key
        late.append((loser, key))
    paths = {key.path for key in wanted} if late else set()
    for each, key in late:
        keys[each.token.key] = key._replace(path=unique(key.path, paths))
    return keys
