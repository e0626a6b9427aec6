"""A snapshot: what the server said about one file, at one moment."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from tokensync.wire.reading import decode_plainly, read_local, read_published
from tokensync.wire.variables import LocalMeta, PublishedMeta

if TYPE_CHECKING:
    from tokensync.wire.variables import PublishedVariable


class Snapshot(Struct, frozen=True):
    """Local variables joined with the published ones, and the raw bytes, which keep members that we do not know.

    ``file`` is the configured name of the file. ``withheld`` holds the ids of variables that an option of ``extract``
    left out.
    """

    file: str
    local: LocalMeta
    raw_local: bytes
    published: PublishedMeta | None = None
    raw_published: bytes | None = None
    withheld: frozenset[str] = frozenset()

    def published_by_key(self) -> dict[str, PublishedVariable]:
        """The published variables by their key, which local and published responses share."""
        if self.published is None:
            return {}
        return {each.key: each for each in self.published.variables.values()}

    def canonical(self) -> bytes:
        """Both payloads as one JSON text with sorted members: equal for equal content, whatever order it came in.

        Raises ProblemsError when a member that we do not know is no JSON.
        """
        return _canonical(self.file, *(raw for raw in (self.raw_local, self.raw_published) if raw is not None))

    def fingerprint(self) -> str:
        """The SHA-256 of the local payload's canonical form, in hexadecimal: what a plan is bound to.

        Publishing changes no variable, so it leaves a plan as good as it was.
        """
        return hashlib.sha256(_canonical(self.file, self.raw_local)).hexdigest()


def snapshot(
    file: str,
    raw_local: bytes,
    raw_published: bytes | None = None,
    *,
    source: str = "",
    published_source: str = "",
) -> Snapshot:
    """A snapshot from the bytes of the two responses. Raises ProblemsError with the place of every fault.

    The sources are the saved files or addresses that the bytes came from, for problems; else the file's name stands.
    """
    local = read_local(raw_local, source or f"{file} (local variables)")
    published = None
    if raw_published is not None:
        published = read_published(raw_published, published_source or f"{file} (published variables)")
    return Snapshot(file, local, raw_local, published, raw_published)


def _canonical(source: str, *raws: bytes) -> bytes:
    return msgspec.json.encode([_payload(raw, source) for raw in raws], order="sorted")


def _payload(raw: bytes, source: str) -> object:
    document = decode_plainly(raw, source)
    return document.get("meta", document) if isinstance(document, dict) else document
