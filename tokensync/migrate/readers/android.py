"""Android resources as a source: colours, dimensions, numbers, booleans and untranslated texts.

- A resource is ``type.name``, the name divided into groups at underscores (see ``grouped``).
- The qualifiers of a folder (``values-night-v31``) are modes of the dimensions in ``_QUALIFIERS``. When several hold,
  those that come first there have precedence, as on a device.
- ``dp`` and ``sp`` are pixels of a design file. ``px`` is read as such too, and noted; other units are reported.
- A list of colours by state (``color/a.xml``) with one item is that colour, with its ``alpha`` as opacity. Lists with
  more items, values that depend on an app's theme (``?attr/a``), and macros are reported, and resources without a value
  are counted.
- Texts are tokens if they are marked as ``translatable="false"``; other texts are for people, and are counted.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple
from xml.sax.handler import ContentHandler

from tokensync.migrate.readers.documents import missing_package
from tokensync.migrate.readers.platform_files import APPEARANCE, Combination, Group, Modes, grouped
from tokensync.migrate.source import Location, Source, SourceToken, TokenSet, Unread, Written
from tokensync.system.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from xml.sax.xmlreader import AttributesImpl, Locator


_FOLDER = re.compile(r"(?:.*/)?(values|color)((?:-[\w+]+)*)/[^/]+\.xml")
_QUALIFIERS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (dimension, re.compile(pattern))
    for dimension, pattern in (
        ("network", r"mcc\d+|mnc\d+"),
        ("locale", r"b\+[\w+]+|[a-z]{2,3}|r[A-Z]{2}"),
        ("direction", r"ldrtl|ldltr"),
        ("smallest width", r"sw\d+dp"),
        ("width", r"w\d+dp"),
        ("height", r"h\d+dp"),
        ("screen size", r"small|normal|large|xlarge"),
        ("aspect", r"long|notlong|round|notround"),
        ("gamut", r"widecg|nowidecg|highdr|lowdr"),
        ("orientation", r"port|land"),
        ("device", r"car|desk|television|appliance|watch|vrheadset"),
        (APPEARANCE, r"night|notnight"),
        ("pixel density", r"[a-z]*dpi|\d+dpi"),
        ("input", r"notouch|finger|keys\w+|nokeys|qwerty|12key|nav\w+|nonav|dpad|trackball|wheel"),
        ("api", r"v\d+"),
    )
)
"""The dimension of each qualifier, in Android's order of precedence."""

_MODES = {"night": "dark", "notnight": "light", "ldrtl": "rtl", "ldltr": "ltr"}
_DEFAULT_MODES = {"light", "ltr", "nowidecg", "lowdr", "normal", "v1"}
_TYPES = {
    "color": "color",
    "dimen": "dimension",
    "integer": "number",
    "bool": "boolean",
    "string": "string",
    "fraction": "number",
}
_NO_VALUES = {
    *("array", "attr", "declare-styleable", "drawable", "eat-comment", "id", "integer-array", "java-symbol"),
    *("overlayable", "plurals", "public", "public-group", "skip", "staging-public-group", "string-array", "style"),
}
_FRAMEWORK = {"black": "#000000", "white": "#ffffff", "transparent": "#00000000"}
_REFERENCE = re.compile(r"@\*?(?:([\w.]+):)?(?:([a-z]+)/)?([\w.]+)")
_NAMED = re.compile(r"\{([a-z]+)\.([\w.]+)\}")
_HEX = re.compile(r"#([0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})")
_LENGTH = re.compile(r"(-?(?:\d+\.?\d*|\.\d+))\s*(dp|dip|sp|px|pt|in|mm)")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_INTEGER = re.compile(r"[+-]?\d{1,18}|0[xX][0-9a-fA-F]{1,15}")


class _Element(NamedTuple):
    """A child of ``<resources>``, or an ``<item>`` of a list of colours, with its text."""

    tag: str
    attributes: Mapping[str, str]
    text: str
    line: int


class _Resource(NamedTuple):
    """A declaration. ``value`` is None if it has none, with the reason."""

    key: tuple[str, str]
    value: Written
    type: str
    at: Location
    combination: Combination
    reason: str = ""
    is_text: bool = False


def recognized(files: Mapping[str, bytes]) -> bool:
    """Return whether some file has resources or a list of colours."""
    return any(
        _FOLDER.fullmatch(path) and (b"<resources" in content or b"<selector" in content)
        for path, content in files.items()
    )


def read(files: Mapping[str, bytes]) -> Source:
    """Read the resources of a source."""
    reader = _Reader()
    for path, content in files.items():
        if folder := _FOLDER.fullmatch(path):
            reader.read(path, content, folder[1], _combination(folder[2]))
    return reader.source()


