"""Assembly: builds the token graph from the rows of all files, and runs the checks that need the whole graph."""

from __future__ import annotations

from functools import cached_property, partial
from itertools import repeat
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from tokensync.dtcg.colors import Note, exact
from tokensync.dtcg.document import Document, Entry, Targets
from tokensync.dtcg.extensions import (
    NO_EXTENSIONS,
    NO_MEMBERS,
    UNHEEDED,
    BadKept,
    Members,
    PlainExtensions,
    code_syntax_of,
    has_stored_value,
    members_of,
    own_members,
    plain_extensions,
    scopes_of,
    unheeded,
    value_of,
    variable_id,
)
from tokensync.dtcg.layout import inline, ordered
from tokensync.dtcg.literals import (
    PLAIN_READERS,
    literal,
    meant,
    missing_type_advice,
    omissions,
    type_of_form,
    with_targets,
    without_inner_pointers,
)
from tokensync.dtcg.parse import NESTED_TOO_DEEPLY, BadToken, ProblemCollector, UnreadTarget
from tokensync.dtcg.portability import Portability, StoredEntry, stale_entries, was_edited
from tokensync.dtcg.spelling import (
    ALIAS_DATA,
    DTCG_TYPES,
    EXTENSION_ORDER,
    FIGMA,
    OURS,
    TYPE,
    VARIABLE_ID,
    is_reference,
    kind,
    pointer_advice,
    types_of_aliases,
)
from tokensync.system.wording import SimilarNames, argument, mistyped, quoted, shortened
from tokensync.tokens import (
    DEFAULT_THEME,
    Alias,
    Color,
    ComposedColor,
    Composite,
    Token,
    TokenGraph,
    TokenKey,
    Unresolved,
    Value,
    inferred_themes,
    shortest,
    targets,
)
from tokensync.tokens.algorithms import closure, on_cycles, reverse
from tokensync.tokens.composites import TYPOGRAPHY, edited_style
from tokensync.tokens.paths import decoded
from tokensync.tokens.resolver import MEMBERS, NEEDS_RESOLVER, Code, Literals, TokenIndex, TokenTable
from tokensync.tokens.values import AS_TEXT, Notation, public_type, weight_of

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

    from tokensync.dtcg.families import FamilyOfFiles, JoinedRow
    from tokensync.tokens import Literal, Mode, Resolved

    Node = dict[str, Any]
    LockedValue = Callable[[TokenKey, str, str, str], Value | None]
    """A function that returns the last synchronised value of a token in a mode.

    Its parameters are the token's key, the mode's context, and the ids of both, which are empty if they are unknown.
    """


_of_token = attrgetter(*MEMBERS.values())
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
        libraries = {family.collection.handle for family in families if family.collection.origin == "remote"}
        self.targets = Targets(self.keys, unread, addresses, libraries)
        self._classify()
        self._resolve_types()

    @cached_property
    def row_of(self) -> dict[TokenKey, int]:
        """Return the row of each key."""
        return {key: row for row, key in enumerate(self.keys)}

    def _collect(self, family: FamilyOfFiles) -> None:
        """Join the files of a collection family by token path, in the order of the default mode's files."""
        handle = family.collection.handle
        rows: Iterable[JoinedRow] | None = family.rows
        if rows is None:
            files = [[document for document in column if document.group == handle] for column in family.files]
            home = files[family.home]
            if len(home) == 1 and all(len(file) == 1 and file[0].paths == home[0].paths for file in files):
                own = tuple(document for column in files for document in column)
                rows = zip(home[0].paths, zip(*(source.nodes for source in own), strict=True), repeat(own))
            else:
                rows = self._joined(files, family.home)
        paths, nodes, sources = [*zip(*rows, strict=True)] or ((), (), ())
        keys = zip(repeat(self.file), repeat(handle), paths, strict=False)
        self.keys += map(partial(tuple.__new__, TokenKey), keys)  # without a call of a Python function for each
        self.nodes += nodes
        self.sources += sources
        self.homes += [family.home] * len(paths)

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
            family.collection.handle: family.files[family.home][0].location.path
            for family in self._families
            if family.files[family.home]
        }
        others = {row: None if self._is_override(row) else former.of(row) for row in orphans}
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
                if self._is_override(row):
                    what = f"{entry.location.handle} overrides this token, but {default} does not have it"
                    to_do = "remove this override, or give it the new name of a renamed token"
            else:
                what = f"it is not in the file of the default mode, which has {locations[places[other]]} instead"
                renaming = _renaming(self.keys[row].collection, _renamed(self.keys[row], self.keys[other]))
                to_do = f"use one name in all files: run {shortened(renaming, 600)}"
            self.report(entry, (), "token-in-one-mode", what, to_do)
        for rows in groups:
            self._report_renamed_group(rows)

    def _is_override(self, row: int) -> bool:
        """Return whether only extended collections have a token. Most of the root's tokens have no override there."""
        key = self.keys[row]
        return all(source is None or source.location.handle != key.collection for source in self.sources[row])

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


