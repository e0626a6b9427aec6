"""What may be an identifier on a platform, and how a name is made one: one function a platform."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from unicodedata import normalize, ucd_3_2_0

from tokensync.naming import reserved
from tokensync.naming.words import transliterated

if TYPE_CHECKING:
    from collections.abc import Callable

LONGEST = 200
"""Characters of a name, the ``--`` of CSS and the ``$`` of Sass not counted (bytes of UTF-8 on iOS, where it is a file
name too)."""

NAMELESS = "token"
"""The name of a token whose own name has no letter or digit."""


def css_identifier(name: str) -> str:
    """A CSS custom property name, ``--`` and all; letters and digits of any script stay."""
    body = _NOT_CSS.sub("-", name.removeprefix("--"))
    if not any(map(str.isalnum, body)):
        body = NAMELESS
    return f"--{_cut(body, '-', len)}"


def scss_identifier(name: str) -> str:
    """A Sass variable, ``$`` and all: no digit in front, and no hyphen or underscore, which makes it private."""
    body = _NOT_CSS.sub("-", name.removeprefix("$")).lstrip("-_")
    if not any(map(str.isalnum, body)):
        body = NAMELESS
    if body[0].isascii() and not body[0].isalpha():
        body = f"{NAMELESS}-{body}"
    if f"${body}" in reserved.SASS:
        body = f"{body}-{NAMELESS}"
    return f"${_cut(body, '-', len)}"


def android_identifier(name: str) -> str:
    """An Android resource name: ASCII, no keyword of Java or Kotlin, since it becomes a field of the class R.

    No dots: the class R has underscores in their place, so that ``a.b`` and ``a_b`` would be one field.
    """
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


def compose_identifier(name: str) -> str:
    """A Kotlin identifier, without the back-ticks that a keyword needs.

    Letters that came to Unicode after Kotlin's compiler learnt it, or that take two UTF-16 units, are spelled in ASCII.
    """
    body = "".join(each if each.isascii() else _in_kotlin(each) for each in name)
    body = _NOT_ASCII_WORD.sub("_", body)
    if not any(map(str.isalnum, body)):
        body = NAMELESS
    if body[0].isdigit():
        body = f"_{body}"
    return _cut(body, "_", len)


def typescript_identifier(name: str) -> str:
    """A TypeScript identifier that may be a constant of a strict module and a key of an object."""
    body = name if f"_{name}".isidentifier() else "".join(map(_in_identifier, name))
    if not any(map(str.isalnum, body)):
        body = NAMELESS
    if not body[0].isidentifier():
        body = f"_{body}"
    if body in reserved.JAVASCRIPT:
        body = f"{body}_"
    return _cut(body, "_", len)


def swift_name(identifier: str) -> str:
    """An identifier of ``ios_identifier`` as Swift source: keywords stand in back-ticks."""
    return f"`{identifier}`" if identifier in reserved.SWIFT else identifier


def kotlin_name(identifier: str) -> str:
    """An identifier of ``compose_identifier`` as Kotlin source: hard keywords stand in back-ticks."""
    return f"`{identifier}`" if identifier in reserved.KOTLIN else identifier


def same(name: str) -> str:
    """The name itself: two names collide only when they are equal."""
    return name


def on_disk(name: str) -> str:
    """As a file system that ignores case and composition sees it."""
    return name.lower() if name.isascii() else normalize("NFC", normalize("NFC", name).casefold())


def in_sass(name: str) -> str:
    """As Sass compares variables: an underscore is a hyphen."""
    return name.replace("_", "-")


def getter(name: str) -> str:
    """The method that the JVM knows a Kotlin property by: ``accent`` and ``Accent`` have the same one."""
    if _IS_PREFIXED.match(name):
        return name
    return f"get{name[:1].upper() if name[:1].isascii() else name[:1]}{name[1:]}"


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
    """The character, or what it is compatible with (``²`` is 2), where the language and Unicode allow it."""
    compatible = (character, normalize("NFKC", character))
    return next((each for each in compatible if f"_{each}".isidentifier()), "_")


def _in_kotlin(character: str) -> str:
    if character < "\ud800" and ucd_3_2_0.category(character) in _KOTLIN_LETTERS:
        return character
    compatible = normalize("NFKC", character)
    if compatible != character and compatible.isascii():
        return compatible
    return transliterated(character) if character.isalnum() else "_"


_NOT_CSS = re.compile(r"[^\w-]+")
_NOT_ANDROID = re.compile(r"[^A-Za-z0-9_]+")
_NOT_ASCII_WORD = re.compile(r"[\0-/:-@\[-^`{-\x7f]+")
_IS_PREFIXED = re.compile(r"is(?![a-z])(?=.)", re.DOTALL)
_KOTLIN_LETTERS = frozenset(("Lu", "Ll", "Lt", "Lm", "Lo", "Nd"))