def _combination(qualifiers: str) -> Combination:
    """Return the modes of a folder's qualifiers. One that is not known is a dimension of its own."""
    modes: dict[str, str] = {}
    for qualifier in filter(None, qualifiers.split("-")):
        dimension = next((each for each, pattern in _QUALIFIERS if pattern.fullmatch(qualifier)), qualifier)
        mode = _MODES.get(qualifier, qualifier)
        modes[dimension] = f"{modes[dimension]}-{mode}" if dimension in modes else mode
    return frozenset(item for item in modes.items() if item[1] not in _DEFAULT_MODES)


class _Elements(ContentHandler):
    """Collects the elements that a file of resources has directly below its root, with their lines."""

    def __init__(self) -> None:
        super().__init__()
        self.root = ""
        self.elements: list[_Element] = []
        self._depth = 0
        self._open: tuple[str, dict[str, str], int] | None = None
        self._text: list[str] = []
        self._locator: Locator | None = None

    def setDocumentLocator(self, locator: Locator) -> None:  # noqa: N802 - the interface's name
        self._locator = locator

    def line(self) -> int:
        return int(self._locator.getLineNumber() or 1) if self._locator else 1

    def startElement(self, name: str, attrs: AttributesImpl) -> None:  # noqa: N802 - the interface's name
        self._depth += 1
        if self._depth == 1:
            self.root = name
        elif self._depth == 2:
            self._open = (name, {each.rpartition(":")[2]: value for each, value in attrs.items()}, self.line())
            self._text = []

    def characters(self, content: str) -> None:
        if self._depth >= 2:
            self._text.append(content)

    def endElement(self, name: str) -> None:  # noqa: N802 - the interface's name
        if self._depth == 2 and self._open:
            tag, attributes, line = self._open
            self.elements.append(_Element(tag, attributes, "".join(self._text).strip(), line))
        self._depth -= 1


