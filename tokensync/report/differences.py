"""Render the differences between two states of a file as text, Markdown and an HTML page."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from tokensync.naming import readable, rendered_bytes
from tokensync.outlet import documents
from tokensync.report.contexts import ChangeRow, DifferenceRow
from tokensync.tokens import Color, hexadecimal
from tokensync.tokens.values import float32
from tokensync.wording import shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tokensync.outlet.documents import Html
    from tokensync.outlet.markdown import Markdown
    from tokensync.outlet.message import Lead, Message

Kind = Literal["new", "gone", "changed"]

_MAX_LENGTH = 120
"""Characters of a value."""
_MOST_ROWS = 4_000
"""More differences never fit into a comment or a commit message."""
_MOST_MEMBERS = 24
"""The most changed members shown of a token or collection, of which each mode is one."""
_STEPS = re.compile(r"root(?:\[[^]]*\])+")
_STEP = re.compile(r"\['?([^]]*?)'?\]")
SIGNS: dict[Kind, str] = {"new": "+", "gone": "-", "changed": "~"}
LEADS: dict[Kind, Lead] = {"new": "+ ", "gone": "- ", "changed": "~ "}
VERBS: dict[Kind, str] = {"new": "added", "gone": "removed", "changed": "changed"}


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


def markdown(differences: Sequence[Difference], first: str, second: str) -> Markdown:
    """Return a table for a pull request, cut at whole rows where a comment would be too long."""
    from tokensync.outlet.markdown import Block, code, document, header, text

    head = (text("## From {} to {}", code(first), code(second)), text(""))
    if not differences:
        return document([Block((*head, text("No differences.")))])
    rows = tuple(map(_row, differences[:_MOST_ROWS]))
    table = Block((*head, *header("", "token", "member", "change")), rows, more=len(differences) - len(rows))
    return document([table])


def _row(difference: Difference) -> Markdown:
    from tokensync.outlet.markdown import code, group, number, plain, row, text

    empty = text("")
    changes = difference.changes if difference.kind == "changed" else ()
    cells = [(plain(change.member), code(in_words(change))) for change in changes[:_MOST_MEMBERS]] or [(empty, empty)]
    if len(changes) > _MOST_MEMBERS:
        cells.append((text("… and {} more", number(len(changes) - _MOST_MEMBERS)), empty))
    first, *others = cells
    rows = (
        row(plain(difference.kind), code(difference.subject), *first),
        *(row(empty, empty, *each) for each in others),
    )
    return group(rows)


def message(differences: Sequence[Difference]) -> Message:
    """Return the message of a commit that makes these changes."""
    from tokensync.outlet.message import message

    kinds = [each.kind for each in differences]
    counts = ", ".join(f"{kinds.count(kind):,} {VERBS[kind]}" for kind in SIGNS if kind in kinds)
    changes = [_in_message(each) for each in differences[:_MOST_ROWS]]
    return message(counts or "no changes", changes, len(differences) - len(changes))


def _in_message(difference: Difference) -> list[tuple[Lead, str]]:
    changes = difference.changes if difference.kind == "changed" else ()
    lines: list[tuple[Lead, str]] = [(LEADS[difference.kind], readable(difference.subject))]
    lines += (("  * ", f"{readable(each.member)}: {in_words(each)}") for each in changes[:_MOST_MEMBERS])
    if len(changes) > _MOST_MEMBERS:
        lines.append(("  * ", f"… and {len(changes) - _MOST_MEMBERS:,} more"))
    return lines


def page(differences: Sequence[Difference], first: str, second: str) -> Html:
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
    context = {"first": readable(first), "second": readable(second), "rows": rows}
    return documents.page(rendered_bytes("report/differences.html.j2", None, **context))


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
