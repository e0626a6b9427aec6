"""Color sets of Xcode's asset catalogs as a source.

- The name of a colour is that of its folder, inside of the groups that provide a namespace.
- Appearances, idioms and display gamuts are modes: ``dark`` of the dimension ``appearance``, ``high`` of ``contrast``,
  ``ipad`` of ``idiom``, ``display-P3`` of ``gamut``. A colour for every appearance, and one for light, is the default.
- Components are fractions (``0.2``) or bytes (``51``, ``0x33``), and a colour can mix both. A component ``1`` is a byte
  if another one is.
- Colours of the system, entries without a colour, and sets without entries are reported.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tokensync.migrate.readers.documents import Document, document_of
from tokensync.migrate.readers.platform_files import APPEARANCE, Combination, Group, Modes
from tokensync.migrate.source import Location, Source, SourceToken, TokenSet, Unread, Written
from tokensync.tokens.values import encoded

_CONTENTS = "Contents.json"
_COLOR_SET = re.compile(r"(?:(.*)/)?([^/]+)\.colorset/Contents\.json")
_GROUP_ENDING = re.compile(r"\.\w+")
_SPACES = {
    "srgb": "srgb",
    "extended-srgb": "srgb",
    "display-p3": "display-p3",
    "extended-linear-srgb": "srgb-linear",
    "gray-gamma-22": "gray",
    "extended-gray": "gray",
}
"""The colour space of CSS of each of Xcode's."""

_ORDER = ("idiom", "gamut", APPEARANCE, "contrast")
_DEFAULTS = {("idiom", "universal"), ("gamut", "sRGB"), (APPEARANCE, "light"), ("contrast", "normal")}
_DIMENSIONS = {"luminosity": APPEARANCE}
_BYTE = re.compile(r"\d{1,3}")
_HEX_BYTE = re.compile(r"0[xX][0-9a-fA-F]{1,2}")
_FRACTION = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")


class _Entry(NamedTuple):
    """A colour of a set, with its value, or the reason why it has none."""

    name: tuple[str, ...]
    combination: Combination
    value: Written
    at: Location
    reason: str = ""


def recognized(files: Mapping[str, bytes]) -> bool:
    """Return whether some file is that of a color set."""
    return any(_COLOR_SET.fullmatch(path) for path in files)


def read(files: Mapping[str, bytes]) -> Source:
    """Read the color sets of a source."""
    reader = _Reader(files)
    for path, content in files.items():
        if found := _COLOR_SET.fullmatch(path):
            reader.read(path, content, (*reader.namespaces(found[1] or ""), found[2]))
    return reader.source()


class _Reader:
    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = files
        self.entries: list[_Entry] = []
        self.unread: list[Unread] = []
        self._namespaces: dict[str, bool] = {}

    def document(self, path: str, content: bytes) -> Document | None:
        document, unread = document_of(path, content)
        self.unread += unread
        return document

    def namespaces(self, folder: str) -> tuple[str, ...]:
        """Return the names of the groups around a set that provide a namespace, up to the catalog."""
        found: list[str] = []
        while folder and not folder.endswith(".xcassets"):
            if folder not in self._namespaces:
                self._namespaces[folder] = self._is_namespace(folder)
            folder, _, name = folder.rpartition("/")
            if self._namespaces[f"{folder}/{name}" if folder else name]:
                found.append(_GROUP_ENDING.sub("", name) or name)
        return tuple(reversed(found))

    def _is_namespace(self, folder: str) -> bool:
        path = f"{folder}/{_CONTENTS}"
        document = self.document(path, self.files[path]) if path in self.files else None
        match document.content if document else None:
            case {"properties": {"provides-namespace": True}}:
                return True
        return False

    def read(self, path: str, content: bytes, name: tuple[str, ...]) -> None:
        """Read the entries of a set."""
        document = self.document(path, content)
        if document is None:
            return
        match document.content:
            case {"colors": [_, *_] as colors}:
                for index, each in enumerate(colors):
                    at = Location(path, document.line(("colors", index)))
                    self.add(_entry(name, each, at))
            case _:
                self.unread.append(Unread(Location(path, 1), "/".join(name), "the set has no colours", is_token=False))

    def add(self, entry: _Entry) -> None:
        if entry.reason:
            self.unread.append(Unread(entry.at, "/".join(entry.name), entry.reason))
        else:
            self.entries.append(entry)

    def source(self) -> Source:
        slots: dict[Combination, dict[tuple[str, ...], list[_Entry]]] = {}
        combinations: dict[tuple[str, ...], list[Combination]] = {}
        for each in self.entries:
            equal = slots.setdefault(each.combination, {}).setdefault(each.name, [])
            while equal and equal[-1].value != each.value:
                reason = f"{each.at} replaces it in the same mode"
                self.unread.append(Unread(equal.pop().at, "/".join(each.name), reason))
            equal.append(each)
            combinations.setdefault(each.name, []).append(each.combination)
        others = {dimension for slot in slots for dimension, _ in slot}.difference(_ORDER)
        modes = Modes((*_ORDER, *sorted(others)), {APPEARANCE: "light"}, _precedence)
        groups: dict[Group, dict[Combination, None]] = {(): {}}
        sets: dict[str, list[SourceToken]] = {}
        for combination, entries in sorted(slots.items(), key=lambda item: len(item[0])):
            for name, equal in entries.items():
                group = modes.group(combinations[name])
                groups.setdefault(group, {})[combination] = None
                sets.setdefault(modes.set_name(group, combination), []).extend(map(_token, equal))
        token_sets = tuple(TokenSet(name, tuple(tokens)) for name, tokens in sets.items())
        themes = modes.themes({group: each for group, each in groups.items() if each})
        return Source("asset-catalog", token_sets, themes, tuple(self.unread))


