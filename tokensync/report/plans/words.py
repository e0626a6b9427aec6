"""What every review of a plan says in the same words: findings and their remedy, requests, sizes."""

from __future__ import annotations

import glob
import json
from typing import TYPE_CHECKING

from tokensync.outlet import broken

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.plan.plan import Finding, Plan, PlannedBatch

UNSAFE = "Not safe: apply refuses this plan until somebody says that each of these is wanted"
REMEDY = "If each is wanted: tokensync apply --force, or allow it in tokensync.toml:"
ALLOWED = "Allowed by the configuration"
HELD_BACK = "Held back; only --prune carries it out"


def allow_entry(finding: Finding) -> Iterator[str]:
    """The lines of an ``[[allow]]`` entry of the configuration that allows just this."""
    yield "[[allow]]"
    yield f"finding = {_toml(finding.kind)}"
    yield f"subject = {_toml(glob.escape(finding.subject))}"


def requests(plan: Plan) -> str:
    """How the plan is sent, in a sentence."""
    match plan.batches:
        case ():
            return "Nothing is sent."
        case (batch,):
            return f"One request of {size(batch.bytes)}: the platform carries out all of it, or nothing."
        case batches:
            total = size(sum(each.bytes for each in batches))
            return f"{len(batches)} requests, {total} together; the platform carries out all of each, or nothing of it."


def request(batch: PlannedBatch) -> str:
    """One request in words: ``12 operations, 3.4 kB: a body would be over 4 MB``."""
    words = f"{batch.operations:,} operation{'s' if batch.operations != 1 else ''}, {size(batch.bytes)}"
    return f"{words}: {batch.why}" if batch.why else words


def size(count: int) -> str:
    """Bytes in words: ``820 bytes``, ``3.4 kB``, ``1.2 MB``; powers of 1,000."""
    if count < 1_000:
        return f"{count} bytes"
    return f"{count / 1_000:,.1f} kB" if count < 999_950 else f"{count / 1_000_000:,.1f} MB"


def _toml(text: str) -> str:
    """Return an exact basic string of TOML, which people copy.

    What nobody sees, the back-tick that ends a block of Markdown, and commands of CI runners are escaped.
    """
    quoted = broken(json.dumps(text, ensure_ascii=False), "json")
    return "".join(each if each.isprintable() and each != "`" else _escaped(each) for each in quoted)


def _escaped(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
