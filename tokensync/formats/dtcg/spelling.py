"""The words of token files: keys, folders, types, and the order of members."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.tokens.weights import AS_TEXT

if TYPE_CHECKING:
    from tokensync.tokens import Origin

FORMAT_SCHEMA = "https://www.designtokens.org/schemas/2025.10/format.json"
RESOLVER_SCHEMA = "https://www.designtokens.org/schemas/2025.10/resolver.json"
VERSION = "2025.10"

TOKENS_SUFFIX = ".tokens.json"
RESOLVER_SUFFIX = ".resolver.json"

OURS = "org.tokensync"
"""The one extension key of ours: what neither DTCG nor Figma's own keys have a word for."""

FIGMA = "com.figma"
MODE_NAME = "com.figma.modeName"
VARIABLE_ID = "com.figma.variableId"
SCOPES = "com.figma.scopes"
HIDDEN = "com.figma.hiddenFromPublishing"
CODE_SYNTAX = "com.figma.codeSyntax"
TYPE = "com.figma.type"
ALIAS_DATA = "com.figma.aliasData"

EXTENSION_ORDER = (MODE_NAME, VARIABLE_ID, TYPE, SCOPES, HIDDEN, CODE_SYNTAX, ALIAS_DATA, OURS)
"""Members of ``$extensions`` that have a place of their own; others follow in the order they are given in."""

MEMBER_ORDER = (
    "$schema",
    "$type",
    "$value",
    "$ref",
    "$description",
    "$deprecated",
    "$extends",
    "$extensions",
)
"""Members of tokens and groups, which come before ``$root`` and the tokens and groups within."""

ROOT = "$root"

FOLDERS: dict[Origin, str] = {
    "local": "",
    "remote": ".remote/",
    "deleted": ".deleted/",
    "withheld": ".withheld/",
    "absent": ".absent/",
}
"""Where the collections' folders of each origin stand, below the file's own folder."""

DTCG_TYPES = {
    "boolean": "number",  # 0 or 1, told apart by com.figma.type (dtcg.md 8.1)
    AS_TEXT: "fontWeight",  # com.figma.type says that it is a text
    **{
        each: each
        for each in (
            "color",
            "dimension",
            "fontFamily",
            "fontWeight",
            "duration",
            "cubicBezier",
            "number",
            "strokeStyle",
            "border",
            "transition",
            "shadow",
            "gradient",
            "typography",
            "string",  # not DTCG's, and what Figma and Terrazzo write
        )
    },
}
"""The ``$type`` that each token type is written with."""

KINDS = {
    "boolean": "boolean",
    **dict.fromkeys(("string", "fontFamily", AS_TEXT), "string"),
    **dict.fromkeys(("number", "dimension", "fontWeight"), "number"),
}
"""Types that may alias each other, because the platform has one type for them; any other is a kind of its own."""


def kind(token_type: str) -> str:
    """What a token type is to the platform: aliases never lead from one kind to another."""
    return KINDS.get(token_type, token_type)


def folder(origin: Origin, handle: str) -> str:
    """The folder of a collection's tokens of one origin, below the file's folder: ``color``, ``.remote/color``."""
    return FOLDERS[origin] + handle
