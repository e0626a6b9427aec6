"""What came back: HTTP responses, when a request is repeated, and the errors of failed requests with their remedies."""

from __future__ import annotations

import math
import os
import re
import time
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from tokensync.extract.client.credentials import STORED, Credential
from tokensync.system.disk import content_of
from tokensync.system.errors import (
    DECODE_ERRORS,
    AccessError,
    NotFoundError,
    PlatformError,
    RateLimitedError,
    RequestError,
    ServerError,
)
from tokensync.system.outlet.characters import blanked
from tokensync.system.wording import shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tokensync.extract.client.endpoints import Request, Shape


class Answer(NamedTuple):
    """A complete HTTP response. The body has no content encoding; header names are case-insensitive.

    The repr hides the body, which holds tokens in responses of OAuth endpoints.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def succeeded(self) -> bool:
        """Return whether the status is 2xx."""
        return 200 <= self.status < 300

    @property
    def title(self) -> str:
        """Return the status with its standard phrase, such as "503 Service Unavailable", never the server's own."""
        try:
            return f"{self.status} {HTTPStatus(self.status).phrase}"
        except ValueError:
            return str(self.status)

    def __repr__(self) -> str:
        return f"Answer({self.title!r}, {len(self.body)} bytes)"


class Lost(NamedTuple):
    """A failure without a usable response. ``passing``: a retry may help. ``never_sent``: the request was not sent."""

    what: str
    what_to_do: str = "try again later"
    passing: bool = True
    never_sent: bool = False


MESSAGE_LIMIT = 1000  # a 400 may name many variables
PAGE_LIMIT = 160
_READ = 8192  # far above both limits, because spaces and markup are removed afterwards

_MARKUP = re.compile(r"<[^<>]*>")


class ErrorBody(msgspec.Struct):
    """The members of an error body, of any type, since a proxy may answer with other JSON."""

    status: Any = None
    err: Any = None
    error: Any = None
    message: Any = None


class ErrorMessage(NamedTuple):
    """The text of an error on one line; ``from_platform`` is false for a body in no format of the platform."""

    text: str
    from_platform: bool


def error_message(body: bytes, hide: Callable[[str], str] = str) -> ErrorMessage:
    """Return the message of any error body. An empty body counts as the platform's.

    ``hide`` removes secrets from its text, before the text is cut, which could leave a part of one.
    """
    if not body.strip():
        return ErrorMessage("", True)
    try:
        members = msgspec.json.decode(body, type=ErrorBody)
    except DECODE_ERRORS:
        return ErrorMessage(_page_title(hide(body.decode("utf-8", "replace"))), False)
    for text in (members.message, members.err, members.error):
        if isinstance(text, str) and text.strip():
            return ErrorMessage(one_line(hide(text)[:_READ]), True)
    return ErrorMessage("", members.status is not None or members.error is not None)


def states_status(answer: Answer) -> bool:
    """Return whether an error body contains the status, as the platform's do. Those of proxies seldom do."""
    try:
        return bool(msgspec.json.decode(answer.body, type=ErrorBody).status == answer.status)
    except DECODE_ERRORS:
        return False


def one_line(text: str) -> str:
    """Return a text as one printable line: controls, line breaks and invisible characters become single spaces."""
    return " ".join(blanked(text).split())


def _page_title(page: str) -> str:
    """Return the title of an HTML page, or the beginning of any other text without markup."""
    text = page[:_READ].replace("\N{REPLACEMENT CHARACTER}", " ")
    start, end = (text.lower().find(tag) for tag in ("<title>", "</title>"))
    if 0 <= start < end:
        text = text[start + len("<title>") : end]
    return one_line(_MARKUP.sub(" ", text))


class Envelope(msgspec.Struct):
    """The body of a success. ``meta`` is checked to be well-formed, and not decoded."""

    status: Any = None
    err: Any = None
    error: Any = None
    meta: msgspec.Raw = msgspec.Raw()


