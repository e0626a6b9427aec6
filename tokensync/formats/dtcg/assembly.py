"""The tokens of all files of a family, put together into the tokens of a graph.

A token is a row here: its key, its entry in each mode, its type. Nearly all rows hold only literals, references and the
usual members; they become tokens in one straight loop (`_plain_token`), which never reports. Any other row is read with
all checks (`_token`), which gives the same token for a plain one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import UNSET

from tokensync.formats.dtcg.checks import cyclic_tokens, stale
from tokensync.formats.dtcg.composing import with_targets, without_inner_pointers
from tokensync.formats.dtcg.document import is_held
from tokensync.formats.dtcg.faults import BadToken, UnreadTarget
from tokensync.formats.dtcg.kept import BadKept, value_of
from tokensync.formats.dtcg.members import NO_MEMBERS, Members, members_of, plain_members
from tokensync.formats.dtcg.order import ordered
from tokensync.formats.dtcg.references import is_reference
from tokensync.formats.dtcg.spelling import ALIAS_DATA, DTCG_TYPES, FIGMA, OURS, TYPE, VARIABLE_ID, kind
from tokensync.formats.dtcg.targets import Targets
from tokensync.formats.dtcg.values import PLAIN_READERS, literal
from tokensync.tokens import Alias, Composite, Token, TokenGraph, TokenKey, Value, shortest, targets
from tokensync.tokens.algorithms import on_cycles
from tokensync.tokens.weights import AS_TEXT, public_type, weight_of
from tokensync.wording import shortened

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from tokensync.formats.dtcg.document import Document, Entry
    from tokensync.formats.dtcg.families import FamilyOfFiles
    from tokensync.formats.dtcg.faults import Faults

    Node = dict[str, Any]
    _Links = dict[str, tuple[Alias, str | None, int]]  # what a reference leads to, the kind of that, and its row

_NAMED = tuple(sorted(each for each in DTCG_TYPES if each != AS_TEXT))
"""What ``$type`` may say."""
_PLAIN_TYPES: dict[tuple[str, str | None], str] = {
    **{(each, None): each for each in _NAMED},
    **{(named, each): each for each in ("boolean", "string") for named in (each, DTCG_TYPES[each])},
}
"""The type for a ``$type`` and a ``com.figma.type`` beside it."""

_PLAIN_READERS = {each: (reader, kind(each)) for each, reader in PLAIN_READERS.items()}
"""How to read the literals of types without parts, and which tokens such a token may refer to."""


class Assembly:
    """Builds the graph of one file's families.

    ``texts`` are the contents of the files, ``unread`` the handles with files that cannot be read.
    """

    def __init__(
        self,
        families: list[FamilyOfFiles],
        documents: list[Document],
        file: str,
        faults: Faults,
        texts: Mapping[str, bytes],
        unread: set[str],
    ) -> None:
        self.families = families
        self.documents = documents
        self.root_groups = {each.location.path: each.group for each in documents if each.group is not None}
        self.file = file
        self.faults = faults
        self.texts = texts
        self.unread = unread
        self.keys: list[TokenKey] = []
        self.nodes: list[tuple[Node | None, ...]] = []  # of a row, in the order of its family's modes
        self.sources: list[tuple[Document | None, ...]] = []  # the files of those
        self.homes: list[int] = []
        self.types: list[str | None] = []
        self.members: list[Members | None] = []  # None: read with all checks
        self.kept_entries: list[tuple[Token, int, Entry]] = []
        self._by_id: dict[str, TokenKey] | None = None
        self._with_pointers: dict[str, bool] = {}

    def graph(self) -> TokenGraph:
        """The graph; what is wrong is noted in the faults and left out."""
        for family in self.families:
            self._collect(family)
        self.rows = dict(zip(self.keys, range(len(self.keys)), strict=True))
        self.targets = Targets(self.keys, self.unread)
        self._look_at_rows()
        self._find_types()
        tokens, references = self._tokens()
        in_order = ordered(len(tokens), self._hints())
        graph = TokenGraph(
            (each.collection for each in self.families), (each for row in in_order if (each := tokens[row]) is not None)
        )
        cycles = on_cycles({row: ends for row, ends in enumerate(references) if ends})
        self._report_whole(graph, with_cycles=bool(cycles))
        return graph

    # rows

    def _collect(self, family: FamilyOfFiles) -> None:
        """Join the files of a family by path; the default mode's files come first and tell the order."""
        handle = family.collection.handle
        files = [[each for each in column if each.group == handle] for column in family.files]
        home = files[family.home]
        rows: Iterable[tuple[str, tuple[Node | None, ...], tuple[Document | None, ...]]]
        if len(home) == 1 and all(len(each) == 1 and each[0].paths is home[0].paths for each in files):
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
        """The rows of files that have not all the same tokens."""
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
                        self._report(document.entry(path, node), (), "token-repeated", what, "keep one of the two")
                        continue
                    nodes[path][column], sources[path][column] = node, document
        return [(path, tuple(row), tuple(sources[path])) for path, row in nodes.items()]

    def _entry(self, row: int, column: int) -> Entry | None:
        node, source = self.nodes[row][column], self.sources[row][column]
        return None if node is None or source is None else source.entry(self.keys[row].path, node)

    def _home(self, row: int) -> Entry | None:
        """The entry in the default mode."""
        return self._entry(row, self.homes[row])

    def _told(self, row: int) -> Entry:
        """The entry that tells about the token: the default mode's, else the first."""
        columns = (self.homes[row], *range(len(self.nodes[row])))
        return next(each for column in columns if (each := self._entry(row, column)) is not None)

    def _report(self, entry: Entry, within: tuple[str | int, ...], code: str, what: str, what_to_do: str) -> None:
        pointer = (self.root_groups[entry.location.path], *entry.pointer, *within)
        self.faults.at(entry.location.path, pointer, code, what, what_to_do)

    # types

    def _look_at_rows(self) -> None:
        """Note the type and the members of each row: of a plain one at once, of another by all that is known of it."""
        for row, (nodes, sources, home) in enumerate(zip(self.nodes, self.sources, self.homes, strict=True)):
            node, source = nodes[home], sources[home]
            if node is not None and source is not None and not source.contexts:
                members = plain_members(node["$extensions"]) if "$extensions" in node else NO_MEMBERS
                named = node.get("$type")
                if members is not None and type(named) is str:
                    token_type = _PLAIN_TYPES.get((named, members.figma_type))
                    if token_type is not None:
                        self.types.append(token_type)
                        self.members.append(members)
                        continue
            told = self._told(row)
            self.types.append(self._own_type(told))
            self.members.append(None)
            if told.context.is_root or is_held(told.node):
                self.targets.add_root(self.keys[row], only=told.context.is_root)

    def _find_types(self) -> None:
        """Settle the type of every row: its own, else that of the token it refers to, else its groups' (dtcg.md 3).

        A weight that refers to one that is kept as text is kept as text, too. A row without a type is reported.
        """
        waiting: dict[int, Entry] = {}
        settled = frozenset(DTCG_TYPES) - ({"fontWeight"} if AS_TEXT in self.types else set())
        for row, token_type in enumerate(self.types):
            if token_type not in settled:
                entry = self._told(row)
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
            alias = self._alias(entry)
        except BadToken:  # told when the value is read
            return None
        return None if alias is None else self.rows[alias.target]

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
            self._report(entry, (), "token-type", "the token has no type", 'give it a "$type"')
        else:
            what = f"{str(named)[:40]!r} is no type of DTCG"
            to_do = f"write one of {', '.join(_NAMED)}"
            self._report(entry, ("$type",) if "$type" in entry.node else (), "token-type", what, to_do)
        return None

    # tokens

    def _tokens(self) -> tuple[list[Token | None], list[list[int]]]:
        """The token of each row, and the rows that it refers to."""
        links: _Links = {}
        for spelled, alias in self.targets.in_braces():
            row = self.rows[alias.target]
            token_type = self.types[row]
            links[spelled] = alias, None if token_type is None else kind(token_type), row
        tokens: list[Token | None] = []
        references: list[list[int]] = []
        for row, members in enumerate(self.members):
            behind: list[int] = []
            token = None if members is None else self._plain_token(row, members, links, behind)
            if token is None:
                token = self._token(row)
                ends = () if token is None else {end for value in token.values for end in targets(value)}
                behind = [self.rows[end] for end in ends if end in self.rows]
            tokens.append(token)
            references.append(behind)
        return tokens, references

    def _plain_token(self, row: int, members: Members, links: _Links, behind: list[int]) -> Token | None:
        """Read a row without reports; None where it is not plain. ``behind`` gets the rows that it refers to."""
        token_type: str = self.types[row]  # type: ignore[assignment]
        if token_type not in _PLAIN_READERS:
            return None
        read, own_kind = _PLAIN_READERS[token_type]
        nodes, home = self.nodes[row], self.homes[row]
        told: Node = nodes[home]  # type: ignore[assignment]
        named = told["$type"]
        values: list[Value | None] = []
        try:
            for node in nodes:
                if node is None:
                    values.append(None)
                    continue
                if len(node) != 2 and ("$ref" in node or not (node is told or _has_figma_type_only(node))):
                    return None
                value = node["$value"]
                if type(value) is str:
                    link = links.get(value)
                    if link is not None:
                        alias, target_kind, target = link
                        if target_kind != own_kind:
                            return None
                        values.append(alias)
                        behind.append(target)
                        continue
                    if is_reference(value):
                        return None
                if node["$type"] != named:
                    return None
                values.append(read(value))
        except (KeyError, BadToken):
            return None
        description = told.get("$description", "")
        deprecated = told.get("$deprecated", False)
        if type(description) is not str or not isinstance(deprecated, bool | str):
            return None
        return Token(
            key=self.keys[row],
            type=token_type,
            values=tuple(values),
            description=description,
            scopes=members.scopes,
            code_syntax=members.code_syntax,
            hidden=members.hidden,
            origin=self.sources[row][home].location.origin,  # type: ignore[union-attr]
            published=members.published,
            deprecated=deprecated,
            id=members.id,
            variable_key=members.variable_key,
        )

    def _token(self, row: int) -> Token | None:
        """Read a row with all checks; None where something about it is wrong, which is reported."""
        token_type = self.types[row]
        if token_type is None:
            return None
        entries = [self._entry(row, column) for column in range(len(self.nodes[row]))]
        values: list[Value | None] = []
        faulty = False
        for entry in entries:
            value = None
            if entry is not None:
                try:
                    value = self._value(entry, token_type)
                except UnreadTarget:
                    faulty = True
                except BadToken as fault:
                    self._report(entry, fault.within, fault.code, fault.what, fault.what_to_do)
                    faulty = True
                except RecursionError:
                    self._report(entry, ("$value",), "token-value", "the value is nested too deep", "write it plainly")
                    faulty = True
            values.append(value)
        if faulty:
            return None
        told = self._told(row)
        members = self._members(entries, told)
        token = Token(
            key=self.keys[row],
            type=token_type,
            values=tuple(values),
            description=self._description(told),
            scopes=members.scopes,
            code_syntax=members.code_syntax,
            hidden=members.hidden,
            origin=told.location.origin,
            published=members.published,
            deprecated=self._deprecated(told) if "$value" in told.node or "$ref" in told.node else members.deprecated,
            id=members.id,
            variable_key=members.variable_key,
            extensions=members.extensions,
        )
        self.kept_entries += (
            (token, column, entry)
            for column, entry in enumerate(entries)
            if entry is not None and entry.node.get("$extensions") and is_held(entry.node)
        )
        return token

    def _members(self, entries: list[Entry | None], told: Entry) -> Members:
        extensions = self._extensions(entries, told)
        if not extensions:
            return NO_MEMBERS

        def report(name: str, what: str) -> None:
            steps = ("$extensions",) if name == "$extensions" else ("$extensions", *name.split("/"))
            self._report(told, steps, "token-member", what, "correct it, or remove it")

        return members_of(extensions, report)

    def _extensions(self, entries: list[Entry | None], told: Entry) -> dict[str, Any]:
        """The ``$extensions`` of the default mode, and members that only other modes' files have: nothing is lost."""
        members: dict[str, Any] = {}
        for entry in entries:
            extensions = entry.node.get("$extensions") if entry is not None and entry.node is not told.node else None
            if isinstance(extensions, dict):
                members |= {name: each for name, each in extensions.items() if name not in (OURS, TYPE, ALIAS_DATA)}
        own = told.node.get("$extensions", {})
        if not isinstance(own, dict):
            self._report(told, ("$extensions",), "token-member", "$extensions is to be an object", "write { }")
            return members
        members = {**members, **own} if members else own
        if ALIAS_DATA in own and (is_held(told.node) or self._told_by_figma(told) is not None):
            members = {name: each for name, each in members.items() if name != ALIAS_DATA}
        return members

    def _told_by_figma(self, entry: Entry) -> Alias | None:
        """The alias behind a resolved ``$value``, as Figma's exports write those into other collections."""
        extensions = entry.node.get("$extensions")
        data = extensions.get(ALIAS_DATA) if isinstance(extensions, dict) else None
        if not isinstance(data, dict):
            return None
        if self._by_id is None:
            ids = ((self._variable_id(row), key) for row, key in enumerate(self.keys))
            self._by_id = {identity: key for identity, key in ids if identity}
        for spelling in ("targetVariableId", "targetVariableID"):
            target = self._by_id.get(data[spelling]) if isinstance(data.get(spelling), str) else None
            if target is not None:
                return Alias(target)
        return None

    def _variable_id(self, row: int) -> str:
        """The variable id that the default mode's file tells, or nothing."""
        node = self.nodes[row][self.homes[row]]
        extensions = node.get("$extensions") if node is not None else None
        identity = extensions.get(VARIABLE_ID) if isinstance(extensions, dict) else None
        return identity if isinstance(identity, str) else ""

    def _description(self, told: Entry) -> str:
        description = told.node.get("$description", "")
        if isinstance(description, str):
            return description
        self._report(told, ("$description",), "token-member", "a description is a string", "write it in quotes")
        return ""

    def _deprecated(self, told: Entry) -> bool | str:
        deprecated = told.node.get("$deprecated", told.context.deprecated)
        if isinstance(deprecated, bool | str):
            return deprecated
        self._report(told, ("$deprecated",), "token-member", "$deprecated is true, false or a reason", "correct it")
        return False

    # values

    def _value(self, entry: Entry, token_type: str) -> Value | None:
        node = entry.node
        extensions = node.get("$extensions")
        if extensions:
            ours = extensions.get(OURS) if isinstance(extensions, dict) else None
            if isinstance(ours, dict) and "value" in ours:
                try:
                    return value_of(ours["value"], self.file)
                except BadKept as fault:
                    within = ("$extensions", OURS, "value")
                    raise BadToken("token-value", str(fault), "restore it, or remove it", within) from None
        alias = self._alias(entry) or self._told_by_figma(entry)
        if alias is not None:
            target = self._type_of(alias.target)
            if target is not None and kind(target) != kind(token_type):
                what = f"a {token_type} refers to a {target}"
                to_do = "refer to a token of the same kind"
                raise BadToken("token-reference-type", what, to_do, ("$value",))
            return alias
        named = node.get("$type")
        if named is not None and named != DTCG_TYPES[token_type] and named != token_type:
            what = f"its $type is {str(named)[:40]!r} here and {public_type(token_type)!r} in the default mode"
            raise BadToken("token-type", what, "a token has one type in all modes", ("$type",))
        value = node["$value"] if "$value" in node else {"$ref": node["$ref"]}
        if type(value) in (dict, list) and self._may_hold_pointers(entry.location.path):
            value = without_inner_pointers(token_type, value, self._nearest_first(entry), self.targets)
        found = literal(token_type, value)
        if token_type == AS_TEXT and isinstance(found, float):
            return self._text_of_weight(entry, found)
        if type(found) is Composite:
            return with_targets(token_type, found, self.targets, self._type_of)
        return found

    def _may_hold_pointers(self, path: str) -> bool:
        known = self._with_pointers.get(path)
        if known is None:
            known = self._with_pointers[path] = b'"$ref"' in self.texts[path]
        return known

    def _type_of(self, key: TokenKey) -> str | None:
        return self.types[self.rows[key]]

    def _text_of_weight(self, entry: Entry, weight: float) -> str | float:
        """Return the text that stands beside a weight; the weight itself if there is none, or one of another weight."""
        extensions = entry.node.get("$extensions")
        ours = extensions.get(OURS) if isinstance(extensions, dict) else None
        text = ours.get("text") if isinstance(ours, dict) else None
        if text is None:
            return weight
        within = ("$extensions", OURS, "text")
        if not isinstance(text, str):
            raise BadToken("token-member", "a string is expected", "correct it, or remove it", within)
        if weight_of(text) == weight:
            return text
        what = f'the text "{shortened(text, 40)}" is not the weight {shortest(weight)}'
        to_do = "$value counts; apply and pull update the text"
        if (of_text := weight_of(text)) is not None:
            to_do = f"$value counts. If you meant {shortest(weight)}, do nothing: apply and pull update the text"
            to_do += f". Else set $value to {shortest(of_text)}"
        self._report(entry, within, "token-text-stale", what, to_do)
        return weight

    def _alias(self, entry: Entry) -> Alias | None:
        """The token that the entry refers to as a whole, if it does. Raises BadToken for a reference to nothing."""
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

    def _nearest_first(self, entry: Entry) -> list[Document]:
        return sorted(self.documents, key=lambda each: each.location.path != entry.location.path)

    # the whole

    def _report_whole(self, graph: TokenGraph, *, with_cycles: bool) -> None:
        self._report_repeated_ids(graph.tokens.values())
        for entry in stale(graph, self.kept_entries):
            what = "its $value is not what the value kept in org.tokensync shows, which counts"
            to_do = (
                "nothing, if what it refers to was edited: a pull writes it anew; else edit that one, "
                'or remove "value" from org.tokensync to let the $value count'
            )
            self._report(entry, ("$value",), "token-value-stale", what, to_do)
        for key in cyclic_tokens(graph) if with_cycles else ():
            row = self.rows[key]
            entries = [self._entry(row, column) for column in range(len(self.nodes[row]))]
            columns = zip(entries, graph.tokens[key].values, strict=True)
            written = ((each, value) for each, value in columns if each is not None and not is_held(each.node))
            entry_of_alias = next((each for each, value in written if targets(value)), None)
            if entry_of_alias is not None:  # one that the platform made is kept, and told where it counts
                to_do = "give one of the tokens on the way a value of its own"
                self._report(entry_of_alias, ("$value",), "token-cycle", "its references come back to it", to_do)

    def _hints(self) -> dict[int, int | None]:
        """The rows that come after another one than in the files, with that one; None is the place before all."""
        hinted: dict[int, int | None] = {}
        by_address = None
        for row, members in enumerate(self.members):
            after = members.after if members is not None else self._hint(row)
            if after is None:
                hinted[row] = None
            elif isinstance(after, str):
                if by_address is None:
                    by_address = {f"{key[1]}.{key[2]}": each for key, each in self.rows.items()}
                target = by_address.get(after)
                if target is not None:
                    hinted[row] = target
        return hinted

    def _hint(self, row: int) -> Any:
        node = self.nodes[row][self.homes[row]]
        extensions = node.get("$extensions") if node is not None else None
        ours = extensions.get(OURS) if isinstance(extensions, dict) else None
        return ours.get("after", UNSET) if isinstance(ours, dict) else UNSET

    def _report_repeated_ids(self, tokens: Collection[Token]) -> None:
        ids = [each.id for each in tokens if each.id]
        if len(set(ids)) == len(ids):
            return
        seen: dict[str, Token] = {}
        for token in tokens:
            if not token.id:
                continue
            first = seen.setdefault(token.id, token)
            if first is token:
                continue
            home = self._home(self.rows[token.key])
            if home is not None:
                what = f"{first.key} carries the same variable id"
                to_do = "remove the id from the copy, which makes it a new token"
                self._report(home, ("$extensions", VARIABLE_ID), "token-id-repeated", what, to_do)


def _has_figma_type_only(node: Node) -> bool:
    """Whether a token of another than the default mode holds nothing beside its value but ``com.figma.type``."""
    extensions = node.get("$extensions")
    return extensions is None or (type(extensions) is dict and extensions.keys() <= {TYPE})
