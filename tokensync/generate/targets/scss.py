"""SCSS: ``_tokens.scss``, with a variable per token, maps of tokens and themes, and functions to look tokens up."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from msgspec import Meta, Struct
from msgspec.structs import asdict

from tokensync.generate import notation
from tokensync.generate.naming import rendered_bytes
from tokensync.generate.naming.rules import NAMELESS, NamingRules, cut, lines_of
from tokensync.generate.naming.templates import Template, doc, names_template
from tokensync.generate.notation import Typography, composite, then
from tokensync.generate.output import PLAIN_KINDS, Output, Resolution, Row
from tokensync.generate.target import OutputFile, OutputRequest, Target, options_of
from tokensync.generate.targets.css import NAMING as CSS_NAMING
from tokensync.generate.targets.css import CssOptions, Dimensions, PixelsOfRem
from tokensync.generate.targets.css import literals as css
from tokensync.generate.targets.css.texts import Notation
from tokensync.generate.themes import lacking, overrides_of
from tokensync.normalize.mapping import unique
from tokensync.tokens import DEFAULT_THEME, Token
from tokensync.tokens.resolver import NEEDS_RESOLVER, NO_TOKEN, ResolvedTheme, TokenIndex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tokensync.generate.target import Convert
    from tokensync.system.problems import Problem
    from tokensync.tokens import Literal as TokenLiteral

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
    valid_lines=lines_of(r"\$[^\W\d_][\w-]{0,199}"),
    repair=variable_name,
    reserved=RESERVED,
    fold=lambda name: name.replace("_", "-"),  # Sass: "$a-b and $a_b refer to the same variable"
    separator="-",
    sigil="$",
)


class ScssOptions(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The options of an scss output."""

    variables: Annotated[
        Literal["literals", "properties"],
        Meta(description="Write variables as the default values, or as `var()` of properties, which follow the theme."),
    ] = "literals"
    defaults: Annotated[bool, Meta(description="Mark variables with `!default`, for `@use ... with`.")] = False
    dimensions: Dimensions = "px"
    base: PixelsOfRem = 16.0
    maps: Annotated[bool, Meta(description="Write maps, functions and mixins, which themes need.")] = True


TARGET = Target("scss", "Sass variables and maps", ScssOptions, naming=NAMING, syntax="WEB")


class Variable(NamedTuple):
    """A variable."""

    name: Annotated[str, doc("the name, with `$`", "$accent-base")]
    value: Annotated[str, doc("the value as Sass: a literal, a variable declared before it, or `var()`", "#1f6feb")]
    comment: Annotated[list[str], doc("the lines of the comment", ["/// For links."])]


class Entry(NamedTuple):
    """An entry of a map."""

    name: Annotated[str, doc("the name of the token, in quotes", '"accent-base"')]
    value: Annotated[str, doc("the value as Sass", "$accent-base")]


class ThemeMap(NamedTuple):
    """The values that a theme, or a combination of two, changes."""

    theme: Annotated[str, doc("the name as a string; those of two themes are joined by ` + `", '"color-scheme/dark"')]
    entries: Annotated[list[Entry], doc("the values that differ")]


class Mixin(NamedTuple):
    """The mixin of a theme or a text style."""

    name: Annotated[str, doc("the name", "color-scheme-dark")]
    mixin: Annotated[str, doc("the mixin that it includes: `custom-properties` or `text-style`", "custom-properties")]
    argument: Annotated[str, doc("the theme or the text style", '"color-scheme/dark"')]


class Stylesheet(Struct, frozen=True):
    """The partial."""

    variables: Annotated[list[Variable], doc("the tokens with their default values, in collection order")]
    maps: Annotated[bool, doc("whether to write maps", True)]
    tokens: Annotated[list[Entry], doc("the variable of each token, if maps are written")]
    default: Annotated[str, doc("the key of `$tokens` in `$themes`; empty if a theme has that name", '"default"')]
    themes: Annotated[list[ThemeMap], doc("the themes, then the combinations of two themes with differences")]
    mixins: Annotated[list[Mixin], doc("a mixin for each theme and each text style, if maps are written")]
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


def _text_style(value: TokenLiteral, spelling: css.PartNotation, property_: str = "") -> str | None:
    """Return a text style as a map, perhaps of ``var()`` of its parts; in ``font``, Sass would read a division."""
    typed = composite(value, "typography")
    if not isinstance(typed, Typography):
        return None
    parts = dict(css.parts_of(typed, spelling=spelling))
    parts["font-family"] = f"({safe(parts['font-family'])})"
    lines = [f'\n  "{name}": {f"var({property_}-{name})" if property_ else part},' for name, part in parts.items()]
    return f"({''.join(lines)}\n)"


def comment(text: str) -> list[str]:
    """Return the lines of a text as ``///`` comments. Sass takes U+FFFD, even there, for invalid UTF-8."""
    return [f"/// {line}".rstrip() for line in notation.printable_lines(text.replace("\ufffd", " "))]


def in_map(kind: str | None, text: str) -> str:
    """Return a value for use within a map, with parentheses around a list, whose commas would end the entry."""
    return f"({text})" if kind in ("family", "shadow") and ", " in text else text


