"""Kotlin for Jetpack Compose: a class per collection and mode, and an object that provides all tokens."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, NamedTuple

from msgspec import Struct
from msgspec.structs import asdict

from tokensync.generate.naming import rendered_bytes, words
from tokensync.generate.naming.rules import pascal
from tokensync.generate.naming.templates import Template, doc, names_template
from tokensync.generate.notation import WIDTH, broken
from tokensync.generate.output import Output, unknown_theme
from tokensync.generate.target import OutputFile, options_of
from tokensync.generate.targets.compose import NAMING, ComposeOptions, kotlin_name
from tokensync.generate.targets.compose import literals as kotlin
from tokensync.generate.targets.compose.expressions import (
    APPEARANCES,
    CHOSEN,
    Expressions,
    TypeNames,
    families_of,
    in_parts,
    type_name,
)
from tokensync.generate.themes import appearance_themes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tokensync.generate.output import Resolution
    from tokensync.generate.target import OutputRequest
    from tokensync.generate.targets.compose.expressions import Choice, Family, Texts
    from tokensync.system.problems import Problem
    from tokensync.tokens import FamilyKey
    from tokensync.tokens.resolver import TokenIndex

    Modes = Mapping[FamilyKey, int]


Package = Annotated[str, doc("the package", "design.tokens")]
Visibility = Annotated[str, doc("`public` or `internal`", "public")]
ModeAccessor = Annotated[str, doc("the property of the chosen mode", "theme")]
ModeEnumeration = Annotated[str, doc("the enumeration of the modes", "ThemeMode")]
DefaultEntry = Annotated[str, doc("the entry of the default mode", "Light")]


class Property(NamedTuple):
    """A token as a property."""

    documentation: Annotated[str, doc("the description, safe in a comment; or empty", "Behind everything.")]
    advice: Annotated[str, doc("the deprecation message as a Kotlin string, or empty", '"Use textMuted."')]
    modifiers: Annotated[str, doc("the modifiers and the keyword before the name", "public open val")]
    name: Annotated[str, doc("the name, with backticks around a keyword", "backgroundPage")]
    type: Annotated[str, doc("the type", "Color")]
    rest: Annotated[str, doc("the initializer or getter", " get() = PrimitivesTokens.colorSlate50")]


class Class(NamedTuple):
    """A class or an object."""

    documentation: Annotated[str, doc("the description, safe in a comment", "[ThemeTokens] in the mode Dark.")]
    declaration: Annotated[
        str,
        doc(
            "the declaration, without the body",
            "internal class ThemeDarkTokens(private val tokens: DesignTokensValues) : ThemeTokens(tokens)",
        ),
    ]
    properties: Annotated[list[Property], doc("the properties, in collection order")]


class Collection(Struct, frozen=True):
    """The file of a collection."""

    package: Package
    imports: Annotated[list[str], doc("the sorted names to import", ["androidx.compose.ui.graphics.Color"])]
    visibility: Visibility
    enumeration: Annotated[str, doc("the name of the enumeration of the modes, or empty", "ThemeMode")]
    documentation: Annotated[
        str, doc("the description of the enumeration, safe in a comment", "The modes of the collection Theme.")
    ]
    entries: Annotated[
        list[str], doc("the entries of the enumeration, with that of the default mode first", ["Light", "Dark"])
    ]
    classes: Annotated[list[Class], doc("the class of the default mode, then one per mode with the differences")]


class SelectableCollection(NamedTuple):
    """A collection with selectable modes."""

    accessor: ModeAccessor
    enumeration: ModeEnumeration
    entry: DefaultEntry


class Counterpart(NamedTuple):
    """A mode, and its counterpart in a dark or light system."""

    entry: Annotated[str, doc("the entry of the enumeration", "ThemeMode.IslanderLight")]
    counterpart: Annotated[str, doc("the entry that replaces it", "ThemeMode.IslanderDark")]


class Following(NamedTuple):
    """A collection whose modes follow the system, also in each of its brands."""

    accessor: ModeAccessor
    enumeration: ModeEnumeration
    entry: DefaultEntry
    dark: Annotated[list[Counterpart], doc("the modes with a counterpart in a dark system")]
    light: Annotated[list[Counterpart], doc("the modes with a counterpart in a light system")]


class Theme(NamedTuple):
    """A configured theme."""

    constant: Annotated[str, doc("the name in Kotlin", "Night")]
    documentation: Annotated[str, doc("the description, safe in a comment", "The theme night.")]
    arguments: Annotated[str, doc("the modes of the theme, as arguments", "theme = ThemeMode.Dark")]


class Mode(NamedTuple):
    """A mode and the class of its values."""

    entry: Annotated[str, doc("the entry of the enumeration", "ThemeMode.Dark")]
    type: Annotated[str, doc("the class", "ThemeDarkTokens")]


class Accessor(NamedTuple):
    """A collection's tokens."""

    accessor: Annotated[str, doc("the property of the tokens", "theme")]
    type: Annotated[str, doc("the type", "ThemeTokens")]
    is_constant: Annotated[
        bool, doc("whether the type is an object because its tokens do not depend on any mode", False)
    ]
    modes: Annotated[list[Mode], doc("the modes to choose from; empty for a collection with one mode")]


