"""Which themes an asset catalog shows, and for what: the system's appearance, and the kind of device."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.generate.appearance import Appearance, appearance_themes
from tokensync.generate.left_out import unknown_theme
from tokensync.tokens import Theme

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tokensync.generate.sheet import Sheet
    from tokensync.targets.ios.options import IosTheme
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


def looks_of(sheet: Sheet, overrides: Mapping[str, IosTheme]) -> Looks:
    """What modes tell by their names, and what the options tell of themes instead."""
    by_name = {theme.name: theme for theme in sheet.themes}
    sheet.problems += [unknown_theme(name, sheet.themes, "ios") for name in overrides if name not in by_name]
    settings = [(by_name[name], setting) for name, setting in overrides.items() if name in by_name]
    told = [(theme, _appearance(setting)) for theme, setting in settings if _speaks(setting)]
    return Looks(appearance_themes(sheet, told), _idioms(settings))


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
