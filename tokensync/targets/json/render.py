"""JSON: ``tokens.json``, a flat document of all tokens for programs without DTCG support."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated, NamedTuple

from msgspec import Struct
from msgspec.structs import asdict

from tokensync import resources
from tokensync.generate import OutputFile, options_of
from tokensync.generate.output import Output
from tokensync.generate.resolution import PLAIN_KINDS
from tokensync.generate.themes import Override, overrides_of
from tokensync.naming import names_for, rendered_bytes
from tokensync.naming.contexts import Template, doc
from tokensync.targets import naming_of
from tokensync.targets.css import NAMING as CSS_NAMING
from tokensync.targets.json import JsonOptions
from tokensync.targets.json import literals as plain
from tokensync.tokens import DEFAULT_THEME
from tokensync.tokens.paths import names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tokensync.generate import OutputRequest
    from tokensync.generate.resolution import Resolution
    from tokensync.problems import Problem
    from tokensync.tokens import Collection, Theme, Token
    from tokensync.tokens.resolver import ResolvedTheme, TokenIndex


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
        literals=plain.literals(exact=options.colors == "components"),
        references={},
        unrepresentable=plain.UNREPRESENTABLE,
    )
    document = _Document(output, options)
    overrides = list(overrides_of(output))
    whole = Document(
        schema=plain.text(f"./{_SCHEMA}") if options.schema else "",
        collections=_listed(document.collections(overrides)),
        themes=_listed((each.name, plain.text(document.choices(each.theme))) for each in overrides),
        tokens=list(document.tokens(overrides)),
    )
    content = rendered_bytes("json/tokens.json.j2", request.templates, **asdict(whole))
    files = [OutputFile("tokens.json", content)]
    if options.schema:
        text = resources.read_text("config", "schemas", "outputs", "json.schema.json")
        files.append(OutputFile(_SCHEMA, text.encode()))
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
        self.keys = {index: plain.text(output.names[index].removeprefix("--")) for index in output.declared}
        tokens = [output.tokens[index] for index in output.declared]
        request = output.request
        self.names = {
            platform: names_for(
                output.graph, tokens, naming_of(platform), request.templates, request.naming, request.patterns
            )[0]
            for platform in options.names
        }
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
                yield self.handles[key], plain.text(_collection(family))

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
            members = _listed(self._members(output.tokens[index], default[index]))
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

    def _members(self, token: Token, resolved: _Resolved) -> Iterator[tuple[str, str]]:
        text = plain.text
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
        yield "names", text({platform: identifiers[token.key] for platform, identifiers in self.names.items()})
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
        "modes": [each.context for each in family.modes],
        "default": family.modes[family.default_mode].context,
    }


def _listed(members: Iterable[tuple[str, str]]) -> list[Member]:
    listed = list(members)
    last = len(listed) - 1
    return [Member(plain.text(name), value, "," if at < last else "") for at, (name, value) in enumerate(listed)]
