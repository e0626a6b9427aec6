"""Render the differences between two states of a file as text, Markdown and an HTML page."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from msgspec import Struct

from tokensync.naming import readable, rendered_bytes
from tokensync.naming.templates import Template, doc
from tokensync.outlet import documents
from tokensync.tokens import Color, hexadecimal
from tokensync.tokens.values import exact_channels, float32
from tokensync.wording import counted, shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tokensync.outlet.documents import Html
    from tokensync.outlet.markdown import Block, Markdown
    from tokensync.outlet.message import Lead, Message
    from tokensync.plan.comparing import Change, Difference, Kind


class ChangeRow(NamedTuple):
    """One change of a token, a mode or a collection."""

    said: Annotated[str, doc("the value or member that changed", "in dark")]
    words: Annotated[str, doc("the change", "#112233 -> #334455")]
    before: Annotated[str, doc("the previous CSS colour, or empty", "#112233")]
    after: Annotated[str, doc("the new CSS colour, or empty", "#334455")]


class DifferenceRow(NamedTuple):
    """A token, mode or collection that is new, gone or changed."""

    kind: Annotated[str, doc("`new`, `gone` or `changed`", "changed")]
    subject: Annotated[str, doc("the name", "theme / accent")]
    changes: Annotated[Sequence[ChangeRow], doc("the changes")]


class Differences(Struct, frozen=True):
    """Two states and their differences. The template escapes every text."""

    first: Annotated[str, doc("the name of the older side", "lock")]
    second: Annotated[str, doc("the name of the newer side", "tokens")]
    rows: Annotated[Sequence[DifferenceRow], doc("the differences")]


TEMPLATE = Template("report/differences.html.j2", "report", "The page of `tokensync diff --format html`.", Differences)


_MODE = "mode "
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


class Summary(NamedTuple):
    """A difference for people. ``tokens`` is the number of omitted tokens of a new or removed collection."""

    difference: Difference
    tokens: int = 0

    @property
    def subject(self) -> str:
        """Return ``theme / text/muted``, or ``theme (364 tokens)``."""
        name = self.difference.subject
        return f"{name} ({counted(self.tokens, 'token')})" if self.tokens else name

    @property
    def changes(self) -> tuple[Change, ...]:
        """Return the changes to list: those of a token or collection that is in both states."""
        return self.difference.changes if self.difference.kind == "changed" else ()


def summarized(differences: Sequence[Difference]) -> list[Summary]:
    """Return the differences without the tokens of new and removed collections, and without the values of such modes.

    The change of a mode has their number instead, as its member ``values``.
    """
    modes: dict[tuple[str, str, str, Kind], int] = {}
    kept: list[Summary] = []
    whole: Summary | None = None
    for each in differences:  # the tokens of a collection follow it
        if not each.token:
            kept.append(Summary(each))
            whole = kept[-1] if each.kind != "changed" else None
            for change in each.changes:
                if change.member.startswith(_MODE) and (kind := _kind(change)) != "changed":
                    modes[each.file, each.collection, change.member.removeprefix(_MODE), kind] = 0
        elif whole is not None and whole.difference[:2] == each[:2]:
            whole = kept[-1] = whole._replace(tokens=whole.tokens + 1)
        elif each.kind != "changed":
            kept.append(Summary(each))
        else:
            changes = []
            for change in each.changes:
                value = (each.file, each.collection, change.member.removeprefix("in "), _kind(change))
                if value in modes:
                    modes[value] += 1
                else:
                    changes.append(change)
            if changes:
                kept.append(Summary(each._replace(changes=tuple(changes))))
    return [_with_counts(each, modes) for each in kept]


def _kind(change: Change) -> Kind:
    return "new" if change.before is None else "gone" if change.after is None else "changed"


def _with_counts(summary: Summary, modes: Mapping[tuple[str, str, str, Kind], int]) -> Summary:
    """Return a changed collection with the number of values of new and removed modes; another summary unchanged."""
    difference = summary.difference
    if difference.token or difference.kind != "changed":
        return summary
    changes = []
    for each in difference.changes:
        kind = _kind(each)
        count = modes.get((difference.file, difference.collection, each.member.removeprefix(_MODE), kind))
        if not count:
            changes.append(each)
        elif kind == "new":
            changes.append(each._replace(after={**each.after, "values": count}))
        else:
            changes.append(each._replace(before={**each.before, "values": count}))
    return Summary(difference._replace(changes=tuple(changes)))


def lines(differences: Sequence[Difference], *, everything: bool = False) -> Iterator[str]:
    """Yield one line per difference and one per change.

    With ``everything``, also those of new and removed collections, modes and tokens.
    """
    for each in map(Summary, differences) if everything else summarized(differences):
        yield f"{SIGNS[each.difference.kind]} {readable(each.subject)}"
        for change in each.difference.changes if everything else each.changes:
            yield f"    {readable(change.member)}: {readable(in_words(change))}"


Level = Literal["major", "minor", "patch", "none"]


class Advice(NamedTuple):
    """The part of a semantic version that a release with these differences increases, and the counts that decide it."""

    level: Level
    removed: int = 0
    renamed: int = 0
    retyped: int = 0
    added: int = 0
    changed: int = 0

    def __str__(self) -> str:
        """Return ``major (1 removed, 2 renamed)``."""
        counts = ", ".join(f"{count:,} {name}" for name, count in zip(self._fields[1:], self[1:], strict=True) if count)
        return f"{self.level} ({counts})" if counts else self.level


def advice(differences: Sequence[Difference]) -> Advice:
    """Return the semantic version of differences: code that uses tokens breaks if they are removed, renamed or retyped.

    Removed and renamed modes and collections break code as tokens do. New code syntax is a new name.
    """
    kinds = dict.fromkeys(Advice._fields[1:], 0)
    for each in map(Summary, differences):
        kinds[_effect(each)] += 1
    major = kinds["removed"] or kinds["renamed"] or kinds["retyped"]
    level: Level = "major" if major else "minor" if kinds["added"] else "patch" if kinds["changed"] else "none"
    return Advice(level, **kinds)


def _effect(summary: Summary) -> str:
    kind = summary.difference.kind
    if kind != "changed":
        return "removed" if kind == "gone" else "added"
    members = {each.member: each for each in summary.changes}
    if not {"name", "code syntax"}.isdisjoint(members):
        return "renamed"
    if "type" in members:
        return "retyped"
    modes = [_kind(each) for name, each in members.items() if name.startswith(_MODE)]
    if modes:
        return "removed" if "gone" in modes else "renamed" if "changed" in modes else "added"
    return "changed"


def markdown(differences: Sequence[Difference], first: str, second: str) -> Markdown:
    """Return a table for a pull request with advice on the version, cut at whole rows for a comment."""
    from tokensync.outlet.markdown import Block, code, document, text

    head = (text("## From {} to {}", code(first), code(second)), text(""))
    if not differences:
        return document([Block((*head, text("No differences.")))])
    return document([Block(head), *blocks(differences)])


def blocks(differences: Sequence[Difference]) -> list[Block]:
    """Return the advice on the version and the table of differences, as parts of a document."""
    from tokensync.outlet.markdown import Block, header, plain, text

    summaries = summarized(differences)
    rows = tuple(map(_row, summaries[:_MOST_ROWS]))
    version = text("Semantic version: **{}**", plain(str(advice(differences))))
    table = Block(header("", "token", "member", "change"), rows, more=len(summaries) - len(rows))
    return [Block((version, text(""))), table]


def _row(summary: Summary) -> Markdown:
    from tokensync.outlet.markdown import code, group, number, plain, row, text

    empty = text("")
    changes = summary.changes
    cells = [(plain(change.member), _cell(change)) for change in changes[:_MOST_MEMBERS]] or [(empty, empty)]
    if len(changes) > _MOST_MEMBERS:
        cells.append((text("… and {} more", number(len(changes) - _MOST_MEMBERS)), empty))
    first, *others = cells
    rows = (
        row(plain(summary.difference.kind), code(summary.subject), *first),
        *(row(empty, empty, *each) for each in others),
    )
    return group(rows)


def _cell(change: Change) -> Markdown:
    """Return a change as code. Each colour is code of its own: forges show a swatch beside it in pull requests."""
    from tokensync.outlet.markdown import code, text

    if _color(change.before) is None or _color(change.after) is None:
        return code(in_words(change))
    return text("{} → {}", *map(code, _shown_pair(change.before, change.after)))


def message(differences: Sequence[Difference]) -> Message:
    """Return the message of a commit that makes these changes."""
    from tokensync.outlet.message import message

    kinds = [each.kind for each in differences]
    counts = ", ".join(f"{kinds.count(kind):,} {VERBS[kind]}" for kind in SIGNS if kind in kinds)
    summaries = summarized(differences)
    changes = [_in_message(each) for each in summaries[:_MOST_ROWS]]
    return message(counts or "no changes", changes, len(summaries) - len(changes))


def _in_message(summary: Summary) -> list[tuple[Lead, str]]:
    changes = summary.changes
    lines: list[tuple[Lead, str]] = [(LEADS[summary.difference.kind], readable(summary.subject))]
    lines += (("  * ", f"{readable(each.member)}: {in_words(each)}") for each in changes[:_MOST_MEMBERS])
    if len(changes) > _MOST_MEMBERS:
        lines.append(("  * ", f"… and {len(changes) - _MOST_MEMBERS:,} more"))
    return lines


def page(differences: Sequence[Difference], first: str, second: str) -> Html:
    """Return an HTML page without scripts or external resources."""
    rows = [
        DifferenceRow(
            each.difference.kind,
            readable(each.subject),
            [
                ChangeRow(
                    readable(change.member), readable(in_words(change)), _swatch(change.before), _swatch(change.after)
                )
                for change in each.difference.changes
            ],
        )
        for each in summarized(differences)
    ]
    context = {"first": readable(first), "second": readable(second), "rows": rows}
    return documents.page(rendered_bytes("report/differences.html.j2", None, **context))


def in_words(change: Change) -> str:
    """Return ``#112233 -> #334455``; for lists and objects, only the parts that differ, by deepdiff."""
    before, after = change.before, change.after
    if change.member.startswith((_MODE, "extension ")):
        return _in_members(before, after)
    if before is None or after is None:
        return f"added: {_shown(after)}" if before is None else f"removed: {_shown(before)}"
    if _is_plain(before) or _is_plain(after):
        return " -> ".join(_shown_pair(before, after))
    if change.member == "scopes":
        parts = (("removed", sorted({*before} - {*after})), ("added", sorted({*after} - {*before})))
        return ", ".join(f"{verb} {scope}" for verb, scopes in parts for scope in scopes)
    from deepdiff import DeepDiff

    diff = DeepDiff(_parsed(before), _parsed(after), ignore_numeric_type_changes=True, verbose_level=2)
    sentences = (_STEPS.sub(_path, each).rstrip(".") for each in diff.pretty().splitlines())
    return shortened("; ".join(f"{each[:1].lower()}{each[1:]}" for each in sentences), _MAX_LENGTH)


