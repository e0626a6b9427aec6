"""The files of an ios output: an asset catalog, Swift with all tokens and extensions, and selectable themes.

The theme files are the theme with its choices and the members that depend on them, and a file for each choice. Members
are Swift expressions in which references to other members use the theme.
"""

from __future__ import annotations

from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Annotated, NamedTuple

from msgspec import Struct

from tokensync.generate import notation
from tokensync.generate.naming import CodeReferences, token_label
from tokensync.generate.naming.rules import camel, free_name, pascal, path_words, words
from tokensync.generate.naming.templates import Template, doc, names_template
from tokensync.generate.notation import TYPES, WIDTH, braced, broken
from tokensync.generate.output import Output, Resolution, modes_unsupported, unrepresentable
from tokensync.generate.target import OutputFile, OutputRequest, options_of
from tokensync.generate.targets.ios import NAMING, SWIFTUI_MEMBERS, IosOptions, TypeNames, identifier, swift_name
from tokensync.generate.targets.ios import literals as swift
from tokensync.generate.targets.ios.module import (
    PLAIN,
    UIKIT_EXISTING,
    UNIVERSAL,
    Attribute,
    ColorMember,
    Documentation,
    Entry,
    Module,
    Name,
    Section,
    SwiftFile,
    Title,
    catalog_files,
    color_sets,
    constants_file,
    default_values,
    differences_of,
    explicit_appearances,
    folders_of,
    follows_colors,
    refer_to_parts,
    renamed_members,
    report_symbols,
    support_file,
    swiftui_file,
    uikit_file,
    variants_of,
)
from tokensync.generate.themes import ORDER, Appearance, Axis, Context, axes_of, best_fit
from tokensync.normalize.mapping import name_of_path
from tokensync.system.problems import Problem, problem
from tokensync.tokens import Alias, Color, ComposedColor, Composite, Quantity, Theme, Unresolved, targets
from tokensync.tokens.algorithms import closure, components, reverse
from tokensync.tokens.composites import Path, filled
from tokensync.tokens.paths import names
from tokensync.tokens.resolver import NO_TOKEN, TokenIndex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tokensync.generate.targets.ios.module import ColorSet, Variants
    from tokensync.tokens import FamilyKey, Resolved, TokenKey, Value


_TYPE_SUFFIXES = "Border Curve Entry List Shadow StrokeStyle Styles Support TextStyle Theme ThemeKey Transition".split()
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
    members = (token for token in module.output.names if token[:1].isupper())  # a member would hide a type in the theme
    types = TypeNames((name, *(f"{name}{suffix}" for suffix in _TYPE_SUFFIXES), *members), name)
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
        (appearance, {**defaults, **{key: mode for key, mode in _modes_in(system, appearance) if key in families}})
        for appearance in appearances
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
    if any(appearance.contrast for appearance in appearances):
        appearances |= {Appearance(appearance.scheme, "more") for appearance in appearances}
    return (PLAIN, *(appearance for appearance in ORDER if appearance in appearances))


def _modes(context: Context, appearances: Sequence[Appearance], defaults: Modes) -> ModesByAppearance:
    themes = dict(context.appearances)
    own = {**defaults, **dict(context.theme.modes)}
    return tuple((appearance, {**own, **dict(_modes_in(themes, appearance))}) for appearance in appearances)


def _modes_in(themes: Mapping[Appearance, Theme], appearance: Appearance) -> tuple[tuple[FamilyKey, int], ...]:
    """Return the modes of the best-fitting theme for the appearance, or no modes."""
    theme = best_fit(themes, appearance)
    return () if theme is None else theme.modes


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
        self._system_modes = tuple((each, dict(_modes_in(self._system, each))) for each in self._appearances)
        self._rules = {family: choice for choice in choices for family in choice.families}
        self._depending = {choice.protocol: output.resolution.depending(choice.themes) for choice in choices}
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
        kind = self.output.kinds[index] or self._kinds.get(self.output.resolution.kinds[index], "")
        choice = self._rules.get(self.output.graph.table.families[index])
        in_options: Iterable[ModesByAppearance] = [self._system_modes]
        if choice is not None:
            in_options = [option.modes for option in choice.options]
        value_in = self.output.resolution.columns.value_in
        options = (tuple((each, value_in(index, modes)[0]) for each, modes in option) for option in in_options)
        return Member(kind, choice, tuple(options))

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
        indices = self.output.graph.table.indices
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
                options = [list(option) for option in self.of[index].options]
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
                yield 0, number, Theme("", _modes_in(self._system, appearance))

    def _report_crossing(self, index: TokenIndex) -> None:
        where = token_label(self.output.graph, self.output.tokens[index].key)
        what = "modes of several collections form a reference cycle, so ios uses its value in their default modes"
        what_to_do = "give one token of the cycle a value of its own"
        self.output.problems.append(problem("theme-unsupported", where, what, what_to_do))


