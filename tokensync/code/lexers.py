r"""Lexers that separate names from strings, comments and texts, with positions, for the languages of ``LANGUAGES``.

They accept any text, also malformed and truncated text, in linear time and without recursion. A lexer is a table of
modes. A mode is a pattern that matches at least one character, with a rule for each named group: the kind of its token,
and the mode to enter or leave. So strings in interpolations in strings need no grammar. Where a text is ambiguous
without its grammar, a lexer prefers to read a string or a text, because names there are listed instead of changed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from typing import Literal, NamedTuple

WORD_IN_TEXT = re.compile(r"\d|_|(?<=.)[A-Z]")
"""A part of a name that no word of prose has."""
Kind = Literal[
    "name", "variable", "hash", "at", "mark", "quote", "string", "text", "comment", "url", "begin", "end", "line",
    "tag", "attribute", "value", "regex",
]  # fmt: skip
"""``variable`` is a variable of Sass, with its dollar sign. ``string`` and ``text`` have no quotation marks, and are
interrupted by interpolations from ``begin`` to ``end``. ``value`` is a number or a character."""


class Token(NamedTuple):
    """A token: its kind, and the offsets of its first character and of the one after its last."""

    kind: Kind
    start: int
    end: int


class _Rule(NamedTuple):
    """What a group of a mode's pattern means: its token, the mode to enter, and whether to leave the mode before.

    ``ends_value`` is true if an operator may follow, so that a slash is no regular expression.
    """

    kind: Kind | None
    push: Callable[[re.Match[str]], _Mode] | None = None
    pop: bool = False
    ends_value: bool = False


class _Mode:
    """A pattern with its rules; ``operand`` is the pattern where a value begins."""

    def __init__(self) -> None:
        self.rules: dict[str, _Rule] = {}
        self.pattern = re.compile(r"(?P<rest>.)", re.DOTALL)
        self.operand = self.pattern

    def define(self, *groups: tuple[str, str, _Rule], operand: tuple[tuple[str, str, _Rule], ...] = ()) -> _Mode:
        """Set the groups: a name, its pattern, which may contain the group itself, and its rule."""
        skipped = ""
        if groups[0] is _SPACE:  # a match of its own would take as long as that of a token
            groups, skipped = groups[1:], r"\s*+"
        self.rules = {name: rule for name, _, rule in (*operand, *groups)} | {"rest": _Rule("mark")}
        self.pattern, self.operand = (
            re.compile(f"{skipped}(?:{'|'.join((*map(_group, alternatives), '(?P<rest>.)'))})", re.DOTALL)
            for alternatives in (groups, (*operand, *groups))
        )
        return self


def _group(group: tuple[str, str, _Rule]) -> str:
    name, pattern, _ = group
    return pattern if f"(?P<{name}>" in pattern else f"(?P<{name}>{pattern})"


def _enter(mode: _Mode) -> Callable[[re.Match[str]], _Mode]:
    return lambda _: mode


_SPACE = ("space", r"\s+", _Rule(None))
_CLOSE_QUOTE = _Rule("quote", pop=True, ends_value=True)
_COMMENTS = (("block", r"/\*.*?(?:\*/|\Z)", _Rule("comment")), ("slashes", r"//[^\n\r]*", _Rule("comment")))
_NUMBER = ("number", r"\d\w*(?:\.\d\w*)?", _Rule("value", ends_value=True))
_NEWLINE = ("newline", r"[\n\r]", _Rule(None, pop=True))


def _quoted(mark: str, *others: tuple[str, str, _Rule], special: str = "", is_long: bool = False) -> _Mode:
    """Return the mode of a string with backslash escapes that ends with its line, unless ``is_long``.

    ``others`` are the groups of interpolations, which begin with a ``special`` character.
    """
    stops = rf"\\{mark}{special}" if is_long else rf"\\{mark}{special}\n\r"
    text = ("string", rf"(?:[^{stops}]+|\\(?:\r\n|.))++", _Rule("string"))
    closing = (("close", mark, _CLOSE_QUOTE), *(() if is_long else (_NEWLINE,)))
    lone = (("lone", rf"[{special}]", _Rule("string")),) if special else ()
    return _Mode().define(text, *closing, *others, *lone)


def _quotes(mode: Callable[[str], _Mode]) -> tuple[tuple[str, str, _Rule], ...]:
    """Return the groups of both quotation marks; ``mode`` returns the mode of what is between two of them."""
    return tuple((name, mark, _Rule("quote", _enter(mode(mark)))) for name, mark in (("double", '"'), ("single", "'")))


def _attribute(mark: str) -> _Mode:
    """Return the mode of a string without escapes, which can have several lines."""
    return _Mode().define(("string", rf"[^{mark}]+", _Rule("string")), ("close", mark, _Rule("quote", pop=True)))


def _brackets(code: _Mode, opening: str, closing: str) -> tuple[tuple[str, str, _Rule], ...]:
    """Return the groups that count the brackets which end an interpolation."""
    return (
        ("opening", re.escape(opening), _Rule("mark", _enter(code))),
        ("closing", re.escape(closing), _Rule("mark", pop=True, ends_value=closing == ")")),
    )


# --- style sheets ---------------------------------------------------------------------------------------------------

_START = r"[^\x00-\x40\x5b-\x5e\x60\x7b-\x7f]"
PART = r"[^\x00-\x2c\x2e\x2f\x3a-\x40\x5b-\x5e\x60\x7b-\x7f]"
"""A character of an identifier of CSS."""
_ESCAPE = r"\\(?:[0-9a-fA-F]{1,6}(?:\r\n|[ \t\r\n\f])?|[^\n\r\f0-9a-fA-F])"
_IDENTIFIER = rf"(?:--|-?(?:{_START}|{_ESCAPE}))(?:{PART}+|{_ESCAPE})*+"
"""An identifier by CSS Syntax Level 3, section 4."""
_IN_URL = r"""(?:[!%&*-\[\]-~\x80-\U0010ffff]+|#(?!\{)|\\.)*+"""
_INDENTED_COMMENT = (
    r"(?:(?<=\n)|(?<![\s\S]))(?P<indent>[ \t]*)(?P<comment>(?://|/\*)[^\n]*"
    r"(?:\n(?:(?P=indent)[ \t]+[^\n]*|[ \t]*(?=\n)))*)"
)


def _style_sheet(*, is_sass: bool = False, is_less: bool = False, is_indented: bool = False) -> _Mode:
    code = _Mode()
    begin = ("begin", r"#\{", _Rule("begin", _enter(code)))
    inside = (begin,) if is_sass else ()
    special = "#" if is_sass else ""
    in_url = _Mode().define(
        ("url", r"(?:[^)#\\]+|\\.|#(?!\{))++", _Rule("url")), begin, ("close", r"\)", _Rule("mark", pop=True))
    )
    if is_sass:
        url = ("start", rf"(?i:url)\((?=\s*{_IN_URL}\s*(?:\)|#\{{))", _Rule("mark", _enter(in_url)))
    else:
        url = ("url", r"""(?i:url)\(\s*(?!["'\s])(?:[^)\\]+|\\.)*+\)?""", _Rule("url"))
    block = _COMMENTS[0]
    if is_sass:  # which evaluates interpolations in the comments that it writes
        text = ("comment", r"(?:[^*#]+|\*(?!/)|#(?!\{))++", _Rule("comment"))
        in_comment = _Mode().define(text, begin, ("close", r"\*/", _Rule("comment", pop=True)))
        block = ("block", r"/\*", _Rule("comment", _enter(in_comment)))
    indented = (("comment", _INDENTED_COMMENT, _Rule("comment")), ("line", r"\n", _Rule("line"))) if is_indented else ()
    return code.define(
        *((*indented, ("space", r"[^\S\n]+", _Rule(None))) if is_indented else (_SPACE,)),
        block,
        *(_COMMENTS[1:] if is_sass or is_less else ()),
        *_quotes(lambda mark: _quoted(mark, *inside, special=special)),
        *inside,
        *((("less", r"@\{[^{}\n]*\}", _Rule("end")),) if is_less else ()),
        url,
        ("number", rf"[+-]?(?:\d*\.)?\d+(?:[eE][+-]?\d+)?(?:{_IDENTIFIER}|%)?", _Rule("value")),
        ("name", _IDENTIFIER, _Rule("name")),
        ("variable", rf"\$(?:{PART}+|{_ESCAPE})++", _Rule("variable")),
        ("hash", rf"#(?:{PART}+|{_ESCAPE})++", _Rule("hash")),
        ("at", rf"@{_IDENTIFIER}", _Rule("at")),
        *_brackets(code, "{", "}"),
    )


# --- JavaScript and TypeScript --------------------------------------------------------------------------------------

_WORD = r"[^\W\d][\w$]*|\$[\w$]*"
_OPERAND_FOLLOWS = frozenset(
    "await case delete do else extends in instanceof new of return throw typeof void yield default".split()
)
"""Words after which a slash begins a regular expression, and an angle bracket an element."""


def _script(*, has_elements: bool) -> _Mode:
    code, tag, children = _Mode(), _Mode(), _Mode()
    begin = _Rule("begin", _enter(code))
    template = _quoted("`", ("begin", r"\$\{", begin), special="$", is_long=True)
    regex = (
        "regex",
        r"/(?![/*])(?:[^/\\\[\n\r]+|\\.|\[(?:[^\]\\\n\r]+|\\.)*+\]?)*+(?:/\w*)?",
        _Rule("regex", ends_value=True),
    )
    element = ("element", r"<(?=>|(?![A-Z]>\()[^\W\d][\w$.:-]*(?:[/>{]|\s+(?!extends\b)))", _Rule("mark", _enter(tag)))
    code.define(
        _SPACE,
        *_COMMENTS,
        *_quotes(_quoted),
        ("template", "`", _Rule("quote", _enter(template))),
        ("name", _WORD, _Rule("name", ends_value=True)),
        ("private", r"#[\w$]+", _Rule("value", ends_value=True)),
        ("number", r"\.?\d[\w.]*", _Rule("value", ends_value=True)),
        ("step", r"\+\+|--", _Rule("mark", ends_value=True)),
        ("group", r"[)\]]", _Rule("mark", ends_value=True)),
        *_brackets(code, "{", "}"),
        operand=(*((element,) if has_elements else ()), regex),
    )
    tag.define(
        _SPACE,
        *_COMMENTS,
        *_quotes(_attribute),
        ("attribute", r"[^\W\d][\w$.:-]*", _Rule("attribute")),
        ("begin", r"\{", begin),
        ("close", r"/>", _Rule("mark", pop=True, ends_value=True)),
        ("content", r">", _Rule("mark", _enter(children), pop=True)),
    )
    children.define(
        ("text", r"[^<{]+", _Rule("text")),
        ("begin", r"\{", begin),
        ("close", r"</[^<>]*>?", _Rule("mark", pop=True, ends_value=True)),
        ("element", r"<(?=[^\W\d]|>)", _Rule("mark", _enter(tag))),
    )
    return code


# --- Kotlin, Java, Swift --------------------------------------------------------------------------------------------


def _nesting_comments() -> tuple[tuple[str, str, _Rule], ...]:
    inside = _Mode()
    deeper = ("deeper", r"/\*", _Rule("comment", _enter(inside)))
    text = ("comment", r"(?:[^*/]+|\*(?!/)|/(?!\*))++", _Rule("comment"))
    inside.define(text, deeper, ("close", r"\*/", _Rule("comment", pop=True)))
    return deeper, *_COMMENTS[1:]


_QUOTED_NAME = ("ticks", r"`(?P<ticks>[^`\n]+)`", _Rule("name", ends_value=True))
_CHARACTER = ("character", r"'(?:[^'\\\n]+|\\.)*+'?", _Rule("value"))


def _kotlin() -> _Mode:
    code = _Mode()

    @lru_cache(maxsize=64)
    def string(dollars: int, *, is_raw: bool) -> _Mode:
        """Return the mode of a string whose interpolations begin with so many dollar signs."""
        sign = rf"\${{{dollars}}}"
        inside = (
            ("begin", rf"{sign}\{{", _Rule("begin", _enter(code))),
            ("name", rf"{sign}`?(?P<name>[^\W\d]\w*)`?", _Rule("name")),
        )
        if not is_raw:
            return _quoted('"', *inside, special="$")
        text = ("string", r'(?:[^"$]+|"(?!""))++', _Rule("string"))
        close = ("close", r'"{3,}', _Rule("quote", pop=True))
        return _Mode().define(text, close, *inside, ("lone", r"\$", _Rule("string")))

    def opened(match: re.Match[str]) -> _Mode:
        return string(min(match[0].count("$"), 9) or 1, is_raw=match[0].endswith('"""'))

    return code.define(
        _SPACE,
        *_nesting_comments(),
        ("quote", r'\$*(?:"""|")', _Rule("quote", opened)),
        _CHARACTER,
        _QUOTED_NAME,
        ("name", r"[^\W\d]\w*", _Rule("name")),
        _NUMBER,
        ("dollars", r"\$+", _Rule("mark")),
        *_brackets(code, "{", "}"),
    )


def _java() -> _Mode:
    block = _Mode().define(
        ("string", r'(?:[^"\\]+|\\.|"(?!""))++', _Rule("string")), ("close", r'"{3,}', _Rule("quote", pop=True))
    )
    return _Mode().define(
        _SPACE,
        *_COMMENTS,
        ("long", r'"""', _Rule("quote", _enter(block))),
        ("quote", r'"', _Rule("quote", _enter(_quoted('"')))),
        _CHARACTER,
        ("name", _WORD, _Rule("name")),
        _NUMBER,
    )


def _swift() -> _Mode:
    code = _Mode()

    @lru_cache(maxsize=64)
    def string(hashes: int, *, is_long: bool) -> _Mode:
        """Return the mode of a string with so many number signs before and after its quotation marks."""
        sign, mark = f"#{{{hashes}}}", '"""' if is_long else '"'
        stops = r'\\"' if is_long else r'\\"\n\r'
        text = rf'(?:[^{stops}]+|"(?!{mark[1:]}{sign})|\\{sign}[^(\n\r]|\\(?!{sign}))++'
        return _Mode().define(
            ("string", text, _Rule("string")),
            ("begin", rf"\\{sign}\(", _Rule("begin", _enter(code))),
            ("close", rf"{mark}{sign}", _CLOSE_QUOTE),
            *(() if is_long else (_NEWLINE,)),
        )

    def opened(match: re.Match[str]) -> _Mode:
        return string(match[0].count("#"), is_long=match[0].endswith('"""'))

    regex = ("regex", r"#+/[^\n]*?/#+|/(?![\s/*])(?:[^/\\\n]+|\\.)++/", _Rule("regex", ends_value=True))
    return code.define(
        _SPACE,
        *_nesting_comments(),
        ("quote", r'#*(?:"""|")', _Rule("quote", opened)),
        _QUOTED_NAME,
        ("name", r"[^\W\d]\w*", _Rule("name", ends_value=True)),
        ("dollar", r"\$\w+", _Rule("value", ends_value=True)),
        _NUMBER,
        ("directive", r"#+\w*", _Rule("mark")),
        ("group", r"[\]}]", _Rule("mark", ends_value=True)),
        *_brackets(code, "(", ")"),
        operand=(regex,),
    )


# --- XML ------------------------------------------------------------------------------------------------------------


def _xml() -> _Mode:
    tag = _Mode().define(
        _SPACE,
        *_quotes(_attribute),
        ("close", r"/?>", _Rule("mark", pop=True)),
        ("attribute", r"""[^\s=<>/"']+""", _Rule("attribute")),
    )
    return _Mode().define(
        ("text", r"[^<]+", _Rule("text")),
        ("comment", r"<!--.*?(?:-->|\Z)", _Rule("comment")),
        ("string", r"<!\[CDATA\[.*?(?:\]\]>|\Z)", _Rule("string")),
        ("instruction", r"<\?.*?(?:\?>|\Z)|<![^<>]*>?", _Rule("value")),
        ("end", r"</[^<>]*>?", _Rule("end")),
        ("tag", r"<(?P<tag>[^\s=<>/\"'!?]+)", _Rule("tag", _enter(tag))),
    )


LANGUAGES: dict[str, Callable[[], _Mode]] = {
    "css": _style_sheet,
    "scss": lambda: _style_sheet(is_sass=True),
    "sass": lambda: _style_sheet(is_sass=True, is_indented=True),
    "less": lambda: _style_sheet(is_less=True),
    "ts": lambda: _script(has_elements=False),
    "tsx": lambda: _script(has_elements=True),
    "kotlin": _kotlin,
    "java": _java,
    "swift": _swift,
    "xml": _xml,
}


@cache
def _first_mode(language: str) -> _Mode:
    """Return the first mode of a language; compiling its patterns takes some milliseconds."""
    return LANGUAGES[language]()


_SUFFIXES = {
    **dict.fromkeys((".css", ".pcss", ".postcss"), "css"),
    **dict.fromkeys((".ts", ".mts", ".cts"), "ts"),
    **dict.fromkeys((".tsx", ".js", ".jsx", ".mjs", ".cjs"), "tsx"),
    **dict.fromkeys((".kt", ".kts"), "kotlin"),
    **{f".{language}": language for language in ("scss", "sass", "less", "java", "swift", "xml")},
}


def language_of(path: str) -> str:
    """Return the language of a file by the end of its name; an empty text for one without a lexer."""
    return _SUFFIXES.get(os.path.splitext(path)[1].lower(), "")


def tokens(text: str, language: str, start: int = 0, end: int | None = None) -> Iterator[Token]:
    """Yield the tokens of a text, or of the part between two offsets, in order. White space is no token."""
    mode = _first_mode(language)
    outer: list[tuple[_Mode, Kind]] = []
    """The modes to return to, each with the kind of the token that leads there."""
    at, end = start, len(text) if end is None else end
    ends_value = False
    while at < end:
        match = (mode.pattern if ends_value else mode.operand).match(text, at, end)
        if match is None or match.lastgroup is None:  # there is only white space
            return
        kind, push, pop, rule_ends_value = mode.rules[match.lastgroup]
        at = match.end()
        if pop and outer:
            mode, closing = outer.pop()
            kind = closing if kind == "mark" else kind
        if push is not None:
            outer.append((mode, "end" if kind == "begin" else "mark"))
            mode = push(match)
        if kind is None:
            continue
        first, last = match.span(match.lastgroup)
        yield Token(kind, first, last)
        if kind != "comment":
            ends_value = rule_ends_value and not (kind == "name" and text[first:last] in _OPERAND_FOLLOWS)
