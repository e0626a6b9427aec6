"""The files of the themes."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from tokensync.generate.lines import braced
from tokensync.naming.words import camel, path_words
from tokensync.targets.ios import literals as swift
from tokensync.targets.ios.names import apart, free
from tokensync.targets.ios.naming import identifier as ios_identifier
from tokensync.targets.ios.naming import swift_name
from tokensync.targets.ios.themes.expressions import ADAPTIVE, THEME

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tokensync.generate.request import OutputFile
    from tokensync.targets.ios.module import Module
    from tokensync.targets.ios.themes.choices import Choice
    from tokensync.targets.ios.themes.expressions import Expression, Expressions
    from tokensync.targets.ios.themes.members import Members

SYSTEM = ("systemColorScheme", "systemContrast")
"""The theme's properties that hold what the system asks for."""

Accessor = tuple[list[str], str, str, str, str, str]
"""(documentation comment, attribute, access level, name, type, value) of a member of the theme."""

_Function = tuple[str, str, str]
"""(name, type, value) of a member that depends on the choice."""


class Ruled(NamedTuple):
    """A member whose value depends on the option: its expression under each."""

    name: str
    type: str
    values: list[Expression | None]


def names_of(module: Module, members: Members) -> dict[int, str]:
    """What the members are called in Swift: as the constants, and those that are not declared with an underscore."""
    reserved = frozenset((module.options.name, f"{module.options.name}Support", "SwiftUI", ADAPTIVE, *SYSTEM))
    taken = {module.sheet.names[place] for place in members.of} - {""}
    names = {}
    for place in members.of:
        wanted = module.sheet.names[place]
        if wanted:
            names[place] = apart(wanted, reserved, taken)
        else:
            spelled = camel(path_words(module.sheet.tokens[place].key.path))
            names[place] = free(ios_identifier(f"_{spelled or 'token'}"), taken)
        taken.add(names[place])
    return {place: swift_name(name) for place, name in names.items()}


class Files:
    """Writes the theme and its choices."""

    def __init__(self, module: Module, choices: Sequence[Choice], expressions: Expressions) -> None:
        self.module = module
        self.choices = choices
        self.expressions = expressions
        self.ruled: dict[str, list[Ruled]] = {each.protocol: [] for each in choices}
        self.values = {place: self._value(place) for place in expressions.members.of}

    def theme(self) -> OutputFile:
        """``TokensTheme.swift``: what is chosen, the members, and the environment."""
        choices = [(each.name, each.protocol, each.options[0].struct, _one_line(each.title)) for each in self.choices]
        name, key_path = f"{self.module.options.name}Theme", self.module.member("Theme")
        return self.module.file(name, "Theme.swift.j2", choices=choices, sections=self._sections(), accessor=key_path)

    def of_choices(self) -> Iterator[OutputFile]:
        """A file a choice: its protocol, what its members are by default, and its structs."""
        for choice in self.choices:
            ruled = self.ruled[choice.protocol]
            structs = [
                (option.struct, f"{_one_line(choice.title)}: {_one_line(option.title)}", self._functions(ruled, at))
                for at, option in enumerate(choice.options)
            ]
            defaults = self._functions(ruled, None)
            yield self.module.file(
                choice.protocol,
                "Choice.swift.j2",
                protocol=choice.protocol,
                title=_one_line(choice.title),
                defaults=defaults,
                structs=structs,
            )

    def _value(self, place: int) -> str:
        """The member's expression in the theme itself; what depends on its choice is noted."""
        member = self.expressions.members.of[place]
        options = self.expressions.options(place)
        name = self.expressions.names[place]
        if member.choice is None or all(each == options[0] for each in options):
            return _in_theme(options[0], "")
        self.ruled[member.choice.protocol].append(Ruled(name, self.expressions.type(place), options))
        return f"{member.choice.name}.{name}(in: self)"

    def _sections(self) -> Iterator[tuple[str, list[Accessor]]]:
        sheet = self.module.sheet
        for key, places in groupby(self.values, key=lambda place: sheet.tokens[place].key[:2]):
            yield _one_line(sheet.graph.collections[key].name), [self._accessor(place) for place in places]

    def _accessor(self, place: int) -> Accessor:
        declared = self.module.sheet.kinds[place] is not None
        token = self.module.sheet.tokens[place]
        comment = [f"/// {line}".rstrip() for line in swift.documentation(token.description)] if declared else []
        attribute = swift.availability(token.deprecated) if declared else ""
        access = self.module.access if declared else ""
        name, type_ = self.expressions.names[place], self.expressions.type(place)
        value = braced(self.values[place], f"    {access}var {name}: {type_} ", 4)
        return (comment, attribute, access, name, type_, value)

    def _functions(self, ruled: Sequence[Ruled], at: int | None) -> list[_Function]:
        """The members where they differ under an option from the first one, or all under that one without an option."""
        shown = ruled if at is None else [each for each in ruled if each.values[at] != each.values[0]]
        return [(each.name, each.type, self._body(each, each.values[at or 0])) for each in shown]

    def _body(self, ruled: Ruled, expression: Expression | None) -> str:
        parameter = f"in theme: {self.module.options.name}Theme"
        head = f"    {self.module.access}func {ruled.name}({parameter}) -> {ruled.type} "
        return braced(_in_theme(expression, "theme."), head, 4)


def _in_theme(expression: Expression | None, way: str) -> str:
    return "nil" if expression is None else expression.text.replace(THEME, way)


def _one_line(text: str) -> str:
    return " ".join(swift.documentation(text))
