"""React Native: the module of the typescript target with values as styles take them, and ``theme.js`` with hooks.

Lengths are numbers of dp, weights are texts, and a family is one name. Shadows are values of ``boxShadow``, which looks
the same on both systems: ``shadowOffset`` and its like are for iOS only, and Android's ``elevation`` has no offset
(https://reactnative.dev/docs/shadow-props).
"""

from __future__ import annotations

from functools import partial
from itertools import chain
from math import floor
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from msgspec import Struct
from msgspec.structs import asdict

from tokensync.generate.naming import rendered_bytes
from tokensync.generate.naming.templates import Template, doc
from tokensync.generate.notation import (
    Border,
    Shadow,
    StrokeStyle,
    Typography,
    face_of,
    families,
    in_pixels,
    pixels,
    then,
)
from tokensync.generate.output import PLAIN_KINDS, Output, Resolution
from tokensync.generate.target import OutputFile, OutputRequest, Target, options_of
from tokensync.generate.targets import typescript as javascript
from tokensync.generate.targets.typescript import Nested, ThemeTypes, object_of, string
from tokensync.generate.themes import Appearance, axes_of, system_choice
from tokensync.tokens import Theme, hexadecimal, normalized, shortest
from tokensync.tokens.values import is_relative, weight_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tokensync.generate.notation import Length
    from tokensync.generate.target import Convert
    from tokensync.settings import FaceConfig, FontConfig
    from tokensync.system.problems import Problem
    from tokensync.tokens import Literal as TokenLiteral


