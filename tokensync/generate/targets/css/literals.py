"""Values as CSS: plain values, and values that contain references (composite tokens, and colours with an opacity).

coloraide, which converts colours, is imported on first use.

A composite is a value for a shorthand property; some parts have properties of their own.

| type | value | usage | parts |
| --- | --- | --- | --- |
| shadow | `0px 1px 2px 0px #000000, inset ...` | `box-shadow: var(--x)` | |
| border | `1px solid #000000` | `border: var(--x)` | `-width`, `-style`, `-color` |
| strokeStyle | `solid` | `border-style: var(--x)` | dashes: `-dash-array`, `-line-cap` (SVG strokes) |
| typography | `600 16px/1.5 "Inter", serif` | `font: var(--x)` | `-font-family`, `-font-size` and so on |
| gradient | `linear-gradient(#ffffff 0%, ...)` | `background: var(--x)` | `-stops`, for another direction |
| transition | `200ms cubic-bezier(...) 0ms` | `transition: all var(--x)` | `-duration`, `-timing-function`, `-delay` |
| cubicBezier | `cubic-bezier(0.2, 0, 0, 1)` | `transition-timing-function: var(--x)` | |

CSS has no line style for dashes of given lengths: they are `dashed`, and the lengths are parts.

A colour with an opacity is ``color-mix()``, which can contain references. Mixing a colour with ``transparent``
multiplies its alpha by the percentage of the colour and preserves its channels, like an opacity.
"""

from __future__ import annotations

import re
from functools import cached_property, partial
from math import floor
from typing import TYPE_CHECKING, NamedTuple

from tokensync.generate import notation
from tokensync.generate.naming import token_label
from tokensync.generate.notation import NO_REFERENCES, TYPES, Typed, composite, references, then
from tokensync.generate.targets.css.springs import easing
from tokensync.system.problems import Problem, problem
from tokensync.tokens import Alias, Color, Composite, Quantity, Unresolved, channels, normalized, shortest
from tokensync.tokens.values import DURATIONS, IN_GAMUT, in_display_p3, in_own_space, is_css

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from tokensync.generate.output import Output
    from tokensync.generate.target import Convert
    from tokensync.tokens import ComposedColor, Literal, Resolved, Value
    from tokensync.tokens.composites import Path
    from tokensync.tokens.resolver import Code, ResolvedTheme, TokenIndex

    ReferenceTexts = Mapping[Path, str]
    Parts = tuple[tuple[str, str], ...]


UNREPRESENTABLE = re.compile("[\0\ud800-\udfff]|(?i:</style)")
"""What a CSS string cannot contain, even escaped: minifiers write ``\\3c`` as ``<``, which makes ``</style`` a tag."""

_BARE_FAMILIES = {
    name.lower(): name
    for name in """
    serif sans-serif monospace cursive fantasy system-ui ui-serif ui-sans-serif ui-monospace ui-rounded math emoji
    fangsong -apple-system BlinkMacSystemFont -webkit-body -webkit-pictograph -webkit-standard -webkit-system-font
    """.split()
}
"""Generic families and fonts of the system, in the case that style sheets have, by lower case."""

_SPECIAL = re.compile(
    UNREPRESENTABLE.pattern + '|[\0-\x1f"\\\\<\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffd]'
)
_UNITS = frozenset("px rem em ms s % vh vw pt ch ex".split())


def string(text: str) -> str:
    """Return a CSS string; quotes, line ends, control characters, bidi marks and ``<`` are escaped."""
    return f'"{_SPECIAL.sub(_escaped, text)}"'


def _escaped(match: re.Match[str]) -> str:
    found = match[0]
    if found in '"\\':
        return f"\\{found}"
    return f"\\fffd {found[1:]}" if UNREPRESENTABLE.match(found) else f"\\{ord(found):x} "  # Sass refuses U+FFFD itself


def identifier(text: str) -> str:
    """Return a CSS identifier, for the name of an attribute after ``data-``."""
    return re.sub(r"[^\w-]", lambda match: f"\\{ord(match[0]):x} " if match[0] != "\0" else "\ufffd", text)


def class_selector(name: str) -> str:
    """Return the selector of a class with the name of a custom property."""
    body = identifier(name.removeprefix("--"))
    return f".\\{ord(body[0]):x} {body[1:]}" if body[0] in "-0123456789" else f".{body}"


def comment(text: str) -> str:
    """Return a comment; its text cannot end it."""
    safe = text if text.isprintable() else "".join(each if each.isprintable() else " " for each in text)
    return f"/* {safe.replace('*/', '* /').replace('</', '< /')} */"


