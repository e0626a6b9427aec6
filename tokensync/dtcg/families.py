"""The file layout of collection families, and the resolver document.

A collection family is a root collection and its extensions. The resolver document lists the files of each context in
order (DTCG 2025.10 Resolver). A family with one mode is a set; a family with several is a modifier whose contexts are
its modes. Later sources override earlier ones, so an extended mode lists its parent's sources before its own.
Extensions are contexts of their root's modifier, because brand and mode are one choice.
"""

from __future__ import annotations

from posixpath import normpath
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

from tokensync.dtcg.document import Document, location_of
from tokensync.dtcg.extensions import own_members
from tokensync.dtcg.spelling import (
    FOLDERS,
    MODE_NAME,
    OURS,
    RESOLVER_SCHEMA,
    TOKENS_SUFFIX,
    VERSION,
    path_of_pointer,
    pointer_of,
    relative_url,
)
from tokensync.normalize.mapping import unique
from tokensync.tokens import Collection, Extension, Mode, Origin, Token, TokenGraph

Node = dict[str, Any]

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from collections.abc import Collection as Container

    from tokensync.dtcg.parse import ProblemCollector
    from tokensync.system.positions import Pointer


ModeKey = tuple[str, str]  # the handle and the slug of a mode's files


JoinedRow = tuple[str, "tuple[dict[str, Any] | None, ...]", "tuple[Document | None, ...]"]


class FamilyOfFiles(NamedTuple):
    """A collection and the files of each mode, in the order of ``FOLDERS``.

    ``home`` is the column whose files hold descriptions and ids. ``rows`` are the tokens if they are already joined:
    the path, and the JSON and the file in each mode. ``after`` maps the paths of tokens whose order differs from that
    of the files to the paths of their predecessors; None is the start of the collection.
    """

    collection: Collection
    files: tuple[tuple[Document, ...], ...]
    home: int
    rows: tuple[JoinedRow, ...] | None = None
    after: Mapping[str, Any] = {}


def families_of(
    documents: Iterable[Document], file: str, orders: Orders, collector: ProblemCollector
) -> list[FamilyOfFiles]:
    """Return the collection families of a design file, in the resolver document's order; others follow by name."""
    by_mode: dict[ModeKey, list[Document]] = {}
    for document in sorted(documents, key=lambda each: list(FOLDERS).index(each.location.origin)):
        by_mode.setdefault((document.location.handle, document.location.slug), []).append(document)
    handles = sorted({handle for handle, _ in by_mode})
    extended: set[str] = set()
    for (handle, _), files in by_mode.items():
        if handle not in extended:
            extended.update(
                name for file in files for name in as_object(own_members(file.tree).get("extensions")) if name != handle
            )
    roots = [handle for handle in handles if handle not in extended]
    ranks = {handle: rank for rank, handle in enumerate(orders.families)}
    roots.sort(key=lambda handle: ranks.get(handle, len(ranks)))
    return [_Builder(root, file, by_mode, orders, collector).build() for root in roots]


