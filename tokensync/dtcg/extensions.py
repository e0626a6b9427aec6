"""The extension codec: reads and writes ``$extensions``, and values that DTCG cannot express.

Such a value is stored as the member ``value`` of our own extension, in one of these forms:

- ``{"alias": "color.accent.base"}``: an alias that other DTCG readers cannot follow; ``"file"`` names another file.
- ``{"dangling": "VariableID:1:2"}``: an alias to a missing variable.
- ``{"color": {"alias": ...}, "opacity": 48}``: a composed colour; each part is a literal, an alias or dangling.
- ``{"string": "{x}"}``: a string that looks like a reference.
- ``{"composite": "...", "references": {"{a.b}": {"alias": "a.b"}}}``: a composite with references that other DTCG
  readers cannot follow, and their targets.
- ``{"boolean": true}``, ``{"number": 1}``, ``{"srgb": [1, 0, 0]}``, ``{"quantity": [1, "rem"]}``,
  ``{"composite": "..."}``: a literal that does not fit the token's type.
- ``null``: no value.

The member ``written`` is then a digest of the ``$value`` next to it. If a person edits this ``$value``, it replaces the
stored value. The lock could not tell such an edit from a ``$value`` that was resolved before a target changed: an apply
that runs elsewhere changes the lock without the token files.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct, ValidationError, convert, field

from tokensync.dtcg.layout import Inline, inline
from tokensync.dtcg.spelling import CODE_SYNTAX, DTCG_TYPES, FIGMA, HIDDEN, OURS, SCOPES, TYPE, VARIABLE_ID
from tokensync.tokens import (
    CODE_SYNTAX_PLATFORMS,
    Alias,
    Color,
    ComposedColor,
    Composite,
    DanglingAlias,
    Quantity,
    TokenKey,
    Value,
    float32,
    normalized,
    shortest,
)
from tokensync.tokens.composites import canonical, decoded, is_number
from tokensync.tokens.values import AS_TEXT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tokensync.tokens import Token


_PLATFORMS = {each.lower(): each for each in CODE_SYNTAX_PLATFORMS}
_SCOPE_NAMES = {"STROKE": "STROKE_COLOR"}  # Figma's native export abbreviates it


def figma_type(token_type: str) -> str | None:
    """Return the ``com.figma.type`` of a token type that shares its ``$type`` with another; None for other types."""
    if token_type == AS_TEXT:
        return "string"
    return token_type if token_type in ("boolean", "string") else None


def extensions_of(token: Token, dtcg_type: str | None) -> dict[str, Any]:
    """Return the ``$extensions`` of a token in its default mode's file, without those of its value.

    ``dtcg_type`` is the ``$type`` written there, if any.
    """
    members: dict[str, Any] = {}
    if token.id:
        members[VARIABLE_ID] = token.id
    if dtcg_type is not None and (own_type := figma_type(token.type)) is not None:
        members[TYPE] = own_type
    if token.scopes:
        members[SCOPES] = list(token.scopes)
    if token.hidden:
        members[HIDDEN] = True
    if token.code_syntax:
        members[CODE_SYNTAX] = dict(token.code_syntax)
    ours: dict[str, Any] = {}
    if token.variable_key:
        ours["key"] = token.variable_key
    if dtcg_type is None or dtcg_type != DTCG_TYPES[token.type]:
        ours["type"] = token.type
    if token.published is not None:
        ours["published"] = token.published
    if dtcg_type is None and token.deprecated is not False:
        ours["deprecated"] = token.deprecated
    if ours:
        members[OURS] = ours
    if token.extensions:
        members.update(decoded(token.extensions))
    return members


class Members(Struct, frozen=True):
    """The fields of a Token that ``$extensions`` hold."""

    id: str = ""
    variable_key: str = ""
    scopes: tuple[str, ...] = ()
    hidden: bool = False
    code_syntax: tuple[tuple[str, str], ...] = ()
    published: bool | None = None
    deprecated: bool | str = False
    extensions: str = ""


class PlainOurs(Struct, frozen=True, forbid_unknown_fields=True):
    """The common members of our own extension."""

    key: str = ""
    published: bool | None = None


class PlainExtensions(Struct, frozen=True, forbid_unknown_fields=True):
    """The ``$extensions`` that most tokens have."""

    id: str = field(default="", name=VARIABLE_ID)
    type: str | None = field(default=None, name=TYPE)
    scopes: tuple[str, ...] = field(default=(), name=SCOPES)
    hidden: bool = field(default=False, name=HIDDEN)
    code_syntax: dict[str, str] = field(default_factory=dict, name=CODE_SYNTAX)
    ours: PlainOurs = field(default=PlainOurs(), name=OURS)


NO_MEMBERS = Members()
NO_EXTENSIONS = PlainExtensions()


def plain_extensions(extensions: Any) -> PlainExtensions | None:
    """Return ``$extensions`` that hold only common members; None if they need `members_of`, which takes three times
    as long.
    """
    try:
        return convert(extensions, PlainExtensions)
    except (ValidationError, UnicodeEncodeError, RecursionError):  # lone surrogates raise UnicodeEncodeError
        return None


@lru_cache(maxsize=4096)
def scopes_of(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the platform's names of these scopes."""
    return tuple(_SCOPE_NAMES.get(name) or name for name in names)


