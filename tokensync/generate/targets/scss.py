"""SCSS: ``_tokens.scss``, with a variable per token, maps of tokens and themes, and functions to look tokens up."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, NamedTuple

from msgspec import Meta, Struct
from msgspec.structs import asdict

from tokensync.generate import notation
from tokensync.generate.naming import rendered_bytes
from tokensync.generate.naming.rules import NAMELESS, NamingRules, cut
from tokensync.generate.naming.templates import Template, doc, names_template
from tokensync.generate.notation import Typography, composite, then
from tokensync.generate.output import PLAIN_KINDS, Output
from tokensync.generate.target import OutputFile, Target, options_of
from tokensync.generate.targets.css import NAMING as CSS_NAMING
from tokensync.generate.targets.css import literals as css
from tokensync.generate.themes import lacking, overrides_of
from tokensync.tokens import DEFAULT_THEME
from tokensync.tokens.resolver import NEEDS_RESOLVER, ResolvedTheme

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tokensync.generate.output import Resolution, Row
    from tokensync.generate.target import Convert, OutputRequest
    from tokensync.system.problems import Problem
    from tokensync.tokens import Literal as TokenLiteral
    from tokensync.tokens import Token
    from tokensync.tokens.resolver import TokenIndex

RESERVED = frozenset(("$themes", "$tokens"))
"""The names of an output's maps, which variables of tokens cannot have."""

_NOT_IN_A_NAME = re.compile(r"[^\w-]+")


def variable_name(name: str) -> str:
    """Return a variable's name, with ``$``; it does not start with a digit, hyphen or underscore (private in Sass)."""
    body = _NOT_IN_A_NAME.sub("-", name.removeprefix("$")).lstrip("-_")
    if not any(map(str.isalnum, body)):
        body = NAMELESS
    if body[0].isascii() and not body[0].isalpha():
        body = f"{NAMELESS}-{body}"
    if f"${body}" in RESERVED:
        body = f"{body}-{NAMELESS}"
    return f"${cut(body, '-')}"


NAMING = NamingRules(
    "scss",
    valid=re.compile(r"\$[^\W\d_][\w-]{0,199}"),
    repair=variable_name,
    reserved=RESERVED,
    fold=lambda name: name.replace("_", "-"),  # Sass: "$a-b and $a_b refer to the same variable"
    separator="-",
    sigil="$",
)


