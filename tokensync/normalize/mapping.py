"""Map handles, names and types between the platform and DTCG.

The variable ``accent/base`` is the token ``accent.base``. The rules of config/type-rules.toml and of the team derive a
token's type from the variable's type, scopes, aliases and name.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from glob import escape
from itertools import takewhile
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from tokensync.tokens.algorithms import closure, components
from tokensync.tokens.collection import Unit, is_opacity
from tokensync.tokens.paths import names, path_of
from tokensync.tokens.values import AS_TEXT, HEAVIEST, KEYWORDS, LIGHTEST

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tokensync.tokens import FamilyKey, TokenGraph, TokenKey
    from tokensync.tokens.resolver import TokenIndex, TokenTable

MOTION_TYPES: Final = {"TIMING": "duration", "EASING": "cubicBezier"}
"""The types of motion variables, with those of their tokens. The REST API returns these variables, but writes none."""

KINDS = {"COLOR": "color", "BOOLEAN": "boolean", "STRING": "string", "FLOAT": "number", **MOTION_TYPES}
"""The variable types that tokens can have, with the most general token type of each."""

ALL_SCOPES: Final = "ALL_SCOPES"
ALL_FILLS: Final = "ALL_FILLS"
FILLS: Final = frozenset({"FRAME_FILL", "SHAPE_FILL", "TEXT_FILL"})
SCOPES: Final = {
    "FLOAT": frozenset(
        "ALL_SCOPES TEXT_CONTENT CORNER_RADIUS WIDTH_HEIGHT GAP STROKE_FLOAT EFFECT_FLOAT OPACITY COLOR_OPACITY"
        " FONT_STYLE FONT_WEIGHT FONT_SIZE LINE_HEIGHT LETTER_SPACING PARAGRAPH_SPACING PARAGRAPH_INDENT"
        " FONT_VARIATIONS".split()
    ),
    "STRING": frozenset({ALL_SCOPES, "TEXT_CONTENT", "FONT_FAMILY", "FONT_STYLE"}),
    "COLOR": FILLS | {ALL_SCOPES, ALL_FILLS, "STROKE_COLOR", "EFFECT_COLOR"},
    "BOOLEAN": frozenset({ALL_SCOPES}),
}
"""The scopes that a variable of each type can have: documented ones, and ones seen in real responses."""
KNOWN_SCOPES: Final = frozenset[str]().union(*SCOPES.values())

ResolvedType = Literal["BOOLEAN", "COLOR", "FLOAT", "STRING", "TIMING", "EASING"]
"""The types of a variable's values (Figma plugin API: VariableResolvedDataType; the REST API documents four)."""

RESOLVED_TYPES: dict[str, ResolvedType] = {
    "color": "COLOR",
    "boolean": "BOOLEAN",
    "string": "STRING",
    "fontFamily": "STRING",
    "number": "FLOAT",
    "dimension": "FLOAT",
    "fontWeight": "FLOAT",
    AS_TEXT: "STRING",
    **dict.fromkeys(KEYWORDS, "STRING"),
}
"""The variable type of each token type that variables of the REST API can have."""

VARIABLE_TYPES: dict[str, ResolvedType] = {**RESOLVED_TYPES, "duration": "TIMING", "cubicBezier": "EASING"}
"""The variable type of each token type that variables can have, also through a plugin."""

_SEPARATORS = re.compile(r"[\W_]+")
_AS_NUMBERED = re.compile(r"(-[0-9]+)*")
_LONGEST = 64
_LONGEST_SHOWN = 60
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


def is_slug_of(text: str, name: str, otherwise: str) -> bool:
    """Return whether a text is the slug of a name, or that of one of several objects with the same slug.

    Both sides of a merge number equal slugs, and the merge numbers what is still equal: "mode-2-2".
    """
    usual = slug(name, otherwise)
    return text.startswith(usual) and _AS_NUMBERED.fullmatch(text, len(usual)) is not None


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


def shortened(name: str) -> str:
    """Return a name as problems show it: long names are cut, blank names are quoted."""
    if not name.strip():
        return f'"{name[:_LONGEST_SHOWN]}"'
    return name if len(name) <= _LONGEST_SHOWN else f"{name[:_LONGEST_SHOWN]}…"