def code_syntax_of(texts: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return sorted pairs of platform and code syntax, with the platform names that Figma uses."""
    return tuple(sorted((_PLATFORMS.get(name.lower()) or name, text) for name, text in texts.items()))


UNHEEDED = (
    "extension-unheeded",
    "tokensync does not follow this instruction, so the token has the value without it",
    "write the value that is meant, and remove the instruction",
)


def unheeded(extensions: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Yield the pointers of instructions of other tools in a token's ``$extensions`` that would change its value.

    Tokens Studio's ``modify`` computes a colour, and exports of plugins such as Tokens Brücke have the values of modes
    in ``mode``.
    """
    studio = extensions.get("studio.tokens")
    if isinstance(studio, dict) and studio.get("modify"):
        yield ("studio.tokens", "modify")
    if isinstance(extensions.get("mode"), dict):
        yield ("mode",)


def members_of(extensions: Mapping[str, Any], report: Callable[[str, str], None]) -> Members:
    """Return the members of a token's ``$extensions``.

    ``report`` is called with the name of each invalid member (``org.tokensync/key`` for a nested one) and the reason.
    """
    members = dict(extensions)
    nested = members.pop(FIGMA, None)
    if isinstance(nested, dict):  # Figma's published sample nests the members that its exports write flat
        rest = dict(nested)
        for name in ("variableId", "scopes", "hiddenFromPublishing", "codeSyntax", "type"):
            if name in rest:
                members.setdefault(f"{FIGMA}.{name}", rest.pop(name))
        nested = rest or None
    if nested is not None:
        members[FIGMA] = nested
    members.pop(TYPE, None)
    reader = _Reader(members, report)
    own = members.pop(OURS, {})
    ours = _Reader(dict(own) if isinstance(own, dict) else {}, lambda name, what: report(f"{OURS}/{name}", what))
    deprecated = ours.values.get("deprecated", False)
    return Members(
        id=reader.text(VARIABLE_ID),
        variable_key=ours.text("key"),
        scopes=reader.scopes(),
        hidden=bool(reader.boolean(HIDDEN)),
        code_syntax=reader.code_syntax(),
        published=ours.boolean("published"),
        deprecated=deprecated if isinstance(deprecated, bool | str) else False,
        extensions=reader.rest(),
    )


class _Reader(NamedTuple):
    """Removes known members from an object, and reports invalid ones."""

    values: dict[str, Any]
    report: Callable[[str, str], None]

    def text(self, name: str) -> str:
        value = self.values.pop(name, "")
        if isinstance(value, str):
            return value
        self.report(name, "it must be a string")
        return ""

    def boolean(self, name: str) -> bool | None:
        value = self.values.pop(name, None)
        if value is None or isinstance(value, bool):
            return value
        self.report(name, "it must be true or false")
        return None

    def scopes(self) -> tuple[str, ...]:
        value: Any = self.values.pop(SCOPES, [])
        if isinstance(value, list) and all(isinstance(each, str) for each in value):
            return scopes_of(tuple(value))
        self.report(SCOPES, "it must be an array of scope names")
        return ()

    def code_syntax(self) -> tuple[tuple[str, str], ...]:
        value: Any = self.values.pop(CODE_SYNTAX, {})
        if isinstance(value, dict) and all(isinstance(each, str) for each in value.values()):
            return code_syntax_of(value)
        what = f"it must be an object with a text for each of {', '.join(CODE_SYNTAX_PLATFORMS)}"
        if isinstance(value, str):
            what += f", for example {inline({CODE_SYNTAX_PLATFORMS[0]: value[:80]})} for {CODE_SYNTAX_PLATFORMS[0]}"
        self.report(CODE_SYNTAX, what)
        return ()

    def rest(self) -> str:
        if not self.values:
            return ""
        try:
            return canonical(self.values)
        except RecursionError:
            self.report("$extensions", "it is nested too deeply")
            return ""


def has_stored_value(node: dict[str, Any]) -> bool:
    """Return whether our extension stores the value, with or without a ``$value``."""
    return "value" in own_members(node)


def digest_of(value: Any) -> str:
    """Return the digest of a ``$value`` that is written next to a stored value, so that its edits are noticed."""
    try:
        return sha256(canonical(value).encode("utf-8", "surrogatepass")).hexdigest()[:8]
    except RecursionError:
        return ""


def own_members(node: dict[str, Any]) -> dict[str, Any]:
    """Return the members of our extension of a token or group."""
    extensions = node.get("$extensions")
    ours = extensions.get(OURS) if isinstance(extensions, dict) else None
    return ours if isinstance(ours, dict) else {}


def variable_id(node: dict[str, Any]) -> str:
    """Return the id of the variable of a token; empty if it has none."""
    extensions = node.get("$extensions")
    identity = extensions.get(VARIABLE_ID) if isinstance(extensions, dict) else None
    return identity if isinstance(identity, str) else ""


class BadKept(Exception):
    """A stored value in an unknown form."""


def kept(value: Value | None, file: str) -> dict[str, Any] | None:
    """Return the stored form of a value of a token of this file."""
    match value:
        case None:
            return None
        case Alias(target=target):
            form = {"alias": f"{target.collection}.{target.path}"}
            return form if target.file == file else {**form, "file": target.file}
        case DanglingAlias(reference=reference):
            return {"dangling": reference}
        case ComposedColor(color=color, opacity=opacity):
            stored_opacity = Inline(shortest(opacity)) if isinstance(opacity, float) else kept(opacity, file)
            return {"color": kept(color, file), "opacity": stored_opacity}
        case bool():
            return {"boolean": value}
        case float():
            return {"number": Inline(shortest(value))}
        case str():
            return {"string": value}
        case Color(red=red, green=green, blue=blue, alpha=alpha):
            channels = (red, green, blue) if alpha == 1 else (red, green, blue, alpha)
            return {"srgb": [Inline(shortest(channel)) for channel in channels]}
        case Quantity(number=number, unit=unit):
            return {"quantity": [Inline(shortest(number)), unit]}
        case Composite(json=json, references=references):
            if not references:
                return {"composite": json}
            return {"composite": json, "references": {text: kept(Alias(target), file) for text, target in references}}


def value_of(form: Any, file: str) -> Value | None:
    """Return the value of a stored form: the inverse of ``kept``. Raises BadKept."""
    match form:
        case None:
            return None
        case {"color": color, "opacity": opacity}:
            return _composed(color, opacity, file)
        case {"boolean": bool(boolean)}:
            return boolean
        case {"number": number} if is_number(number):
            return _number(number)
        case {"string": str(text)}:
            return text
        case {"quantity": [number, str(unit)]} if is_number(number):
            return Quantity(_number(number), unit)
        case {"composite": str(text), "references": dict(references)}:
            return Composite(text, tuple((each, _target(form, file)) for each, form in references.items()))
        case {"composite": str(text)}:
            return Composite(text)
        case {"srgb": _}:
            return _color(form)
        case _:
            return _reference(form, file)


def _reference(form: Any, file: str) -> Alias | DanglingAlias:
    match form:
        case {"alias": str(address)}:
            collection, _, path = address.partition(".")
            target_file = form.get("file", file)
            if collection and path and isinstance(target_file, str):
                return Alias(TokenKey(target_file, collection, path))
        case {"dangling": str(reference)}:
            return DanglingAlias(reference)
    raise BadKept("the value stored in org.tokensync has an unknown form")


def _target(form: Any, file: str) -> TokenKey:
    reference = _reference(form, file)
    if isinstance(reference, Alias):
        return reference.target
    raise BadKept("a reference of the composite stored in org.tokensync has no target")


def _composed(color: Any, opacity: Any, file: str) -> ComposedColor:
    base = _color(color) if isinstance(color, dict) and "srgb" in color else _reference(color, file)
    return ComposedColor(base, _number(opacity, float32) if is_number(opacity) else _reference(opacity, file))


def _color(form: dict[str, Any]) -> Color:
    channels = form["srgb"]
    if isinstance(channels, list) and len(channels) in (3, 4) and all(map(is_number, channels)):
        red, green, blue, alpha = (_number(channel, float32) for channel in (*channels, 1)[:4])
        return Color(red, green, blue, alpha)
    raise BadKept("the colour stored in org.tokensync is not an array of three or four numbers")


def _number(number: Any, rounded: Callable[[float], float] = normalized) -> float:
    try:
        return rounded(float(number))
    except OverflowError:
        raise BadKept("a number stored in org.tokensync is too large") from None
