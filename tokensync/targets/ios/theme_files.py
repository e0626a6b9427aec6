"""The files of the themes: what is chosen, the members that follow it, and a file for each choice.

Members are Swift expressions in which references to other members go through the theme.
"""

from __future__ import annotations

from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from tokensync.generate import composites
from tokensync.generate.diagnostics import unrepresentable
from tokensync.generate.lines import braced
from tokensync.naming.rules import camel, path_words
from tokensync.targets.ios import free_name, identifier, swift_name
from tokensync.targets.ios import literals as swift
from tokensync.targets.ios.catalog import explicit_appearances
from tokensync.targets.ios.choices import Members, choices_of
from tokensync.targets.ios.module import support_file
from tokensync.targets.ios.rows import Chosen, Function, OptionStruct, ThemeMember, ThemeSection
from tokensync.tokens import Alias, Color, ComposedColor, Composite, Quantity, Unresolved
from tokensync.tokens.algorithms import closure, reverse
from tokensync.tokens.composites import filled
from tokensync.tokens.resolver import NO_TOKEN

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tokensync.generate.request import OutputFile
    from tokensync.targets.ios.catalog import Variants
    from tokensync.targets.ios.choices import ByAppearance, Choice
    from tokensync.targets.ios.module import Module
    from tokensync.tokens import Resolved, TokenKey, Value
    from tokensync.tokens.composites import Path
    from tokensync.tokens.resolver import TokenIndex

_THEME = "\x1f"
"""Stands in front of a member's name in an expression, for the way to the theme from there; it is in no literal."""

_ADAPTIVE = "adaptive"
"""The theme's function that chooses by the system's appearance."""

_SYSTEM = ("systemColorScheme", "systemContrast")
"""The theme's properties that hold what the system asks for."""

_CONVERSIONS = {
    ("percentage", "number"): "{} * 100",
    ("number", "percentage"): "{} / 100",
    ("number", "weight"): "{support}.weight({})",
    ("weight", "number"): "{support}.number({})",
}
"""What makes a value of the first kind one of the second, where tokens of both types may refer to each other."""

_KINDS_OF_PARTS = {"dimension": "number", "fontFamily": "string", "fontWeight": "number"}
"""The kinds of constants and members that stand for a part of a composite, where they are not called like its type."""

_CONVERSIONS_OF_PARTS = {"fontFamily": "{support}.families({})", "shadow": "{}.layers[0]"}
"""What makes the part of the constant or member that stands for it."""


def theme_files(
    module: Module, variants: Variants, values: Mapping[TokenIndex, str], kinds: Mapping[str, str]
) -> Iterator[OutputFile]:
    """Write ``TokensTheme.swift``, a file for each choice, and what these need; nothing where there is no choice.

    ``values`` are the constants by token index, ``kinds`` the Swift kinds of what values are.
    """
    choices = choices_of(module, variants)
    if not choices:
        return
    members = Members(module.output, choices, variants, kinds)
    expressions = _Expressions(module, members, values, _names_of(module, members))
    ruled: dict[str, list[_Ruled]] = {each.protocol: [] for each in choices}
    sections = list(_sections(module, expressions, ruled))
    yield module.file(
        f"{module.options.name}Theme",
        "Theme.swift.j2",
        choices=[Chosen(each.name, each.protocol, each.options[0].struct, swift.title(each.title)) for each in choices],
        sections=sections,
        accessor=module.member("Theme"),
    )
    for choice in choices:
        yield _choice_file(module, choice, ruled[choice.protocol])
    yield support_file(module, conversions=expressions.supports)


