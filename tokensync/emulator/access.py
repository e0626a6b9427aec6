"""Authentication and authorization of requests: tokens, scopes, accounts, plans and permissions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from tokensync.emulator import files, people, sharing, store, tokens
from tokensync.emulator.endpoints import Refusal, invalid
from tokensync.emulator.tokens import ORGANIZATION, WRITE_VARIABLES

if TYPE_CHECKING:
    import sqlite3

    from tokensync.emulator.endpoints import Call, Route
    from tokensync.emulator.store import Store
    from tokensync.emulator.tokens import Token


_TOKEN_HEADER_KINDS: Final = (tokens.PERSONAL, tokens.PLAN)
MAIN_FILES_ONLY: Final = "File key must be the key of a main file, not of a branch"


class Credentials(NamedTuple):
    """The headers ``X-Figma-Token`` (personal and plan tokens) and ``Authorization`` (OAuth); the repr omits them."""

    token_header: str | None
    authorization: str | None

    def __repr__(self) -> str:
        return "Credentials()"


def authenticate(connection: sqlite3.Connection, credentials: Credentials, now: float) -> Token:
    """Return the valid token of a request."""
    if credentials.token_header is not None:
        secret, kinds = credentials.token_header, _TOKEN_HEADER_KINDS
    elif credentials.authorization is not None:
        scheme, _, secret = credentials.authorization.partition(" ")
        kinds = (tokens.OAUTH, "") if scheme.lower() == "bearer" else ("", "")
    else:
        raise Refusal(401, "Authentication required: send an access token")
    token = tokens.find(connection, secret.strip())
    if token is None or token.kind not in kinds:
        raise Refusal(403, "Invalid token")
    if token.expires <= now:
        raise Refusal(403, "Token expired")
    return token


def check_route(token: Token, user: people.User, route: Route) -> None:
    """Refuse a token whose kind or scopes do not suit the endpoint."""
    if token.kind not in route.kinds:
        raise Refusal(403, f"This endpoint cannot be used with {_KIND_NAMES[token.kind]}")
    _check_scope(token, route.scopes)
    if any(scope.startswith(ORGANIZATION) for scope in route.scopes) and not user.admin:
        raise Refusal(403, "Incorrect account type")


def file_of(call: Call, key: str, *, edits: bool = False, main: bool = False) -> files.File:
    """Return a file that the user may view, or with ``edits`` edit; ``main`` refuses branches."""
    file = _file(call, key)
    check_permission(call, file, edits=edits)
    if main:
        check_main(file)
    return file


def check_main(file: files.File) -> None:
    """Refuse a branch."""
    if file.main is not None:
        raise invalid(MAIN_FILES_ONLY)


def check_permission(call: Call, file: files.File, *, edits: bool) -> None:
    """Refuse a user who may not view the file, or with ``edits`` not edit it."""
    permission = sharing.permission_on(call.connection, call.user, file.key)
    if permission is None or (edits and permission not in sharing.MAY_EDIT):
        raise Refusal(403, "Insufficient file permissions")


def check_enterprise(call: Call, plan: str) -> None:
    """Refuse users who are not full members of an Enterprise plan."""
    if plan != people.ENTERPRISE:
        raise Refusal(403, "Limited by Figma plan")
    if call.user.account != people.FULL_MEMBER:
        raise Refusal(403, "Incorrect account type")


def variables_file(call: Call, file_key: str, *, writes: bool = False) -> files.File:
    """Return a file whose variables this token may read, or with ``writes`` change."""
    file = _file(call, file_key)
    check_enterprise(call, file.plan)
    check_permission(call, file, edits=writes)
    if writes and file.editor != files.DESIGN_EDITOR:
        raise Refusal(403, "API only available for design files")
    return file


def _file(call: Call, key: str) -> files.File:
    if not files.is_key(key):
        raise invalid("file_key must be the key of a file")
    file = files.find(call.connection, key)
    if file is None:
        raise Refusal(404, "File not found")
    return file


_KIND_NAMES: Final = {
    tokens.PERSONAL: "a personal access token",
    tokens.OAUTH: "an OAuth token",
    tokens.PLAN: "a plan access token",
}


def _check_scope(token: Token, scopes: tuple[str, ...]) -> None:
    """Refuse a token without any of the scopes.

    A plan token can never write variables. A legacy token has no scopes and passes, except for organization scopes.
    """
    required = scopes[0]
    if token.scopes is None:
        allowed = not required.startswith(ORGANIZATION)
    else:
        allowed = any(scope in token.scopes for scope in scopes)
    if allowed and not (token.kind == tokens.PLAN and required == WRITE_VARIABLES):
        return
    others = ", ".join(scope for scope in token.scopes or () if scope not in scopes) or "none"
    raise Refusal(403, f"Invalid scope(s): {others}. This endpoint requires the {required} scope")


_PLAN: Final = "organization plan"
_GOVERNANCE: Final = "organization governance"


class Organization:
    """The settings of the organization, which starts on the Enterprise plan with Governance+."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def set_plan(self, plan: str) -> None:
        """Set the organization's plan: starter, professional, organization or enterprise."""
        people.check_plan("organization", plan)
        self._set(_PLAN, plan)

    def set_governance(self, governance: bool) -> None:
        """Set whether the organization has the Governance+ add-on."""
        self._set(_GOVERNANCE, "yes" if governance else "no")

    def _set(self, name: str, value: str) -> None:
        with self._store.writing() as connection:
            store.set_value(connection, name, value)


def check_organization(call: Call, *, governance: bool = False) -> None:
    """Refuse the call unless the organization is on the Enterprise plan, and with ``governance`` has Governance+."""
    enterprise = store.value_of(call.connection, _PLAN) in (None, people.ENTERPRISE)
    if not enterprise or (governance and store.value_of(call.connection, _GOVERNANCE) == "no"):
        raise Refusal(403, "Limited by Figma plan")