Type = Annotated[str, doc("the Swift type", "Color")]


class Chosen(NamedTuple):
    """A choice of the theme."""

    name: Annotated[str, doc("the name of the property, with backticks around a keyword", "colorScheme")]
    protocol: Annotated[str, doc("the protocol of the structs to choose from", "ColorSchemeTokens")]
    default: Annotated[str, doc("the struct of the default choice", "ColorSchemeSystemTokens")]
    title: Title


class ThemeMember(NamedTuple):
    """A token that depends on a choice, or whose collection has several modes."""

    documentation: Documentation
    attribute: Attribute
    access: Annotated[str, doc("the access level, followed by a space; or empty", "public ")]
    name: Name
    type: Type
    value: Annotated[str, doc("the text within braces: a Swift expression", " colorScheme.accentBase(in: self) ")]


class ThemeSection(NamedTuple):
    """The members of a collection."""

    title: Title
    rows: Annotated[list[ThemeMember], doc("the members, in collection order")]


class ThemeFile(SwiftFile, frozen=True):
    """The choices, and the members that depend on them."""

    accessor: Annotated[str, doc("the name of the environment property and of the view modifier", "tokensTheme")]
    choices: Annotated[list[Chosen], doc("the choices, in the order of the axes")]
    sections: Annotated[list[ThemeSection], doc("the collections, in order")]


class MembersOfType(NamedTuple):
    """The members of one type, as an enum."""

    enum: Annotated[str, doc("the name of the enum", "ColorSchemeTokensColor")]
    type: Type
    names: Annotated[list[str], doc("the names, with backticks around a keyword", ["accentBase"])]


class Values(NamedTuple):
    """The function `value(_:in:)` of the members of one type."""

    enum: Annotated[str, doc("the name of the enum of the members", "ColorSchemeTokensColor")]
    type: Type
    table: Annotated[list[str], doc("red, green, blue and alpha of each member, negative for other values", [])]
    body: Annotated[
        list[str], doc("the lines of its body, with the parameters `member` and `theme`", ["switch member {", "}"])
    ]


class OptionStruct(NamedTuple):
    """A struct to choose."""

    name: Annotated[str, doc("the name", "ColorSchemeDarkTokens")]
    title: Annotated[str, doc("the description, on one line", "Color scheme: dark")]
    rows: Annotated[list[Values], doc("the values that differ from the default")]


class ChoiceFile(SwiftFile, frozen=True):
    """A protocol, and the structs to choose from."""

    protocol: Annotated[str, doc("the name", "ColorSchemeTokens")]
    title: Title
    members: Annotated[list[MembersOfType], doc("the members, by type")]
    structs: Annotated[list[OptionStruct], doc("the structs; the first one, of the default choice, has all values")]


_THEME = "\x1f"
"""A placeholder before a member's name, for the reference to the theme at that point; literals do not contain it."""

_ADAPTIVE = "adaptive"
"""The theme's function that chooses by system appearance."""

_SYSTEM = ("systemColorScheme", "systemContrast")
"""The theme's properties with the system appearance."""

_CONVERSIONS = {
    ("percentage", "number"): "{} * 100",
    ("number", "percentage"): "{} / 100",
    ("number", "weight"): "{support}.weight({})",
    ("weight", "number"): "{support}.number({})",
}
"""Conversions from the first kind to the second, for tokens that refer to one of another type."""

_KINDS_OF_PARTS = {"dimension": "number", "fontFamily": "string", "fontWeight": "number", "lineHeight": "number"}
"""The kinds of constants and members that a part of a composite can refer to, when they differ from its type."""

_CONVERSIONS_OF_PARTS = {"fontFamily": "{support}.families({})", "shadow": "{}.layers[0]"}
"""Conversions from a constant or member to the part that refers to it."""


