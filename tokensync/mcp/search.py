"""Rank tokens by the words of a question against their names, scopes and descriptions, without a model.

A question names a role ("border") and what it is for ("of a disabled input"). ``config/vocabulary.toml`` has the words
that design systems use for the same thing; any other word matches itself.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections import Counter
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final, NamedTuple

from tokensync.generate.naming.rules import words
from tokensync.system import resources

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping

    from tokensync.tokens import Token, TokenKey

_CLAUSE: Final = re.compile(
    r"\b(?:of|for|on|in|inside|over|when|with|within|around|between|behind|under|against|while|that|which)\b|[,;?!.]\s"
)
_THEME: Final = re.compile(r"\bin (?:the )?(?:[\w-]+ ){1,3}(?:mode|theme)s?\b")
"""A question about a theme: answers have all themes, and the words would find a light font weight."""
_PLURAL: Final = re.compile(r"(?<=\w\w\w)(?<![suia])s$")
_ROLE, _ROLE_OF_SCOPE, _OTHER_ROLE, _OTHER_TYPE = 3.0, 2.0, -3.0, -4.0
_DESCRIBED, _RELATED, _SYNONYM, _NEUTRAL = 0.7, 0.6, 0.85, 0.3
"""The weights of a word of a description or a collection, of a related word, a synonym and a neutral word."""
_EXTRA, _MOST_EXTRA, _PRIMITIVE, _NOT_IN_CODE = -0.8, 3, -1.5, -1.0
_SIMILAR = 0.83


class _Entry(NamedTuple):
    """A token's words by concept, its role by name, its roles by scopes, and what ranks it lower at any question."""

    token: Token
    named: Mapping[str, str]
    described: frozenset[str]
    role: str
    scoped: frozenset[str]
    penalty: float


class Index:
    """The words of tokens. ``primitive`` tokens, and those that are not ``in_code``, rank lower."""

    def __init__(self, tokens: Iterable[Token], primitive: Container[TokenKey], in_code: Container[TokenKey]) -> None:
        table = tomllib.loads(resources.read_text("config", "vocabulary.toml"))
        lines = {kind: [line.split() for line in table[kind]] for kind in ("colors", "measures", "others")}
        self._concepts: dict[str, str] = {word: line[0] for kind in lines.values() for line in kind for word in line}
        self._colors, self._measures, _ = (frozenset(line[0] for line in kind) for kind in lines.values())
        self._neutral, self._stop = frozenset(table["neutral"]), frozenset(table["stop"].split())
        self._related = {concept: related.split() for concept, related in table["related"].items()}
        self._phrases = [(re.compile(rf"\b(?:{pattern})\b"), phrase) for pattern, phrase in table["phrases"].items()]
        self._entries = []
        for token in tokens:
            named = {self._concepts.get(word, word): word for word in self._words(token.key.path)}
            described = frozenset(
                self._concepts.get(word, word)
                for word in self._words(f"{token.description[:2000]} {token.key.collection}")
            )
            roles = [concept for concept in named if concept in self._colors | self._measures]
            scoped = frozenset(role for scope in token.scopes for role in table["scopes"].get(scope, ()))
            penalty = _PRIMITIVE * (token.key in primitive) + _NOT_IN_CODE * (token.key not in in_code)
            self._entries.append(_Entry(token, named, described, roles[-1] if roles else "", scoped, penalty))
        counts = Counter(concept for entry in self._entries for concept in {*entry.named, *entry.described})
        largest = math.log(len(self._entries) + 2)
        self._rarity = {concept: 2 - math.log(number) / largest for concept, number in counts.items()}

    def ranked(self, text: str) -> list[Token]:
        """Return the tokens that match a question, best first, deprecated ones last."""
        asked, role, wants_color = self._question(text)
        scored = [(self._score(entry, asked, role, wants_color), entry.token) for entry in self._entries]
        found = [(bool(token.deprecated), -score, len(token.key.path), token) for score, token in scored if score > 0]
        return [token for *_, token in sorted(found, key=lambda row: row[:3])]

    def _words(self, text: str) -> list[str]:
        """Return the words of a text in the singular, with phrases as one word."""
        spaced = " ".join(words(text)).replace("colour", "color")
        for pattern, phrase in self._phrases:
            spaced = pattern.sub(phrase, spaced)
        return [word if word in self._concepts else _PLURAL.sub("", word) for word in spaced.split()]

    def _question(self, text: str) -> tuple[dict[str, str], str, bool | None]:
        """Return the concepts of a question with its words for them, its role, and whether it asks for a colour."""
        asked: dict[str, str] = {}
        role = ""
        for clause in _CLAUSE.split(_THEME.sub(" ", text.lower())):
            found = {self._concept(word): word for word in self._words(clause) if word not in self._stop}
            asked |= found
            role = role or next((word for word in [*found][::-1] if word in self._colors | self._measures), "")
        asked.pop("", None)
        if role in self._colors or "color" in asked:
            return asked, role, True
        return asked, role, False if role in self._measures and role != "shadow" else None

    def _concept(self, word: str) -> str:
        """Return the concept of a word, or of the most similar word of names; nothing if names have neither."""
        concept = self._concepts.get(word, word)
        if word in self._concepts or concept in self._rarity or concept in self._related:
            return concept
        similar = get_close_matches(word, self._rarity, 1, _SIMILAR) if len(word) > 4 else []
        return self._concepts.get(similar[0], similar[0]) if similar else ""

    def _score(self, entry: _Entry, asked: Mapping[str, str], role: str, wants_color: bool | None) -> float:
        score, matched = 0.0, {entry.role}
        for concept, word in asked.items():
            if concept == role == entry.role:
                continue
            rarity = self._rarity.get(concept, 1.0) * (_NEUTRAL if concept in self._neutral else 1.0)
            related = [other for other in self._related.get(concept, ()) if other in entry.named]
            if concept in entry.named:
                score += rarity * (1.0 if entry.named[concept] == word else _SYNONYM)
                matched.add(concept)
            elif related:
                score += _RELATED * self._rarity[related[0]]
                matched.update(related)
            elif concept in entry.described:
                score += rarity * _DESCRIBED
        is_related = entry.role in self._related.get(role, ())
        if not score and not is_related and role not in {entry.role, *entry.scoped} - {""}:
            return 0.0
        if wants_color is not None and wants_color != (entry.token.type == "color"):
            score += _OTHER_TYPE
        if role and role == entry.role:
            score += _ROLE
        elif role in entry.scoped and (is_related or not entry.role):
            score += _ROLE_OF_SCOPE
        elif is_related or role in entry.scoped:
            score += _ROLE_OF_SCOPE / 2
        elif role and (entry.role or entry.scoped):
            score += _OTHER_ROLE
        extra = [concept for concept in entry.named if concept not in matched and concept not in self._neutral]
        return score + entry.penalty + _EXTRA * min(len(extra), _MOST_EXTRA)