def color(value: Literal) -> str | None:
    """Return ``#rrggbb``, or ``rgb(r g b / a)`` when it is not opaque."""
    if type(value) is not Color:
        return None
    red, green, blue = channels(value)
    if value.alpha == 1:
        return f"#{red << 16 | green << 8 | blue:06x}"
    return f"rgb({red} {green} {blue} / {alpha(value.alpha)})"


def alpha(share: float) -> str:
    """Return an opacity with at most four decimals."""
    return f"{floor(share * 10_000 + 0.5) / 10_000:.4f}".rstrip("0").rstrip(".")


def dimension(value: Literal) -> str | None:
    """Return a plain number in px, or a quantity in its own unit."""
    if type(value) is Quantity:
        return f"{shortest(normalized(value.number))}{value.unit}" if value.unit in _UNITS else None
    text = notation.decimal(value)
    return None if text is None else f"{text}px"


def duration(value: Literal) -> str | None:
    """Return a quantity in ms or s."""
    return dimension(value) if type(value) is Quantity and value.unit in DURATIONS else None


def plain_string(value: Literal) -> str | None:
    """Return a text as a CSS string."""
    return string(value) if type(value) is str else None


def raw(value: Literal) -> str | None:
    """Return a text that is CSS already."""
    return value if type(value) is str and is_css(value) else None


def family_list(names: Iterable[str]) -> str:
    """Return a comma-separated list of families: generic keywords, and strings for the others."""
    return ", ".join(_BARE_FAMILIES.get(name.lower()) or string(name) for name in names) or '""'


def boolean(value: Literal) -> str | None:
    """Return 1 or 0, for use in ``calc()``."""
    return str(int(value)) if type(value) is bool else None


LITERALS: dict[str, Convert] = {
    "color": color,
    "dimension": dimension,
    "number": notation.decimal,
    "percentage": notation.share,
    "string": plain_string,
    "family": then(notation.families, family_list),
    "boolean": boolean,
    "duration": duration,
    "css": raw,
}


class Colors:
    """A writer of colours in one notation (``hex``, ``rgb`` or ``oklch``); ``profile`` is that of their components.

    The forms are those that stylelint-config-standard asks for, but for the five decimals of a chroma.
    """

    def __init__(self, notation: str = "hex", profile: str = "srgb") -> None:
        self.notation = notation
        self.is_wide = profile == "display-p3"
        self._wide: dict[Color, str] = {}
        self.convert: Convert = _hex if notation == "hex" and not self.is_wide else self.text

    def text(self, value: Literal) -> str | None:
        """Return the colour for all screens; None when the value is not a colour.

        It is the closest one in sRGB, but ``oklch()`` can be any colour if no other text is for wide-gamut screens.
        """
        if type(value) is not Color:
            return None
        if self.is_wide:
            value = self._nearest(value)
        elif value.wide and self.notation == "oklch":
            return self._oklch(_exact(value), value)
        match self.notation:
            case "rgb":
                return _rgb(value)
            case "oklch":
                return self._oklch(self._in("srgb", value), value)
            case _:
                return _hex(value)

    def wide(self, value: object) -> str:
        """Return a colour outside of sRGB for Display P3 screens; an empty text for other values."""
        if type(value) is not Color or not self.is_wide:
            return ""
        text = self._wide.get(value)
        if text is None:
            text = self._wide[value] = self._written_wide(value)
        return text

    def widest(self, value: Literal) -> str | None:
        """Return the colour for Display P3 screens, also if it is in sRGB; None when the value is not a colour."""
        return self.wide(value) or self.text(value)

    def _written_wide(self, value: Color) -> str:
        color = _exact(value) if value.wide else self._in("display-p3", value)
        if color.in_gamut("srgb", tolerance=IN_GAMUT):
            return ""
        if self.notation == "oklch":
            return self._oklch(color, value)
        channels = in_display_p3(value) if value.wide else (value.red, value.green, value.blue)
        red, green, blue = (_decimal(_share(channel), 4) for channel in channels)
        return f"color(display-p3 {red} {green} {blue}{_alpha(value)})"

    def _nearest(self, value: Color) -> Color:
        if value.wide:
            return value
        converted = self._in("display-p3", value).convert("srgb")
        if not converted.in_gamut(tolerance=IN_GAMUT):
            converted = converted.fit("srgb", method="oklch-chroma")
        red, green, blue = (_share(each) for each in converted[:3])
        return Color(red, green, blue, value.alpha)

    @staticmethod
    def _oklch(color: Any, value: Color) -> str:
        lightness, chroma, hue = color.convert("oklch")[:3]
        if chroma < 0.00004:  # grey: its hue is noise
            chroma = hue = 0.0
        lightness, chroma, hue = _decimal(lightness * 100, 3), _decimal(chroma, 5), _decimal(hue % 360, 3)
        return f"oklch({lightness}% {chroma} {hue}deg{_alpha(value)})"

    def _in(self, space: str, value: Color) -> Any:
        return self._class(space, [_share(each) for each in (value.red, value.green, value.blue)])

    @cached_property
    def _class(self) -> Any:
        from coloraide import Color as Converted

        return Converted