class _Builder(NamedTuple):
    handle: str
    file: str
    by_mode: Mapping[ModeKey, list[Document]]
    orders: Orders
    collector: ProblemCollector

    def build(self) -> FamilyOfFiles:
        own = [key for key in self.by_mode if key[0] == self.handle]
        home_key = self._first([key for key in own if self._about(key, "collection")] or own)
        about = self._about(home_key, "collection")
        extensions = {
            name: extension if isinstance(extension, dict) else {}
            for key in (home_key, *own)
            for name, extension in self._about(key, "extensions").items()
        }
        keys = [
            *sorted(own),
            *(key for name in extensions for key in sorted(self.by_mode) if key[0] == name != self.handle),
        ]
        ranks = {context: rank for rank, context in enumerate(self.orders.contexts.get(self.handle, ()))}
        keys.sort(key=lambda key: ranks.get(self._context(key), len(ranks)))
        modes = self._modes(keys)
        contexts = {mode.context: column for column, mode in enumerate(modes)}
        home = keys.index(home_key)
        self._check_copies(keys, modes)
        for document in (document for key in keys for document in self.by_mode[key]):
            if document.group is not None and document.group != self.handle:
                what = f"the root group is {document.group[:60]!r}, not {self.handle[:60]!r}"
                to_do = f"rename it to {self.handle[:60]!r}, the handle of the collection"
                self.collector.add(document.location.path, (document.group,), "tokens-root-group", what, to_do)
        files = self.by_mode[home_key]
        described = [file for file in files if as_object(own_members(file.tree).get("collection"))]
        collection = Collection(
            file=self.file,
            handle=self.handle,
            name=_text(about, "name", self.handle),
            modes=modes,
            default_mode=contexts.get(_text(about, "default"), home),
            extensions=tuple(self._extension(name, each, modes, contexts) for name, each in extensions.items()),
            id=_text(about, "id"),
            collection_key=_text(about, "key"),
            hidden=about.get("hidden") is True,
            origin=(described or files)[0].location.origin,
        )
        after = self._about(home_key, "after")
        return FamilyOfFiles(collection, tuple(tuple(self.by_mode[key]) for key in keys), home, after=after)

    def _about(self, key: ModeKey, member: str) -> dict[str, Any]:
        """Return a member of our extension from the first of a mode's files that has it, else {}."""
        members = (as_object(own_members(document.tree).get(member)) for document in self.by_mode[key])
        return next(filter(None, members), {})

    def _first(self, keys: list[ModeKey]) -> ModeKey:
        """Return the default of the resolver document, or its first mode; the files may name another default."""
        contexts = self.orders.contexts.get(self.handle, ())
        default = self.orders.defaults.get(self.handle)
        ranks = {context: rank for rank, context in enumerate(contexts)}
        return min(keys, key=lambda key: (key[1] != default, ranks.get(key[1], len(ranks)), key))

    def _context(self, key: ModeKey) -> str:
        usual = key[1] if key[0] == self.handle else f"{key[0]}.{key[1]}"
        return _text(self._about(key, "mode"), "context", usual)

    def _modes(self, keys: list[ModeKey]) -> tuple[Mode, ...]:
        by_context: dict[str, ModeKey] = {}
        used: set[str] = set()
        for key in keys:
            context = self._context(key)
            if context in by_context:  # as in a copied file
                what = f'it has the same context as {self._display_path(by_context[context])} ("{context[:60]}")'
                self._report(key, ("context",), "mode-id-copied", what, "if it is a new mode, remove the context")
            by_context[unique(context, used)] = key
        contexts = [*by_context]
        columns = {context: column for column, context in enumerate(contexts)}
        modes = []
        for column, key in enumerate(keys):
            about = self._about(key, "mode")
            names = (as_object(document.tree.get("$extensions")).get(MODE_NAME) for document in self.by_mode[key])
            parent = columns.get(_text(about, "parent")) if "parent" in about else None
            if "parent" in about and (parent is None or parent >= column):
                earlier = ", ".join(f'"{context[:40]}"' for context in contexts[: min(column, 10)])
                what = "the parent mode is not an earlier mode of this collection"
                to_do = f"write one of {earlier}, or remove the parent" if earlier else "remove the parent"
                self._report(key, ("parent",), "tokens-mode-parent", what, to_do)
                parent = None
            modes.append(
                Mode(
                    name=next((name for name in names if isinstance(name, str)), key[1]),
                    collection=key[0],
                    slug=key[1],
                    context=contexts[column],
                    id=_text(about, "id"),
                    parent=parent,
                )
            )
        return tuple(modes)

    def _extension(
        self, handle: str, about: dict[str, Any], modes: tuple[Mode, ...], contexts: dict[str, int]
    ) -> Extension:
        own = [column for column, mode in enumerate(modes) if mode.collection == handle]
        origin = about.get("origin")
        return Extension(
            handle=handle,
            name=_text(about, "name", handle),
            parent=_text(about, "parent", self.handle),
            id=_text(about, "id"),
            collection_key=_text(about, "key"),
            hidden=about.get("hidden") is True,
            default_mode=contexts.get(_text(about, "default"), own[0] if own else 0),
            origin=next((operation for operation in FOLDERS if operation == origin), "local"),
        )

    def _check_copies(self, keys: list[ModeKey], modes: tuple[Mode, ...]) -> None:
        """Report modes with the same id or name, which appear when a mode's file is copied.

        The platform allows two modes with the same name, so modes with different ids are not copies. The names of an
        extension's modes are those of the parent modes.
        """
        by_id: dict[tuple[str, str], int] = {}
        by_name: dict[str, int] = {}
        for column, mode in enumerate(modes):
            first = by_id.setdefault((mode.collection, mode.id), column) if mode.id else column
            if first != column:
                self._report_copy(keys[column], keys[first], mode, modes[first])
                continue
            if mode.collection != self.handle:
                continue
            first = by_name.setdefault(mode.name, column)
            if first != column and not (mode.id and modes[first].id):
                copy, other = (first, column) if mode.id else (column, first)
                what = f'it has the same mode name as {self._display_path(keys[other])} ("{mode.name[:60]}")'
                to_do = f'change {MODE_NAME}, for example to "{keys[copy][1][:60]}"'
                path = self.by_mode[keys[copy]][0].location.path
                self.collector.add(path, ("$extensions", MODE_NAME), "mode-name-copied", what, to_do)

    def _report_copy(self, copy: ModeKey, original: ModeKey, mode: Mode, other: Mode) -> None:
        what = f'it has the same mode id as {self._display_path(original)} ("{other.name[:60]}", {mode.id[:60]})'
        to_do = "if it is a new mode, remove the id"
        if mode.name == other.name and mode.collection == self.handle:
            to_do += f' and change {MODE_NAME}, for example to "{copy[1][:60]}"'
        self._report(copy, ("id",), "mode-id-copied", what, f"{to_do}; otherwise remove one of the two files")

    def _display_path(self, key: ModeKey) -> str:
        return self.collector.display_path(self.by_mode[key][0].location.path)

    def _report(self, key: ModeKey, member: Pointer, code: str, what: str, to_do: str) -> None:
        """Report a problem of a member of ``mode`` in our extension."""
        described = [document for document in self.by_mode[key] if as_object(own_members(document.tree).get("mode"))]
        path = (described or self.by_mode[key])[0].location.path
        self.collector.add(path, ("$extensions", OURS, "mode", *member), code, what, to_do)


