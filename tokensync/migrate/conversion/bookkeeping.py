"""Collect the outcomes of tokens and aliases during a conversion, and balance them in a ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.migrate.conversion.assignment import are_equal
from tokensync.migrate.conversion.ledger import Count, Ledger, Line
from tokensync.migrate.references import references_in
from tokensync.wording import listed, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tokensync.migrate.conversion.assignment import Assigned, Cell, Draft, Rejected
    from tokensync.migrate.conversion.ledger import Kind
    from tokensync.migrate.evaluation.themes import Replaced
    from tokensync.migrate.source import Source, SourceToken


class Aliases(NamedTuple):
    """How many references of a value are aliases and parts of composed colours, and why others are literals."""

    written: int = 0
    composed: int = 0
    reason: str = ""


_MODIFIED = "studio.tokens"
_BY_DEFAULT = "the value is computed from it"
_REPLACED = "other sets replace it in the themes that refer to it"


class Bookkeeping:
    """The outcomes of the definitions of a source. Definitions are known by identity: a name may occur often."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._used: set[int] = set()
        self._reasons: dict[int, str] = {}
        self._aliases: dict[tuple[int, str], Aliases] = {}
        self._lines: dict[int, list[Line]] = {}

    def reject(self, rejected: Iterable[Rejected]) -> None:
        """Record definitions that no collection gets."""
        for token, reason in rejected:
            self._reasons.setdefault(id(token), reason)

    def reject_draft(self, draft: Draft, reason: str) -> None:
        """Record that a draft does not become a token; ``reason`` is about its value."""
        what = f"its {draft.member}: {reason}" if draft.member else reason
        if draft.member:
            self.add("partly", draft, f"its member {draft.member} is not migrated: {reason}")
        for cell in (*draft.distinct, *draft.equal):
            for token in cell.theme.definitions(cell.path):
                self._reasons.setdefault(id(token), what)

    def accept(self, draft: Draft, aliases: Sequence[Aliases]) -> None:
        """Record that a draft becomes a token; ``aliases`` are those of each of its distinct cells."""
        pairs = [*zip(draft.distinct, aliases, strict=True)]
        pairs += [(each, next(found for cell, found in pairs if are_equal(cell, each))) for each in draft.equal]
        for cell, found in pairs:
            for token in cell.theme.definitions(cell.path):
                self._used.add(id(token))
            place = (id(cell.at), draft.member)
            before = self._aliases.get(place)
            if before is None or (found.written, found.composed) < (before.written, before.composed):
                self._aliases[place] = found
        for note in dict.fromkeys([note for cell in draft.distinct for note in cell.reading.notes]):
            self.add("changed", draft, note)

    def add(self, kind: Kind, draft: Draft, reason: str, cell: Cell | None = None) -> None:
        """Record something about a token, at its definition in the first mode or in a cell."""
        token = (cell or draft.cells[0]).at
        line = Line(kind, token.at, draft.path, reason)
        lines = self._lines.setdefault(id(token), [])
        if line not in lines:
            lines.append(line)

    def ledger(self, assigned: Assigned) -> Ledger:
        """Return the balanced ledger, with its lines in the order of the source."""
        replaced = _replacements((*assigned.definitions.repeated, *assigned.replaced))
        lines = [Line("unread", each.at, each.name, each.reason) for each in self._source.unread]
        outcomes: dict[int, list[Aliases]] = {}
        for (key, _), found in self._aliases.items():
            outcomes.setdefault(key, []).append(found)
        migrated = written = composed = flattened = reported = 0
        for _, token in self._source.tokens():
            key = id(token)
            if key in self._used:
                migrated += 1
                number = _number_of_references(token)
                here = _balanced(token, number, outcomes.get(key, ())) if number else _NONE
                written, composed, flattened = (
                    written + here.written,
                    composed + here.composed,
                    flattened + here.flattened,
                )
                if here.flattened:
                    lines.append(Line("flattened", token.at, token.path, here.reason))
            else:
                reported += _number_of_references(token)
                if (reason := self._reasons.get(key)) is not None:
                    lines.append(Line("reported", token.at, token.path, reason))
                else:
                    lines.append(Line("replaced", token.at, token.path, replaced.get(key, _REPLACED)))
            lines += self._lines.get(key, ())
        counts = Count(
            self._source.read,
            migrated,
            self._source.read - migrated,
            written + composed + flattened + reported,
            written,
            composed,
            flattened,
            reported,
        )
        return Ledger(counts, tuple(lines))


class _Balance(NamedTuple):
    written: int
    composed: int
    flattened: int
    reason: str


_NONE = _Balance(0, 0, 0, "")


def _balanced(token: SourceToken, number: int, outcomes: Sequence[Aliases]) -> _Balance:
    """Return the outcomes of the references of a definition; all that are neither written nor composed are flattened.

    ``number`` is that of the references, at least 1.
    ``outcomes`` are those of its value, or of each member of a composite.
    """
    if len(outcomes) == 1 and outcomes[0].written == number:
        return _Balance(number, 0, 0, "")
    written = min(sum(each.written for each in outcomes), number)
    composed = min(sum(each.composed for each in outcomes), number - written)
    rest = number - written - composed
    reasons = [*dict.fromkeys(each.reason for each in outcomes if each.reason)]
    if rest and not reasons and all(each.is_dollar for each in references_in(token.value)):
        rest = 0  # dollar signs in a text
    return _Balance(written, composed, rest, "; ".join(reasons) or _BY_DEFAULT)


def _replacements(replaced: Iterable[Replaced]) -> dict[int, str]:
    """Return why a definition has no effect, by its identity."""
    reasons: dict[int, list[str]] = {}
    for each in replaced:
        where = f"the set {quoted(each.by_set)} replaces it" if each.set != each.by_set else "it is defined again"
        text = f"{where} ({each.by.at})"
        found = reasons.setdefault(id(each.token), [])
        if text not in found:
            found.append(text)
    return {key: listed(texts) for key, texts in reasons.items()}


def _number_of_references(token: SourceToken) -> int:
    if token.is_text:
        return 0
    value = token.value
    is_plain = isinstance(value, str) and "{" not in value and "$" not in value
    own = 0 if is_plain else sum(1 for _ in references_in(value))
    studio = token.extensions.get(_MODIFIED) if token.extensions else None
    modified = studio.get("modify") if isinstance(studio, dict) else None
    return own if modified is None else own + sum(1 for _ in references_in(modified))
