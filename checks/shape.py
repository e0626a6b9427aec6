"""Print the size of tokensync and the length of its two ways, and fail where one is larger than CONTRIBUTING.md says.

The ways are counted with ``sys.setprofile`` while the commands run, so no room is left out: from an edited token to its
POST body (``plan``, then ``apply``), and from a saved response to the line of CSS (``build --snapshot``).
"""

from __future__ import annotations

import ast
import contextlib
import glob
import json
import os
import re
import sys
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "tokensync"
CONTRIBUTING = ROOT / "CONTRIBUTING.md"
BESIDE_THE_CORE = ("emulator", "migrate", "action", "bridge", "code", "mcp")
VERBS_OF_MIGRATE = ("migrate", "migrate_code", "migrated_names", "rehearsal")
"""Modules of ``cli`` and ``commands`` that belong to migrate."""
MOST_PUBLIC_NAMES = 12
"""A module with more is listed. Modules that are tables of one kind of thing, such as values, have more."""
MOST_FILES = 3
"""The most files of code that an ordinary change opens."""
FILE_KEY = "aBcDeFgH1234567890abcd"
RESPONSE = {
    "status": 200,
    "error": False,
    "meta": {
        "variables": {
            "VariableID:1:2": {
                "id": "VariableID:1:2",
                "name": "size/base",
                "key": "a" * 40,
                "variableCollectionId": "VariableCollectionId:1:1",
                "resolvedType": "FLOAT",
                "valuesByMode": {"1:0": 4},
                "remote": False,
                "description": "",
                "hiddenFromPublishing": False,
                "scopes": ["ALL_SCOPES"],
                "codeSyntax": {},
            }
        },
        "variableCollections": {
            "VariableCollectionId:1:1": {
                "id": "VariableCollectionId:1:1",
                "name": "Base",
                "key": "b" * 40,
                "modes": [{"modeId": "1:0", "name": "Value"}],
                "defaultModeId": "1:0",
                "remote": False,
                "hiddenFromPublishing": False,
                "variableIds": ["VariableID:1:2"],
            }
        },
    },
}
CONFIGURATION = f"""base_url = "emulator:"
[[files]]
name = "design"
key = "{FILE_KEY}"
[[outputs]]
platform = "css"
path = "out"
"""
_COMPREHENSIONS = ("<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>", "<module>")
"""They belong to their function; the body of a module runs once."""


def product_of(path: Path) -> str:
    """Return ``core``, or the product beside it that a module belongs to."""
    parts = {part.removesuffix(".py") for part in path.relative_to(PACKAGE).parts}
    if path.stem in VERBS_OF_MIGRATE:
        return "migrate"
    return next((product for product in BESIDE_THE_CORE if product in parts), "core")


def sizes() -> dict[str, int]:
    """Return the figures of the source: lines by product, modules, and rooms at the top."""
    modules = {path: path.read_text(encoding="utf-8").count("\n") for path in PACKAGE.rglob("*.py")}
    rooms = [path for path in PACKAGE.iterdir() if (path / "__init__.py").exists() or path.suffix == ".py"]
    by_product = dict.fromkeys(("core", *BESIDE_THE_CORE), 0)
    for path, lines in modules.items():
        by_product[product_of(path)] += lines
    return {
        "lines of tokensync/": sum(modules.values()),
        **{f"lines of {product}": lines for product, lines in by_product.items()},
        "modules": len(modules),
        "rooms at the top": len([room for room in rooms if room.stem not in ("__init__", "__main__", "version")]),
        f"modules with more than {MOST_PUBLIC_NAMES} public names": len(list(wide_modules())),
        f"changes that open more than {MOST_FILES} files of code": sum(
            len([name for name in names if name.endswith(".py")]) > MOST_FILES for _, names in changes()
        ),
    }