class Entry(Struct, frozen=True):
    """The file of the object that provides the tokens."""

    package: Package
    imports: Annotated[list[str], doc("the sorted names to import", ["androidx.compose.runtime.Composable"])]
    visibility: Visibility
    object: Annotated[
        str, doc("the name of the object, which is also part of the other names of the file", "DesignTokens")
    ]
    chosen: Annotated[str, doc("the property of the chosen modes", "chosen")]
    choices: Annotated[list[SelectableCollection], doc("the collections with several modes")]
    themes: Annotated[list[Theme], doc("the configured themes")]
    dark: Annotated[str, doc("the modes of a dark system, as arguments", "theme = ThemeMode.Dark")]
    light: Annotated[str, doc("the modes of a light system, as arguments", "")]
    following: Annotated[list[Following], doc("the collections that follow the system if brands do, or empty")]
    collections: Annotated[list[Accessor], doc("the collections with tokens, in order")]


class Types(Struct, frozen=True):
    """The file of the types of composite tokens."""

    package: Package
    visibility: Visibility


TEMPLATES = (
    names_template("compose", "Android, as Kotlin properties"),
    Template(
        "compose/Collection.kt.j2", "compose", "The file of each collection, such as `ThemeTokens.kt`.", Collection
    ),
    Template("compose/Tokens.kt.j2", "compose", "`DesignTokens.kt`: the object that provides the tokens.", Entry),
    Template("compose/Types.kt.j2", "compose", "The types of shadows, borders and transitions.", Types),
)


_MAX_ADVICE = 1_000  # characters
_LITERAL = re.compile(
    r'Color\(0x|FontWeight\(\d|(?:true|false)\Z|[-("\d]|(?:TextStyle|CubicBezierEasing|listOf|Token\w+)\(|TokenStrokeStyle\.'
)


