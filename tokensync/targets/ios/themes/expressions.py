"""Members of a theme as Swift expressions, in which references to other members go through the theme."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from tokensync.generate import composites
from tokensync.generate.dependants import Dependants, with_dependants
from tokensync.generate.edges import beyond_percentages, edges_of
from tokensync.generate.left_out import unrepresentable
from tokensync.targets.ios import composite_literals as composites_swift
from tokensync.targets.ios import literals as swift
from tokensync.targets.ios.catalog import said_of
from tokensync.targets.ios.colors import adaptive
from tokensync.tokens import Alias, Color, ComposedColor, Composite, Quantity, Unresolved
from tokensync.tokens.composites import filled

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tokensync.targets.ios.module import Module
    from tokensync.targets.ios.themes.members import ByAppearance, Members
    from tokensync.tokens import Resolved, TokenKey, Value
    from tokensync.tokens.composites import Path

THEME = "\x1f"
"""Stands in an expression in front of a member's name, for what leads to the theme from there; it is in no literal."""

ADAPTIVE = "adaptive"
"""The theme's function that chooses by the system's appearance."""

_CONVERSIONS = {
    ("percentage", "number"): "{} * 100",
    ("number", "percentage"): "{} / 100",
    ("number", "weight"): "{support}.weight({})",
    ("weight", "number"): "{support}.number({})",
}
"""What makes a value of the first kind one of the second, where tokens of both types may refer to each other."""

_PART_KINDS = {"dimension": "number", "fontFamily": "string", "fontWeight": "number"}
"""The kinds of what stands for a part, where it is not called like the type."""

_OF_PART = {"fontFamily": "{support}.families({})", "shadow": "{}.layers[0]"}
"""What makes the part of what stands for it."""


class Expression(NamedTuple):
    """A Swift expression; an optional one may be nil."""

    text: str
    optional: bool = False


