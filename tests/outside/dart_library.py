"""What an app would read: a generated Dart library, parsed by tree-sitter and evaluated for chosen modes.

A call is ``("Color", 4278190080)`` with named arguments as a dict at the end; a list is a list, a record a dict, and a
constant of Flutter such as ``FontWeight.w700`` a ``Name``. A member of a class of the library is its value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from optional import tree_parser

if TYPE_CHECKING:
    from tree_sitter import Node

RESERVED = frozenset(
    """assert break case catch class const continue default do else enum extends false final finally for if in is new
    null rethrow return super switch this throw true try var void when while with""".split()
)
"""https://dart.dev/language/keywords: what can never be an identifier; the grammar accepts some of it."""
_ESCAPES = re.compile(r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL)
_NAMED = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "v": "\v"}


class Name(str):
    """A constant that the library does not declare."""

    __slots__ = ()


class DartClass(NamedTuple):
    """Types of fields and of constants, the nodes of constants, the expression of ``of``, and signatures of methods."""

    fields: dict[str, str]
    types: dict[str, str]
    constants: dict[str, list[Node]]
    selection: Node | None
    methods: dict[str, str]


class Library:
    """A library: its classes by name, the entries of its enumerations, and the fields of the chosen modes."""

    def __init__(self, source: bytes) -> None:
        root = tree_parser("tree_sitter_dart").parse(source).root_node
        assert not root.has_error, "no Dart"
        self.classes: dict[str, DartClass] = {}
        self.enumerations: dict[str, list[str]] = {}
        self._known: dict[tuple[str, str], Any] = {}
        for node in root.named_children:
            name = _text(node.child_by_field_name("name")) if node.child_by_field_name("name") else ""
            if node.type == "class_definition":
                self.classes[name] = _class_of(node.child_by_field_name("body"))
            elif node.type == "enum_declaration":
                self.enumerations[name] = [_text(each) for each in _all(node, "enum_constant")]
        names = [
            *self.classes,
            *self.enumerations,
            *(each for of in self.classes.values() for each in (*of.types, *of.fields)),
        ]
        assert not RESERVED.intersection(names)

    def fields(self, name: str = "DesignTokens") -> dict[str, str]:
        """Return the enumeration of each chosen mode, by field; empty without modes."""
        return self.classes[name].fields if name in self.classes else {}

    def values(self, class_: str, modes: Mapping[str, str]) -> dict[str, Any]:
        """Return the members of a class of tokens; ``modes`` has the entry of each field of the chosen modes."""
        declared = self.classes[class_]
        if declared.selection is None:
            return {name: self._constant(class_, name) for name in declared.constants}
        (returned,) = _all(declared.selection, "return_statement")
        value = self._evaluated(returned.named_children, class_, modes)
        assert value[0] == class_
        return value[1]

    def _constant(self, class_: str, name: str) -> Any:
        if (class_, name) not in self._known:
            self._known[class_, name] = self._evaluated(self.classes[class_].constants[name], class_, {})
        return self._known[class_, name]

    def _evaluated(self, nodes: list[Node], class_: str, modes: Mapping[str, str]) -> Any:
        """Return the value of an expression, which is a node and what selects from it."""
        first, *selectors = [node for node in nodes if node.type != "comment"]
        match first.type:
            case "switch_expression":
                return self._switched(first, class_, modes)
            case "decimal_integer_literal" | "decimal_floating_point_literal":
                return float(_text(first)) if "." in _text(first) else int(_text(first))
            case "hex_integer_literal":
                return int(_text(first), 16)
            case "unary_expression":
                return -self._evaluated(list(first.named_children[1:]), class_, modes)
            case "string_literal":
                return unescaped(_text(first))
            case "true" | "false":
                return first.type == "true"
            case "list_literal":
                return [self._evaluated(part, class_, modes) for part in _parts(first)]
            case "record_literal":
                return dict(self._named(field, class_, modes) for field in _all(first, "record_field"))
            case "const_object_expression":
                _, *path, arguments = first.named_children
                return self._call(".".join(map(_text, path)), arguments, class_, modes)
            case "identifier":
                return self._called(_text(first), selectors, class_, modes)
        raise AssertionError(first.type)

    def _called(self, name: str, selectors: list[Node], class_: str, modes: Mapping[str, str]) -> Any:
        path = [name]
        for selector in selectors:
            (child,) = selector.named_children
            if child.type == "argument_part":
                return self._call(".".join(path), child.named_children[0], class_, modes)
            path.append(_text(child).removeprefix("."))
        if len(path) == 2 and path[0] in self.classes:
            return self._constant(*path)
        if len(path) == 1:
            return self._constant(class_, name)
        return Name(".".join(path))

    def _call(self, name: str, arguments: Node, class_: str, modes: Mapping[str, str]) -> Any:
        given = arguments.named_children
        named = dict(self._named(each, class_, modes) for each in given if each.type == "named_argument")
        plain = [self._evaluated(each.named_children, class_, modes) for each in given if each.type == "argument"]
        return (name, *plain, *([named] if named else []))

    def _named(self, argument: Node, class_: str, modes: Mapping[str, str]) -> tuple[str, Any]:
        label, *value = argument.named_children
        return _text(label).removesuffix(":").strip(), self._evaluated(value, class_, modes)

    def _switched(self, node: Node, class_: str, modes: Mapping[str, str]) -> Any:
        chosen = [modes[field] for field in re.findall(r"tokens\.(\w+)", _text(node.child_by_field_name("condition")))]
        for case in _all(node, "switch_expression_case"):
            children = list(case.children)
            at = next(index for index, child in enumerate(children) if child.type == "=>")
            pattern = case.text[: children[at].start_byte - case.start_byte].decode()
            entries = [re.findall(r"\w+\.(\w+)", part) for part in pattern.split("||")]
            if pattern.strip() == "_" or chosen in entries:
                return self._evaluated(children[at + 1 :], class_, modes)
        raise AssertionError(f"no case for {chosen}")


