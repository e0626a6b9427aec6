"""Projects in the states that commands find them in, each made once, copied for a run, and run in this process."""

from __future__ import annotations

import contextlib
import io
import json
import logging
import os
import re
import shutil
import signal
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest
from commands.projects import output, project_in, response, tokensync
from corpus.building import ROOT, Done, run_here

from tokensync.apply.journal import Journal
from tokensync.apply.locking import this_process
from tokensync.dtcg import cache
from tokensync.extract.client.addresses import resolve
from tokensync.extract.client.credentials import CredentialStore, Login

SETTINGS = ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "APPDATA", "LOCALAPPDATA")
LONGEST = 30.0
"""Seconds after which a command hangs."""
BEFORE = {"slate": ("#112233", "#445566"), "gap": ("x", "y"), "text/muted": ("{slate}", "{slate}")}
AFTER = {**BEFORE, "slate": ("#992233", "#445566"), "gap": ("z", "y")}
OUTPUTS = output("css", "out/css") + output("ios", "out/ios")
CLIENT = "[client]\nsettling_time = 0\nattempts = 1\n"
MOVED = '[[moved]]\nkind = "token"\ncollection = "theme"\nfrom = "old"\nto = "slate"\n[themes.night]\ntheme = "Dark"\n'
LINKS = '[[links]]\nnode = "0:1"\nurl = "https://git.example/{path}"\nname = "CSS"\npath = "out/css/tokens.css"\n'
ELSEWHERE = "http://127.0.0.1:9"
"""A server that refuses connections."""


class Killed(BaseException):
    """The end of a command that is killed, as far as files show it."""


class Hangs(BaseException):
    """A command does not end."""


class Scene(NamedTuple):
    """How to make a project, and whether its graphs are cached."""

    make: Callable[[], sqlite3.Connection | None]
    has_cache: bool = False


def settled() -> None:
    """Apply one plan, edit a token, plan that, and leave outputs, a report and a plan for another file name."""
    _pulled(MOVED)
    Path("links.toml").write_text(LINKS, encoding="utf-8")
    _edit("#112233", "#abcdef")
    tokensync("plan", "-q")
    tokensync("apply", "-q")
    _edit("#abcdef", "#101010")
    tokensync("build", "-q")
    tokensync("report", "-q")
    tokensync("plan", "-q")
    shutil.copy(".tokensync/plan.json", "edit.json")
    tokensync("pull", "-q", "--dry-run", "--snapshot-out", "saved")
    tokensync("pull", "-q", "--snapshot-out", "saved")


def interrupted() -> sqlite3.Connection:
    """Kill an apply after its second record. The connection keeps SQLite's log, as a killed process does."""
    _pulled()
    connection = sqlite3.connect(".tokensync/emulator.sqlite")
    connection.execute("SELECT count(*) FROM files").fetchone()
    _edit("#112233", "#abcdef")
    tokensync("plan", "-q")
    record = Journal.record

    def dying(journal: Journal, each: object) -> None:
        record(journal, each)  # type: ignore[arg-type]
        if len(journal.records) == 2:
            raise Killed

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Journal, "record", dying)
        with pytest.raises(Killed):
            run_here("apply", "-q")
    ended = msgspec.structs.replace(this_process(1.0), started="1")
    Path(".tokensync/apply-one.lock.owner").write_bytes(msgspec.json.encode(ended))
    return connection


def conflicting() -> None:
    """Change a value on both sides, and choose a side of the conflict."""
    _pulled()
    _edit("#112233", "#abcdef")
    _seed(AFTER)
    tokensync("pull", "-q", code=4)
    with Path("tokensync.conflicts.toml").open("a", encoding="utf-8") as file:
        file.write('take = "ours"\n')


def cached() -> None:
    """Pull with a cache of graphs, and edit the platform."""
    _pulled()
    tokensync("status", "-q")
    tokensync("build", "-q")  # the first one saves no file times if it wrote the outputs in the clock's last tick


