"""Dart for Flutter: a class of constants for each collection without modes, a ``ThemeExtension`` for each other one.

A constant refers to another one if possible. Values that follow modes are literals: a ``ThemeExtension`` of one choice
has a constant for each mode, and one of several choices selects each member by the modes that it depends on. Lengths
are in logical pixels, with 16 per rem.
"""

from __future__ import annotations

import re
from functools import partial
from itertools import product
from math import floor, prod
from typing import TYPE_CHECKING, Annotated, NamedTuple

from msgspec import Struct
from msgspec.structs import asdict

from tokensync.generate import notation
from tokensync.generate.material import ROLES, roles_of
from tokensync.generate.naming import CodeReferences, rendered_bytes
from tokensync.generate.naming.rules import ascii_words, camel, free_name, pascal, snake, words
from tokensync.generate.naming.templates import Template, doc, names_template
from tokensync.generate.notation import Length, Typed, broken, composite, then
from tokensync.generate.output import Output, Resolution, modes_unsupported
from tokensync.generate.target import OutputFile, OutputRequest, options_of
from tokensync.generate.targets.compose.literals import color, color_text, comment
from tokensync.generate.targets.compose.render import (
    Choice,
    Family,
    TypeNames,
    mode_label,
    modes_of_families,
    shortened,
    tokens_of_families,
    words_of_mode,
)
from tokensync.generate.targets.flutter import NAMING, FlutterOptions, identifier, word
from tokensync.generate.themes import Appearance, Scheme, appearance_themes, best_fit, counterparts
from tokensync.tokens import Composite, Quantity, Theme, normalized, shortest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tokensync.generate.target import Convert
    from tokensync.settings import FontConfig
    from tokensync.system.problems import Problem
    from tokensync.tokens import Collection, Extension, FamilyKey, Literal, Token, TokenKey
    from tokensync.tokens.resolver import TokenIndex

    Texts = dict[TokenIndex, str]
    """Dart expressions by token index."""


class Fonts(NamedTuple):
    """The configured fonts, and the Dart package that declares them if it is not the app."""

    configured: tuple[FontConfig, ...] = ()
    package: str | None = None

    def named(self, family: str) -> FontConfig | None:
        """Return the configuration of a family."""
        return next((font for font in self.configured if font.family.casefold() == family.casefold()), None)


TYPES = {
    "color": "Color",
    "dimension": "double",
    "number": "double",
    "percentage": "double",
    "weight": "FontWeight",
    "string": "String",
    "family": "String",
    "families": "List<String>",
    "boolean": "bool",
    "duration": "Duration",
    "shadow": "List<BoxShadow>",
    "border": "BorderSide",
    "typography": "TextStyle",
    "gradient": "LinearGradient",
    "transition": "({Duration duration, Duration delay, Cubic curve})",
    "cubicBezier": "Cubic",
}
"""The Dart type of each kind. Families of which one is a list are ``families``."""

KINDS = {
    **{kind: kind for kind in TYPES if kind not in ("dimension", "families")},
    **dict.fromkeys(("length", "text-length"), "dimension"),
    "ratio": "percentage",
    "keyword": "string",
}
"""The kind of member for each kind of value."""

LERPS = {
    "color": "Color.lerp({0}, other.{1}, t)!",
    **dict.fromkeys(("dimension", "number", "percentage"), "lerpDouble({0}, other.{1}, t)!"),
    "weight": "FontWeight.lerp({0}, other.{1}, t)!",
    "shadow": "BoxShadow.lerpList({0}, other.{1}, t)!",
    "border": "BorderSide.lerp({0}, other.{1}, t)",
    "typography": "TextStyle.lerp({0}, other.{1}, t)!",
    "gradient": "LinearGradient.lerp({0}, other.{1}, t)!",
}
"""The value between two, by kind; other kinds change at the half."""

_SPECIAL = re.compile(
    "[\0-\x1f'\\\\$\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufffe\uffff]"
)
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\", "'": "\\'", "$": "\\$"}
_OF_SYSTEM = frozenset("system-ui,ui-sans-serif,-apple-system,blinkmacsystemfont".split(","))
"""The names of the system's font, which Flutter shows where a style names none."""
_DECORATIONS = {"none": "none", "underline": "underline", "line-through": "lineThrough"}


def string(text: str) -> str:
    """Return a Dart string without interpolation."""
    return f"'{notation.escaped(text, _SPECIAL, _NAMED, chr(92) + 'u{:04x}')}'"


