"""The exceptions of tokensync.

    TokensyncError
      UsageError               the command line or a configuration value cannot be used (exit 2)
      ProblemsError            one or more problems of severity "error" stopped a step (exit 1)
        CheckFailed            lint or check found errors (exit 5)
      DifferencesFound         something is not current or not equal (exit 3)
      ConflictError            a merge conflict, or a plan refused as unsafe or outdated (exit 4)
      PlatformError            the platform, or the way to it, said no (exit 1)
        NetworkError           no answer came
        RateLimitedError       429, and the wait is longer than the configured cap
        AccessError            401 or 403
        NotFoundError          404
        RequestError           400 or 413: the platform refused what was sent
        ServerError            5xx after all retries, or an answer that is not what the API promises

Every message reads *where: what; what to do*. ``exit_code`` is what the process ends with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tokensync.problems import Problem


class TokensyncError(Exception):
    """Whatever tokensync raises on purpose; its text is fit to show to a user."""

    exit_code = 1


class UsageError(TokensyncError):
    """A flag, a path or a configuration value that cannot be used."""

    exit_code = 2


class ProblemsError(TokensyncError):
    """All problems of a step at once: the errors that stopped it and the warnings found on the way."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class CheckFailed(ProblemsError):
    """``lint`` or ``check`` found errors in what is otherwise readable."""

    exit_code = 5


class DifferencesFound(TokensyncError):
    """Two things that should be equal are not; the message says which."""

    exit_code = 3


class ConflictError(TokensyncError):
    """Two sides changed the same thing, or a plan is unsafe or no longer fits the platform."""

    exit_code = 4


class PlatformError(TokensyncError):
    """The platform, or the way to it, refused.

    ``status`` is the HTTP status, or None when no answer came. ``outcome_unknown`` is true for a POST that may have
    been carried out although no proof of it came back: read the platform before sending it again.
    """

    outcome_unknown = False

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class NetworkError(PlatformError):
    """No usable answer: refused, reset, timed out, cut short, or an untrusted certificate."""


class RateLimitedError(PlatformError):
    """429 with a wait longer than the configured cap; ``retry_after`` is in seconds, or None when not told."""

    def __init__(self, message: str, retry_after: int | None = None) -> None:
        super().__init__(message, 429)
        self.retry_after = retry_after


class AccessError(PlatformError):
    """401 or 403: the token, its scope, the plan, the seat or the file's permission."""


class NotFoundError(PlatformError):
    """404: no such file, team, folder, webhook or resource, or none that this token may see."""


class RequestError(PlatformError):
    """400 or 413: the platform refused the request as sent; nothing of it was carried out."""


class ServerError(PlatformError):
    """5xx after the last retry, or a 2xx whose body is not what the API promises."""


def errors_among(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Return the problems that stop a step."""
    return tuple(each for each in problems if each.severity == "error")


def stop_on_errors(problems: Iterable[Problem]) -> None:
    """Raise ProblemsError with all problems when at least one is an error."""
    found = tuple(problems)
    if errors_among(found):
        raise ProblemsError(found)
