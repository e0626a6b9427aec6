"""Where a build's time goes, a stage a row: one build under cProfile.

A profiled run is slower than a plain one, and many small calls are overcharged. So the profile gives the shares, and
the seconds are those shares of the processor time of a plain run. A built-in function is charged to its caller.
"""

from __future__ import annotations

import os
import pstats
import subprocess
from collections import Counter

from costs import Program

STAGES = {
    "imports": ("<frozen", "(import)"),
    "read and decode": ("tokensync/extract", "tokensync/dtcg"),
    "normalize": ("tokensync/normalize",),
    "token graph": ("tokensync/tokens",),
    "naming": ("tokensync/generate/naming",),
    "literals": (
        "tokensync/generate/notation",
        "tokensync/generate/scalars",
        *(f"tokensync/generate/targets/{each}/literals" for each in ("css", "android", "ios")),
    ),
    "CSS": ("tokensync/generate/targets/css",),
    "Android": ("tokensync/generate/targets/android",),
    "iOS": ("tokensync/generate/targets/ios",),
    "resolved themes and axes": (
        "tokensync/generate/output",
        "tokensync/generate/axes",
        "tokensync/generate/overrides",
    ),
    "what varies, what depends": ("tokensync/generate/dependencies",),
    "the engine, rows": ("tokensync/generate",),
    "Jinja": ("jinja2", "<template>", "templates/"),
    "write files": ("tokensync/commands", "tokensync/system/disk", "tokensync/system/boundary"),
}
"""The first prefix that fits decides; a file of the package that fits none is shown by its folder."""


def of_build(command: list[str], folder: str, makes: tuple[str, ...]) -> str:
    """Return the Markdown table of a command line that starts with ``python -m tokensync``."""
    Program(command, folder, makes).run()
    plain = Program(command, folder, makes).run().processor
    profile = os.path.join(folder, "build.profile")
    profiled = Program([command[0], "-m", "cProfile", "-o", profile, *command[1:]], folder, makes)
    profiled.clean()
    subprocess.run(profiled.command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder)
    stages = by_stage(pstats.Stats(profile))
    total = sum(stages.values())
    lines = [f"| stage | s (of {plain:.2f}) | share |", "| --- | ---: | ---: |"]
    lines += [
        f"| {name} | {seconds / total * plain:.2f} | {seconds / total:.0%} |"
        for name, seconds in sorted(stages.items(), key=lambda row: -row[1])
        if seconds / total >= 0.005
    ]
    return "\n".join(lines)


def by_stage(stats: pstats.Stats) -> dict[str, float]:
    """Return the seconds spent in each stage itself."""
    stages: Counter[str] = Counter()
    table = stats.stats  # type: ignore[attr-defined]  # the standard library's stub leaves it out
    for (path, _, function), (_, _, own, _, callers) in table.items():
        if path != "~":
            stages[stage_of(path, function)] += own
            continue
        for (caller, _, name), (_, _, share, _) in callers.items():
            if caller != "~":
                stages[stage_of(caller, name)] += share
    return dict(stages)


def stage_of(path: str, function: str) -> str:
    """Return the stage of a function in a file."""
    if function == "<module>":
        return "imports"
    short = path.replace("\\", "/")
    for package in ("/site-packages/", "/tokensync/"):
        before, separator, after = short.rpartition(package)
        if separator and (before or package == "/tokensync/"):
            short = after if package == "/site-packages/" else f"tokensync/{after}"
            break
    for stage, prefixes in STAGES.items():
        if short.startswith(prefixes):
            return stage
    return "/".join(short.split("/")[:2]) if short.startswith("tokensync/") else "standard library and others"
