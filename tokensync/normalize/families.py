"""Step 1: collection families, each a root collection and its extensions.

An extension inherits all variables and modes of its parent, to any depth, so it is represented as additional modes of
the root, each with a parent mode. Its parent may be in another file and missing from the response.

Each step adds to a ``Draft``, which becomes a graph.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, field

from tokensync.extract.wire import Snapshot, WireCollection, WireVariable
from tokensync.normalize.mapping import COLLECTION, MODE, TypeRules, key_of_remote_id, slug, unique
from tokensync.system.problems import Problem, problem
from tokensync.tokens import Collection, Extension, Mode, Origin, Token, TokenKey
from tokensync.tokens.algorithms import components

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokensync.extract.wire import WireMode


_LONGEST = 60


class Family(Struct, kw_only=True):
    """A draft of a root collection and its extensions.

    ``columns`` maps each collection id to its mode ids and their columns of values. ``variables`` are the variables
    with a supported type, in token order. ``absent_ids`` are the overridden variables that the response lacks.
    """

    root: str
    handle: str
    label: str
    """Its name in problems."""
    name: str = ""
    extensions: list[WireCollection] = field(default_factory=list)
    columns: dict[str, dict[str, int]] = field(default_factory=dict)
    modes: list[Mode] = field(default_factory=list)
    paths: set[str] = field(default_factory=set)
    variables: list[WireVariable] = field(default_factory=list)
    absent_ids: list[str] = field(default_factory=list)


class Draft(Struct):
    """The graph of one file under construction, and its problems.

    ``families`` maps collection ids to their families, ``labels`` to their names in problems, and ``origins`` the ids
    of variables that are not live local ones to their origins.
    """

    snapshot: Snapshot
    rules: TypeRules
    problems: list[Problem] = field(default_factory=list)
    families: dict[str, Family] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    handles: set[str] = field(default_factory=set)
    collections: list[Collection] = field(default_factory=list)
    origins: dict[str, Origin] = field(default_factory=dict)
    keys: dict[str, TokenKey] = field(default_factory=dict)
    tokens: list[Token] = field(default_factory=list)

    def report(self, code: str, where: str, what: str, what_to_do: str, names: Sequence[str] = ()) -> None:
        """Report a problem; ``where`` is a collection, or a collection and a variable."""
        self.problems.append(problem(code, where, what, what_to_do, names))


def shortened(name: str) -> str:
    """Return a name as problems show it: long names are cut, blank names are quoted."""
    if not name.strip():
        return f'"{name[:_LONGEST]}"'
    return name if len(name) <= _LONGEST else f"{name[:_LONGEST]}…"


def families(draft: Draft) -> None:
    """Add the collections of the snapshot to the draft. Local collections have precedence for handles."""
    wires = draft.snapshot.local.variable_collections
    local = [each for each in wires.values() if not (each.remote or each.deleted_but_referenced)]
    foreign = [each for each in wires.values() if each.remote or each.deleted_but_referenced]
    handles = {each.id: unique(slug(each.name, COLLECTION), draft.handles) for each in (*local, *foreign)}
    first = {each.name: each.id for each in reversed((*local, *foreign))}
    draft.labels = {
        each.id: shortened(each.name or handles[each.id])
        + ("" if first[each.name] == each.id else f" ({handles[each.id]})")
        for each in wires.values()
    }
    parents: dict[str, str | None] = dict.fromkeys(wires)
    members: dict[str, list[WireCollection]] = {identity: [] for identity in wires}
    if any(each.is_extension or each.parent_variable_collection_id is not None for each in wires.values()):
        parents, members = _ancestry(draft)
    for root, extensions in members.items():
        wire = wires.get(root)
        handle = handles[root] if wire else unique(f"{handles[extensions[0].id]}-parent", draft.handles)
        label = draft.labels.get(root, shortened(handle))
        family = Family(root=root, handle=handle, label=label, name=wire.name if wire else "", extensions=extensions)
        if wire is None:
            _add_absent_root(draft, family, parents)
        else:
            _add_modes(draft, family, wire, handle, None)
            if not family.modes:
                draft.report("modes-absent", family.label, "it has no modes", "it is read with one empty mode")
        if not family.modes:
            family.modes.append(Mode(name="", collection=handle, slug=MODE, context=MODE))
        parts = tuple(_extension(draft, family, each, handles, parents) for each in extensions) if extensions else ()
        draft.collections.append(
            Collection(
                file=draft.snapshot.file,
                handle=handle,
                name=family.name,
                modes=tuple(family.modes),
                default_mode=_default_column(draft, family, wire) if wire else 0,
                extensions=parts,
                id=root,
                collection_key=wire.key if wire else "",
                hidden=wire.hidden_from_publishing if wire else False,
                origin=_origin(wire),
            )
        )
        draft.families.update(dict.fromkeys(family.columns, family))


def _origin(collection: WireCollection | None) -> Origin:
    """Return the origin of a collection; None is a parent that the response lacks."""
    if collection is None:
        return "absent"
    return "remote" if collection.remote else "deleted" if collection.deleted_but_referenced else "local"


def _add_modes(draft: Draft, family: Family, wire: WireCollection, handle: str, parent: str | None) -> None:
    """Add the modes of a collection to its family; ``parent`` is the id of the collection that it extends."""
    distinct: dict[str, WireMode] = {}
    for mode in wire.modes:
        if mode.mode_id in distinct:
            where = f"{draft.labels[wire.id]} / mode {shortened(mode.name)}"
            draft.report("mode-repeated", where, "another mode has the same id", "the first mode is used")
        else:
            distinct[mode.mode_id] = mode
    columns = family.columns.setdefault(wire.id, {})
    slugs: set[str] = set()
    for mode in distinct.values():
        name = unique(slug(mode.name, MODE), slugs)
        context, inherited = name, None
        if parent is not None:
            context, inherited = f"{handle}.{name}", _parent_column(draft, family, wire, mode, parent)
        columns[mode.mode_id] = len(family.modes)
        family.modes.append(
            Mode(name=mode.name, collection=handle, slug=name, context=context, id=mode.mode_id, parent=inherited)
        )


def _default_column(draft: Draft, family: Family, wire: WireCollection) -> int:
    """Return the column of a collection's default mode, or of its first mode if the default is not one of its modes."""
    columns = family.columns[wire.id]
    column = columns.get(wire.default_mode_id)
    if column is None and columns:
        what = f"its default mode {shortened(wire.default_mode_id)} is not among its modes"
        draft.report("default-mode-unknown", draft.labels[wire.id], what, "the first mode is used as the default")
    return next(iter(columns.values()), 0) if column is None else column


