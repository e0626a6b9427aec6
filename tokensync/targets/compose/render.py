"""Kotlin for Jetpack Compose: a class a collection, an instance of it a mode, and an object that gives all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.generate.composites import TYPES
from tokensync.generate.edges import edges_of, not_always
from tokensync.generate.request import OutputFile, options_of
from tokensync.generate.sheet import Sheet
from tokensync.naming import rendered_bytes
from tokensync.targets.compose import literals as kotlin
from tokensync.targets.compose.classes import SUPPORTED, Classes
from tokensync.targets.compose.entry import entry_context, package
from tokensync.targets.compose.families import Types, families_of
from tokensync.targets.compose.naming import NAMING
from tokensync.targets.compose.options import ComposeOptions
from tokensync.targets.compose.values import Values

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tokensync.generate.request import OutputRequest
    from tokensync.generate.resolution import Resolution
    from tokensync.problems import Problem
    from tokensync.targets.compose.families import Family
    from tokensync.tokens import Resolved

_KINDS = {
    "color": "color",
    "length": "dp",
    "text-length": "sp",
    "number": "number",
    "percentage": "percentage",
    "weight": "weight",
    "string": "string",
    "family": "string",
    "boolean": "boolean",
    "duration": "duration",
    **{dtcg_type: dtcg_type for dtcg_type in TYPES},
}
_REFERENCES = dict.fromkeys(_KINDS.values(), ("", ""))


def render(resolution: Resolution, request: OutputRequest) -> tuple[Iterable[OutputFile], list[Problem]]:
    """A file a collection, and the one of the object through which the tokens are read."""
    options = options_of(request, ComposeOptions)
    sheet = Sheet(
        resolution,
        request,
        naming=NAMING,
        kinds=_KINDS,
        literals=kotlin.LITERALS,
        references=_REFERENCES,
        unrepresentable=kotlin.UNREPRESENTABLE,
    )
    _settle_weights(sheet)
    types = Types(sheet.names)
    families = families_of(sheet, options, types)
    values = Values(sheet, families, _free_name("tokens", sheet.names))
    classes = Classes(sheet, values, types, options)
    files = list(_collections(sheet, families, classes, options))
    if any(sheet.kinds[place] in SUPPORTED for place in sheet.declared):
        context = {"package": package(options), "visibility": options.visibility}
        content = rendered_bytes("compose/Types.kt.j2", request.templates, **context)
        files.append(OutputFile(f"{options.name}Types.kt", content))
    context = entry_context(sheet, families, options)
    files.append(OutputFile(f"{options.name}.kt", rendered_bytes("compose/Tokens.kt.j2", request.templates, **context)))
    values.report_limits()
    return files, sheet.problems


def _collections(
    sheet: Sheet, families: Iterable[Family], classes: Classes, options: ComposeOptions
) -> Iterator[OutputFile]:
    for family in families:
        made, imports = classes.of(family) if family.places else ([], [])
        context = {
            "package": package(options),
            "imports": imports,
            "visibility": options.visibility,
            "enumeration": family.enumeration,
            "documentation": f"The modes of the collection {kotlin.comment(family.collection.name)}.",
            "entries": [each.entry for each in family.choices],
            "classes": made,
        }
        content = rendered_bytes("compose/Collection.kt.j2", sheet.request.templates, **context)
        yield OutputFile(f"{family.type}.kt", content)


def _free_name(wanted: str, taken: Iterable[str]) -> str:
    """The wanted name, or that with underscores after it when a token is called so."""
    names = set(taken)
    while wanted in names:
        wanted += "_"
    return wanted


def _settle_weights(sheet: Sheet) -> None:
    """A font weight that in some combination of modes is not whole cannot be a FontWeight: it is a number."""
    weights = [place for place in sheet.declared if sheet.kinds[place] == "weight"]
    if weights:
        others = not_always(_has_weight, sheet.resolution, edges_of(sheet.resolution))
        for place in others.intersection(weights):
            sheet.kinds[place] = "number"


def _has_weight(value: Resolved | None) -> bool:
    """Whether it can be a FontWeight; what is no number has no say."""
    return kotlin.is_font_weight(value) if isinstance(value, float) else True
