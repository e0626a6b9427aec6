"""Values of CSS and SCSS to written values: references as ``{a.b}``, the type where the text tells it.

- ``var(--a)`` and ``$a`` become ``{a}``. The fallback of ``var(--a, b)`` is used only if no file declares ``--a``.
- ``light-dark(a, b)`` has a value for each appearance, also inside of a longer text.
- Colours without their function (``--a: 210 17% 98%`` for ``hsl(var(--a))``) become colours, and their uses references;
  ``hsl(var(--a) / 50%)`` becomes ``rgba({a}, 50%)``. They are recognized by their uses, or by the shape of HSL.
- ``--theme(--a)``, ``--alpha(a / b)`` and ``--spacing(n)`` of Tailwind, and ``map.get`` and ``math.div`` of SCSS, are
  replaced by what they mean. Other functions, ``calc()`` and ``color-mix()`` among them, stay as text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from tokensync.migrate.readers.css.files import Identifier
from tokensync.migrate.readers.css.stylesheet import Call, Variable, rendered, split, trimmed, words_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from tokensync.migrate.readers.css.files import Defined, Sheets
    from tokensync.migrate.readers.css.stylesheet import Part
    from tokensync.migrate.source import Written

_COLOR_FUNCTIONS = {
    "hsl": "hsl",
    "hsla": "hsl",
    "hwb": "hwb",
    "lab": "lab",
    "lch": "lch",
    "oklab": "oklab",
    "oklch": "oklch",
    "rgb": "rgb",
    "rgba": "rgb",
}
_MORE_COLOR_FUNCTIONS = {"color", "color-mix", "light-dark", "contrast-color", "device-cmyk"}
_USE = re.compile(rf"\b({'|'.join(_COLOR_FUNCTIONS)})\(\s*var\(\s*--([^\s(){{}},;:/]+)\s*\)\s*[),/]", re.IGNORECASE)
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?"
_COMPONENT = rf"(?:{_NUMBER}(?:%|deg|rad|turn|grad)?|none)"
_TRIPLE = re.compile(
    rf"({_COMPONENT})(?:\s*,\s*|\s+)({_COMPONENT})(?:\s*,\s*|\s+)({_COMPONENT})(?:\s*[,/]\s*(\S+))?", re.IGNORECASE
)
_HSL_SHAPE = re.compile(rf"{_NUMBER}(?:deg)?\s+{_NUMBER}%\s+{_NUMBER}%(?:\s*/\s*{_NUMBER}%?)?", re.IGNORECASE)
_PLAIN_NUMBER = re.compile(_NUMBER, re.IGNORECASE)
_LENGTH = re.compile(rf"{_NUMBER}(?:px|rem|pt|cm|mm|in|pc)", re.IGNORECASE)
_SHADOW_LENGTH = re.compile(rf"{_NUMBER}(?:px|rem|em)?")
_TIME = re.compile(rf"{_NUMBER}m?s", re.IGNORECASE)
_QUOTED = re.compile(r"\"([^\"\\]*)\"|'([^'\\]*)'")
_GENERIC = re.compile(
    r"serif|sans-serif|monospace|cursive|fantasy|system-ui|ui-[a-z-]+|math|emoji|-apple-system|blinkmacsystemfont",
    re.IGNORECASE,
)
_SYNTAX_TYPES = {
    "<color>": "color",
    "<length>": "dimension",
    "<length-percentage>": "dimension",
    "<number>": "number",
    "<integer>": "number",
    "<time>": "duration",
}
_SASS_FUNCTIONS = {
    *("adjust-color", "adjust-hue", "append", "change-color", "complement", "darken", "desaturate", "fade-in"),
    *("fade-out", "grayscale", "if", "index", "inspect", "invert", "join", "length", "lighten", "map-get", "map-keys"),
    *("map-merge", "map-remove", "map-values", "mix", "nth", "opacify", "percentage", "quote", "saturate"),
    *("scale-color", "str-index", "str-slice", "tint-color", "shade-color", "transparentize", "type-of", "unquote"),
}
"""Functions that Sass evaluates, and CSS does not have."""


class Value(NamedTuple):
    """A written value with its type. ``undeclared`` has names that it refers to and no file declares."""

    written: Written
    type: str = ""
    is_text: bool = False
    undeclared: tuple[str, ...] = ()
    reason: str = ""


class Values:
    """Turns the parts of values into text, by what all files declare."""

    def __init__(self, sheets: Sheets, paths: Mapping[Identifier, str], files: Iterable[bytes]) -> None:
        self.sheets = sheets
        self.paths = paths
        self.guessed: list[Defined] = []
        self.triples = self.find_triples(files)

    def find_triples(self, files: Iterable[bytes]) -> dict[str, str]:
        """Return the function of each custom property that has only the components of a colour."""
        uses = {
            f"--{name}": _COLOR_FUNCTIONS[function.lower()]
            for content in files
            for function, name in _USE.findall(content.decode("utf-8", "replace"))
        }
        texts = [(defined, rendered(defined.declaration.value)) for defined in self.sheets.defined]
        found = {}
        for each, text in texts:
            name = each.identifier.name
            if name in uses and _TRIPLE.fullmatch(text):
                found[name] = uses[name]
            elif name not in uses and name not in found and not each.identifier.is_scss and _HSL_SHAPE.fullmatch(text):
                found[name] = "hsl"
                self.guessed.append(each)
        aliases: dict[str, list[str]] = {}
        for each, _ in texts:
            if target := _only_var(each.declaration.value):
                aliases.setdefault(target, []).append(each.identifier.name)
                aliases.setdefault(each.identifier.name, []).append(target)
        pending = list(found)
        while pending:
            name = pending.pop()
            others = [other for other in aliases.get(name, ()) if other not in found]
            found.update(dict.fromkeys(others, found[name]))
            pending += others
        return found

    def value(self, defined: Defined, appearance: str) -> Value:
        """Return the value of a declaration in an appearance, ``light`` or ``dark``."""
        text = _Text(self, defined.declaration.at.file, appearance)
        name = defined.identifier.name
        parts = trimmed(text.chosen(defined.declaration.value))
        function = self.triples.get(name, "")
        if function and (found := _TRIPLE.fullmatch(rendered(parts))):
            components = " ".join(found.groups()[:3])
            return Value(f"{function}({components}{f' / {found[4]}' if found[4] else ''})", "color")
        if defined.declaration.at.file.lower().endswith(".scss") and (computed := self.computed(parts)):
            return Value("", reason=f"Sass computes {computed}; compile the SCSS, and give the CSS")
        written = text.of(parts)
        has_braces = any(isinstance(word, Call) and word.name == "{" for word in words_in(parts)) or any(
            isinstance(word, str) and word[:1] in "\"'u" and ("{" in word or "$" in word) for word in words_in(parts)
        )
        if text.reason:
            return Value("", reason=text.reason)
        if has_braces and text.references:
            return Value("", reason="the value has braces beside references; give the braces another form")
        syntax = self.sheets.properties.get(name, "")
        kind = "color" if function else _SYNTAX_TYPES.get(syntax, "")
        value, type_ = typed(name, parts, written, kind)
        return Value(value, type_ or ("css" if has_braces else ""), has_braces, tuple(dict.fromkeys(text.undeclared)))

    def computed(self, parts: Sequence[Part]) -> str:
        """Return what only Sass can compute in a value: a function, or an interpolation in a text."""
        for word in words_in(parts):
            match word:
                case str() if "#{" in word:
                    return "a part of a text"
                case Call("map.get" | "map-get" | "math.div", _):
                    continue
                case Call(name, _) if name in _SASS_FUNCTIONS or name in self.sheets.functions or "." in name:
                    return f"{name}()"
        return ""


def _only_var(parts: Sequence[Part]) -> str:
    """Return the custom property that a value consists of."""
    match parts:
        case [Call("var", arguments)]:
            return rendered(arguments).strip()
    return ""


class _Text:
    """Renders the value of a declaration, and collects what it refers to."""

    def __init__(self, values: Values, file: str, appearance: str) -> None:
        self.values = values
        self.file = file
        self.appearance = appearance
        self.references = 0
        self.undeclared: list[str] = []
        self.reason = ""
        self.calls: dict[str, Callable[[str, tuple[Part, ...]], str]] = {
            "var": self.variable_of_css,
            "--theme": self.variable_of_css,
            "--alpha": self.alpha,
            "--spacing": self.spacing,
            "#": lambda _, arguments: self.of(trimmed(arguments)),
            "map-get": self.map_get,
            "map.get": self.map_get,
            "math.div": lambda _, arguments: f"({' / '.join(self.of(each) for each in split(arguments, ','))})",
            **dict.fromkeys(_COLOR_FUNCTIONS, self.color),
        }

    def chosen(self, parts: Sequence[Part]) -> tuple[Part, ...]:
        """Return parts with ``light-dark()`` replaced by the value of the appearance."""
        found: list[Part] = []
        for part in parts:
            if isinstance(part, Call):
                sides = split(part.arguments, ",") if part.name.lower() == "light-dark" else []
                if len(sides) == 2:
                    found += self.chosen(sides[self.appearance == "dark"])
                    continue
                found.append(Call(part.name, self.chosen(part.arguments)))
            else:
                found.append(part)
        return tuple(found)

    def of(self, parts: Sequence[Part]) -> str:
        """Return the text of parts."""
        texts = []
        for part in parts:
            match part:
                case Variable():
                    texts.append(self.variable_of_scss(part))
                case Call(name, arguments):
                    render = self.calls.get(name.lower())
                    texts.append(render(name, arguments) if render else self.call(name, arguments))
                case _:
                    texts.append(part)
        return "".join(texts)

    def call(self, name: str, arguments: tuple[Part, ...]) -> str:
        inner = self.of(arguments)
        match name:
            case "[":
                return f"[{inner}]"
            case "{":
                return f"{{{inner}}}"
        return f"{name}({inner.strip()})"

    def reference(self, identifier: Identifier) -> str:
        self.references += 1
        return f"{{{self.values.paths[identifier]}}}"

    def variable_of_css(self, name: str, arguments: tuple[Part, ...]) -> str:
        """Return the reference of ``var()``, or its fallback if no file declares the name."""
        head, *rest = split(arguments, ",")
        written = "".join(self.in_name(each) for each in head)
        identifier = Identifier(written)
        if identifier in self.values.paths:
            return self.reference(identifier)
        if rest:
            comma = arguments.index(",")
            fallback = self.of(trimmed(arguments[comma + 1 :]))
            if fallback == "initial":
                self.reason = f"no file declares {written}, and its fallback is no value"
            elif fallback:
                return fallback
        self.undeclared.append(written)
        self.references += 1
        return (
            f"{{{written.removeprefix('--')}}}"
            if re.fullmatch(r"[^{}]+", written)
            else rendered([Call(name, arguments)])
        )

    def in_name(self, part: Part) -> str:
        """Return the text of a part of a name; interpolations of SCSS can stand there."""
        match part:
            case Call("#", (Variable(name),)):
                return self.values.sheets.constant(name) or rendered([part])
        return rendered([part])

    def variable_of_scss(self, variable: Variable) -> str:
        identifier = self.declared(variable, ())
        if identifier:
            return self.reference(identifier)
        self.undeclared.append(rendered([variable]))
        self.references += 1
        return f"{{{variable.name}}}"

    def declared(self, variable: Variable, keys: tuple[str, ...]) -> Identifier | None:
        """Return what a variable of SCSS, or an entry of its map, refers to; None if it has no value."""
        identifier = self.values.sheets.variable(self.file, variable, keys)
        return identifier if identifier and identifier in self.values.paths else None

    def map_get(self, name: str, arguments: tuple[Part, ...]) -> str:
        """Return the reference to an entry of a map."""
        head, *keys = split(arguments, ",")
        texts = tuple(rendered(key).strip("\"'") for key in keys)
        match head:
            case (Variable() as variable,) if identifier := self.declared(variable, texts):
                return self.reference(identifier)
        self.reason = f"no file declares the entry {rendered([Call(name, arguments)])}"
        return ""

    def alpha(self, name: str, arguments: tuple[Part, ...]) -> str:
        sides = [self.of(each) for each in split(arguments, "/")]
        return f"rgba({sides[0]}, {sides[1]})" if len(sides) == 2 else self.call(name, arguments)

    def spacing(self, name: str, arguments: tuple[Part, ...]) -> str:
        identifier = Identifier("--spacing")
        if identifier not in self.values.paths:
            return self.call(name, arguments)
        return f"calc({self.reference(identifier)} * {self.of(arguments).strip()})"

    def color(self, name: str, arguments: tuple[Part, ...]) -> str:
        """Return a colour. One of a custom property that has only the components is a reference to it."""
        parts = trimmed(arguments)
        match parts:
            case [Call("var", inner), *rest] if self.is_triple(inner, name):
                opacity = [each for each in rest if each != " "]
                if not opacity:
                    return self.of(parts[:1])
                if opacity[0] in {"/", ","} and len(opacity) > 1:
                    return f"rgba({self.of(parts[:1])}, {self.of(opacity[1:])})"
        return self.call(name, arguments)

    def is_triple(self, inner: tuple[Part, ...], function: str) -> bool:
        return self.values.triples.get(rendered(inner).strip()) == _COLOR_FUNCTIONS[function.lower()]


def typed(name: str, parts: Sequence[Part], text: str, known: str) -> tuple[Written, str]:
    """Return a value with its type, ``""`` if neither the text nor the name tells it."""
    if known in {"color", "dimension", "duration"} or (text.startswith("{") and text.find("}") == len(text) - 1):
        return text, known
    if _PLAIN_NUMBER.fullmatch(text):
        value = float(text)
        number = int(value) if value.is_integer() and abs(value) < 2**53 else value
        return number, "fontWeight" if "weight" in name and 1 <= value <= 1000 else "number"
    if name.startswith("$") and text in {"true", "false"}:
        return text == "true", "boolean"
    if _LENGTH.fullmatch(text):
        return text, "dimension"
    if _TIME.fullmatch(text):
        return text, "duration"
    if _is_color(parts, text):
        return text, "css" if text.endswith(")") else "color"
    if found := _QUOTED.fullmatch(text):
        return found[1] or found[2] or "", "fontFamily" if "font" in name else "string"
    return _composite(name, parts, text)


def _is_color(parts: Sequence[Part], text: str) -> bool:
    from tinycss2.color4 import parse_color  # type: ignore[import-untyped]

    if len(parts) == 1 and isinstance(parts[0], Call):
        function = parts[0].name.lower()
        return function in _COLOR_FUNCTIONS or function in _MORE_COLOR_FUNCTIONS or text.startswith("rgba({")
    if len(text) > 40 or not re.fullmatch(r"#[0-9a-fA-F]{3,8}|[a-zA-Z]+", text):
        return False
    return parse_color(text) not in {None, "currentcolor"}


def _composite(name: str, parts: Sequence[Part], text: str) -> tuple[Written, str]:
    """Return a list of fonts, a curve, a shadow or a gradient with its type."""
    pieces = split(parts, ",")
    if text[:1] != "{" and (any(_GENERIC.fullmatch(rendered(piece)) for piece in pieces) or "font-family" in name):
        has_fallback = any(isinstance(part, Call) for part in parts)
        return text if has_fallback else [rendered(piece).strip("\"'") for piece in pieces if piece], "fontFamily"
    if len(parts) == 1 and isinstance(parts[0], Call):
        function = parts[0].name.lower()
        numbers = [rendered(each) for each in split(parts[0].arguments, ",")]
        if function == "cubic-bezier" and len(numbers) == 4 and all(map(_PLAIN_NUMBER.fullmatch, numbers)):
            return [float(number) for number in numbers], "cubicBezier"
    if any(map(_only_var, pieces)):  # a layer may be a list of them
        return text, "css"
    if ("shadow" in name and len(_lengths(pieces[0])) >= 2) or all(map(_is_layer, pieces)):
        return text, "shadow"
    return text, "css"


def _lengths(parts: Sequence[Part]) -> list[Part]:
    return [part for part in parts if isinstance(part, str) and _SHADOW_LENGTH.fullmatch(part)]


def _is_layer(parts: Sequence[Part]) -> bool:
    """Return whether parts can be nothing but a layer of a shadow: two to four lengths and a colour."""
    words = [part for part in parts if part not in {" ", "inset"}]
    if not 3 <= len(words) <= 5:
        return False
    others = [word for word in words if word not in _lengths(words)]
    return len(others) == 1 and _is_color(others, rendered(others))
