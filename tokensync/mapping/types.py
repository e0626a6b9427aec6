"""Token types from a variable's type and scopes, by config/type-rules.toml and a team's own rules."""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import cache
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from tokensync.tokens.weights import AS_TEXT

if TYPE_CHECKING:
    from collections.abc import Sequence

KINDS = {"COLOR": "color", "BOOLEAN": "boolean", "STRING": "string", "FLOAT": "number"}
"""The variable types that have a token form, and the token type that says no more than they do."""

ResolvedType = Literal["BOOLEAN", "COLOR", "FLOAT", "STRING"]
"""What a variable's values are (platform-api.md 2.4)."""

RESOLVED_TYPES: dict[str, ResolvedType] = {
    "color": "COLOR",
    "boolean": "BOOLEAN",
    "string": "STRING",
    "fontFamily": "STRING",
    "number": "FLOAT",
    "dimension": "FLOAT",
    "fontWeight": "FLOAT",
    AS_TEXT: "STRING",
}
"""The variable type of each token type that has a variable form."""

_EVERY_SCOPE = "ALL_SCOPES"


class TypeRule(Struct, frozen=True, kw_only=True):
    """Says which token type a variable becomes; every member that is set has to fit.

    ``scopes``: the variable has scopes, all among these. ``path``: a glob over the variable's name.
    """

    type: str
    resolved_type: str | None = None
    scopes: tuple[str, ...] | None = None
    path: str | None = None
    collection: str | None = None

    def matches(self, resolved_type: str, scopes: tuple[str, ...], name: str, collection: str) -> bool:
        """Return whether the rule is about this variable, whatever type the variable can have."""
        return (
            self.resolved_type in (None, resolved_type)
            and (self.scopes is None or (bool(scopes) and set(scopes) <= set(self.scopes)))
            and (self.path is None or fnmatchcase(name, self.path))
            and (self.collection is None or fnmatchcase(collection, self.collection))
        )

    def type_for(self, resolved_type: str) -> str | None:
        """Return the type that a variable of this type becomes by the rule; None when it cannot have the rule's.

        A weight of a STRING variable is one that is kept as text.
        """
        if (self.type, resolved_type) == ("fontWeight", "STRING"):
            return AS_TEXT
        return self.type if RESOLVED_TYPES[self.type] == resolved_type else None


class TypeRules:
    """Rules in order; the first that fits decides. Verdicts are remembered where no rule looks at names."""

    def __init__(self, rules: Sequence[TypeRule]) -> None:
        self._rules = tuple(rules)
        self._by_name = any(rule.path is not None or rule.collection is not None for rule in rules)
        self._known: dict[tuple[str, tuple[str, ...]], str] = {}

    def type_of(self, resolved_type: str, scopes: tuple[str, ...], name: str, collection: str) -> str:
        """The token type of a variable whose ``resolved_type`` is one of ``KINDS``."""
        if self._by_name:
            return self._decide(resolved_type, scopes, name, collection)
        verdict = self._known.get((resolved_type, scopes))
        if verdict is None:
            verdict = self._known[resolved_type, scopes] = self._decide(resolved_type, scopes, name, collection)
        return verdict

    def scopes_of(self, token_type: str, name: str, collection: str) -> tuple[str, ...] | None:
        """The widest scopes of a new variable that is to be read as this type, sorted; None when no scopes make it so.

        Every scope where that does; else all that the first rule for the type names.
        """
        resolved_type = RESOLVED_TYPES[token_type]
        rules = (rule for rule in self._rules if rule.type_for(resolved_type) == token_type)
        named = (rule.scopes for rule in rules if rule.scopes is not None)
        for scopes in ((_EVERY_SCOPE,), *(tuple(sorted(each)) for each in named)):
            if self.type_of(resolved_type, scopes, name, collection) == token_type:
                return scopes
        return None

    def _decide(self, resolved_type: str, scopes: tuple[str, ...], name: str, collection: str) -> str:
        for rule in self._rules:
            token_type = rule.type_for(resolved_type)
            if token_type is not None and rule.matches(resolved_type, scopes, name, collection):
                return token_type
        return KINDS[resolved_type]


def type_rules(own: Sequence[TypeRule] = ()) -> TypeRules:
    """A team's own rules followed by the packaged ones."""
    return TypeRules((*own, *_packaged()))


@cache
def _packaged() -> tuple[TypeRule, ...]:
    import tomllib

    import msgspec

    from tokensync import resources

    rules = tomllib.loads(resources.read_text("config", "type-rules.toml"))["rule"]
    return msgspec.convert(rules, tuple[TypeRule, ...])
