"""Steps 2 and 3: variables get token keys, and become tokens with a value in each column of their family.

Keys are assigned before values are read, because aliases can refer to later variables. A variable of an unsupported
type does not become a token. Its collection lists it as opaque, so that plans take it into account.
"""

from __future__ import annotations

from struct import Struct as Packing
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from tokensync.extract.wire import ALIAS, EXPRESSION, VALUE_TYPES, WireObject, decode_values, json_parts
from tokensync.normalize.families import Draft, Family, shortened
from tokensync.normalize.mapping import KINDS, key_of_remote_id, name_of_path, path_of_id, path_of_name, unique
from tokensync.system.errors import DECODE_ERRORS
from tokensync.tokens import (
    Alias,
    Collection,
    Color,
    ComposedColor,
    DanglingAlias,
    Mode,
    OpaqueVariable,
    Token,
    TokenKey,
    composed,
    float32,
)
from tokensync.tokens.values import HEAVIEST, LIGHTEST

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tokensync.extract.wire import WireCollection, WireValue, WireVariable
    from tokensync.tokens import Value


COMPOSE = "COMPOSE_COLOR"

_OUTCOME = "set it again in the design file (until then, the value is omitted)"
_CHANNELS = Packing("<4f")
_CLASSES: dict[str, type] = {"COLOR": WireObject, "FLOAT": float, "STRING": str, "BOOLEAN": bool}
"""The class of literals in a response, by variable type."""


class BadValue(Exception):
    """A value that is invalid for its variable's type."""


def keys(draft: Draft) -> None:
    """Fill ``draft.keys`` in token order: by family, then by ``variableIds``.

    Live variables have the path of their name. Deleted and remote variables with the same name get a numbered path.
    """
    families, origins = draft.families, draft.origins
    for identity, variable in draft.snapshot.local.variables.items():
        if variable.deleted_but_referenced:
            origins[identity] = "deleted"
        elif variable.remote:
            origins[identity] = "remote"
        if variable.variable_collection_id not in families and variable.resolved_type in VALUE_TYPES:
            _add_absent_families(draft)
    for identity in draft.snapshot.withheld:
        origins.setdefault(identity, "withheld")
    opaque = _assign_variables(draft)
    for collection in draft.collections:
        _name_variables(draft, families[collection.id])
    if opaque:
        draft.collections = [_with_opaque(each, opaque.get(each.id, ()), draft) for each in draft.collections]


def _name_variables(draft: Draft, family: Family) -> None:
    """Assign keys to the variables of a family. Repeated names get a numbered path, after all others have theirs."""
    file, handle, paths, origins = draft.snapshot.file, family.handle, family.paths, draft.origins
    repeated: list[tuple[WireVariable, str]] = []
    for variable in family.variables:
        path = path_of_name(variable.name)
        draft.keys[variable.id] = TokenKey(file, handle, path)  # preserves the order of repeated names, too
        if path in paths or variable.id in origins:
            repeated.append((variable, path))
        else:
            paths.add(path)
    for variable, path in repeated:
        if variable.id not in origins:
            where = f"{family.label} / {shortened(variable.name)}"
            what = f"another variable of the collection has this name (this one is {variable.id})"
            draft.report("name-repeated", where, what, "rename one of them in the design file")
        draft.keys[variable.id] = TokenKey(file, handle, unique(path, paths))
    if family.extensions:
        _name_absent_variables(draft, family)


def _assign_variables(draft: Draft) -> dict[str, list[WireVariable]]:
    """Add the variables to their families, those in ``variableIds`` first and in that order.

    Return the opaque variables by the id of their family's root.
    """
    local = draft.snapshot.local
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
                if variable.resolved_type in VALUE_TYPES:
                    family.variables.append(variable)
                else:
                    opaque.setdefault(collection.id, []).append(variable)
    for variable in unlisted.values():
        home = draft.families.get(variable.variable_collection_id)
        if variable.resolved_type not in VALUE_TYPES:
            opaque.setdefault(home.root if home else "", []).append(variable)
        elif home is not None:
            home.variables.append(variable)
    for root, variables in opaque.items():
        label = draft.families[root].label if root else ""
        for variable in variables:
            where = f"{label or shortened(variable.variable_collection_id)} / {shortened(variable.name)}"
            what = f"its type {shortened(variable.resolved_type)} is not supported"
            draft.report("type-unknown", where, what, "it stays unchanged in the design file")
    return opaque


