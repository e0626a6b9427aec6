"""How the platform says no: a status and a message (platform-api.md section 7)."""

from __future__ import annotations


class Refusal(Exception):
    """Ends a request; whatever it changed so far is undone. The text is the ``message`` of the answer.

    ``headers`` are added to the answer's.
    """

    def __init__(self, status: int, message: str, headers: tuple[tuple[str, str], ...] = ()) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = headers


def invalid(message: str) -> Refusal:
    """400: the request breaks a rule; ``message`` says which, and where."""
    return Refusal(400, message)
