"""Rewrite uses of old identifiers in code, by tokens of its language: only the identifiers change, by their positions.

``rewrite`` is pure. What is no code for certain, such as a name in a string, is a finding and stays as it is. So does
the use of a ``manual`` rename.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Literal, NamedTuple

from msgspec import Struct

from tokensync.migrate.code.lexers import language_of, tokens
from tokensync.migrate.code.renames import Rename, as_variable
from tokensync.migrate.code.uses import Markup, Mentions, Program, StyleSheet, Use
from tokensync.system.positions import replaced

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tokensync.migrate.code.renames import Platform, Renames
    from tokensync.migrate.code.uses import Declared, UseKind

Marker = Literal["warn", "manual", "string", "comment", "built", "tools", "file", "text"]
"""What a finding is: ``warn`` has been rewritten, the others have not."""

_PLATFORMS: dict[str, Platform] = {"kotlin": "android", "java": "android", "swift": "ios", "ts": "ts", "tsx": "ts"}
_STYLE_SHEETS = ("css", "scss", "sass", "less")
_SECTIONS = (".html", ".htm", ".vue", ".svelte", ".astro")
"""Files with style sheets and scripts in elements."""
_MARK = "\ufeff"
"""A byte order mark."""
_SECTION = re.compile(r"<(style|script)\b([^<>]*)>", re.IGNORECASE)
_LANGUAGE = re.compile(r"""\blang\s*=\s*["']?(\w+)""")
_CODE_OF: dict[str, tuple[Platform, ...]] = {
    ".m": ("ios",),
    ".mm": ("ios",),
    ".h": ("ios",),
    ".gradle": ("android",),
    ".mdx": ("ts",),
}
"""The platforms whose names of code are looked for in languages without a lexer."""


class Edit(NamedTuple):
    """A replacement of a part of a text, by offsets."""

    start: int
    end: int
    text: str


class Finding(NamedTuple):
    """A use to look at: its marker, its line and column from 1, the old and the new name, and what to do."""

    marker: Marker
    line: int
    column: int
    old: str
    new: str
    what: str


class Choices(Struct, frozen=True):
    """What to rewrite. The declarations of ``kept`` renames stay, because the new names read the old ones.

    ``repeated`` are renames that a former run has made in the same text. They are not made again, and are listed
    unless the text ``is_unchanged`` since.
    """

    strings: bool = False
    comments: bool = False
    kept: frozenset[Rename] = frozenset()
    repeated: frozenset[Rename] = frozenset()
    is_unchanged: bool = False


class Rewritten(NamedTuple):
    """The edits of a text in order, the findings, the declared old names, and the renames that were written."""

    edits: tuple[Edit, ...]
    findings: tuple[Finding, ...]
    declared: tuple[Declared, ...]
    written: frozenset[Rename]


