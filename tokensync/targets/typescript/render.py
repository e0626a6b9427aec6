"""TypeScript: ``tokens.js``, an ES module of all values, and ``tokens.d.ts`` with its types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import asdict

from tokensync.generate import OutputFile, options_of
from tokensync.generate.output import Output
from tokensync.generate.resolution import PLAIN_KINDS
from tokensync.generate.themes import overrides_of
from tokensync.naming import names_for, rendered_bytes
from tokensync.targets.css import NAMING as CSS_NAMING
from tokensync.targets.typescript import NAMING, TypescriptOptions
from tokensync.targets.typescript import literals as javascript
from tokensync.targets.typescript.rows import Member, Module, Property, ThemeObject, Types, Variable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tokensync.generate import OutputRequest
    from tokensync.generate.resolution import Resolution
    from tokensync.problems import Problem
    from tokensync.tokens import Token
    from tokensync.tokens.resolver import TokenIndex


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
