"""Step 2: every variable gets its token key, before any value is read: aliases point both ways."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.mapping import KINDS, path_of_id, path_of_name, unique
from tokensync.normalize.draft import Draft, Family
from tokensync.tokens import Collection, Mode, TokenKey

if TYPE_CHECKING:
    from tokensync.tokens import Origin
    from tokensync.wire import WireVariable


def keys(draft: Draft) -> None:
    """Fill ``draft.keys``, in the order in which the tokens will stand: by family, then by ``variableIds``.

    Live variables take the path of their name; a deleted or remote twin of the same name takes a path beside it.
    """
    members = _members(draft)
    for collection in tuple(draft.collections):
        family = draft.families[collection.id]
        variables = members.get(collection.id, [])
        taken: dict[str, TokenKey] = {}
        twins: list[WireVariable] = []
        for variable in variables:
            path = path_of_name(variable.name)
            if origin_of(variable, draft) == "local" and path not in family.paths:
                family.paths.add(path)
                taken[variable.id] = TokenKey(draft.file, family.handle, path)
            else:
                twins.append(variable)
        for variable in twins:
            path = path_of_name(variable.name)
            if path in family.paths and origin_of(variable, draft) == "local":
                where = f"{collection.name} / {variable.name}"
                what = f"another variable of the collection has this name; this one is {variable.id}"
                draft.report("name-repeated", where, what, "rename one of them in the design file")
            taken[variable.id] = TokenKey(draft.file, family.handle, unique(path, family.paths))
        for variable in variables:
            draft.keys[variable.id] = taken[variable.id]
        _overridden_absentees(draft, family, collection)


def origin_of(variable: WireVariable, draft: Draft) -> Origin:
    """Where a variable of a response lives."""
    if variable.deleted_but_referenced:
        return "deleted"
    if variable.remote:
        return "remote"
    return "withheld" if variable.id in draft.snapshot.withheld else "local"


def _members(draft: Draft) -> dict[str, list[WireVariable]]:
    """The variables of each family, by its root's id: those that ``variableIds`` lists first, in its order."""
    local = draft.snapshot.local
    members: dict[str, list[WireVariable]] = {}
    listed: set[str] = set()
    for collection in local.variable_collections.values():
        if draft.families[collection.id].root != collection.id:
            continue
        own = members[collection.id] = []
        for identity in collection.variable_ids:
            variable = local.variables.get(identity)
            if variable is not None and variable.variable_collection_id == collection.id and identity not in listed:
                listed.add(identity)
                if _has_known_type(draft, variable, collection.name):
                    own.append(variable)
    for variable in local.variables.values():
        if variable.id not in listed:
            family = draft.families.get(variable.variable_collection_id) or _family_of_absent(draft, variable)
            if _has_known_type(draft, variable, family.handle):
                members.setdefault(family.root, []).append(variable)
    return members


def _has_known_type(draft: Draft, variable: WireVariable, collection: str) -> bool:
    if variable.resolved_type in KINDS:
        return True
    what = f"its type {variable.resolved_type[:40]!r} has no token form"
    draft.report("type-unknown", f"{collection} / {variable.name}", what, "it is left out, and so is what refers to it")
    return False


def _family_of_absent(draft: Draft, variable: WireVariable) -> Family:
    """A family for a collection that the response names but does not hold; its modes are known by id alone."""
    identity = variable.variable_collection_id
    taken = {each.handle for each in draft.families.values()}
    family = Family(identity, unique("absent-collection", taken))
    mode_ids = list(variable.values_by_mode) or [""]
    family.columns[identity] = {mode_id: column for column, mode_id in enumerate(mode_ids)}
    slugs = [f"mode-{number}" for number in range(1, len(mode_ids) + 1)]
    modes = tuple(
        Mode(name="", collection=family.handle, slug=name, context=name, id=mode_id)
        for name, mode_id in zip(slugs, mode_ids, strict=True)
    )
    draft.families[identity] = family
    draft.collections.append(
        Collection(file=draft.file, handle=family.handle, name="", modes=modes, id=identity, origin="absent")
    )
    what = f"its collection {identity} is not in the response"
    draft.report("collection-absent", variable.name, what, "it is read with unnamed modes; save the response again")
    return family


def _overridden_absentees(draft: Draft, family: Family, collection: Collection) -> None:
    """Overrides of variables that the response does not hold still have to round-trip."""
    for extension in family.extensions:
        for identity in extension.variable_overrides:
            if identity not in draft.snapshot.local.variables and identity not in draft.keys:
                path = unique(path_of_id(identity), family.paths)
                draft.keys[identity] = TokenKey(draft.file, collection.handle, path)
                what = f"it overrides {identity}, which is not in the response"
                draft.report("override-of-absent", extension.name, what, "the override is kept and not declared")
