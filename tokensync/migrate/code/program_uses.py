"""The uses of old identifiers in programs (Kotlin, Java, Swift, TypeScript, JavaScript) and in Android's XML."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tokensync.migrate.code.renames import bare
from tokensync.migrate.code.uses import Use

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tokensync.migrate.code.lexers import Token
    from tokensync.migrate.code.renames import Platform, Rename, Renames
    from tokensync.migrate.code.uses import Mentions, UseKind

_LONGEST = 24
"""The tokens before a name that are remembered: those of its owners."""
_OPTIONAL = frozenset(("?", "!", "!!"))
_CANNOT_GET_OWNER = frozenset((".", "val", "var", "let", "const", "func", "fun", "function", "case"))
"""What precedes a name that is a member of something else, or that is declared."""
_SYSTEM_OWNERS = frozenset(("Color", "UIColor", "NSColor", "ShapeStyle"))
_SYSTEM_COLORS = frozenset(
    """
    accentColor background black blue brown clear cyan darkGray foreground gray green indigo label lightGray link
    magenta mint orange pink placeholder primary purple quaternary quinary red secondary selection separator teal
    tertiary tint white yellow
    """.split()
)
"""Colours of SwiftUI and UIKit, which a colour of an asset catalog clashes with."""
_REFERENCE = re.compile(r"@(?:\+|\*)?(?:([\w.]+):)?(\w+)/([\w.]*\w)", re.ASCII)
_BINDING = re.compile(r"@=?\{")


class Program:
    """Reads the tokens of a program in order, with the last ones at hand, which tell what a name is a member of."""

    def __init__(self, text: str, platform: Platform, renames: Renames, mentions: Mentions) -> None:
        self._text = text
        self._platform: Platform = platform
        self._renames = renames
        self._mentions = mentions
        self._members = renames.members.get(platform, {})
        self._resources = renames.resources if platform == "android" else {}
        self._names_of_r = {"R"}
        self._candidates = {*self._members, *(name for _, name in self._resources)}
        self._imported: dict[str, Rename] = {}
        self._before: list[Token] = []

    def uses(self, tokens: Iterable[Token]) -> Iterator[Use]:
        """Yield the uses in the order of the text."""
        before, text = self._before, self._text
        for token in tokens:
            kind, start, end = token
            if kind == "comment":
                yield from self._in_comment(start, end)
                continue
            if kind == "string":
                yield from self._in_string(start, end)
            elif kind == "name":
                name = text[start:end]
                if name in self._candidates:
                    yield from self._name(name, start, end)
                elif self._resources and self._last(1) == "as" and self._last(2) == "R":
                    self._names_of_r.add(name)
            elif kind in ("text", "regex"):
                yield from self._mentions.properties(text, start, end, "string")
            before.append(token)
            if len(before) > 2 * _LONGEST:
                del before[:_LONGEST]

    def _in_comment(self, start: int, end: int) -> Iterator[Use]:
        yield from self._mentions.properties(self._text, start, end, "comment")
        if self._resources:
            yield from self._mentions.resources(self._text, start, end, "comment")
        yield from self._mentions.members(self._text, start, end, "comment", (self._platform,))

    def _in_string(self, start: int, end: int) -> Iterator[Use]:
        yield from self._mentions.properties(self._text, start, end, "string")
        if self._resources:
            yield from self._mentions.resources(self._text, start, end, "string")
        if self._text[start - 1 : start] == self._text[end : end + 1]:
            yield from self._mentions.whole(self._text, start, end, (self._platform,))

    def _name(self, name: str, start: int, end: int) -> Iterator[Use]:
        owners = self._owners()
        if self._resources:
            if len(owners) > 1 and owners[-2] in self._names_of_r:
                yield from self._resource(name, start, end, owners)
                return
            if not owners and (rename := self._imported.get(name)):
                yield Use(start, end, rename, "code", ((start, end, _in_code(rename)),))
                return
        for rename in self._members.get(name, ()):
            if owners[len(owners) - len(rename.owners) :] == list(rename.owners):
                yield from self._member(rename, start, end, owners)
                return

    def _resource(self, name: str, start: int, end: int, owners: Sequence[str]) -> Iterator[Use]:
        rename = self._resources.get((owners[-1], name))
        if rename is None or owners[-3:-2] == ["android"]:
            return
        if self._last(2 * len(owners) + 1) in ("import", "static"):
            self._imported[name] = rename
        yield Use(start, end, rename, "code", ((start, end, _in_code(rename)),))

    def _member(self, rename: Rename, start: int, end: int, owners: Sequence[str]) -> Iterator[Use]:
        *new_owners, new = bare(rename.new).split(".")
        is_owned = len(new_owners) > len(rename.owners) and list(owners[-len(new_owners) :]) == new_owners
        if is_owned and new == self._text[start:end]:
            return
        if rename.is_plain:
            if self._last(1) == ".":
                yield Use(start, end, rename, "word")
            return
        if len(new_owners) > len(rename.owners) and not is_owned and self._last(1) in _CANNOT_GET_OWNER:
            yield Use(start, end, rename, "owner")
            return
        is_of_system = self._platform == "ios" and (not rename.owners or rename.owners[-1] in _SYSTEM_OWNERS)
        if is_of_system and rename.old.rpartition(".")[2] in _SYSTEM_COLORS:
            yield Use(start, end, rename, "system")
            return
        remark = f"SwiftUI or UIKit has {new}, too" if is_of_system and new in _SYSTEM_COLORS else ""
        edits = ((start, end, new),) if is_owned else tuple(self._edits(rename, start, end))
        yield Use(start, end, rename, "code", edits, remark)

    def _edits(self, rename: Rename, start: int, end: int) -> Iterator[tuple[int, int, str]]:
        """Yield the new texts: of each name that differs, or of all of it if the number of owners changes."""
        old, new = rename.old.split("."), rename.new.split(".")
        spans = [(start, end), *((each.start, each.end) for each in self._names_before())][: len(old)]
        if len(old) != len(new):
            is_in_string = self._text[start - 1 : start] == "$" and self._platform == "android"
            yield spans[-1][0], end, f"{{{rename.new}}}" if is_in_string else rename.new
            return
        for (first, last), name in zip(reversed(spans), new, strict=True):
            if self._text[first:last] != bare(name):
                is_quoted = self._text[first - 1 : first] == self._text[last : last + 1] == "`"
                yield first, last, bare(name) if is_quoted else name

    def _owners(self) -> list[str]:
        """Return the names that the next name is a member of, from the outermost remembered one."""
        return [self._text[each.start : each.end] for each in self._names_before()][::-1]

    def _names_before(self) -> list[Token]:
        """Return the tokens of the owners of the next name, from the innermost one."""
        found: list[Token] = []
        at = len(self._before) - 1
        while at > 0 and self._is_mark(at, "."):
            at -= 1
            while at > 0 and self._is_mark(at, "?", "!"):
                at -= 1
            if self._before[at].kind != "name":
                break
            found.append(self._before[at])
            at -= 1
        return found

    def _is_mark(self, at: int, *marks: str) -> bool:
        kind, start, end = self._before[at]
        return kind == "mark" and self._text[start:end] in marks

    def _last(self, number: int) -> str:
        """Return the text of a token before the current one; 1 is the last one."""
        token = self._before[-number] if len(self._before) >= number else None
        return self._text[token.start : token.end] if token else ""


def _in_code(rename: Rename) -> str:
    """Return the new name of a resource as a field of the class R."""
    return rename.new.partition("/")[2].replace(".", "_")


class Markup:
    """Reads the tokens of an XML document in order, and keeps the attributes of the last element."""

    def __init__(self, text: str, renames: Renames, mentions: Mentions) -> None:
        self._text = text
        self._renames = renames
        self._mentions = mentions
        self._tag = ""
        self._attribute = ""
        self._values: dict[str, tuple[int, int]] = {}

    def uses(self, tokens: Iterable[Token]) -> Iterator[Use]:
        """Yield the uses in the order of the text, but a declaration after the references of its element."""
        for kind, start, end in tokens:
            match kind:
                case "tag":
                    self._tag, self._attribute = self._text[start:end], ""
                    self._values.clear()
                case "attribute":
                    self._attribute = self._text[start:end]
                case "string" if self._text[start : start + 2] == "<!":
                    yield from self._mentions.resources(self._text, start, end, "string")
                case "string":
                    self._values[self._attribute] = start, end
                    yield from self._value(start, end)
                case "text":
                    yield from self._content(start, end)
                case "comment":
                    yield from self._mentions.resources(self._text, start, end, "comment")
                case "mark" if self._tag and self._text[start:end] in (">", "/>"):
                    yield from self._declaration()
                    self._tag = ""

    def _declaration(self) -> Iterator[Use]:
        """Yield the name of a resource that an element declares, as ``<color name="...">`` does."""
        name, kind = self._values.get("name"), self._values.get("type")
        if name is None:
            return
        declared = self._text[slice(*kind)] if kind else self._tag
        rename = self._renames.resources.get((declared, self._text[slice(*name)].replace(".", "_")))
        if rename is not None:
            yield Use(*name, rename, "declaration", ((*name, rename.new.partition("/")[2]),))

    def _value(self, start: int, end: int) -> Iterator[Use]:
        match = _REFERENCE.fullmatch(self._text, start, end)
        is_code = match is not None or _BINDING.match(self._text, start, end) is not None
        kind: UseKind = "tools" if self._attribute.startswith("tools:") else "code" if is_code else "string"
        yield from self._mentions.resources(self._text, start, end, kind)

    def _content(self, start: int, end: int) -> Iterator[Use]:
        content = self._text[start:end]
        if not content.isspace():
            is_reference = _REFERENCE.fullmatch(content.strip()) is not None
            yield from self._mentions.resources(self._text, start, end, "code" if is_reference else "string")
