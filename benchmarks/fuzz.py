"""A fuzz campaign against everything that tokensync reads: files of a project, answers, messages, code, other tools.

A case is a valid content that is changed by its number and the seed, and read by the function that reads it in a
command. It has to be read, or refused by one of tokensync's own errors as *where: what; what to do*: no other
exception, no warning, nothing printed, no message of pages, and no more than ``SLOWER`` times the time of the valid
content for its size. Then each reader gets a nesting of 100,000, a text of 100 MB, and short contents that would be
very long if each of their references were followed, in a process of its own with limits of time and memory.

    python benchmarks/fuzz.py                            1,000,000 cases, on every processor
    python benchmarks/fuzz.py --cases 20000 --body lock  some of those whose name has this text
    python benchmarks/fuzz.py --only 417                 one case, with its content and how it ended
    python benchmarks/fuzz.py --cases 0 --special        only the large ones

The table that it prints is Markdown. Needs a POSIX system.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import mmap
import os
import random
import re
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

HERE = os.path.dirname(os.path.abspath(__file__))
CHECKOUT = os.path.dirname(HERE)
sys.path[:0] = [HERE, os.path.join(CHECKOUT, "tests"), CHECKOUT]

from fuzzing import code_readers, platform_readers, project_readers  # noqa: E402
from fuzzing.mutations import Example, deep, large, mutated  # noqa: E402
from fuzzing.world import Body, World  # noqa: E402

from tokensync.system.errors import TokensyncError  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tokensync.system.problems import Problem

SLOWER, FREE_SECONDS = 25, 0.1
"""How much more time than the valid content for its size, and how much in any case."""
LONGEST_LINE = 3_000
"""Characters of a message: a path, a name and a value, each of which is cut."""
CASE_SECONDS, SPECIAL_SECONDS = 20.0, 60.0
LARGE = 100 << 20
MOST_MEMORY = 12 * LARGE
_MESSAGE = re.compile(r"(?s).*?\S: \S.*; \S")


class Hangs(BaseException):
    """A case does not end."""


class Ending(NamedTuple):
    """How a case ended: with ``accepted``, ``refused`` or a fault, and after how many seconds of processor time."""

    how: str
    seconds: float
    message: str = ""


def main() -> int:
    """Run the campaign and print its table; return 1 if a reader has failed."""
    parser = argparse.ArgumentParser(description="A fuzz campaign against everything that tokensync reads.")
    parser.add_argument("--cases", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", type=int, metavar="NUMBER", help="run one case of the seed, and print it")
    parser.add_argument("--body", default="", help="only readers whose name has this text")
    parser.add_argument("--minutes", type=float, default=0.0, help="stop after this time, with the cases so far")
    parser.add_argument("--special", action="store_true", help="also the large contents, with any number of cases")
    options = parser.parse_args()
    started = time.monotonic()
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK | os.X_OK) else None  # noqa: S108 - a folder of its own in it
    with tempfile.TemporaryDirectory(dir=memory, prefix="tokensync-fuzz-") as scratch:
        if options.only is not None:
            return _only(options, Path(scratch))
        rows = _counted(options, Path(scratch))
        failures = _report(rows, options, time.monotonic() - started)
        if options.special or options.cases >= 1_000_000:
            failures += _report_specials(_specials(options, Path(scratch)))
        print(f"\n{failures} failures.")
    is_complete = options.minutes or sum(row["cases"] for row in rows.values()) == options.cases
    return 0 if is_complete and not failures else 1


def bodies_in(folder: Path) -> list[Body]:
    """Return all readers, after making their world in a folder, which becomes the working folder."""
    world = World(folder)
    world.enter()
    return [*platform_readers.bodies(world), *project_readers.bodies(world), *code_readers.bodies(world)]


class Reader:
    """A body with its examples, and the seconds per byte that the valid ones take."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self.examples = [Example(content, body.form) for content in body.examples]
        self.seconds = {}
        for content in body.examples:
            endings = [ending_of(body.read, content) for _ in range(3)]
            if endings[-1].how == "failed":
                raise RuntimeError(f"{body.name}: {endings[-1]}")
            self.seconds[len(content)] = min(ending.seconds for ending in endings)

    def content(self, seed: int, number: int) -> bytes:
        """Return the content of a case."""
        chance = random.Random(f"{seed}/{self.body.name}/{number}")
        content = mutated(chance.choice(self.examples), self.examples, chance)
        seals = self.body.seal is not None and chance.random() < 0.8
        return self.body.seal(content) if seals and self.body.seal else content

    def run(self, content: bytes) -> Ending:
        """Read a content. One that is slow is read again, since other programs slow it down, too."""
        ending = ending_of(self.body.read, content)
        most = FREE_SECONDS + SLOWER * max(
            seconds * max(1, len(content) / size) for size, seconds in self.seconds.items()
        )
        for _ in range(2):
            if ending.seconds <= most:
                return ending
            ending = min(ending, ending_of(self.body.read, content), key=lambda ending: ending.seconds)
        return ending if ending.seconds <= most else Ending("failed", ending.seconds, f"more than {most:.2f} s")


