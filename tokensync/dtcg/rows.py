"""Rows: one for each token, with its key, its type and its entry in each mode's file."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from tokensync.dtcg.document import Targets
from tokensync.dtcg.extensions import NO_EXTENSIONS, PlainExtensions, has_stored_value, own_members, plain_extensions
from tokensync.dtcg.literals import missing_type_advice, type_of_form
from tokensync.dtcg.parse import BadToken, UnreadTarget
from tokensync.dtcg.spelling import DTCG_TYPES, FIGMA, TYPE, is_reference, pointer_advice
from tokensync.system.wording import SimilarNames, argument, mistyped, quoted
from tokensync.tokens import Alias, TokenKey
from tokensync.tokens.paths import decoded
from tokensync.tokens.values import AS_TEXT

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping

    from tokensync.dtcg.document import Document, Entry
    from tokensync.dtcg.families import FamilyOfFiles, JoinedRow
    from tokensync.dtcg.parse import ProblemCollector

    Node = dict[str, Any]

_MOST_COMPARED = 50
"""The number of paths that a path is compared with."""
_ALLOWED_TYPES = tuple(sorted(each for each in DTCG_TYPES if each != AS_TEXT))
"""The values that ``$type`` may have."""
PLAIN_TYPES: dict[tuple[str, str | None], str] = {
    **{(each, None): each for each in _ALLOWED_TYPES},
    **{(dtcg_type, each): each for each in ("boolean", "string") for dtcg_type in (each, DTCG_TYPES[each])},
}
"""The token type by ``$type`` and ``com.figma.type``."""


class _Counterparts:
    """Finds the token of the default mode's file that a token of another file probably is, under another name."""

    def __init__(self, rows: Rows, orphans: Iterable[int]) -> None:
        self._rows = rows
        self._similar_names = SimilarNames()
        self._found: dict[tuple[str, str], list[int]] = {}  # by collection, and by group, name or nothing
        collections = {rows.keys[row].collection for row in orphans}
        for row, (key, nodes, home) in enumerate(zip(rows.keys, rows.nodes, rows.homes, strict=True)):
            if key.collection in collections and nodes[home] is not None and None in nodes:
                group, _, name = key.path.rpartition(".")
                for part in (f"{group}.", name, ""):
                    self._found.setdefault((key.collection, part), []).append(row)

    def of(self, orphan: int) -> int | None:
        """Return the row that only files without the orphan have: the one with the most similar path, or None."""
        key = self._rows.keys[orphan]
        group, _, name = key.path.rpartition(".")
        for part in (f"{group}.", name, ""):
            rows = self._found.get((key.collection, part), ())[:_MOST_COMPARED]
            paths = {self._rows.keys[row].path: row for row in rows if self._excludes(row, orphan)}
            if len(paths) == 1:
                return next(iter(paths.values()))
            if similar := self._similar_names.nearest(key.path, paths):
                return paths[similar]
        return None

    def _excludes(self, row: int, orphan: int) -> bool:
        pairs = zip(self._rows.nodes[row], self._rows.nodes[orphan], strict=True)
        return all(here is None or there is None for here, there in pairs)


def _renamed(orphan: TokenKey, other: TokenKey) -> tuple[list[str], list[str]]:
    """Return the names from the collection to what is renamed: a group if only the name of one group differs."""
    names = orphan.path.split("."), other.path.split(".")
    differing = [at for at, pair in enumerate(zip(*names, strict=False)) if pair[0] != pair[1]]
    if len(differing) == 1 and len(names[0]) == len(names[1]):
        return names[0][: differing[0] + 1], names[1][: differing[0] + 1]
    return names


def _renaming(collection: str, renamed: tuple[list[str], list[str]]) -> str:
    """Return the commands that give both the same name."""
    first, second = (argument("/".join((collection, *map(decoded, each)))) for each in renamed)
    return f"tokensync tokens rename {first} {second}, or the same with the names exchanged"


