"""The classes of a collection: one with the values of its default mode, and one a mode with what differs there."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from tokensync.generate.lines import WIDTH, broken
from tokensync.targets.compose import composites as composites_kotlin
from tokensync.targets.compose import literals as kotlin
from tokensync.targets.compose.families import MOST_PROPERTIES, weight
from tokensync.targets.compose.naming import kotlin_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.generate.sheet import Sheet
    from tokensync.targets.compose.families import Choice, Family, Types
    from tokensync.targets.compose.options import ComposeOptions
    from tokensync.targets.compose.values import Texts, Values

Property = tuple[str, str, str, str, str, str]
"""Documentation, advice against its use, modifiers, name, type, and what follows it: a value or a getter."""

_TYPES = {
    "color": ("Color", "androidx.compose.ui.graphics.Color"),
    "dp": ("Dp", "androidx.compose.ui.unit.Dp"),
    "sp": ("TextUnit", "androidx.compose.ui.unit.TextUnit"),
    "number": ("Float", ""),
    "percentage": ("Float", ""),
    "weight": ("FontWeight", "androidx.compose.ui.text.font.FontWeight"),
    "string": ("String", ""),
    "boolean": ("Boolean", ""),
    "duration": ("Duration", "kotlin.time.Duration"),
    **{dtcg_type: (name, "") for dtcg_type, name in composites_kotlin.TYPES.items()},
}
_EXTENSIONS = {
    "dp": "androidx.compose.ui.unit.dp",
    "sp": "androidx.compose.ui.unit.sp",
    "milliseconds": "kotlin.time.Duration.Companion.milliseconds",
    "seconds": "kotlin.time.Duration.Companion.seconds",
}
SUPPORTED = frozenset(("shadow", "border", "transition", "strokeStyle"))
"""Types whose values are of small classes that the output declares itself."""

_EXTENDED = re.compile(rf"(?<=[\d)]\.)(?:{'|'.join(_EXTENSIONS)})(?!\w)")


_OVERRIDING = "override val"
_LONGEST_ADVICE = 1_000  # characters


class Class(NamedTuple):
    """A class or an object: its documentation, its declaration up to the body, and its properties."""

    documentation: str
    declaration: str
    properties: list[Property]


class Classes:
    """Makes the classes of families, and knows what each of them imports."""

    def __init__(self, sheet: Sheet, values: Values, types: Types, options: ComposeOptions) -> None:
        self.sheet = sheet
        self.values = values
        self.types = types
        self.visibility = options.visibility
        self.descriptions = options.descriptions
        self.set = f"{options.name}Values"

    def of(self, family: Family) -> tuple[list[Class], list[str]]:
        """The family's classes, and the names that their file imports, sorted."""
        default = self.values.in_default(family)
        classes = list(self._own(family, default))
        shown = {family.collection.default_mode: default}
        for choice in family.choices[1:]:
            shown[choice.mode] = self.values.in_mode(family, choice.mode, default)
        for choice in family.choices[1:]:
            classes += self._of_choice(family, choice, shown)
        return classes, self._imports(family, shown)

    def _own(self, family: Family, default: Texts) -> Iterator[Class]:
        name = kotlin.comment(family.collection.name)
        several = f", in the mode {kotlin.comment(self._mode(family, 0))}" if family.choices else ""
        modifier = "open " if family.choices else ""
        if family.is_constant:
            properties = [self._constant(place, text) for place, text in default.items()]
        else:
            properties = [self._getter(place, text, f"public {modifier}val") for place, text in default.items()]
        *parts, last = self._parts(default, properties)
        parent = ""
        for part in parts:
            type_ = self.types.claim(f"{family.type}Part")
            declaration = f"{self.visibility} abstract class {type_} {self._constructor(family)}{parent}"
            yield Class(f"A part of [{family.type}].", declaration, part)
            parent = f" : {type_}({'' if family.is_constant else self.values.owner})"
        kind = f"object {family.type}" if family.is_constant else f"{modifier}class {family.type} "
        constructor = "" if family.is_constant else self._constructor(family)
        declaration = f"{self.visibility} {kind}{constructor}{parent}"
        yield Class(f"The tokens of the collection {name}{several}.", declaration, last)

    def _of_choice(self, family: Family, choice: Choice, shown: dict[int, Texts]) -> Iterator[Class]:
        parent = next(each for each in family.choices if each.mode == choice.parent)
        inherited = shown[parent.mode]
        differing = {place: text for place, text in shown[choice.mode].items() if text != inherited[place]}
        properties = [self._getter(place, text, _OVERRIDING) for place, text in differing.items()]
        above = parent.type or family.type
        *parts, last = self._parts(differing, properties)
        position = family.choices.index(choice)
        documentation = f"[{family.type}] in the mode {kotlin.comment(self._mode(family, position))}."
        is_open = any(each.parent == choice.mode for each in family.choices)
        for part in parts:
            type_ = self.types.claim(f"{choice.type}Part")
            declaration = f"internal abstract class {type_}({self._parameter()}) : {above}({self.values.owner})"
            yield Class(f"A part of [{choice.type}].", declaration, part)
            above = type_
        declaration = f"internal {'open ' if is_open else ''}class {choice.type}({self._parameter()})"
        yield Class(documentation, f"{declaration} : {above}({self.values.owner})", last)

    def _parts(self, texts: Texts, properties: list[Property]) -> list[list[Property]]:
        """The properties in parts that a class can hold; one empty part when there are none."""
        parts: list[list[Property]] = [[]]
        room = MOST_PROPERTIES
        for place, each in zip(texts, properties, strict=True):
            room -= weight(self.sheet.kinds[place])
            if room < 0:
                parts.append([])
                room = MOST_PROPERTIES - weight(self.sheet.kinds[place])
            parts[-1].append(each)
        return parts

    def _constructor(self, family: Family) -> str:
        return f"internal constructor({'' if family.is_constant else self._parameter()})"

    def _parameter(self) -> str:
        return f"private val {self.values.owner}: {self.set}"

    def _constant(self, place: int, text: str) -> Property:
        if place in self.values.referring or not _LITERAL.match(text):
            return self._getter(place, text, "public val")  # an initialiser would read what may not be there yet
        return self._property(place, "public val", f" = {text}")

    def _getter(self, place: int, text: str, modifiers: str) -> Property:
        return self._property(place, modifiers, f"\n        get() = {text}" if "\n" in text else f" get() = {text}")

    def _property(self, place: int, modifiers: str, rest: str) -> Property:
        token = self.sheet.tokens[place]
        kind = self.sheet.kinds[place]
        documentation, advice = "", ""
        if modifiers != _OVERRIDING:
            documentation = kotlin.comment(token.description) if self.descriptions else ""
            advice = _advice(token.deprecated)
        type_ = _TYPES[kind][0] if kind else ""
        name = kotlin_name(self.sheet.names[place])
        column = len(f"    {modifiers} {name}: {type_}")
        return (
            documentation,
            advice,
            modifiers,
            name,
            type_,
            rest if column + len(rest) <= WIDTH else _lines(rest, column),
        )

    def _mode(self, family: Family, position: int) -> str:
        collection = family.collection
        mode = collection.modes[family.choices[position].mode]
        of = next((each.name for each in collection.extensions if each.handle == mode.collection), "")
        return f"{of} / {mode.name}" if of else mode.name

    def _imports(self, family: Family, shown: dict[int, Texts]) -> list[str]:
        kinds = {self.sheet.kinds[place] or "" for place in shown[family.collection.default_mode]} - {""}
        names = {_TYPES[kind][1] for kind in kinds}
        names.add("androidx.compose.runtime.Immutable")
        for texts in shown.values():
            for place, text in texts.items():
                kind = self.sheet.kinds[place]
                if kind in ("dp", "sp", "duration"):
                    names.update(_EXTENSIONS[each] for each in _EXTENDED.findall(text))
                elif kind in composites_kotlin.IMPORTS:
                    names.update(_of_composite(text))
        for kind in kinds & composites_kotlin.TYPES.keys():
            names.update(_of_composite(_TYPES[kind][0]))
        return sorted(names - {""})