class Codemod:
    """Renames, prepared for many texts."""

    def __init__(self, renames: Renames, choices: Choices = Choices()) -> None:  # noqa: B008 - it is frozen
        self.renames = renames
        self.choices = choices
        self._mentions = Mentions(renames)
        self._words = _words_of(renames)
        self._has_properties = any(rename.form == "property" for rename in renames.all)

    def rewrite(self, path: str, text: str, choices: Choices | None = None) -> Rewritten:
        """Return the edits and findings of a file's text. Only the end of the path decides about the language."""
        chosen = self.choices if choices is None else choices
        uses = [*_uses_of_path(path, self.renames)]
        sheets: list[StyleSheet] = []
        if self._may_have_uses(text):
            uses += self._uses(path, text, sheets)
        declared = tuple(declared for sheet in sheets for declared in sheet.declared)
        old = {each.rename for each in declared} - chosen.kept
        uses += (_declared_twice(*each) for sheet in sheets for each in sheet.new if each[2] in old)
        return _decided(text, uses, declared, chosen)

    def _may_have_uses(self, text: str) -> bool:
        """Return whether a text may have an old or new name, as a cheap check before it is read."""
        has_property = self._has_properties and ("--" in text or "\\" in text)
        return has_property or not self._words.isdisjoint(re.findall(r"[\w-]+", as_variable(text)))

    def _uses(self, path: str, text: str, sheets: list[StyleSheet]) -> Iterator[Use]:
        language, suffix = language_of(path), os.path.splitext(path)[1].lower()
        if language:
            yield from self._uses_in(text, language, sheets, len(text) - len(text.removeprefix(_MARK)))
        elif suffix in _SECTIONS:
            yield from self._uses_in_sections(text, sheets)
        else:
            yield from self._uses_in_text(text, 0, len(text), _CODE_OF.get(suffix, ()))

    def _uses_in(
        self, text: str, language: str, sheets: list[StyleSheet], start: int = 0, end: int | None = None
    ) -> Iterator[Use]:
        found = tokens(text, language, start, end)
        if language in _STYLE_SHEETS:
            sheet = StyleSheet(text, language, self.renames, self._mentions)
            yield from sheet.uses(found)
            sheets.append(sheet)
        elif language == "xml":
            yield from Markup(text, self.renames, self._mentions).uses(found)
        else:
            yield from Program(text, _PLATFORMS[language], self.renames, self._mentions).uses(found)

    def _uses_in_sections(self, text: str, sheets: list[StyleSheet]) -> Iterator[Use]:
        """Yield the uses in the style sheets and scripts of a document, and what is between them."""
        at = 0
        lowered = text.lower()
        while match := _SECTION.search(text, at):
            kind, named = match[1].lower(), _LANGUAGE.search(match[2])
            end = lowered.find(f"</{kind}", match.end())
            end = len(text) if end < 0 else end
            language = named[1].lower() if named else "css" if kind == "style" else "tsx"
            language = {"js": "tsx", "jsx": "tsx", "typescript": "ts", "postcss": "css", "pcss": "css"}.get(
                language, language
            )
            yield from self._uses_in_text(text, at, match.end(), ("ts",))
            if language in _STYLE_SHEETS or language in ("ts", "tsx"):
                yield from self._uses_in(text, language, sheets, match.end(), end)
            else:
                yield from self._uses_in_text(text, match.end(), end, ("ts",))
            at = end
        yield from self._uses_in_text(text, at, len(text), ("ts",))

    def _uses_in_text(self, text: str, start: int, end: int, platforms: Sequence[Platform]) -> Iterator[Use]:
        yield from self._mentions.properties(text, start, end, "text")
        yield from self._mentions.resources(text, start, end, "text")
        if platforms:
            yield from self._mentions.members(text, start, end, "text", platforms)


def _words_of(renames: Renames) -> frozenset[str]:
    """Return the words of which a text with uses has at least one, with hyphens instead of underscores."""
    names = [rename.old for rename in renames.all if rename.form != "property"]
    names += (name for _, name in renames.resources)
    return frozenset(re.findall(r"[\w-]+", as_variable(name))[-1] for name in names)


def _declared_twice(start: int, end: int, rename: Rename) -> Use:
    """Return the finding about the declaration of a new name in a file that also declares the old one."""
    what = "the file declares the new name already; remove one of the two declarations"
    return Use(start, end, rename, "present", (), what, rename.new)


def _uses_of_path(path: str, renames: Renames) -> Iterator[Use]:
    """Yield a use if a file or folder itself has the name: a state list in res/color, a colour of an asset catalog."""
    folder, name = os.path.split(path.replace("\\", "/"))
    parent = folder.rpartition("/")[2]
    if name.endswith(".xml"):
        rename = renames.resources.get((parent.partition("-")[0], name.partition(".")[0]))
    elif name == "Contents.json" and parent.endswith(".colorset"):
        rename = next(iter(renames.members.get("ios", {}).get(parent.rpartition(".")[0], ())), None)
    else:
        return
    if rename is not None:
        yield Use(0, 0, rename, "file")


def _decided(text: str, uses: Sequence[Use], declared: tuple[Declared, ...], choices: Choices) -> Rewritten:
    """Return what becomes of each use."""
    edits: set[Edit] = set()
    written: set[Rename] = set()
    listed: list[tuple[Use, Marker, str]] = []
    for use in sorted(uses, key=lambda each: each[:2]):
        is_written, marker, what = _decision(use, choices)
        if is_written:
            edits.update(Edit(*edit) for edit in use.edits)
            written.add(use.rename)
        if marker is not None:
            listed.append((use, marker, what))
    lines = [match.start() for match in re.finditer("\n", text)] if listed else []
    findings: dict[Finding, None] = {}
    for use, marker, what in listed:
        line = bisect_left(lines, use.start)
        column = use.start - (lines[line - 1] if line else -1)
        findings[Finding(marker, line + 1, column, use.name or use.rename.old, use.rename.new, what)] = None
    return Rewritten(tuple(_apart(edits)), tuple(findings), declared, frozenset(written))