def unescaped(literal: str) -> str:
    """Return the text of a string in single quotes. Fails for what interpolates, or ends the line."""
    assert literal[0] == literal[-1] == "'"
    content = literal[1:-1]
    bare = _ESCAPES.sub("", content)
    assert "$" not in bare
    assert "'" not in bare
    assert "\n" not in bare

    def character(match: re.Match[str]) -> str:
        digits = match[1] or match[2] or match[3]
        return chr(int(digits, 16)) if digits else _NAMED.get(match[4], match[4])

    return _ESCAPES.sub(character, content)


def _class_of(body: Node) -> DartClass:
    found = DartClass({}, {}, {}, None, {})
    children = body.named_children
    for at, node in enumerate(children):
        constants = list(_all(node, "static_final_declaration"))
        if node.type == "declaration" and constants:
            name, *value = constants[0].named_children
            found.constants[_text(name)] = value
            found.types[_text(name)] = _declared_type(node, constants[0])
        elif node.type == "declaration":
            for name in _all(node, "initialized_identifier"):
                found.fields[_text(name)] = _declared_type(node, name)
        elif node.type == "method_signature":
            text = _text(node)
            name = re.match(r"(?:static )?[\w<>?.]+ (?:get )?(\w+)", text)
            assert name, text
            found.methods[name[1]] = text
            if name[1] == "of":
                found = found._replace(selection=children[at + 1])
    return found


def _declared_type(declaration: Node, name: Node) -> str:
    text = declaration.text[: name.start_byte - declaration.start_byte].decode()
    return re.sub(r"^\s*(static\s+)?(const|final)\s+", "", text).strip()


def _parts(node: Node) -> Iterator[list[Node]]:
    """Yield the nodes between commas."""
    part: list[Node] = []
    for child in node.children:
        if child.type in "[],":
            if part:
                yield part
            part = []
        elif child.type not in ("comment", "const_builtin"):
            part.append(child)
    assert not part


def _all(node: Node, kind: str) -> Iterator[Node]:
    """Yield the closest nodes of a kind below a node."""
    for child in node.named_children:
        if child.type == kind:
            yield child
        else:
            yield from _all(child, kind)


def _text(node: Node) -> str:
    return node.text.decode()