def _names_of(module: Module, members: Members) -> dict[TokenIndex, str]:
    """Return the members' names in Swift: those of the constants; omitted tokens have an underscore in front."""
    output = module.output
    reserved = frozenset((module.options.name, module.support, "SwiftUI", _ADAPTIVE, *_SYSTEM))
    taken = {output.names[index] for index in members.of} - {""}
    names = {}
    for index in members.of:
        name = output.names[index]
        if name in reserved:
            name = free_name(name, taken | reserved)
        elif not name:
            words = camel(path_words(output.tokens[index].key.path))
            name = free_name(identifier(f"_{words or 'token'}"), taken)
        taken.add(name)
        names[index] = swift_name(name)
    return names


class _Expression(NamedTuple):
    """A Swift expression; an optional one may be nil."""

    text: str
    optional: bool = False

    def within(self, template: str) -> _Expression:
        """Return the template around the expression."""
        if not self.optional:
            return _Expression(template.replace("{}", self.text))
        return _Expression(f"{self.text}.map {{ {template.replace('{}', '$0')} }}", True)


class _Expressions:
    """Writes members, in ``of`` by token index under each option of their choice, None where there is no value.

    ``names`` are the members' names, ``optional`` the members whose type is optional. ``supports`` says whether a
    weight had to be made of a number, or the like.
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
        """Make optional the members that have no value under some option, and all that refer to them."""
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
            # The constant is the first option's value, unless the theme has to ask for the system's appearance: a
            # colour in the catalog knows that by itself.
            adapts = written[0] is not None and f"{_THEME}{_ADAPTIVE}(" in written[0].text
            if not adapts and self.members.is_ruled_alone(index):
                written[0] = _Expression(self.module.constant(index))
        return written

    def _by_appearance(self, index: TokenIndex, kind: str, written: ByAppearance) -> _Expression | None:
        (_, value), *others = written
        plain = self._expression(index, kind, value)
        if plain is None or all(other is value for _, other in others):
            return plain
        shown = {each: self._expression(index, kind, other) or plain for each, other in others}
        explicit = explicit_appearances(plain, shown)
        if not explicit:
            return plain
        rest = {each: shown[each].text for each in explicit}
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
        """Return the target's member or constant as the kind, or the literal that it shows by default."""
        target = self._columns.indices.get(key, NO_TOKEN)
        if target < 0 or not self._columns.can_show(index, target):
            return None
        if (target, kind) in self._references:
            return self._references[target, kind]
        if self.members.goes_through_theme(target):
            member = _Expression(f"{_THEME}{self.names[target]}", target in self.optional)
            found = self._converted(member, self.members.of[target].kind, kind)
        elif target in self._values and self.output.kinds[target] == kind and not self.output.tokens[target].deprecated:
            found = _Expression(self.module.constant(target))
        else:  # not remembered: what it cannot hold is reported for each token
            return self._literal(index, kind, self.output.literal(self.output.resolution.default, target))
        self._references[target, kind] = found
        return found

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
        """Return an opacity as a share of one, and what makes a ``Double`` of it that SwiftUI can multiply with."""
        if isinstance(value, float):
            return self._literal(index, "percentage", min(max(value, 0.0), 100.0)), "Double({})"
        if not isinstance(value, Alias) or value.target not in self._columns.indices:
            return None, ""
        target = self._columns.indices[value.target]
        share = self._reference(target, value.target, "percentage")
        return share, "min(max(Double({}), 0), 1)" if target in self._beyond else "Double({})"

    @cached_property
    def _beyond(self) -> set[TokenIndex]:
        return self.output.resolution.beyond_percentages()

    def _composite(self, index: TokenIndex, kind: str, value: Composite) -> _Expression | None:
        """Return a composite whose parts refer to members and constants where they can, else are as by default."""
        indices, default = self._columns.indices, self.output.resolution.default
        texts: dict[Path, str] = {}
        for path, type_, key in composites.references(value, kind):
            target = indices.get(key, NO_TOKEN)
            part = _KINDS_OF_PARTS.get(type_, type_)
            found = self._reference(target, key, part) if target >= 0 and part in self._literals else None
            if found is not None and not found.optional:
                self.supports = self.supports or type_ == "fontFamily"
                texts[path] = found.within(self._supported(_CONVERSIONS_OF_PARTS.get(type_, "{}"))).text

        def literal(key: TokenKey) -> Resolved:
            target = indices.get(key, NO_TOKEN)
            return self.output.literal(default, target) if target >= 0 else Unresolved("dangling", str(key))

        literals = filled(value, kind, literal, self.output.tokens[index].key)
        typed = None if isinstance(literals, Unresolved) else composites.composite(literals, kind)
        return None if typed is None else _Expression(swift.text(typed, texts, self.module.notation))

    def _converted(self, found: _Expression, kind: str, wanted: str) -> _Expression | None:
        if kind == wanted:
            return found
        if (kind, wanted) in _CONVERSIONS:
            self.supports = self.supports or "weight" in (kind, wanted)
            return found.within(self._supported(_CONVERSIONS[kind, wanted]))
        if {kind, wanted} == {"percentage", "weight"}:
            number = self._converted(found, kind, "number")
            return self._converted(number, "number", wanted) if number else None
        return None

    def _supported(self, template: str) -> str:
        return template.replace("{support}", self.module.support)


