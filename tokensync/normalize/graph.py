"""Normalization: turns the snapshots of design files into token graphs, and joins these.

A snapshot becomes a ``_Draft`` step by step: collection families, paths of tokens, a table of tokens with a code for
each mode of their family, types of numbers and weights, and reports of unusual but valid data. Remote variables are
matched by key, because publishing changes the rest of a remote id.

An extension inherits all variables and modes of its parent, to any depth, so it is represented as additional modes of
the root, each with a parent mode. Its parent may be in another file and missing from the response. Paths are assigned
before values are read, because aliases can refer to later variables. A variable of an unsupported type does not become
a token: its collection lists it as opaque, so that plans take it into account.
"""

from __future__ import annotations

from functools import partial
from operator import attrgetter
from struct import Struct as Packing
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from tokensync.extract.wire import (
    ALIAS,
    DECODE_USUAL_VALUES,
    EXPRESSION,
    VALUE_TYPES,
    Snapshot,
    WireCollection,
    WireObject,
    WireVariable,
    decode_values,
    json_parts,
)
from tokensync.normalize.mapping import (
    COLLECTION,
    KINDS,
    MODE,
    MOTION_TYPES,
    TypeRules,
    key_of_remote_id,
    name_of_path,
    paths_of_names,
    root_mode_id,
    shortened,
    slug,
    unique,
)
from tokensync.normalize.motion import motion_values
from tokensync.normalize.numbers import classify_weights, inferred_types
from tokensync.system.errors import DECODE_ERRORS
from tokensync.system.problems import Problem, problem
from tokensync.system.wording import counted
from tokensync.tokens import (
    Alias,
    Collection,
    Color,
    ComposedColor,
    Composite,
    DanglingAlias,
    Extension,
    Mode,
    OpaqueVariable,
    Origin,
    Quantity,
    Token,
    TokenGraph,
    TokenKey,
    Translator,
    composed,
    float32,
)
from tokensync.tokens.algorithms import closure, components
from tokensync.tokens.paths import encoded
from tokensync.tokens.resolver import NEEDS_RESOLVER, TokenTable
from tokensync.tokens.values import HEAVIEST, LIGHTEST, LITERALS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tokensync.extract.wire import WireMode, WireValue
    from tokensync.tokens import FamilyKey, Value
    from tokensync.tokens.resolver import Code, TokenIndex


def normalize(snapshot: Snapshot, rules: TypeRules | None = None) -> tuple[TokenGraph, tuple[Problem, ...]]:
    """Return the graph of one file, and the warnings and notes about its response.

    Join the graphs of several files with ``linked``, and call ``findings`` on the result. Raises ProblemsError for
    values that do not match the API's documentation.
    """
    draft = _Draft(snapshot, rules or TypeRules())
    _families(draft)
    try:
        _paths(draft)
        _variables(draft)
    except DECODE_ERRORS:
        snapshot.refuse_values()
        raise
    table = draft.table
    for index, token_type in inferred_types(table, draft.rules.numbers(table)).items():
        table.types[index] = token_type
    labels = {collection.key: draft.families[collection.id].label for collection in draft.collections}
    draft.problems += classify_weights(table, labels)
    _repeated_names(draft)
    _stale_copies(draft)
    for collection in draft.collections:
        _of_collection(draft, collection)
    return TokenGraph(draft.collections, table), (*snapshot.problems, *draft.problems)


_LIVE_ORIGINS = ("local", "absent")


def linked(graphs: Sequence[TokenGraph]) -> TokenGraph:
    """Return one graph of all files, in their order, with aliases to remote variables redirected to their own file.

    Dangling aliases are linked, too, if the key in their id is that of a variable in one of the graphs.
    """
    if len(graphs) == 1:
        return graphs[0]
    homes: dict[str, TokenKey] = {}
    for graph in graphs:
        for token in graph.tokens.values():
            if token.origin in ("local", "withheld") and token.variable_key:
                homes.setdefault(token.variable_key, token.key)
    redirects: dict[TokenKey, TokenKey | DanglingAlias] = {}
    for graph in graphs:
        for token in graph.tokens.values():
            home = homes.get(token.variable_key) if token.origin == "remote" else None
            if home is not None and home.file != token.key.file:
                redirects[token.key] = home
    redirect = Translator(redirects).token
    return TokenGraph(
        (collection for graph in graphs for collection in graph.collections.values()),
        (redirect(_linked(token, homes), token.key) for graph in graphs for token in graph.tokens.values()),
    )


