"""The Swift module: an enum with a constant for each token, extensions, and supporting types."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from tokensync.generate.naming import rendered_bytes, token_label
from tokensync.generate.naming.rules import camel, words
from tokensync.generate.notation import TYPES, broken, complete, references
from tokensync.generate.target import OutputFile
from tokensync.generate.targets.ios import SWIFTUI_MEMBERS, UIKIT_MEMBERS, TypeNames, free_name, identifier, swift_name
from tokensync.generate.targets.ios import literals as swift
from tokensync.generate.targets.ios.catalog import PLAIN, ColorMember, Constant, Section
from tokensync.generate.themes import ORDER, Appearance, axes_of
from tokensync.system.outlet import readable
from tokensync.system.problems import problem
from tokensync.tokens import DEFAULT_THEME, Alias, Color, Theme, Unresolved, targets
from tokensync.tokens.algorithms import components

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from tokensync.generate.notation import Reference
    from tokensync.generate.output import Output
    from tokensync.generate.targets.ios import IosOptions
    from tokensync.generate.targets.ios.catalog import ColorSet, Variants
    from tokensync.generate.themes import Axis, Context
    from tokensync.tokens import FamilyKey, Resolved, TokenKey, Value
    from tokensync.tokens.resolver import TokenIndex


_KINDS_OF_PARTS = {"dimension": "number"}
"""The kinds of constants that a part of a composite can refer to, when they differ from its type."""

_LITERAL_PARTS = frozenset(("fontFamily", "fontWeight", "shadow"))
"""Parts whose Swift type differs from that of the constants that they refer to."""


_USED = ("Double", "Gradient", "Swift", "SwiftUI", "UIColor")
"""Types and modules in generated expressions; ``Color`` is written ``SwiftUI.Color`` where a token hides it."""


class Module:
    """The context of an output's Swift files.

    ``names`` has identifiers as Swift source by token index, to which ``output.spelled`` adds the collection's enum
    if any. ``types`` has the Swift type of each kind; ``bundle`` is the expression of the asset catalog's bundle.
    """

    def __init__(self, output: Output, options: IosOptions, notation: swift.Notation) -> None:
        self.output = output
        self.options = options
        self.notation = notation
        self.types = notation.types()
        self.support = f"{options.name}Support"
        self.access = "" if options.access == "internal" else f"{options.access} "
        self.bundle = options.bundle or f".{self.member('Bundle')}"
        used = (*_USED, options.name, self.support, *(self.types[kind] for kind in swift.STYLE_TYPES))
        self.enums = {}
        if options.nested:
            types = TypeNames(used, options.name)
            families = dict.fromkeys(output.tokens[index].key[:2] for index in output.declared)
            self.enums = {key: types.unique(key[1]) for key in families}
        reserved, names = {*used, *self.enums.values()}, set(output.names)
        for index in output.declared:
            if output.names[index] in reserved:
                why = "the generated Swift uses a type or module"
                output.names[index] = _renamed(output, index, names, reserved, why)
        self.names = [swift_name(name) for name in output.names]
        # A member named Color would hide the type.
        self._color_type, self._color_init = (
            ("SwiftUI.Color", ".init") if "Color" in output.names else ("Color", "Color")
        )
        output.spelled = [
            f"{self.enums[token.key[:2]]}.{name}" if token.key[:2] in self.enums else name
            for token, name in zip(output.tokens, self.names, strict=True)
        ]

    def member(self, suffix: str) -> str:
        """Return the name of a member in an extension of a system type: the name of the enum, and the suffix."""
        name = self.options.name
        return f"{name[0].lower()}{name[1:]}{suffix}"

    def constant(self, index: TokenIndex) -> str:
        """Return the reference to a token's constant from outside the enum."""
        return f"{self.options.name}.{self.output.spelled[index]}"

    def color(self, color: Color) -> str:
        """Return a colour's components as SwiftUI's Color."""
        return swift.color_expression(color, self.options.color_space, self._color_type)

    def catalog_color(self, asset: str) -> str:
        """Return a SwiftUI Color that is loaded from the catalog."""
        return f"{self._color_init}({swift.string(asset)}, bundle: {self.bundle})"

    def adaptive_color(self, color_set: ColorSet) -> str:
        """Return a SwiftUI Color by its components in each appearance."""
        return self._adaptive(color_set, self.color, "adaptive")

    def adaptive_uicolor(self, color_set: ColorSet) -> str:
        """Return a UIColor by its components in each appearance."""
        return self._adaptive(color_set, lambda color: swift.uicolor_expression(color, self.notation.space), "dynamic")

    def _adaptive(self, color_set: ColorSet, convert: Callable[[Color], str], function: str) -> str:
        values = self.output.resolution.columns.values
        texts = {
            appearance: convert(color)
            for _, appearance, literal in color_set
            if isinstance(color := values[literal], Color)
        }
        return swift.adaptive(texts.pop(PLAIN), texts, f"{self.support}.{function}")

    def file(self, name: str, template: str, **context: object) -> OutputFile:
        """Render a Swift file from a template of ``ios/``."""
        content = rendered_bytes(
            f"ios/{template}",
            self.output.request.templates,
            access=self.access,
            imports=self.options.imports,
            tokens=self.options.name,
            **context,
        )
        return OutputFile(f"{name}.swift", content)


