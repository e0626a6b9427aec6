"""A migration of Tokens Studio tokens with seven themes, in processor seconds and as multiples of parsing their JSON.

The least of several rounds counts, except for the first migration of a process, which has a row of its own. Each
migration has a new project and an empty cache.

The tokens are a core set and a set for each theme: a third of the core are colours, a third lengths and a third
aliases; of 20 tokens of a theme, one has an opacity, and of 25, one is modified.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import tempfile
import time
from contextlib import chdir
from typing import TYPE_CHECKING, Any

from tokensync.dtcg import write
from tokensync.migrate.conversion.graph import convert
from tokensync.migrate.conversion.mapping_file import propose
from tokensync.migrate.migrating import destination, mapping_for, migrate
from tokensync.migrate.readers.source_files import recognize
from tokensync.project.connection import connect

if TYPE_CHECKING:
    from collections.abc import Callable

THEMES = 7
SOURCE = "tokens.json"


def tokens_studio(number: int) -> dict[str, Any]:
    """Return a single file with this number of tokens and its themes."""
    of_core = number * 2 // 5
    of_theme = (number - of_core) // THEMES
    core: dict[str, dict[str, Any]] = {}
    colours = [f"g{at % 40}.t{at}" for at in range(of_core) if at % 3 == 0]
    for at in range(of_core):
        kinds = (
            {"value": f"#{at * 4099 % (1 << 24):06x}", "type": "color"},
            {"value": f"{at % 64}px", "type": "spacing"},
            {"value": f"{{{colours[at * 7 % len(colours)]}}}", "type": "color"},
        )
        core.setdefault(f"g{at % 40}", {})[f"t{at}"] = kinds[at % 3]
    sets = {"core": core}
    for theme in range(THEMES):
        semantic: dict[str, dict[str, Any]] = {}
        for at in range(of_theme):
            reference = f"{{{colours[(at * 7 + theme) % len(colours)]}}}"
            token: dict[str, Any] = {"value": f"rgba({reference}, 0.5)" if at % 20 == 0 else reference, "type": "color"}
            if at % 25 == 1:
                modify = {"type": "lighten", "value": "0.1", "space": "lch"}
                token["$extensions"] = {"studio.tokens": {"modify": modify}}
            semantic.setdefault(f"s{at % 20}", {})[f"t{at}"] = token
        sets[f"theme-{theme}"] = {"semantic": semantic}
    themes = [
        {
            "id": str(each),
            "name": f"Theme {each}",
            "group": "Theme",
            "selectedTokenSets": {"core": "source", f"theme-{each}": "enabled"},
        }
        for each in range(THEMES)
    ]
    return {**sets, "$themes": themes, "$metadata": {"tokenSetOrder": [*sets]}}


def seconds(run: Callable[[], object], rounds: int) -> float:
    """Return the least processor time of a call."""
    found = []
    for _ in range(rounds):
        start = time.process_time()
        run()
        found.append(time.process_time() - start)
    return min(found)


def migration(number: int, *, rehearses: bool) -> float:
    """Return the processor time of migrating so many tokens in a new project, with an empty cache."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as cache:
        os.environ["XDG_CACHE_HOME"] = cache
        with chdir(folder):
            write_source(number)
            start = time.process_time()
            target = destination("design", None)
            recognized = recognize(SOURCE)
            with connect(target.project) as client:
                migrate(target, client, recognized, mapping_for(recognized.source, None), rehearses=rehearses)
            return time.process_time() - start


def write_source(number: int, path: str = SOURCE) -> str:
    """Write the file of the source, by default into the working folder, and return its text."""
    text = json.dumps(tokens_studio(number), indent=2)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return text


def main() -> None:
    """Print a table of the stages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokens", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    gc.disable()  # as in a command
    number, rounds = arguments.tokens, arguments.rounds
    rows = {"100 tokens with the rehearsal, which loads all modules": migration(100, rehearses=True)}
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        text = write_source(number)
        parse = seconds(lambda: json.loads(text), rounds)
        rows["parse the JSON"] = parse
        rows["read the source"] = seconds(lambda: recognize(SOURCE), rounds)
        source = recognize(SOURCE).source
        mapping = propose(source)
        rows["evaluate, assign and convert"] = seconds(lambda: convert(source, mapping, "design"), rounds)
        graph = convert(source, mapping, "design").graph
        rows["write token files"] = seconds(lambda: write(graph, "design"), rounds)
    rows["all, to a plan"] = min(migration(number, rehearses=False) for _ in range(rounds))
    rows["all, with the rehearsal"] = min(migration(number, rehearses=True) for _ in range(rounds))
    print(f"{number:,} tokens, {THEMES} themes, {len(text) / 1e6:.1f} MB of JSON\n")
    print("| stage | s | times the parse |\n| --- | ---: | ---: |")
    for name, spent in rows.items():
        print(f"| {name} | {spent:.3f} | {spent / parse:.0f} |")


if __name__ == "__main__":
    main()
