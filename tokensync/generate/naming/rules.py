"""Naming rules: the words of a name, their spelling, valid identifiers and equal names."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple
from unicodedata import combining, normalize

from tokensync.tokens.paths import names

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

Words = tuple[str, ...]

LONGEST = 200
"""The most characters of a name without its sigil; for names that are file names too, bytes of UTF-8."""

NAMELESS = "token"
"""The name of a token without letters and digits in its own name."""


def lines_of(name: str) -> re.Pattern[str]:
    """Return the pattern of any number of lines, each of which is a name with this pattern."""
    return re.compile(rf"(?:{name}\n)*+")


ASCII_WORDS = lines_of("(?=_*[A-Za-z0-9])[A-Za-z_][A-Za-z0-9_]{0,199}")
"""Lines of valid identifiers in most languages. Other scripts use slower code."""

_ASCII_PIECES = re.compile("[a-z0-9]+")
_ASCII_STARTS = re.compile("(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
"""The start of a word within ASCII letters."""

NEGATIVE = "negative"
"""The word for the minus of ``space/-4``, as GitHub's Primer and Figma's own design system name such tokens."""
_MINUS = frozenset("-\N{MINUS SIGN}")

_NAMES = 1 << 17
"""The size of the caches of words. Each target needs all words in turn, so a cache must hold all tokens of a build."""


@lru_cache(maxsize=_NAMES)
def words(name: str) -> Words:
    """Return the words of a name, composed (NFC) and in lower case.

    Split at characters other than letters and digits, at ``lowerUpper`` and at the end of an ``RGBAcronym``. The minus
    of a number at the start is a word.
    """
    if name[:1] in _MINUS and name[1:2].isdigit():
        return (NEGATIVE, *words(name[1:]))
    if name.isascii():
        return tuple(_ASCII_PIECES.findall(name if name.islower() else _ASCII_STARTS.sub(" ", name).lower()))
    parts: list[str] = []
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
            parts.append(word)
            word = ""
        if character.isalnum():
            word += character
        previous = character
    if word:
        parts.append(word)
    return tuple([lowered for part in parts if (lowered := _lowered(part))])


def _lowered(word: str) -> str:
    """Return a word in lower case, without combining marks that lower-casing can add."""
    lowered = word.lower()
    return lowered if lowered.isalnum() else "".join(filter(str.isalnum, lowered))


@lru_cache(maxsize=_NAMES)
def path_words(path: str) -> Words:
    """Return all words of a token's path, from the outermost group to the token."""
    return tuple([word for name in names(path) for word in words(name)])


_SPACED = {code: " " for code in range(128) if not chr(code).isalnum() and chr(code) != "\n"}


def words_of_paths(paths: Sequence[str]) -> list[Words]:
    """Return the ``path_words`` of each path. Plain paths are split as one text, which takes a sixth of the time."""
    text = "\n".join(paths)
    unusual = text[:1] == "-" or any(part in text for part in ("%", ".-", "\n-"))
    if unusual or not text.isascii() or text.count("\n") != len(paths) - 1:
        return [*map(path_words, paths)]
    if text != text.lower():
        text = _ASCII_STARTS.sub(" ", text).lower()
    return [(*line.split(),) for line in text.translate(_SPACED).split("\n")]


def ascii_words(name: str) -> Words:
    """Return the ``words`` in ASCII (``transliterated``)."""
    result = words(name)
    return result if name.isascii() else tuple([each for word in result if (each := transliterated(word))])


def ascii_path_words(path: str) -> Words:
    """Return all words of a token's path, in ASCII."""
    if path.isascii() and "%" not in path:
        return path_words(path)
    return tuple([word for name in names(path) for word in ascii_words(name)])


def transliterated(word: str) -> str:
    """Return a word in ASCII: drop accents (``café`` is ``cafe``) and use code points (``色`` is ``u8272``)."""
    if word.isascii():
        return word
    decomposed = (each for each in normalize("NFKD", word) if not combining(each))
    spelled = (each if each.isascii() else f"u{ord(each):x}" for each in decomposed)
    return "".join(filter(str.isalnum, "".join(spelled))).lower()


kebab = "-".join
"""Return ``accent-base``."""

snake = "_".join
"""Return ``accent_base``."""


class _Capitalized(dict[str, str]):
    """Words with a capital. Most occur in many names, and a look-up takes a third of the time."""

    def __missing__(self, word: str) -> str:
        self[word] = word.capitalize()
        return self[word]


_capitalized = _Capitalized().__getitem__


def pascal(spelled: Sequence[str]) -> str:
    """Return ``AccentBase``."""
    return "".join(map(_capitalized, spelled))


def camel(spelled: Sequence[str]) -> str:
    """Return ``accentBase``."""
    return spelled[0] + "".join(map(_capitalized, spelled[1:])) if spelled else ""


def constant(spelled: Sequence[str]) -> str:
    """Return ``ACCENT_BASE``."""
    return "_".join(spelled).upper()


