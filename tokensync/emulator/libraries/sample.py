"""A small library for demonstrations and tests: the same one each time."""

from __future__ import annotations

from itertools import count, islice
from typing import TYPE_CHECKING, Final

from tokensync.emulator.libraries.items import COMPONENT, COMPONENT_SET, STYLE, Draft

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.emulator.libraries.items import Kind, StyleType

_SETS: Final = ("Button", "Field", "Card", "Banner", "Menu", "Tab")
_VARIANTS: Final = ("Rest", "Hover", "Pressed", "Disabled")
_STYLES: Final[tuple[tuple[str, StyleType], ...]] = (
    ("surface/page", "FILL"),
    ("surface/raised", "FILL"),
    ("text/strong", "FILL"),
    ("text/quiet", "FILL"),
    ("heading/large", "TEXT"),
    ("heading/small", "TEXT"),
    ("body/regular", "TEXT"),
    ("elevation/low", "EFFECT"),
    ("layout/twelve columns", "GRID"),
)


def drafts(components: int) -> Iterator[tuple[Kind, Draft]]:
    """Sets before their variants, which name the set by its name, not yet by its key; styles last."""
    page = ("98:1", "Components")
    known = set()
    variants = ((name, variant) for name in _names() for variant in _VARIANTS)
    for set_name, variant in islice(variants, components):
        if set_name not in known:
            known.add(set_name)
            yield COMPONENT_SET, Draft(set_name, f"All states of {set_name}", page, ("99:1", "Controls"))
        name = f"{set_name}, State={variant}"
        yield COMPONENT, Draft(name, "", page, ("99:1", "Controls"), component_set=set_name)
    for name, style_type in _STYLES:
        yield STYLE, Draft(name, f"Sample style {name}", style_type=style_type)


def _names() -> Iterator[str]:
    yield from _SETS
    yield from (f"{name} {number}" for number in count(2) for name in _SETS)