def logged_in() -> None:
    """Store a login for a server."""
    project_in(Path())
    text = Path("tokensync.toml").read_text("utf-8").replace('"emulator:"', f'"{ELSEWHERE}"')
    Path("tokensync.toml").write_text(CLIENT.replace("[client]", text + "[client]"), encoding="utf-8")
    login = Login("oauth", "figu_a", 9e9, "refresh", "id", "secret", ("file_variables:read",), "7", "Ada")
    CredentialStore(os.environ).save(resolve(ELSEWHERE).label, login)


def in_pyproject() -> None:
    """Configure tokensync in pyproject.toml, with outputs of custom templates."""
    Path("mine/css").mkdir(parents=True)
    shutil.copy(ROOT / "templates/css/tokens.css.j2", "mine/css")
    _pulled(outputs=output("css", "out/css", 'templates = "mine"'))
    tables = Path("tokensync.toml").read_text("utf-8")
    tables = re.sub(r"^(\[\[?)(\w)", r"\1tool.tokensync.\2", tables, flags=re.MULTILINE)
    Path("pyproject.toml").write_text(f'[project]\nname = "shop"\n\n[tool.tokensync]\n{tables}', encoding="utf-8")
    Path("tokensync.toml").unlink()


def tracked() -> None:
    """Put the token files under version control."""
    _pulled()
    for arguments in (("init", "-q"), ("add", "tokens", "tokensync.toml")):
        subprocess.run(("git", *arguments), check=True, capture_output=True)


SCENES = {
    "settled": Scene(settled),
    "interrupted": Scene(interrupted),
    "conflicting": Scene(conflicting),
    "cached": Scene(cached, has_cache=True),
    "logged in": Scene(logged_in),
    "in pyproject": Scene(in_pyproject),
    "tracked": Scene(tracked),
}


def _pulled(more: str = "", outputs: str = OUTPUTS) -> None:
    """Pull and build a project with one collection, which a token of another file refers to."""
    project_in(Path(), outputs=outputs, more=more + CLIENT)
    _seed(BEFORE)
    tokensync("pull", "-q")
    tokensync("build", "-q")


def _seed(variables: dict[str, tuple[str, ...]]) -> None:
    """Put these variables on the platform, and one of a library that text/muted refers to in dark."""
    document = json.loads(response(variables))
    meta = document["meta"]
    (collection,) = meta["variableCollections"].values()
    muted = next(each for each in meta["variables"].values() if each["name"] == "text/muted")
    id_, library = f"VariableID:{'d' * 40}/1:1", f"VariableCollectionId:{'e' * 40}/1:1"
    mode = next(iter(muted["valuesByMode"]))
    meta["variables"][id_] = {
        **muted,
        "id": id_,
        "key": "d" * 40,
        "name": "ink",
        "remote": True,
        "variableCollectionId": library,
        "valuesByMode": {mode: {"r": 0, "g": 0, "b": 0, "a": 1}},
    }
    meta["variableCollections"][library] = {
        **collection,
        "id": library,
        "key": "e" * 40,
        "name": "Core",
        "remote": True,
        "variableIds": [id_],
        "modes": collection["modes"][:1],
    }
    muted["valuesByMode"][collection["modes"][1]["modeId"]] = {"type": "VARIABLE_ALIAS", "id": id_}
    Path("one.local.json").write_text(json.dumps(document), encoding="utf-8")
    tokensync("-q", "emulator", "seed", "one.local.json", "--key", "key-one", "-c", "tokensync.toml")
    Path("one.local.json").unlink()


def _edit(old: str, new: str) -> None:
    path = Path("tokens/one/theme/light.tokens.json")
    text = path.read_text("utf-8")
    components = ", ".join(f"{int(new[at : at + 2], 16) / 255:.6g}" for at in (1, 3, 5))
    changed = re.sub(rf'"components": \[[^\]]*\](?=[^}}]*"hex": "{old}")', f'"components": [{components}]', text)
    assert changed != text
    path.write_text(changed.replace(f'"hex": "{old}"', f'"hex": "{new}"', 1), encoding="utf-8")


