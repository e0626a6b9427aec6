"""What DTCG has no word for, as members of ``$extensions``: both ways, and in the spellings of others.

A value that DTCG cannot write is kept as the member ``value`` of our own extension, in one of these forms:

- ``{"alias": "color.accent.base"}``: to a token that no reader could follow; with ``"file"`` when it is elsewhere.
- ``{"dangling": "VariableID:1:2"}``: to something that is not there.
- ``{"color": {"alias": ...}, "opacity": 48}``: a composed colour; each part a literal, an alias or dangling.
- ``{"string": "{x}"}``: a string that a reader would take for a reference.
- ``{"composite": "...", "references": {"{a.b}": {"alias": "a.b"}}}``: a composite whose references no reader could
  follow, and what they refer to.
- ``{"boolean": true}``, ``{"number": 1}``, ``{"srgb": [1, 0, 0]}``, ``{"quantity": [1, "rem"]}``,
  ``{"composite": "..."}``: a literal that does not fit the token's type.
- ``null``: nothing.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from msgspec import UNSET, Struct, ValidationError, convert, field

from tokensync.dtcg.layout import Inline
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
    shortest,
)
from tokensync.tokens.composites import canonical, decoded, is_number
from tokensync.tokens.values import AS_TEXT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tokensync.tokens import Token


_PLATFORMS = {each.lower(): each for each in CODE_SYNTAX_PLATFORMS}
_SCOPE_NAMES = {"STROKE": "STROKE_COLOR"}  # as Figma's native export writes it


def figma_type(token_type: str) -> str | None:
    """Return what ``com.figma.type`` says beside a ``$type`` that does not say it."""
    if token_type == AS_TEXT:
        return "string"
    return token_type if token_type in ("boolean", "string") else None


def extensions_of(token: Token, shown: str | None) -> dict[str, Any]:
    """Return the ``$extensions`` of a token in its default mode's file, without those of its value.

    ``shown`` is the ``$type`` that it is written with there.
    """
    members: dict[str, Any] = {}
    if token.id:
        members[VARIABLE_ID] = token.id
    if shown is not None and (named := figma_type(token.type)) is not None:
        members[TYPE] = named
    if token.scopes:
        members[SCOPES] = list(token.scopes)
    if token.hidden:
        members[HIDDEN] = True
    if token.code_syntax:
        members[CODE_SYNTAX] = dict(token.code_syntax)
    ours: dict[str, Any] = {}
    if token.variable_key:
        ours["key"] = token.variable_key
    if shown is None or shown != DTCG_TYPES[token.type]:
        ours["type"] = token.type
    if token.published is not None:
        ours["published"] = token.published
    if shown is None and token.deprecated is not False:
        ours["deprecated"] = token.deprecated
    if ours:
        members[OURS] = ours
    if token.extensions:
        members.update(decoded(token.extensions))
    return members


class Members(Struct, frozen=True):
    """What the ``$extensions`` of a token say; the fields are those of Token."""

    id: str = ""
    variable_key: str = ""
    scopes: tuple[str, ...] = ()
    hidden: bool = False
    code_syntax: tuple[tuple[str, str], ...] = ()
    published: bool | None = None
    deprecated: bool | str = False
    extensions: str = ""


class PlainOurs(Struct, frozen=True, forbid_unknown_fields=True):
    """Members of our own extension that most tokens have; ``after`` is the address of the token before it."""

    key: str = ""
    published: bool | None = None
    after: Any = UNSET


class PlainExtensions(Struct, frozen=True, forbid_unknown_fields=True):
    """The ``$extensions`` that most tokens have, as they are written."""

    id: str = field(default="", name=VARIABLE_ID)
    type: str | None = field(default=None, name=TYPE)
    scopes: tuple[str, ...] = field(default=(), name=SCOPES)
    hidden: bool = field(default=False, name=HIDDEN)
    code_syntax: dict[str, str] = field(default_factory=dict, name=CODE_SYNTAX)
    ours: PlainOurs = field(default=PlainOurs(), name=OURS)


NO_MEMBERS = Members()
NO_EXTENSIONS = PlainExtensions()


def plain_extensions(extensions: Any) -> PlainExtensions | None:
    """Return what ``$extensions`` say that hold nothing but what most tokens have; None where they need `members_of`.

    One conversion by msgspec takes a third of the time that a loop over the members does.
    """
    try:
        return convert(extensions, PlainExtensions)
    except (ValidationError, UnicodeEncodeError, RecursionError):  # the second for half of a character
        return None


@lru_cache(maxsize=4096)
def scopes_of(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the scopes of these names, as the platform spells them."""
    return tuple(_SCOPE_NAMES.get(each) or each for each in names)