def _exact(value: Color) -> Any:
    """Return a colour outside of sRGB in its own space."""
    space, *components = value.wide.split()
    return in_own_space(space, map(float, components))


def _hex(value: Literal) -> str | None:
    """Return ``#rgb``, ``#rrggbb`` or, when it is not opaque, ``rgb(r g b / a%)``."""
    if type(value) is not Color:
        return None
    if value.alpha != 1:
        return _rgb(value)
    red, green, blue = channels(value)
    is_long = red % 17 or green % 17 or blue % 17
    return f"#{bytes((red, green, blue)).hex()}" if is_long else f"#{red // 17:x}{green // 17:x}{blue // 17:x}"


def _rgb(value: Color) -> str:
    numbers = " ".join(map(str, channels(value)))
    return f"rgb({numbers}{_alpha(value)})"


def _alpha(value: Color) -> str:
    """Return `` / a%``; an empty text for an opaque colour."""
    return "" if value.alpha == 1 else f" / {_decimal(value.alpha * 100, 2)}%"


def _share(component: float) -> float:
    return min(max(component, 0.0), 1.0)


def _decimal(number: float, decimals: int) -> str:
    scale = 10**decimals
    rounded = floor(number * scale + 0.5) / scale
    return f"{rounded:.{decimals}f}".rstrip("0").rstrip(".")


KINDS = {
    "color": ("color",),
    "dimension": ("dimension",),
    "duration": ("duration",),
    "number": ("number",),
    "fontWeight": ("number",),
    "fontFamily": ("family",),
    "lineHeight": ("number", "dimension"),
    "shadow": ("shadow",),
    "strokeStyle": ("strokeStyle",),
    "cubicBezier": ("cubicBezier",),
}
"""The kinds of tokens that a part of each type can refer to; others have another notation (a number has no ``px``, a
string is not a list of families), so the part is a literal."""


class PartNotation(NamedTuple):
    """The functions that write colours, and lengths by the scope that variables for them have."""

    color: Callable[[Color], str | None] = color
    length: Callable[[float | Quantity, str], str | None] = lambda value, _: dimension(value)


_SCOPES = {
    "width": "STROKE_FLOAT",
    "dashArray": "STROKE_FLOAT",
    "fontSize": "FONT_SIZE",
    "letterSpacing": "LETTER_SPACING",
    "lineHeight": "LINE_HEIGHT",
}
"""The scopes of parts by their names; others are parts of an effect."""


PLAIN_PARTS = PartNotation()


def composite_text(
    value: Typed, references: ReferenceTexts = NO_REFERENCES, spelling: PartNotation = PLAIN_PARTS
) -> str:
    """Return the value as in the table above; ``references`` has the ``var()`` of parts by path."""
    return _Writer(references, spelling).text(value)


def composite_literal(value: Literal, dtcg_type: str, spelling: PartNotation = PLAIN_PARTS) -> str | None:
    """Return a composite without references as text; None when the value is not of this type."""
    typed = composite(value, dtcg_type)
    if typed is None:
        return easing(value) if dtcg_type == "cubicBezier" and type(value) is Composite else None
    return composite_text(typed, spelling=spelling)


COMPOSITES: dict[str, Convert] = {each: partial(composite_literal, dtcg_type=each) for each in TYPES}


def parts_of(value: Typed, references: ReferenceTexts = NO_REFERENCES, spelling: PartNotation = PLAIN_PARTS) -> Parts:
    """Return (suffix of the token's name, value) of each part with a property of its own."""
    return _Writer(references, spelling).parts(value)


