"""Names in Tailwind's namespaces, which tell what utilities a variable makes: ``bg-accent`` by ``--color-accent``."""

from __future__ import annotations

from itertools import chain, count, islice
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tokensync.generate.output import Output
    from tokensync.tokens import Token
    from tokensync.tokens.resolver import TokenIndex

_OF_KIND = {
    "color": "color",
    "family": "font",
    "weight": "font-weight",
    "percentage": "opacity",
    "duration": "transition-duration",
    "shadow": "shadow",
    "cubicBezier": "ease",
    "gradient": "background-image",
}
_OF_SCOPE = {
    "FONT_SIZE": "text",
    "LINE_HEIGHT": "leading",
    "LETTER_SPACING": "tracking",
    "PARAGRAPH_SPACING": "spacing",
    "PARAGRAPH_INDENT": "spacing",
    "CORNER_RADIUS": "radius",
    "STROKE_FLOAT": "border-width",
    "GAP": "spacing",
    "WIDTH_HEIGHT": "spacing",
}
_BEGINNINGS = {
    "color": ("colors", "color"),
    "font": ("font-families", "font-family", "fonts", "font"),
    "font-weight": ("font-weights", "font-weight", "weight"),
    "text": ("font-sizes", "font-size", "text-size", "text"),
    "leading": ("line-heights", "line-height", "leading"),
    "tracking": ("letter-spacing", "tracking"),
    "breakpoint": ("breakpoints", "breakpoint", "screens", "screen"),
    "container": ("containers", "container"),
    "radius": ("border-radius", "corner-radius", "radius", "radii", "rounded"),
    "border-width": ("border-width", "stroke-width"),
    "blur": ("blur",),
    "spacing": ("spacing", "space"),
    "opacity": ("opacity",),
    "shadow": ("box-shadow", "shadows", "shadow"),
    "ease": ("easing", "ease"),
    "transition-duration": ("transition-duration", "durations", "duration"),
    "background-image": ("background-image", "gradients", "gradient"),
}
"""What a name of each namespace begins or ends with in other systems: the namespace takes its place."""
_ENDINGS = {**_BEGINNINGS, "text": (*_BEGINNINGS["text"], "size")}
CONDITIONS = {
    "breakpoint": {"sm": 40, "md": 48, "lg": 64, "xl": 80, "2xl": 96},
    "container": {
        "3xs": 16,
        "2xs": 18,
        "xs": 20,
        "sm": 24,
        "md": 28,
        "lg": 32,
        "xl": 36,
        "2xl": 42,
        "3xl": 48,
        "4xl": 56,
        "5xl": 64,
        "6xl": 72,
        "7xl": 80,
    },
}
"""The namespaces of media and container queries, in which no reference can stand, with the rem of Tailwind's own names.

A length is one of them by its name, whatever its scopes say.
"""
COPIED = ("shadow",)
"""The namespaces whose values Tailwind copies into utilities; for all others a utility refers to the variable.

It copies those of `inset-shadow`, `drop-shadow` and `text-shadow`, too, but no token is in these.
"""
_OF_LENGTHS = ("text", "leading", "tracking", "radius", "border-width", "blur", "spacing")
_OF_NUMBERS = ("leading", "opacity")
_ALONE = frozenset(("spacing", "radius", "blur", "shadow"))
"""Namespaces in which a variable of that name alone means something: the unit of spacing, or what ``rounded`` takes."""
STYLE_PARTS = (
    ("font-size", "text", ""),
    ("line-height", "text", "--line-height"),
    ("letter-spacing", "text", "--letter-spacing"),
    ("font-weight", "text", "--font-weight"),
    ("font-family", "font", ""),
)
"""The parts of a text style, and the variables that hand them to Tailwind: a namespace, and what follows the name."""


class Names(NamedTuple):
    """``themed`` are the names within ``@theme`` by index, without dashes in front; the others are plain properties.

    ``styles`` are those of text styles, whose parts are handed on under ``text`` and ``font``. ``spaces`` are the
    namespaces by index, empty for a plain property. ``values`` are the names of plain properties that can hold the
    values of what Tailwind copies.
    """

    themed: dict[TokenIndex, str]
    styles: dict[TokenIndex, str]
    spaces: dict[TokenIndex, str]
    values: dict[TokenIndex, str]


