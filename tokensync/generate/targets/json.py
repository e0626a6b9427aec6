"""JSON: ``tokens.json``, a flat document of all tokens for programs without DTCG support.

Values are JSON text after ``"value":``, followed by ``"unit":`` for a number with a unit.
"""

from __future__ import annotations

import json
from collections import Counter
from json.encoder import encode_basestring
from math import isfinite
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from msgspec import Meta, Struct
from msgspec.structs import asdict

from tokensync.generate import notation
from tokensync.generate.naming import rendered_bytes
from tokensync.generate.naming.templates import Template, doc
from tokensync.generate.notation import TYPES, composite, members_of, then
from tokensync.generate.output import PLAIN_KINDS, Output, Resolution
from tokensync.generate.target import OutputFile, OutputRequest, Target, options_of
from tokensync.generate.targets import Named, naming_of
from tokensync.generate.targets.css import NAMING as CSS_NAMING
from tokensync.generate.targets.css import literals as css
from tokensync.generate.themes import Override, overrides_of
from tokensync.system import resources
from tokensync.tokens import DEFAULT_THEME, Color, Composite, Quantity, hexadecimal, normalized, shortest
from tokensync.tokens.composites import decoded
from tokensync.tokens.paths import names
from tokensync.tokens.values import DURATIONS, json_number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from tokensync.generate.target import Convert
    from tokensync.system.problems import Problem
    from tokensync.tokens import Collection, Theme
    from tokensync.tokens import Literal as TokenLiteral
    from tokensync.tokens.resolver import ResolvedTheme, TokenIndex


