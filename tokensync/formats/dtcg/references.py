"""References between tokens, as token files spell them: ``{color.accent.base}`` and ``#/color/accent/base``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeGuard
from urllib.parse import unquote

from tokensync.formats.dtcg.spelling import ROOT
from tokensync.tokens.paths import groups_around

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tokensync.tokens import TokenKey


class Spelling:
    """How the tokens of one file are addressed; ``keys`` are all its tokens.

    A token whose path is a group's too, in any file of the family, is that group's ``$root``.
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
        """Whether the token is the ``$root`` of a group."""
        return key.path in self.roots[key.collection]

    def reference(self, key: TokenKey) -> str:
        """``{handle.path}``."""
        return f"{{{key.collection}.{key.path}.{ROOT}}}" if self.is_root(key) else f"{{{key.collection}.{key.path}}}"


def is_reference(value: object) -> TypeGuard[str]:
    """Whether a JSON value is a string that readers take for a reference to another token."""
    return isinstance(value, str) and value[:1] == "{" and value[-1:] == "}"


def path_of_pointer(pointer: str) -> tuple[str, ...] | None:
    """The steps of a JSON pointer within a document (``#/a/b``); None for anything else."""
    if not pointer.startswith("#/"):
        return () if pointer == "#" else None
    return tuple(unquote(step).replace("~1", "/").replace("~0", "~") for step in pointer[2:].split("/"))


def relative_url(path: str) -> str:
    """A relative path as a URL reference: what has a meaning in URLs is percent-encoded, letters stay readable."""
    return re.sub(r"[%#?\s\\:\"<>|^`{}\[\]\x00-\x1f]", lambda match: f"%{ord(match[0]):02X}", path)
