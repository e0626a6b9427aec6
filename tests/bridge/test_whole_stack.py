"""Random faults between the commands of two projects and one file: nothing is lost, doubled or half applied.

Two users have the file open, each with a plugin, a bridge and a project of their own. ``TOKENSYNC_SCHEDULES`` is how
many schedules are run. The plugin does not use the editor's undo, and half of the models have none.
"""

import json
import os
import random
import re
import subprocess
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import prepared
import pytest
from bridge.conftest import KEY, Editor, bridge_in, quickstart_state

from tokensync.bridge.cli import _install

pytestmark = [pytest.mark.outside, pytest.mark.campaign]

SCHEDULES = int(os.environ.get("TOKENSYNC_SCHEDULES", "20"))
VALUE = "tokens/design/primitives/value.tokens.json"
COUNTS: Counter[str] = Counter()


def small_state():
    """Return the quickstart with two of its collections, one of which has modes."""
    state = quickstart_state()
    meta = state["meta"]
    kept = {id_: each for id_, each in meta["variableCollections"].items() if each["name"] in ("Primitives", "Density")}
    variables = {id_: each for id_, each in meta["variables"].items() if each["variableCollectionId"] in kept}
    return {**state, "meta": {"variables": variables, "variableCollections": kept}}


class Project:
    """A clone of the project, with a bridge and a plugin of its own."""

    def __init__(self, folder, bridge, randomly):
        self.folder = folder
        self.code = bridge.code
        self.randomly = randomly
        self.log = []
        (folder / "tokensync.toml").write_text(
            f'base_url = "bridge:"\n[[files]]\nname = "design"\nkey = "{KEY}"\n[client]\nsettling_time = 0\n',
            encoding="utf-8",
        )
        _install(str(folder / "plugin"), bridge.port)

    def run(self, *arguments):
        """Run a command; return its exit code and messages."""
        done = subprocess.run(
            [*prepared.command(), *arguments], check=False, cwd=self.folder, capture_output=True, encoding="utf-8"
        )
        assert "Traceback" not in done.stderr, done.stderr
        self.log.append(f"{' '.join(arguments)}: {done.returncode}\n{done.stderr}")
        return done.returncode, done.stderr

    def finish(self, message):
        """Do what a message says about a request that is half done in the file, this project's or the other one's."""
        COUNTS["half done"] += 1
        way = self.randomly.choice(["--complete", "--take-back"])
        code, said = self.run("bridge", way)
        if code and "complete the request instead" in said:
            self.run("bridge", "--complete")

    def carry_out(self):
        """Pull, plan and apply until nothing is left to do, as the messages say. Return whether that was reached."""
        for _ in range(30):
            code, said = self.run("pull")
            if code == 0:
                code, said = self.run("plan", "--prune", "--exit-code")
                if code == 0:
                    return True
            if code == 3:
                code, said = self.run("apply")
            for _ in range(30):
                if not code or "apply --resume" not in said or "half done" in said:
                    break
                code, said = self.run("apply", "--resume", *(["--rebase"] if "--resume --rebase" in said else []))
                if "no plugin is connected" in said:
                    time.sleep(0.2)
            self.answer(code, said)
        return False

    def answer(self, code, said):
        if "half done" in said:
            self.finish(said)
        elif "no plugin is connected" in said or "another request waits" in said:
            COUNTS["waited"] += 1
            time.sleep(0.2)
        elif code:
            COUNTS[re.sub(r"[0-9a-f]{6,}|[0-9]+", "N", said.strip().splitlines()[-1])[:90]] += 1


def values_in(document):
    """Return values and descriptions of the tokens in a token file by their paths, with colours as components."""
    if "$value" in document:
        value = document["$value"]
        return [value.get("components", value) if isinstance(value, dict) else value, document.get("$description")]
    return {name: values_in(part) for name, part in document.items() if not name.startswith("$")}


def edited(project, change):
    path = project.folder / VALUE
    document = json.loads(path.read_text(encoding="utf-8"))
    change(document["primitives"]["color"])
    path.write_text(json.dumps(document, indent=2), encoding="utf-8")


def color(components):
    return {"$type": "color", "$value": {"colorSpace": "srgb", "components": components}}


def changed_in_first(colors):
    colors["slate"]["50"]["$value"] = {"colorSpace": "srgb", "components": [0, 0.25, 0.5]}
    colors["moss"] = {"500": color([0.25, 0.5, 0])}
    colors["slate"]["110"] = colors["slate"].pop("100")


