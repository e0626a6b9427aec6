"""YAML as the readers of JavaScript take it: YAML 1.2's core schema, with the line of each value.

Names are texts, ``on`` and ``1:30`` are texts, ``010`` is 10, and a tab may separate tokens. ``{a.b}`` without quotes,
which is an object in YAML, is read as the reference that it is meant to be.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml
from yaml.composer import Composer
from yaml.parser import Parser
from yaml.reader import Reader
from yaml.resolver import BaseResolver
from yaml.scanner import Scanner

if TYPE_CHECKING:
    from tokensync.system.positions import Pointer

_MOST_NODES = 200_000
"""Values, with those of aliases counted each time: an alias of aliases can stand for billions."""
_WORDS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER = re.compile(r"[-+]?[0-9]{1,400}")
_BASED = re.compile(r"0o[0-7]{1,40}|0x[0-9a-fA-F]{1,40}")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_REST = re.compile(r"[ \t]*([^\r\n\0]?)")
_TOO_DEEP = "the YAML is nested deeper than {} levels; reduce its nesting"
_TEXT_TAG, _MERGE_TAG = "tag:yaml.org,2002:str", "<<"


class YamlReading(NamedTuple):
    """The value of a text, the line of each pointer, and problems as lines with reasons.

    There are no lines if nothing could be read.
    """

    content: Any
    lines: dict[Pointer, int]
    problems: list[tuple[int, str]]


class _Unreadable(Exception):
    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line
        self.reason = reason


class _Loader(Reader, Scanner, Parser, Composer, BaseResolver):
    """Composes nodes without a schema. A tab separates tokens, except at the beginning of a line."""

    def __init__(self, text: str, deepest: int) -> None:
        self._deepest = deepest
        Reader.__init__(self, text)
        Scanner.__init__(self)
        Parser.__init__(self)
        Composer.__init__(self)
        BaseResolver.__init__(self)

    def resolve(self, kind: type[yaml.Node], value: str | None, implicit: Any) -> str:
        """Return no tag: the construction decides by the text."""
        return ""

    def fetch_flow_collection_start(self, token: type[yaml.Token]) -> None:
        """Refuse deep nesting here, too: each level takes the scanner the time of all around it."""
        if self.flow_level > self._deepest:
            raise _Unreadable(self.line + 1, _TOO_DEEP.format(self._deepest))
        super().fetch_flow_collection_start(token)

    def fetch_tag(self) -> None:
        """Read ``!ALIAS`` as a text, since no tag of that form has a meaning for tokens."""
        if self.peek(1).isalnum():
            self.fetch_plain()
        else:
            super().fetch_tag()

    def scan_to_next_token(self) -> None:
        """Skip spaces, tabs after the first token of a line, comments and line ends."""
        super().scan_to_next_token()
        while self.peek() == "\t" and not self._is_indentation():
            while self.peek() == "\t":
                self.forward()
            super().scan_to_next_token()

    def _is_indentation(self) -> bool:
        """Return whether the tab at this position indents a block."""
        before = self.buffer[self.pointer - self.column : self.pointer]
        rest = _REST.match(self.buffer, self.pointer)
        return not self.flow_level and not before.strip(" \t") and rest is not None and rest[1] not in ("", "#")


def read_yaml(text: str, deepest: int) -> YamlReading:
    """Return the value of the first document of a text, and what is wrong with it."""
    reading = YamlReading(None, {}, [])
    try:
        loader = _Loader(text, deepest)
        loader.check_node()
        root = loader.get_node() if not loader.check_event(yaml.StreamEndEvent) else None
        if loader.check_node():
            reading.problems.append((loader.line + 1, "the file has several documents; only the first one is read"))
        if root is None:
            return reading._replace(lines={(): 1})
        _Size(deepest).of(root, ())
        content = _Construction(text, reading).value(root, ())
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark is not None else 1
        return reading._replace(problems=[(line, f"{error.problem or 'the YAML is invalid'}; correct the YAML")])
    except yaml.YAMLError as error:
        return reading._replace(problems=[(1, f"{str(error).splitlines()[0]}; correct the YAML")])
    except RecursionError:
        return reading._replace(problems=[(1, "the YAML is nested too deeply; reduce its nesting")])
    except _Unreadable as error:
        return reading._replace(lines={}, problems=[*reading.problems, (error.line, error.reason)])
    return reading._replace(content=content)


class _Size:
    """Counts values with those of aliases, without visiting an anchor more than once."""

    def __init__(self, deepest: int) -> None:
        self._deepest = deepest
        self._sizes: dict[int, int] = {}

    def of(self, node: yaml.Node, around: tuple[int, ...]) -> int:
        """Return the number of values of a node. Raises _Unreadable for cycles, deep nesting and too many values."""
        line = node.start_mark.line + 1
        if id(node) in around:
            raise _Unreadable(line, "an anchor contains its own alias; remove the alias")
        if len(around) > self._deepest:
            raise _Unreadable(line, _TOO_DEEP.format(self._deepest))
        if id(node) not in self._sizes:
            within = (*around, id(node))
            size = 1
            if isinstance(node, yaml.MappingNode):
                size += sum(self.of(each, within) for _, each in node.value)
            elif isinstance(node, yaml.SequenceNode):
                size += sum(self.of(each, within) for each in node.value)
            if size > _MOST_NODES:
                raise _Unreadable(line, f"the YAML has more than {_MOST_NODES:,} values; split the file")
            self._sizes[id(node)] = size
        return self._sizes[id(node)]


class _Construction:
    """Makes the values of nodes, and records their lines."""

    def __init__(self, text: str, reading: YamlReading) -> None:
        self._text = text
        self._lines = reading.lines
        self._problems = reading.problems

    def value(self, node: yaml.Node, pointer: Pointer) -> Any:
        """Return the value of a node."""
        self._lines.setdefault(pointer, node.start_mark.line + 1)
        match node:
            case yaml.MappingNode():
                reference = _reference(node)
                return self._mapping(node, pointer) if reference is None else reference
            case yaml.SequenceNode():
                return [self.value(each, (*pointer, index)) for index, each in enumerate(node.value)]
            case yaml.ScalarNode():
                return self._scalar(node)
        return None

    def _mapping(self, node: yaml.MappingNode, pointer: Pointer) -> dict[str, Any]:
        members: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        for name_node, value_node in node.value:
            line = name_node.start_mark.line + 1
            if not isinstance(name_node, yaml.ScalarNode):
                self._problems.append((line, "a name is an object or array; write a text"))
                continue
            name = name_node.value
            if name == _MERGE_TAG and name_node.style is None:
                sources = value_node.value if isinstance(value_node, yaml.SequenceNode) else [value_node]
                for source in reversed(sources):
                    if isinstance(source, yaml.MappingNode):
                        merged |= self._mapping(source, pointer)
                continue
            if name in members:
                what = f"the name {name[:60]!r} is repeated in one object; only its last value is read"
                self._problems.append((line, what))
            self._lines[*pointer, name] = line
            members[name] = self.value(value_node, (*pointer, name))
        return {**merged, **members} if merged else members

    def _scalar(self, node: yaml.ScalarNode) -> Any:
        text = node.value
        if node.style is not None or node.tag == _TEXT_TAG:
            return text
        if text in _WORDS:
            if not text and (comment := self._comment_after(node)):
                what = f"{comment!r} is a comment in YAML, so the value is empty; put it in quotes"
                self._problems.append((node.start_mark.line + 1, what))
            return _WORDS[text]
        if _INTEGER.fullmatch(text):
            return int(text)
        if _BASED.fullmatch(text):
            return int(text, 0)
        if _FLOAT.fullmatch(text) and abs(number := float(text)) != float("inf"):
            return number
        return text

    def _comment_after(self, node: yaml.ScalarNode) -> str:
        """Return the colour that follows an empty value on its line: ``#fff`` without quotes."""
        found = re.match(r"[ \t]*(#[0-9a-fA-F]{3,8})\b", self._text[node.start_mark.index :])
        return found[1] if found else ""


def _reference(node: yaml.MappingNode) -> str | None:
    """Return ``{a.b}`` or ``{!A}`` without quotes as the text; None for an object."""
    if not node.flow_style or len(node.value) != 1:
        return None
    name, value = node.value[0]
    is_empty = isinstance(value, yaml.ScalarNode) and not value.value and value.style is None
    if not is_empty or not isinstance(name, yaml.ScalarNode) or name.style is not None:
        return None
    return f"{{{name.value}}}" if name.value else None
