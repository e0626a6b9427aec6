"""Prints the shape of the package: modules, lines, imports, and the functions on the way of two ordinary jobs.

A function counts once, whatever it is called; lambdas and comprehensions count with the function around them. The
emulator does not count: it stands for the platform.
"""

from __future__ import annotations

import ast
import inspect
import json
import statistics
import subprocess
import sys
import tempfile
import threading
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import CodeType, FrameType

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "tokensync"
SMALL = 40  # lines


class Module:
    """One file: its lines, those of its imports, and the modules of the package that it imports."""

    def __init__(self, path: Path) -> None:
        text = path.read_text(encoding="utf-8")
        parts = path.relative_to(ROOT).with_suffix("").parts
        self.name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        self.folder = path.parent
        self.lines = text.count("\n")
        self.import_lines = 0
        self.names: set[str] = set()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import | ast.ImportFrom):
                self.import_lines += (node.end_lineno or node.lineno) - node.lineno + 1
            if isinstance(node, ast.ImportFrom) and node.module:
                self.names |= {node.module, *(f"{node.module}.{each.name}" for each in node.names)}
            elif isinstance(node, ast.Import):
                self.names |= {each.name for each in node.names}


def modules() -> dict[str, Module]:
    """Return every module that git tracks, by its dotted name."""
    listed = subprocess.run(
        ["git", "ls-files", "tokensync/*.py"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    return {each.name: each for each in (Module(ROOT / path) for path in listed.split())}


def rows() -> Iterator[tuple[str, str]]:
    """Yield the figures of the tree, each with its name."""
    all_modules = modules()
    lines = [each.lines for each in all_modules.values()]
    importers: dict[str, set[str]] = defaultdict(set)
    for each in all_modules.values():
        for name in each.names & all_modules.keys() - {each.name}:
            importers[name].add(each.name)
    lonely = [
        name
        for name, by in importers.items()
        if len(by) == 1
        and all_modules[next(iter(by))].folder == all_modules[name].folder
        and all_modules[name].lines < 150
    ]
    total = sum(lines)
    yield "modules", f"{len(lines):,}"
    yield "lines", f"{total:,}"
    yield "median lines of a module", f"{statistics.median(lines):.0f}"
    yield f"modules under {SMALL} lines", f"{sum(each < SMALL for each in lines):,}"
    yield "imports, of all lines", f"{sum(each.import_lines for each in all_modules.values()) / total:.1%}"
    yield "modules under 150 lines with one importer, in their own folder", f"{len(lonely):,}"


def traced(job: Callable[[], object]) -> tuple[int, int]:
    """Return how many functions of how many modules a job calls."""
    seen: set[CodeType] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            seen.add(frame.f_code)

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        job()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    inside = str(PACKAGE)
    emulator = str(PACKAGE / "emulator")
    codes = {
        (code.co_filename, code.co_firstlineno)
        for code in seen
        if code.co_filename.startswith(inside)
        and not code.co_filename.startswith(emulator)
        and not code.co_name.startswith("<")
        and code.co_flags & inspect.CO_NEWLOCALS  # a function, no class body
    }
    return len(codes), len({path for path, _ in codes})


def a_number_to_css() -> tuple[int, int]:
    """Return what a response with one number passes on its way to a line of CSS."""
    from tokensync.commands.build import build_snapshot

    with tempfile.TemporaryDirectory() as folder:
        response = Path(folder, "design.json")
        response.write_text(json.dumps(_response()), encoding="utf-8")
        build_snapshot(str(response), None, f"{folder}/warm", ["css"])
        return traced(lambda: build_snapshot(str(response), None, f"{folder}/made", ["css"]))


def an_edit_to_its_body() -> tuple[int, int]:
    """Return what an edited token passes from the token files to the body of a request."""
    from tokensync.commands.emulator import read_seeds, seed
    from tokensync.commands.plan import plan
    from tokensync.commands.pull import pull
    from tokensync.plan.batches import batches_of
    from tokensync.project.configuration import load_project
    from tokensync.project.connection import connect, embedded_emulator

    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "tokensync.toml").write_text(
            'base_url = "emulator:"\n[[files]]\nname = "design"\nkey = "design-key"\n', encoding="utf-8"
        )
        response = Path(folder, "design.json")
        response.write_text(json.dumps(_response()), encoding="utf-8")
        project = load_project(f"{folder}/tokensync.toml")
        with embedded_emulator(project) as emulator:
            seed(emulator, read_seeds([str(response)], ["design-key"]))
        with connect(project) as client:
            pull(project, client)
            (path,) = Path(folder, "tokens", "design").rglob("*.tokens.json")
            path.write_text(path.read_text(encoding="utf-8").replace("16", "18"), encoding="utf-8")
            plan(project, client)

            def job() -> None:
                from tokensync.apply.reading import Reading

                file_plan = plan(project, client).file.plans[0]
                state = Reading("design", client.variables.local("design-key")).state
                bodies = [each.body({}) for each in batches_of(file_plan.operations, state)]
                if len(bodies) != 1:
                    raise RuntimeError(f"{len(bodies)} requests for one edit")

            return traced(job)


def _response() -> dict[str, Any]:
    collection = {
        "id": "VariableCollectionId:1:1",
        "name": "Size",
        "key": "c" * 40,
        "modes": [{"modeId": "1:0", "name": "Mode 1"}],
        "defaultModeId": "1:0",
        "remote": False,
        "hiddenFromPublishing": False,
        "variableIds": ["VariableID:1:2"],
    }
    variable = {
        "id": "VariableID:1:2",
        "name": "gap",
        "key": "d" * 40,
        "variableCollectionId": collection["id"],
        "resolvedType": "FLOAT",
        "valuesByMode": {"1:0": 16},
        "remote": False,
        "description": "",
        "hiddenFromPublishing": False,
        "scopes": ["ALL_SCOPES"],
        "codeSyntax": {},
    }
    meta = {"variables": {variable["id"]: variable}, "variableCollections": {collection["id"]: collection}}
    return {"status": 200, "error": False, "meta": meta}


def main() -> int:
    """Print the figures, one a line."""
    for name, figure in rows():
        print(f"{name:<66}{figure:>8}")
    for name, job in (
        ("a number to a line of CSS", a_number_to_css),
        ("an edit to its POST body", an_edit_to_its_body),
    ):
        functions, files = job()
        print(f"{name:<66}{functions:>8} functions in {files} modules")
    return 0


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    raise SystemExit(main())
