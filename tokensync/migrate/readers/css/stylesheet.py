"""CSS and SCSS to the declarations of their tokens, each with the rules around it.

tinycss2 finds the tokens of the syntax and their positions. SCSS differs in comments up to the end of a line, in
variables (``$a``, ``namespace.$a``), in interpolation (``#{...}``) and in flags (``!default``). Values are kept as
written, without comments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from tokensync.migrate.readers.documents import missing_package
from tokensync.migrate.source import Location

_DEEPEST = 60
"""Levels of brackets and rules. People nest a few; each level costs several frames of Python's stack."""

_SCSS_LEXEMES = re.compile(
    r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|/\*.*?(?:\*/|\Z)|url\([^\"'$#)\n]{0,2000}\)|//[^\n]*", re.DOTALL
)
"""Strings, comments and addresses of SCSS: ``//`` starts a comment outside of the others only."""

RuleKind = Literal["selector", "media", "supports", "layer", "theme", "local", "other"]

_RULE_KINDS: dict[str, RuleKind] = {
    "custom-variant": "other",
    "layer": "layer",
    "media": "media",
    "supports": "supports",
    "theme": "theme",
    **dict.fromkeys(("mixin", "function", "each", "for", "while", "if", "else"), "local"),
}


_NO_TOKENS = frozenset(
    "color-profile counter-style font-face font-feature-values font-palette-values keyframes page position-try"
    " -moz-keyframes -webkit-keyframes".split()
)
"""At-rules whose blocks style something, and declare no token."""

_SPACE = {"whitespace", "comment"}
_BRACKETS = {"() block": "", "[] block": "[", "{} block": "{"}
_CLOSING = {"() block": ")", "[] block": "]", "{} block": "}"}
_IDENTIFIER = re.compile(r"[^\W\d][\w-]*")


class Call(NamedTuple):
    """A function with its arguments; ``""``, ``[`` and ``{`` stand for brackets, ``#`` for an interpolation."""

    name: str
    arguments: tuple[Part, ...]


class Variable(NamedTuple):
    """A use of an SCSS variable: ``$name``, or ``namespace.$name``."""

    name: str
    namespace: str = ""


Part = str | Call | Variable
"""A part of a value: the text of one token of the syntax, a function, or a variable of SCSS."""


class Rule(NamedTuple):
    """A rule or at-rule around a declaration, without its block. ``nodes`` are those of tinycss2."""

    kind: RuleKind
    nodes: tuple[Any, ...]
    text: str
    at: Location


class Declaration(Struct, frozen=True):
    """A declaration of a custom property (``--a``) or of an SCSS variable (``$a``).

    A name with an interpolation at its start (``#{$a}b``) can also be that of an ordinary property.

    An entry of a map of SCSS is a declaration with its ``keys``. ``flags`` are ``important``, ``default`` and
    ``global``. ``broken`` is the reason why the value cannot be read.
    """

    name: str
    value: tuple[Part, ...]
    at: Location
    rules: tuple[Rule, ...]
    flags: frozenset[str] = frozenset()
    keys: tuple[str, ...] = ()
    comment: str = ""
    broken: str = ""


class Import(NamedTuple):
    """``@import``, ``@use`` or ``@forward`` of other stylesheets, under the rules and conditions of the statement."""

    targets: tuple[str, ...]
    at: Location
    rules: tuple[Rule, ...]
    namespace: str = ""
    overrides: tuple[tuple[str, tuple[Part, ...]], ...] = ()
    keyword: str = "import"


class AtRule(NamedTuple):
    """An at-rule that declares no token, or that describes one: ``@property``, ``@custom-media``, ``@keyframes``."""

    keyword: str
    name: str
    text: str
    at: Location
    rules: tuple[Rule, ...] = ()
    descriptors: tuple[tuple[str, str], ...] = ()


class Broken(NamedTuple):
    """Text that breaks the syntax."""

    at: Location
    reason: str


Entry = Declaration | Import | AtRule | Broken


def parsed(text: str, file: str, *, is_scss: bool) -> list[Entry]:
    """Return the entries of a stylesheet in their order. Raise an error if tinycss2 is not installed."""
    try:
        import tinycss2  # type: ignore[import-untyped]
    except ImportError:
        raise missing_package("tinycss2", f"{file}: to read CSS, tokensync") from None
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n")
    text = text.replace("\0", "\ufffd")
    if is_scss:
        text = _SCSS_LEXEMES.sub(lambda found: _blank(found[0]), text)
    try:
        nodes = tinycss2.parse_component_value_list(text)
    except (RecursionError, ValueError) as error:
        return [Broken(Location(file, 1), f"not a stylesheet ({error}); correct it")]
    return list(_Parser(text, file, is_scss).statements(nodes, len(text), ()))


def selector_nodes(text: str) -> tuple[Any, ...]:
    """Return the nodes of a selector."""
    import tinycss2

    return tuple(tinycss2.parse_component_value_list(text))


def _blank(lexeme: str) -> str:
    return " " * len(lexeme) if lexeme.startswith("//") else lexeme


def rendered(parts: Sequence[Part]) -> str:
    """Return the text of a value, with single spaces."""
    texts = []
    for part in parts:
        match part:
            case str():
                texts.append(part)
            case Variable(name, namespace):
                texts.append(f"{namespace}.${name}" if namespace else f"${name}")
            case Call("[", arguments):
                texts.append(f"[{rendered(arguments)}]")
            case Call("{", arguments):
                texts.append(f"{{{rendered(arguments)}}}")
            case Call("#", arguments):
                texts.append(f"#{{{rendered(arguments)}}}")
            case Call(name, arguments):
                texts.append(f"{name}({rendered(arguments)})")
    return "".join(texts)


def trimmed(parts: Sequence[Part]) -> tuple[Part, ...]:
    """Return parts without the spaces at their ends."""
    first, last = 0, len(parts)
    while first < last and parts[first] == " ":
        first += 1
    while last > first and parts[last - 1] == " ":
        last -= 1
    return tuple(parts[first:last])


def split(parts: Sequence[Part], separator: str) -> list[tuple[Part, ...]]:
    """Return the parts between separators, without spaces at their ends."""
    pieces: list[list[Part]] = [[]]
    for part in parts:
        if part == separator:
            pieces.append([])
        else:
            pieces[-1].append(part)
    return [trimmed(piece) for piece in pieces]


def words_in(value: Sequence[Part]) -> Iterator[Part]:
    """Yield all parts of a value, also those in brackets."""
    pending = list(reversed(value))
    while pending:
        part = pending.pop()
        yield part
        if isinstance(part, Call):
            pending += reversed(part.arguments)


class _Parser:
    """Splits the nodes of a file into statements."""

    def __init__(self, text: str, file: str, is_scss: bool) -> None:
        self.text = text
        self.file = file
        self.is_scss = is_scss
        self.starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def offset(self, node: Any) -> int:
        return self.starts[int(node.source_line) - 1] + int(node.source_column) - 1

    def source(self, nodes: Sequence[Any], end: int) -> str:
        """Return the text of nodes as written, in one line."""
        return " ".join(self.text[self.offset(nodes[0]) : end].split()) if nodes else ""

    def location(self, node: Any) -> Location:
        return Location(self.file, node.source_line)

    def ends(self, nodes: Sequence[Any], end: int) -> list[int]:
        """Return the offset of the end of each node."""
        return [*(self.offset(node) for node in nodes[1:]), end][: len(nodes)]

    def inside(self, end: int, bracket: str) -> int:
        """Return the end of the content of a block that ends there. The last blocks of a file can be unclosed."""
        return end - 1 if self.text[end - 1 : end] == bracket else end

    def statements(self, nodes: Sequence[Any], end: int, rules: tuple[Rule, ...]) -> Iterator[Entry]:
        """Yield the entries of the content of a block."""
        if len(rules) > _DEEPEST:
            yield Broken(rules[-1].at, f"more than {_DEEPEST} nested rules; what is inside is not read")
            return
        ends = self.ends(nodes, end)
        first = 0
        for i, node in enumerate(nodes):
            if node.type == "error" and node.kind in {"}", ")", "]"}:
                yield Broken(self.location(node), f"unmatched {node.kind}; correct the stylesheet")
            is_block = node.type == "{} block" and not self.continues(nodes[first:i])
            is_end = node.type == "literal" and node.value == ";"
            if not (is_block or is_end or i == len(nodes) - 1):
                continue
            last = i if is_block or is_end else i + 1
            prelude = [node for node in nodes[first:last] if node.type != "error" or node.kind not in {"}", ")", "]"}]
            while prelude and prelude[0].type in _SPACE:
                del prelude[0]
            stop = self.offset(node) if is_block or is_end else end
            if is_block:
                yield from self.block(prelude, stop, node, ends[i], rules)
            elif prelude and prelude[0].type == "at-keyword":
                yield from self.at_statement(prelude, stop, rules)
            elif prelude:
                yield from self.declaration(prelude, stop, rules, self.comment(nodes[i + 1 : i + 3], node))
            first = i + 1

    def continues(self, before: Sequence[Any]) -> bool:
        """Return whether a ``{}`` block is a part of a value or name: an interpolation, or in a custom property."""
        if self.is_scss and before and _is(before[-1], "#"):
            return True
        tokens = [node for node in before if node.type not in _SPACE]
        return len(tokens) > 1 and tokens[0].type == "ident" and tokens[0].value[:2] == "--" and _is(tokens[1], ":")

    def comment(self, after: Sequence[Any], semicolon: Any) -> str:
        """Return the text of the comment that follows a declaration in its line."""
        for node in after:
            if node.type == "comment" and node.source_line == semicolon.source_line:
                return " ".join(node.value.split())
            if node.type != "whitespace":
                break
        return ""

    def block(self, prelude: list[Any], stop: int, block: Any, end: int, rules: tuple[Rule, ...]) -> Iterator[Entry]:
        """Yield the entries of a rule or at-rule with a block."""
        end = self.inside(end, "}")
        text = self.source(prelude, stop)
        at = self.location(prelude[0] if prelude else block)
        if not prelude or prelude[0].type != "at-keyword":
            rule = Rule("selector", tuple(prelude), text, at)
            yield from self.statements(block.content, end, (*rules, rule))
            return
        keyword = prelude[0].lower_value
        name = self.source(_without_space(prelude[1:]), stop)
        if keyword == "property":
            yield AtRule(keyword, self.name(prelude[1:], stop), text, at, rules, self.descriptors(block.content, end))
        elif keyword in _NO_TOKENS:
            yield AtRule(keyword, name, text, at)
            yield from self.statements(block.content, end, (*rules, Rule("local", (), text, at)))
        elif keyword == "at-root":
            rule = Rule("selector", tuple(prelude[1:]), name, at)
            yield from self.statements(block.content, end, (rule,))
        else:
            rule = Rule(_RULE_KINDS.get(keyword, "other"), tuple(prelude[1:]), text, at)
            if keyword == "function":
                yield AtRule(keyword, name.partition("(")[0].strip(), text, at)
            yield from self.statements(block.content, end, (*rules, rule))

    def descriptors(self, nodes: Sequence[Any], end: int) -> tuple[tuple[str, str], ...]:
        """Return the names and texts of the descriptors of an at-rule."""
        pieces = [piece.split(":", 1) for piece in self.source(nodes, end).split(";") if ":" in piece]
        return tuple((name.strip().lower(), text.strip()) for name, text in pieces)

    def name(self, nodes: Sequence[Any], stop: int) -> str:
        """Return a name without its escapes. A name with an interpolation stays as it is written."""
        tokens = [node for node in nodes if node.type not in _SPACE]
        if len(tokens) == 1 and tokens[0].type == "ident":
            return str(tokens[0].value)
        return self.source(tokens, stop)

    def at_statement(self, nodes: list[Any], stop: int, rules: tuple[Rule, ...]) -> Iterator[Entry]:
        """Yield the entry of an at-rule without a block."""
        keyword, at = nodes[0].lower_value, self.location(nodes[0])
        rest = _without_space(nodes[1:])
        text = self.source(rest, stop)
        match keyword:
            case "import" | "use" | "forward":
                try:
                    yield self.imported(keyword, rest, stop, at, rules)
                except _UnreadableError as error:
                    yield Broken(at, f"@{keyword}: {error}; correct the stylesheet")
            case "custom-media":
                name, _, condition = text.partition(" ")
                yield AtRule(keyword, name, condition.strip(), at)
            case "layer" | "include":
                yield AtRule(keyword, text, text, at, rules)
            case "media" | "supports" | "theme":
                yield Broken(at, f"@{keyword} has no block; close its brackets")

    def imported(self, keyword: str, nodes: list[Any], stop: int, at: Location, rules: tuple[Rule, ...]) -> Import:
        """Return an import. The conditions after the address in CSS become rules around the imported sheet."""
        targets = tuple(_address(node) for node in nodes if node.type in {"string", "url"} or _is_url(node))
        parts = self.parts(nodes, stop)
        namespace = targets[0].rpartition("/")[2].rpartition(":")[2].removeprefix("_") if targets else ""
        namespace = namespace.rsplit(".", 1)[0]
        overrides: tuple[tuple[str, tuple[Part, ...]], ...] = ()
        for i, part in enumerate(parts):
            if part == "as" and i + 2 < len(parts):
                namespace = rendered(parts[i + 2 : i + 3])
            if isinstance(part, Call) and part.name in {"", "with"} and keyword != "import":
                pairs = [split(each, ":") for each in split(part.arguments, ",")]
                overrides = tuple((rendered(pair[0]), pair[1]) for pair in pairs if len(pair) == 2)
        conditions = self.conditions(nodes, stop, at) if keyword == "import" else ()
        return Import(targets, at, (*rules, *conditions), namespace, overrides, keyword)

    def conditions(self, nodes: list[Any], stop: int, at: Location) -> Iterator[Rule]:
        """Yield the layer, the feature query and the media query of an import."""
        media = []
        for node in nodes:
            if node.type == "string" or node.type == "url" or _is_url(node) or _is(node, ","):
                continue
            if node.type == "function" and node.lower_name in {"layer", "supports", "theme"}:
                kind = _RULE_KINDS[node.lower_name]
                yield Rule(kind, tuple(node.arguments), self.source([node], stop), at)
            elif node.type == "ident" and node.lower_value == "layer":
                yield Rule("layer", (), "layer", at)
            else:
                media.append(node)
        media = _without_space(media)
        if media:
            yield Rule("media", tuple(media), self.source(media, stop), at)

    def declaration(self, nodes: list[Any], stop: int, rules: tuple[Rule, ...], comment: str) -> Iterator[Entry]:
        """Yield the declaration of a token, and nothing for one of an ordinary property."""
        colon = next((i for i, node in enumerate(nodes) if _is(node, ":")), None)
        is_custom = nodes[0].type == "ident" and nodes[0].value[:2] == "--"
        is_custom = is_custom or (self.is_scss and _is(nodes[0], "#"))
        dollar = next((i for i, node in enumerate(nodes[:colon]) if _is(node, "$")), None)
        if colon is None or not (is_custom or (self.is_scss and dollar in {0, 2})):
            if not rules:
                yield Broken(self.location(nodes[0]), "this text is in no rule; close the brackets, or remove it")
            return
        value, (names, flags) = _without_flags(nodes[colon + 1 :])
        at, end = self.location(nodes[0]), self.offset(flags[0]) if flags else stop
        first = 0 if is_custom or dollar is None else dollar + 1
        name = self.name(nodes[first:colon], self.offset(nodes[colon]))
        made = Declaration(name if is_custom else f"${name}", (), at, rules, frozenset(names), comment=comment)
        if dollar == 2:
            yield replace(made, broken="sets a variable of another module; give it a value where that is loaded")
        elif dollar == 0:
            yield from self.variable(made, value, end)
        else:
            yield self.with_value(made, value, end)

    def with_value(self, declaration: Declaration, nodes: Sequence[Any], end: int) -> Declaration:
        try:
            return replace(declaration, value=trimmed(self.parts(nodes, end)))
        except _UnreadableError as error:
            return replace(declaration, broken=str(error))

    def variable(self, made: Declaration, nodes: Sequence[Any], end: int) -> Iterator[Declaration]:
        """Yield the declaration of a variable of SCSS, or those of the entries of its map."""
        value = _without_space(nodes)
        is_map = len(value) == 1 and value[0].type == "() block" and any(_is(each, ":") for each in value[0].content)
        if not is_map or len(made.keys) > _DEEPEST:
            yield self.with_value(made, nodes, end)
            return
        content = value[0].content
        ends = self.ends(content, self.inside(self.offset(nodes[-1]) if nodes[-1] is not value[0] else end, ")"))
        first = 0
        for i, node in enumerate(content):
            is_end = _is(node, ",")
            if not is_end and i < len(content) - 1:
                continue
            entry = content[first : i if is_end else i + 1]
            stop = self.offset(node) if is_end else ends[i]
            first = i + 1
            colon = next((at for at, each in enumerate(entry) if _is(each, ":")), None)
            tokens = _without_space(entry)
            if not tokens:
                continue
            at = self.location(tokens[0])
            if colon is None:
                yield replace(made, at=at, broken="an entry of a map without a colon")
                continue
            key = self.source(_without_space(entry[:colon]), self.offset(entry[colon])).strip().strip("\"'")
            yield from self.variable(replace(made, at=at, keys=(*made.keys, key)), entry[colon + 1 :], stop)

    def parts(self, nodes: Sequence[Any], end: int, depth: int = 0) -> tuple[Part, ...]:
        """Return the parts of a value."""
        if depth > _DEEPEST:
            raise _UnreadableError(f"more than {_DEEPEST} nested brackets")
        ends = self.ends(nodes, end)
        found: list[Part] = []
        for node, stop in zip(nodes, ends, strict=True):
            match node.type:
                case "error":
                    raise _UnreadableError(f"not valid CSS: {node.message}")
                case "comment" | "whitespace":
                    if found[-1:] != [" "]:
                        found.append(" ")
                case "function":
                    found.append(Call(node.name, self.parts(node.arguments, self.inside(stop, ")"), depth + 1)))
                case "() block" | "[] block" | "{} block":
                    inside = self.parts(node.content, self.inside(stop, _CLOSING[node.type]), depth + 1)
                    found.append(Call(_BRACKETS[node.type], inside))
                case "ident" if node.value[:2] == "--":
                    found.append(node.value)
                case _:
                    found.append(self.text[self.offset(node) : stop])
        return tuple(_scss_parts(found) if self.is_scss else found)


class _UnreadableError(Exception):
    """A value that is not valid CSS."""


def _scss_parts(parts: list[Part]) -> Iterator[Part]:
    """Yield parts with variables and interpolations of SCSS in place of their characters."""
    i = 0
    while i < len(parts):
        match parts[i : i + 4]:
            case [str(namespace), ".", "$", str(name)] if _IDENTIFIER.fullmatch(namespace):
                yield Variable(name, namespace)
                i += 4
            case [str(namespace), ".", Call(name, arguments), *_] if name and _IDENTIFIER.fullmatch(namespace):
                yield Call(f"{namespace}.{name}", arguments)
                i += 3
            case ["$", str(name), *_]:
                yield Variable(name)
                i += 2
            case ["#", Call("{", arguments), *_]:
                yield Call("#", arguments)
                i += 2
            case [part, *_]:
                yield part
                i += 1


def _is(node: Any, literal: str) -> bool:
    return bool(node.type == "literal" and node.value == literal)


def _is_url(node: Any) -> bool:
    return bool(node.type == "function" and node.lower_name == "url")


def _address(node: Any) -> str:
    """Return the address of an import: ``"a"``, ``url(a)`` or ``url("a")``."""
    if node.type != "function":
        return str(node.value)
    return next((str(argument.value) for argument in node.arguments if argument.type == "string"), "")


def _without_space(nodes: Sequence[Any]) -> list[Any]:
    """Return nodes without spaces and comments at their ends."""
    kept = list(nodes)
    while kept and kept[0].type in _SPACE:
        del kept[0]
    while kept and kept[-1].type in _SPACE:
        del kept[-1]
    return kept


def _without_flags(nodes: Sequence[Any]) -> tuple[list[Any], tuple[set[str], list[Any]]]:
    """Split ``!important``, ``!default`` and ``!global`` off the end of a value; also return their nodes."""
    value, names, flags = list(nodes), set[str](), list[Any]()
    while True:
        tokens = [i for i, node in enumerate(value) if node.type not in _SPACE][-2:]
        if len(tokens) < 2 or not _is(value[tokens[0]], "!") or value[tokens[1]].type != "ident":
            return value, (names, flags)
        names.add(value[tokens[1]].lower_value)
        flags = [*value[tokens[0] :], *flags]
        value = value[: tokens[0]]
