"""Render the differences between two states of a file as text, Markdown and an HTML page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from msgspec import Struct

from tokensync.generate.naming import rendered_bytes
from tokensync.generate.naming.templates import Template, doc
from tokensync.plan.changes import (
    MOST_MEMBERS,
    color_of,
    difference_in_words,
    rows_of_texts,
    table_rows,
    worded,
    worded_pair,
)
from tokensync.system.outlet import documents, readable
from tokensync.system.outlet.markdown import Block, Markdown, code, document, header, plain, text, value
from tokensync.system.wording import counted
from tokensync.tokens import hexadecimal

if TYPE_CHECKING:
    from tokensync.plan.comparing import Change, Difference, Kind
    from tokensync.system.outlet.documents import Html, Lead, Message


class ChangeRow(NamedTuple):
    """One change of a token, a mode or a collection."""

    said: Annotated[str, doc("the value or member that changed", "in dark")]
    words: Annotated[str, doc("the change", "#112233 -> #334455")]
    before: Annotated[str, doc("the previous CSS colour, or empty", "#112233")]
    after: Annotated[str, doc("the new CSS colour, or empty", "#334455")]


class DifferenceRow(NamedTuple):
    """A token, mode or collection that is new, gone or changed."""

    kind: Annotated[str, doc("`new`, `gone` or `changed`", "changed")]
    verb: Annotated[str, doc("the same in words", "changed")]
    subject: Annotated[str, doc("the name", "theme / accent")]
    changes: Annotated[Sequence[ChangeRow], doc("the changes")]


class Differences(Struct, frozen=True):
    """Two states and their differences. The template escapes every text."""

    first: Annotated[str, doc("the name of the older side", "lock")]
    second: Annotated[str, doc("the name of the newer side", "tokens")]
    counts: Annotated[str, doc("the numbers of differences", "1 token added, 2 changed; 1 mode added")]
    rows: Annotated[Sequence[DifferenceRow], doc("the differences")]


TEMPLATE = Template("report/differences.html.j2", "report", "The page of `tokensync diff --format html`.", Differences)


_IN, _MODE, _EXTENSION = "in ", "mode ", "extension "
_FLAGS = {"hidden": "hidden from publishing", "deprecated": "deprecated"}
"""Members whose change is a phrase of its own."""
_MAX_SUBJECT = 50
"""Characters of the counts in the subject of a commit."""
_MOST_ROWS = 4_000
"""More differences never fit into a comment or a commit message."""
SIGNS: dict[Kind, str] = {"new": "+", "gone": "-", "changed": "~"}
LEADS: dict[Kind, Lead] = {"new": "+ ", "gone": "- ", "changed": "~ "}
VERBS: dict[Kind, str] = {"new": "added", "gone": "removed", "changed": "changed"}
NOUNS = ("token", "mode", "collection")


class Summary(NamedTuple):
    """A difference for people.

    ``below`` are the omitted tokens of a new or removed collection; of a changed one, tokens with only their values in
    its new and removed modes.
    """

    difference: Difference
    below: tuple[Difference, ...] = ()

    @property
    def subject(self) -> str:
        """Return ``theme / text/muted``, or ``theme (364 tokens)``."""
        name = self.difference.subject
        is_whole = self.below and self.difference.kind != "changed"
        return f"{name} ({counted(len(self.below), 'token')})" if is_whole else name

    @property
    def changes(self) -> tuple[Change, ...]:
        """Return the changes to list: those of a token or collection that is in both states."""
        return self.difference.changes if self.difference.kind == "changed" else ()

    @property
    def values(self) -> tuple[Change, ...]:
        """Return the values of a new or removed token in its modes."""
        if self.difference.kind == "changed" or not self.difference.token:
            return ()
        return tuple(change for change in self.difference.changes if change.member.startswith(_IN))


def summarized(differences: Sequence[Difference]) -> list[Summary]:
    """Return the differences without the tokens of new and removed collections, and without the values of such modes.

    The change of a mode has their number instead, as its member ``values``.
    """
    kept: list[Summary] = []
    owner: Difference | None = None
    modes: dict[tuple[str, Kind], int] = {}
    at = 0
    below: list[Difference] = []

    def finish() -> None:
        if owner is not None:
            kept[at] = Summary(_with_counts(owner, modes), tuple(below))

    for difference in differences:  # the tokens of a collection follow it
        if not difference.token:
            finish()
            owner, at, below = difference, len(kept), []
            changed_modes = (change for change in difference.changes if change.member.startswith(_MODE))
            modes = {
                (change.member.removeprefix(_MODE), kind): 0
                for change in changed_modes
                if (kind := _kind(change)) != "changed"
            }
            kept.append(Summary(difference))
        elif owner is None or owner[:2] != difference[:2] or (owner.kind == "changed" and difference.kind != "changed"):
            kept.append(Summary(difference))
        elif owner.kind != "changed":
            below.append(difference)
        else:
            changes, values = [], []
            for change in difference.changes:
                value = (change.member.removeprefix(_IN), _kind(change))
                if value in modes:
                    modes[value] += 1
                    values.append(change)
                else:
                    changes.append(change)
            if values:
                below.append(difference._replace(changes=tuple(values)))
            if changes:
                kept.append(Summary(difference._replace(changes=tuple(changes))))
    finish()
    return kept


def _kind(change: Change) -> Kind:
    return "new" if change.before is None else "gone" if change.after is None else "changed"


def _with_counts(difference: Difference, modes: Mapping[tuple[str, Kind], int]) -> Difference:
    """Return a changed collection with the number of values of new and removed modes."""
    if difference.kind != "changed":
        return difference
    changes = []
    for change in difference.changes:
        kind = _kind(change)
        if not (count := modes.get((change.member.removeprefix(_MODE), kind))):
            changes.append(change)
        elif kind == "new":
            changes.append(change._replace(after={**change.after, "values": count}))
        else:
            changes.append(change._replace(before={**change.before, "values": count}))
    return difference._replace(changes=tuple(changes))


def counts(differences: Sequence[Difference]) -> dict[str, dict[str, int]]:
    """Return how many tokens, modes and collections are added, removed and changed.

    The values of a new or removed mode are changes of the mode, and the modes of a new or removed collection are part
    of it. All that people read has these numbers, and a sign, verb or line for each.
    """
    found = {noun: dict.fromkeys(VERBS.values(), 0) for noun in NOUNS}
    for noun, verb, number in _effects(summarized(differences)):
        found[noun][verb if verb in found[noun] else VERBS["changed"]] += number
    return {f"{noun}s": numbers for noun, numbers in found.items()}


def in_counts(differences: Sequence[Difference]) -> str:
    """Return ``6 tokens added, 1 changed; 1 mode added``."""
    parts = []
    for noun, numbers in zip(NOUNS, counts(differences).values(), strict=True):
        if phrases := _phrases(noun, numbers):
            parts.append(", ".join(phrases))
    return "; ".join(parts) or "no differences"


def _phrases(noun: str, numbers: Mapping[str, int]) -> list[str]:
    """Return ``6 tokens added``, ``1 changed``: only the first names what is counted."""
    phrases: list[str] = []
    for verb, number in numbers.items():
        if number:
            phrases.append(f"{number:,} {verb}" if phrases else f"{counted(number, noun)} {verb}")
    return phrases


def lines(differences: Sequence[Difference], *, everything: bool = False) -> Iterator[str]:
    """Yield one line per difference and one per change.

    With ``everything``, also those of new and removed collections, modes and tokens.
    """
    for summary in summarized(differences):
        difference = summary.difference
        yield f"{SIGNS[difference.kind]} {readable(summary.subject)}"
        if difference.kind == "changed" or everything:
            yield from (f"    {line}" for line in _lines(difference))
        if not everything:
            continue
        for token in summary.below:
            if difference.kind == "changed":
                values = ((f"{token.token} {change.member}", change) for change in token.changes)
                yield from (f"    {readable(name)}: {readable(_whole(change))}" for name, change in values)
            else:
                yield f"{SIGNS[token.kind]} {readable(token.subject)}"
                yield from (f"    {line}" for line in _lines(token))


def _lines(difference: Difference) -> Iterator[str]:
    """Yield ``in dark: 1 -> 2`` or ``hidden from publishing`` for each change of a difference."""
    for change, words in _in_words(difference):
        yield readable(words if change.member in _FLAGS else f"{change.member}: {words}")


def _in_words(difference: Difference) -> Iterator[tuple[Change, str]]:
    """Yield the changes in words; of a new or removed object, its members without its name and without false flags."""
    for change in difference.changes:
        if difference.kind == "changed":
            yield change, in_words(change)
        elif change.member in _FLAGS:
            if change.before or change.after:
                yield change, _whole(change)
        elif change.member != "name" or difference.token not in (change.before, change.after):
            yield change, _whole(change)


Level = Literal["major", "minor", "patch", "none"]
_LEVELS: dict[Level, tuple[str, ...]] = {
    "major": ("removed", "renamed", "given another type"),
    "minor": ("added",),
    "patch": ("changed",),
}


class Advice(NamedTuple):
    """The part of a semantic version that a release with these differences increases, and the reasons for it."""

    level: Level
    reasons: str = ""

    def __str__(self) -> str:
        """Return ``major (1 token removed, 2 renamed; 1 mode removed)``."""
        return f"{self.level} ({self.reasons})" if self.reasons else self.level


def advice(differences: Sequence[Difference]) -> Advice:
    """Return the semantic version of differences: code that uses tokens breaks if they are removed, renamed or retyped.

    Removed and renamed modes and collections break code as tokens do. New code syntax is a new name.
    """
    totals: Counter[tuple[str, str]] = Counter()
    for noun, verb, number in _effects(summarized(differences)):
        totals[noun, verb] += number
    for level, verbs in _LEVELS.items():
        phrases = [_phrases(noun, {verb: totals[noun, verb] for verb in verbs}) for noun in NOUNS]
        if any(phrases):
            return Advice(level, "; ".join(", ".join(phrase) for phrase in phrases if phrase))
    return Advice("none")


def _effects(summaries: Sequence[Summary]) -> Iterator[tuple[str, str, int]]:
    """Yield what each difference does to how many tokens, modes or collections."""
    for summary in summaries:
        kind = summary.difference.kind
        noun = "token" if summary.difference.token else "collection"
        if kind != "changed":
            yield noun, VERBS[kind], 1
            yield "token", VERBS[kind], len(summary.below)
            continue
        members = set()
        for change in summary.changes:
            of_member = next((each for each in (_MODE, _EXTENSION) if change.member.startswith(each)), None)
            if of_member is None:
                members.add(change.member)
                continue
            is_renamed = _kind(change) == "changed" and change.before["name"] != change.after["name"]
            yield "mode" if of_member == _MODE else "collection", "renamed" if is_renamed else VERBS[_kind(change)], 1
        if not {"name", "code syntax"}.isdisjoint(members):
            yield noun, "renamed", 1
        elif members:
            yield noun, "given another type" if "type" in members else VERBS[kind], 1


class Wording(NamedTuple):
    """The words for each kind of difference, and a sentence instead of the counts and the advice on the version."""

    verbs: Mapping[Kind, str]
    counts: str = ""


_OF_STATES = Wording(VERBS)


def markdown(differences: Sequence[Difference], first: str, second: str, wording: Wording = _OF_STATES) -> Markdown:
    """Return a table for a pull request with advice on the version, cut at whole rows for a comment."""
    head = (text("## From {} to {}", code(first), code(second)), text(""))
    if not differences:
        return document([Block((*head, text("No differences.")))])
    return document([Block(head), *blocks(differences, wording)])


def blocks(differences: Sequence[Difference], wording: Wording = _OF_STATES) -> list[Block]:
    """Return the counts with the advice on the version, and the table of differences, as parts of a document."""
    summaries = summarized(differences)
    rows = tuple(_row(summary, wording.verbs) for summary in summaries[:_MOST_ROWS])
    number = text("{}.", plain(wording.counts or in_counts(differences)))
    version = (text("Semantic version: **{}**", plain(str(advice(differences)))), text(""))
    table = Block(header("", "token", "member", "change"), rows, more=len(summaries) - len(rows))
    return [Block((number, text(""), *(() if wording.counts else version))), table]


def _row(summary: Summary, verbs: Mapping[Kind, str]) -> Markdown:
    empty = text("")
    cells = [(plain(change.member), _cell(change)) for change in summary.changes]
    cells += [(plain(change.member), value(_whole(change))) for change in summary.values]
    return table_rows(verbs[summary.difference.kind], summary.subject, cells or [(empty, empty)])


def _cell(change: Change) -> Markdown:
    """Return a change as code. Each colour is code of its own: forges show a swatch beside it in pull requests."""
    if color_of(change.before) is None or color_of(change.after) is None:
        return code(in_words(change))
    return text("{} → {}", *map(value, worded_pair(change.before, change.after)))


def message(differences: Sequence[Difference]) -> Message:
    """Return the message of a commit that makes these changes, with as many counts as fit into its subject."""
    from tokensync.system.outlet.documents import message

    sentence = in_counts(differences) if differences else "no changes"
    subject = sentence
    while len(subject) > _MAX_SUBJECT:
        subject = subject[: max(subject.rfind(", "), subject.rfind("; "))]
    summaries = summarized(differences)
    changes = [_in_message(summary) for summary in summaries[:_MOST_ROWS]]
    return message(subject, changes, len(summaries) - len(changes), "" if subject == sentence else sentence)


def _in_message(summary: Summary) -> list[tuple[Lead, str]]:
    found = list(_lines(summary.difference)) if summary.difference.kind == "changed" else []
    lines: list[tuple[Lead, str]] = [(LEADS[summary.difference.kind], readable(summary.subject))]
    lines += (("  * ", each) for each in found[:MOST_MEMBERS])
    if len(found) > MOST_MEMBERS:
        lines.append(("  * ", f"… and {len(found) - MOST_MEMBERS:,} more"))
    return lines


def page(differences: Sequence[Difference], first: str, second: str, wording: Wording = _OF_STATES) -> Html:
    """Return an HTML page without scripts or external resources."""
    rows = [
        DifferenceRow(
            summary.difference.kind,
            wording.verbs[summary.difference.kind],
            readable(summary.subject),
            [
                ChangeRow(readable(change.member), readable(words), _swatch(change.before), _swatch(change.after))
                for change, words in _in_words(summary.difference)
            ],
        )
        for summary in summarized(differences)
    ]
    names = {"first": readable(first), "second": readable(second)}
    context = {**names, "counts": wording.counts or in_counts(differences), "rows": rows}
    return documents.page(rendered_bytes("report/differences.html.j2", None, **context))


def in_words(change: Change) -> str:
    """Return ``#112233 -> #334455``; for lists and objects, only the parts that differ."""
    before, after = change.before, change.after
    if (phrase := _FLAGS.get(change.member)) is not None:
        if isinstance(before, str) and isinstance(after, str):
            return f"{phrase}: {' -> '.join(worded_pair(before, after))}"
        return _whole(change) if after else f"no longer {phrase}"
    if before is None or after is None:
        return f"{'added' if before is None else 'removed'} {_whole(change)}"
    if change.member.startswith((_MODE, _EXTENSION)):
        return "; ".join(_of_members(before, after))
    if change.member == "scopes":
        changed = (("removed", sorted({*before} - {*after})), ("added", sorted({*after} - {*before})))
        return "; ".join(f"{verb} {', '.join(scopes)}" for verb, scopes in changed if scopes)
    if change.member == "code syntax":
        return "; ".join(f"{text.what} {text.words}" for text in rows_of_texts("", before, after))
    return difference_in_words(before, after)


