"""Renaming: new contents of token files in which a token, a group or a mode has another name.

Only the characters of names and references change, so that layout, order, ids and unknown members stay. A token that
gets into another group is moved there, and ``after`` in our extension keeps the order of all tokens. A renaming that
was interrupted can be repeated: what already has the new name stays unchanged.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from functools import cache
from posixpath import normpath
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from urllib.parse import unquote

import msgspec

from tokensync.dtcg.document import document, location_of
from tokensync.dtcg.extensions import own_members
from tokensync.dtcg.families import home_column, mode_folder, token_folder
from tokensync.dtcg.json_text import Extent, JsonText, Member
from tokensync.dtcg.layout import hints, ordered, token_file
from tokensync.dtcg.parse import ProblemCollector, parsed
from tokensync.dtcg.spelling import (
    FOLDERS,
    MODE_NAME,
    OURS,
    RESOLVER_SUFFIX,
    ROOT,
    TOKENS_SUFFIX,
    is_reference,
    path_of_pointer,
    pointer_of,
    relative_url,
)
from tokensync.system.errors import DECODE_ERRORS
from tokensync.tokens import TokenKey
from tokensync.tokens.composites import canonical

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tokensync.tokens import Collection, TokenGraph


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
    by_file = {(each.handle, each.former_slug): each for each in modes}
    for path in files:
        location = location_of(path, file)
        mode = by_file.get((location.handle, location.slug)) if location is not None else None
        if mode is not None and mode.slug != mode.former_slug:
            moved[path] = f"{path[: -len(f'{mode.former_slug}{TOKENS_SUFFIX}')]}{mode.slug}{TOKENS_SUFFIX}"
    handles = {each.collection for each in family.modes}
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
    contexts = {each.former_context: each.context for each in modes}
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
    contexts = {each.former_context: each.context for each in modes}
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


@cache
def _token_path(steps: tuple[str, ...]) -> str:
    return ".".join(each for each in steps if each != ROOT)


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

    def steps(self, steps: Sequence[str]) -> tuple[str, ...] | None:
        """Return the new address of something with this address; None if it does not change."""
        former = (self.handle, *self.former)
        if tuple(steps[: len(former)]) != former:
            return None
        rest = tuple(steps[len(former) :])
        if not self.is_group and rest and rest[0] != "$value":
            return None
        if self.others and ".".join(each for each in steps[1:] if each not in (ROOT, "$value")) in self.others:
            return None
        return (self.handle, *self.path, *rest)

    def stored(self, address: str) -> str:
        """Return the new form of an address in our extension, which never names a ``$root``."""
        collection, _, path = address.partition(".")
        return ".".join(self.of(TokenKey(self.file, collection, path))[1:])

    def path_of(self, path: str) -> str:
        """Return the new path of a token of the collection."""
        return self.of(TokenKey(self.file, self.handle, path)).path


def with_renamed_path(files: Mapping[str, bytes], graph: TokenGraph, new: NewPath) -> RenamedFiles:
    """Return the changed token files of a design file after a token or group was renamed.

    Files that define it come last, and that of the default mode at the very end, so that an interrupted renaming still
    finds it. ``files`` maps the paths of all token files to their contents.
    """
    family = graph.collections[new.file, new.handle]
    folders = [{mode_folder(family, column)} for column in range(len(family.modes))]
    for key, token in graph.tokens.items():
        if new.of(key) != key:
            for column, own in enumerate(folders):
                own.add(token_folder(token, family, column))
    columns = zip(family.modes, folders, strict=True)
    paths = [{f"{new.file}/{each}/{mode.slug}{TOKENS_SUFFIX}" for each in own} for mode, own in columns]
    home = paths[home_column(family)]
    defining = set[str]().union(*paths)
    former_order = _hints_of(files, family).in_order()
    contents: dict[str, bytes] = {}
    is_moved = new.former[:-1] != new.path[:-1]
    for path, text in files.items():
        location = location_of(path, new.file)
        if location is None:
            continue
        is_own = location.handle == new.handle
        after = _with_new_references(text, new, is_own=is_own, is_defining=path in defining and not is_moved)
        if path in defining and is_moved:
            after = _with_new_path(after, new, former_order)
        if after != text:
            contents[path] = after
    if is_moved:
        contents |= _with_order(files, contents, family, [new.of(key) for key in former_order])
    return RenamedFiles(dict(sorted(contents.items(), key=lambda each: (each[0] in defining, each[0] in home))))


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


def _with_new_path(text: bytes, new: NewPath, former_order: Iterable[TokenKey]) -> bytes:
    """Return a token file in which something was moved to another group.

    ``former_order`` has the collection's tokens in their order, before the move.
    """
    json_text = JsonText(text)
    member = json_text.member(new.handle, *new.former)
    if member is None:
        return text
    value = json_text.dedented(member)
    depth = len(new.former) - 1  # of the outermost thing that holds nothing else: it is removed, too
    while depth and len(_members(json_text.member(new.handle, *new.former[:depth]))) == 1:
        depth -= 1
    is_free = json_text.member(new.handle, *new.path[: depth + 1]) is None
    if is_free and len(new.path) == len(new.former) and new.path[:depth] == new.former[:depth]:
        for at in range(depth, len(new.path)):
            if (each := json_text.member(new.handle, *new.former[: at + 1])) is not None:
                json_text.rename(each, new.path[at])
        return json_text.result()
    in_order = [new.of(key).path for key in former_order if key.collection == new.handle and _is_in(json_text, key)]
    parent = json_text.member(new.handle, *new.former[:depth])
    if parent is not None and len(_members(parent)) > 1:
        json_text.remove(parent.value, new.former[depth])
    elif parent is not None:
        json_text.replace(parent.value.start, parent.value.end, b"{}")
    json_text = JsonText(json_text.result())
    present = 0
    while json_text.member(new.handle, *new.path[: present + 1]) is not None:
        present += 1
    container = json_text.member(new.handle, *new.path[:present])
    if container is not None:
        before = _next_member(container.value, new, present, in_order)
        value = json_text.nested(new.path[present + 1 :], value)
        json_text.insert(container, new.path[present], value, before)
    return json_text.result()


def _members(member: Member | None) -> dict[str, Member]:
    return {} if member is None else member.value.members or {}


def _is_in(json_text: JsonText, key: TokenKey) -> bool:
    """Return whether a file has something for a token: a group of its name is not enough.

    A value that DTCG cannot express is in our extension, and such a token may also have the members of a group.
    """
    steps = (key.collection, *key.path.split("."))
    member = json_text.member(*steps)
    names = _members(member)
    is_token = ROOT in names or all(each[:1] == "$" for each in names)
    return member is not None and (is_token or json_text.member(*steps, "$extensions", OURS) is not None)


def _next_member(container: Extent, new: NewPath, depth: int, in_order: Iterable[str]) -> str | None:
    """Return the member before which a new one belongs: the first one whose tokens all come later.

    ``in_order`` has the new paths of the file's tokens.
    """
    members = container.members or {}
    if new.path[depth] == ROOT:
        return next((name for name in members if name[:1] != "$"), None)
    prefix = ".".join(new.path[:depth])
    own = _token_path(new.path)
    first: dict[str, int] = {}
    rank = None
    for number, path in enumerate(in_order):
        if rank is None and (path == own or path.startswith(f"{own}.")):
            rank = number
        elif not prefix or path.startswith(f"{prefix}."):
            first.setdefault(path[len(prefix) + 1 if prefix else 0 :].partition(".")[0], number)
    return next((name for name in members if rank is not None and first.get(name, -1) > rank), None)


def _with_new_references(text: bytes, new: NewPath, *, is_own: bool, is_defining: bool) -> bytes:
    """Return a token file in which references, and stored addresses, have the new path.

    ``is_own`` tells that the file is of the collection of the path, so that the hints in its head name its tokens.
    With ``is_defining``, what the file has at the path itself gets its new name, too.
    """
    name = next(each for each in reversed(new.former) if each != ROOT)
    sought = name.encode()
    is_written_so = not any(each in text for each in (b"\\", b"%", b"~"))  # neither escaped nor encoded
    step = rb"(?<=[\"{./])%b(?=[\"}./])" % re.escape(sought)
    offsets = [each.start() for each in re.finditer(step, text)] if is_written_so else [0]
    if not offsets:
        return text
    json_text = JsonText(text)
    own = json_text.member(new.handle, *new.former) if is_defining else None
    if own is not None:
        json_text.rename(own, new.path[-1])
    pending: list[tuple[Extent, _Place]] = [(json_text.root, "elsewhere")]
    while pending:
        extent, place = pending.pop()
        if is_written_so and bisect_left(offsets, extent.start) == bisect_left(offsets, extent.end):
            continue
        for name, member in (extent.members or {}).items():
            inner = _place_within(place, name)
            if inner == "address" and place != "ours" and "file" in (extent.members or {}) and name == "alias":
                continue  # of a token in another file
            renamed = name
            if place == "targets":
                renamed = _new_reference(name, new)
            elif place == "address":  # a hint in the head of the file
                inner = "path" if is_own else "extensions"
                renamed = new.path_of(name) if is_own else name
            if renamed != name:
                json_text.rename(member, renamed)
            pending.append((member.value, inner))
        pending += [(each, place) for each in extent.elements or ()]
        if (
            extent.members is None
            and extent.elements is None
            and json_text.text[extent.start : extent.start + 1] == b'"'
        ):
            written = json_text.value(extent)
            renamed = _new_text(written, place, new)
            if renamed != written:
                json_text.set_text(extent, renamed)
    return json_text.result()


_Place = Literal["elsewhere", "reference", "extensions", "ours", "stored", "targets", "address", "path", "composite"]
"""What the strings at a place of a token file may be."""


def _place_within(place: _Place, name: str) -> _Place:
    """Return what the strings in a member are."""
    match place, name:
        case "elsewhere", "$value" | "$ref" | "$extends":
            return "reference"
        case "elsewhere", "$extensions":
            return "extensions"
        case "extensions", _ if name == OURS:
            return "ours"
        case "ours", "value":
            return "stored"
        case "ours", "after":
            return "address"
        case "stored" | "targets", "alias":
            return "address"
        case "stored", "composite":
            return "composite"
        case "stored", "references":
            return "targets"
        case (("reference" | "stored" | "targets"), _):
            return place
    return "elsewhere" if (place == "elsewhere" and name[:1] != "$") or name == ROOT else "extensions"


def _new_text(text: str, place: _Place, new: NewPath) -> str:
    match place:
        case "reference":
            return _new_reference(text, new)
        case "address":
            return new.stored(text)
        case "path":
            return new.path_of(text)
        case "composite":
            try:
                value = json.loads(text)
                renamed = _with_references(value, new)
                return text if [renamed] == [value] else canonical(renamed)  # NaN equals itself in a list
            except (ValueError, RecursionError):
                return text
    return text


def _with_references(value: Any, new: NewPath) -> Any:
    if isinstance(value, dict):
        return {name: _with_references(each, new) for name, each in value.items()}
    if isinstance(value, list):
        return [_with_references(each, new) for each in value]
    return _new_reference(value, new) if isinstance(value, str) else value


def _new_reference(text: str, new: NewPath) -> str:
    """Return a reference in braces, or a JSON pointer, with the new path; other texts stay."""
    if is_reference(text):
        steps = new.steps(text[1:-1].split("."))
        return text if steps is None else f"{{{'.'.join(steps)}}}"
    if text.startswith("#/"):
        steps = new.steps(path_of_pointer(text) or ())
        if steps is not None:
            return pointer_of(steps)
    return text


class _Hints(NamedTuple):
    """The tokens of a collection in the order of its files, and the hints that change it, by path.

    ``in_tokens`` are the tokens with a hint of their own, as earlier versions wrote it. ``home`` is the path of the
    file with the other hints: the first one that has any; empty if none has.
    """

    keys: list[TokenKey]
    previous: dict[TokenKey, TokenKey | None]
    in_tokens: list[TokenKey]
    home: str = ""

    def in_order(self) -> list[TokenKey]:
        """Return the tokens in the order that the hints define."""
        rows = {key: row for row, key in enumerate(self.keys)}
        known = {
            rows[key]: None if each is None else rows[each]
            for key, each in self.previous.items()
            if key in rows and (each is None or each in rows)
        }
        return [self.keys[row] for row in ordered(len(self.keys), known)]


def _home_paths(family: Collection) -> Iterator[str]:
    slug = family.modes[home_column(family)].slug
    yield from (f"{family.file}/{folder}{family.handle}/{slug}{TOKENS_SUFFIX}" for folder in FOLDERS.values())


def _hints_of(files: Mapping[str, bytes], family: Collection) -> _Hints:
    """Return the tokens of the default mode's files, also those with problems, and the hints of these files."""
    found = _Hints([], {}, [])
    for path in _home_paths(family):
        location = location_of(path, family.file)
        if path not in files or location is None:
            continue
        tree = parsed(files[path])[0]
        if not found.home and (after := _after_of(tree)):
            found = found._replace(home=path)
            for name, previous in after.items():
                key = TokenKey(family.file, family.handle, name)
                found.previous[key] = None if previous is None else key._replace(path=previous)
        own = document(location, tree, files[path], ProblemCollector(files))
        for token, node in zip(own.paths, own.nodes, strict=True) if own is not None else ():
            key = TokenKey(family.file, family.handle, token)
            found.keys.append(key)
            hint = own_members(node).get("after", "")
            if hint is None or hint:
                found.in_tokens.append(key)
                handle, _, previous_path = str(hint or "").partition(".")
                found.previous.setdefault(key, key._replace(path=previous_path) if handle == family.handle else None)
    return found._replace(keys=list(dict.fromkeys(found.keys)))


