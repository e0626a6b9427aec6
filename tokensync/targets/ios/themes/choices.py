"""What an app can choose: for each axis of the output a protocol, and a struct for each context on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.generate.appearance import ORDER, Appearance
from tokensync.generate.axes import axes_of
from tokensync.naming.words import camel, words
from tokensync.targets.ios.looks import PLAIN
from tokensync.targets.ios.names import TypeNames
from tokensync.targets.ios.naming import identifier as ios_identifier
from tokensync.targets.ios.naming import swift_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tokensync.generate.axes import Axis, Context
    from tokensync.targets.ios.looks import Looks
    from tokensync.targets.ios.module import Module
    from tokensync.tokens import FamilyKey, Theme

_OWN = ("Border", "Curve", "Shadow", "StrokeStyle", "Styles", "Support", "TextStyle", "Theme", "ThemeKey", "Transition")
"""What else is called after the enum of all tokens."""

_PROPERTIES = ("adaptive", "systemColorScheme", "systemContrast")
"""What the theme has beside its choices."""

_ACCESSORS = ("borrowing", "consuming", "didSet", "get", "mutating", "nonmutating", "set", "willSet")
"""Words that begin an accessor, where the braces of a computed property begin with a choice."""

Modes = dict["FamilyKey", int]
ModesByAppearance = tuple[tuple[Appearance, Modes], ...]


class Option(NamedTuple):
    """A struct. ``modes`` are those of the families that its axis rules, in the plain appearance and in the others."""

    struct: str
    title: str
    modes: ModesByAppearance


class Choice(NamedTuple):
    """An axis: ``name`` is that of the property that holds the chosen struct, which is the first option by default.

    ``families`` are those that it rules, ``themes`` all that its options show.
    """

    name: str
    protocol: str
    title: str
    families: frozenset[FamilyKey]
    themes: tuple[Theme, ...]
    options: tuple[Option, ...]


def choices_of(module: Module, looks: Looks) -> tuple[Choice, ...]:
    """The choices, in the order of the axes."""
    name = module.options.name
    types = TypeNames((name, *(f"{name}{each}" for each in _OWN)), name)
    taken = {*module.sheet.names, *_PROPERTIES, *_ACCESSORS}
    choices = []
    for axis in axes_of(module.sheet):
        property_ = ios_identifier(camel(words(axis.name)) or "theme")
        while property_ in taken:
            property_ = f"{property_}Choice"
        taken.add(property_)
        choices.append(_choice(axis, module, looks, types, swift_name(property_)))
    return tuple(choices)


def best(themes: Mapping[Appearance, Theme], appearance: Appearance) -> tuple[tuple[FamilyKey, int], ...]:
    """The modes of the theme that fits the appearance best, if one fits."""
    scheme, contrast = appearance
    for each in (appearance, Appearance("", contrast), Appearance(scheme, "")):
        if each in themes:
            return themes[each].modes
    return ()


def _choice(axis: Axis, module: Module, looks: Looks, types: TypeNames, property_: str) -> Choice:
    name = module.options.name
    protocol = types.unique(axis.name, name)
    themes = tuple(each for context in axis.contexts for each in _themes(context))
    families = frozenset(key for theme in themes for key, _ in theme.modes)
    defaults = {key: module.sheet.graph.collections[key].default_mode for key in sorted(families)}
    system = dict(looks.system)
    appearances = _appearances(system, axis.contexts)
    usual = tuple((each, {**defaults, **_ruled(best(system, each), families)}) for each in appearances)
    shown = [(context.name, _modes(context, appearances, defaults)) for context in axis.contexts]
    plain = next((at for at, (_, modes) in enumerate(shown) if modes == usual), None)
    if plain is None:
        follows = any(modes != usual[0][1] for _, modes in usual)
        shown.insert(0, ("system" if follows else "default", usual))
    else:
        shown.insert(0, shown.pop(plain))
    options = tuple(
        Option(types.unique(axis.name, _own(title, axis.name), name), title, modes) for title, modes in shown
    )
    title = module.sheet.graph.collections[axis.family].name if axis.family else axis.name
    return Choice(property_, protocol, title, families, themes, options)


def _own(title: str, axis: str) -> str:
    """The context's name without the axis's, with which that of an extended collection often begins."""
    spelled, shared = words(title), words(axis)
    own = spelled[len(shared) :] if spelled[: len(shared)] == shared else ()
    return "-".join(own) or title


def _themes(context: Context) -> tuple[Theme, ...]:
    return (context.theme, *(theme for _, theme in context.appearances))


def _appearances(system: Mapping[Appearance, Theme], contexts: Sequence[Context]) -> tuple[Appearance, ...]:
    """The plain appearance, and each one that something is shown for."""
    found = {*system, *(appearance for context in contexts for appearance, _ in context.appearances)}
    if any(each.contrast for each in found):
        found |= {Appearance(each.scheme, "more") for each in found}
    return (PLAIN, *(each for each in ORDER if each in found))


def _modes(context: Context, appearances: Sequence[Appearance], defaults: Modes) -> ModesByAppearance:
    shown = dict(context.appearances)
    return tuple((each, {**defaults, **dict(context.theme.modes), **dict(best(shown, each))}) for each in appearances)


def _ruled(modes: Sequence[tuple[FamilyKey, int]], families: frozenset[FamilyKey]) -> Modes:
    return {key: mode for key, mode in modes if key in families}