def _add_absent_families(draft: Draft) -> None:
    """Add families for variables' collections that are missing from the response. Only their mode ids are known."""
    homeless: dict[str, list[WireVariable]] = {}
    for variable in draft.snapshot.local.variables.values():
        if variable.variable_collection_id not in draft.families and variable.resolved_type in VALUE_TYPES:
            homeless.setdefault(variable.variable_collection_id, []).append(variable)
    for identity, variables in homeless.items():
        mode_ids = list(dict.fromkeys(mode_id for each in variables for mode_id in decode_values(each.raw_values))) or [
            ""
        ]
        handle = unique("absent-collection", draft.handles)
        family = Family(root=identity, handle=handle, label=handle)
        family.columns[identity] = {mode_id: column for column, mode_id in enumerate(mode_ids)}
        slugs = [f"mode-{number}" for number in range(1, len(mode_ids) + 1)]
        modes = tuple(
            Mode(name="", collection=family.handle, slug=name, context=name, id=mode_id)
            for name, mode_id in zip(slugs, mode_ids, strict=True)
        )
        draft.families[identity] = family
        draft.collections.append(
            Collection(
                file=draft.snapshot.file, handle=family.handle, name="", modes=modes, id=identity, origin="absent"
            )
        )
        counted = "1 variable belongs" if len(variables) == 1 else f"{len(variables)} variables belong"
        what = f"{counted} to the collection {shortened(identity)}, which is not in the response"
        to_do = "save the response again (until then, its modes have no names)"
        draft.report("collection-absent", shortened(variables[0].name), what, to_do)


def _with_opaque(collection: Collection, variables: Iterable[WireVariable], draft: Draft) -> Collection:
    """Return the collection with its opaque variables, except deleted ones."""
    live = [each for each in variables if not each.deleted_but_referenced]
    if not live:
        return collection
    extensions = draft.families[collection.id].extensions
    return replace(collection, opaque=tuple(_opaque(each, extensions) for each in live))


def _opaque(variable: WireVariable, extensions: Iterable[WireCollection]) -> OpaqueVariable:
    raws = [variable.raw_values]
    raws += (each.raw_overrides[variable.id] for each in extensions if variable.id in each.raw_overrides)
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


def _name_absent_variables(draft: Draft, family: Family) -> None:
    """Assign keys to overridden variables that are missing from the response, so that their overrides round-trip."""
    for extension in family.extensions:
        for identity in extension.raw_overrides:
            variable = draft.snapshot.local.variables.get(identity)
            if variable is None and not _is_readable(family, identity):
                what = f"it overrides {shortened(identity)}, which is not in the response, with unsupported values"
                to_do = "the overrides stay unchanged in the design file"
                draft.report("override-of-absent", draft.labels[extension.id], what, to_do)
            elif variable is None and identity not in draft.keys:
                path = unique(path_of_id(identity), family.paths)
                draft.keys[identity] = TokenKey(draft.snapshot.file, family.handle, path)
                family.absent_ids.append(identity)
                what = f"it overrides {shortened(identity)}, which is not in the response"
                to_do = "token files contain the override, and outputs omit it"
                draft.report("override-of-absent", draft.labels[extension.id], what, to_do)
            elif variable is None or draft.families.get(variable.variable_collection_id) is not family:
                what = f"it overrides {shortened(identity)}, which is not a variable of the collection that it extends"
                draft.report("override-misplaced", draft.labels[extension.id], what, "the override is omitted")


def _is_readable(family: Family, identity: str) -> bool:
    """Return whether the family's overrides of a variable can be decoded."""
    try:
        for extension in family.extensions:
            extension.overrides_of(identity)
    except DECODE_ERRORS:
        return False
    return True


