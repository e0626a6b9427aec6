"""A plan: the changes to one file, bound to the state that they were made from, for review and for apply."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec
from msgspec import Struct

from tokensync.plan.operations import Operation
from tokensync.plan.state import Ref
from tokensync.system.positions import decoded as decoded_json

VERSION = 1

FindingKind = Literal[
    "delete collection",
    "delete mode",
    "change type",
    "delete referred",
    "delete used",
    "change much",
    "overwrite code syntax",
]


OVERWRITE: FindingKind = "overwrite code syntax"
"""A finding that ``--force`` does not confirm: filling code syntax often needs ``--force`` for ``change much``."""


class Finding(Struct, frozen=True, forbid_unknown_fields=True):
    """An unsafe change: ``apply`` refuses a plan with findings that are neither ``allowed`` nor confirmed by an option.

    ``subject`` names the object as an ``[[allow]]`` entry of the configuration does: a collection's handle
    (``delete collection``, ``change much``), ``<handle>/<mode name>`` (``delete mode``) or ``<handle>/<variable name>``
    (the other kinds). ``delete referred`` may also name a collection or a mode that is extended in another file.
    """

    kind: FindingKind
    subject: str
    what: str
    allowed: bool = False


def options_for(findings: Iterable[Finding]) -> str:
    """Return the options of ``apply`` that confirm these findings."""
    overwrites = [finding.kind == OVERWRITE for finding in findings]
    return " ".join([*["--force"] * (not all(overwrites)), *["--overwrite-code-syntax"] * any(overwrites)])


class Counts(Struct, frozen=True, forbid_unknown_fields=True):
    """Numbers of objects that a plan creates, updates and deletes. A variable counts once however much changes."""

    collections_created: int = 0
    collections_updated: int = 0
    collections_deleted: int = 0
    modes_created: int = 0
    modes_updated: int = 0
    modes_deleted: int = 0
    variables_created: int = 0
    variables_updated: int = 0
    variables_deleted: int = 0
    values_set: int = 0
    styles_created: int = 0
    styles_updated: int = 0
    styles_deleted: int = 0


class PlannedBatch(Struct, frozen=True, forbid_unknown_fields=True):
    """One request of a plan.

    ``bytes`` is the size of its body, or the largest possible size if it contains ids that an earlier request creates.
    ``operations`` is the number of operations. ``why`` is the reason for a separate request (empty for the first).
    """

    bytes: int
    operations: int
    why: str = ""


class Plan(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The changes to one file.

    ``file`` is its configured name, ``key`` the platform's key of the file or branch, ``fingerprint`` the digest of the
    local variables that the plan was made from. ``labels`` has the readable name of each ref in the operations.
    ``held_back`` describes deletions that need ``--prune``. ``rollback_of`` is the path of the receipt that a rollback
    plan reverts, and ``token_files`` is true if the token files are reverted with it.
    """

    file: str
    key: str
    fingerprint: str
    operations: tuple[Operation, ...] = ()
    counts: Counts = Counts()
    findings: tuple[Finding, ...] = ()
    batches: tuple[PlannedBatch, ...] = ()
    labels: dict[Ref, str] = {}
    held_back: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    rollback_of: str = ""
    token_files: bool = False

    @property
    def differs(self) -> bool:
        """Return whether the token files and the platform differ: deletions that are held back are to be reviewed."""
        return bool(self.operations or self.held_back)

    @property
    def unsafe(self) -> tuple[Finding, ...]:
        """Return the findings that are not allowed."""
        return tuple(finding for finding in self.findings if not finding.allowed)


class PlanFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The output of ``tokensync plan``: a plan for each requested file, also for one without changes.

    ``made_from`` is the digest of the token files, lock and settings that the plans were made from; empty if unknown.
    ``plans`` has no default, so that no other JSON object (a token file, a receipt) is read as a plan.
    """

    version: int = VERSION
    made_by: str = ""
    made_from: str = ""
    plans: tuple[Plan, ...]

    def encoded(self) -> bytes:
        """Return deterministic JSON with one operation per line."""
        plans: list[bytes] = []
        for plan in self.plans:
            lines = []
            for name in plan.__struct_fields__:
                value = getattr(plan, name)
                if name in ("operations", "findings", "batches") and value:
                    text = b"[\n  %s\n ]" % b",\n  ".join(map(msgspec.json.encode, value))
                else:
                    text = msgspec.json.encode(value)
                lines.append(b'\n "%s": %s' % (name.encode(), text))
            plans.append(b"{%s\n}" % b",".join(lines))
        made_by, made_from = map(msgspec.json.encode, (self.made_by, self.made_from))
        made = b'"made_by": %s, "made_from": %s' % (made_by, made_from)
        return b'{"version": %d, %s, "plans": [%s]}\n' % (self.version, made, b",".join(plans))


class _Members(Struct):
    plans: tuple[dict[str, msgspec.Raw], ...]


def decoded(content: bytes) -> PlanFile:
    """Return the plans of a file. Raises ``DECODE_ERRORS`` for anything else, such as a plan that lacks a line."""
    plan_file = decoded_json(content, PlanFile)
    for number, members in enumerate(msgspec.json.decode(content, type=_Members).plans):
        for name in Plan.__struct_fields__:
            if name not in members:
                raise msgspec.ValidationError(f"Object missing required field `{name}` - at `$.plans[{number}]`")
    if not plan_file.plans:
        raise msgspec.ValidationError("Expected `array` of length >= 1 - at `$.plans`")
    return plan_file