def path_of_name(name: str) -> str:
    """Return the token path of a variable's name. The mapping is one-to-one."""
    if "." in name or "{" in name or "}" in name or "%" in name or "$" in name or "//" in name or not name.strip("/"):
        return path_of(name.split("/"))
    if name[0] == "/" or name[-1] == "/":
        return path_of(name.split("/"))
    return name.replace("/", ".")


_IN_UNUSUAL = (".", "{", "}", "%", "$", "//", "\n/", "/\n", "\n\n")


def paths_of_names(names: Sequence[str]) -> list[str]:
    """Return the ``path_of_name`` of each name. Usual ones are converted as one text, in a tenth of the time."""
    text = "\n".join(("", *names, ""))
    if not names or text.count("\n") > len(names) + 1 or any(part in text for part in _IN_UNUSUAL):
        return [*map(path_of_name, names)]
    return text[1:-1].replace("/", ".").split("\n")


def name_of_path(path: str) -> str:
    """Return the variable name of a token path (the inverse of ``path_of_name``)."""
    return "/".join(names(path))


def key_of_remote_id(identity: str) -> str:
    """Return the key in a remote object's id, ``VariableID:<key>/<n:n>``; empty for a local object."""
    key, slash, _ = identity.partition(":")[2].partition("/")
    return key if slash else ""


def root_mode_id(mode_id: str) -> str:
    """Return the root mode's id at the end of an extended mode's id: ``2:0`` of ``VariableCollectionId:3:1/2:0``."""
    return mode_id.rpartition("/")[2]


TYPES_IN_CODE = {"duration": ("FLOAT", "STRING"), "cubicBezier": ("STRING",), "css": ("STRING",)}
"""The types of ``[[types]]`` rules that tokens have in code only, with those of the variables that can have them."""


class TypeRule(Struct, frozen=True, kw_only=True):
    """A rule for the token type of variables that match all its members; config/type-rules.toml documents them.

    ``scopes`` matches a variable with scopes that are all among these; ``path`` is a glob for the variable's name.
    ``unit`` is that of a number, a length or a duration in code. Packaged rules match ``words`` of the name, its last
    words (``ends``), and numbers from ``smallest`` to ``largest``.
    """

    type: str
    resolved_type: str | None = None
    scopes: tuple[str, ...] | None = None
    path: str | None = None
    collection: str | None = None
    unit: Unit | Literal["ms", "s", "rem"] = ""
    words: tuple[str, ...] | None = None
    ends: tuple[str, ...] | None = None
    smallest: float | None = None
    largest: float | None = None

    def matches(self, resolved_type: str, scopes: tuple[str, ...], name: str, collection: str) -> bool:
        """Return whether the rule applies to a variable; its own type may still be impossible for it."""
        return (
            self.resolved_type in (None, resolved_type)
            and (self.scopes is None or (bool(scopes) and set(scopes) <= set(self.scopes)))
            and (self.path is None or fnmatchcase(name, self.path))
            and (self.collection is None or fnmatchcase(collection, self.collection))
        )

    @property
    def number_unit(self) -> Unit:
        """Return the unit of numbers; empty in a rule for lengths or durations."""
        return "" if self.unit == "ms" or self.unit == "s" or self.unit == "rem" else self.unit

    @property
    def is_in_code(self) -> bool:
        """Return whether the rule changes values in code only, because variables cannot have its type or unit."""
        return self.type in TYPES_IN_CODE or self.unit == "rem"

    def type_for(self, resolved_type: str) -> str | None:
        """Return the rule's token type for variables of this type, or None if they cannot have it.

        The weight of a STRING variable is stored as text. A duration is a number or a text but in code, and a curve or
        CSS a text (``with_types_in_code``).
        """
        if self.type in TYPES_IN_CODE:
            return KINDS[resolved_type] if resolved_type in TYPES_IN_CODE[self.type] else None
        if (self.type, resolved_type) == ("fontWeight", "STRING"):
            return AS_TEXT
        return self.type if RESOLVED_TYPES[self.type] == resolved_type else None


class Inferred(NamedTuple):
    """The type of a number, and what it follows from; ``nothing`` is a number by default.

    ``values`` are those that the usual type of the scopes does not have, and ``uses`` the tokens that refer to it.
    """

    type: str
    source: Literal["rule", "alias", "scopes", "values", "name", "uses", "nothing"]


_BY_DEFAULT = Inferred("number", "nothing")
_inferred = cache(Inferred)
_FLOATS = frozenset(token_type for token_type, resolved in RESOLVED_TYPES.items() if resolved == "FLOAT")


