"""A project and emulator in which every name, text and path is a command of a CI runner, and some of a terminal."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import quote

from commands.projects import output, tokensync
from design_file import alias, collection, color, published, response, variable

from tokensync.emulator.cli.states import open_emulator

MARKS = (
    "##[error]x",
    "##[DEBUG]x",
    "##[add-mask]color",
    "##[set-output name=changed]true",
    "##vso[task.setvariable variable=PATH]x",
    "##VSO[task.prependpath]x",
    "##teamcity[buildProblem description='x']",
    "##TeamCity[setParameter name='a' value='b']",
    "::error::x",
    "  ::Add-Mask::color",
    "\u2003::group::x",
    "x\n::warning file=a::y",
    "x\r\n##[error]y",
    "\u2028::error::y",
    "####[group]\x1b]0;x\x07\x1b[2J\x9b35m\u202e\u200b\xad\ufe0f\u3164\U000e0041x",
    "a|b `##[error]c` ::error::d",
)
"""Names that a designer, or the author of a pull request, may choose."""

TOKENS = "##[error]tokens"
FILE_NAMES = ("##[error]x", "##[add-mask]color", "##vso[task.prependpath]x", "::error::x", " ::add-mask::color")
"""Those that a file system takes, Windows aside."""

KEY = "key-one"
BAD_SETTINGS = "##[error]bad.toml"
SETTINGS = """
[themes."##[error]theme"]
"##[error]x" = "##[error]x"

[themes."::error::theme"]
"##[DEBUG]x" = "##[DEBUG]x"

[[moved]]
kind = "token"
collection = "##[error]x"
from = "##[error]was"
to = "##[error]is"

