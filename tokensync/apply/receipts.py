"""Receipts for other checkouts: the platform's objects before and after an apply.

The folder of an apply is not in git. A receipt may be, so it is as hostile as any file of a checkout. It has no
operations, only objects as in a response, of which tokensync makes a plan for review.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from tokensync.apply.applying import ExecutionPlan, Member, Result, changed_objects, response_of
from tokensync.apply.journal import Journal, sha256_of
from tokensync.apply.sending import Reading
from tokensync.system.errors import DECODE_ERRORS, ProblemsError, UsageError
from tokensync.system.formats import MADE_BY, refuse_newer_document
from tokensync.system.positions import decoded

VERSION = 1
_ABSENT = Raw(b"null")


class PortableReceipt(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What an apply has changed. ``objects`` has the former and the later form of each object by id, null for none.

    ``file`` and ``key`` are those of the plan, ``digest`` is the SHA-256 of the rest, so that damage is noticed.
    """

    version: int = VERSION
    made_by: str = MADE_BY
    file: str
    key: str
    objects: dict[Member, dict[str, tuple[Raw, Raw]]]
    digest: str = ""

    def encoded(self) -> bytes:
        """Return the receipt as JSON with its digest."""
        content = msgspec.json.encode(replace(self, digest=self.digest_of_rest()))
        return msgspec.json.format(content, indent=1) + b"\n"

    def digest_of_rest(self) -> str:
        """Return the digest, which does not depend on white space."""
        return sha256_of(msgspec.json.format(msgspec.json.encode(replace(self, digest="")), indent=-1))

    def readings(self, now: Reading) -> tuple[Reading, Reading]:
        """Return the file as it was before the apply and after it; objects that it did not change are as they are now.

        Neither has what others have added since to collections that the apply created: they would lose it with them.
        Raises UsageError for objects that no response can have.
        """
        objects, state = self.objects, now.state
        kept = {ref for changed in objects.values() for ref in changed}
        pairs = objects.get("variableCollections", {}).items()
        created = {ref for ref, (was, is_now) in pairs if was in (None, _ABSENT) and is_now not in (None, _ABSENT)}
        added = {ref for ref, each in state.variables.items() if each.collection in created}
        added |= {each.id for ref in created for each in state.opaque_of(ref)}
        added |= {ref for ref, each in state.collections.items() if each.root in created}
        former, later = (self._reading(now, index, added - kept) for index in (0, 1))
        try:
            _ = former.state, later.state
        except ProblemsError as error:
            raise UsageError(f"{self.file}: the receipt has objects that no response has ({error})") from None
        return former, later

    def _reading(self, now: Reading, index: int, without: AbstractSet[str]) -> Reading:
        response = response_of(now.raw)
        for name, changed in self.objects.items():
            objects = response.objects(name) if name in response.meta else {}
            objects |= {ref: pair[index] for ref, pair in changed.items()} | dict.fromkeys(without, _ABSENT)
            response.meta[name] = Raw(
                msgspec.json.encode({ref: each for ref, each in objects.items() if each not in (None, _ABSENT)})
            )
        return Reading(now.file, msgspec.json.encode(response))


def portable(journal: Journal, execution: ExecutionPlan, result: Result) -> bytes | None:
    """Return the receipt of a finished apply; None if it cannot tell its changes from those of others."""
    changed = changed_objects(execution) | set(result.ids.values())
    if result.differences or result.by_others is None or any(aspect.ref in changed for aspect in result.by_others):
        return None
    before, after = response_of(execution.before.raw), response_of(result.reading.raw)
    objects: dict[Member, dict[str, tuple[Raw, Raw]]] = {}
    for name in before.members():
        former, later = before.objects(name), after.objects(name)
        objects[name] = {
            ref: (former.get(ref) or _ABSENT, later.get(ref) or _ABSENT)
            for ref in dict.fromkeys((*former, *later))
            if ref in changed
        }
    started = journal.started
    return PortableReceipt(file=started.file, key=started.key, objects=objects).encoded()


def read_portable(content: bytes, path: str) -> PortableReceipt | None:
    """Return a receipt for other checkouts; None for any other JSON. Raises UsageError for a damaged one."""
    refuse_newer_document(path, content, VERSION)
    try:
        receipt = decoded(content, PortableReceipt)
    except DECODE_ERRORS:
        return None
    if receipt.digest != receipt.digest_of_rest():
        raise UsageError(f"{path}: this receipt was edited or damaged; restore it with git")
    return receipt
