"""Convert a source to a graph of tokens by a mapping, with the ledger of what became of every token and alias.

Nothing is ever filled with a default colour or 0: a token without a value is reported.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from tokensync.dtcg.literals import composite
from tokensync.dtcg.parse import BadToken
from tokensync.dtcg.spelling import Spelling
from tokensync.migrate.conversion.assignment import Cell, Draft, assign
from tokensync.migrate.conversion.edits import Edits, History
from tokensync.migrate.conversion.identification import Mapped, Present, Renaming, Targets, identify, valid_names
from tokensync.migrate.conversion.ledger import Aliases, Bookkeeping, Ledger
from tokensync.migrate.conversion.mapping_file import Globs, InvalidEntry, theme_keys
from tokensync.migrate.evaluation.colors import has_parts
from tokensync.migrate.evaluation.values import AliasTo, Composed, Flattened, Reading, Refused, shown, text_of
from tokensync.migrate.record import Record
from tokensync.normalize.mapping import RESOLVED_TYPES, fitting_scopes, slug
from tokensync.system.errors import DECODE_ERRORS
from tokensync.system.wording import listed, quoted, shortened, suggestion
from tokensync.tokens import (
    Alias,
    Collection,
    Color,
    ComposedColor,
    Composite,
    Mode,
    Quantity,
    Token,
    TokenGraph,
    TokenKey,
    Translator,
    normalized,
    shortest,
)
from tokensync.tokens import targets as targets_of
from tokensync.tokens.algorithms import components
from tokensync.tokens.collection import OPACITY_SCOPES
from tokensync.tokens.composites import canonical, decoded, fits, font_list, literal_json, parts_of
from tokensync.tokens.paths import path_of
from tokensync.tokens.values import AS_TEXT, LITERAL_CLASSES, is_storable, weight_of

if TYPE_CHECKING:
    from tokensync.migrate.conversion.identification import Family, Target
    from tokensync.migrate.conversion.mapping_file import MappedCollection, MigrationMapping
    from tokensync.migrate.source import Location, Source, SourceTheme
    from tokensync.tokens import Literal, Value


class Renamed(NamedTuple):
    """A token of the source by its names, code syntax and location, and the token that it has become.

    ``is_changed`` means that its value was converted, so that it may have another unit, and ``is_whole_color`` that it
    was the parts of a colour.
    """

    names: tuple[str, ...]
    new: TokenKey
    code_syntax: tuple[tuple[str, str], ...]
    is_changed: bool
    is_whole_color: bool
    at: Location


class Converted(Struct, frozen=True):
    """The graph of the design file after the migration, the ledger, and the number of tokens of each collection.

    ``renamed`` has all migrated tokens, and ``moved`` the former keys of variables by their new ones. ``invalid`` are
    the entries of the mapping without effect, ``left`` and ``left_modes`` what former migrations have written and this
    one does not, and ``record`` is what the next one has to know.
    """

    graph: TokenGraph
    ledger: Ledger
    renamed: tuple[Renamed, ...]
    sizes: Mapping[str, int]
    moved: Mapping[TokenKey, TokenKey]
    invalid: tuple[InvalidEntry, ...] = ()
    left: tuple[Token, ...] = ()
    left_modes: tuple[tuple[Collection, Mode], ...] = ()
    record: Record = Record()


_NO_ALIASES, _WRITTEN = Aliases(), Aliases(written=1)
_NEW = Token(key=TokenKey("", "", ""), type="", values=())
"""What a new token has unless the source or the mapping says something else."""


class _Unfit(Exception):
    """A value that its token cannot have; the text is the reason."""


def convert(
    source: Source,
    mapping: MigrationMapping,
    file: str,
    present: TokenGraph | None = None,
    history: History | None = None,
) -> Converted:
    """Convert a source to the tokens of a design file; ``present`` is what it has now, of which nothing is deleted."""
    return _Conversion(source, mapping, file, present or TokenGraph((), ()), history).converted()


class _Conversion:
    def __init__(
        self, source: Source, mapping: MigrationMapping, file: str, present: TokenGraph, history: History | None
    ) -> None:
        self.types, self.scopes = Globs(mapping.types), Globs(mapping.scopes)
        source = source.typed(self.types.get)
        self.source = source
        self.mapping = mapping
        self.present = Present(present, file, None if history is None else history.record)
        keys = theme_keys(source)
        has_identities = self.present.has_identities
        self.families: list[Family] = self.present.families(
            [
                Mapped(
                    collection,
                    [keys[mode.theme] for mode in collection.modes],
                    [*_identities(collection, source, keys)] if has_identities else (),
                )
                for collection in mapping.collections
            ]
        )
        self.syntax = {platform: Globs(table) for platform, table in mapping.code_syntax.items()}
        self.rename = Renaming(mapping.names)
        self.books = Bookkeeping(source)
        self.edits = Edits(history, self.present, mapping, self.books)
        self.targets = Targets((), {})
        self._keys: frozenset[TokenKey] = frozenset()
        self.circular: set[tuple[TokenKey, TokenKey]] = set()

    def converted(self) -> Converted:
        stored = self._stored if self.present.has_identities else None
        assigned = assign(self.source, self.mapping, stored, self._has_name)
        self.books.reject(assigned.rejected)
        typed = ((draft, kind) for draft in assigned.drafts if (kind := self._type(draft)) is not None)
        every = self.edits.without_deleted(identify(typed, self.families, self.present, self.rename))
        tokens = self._tokens(every, assigned.of_sets)
        migrated = [target for target in every if target.key in tokens]
        sizes = {collection.name: 0 for collection in self.mapping.collections}
        for target in migrated:
            self._record(target)
            sizes[self.mapping.collections[target.draft.collection].name] += 1
        renamed = [_renamed(target) for target in migrated]
        for draft, others in assigned.contested:
            name = self.mapping.collections[draft.collection].name
            self.books.add("contested", draft, f"it is in {quoted(name)}, and has other values in {listed(others)}")
        graph = self._graph(migrated, tokens)
        moved = {target.key: target.present.key for target in migrated if target.present}
        ledger, unused = self.books.ledger(assigned), tuple(self._unused())
        left, record = tuple(self.edits.left(migrated)), self.edits.record(migrated, self.families)
        left_modes = tuple(self.edits.left_modes(self.families))
        return Converted(graph, ledger, tuple(renamed), sizes, moved, unused, left, left_modes, record)

    @cached_property
    def spelling(self) -> Spelling:
        """The addresses of all tokens, which only composites need."""
        return Spelling({*self.present.graph.tokens, *self._keys})

    def _stored(self, keys: Iterable[str], ids: Iterable[str]) -> int | None:
        """Return the mapped collection that has a variable with one of these keys or ids."""
        handles = [family.collection.handle for family in self.families]
        found = (token.key.collection for token in self.present.tokens(keys, ids))
        return next((handles.index(each) for each in found if each in handles), None)

    def _has_name(self, index: int, names: tuple[str, ...]) -> bool:
        """Return whether a mapped collection has a variable with the names of a token."""
        if not self.present.has_identities:
            return False
        path = path_of(valid_names(self.rename(names)))
        return self.present.named(self.families[index].collection.handle, path) is not None

    def _type(self, draft: Draft) -> str | None:
        """Return the type of a draft; None, which is reported, without a value or a type in some mode."""
        for at, cell in enumerate(draft.distinct):
            value = cell.reading.value
            if type(value) is Refused and not value.kept:
                self.books.reject_draft(draft, f"{value.reason}{self._in_mode(draft, at)}")
                return None
        types = [_type_of(cell) for cell in draft.distinct]
        token_type = self.types.get(draft.path) or _common_type(types, draft)
        if token_type is None:
            shown = [f"{_type_of(each)}{self._in_mode(draft, at)}" for at, each in enumerate(draft.cells)]
            self.books.reject_draft(draft, f"its values have different types: {listed(shown)}")
        return token_type

    def _in_mode(self, draft: Draft, at: int) -> str:
        """Return the words for the mode of a cell if there are several."""
        modes = self.mapping.collections[draft.collection].modes
        return f" in {modes[at].name}" if len(modes) > 1 else ""

    def _tokens(self, targets: Sequence[Target], of_sets: Mapping[tuple[str, str], Draft]) -> dict[TokenKey, Token]:
        """Return the tokens of targets. Those with a value that does not fit are reported; nothing refers to them.

        Aliases between collections that refer to each other are flattened.
        """
        self._keys = frozenset(target.key for target in targets)
        while True:
            self.targets = Targets(targets, of_sets)
            found = {target.key: self._values(target) for target in targets}
            unfit = {key: each for key, each in found.items() if isinstance(each, str)}
            circular = _mutual(found)
            self.circular |= circular
            if not unfit and not circular:
                break
            for target in targets:
                if target.key in unfit:
                    self.books.reject_draft(target.draft, unfit[target.key])
            targets = [target for target in targets if target.key not in unfit]
        tokens: dict[TokenKey, Token] = {}
        for target in targets:
            values = found[target.key]
            if not isinstance(values, str):
                self.books.accept(target.draft, [each for _, each in values])
                wanted = self._token(target, [each for each, _ in values])
                tokens[target.key] = self.edits.kept(target, wanted, self.families[target.draft.collection])
        return tokens

    def _values(self, target: Target) -> list[tuple[Value, Aliases]] | str:
        """Return the value of each distinct cell with the outcome of its aliases, or why one is not possible."""
        values: list[tuple[Value, Aliases]] = []
        for at, cell in enumerate(target.draft.distinct):
            try:
                values.append(self._value(cell, target))
            except _Unfit as unfit:
                return f"{unfit}{self._in_mode(target.draft, at)}"
        return values

    def _record(self, target: Target) -> None:
        """Record what a person should know about a token."""
        draft = target.draft
        if draft.member:
            self.books.add("lowered", draft, f"a {draft.cells[0].at.type or 'composite'} cannot be one variable")
        if target.type == "css":
            self.books.add("files only", draft, "only CSS can read it, unless the mapping gives it the type string")
        elif target.type not in RESOLVED_TYPES:
            self.books.add("files only", draft, f"a {target.type} cannot be a variable")
        if target.has_other_name:
            self.books.add("renamed", draft, f"it is named {'/'.join(target.key.path.split('.'))}")
        for other in target.others:
            collection = self.present.graph.collections[other.key[:2]].name
            what = f"the variable {'/'.join(other.key.path.split('.'))} of {quoted(collection)} was this token, too"
            self.books.add("left", draft, f"{what}; it stays as it is")
        if draft.filled:
            modes = self.mapping.collections[draft.collection].modes
            shown = listed([modes[at].name for at in draft.filled])
            self.books.add("filled", draft, f"{shown} has the value of another mode, as the mapping says")

    def _value(self, cell: Cell, target: Target) -> tuple[Value, Aliases]:
        """Return the value of a cell and the outcome of its aliases. Raises _Unfit."""
        value = cell.reading.value
        match value:
            case AliasTo(path=path):
                found = self._alias(path, cell, target)
                if isinstance(found, Alias):
                    return found, _WRITTEN
                return self._copied(cell, target), Aliases(reason=found)
            case Composed():
                return self._composed(value, cell, target)
            case Flattened(value=literal, reason=reason):
                return _fitting(self._in_pixels(literal, cell), target.type), Aliases(reason=reason)
            case Refused(kept=kept):
                return self._composite(kept, cell, target)
            case _:
                return self._literal(cell, target), _NO_ALIASES

    def _copied(self, cell: Cell, target: Target) -> Literal:
        """Return the value of the token that a cell refers to. Raises _Unfit."""
        value = cell.reading.value
        while isinstance(value, AliasTo) and isinstance(cell.reading.literal, Refused):
            value = cell.theme.value(value.path)
        if isinstance(value, Refused) and value.kept:
            return self._composite(value.kept, cell, target)[0]
        return self._literal(cell, target)

    def _literal(self, cell: Cell, target: Target) -> Literal:
        literal = cell.reading.literal
        if isinstance(literal, Refused):
            raise _Unfit(literal.reason)
        return _fitting(self._in_pixels(literal, cell), target.type)

    def _in_pixels(self, literal: Literal, cell: Cell) -> Literal:
        """Return a length in rem in pixels of the theme's base font size. Raises _Unfit if that is no number."""
        if not isinstance(literal, Quantity) or literal.unit != "rem":
            return literal
        size = self.mapping.base_font_size
        base = cell.theme.literal(size.strip("{} ")) if isinstance(size, str) else size
        if not isinstance(base, float):
            raise _Unfit(f"the base font size {quoted(size)} is not a number of pixels")
        return normalized(literal.number * base)

    def _alias(self, path: str, cell: Cell, target: Target) -> Alias | str:
        """Return the alias to a token, or why the value has to be a literal."""
        found = self.targets.find(path, cell.theme.own[cell.path])
        if found is None:
            return f"{shown(path)} is not migrated"
        if found.key == target.key:
            return f"{shown(path)} is the token itself"
        if self.circular and (target.key, found.key) in self.circular:
            return f"{shown(path)} refers back to it in another combination of modes"
        if found.type != target.type and (
            RESOLVED_TYPES.get(found.type, found.type) != RESOLVED_TYPES.get(target.type, target.type)
        ):
            return f"{shown(path)} is a {found.type}, and the token a {target.type}"
        draft = found.draft
        if draft.collection != target.draft.collection and not draft.member and path in cell.theme.own:
            here = cell.theme.reading(path)
            if draft.cells[0].reading is not here and not any(
                _has_value_of(cell.reading, here) for cell in draft.distinct
            ):
                name = self.mapping.collections[draft.collection].name
                theme = cell.theme.theme.name
                return f"{shown(path)} of {quoted(name)} has another value than in the theme {quoted(theme)}"
        return Alias(found.key)

    def _composed(self, value: Composed, cell: Cell, target: Target) -> tuple[Value, Aliases]:
        parts: list[Color | float | Alias] = []
        reasons = [value.reason] if value.reason else []
        for part in (value.base, value.opacity):
            found = self._part(part, cell, target) if isinstance(part, AliasTo) else part
            if isinstance(found, str):
                return self._literal(cell, target), Aliases(reason=found)
            parts.append(found)
        number = sum(isinstance(part, Alias) for part in parts)
        composed = ComposedColor(parts[0], parts[1])  # type: ignore[arg-type]
        return composed, Aliases(composed=number, reason="; ".join(reasons))

    def _part(self, part: AliasTo, cell: Cell, target: Target) -> Alias | str:
        found = self.targets.find(part.path, cell.theme.own[cell.path])
        if found is None:
            return f"{shown(part.path)} is not migrated"
        return self._alias(part.path, cell, target._replace(type=found.type))

    def _composite(self, kept: str, cell: Cell, target: Target) -> tuple[Composite, Aliases]:
        """Return a composite of token files, with references to the tokens that its references lead to."""
        try:
            tree = decoded(kept)
            references: dict[str, TokenKey] = {}
            reasons: list[str] = []
            written = 0
            for part in tuple(parts_of(target.type, tree)):
                if part.reference is None:
                    continue
                found = self._reference(part.reference[1:-1], part.type, cell)
                if isinstance(found, TokenKey):
                    text = self.spelling.reference(found)
                    references[text] = found
                    _put(tree, part.path, text)
                    written += 1
                else:
                    _put(tree, part.path, found[0])
                    reasons.append(found[1])
            checked = composite(target.type, tree)
        except (BadToken, KeyError, *DECODE_ERRORS) as error:
            raise _Unfit(f"it is no valid {target.type}: {getattr(error, 'what', error)}"[:200]) from None
        return Composite(checked.json, tuple(references.items())), Aliases(written, reason="; ".join(reasons))

    def _reference(self, path: str, part_type: str, cell: Cell) -> TokenKey | tuple[Any, str]:
        """Return the token that a part refers to, or the JSON of its literal with the reason. Raises _Unfit."""
        found = self.targets.find(path, cell.theme.own[cell.path])
        if found is not None and fits(part_type, found.type):
            return found.key
        literal = cell.theme.literal(path)
        json = None if isinstance(literal, Refused) else literal_json(literal, part_type)
        if json is None:
            raise _Unfit(literal.reason if isinstance(literal, Refused) else f"{shown(path)} is no {part_type}")
        return json, f"{shown(path)} {'is not migrated' if found is None else f'is a {found.type}'}"

    def _token(self, target: Target, values: Sequence[Value]) -> Token:
        """Return the token with these values. Members that neither source nor mapping have stay as they are."""
        draft, before = target.draft, target.present
        definitions = [cell.at for cell in draft.distinct]
        family = self.families[draft.collection]
        columns: list[Value | None] = [None] * len(family.collection.modes)
        if before is not None:
            columns[: len(before.values)] = before.values
        for index, at in enumerate(family.columns):
            columns[at] = values[0 if draft.is_constant else index]
        token = before or _NEW
        syntax = dict(token.code_syntax)
        scopes: tuple[str, ...] = ()
        description, deprecated, hidden = token.description, token.deprecated, token.hidden
        for definition in reversed(definitions):  # what the first one has counts
            syntax.update(definition.code_syntax)
            scopes = definition.scopes or scopes
            description = definition.description or description
            deprecated = definition.deprecated or deprecated
            hidden = hidden or definition.is_hidden
        for platform, table in self.syntax.items():
            if (text := table.get(draft.path)) is not None:
                syntax[platform] = text.replace("{name}", slug(target.key.path, "token"))
        scopes = self._fitting(tuple(self.scopes.get(draft.path) or scopes), target)
        if not scopes and before is None and any(cell.reading.is_percentage for cell in draft.distinct):
            scopes = tuple(sorted(OPACITY_SCOPES))
        made = Token if before is None else partial(replace, before)
        return made(
            key=target.key,
            type=target.type,
            values=tuple(columns),
            description=description,
            scopes=scopes or token.scopes,
            code_syntax=tuple(sorted(syntax.items())),
            hidden=hidden,
            deprecated=deprecated,
            extensions=token.extensions or _foreign_extensions(definitions[0].extensions),
            notations=(),
        )

    def _fitting(self, scopes: tuple[str, ...], target: Target) -> tuple[str, ...]:
        """Return the scopes that a variable of a token's type can have, and record the others."""
        kind = RESOLVED_TYPES.get(target.type)
        fitting = fitting_scopes(kind, scopes) if kind else scopes
        if len(fitting) < len(scopes):
            left_out = ", ".join(scope for scope in scopes if scope not in fitting)
            what = f"a {kind} variable cannot have {left_out} among the scopes {', '.join(scopes)}; it is left out"
            self.books.add("changed", target.draft, what)
        return fitting

    def _graph(self, targets: Iterable[Target], tokens: Mapping[TokenKey, Token]) -> TokenGraph:
        """Return the present graph with the migrated tokens in it, those that it has at their places."""
        moved = {target.present.key: target.key for target in targets if target.present and target.key in tokens}
        handles = {key.collection for key in tokens}
        families = {family.collection.key: family for family in self.families if family.collection.handle in handles}
        before = self.present.graph
        collections = {
            key: families[key].collection if key in families else each for key, each in before.collections.items()
        }
        collections |= {key: each.collection for key, each in families.items()}
        order: dict[TokenKey, Token] = {}
        others = Translator({key: now for key, now in moved.items() if key != now})
        for key, token in before.tokens.items():
            now = tokens[moved[key]] if key in moved else others.token(token, key)
            lacking = len(collections[key[:2]].modes) - len(now.values)
            order[now.key] = replace(now, values=(*now.values, *(None,) * lacking)) if lacking > 0 else now
        order |= {key: each for key, each in tokens.items() if key not in order}
        ranks = {key: rank for rank, key in enumerate(collections)}
        return TokenGraph(collections.values(), sorted(order.values(), key=lambda token: ranks[token.key[:2]]))

    def _unused(self) -> Iterator[InvalidEntry]:
        """Yield the entries of the mapping that no token has matched."""
        tables = [("names", self.rename.unused), ("types", self.types.unused), ("scopes", self.scopes.unused)]
        named: list[tuple[tuple[str, ...], str]] = [((table,), each) for table, unused in tables for each in unused]
        named += [(("code_syntax", each), name) for each, globs in self.syntax.items() for name in globs.unused]
        paths = [token.path for _, token in self.source.tokens()] if named else []
        for steps, each in named:
            yield InvalidEntry((*steps, each), "no token has this path", suggestion(each, paths, quoted=True))


