"""Words that a language keeps for itself, so that they cannot be a plain identifier there."""

from __future__ import annotations

SWIFT = frozenset(
    """
    Any Protocol Self Type as associatedtype async await break case catch class continue default defer deinit do dynamic
    else enum extension fallthrough false fileprivate for func guard if import in indirect init inout internal is
    lazy let nil open operator precedencegroup private protocol public repeat rethrows return self some static
    struct subscript super switch throw throws true try typealias unowned var weak where while
    """.split()
)
"""Swift's declaration, statement and expression keywords, and the member names that need back-ticks."""

JAVA_AND_KOTLIN = frozenset(
    """
    _ abstract as assert boolean break byte case catch char class const continue default do double else enum extends
    false final finally float for fun goto if implements import in instanceof int interface is long native new null
    object package private protected public return short static strictfp super switch synchronized this throw throws
    transient true try typealias typeof val var void volatile when while
    """.split()
)
"""Java's keywords and literals and Kotlin's hard keywords: a resource name is a field of the class R in both."""

KOTLIN = frozenset(
    """
    as break class continue do else false for fun if in interface is null object package return super this throw true
    try typealias typeof val var when while
    """.split()
)
"""Kotlin's hard keywords: as an identifier each stands in back-ticks."""

JAVASCRIPT = frozenset(
    """
    Infinity NaN __proto__ arguments await break case catch class const continue debugger default delete do else enum
    eval export extends false finally for function if implements import in instanceof interface let new null package
    private protected public return static super switch this throw true try typeof undefined var void while with yield
    """.split()
)
"""What no constant of a strict JavaScript module may be called, and the key that would set an object's prototype."""

SASS = frozenset(("$themes", "$tokens"))
"""The maps of an output of Sass: a token's variable cannot be called as they are."""

DEVICE_FILES = frozenset(
    ("con", "prn", "aux", "nul", *(f"{port}{digit}" for port in ("com", "lpt") for digit in "123456789"))
)
"""Names that Windows gives to devices in every folder, with any extension, in any case."""
