"""The receipt of an apply, written beside its journal when it ends, for people and for rollback."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal

import msgspec
from msgspec import Struct

from tokensync.apply.journal import RECEIPT, Stopped
from tokensync.system.disk import replace_file
from tokensync.system.formats import MADE_BY

if TYPE_CHECKING:
    from tokensync.apply.journal import Journal

VERSION = 1


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


def receipt_of(
    journal: Journal,
    outcome: Literal["finished", "stopped"],
    before: str,
    after: str = "",
    differences: tuple[str, ...] = (),
) -> Receipt:
    """Return the receipt of the applied requests of a journal; ``before`` and ``after`` are fingerprints."""
    started = journal.started
    logs = (journal.batch(number) for number in range(journal.carried_out))
    whys = (each.why for each in reversed(journal.records) if isinstance(each, Stopped))
    return Receipt(
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


def write_receipt(journal: Journal, receipt: Receipt) -> str:
    """Write a receipt beside the journal and return its path."""
    path = os.path.join(journal.folder, RECEIPT)
    replace_file(path, msgspec.json.format(msgspec.json.encode(receipt), indent=1) + b"\n")
    return path