class Flaw(NamedTuple):
    """A defect of a 2xx body. ``status`` is that of a failure that the body itself reports."""

    what: str
    cut_short: bool = False
    status: int | None = None


def flaw(body: bytes, shape: Shape = "meta") -> Flaw | None:
    """Return the first defect of a 2xx body of this shape, or None."""
    if shape == "any" and not body.strip():
        return None
    try:
        envelope = msgspec.json.decode(body, type=Envelope)
    except msgspec.ValidationError:
        return Flaw(
            "the response is JSON, but not an object with a meta member"
            if shape == "meta"
            else "the response is JSON, but not an object"
        )
    except msgspec.DecodeError as error:
        if "truncated" in str(error):
            return Flaw("the JSON of the response is incomplete", cut_short=True)
        return Flaw("the response is not JSON")
    except RecursionError:
        return Flaw("the JSON of the response is nested too deeply")
    except UnicodeDecodeError:
        return Flaw("the response is not UTF-8")
    if envelope.error not in (None, False) or envelope.err is not None:
        status = envelope.status if type(envelope.status) is int and 400 <= envelope.status <= 599 else None
        return Flaw("the response has a success status, but reports an error", status=status)
    if shape == "meta" and bytes(memoryview(envelope.meta)[:1]) != b"{":
        return Flaw("the response has no meta object")
    return None


_UNAUTHORIZED, _FORBIDDEN = 401, 403
_WORDS = re.compile(
    r"\b(invalid|expired|revoked) (access )?token\b|\btoken (is |has )?(invalid|expired|revoked)\b", re.IGNORECASE
)


def refuses_token(request: Request, outcome: Answer | Lost) -> bool:
    """Return whether another token may help: for 401, and for 403 if the token is invalid, not if it lacks a scope."""
    if request.basic is not None or not isinstance(outcome, Answer):
        return False
    if outcome.status == _UNAUTHORIZED:
        return True
    return outcome.status == _FORBIDDEN and _WORDS.search(error_message(outcome.body).text) is not None


def _fraction() -> float:
    from random import random  # loaded by the first retry only

    return random()  # noqa: S311 - jitter is no secret


def boot_id() -> str:
    """Return what identifies the time scale of ``time.monotonic``: the boot of this machine, and its namespace.

    Return an empty string where that is unknown.
    """
    try:
        boot = content_of("/proc/sys/kernel/random/boot_id") or b""
        return f"{boot.decode('ascii').strip()} {os.readlink('/proc/self/ns/time')}"
    except (OSError, ValueError):
        return ""


class Clock(NamedTuple):
    """A replaceable clock. ``now`` is Unix seconds, ``elapsed`` is monotonic, ``random`` is in [0, 1).

    Processes with the same ``boot``, unless it is empty, share the scale of ``elapsed``. It stops while the machine
    sleeps, as its connections do, and setting the time does not move it: it never shows more time than has passed.
    """

    now: Callable[[], float] = time.time
    elapsed: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    random: Callable[[], float] = _fraction
    boot: Callable[[], str] = boot_id


