"""Merge collections, their extensions and their modes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from tokensync.plan.merging.conflicts import (
    EXISTENCE,
    Conflict,
    ConflictKey,
    unchanged_extension,
    unchanged_family,
    unchanged_mode,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tokensync.plan.merging.conflicts import ConflictPolicy, MergeInput, SideName
    from tokensync.tokens import Collection, Extension, Mode
    from tokensync.tokens.collection import FamilyKey

Sides = Literal["both", "ours", "theirs"]
"""The sides that a remaining object is merged from."""


class MergedMode(NamedTuple):
    """A mode that stays. ``owner`` is the identity of the collection that has it, ``parent`` that of a mode."""

    identity: str
    owner: str
    parent: str | None
    sides: Sides
    name: str


class MergedExtension(NamedTuple):
    """An extension that stays. ``default`` is the identity of a mode, ``parent`` that of a collection."""

    identity: str
    sides: Sides
    name: str
    hidden: bool
    default: str
    parent: str


class MergedFamily(NamedTuple):
    """A family that stays. ``default`` is the identity of a mode; the modes of a collection are adjacent."""

    identity: FamilyKey
    sides: Sides
    name: str
    hidden: bool
    default: str
    modes: tuple[MergedMode, ...]
    extensions: tuple[MergedExtension, ...]


def merged_families(
    bases: Sequence[MergeInput], ours: MergeInput, theirs: MergeInput, policy: ConflictPolicy
) -> tuple[MergedFamily, ...]:
    """Return the families that stay: the platform's in its order, then new ones in ours."""
    identities = [*theirs.families, *(each for each in ours.families if each not in theirs.families)]
    found = (_Merger(each, bases, ours, theirs, policy).merged() for each in identities)
    return tuple(each for each in found if each is not None)


