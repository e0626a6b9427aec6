"""Kotlin properties as names: ``textMuted``."""

import re
from unicodedata import normalize, ucd_3_2_0

from tokensync.naming.rules import ASCII_WORD, NAMELESS, NamingRules, camel_case, cut, transliterated

KEYWORDS = frozenset(
    """
    as break class continue do else false for fun if in interface is null object package return super this throw true
    try typealias typeof val var when while
    """.split()
)
"""Kotlin's hard keywords: as an identifier each stands in back-ticks."""

_NOT_ASCII_WORD = re.compile(r"[\0-/:-@\[-^`{-\x7f]+")
_IS_PREFIXED = re.compile(r"is(?![a-z])(?=.)", re.DOTALL)
_LETTERS = frozenset(("Lu", "Ll", "Lt", "Lm", "Lo", "Nd"))


def property_name(name: str) -> str:
    """Return a Kotlin identifier, without the back-ticks that a keyword needs.

    Letters that came to Unicode after Kotlin's compiler learnt it, or that take two UTF-16 units, are spelled in ASCII.
    """
    body = "".join(each if each.isascii() else _letter(each) for each in name)
    body = _NOT_ASCII_WORD.sub("_", body)
    if not any(map(str.isalnum, body)):
        body = NAMELESS
    if body[0].isdigit():
        body = f"_{body}"
    return cut(body, "_")


def kotlin_name(identifier: str) -> str:
    """Return an identifier as Kotlin source: hard keywords stand in back-ticks."""
    return f"`{identifier}`" if identifier in KEYWORDS else identifier


def getter(name: str) -> str:
    """Return the method that the JVM knows a property by: ``accent`` and ``Accent`` have the same one."""
    if _IS_PREFIXED.match(name):
        return name
    return f"get{name[:1].upper() if name[:1].isascii() else name[:1]}{name[1:]}"


def _letter(character: str) -> str:
    if character < "\ud800" and ucd_3_2_0.category(character) in _LETTERS:
        return character
    compatible = normalize("NFKC", character)
    if compatible != character and compatible.isascii():
        return compatible
    return transliterated(character) if character.isalnum() else "_"


NAMING = NamingRules(
    "compose", valid=ASCII_WORD, repair=property_name, fold=getter, capitals=True, nested=True, respell=camel_case
)
