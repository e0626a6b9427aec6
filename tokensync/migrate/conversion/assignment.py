"""Assign the tokens of a source to the collections of a mapping: one token for each path, and its value in each mode.

A token belongs to the collection whose modes change it. A token that no mode changes is in the collection of its set.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from tokensync.migrate.conversion.mapping_file import Globs, theme_keys
from tokensync.migrate.evaluation.themes import Definitions, Replaced, ThemeTokens
from tokensync.migrate.evaluation.values import Reading
from tokensync.migrate.source import SourceTheme
from tokensync.wording import listed, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from tokensync.migrate.conversion.mapping_file import MappedCollection, MigrationMapping
    from tokensync.migrate.source import Source, SourceToken


class View:
    """The tokens of a theme as a mode has them. ``own`` has the set whose definition counts, by path."""

    def __init__(self, theme: SourceTheme, shared: Definitions, base_font_size: float | str | None) -> None:
        self.theme = theme
        self.tokens = ThemeTokens(shared.source, theme, shared, base_font_size=base_font_size)
        self.own: dict[str, str] = {}
        self._sets = shared.sets
        for name in theme.sets:
            self.own |= dict.fromkeys(shared.sets.get(name, ()), name)

    def definition(self, path: str) -> SourceToken:
        """Return the definition of a token that counts in the theme."""
        return self._sets[self.own[path]][path]

    def definitions(self, path: str) -> Iterator[SourceToken]:
        """Yield all definitions that the value of a token comes from: earlier ones, too, if values were merged."""
        winner = self.definition(path)
        yield winner
        merged = self.tokens.lookup(path)
        if merged is not None and isinstance(winner.value, dict) and merged.value != winner.value:
            earlier = (self._sets[each].get(path) for each in self.theme.sets if each in self._sets)
            yield from (each for each in earlier if each is not None and each is not winner)


class Cell(NamedTuple):
    """The reading of a token in a theme; ``path`` is that of its definition, which for a member is the composite's."""

    reading: Reading
    view: View
    path: str

    @property
    def at(self) -> SourceToken:
        """Return the definition that counts."""
        return self.view.definition(self.path)


class Draft(Struct, frozen=True):
    """A token of a collection, by its index in the mapping, with its cell in each mode.

    ``member`` is its name in the composite with the rest of the path, empty for other tokens. ``filled`` are the modes
    that have the value of another mode. ``equal`` are cells of other themes with the same value.
    """

    path: str
    name: tuple[str, ...]
    collection: int
    cells: tuple[Cell, ...]
    member: str = ""
    filled: tuple[int, ...] = ()
    equal: tuple[Cell, ...] = ()


class Rejected(NamedTuple):
    """A definition that no collection gets, and the reason."""

    token: SourceToken
    reason: str


class Contested(NamedTuple):
    """A token that the modes of several collections change, with the collection that has it and the others."""

    draft: Draft
    others: tuple[str, ...]


class Assigned(Struct, frozen=True):
    """The drafts in the order of the source, and the definitions that none of them has.

    ``of_sets`` are the drafts of sets that no theme has, by set and path.
    """

    drafts: tuple[Draft, ...]
    rejected: tuple[Rejected, ...]
    contested: tuple[Contested, ...]
    of_sets: dict[tuple[str, str], Draft]
    definitions: Definitions
    replaced: tuple[Replaced, ...]


class _Dimension:
    """The tokens of the themes of one collection: ``table`` has the cell of each theme, or None, by path."""

    def __init__(self, index: int, collection: MappedCollection, views: Sequence[View], shared: Definitions) -> None:
        self.index = index
        self.collection = collection
        self.views = views
        self.created: dict[str, None] = {}
        self.table: dict[str, list[Cell | None]] = {}
        self.members: dict[str, str] = {}
        created = {path: None for view in views for path in view.tokens.tokens}
        for at, view in enumerate(views):
            for path in view.own:
                if path in created or not self._is_constant(path, at, shared):
                    self._add(path, at, Cell(view.tokens.reading(path), view, path), is_created=path in created)

    def _is_constant(self, path: str, at: int, shared: Definitions) -> bool:
        """Return whether a token that the themes only refer to has one definition and value in all of them; add it."""
        if at and path in self.table:
            return self.table[path][at] is not None
        own = self.views[at].own[path]
        if at or any(each.own.get(path) != own for each in self.views):
            return False
        reading = shared.reading_of(self.views[0].definition(path))
        if not isinstance(reading, Reading) or reading.members:
            return False
        self.table[path] = [Cell(reading, self.views[0], path)] * len(self.views)
        return True

    def _add(self, path: str, at: int, cell: Cell, *, is_created: bool) -> None:
        for name, reading in _expanded(path, cell.reading):
            if name is not path:
                self.members[name] = path
            cells = self.table.get(name)
            if cells is None:
                cells = self.table[name] = [None] * len(self.views)
            cells[at] = cell if reading is cell.reading else cell._replace(reading=reading)
            if is_created:
                self.created[name] = None

    def values(self, path: str) -> Iterator[Cell]:
        return (each for each in self.table[path] if each is not None)

    def changes(self, path: str) -> bool:
        """Return whether the modes give a token different values, or none in some of them."""
        cells = self.table[path]
        first = cells[0]
        return first is None or any(each is None or not are_equal(each, first) for each in cells[1:])