def default_values(output: Output) -> dict[TokenIndex, str]:
    """Return the Swift expression of each constant by token index; an empty text for a colour.

    No constant refers to a deprecated one, to avoid compiler warnings in the generated file.
    """
    current = {index for index in output.declared if not output.tokens[index].deprecated}
    referable = current if len(current) < len(output.declared) else None
    rows = output.rows(output.declared, output.resolution.default, DEFAULT_THEME, referable)
    return {index: text for index, text, _ in rows}


def refer_to_parts(module: Module, values: dict[TokenIndex, str]) -> None:
    """Replace the parts of composite values by references to constants where possible."""
    output = module.output
    for index in values:
        kind = output.kinds[index]
        if kind not in TYPES:
            continue
        references_by_path = {
            each.path: output.spelled[target]
            for each in references(_written_by_default(output, index), kind)
            if (target := _referable(output, each, values)) is not None
        }
        literal = output.literal(output.resolution.default, index)
        typed = None if isinstance(literal, Unresolved) else complete(literal, kind)
        if references_by_path and typed is not None:
            values[index] = swift.text(typed, references_by_path, module.notation)


def follows_colors(
    output: Output, index: TokenIndex, values: Collection[TokenIndex], differing: Collection[TokenIndex]
) -> bool:
    """Return whether a composite, or its alias, differs between appearances only in the colours that it refers to.

    ``differing`` are the tokens that differ in some appearance.
    """
    indices = output.resolution.columns.indices
    seen: set[TokenIndex] = set()
    value = None
    while index not in seen and output.kinds[index] in TYPES:
        seen.add(index)
        if len({each for each in output.tokens[index].values if each is not None}) != 1:
            return False
        value = _written_by_default(output, index)
        if not isinstance(value, Alias):
            break
        index = indices.get(value.target, index)
    kind = output.kinds[index]
    part_references = references(value, kind) if kind in TYPES else ()
    return bool(part_references) and all(
        indices.get(each.target) not in differing
        or (each.type == "color" and _referable(output, each, values) is not None)
        for each in part_references
    )


def _written_by_default(output: Output, index: TokenIndex) -> Value | None:
    token = output.tokens[index]
    return output.graph.value(token, output.graph.collection_of(token).default_mode)


def _referable(output: Output, reference: Reference, values: Collection[TokenIndex]) -> TokenIndex | None:
    """Return the token whose constant can replace the part; not a deprecated one, which would cause a warning."""
    index = output.resolution.columns.indices.get(reference.target)
    kind = _KINDS_OF_PARTS.get(reference.type, reference.type)
    if index is None or index not in values or reference.type in _LITERAL_PARTS or output.kinds[index] != kind:
        return None
    return None if output.tokens[index].deprecated else index


