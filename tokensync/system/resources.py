"""Find the shipped files: the top-level folders ``templates``, ``config``, ``docs`` and ``examples``.

In a wheel they are in ``tokensync/_data``; in a checkout (and an editable install) beside the package. The code that
decides about outputs is that of the package and of the packages that shape values.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_SHIPPED = os.path.join(_PACKAGE, "_data")
ROOT = _SHIPPED if os.path.isdir(_SHIPPED) else os.path.dirname(_PACKAGE)
"""The folder that holds ``templates``, ``config``, ``docs`` and ``examples``."""


def path(*parts: str) -> str:
    """Return the absolute path of a shipped file or folder, for example ``path("templates", "css")``."""
    return os.path.join(ROOT, *parts)


def read_bytes(*parts: str) -> bytes:
    """Return the content of a shipped file."""
    with open(path(*parts), "rb") as file:
        return file.read()


def read_text(*parts: str) -> str:
    """Return the content of a shipped text file."""
    return read_bytes(*parts).decode("utf-8")


def plugin_source(*names: str) -> str:
    """Return the joined text of these files of the plugin for Figma's editor."""
    parts = []
    for name in names:
        with open(os.path.join(_PACKAGE, "bridge", "plugin", name), encoding="utf-8") as file:
            parts.append(file.read())
    return "\n".join(parts)


_SHAPING = ("coloraide", "jinja2", "markupsafe", "msgspec")
"""The packages that convert or write values. The others only validate, parse arguments or send requests."""
_BESIDE = tuple(os.path.join(_PACKAGE, room, "") for room in ("action", "bridge", "emulator", "mcp", "migrate"))
"""The rooms beside the core, a third of all files. The core does not import them, so they decide about no output."""


@cache
def code_files() -> tuple[str, ...]:
    """Return the paths of the modules that decide about outputs: of tokensync and of packages that shape values.

    A long process, such as a watch, keeps the code that it has loaded, so they are looked for once.
    """
    from importlib.util import find_spec

    specs = map(find_spec, _SHAPING)
    folders = (os.path.dirname(spec.origin) for spec in specs if spec and spec.origin)
    files = (file for folder in (_PACKAGE, *folders) for file in files_below(folder, (".py", ".pyd", ".so")))
    return tuple(file for file in files if not file.startswith(_BESIDE))


@cache
def program_digest() -> str:
    """Return the digest of what decides about outputs besides a project: Python, modules, templates and rules.

    A version is not enough: a checkout and a reinstalled package change without a new one. Schemas and the OpenAPI
    document in ``config/`` decide about no output. A long process, such as a watch, keeps the code that it has loaded,
    so the digest is cached.
    """
    import hashlib
    import sys

    files = (*code_files(), *files_below(path("templates")), *files_below(path("config"), (".toml",)))
    # Every change of a file sets its change time (on Windows, its modification time, by which Python knows it, too).
    # To read their 6 MB would take as long as the build of 300 tokens.
    statuses = map(os.stat, files)
    numbers = [(status.st_size, status.st_mtime_ns, status.st_ctime_ns) for status in statuses]
    return hashlib.sha256(f"{sys.version} {files} {numbers}".encode("utf-8", "surrogateescape")).hexdigest()


def files_below(folder: str, suffixes: tuple[str, ...] = ("",)) -> Iterator[str]:
    """Yield the paths of the files below a folder whose names have one of the suffixes, in order."""
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        yield from (os.path.join(parent, name) for name in sorted(names) if name.endswith(suffixes))
