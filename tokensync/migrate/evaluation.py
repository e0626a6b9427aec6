"""Evaluate the written value of a token: a literal, one reference, or what is computed from several."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, NamedTuple, Protocol

from tokensync.dtcg import literals
from tokensync.dtcg.parse import BadToken
from tokensync.migrate.references import only_reference, references_in
from tokensync.migrate.values import AliasTo, Reading, Refused, fixed, refused

if TYPE_CHECKING:
    from tokensync.migrate.source import SourceToken

Evaluation = Generator[str, Reading, Reading]
"""Yields the path of each token that it needs, receives its reading, and returns its own."""


class Target(NamedTuple):
    """The token that a reference names, and the steps to the member of its value that it names, if any."""

    path: str
    member: tuple[str, ...] = ()


class Scope(Protocol):
    """Where an evaluation finds the targets of references."""

    def target(self, name: str) -> Target | Refused:
        """Return the target of a reference without its braces, or why there is none."""


def reading_of(token: SourceToken) -> Reading | None:
    """Return the reading of a token that is the same in every theme; None if it depends on other tokens."""
    value = token.value
    if not token.is_text and any(references_in(value)):
        return None
    token_type = _TYPES.get(token.type, token.type)
    try:
        found = literals.meant(token_type, value) if token_type in literals.PLAIN_READERS else None
        literal = literals.literal(token_type, value if found is None else found.value)
    except (BadToken, KeyError) as error:
        return refused(error.what if isinstance(error, BadToken) else f"the type {token.type!r} is unknown")
    return fixed(literal, token_type)


_TYPES = {
    "": "string",
    "sizing": "dimension",
    "spacing": "dimension",
    "borderRadius": "dimension",
    "text": "string",
}


def evaluation(token: SourceToken, scope: Scope) -> Evaluation:
    """Evaluate a token that has references."""
    name = only_reference(token.value) if isinstance(token.value, str) else None
    if name is None:
        return refused("the value is neither a literal nor one reference")
    target = scope.target(name.name)
    if isinstance(target, Refused):
        return Reading(target, target)
    reading = yield target.path
    if isinstance(reading.literal, Refused):
        return Reading(reading.literal, reading.literal)
    return Reading(AliasTo(target.path), reading.literal, reading.type, is_percentage=reading.is_percentage)
