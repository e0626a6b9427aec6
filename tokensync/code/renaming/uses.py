"""Uses of old identifiers: in style sheets, in programs and Android's XML, and mentions in strings and comments."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from tokensync.code.lexers import PART, WORD_IN_TEXT, Token
from tokensync.code.renaming.renames import Platform, Rename, Renames, as_variable, bare, escaped, in_code, unescaped

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


_PROPERTY = re.compile(rf"(?<!{PART})--{PART}+")
_VARIABLE = re.compile(rf"(?<!{PART})\$({PART}+)")
_MEMBER = re.compile(r"(?<![\w$])(?:[^\W\d][\w$]*\.)*[^\W\d][\w$]*")
_RESOURCE = re.compile(r"(?<![\w.:])(?:@(?:\+|\*)?(?:([\w.]+):)?(\w+)/|R\.(\w+)\.)([\w.]*\w)", re.ASCII)
_PARTS_OF_COLOR = re.compile(r"(?i)\b(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color)\(\s*var\(\s*\Z")
_BUILDS = ("#{", "@{", "${", "{{")
"""What begins an interpolation, in which the rest of a name may be."""


def color_remark(text: str, start: int, rename: Rename) -> str:
    """Return a warning if a name at an offset is used as the parts of a colour, but is a whole colour then."""
    match = _PARTS_OF_COLOR.search(text, max(0, start - 40), start) if rename.whole_color else None
    if match is None:
        return ""
    function = match[0].partition("(")[0]
    return f"the new value is a whole colour, but {function}() needs the parts of one; write var({rename.new}) instead"


class Mentions:
    """Finds old identifiers in texts that are no code, as whole words.

    ``stems`` are renames of CSS by the old name without its sigil, and ``new`` those by the new name.
    """

    def __init__(self, renames: Renames) -> None:
        self.renames = renames
        css = [rename for rename in renames.all if rename.platform == "css"]
        self.stems = {rename.old.lstrip("-$"): rename for rename in css if rename.old != rename.new}
        self.new = {rename.new: rename for rename in css}
        self._properties = sorted(renames.properties)
        self._whole = {
            (rename.platform, rename.old.rpartition("." if rename.form == "member" else "/")[2]): rename
            for rename in reversed(renames.all)
            if rename.form in ("member", "resource")
        }

    def properties(self, text: str, start: int, end: int, kind: UseKind) -> Iterator[Use]:
        """Yield the custom properties in a part of a text, and the beginnings of names that are built."""
        if not self.new or text.find("--", start, end) < 0:
            return
        for match in _PROPERTY.finditer(text, start, end):
            first, last = match.span()
            is_begun = last == end and text.startswith((*_BUILDS, "\\(", "$"), last)
            if is_begun or (first == start and text[first - 1 : first] == "}"):
                if rename := self.begun(match[0]):
                    yield Use(first, last, rename, "built", (), "", f"{match[0]}…")
            elif rename := self.renames.properties.get(match[0]):
                edits = ((first, last, rename.new),)
                yield Use(first, last, rename, kind, edits, color_remark(text, first, rename))
            else:
                yield from self.present(text, match[0], first, last)

    def present(self, text: str, name: str, start: int, end: int) -> Iterator[Use]:
        """Yield a use of a new name where its old value was the parts of a colour."""
        rename = self.new.get(name)
        if rename and (remark := color_remark(text, start, rename)):
            yield Use(start, end, rename, "present", (), remark, name)

    def begun(self, prefix: str) -> Rename | None:
        """Return the first rename of a custom property whose old name begins with a text."""
        at = bisect_left(self._properties, prefix)
        name = self._properties[at] if at < len(self._properties) and len(prefix) > len("--") else ""
        return self.renames.properties[name] if name.startswith(prefix) else None

    def variables(self, text: str, start: int, end: int, kind: UseKind) -> Iterator[Use]:
        """Yield the variables of Sass in a part of a text."""
        if self.renames.variables and text.find("$", start, end) >= 0:
            for match in _VARIABLE.finditer(text, start, end):
                if rename := self.renames.variables.get(as_variable(match[0])):
                    yield Use(*match.span(), rename, kind, ((*match.span(), rename.new),))

    def resources(self, text: str, start: int, end: int, kind: UseKind) -> Iterator[Use]:
        """Yield the references to resources in a part of a text: ``@color/name`` and ``R.color.name``."""
        if self.renames.resources and (text.find("/", start, end) >= 0 or text.find("R.", start, end) >= 0):
            for match in _RESOURCE.finditer(text, start, end):
                rename = self.renames.resources.get((match[2] or match[3], match[4].replace(".", "_")))
                if rename is not None and match[1] != "android":
                    written = in_code(rename.new)[1] if match[3] else rename.new.partition("/")[2]
                    yield Use(*match.span(), rename, kind, ((*match.span(4), written),))

    def members(self, text: str, start: int, end: int, kind: UseKind, platforms: Sequence[Platform]) -> Iterator[Use]:
        """Yield the names of code in a part of a text; plain words only with their owners."""
        tables = [self.renames.members[platform] for platform in platforms if platform in self.renames.members]
        for match in _MEMBER.finditer(text, start, end) if tables else ():
            names = match[0].split(".")
            for table in tables:
                for rename in table.get(names[-1], ()):
                    old, new = rename.old.split("."), bare(rename.new).split(".")
                    is_new = names[-len(new) :] == new  # which may end with the old one: Tokens.cBg for cBg
                    if names[-len(old) :] == old and not rename.is_plain and not is_new:
                        first = match.end() - len(rename.old)
                        yield Use(first, match.end(), rename, kind, ((first, match.end(), bare(rename.new)),))
                        break

    def whole(self, text: str, start: int, end: int, platform: Platform) -> Iterator[Use]:
        """Yield the use of a name that a whole string is: of code, or of a resource without its type."""
        rename = self._whole.get((platform, text[start:end]))
        is_key = text[start - 2 : start - 1] == "["
        if rename and (is_key or rename.form == "resource" or WORD_IN_TEXT.search(text[start:end])):
            new = rename.new.rpartition("/" if rename.form == "resource" else ".")[2]
            yield Use(start, end, rename, "string", ((start, end, bare(new)),))


_OTHER_NAMES = frozenset(
    """
    @color-profile @counter-style @custom-media @custom-selector @font-palette-values @import @keyframes @layer @media
    @position-try @view-transition @-webkit-keyframes @container
    """.split()
)
"""At-rules in whose preludes a name with two hyphens is that of something else."""
_OTHER_VALUES = re.compile(
    r"(?:-webkit-)?(?:anchor-.*|animation.*|container.*|counter-.*|font-palette|grid.*|page|position-(?:anchor|try).*"
    r"|(?:.*-)?timeline(?:-.*)?|view-transition-.*)"
)
"""Properties whose values have such names, too, outside the functions below."""
_PROPERTY_FUNCTIONS = frozenset(("var", "style", "theme", "--theme", "--value"))
_MAP_FUNCTIONS = re.compile(r"(?:map-)?(?:get|has-key|set|remove|merge|deep-remove)|map-\w+")
_DECLARES = re.compile(r"(?:\s|/\*(?:[^*]|\*(?!/))*\*/)*:")
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|//[^\n]*", re.DOTALL)
_DEPENDS = re.compile(r"[#@$]\{|[$&%]|//")
"""What a selector contains that means something only where it is."""


class Declared(NamedTuple):
    """A declaration of a custom property or variable: its rename, its selector ("" if it depends on others)."""

    rename: Rename
    selector: str


class StyleSheet:
    """Reads the tokens of a style sheet in order, and keeps what surrounds them: rules, declarations and functions.

    ``declared`` has the declarations of old names, and ``new`` the offsets of those of new names, once all is read.
    """

    def __init__(self, text: str, language: str, mentions: Mentions) -> None:
        self._text = text
        self._has_variables = language in ("scss", "sass")
        self._mentions = mentions
        self.declared: list[Declared] = []
        self.new: list[tuple[int, int, Rename]] = []
        self._selectors: list[str | None] = []
        """The selectors of the blocks around a statement: None outside of rules, an empty text for nested ones."""
        self._functions: list[str] = []
        self._begin_statement(0)

    def _begin_statement(self, at: int) -> None:
        self._start, self._at_rule, self._property, self._is_first = at, "", "", True

    def uses(self, tokens: Iterable[Token]) -> Iterator[Use]:
        """Yield the uses in the order of the text."""
        last_end, is_after_interpolation = -1, False
        for kind, start, end in tokens:
            match kind:
                case "comment" | "string":
                    yield from self._mentions.properties(self._text, start, end, kind)
                    if self._has_variables:
                        yield from self._mentions.variables(self._text, start, end, kind)
                    if kind == "comment":
                        continue
                    if self._has_variables:
                        yield from self._key(self._text[start:end], start, end)
                case "name" | "variable":
                    is_part = is_after_interpolation and last_end == start
                    yield from self._name(kind, start, end, is_part=is_part)
                case "at":
                    self._at_rule = self._text[start:end].lower() if self._is_first else self._at_rule
                case "mark":
                    self._mark(start, end)
                case "line":
                    self._begin_statement(end)
                    self._functions.clear()
                    continue
            last_end, is_after_interpolation = end, kind == "end"
            self._is_first = self._is_first and kind == "mark" and self._text[start:end] in "{};"

    def _mark(self, start: int, end: int) -> None:
        mark = self._text[start:end]
        if mark.endswith("("):
            before = re.search(r"[\w-]*\Z", self._text[max(0, start - 30) : start])
            self._functions.append(before[0].lower() if before else "")
        elif mark == ")":
            del self._functions[-1:]
        elif mark in ("{", "}", ";"):
            if mark == "{":
                outer = self._selector()
                own = self._selector_before(start) if outer is None else ""
                self._selectors.append(outer if self._at_rule else own)
            elif mark == "}":
                del self._selectors[-1:]
            self._functions.clear()
            self._begin_statement(end)

    def _name(self, kind: str, start: int, end: int, *, is_part: bool) -> Iterator[Use]:
        name = unescaped(self._text[start:end])
        declares = self._is_first and _DECLARES.match(self._text, end) is not None
        if declares and not self._functions:
            self._property = name.lower() if name[:2] != "--" else name
        if kind == "name" and name[:2] != "--":
            if self._has_variables and self._functions and _MAP_FUNCTIONS.fullmatch(self._functions[-1]):
                yield from self._key(name, start, end)
            return
        renames = self._mentions.renames
        rename = renames.properties.get(name) if kind == "name" else renames.variables.get(as_variable(name))
        if is_part or self._text.startswith(_BUILDS, end):
            begun = rename if is_part else self._mentions.begun(name)
            if begun is not None:
                yield Use(start, end, begun, "built", (), "", f"{name}…")
            return
        if kind == "name" and not self._is_property(start, end):
            return
        if rename is None:
            if declares and name in self._mentions.new:
                self.new.append((start, end, self._mentions.new[name]))
            yield from self._mentions.present(self._text, name, start, end)
            return
        if declares:
            self.declared.append(Declared(rename, self._selector() or ""))
        is_rule = declares or (self._at_rule == "@property" and not self._functions)
        new = escaped(rename.new) if kind == "name" else rename.new
        remark = color_remark(self._text, start, rename)
        yield Use(start, end, rename, "declaration" if is_rule else "code", ((start, end, new),), remark)

    def _key(self, name: str, start: int, end: int) -> Iterator[Use]:
        if rename := self._mentions.stems.get(name):
            yield Use(start, end, rename, "key", (), "", name)

    def _is_property(self, start: int, end: int) -> bool:
        """Return whether a name with two hyphens is that of a custom property here."""
        before = self._text[start - 1 : start]
        is_selector = before == "." or (before == ":" and not self._property and not self._at_rule)
        if is_selector or self._text[end : end + 1] == "(":
            return False
        if self._functions and self._functions[-1] in _PROPERTY_FUNCTIONS:
            return True
        is_other = self._at_rule in _OTHER_NAMES or _OTHER_VALUES.fullmatch(self._property) is not None
        return not is_other and not (self._functions and self._functions[-1].startswith("anchor"))

    def _selector(self) -> str | None:
        return self._selectors[-1] if self._selectors else None

    def _selector_before(self, at: int) -> str:
        """Return the selector of the rule whose block begins at an offset; an empty text if it is built."""
        selector = _COMMENT.sub("", self._text[self._start : at]).strip()
        return "" if _DEPENDS.search(selector) else selector


_LONGEST = 24
"""The tokens before a name that are remembered: those of its owners."""
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
_REFERENCE = re.compile(r"\s*@[+*]?(?:[\w.]+:)?\w+/[\w.]*\w\s*", re.ASCII)
_BINDING = re.compile(r"@=?\{")


class Program:
    """Reads the tokens of a program in order, with the last ones at hand, which tell what a name is a member of."""

    def __init__(self, text: str, platform: Platform, mentions: Mentions) -> None:
        self._text = text
        self._platform: Platform = platform
        self._mentions = mentions
        self._members = mentions.renames.members.get(platform, {})
        self._resources = mentions.renames.resources if platform == "android" else {}
        self._names_of_r = {"R"}
        self._candidates = {*self._members, *(name for _, name in self._resources)}
        self._imported: dict[str, Rename] = {}
        self._before: list[Token] = []

    def uses(self, tokens: Iterable[Token]) -> Iterator[Use]:
        """Yield the uses in the order of the text."""
        before, text, mentions = self._before, self._text, self._mentions
        for token in tokens:
            kind, start, end = token
            match kind:
                case "comment" | "string":
                    yield from mentions.properties(text, start, end, kind)
                    if self._resources:
                        yield from mentions.resources(text, start, end, kind)
                    if kind == "comment":
                        yield from mentions.members(text, start, end, kind, (self._platform,))
                        continue
                    if text[start - 1 : start] == text[end : end + 1]:
                        yield from mentions.whole(text, start, end, self._platform)
                case "name":
                    name = text[start:end]
                    if name in self._candidates:
                        yield from self._name(name, start, end)
                    elif self._resources and self._last(1) == "as" and self._last(2) == "R":
                        self._names_of_r.add(name)
                case "text" | "regex":
                    yield from mentions.properties(text, start, end, "string")
            before.append(token)
            if len(before) > 2 * _LONGEST:
                del before[:_LONGEST]

    def _name(self, name: str, start: int, end: int) -> Iterator[Use]:
        owners = [self._text[owner.start : owner.end] for owner in reversed(self._names_before())]
        if self._resources:
            if len(owners) > 1 and owners[-2] in self._names_of_r:
                yield from self._resource(name, start, end, owners)
                return
            if not owners and (rename := self._imported.get(name)):
                yield Use(start, end, rename, "code", ((start, end, in_code(rename.new)[1]),))
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
        yield Use(start, end, rename, "code", ((start, end, in_code(rename.new)[1]),))

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
        spans = [(start, end), *((name.start, name.end) for name in self._names_before())][: len(old)]
        if len(old) != len(new):
            is_in_string = self._text[start - 1 : start] == "$" and self._platform == "android"
            yield spans[-1][0], end, f"{{{rename.new}}}" if is_in_string else rename.new
            return
        for (first, last), name in zip(reversed(spans), new, strict=True):
            if self._text[first:last] != bare(name):
                is_quoted = self._text[first - 1 : first] == self._text[last : last + 1] == "`"
                yield first, last, bare(name) if is_quoted else name

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


class Markup:
    """Reads the tokens of an XML document in order, and keeps the attributes of the last element."""

    def __init__(self, text: str, mentions: Mentions) -> None:
        self._text = text
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
                    is_reference = _REFERENCE.fullmatch(self._text, start, end) is not None
                    yield from self._mentions.resources(self._text, start, end, "code" if is_reference else "string")
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
        rename = self._mentions.renames.resources.get((declared, self._text[slice(*name)].replace(".", "_")))
        if rename is not None:
            yield Use(*name, rename, "declaration", ((*name, rename.new.partition("/")[2]),))

    def _value(self, start: int, end: int) -> Iterator[Use]:
        is_code = _REFERENCE.fullmatch(self._text, start, end) or _BINDING.match(self._text, start, end)
        kind: UseKind = "tools" if self._attribute.startswith("tools:") else "code" if is_code else "string"
        yield from self._mentions.resources(self._text, start, end, kind)
