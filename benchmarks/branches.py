"""Which branches of the rooms that changes pass through no test takes.

The tests run under coverage.py, and so do the programs that they start. A branch is a way out of a line that has
several: of a condition, a loop, or a case. The table that is printed is Markdown; below it are the branches that
remain.

    python benchmarks/branches.py                         almost all tests, some of which need Node
    python benchmarks/branches.py -n 0 tests/plan         other arguments of pytest
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from mutants import CHECKOUT, PACKAGE, ROOMS

SETTINGS = """
[run]
branch = true
source = {package}
data_file = {folder}/data
patch = subprocess, _exit
[report]
include = {places}
exclude_also =
    if TYPE_CHECKING:
    @overload
"""
OTHERS = ("outside", "house", "benchmarks", "bridge/test_whole_stack.py")
"""Tests of generated code, of the repository and of campaigns, which take long."""
MARKED = ("-m", "outside or not outside")  # else tests that need Node are skipped
USUAL = ("-n", "auto", "--dist", "loadgroup", *MARKED, *(f"--ignore=tests/{name}" for name in OTHERS))


def main(arguments: list[str]) -> int:
    """Run the tests, and print the table and the branches that none has taken."""
    places = [PACKAGE / place for names, _ in ROOMS.values() for place in names]
    with tempfile.TemporaryDirectory(prefix="tokensync-branches-") as folder:
        settings, result = Path(folder, "settings"), Path(folder, "result.json")
        included = ", ".join(str(place / "*" if place.is_dir() else place) for place in places)
        settings.write_text(SETTINGS.format(package=PACKAGE, folder=folder, places=included), encoding="utf-8")
        coverage = [sys.executable, "-m", "coverage"]
        chosen = [f"--rcfile={settings}"]
        tests = [*coverage, "run", *chosen, "-m", "pytest", "-q", "-p", "no:cacheprovider", *(arguments or USUAL)]
        ended = subprocess.run(tests, cwd=CHECKOUT, env={**os.environ, "CI": "true"}, check=False).returncode
        subprocess.run([*coverage, "combine", *chosen, "--quiet"], cwd=CHECKOUT, check=True)
        subprocess.run([*coverage, "json", *chosen, "--quiet", "-o", str(result)], cwd=CHECKOUT, check=True)
        files = json.loads(result.read_text(encoding="utf-8"))["files"]
    print("\n| room | branches | taken | % |\n| --- | ---: | ---: | ---: |")
    remaining = []
    for room, (names, _) in ROOMS.items():
        number, taken = 0, 0
        for path, file in sorted(files.items()):
            if any(PACKAGE / name in (CHECKOUT / path, *(CHECKOUT / path).parents) for name in names):
                number += file["summary"]["num_branches"]
                taken += file["summary"]["covered_branches"]
                remaining += [f"{path}:{line} -> {to if to > 0 else 'end'}" for line, to in file["missing_branches"]]
        print(f"| {room} | {number:,} | {taken:,} | {taken / number:.1%} |")
    print("", *remaining, sep="\n")
    return ended


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