def _text(node: dict[str, Any], name: str, otherwise: str = "") -> str:
    value = node.get(name)
    return value if isinstance(value, str) else otherwise


def resolver_document(families: Sequence[Collection], file: str, written: set[str]) -> dict[str, Any]:
    """Return the resolver document of collection families.

    ``written`` holds the paths of their token files, below the file's folder and without the suffix.
    """
    sets: dict[str, Any] = {}
    modifiers: dict[str, Any] = {}
    order: list[Any] = []
    for family in families:
        if len(family.modes) == 1:
            sets[family.handle] = {"sources": _sources(family, 0, file, written)}
            order.append({"$ref": pointer_of(("sets", family.handle))})
        else:
            contexts = {
                mode.context: _sources(family, column, file, written) for column, mode in enumerate(family.modes)
            }
            modifiers[family.handle] = {"contexts": contexts, "default": family.modes[family.default_mode].context}
            order.append({"$ref": pointer_of(("modifiers", family.handle))})
    document: dict[str, Any] = {"$schema": RESOLVER_SCHEMA, "name": file, "version": VERSION}
    if sets:
        document["sets"] = sets
    if modifiers:
        document["modifiers"] = modifiers
    document["resolutionOrder"] = order
    return document


def _sources(family: Collection, column: int, file: str, written: set[str]) -> list[dict[str, str]]:
    names = [
        f"{folder}{family.modes[each].collection}/{family.modes[each].slug}"
        for each in reversed(_lineage(family, column))
        for folder in FOLDERS.values()
    ]
    return [{"$ref": relative_url(f"{file}/{name}{TOKENS_SUFFIX}")} for name in names if name in written]


def _lineage(family: Collection, column: int) -> list[int]:
    """Return the indices of a mode and of those that it inherits from, the nearest first."""
    chain: list[int] = []
    index: int | None = column
    while index is not None:
        chain.append(index)
        index = family.modes[index].parent
    return chain


class Orders(NamedTuple):
    """The handles of collection families, and the contexts and default of each, in the resolver document's order."""

    families: tuple[str, ...] = ()
    contexts: dict[str, tuple[str, ...]] = {}  # noqa: RUF012 - never changed
    defaults: dict[str, str] = {}  # noqa: RUF012 - never changed


