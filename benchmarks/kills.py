"""Every command is killed at each of its system calls that write, and finds the disk full or broken there.

After a kill, each file is the former or the new one, or a temporary file that the next run removes; the same command
then ends as without the kill. With ENOSPC (from a call on) and EIO (at one), a command either ends as without it, or
with an error that says where, what and what to do. The table that it prints is Markdown. Needs Linux on x86-64.

    python benchmarks/kills.py                     every command
    python benchmarks/kills.py --only "pull" --every 5
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import pkgutil
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing, suppress
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

HERE = os.path.dirname(os.path.abspath(__file__))
CHECKOUT = os.path.dirname(HERE)
sys.path[:0] = [HERE, os.path.join(CHECKOUT, "tests"), CHECKOUT]

import prepared  # noqa: E402
from campaign import syscalls  # noqa: E402
from campaign.commands import ALL, Row  # noqa: E402
from commands.scenes import Stage  # noqa: E402

from tokensync.extract.client.responses import Clock  # noqa: E402

FAULTS = ("kill", "ENOSPC", "EIO")
_TEMPORARY = re.compile(r"(.*/)?\.tokensync-[0-9a-f]{16}")
_OWN = re.compile(r"home/|project/((.*/)?\.tokensync/|\.git/index$)")
"""Files that tokensync or git alone reads, some with times and random names in them."""
_MESSAGE = re.compile(r"^error: [^\n]+?: [^\n]+; ", re.MULTILINE)
_GIT = shutil.which("git") or "git"
_LATER = 3_600.0
"""Seconds after a kill, when the command is run again."""
_FAILURES, _USAGE = (1, 4), 2
_EVERY_LIKE_OTHERS = 25
"""Every n-th call is enough for commands whose calls are those of others."""


class Run(NamedTuple):
    """How a command ended in the stage, and what it left there."""

    code: int
    calls: tuple[str, ...]
    messages: str
    files: dict[str, bytes | str]
    changes: frozenset[str]
    platform: list[object]


class CommandRunner:
    """Runs a row's command in a copy of its scene."""

    def __init__(self, scratch: str, row: Row) -> None:
        self._row = row
        self._scratch = Path(scratch)
        self._stage = Stage(self._scratch / "scenes")
        self._master = self._scratch / row.scene
        if not self._master.exists():
            self._stage.set(row.scene)
            for arguments in ("init -q", "add -A", "commit -qm start", "gc -q"):
                self._git("-c", "user.name=a", "-c", "user.email=a@b", *arguments.split())
            shutil.rmtree(self._stage.project / ".git" / "hooks", ignore_errors=True)
            shutil.copytree(self._stage.root, self._master, symlinks=True)
        self.reset()
        self.before = self._stage.files()

    def _git(self, *arguments: str) -> str:
        command = (_GIT, *arguments)
        done = subprocess.run(command, cwd=self._stage.project, capture_output=True, check=True, encoding="utf-8")
        return done.stdout

    def reset(self) -> None:
        """Put the scene back."""
        shutil.rmtree(self._stage.root, ignore_errors=True)
        shutil.copytree(self._master, self._stage.root, symlinks=True)

    def run(self, fault: str = "", at: int = 0, *, later: float = 0.0, arguments: str = "") -> Run:
        """Run the command; a fault happens at a call that writes."""
        streams = [self._scratch / name for name in ("stdin", "stdout", "stderr")]
        streams[0].write_text(self._row.stdin, encoding="utf-8")

        def command() -> None:
            if not self._row.waits:
                _shift_time(later)
            numbers = [
                os.open(path, os.O_RDWR | os.O_CREAT | (os.O_TRUNC if path != streams[0] else 0)) for path in streams
            ]
            words = self._stage.arguments(arguments or self._row.arguments)
            prepared.be(numbers, str(self._stage.project), words, dict(os.environ))

        for path in streams[1:]:
            path.write_bytes(b"")
        with self._stage.entered(self._row.scene):
            os.environ["HOOK"] = "passcode"
            until = str(streams[1]) if self._row.waits else ""
            code, calls = syscalls.run(command, str(self._stage.root), fault=fault, at=at, until=until)
        messages = streams[2].read_text(encoding="utf-8", errors="replace")
        return Run(code, calls, messages, self._stage.files(), self._changes(), self._stage.platform())

    def _changes(self) -> frozenset[str]:
        """Return what ``git status`` shows."""
        return frozenset(self._git("status", "--porcelain", "-uall", "--no-renames").splitlines())

    def is_sound(self) -> bool:
        """Return whether the emulator's states can be read."""
        for path in self._stage.project.rglob("*.sqlite"):
            with closing(sqlite3.connect(path)) as connection, suppress(sqlite3.OperationalError):
                if connection.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
                    return False
        return True


