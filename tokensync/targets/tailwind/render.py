"""Tailwind: ``theme.css``, the tokens that make utilities in ``@theme``, and the themes' blocks as css has them.

Tailwind copies what ``@theme`` says of a shadow into the utility. Where a theme changes it, ``@theme`` refers to a
plain property that holds the value, and the themes' blocks declare both. Breakpoints and containers are copied into
conditions, which hold no references: so they have their default value in every theme. They are in rem like Tailwind's
own, since Tailwind puts the rules of one unit before those of another.
"""

from __future__ import annotations

from functools import partial
from itertools import chain, count, islice
from typing import TYPE_CHECKING, NamedTuple

from tokensync.generate import scalars
from tokensync.generate.request import OutputFile, options_of
from tokensync.naming import readable, rendered_bytes, token_label
from tokensync.problems import problem
from tokensync.targets.css import CssOptions
from tokensync.targets.css.cascade import INVALID, Cascade
from tokensync.targets.css.spelling import Spelling, output_of, rem
from tokensync.targets.tailwind import TailwindOptions
from tokensync.tokens import Quantity, float32, shortest
from tokensync.tokens.resolver import NO_TOKEN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from collections.abc import Set as AbstractSet

    from tokensync.generate.output import Output
    from tokensync.generate.request import OutputRequest
    from tokensync.generate.resolution import Resolution
    from tokensync.problems import Problem
    from tokensync.targets.css.cascade import Block, Row
    from tokensync.tokens import Literal, Token
    from tokensync.tokens.resolver import TokenIndex

    Declaration = tuple[str, str, str]


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


ROOT = ":root, :host"
"""Where Tailwind itself declares the variables of ``@theme``."""
_ROOT_LINES = ROOT.replace(", ", ",\n")


def render(resolution: Resolution, request: OutputRequest) -> tuple[tuple[OutputFile, ...], list[Problem]]:
    """Return ``theme.css``."""
    options = options_of(request, TailwindOptions)
    spelled = CssOptions(
        colors=options.colors,
        profile=options.profile,
        composed=options.composed,
        dimensions=options.dimensions,
        base=options.base,
        root=ROOT,
        attribute=options.attribute,
        brand_axis=options.brand_axis,
        themes=options.themes,
    )
    spelling = Spelling(spelled)
    # A rem of a media query is that of the browser; a rem of a container query is that of the page.
    spelling.literals["breakpoint"] = partial(_in_rem, base=scalars.REM)
    spelling.literals["container"] = partial(_in_rem, base=options.base)
    output = output_of(resolution, request, spelling)
    names = names_of(output)
    for index, name in names.themed.items():
        output.names[index] = f"{_before(options)}{name}"
        if names.spaces[index] in CONDITIONS:
            output.kinds[index] = names.spaces[index]
    blocks = list(Cascade(output, spelled, spelling).blocks())
    defaults = _defaults(output, blocks)
    others = [each for each in blocks if not each.is_default]
    differing = _differing(defaults, others, names)
    _report_conditions(output, names, defaults, differing, options.base)
    writing = _Writing(output, names, _before(options), differing & names.values.keys())
    theme, plain = writing.parted(defaults)
    plain += writing.rows(row for each in blocks if each.is_default for row in each.rows if _is_absent(row))
    content = rendered_bytes(
        "tailwind/theme.css.j2",
        request.templates,
        static=options.static,
        theme=theme,
        blocks=chain(
            [((), _ROOT_LINES, plain)] if plain else [],
            ((each.conditions, _on_lines(each.selector), writing.rows(each.rows)) for each in others),
        ),
    )
    return (OutputFile("theme.css", content),), output.problems


def _in_rem(value: Literal, base: float) -> str | None:
    """Return a length in rem, of which one has ``base`` pixels."""
    return rem(float32(value.number) if isinstance(value, Quantity) and value.unit == "px" else value, base)


def _before(options: TailwindOptions) -> str:
    """Tailwind puts its prefix before what ``@theme`` declares, and nowhere else: all the rest has it already."""
    return f"--{options.prefix}-" if options.prefix else "--"


def _on_lines(selector: str) -> str:
    return selector.replace(ROOT, _ROOT_LINES, 1) if selector.startswith(ROOT) else selector


def _defaults(output: Output, blocks: Iterable[Block]) -> list[Row]:
    """Return what the root shows while nothing is chosen, in the order of the tokens.

    What is declared again wherever a theme is chosen is one of it: Tailwind makes utilities of what ``@theme`` has.
    """
    found = {
        row.name: row if each.is_default else row._replace(value=row.default_value)
        for each in blocks
        if not each.path and not each.conditions
        for row in each.rows
        if (not _is_absent(row) if each.is_default else row.token != NO_TOKEN)
    }
    rank = {index: at for at, index in enumerate(output.declared)}
    return sorted(found.values(), key=lambda row: rank.get(row.token, -1))