def _apart(edits: Iterable[Edit]) -> Iterator[Edit]:
    """Yield edits in order, without those that overlap one before."""
    at = 0
    for edit in sorted(edits):
        if edit.start >= at:
            at = edit.end
            yield edit


_LISTED: dict[UseKind, tuple[Marker, str]] = {
    "string": ("string", "this is in a string; change it by hand, or pass --strings"),
    "key": ("string", "this string or key has the name; change it by hand if it means the token"),
    "comment": ("comment", "this is in a comment; pass --comments to change it"),
    "tools": ("tools", "only Android Studio reads tools: attributes; change it by hand"),
    "built": ("built", "the code builds the name when it runs; change it by hand"),
    "word": ("manual", "other things have this name, too; name its owner in the renames, such as Tokens.{old}"),
    "owner": ("manual", "the new name has an owner that cannot be added here; change it by hand"),
    "system": ("manual", "SwiftUI or UIKit has a colour of this name, too; change by hand what means the token"),
    "file": ("file", "the file or folder itself has the name; rename it"),
    "text": ("text", "this language is not read; change it by hand"),
}


def _decision(use: Use, choices: Choices) -> tuple[bool, Marker | None, str]:
    """Return whether a use is written, the marker if it is a finding, and what to do."""
    rename, kind = use.rename, use.kind
    if kind == "present":
        return False, "warn", use.remark
    is_manual = rename.role == "manual"
    can_be_written = (
        kind in ("code", "declaration")
        or (kind == "string" and choices.strings)
        or (kind == "comment" and choices.comments)
    )
    if is_manual and kind != "comment":
        return False, "manual", rename.note or "no new name is safe; change it by hand"
    if is_manual or not can_be_written:
        marker, what = _LISTED[kind]
        return False, marker, use.remark or what.format(old=rename.old)
    if rename in choices.repeated:
        what = "an earlier run has renamed to this name here, so it may be the new one; change it by hand"
        return False, None if choices.is_unchanged else "manual", what
    if kind == "declaration" and rename in choices.kept:
        return False, None, ""
    what = use.remark or (rename.note or "check this use" if rename.role == "warn" else "")
    return True, "warn" if what else None, what


_CONTEXT = 3
"""The lines before and after a change in a patch."""


def patch(path: str, text: str, edits: Sequence[Edit]) -> Iterator[str]:
    """Yield the lines of a unified diff, without their ends, in time linear in the text."""
    lines, starts = _lines(text)
    blocks: list[_Block] = []
    for edit in edits:
        first, last = bisect_right(starts, edit.start) - 1, bisect_right(starts, max(edit.start, edit.end - 1)) - 1
        if blocks and first <= blocks[-1].last + 1:
            blocks[-1].edits.append(edit)
            blocks[-1] = blocks[-1]._replace(last=max(last, blocks[-1].last))
        else:
            blocks.append(_Block(first, last, [edit]))
    yield f"--- {path}" if text else "--- /dev/null"
    yield f"+++ {path}"
    shift = 0
    for hunk in _hunks(blocks):
        body: list[str] = []
        top = at = max(0, hunk[0].first - _CONTEXT)
        for first, last, made in hunk:
            start, end = starts[first], starts[last + 1] if last + 1 < len(starts) else len(text)
            new = replaced(text[start:end], [(edit.start - start, edit.end - start, edit.text) for edit in made])
            body += (f" {line}" for line in lines[at:first])
            body += (f"-{line}" for line in lines[first : last + 1])
            body += (f"+{each}" for each in _lines(new)[0])
            at = last + 1
        body += (f" {line}" for line in lines[at : at + _CONTEXT])
        old, added = (sum(each[:1] in marks for each in body) for marks in (" -", " +"))
        yield f"@@ -{top + bool(old)},{old} +{top + shift + bool(added)},{added} @@"
        yield from body
        shift += added - old


def _lines(text: str) -> tuple[list[str], list[int]]:
    """Return the lines of a text without their ends, and the offsets where they start."""
    lines = text.split("\n")
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    return (lines[:-1], starts[:-1] or [0]) if not lines[-1] else (lines, starts)


class _Block(NamedTuple):
    """A change of neighbouring lines: the first and the last of them, and the edits in them."""

    first: int
    last: int
    edits: list[Edit]


def _hunks(blocks: Sequence[_Block]) -> Iterator[list[_Block]]:
    """Yield the changes in groups that share lines of context."""
    group: list[_Block] = []
    for block in blocks:
        if group and block.first - group[-1].last > 2 * _CONTEXT:
            yield group
            group = []
        group.append(block)
    if group:
        yield group
