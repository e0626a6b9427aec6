"""Attach links to nodes of design files. Idempotent."""

from __future__ import annotations

import os
import re
import tomllib
from collections import Counter
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import parse_qs, quote, urlsplit

import msgspec

from tokensync.extract.client import Client, parse_file
from tokensync.project.configuration import Project, error_location
from tokensync.project.sources import read_file
from tokensync.project.toml_text import nearest, toml_positions
from tokensync.system.errors import DECODE_ERRORS, UsageError
from tokensync.system.positions import decoded, line_of_error, pointer_of_error
from tokensync.system.wording import counted, shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from tokensync.extract.client.groups import DevResource

MAX_LINKS_PER_NODE: Final = 10
_BATCH: Final = 100
_NO_REASON: Final = "Figma gives no reason"
_NODE: Final = re.compile(r"I?\d+[:-]\d+(;\d+[:-]\d+)*")
_PLACEHOLDER: Final = re.compile(r"\{([^{}]*)\}")
_PLACEHOLDERS: Final = "{file}, {file_key}, {node}, {path}"


class LinkRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A link as the user describes it. ``file`` is a configured name, a key or a URL, which may supply ``node``.

    ``url`` and ``name`` may contain ``{file}``, ``{file_key}``, ``{node}`` and ``{path}``; ``path`` is the path of a
    file of the project.
    """

    node: str | None = None
    url: str | None = None
    name: str | None = None
    file: str | None = None
    path: str | None = None


class LinksFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of a file of links; the other members are defaults of the links."""

    links: tuple[LinkRequest, ...]
    file: str | None = None
    url: str | None = None
    name: str | None = None


class Link(NamedTuple):
    """A link to attach."""

    file_key: str
    node: str
    url: str
    name: str


class Failed(NamedTuple):
    """A link that could not be attached or renamed, and the error."""

    link: Link
    error: str


class LinkResult(NamedTuple):
    """The links by what was done with them or, in a dry run, what would be done."""

    created: tuple[Link, ...] = ()
    renamed: tuple[Link, ...] = ()
    unchanged: tuple[Link, ...] = ()
    failed: tuple[Failed, ...] = ()


def read_links(path: str) -> tuple[LinkRequest, ...]:
    """Read the links of a TOML or JSON file. Raises UsageError for a file of any other content."""
    content = read_file(path).removeprefix(b"\xef\xbb\xbf")
    is_json = path.endswith(".json")
    try:
        document: Any = decoded(content, Any) if is_json else tomllib.loads(content.decode())
        if isinstance(document, list):
            defaults = LinksFile(msgspec.convert(document, tuple[LinkRequest, ...]))
        else:
            defaults = msgspec.convert(document, LinksFile)
    except msgspec.ValidationError as error:
        raise _not_links(f"{path}:{_line_of_value(content, error, is_json=is_json)}", str(error)) from None
    except DECODE_ERRORS as error:
        if is_json:
            raise _not_links(f"{path}:{line_of_error(content, error)}", str(error)) from None
        raise _not_links(*error_location(content, path, error)) from None
    return tuple(
        LinkRequest(
            link.node, link.url or defaults.url, link.name or defaults.name, link.file or defaults.file, link.path
        )
        for link in defaults.links
    )


def _not_links(where: str, reason: str) -> UsageError:
    return UsageError(
        f"{where}: not a file of links ({shortened(reason, 200)}); see docs/dev-resources.md for an example"
    )


def _line_of_value(content: bytes, error: msgspec.ValidationError, *, is_json: bool) -> int:
    if is_json:
        return line_of_error(content, error)
    position = nearest(toml_positions(content.decode()), pointer_of_error(error))
    return position[0] if position else 1


def resolve_links(
    project: Project, requests: Iterable[LinkRequest], file: str | None = None, *, source: str = ""
) -> tuple[Link, ...]:
    """Return the requested links with all values filled in; ``file`` is the default file, ``source`` names the links'.

    Raises UsageError that lists every missing or invalid value.
    """
    links: list[Link] = []
    errors: list[str] = []
    where = f"{source}: " if source else ""
    for number, request in enumerate(requests, 1):
        try:
            links.append(_resolve(project, request, request.file or file, f"{where}link {number}"))
        except UsageError as error:
            errors.append(str(error))
    counts = Counter((link.file_key, link.node, link.url) for link in links)
    errors += [
        f"{where}node {node}: {url} is listed {count} times; remove the duplicates"
        for (_, node, url), count in counts.items()
        if count > 1
    ]
    if errors:
        raise UsageError("\n".join(errors))
    return tuple(links)


def link(
    client: Client, links: Sequence[Link], *, dry_run: bool = False, progress: Callable[[str], None] = lambda text: None
) -> LinkResult:
    """Attach new links, and rename links whose node and URL exist under another name."""
    steps = _steps(client, links, progress)
    if dry_run:
        return LinkResult(steps.new, tuple(link for _, link in steps.to_rename), steps.unchanged, steps.failed)
    failed = [*steps.failed]
    return LinkResult(
        tuple(_attached(client, steps.new, failed, progress)),
        tuple(_renamed(client, steps.to_rename, failed, progress)),
        steps.unchanged,
        tuple(failed),
    )


class _Steps(NamedTuple):
    """The links by what is to be done with them; ``to_rename`` has the id of each existing link."""

    new: tuple[Link, ...]
    to_rename: tuple[tuple[str, Link], ...]
    unchanged: tuple[Link, ...]
    failed: tuple[Failed, ...]


