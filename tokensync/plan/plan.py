"""A plan: what is going to be done to one file, bound to the state that it was made from, and fit to be reviewed."""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import Struct

from tokensync.plan.operations import Operation
from tokensync.plan.state import Ref

VERSION = 1

FindingKind = Literal[
    "delete collection", "delete mode", "change type", "delete referred", "delete used", "change much"
]
"""What makes a plan unsafe: see ``Finding``."""


class Finding(Struct, frozen=True):
    """Something that needs a person's word: ``apply`` refuses a plan with findings without ``--force``.

    ``subject`` names what it concerns, as an ``[[allow]]`` entry of the configuration names it: a collection's handle
    (``delete collection``, ``change much``), ``<handle>/<mode name>`` (``delete mode``) or ``<handle>/<variable name>``
    (``change type``, ``delete referred``, ``delete used``); ``delete referred`` may name a collection or a mode that an
    extension in another file has. An ``allowed`` one is shown and stops nothing.
    """

    kind: FindingKind
    subject: str
    what: str
    allowed: bool = False


class Counts(Struct, frozen=True):
    """How many things a plan makes, changes and deletes. A variable whose values change is updated once."""

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


class PlannedBatch(Struct, frozen=True):
    """One request of a plan. ``bytes`` is the size of its body as it will be sent.

    Where a body refers to what an earlier request makes, whose ids are not known yet, it is the most that it can be.
    ``operations`` counts those that it carries out; ``why`` says why it is a request of its own (empty for the first).
    """

    bytes: int
    operations: int
    why: str = ""


class Plan(Struct, frozen=True, kw_only=True):
    """What is going to be done to one file.

    ``file`` is its configured name, ``key`` the platform's key of the file or branch, ``fingerprint`` the digest of the
    local variables that it was made from. ``labels`` says what people call each ref that an operation names.
    ``held_back`` are deletions that only ``--prune`` carries out, in words, and ``notes`` what is worth knowing.
    ``rollback_of`` is the receipt that it takes back, if it does.
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

    @property
    def unsafe(self) -> tuple[Finding, ...]:
        """Return the findings that nobody has allowed."""
        return tuple(each for each in self.findings if not each.allowed)


class PlanFile(Struct, frozen=True, kw_only=True):
    """What ``tokensync plan`` writes: a plan for each file that was asked about, empty ones too.

    ``plans`` has no default, so that no other JSON object (a token file, a receipt) is taken for a plan.
    """

    version: int = VERSION
    made_by: str = ""
    plans: tuple[Plan, ...]

    def encoded(self) -> bytes:
        """As JSON with an operation a line, which keeps a large plan readable; the same for the same plans."""
        plans = b",".join(_plan_text(each) for each in self.plans)
        made_by = msgspec.json.encode(self.made_by)
        return b'{"version": %d, "made_by": %s, "plans": [%s]}\n' % (self.version, made_by, plans)


def decoded(content: bytes) -> PlanFile:
    """Return the plans of a file. Raises msgspec.ValidationError or msgspec.DecodeError for what is none."""
    return msgspec.json.decode(content, type=PlanFile)


def _plan_text(plan: Plan) -> bytes:
    lines = []
    for name in plan.__struct_fields__:
        value = getattr(plan, name)
        if name in ("operations", "findings", "batches") and value:
            text = b"[\n  %s\n ]" % b",\n  ".join(map(msgspec.json.encode, value))
        else:
            text = msgspec.json.encode(value)
        lines.append(b'\n "%s": %s' % (name.encode(), text))
    return b"{%s\n}" % b",".join(lines)
