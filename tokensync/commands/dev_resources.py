"""Attaches links to nodes of design files: to generated code, or to any address. Run again, it changes nothing."""

from __future__ import annotations

import os
import re
import tomllib
from collections import Counter
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import parse_qs, quote, urlsplit

import msgspec

from tokensync.client import parse_file
from tokensync.errors import UsageError
from tokensync.project.sources import read_file
from tokensync.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tokensync.client import Client
    from tokensync.client.endpoints.dev_resources import DevResource
    from tokensync.project.configuration import Project

MOST_A_NODE: Final = 10
_AT_ONCE: Final = 100
_NODE: Final = re.compile(r"I?\d+[:-]\d+(;\d+[:-]\d+)*")
_PLACEHOLDER: Final = re.compile(r"\{([^{}]*)\}")
_PLACEHOLDERS: Final = "{file}, {file_key}, {node}, {path}"


class Wanted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A link as it is asked for: ``file`` is a configured name, a key or a URL, whose node is used where none is given.

    In ``url`` and ``name`` stand ``{file}``, ``{file_key}``, ``{node}`` and ``{path}``; ``path`` is that of a file of
    the project.
    """

    node: str | None = None
    url: str | None = None
    name: str | None = None
    file: str | None = None
    path: str | None = None


class WantedLinks(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file of links; what stands outside ``links`` holds for each that does not say otherwise."""

    links: tuple[Wanted, ...]
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
    """A link that could not be attached or renamed, and what the platform says of it."""

    link: Link
    error: str


class Linked(NamedTuple):
    """What was done, or would be: ``renamed`` links had another name before."""

    created: tuple[Link, ...] = ()
    renamed: tuple[Link, ...] = ()
    unchanged: tuple[Link, ...] = ()
    failed: tuple[Failed, ...] = ()


def read_links(path: str) -> tuple[Wanted, ...]:
    """Return the links of a TOML or JSON file; one that is neither, or has other members, is a UsageError."""
    content = read_file(path).removeprefix(b"\xef\xbb\xbf")
    try:
        document: Any = msgspec.json.decode(content) if path.endswith(".json") else tomllib.loads(content.decode())
        found = msgspec.convert({"links": document} if isinstance(document, list) else document, WantedLinks)
    except (ValueError, RecursionError) as error:  # of every parser, and msgspec's own
        raise UsageError(f"{path}: it is no file of links ({error}); docs/dev-resources.md shows one") from None
    return tuple(
        Wanted(each.node, each.url or found.url, each.name or found.name, each.file or found.file, each.path)
        for each in found.links
    )


def links_of(project: Project, wanted: Iterable[Wanted], file: str | None = None) -> tuple[Link, ...]:
    """Return the links with nothing left open; ``file`` is that of links that name none.

    What is missing or cannot be is a UsageError that tells of all of it.
    """
    found: list[Link] = []
    wrong: list[str] = []
    for number, each in enumerate(wanted, 1):
        try:
            found.append(_link(project, each, each.file or file, f"link {number}"))
        except UsageError as error:
            wrong.append(str(error))
    times = Counter((each.file_key, each.node, each.url) for each in found)
    wrong += [
        f"node {node}: {url} is given more than once; give it once, with one name"
        for (_, node, url), count in times.items()
        if count > 1
    ]
    if wrong:
        raise UsageError("\n".join(wrong))
    return tuple(found)


def link(
    client: Client,
    links: Sequence[Link],
    *,
    dry_run: bool = False,
    progress: Callable[[str], None] = lambda text: None,
) -> Linked:
    """Attach what is not attached yet, rename what has another name; a link is known by its node and its url."""
    steps = _steps(client, links, progress)
    if dry_run:
        return Linked(steps.new, tuple(one for _, one in steps.changed), steps.unchanged, steps.failed)
    created, refused = _attach(client, steps.new, progress)
    renamed, kept = _rename(client, steps.changed, progress)
    return Linked(created, renamed, steps.unchanged, (*steps.failed, *refused, *kept))


class _Steps(NamedTuple):
    """What is to be done; ``changed`` are links with the id of the one that has another name."""

    new: tuple[Link, ...]
    changed: tuple[tuple[str, Link], ...]
    unchanged: tuple[Link, ...]
    failed: tuple[Failed, ...]


def _steps(client: Client, links: Sequence[Link], progress: Callable[[str], None]) -> _Steps:
    there: dict[tuple[str, str, str], DevResource] = {}
    taken: Counter[tuple[str, str]] = Counter()
    for key in dict.fromkeys(each.file_key for each in links):
        progress(f"reading the links of {key}")
        for found in client.dev_resources.list(key):
            there[key, found.node_id, found.url] = found
            taken[key, found.node_id] += 1
    new: list[Link] = []
    changed: list[tuple[str, Link]] = []
    unchanged: list[Link] = []
    failed: list[Failed] = []
    for each in links:
        before = there.get((each.file_key, each.node, each.url))
        if before is not None and before.name == each.name:
            unchanged.append(each)
        elif before is not None:
            changed.append((before.id, each))
        elif taken[each.file_key, each.node] >= MOST_A_NODE:
            failed.append(Failed(each, f"the node has {MOST_A_NODE} links, which is the most; remove one of them"))
        else:
            taken[each.file_key, each.node] += 1
            new.append(each)
    return _Steps(tuple(new), tuple(changed), tuple(unchanged), tuple(failed))


