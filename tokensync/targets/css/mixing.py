"""Composed colours as ``color-mix()``, which keeps what they refer to.

Mixing a colour with ``transparent`` multiplies its alpha by the share that is mixed in, and keeps its channels: that is
what an opacity over a base colour means.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.tokens import Alias, Color, shortest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokensync.generate.sheet import Sheet
    from tokensync.tokens import ComposedColor, Literal, Value
    from tokensync.tokens.resolver import ResolvedTheme

SUPPORTS = "@supports (color: color-mix(in srgb, red, red))"
_SHARES = {"percentage": "100%", "number": "1%"}
"""By the kind of an opacity's token, what its number is to be multiplied by."""


class Mix(NamedTuple):
    """A composed colour by its references: the base and the share, each as text, or the place that it is read from.

    A place stands for a token that is not declared: its literal is written, which may differ by theme.
    """

    base: str | int
    share: str | int


def mix_of(sheet: Sheet, value: ComposedColor, spelled: Callable[[Literal], str | None]) -> Mix | None:
    """What a composed colour mixes; None when nothing that it refers to is declared."""
    base = _text_or_place(sheet, value.color, {"color": "var({})"}, lambda literal: _color(literal, spelled))
    share = _text_or_place(sheet, value.opacity, {k: f"calc(var({{}}) * {by})" for k, by in _SHARES.items()}, _share)
    if base is None or share is None or "(--" not in f"{base}{share}":
        return None
    return Mix(base, share)


def mixed(sheet: Sheet, mix: Mix, shown: ResolvedTheme, spelled: Callable[[Literal], str | None]) -> str:
    """The function call, in one theme; nothing when a part has no value there."""
    base, share = mix
    if isinstance(base, int):
        base = _color(sheet.literal(shown, base), spelled) or ""
    if isinstance(share, int):
        share = _share(sheet.literal(shown, share)) or ""
    return f"color-mix(in srgb, {base} {share}, transparent)" if base and share else ""


def _text_or_place(
    sheet: Sheet, part: Value, references: dict[str, str], written: Callable[[object], str | None]
) -> str | int | None:
    if not isinstance(part, Alias):
        return written(part)
    place = sheet.resolution.columns.places.get(part.target)
    if place is None:
        return None
    around = references.get(sheet.kinds[place] or "")
    return place if around is None else around.format(sheet.names[place])


def _color(literal: object, spelled: Callable[[Literal], str | None]) -> str | None:
    return spelled(literal) if isinstance(literal, Color) else None


def _share(literal: object) -> str | None:
    return f"{shortest(min(max(literal, 0.0), 100.0))}%" if isinstance(literal, float) else None
