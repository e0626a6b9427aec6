"""The themes of a style sheet: axes, their states, and the selectors and media queries that choose a state.

A collection with several modes is an axis. A collection with extensions has two: its mode and its brand, which an
element chooses by an attribute each. A brand shows its mode whose parents lead to the chosen mode, so that dark within
a brand is that brand's dark. Configured themes are one axis.

State 0 of an axis is the state of the root while no media query applies. States are inherited: an element has the state
of the nearest element that chooses one, including itself.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from itertools import chain, count, product
from typing import TYPE_CHECKING, NamedTuple

from tokensync.generate.output import Output, unknown_theme
from tokensync.generate.targets.css import literals as css
from tokensync.generate.themes import (
    ORDER,
    Appearance,
    combined,
    counterparts,
    label,
    name_in_code,
    scheme_of,
    system_choice,
)
from tokensync.normalize.mapping import slug
from tokensync.tokens import Collection, FamilyKey, Theme

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from tokensync.generate.targets.css import CssOptions

States = dict[int, int]
"""By the index of an axis, the index of one of its states."""

_DARK, _LIGHT, _MORE = "(prefers-color-scheme: dark)", "(prefers-color-scheme: light)", "(prefers-contrast: more)"
_APPEARANCES = {
    _DARK: Appearance("dark", ""),
    _LIGHT: Appearance("light", ""),
    _MORE: Appearance("", "more"),
    f"{_DARK} and {_MORE}": Appearance("dark", "more"),
    f"{_LIGHT} and {_MORE}": Appearance("light", "more"),
}
_QUERIES = {appearance: query for query, appearance in _APPEARANCES.items()}
_MAX_PLAIN = 4
"""The maximum number of states with plain blocks; with more states, equal texts are written once."""
_COMPOUND = r"(?:[.#]-?[A-Za-z_][\w-]*|\[[^\[\]\"']*(?:\"[^\"\\]*\"|'[^'\\]*')?[^\[\]\"']*\])+"
"""A compound selector of classes, ids and attributes."""


class Axis(NamedTuple):
    """An axis with the names of its states; ``selectors`` match every element that chooses one of them."""

    name: str
    states: tuple[str, ...]
    selectors: tuple[str, ...] = ()

    @property
    def has_few_states(self) -> bool:
        """Whether plain blocks for each context are usually shorter than switches."""
        return len(self.states) <= _MAX_PLAIN or not self.selectors


class Choice(NamedTuple):
    """The states that elements of ``selectors`` choose while the media query ``media`` applies (empty for always).

    ``appearance`` is the meaning of the query. ``path`` is the file of the choice in a style sheet split by theme.
    """

    selectors: tuple[str, ...]
    states: States
    media: str = ""
    appearance: Appearance | None = None
    path: str = ""


class Family(NamedTuple):
    """The axes that choose the mode of a collection family, and its modes by their states."""

    axes: tuple[int, ...]
    modes: dict[tuple[int, ...], int]


class Scheme(NamedTuple):
    """The axis that makes pages light or dark, and the scheme of each of its states.

    ``follows_system`` is true if the scheme follows the system while none is chosen. ``is_ambiguous`` is true if no
    state is clearly the dark or light counterpart of the default state.
    """

    axis: int
    schemes: tuple[str, ...]
    follows_system: bool = False
    is_ambiguous: bool = False


class Themes(NamedTuple):
    """The themes of one output. The last applicable ``system`` choice of an axis takes precedence."""

    axes: tuple[Axis, ...]
    families: dict[FamilyKey, Family]
    system: tuple[Choice, ...]
    contexts: tuple[Choice, ...]
    schemes: tuple[Scheme, ...]

    def theme(self, states: Mapping[int, int]) -> Theme:
        """Return the modes of all families where these states are chosen."""
        modes = (
            (key, family.modes[tuple(states.get(axis, 0) for axis in family.axes)])
            for key, family in self.families.items()
        )
        return Theme("", tuple(modes))


def themes_of(output: Output, options: CssOptions) -> Themes:
    """Return the themes of an output; report options for unknown themes."""
    if not (output.themes or output.request.themes or options.themes) and all(
        len(collection.modes) == 1 for collection in output.graph.collections.values()
    ):
        return Themes((), {}, (), (), ())
    maker = _Configured(output, options) if output.request.themes else _Inferred(output, options)
    return maker.themes()


def by_axis(choices: Iterable[Choice]) -> dict[int, list[Choice]]:
    """Return the choices that set a state of each axis."""
    by_index: dict[int, list[Choice]] = {}
    for choice in choices:
        for axis in choice.states:
            by_index.setdefault(axis, []).append(choice)
    return by_index


def axes_in(bits: int) -> tuple[int, ...]:
    """Return the indices of the bits that are set, in ascending order."""
    axes: list[int] = []
    while bits:
        lowest = bits & -bits
        axes.append(lowest.bit_length() - 1)
        bits ^= lowest
    return tuple(axes)


class _Maker(ABC):
    """A builder of axes and choices; ``named`` has the states of the themes that options can name."""

    def __init__(self, output: Output, options: CssOptions) -> None:
        self.output = output
        self.options = options
        self.axes: list[Axis] = []
        self.families: dict[FamilyKey, Family] = {}
        self.contexts: list[Choice] = []
        self._paths: set[str] = set()
        self.named: dict[str, States] = {}
        self.schemes: list[Scheme] = []
        by_name = {theme.name: theme for theme in output.themes}
        media_by_theme = [(by_name[name], each.media) for name, each in options.themes.items() if name in by_name]
        fixed = [(theme, _APPEARANCES.get(str(media))) for theme, media in media_by_theme if media != ""]
        self.chosen_by_system = system_choice(output, fixed)

    def themes(self) -> Themes:
        """Return the collected axes and choices, with the choices of the system."""
        self.output.problems += [
            unknown_theme(theme, map(Theme, self.named), self.output.request.platform)
            for theme in self.options.themes
            if theme not in self.named
        ]
        system = [*self.of_appearances(), *self._of_media()]
        contexts = by_axis(self.contexts)
        self.axes = [
            axis._replace(selectors=tuple(self._selectors(axis.name, contexts.get(at, ()))))
            for at, axis in enumerate(self.axes)
        ]
        schemes = tuple(_as_chosen(scheme, system) for scheme in self.schemes)
        return Themes(tuple(self.axes), self.families, tuple(system), tuple(self.contexts), schemes)

    @abstractmethod
    def of_appearances(self) -> Iterator[Choice]:
        """Yield the choices of the system in each appearance, the least specific first."""

    def _of_media(self) -> Iterator[Choice]:
        for name, theme in self.options.themes.items():
            if name in self.named and isinstance(theme.media, str) and theme.media and theme.media not in _APPEARANCES:
                yield Choice((), self.named[name], theme.media)

    def add_axis(self, name: str, states: Iterable[str]) -> int:
        """Add an axis; return its index."""
        self.axes.append(Axis(name, tuple(states)))
        return len(self.axes) - 1

    def add_context(self, axis: int, context: str, states: States, name: str, *, has_attribute: bool = True) -> None:
        """Add the choice of an element by the attribute of an axis, or by the selector of the options."""
        self.named[name] = states
        configured = self.options.themes.get(name)
        if configured is not None and configured.selector:
            selector = configured.selector
        elif has_attribute:
            selector = f"[{self._attribute(self.axes[axis].name)}={css.string(context)}]"
        else:
            return
        axis_name = self.axes[axis].name
        path = f"{axis_name}/{slug(context, 'theme') if self.output.request.themes else context}"
        numbered = (f"{path}-{number}.css" for number in count(2))
        path = next(each for each in chain((f"{path}.css",), numbered) if each not in self._paths)
        self._paths.add(path)
        self.contexts.append(Choice(self._with_host(selector), states, path=path))

    def _attribute(self, axis: str) -> str:
        return self.options.attribute.replace("{axis}", css.identifier(axis))

    def _with_host(self, selector: str) -> tuple[str, ...]:
        """Return a selector, also for the host of a shadow tree if the defaults are declared on it."""
        hosts = ":host" in (each.strip() for each in self.options.root.split(","))
        return (selector, f":host({selector})") if hosts and re.fullmatch(_COMPOUND, selector) else (selector,)

    def _selectors(self, name: str, contexts: Iterable[Choice]) -> Iterator[str]:
        """Yield the selectors of elements that choose a state: the attribute with any value, and configured ones."""
        attribute = self._attribute(name)
        several = [context.selectors for context in contexts]
        if any(each[0].startswith(f"[{attribute}=") for each in several):
            yield from self._with_host(f"[{attribute}]")
        for each in several:
            if not each[0].startswith(f"[{attribute}="):
                yield from each


class _Inferred(_Maker):
    """The builder for collections: an axis for the modes of each family, and one for its brands."""

    def __init__(self, output: Output, options: CssOptions) -> None:
        super().__init__(output, options)
        of_family: dict[FamilyKey, dict[int, Theme]] = {}
        for theme in output.themes:
            ((key, mode),) = theme.modes
            of_family.setdefault(key, {})[mode] = theme
        handles = Counter(handle for _, handle in of_family)
        self.names = {key: key[1] if handles[key[1]] == 1 else "-".join(key) for key in of_family}
        branded = [key for key, themes in of_family.items() if _brands(output.graph.collections[key], themes)]
        self.only_brand = branded[0] if len(branded) == 1 and "brand" not in self.names.values() else None
        self.used = {*self.names.values()}
        for key in output.graph.collections:
            if key in of_family:
                self._add(output.graph.collections[key], of_family[key])

    def _add(self, family: Collection, themes: Mapping[int, Theme]) -> None:
        usable = {family.default_mode, *themes}
        modes, of_brand = _by_brand(family, usable)
        modes = [family.default_mode, *(mode for mode in modes if mode != family.default_mode)]
        brands = [family.handle, *_brands(family, themes)]
        name = self.names[family.key]
        mode_axis = self.add_axis(name, (family.modes[mode].context for mode in modes)) if len(modes) > 1 else None
        brand_axis = self.add_axis(self._brand_name(family, name), brands) if len(brands) > 1 else None
        table = {
            (*(() if mode_axis is None else (m,)), *(() if brand_axis is None else (b,))): of_brand(brand, mode)
            for (m, mode), (b, brand) in product(enumerate(modes), enumerate(brands))
        }
        axes = tuple(each for each in (mode_axis, brand_axis) if each is not None)
        if not axes:
            return
        self.families[family.key] = Family(axes, table)
        schemes = _schemes(family)
        if mode_axis is not None and schemes and len({schemes[mode] for mode in modes}) > 1:
            appearances = (*counterparts(family), *self.chosen_by_system.modes.get(family.key, ()))
            is_ambiguous = not any(appearance.scheme for appearance in appearances)
            self.schemes.append(Scheme(mode_axis, tuple(schemes[mode] for mode in modes), is_ambiguous=is_ambiguous))
        states_of = {mode: dict(zip(axes, states, strict=True)) for states, mode in reversed(table.items())}
        for mode, theme in themes.items():
            if mode in modes and mode_axis is not None:
                self.add_context(mode_axis, family.modes[mode].context, {mode_axis: modes.index(mode)}, theme.name)
        if brand_axis is not None:
            before = next(iter(themes.values())).name.rpartition("/")[0]
            for at, brand in enumerate(brands):
                self.add_context(brand_axis, brand, {brand_axis: at}, f"{before}/{brand}")
            for mode, theme in themes.items():
                if mode not in modes:
                    context = family.modes[mode].context
                    self.add_context(brand_axis, context, states_of[mode], theme.name, has_attribute=False)

    def _brand_name(self, family: Collection, axis: str) -> str:
        configured = self.options.brand_axis.replace("{axis}", axis)
        name = configured or ("brand" if self.only_brand == family.key else f"{axis}-brand")
        while name in self.used:
            name = f"{name}-brand"
        self.used.add(name)
        return name

    def of_appearances(self) -> Iterator[Choice]:
        for appearance in ORDER:
            states: States = {}
            for key, modes in self.chosen_by_system.modes.items():
                if appearance in modes and key in self.families:
                    states |= self._states(key, modes[appearance])
            if states:
                yield Choice((), states, _QUERIES[appearance], appearance)

    def _states(self, key: FamilyKey, mode: int) -> States:
        """Return the states that show a mode; those of a mode of the root do not include a brand."""
        family = self.families[key]
        is_root = self.output.graph.collections[key].handle == self.output.graph.collections[key].modes[mode].collection
        states = next((states for states, each in family.modes.items() if each == mode), None)
        if states is None:
            return {}
        return dict(zip(family.axes[:1] if is_root else family.axes, states, strict=False))


class _Configured(_Maker):
    """The builder for configured themes: one axis, and one for the system if no theme has its name."""

    def __init__(self, output: Output, options: CssOptions) -> None:
        super().__init__(output, options)
        self.appearances = combined(self.chosen_by_system.modes)
        defaults = {key: family.default_mode for key, family in output.graph.collections.items()}
        named_modes: list[tuple[str, dict[FamilyKey, int]]] = [("default", {})]
        self.state_of: dict[Theme, int] = {}
        for theme in output.themes:
            modes = dict(theme.modes)
            if not self.appearances:
                modes = {key: mode for key, mode in modes.items() if defaults.get(key) != mode}
            at = next((at for at, (_, each) in enumerate(named_modes) if each == modes), len(named_modes))
            if at == len(named_modes):
                named_modes.append((theme.name, modes))
            self.state_of[theme] = at
        system: list[dict[FamilyKey, int]] = [{}, *(dict(theme.modes) for _, theme in self.appearances)]
        axes: list[int] = []
        if self.appearances:
            axes.append(self.add_axis("system", ("default", *(label(each) for each, _ in self.appearances))))
        self.axis = self.add_axis("theme", (name for name, _ in named_modes)) if output.themes else None
        if self.axis is not None:
            axes.append(self.axis)
        several = [system] if self.appearances else []
        several += [] if self.axis is None else [[modes for _, modes in named_modes]]
        combinations = list(product(*(list(enumerate(each)) for each in several)))
        for key in {key: None for each in several for modes in each for key in modes}:
            table: dict[tuple[int, ...], int] = {}
            for states in combinations:
                chosen = [modes[key] for _, modes in states if key in modes]
                table[tuple(at for at, _ in states)] = chosen[-1] if chosen else defaults[key]
            self.families[key] = Family(tuple(axes), table)
        if self.axis is not None:
            for theme in output.themes:
                self.add_context(self.axis, theme.name, {self.axis: self.state_of[theme]}, theme.name)
            if not self.appearances:
                self._add_scheme(named_modes)

    def _add_scheme(self, named_modes: list[tuple[str, dict[FamilyKey, int]]]) -> None:
        """Add the scheme of each theme, by its name or by the modes that it chooses."""
        collections = self.output.graph.collections
        of_family = {key: schemes for key in self.families if (schemes := _schemes(collections[key]))}
        scheme_by_state: list[str] = []
        for at, (name, modes) in enumerate(named_modes):
            of_modes = {each[modes.get(key, collections[key].default_mode)] for key, each in of_family.items()}
            scheme_by_state.append((scheme_of(name) if at else "") or (of_modes.pop() if len(of_modes) == 1 else ""))
        default = scheme_by_state[0] or (
            "dark" if "light" in scheme_by_state and "dark" not in scheme_by_state else "light"
        )
        of_states = tuple(each or default for each in scheme_by_state)
        if self.axis is not None and len(set(of_states)) > 1:
            self.schemes.append(Scheme(self.axis, of_states))

    def of_appearances(self) -> Iterator[Choice]:
        if self.axis is not None:
            for appearance, theme in self.chosen_by_system.themes:
                yield Choice((), {self.axis: self.state_of[theme]}, _QUERIES[appearance], appearance)
        for at, (appearance, _) in enumerate(self.appearances, 1):
            yield Choice((), {0: at}, _QUERIES[appearance], appearance)


def _brands(family: Collection, themes: Iterable[int]) -> list[str]:
    """Return the handles of the extensions with one of these modes."""
    having = {family.modes[mode].collection for mode in themes}
    return [extension.handle for extension in family.extensions if extension.handle in having]


def _by_brand(family: Collection, usable: set[int]) -> tuple[list[int], Callable[[str, int], int]]:
    """Return the modes to choose from, and the function from brand and chosen mode to the displayed mode.

    A mode of an extension is a separate choice when no brand displays it for a mode of the root.
    """
    parents = {extension.handle: extension.parent for extension in family.extensions}
    ordered = sorted(usable)

    def leads(mode: int | None, to: int) -> bool:
        while mode is not None and mode != to:
            mode = family.modes[mode].parent
        return mode == to

    def of_brand(brand: str, mode: int) -> int:
        for _ in parents:  # limited, since parents may form a cycle
            if brand not in parents:
                break
            for each in ordered:
                if family.modes[each].collection == brand and leads(each, mode):
                    return each
            brand = parents[brand]
        return mode

    own = {family.default_mode, *(each for each in ordered if family.modes[each].collection == family.handle)}
    reached = {of_brand(handle, mode) for handle in parents for mode in own}
    return sorted({*own, *(usable - reached)}), of_brand


def _schemes(family: Collection) -> list[str]:
    """Return whether each mode is light or dark; an empty list if the names are not clear."""
    modes = counterparts(family)
    default = scheme_of(name_in_code(family.modes[family.default_mode]))
    if not default:
        default = "light" if Appearance("dark", "") in modes else "dark" if Appearance("light", "") in modes else ""
    if not default:
        return []
    schemes: list[str] = []
    for mode in family.modes:  # parents come before their children
        schemes.append(scheme_of(name_in_code(mode)) or (default if mode.parent is None else schemes[mode.parent]))
    return schemes if len(set(schemes)) > 1 else []


def _as_chosen(scheme: Scheme, system: Iterable[Choice]) -> Scheme:
    """Return the scheme adjusted to the system's choices on its axis: the state of a dark system is dark."""
    schemes = list(scheme.schemes)
    chosen = [
        (each.appearance, each.states[scheme.axis]) for each in system if each.appearance and scheme.axis in each.states
    ]
    for appearance, state in chosen:
        if appearance.scheme and not appearance.contrast and state:
            schemes[state] = appearance.scheme
    follows = True
    for requested, contrast in product(("light", "dark"), ("", "more")):
        holding = [
            state for each, state in chosen if each.scheme in ("", requested) and each.contrast in ("", contrast)
        ]
        follows &= schemes[holding[-1] if holding else 0] == requested
    return scheme._replace(schemes=tuple(schemes), follows_system=follows)
