"""Files that tokensync stores can be damaged in any way: a command names the file, or ends as without the damage."""

from __future__ import annotations

import json
import os
import random
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import NamedTuple

import click
import pytest
from commands.damages import (
    INSTEAD,
    OPAQUE,
    TARGET,
    TEXT,
    Damage,
    damages,
    in_place,
    instead,
    is_readable,
    other_bytes,
    stray,
    values,
)
from commands.file_reads import IS_POSSIBLE, read_files
from commands.privileges import MODES_BIND, bound_by_modes
from commands.scenes import Hangs, Stage
from commands.state_files import CACHE, ON_COMMAND_LINE, STATE_FILES, VERBS, StateFile
from corpus.building import OWN_ERROR, ROOT, Done

from tokensync.cli.main import tokensync as tokensync_group

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links, pipes and permissions differ")
one_worker = pytest.mark.xdist_group("damaged files")
"""The scenes and the undamaged runs are made once."""

DAMAGES = int(os.environ.get("TOKENSYNC_DAMAGES", "0"))
"""Damages of each file; `make damages` sets it."""
SEEDS = os.environ.get("TOKENSYNC_SEED", "7").split()
FAILED = (1, 2, 4, 5)
CONFLICTING = ("pull", "plan", "apply", "rollback")
"""The verbs that end with 4."""
_VOLATILE = re.compile(r"\.tokensync/(.*\.lock|.*\.owner|\.gitignore)$|^home/tokensync/[0-9a-f]+\.graph$|\.stat$")


class Expected(NamedTuple):
    """How a verb ends in an undamaged scene: its result, the files outside ``.tokensync``, and what it read."""

    done: Done
    files: dict[str, bytes | str]
    read: frozenset[str]


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    return Stage(tmp_path_factory.mktemp("damaged"))


@pytest.fixture(scope="module")
def expected(stage: Stage) -> Callable[[str, str], Expected]:
    """How a verb of a scene ends; each is run once, when it is asked for."""

    @cache
    def ending(scene: str, verb: str) -> Expected:
        stage.set(scene)
        before = {each.relative_to(stage.root).as_posix() for each in stage.root.rglob("*")}
        with read_files(stage.root) as read:
            done = stage.run(scene, verb)
        assert done.code in (0, 3) or scene == "logged in", f"{scene}: {verb}: {done}"
        return Expected(done, _users(stage.files()), frozenset(read & before))

    return ending


def _users(files: dict[str, bytes | str]) -> dict[str, bytes | str]:
    """Return the files that a command writes for its user."""
    return {path: content for path, content in files.items() if not re.match(r"home/|project/\.tokensync/", path)}


def codes_of(verb: str) -> set[int]:
    """Return the exit codes that docs/exit-codes.md documents for a verb, except 130."""
    page = (ROOT / "docs" / "exit-codes.md").read_text(encoding="utf-8")
    (differing,) = re.findall(r"^\| 3 \|(.*)$", page, re.MULTILINE)
    name, *options = verb.split()
    with_options = [each.split() for each in re.findall(r"`([^`]+)`", differing)]
    differs = any(each[0] == name and set(each[1:]) <= set(options) for each in with_options)
    (checking,) = re.findall(r"^\| 5 \|(.*)$", page, re.MULTILINE)
    checks = f"`{name}`" in checking
    return {0, 1, 2, *([3] if differs else []), *([4] if name in CONFLICTING else []), *([5] if checks else [])}


class Case(NamedTuple):
    """A damage of a file, and a verb that reads the file."""

    file: StateFile
    path: Path
    damage: Damage
    verb: str

    def __str__(self) -> str:
        return f"{self.file.scene}: {self.path.name}: {self.damage.name}: {self.verb}"


