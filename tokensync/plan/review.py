"""Review a plan: its operations as rows, grouped by collection and token, and rendered as text and as Markdown."""

from __future__ import annotations

import glob
from typing import TYPE_CHECKING, Any, NamedTuple

from tokensync.normalize.mapping import MOTION_TYPES, path_of_name
from tokensync.normalize.motion import curve_of, duration
from tokensync.plan.changes import (
    MOST_MEMBERS,
    Row,
    inner_rows,
    rows_of,
    rows_of_texts,
    table_rows,
    worded,
    worded_pair,
)
from tokensync.plan.operations import (
    CreateCollection,
    CreateExtension,
    CreateMode,
    CreateStyle,
    CreateVariable,
    DeleteCollection,
    DeleteMode,
    DeleteStyle,
    DeleteVariable,
    RenameMode,
    SetValue,
    UpdateCollection,
    UpdateStyle,
    UpdateVariable,
)
from tokensync.plan.plan import Finding, Plan, PlannedBatch, options_for
from tokensync.plan.state import ObjectValue, StyleState, VariableState, mode_label, split_label
from tokensync.system.outlet import readable, shown
from tokensync.system.outlet.documents import in_toml
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
from tokensync.system.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tokensync.plan.operations import Operation
    from tokensync.plan.state import ModeState, Ref, StateValue
    from tokensync.system.outlet.markdown import Markdown


_KINDS = {"BOOLEAN": "boolean", "COLOR": "color", "FLOAT": "number", "STRING": "string", **MOTION_TYPES}
_SIGNS = ("-", "~", "+")
"""Deleted, changed, new: the order of a section's tokens. New ones are the first to be cut."""


class Entry(NamedTuple):
    """A token, mode or collection that a plan deletes (``-``), changes (``~``) or creates (``+``).

    ``remark`` gives details such as its type.
    """

    sign: str
    name: str
    remark: str = ""
    rows: tuple[Row, ...] = ()


class Section(NamedTuple):
    """The changes of one collection.

    ``own`` are changes of the collection itself and its modes (``own_count`` in total), ``tokens`` those shown.
    ``counts`` has the number of all tokens by sign.
    """

    handle: str
    own: tuple[Entry, ...]
    own_count: int
    tokens: tuple[Entry, ...]
    counts: Mapping[str, int]

    @property
    def omitted(self) -> str:
        """Return the counts of what is not shown, ``10 new, 2 changed``, or an empty text."""
        shown = [token.sign for token in self.tokens]
        tokens = in_words({sign: count - shown.count(sign) for sign, count in self.counts.items()})
        more = self.own_count - len(self.own)
        return "; ".join(
            each for each in (f"{counted(more, 'change')} of collection and modes" if more else "", tokens) if each
        )


def review(plan: Plan, most: int | None = None) -> tuple[Section, ...]:
    """Return the plan in rows. More than ``most`` tokens or modes of a collection are counted (None: show all)."""
    labels = plan.labels
    own: dict[str, list[Entry]] = {}
    tokens: dict[str, dict[Ref, list[Operation]]] = {}
    for operation in plan.operations:
        match operation:
            case CreateVariable(variable=VariableState(ref=ref)) | CreateStyle(style=StyleState(ref=ref)):
                pass
            case UpdateVariable(ref=ref) | DeleteVariable(ref=ref) | SetValue(variable=ref):
                pass
            case UpdateStyle(ref=ref) | DeleteStyle(ref=ref):
                pass
            case _:
                handle, entry = _collection_entry(operation, labels)
                own.setdefault(handle, []).append(entry)
                tokens.setdefault(handle, {})
                continue
        handle = split_label(labels.get(ref, ref))[0]
        tokens.setdefault(handle, {}).setdefault(ref, []).append(operation)
    sections = []
    for handle, by_ref in tokens.items():
        by_sign: dict[str, list[list[Operation]]] = {sign: [] for sign in _SIGNS}
        for operations in by_ref.values():
            deletes = any(isinstance(operation, DeleteVariable | DeleteStyle) for operation in operations)
            creates = any(isinstance(operation, CreateVariable | CreateStyle) for operation in operations)
            by_sign["-" if deletes else "+" if creates else "~"].append(operations)
        listed = [(sign, operations) for sign in _SIGNS for operations in by_sign[sign]]
        # Only those that are shown are put into words.
        entries = tuple(_token_entry(handle, sign, operations, labels) for sign, operations in listed[:most])
        counts = {sign: len(by_sign[sign]) for sign in _SIGNS}
        entries_of_own = own.get(handle, [])
        sections.append(Section(handle, tuple(entries_of_own[:most]), len(entries_of_own), entries, counts))
    return tuple(sections)


