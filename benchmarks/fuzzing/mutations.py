"""Changes of valid contents that keep most of their structure, so that readers get far into them.

Values are found and bytes are damaged as in tests/commands/damages.py. The same seed gives the same content.
"""

from __future__ import annotations

import json
import re
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from commands import damages
from commands.damages import Form, Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from random import Random

DEEPEST = 100_000
TEXTS = (
    *(
        "",
        " ",
        "a",
        "A/b",
        "a.b",
        "{a.b}",
        "{a}",
        "$value",
        "$root",
        "$extends",
        "#/a/$value",
        "#",
        "../x",
        "/etc/passwd",
    ),
    *(
        "__proto__",
        "toString",
        "VariableID:9:9",
        "VARIABLE_ALIAS",
        "color",
        "dimension",
        "COLOR",
        "FLOAT",
        "1:0",
        "con",
    ),
    *(
        "*/",
        "/*",
        "//",
        "</style",
        "<!--",
        "]]>",
        "{{ 7*7 }}",
        "{% for x in y %}",
        "${x}",
        "\\(x)",
        "'\"`\\",
        "%s %(x)s",
    ),
    *(
        "a\nb",
        "\t",
        "\x1b[2J",
        "\u2028",
        "\u202ex",
        "\ufeff",
        "e\u0301" * 40,
        "\U0001f3a8",
        "é",
        "İ",
        "ﬀ",
        "\ud800",
        "\x00",
    ),
    *("1px", "-1.5rem", "calc(1px + 2px)", "#12", "#112233445566", "0x", "1e5", "2026-01-01T00:00:00Z", "=x", "+x"),
    "x" * 2000,
    "a/" * 300,
    "{" * 300,
    "-" * 300,
)
"""Texts that mean something to a reader, or to what is made of it."""
NUMBERS = (
    b"0 -0 -0.0 1 -1 0.1 2 3 255 256 65536 1e-7 1e-400 1e30 1e308 1e309 -1e999 9007199254740993 0.30000001".split()
)
SCALARS = (*NUMBERS, b"9" * 30, b"9" * 400, b"0." + b"3" * 400, b"true", b"false", b"NaN", b"Infinity", b"nul", b"")
JSON_VALUES = (
    *SCALARS,
    *(b"null", b"[]", b"{}", b"[[]]", b"[null]", b'[""]', b'{"":null}', b'{"a":1,"a":2}', b'{"$value":1}', b"[1,2,3]"),
    *(
        b'{"type":"VARIABLE_ALIAS","id":"VariableID:9:9"}',
        b'{"r":2,"g":-1,"b":1e9,"a":null}',
        b'{"value":1,"unit":"x"}',
    ),
)
TOML_VALUES = (*SCALARS, b"inf", b"-nan", b"[]", b"{}", b"[[]]", b"{a = 1}", b'["a", 1]', b"1979-05-27", b"0x_", b'"""')
FRAGMENTS = (
    *(b"{ } ( ) [ ] < > ; : , . / * ! # $ @ & - _ % = ' \" ` \\ ? ^ ~ |".split()),
    *(
        b"\n",
        b"\r",
        b"\t",
        b"\0",
        b"\xef\xbb\xbf",
        b"\xff",
        b"\xed\xa0\x80",
        b"\xe2\x80\xa8",
        b"\xc3\xa9",
        b"/*",
        b"*/",
    ),
    *(b"//", b"/>", b"</", b"<!--", b"<![CDATA[", b"]]>", b"&#0;", b"${", b"#{", b"`${`", b'"""', b"{{", b"{%", b"{#"),
    *(b"1e999", b"-0", b"0x", b"9" * 400, b"(" * 300, b"[" * 300, b"{" * 300, b"/*" * 300, b"<a>" * 300, b"- " * 300),
    *(b"url(", b"var(", b"calc(", b"rgb(", b"@media", b"@import", b"import", b"if", b"for", b"fun", b"class", b"&a;"),
)
_LEXEME = re.compile(rb"\w+|[^\w\s]|\s+")
_WRITTEN = re.compile(rb"[^\0]{4,}|\0{4,}")


class Example:
    """A valid content, and where its values, or its words, are."""

    def __init__(self, content: bytes, form: Form) -> None:
        self.content = content
        self.form = form

    @cached_property
    def spans(self) -> list[Value]:
        match self.form:
            case "json" | "json lines":
                return damages.values(self.content, self.form)
            case "toml":
                return [*damages.values(self.content, "toml"), *self._words(_LEXEME)]
            case "text":
                return self._words(_LEXEME)
        return self._words(_WRITTEN)

    def _words(self, pattern: re.Pattern[bytes]) -> list[Value]:
        return [Value(*match.span(), match.start()) for match in pattern.finditer(self.content)]

    def text(self, span: Value) -> bytes:
        return self.content[span.start : span.end]


