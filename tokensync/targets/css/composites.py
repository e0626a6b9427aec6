"""Values that contain references: composite tokens, and colours with an opacity.

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

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from tokensync.generate.composites import (
    NO_REFERENCES,
    TYPES,
    Border,
    CubicBezier,
    Gradient,
    Layer,
    Shadow,
    Stop,
    StrokeStyle,
    Transition,
    Typography,
    composite,
    references,
)
from tokensync.naming import token_label
from tokensync.problems import problem
from tokensync.targets.css import literals as css
from tokensync.tokens import Alias, Color, Unresolved, shortest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from tokensync.generate.composites import Reference, Typed
    from tokensync.generate.output import Output
    from tokensync.problems import Problem
    from tokensync.tokens import ComposedColor, Literal, Quantity, Resolved, TokenKey, Value
    from tokensync.tokens.composites import Path
    from tokensync.tokens.resolver import Code, ResolvedTheme, TokenIndex

    Texts = Mapping[Path, str]
    Parts = tuple[tuple[str, str], ...]

KINDS = {
    "color": "color",
    "dimension": "dimension",
    "duration": "duration",
    "number": "number",
    "fontWeight": "number",
    "fontFamily": "family",
    "shadow": "shadow",
    "strokeStyle": "strokeStyle",
    "cubicBezier": "cubicBezier",
}
"""The kind of token that a part of each type can refer to; other kinds have another notation (a number has no ``px``,
a string is not a list of families), so the part is a literal."""


class Spelling(NamedTuple):
    """The functions that write colours and lengths."""

    color: Callable[[Color], str | None] = css.color
    length: Callable[[float | Quantity], str | None] = css.dimension


PLAIN = Spelling()


def text(value: Typed, references: Texts = NO_REFERENCES, spelling: Spelling = PLAIN) -> str:
    """Return the value as in the table above; ``references`` has the ``var()`` of parts by path."""
    return _Writer(references, spelling).text(value)


def literal(value: Literal, dtcg_type: str, spelling: Spelling = PLAIN) -> str | None:
    """Return a composite without references as text; None when the value is not of this type."""
    typed = composite(value, dtcg_type)
    return None if typed is None else text(typed, spelling=spelling)


LITERALS: dict[str, Callable[[Literal], str | None]] = {each: partial(literal, dtcg_type=each) for each in TYPES}


def parts_of(value: Typed, references: Texts = NO_REFERENCES, spelling: Spelling = PLAIN) -> Parts:
    """Return (suffix of the token's name, value) of each part with a property of its own."""
    return _Writer(references, spelling).parts(value)


def references_as(
    references: Iterable[Reference], kind_of: Callable[[TokenKey], str | None], name_of: Callable[[TokenKey], str]
) -> dict[Path, str]:
    """Return the ``var()`` of each reference that can be written, by path.

    ``kind_of`` returns a token's kind as in ``KINDS`` (None for undeclared tokens), ``name_of`` its name with ``--``.
    """
    return {
        each.path: f"var({name_of(each.target)})" for each in references if kind_of(each.target) == KINDS.get(each.type)
    }


class _Writer:
    """A writer of one value; a path identifies a part."""

    def __init__(self, references: Texts, spelling: Spelling) -> None:
        self.references = references
        self.spelling = spelling

    def text(self, value: Typed) -> str:
        match value:
            case Shadow(layers=layers):
                return ", ".join(self._or((index,), self.layer(each, index)) for index, each in enumerate(layers))
            case Border():
                return (
                    f"{self.length(value.width, 'width')} {self.stroke(value.style)} {self.color(value.color, 'color')}"
                )
            case StrokeStyle():
                return value.keyword or "dashed"
            case Typography():
                return self.font(value)
            case Gradient():
                return f"linear-gradient({self.stops(value)})"
            case Transition():
                return " ".join(each for _, each in self.parts(value))
            case CubicBezier():
                return _curve(value)

    def parts(self, value: Typed) -> Parts:
        match value:
            case Border():
                return (
                    ("width", self.length(value.width, "width")),
                    ("style", self.stroke(value.style)),
                    ("color", self.color(value.color, "color")),
                    *(self.dashes(value.style, "style") if ("style",) not in self.references else ()),
                )
            case StrokeStyle():
                return self.dashes(value)
            case Typography():
                return (
                    ("font-family", self._or(("fontFamily",), css.family_list(value.families))),
                    ("font-size", self.length(value.size, "fontSize")),
                    ("font-weight", self._or(("fontWeight",), shortest(value.weight))),
                    ("letter-spacing", self.length(value.letter_spacing, "letterSpacing")),
                    ("line-height", self._or(("lineHeight",), shortest(value.line_height))),
                )
            case Gradient():
                return (("stops", self.stops(value)),)
            case Transition():
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
        return self._or(path, self.spelling.length(value) or "0px")

    def layer(self, value: Layer, index: int) -> str:
        lengths = (
            self.length(value.offset_x, index, "offsetX"),
            self.length(value.offset_y, index, "offsetY"),
            self.length(value.blur, index, "blur"),
            self.length(value.spread, index, "spread"),
        )
        inset = ("inset",) if value.inset else ()
        return " ".join((*inset, *lengths, self.color(value.color, index, "color")))

    def stroke(self, value: StrokeStyle) -> str:
        return self._or(("style",), self.text(value))

    def dashes(self, value: StrokeStyle, *path: str) -> Parts:
        if not value.dashes:
            return ()
        lengths = (self.length(each, *path, "dashArray", index) for index, each in enumerate(value.dashes))
        return (("dash-array", " ".join(lengths)), ("line-cap", value.cap))

    def font(self, value: Typography) -> str:
        of = dict(self.parts(value))
        return f"{of['font-weight']} {of['font-size']}/{of['line-height']} {of['font-family']}"

    def stops(self, value: Gradient) -> str:
        several = [self.stop(each, index) for index, each in enumerate(value.stops)]
        return ", ".join(several * 2 if len(several) == 1 else several)  # a CSS gradient needs at least two

    def stop(self, value: Stop, index: int) -> str:
        position = self.references.get((index, "position"))
        share = f"{_share(value.position)}%" if position is None else f"calc({position} * 100%)"
        return f"{self.color(value.color, index, 'color')} {share}"


def _time(value: Quantity) -> str:
    return css.duration(value) or "0s"


def _curve(value: CubicBezier) -> str:
    return f"cubic-bezier({', '.join(map(shortest, (value.x1, value.y1, value.x2, value.y2)))})"


def _share(position: float) -> str:
    """Return a fraction of 1 as an exact percentage."""
    from decimal import Decimal

    shifted = f"{Decimal(shortest(position)).scaleb(2):f}"
    return shifted.rstrip("0").rstrip(".") if "." in shifted else shifted


class Composites:
    """The composite tokens of one output."""

    def __init__(self, output: Output, spelling: Spelling) -> None:
        self.output = output
        self.spelling = spelling
        self._used_names = {output.names[index] for index in output.declared}
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
        references_by_path = references_as(references(value, kind), self._kind_of, self._name_of)
        return text(typed, references_by_path, self.spelling), self._free(
            index, parts_of(typed, references_by_path, self.spelling)
        )

    def _kind_of(self, key: TokenKey) -> str | None:
        index = self.output.resolution.columns.indices.get(key)
        return None if index is None else self.output.kinds[index]

    def _name_of(self, key: TokenKey) -> str:
        return self.output.names[self.output.resolution.columns.indices[key]]

    def _free(self, index: TokenIndex, parts: Parts) -> Parts:
        """Return the parts whose names are not names of tokens; report the others once."""
        own = self.output.names[index]
        free = tuple(each for each in parts if f"{own}-{each[0]}" not in self._used_names)
        for suffix, _ in parts if len(free) < len(parts) else ():
            name = f"{own}-{suffix}"
            if name in self._used_names and name not in self._reported:
                self._reported.add(name)
                self.output.problems.append(self._collision(index, name))
        return free

    def _collision(self, index: TokenIndex, name: str) -> Problem:
        where = token_label(self.output.graph, self.output.tokens[index].key)
        what = f"its part {name} has the same name as another token, so the part is omitted"
        return problem("identifier-collision", where, what, "rename one of the two if you need that part")


SUPPORTS = "@supports (color: color-mix(in srgb, red, red))"
_SHARES = {"percentage": "100%", "number": "1%"}
"""The percentage to multiply an opacity by, by the kind of its token."""


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
    share: str | TokenIndex | None
    base = value.color if isinstance(value.color, Color) else _reference(output, value.color, {"color": "var({})"})
    if isinstance(value.opacity, Alias):
        share = _reference(output, value.opacity, {kind: f"calc(var({{}}) * {by})" for kind, by in _SHARES.items()})
    else:
        share = _opacity(value.opacity)
    if base is None or share is None or not any("(--" in each for each in (base, share) if isinstance(each, str)):
        return None
    return Mix(base, share)


def mixed(output: Output, mix: Mix, resolved: ResolvedTheme, write: Callable[[Literal], str | None]) -> str:
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
    index = output.resolution.columns.indices.get(part.target) if isinstance(part, Alias) else None
    if index is None:
        return None
    template = references.get(output.kinds[index] or "")
    return index if template is None else template.format(output.names[index])


def _opacity(literal: object) -> str | None:
    return f"{shortest(min(max(literal, 0.0), 100.0))}%" if isinstance(literal, float) else None
