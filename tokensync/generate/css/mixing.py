"""Composed colours as ``color-mix()``, which keeps what they refer to.

Mixing a colour with ``transparent`` multiplies its alpha by the share that is mixed in, and keeps its channels: that is
what an opacity over a base colour means.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.tokens import Alias, Color, shortest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokensync.generate.resolution import Shown
    from tokensync.generate.sheet import Sheet
    from tokensync.tokens import ComposedColor, Literal, Resolved, Value

SUPPORTS = "@supports (color: color-mix(in srgb, red, red))"
_SHARES = {"percentage": "100%", "number": "1%"}
"""By the kind of an opacity's token, what its number is to be multiplied by."""


def mixed(
    sheet: Sheet, value: ComposedColor, literal: Resolved, shown: Shown, spelled: Callable[[Literal], str | None]
) -> str:
    """The colour by its references; nothing when none of them is declared.

    ``literal`` is what it comes to. Where nothing of a colour is left, color-mix() would lose its channels too.
    """
    if not isinstance(literal, Color) or literal.alpha == 0:
        return ""
    base, opacity = _place(sheet, value.color), _place(sheet, value.opacity)
    keeps_base = base is not None and sheet.kinds[base] == "color"
    per = "" if opacity is None else _SHARES.get(sheet.kinds[opacity] or "", "")
    if not keeps_base and not per:
        return ""
    color = f"var({sheet.names[base]})" if keeps_base else _color(_literal(sheet, shown, value.color), spelled)  # type: ignore[index]
    share = f"calc(var({sheet.names[opacity]}) * {per})" if per else _share(_literal(sheet, shown, value.opacity))  # type: ignore[index]
    return f"color-mix(in srgb, {color} {share}, transparent)" if color and share else ""


def _place(sheet: Sheet, part: Value) -> int | None:
    return sheet.resolution.columns.places.get(part.target) if isinstance(part, Alias) else None


def _literal(sheet: Sheet, shown: Shown, part: Value) -> object:
    place = _place(sheet, part)
    return part if place is None else sheet.literal(shown, place)


def _color(literal: object, spelled: Callable[[Literal], str | None]) -> str | None:
    return spelled(literal) if isinstance(literal, Color) else None


def _share(literal: object) -> str | None:
    return f"{shortest(min(max(literal, 0.0), 100.0))}%" if isinstance(literal, float) else None