def orders_of(document: Any) -> Orders | str:
    """Return the orders of a resolver document, or the problem that makes it unusable."""
    match document:
        case {"version": str(version)} if version == VERSION:
            pass
        case dict():
            return f'"version" must be "{VERSION}"'
        case _:
            return "a resolver document must be a JSON object"
    order, modifiers = document.get("resolutionOrder"), document.get("modifiers", {})
    if not isinstance(order, list):
        return '"resolutionOrder" must be an array'
    if not isinstance(modifiers, dict):
        return '"modifiers" must be an object'
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
    defaults = {name: each["default"] for name, each in modifiers.items() if isinstance(each.get("default"), str)}
    return Orders(tuple(families), contexts, defaults)


def edited_defaults(document: Any, collections: Iterable[Collection]) -> Iterator[tuple[Collection, Any]]:
    """Yield collections with the default of their modifier in a resolver document, if another mode is their default."""
    modifiers = document.get("modifiers") if isinstance(document, dict) else None
    if not isinstance(modifiers, dict):
        return
    for family in collections:
        modifier = modifiers.get(family.handle) if len(family.modes) > 1 else None
        if isinstance(modifier, dict) and "default" in modifier:
            default = modifier["default"]
            if default != family.modes[family.default_mode].context:
                yield family, default


class _BadSource(NamedTuple):
    """A problem of a resolver document's source; ``pointer`` is that of its ``$ref``."""

    pointer: Pointer
    code: str
    what: str
    what_to_do: str


def bad_sources(document: dict[str, Any], file: str, present: Container[str]) -> Iterator[_BadSource]:
    """Yield the sources that are not among ``present``, the paths of the file's token files, and inline sources."""
    for pointer, source in _sources_in(document):
        reference = source.get("$ref") if isinstance(source, dict) else None
        if not isinstance(reference, str) or len(source) > 1:
            what = "tokensync reads no tokens in its own resolver documents"
            to_do = f"write them in a token file below {file}/"
            yield _BadSource(pointer, "resolver-structure", what, to_do)
    for pointer, reference in _references(document):
        path = unquote(reference.partition("#")[0])
        if not path or (normal := normpath(path)) in present:
            continue
        if ":" in reference.partition("/")[0] or not normal.startswith(f"{file}/"):
            what = f"the source {reference[:120]!r} is not in the folder {file}"
            to_do = f"name a token file below {file}/, or remove the source"
            yield _BadSource(pointer, "resolver-structure", what, to_do)
        else:
            what = f"the source {normal[:120]} does not exist"
            to_do = "restore it from git; if you deleted it on purpose, remove its set or context from this document"
            yield _BadSource(pointer, "resolver-source-absent", what, to_do)


def misplaced_sources(document: Any, families: Iterable[FamilyOfFiles], file: str) -> Iterator[_BadSource]:
    """Yield the sources of a mode that are files of other modes, whose tokens it would have by the specification."""
    if not isinstance(document, dict):
        return
    columns: dict[tuple[str, ...], tuple[Collection, int]] = {}
    for family, *_ in families:
        for column, mode in enumerate(family.modes):
            columns["modifiers", family.handle, "contexts", mode.context] = family, column
            if len(family.modes) == 1:
                columns["sets", family.handle, "sources"] = family, column
    for pointer, reference in _references(document):
        location = location_of(normpath(unquote(reference.partition("#")[0])), file)
        place = columns.get(pointer[:-2])  # type: ignore[arg-type]
        if location is None or place is None:
            continue
        family, column = place
        if (location.handle, location.slug) not in {
            (family.modes[each].collection, family.modes[each].slug) for each in _lineage(family, column)
        }:
            what = f"{location.path[:120]} belongs to another mode, and tokensync does not read it as part of this one"
            to_do = "remove it here, and write the tokens of each mode in its own file"
            yield _BadSource(pointer, "resolver-source-misplaced", what, to_do)


def _references(document: dict[str, Any]) -> Iterator[tuple[Pointer, str]]:
    """Yield every ``$ref`` of a set or a context, with its pointer."""
    for pointer, source in _sources_in(document):
        if isinstance(source, dict) and isinstance(source.get("$ref"), str):
            yield (*pointer, "$ref"), source["$ref"]


def _sources_in(document: dict[str, Any]) -> Iterator[tuple[Pointer, Any]]:
    """Yield every source of a set or a context, with its pointer."""
    lists: list[tuple[Pointer, Any]] = []
    for name, each in as_object(document.get("sets")).items():
        lists.append((("sets", name, "sources"), as_object(each).get("sources")))
    for name, each in as_object(document.get("modifiers")).items():
        contexts = as_object(as_object(each).get("contexts")).items()
        lists += ((("modifiers", name, "contexts", context), sources) for context, sources in contexts)
    for pointer, sources in lists:
        for index, source in enumerate(sources if isinstance(sources, list) else ()):
            yield (*pointer, index), source


