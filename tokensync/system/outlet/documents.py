"""Texts in JSON, TOML and HTML, whose readers get them back unchanged, messages of commits, and scripts for shells."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Final, Literal, LiteralString, NewType

from tokensync.system.outlet.characters import broken, broken_anywhere, broken_in_prose, escaped, visible

Json = NewType("Json", str)
"""A JSON text in which everything prints; only ``in_json`` makes it."""
Html = NewType("Html", str)
"""An HTML page without commands; only ``page`` makes it."""
Script = NewType("Script", str)
"""A script for a shell; only ``script`` makes it."""


def in_json(document: str) -> Json:
    """Return an equivalent JSON text with commands and unprintable characters escaped."""
    return Json(broken(escaped(document, _utf_16_escape), "json"))


def in_toml(text: str) -> str:
    """Return a basic string of TOML that is exact when copied, and can stand in a block of Markdown.

    Everything is escaped that cannot be seen, that a forge or a CI runner reads, and that ends the block.
    """
    quoted = broken(json.dumps(text, ensure_ascii=False), "json")
    return escaped(broken_in_prose(quoted, _code_point_escape), _code_point_escape).replace("`", "\\u0060")


def page(rendered: bytes) -> Html:
    """Return a page that a template rendered; its escapes do not change what a browser shows."""
    lines = broken(rendered.decode("utf-8"), "html").split("\n")
    return Html("\n".join(map(visible, lines)))


def script(source: str) -> Script:
    """Return a script of click, which no name of a design file is in: the shell asks for names when it completes."""
    return Script(source.replace("\r\n", "\n"))


def _utf_16_escape(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def _code_point_escape(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


# --- commit messages ------------------------------------------------------------------------------------------------

Message = NewType("Message", str)
"""A commit message; only ``message`` and ``with_trailers`` make it."""

Lead = Literal["+ ", "- ", "~ ", "  * "]
"""The start of a line. git takes none of them for a comment, a trailer or a patch."""

_SUBJECT: Final = "Update design tokens: "
_LONGEST_SUBJECT: Final = 72
_LONGEST_BODY: Final = 20_000
"""Characters."""


def message(
    summary: str, changes: Sequence[Sequence[tuple[Lead, str]]], more: int = 0, all_counts: str = ""
) -> Message:
    r"""Return a message with a summary in its subject and a body of changes, each of them some lines.

    What people and programs would act on is escaped as in ``\x40team``. Changes that do not fit are
    counted with ``more``, those that are not here. ``all_counts`` is the whole summary if it is too long
    for a subject.
    """
    body = ""
    for number, lines in enumerate(changes):
        group = "".join(f"{lead}{_in_message(text)}\n" for lead, text in lines)
        if len(body) + len(group) > _LONGEST_BODY:
            more += len(changes) - number
            break
        body += group
    body += f"… and {more:,} more\n" if more else ""
    subject = f"{_SUBJECT}{_in_message(summary)}"[:_LONGEST_SUBJECT]
    return Message("\n\n".join(filter(None, (subject, _in_message(all_counts), body))))


def with_trailers(message: Message, trailers: Mapping[LiteralString, str]) -> Message:
    """Return a message with trailers as its last paragraph. Raises ValueError for values that are not a single word."""
    for value in trailers.values():
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", value):
            raise ValueError(value)
    lines = "".join(f"{name}: {value}\n" for name, value in trailers.items())
    return Message(f"{message.rstrip()}\n\n{lines}")


def trailers_of(message: str) -> dict[str, str]:
    """Return the trailers of a commit: the lines ``Name: word`` of its last paragraph, if it has no other lines."""
    last = message.replace("\r\n", "\n").strip().rpartition("\n\n")[2]
    found = [re.fullmatch(r"([A-Za-z][A-Za-z-]*): (\S.*)", each) for each in last.split("\n")]
    return {match[1]: match[2] for match in found if match} if all(found) else {}


def _in_message(text: str) -> str:
    return broken_anywhere(broken_in_prose(visible(text))).strip()
