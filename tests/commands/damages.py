"""Damages of a file: of its bytes, of values in its JSON or TOML, of its lines, and other things in its place."""

from __future__ import annotations

import json
import os
import random
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

Form = Literal["json", "json lines", "toml", "text", "binary"]

PIECES = (
    *(b"\x00", b"\xff", b"\xed\xa0\x80", b"\xe2\x80\xa8", b"\xef\xbb\xbf", b"\r", b"\r\n", b"\n", b"\\ud800", b"\\"),
    *(b'"', b"'", b"{", b"}", b"[", b"]", b",", b":", b"= ", b"#", b"null", b"-1", b"1e999", b"NaN"),
    *(b"9" * 5000, b"[" * 2000, b"x" * 70_000),
)
VALUES = (
    *(b"null", b"true", b"false", b"0", b"-1", b"7", b"0.5", b"1e999", b"-1e999", b"1e30", b"NaN", b"Infinity"),
    *(b"9" * 5000, b'""', b'"x"', b'"\\ud800"', b'"\\u0000"', b'"../../x"', b'"' + b"x" * 300_000 + b'"'),
    *(b"[]", b"{}", b"[[]]", b'{"x": 1}', b"[" * 100_000, b"[" * 5000 + b"]" * 5000, b'{"a":' * 100_000),
)
TOML_VALUES = (
    *(b"true", b"0", b"-1", b"0.5", b"inf", b"nan", b"1e999", b"9" * 5000, b'""', b'"x"', b'"../../x"', b'"\\ud800"'),
    *(b"1979-05-27", b"[]", b"{}", b"[[]]", b"{x = 1}", b"[" * 5000, b"{a = " * 500, b'"' + b"x" * 300_000 + b'"', b""),
)


class Damage(NamedTuple):
    """A damage: the new content, or a function that puts something else in the file's place.

    ``line`` is the line that a reader has to name, if it is known.
    """

    name: str
    content: bytes | None = None
    line: int | None = None
    replace: Callable[[Path], None] | None = None

    def apply(self, path: Path) -> None:
        """Damage a file."""
        if self.replace is None:
            path.write_bytes(self.content or b"")
        else:
            path.unlink()
            self.replace(path)


class Value(NamedTuple):
    """A value of a text: its offsets, and where its member or line begins."""

    start: int
    end: int
    entry: int


_LEXEME = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s"{}\[\]:,]+')
_SETTING = re.compile(rb"^[ \t]*[\w.\"-]+ = (.*)$", re.MULTILINE)


def values(content: bytes, form: Form) -> list[Value]:
    """Return the values of an undamaged text in all depths."""
    if form == "toml":
        return [Value(*match.span(1), match.start()) for match in _SETTING.finditer(content)]
    found: list[Value] = []
    pending: list[tuple[int, int]] = []
    entry, after_name = None, False
    for lexeme in _LEXEME.finditer(content):
        token, start = lexeme[0], lexeme.start()
        if token == b":":
            after_name = True
            continue
        if token == b",":
            entry = None
            continue
        if token in (b"}", b"]"):
            begin, own_entry = pending.pop()
            found.append(Value(begin, lexeme.end(), own_entry))
            entry = None
            continue
        own = start if entry is None or not after_name else entry
        if not after_name:
            entry = start
        after_name = False
        if token in (b"{", b"["):
            pending.append((start, own))
            entry = None
        elif not content[lexeme.end() :].lstrip().startswith(b":"):
            found.append(Value(start, lexeme.end(), own))
    return found


def line_of(content: bytes, offset: int) -> int:
    """Return the line of an offset, from 1."""
    return content.count(b"\n", 0, offset) + 1


def is_readable(content: bytes, form: Form) -> bool:
    """Return whether a text has the syntax of its form, by another reader than tokensync's."""
    try:
        if form == "toml":
            tomllib.loads(content.decode("utf-8-sig"))
        elif form == "json":
            _json(content)
        elif form == "json lines":
            for line in content.split(b"\n"):
                if line.strip():
                    _json(line)
    except ValueError:
        return False
    except RecursionError:  # tokensync reads deeper texts than this reader
        return all(content.count(each[:1]) == content.count(each[1:]) for each in (b"[]", b"{}"))
    return True