def theme_files(
    module: Module, variants: Variants, values: Mapping[TokenIndex, str], kinds: Mapping[str, str]
) -> Iterator[OutputFile]:
    """Yield ``TokensTheme.swift``, a file for each choice, and the support file; nothing without a choice.

    ``values`` are the constants by token index, ``kinds`` the Swift kinds by kind of value.
    """
    choices = choices_of(module, variants)
    if not choices:
        return
    members = Members(module.output, choices, variants, kinds)
    expressions = _Expressions(module, members, values)
    choice_members: dict[str, list[_ChoiceMember]] = {choice.protocol: [] for choice in choices}
    sections = [
        ThemeSection(
            swift.title(module.output.graph.collections[key].name),
            [row for index in indices for row in _theme_members(module, expressions, choice_members, index)],
        )
        for key, indices in groupby(expressions.of, key=module.output.graph.table.families.__getitem__)
    ]
    yield module.file(
        f"{module.options.name}Theme",
        "Theme.swift.j2",
        choices=[Chosen(each.name, each.protocol, each.options[0].struct, swift.title(each.title)) for each in choices],
        sections=sections,
        accessor=module.member("Theme"),
    )
    for choice in choices:
        yield _choice_file(module, expressions, choice, choice_members[choice.protocol])
    yield support_file(module, conversions=expressions.supports, tables=expressions.has_tables)


def _names_of(module: Module, members: Members) -> tuple[dict[TokenIndex, str], dict[TokenIndex, str]]:
    """Return the members' names, as of constants or with an underscore, and names of deprecated ones for references."""
    output = module.output
    reserved = frozenset((_ADAPTIVE, *_SYSTEM))
    used = {output.names[index] for index in members.of} - {""}
    referred = {target for targets in members.edges.values() for target in targets}
    names, undeprecated = {}, {}
    for index in members.of:
        name = output.names[index]
        if name in reserved:
            name = free_name(name, used | reserved, "Token")
        elif not name:
            words = camel(path_words(output.tokens[index].key.path))
            name = free_name(identifier(f"_{words or 'token'}"), used, "Token")
        used.add(name)
        names[index] = swift_name(name)
        if output.names[index] and output.tokens[index].deprecated and index in referred:
            undeprecated[index] = free_name(f"_{name}", used, "Token")
            used.add(undeprecated[index])
    return names, undeprecated


class _Expression(NamedTuple):
    """A Swift expression; an optional one may be nil."""

    text: str
    optional: bool = False

    def within(self, template: str) -> _Expression:
        """Return the expression inserted into the template."""
        if not self.optional:
            return _Expression(template.replace("{}", self.text))
        return _Expression(f"{self.text}.map {{ {template.replace('{}', '$0')} }}", True)


