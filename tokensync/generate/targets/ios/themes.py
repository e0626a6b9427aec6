"""The theme files: the theme with its choices and the members that depend on them, and a file for each choice.

Members are Swift expressions in which references to other members use the theme.
"""

from __future__ import annotations

from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Annotated, NamedTuple

from msgspec import Struct

from tokensync.generate import notation
from tokensync.generate.naming.rules import camel, path_words
from tokensync.generate.naming.templates import doc
from tokensync.generate.notation import braced
from tokensync.generate.output import unrepresentable
from tokensync.generate.targets.ios import free_name, identifier, swift_name
from tokensync.generate.targets.ios import literals as swift
from tokensync.generate.targets.ios.catalog import (
    Access,
    Attribute,
    Documentation,
    EnumName,
    Imports,
    Name,
    Title,
    explicit_appearances,
)
from tokensync.generate.targets.ios.module import Members, choices_of, support_file
from tokensync.tokens import Alias, Color, ComposedColor, Composite, Quantity, Unresolved
from tokensync.tokens.algorithms import closure, reverse
from tokensync.tokens.composites import filled
from tokensync.tokens.resolver import NO_TOKEN

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tokensync.generate.target import OutputFile
    from tokensync.generate.targets.ios.catalog import Variants
    from tokensync.generate.targets.ios.module import ByAppearance, Choice, Module
    from tokensync.generate.themes import Appearance
    from tokensync.tokens import Resolved, TokenKey, Value
    from tokensync.tokens.composites import Path
    from tokensync.tokens.resolver import TokenIndex


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


class ThemeFile(Struct, frozen=True):
    """The choices, and the members that depend on them."""

    access: Access
    imports: Imports
    tokens: EnumName
    accessor: Annotated[str, doc("the name of the environment property and of the view modifier", "tokensTheme")]
    choices: Annotated[list[Chosen], doc("the choices, in the order of the axes")]
    sections: Annotated[list[ThemeSection], doc("the collections, in order")]


class Function(NamedTuple):
    """A member that depends on the chosen option."""

    name: Name
    type: Type
    value: Annotated[str, doc("the text within braces: a Swift expression with the parameter `theme`", " theme.blue ")]


class OptionStruct(NamedTuple):
    """A struct to choose."""

    name: Annotated[str, doc("the name", "ColorSchemeDarkTokens")]
    title: Annotated[str, doc("the description, on one line", "Color scheme: dark")]
    rows: Annotated[list[Function], doc("the members that differ from the default")]


class ChoiceFile(Struct, frozen=True):
    """A protocol, and the structs to choose from."""

    access: Access
    imports: Imports
    tokens: EnumName
    protocol: Annotated[str, doc("the name", "ColorSchemeTokens")]
    title: Title
    defaults: Annotated[list[Function], doc("all members with their default values")]
    structs: Annotated[list[OptionStruct], doc("the structs, with that of the default choice first")]


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

_KINDS_OF_PARTS = {"dimension": "number", "fontFamily": "string", "fontWeight": "number"}
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
    expressions = _Expressions(module, members, values, _names_of(module, members))
    choice_members: dict[str, list[_ChoiceMember]] = {each.protocol: [] for each in choices}
    sections = list(_sections(module, expressions, choice_members))
    yield module.file(
        f"{module.options.name}Theme",
        "Theme.swift.j2",
        choices=[Chosen(each.name, each.protocol, each.options[0].struct, swift.title(each.title)) for each in choices],
        sections=sections,
        accessor=module.member("Theme"),
    )
    for choice in choices:
        yield _choice_file(module, choice, choice_members[choice.protocol])
    yield support_file(module, conversions=expressions.supports)


