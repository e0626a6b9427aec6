"""Query parameters that are no texts, read as the platform reads them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tokensync.emulator.endpoints.refusal import invalid

if TYPE_CHECKING:
    from collections.abc import Mapping

_DIGITS: Final = 15
_WHOLE: Final = re.compile(rf"[0-9]{{1,{_DIGITS}}}")


def flag(query: Mapping[str, str], name: str) -> bool:
    """True or false; false when it is not given."""
    given = query.get(name, "false")
    if given not in ("true", "false"):
        raise invalid(f"{name} must be true or false")
    return given == "true"


def whole(query: Mapping[str, str], name: str, what: str = "a whole number") -> int | None:
    """Return a whole number that is not negative; ``what`` names it where it is refused. None when it is not given."""
    text = query.get(name)
    if text is None:
        return None
    if not _WHOLE.fullmatch(text):
        raise invalid(f"{name} must be {what}")
    return int(text)


def between(query: Mapping[str, str], name: str, least: int, most: int) -> int | None:
    """Return a whole number from ``least`` to ``most``; None when it is not given."""
    what = f"a whole number from {least} to {most}"
    number = whole(query, name, what)
    if number is not None and not least <= number <= most:
        raise invalid(f"{name} must be {what}")
    return number


def positive(query: Mapping[str, str], name: str, most: int | None = None) -> int | None:
    """Return a whole number from 1, and to ``most``, which the refusal does not tell; None when it is not given.

    Without ``most`` it may be of any length; of a long one just the first digits count, as it is cut anyway.
    """
    text = query.get(name)
    if text is None:
        return None
    number = int(text[:_DIGITS]) if text.isascii() and text.isdigit() else 0
    if number < 1 or (most is not None and number > most):
        raise invalid(f"{name} must be a positive integer")
    return number