class TypeRules:
    """A team's rules followed by the packaged ones. The first that matches applies.

    Results by type and scopes are cached if no rule of the team depends on names: empty for a text that its name
    decides.
    """

    def __init__(self, own: Sequence[TypeRule] = (), *, packaged: bool = True) -> None:
        self.own = tuple(own)
        self._packaged = packaged
        self._rules = (*own, *(_packaged().by_scopes if packaged else ()))
        self._by_name = any(rule.path is not None or rule.collection is not None for rule in self.own)
        self._cache: dict[tuple[str, tuple[str, ...]], str] = {}

    def with_present_names(self, collections: Iterable[tuple[str, str]]) -> TypeRules:
        """Return the rules with the present name for the former one of a collection that was renamed on the platform.

        ``collections`` are the handle, which keeps the former name, and the name of each.
        """
        known = [*collections]

        def present(rule: TypeRule) -> TypeRule:
            pattern = rule.collection
            if pattern is None or any(fnmatchcase(name, pattern) for _, name in known):
                return rule
            former = slug(pattern, "")
            name = next((name for handle, name in known if handle == former), None)
            return rule if name is None else replace(rule, collection=escape(name))

        own = tuple(map(present, self.own))
        return self if own == self.own else TypeRules(own)

    def own_rule(self, resolved_type: str, scopes: tuple[str, ...], name: str, collection: str) -> TypeRule | None:
        """Return the first of the team's rules that matches a variable and whose type it can have."""
        matching = (rule for rule in self.own if rule.matches(resolved_type, scopes, name, collection))
        return next((rule for rule in matching if rule.type_for(resolved_type) is not None), None)

    def type_of(self, resolved_type: str, scopes: tuple[str, ...], name: str, collection: str) -> str:
        """Return the token type of a variable whose ``resolved_type`` is one of ``KINDS``, by rules and scopes.

        The name of a text decides what they leave open. A number that they leave open is a ``number``; ``numbers`` has
        its type by aliases and name.
        """
        by_scopes = self._type_by_scopes(resolved_type, scopes, name, collection)
        return by_scopes or (_text_type_of_name(name) if self._packaged else "string")

    def _type_by_scopes(self, resolved_type: str, scopes: tuple[str, ...], name: str, collection: str) -> str:
        """Return the type by rules and scopes, empty for a text for which neither tells anything."""
        cached = self._cache.get((resolved_type, scopes))
        if cached is not None:
            return cached
        result = "" if resolved_type == "STRING" and is_unscoped(scopes) else KINDS[resolved_type]
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
        if token_type in KEYWORDS:  # no scope says so
            return (ALL_SCOPES,)
        resolved_type = RESOLVED_TYPES[token_type]
        rules = (rule for rule in self._rules if rule.type_for(resolved_type) == token_type)
        named = (rule.scopes for rule in rules if rule.scopes is not None)
        for scopes in ((ALL_SCOPES,), *(tuple(sorted(each)) for each in named)):
            # A name may make a text a weight, but the scopes of weights say so to the design tool, too.
            read = self.type_of if token_type == KINDS["STRING"] else self._type_by_scopes
            if read(resolved_type, scopes, name, collection) == token_type:
                return scopes
        return None

    @lru_cache(maxsize=1)  # noqa: B019 - of one table, as ``opacity_units``
    def numbers(self, table: TokenTable) -> Mapping[TokenIndex, Inferred]:
        """Return the types of all FLOAT variables among the tokens.

        The team's rules come first, then the alias chain, the scopes, the words of the name and of the collection's,
        and the tokens that refer to the number. Scopes outrank an alias to a type that they exclude, because the
        platform offers the variable for nothing else, but not values that their type does not have: lines of 1.5 px.
        Aliases to several types decide nothing, and neither do aliases on a cycle. Types that follow from the result
        do not change it, so normalization and its notes share it.
        """
        scopes_by_values = _packaged().scopes_by_values
        found: dict[TokenIndex, Inferred] = {}
        undecided: dict[TokenIndex, list[TokenIndex]] = {}
        numbers = [index for index, name in zip(table.order, table.types, strict=True) if name in _FLOATS]
        for index in numbers:
            scopes = table.scopes[index]
            if table.origins[index] == "absent":  # its scopes are unknown
                continue
            rule = None
            if self.own:
                collection = table.collections[table.families[index]].name
                rule = self.own_rule("FLOAT", scopes, name_of_path(table.paths[index]), collection)
            by_scopes = _number_of_scopes(scopes) if rule is None else rule.type_for("FLOAT")
            if by_scopes is not None:
                by_values = rule is None and scopes in scopes_by_values and _type_by_values(table, index)
                fitting = by_values or by_scopes
                found[index] = _inferred(
                    fitting if can_be(table, index, fitting) else "number",
                    "rule" if rule is not None else "values" if by_values else "scopes",
                )
            elif table.has_alias(index):
                undecided[index] = table.targets_of(index)
            else:
                found[index] = _by_aliases_or_name(table, index, found)
        for index, *others in components(undecided, lambda index: filter(undecided.__contains__, undecided[index])):
            if others:
                found.update(dict.fromkeys((index, *others), _BY_DEFAULT))
            else:
                found[index] = _by_aliases_or_name(table, index, found)
        found |= _by_uses(table, found)
        return found


