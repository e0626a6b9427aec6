"""A use of an old identifier in code, and the mentions of old identifiers in strings, comments and other texts."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING, Literal, NamedTuple

from tokensync.migrate.code.renames import WORD_IN_TEXT, bare

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tokensync.migrate.code.renames import Platform, Rename, Renames

UseKind = Literal[
    "code",
    "declaration",
    "string",
    "comment",
    "key",  # a string or key that is the name without its sigil
    "tools",  # an attribute for Android Studio
    "built",  # the beginning of a name that is built when the code runs
    "word",  # a word of prose that is a member of something
    "owner",  # a name that cannot get its new owner
    "system",  # a colour of SwiftUI or UIKit, too
    "file",  # the name of the file or its folder
    "text",  # a language without a lexer
    "present",  # the new name
]
"""What a use is."""


class Use(NamedTuple):
    """A use: its offsets, the rename, its kind, and the new texts by offsets. ``remark`` makes it a warning.

    ``name`` is the name to report if it is not the rename's old one.
    """

    start: int
    end: int
    rename: Rename
    kind: UseKind
    edits: tuple[tuple[int, int, str], ...] = ()
    remark: str = ""
    name: str = ""


PART = r"[^\x00-\x2c\x2e\x2f\x3a-\x40\x5b-\x5e\x60\x7b-\x7f]"
"""A character of an identifier of CSS."""
_PROPERTY = re.compile(rf"(?<!{PART})--{PART}+")
_VARIABLE = re.compile(rf"(?<!{PART})\$({PART}+)")
_MEMBER = re.compile(r"(?<![\w$])(?:[^\W\d][\w$]*\.)*[^\W\d][\w$]*")
_RESOURCE = re.compile(r"(?<![\w.:])(?:@(?:\+|\*)?(?:([\w.]+):)?(\w+)/|R\.(\w+)\.)([\w.]*\w)", re.ASCII)
_PARTS_OF_COLOR = re.compile(r"(?i)\b(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color)\(\s*var\(\s*\Z")
_FUNCTIONS_BEFORE = 40
"""The characters before a name in which the functions around it are looked for."""
_BUILDS = ("${", "#{", "\\(", "{{", "$", "@{")
"""What begins an interpolation, in which the rest of a name may be."""


def color_remark(text: str, start: int, rename: Rename) -> str:
    """Return a warning if a name at an offset is used as the parts of a colour, but is a whole colour then."""
    if not rename.whole_color:
        return ""
    match = _PARTS_OF_COLOR.search(text, max(0, start - _FUNCTIONS_BEFORE), start)
    if match is None:
        return ""
    function = match[0].partition("(")[0]
    return f"the new value is a whole colour, but {function}() needs the parts of one; write var({rename.new}) instead"


def _is_built(text: str, end: int) -> bool:
    """Return whether an interpolation follows an offset."""
    return text.startswith(_BUILDS, end)


class Mentions:
    """Finds old identifiers in texts that are no code, as whole words."""

    def __init__(self, renames: Renames) -> None:
        self._renames = renames
        self._properties = sorted(renames.properties)
        self._whole = {
            (each.platform, each.old.rpartition(".")[2] if each.form == "member" else each.old.partition("/")[2]): each
            for each in reversed(renames.all)
            if each.form in ("member", "resource")
        }
        self._whole_colors = {each.new: each for each in renames.all if each.whole_color}

    def properties(self, text: str, start: int, end: int, kind: UseKind) -> Iterator[Use]:
        """Yield the custom properties in a part of a text, and the beginnings of names that are built."""
        if not (self._properties or self._whole_colors) or text.find("--", start, end) < 0:
            return
        for match in _PROPERTY.finditer(text, start, end):
            first, last = match.span()
            is_built = (last == end and _is_built(text, last)) or (first == start and text[first - 1 : first] == "}")
            if is_built:
                yield from self._built(match)
            elif rename := self._renames.properties.get(match[0]):
                edits = ((first, last, rename.new),)
                yield Use(first, last, rename, kind, edits, color_remark(text, first, rename))
            elif (rename := self._whole_colors.get(match[0])) and (remark := color_remark(text, first, rename)):
                yield Use(first, last, rename, "present", (), remark, rename.new)

    def _built(self, match: re.Match[str]) -> Iterator[Use]:
        found = self.begun(match[0])
        if found and match[0] != "--":
            yield Use(*match.span(), found, "built", (), "", f"{match[0]}…")

    def begun(self, prefix: str) -> Rename | None:
        """Return the first rename of a custom property whose old name begins with a text."""
        at = bisect_left(self._properties, prefix)
        name = self._properties[at] if at < len(self._properties) else ""
        return self._renames.properties[name] if name.startswith(prefix) else None

    def variables(self, text: str, start: int, end: int, kind: UseKind) -> Iterator[Use]:
        """Yield the variables of Sass in a part of a text."""
        if self._renames.variables and text.find("$", start, end) >= 0:
            for match in _VARIABLE.finditer(text, start, end):
                if rename := self._renames.variables.get(match[0].replace("_", "-")):
                    yield Use(*match.span(), rename, kind, ((*match.span(), rename.new),))

    def resources(self, text: str, start: int, end: int, kind: UseKind) -> Iterator[Use]:
        """Yield the references to resources in a part of a text: ``@color/name`` and ``R.color.name``."""
        if self._renames.resources and (text.find("/", start, end) >= 0 or text.find("R.", start, end) >= 0):
            for match in _RESOURCE.finditer(text, start, end):
                resource_type, name = match[2] or match[3], match[4].replace(".", "_")
                rename = self._renames.resources.get((resource_type, name))
                if rename is not None and match[1] != "android":
                    new = rename.new.partition("/")[2]
                    written = new.replace(".", "_") if match[3] else new
                    yield Use(*match.span(), rename, kind, ((*match.span(4), written),))

    def members(self, text: str, start: int, end: int, kind: UseKind, platforms: Sequence[Platform]) -> Iterator[Use]:
        """Yield the names of code in a part of a text; plain words only with their owners."""
        tables = [self._renames.members[each] for each in platforms if each in self._renames.members]
        for match in _MEMBER.finditer(text, start, end) if tables else ():
            names = match[0].split(".")
            for table in tables:
                for rename in table.get(names[-1], ()):
                    old = rename.old.split(".")
                    if names[-len(old) :] == old and not rename.is_plain and not _is_new(names, rename):
                        first = match.end() - len(rename.old)
                        yield Use(first, match.end(), rename, kind, ((first, match.end(), bare(rename.new)),))
                        break

    def whole(self, text: str, start: int, end: int, platforms: Sequence[Platform]) -> Iterator[Use]:
        """Yield the use of a name that a whole string is: of code, or of a resource without its type."""
        for platform in platforms:
            rename = self._whole.get((platform, text[start:end]))
            if rename is not None:
                is_key = text[start - 2 : start - 1] == "["
                if is_key or rename.form == "resource" or WORD_IN_TEXT.search(text[start:end]):
                    new = rename.new.rpartition("/" if rename.form == "resource" else ".")[2]
                    yield Use(start, end, rename, "string", ((start, end, bare(new)),))
                    return


def _is_new(names: Sequence[str], rename: Rename) -> bool:
    """Return whether names already are the new one, which ends with the old one: ``Tokens.cBg`` for ``cBg``."""
    new = bare(rename.new).split(".")
    return list(names[-len(new) :]) == new