class _Ruled(NamedTuple):
    """A member whose value depends on the option: its expression under each."""

    name: str
    type: str
    options: Sequence[_Expression | None]


def _sections(module: Module, expressions: _Expressions, ruled: dict[str, list[_Ruled]]) -> Iterator[ThemeSection]:
    """Return the theme's members; those that depend on a choice are noted in ``ruled``."""
    tokens = module.output.tokens
    for key, indices in groupby(expressions.of, key=lambda index: tokens[index].key[:2]):
        rows = [_theme_member(module, expressions, ruled, index) for index in indices]
        yield ThemeSection(swift.title(module.output.graph.collections[key].name), rows)


def _theme_member(
    module: Module, expressions: _Expressions, ruled: dict[str, list[_Ruled]], index: TokenIndex
) -> ThemeMember:
    name, type_, options = expressions.names[index], expressions.type(index), expressions.of[index]
    choice = expressions.members.of[index].choice
    if choice is None or all(each == options[0] for each in options):
        value = _in_theme(options[0], "")
    else:
        ruled[choice.protocol].append(_Ruled(name, type_, options))
        value = f"{choice.name}.{name}(in: self)"
    comment, attribute, access = [], "", ""
    if module.output.kinds[index] is not None:
        token = module.output.tokens[index]
        comment, attribute = swift.documentation(token.description), swift.availability(token.deprecated)
        access = module.access
    braces = braced(value, f"    {access}var {name}: {type_} ", 4)
    return ThemeMember(comment, attribute, access, name, type_, braces)


def _choice_file(module: Module, choice: Choice, ruled: Sequence[_Ruled]) -> OutputFile:
    """Write a protocol, what its members are by default, and its structs."""
    title = swift.title(choice.title)
    changed = [[each for each in ruled if each.options[at] != each.options[0]] for at in range(len(choice.options))]
    structs = [
        OptionStruct(option.struct, f"{title}: {swift.title(option.title)}", _functions(module, own, at))
        for at, (option, own) in enumerate(zip(choice.options, changed, strict=True))
    ]
    return module.file(
        choice.protocol,
        "Choice.swift.j2",
        protocol=choice.protocol,
        title=title,
        defaults=_functions(module, ruled, 0),
        structs=structs,
    )


def _functions(module: Module, ruled: Sequence[_Ruled], at: int) -> list[Function]:
    """Return the members as functions of the theme, as they are under the option of this number."""
    parameter = f"in theme: {module.options.name}Theme"
    return [
        Function(
            name,
            type_,
            braced(_in_theme(options[at], "theme."), f"    {module.access}func {name}({parameter}) -> {type_} ", 4),
        )
        for name, type_, options in ruled
    ]


def _in_theme(expression: _Expression | None, way: str) -> str:
    return "nil" if expression is None else expression.text.replace(_THEME, way)