def faults(stage: Stage, case: Case, normal: Expected, *, repairs: bool = True) -> list[str]:
    """Return what is wrong with how a verb ends in a damaged copy of its scene."""
    file, path, damage, verb = case
    stage.set(file.scene)
    backup = Backup(path)
    damage.apply(path)
    before, platform = stage.files(), stage.platform()
    try:
        with bound_by_modes() if damage.name == "without permission" else nullcontext():
            done = stage.run(file.scene, verb)
    except Hangs:
        return ["it does not end"]
    found: list[str] = []
    if OWN_ERROR in done.stderr or "Traceback" in done.stderr:
        found.append("internal error")
    if done.code not in codes_of(verb):
        found.append(f"exit code {done.code}")
    has_failed = done.code in FAILED and done.code != normal.done.code
    end = End(case, stage, done, backup.content)
    found += end.of_failure() if has_failed else end.of_success(normal)
    if has_failed:
        if changed := sorted(_changes(before, stage.files(), end)):
            found.append(f"it failed, but changed {changed}")
        if stage.platform() != platform:
            found.append("it failed, but changed Figma")
        if repairs:
            backup.restore()
            again = stage.run(file.scene, verb)
            if again.code != normal.done.code:
                found.append(f"after repair, it ends with {again.code}, not {normal.done.code}: {again.stderr[-400:]}")
    return [f"{each}\n    {done.code} {done.stderr[-900:]}" for each in found]


class End(NamedTuple):
    """How a verb ended in a damaged scene; ``original`` is the file's undamaged content."""

    case: Case
    stage: Stage
    done: Done
    original: bytes

    @property
    def is_unreadable(self) -> bool:
        """Whether no reader can make sense of what is in the file's place."""
        damage = self.case.damage
        return damage.replace is not None or not is_readable(damage.content or b"", self.case.file.form)

    @property
    def is_same(self) -> bool:
        """Whether the damage changed nothing but spaces."""
        content, form = self.case.damage.content, self.case.file.form
        return (
            content is not None
            and is_readable(content, form)
            and meaning(content, form) == meaning(self.original, form)
        )

    def lines(self) -> list[str]:
        """Return the lines of the file that the messages name; an empty string where they name the file only."""
        path, project = self.case.path, self.stage.project
        names = {str(path), os.path.relpath(path, project), os.path.relpath(path, project / "tokens")}
        if ".sqlite" in path.name:
            names.add(".tokensync/emulator.sqlite")
        pattern = "|".join(re.escape(each) for each in sorted(names, key=len, reverse=True))
        return [match[1] or "" for match in re.finditer(rf"(?:{pattern})(?::(\d+))?", self.done.stderr)]

    def of_failure(self) -> list[str]:
        """Return what is wrong with the messages of a verb that failed."""
        file, _, damage, _ = self.case
        lines = self.lines()
        if damage.name == "a link" or (
            damage.name == "missing" and NO_FILE.search(self.done.stderr + self.done.output)
        ):
            return []  # it leads to an empty file, or there is no login, lock or state
        is_syntax = self.is_unreadable and damage.replace is None and file.form not in ("binary", "text")
        if not lines and not self._names_another():
            return ["it does not name the file"]
        if is_syntax and lines and not any(lines) and file.outcome != "exact" and not self._names_another():
            return ["it does not name the line"]
        if is_syntax and damage.line and any(lines) and str(damage.line) not in lines:
            return [f"it names the lines {lines} in place of {damage.line}"]
        return []

    def _names_another(self) -> bool:
        """Return whether the messages rightly name another file, with which the damaged one does not agree any more."""
        text, file = self.done.stderr, self.case.file
        is_pair = file.path.endswith("journal.head") and "journal.jsonl:" in text
        if is_pair or "are not those that this plan was made from" in text or NO_FILE.search(text):
            return True
        return not self.is_unreadable and re.search(r"^error: [^:]+(:\d+:\d+)?[^:]*: ", text, re.MULTILINE) is not None

    def of_success(self, normal: Expected) -> list[str]:
        """Return what is wrong with a verb that did not fail."""
        file, path, damage, _ = self.case
        lines = self.lines()
        if file.outcome == "ignored":
            own = {each.relative_to(self.stage.root).as_posix() for each in (path, path.with_name(TARGET))}
            files = {each: content for each, content in _users(self.stage.files()).items() if each not in own}
            expected = {each: content for each, content in normal.files.items() if each not in own}
            is_same = (self.done.code, self.done.output, files) == (normal.done.code, normal.done.output, expected)
            return [] if is_same else ["it ends otherwise than without the damage"]
        if file.outcome == "exact":
            return [] if self.is_same else ["it does not notice the damage"]
        if not self.is_unreadable or damage.name in ("missing", "a link", "a dangling link"):
            return []
        if file.outcome == "refused":
            return ["it does not notice the damage"]
        if file.outcome == "warned" and not any(lines):
            return ["it does not warn with file and line"]
        if file.outcome == "warned" and damage.line and str(damage.line) not in lines:
            return [f"it names the lines {lines} in place of {damage.line}"]
        return []


