"""Which themes an asset catalog shows, and for what: the system's appearance, and the kind of device."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.generate.appearance import ORDER, Appearance, appearance_themes, combined, counterparts
from tokensync.naming import readable
from tokensync.problems import problem
from tokensync.tokens import Theme

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tokensync.config.options.ios import IosTheme
    from tokensync.generate.sheet import Sheet
    from tokensync.problems import Problem
    from tokensync.tokens import FamilyKey

UNIVERSAL = "universal"
PLAIN = Appearance("", "")
IDIOMS = ("iphone", "ipad", "mac", "watch", "tv", "vision", "car")


class Looks(NamedTuple):
    """The themes of the appearances in ``ORDER``, the plain one not among them, and one each for some idioms."""

    system: tuple[tuple[Appearance, Theme], ...]
    idioms: tuple[tuple[str, Theme], ...]

    def themes(self) -> list[tuple[str, Appearance, Theme]]:
        """Every (idiom, appearance, theme) that may be shown but the plain universal one, plain ones first."""
        found = [(UNIVERSAL, appearance, theme) for appearance, theme in self.system]
        for idiom, own in self.idioms:
            found.append((idiom, PLAIN, own))
            found += [(idiom, appearance, _over(theme, own)) for appearance, theme in self.system]
        return found

    def shown(self) -> set[tuple[FamilyKey, int]]:
        """The modes that are shown by themselves."""
        return {pair for _, theme in (*self.system, *self.idioms) for pair in theme.modes}


def looks_of(sheet: Sheet, told: Mapping[str, IosTheme]) -> Looks:
    """What modes tell by their names, and what the options tell of themes (``told``) instead."""
    by_name = {theme.name: theme for theme in sheet.themes}
    for name in told:
        if name not in by_name:
            sheet.problems.append(_unknown(name, by_name))
    settings = [(by_name[name], setting) for name, setting in told.items() if name in by_name]
    return Looks(_system(sheet, settings), _idioms(settings))


def _system(sheet: Sheet, settings: Iterable[tuple[Theme, IosTheme]]) -> tuple[tuple[Appearance, Theme], ...]:
    before = len(sheet.problems)
    named = appearance_themes(sheet)
    told = [(theme, _appearance(setting)) for theme, setting in settings if _speaks(setting)]
    if not told:
        return named
    if sheet.request.themes:
        return _configured(named, told)
    families = {key for theme, _ in told for key, _ in theme.modes}
    settled = {readable(sheet.graph.collections[key].name) for key in families}
    sheet.problems[before:] = [each for each in sheet.problems[before:] if each.where not in settled]
    return combined(_of_families(sheet, told))


def _configured(
    named: Iterable[tuple[Appearance, Theme]], settings: Iterable[tuple[Theme, Appearance | None]]
) -> tuple[tuple[Appearance, Theme], ...]:
    meant = {theme.name for theme, _ in settings}
    found = {appearance: theme for appearance, theme in named if theme.name not in meant}
    found |= {appearance: theme for theme, appearance in settings if appearance is not None}
    return tuple((each, found[each]) for each in ORDER if each in found)


def _of_families(
    sheet: Sheet, settings: Iterable[tuple[Theme, Appearance | None]]
) -> dict[FamilyKey, dict[Appearance, int]]:
    """The modes that each family shows for an appearance; a theme is one mode of one family here."""
    declared = {pair for theme in sheet.themes for pair in theme.modes}
    of_family: dict[FamilyKey, dict[Appearance, int]] = {}
    for key, _ in declared:
        found = counterparts(sheet.graph.collections[key])
        of_family[key] = {each: mode for each, mode in found.items() if (key, mode) in declared}
    for theme, _ in settings:
        for key, mode in theme.modes:
            of_family[key] = {each: other for each, other in of_family[key].items() if other != mode}
    for theme, appearance in settings:
        if appearance is not None:
            for key, mode in theme.modes:
                of_family[key][appearance] = mode
    return {key: of_family[key] for key in sheet.graph.collections if key in of_family}


def _idioms(settings: Iterable[tuple[Theme, IosTheme]]) -> tuple[tuple[str, Theme], ...]:
    modes: dict[str, dict[FamilyKey, int]] = {}
    for theme, setting in settings:
        if setting.idiom:
            modes.setdefault(setting.idiom, {}).update(theme.modes)
    return tuple((idiom, Theme(idiom, tuple(modes[idiom].items()))) for idiom in IDIOMS if idiom in modes)


def _over(theme: Theme, own: Theme) -> Theme:
    """Both themes at once: what the device says holds where they disagree."""
    return Theme(f"{theme.name}, {own.name}", tuple((dict(theme.modes) | dict(own.modes)).items()))


def _speaks(setting: IosTheme) -> bool:
    return bool(setting.appearance or setting.contrast or setting.idiom)


def _appearance(setting: IosTheme) -> Appearance | None:
    """The appearance that a theme is for; None for none."""
    scheme = setting.appearance
    if scheme == "none" or (not scheme and not setting.contrast):
        return None
    return Appearance(scheme, "more" if setting.contrast else "")


def _unknown(name: str, known: Iterable[str]) -> Problem:
    what = "the options of an ios output speak of it, but there is no such theme in it"
    choices = ", ".join(map(readable, known)) or "none"
    return problem("theme-unknown", readable(name), what, f"name one of its themes: {choices}")