class _Writer(NamedTuple):
    """A writer of one value; a path identifies a part."""

    references: ReferenceTexts
    spelling: PartNotation

    def text(self, value: Typed) -> str:
        match value:
            case notation.Shadow(layers=layers):
                return ", ".join(self._or((index,), self.layer(each, index)) for index, each in enumerate(layers))
            case notation.Border():
                return (
                    f"{self.length(value.width, 'width')} {self.stroke(value.style)} {self.color(value.color, 'color')}"
                )
            case notation.StrokeStyle():
                return value.keyword or "dashed"
            case notation.Typography():
                return self.font(value)
            case notation.Gradient():
                return f"linear-gradient({self.stops(value)})"
            case notation.Transition():
                return " ".join(each for _, each in self.parts(value))
            case notation.CubicBezier():
                return _curve(value)

    def parts(self, value: Typed) -> Parts:
        match value:
            case notation.Border():
                return (
                    ("width", self.length(value.width, "width")),
                    ("style", self.stroke(value.style)),
                    ("color", self.color(value.color, "color")),
                    *(self.dashes(value.style, "style") if ("style",) not in self.references else ()),
                )
            case notation.StrokeStyle():
                return self.dashes(value)
            case notation.Typography():
                parts = (
                    ("font-family", self._or(("fontFamily",), family_list(value.families))),
                    ("font-size", self.length(value.size, "fontSize")),
                    ("font-weight", self._or(("fontWeight",), notation.decimal(value.weight) or "")),
                    ("letter-spacing", self.length(value.tracking or value.letter_spacing, "letterSpacing")),
                    ("line-height", self.line_height(value.line_height)),
                    ("font-style", value.style),
                    ("text-transform", value.case),
                    ("text-decoration", value.decoration),
                )
                return tuple(part for part in parts if part[1])
            case notation.Gradient():
                return (("stops", self.stops(value)),)
            case notation.Transition():
                return (
                    ("duration", self._or(("duration",), _time(value.duration))),
                    ("timing-function", self._or(("timingFunction",), _curve(value.timing))),
                    ("delay", self._or(("delay",), _time(value.delay))),
                )
            case _:
                return ()

    def _or(self, path: Path, literal: str) -> str:
        return self.references.get(path, literal)

    def color(self, value: Color, *path: str | int) -> str:
        return self._or(path, self.spelling.color(value) or "transparent")

    def length(self, value: float | Quantity, *path: str | int) -> str:
        scope = next((_SCOPES[step] for step in path if step in _SCOPES), "EFFECT_FLOAT")
        return self._or(path, self.spelling.length(value, scope) or "0px")

    def line_height(self, value: float | Quantity | None) -> str:
        text = self.length(value, "lineHeight") if isinstance(value, Quantity) else notation.decimal(value)
        return self._or(("lineHeight",), text or "")

    def layer(self, value: notation.Layer, index: int) -> str:
        lengths = (
            self.length(value.offset_x, index, "offsetX"),
            self.length(value.offset_y, index, "offsetY"),
            self.length(value.blur, index, "blur"),
            self.length(value.spread, index, "spread"),
        )
        inset = ("inset",) if value.inset else ()
        return " ".join((*inset, *lengths, self.color(value.color, index, "color")))

    def stroke(self, value: notation.StrokeStyle) -> str:
        return self._or(("style",), self.text(value))

    def dashes(self, value: notation.StrokeStyle, *path: str) -> Parts:
        if not value.dashes:
            return ()
        lengths = (self.length(each, *path, "dashArray", index) for index, each in enumerate(value.dashes))
        return (("dash-array", " ".join(lengths)), ("line-cap", value.cap))

    def font(self, value: notation.Typography) -> str:
        of = dict(self.parts(value))
        size = "/".join(of[name] for name in ("font-size", "line-height") if name in of)
        before = (of[name] for name in ("font-style", "font-weight") if name in of)
        return " ".join((*before, size, of["font-family"]))

    def stops(self, value: notation.Gradient) -> str:
        several = [self.stop(each, index) for index, each in enumerate(value.stops)]
        return ", ".join(several * 2 if len(several) == 1 else several)  # a CSS gradient needs at least two

    def stop(self, value: notation.Stop, index: int) -> str:
        position = self.references.get((index, "position"))
        share = notation.percent(value.position, 2) if position is None else f"calc({position} * 100%)"
        return f"{self.color(value.color, index, 'color')} {share}"


def _time(value: Quantity) -> str:
    return duration(value) or "0s"


def _curve(value: notation.CubicBezier) -> str:
    return f"cubic-bezier({', '.join(map(shortest, (value.x1, value.y1, value.x2, value.y2)))})"


