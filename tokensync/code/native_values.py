"""Raw values in Kotlin, Java, Swift and Android's XML, and the references that can replace them.

In programs, a call or a name tells what a literal is: ``0xFF112233`` is a colour in ``Color(0xFF112233)``, and may be a
mask elsewhere. Zeros and transparent colours are no raw values, nor is what assertions, annotations, declarations of
fonts and vector drawings contain.
"""

from __future__ import annotations

import os
import re
from colorsys import hsv_to_rgb
from typing import TYPE_CHECKING, NamedTuple, cast

from tokensync.code.lexers import tokens
from tokensync.code.literals import RawValue, Syntax, plain_color
from tokensync.project.configuration import Project, typed_options
from tokensync.tokens import Color, Literal, Quantity, Token, normalized
from tokensync.tokens.collection import is_text_scoped
from tokensync.tokens.values import converted, font_style

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tokensync.code.files import Part
    from tokensync.generate.targets.compose import ComposeOptions

_HINT = re.compile(
    r"olor|#[0-9a-fA-F]{3}|[wW]eight|uration|tween|\.[ds]p\b|\d(?:[ds]p|dip)\b|fontFamily"
    r"|adding|adius|frame|pacing|[sS]ize:|Insets|lineWidth|\.(?:white|black)\b"
)
"""What each raw value contains or is next to; most files have none of it."""


def native_values(part: Part, text: str) -> Iterator[RawValue]:
    """Yield the raw values of a part of a text in Kotlin, Java, Swift or XML, in order."""
    if not _HINT.search(text, part.start, part.end):
        return
    if part.language == "xml":
        yield from _in_xml(part, text)
        return
    code = _without_texts(part, text)
    is_swift = part.language == "swift"
    is_sure = is_swift or (part.language == "kotlin" and "androidx.compose" in text)
    pattern, read = (_SWIFT, _in_swift) if is_swift else (_ANDROID, _in_kotlin)
    for match, place in _placed(code, pattern.finditer(code)):
        found = read(match, place, code[max(0, match.start() - _LONGEST) : match.start()].rstrip()[-1:])
        if found and found.value:
            start, end = match.span(match.lastgroup or 0)
            use = found.type if found.type in ("fontWeight", "duration") else place.strip(".")
            use = "fontSize" if is_swift and place.endswith((".size", ".ofSize")) else use
            is_computed = not (found.is_replaceable and is_sure)
            syntax = cast("Syntax", part.language)
            yield RawValue(start, end, text[start:end], found.type, found.value, use, syntax, is_computed)


# --- literals -------------------------------------------------------------------------------------------------------

_NAMED = dict(
    pair.split("=")
    for pair in "black=000000 darkgray=444444 dkgray=444444 gray=888888 lightgray=cccccc ltgray=cccccc white=ffffff "
    "red=ff0000 green=00ff00 blue=0000ff yellow=ffff00 cyan=00ffff magenta=ff00ff".split()
)
"""The constants of Compose's ``Color`` and of Android's; SwiftUI's depend on the system, but for black and white."""
_DIGITS = r"[0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8}"
_HEX = re.compile(rf"#?(?:{_DIGITS})")
_NUMBER = re.compile(r"([\d_]*\.?[\d_]+)[fFdDlL]?(?:/([\d_]*\.?[\d_]+)[fFdD]?)?|0[xX]([0-9a-fA-F]{1,2})")
_FRACTION = re.compile(r"[^x]*(?:[./]|\d[fF]\Z)")


def _of_digits(digits: str, *, is_alpha_first: bool = True) -> Color | None:
    """Return the colour of three to eight hexadecimal digits; None for a transparent one."""
    of_channel = 1 if len(digits) < len("rrggbb") else 2
    if len(digits) in (len("argb"), len("aarrggbb")) and is_alpha_first:
        digits = digits[of_channel:] + digits[:of_channel]
    color = plain_color(f"#{digits}")
    return color if color and color.alpha else None


def _color(components: Sequence[float], alpha: float, space: str = "srgb") -> Color | None:
    """Return a colour; None for one that is transparent or out of range."""
    red, green, blue = components
    is_valid = 0 < alpha <= 1 and all(0 <= component <= 1 for component in components)
    return converted(space, (red, green, blue), alpha) if is_valid else None


def _number(text: str) -> float | None:
    """Return the number of a literal, or of a fraction of two."""
    match = _NUMBER.fullmatch(text)
    if match is None or match[3]:
        return float(int(match[3], 16)) if match else None
    number, divisor = (float(group.replace("_", "") or 0) for group in (match[1], match[2] or "1"))
    return normalized(number / divisor) if divisor else None


