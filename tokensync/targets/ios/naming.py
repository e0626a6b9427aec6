"""Swift constants as names, which are file names of the asset catalog too: ``textMuted``."""

from unicodedata import normalize

from tokensync.naming.rules import ASCII_WORD, NamingRules, cut, unicode_identifier

KEYWORDS = frozenset(
    """
    Any Protocol Self Type as associatedtype async await break case catch class continue default defer deinit do dynamic
    else enum extension fallthrough false fileprivate for func guard if import in indirect init inout internal is
    lazy let nil open operator precedencegroup private protocol public repeat rethrows return self some static
    struct subscript super switch throw throws true try typealias unowned var weak where while
    """.split()
)
"""Swift's declaration, statement and expression keywords, and the member names that need back-ticks."""

DEVICE_FILES = frozenset(
    ("con", "prn", "aux", "nul", *(f"{port}{digit}" for port in ("com", "lpt") for digit in "123456789"))
)
"""Names that Windows gives to devices in every folder, with any extension, in any case."""


def identifier(name: str) -> str:
    """Return a Swift identifier, without the back-ticks that a keyword needs, which is also a safe file name."""
    body = unicode_identifier(name)
    return cut(f"{body}_" if body.casefold() in DEVICE_FILES else body, "_", _utf8_length)


def swift_name(identifier: str) -> str:
    """Return an identifier as Swift source: keywords stand in back-ticks."""
    return f"`{identifier}`" if identifier in KEYWORDS else identifier


def on_disk(name: str) -> str:
    """Return the name as a file system that ignores case and composition sees it."""
    return name.lower() if name.isascii() else normalize("NFC", normalize("NFC", name).casefold())


def _utf8_length(name: str) -> int:
    return len(name) if name.isascii() else len(name.encode())


NAMING = NamingRules("ios", valid=ASCII_WORD, repair=identifier, reserved=DEVICE_FILES, fold=on_disk, capitals=True)
