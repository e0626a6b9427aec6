"""Resource files: the elements of each, by type or by collection, and the comments over them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from tokensync.generate.request import OutputFile
from tokensync.naming import rendered_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tokensync.generate.sheet import Sheet
    from tokensync.targets.android.options import AndroidOptions

_TOOLS = ' xmlns:tools="http://schemas.android.com/tools"'


class Element(NamedTuple):
    """How resources of a kind are declared: the file, the tag, further attributes, and what an attribute takes.

    A kind without ``format`` cannot be an attribute, one without ``reference`` is not referred to. ``prefix`` stands in
    front of a token's name.
    """

    file: str
    tag: str
    attributes: str
    format: str
    reference: str
    prefix: str = ""


TEXT_STYLE = "text-style"
PARENT = "@style/"
"""Stands before the style that a text style is the same as, in the place of its items."""

_NUMBER = Element("numbers", "item", ' type="dimen" format="float"', "float", "@dimen/")
ELEMENTS = {
    "color": Element("colors", "color", "", "color", "@color/"),
    "dp": Element("dimens", "dimen", "", "dimension", "@dimen/"),
    "sp": Element("dimens", "dimen", "", "dimension", "@dimen/"),
    "string": Element("strings", "string", ' translatable="false"', "string", "@string/"),
    "boolean": Element("bools", "bool", "", "boolean", "@bool/"),
    "integer": Element("integers", "integer", "", "integer", "@integer/"),
    "milliseconds": Element("integers", "integer", "", "integer", "@integer/"),
    "number": _NUMBER,
    "percentage": _NUMBER,
    TEXT_STYLE: Element("text_appearances", "style", ' parent=""', "", "", "TextAppearance."),
}
"""By kind."""

_OWN_FILES = frozenset(("attrs", "styles"))

Row = tuple[str, str, str, str, str]
"""(comment, tag, name, further attributes, value)."""


def files_of(
    sheet: Sheet, options: AndroidOptions, folder: str, texts: Mapping[int, str], *, commented: bool
) -> Iterator[OutputFile]:
    """The files of one folder that have something in them."""
    of_file: dict[str, list[Row]] = {}
    if options.layout == "types":
        of_file = {each.file: [] for each in ELEMENTS.values()}
    for place, text in texts.items():
        element = ELEMENTS[sheet.kinds[place] or ""]
        file = element.file if options.layout == "types" else _file_of_collection(sheet, place)
        comment = comment_of(sheet, place) if commented and options.descriptions else ""
        attributes, value = element.attributes, text
        if sheet.kinds[place] == TEXT_STYLE and text.startswith(PARENT):
            attributes, value = f' parent="{text.removeprefix(PARENT)}"', ""
        row = (comment, element.tag, f"{element.prefix}{sheet.names[place]}", attributes, value)
        of_file.setdefault(file, []).append(row)
    for file, rows in of_file.items():
        if rows:
            yield written(sheet, f"{folder}/{file}.xml", rows)


def written(sheet: Sheet, path: str, rows: Sequence[Row]) -> OutputFile:
    """A file of these rows; text styles tell Android lint by attributes of its own what older systems do not know."""
    namespaces = _TOOLS if any(tag == "style" for _, tag, *_ in rows) else ""
    content = rendered_bytes("android/values.xml.j2", sheet.request.templates, namespaces=namespaces, rows=rows)
    return OutputFile(path, content)


def comment_of(sheet: Sheet, place: int) -> str:
    """What is said of a token, as the text of an XML comment.

    aapt2 copies it into the comment over the field of the class R, where Java reads it too: so neither the end of a
    Java comment nor an escape of Java's stands in it, nor an annotation that aapt2 would take for an order.
    """
    token = sheet.tokens[place]
    if not token.description and not token.deprecated:
        return ""
    parts = [comment(token.description)]
    if token.deprecated:
        parts.append(
            " ".join(
                filter(None, ("@deprecated", comment(token.deprecated if isinstance(token.deprecated, str) else "")))
            )
        )
    return " ".join(filter(None, parts))


def comment(text: str) -> str:
    """A text that may stand in an XML comment and in one of Java."""
    words = " ".join(_NO_COMMENT.sub("\ufffd", text).split())
    for pattern, instead in _UNSAFE:
        words = pattern.sub(instead, words)
    return words


_NO_COMMENT = re.compile(
    "[\0-\x08\x0b\x0c\x0e-\x1b\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
"""What XML has no place for, and what turns the direction of the text that follows."""
_UNSAFE = (
    (re.compile(r"-(?=-)"), "- "),
    (re.compile(r"\*(?=/)"), "* "),
    (re.compile(r"\\(?=u)"), "\\\\ "),
    (re.compile(r"@(?=[A-Za-z])"), "@ "),
)


def _file_of_collection(sheet: Sheet, place: int) -> str:
    """The handle, with the design file's name where another file has that handle, too."""
    file, handle, _ = sheet.tokens[place].key
    several = sum(each.handle == handle for each in sheet.graph.collections.values()) > 1
    name = f"{file}_{handle}" if several else handle
    return f"{name}_" if name in _OWN_FILES else name