class Stage:
    """A folder for copies of scenes: ``project``, the working folder of commands, and ``home`` with their settings."""

    def __init__(self, folder: Path) -> None:
        self._masters = folder / "masters"
        self.root = folder / "stage"
        self.project = self.root / "project"

    def set(self, name: str) -> None:
        """Put a fresh copy of a scene on the stage."""
        master = self._masters / name
        if not master.exists():
            self._make(name, master)
        self._clear()
        shutil.copytree(master, self.root, symlinks=True)
        (self.root / "home").chmod(0o700)

    def _make(self, name: str, master: Path) -> None:
        self._clear()
        self.project.mkdir(parents=True)
        (self.root / "home").mkdir(mode=0o700)
        with self.entered(name):
            connection = SCENES[name].make()
            shutil.copytree(self.root, master, symlinks=True)
            if connection is not None:
                connection.close()

    def _clear(self) -> None:
        if self.root.exists():
            shutil.rmtree(self.root)

    @contextlib.contextmanager
    def entered(self, name: str) -> Iterator[None]:
        """Work in the project, with its home."""
        with pytest.MonkeyPatch.context() as patch:
            for variable in os.environ:
                if variable.startswith(("TOKENSYNC_", "FIGMA_")) or variable in ("CI", "GITHUB_ACTIONS"):
                    patch.delenv(variable)
            for variable in SETTINGS:
                patch.setenv(variable, str(self.root / "home"))
            if SCENES[name].has_cache:
                patch.setattr(cache, "LEAST", 0)
            else:
                patch.setenv("TOKENSYNC_CACHE", "off")
            patch.chdir(self.project)
            yield

    def run(self, name: str, verb: str) -> Done:
        """Run a command line in the copy of a scene. Raises Hangs for one that does not end."""
        with self.entered(name), _time_limit(), _logged() as log:
            done = run_here("-v", *self.arguments(verb))
        return done._replace(stderr=done.stderr + log.getvalue())

    def arguments(self, verb: str) -> list[str]:
        """Return a verb's arguments; APPLY stands for the folder of the first apply."""
        found = sorted((self.project / ".tokensync/applies").glob("*"))
        apply = str(found[0].relative_to(self.project)) if found else ""
        return [apply if each == "APPLY" else each for each in verb.split()]

    def files(self) -> dict[str, bytes | str]:
        """Return the contents of all files, without the emulator's state; of special files, the kind."""
        return {
            path.relative_to(self.root).as_posix(): _content(path)
            for path in sorted(self.root.rglob("*"))
            if (not path.is_dir() or path.is_symlink()) and ".sqlite" not in path.name
        }

    def platform(self) -> list[object]:
        """Return the platform's variables and collections; nothing if its state is damaged."""
        path = self.project / ".tokensync" / "emulator.sqlite"
        if not path.is_file():
            return []
        with (
            contextlib.closing(sqlite3.connect(path)) as connection,
            contextlib.suppress(sqlite3.Error, UnicodeDecodeError),
        ):
            return [
                row
                for table in ("collections", "variables", "dev_resources")
                for row in connection.execute(f"SELECT * FROM {table} ORDER BY 1")
            ]
        return []


def _content(path: Path) -> bytes | str:
    if path.is_symlink():
        return f"link to {os.readlink(path)}"
    if not path.is_file():
        return "no file"
    if path.stat().st_size > 1 << 24:
        return f"{path.stat().st_size} bytes"
    try:
        return path.read_bytes()
    except PermissionError:
        return "unreadable"


@contextlib.contextmanager
def _logged() -> Iterator[io.StringIO]:
    """Yield what the emulator logs, which goes to stderr where no test catches it."""
    handler = logging.StreamHandler(io.StringIO())
    handler.setLevel(logging.WARNING)
    logging.getLogger().addHandler(handler)
    try:
        yield handler.stream
    finally:
        logging.getLogger().removeHandler(handler)


@contextlib.contextmanager
def _time_limit() -> Iterator[None]:
    def stop(*_: object) -> None:
        raise Hangs

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, LONGEST)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
