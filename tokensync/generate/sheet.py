"""One output at work: the declared tokens with their names and kinds, and their written values theme by theme."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from tokensync.generate.kinds import kinds_of
from tokensync.generate.left_out import inlined, left_out, unrepresentable
from tokensync.generate.selection import declared_themes, declared_tokens
from tokensync.naming import in_order, names_for
from tokensync.tokens import DEFAULT_THEME, Alias, Unresolved

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from collections.abc import Set as AbstractSet
    from re import Pattern

    from tokensync.generate.request import OutputRequest
    from tokensync.generate.resolution import Literals, Resolution, Written
    from tokensync.tokens import FamilyKey, Literal, Resolved, Theme, Token, TokenKey

Row = tuple["TokenKey", str, "TokenKey | None"]
"""A token, its written value, and the token that it refers to where that is written as a literal."""


class _Written(dict["Resolved", "str | None"]):
    """Literals in their written form, worked out once for equal values."""

    def __init__(self, convert: Callable[[Literal], str | None]) -> None:
        super().__init__()
        self.convert = convert

    def __missing__(self, value: Resolved) -> str | None:
        text = None if isinstance(value, Unresolved) else self.convert(value)
        self[value] = text
        return text


class Sheet:
    """What a target's module works with. ``kinds`` are the target's own, by token, of the declared tokens only.

    ``keys`` are the declared tokens in collection order; ``names`` their identifiers, ``spelled`` those as references
    write them.
    """

    def __init__(
        self,
        resolution: Resolution,
        request: OutputRequest,
        *,
        naming: str,
        kinds: Mapping[str, str],
        literals: Mapping[str, Callable[[Literal], str | None]],
        references: Mapping[str, tuple[str, str]],
        unrepresentable: Pattern[str],
    ) -> None:
        """``kinds`` maps what values are to the target's kinds, ``references`` those to what stands around a name."""
        self.resolution = resolution
        self.graph = resolution.graph
        self.request = request
        tokens = in_order(declared_tokens(self.graph, request), self.graph)
        self.names, self.problems = names_for(self.graph, tokens, naming, request.templates)
        self.spelled = self.names
        self.kinds = {key: kinds.get(kind, "") for key, kind in kinds_of(tokens).items()}
        self.keys = list(self.names)
        self.themes = declared_themes(self.graph, request)
        self._literals = literals
        self._references = references
        self._rank: dict[TokenKey, int] = {}
        self._unrepresentable = unrepresentable
        self._report_inlined(tokens)

    def default_rows(self) -> list[Row]:
        """The rows of all declared tokens in the default theme."""
        return self.rows(self.keys, self.resolution.written, self.resolution.literals, DEFAULT_THEME)

    def rows(
        self,
        keys: Iterable[TokenKey],
        written: Written,
        literals: Literals,
        theme: Theme,
        referable: Collection[TokenKey] | None = None,
    ) -> list[Row]:
        """Tokens with their written values: a reference to a declared target of one kind, else a literal.

        A token without a value in the theme is left out, with a problem unless the graph's own findings tell of it:
        they look at each token in each mode of its family, the other families at their default. ``referable`` are the
        tokens that may be referred to, when not every declared one may.
        """
        entries, graph = self._entries, self.graph
        rows: list[Row] = []
        for key in keys:
            texts, kind, _ = entries[key]
            literal = literals[key]
            text = texts[literal]
            if text is None:
                if not self._told_of(key, literal, theme):
                    self.problems.append(left_out(graph, key, literal, theme, self.request.platform))
                continue
            value = written[key]
            if type(value) is Alias:
                target = value.target
                entry = entries.get(target)
                if entry is None:
                    rows.append((key, text, target))
                    continue
                if entry[1] == kind and entry[2] and (referable is None or target in referable):
                    rows.append((key, entry[2], None))
                    continue
            if type(literal) is str and not literal.isprintable():
                self._report_unrepresentable(key, literal)
            rows.append((key, text, None))
        return rows

    def _told_of(self, key: TokenKey, result: Resolved, theme: Theme) -> bool:
        mode = dict(theme.modes).get(key[:2], self.graph.collections[key[:2]].default_mode)
        return isinstance(result, Unresolved) and isinstance(self.resolution.alone(key[:2], mode)(key), Unresolved)

    @cached_property
    def _entries(self) -> dict[TokenKey, tuple[_Written, str, str]]:
        """Of each declared token: how its literals are written, its kind, and how it is referred to (or nothing)."""
        written = {kind: _Written(convert) for kind, convert in self._literals.items()}
        written[""] = _Written(_no_form)
        around = {kind: self._references.get(kind) for kind in written}
        entries = {}
        for key, kind in self.kinds.items():
            sides = around[kind]
            entries[key] = (written[kind], kind, f"{sides[0]}{self.spelled[key]}{sides[1]}" if sides else "")
        return entries

    def declared_among(self, varying: AbstractSet[TokenKey]) -> list[TokenKey]:
        """Those of the tokens that are declared, in order."""
        if len(varying) * 8 > len(self.keys):
            return [key for key in self.keys if key in varying]
        if not self._rank:
            self._rank = {key: place for place, key in enumerate(self.keys)}
        return sorted((key for key in varying if key in self._rank), key=self._rank.__getitem__)

    def _report_inlined(self, tokens: Iterable[Token]) -> None:
        elsewhere = {key for key, token in self.graph.tokens.items() if token.origin != "local"}
        if not elsewhere:
            return
        counts: dict[FamilyKey, int] = {}
        for token in tokens:
            for value in token.values:
                if type(value) is Alias and value.target in elsewhere:
                    counts[value.target[:2]] = counts.get(value.target[:2], 0) + 1
        self.problems += [inlined(self.graph, collection, count) for collection, count in counts.items()]

    def _report_unrepresentable(self, key: TokenKey, text: str) -> None:
        found = "".join(dict.fromkeys(self._unrepresentable.findall(text)))
        if found:
            self.problems.append(unrepresentable(self.graph, key, found, self.request.platform))


def _no_form(_: Literal) -> None:
    return None
