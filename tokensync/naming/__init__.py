"""Tokens as identifiers on a platform: code syntax parsed, name templates, reserved words, collisions resolved."""

from tokensync.naming.names import in_order, names_for, names_read, readable, references_for, token_label
from tokensync.naming.rendering import rendered_bytes
from tokensync.naming.rules import NamingRules, words

__all__ = [
    "NamingRules",
    "in_order",
    "names_for",
    "names_read",
    "readable",
    "references_for",
    "rendered_bytes",
    "token_label",
    "words",
]