class _Expressions:
    """The expressions of members, in ``of`` by token index: one per option of their choice, None without a value.

    ``names`` are the members' names, ``undeprecated`` other names for references to deprecated ones, ``optional`` the
    members with optional types. ``supports`` is true when an expression needs a conversion of the support file.
    """

    def __init__(self, module: Module, members: Members, values: Mapping[TokenIndex, str]) -> None:
        self.module = module
        self.output = module.output
        self.members = members
        self.names, self.undeprecated = _names_of(module, members)
        self.supports = False
        self.has_tables = False
        self.optional: set[TokenIndex] = set()
        self._values = values
        self._columns, self._indices = module.output.resolution.columns, module.output.graph.table.indices
        self._literals = module.notation.literals()
        self._colors: dict[Color, _Expression] = {}
        self._references: dict[tuple[TokenIndex, str], _Expression | None] = {}
        self.of = {index: self._options(index) for index in members.of}
        self._make_optional()

    def color_of(self, expression: _Expression | None) -> Color | None:
        """Return the colour of an expression that is only its components."""
        return None if expression is None else self._color_of_text.get(expression.text)

    @cached_property
    def _color_of_text(self) -> dict[str, Color]:
        return {expression.text: color for color, expression in self._colors.items()}

    def type(self, index: TokenIndex) -> str:
        """Return the Swift type of the member."""
        return f"{self.module.types[self.members.of[index].kind]}{'?' if index in self.optional else ''}"

    def _make_optional(self) -> None:
        """Make members without a value under some option optional, and all that refer to them."""
        absent = [index for index, options in self.of.items() if None in options]
        if not absent:
            return
        referring = reverse(self.members.edges)
        self.optional = set(closure(absent, lambda index: referring.get(index, ())))
        self._references.clear()
        self.of.update((index, self._options(index)) for index in self.of if index in self.optional)

    def _options(self, index: TokenIndex) -> list[_Expression | None]:
        member = self.members.of[index]
        if index in self._values and index not in self.members.depending:
            return [_Expression(self.module.constant(index))] * len(member.options)
        written = [self._by_appearance(index, member.kind, option) for option in member.options]
        if index in self._values and any(expression != written[0] for expression in written):
            # The constant has the first option's value, unless the theme has to apply the system appearance; a colour
            # in the catalog follows it. The compiler would warn about a deprecated constant.
            adapts = written[0] is not None and f"{_THEME}{_ADAPTIVE}(" in written[0].text
            if not adapts and self.members.is_ruled_alone(index):
                if not self.output.tokens[index].deprecated:
                    written[0] = _Expression(self.module.constant(index))
                elif member.kind == "color":
                    written[0] = _Expression(self._values[index])
        return written

    def _by_appearance(self, index: TokenIndex, kind: str, written: ByAppearance) -> _Expression | None:
        (_, value), *others = written
        plain = self._expression(index, kind, value)
        if plain is None or all(other is value for _, other in others):
            return plain
        by_appearance: dict[Appearance, _Expression] = {}
        for appearance, other in others:
            expression = self._expression(index, kind, other)
            if expression is None:  # a dynamic colour cannot be nil in one appearance only
                return None
            by_appearance[appearance] = expression
        explicit = explicit_appearances(plain, by_appearance)
        if not explicit:
            return plain
        rest = {appearance: by_appearance[appearance].text for appearance in explicit}
        function = f"{self.module.support}.{_ADAPTIVE}" if kind == "color" else f"{_THEME}{_ADAPTIVE}"
        if not plain.optional:
            return _Expression(swift.adaptive(plain.text, rest, function))
        return _Expression(f"{plain.text}.map {{ {swift.adaptive('$0', rest, function)} }}", True)

    def _expression(self, index: TokenIndex, kind: str, value: Value | None) -> _Expression | None:
        if isinstance(value, Alias):
            return self._reference(index, value.target, kind)
        if isinstance(value, ComposedColor):
            return self._composed(index, value)
        if isinstance(value, Composite) and value.references:
            expression = self._composite(index, kind, value)
        else:
            expression = self._literal(index, kind, value)
        if expression is None or kind != "typography":
            return expression
        return expression._replace(text=self.module.text_style(index, expression.text))

    def _reference(self, index: TokenIndex, key: TokenKey, kind: str) -> _Expression | None:
        """Return the target's member or constant converted to the kind, or its default literal."""
        target = self._indices.get(key, NO_TOKEN)
        if target < 0 or not self._columns.can_show(index, target):
            return None
        if (target, kind) in self._references:
            return self._references[target, kind]
        if self.members.goes_through_theme(target):
            name = self.undeprecated.get(target, self.names[target])
            member = _Expression(f"{_THEME}{name}", target in self.optional)
            expression = self._converted(member, self.members.of[target].kind, kind)
        elif target in self._values and self.output.kinds[target] == kind and not self.output.tokens[target].deprecated:
            expression = _Expression(self.module.constant(target))
        else:  # not cached: unrepresentable characters are reported for each token
            return self._literal(index, kind, self.output.literal(self.output.resolution.default, target))
        self._references[target, kind] = expression
        return expression

    def _literal(self, index: TokenIndex, kind: str, value: Resolved | Value | None) -> _Expression | None:
        if kind == "color":
            if not isinstance(value, Color):
                return None
            if value not in self._colors:
                self._colors[value] = _Expression(self.module.color(value))
            return self._colors[value]
        if not isinstance(value, bool | float | str | Quantity | Composite):
            return None
        if isinstance(value, str) and (found := swift.UNREPRESENTABLE.findall(value)):
            key = self.output.tokens[index].key
            self.output.problems.append(unrepresentable(self.output.graph, key, "".join(dict.fromkeys(found)), "ios"))
        text = self._literals[kind](value)
        return None if text is None else _Expression(text)

    def _composed(self, index: TokenIndex, value: ComposedColor) -> _Expression | None:
        base = self._expression(index, "color", value.color)
        share, opacity = self._share(index, value.opacity)
        if base is None or share is None:
            return None
        if not share.optional:
            literal = share.text.replace(".", "").isdigit()
            return base.within(f"{{}}.opacity({share.text if literal else opacity.replace('{}', share.text)})")
        if base.optional:
            inner = f"{base.text}.map {{ $0.opacity({opacity.replace('{}', 'share')}) }}"
            return _Expression(f"{share.text}.flatMap {{ share in {inner} }}", True)
        return _Expression(f"{share.text}.map {{ {base.text}.opacity({opacity.replace('{}', '$0')}) }}", True)

    def _share(self, index: TokenIndex, value: Value) -> tuple[_Expression | None, str]:
        """Return an opacity as a fraction of 1, and the template that converts it to a ``Double`` from 0 to 1."""
        if isinstance(value, float):
            return self._literal(index, "percentage", min(max(value, 0.0), 100.0)), "Double({})"
        if not isinstance(value, Alias) or value.target not in self._indices:
            return None, ""
        target = self._indices[value.target]
        share = self._reference(target, value.target, "percentage")
        return (
            share,
            "Swift.min(Swift.max(Double({}), 0), 1)"
            if target in self.output.resolution.beyond_percentages
            else "Double({})",
        )

    def _composite(self, index: TokenIndex, kind: str, value: Composite) -> _Expression | None:
        """Return a composite whose parts refer to members and constants where possible, else have default literals."""
        indices, default = self._indices, self.output.resolution.default
        texts: dict[Path, str] = {}
        for path, type_, key in notation.references(value, kind):
            target = indices.get(key, NO_TOKEN)
            part = _KINDS_OF_PARTS.get(type_, type_)
            expression = self._reference(target, key, part) if target >= 0 and part in self._literals else None
            if expression is not None and not expression.optional:
                self.supports = self.supports or type_ == "fontFamily"
                texts[path] = expression.within(self._supported(_CONVERSIONS_OF_PARTS.get(type_, "{}"))).text

        def literal(key: TokenKey) -> Resolved:
            target = indices.get(key, NO_TOKEN)
            return self.output.literal(default, target) if target >= 0 else Unresolved("dangling", str(key))

        types = self.output.graph.table.types
        literals = filled(value, kind, literal, self.output.tokens[index].key, lambda key: types[indices[key]])
        typed = None if isinstance(literals, Unresolved) else notation.composite(literals, kind)
        return None if typed is None else _Expression(swift.text(typed, texts, self.module.notation))

    def _converted(self, expression: _Expression, kind: str, target_kind: str) -> _Expression | None:
        if kind == target_kind:
            return expression
        if (kind, target_kind) in _CONVERSIONS:
            self.supports = self.supports or "weight" in (kind, target_kind)
            return expression.within(self._supported(_CONVERSIONS[kind, target_kind]))
        if {kind, target_kind} == {"percentage", "weight"}:
            number = self._converted(expression, kind, "number")
            return self._converted(number, "number", target_kind) if number else None
        return None

    def _supported(self, template: str) -> str:
        return template.replace("{support}", self.module.support)


