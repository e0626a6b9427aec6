"""TypeScript: ``tokens.js``, an ES module of all values, and ``tokens.d.ts`` with its types."""

from __future__ import annotations

import json
import re
from functools import partial
from math import isfinite
from textwrap import indent
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from msgspec import Meta, Struct
from msgspec.structs import asdict

from tokensync.generate import notation
from tokensync.generate.naming import rendered_bytes, template_files
from tokensync.generate.naming.rules import ASCII_WORDS, NamingRules, camel, camel_case, cut, unicode_identifier, words
from tokensync.generate.naming.templates import Template, doc, names_template
from tokensync.generate.notation import Length, Typography, composite, in_pixels, members_of, then
from tokensync.generate.output import PLAIN_KINDS, Output, Resolution
from tokensync.generate.target import OutputFile, OutputRequest, Target, options_of
from tokensync.generate.targets.css import NAMING as CSS_NAMING
from tokensync.generate.targets.css import CssOptions, Lengths, PixelsOfRem, Unit
from tokensync.generate.targets.css import literals as css
from tokensync.generate.targets.css.texts import Notation
from tokensync.generate.themes import lacking, overrides_of
from tokensync.system.problems import Problem, problem
from tokensync.tokens import Color, Quantity, Token, hexadecimal, normalized, shortest
from tokensync.tokens.values import DURATIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from tokensync.generate.target import Convert
    from tokensync.tokens import Literal as TokenLiteral
    from tokensync.tokens.resolver import TokenIndex


RESERVED = frozenset(
    """
    Infinity NaN __proto__ arguments await break case catch class const continue debugger default delete do else enum
    eval export extends false finally for function if implements import in instanceof interface let new null package
    private protected public return static super switch this throw true try typeof undefined var void while with yield
    """.split()
)
"""Names that a constant of a JavaScript module cannot have, and the key that sets an object's prototype."""

OF_MODULE = frozenset("Object RangeError tokens nested themes value cssVariables cssVariable".split())
"""The other exports of the module, and the globals that it reads: a constant of that name would hide them."""


def identifier(name: str) -> str:
    """Return an identifier for a constant of a module and a key of an object."""
    body = unicode_identifier(name)
    return cut(f"{body}_" if body in NAMING.reserved else body, "_")


NAMING = NamingRules(
    "typescript",
    valid_lines=ASCII_WORDS,
    repair=identifier,
    reserved=RESERVED | OF_MODULE,
    capitals=True,
    respell=camel_case,
)


Nested = Annotated[
    bool, Meta(description="Also export `nested`, the tokens by the groups of their paths: `nested.space.sm`.")
]
ThemeTypes = Annotated[
    Literal["partial", "exact"],
    Meta(description="Declare the themes as parts of `Tokens`, or each one with its own literal values."),
]