def changed_in_second(colors):
    colors["slate"]["200"]["$value"] = {"colorSpace": "srgb", "components": [0.5, 0.25, 0]}
    colors["fern"] = {"500": color([0.5, 0.5, 0])}
    colors["slate"].pop("900")


def people(editor, randomly, ended):
    """Open what was closed, and edit the file once in a while, until the commands have ended. Return the edits."""
    edits = {}
    left = randomly.randint(0, 2)
    while not ended.is_set():
        if not editor.do("see")["open"]:
            COUNTS["closed"] += 1
            editor.do("open")
        if left and randomly.random() < 0.1:
            left -= 1
            COUNTS["edited by a person"] += 1
            name = randomly.choice(["color/slate/300", "color/slate/700", "color/slate/50"])
            edits[name] = f"words {left}"
            editor.do("edit", edits=[{"does": "describe", "variable": name, "value": edits[name]}])
        time.sleep(0.05)
    return edits


def found(editor):
    """Return the values of the first mode and the descriptions of all variables by names."""
    meta = editor.saved()["meta"]
    variables = [each for each in meta["variables"].values() if not each.get("deletedButReferenced")]
    names = [each["name"] for each in variables]
    assert len(names) == len(set(names)), [name for name in names if names.count(name) > 1]
    return {each["name"]: (next(iter(each["valuesByMode"].values())), each["description"]) for each in variables}


def faults(randomly):
    """Return up to two faults of the editor, each at one of its calls that write."""
    return [
        {
            "nth": randomly.randint(1, 30),
            "does": randomly.choice(["close", "close", "throw"]),
            "after": randomly.random() < 0.5,
        }
        for _ in range(randomly.randint(0, 2))
    ]


@pytest.mark.parametrize("seed", range(SCHEDULES))
def test_whatever_happens_between_two_projects_each_plan_is_applied_once_and_as_a_whole(node, tmp_path, seed):
    randomly = random.Random(seed)
    folders = [tmp_path / name for name in ("first", "second")]
    for folder in folders:
        folder.mkdir()
    (tmp_path / "figma.json").write_text(json.dumps(small_state()), encoding="utf-8")
    with bridge_in(folders[0]) as one, bridge_in(folders[1]) as two:
        first, second = (Project(folder, bridge, randomly) for folder, bridge in zip(folders, (one, two), strict=True))
        other = {"plugin": str(second.folder / "plugin"), "code": second.code, "person": "apply"}
        editor = Editor(
            node,
            tmp_path,
            plugin=str(first.folder / "plugin"),
            code=first.code,
            other=other,
            options={"undo": seed % 2 == 0},
        )
        try:
            while one._session is None or two._session is None:
                time.sleep(0.01)
            before = found(editor)
            for project in (first, second):
                assert project.run("pull")[0] == 0, project.log
            edited(first, changed_in_first)
            edited(second, changed_in_second)
            editor.do("open", faults=faults(randomly))
            ended = threading.Event()
            with ThreadPoolExecutor() as threads:
                watching = threads.submit(people, editor, randomly, ended)
                done = [threads.submit(project.carry_out) for project in (first, second)]
                try:
                    assert [each.result() for each in done] == [True, True], "\n".join(first.log + second.log)
                finally:
                    ended.set()
                edits = watching.result()
            for project in (first, second):
                assert project.carry_out(), project.log
            refused_or_left = any("left as somebody" in line for line in first.log + second.log)
            check(before, found(editor), edits, refused_or_left=refused_or_left)
            tokens = [values_in(json.loads((project.folder / VALUE).read_bytes())) for project in (first, second)]
            assert tokens[0] == tokens[1]
        finally:
            editor.close()


def check(before, now, edits, *, refused_or_left):
    """Assert that the file has both plans and all edits of people, and nothing else."""
    expected = dict(before)
    expected["color/slate/110"] = expected.pop("color/slate/100")
    del expected["color/slate/900"]
    for name, rgb in (
        ("slate/50", (0, 0.25, 0.5)),
        ("moss/500", (0.25, 0.5, 0)),
        ("slate/200", (0.5, 0.25, 0)),
        ("fern/500", (0.5, 0.5, 0)),
    ):
        value = {**dict(zip("rgb", rgb, strict=True)), "a": 1}
        expected[f"color/{name}"] = (value, before.get(f"color/{name}", ("", ""))[1])
    for name, description in edits.items():
        expected[f"color/{name.removeprefix('color/')}"] = (expected[name][0], description)
    assert now == expected, refused_or_left
