"""Tokens and modes as problems name them: by the names the design file gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.tokens.paths import names
from tokensync.wording import shortened

if TYPE_CHECKING:
    from tokensync.tokens import TokenGraph, TokenKey

_LONGEST = 120


def token_label(graph: TokenGraph, key: TokenKey) -> str:
    """Return ``Collection / group/token``."""
    family = graph.collections.get((key.file, key.collection))
    return f"{readable(family.name if family else key.collection)} / {readable('/'.join(names(key.path)))}"


def readable(name: str) -> str:
    """Return a name for one line of a terminal: what does not print is escaped, long names are shortened."""
    shown = name if name.isprintable() else "".join(each if each.isprintable() else _escaped(each) for each in name)
    return shortened(shown, _LONGEST)


def _escaped(character: str) -> str:
    return f"\\u{ord(character):04x}"
