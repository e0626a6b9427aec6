"""Saved responses as a platform, for ``base_url = "snapshot:PATH"``: a file, or a folder with several.

A *capture* is the response of ``GET variables/local`` with a member ``capture``, which says of which file it is and
when it was taken. It may also have ``published``, the response of ``GET variables/published``, and ``styles``, as
``tokensync files styles --json`` prints them. A bare response can have these in files beside it, with the names that
``pull --snapshot-out`` chooses: ``NAME.local.json``, ``NAME.published.json`` and ``NAME.styles.json``.

Where there is no response, the path may have Figma's own export (``exports``).
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

import msgspec
from msgspec import Raw, Struct, field

from tokensync.bridge.exports import response_of
from tokensync.dtcg.exported import is_export
from tokensync.extract.wire import Capture, with_objects
from tokensync.system.disk import content_of, shown_path
from tokensync.system.errors import DECODE_ERRORS, UsageError
from tokensync.system.wording import listed

if TYPE_CHECKING:
    from collections.abc import Iterable
    from wsgiref.types import StartResponse, WSGIEnvironment

_LOCAL = ".local.json"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_REQUEST = re.compile(r"/v1/files/([A-Za-z0-9_-]+)/(variables/local|variables/published|styles|nodes)")
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?Z")
_NOT_KNOWN = b'{"meta":{"variables":{},"variableCollections":{},"known":false}}'
_MEMBERS = {"FILL": "fills", "TEXT": "style", "EFFECT": "effects", "GRID": "layoutGrids"}
"""The member of a node with the value of a style, by the type of the style."""


class _Saved(Struct, frozen=True, rename="camel"):
    """What a file says about itself. One with neither ``meta`` nor ``variables`` is no response."""

    capture: Capture = Capture()
    meta: Raw = Raw(b"")
    variables: Raw = Raw(b"")
    published: Raw = Raw(b"")
    styles: Raw = Raw(b"")


class _Style(Struct, frozen=True):
    """A row of the file of styles, which ``tokensync files styles --json`` prints."""

    key: str
    name: str
    type: str
    node: str
    description: str = ""
    updated_at: str = ""
    value: Any = None
    bound: Any = field(default=None, name="boundVariables")


def connection(address: str, _: str | None) -> Captures:
    """Return the platform for a path, which needs no file for a state."""
    return Captures(address)


class Captures:
    """A platform that answers with what was saved. Nothing can be written to it."""

    def __init__(self, path: str) -> None:
        self._path = path

    def token_for(self, plan_scope: str | None) -> str:
        """Return a token, which nobody checks."""
        return "captured"

    def close(self) -> None:
        """Do nothing: files are read as they are asked for."""

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request (PEP 3333). Raises UsageError if the file is not there, and for requests that change it."""
        shown = shown_path(self._path)
        if environ["REQUEST_METHOD"] != "GET":
            raise UsageError(f"base_url: {shown}: a capture cannot be changed; use figma for this command")
        request = _REQUEST.fullmatch(environ["PATH_INFO"])
        if environ["PATH_INFO"].startswith("/v1/analytics/"):  # which a plan of deletions asks, and can do without
            start_response("404 Not Found", [("Content-Type", "application/json")])
            return [b'{"status":404,"err":"a capture does not say which files use a variable"}']
        if request is None:
            raise UsageError(f"base_url: {shown}: a capture has only variables and styles; use figma for this command")
        path, content, saved = self._response(request[1])
        match request[2]:
            case "variables/local":
                body = with_objects(content)
                if not saved.meta:  # the payload alone
                    body = msgspec.json.encode({"meta": Raw(body), "capture": saved.capture})
            case "variables/published":
                body = _beside(path, "published") or bytes(saved.published) or _NOT_KNOWN
            case _:
                styles = _beside(path, "styles") or bytes(saved.styles)
                if not styles:
                    start_response("404 Not Found", [("Content-Type", "application/json")])
                    return [b'{"status":404,"err":"the capture has no styles"}']
                body = _answer(styles, path, parse_qs(environ["QUERY_STRING"]).get("ids", [""])[0])
        start_response("200 OK", [("Content-Type", "application/json")])
        return [body]

    def _response(self, key: str) -> tuple[str, bytes, _Saved]:
        """Return the path and the content of the latest response for a file."""
        try:
            return self._latest(key)
        except OSError as error:
            what = f"cannot read it ({error.strerror})"
            shown = shown_path(str(error.filename or self._path))
            raise UsageError(f"{shown}: {what}; check the path and its permissions") from None

    def _latest(self, key: str) -> tuple[str, bytes, _Saved]:
        responses = [saved for path in self._paths() if (saved := _read(path)) is not None]
        named = [saved for saved in responses if _is_of(key, saved)]
        nameless = [saved for saved in responses if not saved[2].capture.file_key]
        matching = named or (nameless if len(nameless) == 1 else [])
        if matching:
            return max(matching, key=lambda saved: saved[2].capture.time)
        own = os.path.join(self._path, key)
        exported = None if responses else response_of(own if os.path.isdir(own) else self._path)
        if exported is not None:
            return self._path, exported, msgspec.json.decode(exported, type=_Saved)
        shown = shown_path(self._path)
        keys = sorted({saved.capture.file_key for _, _, saved in responses if saved.capture.file_key})
        if not responses:
            what = "no saved response, and no export of variables"
            to_do = "name what pull --snapshot-out, the plug-in or Figma has written"
        elif keys and not nameless:
            what, to_do = (
                f"no capture of the file {key}, only of {listed(keys)}",
                "correct the key, or capture the file",
            )
        else:
            what, to_do = f"no capture of the file {key}", f"name its response {key}{_LOCAL}"
        raise UsageError(f"base_url: {shown}: {what}; {to_do}")

    def _paths(self) -> list[str]:
        if not os.path.isdir(self._path):
            return [self._path]
        return [os.path.join(self._path, name) for name in sorted(os.listdir(self._path)) if name.endswith(".json")]