def summary_of(plan: Plan) -> str:
    """Return the plan's counts in words: ``modes: 1 new; variables: 3 new, 8 changed; 24 values set``."""
    counts = plan.counts
    kinds = (
        ("collection", counts.collections_created, counts.collections_updated, counts.collections_deleted),
        ("mode", counts.modes_created, counts.modes_updated, counts.modes_deleted),
        ("variable", counts.variables_created, counts.variables_updated, counts.variables_deleted),
        ("style", counts.styles_created, counts.styles_updated, counts.styles_deleted),
    )
    lines = []
    for kind, *numbers in kinds:
        words = in_words(dict(zip(VERBS, numbers, strict=True)))
        if words:
            lines.append(f"{kind}s: {words}")
    if counts.values_set:
        lines.append(f"{counted(counts.values_set, 'value')} set")
    if plan.held_back and not lines:
        count = len(plan.held_back)
        verb, pronoun = ("is", "it") if count == 1 else ("are", "them")
        what = f"nothing is applied, because {counted(count, 'edit')} {verb} held back"
        return f"{what}; to plan {pronoun}, too, run tokensync plan --prune"
    return "; ".join(lines) or "nothing to do"


def in_words(counts: Mapping[str, int]) -> str:
    """Return counts by sign in words: ``3 new, 8 changed``."""
    return ", ".join(f"{counts[sign]:,} {verb}" for sign, verb in VERBS.items() if counts.get(sign))


VERBS = {"+": "new", "~": "changed", "-": "deleted"}
"""Signs in words."""


def _collection_entry(operation: Operation, labels: Mapping[Ref, str]) -> tuple[str, Entry]:
    """Return the handle of the operation's collection, and the entry for it."""
    match operation:
        case CreateCollection(ref=ref, name=name, modes=modes, hidden=hidden):
            entry = Entry("+", "", f"new collection {worded(name)} with {_modes(modes)}{_HIDDEN * hidden}")
        case CreateExtension(ref=ref, name=name, parent=parent, modes=modes, hidden=hidden):
            extends = f"which extends {labels.get(parent, parent)} in {_modes(modes)}"
            entry = Entry("+", "", f"new collection {worded(name)}, {extends}{_HIDDEN * hidden}")
        case UpdateCollection(ref=ref, name=names, hidden=flags):
            entry = Entry("~", "", "collection", (*_text_row("name", names), *_flag_row(flags)))
        case DeleteCollection(ref=ref, name=name):
            entry = Entry("-", "", f"collection {worded(name)} is deleted with its modes, variables and extensions")
        case CreateMode(collection=ref, name=name):
            entry = Entry("+", "", f"new mode {worded(name)}")
        case RenameMode(collection=ref, name=(old, new)):
            entry = Entry("~", "", "mode", (Row("name", *worded_pair(old, new)),))
        case DeleteMode(collection=ref, name=name):
            entry = Entry("-", "", f"mode {worded(name)} is deleted with its values")
        case _:
            raise AssertionError(operation)
    return labels.get(ref, ref), entry


def _token_entry(handle: str, sign: str, operations: Sequence[Operation], labels: Mapping[Ref, str]) -> Entry:
    rows: list[Row] = []
    name = remark = ""
    for operation in operations:
        match operation:
            case CreateVariable(variable=variable):
                name, remark = variable.name, _KINDS.get(variable.type, variable.type)
                for mode, held in variable.values.items():
                    rows += rows_of(mode_label(labels, handle, mode), None, json_of(held, labels))
                if variable.description:
                    rows.append(Row("description", None, worded(variable.description)))
                if variable.scopes not in ((), ("ALL_SCOPES",)):
                    rows.append(Row("scopes", None, ", ".join(variable.scopes)))
                if variable.hidden:
                    rows.append(Row("published", None, "no"))
                rows += rows_of_texts("code syntax ", {}, dict(variable.code_syntax))
            case DeleteVariable() | DeleteStyle():
                name = operation.name
            case CreateStyle() | UpdateStyle():
                name, changed = _style_entry(operation, labels)
                rows += changed
            case UpdateVariable(ref=ref):
                name = split_label(labels.get(ref, ref))[1]
                rows += _updated(operation)
            case SetValue(variable=ref, before=before, after=after):
                name = split_label(labels.get(ref, ref))[1]
                values = [None if value is None else json_of(value, labels) for value in (before, after)]
                rows += rows_of(mode_label(labels, handle, operation.mode), *values)
                if after is None:
                    rows[-1] = rows[-1]._replace(after="inherited from the extended mode")
    return Entry(sign, name, remark, tuple(rows))


