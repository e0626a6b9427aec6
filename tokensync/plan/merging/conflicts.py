"""Conflicts between the sides, what the merge made of every difference, and what a side left unchanged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from tokensync.mapping import RESOLVED_TYPES
from tokensync.tokens.weights import AS_TEXT

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from tokensync.plan.merging.sides import Side
    from tokensync.tokens import Token, TokenKey
    from tokensync.tokens.collection import FamilyKey


SideName = Literal["ours", "theirs"]

EXISTENCE = "existence"


class ConflictKey(NamedTuple):
    """Names one thing that can differ; the same in every merge of the same states.

    ``collection`` is a handle, of an extension too; ``path`` a token's, empty for the collection. ``member`` is
    ``existence``, ``name``, ``description``, ``scopes``, ``hidden``, ``type``, ``code syntax <platform>``,
    ``default mode``, ``in <context>`` for a value, ``mode <context>`` for a mode as a whole and ``name of mode
    <context>``. Handles, paths and contexts are the platform's where it has the thing.
    """

    file: str
    collection: str
    path: str
    member: str


class Conflict(NamedTuple):
    """What both sides changed, each in its own way. ``bases`` holds what each base said, as far as it has the thing.

    Values are those of graphs (a token's value, a text, a flag, a tuple of scopes); a path for a token's name; True
    or False for existence. ``token`` is the token in the token files, None when they lack it.
    """

    key: ConflictKey
    bases: tuple[object, ...]
    ours: object
    theirs: object
    token: TokenKey | None = None
    context: str | None = None


class Difference(NamedTuple):
    """Something in which the sides differ, and whose change it is: the merge takes that side."""

    key: ConflictKey
    side: SideName
    kind: Literal["new", "gone", "changed"] = "changed"


class Judge:
    """Decides between two sides by what they started from, and keeps a record.

    A side that equals any of the bases is unchanged: with a git conflict in the lock there are two.
    """

    def __init__(
        self,
        settled: Mapping[ConflictKey, SideName],
        always: SideName | None,
        kept: Collection[ConflictKey] = (),
    ) -> None:
        self.settled = settled
        self.always = always
        self.kept = kept  # things that stay in any case, since something refers to them
        self.conflicts: list[Conflict] = []
        self.differences: list[Difference] = []

    def member(
        self,
        key: ConflictKey,
        bases: Sequence[object],
        ours: object,
        theirs: object,
        *,
        absent: object = ...,
        token: TokenKey | None = None,
        context: str | None = None,
    ) -> bool:
        """Return whether theirs holds, of two values that differ. ``bases`` are those that have the thing at all.

        Without any, a side that says ``absent`` has no opinion.
        """
        if any(same(each, ours) for each in bases) or (not bases and ours == absent):
            side: SideName = "theirs"
        elif any(same(each, theirs) for each in bases) or (not bases and theirs == absent):
            side = "ours"
        else:
            side = self.conflict(Conflict(key, tuple(bases), ours, theirs, token, context))
        self.changed(key, side)
        return side == "theirs"

    def changed(self, key: ConflictKey, side: SideName) -> None:
        """Note in what the sides differ, and which of them holds."""
        self.differences.append(Difference(key, side))

    def stays(
        self, key: ConflictKey, has: SideName, in_bases: Sequence[bool], unchanged: Callable[[int], bool], **shown: Any
    ) -> bool:
        """Return whether something stays that one side alone has: ``has``. ``in_bases`` tells which bases have it, too.

        ``unchanged`` tells whether that side's is as it was in a base. ``shown`` goes into a conflict.
        """
        having = [index for index, has_it in enumerate(in_bases) if has_it]
        some_lack_it = len(having) < len(in_bases)
        if not having or (some_lack_it and has == "theirs") or key in self.kept:
            self.differences.append(Difference(key, has, "new"))
            return True
        deleted_by: SideName = "theirs" if has == "ours" else "ours"
        if any(map(unchanged, having)):
            self.differences.append(Difference(key, deleted_by, "gone"))
            return False
        if some_lack_it:
            self.differences.append(Difference(key, has, "new"))
            return True
        conflict = Conflict(key, tuple(True for _ in having), has == "ours", has == "theirs", **shown)
        side = self.conflict(conflict)
        self.differences.append(Difference(key, side, "new" if side == has else "gone"))
        return side == has

    def conflict(self, conflict: Conflict) -> SideName:
        """Return the side that somebody chose. Without one the conflict is noted, and theirs stands in for an
        answer.
        """
        side = self.settled.get(conflict.key) or self.always
        if side is None:
            self.conflicts.append(conflict)
        return side or "theirs"


def same(one: object, other: object) -> bool:
    """Equality that tells true from 1."""
    return one == other and (type(one) is type(other) or not isinstance(one, bool | float))


def scope_set(token: Token) -> frozenset[str]:
    """Return the scopes as the platform stores them: without order, and a number's FONT_WEIGHT as FONT_STYLE."""
    if "FONT_WEIGHT" in token.scopes and RESOLVED_TYPES.get(token.type) == "FLOAT":
        return frozenset("FONT_STYLE" if each == "FONT_WEIGHT" else each for each in token.scopes)
    return frozenset(token.scopes)


def same_type(one: Token, other: Token) -> bool:
    """Return whether both have one type; a text and a weight kept as text do: their values decide which it is."""
    return one.type == other.type or {one.type, other.type} == {"string", AS_TEXT}


def unchanged_token(side: Side, base: Side, identity: TokenKey) -> bool:
    """Return whether a token, which both have, is the same in both, as far as it concerns modes of both."""
    own, old = side.tokens[identity], base.tokens[identity]
    return (
        own.key.path == old.key.path
        and same_type(own, old)
        and own.description == old.description
        and own.hidden == old.hidden
        and own.code_syntax == old.code_syntax
        and scope_set(own) == scope_set(old)
        and all(
            same(side.value(identity, mode), base.value(identity, mode))
            for mode in side.columns[identity[:2]]
            if base.has_mode(identity[:2], mode)
        )
    )


def unchanged_mode(side: Side, base: Side, family: FamilyKey, owner: str, mode: str) -> bool:
    """Return whether a mode has its name and values as in the base. A token that the base lacks had no override."""
    is_root = owner == family[1]
    return side.modes(family, owner)[mode].name == base.modes(family, owner)[mode].name and all(
        same(side.value(identity, mode), base.value(identity, mode))
        for identity in side.tokens_of(family)
        if identity in base.tokens or not is_root
    )


def unchanged_extension(side: Side, base: Side, family: FamilyKey, identity: str) -> bool:
    """Return whether an extension and all that extend it have their names and overrides as in the base."""
    own, old = side.extensions(family)[identity], base.extensions(family)[identity]
    modes = side.modes(family, identity)
    extending = _extending(side, family, identity)
    return (
        (own.name, own.hidden) == (old.name, old.hidden)
        and modes.keys() == base.modes(family, identity).keys()
        and all(unchanged_mode(side, base, family, identity, mode) for mode in modes)
        and extending == _extending(base, family, identity)
        and all(unchanged_extension(side, base, family, each) for each in extending)
    )


def _extending(side: Side, family: FamilyKey, identity: str) -> set[str]:
    return {each for each in side.extensions(family) if side.parent_of(family, each) == identity}


def unchanged_family(side: Side, base: Side, family: FamilyKey) -> bool:
    """Return whether a collection is as in the base, with all that belongs to it."""
    own, old = side.families[family], base.families[family]
    tokens = {each for each in side.tokens_of(family) if side.has(each)}
    return (
        (own.name, own.hidden) == (old.name, old.hidden)
        and side.columns[family].keys() == base.columns[family].keys()
        and all(unchanged_mode(side, base, family, family[1], mode) for mode in side.modes(family, family[1]))
        and side.extensions(family).keys() == base.extensions(family).keys()
        and all(unchanged_extension(side, base, family, each) for each in side.extensions(family))
        and tokens == {each for each in base.tokens_of(family) if base.has(each)}
        and all(unchanged_token(side, base, each) for each in tokens)
    )
