"""Renaming: new contents of token files in which tokens or a mode have another name.

Tokens are renamed as a pull renames them: as edits of the files of a graph that has the new names. For a mode, only the
characters of names and references change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from posixpath import normpath
from typing import NamedTuple
from urllib.parse import unquote

import msgspec
from msgspec.structs import replace

from tokensync.dtcg.destinations import Destinations
from tokensync.dtcg.document import location_of
from tokensync.dtcg.families import home_column, mode_folder
from tokensync.dtcg.formatting import in_present_layout
from tokensync.dtcg.layout import Extent, JsonText
from tokensync.dtcg.preservation import Previous
from tokensync.dtcg.spelling import MODE_NAME, OURS, RESOLVER_SUFFIX, ROOT, TOKENS_SUFFIX, relative_url
from tokensync.dtcg.writing import write_edits
from tokensync.system.errors import DECODE_ERRORS
from tokensync.tokens import Collection, Token, TokenGraph, TokenKey


class RenamedFiles(NamedTuple):
    """New contents of files by path, in the order in which they must be written, and files to remove after that."""

    contents: dict[str, bytes]
    removed: tuple[str, ...] = ()


class NewMode(NamedTuple):
    """The new name, file name and context of a mode, and the former ones."""

    handle: str
    slug: str
    context: str
    name: str
    former_slug: str
    former_context: str
    former_name: str


def renamed_modes(family: Collection, column: int, name: str, slug: str) -> tuple[NewMode, ...]:
    """Return the new names of a mode of a root collection, and of the modes that extend it under the same name."""
    columns = [column]
    for index, mode in enumerate(family.modes):
        if mode.parent in columns and mode.slug == family.modes[column].slug:
            columns.append(index)
    modes = []
    for mode in (family.modes[index] for index in columns):
        context = slug if mode.collection == family.handle else f"{mode.collection}.{slug}"
        new_name = name if mode.name == family.modes[column].name else mode.name
        modes.append(NewMode(mode.collection, slug, context, new_name, mode.slug, mode.context, mode.name))
    return tuple(modes)


def with_renamed_modes(
    files: Mapping[str, bytes], file: str, family: Collection, modes: tuple[NewMode, ...]
) -> RenamedFiles:
    """Return the changed files of a design file after its modes were renamed.

    Files of the modes get new paths. They are removed last, and that of the root's mode at the very end, so that an
    interrupted renaming still finds the mode. ``files`` maps the paths of all token files to their contents.
    """
    moved: dict[str, str] = {}
    by_file = {(mode.handle, mode.former_slug): mode for mode in modes}
    for path in files:
        location = location_of(path, file)
        mode = by_file.get((location.handle, location.slug)) if location is not None else None
        if mode is not None and mode.slug != mode.former_slug:
            moved[path] = f"{path[: -len(f'{mode.former_slug}{TOKENS_SUFFIX}')]}{mode.slug}{TOKENS_SUFFIX}"
    handles = {mode.collection for mode in family.modes}
    contents: dict[str, bytes] = {}
    for path, text in files.items():
        location = location_of(path, file)
        if path == f"{file}{RESOLVER_SUFFIX}":
            new = _resolver(JsonText(text), family.handle, modes, moved)
        elif location is not None and location.handle in handles:
            new = _mode_file(JsonText(text), by_file.get((location.handle, location.slug)), modes)
        else:
            continue
        if new != text or path in moved:
            contents[moved.get(path, path)] = new
    # An interrupted renaming has already written some of the files.
    in_order = sorted(contents, key=lambda path: path in moved.values())
    removed = sorted(moved, key=lambda path: path.rpartition("/")[0] == f"{file}/{family.handle}")
    return RenamedFiles({path: contents[path] for path in in_order}, tuple(removed))


def _mode_file(json_text: JsonText, mode: NewMode | None, modes: tuple[NewMode, ...]) -> bytes:
    contexts = {mode.former_context: mode.context for mode in modes}
    if mode is not None:
        _replace_text(json_text, {mode.former_name: mode.name}, "$extensions", MODE_NAME)
        _replace_text(json_text, contexts, "$extensions", OURS, "mode", "context")
    _replace_text(json_text, contexts, "$extensions", OURS, "mode", "parent")
    _replace_text(json_text, contexts, "$extensions", OURS, "collection", "default")
    extensions = json_text.member("$extensions", OURS, "extensions")
    for name in (extensions.value.members or {}) if extensions is not None else ():
        _replace_text(json_text, contexts, "$extensions", OURS, "extensions", name, "default")
    return json_text.result()


def _replace_text(json_text: JsonText, new: Mapping[str, str], *names: str) -> None:
    """Replace the string at a path if it is one of these and differs from its replacement."""
    member = json_text.member(*names)
    if member is None or member.value.members is not None or member.value.elements is not None:
        return
    value = json_text.value(member.value)
    if isinstance(value, str) and new.get(value, value) != value:
        json_text.set_text(member.value, new[value])


def _resolver(json_text: JsonText, handle: str, modes: tuple[NewMode, ...], moved: Mapping[str, str]) -> bytes:
    contexts = {mode.former_context: mode.context for mode in modes}
    own = json_text.member("modifiers", handle, "contexts")
    members = (own.value.members or {}) if own is not None else {}
    for name, member in members.items():
        if contexts.get(name, name) != name and contexts[name] not in members:
            json_text.rename(member, contexts[name])
    _replace_text(json_text, contexts, "modifiers", handle, "default")
    for extent in _references(json_text.root):
        reference = json_text.value(extent)
        if isinstance(reference, str):
            path = normpath(unquote(reference.partition("#")[0]))
            if path in moved:
                json_text.set_text(extent, relative_url(moved[path]))
    return json_text.result()


def _references(extent: Extent) -> Iterator[Extent]:
    """Yield the value of each ``$ref``."""
    pending = [extent]
    while pending:
        each = pending.pop()
        for name, member in (each.members or {}).items():
            if name == "$ref":
                yield member.value
            pending.append(member.value)
        pending += each.elements or ()


class NewPath(NamedTuple):
    """The new path of a token or group of a collection. Steps are names in token files, and may end with ``$root``.

    ``others`` are the paths of tokens in the group that keep them, since they are copies of deleted variables.
    """

    file: str
    handle: str
    former: tuple[str, ...]
    path: tuple[str, ...]
    is_group: bool
    others: frozenset[str] = frozenset()

    def of(self, key: TokenKey) -> TokenKey:
        """Return the new key of a token."""
        former, path = _token_path(self.former), _token_path(self.path)
        if key[:2] != (self.file, self.handle) or key.path in self.others:
            return key
        if self.is_group and key.path.startswith(f"{former}."):
            return key._replace(path=path + key.path[len(former) :])
        return key._replace(path=path) if key.path == former else key


@cache
def _token_path(steps: tuple[str, ...]) -> str:
    return ".".join(step for step in steps if step != ROOT)


def with_renamed_tokens(
    files: Mapping[str, bytes], graph: TokenGraph, file: str, new_keys: Mapping[TokenKey, TokenKey]
) -> RenamedFiles:
    """Return the changed token files of a design file after tokens were renamed, with all references to them.

    ``files`` maps the paths of all token files to their contents, and ``new_keys`` the keys of renamed tokens to their
    new ones. Two tokens with one new key become one: a token that is renamed in one file only is two. Files that define
    the tokens come last, and those of default modes at the very end, so that an interrupted renaming can be repeated.
    """
    tokens: dict[TokenKey, Token] = {}
    keys: dict[TokenKey, TokenKey] = {}
    joined: dict[TokenKey, TokenKey] = {}
    for token in graph.tokens.values():
        key = new_keys.get(token.key, token.key)
        renamed = token if key == token.key else replace(token, key=key)
        if key in tokens:
            home = home_column(graph.collections[key[:2]])
            main, other = (tokens[key], renamed) if tokens[key].values[home] is not None else (renamed, tokens[key])
            pairs = zip(main.values, other.values, strict=True)
            renamed = replace(main, values=tuple(own if own is not None else rest for own, rest in pairs))
            joined[token.key] = key
        else:
            keys[key] = token.key
        tokens[key] = renamed
    collections = [*graph.collections.values()]
    destinations = Destinations(file, graph, TokenGraph(collections, tokens.values()), keys, joined)
    referring: set[TokenKey] = set()
    for key, token in tokens.items():
        values = tuple(map(destinations.with_new_keys, token.values))
        if values != token.values:
            tokens[key] = replace(token, values=values)
            referring.add(key)
    previous = Previous(graph, files, lambda: keys, joined)
    written = write_edits(TokenGraph(collections, tokens.values()), file, previous, only=referring)
    contents: dict[str, bytes] = {}
    for path, canonical_content in written.files:
        if location_of(path, file) is not None:
            content = in_present_layout(files[path], canonical_content, path, written.former.get(path, {}))
            if content != files[path]:
                contents[path] = content
    modes = [family.modes[home_column(family)] for family in collections]
    homes = {(mode.collection, mode.slug) for mode in modes}

    def rank(path: str) -> tuple[bool, bool]:
        location = location_of(path, file)
        return path in written.former, location is not None and (location.handle, location.slug) in homes

    return RenamedFiles({path: contents[path] for path in sorted(contents, key=rank)})


def defining_files(files: Mapping[str, bytes], family: Collection, *addresses: Sequence[str]) -> tuple[set[str], ...]:
    """Return the paths of a local collection's files that have something at each of these addresses."""
    found = tuple(set[str]() for _ in addresses)
    for column, mode in enumerate(family.modes):
        path = f"{family.file}/{mode_folder(family, column)}/{mode.slug}{TOKENS_SUFFIX}"
        for steps, paths in zip(addresses, found, strict=True):
            if path in files and _has(files[path], (family.handle, *steps)):
                paths.add(path)
    return found


def _has(text: bytes, steps: Iterable[str]) -> bool:
    """Return whether a JSON text has something at an address. Only the objects on the way are decoded."""
    node: bytes | msgspec.Raw = text
    try:
        for step in steps:
            node = msgspec.json.decode(node, type=dict[str, msgspec.Raw])[step]
    except (KeyError, *DECODE_ERRORS):
        return False
    return True
