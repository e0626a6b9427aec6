"""What parts of the API need beside a scope: a plan, a seat, a kind of token (platform-api.md 1, 4 and 5).

The parts are told by their scopes, since a scope belongs to one part of the API only.
"""

from __future__ import annotations

from typing import NamedTuple

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
