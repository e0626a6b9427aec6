"""Composite values after a rename: their references spelled anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tokensync.tokens import Composite
from tokensync.tokens.composites import canonical, decoded, parts_of

if TYPE_CHECKING:
    from tokensync.tokens import TokenKey

_ROOT = "$root"


def respelled(value: Composite, token_type: str) -> Composite:
    """The composite with its references spelled for what they lead to. What is spelled so already stays as it is."""
    texts = {spelled: _spelling(spelled, target) for spelled, target in value.references}
    if all(spelled == text for spelled, text in texts.items()):
        return value
    tree = decoded(value.json)
    for part in tuple(parts_of(token_type, tree)):
        if part.reference is not None and part.path and texts.get(part.reference, part.reference) != part.reference:
            node: Any = tree
            for step in part.path[:-1]:
                node = node[step]
            node[part.path[-1]] = texts[part.reference]
    return Composite(canonical(tree), tuple((texts[spelled], target) for spelled, target in value.references))


def _spelling(spelled: str, target: TokenKey) -> str:
    address = f"{target.collection}.{target.path}"
    if spelled[:1] != "{":
        return spelled if spelled.removesuffix("/$value") == f"#/{address.replace('.', '/')}" else f"{{{address}}}"
    suffix = f".{_ROOT}" if spelled.endswith(f".{_ROOT}}}") else ""
    return f"{{{address}{suffix}}}"
