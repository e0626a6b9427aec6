"""Files that tokensync stores can be damaged in any byte: each command then reports a problem."""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from commands.projects import on_the_platform, output, project_in, tokensync
from corpus.building import OWN_ERROR, ROOT, run_here

DAMAGES = int(os.environ.get("TOKENSYNC_DAMAGES", "12"))
"""Damages of each file; `make fuzz` tries more."""

COMMANDS = (
    ("status",),
    ("build",),
    ("build", "--check"),
    ("tokens", "list"),
    ("format", "--check"),
    ("pull",),
    ("plan", "-o", "other.json"),
    ("apply", "edit.json"),
    ("apply", "--resume"),
)
PIECES = (
    b"",
    b"\x00",
    b"\xff",
    b"\xed\xa0\x80",
    b"\\ud800",
    b"null",
    b"-1",
    b"1e999",
    b"9" * 5000,
    b"[" * 2000,
    b'"',
    b"{",
    b"}",
    b"\n",
    b"= ",
    b"\xe2\x80\xa8",
)


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A project with an applied plan, one whose apply was killed, a plan to apply, and a conflict to resolve."""
    folder = tmp_path_factory.mktemp("damaged") / "project"
    outputs = output("css", "out/css") + output("json", "out/json")
    moved = '[[moved]]\nkind = "token"\ncollection = "theme"\nfrom = "old"\nto = "slate"'
    more = f'{moved}\n[themes.night]\ntheme = "Dark"\n[client]\nsettling_time = 1'
    project_in(folder, outputs=outputs, more=more)
    before = Path.cwd()
    os.chdir(folder)
    try:
        on_the_platform({"slate": ("#112233", "#445566"), "gap": ("x", "y"), "text/muted": ("{slate}", "{slate}")})
        tokensync("pull", "-q")
        tokensync("build", "-q")
        edit("slate", "#112233", "#abcdef")
        tokensync("plan", "-q")
        tokensync("apply", "-q")
        edit("slate", "#abcdef", "#101010")
        tokensync("plan", "-q")
        shutil.copy(".tokensync/plan.json", "edit.json")
        killing = [sys.executable, ROOT / "tests" / "apply" / "killing.py", "3", "after", "apply", "-q"]
        subprocess.run(killing, check=False, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True)
        tokensync("build", "-q")
    finally:
        os.chdir(before)
    assert sorted(each.name for each in folder.rglob("journal.jsonl"))
    return folder


def edit(name, old, new):
    (path,) = Path("tokens").rglob("light.tokens.json")
    text = path.read_text()
    components = ", ".join(f"{int(new[at : at + 2], 16) / 255:.6g}" for at in (1, 3, 5))
    changed = re.sub(rf'"components": \[[^\]]*\](?=[^}}]*"hex": "{old}")', f'"components": [{components}]', text)
    assert changed != text
    path.write_text(changed.replace(f'"hex": "{old}"', f'"hex": "{new}"', 1))


def state_files(folder):
    """The files that tokensync wrote or reads as settings, without outputs and the emulator's database."""
    return [
        each.relative_to(folder)
        for each in sorted(folder.rglob("*"))
        if each.is_file()
        and each.parts[len(folder.parts)] != "out"
        and ".sqlite" not in each.name
        and each.stat().st_size
    ]


def damaged(content, chance):
    """Return the content with one damage: bytes lost, inserted, changed or doubled, or lines out of order."""
    at = chance.randrange(len(content))
    match chance.randrange(7):
        case 0:
            return content[:at]
        case 1:
            return content[:at] + bytes([content[at] ^ 1 << chance.randrange(8)]) + content[at + 1 :]
        case 2:
            return content[:at] + chance.choice(PIECES) + content[at + chance.randrange(4) :]
        case 3:
            numbers = list(re.finditer(rb"\d+", content))
            if not numbers:
                return content + content
            found = chance.choice(numbers)
            return content[: found.start()] + chance.choice(PIECES) + content[found.end() :]
        case 4:
            strings = list(re.finditer(rb'"[^"\n]*"', content))
            if not strings:
                return b""
            found = chance.choice(strings)
            other = chance.choice(
                (chance.choice(strings)[0], chance.choice(PIECES), b'"' + chance.choice(PIECES) + b'"')
            )
            return content[: found.start()] + other + content[found.end() :]
        case 5:
            lines = content.splitlines(keepends=True)
            number = chance.randrange(len(lines))
            return b"".join((*lines[:number], *lines[number + chance.randrange(2) :], lines[number]))
        case _:
            lines = content.splitlines(keepends=True)
            del lines[chance.randrange(len(lines))]
            return b"".join(lines)


