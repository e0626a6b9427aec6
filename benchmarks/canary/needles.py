"""The forms in which a credential could be written, and a search for all of them in files, streams and processes."""

from __future__ import annotations

import gzip
import io
import os
import re
import zipfile
import zlib
from base64 import b64encode
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

_EMULATED = b"figd_emulator_"
"""The beginning of the emulator's tokens."""
_PART = 9
"""The characters of the beginning or the end of a secret that must not remain where a text is cut."""
_DEEPEST = 3
"""Archives within archives that are opened."""
_GZIP = b"\x1f\x8b\x08"
_ZLIB = re.compile(rb"\x78[\x01\x5e\x9c\xda]")


def _percent(text: str) -> str:
    return "".join(f"%{ord(character):02X}" for character in text)


def encodings(secret: str) -> dict[str, tuple[bytes, ...]]:
    """Return the forms of a secret by their names. Compressed forms are found by ``Search``, which decompresses."""
    plain = secret.encode()
    in_base64 = [_at_offset(plain, offset) for offset in range(3)]
    return {
        "plain": (plain,),
        "base64": tuple(in_base64),
        "base64url": tuple(part.replace(b"+", b"-").replace(b"/", b"_") for part in in_base64),
        "hex": (plain.hex().encode(),),
        "hex, upper case": (plain.hex().upper().encode(),),
        "percent": (_percent(secret).encode(), _percent(secret).lower().encode()),
        "percent, twice": (_percent(secret).replace("%", "%25").encode(),),
        "HTML entities": tuple(
            "".join(form % ord(character) for character in secret).encode() for form in ("&#%d;", "&#x%x;", "&#x%X;")
        ),
        "JSON escapes": tuple(
            "".join(form % ord(character) for character in secret).encode()
            for form in ("\\u%04x", "\\u%04X", "\\x%02x")
        ),
        "UTF-16": (secret.encode("utf-16-le"), secret.encode("utf-16-be")),
        "reversed": (plain[::-1],),
        "a part": (plain.removeprefix(_EMULATED)[:_PART], plain[-_PART:]),
    }


def _at_offset(plain: bytes, offset: int) -> bytes:
    """Return the base64 of bytes after ``offset`` others, without the characters that neighbours determine."""
    encoded = b64encode(b"\0" * offset + plain + b"\0" * (-(offset + len(plain)) % 3))
    return encoded[(0, 2, 3)[offset] : len(encoded) - (4 if (offset + len(plain)) % 3 else 0)]


class Finding(NamedTuple):
    """A credential where it must not be: its name, its form and the place."""

    credential: str
    form: str
    place: str


class Search:
    """Searches for credentials in all forms, and counts the bytes."""

    def __init__(self, credentials: Mapping[str, str]) -> None:
        self._needles: dict[bytes, tuple[str, str]] = {}
        self.bytes = 0
        self._clean: set[bytes] = set()
        self.add(credentials)

    def add(self, credentials: Mapping[str, str]) -> None:
        """Also search for these, by their names."""
        self._clean.clear()
        for name, secret in credentials.items():
            for form, needles in encodings(secret).items():
                self._needles |= {needle: (name, form) for needle in needles if needle not in self._needles}

    def within(self, content: bytes, place: str, *, allowed: Iterable[str] = (), depth: int = 0) -> Iterator[Finding]:
        """Yield what a text or a file contains, also compressed. ``allowed`` are credentials that may be there."""
        self.bytes += len(content)
        found = {name for needle, name in self._needles.items() if needle in content}
        whole = {credential for credential, form in found if form == "plain"}
        for credential, form in sorted(found):
            if credential not in allowed and not (form == "a part" and credential in whole):
                yield Finding(credential, form, place)
        if depth < _DEEPEST:
            for name, unpacked in _unpacked(content):
                yield from self.within(unpacked, f"{place} ({name})", allowed=allowed, depth=depth + 1)

    def file(self, path: Path, allowed: Iterable[str] = ()) -> Iterator[Finding]:
        """Yield what a file and its name contain. A file that equals one without a finding is not searched again."""
        yield from self.within(os.fsencode(path), f"the name {path}", allowed=allowed, depth=_DEEPEST)
        content = path.read_bytes() if path.is_file() else b""
        if content in self._clean:
            self.bytes += len(content)
            return
        findings = [*self.within(content, str(path), allowed=allowed)]
        yield from findings
        if not findings and not allowed and len(content) < 1_000_000:
            self._clean.add(content)


def _unpacked(content: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the parts of bytes that are compressed: gzip and zlib anywhere in them, and zip."""
    start = content.find(_GZIP)
    while start >= 0:
        with suppress(OSError, EOFError, zlib.error):
            yield "gzip", gzip.GzipFile(fileobj=io.BytesIO(content[start:])).read1(1 << 24)
        start = content.find(_GZIP, start + 1)
    for match in _ZLIB.finditer(content):
        with suppress(zlib.error):
            yield "zlib", zlib.decompressobj().decompress(content[match.start() :], 1 << 24)
    if content.startswith(b"PK\x03\x04"):
        with (
            suppress(zipfile.BadZipFile, NotImplementedError, RuntimeError),
            zipfile.ZipFile(io.BytesIO(content)) as file,
        ):
            for name in file.namelist():
                yield f"zip, {name}", file.read(name)
