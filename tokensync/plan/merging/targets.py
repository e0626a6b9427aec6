"""What one side deleted and the other one refers to anew: a deletion against an edit, seen from the other end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.plan.merging.conflicts import EXISTENCE, Conflict, ConflictKey, same
from tokensync.tokens import targets

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tokensync.plan.merging.conflicts import SideName
    from tokensync.plan.merging.sides import Side
    from tokensync.plan.merging.tokens import MergedToken
    from tokensync.tokens import TokenKey


def missing_targets(tokens: Sequence[MergedToken], ours: Side, theirs: Side) -> list[Conflict]:
    """A conflict for each token that goes, although the other side has made a value refer to it."""
    stay = {each.token.key for each in tokens if each.token.origin != "deleted"}
    gone = {each for side in (ours, theirs) for each in side.tokens.keys() - stay if side.has(each)}
    if not gone:
        return []
    found = {target: None for each in tokens for target in _new_targets(each, gone, ours, theirs)}
    return [_conflict(each, ours, theirs) for each in found]


def keeping_side(conflict: Conflict) -> SideName:
    """The side that still has the token."""
    return "ours" if conflict.ours else "theirs"


def existence_keys(conflict: Conflict) -> Iterator[ConflictKey]:
    """What has to stay for the token to stay: itself and its collection."""
    yield conflict.key
    yield conflict.key._replace(path="")


def _new_targets(merged: MergedToken, gone: set[TokenKey], ours: Side, theirs: Side) -> Iterator[TokenKey]:
    for value in merged.token.values:
        for target in targets(value):
            if target in gone and not _is_common(merged.token.key, ours, theirs):
                yield target


def _is_common(identity: TokenKey, ours: Side, theirs: Side) -> bool:
    """Whether both sides say the same of a token: then nobody has made it refer to anything."""
    if identity not in ours.tokens or identity not in theirs.tokens:
        return False
    family = identity[:2]
    return all(
        same(ours.value(identity, mode), theirs.value(identity, mode))
        for mode in ours.columns[family]
        if theirs.has_mode(family, mode)
    )


def _conflict(identity: TokenKey, ours: Side, theirs: Side) -> Conflict:
    has = ours.has(identity)
    token = ours.tokens[identity].key if has else None
    return Conflict(ConflictKey(*identity, EXISTENCE), (True,), has, theirs.has(identity), token)
