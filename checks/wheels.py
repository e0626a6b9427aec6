"""Check that every locked package has a wheel for each system and Python, so that nobody needs a compiler.

Lock files contain digests, not the names of files. So `make lock` lets uv ask the index for these names and writes the
gaps to requirements/wheels.toml. This check compares them with the gaps that are allowed, without a network.
``--newest`` looks at the newest versions instead, because pip installs these even if only their source fits a system.
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
import tempfile
import tomllib
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from packaging.markers import Marker
from packaging.tags import Tag, compatible_tags, cpython_tags, mac_platforms
from packaging.utils import parse_wheel_filename

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

ROOT = Path(__file__).resolve().parent.parent
LOCKS = ROOT / "requirements"
TABLE = LOCKS / "wheels.toml"
PYTHONS = ((3, 11), (3, 12), (3, 13), (3, 14), (3, 15))
LOWEST_PYTHONS = PYTHONS[:-1]
"""Old versions of packages have no wheels for Pythons that are newer than they are."""


def _linux(libc: str, machine: str) -> list[str]:
    if libc == "musl":
        return [f"musllinux_1_{minor}_{machine}" for minor in (2, 1, 0)]
    names = [f"manylinux_2_{minor}_{machine}" for minor in range(28, 4, -1)]  # 2.28: RHEL 8, Debian 10
    return [*names, *(f"{each}_{machine}" for each in ("manylinux2014", "manylinux2010", "manylinux1"))]


SYSTEMS: Mapping[str, tuple[str, str, Sequence[str]]] = {
    "Windows x86-64": ("win32", "AMD64", ["win_amd64"]),
    "Windows arm64": ("win32", "ARM64", ["win_arm64"]),
    "macOS x86-64": ("darwin", "x86_64", [*mac_platforms((11, 0), "x86_64")]),
    "macOS arm64": ("darwin", "arm64", [*mac_platforms((11, 0), "arm64")]),
    **{
        f"{libc} {name}": ("linux", machine, _linux(libc, machine))
        for libc, (name, machine) in product(("glibc", "musl"), (("x86-64", "x86_64"), ("arm64", "aarch64")))
    },
}
"""``sys_platform``, ``platform_machine`` and tags of each system."""

ALLOWED: Mapping[str, Sequence[str]] = {
    # Tools of contributors, who can work in another container than Alpine.
    "grimp": ["musl"],
    "jactionlint": ["musl"],
    "lefthook": ["musl"],
    "playwright": ["musl"],
    "tree-sitter": ["musl arm64"],
    "tree-sitter-kotlin": ["musl arm64"],
    "tree-sitter-typescript": ["musl arm64"],
    "tree-sitter-xml": ["musl arm64"],
    "watchdog": ["musl"],
    # Its source needs no compiler: without one, the parser in Python is installed.
    "pyyaml": ["Windows arm64: 3.11"],
}
"""The gaps that are no fault, by package."""


def gaps(document: Mapping[str, Any], pythons: Sequence[tuple[int, int]]) -> Iterator[tuple[str, str]]:
    """Yield the packages of a ``pylock.toml``, as ``name version``, with a system and Python without a wheel."""
    for package in document["packages"]:
        names = [each["url"].rpartition("/")[2] for each in package.get("wheels", ())]
        tags = frozenset[Tag]().union(*(parse_wheel_filename(name)[3] for name in names))
        marker = Marker(package["marker"]) if "marker" in package else None
        for (system, (platform, machine, platforms)), python in product(SYSTEMS.items(), pythons):
            if marker and not marker.evaluate(_environment(platform, machine, python)):
                continue
            fitting = {*cpython_tags(python, platforms=platforms), *compatible_tags(python, platforms=platforms)}
            if fitting.isdisjoint(tags):
                yield f"{package['name']} {package['version']}", f"{system}: {python[0]}.{python[1]}"


def _environment(platform: str, machine: str, python: tuple[int, int]) -> dict[str, str]:
    """Return the values of markers on a system."""
    version = f"{python[0]}.{python[1]}"
    return {
        "implementation_name": "cpython",
        "os_name": "nt" if platform == "win32" else "posix",
        "platform_machine": machine,
        "platform_python_implementation": "CPython",
        "platform_system": {"win32": "Windows", "darwin": "Darwin", "linux": "Linux"}[platform],
        "python_full_version": f"{version}.0",
        "python_version": version,
        "sys_platform": platform,
    }


def refused(missing: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the gaps that are not allowed, a line each."""
    return [
        f"{package}: {system}"
        for package, systems in missing.items()
        for system in systems
        if not any(system.startswith(each) for each in ALLOWED.get(package.partition(" ")[0], ()))
    ]


def locked_digest() -> str:
    """Return the digest of all lock files."""
    texts = [path.read_text("utf-8") for path in sorted(LOCKS.glob("*.txt"))]
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def table(missing: Mapping[str, Sequence[str]]) -> str:
    """Return the content of requirements/wheels.toml."""
    lines = ["# Which locked packages have no wheel for a system and a Python; made by `make lock` (checks/wheels.py)."]
    lines += [f'lock_files = "{locked_digest()}"', "", "[missing]"]
    lines += [f'"{package}" = {[*systems]}'.replace("'", '"') for package, systems in sorted(missing.items())]
    return "\n".join(lines) + "\n"


def resolved(*arguments: str) -> dict[str, Any]:
    """Return what uv resolves, as ``pylock.toml``, which names all wheels."""
    scripts = "Scripts" if sys.platform == "win32" else "bin"
    uv = str(ROOT / ".venv-installers" / scripts / "uv")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pylock.toml"
        command = [uv, "pip", "compile", "--quiet", "--universal", "--python-version=3.11", "--format=pylock.toml"]
        subprocess.run([*command, f"--output-file={path}", *arguments], check=True, cwd=ROOT)
        return tomllib.loads(path.read_text("utf-8"))


def locked_gaps() -> dict[str, list[str]]:
    """Return the gaps of all lock files, by package."""
    found: dict[str, list[str]] = {}
    for path in sorted(LOCKS.glob("*.txt")):
        pythons = LOWEST_PYTHONS if path.stem == "lowest" else PYTHONS
        for package, system in gaps(resolved("--no-deps", str(path)), pythons):
            systems = found.setdefault(package, [])
            if system not in systems:
                systems.append(system)
    return found


def main() -> int:
    """Check the table, write it, or look at the newest versions."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    ways = parser.add_mutually_exclusive_group()
    ways.add_argument("--write", action="store_true", help="ask the index, and write requirements/wheels.toml")
    ways.add_argument("--newest", action="store_true", help="resolve the newest versions of dependencies and extras")
    chosen = parser.parse_args()
    missing: dict[str, list[str]] = {}
    if chosen.newest:
        for package, system in gaps(resolved("--all-extras", "pyproject.toml"), PYTHONS):
            missing.setdefault(package, []).append(system)
    else:
        if chosen.write:
            TABLE.write_text(table(locked_gaps()), "utf-8", newline="\n")
        written = tomllib.loads(TABLE.read_text("utf-8"))
        if written["lock_files"] != locked_digest():
            print("requirements/wheels.toml: the lock files have changed since; run `make lock`", file=sys.stderr)
            return 1
        missing = written["missing"]
    faults = refused(missing)
    for each in faults:
        print(f"{each}: no wheel; lock another version, or add a marker to pyproject.toml", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
