"""The design file on the emulator as designers edit it, and libraries as raw JSON and CSS spell them.

``Library`` is a plain form of both sides. It is read here without tokensync, so that a mistake of tokensync's own
readers and differences cannot hide itself.
"""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import tarfile
import threading
from typing import TYPE_CHECKING, Any, Self

from werkzeug.test import Client

from tokensync.emulator import Emulator
from tokensync.emulator.faults import Faults, read
from tokensync.emulator.server import Server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from wsgiref.types import StartResponse, WSGIEnvironment

Library = dict[tuple[str, str], tuple[str, dict[str, str]]]
"""The description of each token, and its values by the names of the modes: a color, a number or ``{name}``."""

KEY = "HarborLibrary"
DAY = 86400


class DesignFile:
    """A context: the platform on a port of this machine, with one file. ``now`` is its time in Unix seconds."""

    def __init__(self, now: float) -> None:
        self.now = now
        self.emulator = Emulator(None, clock=lambda: self.now)
        self._server = Server(self)
        self._faults: Faults | None = None
        self._fatal: tuple[str, subprocess.Popen[str]] | None = None
        self._lock = threading.Lock()
        self.base_url = self._server.base_url

    def __enter__(self) -> Self:
        self._server.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.close()
        self.emulator.close()

    def __call__(self, environ: WSGIEnvironment, start: StartResponse) -> Any:
        """Answer a request of a job."""
        with self._lock:
            fatal = self._fatal if environ["REQUEST_METHOD"] == "POST" else None
            if fatal is not None:
                self._fatal = None
        application = self._faults or self.emulator
        if fatal is None:
            return application(environ, start)
        when, process = fatal
        if when == "before":
            os.killpg(process.pid, signal.SIGKILL)
            raise ConnectionResetError
        answer = application(environ, start)
        os.killpg(process.pid, signal.SIGKILL)
        return answer

    def disturb(self, *rules: dict[str, Any]) -> None:
        """Inject the faults of these rules (docs/testing.md) from now on; none ends them."""
        self._faults = Faults(self.emulator, read(json.dumps([*rules]), "faults")) if rules else None

    def kill_at_request(self, when: str, process: subprocess.Popen[str]) -> None:
        """Kill the process group of a job at its next writing request, ``before`` or ``after`` it is carried out."""
        self._fatal = (when, process)

    def forget_kill(self) -> bool:
        """Return whether a kill was still to come, and cancel it."""
        waited, self._fatal = self._fatal is not None, None
        return waited

    # --- what designers do ---

    def token(self, days: float) -> str:
        """Create an access token that expires after some days."""
        owner = self.emulator.tokens.of(self.emulator.tokens.default()).user
        scopes = ("file_variables:read", "file_variables:write", "file_content:read", "file_metadata:read")
        return self.emulator.tokens.create(scopes=scopes, user=owner, expires_in_days=days, name="pipeline")

    def edit(self, **changes: list[dict[str, Any]]) -> dict[str, str]:
        """Change the file as in the editor, and return the ids of new objects by their temporary ones."""
        headers = {"X-Figma-Token": self.emulator.tokens.default()}
        answer = Client(self.emulator).post(f"/v1/files/{KEY}/variables", json=changes, headers=headers)
        if answer.status_code != 200:
            raise AssertionError(f"a designer cannot do this: {answer.text}\n{json.dumps(changes)}")
        found: dict[str, str] = answer.json["meta"]["tempIdToRealId"]
        return found

    def meta(self) -> dict[str, dict[str, dict[str, Any]]]:
        """Return the local variables and collections as the platform answers."""
        headers = {"X-Figma-Token": self.emulator.tokens.default()}
        answer = Client(self.emulator).get(f"/v1/files/{KEY}/variables/local", headers=headers)
        found: dict[str, dict[str, dict[str, Any]]] = answer.json["meta"]
        return found

    def library(self) -> Library:
        """Return what the file contains."""
        meta = self.meta()
        variables, collections = meta["variables"], meta["variableCollections"]

        def value(raw: Any) -> str:
            match raw:
                case {"type": "VARIABLE_ALIAS", "id": target}:
                    return f"{{{variables[target]['name']}}}"
                case {"r": red, "g": green, "b": blue}:
                    return _color((red, green, blue))
                case _:
                    return f"{raw:g}"

        found: Library = {}
        for each in variables.values():
            own = collections[each["variableCollectionId"]]
            names = {mode["modeId"]: mode["name"] for mode in own["modes"]}
            values = {names[mode]: value(raw) for mode, raw in each["valuesByMode"].items()}
            found[own["name"], each["name"]] = (each["description"], values)
        return found


def _color(channels: tuple[float, ...]) -> str:
    return "#" + "".join(f"{round(each * 255):02x}" for each in channels)