class _ChoiceMember(NamedTuple):
    """A member that depends on a choice, with its expression under each option."""

    name: str
    type: str
    options: Sequence[_Expression | None]


def _theme_members(
    module: Module, expressions: _Expressions, choice_members: dict[str, list[_ChoiceMember]], index: TokenIndex
) -> Iterator[ThemeMember]:
    """Yield the member of a token; if others refer to a deprecated one, also the internal member that they use.

    One that depends on a choice is added to ``choice_members``.
    """
    name, type_, options = expressions.names[index], expressions.type(index), expressions.of[index]
    choice = expressions.members.of[index].choice
    if choice is None or all(option == options[0] for option in options):
        value = _swift_in(options[0], "")
    else:
        choice_members[choice.protocol].append(_ChoiceMember(name, type_, options))
        value = f"{choice.name}.value(.{name}, in: self)"
    comment, attribute, access = [], "", ""
    if module.output.kinds[index] is not None:
        token = module.output.tokens[index]
        comment, attribute = swift.documentation(token.description), swift.availability(token.deprecated)
        access = module.access
    if index in expressions.undeprecated:
        yield ThemeMember(comment, attribute, access, name, type_, f" {expressions.undeprecated[index]} ")
        comment, attribute, access, name = [], "", "", expressions.undeprecated[index]
    braces = braced(value, f"    {access}var {name}: {type_} ", 4)
    yield ThemeMember(comment, attribute, access, name, type_, braces)


def _choice_file(
    module: Module, expressions: _Expressions, choice: Choice, choice_members: Sequence[_ChoiceMember]
) -> OutputFile:
    title = swift.title(choice.title)
    by_type: dict[str, list[_ChoiceMember]] = {}
    for member in choice_members:
        by_type.setdefault(member.type, []).append(member)
    enums = {type_: f"{choice.protocol}{_label(type_)}" for type_ in by_type}
    default = choice.options[0].struct
    structs = [
        OptionStruct(
            option.struct,
            f"{title}: {swift.title(option.title)}",
            [
                _values(expressions, enums[type_], members, at, f"return {default}().value(member, in: theme)")
                for type_, members in by_type.items()
                if not at or any(member.options[at] != member.options[0] for member in members)
            ],
        )
        for at, option in enumerate(choice.options)
    ]
    return module.file(
        choice.protocol,
        "Choice.swift.j2",
        by_type,
        protocol=choice.protocol,
        title=title,
        members=[
            MembersOfType(enums[type_], type_, [member.name for member in members])
            for type_, members in by_type.items()
        ],
        structs=structs,
    )


