"""The classes of a collection: one with the values of its default mode, and one per mode with the differences."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tokensync.generate.notation import WIDTH, broken
from tokensync.targets.compose import literals as kotlin
from tokensync.targets.compose.families import in_parts
from tokensync.targets.compose.rows import Class, Property

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tokensync.generate.output import Output
    from tokensync.targets.compose import ComposeOptions
    from tokensync.targets.compose.expressions import Expressions, Texts
    from tokensync.targets.compose.families import Choice, Family, TypeNames
    from tokensync.tokens.resolver import TokenIndex

_MAX_ADVICE = 1_000  # characters
_LITERAL = re.compile(
    r'Color\(0x|FontWeight\(\d|(?:true|false)\Z|[-("\d]|(?:TextStyle|CubicBezierEasing|listOf|Token\w+)\(|TokenStrokeStyle\.'
)


class Classes:
    """The classes of collection families, and the imports of each family's file."""

    def __init__(self, output: Output, expressions: Expressions, types: TypeNames, options: ComposeOptions) -> None:
        self.output = output
        self.expressions = expressions
        self.types = types
        self.visibility = options.visibility
        self.descriptions = options.descriptions
        self._owner = expressions.owner
        self._parameter = f"private val {expressions.owner}: {options.name}Values"

    def of(self, family: Family) -> tuple[list[Class], list[str]]:
        """Return the family's classes, and the names that their file imports, sorted."""
        default = self.expressions.in_default(family)
        of_modes: dict[int | None, Texts] = {}  # without the default mode
        for choice in family.choices[1:]:
            of_modes[choice.mode] = self.expressions.in_mode(family, choice.mode)
        classes = list(self._of_default(family, default))
        for choice in family.choices[1:]:
            texts, inherited = of_modes[choice.mode], of_modes.get(choice.parent, {})
            differing: Texts = {}
            for index, default_text in default.items():
                if index in texts or index in inherited:
                    text = texts.get(index, default_text)
                    if text != inherited.get(index, default_text):
                        differing[index] = text
            classes += self._of_choice(family, choice, differing)
        return classes, self._imports(default, of_modes.values())

    def _of_default(self, family: Family, default: Texts) -> Iterator[Class]:
        parameter = "" if family.is_constant else self._parameter
        constructor = f"internal constructor({parameter})"
        mode_label = f", in the mode {self._label(family, family.choices[0])}" if family.choices else ""
        modifier = "open " if family.choices else ""
        parts = in_parts(default, self.output.kinds)
        superclass = ""
        for part in parts[:-1]:
            type_ = self.types.claim(f"{family.type}Part")
            declaration = f"{self.visibility} abstract class {type_} {constructor}{superclass}"
            properties = self._properties(part, default, f"public {modifier}val", constant=family.is_constant)
            yield Class(f"A part of [{family.type}].", declaration, properties)
            superclass = f" : {type_}({'' if family.is_constant else self._owner})"
        kind = f"object {family.type}" if family.is_constant else f"{modifier}class {family.type} {constructor}"
        documentation = f"The tokens of the collection {kotlin.comment(family.collection.name)}{mode_label}."
        properties = self._properties(parts[-1], default, f"public {modifier}val", constant=family.is_constant)
        yield Class(documentation, f"{self.visibility} {kind}{superclass}", properties)

    def _of_choice(self, family: Family, choice: Choice, differing: Texts) -> Iterator[Class]:
        parent = next(each for each in family.choices if each.mode == choice.parent)
        superclass = parent.type or family.type
        parts = in_parts(differing, self.output.kinds)
        for part in parts[:-1]:
            type_ = self.types.claim(f"{choice.type}Part")
            declaration = f"internal abstract class {type_}({self._parameter}) : {superclass}({self._owner})"
            yield Class(f"A part of [{choice.type}].", declaration, self._overriding(part, differing))
            superclass = type_
        is_open = any(each.parent == choice.mode for each in family.choices)
        declaration = f"internal {'open ' if is_open else ''}class {choice.type}({self._parameter})"
        documentation = f"[{family.type}] in the mode {self._label(family, choice)}."
        yield Class(
            documentation, f"{declaration} : {superclass}({self._owner})", self._overriding(parts[-1], differing)
        )

    def _properties(
        self, indices: Iterable[TokenIndex], texts: Texts, modifiers: str, *, constant: bool
    ) -> list[Property]:
        """Return the properties of the default mode; in a constant family with initialisers, not getters."""
        properties = []
        for index in indices:
            token = self.output.tokens[index]
            documentation = kotlin.comment(token.description) if self.descriptions and token.description else ""
            advice = _deprecation(token.deprecated) if token.deprecated is not False else ""
            text = texts[index]
            # An initialiser with a reference could read a property that is not initialised yet.
            is_value = constant and index not in self.expressions.referring and _LITERAL.match(text)
            properties.append(
                self._property(index, documentation, advice, modifiers, text, "" if is_value else "get()")
            )
        return properties

    def _overriding(self, indices: Iterable[TokenIndex], texts: Texts) -> list[Property]:
        return [self._property(index, "", "", "override val", texts[index], "get()") for index in indices]

    def _property(
        self, index: TokenIndex, documentation: str, advice: str, modifiers: str, text: str, getter: str
    ) -> Property:
        name = self.expressions.names[index]
        type_ = kotlin.TYPES[self.output.kinds[index] or ""]
        before = f" {getter} = " if getter else " = "
        column = len(modifiers) + len(name) + len(type_) + len(before) + len("     : ")
        if "\n" in text:
            rest = f"\n        get() = {text}"
        elif column + len(text) <= WIDTH:
            rest = f"{before}{text}"
        elif getter:
            rest = f"\n        get() = {broken(text, 16, 8, trailing=',')}"
        else:
            rest = f" = {broken(text, column, 4, trailing=',')}"
        return Property(documentation, advice, modifiers, name, type_, rest)

    def _label(self, family: Family, choice: Choice) -> str:
        """Return a mode's name with that of its extension, as comment text."""
        mode = family.collection.modes[choice.mode]
        of = next((each.name for each in family.collection.extensions if each.handle == mode.collection), "")
        return kotlin.comment(f"{of} / {mode.name}" if of else mode.name)

    def _imports(self, default: Texts, of_modes: Iterable[Mapping[TokenIndex, str]]) -> list[str]:
        by_kind: dict[str, list[str]] = {}
        for texts in (default, *of_modes):
            for index, text in texts.items():
                by_kind.setdefault(self.output.kinds[index] or "", []).append(text)
        names = {"androidx.compose.runtime.Immutable"}
        for kind, expressions in by_kind.items():
            names |= kotlin.imports(kind, expressions)
        return sorted(names)


def _deprecation(deprecated: bool | str) -> str:
    advice = deprecated if isinstance(deprecated, str) and deprecated else "Deprecated in the design file."
    return kotlin.string(advice if len(advice) <= _MAX_ADVICE else f"{advice[: _MAX_ADVICE - 1]}…")
