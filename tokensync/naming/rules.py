"""How a target names tokens: how it spells words, what is an identifier there, and when two names are one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import normalize

from tokensync.naming.words import Words, camel, pascal, path_words, words

if TYPE_CHECKING:
    from collections.abc import Callable

LONGEST = 200
"""Characters of a name, a sigil in front of it not counted. Where a name is a file name too, bytes of UTF-8."""

NAMELESS = "token"
"""The name of a token whose own name has no letter or digit."""

ASCII_WORD = re.compile(r"(?=_*[A-Za-z0-9])[A-Za-z_][A-Za-z0-9_]{0,199}")
"""An identifier of most languages that needs no repair; other scripts take the long way."""


def same(name: str) -> str:
    """Return the name: two names collide only when they are equal."""
    return name


def as_written(name: str) -> str:
    """Return the name: code syntax keeps its spelling."""
    return name


class NamingRules(NamedTuple):
    """One target's naming rules.

    ``platform`` names the template ``codesyntax/<platform>.j2`` and the table of config/code-syntax.toml.
    ``valid`` matches names that need no repair; ``repair`` makes an identifier of any other. Two names collide when
    ``fold`` gives the same for both, and ``reserved`` holds what ``fold`` may give for none. ``separator`` joins words
    and numbers, ``sigil`` stands in front of every name. ``capitals`` tells that capitals join words,
    ``nested`` that each collection has names of its own. ``words`` and ``path_words`` give the words of a name and of a
    path; ``respell`` spells a name that comes from the code syntax of another language.
    """

    platform: str
    valid: re.Pattern[str]
    repair: Callable[[str], str]
    reserved: frozenset[str] = frozenset()
    fold: Callable[[str], str] = same
    separator: str = "_"
    sigil: str = ""
    capitals: bool = False
    nested: bool = False
    words: Callable[[str], Words] = words
    path_words: Callable[[str], Words] = path_words
    respell: Callable[[str], str] = as_written

    def identifier(self, name: str) -> str:
        """Return the name, repaired where it is no identifier."""
        kept = self.valid.fullmatch(name) and not (self.reserved and self.fold(name) in self.reserved)
        return name if kept else self.repair(name)

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