def _label(type_: str) -> str:
    """Return a type's name without punctuation."""
    plain = type_.removesuffix("?").replace(".", "")
    return plain if plain == type_.replace(".", "") else f"Optional{plain}"


def _values(expressions: _Expressions, enum: str, members: Sequence[_ChoiceMember], at: int, rest: str) -> Values:
    """Return the values of an option: components as a table if most members have them, all other values as code.

    A function for each member would make five times as much object code, and a case for each colour takes the compiler
    three times as long.
    """
    changed = [member for member in members if not at or member.options[at] != member.options[0]]
    colors = {member.name: color for member in changed if (color := expressions.color_of(member.options[at]))}
    table: list[str] = []
    if at and 2 * len(colors) >= len(members):
        expressions.has_tables = True
        space = expressions.module.notation.space
        changed = [member for member in changed if member.name not in colors]
        for member in members:
            color = colors.get(member.name)
            channels = swift.components(color, space) if color else ("-1",)
            table.append(f"{', '.join(channels * (1 if color else 4))},  // {member.name}")
    body = [rest]
    if changed:
        body = _switch([(member.name, member.options[at]) for member in changed], rest * (len(changed) < len(members)))
    return Values(enum, members[0].type, table, body)


def _switch(cases: Iterable[tuple[str, _Expression | None]], rest: str) -> list[str]:
    lines = ["switch member {"]
    for name, expression in cases:
        head, value = f"case .{name}:", f"return {_swift_in(expression, 'theme.')}"
        if len(head) + len(value) <= _LINE:
            lines.append(f"{head} {value}")
        else:
            lines += [head, f"    {broken(value, _INDENT + 4, _INDENT + 4, trailing='')}"]
    return [*lines, *([f"default: {rest}"] if rest else []), "}"]


_INDENT = 8
_LINE = WIDTH - _INDENT - 1


def _swift_in(expression: _Expression | None, theme: str) -> str:
    return "nil" if expression is None else expression.text.replace(_THEME, theme)


class Constants(SwiftFile, frozen=True):
    """The Swift file's constants."""

    bundle: Annotated[str, doc("the member of Bundle to declare for the asset catalog, or empty", "tokensBundle")]
    loads: Annotated[bool, doc("whether colours are loaded from an asset catalog, each time they are read", True)]
    sections: Annotated[list[Section], doc("the collections, in order")]


class Extension(SwiftFile, frozen=True):
    """The colours as members of system types."""

    rows: Annotated[list[ColorMember], doc("the colours, in collection order")]


class UIKitExtension(Extension, frozen=True):
    """The colours as members of UIColor."""

    bundle: Annotated[str, doc("the bundle of the asset catalog, or empty without a catalog", ".tokensBundle")]


class Support(SwiftFile, frozen=True):
    """The support file, which other files use."""

    conversions: Annotated[bool, doc("whether themes need conversions, such as from numbers to weights", False)]
    tables: Annotated[bool, doc("whether themes have tables of colours", True)]
    space: Annotated[str, doc("the colour space of components", ".sRGB")]


class Listed(NamedTuple):
    """A token of the list."""

    collection: Annotated[str, doc("the collection as a Swift string", '"Theme"')]
    path: Annotated[str, doc("the path as a Swift string", '"accent/base"')]
    constant: Annotated[str, doc("the reference to the constant", "Tokens.accentBase")]


class TokenList(SwiftFile, frozen=True):
    """The list of all tokens."""

    rows: Annotated[list[Listed], doc("the tokens, in collection order")]


class FontFile(NamedTuple):
    """A font file."""

    weight: Annotated[str, doc("the weight, or `nil` for a variable font", "600")]
    italic: Annotated[str, doc("`true` or `false`", "false")]
    name: Annotated[str, doc("the PostScript name as a Swift string", '"Inter-SemiBold"')]


class FontFamily(NamedTuple):
    """A family of the configured fonts."""

    family: Annotated[str, doc("the name in lower case as a Swift string", '"inter"')]
    files: Annotated[list[FontFile], doc("the font files")]


class Styles(SwiftFile, frozen=True):
    """The types of composite tokens."""

    prefix: Annotated[str, doc("the prefix of type names", "Token")]
    fonts: Annotated[list[FontFamily], doc("the families of the configured fonts")]


class ColorSets(Struct, frozen=True):
    """A batch of documents."""

    rows: Annotated[list[list[Entry]], doc("the colours of each document, with the universal one first")]
    end: Annotated[str, doc("the line that ends each document", "\x1e")]


