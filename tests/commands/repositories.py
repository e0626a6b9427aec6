"""Git repositories with a project, and their commits."""

import json
import os
import shlex
import subprocess
from pathlib import Path

import prepared
from commands.projects import copied, quickstart_in, tokensync
from corpus.building import ROOT

COLORS = Path("tokens/harbor/primitives/value.tokens.json")
VARIABLES = {
    **{name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "TOKENSYNC_"))},
    **{f"GIT_{role}_{part}": "t@example.org" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")},
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "PYTHONPATH": str(ROOT),
}


def git(*arguments: object, ok: bool = True, **more: str) -> subprocess.CompletedProcess[str]:
    """Run git in the working folder, with these environment variables, too."""
    unattended = ("-c", "gc.auto=0", "-c", "maintenance.auto=false")  # a commit starts no process to tidy up
    command = ["git", "-c", "protocol.file.allow=always", *unattended, *map(str, arguments)]
    done = subprocess.run(
        command, check=False, env=VARIABLES | more, capture_output=True, encoding="utf-8", errors="replace"
    )
    assert not ok or done.returncode == 0, done.stdout + done.stderr
    return done


def repository_in(folder: Path) -> Path:
    """Create a repository with the quickstart, in canonical form and built, as its first commit."""

    def commit() -> None:
        os.chdir(quickstart_in(folder))
        git("init", "-q", "-b", "main")
        tokensync("-q", "format")
        tokensync("-q", "build")
        git("add", "-A")
        git("commit", "-q", "-m", "Start")

    copied(folder, "repository", commit)
    os.chdir(folder)
    git("update-index", "-q", "--refresh")  # the index has the times of the files that were copied
    return folder


def paint(name: str, components: list[float]) -> None:
    """Give a colour of a scale other components."""
    document = json.loads(COLORS.read_text(encoding="utf-8"))
    value = document["primitives"]["color"]
    for step in name.split("."):
        value = value[step]
    value["$value"]["components"] = components
    value["$value"].pop("hex", None)
    COLORS.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def add_color(name: str) -> None:
    """Add a colour."""
    document = json.loads(COLORS.read_text(encoding="utf-8"))
    value = {"$type": "color", "$value": {"colorSpace": "srgb", "components": [1, 0, 0]}}
    document["primitives"]["color"][name] = value
    COLORS.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def install(hook: str | None = None, name: str = "pre-commit") -> None:
    """Install a hook in the repository of the working folder; by default one that checks a commit."""
    if hook is None:
        hook = f"#!/bin/sh\nexec {shlex.join(prepared.command())} check --staged\n"
    path = Path(git("rev-parse", "--git-path", f"hooks/{name}").stdout.strip())
    path.parent.mkdir(exist_ok=True)
    path.write_text(hook, encoding="utf-8")
    path.chmod(0o755)


def clone_passes(of: Path, into: Path) -> None:
    """Check a fresh clone of the last commit."""
    git("clone", "-q", of, into)
    before = Path.cwd()
    os.chdir(into)
    tokensync("check")
    tokensync("build", "--check")
    os.chdir(before)
