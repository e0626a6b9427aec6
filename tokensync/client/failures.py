"""Errors that requests end with: what went wrong, and what to do about it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from tokensync.client import responses, retry
from tokensync.client.credentials import STORED
from tokensync.errors import AccessError, NotFoundError, PlatformError, RateLimitedError, RequestError, ServerError

if TYPE_CHECKING:
    from tokensync.client.credentials import Credential
    from tokensync.client.endpoint import Request
    from tokensync.client.responses import Answer, Said


_ADMIN = "an admin of the organization"


class Requirement(NamedTuple):
    """``plan`` and where to have it; ``seat`` is what the token's user has to be or have, and how to come by it.

    ``kinds`` says which kinds of token the part takes, in words.
    """

    plan: str = "a higher plan"
    where: str = "use it on a team of such a plan, or ask an admin about the plan"
    seat: str = "a full seat in the organization that owns it"
    how: str = "use the token of a full member, or ask an admin of the organization for such a seat"
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
    """What the part of the API with this scope needs; of a part without needs of its own, what is general."""
    return _BY_SCOPE.get(scope, Requirement())


def scope_note(scope: str, *, writes: bool) -> str:
    """What to know before making a token with this scope, in brackets; nothing for most."""
    if scope.startswith("org:"):
        only = ", on a plan access token" if scope == "org:developer_log_read" else ""
        return f" (only an admin of an Enterprise organization can give it{only})"
    return " (a plan access token cannot have it)" if writes and scope == "file_variables:write" else ""


_SCOPE = re.compile(r"\b[a-z][a-z_]{1,40}:[a-z][a-z_]{1,40}\b")
_REQUIRED = re.compile(r"\brequires?\b", re.IGNORECASE)

_BRANCH_MEANING = "the key is a branch's, where the platform wants the main file's"
_BRANCH_ADVICE = "give the URL of the main file, or the branch's whole URL, which names both"
_UNUSABLE_MEANING = "the access token is invalid, expired or revoked"
_UNUSABLE_ADVICE = "{new_token_advice}"
_LOG_IN_AGAIN = "log in again with tokensync auth login"


class Rule(NamedTuple):
    """``words`` is matched anywhere in the message, in any case; the texts may use the fields of ``_fields``."""

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
        "public OAuth apps may not ask this",
        "use a personal access token, or an app that is private to your organization",
    ),
    Rule(
        (401, 403),
        r"cannot be used|\brequires? an? (plan|personal|oauth)",
        "this kind of access token cannot be used here",
        "use {kinds} with the scope {scope}{scope_note}",
    ),
    Rule(
        (401, 403),
        r"plan (access )?token",
        "a plan access token cannot be used here",
        "use {kinds} with the scope {scope}",
        ("POST", "PUT", "DELETE"),
    ),
    Rule(
        (401, 403),
        r"invalid scope|(missing|required|requires).*\bscope",
        "the token lacks the scope {scope}",
        "make a new token with the scope {scope}, or authorize the OAuth app again with it{scope_note}",
    ),
    Rule(
        (401, 403),
        r"limited by .*plan|plan limit",
        "the plan does not include this part of the API, which needs {plan}",
        "{plan_where}",
    ),
    Rule(
        (401, 403),
        r"account type",
        "the token's user is not, or has not, what this part of the API needs: {seat}",
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
        "the token's user is no admin of an Enterprise organization",
        "use the token of an admin, or ask one to run it",
    ),
    Rule(
        (403,),
        r"only the author",
        "the {subject} is another user's, and only its author may change it",
        "use the token of its author, or leave it",
    ),
    Rule(
        (401, 403),
        r"only available for design files",
        "the file is not a design file, and only design files have variables",
        "give the key or URL of a design file",
    ),
    Rule(
        (403,),
        r"\bhttps\b|plain http|\bssl\b|\btls\b",
        "the request came to the platform without encryption",
        "use an https:// base_url, and check what stands between",
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
        "there is no such {subject}, or none that this token may see",
        "check the key or URL, and that the token's user may {verb} the {subject}{branch_note}",
    ),
    Rule(
        (413,),
        "",
        "the request is larger than the platform takes (4 MB for variables)",
        "send it in smaller batches",
    ),
    Rule(
        (400,),
        r"too large",
        "the answer is larger than the platform gives at once",
        "ask for single nodes by ids, or for fewer levels by depth",
        ("GET",),
    ),
    Rule(
        (400,),
        "",
        "the platform refused the request as it stands, and carried out nothing of it",
        "correct what the message names{branch_note}",
        ("POST",),
    ),
    Rule((400,), "", "the platform refused the request as it stands", "check the key or URL{branch_note}"),
    Rule((407,), "", "the proxy wants a user name and a password", "check the proxy in HTTPS_PROXY, and NO_PROXY"),
)

APP_RULES = (
    Rule(
        (401, 403),
        "",
        "the platform did not accept the client id and the client secret of the OAuth app",
        "check both (the secret is shown once, when the app is made), and log in again",
    ),
    Rule((400,), r"refresh", "the platform does not take the stored login any more", _LOG_IN_AGAIN),
    Rule(
        (400,),
        r"\bcode\b",
        "the platform did not take the code, which is good for 30 seconds and one exchange",
        _LOG_IN_AGAIN,
    ),
    Rule(
        (400,), r"redirect", "the redirect URL is not one that the OAuth app has registered", "register it, and {again}"
    ),
    Rule((400,), "", "the platform refused what the OAuth app asks for", _LOG_IN_AGAIN),
    Rule((404,), "", "there are no OAuth endpoints at this address", "check base_url"),
)
"""The same for requests of an OAuth app, which show no access token."""

_KINDS: dict[int, type[PlatformError]] = {401: AccessError, 403: AccessError, 404: NotFoundError}


def from_answer(
    request: Request, where: str, answer: Answer, credential: Credential, now: float, attempts: int = 1
) -> PlatformError:
    """The error of a failed answer. Whatever the server said is on one line, cut, and free of the token."""
    said = responses.read(answer.body)
    quoted = _quoted(answer, said, credential)
    if answer.status == 429:
        limit = retry.read(answer.headers, now)
        what = f"rate limited{retry.explanation(limit)} ({quoted}){_after(attempts)}"
        return RateLimitedError(credential.hide_in(f"{where}: {what}; {retry.advice(limit, now)}"), limit.retry_after)
    if answer.status >= 500 or answer.status < 400:
        return _server_failure(request, where, answer, credential, quoted, now, attempts)
    kind = _KINDS.get(answer.status, RequestError)
    if not said.by_platform and said.text:
        meaning = "the answer is not in the platform's words, so a proxy or firewall may have given it"
        text = f"{where}: {meaning} ({quoted}); check base_url, the proxy and the network"
        return kind(credential.hide_in(text), answer.status)
    meaning, advice = _explain(request, answer.status, said.text, credential)
    return kind(credential.hide_in(f"{where}: {meaning} ({quoted}); {advice}"), answer.status)


def _explain(request: Request, status: int, text: str, credential: Credential) -> tuple[str, str]:
    """What a 4xx means and what to do about it."""
    fields = _fields(request, text, credential)
    for rule in RULES if request.basic is None else APP_RULES:
        if status in rule.statuses and request.method in rule.methods and re.search(rule.words, text, re.IGNORECASE):
            return rule.meaning.format_map(fields), rule.advice.format_map(fields)
    return "the platform refused the request", "check base_url and the key or URL of the file"


def _fields(request: Request, text: str, credential: Credential) -> dict[str, str]:
    """What the texts of the rules may mention; nothing of the server's but a scope's name."""
    writes = request.changes
    required = _REQUIRED.search(text)
    scopes = _SCOPE.findall(text, required.start()) if required else []
    scope = scopes[0] if len(scopes) == 1 else request.scope
    needs = of(request.scope or scope)
    return {
        "scope": scope,
        "again": _LOG_IN_AGAIN,
        "new_token_advice": _new_token_advice(credential),
        "verb": "edit" if writes else "see",
        "subject": request.subject,
        "scope_note": scope_note(scope, writes=writes),
        "plan": needs.plan,
        "plan_where": needs.where,
        "seat": needs.seat,
        "seat_how": needs.how,
        "kinds": needs.kinds,
        "branch_note": (
            ", and if the key is a branch's, give the main file's: only main files have published variables"
            if request.main_file_only
            else ""
        ),
    }


def _new_token_advice(credential: Credential) -> str:
    """Where another token comes from, by where this one did."""
    if credential.source == STORED:
        return _LOG_IN_AGAIN
    other = (
        "a personal or plan access token belongs in FIGMA_ACCESS_TOKEN"
        if credential.kind == "oauth"
        else "an OAuth token belongs in FIGMA_OAUTH_TOKEN"
    )
    lifetime = "a personal access token lives 90 days at most"
    return f"make a new one ({lifetime}) and put it in {credential.source} ({other})"


def _server_failure(
    request: Request,
    where: str,
    answer: Answer,
    credential: Credential,
    quoted: str,
    now: float,
    attempts: int,
) -> PlatformError:
    """5xx, a redirect, or another status that no endpoint promises."""
    if 300 <= answer.status < 400:
        what = f"the server sends us to another address ({quoted}), and a token is not taken along"
        return ServerError(f"{where}: {what}; give the final address as base_url", answer.status)
    pause = retry.retry_after(answer.headers, now)
    when = "later" if pause is None else f"in {retry.duration(pause)}"
    advice = unknown_outcome_advice(request) or f"try again {when}"
    error = ServerError(
        credential.hide_in(f"{where}: the platform failed ({quoted}){_after(attempts)}; {advice}"), answer.status
    )
    error.outcome_unknown = request.changes
    return error


def unknown_outcome_advice(request: Request) -> str:
    """What to do after a request that may or may not have been carried out; nothing for a GET."""
    if not request.changes:
        return ""
    if request.subject != "file":
        return f"it may have been carried out all the same: look at the {request.subject} before sending it again"
    return "it may have been carried out all the same: read the variables back before sending it again"


def _quoted(answer: Answer, said: Said, credential: Credential) -> str:
    """The status and, if there is one, the server's message in quotation marks."""
    limit = responses.MESSAGE_LIMIT if said.by_platform else responses.PAGE_LIMIT
    text = responses.shortened(credential.hide_in(said.text), limit)
    return f'{answer.status} "{text}"' if text else answer.title


def _after(attempts: int) -> str:
    return f" after {attempts} attempts" if attempts > 1 else ""
