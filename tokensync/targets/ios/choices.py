"""The choices of an app: one per axis, with a struct for each context, and the theme's members that depend on them.

A member is a function of the whole theme, so references to another collection follow the choice made there:
combinations resolve correctly, and each mode is written once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.generate.themes import ORDER, Appearance, axes_of
from tokensync.naming import token_label
from tokensync.naming.rules import camel, words
from tokensync.problems import problem
from tokensync.targets.ios import TypeNames, identifier, swift_name
from tokensync.targets.ios.catalog import PLAIN
from tokensync.tokens import Theme, Unresolved, targets
from tokensync.tokens.algorithms import components

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tokensync.generate.output import Output
    from tokensync.generate.themes import Axis, Context
    from tokensync.targets.ios.catalog import Variants
    from tokensync.targets.ios.module import Module
    from tokensync.tokens import FamilyKey, Resolved, TokenKey, Value
    from tokensync.tokens.resolver import TokenIndex

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

_PROPERTIES = ("adaptive", "systemColorScheme", "systemContrast")
"""The properties of the theme other than its choices."""

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