class ReactNativeOptions(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The options of a react-native output."""

    nested: Nested = False
    themes: ThemeTypes = "partial"


TARGET = Target("react-native", "a module for React Native with hooks", ReactNativeOptions, names_of="typescript")

_KINDS = {**PLAIN_KINDS, "weight": "weight"}
_TYPES = {**javascript.OBJECT_TYPES, "shadow": "readonly BoxShadowValue[]", "border": "BorderStyle"}
del _TYPES["strokeStyle"]  # a word, whose type is its literal
_OF_SYSTEM = frozenset(
    "system-ui,sans-serif,ui-sans-serif,-apple-system,blinkmacsystemfont,sf pro,sf pro text,sf pro display".split(",")
)
"""The names of the system's font in CSS and in design files, which no style has to name."""


def _length(value: Length) -> float:
    return normalized(in_pixels(value))


def weight(value: float) -> str:
    """Return the closest hundred from 100 to 900 as a text: React Native ignores other weights."""
    return str(min(max(floor(value / 100 + 0.5), 1), 9) * 100)


def _shadow(value: Shadow) -> list[dict[str, Any]]:
    return [
        {
            "offsetX": _length(layer.offset_x),
            "offsetY": _length(layer.offset_y),
            "blurRadius": _length(layer.blur),
            "spreadDistance": _length(layer.spread),
            "color": hexadecimal(layer.color),
            "inset": layer.inset,
        }
        for layer in value.layers
    ]


def _stroke(value: StrokeStyle) -> str | None:
    keyword = value.keyword or "dashed"
    return keyword if keyword in ("solid", "dashed", "dotted") else None


def _border(value: Border) -> dict[str, Any] | None:
    style = _stroke(value.style)
    if style is None:
        return None
    return {"borderColor": hexadecimal(value.color), "borderWidth": _length(value.width), "borderStyle": style}


def _face_name(face: FaceConfig) -> str | None:
    """Return the PostScript name of a font, which iOS asks for, or else its file's, which Android does."""
    stem, _, ending = (face.file or "").rpartition("/")[2].rpartition(".")
    return face.postscript or (stem if ending.lower() in ("ttf", "otf", "ttc") else None)


def _family(names: Iterable[str], fonts: tuple[FontConfig, ...]) -> str:
    """Return the name of the regular font of the first family, or else of the family."""
    name = next((name for name in names if name.lower() not in _OF_SYSTEM), "System")
    face = face_of(fonts, name, Typography((name,), 0.0, None, 0.0, None), _face_name)
    return string((face and _face_name(face)) or name)


def _text_style(value: Typography, fonts: tuple[FontConfig, ...]) -> dict[str, Any]:
    """Return a style, with a weight of its own unless that of its font is configured.

    Without a family, the system's font has all weights; by a name, Android has two of them only. A style with the name
    of a font and a weight gets another font on both systems (https://github.com/react/react-native/issues/58176, and
    ``ReactFontManager``, which looks for a file named ``..._bold``).
    """
    name = next((name for name in value.families if name.lower() not in _OF_SYSTEM), "")
    face = face_of(fonts, name, value, _face_name)
    height, size = value.line_height, _length(value.size)
    has_weight = face is None or face.weight is None
    members = {
        "fontFamily": (face and _face_name(face)) or name,
        "fontSize": size,
        "fontWeight": weight(value.weight) if value.weight and has_weight else "",
        "letterSpacing": _length(value.letter_spacing),
        "lineHeight": _length(height * size if isinstance(height, float) else height) if height else None,
        "fontStyle": value.style.replace("oblique", "italic") if face is None else "",
        "textTransform": value.case,
        "textDecorationLine": value.decoration,
    }
    return {name: member for name, member in members.items() if member not in (None, "")}


def _percentage(value: TokenLiteral) -> str | None:
    """Return a length in %, which styles take as a text."""
    return string(f"{shortest(value.number)}%") if is_relative(value) and value.unit == "%" else None


def literals(fonts: tuple[FontConfig, ...]) -> dict[str, Convert]:
    """Return the functions that write literals, by kind; colours are ``#rrggbb`` or ``#rrggbbaa``."""
    return {
        **javascript.literals(hex_colors=True, numeric_lengths=True, numeric_durations=True, objects=True),
        "dimension": lambda value: pixels(value) or _percentage(value),
        "weight": then(weight_of, lambda number: string(weight(number))),
        "family": then(families, partial(_family, fonts=fonts)),
        "shadow": object_of("shadow", _shadow),
        "border": object_of("border", _border),
        "strokeStyle": object_of("strokeStyle", _stroke),
        "typography": object_of("typography", partial(_text_style, fonts=fonts)),
    }


class Choice(NamedTuple):
    """A name that a provider can choose, or none."""

    name: Annotated[str, doc("the name as a string, which is empty for the choice of none", '"color-scheme/dark"')]
    themes: Annotated[
        str, doc("the theme that it means, `always` or in a colour scheme", '{ always: "color-scheme/dark" }')
    ]


class Hooks(Struct, frozen=True):
    """The choices of themes."""

    collections: Annotated[list[list[Choice]], doc("the choices of each collection with several modes")]
    brands: Annotated[list[str], doc("the choices that are not themes, as strings", ['"scheme/brand-b"'])]


TEMPLATES = (
    Template("react-native/theme.js.j2", "react-native", "`theme.js`: a provider and hooks.", Hooks),
    Template("react-native/theme.d.ts.j2", "react-native", "`theme.d.ts`: their types.", Hooks),
)


def render(resolution: Resolution, request: OutputRequest) -> tuple[tuple[OutputFile, ...], list[Problem]]:
    """Return ``tokens.js`` and ``theme.js``, each with its types."""
    options = options_of(request, ReactNativeOptions)
    output = Output(
        resolution, request, naming=javascript.NAMING, kinds=_KINDS, literals=literals(request.fonts), references={}
    )
    of_module = javascript.TypescriptOptions(
        dimensions="number", durations="number", nested=options.nested, themes=options.themes, css_variables=False
    )
    collections = _collections(output)
    themes = {string(theme.name) for theme in output.themes}
    brands = [choice.name for choices in collections for choice in choices[1:] if choice.name not in themes]
    hooks = asdict(Hooks(collections, brands))
    files = [
        OutputFile(path, rendered_bytes(f"react-native/{path}.j2", request.templates, **hooks))
        for path in ("theme.js", "theme.d.ts")
    ]
    pairs = [javascript.without_its_pair(request, name) for name in ("typescript/tokens", "react-native/theme")]
    return (*javascript.module_files(output, of_module, _TYPES, "native"), *files), [*output.problems, *chain(*pairs)]


def _collections(output: Output) -> list[list[Choice]]:
    """Return the choices of each axis: none, which follows the system, then its themes and brands."""
    system = system_choice(output)
    names = {theme.modes: theme.name for theme in reversed(output.themes)}

    def choice(name: str, always: str, appearances: Iterable[tuple[Appearance, Theme]]) -> Choice:
        meant = {"always": always} if always else {}
        meant |= {
            appearance.scheme: names[theme.modes]
            for appearance, theme in appearances
            if appearance.scheme and not appearance.contrast and theme.modes in names
        }
        members = ", ".join(f"{key}: {string(theme)}" for key, theme in meant.items())
        return Choice(string(name), f"{{ {members} }}" if members else "{}")

    collections = []
    for axis in axes_of(output):
        of_system = system.themes
        if axis.family:
            modes = system.modes.get(axis.family, {})
            of_system = tuple((appearance, Theme("", ((axis.family, mode),))) for appearance, mode in modes.items())
        choices = [choice("", "", of_system)]
        for name, theme, appearances in axis.contexts:
            chosen = theme.name
            if appearances:
                ((family, mode),) = theme.modes
                chosen = f"{chosen.removesuffix(output.graph.collections[family].modes[mode].context)}{name}"
            choices.append(choice(chosen, theme.name, appearances))
        collections.append(choices)
    return collections