class Classes:
    """The classes of collection families, and the imports of each family's file."""

    def __init__(self, output: Output, expressions: Expressions, types: TypeNames, options: ComposeOptions) -> None:
        self.output = output
        self.expressions = expressions
        self.types = types
        self.visibility = options.visibility
        self.descriptions = options.descriptions
        self._owner = expressions.owner
        self._parameter = f"private val {expressions.owner}: {options.name}Values"

    def of(self, family: Family) -> tuple[list[Class], list[str]]:
        """Return the family's classes, and the names that their file imports, sorted."""
        default = self.expressions.in_default(family)
        of_modes: dict[int | None, Texts] = {}  # without the default mode
        for choice in family.choices[1:]:
            of_modes[choice.mode] = self.expressions.in_mode(family, choice.mode)
        classes = list(self._of_default(family, default))
        for choice in family.choices[1:]:
            texts, inherited = of_modes[choice.mode], of_modes.get(choice.parent, {})
            differing: Texts = {}
            for index, default_text in default.items():
                if index in texts or index in inherited:
                    text = texts.get(index, default_text)
                    if text != inherited.get(index, default_text):
                        differing[index] = text
            classes += self._of_choice(family, choice, differing)
        return classes, self._imports(default, of_modes.values())

    def _of_default(self, family: Family, default: Texts) -> Iterator[Class]:
        parameter = "" if family.is_constant else self._parameter
        constructor = f"internal constructor({parameter})"
        mode_label = f", in the mode {self._label(family, family.choices[0])}" if family.choices else ""
        modifier = "open " if family.choices else ""
        parts = in_parts(default, self.output.kinds)
        superclass = ""
        for part in parts[:-1]:
            type_ = self.types.claim(f"{family.type}Part")
            declaration = f"{self.visibility} abstract class {type_} {constructor}{superclass}"
            properties = self._properties(part, default, f"public {modifier}val", constant=family.is_constant)
            yield Class(f"A part of [{family.type}].", declaration, properties)
            superclass = f" : {type_}({'' if family.is_constant else self._owner})"
        kind = f"object {family.type}" if family.is_constant else f"{modifier}class {family.type} {constructor}"
        documentation = f"The tokens of the collection {kotlin.comment(family.collection.name)}{mode_label}."
        properties = self._properties(parts[-1], default, f"public {modifier}val", constant=family.is_constant)
        yield Class(documentation, f"{self.visibility} {kind}{superclass}", properties)

    def _of_choice(self, family: Family, choice: Choice, differing: Texts) -> Iterator[Class]:
        parent = next(each for each in family.choices if each.mode == choice.parent)
        superclass = parent.type or family.type
        parts = in_parts(differing, self.output.kinds)
        for part in parts[:-1]:
            type_ = self.types.claim(f"{choice.type}Part")
            declaration = f"internal abstract class {type_}({self._parameter}) : {superclass}({self._owner})"
            yield Class(f"A part of [{choice.type}].", declaration, self._overriding(part, differing))
            superclass = type_
        is_open = any(each.parent == choice.mode for each in family.choices)
        declaration = f"internal {'open ' if is_open else ''}class {choice.type}({self._parameter})"
        documentation = f"[{family.type}] in the mode {self._label(family, choice)}."
        yield Class(
            documentation, f"{declaration} : {superclass}({self._owner})", self._overriding(parts[-1], differing)
        )

    def _properties(
        self, indices: Iterable[TokenIndex], texts: Texts, modifiers: str, *, constant: bool
    ) -> list[Property]:
        """Return the properties of the default mode; in a constant family with initialisers, not getters."""
        properties = []
        for index in indices:
            token = self.output.tokens[index]
            documentation = kotlin.comment(token.description) if self.descriptions and token.description else ""
            advice = _deprecation(token.deprecated) if token.deprecated is not False else ""
            text = texts[index]
            # An initialiser with a reference could read a property that is not initialised yet.
            is_value = constant and index not in self.expressions.referring and _LITERAL.match(text)
            properties.append(
                self._property(index, documentation, advice, modifiers, text, "" if is_value else "get()")
            )
        return properties

    def _overriding(self, indices: Iterable[TokenIndex], texts: Texts) -> list[Property]:
        return [self._property(index, "", "", "override val", texts[index], "get()") for index in indices]

    def _property(
        self, index: TokenIndex, documentation: str, advice: str, modifiers: str, text: str, getter: str
    ) -> Property:
        name = self.expressions.names[index]
        type_ = kotlin.TYPES[self.output.kinds[index] or ""]
        before = f" {getter} = " if getter else " = "
        column = len(modifiers) + len(name) + len(type_) + len(before) + len("     : ")
        if "\n" in text:
            rest = f"\n        get() = {text}"
        elif column + len(text) <= WIDTH:
            rest = f"{before}{text}"
        elif getter:
            rest = f"\n        get() = {broken(text, 16, 8, trailing=',')}"
        else:
            rest = f" = {broken(text, column, 4, trailing=',')}"
        return Property(documentation, advice, modifiers, name, type_, rest)

    def _label(self, family: Family, choice: Choice) -> str:
        """Return a mode's name with that of its extension, as comment text."""
        mode = family.collection.modes[choice.mode]
        of = next((each.name for each in family.collection.extensions if each.handle == mode.collection), "")
        return kotlin.comment(f"{of} / {mode.name}" if of else mode.name)

    def _imports(self, default: Texts, of_modes: Iterable[Mapping[TokenIndex, str]]) -> list[str]:
        by_kind: dict[str, list[str]] = {}
        for texts in (default, *of_modes):
            for index, text in texts.items():
                by_kind.setdefault(self.output.kinds[index] or "", []).append(text)
        names = {"androidx.compose.runtime.Immutable"}
        for kind, expressions in by_kind.items():
            names |= kotlin.imports(kind, expressions)
        return sorted(names)


