"""A project on an emulator with injected network faults and a simulated clock."""

from __future__ import annotations

import json
import weakref
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
import requests
from design_file import alias, collection, color, extension, response, variable
from msgspec.structs import replace

from tokensync.apply.sending import Reading
from tokensync.commands.apply import Applier
from tokensync.emulator import Emulator
from tokensync.extract.client import Client, Clock, Credential
from tokensync.plan.planning import Planning
from tokensync.plan.state import CollectionState, FileState, ModeState, ObjectValue, VariableState, labels_of
from tokensync.project.configuration import load_project

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from tokensync.apply.journal import Journal

KEY = "Harbor"
THEME, BRAND, SIZES = "VariableCollectionId:1:1", "VariableCollectionId:3:1", "VariableCollectionId:2:1"
BASE, ACCENT, GAP = "VariableID:1:2", "VariableID:1:3", "VariableID:2:2"
RED = ObjectValue(1, 0, 0, 1)


def design() -> bytes:
    """Theme (Light, Dark) with base and accent, Brand that extends it, Sizes with gap."""
    theme = collection(THEME, "Theme")
    theme["modes"] = [{"modeId": "1:0", "name": "Light"}, {"modeId": "1:1", "name": "Dark"}]
    theme["defaultModeId"] = "1:0"
    sizes = collection(SIZES, "Sizes", ("Value",))
    sizes["modes"], sizes["defaultModeId"] = [{"modeId": "2:0", "name": "Value"}], "2:0"
    brand = extension(BRAND, "Brand", theme, {ACCENT: (color(0.0, 1.0, 0.0, a=1.0),)})
    return response(
        [theme, sizes, brand],
        [
            variable(BASE, "base", theme, "COLOR", (color(0.0, 0.0, 1.0, a=1.0), color(0.0, 0.0, 0.5, a=1.0))),
            variable(ACCENT, "accent", theme, "COLOR", (alias(BASE), color(1.0, 1.0, 1.0, a=1.0))),
            variable(GAP, "gap", sizes, "FLOAT", (4,), scopes=["GAP"]),
        ],
    )


class Time:
    """A simulated clock in Unix seconds. Sleeping advances it and runs the ``due`` callbacks.

    ``set_by`` is how far the time of day was set forward or back.
    """

    def __init__(self) -> None:
        self.now = 1_800_000_000.0
        self.set_by = 0.0
        self.boot = "a boot"
        self.slept: list[float] = []
        self.due: list[tuple[float, Callable[[], None]]] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.pass_to(self.now + seconds)

    def pass_to(self, moment: float) -> None:
        while self.due:
            at, happen = min(self.due, key=lambda each: each[0])
            if at > moment:
                break
            self.due.remove((at, happen))
            self.now = max(self.now, at)
            happen()
        self.now = moment

    def clock(self) -> Clock:
        return Clock(lambda: self.now + self.set_by, lambda: self.now, self.sleep, lambda: 0.0, lambda: self.boot)


class Fault(NamedTuple):
    """The fault of one request: whether and when it is applied, and the response.

    ``status`` 0 is a dropped connection. ``delay`` is in seconds. ``cut`` leaves half of the answer. ``copy`` is when
    the platform receives the request once more, ``by_proxy`` leaves the platform's own body out.
    """

    carried_out: bool = True
    status: int = 0
    delay: float = 0.0
    headers: tuple[tuple[str, str], ...] = ()
    cut: bool = False
    copy: float = 0.0
    message: str = "no"
    by_proxy: bool = False


LOST_BEFORE, LOST_AFTER = Fault(carried_out=False), Fault()