NO_FILE = re.compile(
    r"emulator has no file|404 .(?:File not|Not) found|Library file not found|no access token is set|not logged in"
    r"|tokensync.toml: not found|was unknown, is "
)
"""Messages about a file that is missing or empty: a state, a login, a configuration, or the base of a merge."""


def meaning(content: bytes, form: str) -> object:
    """Return what a readable text says; the text itself if it is too deep for this reader."""
    try:
        if form == "json":
            return json.loads(content, parse_int=str)
        if form == "json lines":
            return [json.loads(line, parse_int=str) for line in content.split(b"\n") if line.strip()]
    except RecursionError:
        return content
    return content


class Backup:
    """The content and mode of a file; of the emulator's state, also its log."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.content = path.read_bytes()
        is_state = ".sqlite" in path.name
        paths = path.parent.glob("emulator.sqlite*") if is_state else (path,)
        self._contents = {each: (each.read_bytes(), each.stat().st_mode) for each in paths}

    def restore(self) -> None:
        """Put the files back, and remove what is beside the emulator's state."""
        beside = self.path.parent.glob("emulator.sqlite*") if ".sqlite" in self.path.name else ()
        for each in {*self._contents, *beside}:
            if each.is_dir() and not each.is_symlink():
                each.rmdir()
            elif os.path.lexists(each):
                each.unlink()
        for each, (content, mode) in self._contents.items():
            each.write_bytes(content)
            each.chmod(mode)


def _changes(before: dict[str, bytes | str], after: dict[str, bytes | str], end: End) -> Iterator[str]:
    """Yield the files that a verb may not change if it fails."""
    for each in before.keys() | after.keys():
        if before.get(each) == after.get(each) or _VOLATILE.search(each):
            continue
        # An old plan must not remain; the conflicts that remain are written; a request is recorded before it is sent.
        is_old_plan = end.case.verb.startswith("plan") and each.endswith((".tokensync/plan.json", "/edit.json"))
        is_conflict = end.done.code == 4 and each.endswith("tokensync.conflicts.toml")
        is_record = ".sqlite" in end.case.path.name and "/journal." in each
        if not ((is_old_plan and each not in after) or is_conflict or is_record):
            yield each


def cases_of(stage: Stage, file: StateFile, chance: random.Random) -> Iterator[Case]:
    """Yield cases of a file without end."""
    stage.set(file.scene)
    contents = {each: each.read_bytes() for each in sorted(stage.root.glob(file.path))}
    assert contents, file.path
    ways = {path: damages(content, file.form, chance) for path, content in contents.items()}
    while True:
        path = chance.choice([*ways])
        damage = next(ways[path])
        if damage.name not in _impossible(path):
            yield Case(file, path, damage, chance.choice(file.verbs or ("status",)))


def _impossible(path: Path) -> tuple[str, ...]:
    """Return the names of damages that are none for this file, or that this system does not have."""
    pipe = ("a pipe",) if path.name in ON_COMMAND_LINE else ()
    return pipe if MODES_BIND else (*pipe, "without permission")


IDS = [f"{each.scene} {each.path.rpartition('/')[2]} {each.outcome}".replace(" ", "-") for each in STATE_FILES]
SHORT = random.Random(SEEDS[0])
"""Chooses the damages of the short test."""


def short_cases(stage: Stage, file: StateFile) -> list[Case]:
    """Return two cases of a file: a place that no reader can read, and another kind of damage for each file."""
    stage.set(file.scene)
    number = STATE_FILES.index(file)
    path = SHORT.choice(sorted(stage.root.glob(file.path)))
    content = path.read_bytes()
    is_text = bool(values(content, file.form)) if file.form not in ("text", "binary") else False
    first, others = (stray, TEXT) if is_text else (other_bytes, OPAQUE)
    names = [each for each in INSTEAD if each not in _impossible(path)]
    second = others[number % len(others)]
    damages_ = (
        first(content, file.form, SHORT),
        in_place(names[number % len(names)]) if second is instead else second(content, file.form, SHORT),
    )
    return [
        Case(file, path, each, SHORT.choice(file.verbs or ("status",))) for each in damages_ if each.content != content
    ]