def literals(spelling: Notation) -> dict[str, Convert]:
    """Return the functions that write literals, by kind."""
    return {
        **{kind: then(convert, safe) for kind, convert in spelling.literals.items()},
        "boolean": notation.boolean,
        "css": then(css.raw, '#{{"{}"}}'.format),  # an interpolation: Sass would calculate max() and 4/3
        "typography": partial(_text_style, spelling=spelling.of_parts),
    }


_ABSENT = "null"
_DEFAULT = f'"{DEFAULT_THEME.name}"'
_REFERENCES = dict.fromkeys(PLAIN_KINDS.values(), ("", ""))


def render(resolution: Resolution, request: OutputRequest) -> tuple[tuple[OutputFile, ...], list[Problem]]:
    """Return ``_tokens.scss``."""
    options = options_of(request, ScssOptions)
    spelling = Notation(CssOptions(dimensions=options.dimensions, base=options.base))
    output = Output(
        resolution,
        request,
        naming=NAMING,
        kinds=PLAIN_KINDS,
        literals=literals(spelling),
        references=_REFERENCES,
        unrepresentable=UNREPRESENTABLE,
        stacks=True,
    )
    output.unit_of = spelling.unit_of
    are_properties = options.variables == "properties"
    rows = output.rows(output.declared, _earlier_only(output), DEFAULT_THEME, () if are_properties else None)
    properties = output.names_by(CSS_NAMING)[0] if options.maps or are_properties else {}
    maps, themes = _maps(output, {index for index, _, _ in rows}, are_properties) if options.maps else ([], [])
    names = output.names
    texts = {index: _var(output, index, properties[index]) if are_properties else text for index, text, _ in rows}
    mark = " !default" if options.defaults else ""
    in_maps = rows if are_properties else [(index, names[index], NO_TOKEN) for index in texts]
    sheet = Stylesheet(
        variables=[
            Variable(names[index], f"{text}{mark}", _comment(output.tokens[index])) for index, text in texts.items()
        ],
        maps=options.maps,
        tokens=list(_entries(output, in_maps, "  ")) if options.maps else [],
        default="" if any(name == _DEFAULT for name, _ in maps) else _DEFAULT,
        themes=maps,
        mixins=_mixins(output, themes, texts, are_properties) if options.maps else [],
        properties=_other_names(output, properties) if options.maps else [],
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


def _var(output: Output, index: TokenIndex, property_: str) -> str:
    """Return the reference to a custom property, or for a text style a map of those to its parts."""
    if output.kinds[index] != "typography":
        return f"var({property_})"
    literal = output.literal(output.resolution.default, index)
    return _text_style(literal, css.PLAIN_PARTS, property_) or ""  # type: ignore[arg-type] # a row has a literal


def _mixins(output: Output, themes: Iterable[str], written: Iterable[TokenIndex], are_properties: bool) -> list[Mixin]:
    """Return the mixins of text styles, then those of themes; Sass does not distinguish ``-`` and ``_`` in names."""
    styles = [output.names[index] for index in written if output.kinds[index] == "typography"]
    included = [("text-style", name, name if are_properties else _quoted(name)) for name in styles]
    included += [("custom-properties", name, safe(css.string(name))) for name in themes]
    used = {"custom-properties", "text-style"}
    return [
        Mixin(unique(variable_name(name).removeprefix("$").replace("_", "-"), used), mixin, argument)
        for mixin, name, argument in included
    ]


def _maps(output: Output, declared: set[TokenIndex], are_properties: bool) -> tuple[list[ThemeMap], list[str]]:
    """Return the map of each theme, and the names of single themes.

    A map refers to a variable only if the theme does not change its value, and to none that is a custom property.
    """
    default = output.resolution.default.literals
    known = {"": declared}
    maps: list[ThemeMap] = []
    names: list[str] = []
    for override in overrides_of(output):
        codes, literals = override.resolved
        targets = {codes[index] for index in override.indices if codes[index] >= 0}
        referable = () if are_properties else {index for index in targets if literals[index] == default[index]}
        rows = output.rows(override.indices, override.resolved, override.theme, referable)
        entries = list(_entries(output, rows, "    "))
        known[override.name] = {index for index, _, _ in rows}
        absent = lacking(override, known[override.name], known)
        entries += [Entry(_quoted(output.names[index]), _ABSENT) for index in absent]
        maps.append(ThemeMap(safe(css.string(override.name)), entries))
        names += [] if override.parts else [override.name]
    return maps, names


def _entries(output: Output, rows: Iterable[Row], indent: str) -> Iterator[Entry]:
    for index, text, _ in rows:
        value = in_map(output.kinds[index], text)
        yield Entry(_quoted(output.names[index]), value.replace("\n", f"\n{indent}"))


def _other_names(output: Output, properties: Mapping[TokenIndex, str]) -> list[Entry]:
    """Return the custom properties of a css output whose names differ from those of the variables."""
    names = output.names
    return [
        Entry(_quoted(names[index]), f'"{property_}"')
        for index, property_ in properties.items()
        if property_.removeprefix("--") != names[index].removeprefix("$")
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