def _steps(client: Client, links: Sequence[Link], progress: Callable[[str], None]) -> _Steps:
    existing: dict[tuple[str, str, str], DevResource] = {}
    counts: Counter[tuple[str, str]] = Counter()
    for key in dict.fromkeys(link.file_key for link in links):
        progress(f"reading the links of {key}")
        for resource in client.dev_resources.list(key):
            existing[key, resource.node_id, resource.url] = resource
            counts[key, resource.node_id] += 1
    new: list[Link] = []
    to_rename: list[tuple[str, Link]] = []
    unchanged: list[Link] = []
    failed: list[Failed] = []
    for link in links:
        current = existing.get((link.file_key, link.node, link.url))
        if current is not None and current.name == link.name:
            unchanged.append(link)
        elif current is not None:
            to_rename.append((current.id, link))
        elif counts[link.file_key, link.node] >= MAX_LINKS_PER_NODE:
            failed.append(Failed(link, f"the node has {MAX_LINKS_PER_NODE} links, the maximum; remove one of them"))
        else:
            counts[link.file_key, link.node] += 1
            new.append(link)
    return _Steps(tuple(new), tuple(to_rename), tuple(unchanged), tuple(failed))


def _attached(
    client: Client, links: Sequence[Link], failed: list[Failed], progress: Callable[[str], None]
) -> Iterator[Link]:
    from tokensync.extract.client.groups import NewDevResource

    for start in range(0, len(links), _BATCH):
        batch = links[start : start + _BATCH]
        progress(f"attaching {counted(len(batch), 'link')}")
        response = client.dev_resources.create([NewDevResource(e.name, e.url, e.file_key, e.node) for e in batch])
        succeeded = {(resource.file_key, resource.node_id, resource.url) for resource in response.links_created}
        errors = {(error.file_key, error.node_id): error.error for error in response.errors}
        for link in batch:
            if (link.file_key, link.node, link.url) in succeeded:
                yield link
            else:
                failed.append(Failed(link, errors.get((link.file_key, link.node), _NO_REASON)))


def _renamed(
    client: Client, to_rename: Sequence[tuple[str, Link]], failed: list[Failed], progress: Callable[[str], None]
) -> Iterator[Link]:
    from tokensync.extract.client.groups import ChangedDevResource

    for start in range(0, len(to_rename), _BATCH):
        batch = to_rename[start : start + _BATCH]
        progress(f"renaming {counted(len(batch), 'link')}")
        response = client.dev_resources.update([ChangedDevResource(id_, name=link.name) for id_, link in batch])
        errors = {error.id: error.error for error in response.errors}
        for id_, link in batch:
            if id_ in response.links_updated:
                yield link
            else:
                failed.append(Failed(link, errors.get(id_, _NO_REASON)))


def _resolve(project: Project, request: LinkRequest, file: str | None, where: str) -> Link:
    """Return a link with all values filled in; error messages begin with ``where``."""
    name_of_file, file_key, node = _file_of(project, file, where)
    node = request.node or node
    if not node:
        raise UsageError(f"{where}: the node is missing; give its id, or a file URL that contains node-id")
    if not _NODE.fullmatch(node):
        raise UsageError(f"{where}: {node!r} is not a node id; copy it from node-id in a link to the layer")
    if request.url is None:
        raise UsageError(f"{where}: the url is missing; give one")
    node = node.replace("-", ":")  # the API's form; URLs have a hyphen
    fields = {"file": name_of_file, "file_key": file_key, "node": node}
    if request.path is not None:
        if not os.path.isfile(project.path(request.path)):
            raise UsageError(
                f"{where}: no file {request.path} in the project; run tokensync build, or correct the path"
            )
        fields["path"] = request.path.replace(os.sep, "/")
    url = _filled(request.url, {name: quote(value, safe="/") for name, value in fields.items()}, where)
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("https", "http") or not parts.netloc or not url.isprintable():
        raise UsageError(f"{where}: {url!r} is not a URL; give one that starts with https://")
    if request.name is not None:
        name = _filled(request.name, fields, where)
    else:
        name = parts.path.rstrip("/").rpartition("/")[2] or parts.netloc
    return Link(file_key, node, url, name)


def _file_of(project: Project, file: str | None, where: str) -> tuple[str, str, str]:
    """Return a file's name or key, the key of its main file (branches have no links), and the node id in its URL."""
    configured = {file.name: file.key for file in project.config.files}
    if file is None:
        if len(configured) != 1:
            raise UsageError(f"{where}: the file is missing; give {' or '.join(configured) or 'its key or URL'}")
        (file,) = configured
    key = configured.get(file, file)
    reference = parse_file(key, where)
    (node, *_) = parse_qs(urlsplit(key).query).get("node-id", [""]) if "://" in key else [""]
    return (file if file in configured else reference.main_key), reference.main_key, node


def _filled(template: str, fields: dict[str, str], where: str) -> str:
    unknown = [name for name in _PLACEHOLDER.findall(template) if name not in fields]
    if "path" in unknown:
        raise UsageError(f"{where}: {template!r} contains {{path}}, but path is missing; give the path of a file")
    if unknown:
        raise UsageError(f"{where}: unknown placeholder {{{unknown[0]}}} in {template!r}; use one of {_PLACEHOLDERS}")
    return _PLACEHOLDER.sub(lambda match: fields[match[1]], template)