def constants_file(module: Module, values: Mapping[TokenIndex, str], *, has_catalog: bool) -> OutputFile:
    """Return the file of the enum, with the bundle of the catalog unless one is configured."""
    tokens = module.output.tokens
    sections = []
    for key, indices in groupby(values, key=lambda index: tokens[index].key[:2]):
        enum = module.enums.get(key, "")
        indent = "        " if enum else "    "
        rows = _constants(module, values, indices, enum, len(indent))
        sections.append(Section(swift.title(module.output.graph.collections[key].name), enum, indent, rows))
    bundle = module.member("Bundle") if has_catalog and module.options.bundle is None else ""
    return module.file(module.options.name, "Tokens.swift.j2", sections=sections, bundle=bundle)


def _constants(
    module: Module, values: Mapping[TokenIndex, str], indices: Iterator[TokenIndex], enum: str, indent: int
) -> list[Constant]:
    """Return the constants; only composite values may span several lines."""
    tokens, kinds, names, types = module.output.tokens, module.output.kinds, module.names, module.types
    own = f"{enum}." if enum else ""
    rows = []
    for index in indices:
        token, name, type_ = tokens[index], names[index], types[kinds[index] or ""]
        value = values[index].removeprefix(own)
        if token.type in TYPES:
            column = indent + len(f"{module.access}static let {name}: {type_} = ")
            value = broken(value, column, indent, trailing="")
        comment, attribute = swift.documentation(token.description), swift.availability(token.deprecated)
        rows.append(Constant(comment, attribute, name, type_, value))
    return rows


def styles_file(module: Module, values: Collection[TokenIndex]) -> OutputFile | None:
    """Return the file of the types of composite constants; None if there are no such constants."""
    if not any(module.output.kinds[index] in swift.STYLE_TYPES for index in values):
        return None
    return module.file(f"{module.options.name}Styles", "Styles.swift.j2", prefix=module.notation.prefix)


def swiftui_file(module: Module, colors: Collection[TokenIndex]) -> OutputFile:
    """Return ``Color+Tokens.swift``: the colours as members of Color and of ShapeStyle."""
    rows = _members(module, {index: module.constant(index) for index in colors}, SWIFTUI_MEMBERS, "Color")
    return module.file(f"Color+{module.options.name}", "Color.swift.j2", rows=rows)


def uikit_file(module: Module, colors: Mapping[TokenIndex, ColorSet], assets: Mapping[TokenIndex, str]) -> OutputFile:
    """Return ``UIColor+Tokens.swift``: the colours as members of UIColor, loaded from the catalog if there is one."""
    in_catalog = module.options.colors == "catalog"
    values = {
        index: f"token({swift.string(assets[index])})" if in_catalog else module.adaptive_uicolor(color_set)
        for index, color_set in colors.items()
    }
    rows = _members(module, values, UIKIT_MEMBERS | {"token"}, "UIColor")
    bundle = module.bundle if in_catalog and colors else ""
    return module.file(f"UIColor+{module.options.name}", "UIColor.swift.j2", rows=rows, bundle=bundle)


def _members(
    module: Module, values: Mapping[TokenIndex, str], existing: frozenset[str], type_: str
) -> list[ColorMember]:
    """Return the colours as members of a type; those with the name of an ``existing`` member are renamed."""
    output = module.output
    used = {output.names[index] for index in values}
    rows = []
    for index, value in values.items():
        token, name = output.tokens[index], output.names[index]
        if name in existing:
            name = _renamed(output, index, used, existing, f"{type_} already has a member")
        comment, attribute = swift.documentation(token.description), swift.availability(token.deprecated)
        rows.append(ColorMember(comment, attribute, swift_name(name), value))
    return rows