def _read(path: str) -> tuple[str, bytes, _Saved] | None:
    """Return a response; None for a file of another kind. Raises UsageError for a file that is no JSON."""
    content = content_of(path)
    if content is None or path.lower().endswith((".published.json", ".styles.json", ".zip")):
        return None
    try:
        content = content.removeprefix(_BYTE_ORDER_MARK)
        saved = msgspec.json.decode(content, type=_Saved)
        if b"com.figma." in content and is_export(msgspec.json.decode(content), content):
            return None  # a group of it may be called "variables"
    except DECODE_ERRORS as error:
        raise UsageError(f"{shown_path(path)}: this is no capture ({error}); capture the file anew") from None
    time = saved.capture.time
    if time and not _TIME.fullmatch(time):  # times are compared as text, so another form could pass for a later time
        what = f"{time!r:.40} is no time in UTC, such as 2026-11-29T10:00:00Z"
        raise UsageError(f"{shown_path(path)}: {what}; correct it, or capture the file anew")
    return (path, content, saved) if saved.meta or saved.variables else None


def _is_of(key: str, response: tuple[str, bytes, _Saved]) -> bool:
    path, _, saved = response
    return key in (saved.capture.file_key, os.path.basename(path).removesuffix(".json").removesuffix(".local"))


def _beside(path: str, kind: str) -> bytes | None:
    """Return the content of the file of another kind beside a response."""
    return content_of(f"{path.removesuffix(_LOCAL)}.{kind}.json") if path.endswith(_LOCAL) else None


def _answer(styles: bytes, path: str, ids: str) -> bytes:
    """Return the list of styles as the platform has it, or the nodes with these ids, separated by commas."""
    try:
        rows = msgspec.json.decode(styles, type=list[_Style])
    except DECODE_ERRORS as error:
        what = f"its styles are not those that tokensync files styles --json prints ({str(error)[:200]})"
        raise UsageError(f"{shown_path(path)}: {what}; capture them anew") from None
    if not ids:
        items = [
            {
                "key": row.key,
                "name": row.name,
                "style_type": row.type,
                "node_id": row.node,
                "description": row.description,
                "updated_at": row.updated_at,
            }
            for row in rows
        ]
        return msgspec.json.encode({"status": 200, "error": False, "meta": {"styles": items}})
    wanted = frozenset(ids.split(","))
    nodes = {
        row.node: {
            "document": {"id": row.node, _MEMBERS.get(row.type, ""): row.value, "boundVariables": row.bound or {}}
        }
        for row in rows
        if row.node in wanted
    }
    return msgspec.json.encode({"nodes": nodes})
