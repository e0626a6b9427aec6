"""Any endpoint of the platform, asked by the names of the table that the client uses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from tokensync.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tokensync.client import Client
    from tokensync.client.endpoint import Endpoint
    from tokensync.project.configuration import Project

_FILE_KEYS = ("file_key", "library_file_key")


def address(endpoint: Endpoint) -> str:
    """``GET /v1/files/:file_key/variables/local``, as the platform's documentation writes it."""
    path = re.sub(r"{(\w+)}", r":\1", endpoint.path)
    return f"{endpoint.method} /{path}"


def listing(endpoint: Endpoint) -> dict[str, Any]:
    """Return what is known of an endpoint, for programs."""
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


def takes_a_file(endpoint: Endpoint) -> str | None:
    """Return the name of the path parameter that is a file's key, or None."""
    return next(
        (each.name for each in endpoint.parameters if each.location == "path" and each.name in _FILE_KEYS), None
    )


def with_file(
    endpoint: Endpoint, values: Mapping[str, Any], names: Sequence[str], project: Project
) -> Mapping[str, Any]:
    """Return the parameters, with the key of the one configured file that ``names`` has, or of the URL that is given.

    A file that is named for an endpoint without one, or beside a key, is a UsageError.
    """
    from tokensync.client import parse_file
    from tokensync.project.sources import chosen_files

    name = takes_a_file(endpoint)
    if name is None:
        if names:
            raise UsageError(f"--file: {endpoint.name} is not asked about a file; leave it out")
        return values
    given = values.get(name)
    if names and given is not None:
        raise UsageError(f"--file: it says the same as --{_kebab(name)}; give one of them")
    if names:
        if len(names) > 1:
            raise UsageError(f"--file: {endpoint.name} is asked about one file; give one name")
        (file,) = chosen_files(project, names)
        given = file.key
    if given is None:
        raise UsageError(f"{name}: {endpoint.name} needs it; give --{_kebab(name)}, or --file with a configured name")
    reference = parse_file(str(given), name)
    return {**values, name: reference.main_key if endpoint.main_file_only else reference.working_key}


def ask(client: Client, endpoint: Endpoint, values: Mapping[str, Any]) -> bytes:
    """Return the body of one answer."""
    return client.call(endpoint, **values)


def ask_all(client: Client, endpoint: Endpoint, values: Mapping[str, Any]) -> bytes:
    """Return the rows of all pages as one JSON array; of an endpoint without pages the body of its one answer."""
    if endpoint.paging is None:
        return ask(client, endpoint, values)
    return msgspec.json.encode(list(client.rows(endpoint, **values)))


def _kebab(name: str) -> str:
    return name.replace("_", "-")