def _renamed(output: Output, index: TokenIndex, used: set[str], reserved: AbstractSet[str], why: str) -> str:
    """Return another name for a token, and report it."""
    old, name = output.names[index], free_name(output.names[index], used | reserved)
    used.add(name)
    what = f"{why} {readable(old)}, so it is {readable(name)} there"
    to_do = "give it another code syntax or name, or use the name that it has there"
    brief = f"{why} with its name, so it has another one there"
    label = token_label(output.graph, output.tokens[index].key)
    output.problems.append(problem("identifier-collision", label, what, to_do, brief=brief))
    return name


def support_file(module: Module, *, conversions: bool = False) -> OutputFile:
    """Return ``TokensSupport.swift``: colours that follow the system appearance, and conversions for themes."""
    return module.file(module.support, "Support.swift.j2", conversions=conversions)


_TYPE_SUFFIXES = (
    "Border",
    "Curve",
    "Shadow",
    "StrokeStyle",
    "Styles",
    "Support",
    "TextStyle",
    "Theme",
    "ThemeKey",
    "Transition",
)
"""The suffixes of types that are named after the enum of all tokens."""

_PROPERTIES = ("adaptive", "self", "systemColorScheme", "systemContrast")
"""The properties of the theme other than its choices, and ``self``, which a parameter of the initializer would hide."""

_ACCESSORS = ("borrowing", "consuming", "didSet", "get", "mutating", "nonmutating", "set", "willSet")
"""Accessor keywords: the body of a computed property may begin with the name of a choice."""

Modes = dict["FamilyKey", int]
ModesByAppearance = tuple[tuple[Appearance, Modes], ...]


class Option(NamedTuple):
    """A struct to choose, with the modes of its axis's families in the plain appearance, then in the others."""

    struct: str
    title: str
    modes: ModesByAppearance


class Choice(NamedTuple):
    """An axis: ``name`` is the property with the chosen struct, by default the first of the ``options``.

    ``families`` are the collection families that it controls, ``themes`` all themes of its options.
    """

    name: str
    protocol: str
    title: str
    families: frozenset[FamilyKey]
    themes: tuple[Theme, ...]
    options: tuple[Option, ...]


def choices_of(module: Module, variants: Variants) -> tuple[Choice, ...]:
    """Return the choices in the order of the axes."""
    name = module.options.name
    types = TypeNames((name, *(f"{name}{each}" for each in _TYPE_SUFFIXES)), name)
    used = {*module.output.names, *_PROPERTIES, *_ACCESSORS}
    choices = []
    for axis in axes_of(module.output):
        property_ = identifier(camel(words(axis.name)) or "theme")
        while property_ in used:
            property_ = f"{property_}Choice"
        used.add(property_)
        choices.append(_choice(axis, module, dict(variants.system), types, swift_name(property_)))
    return tuple(choices)


def _choice(axis: Axis, module: Module, system: Mapping[Appearance, Theme], types: TypeNames, name: str) -> Choice:
    """Return the choice of an axis; the default is an additional option when no context is equal to it."""
    enum = module.options.name
    protocol = types.unique(axis.name, enum)
    themes = tuple(theme for each in axis.contexts for theme in (each.theme, *(theme for _, theme in each.appearances)))
    families = frozenset(key for theme in themes for key, _ in theme.modes)
    defaults = {key: module.output.graph.collections[key].default_mode for key in sorted(families)}
    appearances = _appearances(system, axis.contexts)
    default_modes = tuple(
        (each, {**defaults, **{key: mode for key, mode in _best(system, each) if key in families}})
        for each in appearances
    )
    contexts = [(context.name, _modes(context, appearances, defaults)) for context in axis.contexts]
    plain = next((at for at, (_, modes) in enumerate(contexts) if modes == default_modes), None)
    if plain is None:
        follows = any(modes != default_modes[0][1] for _, modes in default_modes)
        contexts.insert(0, ("system" if follows else "default", default_modes))
    else:
        contexts.insert(0, contexts.pop(plain))
    options = tuple(
        Option(types.unique(axis.name, _without_axis(title, axis.name), enum), title, modes)
        for title, modes in contexts
    )
    title = module.output.graph.collections[axis.family].name if axis.family else axis.name
    return Choice(name, protocol, title, families, themes, options)


