"""Journals for other machines: instead of the platform's response, they have the former state of what a plan touches.

A response holds variables that are not published, and everybody who can read a run can read its artifacts.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec
from msgspec import Raw, Struct

from tokensync.apply.applying import execution_of
from tokensync.apply.journal import BEFORE, TOUCHED, Resumed, sha256_of
from tokensync.extract.wire import fingerprint, whole_characters
from tokensync.system.disk import content_of, remove_file, replace_file
from tokensync.system.errors import DECODE_ERRORS, ConflictError

if TYPE_CHECKING:
    from tokensync.apply.applying import ExecutionPlan
    from tokensync.apply.journal import Journal
    from tokensync.apply.reading import Remote
    from tokensync.plan.state import Ref


class _Response(Struct):
    """A response of the platform. In touched.json, ``fingerprint`` is that of all of it, and other objects are null."""

    meta: dict[str, Raw]
    fingerprint: str = ""

    def objects(self, member: str) -> dict[str, Raw | None]:
        """Return the objects of a member by id."""
        objects = msgspec.json.decode(self.meta[member], type=dict[str, Raw])
        return {ref: None if bytes(each) == b"null" else each for ref, each in objects.items()}


_MEMBERS = ("variableCollections", "variables")


def touched(journal: Journal) -> bytes:
    """Return the response of a journal with null for each object that the plan does not touch."""
    execution = execution_of(journal)
    changed = _changed(execution)
    response = _response(execution.before.raw)
    meta = {}
    for name in _MEMBERS:
        objects = response.objects(name)
        meta[name] = Raw(msgspec.json.encode({ref: objects[ref] if ref in changed else None for ref in objects}))
    return msgspec.json.encode(_Response(meta, execution.before.fingerprint))


def complete(journal: Journal, remote: Remote, *, now: float, rebase: bool) -> None:
    """Read from the platform what a journal of another machine lacks of the response. Other journals lack nothing.

    Raises ConflictError if something else than the plan touches has changed since, unless ``rebase`` is set.
    """
    path = os.path.join(journal.folder, TOUCHED)
    if (content := content_of(path)) is None:
        return
    reading = remote.read()
    _ = reading.graph  # raises for an invalid response
    try:
        former, response = _response(content), _response(reading.raw)
        for name in _MEMBERS:
            present = response.objects(name)
            known = {ref: each or present.get(ref) for ref, each in former.objects(name).items()}
            response.meta[name] = Raw(msgspec.json.encode({ref: each for ref, each in known.items() if each}))
    except (*DECODE_ERRORS, KeyError):
        raise ConflictError(f"{path}: damaged; restore it from the artifact of the run") from None
    raw = msgspec.json.encode(response)
    if fingerprint(reading.file, raw) != former.fingerprint and not rebase:
        raise ConflictError(
            f"{journal.folder}: since this apply began, somebody changed objects that its plan does not touch; go on "
            "with tokensync apply --resume --rebase to keep those changes, or reverse it with "
            f"tokensync rollback {journal.folder}"
        )
    replace_file(os.path.join(journal.folder, BEFORE), raw)
    journal.record(Resumed(at=now, before=sha256_of(raw)))
    remove_file(path)


def _response(raw: bytes) -> _Response:
    return msgspec.json.decode(whole_characters(raw, "")[0], type=_Response)


def _changed(execution: ExecutionPlan) -> set[Ref]:
    """Return the objects whose JSON any of the requests changes."""
    before, *later = execution.states
    changed: set[Ref] = set()
    modes: set[Ref] = set()
    for state in later:
        changed |= {ref for ref, each in before.collections.items() if state.collections.get(ref) != each}
        for ref in before.variables.keys() | state.variables.keys():
            if (was := before.variables.get(ref)) != (now := state.variables.get(ref)):
                for each in filter(None, (was, now)):
                    changed |= {ref, each.collection}
                    modes |= each.values.keys()
    changed |= {each.id for ref in before.collections.keys() & changed for each in before.opaque_of(ref)}
    # The values of an extension are a member of the extension.
    extensions = (each for each in before.collections.values() if each.parent is not None)
    return changed | {each.ref for each in extensions if not modes.isdisjoint(mode.ref for mode in each.modes)}