def _json(content: bytes) -> Any:
    def refuse(text: str) -> None:
        raise ValueError(text)

    return json.loads(content.decode("utf-8-sig"), parse_constant=refuse, parse_int=str)  # of any length


def stray(content: bytes, form: Form, chance: random.Random) -> Damage:
    """Insert a character that no reader of the form accepts at this place."""
    if form == "toml":
        places = [match.start() for match in re.finditer(rb"^(?=[\w\[])", content, re.MULTILINE)]
    else:
        places = [match.start() for match in _LEXEME.finditer(content) if match[0] in (b"{", b"}", b"[", b"]", b",")]
    at = chance.choice(places)
    piece = chance.choice((b"@", b"\x00", b"\xff", b"\xe2\x80\xa8"))
    return Damage(f"{piece!r} inserted at {at}", content[:at] + piece + content[at:], line_of(content, at))


def undecodable(content: bytes, form: Form, chance: random.Random) -> Damage:
    """Insert a byte that is not UTF-8 into a text."""
    texts = list(re.finditer(rb'"[^"\\\n]+"', content))
    if not texts:
        return stray(content, form, chance)
    at = chance.choice(texts).start() + 1
    return Damage(f"0xff in a text at {at}", content[:at] + b"\xff" + content[at:], line_of(content, at))


def wrong_value(content: bytes, form: Form, chance: random.Random) -> Damage:
    """Replace a value by one of another type, or with an unusual size or depth."""
    value = chance.choice(values(content, form))
    new = chance.choice(TOML_VALUES if form == "toml" else VALUES)
    name = f"the value at {value.start} is {new[:40]!r}"
    return Damage(name, content[: value.start] + new + content[value.end :], line_of(content, value.start))


def wrong_member(content: bytes, form: Form, chance: random.Random) -> Damage:
    """Repeat, remove, rename or add a member of an object, or an element of an array."""
    entries = [each for each in values(content, form) if each.entry > 0]
    value = chance.choice(entries or values(content, form))
    entry = content[value.entry : value.end]
    separator = b"\n" if form == "toml" else b", "
    match chance.randrange(4):
        case 0:
            return Damage(f"{entry[:40]!r} twice", content[: value.end] + separator + entry + content[value.end :])
        case 1:
            after = re.match(rb"\s*,\s*", content[value.end :])
            before = re.search(rb",\s*\Z", content[: value.entry])
            start = before.start() if before and not after else value.entry
            end = value.end + (after.end() if after else 0)
            return Damage(f"{entry[:40]!r} missing", content[:start] + content[end:])
        case 2:
            renamed = re.sub(rb"\w", b"q", entry, count=1)
            return Damage(f"{entry[:40]!r} renamed", content[: value.entry] + renamed + content[value.end :])
        case _:
            more = b"unknown = 1" if form == "toml" else b'"unknown": {"a": [1]}'
            return Damage(f"more after {value.end}", content[: value.end] + separator + more + content[value.end :])


