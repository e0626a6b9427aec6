"""The uses of old custom properties and Sass variables in style sheets."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from tokensync.migrate.code.renames import as_variable, escaped, unescaped
from tokensync.migrate.code.uses import Use, color_remark

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tokensync.migrate.code.lexers import Token
    from tokensync.migrate.code.renames import Rename, Renames
    from tokensync.migrate.code.uses import Mentions

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
_INTERPOLATIONS = ("#{", "@{", "${", "{{")


class Declared(NamedTuple):
    """A declaration of a custom property or variable: its rename, its selector ("" if it depends on others)."""

    rename: Rename
    selector: str


class _Rule(NamedTuple):
    """The innermost rule around a statement, and how many rules are around it; at-rules do not count."""

    selector: str
    depth: int


class StyleSheet:
    """Reads the tokens of a style sheet in order, and keeps what surrounds them: rules, declarations and functions.

    ``declared`` has the declarations of old names, and ``new`` the offsets of those of new names, once all is read.
    """

    def __init__(self, text: str, language: str, renames: Renames, mentions: Mentions) -> None:
        self._text = text
        self._has_variables = language in ("scss", "sass")
        self._renames = renames
        self._mentions = mentions
        self._stems = {
            each.old.lstrip("-$"): each for each in renames.all if each.platform == "css" and each.old != each.new
        }
        self._new = {each.new: each for each in renames.all if each.platform == "css"}
        self.declared: list[Declared] = []
        self.new: list[tuple[int, int, Rename]] = []
        self._rules: list[_Rule] = []
        self._functions: list[str] = []
        self._begin_statement(0)

    def _begin_statement(self, at: int) -> None:
        self._start, self._at_rule, self._property, self._is_first = at, "", "", True

    def uses(self, tokens: Iterable[Token]) -> Iterator[Use]:
        """Yield the uses in the order of the text."""
        last_end, is_after_interpolation = -1, False
        for kind, start, end in tokens:
            match kind:
                case "comment":
                    yield from self._mentions.properties(self._text, start, end, "comment")
                    if self._has_variables:
                        yield from self._mentions.variables(self._text, start, end, "comment")
                    continue
                case "string":
                    yield from self._in_string(start, end)
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
                self._rules.append(self._rule(start))
            elif mark == "}":
                del self._rules[-1:]
            self._functions.clear()
            self._begin_statement(end)

    def _name(self, kind: str, start: int, end: int, *, is_part: bool) -> Iterator[Use]:
        name = unescaped(self._text[start:end])
        declares = self._is_first and _DECLARES.match(self._text, end) is not None
        if declares and not self._functions:
            self._property = name.lower() if name[:2] != "--" else name
        if kind == "name" and name[:2] != "--":
            rename = self._stems.get(name) if self._has_variables and self._is_in_map() else None
            if rename is not None:
                yield Use(start, end, rename, "key", (), "", name)
            return
        table = self._renames.properties if kind == "name" else self._renames.variables
        rename = table.get(name if kind == "name" else as_variable(name))
        if is_part or self._text.startswith(_INTERPOLATIONS, end):
            begun = rename if is_part else self._mentions.begun(name) if len(name) > len("--") else None
            if begun is not None:
                yield Use(start, end, begun, "built", (), "", f"{name}…")
            return
        if kind == "name" and not self._is_property(start, end):
            return
        if rename is None:
            yield from self._present(name, start, end, declares=declares)
            return
        if declares:
            self.declared.append(Declared(rename, self._selector()))
        is_rule = declares or (self._at_rule == "@property" and not self._functions)
        new = escaped(rename.new) if kind == "name" else rename.new
        remark = color_remark(self._text, start, rename)
        yield Use(start, end, rename, "declaration" if is_rule else "code", ((start, end, new),), remark)

    def _present(self, name: str, start: int, end: int, *, declares: bool) -> Iterator[Use]:
        """Yield a use of a new name where its old value was the parts of a colour."""
        rename = self._new.get(name)
        if rename is None:
            return
        if declares:
            self.new.append((start, end, rename))
        if remark := color_remark(self._text, start, rename):
            yield Use(start, end, rename, "present", (), remark, rename.new)

    def _is_property(self, start: int, end: int) -> bool:
        """Return whether a name with two hyphens is that of a custom property here."""
        before = self._text[start - 1 : start]
        if (
            before == "."
            or (before == ":" and not self._property and not self._at_rule)
            or self._text[end : end + 1] == "("
        ):
            return False  # a class, a selector or a function
        if self._functions and self._functions[-1] in _PROPERTY_FUNCTIONS:
            return True
        is_other = self._at_rule in _OTHER_NAMES or _OTHER_VALUES.fullmatch(self._property) is not None
        return not is_other and not (self._functions and self._functions[-1].startswith("anchor"))

    def _is_in_map(self) -> bool:
        return bool(self._functions) and _MAP_FUNCTIONS.fullmatch(self._functions[-1]) is not None

    def _in_string(self, start: int, end: int) -> Iterator[Use]:
        yield from self._mentions.properties(self._text, start, end, "string")
        if self._has_variables:
            yield from self._mentions.variables(self._text, start, end, "string")
            if rename := self._stems.get(self._text[start:end]):
                yield Use(start, end, rename, "key", (), "", self._text[start:end])

    def _rule(self, at: int) -> _Rule:
        """Return the rule whose block begins at an offset."""
        outer = self._rules[-1] if self._rules else _Rule("", 0)
        if self._at_rule:
            return outer
        selector = _COMMENT.sub("", self._text[self._start : at]).strip()
        return _Rule(selector, outer.depth + 1)

    def _selector(self) -> str:
        """Return the selector of the rule around a declaration; an empty text for a nested or built one."""
        rule = self._rules[-1] if self._rules else _Rule("", 0)
        return rule.selector if rule.depth == 1 and not _DEPENDS.search(rule.selector) else ""
