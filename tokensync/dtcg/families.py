"""Token files and collections: which folder is an extension of which, which file is which mode, and in what order.

The resolver document names the files of each context, and their order (DTCG 2025.10 Resolver). A family of one mode is
a set there, one of several a modifier whose contexts are its modes. An extended mode's sources are its parent's,
then its own: the order of an array is the inheritance. Extensions are contexts of their root's modifier, because brand
and mode are one choice.
"""

from __future__ import annotations

from posixpath import normpath
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

from tokensync.dtcg.spelling import (
    FOLDERS,
    MODE_NAME,
    OURS,
    RESOLVER_SCHEMA,
    TOKENS_SUFFIX,
    VERSION,
    folder,
    path_of_pointer,
    relative_url,
)
from tokensync.mapping import unique
from tokensync.tokens import Collection, Extension, Mode

if TYPE_CHECKING:
    from collections.abc import Collection as Container
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tokensync.dtcg.document import Document
    from tokensync.dtcg.parse import Faults
    from tokensync.positions import Pointer
    from tokensync.tokens import Origin, Token


ModeKey = tuple[str, str]  # the handle and the slug of a mode's files


class FamilyOfFiles(NamedTuple):
    """A collection with the files of each of its modes, in the order of ``FOLDERS``. ``home`` is the column that holds
    descriptions and ids.
    """

    collection: Collection
    files: tuple[tuple[Document, ...], ...]
    home: int


def families_of(documents: Iterable[Document], file: str, orders: Orders, faults: Faults) -> list[FamilyOfFiles]:
    """Return the families of a file, in the order that the resolver document tells; others follow by name."""
    by_mode: dict[ModeKey, list[Document]] = {}
    for each in sorted(documents, key=lambda each: list(FOLDERS).index(each.location.origin)):
        by_mode.setdefault((each.location.handle, each.location.slug), []).append(each)
    handles = sorted({handle for handle, _ in by_mode})
    extended: set[str] = set()
    for (handle, _), files in by_mode.items():
        if handle not in extended:
            extended.update(name for each in files for name in _members(_ours(each), "extensions") if name != handle)
    roots = [handle for handle in handles if handle not in extended]
    known = {handle: rank for rank, handle in enumerate(orders.families)}
    roots.sort(key=lambda handle: known.get(handle, len(known)))
    return [_Builder(root, file, by_mode, orders, faults).build() for root in roots]


