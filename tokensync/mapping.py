"""Map handles, names and types between the platform and DTCG.

The variable ``accent/base`` is the token ``accent.base``. The rules of config/type-rules.toml and of the team derive a
token's type from the variable's type and scopes.
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
from tokensync.tokens.values import AS_TEXT

if TYPE_CHECKING:
    from collections.abc import Sequence

KINDS = {"COLOR": "color", "BOOLEAN": "boolean", "STRING": "string", "FLOAT": "number"}
"""The variable types that tokens can have, with the most general token type of each."""

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
"""The variable type of each token type that variables can have."""

_EVERY_SCOPE = "ALL_SCOPES"
_SEPARATORS = re.compile(r"[\W_]+")
_LONGEST = 64
COLLECTION = "collection"
MODE = "mode"
"""The slugs of collections and modes without a letter or digit in their names."""
_WINDOWS_DEVICES = frozenset(
    {"con", "prn", "aux", "nul"} | {f"{port}{number}" for port in ("com", "lpt") for number in range(10)}
)


def slug(name: str, otherwise: str) -> str:
    """Return a name as letters, digits and single hyphens, safe as a file name on every operating system.

    ``otherwise`` replaces an empty result, and is appended to a device name of Windows. A long name is shortened and
    gets a digest.
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


def unique(name: str, used: set[str]) -> str:
    """Return ``name``, or the first unused one of ``name-2``, ``name-3`` and so on, and add it to ``used``.

    A binary search finds the number, so that each of a thousand equal names costs a few look-ups.
    """
    result = name
    if result in used:
        last, free = 1, 2
        while f"{name}-{free}" in used:
            last, free = free, free * 2
        while free - last > 1:
            middle = (last + free) // 2
            if f"{name}-{middle}" in used:
                last = middle
            else:
                free = middle
        result = f"{name}-{free}"
    used.add(result)
    return result


def path_of_name(name: str) -> str:
    """Return the token path of a variable's name. The mapping is one-to-one."""
    if "." in name or "{" in name or "}" in name or "%" in name or "$" in name or "//" in name or not name.strip("/"):
        return path_of(name.split("/"))
    if name[0] == "/" or name[-1] == "/":
        return path_of(name.split("/"))
    return name.replace("/", ".")


def name_of_path(path: str) -> str:
    """Return the variable name of a token path (the inverse of ``path_of_name``)."""
    return "/".join(names(path))


def path_of_id(identity: str) -> str:
    """Return the token path of a variable with an id but no name."""
    return encoded(identity)


def key_of_remote_id(identity: str) -> str:
    """Return the key in a remote object's id, ``VariableID:<key>/<n:n>``; empty for a local object."""
    key, slash, _ = identity.partition(":")[2].partition("/")
    return key if slash else ""


class TypeRule(Struct, frozen=True, kw_only=True):
    """A rule for the token type of variables that match all its members.

    ``scopes`` matches a variable with scopes that are all among these; ``path`` is a glob for the variable's name.
    """

    type: str
    resolved_type: str | None = None
    scopes: tuple[str, ...] | None = None
    path: str | None = None
    collection: str | None = None

    def matches(self, resolved_type: str, scopes: tuple[str, ...], name: str, collection: str) -> bool:
        """Return whether the rule applies to a variable; its own type may still be impossible for it."""
        return (
            self.resolved_type in (None, resolved_type)
            and (self.scopes is None or (bool(scopes) and set(scopes) <= set(self.scopes)))
            and (self.path is None or fnmatchcase(name, self.path))
            and (self.collection is None or fnmatchcase(collection, self.collection))
        )

    def type_for(self, resolved_type: str) -> str | None:
        """Return the rule's token type for variables of this type, or None if they cannot have it.

        The weight of a STRING variable is stored as text.
        """
        if (self.type, resolved_type) == ("fontWeight", "STRING"):
            return AS_TEXT
        return self.type if RESOLVED_TYPES[self.type] == resolved_type else None


class TypeRules:
    """A team's rules followed by the packaged ones. The first that matches applies.

    Results are cached if no rule depends on names.
    """

    def __init__(self, own: Sequence[TypeRule] = ()) -> None:
        self._rules = (*own, *_packaged())
        self._by_name = any(rule.path is not None or rule.collection is not None for rule in self._rules)
        self._cache: dict[tuple[str, tuple[str, ...]], str] = {}

    def type_of(self, resolved_type: str, scopes: tuple[str, ...], name: str, collection: str) -> str:
        """Return the token type of a variable whose ``resolved_type`` is one of ``KINDS``."""
        cached = self._cache.get((resolved_type, scopes))
        if cached is not None:
            return cached
        result = KINDS[resolved_type]
        for rule in self._rules:
            token_type = rule.type_for(resolved_type)
            if token_type is not None and rule.matches(resolved_type, scopes, name, collection):
                result = token_type
                break
        if not self._by_name:
            self._cache[resolved_type, scopes] = result
        return result

    def scopes_of(self, token_type: str, name: str, collection: str) -> tuple[str, ...] | None:
        """Return the widest scopes, sorted, that give a new variable this token type, or None.

        These are all scopes if possible, else those of the first rule for the type.
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
