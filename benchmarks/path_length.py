"""Counts how long the way of one number into CSS is: the functions and modules that run for it.

The command line builds CSS from a response with one FLOAT variable, and every call of a function of the package is
noted. What is no part of the way does not count: imports, the command line, configuration, and reading and writing
files (OUTSIDE).

    python benchmarks/path_length.py
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import CodeType, FrameType

RESPONSE = {
    "status": 200,
    "error": False,
    "meta": {
        "variableCollections": {
            "VariableCollectionId:1:1": {
                "id": "VariableCollectionId:1:1",
                "name": "Spacing",
                "key": "c" * 40,
                "remote": False,
                "hiddenFromPublishing": False,
                "defaultModeId": "1:0",
                "modes": [{"modeId": "1:0", "name": "Default"}],
                "variableIds": ["VariableID:1:2"],
            }
        },
        "variables": {
            "VariableID:1:2": {
                "id": "VariableID:1:2",
                "name": "gap",
                "key": "a" * 40,
                "variableCollectionId": "VariableCollectionId:1:1",
                "resolvedType": "FLOAT",
                "valuesByMode": {"1:0": 8},
                "remote": False,
                "description": "",
                "hiddenFromPublishing": False,
                "scopes": ["GAP"],
                "codeSyntax": {},
            }
        },
    },
}
OUTSIDE = {
    "__main__",
    "boundary",
    "cli",
    "commands",
    "config",
    "disk",
    "errors",
    "git",
    "outlet",
    "project",
    "resources",
}
"""Rooms and modules of the package that no value passes through."""


def path_of_a_number() -> dict[str, list[str]]:
    """Return the names of the functions that run, by module; raise RuntimeError if the number is not written."""
    with tempfile.TemporaryDirectory() as folder:
        snapshot = os.path.join(folder, "response.json")
        with open(snapshot, "w", encoding="utf-8") as file:
            json.dump(RESPONSE, file)
        output = os.path.join(folder, "out")
        called = _calls_of(["build", "-q", "--snapshot", snapshot, "--platform", "css", "-o", output])
        with open(os.path.join(output, "css", "tokens.css"), encoding="utf-8") as file:
            if "--gap: 8px;" not in file.read():
                raise RuntimeError("the build did not write the number")
    modules: dict[str, set[str]] = {}
    for code in called:
        module = _module_of(code.co_filename)
        if module is not None and module.split(".")[1] not in OUTSIDE:
            modules.setdefault(module, set()).add(code.co_qualname)
    return {module: sorted(names) for module, names in sorted(modules.items())}


def _calls_of(arguments: list[str]) -> set[CodeType]:
    """Return the code of every function that the command line calls, but for what runs while a module is imported."""
    from tokensync.__main__ import main

    called: set[CodeType] = set()
    importing = 0

    def note(frame: FrameType, event: str, _: object) -> None:
        nonlocal importing
        code = frame.f_code
        if code.co_name == "<module>":
            importing += {"call": 1, "return": -1}.get(event, 0)
        elif event == "call" and not importing and (code.co_name[0] != "<" or code.co_name == "<lambda>"):
            called.add(code)

    before = sys.argv
    sys.argv = ["tokensync", *arguments]
    sys.setprofile(note)
    try:
        main()
    except SystemExit as stopped:
        if stopped.code:
            raise RuntimeError(f"the build ended with {stopped.code}") from stopped
    finally:
        sys.setprofile(None)
        sys.argv = before
    return called


def _module_of(path: str) -> str | None:
    """Return the dotted name of a module of the package, None for any other file."""
    import tokensync

    root = os.path.dirname(os.path.abspath(tokensync.__file__))
    if not path.startswith(root + os.sep):
        return None
    parts = os.path.relpath(path, root).removesuffix(".py").split(os.sep)
    return ".".join(["tokensync", *(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)])


def main() -> None:
    """Print the functions of each module, then how many there are."""
    modules = path_of_a_number()
    for module, names in modules.items():
        print(f"{module}\n" + "".join(f"    {name}\n" for name in names), end="")
    print(f"\n{sum(map(len, modules.values()))} functions in {len(modules)} modules")


if __name__ == "__main__":
    main()