def home_column(family: Collection) -> int:
    """Return the column whose files hold descriptions, scopes and ids: the default mode's if it belongs to the root,
    else the root's first.
    """
    modes = family.modes
    if modes[family.default_mode].collection == family.handle:
        return family.default_mode
    return next(column for column, mode in enumerate(modes) if mode.collection == family.handle)


def mode_folder(family: Collection, column: int) -> str:
    """Return the folder of the file that defines a mode."""
    handle = family.modes[column].collection
    return FOLDERS[_origin_of(family, handle)] + handle


def token_folder(token: Token, family: Collection, column: int) -> str:
    """Return the folder of a token's value in one mode.

    It is the folder of the token's origin; for an override, that of the extension's origin. Overrides of deleted and
    withheld tokens are next to the token, because they cannot be edited either.
    """
    handle = family.modes[column].collection
    is_beside_token = handle == family.handle or token.origin in ("deleted", "withheld")
    return FOLDERS[token.origin if is_beside_token else _origin_of(family, handle)] + handle


def _origin_of(family: Collection, handle: str) -> Origin:
    return next((extension.origin for extension in family.extensions if extension.handle == handle), family.origin)


def put_in_resolver(
    before: Any, file: str, graph: TokenGraph, document: Node, lose: Callable[[tuple[str, str], Sequence[str]], None]
) -> None:
    """Put the foreign members of the present resolver document into that of a new graph.

    ``graph`` is that of the present files. Members of collections that were deleted are reported to ``lose``.
    """
    if not isinstance(before, dict):
        return
    for name, value in before.items():
        if name not in ("version", "sets", "modifiers", "resolutionOrder"):
            document[name] = value
    for family, default in edited_defaults(before, graph.collections.values()):
        modifier = document.get("modifiers", {}).get(family.handle)
        if modifier is not None and default in modifier["contexts"]:
            modifier["default"] = default
    for kind in ("sets", "modifiers"):
        for name, present in as_object(before.get(kind)).items():
            owner = document.get("sets", {}).get(name) or document.get("modifiers", {}).get(name)
            members = as_object(present)
            if owner is not None:
                _put_in_owner(members, owner)
            elif (file, name) not in graph.collections:
                document.setdefault(kind, {})[name] = present
            elif lost := [own for own in members if own not in ("sources", "contexts", "default")]:
                lose((kind, name), lost)
    names = {(kind, name) for kind in ("sets", "modifiers") for name in document.get(kind, {})}
    order = before.get("resolutionOrder")
    document["resolutionOrder"] = _with_foreign(order, document["resolutionOrder"], lambda steps: steps in names)
    if "sets" in document and "modifiers" in document:  # the order of their members
        document.update({kind: document.pop(kind) for kind in ("sets", "modifiers", "resolutionOrder")})


def as_object(value: Any) -> Node:
    """Return a JSON value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def _put_in_owner(before: Node, owner: Node) -> None:
    for name, value in before.items():
        if name == "sources" and name in owner:
            owner[name] = _with_foreign(value, owner[name])
        elif name == "contexts" and name in owner:
            for context, sources in as_object(value).items():
                if context in owner[name]:
                    owner[name][context] = _with_foreign(sources, owner[name][context])
        elif name not in ("sources", "contexts", "default"):
            owner.setdefault(name, value)


def _with_foreign(before: Any, after: list[Any], is_kept: Callable[[tuple[str, ...]], bool] = bool) -> list[Any]:
    """Return the reference objects of a resolver document with their foreign members, and inline objects.

    ``is_kept`` returns whether a pointer within the document, which tokensync did not write, stays.
    """
    written = {each["$ref"]: each for each in after}
    foreign: list[tuple[int, Any]] = []
    for at, each in enumerate(before if isinstance(before, list) else ()):
        reference = each.get("$ref") if isinstance(each, dict) else None
        if not isinstance(reference, str):
            foreign.append((at, each))
        elif reference in written:
            written[reference].update(each)
        elif reference[:1] == "#" and is_kept(path_of_pointer(reference) or ()):
            foreign.append((at, each))
    result = [*after]
    for at, each in foreign:
        result.insert(at, each)
    return result
