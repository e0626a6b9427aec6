"""What may be an identifier on a platform, and how a name is made one: one function a platform."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import normalize

from tokensync.naming import reserved
from tokensync.naming.words import Words, ascii_path_words, ascii_words, path_words, transliterated, words

if TYPE_CHECKING:
    from collections.abc import Callable

LONGEST = 200
"""Characters of a name, the ``--`` of CSS not counted (bytes of UTF-8 on iOS, where it is a file name too)."""

NAMELESS = "token"
"""The name of a token whose own name has no letter or digit."""


def css_identifier(name: str) -> str:
    """A CSS custom property name, ``--`` and all; letters and digits of any script stay."""
    body = _NOT_CSS.sub("-", name.removeprefix("--"))
    if not any(map(str.isalnum, body)):
        body = NAMELESS
    return f"--{_cut(body, '-', len)}"


def android_identifier(name: str) -> str:
    """An Android resource name: ASCII, no keyword of Java or Kotlin, since it becomes a field of the class R."""
    body = _NOT_ANDROID.sub("_", "".join(each if each.isascii() else transliterated(each) or "_" for each in name))
    if not any(map(str.isalnum, body)):
        body = NAMELESS
    if body[0].isdigit():
        body = f"_{body}"
    if body in reserved.JAVA_AND_KOTLIN:
        body = f"{body}_"
    return _cut(body, "_", len)


def ios_identifier(name: str) -> str:
    """A Swift identifier, without the back-ticks that a keyword needs, which is also a safe file name."""
    body = name if f"_{name}".isidentifier() else "".join(map(_in_identifier, name))
    if not any(map(str.isalnum, body)):
        body = NAMELESS
    if not body[0].isidentifier():
        body = f"_{body}"
    if body.casefold() in reserved.DEVICE_FILES:
        body = f"{body}_"
    return _cut(body, "_", _utf8_length)


def swift_name(identifier: str) -> str:
    """An identifier of ``ios_identifier`` as Swift source: keywords stand in back-ticks."""
    return f"`{identifier}`" if identifier in reserved.SWIFT else identifier


class Rules(NamedTuple):
    """A platform's naming rules.

    ``words`` and ``path_words`` spell a name's and a path's words; ``valid`` matches what needs no repair, ``repaired``
    makes the rest an identifier; ``folded`` gives what two names may not have in common; ``separator`` joins numbers.
    """

    words: Callable[[str], Words]
    path_words: Callable[[str], Words]
    valid: re.Pattern[str]
    reserved: frozenset[str]
    repaired: Callable[[str], str]
    folded: Callable[[str], str]
    separator: str


def _cut(name: str, separator: str, length: Callable[[str], int]) -> str:
    """The name, or its first part and a digest of the whole when it is too long."""
    if length(name) <= LONGEST:
        return name
    from hashlib import sha256

    kept = name[: LONGEST - 9]
    while length(kept) > LONGEST - 9:
        kept = kept[:-1]
    return f"{kept}{separator}{sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def _utf8_length(name: str) -> int:
    return len(name) if name.isascii() else len(name.encode())


def _in_identifier(character: str) -> str:
    """The character, or what it is compatible with (``²`` is 2), where Swift and Unicode allow it in identifiers."""
    compatible = (character, normalize("NFKC", character))
    return next((each for each in compatible if f"_{each}".isidentifier()), "_")


def _same(name: str) -> str:
    return name


def _on_disk(name: str) -> str:
    """As a file system that ignores case and composition sees it."""
    return name.lower() if name.isascii() else normalize("NFC", normalize("NFC", name).casefold())


_NOT_CSS = re.compile(r"[^\w-]+")
_NOT_ANDROID = re.compile(r"[^A-Za-z0-9_]+")

RULES = {
    "css": Rules(
        words, path_words, re.compile(r"--(?=[-_]*[^\W_])[\w-]{1,200}"), frozenset(), css_identifier, _same, "-"
    ),
    "android": Rules(
        ascii_words,
        ascii_path_words,
        re.compile(r"(?=_*[A-Za-z0-9])[A-Za-z_][A-Za-z0-9_]{0,199}"),
        reserved.JAVA_AND_KOTLIN,
        android_identifier,
        _same,
        "_",
    ),
    "ios": Rules(
        words,
        path_words,
        re.compile(r"(?=_*[A-Za-z0-9])[A-Za-z_][A-Za-z0-9_]{0,199}"),  # other scripts go the long way
        reserved.DEVICE_FILES,
        ios_identifier,
        _on_disk,
        "_",
    ),
}
