"""Figma: the files that its import of variables takes, one for each mode, in the form of its own export.

An alias in its own collection is a reference, any other the resolved value with the target beside it.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta, Struct

from tokensync.generate.naming import collection_label, token_label
from tokensync.generate.output import Resolution, modes_unsupported
from tokensync.generate.target import OutputFile, OutputRequest, Target, declared_tokens, options_of
from tokensync.normalize.mapping import unique
from tokensync.system.boundary import flaw_of
from tokensync.system.outlet import readable
from tokensync.system.problems import Problem, problem
from tokensync.system.wording import counted
from tokensync.tokens import (
    Alias,
    Color,
    ComposedColor,
    Composite,
    Quantity,
    Theme,
    Unresolved,
    hexadecimal,
    normalized,
)
from tokensync.tokens.composites import font_list
from tokensync.tokens.paths import names
from tokensync.tokens.values import AS_TEXT, KEYWORDS, PIXELS_PER_REM, json_number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tokensync.tokens import Collection, FamilyKey, Resolved, Token, TokenKey, Value


class FigmaOptions(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The options of a figma output."""

    ids: Annotated[
        bool,
        Meta(description="Write the ids of variables and of the targets of aliases; set it to false for another file."),
    ] = True


TARGET = Target("figma", "files for Figma's import of variables", FigmaOptions)
TEMPLATES = ()

_SCOPES = {"STROKE_COLOR": "STROKE"}
"""A scope that Figma's export spells differently."""
_NOT_IN_FILE_NAMES = re.compile(r'[/\\:*?"<>|\x00-\x1f\x7f]+')
_LONGEST_NAME = 200  # bytes; file systems take 255, with the ending
_NOT_IN_NAMES = re.compile(r"[.{}]|^\$")
"""What neither DTCG nor Figma has in names (DTCG 2025.10 Format, 5.1.1)."""
_OF_FONTS = ("fontFamily",)
_KEY = "/-1:-1"
"""The end of an id with a key of a variable of the same file."""


def render(resolution: Resolution, request: OutputRequest) -> tuple[tuple[OutputFile, ...], list[Problem]]:
    """Return a file for each mode of the collections that the request selects."""
    graph = resolution.graph
    declared: dict[FamilyKey, list[Token]] = {}
    for token in declared_tokens(graph, request):
        declared.setdefault(token.key[:2], []).append(token)
    has_ids = options_of(request, FigmaOptions).ids
    has_files = len({file for file, _ in declared}) > 1
    problems: list[Problem] = []
    files: list[OutputFile] = []
    taken: set[str] = set()
    for key, tokens in declared.items():
        family = graph.collections[key]
        if family.is_of_styles:
            what = "these are styles, and Figma imports variables only"
            problems.append(
                problem("type-unsupported", collection_label(graph, family), what, "exclude the collection")
            )
            continue
        collection = _Collection(resolution, family, tokens, has_ids, problems)
        for column, content in collection.contents():
            name = _file_name(family, column)
            name = unique(name.casefold(), taken) if name.casefold() in taken else name
            taken.add(name.casefold())
            text = json.dumps(content, ensure_ascii=False, indent=2)
            path = f"{family.file}/{name}.tokens.json" if has_files else f"{name}.tokens.json"
            files.append(OutputFile(path, f"{text}\n".encode("utf-8", "replace")))
    return tuple(files), problems


def _file_name(family: Collection, column: int) -> str:
    """Return the name of a mode's file without its ending: the handles if no system takes the names."""
    mode = family.modes[column]
    name = _NOT_IN_FILE_NAMES.sub("-", f"{family.name}.{mode.name}").strip(" .")
    is_possible = name.isprintable() and len(name.encode("utf-8", "replace")) <= _LONGEST_NAME
    return name if is_possible and flaw_of(name) is None else f"{family.handle}.{mode.slug}"