FORMAT_ADVICE = "run tokensync format to write it in this form"


def _independent(keys: set[TokenKey], graph: TokenGraph) -> set[TokenKey]:
    """Return the keys whose tokens do not depend on those of others; all keys if they depend on each other."""
    edges = graph.references()
    found = {key for key in keys if closure((key,), lambda each: edges.get(each, ())).keys() & keys == {key}}
    return found or keys


def cyclic_tokens(graph: TokenGraph) -> Iterator[TokenKey]:
    """Yield the tokens that have no value in some mode because they are on a cycle or refer to one."""
    table = graph.table
    coded: dict[TokenIndex, Sequence[Code]] = dict(zip(table.order, table.rows, strict=True))
    cyclic = on_cycles(coded | {index: table.targets_of(index) for index in table.others})
    if not cyclic:
        return
    edges = graph.references()
    dependents = reverse(edges)
    suspects = closure(map(table.keys.__getitem__, cyclic), lambda key: dependents.get(key, ()))
    families = {key[:2] for key in suspects}
    themes = [theme for theme in inferred_themes(graph.collections.values()) if theme.modes[0][0] in families]
    without_value: set[TokenKey] = set()
    for theme in (DEFAULT_THEME, *themes):
        resolve = graph.resolver(theme)
        results = {key: resolve(key) for key in suspects}
        without_value.update(
            key for key, result in results.items() if isinstance(result, Unresolved) and result.reason == "cycle"
        )
    yield from (key for key in graph.tokens if key in without_value)


