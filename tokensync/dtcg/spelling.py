"""The vocabulary of token files: member names and their order, folders, types, and the notation of references."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import TypeGuard
from urllib.parse import quote, unquote

from tokensync.tokens import Origin, TokenKey, composites
from tokensync.tokens.paths import groups_around
from tokensync.tokens.values import AS_TEXT, KEYWORDS, LITERAL_CLASSES

FORMAT_SCHEMA = "https://www.designtokens.org/schemas/2025.10/format.json"
RESOLVER_SCHEMA = "https://www.designtokens.org/schemas/2025.10/resolver.json"
VERSION = "2025.10"

TOKENS_SUFFIX = ".tokens.json"
RESOLVER_SUFFIX = ".resolver.json"

OURS = "org.tokensync"
"""Our extension key, for data that neither DTCG nor Figma's keys express."""

FIGMA = "com.figma"
MODE_NAME = "com.figma.modeName"
VARIABLE_ID = "com.figma.variableId"
SCOPES = "com.figma.scopes"
HIDDEN = "com.figma.hiddenFromPublishing"
CODE_SYNTAX = "com.figma.codeSyntax"
TYPE = "com.figma.type"
ALIAS_DATA = "com.figma.aliasData"
COMPOSED = "com.figma.composedColor"
"""A colour that is an alias with an opacity; ``$value`` is the result."""

EXTENSION_ORDER = (MODE_NAME, VARIABLE_ID, TYPE, SCOPES, HIDDEN, CODE_SYNTAX, ALIAS_DATA, OURS)
"""Members of ``$extensions`` in canonical order; other members follow unsorted."""

OURS_OF_FILE = ("mode", "collection", "extensions", "after")
OURS_OF_TOKEN = ("key", "type", "published", "deprecated", "text", "value", "written")
OURS_ORDER = (*OURS_OF_FILE, *OURS_OF_TOKEN)
"""The members of our extension; those of other people follow."""

COMMENT = "$comment"
"""JSON Schema's member for comments, which people also write in token files. DTCG does not define it."""

MEMBER_ORDER = ("$schema", COMMENT, "$type", "$value", "$ref", "$description", "$deprecated", "$extends", "$extensions")
"""Members of tokens and groups in canonical order; ``$root``, nested tokens and groups follow."""

ROOT = "$root"

FOLDERS: dict[Origin, str] = {
    "local": "",
    "remote": ".remote/",
    "deleted": ".deleted/",
    "withheld": ".withheld/",
    "absent": ".absent/",
}
"""The parent folder of the collections of each origin, below the file's folder."""

DTCG_TYPES = {each: each for each in (*LITERAL_CLASSES, *composites.TYPES)} | {
    "boolean": "number",  # 0 or 1; com.figma.type is boolean
    AS_TEXT: "fontWeight",  # com.figma.type is string
}
"""The ``$type`` that each token type is written with. "string" is not a DTCG type, but Figma and Terrazzo write it."""

KINDS = {
    "boolean": "boolean",
    **dict.fromkeys(("string", "fontFamily", AS_TEXT, *KEYWORDS), "string"),
    **dict.fromkeys(("number", "dimension", "fontWeight"), "number"),
}
"""The kind of types that can alias each other, because the platform has one type for them."""


def kind(token_type: str) -> str:
    """Return the kind of a token type; aliases cannot refer to a token of another kind."""
    return KINDS.get(token_type, token_type)


@cache
def types_of_aliases(token_type: str) -> tuple[str, ...]:
    """Return the values that ``$type`` may have where a token is an alias: a pull writes that of the last target."""
    pairs = (pair for pair in DTCG_TYPES.items() if kind(pair[0]) == kind(token_type))
    return tuple(written for pair in pairs for written in pair)


class Spelling:
    """The addresses of the tokens of a design file; ``keys`` are all of its tokens.

    A token whose path is also that of a group is the group's ``$root``.
    """

    def __init__(self, keys: Iterable[TokenKey]) -> None:
        paths: dict[str, set[str]] = {}
        for key in keys:
            paths.setdefault(key.collection, set()).add(key.path)
        self.roots = {
            collection: {group for path in own for group in groups_around(path) if group in own}
            for collection, own in paths.items()
        }

    def is_root(self, key: TokenKey) -> bool:
        """Return whether the token is the ``$root`` of a group."""
        return key.path in self.roots[key.collection]

    def reference(self, key: TokenKey) -> str:
        """Return the reference to a token: ``{handle.path}``."""
        return f"{{{key.collection}.{key.path}.{ROOT}}}" if self.is_root(key) else f"{{{key.collection}.{key.path}}}"


def is_reference(value: object) -> TypeGuard[str]:
    """Return whether a JSON value is a string in the notation of a reference."""
    return isinstance(value, str) and value[:1] == "{" and value[-1:] == "}"


def path_of_pointer(pointer: str) -> tuple[str, ...] | None:
    """Return the steps of a JSON pointer within a document (``#/a/b``); None for other texts."""
    if not pointer.startswith("#/"):
        return () if pointer == "#" else None
    return tuple(unquote(step).replace("~1", "/").replace("~0", "~") for step in pointer[2:].split("/"))


def pointer_of(steps: Iterable[str]) -> str:
    """Return the JSON pointer with these steps: ``#/a/b``."""
    return "".join(["#", *(f"/{relative_url(step.replace('~', '~0').replace('/', '~1'))}" for step in steps)])


def pointer_advice(reference: object) -> str:
    """Return advice for a text that is no JSON pointer: the pointer that it probably means."""
    text = str(reference).strip()[:120] if isinstance(reference, str) else ""
    before, mark, fragment = text.partition("#")
    path = fragment if mark else before.strip("{} ").replace(".", "/")
    steps = [each for each in path.split("/") if each]
    if not steps:
        return "write a JSON pointer: # and the path of a token, with / before each name"
    return f'write "#/{"/".join(steps)}", the path of a token of these files'


def relative_url(path: str) -> str:
    """Return a relative path as a URL reference; only characters with a meaning in URLs are percent-encoded."""
    return re.sub(r"[%#?\s\\:\"<>|^`{}\[\]\x00-\x1f]", lambda match: quote(match[0], safe=""), path)
