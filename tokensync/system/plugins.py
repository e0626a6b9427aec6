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
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, get_args

from tokensync.system import resources
from tokensync.system.errors import TokensyncError, UsageError
from tokensync.system.problems import Problem, Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from importlib.metadata import EntryPoint

Group = Literal["commands", "targets", "lint", "readers", "connections"]

_DISTRIBUTION = "tokensync"


@cache
def entries(group: Group) -> Mapping[str, EntryPoint]:
    """Return the entry points of a group by name, sorted. Raises UsageError if two packages have the same name."""
    from importlib.metadata import entry_points

    section = f"{_DISTRIBUTION}.{group}"
    installed = (entry for entry in entry_points(group=section) if _package(entry) != _DISTRIBUTION)
    known = {entry.name: entry for entry in _own(section)}
    own = frozenset(known)
    for entry in sorted(installed, key=lambda entry: entry.name):
        former = known.setdefault(entry.name, entry)
        if former.value != entry.value and entry.name not in own:
            what = f"the packages {_package(former)} and {_package(entry)} both have {entry.name} in {section}"
            raise UsageError(f"plug-ins: {what}; uninstall one of them")
    return known


def load(group: Group, name: str) -> Any:
    """Return what the plug-in ``name`` of a group is. Raises KeyError without one, UsageError if it does not load."""
    entry = entries(group)[name]
    if entry.value.partition(".")[0] == _DISTRIBUTION:
        return entry.load()
    try:
        return entry.load()
    except Exception as error:  # noqa: BLE001 - the code of others, which can raise anything
        reason = f"its {name} of {entry.group} does not load ({type(error).__name__}: {str(error)[:200]})"
        raise UsageError(f"{_package(entry)}: {reason}; update this package, or uninstall it") from None


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
    return _package(entries(group)[name])


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


def _package(entry: EntryPoint) -> str:
    return entry.dist.name.lower() if entry.dist else _DISTRIBUTION


def _own(section: str) -> Iterator[EntryPoint]:
    """Yield the entry points of tokensync itself: a checkout's are in its pyproject.toml, installed or not."""
    from importlib.metadata import EntryPoint, PackageNotFoundError, distribution

    pyproject = resources.path("pyproject.toml")
    if os.path.isfile(pyproject):
        import tomllib

        with open(pyproject, "rb") as file:
            project = tomllib.load(file).get("project", {})
        if project.get("name") == _DISTRIBUTION:  # else the file is that of a project that has copied the package
            declared = project["entry-points"].get(section, {})
            yield from (EntryPoint(name, value, section) for name, value in declared.items())
            return
    try:
        yield from distribution(_DISTRIBUTION).entry_points.select(group=section)
    except PackageNotFoundError:  # a copy of the package alone, without its metadata
        return