def _double(decimal: str) -> str:
    return decimal if "." in decimal else f"{decimal}.0"


def _number(value: float) -> str:
    return _double(shortest(normalized(value)))


def _length(value: Length) -> str:
    return _number(notation.in_pixels(value))


def is_font_weight(value: float) -> bool:
    """Return whether the number is one of the weights that Flutter names."""
    return value % 100 == 0 and 100 <= value <= 900


def font_weight(value: Literal) -> str | None:
    """Return a ``FontWeight``; None for a number that is not one of the hundreds."""
    return f"FontWeight.w{int(value)}" if type(value) is float and is_font_weight(value) else None


def _list(items: list[str]) -> str:
    return f"[{', '.join(items)}]"


def duration(value: Literal) -> str | None:
    """Return a ``Duration``, to the microsecond."""
    return _duration(value) if type(value) is Quantity and value.unit in ("ms", "s") else None


def _duration(value: Quantity) -> str:
    microseconds = round(notation.in_seconds(value) * 1_000_000)
    milliseconds, rest = divmod(microseconds, 1000)
    if not microseconds:
        return "Duration.zero"
    return f"Duration({f'microseconds: {microseconds}' if rest else f'milliseconds: {milliseconds}'})"


def _curve(value: notation.CubicBezier) -> str:
    return f"Cubic({', '.join(map(_number, (value.x1, value.y1, value.x2, value.y2)))})"


def composite_text(dtcg_type: str, fonts: Fonts, value: Literal) -> str | None:
    """Return the expression of a composite value; None for one that Flutter has not."""
    typed = composite(value, dtcg_type)
    return None if typed is None else _expression(typed, fonts)


def _expression(value: Typed, fonts: Fonts) -> str | None:
    match value:
        case notation.Shadow(layers=layers):
            return None if any(layer.inset for layer in layers) else _list([*map(_layer, layers)])
        case notation.Border(style=style):
            is_solid = style.keyword == "solid"
            return f"BorderSide(color: {color_text(value.color)}, width: {_length(value.width)})" if is_solid else None
        case notation.Typography():
            return _text_style(value, fonts)
        case notation.Gradient(stops=stops):
            two = (stops * 2)[: max(len(stops), 2)]  # fewer are an error in Flutter
            colors, positions = [color_text(stop.color) for stop in two], [_number(stop.position) for stop in two]
            return f"LinearGradient(colors: {_list(colors)}, stops: {_list(positions)})"
        case notation.Transition():
            times = f"duration: {_duration(value.duration)}, delay: {_duration(value.delay)}"
            return f"({times}, curve: {_curve(value.timing)})"
        case notation.CubicBezier():
            return _curve(value)
    return None


def _layer(value: notation.Layer) -> str:
    offset = f"Offset({_length(value.offset_x)}, {_length(value.offset_y)})"
    radii = f"blurRadius: {_length(value.blur)}, spreadRadius: {_length(value.spread)}"
    return f"BoxShadow(color: {color_text(value.color)}, offset: {offset}, {radii})"


def _text_style(value: notation.Typography, fonts: Fonts) -> str:
    """Return a ``TextStyle``, whose lines are as high as in design tools and have their text in the middle."""
    stack = notation.font_stack(value.families, fonts.configured)
    families = [name for name in stack if name.lower() not in _OF_SYSTEM]
    first, *others = [  # the parameter ``package`` would rename the fallbacks of the system, too
        string(f"packages/{fonts.package}/{name}" if fonts.package and (fonts.named(name) or not at) else name)
        for at, name in enumerate(families)
    ] or [""]
    arguments = [f"fontFamily: {first}"] if first else []
    if others:
        arguments.append(f"fontFamilyFallback: {_list(others)}")
    arguments.append(f"fontSize: {_length(value.size)}")
    if value.weight is not None:
        arguments.append(f"fontWeight: FontWeight.w{min(max(floor(value.weight / 100 + 0.5), 1), 9)}00")
        font = fonts.named(families[0]) if families else None
        # Flutter sets the weight of a variable font to ``fontWeight`` only from 3.41 on.
        is_variable = font is not None and any(face.weight is None for face in font.faces)
        if is_variable or not is_font_weight(value.weight):
            arguments.append(f"fontVariations: [FontVariation('wght', {_number(value.weight)})]")
    if value.style:
        arguments.append(f"fontStyle: FontStyle.{'normal' if value.style == 'normal' else 'italic'}")
    arguments.append(f"letterSpacing: {_length(value.letter_spacing)}")
    if value.line_factor is not None:
        arguments += [f"height: {_number(value.line_factor)}", "leadingDistribution: TextLeadingDistribution.even"]
    if value.decoration:
        arguments.append(f"decoration: TextDecoration.{_DECORATIONS[value.decoration]}")
    return f"TextStyle({', '.join(arguments)})"


