"""Projects that work with a bridge, and a model of Figma's editor with the real plugin in it."""

import json
import shutil
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest
from checkers import missing
from commands.projects import DESIGN

from tokensync.bridge import Door
from tokensync.bridge.cli import _install
from tokensync.bridge.server import Bridge, listening

MODEL = Path(__file__).parent / "model"
KEY = "aBcDeFgH1234567890abcd"


class Editor:
    """Figma's editor in Node: the model of a file, and the plugin."""

    def __init__(self, node, folder, **settings):
        self.state = folder / "figma.json"
        settings = {"plugin": str(folder / "plugin"), "state": str(self.state), "person": "apply", **settings}
        (folder / "editor.json").write_text(json.dumps(settings), encoding="utf-8")
        command = [node, str(MODEL / "editor.mjs"), str(folder / "editor.json")]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
        self._lock = threading.Lock()
        assert json.loads(self._process.stdout.readline()) == {"ready": True}

    def do(self, what, **more):
        """Let something happen, and return what comes of it."""
        with self._lock:
            self._process.stdin.write(json.dumps({"do": what, **more}) + "\n")
            self._process.stdin.flush()
            answer = json.loads(self._process.stdout.readline())
        assert "failed" not in answer, answer
        return answer["done"]

    def saved(self):
        """Return the state of the file: {"meta": ..., "data": ...}."""
        self.do("save")
        return json.loads(self.state.read_text(encoding="utf-8"))

    def value(self, name, mode=None):
        """Return a variable's value in a mode, by default the first one."""
        meta = self.saved()["meta"]
        variable = next(variable for variable in meta["variables"].values() if variable["name"] == name)
        modes = meta["variableCollections"][variable["variableCollectionId"]]["modes"]
        return variable["valuesByMode"][next(each["modeId"] for each in modes if mode in (None, each["name"]))]

    def close(self):
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()


@pytest.fixture(scope="session")
def node():
    """Node's path."""
    found = shutil.which("node")
    return found or missing("Node", "install Node 20 or newer")


@contextmanager
def bridge_in(folder, report=lambda text: None):
    """Yield a running bridge of the project in a folder."""
    bridge = Bridge(folder.name, report)
    with listening(bridge, 0) as port:
        (folder / ".tokensync").mkdir(exist_ok=True)
        (folder / ".tokensync" / ".gitignore").write_text("*\n", encoding="utf-8")
        door = folder / ".tokensync" / "bridge.json"
        door.write_bytes(msgspec.json.encode(Door(port, bridge.secret)))
        bridge.port = port
        yield bridge
        door.unlink()


def quickstart_state():
    """Return the state of the model for the quickstart's design file."""
    return {"key": KEY, "name": "Harbor", "meta": json.loads(DESIGN[0].read_bytes())["meta"]}


def plugin_style(style):
    """Return a style of the REST API as a plugin sees it."""
    shared = {"id": f"S:{style['key']},", **{name: style[name] for name in ("key", "name", "description")}}
    value = style["value"]
    if style["type"] == "EFFECT":
        return {**shared, "type": "EFFECT", "effects": value}
    own = {"textCase": "ORIGINAL", "textDecoration": "NONE", "paragraphSpacing": 0, "paragraphIndent": 0}
    assert value["lineHeightUnit"] == "PIXELS"
    return {
        **shared,
        **own,
        "type": "TEXT",
        "fontSize": value["fontSize"],
        "fontName": {"family": value["fontFamily"], "style": value["fontStyle"]},
        "letterSpacing": {"unit": "PIXELS", "value": value["letterSpacing"]},
        "lineHeight": {"unit": "PIXELS", "value": value["lineHeightPx"]},
        "boundVariables": {name: aliases[0] for name, aliases in style["boundVariables"].items()},
    }


PLAIN = {
    "id": "S:plain,",
    "key": "e" * 40,
    "name": "plain/note",
    "description": "A note",
    "type": "TEXT",
    "fontSize": 12,
    "fontName": {"family": "Inter", "style": "Medium"},
    "letterSpacing": {"unit": "PERCENT", "value": 0},
    "lineHeight": {"unit": "AUTO"},
    "textCase": "UPPER",
    "textDecoration": "NONE",
    "paragraphSpacing": 0,
    "paragraphIndent": 4,
    "boundVariables": {},
}
HIDDEN = {"type": "LAYER_BLUR", "blurType": "NORMAL", "radius": 3, "visible": False}


def styled_state():
    """Return the quickstart's design file with its styles, a plain one, and a hidden effect."""
    saved = json.loads(DESIGN[2].read_bytes())
    styles = [plugin_style(style) for style in saved if style["type"] in ("TEXT", "EFFECT")]
    text = [style for style in styles if style["type"] == "TEXT"]
    effects = [style for style in styles if style["type"] == "EFFECT"]
    for style in effects:
        style["effects"] = [{"blendMode": "NORMAL", "visible": True, **effect} for effect in style["effects"]]
    effects[0]["effects"].insert(1, HIDDEN)
    return {**quickstart_state(), "text": [*text, PLAIN], "effects": effects}


@contextmanager
def applying(*options):
    """Run apply in another process during the block; then its exit code and messages are in ``code`` and ``stderr``."""
    with subprocess.Popen(
        [sys.executable, "-m", "tokensync", "apply", *options], stderr=subprocess.PIPE, encoding="utf-8"
    ) as process:
        outcome = SimpleNamespace(process=process)
        yield outcome
        outcome.stderr = process.communicate()[1]
        outcome.code = process.returncode


def by_names(meta):
    """Return the variables and collections of a response by names, without ids of objects, keys and order."""
    collections, variables = meta["variableCollections"], meta["variables"]
    names = {id_: variable["name"] for id_, variable in variables.items()}
    names |= {mode["modeId"]: mode["name"] for each in collections.values() for mode in each["modes"]}
    text = json.dumps(
        [
            {
                each["name"]: {
                    name: each.get(name)
                    for name in ("name", "modes", "hiddenFromPublishing", "variableOverrides", "remote")
                }
                | {"variables": sorted(names[id_] for id_ in each["variableIds"] if id_ in names)}
                for each in collections.values()
            },
            {
                f"{collections[each['variableCollectionId']]['name']}/{each['name']}": {
                    name: value for name, value in each.items() if name not in ("id", "key", "variableCollectionId")
                }
                for each in variables.values()
            },
        ],
        sort_keys=True,
    )
    for id_ in sorted(names, key=len, reverse=True):
        text = text.replace(f'"{id_}"', json.dumps(names[id_]))
    return json.loads(text)


@pytest.fixture
def opened(node, tmp_path, monkeypatch):
    """Yield a function that opens a state in the editor, with the plugin connected, in a project on its bridge.

    It returns the editor; settings are those of the model, ``more`` is text of the configuration.
    """
    monkeypatch.chdir(tmp_path)
    editors = []
    with bridge_in(tmp_path) as bridge:

        def open_(state, *, more="", **settings):
            (tmp_path / "tokensync.toml").write_text(
                f'base_url = "bridge:"\n[[files]]\nname = "design"\nkey = "{KEY}"\n'
                f'[client]\nsettling_time = 1\n[[outputs]]\nplatform = "css"\npath = "code"\n{more}',
                encoding="utf-8",
            )
            _install(str(tmp_path / "plugin"), bridge.port)
            (tmp_path / "figma.json").write_text(json.dumps(state), encoding="utf-8")
            editor = Editor(node, tmp_path, code=bridge.code, **settings)
            editors.append(editor)
            while bridge._session is None:
                time.sleep(0.01)
            return editor

        yield open_
        for editor in editors:
            editor.close()