def variables(draft: Draft) -> None:
    """Turn every variable that has a key into a token."""
    published = None if draft.snapshot.published is None else draft.snapshot.published_by_key()
    reader = ValueReader(draft.keys)
    for collection in draft.collections:
        family = draft.families[collection.id]
        own = family.columns[family.root]
        mode_ids = [*own] if len(own) == len(collection.modes) else None  # None for a family with extensions
        for variable in family.variables:
            wire_values = decode_values(variable.raw_values)
            values: tuple[Value | None, ...] = ()
            if [*wire_values] == mode_ids:  # the common case: each mode once, in order
                try:
                    values = reader.row(variable.resolved_type, wire_values.values())
                except BadValue:
                    values = ()  # reported below, with its mode
            if not values:
                values = _values_by_column(draft, reader, variable, wire_values, collection)
            kind = draft.rules.type_of(variable.resolved_type, variable.scopes, variable.name, collection.name)
            if kind == "fontWeight" and not all(
                LIGHTEST <= each <= HEAVIEST for each in values if isinstance(each, float)
            ):
                kind = "number"
                where = f"{draft.families[collection.id].label} / {_name(draft, variable.id)}"
                what = "a font weight is not between 1 and 1000"
                draft.report("font-weight-range", where, what, "it is read as a number")
            rule = None
            if draft.rules.own:
                rule = draft.rules.own_rule(variable.resolved_type, variable.scopes, variable.name, collection.name)
            origin = draft.origins.get(variable.id, "local")
            draft.tokens.append(
                Token(
                    key=draft.keys[variable.id],
                    type=kind,
                    values=values,
                    description=variable.description,
                    scopes=variable.scopes,
                    code_syntax=tuple(sorted(variable.code_syntax.items())) if variable.code_syntax else (),
                    hidden=variable.hidden_from_publishing,
                    origin=origin,
                    published=None if published is None or origin != "local" else variable.key in published,
                    id=variable.id,
                    variable_key=variable.key,
                    unit="" if rule is None or kind != "number" else rule.number_unit,
                )
            )
        draft.tokens += [_absent_token(draft, reader, each, collection) for each in family.absent_ids]


def _absent_token(draft: Draft, reader: ValueReader, identity: str, collection: Collection) -> Token:
    """Return a token of which only overrides are known. Its type is inferred from them; the default is a colour."""
    columns: list[Value | None] = [None] * len(collection.modes)
    overrides = [each.overrides_of(identity) for each in draft.families[collection.id].extensions]
    types = (_inferred_type(draft, value) for each in overrides for value in each.values())
    resolved_type = next(filter(None, types), "COLOR")
    _add_overrides(draft, reader, columns, identity, resolved_type, collection)
    return Token(
        key=draft.keys[identity],
        type=KINDS[resolved_type],
        values=tuple(columns),
        origin="absent",
        id=identity,
        variable_key=key_of_remote_id(identity),
    )


def _values_by_column(
    draft: Draft, reader: ValueReader, variable: WireVariable, wire_values: dict[str, WireValue], collection: Collection
) -> tuple[Value | None, ...]:
    """Return a value for each column, from values in any order and overrides. Report values of unknown modes."""
    columns: list[Value | None] = [None] * len(collection.modes)
    family = draft.families[collection.id]
    own = family.columns[variable.variable_collection_id]
    all_columns = {mode_id: column for each in reversed(family.columns.values()) for mode_id, column in each.items()}
    for mode_id, value in wire_values.items():
        column = own.get(mode_id, all_columns.get(mode_id))  # values can include modes of extensions
        if column is None:
            where = f"{family.label} / {_name(draft, variable.id)}"
            what = f"it has a value for {shortened(mode_id)}, which is not a mode of its collection"
            draft.report("mode-unknown", where, what, _OUTCOME)
        else:
            _put(draft, reader, columns, column, value, variable.id, variable.resolved_type, collection)
    _add_overrides(draft, reader, columns, variable.id, variable.resolved_type, collection)
    return tuple(columns)


def _add_overrides(
    draft: Draft,
    reader: ValueReader,
    columns: list[Value | None],
    identity: str,
    resolved_type: str,
    collection: Collection,
) -> None:
    """Set the columns that extensions override."""
    family = draft.families[collection.id]
    for extension in family.extensions:
        own = family.columns[extension.id]
        for mode_id, value in extension.overrides_of(identity).items():
            column = own.get(mode_id)
            if column is None:
                where = f"{family.label} / {_name(draft, identity)}"
                what = (
                    f"{shortened(extension.name)} overrides it for {shortened(mode_id)}, which is not one of its modes"
                )
                draft.report("mode-unknown", where, what, _OUTCOME)
            elif value is not None:  # null means that there is no override
                _put(draft, reader, columns, column, value, identity, resolved_type, collection)


