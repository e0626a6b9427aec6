"""Steps 2 and 3: every variable gets its token key, and then becomes a token with a value in each column of its family.

All keys come before any value is read, since aliases point both ways. A variable of a type that has no token form gets
none. Its collection keeps it, opaque: a plan has to know that it is there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from tokensync.mapping import KINDS, BadValue, ValueReader, key_of_remote_id, path_of_id, path_of_name, unique
from tokensync.normalize.collections import Draft, Family, shortened
from tokensync.tokens import Collection, Mode, OpaqueVariable, Token, TokenKey
from tokensync.tokens.weights import HEAVIEST, LIGHTEST
from tokensync.wire import ALIAS, WireObject, json_parts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tokensync.tokens import Origin, Value
    from tokensync.wire import WireCollection, WireValue, WireVariable

_OUTCOME = "set it again in the design file (the value is omitted)"


def keys(draft: Draft) -> None:
    """Fill ``draft.keys``, in the order in which the tokens will stand: by family, then by ``variableIds``.

    Live variables take the path of their name; a deleted or remote twin of the same name takes a path beside it.
    """
    _families_of_absent(draft)
    opaque: dict[str, list[WireVariable]] = {}
    members = _members(draft, opaque)
    for collection in draft.collections:
        family = draft.families[collection.id]
        _name(draft, family, collection, members.get(collection.id, []))
        _overridden_absentees(draft, family, collection)
    if opaque:
        draft.collections = [_with_opaque(each, opaque.get(each.id, ()), draft) for each in draft.collections]


def origin_of(variable: WireVariable, draft: Draft) -> Origin:
    """Return where a variable of a response lives."""
    if variable.deleted_but_referenced:
        return "deleted"
    if variable.remote:
        return "remote"
    return "withheld" if variable.id in draft.snapshot.withheld else "local"


def _name(draft: Draft, family: Family, collection: Collection, variables: list[WireVariable]) -> None:
    """Give each variable of a family its key; those that find their path taken come after all others."""
    file, handle, paths, named = draft.file, family.handle, family.paths, draft.keys
    twins: list[tuple[WireVariable, str, bool]] = []
    for variable in variables:
        path = path_of_name(variable.name)
        named[variable.id] = TokenKey(file, handle, path)  # holds the place of a twin, which gets another one below
        live = origin_of(variable, draft) == "local"
        if live and path not in paths:
            paths.add(path)
        else:
            twins.append((variable, path, live))
    for variable, path, live in twins:
        if live:
            where = f"{shortened(collection.name)} / {shortened(variable.name)}"
            what = f"another variable of the collection has this name (this one is {variable.id})"
            draft.report("name-repeated", where, what, "rename one of them in the design file")
        named[variable.id] = TokenKey(file, handle, unique(path, paths))


def _members(draft: Draft, opaque: dict[str, list[WireVariable]]) -> dict[str, list[WireVariable]]:
    """Return the variables of each family, by its root's id: those that ``variableIds`` lists first, in its order.

    Opaque ones are put into ``opaque`` instead.
    """
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
                if variable.is_opaque:
                    opaque.setdefault(collection.id, []).append(variable)
                else:
                    own.append(variable)
    for variable in local.variables.values():
        if variable.id not in listed:
            family = draft.families.get(variable.variable_collection_id)
            if variable.is_opaque:
                opaque.setdefault(family.root if family else "", []).append(variable)
            elif family is not None:
                members.setdefault(family.root, []).append(variable)
    for root, variables in opaque.items():
        label = draft.families[root].label if root else ""
        for variable in variables:
            where = f"{label or shortened(variable.variable_collection_id)} / {shortened(variable.name)}"
            what = f"its type {shortened(variable.resolved_type)} has no token form"
            draft.report("type-unknown", where, what, "it stays as it is, on the platform alone")
    return members


def _with_opaque(collection: Collection, variables: Iterable[WireVariable], draft: Draft) -> Collection:
    """Return the collection with what is there of its opaque variables; a deleted one is not there any more."""
    live = [each for each in variables if not each.deleted_but_referenced]
    if not live:
        return collection
    extensions = draft.families[collection.id].extensions
    return replace(collection, opaque=tuple(_opaque(each, extensions) for each in live))


def _opaque(variable: WireVariable, extensions: Iterable[WireCollection]) -> OpaqueVariable:
    raws = [variable.raw_values]
    raws += (each.raw_overrides[variable.id] for each in extensions if variable.id in each.raw_overrides)
    parts = [json_parts(raw) for raw in raws]
    said = (variable.description, variable.hidden_from_publishing, sorted(variable.scopes), variable.code_syntax)
    return OpaqueVariable(
        id=variable.id,
        name=variable.name,
        type=variable.resolved_type,
        values=tuple(sorted(pair for texts, _ in parts for pair in texts.items())),
        about=msgspec.json.encode(said, order="sorted").decode(),
        targets=tuple(dict.fromkeys(target for _, targets in parts for target in targets)),
    )


def _families_of_absent(draft: Draft) -> None:
    """Families for collections that variables name and the response lacks: their modes are known by id alone."""
    homeless: dict[str, list[WireVariable]] = {}
    for variable in draft.snapshot.local.variables.values():
        if variable.variable_collection_id not in draft.families and not variable.is_opaque:
            homeless.setdefault(variable.variable_collection_id, []).append(variable)
    for identity, variables in homeless.items():
        mode_ids = list(dict.fromkeys(mode_id for each in variables for mode_id in each.values_by_mode)) or [""]
        family = Family(identity, unique("absent-collection", draft.handles))
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
        counted = "a variable is" if len(variables) == 1 else f"{len(variables)} variables are"
        what = f"{counted} of the collection {shortened(identity)}, which is not in the response"
        to_do = "save the response again (its modes have no names here)"
        draft.report("collection-absent", shortened(variables[0].name), what, to_do)


def _overridden_absentees(draft: Draft, family: Family, collection: Collection) -> None:
    """Overrides of variables that the response does not hold still have to round-trip."""
    for extension in family.extensions:
        for identity in extension.raw_overrides:
            variable = draft.snapshot.local.variables.get(identity)
            if variable is None and not _is_readable(family, identity):
                what = f"it overrides {shortened(identity)}, which is not in the response, with values of no known type"
                draft.report("override-of-absent", shortened(extension.name), what, "they stay as they are")
            elif variable is None and identity not in draft.keys:
                path = unique(path_of_id(identity), family.paths)
                draft.keys[identity] = TokenKey(draft.file, collection.handle, path)
                what = f"it overrides {shortened(identity)}, which is not in the response"
                draft.report("override-of-absent", shortened(extension.name), what, "it is kept, but not declared")
            elif variable is None or draft.families.get(variable.variable_collection_id) is not family:
                what = f"it overrides {shortened(identity)}, which is no variable of the collection that it extends"
                draft.report("override-misplaced", shortened(extension.name), what, "the override is omitted")


def _is_readable(family: Family, identity: str) -> bool:
    """Whether the overrides of a variable that the response does not hold are of forms that are known."""
    try:
        for extension in family.extensions:
            extension.overrides_of(identity)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return True


def variables(draft: Draft) -> None:
    """Turn every variable that has a key into a token."""
    reader = _TokenReader(draft)
    wires = draft.snapshot.local.variables
    for identity, key in draft.keys.items():
        variable = wires.get(identity)
        draft.tokens.append(reader.absent(identity, key) if variable is None else reader.token(variable, key))


class _TokenReader:
    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.values = ValueReader(draft.keys)
        self.published = None if draft.snapshot.published is None else draft.snapshot.published_by_key()
        self.families = {family.handle: family for family in draft.families.values()}
        self.collections: dict[str, Collection] = {each.handle: each for each in draft.collections}
        self.plain_modes = {
            handle: [*family.columns[family.root]]
            for handle, family in self.families.items()
            if len(family.columns[family.root]) == len(self.collections[handle].modes)
        }
        """The mode ids of families without extensions, in the order of their columns."""

    def token(self, variable: WireVariable, key: TokenKey) -> Token:
        collection = self.collections[key.collection]
        values = self._values(variable, self.families[key.collection], collection)
        kind = self.draft.rules.type_of(variable.resolved_type, variable.scopes, variable.name, collection.name)
        if kind == "fontWeight":
            kind = self._weight_or_number(variable, values, collection)
        origin = origin_of(variable, self.draft)
        return Token(
            key=key,
            type=kind,
            values=values,
            description=variable.description,
            scopes=variable.scopes,
            code_syntax=tuple(sorted(variable.code_syntax.items())) if variable.code_syntax else (),
            hidden=variable.hidden_from_publishing,
            origin=origin,
            published=None if self.published is None or origin != "local" else variable.key in self.published,
            id=variable.id,
            variable_key=variable.key,
        )

    def absent(self, identity: str, key: TokenKey) -> Token:
        """A token of which only overrides are known; its type is that of the first of them."""
        family = self.families[key.collection]
        collection = self.collections[key.collection]
        columns: list[Value | None] = [None] * len(collection.modes)
        resolved_type = self._type_of_first(family, identity)
        read = self.values.reader(resolved_type)
        self._add_overrides(columns, identity, identity, family, collection, read)
        return Token(
            key=key,
            type=KINDS[resolved_type],
            values=tuple(columns),
            origin="absent",
            id=identity,
            variable_key=key_of_remote_id(identity),
        )

    def _values(self, variable: WireVariable, family: Family, collection: Collection) -> tuple[Value | None, ...]:
        read = self.values.reader(variable.resolved_type)
        written = variable.values_by_mode
        if [*written] == self.plain_modes.get(family.handle):  # nearly always: each mode once, in order
            try:
                return tuple(map(read, written.values()))
            except BadValue:
                pass  # reported below, with its mode
        columns: list[Value | None] = [None] * len(collection.modes)
        own = family.columns[variable.variable_collection_id]
        for mode_id, value in written.items():
            column = own.get(mode_id)
            if column is None:
                column = self._column_elsewhere(mode_id, family, variable)
                if column is None:
                    continue
            try:
                columns[column] = read(value)
            except BadValue as fault:
                self._report_mismatch(fault, family, variable.name, collection, column)
        if family.extensions:
            self._add_overrides(columns, variable.id, variable.name, family, collection, read)
        return tuple(columns)

    def _column_elsewhere(self, mode_id: str, family: Family, variable: WireVariable) -> int | None:
        """A mode id of an extension may stand here too; any other is not a mode of the collection."""
        for columns in family.columns.values():
            if mode_id in columns:
                return columns[mode_id]
        where = f"{family.label} / {shortened(variable.name)}"
        what = f"it has a value for {shortened(mode_id)}, which is no mode of its collection"
        self.draft.report("mode-unknown", where, what, _OUTCOME)
        return None

    def _add_overrides(
        self,
        columns: list[Value | None],
        identity: str,
        name: str,
        family: Family,
        collection: Collection,
        read: Callable[[WireValue], Value],
    ) -> None:
        for extension in family.extensions:
            own = family.columns[extension.id]
            for mode_id, value in extension.overrides_of(identity).items():
                column = own.get(mode_id)
                if column is None:
                    where = f"{family.label} / {shortened(name)}"
                    what = f"{shortened(extension.name)} overrides it for {shortened(mode_id)}, which is no mode of it"
                    self.draft.report("mode-unknown", where, what, _OUTCOME)
                elif value is not None:  # null takes an override away
                    try:
                        columns[column] = read(value)
                    except BadValue as fault:
                        self._report_mismatch(fault, family, name, collection, column)

    def _report_mismatch(self, fault: BadValue, family: Family, name: str, collection: Collection, column: int) -> None:
        mode = collection.modes[column]
        where = f"{family.label} / {shortened(name)} / {shortened(mode.name or mode.context)}"
        self.draft.report("value-mismatch", where, str(fault), _OUTCOME)

    def _weight_or_number(
        self, variable: WireVariable, values: tuple[Value | None, ...], collection: Collection
    ) -> str:
        if all(LIGHTEST <= each <= HEAVIEST for each in values if isinstance(each, float)):
            return "fontWeight"
        where = f"{shortened(collection.name)} / {shortened(variable.name)}"
        what = "a font weight is not from 1 to 1000"
        self.draft.report("font-weight-range", where, what, "it is read as a plain number")
        return "number"

    def _type_of_first(self, family: Family, identity: str) -> str:
        """The type that the first telling override shows; a colour is the likeliest when none tells."""
        for extension in family.extensions:
            for value in extension.overrides_of(identity).values():
                if kind := self._type_shown(value):
                    return kind
        return "COLOR"

    def _type_shown(self, value: WireValue) -> str | None:
        match value:
            case bool():
                return "BOOLEAN"
            case float():
                return "FLOAT"
            case str():
                return "STRING"
            case WireObject(type=kind, id=target) if kind == ALIAS:
                variable = self.draft.snapshot.local.variables.get(target or "")
                return variable.resolved_type if variable is not None and variable.resolved_type in KINDS else None
            case WireObject():
                return "COLOR"
            case _:
                return None
