"""Saved responses as a platform, for ``base_url = "snapshot:PATH"``: a file, or a folder with several.

A *capture* is the response of ``GET variables/local`` with a member ``capture``, which says of which file it is and
when it was taken. It may also have ``published``, the response of ``GET variables/published``, and ``styles``, as
``tokensync files styles --json`` prints them. A bare response can have these in files beside it, with the names that
``pull --snapshot-out`` chooses: ``NAME.local.json``, ``NAME.published.json`` and ``NAME.styles.json``.

Where there is no response, the path may have Figma's own export of variables: a folder of its files, a zip, or one
file. What the export does not have, its response makes up: ids of collections and modes from their names, and the order
and the default of modes from the files. The capture says so, and a pull takes these from the token files and the lock
(``plan.completion``). The targets of aliases that are not exported are remote variables.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qs

import msgspec
from msgspec import Raw, Struct, field

from tokensync.dtcg.colors import color
from tokensync.dtcg.exported import Exported, ModeFile, Target, is_export, mode_name, target_of, targets_in
from tokensync.dtcg.extensions import scopes_of
from tokensync.dtcg.parse import BadToken, parsed
from tokensync.dtcg.spelling import (
    ALIAS_DATA,
    CODE_SYNTAX,
    COMPOSED,
    HIDDEN,
    ROOT,
    SCOPES,
    TYPE,
    VARIABLE_ID,
    is_reference,
)
from tokensync.extract.wire import ALIAS, MADE_UP, Capture, with_objects
from tokensync.normalize.mapping import key_of_remote_id
from tokensync.system.disk import content_of, shown_path
from tokensync.system.errors import DECODE_ERRORS, UsageError
from tokensync.system.outlet import readable
from tokensync.system.wording import listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tokensync.dtcg.exported import ExportedCollection

    Node = dict[str, Any]
    from collections.abc import Iterable
    from wsgiref.types import StartResponse, WSGIEnvironment


_LARGEST = 64 << 20
_MOST_FILES = 1_000
_TOO_MANY = f"more than {_MOST_FILES:,} files; name the folder or the zip of the export alone"
_TYPES = {
    "color": "COLOR",
    "number": "FLOAT",
    "dimension": "FLOAT",
    "string": "STRING",
    "fontFamily": "STRING",
    "boolean": "BOOLEAN",
}
_BLACK = {"r": 0.0, "g": 0.0, "b": 0.0, "a": 1.0}


def _made_up(*names: str) -> str:
    """Return an id for what has none. A slash in it would end the key of a library."""
    return MADE_UP + ":".join(names).replace("/", ".")


class _Variable(NamedTuple):
    name: str
    type: str
    node: Node


def response_of(path: str) -> bytes | None:
    """Return the response for a file, a folder or a zip of the export; None if it has no file of the export.

    Raises UsageError for what cannot be read.
    """
    files: list[ModeFile] = []
    variables: dict[str, dict[str, _Variable]] = {}
    for name, content in _contents(path):
        tree, _ = parsed(content) if b'"$value"' in content else (None, [])
        if is_export(tree, content):
            own = variables[name] = dict(_variables(tree, (), ""))
            values = {dotted: variable.node["$value"] for dotted, variable in own.items()}
            extended = [(_extensions(variable.node), variable.node["$value"]) for variable in own.values()]
            ids = {_id(variable.node): dotted for dotted, variable in own.items() if _id(variable.node)}
            targets = [target for extensions, value in extended for target in targets_in(extensions, value)]
            files.append(ModeFile(name, mode_name(tree), values, ids, targets))
    return _Response(Exported(files), variables, shown_path(path)).document() if files else None


def _contents(path: str) -> Iterator[tuple[str, bytes]]:
    """Yield the JSON files of a path: the order of a zip is that of its modes in Figma."""
    if path.lower().endswith(".zip"):
        yield from _zipped(path)
    elif os.path.isdir(path):
        number = 0  # a file that is left out would look like deleted variables
        for folder, folders, names in os.walk(path):
            folders[:] = sorted(name for name in folders if name[:1] != ".")
            for name in sorted(name for name in names if name.lower().endswith(".json")):
                content = content_of(os.path.join(folder, name))
                number += 1
                if number > _MOST_FILES:
                    raise UsageError(f"{shown_path(path)}: {_TOO_MANY}")
                if content is not None:
                    yield os.path.relpath(os.path.join(folder, name), path).replace(os.sep, "/"), content
    elif (content := content_of(path)) is not None:
        yield os.path.basename(path), content


def _zipped(path: str) -> Iterator[tuple[str, bytes]]:
    import zipfile
    import zlib

    left = _LARGEST
    try:
        with zipfile.ZipFile(path) as archive:
            if len(archive.infolist()) > _MOST_FILES:
                raise UsageError(f"{shown_path(path)}: {_TOO_MANY}")
            for entry in archive.infolist():
                if entry.filename.lower().endswith(".json") and not entry.filename.startswith("__MACOSX/"):
                    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                        what = f"{readable(entry.filename, 120)} is compressed by another method than deflate"
                        raise UsageError(f"{shown_path(path)}: {what}; zip the files again")
                    with archive.open(entry) as file:
                        content = file.read(left + 1)  # the size that a zip states may be wrong
                    left -= len(content)
                    if left < 0:
                        raise UsageError(f"{shown_path(path)}: more than {_LARGEST >> 20} MiB; unpack it")
                    yield entry.filename, content
    except (zipfile.BadZipFile, zlib.error, RuntimeError, ValueError, NotImplementedError, EOFError) as error:
        raise UsageError(f"{shown_path(path)}: this is no complete zip ({error}); export the modes again") from None


def _extensions(node: Node) -> Node:
    extensions = node.get("$extensions")
    return extensions if isinstance(extensions, dict) else {}


def _id(node: Node) -> str:
    identity = _extensions(node).get(VARIABLE_ID)
    return identity if isinstance(identity, str) else ""


def _variables(group: Node, names: tuple[str, ...], inherited: str) -> Iterator[tuple[str, _Variable]]:
    """Yield the variables of a group by their paths with dots, as references have them."""
    pending = [(group, names, inherited)]
    while pending:
        node, path, kind = pending.pop()
        kind = node["$type"] if isinstance(node.get("$type"), str) else kind
        if "$value" in node:
            name = "/".join(path)
            yield name.replace("/", "."), _Variable(name, _type(node, kind), node)
        children = [(name, child) for name, child in node.items() if isinstance(child, dict)]
        pending += reversed([(child, path if name == ROOT else (*path, name), kind) for name, child in children
                             if name == ROOT or name[:1] != "$"])  # fmt: skip


def _type(node: Node, kind: str) -> str:
    """Return the type of a variable. One that Figma's export has in an unknown form stays opaque."""
    own = _extensions(node).get(TYPE)
    if isinstance(own, str) and own in ("boolean", "string"):
        return _TYPES[own]
    if kind == "fontWeight":
        return "STRING" if isinstance(node["$value"], str) else "FLOAT"
    return _TYPES.get(kind, kind.upper())