class _Collection:
    """The files of a collection."""

    def __init__(
        self, resolution: Resolution, family: Collection, tokens: list[Token], has_ids: bool, problems: list[Problem]
    ) -> None:
        self.has_ids = has_ids
        self.graph = resolution.graph
        self.resolution = resolution
        self.family = family
        self.modes = [column for column, mode in enumerate(family.modes) if mode.collection == family.handle]
        others = [column for column in range(len(family.modes)) if column not in self.modes]
        if others:
            problems.append(modes_unsupported(self.graph, family.key, others, TARGET.name))
        self.problems = problems
        names_of = {token.key: names(token.key.path) for token in tokens}
        taken = {*names_of.values()}
        self.steps: dict[TokenKey, tuple[str, ...]] = {}
        self.absent: dict[int, list[str]] = {}
        self.tokens = [token for token in tokens if self._is_possible(token, names_of[token.key])]
        problems += map(self._omission, self.absent)
        for token in self.tokens:
            own = names_of[token.key]
            # DTCG has no token in a token. Figma reads a slash in a name as that of groups.
            depth = next((depth for depth in range(1, len(own)) if own[:depth] in taken), len(own))
            self.steps[token.key] = (*own[: depth - 1], "/".join(own[depth - 1 :])) if depth < len(own) else own

    def contents(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the column and the content of each mode."""
        for column in self.modes if self.tokens else ():
            content: dict[str, Any] = {}
            for token in self.tokens:
                *groups, last = self.steps[token.key]
                node = content
                for group in groups:
                    node = node.setdefault(group, {})
                node[last] = self._token(token, column)
            yield column, {**content, "$extensions": {"com.figma.modeName": self.family.modes[column].name}}

    def _is_possible(self, token: Token, own: tuple[str, ...]) -> bool:
        """Return whether a token can be written in all modes: Figma imports no other ones."""
        label = token_label(self.graph, token.key)
        if any(map(_NOT_IN_NAMES.search, own)):
            what = "its name has one of . { } or begins with $, as no variable and no token can"
            self.problems.append(problem("type-unsupported", label, what, "rename it"))
            return False
        for column in self.modes:
            result = self._literal(token.key, column)
            if isinstance(result, str) and result[:1] == "{" and result[-1:] == "}":
                what = f"its text {readable(result)} would be an alias"
                self.problems.append(problem("type-unsupported", label, what, "write a text that is not in braces"))
                return False
            if _written(result, token.type) is None:
                if not isinstance(result, Unresolved):
                    what = f"{TARGET.name} does not support tokens of type {readable(token.public_type)}"
                    self.problems.append(problem("type-unsupported", label, what, "exclude it"))
                elif len(self.modes) > 1:
                    self.absent.setdefault(column, []).append(readable("/".join(own)))
                return False
        return True

    def _omission(self, column: int) -> Problem:
        omitted_names = self.absent[column]
        where = f"{collection_label(self.graph, self.family)} / {readable(self.family.modes[column].name)}"
        what = (
            f"{TARGET.name} omits {counted(len(omitted_names), 'token')} in every mode, because a value is missing here"
        )
        return problem("mode-value-absent", where, what, "give a value in this mode", omitted_names)

    def _literal(self, key: TokenKey, column: int) -> Resolved:
        result = self.resolution.resolver_of_mode(self.family.key, column)(key)
        if self.graph.tokens[key].type != AS_TEXT or isinstance(result, Unresolved):
            return result
        hops = self.graph.trace(self.graph.tokens[key], Theme("", ((self.family.key, column),)))
        texts = [hop.value for hop in hops if isinstance(hop.value, str)]  # the resolver has its number
        return texts[-1] if texts else result

    def _token(self, token: Token, column: int) -> dict[str, Any]:
        kind, value = _written(self._literal(token.key, column), token.type) or ("", None)
        extensions: dict[str, Any] = {}
        if self.has_ids and token.id.startswith("VariableID:"):
            extensions["com.figma.variableId"] = token.id
        if token.hidden:
            extensions["com.figma.hiddenFromPublishing"] = True
        if token.scopes:
            extensions["com.figma.scopes"] = [_SCOPES.get(scope, scope) for scope in token.scopes]
        if token.code_syntax:
            extensions["com.figma.codeSyntax"] = dict(token.code_syntax)
        if kind in ("string", "boolean"):
            extensions["com.figma.type"] = kind
        match self.graph.value(token, column):
            case Alias(target=target):
                if self._is_reference(target):
                    value = f"{{{target.path}}}"
                else:
                    extensions["com.figma.aliasData"] = self._alias_data(target)
            case ComposedColor() as composed:
                parts = {"colorArg": self._part(composed.color), "opacityArg": self._part(composed.opacity)}
                extensions["com.figma.composedColor"] = parts
        members = {"$type": "number" if kind == "boolean" else kind, "$value": value}
        members |= {"$description": token.description} if token.description else {}
        return {**members, "$extensions": extensions} if extensions else members

    def _is_reference(self, target: TokenKey) -> bool:
        """Return whether a reference can name a token: it is in the same file, and no name of it has a slash."""
        return "/" not in "".join(self.steps.get(target, "/"))

    def _part(self, part: Value | float) -> dict[str, Any]:
        match part:
            case Alias(target=target):
                own = {"targetVariableName": "/".join(names(target.path))}
                return {"type": "alias", "alias": own if target in self.steps else self._alias_data(target)}
            case Color():
                return {"type": "color", "value": _color(part)}
        return {"type": "number", "value": json_number(part) if isinstance(part, float) else 0}

    def _alias_data(self, target: TokenKey) -> Mapping[str, str]:
        token, family = self.graph.tokens[target], self.graph.collections[target[:2]]
        is_own = target.file == self.family.file and token.origin != "remote"
        data = {
            "targetVariableId": _identity("VariableID:", token.id, token.variable_key, is_own=is_own),
            "targetVariableName": "/".join(names(target.path)),
            "targetVariableSetId": _identity("VariableCollectionId:", family.id, family.collection_key, is_own=is_own),
            "targetVariableSetName": family.name,
        }
        return {name: text for name, text in data.items() if text and (self.has_ids or name.endswith("Name"))}


def _identity(kind: str, identity: str, key: str, *, is_own: bool) -> str:
    """Return an id as Figma's export has it: with the key."""
    if key and (is_own or not identity.startswith(f"{kind}{key}/")):
        return f"{kind}{key}{_KEY}"
    return identity if identity.startswith(kind) else ""


def _color(color: Color) -> dict[str, Any]:
    return {
        "colorSpace": "srgb",
        "components": [json_number(channel) for channel in (color.red, color.green, color.blue)],
        "alpha": json_number(color.alpha),
        "hex": hexadecimal(Color(color.red, color.green, color.blue)).upper(),
    }


def _written(value: Resolved, token_type: str) -> tuple[str, Any] | None:
    """Return the type and the value as Figma's export has them; None if it has no form for them."""
    match value:
        case bool():
            return "boolean", int(value)
        case Color():
            return "color", _color(value)
        case float():
            return "number", json_number(value)
        case Quantity(number=number, unit="rem"):
            return "number", json_number(normalized(number * PIXELS_PER_REM))
        case str() if token_type in ("string", AS_TEXT, *_OF_FONTS, *KEYWORDS):
            return "string", value
        case Composite() if token_type in _OF_FONTS and (fonts := font_list(value)):
            return "string", fonts[0]
    return None