def wide_modules() -> Iterator[tuple[str, int]]:
    """Yield the modules with many public functions and classes, and their number."""
    for path in sorted(PACKAGE.rglob("*.py")):
        body = ast.parse(path.read_text(encoding="utf-8")).body
        defined = [node.name for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
        public = [name for name in defined if not name.startswith("_")]
        if len(public) > MOST_PUBLIC_NAMES:
            yield path.relative_to(ROOT).as_posix(), len(public)


class Way:
    """The functions of the package that run, without those of the emulator and of the command line."""

    def __init__(self) -> None:
        self.functions: set[tuple[str, str, int]] = set()

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        """Record a call (the interface of ``sys.setprofile``)."""
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(str(PACKAGE)) or code.co_name in _COMPREHENSIONS:
            return
        room, *rest = os.path.relpath(code.co_filename, PACKAGE).split(os.sep)
        if room not in ("emulator", "cli", "__main__.py"):
            self.functions.add(("/".join((room, *rest)), code.co_qualname, code.co_firstlineno))

    @property
    def length(self) -> tuple[int, int]:
        """The number of functions, and of modules."""
        return len(self.functions), len({path for path, *_ in self.functions})


def run(*arguments: str) -> None:
    """Run a command of tokensync in this process, silently."""
    from tokensync.__main__ import main

    sys.argv = ["tokensync", *arguments]
    with (
        open(os.devnull, "w", encoding="utf-8") as null,
        contextlib.redirect_stdout(null),
        contextlib.redirect_stderr(null),
    ):
        try:
            main()
        except SystemExit as ended:
            if ended.code:
                raise RuntimeError(f"tokensync {' '.join(arguments)} exited with {ended.code}") from None


def way_of(*commands: tuple[str, ...]) -> Way:
    """Return the functions that run in these commands."""
    way = Way()
    threading.setprofile(way)
    sys.setprofile(way)
    try:
        for command in commands:
            run(*command)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return way


def edit(size: int) -> None:
    """Give the only token another size."""
    (path,) = map(Path, glob.glob("tokens/design/*/*.json"))
    text = path.read_text(encoding="utf-8")
    path.write_text(re.sub(r'("(?:\$value|value)": ?)\d+', rf"\g<1>{size}", text), encoding="utf-8")


def ways() -> dict[str, Way]:
    """Return both ways, of one variable. What only the first run of a command imports or creates is not counted."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("design.local.json").write_text(json.dumps(RESPONSE), encoding="utf-8")
        Path("tokensync.toml").write_text(CONFIGURATION, encoding="utf-8")
        run("emulator", "seed", "design.local.json")
        run("pull")
        edit(20)
        run("plan")
        run("apply")
        edit(24)
        outward = way_of(("plan",), ("apply",))
        build = ("build", "--snapshot", "design.local.json", "--platform", "css", "-o")
        run(*build, "first")
        return {"edit to POST": outward, "number to CSS": way_of((*build, "second"))}


def allowed() -> dict[str, int]:
    """Return the figures of the table in CONTRIBUTING.md."""
    section = CONTRIBUTING.read_text(encoding="utf-8").partition("## Shape")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| ([^|]+?) \| ([\d,]+) \|$", section, re.MULTILINE)
    return {name: int(number.replace(",", "")) for name, number in rows}


def changes() -> Iterator[tuple[str, list[str]]]:
    """Yield the changes of the table in CONTRIBUTING.md, with the files and folders that each opens."""
    section = CONTRIBUTING.read_text(encoding="utf-8").partition("## Where do I change")[2].partition("\n## ")[0]
    for change, files in re.findall(r"^\| ([^|]+?) \| (.+) \|$", section, re.MULTILINE)[2:]:
        yield change, re.findall(r"`([\w./-]+\.\w+|[\w.-]+/[\w./-]*)`", files)


def missing_files() -> Iterator[str]:
    """Yield the files and folders of that table that do not exist."""
    for change, names in changes():
        for name in names:
            if "/" in name and not any((root / name).exists() for root in (PACKAGE, ROOT)):
                yield f"CONTRIBUTING.md: {change}: {name} does not exist"


def main() -> int:
    """Print the figures beside their limits, and return 1 if one is exceeded."""
    figures = sizes()
    for name, way in ways().items():
        functions, modules = way.length
        figures |= {f"{name}: functions": functions, f"{name}: modules": modules}
    limits = allowed()
    for name, figure in figures.items():
        print(f"{name:46} {figure:8,}   at most {limits.get(name, 0):,}")
    larger = [name for name, figure in figures.items() if figure > limits.get(name, 0)]
    wrong = [
        f"{name}: {figures[name]:,}; make it smaller, or raise the figure in CONTRIBUTING.md and say why in the commit"
        for name in larger
    ]
    wrong += missing_files()
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
