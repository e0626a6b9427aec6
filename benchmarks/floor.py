"""The floor: the least that any build in Python has to do, as a program of its own.

It reads a response into typed structs and writes files whose bytes were prepared beforehand: the same files, with the
same content, that the build wrote. Nothing in between. ``pack`` makes the blob of them.

    python benchmarks/floor.py RESPONSE BLOB FOLDER
    python benchmarks/floor.py TOKENS                  only decodes each JSON file below the folder
"""

from __future__ import annotations

import os
import sys

import msgspec


class Value(msgspec.Struct):
    """A colour, an alias or a composed colour: the wire does not tag them."""

    type: str | None = None
    id: str | None = None
    r: float | None = None
    g: float | None = None
    b: float | None = None
    a: float | None = None
    color: Value | None = None
    opacity: float | Value | None = None


class Variable(msgspec.Struct, rename="camel"):
    """One variable, with the members that a build needs."""

    id: str
    name: str
    key: str
    variable_collection_id: str
    resolved_type: str
    values_by_mode: dict[str, bool | float | str | Value]
    remote: bool = False
    description: str = ""
    hidden_from_publishing: bool = False
    scopes: list[str] = []
    code_syntax: dict[str, str] = {}


class Mode(msgspec.Struct, rename="camel"):
    """One mode of a collection."""

    mode_id: str
    name: str


class Collection(msgspec.Struct, rename="camel"):
    """One collection, with the members that a build needs."""

    id: str
    name: str
    key: str
    modes: list[Mode]
    default_mode_id: str
    variable_ids: list[str]
    remote: bool = False


class Meta(msgspec.Struct, rename="camel"):
    """The two maps of a response."""

    variables: dict[str, Variable]
    variable_collections: dict[str, Collection]


class Response(msgspec.Struct):
    """The response's envelope."""

    meta: Meta


def pack(folder: str, blob: str) -> int:
    """Write every file below the folder into one blob, as (relative path, bytes) pairs; returns how many there are."""
    files: list[tuple[str, bytes]] = []
    for directory, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(directory, name)
            with open(path, "rb") as file:
                files.append((os.path.relpath(path, folder), file.read()))
    with open(blob, "wb") as file:
        file.write(msgspec.msgpack.encode(files))
    return len(files)


def decode(folder: str) -> None:
    """Read and decode every JSON file below the folder."""
    for directory, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".json"):
                with open(os.path.join(directory, name), "rb") as file:
                    msgspec.json.decode(file.read())


def build(response: str, blob: str, folder: str) -> None:
    """Read the response, then write the blob's files below the folder, which is made if it is not there."""
    with open(response, "rb") as file:
        read = msgspec.json.decode(file.read(), type=Response)
    with open(blob, "rb") as file:
        files = msgspec.msgpack.decode(file.read(), type=list[tuple[str, memoryview]])
    created: set[str] = set()
    for path, content in files:
        target = os.path.join(folder, path)
        directory = os.path.dirname(target)
        if directory not in created:
            created.add(directory)
            os.makedirs(directory, exist_ok=True)
        with open(target, "wb") as output:
            output.write(content)
    if not read.meta.variables:
        raise SystemExit("the response holds no variables")


if __name__ == "__main__":
    if len(sys.argv) > len(("floor.py", "TOKENS")):
        build(*sys.argv[1:])
    else:
        decode(*sys.argv[1:])
