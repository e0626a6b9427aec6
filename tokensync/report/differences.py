"""What differs between two states of a file, for people: lines for a terminal, Markdown, and one page of HTML."""

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

_LONGEST = 120  # characters of a value
_STEPS = re.compile(r"root(?:\[[^]]*\])+")
_STEP = re.compile(r"\['?([^]]*?)'?\]")
SIGNS: dict[Kind, str] = {"new": "+", "gone": "-", "changed": "~"}


class Change(NamedTuple):
    """Something that is said of a token or collection, before and after, as JSON values; None where nothing is said."""

    said: str
    before: Any
    after: Any


class Difference(NamedTuple):
    """A token, or a collection (``token`` is empty), that is new, gone or changed, with all that is said of it."""

    file: str
    collection: str
    token: str
    kind: Kind
    changes: tuple[Change, ...]

    @property
    def subject(self) -> str:
        """``theme / text/muted``."""
        return " / ".join(each for each in (self.collection, self.token) if each)


def lines(differences: Sequence[Difference], *, everything: bool = False) -> Iterator[str]:
    """Yield a line a difference, and one for each change; what is said of new and gone things only when
    ``everything``.
    """
    for each in differences:
        yield f"{SIGNS[each.kind]} {readable(each.subject)}"
        if each.kind == "changed" or everything:
            yield from (f"    {readable(change.said)}: {readable(in_words(change))}" for change in each.changes)


def markdown(differences: Sequence[Difference], first: str, second: str) -> str:
    """Return a table for a pull request; nothing in a name can break out of its cell."""
    from tokensync.plan.markdown import code, plain

    rows = [f"## From {code(first)} to {code(second)}", ""]
    if not differences:
        return "\n".join((*rows, "No differences.", ""))
    rows += ["|  | token | what | how it differs |", "| --- | --- | --- | --- |"]
    for each in differences:
        said = each.changes if each.kind == "changed" else ()
        told = [(plain(change.said), code(in_words(change))) for change in said] or [("", "")]
        for number, (what, how) in enumerate(told):
            rows.append(
                f"| {each.kind if not number else ''} | {code(each.subject) if not number else ''} | {what} | {how} |"
            )
    return "\n".join((*rows, ""))


def page(differences: Sequence[Difference], first: str, second: str) -> bytes:
    """One HTML page, without scripts and with nothing fetched."""
    rows = [
        DifferenceRow(
            each.kind,
            readable(each.subject),
            [
                ChangeRow(
                    readable(change.said), readable(in_words(change)), _swatch(change.before), _swatch(change.after)
                )
                for change in each.changes
            ],
        )
        for each in differences
    ]
    return rendered_bytes("report/differences.html.j2", None, first=readable(first), second=readable(second), rows=rows)


def in_words(change: Change) -> str:
    """``#112233 -> #334455``; of lists and objects only what differs in them, by deepdiff, which sees nothing else."""
    before, after = change.before, change.after
    if before is None or after is None:
        return f"{'added' if before is None else 'taken away'}: {_shown(after if before is None else before)}"
    if _is_plain(before) or _is_plain(after):
        return f"{_shown(before)} -> {_shown(after)}"
    if change.said == "scopes":
        told = (("no more", sorted({*before} - {*after})), ("now", sorted({*after} - {*before})))
        return ", ".join(f"{word} {each}" for word, scopes in told for each in scopes)
    from deepdiff import DeepDiff

    found = DeepDiff(_opened(before), _opened(after), ignore_numeric_type_changes=True, verbose_level=2)
    sentences = (_STEPS.sub(_path, each).rstrip(".") for each in found.pretty().splitlines())
    return shortened("; ".join(f"{each[:1].lower()}{each[1:]}" for each in sentences), _LONGEST)


def _path(steps: re.Match[str]) -> str:
    return ".".join(_STEP.findall(steps[0]))


def _is_plain(value: Any) -> bool:
    """Return whether a value is shown whole: a scalar, a colour, or a reference."""
    return not isinstance(value, list | dict) or _color(value) is not None or _reference(value) is not None


def _shown(value: Any) -> str:
    if (color := _color(value)) is not None:
        return hexadecimal(color)
    if (reference := _reference(value)) is not None:
        return reference
    return shortened(json.dumps(_opened(value), ensure_ascii=False), _LONGEST)


def _opened(value: Any) -> Any:
    """Return a composite's JSON text as what it holds."""
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