def _after_of(tree: Any) -> dict[str, str | None]:
    after = own_members(tree).get("after") if isinstance(tree, dict) else None
    valid = after.items() if isinstance(after, dict) else ()
    return {name: each for name, each in valid if each is None or isinstance(each, str)}


def _with_order(
    files: Mapping[str, bytes], changed: Mapping[str, bytes], family: Collection, in_order: Sequence[TokenKey]
) -> dict[str, bytes]:
    """Return the files whose hints have to change so that the tokens of a collection are in this order."""
    before, now = _hints_of(files, family), _hints_of({**files, **changed}, family)
    is_canonical = hints(before.keys, before.in_order()) == before.previous
    if set(now.keys) != set(in_order) or (not is_canonical and now.in_order() == in_order):
        return {}
    wanted = hints(now.keys, in_order)
    if wanted == now.previous:
        return {}
    texts = {path: changed.get(path, files.get(path)) for path in _home_paths(family)}
    present = {path: text for path, text in texts.items() if text is not None}
    for key in now.in_tokens:
        present = {path: _without_hint(text, key) for path, text in present.items()}
    column = home_column(family)
    usual = f"{family.file}/{mode_folder(family, column)}/{family.modes[column].slug}{TOKENS_SUFFIX}"
    home = now.home or (usual if usual in present else next(iter(present)))
    after = {key.path: None if each is None else each.path for key, each in wanted.items()}
    present[home] = _with_after(present[home], after)
    return {path: text for path, text in present.items() if text != texts[path]}


