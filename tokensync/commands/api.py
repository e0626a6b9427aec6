"""Call any endpoint of the platform by the names in the client's endpoint table."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl

import msgspec

from tokensync.extract.client.credentials import HIDDEN, without_secrets
from tokensync.system.errors import DECODE_ERRORS, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tokensync.extract.client import Client
    from tokensync.extract.client.endpoints import Endpoint, Location, Method
    from tokensync.project.configuration import Project

_FILE_KEYS = ("file_key", "library_file_key")


def address(endpoint: Endpoint) -> str:
    """Return ``GET /v1/files/:file_key/variables/local``, as in the platform's documentation."""
    path = re.sub(r"{(\w+)}", r":\1", endpoint.path)
    return f"{endpoint.method} /{path}"


def endpoint_document(endpoint: Endpoint) -> dict[str, Any]:
    """Return an endpoint as a JSON object."""
    method, path = address(endpoint).split(" ")
    return {
        "group": endpoint.group,
        "operation": endpoint.operation,
        "method": method,
        "path": path,
        "about": endpoint.about,
        "scopes": endpoint.scopes,
        "tier": endpoint.tier,
        "replaced_by": endpoint.replaced_by,
        "pages": endpoint.paging is not None,
        "parameters": [
            {"name": each.name, "in": each.location, "kind": each.kind, "required": each.required, "about": each.about}
            for each in endpoint.parameters
        ],
    }


def file_parameter(endpoint: Endpoint) -> str | None:
    """Return the name of the path parameter that is a file key, or None."""
    return next(
        (each.name for each in endpoint.parameters if each.location == "path" and each.name in _FILE_KEYS), None
    )


def with_file_key(
    endpoint: Endpoint, values: Mapping[str, Any], names: Sequence[str], project: Project
) -> Mapping[str, Any]:
    """Return the parameters with the key of the file, from a configured name in ``names`` or from a key or URL.

    Raises UsageError if the endpoint takes no file, or if the file is missing or ambiguous.
    """
    from tokensync.extract.client import parse_file
    from tokensync.project.sources import chosen_files

    name = file_parameter(endpoint)
    if name is None:
        if names:
            raise UsageError(f"--file: {endpoint.name} takes no file; remove --file")
        return values
    key = values.get(name)
    if names and key is not None:
        raise UsageError(f"--file: it excludes --{name.replace('_', '-')}; remove one of them")
    if len(names) > 1:
        raise UsageError(f"--file: {endpoint.name} takes one file, not {len(names)}; give one name")
    if names:
        (file,) = chosen_files(project, names)
        key = file.key
    if key is None:
        raise UsageError(f"{name}: {endpoint.name} requires it; give --{name.replace('_', '-')}, or --file NAME")
    reference = parse_file(str(key), name)
    return {**values, name: reference.main_key if endpoint.main_file_only else reference.working_key}


def call(client: Client, endpoint: Endpoint, values: Mapping[str, Any]) -> bytes:
    """Return the body of the response, without the secrets among the parameters: the platform repeats passcodes."""
    body = client.call(endpoint, **values)
    secrets = endpoint.request(values).secrets
    if not secrets:
        return body
    try:
        return msgspec.json.encode(_without(msgspec.json.decode(body), secrets))
    except DECODE_ERRORS:  # an empty body
        return without_secrets(body.decode("utf-8", "replace"), secrets).encode()


def call_all_pages(client: Client, endpoint: Endpoint, values: Mapping[str, Any]) -> bytes:
    """Return the rows of all pages as one JSON array, or the body of the response if the endpoint has no pages."""
    if endpoint.paging is None:
        return call(client, endpoint, values)
    return msgspec.json.encode(list(client.rows(endpoint, **values)))


def endpoint_at(
    method: Method, target: str, fields: Sequence[str] = (), body: bytes | None = None
) -> tuple[Endpoint, dict[str, Any]]:
    """Return the endpoint at a path, known to tokensync or not, and the parameters of a request to it.

    ``target`` may have a query. ``fields`` are ``NAME=VALUE``, for the query of a GET or DELETE without a body, else
    for its JSON object. Raises UsageError for what cannot be sent.
    """
    from tokensync.extract.client.endpoints import ENDPOINTS, Endpoint, Paging, Parameter

    path, _, query = target.lstrip("/").partition("?")
    if not _SENDABLE.fullmatch(path) or "://" in path or {".", ".."} & {*path.split("/")}:
        raise UsageError(f"{target}: not a path of Figma's API; write it as in its documentation, such as /v1/me")
    content: Any = None if body is None else msgspec.json.decode(body)
    is_object = body is None or isinstance(content, dict)
    if any("=" not in field for field in fields) or (fields and not is_object):
        raise UsageError("--field: it must be NAME=VALUE, and adds to a JSON object")
    location: Location = "query" if method in ("GET", "DELETE") and body is None else "body"
    sent: dict[Location, dict[str, Any]] = {
        "query": dict(parse_qsl(query, keep_blank_values=True)),
        "body": (content or {}) if is_object else {"": body},
    }
    sent[location] |= {name: value for name, _, value in (field.partition("=") for field in fields)}
    secret = {each.name for endpoint in ENDPOINTS for each in endpoint.parameters if each.secret}
    other = Endpoint("api", "", method, "", "", (), shape="any", subject="resource", paging=Paging((), _following))
    at = (each for each in ENDPOINTS if re.fullmatch(re.sub(r"{\w+}", "[^/]+", each.path), path))
    known = next((each for each in at if each.method == method), other)
    endpoint = known._replace(
        group="api",
        operation=method,
        path=path.replace("{", "{{").replace("}", "}}"),
        parameters=tuple(
            Parameter(name, name, where, "json" if where == "body" else "text", secret=name in secret)
            for where, names in sent.items()
            for name in dict.fromkeys((*names, *(_CURSORS if where == location and is_object else ())))
        ),
        raw_body=not is_object,
        replaced_by=None,
    )
    return endpoint, sent["query"] | sent["body"]


_SENDABLE: Final = re.compile(r"[!$-~]+")
_CURSORS: Final = ("cursor", "after", "before")


def _following(page: Mapping[str, Any]) -> Mapping[str, Any] | None:
    for holder in (page, page.get("meta"), page.get("pagination")):
        members = holder if isinstance(holder, dict) else {}
        is_last = not any(members.get(name) for name in ("next_page", "has_next_page", "has_more"))
        for name in () if is_last else ("next_cursor", "cursor", "next_page"):
            if isinstance(members.get(name), str) and members[name]:
                return {"cursor": members[name]}
    return None


def rows_of(client: Client, endpoint: Endpoint, values: Mapping[str, Any]) -> bytes:
    """Return the rows of all pages as one JSON array: those of the first list in each page, or in its ``meta``."""
    rows: list[Any] = []
    for page in client.pages(endpoint, **values):
        meta = page.get("meta")
        members = (*page.values(), *(meta.values() if isinstance(meta, dict) else ()))
        rows += next((value for value in members if isinstance(value, list)), [page])
    return msgspec.json.encode(rows)


def _without(value: Any, secrets: Sequence[str]) -> Any:
    """Return a JSON value with secrets hidden; those that are shorter than words only where they are all of a text."""
    match value:
        case str():
            return HIDDEN if value in secrets else without_secrets(value, [each for each in secrets if len(each) >= 8])
        case list():
            return [_without(each, secrets) for each in value]
        case dict():
            return {_without(name, secrets): _without(each, secrets) for name, each in value.items()}
    return value