def _shift_time(passed: float) -> None:
    """Let it be later for this process; sleeping takes no time, but moves its clocks."""

    def sleep(seconds: float) -> None:
        nonlocal passed
        passed += seconds

    now, monotonic = time.time, time.monotonic
    time.time, time.monotonic = lambda: now() + passed, lambda: monotonic() + passed
    time.sleep = sleep
    clock = Clock.__new__
    clock.__defaults__ = (time.time, time.monotonic, sleep, *(clock.__defaults__ or ())[3:])


class Comparison:
    """Compares how a row's command ends after a fault with how it ends without one."""

    def __init__(self, runner: CommandRunner, row: Row) -> None:
        self._runner = runner
        self._row = row
        runner.reset()
        self.normal = runner.run()
        self._codes = {self.normal.code, runner.run(later=_LATER).code}
        self._wrong_after: dict[int, list[str]] = {}

    def failures(self, fault: str, at: int) -> list[str]:
        """Return what is wrong with how the command ends if a fault happens at a call."""
        self._runner.reset()
        run = self._runner.run(fault, at)
        if len(run.calls) < at:
            return []
        wrong = self._of_end(run, fault) + self._of_files(run, fault)
        wrong += [] if self._runner.is_sound() else ["the emulator's state is damaged"]
        files = frozenset((_TEMPORARY.sub(r"\1temporary", path), content) for path, content in run.files.items())
        state = hash((files, repr(run.platform)))
        if state not in self._wrong_after:
            self._wrong_after[state] = self._of_second()
        wrong += self._wrong_after[state]
        call = run.calls[at - 1]
        return [f"{self._row.arguments} ({self._row.scene}): {fault} at {at} {call}: {text}" for text in wrong]

    def _of_end(self, run: Run, fault: str) -> list[str]:
        if "hangs" in run.calls:
            return ["it hangs"]
        if "Traceback" in run.messages or "internal error" in run.messages:
            return [f"a traceback: {run.messages[-800:]}"]
        normal = self.normal
        if fault == "kill":
            return [] if run.code in (-9, normal.code) else [f"it ends with {run.code}"]
        if run.code == normal.code:
            is_same = _users(run.files) == _users(normal.files) and run.platform == normal.platform
            return [] if is_same or self._row.again else [f"it ends as without it, with another result: {run.messages}"]
        if run.code not in _FAILURES and not (run.code == _USAGE and "emulator's state" in run.messages):
            return [f"it ends with {run.code}: {run.messages[-300:]}"]
        return [] if _MESSAGE.search(run.messages) else [f"its message is not complete: {run.messages[-300:]}"]

    def _of_files(self, run: Run, fault: str) -> list[str]:
        wrong = []
        before, normal = self._runner.before, self.normal
        for path, content in run.files.items():
            if _TEMPORARY.fullmatch(path):
                if fault != "kill" and not any(call.startswith("unlink") for call in run.calls[-3:]):
                    wrong.append(f"{path} is left")
            elif _OWN.match(path):
                wrong += [] if _is_whole(path, content) else [f"{path} is not whole"]
            elif content not in (before.get(path), normal.files.get(path)) and not self._row.like_others:
                wrong.append(f"{path} is neither the former nor the new file")
        gone = before.keys() & normal.files.keys() - run.files.keys()
        wrong += [f"{path} is gone" for path in gone if not _OWN.match(path)]
        litter = {line for line in run.changes - normal.changes if not _TEMPORARY.fullmatch(line[3:])}
        return wrong + [f"git status shows {line}" for line in sorted(litter)]

    def _of_second(self) -> list[str]:
        """Run the command again, an hour later, as its messages say; return what is wrong then."""
        last = self._runner.run(later=_LATER)
        if "apply --resume" in last.messages and not self._row.again:
            last = self._runner.run(later=_LATER, arguments="apply --resume")
        normal = self.normal
        wrong = [f"{path} is left" for path in last.files if _TEMPORARY.fullmatch(path) and not _OWN.match(path)]
        if "Traceback" in last.messages:
            wrong.append(f"a traceback: {last.messages[-800:]}")
        if not self._row.again:
            if last.code not in self._codes:
                wrong.append(f"the command ends with {last.code}: {last.messages[-400:]}")
            users, expected = _users(last.files), _users(normal.files)
            paths = sorted(users.keys() | expected.keys())
            wrong += [f"{path} differs" for path in paths if users.get(path) != expected.get(path)]
            wrong += [f"git status shows {line}" for line in sorted(last.changes ^ normal.changes)]
            wrong += [] if last.platform == normal.platform else ["the design file is another one"]
        return [f"after it, {text}" for text in wrong]