class Folder(Struct, frozen=True):
    """The catalog itself, or a folder in it."""

    namespace: Annotated[bool, doc("whether the folder is part of the names of its colours", True)]
    symbols: Annotated[bool, doc("whether Xcode may extend Color and UIColor with its own members", True)]


TEMPLATES = (
    names_template("ios", "iOS"),
    Template("ios/Tokens.swift.j2", "ios", "`Tokens.swift`: an enum with a constant for each token.", Constants),
    Template("ios/Color.swift.j2", "ios", "`Color+Tokens.swift`: extensions of Color and ShapeStyle.", Extension),
    Template("ios/UIColor.swift.j2", "ios", "`UIColor+Tokens.swift`: an extension of UIColor.", UIKitExtension),
    Template("ios/List.swift.j2", "ios", "`TokensList.swift`: a list of all tokens.", TokenList),
    Template("ios/Support.swift.j2", "ios", "`TokensSupport.swift`: code that the other files use.", Support),
    Template(
        "ios/Styles.swift.j2",
        "ios",
        "`TokensStyles.swift`: types of shadows, text styles and other composites.",
        Styles,
    ),
    Template(
        "ios/Theme.swift.j2", "ios", "`TokensTheme.swift`: the choices, and the members that depend on them.", ThemeFile
    ),
    Template(
        "ios/Choice.swift.j2", "ios", "One file per axis: a protocol, and the structs to choose from.", ChoiceFile
    ),
    Template("ios/catalog.json.j2", "ios", "`Contents.json` of the asset catalog and of folders in it.", Folder),
    Template(
        "ios/colorset.json.j2",
        "ios",
        "`Contents.json` of the colour sets: one document, followed by the line `{{ end }}`, for each row.",
        ColorSets,
    ),
)


_REFERABLE = ("number", "percentage", "weight", "string", "boolean", "duration", *TYPES)
_REFERENCES = dict.fromkeys(_REFERABLE, ("", ""))
_KINDS = {
    **{kind: kind for kind in ("color", *_REFERABLE)},
    **dict.fromkeys(("length", "text-length"), "number"),
    "ratio": "percentage",
    **dict.fromkeys(("keyword", "family"), "string"),
}

_REMEDY = 'add "themes" to the option "also", or build another output,'


def render(resolution: Resolution, request: OutputRequest) -> tuple[Iterable[OutputFile], list[Problem]]:
    """Return the files of the catalog, then the Swift files, and their problems."""
    output, options, notation = _output(resolution, request)
    return output.complete(lambda: _files(output, options, notation)), output.problems


def code_references(resolution: Resolution, request: OutputRequest, *, exact: bool) -> CodeReferences:
    """Return the member of Color if it has the very name, the constant, the other members, and the asset's name."""
    output, options, notation = _output(resolution, request)
    module = Module(output, options, notation)
    declared = output.declared_with(lambda: _files(output, options, notation)) if exact else output.declared
    texts = {index: [module.constant(index)] for index in declared if output.kinds[index]}
    colors = [index for index in texts if output.kinds[index] == "color"]
    for also, type_, existing in (("uikit", "UIColor", UIKIT_EXISTING), ("swiftui", "Color", SWIFTUI_MEMBERS)):
        renamed = renamed_members(output, colors, existing, type_)
        for index in colors if also in options.also else ():
            at = 0 if index not in renamed and type_ == "Color" else 1
            name = swift_name(renamed.get(index, output.names[index]))
            texts[index][at:at] = [f"{type_}.{name}", f".{name}"]
    if options.colors == "catalog":
        for index, asset in folders_of(output, options, colors).assets.items():
            texts[index].append(swift.string(asset))
    return {output.tokens[index].key: tuple(several) for index, several in texts.items()}


def _output(resolution: Resolution, request: OutputRequest) -> tuple[Output, IosOptions, swift.Notation]:
    options = options_of(request, IosOptions)
    space = swift.P3_PROFILE if options.profile == "display-p3" else options.color_space
    hides = options.nested == "path" and any(
        pascal(words(group)) == "Color" for path in resolution.graph.table.paths for group in names(path)[:-1]
    )
    notation = swift.Notation(space, options.name.removesuffix("s"), "SwiftUI.Color" if hides else "Color")
    output = Output(
        resolution,
        request,
        naming=NAMING,
        kinds=_KINDS if options.weights == "named" else {**_KINDS, "weight": "number"},
        literals=notation.literals(),
        references=_REFERENCES,
        unrepresentable=swift.UNREPRESENTABLE,
    )
    output.widen("weight", "number", swift.WEIGHTS.__contains__, by_group=True)
    return output, options, notation


