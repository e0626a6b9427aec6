"""Names of the design file as lower-case words, and words in the spellings that code uses."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING
from unicodedata import combining, normalize

from tokensync.tokens.paths import names

if TYPE_CHECKING:
    from collections.abc import Sequence

Words = tuple[str, ...]


@lru_cache(maxsize=16_384)
def words(name: str) -> Words:
    """Return one name's words: split at what is no letter or digit, ``lowerUpper`` and the end of an ``RGBAcronym``.

    Letters and digits are not split from one another; the text is composed (NFC) and lower-cased.
    """
    found: list[str] = []
    word = ""
    previous = " "
    text = normalize("NFC", name)
    for place, character in enumerate(text):
        if not character.isalnum():
            starts = bool(word)
        elif character.isupper():
            following = text[place + 1 : place + 2]
            starts = previous.islower() or (previous.isupper() and following.islower())
        else:
            starts = False
        if starts and word:
            found.append(word)
            word = ""
        if character.isalnum():
            word += character
        previous = character
    if word:
        found.append(word)
    return tuple(lowered for each in found if (lowered := _lowered(each)))


def _lowered(word: str) -> str:
    """Return the word in lower case, without the combining marks that lower-casing can leave."""
    lowered = word.lower()
    return lowered if lowered.isalnum() else "".join(filter(str.isalnum, lowered))


@lru_cache(maxsize=4096)
def ascii_words(name: str) -> Words:
    """Return the ``words`` in ASCII: accents are dropped, and what has no ASCII form is ``u`` and a hex number."""
    found = words(name)
    return found if name.isascii() else tuple(each for word in found if (each := transliterated(word)))


def transliterated(word: str) -> str:
    """Return letters and digits of ASCII only: ``café`` is ``cafe``, ``色`` is ``u8272``."""
    if word.isascii():
        return word
    decomposed = (each for each in normalize("NFKD", word) if not combining(each))
    spelled = (each if each.isascii() else f"u{ord(each):x}" for each in decomposed)
    return "".join(filter(str.isalnum, "".join(spelled))).lower()


_PATHS = 1 << 17
"""Paths whose words are remembered. Each target asks for all of them, so a smaller cache than tokens helps nobody."""


@lru_cache(maxsize=_PATHS)
def path_words(path: str) -> Words:
    """Return all words of a token's path, from the outermost group to the token."""
    return tuple([word for name in names(path) for word in words(name)])


@lru_cache(maxsize=_PATHS)
def ascii_path_words(path: str) -> Words:
    """Return all words of a token's path, in ASCII."""
    if path.isascii() and "%" not in path:
        return path_words(path)
    return tuple([word for name in names(path) for word in ascii_words(name)])


def kebab(spelled: Sequence[str]) -> str:
    """Return ``accent-base``."""
    return "-".join(spelled)


def snake(spelled: Sequence[str]) -> str:
    """Return ``accent_base``."""
    return "_".join(spelled)


def pascal(spelled: Sequence[str]) -> str:
    """Return ``AccentBase``."""
    return "".join([each.capitalize() for each in spelled])


def camel(spelled: Sequence[str]) -> str:
    """Return ``accentBase``."""
    return "".join([spelled[0], *[each.capitalize() for each in spelled[1:]]]) if spelled else ""