[[allow]]
finding = "delete mode"
subject = "##[add-mask]color"
"""


def capture(platform_text: str = "!") -> tuple[bytes, bytes]:
    """Return two saved responses whose names and texts are all markers."""
    owners, variables = [], []
    for number, mark in enumerate(MARKS):
        modes = (mark, MARKS[number - 1])
        owner = collection(f"VariableCollectionId:1:{number}", mark, modes)
        texts = {
            "description": mark,
            "codeSyntax": {"WEB": f"var(--{mark})", "ANDROID": mark, "iOS": mark},
        }
        first, second, third = (f"VariableID:{kind}:{number}" for kind in (2, 3, 4))
        owners.append(owner)
        variables += [
            variable(first, mark, owner, "STRING", (mark, f"{mark}{platform_text}"), **texts),
            variable(second, f"group/{mark}", owner, "COLOR", (color(0.1 * (number % 9)), alias(third)), **texts),
            variable(third, f"{mark}/leaf", owner, "COLOR", (color(0.5), alias(f"VariableID:9:{mark}"))),
        ]
    return response(owners, variables), published(variables[::2], owners[::2])


def foreign_tokens() -> dict[str, Any]:
    """Return tokens of Tokens Studio whose names, sets, themes, types and values are all markers."""
    names = [mark.replace(".", "") for mark in MARKS]
    sets: dict[str, Any] = {
        mark: {
            name: {
                "right": {"value": "#ffffff", "type": "color", "description": mark},
                "alias": {"value": f"{{{name}.right}}", "type": "color"},
                "wrong": {"value": f"{{{mark}}}", "type": mark},
                "text": {"value": mark, "type": "text"},
            }
            for name in names[:8]
        }
        for mark in MARKS[:2]
    }
    themes = [{"name": mark, "group": MARKS[0], "selectedTokenSets": {mark: "enabled"}} for mark in MARKS[:2]]
    return {**sets, "$themes": themes}


def make(folder: Path) -> Path:
    """Create the project: pulled, built, committed, and then edited on both sides."""
    folder.mkdir()
    local, shared = capture()
    (folder / "local.json").write_bytes(local)
    (folder / "published.json").write_bytes(shared)
    outputs = "".join(output(kind, f"out/##[error]{kind}") for kind in ("css", "android", "ios", "scss"))
    settings = f'base_url = "emulator:"\ntokens = "##[error]tokens"\n[[files]]\nname = "one"\nkey = "{KEY}"\n'
    (folder / "tokensync.toml").write_text(settings + SETTINGS + outputs, encoding="utf-8")
    for name in FILE_NAMES:
        (folder / name).write_bytes(local[:2000])
    (folder / BAD_SETTINGS).write_text('nothing = "##[error]x"\n"::error::x" = 1\n', encoding="utf-8")
    links = [{"node": "0:1", "url": f"https://example.invalid/{quote(mark)}", "name": mark} for mark in MARKS[:10]]
    (folder / "source.json").write_text(json.dumps(foreign_tokens()), encoding="utf-8")
    (folder / "renames.toml").write_text('[css]\n"--##[error]x" = "--##[error]y"\n"::error::x" = 1\n', encoding="utf-8")
    (folder / "links.json").write_text(json.dumps({"file": "one", "links": links}), encoding="utf-8")
    _fill(folder, local, shared)
    config = folder / "tokensync.toml"
    tokensync("-q", "pull", "-c", config)
    tokensync("-q", "build", "-c", config)
    git = ("git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@example.invalid")
    # One pack and no sample hooks: the project is copied for each command.
    for arguments in (("init", "-q", "--template="), ("add", "."), ("commit", "-qm", "a"), ("gc", "-q")):
        subprocess.run([*git, *arguments], check=True, capture_output=True)
    _edit(folder)
    return folder


def _fill(folder: Path, local: bytes, shared: bytes) -> None:
    """Create every object with a name or a text in the emulator, and record the last ids."""
    first = MARKS[0]
    config = folder / "tokensync.toml"
    ids = {}
    with open_emulator(None, str(config)) as emulator:
        emulator.seed(KEY, local, shared, name=first)
        emulator.publish(KEY, description=first)
        for mark in MARKS:
            ids["team"] = emulator.places.create_team(mark, plan="enterprise")
            ids["folder"] = emulator.places.create_folder(mark)
            ids["file"] = f"other-{ids['team']}"
            emulator.files.create(ids["file"], name=mark, folder=ids["folder"])
            emulator.libraries.add_style(KEY, mark, "FILL", description=mark)
            ids["component"] = emulator.libraries.add_component(KEY, mark, description=mark)
            ids["user"] = emulator.people.create(mark)
            ids["group"] = emulator.sharing.create_group(mark)
            ids["app"] = emulator.apps.create(mark).client_id
            ids["token"] = emulator.tokens.create(name=mark)
            emulator.text_events.add(f"{first} {mark}", ago=7200.0)
            emulator.developer_logs.add(emulator.default_token, "/v1/me", file_key=ids["file"])
            emulator.versions.save(KEY, mark, mark)
            ids["comment"] = emulator.comments.add(KEY, mark)
        emulator.publish(KEY)
        ids["variable"] = emulator.variables.use(ids["file"], KEY)[0]
    for mark in ("##[error]x", "::error::x"):
        arguments = ("--endpoint", "https://127.0.0.1:9/", "--passcode-env", "HOOK", "--paused", "-c", config)
        created = tokensync("webhooks", "create", *arguments, "--description", mark, "--json")
        ids["webhook"] = json.loads(created.output)[0]["id"]
    (folder / "ids.json").write_text(json.dumps(ids), encoding="utf-8")


def _edit(folder: Path) -> None:
    """Change and remove tokens in the token files, and change others on the platform."""
    for path in sorted((folder / "##[error]tokens" / "one").glob("*/*.tokens.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        _edit_group(document)
        path.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    changed, _ = capture(platform_text="##[error]there")
    with open_emulator(None, str(folder / "tokensync.toml")) as emulator:
        emulator.seed(KEY, changed)


def _edit_group(group: dict[str, Any]) -> None:
    for name, member in list(group.items()):
        if not isinstance(member, dict) or name.startswith("$"):
            continue
        if name == "leaf":
            del group[name]
        elif "$value" not in member:
            _edit_group(member)
        elif member.get("$type") == "color":
            member["$description"] = "::error::z ##[error]z"
            group[f"##[error]new {name.count('x')}"] = {"$type": "string", "$value": "::error::new"}


def copied(project: Path, to: Path) -> Path:
    """Return a copy of the project to run one command in."""
    shutil.copytree(project, to, symlinks=True)
    return to
