"""Render the differences between two states of a file as text, Markdown and an HTML page."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from tokensync.naming import readable, rendered_bytes
from tokensync.report.contexts import ChangeRow, DifferenceRow
from tokensync.tokens import Color, hexadecimal
from tokensync.tokens.values import float32
from tokensync.wording import shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Kind = Literal["new", "gone", "changed"]

_MAX_LENGTH = 120
"""Characters of a value."""
_STEPS = re.compile(r"root(?:\[[^]]*\])+")
_STEP = re.compile(r"\['?([^]]*?)'?\]")
SIGNS: dict[Kind, str] = {"new": "+", "gone": "-", "changed": "~"}


class Change(NamedTuple):
    """A member of a token or collection with its old and new JSON values; None where it is absent."""

    member: str
    before: Any
    after: Any


class Difference(NamedTuple):
    """A token, or a collection (``token`` is empty), that is new, gone or changed, with its members."""

    file: str
    collection: str
    token: str
    kind: Kind
    changes: tuple[Change, ...]

    @property
    def subject(self) -> str:
        """Return ``theme / text/muted``."""
        return " / ".join(each for each in (self.collection, self.token) if each)


def lines(differences: Sequence[Difference], *, everything: bool = False) -> Iterator[str]:
    """Yield one line per difference and one per change; the members of new and gone tokens only with ``everything``."""
    for difference in differences:
        yield f"{SIGNS[difference.kind]} {readable(difference.subject)}"
        if difference.kind == "changed" or everything:
            for change in difference.changes:
                yield f"    {readable(change.member)}: {readable(in_words(change))}"


def markdown(differences: Sequence[Difference], first: str, second: str) -> str:
    """Return a table for a pull request; names cannot break out of their cells."""
    from tokensync.plan.markdown import code, plain

    rows = [f"## From {code(first)} to {code(second)}", ""]
    if not differences:
        return "\n".join((*rows, "No differences.", ""))
    rows += ["|  | token | member | change |", "| --- | --- | --- | --- |"]
    for each in differences:
        changes = each.changes if each.kind == "changed" else ()
        cells = [(plain(change.member), code(in_words(change))) for change in changes] or [("", "")]
        for number, (member, change) in enumerate(cells):
            kind, subject = ("", "") if number else (each.kind, code(each.subject))
            rows.append(f"| {kind} | {subject} | {member} | {change} |")
    return "\n".join((*rows, ""))


def page(differences: Sequence[Difference], first: str, second: str) -> bytes:
    """Return an HTML page without scripts or external resources."""
    rows = [
        DifferenceRow(
            each.kind,
            readable(each.subject),
            [
                ChangeRow(
                    readable(change.member), readable(in_words(change)), _swatch(change.before), _swatch(change.after)
                )
                for change in each.changes
            ],
        )
        for each in differences
    ]
    return rendered_bytes("report/differences.html.j2", None, first=readable(first), second=readable(second), rows=rows)


def in_words(change: Change) -> str:
    """Return ``#112233 -> #334455``; for lists and objects, only the parts that differ, by deepdiff."""
    before, after = change.before, change.after
    if before is None or after is None:
        return f"added: {_shown(after)}" if before is None else f"removed: {_shown(before)}"
    if _is_plain(before) or _is_plain(after):
        return f"{_shown(before)} -> {_shown(after)}"
    if change.member == "scopes":
        parts = (("removed", sorted({*before} - {*after})), ("added", sorted({*after} - {*before})))
        return ", ".join(f"{verb} {scope}" for verb, scopes in parts for scope in scopes)
    from deepdiff import DeepDiff

    diff = DeepDiff(_parsed(before), _parsed(after), ignore_numeric_type_changes=True, verbose_level=2)
    sentences = (_STEPS.sub(_path, each).rstrip(".") for each in diff.pretty().splitlines())
    return shortened("; ".join(f"{each[:1].lower()}{each[1:]}" for each in sentences), _MAX_LENGTH)


def _path(steps: re.Match[str]) -> str:
    return ".".join(_STEP.findall(steps[0]))


def _is_plain(value: Any) -> bool:
    """Return whether a value is always shown whole: a scalar, a colour or a reference."""
    return not isinstance(value, list | dict) or _color(value) is not None or _reference(value) is not None


def _shown(value: Any) -> str:
    if (color := _color(value)) is not None:
        return hexadecimal(color)
    if (reference := _reference(value)) is not None:
        return reference
    return shortened(json.dumps(_parsed(value), ensure_ascii=False), _MAX_LENGTH)


def _parsed(value: Any) -> Any:
    """Return a composite's value parsed from its JSON text; any other value unchanged."""
    if isinstance(value, dict) and isinstance(value.get("composite"), str):
        try:
            return json.loads(value["composite"])
        except ValueError:
            return value
    return value


def _reference(value: Any) -> str | None:
    match value:
        case {"alias": [str(), str(handle), str(path)]}:
            return f"{{{handle}.{path}}}"
        case {"dangling": str(identity)}:
            return f"{{{identity}}}, which does not exist"
        case {"color": color, "opacity": opacity}:
            share = f"{opacity} %" if isinstance(opacity, int | float) else _shown(opacity)
            return f"{_shown(color)} at {share}"
    return None


def _color(value: Any) -> Color | None:
    if isinstance(value, list) and len(value) == 4 and all(type(each) in (int, float) for each in value):
        return Color(*(float32(each) for each in value))
    return None


def _swatch(value: Any) -> str:
    color = _color(value)
    return "" if color is None else hexadecimal(color)