def _linked(token: Token, homes: Mapping[str, TokenKey]) -> Token:
    """Return the token with its dangling aliases redirected to ``homes``, tokens by their key on the platform."""

    def of_part(value: Value | None) -> Value | None:
        home = homes.get(key_of_remote_id(value.reference)) if isinstance(value, DanglingAlias) else None
        return value if home is None or home.file == token.key.file else Alias(home)

    values = tuple(
        ComposedColor(of_part(value.color), of_part(value.opacity))  # type: ignore[arg-type]
        if isinstance(value, ComposedColor)
        else of_part(value)
        for value in token.values
    )
    return token if values == token.values else replace(token, values=values)


def referenced(graph: TokenGraph) -> TokenGraph:
    """Return the graph without remote, deleted and withheld tokens that no live token depends on, and without the
    collections that this empties.
    """
    table = graph.table
    local_columns: dict[FamilyKey, list[int]] = {}  # those of local extensions
    for key, family in graph.collections.items():
        local = {extension.handle for extension in family.extensions if extension.origin == "local"}
        if local:
            local_columns[key] = [column for column, mode in enumerate(family.modes) if mode.collection in local]
    stay = local_columns.keys() | {key for key, each in graph.collections.items() if each.origin in _LIVE_ORIGINS}
    live = [
        index
        for index, origin, home in zip(table.order, table.origins, table.families, strict=True)
        if origin in _LIVE_ORIGINS
        or any(table.values_of(index)[column] is not None for column in local_columns.get(home, ()))
    ]
    if len(live) == len(table.order) and len(stay) == len(graph.collections):
        return graph
    reached = closure(live, table.targets_of)
    stay |= {table.families[index] for index in reached}
    tokens = graph.columns.tokens
    return TokenGraph(
        (family for key, family in graph.collections.items() if key in stay),
        (tokens[index] for index in table.order if index in reached),
    )


class _Family(Struct, kw_only=True):
    """A draft of a root collection and its extensions.

    ``columns`` maps each collection id to its mode ids and their columns of values. ``variables`` are the variables
    with a supported type, in token order, then overridden variables that the response lacks.
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


class _Draft(Struct):
    """The graph of one file under construction, and its problems.

    ``families`` maps collection ids to their families, ``labels`` to their names in problems, and ``origins`` the ids
    of collections and variables that are not live local ones to their origins. ``paths`` maps the ids of variables to
    their paths, in token order, and ``motion`` those of readable motion variables to their values, by the id of the
    collection that has them.
    """

    snapshot: Snapshot
    rules: TypeRules
    problems: list[Problem] = field(default_factory=list)
    families: dict[str, _Family] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    handles: set[str] = field(default_factory=set)
    collections: list[Collection] = field(default_factory=list)
    origins: dict[str, Origin] = field(default_factory=dict)
    paths: dict[str, str] = field(default_factory=dict)
    motion: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    table: TokenTable = field(default_factory=partial(TokenTable, collections={}))

    def report(self, code: str, where: str, what: str, what_to_do: str, names: Sequence[str] = ()) -> None:
        """Report a problem; ``where`` is a collection, or a collection and a variable."""
        self.problems.append(problem(code, where, what, what_to_do, names))


def _families(draft: _Draft) -> None:
    """Add the collections of the snapshot to the draft. Local collections have precedence for handles."""
    wires = draft.snapshot.local.variable_collections
    local = [wire for wire in wires.values() if not (wire.remote or wire.deleted_but_referenced)]
    foreign = [wire for wire in wires.values() if wire.remote or wire.deleted_but_referenced]
    draft.origins |= {wire.id: "remote" if wire.remote else "deleted" for wire in foreign}
    handles = {each.id: unique(slug(each.name, COLLECTION), draft.handles) for each in (*local, *foreign)}
    first = {collection.name: collection.id for collection in reversed((*local, *foreign))}
    draft.labels = {
        wire.id: shortened(wire.name or handles[wire.id])
        + ("" if first[wire.name] == wire.id else f" ({handles[wire.id]})")
        for wire in wires.values()
    }
    parents: dict[str, str | None] = dict.fromkeys(wires)
    members: dict[str, list[WireCollection]] = {identity: [] for identity in wires}
    if any(wire.is_extension or wire.parent_variable_collection_id is not None for wire in wires.values()):
        parents, members = _ancestry(draft)
    for root, extensions in members.items():
        wire = wires.get(root)
        handle = handles[root] if wire else unique(f"{handles[extensions[0].id]}-parent", draft.handles)
        label = draft.labels.get(root, shortened(handle))
        family = _Family(root=root, handle=handle, label=label, name=wire.name if wire else "", extensions=extensions)
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
                origin=draft.origins.get(root, "local") if wire else "absent",
            )
        )
        draft.families.update(dict.fromkeys(family.columns, family))


def _add_modes(draft: _Draft, family: _Family, wire: WireCollection, handle: str, parent: str | None) -> None:
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


def _default_column(draft: _Draft, family: _Family, wire: WireCollection) -> int:
    """Return the column of a collection's default mode, or of its first mode if the default is not one of its modes."""
    columns = family.columns[wire.id]
    column = columns.get(wire.default_mode_id)
    if column is None and columns:
        what = f"its default mode {shortened(wire.default_mode_id)} is not among its modes"
        draft.report("default-mode-unknown", draft.labels[wire.id], what, "the first mode is used as the default")
    return next(iter(columns.values()), 0) if column is None else column


