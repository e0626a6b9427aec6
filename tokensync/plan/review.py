"""Review a plan: its operations grouped by collection and token, with values in words, and rendered as lines."""

from __future__ import annotations

import glob
import json
from typing import TYPE_CHECKING, NamedTuple

from tokensync.normalize.mapping import path_of_name
from tokensync.plan.operations import (
    CreateCollection,
    CreateExtension,
    CreateMode,
    CreateVariable,
    DeleteCollection,
    DeleteMode,
    DeleteVariable,
    RenameMode,
    SetValue,
    UpdateCollection,
    UpdateVariable,
)
from tokensync.plan.plan import options_for
from tokensync.plan.refs import mode_label, split_label
from tokensync.plan.state import ObjectValue
from tokensync.system.outlet import readable, shown
from tokensync.system.outlet.documents import in_toml
from tokensync.system.wording import counted, shortened
from tokensync.tokens import Color, hexadecimal, shortest
from tokensync.tokens.values import exact_channels, float32, normalized

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tokensync.plan.operations import Operation
    from tokensync.plan.plan import Finding, Plan, PlannedBatch
    from tokensync.plan.state import Ref, StateValue, VariableState


_KINDS = {"BOOLEAN": "boolean", "COLOR": "color", "FLOAT": "number", "STRING": "string"}
_SIGNS = ("-", "~", "+")
"""Deleted, changed, new: the order of a section's tokens. New ones are the first to be cut."""


class Row(NamedTuple):
    """A changed member of a token or collection. ``before`` or ``after`` is None where it has no value."""

    what: str
    before: str | None
    after: str | None


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
        shown = [each.sign for each in self.tokens]
        tokens = in_words({sign: count - shown.count(sign) for sign, count in self.counts.items()})
        more = self.own_count - len(self.own)
        return "; ".join(
            each for each in (f"{counted(more, 'change')} of collection and modes" if more else "", tokens) if each
        )


class Review(NamedTuple):
    """A plan in rows; ``summary`` is one line of counts."""

    plan: Plan
    summary: str
    sections: tuple[Section, ...]


def review(plan: Plan, most: int | None = None) -> Review:
    """Return the plan in rows. More than ``most`` tokens or modes of a collection are counted (None: show all)."""
    sorter = _Sorter(plan)
    for operation in plan.operations:
        sorter.add(operation)
    sections = tuple(sorter.section(handle, most) for handle in sorter.handles)
    return Review(plan, summary_of(plan), sections)


