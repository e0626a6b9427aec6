"""The exceptions of tokensync.

    TokensyncError
      UsageError               invalid command line or configuration (exit 2)
      ProblemsError            problems of severity "error" stopped a step (exit 1)
        ConfigurationError     the configuration is not valid (exit 2)
      DifferencesFound         something is out of date or different (exit 3)
      ErrorsFound              lint or check found errors (exit 5)
      ConflictError            a merge conflict, or an unsafe or outdated plan (exit 4)
      PlatformError            the platform or the connection failed (exit 1)
        NetworkError           no usable response
        RateLimitedError       429, and the wait exceeds the configured limit
        AccessError            401 or 403
        NotFoundError          404
        RequestError           400 or 413: the platform refused the request
        ServerError            5xx after all retries, or an invalid response

Every message has the form *where: what; what to do*. ``exit_code`` is the exit code of the process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tokensync.system.problems import Problem


DECODE_ERRORS = (ValueError, RecursionError)
"""The errors of decoding JSON and TOML: invalid text, text that is not UTF-8, numbers too long, nesting too deep."""


class TokensyncError(Exception):
    """The base of all exceptions that tokensync raises. The message is for users."""

    exit_code = 1
    is_written = False
    """Whether the file of the result describes it, so that stdout has nothing of it."""


class UsageError(TokensyncError):
    """An invalid option, path or configuration value."""

    exit_code = 2


class ProblemsError(TokensyncError):
    """All problems of a step: the errors that stopped it, and its warnings."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        errors = errors_among(self.problems)
        super().__init__("\n".join(map(str, dict.fromkeys((*errors, *self.problems)))))


class ConfigurationError(ProblemsError):
    """All errors in a configuration."""

    exit_code = UsageError.exit_code


class DifferencesFound(TokensyncError):
    """A difference between two sides that should be equal."""

    exit_code = 3


class ErrorsFound(TokensyncError):
    """Errors that lint or check was run to find."""

    exit_code = 5


class ConflictError(TokensyncError):
    """A merge conflict, or a plan that is unsafe or out of date. ``problems`` are the conflicts at their locations."""

    exit_code = 4
    problems: Sequence[Problem] = ()


class PlatformError(TokensyncError):
    """A failure of the platform or of the connection to it.

    ``status`` is the HTTP status, or None without a response. ``outcome_unknown`` is true for a request that the
    platform may have applied: read its state before you repeat the request. ``token_renewed`` is true if the token was
    refused and has been replaced, so that the same request may succeed.
    """

    outcome_unknown = False
    token_renewed = False

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class NetworkError(PlatformError):
    """No usable response: refused, reset, timed out, incomplete, or an untrusted certificate."""


class RateLimitedError(PlatformError):
    """429 with a wait longer than the configured limit; ``retry_after`` is in seconds, or None if unknown.

    ``from_platform`` is false for a response of a proxy, which may have forwarded the request.
    """

    def __init__(self, message: str, retry_after: float | None = None, *, from_platform: bool = True) -> None:
        super().__init__(message, 429)
        self.retry_after = retry_after
        self.from_platform = from_platform


class AccessError(PlatformError):
    """401 or 403: the token, its scope, the plan, the seat or the file's permission.

    ``token_known`` is true if the message of the platform shows that the token is valid: only its scope or its kind
    does not suffice. ``token_refused`` is true if it shows that the token is not valid.
    """

    token_known = False
    token_refused = False


class NotFoundError(PlatformError):
    """404: the resource does not exist, or the token's user may not see it."""


class RequestError(PlatformError):
    """400 or 413: the platform refused the request and changed nothing."""


class ServerError(PlatformError):
    """5xx after the last retry, or a 2xx with an invalid body."""


def errors_among(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Return the problems of severity "error"."""
    return tuple(problem for problem in problems if problem.severity == "error")


def stop_on_errors(problems: Iterable[Problem]) -> None:
    """Raise ProblemsError with all problems if at least one is an error."""
    problems = tuple(problems)
    if errors_among(problems):
        raise ProblemsError(problems)
