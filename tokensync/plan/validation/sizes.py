"""What has to share a request fits into one (platform-api.md section 8): a variable with all that is said of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from tokensync.plan.limits import BODY_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tokensync.plan.validation.intent import Intent
    from tokensync.problems import Problem

_AROUND: Final = 512  # the most bytes that a request takes around each text: ids, names of members, brackets
_LONGEST_CHARACTER: Final = 6  # bytes in JSON: \u0000
_TO_DO: Final = "shorten its texts"


def size_faults(intent: Intent) -> Iterator[Problem]:
    """New variables and new texts that are larger than any request, so that none could be complete."""
    for variable in intent.new_variables:
        values = variable.values.values()
        texts = [variable.description, *(text for _, text in variable.code_syntax)]
        texts += [variable.name] * (len(values) + 1)  # each value names its variable
        texts += (each if isinstance(each, str) else "" for each in values)
        if (size := _size(texts)) > BODY_BYTES:
            yield intent.fault("plan-limit", variable.ref, None, _told(size), _TO_DO)
    made = {each.ref for each in intent.new_variables}
    for update in intent.updated_variables:
        members = [each[1] for each in (update.name, update.description) if each is not None]
        syntax = () if update.code_syntax is None else update.code_syntax[1]
        if (size := _size([*members, *(text for _, text in syntax)])) > BODY_BYTES:
            yield intent.fault("plan-limit", update.ref, None, _told(size), _TO_DO)
    for owner, mode, value in intent.written:
        if isinstance(value, str) and owner.ref not in made and (size := _size([value])) > BODY_BYTES:
            yield intent.fault("plan-limit", owner.ref, mode, _told(size), _TO_DO)


def _size(texts: Iterable[str]) -> int:
    """The most bytes of a request for these texts; an estimate where that is within the limit anyway."""
    texts = [*texts]
    around = _AROUND * (len(texts) + 1)
    most = _LONGEST_CHARACTER * sum(map(len, texts)) + around
    if most <= BODY_BYTES:
        return most
    return sum(len(msgspec.json.encode(text.encode(errors="replace").decode())) for text in texts) + around


def _told(size: int) -> str:
    megabytes = 1024 * 1024
    return f"it takes {size / megabytes:.1f} MB in one request; the platform takes {BODY_BYTES // megabytes} MB"
