"""Formatting: the canonical form of token files and resolver documents that were edited by hand.

The layout is that of ``layout``. Values are rewritten only if DTCG writes them in another form (``literals.meant``), so
that no value changes. A file that is in another layout keeps it when a pull changes it (``in_layout_of``).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache, cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from tokensync.dtcg.assembly import PLAIN_TYPES
from tokensync.dtcg.document import Document, Location, document
from tokensync.dtcg.extensions import has_stored_value, own_members, variable_id
from tokensync.dtcg.layout import Extent, JsonText, inline, resolver_file, string_text, token_file
from tokensync.dtcg.literals import PLAIN_READERS, literal, meant
from tokensync.dtcg.parse import NESTED_TOO_DEEPLY, BadToken, ProblemCollector, parsed
from tokensync.dtcg.reading import no_lock
from tokensync.dtcg.spelling import DTCG_TYPES, RESOLVER_SUFFIX, ROOT, SCOPES, TYPE, is_reference
from tokensync.system.errors import ProblemsError
from tokensync.tokens import TokenKey, Value

if TYPE_CHECKING:
    from tokensync.dtcg.assembly import LockedValue
    from tokensync.system.problems import Problem

    Known = Mapping[tuple[str | None, str], tuple[str | None, str]]
    """The type and the variable id of a token, by the root group and the path."""


def format_bytes(
    content: bytes,
    path: str = "",
    *,
    locked: LockedValue = no_lock,
    known: Callable[[], Known] = dict,
    only_edited: bool = False,
    invalid: list[Problem] | None = None,
) -> bytes:
    """Return a token file or resolver document in canonical form. ``path`` determines which of the two it is.

    Only the order, the layout and the notation of strings, numbers and values change; unknown members stay. Formatting
    a formatted file changes nothing. ``locked`` is that of ``read``. ``known`` returns the types and ids of tokens that
    have them only in the files of other modes. With ``only_edited``, only colours change that ``locked``
    decides about. The problems of invalid values, which stay as they are, are added to ``invalid``. Raises
    ProblemsError if the content is not a JSON object.
    """
    tree, collector = tree_of(content, path), ProblemCollector({path: content})
    if path.endswith(RESOLVER_SUFFIX):
        return resolver_file(tree)
    own = _document(path, tree, content)
    if own is not None:
        known = cache(known)
        _write_values(own, locked, known, only_edited=only_edited)
        if invalid is not None:
            _report_invalid(own, known, collector)
            invalid += collector.problems()
    return token_file(tree)


def tree_of(content: bytes, path: str) -> dict[str, Any]:
    """Return the JSON object of a file. Raises ProblemsError if it is none."""
    tree, text_problems = parsed(content)
    collector = ProblemCollector({path: content})
    collector.add_text_problems(path, text_problems)
    if not text_problems and not isinstance(tree, dict):
        what = "the file must be a JSON object"
        collector.add(path, (), "tokens-structure", what, "put its content in an object")
    if problems := collector.problems():
        raise ProblemsError(problems)
    return tree  # type: ignore[no-any-return]


def known_in(contents: Iterable[bytes]) -> Known:
    """Return the types and ids of the tokens in token files; of several, the first."""
    found: dict[tuple[str | None, str], tuple[str | None, str]] = {}
    for content in contents:
        tree, problems = parsed(content)
        own = None if problems else _document("", tree, content)
        if own is None:
            continue
        for path, node in zip(own.paths, own.nodes, strict=True):
            token_type, token_id = found.get((own.group, path), (None, ""))
            if token_type is None or not token_id:
                found[own.group, path] = token_type or _type_of(own, path, node), token_id or variable_id(node)
    return found


def _document(path: str, tree: Any, content: bytes) -> Document | None:
    # The commands that read the file report the problems.
    return document(Location.of(path), tree, content, ProblemCollector({}))


def _write_values(own: Document, locked: LockedValue, known: Callable[[], Known], *, only_edited: bool) -> None:
    """Replace each value that DTCG writes in another form, in the tree of a document."""
    file, (context, mode_id) = own.location.file, _mode(own)
    for path, node, token_type in _unusual(own, known):
        key = TokenKey(file, own.group or "", path)

        def before(key: TokenKey = key, node: dict[str, Any] = node) -> Value | None:
            _, token_id = known().get((key.collection, key.path), (None, ""))
            return locked(key, context, variable_id(node) or token_id, mode_id)

        with suppress(BadToken):  # the unit is in doubt
            found = meant(token_type, node["$value"], before)
            if found is not None and not (only_edited and found.is_kept):
                node["$value"] = found.value


def _report_invalid(own: Document, known: Callable[[], Known], collector: ProblemCollector) -> None:
    """Report the values that are invalid by themselves; those that depend on other tokens are not checked."""
    for path, node, token_type in _unusual(own, known):
        try:
            if token_type in DTCG_TYPES and "$ref" not in str(node["$value"]):
                literal(token_type, node["$value"])
        except BadToken as error:
            pointer = (*own.entry(path, node).pointer, *error.within)
            collector.add(own.location.path, pointer, error.code, error.what, error.what_to_do)
        except RecursionError:
            collector.add(own.location.path, own.entry(path, node).pointer, *NESTED_TOO_DEEPLY)


def _unusual(own: Document, known: Callable[[], Known]) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield the path, the node and the type of tokens with a literal that a pull would not write in the same form."""
    for path, node in zip(own.paths, own.nodes, strict=True):
        value = node.get("$value")
        if type(value) is dict and _is_plain(node.get("$type"), value):  # nearly all colours and lengths
            continue
        if value is None or is_reference(value) or has_stored_value(node):
            continue
        token_type = _type_of(own, path, node) or known().get((own.group, path), (None, ""))[0]
        if token_type is not None and not _is_plain(token_type, value):
            yield path, node, token_type