class Rows:
    """The tokens of a design file as parallel lists, in file order.

    ``nodes`` and ``sources`` have one element for each mode. ``plain`` is None for a row that needs all checks.
    ``types`` is None for a row without a valid type, which is reported. ``unread`` and ``addresses`` are those of
    ``Targets``.
    """

    def __init__(
        self,
        families: list[FamilyOfFiles],
        file: str,
        collector: ProblemCollector,
        unread: set[str],
        addresses: Mapping[TokenKey, str] | None = None,
    ) -> None:
        self.file = file
        self.collector = collector
        self.keys: list[TokenKey] = []
        self.nodes: list[tuple[Node | None, ...]] = []
        self.sources: list[tuple[Document | None, ...]] = []
        self.homes: list[int] = []
        self.types: list[str | None] = []
        self.plain: list[PlainExtensions | None] = []
        self._families = families
        self.starts: list[int] = []  # of each family
        for family in families:
            self.starts.append(len(self.keys))
            self._collect(family)
        self.targets = Targets(self.keys, unread, addresses)
        self._classify()
        self._resolve_types()

    @cached_property
    def row_of(self) -> dict[TokenKey, int]:
        """Return the row of each key."""
        return {key: row for row, key in enumerate(self.keys)}

    def _collect(self, family: FamilyOfFiles) -> None:
        """Join the files of a collection family by token path, in the order of the default mode's files."""
        handle = family.collection.handle
        if family.rows is not None:
            self._append(family, family.rows)
            return
        files = [[each for each in column if each.group == handle] for column in family.files]
        home = files[family.home]
        rows: Iterable[JoinedRow]
        if len(home) == 1 and all(len(each) == 1 and each[0].paths == home[0].paths for each in files):
            sources = tuple(each for column in files for each in column)
            nodes = zip(*(each.nodes for each in sources), strict=True)
            rows = ((path, each, sources) for path, each in zip(home[0].paths, nodes, strict=True))
        else:
            rows = self._joined(files, family.home)
        self._append(family, rows)

    def _append(self, family: FamilyOfFiles, rows: Iterable[JoinedRow]) -> None:
        handle = family.collection.handle
        for path, row_nodes, row_sources in rows:
            self.keys.append(TokenKey(self.file, handle, path))
            self.nodes.append(row_nodes)
            self.sources.append(row_sources)
        self.homes += [family.home] * (len(self.keys) - len(self.homes))

    def _joined(self, files: list[list[Document]], home: int) -> Iterable[JoinedRow]:
        """Return the rows of files whose tokens differ."""
        nodes: dict[str, list[Node | None]] = {}
        sources: dict[str, list[Document | None]] = {}
        for column in (home, *(each for each in range(len(files)) if each != home)):
            for document in files[column]:
                for path, node in zip(document.paths, document.nodes, strict=True):
                    if path not in nodes:
                        nodes[path], sources[path] = [None] * len(files), [None] * len(files)
                    first = sources[path][column]
                    if first is not None:
                        what = f"{first.location.path} defines this token for the same mode"
                        self.report(document.entry(path, node), (), "token-repeated", what, "remove one of the two")
                        continue
                    nodes[path][column], sources[path][column] = node, document
        return [(path, tuple(row), tuple(sources[path])) for path, row in nodes.items()]

    def report_orphans(self, unread: Container[str]) -> None:
        """Report tokens that the default mode's file lacks: a token that is renamed in one file only is one."""
        orphans = [
            row
            for row, (nodes, home) in enumerate(zip(self.nodes, self.homes, strict=True))
            if nodes[home] is None and self.keys[row].collection not in unread
        ]
        if not orphans:
            return
        former = _Counterparts(self, orphans)
        homes = {
            each.collection.handle: each.files[each.home][0].location.path
            for each in self._families
            if each.files[each.home]
        }
        others = {row: former.of(row) for row in orphans}
        entries = {other: self.primary(other) for other in others.values() if other is not None}
        places = {other: (entry.location.path, entry.pointer) for other, entry in entries.items()}
        locations = self.collector.locations(places.values())
        groups = self._renamed_groups(others)
        grouped = {row for rows in groups for row, _ in rows}
        for row, other in others.items():
            if row in grouped:
                continue
            entry = self.primary(row)
            if other is None:
                default = self.collector.display_path(homes[self.keys[row].collection])
                what = f"it is not in the file of the default mode, {default}"
                to_do = "add it there, or remove it here"
            else:
                what = f"it is not in the file of the default mode, which has {locations[places[other]]} instead"
                renaming = _renaming(self.keys[row].collection, _renamed(self.keys[row], self.keys[other]))
                to_do = f"use one name in all files: run {renaming}"
            self.report(entry, (), "token-in-one-mode", what, to_do)
        for rows in groups:
            self._report_renamed_group(rows)

    def _renamed_groups(self, others: Mapping[int, int | None]) -> list[list[tuple[int, int]]]:
        """Return the tokens of each group that has another name in one file, if there are several, and their others."""
        groups: dict[tuple[str, ...], list[tuple[int, int]]] = {}
        for row, other in others.items():
            if other is None:
                continue
            key = self.keys[row]
            names = _renamed(key, self.keys[other])
            if len(names[0]) <= key.path.count("."):
                at = (self.primary(row).location.path, key.collection, ".".join(names[0]), ".".join(names[1]))
                groups.setdefault(at, []).append((row, other))
        return [rows for rows in groups.values() if len(rows) > 1]

    def _report_renamed_group(self, rows: list[tuple[int, int]]) -> None:
        """Report the tokens of a group once. Each has its counterpart in the default mode's file."""
        row, other = rows[0]
        renamed = _renamed(self.keys[row], self.keys[other])
        entry, counterpart = self.primary(row), self.primary(other)
        place = (counterpart.location.path, counterpart.pointer[: len(renamed[1]) + 1])
        instead = self.collector.locations([place])[place]
        what = (
            f"{len(rows):,} tokens of this group are not in the file of the default mode, which has them in {instead}"
        )
        to_do = f"use one name in all files: run {_renaming(self.keys[row].collection, renamed)}"
        pointer = entry.pointer[: len(renamed[0]) + 1]
        self.collector.add(entry.location.path, pointer, "token-in-one-mode", what, to_do)

    def entry(self, row: int, column: int) -> Entry | None:
        """Return the token's entry in one mode, or None if the mode's files do not define it."""
        node, source = self.nodes[row][column], self.sources[row][column]
        return None if node is None or source is None else source.entry(self.keys[row].path, node)

    def primary(self, row: int) -> Entry:
        """Return the entry that holds the token's description and other members: the default mode's, else the first."""
        columns = (self.homes[row], *range(len(self.nodes[row])))
        return next(each for column in columns if (each := self.entry(row, column)) is not None)

    def report(self, entry: Entry, within: tuple[str | int, ...], code: str, what: str, what_to_do: str) -> None:
        """Report a problem; ``within`` is the pointer below the token."""
        self.collector.add(entry.location.path, (*entry.pointer, *within), code, what, what_to_do)

    def report_invalid(self, entry: Entry, error: BadToken) -> None:
        """Report an invalid value; one that lacks the braces of a reference as such."""
        value: Any = entry.node
        within: tuple[str | int, ...] = ()
        for step in error.within:
            if not (step in value if isinstance(value, dict) else isinstance(value, list) and isinstance(step, int)):
                break  # a missing member
            value, within = value[step], (*within, step)
        found = self.targets.unfinished(value) if error.code == "token-value" else None
        if found is None:
            found, within = error, error.within
        self.report(entry, within, found.code, found.what, found.what_to_do)

    def alias(self, entry: Entry) -> Alias | None:
        """Return the alias if the whole value is a reference, else None. Raises BadToken for an unknown target."""
        value = entry.node.get("$value")
        if is_reference(value):
            try:
                return self.targets.of_braces(value)
            except BadToken as error:
                error.within = ("$value",)
                raise
        if "$ref" in entry.node:
            pointer = entry.node["$ref"]
        elif isinstance(value, dict) and value.keys() == {"$ref"}:
            pointer = value["$ref"]
        else:
            return None
        within = ("$ref",) if "$ref" in entry.node else ("$value", "$ref")
        if "$ref" in entry.node and "$value" in entry.node:
            raise BadToken("token-reference", "the token has both $ref and $value", "remove one of the two", within)
        if not isinstance(pointer, str):
            raise BadToken("token-reference", "$ref must be a string", pointer_advice(pointer), within)
        try:
            return self.targets.of_pointer(pointer)
        except BadToken as error:
            error.within = within
            raise

    def _classify(self) -> None:
        """Fill ``types`` and ``plain``, and register the ``$root`` tokens."""
        for row, (nodes, sources, home) in enumerate(zip(self.nodes, self.sources, self.homes, strict=True)):
            node, source = nodes[home], sources[home]
            if node is not None and source is not None and not source.contexts:
                plain = plain_extensions(node["$extensions"]) if "$extensions" in node else NO_EXTENSIONS
                dtcg_type = node.get("$type")
                if plain is not None and type(dtcg_type) is str:
                    token_type = PLAIN_TYPES.get((dtcg_type, plain.type))
                    if token_type is not None:
                        self.types.append(token_type)
                        self.plain.append(plain)
                        continue
            primary = self.primary(row)
            self.types.append(self._own_type(primary))
            self.plain.append(None)
            if primary.context.is_root or has_stored_value(primary.node):
                self.targets.add_root(self.keys[row], only=primary.context.is_root)

    def _resolve_types(self) -> None:
        """Set the type of every row: its own, else its target's, else its group's. Report rows without a type.

        A font weight that refers to a weight stored as text becomes one, too.
        """
        pending: dict[int, Entry] = {}
        final = frozenset(DTCG_TYPES) - ({"fontWeight"} if AS_TEXT in self.types else set())
        for row, token_type in enumerate(self.types):
            if token_type not in final:
                entry = self.primary(row)
                if token_type is not None or "$type" not in entry.node:
                    pending[row] = entry
        for row in list(pending):
            self._resolve_chain(row, pending)

    def _resolve_chain(self, start: int, pending: dict[int, Entry]) -> None:
        """Set the types of a chain of references, from its end."""
        chain: dict[int, None] = {}
        row: int | None = start
        target_type: str | None = None
        while row is not None and row not in chain:
            if row not in pending:
                target_type = self.types[row]
                break
            chain[row] = None
            row = self._next(pending[row])
        is_reported = row is not None and row not in chain and target_type is None
        for row in reversed(chain):
            entry = pending.pop(row)
            if self.types[row] is None:
                inherited = entry.context.inherited
                is_reported = inherited is None and (is_reported or self._has_bad_reference(entry))
                self.types[row] = target_type or (None if is_reported else self._known_type(entry, inherited))
            elif target_type == AS_TEXT:
                self.types[row] = AS_TEXT
            target_type = self.types[row]

    def _has_bad_reference(self, entry: Entry) -> bool:
        """Return whether a token without a type refers to no token, which is reported, instead of the missing type."""
        try:
            self.alias(entry)
        except UnreadTarget:
            return True
        except BadToken as error:
            self.report(entry, error.within, error.code, error.what, error.what_to_do)
            return True
        return False

    def _next(self, entry: Entry) -> int | None:
        try:
            alias = self.alias(entry)
        except BadToken:  # reported when the value is read
            return None
        return None if alias is None else self.row_of[alias.target]

    def _own_type(self, entry: Entry) -> str | None:
        own_type = own_members(entry.node).get("type")
        if isinstance(own_type, str) and own_type in DTCG_TYPES:
            return own_type
        dtcg_type = entry.node.get("$type")
        return self._known_type(entry, dtcg_type) if dtcg_type is not None else None

    def _known_type(self, entry: Entry, dtcg_type: Any) -> str | None:
        """Return the token type of a ``$type``; ``com.figma.type`` distinguishes types that share one ``$type``."""
        extensions = entry.node.get("$extensions")
        if isinstance(extensions, dict):
            figma = extensions.get(FIGMA)
            figma_type = extensions.get(TYPE, figma.get("type") if isinstance(figma, dict) else None)
            if figma_type == "string" and dtcg_type == "fontWeight":
                return AS_TEXT
            if figma_type in ("boolean", "string") and dtcg_type in (figma_type, DTCG_TYPES[figma_type]):
                return str(figma_type)
        if dtcg_type in _ALLOWED_TYPES:
            return str(dtcg_type)
        if dtcg_type is None:
            value = entry.node.get("$value")
            has_punctuation = isinstance(value, str) and any(each in value for each in ("{", "}", ".", "/", "--"))
            error = self.targets.unfinished(value) if has_punctuation else None
            error = error or BadToken("token-type", "the token has no type", missing_type_advice(value))
            self.report(
                entry, ("$value",) if error.code != "token-type" else (), error.code, error.what, error.what_to_do
            )
        else:
            what = f"{quoted(dtcg_type)} is not a DTCG type"
            likely = mistyped(dtcg_type, _ALLOWED_TYPES) if isinstance(dtcg_type, str) else None
            likely = likely or type_of_form(entry.node.get("$value"))
            to_do = f'write "{likely}"' if likely else f"write one of {', '.join(_ALLOWED_TYPES)}"
            self.report(entry, ("$type",) if "$type" in entry.node else (), "token-type", what, to_do)
        return None