def _ancestry(draft: _Draft) -> tuple[dict[str, str | None], dict[str, list[WireCollection]]]:
    """Return the parent id of each collection, and the extensions of each root id, parents first.

    Parents and roots may be missing from the response. Cycles are reported, and broken at their first collection.
    """
    wires = draft.snapshot.local.variable_collections
    by_key = {wire.key: wire.id for wire in wires.values() if wire.remote}
    parents: dict[str, str | None] = {}
    for wire in wires.values():
        parent = wire.parent_variable_collection_id
        if parent is None and wire.is_extension:
            parent = wire.root_variable_collection_id
        if parent is not None and parent not in wires:  # publishing changes remote ids, but not keys
            parent = by_key.get(key_of_remote_id(parent), parent)
        parents[wire.id] = parent

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
    members: dict[str, list[WireCollection]] = {wire: [] for wire in wires if parents[wire] is None}
    for identity in sorted(wires, key=depths.__getitem__):
        if roots[identity] != identity:
            members.setdefault(roots[identity], []).append(wires[identity])
    return parents, members


def _add_absent_root(draft: _Draft, family: _Family, parents: dict[str, str | None]) -> None:
    """Add the modes of a parent that is missing from the response. Only their ids are known."""
    first = family.extensions[0]
    what = f"the collection that it extends ({shortened(family.root)}) is not in the response"
    to_do = "add the library to the file again (until then, only its own overrides are known)"
    draft.report("extension-parent-absent", draft.labels[first.id], what, to_do)
    columns = family.columns[family.root] = {}
    slugs: set[str] = set()
    for extension in family.extensions:
        for mode in extension.modes if parents[extension.id] == family.root else ():
            identity = mode.parent_mode_id or root_mode_id(mode.mode_id)
            if identity not in columns:
                columns[identity] = len(family.modes)
                name = unique(slug(mode.name, MODE), slugs)
                family.modes.append(
                    Mode(name=mode.name, collection=family.handle, slug=name, context=name, id=identity)
                )


def _extension(
    draft: _Draft, family: _Family, wire: WireCollection, handles: dict[str, str], parents: dict[str, str | None]
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
        origin=draft.origins.get(wire.id, "local"),
    )


def _parent_column(draft: _Draft, family: _Family, wire: WireCollection, mode: WireMode, parent: str) -> int | None:
    """Return the column of a mode's parent mode, or None, which is reported."""
    columns = family.columns.get(parent, {})
    parent_id = mode.parent_mode_id
    if parent_id is None:
        root_mode = root_mode_id(mode.mode_id)
        parent_id = next((mode_id for mode_id in columns if root_mode_id(mode_id) == root_mode), None)
    column = columns.get(parent_id) if parent_id is not None else None
    if column is None:
        where = f"{draft.labels[wire.id]} / mode {shortened(mode.name)}"
        what = "the mode that it inherits from is not in the parent collection"
        draft.report("parent-mode-unknown", where, what, "its own overrides are used, and nothing is inherited")
    return column


COMPOSE = "COMPOSE_COLOR"

_OUTCOME = "set it again in the design file (until then, the value is omitted)"
_CHANNELS = Packing("<4f")
_CLASSES: dict[str, type] = {"COLOR": WireObject, "FLOAT": float, "STRING": str, "BOOLEAN": bool}
_CLASSES |= {"TIMING": Quantity, "EASING": Composite}
"""The class of literals in a response, or of ``motion_values``, by variable type."""


class BadValue(Exception):
    """A value that is invalid for its variable's type."""


def _paths(draft: _Draft) -> None:
    """Fill ``draft.paths`` in token order: by family, then by ``variableIds``.

    Live variables have the path of their name. Deleted and remote variables with the same name get a numbered path.
    """
    families, origins = draft.families, draft.origins
    variables = draft.snapshot.local.variables.values()
    foreign = [variable for variable in variables if variable.remote or variable.deleted_but_referenced]
    origins |= {variable.id: "deleted" if variable.deleted_but_referenced else "remote" for variable in foreign}
    if not families.keys() >= {variable.variable_collection_id for variable in variables}:
        _add_absent_families(draft)
    for identity in draft.snapshot.withheld:
        origins.setdefault(identity, "withheld")
    opaque = _assign_variables(draft)
    for collection in draft.collections:
        _name_variables(draft, families[collection.id])
    if opaque:
        draft.collections = [_with_opaque(each, opaque.get(each.id, ()), draft) for each in draft.collections]


