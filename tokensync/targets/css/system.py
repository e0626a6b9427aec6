"""What the system and the window ask for, as layers of a style sheet: each is a media query and the modes it chooses.

An appearance (dark, more contrast) chooses a mode in every family that has one for it; a media query of the options
chooses one theme. Queries may hold at once, so there are layers for those together that bear upon the same tokens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.generate.appearance import ORDER, Appearance, appearance_themes
from tokensync.naming import readable
from tokensync.problems import problem
from tokensync.tokens import Theme

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tokensync.generate.axes import Axis, Context
    from tokensync.generate.sheet import Sheet
    from tokensync.problems import Problem
    from tokensync.targets.css.options import CssTheme
    from tokensync.tokens import FamilyKey

Modes = dict["FamilyKey", int]

_DARK, _LIGHT, _MORE = "(prefers-color-scheme: dark)", "(prefers-color-scheme: light)", "(prefers-contrast: more)"
_APPEARANCES = {
    _DARK: Appearance("dark", ""),
    _LIGHT: Appearance("light", ""),
    _MORE: Appearance("", "more"),
    f"{_DARK} and {_MORE}": Appearance("dark", "more"),
    f"{_LIGHT} and {_MORE}": Appearance("light", "more"),
}
_QUERIES = {appearance: query for query, appearance in _APPEARANCES.items()}
PLAIN = Appearance("", "")


class Layer(NamedTuple):
    """What holds under media queries, which stand within each other; ``modes`` are those that it chooses.

    ``certain`` are the numbers of the layers before it that hold whenever it does, ``rivals`` of those that may hold or
    not and choose another mode of the same family: where they hold too, this one wins.
    """

    queries: tuple[str, ...]
    appearance: Appearance
    modes: Modes
    certain: tuple[int, ...] = ()
    rivals: tuple[int, ...] = ()


class System(NamedTuple):
    """The layers, and whether a context says all by itself: configured themes that the system chooses among do."""

    layers: tuple[Layer, ...]
    whole: bool

    def modes(self, layer: Layer | None, *contexts: Context) -> Modes:
        """The modes of an element on which these contexts are chosen, in a layer; None is where no query holds."""
        found: Modes = {} if layer is None or (self.whole and contexts) else dict(layer.modes)
        for context in contexts:
            found.update(following(context, layer).modes)
        return found


def following(context: Context, layer: Layer | None) -> Theme:
    """The theme that a context shows in a layer: of the appearances that hold, the one that says it best."""
    fitting = [] if layer is None else [each for each in context.appearances if _within(each[0], layer.appearance)]
    return fitting[-1][1] if fitting else context.theme


def system_of(sheet: Sheet, axes: Iterable[Axis], told: Mapping[str, CssTheme]) -> System:
    """The layers of an output; ``told`` is what its options say of themes, by their names."""
    by_name = {theme.name: theme for theme in sheet.themes}
    sheet.problems += [_unknown(name, by_name, sheet) for name in told if name not in by_name]
    said = [(by_name[name], setting.media) for name, setting in told.items() if name in by_name and setting.media != ""]
    known = [(theme, _APPEARANCES.get(str(media))) for theme, media in said]
    named = appearance_themes(sheet, known)
    whole = bool(sheet.request.themes) and all(theme in sheet.themes for _, theme in named)
    chosen = {appearance: dict(theme.modes) for appearance, theme in named}
    for axis in axes:
        for context in axis.contexts:
            for appearance, _ in context.appearances:
                chosen.setdefault(appearance, {})
    layers = _of_appearances(chosen, whole)
    own = [(theme, media) for theme, media in said if isinstance(media, str) and media not in _APPEARANCES]
    return System(_with_queries(sheet, layers, own), whole)


def _of_appearances(chosen: dict[Appearance, Modes], whole: bool) -> list[Layer]:
    """Layers in ``ORDER``; what two of them make together is one too, so that each state of the system has its own."""
    more = Appearance("", "more")
    if more in chosen:
        for scheme in {each.scheme for each in chosen if each.scheme}:
            both = Appearance(scheme, "more")
            usual = chosen.get(Appearance(scheme, ""), {})
            chosen.setdefault(both, chosen[more] if whole else usual | chosen[more])
    layers: list[Layer] = []
    for appearance in ORDER:
        if appearance in chosen:
            certain = tuple(at for at, each in enumerate(layers) if _within(each.appearance, appearance))
            modes = chosen[appearance] or next((layers[at].modes for at in reversed(certain)), {})
            layers.append(Layer((_QUERIES[appearance],), appearance, modes, certain))
    return layers


def _with_queries(sheet: Sheet, layers: list[Layer], own: Sequence[tuple[Theme, str]]) -> tuple[Layer, ...]:
    """The layers, and those of media queries of the options: each alone, then with those before it that it bears upon.

    A layer of several is there only when tokens may depend on all of them.
    """
    if not own:
        return tuple(layers)
    depending = sheet.resolution.depending
    places = [depending((Theme("", tuple(layer.modes.items())),)) for layer in layers]
    queries = [frozenset(layer.queries) for layer in layers]
    for theme, media in own:
        of_it = depending((theme,))
        families = {family for family, _ in theme.modes}
        before = len(layers)
        for at in (None, *range(before)):
            usual = None if at is None else layers[at]
            shared = of_it if at is None else of_it & places[at]
            if usual is not None and (not shared or usual.modes.keys() <= families):
                continue
            held = frozenset((media,)) if at is None else queries[at] | {media}
            certain = tuple(number for number, each in enumerate(queries) if each < held)
            rivals = tuple(
                number
                for number, each in enumerate(queries)
                if not each <= held and families & layers[number].modes.keys() and each - {_of(layers[number])} <= held
            )
            modes = dict(theme.modes) if usual is None else {**usual.modes, **dict(theme.modes)}
            appearance = PLAIN if usual is None else usual.appearance
            layers.append(Layer((*(usual.queries if usual else ()), media), appearance, modes, certain, rivals))
            places.append(shared)
            queries.append(held)
    return tuple(layers)


def _of(layer: Layer) -> str:
    """The query that was added last."""
    return layer.queries[-1]


def _within(one: Appearance, other: Appearance) -> bool:
    """Whether one holds whenever the other does."""
    return one.scheme in ("", other.scheme) and one.contrast in ("", other.contrast)


def _unknown(name: str, known: Iterable[str], sheet: Sheet) -> Problem:
    what = f"the options of a {sheet.request.platform} output speak of it, but there is no such theme in it"
    choices = ", ".join(map(readable, known)) or "none"
    return problem("theme-unknown", readable(name), what, f"name one of its themes: {choices}")
