"""The resolver document: which files make up which context (dtcg.md section 6); reading takes the orders from it.

A family of one mode is a set, one of several a modifier whose contexts are its modes. An extended mode's sources are
its parent's, then its own: the order of an array is the inheritance. Extensions are contexts of their root's modifier,
because brand and mode are one choice.
"""

from __future__ import annotations

from posixpath import normpath
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

from tokensync.formats.dtcg.references import path_of_pointer, relative_url
from tokensync.formats.dtcg.spelling import FOLDERS, RESOLVER_SCHEMA, TOKENS_SUFFIX, VERSION

if TYPE_CHECKING:
    from collections.abc import Collection as Container
    from collections.abc import Iterator, Sequence

    from tokensync.places import Pointer
    from tokensync.tokens import Collection


def resolver_document(families: Sequence[Collection], file: str, written: set[str]) -> dict[str, Any]:
    """The document for families whose files (paths below the file's folder, without suffix) are ``written``."""
    sets: dict[str, Any] = {}
    modifiers: dict[str, Any] = {}
    order: list[Any] = []
    for family in families:
        if len(family.modes) == 1:
            sets[family.handle] = {"sources": _sources(family, 0, file, written)}
            order.append({"$ref": f"#/sets/{_step(family.handle)}"})
        else:
            contexts = {
                mode.context: _sources(family, column, file, written) for column, mode in enumerate(family.modes)
            }
            modifiers[family.handle] = {"contexts": contexts, "default": family.modes[family.default_mode].context}
            order.append({"$ref": f"#/modifiers/{_step(family.handle)}"})
    document: dict[str, Any] = {"$schema": RESOLVER_SCHEMA, "name": file, "version": VERSION}
    if sets:
        document["sets"] = sets
    if modifiers:
        document["modifiers"] = modifiers
    document["resolutionOrder"] = order
    return document


def _sources(family: Collection, column: int, file: str, written: set[str]) -> list[dict[str, str]]:
    chain: list[int] = []
    index: int | None = column
    while index is not None:
        chain.append(index)
        index = family.modes[index].parent
    names = [
        f"{folder}{family.modes[each].collection}/{family.modes[each].slug}"
        for each in reversed(chain)
        for folder in FOLDERS.values()
    ]
    return [{"$ref": relative_url(f"{file}/{name}{TOKENS_SUFFIX}")} for name in names if name in written]


def _step(name: str) -> str:
    return relative_url(name.replace("~", "~0").replace("/", "~1"))


class Orders(NamedTuple):
    """What the resolver document says about order: families by handle, and the contexts of each."""

    families: tuple[str, ...] = ()
    contexts: dict[str, tuple[str, ...]] = {}  # noqa: RUF012 - never changed


def orders_of(document: Any) -> Orders | str:
    """The orders of a resolver document, or what is wrong with it."""
    match document:
        case {"version": str(version)} if version == VERSION:
            pass
        case dict():
            return f'"version" is to be "{VERSION}"'
        case _:
            return "an object is expected"
    order, modifiers = document.get("resolutionOrder"), document.get("modifiers", {})
    if not isinstance(order, list) or not isinstance(modifiers, dict):
        return '"resolutionOrder" is to be an array, "modifiers" an object'
    families = []
    for each in order:
        steps = path_of_pointer(each["$ref"]) if isinstance(each, dict) and isinstance(each.get("$ref"), str) else None
        if steps is not None and len(steps) == 2:
            families.append(steps[1])
    contexts = {}
    for name, modifier in modifiers.items():
        if not isinstance(modifier, dict) or not isinstance(modifier.get("contexts"), dict):
            return f'the modifier {name[:40]!r} has no "contexts"'
        contexts[name] = tuple(modifier["contexts"])
    return Orders(tuple(families), contexts)


class BadSource(NamedTuple):
    """A source of a resolver document that names no token file; ``pointer`` is the place of its ``$ref``."""

    pointer: Pointer
    code: str
    what: str
    what_to_do: str


def bad_sources(document: dict[str, Any], file: str, present: Container[str]) -> Iterator[BadSource]:
    """The sources that are not among ``present``, the paths of the file's token files: their tokens would be lost."""
    for pointer, reference in _references(document):
        path = unquote(reference.partition("#")[0])
        if not path or (normal := normpath(path)) in present:
            continue
        if ":" in reference.partition("/")[0] or not normal.startswith(f"{file}/"):
            what = f"the source {reference[:120]!r} is not in the folder {file}"
            yield BadSource(
                pointer, "resolver-structure", what, f"name a token file below {file}/, or remove the source"
            )
        else:
            what = f"the source {normal[:120]} is no token file that is there"
            to_do = "restore it from git; if it is meant to go, take its contexts or set out of this document, too"
            yield BadSource(pointer, "resolver-source-absent", what, to_do)


def _references(document: dict[str, Any]) -> Iterator[tuple[Pointer, str]]:
    """Every ``$ref`` of a set or a context, with its pointer."""
    lists: list[tuple[Pointer, Any]] = []
    for name, each in _members(document.get("sets")):
        lists.append((("sets", name, "sources"), each.get("sources") if isinstance(each, dict) else None))
    for name, each in _members(document.get("modifiers")):
        contexts = _members(each.get("contexts") if isinstance(each, dict) else None)
        lists += ((("modifiers", name, "contexts", context), sources) for context, sources in contexts)
    for pointer, sources in lists:
        for index, source in enumerate(sources if isinstance(sources, list) else ()):
            if isinstance(source, dict) and isinstance(source.get("$ref"), str):
                yield (*pointer, index, "$ref"), source["$ref"]


def _members(node: Any) -> Iterator[tuple[str, Any]]:
    yield from node.items() if isinstance(node, dict) else ()