_YEAR = 366 * 86400
_WORD = re.compile(r"[A-Za-z0-9_-]{1,30}")
_SECONDS = re.compile(r"[0-9]+(\.[0-9]+)?")
_UNITS = ((86400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Return ``Retry-After`` in seconds from ``now``; it may be in seconds or an HTTP date. A past date is 0."""
    text = headers.get("Retry-After", "").strip()
    if _SECONDS.fullmatch(text):  # RFC 9110 has whole seconds only; some proxies send a fraction
        return min(float(text), 1e12)
    from email.utils import parsedate_to_datetime

    try:
        return max(0, math.ceil(parsedate_to_datetime(text).timestamp() - now))
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _in_units(seconds: float) -> str:
    """Return a wait in its two largest units, such as "4 days 14 hours" or "30 seconds"."""
    rest = max(1, round(seconds))
    words: list[str] = []
    for size, unit in _UNITS:
        count, rest = divmod(rest, size)
        if count:
            words.append(f"{count} {unit}{'' if count == 1 else 's'}")
        elif words:
            break
        if len(words) == 2:
            break
    return " ".join(words)


RATE_LIMITED = 429
PASSING = frozenset((RATE_LIMITED, 500, 502, 503, 504))


class RetryPolicy(NamedTuple):
    """Exponential backoff with full jitter: before attempt n+1 a random wait up to ``first * 2**(n-1)`` seconds.

    ``attempts`` includes the first one. ``longest_backoff`` caps the backoff. A ``Retry-After`` longer than
    ``longest_retry_after`` is a failure.
    """

    attempts: int = 5
    first: float = 0.5
    longest_backoff: float = 20.0
    longest_retry_after: float = 60.0

    def backoff(self, attempt: int, fraction: float) -> float:
        """Return the wait after ``attempt`` failed attempts; ``fraction`` is random in [0, 1)."""
        return fraction * min(self.longest_backoff, self.first * 2.0 ** min(attempt - 1, 60))


class Wait(NamedTuple):
    """A wait before an attempt: its length, the reason, the next attempt (1 for none before) and their number."""

    seconds: float
    reason: str
    attempt: int
    attempts: int


def seconds_to_wait(
    policy: RetryPolicy, attempt: int, outcome: Answer | Lost, retry_after: float | None, fraction: float
) -> float | None:
    """Return the wait before a retry, or None for no retry.

    ``Retry-After`` is a lower bound, so jitter is added to it.
    """
    is_passing = outcome.passing if isinstance(outcome, Lost) else outcome.status in PASSING
    if attempt >= policy.attempts or not is_passing:
        return None
    if retry_after is None:
        return policy.backoff(attempt, fraction)
    if retry_after > policy.longest_retry_after:
        return None
    return retry_after + fraction * policy.first


REQUESTS_A_MINUTE: Mapping[str, tuple[int, int, int]] = {
    "low": (0, 5, 10),
    "starter": (0, 25, 50),
    "pro": (10, 25, 50),
    "org": (15, 50, 100),
    "enterprise": (20, 100, 150),
}
"""The limits of tiers 1 to 3 for view and collab seats (``low``), and for others by the plan in X-Figma-Plan-Tier. 0 is
a limit per month (https://developers.figma.com/docs/rest-api/rate-limits/)."""


class Pace:
    """The leaky buckets in which the platform counts requests, as far as this process fills them.

    ``limits`` are requests a minute by tier. A 429 corrects them, since no other response says anything about limits.
    """

    def __init__(self, limits: Sequence[int] = (0, 0, 0)) -> None:
        self._limits = limits
        self._filled: dict[int, tuple[float, float]] = {}

    def reserve(self, tier: int, now: float) -> float:
        """Count a request, and return the seconds until it fits. One request is spared, since some may be delayed."""
        limit = self._limits[tier - 1]
        if not limit:
            return 0.0
        level, since = self._filled.get(tier, (0.0, now))
        level = 1 + max(0.0, level - (now - since) * limit / 60)
        self._filled[tier] = level, now
        return max(0.0, (level + 1 - limit) * 60 / limit)

    def learn(self, tier: int, headers: Mapping[str, str], now: float) -> None:
        """Take the limits from a 429, which shows that the bucket of its tier is full."""
        names = [headers.get(name, "") for name in ("X-Figma-Rate-Limit-Type", "X-Figma-Plan-Tier")]
        if limits := next(filter(None, map(REQUESTS_A_MINUTE.get, names)), None):
            self._limits = limits
            self._filled[tier] = limits[tier - 1] - 1.0, now


_ADMIN = "an admin of the organization"


class Requirement(NamedTuple):
    """The plan and the user's seat or role that a part of the API requires, with advice on how to get them.

    ``kinds`` lists the accepted kinds of token, in words.
    """

    plan: str = "a higher plan"
    where: str = "use a team on such a plan, or ask an admin about the plan"
    seat: str = "a full seat in the organization that owns it"
    how: str = "use the token of a full member, or ask an admin of the organization for a full seat"
    kinds: str = "a personal access token or an OAuth token"


_ANY_KIND = "a personal access token, a plan access token or an OAuth token"
_ENTERPRISE = Requirement(
    plan="an Enterprise plan",
    where="use a file of an Enterprise organization, or rehearse with base_url emulator:",
    kinds=_ANY_KIND,
)
_VARIABLES = _ENTERPRISE._replace(
    where="on other plans, read them with base_url bridge: or snapshot:PATH (tokensync explain without-enterprise)",
    seat="membership in the organization that owns it, with any seat, but not as a guest",
    how="use the token of a member, or ask an admin of the organization to add the user",
)
_ORGANIZATION = Requirement(
    plan="an Enterprise organization",
    where="use the token of an admin of such an organization, or rehearse against tokensync emulator serve",
    seat=_ADMIN,
    how="use the token of an admin, or ask one to run it",
    kinds=_ANY_KIND,
)
_GOVERNANCE = _ORGANIZATION._replace(plan="an Enterprise organization with the Governance+ add-on")
_WEBHOOKS = Requirement(
    plan="a Professional, Organization or Enterprise plan",
    where="use a team of such a plan, and the token of its admin",
    seat="a seat that can edit there",
    how="use the token of a team admin for a team, of an editor for a folder or a file",
)
_NO_PUBLIC_APP = Requirement(kinds="a personal or plan access token, or the token of a private OAuth app")

_BY_SCOPE = {
    "file_variables:read": _VARIABLES,
    "file_variables:write": Requirement(
        plan=_ENTERPRISE.plan,
        where="on other plans, write them with base_url bridge: (tokensync explain without-enterprise)",
    ),
    "library_analytics:read": _ENTERPRISE,
    "org:activity_log_read": _ORGANIZATION,
    "org:developer_log_read": _GOVERNANCE._replace(kinds="a plan access token"),
    "org:discovery_read": _GOVERNANCE,
    "webhooks:read": _WEBHOOKS,
    "webhooks:write": _WEBHOOKS,
    "projects:read": _NO_PUBLIC_APP,
    "project_metadata:read": _NO_PUBLIC_APP,
    "folders:read": _NO_PUBLIC_APP,
}


def requirement_of(scope: str) -> Requirement:
    """Return what a scope requires, or the general requirement."""
    return _BY_SCOPE.get(scope, Requirement())


def scope_note(scope: str, *, writes: bool) -> str:
    """Return a restriction on tokens with this scope, in brackets; empty for most scopes."""
    if scope.startswith("org:"):
        only = ", on a plan access token" if scope == "org:developer_log_read" else ""
        return f" (only an admin of an Enterprise organization can grant it{only})"
    return " (a plan access token cannot have it)" if writes and scope == "file_variables:write" else ""


_SCOPE = re.compile(r"\b[a-z][a-z_]{1,40}:[a-z][a-z_]{1,40}\b")
_REQUIRED = re.compile(r"\brequires?\b", re.IGNORECASE)

_BRANCH_MEANING = "the key is that of a branch, but Figma requires the main file"
_BRANCH_ADVICE = "use the URL of the main file, or the full URL of the branch, which contains both keys"
_UNUSABLE_MEANING = "the access token is invalid, expired or revoked"
_UNUSABLE_ADVICE = "{new_token_advice}"
_PLAN_MEANING = "the plan does not include this part of the API, which requires {plan}"
_OTHER_KIND = "this kind of access token cannot be used here"
_PLAN_TOKEN = "a plan access token cannot be used here"  # noqa: S105 - not a secret
_NO_SCOPE = "the token lacks the scope {scope}"
_TOKEN_KNOWN = frozenset((_OTHER_KIND, _PLAN_TOKEN, _NO_SCOPE))
_LOG_IN_AGAIN = "log in again with tokensync auth login"


class Rule(NamedTuple):
    """An explanation of statuses whose message matches the pattern ``words``, with the placeholders of ``_fields``."""

    statuses: tuple[int, ...]
    words: str
    meaning: str
    advice: str
    methods: tuple[str, ...] = ("GET", "POST", "PUT", "PATCH", "DELETE")


RULES = (
    Rule((400, 403, 404), r"\bbranch", _BRANCH_MEANING, _BRANCH_ADVICE),
    Rule(
        (401, 403),
        r"public oauth app",
        "public OAuth apps may not use this endpoint",
        "use a personal access token, or an app that is private to your organization",
    ),
    Rule(
        (401, 403),
        r"cannot be used|\brequires? an? (plan|personal|oauth)",
        _OTHER_KIND,
        "use {kinds} with the scope {scope}{scope_note}",
    ),
    Rule(
        (401, 403),
        r"plan (access )?token",
        _PLAN_TOKEN,
        "use {kinds} with the scope {scope}",
        ("POST", "PUT", "DELETE"),
    ),
    Rule(
        (401, 403),
        r"invalid scope|(missing|required|requires).*\bscope",
        _NO_SCOPE,
        "create a token with the scope {scope}, or authorize the OAuth app again with it{scope_note}",
    ),
    Rule(
        (403,),
        r"not exportable",
        "the file's owner does not allow copying and exporting",
        "ask its owner to allow it in the file's sharing settings",
    ),
    Rule((403,), r"token (has )?expired", "the access token has expired", _UNUSABLE_ADVICE),
    Rule((400, 401, 403), r"limited by .*plan|plan limit", _PLAN_MEANING, "{plan_where}"),
    Rule((400,), r"^access denied$", _PLAN_MEANING, "{plan_where}"),  # webhooks of a plan that has none
    Rule(
        (401, 403),
        r"account type",
        "the token's user does not meet a requirement of this part of the API: {seat}",
        "{seat_how}",
    ),
    Rule(
        (401, 403),
        r"insufficient .*permission",
        "the token's user may not {verb} this {subject}",
        "ask its owner or an admin to let the token's user {verb} it",
    ),
    Rule(
        (403,),
        r"only organization admins",
        "the token's user is not an admin of an Enterprise organization",
        "use the token of an admin, or ask one to run it",
    ),
    Rule(
        (403,),
        r"only the author",
        "the {subject} belongs to another user, and only its author may change it",
        "use the token of its author",
    ),
    Rule(
        (401, 403),
        r"only available for design files",
        "the file is not a design file, and only design files have variables",
        "use the key or URL of a design file",
    ),
    Rule(
        (403,),
        r"\bhttps\b|plain http|\bssl\b|\btls\b",
        "the request reached Figma without encryption",
        "use an https:// base_url, and check proxies",
    ),
    Rule((401, 403), r"token|expired|unauthori[sz]ed|authentication", _UNUSABLE_MEANING, _UNUSABLE_ADVICE),
    Rule((401,), "", "Figma did not accept the access token", _UNUSABLE_ADVICE),
    Rule(
        (403,),
        "",
        "Figma refused access",
        "check that the token is valid, has the scope {scope}, and that its user may {verb} the {subject}",
    ),
    Rule(
        (404,),
        "",
        "no such {subject}, or the token's user may not see it",
        "check the key or URL, and that the token's user may {verb} the {subject}{branch_note}",
    ),
    Rule((413,), "", "the request is larger than Figma accepts (4 MB for variables)", "send it in smaller batches"),
    Rule((400,), r"too large", "the response is larger than Figma allows", "{smaller}", ("GET",)),
    Rule(
        (400,),
        "",
        "Figma refused the request and changed nothing",
        "correct the problem in the message{branch_note}",
        ("POST",),
    ),
    Rule(
        (400,),
        r"\b(page_size|limit|cursor|after|before|depth|scale|group_by|\w+_date|\w*ids)\b",
        "Figma refused a parameter of the request",
        "correct the parameter that the message names",
    ),
    Rule((400,), "", "Figma refused the request", "check the key or URL{branch_note}"),
    Rule((407,), "", "the proxy requires a user name and a password", "check the proxy in HTTPS_PROXY, and NO_PROXY"),
)

APP_RULES = (
    Rule(
        (401, 403),
        "",
        "Figma did not accept the client id and the client secret of the OAuth app",
        "check both (the secret is shown only when the app is created), and log in again",
    ),
    Rule((400,), r"refresh", "Figma no longer accepts the stored login", _LOG_IN_AGAIN),
    Rule((400,), r"\bcode\b", "Figma did not accept the code, which is valid once and for 30 seconds", _LOG_IN_AGAIN),
    Rule((400,), r"redirect", "the redirect URL is not registered with the OAuth app", "register it, and {again}"),
    Rule((400,), "", "Figma refused the request of the OAuth app", _LOG_IN_AGAIN),
    Rule((404,), "", "no OAuth endpoints at this address", "check base_url"),
)
"""The rules for requests of an OAuth app, which have no access token."""

_OF_MAIN_FILES = {
    "file_variables:read": "published variables",
    "file_dev_resources:read": "dev resources",
    "file_dev_resources:write": "dev resources",
    "library_content:read": "a library",
    "library_analytics:read": "analytics",
}
_ANY_REFUSAL = Rule((), "", "Figma refused the request", "check base_url and the key or URL of the file")

_KINDS: dict[int, type[PlatformError]] = {401: AccessError, 403: AccessError, 404: NotFoundError}


def from_answer(
    request: Request, where: str, answer: Answer, credential: Credential, now: float, attempts: int = 1
) -> PlatformError:
    """Return the error for a failed answer. Quote the server's message on one line, shortened and without secrets."""
    message = error_message(answer.body, lambda text: credential.hide_in(text, request.secrets))
    quoted = _quoted(answer, message)
    if answer.status == RATE_LIMITED:
        return _rate_limited(where, answer, credential, quoted, now, attempts)
    if answer.status >= 500 or answer.status < 400:
        return _server_failure(request, where, answer, credential, quoted, now, attempts)
    kind = _KINDS.get(answer.status, RequestError)
    if not message.from_platform and message.text:
        meaning = "the response is not from Figma; it may be from a proxy or firewall"
        text = f"{where}: {meaning} ({quoted}); check base_url, the proxy and the network"
        return kind(credential.hide_in(text), answer.status)
    rule = _rule(request, answer.status, message.text)
    fields = _fields(request, message.text, credential)
    meaning, advice = rule.meaning.format_map(fields), rule.advice.format_map(fields)
    error = kind(credential.hide_in(f"{where}: {meaning} ({quoted}); {advice}"), answer.status)
    if isinstance(error, AccessError):
        error.token_known = answer.status == 403 and rule.meaning in _TOKEN_KNOWN
        error.token_refused = refuses_token(request, answer)
    return error


def meaning(request: Request, answer: Answer) -> str:
    """Return what a refusal means, without a word of its message; empty for other answers."""
    if not 400 <= answer.status < 500 or answer.status == RATE_LIMITED:
        return ""
    message = error_message(answer.body)
    if message.text and not message.from_platform:
        return "the response is not from Figma"
    fields = _fields(request, "", Credential("personal", "none"))
    return _rule(request, answer.status, message.text).meaning.format_map(fields)


def _rate_limited(
    where: str, answer: Answer, credential: Credential, quoted: str, now: float, attempts: int
) -> RateLimitedError:
    """Return the error for a 429, with the plan of the file and ``low`` or ``high`` for the user's seat, if known."""
    pause = retry_after(answer.headers, now)
    if pause is None:
        when = "wait a minute or more, then try again"
    elif pause > 10 * _YEAR:
        when = "Figma gives no usable time to retry"
    else:
        clock = time.strftime("%Y-%m-%d %H:%M", time.localtime(now + pause + 59))
        when = f"try again in {_in_units(pause)}, at {clock} local time"
    headers = {"plan": "X-Figma-Plan-Tier", "limit type": "X-Figma-Rate-Limit-Type"}
    values = {name: answer.headers.get(header) or "" for name, header in headers.items()}
    details = ", ".join(f"{name} {value}" for name, value in values.items() if _WORD.fullmatch(value))
    if values["limit type"] == "low":
        when += ", or use the token of a Dev or Full seat in the plan that owns the file, whose limits are higher"
    what = f"rate limited{f' ({details})' if details else ''} ({quoted}){_after(attempts)}"
    text = credential.hide_in(f"{where}: {what}; {when}")
    return RateLimitedError(text, pause, from_platform=states_status(answer))


def _rule(request: Request, status: int, text: str) -> Rule:
    for rule in RULES if request.basic is None else APP_RULES:
        if status in rule.statuses and request.method in rule.methods and re.search(rule.words, text, re.IGNORECASE):
            return rule
    return _ANY_REFUSAL


def _fields(request: Request, text: str, credential: Credential) -> dict[str, str]:
    """Return the placeholders of the rules. The only one from the server's text is the name of a scope."""
    writes = request.changes
    required = _REQUIRED.search(text)
    scopes = _SCOPE.findall(text, required.start()) if required else []
    scope = scopes[0] if len(scopes) == 1 else request.scope
    requirement = requirement_of(request.scope or scope)
    return {
        "scope": scope,
        "again": _LOG_IN_AGAIN,
        "new_token_advice": _new_token_advice(credential),
        "verb": "edit" if writes else "see",
        "subject": request.subject,
        "scope_note": scope_note(scope, writes=writes),
        "plan": requirement.plan,
        "plan_where": requirement.where,
        "smaller": (
            "request single nodes with ids, or fewer levels with depth"
            if request.scope == "file_content:read"
            else "split the file: this request has no parameter that makes its response smaller"
        ),
        "seat": requirement.seat,
        "seat_how": requirement.how,
        "kinds": requirement.kinds,
        "branch_note": (
            f"; for a branch, use the key of its main file: only main files have {_OF_MAIN_FILES.get(scope, 'this')}"
            if request.main_file_only
            else ""
        ),
    }


def _new_token_advice(credential: Credential) -> str:
    """Return how to get another token from the same source."""
    if credential.source == STORED:
        return _LOG_IN_AGAIN
    other = (
        "a personal or plan access token belongs in FIGMA_ACCESS_TOKEN"
        if credential.kind == "oauth"
        else "an OAuth token belongs in FIGMA_OAUTH_TOKEN"
    )
    lifetime = "personal access tokens expire after 90 days at most"
    return f"create a new one ({lifetime}) and set it in {credential.source} ({other})"


def _server_failure(
    request: Request, where: str, answer: Answer, credential: Credential, quoted: str, now: float, attempts: int
) -> PlatformError:
    """Return the error for 5xx, redirects and statuses that no endpoint documents."""
    if 300 <= answer.status < 400:
        what = f"the server redirects ({quoted}), and tokens are not sent to another address"
        return ServerError(f"{where}: {what}; use the final address as base_url", answer.status)
    pause = retry_after(answer.headers, now)
    when = "later" if pause is None else f"in {_in_units(pause)}"
    advice = unknown_outcome_advice(request) or f"try again {when}"
    error = ServerError(
        credential.hide_in(f"{where}: Figma failed ({quoted}){_after(attempts)}; {advice}"), answer.status
    )
    error.outcome_unknown = request.changes
    return error


def unknown_outcome_advice(request: Request) -> str:
    """Return the advice for a request whose outcome is unknown; empty for one that changes nothing."""
    if not request.changes:
        return ""
    if request.scope != "file_variables:write":
        return f"the change may have been made: check the {request.subject} before you repeat it"
    return "the change may have been made: read the variables before you repeat it"


def _quoted(answer: Answer, message: ErrorMessage) -> str:
    text = shortened(message.text, MESSAGE_LIMIT if message.from_platform else PAGE_LIMIT)
    return f'{answer.status} "{text}"' if text else answer.title


def _after(attempts: int) -> str:
    return f" after {attempts} attempts" if attempts > 1 else ""