class Assembly:
    """Builds the token graph of one design file.

    ``texts`` maps paths to file contents. ``unread`` and ``addresses`` are those of ``Targets``. ``locked`` returns the
    last synchronised values; it is None for files of other makers. With ``addresses``, a token keeps its values in
    other modes if one is invalid.
    """

    def __init__(
        self,
        families: list[FamilyOfFiles],
        documents: list[Document],
        file: str,
        collector: ProblemCollector,
        texts: Mapping[str, bytes],
        unread: set[str],
        locked: LockedValue | None,
        addresses: Mapping[TokenKey, str] | None = None,
    ) -> None:
        self.families = families
        self._collections = {family.collection.key: family.collection for family in families}
        self.documents = documents
        self.file = file
        self.texts = texts
        self.rows = Rows(families, file, collector, unread, addresses)
        if addresses is None:  # a source of another tool's document need not define a token in every context
            self.rows.report_orphans(unread)
        self.keeps_valid_values = addresses is not None
        self.locked = locked
        self.stored_entries: list[StoredEntry] = []
        self._by_id: dict[str, TokenKey] | None = None
        self._with_pointers: dict[str, bool] = {}

    def graph(self) -> TokenGraph:
        """Return the graph. Invalid tokens are reported and omitted."""
        graph, stale = self._with_edited_values(self._graph_of_rows())
        self._report_whole(graph, stale)
        return graph

    def _graph_of_rows(self) -> TokenGraph:
        """Return the graph of the valid rows, as columns: most rows need no token of their own."""
        rows, literals = self.rows, Literals()
        order = [*self._in_order()]
        keys = [*map(rows.keys.__getitem__, order)]
        table = TokenTable(collections=self._collections, literals=literals, rows=[()] * len(order))
        table.keys, table.paths = keys, [key.path for key in keys]
        table.families = [key[:2] for key in keys]
        indices = dict(zip(order, table.order, strict=True))
        links = rows.targets.in_braces(indices)
        kind_of = {name: name and kind(name) for name in set(rows.types)}
        kinds = [kind_of[rows.types[row]] for row in order]
        members: list[tuple[Any, ...]] = []
        checked: dict[TokenIndex, Token] = {}
        omitted: set[TokenKey] = set()
        for row, plain in enumerate(rows.plain):
            row_members = None if plain is None else self._plain_row(row, plain, links, kinds, literals)
            if row_members is None:
                token = self._token(row)
                if token is None:
                    omitted.add(rows.keys[row])
                    token = Token(key=rows.keys[row], type="", values=())
                checked[indices[row]] = token
                row_members = (), _of_token(token)
            table.rows[indices[row]], of_token = row_members
            members.append(of_token)
        for name, column in zip(MEMBERS, zip(*map(members.__getitem__, order), strict=True), strict=False):
            setattr(table, name, [*column])
        for index, token in checked.items():
            table.put(index, token.values)
        graph = TokenGraph(self._collections.values(), table)
        if omitted:
            tokens = [token for key, token in graph.tokens.items() if key not in omitted]
            graph = TokenGraph(self._collections.values(), tokens)
        return graph

    def _plain_row(
        self, row: int, plain: PlainExtensions, links: dict[str, Code], kinds: list[str | None], literals: Literals
    ) -> tuple[tuple[Code, ...], tuple[Any, ...]] | None:
        """Return the codes of a plain row, and the members of its token in the order of ``MEMBERS``.

        Return None if the row needs all checks; report nothing. ``links`` maps each reference to the index of its
        target, and ``kinds`` holds the kind of each token.
        """
        nodes, home, token_type = self.rows.nodes[row], self.rows.homes[row], self.rows.types[row]
        read = PLAIN_READERS.get(token_type)  # type: ignore[arg-type]
        home_node: Node = nodes[home]  # type: ignore[assignment]
        description, deprecated = home_node.get("$description", ""), home_node.get("$deprecated", False)
        if read is None or type(description) is not str or not isinstance(deprecated, bool | str):
            return None
        dtcg_type, own_kind = home_node["$type"], kind(token_type)  # type: ignore[arg-type]
        codes: list[Code] = []
        try:
            for node in nodes:
                if node is None:
                    codes.append(NEEDS_RESOLVER)
                    continue
                if len(node) != 2 and ("$ref" in node or not (node is home_node or _has_figma_type_only(node))):
                    return None
                value = node["$value"]
                if type(value) is str:
                    target = links.get(value)
                    if target is not None:
                        if kinds[target] != own_kind or node.get("$type", dtcg_type) != dtcg_type:
                            return None
                        codes.append(target)
                        continue
                    if is_reference(value):
                        return None
                if node["$type"] != dtcg_type:
                    return None
                codes.append(literals.code(read(value)))
        except (KeyError, BadToken):
            return None
        syntax = code_syntax_of(plain.code_syntax) if plain.code_syntax else ()
        origin = self.rows.sources[row][home].location.origin  # type: ignore[union-attr]
        ours, scopes = plain.ours, scopes_of(plain.scopes)
        about = (token_type, description, scopes, syntax, plain.hidden, origin, ours.published, deprecated)
        return tuple(codes), (*about, plain.id, ours.key, "", "", ())

    def _token(self, row: int) -> Token | None:
        """Return the token of a row after all checks, or None if the row is invalid, which is reported."""
        token_type = self.rows.types[row]
        if token_type is None:
            return None
        entries = [self.rows.entry(row, column) for column in range(len(self.rows.nodes[row]))]
        values: list[Value | None] = []
        notations: list[Notation] = []
        is_invalid = False
        for column, entry in enumerate(entries):
            value = None
            if entry is not None:
                try:
                    value = self._value(entry, token_type, row, column, notations)
                except UnreadTarget:
                    is_invalid = True
                except BadToken as error:
                    self.rows.report_invalid(entry, error)
                    is_invalid = True
                except RecursionError:
                    self.rows.report(entry, ("$value",), *NESTED_TOO_DEEPLY)
                    is_invalid = True
            values.append(value)
        if is_invalid and not (self.keeps_valid_values and any(value is not None for value in values)):
            return None
        primary = self.rows.primary(row)
        members = self._members(entries, primary)
        token = Token(
            key=self.rows.keys[row],
            type=token_type,
            values=tuple(values),
            description=self._description(primary),
            scopes=members.scopes,
            code_syntax=members.code_syntax,
            hidden=members.hidden,
            origin=primary.location.origin,
            published=members.published,
            deprecated=self._deprecated(primary)
            if "$value" in primary.node or "$ref" in primary.node
            else members.deprecated,
            id=members.id,
            variable_key=members.variable_key,
            extensions=members.extensions,
            notations=tuple(notations),
        )
        self.stored_entries += (
            (token.key, column, entry)
            for column, entry in enumerate(entries)
            if entry is not None and entry.node.get("$extensions") and has_stored_value(entry.node)
        )
        return token

    def _members(self, entries: list[Entry | None], primary: Entry) -> Members:
        extensions = self._extensions(entries, primary)
        if not extensions:
            return NO_MEMBERS

        def report(name: str, what: str) -> None:
            steps = ("$extensions",) if name == "$extensions" else ("$extensions", *name.split("/"))
            self.rows.report(primary, steps, "token-member", what, "correct it, or remove it")

        for step in unheeded(extensions):
            self.rows.report(primary, ("$extensions", *step), *UNHEEDED)
        return members_of(extensions, report)

    def _extensions(self, entries: list[Entry | None], primary: Entry) -> dict[str, Any]:
        """Return the ``$extensions`` of the default mode, and the variable's members that only other modes have."""
        members: dict[str, Any] = {}
        for entry in entries:
            extensions = entry.node.get("$extensions") if entry is not None and entry.node is not primary.node else None
            if isinstance(extensions, dict):
                own_names = (FIGMA, *(name for name in EXTENSION_ORDER if name not in (OURS, TYPE, ALIAS_DATA)))
                members |= {name: extensions[name] for name in own_names if name in extensions}
        own = primary.node.get("$extensions", {})
        if not isinstance(own, dict):
            what = "$extensions must be an object"
            self.rows.report(primary, ("$extensions",), "token-member", what, "write an object, or remove it")
            return members
        members = {**members, **own} if members else own
        if ALIAS_DATA in own and (has_stored_value(primary.node) or self._figma_alias(primary) is not None):
            members = {name: each for name, each in members.items() if name != ALIAS_DATA}
        return members

    def _figma_alias(self, entry: Entry) -> Alias | None:
        """Return the alias behind a resolved ``$value``, which Figma's exports write for other collections' tokens."""
        extensions = entry.node.get("$extensions")
        data = extensions.get(ALIAS_DATA) if isinstance(extensions, dict) else None
        if not isinstance(data, dict):
            return None
        if self._by_id is None:
            ids = ((self._variable_id(row), key) for row, key in enumerate(self.rows.keys))
            self._by_id = {identity: key for identity, key in ids if identity}
        for spelling in ("targetVariableId", "targetVariableID"):
            target = self._by_id.get(data[spelling]) if isinstance(data.get(spelling), str) else None
            if target is not None:
                return Alias(target)
        return None

    def _variable_id(self, row: int) -> str:
        nodes = self.rows.nodes[row]
        ids = (variable_id(node) for node in (nodes[self.rows.homes[row]], *nodes) if node is not None)
        return next(filter(None, ids), "")

    def _description(self, entry: Entry) -> str:
        description = entry.node.get("$description", "")
        if isinstance(description, str):
            return description
        self.rows.report(entry, ("$description",), "token-member", "$description must be a string", "write a string")
        return ""

    def _deprecated(self, entry: Entry) -> bool | str:
        deprecated = entry.node.get("$deprecated", entry.context.deprecated)
        if isinstance(deprecated, bool | str):
            return deprecated
        what = "$deprecated must be true, false or a string"
        self.rows.report(entry, ("$deprecated",), "token-member", what, "write true, or the reason as a string")
        return False

    # values

    def _value(self, entry: Entry, token_type: str, row: int, column: int, notations: list[Notation]) -> Value | None:
        """Return the value in one mode, and add its notation if a pull would write it in another form."""
        node = entry.node
        if "$extensions" in node and "value" in (ours := own_members(node)):
            try:
                return value_of(ours["value"], self.file)
            except BadKept as error:
                within = ("$extensions", OURS, "value")
                raise BadToken("token-value", str(error), "restore it from git, or remove it", within) from None
        mode = self._collections[self.rows.keys[row][:2]].modes[column]

        def before(locked: LockedValue) -> Value | None:
            return locked(self.rows.keys[row], mode.context, self._variable_id(row), mode.id)

        def report(note: Note) -> None:
            self.rows.report(entry, ("$value", *note.within), note.code, note.what, FORMAT_ADVICE)

        of_lock = None if self.locked is None else partial(before, self.locked)
        return self._plain_value(entry, token_type, mode, notations, of_lock, report)

    def _plain_value(
        self,
        entry: Entry,
        token_type: str,
        mode: Mode,
        notations: list[Notation],
        before: Callable[[], Value | None] | None,
        report: Callable[[Note], None],
    ) -> Value:
        """Return the value of an entry without one in our extension. ``before`` is ``locked`` of ``meant``."""
        node = entry.node
        alias = self.rows.alias(entry) or self._figma_alias(entry)
        dtcg_type = node.get("$type", entry.context.inherited if alias is None else None)
        fitting = (token_type, DTCG_TYPES[token_type]) if alias is None else types_of_aliases(token_type)
        if dtcg_type is not None and dtcg_type not in fitting:
            home_type = public_type(token_type)
            what = f"its type is {quoted(dtcg_type)} here and {home_type!r} in the default mode"
            to_do = f'write "$type": "{home_type}", or use one type in all modes'
            raise BadToken("token-type", what, to_do, ("$type",) if "$type" in node else ())
        if alias is not None:
            target = self._type_of(alias.target)
            if target is not None and kind(target) != kind(token_type):
                what = f"a {token_type} refers to a {target}"
                to_do = f"refer to a {token_type}"
                raise BadToken("token-reference-type", what, to_do, ("$value",))
            return alias
        value = node["$value"] if "$value" in node else {"$ref": node["$ref"]}
        if type(value) in (dict, list) and self._may_hold_pointers(entry.location.path):
            value = without_inner_pointers(token_type, value, self._nearest_first(entry), self.rows.targets)
        result, dtcg_value, text = self._literal(token_type, value, before, report)
        if token_type == AS_TEXT and isinstance(result, float):
            result = self._text_of_weight(entry, result)
        elif type(result) is Composite:
            result = with_targets(token_type, result, self.rows.targets, self._type_of)
            for within, *problem in omissions(token_type, dtcg_value):
                self.rows.report(entry, ("$value", *within), *problem)
        if text:
            notations.append(Notation(mode.context, result, text, exact(dtcg_value) if type(result) is Color else ""))
        return result

    @staticmethod
    def _literal(
        token_type: str, value: Any, before: Callable[[], Value | None] | None, report: Callable[[Note], None]
    ) -> tuple[Literal, Any, str]:
        """Return a literal, its DTCG value, and the text that a pull keeps if it would write another one."""
        try:
            return literal(token_type, value), value, inline(value) if _has_color_space(value) else ""
        except BadToken:
            found = meant(token_type, value, before)
            if found is None:
                raise
        result = literal(token_type, found.value)
        for note in found.notes:
            report(note)
        if found.is_kept:
            return result, found.value, inline(value)
        return result, found.value, inline(found.value) if _has_color_space(found.value) else ""

    def _may_hold_pointers(self, path: str) -> bool:
        known = self._with_pointers.get(path)
        if known is None:
            known = self._with_pointers[path] = b'"$ref"' in self.texts[path]
        return known

    def _type_of(self, key: TokenKey) -> str | None:
        return self.rows.types[self.rows.row_of[key]]

    def _text_of_weight(self, entry: Entry, weight: float) -> str | float:
        """Return the text stored with a weight; the weight itself if the text is missing or names another weight."""
        text = own_members(entry.node).get("text")
        if text is None:
            return weight
        within = ("$extensions", OURS, "text")
        if not isinstance(text, str):
            raise BadToken("token-member", "it must be a string", "correct it, or remove it", within)
        if weight_of(text) == weight:
            return text
        what = f'the text "{shortened(text, 40)}" does not name the weight {shortest(weight)}, which is used'
        to_do = "do nothing: apply and pull update the text"
        if (of_text := weight_of(text)) is not None:
            to_do = f"if you meant {shortest(weight)}, do nothing: apply and pull update the text; "
            to_do += f"otherwise set $value to {shortest(of_text)}"
        self.rows.report(entry, within, "token-text-stale", what, to_do)
        return weight

    def _nearest_first(self, entry: Entry) -> list[dict[str, Any]]:
        """Return the trees in which the pointers of a token are followed."""
        if entry.tree is not None:
            return [entry.tree]
        return [
            each.tree for each in sorted(self.documents, key=lambda each: each.location.path != entry.location.path)
        ]

    def _with_edited_values(self, graph: TokenGraph) -> tuple[TokenGraph, list[StoredEntry]]:
        """Return the graph in which an edited ``$value`` replaces the value in our extension, and the stale entries.

        A value counts as edited if it neither is the one that was written nor fits what is stored. What is stored may
        refer to other tokens with an edited ``$value``: these come first.
        """
        if not self.stored_entries:
            return graph, []
        pending = {(key, column): entry for key, column, entry in self.stored_entries if key in graph.table.indices}
        while True:
            stale = stale_entries(graph, [(*at, entry) for at, entry in pending.items()])
            edited = [each for each in stale if was_edited(graph, *each)]
            if not edited:
                return graph, stale
            independent = _independent({key for key, _, _ in edited}, graph)
            changed: dict[TokenKey, Token] = {}
            portability = Portability(graph)
            for key, column, entry in edited:
                if key not in independent:
                    continue
                del pending[key, column]
                token = changed.get(key, graph.tokens[key])
                before = portability.literal(graph.tokens[key], column)
                changed[key] = self._with_edited_value(token, column, entry, before)
            graph = graph.replaced(changed)

    def _with_edited_value(self, token: Token, column: int, entry: Entry, before: Resolved) -> Token:
        """Return the token with the ``$value`` of an entry, which is reported; an invalid one is an error."""
        mode = self._collections[token.key[:2]].modes[column]
        stored, notations = token.values[column], list(token.notations)
        former = None if isinstance(before, Unresolved) else before
        try:
            value = self._plain_value(entry, token.type, mode, notations, lambda: former, lambda note: None)
        except UnreadTarget:
            return token
        except BadToken as error:
            self.rows.report_invalid(entry, error)
            return token
        except RecursionError:
            self.rows.report(entry, ("$value",), *NESTED_TOO_DEEPLY)
            return token
        if type(value) is type(stored) is type(former) is Composite and token.type == TYPOGRAPHY:
            value = edited_style(value, stored, former)
        if value == stored:
            return token
        name, text = "value", ""
        if type(stored) is not Composite:
            name = "composition" if type(stored) is ComposedColor else "reference" if targets(stored) else "value"
            text = f", {shortened(inline(own_members(entry.node)['value']), 120)}"
        what = f"its $value was edited, so it replaces the {name} in org.tokensync{text}"
        to_do = (
            f"to give up the {name}, do nothing: the next pull removes it; "
            f"to keep it, remove $value: the next pull writes the one that fits"
        )
        self.rows.report(entry, ("$value",), "token-value-edited", what, to_do)
        values = (*token.values[:column], value, *token.values[column + 1 :])
        return replace(token, values=values, notations=tuple(notations))

    def _report_whole(self, graph: TokenGraph, stale: list[StoredEntry]) -> None:
        self._report_repeated_ids(graph)
        for _, _, entry in stale:
            what = "its $value differs from the value stored in org.tokensync, which is used"
            to_do = (
                "if a token that it refers to was edited, do nothing: the next pull updates $value; "
                'otherwise edit "value" in org.tokensync, or remove it to use $value'
            )
            self.rows.report(entry, ("$value",), "token-value-stale", what, to_do)
        for key in cyclic_tokens(graph):
            row = self.rows.row_of[key]
            entries = [self.rows.entry(row, column) for column in range(len(self.rows.nodes[row]))]
            columns = zip(entries, graph.tokens[key].values, strict=True)
            written = ((each, value) for each, value in columns if each is not None and not has_stored_value(each.node))
            entry_of_alias = next((each for each, value in written if targets(value)), None)
            if entry_of_alias is not None:  # a cycle that comes from the design file is reported when it is resolved
                to_do = "replace one of the references in the cycle with a literal value"
                self.rows.report(entry_of_alias, ("$value",), "token-cycle", "its references form a cycle", to_do)

    def _in_order(self) -> Iterator[int]:
        """Yield all rows, those of a family together, in the order that the hints of its files define."""
        bounds = [*self.rows.starts, len(self.rows.keys)]
        for family, start, end in zip(self.families, bounds, bounds[1:], strict=False):
            rows = {self.rows.keys[row].path: row - start for row in range(start, end)} if family.after else {}
            hints = {
                rows[path]: None if after is None else rows[after]
                for path, after in family.after.items()
                if path in rows and (after is None or (isinstance(after, str) and after in rows))
            }
            yield from (start + row for row in ordered(end - start, hints)) if hints else range(start, end)

    def _report_repeated_ids(self, graph: TokenGraph) -> None:
        ids = [*filter(None, graph.table.ids)]
        if len(set(ids)) == len(ids):
            return
        seen: dict[str, Token] = {}
        for token in graph.tokens.values():
            if not token.id:
                continue
            first = seen.setdefault(token.id, token)
            if first is token:
                continue
            row = self.rows.row_of[token.key]
            home = self.rows.entry(row, self.rows.homes[row])
            if home is not None:
                what = f"{first.key} has the same variable id"
                to_do = "remove the id from the copy to make it a new token"
                self.rows.report(home, ("$extensions", VARIABLE_ID), "token-id-repeated", what, to_do)


def _has_color_space(value: Any) -> bool:
    """Return whether a value is a colour of another space than sRGB."""
    return type(value) is dict and value.get("colorSpace", "srgb") != "srgb"


def _has_figma_type_only(node: Node) -> bool:
    """Return whether ``$extensions`` is absent or holds only ``com.figma.type``."""
    extensions = node.get("$extensions")
    return extensions is None or (type(extensions) is dict and extensions.keys() <= {TYPE})
