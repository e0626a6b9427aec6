"""Who may do what: the token of a request, its scope, and the file's plan, permission and editor."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.emulator import files, tokens
from tokensync.emulator.refusal import Refusal

if TYPE_CHECKING:
    import sqlite3

_TOKEN_HEADER_KINDS = (tokens.PERSONAL, tokens.PLAN)


class Credentials(NamedTuple):
    """What a request shows: the ``X-Figma-Token`` header (personal and plan tokens) or ``Authorization`` (OAuth)."""

    token_header: str | None
    authorization: str | None


def variables_file(
    connection: sqlite3.Connection, credentials: Credentials, now: float, file_key: str, scope: str
) -> files.File:
    """The file, once everything allows this token to read (or, with the write scope, change) its variables."""
    token = _token(connection, credentials, now)
    _check_scope(token, scope)
    file = files.find(connection, file_key)
    if file is None:
        raise Refusal(404, "File not found")
    if file.plan != files.PLAN_WITH_VARIABLES:
        raise Refusal(403, "Limited by Figma plan")
    if token.account != tokens.FULL_MEMBER:
        raise Refusal(403, "Incorrect account type")
    permission = tokens.permission_on(connection, token, file_key)
    writes = scope == tokens.WRITE_VARIABLES
    if permission is None or (writes and permission == "viewer"):
        raise Refusal(403, "Insufficient file permissions")
    if writes and file.editor != files.DESIGN_EDITOR:
        raise Refusal(403, "API only available for design files")
    return file


def _token(connection: sqlite3.Connection, credentials: Credentials, now: float) -> tokens.Token:
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


def _check_scope(token: tokens.Token, scope: str) -> None:
    """A legacy token has no scopes and passes. A plan token can never write variables, whatever scopes it names."""
    may_hold = not (token.kind == tokens.PLAN and scope == tokens.WRITE_VARIABLES)
    if may_hold and (token.scopes is None or scope in token.scopes):
        return
    held = ", ".join(each for each in token.scopes or () if each != scope) or "none"
    raise Refusal(403, f"Invalid scope(s): {held}. This endpoint requires the {scope} scope")
