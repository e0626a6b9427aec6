"""Seed and change the state of the emulator."""

from __future__ import annotations

import os
import re
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from tokensync.emulator.services.variables.publishing import Seed
from tokensync.project.sources import read_file
from tokensync.system.boundary import flaw_of_link
from tokensync.system.errors import DECODE_ERRORS, ProblemsError, UsageError
from tokensync.system.problems import problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from wsgiref.types import WSGIApplication

    from tokensync.emulator import Emulator
    from tokensync.project.configuration import Project
    from tokensync.system.problems import Problem


def read_seeds(
    paths: Sequence[str],
    keys: Sequence[str] = (),
    *,
    spare_keys: bool = False,
    report: Callable[[Sequence[Problem]], None] = lambda problems: None,
) -> tuple[Seed, ...]:
    """Return the design files in saved responses.

    A response of published variables belongs to the local response before it. ``keys`` are the files' keys in order,
    and must all be used unless ``spare_keys``. Without a key, the response's name is the key: ``harbor.local.json`` is
    ``harbor``. ``report`` receives warnings. Raises UsageError for two files with one key.
    """
    from tokensync.extract.wire import whole_characters

    seeds: list[Seed] = []
    for path in paths:
        content, problems = whole_characters(read_file(path), path)
        report(problems)
        if _is_published(content):
            if not seeds or seeds[-1].published is not None:
                raise UsageError(
                    f"{path}: it contains published variables; give the local response of the same file before it"
                )
            seeds[-1] = seeds[-1]._replace(published=content, published_source=path)
        else:
            name = os.path.basename(path).partition(".")[0]
            key = keys[len(seeds)] if len(seeds) < len(keys) else re.sub(r"[^A-Za-z0-9_-]+", "-", name) or "file"
            if any(each.key == key for each in seeds):
                raise UsageError(
                    f"{path}: another response already has the file key {key}; set the key of each file with --key"
                )
            seeds.append(Seed(key, name, content, None, path))
    if len(keys) > len(seeds) and not spare_keys:
        raise UsageError(
            f"--key {keys[len(seeds)]}: no response for this key; give as many keys as local responses ({len(seeds)})"
        )
    return tuple(seeds)


def seed(emulator: Emulator, seeds: Sequence[Seed]) -> None:
    """Load design files into the emulator, replacing files with the same keys.

    Raises ProblemsError for the first invalid response, and then loads none.
    """
    emulator.seed_all(seeds)


def add_sample_libraries(emulator: Emulator, seeds: Sequence[Seed]) -> None:
    """Publish a sample library in seeded files without components and styles.

    A saved response contains only variables, but many clients read components or styles first.
    """
    for each in seeds:
        if not emulator.libraries.keys(each.key):
            emulator.libraries.sample(each.key, published=True)


def _is_published(content: bytes) -> bool:
    """Return whether a response has published variables, which have a subscribed_id and no values."""
    import msgspec

    try:
        document = msgspec.json.decode(content.removeprefix(b"\xef\xbb\xbf"))
    except DECODE_ERRORS:
        return False
    meta = document.get("meta", document) if isinstance(document, dict) else None
    if not isinstance(meta, dict):
        return False
    members = [each for kind in ("variables", "variableCollections") for each in _entries(meta.get(kind))]
    return bool(members) and all(
        isinstance(each, dict) and "subscribed_id" in each and "valuesByMode" not in each for each in members
    )


def _entries(mapping: object) -> list[object]:
    return list(mapping.values()) if isinstance(mapping, dict) else []


def set_clock(emulator: Emulator, moment: str) -> None:
    """Set the emulator's clock to ``moment``: ISO 8601, by default in UTC, or Unix seconds.

    Renews the default token from that time. Raises UsageError for any other text.
    """
    emulator.clock.set(_seconds(moment))
    emulator.tokens.default()


def with_faults(application: WSGIApplication, path: str | None) -> WSGIApplication:
    """Return the application with the faults of a script injected; unchanged without a path."""
    if path is None:
        return application
    from tokensync.emulator import server

    try:
        text = read_file(path).decode()
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 ({error.reason}); save it as UTF-8") from None
    return server.Faults(application, server.read(text, path))


def _seconds(moment: str) -> float:
    try:
        if moment.replace(".", "", 1).isdecimal():
            return float(moment)
        parsed = datetime.fromisoformat(moment)
        return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        what = "not a time; write it as 2026-03-01T12:00:00Z or in seconds since 1970"
        raise UsageError(f"--clock {moment}: {what}") from None


def checked_state(path: str | None) -> str | None:
    """Return the path of a state file from the command line.

    Raises ProblemsError for a link of a checkout, through which the emulator would write elsewhere.
    """
    from tokensync.project.configuration import outside_is_allowed

    if path and (flaw := flaw_of_link(path, allow_outside=outside_is_allowed())):
        raise ProblemsError([problem("path-refused", path, flaw.what, "use the path that it leads to")])
    return path


@contextmanager
def open_emulator(state: str | None, config: str | None) -> Iterator[Emulator]:
    """Yield the emulator with the state file ``state``, by default the one in the project's ``.tokensync/``.

    The state may be open in another process that serves it; each process sees the other's changes.
    """
    from tokensync.emulator import Emulator
    from tokensync.project.configuration import load_project

    if state is not None:
        with closing(Emulator(checked_state(state))) as emulator:
            yield emulator
        return
    with embedded(load_project(config, checks_paths=False)) as emulator:
        yield emulator