def _channels(texts: Sequence[str], *, is_typed: bool) -> list[float]:
    """Return the numbers of a colour, from 0 to 1; nothing if one is no literal.

    They are from 0 to 255 if one is above 1, and in languages whose types tell (``is_typed``) if none is a fraction.
    """
    values = [value for text in texts if (value := _number(text)) is not None]
    if not values or len(values) < len(texts):
        return []
    is_byte = max(values) > 1 or (is_typed and not any(map(_FRACTION.match, texts)))
    return [value / 255 for value in values] if is_byte else values


# --- Kotlin, Java, Swift --------------------------------------------------------------------------------------------


class _Found(NamedTuple):
    """The type and value of a literal, which is none for one that nobody sees."""

    type: str
    value: Literal | None
    is_replaceable: bool = True


_Opening = tuple[str, int, int]
"""A bracket that is open: its mark, its offset, and that of the argument that goes on."""
_SILENT = re.compile(r"(?:assert|XCTAssert|expect)\w*|require|Font|Preview|@.*|#(?:expect|require)")
_ASSERTS = re.compile(r"\b(?:assert|XCTAssert|expect)\w*\(|^\s*import\b")
_COLLECTION = re.compile(r"(?:list|map|set|array|mutableList|intArray|longArray)Of")
_BRACKETS = re.compile(r"[][(){},]")
_CALLEE = re.compile(r"([@#]?)(?:(\w+)\.)?(\w+)\s*\Z")
_LABEL = re.compile(r"\s*(\w+)\s*(?::(?!:)|=(?!=))")
_ASSIGNED = re.compile(r"(\w+)\s*(?::[^=]*)?=(?![=>])")
_LONGEST, _DEEPEST = 100, 50
"""The characters of a name that is read, and the brackets around a literal."""


def _without_texts(part: Part, text: str) -> str:
    """Return code without comments and texts other than colours, with the same offsets."""
    pieces, at = [" " * part.start], part.start
    for kind, start, end in tokens(text, *part):
        is_hidden = kind in ("comment", "regex") or (kind == "value" and text[start] == "'")
        if is_hidden or (kind == "string" and not _HEX.fullmatch(text, start, end)):
            pieces += text[at:start], re.sub(r"[^\n]", " ", text[start:end])
            at = end
    return "".join((*pieces, text[at : part.end]))


def _placed(code: str, matches: Iterable[re.Match[str]]) -> Iterator[tuple[re.Match[str], str]]:
    """Yield the matches, in order, that can be raw values, each with its place."""
    openings: list[_Opening] = []
    brackets = _BRACKETS.finditer(code)
    bracket = next(brackets, None)
    for match in matches:
        while bracket and bracket.start() < match.start():
            if bracket[0] in ")]}":
                del openings[-1:]
            elif bracket[0] != ",":
                openings.append((bracket[0], bracket.start(), bracket.end()))
                del openings[:-_DEEPEST]
            elif openings:
                openings[-1] = (*openings[-1][:2], bracket.end())
            bracket = next(brackets, None)
        place = _place(code, match.start(), openings)
        if place is not None:
            yield match, place


def _place(code: str, start: int, openings: Sequence[_Opening]) -> str | None:
    """Return the call and label of an argument (``frame.width``), or what is assigned (``.width``).

    It is None where no literal is a raw value.
    """
    # The value of an assignment can be on the next line.
    line = code[max(0, start - 2 * _LONGEST) : start].rstrip().rpartition("\n")[2]
    if _ASSERTS.search(line):
        return None
    for mark, at, argument in reversed(openings):
        called = _CALLEE.search(code, max(0, at - _LONGEST), at) if mark == "(" else None
        callee = (called[2] if called[3] == "valueOf" and called[2] else called[1] + called[3]) if called else ""
        if _SILENT.fullmatch(callee):
            return None
        if mark == "{":
            break
        if mark == "(" and not _COLLECTION.fullmatch(callee):
            label = _LABEL.match(code, argument, min(start, argument + _LONGEST))
            return f"{callee}.{label[1] if label else ''}"
    assigned = _ASSIGNED.search(line)
    return f".{assigned[1] if assigned else ''}"


