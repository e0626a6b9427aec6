"""The changes of a POST request, member by member, and what each member may hold."""

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
    """``place`` is where it stands in the body, such as ``variables[3]``. Members it does not ask for are ignored."""

    place: str
    members: dict[str, Any]

    def refusal(self, member: str, why: str) -> Refusal:
        """400 with the place of a member and what is wrong with it."""
        return invalid(f"{self.place}.{member}: {why}")

    def action(self) -> str:
        """CREATE, UPDATE or DELETE."""
        action = self.required_text("action")
        if action not in ACTIONS:
            raise self.refusal("action", f"must be one of {', '.join(ACTIONS)}")
        return action

    def text(self, member: str) -> str | None:
        """Return a string; None when the member is absent."""
        if member not in self.members:
            return None
        value = self.members[member]
        if not isinstance(value, str):
            raise self.refusal(member, "must be a string")
        return value

    def required_text(self, member: str) -> str:
        """Return a string of at least one character."""
        value = self.text(member)
        if not value:
            raise self.refusal(member, "is required" if value is None else "must not be empty")
        return value

    def flag(self, member: str) -> bool | None:
        """Return a boolean; None when the member is absent."""
        value = self.members.get(member)
        if member in self.members and not isinstance(value, bool):
            raise self.refusal(member, "must be a boolean")
        return value

    def only_on_create(self, *members: str) -> None:
        """Refuse members that mean something in a CREATE alone."""
        for member in members:
            if member in self.members:
                raise self.refusal(member, "can only be set when the action is CREATE")


def changes(body: dict[str, Any], array: str) -> Iterator[Change]:
    """Yield the elements of one of the body's arrays; none when it is absent."""
    elements = body.get(array, [])
    if not isinstance(elements, list):
        raise invalid(f"{array}: must be an array")
    for index, element in enumerate(elements):
        place = f"{array}[{index}]"
        if not isinstance(element, dict):
            raise invalid(f"{place}: must be an object")
        yield Change(place, element)


ALL_SCOPES: Final = "ALL_SCOPES"
PLATFORMS: Final = ("WEB", "ANDROID", "iOS")

_ALL_FILLS: Final = "ALL_FILLS"
_FILLS: Final = frozenset({"FRAME_FILL", "SHAPE_FILL", "TEXT_FILL"})
_OF_TYPE: Final = {
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
"""A variable's type and a scope that it has; of a platform in code syntax, no type and its name."""


def words_of_seed(type_: str, scopes: Any, code_syntax: Any) -> Iterator[Word]:
    """Yield what a seeded variable has beyond the documentation."""
    if isinstance(scopes, list):
        known = _OF_TYPE.get(type_, ())
        yield from ((type_, each) for each in scopes if isinstance(each, str) and each not in known)
    if isinstance(code_syntax, dict):
        yield from ((_PLATFORM, each) for each in code_syntax if each not in PLATFORMS)


def learn(connection: sqlite3.Connection, words: Iterable[Word]) -> None:
    """Keep the words of a seed: requests to any file of the state can use them from now on."""
    known = learned(connection)
    if fresh := {*words} - known:
        store.set_value(connection, _SEEDED, json.dumps(sorted(known | fresh)))


def learned(connection: sqlite3.Connection) -> frozenset[Word]:
    """Return the words of all seeds."""
    kept = store.value_of(connection, _SEEDED)
    return frozenset() if kept is None else frozenset((type_, name) for type_, name in json.loads(kept))


def scopes(change: Change, type_: str, learned: frozenset[Word]) -> list[str]:
    """Return the scopes that a change gives; one that its type does not have is a Refusal. An empty list is fine."""
    given = change.members["scopes"]
    if not isinstance(given, list) or not all(isinstance(scope, str) for scope in given):
        raise change.refusal("scopes", "must be an array of strings")
    documented = [scope for scope in given if scope in _OF_TYPE.get(type_, ())]
    for scope in given:
        if scope not in documented and (type_, scope) not in learned:
            raise change.refusal("scopes", f"{scope!r} is not a scope of {type_} variables")
    if ALL_SCOPES in given and len(documented) > 1:
        raise change.refusal("scopes", f"{ALL_SCOPES} cannot be combined with other scopes")
    if _ALL_FILLS in given and _FILLS.intersection(given):
        raise change.refusal("scopes", f"{_ALL_FILLS} cannot be combined with other fill scopes")
    return given


def code_syntax(change: Change, learned: frozenset[Word]) -> dict[str, str]:
    """Return the platform's names that a change gives, which take the place of all that the variable had."""
    given = change.members["codeSyntax"]
    if not isinstance(given, dict) or not all(isinstance(name, str) for name in given.values()):
        raise change.refusal("codeSyntax", "must be an object of strings")
    for platform in given:
        if platform not in PLATFORMS and (_PLATFORM, platform) not in learned:
            raise change.refusal("codeSyntax", f"{platform!r} is not one of {', '.join(PLATFORMS)}")
    return given


def original(mode: str) -> str:
    """Return the root collection's mode that a mode of any depth of extension stands for."""
    return mode.rpartition("/")[2]


def extended(collection: str, mode: str) -> str:
    """Return the id of a mode, given as the root's or any extension's, in an extended collection."""
    return f"{collection}/{original(mode)}"


def owner(mode: str) -> str | None:
    """Return the extended collection that an extended mode id names; None for an original mode."""
    return mode.rpartition("/")[0] or None