def ending_of(read: Callable[[bytes], object], content: bytes) -> Ending:
    """Read a content, and judge how that ends."""
    printed = io.StringIO()
    message, how = "", "accepted"
    began = time.process_time()
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            found = read(content)
            if found is False:
                how = "refused"
            elif found is not None and found is not True:
                how, message = _judged(found)  # type: ignore[arg-type]
    except TokensyncError as error:
        how = "refused"
        message = _flaw(str(error), is_whole=True)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001 - what the campaign is about
        place = traceback.extract_tb(error.__traceback__)[-1]
        message = f"{type(error).__name__}: {str(error)[:200]} ({Path(place.filename).name}:{place.lineno})"
    seconds = time.process_time() - began
    if not message and printed.getvalue():
        message = f"it prints {printed.getvalue()[:200]!r}"
    return Ending("failed" if message else how, seconds, message)


def _judged(problems: Sequence[Problem]) -> tuple[str, str]:
    problems = tuple(problems)
    flaws = filter(None, (_flaw(str(problem)) for problem in problems))
    return "refused" if any(problem.severity == "error" for problem in problems) else "accepted", next(flaws, "")


def _flaw(text: str, *, is_whole: bool = False) -> str:
    """Return what is wrong with a message."""
    lines = text.split("\n")
    if is_whole and not _MESSAGE.match(text):
        return f"the message is not where: what; what to do: {text[:200]!r}"
    longest = max(map(len, lines))
    return f"a message of {longest} characters: {text[:120]!r}" if longest > LONGEST_LINE else ""


def _limited(seconds: float) -> None:
    def stop(*_: object) -> None:
        raise Hangs

    signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)


def _only(options: argparse.Namespace, scratch: Path) -> int:
    readers = turns(_readers(options, scratch))
    reader = readers[options.only % len(readers)]
    content = reader.content(options.seed, options.only)
    sys.stdout.buffer.write(content[:20_000])
    sys.stdout.flush()
    ending = reader.run(content)
    print(f"\n--- {reader.body.name}, case {options.only}: {ending}", file=sys.stderr)
    if ending.how == "failed":
        with contextlib.suppress(TokensyncError):
            reader.body.read(content)
    return int(ending.how == "failed")


def _readers(options: argparse.Namespace, scratch: Path) -> list[Reader]:
    warnings.simplefilter("error")
    return [Reader(body) for body in bodies_in(scratch) if options.body in body.name]


def turns(readers: Sequence[Reader]) -> list[Reader]:
    """Return the readers in the order in which they get cases."""
    return [reader for turn in range(4) for reader in readers if turn < reader.body.share]


def _counted(options: argparse.Namespace, scratch: Path) -> dict[str, dict[str, float]]:
    """Run all cases in workers, and return the counts of each reader by its name."""
    rows: dict[str, dict[str, float]] = {}
    at = mmap.mmap(-1, 8 * options.workers)
    running: dict[int, int] = {}
    reading, writing = os.pipe()
    for worker in range(options.workers if options.cases else 0):
        running[_started(options, scratch, worker, 0, at, writing)] = worker
    with os.fdopen(reading, encoding="utf-8") as lines:
        while running:
            pid, status = os.waitpid(-1, 0)
            worker = running.pop(pid)
            if os.WIFEXITED(status) and status:
                sys.exit("a worker could not start")
            if status:  # a signal: a reader has ended the process
                number = int.from_bytes(at[8 * worker : 8 * worker + 8], "little")
                print(f"case {number}: the process ended with {status}", flush=True)
                running[_started(options, scratch, worker, number + options.workers, at, writing)] = worker
                _add(rows, f"case {number}", {"cases": 1, "failed": 1})
        os.close(writing)
        for line in lines:
            name, counts = json.loads(line)
            _add(rows, name, counts)
    return rows


def _add(rows: dict[str, dict[str, float]], name: str, counts: dict[str, float]) -> None:
    row = rows.setdefault(name, dict.fromkeys(("cases", "accepted", "refused", "failed", "slowest"), 0))
    for key, count in counts.items():
        row[key] = max(row[key], count) if key == "slowest" else row[key] + count


def _started(options: argparse.Namespace, scratch: Path, worker: int, first: int, at: mmap.mmap, writing: int) -> int:
    """Start a worker, which writes the number of its case to ``at``, and its counts to the pipe at its end."""
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        folder = scratch / f"worker-{worker}-{first}"
        folder.mkdir()
        rows = _work(turns(_readers(options, folder)), options, worker, first, at)
        os.write(writing, "".join(json.dumps([name, row]) + "\n" for name, row in rows.items()).encode())
        code = 0
    except BaseException:  # noqa: BLE001 - the parent learns of it by the code
        traceback.print_exc()
    os._exit(code)