def _identities(mapped: MappedCollection, source: Source, keys: Mapping[str, SourceTheme]) -> Iterator[str]:
    """Yield the keys and ids of the variables that the tokens of a collection were."""
    themes = [keys[mode.theme] for mode in mapped.modes]
    yield from (key for theme in themes for key in theme.keys.values())
    names = {*mapped.sets, *(name for theme in themes for name, role in theme.sets.items() if role == "enabled")}
    own = [token for set_ in source.sets if set_.name in names for token in set_.tokens]
    yield from (identity for token in own for identity in (token.key, token.id) if identity)
    if mapped.sets:
        paths = dict.fromkeys(token.path for token in own)
        yield from (theme.keys[path] for theme in source.themes for path in paths if path in theme.keys)


def _renamed(target: Target) -> Renamed:
    cells = target.draft.cells
    syntax = () if target.draft.member else cells[0].at.code_syntax
    of_parts = (
        target.type == "color" and not target.draft.member and any(has_parts(cell.at) for cell in target.draft.distinct)
    )
    is_changed = any(cell.reading.notes for cell in target.draft.distinct)
    return Renamed(target.draft.name, target.key, syntax, is_changed, of_parts, cells[0].at.at)


def _mutual(found: Mapping[TokenKey, list[tuple[Value, Aliases]] | str]) -> set[tuple[TokenKey, TokenKey]]:
    """Return the aliases between collections, as pairs of tokens, that are on a cycle in some combination of modes."""
    edges = {
        key: ends
        for key, values in found.items()
        if not isinstance(values, str) and (ends := [end for value, _ in values for end in targets_of(value)])
    }
    between: dict[str, set[str]] = {}
    for key, ends in edges.items():
        between.setdefault(key.collection, set()).update([end.collection for end in ends])
    if all(len(component) == 1 for component in components(between, lambda name: between.get(name, ()))):
        return set()  # a cycle of tokens would be one of collections, too
    return {
        (key, end)
        for members in components(edges, lambda key: edges.get(key, ()))
        if len(members) > 1
        for key in members
        for end in edges.get(key, ())
        if end in members and end.collection != key.collection
    }


