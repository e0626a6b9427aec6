"""The identifiers of tokens on a platform: code syntax, name templates, reserved words and collisions."""

from tokensync.naming.names import (
    collection_label,
    in_order,
    names_for,
    names_read,
    references_for,
    texts_for,
    token_label,
)
from tokensync.naming.rendering import rendered_bytes
from tokensync.naming.rules import NamingRules, words
from tokensync.outlet import readable

__all__ = [
    "NamingRules",
    "collection_label",
    "in_order",
    "names_for",
    "names_read",
    "readable",
    "references_for",
    "rendered_bytes",
    "texts_for",
    "token_label",
    "words",
]
