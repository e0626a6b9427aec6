"""Where a build's time goes, a room a row: from one run under cProfile and one with import times.

A profiled run is slower than a plain one, and calls of Python functions are overcharged; read the shares, not the
seconds. What a built-in function costs is charged to the room that called it.
"""

from __future__ import annotations

import os
import pstats
import subprocess
import sys
from collections import Counter
from typing import NamedTuple

Place = tuple[str, int, str]
Calls = tuple[int, int, float, float]


class Share(NamedTuple):
    """One row: seconds spent in the code itself, and what was called how often where it matters most."""

    name: str
    seconds: float


def of_build(command: list[str], checkout: str, scratch: str) -> str:
    """A Markdown report about a command line that starts with ``python -m tokensync``, run in the checkout."""
    profile = os.path.join(scratch, "build.profile")
    python, arguments = command[0], command[2:]
    profiled = [python, "-m", "cProfile", "-o", profile, "-m", *arguments]
    subprocess.run(profiled, check=True, stdout=subprocess.DEVNULL, cwd=checkout)
    stats = pstats.Stats(profile)
    rooms, functions = _by_room(stats), _by_function(stats)
    total = sum(rooms.values())
    lines = ["| room | s | share |", "| --- | ---: | ---: |"]
    lines += [f"| {room} | {seconds:.2f} | {seconds / total:.0%} |" for room, seconds in rooms.most_common(20)]
    lines += ["", "| function, with the built-ins it calls | s | calls |", "| --- | ---: | ---: |"]
    lines += [f"| {share.name} | {share.seconds:.2f} | {count:,} |" for share, count in functions[:30]]
    lines += ["", "| import | own ms |", "| --- | ---: |"]
    lines += [f"| {name} | {own / 1000:.1f} |" for name, own in _imports(command, checkout, scratch).most_common(15)]
    return "\n".join(lines)


def _by_room(stats: pstats.Stats) -> Counter[str]:
    rooms: Counter[str] = Counter()
    for place, seconds in _charged(stats).items():
        rooms[_room(place[0])] += seconds  # type: ignore[assignment]  # a Counter adds up floats as well
    return rooms


def _by_function(stats: pstats.Stats) -> list[tuple[Share, int]]:
    counts = {place: numbers[1] for place, numbers in _table(stats).items()}
    rows = [
        (Share(f"{_short(place[0])}:{place[1]} {place[2]}", seconds), counts[place])
        for place, seconds in _charged(stats).items()
    ]
    return sorted(rows, key=lambda row: -row[0].seconds)


def _table(stats: pstats.Stats) -> dict[Place, tuple[int, int, float, float, dict[Place, Calls]]]:
    return dict(stats.stats)  # type: ignore[attr-defined]  # the standard library's stub leaves it out


def _charged(stats: pstats.Stats) -> dict[Place, float]:
    """Own seconds of each Python function, and those of the built-in functions that it calls."""
    charged: dict[Place, float] = {}
    for place, (_, _, own, _, callers) in _table(stats).items():
        if place[0] != "~":
            charged[place] = charged.get(place, 0.0) + own
            continue
        for caller, (_, _, share, _) in callers.items():
            if caller[0] != "~":
                charged[caller] = charged.get(caller, 0.0) + share
    return charged


def _short(path: str) -> str:
    """The path from the package's folder on."""
    parts = path.replace("\\", "/").split("/")
    for package in ("tokensync", "site-packages"):
        if package in parts[:-1]:
            last = len(parts) - 1 - parts[::-1].index(package)
            return "/".join(parts[last + (package == "site-packages") :])
    return "/".join(parts[-2:])


def _room(path: str) -> str:
    short = _short(path).split("/")
    if short[0] == "tokensync":
        return "/".join(short[:2])
    if path.startswith("<frozen importlib"):
        return "(imports)"
    if path.startswith("<template>") or "templates" in path:
        return "(compiled templates)"
    return f"({short[0]})"


def _imports(command: list[str], checkout: str, scratch: str) -> Counter[str]:
    """Microseconds of each imported module on its own, when the command runs from warm byte code."""
    plain = subprocess.run(
        [sys.executable, "-X", "importtime", *command[1:-1], os.path.join(scratch, "again")],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        cwd=checkout,
        text=True,
    )
    taken: Counter[str] = Counter()
    for line in plain.stderr.splitlines():
        parts = line.removeprefix("import time:").split("|")
        if line.startswith("import time:") and len(parts) == 3 and parts[0].strip().isdigit():
            taken[parts[2].strip()] += int(parts[0])
    return taken