def _put(tree: Any, path: tuple[str | int, ...], value: Any) -> None:
    for step in path[:-1]:
        tree = tree[step]
    tree[path[-1]] = value


def _has_value_of(reading: Reading, other: Reading) -> bool:
    """Return whether two readings have the same literal, or, where no variable can hold it, the same composite."""
    if isinstance(other.literal, Refused):
        return reading.value == other.value
    return reading is other or reading.literal == other.literal


def _type_of(cell: Cell) -> str:
    """Return the type of a cell's literal; a weight as text has a type of its own."""
    found = cell.reading.type
    return AS_TEXT if found == "fontWeight" and isinstance(cell.reading.literal, str) else found


_NUMBERS, _TEXTS = {"number", "dimension"}, {"string", "fontFamily"}
_WEIGHTS = {"fontWeight", AS_TEXT, "number", "string"}


def _common_type(types: list[str], draft: Draft) -> str | None:
    """Return the type for the values of all modes; None if there is none."""
    found = set(types)
    if len(found) == 1:
        return types[0] or None
    if found <= _NUMBERS:
        return "dimension"
    if found <= _TEXTS:
        return "fontFamily"
    if found <= _WEIGHTS and all(weight_of(cell.reading.literal) is not None for cell in draft.cells):
        return "fontWeight"
    return None


