"""What both sides changed, and what the merge made of every difference between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from tokensync.tokens import TokenKey

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
        """Whether theirs holds, of two values that differ. ``bases`` are those that have the thing at all.

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
        """Whether something stays that one side alone has: ``has``. ``in_bases`` tells which bases have it, too.

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
        """The side that somebody chose. Without one the conflict is noted, and theirs stands in for an answer."""
        side = self.settled.get(conflict.key) or self.always
        if side is None:
            self.conflicts.append(conflict)
        return side or "theirs"


def same(one: object, other: object) -> bool:
    """Equality that tells true from 1."""
    return one == other and (type(one) is type(other) or not isinstance(one, bool | float))
