"""The command lines of the kill campaign, and the projects that they are run in.

A command without a line here is run with its arguments of ``cli.every_command``.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import NamedTuple

from cli.every_command import ARGUMENTS, commands
from commands import scenes, test_fixing
from commands.projects import QUICKSTART, tokensync
from commands.scenes import BEFORE, SCENES, Scene

LIGHT, DARK = (f"tokens/one/theme/{mode}.tokens.json" for mode in ("light", "dark"))


class Row(NamedTuple):
    """A command line in a scene.

    ``stdin`` is what it reads. ``waits`` is true if it ends by Ctrl-C, ``again`` if a second run does the same once
    more, as for what it creates in the emulator. ``like_others`` is true if its calls are those of other rows: the demo
    runs commands, and the commands without a line only open the emulator's state.
    """

    arguments: str
    scene: str = "behind"
    stdin: str = ""
    waits: bool = False
    again: bool = False
    like_others: bool = False

    @property
    def name(self) -> str:
        """Return the command's words."""
        words = self.arguments.split()
        names = [" ".join(words[:count]) for count in (3, 2, 1)]
        return next(name for name in names if name in _NAMES)


_NAMES = {name for name, _ in commands()}
_EMULATOR = (
    *("apps create Harbor", "files create Harbor", "files user ann", "files team Design", "files version key-one"),
    *("files comment key-one words", "files branch key-one draft", "files group writers", "library sample key-one"),
    *("publish key-one", "records text words", "tokens create", "events raise FILE_UPDATE --file key-one"),
    *("events advance 60", "seed saved/one.local.json --key key-two"),
)
_OTHERS = """
pull
pull --snapshot-out again
build
build --snapshot saved/one.local.json -o new
plan
plan -o other.json --script plan.js --format markdown --review review.md
format
check --accept later
check --json -o found.json
report
report --viewer
diff lock tokens -o differences.txt
usage --json -o usage.json
tokens rename slate ink
tokens rename-mode Theme/Dark Night
migrate source.json --to one
migrate code src --renames renames.toml --write --force
merge-file base.json ours.json theirs.json tokens/one/theme/light.tokens.json
install-hook
bridge --install plugin
dev-resources link links.toml
"""
ROWS = (
    *(Row(line) for line in _OTHERS.strip().splitlines()),
    *(Row("status", "cached"), Row("build", "cached"), Row("build", "in pyproject"), Row("pull", "conflicting")),
    *(
        Row("lint --fix", "flawed"),
        Row("build", "flawed"),
        Row("apply", "growing"),
        Row("apply --resume", "interrupted"),
    ),
    *(Row("rollback APPLY", "settled"), Row("rollback APPLY -o back.json", "interrupted")),
    *(Row("init --yes", "nothing"), Row("init --yes --platform css --hook --workflows github", "nothing")),
    *(Row("demo played", "nothing", again=True, like_others=True), Row("auth logout", "logged in")),
    Row("auth login --token --offline", "logged in", "figd_other\n"),
    Row(
        "webhooks create --file one --event file_update --endpoint http://127.0.0.1:9/ --passcode-env HOOK", again=True
    ),
    *(Row("bridge --port 19427", waits=True), Row("emulator serve --port 0 --state .tokensync/new.sqlite", waits=True)),
    *(Row(f"emulator {line}", again=True) for line in _EMULATOR),
)
_LINED = {row.name for row in ROWS}
ALL = (
    *ROWS,
    *(
        Row(f"{name} {ARGUMENTS.get(name, '')}".strip(), again=True, like_others=True)
        for name in sorted(_NAMES - _LINED)
    ),
)


def behind() -> None:
    """Edit both sides after an apply, and add what other commands read."""
    scenes.settled()
    scenes._seed(  # noqa: SLF001
        {**BEFORE, "slate": ("#abcdef", "#445566"), "gap": ("z", "y")}
    )
    scenes._edit("#101010", "#202020")  # noqa: SLF001
    Path(DARK).write_text(json.dumps(json.loads(Path(DARK).read_bytes())), encoding="utf-8")
    document = json.loads(Path(LIGHT).read_bytes())
    for name, value in (("base", "#000000"), ("ours", "#111111"), ("theirs", "#000000")):
        Path(f"{name}.json").write_text(json.dumps(document, indent=2).replace("#202020", value), encoding="utf-8")
    Path("src").mkdir()
    for number in range(2):
        Path(f"src/{number}.css").write_text("a { color: var(--slat); background: var(--slate) }\n", encoding="utf-8")
    Path("renames.toml").write_text('[css]\n"--slate" = "--ink"\n', encoding="utf-8")
    color = {"$type": "color", "$value": {"colorSpace": "srgb", "components": [1, 0, 0]}}
    Path("source.json").write_text(json.dumps({"brand": {"red": color}}), encoding="utf-8")


def growing() -> None:
    """Plan a new variable, and a new value of one."""
    scenes.settled()
    for path in (LIGHT, DARK):
        document = json.loads(Path(path).read_bytes())
        group = document[next(name for name in document if not name.startswith("$"))]
        group["extra"] = {"$type": "color", "$value": {"colorSpace": "srgb", "components": [1, 0, 0]}}
        Path(path).write_text(json.dumps(document, indent=2), encoding="utf-8")
    tokensync("plan", "-q")


def flawed() -> None:
    """Copy the quickstart, with a literal that a primitive has, and with a scope that does not fit."""
    shutil.copytree(QUICKSTART, Path(), ignore=shutil.ignore_patterns(".tokensync"), dirs_exist_ok=True)
    with Path("tokensync.toml").open("a", encoding="utf-8") as file:
        file.write(test_fixing.SETTINGS)
    Path("src").mkdir()
    for number in range(2):
        Path(f"src/{number}.css").write_text("a { font-size: 40px }\n", encoding="utf-8")
    test_fixing.edit(test_fixing.DARK, test_fixing.LITERAL, test_fixing.OF_PRIMITIVE)
    test_fixing.edit(test_fixing.LIGHT, '["FRAME_FILL", "SHAPE_FILL"]', '["FRAME_FILL", "GAP", "SHAPE_FILL"]')


def nothing() -> None:
    """Make a folder with what a project has before tokensync."""
    Path("package.json").write_text('{"name": "shop"}\n', encoding="utf-8")


SCENES |= {"behind": Scene(behind), "growing": Scene(growing), "flawed": Scene(flawed), "nothing": Scene(nothing)}
