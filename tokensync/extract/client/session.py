"""Sessions: requests with retries, renewal of tokens, pagination and errors."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec

from tokensync.extract.client import responses
from tokensync.extract.client.endpoints import within
from tokensync.extract.client.responses import RATE_LIMITED, Answer, Lost, Wait
from tokensync.system.errors import DECODE_ERRORS, NetworkError, PlatformError, ServerError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tokensync.extract.client.addresses import BaseUrl
    from tokensync.extract.client.credentials import Credential, Renew
    from tokensync.extract.client.endpoints import Endpoint, Page, Request
    from tokensync.extract.client.responses import Clock, RetryPolicy
    from tokensync.extract.client.transport import Transport

Kind = TypeVar("Kind")

_MOST_PAGES: Final = 10_000
"""The most pages of one list, in case pagination never ends."""


class Session:
    """Sends the requests of all endpoint groups, retries them, and raises failures as PlatformError."""

    def __init__(
        self,
        transport: Transport,
        base: BaseUrl,
        credential: Credential,
        retry: RetryPolicy,
        on_wait: Callable[[Wait], None] | None,
        clock: Clock,
        renew: Renew | None = None,
    ) -> None:
        self._transport = transport
        self._base = base
        self._credential = credential
        self._retry = retry
        self._on_wait = on_wait
        self._clock = clock
        self._renew = renew

    def send(self, request: Request, *, once: bool = False) -> bytes:
        """Send a request and return the raw body of its success. Raise PlatformError for a failure.

        If the platform refuses the token, repeat the request once with a renewed one, unless it must be sent ``once``:
        no refusal proves that nothing was applied.
        """
        renewed = False
        for attempt in count(1):
            outcome = self._transport.attempt(request)
            if not renewed and responses.refuses_token(request, outcome) and self._renewed():
                renewed = True
                if once:
                    break
                outcome = self._transport.attempt(request)
            if isinstance(outcome, Answer) and outcome.succeeded:
                flaw = responses.flaw(outcome.body, request.shape)
                if flaw is None and self._credential.is_in(outcome.body):
                    raise self._invalid_response(request, outcome, f"the response repeats {self._credential.source}")
                if flaw is None:
                    return outcome.body
                if flaw.status is not None:
                    outcome = outcome._replace(status=flaw.status)
                elif flaw.cut_short:
                    outcome = Lost(flaw.what)
                else:
                    raise self._invalid_response(request, outcome, flaw.what)
            if not self._waited(request, attempt, outcome):
                break
        failure = self._failure(request, outcome, attempt)
        failure.token_renewed = renewed and once
        raise failure

    def read(self, request: Request, kind: type[Kind]) -> Kind:
        """Send a request and decode its success as this type. Raise ServerError for a body of another shape."""
        body = self.send(request)
        try:
            return msgspec.json.decode(body, type=kind)
        except DECODE_ERRORS as error:
            raise self._unexpected_shape(request, error) from None

    def pages(self, endpoint: Endpoint, values: Mapping[str, Any]) -> Iterator[Page]:
        """Yield the decoded pages until the platform names no next page."""
        values = dict(values)
        requested = set()
        for _ in range(_MOST_PAGES):
            request = endpoint.request(values)
            requested.add((request.path, request.body))
            page: Page = self.read(request, dict[str, Any])
            yield page
            following = None if endpoint.paging is None else endpoint.paging.following(page)
            if following is None:
                return
            values |= following
            after = endpoint.request(values)
            if (after.path, after.body) in requested:
                what = "the pagination repeats a page"
                raise ServerError(f"{self.where(request)}: {what}; try again later", 200)
        what = f"the list has more than {_MOST_PAGES:,} pages"
        raise ServerError(f"{self.where(request)}: {what}; narrow the request, or report a bug", 200)

    def rows(self, endpoint: Endpoint, values: Mapping[str, Any], kind: type[Kind]) -> Iterator[Kind]:
        """Yield the rows of all pages, decoded as this type. Raise ServerError for one of another shape."""
        if endpoint.paging is None:
            raise ValueError(f"{endpoint.name}: not paginated")
        for page in self.pages(endpoint, values):
            try:
                yield from msgspec.convert(within(page, *endpoint.paging.items), list[kind])  # type: ignore[valid-type]
            except (msgspec.ValidationError, RecursionError) as error:
                raise self._unexpected_shape(endpoint.request(values), error) from None

    def download(self, url: str, request: Request) -> bytes:
        """Return the content of a URL in the response to ``request``. Raise PlatformError for a failure."""
        for attempt in count(1):
            outcome = self._transport.download(url)
            if isinstance(outcome, Answer) and outcome.succeeded:
                return outcome.body
            if not self._waited(request, attempt, outcome):
                break
        where = f"{self.where(request)}, a download link in the response"
        if isinstance(outcome, Lost):
            raise NetworkError(self._credential.hide_in(f"{where}: {outcome.what}; {outcome.what_to_do}"))
        raise ServerError(f"{where}: download failed ({outcome.title}); request new links", outcome.status)

    def where(self, request: Request) -> str:
        """Return the location of a request for messages."""
        return f"{request.method} {self._base.label.rstrip(':')}/{request.address}"

    def _renewed(self) -> bool:
        """Replace the refused token, and return whether there was another one."""
        credential = None if self._renew is None else self._renew(self._credential)
        if credential is None:
            return False
        self._credential = credential
        self._transport.use(credential)
        return True

    def _waited(self, request: Request, attempt: int, outcome: Answer | Lost) -> bool:
        """Wait for the next attempt; return False if there is none."""
        if request.changes:
            return False
        headers = outcome.headers if isinstance(outcome, Answer) else {}
        retry_after = responses.retry_after(headers, self._clock.now())
        seconds = responses.seconds_to_wait(self._retry, attempt, outcome, retry_after, self._clock.random())
        if seconds is None:
            return False
        if self._on_wait is not None:
            self._on_wait(Wait(seconds, _reason(outcome), attempt + 1, self._retry.attempts))
        self._clock.sleep(seconds)
        return True

    def _failure(self, request: Request, outcome: Answer | Lost, attempts: int) -> PlatformError:
        where = self.where(request)
        if isinstance(outcome, Answer):
            return responses.from_answer(request, where, outcome, self._credential, self._clock.now(), attempts)
        unknown = request.changes and not outcome.never_sent
        advice = responses.unknown_outcome_advice(request) if unknown else outcome.what_to_do
        after = f" ({attempts} attempts)" if attempts > 1 else ""
        error = NetworkError(self._credential.hide_in(f"{where}: {outcome.what}{after}; {advice}"))
        error.outcome_unknown = unknown
        return error

    def _unexpected_shape(self, request: Request, error: Exception) -> ServerError:
        reason = self._credential.hide_in(str(error), request.secrets)
        what = f"the response differs from the documented one ({reason})"
        return ServerError(f"{self.where(request)}: {what}; check base_url, and update tokensync", 200)

    def _invalid_response(self, request: Request, answer: Answer, what: str) -> ServerError:
        advice = responses.unknown_outcome_advice(request) or "check base_url and proxies"
        error = ServerError(
            self._credential.hide_in(f"{self.where(request)}: {what} ({answer.title}); {advice}"), answer.status
        )
        error.outcome_unknown = request.changes
        return error


def _reason(outcome: Answer | Lost) -> str:
    if isinstance(outcome, Lost):
        return outcome.what
    return "rate limited" if outcome.status == RATE_LIMITED else outcome.title
