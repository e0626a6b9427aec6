"""Assembles the tokens of all files of a family into tokens of a graph, and checks what only the whole graph shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import UNSET

from tokensync.dtcg.composites import with_targets, without_inner_pointers
from tokensync.dtcg.extensions import (
    NO_MEMBERS,
    BadKept,
    Members,
    PlainExtensions,
    code_syntax_of,
    is_held,
    members_of,
    scopes_of,
    value_of,
)
from tokensync.dtcg.layout import ordered
from tokensync.dtcg.literals import PLAIN_READERS, literal, stand_in
from tokensync.dtcg.parse import BadToken, UnreadTarget
from tokensync.dtcg.portability import Portability
from tokensync.dtcg.rows import Rows
from tokensync.dtcg.spelling import ALIAS_DATA, DTCG_TYPES, OURS, TYPE, VARIABLE_ID, is_reference, kind
from tokensync.tokens import (
    DEFAULT_THEME,
    Alias,
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
from tokensync.tokens.values import AS_TEXT, public_type, weight_of
from tokensync.wording import shortened

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tokensync.dtcg.document import Entry


def stale(graph: TokenGraph, kept: Iterable[tuple[Token, int, Entry]]) -> Iterator[Entry]:
    """Yield the entries whose ``$value`` only stands for a value kept in our extension, and is not what it
    stands for.
    """
    portability = Portability(graph)
    for token, column, entry in kept:
        if "$value" not in entry.node:
            continue
        value = token.values[column]
        if isinstance(value, ComposedColor) or (isinstance(value, Composite) and value.references):
            resolved = portability.literal(token, column)
            expected = None if isinstance(resolved, Unresolved) else resolved
        elif is_reference(value):
            expected = stand_in(value)
        else:
            continue
        try:
            if expected is not None and literal(token.type, entry.node["$value"]) != expected:
                yield entry
        except BadToken:
            yield entry


def cyclic_tokens(graph: TokenGraph) -> Iterator[TokenKey]:
    """Yield the tokens that have no value in some mode because of a cycle: they are on it, or refer to it."""
    edges = graph.references()
    cyclic = on_cycles(edges)
    if not cyclic:
        return
    dependents = reverse(edges)
    suspects = closure(cyclic, lambda key: dependents.get(key, ()))
    families = {key[:2] for key in suspects}
    themes = [each for each in inferred_themes(graph.collections.values()) if each.modes[0][0] in families]
    found: set[TokenKey] = set()
    for theme in (DEFAULT_THEME, *themes):
        resolve = graph.resolver(theme)
        resolved = {key: resolve(key) for key in suspects}
        found.update(key for key, each in resolved.items() if isinstance(each, Unresolved) and each.reason == "cycle")
    yield from (key for key in graph.tokens if key in found)


if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from tokensync.dtcg.document import Document, Entry
    from tokensync.dtcg.families import FamilyOfFiles
    from tokensync.dtcg.parse import Faults

    Node = dict[str, Any]


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
        self.file = file
        self.texts = texts
        self.rows = Rows(families, file, faults, unread)
        self.kept_entries: list[tuple[Token, int, Entry]] = []
        self._by_id: dict[str, TokenKey] | None = None
        self._with_pointers: dict[str, bool] = {}

    def graph(self) -> TokenGraph:
        """Return the graph; what is wrong is noted in the faults and omitted."""
        tokens, references = self._tokens()
        in_order = ordered(len(tokens), self._hints())
        graph = TokenGraph(
            (each.collection for each in self.families), (each for row in in_order if (each := tokens[row]) is not None)
        )
        cycles = on_cycles({row: ends for row, ends in enumerate(references) if ends})
        self._report_whole(graph, with_cycles=bool(cycles))
        return graph

    def _tokens(self) -> tuple[list[Token | None], list[list[int]]]:
        """Return the token of each row, and the rows that it refers to."""
        links = self.rows.targets.in_braces()
        kinds = [None if each is None else kind(each) for each in self.rows.types]
        tokens: list[Token | None] = []
        references: list[list[int]] = []
        for row, plain in enumerate(self.rows.plain):
            behind: list[int] = []
            token = None if plain is None else self._plain_token(row, plain, links, kinds, behind)
            if token is None:
                token = self._token(row)
                ends = () if token is None else {end for value in token.values for end in targets(value)}
                behind = [self.rows.numbers[end] for end in ends if end in self.rows.numbers]
            tokens.append(token)
            references.append(behind)
        return tokens, references

    def _plain_token(
        self, row: int, plain: PlainExtensions, links: dict[str, int], kinds: list[str | None], behind: list[int]
    ) -> Token | None:
        """Read a row without reports; None where it is not plain. ``behind`` gets the rows that it refers to.

        ``links`` has the row that each reference leads to, ``kinds`` the kind of each row.
        """
        rows = self.rows
        token_type: str = rows.types[row]  # type: ignore[assignment]
        read = PLAIN_READERS.get(token_type)
        if read is None:
            return None
        own_kind, aliases, home = kinds[row], rows.targets.aliases, rows.homes[row]
        told: Node = rows.nodes[row][home]  # type: ignore[assignment]
        named = told["$type"]
        values: list[Value | None] = []
        try:
            for node in rows.nodes[row]:
                if node is None:
                    values.append(None)
                    continue
                if len(node) != 2 and ("$ref" in node or not (node is told or _has_figma_type_only(node))):
                    return None
                value = node["$value"]
                if type(value) is str:
                    target = links.get(value)
                    if target is not None:
                        if kinds[target] != own_kind:
                            return None
                        values.append(aliases[target])
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
            key=rows.keys[row],
            type=token_type,
            values=tuple(values),
            description=description,
            scopes=scopes_of(plain.scopes),
            code_syntax=code_syntax_of(plain.code_syntax) if plain.code_syntax else (),
            hidden=plain.hidden,
            origin=rows.sources[row][home].location.origin,  # type: ignore[union-attr]
            published=plain.ours.published,
            deprecated=deprecated,
            id=plain.id,
            variable_key=plain.ours.key,
        )

    def _token(self, row: int) -> Token | None:
        """Read a row with all checks; None where something about it is wrong, which is reported."""
        token_type = self.rows.types[row]
        if token_type is None:
            return None
        entries = [self.rows.entry(row, column) for column in range(len(self.rows.nodes[row]))]
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
                    self.rows.report(entry, fault.within, fault.code, fault.what, fault.what_to_do)
                    faulty = True
                except RecursionError:
                    what = "the value is nested too deeply"
                    self.rows.report(entry, ("$value",), "token-value", what, "write it plainly")
                    faulty = True
            values.append(value)
        if faulty:
            return None
        told = self.rows.told(row)
        members = self._members(entries, told)
        token = Token(
            key=self.rows.keys[row],
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
            self.rows.report(told, steps, "token-member", what, "correct it, or remove it")

        return members_of(extensions, report)

    def _extensions(self, entries: list[Entry | None], told: Entry) -> dict[str, Any]:
        """Return the ``$extensions`` of the default mode, and members that only other modes' files have: nothing is
        lost.
        """
        members: dict[str, Any] = {}
        for entry in entries:
            extensions = entry.node.get("$extensions") if entry is not None and entry.node is not told.node else None
            if isinstance(extensions, dict):
                members |= {name: each for name, each in extensions.items() if name not in (OURS, TYPE, ALIAS_DATA)}
        own = told.node.get("$extensions", {})
        if not isinstance(own, dict):
            self.rows.report(told, ("$extensions",), "token-member", "$extensions is to be an object", "write { }")
            return members
        members = {**members, **own} if members else own
        if ALIAS_DATA in own and (is_held(told.node) or self._told_by_figma(told) is not None):
            members = {name: each for name, each in members.items() if name != ALIAS_DATA}
        return members

    def _told_by_figma(self, entry: Entry) -> Alias | None:
        """Return the alias behind a resolved ``$value``, as Figma's exports write those into other collections."""
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
        """Return the variable id that the default mode's file tells, or nothing."""
        node = self.rows.nodes[row][self.rows.homes[row]]
        extensions = node.get("$extensions") if node is not None else None
        identity = extensions.get(VARIABLE_ID) if isinstance(extensions, dict) else None
        return identity if isinstance(identity, str) else ""

    def _description(self, told: Entry) -> str:
        description = told.node.get("$description", "")
        if isinstance(description, str):
            return description
        self.rows.report(told, ("$description",), "token-member", "a description is a string", "write it in quotes")
        return ""

    def _deprecated(self, told: Entry) -> bool | str:
        deprecated = told.node.get("$deprecated", told.context.deprecated)
        if isinstance(deprecated, bool | str):
            return deprecated
        self.rows.report(told, ("$deprecated",), "token-member", "$deprecated is true, false or a reason", "correct it")
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
        alias = self.rows.alias(entry) or self._told_by_figma(entry)
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
            value = without_inner_pointers(token_type, value, self._nearest_first(entry), self.rows.targets)
        found = literal(token_type, value)
        if token_type == AS_TEXT and isinstance(found, float):
            return self._text_of_weight(entry, found)
        if type(found) is Composite:
            return with_targets(token_type, found, self.rows.targets, self._type_of)
        return found

    def _may_hold_pointers(self, path: str) -> bool:
        known = self._with_pointers.get(path)
        if known is None:
            known = self._with_pointers[path] = b'"$ref"' in self.texts[path]
        return known

    def _type_of(self, key: TokenKey) -> str | None:
        return self.rows.types[self.rows.numbers[key]]

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
        self.rows.report(entry, within, "token-text-stale", what, to_do)
        return weight

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
            self.rows.report(entry, ("$value",), "token-value-stale", what, to_do)
        for key in cyclic_tokens(graph) if with_cycles else ():
            row = self.rows.numbers[key]
            entries = [self.rows.entry(row, column) for column in range(len(self.rows.nodes[row]))]
            columns = zip(entries, graph.tokens[key].values, strict=True)
            written = ((each, value) for each, value in columns if each is not None and not is_held(each.node))
            entry_of_alias = next((each for each, value in written if targets(value)), None)
            if entry_of_alias is not None:  # one that the platform made is kept, and told where it counts
                to_do = "give one of the tokens on the way a value of its own"
                self.rows.report(entry_of_alias, ("$value",), "token-cycle", "its references come back to it", to_do)

    def _hints(self) -> dict[int, int | None]:
        """Return the rows that come after another one than in the files, with that one; None is the place
        before all.
        """
        hinted: dict[int, int | None] = {}
        by_address = None
        for row, plain in enumerate(self.rows.plain):
            after = plain.ours.after if plain is not None else self._hint(row)
            if after is UNSET:
                continue
            if after is None:
                hinted[row] = None
            elif isinstance(after, str):
                if by_address is None:
                    by_address = {f"{key[1]}.{key[2]}": each for each, key in enumerate(self.rows.keys)}
                target = by_address.get(after)
                if target is not None:
                    hinted[row] = target
        return hinted

    def _hint(self, row: int) -> Any:
        node = self.rows.nodes[row][self.rows.homes[row]]
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
            home = self.rows.home(self.rows.numbers[token.key])
            if home is not None:
                what = f"{first.key} carries the same variable id"
                to_do = "remove the id from the copy, which makes it a new token"
                self.rows.report(home, ("$extensions", VARIABLE_ID), "token-id-repeated", what, to_do)


def _has_figma_type_only(node: Node) -> bool:
    """Return whether a token of another than the default mode holds nothing beside its value but ``com.figma.type``."""
    extensions = node.get("$extensions")
    return extensions is None or (type(extensions) is dict and extensions.keys() <= {TYPE})
