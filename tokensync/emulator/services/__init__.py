"""The services of the REST API, a module for each; their routes, and the OpenAPI document of the routes."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Any, Final

from tokensync.emulator import tokens
from tokensync.emulator.services import (
    analytics,
    billing,
    code_connect,
    comments,
    dev_resources,
    files,
    folders,
    images,
    libraries,
    logs,
    oauth,
    variables,
    webhooks,
)
from tokensync.emulator.tokens import SCOPES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tokensync.emulator.endpoints import Route


SERVICES: Final[dict[str, tuple[Route, ...]]] = {
    "activity-logs": logs.ACTIVITY_LOGS,
    "ai-usage": billing.AI_USAGE,
    "analytics": analytics.ROUTES,
    "code-connect": code_connect.ROUTES,
    "comments": comments.ROUTES,
    "dev-resources": dev_resources.ROUTES,
    "developer-logs": logs.DEVELOPER_LOGS,
    "discovery": logs.DISCOVERY,
    "files": files.ROUTES,
    "folders": folders.ROUTES,
    "images": images.ROUTES,
    "oauth": oauth.ROUTES,
    "oembed": images.OEMBED,
    "payments": billing.PAYMENTS,
    "projects": folders.PROJECTS,
    "published-items": libraries.ROUTES,
    "users": oauth.USERS,
    "variables": variables.ROUTES,
    "versions": files.VERSIONS,
    "webhooks": webhooks.ROUTES,
}
"""The routes of each service, by its tag in the OpenAPI document."""
ROUTES: Final = tuple(route for routes in SERVICES.values() for route in routes)


_PARAMETER: Final = re.compile(r"<(?:\w+:)?(\w+)>")
_SCHEMES: Final = {tokens.PERSONAL: "PersonalAccessToken", tokens.OAUTH: "OAuth2", tokens.PLAN: "PlanAccessToken"}
_BASIC: Final = "ClientCredentials"
_REFUSALS: Final = {
    400: "Bad request: a parameter is missing or invalid, or the request breaks a rule.",
    401: "Unauthorized: the access token or the client's credentials are missing.",
    403: "Forbidden: the token is invalid or has expired, or it lacks permission.",
    404: "Not found.",
    413: "The request body is too large.",
    429: "Too many requests. Retry-After gives the seconds to wait.",
    500: "Internal server error.",
}


def document(services: Mapping[str, Iterable[Route]] = SERVICES) -> dict[str, Any]:
    """Return the document as JSON values. Routes for images and downloads, which answers link to, are omitted."""
    paths: dict[str, dict[str, Any]] = {}
    for tag, routes in services.items():
        for route in routes:
            if route.path.startswith(("/v1/", "/v2/", "/oauth")):
                operations = paths.setdefault(_PARAMETER.sub(r"{\1}", route.path), {})
                operations[route.method.lower()] = _operation(tag, route)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Figma REST API as emulated by tokensync",
            "version": "1",
            "description": "Generated from the emulator's routes by `tokensync emulator openapi`. Do not edit.",
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


def _operation(tag: str, route: Route) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": re.sub(r"\W+", "_", route.method.lower() + _PARAMETER.sub(r"\1", route.path)),
        "tags": [tag],
        "description": inspect.getdoc(route.answer) or "",
    }
    if route.tier is not None:
        operation["x-rate-limit-tier"] = route.tier
    if route.replaced_by is not None:
        operation["deprecated"] = True
        operation["x-replaced-by"] = route.replaced_by
    parameters = [_path_parameter(name) for name in _PARAMETER.findall(route.path)]
    parameters += [
        {"name": query.name, "in": "query", "required": query.required, "schema": query.schema}
        for query in route.parameters
    ]
    if parameters:
        operation["parameters"] = parameters
    if route.accepts is not None:
        # The OAuth endpoints, which need no access token, take forms.
        media_type = "application/json" if route.scopes else "application/x-www-form-urlencoded"
        operation["requestBody"] = {"required": True, "content": {media_type: {"schema": route.accepts}}}
    operation["responses"] = _answers(route)
    operation["security"] = _security(route)
    return operation


_NUMERIC: Final = ("team_id", "folder_id", "project_id")


def _path_parameter(name: str) -> dict[str, Any]:
    schema = {"pattern": "^[0-9]+$"} if name in _NUMERIC else {"minLength": 1}
    return {"name": name, "in": "path", "required": True, "schema": {"type": "string", **schema}}


def _answers(route: Route) -> dict[str, Any]:
    if _is_page(route):
        page = {"content": {"text/html": {"schema": {"type": "string"}}}}
        redirect = {"303": {"description": "Redirect to the app, with a code."}} if route.accepts is not None else {}
        refusals = {str(status): {"description": description, **page} for status, description in _REFUSALS.items()}
        refusals["400"] |= {"content": page["content"] | {"application/json": {"schema": _ERROR}}}  # for scopes
        return {"200": {"description": "A page for a browser.", **page}, **redirect, **refusals}
    success: dict[str, Any] = {"description": "Success."}
    if route.returns is not None:
        success["content"] = {"application/json": {"schema": route.returns}}
    prefix = "File" if route.errors == "err" else ""
    return {
        "200": success,
        **{str(status): {"$ref": f"#/components/responses/{prefix}{status}"} for status in _REFUSALS},
    }


def _is_page(route: Route) -> bool:
    """Return whether a route serves the authorization page: it needs no token and answers no JSON."""
    return not route.scopes and route.returns is None


def _responses() -> dict[str, Any]:
    return {
        f"{prefix}{status}": {
            "description": description,
            "content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{prefix}Error"}}},
        }
        for prefix in ("", "File")
        for status, description in _REFUSALS.items()
    }


def _security(route: Route) -> list[dict[str, list[str]]]:
    """Return the alternatives: any one kind of token with any one scope."""
    if not route.scopes:
        return [] if route.accepts is None or _is_page(route) else [{_BASIC: []}]
    return [{_SCHEMES[kind]: [scope] if scope else []} for kind in route.kinds for scope in route.scopes]


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
