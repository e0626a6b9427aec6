"""TypeScript identifiers as names: ``textMuted``."""

from tokensync.naming.rules import ASCII_WORD, NamingRules, camel_case, cut, unicode_identifier

RESERVED = frozenset(
    """
    Infinity NaN __proto__ arguments await break case catch class const continue debugger default delete do else enum
    eval export extends false finally for function if implements import in instanceof interface let new null package
    private protected public return static super switch this throw true try typeof undefined var void while with yield
    """.split()
)
"""What no constant of a strict JavaScript module may be called, and the key that would set an object's prototype."""


def identifier(name: str) -> str:
    """Return an identifier that may be a constant of a strict module and a key of an object."""
    body = unicode_identifier(name)
    return cut(f"{body}_" if body in RESERVED else body, "_")


NAMING = NamingRules(
    "typescript", valid=ASCII_WORD, repair=identifier, reserved=RESERVED, capitals=True, respell=camel_case
)