class Composites:
    """The composite tokens of one output."""

    def __init__(self, output: Output, spelling: PartNotation) -> None:
        self.output = output
        self.spelling = spelling
        self._used_names = {*map(output.names.__getitem__, output.declared)}
        self._reported: set[str] = set()

    def written(
        self, index: TokenIndex, default_text: str, literal: Resolved, value: Value | None, target: Code
    ) -> tuple[str, Parts]:
        """Return the value with its references, and (suffix, value) of each part with a property of its own.

        If ``default_text``, the value without references to parts, refers to the token ``target``, so do the parts.
        """
        kind = self.output.kinds[index] or ""
        typed = None if isinstance(literal, Unresolved) else composite(literal, kind)
        if typed is None:
            return default_text, ()
        if target >= 0 and default_text.startswith("var("):
            name = self.output.names[target]
            parts = tuple(
                (suffix, f"var({name}-{suffix})" if f"{name}-{suffix}" not in self._used_names else part)
                for suffix, part in parts_of(typed, spelling=self.spelling)
            )
            return default_text, self._free(index, parts)
        kinds, names, indices = self.output.kinds, self.output.names, self.output.graph.table.indices
        references_by_path = {
            part.path: f"var({names[indices[part.target]]})"
            for part in references(value, kind)
            if part.target in indices and kinds[indices[part.target]] in KINDS.get(part.type, ())
        }
        return composite_text(typed, references_by_path, self.spelling), self._free(
            index, parts_of(typed, references_by_path, self.spelling)
        )

    def _free(self, index: TokenIndex, parts: Parts) -> Parts:
        """Return the parts whose names are not names of tokens; report the others once."""
        own = self.output.names[index]
        free = tuple(part for part in parts if f"{own}-{part[0]}" not in self._used_names)
        for suffix, _ in parts if len(free) < len(parts) else ():
            name = f"{own}-{suffix}"
            if name in self._used_names and name not in self._reported:
                self._reported.add(name)
                self.output.problems.append(self._collision(index, name))
        return free

    def _collision(self, index: TokenIndex, name: str) -> Problem:
        where = token_label(self.output.graph, self.output.tokens[index].key)
        what = f"its part {name} has the same name as another token, so the part is omitted"
        to_do = "rename one of the two if you need that part"
        brief = "tokens have parts with the name of another token, so these parts are omitted"
        return problem("identifier-collision", where, what, to_do, brief=brief)


SUPPORTS = "@supports (color: color-mix(in srgb, red, red))"
_SHARES = {
    "percentage": "calc(var({}) * 100%)",
    "number": "calc(var({}) * 1%)",
    "opacity": "calc(var({}))",  # a percentage in calc() is clamped to 0% to 100% (CSS Values 4, 10.12)
    "fraction": "calc(var({}) / 100)",
}
"""The share of a colour by the kind of the opacity that it refers to; the last two have a percent sign."""


class Mix(NamedTuple):
    """The base and the share of a composed colour, each as text or as a token's index.

    An index is that of an undeclared token, whose literal is written and may differ by theme. A literal base is a
    ``Color``, since its text depends on the screen.
    """

    base: str | TokenIndex | Color
    share: str | TokenIndex


def mix_of(output: Output, value: ComposedColor) -> Mix | None:
    """Return the mix of a composed colour; None when it refers to no declared token."""
    base: str | TokenIndex | Color | None
    base = value.color if isinstance(value.color, Color) else _reference(output, value.color, {"color": "var({})"})
    share = _reference(output, value.opacity, _SHARES) if isinstance(value.opacity, Alias) else _opacity(value.opacity)
    if base is None or share is None or not any("(--" in each for each in (base, share) if isinstance(each, str)):
        return None
    return Mix(base, share)


def mixed(output: Output, mix: Mix, resolved: ResolvedTheme, write: Convert) -> str:
    """Return ``color-mix()`` in one theme; an empty text when a part has no value there."""
    base: Resolved | None = output.literal(resolved, mix.base) if isinstance(mix.base, int) else mix.base
    share = _opacity(output.literal(resolved, mix.share)) if isinstance(mix.share, int) else mix.share
    if isinstance(base, Color):
        base = write(base)
    elif base is not mix.base:
        base = None
    return f"color-mix(in srgb, {base} {share}, transparent)" if base and share else ""


def _reference(output: Output, part: Value, references: Mapping[str, str]) -> str | TokenIndex | None:
    """Return the text of a reference to a declared token, or the index of an undeclared one."""
    index = output.graph.table.indices.get(part.target) if isinstance(part, Alias) else None
    if index is None:
        return None
    template = references.get(output.kinds[index] or "")
    return index if template is None else template.format(output.names[index])


def _opacity(literal: object) -> str | None:
    return f"{shortest(min(max(literal, 0.0), 100.0))}%" if isinstance(literal, float) else None