def _name_variables(draft: _Draft, family: _Family) -> None:
    """Assign paths to the variables of a family. Repeated names get a numbered path, after all others have theirs."""
    paths, origins = family.paths, draft.origins
    own = [variable.name for variable in family.variables]
    names = dict(zip([variable.id for variable in family.variables], paths_of_names(own), strict=True))
    draft.paths |= names  # preserves the order of repeated names, too
    paths.update(names.values())
    repeated: list[tuple[WireVariable, str]] = []
    if len(paths) < len(names) or not origins.keys().isdisjoint(names):
        paths.clear()
        for variable in family.variables:
            path = names[variable.id]
            if path in paths or variable.id in origins:
                repeated.append((variable, path))
            else:
                paths.add(path)
    for variable, path in repeated:
        if variable.id not in origins:
            where = f"{family.label} / {shortened(variable.name)}"
            what = f"another variable of the collection has this name (this one is {variable.id})"
            draft.report("name-repeated", where, what, "rename one of them in the design file")
        draft.paths[variable.id] = unique(path, paths)
    if family.extensions:
        _name_absent_variables(draft, family)


def _assign_variables(draft: _Draft) -> dict[str, list[WireVariable]]:
    """Add the variables to their families, those in ``variableIds`` first and in that order.

    Return the opaque variables by the id of their family's root.
    """
    local = draft.snapshot.local
    _read_motion(draft)
    unlisted = local.variables.copy()
    opaque: dict[str, list[WireVariable]] = {}
    for collection in local.variable_collections.values():
        family = draft.families[collection.id]
        if family.root != collection.id:
            continue
        for identity in collection.variable_ids:
            variable = unlisted.get(identity)
            if variable is not None and variable.variable_collection_id == collection.id:
                del unlisted[identity]
                if variable.resolved_type in VALUE_TYPES or identity in draft.motion:
                    family.variables.append(variable)
                else:
                    opaque.setdefault(collection.id, []).append(variable)
    for variable in unlisted.values():
        home = draft.families.get(variable.variable_collection_id)
        if variable.resolved_type not in VALUE_TYPES and variable.id not in draft.motion:
            opaque.setdefault(home.root if home else "", []).append(variable)
        elif home is not None:
            home.variables.append(variable)
    for root, variables in opaque.items():
        label = draft.families[root].label if root else ""
        for variable in variables:
            where = f"{label or shortened(variable.variable_collection_id)} / {shortened(variable.name)}"
            is_motion = variable.resolved_type in MOTION_TYPES
            form = "has a value in an unknown form" if is_motion else "is not supported"
            what = f"its type {shortened(variable.resolved_type)} {form}"
            draft.report("type-unknown", where, what, "it stays unchanged in the design file")
    return opaque


def _read_motion(draft: _Draft) -> None:
    """Fill ``draft.motion``. A variable stays opaque if one of its values does, or refers to a variable that does."""
    local = draft.snapshot.local
    candidates = [variable for variable in local.variables.values() if variable.resolved_type in MOTION_TYPES]
    for variable in candidates:
        values = {variable.variable_collection_id: motion_values(variable.resolved_type, variable.raw_values)}
        for collection in local.variable_collections.values():
            if (raw := collection.raw_overrides.get(variable.id)) is not None:
                values[collection.id] = motion_values(variable.resolved_type, raw, are_overrides=True)
        if variable.variable_collection_id in draft.families and None not in values.values():
            draft.motion[variable.id] = values  # type: ignore[assignment]
    while unread := [variable for variable in candidates if not _has_known_targets(draft, variable)]:
        for variable in unread:
            del draft.motion[variable.id]


def _has_known_targets(draft: _Draft, variable: WireVariable) -> bool:
    """Return whether the aliases of a readable motion variable are to others of its type, or to unknown variables."""
    variables = draft.snapshot.local.variables
    for values in draft.motion.get(variable.id, {}).values():
        for value in values.values():
            target = variables.get(value.id or "") if type(value) is WireObject else None
            if target and (target.id not in draft.motion or target.resolved_type != variable.resolved_type):
                return False
    return True