class ScssOptions(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The options of an scss output."""

    maps: Annotated[
        bool,
        Meta(
            description="Write maps of tokens and themes, and their functions, after the variables; themes need them."
        ),
    ] = True


TARGET = Target("scss", "Sass variables and maps", ScssOptions, naming=NAMING, syntax="WEB")


class Variable(NamedTuple):
    """A variable."""

    name: Annotated[str, doc("the name, with `$`", "$accent-base")]
    value: Annotated[str, doc("the value as Sass: a literal, or a variable declared before it", "#1f6feb")]
    comment: Annotated[list[str], doc("the lines of the comment", ["/// For links."])]


class Entry(NamedTuple):
    """An entry of a map."""

    name: Annotated[str, doc("the name of the token, in quotes", '"accent-base"')]
    value: Annotated[str, doc("the value as Sass", "$accent-base")]


class ThemeMap(NamedTuple):
    """The values that a theme, or a combination of two, changes."""

    theme: Annotated[str, doc("the name as a string; those of two themes are joined by ` + `", '"color-scheme/dark"')]
    entries: Annotated[list[Entry], doc("the values that differ")]


class Stylesheet(Struct, frozen=True):
    """The partial."""

    variables: Annotated[list[Variable], doc("the tokens with their default values, in collection order")]
    maps: Annotated[bool, doc("whether to write maps", True)]
    tokens: Annotated[list[Entry], doc("the variable of each token, if maps are written")]
    default: Annotated[str, doc("the key of `$tokens` in `$themes`; empty if a theme has that name", '"default"')]
    themes: Annotated[list[ThemeMap], doc("the themes, then the combinations of two themes with differences")]
    properties: Annotated[list[Entry], doc("the custom properties with another name than the variable")]
    absent: Annotated[bool, doc("whether a token has no value, `null`, in a theme", False)]
    styles: Annotated[bool, doc("whether a token is a text style, which has a map as its value", False)]


TEMPLATES = (
    names_template("scss", "the web, as Sass variables"),
    Template("scss/tokens.scss.j2", "scss", "`_tokens.scss`: variables and maps.", Stylesheet),
)


UNREPRESENTABLE = css.UNREPRESENTABLE
"""Characters that a Sass string cannot contain, even escaped."""


def safe(text: str) -> str:
    """Return a CSS text without Sass interpolation in its strings."""
    return text.replace("#{", "\\#{")


def _text_style(value: TokenLiteral) -> str | None:
    """Return a text style as a map of properties, one per line; in ``font``, Sass would read a division."""
    typed = composite(value, "typography")
    if not isinstance(typed, Typography):
        return None
    properties = {name: f"({safe(part)})" if name == "font-family" else part for name, part in css.parts_of(typed)}
    lines = "".join(f'\n  "{name}": {part},' for name, part in properties.items())
    return f"({lines}\n)"


def comment(text: str) -> list[str]:
    """Return the lines of a text as ``///`` comments. Sass takes U+FFFD, even there, for invalid UTF-8."""
    return [f"/// {line}".rstrip() for line in notation.printable_lines(text.replace("\ufffd", " "))]


def in_map(kind: str | None, text: str) -> str:
    """Return a value for use within a map, with parentheses around a list, whose commas would end the entry."""
    return f"({text})" if kind in ("family", "shadow") and ", " in text else text


LITERALS: dict[str, Convert] = {
    **{kind: then(convert, safe) for kind, convert in {**css.LITERALS, **css.COMPOSITES}.items()},
    "boolean": notation.boolean,
    "css": then(css.raw, '#{{"{}"}}'.format),  # an interpolation: Sass would calculate max() and 4/3
    "typography": _text_style,
}


_ABSENT = "null"
_DEFAULT = f'"{DEFAULT_THEME.name}"'
_REFERENCES = dict.fromkeys(PLAIN_KINDS.values(), ("", ""))


def render(resolution: Resolution, request: OutputRequest) -> tuple[tuple[OutputFile, ...], list[Problem]]:
    """Return ``_tokens.scss``."""
    options = options_of(request, ScssOptions)
    output = Output(
        resolution,
        request,
        naming=NAMING,
        kinds=PLAIN_KINDS,
        literals=LITERALS,
        references=_REFERENCES,
        unrepresentable=UNREPRESENTABLE,
        stacks=True,
    )
    rows = output.rows(output.declared, _earlier_only(output), DEFAULT_THEME)
    maps = _maps(output, {index for index, _, _ in rows}) if options.maps else []
    names = output.names
    sheet = Stylesheet(
        variables=[Variable(names[index], text, _comment(output.tokens[index])) for index, text, _ in rows],
        maps=options.maps,
        tokens=[Entry(_quoted(names[index]), names[index]) for index, _, _ in rows] if options.maps else [],
        default="" if any(name == _DEFAULT for name, _ in maps) else _DEFAULT,
        themes=maps,
        properties=_properties(output) if options.maps else [],
        absent=any(entry.value == _ABSENT for theme in maps for entry in theme.entries),
        styles=any(output.kinds[index] == "typography" for index in output.declared),
    )
    content = rendered_bytes("scss/tokens.scss.j2", request.templates, **asdict(sheet))
    return (OutputFile("_tokens.scss", content),), output.problems


def _earlier_only(output: Output) -> ResolvedTheme:
    """Return the default theme without references to variables that are declared later, which Sass does not support."""
    codes, literals = output.resolution.default
    rank = {index: at for at, index in enumerate(output.declared)}
    codes = codes.copy()
    for index, at in rank.items():
        if rank.get(codes[index], -1) >= at:
            codes[index] = NEEDS_RESOLVER
    return ResolvedTheme(codes, literals)


def _maps(output: Output, declared: set[TokenIndex]) -> list[ThemeMap]:
    """Return the map of each theme; it refers to a variable only if the theme does not change its value."""
    default = output.resolution.default.literals
    known = {"": declared}
    maps: list[ThemeMap] = []
    for override in overrides_of(output):
        codes, literals = override.resolved
        codes = codes.copy()
        for index in override.indices:
            if codes[index] >= 0 and literals[codes[index]] != default[codes[index]]:
                codes[index] = NEEDS_RESOLVER
        rows = output.rows(override.indices, ResolvedTheme(codes, literals), override.theme)
        entries = list(_entries(output, rows))
        known[override.name] = {index for index, _, _ in rows}
        absent = lacking(override, known[override.name], known)
        entries += [Entry(_quoted(output.names[index]), _ABSENT) for index in absent]
        maps.append(ThemeMap(safe(css.string(override.name)), entries))
    return maps


def _entries(output: Output, rows: Iterable[Row]) -> Iterator[Entry]:
    for index, text, _ in rows:
        value = in_map(output.kinds[index], text)
        yield Entry(_quoted(output.names[index]), value.replace("\n", "\n    "))


def _properties(output: Output) -> list[Entry]:
    """Return the custom properties of a css output whose names differ from those of the variables."""
    names, _ = output.names_by(CSS_NAMING)
    pairs = [(output.names[index], names[index]) for index in output.declared]
    return [
        Entry(_quoted(name), f'"{property_}"')
        for name, property_ in pairs
        if property_.removeprefix("--") != name.removeprefix("$")
    ]


def _quoted(name: str) -> str:
    """Return a variable's name, without ``$``, as the key of a map; it needs no escaping."""
    return f'"{name.removeprefix("$")}"'


def _comment(token: Token) -> list[str]:
    lines = comment(token.description)
    if token.deprecated:
        reason = token.deprecated if isinstance(token.deprecated, str) else ""
        lines += comment(f"@deprecated {' '.join(reason.split())}")
    return lines