def _names_of(module: Module, members: Members) -> dict[TokenIndex, str]:
    """Return the members' names in Swift: those of the constants, or with an underscore for omitted tokens."""
    output = module.output
    reserved = frozenset((_ADAPTIVE, *_SYSTEM))
    used = {output.names[index] for index in members.of} - {""}
    names = {}
    for index in members.of:
        name = output.names[index]
        if name in reserved:
            name = free_name(name, used | reserved)
        elif not name:
            words = camel(path_words(output.tokens[index].key.path))
            name = free_name(identifier(f"_{words or 'token'}"), used)
        used.add(name)
        names[index] = swift_name(name)
    return names


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

    ``names`` are the members' names, ``optional`` the members with optional types. ``supports`` is true when an
    expression needs a conversion of the support file.
    """

    def __init__(
        self, module: Module, members: Members, values: Mapping[TokenIndex, str], names: Mapping[TokenIndex, str]
    ) -> None:
        self.module = module
        self.output = module.output
        self.members = members
        self.names = names
        self.supports = False
        self.optional: set[TokenIndex] = set()
        self._values = values
        self._columns = module.output.resolution.columns
        self._literals = module.notation.literals()
        self._colors: dict[Color, _Expression] = {}
        self._references: dict[tuple[TokenIndex, str], _Expression | None] = {}
        self.of = {index: self._options(index) for index in members.of}
        self._make_optional()

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
        written = [self._by_appearance(index, member.kind, each) for each in member.options]
        if index in self._values and any(each != written[0] for each in written):
            # The constant has the first option's value, unless the theme has to apply the system appearance; a colour
            # in the catalog follows it.
            adapts = written[0] is not None and f"{_THEME}{_ADAPTIVE}(" in written[0].text
            if not adapts and self.members.is_ruled_alone(index):
                written[0] = _Expression(self.module.constant(index))
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
        rest = {each: by_appearance[each].text for each in explicit}
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
            return self._composite(index, kind, value)
        return self._literal(index, kind, value)

    def _reference(self, index: TokenIndex, key: TokenKey, kind: str) -> _Expression | None:
        """Return the target's member or constant converted to the kind, or its default literal."""
        target = self._columns.indices.get(key, NO_TOKEN)
        if target < 0 or not self._columns.can_show(index, target):
            return None
        if (target, kind) in self._references:
            return self._references[target, kind]
        if self.members.goes_through_theme(target):
            member = _Expression(f"{_THEME}{self.names[target]}", target in self.optional)
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
        if not isinstance(value, Alias) or value.target not in self._columns.indices:
            return None, ""
        target = self._columns.indices[value.target]
        share = self._reference(target, value.target, "percentage")
        return share, "Swift.min(Swift.max(Double({}), 0), 1)" if target in self._unclamped else "Double({})"

    @cached_property
    def _unclamped(self) -> set[TokenIndex]:
        return self.output.resolution.beyond_percentages()

    def _composite(self, index: TokenIndex, kind: str, value: Composite) -> _Expression | None:
        """Return a composite whose parts refer to members and constants where possible, else have default literals."""
        indices, default = self._columns.indices, self.output.resolution.default
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

        literals = filled(value, kind, literal, self.output.tokens[index].key)
        typed = None if isinstance(literals, Unresolved) else notation.complete(literals, kind)
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


def _sections(
    module: Module, expressions: _Expressions, choice_members: dict[str, list[_ChoiceMember]]
) -> Iterator[ThemeSection]:
    """Yield the theme's members by collection; add those that depend on a choice to ``choice_members``."""
    tokens = module.output.tokens
    for key, indices in groupby(expressions.of, key=lambda index: tokens[index].key[:2]):
        rows = [_theme_member(module, expressions, choice_members, index) for index in indices]
        yield ThemeSection(swift.title(module.output.graph.collections[key].name), rows)


def _theme_member(
    module: Module, expressions: _Expressions, choice_members: dict[str, list[_ChoiceMember]], index: TokenIndex
) -> ThemeMember:
    name, type_, options = expressions.names[index], expressions.type(index), expressions.of[index]
    choice = expressions.members.of[index].choice
    if choice is None or all(each == options[0] for each in options):
        value = _swift_in(options[0], "")
    else:
        choice_members[choice.protocol].append(_ChoiceMember(name, type_, options))
        value = f"{choice.name}.{name}(in: self)"
    comment, attribute, access = [], "", ""
    if module.output.kinds[index] is not None:
        token = module.output.tokens[index]
        comment, attribute = swift.documentation(token.description), swift.availability(token.deprecated)
        access = module.access
    braces = braced(value, f"    {access}var {name}: {type_} ", 4)
    return ThemeMember(comment, attribute, access, name, type_, braces)


def _choice_file(module: Module, choice: Choice, choice_members: Sequence[_ChoiceMember]) -> OutputFile:
    title = swift.title(choice.title)
    changed = [
        [each for each in choice_members if each.options[at] != each.options[0]] for at in range(len(choice.options))
    ]
    structs = [
        OptionStruct(option.struct, f"{title}: {swift.title(option.title)}", _functions(module, own, at))
        for at, (option, own) in enumerate(zip(choice.options, changed, strict=True))
    ]
    return module.file(
        choice.protocol,
        "Choice.swift.j2",
        protocol=choice.protocol,
        title=title,
        defaults=_functions(module, choice_members, 0),
        structs=structs,
    )


def _functions(module: Module, choice_members: Sequence[_ChoiceMember], at: int) -> list[Function]:
    parameter = f"in theme: {module.options.name}Theme"
    return [
        Function(
            name,
            type_,
            braced(_swift_in(options[at], "theme."), f"    {module.access}func {name}({parameter}) -> {type_} ", 4),
        )
        for name, type_, options in choice_members
    ]


def _swift_in(expression: _Expression | None, theme: str) -> str:
    return "nil" if expression is None else expression.text.replace(_THEME, theme)