def _by_aliases_or_name(table: TokenTable, index: TokenIndex, found: Mapping[TokenIndex, Inferred]) -> Inferred:
    """Return the type of a number by its targets in ``found``, otherwise by its name."""
    targets = [found[code] for code in table.rows[index] if code in found]
    types = {target.type for target in targets if target.source != "nothing"}
    if len(types) == 1:
        (only,) = types
        if can_be(table, index, only) and _scopes_allow(table.scopes[index], only):
            return _inferred(only, "alias")
    rule = _rule_of_name(table, index) or _rule_of_collection(table, index)
    allows = rule is not None and _scopes_allow(table.scopes[index], rule.type)
    return _inferred(rule.type, "name") if rule is not None and allows else _BY_DEFAULT


def _by_uses(table: TokenTable, found: dict[TokenIndex, Inferred]) -> dict[TokenIndex, Inferred]:
    """Return the numbers that nothing else describes, and whose dependents all have one type by other evidence.

    If all other steps of a scale, whose names differ in digits only, are lengths, so is one that nothing refers to yet.
    """
    unknown = [index for index, number in found.items() if number is _BY_DEFAULT]
    if not unknown:
        return {}
    referring: dict[TokenIndex, list[TokenIndex]] = {index: [] for index in unknown}
    for index in found:
        for target in filter(referring.__contains__, table.targets_of(index)):
            referring[target].append(index)
    used: dict[TokenIndex, Inferred] = {}
    chained = {index: users for index, users in referring.items() if not referring.keys().isdisjoint(users)}
    in_order = [[index] for index in unknown if index not in chained]
    in_order += components(chained, lambda index: filter(chained.__contains__, chained[index]))
    for index, *others in in_order:
        uses = (used.get(user, found[user]) for user in referring[index])
        types = {use.type for use in uses if use.source != "nothing"}
        if len(types) == 1 and not others:
            (only,) = types
            if can_be(table, index, only) and _scopes_allow(table.scopes[index], only):
                used[index] = _inferred(only, "uses")
    scales = {index: (table.families[index], _DIGITS.sub("", table.paths[index])) for index in found}
    steps: dict[tuple[FamilyKey, str], set[str]] = {}
    for index, number in (found | used).items():
        if number.source != "nothing":
            steps.setdefault(scales[index], set()).add(number.type)
    for index in unknown:
        is_alone = not referring[index] and not table.targets_of(index)
        if is_alone and steps.get(scales[index]) == {"dimension"} and _scopes_allow(table.scopes[index], "dimension"):
            used[index] = _inferred("dimension", "uses")
    return used


@cache
def _number_of_scopes(scopes: tuple[str, ...]) -> str | None:
    """Return the type of a number by its scopes, or None if they leave it open."""
    rules = (scope for scope in _packaged().by_scopes if scope.scopes is not None)
    return next((rule.type for rule in rules if rule.matches("FLOAT", scopes, "", "")), None)


def is_unscoped(scopes: tuple[str, ...]) -> bool:
    """Return whether a variable's scopes tell nothing: there are none, or all."""
    return not scopes or ALL_SCOPES in scopes


def _type_by_values(table: TokenTable, index: TokenIndex) -> str:
    """Return the type that the values of a number with such scopes have, empty for that of the scopes."""
    words = words_of_name(name_of_path(table.paths[index]))
    for rule in _packaged().by_values:
        if rule.scopes == table.scopes[index] and (rule.words is None or _describes(rule, words)):
            return rule.type if _is_in_range(rule, table, index, with_targets=True) else ""
    return ""