def summary_of(plan: Plan) -> str:
    """Return the plan's counts in words: ``modes: 1 new; variables: 3 new, 8 changed; 24 values set``."""
    counts = plan.counts
    kinds = (
        ("collection", counts.collections_created, counts.collections_updated, counts.collections_deleted),
        ("mode", counts.modes_created, counts.modes_updated, counts.modes_deleted),
        ("variable", counts.variables_created, counts.variables_updated, counts.variables_deleted),
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


class _Sorter:
    """Groups operations by collection and token. Only those that are shown are put into words."""

    def __init__(self, plan: Plan) -> None:
        self.labels = plan.labels
        self.handles: dict[str, None] = {}
        self._own: dict[str, list[Entry]] = {}
        self._tokens: dict[str, dict[str, list[Operation]]] = {}

    def add(self, operation: Operation) -> None:
        match operation:
            case CreateVariable(variable=variable):
                self._of_token(variable.ref, operation)
            case UpdateVariable(ref=ref) | DeleteVariable(ref=ref) | SetValue(variable=ref):
                self._of_token(ref, operation)
            case _:
                handle, entry = self._of_collection(operation)
                self.handles.setdefault(handle)
                self._own.setdefault(handle, []).append(entry)

    def section(self, handle: str, most: int | None) -> Section:
        by_sign: dict[str, list[list[Operation]]] = {sign: [] for sign in _SIGNS}
        for operations in self._tokens.get(handle, {}).values():
            by_sign[_sign(operations)].append(operations)
        listed = [(sign, each) for sign in _SIGNS for each in by_sign[sign]]
        shown = tuple(self._entry(handle, sign, each) for sign, each in listed[:most])
        counts = {sign: len(by_sign[sign]) for sign in _SIGNS}
        own = self._own.get(handle, [])
        return Section(handle, tuple(own[:most]), len(own), shown, counts)

    def _of_token(self, ref: str, operation: Operation) -> None:
        handle = split_label(self.labels.get(ref, ref))[0]
        self.handles.setdefault(handle)
        self._tokens.setdefault(handle, {}).setdefault(ref, []).append(operation)

    def _of_collection(self, operation: Operation) -> tuple[str, Entry]:
        """Return the handle of the operation's collection, and the entry for it."""
        match operation:
            case CreateCollection(ref=ref, name=name, modes=modes):
                remark = f"new collection {quoted(name)} with {_modes([each.name for each in modes])}"
                return self._handle(ref), Entry("+", "", f"{remark}{_hidden(is_hidden=operation.hidden)}")
            case CreateExtension(ref=ref, name=name, parent=parent, modes=modes):
                remark = f"new collection {quoted(name)}, which extends {self._handle(parent)}"
                remark = f"{remark} in {_modes([each.name for each in modes])}"
                return self._handle(ref), Entry("+", "", f"{remark}{_hidden(is_hidden=operation.hidden)}")
            case UpdateCollection(ref=ref, name=names, hidden=hidden):
                rows = [*_text_row("name", names), *_flag_row(hidden)]
                return self._handle(ref), Entry("~", "", "collection", tuple(rows))
            case DeleteCollection(ref=ref, name=name):
                remark = f"collection {quoted(name)} is deleted with its modes, variables and extensions"
                return self._handle(ref), Entry("-", "", remark)
            case CreateMode(collection=collection, name=name):
                return self._handle(collection), Entry("+", "", f"new mode {quoted(name)}")
            case RenameMode(collection=collection, name=(old, new)):
                row = Row("name", *quoted_pair(old, new))
                return self._handle(collection), Entry("~", "", "mode", (row,))
            case DeleteMode(collection=collection, name=name):
                return self._handle(collection), Entry("-", "", f"mode {quoted(name)} is deleted with its values")
            case _:
                raise AssertionError(operation)

    def _handle(self, ref: str) -> str:
        return self.labels.get(ref, ref)

    def _entry(self, handle: str, sign: str, operations: Sequence[Operation]) -> Entry:
        rows: list[Row] = []
        name = remark = ""
        for each in operations:
            match each:
                case CreateVariable(variable=variable):
                    name, remark = variable.name, _KINDS.get(variable.type, variable.type)
                    rows += self._created(handle, variable)
                case DeleteVariable():
                    name = each.name
                case UpdateVariable():
                    name = split_label(self.labels.get(each.ref, each.ref))[1]
                    rows += _updated(each)
                case SetValue():
                    name = split_label(self.labels.get(each.variable, each.variable))[1]
                    rows.append(self._value_row(handle, each))
        return Entry(sign, name, remark, tuple(rows))

    def _created(self, handle: str, variable: VariableState) -> Iterator[Row]:
        for mode, value in variable.values.items():
            yield Row(mode_label(self.labels, handle, mode), None, worded(value, self.labels))
        if variable.description:
            yield Row("description", None, quoted(variable.description))
        if variable.scopes not in ((), ("ALL_SCOPES",)):
            yield Row("scopes", None, ", ".join(variable.scopes))
        if variable.hidden:
            yield Row("published", None, "no")
        for platform, text in variable.code_syntax:
            yield Row(f"code syntax {platform}", None, quoted(text))

    def _value_row(self, handle: str, operation: SetValue) -> Row:
        before, after = operation.before, operation.after
        what = mode_label(self.labels, handle, operation.mode)
        if before is not None and after is not None:
            return Row(what, *worded_pair(before, after, self.labels))
        if after is None:
            removed = None if before is None else worded(before, self.labels)
            return Row(what, removed, "inherited from the extended mode")
        return Row(what, None, worded(after, self.labels))


def _updated(operation: UpdateVariable) -> Iterator[Row]:
    yield from _text_row("name", operation.name)
    yield from _text_row("description", operation.description)
    if operation.scopes is not None:
        yield Row("scopes", *(", ".join(each) or "none" for each in operation.scopes))
    yield from _flag_row(operation.hidden)
    if operation.code_syntax is not None:
        before, after = (dict(each) for each in operation.code_syntax)
        for platform in sorted({*before, *after}):
            if before.get(platform) != after.get(platform):
                yield from _text_row(f"code syntax {platform}", (before.get(platform, ""), after.get(platform, "")))


def _text_row(what: str, pair: tuple[str, str] | None) -> Iterator[Row]:
    """Yield the row of a changed text; an empty text counts as absent."""
    if pair is not None:
        before, after = quoted_pair(*pair)
        yield Row(what, before if pair[0] else None, after if pair[1] else None)


def _flag_row(pair: tuple[bool, bool] | None) -> Iterator[Row]:
    if pair is not None:
        yield Row("published", *("no" if each else "yes" for each in pair))


def _hidden(*, is_hidden: bool) -> str:
    return ", hidden from publishing" if is_hidden else ""


def _modes(names: Sequence[str]) -> str:
    listed = ", ".join(map(quoted, names))
    return f"mode{'s' if len(names) > 1 else ''} {listed}"


def _sign(operations: Sequence[Operation]) -> str:
    if any(isinstance(each, DeleteVariable) for each in operations):
        return "-"
    return "+" if any(isinstance(each, CreateVariable) for each in operations) else "~"


LONGEST = 60
"""The most characters shown of a text in quotes."""

_CONTEXT = 12  # characters that stay before the first difference


def worded(value: StateValue, labels: Mapping[Ref, str]) -> str:
    """Return a value in words: ``#0b6e7a``, ``16``, ``"Inter"``, ``{theme.accent}``, ``{theme.accent} at 40 %``."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return quoted(value)
        case ObjectValue():
            return _object(value, labels)
        case _:
            return shortest(normalized(value))


def worded_pair(before: StateValue, after: StateValue, labels: Mapping[Ref, str]) -> tuple[str, str]:
    """Return two values in words, as short as possible but never the same for different values."""
    if isinstance(before, str) and isinstance(after, str):
        return quoted_pair(before, after)
    first, second = worded(before, labels), worded(after, labels)
    if first == second and isinstance(before, ObjectValue) and isinstance(after, ObjectValue):
        return _object(before, labels, exact=True), _object(after, labels, exact=True)
    return first, second


def quoted(text: str) -> str:
    """Return a text in quotes on one line, shortened when it is long."""
    return _in_quotes(shortened(text, LONGEST))


def quoted_pair(before: str, after: str) -> tuple[str, str]:
    """Return two texts in quotes; long ones are cut around the first character that differs."""
    if max(len(before), len(after)) <= LONGEST:
        return _in_quotes(before), _in_quotes(after)
    pairs = enumerate(zip(before, after, strict=False))
    first = next((at for at, (one, other) in pairs if one != other), min(len(before), len(after)))
    start = max(0, first - _CONTEXT)
    return _in_quotes(_window(before, start)), _in_quotes(_window(after, start))


def _window(text: str, start: int) -> str:
    end = start + LONGEST
    return f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}"


def _in_quotes(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _object(value: ObjectValue, labels: Mapping[Ref, str], *, exact: bool = False) -> str:
    if value.alias is not None:
        return alias(value.alias, labels)
    if value.color is None:
        return _color(value, exact=exact)
    base = _object(value.color, labels, exact=exact)
    return f"{base} at {share(value.opacity, labels)}"


def alias(target: Ref, labels: Mapping[Ref, str]) -> str:
    """Return a reference as token files write it. A target without a label does not exist in the file."""
    label = labels.get(target)
    if label is None:
        return f"{{{target}}} (does not exist)"
    handle, name = split_label(label)
    return f"{{{handle}.{path_of_name(name)}}}" if handle else f"{{{name}}}"


def share(opacity: float | ObjectValue | None, labels: Mapping[Ref, str]) -> str:
    """Return the opacity of a composed colour: ``40 %``, or a reference."""
    if isinstance(opacity, ObjectValue):
        return _object(opacity, labels)
    return "no opacity" if opacity is None else f"{shortest(float32(opacity))} %"


def _color(value: ObjectValue, *, exact: bool) -> str:
    red, green, blue = (float32(each or 0.0) for each in (value.r, value.g, value.b))
    color = Color(red, green, blue, 1.0 if value.a is None else float32(value.a))
    return exact_channels(color) if exact else hexadecimal(color)


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
            return f"1 request, {size(batch.bytes)}. The platform applies it completely or not at all."
        case batches:
            total = size(sum(each.bytes for each in batches))
            return f"{len(batches)} requests, {total} in total. The platform applies each completely or not at all."


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
    found = review(plan, most)
    yield Line("=", f"{plan.file} (file {plan.key})")
    yield Line("", f"  {found.summary}")
    if plan.rollback_of:
        yield Line("", f"  rolls back the apply that the receipt {readable(plan.rollback_of)} records")
        if plan.token_files:
            yield Line("", "  reverts the edit in the token files, too")
    for section in found.sections:
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
        yield from _rows(entry, everything=everything)
    if section.omitted:
        yield Line("", f"  ... and {section.omitted} ({_ALL})")


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
        yield Line("", f"  {remedy(unsafe)}")
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
