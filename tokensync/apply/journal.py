"""The journal of one apply: a line on disk before each request, and one with its outcome.

Each line has its number and a digest of itself and all lines before it (``chain``), so that a line that is lost,
altered or out of order stops the command. journal.head repeats the number and digest of the last line, which shows that
the last lines are lost: a request whose line is missing would be sent twice. It is written before the first line, then
after each line and before the request. A last line without a line end does not count: a crash cut it off.

The receipt stands beside it when the apply has ended, for people and for rollback.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple, cast

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from tokensync.system.disk import append_descriptor, content_of, open_file, replace_file
from tokensync.system.errors import DECODE_ERRORS, ConflictError
from tokensync.system.formats import MADE_BY, refuse_newer_document
from tokensync.system.positions import decoded, line_of_error

if TYPE_CHECKING:
    from collections.abc import Sequence

    Status = Literal["empty", "unsent", "open", "stopped", "finished", "rolled back"]


VERSION = 1
How = Literal["carried out", "not carried out", "unclear"]
"""The outcome of a request without a response, according to the platform's content."""


class Started(Struct, frozen=True, kw_only=True, tag_field="step", tag="started"):
    """An apply begins: plan.json and before.json are on disk, and nothing is sent yet. ``at`` is in Unix seconds.

    ``plan`` and ``before`` are the SHA-256 of these files, ``lock`` is that of tokensync.lock (empty without one).
    ``key`` is the platform's key of the file or branch, ``batches`` the number of requests. ``version`` is the format
    of the journal. With ``script``, nothing is sent: a script carries out the plan (``tokensync.apply.scripts``).
    """

    version: int = VERSION
    made_by: str = MADE_BY
    at: float
    file: str
    key: str
    plan: str
    before: str
    batches: int
    rebased: bool = False
    lock: str = ""
    script: bool = False


class Resumed(Struct, frozen=True, kw_only=True, tag_field="step", tag="resumed"):
    """An apply continues in another process. ``before`` is the new SHA-256 of before.json if that was completed."""

    at: float
    before: str = ""


class Sending(Struct, frozen=True, kw_only=True, tag_field="step", tag="sending"):
    """A request is about to be sent. ``batch`` counts from 0, ``digest`` is the SHA-256 of its body.

    ``boot`` and ``elapsed`` are the time of a monotonic clock (``tokensync.extract.client.Clock``).
    """

    at: float
    batch: int
    digest: str
    bytes: int
    boot: str = ""
    elapsed: float = 0.0


class Answered(Struct, frozen=True, kw_only=True, tag_field="step", tag="answered"):
    """The platform confirmed a request; ``ids`` maps temporary ids to real ones."""

    at: float
    batch: int
    ids: dict[str, str]


class Refused(Struct, frozen=True, kw_only=True, tag_field="step", tag="refused"):
    """The platform refused the last request with a ``status``; or it could not be sent, without one."""

    at: float
    batch: int
    status: int | None
    message: str


class Reconciled(Struct, frozen=True, kw_only=True, tag_field="step", tag="settled"):
    """The outcome of a request without a response was read from the platform.

    ``boot`` and ``elapsed`` are when the response was lost, by a monotonic clock; 0 if another process sent it.
    """

    at: float
    batch: int
    how: How
    ids: dict[str, str] = {}
    boot: str = ""
    elapsed: float = 0.0


class Stopped(Struct, frozen=True, kw_only=True, tag_field="step", tag="stopped"):
    """The apply stopped early, with no request in transit.

    ``for_good`` is set if it must not be resumed, since a rollback plan has been written.
    """

    at: float
    why: str
    for_good: bool = False


class Waited(Struct, frozen=True, kw_only=True, tag_field="step", tag="waited"):
    """No request that was sent before is in transit any more, since the settling time is over."""

    at: float


class Finished(Struct, frozen=True, kw_only=True, tag_field="step", tag="finished"):
    """All requests were applied and verified; ``differences`` describes deviations from the plan."""

    at: float
    differences: tuple[str, ...] = ()


class RolledBack(Struct, frozen=True, kw_only=True, tag_field="step", tag="rolled back"):
    """Another apply, ``by``, reverted this one."""

    at: float
    by: str


Record = Started | Resumed | Sending | Answered | Refused | Reconciled | Stopped | Waited | Finished | RolledBack


class Head(Struct, frozen=True, forbid_unknown_fields=True):
    """The number of a journal's lines and their digest. After a crash, the journal may have more lines."""

    number: Annotated[int, msgspec.Meta(ge=0)]
    chain: str