def _without_hint(text: bytes, key: TokenKey) -> bytes:
    """Return a token file without the ``after`` of a token, which earlier versions wrote."""
    json_text = JsonText(text)
    steps: tuple[str, ...] = (key.collection, *key.path.split("."))
    if json_text.member(*steps, ROOT) is not None:
        steps = (*steps, ROOT)
    return _without_member(text, (*steps, "$extensions", OURS, "after"))


def _without_member(text: bytes, steps: Sequence[str]) -> bytes:
    """Return a text without a member, and without the objects around it that hold nothing else."""
    json_text = JsonText(text)
    if json_text.member(*steps) is None:
        return text
    while len(steps) > 1:
        container = json_text.member(*steps[:-1])
        if container is not None and len(_members(container)) > 1:
            json_text.remove(container.value, steps[-1])
            return json_text.result()
        steps = steps[:-1]
    json_text.remove(json_text.root, steps[0])
    return json_text.result()


def _with_after(text: bytes, after: Mapping[str, str | None]) -> bytes:
    """Return the default mode's file with these hints in its head; a file in canonical layout stays in it."""
    steps = ("$extensions", OURS, "after")
    tree = json.loads(text)
    is_canonical = token_file(tree) == text
    if not after:
        text = _without_member(text, steps)
    else:
        json_text = JsonText(text)
        value = json.dumps(after, ensure_ascii=False, indent=2 if json_text.unit else None).encode()
        value = value.replace(b"\n", json_text.newline).replace(b"  ", json_text.unit or b"  ")
        depth = next(number for number in (3, 2, 1, 0) if not number or json_text.member(*steps[:number]) is not None)
        member = json_text.member(*steps[:depth])
        if depth == len(steps) and member is not None:
            json_text.replace(member.value.start, member.value.end, value)
        else:
            container = member or Member(0, 0, json_text.root)
            names = (each for each in _members(container) if each[:1] != "$") if not depth else iter(())
            json_text.insert(container, steps[depth], json_text.nested(steps[depth + 1 :], value), next(names, None))
        text = json_text.result()
    return token_file(json.loads(text)) if is_canonical else text
