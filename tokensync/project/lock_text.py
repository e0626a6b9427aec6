"""The text of a lock, searched and edited on disk."""

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
    """The text of a lock. Methods other than ``content``, ``digest`` and ``size`` need the lines to be sorted.

    tokensync writes sorted lines. Searching them does not load the text, which can take more memory than everything
    else that a command loads.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._digested: tuple[int, ...] | None = None

    def _version(self) -> tuple[int, ...]:
        status = os.stat(self.path)
        return status.st_size, status.st_mtime_ns, status.st_ino

    def content(self) -> bytes:
        """Return the text; empty if there is no lock."""
        return content_of(self.path) or b""

    @cached_property
    def digest(self) -> str:
        """Return the SHA-256 of the text; empty if there is no lock, or it has CRLF line ends."""
        digest = hashlib.sha256()
        try:
            self._digested = self._version()
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
        """Return the size of the text in bytes; 0 if it has no digest."""
        return os.path.getsize(self.path) if self.digest else 0

    def starting_with(self, start: bytes) -> Iterator[bytes]:
        """Yield the lines with a prefix, without their line ends."""
        with open_file(self.path) as file:
            file.seek(_offset_of(file, start, self.size))
            for line in file:
                if not line.startswith(start):
                    break
                yield line.rstrip(b"\n")

    def files(self) -> Iterator[str]:
        """Yield the names of the design files in the lock."""
        with open_file(self.path) as file:
            offset = 0
            while offset < self.size:
                file.seek(offset)
                name: str = msgspec.json.decode(file.readline())[0]
                yield name
                after = b"[%s-" % msgspec.json.encode(name)  # "-" is the character after ","
                offset = _offset_of(file, after, self.size)

    def changed(self, removed: Iterable[str], added: Iterable[str]) -> list[bytes | tuple[int, int]] | None:
        """Return the parts of the text with lines removed and added; None if the lock does not match these lines.

        A part is either new text, or the start and end offsets of unchanged text.
        """
        if self._digested != self._version():  # another process wrote the lock
            return None
        edits = sorted([(line.encode(), True) for line in removed] + [(line.encode(), False) for line in added])
        parts: list[bytes | tuple[int, int]] = []
        done = 0
        with open_file(self.path) as file:
            for line, is_removed in edits:
                offset = _offset_of(file, line, self.size)
                parts.append((done, offset))
                done = offset
                file.seek(offset)
                is_present = file.readline() == line + b"\n"
                if is_present is not is_removed:
                    return None
                if is_removed:
                    done += len(line) + 1
                else:
                    parts.append(line + b"\n")
        return [*parts, (done, self.size)]

    def text_of(self, parts: Iterable[bytes | tuple[int, int]]) -> Iterator[bytes]:
        """Yield the text of parts, in pieces."""
        with open_file(self.path) as file:
            for part in parts:
                if isinstance(part, bytes):
                    yield part
                    continue
                file.seek(part[0])
                remaining = part[1] - part[0]
                while remaining > 0 and (piece := file.read(min(remaining, _PIECE))):
                    remaining -= len(piece)
                    yield piece


_PIECE = 1 << 20


def _offset_of(file: BinaryIO, line: bytes, size: int) -> int:
    """Return the offset of a line among the sorted lines of a file, or the offset at which it would be inserted."""
    low, high = 0, size  # offsets of line starts, or the end
    while low < high:
        middle = (low + high) // 2
        start = _start_of_line(file, middle, low)
        file.seek(start)
        other = file.readline()
        if other.removesuffix(b"\n") < line:
            low = start + len(other)
        else:
            high = start
    return low


def _start_of_line(file: BinaryIO, offset: int, least: int) -> int:
    """Return the start of the line that contains an offset. It is at least ``least``."""
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
