"""Step 3: variables become tokens, with a value in each column of their family."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.mapping import KINDS, BadValue, ValueReader, key_of_remote_id
from tokensync.normalize.draft import Draft, Family, shortened
from tokensync.normalize.keys import origin_of
from tokensync.tokens import Token
from tokensync.tokens.weights import HEAVIEST, LIGHTEST
from tokensync.wire import ALIAS, WireObject

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokensync.tokens import Collection, TokenKey, Value
    from tokensync.wire import WireValue, WireVariable

_MEND = "set it again in the design file (the value is left out)"


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
        columns: list[Value | None] = [None] * len(collection.modes)
        own = family.columns[variable.variable_collection_id]
        read = self.values.reader(variable.resolved_type)
        for mode_id, value in variable.values_by_mode.items():
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
        self.draft.report("mode-unknown", where, what, _MEND)
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
                    self.draft.report("mode-unknown", where, what, _MEND)
                elif value is not None:  # null takes an override away (platform-api.md 4.3 rule 9)
                    try:
                        columns[column] = read(value)
                    except BadValue as fault:
                        self._report_mismatch(fault, family, name, collection, column)

    def _report_mismatch(self, fault: BadValue, family: Family, name: str, collection: Collection, column: int) -> None:
        mode = collection.modes[column]
        where = f"{family.label} / {shortened(name)} / {shortened(mode.name or mode.context)}"
        self.draft.report("value-mismatch", where, str(fault), _MEND)

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