def _is_whole(path: str, content: bytes | str) -> bool:
    """Return whether a file of tokensync's own can be read; its log of steps may end amid a line."""
    lines = [content] if path.endswith(".json") else content.split(b"\n")[:-1] if path.endswith(".jsonl") else []
    try:
        return all(json.loads(line) is not None for line in lines)
    except ValueError:
        return False


def _users(files: dict[str, bytes | str]) -> dict[str, bytes | str]:
    return {path: content for path, content in files.items() if not _OWN.match(path) and not _TEMPORARY.fullmatch(path)}


class Task(NamedTuple):
    """A row, and at which calls faults happen: at each ``every``-th from ``start`` on."""

    row: Row
    scratch: str
    every: int
    start: int


def results_of(task: Task) -> tuple[str, int, Counter[str], list[str]]:
    """Return a row's command, the number of its calls and of its runs by fault, and what is wrong."""
    row = task.row
    counts: Counter[str] = Counter()
    comparison = Comparison(CommandRunner(os.path.join(task.scratch, str(os.getpid())), row), row)
    normal = comparison.normal
    is_wrong = "Traceback" in normal.messages or "hangs" in normal.calls
    wrong = [f"{row.arguments}: without a fault: {normal.messages}"] if is_wrong else []
    for at in range(1 + task.start % task.every, len(normal.calls) + 1, task.every):
        for fault in FAULTS:
            counts[fault] += 1
            wrong += comparison.failures(fault, at)
    return row.name, len(normal.calls), counts, wrong


def main() -> int:
    """Run the campaign and print its table; return 1 if a command failed a test."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", metavar="TEXT", default="", help="the command lines that begin so")
    parser.add_argument("--every", type=int, default=1, help="only every n-th call of each command")
    parser.add_argument("--seed", type=int, default=0, help="with --every: where to begin")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    started = time.monotonic()
    _load()
    points: Counter[str] = Counter()
    counts: dict[str, Counter[str]] = {}
    failed: Counter[str] = Counter()
    scratch = tempfile.mkdtemp(dir="/dev/shm", prefix="tokensync-kills-")  # removed by this process, not by its forks
    try:
        rows = [row for row in ALL if row.arguments.startswith(options.only)]
        fewer = max(options.every, _EVERY_LIKE_OTHERS)
        tasks = [Task(row, scratch, fewer if row.like_others else options.every, options.seed) for row in rows]
        with (
            suppress(KeyboardInterrupt),
            multiprocessing.get_context("fork").Pool(options.workers, _end_at_sigterm) as pool,
        ):
            for name, calls, tries, wrong in pool.imap_unordered(results_of, tasks):
                label = name.rpartition(" ")[0] if name.startswith(("emulator ", "api ")) else name
                points[label] += calls
                counts[label] = counts.get(label, Counter()) + tries
                failed[label] += len({" ".join(text.split(": ")[:2]) for text in wrong})
                print(f"{name}: {calls} calls", *wrong, sep="\n", file=sys.stderr, flush=True)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    _report(points, counts, failed)
    runs = sum(tries.total() for tries in counts.values())
    print(f"{runs:,} runs in {time.monotonic() - started:.0f} s. {failed.total()} failures.")
    return 1 if failed.total() else 0


def _end_at_sigterm() -> None:
    """Let SIGTERM end this process, as the pool expects."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _report(points: Counter[str], counts: dict[str, Counter[str]], failed: Counter[str]) -> None:
    print("| command | points | " + " | ".join(("killed", *FAULTS[1:])) + " | failures |")
    print("| --- |" + " ---: |" * 5)
    totals = {"all": sum(counts.values(), Counter())}
    written = [label for label in sorted(points) if points[label]]
    for label, tries in [*((label, counts[label]) for label in written), *totals.items()]:
        cells = [points[label] or points.total(), *(tries[fault] for fault in FAULTS)]
        cells.append(failed.total() if label in totals else failed[label])
        print(f"| {label} | {' | '.join(f'{cell:,}' for cell in cells)} |")
    print(f"\nWithout a write: {', '.join(sorted(points.keys() - set(written)))}.")


def _load() -> None:
    """Load tokensync once, for all commands."""
    import tokensync

    for module in pkgutil.walk_packages(tokensync.__path__, "tokensync."):
        with suppress(ImportError):  # what only Windows has
            import_module(module.name)


if __name__ == "__main__":
    sys.exit(main())
