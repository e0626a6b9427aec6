"""Composite tokens as Swift constants: their literals, the references that stay, and the types that they are of."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tokensync.generate.composites import TYPES, composite, references
from tokensync.targets.ios import composite_literals as composites_swift
from tokensync.targets.ios import literals as swift
from tokensync.tokens import Alias, Unresolved

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from tokensync.generate.composites import Reference
    from tokensync.generate.request import OutputFile
    from tokensync.generate.sheet import Sheet
    from tokensync.targets.ios.module import Module
    from tokensync.targets.ios.options import IosOptions
    from tokensync.tokens import Literal, Value

_KINDS = {"dimension": "number"}
"""The kinds of constants that may stand for a part, where they are not called like its type."""

_NEVER = frozenset(("fontFamily", "fontWeight", "shadow"))
"""Parts that are of another Swift type than the constants that they refer to."""


def spelling_of(options: IosOptions) -> composites_swift.Spelling:
    """How an output's composites are written: their types are called after one of its tokens."""
    color = partial(swift.color_expression, space=options.color_space)
    return composites_swift.Spelling(color, options.name.removesuffix("s"))


def literals_of(spelling: composites_swift.Spelling) -> dict[str, Callable[[Literal], str | None]]:
    """By kind, which is the DTCG type, how a literal is written."""

    def written(value: Literal, kind: str) -> str | None:
        typed = composite(value, kind)
        return None if typed is None else composites_swift.text(typed, spelling=spelling)

    return {kind: partial(written, kind=kind) for kind in TYPES}


def with_references(module: Module, values: dict[int, str]) -> None:
    """Let the composites among the values refer to the constants of their parts, as far as those may be referred to."""
    sheet = module.sheet
    for place in values:
        kind = sheet.kinds[place]
        if kind not in TYPES:
            continue
        kept = {
            each.path: sheet.spelled[target]
            for each in references(_by_default(sheet, place), kind)
            if (target := _referable(sheet, each, values)) is not None
        }
        literal = sheet.literal(sheet.resolution.default, place)
        typed = None if isinstance(literal, Unresolved) else composite(literal, kind)
        if kept and typed is not None:
            values[place] = composites_swift.text(typed, kept, module.spelling)


def follows(sheet: Sheet, place: int, values: Collection[int], varying: Collection[int]) -> bool:
    """Whether a composite shows what it is in other appearances by the colours that it refers to, and by nothing else.

    An alias of such a one does. ``varying`` are the tokens that differ in some appearance.
    """
    places = sheet.resolution.columns.places
    seen: set[int] = set()
    value = None
    while place not in seen and sheet.kinds[place] in TYPES:
        seen.add(place)
        if len({each for each in sheet.tokens[place].values if each is not None}) != 1:
            return False
        value = _by_default(sheet, place)
        if not isinstance(value, Alias):
            break
        place = places.get(value.target, place)
    kind = sheet.kinds[place]
    found = references(value, kind) if kind in TYPES else ()
    return bool(found) and all(
        places.get(each.target) not in varying or (each.type == "color" and _referable(sheet, each, values) is not None)
        for each in found
    )


def styles_file(module: Module, values: Mapping[int, str]) -> tuple[OutputFile, ...]:
    """The file of the types, when a constant is of one of them."""
    if not any(module.sheet.kinds[place] in composites_swift.OURS for place in values):
        return ()
    return (module.file(f"{module.options.name}Styles", "Styles.swift.j2", prefix=module.spelling.prefix),)


def _by_default(sheet: Sheet, place: int) -> Value | None:
    token = sheet.tokens[place]
    return sheet.graph.value(token, sheet.graph.collection_of(token).default_mode)


def _referable(sheet: Sheet, reference: Reference, values: Collection[int]) -> int | None:
    """The place of the constant that may stand for the part; one that is deprecated would be a warning there."""
    place = sheet.resolution.columns.places.get(reference.target)
    wanted = _KINDS.get(reference.type, reference.type)
    if place is None or place not in values or reference.type in _NEVER or sheet.kinds[place] != wanted:
        return None
    return None if sheet.tokens[place].deprecated else place