def converters(fonts: Fonts) -> dict[str, Convert]:
    """Return the functions that write literals, by kind; they return None for unsupported values."""
    return {
        "color": color,
        "dimension": then(notation.pixels, _double),
        "number": then(notation.decimal, _double),
        "percentage": then(notation.share, _double),
        "weight": font_weight,
        "string": then(notation.listed, string),
        "family": then(notation.families, lambda names: string(names[0]) if len(names) == 1 else ""),
        "families": then(notation.families, lambda names: _list([*map(string, names)])),
        "boolean": notation.boolean,
        "duration": duration,
        **{dtcg_type: partial(composite_text, dtcg_type, fonts) for dtcg_type in notation.TYPES},
    }


WIDTH, INDENT = 80, 2
"""As ``dart format`` has it by default."""
_MAX_COMBINATIONS = 256
"""Literals of one member; with more, other collections are in their default modes."""
_MAX_VALUE = 60
"""The longest value that a comment repeats."""
_MEMBERS = ("brightness", "defaults", "extensions", "forBrightness", "other", "toColorScheme", "toThemeData")
"""Members and parameters of the class of chosen modes."""
_FORMER = {"surface": "background", "onSurface": "onBackground", "surfaceContainerHighest": "surfaceVariant"}
"""Roles that replace deprecated ones (docs.flutter.dev/release/breaking-changes/new-color-scheme-roles)."""
_ROLES = {
    **{role.name: role.name for role in ROLES.values() if role.kind != "length" and role.name not in _FORMER.values()},
    "inverseOnSurface": "onInverseSurface",
}
"""Flutter's names of Material's roles; there is no theme of corners."""
_STATICS = {
    Appearance("light", ""): ("light", "a light system"),
    Appearance("dark", ""): ("dark", "a dark system"),
    Appearance("", "more"): ("highContrast", "a light system with high contrast"),
    Appearance("dark", "more"): ("highContrastDark", "a dark system with high contrast"),
}
"""The constants of the class of chosen modes, named as the parameters of ``MaterialApp``."""


class Member(NamedTuple):
    """A token as a member."""

    documentation: Annotated[list[str], doc("the lines of its comment", ["Body copy."])]
    deprecation: Annotated[str, doc("the advice of a deprecated token as a Dart string, else empty", "'Use accent.'")]
    type: Annotated[str, doc("its type", "Color")]
    name: Annotated[str, doc("its name", "accent")]
    value: Annotated[str, doc("of a constant, what follows the name", " = Color(0xFF1F6FEB)")]
    copied: Annotated[str, doc("of a theme extension, the argument of `copyWith`", "accent: accent ?? this.accent")]
    interpolation: Annotated[
        str, doc("of a theme extension, the argument of `lerp`", "accent: Color.lerp(accent, other.accent, t)!")
    ]


class Instance(NamedTuple):
    """The values of a theme extension in a mode."""

    documentation: Annotated[str, doc("the name of the mode", "Dark")]
    name: Annotated[str, doc("the name of the constant", "dark")]
    entry: Annotated[str, doc("the entry of the enumeration", "ThemeTokensMode.dark")]
    arguments: Annotated[list[str], doc("the arguments of the constructor", ["accent: Color(0xFF1F6FEB)"])]


class DartClass(NamedTuple):
    """The class of a collection."""

    documentation: Annotated[str, doc("the name of the collection, as comment text", "Theme")]
    name: Annotated[str, doc("the class", "ThemeTokens")]
    is_constant: Annotated[bool, doc("whether it has constants only", False)]
    members: Annotated[list[Member], doc("its tokens")]
    required: Annotated[list[str], doc("the parameters of its constructor", ["required this.accent"])]
    optional: Annotated[list[str], doc("the parameters of `copyWith`", ["Color? accent"])]
    choice: Annotated[str, doc("the property of the chosen mode, if it depends on one", "theme")]
    instances: Annotated[list[Instance], doc("its values in each mode, if it depends on one choice")]
    arguments: Annotated[
        list[str],
        doc("the arguments of its constructor, if it depends on several choices", ["accent: Color(0xFF1F6FEB)"]),
    ]
    getter: Annotated[str, doc("its getter on `BuildContext`", "themeTokens")]


