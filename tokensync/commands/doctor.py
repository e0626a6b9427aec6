"""Examine what differs between machines: versions, encodings, home folder, credentials, network, project and locks."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator, Mapping
from importlib import metadata
from importlib.util import find_spec
from typing import NamedTuple, get_args

from tokensync.apply.locking import lock_owners
from tokensync.commands.init import DRIVER
from tokensync.extract.client import from_environment
from tokensync.extract.client.credentials import KEYRING, CredentialStore
from tokensync.extract.client.session import BUNDLES
from tokensync.project.configuration import NoConfiguration, load_project
from tokensync.project.connection import has_writable_state, state_path
from tokensync.system import outlet, plugins, resources
from tokensync.system.boundary import work_tree
from tokensync.system.child import without_credentials
from tokensync.system.disk import content_of, is_writable
from tokensync.system.errors import TokensyncError
from tokensync.system.git import Repository
from tokensync.system.wording import extras, install_command
from tokensync.version import __version__

_PACKAGES = ("click", "coloraide", "deepdiff", "jinja2", "jsonschema", "msgspec", "requests", "urllib3", "werkzeug")
_PROXIES = ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY")
_PLAN = "plan.json"


class Check(NamedTuple):
    """A property of this machine. ``to_do`` is what to change; empty if nothing."""

    name: str
    value: str
    to_do: str = ""


def checks(config: str | None, environment: Mapping[str, str]) -> tuple[Check, ...]:
    """Return all checks. They send no request, write nothing, and show no secret."""
    return (
        *_versions(),
        *_plug_ins(),
        *_streams(),
        *_home(),
        *_credentials(environment),
        *_network(environment),
        *_project(config),
    )


def _versions() -> Iterator[Check]:
    yield Check("tokensync", __version__)
    yield Check("Python", f"{platform.python_version()} ({platform.python_implementation()})")
    with without_credentials():  # on Windows, Python may start cmd.exe for it
        system = platform.platform(terse=True)
    yield Check("system", system)
    yield Check("packages", ", ".join(f"{each} {_version_of(each)}" for each in _PACKAGES))
    yield Check("schemas", resources.path("config", "schemas"))  # for the settings of an editor
    optional = extras()
    versions = dict(version for packages in optional.values() for version in packages.items())
    yield Check("optional packages", ", ".join(f"{name} {version or 'missing'}" for name, version in versions.items()))
    for extra, packages in optional.items():
        if missing := [name for name, version in packages.items() if not version]:
            yield Check(f"extra {extra}", f"not installed; to add it, run `{install_command(*missing)}`")


def _plug_ins() -> Iterator[Check]:
    for group in get_args(plugins.Group):
        try:
            packages = [(name, plugins.package_of(group, name)) for name in plugins.entries(group)]
        except TokensyncError as error:
            yield Check(f"plug-ins ({group})", "not usable", str(error))
            continue
        if others := [f"{name} of {package}" for name, package in packages if package != "tokensync"]:
            yield Check(f"plug-ins ({group})", ", ".join(others))


def _version_of(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "missing"


def _streams() -> Iterator[Check]:
    for name, encoding in outlet.encodings():
        is_unicode = not encoding or encoding.lower().startswith("utf")
        to_do = "" if is_unicode else "set PYTHONUTF8=1 to see all characters; documents for programs are UTF-8 anyway"
        yield Check(f"encoding of {name}", encoding or "none", to_do)  # closed, or in memory
    yield Check("encoding of file names", sys.getfilesystemencoding())


def _home() -> Iterator[Check]:
    home = os.path.expanduser("~")
    if not os.path.isabs(home):
        variable = "USERPROFILE" if os.name == "nt" else "HOME"
        yield Check("home folder", "none", f"set {variable}, or logins and cached graphs cannot be stored")
    else:
        to_do = "" if is_writable(home) else "logins and cached graphs cannot be stored there; make it writable"
        yield Check("home folder", home, to_do)


def _credentials(environment: Mapping[str, str]) -> Iterator[Check]:
    token = from_environment(environment)
    yield Check("access token", f"from {token.source}" if token else "none in the environment")
    try:
        store = CredentialStore(environment)
        location = store.location
    except TokensyncError as error:
        yield Check("logins", "none", str(error))
    else:
        yield Check("logins", location if location == KEYRING else f"{location}, because {store.why_file}")


def _network(environment: Mapping[str, str]) -> Iterator[Check]:
    bundle = next((name for name in BUNDLES if environment.get(name)), "")
    if bundle:
        is_there = os.path.exists(environment[bundle])
        to_do = "" if is_there else f"{environment[bundle]} does not exist; correct {bundle}"
        yield Check("trusted certificates", f"those of {bundle}", to_do)
    elif find_spec("truststore") is not None:
        yield Check("trusted certificates", "those of the system and of requests")
    else:
        yield Check("trusted certificates", "those of requests; the package truststore adds those of the system")
    found = [name for name in _PROXIES if environment.get(name) or environment.get(name.lower())]
    yield Check("proxy", f"set by {', '.join(found)}" if found else "none")  # their values may contain passwords


def _merge_driver(folder: str, top: str) -> Iterator[Check]:
    """Yield whether git has the merge driver that the attributes of the project name."""
    names = {os.path.join(each, ".gitattributes") for each in (folder, top)}
    if not any(b"merge=tokensync" in (content_of(name) or b"") for name in names):
        return
    try:
        command = Repository(top, "doctor").merge_driver("tokensync")
    except TokensyncError as error:
        yield Check("git merge driver", "unknown", str(error))
        return
    yield Check("git merge driver", command or f"not configured; to merge token files by token, run `{DRIVER}`")


def _project(config: str | None) -> Iterator[Check]:
    try:
        project = load_project(config, checks_paths=False)
    except NoConfiguration:
        yield Check("project", "none in this folder or its parents")
        return
    except (TokensyncError, OSError) as error:
        yield Check("project", "not readable", str(error))
        return
    to_do = "" if project.config.files else "no design file is configured; add a [[files]] table with name and key"
    yield Check("project", os.path.join(project.folder, project.source), to_do)
    top = work_tree(project.folder)
    yield Check("git work tree", top or "none")
    if top is not None:
        yield from _merge_driver(project.folder, top)
    try:
        state, can_plan = state_path(project), has_writable_state(project, _PLAN)
    except TokensyncError as error:
        yield Check("local state", "not usable", str(error))
        return
    yield Check(
        "local state", state, "" if can_plan else "it cannot be written; write plans elsewhere with plan -o FILE"
    )
    for lock, owner, has_ended in lock_owners(state):
        who = f"process {owner.pid} on {owner.host[:60]}"
        match has_ended:
            case True:
                yield Check("lock", f"{lock} was left by {who}; the next apply takes it over")
            case False:
                yield Check("lock", f"{lock} is held by {who}", "wait until it ends")
            case None:
                advice = f"if that process has ended, delete {lock}.owner"
                yield Check("lock", f"{lock} may be held by {who}, in another container or on another machine", advice)