JOURNAL, HEAD, PLAN, BEFORE = "journal.jsonl", "journal.head", "plan.json", "before.json"
RECEIPT, ROLLBACK, TOUCHED = "receipt.json", "rollback.json", "touched.json"


class BatchLog(NamedTuple):
    """The journal's records of one request in summary.

    ``sent`` holds all attempts, ``pending`` those with an unknown outcome, and ``refused`` those that the platform
    refused, which a copy of the request may contradict. ``ids`` is set if it was applied, ``answered`` if the platform
    confirmed it.
    """

    sent: tuple[Sending, ...] = ()
    pending: tuple[Sending, ...] = ()
    refused: tuple[Sending, ...] = ()
    ids: dict[str, str] | None = None
    answered: bool = False

    @property
    def uncertain(self) -> tuple[Sending, ...]:
        """Return the attempts that may have been applied, or may still be."""
        return self.pending + self.refused


class Journal(Struct, eq=False):
    """An apply's folder and records. ``open_journal`` reads one, ``new_journal`` creates one."""

    folder: str
    records: list[Record] = []
    _chain: str = ""

    @property
    def started(self) -> Started:
        """Return the first record. Only a journal of status "empty" has none."""
        return cast("Started", self.records[0])  # ``open_journal`` refuses any other first record

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
        return any(isinstance(record, Stopped) and record.for_good for record in self.records)

    @property
    def before(self) -> bytes:
        """Return the platform's response before the first request. Raises ConflictError if the file was changed."""
        digests = [record.before for record in self.records if isinstance(record, Started | Resumed) and record.before]
        return self.content(BEFORE, digests[-1])

    def batch(self, index: int) -> BatchLog:
        """Return the summary of the request with this index."""
        log = BatchLog()
        for record in self.records:
            match record:
                case Sending(batch=batch) if batch == index:
                    log = log._replace(sent=(*log.sent, record), pending=(*log.pending, record))
                case Refused(batch=batch) if batch == index:
                    refused = log.refused if record.status is None else log.refused + log.pending[-1:]
                    log = log._replace(pending=log.pending[:-1], refused=refused)
                case Answered(batch=batch) if batch == index:
                    log = log._replace(pending=(), refused=(), ids=record.ids, answered=True)
                case Reconciled(batch=batch, how="carried out") if batch == index:
                    log = log._replace(pending=(), refused=(), ids=record.ids)
                case Reconciled(batch=batch, how="not carried out") if batch == index:
                    log = log._replace(pending=(), refused=())
                case Reconciled(batch=batch) if batch == index:
                    log = log._replace(pending=log.uncertain, refused=())
        return log

    @property
    def in_transit(self) -> tuple[Sending, ...]:
        """Return the attempts at applied requests of which a copy may still be in transit.

        Unless the platform confirmed a request, a proxy may have sent it twice, and only one copy was applied. The
        other one does no harm while the objects exist that the first has created: the platform refuses it. A
        confirmation with wrong ids, which reading back has corrected, is none.
        """
        found: dict[int, list[Sending]] = {}
        confirmed: dict[int, list[Sending]] = {}
        for record in self.records:
            match record:
                case Waited():
                    found.clear()
                case Sending(batch=batch):
                    found.setdefault(batch, []).append(record)
                case Refused(batch=batch, status=None):
                    found.get(batch, [])[-1:] = []
                case Answered(batch=batch):
                    confirmed[batch] = found.get(batch, [])[-1:]
                    found.get(batch, [])[-1:] = []
                case Reconciled(batch=batch) if batch in confirmed:
                    found.setdefault(batch, []).extend(confirmed.pop(batch))
                case Reconciled(batch=batch, how="not carried out"):
                    found.pop(batch, None)
                case Reconciled(batch=batch, boot=boot, elapsed=elapsed) if elapsed:
                    last = found[batch][-1]
                    found[batch][-1] = replace(last, boot=boot, elapsed=elapsed)
        return tuple(sending for batch, sent in found.items() if batch < self.carried_out for sending in sent)

    @property
    def carried_out(self) -> int:
        """Return the number of requests known to be applied; they are the first ones."""
        applied: set[int] = set()
        for record in self.records:
            match record:
                case Answered(batch=batch) | Reconciled(batch=batch, how="carried out"):
                    applied.add(batch)
        return len(applied)

    def record(self, record: Record) -> None:
        """Append a record on disk. After an error no part of it remains."""
        path = os.path.join(self.folder, JOURNAL)
        content = msgspec.json.encode(record)
        number, chain = len(self.records) + 1, sha256_of(self._chain.encode() + content)
        try:
            size = _append(path, content[:-1] + f',"number":{number},"chain":"{chain}"}}\n'.encode())
        except OSError as error:
            raise OSError(error.errno, error.strerror, path) from error
        try:
            replace_file(os.path.join(self.folder, HEAD), msgspec.json.encode(Head(number, chain)) + b"\n")
        except OSError:  # it was not replaced
            with suppress(OSError):
                _cut(path, size)
            raise
        self.records.append(record)
        self._chain = chain

    def content(self, name: str, digest: str = "") -> bytes:
        """Return the bytes of a file beside the journal. Raises ConflictError if they do not have the digest."""
        path = os.path.join(self.folder, name)
        try:
            with open_file(path) as file:
                content = file.read()
        except FileNotFoundError:
            raise _damaged(path) from None
        if digest and digest != sha256_of(content):
            raise ConflictError(f"{path}: changed since the apply began; restore the file, or {_BY_HAND}")
        return content


