"""What the cases of a fuzz campaign read from: a project in each state, made as in tests/commands/scenes.py."""

from __future__ import annotations

import io
import json
import os
import shutil
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from commands.scenes import CLIENT, SETTINGS, Stage
from corpus.responses import Maker

from tokensync.dtcg import read_folder, write
from tokensync.extract.wire import snapshot
from tokensync.normalize.graph import normalize
from tokensync.project.configuration import Project, load_project

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from commands.damages import Form

    from tokensync.tokens import TokenGraph

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"

Outcome = "Iterable[Problem] | bool | None"
"""What a reader returns: problems, or whether it has read the content; None is yes."""


class Body(NamedTuple):
    """A file or a body that is read: valid contents, the function that reads one, and what repairs a digest in it."""

    name: str
    form: Form
    examples: Sequence[bytes]
    read: Callable[[bytes], Any]
    seal: Callable[[bytes], bytes] | None = None
    expansions: Sequence[bytes] = ()
    """Short contents that are very long if each of their references is followed."""
    share: int = 4
    """How many of the cases it gets in comparison with others: fewer if one takes several milliseconds."""


class World:
    """A folder with copies of the scenes, one of which is the working folder, and graphs to read against."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._stage = Stage(folder / "scenes")
        for variable in SETTINGS:
            os.environ[variable] = str(folder / "home")
        os.environ["TOKENSYNC_CACHE"] = "off"
        self._contents: dict[tuple[str, str], list[bytes]] = {}

    def contents(self, scene: str, pattern: str) -> list[bytes]:
        """Return the contents of the files of a scene with this pattern."""
        if (scene, pattern) not in self._contents:
            self._stage.set(scene)
            found = [path.read_bytes() for path in sorted(self._stage.root.glob(pattern))]
            assert found, pattern
            self._contents[scene, pattern] = found
        return self._contents[scene, pattern]

    def enter(self) -> None:
        """Make the project, and work in it."""
        self._stage.set("settled")
        os.chdir(shutil.copytree(self._stage.project, self.folder / "project"))

    @cached_property
    def project(self) -> Project:
        return load_project()

    @cached_property
    def graph(self) -> TokenGraph:
        return read_folder("tokens", "one").graph

    @cached_property
    def apply_folder(self) -> str:
        (found,) = Path(".tokensync/applies").glob("*")
        return str(found)

    @cached_property
    def responses(self) -> list[bytes]:
        """Return responses of a few variables of all kinds, with aliases, extensions and expressions."""
        made = (json.dumps(Maker(seed).make()).encode() for seed in range(60))
        return sorted(made, key=len)[3:9]

    @cached_property
    def token_files(self) -> list[dict[str, bytes]]:
        """Return the token files of these responses."""
        graphs = (normalize(snapshot("one", raw))[0] for raw in self.responses)
        return [{text.path: text.content for text in write(graph, "one")} for graph in graphs]

    def file(self, name: str, content: bytes) -> str:
        """Write a file to read from, and return its path."""
        os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
        with open(name, "wb") as file:
            file.write(content)
        return name


def called(application: Any, method: str, path: str, body: bytes = b"", **headers: str) -> tuple[str, bytes]:
    """Return the status and the body of a WSGI application's answer."""
    answered: list[str] = []

    def start_response(status: str, *_: Any) -> Any:
        answered.append(status)

    path, _, query = path.partition("?")
    environ = {
        "REQUEST_METHOD": method,
        "PATH_INFO": path,
        "QUERY_STRING": query,
        "CONTENT_LENGTH": str(len(body)),
        "CONTENT_TYPE": "application/json",
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "80",
        "HTTP_HOST": "localhost:80",
        "REMOTE_ADDR": "127.0.0.1",
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": io.StringIO(),
        **{f"HTTP_{name}": value for name, value in headers.items()},
    }
    content = b"".join(application(environ, start_response))
    return answered[0], content


__all__ = ["CLIENT", "EXAMPLES", "ROOT", "Body", "World", "called"]