class _Merger:
    """Merges one family."""

    def __init__(
        self,
        identity: FamilyKey,
        bases: Sequence[MergeInput],
        ours: MergeInput,
        theirs: MergeInput,
        policy: ConflictPolicy,
    ) -> None:
        self.identity = identity
        self.root = identity[1]
        self.bases = bases
        self.sides: dict[SideName, MergeInput] = {"ours": ours, "theirs": theirs}
        self.ours, self.theirs = ours, theirs
        self.policy = policy
        self.own = ours.families.get(identity)
        self.their = theirs.families.get(identity)
        self.modes: dict[str, MergedMode] = {}

    def merged(self) -> MergedFamily | None:
        sides = self._sides()
        if sides is None:
            return None
        self._root_modes(sides)
        extensions = tuple(self._extensions(sides))
        name, hidden = self._about(self.root, sides, self.own, self.their)
        default = self._default(sides)
        return MergedFamily(self.identity, sides, name, hidden, default, tuple(self.modes.values()), extensions)

    def _key(self, collection: str, member: str) -> ConflictKey:
        return ConflictKey(self.identity[0], collection, "", member)

    def _sides(self) -> Sides | None:
        """Return the sides to merge the collection from; None if it is deleted."""
        own = self.own is not None and self.own.origin == "local"
        their = self.their is not None and self.their.origin == "local"
        if own and their:
            return "both"
        if own != their:
            has: SideName = "ours" if own else "theirs"
            in_bases = [_is_local(each.families.get(self.identity)) for each in self.bases]
            stays = self.policy.stays(
                self._key(self.root, EXISTENCE),
                has,
                in_bases,
                lambda index: unchanged_family(self.sides[has], self.bases[index], self.identity),
            )
            if stays:
                return has
        return "theirs" if self.their is not None and not their else None

    def _about(
        self, handle: str, sides: Sides, own: Collection | Extension | None, their: Collection | Extension | None
    ) -> tuple[str, bool]:
        """Return the name and visibility."""
        one = own if sides == "ours" or their is None else their
        name, hidden = (one.name, one.hidden) if one is not None else ("", False)
        if sides == "both" and own is not None and own is not one:
            old = [found for each in self.bases if (found := _collection(each, self.identity, handle)) is not None]
            if own.name != name:
                names = [each.name for each in old]
                if not self.policy.member(self._key(handle, "name"), names, own.name, name):
                    name = own.name
            if own.hidden != hidden:
                flags = [each.hidden for each in old]
                if not self.policy.member(self._key(handle, "hidden"), flags, own.hidden, hidden, absent=False):
                    hidden = own.hidden
        return name, hidden

    def _default(self, sides: Sides) -> str:
        """Return the default mode, or the first mode if the default one is deleted."""
        default = (self.ours if sides == "ours" else self.theirs).default_mode(self.identity)
        if sides == "both":
            own = self.ours.default_mode(self.identity)
            old = [each.default_mode(self.identity) for each in self.bases if self.identity in each.families]
            if own != default and not self.policy.member(self._key(self.root, "default mode"), old, own, default):
                default = own
        return default if default in self.modes else next(iter(self.modes))

    # modes

    def _root_modes(self, sides: Sides) -> None:
        theirs = self.theirs.modes(self.identity, self.root) if sides != "ours" else {}
        ours = self.ours.modes(self.identity, self.root) if sides != "theirs" else {}
        for identity, mode in theirs.items():
            if identity in ours:
                name = self._mode_name(identity)
                self.modes[identity] = MergedMode(identity, self.root, None, "both", name)
            elif sides == "theirs" or self._mode_stays(identity, "theirs"):
                self.modes[identity] = MergedMode(identity, self.root, None, "theirs", mode.name)
        for identity, mode in ours.items():
            if identity not in theirs and (sides == "ours" or self._mode_stays(identity, "ours")):
                self.modes[identity] = MergedMode(identity, self.root, None, "ours", mode.name)
        if not self.modes:
            self._one_is_left(ours, theirs)

    def _one_is_left(self, ours: dict[str, Mode], theirs: dict[str, Mode]) -> None:
        """Retain one mode although each side deleted the other's: a collection needs at least one."""
        side: SideName = "theirs" if theirs else "ours"
        if ours and theirs:
            side = self.policy.conflict(
                Conflict(self._key(self.root, f"mode {next(iter(theirs))}"), (True,), False, True)
            )
        identity, mode = next(iter((theirs if side == "theirs" else ours).items()))
        self.modes[identity] = MergedMode(identity, self.root, None, side, mode.name)

    def _mode_stays(self, mode: str, has: SideName) -> bool:
        in_bases = [mode in each.modes(self.identity, self.root) for each in self.bases]
        return self.policy.stays(
            self._key(self.root, f"mode {mode}"),
            has,
            in_bases,
            lambda index: unchanged_mode(self.sides[has], self.bases[index], self.identity, self.root, mode),
            context=self._own_context(mode),
        )

    def _own_context(self, mode: str) -> str | None:
        column = self.ours.columns.get(self.identity, {}).get(mode)
        return None if column is None or self.own is None else self.own.modes[column].context

    def _mode_name(self, mode: str) -> str:
        own = self.ours.modes(self.identity, self.root)[mode]
        their = self.theirs.modes(self.identity, self.root)[mode]
        if own.name == their.name:
            return their.name
        known = (each.modes(self.identity, self.root).get(mode) for each in self.bases)
        names = [each.name for each in known if each is not None]
        key = self._key(self.root, f"name of mode {mode}")
        # Without an id, only a [[moved]] entry leads to a mode with another slug, which so has the former name.
        absent = ... if own.id or own.slug == their.slug else their.name
        is_theirs = self.policy.member(key, names, own.name, their.name, absent=absent, context=self._own_context(mode))
        return their.name if is_theirs else own.name

    # extensions

    def _extensions(self, sides: Sides) -> Iterator[MergedExtension]:
        ours, theirs = self.ours.extensions(self.identity), self.theirs.extensions(self.identity)
        kept = {self.root}
        for identity in (*theirs, *(each for each in ours if each not in theirs)):
            own, their = ours.get(identity), theirs.get(identity)
            whose = self._sides_of_extension(identity, sides, own, their)
            if whose is None:
                continue
            parent = (self.ours if whose == "ours" else self.theirs).parent_of(self.identity, identity)
            if parent not in kept:
                continue
            kept.add(identity)
            name, hidden = self._about(identity, whose, own, their)
            self._modes_of_extension(identity, parent, whose)
            default = self._default_of_extension(identity, self.ours if whose == "ours" else self.theirs)
            yield MergedExtension(identity, whose, name, hidden, default, parent)

    def _sides_of_extension(
        self, identity: str, sides: Sides, own: Extension | None, their: Extension | None
    ) -> Sides | None:
        own_is_here = _is_local(own)
        if sides == "ours":
            return "ours" if own_is_here else None
        if their is not None and (their.origin != "local" or self._is_ours_gone()):
            return "theirs"
        if (their is None and not own_is_here) or self._is_ours_gone():
            return None
        if their is not None and own_is_here:
            return "both"
        has: SideName = "ours" if own_is_here else "theirs"
        in_bases = [_is_local(each.extensions(self.identity).get(identity)) for each in self.bases]
        stays = self.policy.stays(
            self._key(identity, EXISTENCE),
            has,
            in_bases,
            lambda index: unchanged_extension(self.sides[has], self.bases[index], self.identity, identity),
        )
        return has if stays else None

    def _is_ours_gone(self) -> bool:
        """Return whether the platform's collection stays although the token files no longer have it."""
        return _is_local(self.their) and not _is_local(self.own)

    def _modes_of_extension(self, identity: str, parent: str, whose: Sides) -> None:
        """Add a mode, with its parent's name, for each mode of the extension's parent, as the platform does."""
        theirs = self.theirs.modes(self.identity, identity) if whose != "ours" else {}
        ours = self.ours.modes(self.identity, identity) if whose != "theirs" else {}
        followed: set[str] = set()
        for side, own in ((self.theirs, theirs), (self.ours, ours)):
            for mode, about in own.items():
                above = side.parent_mode(self.identity, mode)
                if mode in self.modes or (above is not None and not self._is_free(above, parent, followed)):
                    continue
                if above is not None:
                    followed.add(above)
                name = self._inherited_name(above, about.name) if side is self.theirs else about.name
                if side is self.ours and above is not None:
                    name = self.modes[above].name
                self.modes[mode] = MergedMode(
                    mode, identity, above, self._sides_of_mode(mode, theirs, ours, whose), name
                )
        for each in [each for each in self.modes.values() if each.owner == parent]:
            if each.identity not in followed and (whose == "ours" or each.sides == "ours"):
                made = f"{identity}.{each.identity.removeprefix(f'{parent}.')}"
                while made in self.modes:
                    made += "-2"
                self.modes[made] = MergedMode(made, identity, each.identity, "ours", each.name)

    def _is_free(self, above: str, parent: str, followed: set[str]) -> bool:
        """Return whether a mode of the parent stays and no mode of the extension follows it yet.

        Each side may have recreated the extension with a different parent.
        """
        return above in self.modes and self.modes[above].owner == parent and above not in followed

    def _sides_of_mode(self, mode: str, theirs: object, ours: object, whose: Sides) -> Sides:
        """Return the sides of an extension's mode. One of a base whose file was removed has lost only its overrides."""
        in_theirs, in_ours = mode in theirs, mode in ours  # type: ignore[operator]
        if in_theirs and (
            in_ours or (whose == "both" and any(each.has_mode(self.identity, mode) for each in self.bases))
        ):
            return "both"
        return "theirs" if in_theirs else "ours"

    def _inherited_name(self, above: str | None, name: str) -> str:
        if above is None or self.modes[above].sides == "ours":
            return name
        column = self.theirs.columns[self.identity][above]
        theirs = self.theirs.families[self.identity].modes[column].name
        return name if self.modes[above].name == theirs else self.modes[above].name

    def _default_of_extension(self, identity: str, side: MergeInput) -> str:
        own = [each for each in self.modes.values() if each.owner == identity]
        extension = side.extensions(self.identity)[identity]
        family = side.families[self.identity]
        wanted = side.names.modes[family.key][extension.default_mode] if family.modes else ""
        if any(each.identity == wanted for each in own):
            return wanted
        return own[0].identity if own else next(iter(self.modes))


def _is_local(collection: Collection | Extension | None) -> bool:
    return collection is not None and collection.origin == "local"


def _collection(side: MergeInput, family: FamilyKey, identity: str) -> Collection | Extension | None:
    return side.families.get(family) if identity == family[1] else side.extensions(family).get(identity)
