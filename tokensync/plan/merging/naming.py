"""What the things of a merge are called in the end: handles, file names of modes, paths."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.mapping import unique
from tokensync.plan.merging.conflicts import Conflict, ConflictKey
from tokensync.tokens import TokenKey

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tokensync.plan.merging.conflicts import Judge
    from tokensync.plan.merging.families import MergedFamily
    from tokensync.plan.merging.sides import Side
    from tokensync.plan.merging.tokens import MergedToken
    from tokensync.tokens import Mode
    from tokensync.tokens.collection import FamilyKey


class FamilyNames(NamedTuple):
    """The handle of each collection of a family, by identity, and (slug, context) of each mode."""

    handles: Mapping[str, str]
    modes: Mapping[str, tuple[str, str]]


def family_names(families: Sequence[MergedFamily], ours: Side, theirs: Side) -> dict[FamilyKey, FamilyNames]:
    """Names for all families of either side and of the merge: ours where the token files have some.

    So a collection or mode that was renamed on the platform keeps its folder and file, and what the configuration
    calls it.
    """
    identities = list(dict.fromkeys([*theirs.families, *ours.families]))
    taken: dict[str, set[str]] = {}
    handles: dict[FamilyKey, dict[str, str]] = {each: {} for each in identities}
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
    merged = {each.identity: each for each in families}
    return {
        each: FamilyNames(handles[each], _mode_names(each, handles[each], merged.get(each), ours, theirs))
        for each in identities
    }


def _mode_names(
    family: FamilyKey, handles: Mapping[str, str], merged: MergedFamily | None, ours: Side, theirs: Side
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
                    add(identity, owner, mode.slug, _own_context(mode, handles[owner], owner == root))
    for each in merged.modes if merged is not None else ():
        if each.identity not in names:
            parent = names[each.parent][0] if each.parent in names else each.identity
            add(each.identity, each.owner, parent, None)
    return names


def _own_context(mode: Mode, handle: str, is_root: bool) -> str | None:
    """A context that differs from the usual one, as far as it still says the same."""
    if is_root:
        return mode.context
    return mode.context if mode.collection == handle else None


def token_keys(
    tokens: Sequence[MergedToken], names: Mapping[FamilyKey, FamilyNames], judge: Judge
) -> dict[TokenKey, TokenKey]:
    """The key that each token has in the end, by identity. Two that want one path are a conflict.

    The side that is chosen has the path, and the other one's token takes a path beside it.
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
            loser = theirs if judge.conflict(conflict) == "ours" else ours
        else:  # a deleted or remote one gives way
            loser = other if each.token.origin == "local" and other.token.origin != "local" else each
        winner = other if loser is each else each
        wanted[key] = winner
        keys[winner.token.key] = key
        late.append((loser, key))
    paths = {key.path for key in wanted} if late else set()
    for each, key in late:
        keys[each.token.key] = key._replace(path=unique(key.path, paths))
    return keys