def _deprecation(deprecated: bool | str) -> str:
    advice = deprecated if isinstance(deprecated, str) and deprecated else "Deprecated in the design file."
    return kotlin.string(advice if len(advice) <= _MAX_ADVICE else f"{advice[: _MAX_ADVICE - 1]}…")


_COMPOSED = (
    "androidx.compose.runtime.Composable",
    "androidx.compose.runtime.CompositionLocalProvider",
    "androidx.compose.runtime.Immutable",
    "androidx.compose.runtime.ProvidableCompositionLocal",
    "androidx.compose.runtime.ReadOnlyComposable",
    "androidx.compose.runtime.remember",
    "androidx.compose.runtime.staticCompositionLocalOf",
)
_SYSTEM = "androidx.compose.foundation.isSystemInDarkTheme"


def render(resolution: Resolution, request: OutputRequest) -> tuple[Iterable[OutputFile], list[Problem]]:
    """Return a file per collection, and the file of the object that provides the tokens."""
    options = options_of(request, ComposeOptions)
    output = Output(
        resolution,
        request,
        naming=NAMING,
        kinds=kotlin.KINDS,
        literals=kotlin.LITERALS,
        references=dict.fromkeys(kotlin.TYPES, ("", "")),
        unrepresentable=kotlin.UNREPRESENTABLE,
    )
    output.widen("weight", "number", kotlin.is_font_weight)
    return output.complete(lambda: _files(output, options)), output.problems


def _files(output: Output, options: ComposeOptions) -> list[OutputFile]:
    request = output.request
    types = TypeNames(output.names)
    families = families_of(output, options, types)
    expressions = Expressions(output, families, _free_name("tokens", output.names))
    classes = Classes(output, expressions, types, options)
    package = ".".join(map(kotlin_name, options.package.split(".")))

    def written(name: str, template: str, context: Collection | Entry | Types) -> OutputFile:
        content = rendered_bytes(f"compose/{template}.kt.j2", request.templates, **asdict(context))
        return OutputFile(f"{name}.kt", content)

    files = []
    for family in families:
        of_family, imports = classes.of(family) if family.indices else ([], [])
        collection = Collection(
            package=package,
            imports=imports,
            visibility=options.visibility,
            enumeration=family.enumeration,
            documentation=f"The modes of the collection {kotlin.comment(family.collection.name)}.",
            entries=[each.entry for each in family.choices],
            classes=of_family,
        )
        files.append(written(family.type, "Collection", collection))
    if any(output.kinds[index] in kotlin.DECLARED for index in output.declared):
        files.append(written(f"{options.name}Types", "Types", Types(package, options.visibility)))
    files.append(written(options.name, "Tokens", _entry(output, families, options, package)))
    expressions.report_limits()
    return files