def _put(
    draft: Draft,
    reader: ValueReader,
    columns: list[Value | None],
    column: int,
    value: WireValue,
    identity: str,
    resolved_type: str,
    collection: Collection,
) -> None:
    try:
        (columns[column],) = reader.row(resolved_type, (value,))
    except BadValue as fault:
        mode = collection.modes[column]
        label = draft.families[collection.id].label
        where = f"{label} / {_name(draft, identity)} / {shortened(mode.name or mode.context)}"
        draft.report("value-mismatch", where, str(fault), _OUTCOME)


def _name(draft: Draft, identity: str) -> str:
    """Return the name of a variable, which a number tells apart from others of its collection, or an unknown id."""
    is_known = identity in draft.snapshot.local.variables
    return shortened(name_of_path(draft.keys[identity].path) if is_known else identity)


def _inferred_type(draft: Draft, value: WireValue) -> str | None:
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


class ValueReader:
    """Reads the values of one snapshot. ``keys`` maps variable ids to token keys.

    Equal colours, numbers and aliases are the same object.
    """

    def __init__(self, keys: Mapping[str, TokenKey]) -> None:
        self._keys = keys
        self._aliases: dict[str | None, Alias | DanglingAlias] = {}
        self._colors: dict[tuple[float | None, ...], Color] = {}
        self._numbers: dict[float, float] = {}

    def row(self, resolved_type: str, wire_values: Iterable[WireValue]) -> tuple[Value, ...]:
        """Return the token values of a variable. Raises BadValue if one is invalid for the variable's type."""
        aliases, colors, numbers, expected = self._aliases, self._colors, self._numbers, _CLASSES[resolved_type]
        values: list[Value] = []
        for value in wire_values:
            cached: Value | None = None
            if isinstance(value, WireObject):
                if value.type == ALIAS:
                    cached = aliases.get(value.id)
                elif expected is WireObject and value.r is not None:
                    cached = colors.get((value.r, value.g, value.b, value.a))
            elif type(value) is expected:
                cached = numbers.get(value) if expected is float else value  # type: ignore[arg-type]
            values.append(self._new(resolved_type, value) if cached is None else cached)
        return tuple(values)

    def _new(self, resolved_type: str, value: WireValue) -> Value:
        """Return a value that is not cached. Raises BadValue."""
        if isinstance(value, float) and resolved_type == "FLOAT":
            return self._number(value)
        if not isinstance(value, WireObject) or (resolved_type != "COLOR" and value.type != ALIAS):
            raise BadValue(f"a {resolved_type} variable holds {_described(value)}")
        if value.type == ALIAS:
            return self._alias(value)
        if value.r is not None:
            return self._color(value)
        if value.type == EXPRESSION:
            return self._expression(value)
        if value.color is not None or value.opacity is not None:
            return self._composed(value.color, value.opacity)
        raise BadValue(f"a COLOR variable holds {_described(value)}")

    def _alias(self, value: WireObject) -> Alias | DanglingAlias:
        identity = value.id
        if identity is None:
            raise BadValue("an alias has no id")
        alias = self._aliases.get(identity)
        if alias is None:
            key = self._keys.get(identity)
            alias = self._aliases[identity] = DanglingAlias(identity) if key is None else Alias(key)
        return alias

    def _color(self, value: WireObject) -> Color:
        channels_as_read = (value.r, value.g, value.b, value.a)
        color = self._colors.get(channels_as_read)
        if color is None:
            if value.r is None or value.g is None or value.b is None:
                raise BadValue("a colour lacks r, g or b")
            alpha = 1.0 if value.a is None else value.a
            try:
                channels = _CHANNELS.unpack(_CHANNELS.pack(value.r, value.g, value.b, alpha))
            except OverflowError:
                channels = (-1.0,)
            if min(channels) < 0 or max(channels) > 1:
                raise BadValue("a colour has a channel outside 0 to 1")
            color = self._colors[channels_as_read] = Color(*[each + 0.0 for each in channels])  # -0.0 becomes 0.0
        return color

    def _number(self, value: float) -> float:
        number = self._numbers.get(value)
        if number is None:
            try:
                number = float32(value) + 0.0  # turns -0.0 into 0.0
            except OverflowError:
                raise BadValue("a number is too large for a 32-bit float") from None
            self._numbers[value] = number
        return number

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
        case WireObject(type=kind) if kind == ALIAS:
            return "an alias"
        case WireObject(type=kind) if kind == EXPRESSION:
            return "an expression"
        case WireObject(color=color) if color is not None:
            return "a composed colour"
        case _:
            return "a colour" if value.r is not None else "an unknown object"
