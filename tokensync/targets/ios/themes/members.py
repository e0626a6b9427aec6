"""The members of a theme: which tokens, and what each holds under each option, as written."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.targets.ios.looks import PLAIN
from tokensync.targets.ios.themes.choices import best
from tokensync.tokens import Theme, targets

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tokensync.generate.appearance import Appearance
    from tokensync.generate.sheet import Sheet
    from tokensync.targets.ios.looks import Looks
    from tokensync.targets.ios.themes.choices import Choice
    from tokensync.tokens import FamilyKey, Value

ByAppearance = tuple[tuple["Appearance", "Value | None"], ...]
"""What is written in the plain appearance, then in the others."""


class Member(NamedTuple):
    """``choice`` rules the collection, if one does; ``options`` is what is written under each of its options.

    Without a choice there is one option. ``kind`` is the Swift kind.
    """

    kind: str
    choice: Choice | None
    options: tuple[ByAppearance, ...]


class Members:
    """The members by the places of their tokens.

    ``declared`` are those that the output declares; the others are tokens that it leaves out and these refer to.
    ``depending`` are the places of all tokens that any choice bears upon.
    """

    def __init__(self, sheet: Sheet, choices: Sequence[Choice], looks: Looks, kinds: Mapping[str, str]) -> None:
        self.sheet = sheet
        self._kinds = kinds
        self._system = dict(looks.system)
        self._rules = {family: choice for choice in choices for family in choice.families}
        self._depending = {each.protocol: sheet.resolution.depending(each.themes) for each in choices}
        self.depending: frozenset[int] = frozenset().union(*self._depending.values())
        self._systemic = sheet.resolution.depending(self._system.values())
        self.of: dict[int, Member] = {}
        for place in sheet.declared:
            if sheet.kinds[place] and (place in self.depending or sheet.tokens[place].key[:2] in self._rules):
                self.of[place] = self._member(place)
        self.declared = tuple(self.of)
        self._add_hidden()

    def goes_through_theme(self, place: int) -> bool:
        """Whether a reference to the token is one to the theme's member, not to the constant or its literal."""
        return place in self.of and (place in self.depending or self.sheet.kinds[place] is None)

    def alone(self, place: int) -> bool:
        """Whether no other choice bears upon the token than the one that rules its collection."""
        choice = self.of[place].choice
        own = choice.protocol if choice else ""
        return all(place not in those for protocol, those in self._depending.items() if protocol != own)

    def edges(self, place: int) -> Iterator[int]:
        """The members that the member may lead to."""
        places = self.sheet.resolution.columns.places
        for option in self.of[place].options:
            for _, value in option:
                for target in targets(value):
                    if target in places and self.goes_through_theme(places[target]):
                        yield places[target]

    def themes(self, place: int) -> Iterator[tuple[int, int, Theme]]:
        """(option, appearance) by number, with the theme that they are when every other choice is the default one."""
        choice = self.of[place].choice
        if choice:
            for at, option in enumerate(choice.options):
                for number, (_, modes) in enumerate(option.modes):
                    yield at, number, Theme(option.title, tuple(sorted(modes.items())))
        else:
            for number, appearance in enumerate((PLAIN, *self._system)):
                yield 0, number, Theme("", tuple(best(self._system, appearance)))

    def _member(self, place: int) -> Member:
        token = self.sheet.tokens[place]
        family: FamilyKey = token.key[:2]
        kind = self.sheet.kinds[place] or self._kinds.get(self.sheet.resolution.kinds[place], "")
        value = self.sheet.graph.value
        choice = self._rules.get(family)
        if choice is None:
            default = self.sheet.graph.collections[family].default_mode
            modes = [(each, dict(best(self._system, each)).get(family, default)) for each in (PLAIN, *self._system)]
            return Member(kind, None, (tuple((each, value(token, mode)) for each, mode in modes),))
        known = {
            mode: value(token, mode) for option in choice.options for _, of in option.modes for mode in (of[family],)
        }
        options = tuple(
            tuple((each, known[modes[family]]) for each, modes in option.modes) for option in choice.options
        )
        return Member(kind, choice, options)

    def _add_hidden(self) -> None:
        """Add the tokens that are not declared but vary, from those that refer to them on."""
        places = self.sheet.resolution.columns.places
        waiting = list(self.declared)
        hidden: dict[int, Member] = {}
        while waiting:
            at = waiting.pop()
            member = self.of[at] if at in self.of else hidden[at]
            for target in (each for option in member.options for _, value in option for each in targets(value)):
                place = places.get(target, -1)
                varies = place in self.depending or place in self._systemic
                if varies and self.sheet.kinds[place] is None and place not in hidden:
                    hidden[place] = self._member(place)
                    waiting.append(place)
        self.of.update(sorted(hidden.items()))
