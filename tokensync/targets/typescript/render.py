"""TypeScript: ``tokens.js``, an ES module of all values, and ``tokens.d.ts`` with its types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NamedTuple

from msgspec import Struct
from msgspec.structs import asdict

from tokensync.generate import OutputFile, options_of
from tokensync.generate.output import Output
from tokensync.generate.resolution import PLAIN_KINDS
from tokensync.generate.themes import overrides_of
from tokensync.naming import names_for, rendered_bytes
from tokensync.naming.contexts import Template, doc, names_template
from tokensync.targets.css import NAMING as CSS_NAMING
from tokensync.targets.typescript import NAMING, TypescriptOptions
from tokensync.targets.typescript import literals as javascript

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tokensync.generate import OutputRequest
    from tokensync.generate.resolution import Resolution
    from tokensync.problems import Problem
    from tokensync.tokens import Token
    from tokensync.tokens.resolver import TokenIndex


class Property(NamedTuple):
    """A property of an object literal."""

    name: Annotated[str, doc("the name of the token as a key", "accentBase")]
    value: Annotated[str, doc("the value as JavaScript", '"#1f6feb"')]


class ThemeObject(NamedTuple):
    """The values that a theme, or a combination of two, changes."""

    theme: Annotated[str, doc("the name as a key; those of two themes are joined by ` + `", '"color-scheme/dark"')]
    rows: Annotated[list[Property], doc("the values that differ")]


class Variable(NamedTuple):
    """A token's custom property."""

    name: Annotated[str, doc("the name of the token as a key", "accentBase")]
    variable: Annotated[str, doc("the name of the custom property as a string", '"--accent-base"')]


class Module(Struct, frozen=True):
    """The values."""

    tokens: Annotated[list[Property], doc("the default values, in collection order")]
    themes: Annotated[list[ThemeObject], doc("the themes, then the combinations of two themes with differences")]
    combined: Annotated[bool, doc("whether there are combinations of two themes", True)]
    variables: Annotated[list[Variable], doc("the custom properties, if the options enable them")]


class Member(NamedTuple):
    """A member of an interface."""

    name: Annotated[str, doc("the name of the token as a key, with `?` if it has no default value", "accentBase")]
    type: Annotated[str, doc("the type of the values", "string")]
    comment: Annotated[list[str], doc("the lines of the comment", ["  /** For links. */"])]


class Types(Struct, frozen=True):
    """The types of the values."""

    tokens: Annotated[list[Member], doc("the tokens, in collection order")]
    themes: Annotated[list[str], doc("the names of the themes as strings", ['"color-scheme/dark"'])]
    combinations: Annotated[
        list[str], doc("the names of combinations of two themes as strings", ['"color-scheme/dark + density/dense"'])
    ]
    measure: Annotated[str, doc("the type of lengths in text styles, or empty without text styles", "string")]
    css_variables: Annotated[bool, doc("whether the module has the names of custom properties", True)]


TEMPLATES = (
    names_template("typescript", "the web, as TypeScript constants"),
    Template("typescript/tokens.js.j2", "typescript", "`tokens.js`: an ES module of the values.", Module),
    Template("typescript/tokens.d.ts.j2", "typescript", "`tokens.d.ts`: the types of that module.", Types),
)


def render(resolution: Resolution, request: OutputRequest) -> tuple[tuple[OutputFile, ...], list[Problem]]:
    """Return ``tokens.js`` and ``tokens.d.ts``, or ``tokens.mjs`` and ``tokens.d.mts``."""
    options = options_of(request, TypescriptOptions)
    output = Output(
        resolution,
        request,
        naming=NAMING,
        kinds=PLAIN_KINDS,
        literals=javascript.literals(
            hex_colors=options.colors == "hex",
            numeric_lengths=options.dimensions == "number",
            numeric_durations=options.durations == "number",
        ),
        references={},
        unrepresentable=javascript.UNREPRESENTABLE,
    )
    keys = {index: javascript.key(output.names[index]) for index in output.declared}
    default = {index: text for index, text, _ in output.default_rows()}
    overrides = [
        (
            each.name,
            each.parts,
            {index: text for index, text, _ in output.rows(each.indices, each.resolved, each.theme)},
        )
        for each in overrides_of(output)
    ]
    written = default.keys() | {index for _, _, texts in overrides for index in texts}
    indices = [index for index in output.declared if index in written]
    module = Module(
        tokens=_properties(default, keys, 2),
        themes=[ThemeObject(javascript.key(name), _properties(texts, keys, 4)) for name, _, texts in overrides],
        combined=any(parts for _, parts, _ in overrides),
        variables=_variables(output, indices, keys) if options.css_variables else [],
    )
    types = Types(
        tokens=list(_members(output, indices, default, keys, options)),
        themes=[javascript.string(name) for name, parts, _ in overrides if not parts],
        combinations=[javascript.string(name) for name, parts, _ in overrides if parts],
        measure=options.dimensions if any(output.kinds[index] == "typography" for index in indices) else "",
        css_variables=options.css_variables,
    )
    files = (
        OutputFile(
            f"tokens.{options.extension}",
            rendered_bytes("typescript/tokens.js.j2", request.templates, **asdict(module)),
        ),
        OutputFile(
            f"tokens.d.{_DECLARATION_EXTENSIONS[options.extension]}",
            rendered_bytes("typescript/tokens.d.ts.j2", request.templates, **asdict(types)),
        ),
    )
    return files, output.problems


_DECLARATION_EXTENSIONS = {"js": "ts", "mjs": "mts"}


def _properties(texts: Mapping[TokenIndex, str], keys: Mapping[TokenIndex, str], depth: int) -> list[Property]:
    """Return the properties of an object; further lines of a value are indented by ``depth``."""
    return [Property(keys[index], text.replace("\n", f"\n{' ' * depth}")) for index, text in texts.items()]


def _variables(output: Output, indices: list[TokenIndex], keys: Mapping[TokenIndex, str]) -> list[Variable]:
    tokens = [output.tokens[index] for index in output.declared]
    request = output.request
    names, _ = names_for(output.graph, tokens, CSS_NAMING, request.templates, request.naming, request.patterns)
    return [Variable(keys[index], javascript.string(names[output.tokens[index].key])) for index in indices]


def _members(
    output: Output,
    indices: list[TokenIndex],
    default: Mapping[TokenIndex, str],
    keys: Mapping[TokenIndex, str],
    options: TypescriptOptions,
) -> Iterator[Member]:
    """Yield the tokens as members of an interface; those without a default value are optional."""
    types = {
        "dimension": options.dimensions,
        "duration": options.durations,
        "number": "number",
        "percentage": "number",
        "boolean": "boolean",
        "typography": "TextStyle",
    }
    for index in indices:
        name = keys[index] if index in default else f"{keys[index]}?"
        yield Member(name, types.get(output.kinds[index] or "", "string"), _comment(output.tokens[index]))


def _comment(token: Token) -> list[str]:
    lines = javascript.comment(token.description)
    if token.deprecated:
        reason = javascript.comment(token.deprecated) if isinstance(token.deprecated, str) else []
        lines += [" ".join(("@deprecated", *reason))]
    if len(lines) < 2:
        return [f"  /** {line} */" for line in lines]
    return ["  /**", *(f"   * {line}".rstrip() for line in lines), "   */"]