class JsonOptions(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The options of a json output."""

    colors: Annotated[
        Literal["hex", "components"],
        Meta(description="Write colours as `#rrggbb` and `#rrggbbaa`, or as objects with their exact components."),
    ] = "hex"
    names: Annotated[
        tuple[Named, ...], Meta(description="The platforms for which the names of tokens are included.")
    ] = ("css", "android", "ios")
    schema: Annotated[bool, Meta(description="Also write `tokens.schema.json`, and refer to it with `$schema`.")] = (
        False
    )


TARGET = Target("json", "a JSON document", JsonOptions, wide_colors=(("colors", "components"),))


def text(value: Any) -> str:
    """Return a value as JSON on one line; unprintable characters are escaped."""
    written = encode_basestring(value) if type(value) is str else _encoded(value)
    if written.isprintable():
        return written
    return "".join(each if each.isprintable() else json.dumps(each)[1:-1] for each in written)


_encoded = json.JSONEncoder(ensure_ascii=False).encode


def components(color: Color) -> dict[str, Any]:
    """Return the exact components of a colour, with the alpha unless it is opaque."""
    space, *exact = color.wide.split() if color.wide else ("srgb",)
    channels = [float(each) for each in exact] or [color.red, color.green, color.blue]
    members: dict[str, Any] = {"colorSpace": space, "components": [json_number(channel) for channel in channels]}
    return members if color.alpha == 1 else {**members, "alpha": json_number(color.alpha)}


def measure(value: TokenLiteral) -> str | None:
    """Return a number of pixels, or a quantity in its own unit."""
    quantity = value if type(value) is Quantity else Quantity(value, "px") if type(value) is float else None
    if quantity is None or not isfinite(quantity.number):
        return None
    return f'{shortest(normalized(quantity.number))}, "unit": {text(quantity.unit)}'


def duration(value: TokenLiteral) -> str | None:
    """Return a quantity in ms or s."""
    return measure(value) if type(value) is Quantity and value.unit in DURATIONS else None


def plain(value: TokenLiteral) -> str | None:
    """Return a text, a number, a boolean, or a quantity in its own unit."""
    match value:
        case str():
            return text(value)
        case bool():
            return notation.boolean(value)
        case float():
            return notation.decimal(value)
        case Quantity():
            return measure(value)
        case _:
            return None


def literals(*, exact: bool) -> dict[str, Convert]:
    """Return the functions that write literals, by kind; colours have exact components or are hexadecimal."""
    of_color: Callable[[Color], Any] = components if exact else hexadecimal
    return {
        **dict.fromkeys(css.LITERALS, plain),
        "color": lambda value: text(of_color(value)) if type(value) is Color else None,
        "dimension": measure,
        "percentage": notation.share,
        "family": then(notation.families, text),
        "duration": duration,
        **{each: _composite(each, of_color) for each in TYPES},
        "other": _unchanged,
    }


def _unchanged(value: TokenLiteral) -> str | None:
    return text(decoded(value.json)) if type(value) is Composite else None


def _composite(dtcg_type: str, of_color: Callable[[Color], Any]) -> Convert:
    """Return a function that writes a composite of this type by its parts; a malformed one is written unchanged."""

    def converted(value: TokenLiteral) -> str | None:
        if type(value) is not Composite:
            return None
        typed = composite(value, dtcg_type)
        return _unchanged(value) if typed is None else text(members_of(typed, of_color, _quantity))

    return converted


def _quantity(value: Quantity) -> dict[str, Any]:
    return {"value": json_number(value.number), "unit": value.unit}


class Member(NamedTuple):
    """A member of an object."""

    name: Annotated[str, doc("the name, in quotes", '"type"')]
    value: Annotated[
        str, doc('the value as JSON; a number with a unit is followed by `, "unit": ...`', '4, "unit": "px"')
    ]
    comma: Annotated[str, doc("a comma if another member follows, or empty", ",")]


class TokenObject(NamedTuple):
    """A token."""

    name: Annotated[str, doc("the name, in quotes", '"accent-base"')]
    members: Annotated[list[Member], doc("the members")]
    themes: Annotated[list[Member], doc("the values that differ, by theme")]
    comma: Annotated[str, doc("a comma if another token follows, or empty", "")]


class Document(Struct, frozen=True):
    """The document."""

    schema: Annotated[str, doc("the path of the schema, in quotes; or empty", '"./tokens.schema.json"')]
    collections: Annotated[list[Member], doc("the collections of the tokens and of the themes, by handle")]
    themes: Annotated[list[Member], doc("the modes that each theme chooses, by collection")]
    tokens: Annotated[list[TokenObject], doc("the tokens, in collection order")]


TEMPLATES = (Template("json/tokens.json.j2", "json", "`tokens.json`.", Document),)


_KINDS = {**PLAIN_KINDS, "": "other"}
_SCHEMA = "tokens.schema.json"


def render(resolution: Resolution, request: OutputRequest) -> tuple[tuple[OutputFile, ...], list[Problem]]:
    """Return ``tokens.json``, and ``tokens.schema.json`` if the options require it."""
    options = options_of(request, JsonOptions)
    output = Output(
        resolution,
        request,
        naming=CSS_NAMING,
        kinds=_KINDS,
        literals=literals(exact=options.colors == "components"),
        references={},
    )
    document = _Document(output, options)
    overrides = list(overrides_of(output))
    whole = Document(
        schema=text(f"./{_SCHEMA}") if options.schema else "",
        collections=_listed(document.collections(overrides)),
        themes=_listed((override.name, text(document.choices(override.theme))) for override in overrides),
        tokens=list(document.tokens(overrides)),
    )
    content = rendered_bytes("json/tokens.json.j2", request.templates, **asdict(whole))
    files = [OutputFile("tokens.json", content)]
    if options.schema:
        schema = resources.read_text("config", "schemas", "outputs", "json.schema.json")
        files.append(OutputFile(_SCHEMA, schema.encode()))
    return tuple(files), output.problems


class _Resolved(NamedTuple):
    """A value in a theme: the text after ``"value":``, and the name of the token that it refers to, as JSON."""

    value: str
    alias: str

    def inline(self) -> str:
        alias = f', "alias": {self.alias}' if self.alias else ""
        return f'{{"value": {self.value}{alias}}}'


class _Document:
    """The members of the document."""

    def __init__(self, output: Output, options: JsonOptions) -> None:
        self.output = output
        self.graph = output.graph
        self.keys = {index: text(output.names[index].removeprefix("--")) for index in output.declared}
        self.names = {platform: output.names_by(naming_of(platform))[0] for platform in options.names}
        handles = Counter(handle for _, handle in self.graph.collections)
        self.handles = {
            (file, handle): handle if handles[handle] == 1 else f"{file}/{handle}"
            for file, handle in self.graph.collections
        }

    def collections(self, overrides: Iterable[Override]) -> Iterator[tuple[str, str]]:
        """Yield the collections of the tokens and of the themes, in the graph's order."""
        used = {self.output.tokens[index].key[:2] for index in self.output.declared}
        used.update(family for override in overrides for family, _ in override.theme.modes)
        for key, family in self.graph.collections.items():
            if key in used:
                yield self.handles[key], text(_collection(family))

    def choices(self, theme: Theme) -> dict[str, str]:
        """Return the contexts that a theme chooses, by collection."""
        return {self.handles[key]: self.graph.collections[key].modes[mode].context for key, mode in theme.modes}

    def tokens(self, overrides: Iterable[Override]) -> Iterator[TokenObject]:
        """Yield each declared token."""
        output = self.output
        default = self._resolve(output.declared, output.resolution.default, DEFAULT_THEME)
        themes: dict[TokenIndex, list[tuple[str, str]]] = {}
        for override in overrides:
            for index, resolved in self._resolve(override.indices, override.resolved, override.theme).items():
                themes.setdefault(index, []).append((override.name, resolved.inline()))
        last = output.declared[-1] if output.declared else None
        for index in output.declared:
            of_themes = _listed(themes.get(index, ()))
            members = _listed(self._members(index, default[index]))
            if of_themes:
                members[-1] = members[-1]._replace(comma=",")
            yield TokenObject(self.keys[index], members, of_themes, "" if index == last else ",")

    def _resolve(self, indices: list[TokenIndex], resolved: ResolvedTheme, theme: Theme) -> dict[TokenIndex, _Resolved]:
        """Return the value of each token; ``null`` if it has none."""
        texts = {index: text for index, text, _ in self.output.rows(indices, resolved, theme)}
        keys = self.keys
        return {
            index: _Resolved(texts[index], keys.get(resolved.codes[index], ""))
            if index in texts
            else _Resolved("null", "")
            for index in indices
        }

    def _members(self, index: TokenIndex, resolved: _Resolved) -> Iterator[tuple[str, str]]:
        token = self.output.tokens[index]
        yield "type", text(token.public_type)
        yield "value", resolved.value
        if resolved.alias:
            yield "alias", resolved.alias
        if token.description:
            yield "description", text(token.description)
        if token.deprecated:
            yield "deprecated", text(token.deprecated)
        yield "collection", text(self.handles[token.key[:2]])
        yield "path", text(names(token.key.path))
        yield "names", text({platform: identifiers[index] for platform, identifiers in self.names.items()})
        if token.scopes:
            yield "scopes", text(token.scopes)
        if token.hidden:
            yield "hidden", "true"
        if token.id:
            yield "id", text(token.id)
        if token.variable_key:
            yield "key", text(token.variable_key)


def _collection(family: Collection) -> Mapping[str, object]:
    return {
        "name": family.name,
        "file": family.file,
        "modes": [mode.context for mode in family.modes],
        "default": family.modes[family.default_mode].context,
    }


def _listed(members: Iterable[tuple[str, str]]) -> list[Member]:
    listed = list(members)
    last = len(listed) - 1
    return [Member(text(name), value, "," if at < last else "") for at, (name, value) in enumerate(listed)]