def _attach(
    client: Client, links: Sequence[Link], progress: Callable[[str], None]
) -> tuple[tuple[Link, ...], tuple[Failed, ...]]:
    from tokensync.client.endpoints.dev_resources import NewDevResource

    created: list[Link] = []
    failed: list[Failed] = []
    for start in range(0, len(links), _AT_ONCE):
        some = links[start : start + _AT_ONCE]
        progress(f"attaching {counted(len(some), 'link')}")
        answer = client.dev_resources.create([NewDevResource(e.name, e.url, e.file_key, e.node) for e in some])
        made = {(each.file_key, each.node_id, each.url) for each in answer.links_created}
        reasons = {(each.file_key, each.node_id): each.error for each in answer.errors}
        for each in some:
            if (each.file_key, each.node, each.url) in made:
                created.append(each)
            else:
                failed.append(Failed(each, reasons.get((each.file_key, each.node), _NO_REASON)))
    return tuple(created), tuple(failed)


def _rename(
    client: Client, changed: Sequence[tuple[str, Link]], progress: Callable[[str], None]
) -> tuple[tuple[Link, ...], tuple[Failed, ...]]:
    from tokensync.client.endpoints.dev_resources import ChangedDevResource

    renamed: list[Link] = []
    failed: list[Failed] = []
    for start in range(0, len(changed), _AT_ONCE):
        some = changed[start : start + _AT_ONCE]
        progress(f"renaming {counted(len(some), 'link')}")
        answer = client.dev_resources.update([ChangedDevResource(id_, name=each.name) for id_, each in some])
        reasons = {each.id: each.error for each in answer.errors}
        for id_, each in some:
            if id_ in answer.links_updated:
                renamed.append(each)
            else:
                failed.append(Failed(each, reasons.get(id_, _NO_REASON)))
    return tuple(renamed), tuple(failed)


_NO_REASON: Final = "the platform does not say why"


def _link(project: Project, wanted: Wanted, file: str | None, where: str) -> Link:
    """One link with nothing left open; messages begin with ``where``."""
    name_of_file, file_key, node = _file_of(project, file, where)
    node = wanted.node or node
    if not node:
        raise UsageError(f"{where}: it has no node; give its id, or a URL of the file that has node-id in it")
    if not _NODE.fullmatch(node):
        raise UsageError(f"{where}: {node!r} is not the id of a node; copy it from node-id in a link to the layer")
    if wanted.url is None:
        raise UsageError(f"{where}: it has no url; give one")
    node = node.replace("-", ":")  # as the API writes it; addresses have a hyphen
    fields = {"file": name_of_file, "file_key": file_key, "node": node}
    if wanted.path is not None:
        if not os.path.isfile(project.path(wanted.path)):
            raise UsageError(f"{where}: {wanted.path} is no file of the project; run tokensync build, or correct it")
        fields["path"] = wanted.path.replace(os.sep, "/")
    url = _filled(wanted.url, {name: quote(value, safe="/") for name, value in fields.items()}, where)
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("https", "http") or not parts.netloc or not url.isprintable():
        raise UsageError(f"{where}: {url!r} is not an address; give one that starts with https://")
    if wanted.name is not None:
        name = _filled(wanted.name, fields, where)
    else:
        name = parts.path.rstrip("/").rpartition("/")[2] or parts.netloc
    return Link(file_key, node, url, name)


def _file_of(project: Project, file: str | None, where: str) -> tuple[str, str, str]:
    """Return the name (or key) of a file, its main file's key, since only these have links, and the node of its URL."""
    configured = {each.name: each.key for each in project.config.files}
    if file is None:
        if len(configured) != 1:
            raise UsageError(f"{where}: it names no file; give one of {', '.join(configured) or 'its key or URL'}")
        (file,) = configured
    key = configured.get(file, file)
    reference = parse_file(key, where)
    (node, *_) = parse_qs(urlsplit(key).query).get("node-id", [""]) if "://" in key else [""]
    return (file if file in configured else reference.main_key), reference.main_key, node


def _filled(template: str, fields: dict[str, str], where: str) -> str:
    unknown = [name for name in _PLACEHOLDER.findall(template) if name not in fields]
    if "path" in unknown:
        raise UsageError(f"{where}: {template!r} wants a path, and none is given; give the path of a file")
    if unknown:
        raise UsageError(f"{where}: {{{unknown[0]}}} is not a placeholder; use one of {_PLACEHOLDERS}")
    return _PLACEHOLDER.sub(lambda found: fields[found[1]], template)