def _whole(change: Change) -> str:
    """Return a member that only one state has, without a verb."""
    value = change.before if change.after is None else change.after
    if (phrase := _FLAGS.get(change.member)) is not None:
        return f"{phrase}: {worded(value)}" if isinstance(value, str) else phrase
    if change.member.startswith((_MODE, _EXTENSION)):
        name = worded(value["name"])
        values = f" ({counted(value['values'], 'value')})" if "values" in value else ""
        return ", ".join((f"{name}{values}", *_of_members({}, {**value, "name": None})))
    if change.member == "scopes":
        return ", ".join(value)
    if change.member == "code syntax":
        return ", ".join(f"{platform} {worded(text)}" for platform, text in value.items())
    return worded(value)


def _of_members(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    """Yield the changes of a mode or extension: ``"Dark" -> "Night"``, ``extends "theme"``, ``no longer hidden``."""
    for member in {**before, **after}:
        old, new = before.get(member), after.get(member)
        if old == new or member == "values":
            continue
        if member in _FLAGS:
            if old or new:
                yield _FLAGS[member] if new else f"no longer {_FLAGS[member]}"
        elif member == "name":
            yield " -> ".join(worded_pair(old, new)) if old and new else ""
        elif new is None:
            yield f"no longer {member} {worded(old)}"
        else:
            yield f"{member} {' -> '.join(worded_pair(old, new)) if old else worded(new)}"


def _swatch(value: Any) -> str:
    color = color_of(value)
    return "" if color is None else hexadecimal(color)
