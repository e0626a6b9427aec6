"""Merge what the token files say and what the platform holds, by what both started from.

Each graph is put into one identity space: an object goes by what the platform calls it, and by a name of its own where
the platform lacks it. So a comparison of the sides is plain equality, member by member. Tokens that are equal on both
sides, which most are, cost one comparison.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.plan.identities import Atlas, Moves
from tokensync.plan.merging.conflicts import EXISTENCE, Conflict, ConflictKey, Difference, Judge, SideName, same
from tokensync.plan.merging.families import merged_families
from tokensync.plan.merging.result import aligned_graph, family_names, merged_graph, token_keys
from tokensync.plan.merging.sides import Side, with_known_texts
from tokensync.plan.merging.tokens import Merger
from tokensync.tokens import targets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tokensync.plan.merging.tokens import MergedToken
    from tokensync.problems import Problem
    from tokensync.settings import MovedConfig
    from tokensync.tokens import TokenGraph, TokenKey


_ELSEWHERE = "elsewhere"  # the realm of ids of another file


class Merged(NamedTuple):
    """A merge. ``graph`` is the platform's state with our edits; with conflicts in it, theirs stand in for answers.

    ``theirs`` is what the platform holds, by the handles and file names of ``graph``. ``differences`` lists what the
    sides differ in, and whose change it is. ``our_keys`` tells what the token files call the tokens of ``graph``.
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
    settled: Mapping[ConflictKey, SideName] | None = None,
    always: SideName | None = None,
    ids_count: bool = True,
) -> Merged:
    """Merge the token files (``ours``) with the platform (``theirs``), all of one file.

    ``bases`` are what both started from: none when nothing was ever pulled, two when the lock holds a git conflict.
    ``settled`` answers single conflicts, ``always`` all others. ``ids_count`` tells that the ids in ``ours`` and
    ``bases`` are of the very file that ``theirs`` is of: else they are hints.
    """
    atlas = Atlas(Moves(moved))
    realm = "" if ids_count else _ELSEWHERE
    their_side = Side(theirs, atlas.add(theirs))
    base_sides = [Side(each, atlas.add(each, realm)) for each in bases]
    our_side = with_known_texts(Side(ours, atlas.add(ours, realm, is_last=True)), (*base_sides, their_side))
    judge = Judge(settled or {}, always)
    families = merged_families(base_sides, our_side, their_side, judge)
    tokens = tuple(Merger(families, base_sides, our_side, their_side, judge).merged())
    conflicts = missing_targets(tokens, our_side, their_side)
    kept = [key for each in conflicts if judge.conflict(each) == keeping_side(each) for key in existence_keys(each)]
    if kept:
        open_ones = judge.conflicts
        judge = Judge(settled or {}, always, kept)
        families = merged_families(base_sides, our_side, their_side, judge)
        tokens = tuple(Merger(families, base_sides, our_side, their_side, judge).merged())
        judge.conflicts = list(dict.fromkeys([*open_ones, *judge.conflicts]))
    names = family_names(families, our_side, their_side)
    keys = token_keys(tokens, names, judge)
    return Merged(
        merged_graph(families, tokens, keys, names, (their_side, *base_sides, our_side)),
        aligned_graph(their_side, names),
        tuple(judge.conflicts),
        tuple(judge.differences),
        tuple(atlas.problems),
        lambda: {keys[identity]: key for key, identity in our_side.names.tokens.items() if identity in keys},
    )


def missing_targets(tokens: Sequence[MergedToken], ours: Side, theirs: Side) -> list[Conflict]:
    """Return a conflict for each token that goes, although the other side has made a value refer to it."""
    stay = {each.token.key for each in tokens if each.token.origin != "deleted"}
    gone = {each for side in (ours, theirs) for each in side.tokens.keys() - stay if side.has(each)}
    if not gone:
        return []
    found = {target: None for each in tokens for target in _new_targets(each, gone, ours, theirs)}
    return [_conflict(each, ours, theirs) for each in found]


def keeping_side(conflict: Conflict) -> SideName:
    """Return the side that still has the token."""
    return "ours" if conflict.ours else "theirs"


def existence_keys(conflict: Conflict) -> Iterator[ConflictKey]:
    """Yield what has to stay for the token to stay: itself and its collection."""
    yield conflict.key
    yield conflict.key._replace(path="")


def _new_targets(merged: MergedToken, gone: set[TokenKey], ours: Side, theirs: Side) -> Iterator[TokenKey]:
    for value in merged.token.values:
        for target in targets(value):
            if target in gone and not _is_common(merged.token.key, ours, theirs):
                yield target


def _is_common(identity: TokenKey, ours: Side, theirs: Side) -> bool:
    """Return whether both sides say the same of a token: then nobody has made it refer to anything."""
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
