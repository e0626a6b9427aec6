"""Assign the tokens of a source to the collections of a mapping: one token for each path, and its value in each mode.

A token belongs to the collection whose modes change it. A token that no mode changes is in the collection of its set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from tokensync.migrate.conversion.mapping_file import Globs, MappedCollection, MigrationMapping, theme_keys
from tokensync.migrate.evaluation.themes import Definitions, Replaced, ThemeTokens, share_readings
from tokensync.migrate.evaluation.values import Reading
from tokensync.migrate.source import Source, SourceTheme, SourceToken
from tokensync.system.wording import listed, quoted


class Cell(Struct, frozen=True):
    """The reading of a token in a theme, and the definition that counts.

    ``path`` is that of the definition, which for a member is the composite's.
    """

    reading: Reading
    theme: ThemeTokens
    path: str
    at: SourceToken


class Draft(Struct, frozen=True):
    """A token of a collection, by its index in the mapping, with its cell in each mode.

    ``member`` is its name in the composite with the rest of the path, empty for other tokens. ``filled`` are the modes
    that have the value of another mode. ``equal`` are cells of other themes with the same value. ``is_constant`` marks
    a token that has the same cell in all modes.
    """

    path: str
    name: tuple[str, ...]
    collection: int
    cells: tuple[Cell, ...]
    member: str = ""
    filled: tuple[int, ...] = ()
    equal: tuple[Cell, ...] = ()
    is_constant: bool = False

    @property
    def distinct(self) -> tuple[Cell, ...]:
        """Return the cells, or the only one of a constant token."""
        return self.cells[:1] if self.is_constant else self.cells


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
    """The tokens of the themes of one collection: ``table`` has the cell of each theme, or None, by path.

    ``constant`` are the paths that have the same cell in all themes.
    """

    def __init__(self, index: int, collection: MappedCollection, themes: Sequence[ThemeTokens]) -> None:
        self.index = index
        self.collection = collection
        self.themes = themes
        self.table: dict[str, list[Cell | None]] = {}
        self.members: dict[str, str] = {}
        self.created = set[str]().union(*(theme.tokens for theme in themes))
        first, number = themes[0], len(themes)
        readings = share_readings(themes)
        others = {path for theme in themes for path in theme.theme.keys}  # each theme has a variable of its own
        own = [[(path, theme.reading(path)) for path in theme.own if path not in readings] for theme in themes]
        others.update(
            name
            for of_theme in own
            for path, reading in of_theme
            if reading.members
            for name, _ in _expanded(path, reading)
        )
        self.constant = readings.keys() - others
        for path in filter(self.constant.__contains__, readings):
            self.table[path] = [Cell(readings[path], first, path, first.definition(path))] * number
        if not readings.keys().isdisjoint(others):
            constant = self.constant
            own = [[(path, theme.reading(path)) for path in theme.own if path not in constant] for theme in themes]
        created = frozenset(self.created)
        for at, (theme, of_theme) in enumerate(zip(themes, own, strict=True)):
            for path, reading in of_theme:
                cell = Cell(reading, theme, path, theme.definition(path))
                self._add(path, at, cell, is_created=path in created)

    def _add(self, path: str, at: int, cell: Cell, *, is_created: bool) -> None:
        for name, reading in _expanded(path, cell.reading) if cell.reading.members else ((path, cell.reading),):
            if name is not path:
                self.members[name] = path
            cells = self.table.get(name)
            if cells is None:
                cells = self.table[name] = [None] * len(self.themes)
            cells[at] = cell if reading is cell.reading else replace(cell, reading=reading)
            if is_created:
                self.created.add(name)

    def values(self, path: str) -> list[Cell]:
        """Return the cells of a token, or the only one of a constant token."""
        cells = self.table[path]
        return [cell for cell in (cells[:1] if path in self.constant else cells) if cell is not None]

    def changes(self, path: str) -> bool:
        """Return whether the modes give a token different values, or none in some of them."""
        if path in self.constant:
            return False
        cells = self.table[path]
        first = cells[0]
        return first is None or any(cell is None or not are_equal(cell, first) for cell in cells[1:])


def are_equal(one: Cell, other: Cell) -> bool:
    """Return whether two cells have the same value: 1 and true are different."""
    if one.reading is other.reading:
        return True
    return one.reading.type == other.reading.type and one.reading.value == other.reading.value


def _of_other_definitions(cells: Sequence[Cell]) -> tuple[Cell, ...]:
    """Return a cell for each definition other than that of the first one."""
    if len(cells) == 1:
        return ()
    found = {id(cell.at): cell for cell in cells}
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
    stored: Callable[[Iterable[str], Iterable[str]], int | None] | None = None,
    has_name: Callable[[int, tuple[str, ...]], bool] = lambda index, names: False,
) -> Assigned:
    """Assign the tokens of a source.

    ``stored`` returns the index of the collection that already has a variable with one of these keys or ids, if any
    variable has one, and ``has_name`` whether a collection already has one with the names of a token.
    """
    return _Assignment(source, mapping, stored, has_name).assigned()


class _Assignment:
    def __init__(
        self,
        source: Source,
        mapping: MigrationMapping,
        stored: Callable[[Iterable[str], Iterable[str]], int | None] | None,
        has_name: Callable[[int, tuple[str, ...]], bool],
    ) -> None:
        self.source = source
        self.mapping = mapping
        self.stored = stored
        self.has_name = has_name
        self.shared = Definitions(source)
        keys = theme_keys(source)
        self.dimensions = [
            _Dimension(index, each, [self._theme(keys[mode.theme]) for mode in each.modes])
            for index, each in enumerate(mapping.collections)
            if each.modes
        ]
        self.of_set = {name: index for index, each in enumerate(mapping.collections) for name in each.sets}
        self.skip = Globs(dict.fromkeys(mapping.skip, True))
        self.rejected: list[Rejected] = []
        self.contested: list[Contested] = []

    def _theme(self, theme: SourceTheme) -> ThemeTokens:
        return ThemeTokens(self.source, theme, self.shared, base_font_size=self.mapping.base_font_size)

    def assigned(self) -> Assigned:
        names = {path: token.name for tokens in self.shared.sets.values() for path, token in tokens.items()}
        themed = {name for dimension in self.dimensions for theme in dimension.themes for name in theme.theme.sets}
        drafts: list[Draft] = []
        of_sets: dict[tuple[str, str], Draft] = {}
        paths: dict[str, dict[str, str]] = {}
        composites = {parent for dimension in self.dimensions for parent in dimension.members.values()}
        for dimension in self.dimensions if composites else ():
            for path in dimension.table:
                if (parent := dimension.members.get(path, path)) in composites:
                    paths.setdefault(parent, {})[path] = ""
        done: set[str] = set()
        for of_set in self.source.sets:
            if of_set.name in themed:
                for path in self.shared.sets[of_set.name]:
                    if path not in done:
                        done.add(path)
                        drafts += (found for name in paths.get(path, (path,)) if (found := self._draft(name, names)))
            else:
                for found in self._of_set(of_set.name):
                    drafts.append(found)
                    of_sets[of_set.name, found.path] = found
        replaced = tuple(one for dimension in self.dimensions for theme in dimension.themes for one in theme.replaced)
        return Assigned(tuple(drafts), tuple(self.rejected), tuple(self.contested), of_sets, self.shared, replaced)

    def _draft(self, path: str, names: dict[str, tuple[str, ...]]) -> Draft | None:
        """Return the draft of a token that themes have; None if none has it, or if it is rejected."""
        having = [dimension for dimension in self.dimensions if path in dimension.table]
        if not having:
            return None
        by = having if len(having) == 1 else [dimension for dimension in having if path in dimension.created] or having
        parent = by[0].members.get(path, "")
        name = (*names[parent], *path[len(parent) + 1 :].split(".")) if parent else names[path]
        member = path[len(parent) + 1 :] if parent else ""
        cells = by[0].values(path) if len(by) == 1 else [cell for dimension in by for cell in dimension.values(path)]
        if self._is_skipped(parent or path):
            self._reject(cells, "the mapping skips it")
            return None
        changing = [dimension for dimension in by if dimension.changes(path)]
        is_constant = not changing and all(are_equal(cell, cells[0]) for cell in cells[1:])
        home = self._stored_home(path, cells, by)
        if home is None and is_constant:
            single = next((each.index for each in by if len(each.themes) == 1 and path in each.created), None)
            home = self.of_set.get(cells[0].theme.own[cells[0].path]) if single is None else single
            if home is not None and not self.has_name(home, name):
                home = next((dimension.index for dimension in by if self.has_name(dimension.index, name)), home)
        dimension = next((dimension for dimension in by if dimension.index == home), None)
        if dimension is None:
            if home is not None and is_constant:
                number = len(self.mapping.collections[home].modes) or 1
                equal = _of_other_definitions(cells)
                return Draft(path, name, home, (cells[0],) * number, member, equal=equal, is_constant=True)
            dimension = (changing or by)[0]
        rivals = (
            []
            if len(by) == 1
            else [each for each in by if each is not dimension and not self._agrees(each, dimension, path)]
        )
        for rival in rivals:
            what = f"{quoted(dimension.collection.name)} has this token, too, and a token is in one collection"
            self._reject(rival.values(path), what)
        draft = self._in_dimension(path, name, member, dimension)
        if draft is None:
            return None
        if rivals:
            self.contested.append(Contested(draft, tuple(rival.collection.name for rival in rivals)))
        others = (
            ()
            if len(by) == 1
            else [value for one in by if one is not dimension and one not in rivals for value in one.values(path)]
        )
        return replace(draft, equal=tuple(others)) if others else draft

    def _in_dimension(self, path: str, name: tuple[str, ...], member: str, dimension: _Dimension) -> Draft | None:
        cells = dimension.table[path]
        if path in dimension.constant:
            return Draft(path, name, dimension.index, tuple(filter(None, cells)), member, is_constant=True)
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
        return Draft(path, name, dimension.index, tuple(cell or filling for cell in cells), member, tuple(missing))

    def _agrees(self, one: _Dimension, other: _Dimension, path: str) -> bool:
        """Return whether all values of a token in one dimension are also values in the other."""
        return all(any(are_equal(mine, value) for value in other.values(path)) for mine in one.values(path))

    def _stored_home(self, path: str, cells: Sequence[Cell], by: Sequence[_Dimension]) -> int | None:
        """Return the collection that has a variable of this token: a variable cannot change its collection."""
        if self.stored is None:
            return None
        tokens = [cell.at for cell in cells]
        keys = [theme.theme.keys[path] for dimension in by for theme in dimension.themes if path in theme.theme.keys]
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
        theme = self._theme(SourceTheme(name, {name: "enabled"}))
        number = len(self.mapping.collections[home].modes) or 1
        for path, token in tokens.items():
            if self._is_skipped(path):
                self.rejected.append(Rejected(token, "the mapping skips it"))
                continue
            for found, reading in _expanded(path, theme.reading(path)):
                member = found[len(path) + 1 :]
                names = (*token.name, *member.split(".")) if member else token.name
                yield Draft(found, names, home, (Cell(reading, theme, path, token),) * number, member, is_constant=True)

    def _is_skipped(self, path: str) -> bool:
        return bool(self.mapping.skip) and self.skip.get(path) is not None

    def _reject(self, cells: Iterable[Cell], reason: str) -> None:
        self.rejected += (Rejected(cell.at, reason) for cell in cells)