def _is_plain(token_type: Any, value: Any) -> bool:
    """Return whether a value of a type is one that a pull writes in the same form."""
    read = PLAIN_READERS.get(token_type) if type(token_type) is str else None
    if read is None:
        return False
    try:
        read(value)
    except BadToken:
        return False
    return True


def _type_of(own: Document, path: str, node: dict[str, Any]) -> str | None:
    """Return the type that a file gives to a token itself or to its group."""
    context = own.contexts.get(path)
    dtcg_type = node.get("$type", context.inherited if context is not None else None)
    extensions = node.get("$extensions")
    figma_type = extensions.get(TYPE) if isinstance(extensions, dict) else None
    if not isinstance(dtcg_type, str):
        return None
    if isinstance(figma_type, str) and (dtcg_type, figma_type) in PLAIN_TYPES:
        return PLAIN_TYPES[dtcg_type, figma_type]
    return dtcg_type


def _mode(own: Document) -> tuple[str, str]:
    """Return the context and the id of the file's mode."""
    mode = own_members(own.tree).get("mode")
    context, mode_id = (mode.get("context"), mode.get("id")) if isinstance(mode, dict) else (None, None)
    location = own.location
    usual = location.slug if location.handle == own.group else f"{location.handle}.{location.slug}"
    return context if isinstance(context, str) else usual, mode_id if isinstance(mode_id, str) else ""


# the layout of files that a pull changes


Former = Mapping[tuple[str, ...], tuple[str, ...]]
_NOTHING: Former = MappingProxyType({})


def in_present_layout(present: bytes, content: bytes, path: str = "", former: Former = _NOTHING) -> bytes:
    """Return the content of a canonical file in the layout, and with the line ends, of the one that it replaces.

    ``path`` and ``former`` are those of ``in_layout_of``.
    """
    content = in_layout_of(present.replace(b"\r\n", b"\n"), content.replace(b"\r\n", b"\n"), path, former)
    return content.replace(b"\n", b"\r\n") if b"\r\n" in present else content