def leaves_open(scopes: tuple[str, ...]) -> bool:
    """Return whether the type of a number with these scopes follows from its aliases and its name."""
    return _number_of_scopes(scopes) is None


def is_inferred(scopes: tuple[str, ...]) -> bool:
    """Return whether the type of a number follows from more than these scopes."""
    return leaves_open(scopes) or scopes in _packaged().scopes_by_values


def can_be(table: TokenTable, index: TokenIndex, other: str) -> bool:
    """Return whether the literals of a token fit another type of the same variable type."""
    match other:
        case "fontWeight":
            literals = table.literals_of(index)
            return all(isinstance(literal, float) and LIGHTEST <= literal <= HEAVIEST for literal in literals)
        case "number":
            return all(isinstance(literal, float) for literal in table.literals_of(index))  # a rem is a length
        case "string" | "fontFamily":
            return all(isinstance(literal, str) for literal in table.literals_of(index))
        case _:
            return True


@cache
def _scopes_allow(scopes: tuple[str, ...], wanted: str) -> bool:
    """Return whether a number with these scopes can be used as this type in the design tool."""
    if wanted == "number" or is_unscoped(scopes):
        return True
    rules = (scope for scope in _packaged().by_scopes if scope.type == wanted and scope.resolved_type == "FLOAT")
    return any(rule.scopes is not None and not set(scopes).isdisjoint(rule.scopes) for rule in rules)


def _rule_of_name(table: TokenTable, index: TokenIndex, *, with_targets: bool = True) -> TypeRule | None:
    """Return the packaged rule for the words of a number's name, and for its values and those of its targets."""
    packaged = _packaged()
    words = words_of_name(name_of_path(table.paths[index]))
    if packaged.vocabulary.isdisjoint(words.split()):
        return None
    for rule in packaged.by_words:
        if _describes(rule, words) and _is_in_range(rule, table, index, with_targets=with_targets):
            return rule
    return None


def _rule_of_collection(table: TokenTable, index: TokenIndex) -> TypeRule | None:
    """Return the packaged rule for the words of the name of a number's collection."""
    rules = _rules_of_words(table.collections[table.families[index]].name)
    return next((rule for rule in rules if _is_in_range(rule, table, index, with_targets=True)), None)


@lru_cache(maxsize=64)
def _rules_of_words(name: str) -> tuple[TypeRule, ...]:
    """Return the packaged rules for the words of a collection's name, up to one for numbers of any value.

    A "type scale" has sizes, and a "size and opacity" may have both, so such words tell nothing about its variables.
    """
    words = words_of_name(name)
    rules = (rule for rule in _packaged().by_words if _describes(rule, words))
    return tuple(takewhile(lambda rule: rule.type != "number" or rule.largest is not None, rules))


@lru_cache(maxsize=4096)
def _text_type_of_name(name: str) -> str:
    """Return the type of a text that neither rules nor scopes describe by the words of its name."""
    words = words_of_name(name)
    return next((rule.type_for("STRING") or "" for rule in _packaged().of_texts if _describes(rule, words)), "string")


def _describes(rule: TypeRule, words: str) -> bool:
    anywhere, last = _words_of(rule)
    return any(map(words.__contains__, anywhere)) or words.endswith(last)


