"""A token that the sides take for different kinds, a colour and a number: its type and its values stand together.

A value of one side under the type of the other would be a file that nobody can read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tokensync.mapping import RESOLVED_TYPES
from tokensync.plan.merging.comparing import same_type
from tokensync.plan.merging.conflicts import Conflict, ConflictKey, same

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokensync.plan.merging.conflicts import Judge, SideName
    from tokensync.plan.merging.families import MergedFamily
    from tokensync.plan.merging.sides import Side
    from tokensync.tokens import Token, TokenKey


def are_of_other_kinds(one: Token, other: Token) -> bool:
    """Whether no value of the one can be a value of the other. Dimensions and numbers are of one kind."""
    return RESOLVED_TYPES.get(one.type, one.type) != RESOLVED_TYPES.get(other.type, other.type)


def members_of_one_kind(
    identity: TokenKey, family: MergedFamily, bases: Sequence[Side], ours: Side, theirs: Side, judge: Judge
) -> dict[str, Any]:
    """The type, and the values in the family's modes, of the side that holds, which is asked for as the type.

    In a mode that this side lacks it says what it says in its default mode; extensions override nothing there.
    """
    sides: dict[SideName, Side] = {"ours": ours, "theirs": theirs}
    own, their = ours.tokens[identity], theirs.tokens[identity]
    key = ConflictKey(*identity, "type")
    if any(_is_as_in(ours, each, identity) for each in bases):
        holds: SideName = "theirs"
    elif any(_is_as_in(theirs, each, identity) for each in bases):
        holds = "ours"
    else:
        types = tuple(each.tokens[identity].type for each in bases)
        holds = judge.conflict(Conflict(key, types, own.type, their.type, own.key))
    judge.changed(key, holds)
    side = sides[holds]
    default = side.value(identity, side.default_mode(family.identity))
    values = tuple(
        side.value(identity, mode.identity)
        if side.has_mode(family.identity, mode.identity)
        else (default if mode.owner == family.identity[1] else None)
        for mode in family.modes
    )
    return {"type": side.tokens[identity].type, "values": values}


def _is_as_in(side: Side, base: Side, identity: TokenKey) -> bool:
    """Whether type and values are those of a base, as far as it has the modes."""
    return same_type(side.tokens[identity], base.tokens[identity]) and all(
        same(side.value(identity, mode), base.value(identity, mode))
        for mode in side.columns[identity[:2]]
        if base.has_mode(identity[:2], mode)
    )
