"""The domain in DTCG's words: token, alias, collection, mode, theme, graph. No I/O and no platform JSON."""

from tokensync.tokens.collection import Collection, Extension, Mode, OpaqueVariable
from tokensync.tokens.graph import TokenGraph
from tokensync.tokens.numbers import float32, shortest
from tokensync.tokens.resolver import Resolved
from tokensync.tokens.theme import DEFAULT_THEME, FamilyKey, Theme, inferred_themes
from tokensync.tokens.token import Origin, Token
from tokensync.tokens.values import (
    Alias,
    Color,
    ComposedColor,
    Composite,
    DanglingAlias,
    Literal,
    Quantity,
    TokenKey,
    Unresolved,
    Value,
    channel,
    composed,
    hexadecimal,
    targets,
)

__all__ = [
    "DEFAULT_THEME",
    "Alias",
    "Collection",
    "Color",
    "ComposedColor",
    "Composite",
    "DanglingAlias",
    "Extension",
    "FamilyKey",
    "Literal",
    "Mode",
    "OpaqueVariable",
    "Origin",
    "Quantity",
    "Resolved",
    "Theme",
    "Token",
    "TokenGraph",
    "TokenKey",
    "Unresolved",
    "Value",
    "channel",
    "composed",
    "float32",
    "hexadecimal",
    "inferred_themes",
    "shortest",
    "targets",
]