class Counterpart(NamedTuple):
    """A mode and the one that shows it in a light or dark system."""

    mode: Annotated[str, doc("the mode", "ThemeTokensMode.light")]
    counterpart: Annotated[str, doc("its counterpart", "ThemeTokensMode.dark")]


class Enumeration(NamedTuple):
    """The modes of a collection."""

    documentation: Annotated[str, doc("the name of the collection, as comment text", "Theme")]
    name: Annotated[str, doc("the enumeration", "ThemeTokensMode")]
    accessor: Annotated[str, doc("the property with the chosen mode", "theme")]
    entries: Annotated[list[str], doc("the modes, the default one first", ["light", "dark"])]
    dark: Annotated[list[Counterpart], doc("the counterparts of modes in a dark system")]
    light: Annotated[list[Counterpart], doc("the counterparts of modes in a light system")]
    high_dark: Annotated[list[Counterpart], doc("those in a dark system with high contrast")]
    high_light: Annotated[list[Counterpart], doc("those in a light system with high contrast")]


class Chosen(NamedTuple):
    """A constant with chosen modes."""

    documentation: Annotated[str, doc("when to use it", "The modes for a dark system.")]
    name: Annotated[str, doc("its name", "dark")]
    value: Annotated[str, doc("what follows the name", " = DesignTokens(theme: ThemeTokensMode.dark)")]


class DartFile(Struct, frozen=True):
    """A Dart library with all tokens."""

    object: Annotated[str, doc("the class of the chosen modes", "DesignTokens")]
    interpolates: Annotated[bool, doc("whether `lerpDouble` is used", True)]
    enumerations: Annotated[list[Enumeration], doc("the collections with several modes")]
    parameters: Annotated[list[str], doc("the parameters of its constructor", ["this.theme = ThemeTokensMode.light"])]
    optional: Annotated[list[str], doc("the parameters of its `copyWith`", ["ThemeTokensMode? theme"])]
    copied: Annotated[list[str], doc("the arguments in its `copyWith`", ["theme: theme ?? this.theme"])]
    extensions: Annotated[list[str], doc("the theme extensions in these modes", ["ThemeTokens.of(this)"])]
    constants: Annotated[list[Chosen], doc("the chosen modes of appearances and of configured themes")]
    has_contrast: Annotated[bool, doc("whether counterparts in a system with high contrast are others", False)]
    classes: Annotated[list[DartClass], doc("the collections")]
    has_material: Annotated[bool, doc("whether the option `material` is set", True)]
    color_variables: Annotated[list[str], doc("variables of the colors", ["theme = ThemeTokens.of(this)"])]
    colors: Annotated[list[str], doc("the arguments of `ColorScheme.copyWith`", ["primary: theme.accent"])]
    text_variables: Annotated[list[str], doc("variables of the text styles", ["type = TypeTokens.of(this)"])]
    text_styles: Annotated[list[str], doc("the arguments of `TextTheme`", ["bodyLarge: TypeTokens.body"])]


TEMPLATES = (
    names_template("flutter", "Android, as Dart members"),
    Template("flutter/tokens.dart.j2", "flutter", "The Dart library.", DartFile),
)


def render(resolution: Resolution, request: OutputRequest) -> tuple[Iterable[OutputFile], list[Problem]]:
    """Return one Dart library."""
    options = options_of(request, FlutterOptions)
    output = _output(resolution, request, options)
    return output.complete(lambda: [_file(output, options)]), output.problems


def code_references(resolution: Resolution, request: OutputRequest, *, exact: bool) -> CodeReferences:
    """Return how code reads each token: ``PrimitivesTokens.blue500``, or ``context.themeTokens.accent``."""
    options = options_of(request, FlutterOptions)
    output = _output(resolution, request, options)
    of_output = frozenset(output.declared_with(lambda: _file(output, options)) if exact else output.declared)
    references: dict[TokenKey, tuple[str, ...]] = {}
    for family in families_of(output, options):
        source = family.type if family.is_constant else f"context.{_getter(family.type)}"
        for index in of_output.intersection(family.indices):
            if output.kinds[index]:
                references[output.tokens[index].key] = (f"{source}.{output.names[index]}",)
    return references


