"""A plan as lines for a terminal: what a reviewer reads before a company's library is changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.naming import readable
from tokensync.outlet import shown
from tokensync.report.plans.review import (
    ALLOWED,
    HELD_BACK,
    REMEDY,
    UNSAFE,
    allow_entry,
    in_words,
    request,
    requests,
    review,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tokensync.plan.plan import Finding, Plan
    from tokensync.report.plans.review import Entry, Row, Section

SHOWN = 40
"""Tokens of a collection, findings, deletions that are held back: beyond, there is a count."""

_ROWS = 24
_ALL = "-v shows all"


class Line(NamedTuple):
    """A line of the review; ``sign`` is ``+``, ``~``, ``-``, ``!`` (unsafe), ``=`` (a heading) or empty."""

    sign: str
    text: str


def text_lines(plan: Plan, *, everything: bool = False) -> Iterator[Line]:
    """Yield the review of a plan, line by line; long lists are cut and counted unless ``everything`` is wanted.

    Names come from design files: what shows the lines has to make them safe for a terminal.
    """
    most = None if everything else SHOWN
    found = review(plan, most)
    yield Line("=", f"{plan.file} (file {plan.key})")
    yield Line("", f"  {found.summary}")
    if plan.rollback_of:
        yield Line("", f"  takes back what the receipt {readable(plan.rollback_of)} records")
    for section in found.sections:
        yield Line("", "")
        yield from _section(section, everything=everything)
    yield from _findings(plan, most)
    yield from _listed(HELD_BACK, plan.held_back, most)
    yield from _listed("Worth knowing", plan.notes, most)
    if plan.operations:
        yield Line("", "")
        yield Line("", requests(plan))
        if len(plan.batches) > 1:
            yield from (Line("", f"  {number}. {request(each)}") for number, each in enumerate(plan.batches, 1))


def _section(section: Section, *, everything: bool) -> Iterator[Line]:
    tokens = in_words(section.counts)
    yield Line("=", f"{section.handle}{f'  ({tokens})' if tokens else ''}")
    for entry in (*section.own, *section.tokens):
        name = f"{readable(entry.name)}  " if entry.name else ""
        remark = entry.remark or ("deleted" if entry.sign == "-" else "")
        yield Line(entry.sign, f"  {entry.sign} {name}{remark}".rstrip())
        yield from _rows(entry, everything=everything)
    if section.left_out:
        yield Line("", f"  ... and {section.left_out} ({_ALL})")


def _rows(entry: Entry, *, everything: bool) -> Iterator[Line]:
    rows = entry.rows if everything else entry.rows[:_ROWS]
    width = max((len(shown(each.what)) for each in rows), default=0)
    for row in rows:
        yield Line("", f"      {shown(row.what):{width}}  {_change(row)}")
    if len(rows) < len(entry.rows):
        yield Line("", f"      ... and {len(entry.rows) - len(rows)} more ({_ALL})")


def _change(row: Row) -> str:
    if row.before is None:
        return row.after or "none"
    return f"{row.before} -> {row.after or 'none'}"


def _findings(plan: Plan, most: int | None) -> Iterator[Line]:
    unsafe = plan.unsafe
    if unsafe:
        yield from (Line("", ""), Line("!", UNSAFE))
        yield from _each_finding(unsafe, most, "!")
        yield Line("", f"  {REMEDY}")
        for finding in unsafe[:most]:
            yield from (Line("", f"    {line}") for line in allow_entry(finding))
    allowed = tuple(each for each in plan.findings if each.allowed)
    if allowed:
        yield from (Line("", ""), Line("=", ALLOWED))
        yield from _each_finding(allowed, most, "")


def _each_finding(findings: Sequence[Finding], most: int | None, sign: str) -> Iterator[Line]:
    for each in findings[:most]:
        yield Line(sign, f"  {each.kind}: {readable(each.subject)}: {each.what}")
    if len(findings) > len(findings[:most]):
        yield Line(sign, f"  ... and {len(findings) - len(findings[:most])} more ({_ALL})")


def _listed(heading: str, lines: Sequence[str], most: int | None) -> Iterator[Line]:
    if lines:
        yield from (Line("", ""), Line("=", f"{heading} ({len(lines)})"))
        yield from (Line("", f"  {line}") for line in lines[:most])
        if len(lines) > len(lines[:most]):
            yield Line("", f"  ... and {len(lines) - len(lines[:most])} more ({_ALL})")