def _add_absent_families(draft: _Draft) -> None:
    """Add families for variables' collections that are missing from the response. Only their mode ids are known."""
    homeless: dict[str, list[WireVariable]] = {}
    for variable in draft.snapshot.local.variables.values():
        if variable.variable_collection_id not in draft.families and variable.resolved_type in VALUE_TYPES:
            homeless.setdefault(variable.variable_collection_id, []).append(variable)
    for identity, variables in homeless.items():
        mode_ids = list(
            dict.fromkeys(mode_id for variable in variables for mode_id in decode_values(variable.raw_values))
        ) or [""]
        handle = unique("absent-collection", draft.handles)
        family = _Family(root=identity, handle=handle, label=handle)
        family.columns[identity] = {mode_id: column for column, mode_id in enumerate(mode_ids)}
        slugs = [f"mode-{number}" for number in range(1, len(mode_ids) + 1)]
        modes = tuple(
            Mode(name="", collection=family.handle, slug=name, context=name, id=mode_id)
            for name, mode_id in zip(slugs, mode_ids, strict=True)
        )
        draft.families[identity] = family
        for variable in variables:  # a ghost of a deleted collection, which the editor does not show
            draft.origins.setdefault(variable.id, "deleted")
        origin = draft.origins[variables[0].id]
        draft.collections.append(
            Collection(file=draft.snapshot.file, handle=family.handle, name="", modes=modes, id=identity, origin=origin)
        )
        counted = "1 variable belongs" if len(variables) == 1 else f"{len(variables)} variables belong"
        what = f"{counted} to the collection {shortened(identity)}, which is not in the response"
        to_do = (
            "use Detach deleted variables in Figma, or complete the saved response (until then, it counts as deleted)"
        )
        draft.report("collection-absent", shortened(variables[0].name), what, to_do)


def _with_opaque(collection: Collection, variables: Iterable[WireVariable], draft: _Draft) -> Collection:
    """Return the collection with its opaque variables, except deleted ones."""
    live = [variable for variable in variables if not variable.deleted_but_referenced]
    if not live:
        return collection
    extensions = draft.families[collection.id].extensions
    return replace(collection, opaque=tuple(_opaque(variable, extensions) for variable in live))


def _opaque(variable: WireVariable, extensions: Iterable[WireCollection]) -> OpaqueVariable:
    raws = [variable.raw_values]
    raws += (extension.raw_overrides[variable.id] for extension in extensions if variable.id in extension.raw_overrides)
    parts = [json_parts(raw) for raw in raws]
    about = (variable.description, variable.hidden_from_publishing, sorted(variable.scopes), variable.code_syntax)
    return OpaqueVariable(
        id=variable.id,
        name=variable.name,
        type=variable.resolved_type,
        values=tuple(sorted(pair for texts, _ in parts for pair in texts.items())),
        about=msgspec.json.encode(about, order="sorted").decode(),
        targets=tuple(dict.fromkeys(target for _, targets in parts for target in targets)),
    )


def _name_absent_variables(draft: _Draft, family: _Family) -> None:
    """Add overridden variables that are missing from the response, so that their overrides round-trip."""
    for extension in family.extensions:
        for identity in extension.raw_overrides:
            variable = draft.snapshot.local.variables.get(identity)
            if variable is None and not _is_readable(family, identity):
                what = f"it overrides {shortened(identity)}, which is not in the response, with unsupported values"
                to_do = "the overrides stay unchanged in the design file"
                draft.report("override-of-absent", draft.labels[extension.id], what, to_do)
            elif variable is None and identity not in draft.paths:
                draft.paths[identity] = unique(encoded(identity), family.paths)
                draft.origins[identity] = "absent"
                family.variables.append(_absent_variable(draft, family, identity))
                what = f"it overrides {shortened(identity)}, which is not in the response"
                to_do = "token files contain the override, and outputs omit it"
                draft.report("override-of-absent", draft.labels[extension.id], what, to_do)
            elif variable is None or draft.families.get(variable.variable_collection_id) is not family:
                what = f"it overrides {shortened(identity)}, which is not a variable of the collection that it extends"
                draft.report("override-misplaced", draft.labels[extension.id], what, "the override is omitted")


def _is_readable(family: _Family, identity: str) -> bool:
    """Return whether the family's overrides of a variable can be decoded."""
    try:
        for extension in family.extensions:
            extension.overrides_of(identity)
    except DECODE_ERRORS:
        return False
    return True


def _absent_variable(draft: _Draft, family: _Family, identity: str) -> WireVariable:
    """Return a variable of which only overrides are known. Its type is inferred from them; the default is a colour."""
    overrides = [extension.overrides_of(identity) for extension in family.extensions]
    types = (_inferred_type(draft, value) for override in overrides for value in override.values())
    return WireVariable(
        id=identity,
        name="",
        variable_collection_id=family.root,
        resolved_type=next(filter(None, types), "COLOR"),
        raw_values=msgspec.Raw(b"{}"),
        key=key_of_remote_id(identity),
    )