class _Reader:
    def __init__(self) -> None:
        self.resources: list[_Resource] = []
        self.unread: list[Unread] = []
        self.used: dict[tuple[str, str], Location] = {}
        self.others: dict[str, list[Location]] = {}

    def read(self, path: str, content: bytes, kind: str, combination: Combination) -> None:
        """Read a file of resources, or a list of colours."""
        try:
            from defusedxml.common import DefusedXmlException
            from defusedxml.sax import parseString
        except ImportError:
            raise missing_package("defusedxml", f"{path}: to read XML, tokensync") from None
        from xml.sax import SAXException, SAXParseException

        found = _Elements()
        try:
            parseString(_in_utf_8(content), found)
        except DefusedXmlException:
            self.note(Location(path, 1), "", "it declares entities or refers to other files; write their texts instead")
        except SAXParseException as error:
            at = Location(path, error.getLineNumber() or 1)
            self.note(at, "", f"not valid XML ({error.getMessage()}); correct it. What stands before is read")
        except (SAXException, ValueError, LookupError) as error:
            self.note(Location(path, 1), "", f"not valid XML ({error}); correct it")
        if kind == "color" and found.root == "selector":
            name = path.rpartition("/")[2].removesuffix(".xml")
            self.add(self.state_list(name, found.elements, path, combination))
        elif found.root == "resources":
            self.read_values(path, found.elements, combination)
        elif found.root:
            self.note(Location(path, 1), "", f"<{found.root}> is neither resources nor a list of colours")

    def note(self, at: Location, name: str, reason: str) -> None:
        self.unread.append(Unread(at, name, reason, is_token=False))

    def read_values(self, path: str, elements: Iterable[_Element], combination: Combination) -> None:
        for element in elements:
            kind = element.attributes.get("type", "item") if element.tag == "item" else element.tag
            is_prose = kind == "string" and element.attributes.get("translatable") != "false"
            if kind in _TYPES and not is_prose and element.attributes.get("name"):
                self.add(self.resource(kind, element, path, combination))
            elif kind == "macro":
                reason = f"a macro is replaced by {element.text or 'nothing'} only when an app is built"
                at = Location(path, element.line)
                self.unread.append(Unread(at, f"macro.{element.attributes.get('name', '')}", reason))
            else:
                self.others.setdefault(kind, []).append(Location(path, element.line))

    def report_others(self) -> None:
        """Report how often each kind of resource without a value occurs, with the location of the first."""
        for kind, places in self.others.items():
            what = "texts for people are not tokens" if kind == "string" else "no design token has this form"
            if kind in _TYPES and kind != "string":
                what = "it has no name"
            elif kind not in _NO_VALUES | {"string"}:
                what = "this kind of resource is not read"
            files = counted(len({place.file for place in places}), "file")
            self.note(places[0], "", f"<{kind}>, {counted(len(places), 'time')} in {files}: {what}")

    def add(self, resource: _Resource) -> None:
        if resource.reason:
            self.unread.append(Unread(resource.at, ".".join(resource.key), resource.reason))
        else:
            self.resources.append(resource)

    def resource(self, kind: str, element: _Element, path: str, combination: Combination) -> _Resource:
        """Return the declaration of an element."""
        at = Location(path, element.line)
        key = (kind, element.attributes["name"])
        value, type_, reason = self.value(kind, element.text, at)
        is_text = kind == "string" and not _REFERENCE.fullmatch(element.text)
        return _Resource(key, value, type_, at, combination, reason or _bad_name(key[1]), is_text)

    def value(self, kind: str, text: str, at: Location) -> tuple[Written, str, str]:
        """Return the value and type of a text, and the reason if it has none."""
        if text.startswith("?") and kind != "string":
            return None, "", f"{text} depends on the theme of an app; give it a value"
        if text.startswith("@") and (kind != "string" or _REFERENCE.fullmatch(text)):
            return self.reference(text, kind, at)
        match kind:
            case "color" if found := _HEX.fullmatch(text):
                return _css_hex(found[1]), "color", ""
            case "dimen" if found := _LENGTH.fullmatch(text):
                return self.length(found[1], found[2], at)
            case "dimen" | "fraction" if _NUMBER.fullmatch(text):
                return _number(text), "number", ""
            case "fraction" if re.fullmatch(rf"{_NUMBER.pattern}%p?", text):
                return text.removesuffix("p"), "number", ""
            case "integer" if _INTEGER.fullmatch(text):
                return int(text, 16 if "x" in text.lower() else 10), "number", ""
            case "bool" if text.lower() in {"true", "false"}:
                return text.lower() == "true", "boolean", ""
            case "string" if text:
                return _unescaped(text), "string", ""
        return None, "", f"{text[:80]!r} is no value of <{kind}>" if text else "it has no value"

    def reference(self, text: str, kind: str, at: Location) -> tuple[Written, str, str]:
        """Return the value of ``@type/name``."""
        found = _REFERENCE.fullmatch(text)
        if found is None or text in {"@null", "@empty"}:
            return None, "", f"{text[:80]!r} is no value of <{kind}>"
        package, target, name = found[1] or "", found[2] or kind, found[3]
        if package == "android":
            if target == "color" and name in _FRAMEWORK:
                return _FRAMEWORK[name], "color", ""
            return None, "", f"{text} belongs to Android, which changes it with its version; give it a value"
        if target not in _TYPES or _bad_name(name):
            return None, "", f"{text} is not a design token"
        self.used.setdefault((target, name), at)
        return f"{{{target}.{name}}}", _TYPES[kind] if kind == "color" else "", ""

    def length(self, number: str, unit: str, at: Location) -> tuple[Written, str, str]:
        if unit in {"pt", "in", "mm"}:
            return None, "", f"{number}{unit} is a length of paper, and depends on the screen; write it in dp"
        if unit == "px" and float(number):
            self.note(at, "", f"{number}px are pixels of a screen; they were read as {number}dp")
        return f"{_number(number)}px", "dimension", ""

    def state_list(self, name: str, items: list[_Element], path: str, combination: Combination) -> _Resource:
        """Return the declaration of a list of colours by state."""
        at = Location(path, items[0].line if items else 1)
        colors = [item for item in items if item.tag == "item"]
        reason, value = _bad_name(name), None
        if len(colors) != 1:
            reason = f"a colour that differs in {counted(len(colors), 'state')}; make a token of each"
        else:
            attributes = colors[0].attributes
            states = [attribute for attribute in attributes if attribute.startswith("state_")]
            value, _, why = self.value("color", attributes.get("color", ""), at)
            alpha: Written = None
            if "alpha" in attributes:
                alpha, _, why_not = self.value("dimen", attributes["alpha"], at)
                why = why or why_not
            if states:
                why = f"the colour of one state only ({states[0].removeprefix('state_')})"
            elif "lStar" in attributes:
                why = "lStar changes the lightness of a colour when an app runs; give it a value"
            reason = reason or why
            if alpha is not None and not reason:
                value = _with_alpha(str(value), alpha)
        return _Resource(("color", name), value, "color", at, combination, reason)

    def source(self) -> Source:
        """Return the source of all resources."""
        slots: dict[Combination, dict[tuple[str, str], list[_Resource]]] = {}
        for each in self.resources:
            equal = slots.setdefault(each.combination, {}).setdefault(each.key, [])
            while equal and equal[-1].value != each.value:
                earlier = equal.pop()
                values = f"{str(earlier.value)[:80]!r} by {str(each.value)[:80]!r}"
                reason = f"{each.at} replaces it in the same mode: {values}"
                self.unread.append(Unread(earlier.at, ".".join(each.key), reason))
            equal.append(each)
        combinations: dict[tuple[str, str], list[Combination]] = {}
        for combination, resources in slots.items():
            for key in resources:
                combinations.setdefault(key, []).append(combination)
        used = {dimension for combination in slots for dimension, _ in combination}
        known = [dimension for dimension, _ in _QUALIFIERS]
        modes = Modes([*known, *sorted(used.difference(known))], {APPEARANCE: "light"}, _precedence)
        paths = _paths(combinations)
        groups: dict[Group, dict[Combination, None]] = {(): {}}
        sets: dict[str, list[SourceToken]] = {}
        for combination, resources in sorted(slots.items(), key=lambda item: _precedence(item[0])):
            for key, equal in resources.items():
                group = modes.group(combinations[key])
                groups.setdefault(group, {})[combination] = None
                sets.setdefault(modes.set_name(group, combination), []).extend(_token(each, paths) for each in equal)
        reported = {unread.name for unread in self.unread}
        for (kind, name), at in self.used.items():
            if (kind, name) not in paths and f"{kind}.{name}" not in reported:
                self.note(at, f"@{kind}/{name}", "no file declares it; add the file that does, or give it a value")
        self.report_others()
        token_sets = tuple(TokenSet(name, tuple(tokens)) for name, tokens in sets.items())
        themes = modes.themes({group: each for group, each in groups.items() if each})
        return Source("android", token_sets, themes, tuple(self.unread))


