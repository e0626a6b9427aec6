"""A project whose design file is open in a model of Figma's editor: its bridge, the messages on it, and its schedules.

The plugin is the real one, in Node. Messages between its page and the bridge are lost, repeated and reordered; the
plugin is closed at one, or amid its writes, and the bridge and the commands are killed.
"""

from __future__ import annotations

import io
import json
import shutil
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import msgspec
from bridge.conftest import Editor
from campaign.proxy import Seen
from campaign.running import Outcome, Trial
from campaign.scenario import Violation, project, reset
from campaign.schedules import Schedule

from tokensync.bridge import DOOR, Door, server
from tokensync.bridge.cli import _install

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from random import Random
    from wsgiref.types import StartResponse, WSGIEnvironment

    from campaign.children import Nursery
    from campaign.platform import DesignFile
    from campaign.proxy import Proxy
    from campaign.scenario import Scenario, World

_FASTER = 20
"""How many times faster than in reality the bridge's waits are. Commands have a clock of their own."""
_JOB_SECONDS = server._JOB_SECONDS  # noqa: SLF001
_PAGE_WAITS = ("RETRY = 2000", "RETRY = 50")
_MOST_RUNS = 12
_MESSAGES = ("poll", "begin", "answer")
_HAPPENINGS = ("request lost", "answer lost", "repeated", "late", "plugin closed", "bridge killed")
_LONGEST_HELD = 0.3
_LONGEST_START = 30.0


class Message(NamedTuple):
    """The n-th message of a kind ("begin", ...) from the page to the bridge, from 0."""

    kind: str
    number: int