class _Builder:
    def __init__(
        self, handle: str, file: str, by_mode: Mapping[ModeKey, list[Document]], orders: Orders, faults: Faults
    ) -> None:
        self.handle = handle
        self.file = file
        self.by_mode = by_mode
        self.orders = orders
        self.faults = faults

    def build(self) -> FamilyOfFiles:
        own = [key for key in self.by_mode if key[0] == self.handle]
        home_key = self._first([key for key in own if self._about(key, "collection")] or own)
        about = self._about(home_key, "collection")
        extensions = {
            name: told if isinstance(told, dict) else {}
            for key in (home_key, *own)
            for name, told in self._about(key, "extensions").items()
        }
        keys = self._in_order([*sorted(own), *self._of_extensions(extensions)])
        modes = self._modes(keys)
        contexts = {mode.context: column for column, mode in enumerate(modes)}
        home = keys.index(home_key)
        self._check_copies(keys, modes)
        self._check_groups(keys)
        collection = Collection(
            file=self.file,
            handle=self.handle,
            name=_text(about, "name", self.handle),
            modes=modes,
            default_mode=contexts.get(_text(about, "default"), home),
            extensions=tuple(self._extension(name, told, modes, contexts) for name, told in extensions.items()),
            id=_text(about, "id"),
            collection_key=_text(about, "key"),
            hidden=about.get("hidden") is True,
            origin=self._origin(home_key),
        )
        return FamilyOfFiles(collection, tuple(tuple(self.by_mode[key]) for key in keys), home)

    def _about(self, key: ModeKey, member: str) -> dict[str, Any]:
        """Return what the files of a mode say about it under a member of our extension; the first that says
        something.
        """
        return next((told for each in self.by_mode[key] if (told := _members(_ours(each), member))), {})

    def _first(self, keys: list[ModeKey]) -> ModeKey:
        """Return the mode that the resolver document has first: without a word about it, it is the default one."""
        wanted = self.orders.contexts.get(self.handle, ())
        return min(keys, key=lambda key: (wanted.index(key[1]) if key[1] in wanted else len(wanted), key))

    def _of_extensions(self, extensions: dict[str, dict[str, Any]]) -> list[ModeKey]:
        return [key for name in extensions for key in sorted(self.by_mode) if key[0] == name != self.handle]

    def _in_order(self, keys: list[ModeKey]) -> list[ModeKey]:
        wanted = {context: rank for rank, context in enumerate(self.orders.contexts.get(self.handle, ()))}
        return sorted(keys, key=lambda key: wanted.get(self._context(key), len(wanted)))

    def _context(self, key: ModeKey) -> str:
        usual = key[1] if key[0] == self.handle else f"{key[0]}.{key[1]}"
        return _text(self._about(key, "mode"), "context", usual)

    def _modes(self, keys: list[ModeKey]) -> tuple[Mode, ...]:
        contexts = self._contexts(keys)
        columns = {context: column for column, context in enumerate(contexts)}
        modes = []
        for column, key in enumerate(keys):
            about = self._about(key, "mode")
            parent = columns.get(_text(about, "parent")) if "parent" in about else None
            if "parent" in about and (parent is None or parent >= column):
                what = "the parent mode is not one of the modes before this one"
                to_do = "use a context of the collection's modifier in the resolver document"
                self._report(key, ("parent",), "tokens-mode-parent", what, to_do)
                parent = None
            modes.append(
                Mode(
                    name=self._mode_name(key),
                    collection=key[0],
                    slug=key[1],
                    context=contexts[column],
                    id=_text(about, "id"),
                    parent=parent,
                )
            )
        return tuple(modes)

    def _contexts(self, keys: list[ModeKey]) -> list[str]:
        """Return the context of each mode; one that another mode has, as in a copied file, is reported and replaced."""
        found: dict[str, ModeKey] = {}
        taken: set[str] = set()
        for key in keys:
            context = self._context(key)
            if context in found:
                what = f'its context is "{context[:60]}", as that of {self._shown(found[context])} is'
                self._report(key, ("context",), "mode-id-copied", what, "remove the context, if this is a new mode")
            found[unique(context, taken)] = key
        return [*found]

    def _mode_name(self, key: ModeKey) -> str:
        names = (_members(each.tree, "$extensions").get(MODE_NAME) for each in self.by_mode[key])
        return next((name for name in names if isinstance(name, str)), key[1])

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
            origin=next((each for each in FOLDERS if each == origin), "local"),
        )

    def _origin(self, home_key: ModeKey) -> Origin:
        files = self.by_mode[home_key]
        telling = [each for each in files if _members(_ours(each), "collection")]
        return (telling or files)[0].location.origin

    def _check_copies(self, keys: list[ModeKey], modes: tuple[Mode, ...]) -> None:
        """Report modes that cannot be told apart, as when somebody copied a mode's file.

        The platform may have two modes of one name: these have ids, and are no copies. An extension's modes have the
        names of those that they follow, whatever their files say.
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
                what = f'it calls its mode "{mode.name[:60]}", as {self._shown(keys[other])} does'
                to_do = f'give it a {MODE_NAME} of its own, such as "{keys[copy][1][:60]}"'
                path = self.by_mode[keys[copy]][0].location.path
                self.faults.at(path, ("$extensions", MODE_NAME), "mode-name-copied", what, to_do)

    def _report_copy(self, copy: ModeKey, original: ModeKey, mode: Mode, other: Mode) -> None:
        what = f'it has the same mode id as {self._shown(original)} ("{other.name[:60]}", {mode.id[:60]})'
        to_do = "if it is a new mode, remove the id"
        if mode.name == other.name and mode.collection == self.handle:
            to_do += f' and give it a {MODE_NAME} of its own, such as "{copy[1][:60]}"'
        self._report(copy, ("id",), "mode-id-copied", what, f"{to_do}; else remove one of the two files")

    def _shown(self, key: ModeKey) -> str:
        return self.faults.shown(self.by_mode[key][0].location.path)

    def _report(self, key: ModeKey, member: Pointer, code: str, what: str, to_do: str) -> None:
        """Report a member of what a mode's files say about it, in the file that says it."""
        telling = [each for each in self.by_mode[key] if _members(_ours(each), "mode")]
        path = (telling or self.by_mode[key])[0].location.path
        self.faults.at(path, ("$extensions", OURS, "mode", *member), code, what, to_do)

    def _check_groups(self, keys: list[ModeKey]) -> None:
        for key in keys:
            for each in self.by_mode[key]:
                if each.group is not None and each.group != self.handle:
                    what = f"the root group is {each.group[:60]!r}, not {self.handle[:60]!r}"
                    to_do = f"call it {self.handle[:60]!r}, as the collection is called"
                    self.faults.at(each.location.path, (each.group,), "tokens-root-group", what, to_do)


