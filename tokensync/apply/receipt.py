"""What an apply has done, for people and for the rollback: written beside its journal when it ends."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal

import msgspec
from msgspec import Struct

from tokensync.apply.journal import RECEIPT, Stopped
from tokensync.disk import replace_file

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tokensync.apply.journal import Journal

VERSION = 1


class ReceiptBatch(Struct, frozen=True, kw_only=True):
    """A request that was carried out. ``digest`` is the SHA-256 of its body, ``ids`` maps temporary ids to real ones.

    ``sent`` is when it was sent last, in Unix seconds. Of one that is not ``answered`` the platform itself was asked
    whether it is carried out.
    """

    digest: str
    bytes: int
    sent: float
    answered: bool
    ids: dict[str, str]


class Receipt(Struct, frozen=True, kw_only=True):
    """What an apply has done. ``outcome`` is "stopped" when only the first of its ``requests`` are carried out.

    ``before`` and ``after`` are fingerprints of the file. ``differences`` says what was not as planned at the end.
    """

    version: int = VERSION
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
    """Return the receipt of what a journal knows to be carried out; ``before`` and ``after`` are fingerprints."""
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
                digest=log.digest,
                bytes=log.bytes,
                sent=log.sent[-1] if log.sent else 0.0,
                answered=log.answered,
                ids=_sorted(log.ids or {}),
            )
            for log in logs
        ),
        differences=differences,
    )


def write_receipt(journal: Journal, receipt: Receipt) -> str:
    """Put a receipt beside the journal; its path."""
    path = os.path.join(journal.folder, RECEIPT)
    replace_file(path, msgspec.json.format(msgspec.json.encode(receipt), indent=1) + b"\n")
    return path


def _sorted(ids: Mapping[str, str]) -> dict[str, str]:
    return dict(sorted(ids.items()))