def _fitting(literal: Literal, wanted: str) -> Literal:
    """Return a literal as one of a type. Raises _Unfit if it cannot be one."""
    match literal:
        case str() if wanted == AS_TEXT:
            return literal
        case Composite() if wanted == "string" and font_list(literal):
            return text_of(literal)
        case str() if wanted == "fontWeight" and (weight := weight_of(literal)) is not None:
            return weight
        case Quantity(unit=unit) if (unit == "rem") is not (wanted == "dimension"):
            pass
        case float() if not is_storable(literal):
            raise _Unfit(f"variables are 32-bit floats, which cannot store {shortened(shortest(literal), 24)}")
        case _ if type(literal) in LITERAL_CLASSES.get(wanted, (Composite,)):
            return literal
    raise _Unfit(f"the value is no {'text' if wanted == AS_TEXT else wanted}")


_READ = ("studio.tokens", "org.primer.overrides", "mode")


def _foreign_extensions(extensions: Mapping[str, Any]) -> str:
    """Return the canonical JSON of the extensions of other tools, which token files keep."""
    own = extensions.get("$extensions")
    if not isinstance(own, dict):
        return ""
    kept = {name: each for name, each in own.items() if "." in name and name not in _READ and name[:9] != "com.figma"}
    kept = {name: each for name, each in kept.items() if name[:14] != "org.tokensync"}
    try:
        return canonical(kept) if kept else ""
    except (TypeError, *DECODE_ERRORS):
        return ""