def _in_members(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> str:
    """Return the change of a mode or extension: ``"Dark" -> "Night"``, or ``added: "Dark" (364 values)``."""
    if before is None or after is None:
        own = dict(before or after or {})
        name, values = _shown(own.pop("name", "")), own.pop("values", 0)
        parts = [f"{name} ({counted(values, 'value')})" if values else name]
        parts += (f"{member} {_shown(value)}" for member, value in own.items() if value)
        return f"{'removed' if after is None else 'added'}: {', '.join(parts)}"
    return ", ".join(
        f"{'' if member == 'name' else f'{member} '}{_shown(before.get(member))} -> {_shown(after.get(member))}"
        for member in {**before, **after}
        if before.get(member) != after.get(member)
    )


def _path(steps: re.Match[str]) -> str:
    return ".".join(_STEP.findall(steps[0]))


def _is_plain(value: Any) -> bool:
    """Return whether a value is always shown whole: a scalar, a colour or a reference."""
    return not isinstance(value, list | dict) or _color(value) is not None or _reference(value) is not None


def _shown_pair(before: Any, after: Any) -> tuple[str, str]:
    """Return two values as short as possible, but never the same for different colours."""
    first, second = _shown(before), _shown(after)
    return (first, second) if first != second else (_shown(before, exact=True), _shown(after, exact=True))


def _shown(value: Any, *, exact: bool = False) -> str:
    if (color := _color(value)) is not None:
        return exact_channels(color) if exact else hexadecimal(color)
    if (reference := _reference(value, exact=exact)) is not None:
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


def _reference(value: Any, *, exact: bool = False) -> str | None:
    match value:
        case {"alias": [str(), str(handle), str(path)]}:
            return f"{{{handle}.{path}}}"
        case {"dangling": str(identity)}:
            return f"{{{identity}}}, which does not exist"
        case {"color": color, "opacity": opacity}:
            share = f"{opacity} %" if isinstance(opacity, int | float) else _shown(opacity)
            return f"{_shown(color, exact=exact)} at {share}"
    return None


def _color(value: Any) -> Color | None:
    if isinstance(value, list) and len(value) == 4 and all(type(each) in (int, float) for each in value):
        red, green, blue, alpha = map(float32, value)
        return Color(red, green, blue, alpha)
    return None


def _swatch(value: Any) -> str:
    color = _color(value)
    return "" if color is None else hexadecimal(color)