class Network:
    """The emulator's WSGI application, behind the faults in ``posts`` (None: none), one a POST; ``gets`` for GETs.

    ``before_post`` and ``after_post`` are called with the number of the POST, so that others can write in between.
    """

    def __init__(self, emulator: Emulator, time: Time) -> None:
        self.emulator = emulator
        self.time = time
        self.posts: list[Fault | None] = []
        self.gets: list[Fault | None] = []
        self.before_post: Callable[[int], None] = lambda number: None
        self.after_post: Callable[[int], None] = lambda number: None
        self.on_get: Callable[[], None] = lambda: None
        self.posted: list[bytes] = []
        self.committed: list[bytes] = []
        self.statuses: list[int] = []
        self.stale: list[bytes] = []  # what the next GETs show instead

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        if environ["REQUEST_METHOD"] == "GET":
            self.on_get()
            if self.stale:
                start_response("200 OK", [("Content-Type", "application/json")])
                return [self.stale.pop()]
            fault = self.gets.pop(0) if self.gets else None
            return self._answer(environ, start_response) if fault is None else self._failed(fault, start_response)
        body = environ["wsgi.input"].read()
        number = len(self.posted)
        self.posted.append(body)
        self.before_post(number)
        fault = self.posts.pop(0) if self.posts else None
        if fault is None:
            answer = self._carried_out(environ, body, start_response)
            self.after_post(number)
            return answer
        if fault.carried_out and fault.delay:
            self.time.due.append((self.time.now + fault.delay, lambda: self._quietly(environ, body)))
        elif fault.carried_out:
            content = self._quietly(environ, body)
            if fault.cut:
                start_response("200 OK", [("Content-Type", "application/json")])
                return [content[: len(content) // 2]]
        if fault.copy:
            self.time.due.append((self.time.now + fault.copy, lambda: self._quietly(environ, body)))
        self.after_post(number)
        return self._failed(fault, start_response)

    def _failed(self, fault: Fault, start_response: Any) -> Iterable[bytes]:
        if not fault.status:
            raise requests.ConnectionError("reset")
        start_response(f"{fault.status} Fault", [("Content-Type", "application/json"), *fault.headers])
        if fault.by_proxy:
            return [b"<html>Too many requests</html>"]
        return [json.dumps({"status": fault.status, "error": True, "message": fault.message}).encode()]

    def _quietly(self, environ: dict[str, Any], body: bytes) -> bytes:
        return b"".join(self._carried_out(environ, body, lambda *_: None))

    def _carried_out(self, environ: dict[str, Any], body: bytes, start_response: Any) -> Iterable[bytes]:
        import io

        seen: list[str] = []

        def starting(status: str, headers: Any, info: Any = None) -> Any:
            seen.append(status)
            return start_response(status, headers)

        answer = [b"".join(self.emulator({**environ, "wsgi.input": io.BytesIO(body)}, starting))]
        self.statuses.append(int(seen[0][:3]))
        if self.statuses[-1] == 200:
            self.committed.append(body)
        return answer

    def _answer(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        return self.emulator(environ, start_response)


class Killed(BaseException):
    """A simulated SIGKILL that nothing catches."""


class World:
    """A project with one file on an emulator, and a log of events."""

    def __init__(self, folder: Path, content: bytes | None = None) -> None:
        self.folder = folder
        with pytest.MonkeyPatch.context() as patch:  # each token is a pattern, which hides it in messages, to compile
            patch.setattr("secrets.token_hex", lambda: "0" * 64)
            self.emulator = Emulator(None)
        weakref.finalize(self, self.emulator.close)
        self.emulator.seed(KEY, content or design())
        self.time = Time()
        self.network = Network(self.emulator, self.time)
        (folder / "tokensync.toml").write_text(
            'base_url = "https://emulator.invalid"\n[[files]]\nname = "kit"\nkey = "' + KEY + '"\n', encoding="utf-8"
        )
        self.project = load_project(str(folder / "tokensync.toml"))
        self.client = self._client(self.network)
        self.direct = self._client(self.emulator)
        self.said: list[str] = []
        self.messages: list[str] = []

    def _client(self, application: Any) -> Client:
        credential = Credential("personal", self.emulator.default_token, "a test")
        return Client("https://emulator.invalid", credential, wsgi=application, clock=self.time.clock())

    def applier(self) -> Applier:
        return Applier(
            self.project, self.client, clock=self.time.clock(), say=self.said.append, tell=self.messages.append
        )

    def reading(self) -> Reading:
        """The platform's content, read without the network."""
        return Reading("kit", self.direct.variables.local(KEY))

    @property
    def state(self) -> FileState:
        return self.reading().state

    def post(self, **arrays: Any) -> dict[str, str]:
        """Send a request of somebody else and return the created ids."""
        answer = self.direct.variables.post(KEY, json.dumps(arrays).encode())
        made: dict[str, str] = json.loads(answer)["meta"]["tempIdToRealId"]
        return made

    def plan(self, after: FileState, **more: Any) -> Any:
        """The plan from the platform's content to another state."""
        now = self.reading()
        labels = labels_of(now.graph)
        planning = Planning("kit", KEY, now.fingerprint, labels, lambda ref, mode: ref, prune=True, **more)
        plan, problems = planning.plan(now.state, after)
        assert not problems
        return plan

    @property
    def journals(self) -> tuple[Journal, ...]:
        return self.applier().applies.of("kit")


def with_variables(state: FileState, *variables: VariableState) -> FileState:
    return FileState(state.collections, {**state.variables, **{each.ref: each for each in variables}})


def new_variable(name: str, collection: str = SIZES, **values: Any) -> VariableState:
    """A new variable, by default a number in Sizes, with a temporary ref."""
    held = values.pop("values", {"2:0": 8.0})
    members = {"type": "FLOAT", "scopes": ("GAP",), **values}
    return VariableState(ref=f"variable:{name}", collection=collection, name=name, values=held, **members)


def new_collection(name: str, ref: str = "", modes: tuple[str, ...] = ("Value",)) -> CollectionState:
    ref = ref or f"collection:{name}"
    own = tuple(ModeState(f"mode:{ref}/{each}", each) for each in modes)
    return CollectionState(ref=ref, name=name, root=ref, modes=own, default=own[0].ref)


def changed(state: FileState, ref: str, **members: Any) -> FileState:
    """The state with changed members of a variable; ``values`` are merged into its values."""
    was = state.variables[ref]
    values = {**was.values, **members.pop("values", {})}
    return with_variables(state, replace(was, values=values, **members))


def without(state: FileState, ref: str) -> FileState:
    return FileState(state.collections, {each: held for each, held in state.variables.items() if each != ref})


def with_collections(state: FileState, *collections: CollectionState) -> FileState:
    return FileState({**state.collections, **{each.ref: each for each in collections}}, state.variables)


def two_batches(state: FileState) -> FileState:
    """A desired state that needs two requests: an extension is created after its parent's modes."""
    palette = new_collection("Palette", modes=("Day", "Night"))
    modes = tuple(ModeState(f"mode:Club/{each.name}", each.name, each.ref) for each in palette.modes)
    club = CollectionState(
        ref="collection:Club",
        name="Club",
        root=palette.ref,
        parent=palette.ref,
        modes=modes,
        default=modes[0].ref,
    )
    ink = new_variable(
        "ink",
        palette.ref,
        type="COLOR",
        scopes=("ALL_SCOPES",),
        values={palette.modes[0].ref: RED, palette.modes[1].ref: RED, modes[0].ref: ObjectValue(0, 0, 0, 1)},
    )
    return with_variables(with_collections(state, palette, club), ink)


def shape(state: FileState) -> tuple[list[object], list[object]]:
    """The state by names, to compare states with different ids; duplicates are visible."""
    modes = {
        (owner.root, mode.ref): f"{owner.name}.{mode.name}"
        for owner in state.collections.values()
        for mode in owner.modes
    }

    def named(value: Any) -> object:
        if not isinstance(value, ObjectValue):
            return float(value) if type(value) is int else value
        if value.alias is not None:
            target = state.variables.get(value.alias)
            return f"-> {target.name if target else None}"
        return (value.r, value.g, value.b, value.a, *map(named, (value.color, value.opacity)))

    collections = [
        (
            each.name,
            each.hidden,
            state.collections[each.parent].name if each.parent else "",
            tuple(mode.name for mode in each.modes),
        )
        for each in state.collections.values()
    ]
    variables = [
        (
            state.collections[each.collection].name,
            each.name,
            each.type,
            each.description,
            each.scopes,
            sorted((modes[each.collection, mode], repr(named(value))) for mode, value in each.values.items()),
        )
        for each in state.variables.values()
    ]
    return sorted(collections, key=repr), sorted(variables, key=repr)
