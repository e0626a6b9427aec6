"""Render a plan as Markdown for a pull request: folded tables, with every name escaped for its cell."""

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
"""The most tokens shown of a collection. A comment on a pull request holds 65,536 characters."""

_LARGEST = 60_000  # characters, which leaves room for text that a workflow adds
_MEANING = re.compile(r"[&<>`*_\[\]~|\\#@$!]|^[-+=]|^\d(?=\d*[.)])|:(?=\S)|(?<=[wW])\.")
"""Characters that can begin markup, a mention, a list or a bare link."""


def markdown(plan: Plan) -> str:
    """Return the review of a plan as Markdown that fits a comment; tokens that do not fit are counted."""
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
        yield f"It rolls back the apply that the receipt {code(plan.rollback_of)} records."
    yield from _findings(plan, most)
    for section in found.sections:
        yield from _section(section)
    yield from _folded_list(HELD_BACK, plan.held_back, most)
    yield from _folded_list("Notes", plan.notes, most)
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
    if section.omitted:
        yield ""
        yield f"... and {section.omitted}."
    yield from _CLOSED


def _rows(entry: Entry) -> Iterator[tuple[str, ...]]:
    """Yield a row with the entry's remark, if any, then one row for each changed member."""
    name = code(entry.name) if entry.name else ""
    rows = [(row.what, cell(row.before), cell(row.after)) for row in entry.rows]
    if entry.remark or not rows:
        rows.insert(0, (plain(entry.remark), "", ""))
    yield (VERBS[entry.sign], name, *rows[0])
    yield from (("", "", *row) for row in rows[1:])


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


def _opened(summary: str) -> tuple[str, str]:
    return f"<details><summary>{summary}</summary>", ""


_CLOSED = ("", "</details>")


def _table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    for number, row in enumerate(rows):
        if number == 0:
            yield f"| {' | '.join(header)} |"
            yield f"|{' --- |' * len(header)}"
        yield f"| {' | '.join(row)} |"


def cell(text: str | None) -> str:
    """Return a value for a table's cell."""
    return "" if text is None else code(text)


def code(text: str) -> str:
    """Return a text as inline code that no Markdown, HTML or mention in it can break out of.

    A code span cannot hold an escape, so a text with a back-tick, a table's bar or a command of a CI runner is
    written with entities.
    """
    shown = readable(text)
    if not shown:
        return ""
    if "`" not in shown and "|" not in shown and shown == shown.strip() == broken(shown):
        return f"`{shown}`"
    return f"<code>{_escaped(shown)}</code>"


def plain(text: str) -> str:
    """Return a text on one line, with every character escaped that Markdown or HTML would interpret."""
    return _escaped("".join(each if each.isprintable() else f"\\u{ord(each):04x}" for each in text))


def _escaped(text: str) -> str:
    return _MEANING.sub(lambda match: f"&#{ord(match[0])};", text)
