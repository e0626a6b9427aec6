"""Scopes and code syntax: which a variable of a type can have, the documented ones and those seen in responses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
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


def scopes(change: Change, type_: str) -> list[str]:
    """The scopes that a change gives; one that its type does not have is a Refusal. An empty list is fine."""
    given = change.members["scopes"]
    if not isinstance(given, list) or not all(isinstance(scope, str) for scope in given):
        raise change.refusal("scopes", "must be an array of strings")
    for scope in given:
        if scope not in _OF_TYPE.get(type_, ()):
            raise change.refusal("scopes", f"{scope!r} is not a scope of {type_} variables")
    if ALL_SCOPES in given and len(given) > 1:
        raise change.refusal("scopes", f"{ALL_SCOPES} cannot be combined with other scopes")
    if _ALL_FILLS in given and _FILLS.intersection(given):
        raise change.refusal("scopes", f"{_ALL_FILLS} cannot be combined with other fill scopes")
    return given


def code_syntax(change: Change) -> dict[str, str]:
    """The platform's names that a change gives, which take the place of all that the variable had."""
    given = change.members["codeSyntax"]
    if not isinstance(given, dict) or not all(isinstance(name, str) for name in given.values()):
        raise change.refusal("codeSyntax", "must be an object of strings")
    for platform in given:
        if platform not in PLATFORMS:
            raise change.refusal("codeSyntax", f"{platform!r} is not one of {', '.join(PLATFORMS)}")
    return given
