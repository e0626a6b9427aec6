"""What a token holds besides its values, as members of ``$extensions``: both ways, and in the spellings of others."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from msgspec import UNSET, Struct, UnsetType

from tokensync.formats.dtcg.spelling import (
    CODE_SYNTAX,
    DTCG_TYPES,
    FIGMA,
    HIDDEN,
    OURS,
    SCOPES,
    TYPE,
    VARIABLE_ID,
)
from tokensync.tokens.composites import canonical, decoded
from tokensync.tokens.weights import AS_TEXT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tokensync.tokens import Token

_PLATFORMS = {"web": "WEB", "android": "ANDROID", "ios": "iOS"}
_SCOPE_NAMES = {"STROKE": "STROKE_COLOR"}  # an export was seen to write it so (dtcg.md 8.5)


def figma_type(token_type: str) -> str | None:
    """What ``com.figma.type`` says beside a ``$type`` that does not say it."""
    if token_type == AS_TEXT:
        return "string"
    return token_type if token_type in ("boolean", "string") else None


def extensions_of(token: Token, shown: str | None) -> dict[str, Any]:
    """The ``$extensions`` of a token in its default mode's file, without those of its value.

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
    """What the ``$extensions`` of a token say; the fields are those of Token, but for the last two.

    ``figma_type`` is what ``com.figma.type`` says, ``after`` the address of the token before it; UNSET: no word of it.
    """

    id: str = ""
    variable_key: str = ""
    scopes: tuple[str, ...] = ()
    hidden: bool = False
    code_syntax: tuple[tuple[str, str], ...] = ()
    published: bool | None = None
    deprecated: bool | str = False
    extensions: str = ""
    figma_type: str | None = None
    after: str | UnsetType | None = UNSET


NO_MEMBERS = Members()
_TEXTS = frozenset({str})
_OURS_OF_MOST = frozenset({"key", "published", "after"})


def plain_members(extensions: Any) -> Members | None:
    """Return what ``$extensions`` say that hold nothing but what most tokens have; None where they ask for more care.

    It is `members_of` for nearly all tokens of a folder, in a fraction of its time.
    """
    if type(extensions) is not dict:
        return None
    identity = variable_key = ""
    scopes: tuple[str, ...] = ()
    hidden = False
    code_syntax: tuple[tuple[str, str], ...] = ()
    published = figma_type = None
    after: Any = UNSET
    for name, value in extensions.items():
        if name == VARIABLE_ID and type(value) is str:
            identity = value
        elif name == SCOPES and type(value) is list:
            if not _TEXTS.issuperset(map(type, value)):
                return None
            scopes = _scopes_of(tuple(value))
        elif name == CODE_SYNTAX and type(value) is dict:
            if not _TEXTS.issuperset(map(type, value.values())):
                return None
            pairs = [(_PLATFORMS.get(each.lower()) or each, text) for each, text in value.items()]
            code_syntax = tuple(sorted(pairs)) if len(pairs) > 1 else tuple(pairs)
        elif name == OURS and type(value) is dict and _OURS_OF_MOST.issuperset(value):
            variable_key = value.get("key", "")
            published = value.get("published")
            after = value.get("after", UNSET)
            if type(variable_key) is not str or not (published is None or type(published) is bool):
                return None
        elif name == HIDDEN and type(value) is bool:
            hidden = value
        elif name == TYPE and type(value) is str:
            figma_type = value
        else:
            return None
    return Members(identity, variable_key, scopes, hidden, code_syntax, published, False, "", figma_type, after)


@lru_cache(maxsize=4096)
def _scopes_of(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(_SCOPE_NAMES.get(each) or each for each in names)


def members_of(extensions: Mapping[str, Any], report: Callable[[str, str], None]) -> Members:
    """Read a token's ``$extensions``; ``report`` is told the name of a member that cannot be used, and why.

    The name of a member of our own is below our key, after a slash.
    """
    unknown = dict(extensions)
    nested = unknown.pop(FIGMA, None)
    if isinstance(nested, dict):  # Figma's own sample nests what its exports write flat (dtcg.md 8.5)
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
            return _scopes_of(tuple(value))
        self.report(SCOPES, "an array of scope names is expected")
        return ()

    def code_syntax(self) -> tuple[tuple[str, str], ...]:
        value: Any = self.values.pop(CODE_SYNTAX, {})
        if isinstance(value, dict) and all(isinstance(each, str) for each in value.values()):
            return tuple(sorted((_PLATFORMS.get(name.lower()) or name, text) for name, text in value.items()))
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
