"""Merge tokens: those of only one side as a whole, the others member by member.

If the sides have different kinds of a token, such as a colour and a number, its type and values are merged together: a
value of one side with the type of the other would be invalid.
"""

from __future__ import annotations

from operator import is_not
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from tokensync.normalize.mapping import RESOLVED_TYPES
from tokensync.plan.merging.conflicts import (
    EXISTENCE,
    LIVE,
    Conflict,
    ConflictKey,
    same,
    same_type,
    scope_set,
    unchanged_token,
)
from tokensync.tokens import Composite, Quantity, normalized
from tokensync.tokens.composites import canonical, font_list
from tokensync.tokens.values import AS_TEXT, PIXELS_PER_REM

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tokensync.plan.merging.conflicts import ConflictPolicy, MergeInput, SideName
    from tokensync.plan.merging.families import MergedFamily, MergedMode
    from tokensync.tokens import Token, TokenKey, Value


_OVERRIDDEN = ("remote", "absent")  # origins in other files; extensions of this file may override such tokens


class MergedToken(NamedTuple):
    """A token that stays, with identities as its key and in its values, and its path.

    ``ours`` is True if the path is the token files', False if it is the platform's.
    """

    token: Token
    path: str
    ours: bool


class Merger:
    """Merges the tokens of the families that stay."""

    def __init__(
        self,
        families: Sequence[MergedFamily],
        bases: Sequence[MergeInput],
        ours: MergeInput,
        theirs: MergeInput,
        policy: ConflictPolicy,
    ) -> None:
        self.families = {each.identity: each for each in families}
        self.bases = bases
        self.ours, self.theirs = ours, theirs
        self.sides: dict[SideName, MergeInput] = {"ours": ours, "theirs": theirs}
        self.policy = policy
        self._plain = {  # families with the same columns on both sides
            each.identity
            for each in families
            if ours.in_the_same_modes(theirs, each.identity)
            and [mode.identity for mode in each.modes] == list(theirs.columns[each.identity])
            and all(mode.sides == "both" for mode in each.modes)
        }

    def merged(self) -> Iterator[MergedToken]:
        """Yield the remaining tokens in the platform's order, each followed by our new tokens after it."""
        followers = self._followers()
        for first in followers.pop(None, ()):
            yield from self._new_ones(first, followers)
        for identity in self.theirs.tokens:
            found = self._of_theirs(identity)
            if found is not None:
                yield found
            for each in followers.pop(identity, ()):
                yield from self._new_ones(each, followers)

    def _followers(self) -> dict[TokenKey | None, list[TokenKey]]:
        """Return the tokens that the platform lacks, by the preceding token in the token files."""
        found: dict[TokenKey | None, list[TokenKey]] = {}
        theirs = self.theirs.tokens
        last: TokenKey | None = None
        for identity in self.ours.tokens:
            if identity not in theirs:
                found.setdefault(last, []).append(identity)
            last = identity
        return found

    def _new_ones(self, identity: TokenKey, followers: dict[TokenKey | None, list[TokenKey]]) -> Iterator[MergedToken]:
        pending = [identity]
        while pending:
            each = pending.pop()
            pending.extend(reversed(followers.pop(each, [])))
            found = self._of_ours(each)
            if found is not None:
                yield found

    # one token

    def _of_theirs(self, identity: TokenKey) -> MergedToken | None:
        family = self.families.get(identity[:2])
        if family is None:
            return None
        theirs = self.theirs.tokens[identity]
        if theirs.origin in LIVE:
            if self.ours.has(identity) and family.sides != "theirs":
                return self._of_both(identity, family)
            return self._of_one(identity, family, "theirs")
        if self.ours.has(identity) and self._is_here("ours", identity, family):
            return self._of_one(identity, family, "ours") or self._foreign(identity, theirs, family)
        return self._foreign(identity, theirs, family)

    def _of_ours(self, identity: TokenKey) -> MergedToken | None:
        family = self.families.get(identity[:2])
        if family is None or not self.ours.has(identity):
            return None
        return self._of_one(identity, family, "ours")

    def _is_here(self, side: SideName, identity: TokenKey, family: MergedFamily) -> bool:
        return self.sides[side].has(identity) and family.sides in ("both", side)

    def _of_one(self, identity: TokenKey, family: MergedFamily, has: SideName) -> MergedToken | None:
        """Return a token that only one side has, or None if it is deleted."""
        token = self.sides[has].tokens[identity]
        if family.sides not in ("both", has):
            return None
        if family.sides == "both" and token.origin != "withheld":
            in_bases = [_is_local(each, identity) for each in self.bases]
            key = ConflictKey(*identity, EXISTENCE)
            shown = {"token": self.ours.tokens[identity].key if has == "ours" else None}

            def unchanged(index: int) -> bool:
                return unchanged_token(self.sides[has], self.bases[index], identity)

            if not self.policy.stays(key, has, in_bases, unchanged, **shown):
                return None
        return self._whole(identity, family, has)

    def _whole(self, identity: TokenKey, family: MergedFamily, has: SideName) -> MergedToken:
        side = self.sides[has]
        token = side.tokens[identity]
        columns, translated = side.columns[identity[:2]], side.translator.value
        values = tuple(
            translated(token.values[columns[mode.identity]])
            if mode.sides in ("both", has) and mode.identity in columns
            else None
            for mode in family.modes
        )
        if has == "ours":
            whole = replace(token, key=identity, values=values, id="", variable_key="", published=None, origin="local")
        else:
            whole = replace(token, key=identity, values=values)
        return MergedToken(whole, token.key.path, has == "ours")

    def _foreign(self, identity: TokenKey, token: Token, family: MergedFamily) -> MergedToken:
        """Return a token of another file, with the merged overrides of local extensions."""
        overriding = {each.identity for each in family.extensions if each.sides != "theirs"}
        if token.origin not in _OVERRIDDEN:
            overriding = set()
        values = tuple(
            self._value(identity, mode, None) if mode.owner in overriding else self._their_value(identity, mode)
            for mode in family.modes
        )
        return MergedToken(token if values == token.values else replace(token, values=values), token.key.path, False)

    def _their_value(self, identity: TokenKey, mode: MergedMode) -> Value | None:
        return self.theirs.value(identity, mode.identity)

    def _of_both(self, identity: TokenKey, family: MergedFamily) -> MergedToken:
        theirs = self.theirs.tokens[identity]
        own = self.ours.tokens[identity]
        plain = identity[:2] in self._plain
        if plain and own.key.path == theirs.key.path and self.ours.translated(identity) == theirs:
            return MergedToken(theirs, theirs.key.path, False)
        bases = [each for each in self.bases if each.has(identity)]
        changed: dict[str, Any] = {
            name: getattr(own, name)
            for name in ("deprecated", "extensions")
            if getattr(own, name) != getattr(theirs, name)
        }
        if are_of_other_kinds(own, theirs):
            changed |= members_of_one_kind(identity, family, bases, self.ours, self.theirs, self.policy)
        else:
            values = tuple(self._value(identity, mode, own) for mode in family.modes)
            values = tuple(
                _in_own_unit(own, each)
                if type(each) is float and self.ours.value(identity, mode.identity) is None
                else each
                for each, mode in zip(values, family.modes, strict=True)
            )
            if not plain or any(map(is_not, values, theirs.values)):  # false equals 0 but is another value
                changed["values"] = values
        if own.notations:
            changed["notations"] = own.notations
        changed |= self._members(identity, own, theirs, bases)
        if theirs.origin == "withheld" and changed:
            changed["origin"] = "local"
        path, is_ours = theirs.key.path, False
        if own.key.path != path:
            old = [each.tokens[identity].key.path for each in bases]
            # Without an id, only a [[moved]] entry leads to another name, which so is the former one.
            absent = ... if own.id or own.variable_key else path
            if not self._theirs_hold(own, identity, "name", old, own.key.path, path, absent):
                path, is_ours = own.key.path, True
        return MergedToken(replace(theirs, **changed) if changed else theirs, path, is_ours)

    def _members(self, identity: TokenKey, own: Token, theirs: Token, bases: Sequence[MergeInput]) -> dict[str, Any]:
        """Return the members for which our value is used."""
        changed: dict[str, Any] = {}
        known = [each.tokens[identity] for each in bases]
        # Values decide which texts are weights, so "string" in the token files is not an edit without a base.
        no_type = "string" if theirs.type == AS_TEXT else ...
        for name, absent in (("type", no_type), ("description", ""), ("hidden", False)):
            mine, other = getattr(own, name), getattr(theirs, name)
            if mine != other and not (name == "type" and are_of_other_kinds(own, theirs)):
                old = [getattr(each, name) for each in known]
                if not self._theirs_hold(own, identity, name, old, mine, other, absent):
                    changed[name] = mine
        scopes, other_scopes = scope_set(own), scope_set(theirs)
        if scopes != other_scopes:
            old = list(map(scope_set, known))
            if not self._theirs_hold(own, identity, "scopes", old, scopes, other_scopes, frozenset()):
                changed["scopes"] = own.scopes
        if own.code_syntax != theirs.code_syntax:
            syntax = self._code_syntax(identity, own, theirs, known)
            if syntax != theirs.code_syntax:
                changed["code_syntax"] = syntax
        return changed

    def _code_syntax(
        self, identity: TokenKey, own: Token, theirs: Token, known: Sequence[Token]
    ) -> tuple[tuple[str, str], ...]:
        mine, other = dict(own.code_syntax), dict(theirs.code_syntax)
        merged = dict(other)
        for platform in sorted({*mine, *other}):
            ours, their = mine.get(platform, ""), other.get(platform, "")
            if ours != their:
                old = [dict(each.code_syntax).get(platform, "") for each in known]
                if not self._theirs_hold(own, identity, f"code syntax {platform}", old, ours, their, ""):
                    merged[platform] = ours
        return tuple(sorted((platform, text) for platform, text in merged.items() if text))

    def _theirs_hold(
        self,
        own: Token,
        identity: TokenKey,
        member: str,
        old: Sequence[object],
        mine: object,
        other: object,
        absent: object = ...,
    ) -> bool:
        key = ConflictKey(*identity, member)
        return self.policy.member(key, old, mine, other, absent=absent, token=own.key)

    def _value(self, identity: TokenKey, mode: MergedMode, own: Token | None) -> Value | None:
        """Return the value in a mode. A mode of only one side has that side's value, if any."""
        if mode.sides == "theirs":
            return self.theirs.value(identity, mode.identity)
        mine = self.ours.value(identity, mode.identity)
        if mode.sides == "ours":
            return mine
        theirs = self.theirs.value(identity, mode.identity)
        if mine is theirs or same(mine, theirs):
            return theirs
        family = identity[:2]
        old = [
            each.value(identity, mode.identity)
            for each in self.bases
            if identity in each.tokens and each.has_mode(family, mode.identity)
        ]
        fonts = font_list(mine)
        if fonts and type(theirs) is str and fonts[0] in (theirs, *old):  # a variable holds the first one only
            return mine if fonts[0] == theirs else Composite(canonical([theirs, *fonts[1:]]))
        key = ConflictKey(*identity, f"in {mode.identity}")
        token = self.ours.tokens.get(identity)
        context = self._own_context(identity, mode.identity)
        shown = {"token": None if token is None else token.key, "context": context}
        return theirs if self.policy.member(key, old, mine, theirs, absent=None, **shown) else mine  # type: ignore[arg-type]

    def _own_context(self, identity: TokenKey, mode: str) -> str | None:
        column = self.ours.columns.get(identity[:2], {}).get(mode)
        return None if column is None else self.ours.families[identity[:2]].modes[column].context