def other_bytes(content: bytes, form: Form, chance: random.Random) -> Damage:
    """Flip, remove, double or insert bytes, or cut the content off."""
    at = chance.randrange(len(content) + 1) if content else 0
    if form == "binary" and content:  # most of a database is empty: its head, heads of pages, and what is written
        written = [match.start() for match in re.finditer(rb"[^\0]{4,}", content)] or [0]
        places = (chance.randrange(200), chance.randrange(len(content)) // 4096 * 4096 + chance.randrange(12))
        at = min(chance.choice((*places, chance.choice(written))), len(content))
    end = min(at + chance.choice((1, 2, 3, 17, 400)), len(content))
    match chance.randrange(6):
        case 0 if at < len(content):
            bit = 1 << chance.randrange(8)
            return Damage(f"bit {bit} at {at}", content[:at] + bytes([content[at] ^ bit]) + content[at + 1 :])
        case 1:
            return Damage(f"{end - at} bytes removed at {at}", content[:at] + content[end:])
        case 2:
            return Damage(f"{end - at} bytes doubled at {at}", content[:end] + content[at:])
        case 3:
            starts = [match.start() for match in re.finditer(rb"(?=\n)|(?<=\n)", content)]
            at = chance.choice((at, 1, len(content) - 1, *(starts[:1] and [chance.choice(starts)])))
            return Damage(f"cut off at {at}", content[: max(at, 0)])
        case 4:
            return Damage(f"{end - at} bytes NUL at {at}", content[:at] + bytes(end - at) + content[end:])
        case _:
            piece = chance.choice(PIECES)
            return Damage(f"{piece[:20]!r} inserted at {at}", content[:at] + piece + content[at:])


def other_lines(content: bytes, form: Form, chance: random.Random) -> Damage:
    """Lose, repeat, swap or alter lines."""
    lines = content.splitlines(keepends=True) or [b"\n"]
    at, other = (chance.randrange(len(lines)) for _ in range(2))
    match chance.randrange(4):
        case 0:
            name, changed = f"line {at + 1} lost", lines[:at] + lines[at + 1 :]
        case 1:
            name, changed = f"line {at + 1} again at {other + 1}", [*lines[:other], lines[at], *lines[other:]]
        case 2:
            name, changed = f"lines {at + 1} and {other + 1} swapped", list(lines)
            changed[at], changed[other] = changed[other], changed[at]
        case _:
            numbers = list(re.finditer(rb"\w", lines[at]))
            found = chance.choice(numbers) if numbers else None
            changed = list(lines)
            if found:
                changed[at] = lines[at][: found.start()] + chance.choice((b"0", b"7", b"z")) + lines[at][found.end() :]
            name = f"line {at + 1} altered"
    return Damage(name, b"".join(changed))


def whole_content(content: bytes, form: Form, chance: random.Random) -> Damage:
    """Replace the whole content."""
    name, changed = chance.choice(
        (
            ("empty", b""),
            ("a line end", b"\n"),
            ("byte order mark", b"\xef\xbb\xbf" + content),
            ("UTF-16", content.decode("utf-8", "replace").encode("utf-16")),
            ("NULs", bytes(len(content))),
            ("CRLF", content.replace(b"\n", b"\r\n")),
            ("CR", content.replace(b"\n", b"\r")),
            ("deep", b"[" * 100_000),
            ("deep object", b'{"a":' * 100_000),
            ("deep and complete", b"[" * 100_000 + b"]" * 100_000),
            ("twice", content + content),
            ("half", content[: len(content) // 2]),
            ("array", b"[]\n"),
            ("object", b"{}\n"),
            ("null", b"null\n"),
            ("number", b"5\n"),
            ("text", b'"x"\n'),
            ("digits", b"9" * 5000),
        )
    )
    return Damage(name, changed)


def _huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(100 << 20)


TARGET = "other"
"""The name of the file beside a link to which it leads."""


def _link(path: Path) -> None:
    other = path.with_name(TARGET)
    other.write_bytes(b"")
    path.symlink_to(other.name)


INSTEAD: dict[str, Callable[[Path], object]] = {
    "missing": lambda path: None,
    "a folder": lambda path: path.mkdir(),
    "a pipe": os.mkfifo if hasattr(os, "mkfifo") else lambda path: path.mkdir(),
    "a link to itself": lambda path: path.symlink_to(path.name),
    "a dangling link": lambda path: path.symlink_to("nowhere"),
    "a link": _link,
    "100 MB": _huge,
    "without permission": lambda path: (path.touch(), path.chmod(0)),
}
"""What can be in the place of a file."""


def instead(content: bytes, form: Form, chance: random.Random) -> Damage:
    """Put something else in the place of the file."""
    return in_place(chance.choice([*INSTEAD]))


def in_place(name: str) -> Damage:
    """Return the damage of this name in ``INSTEAD``."""
    return Damage(name, replace=lambda path: INSTEAD[name](path) and None)


TEXT = (stray, undecodable, wrong_value, wrong_value, wrong_member, other_bytes, other_lines, whole_content, instead)
OPAQUE = (other_bytes, other_bytes, other_bytes, whole_content, instead)


def damages(content: bytes, form: Form, chance: random.Random) -> Iterator[Damage]:
    """Yield random damages of a file, each kind in turn."""
    kinds = TEXT if form in ("json", "json lines", "toml") and values(content, form) else OPAQUE
    while True:
        for each in kinds:
            damage = each(content, form, chance)
            if damage.content != content:
                yield damage