def _table(draft: _Draft) -> TokenTable:
    """Return the table of tokens: one for every variable that has a path, without values."""
    families = [(collection, draft.families[collection.id]) for collection in draft.collections]
    variables = [variable for _, family in families for variable in family.variables]
    origins = [draft.origins.get(variable.id, "local") for variable in variables]
    published = None if draft.snapshot.published is None else draft.snapshot.published_by_key()
    return TokenTable(
        collections={collection.key: collection for collection in draft.collections},
        families=[key for collection, family in families for key in [collection.key] * len(family.variables)],
        paths=[*draft.paths.values()],
        types=[KINDS[variable.resolved_type] for variable in variables],
        rows=[()] * len(variables),
        descriptions=[variable.description for variable in variables],
        scopes=[variable.scopes for variable in variables],
        code_syntax=[
            tuple(sorted(texts.items())) if texts else () for texts in map(attrgetter("code_syntax"), variables)
        ],
        hidden=[variable.hidden_from_publishing for variable in variables],
        origins=origins,
        published=[
            None if published is None or origin != "local" else variable.key in published
            for variable, origin in zip(variables, origins, strict=True)
        ],
        deprecated=[False] * len(variables),
        ids=[variable.id for variable in variables],
        variable_keys=[variable.key for variable in variables],
        extensions=[""] * len(variables),
        units=[""] * len(variables),
        notations=[()] * len(variables),
    )


def _variables(draft: _Draft) -> None:
    table = draft.table = _table(draft)
    indices: dict[str | None, TokenIndex] = dict(zip(draft.paths, table.order, strict=True))
    reader = ValueReader(table, indices)
    codes_of = {resolved_type: _Codes(reader, resolved_type) for resolved_type in KINDS}
    rules, types, rows, order = draft.rules, table.types, table.rows, iter(table.order)
    for collection in draft.collections:
        family = draft.families[collection.id]
        own = family.columns[family.root]
        mode_ids = [*own] if len(own) == len(collection.modes) else None  # None for a family with extensions
        for variable, index in zip(family.variables, order, strict=False):
            resolved_type = variable.resolved_type
            codes, code_of = [NEEDS_RESOLVER], codes_of[resolved_type]
            try:
                decode = DECODE_USUAL_VALUES.get(resolved_type)
                wire_values = decode(variable.raw_values) if decode is not None else {}
                if [*wire_values] == mode_ids:  # the common case: each mode once, in order
                    codes = [
                        indices.get(value.id, NEEDS_RESOLVER)
                        if type(value) is WireObject and value.type == ALIAS
                        else code_of[value]
                        for value in wire_values.values()
                    ]
            except (msgspec.ValidationError, BadValue):
                pass  # reported below, with its mode
            rows[index] = tuple(codes)
            if NEEDS_RESOLVER in codes:
                table.put(index, _values_by_column(draft, reader, variable, collection))
            if table.origins[index] == "absent":  # its scopes are unknown
                continue
            kind = rules.type_of(resolved_type, variable.scopes, variable.name, collection.name)
            if kind == "fontWeight" and not all(
                LIGHTEST <= value <= HEAVIEST for value in table.literals_of(index) if isinstance(value, float)
            ):
                kind = "number"
                where = f"{family.label} / {_name(draft, variable.id)}"
                what = "a font weight is not between 1 and 1000"
                draft.report("font-weight-range", where, what, "it is read as a number")
            types[index] = kind
            if rules.own and kind == "number":
                rule = rules.own_rule(resolved_type, variable.scopes, variable.name, collection.name)
                table.units[index] = "" if rule is None else rule.number_unit


def _values_by_column(
    draft: _Draft, reader: ValueReader, variable: WireVariable, collection: Collection
) -> tuple[Value | None, ...]:
    """Return a value for each column, from values in any order and overrides. Report values of unknown modes."""
    family = draft.families[collection.id]
    own = family.columns[variable.variable_collection_id]
    where = f"{family.label} / {_name(draft, variable.id)}"
    values: list[Value | None] = [None] * len(collection.modes)

    def put(column: int, value: WireValue) -> None:
        try:
            values[column] = reader.value(variable.resolved_type, value)
        except BadValue as fault:
            mode = collection.modes[column]
            draft.report("value-mismatch", f"{where} / {shortened(mode.name or mode.context)}", str(fault), _OUTCOME)

    motion = draft.motion.get(variable.id)
    held = decode_values(variable.raw_values) if motion is None else motion[variable.variable_collection_id]
    for mode_id, value in held.items():
        # Values can include modes of extensions.
        column = next((columns[mode_id] for columns in (own, *family.columns.values()) if mode_id in columns), None)
        if column is None:
            what = f"it has a value for {shortened(mode_id)}, which is not a mode of its collection"
            draft.report("mode-unknown", where, what, _OUTCOME)
        else:
            put(column, value)
    for extension in family.extensions:
        held = extension.overrides_of(variable.id) if motion is None else motion.get(extension.id, {})
        for mode_id, value in held.items():
            column = family.columns[extension.id].get(mode_id)
            if column is None:
                overrides = f"{shortened(extension.name)} overrides it for {shortened(mode_id)}"
                what = f"{overrides}, which is not one of its modes"
                draft.report("mode-unknown", where, what, _OUTCOME)
            elif value is not None:  # null means that there is no override
                put(column, value)
    return tuple(values)