_ARGUMENTS = r"\((?P<arguments>(?:[^(){}\[\]]|\(\)){1,300})\)"
_ANDROID = re.compile(
    rf"""(?<![\w.])(?:
    (?P<made>(?:[a-z]\w*\.)*Color(?:\.(?P<function>parseColor|rgb|argb))?{_ARGUMENTS})
    |(?P<constant>(?:[a-z]\w*\.)*Color\.(?P<name>[A-Z]\w*)\b(?!\())
    |(?P<length>(?P<number>\d[\d_]*+(?:\.\d++)?+)f?\.(?:dp|sp)\b)
    |(?P<weight>(?:[a-z]\w*\.)*FontWeight(?:\((?P<figure>\d+)\)|\.(?P<style>[A-Z]\w*)))
    |(?P<integer>0[xX](?P<digits>(?:[0-9a-fA-F]_?){{7}}[0-9a-fA-F])[uUlL]*(?:\.to(?:Int|Long)\(\))?)(?=\s*[),;\n}}])
    |(?P<text>"\#(?P<hex>{_DIGITS})"(?P<parsed>\.toColorInt\(\))?)
    )|(?<!\w)(?:tween(?:<\w+>)?\(|(?P<view>setDuration)\(|durationMillis\s=)\s*(?P<duration>\d++)""",
    re.VERBOSE,
)
_IS_COLOR = re.compile(r"(?i)(?!.*mask).*(?:colou?r|tint|hex)")


def _in_kotlin(match: re.Match[str], use: str, _: str) -> _Found | None:
    """Return what a match of ``_ANDROID`` is."""
    match match.lastgroup:
        case "made":
            color = _android_color(match["function"] or "", match["arguments"])
            return _Found("color", color, is_replaceable=not match["function"])
        case "constant" if digits := _NAMED.get(match["name"].lower()):
            return _Found("color", _of_digits(digits), is_replaceable=not match["name"].isupper())
        case "length":
            return _Found("dimension", _number(match["number"]))
        case "weight":
            style = match["style"] or f"W{match['figure']}"
            named = font_style(style)
            return _Found("fontWeight", float(style[1:]) if style[1:].isdecimal() else named and named.weight)
        case "integer" if _IS_COLOR.match(use):
            return _Found("color", _of_digits(match["digits"].replace("_", "")), is_replaceable=False)
        case "text" if _IS_COLOR.match(use) or match["parsed"]:
            return _Found("color", _of_digits(match["hex"]), is_replaceable=False)
        case "duration" if len(match["duration"]) < 7 and (number := float(match["duration"])):
            return _Found("duration", Quantity(number, "ms"), is_replaceable=not match["view"])
    return None


def _arguments(text: str) -> dict[str, str]:
    """Return the arguments of a call, without spaces, by label or else by number."""
    pairs = (re.fullmatch(r"(?:(\w+)[:=])?(.*)", part) for part in re.sub(r"\s", "", text).rstrip(",").split(","))
    return {pair[1] or str(number): pair[2] for number, pair in enumerate(pairs) if pair}


def _android_color(function: str, text: str) -> Color | None:
    """Return the colour that the constructor of Compose's or AWT's ``Color`` makes, or a function of Android's."""
    arguments = _arguments(text)
    if len(arguments) == 1:
        pattern = rf'"#({_DIGITS})"' if function else r"0[xX]((?:[0-9a-fA-F]_?){8})[uUlL]*(?:\.to\w+\(\))?"
        match = re.fullmatch(pattern, next(iter(arguments.values())))
        return _of_digits(match[1].replace("_", "")) if match else None
    order = ("alpha", "red", "green", "blue") if function == "argb" else ("red", "green", "blue", "alpha")
    channels = dict(zip(arguments, _channels([*arguments.values()], is_typed=True), strict=False))
    found = [channels.get(name, channels.get(str(number))) for number, name in enumerate(order)]
    red, green, blue, alpha = found if function != "argb" else (*found[1:], found[0])
    if red is None or green is None or blue is None or len(arguments) > len(order):
        return None
    return _color((red, green, blue), 1.0 if alpha is None else alpha)