def names_of(output: Output) -> Names:
    """Return the names of all declared tokens, no two alike; those of ``output`` are custom properties still."""
    spaces = {
        index: namespace_of(output.tokens[index], output.kinds[index] or "", _body(output, index))
        for index in output.declared
    }
    names = Names({}, {}, spaces, {})
    styled = {
        name
        for index in output.declared
        if output.kinds[index] == "typography"
        for name in islice(_choices("text", _body(output, index)), 1)
    }
    taken = {_body(output, index) for index, space in spaces.items() if not space}
    for index, space in spaces.items():
        body = _body(output, index)
        if space:
            choices = chain(_without_ending(space, body, styled), _choices(space, body))
            names.themed[index] = _first(choices, lambda each: each not in taken)
            taken.add(names.themed[index])
        elif output.kinds[index] == "typography":
            names.styles[index] = _first(_choices("text", body), lambda each: each not in taken).removeprefix("text-")
            taken.update(f"{part}-{names.styles[index]}" for part in ("text", "font"))
    for index, name in names.themed.items():
        if spaces[index] in COPIED:
            names.values[index] = _first(_numbered(f"{name}-value"), lambda each: each not in taken)
            taken.add(names.values[index])
    return names


def namespace_of(token: Token, kind: str, body: str) -> str:
    """Return the token's namespace, by its kind, its name and its scopes; nothing when it makes no utility."""
    if kind in ("dimension", "length", "text-length"):
        of_name = _told(body, tuple(CONDITIONS)) or _of_scopes(token) or _told(body, _OF_LENGTHS)
        return of_name or ("spacing" if not _is_scoped(token) else "")
    if kind == "number" and token.type == "number":
        return _of_scopes(token) if _of_scopes(token) == "leading" else _told(body, _OF_NUMBERS)
    return "font-weight" if token.public_type == "fontWeight" else _OF_KIND.get(kind, "")


def _of_scopes(token: Token) -> str:
    """Return the namespace that all scopes agree on."""
    found = {_OF_SCOPE.get(each, "") for each in token.scopes}
    return found.pop() if len(found) == 1 else ""


def _is_scoped(token: Token) -> bool:
    return bool(token.scopes) and "ALL_SCOPES" not in token.scopes


def _told(body: str, namespaces: tuple[str, ...]) -> str:
    """Return the first of the namespaces that the name begins with."""
    return next((each for each in namespaces if _rest(each, body) is not None), "")


def _rest(namespace: str, body: str) -> str | None:
    """What follows the namespace in a name that begins with it, or with what stands for it; None in another name."""
    for each in _BEGINNINGS[namespace]:
        if body == each:
            return ""
        if body.startswith(f"{each}-"):
            return body[len(each) + 1 :]
    return None


def _without_ending(namespace: str, body: str, styled: set[str]) -> Iterator[str]:
    """Return the name without what it ends with, unless it begins so too, or a text style has that name."""
    if _rest(namespace, body) is None:
        found = next((each for each in _ENDINGS[namespace] if body.endswith(f"-{each}")), None)
        name = f"{namespace}-{body.removesuffix(f'-{found}')}"
        if found and name not in styled:
            yield name


def _choices(namespace: str, body: str) -> Iterator[str]:
    """Return names that the token may have, the best first."""
    rest = _rest(namespace, body)
    if rest:
        yield f"{namespace}-{rest}"
    elif rest == "" and body == namespace and namespace in _ALONE:
        yield namespace
    yield from _numbered(f"{namespace}-{body}")


def _numbered(name: str) -> Iterator[str]:
    """Yield the name, then the name with 2, 3 and so on behind it."""
    yield name
    yield from (f"{name}-{number}" for number in count(2))


def _first(choices: Iterator[str], is_free: Callable[[str], bool]) -> str:
    return next(each for each in choices if is_free(each))


def _body(output: Output, index: TokenIndex) -> str:
    return output.names[index].removeprefix("--")