def in_layout_of(present: bytes, content: bytes, path: str = "", former: Former = _NOTHING) -> bytes:
    """Return the content of a canonical file in the layout of the present one.

    Members that mean the same keep their text, and the members of an object that keeps its children keep their order.
    Both contents have LF line ends. Return the canonical one if the present one is not a JSON object. ``path``
    determines whether the file is a token file or a resolver document. ``former`` are the present addresses of tokens
    and groups that have another one.
    """
    root = _RESOLVER if path.endswith(RESOLVER_SUFFIX) else _GROUP
    if present == content:
        return content
    try:
        before, after = json.loads(present), json.loads(content)
        if not isinstance(before, dict):
            return content
        text = _Merged(present, content, before, former).text(after, root)
        is_valid = _are_same(json.loads(text), after, root)
    except (ValueError, RecursionError):
        return content
    return text if is_valid else content


class _Inside(NamedTuple):
    """The part of a file that members are in: ``is_group`` if the order of members has a meaning.

    It is that of tokens in a group, and that of modes in the member ``ordered`` of a resolver document. In the member
    ``ordered`` of a token file are hints.
    """

    token_type: str | None = None
    is_group: bool = False
    ordered: str = "after"

    def of(self, name: str, parent: dict[str, Any]) -> _Inside:
        """Return the part that the members of a member are in; ``parent`` is the object that has it."""
        if not self.is_group or not _is_child(name):
            return _Inside(is_group=name == self.ordered, ordered=self.ordered)
        own = parent.get("$type")
        return _Inside(own if isinstance(own, str) else self.token_type, is_group=True)


_GROUP = _Inside(is_group=True)
_RESOLVER = _Inside(ordered="contexts")


def _is_child(name: str) -> bool:
    return name[:1] != "$" or name == ROOT


def _is_default(name: str, value: Any) -> bool:
    """Return whether a member with this value means the same as none: the canonical form omits it.

    That is not so for the forms of a value that our extension stores.
    """
    return name not in ("boolean", "string", "composite") and (value is False or value in ("", {}))


def _is_equal(before: Any, after: Any, inside: _Inside) -> bool:
    """Return whether two values are equal, also in the order of members if modes may be among them."""
    return before == after and (inside.ordered != _RESOLVER.ordered or json.dumps(before) == json.dumps(after))


def _are_same(before: Any, after: Any, inside: _Inside, name: str = "") -> bool:
    """Return whether two values of a member mean the same."""
    if _is_equal(before, after, inside) and ("$value" in before if inside.is_group and type(before) is dict else True):
        return True
    if type(before) is dict and type(after) is dict:
        if "colorSpace" in before and "colorSpace" in after:
            return _is_literal_same("color", before, after)
        own = [each for each in before if each in after or not _is_default(each, before[each])]
        if {*own} != after.keys():
            return False
        if inside.is_group and [*filter(_is_child, own)] != [*filter(_is_child, after)]:
            return False
        token_type = after.get("$type", inside.token_type)
        return all(
            _is_same_value(token_type, before[each], after[each])
            if each == "$value"
            else _are_same(before[each], after[each], inside.of(each, after), each)
            for each in own
        )
    if type(before) is list and type(after) is list and len(before) == len(after):
        if name == SCOPES:
            return sorted(map(str, before)) == sorted(map(str, after))
        return all(_are_same(*pair, inside) for pair in zip(before, after, strict=True))
    if isinstance(before, float) or isinstance(after, float):
        return _is_literal_same("number", before, after)
    if name == "hex" and isinstance(before, str) and isinstance(after, str):
        return before.lower() == after.lower()
    return bool(before == after)


_WITH_WEIGHTS = ("fontWeight", "typography")
"""Types in which ``700`` and ``bold`` differ: the one becomes a number in the design file, the other a text."""