def instead(make):
    """Return a damage that replaces the file by something else."""

    def damage(path, content):
        path.unlink()
        make(path)

    return damage


def written(change):
    """Return a damage that writes other content."""
    return lambda path, content: path.write_bytes(change(content))


def sparse(path):
    with path.open("wb") as file:
        file.truncate(300 << 20)


WHOLE = {
    "empty": written(lambda content: b""),
    "byte order mark": written(lambda content: b"\xef\xbb\xbf" + content),
    "UTF-16": written(lambda content: content.decode("utf-8", "replace").encode("utf-16")),
    "NULs": written(lambda content: bytes(len(content))),
    "CRLF": written(lambda content: content.replace(b"\n", b"\r\n")),
    "deep": written(lambda content: b"[" * 100_000),
    "deep object": written(lambda content: b'{"a":' * 100_000),
    "digits": written(lambda content: re.sub(rb"\d+", b"9" * 5000, content, count=1)),
    "NaN": written(lambda content: re.sub(rb"\d+", b"NaN", content, count=1)),
    "infinity": written(lambda content: re.sub(rb"\d+", b"-Infinity", content, count=1)),
    "large": written(lambda content: re.sub(rb"\d+", b"1e400", content, count=1)),
    "twice": written(lambda content: content + content),
    "half": written(lambda content: content[: len(content) // 2]),
    "array": written(lambda content: b"[]\n"),
    "null": written(lambda content: b"null\n"),
    "number": written(lambda content: b"5\n"),
    "folder": instead(Path.mkdir),
    "pipe": instead(os.mkfifo) if hasattr(os, "mkfifo") else instead(Path.mkdir),
    "loop": instead(lambda path: path.symlink_to(path.name)),
    "dangling link": instead(lambda path: path.symlink_to("nowhere")),
    "sparse": instead(sparse),
}
STOPPED = (1, 2)


@pytest.mark.skipif(os.name == "nt", reason="links and pipes")
def test_a_damaged_file_stops_a_command_only_with_its_name(project, tmp_path, monkeypatch):
    """Each whole-file damage: exit codes as documented, the file is named, and nothing of the user's is lost."""
    seed = int(os.environ.get("TOKENSYNC_SEED", "7"))
    wrong = []
    cases = [(path, kind) for path in state_files(project) for kind in WHOLE]
    chance = random.Random(f"{seed} whole")
    for path, kind in chance.sample(cases, min(len(cases), DAMAGES)):
        copy = tmp_path / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(project, copy)
        WHOLE[kind](copy / path, (project / path).read_bytes())
        monkeypatch.chdir(copy)
        kept = users_files(copy)
        command = chance.choice(COMMANDS)
        done = run_here(*command)
        faults = []
        if OWN_ERROR in done.stderr or "Traceback" in done.stderr or done.code not in range(6):
            faults.append("not a documented end")
        if done.code in STOPPED and path.name not in done.stderr and path.parent.name not in done.stderr:
            faults.append("the file is not named")
        if done.code in STOPPED and users_files(copy) != kept:
            faults.append("it stopped, but changed token files or the lock")
        if faults:
            wrong.append((str(path), kind, command, done.code, faults, done.stderr[-400:]))
    assert not wrong, f"{len(wrong)}\n" + "\n".join(map(str, wrong[:20]))


def users_files(folder):
    """The contents of token files and of the lock."""
    paths = [folder / "tokensync.lock", *folder.glob("tokens/**/*")]
    return {each: each.read_bytes() for each in paths if each.is_file() and each.stat().st_size < 1 << 20}


def test_each_command_names_a_problem(project, tmp_path, monkeypatch):
    seed = int(os.environ.get("TOKENSYNC_SEED", "7"))
    wrong = []
    for path in state_files(project):
        for number in range(DAMAGES):
            chance = random.Random(f"{seed} {path} {number}")
            copy = tmp_path / "copy"
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(project, copy)
            content = damaged((project / path).read_bytes(), chance)
            (copy / path).write_bytes(content)
            monkeypatch.chdir(copy)
            receipts = sorted(each.parent.relative_to(copy) for each in copy.rglob("receipt.json"))
            commands = [
                *chance.sample(COMMANDS, 3),
                *(("rollback", each) for each in receipts[:1] if path.name != "tokensync.toml"),
            ]
            for command in commands:
                done = run_here(*command)
                if OWN_ERROR in done.stderr or "Traceback" in done.stderr or done.code not in range(7):
                    wrong.append((str(path), number, command, done.code, done.stderr[-600:]))
    assert not wrong, f"{len(wrong)}\n" + "\n".join(map(str, wrong[:20]))