_LITERAL = re.compile(
    r'Color\(0x|FontWeight\(\d|(?:true|false)\Z|[-("\d]|(?:TextStyle|CubicBezierEasing|listOf|Token\w+)\(|TokenStrokeStyle\.'
)
_WORDS = re.compile(r'"(?:[^"\\]|\\.)*"|\w+')


def _lines(rest: str, column: int) -> str:
    """What follows a property's type, too long for its line."""
    before, text = rest.split("= ", 1)
    if before == " ":
        return f" = {broken(text, column + 3, 4, trailing=',')}"
    return f"\n        get() = {broken(text, 16, 8, trailing=',')}"


def _advice(deprecated: bool | str) -> str:
    """What is said instead of a deprecated token, as a Kotlin string; nothing of one that is not."""
    if deprecated is False:
        return ""
    advice = deprecated if isinstance(deprecated, str) and deprecated else "Deprecated in the design file."
    return kotlin.string(advice if len(advice) <= _LONGEST_ADVICE else f"{advice[: _LONGEST_ADVICE - 1]}…")


def _of_composite(text: str) -> Iterator[str]:
    """What an expression of a composite needs, by the words in it that are not of a string."""
    words = set(_WORDS.findall(text))
    known = (*(name for names in composites_kotlin.IMPORTS.values() for name in names), _TYPES["color"][1])
    return (name for name in known if name.rpartition(".")[2] in words)