def code_syntax_of(texts: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the code syntax of each platform, as the platform spells that, sorted."""
    return tuple(sorted((_PLATFORMS.get(name.lower()) or name, text) for name, text in texts.items()))


def members_of(extensions: Mapping[str, Any], report: Callable[[str, str], None]) -> Members:
    """Read a token's ``$extensions``; ``report`` is told the name of a member that cannot be used, and why.

    The name of a member of our own is below our key, after a slash.
    """
    unknown = dict(extensions)
    nested = unknown.pop(FIGMA, None)
    if isinstance(nested, dict):  # Figma's published sample nests what its exports write flat
        rest = dict(nested)
        for name in ("variableId", "scopes", "hiddenFromPublishing", "codeSyntax", "type"):
            if name in rest:
                unknown.setdefault(f"{FIGMA}.{name}", rest.pop(name))
        nested = rest or None
    if nested is not None:
        unknown[FIGMA] = nested
    unknown.pop(TYPE, None)
    reader = _Reader(unknown, report)
    own = unknown.pop(OURS, {})
    ours = _Reader(dict(own) if isinstance(own, dict) else {}, lambda name, what: report(f"{OURS}/{name}", what))
    deprecated = ours.values.get("deprecated", False)
    return Members(
        id=reader.text(VARIABLE_ID),
        variable_key=ours.text("key"),
        scopes=reader.scopes(),
        hidden=bool(reader.truth(HIDDEN)),
        code_syntax=reader.code_syntax(),
        published=ours.truth("published"),
        deprecated=deprecated if isinstance(deprecated, bool | str) else False,
        extensions=reader.rest(),
    )


class _Reader:
    """Takes known members out of an object, and tells of those that are not what they should be."""

    def __init__(self, values: dict[str, Any], report: Callable[[str, str], None]) -> None:
        self.values = values
        self.report = report

    def text(self, name: str) -> str:
        value = self.values.pop(name, "")
        if isinstance(value, str):
            return value
        self.report(name, "a string is expected")
        return ""

    def truth(self, name: str) -> bool | None:
        value = self.values.pop(name, None)
        if value is None or isinstance(value, bool):
            return value
        self.report(name, "true or false is expected")
        return None

    def scopes(self) -> tuple[str, ...]:
        value: Any = self.values.pop(SCOPES, [])
        if isinstance(value, list) and all(isinstance(each, str) for each in value):
            return scopes_of(tuple(value))
        self.report(SCOPES, "an array of scope names is expected")
        return ()

    def code_syntax(self) -> tuple[tuple[str, str], ...]:
        value: Any = self.values.pop(CODE_SYNTAX, {})
        if isinstance(value, dict) and all(isinstance(each, str) for each in value.values()):
            return code_syntax_of(value)
        self.report(CODE_SYNTAX, 'an object such as {"WEB": "var(--x)"} is expected')
        return ()

    def rest(self) -> str:
        if not self.values:
            return ""
        try:
            return canonical(self.values)
        except RecursionError:
            self.report("$extensions", "it is nested too deep to be kept")
            return ""


def is_held(node: dict[str, Any]) -> bool:
    """Return whether our extension keeps the value: beside a ``$value`` that only stands for it, or in place of one."""
    extensions = node.get("$extensions")
    if not isinstance(extensions, dict):
        return False
    ours = extensions.get(OURS)
    return isinstance(ours, dict) and "value" in ours


class BadKept(Exception):
    """A kept value that is none of the forms above."""


def kept(value: Value | None, file: str) -> dict[str, Any] | None:
    """Return the form of a value of a token of this file."""
    match value:
        case None:
            return None
        case Alias(target=target):
            spelled = {"alias": f"{target.collection}.{target.path}"}
            return spelled if target.file == file else {**spelled, "file": target.file}
        case DanglingAlias(reference=reference):
            return {"dangling": reference}
        case ComposedColor(color=color, opacity=opacity):
            share = Inline(shortest(opacity)) if isinstance(opacity, float) else kept(opacity, file)
            return {"color": kept(color, file), "opacity": share}
        case bool():
            return {"boolean": value}
        case float():
            return {"number": Inline(shortest(value))}
        case str():
            return {"string": value}
        case Color(red=red, green=green, blue=blue, alpha=alpha):
            channels = (red, green, blue) if alpha == 1 else (red, green, blue, alpha)
            return {"srgb": [Inline(shortest(each)) for each in channels]}
        case Quantity(number=number, unit=unit):
            return {"quantity": [Inline(shortest(number)), unit]}
        case Composite(json=json, references=references):
            spelled = {"composite": json}
            return (
                {**spelled, "references": {text: kept(Alias(target), file) for text, target in references}}
                if references
                else spelled
            )


def value_of(form: Any, file: str) -> Value | None:
    """Return the value of a form. Raises BadKept."""
    match form:
        case None:
            return None
        case {"color": color, "opacity": opacity}:
            return _composed(color, opacity, file)
        case {"boolean": bool(truth)}:
            return truth
        case {"number": number} if is_number(number):
            return _single(number)
        case {"string": str(text)}:
            return text
        case {"quantity": [number, str(unit)]} if is_number(number):
            return Quantity(_single(number), unit)
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
        case {"alias": str(spelled)}:
            collection, _, path = spelled.partition(".")
            elsewhere = form.get("file", file)
            if collection and path and isinstance(elsewhere, str):
                return Alias(TokenKey(elsewhere, collection, path))
        case {"dangling": str(reference)}:
            return DanglingAlias(reference)
    raise BadKept("the value kept in org.tokensync has no known form")


def _target(form: Any, file: str) -> TokenKey:
    reference = _reference(form, file)
    if isinstance(reference, Alias):
        return reference.target
    raise BadKept("a reference of the composite kept in org.tokensync leads nowhere")


def _composed(color: Any, opacity: Any, file: str) -> ComposedColor:
    base = _color(color) if isinstance(color, dict) and "srgb" in color else _reference(color, file)
    share = _single(opacity) if is_number(opacity) else _reference(opacity, file)
    return ComposedColor(base, share)


def _color(form: dict[str, Any]) -> Color:
    channels = form["srgb"]
    if isinstance(channels, list) and len(channels) in (3, 4) and all(map(is_number, channels)):
        return Color(*map(_single, channels))
    raise BadKept("the colour kept in org.tokensync is not an array of three or four numbers")


def _single(number: Any) -> float:
    try:
        return float32(float(number))
    except OverflowError:
        raise BadKept("a number kept in org.tokensync is too large") from None
