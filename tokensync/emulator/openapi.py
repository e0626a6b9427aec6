"""The OpenAPI 3.1 document of what the emulator serves, made from its routes."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Any, Final

from tokensync.emulator import tokens
from tokensync.emulator.services import ROUTES
from tokensync.emulator.tokens import SCOPES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tokensync.emulator.endpoints import Query, Route

_PART: Final = re.compile(r"<(?:\w+:)?(\w+)>")
_SCHEMES: Final = {tokens.PERSONAL: "PersonalAccessToken", tokens.OAUTH: "OAuth2", tokens.PLAN: "PlanAccessToken"}
_BASIC: Final = "ClientCredentials"
_REFUSALS: Final = {
    400: "A parameter is missing or wrong, or the request breaks a rule.",
    401: "No access token is shown, or no client's credentials.",
    403: "The token is none or has expired, or it may not do this.",
    404: "There is nothing of this address.",
    413: "The body is too large.",
    429: "Too many requests; Retry-After says how many seconds to wait.",
    500: "A fault of the service.",
}


def document(routes: Iterable[Route] = ROUTES) -> dict[str, Any]:
    """Return the whole document, a tree of JSON values."""
    paths: dict[str, dict[str, Any]] = {}
    for route in filter(_is_asked, routes):
        paths.setdefault(_PART.sub(r"{\1}", route.path), {})[route.method.lower()] = _operation(route)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "The design platform, as tokensync's emulator serves it",
            "version": "1",
            "description": "Made from the emulator's routes by `tokensync emulator openapi`. Do not edit.",
        },
        "servers": [{"url": "http://127.0.0.1:8000", "description": "tokensync emulator serve"}],
        "paths": paths,
        "components": {"securitySchemes": _security_schemes(), "schemas": _ERRORS, "responses": _responses()},
    }


_ERROR: Final[dict[str, Any]] = {
    "type": "object",
    "required": ["status", "error", "message"],
    "properties": {
        "status": {"type": "integer", "minimum": 400, "maximum": 599},
        "error": {"const": True},
        "message": {"type": "string"},
    },
}
_ERRORS: Final[dict[str, Any]] = {
    "Error": _ERROR,
    "FileError": {
        "allOf": [{"$ref": "#/components/schemas/Error"}],
        "required": ["err"],
        "properties": {"err": {"type": "string"}},
    },
}


def _operation(route: Route) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": re.sub(r"\W+", "_", route.method.lower() + _PART.sub(r"\1", route.path)),
        "tags": [route.answer.__module__.rpartition(".")[2].replace("_", "-")],
        "description": inspect.getdoc(route.answer) or "",
    }
    if route.tier is not None:
        operation["x-rate-limit-tier"] = route.tier
    if route.replaced_by is not None:
        operation["deprecated"] = True
        operation["x-replaced-by"] = route.replaced_by
    parameters = [_in_path(name) for name in _PART.findall(route.path)] + [_in_query(each) for each in route.parameters]
    if parameters:
        operation["parameters"] = parameters
    if route.takes is not None:
        content = {_media_type(route): {"schema": route.takes}}
        operation["requestBody"] = {"required": True, "content": content}
    operation["responses"] = _answers(route)
    operation["security"] = _security(route)
    return operation


def _media_type(route: Route) -> str:
    """Forms are OAuth's, whose endpoints are those that need no access token."""
    return "application/json" if route.scopes else "application/x-www-form-urlencoded"


_PLACES: Final = ("team_id", "folder_id", "project_id")
"""Parts of a path that are numbers."""


def _in_path(name: str) -> dict[str, Any]:
    schema = {"pattern": "^[0-9]+$"} if name in _PLACES else {"minLength": 1}
    return {"name": name, "in": "path", "required": True, "schema": {"type": "string", **schema}}


def _in_query(query: Query) -> dict[str, Any]:
    return {"name": query.name, "in": "query", "required": query.required, "schema": query.schema}


def _answers(route: Route) -> dict[str, Any]:
    if _is_page(route):
        page = {"content": {"text/html": {"schema": {"type": "string"}}}}
        back = {"303": {"description": "Back to the app, with a code."}} if route.takes is not None else {}
        refusals = {str(status): {"description": told, **page} for status, told in _REFUSALS.items()}
        return {"200": {"description": "A page for a browser.", **page}, **back, **refusals}
    success: dict[str, Any] = {"description": "Success."}
    if route.gives is not None:
        success["content"] = {"application/json": {"schema": route.gives}}
    family = "File" if route.errors == "err" else ""
    return {
        "200": success,
        **{str(status): {"$ref": f"#/components/responses/{family}{status}"} for status in _REFUSALS},
    }


def _is_asked(route: Route) -> bool:
    """Return whether it is an endpoint of the platform, and not an address that answers lead to: pictures,
    downloads.
    """
    return route.path.startswith(("/v1/", "/v2/", "/oauth"))


def _is_page(route: Route) -> bool:
    """Return whether it is for a browser: the authorization page, which needs no token and answers no JSON."""
    return not route.scopes and route.gives is None


def _responses() -> dict[str, Any]:
    """Return what each status says, in each family of error bodies."""
    return {
        f"{family}{status}": {
            "description": told,
            "content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{family}Error"}}},
        }
        for family in ("", "File")
        for status, told in _REFUSALS.items()
    }


def _security(route: Route) -> list[dict[str, list[str]]]:
    """One of these is enough; each scope alone opens the endpoint."""
    if not route.scopes:
        return [] if route.takes is None or _is_page(route) else [{_BASIC: []}]
    return [{_SCHEMES[kind]: [scope]} for kind in route.kinds for scope in route.scopes]


def _security_schemes() -> dict[str, Any]:
    header = {"type": "apiKey", "in": "header", "name": "X-Figma-Token"}
    flow = {
        "authorizationUrl": "/oauth",
        "tokenUrl": "/v1/oauth/token",
        "refreshUrl": "/v1/oauth/token",
        "scopes": dict.fromkeys(SCOPES, ""),
    }
    return {
        "PersonalAccessToken": header,
        "PlanAccessToken": header,
        "OAuth2": {"type": "oauth2", "flows": {"authorizationCode": flow}},
        _BASIC: {"type": "http", "scheme": "basic"},
    }