def _is_absent(row: Row) -> bool:
    """Return whether a token has no value here; ``@theme`` would take that for the removal of a variable."""
    return row.token != NO_TOKEN and row.value == INVALID


def _safe(value: str) -> str:
    """The value for Tailwind, which takes ``!important`` for what it says even within a string."""
    return value.replace("!important", "\\21 important") if "!" in value else value


def _differing(defaults: Iterable[Row], others: Iterable[Block], names: Names) -> set[TokenIndex]:
    """Return the tokens of which Tailwind copies the default value, though another block has another value."""
    copied = {
        index: value
        for index, _, value, *_ in defaults
        if index in names.values or names.spaces.get(index) in CONDITIONS
    }
    return {
        index for block in others for index, _, value, *_ in block.rows if index in copied and value != copied[index]
    }


def _report_conditions(
    output: Output, names: Names, defaults: Iterable[Row], differing: set[TokenIndex], base: float
) -> None:
    """Report breakpoints and containers that a theme changes, and those that Tailwind cannot put in order."""
    first = {
        (space, number): (f"{number}rem", f"Tailwind's {name}")
        for space, usual in CONDITIONS.items()
        for name, number in usual.items()
        if f"{space}-{name}" not in names.themed.values()
    }
    for index, _, value, *_ in defaults:
        space = names.spaces.get(index, "")
        if space not in CONDITIONS:
            continue
        label = token_label(output.graph, output.tokens[index].key)
        if index in differing:
            variant = readable(names.themed[index].removeprefix(f"{space}-"))
            output.problems.append(_varies(label, f"@{variant}" if space == "container" else variant, value))
        if value.endswith("rem"):
            whole = int(float(value.removesuffix("rem")))
            known, whose = first.setdefault((space, whole), (value, label))
            if value != known:
                pixels = base if space == "container" else scalars.REM
                output.problems.append(_unordered(label, value, f"{known} ({whose})", whole, pixels))


def _varies(label: str, variant: str, value: str) -> Problem:
    what = f"a theme changes it, but Tailwind's variant {variant} stands for {value} in every theme"
    advice = "give it one value in all modes, or a name that does not make it a breakpoint or a container"
    return problem("breakpoint-varies", label, what, advice)


def _unordered(label: str, value: str, other: str, whole: int, pixels: float) -> Problem:
    what = f"Tailwind sorts variants by whole rem, so the order of {value} and {other} is undefined"
    below, above = (f"{each}rem ({shortest(float32(each * pixels))}px)" for each in (whole, whole + 1))
    return problem("breakpoint-order", label, what, f"make it less than {below} or at least {above}")


class _Writing:
    """Writes the rows of blocks; what text styles hand on to Tailwind follows the parts that it comes from.

    ``held`` are the tokens whose values stand in a plain property of their own.
    """

    def __init__(self, output: Output, names: Names, before: str, held: AbstractSet[TokenIndex]) -> None:
        self.output = output
        self.names = names
        self.before = before
        self.held = held

    def parted(self, rows: Iterable[Row]) -> tuple[list[Declaration], list[Declaration]]:
        """The defaults: what stands in ``@theme``, without prefix, and what is a plain property."""
        theme: list[Declaration] = []
        plain: list[Declaration] = []
        themed, names = self.names.themed, self.output.names
        for index, name, value, note, _ in rows:
            if index in self.held:
                holder = self._holder(index)
                plain.append((holder, _safe(value), note))
                theme.append((f"--{themed[index]}", f"var({holder})", ""))
            elif index in themed and name == names[index]:
                theme.append((f"--{themed[index]}", _safe(value), note))
            else:
                plain.append((name, _safe(value), note))
                theme += self._handed_on(index, name, "--")
        return theme, plain

    def rows(self, rows: Iterable[Row]) -> list[Declaration]:
        """Return the declarations of any other block.

        A reference is computed where it stands: so what refers to a value stands wherever the value does.
        """
        written: list[Declaration] = []
        for index, name, value, note, _ in rows:
            if index in self.held:
                holder = self._holder(index)
                written += [(holder, _safe(value), note), (name, f"var({holder})", "")]
            else:
                written.append((name, _safe(value), note))
                written += self._handed_on(index, name, self.before)
        return written

    def _holder(self, index: TokenIndex) -> str:
        """Return the name of the plain property that holds a token's value."""
        return f"{self.before}{self.names.values[index]}"

    def _handed_on(self, index: TokenIndex, name: str, before: str) -> Iterator[Declaration]:
        """The variable of Tailwind's that a part of a text style is the value of."""
        style = self.names.styles.get(index)
        if style is not None:
            part = name[len(self.output.names[index]) + 1 :]
            for suffix, namespace, after in STYLE_PARTS:
                if part == suffix:
                    yield f"{before}{namespace}-{style}{after}", f"var({name})", ""