def _in_own_unit(own: Token, pixels: float) -> Value:
    """Return a length that is new to the token files, in rem if they have the token's other lengths in rem."""
    lengths = [each for each in own.values if type(each) in (float, Quantity)]
    if own.type != "dimension" or not lengths or not all(type(each) is Quantity for each in lengths):
        return pixels
    found = Quantity(normalized(pixels / PIXELS_PER_REM), "rem")
    return found if normalized(found.number * PIXELS_PER_REM) == pixels else pixels


def _is_local(side: MergeInput, identity: TokenKey) -> bool:
    token = side.tokens.get(identity)
    return token is not None and token.origin == "local"


def are_of_other_kinds(one: Token, other: Token) -> bool:
    """Return whether no value of one type can have the other type. Dimensions and numbers are of the same kind."""
    return RESOLVED_TYPES.get(one.type, one.type) != RESOLVED_TYPES.get(other.type, other.type)


def members_of_one_kind(
    identity: TokenKey,
    family: MergedFamily,
    bases: Sequence[MergeInput],
    ours: MergeInput,
    theirs: MergeInput,
    policy: ConflictPolicy,
) -> dict[str, Any]:
    """Return the type and the values in the family's modes of one side, chosen by a conflict of the type.

    In a mode that this side lacks, its default mode's value is used; extensions have no overrides there.
    """
    sides: dict[SideName, MergeInput] = {"ours": ours, "theirs": theirs}
    own, their = ours.tokens[identity], theirs.tokens[identity]
    key = ConflictKey(*identity, "type")
    if any(_is_as_in(ours, each, identity) for each in bases):
        holds: SideName = "theirs"
    elif any(_is_as_in(theirs, each, identity) for each in bases):
        holds = "ours"
    else:
        types = tuple(each.tokens[identity].type for each in bases)
        holds = policy.conflict(Conflict(key, types, own.type, their.type, own.key))
    policy.changed(key, holds)
    side = sides[holds]
    default = side.value(identity, side.default_mode(family.identity))
    values = tuple(
        side.value(identity, mode.identity)
        if side.has_mode(family.identity, mode.identity)
        else (default if mode.owner == family.identity[1] else None)
        for mode in family.modes
    )
    return {"type": side.tokens[identity].type, "values": values}


def _is_as_in(side: MergeInput, base: MergeInput, identity: TokenKey) -> bool:
    """Return whether type and values are those of a base, in the modes of both."""
    return same_type(side.tokens[identity], base.tokens[identity]) and all(
        same(side.value(identity, mode), base.value(identity, mode))
        for mode in side.columns[identity[:2]]
        if base.has_mode(identity[:2], mode)
    )