def _name(draft: _Draft, identity: str) -> str:
    """Return the name of a variable, which a number tells apart from others of its collection, or an unknown id."""
    is_known = identity in draft.snapshot.local.variables
    return shortened(name_of_path(draft.paths[identity]) if is_known else identity)


def _inferred_type(draft: _Draft, value: WireValue) -> str | None:
    """Return the variable type of a value, or None if it cannot be inferred."""
    match value:
        case bool():
            return "BOOLEAN"
        case float():
            return "FLOAT"
        case str():
            return "STRING"
        case WireObject(type=kind, id=target) if kind == ALIAS:
            variable = draft.snapshot.local.variables.get(target or "")
            return variable.resolved_type if variable is not None and variable.resolved_type in KINDS else None
        case WireObject():
            return "COLOR"
        case _:
            return None


class ValueReader(NamedTuple):
    """Reads the values of one snapshot into a table. ``indices`` maps variable ids to token indices."""

    table: TokenTable
    indices: Mapping[str | None, TokenIndex]

    def value(self, resolved_type: str, value: WireValue) -> Value:
        """Return the token value of a variable. Raises BadValue if it is invalid for the variable's type."""
        if type(value) is WireObject:
            if value.type == ALIAS:
                return self._alias(value)
            if resolved_type == "COLOR":
                if value.r is not None:
                    return self._color(value)
                if value.type == EXPRESSION:
                    return self._expression(value)
                if value.color is not None or value.opacity is not None:
                    return self._composed(value.color, value.opacity)
        elif type(value) is _CLASSES[resolved_type]:
            return self._number(value) if type(value) is float else value  # type: ignore[return-value]
        raise BadValue(f"a {resolved_type} variable holds {_described(value)}")

    def _alias(self, value: WireObject) -> Alias | DanglingAlias:
        if value.id is None:
            raise BadValue("an alias has no id")
        index = self.indices.get(value.id)
        return DanglingAlias(value.id) if index is None else Alias(self.table.keys[index])

    def _color(self, value: WireObject) -> Color:
        if value.r is None or value.g is None or value.b is None:
            raise BadValue("a colour lacks r, g or b")
        alpha = 1.0 if value.a is None else value.a
        try:
            red, green, blue, alpha = _CHANNELS.unpack(_CHANNELS.pack(value.r, value.g, value.b, alpha))
        except OverflowError:
            red = -1.0
        if 0 <= red <= 1 and 0 <= green <= 1 and 0 <= blue <= 1 and 0 <= alpha <= 1:
            return Color(red + 0.0, green + 0.0, blue + 0.0, alpha + 0.0)  # -0.0 becomes 0.0
        raise BadValue("a colour has a channel outside 0 to 1")

    def _number(self, value: float) -> float:
        try:
            return float32(value) + 0.0  # turns -0.0 into 0.0
        except OverflowError:
            raise BadValue("a number is too large for a 32-bit float") from None

    def _composed(self, color: WireObject | None, opacity: float | WireObject | None) -> Value:
        if color is None or opacity is None:
            raise BadValue(f"a composed colour lacks its {'colour' if color is None else 'opacity'}")
        base = self._alias(color) if color.type == ALIAS else self._color(color)
        if isinstance(opacity, float):
            percentage: float | Alias | DanglingAlias = self._number(opacity)
        elif opacity.type == ALIAS:
            percentage = self._alias(opacity)
        else:
            raise BadValue(f"the opacity of a composed colour is {_described(opacity)}")
        if isinstance(base, Color) and isinstance(percentage, float):
            return composed(base, percentage)
        return ComposedColor(base, percentage)

    def _expression(self, value: WireObject) -> Value:
        """Return the value of a composed colour in the older form, which the API still returns for some files."""
        if value.expression_function != COMPOSE or len(value.expression_arguments) != 2:
            raise BadValue("an expression is not COMPOSE_COLOR with a colour and an opacity")
        color, opacity = value.expression_arguments
        if not isinstance(color, WireObject):
            raise BadValue("the first argument of COMPOSE_COLOR is not a colour")
        return self._composed(color, opacity)


