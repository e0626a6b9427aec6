"""The tokens of all files of a family as rows: a token's key, its entry in each mode, its type and its members."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from tokensync.dtcg.document import Targets
from tokensync.dtcg.extensions import NO_EXTENSIONS, PlainExtensions, is_held, plain_extensions
from tokensync.dtcg.parse import BadToken
from tokensync.dtcg.spelling import DTCG_TYPES, FIGMA, OURS, TYPE, is_reference
from tokensync.tokens import Alias, TokenKey
from tokensync.tokens.values import AS_TEXT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tokensync.dtcg.document import Document, Entry
    from tokensync.dtcg.families import FamilyOfFiles
    from tokensync.dtcg.parse import Faults

    Node = dict[str, Any]

_NAMED = tuple(sorted(each for each in DTCG_TYPES if each != AS_TEXT))
"""What ``$type`` may say."""
PLAIN_TYPES: dict[tuple[str, str | None], str] = {
    **{(each, None): each for each in _NAMED},
    **{(named, each): each for each in ("boolean", "string") for named in (each, DTCG_TYPES[each])},
}
"""The type for a ``$type`` and a ``com.figma.type`` beside it."""


class Rows:
    """The rows of some families, in the order of their files; ``unread`` are handles with files that cannot be read.

    ``nodes`` and ``sources`` have an element for each mode. ``plain`` is None for a row that has to be read with all
    checks, ``types`` for one that has no type, which is reported.
    """

    def __init__(self, families: list[FamilyOfFiles], file: str, faults: Faults, unread: set[str]) -> None:
        self.file = file
        self.faults = faults
        self.keys: list[TokenKey] = []
        self.nodes: list[tuple[Node | None, ...]] = []
        self.sources: list[tuple[Document | None, ...]] = []
        self.homes: list[int] = []
        self.types: list[str | None] = []
        self.plain: list[PlainExtensions | None] = []
        for family in families:
            self._collect(family)
        self.targets = Targets(self.keys, unread)
        self._look_at_all()
        self._find_types()

    @cached_property
    def numbers(self) -> dict[TokenKey, int]:
        """Return the row of each key."""
        return {key: number for number, key in enumerate(self.keys)}

    def _collect(self, family: FamilyOfFiles) -> None:
        """Join the files of a family by path; the default mode's files come first and tell the order."""
        handle = family.collection.handle
        files = [[each for each in column if each.group == handle] for column in family.files]
        home = files[family.home]
        rows: Iterable[tuple[str, tuple[Node | None, ...], tuple[Document | None, ...]]]
        if len(home) == 1 and all(len(each) == 1 and each[0].paths == home[0].paths for each in files):
            sources = tuple(each for column in files for each in column)
            nodes = zip(*(each.nodes for each in sources), strict=True)
            rows = ((path, each, sources) for path, each in zip(home[0].paths, nodes, strict=True))
        else:
            rows = self._joined(files, family.home)
        for path, row, its_sources in rows:
            self.keys.append(TokenKey(self.file, handle, path))
            self.nodes.append(row)
            self.sources.append(its_sources)
        self.homes += [family.home] * (len(self.keys) - len(self.homes))

    def _joined(
        self, files: list[list[Document]], home: int
    ) -> Iterable[tuple[str, tuple[Node | None, ...], tuple[Document | None, ...]]]:
        """Return the rows of files that have not all the same tokens."""
        nodes: dict[str, list[Node | None]] = {}
        sources: dict[str, list[Document | None]] = {}
        for column in (home, *(each for each in range(len(files)) if each != home)):
            for document in files[column]:
                for path, node in zip(document.paths, document.nodes, strict=True):
                    if path not in nodes:
                        nodes[path], sources[path] = [None] * len(files), [None] * len(files)
                    first = sources[path][column]
                    if first is not None:
                        what = f"another file of this mode has the token too: {first.location.path}"
                        self.report(document.entry(path, node), (), "token-repeated", what, "keep one of the two")
                        continue
                    nodes[path][column], sources[path][column] = node, document
        return [(path, tuple(row), tuple(sources[path])) for path, row in nodes.items()]

    def entry(self, row: int, column: int) -> Entry | None:
        """Return what a file says of the token in one mode."""
        node, source = self.nodes[row][column], self.sources[row][column]
        return None if node is None or source is None else source.entry(self.keys[row].path, node)

    def home(self, row: int) -> Entry | None:
        """Return the entry in the default mode."""
        return self.entry(row, self.homes[row])

    def told(self, row: int) -> Entry:
        """Return the entry that tells about the token: the default mode's, else the first."""
        columns = (self.homes[row], *range(len(self.nodes[row])))
        return next(each for column in columns if (each := self.entry(row, column)) is not None)

    def report(self, entry: Entry, within: tuple[str | int, ...], code: str, what: str, what_to_do: str) -> None:
        """Note a problem of a token; ``within`` is where below it."""
        self.faults.at(entry.location.path, (*entry.pointer, *within), code, what, what_to_do)

    def alias(self, entry: Entry) -> Alias | None:
        """Return the token that the entry refers to as a whole, if it does. Raises BadToken for a reference to
        nothing.
        """
        value = entry.node.get("$value")
        if is_reference(value):
            try:
                return self.targets.of_braces(value)
            except BadToken as fault:
                fault.within = ("$value",)
                raise
        if "$ref" in entry.node:
            pointer = entry.node["$ref"]
        elif isinstance(value, dict) and value.keys() == {"$ref"}:
            pointer = value["$ref"]
        else:
            return None
        within = ("$ref",) if "$ref" in entry.node else ("$value", "$ref")
        if not isinstance(pointer, str) or ("$ref" in entry.node and "$value" in entry.node):
            raise BadToken("token-reference", "$ref is one string, and excludes $value", "write one of them", within)
        try:
            return self.targets.of_pointer(pointer)
        except BadToken as fault:
            fault.within = within
            raise

    def _look_at_all(self) -> None:
        """Note the type and the members of each row: of a plain one at once, of another by all that is known of it."""
        for row, (nodes, sources, home) in enumerate(zip(self.nodes, self.sources, self.homes, strict=True)):
            node, source = nodes[home], sources[home]
            if node is not None and source is not None and not source.contexts:
                plain = plain_extensions(node["$extensions"]) if "$extensions" in node else NO_EXTENSIONS
                named = node.get("$type")
                if plain is not None and type(named) is str:
                    token_type = PLAIN_TYPES.get((named, plain.type))
                    if token_type is not None:
                        self.types.append(token_type)
                        self.plain.append(plain)
                        continue
            told = self.told(row)
            self.types.append(self._own_type(told))
            self.plain.append(None)
            if told.context.is_root or is_held(told.node):
                self.targets.add_root(self.keys[row], only=told.context.is_root)

    def _find_types(self) -> None:
        """Find the type of every row: its own, else that of the token it refers to, else its groups'.

        A weight that refers to one that is kept as text is kept as text, too. A row without a type is reported.
        """
        waiting: dict[int, Entry] = {}
        settled = frozenset(DTCG_TYPES) - ({"fontWeight"} if AS_TEXT in self.types else set())
        for row, token_type in enumerate(self.types):
            if token_type not in settled:
                entry = self.told(row)
                if token_type is not None or "$type" not in entry.node:
                    waiting[row] = entry
        for row in list(waiting):
            self._follow(row, waiting)

    def _follow(self, start: int, waiting: dict[int, Entry]) -> None:
        """Give a type to the tokens of a chain of references, from its end."""
        chain: dict[int, None] = {}
        row: int | None = start
        found: str | None = None
        while row is not None and row not in chain:
            if row not in waiting:
                found = self.types[row]
                break
            chain[row] = None
            row = self._next(waiting[row])
        for each in reversed(chain):
            entry = waiting.pop(each)
            if self.types[each] is None:
                self.types[each] = found or self._known_type(entry, entry.context.inherited)
            elif found == AS_TEXT:
                self.types[each] = AS_TEXT
            found = self.types[each]

    def _next(self, entry: Entry) -> int | None:
        try:
            alias = self.alias(entry)
        except BadToken:  # told when the value is read
            return None
        return None if alias is None else self.numbers[alias.target]

    def _own_type(self, entry: Entry) -> str | None:
        extensions = entry.node.get("$extensions")
        ours = extensions.get(OURS) if isinstance(extensions, dict) else None
        own_type = ours.get("type") if isinstance(ours, dict) else None
        if isinstance(own_type, str) and own_type in DTCG_TYPES:
            return own_type
        named = entry.node.get("$type")
        return self._known_type(entry, named) if named is not None else None

    def _known_type(self, entry: Entry, named: Any) -> str | None:
        """Return the type that a ``$type`` names; ``com.figma.type`` distinguishes types that share one ``$type``."""
        extensions = entry.node.get("$extensions")
        if isinstance(extensions, dict):
            figma = extensions.get(FIGMA)
            figma_type = extensions.get(TYPE, figma.get("type") if isinstance(figma, dict) else None)
            if figma_type == "string" and named == "fontWeight":
                return AS_TEXT
            if figma_type in ("boolean", "string") and named in (figma_type, DTCG_TYPES[figma_type]):
                return str(figma_type)
        if named in _NAMED:
            return str(named)
        if named is None:
            self.report(entry, (), "token-type", "the token has no type", 'give it a "$type"')
        else:
            what = f"{str(named)[:40]!r} is not a type of DTCG"
            to_do = f"write one of {', '.join(_NAMED)}"
            self.report(entry, ("$type",) if "$type" in entry.node else (), "token-type", what, to_do)
        return None