class _Response:
    """The response under construction."""

    def __init__(self, exported: Exported, variables: Mapping[str, Mapping[str, _Variable]], shown: str) -> None:
        self.exported = exported
        self.of_file = variables
        self.shown = shown
        self.variables: dict[str, Node] = {}
        self.collections: dict[str, Node] = {}
        self.keys: dict[tuple[str, str], str] = {}  # by collection's name and path
        for collection in exported.collections:
            for target, _ in (pair for file in collection.files for pair in file.targets):
                home = exported.target(collection, target)
                if home is not None:
                    self.keys.setdefault((home.name, target.path), key_of_remote_id(target.id))
                    if target.collection_id:
                        self.keys.setdefault((home.name, ""), key_of_remote_id(target.collection_id))

    def document(self) -> bytes:
        """Return the response."""
        for collection in self.exported.collections:
            self._add(collection)
        meta = {"variables": self.variables, "variableCollections": self.collections}
        return msgspec.json.encode({"meta": meta, "capture": {"export": True}})

    def _add(self, collection: ExportedCollection) -> None:
        modes: dict[str, ModeFile] = {}
        for file in collection.files:
            other = modes.setdefault(file.mode, file)
            if other is not file:
                what = f"{other.path} and {file.path} are both the mode {file.mode} of the collection {collection.name}"
                raise UsageError(f"{self.shown}: {what}; remove the older file")
        identity = _made_up("", collection.name) if collection.is_guessed else _made_up(collection.name)
        ids = [self._id(collection, path) for file in collection.files for path in file.values]
        self.collections[identity] = {
            "id": identity,
            "name": collection.name,
            "key": self.keys.get((collection.name, ""), ""),
            "modes": [{"modeId": _made_up(name), "name": name} for name in modes],
            "defaultModeId": _made_up(collection.default.mode),
            "variableIds": [*dict.fromkeys(ids)],
        }
        for name, file in modes.items():
            for path, variable in self.of_file[file.path].items():
                self._add_value(collection, identity, path, _made_up(name), variable)

    def _add_value(
        self, collection: ExportedCollection, of_collection: str, path: str, mode: str, variable: _Variable
    ) -> None:
        extensions, description = _extensions(variable.node), variable.node.get("$description")
        scopes, syntax = extensions.get(SCOPES), extensions.get(CODE_SYNTAX)
        known = self.variables.setdefault(
            self._id(collection, path),
            {
                "id": self._id(collection, path),
                "name": variable.name,
                "key": self.keys.get((collection.name, path), ""),
                "variableCollectionId": of_collection,
                "resolvedType": variable.type,
                "valuesByMode": {},
                "remote": False,
                "description": description if isinstance(description, str) else "",
                "hiddenFromPublishing": extensions.get(HIDDEN) is True,
                "scopes": scopes_of(tuple(filter(_is_text, scopes))) if isinstance(scopes, list) else (),
                "codeSyntax": {name: text for name, text in syntax.items() if _is_text(text)}
                if isinstance(syntax, dict)
                else {},
            },
        )
        try:
            known["valuesByMode"][mode] = self._value(collection, variable)
        except BadToken as error:
            raise UsageError(f"{self.shown}: {variable.name}: {error.what}; export the mode again") from None

    def _id(self, collection: ExportedCollection, path: str) -> str:
        """Return the id of a variable, made up for one without."""
        nodes = (self.of_file[file.path].get(path) for file in collection.files)
        known = (_id(variable.node) for variable in nodes if variable is not None)
        return next(filter(None, known), _made_up(collection.name, path))

    def _value(self, collection: ExportedCollection, variable: _Variable) -> Any:
        extensions, value = _extensions(variable.node), variable.node["$value"]
        data, parts = extensions.get(ALIAS_DATA), extensions.get(COMPOSED)
        literal = _literal(value, variable.type)
        if isinstance(parts, dict) and variable.type == "COLOR":
            return self._composed(collection, parts, literal)
        if isinstance(data, dict) and (alias := self._alias(collection, target_of(data), variable.type, literal)):
            return alias
        if is_reference(value):
            path = value[1:-1].removesuffix(f".{ROOT}").replace("/", ".")
            if path in collection.paths:
                return {"type": ALIAS, "id": self._id(collection, path)}
            return value if variable.type == "STRING" else {"type": ALIAS, "id": value}
        return literal

    def _composed(self, collection: ExportedCollection, parts: Node, result: Any) -> Any:
        """Return a composed colour; the result is what it is made of if both parts are literals, or unknown."""
        base, share = parts.get("colorArg"), parts.get("opacityArg")
        alpha = result["a"] if isinstance(result, dict) else 1.0
        opaque = {**result, "a": 1.0} if isinstance(result, dict) else _BLACK
        shade = self._part(collection, base, "COLOR", opaque)
        opacity = self._part(collection, share, "FLOAT", alpha * 100)
        aliases = [part for part in (shade, opacity) if isinstance(part, dict) and "type" in part]
        return {"color": shade, "opacity": opacity} if aliases and None not in (shade, opacity) else result

    def _part(self, collection: ExportedCollection, part: Any, kind: str, literal: Any) -> Any:
        match part:
            case {"alias": dict() as data}:
                return self._alias(collection, target_of(data), kind, literal)
            case {"value": value}:
                return _literal(value, kind)
        return None

    def _alias(self, collection: ExportedCollection, target: Target, kind: str, literal: Any) -> Node | None:
        """Return an alias; its target is a remote variable with this value if it is not exported."""
        home = self.exported.target(collection, target)
        if home is not None and target.path in home.paths:
            return {"type": ALIAS, "id": self._id(home, target.path)}
        if not target.name:
            return None
        identity = target.id or _made_up(target.collection, target.path)
        library = target.collection_id or _made_up("library", target.collection)
        mode, remote = _made_up("value"), {"remote": True, "hiddenFromPublishing": True}
        known = self.collections.setdefault(
            library,
            {
                "id": library,
                "name": target.collection,
                "key": key_of_remote_id(library),
                "modes": [{"modeId": mode, "name": "Value"}],
                "defaultModeId": mode,
                "variableIds": [],
                **remote,
            },
        )
        if identity not in self.variables:
            known["variableIds"].append(identity)
            self.variables[identity] = {
                "id": identity,
                "name": target.name,
                "key": key_of_remote_id(identity),
                "variableCollectionId": library,
                "resolvedType": kind,
                "valuesByMode": {mode: literal},
                **remote,
            }
        return {"type": ALIAS, "id": identity}


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _literal(value: Any, kind: str) -> Any:
    """Return a value as a response has it. Raises BadToken for one that does not have its type."""
    if is_reference(value):
        return None
    match kind:
        case "COLOR":
            if isinstance(value, dict) and isinstance(value.get("hex"), str):
                value = {**value, "hex": value["hex"][:7]}  # what is written by hand often has the alpha in it
            found = color(value)
            return {"r": found.red, "g": found.green, "b": found.blue, "a": found.alpha}
        case "FLOAT":
            return value["value"] if isinstance(value, dict) and "value" in value else value
        case "BOOLEAN":
            return value if isinstance(value, bool) else value == 1
    return value[0] if kind == "STRING" and isinstance(value, list) and value else value


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
