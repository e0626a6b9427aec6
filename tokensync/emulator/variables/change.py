"""The changes in a POST request: parsing and validation of their members."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tokensync.emulator import store
from tokensync.emulator.endpoints import Refusal, invalid

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator


CREATE: Final = "CREATE"
UPDATE: Final = "UPDATE"
DELETE: Final = "DELETE"
ACTIONS: Final = (CREATE, UPDATE, DELETE)


class Change(NamedTuple):
    """A change and its location in the body, such as ``variables[3]``. Unknown members are ignored."""

    location: str
    members: dict[str, Any]

    def refusal(self, member: str, reason: str) -> Refusal:
        """Return a refusal with the location of a member."""
        return invalid(f"{self.location}.{member}: {reason}")

    def action(self) -> str:
        """Return the action: CREATE, UPDATE or DELETE."""
        action = self.required_text("action")
        if action not in ACTIONS:
            raise self.refusal("action", f"must be one of {', '.join(ACTIONS)}")
        return action

    def text(self, member: str) -> str | None:
        """Return a string member, or None if it is absent."""
        if member not in self.members:
            return None
        value = self.members[member]
        if not isinstance(value, str):
            raise self.refusal(member, "must be a string")
        return value

    def required_text(self, member: str) -> str:
        """Return a required, non-empty string member."""
        value = self.text(member)
        if not value:
            raise self.refusal(member, "is required" if value is None else "must not be empty")
        return value

    def flag(self, member: str) -> bool | None:
        """Return a boolean member, or None if it is absent."""
        value = self.members.get(member)
        if member in self.members and not isinstance(value, bool):
            raise self.refusal(member, "must be a boolean")
        return value

    def only_on_create(self, *members: str) -> None:
        """Refuse members that only CREATE may have."""
        for member in members:
            if member in self.members:
                raise self.refusal(member, "can only be set when the action is CREATE")


def changes(body: dict[str, Any], array: str) -> Iterator[Change]:
    """Yield the changes in an optional array of the body."""
    elements = body.get(array, [])
    if not isinstance(elements, list):
        raise invalid(f"{array}: must be an array")
    for index, element in enumerate(elements):
        location = f"{array}[{index}]"
        if not isinstance(element, dict):
            raise invalid(f"{location}: must be an object")
        yield Change(location, element)


ALL_SCOPES: Final = "ALL_SCOPES"
PLATFORMS: Final = ("WEB", "ANDROID", "iOS")

_ALL_FILLS: Final = "ALL_FILLS"
_FILLS: Final = frozenset({"FRAME_FILL", "SHAPE_FILL", "TEXT_FILL"})
_SCOPES_BY_TYPE: Final = {
    "FLOAT": frozenset(
        "ALL_SCOPES TEXT_CONTENT WIDTH_HEIGHT GAP CORNER_RADIUS STROKE_FLOAT EFFECT_FLOAT OPACITY COLOR_OPACITY"
        " FONT_STYLE FONT_WEIGHT FONT_SIZE LINE_HEIGHT LETTER_SPACING PARAGRAPH_SPACING PARAGRAPH_INDENT"
        " FONT_VARIATIONS".split()
    ),
    "STRING": frozenset({ALL_SCOPES, "TEXT_CONTENT", "FONT_FAMILY", "FONT_STYLE"}),
    "COLOR": frozenset({ALL_SCOPES, _ALL_FILLS, *_FILLS, "STROKE_COLOR", "EFFECT_COLOR"}),
    "BOOLEAN": frozenset({ALL_SCOPES}),
}


_SEEDED: Final = "variables.words_of_seeds"
_PLATFORM: Final = ""

Word = tuple[str, str]
"""A variable type and a scope, or an empty type and a platform in code syntax."""


def undocumented_words(type_: str, scopes: Any, code_syntax: Any) -> Iterator[Word]:
    """Yield the undocumented scopes and platforms of a seeded variable."""
    if isinstance(scopes, list):
        documented = _SCOPES_BY_TYPE.get(type_, ())
        yield from ((type_, scope) for scope in scopes if isinstance(scope, str) and scope not in documented)
    if isinstance(code_syntax, dict):
        yield from ((_PLATFORM, platform) for platform in code_syntax if platform not in PLATFORMS)


def store_seeded_words(connection: sqlite3.Connection, words: Iterable[Word]) -> None:
    """Store the words of a seed, so that requests to any file of the state can use them."""
    stored = seeded_words(connection)
    if new := {*words} - stored:
        store.set_value(connection, _SEEDED, json.dumps(sorted(stored | new)))


def seeded_words(connection: sqlite3.Connection) -> frozenset[Word]:
    """Return the words of all seeds."""
    value = store.value_of(connection, _SEEDED)
    return frozenset() if value is None else frozenset((type_, name) for type_, name in json.loads(value))


def scopes(change: Change, type_: str, seeded_words: frozenset[Word]) -> list[str]:
    """Return the scopes of a change, possibly none; refuse scopes that the type does not have."""
    values = change.members["scopes"]
    if not isinstance(values, list) or not all(isinstance(scope, str) for scope in values):
        raise change.refusal("scopes", "must be an array of strings")
    documented = [scope for scope in values if scope in _SCOPES_BY_TYPE.get(type_, ())]
    for scope in values:
        if scope not in documented and (type_, scope) not in seeded_words:
            raise change.refusal("scopes", f"{scope!r} is not a scope of {type_} variables")
    if ALL_SCOPES in values and len(documented) > 1:
        raise change.refusal("scopes", f"{ALL_SCOPES} cannot be combined with other scopes")
    if _ALL_FILLS in values and _FILLS.intersection(values):
        raise change.refusal("scopes", f"{_ALL_FILLS} cannot be combined with other fill scopes")
    return values


def code_syntax(change: Change, seeded_words: frozenset[Word]) -> dict[str, str]:
    """Return the code syntax of a change by platform; refuse unknown platforms."""
    names = change.members["codeSyntax"]
    if not isinstance(names, dict) or not all(isinstance(name, str) for name in names.values()):
        raise change.refusal("codeSyntax", "must be an object of strings")
    for platform in names:
        if platform not in PLATFORMS and (_PLATFORM, platform) not in seeded_words:
            raise change.refusal("codeSyntax", f"{platform!r} is not one of {', '.join(PLATFORMS)}")
    return names


def original(mode: str) -> str:
    """Return the root collection's mode that an extended or original mode stands for."""
    return mode.rpartition("/")[2]


def extended(collection: str, mode: str) -> str:
    """Return the id of an extended or original mode in an extended collection."""
    return f"{collection}/{original(mode)}"


def extension_of(mode: str) -> str | None:
    """Return the id of an extended mode's collection, or None for an original mode."""
    return mode.rpartition("/")[0] or None