@cache
def _words_of(rule: TypeRule) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the words of a rule, between spaces, that describe a name anywhere and at its end."""
    anywhere, last = (tuple(f" {word} " for word in words or ()) for words in (rule.words, rule.ends))
    return anywhere, last


def _is_in_range(rule: TypeRule, table: TokenTable, index: TokenIndex, *, with_targets: bool) -> bool:
    """Return whether a rule has no range, or a number has values in it, in any mode and in the tokens it refers to."""
    if rule.largest is None:
        return True

    def targets(index: TokenIndex) -> list[TokenIndex]:
        numbers = (target for target in table.targets_of(index) if table.types[target] in _FLOATS)
        return [target for target in numbers if table.origins[target] != "absent"]

    reached = closure([index], targets) if with_targets else (index,)
    literals = [abs(number) for index in reached for number in _floats(table, index)]
    return bool(literals) and (rule.smallest or 0) <= min(literals) and 0 < max(literals) <= rule.largest


def _floats(table: TokenTable, index: TokenIndex) -> list[float]:
    return [literal for literal in table.literals_of(index) if type(literal) is float]


class Opacity(NamedTuple):
    """How an opacity is written in code; ``is_chosen`` by a ``[[types]]`` rule rather than by its values.

    ``is_mixed`` means that some of its values are below 1 and others are above, in its modes and targets.
    """

    unit: Literal["percent", "fraction"]
    is_chosen: bool = False
    is_mixed: bool = False


def opacities(graph: TokenGraph) -> dict[TokenKey, Opacity]:
    """Return the opacities among the numbers of a graph."""
    return {graph.table.keys[index]: unit for index, unit in opacity_units(graph.table).items()}


@lru_cache(maxsize=1)  # findings, notes and outputs of one build ask for the same table
def opacity_units(table: TokenTable) -> dict[TokenIndex, Opacity]:
    """Return the opacities among the numbers of a table.

    A number is one by a ``[[types]]`` rule, by its scopes, by its name and its values, or because it refers to one. It
    is a percentage if it is above 1 in some mode. If all of its values are 0 or 1, it is one if all others of its
    group are, or of its collection.
    """
    targets = table.targets_of
    numbers = {index: None for index, name in zip(table.order, table.types, strict=True) if name == "number"}
    units_of, scopes_of = table.units, table.scopes
    start = [index for index in numbers if units_of[index] or is_opacity(scopes_of[index])]
    start += _opacities_by_name(table, numbers)
    if not start:
        return {}
    referring: dict[TokenIndex, list[TokenIndex]] = {}
    for index in numbers:
        if table.has_alias(index) and leaves_open(table.scopes[index]) and numbers.keys() >= {*targets(index)}:
            for target in targets(index):
                referring.setdefault(target, []).append(index)
    found = closure(start, lambda index: referring.get(index, ()))
    in_order: list[TokenIndex] = []  # targets first
    values: dict[TokenIndex, frozenset[float]] = {}
    nearby: dict[tuple[FamilyKey, str | None], set[bool]] = {}
    for members in components(found, targets):  # of several tokens if their modes refer to each other
        reached = (values.get(target, ()) for index in members for target in targets(index))
        shared = frozenset(abs(number) for index in members for number in _floats(table, index)).union(*reached)
        values |= dict.fromkeys(members, shared)
        in_order += members
    for index in in_order:
        own = frozenset(map(abs, _floats(table, index)))
        if index in found and any(own) and max(own) != 1 and not _chosen_unit(table, index):
            for home in (_group(table, index), (table.families[index], None)):
                nearby.setdefault(home, set()).add(max(own) > 1)
    units: dict[TokenIndex, Opacity] = {}
    for index in filter(found.__contains__, in_order):
        units[index] = _opacity(
            table,
            index,
            values[index],
            [units[target] for target in targets(index) if target in units],
            among_percentages=(nearby.get(_group(table, index)) or nearby.get((table.families[index], None))) == {True},
        )
    return units


def _opacities_by_name(table: TokenTable, numbers: Iterable[TokenIndex]) -> Iterator[TokenIndex]:
    """Yield the numbers that their names make opacities, if their values and those of their siblings are 0 to 100."""
    siblings: dict[tuple[FamilyKey, str | None], list[TokenIndex]] = {}
    for index in numbers:
        if not table.units[index] and leaves_open(table.scopes[index]) and _ends_as_opacity(table, index):
            siblings.setdefault(_group(table, index), []).append(index)
    for indices in siblings.values():
        reached = (target for index in indices for target in closure([index], table.targets_of))
        values = (value for target in reached for value in _floats(table, target))
        if all(0 <= value <= 100 for value in values):
            yield from indices


def _ends_as_opacity(table: TokenTable, index: TokenIndex) -> bool:
    """Return whether the last word of a name or of its group, apart from numbers, is one of opacities.

    A group tells nothing if another rule describes the rest of the name: "opacity/size" is no opacity.
    """
    rule = _rule_of_name(table, index, with_targets=False)
    if rule is None or rule.unit != "opacity":
        return False
    name = name_of_path(table.paths[index])
    group, leaf = (_NUMBERS.sub("", words_of_name(part)) for part in name.rpartition("/")[::2])
    endings = tuple(f" {word} " for word in (*(rule.words or ()), *(rule.ends or ())))
    others = (other for other in _packaged().by_words if other is not rule)
    return leaf.endswith(endings) or (group.endswith(endings) and not any(_describes(other, leaf) for other in others))


def _group(table: TokenTable, index: TokenIndex) -> tuple[FamilyKey, str | None]:
    return (table.families[index], table.paths[index].rpartition(".")[0])


def guessed_by_name(table: TokenTable, index: TokenIndex) -> Literal["length", "opacity"] | None:
    """Return what a number with a word of opacities in its name may be, or None for other numbers."""
    rule = _rule_of_name(table, index, with_targets=False)
    if rule is None or rule.unit != "opacity":
        return None
    words = words_of_name(name_of_path(table.paths[index]))
    lengths = (other for other in _packaged().by_words if other.type == "dimension")
    return "length" if any(_describes(other, words) for other in lengths) else "opacity"


def _chosen_unit(table: TokenTable, index: TokenIndex) -> Literal["percent", "fraction"] | None:
    unit = table.units[index]
    return unit if unit in ("percent", "fraction") else None


def _opacity(
    table: TokenTable,
    index: TokenIndex,
    values: frozenset[float],
    targets: Sequence[Opacity],
    *,
    among_percentages: bool,
) -> Opacity:
    """Return the unit of an opacity; ``values`` are its absolute values, and ``targets`` the opacities it refers to."""
    if (chosen := _chosen_unit(table, index)) is not None:
        return Opacity(chosen, is_chosen=True)
    largest = max(values, default=0.0)
    is_mixed = largest > 1 and any(0 < value < 1 for value in values)
    units = {target.unit for target in targets}
    has_own = any(_floats(table, index))
    if len(units) == 1 and (not has_own or largest == 1):  # it follows the tokens that it refers to
        return Opacity(units.pop(), is_chosen=all(target.is_chosen for target in targets))
    if largest > 1 or (largest in (0, 1) and among_percentages and not any(0 < value < 1 for value in values)):
        return Opacity("percent", is_mixed=is_mixed)
    return Opacity("fraction")


def words_of_name(name: str) -> str:
    """Return the words of a name in lower case, with a space around each; letters and digits are different words."""
    return f" {' '.join(_WORDS.findall(_WORD_STARTS.sub(' ', name).lower()))} "


_DIGITS = re.compile(r"\d+")
_NUMBERS = re.compile(r"(?<= )\d+ ")
_WORDS = re.compile(r"[^\W\d_]+|\d+")
_WORD_STARTS = re.compile("(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


class _Packaged(NamedTuple):
    """The rules of config/type-rules.toml, and all words of those for numbers that depend on words.

    ``by_values`` are those for scopes and a range of values, and ``of_texts`` those for the words of a text's name.
    """

    by_scopes: tuple[TypeRule, ...]
    by_values: tuple[TypeRule, ...]
    by_words: tuple[TypeRule, ...]
    of_texts: tuple[TypeRule, ...]
    vocabulary: frozenset[str]
    scopes_by_values: frozenset[tuple[str, ...] | None]


@cache
def _packaged() -> _Packaged:
    import tomllib

    from tokensync.system import resources

    table = tomllib.loads(resources.read_text("config", "type-rules.toml"))["rule"]
    rules = msgspec.convert(table, tuple[TypeRule, ...])
    by_values = tuple(rule for rule in rules if rule.scopes and rule.largest is not None)
    named = [rule for rule in rules if (rule.words or rule.ends) and not rule.scopes]
    by_words = tuple(rule for rule in named if rule.resolved_type == "FLOAT")
    vocabulary = {
        word for rule in by_words for each in (*(rule.words or ()), *(rule.ends or ())) for word in each.split()
    }
    return _Packaged(
        by_scopes=tuple(rule for rule in rules if rule not in named and rule not in by_values),
        by_values=by_values,
        by_words=by_words,
        of_texts=tuple(rule for rule in named if rule.resolved_type == "STRING"),
        vocabulary=frozenset(vocabulary),
        scopes_by_values=frozenset(rule.scopes for rule in by_values),
    )


def fitting_scopes(kind: str, scopes: tuple[str, ...]) -> tuple[str, ...]:
    """Return the scopes that a variable of a type can have together, and those that tokensync does not know."""
    found = tuple(scope for scope in scopes if scope in SCOPES[kind] or scope not in KNOWN_SCOPES)
    if ALL_SCOPES in found:
        return (ALL_SCOPES,)
    return tuple(each for each in found if each not in FILLS) if ALL_FILLS in found else found