class Line:
    """The way from page and commands to the bridge: a WSGI application, with what ``Proxy`` offers to a trial."""

    base_url = "bridge:"

    def __init__(self, nursery: Nursery) -> None:
        self.hosts: frozenset[str] = frozenset()
        self.client: int | None = None
        self.port = 0
        self.editor: Editor | None = None
        self._nursery = nursery
        self._next = threading.Condition()
        self._jobs: set[str] = set()
        self.arm({}, {})
        self.restart()

    def restart(self) -> None:
        """Run a new bridge, as after a kill: it has another code and other secrets."""
        bridge = server.Bridge("campaign", lambda _: None)
        bridge.hosts = self.hosts
        if self.editor is not None:
            self.editor.do("set", code=bridge.code)
        self.bridge, self.is_killed = bridge, False

    def close(self) -> None:
        """End all waits."""
        self.bridge.close()

    def arm(
        self,
        _: Mapping[int, object],
        __: Mapping[int, object],
        *,
        after_post: Callable[[int], None] = lambda _: None,
        happenings: Mapping[Message, str] | None = None,
    ) -> None:
        """Start a schedule: what happens to messages, and what is called when the plugin has carried out a request."""
        self._happenings = happenings or {}
        self._counts = dict.fromkeys(_MESSAGES, 0)
        self._after_post = after_post
        self.seen: list[Seen] = []

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request (PEP 3333). A body that is not JSON is a broken connection to page and commands."""
        kind = environ["PATH_INFO"].removeprefix("/plugin/")
        if environ["REQUEST_METHOD"] != "POST":
            return self.bridge(environ, start_response)
        body = environ["wsgi.input"].read()
        happens = ""
        if kind in _MESSAGES:
            with self._next:
                happens = self._happenings.get(Message(kind, self._counts[kind]), "")
                self._counts[kind] += 1
                self._next.notify_all()
        if happens == "plugin closed" and self.editor is not None:
            self.editor.do("close")
        if happens == "bridge killed":
            self.bridge.close()
            self.is_killed = True
        if happens == "late":
            with self._next:
                self._next.wait(_LONGEST_HELD)
        if self.is_killed or happens in ("request lost", "plugin closed"):
            start_response("502 Bad Gateway", [])
            return [b""]
        if happens == "repeated":
            self._pass_on(kind, environ, body, lambda *_: lambda _: None)
        answer = self._pass_on(kind, environ, body, start_response)
        return [b""] if happens == "answer lost" else answer

    def _pass_on(self, kind: str, environ: WSGIEnvironment, body: bytes, start_response: Any) -> Iterable[bytes]:
        answer = list(self.bridge({**environ, "wsgi.input": io.BytesIO(body)}, start_response))
        document = json.loads(b"".join(answer))
        if kind == "/jobs" and "job" in document and json.loads(body)["kind"] == "apply":
            self._jobs.add(document["job"])
        if kind == "answer" and document.get("received"):
            message = json.loads(body)
            if message["job"] in self._jobs and message.get("error") is None:
                self.seen.append(Seen("POST", body, 200))
                self._after_post(len(self.seen))
        if kind == "/jobs/wait" and document.get("state") != "done":
            self._nursery.pass_time(_JOB_SECONDS)
        return answer


class OpenFile:
    """The file in the editor, with what ``DesignFile`` offers to a trial."""

    def __init__(self, key: str, editor: Editor, line: Line, folder: str) -> None:
        self.key = key
        self._editor = editor
        self._line = line
        self._folder = folder

    def fill(self, response: bytes) -> None:
        """Put the file into the state of a response, and open the plugin in it."""
        self._editor.do("load", state={"key": self.key, "name": "Campaign", "meta": json.loads(response)["meta"]})
        self._editor.do("open")
        self.open_door()
        while self._line.bridge._session is None:  # noqa: SLF001
            time.sleep(0.01)

    def open_door(self) -> None:
        """Let the commands of the project find the bridge."""
        path = Path(self._folder, ".tokensync", DOOR)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(msgspec.json.encode(Door(self._line.port, self._line.bridge.secret)))

    def read(self) -> bytes:
        """Return the file as a response."""
        return json.dumps({"meta": self._editor.saved()["meta"]}).encode()


@contextmanager
def bridged_world(world: World) -> Iterator[World]:
    """Yield a world whose file is open in an editor, with a bridge to it."""
    for name in ("_POLL_SECONDS", "_JOB_SECONDS", "_ALIVE_SECONDS", "_AWAITED_SECONDS"):
        setattr(server, name, getattr(server, name) / _FASTER)
    folder = Path(world.scratch, "editor")
    folder.mkdir()
    line = Line(world.nursery)
    with server.listening(cast("server.Bridge", line), 0) as port:
        line.restart()
        line.port = port
        _install(str(folder / "plugin"), port)
        page = folder / "plugin" / "ui.html"
        page.write_text(page.read_text(encoding="utf-8").replace(*_PAGE_WAITS), encoding="utf-8")
        key = world.file.key
        (folder / "figma.json").write_text(
            json.dumps({"key": key, "meta": {"variables": {}, "variableCollections": {}}}), encoding="utf-8"
        )
        node = shutil.which("node")
        if node is None:
            raise RuntimeError("the plugin needs Node 20 or newer")
        line.editor = editor = Editor(node, folder, code=line.bridge.code)
        try:
            file = cast("DesignFile", OpenFile(key, editor, line, project(world)))
            yield world._replace(file=file, proxy=cast("Proxy", line))
        finally:
            editor.close()


class BridgeTrial(Trial):
    """One schedule through the bridge. ``dice`` decides what happens."""

    def __init__(self, world: World, scenario: Scenario, dice: Random) -> None:
        self._dice = dice
        self._line = cast("Line", world.proxy)
        self._happenings: dict[Message, str] = {}
        self._faults: list[dict[str, object]] = []
        self._kill = 0
        super().__init__(world, scenario, Schedule(self._drawn(scenario)))
        if not dice.randrange(3):
            self._drawn(scenario)

    def _drawn(self, scenario: Scenario) -> str:
        """Add something that happens, and return its name."""
        dice = self._dice
        match dice.randrange(8):
            case 0:
                self._kill = dice.randint(1, scenario.steps)
                return "command killed"
            case 1:
                does = dice.choice(("close", "throw"))
                self._faults.append({"nth": dice.randint(1, 40), "does": does, "after": bool(dice.randrange(2))})
                return f"amid a change: {'plugin closed' if does == 'close' else 'an error of the editor'}"
        message = Message(dice.choice(_MESSAGES), dice.randrange(6))
        self._happenings[message] = dice.choice(_HAPPENINGS)
        return f"{message.kind}: {self._happenings[message]}"

    def run(self) -> Outcome:
        """Run the schedule; raise Violation unless the file is the plan's result at the end."""
        reset(self.world, self.scenario)
        self._line.arm({}, {}, happenings=self._happenings)
        editor = self._line.editor
        assert editor is not None  # noqa: S101 - the world is a bridged one
        editor.do("open", faults=self._faults)
        ended = threading.Event()
        person = threading.Thread(target=self._attend, args=(ended,))
        person.start()
        try:
            runs = self._carried_out()
        finally:
            ended.set()
            person.join()
        self._check_requests()
        self._stage(exact=True)
        return Outcome("plan carried out", False, runs)

    def _attend(self, ended: threading.Event) -> None:
        """Open a plugin that was closed, and start a bridge that was killed, as a person does."""
        editor = self._line.editor
        while editor is not None and not ended.wait(0.05):
            if self._line.is_killed:
                self._line.restart()
                cast("OpenFile", self.world.file).open_door()
            if not editor.do("see")["open"]:
                editor.do("open")

    def _carried_out(self) -> int:
        """Apply, and do what messages say until the plan is carried out. Return how often that was."""
        done = self._tokensync("-q", "apply", "--force", kill_at=self._kill)
        for run in range(_MOST_RUNS):
            if done.code == 0 and self._is_reached():
                return run
            if "half done" in done.output:
                way = self._tokensync("bridge", self._dice.choice(("--complete", "--take-back")))
                if "complete the request instead" in way.output:
                    self._tokensync("bridge", "--complete")
            elif done.code != 0:
                self._await_plugin()
            again = "--force" if done.code == 0 else "--resume"  # it died before there was anything to resume
            done = self._tokensync("-q", "apply", again)
        raise Violation(f"the apply was resumed {_MOST_RUNS} times and did not end: {done.output[-500:]}")

    def _await_plugin(self) -> None:
        """Wait until the window says that it is connected, as a person does: on a busy machine that can take long."""
        due = time.monotonic() + _LONGEST_START
        time.sleep(0.1)
        while time.monotonic() < due and (self._line.is_killed or not self._line.bridge._is_alive()):  # noqa: SLF001
            time.sleep(0.05)

    def _is_reached(self) -> bool:
        try:
            return self._stage(exact=True) > 0
        except Violation:
            return False
