"""The journal of one apply: a line on disk before each request, and one with its outcome.

Each line has its number and a digest of itself and all lines before it (``chain``), so that a line that is lost,
altered or out of place stops the command. A last line without a line end was never written: a crash cut it off.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec
from msgspec import Struct

from tokensync.disk import replace_file, sync_folder
from tokensync.errors import ConflictError

if TYPE_CHECKING:
    from collections.abc import Sequence

    Status = Literal["empty", "unsent", "open", "stopped", "finished", "rolled back"]
    from collections.abc import Iterator


How = Literal["carried out", "not carried out", "unclear"]
"""The outcome of a request without a response, according to the platform's content."""


class Started(Struct, frozen=True, kw_only=True, tag_field="step", tag="started"):
    """An apply begins: plan.json and before.json are on disk, and nothing is sent yet. ``at`` is in Unix seconds.

    ``plan`` and ``before`` are the SHA-256 of these files, ``key`` is the platform's key of the file or branch,
    ``batches`` the number of requests.
    """

    at: float
    file: str
    key: str
    plan: str
    before: str
    batches: int
    rebased: bool = False


class Resumed(Struct, frozen=True, kw_only=True, tag_field="step", tag="resumed"):
    """An apply continues in another process."""

    at: float


class Sending(Struct, frozen=True, kw_only=True, tag_field="step", tag="sending"):
    """A request is about to be sent. ``batch`` counts from 0, ``digest`` is the SHA-256 of its body."""

    at: float
    batch: int
    digest: str
    bytes: int


class Answered(Struct, frozen=True, kw_only=True, tag_field="step", tag="answered"):
    """The platform confirmed a request; ``ids`` maps temporary ids to real ones."""

    at: float
    batch: int
    ids: dict[str, str]


class Refused(Struct, frozen=True, kw_only=True, tag_field="step", tag="refused"):
    """The last request had no effect: the platform refused it, or it could not be sent."""

    at: float
    batch: int
    status: int | None
    message: str


class Reconciled(Struct, frozen=True, kw_only=True, tag_field="step", tag="settled"):
    """The outcome of a request without a response was read from the platform."""

    at: float
    batch: int
    how: How
    ids: dict[str, str] = {}


class Stopped(Struct, frozen=True, kw_only=True, tag_field="step", tag="stopped"):
    """The apply stopped early, with no request in transit.

    ``for_good`` is set if it must not be resumed, since a rollback plan has been written.
    """

    at: float
    why: str
    for_good: bool = False


class Finished(Struct, frozen=True, kw_only=True, tag_field="step", tag="finished"):
    """All requests were applied and verified; ``differences`` describes deviations from the plan."""

    at: float
    differences: tuple[str, ...] = ()


class RolledBack(Struct, frozen=True, kw_only=True, tag_field="step", tag="rolled back"):
    """Another apply, ``by``, reverted this one."""

    at: float
    by: str


Record = Started | Resumed | Sending | Answered | Refused | Reconciled | Stopped | Finished | RolledBack


JOURNAL, PLAN, BEFORE = "journal.jsonl", "plan.json", "before.json"
RECEIPT, ROLLBACK = "receipt.json", "rollback.json"


class BatchLog(NamedTuple):
    """The journal's records of one request in summary.

    ``sent`` holds the times (Unix seconds) of all attempts, ``pending`` of those with an unknown outcome. ``ids`` is
    set if it was applied, ``answered`` if the platform confirmed it.
    """

    digest: str = ""
    bytes: int = 0
    sent: tuple[float, ...] = ()
    pending: tuple[float, ...] = ()
    ids: dict[str, str] | None = None
    answered: bool = False


class Journal:
    """An apply's folder and records. ``open_journal`` reads one, ``new_journal`` creates one."""

    def __init__(self, folder: str, records: Sequence[Record], chain: str = "") -> None:
        self.folder = folder
        self.records = list(records)
        self._chain = chain

    @property
    def started(self) -> Started:
        """Return the first record. Only a journal of status "empty" has none."""
        first = self.records[0]
        if not isinstance(first, Started):
            raise _damaged(self.folder)
        return first

    @property
    def status(self) -> Status:
        """Return the status of the apply.

        "unsent": nothing was sent; "open": it was interrupted, and the outcome of its last request may be unknown;
        "stopped": it ended early with no request in transit.
        """
        if not self.records:
            return "empty"
        for record in reversed(self.records):
            match record:
                case RolledBack():
                    return "rolled back"
                case Finished():
                    return "finished"
                case Stopped():
                    return "stopped"
                case Sending() | Answered() | Refused() | Reconciled():
                    return "open"
        return "unsent"

    @property
    def is_given_up(self) -> bool:
        """Return whether it must not be resumed, since a rollback plan has been written."""
        return any(isinstance(each, Stopped) and each.for_good for each in self.records)

    def batch(self, index: int) -> BatchLog:
        """Return the summary of the request with this index."""
        log = BatchLog()
        for record in self.records:
            match record:
                case Sending(batch=batch) if batch == index:
                    times = (*log.sent, record.at), (*log.pending, record.at)
                    log = BatchLog(record.digest, record.bytes, *times)
                case Refused(batch=batch) if batch == index:
                    log = log._replace(pending=log.pending[:-1])
                case Answered(batch=batch) if batch == index:
                    log = log._replace(pending=(), ids=record.ids, answered=True)
                case Reconciled(batch=batch, how="carried out") if batch == index:
                    log = log._replace(pending=(), ids=record.ids)
                case Reconciled(batch=batch, how="not carried out") if batch == index:
                    log = log._replace(pending=())
        return log

    @property
    def carried_out(self) -> int:
        """Return the number of requests known to be applied; they are the first ones."""
        return len({batch for each in self.records if (batch := _succeeded(each)) is not None})

    def record(self, record: Record) -> None:
        """Append a record on disk. After an error no part of it remains."""
        path = os.path.join(self.folder, JOURNAL)
        fresh = not self.records
        content = msgspec.json.encode(record)
        chain = _chained(self._chain, content)
        try:
            _append(path, content[:-1] + f',"number":{len(self.records) + 1},"chain":"{chain}"}}\n'.encode())
        except OSError as fault:
            raise OSError(fault.errno, fault.strerror, path) from fault
        if fresh:
            sync_folder(self.folder)
        self.records.append(record)
        self._chain = chain

    def content(self, name: str, digest: str = "") -> bytes:
        """Return the bytes of a file beside the journal. Raises ConflictError if they do not have the digest."""
        path = os.path.join(self.folder, name)
        try:
            with open(path, "rb") as file:
                content = file.read()
        except FileNotFoundError:
            raise _damaged(path) from None
        if digest and digest != digest_of(content):
            raise ConflictError(f"{path}: changed since the apply began; restore the file, or make a new plan")
        return content


