"""The enum of all tokens: a constant each, in collection order."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from tokensync.generate.composites import TYPES
from tokensync.generate.lines import broken
from tokensync.targets.ios import literals as swift
from tokensync.tokens import DEFAULT_THEME

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tokensync.generate.request import OutputFile
    from tokensync.generate.sheet import Sheet
    from tokensync.targets.ios.module import Module

Declaration = tuple[list[str], str, str, str, str]
"""(documentation comment, attribute, name, type, value)."""

_Section = tuple[str, str, str, "Iterator[Declaration]"]
"""(title, enum, indent, declarations) of a collection."""


def values_by_default(sheet: Sheet) -> dict[int, str]:
    """The written value of each constant; nothing yet for a colour.

    What is deprecated is not referred to: the file would have warnings of its own.
    """
    current = {place for place in sheet.declared if not sheet.tokens[place].deprecated}
    referable = current if len(current) < len(sheet.declared) else None
    rows = sheet.rows(sheet.declared, sheet.resolution.default, DEFAULT_THEME, referable)
    return {place: text for place, text, _ in rows}


def constants_file(module: Module, values: Mapping[int, str], *, has_catalog: bool) -> OutputFile:
    """The file of the enum, and of the bundle of the colours that it loads unless one is configured."""
    bundle = module.member("Bundle") if has_catalog and module.options.bundle is None else ""
    return module.file(module.options.name, "Tokens.swift.j2", sections=_sections(module, values), bundle=bundle)


def _sections(module: Module, values: Mapping[int, str]) -> Iterator[_Section]:
    sheet = module.sheet
    for key, places in groupby(values, key=lambda place: sheet.tokens[place].key[:2]):
        title = " ".join(swift.documentation(sheet.graph.collections[key].name))
        enum = module.enums.get(key, "")
        indent = "        " if enum else "    "
        own = f"{enum}." if enum else ""
        texts = ((place, values[place].removeprefix(own)) for place in places)
        yield title, enum, indent, _declarations(module, texts, len(indent))


def _declarations(module: Module, texts: Iterator[tuple[int, str]], indent: int) -> Iterator[Declaration]:
    """Composite values may take several lines; any other constant is one, however long its name."""
    for place, text in texts:
        signature = module.signature(place)
        if module.sheet.tokens[place].type not in TYPES:
            yield (*signature, text)
            continue
        _, _, name, type_ = signature
        column = indent + len(f"{module.access}static let {name}: {type_} = ")
        yield (*signature, broken(text, column, indent, trailing=""))