def _precedence(combination: Combination) -> tuple[int, ...]:
    """Return the order of Android: a qualifier beats all that come later, and of two limits the larger one."""
    modes = dict(combination)
    order = tuple(
        0 if dimension not in modes else 1 + int("".join(re.findall(r"\d+", modes[dimension]))[:9] or 0)
        for dimension, _ in _QUALIFIERS
    )
    return (*order, len(combination))


def _paths(keys: Iterable[tuple[str, str]]) -> dict[tuple[str, str], tuple[str, ...]]:
    by_type: dict[str, list[str]] = {}
    for kind, name in keys:
        by_type.setdefault(kind, []).append(name)
    return {
        (kind, name): (kind, *path) for kind, names in by_type.items() for name, path in grouped(names, "_").items()
    }


def _token(resource: _Resource, paths: Mapping[tuple[str, str], tuple[str, ...]]) -> SourceToken:
    value = resource.value
    if isinstance(value, str) and not resource.is_text:
        value = _NAMED.sub(lambda found: f"{{{'.'.join(paths.get((found[1], found[2]), found.groups()))}}}", value)
    code = f"R.{resource.key[0]}.{resource.key[1].replace('.', '_')}"
    return SourceToken(
        paths[resource.key],
        value,
        resource.at,
        resource.type,
        is_text=resource.is_text,
        code_syntax=(("ANDROID", code),),
    )


def _in_utf_8(content: bytes) -> bytes:
    """Return a file without the encoding that it declares, if its bytes are UTF-8 all the same."""
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return content
    return re.sub(rb"\A(\s*<\?xml[^>]{0,80}?)\s+encoding\s*=\s*(?:\"[^\">]*\"|'[^'>]*')", rb"\1", content)


def _bad_name(name: str) -> str:
    return "" if re.fullmatch(r"[\w.]+", name) else "this is no name of a resource; rename it"


def _css_hex(digits: str) -> str:
    """Return the digits of a colour with its alpha at the end, as CSS has it, instead of at the start."""
    size = len(digits) // 4 if len(digits) in {4, 8} else 0
    return f"#{digits[size:]}{digits[:size]}"


def _with_alpha(color: str, alpha: Written) -> str:
    """Return a colour with an opacity, which multiplies its own."""
    if len(color) == 9 and color[0] == "#" and isinstance(alpha, int | float):
        return f"rgba({color[:7]}, {round(int(color[7:], 16) / 255 * alpha, 4)})"
    return f"rgba({color}, {alpha})"


def _number(text: str) -> int | float:
    value = float(text)
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def _unescaped(text: str) -> str:
    """Return a text without Android's quotes and escapes."""
    quoted = len(text) > 1 and text[0] == text[-1] == '"'
    plain = text[1:-1] if quoted else " ".join(text.split())
    return re.sub(r"\\(u[0-9a-fA-F]{4}|.)", lambda found: _escape(found[1]), plain)


def _escape(code: str) -> str:
    if code[0] == "u" and len(code) == 5:
        character = chr(int(code[1:], 16))
        return "\N{REPLACEMENT CHARACTER}" if "\ud800" <= character <= "\udfff" else character
    return {"n": "\n", "t": "\t"}.get(code, code)
