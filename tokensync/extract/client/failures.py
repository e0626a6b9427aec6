"""The errors of failed requests, with what to do about them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from tokensync.extract.client import responses, retry
from tokensync.extract.client.credentials import STORED
from tokensync.system.errors import (
    AccessError,
    NotFoundError,
    PlatformError,
    RateLimitedError,
    RequestError,
    ServerError,
)
from tokensync.system.wording import shortened

if TYPE_CHECKING:
    from tokensync.extract.client.credentials import Credential
    from tokensync.extract.client.endpoint import Request
    from tokensync.extract.client.responses import Answer, ErrorMessage


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
    where="use a team of such a plan",
    seat="a seat that can edit there",
    how="use the token of a team admin for a team, of an editor for a folder or a file",
)
_NO_PUBLIC_APP = Requirement(kinds="a personal or plan access token, or the token of a private OAuth app")

_BY_SCOPE = {
    "file_variables:read": _ENTERPRISE,
    "file_variables:write": _ENTERPRISE._replace(kinds="a personal access token or an OAuth token"),
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


def of(scope: str) -> Requirement:
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

_BRANCH_MEANING = "the key is that of a branch, but the platform requires the main file"
_BRANCH_ADVICE = "use the URL of the main file, or the full URL of the branch, which contains both keys"
_UNUSABLE_MEANING = "the access token is invalid, expired or revoked"
_UNUSABLE_ADVICE = "{new_token_advice}"
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
    methods: tuple[str, ...] = ("GET", "POST", "PUT", "DELETE")


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
        (401, 403),
        r"limited by .*plan|plan limit",
        "the plan does not include this part of the API, which requires {plan}",
        "{plan_where}",
    ),
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
        "the request reached the platform without encryption",
        "use an https:// base_url, and check proxies",
    ),
    Rule((401, 403), r"token|expired|unauthori[sz]ed|authentication", _UNUSABLE_MEANING, _UNUSABLE_ADVICE),
    Rule((401,), "", "the platform did not accept the access token", _UNUSABLE_ADVICE),
    Rule(
        (403,),
        "",
        "the platform refused access",
        "check that the token is valid, has the scope {scope}, and that its user may {verb} the {subject}",
    ),
    Rule(
        (404,),
        "",
        "no such {subject}, or the token's user may not see it",
        "check the key or URL, and that the token's user may {verb} the {subject}{branch_note}",
    ),
    Rule(
        (413,),
        "",
        "the request is larger than the platform accepts (4 MB for variables)",
        "send it in smaller batches",
    ),
    Rule(
        (400,),
        r"too large",
        "the response is larger than the platform allows",
        "request single nodes with ids, or fewer levels with depth",
        ("GET",),
    ),
    Rule(
        (400,),
        "",
        "the platform refused the request and changed nothing",
        "correct the problem in the message{branch_note}",
        ("POST",),
    ),
    Rule(
        (400,),
        r"\b(page_size|limit|cursor|after|before|depth|scale|group_by|\w+_date|\w*ids)\b",
        "the platform refused a parameter of the request",
        "correct the parameter that the message names",
    ),
    Rule((400,), "", "the platform refused the request", "check the key or URL{branch_note}"),
    Rule((407,), "", "the proxy requires a user name and a password", "check the proxy in HTTPS_PROXY, and NO_PROXY"),
)

APP_RULES = (
    Rule(
        (401, 403),
        "",
        "the platform did not accept the client id and the client secret of the OAuth app",
        "check both (the secret is shown only when the app is created), and log in again",
    ),
    Rule((400,), r"refresh", "the platform no longer accepts the stored login", _LOG_IN_AGAIN),
    Rule(
        (400,),
        r"\bcode\b",
        "the platform did not accept the code, which is valid once and for 30 seconds",
        _LOG_IN_AGAIN,
    ),
    Rule((400,), r"redirect", "the redirect URL is not registered with the OAuth app", "register it, and {again}"),
    Rule((400,), "", "the platform refused the request of the OAuth app", _LOG_IN_AGAIN),
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
_ANY_REFUSAL = Rule((), "", "the platform refused the request", "check base_url and the key or URL of the file")

_KINDS: dict[int, type[PlatformError]] = {401: AccessError, 403: AccessError, 404: NotFoundError}


def from_answer(
    request: Request, where: str, answer: Answer, credential: Credential, now: float, attempts: int = 1
) -> PlatformError:
    """Return the error for a failed answer. Quote the server's message on one line, shortened and without secrets."""
    message = responses.error_message(answer.body, lambda text: credential.hide_in(text, request.secrets))
    quoted = _quoted(answer, message)
    if answer.status == 429:
        limit = retry.rate_limit(answer.headers, now)
        what = f"rate limited{retry.explanation(limit)} ({quoted}){_after(attempts)}"
        return RateLimitedError(
            credential.hide_in(f"{where}: {what}; {retry.advice(limit, now)}"),
            limit.retry_after,
            from_platform=responses.states_status(answer),
        )
    if answer.status >= 500 or answer.status < 400:
        return _server_failure(request, where, answer, credential, quoted, now, attempts)
    kind = _KINDS.get(answer.status, RequestError)
    if not message.from_platform and message.text:
        meaning = "the response is not from the platform; it may be from a proxy or firewall"
        text = f"{where}: {meaning} ({quoted}); check base_url, the proxy and the network"
        return kind(credential.hide_in(text), answer.status)
    rule = _rule(request, answer.status, message.text)
    fields = _fields(request, message.text, credential)
    meaning, advice = rule.meaning.format_map(fields), rule.advice.format_map(fields)
    error = kind(credential.hide_in(f"{where}: {meaning} ({quoted}); {advice}"), answer.status)
    if isinstance(error, AccessError):
        error.token_known = answer.status == 403 and rule.meaning in _TOKEN_KNOWN
    return error


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
    requirement = of(request.scope or scope)
    return {
        "scope": scope,
        "again": _LOG_IN_AGAIN,
        "new_token_advice": _new_token_advice(credential),
        "verb": "edit" if writes else "see",
        "subject": request.subject,
        "scope_note": scope_note(scope, writes=writes),
        "plan": requirement.plan,
        "plan_where": requirement.where,
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
    request: Request,
    where: str,
    answer: Answer,
    credential: Credential,
    quoted: str,
    now: float,
    attempts: int,
) -> PlatformError:
    """Return the error for 5xx, redirects and statuses that no endpoint documents."""
    if 300 <= answer.status < 400:
        what = f"the server redirects ({quoted}), and tokens are not sent to another address"
        return ServerError(f"{where}: {what}; use the final address as base_url", answer.status)
    pause = retry.retry_after(answer.headers, now)
    when = "later" if pause is None else f"in {retry.duration(pause)}"
    advice = unknown_outcome_advice(request) or f"try again {when}"
    error = ServerError(
        credential.hide_in(f"{where}: the platform failed ({quoted}){_after(attempts)}; {advice}"), answer.status
    )
    error.outcome_unknown = request.changes
    return error


def unknown_outcome_advice(request: Request) -> str:
    """Return the advice for a request whose outcome is unknown; empty for one that changes nothing."""
    if not request.changes:
        return ""
    if request.subject != "file":
        return f"the change may have been made: check the {request.subject} before you repeat it"
    return "the change may have been made: read the variables before you repeat it"


def _quoted(answer: Answer, message: ErrorMessage) -> str:
    text = shortened(message.text, responses.MESSAGE_LIMIT if message.from_platform else responses.PAGE_LIMIT)
    return f'{answer.status} "{text}"' if text else answer.title


def _after(attempts: int) -> str:
    return f" after {attempts} attempts" if attempts > 1 else ""