def mutated(example: Example, others: Sequence[Example], chance: Random) -> bytes:
    """Return the content with one to six changes: of values, or of bytes and lines; it may be equal."""
    if not example.spans or chance.random() < 0.2:
        kinds = [damages.other_bytes, damages.other_lines]
        if example.form == "json":
            kinds += [damages.stray, damages.undecodable, damages.wrong_member]
        # A whole content of another kind is often large, and there are few of them.
        kind = damages.whole_content if chance.random() < 0.02 else chance.choice(kinds)
        return kind(example.content, example.form, chance).content or b""
    number = chance.choice((1, 1, 1, 2, 2, 3, 6))
    spans = sorted(chance.choice(example.spans) for _ in range(number))
    changes = [(*_range(span, example, chance), span) for span in spans]
    apart = [*(first for first, second in pairwise(changes) if first[1] <= second[0]), changes[-1]]
    pieces, at = [], 0
    for start, end, span in apart:
        pieces += (example.content[at:start], _changed(span, example.content[start:end], example, others, chance))
        at = end
    return b"".join((*pieces, example.content[at:]))


def _range(span: Value, example: Example, chance: Random) -> tuple[int, int]:
    """Return the offsets of what changes: a value, or sometimes its whole member."""
    is_member = example.form in ("json", "json lines", "toml") and chance.random() < 0.3
    return (span.entry if is_member else span.start), span.end


def _changed(span: Value, present: bytes, example: Example, others: Sequence[Example], chance: Random) -> bytes:
    """Return other bytes for a value, for a member with its name, or for a word."""
    form = example.form
    separator = {"toml": b"\n", "json": b", ", "json lines": b", "}.get(form, b"")
    is_member = separator and len(present) > span.end - span.start
    match chance.randrange(10):
        case 0 if is_member or not separator:  # lost, and in JSON what is between its neighbours is a name of its own
            return b'"": 0' if form.startswith("json") else b""
        case 1:
            return present + separator + present
        case 2 if is_member:  # another name of the same document, or the same one again
            _name, colon, value = present.partition(b":" if form.startswith("json") else b"=")
            other = example.text(chance.choice(example.spans))
            return (other if other[:1] == b'"' else json.dumps(chance.choice(TEXTS)).encode()) + colon + value
        case 3 | 4:  # what another place has: a reference to something else, a cycle, an object in place of a text
            source = chance.choice((example, *others))
            grafted = source.text(chance.choice(source.spans))
            return grafted if len(grafted) < 20_000 else b"null"
        case 5:
            return _nested(present, form, chance)
        case 6 | 7 if form in ("json", "json lines", "toml"):
            return json.dumps(chance.choice(TEXTS)).encode()
        case 8 if len(present) > 2:
            at = chance.randrange(1, len(present))
            return present[:at] + chance.choice(FRAGMENTS) + present[at:]
        case 9 if form == "binary":
            return bytes([chance.randrange(256)]) * len(present)
    match form:
        case "json" | "json lines":
            return chance.choice(JSON_VALUES)
        case "toml":
            return chance.choice(TOML_VALUES)
    return chance.choice(FRAGMENTS)


def _nested(present: bytes, form: Form, chance: Random) -> bytes:
    depth = DEEPEST if chance.random() < 0.002 else chance.choice((1, 2, 10, 70, 300, 1200))
    if form.startswith("json") and chance.random() < 0.5:
        return b'{"a":' * depth + present + b"}" * depth
    begin, end = chance.choice((b"[]", b"[]", b"()", b"{}") if form == "text" else (b"[]",)).decode()
    return begin.encode() * depth + present + end.encode() * depth


def deep(example: Example) -> Iterator[bytes]:
    """Yield contents with a nesting of 100,000: as the whole, without its end, and in place of a value."""
    json_pairs = ((b"[", b"]"), (b'{"a":', b"}"))
    text_pairs = ((b"(", b")"), (b"{", b"}"), (b"[", b"]"), (b"<a>", b"</a>"), (b"/*", b"*/"))
    for begin, end in json_pairs if example.form.startswith("json") else text_pairs:
        nested = begin * DEEPEST + b"1" + end * DEEPEST
        yield nested
        yield begin * DEEPEST
        for span in example.spans[len(example.spans) // 2 :][:1]:
            yield example.content[: span.start] + nested + example.content[span.end :]


def large(example: Example, size: int) -> Iterator[bytes]:
    """Yield contents with one text of so many bytes: as the whole, and in place of a value or word."""
    text = b"x" * size
    yield text
    texts = [span for span in example.spans if example.text(span)[:1] in (b'"', b"'")] or example.spans
    for span in texts[len(texts) // 2 :][:1]:
        quoted = b'"%b"' % text if example.text(span)[:1] == b'"' else text
        yield example.content[: span.start] + quoted + example.content[span.end :]