_SWIFT = re.compile(
    rf"""(?<![\w.])(?:
    (?P<made>(?:(?:SwiftUI|UIKit|AppKit)\.)?(?P<type>Color|UIColor|NSColor|CGColor|\#colorLiteral|(?=\.init))(?:\.init)?{_ARGUMENTS})
    |(?P<constant>(?:(?:SwiftUI|UIKit|AppKit)\.)?(?P<owner>Color|UIColor|NSColor)\.(?P<name>black|white)\b(?!\())
    |(?P<weight>Font\.Weight\.(?P<figure>\w+))
    |(?P<member>\.(?P<short>\w+)\b(?!\())
    |(?P<number>\d[\d_]*+(?:\.\d++)?+)(?=[ \t]*(?:[),:\]}};\n]|\Z))
    |(?P<text>"(?P<content>[^"\n]*)")
    )""",
    re.VERBOSE,
)
_SHOWS_COLOR = re.compile(r"(?i).*(?:colou?r|foreground|background|tint|fill|stroke|border|shadow)")
_TAKES_COLOR = re.compile(r"(?:foreground\w+|\w*[bB]ackground|tint|fill|stroke\w*|border|shadow|overlay|accentColor)\.")
"""The modifiers of SwiftUI, in which ``.white`` is a colour for certain."""
_TAKES_LENGTH = re.compile(
    r"(?:padding|cornerRadius|lineSpacing|tracking|kerning)\.|frame\.(?:min|max|ideal)?(?:[Ww]idth|[Hh]eight)"
    r"|(?:system|custom|UIFont)\.size|\w*[fF]ont\.ofSize|(?:blur|shadow)\.(?:radius|[xy])|border\.width"
    r"|\w*EdgeInsets\.(?:top|bottom|left|right|leading|trailing)|(?:\w*Rectangle|rect)\.cornerRadius"
    r"|(?:\w*Stack|\w*Grid\w*)\.\w*[sS]pacing|stroke\w*\.lineWidth|Spacer\.minLength"
)
"""The calls of Apple's frameworks, each with the label of a ``CGFloat``."""
_IS_LENGTH = re.compile(r".*\.(?:\w*(?:[sS]pacing|[cC]ornerRadius|[pP]adding|[fF]ontSize)|(?:line|border)Width)")
_TRANSITIONS = re.compile(
    r"(?:\w*[aA]nimat\w*|ease\w*|linear|\w*(?i:spring)|smooth|snappy|bouncy|timingCurve|transition)\.(?:d|withD)uration"
)


def _in_swift(match: re.Match[str], use: str, before: str) -> _Found | None:
    """Return what a match of ``_SWIFT`` is; ``before`` is the last character before it that is no space."""
    match match.lastgroup:
        case "made":
            color = _swift_color(_arguments(match["arguments"]))
            is_sure = match["type"] in ("Color", "UIColor") and not re.search(r"[0-9a-fA-F]{8}", match["arguments"])
            return _Found("color", color, is_replaceable=is_sure)
        case "constant":
            return _Found("color", _of_digits(_NAMED[match["name"]]), is_replaceable=match["owner"] != "NSColor")
        case "weight":
            return _Found("fontWeight", _weight(match["figure"]))
        case "member" if before in ("(", ",", ":", "?", "=", "[") and match.string[match.start() - 1] != "?":
            if match["short"] in ("black", "white") and _SHOWS_COLOR.match(use):
                is_sure = _TAKES_COLOR.match(use) is not None
                return _Found("color", _of_digits(_NAMED[match["short"]]), is_replaceable=is_sure)
            if use == "fontWeight." or use.endswith(".weight"):
                return _Found("fontWeight", _weight(match["short"]))
        case "number" if before in ("(", ",", ":", "?", "=", "[", "-") and (number := _number(match["number"])):
            if _TRANSITIONS.fullmatch(use):
                return _Found("duration", Quantity(number, "s"))
            is_sure = _TAKES_LENGTH.fullmatch(use) is not None
            if is_sure or _IS_LENGTH.fullmatch(use):
                return _Found("dimension", number, is_replaceable=is_sure)
        case "text" if digits := _IS_COLOR.match(use) and re.fullmatch(rf"#({_DIGITS})", match["content"]):
            return _Found("color", _of_digits(digits[1], is_alpha_first=False), is_replaceable=False)
    return None


def _weight(name: str) -> float | None:
    from tokensync.generate.targets.ios.literals import WEIGHTS

    return next((weight for weight, member in WEIGHTS.items() if member == f".{name}"), None)