def sha256_of(content: bytes) -> str:
    """Return the SHA-256 of bytes, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def new_journal(folder: str, plan: bytes, before: bytes) -> Journal:
    """Return an empty journal in a new folder that contains the plan and the platform's response."""
    replace_file(os.path.join(folder, PLAN), plan)
    replace_file(os.path.join(folder, BEFORE), before)
    replace_file(os.path.join(folder, HEAD), msgspec.json.encode(Head(0, "")) + b"\n")
    return Journal(folder)


def open_journal(folder: str) -> Journal:
    """Return the journal of a folder, without a last line that a crash cut off.

    Raises ConflictError for a damaged journal, and UsageError for one of a newer tokensync.
    """
    path, head_path = os.path.join(folder, JOURNAL), os.path.join(folder, HEAD)
    text = content_of(head_path)
    try:
        head = None if text is None else decoded(text, Head)
    except DECODE_ERRORS as error:
        raise _damaged(f"{head_path}:{line_of_error(text or b'', error)}") from None
    try:
        with open_file(path) as file:
            content = file.read()
    except (FileNotFoundError, NotADirectoryError):
        if head is not None and head.number:
            raise _damaged(path) from None
        return Journal(folder)
    refuse_newer_document(f"{path}:1", content.partition(b"\n")[0], VERSION)
    records: list[Record] = []
    sent: set[int] = set()
    chains = [""]
    for number, line in enumerate(content.split(b"\n")[:-1], 1):
        try:
            record, chain = _verified(line, number, chains[-1])
            step = _record(record)
        except DECODE_ERRORS:
            raise _damaged(f"{path}:{number}") from None
        if isinstance(step, Sending):
            sent.add(step.batch)
        is_unsent = isinstance(step, Answered | Refused | Reconciled) and step.batch not in sent
        if is_unsent or isinstance(step, Started) != (number == 1):
            raise _damaged(f"{path}:{number}")
        records.append(step)
        chains.append(chain)
    if head is None:
        if records:
            raise _damaged(head_path)
    elif head.number > len(records):
        raise _damaged(f"{path}:{len(records) + 1}")
    elif head.chain != chains[head.number]:
        raise _damaged(f"{path}:{head.number} and {HEAD}")  # either of them
    return Journal(folder, records, chains[-1])


_record = msgspec.json.Decoder(Record).decode
_LINK = re.compile(rb',"number":([0-9]{1,9}),"chain":"([0-9a-f]{64})"\}\Z')
"""The end of a line: its number, from 1, and the digest of the chain up to it."""


def _verified(line: bytes, number: int, before: str) -> tuple[bytes, str]:
    """Return a line's record and the digest of the chain up to it. Raises ValueError for another number or digest."""
    link = _LINK.search(line)
    if link is None:
        raise ValueError("the line has no number and digest")
    record = line[: link.start()] + b"}"
    chain = sha256_of(before.encode() + record)
    if (int(link[1]), link[2].decode()) != (number, chain):
        raise ValueError("the line has another number or digest")
    return record, chain


def _append(path: str, line: bytes) -> int:
    """Append a line and return the offset at which it begins. A part of a line that a crash left is overwritten."""
    descriptor = append_descriptor(path)
    try:
        with os.fdopen(descriptor, "rb", closefd=False) as journal:  # one os.read may return less than all
            end = journal.read().rfind(b"\n") + 1
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
        return end
    finally:
        os.close(descriptor)


def _cut(path: str, size: int) -> None:
    descriptor = append_descriptor(path)
    try:
        os.ftruncate(descriptor, size)
    finally:
        os.close(descriptor)