class _Codes(dict["WireValue", "Code"]):
    """The codes of the literals of one type of variables. A look-up raises BadValue for an invalid value.

    The values are of ``DECODE_USUAL_VALUES``: no other class is among them, because ``1.0`` equals ``True``.
    """

    def __init__(self, reader: ValueReader, resolved_type: str) -> None:
        super().__init__()
        self._reader = reader
        self._resolved_type = resolved_type

    def __missing__(self, wire_value: WireValue) -> Code:
        value = self._reader.value(self._resolved_type, wire_value)
        code_of = self._reader.table.literals.code
        code = self[wire_value] = code_of(value) if type(value) in LITERALS else NEEDS_RESOLVER  # type: ignore[arg-type]
        return code


def _described(value: WireValue) -> str:
    """Return a description of a value, with its article."""
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case float():
            return "a number"
        case str():
            return "a string"
        case WireObject(type=kind) if kind == EXPRESSION:
            return "an expression"
        case WireObject(color=color) if color is not None:
            return "a composed colour"
        case _:
            return "a colour" if value.r is not None else "an unknown object"


_HANDLES = "if tokensync.toml names one of them, use its handle there"


def _repeated_names(draft: _Draft) -> None:
    by_name: dict[str, list[str]] = {}
    for family in draft.collections:
        if family.origin != "absent":
            by_name.setdefault(family.name, []).append(family.handle)
        for extension in family.extensions:
            by_name.setdefault(extension.name, []).append(extension.handle)
    for name, handles in by_name.items():
        if len(handles) > 1:
            what = f"{len(handles)} collections have this name"
            draft.report("collection-name-repeated", shortened(name), what, _HANDLES, handles)


def _stale_copies(draft: _Draft) -> None:
    variables = [variable for variable in draft.snapshot.local.variables.values() if variable.key]
    if len({variable.key for variable in variables}) == len(variables):
        return
    first: dict[str, str] = {}
    repeated: dict[str, str] = {}
    for variable in variables:
        if variable.key in first:
            repeated[variable.key] = first[variable.key]
        else:
            first[variable.key] = variable.name
    verb = "has" if len(repeated) == 1 else "have"
    what = f"{counted(len(repeated), 'variable')} {verb} several copies"
    to_do = "update the libraries in the design file (until then, each alias uses the copy that it refers to)"
    draft.report("remote-copy-stale", draft.snapshot.file, what, to_do, list(map(shortened, repeated.values())))


_UNSCOPED = frozenset(MOTION_TYPES.values())
"""The types of variables that have no scopes in the platform."""


def _of_collection(draft: _Draft, collection: Collection) -> None:
    """Report the deleted variables of a collection, and unusual names and scopes of its live ones."""
    table, indices = draft.table, draft.table.of_family[collection.key]
    paths, origins = table.paths, table.origins
    is_known = collection.id in draft.snapshot.local.variable_collections  # else it is reported already
    deleted = [index for index in indices if is_known and origins[index] == "deleted"]
    to_do = f"outputs replace references to {'it' if len(deleted) == 1 else 'them'} with literals"
    one, several = "1 deleted variable is still referenced", "{} deleted variables are still referenced"
    reports = [("variable-deleted", deleted, one, several, to_do)]
    if collection.origin == "local":
        live = [index for index in indices if origins[index] == "local"]
        one, several = "1 variable has the name of a group", "{} variables have the name of a group"
        to_do = "token files contain the value as the group's $root"
        level = in_use = {*map(paths.__getitem__, live)}
        groups: set[str] = set()
        while level := {path[:end] for path in level if (end := path.rfind(".")) > 0}:  # visits a shared group once
            groups |= in_use & level
        with_name = [index for index in live if paths[index] in groups] if groups else []
        reports.append(("leaf-and-group", with_name, one, several, to_do))
        with_percent = [index for index in live if "%" in paths[index]]
        encoded = [index for index in with_percent if name_of_path(paths[index]) != paths[index].replace(".", "/")]
        one = "1 name contains characters that token names cannot contain"
        several = "{} names contain characters that token names cannot contain"
        reports.append(("name-encoded", encoded, one, several, "token files percent-encode these characters"))
        unscoped = [index for index in live if not table.scopes[index] and table.types[index] not in _UNSCOPED]
        to_do = "the types of numbers follow from their aliases and names, unless a [[types]] rule sets them"
        reports.append(("scopes-empty", unscoped, "1 variable has no scopes", "{} variables have no scopes", to_do))
    for code, affected, one, several, to_do in reports:
        if affected:
            what = one if len(affected) == 1 else several.format(len(affected))
            names = [shortened(draft.snapshot.local.variables[table.ids[index]].name) for index in affected]
            draft.report(code, draft.families[collection.id].label, what, to_do, names)