def _swift_color(arguments: dict[str, str]) -> Color | None:
    """Return the colour that an initializer of ``Color`` or ``UIColor`` makes, also a project's own from a text."""
    space = {".sRGBLinear": "srgb-linear", ".displayP3": "display-p3"}.get(arguments.get("0", ""), "srgb")
    if arguments in ({"0": ".white"}, {"0": ".black"}):
        return _of_digits(_NAMED[arguments["0"][1:]])
    if arguments.get("0", "").startswith("."):
        del arguments["0"]
    alpha = _number(arguments.pop("alpha", arguments.pop("opacity", "1")))
    if alpha is None:
        return None
    labels, texts = [*arguments], [*arguments.values()]
    if len(labels) == 1 and re.fullmatch(r"(?i)0|\w*hex\w*|a?rgba?", labels[0]):
        sign = "#" if labels[0] == "0" else "#?"
        match = re.fullmatch(rf'"{sign}({_DIGITS})"|0x([0-9a-fA-F]{{6}}(?:[0-9a-fA-F]{{2}})?)', texts[0])
        color = _of_digits(match[1] or match[2], is_alpha_first=not match[1]) if match else None
        return _color((color.red, color.green, color.blue), color.alpha * alpha) if color else None
    channels = _channels(texts, is_typed=False)
    match labels:
        case [first, "green", "blue"] if channels and first.lower().endswith("red"):
            return _color(channels, alpha, "display-p3" if "P3" in first else space)
        case ["white"] if channels:
            return _color(3 * channels, alpha, space)
        case ["hue", "saturation", "brightness"] if channels:
            return _color(hsv_to_rgb(*channels), alpha)
    return None


# --- XML ------------------------------------------------------------------------------------------------------------

_TEXTS = re.compile(r"text|hint|title|summary|label|name|key|tag|contentDescription|value|id|pathData")
_OF_COLOR = re.compile(
    r"(?i).*(?:colou?r|background|foreground|tint|src|drawable|divider|stroke|fill|thumb|track|scrim|ripple|selector)"
)
_GENERIC = frozenset(("color", "width", "height", "radius", "left", "right", "top", "bottom"))
_OWNERS = {
    **{type_: f"{type_}." for type_ in ("color", "drawable", "dimen")},
    "style": "",
    **dict.fromkeys(("array", "integer-array"), "color."),
}
"""What precedes the name of a resource in its use, by its element or type, or that around an item."""
_VALUE = re.compile(
    rf"#({_DIGITS})|@android:color/(black|white)|(-?(?:[0-9]++(?:\.[0-9]++)?|\.[0-9]++))(?:di?p|sp)|([1-9][0-9]{{0,5}})"
)


def _in_xml(part: Part, text: str) -> Iterator[RawValue]:
    """Yield the raw values in attributes of Android, and in resources. Those of Android Studio (``tools``) are none."""
    if "schemas.android.com/apk/res" not in text and "<resources" not in text:
        return
    root = element = parent = attribute = name = type_ = ""
    for kind, start, end in tokens(text, *part):
        word = text[start:end]
        if kind == "tag":
            root, element, name, type_ = root or word, word, "", ""
            parent = parent if word == "item" else word
        elif kind == "attribute":
            attribute = word
        elif kind == "string" and ":" in attribute:
            prefix, _, local = attribute.rpartition(":")
            is_seen = local == "tint" or root not in ("vector", "animated-vector")
            if prefix not in ("xmlns", "tools", "aapt") and is_seen:
                yield from _in_attribute(start, word, local, f"{element}." if local in _GENERIC else "")
        elif kind == "string":
            name, type_ = word if attribute == "name" else name, word if attribute == "type" else type_
        elif kind == "text" and root == "resources" and (stripped := word.strip()):
            owner = _OWNERS.get((type_ or parent) if element == "item" else element)
            if owner is not None:
                yield from _in_attribute(start + word.index(stripped), stripped, name.rpartition(":")[2], owner)


def _in_attribute(start: int, text: str, name: str, owner: str) -> Iterator[RawValue]:
    """Yield the raw value that a whole text is, in an attribute or resource of a name."""
    value: Literal | None = None
    match = None if _TEXTS.fullmatch(name) and not owner else _VALUE.fullmatch(text)
    digits, named, length, number = match.groups() if match else ("", "", "", "")
    type_ = "color"
    if (digits or named) and _OF_COLOR.match(owner + name):
        value = _of_digits(digits or _NAMED[named])
    elif length:
        type_, value = "dimension", normalized(float(length))
    elif number and name in ("duration", "textFontWeight"):
        type_ = "duration" if name == "duration" else "fontWeight"
        value = Quantity(float(number), "ms") if name == "duration" else float(number)
    elif name == "fontFamily" and text[:1] not in "@?":
        type_, value = name, text
    if value:
        yield RawValue(start, start + len(text), text, type_, value, owner + name, "xml", text[0] == "-")


# --- references -----------------------------------------------------------------------------------------------------


