"""Tokens as identifiers on a platform: code syntax parsed, name templates, reserved words, collisions resolved."""

from tokensync.naming.labels import readable, token_label
from tokensync.naming.names import in_order, names_for, names_read, references_for
from tokensync.naming.rendering import rendered, rendered_bytes
from tokensync.naming.rules import NamingRules
from tokensync.naming.words import words

__all__ = [
    "NamingRules",
    "in_order",
    "names_for",
    "names_read",
    "readable",
    "references_for",
    "rendered",
    "rendered_bytes",
    "token_label",
    "words",
]
