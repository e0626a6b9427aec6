"""The text of a lock that may be larger than all that a command makes of it."""

from __future__ import annotations

import hashlib
import os
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from tokensync.disk import content_of, open_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import BinaryIO


class LockText:
    """The text of a lock. One that tokensync wrote has its lines in order, and is searched without being read whole.

    A lock may be larger than all that a command makes of it.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._seen: tuple[int, ...] | None = None

    def _about(self) -> tuple[int, ...]:
        about = os.stat(self.path)
        return about.st_size, about.st_mtime_ns, about.st_ino

    def content(self) -> bytes:
        """Return the text; nothing where there is no lock."""
        return content_of(self.path) or b""

    @cached_property
    def digest(self) -> str:
        """Return what tells this text from others; nothing where there is no lock, or it has line ends of git's."""
        digest = hashlib.sha256()
        try:
            self._seen = self._about()
            with open_file(self.path) as file:
                while piece := file.read(_PIECE):
                    if b"\r" in piece:
                        return ""
                    digest.update(piece)
        except (FileNotFoundError, NotADirectoryError):
            return ""
        return digest.hexdigest()

    @cached_property
    def size(self) -> int:
        """Return the bytes of the text."""
        return os.path.getsize(self.path) if self.digest else 0

    def starting_with(self, start: bytes) -> Iterator[bytes]:
        """Yield the lines that start so, of a text whose lines are in order."""
        with open_file(self.path) as file:
            file.seek(_offset_of(file, start, self.size))
            for line in file:
                if not line.startswith(start):
                    break
                yield line.rstrip(b"\n")

    def files(self) -> Iterator[str]:
        """Yield the names of the files that the lines are about, of a text whose lines are in order."""
        with open_file(self.path) as file:
            offset = 0
            while offset < self.size:
                file.seek(offset)
                name: str = msgspec.json.decode(file.readline())[0]
                yield name
                after = b"[%s-" % msgspec.json.encode(name)  # the character that follows the comma
                offset = _offset_of(file, after, self.size)

    def changed(self, gone: Iterable[str], fresh: Iterable[str]) -> list[bytes | tuple[int, int]] | None:
        """Return the parts of the text with some lines taken out and others put in; None where one is not in its place.

        A part is new text, or the offsets of an old one's begin and end. The lines are in order.
        """
        if self._seen != self._about():  # somebody else wrote it meanwhile
            return None
        edits = sorted([(line.encode(), True) for line in gone] + [(line.encode(), False) for line in fresh])
        parts: list[bytes | tuple[int, int]] = []
        done = 0
        with open_file(self.path) as file:
            for line, is_gone in edits:
                offset = _offset_of(file, line, self.size)
                parts.append((done, offset))
                done = offset
                file.seek(offset)
                is_there = file.readline() == line + b"\n"
                if is_there is not is_gone:
                    return None
                if is_gone:
                    done += len(line) + 1
                else:
                    parts.append(line + b"\n")
        return [*parts, (done, self.size)]

    def text_of(self, parts: Iterable[bytes | tuple[int, int]]) -> Iterator[bytes]:
        """Yield the text that parts make, piece by piece."""
        with open_file(self.path) as file:
            for part in parts:
                if isinstance(part, bytes):
                    yield part
                    continue
                file.seek(part[0])
                left = part[1] - part[0]
                while left > 0 and (piece := file.read(min(left, _PIECE))):
                    left -= len(piece)
                    yield piece


_PIECE = 1 << 20


def _offset_of(file: BinaryIO, line: bytes, size: int) -> int:
    """Return where a line is, or would be, among the ordered lines of a file."""
    low, high = 0, size  # the beginnings of lines, or the end
    while low < high:
        middle = (low + high) // 2
        start = _start_of_line(file, middle, low)
        file.seek(start)
        found = file.readline()
        if found.removesuffix(b"\n") < line:
            low = start + len(found)
        else:
            high = start
    return low


def _start_of_line(file: BinaryIO, offset: int, least: int) -> int:
    """Return the beginning of the line that an offset is in; no line begins before ``least``."""
    step = 512
    while offset > least:
        start = max(least, offset - step)
        file.seek(start)
        before = file.read(offset - start).rfind(b"\n")
        if before >= 0:
            return start + before + 1
        if start == least:
            return least
        step *= 4
    return offset
