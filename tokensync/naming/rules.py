"""How a target names tokens: the words of a name, their spelling, what is an identifier, and when two names are one."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import combining, normalize

from tokensync.tokens.paths import names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

Words = tuple[str, ...]

LONGEST = 200
"""Characters of a name, a sigil in front of it not counted. Where a name is a file name too, bytes of UTF-8."""

NAMELESS = "token"
"""The name of a token whose own name has no letter or digit."""

ASCII_WORD = re.compile(r"(?=_*[A-Za-z0-9])[A-Za-z_][A-Za-z0-9_]{0,199}")
"""An identifier of most languages that needs no repair; other scripts take the long way."""

_ASCII_PIECES = re.compile("[a-z0-9]+")
_ASCII_STARTS = re.compile("(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
"""Where a word starts within letters of ASCII."""


_NAMES = 1 << 17
"""Names and paths whose words are remembered. Each target asks for all of them in turn, so a smaller cache than a build
has tokens helps nobody."""


@lru_cache(maxsize=_NAMES)
def words(name: str) -> Words:
    """Return one name's words: split at what is no letter or digit, ``lowerUpper`` and the end of an ``RGBAcronym``.

    Letters and digits are not split from one another; the text is composed (NFC) and lower-cased.
    """
    if name.isascii():
        lowered = name if name.islower() else _ASCII_STARTS.sub(" ", name).lower()
        return tuple(_ASCII_PIECES.findall(lowered))
    found: list[str] = []
    word = ""
    previous = " "
    text = normalize("NFC", name)
    for index, character in enumerate(text):
        if not character.isalnum():
            starts = bool(word)
        elif character.isupper():
            following = text[index + 1 : index + 2]
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
    return tuple([lowered for each in found if (lowered := _lowered(each))])


def _lowered(word: str) -> str:
    """Return the word in lower case, without the combining marks that lower-casing can leave."""
    lowered = word.lower()
    return lowered if lowered.isalnum() else "".join(filter(str.isalnum, lowered))


@lru_cache(maxsize=_NAMES)
def path_words(path: str) -> Words:
    """Return all words of a token's path, from the outermost group to the token."""
    return tuple([word for name in names(path) for word in words(name)])


def ascii_words(name: str) -> Words:
    """Return the ``words`` in ASCII: accents are dropped, and what has no ASCII form is ``u`` and a hex number."""
    found = words(name)
    return found if name.isascii() else tuple([each for word in found if (each := transliterated(word))])


def ascii_path_words(path: str) -> Words:
    """Return all words of a token's path, in ASCII."""
    if path.isascii() and "%" not in path:
        return path_words(path)
    return tuple([word for name in names(path) for word in ascii_words(name)])


def transliterated(word: str) -> str:
    """Return letters and digits of ASCII only: ``café`` is ``cafe``, ``色`` is ``u8272``."""
    if word.isascii():
        return word
    decomposed = (each for each in normalize("NFKD", word) if not combining(each))
    spelled = (each if each.isascii() else f"u{ord(each):x}" for each in decomposed)
    return "".join(filter(str.isalnum, "".join(spelled))).lower()


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


class NamingRules(NamedTuple):
    """One target's naming rules.

    ``platform`` names the template ``codesyntax/<platform>.j2`` and the table of config/code-syntax.toml.
    ``valid`` matches names that need no repair; ``repair`` makes an identifier of any other. Two names collide when
    ``fold`` gives the same for both, and ``reserved`` holds what ``fold`` may give for none. ``separator`` joins words
    and numbers, ``sigil`` stands in front of every name. ``capitals`` tells that capitals join words,
    ``nested`` that each collection has names of its own, ``ascii`` that words are spelled in ASCII; ``respell`` spells
    a name that comes from the code syntax of another language.
    """

    platform: str
    valid: re.Pattern[str]
    repair: Callable[[str], str]
    reserved: frozenset[str] = frozenset()
    fold: Callable[[str], str] = str
    separator: str = "_"
    sigil: str = ""
    capitals: bool = False
    nested: bool = False
    ascii: bool = False
    respell: Callable[[str], str] = str

    def words(self, name: str) -> Words:
        """Return the words of one name, as the target spells them."""
        return ascii_words(name) if self.ascii else words(name)

    def identifier(self, name: str) -> str:
        """Return the name, repaired where it is no identifier."""
        return self.identifiers((name,))[0]

    def identifiers(self, given: Iterable[str]) -> list[str]:
        """Return the names, each repaired where it is no identifier."""
        wanted = list(given)
        folded = map(self.fold, wanted) if self.reserved else wanted
        return [
            name if is_valid and each not in self.reserved else self.repair(name)
            for name, is_valid, each in zip(wanted, map(self.valid.fullmatch, wanted), folded, strict=True)
        ]

    def between(self, before: Words, name: str, after: Words) -> str:
        """Return the identifier with further words around it, in the target's own spelling."""
        body = name.removeprefix(self.sigil)
        if self.capitals:
            body = f"{camel(before)}{body[:1].upper()}{body[1:]}" if before else body
            return self.identifier(f"{self.sigil}{body}{pascal(after)}")
        return self.identifier(f"{self.sigil}{self.separator.join((*before, body, *after))}")


def camel_case(name: str) -> str:
    """Return a name in lowerCamelCase if a hyphen or an underscore joins its words, else as it is."""
    joined = any(each in name.strip("_") for each in "-_")
    return camel(words(name)) or name if joined else name


def cut(name: str, separator: str, length: Callable[[str], int] = len) -> str:
    """Return the name, or its first part and a digest of the whole when it is too long."""
    if length(name) <= LONGEST:
        return name
    from hashlib import sha256

    kept = name[: LONGEST - 9]
    while length(kept) > LONGEST - 9:
        kept = kept[:-1]
    return f"{kept}{separator}{sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def unicode_identifier(name: str) -> str:
    """Return an identifier of a language that takes letters and digits of all scripts (Unicode Standard Annex 31)."""
    body = name if f"_{name}".isidentifier() else "".join(map(_in_identifier, name))
    if not any(map(str.isalnum, body)):
        body = NAMELESS
    return body if body[0].isidentifier() else f"_{body}"


def _in_identifier(character: str) -> str:
    """Return the character, or what it is compatible with (``²`` is 2), where Unicode allows it in identifiers."""
    compatible = (character, normalize("NFKC", character))
    return next((each for each in compatible if f"_{each}".isidentifier()), "_")