_NUMBERS = re.compile(r"\d+|\D+")


def numbered(spelled: Sequence[str], numbers: Literal["", "apart", "joined"]) -> list[str]:
    """Return words with numbers as words of their own (``gray``, ``500``), or at the end of the word before them."""
    if numbers == "apart":
        return [part for word in spelled for part in _NUMBERS.findall(word)]
    result: list[str] = []
    for word in spelled:
        if numbers == "joined" and word.isdecimal() and result and not result[-1][-1].isdecimal():
            result[-1] += word
        else:
            result.append(word)
    return result


class NamingRules(NamedTuple):
    """One target's naming rules.

    ``platform`` names the template ``codesyntax/<platform>.j2`` and the table of config/code-syntax.toml.
    ``valid_lines`` matches lines of valid identifiers; ``repair`` turns other names into valid ones. Names with the
    same ``fold`` collide, and ``reserved`` holds folded names that are not allowed. ``separator`` joins words and
    numbers; ``sigil`` is the prefix of every name. ``capitals`` means camel case, ``nested`` that names are unique per
    collection, ``ascii`` that words are transliterated. ``respell`` converts names from the code syntax of another
    language. ``system_colors`` are colours of the platform itself, such as ``Color.red``: code syntax with them names
    no token.
    """

    platform: str
    valid_lines: re.Pattern[str]
    repair: Callable[[str], str]
    reserved: frozenset[str] = frozenset()
    fold: Callable[[str], str] = str
    separator: str = "_"
    sigil: str = ""
    capitals: bool = False
    nested: bool = False
    ascii: bool = False
    respell: Callable[[str], str] = str
    system_colors: frozenset[str] = frozenset()

    def words(self, name: str) -> Words:
        """Return the words of a name in the target's spelling."""
        return ascii_words(name) if self.ascii else words(name)

    def spelled(self, names: Iterable[Words]) -> list[str]:
        """Return the identifiers of words as the packaged name template of the target writes them."""
        joined = map(camel if self.capitals else self.separator.join, names)
        return self.identifiers(map(self.sigil.__add__, joined) if self.sigil else joined)

    def identifier(self, name: str) -> str:
        """Return the name, repaired if it is not a valid identifier."""
        return self.identifiers((name,))[0]

    def identifiers(self, candidates: Iterable[str]) -> list[str]:
        """Return the names, repaired if they are not valid identifiers."""
        names = list(candidates)
        folded = list(map(self.fold, names)) if self.reserved else names
        text = "\n".join((*names, ""))  # a search for each name takes several times as long
        if self.reserved.isdisjoint(folded) and text.count("\n") == len(names) and self.valid_lines.fullmatch(text):
            return names
        return [
            name
            if each not in self.reserved and self.valid_lines.fullmatch(f"{name}\n") and "\n" not in name
            else self.repair(name)
            for name, each in zip(names, folded, strict=True)
        ]

    def from_lines(self, lines: Iterable[str]) -> list[str]:
        """Return the identifiers in rendered lines, which may omit the sigil, so that a line fits several targets."""
        return self.identifiers(f"{self.sigil}{line.strip().removeprefix(self.sigil)}" for line in lines)

    def between(self, before: Words, name: str, after: Words) -> str:
        """Return an identifier with words before and after it, in the target's spelling."""
        body = name.removeprefix(self.sigil)
        if self.capitals:
            body = f"{camel(before)}{body[:1].upper()}{body[1:]}" if before else body
            return self.identifier(f"{self.sigil}{body}{pascal(after)}")
        return self.identifier(f"{self.sigil}{self.separator.join((*before, body, *after))}")


def camel_case(name: str) -> str:
    """Return a name with hyphens or underscores in lowerCamelCase, and other names unchanged."""
    joined = any(each in name.strip("_") for each in "-_")
    return camel(words(name)) or name if joined else name


def free_name(name: str, used: Collection[str], suffix: str) -> str:
    """Return the name, with the suffix if it is in use, and again until it is free."""
    while name in used:
        name += suffix
    return name


def cut(name: str, separator: str, length: Callable[[str], int] = len) -> str:
    """Return a name of at most ``LONGEST`` characters; shorten a longer one and append a digest."""
    if length(name) <= LONGEST:
        return name
    from hashlib import sha256

    start = name[: LONGEST - 9]
    while length(start) > LONGEST - 9:
        start = start[:-1]
    return f"{start}{separator}{sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def unicode_identifier(name: str) -> str:
    """Return a valid identifier for languages that allow all scripts (Unicode Standard Annex 31)."""
    body = name if f"_{name}".isidentifier() else "".join(map(_in_identifier, name))
    if not any(map(str.isalnum, body)):
        body = NAMELESS
    return body if body[0].isidentifier() else f"_{body}"


def _in_identifier(character: str) -> str:
    """Return a character that identifiers allow: itself, its compatibility form (``²`` is 2), or an underscore."""
    compatible = (character, normalize("NFKC", character))
    return next((each for each in compatible if f"_{each}".isidentifier()), "_")