@pytest.mark.skipif(not MODES_BIND, reason="file modes do not bind this user here, so no file is without permission")
def test_a_file_without_permission_cannot_be_read_in_these_tests(tmp_path):
    path = tmp_path / "file"
    in_place("without permission").replace(path)
    with bound_by_modes(), pytest.raises(PermissionError):
        path.read_bytes()
    path.chmod(0o600)
    assert path.read_bytes() == b""


@one_worker
def test_the_table_names_the_files_that_each_verb_reads(expected):
    """A new file has to be added to the table, and so has a verb that reads one."""
    if not IS_POSSIBLE:
        pytest.skip("only Linux tells which files are read")
    readers: dict[str, set[str]] = {}
    for row in STATE_FILES:
        readers.setdefault(row.path, set()).update(row.verbs)
    wrong = []
    for scene, verbs in VERBS.items():
        own = [each for each in STATE_FILES if each.scene == scene]
        for verb in verbs:
            read = {each for each in expected(scene, verb).read if not _UNREAD.search(each)}
            wrong += (
                f"{scene}: {verb} reads {each}"
                for each in sorted(read)
                if not any(fnmatch(each, path) and verb in found for path, found in readers.items())
            )
            wrong += (
                f"{scene}: {verb} does not read {row.path}"
                for row in own
                if verb in row.verbs and row.path != CACHE and not any(fnmatch(each, row.path) for each in read)
            )
    assert not wrong, "\n".join(wrong)


_UNREAD = re.compile(r"\.git/(?!index)")


def test_each_command_is_run_or_reads_only_what_others_read():
    """The commands that are not run read the configuration and the emulator's state, as ``logs`` does, or no file."""
    names = set(_leaves(tokensync_group, ()))
    run = {each for each in names for verbs in VERBS.values() for verb in verbs if f"{verb} ".startswith(f"{each} ")}
    assert {each for each in names - run if not each.startswith(("api ", "emulator ", "webhooks "))} == {
        "audit",  # reads code, and the configuration, token files and responses as the others do
        "auth login",  # writes the login
        "bridge",  # reads only the configuration, and the file by which commands find it
        "completion",  # reads no file
        "demo",  # makes a folder of its own
        "doctor",  # shows what is wrong with the files that the others read
        "explain",  # reads no file of a project
        "init",  # reads only a configuration, and that as the others do
        "mcp",  # reads what tokens, plan and check read
        "merge-file",  # reads the three versions that git has written, and replaces one
        "migrate code",  # reads code, the renames, and the configuration as the others do
        "install-hook",  # reads hooks and the configurations of hook managers, to which it adds
        "tokens rename",  # reads what the other commands about tokens read
        "tokens rename-mode",
    }


def _leaves(command: click.Command, path: tuple[str, ...]) -> Iterator[str]:
    if not isinstance(command, click.Group):
        yield " ".join(path)
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        below = command.get_command(context, name)
        assert below is not None
        yield from _leaves(below, (*path, name))


@one_worker
@pytest.mark.skipif(bool(DAMAGES), reason="the long run has these cases")
def test_a_damaged_file_is_named_or_makes_no_difference(stage, expected):
    wrong = []
    for number, file in enumerate(STATE_FILES):
        for case in short_cases(stage, file):
            normal = expected(file.scene, case.verb)
            wrong += [f"{case}: {each}" for each in faults(stage, case, normal, repairs=number % 4 == 0)]
    assert not wrong, f"{len(wrong)}\n" + "\n".join(wrong)


@pytest.mark.skipif(not DAMAGES, reason="`make damages` runs it")
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("file", STATE_FILES, ids=IDS)
def test_any_damage_of_a_file(stage, expected, file, seed):
    chance = random.Random(f"{seed} {file.scene} {file.path}")
    wrong, number = [], 0
    for number, case in enumerate(cases_of(stage, file, chance), 1):
        normal = expected(file.scene, case.verb)
        repairs = number % 3 == 0
        wrong += [f"{case}: {each}" for each in faults(stage, case, normal, repairs=repairs)]
        if number == DAMAGES:
            break
    assert not wrong, f"{len(wrong)} in {number}\n" + "\n".join(wrong[:60])