def _free_name(name: str, used: Iterable[str]) -> str:
    names = set(used)
    while name in names:
        name += "_"
    return name


def _entry(output: Output, families: Sequence[Family], options: ComposeOptions, package: str) -> Entry:
    choosable = [each for each in families if each.choices]
    dark, light = _system(output, options) if choosable else ({}, {})
    arguments_dark, arguments_light = _arguments(choosable, dark), _arguments(choosable, light)
    following = _following(output, choosable, options, dark, light)
    imports = [
        *(_COMPOSED if choosable else ()),
        *((_SYSTEM,) if arguments_dark or arguments_light or following else ()),
    ]
    return Entry(
        package=package,
        imports=sorted(imports),
        visibility=options.visibility,
        object=options.name,
        chosen=CHOSEN,
        choices=[
            SelectableCollection(kotlin_name(each.accessor), each.enumeration, each.choices[0].entry)
            for each in choosable
        ],
        themes=_constants(output, choosable),
        dark=arguments_dark,
        light=arguments_light,
        following=following,
        collections=[
            Accessor(
                kotlin_name(each.accessor),
                each.type,
                each.is_constant,
                [Mode(each.entry(choice.mode), choice.type or each.type) for choice in each.choices],
            )
            for each in families
            if each.indices
        ],
    )


def _arguments(choosable: Iterable[Family], modes: Modes) -> str:
    """Return the modes that are not the default ones, as arguments of the theme's constructor."""
    arguments = []
    for family in choosable:
        mode = modes.get(family.key)
        if any(each.mode == mode for each in family.choices[1:]):
            arguments.append(f"{kotlin_name(family.accessor)} = {family.entry(modes[family.key])}")
    return ", ".join(arguments)


def _constants(output: Output, choosable: Sequence[Family]) -> list[Theme]:
    if not output.request.themes or not choosable:
        return []
    names = TypeNames(())
    return [
        Theme(
            names.claim(type_name(pascal(words(theme.name)) or "Theme")),
            f"The theme {kotlin.comment(theme.name)}.",
            _arguments(choosable, dict(theme.modes)),
        )
        for theme in output.themes
    ]


def _system(output: Output, options: ComposeOptions) -> tuple[Modes, Modes]:
    """Return the modes of a dark and of a light system, by name or as set by the options."""
    themes = {each.name: each for each in output.themes}
    configured = []
    for name, override in options.themes.items():
        if name not in themes:
            output.problems.append(unknown_theme(name, output.themes, output.request.platform))
        elif override.appearance:
            configured.append((themes[name], APPEARANCES.get(override.appearance)))
    by_appearance = dict(appearance_themes(output, configured))
    dark, light = (dict(by_appearance[each].modes) if each in by_appearance else {} for each in APPEARANCES.values())
    return dark, light


def _following(
    output: Output, choosable: Iterable[Family], options: ComposeOptions, dark: Modes, light: Modes
) -> list[Following]:
    """Return the collections that follow the system, if brands (extended collections) do so too.

    Configured themes have no brands, and modes with an appearance in the options are excluded.
    """
    if output.request.themes:
        return []
    fixed = {theme.modes[0] for theme in output.themes if theme.name in options.themes}
    following = []
    has_brands = False
    for family in choosable:
        counterparts = []
        for scheme, system in (("dark", dark), ("light", light)):
            brands = {
                mode: other
                for mode, other in family.brands(scheme).items()
                if (family.key, mode) not in fixed and (family.key, other) not in fixed
            }
            has_brands = has_brands or bool(brands)
            default = family.collection.default_mode
            of_root = {default: system[family.key]} if system.get(family.key, default) != default else {}
            counterparts.append(
                [Counterpart(family.entry(mode), family.entry(other)) for mode, other in (of_root | brands).items()]
            )
        if any(counterparts):
            entry = family.choices[0].entry
            following.append(Following(kotlin_name(family.accessor), family.enumeration, entry, *counterparts))
    return following if has_brands else []