def _without_axis(title: str, axis: str) -> str:
    """Return a context's name without the name of the axis, a common prefix in extended collections."""
    own, shared = words(title), words(axis)
    return "-".join(own[len(shared) :] if own[: len(shared)] == shared else ()) or title


def _appearances(system: Mapping[Appearance, Theme], contexts: Sequence[Context]) -> tuple[Appearance, ...]:
    appearances = {*system, *(appearance for context in contexts for appearance, _ in context.appearances)}
    if any(each.contrast for each in appearances):
        appearances |= {Appearance(each.scheme, "more") for each in appearances}
    return (PLAIN, *(each for each in ORDER if each in appearances))


def _modes(context: Context, appearances: Sequence[Appearance], defaults: Modes) -> ModesByAppearance:
    themes = dict(context.appearances)
    return tuple((each, {**defaults, **dict(context.theme.modes), **dict(_best(themes, each))}) for each in appearances)


def _best(themes: Mapping[Appearance, Theme], appearance: Appearance) -> tuple[tuple[FamilyKey, int], ...]:
    """Return the modes of the best-fitting theme for the appearance, or no modes."""
    scheme, contrast = appearance
    for each in (appearance, Appearance("", contrast), Appearance(scheme, "")):
        if each in themes:
            return themes[each].modes
    return ()


ByAppearance = tuple[tuple[Appearance, "Value | None"], ...]
"""The written values in the plain appearance, then in the others."""


class Member(NamedTuple):
    """A token's written values under each option of its collection's choice (one option without a choice)."""

    kind: str
    choice: Choice | None
    options: tuple[ByAppearance, ...]


