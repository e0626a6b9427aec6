"""Raw values in code: literals that a token could replace, each with the property that it belongs to.

Each language of code is read by its lexer. ``_StyleSheet`` reads declarations of CSS, Sass and Less, also those in
attributes of HTML and in templates of scripts; ``_Script`` finds styles, class strings and colours in scripts. Where a
text is ambiguous, it is no raw value: an issue number or the id of an element is no colour.

Not yielded are 0 and ``transparent``, percentages, keywords, system colours, the fallback in ``var(--a, #fff)``,
colours of masks, and conditions and descriptors, where no reference can stand.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from msgspec.structs import replace

from tokensync.code.lexers import Token, tokens
from tokensync.code.literals import HEX, RawValue, Syntax, css_color, is_color_name, measure
from tokensync.generate.notation import families
from tokensync.normalize.mapping import words_of_name
from tokensync.tokens import Color, Composite, Quantity, normalized, shortest
from tokensync.tokens.composites import canonical

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tokensync.code.files import Part
    from tokensync.tokens import Literal as TokenLiteral

__all__ = ["RawValue", "Syntax", "raw_values"]


def raw_values(part: Part, text: str) -> Iterator[RawValue]:
    """Yield the raw values of a part of a text, in order."""
    reader = _READERS.get(part.language)
    if reader is not None:
        yield from reader(part, text)


# --- what a property can be -----------------------------------------------------------------------------------------

_SIDE = "(?:-(?:top|right|bottom|left|block|inline)(?:-(?:start|end|left|right))?)?"
_PROPERTIES = {
    "color": r"(?:.*-|bg)?color|background(?:-image)?|outline|fill|stroke|(?:box|text)-shadow|(?:backdrop-)?filter"
    rf"|column-rule|text-(?:decoration|emphasis)|border(?:{_SIDE}|-image)",
    "length": r"(?:scroll-)?(?:margin|padding)(?:-.*)?|(?:grid-)?(?:row-|column-)?gap|inset(?:-.*)?|top|right|bottom"
    r"|left|(?:min-|max-)?(?:width|height|inline-size|block-size)|border(?:-(?!image|spacing|collapse).*)?"
    r"|outline(?:-width|-offset)?|column-rule(?:-width)?|font(?:-size)?|line-height|letter-spacing|word-spacing"
    r"|text-indent|(?:box|text)-shadow|(?:backdrop-)?filter|flex-basis|stroke-width|text-underline-offset"
    r"|text-decoration-thickness",
    "time": r"(?:transition|animation)(?:-duration|-delay)?",
    "weight": r"font(?:-weight)?",
    "family": r"font(?:-family)?",
    "line": r"font|line-height",
    "em": r"letter-spacing",
    "number": r"(?:(?:fill|stroke|stop|flood)-)?opacity|z-index",
}
_NAMED = {
    "color": "accent|backgrounds?|bg|border|brand|colou?rs?|fg|fill|foreground|gradient|outline|palettes?|shadow|stroke"
    "|swatch(?:es)?|theme|tint",
    "weight": "weights?",
    "family": "family|fonts?(?= $)|typeface",
    "line": "leading|line height",
    "em": "tracking|letter spacing",
    "number": "opacity|z index",
}
"""The words of variables that can have these kinds of values. Any can have a length or a time."""
_PATTERNS = {kind: re.compile(pattern) for kind, pattern in _PROPERTIES.items()}
_VENDOR = re.compile(r"-(?:webkit|moz|ms|o)-")


@lru_cache(maxsize=8192)
def _kinds(use: str) -> frozenset[str]:
    """Return the kinds of values that a property, or a variable by the words of its name, can have."""
    if not use:
        return frozenset(("color",))
    if not use.startswith(("$", "@", "--")):
        return frozenset(kind for kind, pattern in _PATTERNS.items() if pattern.fullmatch(use))
    words = words_of_name(use)
    return frozenset(("length", "time", *(kind for kind, own in _NAMED.items() if re.search(f" (?:{own}) ", words))))


def _measured(kinds: frozenset[str], text: str, use: str) -> tuple[str, TokenLiteral] | None:
    """Return the type and value of a number in a property; None for one that no token could replace."""
    number = measure(text)
    if number is None or not number.value or abs(number.value) > 1e6:
        return None
    value, unit = normalized(number.value), number.unit.lower()
    if unit in ("px", "rem") and "length" in kinds:
        return "dimension", value if unit == "px" else Quantity(value, "rem")
    if unit in ("ms", "s") and "time" in kinds:
        return "duration", Quantity(value, unit)
    if unit == "em" and "em" in kinds:
        return "css", f"{shortest(value)}em"
    if unit or value < 0:
        return None
    if "weight" in kinds and use != "line-height" and (100 if "line" in kinds else 1) <= value <= 1000:
        return "fontWeight", value
    return ("number", value) if not kinds.isdisjoint(("line", "number")) else None


# --- values of declarations -----------------------------------------------------------------------------------------

_COLOR_FUNCTION = "(?:rgb|hsl)a?|hwb|(?:ok)?l(?:ab|ch)|color"
_COLOR = re.compile(rf"(?:{_COLOR_FUNCTION})\(([^()]{{1,100}})\)", re.IGNORECASE)
_WITH_ALPHA = re.compile(r"\s*(#\w+|[a-z]+)\s*,\s*(\d+\.?\d*|\.\d+)(%?)\s*")
"""The arguments of ``rgba(#fff, .5)`` in Sass."""
_OPERATOR = re.compile(r"\*|[\w)%] [-+] [\w$@(]|[$@)][\w-]* ?/|[\w)] ?/ ?[$@(]|\) % ")
"""An operator of Sass or Less; a slash between literals separates them."""
_OF_CSS = re.compile(
    rf"{_COLOR_FUNCTION}|calc|min|max|clamp|.*-gradient|drop-shadow|blur|color-mix|light-dark|cross-fade|image-set",
    re.IGNORECASE,
)
"""Functions of CSS with values in them; others of Sass and Less are computed when the style sheet is compiled."""
_OF_COLORS = re.compile(r"(?:fade|mix|scale|adjust|change|tint|shade|lighten|darken|(?:de)?saturate|transparentize).*")
"""Functions of Sass and Less in which the name of a colour is one."""
_FAMILIES = re.compile(r"""\s*+((?:"[^"]*"|'[^']*'|[\w-]++|\s*+,\s*+|\s++(?=[\w"']))++)""")
_REFERRING = frozenset(("var", "env", "attr", "theme", "token", "url", "selector", "format", "local"))
_GENERIC = frozenset(
    "serif sans-serif monospace cursive fantasy system-ui ui-serif ui-sans-serif ui-monospace ui-rounded math emoji"
    " fangsong inherit initial unset revert revert-layer null none true false".split()
)


class _Scope(NamedTuple):
    """An open parenthesis: what a value in it is used for, and what is known of it."""

    base: str
    use: str
    is_silent: bool
    is_computed: bool
    has_names: bool
    is_arithmetic: bool = False


class _Values(NamedTuple):
    """Reads the tokens of a value in ``text``, whose offsets are counted from ``base`` on."""

    text: str
    syntax: Syntax
    base: int = 0
    has_names: bool = True

    def raw(self, start: int, end: int, found: tuple[str, TokenLiteral], scope: _Scope) -> RawValue:
        place = (self.base + start, self.base + end, self.text[start:end])
        return RawValue(*place, *found, scope.use, self.syntax, scope.is_computed)

    def read(self, use: str, body: Sequence[Token], *, is_computed: bool = False) -> Iterator[RawValue]:
        """Yield the raw values of a property or of a variable."""
        use = _VENDOR.sub("", use, count=1) if use.startswith("-") else use
        if use.startswith("mask") or not body:
            return
        text, is_dialect = self.text, self.syntax in ("scss", "sass", "less")
        whole = text[body[0].start : body[-1].end]
        is_arithmetic = is_dialect and "calc(" not in whole and _OPERATOR.search(whole) is not None
        scopes = [_Scope(use, use, False, is_computed or is_arithmetic, self.has_names, is_arithmetic)]
        if "family" in _kinds(use) and (family := self._family(body, use, scopes[0])) is not None:
            yield family
        at, depth = 0, 0
        while at < len(body):
            kind, start, end = body[at]
            at += 1
            if kind in ("begin", "end"):
                depth += 1 if kind == "begin" else -(depth > 0)
            elif depth:
                continue
            elif kind == "mark":
                self._punctuate(text[start:end], body, at, scopes)
            elif kind == "name" and at < len(body) and text[end : end + 1] == "(" and body[at].start == end:
                match = _COLOR.match(text, start)
                color = self._color(match) if match and not scopes[-1].is_silent else None
                if match is not None and color is not None:
                    while at < len(body) and body[at].start < match.end():
                        at += 1
                    if color.alpha:
                        yield self.raw(start, match.end(), ("color", color), scopes[-1])
                    continue
                scopes.append(self._inside(text[start:end], scopes[-1], is_dialect=is_dialect))
                at += 1
            elif not scopes[-1].is_silent and (found := self._literal(body, at - 1, scopes[-1])) is not None:
                yield found

    def _literal(self, body: Sequence[Token], at: int, scope: _Scope) -> RawValue | None:
        """Return the raw value of a single token."""
        kind, start, end = body[at]
        written = self.text[start:end]
        if kind == "hash":
            color = css_color(written) if HEX.fullmatch(written) else None
            return None if color is None or not color.alpha else self.raw(start, end, ("color", color), scope)
        kinds = _kinds(scope.use)
        if kind == "value":
            if scope.use == "font":
                is_height = at > 0 and self.text[body[at - 1].start] == "/"
                scope = scope._replace(use="line-height" if is_height else "font-size")
                kinds = kinds - {"weight"} if is_height else kinds
            measured = None if scope.is_arithmetic else _measured(kinds, written, scope.use)
            if measured is not None and measured[0] == "fontWeight" and scope.use == "font-size":
                scope = scope._replace(use="font-weight")
            return None if measured is None else self.raw(start, end, measured, scope)
        if kind == "name":
            if "weight" in kinds and (written == "bold" or (written == "normal" and scope.use != "font")):
                return self.raw(start, end, ("fontWeight", 700.0 if written == "bold" else 400.0), scope)
            if scope.has_names and "color" in kinds and is_color_name(written) and (color := css_color(written)):
                return self.raw(start, end, ("color", color), scope)
        return None

    def _punctuate(self, mark: str, body: Sequence[Token], at: int, scopes: list[_Scope]) -> None:
        """Open and close parentheses; between them, a key before a colon is what the next value is used for."""
        if mark == "(":
            scopes.append(scopes[-1]._replace(base=scopes[-1].use))
        elif mark == ")" and len(scopes) > 1:
            scopes.pop()
        elif mark in (",", ";") and len(scopes) > 1:
            scopes[-1] = scopes[-1]._replace(use=scopes[-1].base)
        elif mark == ":" and len(scopes) > 1 and at > 1:
            before = body[at - 3] if body[at - 2].kind == "quote" and at > 2 else body[at - 2]
            key, base = self.text[before.start : before.end], scopes[-1].base
            is_named = key.startswith(("$", "@")) or not base
            scopes[-1] = scopes[-1]._replace(use=key if is_named else f"{base}.{key}")

    def _inside(self, name: str, scope: _Scope, *, is_dialect: bool) -> _Scope:
        is_css = _OF_CSS.fullmatch(name) is not None
        return scope._replace(
            base=scope.use,
            is_silent=scope.is_silent or name.lower() in _REFERRING,
            is_computed=scope.is_computed or (is_dialect and not is_css),
            has_names=scope.has_names and (is_css or (is_dialect and _OF_COLORS.fullmatch(name) is not None)),
        )

    def _color(self, match: re.Match[str]) -> Color | None:
        """Return the colour of a function without others in it."""
        mixed = _WITH_ALPHA.fullmatch(match[1])
        base = css_color(mixed[1]) if mixed else None
        if mixed is None or base is None:
            return css_color(match[0])
        return replace(base, alpha=normalized(min(float(mixed[2]) / (100 if mixed[3] else 1), 1.0)))

    def _family(self, body: Sequence[Token], use: str, scope: _Scope) -> RawValue | None:
        """Return a list of font families, unless it has variables or only generic ones."""
        sizes = [token.end for token in body if token.kind == "value" or self.text[token.start] == ")"]
        if use == "font" and not sizes:
            return None
        last = body[-1].end
        match = _FAMILIES.match(self.text, sizes[-1] if use == "font" else body[0].start, last)
        listed = (families(match[1]) or []) if match else []
        if match is None or self.text[match.end() : last].lstrip()[:1] not in ("", "!"):
            return None
        if not listed or _GENERIC.issuperset(map(str.lower, listed)):
            return None
        value = listed[0] if len(listed) == 1 else Composite(canonical(listed))
        scope = scope._replace(use="font-family" if use == "font" else use)
        return self.raw(match.start(1), match.end(1), ("fontFamily", value), scope)


# --- style sheets ---------------------------------------------------------------------------------------------------

_DESCRIPTORS = frozenset(
    "@property @font-face @counter-style @font-palette-values @color-profile @view-transition @font-feature-values"
    " @page @import @charset @namespace".split()
)
"""At-rules whose declarations are no properties, so that ``var()`` has no meaning in them."""
_NAME = re.compile(r"[*_]?(?:--|[$@])?(?:[\w\\-]|\#\{[^{}]*\}|@\{[^{}]*\})+\+?_?")
_INTERPOLATED = re.compile(r"\#\{[^{}]*\}|@\{[^{}]*\}")
_ARGUMENTS = frozenset(("@include", "@return", "@use", "@forward", "@mixin", "@function"))
_MAY_BE_STYLED = re.compile(
    r"#[0-9a-fA-F]{3}|\d(?:px|rem|m?s|em)\b|[:(,\s](?:(?:rgb|hsl)a?|hwb|(?:ok)?l(?:ab|ch)|color)\(|-\[|font|color"
    r"|background|border|fill|stroke|shadow|weight|height|opacity|index|leading",
    re.IGNORECASE,
)


class _StyleSheet:
    """Reads the statements of a style sheet, or of the declarations in an attribute."""

    def __init__(self, text: str, syntax: Syntax, base: int = 0) -> None:
        self._text = text
        self._values = _Values(text, syntax, base)
        self._is_dialect = syntax in ("scss", "sass", "less")

    def read(self, language: str, start: int = 0, end: int | None = None) -> Iterator[RawValue]:
        """Yield the raw values of its statements, which end with a semicolon, a brace or, in Sass, a line."""
        statement: list[Token] = []
        blocks = [(False, False)]
        """Of each open block, whether it or one around it has descriptors, and whether it is a theme of Tailwind."""
        depth, interpolations = 0, 0
        for token in tokens(self._text, language, start, end):
            kind = token.kind
            if kind == "comment":
                continue
            mark = self._text[token.start] if kind == "mark" else "\n" if kind == "line" else ""
            interpolations += (kind == "begin") - (kind == "end" and interpolations > 0)
            if mark and not interpolations:
                depth += (mark == "(" or self._text[token.end - 1] == "(") - (mark == ")" and depth > 0)
                if mark in "{}" or (mark in ";\n" and not depth):
                    if statement:
                        yield from self._statement(statement, mark, *blocks[-1])
                    if mark == "{":
                        word = self._word(statement[0]) if statement else ""
                        blocks.append((blocks[-1][0] or word in _DESCRIPTORS, blocks[-1][1] or word == "@theme"))
                    elif mark == "}" and len(blocks) > 1:
                        blocks.pop()
                    statement, depth = [], 0
                    continue
            if kind != "line":
                statement.append(token)
        if statement:
            yield from self._statement(statement, "", *blocks[-1])

    def _word(self, token: Token) -> str:
        return self._text[token.start : token.end].lower()

    def _statement(
        self, statement: list[Token], mark: str, has_descriptors: bool, is_theme: bool
    ) -> Iterator[RawValue]:
        first = statement[0]
        word = self._word(first) if first.kind == "at" else ""
        if has_descriptors or word in _DESCRIPTORS:
            return
        if word == "@apply":
            yield from _classes(self._text, first.end, statement[-1].end, self._values.base)
        elif word in _ARGUMENTS and self._is_dialect:
            yield from self._arguments(word, statement[1:])
        elif mark != "{":
            colon = self._colon(statement)
            body = statement[colon + 1 :]
            if colon and body:
                name = self._text[first.start : statement[colon].start].strip()
                use = _INTERPOLATED.sub("", name).lstrip("*_").rstrip("+_") if _NAME.fullmatch(name) else ""
                is_filter = use.endswith("filter") and self._word(body[0]) in ("progid", "alpha")  # of old browsers
                if use and not is_filter and (mark != "\n" or name[0] in "-$" or statement[colon].end < body[0].start):
                    is_variable = use[0] in "$@"
                    use = use if is_variable else use.lower()
                    yield from self._values.read(use, body, is_computed=is_variable or is_theme)
            elif self._is_dialect and self._text[first.start] in ".#" and len(statement) > 1:  # a mixin of Less
                yield from self._values.read(self._word(statement[1]), statement[2:], is_computed=True)

    def _colon(self, statement: Sequence[Token]) -> int:
        """Return the index of the colon after the first word of a statement, 0 if there is none."""
        depth = 0
        for at, token in enumerate(statement[:40]):
            depth += (token.kind == "begin") - (token.kind == "end" and depth > 0)
            if token.kind == "mark" and not depth:
                if self._text[token.start] == ":":
                    return at
                if at and self._text[token.start] not in "-+{}":
                    return 0
        return 0

    def _arguments(self, word: str, rest: Sequence[Token]) -> Iterator[RawValue]:
        """Yield the raw values of the arguments of a mixin, of defaults, of a result, or of a module's settings."""
        opening = next((at for at, token in enumerate(rest) if self._text[token.end - 1] == "("), 0)
        name = self._word(rest[opening - 1]) if word == "@include" and opening else ""
        if opening or word == "@return":
            body = rest if word == "@return" else rest[opening:]
            yield from self._values.read(name, body, is_computed=True)


def _of_style_sheet(part: Part, text: str) -> Iterator[RawValue]:
    if _MAY_BE_STYLED.search(text, part.start, part.end):
        syntax: Syntax = part.language  # type: ignore[assignment]
        yield from _StyleSheet(text, syntax).read(part.language, part.start, part.end)


# --- Tailwind -------------------------------------------------------------------------------------------------------

_ARBITRARY = re.compile(
    r"(?<![\w.$/@\]&-])(?:(?P<utility>-?[a-z]+(?:-[a-z]+)*)-)?"
    r"\[(?:(?P<hint>--[\w-]+|[a-z-]+):)?(?P<value>[^\[\]\s\"'`<>{}]{1,200})\](?![\w:])"
)
_SIDED = re.compile(r"-?(?:(?P<box>(?:scroll-)?[pm])[xytrblse]?|(?P<stem>.*?)(?:-(?:[xytrblse]|[tb][lr]|[se]{2}))?)")
_UTILITIES = {
    name: (color, other)
    for name, color, other in re.findall(
        r"(\S+)=([\w-]*)\|?([\w-]*)",
        "text=color|font-size placeholder=color border=border-color|border-width divide=border-color|border-width"
        " outline=outline-color|outline-width ring=outline-color|outline-width ring-offset=outline-color"
        " bg=background-color from=background-image via=background-image to=background-image shadow=box-shadow"
        " inset-shadow=box-shadow drop-shadow=box-shadow accent=accent-color caret=caret-color fill=fill"
        " stroke=stroke|stroke-width decoration=text-decoration-color|text-decoration-thickness gap=|gap space=|gap"
        " p=|padding m=|margin scroll-p=|padding scroll-m=|margin inset=|inset start=|inset end=|inset top=|top"
        " right=|right bottom=|bottom left=|left w=|width h=|height size=|width min-w=|min-width min-h=|min-height"
        " max-w=|max-width max-h=|max-height basis=|flex-basis rounded=|border-radius leading=|line-height"
        " tracking=|letter-spacing font=|font-weight indent=|text-indent outline-offset=|outline-offset underline-"
        " offset=|text-underline-offset opacity=|opacity z=|z-index blur=|filter backdrop-blur=|filter"
        " duration=|transition-duration delay=|transition-duration",
    )
}
"""The properties of a utility's colour, and of its other values."""


def _classes(text: str, start: int, end: int, base: int = 0) -> Iterator[RawValue]:
    """Yield the raw values of arbitrary values (``bg-[#fff]``) and properties (``[color:#fff]``) in a class string."""
    for match in _ARBITRARY.finditer(text, start, end):
        utility, hint, value = match.group("utility", "hint", "value")
        sided = _SIDED.fullmatch(utility or "")
        uses = _UTILITIES.get((sided["box"] or sided["stem"]) if sided else "", ("", "")) if utility else (hint, hint)
        plain = value.replace("_", " ")
        color = css_color(plain) if uses[0] and ("#" in plain or "(" in plain) else None
        measured = _measured(_kinds(uses[1]), plain, uses[1]) if uses[1] else None
        place = (base + match.start(), base + match.end(), match[0])
        if color is not None:
            if color.alpha:
                yield RawValue(*place, "color", color, uses[0], "tailwind")
        elif measured is not None:
            yield RawValue(*place, *measured, uses[1], "tailwind")
        elif uses[0]:
            found = _Values(plain, "css", base + match.start("value")).read(uses[0], [*tokens(plain, "css")])
            yield from (raw for raw in found if raw.type == "color")


# --- markup ---------------------------------------------------------------------------------------------------------

_PAINTED = frozenset(("fill", "stroke", "stop-color", "flood-color", "lighting-color", "color", "bgcolor"))
_BOUND_STYLES = frozenset((":style", "v-bind:style", "[style]", "[ngstyle]"))
_MAY_BE_MARKED = re.compile(r"style|-\[|=\s*[\"']?(?:#|rgb|hsl)|(?:fill|stroke|color)=")
_HOLE = re.compile(r"(?<!\{)\{++[^{}]*\}++")


def _of_markup(part: Part, text: str) -> Iterator[RawValue]:
    """Yield the raw values of attributes: styles, classes, and colours of shapes."""
    if not _MAY_BE_MARKED.search(text, part.start, part.end):
        return
    attribute = ""
    for kind, start, end in tokens(text, "xml", part.start, part.end):
        if kind == "attribute":
            attribute = text[start:end].lower()
        elif kind == "string" and attribute == "style":
            plain = _HOLE.sub(lambda match: " " * len(match[0]), text[start:end])
            yield from _StyleSheet(plain, "html", start).read("css")
        elif kind == "string" and attribute.startswith("style:"):  # of Svelte
            plain = _HOLE.sub(lambda match: " " * len(match[0]), text[start:end])
            yield from _Values(plain, "html", start).read(attribute[6:], [*tokens(plain, "css")])
        elif kind == "string" and attribute in _BOUND_STYLES:
            for raw in _Script(text, "tsx", start, end, "style").read():
                yield raw._replace(is_computed=raw.text[0] not in "\"'")  # quotes would end the attribute
        elif kind == "string" and attribute in _PAINTED:
            is_computed = attribute in ("color", "bgcolor")
            is_color = not is_computed or text[start] == "#" or text[end - 1] == ")"
            if is_color and (color := css_color(text[start:end])) is not None and color.alpha:
                use = "background-color" if attribute == "bgcolor" else attribute
                yield RawValue(start, end, text[start:end], "color", color, use, "html", is_computed)
        elif kind == "string" and "[" in text[start:end]:
            yield from _classes(text, start, end)


# --- scripts --------------------------------------------------------------------------------------------------------

_MAY_HAVE_STYLES = re.compile(
    r"#[0-9a-fA-F]{3}|(?:(?:rgb|hsl)a?|hwb|(?:ok)?l(?:ab|ch)|color)\(|\d(?:px|rem|m?s|em)\b|-\[|\[[a-z-]+:"
    r"|[\w\"']:\s*[-\"'`]?\d|(?:fill|stroke|Color)=|(?:olor|ackground|fill|stroke|font\w*)[\"']?\s*:"
)
_STYLED = re.compile(
    r"(?:.*\.)?(?:\w*[sS]tyles?|css|keyframes|StyleSheet\.create|styleVariants|globalStyle|recipe)|styled\b.*"
)
_TAGGED = re.compile(r"\b(?:styled|css|keyframes|createGlobalStyle|injectGlobal)\b[^`;=]{0,300}\Z")
_LIKE_CSS = re.compile(
    r"(?:^|[;{}\n])[ \t]*(?:--|(?:background|border|color|display|fill|font|height|margin|padding|position|width)\b)"
    r"[\w-]*[ \t]*:[^;{}\n]+;"
)
_HAS_COLORS = re.compile(r"\b(?:(?:rgb|hsl)a?|hwb|(?:ok)?l(?:ab|ch))\(\s*[\d.]|-gradient\(|\dpx [^\n]*#[0-9a-fA-F]{3}")
_NO_COLORS = frozenset(
    "anchor bug channel closest commit fragment hash hashtag href id ids issue issues label matches message name number"
    " order path pr pull query ref refs room selector sha slug tag target text ticket title to uri url".split()
)
"""Words of names whose strings begin with a number sign, and are no colours."""
_PALETTE_WORDS = frozenset("color colors colour colours palette palettes swatch swatches".split())
_NATIVE_APP = re.compile(r"""["']react-native["']""")
"""The import of a library whose styles have no custom properties."""
_USED_STYLES = re.compile(r"\b(?:style|css|sx)=[\"'{]+([^{}\"'<>]{1,200})")
_SHAPES = frozenset(("fill", "stroke", "stopColor", "floodColor", "lightingColor", "stop-color", "flood-color"))
"""Attributes of elements that can refer to a custom property, also if a component passes them on."""
_UNITLESS = frozenset(("font-weight", "line-height", "opacity", "z-index"))
_HUMP = re.compile("[A-Z]")
_DEEPEST = 4
"""The most templates in templates that are read."""


_Style = Literal["", "style", "sx"]
_Holes = list[tuple[int, int]]
"""The offsets of interpolations."""


class _Frame(NamedTuple):
    """An open bracket of a script: the key, attribute or function before it, and what that says about its values.

    ``style`` is that of a style object, ``sx`` if plain numbers in it are steps of a scale. ``is_foreign`` are objects
    that no element is seen to have as its style: options of a chart, a map or a canvas are named so, too.
    """

    owner: str = ""
    style: _Style = ""
    is_palette: bool = False
    is_argument: bool = False
    is_foreign: bool = False


def _property(key: str) -> str:
    """Return the CSS property of a key of a style object."""
    return _VENDOR.sub("", _HUMP.sub(lambda match: f"-{match[0].lower()}", key), count=1)


class _Script:
    """Reads styles, class strings and colours in a script between two offsets."""

    def __init__(self, text: str, language: str, start: int, end: int, owner: str = "") -> None:
        self._text = text
        self._tokens = [token for token in tokens(text, language, start, end) if token.kind != "comment"]
        self._frames = [_Frame(owner, "style" if owner else "")]
        self._keys = [""]
        self._called = ""
        self._styles = {word for used in _USED_STYLES.findall(text) for word in re.findall(r"\w+", used)}

    def read(self) -> Iterator[RawValue]:
        """Yield its raw values, of which those in interpolations come later."""
        quotes = self._quotes()
        closings = {closing for closing, _ in quotes.values()}
        declared, depth = "", 0
        for at, (kind, start, end) in enumerate(self._tokens):
            if kind == "attribute":
                self._keys[-1] = self._text[start:end]
            elif kind == "name":
                if self._word(at - 1) in ("const", "let", "var"):
                    declared = self._text[start:end]
            elif kind == "begin":
                self._open(self._keys[-1], is_argument=False)
            elif kind == "mark":
                declared = self._punctuate(at, self._text[start:end], declared)
            elif kind == "quote":
                depth += (at in quotes) - (at in closings)
                if at in quotes and depth <= _DEEPEST:
                    yield from self._string(at, *quotes[at])
            elif kind == "value":
                yield from self._number(at)
            if kind == "end":
                self._close()

    def _word(self, at: int) -> str:
        return self._text[self._tokens[at].start : self._tokens[at].end] if 0 <= at < len(self._tokens) else ""

    def _open(self, owner: str, *, is_argument: bool, before: str = "") -> None:
        outer = self._frames[-1]
        style: _Style = "sx" if owner == "sx" else "style" if owner and _STYLED.fullmatch(owner) else outer.style
        is_palette = outer.is_palette or not _PALETTE_WORDS.isdisjoint(words_of_name(owner).split())
        is_foreign = outer.is_foreign or (
            not outer.style and (before == ":" or (before == "=" and owner not in self._styles))
        )
        self._frames.append(_Frame(owner, style, is_palette, is_argument, bool(style) and is_foreign))
        self._keys.append("")

    def _close(self) -> None:
        if len(self._frames) > 1:
            self._called = self._frames.pop().owner
            self._keys.pop()

    def _punctuate(self, at: int, mark: str, declared: str) -> str:
        """Follow brackets and keys; return the name of a declaration whose value has not begun."""
        before = self._word(at - 1)
        if mark == "{":
            if before == ")" or (before == ">" and self._word(at - 2) == "="):  # a block of statements
                self._frames.append(_Frame())
                self._keys.append("")
            else:
                self._open(self._keys[-1] or self._frames[-1].owner, is_argument=False, before=before)
        elif mark == "[":
            is_argument = self._frames[-1].is_argument
            self._open(self._keys[-1] or self._frames[-1].owner, is_argument=is_argument, before=before)
        elif mark == "(":
            callee = self._callee(at) or (self._called if before == ")" else "")  # styled(Button)(...)
            is_argument = bool(callee) and not _STYLED.fullmatch(callee)
            self._open(callee or self._keys[-1], is_argument=is_argument)
        elif mark in (")", "]", "}"):
            self._close()
        elif mark in (",", ";") or (mark in (">", "/>") and before != "="):
            self._keys[-1] = ""
        elif mark == ":" and self._is_key(at):
            quoted = self._tokens[at - 1].kind == "quote"
            self._keys[-1] = self._word(at - 2) if quoted else before
        elif mark == "=" and self._word(at + 1) not in ("=", ">") and before not in ("=", "!", "<", ">"):
            if self._tokens[at - 1].kind != "attribute":
                self._keys[-1] = declared or before
            return ""
        return declared

    def _is_key(self, at: int) -> bool:
        """Return whether a colon follows the key of an object."""
        first = at - 3 if self._tokens[at - 1].kind == "quote" else at - 1
        return first > 0 and self._word(first - 1) in ("{", ",") and self._tokens[first - 1].kind in ("mark", "begin")

    def _callee(self, at: int) -> str:
        """Return the name of the function before a parenthesis, such as ``StyleSheet.create``."""
        first = at
        while first > 0 and at - first < 8 and self._tokens[first - 1].end == self._tokens[first].start:
            if self._tokens[first - 1].kind != "name" and self._word(first - 1) != ".":
                break
            first -= 1
        return self._text[self._tokens[first].start : self._tokens[at].start]

    def _quotes(self) -> dict[int, tuple[int, _Holes]]:
        """Return the end and the interpolations of strings, by index of the first token, in linear time."""
        found: dict[int, tuple[int, _Holes]] = {}
        opened: list[tuple[int, _Holes | None]] = []
        for at, token in enumerate(self._tokens):
            if token.kind == "quote":
                opening, holes = opened[-1] if opened else (-1, None)
                if holes is not None and (at - 1 == opening or self._tokens[at - 1].kind in ("string", "end")):
                    opened.pop()
                    found[opening] = (at, holes)
                else:
                    opened.append((at, []))
            elif token.kind == "begin":
                opened.append((at, None))
            elif token.kind == "end":
                while opened and opened[-1][1] is not None:
                    opened.pop()
                begin = opened.pop()[0] if opened else at
                if opened and (outer := opened[-1][1]) is not None:
                    outer.append((self._tokens[begin].start, token.end))
        return found

    def _string(self, opening: int, closing: int, holes: _Holes) -> Iterator[RawValue]:
        start, end = self._tokens[opening].end, self._tokens[closing].start
        text, key, frame = self._text, self._keys[-1], self._frames[-1]
        if start == end or (self._word(closing + 1) == ":" and self._is_key(closing + 1)):
            yield from _classes(text, start, end)  # clsx({"bg-[#fff]": is_open})
            return
        is_attribute = opening > 1 and self._tokens[opening - 2].kind == "attribute" and text[start - 2] == "="
        is_short = end - start < 2000 and text.find("\\", start, end) < 0
        if text[start - 1] == "`" and (
            _TAGGED.search(text, max(0, start - 300), start - 1) or _LIKE_CSS.search(text, start, end)
        ):
            yield from _StyleSheet(self._masked(start, end, holes), "css", start).read("scss")
        elif is_attribute and key == "style":
            yield from _StyleSheet(self._masked(start, end, holes), "html", start).read("css")
        elif text.find("[", start, end) >= 0 and (classes := [*_classes(text, start, end)]):
            yield from classes
        elif key and not is_attribute and _kinds(_property(key)):
            yield from self._declared(start, end, holes) if is_short else ()
        elif not holes and end - start < 100 and self._is_color(text[start:end], key or frame.owner):
            found = self._declared(start, end, holes, is_computed=not is_attribute or key not in _SHAPES)
            yield from (raw for raw in found if raw.type == "color")
        elif is_short and _HAS_COLORS.search(text, start, end):
            yield from (raw for raw in self._declared(start, end, holes) if raw.type == "color")

    def _masked(self, start: int, end: int, holes: _Holes) -> str:
        """Return a text with a name instead of each interpolation, or blanks instead of a whole line."""
        parts, at = [], start
        for first, last in holes:
            is_line = self._text[at:first].rstrip(" \t")[-1:] in ("", "\n", ";", "{", "}")
            parts += [self._text[at:first], (" " if is_line else "\ue000") * (last - first)]
            at = last
        return "".join((*parts, self._text[at:end]))

    def _declared(self, start: int, end: int, holes: _Holes, *, is_computed: bool = True) -> Iterator[RawValue]:
        """Yield the raw values of a string under a key."""
        frame, plain, use = self._frames[-1], self._masked(start, end, holes), _property(self._keys[-1])
        is_computed = is_computed and (frame.is_argument or frame.is_foreign or not frame.style)
        values = _Values(plain, "css", start, has_names=bool(frame.style) or self._keys[-1] in _SHAPES)
        for raw in values.read(use, [*tokens(plain, "css")], is_computed=is_computed):
            if (raw.start, raw.end) == (start, end):
                written = self._text[start - 1 : end + 1]
                yield raw._replace(start=start - 1, end=end + 1, text=written, syntax="script")
            else:
                yield raw

    def _is_color(self, body: str, name: str) -> bool:
        """Return whether a string under this name is a colour, and no issue, anchor or id."""
        if not HEX.fullmatch(body):
            is_name = name in _SHAPES and is_color_name(body)
            return is_name or (body.endswith(")") and body.count("(") == 1 and not body.startswith("("))
        frame, words = self._frames[-1], words_of_name(name).split()
        if frame.is_palette or frame.style or "color" in _kinds(f"--{name}"):
            return True
        digits = body[1:].lower()
        is_gray = digits in ("000", digits[:2] * 3) or (digits == digits[0] * 3 and digits.isalpha())
        is_long = len(digits) > 4 and not (digits.isdigit() and not self._keys[-1])
        return (is_gray or is_long or any(map(is_color_name, words))) and _NO_COLORS.isdisjoint(words)

    def _number(self, at: int) -> Iterator[RawValue]:
        """Yield the whole number of a property in a style object, which is in px if the property has a unit."""
        frame, use = self._frames[-1], _property(self._keys[-1])
        is_whole = self._word(at - 1) == ":" and self._word(at + 1) in (",", "}", "")
        if not is_whole or not frame.style or (frame.style == "sx" and use not in _UNITLESS):
            return
        _, start, end = self._tokens[at]
        written = self._text[start:end]
        found = _measured(_kinds(use), written if use in _UNITLESS else f"{written}px", use)
        if found is not None:
            yield RawValue(start, end, written, *found, use, "script", frame.is_argument or frame.is_foreign)


def _of_script(part: Part, text: str) -> Iterator[RawValue]:
    if _MAY_HAVE_STYLES.search(text, part.start, part.end):
        found = [*_Script(text, part.language, part.start, part.end).read()]
        is_native = _NATIVE_APP.search(text) is not None
        for raw in sorted(found, key=lambda raw: raw.start):
            yield raw._replace(is_computed=raw.is_computed or is_native)


def _of_native_code(part: Part, text: str) -> Iterator[RawValue]:
    from tokensync.code.native_values import native_values

    return native_values(part, text)


_READERS: Mapping[str, Callable[[Part, str], Iterator[RawValue]]] = {
    **dict.fromkeys(("css", "scss", "sass", "less"), _of_style_sheet),
    **dict.fromkeys(("ts", "tsx"), _of_script),
    "html": _of_markup,
    **dict.fromkeys(("kotlin", "java", "swift", "xml"), _of_native_code),
}
"""The reader of each language of a part."""
