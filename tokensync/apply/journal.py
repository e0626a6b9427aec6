"""The journal of one apply: a line a step, on disk before the step is taken, and after what came of it."""

from __future__ import annotations

import hashlib
import os
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
"""What reading the platform back shows of a request whose answer was lost."""


class Started(Struct, frozen=True, kw_only=True, tag_field="step", tag="started"):
    """An apply begins: plan.json and before.json are on disk, and nothing is sent yet. ``at`` is Unix seconds.

    ``plan`` and ``before`` are the SHA-256 of these files, ``key`` is the platform's of the file or branch.
    ``batches`` is how many requests it takes.
    """

    at: float
    file: str
    key: str
    plan: str
    before: str
    batches: int
    rebased: bool = False


class Resumed(Struct, frozen=True, kw_only=True, tag_field="step", tag="resumed"):
    """An apply goes on, in another process."""

    at: float


class Sending(Struct, frozen=True, kw_only=True, tag_field="step", tag="sending"):
    """A request is going to be sent. ``batch`` counts from 0, ``digest`` is the SHA-256 of its body."""

    at: float
    batch: int
    digest: str
    bytes: int


class Answered(Struct, frozen=True, kw_only=True, tag_field="step", tag="answered"):
    """The platform said that it carried a request out; ``ids`` maps temporary ids to real ones."""

    at: float
    batch: int
    ids: dict[str, str]


class Refused(Struct, frozen=True, kw_only=True, tag_field="step", tag="refused"):
    """The request that was sent last came to nothing: the platform refused it, or it never left."""

    at: float
    batch: int
    status: int | None
    message: str


class Reconciled(Struct, frozen=True, kw_only=True, tag_field="step", tag="settled"):
    """What the platform itself shows of a request whose answer was lost."""

    at: float
    batch: int
    how: How
    ids: dict[str, str] = {}


class Stopped(Struct, frozen=True, kw_only=True, tag_field="step", tag="stopped"):
    """The apply ended before its end, and no request of it is on its way any more.

    ``for_good`` when it must not be gone on with, since a plan that takes it back has been written.
    """

    at: float
    why: str
    for_good: bool = False


class Finished(Struct, frozen=True, kw_only=True, tag_field="step", tag="finished"):
    """Everything is carried out and was read back; ``differences`` says where the platform is not as planned."""

    at: float
    differences: tuple[str, ...] = ()


class RolledBack(Struct, frozen=True, kw_only=True, tag_field="step", tag="rolled back"):
    """Another apply, ``by``, took back what this one did."""

    at: float
    by: str


Record = Started | Resumed | Sending | Answered | Refused | Reconciled | Stopped | Finished | RolledBack


JOURNAL, PLAN, BEFORE = "journal.jsonl", "plan.json", "before.json"
RECEIPT, ROLLBACK = "receipt.json", "rollback.json"


class BatchLog(NamedTuple):
    """What is known of one request.

    ``sent`` holds the times (Unix seconds) of all its sendings, ``pending`` of those that nobody knows the outcome of.
    ``ids`` is set when it is carried out; ``answered`` tells whether the platform said so itself.
    """

    digest: str = ""
    bytes: int = 0
    sent: tuple[float, ...] = ()
    pending: tuple[float, ...] = ()
    ids: dict[str, str] | None = None
    answered: bool = False


class Journal:
    """An apply's folder and its records. ``open_journal`` reads one, ``new_journal`` makes one."""

    def __init__(self, folder: str, records: Sequence[Record]) -> None:
        self.folder = folder
        self.records = list(records)

    @property
    def started(self) -> Started:
        """Return how it began. Only journals of status "empty" have no such record."""
        first = self.records[0]
        if not isinstance(first, Started):
            raise _damaged(self.folder)
        return first

    @property
    def status(self) -> Status:
        """Return where the apply stands.

        "unsent": nothing was sent; "open": it was broken off, and what it sent last may be unknown; "stopped": it ended
        early with nothing on its way.
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
                case Sending():
                    return "open"
                case Answered() | Refused() | Reconciled():
                    return "open"
        return "unsent"

    @property
    def is_given_up(self) -> bool:
        """Return whether it stopped for good: what it did is being taken back."""
        return any(isinstance(each, Stopped) and each.for_good for each in self.records)

    def batch(self, index: int) -> BatchLog:
        """Return what is known of the request with this index."""
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
        """Return how many requests are known to be carried out; they are the first ones."""
        return len({batch for each in self.records if (batch := _succeeded(each)) is not None})

    def record(self, record: Record) -> None:
        """Put a record on disk. Whatever goes wrong, no half of it is left for the next one to follow."""
        path = os.path.join(self.folder, JOURNAL)
        fresh = not self.records
        try:
            _append(path, msgspec.json.encode(record) + b"\n")
        except OSError as fault:
            raise OSError(fault.errno, fault.strerror, path) from fault
        if fresh:
            sync_folder(self.folder)
        self.records.append(record)

    def content(self, name: str, digest: str = "") -> bytes:
        """Return the bytes of a file beside the journal; a digest that they do not have is a ConflictError."""
        path = os.path.join(self.folder, name)
        try:
            with open(path, "rb") as file:
                content = file.read()
        except FileNotFoundError:
            raise _damaged(path) from None
        if digest and digest != digest_of(content):
            raise ConflictError(f"{path}: it is not what the apply began with; restore it, or make a new plan")
        return content


def digest_of(content: bytes) -> str:
    """Return the SHA-256 of bytes, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def new_journal(folder: str, plan: bytes, before: bytes) -> Journal:
    """Return an empty journal in a new folder, with the plan and what the platform held; ``Started`` is its first
    record.
    """
    os.makedirs(folder)
    replace_file(os.path.join(folder, PLAN), plan)
    replace_file(os.path.join(folder, BEFORE), before)
    sync_folder(os.path.dirname(folder))
    return Journal(folder, ())


def open_journal(folder: str) -> Journal:
    """Return the journal of a folder. A last line that a crash cut off counts as never written.

    Raises ConflictError for a journal that something else has changed.
    """
    path = os.path.join(folder, JOURNAL)
    try:
        with open(path, "rb") as file:
            content = file.read()
    except (FileNotFoundError, NotADirectoryError):
        return Journal(folder, ())
    try:
        return Journal(folder, [_record(line) for line in _whole(content).splitlines()])
    except msgspec.DecodeError:
        raise _damaged(path) from None


_record = msgspec.json.Decoder(Record).decode


def _whole(content: bytes) -> bytes:
    """Return what of a journal ends in a line's end."""
    return content[: content.rfind(b"\n") + 1]


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
    """Return where the last whole line of a file ends."""
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
    """Return the request that a record says is carried out."""
    match record:
        case Answered(batch=batch) | Reconciled(batch=batch, how="carried out"):
            return batch
    return None


def _damaged(path: str) -> ConflictError:
    return ConflictError(
        f"{path}: it is not as tokensync left it; look at what the platform holds with tokensync plan, "
        "then move the folder away"
    )


APPLIES = "applies"


class Applies:
    """The folders below ``.tokensync/applies``; ``state_folder`` is ``.tokensync``."""

    def __init__(self, state_folder: str) -> None:
        self.root = os.path.join(state_folder, APPLIES)
        self._state_folder = state_folder

    def lock_path(self, file: str) -> str:
        """Return where the lock of a file is."""
        return os.path.join(self._state_folder, f"apply-{file}.lock")

    def of(self, file: str) -> tuple[Journal, ...]:
        """Return the journals of a file, the latest last; folders that nothing was begun in are none."""
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
