"""Projects to run commands in, and their state on the platform."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Hashable
from pathlib import Path

from corpus.building import OWN_ERROR, ROOT, Done, run_here

QUICKSTART = ROOT / "examples" / "quickstart"
DESIGN = tuple(QUICKSTART / f"design.{part}.json" for part in ("local", "published", "styles"))


def tokensync(*arguments: object, code: int = 0) -> Done:
    """Run a command in this process; assert the exit code and that there is no internal error."""
    done = run_here(*arguments)
    assert OWN_ERROR not in done.stderr, done.stderr
    assert "Traceback" not in done.stderr
    assert done.code == code, f"tokensync {' '.join(map(str, arguments))}\n{done.output}{done.stderr}"
    return done


_COPIES: dict[Hashable, list[tuple[str, bytes | None, int]]] = {}
"""The paths, contents and modes of files, which a folder has none of."""


def copied(folder: Path, key: Hashable, prepare: Callable[[], object]) -> None:
    """Fill a folder as ``prepare`` fills it, which is called for the first folder with a key; the others get copies."""
    if (files := _COPIES.get(key)) is None:
        prepare()
        _COPIES[key] = [
            (os.path.relpath(path, folder), None if path.is_dir() else path.read_bytes(), path.stat().st_mode & 0o777)
            for path in sorted(folder.rglob("*"))
        ]
        return
    folder.mkdir(exist_ok=True)
    for name, content, mode in files:
        path = os.path.join(folder, name)
        if content is None:
            os.mkdir(path, mode)
        else:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
            with os.fdopen(descriptor, "wb", 0) as file:
                file.write(content)


def quickstart_in(folder: Path) -> Path:
    """Copy the quickstart as committed: tokens pulled, outputs built."""
    shutil.copytree(QUICKSTART, folder, ignore=shutil.ignore_patterns(".tokensync"))
    return folder


def response(variables: dict[str, tuple[str, ...]], modes: tuple[str, ...] = ("Light", "Dark")) -> bytes:
    """A response of variables/local with one collection, Theme.

    ``variables`` maps names to a value a mode: ``#rrggbb``, ``{name}`` for an alias, or a text.
    """
    ids = {name: f"VariableID:1:{number}" for number, name in enumerate(variables, 10)}
    mode_ids = [f"1:{number}" for number in range(len(modes))]

    def value(text: str) -> object:
        if text.startswith("{"):
            return {"type": "VARIABLE_ALIAS", "id": ids[text[1:-1]]}
        if not text.startswith("#"):
            return text
        channels = (int(text[at : at + 2], 16) / 255 for at in (1, 3, 5))
        return {**dict(zip("rgb", channels, strict=True)), "a": 1}

    collection = {
        "id": "VariableCollectionId:1:1",
        "name": "Theme",
        "key": "c" * 40,
        "modes": [{"modeId": each, "name": name} for each, name in zip(mode_ids, modes, strict=True)],
        "defaultModeId": mode_ids[0],
        "remote": False,
        "hiddenFromPublishing": False,
        "variableIds": list(ids.values()),
    }
    made = {
        ids[name]: {
            "id": ids[name],
            "name": name,
            "key": f"{number:040x}",
            "variableCollectionId": collection["id"],
            "resolvedType": "COLOR" if values[0][:1] in ("#", "{") else "STRING",
            "valuesByMode": dict(zip(mode_ids, map(value, values), strict=True)),
            "remote": False,
            "description": "",
            "hiddenFromPublishing": False,
            "scopes": ["ALL_SCOPES"],
            "codeSyntax": {},
        }
        for number, (name, values) in enumerate(variables.items(), 1)
    }
    meta = {"variables": made, "variableCollections": {collection["id"]: collection}}
    return json.dumps({"status": 200, "error": False, "meta": meta}).encode()


QUICK_TO_SETTLE = "[client]\nsettling_time = 1\n"
"""For ``more``: no test has a proxy that keeps a request back, so waiting 90 s for it would prove nothing."""

COLORS = {"slate": ("#112233", "#445566"), "text/muted": ("{slate}", "{slate}")}


def project_in(folder: Path, *, outputs: str = "", files: tuple[str, ...] = ("one",), more: str = "") -> Path:
    """Create a project on the embedded emulator with the file keys ``key-one`` and so on, without a pull."""
    folder.mkdir(exist_ok=True)
    tables = "".join(f'[[files]]\nname = "{name}"\nkey = "key-{name}"\n' for name in files)
    (folder / "tokensync.toml").write_text(f'base_url = "emulator:"\n{more}\n{tables}{outputs}', encoding="utf-8")
    return folder


def output(platform: str, path: str, *more: str) -> str:
    """Return an ``[[outputs]]`` table."""
    return "\n".join(("[[outputs]]", f'platform = "{platform}"', f'path = "{path}"', *more)) + "\n"


def on_the_platform(variables: dict[str, tuple[str, ...]], file: str = "one", **options: tuple[str, ...]) -> None:
    """Seed the embedded emulator of the working folder with these variables."""
    body = response(variables, **options)

    def seed() -> None:
        path = Path(f"{file}.local.json")
        path.write_bytes(body)
        tokensync("-q", "emulator", "seed", path, "--key", f"key-{file}", "-c", "tokensync.toml")
        path.unlink()

    state = Path(".tokensync")
    if os.path.lexists(state):
        seed()
    else:
        copied(state, (file, body), seed)


def pulled_in(folder: Path, variables: dict[str, tuple[str, ...]] = COLORS, **settings: object) -> Path:
    """Create a project whose token files are those of these variables, and make it the working folder."""

    def pull() -> None:
        project_in(folder, **settings)
        on_the_platform(variables)
        tokensync("-q", "pull")

    folder.mkdir(exist_ok=True)
    os.chdir(folder)
    if any(folder.iterdir()):
        pull()
    else:
        copied(folder, (repr(variables), repr(settings)), pull)
    return folder


def work_tree_at(folder: Path) -> None:
    """Create the minimum of a git repository that defines a work tree."""
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")


def files_in(folder: Path, *, without: tuple[str, ...] = (".tokensync", ".git")) -> dict[str, bytes]:
    """Return the contents of committed files by path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.relative_to(folder).parts[0] not in without
    }
