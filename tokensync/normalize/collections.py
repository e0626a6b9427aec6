"""Step 1: collections become collection families: a root with its modes, and the modes that its extensions add.

An extended collection inherits all variables and modes of its parent, so it is nothing but more modes, each with a
parent mode, to any depth. Its parent may be of another file and not in the response.

``Draft`` is what every step works on; it grows step by step into a graph.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.mapping import key_of_remote_id, slug, unique
from tokensync.problems import Problem, problem
from tokensync.tokens import Collection, Extension, Mode
from tokensync.tokens.algorithms import components

if TYPE_CHECKING:
    from tokensync.mapping import TypeRules
    from tokensync.tokens import Origin, Token, TokenKey
    from tokensync.wire import Snapshot, WireCollection, WireMode

COLLECTION = "collection"
MODE = "mode"

_LONGEST = 60


class Family:
    """A root collection with its extensions, in the draft.

    ``columns`` holds, for each collection id of the family, which mode id is which column of values. ``label`` is what
    problems call it.
    """

    def __init__(self, root: str, handle: str, name: str = "") -> None:
        self.root = root
        self.handle = handle
        self.label = shortened(name or handle)
        self.columns: dict[str, dict[str, int]] = {}
        self.extensions: list[WireCollection] = []
        self.paths: set[str] = set()


class Draft:
    """One file on its way from snapshot to graph, with the problems found so far."""

    def __init__(self, snapshot: Snapshot, rules: TypeRules) -> None:
        self.snapshot = snapshot
        self.rules = rules
        self.problems: list[Problem] = []
        self.families: dict[str, Family] = {}
        self.handles: set[str] = set()
        self.collections: list[Collection] = []
        self.keys: dict[str, TokenKey] = {}
        self.tokens: list[Token] = []

    def report(self, code: str, where: str, what: str, what_to_do: str) -> None:
        """Report a problem; ``where`` is a collection, or a collection and a variable."""
        self.problems.append(problem(code, where, what, what_to_do))

    @property
    def file(self) -> str:
        """The configured name of the file."""
        return self.snapshot.file


def shortened(name: str) -> str:
    """A name from the design file as problems show it: its start, when it is long; quotes when it is hard to see."""
    if not name.strip():
        return f'"{name[:_LONGEST]}"'
    return name if len(name) <= _LONGEST else f"{name[:_LONGEST]}…"


def families(draft: Draft) -> None:
    """Give every collection of the snapshot its handle and its columns; local ones get their wished handle first."""
    wires = draft.snapshot.local.variable_collections
    handles = _handles(draft)
    parents, roots = _ancestry(draft)
    members: dict[str, list[WireCollection]] = {each.id: [] for each in wires.values() if parents[each.id] is None}
    for identity, root in roots.items():  # parents come before what extends them
        if identity != root:
            members.setdefault(root, []).append(wires[identity])
    for root, extensions in members.items():
        wire = wires.get(root)
        handle = handles[root] if wire else unique(f"{handles[extensions[0].id]}-parent", draft.handles)
        family = Family(root, handle, wire.name if wire else "")
        family.extensions = extensions
        draft.collections.append(_Builder(draft, family, handles, parents).build(wire))
        for identity in family.columns:
            draft.families[identity] = family


def origin_of(collection: WireCollection) -> Origin:
    """Return where a collection of a response lives."""
    if collection.remote:
        return "remote"
    return "deleted" if collection.deleted_but_referenced else "local"


def _handles(draft: Draft) -> dict[str, str]:
    wires = draft.snapshot.local.variable_collections.values()
    in_order = sorted(wires, key=lambda each: origin_of(each) != "local")  # stable: local ones first
    return {each.id: unique(slug(each.name, COLLECTION), draft.handles) for each in in_order}


def _ancestry(draft: Draft) -> tuple[dict[str, str | None], dict[str, str]]:
    """Return the parent's id and the root's id of each collection of the response, the latter with parents first.

    A parent or root may be an id that the response does not hold. Collections that extend each other in a cycle are
    reported, and the first of them loses its parent.
    """
    wires = draft.snapshot.local.variable_collections
    by_key = {each.key: each.id for each in wires.values() if each.remote}
    parents = {each.id: _parent_of(each, wires, by_key) for each in wires.values()}

    def parent_here(identity: str) -> tuple[str, ...]:
        parent = parents[identity]
        return () if parent is None or parent not in wires else (parent,)

    roots: dict[str, str] = {}
    depths: dict[str, int] = {}
    for first, *others in components(wires, parent_here):
        if others or parents[first] == first:
            parents[first] = None
            what = "its chain of parent collections comes back to itself"
            draft.report("extension-cycle", shortened(wires[first].name), what, "it is read as a collection of its own")
        # Each one of a cycle extends the next, and the last the first: so the last comes right after the first.
        for identity in (first, *reversed(others)):
            parent = parents[identity]
            roots[identity] = identity if parent is None else roots.get(parent, parent)
            depths[identity] = 0 if parent is None else depths.get(parent, 0) + 1
    return parents, {identity: roots[identity] for identity in sorted(wires, key=depths.__getitem__)}


def _parent_of(collection: WireCollection, wires: dict[str, WireCollection], by_key: dict[str, str]) -> str | None:
    parent = collection.parent_variable_collection_id
    if parent is None and collection.is_extension:
        parent = collection.root_variable_collection_id
    if parent is None or parent in wires:
        return parent
    return by_key.get(key_of_remote_id(parent), parent)  # a remote id changes with every publish, its key does not


class _Builder:
    """Builds one family's Collection and fills its columns."""

    def __init__(self, draft: Draft, family: Family, handles: dict[str, str], parents: dict[str, str | None]) -> None:
        self.draft = draft
        self.family = family
        self.handles = handles
        self.parents = parents
        self.modes: list[Mode] = []
        self.contexts: set[str] = set()

    def build(self, root: WireCollection | None) -> Collection:
        handle = self.family.handle
        if root is None:
            self._absent_root()
        else:
            self._root_modes(root)
        extensions = tuple(self._extension(each) for each in self.family.extensions)
        return Collection(
            file=self.draft.file,
            handle=handle,
            name=root.name if root else "",
            modes=tuple(self.modes),
            default_mode=self._default(root) if root else 0,
            extensions=extensions,
            id=self.family.root,
            collection_key=root.key if root else "",
            hidden=root.hidden_from_publishing if root else False,
            origin=origin_of(root) if root else "absent",
        )

    def _root_modes(self, root: WireCollection) -> None:
        columns = self.family.columns.setdefault(root.id, {})
        slugs: set[str] = set()
        for mode in self._distinct_modes(root):
            columns[mode.mode_id] = len(self.modes)
            file_name = unique(slug(mode.name, MODE), slugs)
            self._append(mode.name, self.family.handle, file_name, file_name, mode.mode_id, None)
        if not self.modes:
            self.draft.report("modes-absent", self.family.label, "it has no modes", "it is read with one empty mode")
            self._append("", self.family.handle, MODE, MODE, "", None)

    def _absent_root(self) -> None:
        """The parent lives in another file that the response does not hold: its modes are known by id alone."""
        first = self.family.extensions[0]
        what = f"the collection that it extends ({shortened(self.family.root)}) is not in the response"
        to_do = "bring the library into the file again (until then its own overrides are all that is known)"
        self.draft.report("extension-parent-absent", shortened(first.name), what, to_do)
        columns = self.family.columns.setdefault(self.family.root, {})
        slugs: set[str] = set()
        for extension in self.family.extensions:
            if self.parents[extension.id] != self.family.root:
                continue
            for mode in extension.modes:
                identity = mode.parent_mode_id or _inherited_id(mode.mode_id)
                if identity not in columns:
                    columns[identity] = len(self.modes)
                    file_name = unique(slug(mode.name, MODE), slugs)
                    self._append(mode.name, self.family.handle, file_name, file_name, identity, None)
        if not self.modes:
            self._append("", self.family.handle, MODE, MODE, "", None)

    def _extension(self, wire: WireCollection) -> Extension:
        columns = self.family.columns.setdefault(wire.id, {})
        handle = self.handles[wire.id]
        parent = self.parents[wire.id] or self.family.root
        slugs: set[str] = set()
        for mode in self._distinct_modes(wire):
            file_name = unique(slug(mode.name, MODE), slugs)
            column = self._parent_column(wire, mode, parent)
            columns[mode.mode_id] = len(self.modes)
            self._append(mode.name, handle, file_name, f"{handle}.{file_name}", mode.mode_id, column)
        return Extension(
            handle=handle,
            name=wire.name,
            parent=self.handles.get(parent, self.family.handle),
            id=wire.id,
            collection_key=wire.key,
            hidden=wire.hidden_from_publishing,
            default_mode=self._default_of_extension(wire, columns),
            origin=origin_of(wire),
        )

    def _parent_column(self, wire: WireCollection, mode: WireMode, parent: str) -> int | None:
        """The column of the mode that this one inherits from."""
        columns = self.family.columns.get(parent, {})
        wished = mode.parent_mode_id
        if wished is None:  # the id ends in the root mode's
            root_mode = _inherited_id(mode.mode_id)
            wished = next((each for each in columns if _inherited_id(each) == root_mode), None)
        column = columns.get(wished) if wished is not None else None
        if column is None:
            where = f"{shortened(wire.name)} / mode {shortened(mode.name)}"
            what = "the mode that it inherits from is not in the parent collection"
            self.draft.report(
                "parent-mode-unknown", where, what, "its own overrides are kept, and nothing is inherited"
            )
        return column

    def _distinct_modes(self, wire: WireCollection) -> list[WireMode]:
        distinct = {}
        for mode in wire.modes:
            if mode.mode_id in distinct:
                where = f"{shortened(wire.name)} / mode {shortened(mode.name)}"
                self.draft.report("mode-repeated", where, "another mode has the same id", "the first one is kept")
            else:
                distinct[mode.mode_id] = mode
        return list(distinct.values())

    def _default(self, root: WireCollection) -> int:
        column = self.family.columns[root.id].get(root.default_mode_id)
        if column is None and root.modes:
            self._default_unknown(root)
        return column or 0

    def _default_of_extension(self, wire: WireCollection, columns: dict[str, int]) -> int:
        column = columns.get(wire.default_mode_id)
        if column is None and columns:
            self._default_unknown(wire)
        return next(iter(columns.values()), 0) if column is None else column

    def _default_unknown(self, wire: WireCollection) -> None:
        what = f"its default mode {shortened(wire.default_mode_id)} is not among its modes"
        self.draft.report("default-mode-unknown", shortened(wire.name), what, "the first mode is taken as the default")

    def _append(
        self, name: str, collection: str, file_name: str, context: str, identity: str, parent: int | None
    ) -> None:
        self.modes.append(
            Mode(
                name=name,
                collection=collection,
                slug=file_name,
                context=unique(context, self.contexts),
                id=identity,
                parent=parent,
            )
        )


def _inherited_id(mode_id: str) -> str:
    """The root mode's id in an extended mode's: ``VariableCollectionId:3:1/2:0`` is of ``2:0``."""
    return mode_id.rpartition("/")[2]
