"""The one translator between the platform's words and DTCG's: handles, names and paths, types and scopes.

``accent/base`` is ``accent.base``. A type follows from a variable's type and scopes, by config/type-rules.toml and a
team's own rules.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from fnmatch import fnmatchcase
from functools import cache
from typing import TYPE_CHECKING, Literal

import msgspec
from msgspec import Struct

from tokensync.tokens.paths import encoded, names, path_of
from tokensync.tokens.weights import AS_TEXT

if TYPE_CHECKING:
    from collections.abc import Sequence

KINDS = {"COLOR": "color", "BOOLEAN": "boolean", "STRING": "string", "FLOAT": "number"}
"""The variable types that have a token form, and the token type that says no more than they do."""

ResolvedType = Literal["BOOLEAN", "COLOR", "FLOAT", "STRING"]
"""The types of a variable's values (Figma REST API: Variables, ``resolvedType``)."""

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
_SEPARATORS = re.compile(r"[\W_]+")
_LONGEST = 64
_WINDOWS_DEVICES = frozenset(
    {"con", "prn", "aux", "nul"} | {f"{port}{number}" for port in ("com", "lpt") for number in range(10)}
)


def slug(name: str, otherwise: str) -> str:
    """Return the name as letters, digits and single hyphens, safe as a file name everywhere.

    ``otherwise`` stands where nothing is left of it. A name that is too long is cut and gets a digest; ``otherwise`` is
    appended to one that Windows reserves for a device.
    """
    plain = name.encode("utf-8", "replace").decode("utf-8")
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", plain).casefold())
    text = _SEPARATORS.sub("-", folded).strip("-") or otherwise
    if len(text.encode()) > _LONGEST:
        digest = hashlib.sha256(plain.encode()).hexdigest()[:8]
        text = f"{text.encode()[: _LONGEST - 9].decode('utf-8', 'ignore').strip('-')}-{digest}"
    if text in _WINDOWS_DEVICES:
        text = f"{text}-{otherwise}"
    return text


def unique(wanted: str, taken: set[str]) -> str:
    """Return ``wanted``, or the first free one of ``wanted-2``, ``wanted-3`` and so on, and add it to ``taken``.

    The number is found by doubling and halving, so that each of a thousand equal names costs a few look-ups.
    """
    name = wanted
    if name in taken:
        last, free = 1, 2
        while f"{wanted}-{free}" in taken:
            last, free = free, free * 2
        while free - last > 1:
            middle = (last + free) // 2
            if f"{wanted}-{middle}" in taken:
                last = middle
            else:
                free = middle
        name = f"{wanted}-{free}"
    taken.add(name)
    return name


def path_of_name(name: str) -> str:
    """Return the token path of a variable's name; every name has one, and no two names share one."""
    if "." in name or "{" in name or "}" in name or "%" in name or "$" in name or "//" in name or not name.strip("/"):
        return path_of(name.split("/"))
    if name[0] == "/" or name[-1] == "/":
        return path_of(name.split("/"))
    return name.replace("/", ".")


def name_of_path(path: str) -> str:
    """Return the variable name of a token path: the inverse of ``path_of_name``."""
    return "/".join(names(path))


def path_of_id(identity: str) -> str:
    """Return a path for a variable of which only the id is known."""
    return encoded(identity)


def key_of_remote_id(identity: str) -> str:
    """Return the key in a remote object's id, ``VariableID:<key>/<n:n>``; "" for a local."""
    key, slash, _ = identity.partition(":")[2].partition("/")
    return key if slash else ""


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
    """A team's own rules followed by the packaged ones; the first that fits decides.

    Decisions are remembered where no rule looks at names.
    """

    def __init__(self, own: Sequence[TypeRule] = ()) -> None:
        self._rules = (*own, *_packaged())
        self._by_name = any(rule.path is not None or rule.collection is not None for rule in self._rules)
        self._known: dict[tuple[str, tuple[str, ...]], str] = {}

    def type_of(self, resolved_type: str, scopes: tuple[str, ...], name: str, collection: str) -> str:
        """Return the token type of a variable whose ``resolved_type`` is one of ``KINDS``."""
        known = self._known.get((resolved_type, scopes))
        if known is not None:
            return known
        found = KINDS[resolved_type]
        for rule in self._rules:
            token_type = rule.type_for(resolved_type)
            if token_type is not None and rule.matches(resolved_type, scopes, name, collection):
                found = token_type
                break
        if not self._by_name:
            self._known[resolved_type, scopes] = found
        return found

    def scopes_of(self, token_type: str, name: str, collection: str) -> tuple[str, ...] | None:
        """Return the widest scopes, sorted, by which a new variable is read as this type; None when no scopes do that.

        That is every scope where it does; else all that the first rule for the type names.
        """
        resolved_type = RESOLVED_TYPES[token_type]
        rules = (rule for rule in self._rules if rule.type_for(resolved_type) == token_type)
        named = (rule.scopes for rule in rules if rule.scopes is not None)
        for scopes in ((_EVERY_SCOPE,), *(tuple(sorted(each)) for each in named)):
            if self.type_of(resolved_type, scopes, name, collection) == token_type:
                return scopes
        return None


@cache
def _packaged() -> tuple[TypeRule, ...]:
    import tomllib

    from tokensync import resources

    rules = tomllib.loads(resources.read_text("config", "type-rules.toml"))["rule"]
    return msgspec.convert(rules, tuple[TypeRule, ...])
