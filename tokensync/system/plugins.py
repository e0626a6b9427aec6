"""Plug-ins: what installed packages add to tokensync, by entry points of these groups.

    tokensync.commands       a command: a click.Command
    tokensync.targets        a target of build: a module with TARGET and render
    tokensync.lint           a rule of lint: a function from a Subject to its problems, whose code is the entry's name
    tokensync.readers        a format of migrate: a module with LABEL, recognized and read
    tokensync.connections    a scheme of base_url: a function from an address and a state file to a Platform

The emulator, migrate and the action are plugged in like the packages of others. An installed package is the user's
word; a checkout only chooses among installed names, and cannot add one (SECURITY.md). Built-in names come first, so
that no package changes what they mean.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module
from operator import attrgetter
from typing import Any, Literal, NamedTuple, get_args

from tokensync.system import resources
from tokensync.system.errors import TokensyncError, UsageError
from tokensync.system.problems import Problem, Severity

Group = Literal["commands", "targets", "lint", "readers", "connections"]

_DISTRIBUTION = "tokensync"


class Entry(NamedTuple):
    """An entry point: its name, the ``module`` or ``module:attribute`` that it is, and the package that has it."""

    name: str
    value: str
    package: str


@cache
def entries(group: Group) -> Mapping[str, Entry]:
    """Return the entry points of a group by name, sorted. Raises UsageError if two packages have the same name."""
    section = f"{_DISTRIBUTION}.{group}"
    installed = [entry for entry_section, entry in _installed() if entry_section == section]
    own = _of_checkout(section)
    if own is None:
        own = [entry for entry in installed if entry.package == _DISTRIBUTION]
    known = {entry.name: entry for entry in own}
    built_in = frozenset(known)
    for entry in sorted(entry for entry in installed if entry.package != _DISTRIBUTION):
        former = known.setdefault(entry.name, entry)
        if former.value != entry.value and entry.name not in built_in:
            what = f"the packages {former.package} and {entry.package} both have {entry.name} in {section}"
            raise UsageError(f"plug-ins: {what}; uninstall one of them")
    return known


def load(group: Group, name: str) -> Any:
    """Return what the plug-in ``name`` of a group is. Raises KeyError without one, UsageError if it does not load."""
    entry = entries(group)[name]
    module, _, attribute = entry.value.partition(":")
    try:
        loaded = import_module(module)
        return attrgetter(attribute)(loaded) if attribute else loaded
    except Exception as error:
        if entry.value.partition(".")[0] == _DISTRIBUTION:
            raise  # the code of others can raise anything, too
        reason = f"its {name} of {_DISTRIBUTION}.{group} does not load ({type(error).__name__}: {str(error)[:200]})"
        raise UsageError(f"{entry.package}: {reason}; update this package, or uninstall it") from None


@contextmanager
def answering(group: Group, name: str) -> Iterator[None]:
    """Raise UsageError, which names the package, for an error of a plug-in that runs in the block.

    Errors of tokensync are messages for the user already.
    """
    try:
        yield
    except TokensyncError:
        raise
    except (Exception, SystemExit) as error:
        if os.environ.get("TOKENSYNC_DEBUG") or package_of(group, name) == _DISTRIBUTION:
            raise
        what = f"its {name} failed ({type(error).__name__}: {str(error)[:200]})"
        to_do = "report it to its authors with the traceback that TOKENSYNC_DEBUG=1 prints"
        raise UsageError(f"{package_of(group, name)}: {what}; {to_do}") from None


def checked(problems: Iterable[Any], is_code: Callable[[str], bool], codes: str) -> Iterator[Problem]:
    """Yield the problems of a plug-in. Raises TypeError for other objects, and for codes that are not its own."""
    for found in problems:
        if not isinstance(found, Problem) or not all(isinstance(text, str) for text in found[:5]):
            raise TypeError(f"{found!r:.80} is no Problem with five texts")
        if found.severity not in get_args(Severity):
            raise TypeError(f"{found.severity!r:.80} is no severity; use {', '.join(get_args(Severity))}")
        if not is_code(found.code):
            raise TypeError(f"its problem has the code {found.code!r:.80}; use {codes}")
        yield found


def package_of(group: Group, name: str) -> str:
    """Return the name of the package that a plug-in comes from."""
    return entries(group)[name].package


def digest(group: Group, name: str) -> bytes:
    """Return a digest of the code of a plug-in's package. Raises UsageError if it is gone."""
    import hashlib
    from importlib.util import find_spec

    module = entries(group)[name].value.partition(":")[0].partition(".")[0]
    spec = find_spec(module)
    if spec is None:
        raise UsageError(f"{package_of(group, name)}: its module {module} is missing; install this package again")
    folders = spec.submodule_search_locations  # several of a namespace package, none of a module
    files = (
        [spec.origin or ""] if folders is None else [path for each in folders for path in resources.files_below(each)]
    )
    contents = hashlib.sha256()
    for file in files:
        with open(file, "rb") as opened:
            content = opened.read()
        contents.update(b"%b %d\n%b" % (os.fsencode(file), len(content), content))
    return contents.digest()


@cache
def _installed() -> tuple[tuple[str, Entry], ...]:
    """Return the entry points of installed packages in sections of tokensync, each with its section.

    ``importlib.metadata`` returns the same, and those in archives and eggs, which no installer of today makes, but
    importing it takes as long as the rest of ``--help``. As there, the first installation of a package counts.
    """
    declared: list[tuple[str, Entry]] = []
    known: set[str] = set()
    for folder in sys.path:
        names: list[str] = []
        with suppress(OSError):  # a folder that does not exist, or an archive
            names = sorted(name for name in os.listdir(folder or os.curdir) if name.endswith(_METADATA))
        for name in names:
            package = re.sub(r"[-_.]+", "-", name.rpartition(".")[0].partition("-")[0]).lower()
            if package not in known:
                known.add(package)
                declared += _declared(os.path.join(folder, name, "entry_points.txt"), package)
    return tuple(declared)


_METADATA = (".dist-info", ".egg-info")


def _declared(path: str, package: str) -> Iterator[tuple[str, Entry]]:
    """Yield the entry points of a package in sections of tokensync (packaging.python.org, Entry points)."""
    with suppress(OSError), open(path, encoding="utf-8", errors="replace") as file:
        section = ""
        for line in map(str.strip, file):
            name, equals, value = line.partition("=")
            if line.startswith("["):
                section = line.strip("[]")
            elif equals and section.startswith(f"{_DISTRIBUTION}.") and not line.startswith("#"):
                yield section, Entry(name.strip(), value.partition("[")[0].replace(" ", ""), package)


def _of_checkout(section: str) -> list[Entry] | None:
    """Return the entry points of tokensync in the pyproject.toml of its checkout, installed or not; None of a wheel."""
    pyproject = resources.path("pyproject.toml")
    if not os.path.isfile(pyproject):
        return None
    import tomllib

    with open(pyproject, "rb") as file:
        project = tomllib.load(file).get("project", {})
    if project.get("name") != _DISTRIBUTION:  # that of a project that has copied the package
        return None
    declared = project["entry-points"].get(section, {})
    return [Entry(name, value, _DISTRIBUTION) for name, value in declared.items()]