def are_equal(one: Cell, other: Cell) -> bool:
    """Return whether two cells have the same value: 1 and true are different."""
    if one.reading is other.reading:
        return True
    return one.reading.type == other.reading.type and one.reading.value == other.reading.value


def _of_other_definitions(cells: Sequence[Cell]) -> tuple[Cell, ...]:
    """Return a cell for each definition other than that of the first one."""
    found = {id(each.at): each for each in cells}
    del found[id(cells[0].at)]
    return tuple(found.values())


def _expanded(path: str, reading: Reading) -> Iterator[tuple[str, Reading]]:
    """Yield a token, or the members of a composite as tokens."""
    if not reading.members:
        yield path, reading
    for name, each in reading.members:
        yield from _expanded(f"{path}.{name}", each)


def assign(
    source: Source,
    mapping: MigrationMapping,
    stored: Callable[[Iterable[str], Iterable[str]], int | None] = lambda keys, ids: None,
    has_name: Callable[[int, tuple[str, ...]], bool] = lambda index, names: False,
) -> Assigned:
    """Assign the tokens of a source.

    ``stored`` returns the index of the collection that already has a variable with one of these keys or ids, and
    ``has_name`` whether a collection already has one with the names of a token.
    """
    return _Assignment(source, mapping, stored, has_name).assigned()