def _style_entry(operation: CreateStyle | UpdateStyle, labels: Mapping[Ref, str]) -> tuple[str, list[Row]]:
    if isinstance(operation, CreateStyle):
        style = operation.style
        name = style.name
        pairs = {member: (None, value) for member, value in style.members.items()}
        rows = [*_text_row("description", ("", style.description))] if style.description else []
    else:
        name, pairs = split_label(labels.get(operation.ref, operation.ref))[1], operation.members
        rows = [*_text_row("name", operation.name), *_text_row("description", operation.description)]
    rows += (row for member, pair in pairs.items() for row in _style_rows(member, *pair, labels))
    return name, rows


def _style_rows(member: str, before: Any, after: Any, labels: Mapping[Ref, str]) -> Iterator[Row]:
    """Yield the row of a member of a style; of effects, one for each part that differs."""
    was, now = (_style_json(value, labels) for value in (before, after))
    if isinstance(was, list) and isinstance(now, list):
        yield from (row._replace(what=f"{member}{row.what}") for row in inner_rows(was, now))
    elif was is not None or now is not None:
        yield from rows_of(member, was, now)


def _style_json(value: Any, labels: Mapping[Ref, str]) -> Any:
    """Return a part of a style's members as a value of token files."""
    match value:
        case {"type": "VARIABLE_ALIAS", "id": ref}:
            return json_of(ObjectValue(alias=ref), labels)
        case {"r": red, "g": green, "b": blue, "a": alpha}:
            return {"colorSpace": "srgb", "components": [red, green, blue], "alpha": alpha}
        case {"unit": "PIXELS", "value": number_}:
            return {"value": number_, "unit": "px"}
        case {"unit": "PERCENT", "value": number_}:
            return {"percent": number_}
        case {"unit": "AUTO"}:
            return "auto"
        case dict():
            return {name: _style_json(part, labels) for name, part in value.items()}
        case list():
            return [_style_json(part, labels) for part in value]
        case bool() | str() | None:
            return value
    return float(value)


def _updated(operation: UpdateVariable) -> Iterator[Row]:
    yield from _text_row("name", operation.name)
    yield from _text_row("description", operation.description)
    if operation.scopes is not None:
        yield Row("scopes", *(", ".join(scopes) or "none" for scopes in operation.scopes))
    yield from _flag_row(operation.hidden)
    if operation.code_syntax is not None:
        yield from rows_of_texts("code syntax ", *map(dict, operation.code_syntax))


def _text_row(what: str, pair: tuple[str, str] | None) -> Iterator[Row]:
    """Yield the row of a changed text; an empty text counts as absent."""
    if pair is not None:
        yield from rows_of(what, *(each or None for each in pair))


def _flag_row(pair: tuple[bool, bool] | None) -> Iterator[Row]:
    if pair is not None:
        yield Row("published", *("no" if each else "yes" for each in pair))


_HIDDEN = ", hidden from publishing"


def _modes(modes: Sequence[ModeState]) -> str:
    return f"mode{'s' if len(modes) > 1 else ''} {', '.join(worded(mode.name) for mode in modes)}"


def json_of(value: StateValue, labels: Mapping[Ref, str]) -> Any:
    """Return a value as JSON with names instead of refs. A target without a label does not exist in the file."""
    if not isinstance(value, ObjectValue):
        return value if isinstance(value, bool | str) else float(value)
    if value.seconds is not None:
        milliseconds = duration(value.seconds)
        return {"value": milliseconds.number, "unit": milliseconds.unit}
    if value.easing is not None:
        return {"composite": curve_of(value.easing).json}
    if value.alias is not None:
        label = labels.get(value.alias)
        if label is None:
            return {"dangling": value.alias}
        handle, name = split_label(label)
        return {"alias": ["", handle, path_of_name(name) if handle else name]}
    if value.color is not None:
        opacity = None if value.opacity is None else json_of(value.opacity, labels)
        return {"color": json_of(value.color, labels), "opacity": opacity}
    return [value.r or 0.0, value.g or 0.0, value.b or 0.0, 1.0 if value.a is None else value.a]