def digest_of(content: bytes) -> str:
    """Return the SHA-256 of bytes, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def new_journal(folder: str, plan: bytes, before: bytes) -> Journal:
    """Return an empty journal in a new folder that contains the plan and the platform's response."""
    os.makedirs(folder)
    replace_file(os.path.join(folder, PLAN), plan)
    replace_file(os.path.join(folder, BEFORE), before)
    sync_folder(os.path.dirname(folder))
    return Journal(folder, ())


def open_journal(folder: str) -> Journal:
    """Return the journal of a folder, without a last line that a crash cut off.

    Raises ConflictError for a damaged journal.
    """
    path = os.path.join(folder, JOURNAL)
    try:
        with open(path, "rb") as file:
            content = file.read()
    except (FileNotFoundError, NotADirectoryError):
        return Journal(folder, ())
    records: list[Record] = []
    chain, is_chained = "", False
    for number, line in enumerate(content.split(b"\n")[:-1], 1):
        link = _LINK.search(line)
        record = line if link is None else line[: link.start()] + b"}"
        chain = _chained(chain, record)
        # Journals of version 0.1.0 have no links; a later apply may have continued one.
        if is_chained if link is None else (int(link[1]), link[2].decode()) != (number, chain):
            raise _damaged(f"{path}:{number}")
        is_chained = link is not None
        try:
            records.append(_record(record))
        except ValueError:  # also of text that is not UTF-8
            raise _damaged(f"{path}:{number}") from None
    return Journal(folder, records, chain)


_record = msgspec.json.Decoder(Record).decode
_LINK = re.compile(rb',"number":([0-9]{1,9}),"chain":"([0-9a-f]{64})"\}\Z')
"""The end of a line: its number, from 1, and the digest of the chain up to it."""


def _chained(chain: str, record: bytes) -> str:
    """Return the digest of a chain with one more record."""
    return digest_of(chain.encode() + record)


def _append(path: str, line: bytes) -> None:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
    try:
        end = _end(descriptor)
        os.ftruncate(descriptor, end)
        os.lseek(descriptor, end, os.SEEK_SET)
        try:
            rest = memoryview(line)
            while rest:
                rest = rest[os.write(descriptor, rest) :]
            os.fsync(descriptor)
        except BaseException:
            with suppress(OSError):
                os.ftruncate(descriptor, end)
            raise
    finally:
        os.close(descriptor)


def _end(descriptor: int) -> int:
    """Return the offset after the last complete line of a file."""
    size = os.lseek(descriptor, 0, os.SEEK_END)
    at = size
    while at:
        start = max(0, at - 65536)
        os.lseek(descriptor, start, os.SEEK_SET)
        found = os.read(descriptor, at - start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        at = start
    return 0


def _succeeded(record: Record) -> int | None:
    """Return the index of the request that a record reports as applied."""
    match record:
        case Answered(batch=batch) | Reconciled(batch=batch, how="carried out"):
            return batch
    return None


def _damaged(path: str) -> ConflictError:
    return ConflictError(
        f"{path}: missing or damaged; compare the file with the platform by running tokensync plan, "
        "then move the folder away"
    )


APPLIES = "applies"


class Applies:
    """The folders below ``.tokensync/applies``; ``state_folder`` is ``.tokensync``."""

    def __init__(self, state_folder: str) -> None:
        self.root = os.path.join(state_folder, APPLIES)
        self._state_folder = state_folder

    def lock_path(self, file: str) -> str:
        """Return the path of a file's lock."""
        return os.path.join(self._state_folder, f"apply-{file}.lock")

    def of(self, file: str) -> tuple[Journal, ...]:
        """Return the journals of a file, the latest last, except empty ones."""
        return tuple(each for each in self._all() if each.started.file == file)

    def new(self, file: str, plan: bytes, before: bytes, now: float) -> Journal:
        """Return an empty journal in a new folder. ``now`` is Unix seconds."""
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now))
        number = 1
        while True:
            folder = os.path.join(self.root, f"{stamp}-{number:02d}-{file}")
            if not os.path.exists(folder):
                return new_journal(folder, plan, before)
            number += 1

    def _all(self) -> Iterator[Journal]:
        try:
            names = sorted(os.listdir(self.root))
        except FileNotFoundError:
            return
        found = [open_journal(os.path.join(self.root, name)) for name in names]
        begun = [each for each in found if each.records and isinstance(each.records[0], Started)]
        yield from sorted(begun, key=lambda each: os.path.basename(each.folder))