# --- code -----------------------------------------------------------------------------------------------------------


def files_of(bare: Path, revision: str) -> dict[str, bytes]:
    """Return the files of a commit by path."""
    command = ["git", "-C", str(bare), "archive", revision]
    done = subprocess.run(command, check=True, capture_output=True)
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        return {each.name: archive.extractfile(each).read() for each in archive if each.isfile()}  # type: ignore[union-attr]


class ModeFile:
    """A token file of a mode: its path, its document, its handles and the names of its collection and mode."""

    def __init__(self, path: str, content: bytes) -> None:
        self.path = path
        self.document: dict[str, Any] = json.loads(content)
        self.handle, stem = path.split("/")[-2:]
        self.mode_handle = stem.removesuffix(".tokens.json")
        more = self.document["$extensions"]
        self.mode: str = more["com.figma.modeName"]
        self.collection: str | None = more["org.tokensync"].get("collection", {}).get("name")

    @property
    def tokens(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield each token with its name."""
        yield from _leaves(self.document[self.handle], ())


def mode_files(files: dict[str, bytes]) -> list[ModeFile]:
    """Return the token files of the modes, with the collection's name in each."""
    found = [ModeFile(path, text) for path, text in files.items() if re.fullmatch(r"tokens/one/[^./]+/[^/]+", path)]
    names = {each.handle: each.collection for each in found if each.collection is not None}
    for each in found:
        each.collection = names[each.handle]
    return found


def _leaves(group: dict[str, Any], path: tuple[str, ...]) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, each in group.items():
        if name.startswith("$"):
            continue
        if "$value" in each:
            yield "/".join((*path, name)), each
        else:
            yield from _leaves(each, (*path, name))


def library_of(files: dict[str, bytes]) -> Library:
    """Return what the token files contain."""
    found: Library = {}
    for file in mode_files(files):
        for name, token in file.tokens:
            description, values = found.setdefault((str(file.collection), name), ("", {}))
            values[file.mode] = _value(token["$value"])
            found[str(file.collection), name] = (description or token.get("$description", ""), values)
    return found


def _value(value: Any) -> str:
    match value:
        case str():
            return "{" + value[1:-1].partition(".")[2].replace(".", "/") + "}"
        case {"components": channels}:
            return _color(tuple(channels))
        case {"value": number}:
            return f"{number:g}"
        case _:
            return f"{value:g}"


def absent_targets(library: Library) -> set[str]:
    """Return the names that aliases have, but no token."""
    values = {value for _, modes in library.values() for value in modes.values()}
    return {each[1:-1] for each in values if each.startswith("{")} - {name for _, name in library}


def differences_in_css(files: dict[str, bytes]) -> list[str]:
    """Return how the custom properties of the built CSS differ from the token files, in every mode."""
    rules: dict[str, dict[str, str]] = {}
    text = re.sub(r"@media[^{]*\{.*?\n\}", "", files["web/tokens.css"].decode(), flags=re.DOTALL)
    for selectors, body in re.findall(r"([^{}]+)\{([^{}]*)\}", text):
        for selector in re.sub(r"/\*.*?\*/", "", selectors, flags=re.DOTALL).split(","):
            rules.setdefault(selector.strip(), {}).update(re.findall(r"(--[\w-]+):\s*([^;]+);", body))
    everything = library_of(files)
    handles = {(each.collection, each.mode): each.mode_handle for each in mode_files(files)}
    names = {name: collection for collection, name in everything}
    found = []
    for mode_handle in [each for (collection, _), each in handles.items() if collection == "Theme"]:
        own = rules[":root"] | rules.get("[data-theme]", {}) | rules.get(f'[data-theme="{mode_handle}"]', {})

        def expected(name: str, mode_handle: str = mode_handle) -> str:
            collection = names[name]
            values = everything[collection, name][1]
            (value,) = [each for mode, each in values.items() if handles[collection, mode] == mode_handle] or [
                *values.values()
            ][:1]
            return expected(value[1:-1]) if value.startswith("{") else value

        def written(variable: str, own: dict[str, str] = own) -> str:
            value = own.get(variable, "absent")
            reference = re.fullmatch(r"var\((--[\w-]+)\)", value)
            return written(reference[1]) if reference else re.sub(r"(?<=\d)(px|rem)$", "", value)

        for _, name in everything:
            wanted, got = expected(name), written("--" + name.replace("/", "-"))
            if wanted != got and not (wanted[0] != "#" and got == f"{float(wanted) / 16:g}"):
                found.append(f"{name} in {mode_handle}: {got} instead of {wanted}")
        if surplus := {each for each in own if each[2:] not in {name.replace("/", "-") for name in names}}:
            found.append(f"surplus in {mode_handle}: {', '.join(sorted(surplus))}")
    return found