def _files(output: Output, options: IosOptions, notation: swift.Notation) -> list[OutputFile]:
    variants = variants_of(output, options.themes)
    if options.colors == "swift":
        variants = variants._replace(idioms=())
    module = Module(output, options, notation)
    values = default_values(output)
    refer_to_parts(module, values)
    differences = differences_of(output, variants)
    composites = {other for other in differences.others if output.kinds[other] in TYPES}
    follow = {index for index in composites if follows_colors(output, index, values, differences.tokens)}
    others = differences.others - follow
    files = list(_colors_and_constants(module, values, color_sets(output, variants, differences, values)))
    if "themes" in options.also:
        theme_outputs = list(theme_files(module, variants, values, _KINDS))
        files += theme_outputs
    else:
        theme_outputs = []
        _report_omitted_modes(output, variants, others)
    if options.colors == "swift" and not theme_outputs:
        files.append(support_file(module, conversions=False, tables=False))
    return files


def _colors_and_constants(
    module: Module, values: dict[TokenIndex, str], colors: Mapping[TokenIndex, ColorSet]
) -> Iterator[OutputFile]:
    """Yield the catalog, the enum and its extensions; set the values of colours."""
    options = module.options
    in_catalog = options.colors == "catalog"
    folders = folders_of(module.output, options, colors)
    if in_catalog:
        report_symbols(module.output, folders.assets)
        yield from catalog_files(module.output, options, folders, colors, module.notation.space)
        values.update((index, module.catalog_color(folders.assets[index])) for index in colors)
    else:
        values.update(
            (index, module.adaptive(color_set, module.color, "adaptive")) for index, color_set in colors.items()
        )
    if options.comments == "value":
        module.shown = {index: _shown(module, color_set) for index, color_set in colors.items()}
    yield constants_file(module, values, has_catalog=in_catalog and bool(colors))
    typed = module.output.declared if "themes" in options.also else values  # a theme's members can be nil
    if any(module.output.kinds[index] in swift.STYLE_TYPES for index in typed):
        yield module.file(
            f"{options.name}Styles", "Styles.swift.j2", prefix=module.notation.prefix, fonts=_fonts(module)
        )
    if "swiftui" in options.also and colors:
        yield swiftui_file(module, colors)
    if "uikit" in options.also:
        yield uikit_file(module, colors, folders.assets)
    if "list" in options.also:
        yield _list_file(module, values)


def _list_file(module: Module, values: Iterable[TokenIndex]) -> OutputFile:
    table, collections = module.output.graph.table, module.output.graph.collections
    rows = [
        Listed(
            swift.string(collections[table.families[index]].name),
            swift.string(name_of_path(table.paths[index])),
            module.constant(index),
        )
        for index in values
        if not table.deprecated[index]
    ]
    return module.file(f"{module.options.name}List", "List.swift.j2", (), rows=rows)


def _shown(module: Module, color_set: ColorSet) -> str:
    """Return the colours in hexadecimal, each with its device and appearance."""
    literals = module.output.resolution.columns.values
    texts = []
    for (idiom, appearance), literal in zip(color_set.places, color_set.literals, strict=True):
        place = " ".join(filter(None, ("" if idiom == UNIVERSAL else idiom, swift.LABELS.get(appearance, ""))))
        if isinstance(color := literals[literal], Color):
            texts.append(f"{place}: {swift.hexadecimal(color)}" if place else swift.hexadecimal(color))
    return ", ".join(texts)


def _fonts(module: Module) -> list[FontFamily]:
    """Return the families with fonts that have a PostScript name."""
    families = []
    for font in module.output.request.fonts:
        files = [
            FontFile(str(face.weight or "nil"), str(face.italic).lower(), swift.string(face.postscript))
            for face in font.faces
            if face.postscript
        ]
        if files:
            families.append(FontFamily(swift.string(font.family.lower()), files))
    return families


def _report_omitted_modes(output: Output, variants: Variants, others: set[TokenIndex]) -> None:
    """Report modes of declared families that the system does not choose, or chooses for colours only."""
    system_modes = variants.modes()
    if others:
        for key, family in output.graph.collections.items():
            modes = [mode for mode in range(len(family.modes)) if (key, mode) in system_modes]
            if modes and others & output.resolution.varying(Theme("", ((key, mode),)) for mode in modes):
                output.problems.append(
                    modes_unsupported(output.graph, key, modes, "ios", " except for colours", _REMEDY)
                )
    requested = {pair for theme in output.themes for pair in theme.modes} - system_modes
    output.report_modes(requested.__contains__, _REMEDY)
