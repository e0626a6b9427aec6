"""Each platform's naming rules: how words are spelled, what is an identifier, and when two are one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from tokensync.naming import identifiers, reserved
from tokensync.naming.words import Words, ascii_path_words, ascii_words, camel, pascal, path_words, words

if TYPE_CHECKING:
    from collections.abc import Callable


class Rules(NamedTuple):
    """A platform's naming rules.

    ``words`` and ``path_words`` spell a name's and a path's words; ``valid`` matches what needs no repair, ``repaired``
    makes the rest an identifier; ``folded`` gives what two names may not have in common, and what none of ``reserved``
    may be; ``separator`` joins numbers.
    ``sigil`` stands in front of every name; ``humps`` tells that words are joined by capitals instead of the separator,
    ``is_nested`` that each collection's names stand in a type of their own.
    """

    words: Callable[[str], Words]
    path_words: Callable[[str], Words]
    valid: re.Pattern[str]
    reserved: frozenset[str]
    repaired: Callable[[str], str]
    folded: Callable[[str], str]
    separator: str
    sigil: str = ""
    humps: bool = False
    is_nested: bool = False

    def identifier(self, name: str) -> str:
        """The name, repaired where it is no identifier."""
        kept = self.valid.fullmatch(name) and not (self.reserved and self.folded(name) in self.reserved)
        return name if kept else self.repaired(name)

    def between(self, before: Words, name: str, after: Words) -> str:
        """The identifier with further words around it, in the platform's own spelling."""
        body = name.removeprefix(self.sigil)
        if self.humps:
            body = f"{camel(before)}{body[:1].upper()}{body[1:]}" if before else body
            return self.identifier(f"{self.sigil}{body}{pascal(after)}")
        return self.identifier(f"{self.sigil}{self.separator.join((*before, body, *after))}")


_ASCII_WORD = re.compile(r"(?=_*[A-Za-z0-9])[A-Za-z_][A-Za-z0-9_]{0,199}")  # other scripts go the long way

RULES = {
    "css": Rules(
        words,
        path_words,
        re.compile(r"--(?=[-_]*[^\W_])[\w-]{1,200}"),
        frozenset(),
        identifiers.css_identifier,
        identifiers.same,
        "-",
        "--",
    ),
    "scss": Rules(
        words,
        path_words,
        re.compile(r"\$[^\W\d_][\w-]{0,199}"),
        reserved.SASS,
        identifiers.scss_identifier,
        identifiers.in_sass,
        "-",
        "$",
    ),
    "typescript": Rules(
        words,
        path_words,
        _ASCII_WORD,
        reserved.JAVASCRIPT,
        identifiers.typescript_identifier,
        identifiers.same,
        "_",
        humps=True,
    ),
    "android": Rules(
        ascii_words,
        ascii_path_words,
        _ASCII_WORD,
        reserved.JAVA_AND_KOTLIN,
        identifiers.android_identifier,
        identifiers.same,
        "_",
    ),
    "compose": Rules(
        words,
        path_words,
        _ASCII_WORD,
        frozenset(),
        identifiers.compose_identifier,
        identifiers.getter,
        "_",
        humps=True,
        is_nested=True,
    ),
    "ios": Rules(
        words,
        path_words,
        _ASCII_WORD,
        reserved.DEVICE_FILES,
        identifiers.ios_identifier,
        identifiers.on_disk,
        "_",
        humps=True,
    ),
}

NAMED_PLATFORMS = tuple(RULES)
"""What a token can be named for; an output of another platform takes one of these platforms' names."""