def embedded(project: Project) -> AbstractContextManager[Emulator]:
    """Return a context manager with the project's emulator, which stores its state in ``.tokensync/``."""
    from tokensync.project.connection import embedded_emulator

    return cast("AbstractContextManager[Emulator]", embedded_emulator(project))


def file_key(emulator: Emulator, file: str, configured: Mapping[str, str] | None = None) -> str:
    """Return the key of a file that is a key, a URL, a configured name or a name in the emulator.

    ``configured`` maps configured names to keys. Raises UsageError for an ambiguous name.
    """
    if file in emulator.files.keys():  # noqa: SIM118 - not a dictionary
        return file
    if "/" in file:
        from tokensync.extract.client import parse_file

        return parse_file(file).working_key
    if configured and file in configured:
        return configured[file]
    named = emulator.files.keys_of(file)
    if len(named) > 1:
        raise UsageError(f"{file}: {len(named)} files have this name; use a key: {', '.join(named)}")
    return named[0] if named else file


def configured_keys(state: str | None, config: str | None) -> dict[str, str]:
    """Return the keys of the project's files by name; empty for an explicit state file."""
    from tokensync.project.configuration import load_project
    from tokensync.project.connection import configured

    if state is not None:
        return {}
    return {
        name: reference.working_key for name, reference in configured(load_project(config, checks_paths=False)).items()
    }


def read_document(path: str) -> dict[str, Any]:
    """Return the JSON object in a file. Raises UsageError if it has none."""
    import msgspec

    try:
        return msgspec.json.decode(read_file(path).removeprefix(b"\xef\xbb\xbf"), type=dict[str, Any])
    except DECODE_ERRORS as error:
        raise UsageError(f"{path}: not a JSON object ({error}); save a response of GET v1/files/:key") from None


def folder_tree(emulator: Emulator) -> Iterator[str]:
    """Yield one line per team and folder, indented by depth."""
    folders = emulator.places.folders()

    def below(team: str, parent: str | None, depth: int) -> Iterator[str]:
        for each in folders:
            if (each.team, each.parent) == (team, parent):
                access = "" if each.access == "team" else f" ({each.access})"
                yield f"{'  ' * depth}folder {each.id}: {each.name}{access}"
                yield from below(team, each.id, depth + 1)

    for team in emulator.places.teams():
        yield f"team {team.id}: {team.name} ({team.plan})"
        yield from below(team.id, None, 1)


_OPTIONS: Final = {"mentions": "mention"}


class EventDetails(NamedTuple):
    """Optional details of an event; each kind of event accepts some of them. ``user`` is an id."""

    user: str | None = None
    description: str | None = None
    text: str | None = None
    mentions: tuple[str, ...] = ()
    node: str | None = None
    status: str | None = None
    message: str | None = None
    asset: str | None = None
    created: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()


def raise_event(emulator: Emulator, kind: str, key: str, details: EventDetails) -> int:
    """Raise an event of a file and return the number of webhooks that it notifies.

    Raises UsageError for a detail that the kind does not accept, and for a missing one that it requires.
    """
    method, required, optional = _KINDS[kind]
    arguments = {name: value for name, value in details._asdict().items() if value not in (None, ())}
    unknown = [name for name in arguments if name not in (*required, *optional)]
    if unknown:
        accepted = ", ".join(f"--{_OPTIONS.get(each, each)}" for each in (*required, *optional))
        option = _OPTIONS.get(unknown[0], unknown[0])
        raise UsageError(f"{kind}: it does not accept --{option}; use {accepted or 'only --file'}")
    missing = [name for name in required if name not in arguments]
    if missing:
        raise UsageError(f"{kind}: it requires a {missing[0]}; add --{missing[0]}")
    return method(emulator)(key, **arguments)


_KINDS: Final[dict[str, tuple[Callable[[Emulator], Callable[..., int]], tuple[str, ...], tuple[str, ...]]]] = {
    "FILE_UPDATE": (lambda emulator: emulator.events.file_update, (), ()),
    "FILE_DELETE": (lambda emulator: emulator.events.file_delete, (), ("user",)),
    "FILE_VERSION_UPDATE": (lambda emulator: emulator.events.file_version, (), ("description", "user")),
    "LIBRARY_PUBLISH": (
        lambda emulator: emulator.events.library_publish,
        (),
        ("asset", "created", "modified", "deleted", "description", "user"),
    ),
    "FILE_COMMENT": (lambda emulator: emulator.events.file_comment, ("text",), ("mentions", "user")),
    "DEV_MODE_STATUS_UPDATE": (lambda emulator: emulator.events.dev_status, ("status",), ("node", "message", "user")),
}
KINDS: Final = tuple(_KINDS)
"""The kinds of event that can be raised."""


_UNITS: Final = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86_400}
_SPAN: Final = re.compile(r"(?:\d+(?:\.\d+)?(?:s|min|m|h|d))+", re.ASCII)
_PART: Final = re.compile(r"(\d+(?:\.\d+)?)(s|min|m|h|d)", re.ASCII)


def seconds(span: str) -> float:
    """Return the seconds in a duration such as ``90s``, ``30m``, ``3h`` or ``1h30m``; the default unit is seconds."""
    if re.fullmatch(r"\d+(?:\.\d+)?", span, re.ASCII):
        return float(span)
    if not _SPAN.fullmatch(span):
        raise UsageError(f"{span}: not a duration; write 90s, 30m, 3h, 7d or 1h30m")
    return sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(span))
