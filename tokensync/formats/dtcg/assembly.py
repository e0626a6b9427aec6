"""The entries of all files of a family, put together into tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tokensync.formats.dtcg.checks import cyclic_tokens, stale
from tokensync.formats.dtcg.composing import with_targets, without_inner_pointers
from tokensync.formats.dtcg.document import is_held
from tokensync.formats.dtcg.drafts import Draft, find_types
from tokensync.formats.dtcg.faults import BadToken, UnreadTarget
from tokensync.formats.dtcg.kept import BadKept, value_of
from tokensync.formats.dtcg.members import NO_MEMBERS, Members, members_of
from tokensync.formats.dtcg.order import ordered
from tokensync.formats.dtcg.references import is_reference
from tokensync.formats.dtcg.spelling import ALIAS_DATA, DTCG_TYPES, OURS, TYPE, VARIABLE_ID, kind
from tokensync.formats.dtcg.targets import Targets
from tokensync.formats.dtcg.values import literal
from tokensync.tokens import Alias, Composite, Token, TokenGraph, TokenKey, Value, shortest, targets
from tokensync.tokens.weights import AS_TEXT, public_type, weight_of
from tokensync.wording import shortened

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tokensync.formats.dtcg.document import Document, Entry
    from tokensync.formats.dtcg.families import FamilyOfFiles
    from tokensync.formats.dtcg.faults import Faults


class Assembly:
    """Builds the graph of one file's families.

    ``with_pointers`` names the files that may hold ``$ref``, ``unread`` the handles with files that cannot be read.
    """

    def __init__(
        self,
        families: list[FamilyOfFiles],
        documents: list[Document],
        file: str,
        faults: Faults,
        with_pointers: set[str],
        unread: set[str],
    ) -> None:
        self.families = families
        self.documents = documents
        self.root_groups = {each.location.path: each.group for each in documents if each.group is not None}
        self.file = file
        self.faults = faults
        self.with_pointers = with_pointers
        self.drafts: dict[TokenKey, Draft] = {}
        self.targets = Targets(unread)
        self._by_id: dict[str, TokenKey] | None = None
        self.kept_entries: list[tuple[Token, int, Entry]] = []

    def graph(self) -> TokenGraph:
        """The graph; what is wrong is noted in the faults and left out."""
        for family in self.families:
            self._collect(family)
        for draft in self.drafts.values():
            told = draft.told
            self.targets.add(draft.key, is_root=told.is_root, is_held=is_held(told.node))
        find_types(self.drafts, self._alias, self._report)
        tokens = {}
        for key, draft in self.drafts.items():
            token = self._token(draft)
            if token is not None:
                tokens[key] = token
        order = ordered(list(self.drafts), self._hints())
        graph = TokenGraph((each.collection for each in self.families), (tokens[key] for key in order if key in tokens))
        self._report_whole(graph)
        return graph

    def _collect(self, family: FamilyOfFiles) -> None:
        """Join the files of a family by path; the default mode's files come first and tell the order."""
        columns = [family.home, *(column for column in range(len(family.files)) if column != family.home)]
        for column in columns:
            for each in family.files[column]:
                if each.group != family.collection.handle:
                    continue
                for path, entry in each.entries.items():
                    key = TokenKey(self.file, family.collection.handle, path)
                    draft = self.drafts.get(key)
                    if draft is None:
                        draft = self.drafts[key] = Draft(key, family)
                    if draft.columns[column] is not None:
                        what = f"another file of this mode has the token too: {draft.columns[column].location.path}"  # type: ignore[union-attr]
                        self._report(entry, (), "token-repeated", what, "keep one of the two")
                        continue
                    draft.columns[column] = entry
                    if column == family.home:
                        draft.home = entry

    def _report(self, entry: Entry, within: tuple[str | int, ...], code: str, what: str, what_to_do: str) -> None:
        pointer = (self.root_groups[entry.location.path], *entry.pointer, *within)
        self.faults.at(entry.location.path, pointer, code, what, what_to_do)

    # tokens

    def _token(self, draft: Draft) -> Token | None:
        if draft.type is None:
            return None
        values: list[Value | None] = []
        faulty = False
        for entry in draft.columns:
            value = None
            if entry is not None:
                try:
                    value = self._value(entry, draft)
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
        told = draft.told
        members = self._members(draft, told)
        token = Token(
            key=draft.key,
            type=draft.type,
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
            for column, entry in enumerate(draft.columns)
            if entry is not None and entry.node.get("$extensions") and is_held(entry.node)
        )
        return token

    def _members(self, draft: Draft, told: Entry) -> Members:
        extensions = self._extensions(draft, told)
        if not extensions:
            return NO_MEMBERS

        def report(name: str, what: str) -> None:
            steps = ("$extensions",) if name == "$extensions" else ("$extensions", *name.split("/"))
            self._report(told, steps, "token-member", what, "correct it, or remove it")

        return members_of(extensions, report)

    def _extensions(self, draft: Draft, told: Entry) -> dict[str, Any]:
        """The ``$extensions`` of the default mode, and members that only other modes' files have: nothing is lost."""
        members: dict[str, Any] = {}
        for entry in draft.columns:
            extensions = entry.node.get("$extensions") if entry is not None and entry is not told else None
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
            self._by_id = {identity: key for key, draft in self.drafts.items() if (identity := draft.id)}
        for spelling in ("targetVariableId", "targetVariableID"):
            target = self._by_id.get(data[spelling]) if isinstance(data.get(spelling), str) else None
            if target is not None:
                return Alias(target)
        return None

    def _description(self, told: Entry) -> str:
        description = told.node.get("$description", "")
        if isinstance(description, str):
            return description
        self._report(told, ("$description",), "token-member", "a description is a string", "write it in quotes")
        return ""

    def _deprecated(self, told: Entry) -> bool | str:
        deprecated = told.node.get("$deprecated", told.deprecated)
        if isinstance(deprecated, bool | str):
            return deprecated
        self._report(told, ("$deprecated",), "token-member", "$deprecated is true, false or a reason", "correct it")
        return False

    # values

    def _value(self, entry: Entry, draft: Draft) -> Value | None:
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
        token_type: str = draft.type  # type: ignore[assignment]
        alias = self._alias(entry) or self._told_by_figma(entry)
        if alias is not None:
            target = self.drafts[alias.target].type
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
        if entry.location.path in self.with_pointers:
            value = without_inner_pointers(token_type, value, self._nearest_first(entry), self.targets)
        found = literal(token_type, value)
        if token_type == AS_TEXT and isinstance(found, float):
            return self._text_of_weight(entry, found)
        if type(found) is Composite:
            return with_targets(token_type, found, self.targets, lambda key: self.drafts[key].type)
        return found

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

    def _report_whole(self, graph: TokenGraph) -> None:
        self._report_repeated_ids(graph.tokens.values())
        for entry in stale(graph, self.kept_entries):
            what = "its $value is not what the value kept in org.tokensync shows, which counts"
            to_do = (
                "nothing, if what it refers to was edited: a pull writes it anew; else edit that one, "
                'or remove "value" from org.tokensync to let the $value count'
            )
            self._report(entry, ("$value",), "token-value-stale", what, to_do)
        for key in cyclic_tokens(graph):
            columns = zip(self.drafts[key].columns, graph.tokens[key].values, strict=True)
            written = ((each, value) for each, value in columns if each is not None and not is_held(each.node))
            entry_of_alias = next((each for each, value in written if targets(value)), None)
            if entry_of_alias is not None:  # one that the platform made is kept, and told where it counts
                to_do = "give one of the tokens on the way a value of its own"
                self._report(entry_of_alias, ("$value",), "token-cycle", "its references come back to it", to_do)

    def _hints(self) -> dict[TokenKey, TokenKey | None]:
        hinted: dict[TokenKey, TokenKey | None] = {}
        for key, draft in self.drafts.items():
            extensions = draft.home.node.get("$extensions") if draft.home is not None else None
            ours = extensions.get(OURS) if isinstance(extensions, dict) else None
            if isinstance(ours, dict) and "after" in ours:
                after = ours["after"]
                if after is None:
                    hinted[key] = None
                elif isinstance(after, str):
                    handle, _, path = after.partition(".")
                    hinted[key] = TokenKey(self.file, handle, path)
        return hinted

    def _report_repeated_ids(self, tokens: Iterable[Token]) -> None:
        seen: dict[str, Token] = {}
        for token in tokens:
            if not token.id:
                continue
            first = seen.setdefault(token.id, token)
            home = self.drafts[token.key].home
            if first is not token and home is not None:
                what = f"{first.key} carries the same variable id"
                to_do = "remove the id from the copy, which makes it a new token"
                self._report(home, ("$extensions", VARIABLE_ID), "token-id-repeated", what, to_do)