def _work(
    readers: list[Reader], options: argparse.Namespace, worker: int, first: int, at: mmap.mmap | bytearray
) -> dict[str, dict[str, float]]:
    rows: dict[str, dict[str, float]] = {}
    shown: dict[str, int] = {}
    until = time.monotonic() + options.minutes * 60 if options.minutes else float("inf")
    for number in range(first or worker, options.cases, options.workers):
        if time.monotonic() > until:
            break
        at[8 * worker : 8 * worker + 8] = number.to_bytes(8, "little")
        reader = readers[number % len(readers)]
        _limited(CASE_SECONDS)
        try:
            ending = reader.run(reader.content(options.seed, number))
        except Hangs:
            ending = Ending("failed", CASE_SECONDS, "it does not end")
        name = reader.body.name
        _add(rows, name, {"cases": 1, ending.how: 1, "slowest": ending.seconds})
        shown[name] = shown.get(name, 0) + (ending.how == "failed")
        if ending.how == "failed" and shown[name] <= 20:
            print(f"case {number}: {name}: {ending.message}", flush=True)
    _limited(0)
    return rows


# --- large contents ---------------------------------------------------------------------------------------------------


def _specials(options: argparse.Namespace, scratch: Path) -> list[tuple[str, str, Ending, int]]:
    """Return the reader, kind, ending and peak bytes of each large content."""
    folder = scratch / "special"
    folder.mkdir()
    found = []
    for reader in _readers(options, folder):
        kinds = {
            "nesting": deep(reader.examples[0]),
            "100 MB": large(reader.examples[0], LARGE),
            "references": iter(reader.body.expansions),
        }
        for kind, contents in kinds.items():
            for content in contents:
                ending, memory = _apart(reader, content)
                found.append((reader.body.name, kind, ending, memory))
                if ending.how == "failed":
                    print(f"{reader.body.name}: {kind}: {content[:40]!r}: {ending.message}", flush=True)
    return found


def _apart(reader: Reader, content: bytes) -> tuple[Ending, int]:
    """Read a content in a process of its own with limits, and return how that ended, and the bytes that it took."""
    reading, writing = os.pipe()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    pid = os.fork()
    if not pid:
        try:
            resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY * 2, MOST_MEMORY * 2))
            _limited(SPECIAL_SECONDS)
            ending = ending_of(reader.body.read, content)
            memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
            os.write(writing, json.dumps([*ending, memory]).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as answer:
        text = answer.read()
    status = os.waitpid(pid, 0)[1]
    if not text:
        return Ending("failed", SPECIAL_SECONDS, f"the process ended with {status}"), 0
    how, seconds, message, memory = json.loads(text)
    if how != "failed" and memory > MOST_MEMORY:
        how, message = "failed", f"it took {memory >> 20} MB"
    return Ending(how, seconds, message), memory


# --- the report -------------------------------------------------------------------------------------------------------


def _report(rows: dict[str, dict[str, float]], options: argparse.Namespace, seconds: float) -> int:
    """Print a row for each reader and a sum, and return the number of failures."""
    print("| body | cases | accepted | refused | failures | slowest ms |\n| --- |" + " ---: |" * 5)
    total: dict[str, dict[str, float]] = {}
    for row in rows.values():
        _add(total, "all", row)
    for name, row in [*rows.items(), *total.items()]:
        counts = (f"{int(row[key]):,}" for key in ("cases", "accepted", "refused", "failed"))
        print(f"| {name} | {' | '.join(counts)} | {1000 * row['slowest']:,.1f} |")
    print(f"\n{int(total['all']['cases']) if rows else 0:,} cases in {seconds:.0f} s (seed {options.seed}).")
    sys.stdout.flush()
    return int(total.get("all", {}).get("failed", 0))


def _report_specials(specials: list[tuple[str, str, Ending, int]]) -> int:
    """Print a row for each kind of large content, and return the number of failures."""
    print("\n| large content | cases | accepted | refused | failures | slowest s | most MB |")
    print("| --- |" + " ---: |" * 6)
    return sum(_special_row(kind, specials) for kind in ("nesting", "100 MB", "references"))


def _special_row(kind: str, specials: list[tuple[str, str, Ending, int]]) -> int:
    own = [(name, ending, memory) for name, of, ending, memory in specials if of == kind]
    counts = [sum(ending.how == how for _, ending, _ in own) for how in ("accepted", "refused", "failed")]
    slowest, slow_body = max(((ending.seconds, name) for name, ending, _ in own), default=(0.0, ""))
    most, large_body = max(((memory, name) for name, _, memory in own), default=(0, ""))
    cells = (f"{len(own):,}", *(f"{count:,}" for count in counts))
    print(f"| {kind} | {' | '.join(cells)} | {slowest:.1f} ({slow_body}) | {most >> 20:,} ({large_body}) |")
    return counts[-1]


if __name__ == "__main__":
    sys.exit(main())
