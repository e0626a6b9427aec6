"""The cost of a program: seconds, processor time and memory of a new process, and medians over interleaved runs.

Processor seconds of two runs differ by up to a quarter on a busy machine; counts of instructions by a thousandth.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from functools import cache
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_RSS_UNIT = 1 if sys.platform == "darwin" else 1024  # what ru_maxrss counts in

# A process that is about to become another program counts as that program until then: its peak is at least the memory
# of the process that started it. So a small Python of its own starts each one, and does nothing else.
_LAUNCHER = """
import json, os, sys, time
start = time.perf_counter()
process = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ)
_, status, usage = os.wait4(process, 0)
wall = time.perf_counter() - start
with open(int(sys.argv[1]), "w") as report:
    json.dump([os.waitstatus_to_exitcode(status), wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss], report)
"""


class Cost(NamedTuple):
    """The cost of one process: elapsed seconds, seconds of processor time, and peak memory in bytes."""

    wall: float
    processor: float
    peak: int


class Program(NamedTuple):
    """A command line and the folder it runs in. The paths in ``makes`` are removed before each run.

    ``accepts`` are the exit codes of success.
    """

    command: Sequence[str]
    folder: str
    makes: tuple[str, ...] = ()
    accepts: tuple[int, ...] = (0,)

    def count(self) -> int:
        """Run the program, and return the instructions of all its processes; 0 where nothing can count them."""
        return self.counted_by(counter()) if counter() else 0

    def counted_by(self, name: str) -> int:
        """Return the instructions by one of the ``COUNTERS``; 0 if it cannot count here."""
        with tempfile.TemporaryDirectory() as folder:
            self._replace(command=(*COUNTERS[name](os.path.join(folder, "report")), *self.command)).run()
            reports = []
            for report in os.listdir(folder):  # valgrind writes one for each process
                with open(os.path.join(folder, report), encoding="utf-8", errors="replace") as file:
                    reports.append(file.read())
        counts = re.findall(r"^(?:==\d+== I +refs: +)?([\d,]+)(?:$|,,instructions)", "\n".join(reports), re.MULTILINE)
        return sum(int(count.replace(",", "")) for count in counts)

    def run(self) -> Cost:
        """Run the program to its end; raise RuntimeError with what it printed when it fails."""
        self.clean()
        reading, writing = os.pipe()
        executable = shutil.which(self.command[0]) or self.command[0]
        launch = [sys.executable, "-I", "-S", "-c", _LAUNCHER, str(writing), executable, *self.command[1:]]
        done = subprocess.run(
            launch,
            cwd=self.folder,
            pass_fds=(writing,),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        os.close(writing)
        with open(reading, encoding="utf-8") as file:
            report = file.read()
        code, wall, processor, peak = json.loads(report) if report else (done.returncode, 0.0, 0.0, 0)
        if code not in self.accepts:
            text = done.stdout.decode(errors="replace")[-4000:]
            raise RuntimeError(f"{' '.join(self.command)}: ended with {code}\n{text}")
        return Cost(wall, processor, peak * _RSS_UNIT)

    def clean(self) -> None:
        """Remove the program's outputs."""
        for name in self.makes:
            path = os.path.join(self.folder, name)
            if os.path.isdir(path):
                shutil.rmtree(path)
            elif os.path.exists(path):
                os.remove(path)


COUNTERS: dict[str, Callable[[str], tuple[str, ...]]] = {
    "perf": lambda report: ("perf", "stat", "-x,", "-o", report, "-e", "instructions:u,instructions:k"),
    "valgrind": lambda report: (
        "taskset", "-c", "0", "valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null",
        "--trace-children=yes", f"--log-file={report}.%p",
    ),
}  # fmt: skip
"""How to start a program that counts instructions. Valgrind does not count the kernel's, and is 40 times slower.

With valgrind, a forked process starts with the count of its parent. On one processor, a build does not fork."""


@cache
def counter() -> str:
    """Return the first of the ``COUNTERS`` that can count here; an empty text if none can."""
    for name in COUNTERS:
        if shutil.which(name):
            with suppress(RuntimeError):  # a container may forbid it
                if Program(("true",), os.curdir).counted_by(name):
                    return name
    return ""


def by_turns(programs: Mapping[str, Program], rounds: int) -> dict[str, Cost]:
    """Return the medians of programs that take turns, so that what else the machine does falls on all of them."""
    costs: dict[str, list[Cost]] = {name: [] for name in programs}
    for _ in range(rounds):
        for name, program in programs.items():
            costs[name].append(program.run())
            os.sync()  # what this one left to write back is not the next one's to pay
    return {name: Cost(*(median(column) for column in zip(*taken, strict=True))) for name, taken in costs.items()}