UNSAFE = "Unsafe: apply refuses this plan until each of these findings is allowed"
ALLOWED = "Allowed by the configuration"
HELD_BACK = "Held back: applied only with --prune"


def remedy(findings: Sequence[Finding]) -> str:
    """Return what allows these findings, before the ``[[allow]]`` entries that do so, too."""
    return f"To allow all of them, run tokensync apply {options_for(findings)}, or add to tokensync.toml:"


def allow_entry(finding: Finding) -> Iterator[str]:
    """Yield the lines of an ``[[allow]]`` entry of the configuration that allows just this finding."""
    yield "[[allow]]"
    yield f"finding = {in_toml(finding.kind)}"
    yield f"subject = {in_toml(glob.escape(finding.subject))}"


def requests(plan: Plan) -> str:
    """Return the number and size of the plan's requests in a sentence."""
    match plan.batches:
        case ():
            return "No request is sent."
        case (batch,):
            return f"1 request, {size(batch.bytes)}. Figma applies it completely or not at all."
        case batches:
            total = size(sum(batch.bytes for batch in batches))
            return f"{len(batches)} requests, {total} in total. Figma applies each completely or not at all."


def request(batch: PlannedBatch) -> str:
    """Return one request in words: ``12 operations, 3.4 kB: the previous request reached 4 MB``."""
    words = f"{counted(batch.operations, 'operation')}, {size(batch.bytes)}"
    return f"{words}: {batch.why}" if batch.why else words


def size(count: int) -> str:
    """Return a number of bytes in words: ``820 bytes``, ``3.4 kB``, ``1.2 MB``, in powers of 1,000."""
    if count < 1_000:
        return counted(count, "byte")
    return f"{count / 1_000:,.1f} kB" if count < 999_950 else f"{count / 1_000_000:,.1f} MB"


SHOWN = 40
"""The most tokens of a collection, findings, held-back deletions and notes shown; the rest is counted."""

_ROWS = 24
_ALL = "-v shows all"


class Line(NamedTuple):
    """A line of the review. ``sign`` is ``+``, ``~``, ``-``, ``!`` (unsafe), ``=`` (a heading) or empty."""

    sign: str
    text: str


def text_lines(plan: Plan, *, everything: bool = False) -> Iterator[Line]:
    """Yield the lines of a plan's review. Long lists are cut and counted unless ``everything`` is set.

    Names come from design files, so the caller must escape the lines for a terminal.
    """
    most = None if everything else SHOWN
    yield Line("=", f"{plan.file} (file {plan.key})")
    yield Line("", f"  {summary_of(plan)}")
    if plan.rollback_of:
        yield Line("", f"  rolls back the apply that the receipt {readable(plan.rollback_of)} records")
        if plan.token_files:
            yield Line("", "  reverts the edit in the token files, too")
    for section in review(plan, most):
        yield Line("", "")
        yield from _section(section, everything=everything)
    yield from _findings(plan, most)
    yield from _listed(HELD_BACK, plan.held_back, most)
    yield from _listed("Notes", plan.notes, most)
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
        rows = entry.rows if everything else entry.rows[:_ROWS]
        width = max((len(shown(row.what)) for row in rows), default=0)
        for member in rows:
            before, after = member.before, member.after or "none"
            yield Line("", f"      {shown(member.what):{width}}  {after if before is None else f'{before} -> {after}'}")
        if len(rows) < len(entry.rows):
            yield Line("", f"      ... and {len(entry.rows) - len(rows)} more ({_ALL})")
    if section.omitted:
        yield Line("", f"  ... and {section.omitted} ({_ALL})")


def _findings(plan: Plan, most: int | None) -> Iterator[Line]:
    unsafe = plan.unsafe
    if unsafe:
        yield from (Line("", ""), Line("!", UNSAFE))
        yield from _each_finding(unsafe, most, "!")
        yield Line("", f"  {remedy(unsafe)}")
        for finding in unsafe[:most]:
            yield from (Line("", f"    {line}") for line in allow_entry(finding))
    allowed = tuple(finding for finding in plan.findings if finding.allowed)
    if allowed:
        yield from (Line("", ""), Line("=", ALLOWED))
        yield from _each_finding(allowed, most, "")