def _precedence(combination: Combination) -> tuple[int, ...]:
    """Return the order in which colours that hold at the same time replace each other: the more exact ones later."""
    dimensions = {dimension for dimension, _ in combination}
    return (len(combination), *(int(each in dimensions) for each in _ORDER))


def _token(entry: _Entry) -> SourceToken:
    code = f'Color("{"/".join(entry.name)}")'
    syntax = (("iOS", code),) if all(re.fullmatch(r"[^\W\d]\w*", each) for each in entry.name) else ()
    return SourceToken(entry.name, entry.value, entry.at, "color", code_syntax=syntax)


def _entry(name: tuple[str, ...], content: Any, at: Location) -> _Entry:
    """Return an entry of the colours of a set."""
    if not isinstance(content, dict):
        return _Entry(name, frozenset(), None, at, "the entry is not an object")
    if re.search(r"[{}]", "".join(name)):
        return _Entry(name, frozenset(), None, at, "references cannot contain this name; rename it")
    try:
        combination = _combination(content)
        value = _color(content.get("color"))
    except _BadColorError as error:
        return _Entry(name, frozenset(), None, at, str(error))
    return _Entry(name, combination, value, at)


class _BadColorError(Exception):
    """An entry that has no colour; the message is the reason."""


def _combination(content: Mapping[str, Any]) -> Combination:
    """Return the modes of an entry."""
    pairs = [("idiom", content.get("idiom", "universal")), ("gamut", content.get("display-gamut", "sRGB"))]
    pairs += [(each, content[each]) for each in ("subtype", "locale") if each in content]
    appearances = content.get("appearances", [])
    if not isinstance(appearances, list) or not all(isinstance(appearance, dict) for appearance in appearances):
        raise _BadColorError("its appearances are not a list of objects")
    pairs += [(appearance.get("appearance"), appearance.get("value")) for appearance in appearances]
    if not all(isinstance(each, str) and each for pair in pairs for each in pair):
        raise _BadColorError("one of its appearances, idioms or gamuts has no name")
    named = ((_DIMENSIONS.get(dimension, dimension), mode) for dimension, mode in pairs)
    return frozenset(each for each in named if each not in _DEFAULTS)


def _color(content: Any) -> Written:
    match content:
        case None:
            raise _BadColorError("no colour was chosen for it")
        case {"reference": str(name)}:
            raise _BadColorError(f"{name} is a colour of the system; choose its components")
        case {"color-space": str(space), "components": dict(components)}:
            if space not in _SPACES:
                raise _BadColorError(f"the colour space {space!r} is unknown")
            return _written(_SPACES[space], components)
    raise _BadColorError("its colour has no colour space or no components; choose it again in Xcode")


def _written(space: str, components: Mapping[str, Any]) -> Written:
    """Return a colour as DTCG writes it, or as CSS does if a component is out of range."""
    names = ("white",) if space == "gray" else ("red", "green", "blue")
    texts = [_text(components, name) for name in names]
    values = _values(texts)
    alpha = _value(_text(components, "alpha"), is_byte=False) if "alpha" in components else 1.0
    if not 0 <= alpha <= 1:
        raise _BadColorError(f"its alpha is {alpha:g}, which is not between 0 and 1")
    if space == "gray":
        space, values = "srgb", [_gray(values[0])] * 3
    if all(0 <= value <= 1 for value in values):
        return {"colorSpace": space, "components": values, "alpha": alpha}
    return f"color({space} {' '.join(f'{value:g}' for value in values)} / {alpha:g})"


def _text(components: Mapping[str, Any], name: str) -> str:
    value = components.get(name)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise _BadColorError(f"its component {name!r} is missing")
    return str(value).strip()


def _values(texts: Sequence[str]) -> list[float]:
    """Return components from 0 to 1."""
    has_bytes = any(_HEX_BYTE.fullmatch(text) or (_BYTE.fullmatch(text) and int(text) > 1) for text in texts)
    return [_value(text, is_byte=has_bytes) for text in texts]


def _value(text: str, *, is_byte: bool) -> float:
    """Return a component from 0 to 1; ``is_byte`` is the meaning of a whole number."""
    if _HEX_BYTE.fullmatch(text):
        return int(text, 16) / 255
    if is_byte and _BYTE.fullmatch(text):
        if int(text) > 255:
            raise _BadColorError(f"its component {text} is more than 255")
        return int(text) / 255
    if _FRACTION.fullmatch(text) and abs(float(text)) < 1000:
        return float(text)
    raise _BadColorError(f"its component {text[:40]!r} is not a number")


def _gray(white: float) -> float:
    """Return the sRGB component of a gray with the gamma 2.2."""
    component = encoded(abs(white) ** 2.2)
    return round(min(component, 1.0) if white <= 1 else component, 6)