class TypescriptOptions(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The options of a typescript output."""

    colors: Annotated[
        Literal["css", "hex"],
        Meta(description="Write colours as CSS, or as `#rrggbb` and `#rrggbbaa` for canvases and native views."),
    ] = "css"
    dimensions: Annotated[
        Literal["string", "number", "rem"] | dict[Lengths, Unit],
        Meta(
            description="Write dimensions as strings in px, as numbers of pixels (16 per rem), or as strings in units "
            "as in a css output."
        ),
    ] = "string"
    base: PixelsOfRem = 16.0
    durations: Annotated[
        Literal["string", "number"],
        Meta(description="Write durations as CSS strings with a unit, or as numbers of milliseconds."),
    ] = "string"
    composites: Annotated[
        Literal["css", "object"],
        Meta(description="Write shadows, borders, gradients, transitions and curves as CSS strings, or as objects."),
    ] = "css"
    nested: Nested = False
    themes: ThemeTypes = "partial"
    css_variables: Annotated[bool, Meta(description="Export the names of the css output's custom properties.")] = True
    extension: Annotated[
        Literal["js", "mjs"],
        Meta(description="`mjs` writes `tokens.mjs` and `tokens.d.mts`, for packages whose `.js` files are CommonJS."),
    ] = "js"


TARGET = Target("typescript", "an ES module with types", TypescriptOptions, naming=NAMING)


_SPECIAL = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]|<(?=[/!])")
ABSENT = "undefined"
"""The value of a token in a theme without one."""

_AT = re.compile(r"(?<!\S)@")


def string(text: str) -> str:
    """Return a string in double quotes, which is valid JSON too.

    Control characters, bidi marks, lone surrogates and the ``<`` of tags are escaped.
    """
    return _SPECIAL.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(text, ensure_ascii=False))


def key(name: str) -> str:
    """Return a name as the key of an object literal; ``__proto__`` needs brackets to be an ordinary key."""
    if name == "__proto__":
        return '["__proto__"]'
    return name if name.isascii() and name.isidentifier() else string(name)


def comment(text: str) -> list[str]:
    """Return the lines of a JSDoc comment, which cannot end it or contain a tag."""
    return [_AT.sub(r"\\@", line.replace("*/", "*\\/")) for line in notation.printable_lines(text)]


PURE = "/* @__PURE__ */"


def frozen(value: Any) -> str:
    """Return a value as JavaScript; objects and arrays are frozen, with a member per line.

    Bundlers keep an unused constant if its initializer calls a function, unless each call is marked as pure.
    """
    match value:
        case str():
            return string(value)
        case bool():
            return str(value).lower()
        case int() | float():
            return shortest(value)
    is_list = isinstance(value, list)
    items = [*map(frozen, value)] if is_list else [f"{name}: {frozen(value[name])}" for name in value]
    lines = "".join(["\n" + indent(item, "  ") + "," for item in items])
    return f"{PURE} Object.freeze([{lines}\n])" if is_list else f"{PURE} Object.freeze({{{lines}\n}})"


PIXELS = Notation(CssOptions(), css.color)


def text_style(numeric_lengths: bool, spelling: Notation = PIXELS) -> Convert:
    """Return a function that writes a text style as an object of style properties, one per line."""

    def length(value: Length, scope: str) -> float | str | None:
        return normalized(in_pixels(value)) if numeric_lengths else spelling.of_parts.length(value, scope)

    def style(typed: Typography) -> dict[str, Any]:
        height = typed.line_height if isinstance(typed.line_height, Quantity) and not numeric_lengths else None
        spacing = typed.letter_spacing if numeric_lengths else typed.tracking or typed.letter_spacing
        members = {
            "fontFamily": css.family_list(typed.families),
            "fontSize": length(typed.size, "FONT_SIZE"),
            "fontWeight": typed.weight,
            "letterSpacing": length(spacing, "LETTER_SPACING"),
            "lineHeight": length(height, "LINE_HEIGHT") if height else typed.line_factor,
            **dict(zip(_KEYWORDS, typed.keywords, strict=True)),
        }
        return {name: member for name, member in members.items() if member not in (None, "")}

    return object_of("typography", style)


_KEYWORDS = ("fontStyle", "textTransform", "textDecoration")
_ANY_TEXT = ("fontFamily", "fontSize", "letterSpacing", "lineHeight")
"""Members of text styles whose values, if they are texts, are not words that their types name."""


def hex_color(value: TokenLiteral) -> str | None:
    """Return ``"#rrggbb"``, or ``"#rrggbbaa"`` when the colour is not opaque."""
    return string(hexadecimal(value)) if type(value) is Color else None


def milliseconds(value: TokenLiteral) -> str | None:
    """Return a duration as a number of milliseconds."""
    if type(value) is not Quantity or value.unit not in DURATIONS or not isfinite(value.number):
        return None
    return shortest(normalized(value.number * DURATIONS[value.unit]))


def object_of(kind: str, members: Callable[[Any], Any]) -> Convert:
    """Return a function that writes a composite of a type as ``members`` returns it, unless that is None."""

    def converted(value: TokenLiteral) -> str | None:
        typed = composite(value, kind)
        content = None if typed is None else members(typed)
        return None if content is None else frozen(content)

    return converted


def literals(
    *,
    hex_colors: bool,
    numeric_lengths: bool,
    numeric_durations: bool,
    objects: bool = False,
    spelling: Notation = PIXELS,
) -> dict[str, Convert]:
    """Return the functions that write literals, by kind; without these options, they are CSS texts."""
    of_color: Callable[[Color], Any] = hexadecimal if hex_colors else css.color

    def of_quantity(value: Quantity) -> float | str:
        if value.unit in DURATIONS:
            exact = normalized(value.number * DURATIONS[value.unit])
            return exact if numeric_durations else css.duration(value) or "0s"
        return normalized(in_pixels(value)) if numeric_lengths else css.dimension(value) or "0px"

    in_dtcg = partial(members_of, color=of_color, quantity=of_quantity)
    css_texts = {kind: then(convert, string) for kind, convert in spelling.literals.items()}
    return {
        **css_texts,
        **({kind: object_of(kind, in_dtcg) for kind in OBJECT_TYPES} if objects else {}),
        "color": hex_color if hex_colors else css_texts["color"],
        "dimension": notation.pixels if numeric_lengths else css_texts["dimension"],
        "duration": milliseconds if numeric_durations else css_texts["duration"],
        "number": notation.decimal,
        "percentage": notation.share,
        "string": lambda value: string(value) if type(value) is str else None,
        "boolean": notation.boolean,
        "typography": text_style(numeric_lengths, spelling),
    }


OBJECT_TYPES = {
    "shadow": "readonly ShadowLayer[]",
    "border": "Border",
    "strokeStyle": "StrokeStyle",
    "gradient": "readonly GradientStop[]",
    "transition": "Transition",
    "cubicBezier": "CubicBezier",
}
"""The types of composites as objects."""


class Property(NamedTuple):
    """A constant or a property with a value."""

    name: Annotated[str, doc("the name of the token", "accentBase")]
    value: Annotated[str, doc("the value as JavaScript", '"#1f6feb"')]


class ThemeObject(NamedTuple):
    """The values that a theme, or a combination of two, changes."""

    theme: Annotated[str, doc("the name as a key; those of two themes are joined by ` + `", '"color-scheme/dark"')]
    rows: Annotated[list[Property], doc("the values that differ")]


class Variable(NamedTuple):
    """A token's custom property."""

    name: Annotated[str, doc("the name of the token", "accentBase")]
    variable: Annotated[str, doc("the name of the custom property as a string", '"--accent-base"')]


class Module(Struct, frozen=True):
    """The values."""

    tokens: Annotated[list[Property], doc("the default values, in collection order")]
    nested: Annotated[str, doc("the tokens by their groups, if the options enable this", "")]
    themes: Annotated[list[ThemeObject], doc("the themes, then the combinations of two themes with differences")]
    combined: Annotated[bool, doc("whether there are combinations of two themes", True)]
    variables: Annotated[list[Variable], doc("the custom properties, if the options enable them")]


class Constant(NamedTuple):
    """The declaration of a constant."""

    name: Annotated[str, doc("the name of the token", "accentBase")]
    declaration: Annotated[str, doc("what follows the name: the value, or a type", ' = "#1f6feb"')]
    comment: Annotated[list[str], doc("the lines of the comment", ["/** For links. */"])]


class Member(NamedTuple):
    """A member of an interface."""

    name: Annotated[str, doc("the name of the token, with `?` if it has no default value", "accentBase")]
    type: Annotated[str, doc("the type of the values in all themes", '"#1f6feb" | "#58a6ff"')]
    comment: Annotated[list[str], doc("the lines of the comment", ["/** For links. */"])]


class Types(Struct, frozen=True):
    """The types of the values."""

    constants: Annotated[list[Constant], doc("the tokens with a default value, in collection order")]
    tokens: Annotated[list[Member], doc("the tokens, in collection order")]
    nested: Annotated[str, doc("the type of the tokens by their groups, if the options enable this", "")]
    exact: Annotated[list[ThemeObject], doc("the themes and combinations with the types of their values, if enabled")]
    themes: Annotated[list[str], doc("the names of the themes as strings", ['"color-scheme/dark"'])]
    combinations: Annotated[
        list[str], doc("the names of combinations of two themes as strings", ['"color-scheme/dark + density/dense"'])
    ]
    measure: Annotated[str, doc("the type of lengths in objects", "string")]
    styles: Annotated[list[Member], doc("the members of text styles; one that some lack has `?`")]
    objects: Annotated[str, doc("the platform of objects for composites, `web` or `native`, or empty without any", "")]
    time: Annotated[str, doc("the type of durations in these objects", "string")]
    variables: Annotated[list[Variable], doc("the custom properties, if the options enable them")]


TEMPLATES = (
    names_template("typescript", "the web, as TypeScript constants"),
    Template("typescript/tokens.js.j2", "typescript", "`tokens.js`: an ES module of the values.", Module),
    Template("typescript/tokens.d.ts.j2", "typescript", "`tokens.d.ts`: the types of that module.", Types),
)


def render(resolution: Resolution, request: OutputRequest) -> tuple[tuple[OutputFile, ...], list[Problem]]:
    """Return ``tokens.js`` and ``tokens.d.ts``, or ``tokens.mjs`` and ``tokens.d.mts``."""
    options = options_of(request, TypescriptOptions)
    units = "px" if options.dimensions == "string" or options.dimensions == "number" else options.dimensions
    spelling = Notation(CssOptions(dimensions=units, base=options.base), css.color)
    output = Output(
        resolution,
        request,
        naming=NAMING,
        kinds=PLAIN_KINDS,
        literals=literals(
            hex_colors=options.colors == "hex",
            numeric_lengths=options.dimensions == "number",
            numeric_durations=options.durations == "number",
            objects=options.composites == "object",
            spelling=spelling,
        ),
        references={},
        stacks=True,
    )
    output.unit_of = spelling.unit_of
    files = module_files(output, options, OBJECT_TYPES if options.composites == "object" else {})
    return files, [*output.problems, *without_its_pair(request, "typescript/tokens")]


def module_files(
    output: Output, options: TypescriptOptions, object_types: Mapping[str, str], objects: str = "web"
) -> tuple[OutputFile, ...]:
    """Return the module and its types; ``object_types`` are those of composites by kind, for a platform's objects."""
    values = _values(output)
    written = {index for _, _, texts in values for index in texts}
    indices = [index for index in output.declared if index in written]
    css_names = output.names_by(CSS_NAMING)[0] if options.css_variables else {}
    variables = [Variable(output.names[index], string(css_names[index])) for index in indices if css_names]
    groups = _groups(output, values[0].texts) if options.nested else {}
    module = _module(output, values, groups, variables)
    types = _types(output, values, indices, groups, variables, options, object_types, objects)
    templates = output.request.templates
    return (
        OutputFile(
            f"tokens.{options.extension}", rendered_bytes("typescript/tokens.js.j2", templates, **asdict(module))
        ),
        OutputFile(
            f"tokens.d.{options.extension.replace('js', 'ts')}",
            rendered_bytes("typescript/tokens.d.ts.j2", templates, **asdict(types)),
        ),
    )


class _Themed(NamedTuple):
    """The values of the default theme, or those that another theme or a combination of two changes."""

    name: str
    parts: tuple[str, ...]
    texts: dict[TokenIndex, str]


def _values(output: Output) -> list[_Themed]:
    """Return the default values, then those of the themes and combinations."""
    default = {index: text for index, text, _ in output.default_rows()}
    values = [_Themed("", (), default)]
    known: dict[str, dict[TokenIndex, str]] = {"": default}
    for override in overrides_of(output):
        rows = output.rows(override.indices, override.resolved, override.theme)
        texts = known[override.name] = {index: text for index, text, _ in rows}
        absent = dict.fromkeys(lacking(override, texts, known), ABSENT)
        in_order = {index: (texts | absent)[index] for index in override.indices if index in texts or index in absent}
        values.append(_Themed(override.name, override.parts, in_order))
    return values


ROOT = "$root"
"""The key of a token whose path is that of a group, too: DTCG's name for it."""


def _groups(output: Output, indices: Iterable[TokenIndex]) -> dict[str, Any]:
    """Return the names of the tokens by the keys of their groups."""
    root: dict[str, Any] = {}
    for index in indices:
        name = output.names[index]
        *path, leaf = [camel(words(part)) or part for part in output.tokens[index].key.names]
        group = root
        for part in path:
            inner = group.setdefault(part, {})
            if isinstance(inner, str):
                inner = group[part] = {ROOT: inner}
            group = inner
        if isinstance(group.get(leaf), dict):
            group, leaf = group[leaf], ROOT
        if leaf in group:  # of another collection, or in another spelling
            leaf = name
        while leaf in group:
            leaf += "_"
        group[leaf] = name
    return root


def _nested(groups: dict[str, Any], form: str, member: str, leaf: str) -> str:
    """Return groups in a form with members and leaves, or nothing without groups."""
    if not groups:
        return ""
    lines = [
        member % (key(name), leaf % inner if isinstance(inner, str) else _nested(inner, form, member, leaf))
        for name, inner in groups.items()
    ]
    return form % indent("\n".join(lines), "  ")


def _module(output: Output, values: list[_Themed], groups: dict[str, Any], variables: list[Variable]) -> Module:
    names = output.names
    default, *themes = values
    return Module(
        tokens=[Property(names[index], text) for index, text in default.texts.items()],
        nested=_nested(groups, f"{PURE} Object.freeze({{\n%s\n}})", "%s: %s,", "%s"),
        themes=[
            ThemeObject(
                key(name), [Property(names[index], text.replace("\n", "\n    ")) for index, text in texts.items()]
            )
            for name, _, texts in themes
        ],
        combined=any(theme.parts for theme in themes),
        variables=variables,
    )


def _types(
    output: Output,
    values: list[_Themed],
    indices: list[TokenIndex],
    groups: dict[str, Any],
    variables: list[Variable],
    options: TypescriptOptions,
    object_types: Mapping[str, str],
    objects: str,
) -> Types:
    """Return the types: constants have that of their default value, a token those of its values in all themes."""
    names, kinds = output.names, output.kinds
    named = {"typography": "TextStyle", **object_types}
    kinds_written = {kinds[index] for index in indices}
    has_objects = not kinds_written.isdisjoint(object_types)
    default, *themes = values
    literals_of: dict[TokenIndex, list[str]] = {}
    for _, _, texts in values:
        for index, text in texts.items():
            literals_of.setdefault(index, []).append(text)
    constants, members = [], []
    for index in indices:
        type_ = named.get(kinds[index] or "")
        comment = _comment(output.tokens[index])
        name = names[index]
        if index in default.texts:
            constants.append(Constant(name, f": {type_}" if type_ else f" = {default.texts[index]}", comment))
        else:
            name += "?"
        if type_ and ABSENT in literals_of[index]:
            type_ += f" | {ABSENT}"
        members.append(Member(name, type_ or union(literals_of[index]), comment))
    return Types(
        constants=constants,
        tokens=members,
        nested=_nested(groups, "{\n%s\n}", "readonly %s: %s;", "typeof %s"),
        exact=[
            ThemeObject(
                key(name),
                [
                    Property(names[index], text if text == ABSENT else named.get(kinds[index] or "") or text)
                    for index, text in texts.items()
                ],
            )
            for name, _, texts in (themes if options.themes == "exact" else ())
        ],
        themes=[string(theme.name) for theme in themes if not theme.parts],
        combinations=[string(theme.name) for theme in themes if theme.parts],
        measure="number" if options.dimensions == "number" else "string",
        objects=objects if has_objects else "",
        time=options.durations,
        styles=_style_members(output, [texts for _, _, texts in values]),
        variables=variables,
    )


def without_its_pair(request: OutputRequest, name: str) -> Iterator[Problem]:
    """Yield a warning if a checkout replaces only one of the templates of a module and its types."""
    own = {path for path, _ in template_files(request.templates)} if request.templates else set()
    pair = (f"{name}.js.j2", f"{name}.d.ts.j2")
    for path, other in (pair, pair[::-1]):
        if path in own and other not in own:
            what = f"{other} is not replaced, so the types may not be those of the module"
            to_do = "copy that template into the folder, too, and adapt it"
            yield problem("template-alone", f"{request.templates}/{path}", what, to_do)


LONGEST_UNION = 100
"""The most characters of the literal types of a token's values in all themes; a longer line is not read."""

_PARTS = re.compile(r'"(?:(?P<hex>#)[0-9a-f]+|-?[0-9.]+(?P<unit>[a-z]+|%))"')


def union(texts: Iterable[str]) -> str:
    """Return the type of a token with these values: their literals, or a wider type if these are many."""
    literals = list(dict.fromkeys(texts))
    exact = " | ".join(literals)
    if len(exact) <= LONGEST_UNION:
        return exact
    wider = {ABSENT if text == ABSENT else _wider(text) for text in literals}
    return " | ".join(sorted(wider))


def _wider(text: str) -> str:
    """Return `` `${number}px` ``, `` `#${string}` ``, ``string`` or ``number``."""
    if parts := _PARTS.fullmatch(text):
        return "`#${string}`" if parts["hex"] else f"`${{number}}{parts['unit']}`"
    return "string" if text[0] == '"' else "boolean" if text in ("true", "false") else "number"


_STYLE_MEMBER = re.compile(r'^  (\w+): (("?).*),$', re.MULTILINE)


def _style_members(output: Output, themes: list[dict[TokenIndex, str]]) -> list[Member]:
    """Return the members of the text styles with their types; ``lineHeight`` is a text where it is a length."""
    styles = {
        text
        for texts in themes
        for index, text in texts.items()
        if output.kinds[index] == "typography" and text != ABSENT
    }
    types_of: dict[str, list[str]] = {}
    for style in sorted(styles, key=len, reverse=True):
        for name, text, quote in _STYLE_MEMBER.findall(style):
            type_ = "string" if name in _ANY_TEXT else text
            types_of.setdefault(name, []).append(type_ if quote else "number")
    return [
        Member(name if len(types) == len(styles) else f"{name}?", " | ".join(sorted({*types})), [])
        for name, types in types_of.items()
    ]


def _comment(token: Token) -> list[str]:
    lines = comment(token.description)
    if token.deprecated:
        reason = comment(token.deprecated) if isinstance(token.deprecated, str) else []
        lines += [" ".join(("@deprecated", *reason))]
    if len(lines) < 2:
        return [f"/** {line} */" for line in lines]
    return ["/**", *(f" * {line}".rstrip() for line in lines), " */"]