_BY_HAND = (
    "undo in the editor what the apply has changed (before.json holds the variables as they were), restore "
    "tokensync.lock as it was before the apply, move the folder away, and make a new plan"
)


def _damaged(path: str) -> ConflictError:
    return ConflictError(
        f"{path}: missing or damaged, so it is unknown what this apply has changed; restore it from a backup, or "
        f"{_BY_HAND}"
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
        folders = (os.path.join(self.root, name) for name in sorted(self._names(), key=_order))
        journals = map(open_journal, folders)
        return tuple(journal for journal in journals if journal.records and journal.started.file == file)

    def in_part(self, file: str) -> Journal | None:
        """Return the last apply of a file if a part of it is carried out; None if none is, or if it is unknown."""
        journal = self._last(file)
        if journal is None or journal.status not in ("open", "stopped"):
            return None
        return journal if 0 < journal.carried_out < journal.started.batches else None

    def claimed(self, file: str) -> Journal | None:
        """Return the last apply of a file if it is a script that claims to be carried out, and nobody has read it."""
        journal = self._last(file)
        is_claim = journal is not None and journal.started.script and journal.status == "open"
        return journal if is_claim else None

    def _last(self, file: str) -> Journal | None:
        with suppress(ConflictError, OSError):  # apply reports damaged journals
            return next(reversed(self.of(file)), None)
        return None

    def new(self, file: str, plan: bytes, before: bytes, now: float) -> Journal:
        """Return an empty journal in a new folder. ``now`` is Unix seconds."""
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now))
        # The latest apply has the last name, even if the time was set back since the one before.
        last, number = max(map(_order, self._names()), default=("", 0))
        stamp, number = (stamp, 1) if stamp > last else (last, number + 1)
        return new_journal(os.path.join(self.root, f"{stamp}-{number:02d}-{file}"), plan, before)

    def _names(self) -> Sequence[str]:
        try:
            return os.listdir(self.root)
        except FileNotFoundError:
            return ()


def _order(name: str) -> tuple[str, int]:
    """Return the time and number at the beginning of a folder's name."""
    found = _NAME.match(name)
    return ("", 0) if found is None else (found[1], int(found[2]))


_NAME = re.compile(r"([0-9]{8}T[0-9]{6}Z)-([0-9]{2,9})-")


class ReceiptBatch(Struct, frozen=True, kw_only=True):
    """An applied request. ``digest`` is the SHA-256 of its body, ``ids`` maps temporary ids to real ones.

    ``sent`` is the time of the last attempt in Unix seconds. If it is not ``answered``, the platform was read to find
    out that it was applied.
    """

    digest: str
    bytes: int
    sent: float
    answered: bool
    ids: dict[str, str]


class Receipt(Struct, frozen=True, kw_only=True):
    """The result of an apply, which no command reads. ``outcome`` is "stopped" if some ``requests`` were not applied.

    ``before`` and ``after`` are fingerprints of the file. ``differences`` describes deviations from the plan.
    """

    version: int = VERSION
    made_by: str = MADE_BY
    file: str
    key: str
    outcome: Literal["finished", "stopped"]
    why: str = ""
    before: str
    after: str = ""
    requests: int
    batches: tuple[ReceiptBatch, ...]
    differences: tuple[str, ...] = ()


def write_receipt(
    journal: Journal,
    outcome: Literal["finished", "stopped"],
    before: str,
    after: str = "",
    differences: tuple[str, ...] = (),
) -> str:
    """Write the receipt of the applied requests beside the journal, and return its path.

    ``before`` and ``after`` are fingerprints.
    """
    started = journal.started
    logs = (journal.batch(number) for number in range(journal.carried_out))
    whys = (record.why for record in reversed(journal.records) if isinstance(record, Stopped))
    receipt = Receipt(
        file=started.file,
        key=started.key,
        outcome=outcome,
        why=next(whys, "") if outcome == "stopped" else "",
        before=before,
        after=after,
        requests=started.batches,
        batches=tuple(
            ReceiptBatch(
                digest=log.sent[-1].digest,
                bytes=log.sent[-1].bytes,
                sent=log.sent[-1].at,
                answered=log.answered,
                ids=dict(sorted((log.ids or {}).items())),
            )
            for log in logs
        ),
        differences=differences,
    )
    path = os.path.join(journal.folder, RECEIPT)
    replace_file(path, msgspec.json.format(msgspec.json.encode(receipt), indent=1) + b"\n")
    return path