def _output(resolution: Resolution, request: OutputRequest, options: FlutterOptions) -> Output:
    output = Output(
        resolution,
        request,
        naming=NAMING,
        kinds=KINDS,
        literals=converters(Fonts(request.fonts, options.package)),
        references=dict.fromkeys(TYPES, ("", "")),
    )
    output.widen("weight", "number", is_font_weight)
    if families := [index for index in output.declared if output.kinds[index] == "family"]:
        lists = output.resolution.may_misfit(
            lambda value: isinstance(value, str | Composite) and len(notation.families(value) or ()) == 1
        )
        for index in lists.intersection(families):
            output.kinds[index] = "families"
    return output


def families_of(output: Output, options: FlutterOptions) -> list[Family]:
    """Return the families with declared tokens, or whose modes declared tokens depend on, in the graph's order."""
    modes = modes_of_families(output)
    declared, depending = tokens_of_families(output, modes)
    types, accessors = TypeNames(output.names), TypeNames(_MEMBERS)
    for taken in (options.name, f"{options.name}Context", *(constant for constant, _ in _STATICS.values())):
        types.claim(taken)
        accessors.claim(taken)
    several_files = len({file for file, _ in declared}) > 1
    varying = frozenset().union(*depending.values())
    families = []
    for key, collection in output.graph.collections.items():
        if key in declared or key in depending:
            name = (*(ascii_words(collection.file) if several_files else ()), *ascii_words(collection.handle))
            stem = shortened(word(pascal(name or ("design",))))
            type_ = types.claim(f"{stem}Tokens")
            families.append(
                Family(
                    collection,
                    tuple(declared.get(key, ())),
                    _choices(collection, modes.get(key, ()) if key in depending else ()),
                    type_,
                    accessors.claim(shortened(identifier(camel(name or ("design",))))),
                    types.claim(f"{type_}Mode") if key in depending else "",
                    depending.get(key, frozenset()),
                    is_constant=varying.isdisjoint(declared.get(key, ())),
                )
            )
    return families


def _choices(collection: Collection, modes: Sequence[int]) -> tuple[Choice, ...]:
    entries = TypeNames(("index", "values"))
    names = (camel([*map("".join, map(ascii_words, words_of_mode(collection, mode)))]) for mode in modes)
    return tuple(
        Choice(mode, entries.claim(shortened(identifier(name or "mode"))))
        for mode, name in zip(modes, names, strict=True)
    )


def _getter(type_: str) -> str:
    return type_[:1].lower() + type_[1:]


