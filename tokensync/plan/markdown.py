"""A plan as Markdown for a pull request: tables, the details folded; nothing in a name can break out of its cell."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tokensync.naming import readable
from tokensync.outlet import broken
from tokensync.plan.review import (
    ALLOWED,
    HELD_BACK,
    REMEDY,
    UNSAFE,
    VERBS,
    allow_entry,
    in_words,
    request,
    requests,
    review,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tokensync.plan.plan import Finding, Plan
    from tokensync.plan.review import Entry, Section


SHOWN = 200
"""Tokens of a collection: a comment on a pull request holds 65,536 characters at most, and nobody reads that many."""

_LARGEST = 60_000  # characters, with room for what a workflow puts around it
_MEANING = re.compile(r"[&<>`*_\[\]~|\\#@$!]|^[-+=]|^\d(?=\d*[.)])|:(?=\S)|(?<=[wW])\.")
"""Characters that can begin something: markup, a mention, a list, a link that is one without markup."""


def markdown(plan: Plan) -> str:
    """Return the review of a plan as Markdown that fits a comment: so many tokens as fit, and a count of the others."""
    most = SHOWN
    while True:
        text = "\n".join(_lines(plan, most)) + "\n"
        if len(text) <= _LARGEST or most == 0:
            return text
        most //= 2


def _lines(plan: Plan, most: int) -> Iterator[str]:
    found = review(plan, most)
    yield f"## Plan for {code(plan.file)}"
    yield ""
    yield f"File {code(plan.key)}: {found.summary}."
    if plan.rollback_of:
        yield ""
        yield f"It takes back what the receipt {code(plan.rollback_of)} records."
    yield from _findings(plan, most)
    for section in found.sections:
        yield from _section(section)
    yield from _folded_list(HELD_BACK, plan.held_back, most)
    yield from _folded_list("Worth knowing", plan.notes, most)
    if plan.operations:
        yield ""
        yield requests(plan)
        if len(plan.batches) > 1:
            yield ""
            yield from (f"{number}. {plain(request(each))}" for number, each in enumerate(plan.batches, 1))


def _section(section: Section) -> Iterator[str]:
    yield ""
    counts = in_words(section.counts)
    yield from _opened(f"<b>{plain(section.handle)}</b>{f': {counts}' if counts else ''}")
    yield from _table(("", "token", "what", "now", "then"), (row for each in section.own for row in _rows(each)))
    if section.own and section.tokens:
        yield ""
    yield from _table(("", "token", "what", "now", "then"), (row for each in section.tokens for row in _rows(each)))
    if section.left_out:
        yield ""
        yield f"... and {section.left_out}."
    yield from _CLOSED


def _rows(entry: Entry) -> Iterator[tuple[str, ...]]:
    """Yield the entry's own words in its first row, then one row for each thing that is said of it."""
    name = code(entry.name) if entry.name else ""
    rows = [(row.what, cell(row.before), cell(row.after)) for row in entry.rows]
    if entry.remark or not rows:
        rows.insert(0, (plain(entry.remark), "", ""))
    for number, row in enumerate(rows):
        yield (VERBS[entry.sign], name, *row) if number == 0 else ("", "", *row)


def _findings(plan: Plan, most: int) -> Iterator[str]:
    unsafe = plan.unsafe
    if unsafe:
        yield from ("", "> [!WARNING]", f"> {UNSAFE}.", "")
        yield from _findings_table(unsafe, most)
        yield ""
        yield from _opened(plain(REMEDY))
        yield "```toml"
        yield from (line for each in unsafe[:most] for line in allow_entry(each))
        yield "```"
        yield from _CLOSED
    allowed = tuple(each for each in plan.findings if each.allowed)
    if allowed:
        yield from ("", f"{ALLOWED}:", "")
        yield from _findings_table(allowed, most)


def _findings_table(findings: Sequence[Finding], most: int) -> Iterator[str]:
    rows = ((each.kind, code(each.subject), plain(each.what)) for each in findings[:most])
    yield from _table(("finding", "concerns", "what"), rows)
    if len(findings) > most:
        yield ""
        yield f"... and {len(findings) - most} more."


def _folded_list(heading: str, lines: Sequence[str], most: int) -> Iterator[str]:
    if lines:
        yield ""
        yield from _opened(f"{plain(heading)} ({len(lines)})")
        yield from (f"- {plain(line)}" for line in lines[:most])
        if len(lines) > most:
            yield f"- ... and {len(lines) - most} more"
        yield from _CLOSED


def _opened(summary: str) -> Iterator[str]:
    yield f"<details><summary>{summary}</summary>"
    yield ""


_CLOSED = ("", "</details>")


def _table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    empty = True
    for row in rows:
        if empty:
            yield f"| {' | '.join(header)} |"
            yield f"|{' --- |' * len(header)}"
            empty = False
        yield f"| {' | '.join(row)} |"


def cell(text: str | None) -> str:
    """Return a value for a table's cell."""
    return "" if text is None else code(text)


def code(text: str) -> str:
    """Return a text as code, which neither Markdown nor HTML nor a mention can get out of.

    A code span keeps all but its own marks, and cannot hold an escape: what has a back-tick, the bar of a table or a
    command of a CI runner is spelled in entities.
    """
    shown = readable(text)
    if not shown:
        return ""
    if "`" not in shown and "|" not in shown and shown == shown.strip() == broken(shown):
        return f"`{shown}`"
    return f"<code>{_spelled(shown)}</code>"


def plain(text: str) -> str:
    """Return a text in which no character means anything to Markdown or HTML, on one line."""
    return _spelled("".join(each if each.isprintable() else f"\\u{ord(each):04x}" for each in text))


def _spelled(text: str) -> str:
    return _MEANING.sub(lambda match: f"&#{ord(match[0])};", text)
