"""The ledger of a migration: the outcome of every token that was read, and of every alias in it.

Tokens read are tokens migrated and tokens reported. Aliases read are aliases written, composed with an opacity,
flattened to literals, and those of reported tokens. Every line has a file, a line and a reason.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from msgspec import Struct

from tokensync.migrate.conversion.assignment import Assigned, Cell, Draft, Rejected, are_equal
from tokensync.migrate.evaluation.token_value import PlainReference
from tokensync.migrate.evaluation.values import OtherValue
from tokensync.migrate.source import PARTS_OF_COLOR, Location, Reference, Source, SourceToken, pieces, references_in
from tokensync.system.problems import Problem, problem
from tokensync.system.wording import OMITTED, listed, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tokensync.migrate.evaluation.themes import Replaced

Kind = Literal[
    "reported", "replaced", "unread", "partly", "flattened", "lowered", "files only", "renamed", "filled", "contested",
    "changed", "left", "edit kept", "edit contested",
]  # fmt: skip
"""``reported`` tokens are not migrated, and ``replaced`` ones are definitions that others replace in all themes.
``unread`` parts of files are no tokens, and ``partly`` lacks a member."""

_CODES: dict[Kind, tuple[str, str]] = {
    "reported": ("migrate-token-reported", "it is not migrated until you correct the file, or change the mapping"),
    "replaced": ("migrate-token-replaced", "nothing is lost unless a theme should use this definition"),
    "partly": ("migrate-token-partly", "correct the file, or add the member by hand"),
    "unread": ("migrate-token-unread", "correct the file if it should have a token there"),
    "flattened": ("migrate-alias-flattened", "make it an alias by hand where that matters"),
    "lowered": ("migrate-token-lowered", "use its members as tokens"),
    "files only": (
        "migrate-token-files-only",
        "it is in the token files, from which code is generated, but not in Figma",
    ),
    "renamed": ("migrate-name-changed", "choose another name in [names] of the mapping if you prefer one"),
    "filled": ("migrate-value-filled", 'check the value, or set missing = "report" in the mapping'),
    "contested": ("migrate-token-contested", "change the mapping if another collection should have it"),
    "left": ("migrate-variable-left", "delete it in Figma when nothing uses it"),
    "changed": ("migrate-value-changed", "check the value"),
    "edit kept": ("migrate-edit-kept", "the edit stays; --overwrite writes the value of the source"),
    "edit contested": (
        "migrate-edit-contested",
        "the edit stays; if the source is right, change the token file, or let --overwrite replace all edits",
    ),
}


class Line(NamedTuple):
    """A line of the ledger about a token, or about an alias in it.

    ``is_other_value`` means that code gets another value than the source has, in some mode at least.
    """

    kind: Kind
    at: Location
    name: str
    reason: str
    is_other_value: bool = False


class Count(Struct, frozen=True):
    """The numbers of tokens and aliases by outcome; ``aliases_reported`` are those of reported tokens.

    ``names`` is the number of names that code can use, whose tokens may have several definitions, and ``names_kept``
    that of those whose values outputs write as the source has them.
    """

    tokens_read: int
    tokens_migrated: int
    tokens_reported: int
    aliases_read: int
    aliases_written: int
    aliases_composed: int
    aliases_flattened: int
    aliases_reported: int
    names: int = 0
    names_kept: int = 0

    @property
    def is_balanced(self) -> bool:
        """Return whether everything that was read has an outcome."""
        aliases = self.aliases_written + self.aliases_composed + self.aliases_flattened + self.aliases_reported
        return self.tokens_read == self.tokens_migrated + self.tokens_reported and self.aliases_read == aliases


class Ledger(Struct, frozen=True):
    """The ledger: counts, and lines in the order of the source."""

    counts: Count
    lines: tuple[Line, ...]

    def of(self, *kinds: Kind) -> Iterator[Line]:
        """Return the lines of these kinds."""
        return (line for line in self.lines if line.kind in kinds)

    def problems(self) -> tuple[Problem, ...]:
        """Return the lines as problems. Those of one reason and file share a line unless all are shown."""
        return tuple(map(_problem, self.lines))


def _problem(line: Line) -> Problem:
    """Return a line as a problem, located by file, line and token."""
    code, to_do = _CODES[line.kind]
    where = f"{line.at} (#/{line.name[:200].replace('.', '/')})" if line.name else str(line.at)
    what, advice = line.reason, to_do
    if line.kind in (*_ADVISED, "changed"):
        known = next((each for pattern, each in _REMEDIES if pattern.search(line.reason)), None)
        before, _, after = line.reason.rpartition("; ") if line.kind in _ADVISED else ("", "", "")
        what, advice = (line.reason, known) if known else (before, after) if before else (what, advice)
    return problem(code, where, what, advice, brief=what if line.kind in _IN_FULL else _DETAIL.sub(_shortened, what))


_IN_FULL = ("edit kept", "edit contested")
"""The kinds of lines of which each says something else."""

_ADVISED = ("unread", "reported", "partly")
"""The kinds of lines whose reasons may end with advice of the reader, after a semicolon."""

_REMEDIES = tuple(
    (re.compile(pattern), remedy)
    for pattern, remedy in {
        "^it has no value in the modes? .* of ": 'add it, or set missing = "first" for the collection in the mapping',
        "^the mapping skips it": "remove it from skip in the mapping to migrate it",
        "^no theme and no collection of the mapping has its set": "add it to the sets of a collection in the mapping",
        "^the token files have no .* any more": "if it was renamed there, add the new name to [names] of the mapping; "
        "to have it again, use --overwrite",
        "looks like a colour, and cannot be read as one": 'correct it, or give it the type "string" in [types] of the '
        "mapping if it is a text",
        "^its values have different types": "give it one type in [types] of the mapping",
        "variables cannot hold [^;]*;": "correct the file, or keep it in code",
        "variables cannot hold|depends on where it is used": "keep it in code",
    }.items()
)
"""The remedies for reasons that no change of the value helps, or only a certain one."""

_DETAIL = re.compile(
    r"\{[^{}]*\}|'[^']*[\d(){}#%][^']*'|#[0-9a-f]{3,8}\b|\b(?:color|oklch|oklab|lch|lab|hsl|hwb|rgb)a?\([^()]*\)"
    r"|(?<=fonts )[^;]+|[^\s():]+:\d+\b"
)
"""A token, a value or a place in a reason, without which reasons are equal."""


def _shortened(detail: re.Match[str]) -> str:
    """Return the place of a detail in the text that many lines share."""
    return {"{": f"{{{OMITTED}}}", "'": f"'{OMITTED}'"}.get(detail[0][0], OMITTED)


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
            for token in cell.theme.definitions(cell.path, cell.at):
                self._reasons.setdefault(id(token), what)

    def accept(self, draft: Draft, aliases: Sequence[Aliases]) -> None:
        """Record that a draft becomes a token; ``aliases`` are those of each of its distinct cells."""
        pairs = [*zip(draft.distinct, aliases, strict=True)]
        pairs += [(each, next(found for cell, found in pairs if are_equal(cell, each))) for each in draft.equal]
        for cell, found in pairs:
            for token in cell.theme.definitions(cell.path, cell.at):
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
        is_other_value = kind in ("partly", "contested") or isinstance(reason, OtherValue)
        line = Line(kind, token.at, draft.path, str(reason), is_other_value)
        lines = self._lines.setdefault(id(token), [])
        if line not in lines:
            lines.append(line)

    def ledger(self, assigned: Assigned) -> Ledger:
        """Return the balanced ledger, with its lines in the order of the source."""
        repeated = (*assigned.definitions.repeated, *assigned.replaced)
        replaced = _replacements(repeated)
        lines = [Line("unread", unread.at, unread.name, unread.reason) for unread in self._source.unread]
        outcomes: dict[int, list[Aliases]] = {}
        for (key, _), found in self._aliases.items():
            outcomes.setdefault(key, []).append(found)
        migrated = written = composed = flattened = reported = 0
        kept = set[str]()
        changed = set[str]()
        equal = {id(replaced.token): replaced.by for replaced in repeated if replaced.token.value == replaced.by.value}
        for _, token in self._source.tokens():
            key = self._repeating(token, equal)
            if key in self._used:
                migrated += 1
                kept.add(_in_code(token.path))
                if PARTS_OF_COLOR in token.extensions or any(
                    line.is_other_value for line in self._lines.get(id(token), ())
                ):
                    changed.add(_in_code(token.path))
                is_plain = type(assigned.definitions.reading_of(token)) is PlainReference
                number = 1 if is_plain else _number_of_references(token)
                here = _balanced(token, number, outcomes.get(key, ())) if number else _NONE
                written += here.written
                composed += here.composed
                flattened += here.flattened
                if here.flattened and key == id(token):
                    lines.append(Line("flattened", token.at, token.path, here.reason))
            else:
                reported += _number_of_references(token)
                if (reason := self._reasons.get(key)) is not None:
                    lines.append(Line("reported", token.at, token.path, reason))
                else:
                    lines.append(Line("replaced", token.at, token.path, replaced.get(key, _REPLACED)))
            lines += self._lines.get(id(token), ())
        counts = Count(
            self._source.read,
            migrated,
            self._source.read - migrated,
            written + composed + flattened + reported,
            written,
            composed,
            flattened,
            reported,
            len({_in_code(name) for name in self._names()}),
            len(kept - changed),
        )
        return Ledger(counts, tuple(lines))

    def _repeating(self, token: SourceToken, equal: Mapping[int, SourceToken]) -> int:
        """Return the identity of the definition whose outcome a token has: its own, or that of one that repeats it."""
        seen: set[int] = set()  # two sets may replace each other in different themes
        key = id(token)
        while key not in self._used and key not in seen and key in equal:
            seen.add(key)
            key = id(equal[key])
        return key

    def _names(self) -> Iterator[str]:
        """Yield the path of each definition, also of those that were not read."""
        yield from (token.path for _, token in self._source.tokens())
        yield from (unread.name for unread in self._source.unread if unread.is_token)


def _in_code(name: str) -> str:
    """Return a name as code joins its words."""
    return _BETWEEN_WORDS.sub("-", name).strip("-")


_BETWEEN_WORDS = re.compile(r"[\W_]+")


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
    written = min(sum(outcome.written for outcome in outcomes), number)
    composed = min(sum(outcome.composed for outcome in outcomes), number - written)
    rest = number - written - composed
    reasons = [*dict.fromkeys(outcome.reason for outcome in outcomes if outcome.reason)]
    if rest and not reasons and all(reference.is_dollar for reference in references_in(token.value)):
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
    if type(value) is str:
        own = len([piece for piece in pieces(value) if type(piece) is Reference]) if "{" in value or "$" in value else 0
    else:
        own = sum(1 for _ in references_in(value))
    studio = token.extensions.get(_MODIFIED) if token.extensions else None
    modified = studio.get("modify") if isinstance(studio, dict) else None
    return own if modified is None else own + sum(1 for _ in references_in(modified))