class _Classes:
    """The classes of all families."""

    def __init__(self, output: Output, families: Sequence[Family], options: FlutterOptions) -> None:
        self.output = output
        self.families = families
        self.options = options
        self._limited: dict[FamilyKey, tuple[int, ...]] = {}
        self._family_of = {index: at for at, family in enumerate(families) for index in family.indices}
        self._roles = roles_of(output, options.material, _ROLES.keys(), _FORMER) if options.material else {}
        output.spelled = [""] * len(output.names)
        self._referable: set[TokenIndex] = set()
        for family in families:
            if family.is_constant:
                self._referable.update(family.indices)
                for index in family.indices:
                    output.spelled[index] = f"{family.type}.{output.names[index]}"
        rows = output.rows(output.declared, output.resolution.default, Theme("", ()), self._referable)
        self.default = {index: text for index, text, _ in rows}

    def all(self) -> list[DartClass]:
        """Return the classes of the families with tokens; report the modes that some members do not follow."""
        classes = [self._class(family) for family in self.families if self.default.keys() & family.indices]
        for key, modes in self._limited.items():
            but = ", in members that depend on many collections"
            self.output.problems.append(modes_unsupported(self.output.graph, key, modes, "flutter", but))
        return classes

    def material(self, kind: str) -> tuple[list[str], list[str]]:
        """Return the variables and the arguments of the tokens that fill Material's roles of a kind."""
        variables: dict[str, str] = {}
        arguments: dict[str, str] = {}
        for role, index in self._roles.items():
            if role.kind == kind and index in self.default:
                family = self.families[self._family_of[index]]
                source = family.type if index in self._referable else family.accessor
                if index not in self._referable:
                    variables[source] = f"{source} = {family.type}.of(this)"
                arguments[_ROLES[role.name]] = f"{source}.{self.output.names[index]}"
        if "primary" in arguments:  # as ``ColorScheme()`` does; ``copyWith`` keeps Material's
            arguments.setdefault("surfaceTint", arguments["primary"])
        indent = 6 if kind == "color" else 8
        return [*variables.values()], [_reference(name, text, indent) for name, text in arguments.items()]

    def _class(self, family: Family) -> DartClass:
        indices = [index for index in family.indices if index in self.default]
        choosing = [family for family in self.families if not family.depending.isdisjoint(indices)]
        instances = self._instances(choosing[0], indices) if len(choosing) == 1 else []
        arguments = [] if family.is_constant or instances else self._arguments(choosing, indices)
        members = [self._member(index, is_constant=family.is_constant) for index in indices]
        return DartClass(
            documentation=comment(family.collection.name),
            name=family.type,
            is_constant=family.is_constant,
            members=members,
            required=[f"required this.{member.name}" for member in members],
            optional=[f"{member.type}? {member.name}" for member in members],
            choice=choosing[0].accessor if instances else "",
            instances=instances,
            arguments=arguments,
            getter=_getter(family.type),
        )

    def _member(self, index: TokenIndex, *, is_constant: bool) -> Member:
        kind, name, text = self.output.kinds[index] or "", self.output.names[index], self.default[index]
        token = self.output.tokens[index]
        own = f"this.{name}" if name in ("other", "t") else name
        blend = LERPS.get(kind, "t < 0.5 ? {0} : other.{1}").format(own, name)
        value = _assigned(f"  static const {TYPES[kind]} {name}", text) if is_constant else ""
        deprecation = _deprecation(token) if token.deprecated is not False else ""
        interpolation = _argument(name, blend, 6)
        documentation = self._documentation(index)
        return Member(documentation, deprecation, TYPES[kind], name, value, _copied(name), interpolation)

    def _documentation(self, index: TokenIndex) -> list[str]:
        """Return the description, and the value where it is short: an editor shows comments where it shows no code."""
        if not self.options.descriptions:
            return []
        converted = self.output.texts[index]
        text = (converted and converted[self.output.resolution.default.literals[index]]) or ""
        description = comment(self.output.tokens[index].description).replace("{@", "{&#64;")
        value = f"`{text}`" if text and len(text) <= _MAX_VALUE and "`" not in text and text.isprintable() else ""
        return [description, "", value] if description and value else [text for text in (description, value) if text]

    def _instances(self, choosing: Family, indices: Sequence[TokenIndex]) -> list[Instance]:
        """Return the values in each mode of the only family on whose modes they depend."""
        used = {self.output.names[index] for index in indices}
        instances = []
        for mode, entry, *_ in choosing.choices:
            texts = self.default | self._texts(indices, ((choosing.key, mode),))
            arguments = [_argument(self.output.names[index], texts[index], 4) for index in indices]
            name = mode_label(choosing.collection, mode)
            instances.append(Instance(name, free_name(entry, used, "Mode"), choosing.entry(mode), arguments))
        return instances

    def _texts(self, indices: Iterable[TokenIndex], modes: tuple[tuple[FamilyKey, int], ...]) -> Texts:
        theme = Theme(" + ".join(self.output.graph.collections[key].modes[mode].context for key, mode in modes), modes)
        varying = self.output.resolution.varying((theme,))
        requested = [index for index in indices if index in varying]
        resolved = self.output.resolution.in_theme(theme, varying, requested)
        rows = self.output.rows(requested, resolved, theme, self._referable)
        return {index: text for index, text, _ in rows}

    def _arguments(self, choosing: Sequence[Family], indices: Sequence[TokenIndex]) -> list[str]:
        """Return the arguments of the constructor, which select each value by the modes that it depends on."""
        groups: dict[tuple[int, ...], list[TokenIndex]] = {}
        for index in indices:
            depends = tuple(at for at, family in enumerate(choosing) if index in family.depending)
            groups.setdefault(depends, []).append(index)
        expressions: Texts = {}
        for depends, members in groups.items():
            expressions |= self._selected([choosing[at] for at in depends], members)
        return [_argument(self.output.names[index], expressions[index], 6) for index in indices]

    def _selected(self, families: list[Family], indices: Sequence[TokenIndex]) -> Texts:
        while prod(len(family.choices) for family in families) > _MAX_COMBINATIONS:
            limited = families.pop()
            self._limited[limited.key] = tuple(choice.mode for choice in limited.choices[1:])
        arms: dict[TokenIndex, dict[str, list[str]]] = {index: {} for index in indices}
        for choices in product(*(family.choices for family in families)):
            modes = tuple((family.key, choice.mode) for family, choice in zip(families, choices, strict=True))
            texts = self.default | self._texts(indices, modes)
            entries = [family.entry(choice.mode) for family, choice in zip(families, choices, strict=True)]
            pattern = entries[0] if len(entries) == 1 else f"({', '.join(entries)})"
            for index in indices:
                arms[index].setdefault(texts[index], []).append(pattern)
        subjects = [f"tokens.{family.accessor}" for family in families]
        return {index: _switch(self.output.names[index], subjects, arms[index]) for index in indices}