def _is_same_value(token_type: Any, before: Any, after: Any) -> bool:
    if _are_same(before, after, _Inside()):
        return True
    is_literal = isinstance(token_type, str) and token_type in DTCG_TYPES and token_type not in _WITH_WEIGHTS
    return is_literal and _is_literal_same(token_type, before, after)


def _is_literal_same(token_type: str, before: Any, after: Any) -> bool:
    """Return whether both values are valid for a type and mean the same."""
    try:
        is_same = literal(token_type, before) == literal(token_type, after)
    except BadToken:
        return False
    return is_same and not is_reference(before) and not is_reference(after)


class _Present(NamedTuple):
    """An object of the present file at a path: its extent, its members before and after, and the part that it is."""

    extent: Extent
    before: dict[str, Any]
    after: dict[str, Any]
    path: tuple[str, ...]
    inside: _Inside


class _Merged:
    """Joins the text of a present file and of the canonical one that is to replace it."""

    def __init__(self, present: bytes, content: bytes, before: dict[str, Any], former: Former) -> None:
        self._present = JsonText(present)
        self._new = content
        self._before = before
        self._former = former

    def text(self, after: dict[str, Any], root: _Inside) -> bytes:
        """Return the text of the trees of both files."""
        old = self._present
        text = self._object(_Present(old.root, self._before, after, (), root), b"")
        return old.text[: old.root.start] + text + old.text[old.root.end :]

    def _object(self, present: _Present, indent: bytes) -> bytes:
        """Return the text of an object; ``indent`` is that of the line on which it begins."""
        old, before, after, path, inside = present
        text, unit = self._present.text, self._present.unit
        own = old.members or {}
        leads: dict[str, bytes] = {}
        ends: dict[str, bytes] = {}
        position = old.start + 1
        for name, member in own.items():
            leads[name] = text[position : member.start]
            is_last = len(leads) == len(own)
            comma = member.value.end if is_last else text.index(b",", member.value.end)
            ends[name] = text[member.value.end : comma]
            position = comma if is_last else comma + 1
        closing = text[position : old.end - 1]
        broken = next((lead for lead in leads.values() if b"\n" in lead), b"")
        if not own and unit:
            broken, closing = b"\n" + indent + unit, b"\n" + indent
        inner = broken.rpartition(b"\n")[2] if broken else None
        first, *others = leads.values() if own else (b"",)
        pieces: list[bytes] = []
        for name in _joined_order(before, after, inside):
            within_line = (others[0] if others else b" ") if pieces else first
            if name in own:
                member = own[name]
                value = self._value(member.value, name, present, indent if inner is None else inner)
                lead = leads[name] if b"\n" in leads[name] else within_line
                pieces.append(lead + text[member.start : member.value.start] + value + ends[name])
            else:
                colon, fragment = self._new_member((*path, name), after, inside, inner)
                pieces.append((broken or within_line) + string_text(name).encode() + colon + fragment)
        return b"{" + b",".join(pieces) + (closing if pieces else b"") + b"}"

    def _new_member(
        self, path: tuple[str, ...], after: dict[str, Any], inside: _Inside, indent: bytes | None
    ) -> tuple[bytes, bytes]:
        """Return the text before and of the value of a member of the object ``after`` that the present one lacks.

        What had another address keeps its text. ``indent`` is that of its first line.
        """
        name, value = path[-1], after[path[-1]]
        former = self._former.get(path)
        member = self._present.member(*former) if former is not None else None
        if former is not None and member is not None:
            before: Any = self._before
            for step in former[:-1]:
                before = before[step]
            own = self._present.indent(member.start) or b""
            present = _Present(member.value, {name: before[former[-1]]}, after, path[:-1], inside)
            text = self._value(member.value, name, present, own)
            colon = self._present.text[member.end : member.value.start]
            return colon, text if indent is None else text.replace(b"\n" + own, b"\n" + indent)
        if any(steps[: len(path)] == path for steps in self._former):
            inner = None if indent is None else indent + self._present.unit
            lead, closing = (b"", b"") if indent is None else (b"\n" + (inner or b""), b"\n" + indent)
            members = [(each, self._new_member((*path, each), value, inside.of(name, after), inner)) for each in value]
            lines = [lead + string_text(each).encode() + b"".join(texts) for each, texts in members]
            return b": ", b"{" + (b"," if lead else b", ").join(lines) + closing + b"}"
        return b": ", self._fragment(path, value, indent)

    def _value(self, old: Extent, name: str, present: _Present, indent: bytes) -> bytes:
        """Return the text of a member of the present object."""
        _, before, after, path, inside = present
        if name not in after:
            return self._present.text[old.start : old.end]
        one, other = before[name], after[name]
        inner = inside.of(name, after)
        if not (inner.is_group and isinstance(other, dict) and "$value" not in other):
            if _is_equal(one, other, inner) and not (inner.is_group and name == "after"):
                return self._present.text[old.start : old.end]
            token_type = after.get("$type", inside.token_type)
            is_same = _is_same_value(token_type, one, other) if name == "$value" else _are_same(one, other, inner, name)
            if is_same:
                return self._present.text[old.start : old.end]
        if isinstance(one, dict) and isinstance(other, dict):
            return self._object(_Present(old, one, other, (*path, name), inner), indent)
        if isinstance(one, list) and isinstance(other, list) and name != "$value":
            return self._array(old, one, other)
        return self._fragment((*path, name), other, indent if self._present.unit else None)

    def _array(self, old: Extent, before: list[Any], after: list[Any]) -> bytes:
        """Return the text of an array. Elements that it had keep their text."""
        text, elements = self._present.text, old.elements or ()
        if not elements or not after:
            return inline(after).encode()
        first = text[old.start + 1 : elements[0].start]
        between = text[elements[0].end : elements[1].start] if len(elements) > 1 else b"," + (first or b" ")
        texts = {_compared(value): text[each.start : each.end] for value, each in zip(before, elements, strict=True)}
        pieces = [texts.get(_compared(each)) or inline(each).encode() for each in after]
        return b"[" + first + between.join(pieces) + text[elements[-1].end : old.end - 1] + b"]"

    def _fragment(self, path: tuple[str, ...], value: Any, indent: bytes | None) -> bytes:
        """Return the text of a value of the canonical file; ``indent`` is that of its first line, None for one line."""
        if indent is None or path[-1] == "$value" or not isinstance(value, dict):
            return inline(value).encode()
        member = self._content.member(*path)
        if member is None:  # unreachable: the value is from this file
            raise AssertionError(f"{path} is missing")
        first, *others = self._content.text[member.value.start : member.value.end].split(b"\n")
        base = len(self._content.indent(member.start) or b"")
        lines = [first]
        for other in others:
            bare = other.lstrip(b" ")
            lines.append(indent + self._present.unit * ((len(other) - len(bare) - base) // 2) + bare)
        return b"\n".join(lines)

    @cached_property
    def _content(self) -> JsonText:
        return JsonText(self._new)


def _compared(value: Any) -> str:
    """Return a text that equal values share, regardless of the order of members."""
    return json.dumps(value, sort_keys=True)


def _joined_order(before: dict[str, Any], after: dict[str, Any], inside: _Inside) -> list[str]:
    """Return the names of an object's members: those of both in the order of ``before``, except for children."""
    kept = [each for each in before if each in after or _is_default(each, before[each])]
    if inside.is_group:
        is_moving = [each in after and _is_child(each) for each in kept]
        in_order = iter([each for each in after if each in before and _is_child(each)])
        kept = [next(in_order) if moves else each for each, moves in zip(kept, is_moving, strict=True)]
    followers: dict[str, list[str]] = {}
    previous = ""
    for name in after:
        if name in before:
            previous = name
        else:
            followers.setdefault(previous, []).append(name)
    names = followers.get("", [])
    for name in kept:
        names += (name, *followers.get(name, ()))
    return names