class Reference(NamedTuple):
    """A text that refers to a token in the place of a raw value; ``is_exact`` if it surely compiles there."""

    text: str
    is_exact: bool


def reference_in(
    raw: RawValue, token: Token, texts: Mapping[str, Sequence[str]], *, is_constant: bool
) -> Reference | None:
    """Return how native code refers to a token in the place of a raw value; None if no output declares it for that.

    ``texts`` are the references by platform, as outputs declare them. Unless ``is_constant``, the token's collection
    depends on chosen modes, and Compose reads its members in composable functions only.
    """
    is_text = raw.type == "dimension" and is_text_scoped(token.scopes)
    unit, is_exact = raw.text[-2:], not raw.is_computed
    match raw.syntax:
        case "xml":
            types = {"color": "@color/", "dimension": "@dimen/", "fontFamily": "@string/"}
            text = _beginning(texts.get("android", ()), types.get(raw.type, "@integer/"))
            is_itself = text.rpartition("/")[2] == raw.use.rpartition(".")[2]
            is_exact = is_exact and not is_itself and (raw.type != "dimension" or is_text == (unit == "sp"))
        case "swift":
            text = next((text for text in texts.get("ios", ()) if not text.startswith((".", '"', "UIColor."))), "")
            if text and raw.text.startswith("UI"):
                text = _beginning(texts["ios"], "UIColor.") or f"UIColor({text})"
            is_exact = is_exact and raw.type != "fontWeight"  # an output may declare it as a number
        case "kotlin" if texts.get("compose"):
            text, is_exact = texts["compose"][0], is_exact and is_constant
            match raw.type:
                case "dimension" if token.type == "number":
                    text += f".{unit}"
                case "dimension" if is_text != (unit == "sp"):
                    text, is_exact = f"{text}.value.{unit}", False
                case "duration":
                    text += ".inWholeMilliseconds.toInt()"
                case "fontWeight" if token.type != "fontWeight":
                    text = ""
        case _:
            text, is_exact = _beginning(texts.get("android", ()), "R."), False
            function = {"R.color": "colorResource", "R.dimen": "dimensionResource"}.get(text.rpartition(".")[0])
            if raw.syntax == "kotlin" and not raw.is_computed and function:
                text = f"{function}({text})"
    return Reference(text, is_exact) if text else None


def _beginning(texts: Sequence[str], start: str) -> str:
    """Return the first text with a beginning, or nothing."""
    return next((text for text in texts if text.startswith(start)), "")


def imports(
    project: Project, path: str, text: str, language: str, references: Iterable[str]
) -> tuple[tuple[int, int, str], ...]:
    """Return the imports that references in a file need and it lacks, each with the two offsets of an edit."""
    owners = {word for reference in references for word in re.findall(r"(?<![.\w])[A-Z]\w*", reference)}
    pattern = r"^\ufeff?((?:@\w+ +|public +|internal +)*(import|package) +([\w.*]+)[^\n]*\n)"
    lines = [*re.finditer(pattern, text, re.MULTILINE)]
    declared = {line[3] for line in lines}
    wanted = {"SwiftUI"} if {"UIColor", "Color"} <= owners else set()
    for output in project.config.outputs if owners else ():
        if language == "kotlin" and output.platform == "compose":
            options = cast("ComposeOptions", typed_options(output.platform, output.options))
            if options.name in owners and declared.isdisjoint((options.package, f"{options.package}.*")):
                wanted.add(f"{options.package}.{options.name}")
        elif language == "swift" and output.platform == "ios":
            module = re.match(r"(?:.*/)?Sources/([^/]+)", output.path)
            folder = os.path.realpath(os.path.join(project.folder, module[0])) if module else ""
            if module and not os.path.realpath(path).startswith(os.path.join(folder, "")):
                wanted.add(module[1])
    # An import between #if and #endif is for some systems only.
    plain = [line for line in lines if text.count("#if", 0, line.end()) == text.count("#endif", 0, line.end())]
    return tuple(_import(text, plain, name) for name in sorted(wanted - declared))


def _import(text: str, lines: Sequence[re.Match[str]], name: str) -> tuple[int, int, str]:
    """Return the edit that imports a name before the first import that is later in the alphabet, or after all."""
    later = next((line.start(1) for line in lines if line[2] == "import" and line[3] > name), None)
    first = lines[-1].end() if lines else int(text.startswith("\ufeff"))
    at = first if later is None else later
    line_end = "\r\n" if "\r\n" in text else "\n"
    return at, at, f"import {name}{line_end}"