def _switch(name: str, subjects: Sequence[str], arms: Mapping[str, Sequence[str]]) -> str:
    """Return the expression of an argument that selects its value; the most frequent one needs no patterns.

    Values are constants, so that equal modes have equal tokens: ``List`` compares identities.
    """
    constants = {text: f"const {text}" if text[-1] in ")]" else text for text in arms}
    if len(arms) == 1:
        return next(iter(constants.values()))
    *others, rest = sorted(arms, key=lambda text: len(arms[text]))
    lines = [_case(arms[text], constants[text]) for text in others]
    subject = subjects[0] if len(subjects) == 1 else f"({', '.join(subjects)})"
    if len(f"      {name}: switch ({subject}) {{") > WIDTH and len(subjects) > 1:
        subject = "(\n" + "".join(f"        {part},\n" for part in subjects) + "      )"
    return f"switch ({subject}) {{\n{''.join(lines)}{_case(['_'], constants[rest])}      }}"


def _case(patterns: Sequence[str], text: str) -> str:
    line = f"        {' || '.join(patterns)} => {text},\n"
    if len(line) <= WIDTH + 1:
        return line
    *others, last = (_broken(part, 8 + len(" =>") - 1, 8) for part in patterns)
    before = "".join(f"        {part} ||\n" for part in others)
    column = len(f"        {patterns[-1]} => ")
    if others and last[0] == "(" and column + len(text) >= WIDTH:
        return f"{before}        {_broken(last, WIDTH, 8)} => {_broken(text, len('        ) => '), 8)},\n"
    if column + len(text.partition("(")[0]) < WIDTH:
        return f"{before}        {last} => {_broken(text, column, 8)},\n"
    return f"{before}        {last} =>\n          {_broken(text, 10, 10)},\n"


def _broken(text: str, column: int, indent: int) -> str:
    """Return an expression that a comma or a semicolon follows, as ``notation.broken`` does."""
    return broken(text, column, indent, trailing=",", width=WIDTH - 1, step=INDENT)


def _argument(name: str, text: str, indent: int) -> str:
    """Return a named argument that a comma follows."""
    call = text.removesuffix("!")
    after = text[len(call) :]
    if indent + len(name) + len(text) + len(": ,") > WIDTH and " ? " in text:
        return f"{name}: {text}".replace(" ? ", "\n          ? ").replace(" : ", "\n          : ")
    if text[0] == "'":
        return _reference(name, text, indent)
    return _broken(f"{name}: {call}", indent + len(after), indent) + after


def _reference(name: str, text: str, indent: int) -> str:
    """Return a named argument, a reference or a string, that a comma follows."""
    is_long = indent + len(f"{name}: {text},") > WIDTH
    return f"{name}:\n{' ' * (indent + 4)}{text}" if is_long else f"{name}: {text}"


def _copied(name: str) -> str:
    text = f"{name}: {name} ?? this.{name}"
    if len(text) < WIDTH - 6:
        return text
    text = text.replace(": ", ":\n          ", 1)
    return text if len(f"          {name} ?? this.{name},") <= WIDTH else text.replace(" ?? ", " ??\n          ")


def _assigned(head: str, text: str) -> str:
    """Return the assignment of a constant; a text that does not fit and cannot be split has a line of its own."""
    if len(head) + len(text) + len(" = ;") <= WIDTH:
        return f" = {text}"
    split = _broken(text, WIDTH, INDENT)
    return f" = {split}" if "\n" in split else f" =\n      {text}"


def _deprecation(token: Token) -> str:
    return string(
        token.deprecated if isinstance(token.deprecated, str) and token.deprecated else "See the design file."
    )


