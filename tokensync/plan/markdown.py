"""Render plans as Markdown for a pull request: folded tables with a row for each change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.plan.review import (
    ALLOWED,
    HELD_BACK,
    UNSAFE,
    VERBS,
    allow_entry,
    in_words,
    remedy,
    request,
    requests,
    review,
)
from tokensync.system.outlet.markdown import (
    LARGEST,
    Block,
    code,
    document,
    fenced,
    group,
    header,
    number,
    plain,
    row,
    text,
    value,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tokensync.plan.plan import Finding, Plan
    from tokensync.plan.review import Entry, Section
    from tokensync.system.outlet.markdown import Markdown


_MOST = LARGEST // 20
"""More rows never fit: none is shorter."""
_MOST_MEMBERS = 24
"""The most members shown of a token, of which each mode is one."""
_EMPTY = text("")
_CLOSED = (_EMPTY, text("</details>"))


def markdown(*plans: Plan) -> Markdown:
    """Return the review of plans as Markdown that fits a comment; changes that do not fit are counted."""
    return document([block for plan in plans for block in blocks(plan)])


def blocks(plan: Plan) -> Iterator[Block]:
    """Yield the parts of the review of a plan."""
    found = review(plan, _MOST)
    yield Block((text("## Plan for {}", code(plan.file)), _EMPTY))
    yield Block((text("File {}: {}.", code(plan.key), plain(found.summary)),))
    if plan.rollback_of:
        yield _paragraph(text("It rolls back the apply that the receipt {} records.", code(plan.rollback_of)))
    if plan.token_files:
        yield _paragraph(text("It reverts the edit in the token files, too."))
    yield from _findings(plan)
    for section in found.sections:
        yield _section(section)
    yield from _folded_list(HELD_BACK, plan.held_back)
    yield from _folded_list("Notes", plan.notes)
    if plan.operations:
        yield _paragraph(plain(requests(plan)))
        if len(plan.batches) > 1:
            rows = (text("{}. {}", number(at), plain(request(each))) for at, each in enumerate(plan.batches, 1))
            yield Block((_EMPTY,), tuple(rows))
    yield Block((_EMPTY,))


def _paragraph(content: Markdown) -> Block:
    return Block((_EMPTY, content))


def _section(section: Section) -> Block:
    counts = in_words(section.counts)
    title = text("<b>{}</b>: {}" if counts else "<b>{}</b>", plain(section.handle), plain(counts))
    rows = tuple(_row(each) for each in (*section.own, *section.tokens))
    head = (_EMPTY, *_opened(title), *header("", "token", "what", "now", "then"))
    more = section.own_count + sum(section.counts.values()) - len(rows)
    return Block(head, rows, tail=_CLOSED, more=more)


def _row(entry: Entry) -> Markdown:
    """Return a row with the entry's remark, if any, and a row for each changed member."""
    name = code(entry.name)
    rows = [
        (plain(each.what), value(each.before or ""), value(each.after or "")) for each in entry.rows[:_MOST_MEMBERS]
    ]
    if entry.remark or not rows:
        rows.insert(0, (plain(entry.remark), _EMPTY, _EMPTY))
    if len(entry.rows) > _MOST_MEMBERS:
        rows.append((text("… and {} more", number(len(entry.rows) - _MOST_MEMBERS)), _EMPTY, _EMPTY))
    first, *others = rows
    return group((row(plain(VERBS[entry.sign]), name, *first), *(row(_EMPTY, _EMPTY, *each) for each in others)))


def _findings(plan: Plan) -> Iterator[Block]:
    if plan.unsafe:
        yield Block((_EMPTY, text("> [!WARNING]"), text("> {}.", plain(UNSAFE)), _EMPTY))
        yield _findings_table(plan.unsafe)
        entries = tuple(group(map(fenced, allow_entry(each))) for each in plan.unsafe[:_MOST])
        head = (_EMPTY, *_opened(plain(remedy(plan.unsafe))), text("```toml"))
        yield Block(head, entries, (text("```"),), _CLOSED, len(plan.unsafe) - len(entries))
    allowed = tuple(each for each in plan.findings if each.allowed)
    if allowed:
        yield Block((_EMPTY, text("{}:", plain(ALLOWED)), _EMPTY))
        yield _findings_table(allowed)


def _findings_table(findings: Sequence[Finding]) -> Block:
    rows = tuple(row(plain(each.kind), code(each.subject), plain(each.what)) for each in findings[:_MOST])
    return Block(header("finding", "concerns", "what"), rows, more=len(findings) - len(rows))


def _folded_list(heading: str, items: Sequence[str]) -> Iterator[Block]:
    if items:
        rows = tuple(text("- {}", plain(each)) for each in items[:_MOST])
        head = (_EMPTY, *_opened(text("{} ({})", plain(heading), number(len(items)))))
        yield Block(head, rows, tail=_CLOSED, more=len(items) - len(rows))


def _opened(summary: Markdown) -> tuple[Markdown, Markdown]:
    return text("<details><summary>{}</summary>", summary), _EMPTY
