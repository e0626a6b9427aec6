"""Android resource names: ``text_muted``."""

import re

from tokensync.naming.rules import ASCII_WORD, NAMELESS, NamingRules, cut, transliterated

RESERVED = frozenset(
    """
    _ abstract as assert boolean break byte case catch char class const continue default do double else enum extends
    false final finally float for fun goto if implements import in instanceof int interface is long native new null
    object package private protected public return short static strictfp super switch synchronized this throw throws
    transient true try typealias typeof val var void volatile when while
    """.split()
)
"""Java's keywords and literals and Kotlin's hard keywords: a resource name is a field of the class R in both."""

_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_]+")


def resource_name(name: str) -> str:
    """Return a resource name: ASCII, no keyword of Java or Kotlin, since it becomes a field of the class R.

    No dots: the class R has underscores in their place, so that ``a.b`` and ``a_b`` would be one field.
    """
    ascii_name = "".join(each if each.isascii() else transliterated(each) or "_" for each in name)
    body = _NOT_IN_A_NAME.sub("_", ascii_name)
    if not any(map(str.isalnum, body)):
        body = NAMELESS
    if body[0].isdigit():
        body = f"_{body}"
    return cut(f"{body}_" if body in RESERVED else body, "_")


NAMING = NamingRules(
    "android",
    valid=ASCII_WORD,
    repair=resource_name,
    reserved=RESERVED,
    ascii=True,
)