class Members:
    """The members of a theme, in ``of`` by token index: declared tokens, then omitted ones that they refer to.

    ``edges`` has the members that a member can refer to, ``depending`` all tokens that depend on a choice.
    """

    def __init__(self, output: Output, choices: Sequence[Choice], variants: Variants, kinds: Mapping[str, str]) -> None:
        self.output = output
        self._kinds = kinds
        self._system = dict(variants.system)
        self._appearances = (PLAIN, *self._system)
        self._rules = {family: choice for choice in choices for family in choice.families}
        self._depending = {each.protocol: output.resolution.depending(each.themes) for each in choices}
        self.depending: frozenset[TokenIndex] = frozenset().union(*self._depending.values())
        self.of: dict[TokenIndex, Member] = {}
        for index in output.declared:
            if output.kinds[index] and (index in self.depending or output.tokens[index].key[:2] in self._rules):
                self.of[index] = self._member(index)
        referred = self._add_omitted()
        self.edges = {index: self._through_theme(referred[index]) for index in self.of}
        self._break_cycles()

    def goes_through_theme(self, index: TokenIndex) -> bool:
        """Return whether references to the token use the theme's member, not the constant or its literal."""
        return index in self.of and (index in self.depending or self.output.kinds[index] is None)

    def is_ruled_alone(self, index: TokenIndex) -> bool:
        """Return whether the token depends on no choice other than its collection's."""
        choice = self.of[index].choice
        own = choice.protocol if choice else ""
        return all(index not in those for protocol, those in self._depending.items() if protocol != own)

    def _member(self, index: TokenIndex) -> Member:
        token = self.output.tokens[index]
        family: FamilyKey = token.key[:2]
        kind = self.output.kinds[index] or self._kinds.get(self.output.resolution.kinds[index], "")
        value = self.output.graph.value
        choice = self._rules.get(family)
        if choice is None:
            default = self.output.graph.collections[family].default_mode
            modes = [(each, dict(_best(self._system, each)).get(family, default)) for each in self._appearances]
            return Member(kind, None, (tuple((each, value(token, mode)) for each, mode in modes),))
        value_of_mode = {
            mode: value(token, mode) for option in choice.options for _, of in option.modes for mode in (of[family],)
        }
        options = tuple(
            tuple((each, value_of_mode[modes[family]]) for each, modes in option.modes) for option in choice.options
        )
        return Member(kind, choice, options)

    def _add_omitted(self) -> dict[TokenIndex, list[TokenIndex]]:
        """Add the varying undeclared tokens that members refer to; return the references of all members."""
        kinds = self.output.kinds
        systemic = self.output.resolution.depending(self._system.values())
        references: dict[TokenIndex, list[TokenIndex]] = {}
        omitted: dict[TokenIndex, Member] = {}
        pending = list(self.of)
        for index in pending:  # it grows
            member = self.of[index] if index in self.of else omitted[index]
            references[index] = self._referred(member)
            for target in references[index]:
                varies = target in self.depending or target in systemic
                if varies and kinds[target] is None and target not in omitted:
                    omitted[target] = self._member(target)
                    pending.append(target)
        self.of.update(sorted(omitted.items()))
        return references

    def _referred(self, member: Member) -> list[TokenIndex]:
        indices = self.output.resolution.columns.indices
        values = {id(value): value for option in member.options for _, value in option}  # many options share one
        keys = dict.fromkeys(key for value in values.values() for key in targets(value))
        return [indices[key] for key in keys if key in indices]

    def _through_theme(self, referred: Iterable[TokenIndex]) -> list[TokenIndex]:
        return [target for target in referred if self.goes_through_theme(target)]

    def _break_cycles(self) -> None:
        """Replace references that form a cycle across options, which Swift would follow forever.

        Within one choice, a member has no value under an option with a cycle. A cycle across several choices is not
        visible in any single struct: its references become literals, and it is reported.
        """
        resolvers: dict[object, Callable[[TokenKey], Resolved]] = {}
        for cycle in components(self.of, self.edges.__getitem__):
            if len(cycle) == 1 and cycle[0] not in self.edges[cycle[0]]:
                continue
            protocols = {choice.protocol if (choice := self.of[index].choice) else "" for index in cycle}
            if len(protocols) > 1:
                self._report_crossing(min(cycle))
            for index in cycle:
                options = [list(each) for each in self.of[index].options]
                for option, at, theme in self._themes(index):
                    if theme.modes not in resolvers:
                        resolvers[theme.modes] = self.output.graph.resolver(theme)
                    literal = resolvers[theme.modes](self.output.tokens[index].key)
                    appearance, written = options[option][at]
                    value_without_cycle: Value | None = None
                    if not isinstance(literal, Unresolved):
                        value_without_cycle = written if len(protocols) == 1 else literal
                    options[option][at] = (appearance, value_without_cycle)
                self.of[index] = self.of[index]._replace(options=tuple(map(tuple, options)))
                self.edges[index] = self._through_theme(self._referred(self.of[index]))

    def _themes(self, index: TokenIndex) -> Iterator[tuple[int, int, Theme]]:
        """Yield the index of each option and appearance, with its theme when all other choices are the default."""
        choice = self.of[index].choice
        if choice:
            for at, option in enumerate(choice.options):
                for number, (_, modes) in enumerate(option.modes):
                    yield at, number, Theme(option.title, tuple(sorted(modes.items())))
        else:
            for number, appearance in enumerate(self._appearances):
                yield 0, number, Theme("", _best(self._system, appearance))

    def _report_crossing(self, index: TokenIndex) -> None:
        where = token_label(self.output.graph, self.output.tokens[index].key)
        what = "modes of several collections form a reference cycle, so ios uses its value in their default modes"
        what_to_do = "give one token of the cycle a value of its own"
        self.output.problems.append(problem("theme-unsupported", where, what, what_to_do))
