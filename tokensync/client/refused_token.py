"""Whether an answer says that the access token itself is of no use any more (platform-api.md 7)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tokensync.client import error_body
from tokensync.client.answers import Answer

if TYPE_CHECKING:
    from tokensync.client.answers import Lost
    from tokensync.client.request import Request

_UNAUTHORIZED, _FORBIDDEN = 401, 403
_WORDS = re.compile(
    r"\b(invalid|expired|revoked) (access )?token\b|\btoken (is |has )?(invalid|expired|revoked)\b", re.IGNORECASE
)


def refuses_token(request: Request, outcome: Answer | Lost) -> bool:
    """Whether another access token could help: 401, or the 403 of an invalid or expired one. Not that of a scope."""
    if request.basic is not None or not isinstance(outcome, Answer):
        return False
    if outcome.status == _UNAUTHORIZED:
        return True
    return outcome.status == _FORBIDDEN and _WORDS.search(error_body.read(outcome.body).text) is not None