class _Assignment:
    def __init__(
        self,
        source: Source,
        mapping: MigrationMapping,
        stored: Callable[[Iterable[str], Iterable[str]], int | None],
        has_name: Callable[[int, tuple[str, ...]], bool],
    ) -> None:
        self.source = source
        self.mapping = mapping
        self.stored = stored
        self.has_name = has_name
        self.shared = Definitions(source)
        keys = theme_keys(source)
        self.dimensions = [
            _Dimension(
                index,
                each,
                [View(keys[mode.theme], self.shared, mapping.base_font_size) for mode in each.modes],
                self.shared,
            )
            for index, each in enumerate(mapping.collections)
            if each.modes
        ]
        self.of_set = {name: index for index, each in enumerate(mapping.collections) for name in each.sets}
        self.skip = Globs(dict.fromkeys(mapping.skip, True))
        self.rejected: list[Rejected] = []
        self.contested: list[Contested] = []

    def assigned(self) -> Assigned:
        names = {token.path: token.name for _, token in self.source.tokens()}
        themed = {name for each in self.dimensions for view in each.views for name in view.theme.sets}
        drafts: list[Draft] = []
        of_sets: dict[tuple[str, str], Draft] = {}
        paths: dict[str, dict[str, str]] = {}
        for each in self.dimensions:
            for path in each.table:
                paths.setdefault(each.members.get(path, path), {})[path] = ""
        done: set[str] = set()
        for of_set in self.source.sets:
            if of_set.name in themed:
                for token in of_set.tokens:
                    if token.path not in done:
                        done.add(token.path)
                        drafts += (found for name in paths.get(token.path, ()) if (found := self._draft(name, names)))
            else:
                for found in self._of_set(of_set.name):
                    drafts.append(found)
                    of_sets[of_set.name, found.path] = found
        replaced = tuple(one for each in self.dimensions for view in each.views for one in view.tokens.replaced)
        return Assigned(tuple(drafts), tuple(self.rejected), tuple(self.contested), of_sets, self.shared, replaced)

    def _draft(self, path: str, names: dict[str, tuple[str, ...]]) -> Draft | None:
        """Return the draft of a token that themes have; None if it is rejected."""
        having = [each for each in self.dimensions if path in each.table]
        by = [each for each in having if path in each.created] or having
        parent = by[0].members.get(path, "")
        name = (*names[parent], *path[len(parent) + 1 :].split(".")) if parent else names[path]
        member = path[len(parent) + 1 :] if parent else ""
        cells = [cell for each in by for cell in each.values(path)]
        if self._is_skipped(parent or path):
            self._reject(cells, "the mapping skips it")
            return None
        changing = [each for each in by if each.changes(path)]
        is_constant = not changing and all(are_equal(each, cells[0]) for each in cells[1:])
        home = self._stored_home(path, cells, by)
        if home is None and is_constant:
            single = next((each.index for each in by if len(each.views) == 1 and path in each.created), None)
            home = self.of_set.get(cells[0].view.own[cells[0].path]) if single is None else single
            if home is not None and not self.has_name(home, name):
                home = next((each.index for each in by if self.has_name(each.index, name)), home)
        dimension = next((each for each in by if each.index == home), None)
        if dimension is None:
            if home is not None and is_constant:
                number = len(self.mapping.collections[home].modes) or 1
                return Draft(path, name, home, (cells[0],) * number, member, equal=_of_other_definitions(cells))
            dimension = (changing or by)[0]
        rivals = [each for each in by if each is not dimension and not self._agrees(each, dimension, path)]
        what = f"{quoted(dimension.collection.name)} has this token, too, and a token is in one collection"
        for each in rivals:
            self._reject(each.values(path), what)
        draft = self._in_dimension(path, name, member, dimension)
        if draft is None:
            return None
        if rivals:
            self.contested.append(Contested(draft, tuple(each.collection.name for each in rivals)))
        equal = [each for one in by if one is not dimension and one not in rivals for each in one.values(path)]
        return replace(draft, equal=tuple(equal)) if equal else draft

    def _in_dimension(self, path: str, name: tuple[str, ...], member: str, dimension: _Dimension) -> Draft | None:
        cells = dimension.table[path]
        missing = [at for at, each in enumerate(cells) if each is None]
        if not missing:
            return Draft(path, name, dimension.index, tuple(filter(None, cells)), member)
        modes = dimension.collection.modes
        policy = dimension.collection.missing
        filling = cells[0] if policy == "default" else next(filter(None, cells)) if policy == "first" else None
        if filling is None:
            shown = listed([modes[at].name for at in missing])
            what = f"it has no value in {'the mode' if len(missing) == 1 else 'the modes'} {shown}"
            self._reject(dimension.values(path), f"{what} of {quoted(dimension.collection.name)}")
            return None
        return Draft(path, name, dimension.index, tuple(each or filling for each in cells), member, tuple(missing))

    def _agrees(self, one: _Dimension, other: _Dimension, path: str) -> bool:
        """Return whether all values of a token in one dimension are also values in the other."""
        return all(any(are_equal(mine, each) for each in other.values(path)) for mine in one.values(path))

    def _stored_home(self, path: str, cells: Sequence[Cell], by: Sequence[_Dimension]) -> int | None:
        """Return the collection that has a variable of this token: a variable cannot change its collection."""
        tokens = [cell.at for cell in cells]
        keys = [view.theme.keys[path] for each in by for view in each.views if path in view.theme.keys]
        return self.stored((*keys, *(each.key for each in tokens if each.key)), (each.id for each in tokens if each.id))

    def _of_set(self, name: str) -> Iterator[Draft]:
        """Yield the drafts of a set that no theme has."""
        home = self.of_set.get(name)
        tokens = self.shared.sets[name]
        if home is None:
            for token in tokens.values():
                self.rejected.append(
                    Rejected(token, f"no theme and no collection of the mapping has its set {quoted(name)}")
                )
            return
        view = View(SourceTheme(name, {name: "enabled"}), self.shared, self.mapping.base_font_size)
        number = len(self.mapping.collections[home].modes) or 1
        for path, token in tokens.items():
            if self._is_skipped(path):
                self.rejected.append(Rejected(token, "the mapping skips it"))
                continue
            for found, reading in _expanded(path, view.tokens.reading(path)):
                member = found[len(path) + 1 :]
                names = (*token.name, *member.split(".")) if member else token.name
                yield Draft(found, names, home, (Cell(reading, view, path),) * number, member)

    def _is_skipped(self, path: str) -> bool:
        return bool(self.mapping.skip) and self.skip.get(path) is not None

    def _reject(self, cells: Iterable[Cell], reason: str) -> None:
        self.rejected += (Rejected(each.at, reason) for each in cells)
