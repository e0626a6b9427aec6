"""Measures planning against reading: 1 % of a library is edited in its token files, and `tokensync plan` plans that.

Reading is what nobody can do without: the response and the token files, both to graphs. Planning is the whole command,
those two included, but for the network: the lock, the merge, the rules, the batches and the plan's file. Each runs in a
process of its own, in turns; medians of processor time are compared. The table that it prints is Markdown.

    python benchmarks/planning.py                              50,000 variables x 4 modes
    python benchmarks/planning.py --size 5000x4 --rounds 9     another size
    python benchmarks/planning.py --breakdown                  where the planning's time goes, a function a row
"""

from __future__ import annotations

import argparse
import cProfile
import gc
import json
import os
import pstats
import subprocess
import sys
import tempfile
import time
from random import Random
from statistics import median
from typing import TYPE_CHECKING

import generate_response

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from wsgiref.types import StartResponse, WSGIEnvironment

RESPONSE = "response.json"
NOTHING_PUBLISHED = b'{"status":200,"error":false,"meta":{"variables":{},"variableCollections":{}}}'
EDITED_SHARE = 0.01
MOST = 3.0
"""How many times the reading a plan may cost."""


def main() -> int:
    """Print the table; 1 when planning costs more than it may."""
    parser = argparse.ArgumentParser(description="Planning against reading both sides.")
    parser.add_argument("--size", default="50000x4", help="VARIABLESxMODES")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--breakdown", action="store_true", help="profile one plan instead")
    parser.add_argument("--run", nargs=2, metavar=("WHAT", "FOLDER"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        _run(*options.run)
        return 0
    variables, modes = map(int, options.size.split("x"))
    with tempfile.TemporaryDirectory(prefix="tokensync-plan-") as folder:
        edited = prepare(folder, variables, modes, options.seed)
        if options.breakdown:
            _profile(folder)
            return 0
        costs: dict[str, list[float]] = {"read": [], "plan": []}
        for _ in range(options.rounds):
            for what, seconds in costs.items():
                seconds.append(float(_in_a_process(what, folder)))
    reading, planning = median(costs["read"]), median(costs["plan"])
    print("| variables x modes | edited | reading s | planning s | ratio | at most |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: |")
    ratio = planning / reading
    print(f"| {variables:,} x {modes} | {edited:,} | {reading:.2f} | {planning:.2f} | {ratio:.2f} | {MOST:.0f} |")
    return int(ratio > MOST)


def prepare(folder: str, variables: int, modes: int, seed: int) -> int:
    """Pull the response into a project and edit it; return the number of edited values."""
    from tokensync.commands.pull import pull
    from tokensync.project.configuration import load_project

    with open(os.path.join(folder, RESPONSE), "w", encoding="utf-8", newline="\n") as file:
        file.writelines(generate_response.chunks(variables, modes, seed))
    with open(os.path.join(folder, "tokensync.toml"), "w", encoding="utf-8") as file:
        file.write('base_url = "https://platform.invalid"\n[[files]]\nname = "design"\nkey = "Benchmark"\n')
    project = load_project(os.path.join(folder, "tokensync.toml"))
    with _client(folder) as client:
        pull(project, client)
    return _edit(project.tokens_folder, int(variables * modes * EDITED_SHARE), Random(seed))


def _edit(folder: str, wanted: int, dice: Random) -> int:
    """Change so many literal colours and lengths, spread over all token files."""
    paths = sorted(os.path.join(root, name) for root, _, names in os.walk(folder) for name in names if "tokens" in name)
    documents = {}
    places: list[tuple[str, dict[str, object]]] = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            documents[path] = json.load(file)
        places += [(path, each) for each in _literals(documents[path])]
    chosen = dice.sample(places, wanted)
    for _, token in chosen:
        value = token["$value"]
        if not isinstance(value, dict):
            continue
        if "components" in value:
            value["components"] = [0.125, 0.25, 0.5]
            value.pop("hex", None)
        else:
            value["value"] = 777
    for path in {path for path, _ in chosen}:
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            json.dump(documents[path], file, ensure_ascii=False, indent=2)
            file.write("\n")
    return len(chosen)


def _literals(group: dict[str, object]) -> Iterable[dict[str, object]]:
    for name, each in group.items():
        if not isinstance(each, dict) or (name.startswith("$") and name != "$root"):
            continue
        value = each.get("$value")
        if (
            isinstance(value, dict)
            and not {"components", "unit"}.isdisjoint(value)
            and "org.tokensync" not in str(each)
        ):
            yield each
        yield from _literals(each)


def _client(folder: str) -> object:
    """Return a client whose platform serves the response, and has no published items."""
    from tokensync.client import Client, Credential

    with open(os.path.join(folder, RESPONSE), "rb") as file:
        content = file.read()

    def platform(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        start_response("200 OK", [("Content-Type", "application/json")])
        return [content if environ["PATH_INFO"].endswith("/local") else NOTHING_PUBLISHED]

    return Client("https://platform.invalid", Credential("personal", "benchmark"), wsgi=platform)


def _in_a_process(what: str, folder: str) -> str:
    command = [sys.executable, os.path.abspath(__file__), "--run", what, folder]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def _run(what: str, folder: str) -> None:
    """Print what one of the two costs, imports apart: both need the same ones."""
    work = prepared_reading(folder) if what == "read" else prepared_planning(folder)
    gc.disable()  # as the command does
    started = time.process_time()
    work()
    print(time.process_time() - started)


def prepared_reading(folder: str) -> Callable[[], object]:
    """Return a function that reads both sides, with all modules imported."""
    from tokensync.dtcg import read_folder
    from tokensync.normalize import normalize
    from tokensync.wire import snapshot

    def work() -> object:
        with open(os.path.join(folder, RESPONSE), "rb") as file:
            theirs, _ = normalize(snapshot("design", file.read(), NOTHING_PUBLISHED))
        return theirs, read_folder(os.path.join(folder, "tokens"), "design").graph

    return work


def prepared_planning(folder: str) -> Callable[[], object]:
    """Return a function that makes the whole plan, with all modules imported."""
    from tokensync.commands.plan import plan
    from tokensync.project.configuration import load_project

    project = load_project(os.path.join(folder, "tokensync.toml"))
    client = _client(folder)

    def work() -> object:
        planned = plan(project, client)
        if not planned.changes:
            raise SystemExit("the plan is empty")
        return planned

    return work


def _profile(folder: str) -> None:
    work = prepared_planning(folder)
    profile = cProfile.Profile()
    profile.runcall(work)
    pstats.Stats(profile).sort_stats("cumulative").print_stats(60)


if __name__ == "__main__":
    sys.exit(main())