def _ancestry(draft: Draft) -> tuple[dict[str, str | None], dict[str, list[WireCollection]]]:
    """Return the parent id of each collection, and the extensions of each root id, parents first.

    Parents and roots may be missing from the response. Cycles are reported, and broken at their first collection.
    """
    wires = draft.snapshot.local.variable_collections
    by_key = {each.key: each.id for each in wires.values() if each.remote}
    parents: dict[str, str | None] = {}
    for each in wires.values():
        parent = each.parent_variable_collection_id
        if parent is None and each.is_extension:
            parent = each.root_variable_collection_id
        if parent is not None and parent not in wires:  # publishing changes remote ids, but not keys
            parent = by_key.get(key_of_remote_id(parent), parent)
        parents[each.id] = parent

    def parent_here(identity: str) -> tuple[str, ...]:
        parent = parents[identity]
        return () if parent is None or parent not in wires else (parent,)

    roots: dict[str, str] = {}
    depths: dict[str, int] = {}
    for first, *others in components(wires, parent_here):
        if others or parents[first] == first:
            parents[first] = None
            what = "its parent collections form a cycle"
            draft.report("extension-cycle", draft.labels[first], what, "it is read as a root collection")
        # Each collection of a cycle extends the next, so parents come first in reverse order.
        for identity in (first, *reversed(others)):
            parent = parents[identity]
            roots[identity] = identity if parent is None else roots.get(parent, parent)
            depths[identity] = 0 if parent is None else depths.get(parent, 0) + 1
    members: dict[str, list[WireCollection]] = {each: [] for each in wires if parents[each] is None}
    for identity in sorted(wires, key=depths.__getitem__):
        if roots[identity] != identity:
            members.setdefault(roots[identity], []).append(wires[identity])
    return parents, members


def _add_absent_root(draft: Draft, family: Family, parents: dict[str, str | None]) -> None:
    """Add the modes of a parent that is missing from the response. Only their ids are known."""
    first = family.extensions[0]
    what = f"the collection that it extends ({shortened(family.root)}) is not in the response"
    to_do = "add the library to the file again (until then, only its own overrides are known)"
    draft.report("extension-parent-absent", draft.labels[first.id], what, to_do)
    columns = family.columns[family.root] = {}
    slugs: set[str] = set()
    for extension in family.extensions:
        for mode in extension.modes if parents[extension.id] == family.root else ():
            identity = mode.parent_mode_id or _inherited_id(mode.mode_id)
            if identity not in columns:
                columns[identity] = len(family.modes)
                name = unique(slug(mode.name, MODE), slugs)
                family.modes.append(
                    Mode(name=mode.name, collection=family.handle, slug=name, context=name, id=identity)
                )


def _extension(
    draft: Draft, family: Family, wire: WireCollection, handles: dict[str, str], parents: dict[str, str | None]
) -> Extension:
    """Add the modes of an extension to the family, and return the extension."""
    handle = handles[wire.id]
    parent = parents[wire.id] or family.root
    _add_modes(draft, family, wire, handle, parent)
    return Extension(
        handle=handle,
        name=wire.name,
        parent=handles.get(parent, family.handle),
        id=wire.id,
        collection_key=wire.key,
        hidden=wire.hidden_from_publishing,
        default_mode=_default_column(draft, family, wire),
        origin=_origin(wire),
    )


def _parent_column(draft: Draft, family: Family, wire: WireCollection, mode: WireMode, parent: str) -> int | None:
    """Return the column of a mode's parent mode, or None, which is reported."""
    columns = family.columns.get(parent, {})
    parent_id = mode.parent_mode_id
    if parent_id is None:
        root_mode = _inherited_id(mode.mode_id)
        parent_id = next((each for each in columns if _inherited_id(each) == root_mode), None)
    column = columns.get(parent_id) if parent_id is not None else None
    if column is None:
        where = f"{draft.labels[wire.id]} / mode {shortened(mode.name)}"
        what = "the mode that it inherits from is not in the parent collection"
        draft.report("parent-mode-unknown", where, what, "its own overrides are used, and nothing is inherited")
    return column


def _inherited_id(mode_id: str) -> str:
    """Return the root mode's id at the end of an extended mode's id: ``2:0`` of ``VariableCollectionId:3:1/2:0``."""
    return mode_id.rpartition("/")[2]