def _file(output: Output, options: FlutterOptions) -> OutputFile:
    families = families_of(output, options)
    of_output = _Classes(output, families, options)
    classes = of_output.all()
    color_variables, colors = of_output.material("color")
    text_variables, text_styles = of_output.material("typography")
    choosable = [family for family in families if family.choices]
    enumerations = [_enumeration(family) for family in choosable]
    file = DartFile(
        object=options.name,
        interpolates=any(
            "lerpDouble(" in member.interpolation
            for declared in classes
            if not declared.is_constant
            for member in declared.members
        ),
        enumerations=enumerations,
        parameters=[
            f"this.{enumeration.accessor} = {enumeration.name}.{enumeration.entries[0]}" for enumeration in enumerations
        ],
        optional=[f"{enumeration.name}? {enumeration.accessor}" for enumeration in enumerations],
        copied=[_copied(enumeration.accessor) for enumeration in enumerations],
        extensions=[f"{declared.name}.of(this)" for declared in classes if not declared.is_constant],
        constants=[*_constants(output, choosable, options.name)],
        has_contrast=any(
            (enumeration.high_dark, enumeration.high_light) != (enumeration.dark, enumeration.light)
            for enumeration in enumerations
        ),
        classes=classes,
        has_material=options.material is not None,
        color_variables=color_variables,
        colors=colors,
        text_variables=text_variables,
        text_styles=text_styles,
    )
    content = rendered_bytes("flutter/tokens.dart.j2", output.request.templates, **asdict(file))
    return OutputFile(f"{snake(words(options.name))}.dart", content)


def _enumeration(family: Family) -> Enumeration:
    return Enumeration(
        comment(family.collection.name),
        family.enumeration,
        family.accessor,
        [choice.entry for choice in family.choices],
        *(_counterparts(family, scheme, contrast) for contrast in ("", "more") for scheme in ("dark", "light")),
    )


def _counterparts(family: Family, scheme: Scheme, contrast: str) -> list[Counterpart]:
    """Return the modes that the system shows as others, those of extensions too; modes with contrast keep it."""
    collection = family.collection
    chosen = {choice.mode for choice in family.choices}
    pairs = []
    roots: tuple[Collection | Extension, ...] = (collection, *collection.extensions)
    for root in roots:
        modes, medium = counterparts(collection, root.handle), counterparts(collection, root.handle, medium=True)
        high, more = modes_with_contrast(modes), modes_with_contrast(medium)
        for mode in dict.fromkeys((root.default_mode, *modes.values(), *medium.values())):
            of = medium if mode in more - high and not contrast else modes
            target = best_fit(of, Appearance(scheme, "more" if contrast or mode in high | more else ""))
            target = root.default_mode if target is None else target
            if mode != target and {mode, target} <= chosen:
                pairs.append(Counterpart(family.entry(mode), family.entry(target)))
    return pairs


def modes_with_contrast(modes: Mapping[Appearance, int]) -> set[int]:
    """Return the modes that only a system with more contrast shows."""
    plain = {mode for appearance, mode in modes.items() if not appearance.contrast}
    return {mode for appearance, mode in modes.items() if appearance.contrast} - plain


def _constants(output: Output, choosable: Sequence[Family], name: str) -> Iterator[Chosen]:
    """Yield the chosen modes of each appearance, else those of the configured themes."""
    if not choosable:
        return
    by_appearance = dict(appearance_themes(output))
    follows = any(theme.modes for appearance, theme in by_appearance.items() if not appearance.contrast)
    for appearance, (constant, system) in _STATICS.items():
        modes = dict(by_appearance[appearance].modes) if appearance in by_appearance else {}
        if follows if not appearance.contrast else appearance in by_appearance:
            yield _chosen(f"The modes for {system}.", constant, modes, choosable, name)
    used = TypeNames(name for name, _ in _STATICS.values())
    for theme in output.themes if output.request.themes else ():
        constant = used.claim(shortened(identifier(camel(ascii_words(theme.name)) or "theme")))
        yield _chosen(f"The theme {comment(theme.name)}.", constant, dict(theme.modes), choosable, name)


def _chosen(
    documentation: str, constant: str, modes: Mapping[FamilyKey, int], choosable: Iterable[Family], name: str
) -> Chosen:
    arguments = [
        f"{family.accessor}: {family.entry(mode)}"
        for family in choosable
        if (mode := modes.get(family.key, family.choices[0].mode)) in {choice.mode for choice in family.choices[1:]}
    ]
    return Chosen(
        documentation, constant, _assigned(f"  static const {name} {constant}", f"{name}({', '.join(arguments)})")
    )