def _ours(document: Document) -> dict[str, Any]:
    return _members(_members(document.tree, "$extensions"), OURS)


def _members(node: dict[str, Any], name: str) -> dict[str, Any]:
    member = node.get(name)
    return member if isinstance(member, dict) else {}


def _text(node: dict[str, Any], name: str, otherwise: str = "") -> str:
    value = node.get(name)
    return value if isinstance(value, str) else otherwise


def resolver_document(families: Sequence[Collection], file: str, written: set[str]) -> dict[str, Any]:
    """Return the document for families whose files (paths below the file's folder, without suffix) are ``written``."""
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
    """Return the orders of a resolver document, or what is wrong with it."""
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
    """Yield the sources that are not among ``present``, the paths of the file's token files: their tokens would be
    lost.
    """
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
    """Yield every ``$ref`` of a set or a context, with its pointer."""
    lists: list[tuple[Pointer, Any]] = []
    for name, each in _members_of(document.get("sets")):
        lists.append((("sets", name, "sources"), each.get("sources") if isinstance(each, dict) else None))
    for name, each in _members_of(document.get("modifiers")):
        contexts = _members_of(each.get("contexts") if isinstance(each, dict) else None)
        lists += ((("modifiers", name, "contexts", context), sources) for context, sources in contexts)
    for pointer, sources in lists:
        for index, source in enumerate(sources if isinstance(sources, list) else ()):
            if isinstance(source, dict) and isinstance(source.get("$ref"), str):
                yield (*pointer, index, "$ref"), source["$ref"]


def _members_of(node: Any) -> Iterator[tuple[str, Any]]:
    yield from node.items() if isinstance(node, dict) else ()


def home_column(family: Collection) -> int:
    """Return the mode whose files hold descriptions, scopes and ids: the default mode, if it is one of the
    root's own.
    """
    modes = family.modes
    if modes[family.default_mode].collection == family.handle:
        return family.default_mode
    return next(column for column, mode in enumerate(modes) if mode.collection == family.handle)


def mode_folder(family: Collection, column: int) -> str:
    """Return the folder of the file that tells what a mode is: where its collection lives."""
    handle = family.modes[column].collection
    return folder(_origin_of(family, handle), handle)


def token_folder(token: Token, family: Collection, column: int) -> str:
    """Return the folder of a token's value in one mode.

    Its own values stand where the token lives. An override stands where the extension lives that makes it, unless the
    token is deleted or withheld: then it is as little to be edited as the token.
    """
    handle = family.modes[column].collection
    if handle == family.handle or token.origin in ("deleted", "withheld"):
        return folder(token.origin, handle)
    return folder(_origin_of(family, handle), handle)


def _origin_of(family: Collection, handle: str) -> Origin:
    return next((each.origin for each in family.extensions if each.handle == handle), family.origin)