def _each_finding(findings: Sequence[Finding], most: int | None, sign: str) -> Iterator[Line]:
    for finding in findings[:most]:
        yield Line(sign, f"  {finding.kind}: {readable(finding.subject)}: {finding.what}")
    if len(findings) > len(findings[:most]):
        yield Line(sign, f"  ... and {len(findings) - len(findings[:most])} more ({_ALL})")


def _listed(heading: str, lines: Sequence[str], most: int | None) -> Iterator[Line]:
    if lines:
        yield from (Line("", ""), Line("=", f"{heading} ({len(lines)})"))
        yield from (Line("", f"  {line}") for line in lines[:most])
        if len(lines) > len(lines[:most]):
            yield Line("", f"  ... and {len(lines) - len(lines[:most])} more ({_ALL})")


_MOST = LARGEST // 20
"""More rows never fit: none is shorter."""
_EMPTY = text("")
_CLOSED = (_EMPTY, text("</details>"))


def markdown(*plans: Plan) -> Markdown:
    """Return the review of plans as Markdown that fits a comment; changes that do not fit are counted."""
    return document([block for plan in plans for block in blocks(plan)])


def blocks(plan: Plan) -> Iterator[Block]:
    """Yield the parts of the review of a plan."""
    yield Block((text("## Plan for {}", code(plan.file)), _EMPTY))
    yield Block((text("File {}: {}.", code(plan.key), plain(summary_of(plan))),))
    if plan.rollback_of:
        yield _paragraph(text("It rolls back the apply that the receipt {} records.", code(plan.rollback_of)))
    if plan.token_files:
        yield _paragraph(text("It reverts the edit in the token files, too."))
    yield from _folded_findings(plan)
    for section in review(plan, _MOST):
        yield _folded_section(section)
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


def _folded_section(section: Section) -> Block:
    counts = in_words(section.counts)
    title = text("<b>{}</b>: {}" if counts else "<b>{}</b>", plain(section.handle), plain(counts))
    rows = tuple(_table_row(entry) for entry in (*section.own, *section.tokens))
    head = (_EMPTY, *_opened(title), *header("", "token", "what", "now", "then"))
    more = section.own_count + sum(section.counts.values()) - len(rows)
    return Block(head, rows, tail=_CLOSED, more=more)


def _table_row(entry: Entry) -> Markdown:
    """Return a row with the entry's remark, if any, and a row for each changed member."""
    cells = [(plain(row.what), value(row.before or ""), value(row.after or "")) for row in entry.rows]
    if entry.remark or not cells:
        cells.insert(0, (plain(entry.remark), _EMPTY, _EMPTY))
    return table_rows(VERBS[entry.sign], entry.name, cells, most=MOST_MEMBERS + len(cells) - len(entry.rows))


def _folded_findings(plan: Plan) -> Iterator[Block]:
    if plan.unsafe:
        yield Block((_EMPTY, text("> [!WARNING]"), text("> {}.", plain(UNSAFE)), _EMPTY))
        yield _findings_table(plan.unsafe)
        entries = tuple(group(map(fenced, allow_entry(finding))) for finding in plan.unsafe[:_MOST])
        head = (_EMPTY, *_opened(plain(remedy(plan.unsafe))), text("```toml"))
        yield Block(head, entries, (text("```"),), _CLOSED, len(plan.unsafe) - len(entries))
    allowed = tuple(finding for finding in plan.findings if finding.allowed)
    if allowed:
        yield Block((_EMPTY, text("{}:", plain(ALLOWED)), _EMPTY))
        yield _findings_table(allowed)


def _findings_table(findings: Sequence[Finding]) -> Block:
    rows = tuple(row(plain(finding.kind), code(finding.subject), plain(finding.what)) for finding in findings[:_MOST])
    return Block(header("finding", "concerns", "what"), rows, more=len(findings) - len(rows))


def _folded_list(heading: str, items: Sequence[str]) -> Iterator[Block]:
    if items:
        rows = tuple(text("- {}", plain(item)) for item in items[:_MOST])
        head = (_EMPTY, *_opened(text("{} ({})", plain(heading), number(len(items)))))
        yield Block(head, rows, tail=_CLOSED, more=len(items) - len(rows))


def _opened(summary: Markdown) -> tuple[Markdown, Markdown]:
    return text("<details><summary>{}</summary>", summary), _EMPTY
