"""Extensions have exactly the modes of what they extend, called the same (platform-api.md 4.3 rule 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from tokensync.mapping import unique
from tokensync.tokens import Mode, TokenGraph
from tokensync.tokens.algorithms import closure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tokensync.tokens import Collection, Extension
    from tokensync.tokens.collection import FamilyKey


def followed(graph: TokenGraph, theirs: TokenGraph) -> TokenGraph:
    """The graph with the modes of this file's extensions as the platform will have them: made, called and gone alike.

    So token files need not say them, and the file of an extension's mode may be removed to remove its overrides. What
    is odd in ``theirs`` (a mode that an extension lacks) stays as it is. New modes stand at the end of a family.
    """
    known = {family.id: family for family in theirs.collections.values() if family.id}
    changed: dict[FamilyKey, Collection] = {}
    for key, family in graph.collections.items():
        if family.extensions and family.origin == "local":
            now = _followed(family, known.get(family.id))
            if now != family:
                changed[key] = now
    if not changed:
        return graph
    wider = {key: len(now.modes) - len(graph.collections[key].modes) for key, now in changed.items()}
    return TokenGraph(
        (changed.get(key, family) for key, family in graph.collections.items()),
        (
            replace(token, values=token.values + (None,) * more) if (more := wider.get(key[:2], 0)) else token
            for key, token in graph.tokens.items()
        ),
    )


def _followed(family: Collection, was: Collection | None) -> Collection:
    modes = list(family.modes)
    lacking = _lacking(was)
    ids = {} if was is None else {(each.collection, _parent_id(was, each)): each.id for each in was.modes}
    contexts = {mode.context for mode in modes}
    for extension in _parents_first(family):
        if extension.origin != "local":
            continue
        slugs = {mode.slug for mode in modes if mode.collection == extension.handle}
        has = {mode.parent for mode in modes if mode.collection == extension.handle}
        handle_there = _handle_there(extension, was)
        for column, above in enumerate(family.modes if extension.parent == family.handle else tuple(modes)):
            if above.collection != extension.parent or column in has or (extension.id, above.id) in lacking:
                continue
            slug = unique(above.slug, slugs)
            modes.append(
                Mode(
                    name=above.name,
                    collection=extension.handle,
                    slug=slug,
                    context=unique(f"{extension.handle}.{slug}", contexts),
                    id=ids.get((handle_there, above.id), "") if above.id else "",
                    parent=column,
                )
            )
    for column, mode in enumerate(modes):
        if mode.parent is not None and mode.name != modes[mode.parent].name and mode.collection in _own(family):
            modes[column] = replace(mode, name=modes[mode.parent].name)
    extensions = tuple(_with_default(each, family, modes, was) for each in family.extensions)
    return replace(family, modes=tuple(modes), extensions=extensions)


def _parents_first(family: Collection) -> list[Extension]:
    """Return the extensions that the root has, directly or through others, the nearest ones first."""
    extending: dict[str, list[str]] = {}
    for each in family.extensions:
        extending.setdefault(each.parent, []).append(each.handle)
    depth = {family.handle: 0}
    for handle, parent in closure(depth, lambda each: extending.get(each, ())).items():
        depth.setdefault(handle, depth[parent] + 1)
    return sorted((each for each in family.extensions if each.handle in depth), key=lambda each: depth[each.handle])


def _own(family: Collection) -> set[str]:
    return {each.handle for each in family.extensions if each.origin == "local"}


def _lacking(was: Collection | None) -> set[tuple[str, str]]:
    """(id of an extension, id of a mode above it) where the platform has no mode that follows it: an oddity."""
    if was is None:
        return set()
    has = {(mode.collection, mode.parent) for mode in was.modes}
    return {
        (extension.id, above.id)
        for extension in was.extensions
        for column, above in enumerate(was.modes)
        if above.collection == extension.parent and (extension.handle, column) not in has
    }


def _handle_there(extension: Extension, was: Collection | None) -> str:
    """The handle that the platform's graph gives an extension."""
    found = () if was is None or not extension.id else was.extensions
    return next((each.handle for each in found if each.id == extension.id), "")


def _parent_id(family: Collection, mode: Mode) -> str:
    return "" if mode.parent is None else family.modes[mode.parent].id


def _with_default(extension: Extension, family: Collection, modes: list[Mode], was: Collection | None) -> Extension:
    """The extension with the default mode that follows its parent's, unless it has the platform's own already."""
    if extension.origin != "local":
        return extension
    there = _defaults_there(was)
    if (
        extension.id
        and modes[extension.default_mode].id
        and there.get(extension.id) == modes[extension.default_mode].id
    ):
        return extension
    line = {family.default_mode}
    for column, mode in enumerate(modes):
        if mode.parent in line:
            line.add(column)
    default = next((each for each in sorted(line) if modes[each].collection == extension.handle), None)
    return extension if default is None else replace(extension, default_mode=default)


def _defaults_there(was: Collection | None) -> Mapping[str, str]:
    if was is None:
        return {}
    return {each.id: was.modes[each.default_mode].id for each in was.extensions if each.id}
