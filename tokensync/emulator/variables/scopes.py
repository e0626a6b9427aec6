"""Scopes and code syntax: which a variable of a type can have: the documented ones, those seen in real responses, and
those that a seeded response has, since the platform that it came from takes them.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from tokensync.emulator.state import settings

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator

    from tokensync.emulator.variables.change import Change

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
        settings.keep(connection, _SEEDED, json.dumps(sorted(known | fresh)))


def learned(connection: sqlite3.Connection) -> frozenset[Word]:
    """Return the words of all seeds."""
    kept = settings.value_of(connection, _SEEDED)
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