class Expressions:
    """Writes members. ``values`` holds the constants by place, ``names`` what the members are called.

    ``supports`` tells whether a weight had to be made of a number, or the like.
    """

    def __init__(self, module: Module, members: Members, values: Mapping[int, str], names: Mapping[int, str]) -> None:
        self.module = module
        self.sheet = module.sheet
        self.members = members
        self.values = values
        self.names = names
        self.supports = False
        self.optional: frozenset[int] = frozenset()
        self.optional = self._optional()

    def options(self, place: int) -> list[Expression | None]:
        """The member under each option of its choice, None where it has no value."""
        member = self.members.of[place]
        constant = Expression(self.module.constant(place))
        if place in self.values and place not in self.members.depending:
            return [constant] * len(member.options)
        written = [self._by_appearance(place, member.kind, each) for each in member.options]
        varies = any(each != written[0] for each in written)
        if varies and place in self.values and self.members.alone(place) and not self._adapts(written[0]):
            written[0] = constant
        return written

    def type(self, place: int) -> str:
        """The Swift type of the member."""
        return f"{self.module.types[self.members.of[place].kind]}{'?' if place in self.optional else ''}"

    def _optional(self) -> frozenset[int]:
        """The members that have no value under some option, and all that refer to them."""
        dependants: Dependants = {}
        absent = set()
        for place in self.members.of:
            for each in self.members.edges(place):
                dependants.setdefault(each, []).append(place)
            if None in self.options(place):
                absent.add(place)
        return frozenset(with_dependants(absent, dependants))

    def _adapts(self, found: Expression | None) -> bool:
        """Whether it asks the theme for the system's appearance; a colour in the catalog knows it by itself."""
        return found is not None and f"{THEME}{ADAPTIVE}(" in found.text

    def _by_appearance(self, place: int, kind: str, written: ByAppearance) -> Expression | None:
        (_, value), *others = written
        plain = self._expression(place, kind, value)
        if plain is None:
            return None
        shown = {each: self._expression(place, kind, other) or plain for each, other in others}
        said = said_of(plain, shown)
        if not said:
            return plain
        rest = {each: shown[each].text for each in said}
        function = f"{self.module.options.name}Support.adaptive" if kind == "color" else f"{THEME}{ADAPTIVE}"
        if not plain.optional:
            return Expression(adaptive(plain.text, rest, function))
        return Expression(f"{plain.text}.map {{ {adaptive('$0', rest, function)} }}", True)

    def _expression(self, place: int, kind: str, value: Value | None) -> Expression | None:
        if isinstance(value, Alias):
            return self._reference(place, value.target, kind)
        if isinstance(value, ComposedColor):
            return self._composed(place, value)
        if isinstance(value, Composite) and value.references:
            return self._composite(place, kind, value)
        return self._literal(place, kind, value)

    def _reference(self, place: int, key: TokenKey, kind: str) -> Expression | None:
        columns = self.sheet.resolution.columns
        target = columns.places.get(key, -1)
        if target < 0 or not columns.can_show(place, target):
            return None
        if self.members.goes_through_theme(target):
            found = Expression(f"{THEME}{self.names[target]}", target in self.optional)
            return self._converted(found, self.members.of[target].kind, kind)
        if target in self.values and self.sheet.kinds[target] == kind and not self.sheet.tokens[target].deprecated:
            return Expression(self.module.constant(target))
        return self._literal(place, kind, self.sheet.literal(self.sheet.resolution.default, target))

    def _literal(self, place: int, kind: str, value: Resolved | Value | None) -> Expression | None:
        if kind == "color":
            return Expression(self.module.color(value)) if isinstance(value, Color) else None
        if not isinstance(value, bool | float | str | Quantity | Composite):
            return None
        if isinstance(value, str) and (found := swift.UNREPRESENTABLE.findall(value)):
            key = self.sheet.tokens[place].key
            self.sheet.problems.append(unrepresentable(self.sheet.graph, key, "".join(dict.fromkeys(found)), "ios"))
        text = self.module.literals[kind](value)
        return None if text is None else Expression(text)

    def _composed(self, place: int, value: ComposedColor) -> Expression | None:
        base = self._expression(place, "color", value.color)
        share, opacity = self._share(place, value.opacity)
        if base is None or share is None:
            return None
        if not share.optional:
            literal = share.text.replace(".", "").isdigit()
            return _mapped(base, f"{{}}.opacity({share.text if literal else opacity.replace('{}', share.text)})")
        if base.optional:
            inner = f"{base.text}.map {{ $0.opacity({opacity.replace('{}', 'share')}) }}"
            return Expression(f"{share.text}.flatMap {{ share in {inner} }}", True)
        return Expression(f"{share.text}.map {{ {base.text}.opacity({opacity.replace('{}', '$0')}) }}", True)

    def _share(self, place: int, value: Value) -> tuple[Expression | None, str]:
        """An opacity as a share of one, and what makes a ``Double`` of it that SwiftUI can multiply with."""
        if isinstance(value, float):
            return self._literal(place, "percentage", min(max(value, 0.0), 100.0)), "Double({})"
        if not isinstance(value, Alias) or value.target not in self.sheet.resolution.columns.places:
            return None, ""
        target = self.sheet.resolution.columns.places[value.target]
        share = self._reference(target, value.target, "percentage")
        return share, "min(max(Double({}), 0), 1)" if target in self._beyond else "Double({})"

    @cached_property
    def _beyond(self) -> set[int]:
        return beyond_percentages(self.sheet.resolution, edges_of(self.sheet.resolution))

    def _composite(self, place: int, kind: str, value: Composite) -> Expression | None:
        """A composite whose parts refer to members and constants where they can; the others are as by default."""
        columns = self.sheet.resolution.columns
        default = self.sheet.resolution.default
        texts: dict[Path, str] = {}
        for path, type_, target in composites.references(value, kind):
            at = columns.places.get(target, -1)
            part = _PART_KINDS.get(type_, type_)
            found = self._reference(at, target, part) if at >= 0 and part in self.module.literals else None
            if found is not None and not found.optional:
                self.supports = self.supports or type_ == "fontFamily"
                texts[path] = self._supported(_OF_PART.get(type_, "{}")).replace("{}", found.text)

        def literal(key: TokenKey) -> Resolved:
            at = columns.places.get(key, -1)
            return self.sheet.literal(default, at) if at >= 0 else Unresolved("dangling", str(key))

        literals = filled(value, kind, literal, self.sheet.tokens[place].key)
        typed = None if isinstance(literals, Unresolved) else composites.composite(literals, kind)
        return None if typed is None else Expression(composites_swift.text(typed, texts, self.module.spelling))

    def _supported(self, template: str) -> str:
        return template.replace("{support}", f"{self.module.options.name}Support")

    def _converted(self, found: Expression, kind: str, wanted: str) -> Expression | None:
        if kind == wanted:
            return found
        if (kind, wanted) in _CONVERSIONS:
            self.supports = self.supports or "weight" in (kind, wanted)
            return _mapped(found, self._supported(_CONVERSIONS[kind, wanted]))
        if {kind, wanted} == {"percentage", "weight"}:
            number = self._converted(found, kind, "number")
            return self._converted(number, "number", wanted) if number else None
        return None


def _mapped(found: Expression, template: str) -> Expression:
    """The template around the expression, which may be nil."""
    if not found.optional:
        return Expression(template.replace("{}", found.text))
    return Expression(f"{found.text}.map {{ {template.replace('{}', '$0')} }}", True)
