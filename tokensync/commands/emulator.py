"""Commands on the embedded emulator's state: seeds, events, files, and serving it."""

from __future__ import annotations

import os
import re
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tokensync.errors import ProblemsError, UsageError
from tokensync.project.sources import read_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from wsgiref.types import WSGIApplication

    from tokensync.emulator import Emulator
    from tokensync.emulator.teams import Folder


class Seed(NamedTuple):
    """A design file for the emulator: its key, its name, the saved responses, and where the first of them was."""

    key: str
    name: str
    local: bytes
    published: bytes | None
    source: str = ""


def read_seeds(paths: Sequence[str], keys: Sequence[str] = (), *, spare_keys: bool = False) -> tuple[Seed, ...]:
    """Return the design files in these saved responses.

    A response of published variables belongs to the local one before it. ``keys`` are the files' keys, in order, all
    of them used unless some may be spare; else a file is called after its response: ``harbor.local.json`` is
    ``harbor``. Raises UsageError for two files of one key.
    """
    seeds: list[Seed] = []
    for path in paths:
        content = read_file(path)
        if _is_published(content):
            if not seeds or seeds[-1].published is not None:
                raise UsageError(f"{path}: it holds published variables; name the local response of its file before it")
            seeds[-1] = seeds[-1]._replace(published=content)
        else:
            name = os.path.basename(path).partition(".")[0]
            key = keys[len(seeds)] if len(seeds) < len(keys) else re.sub(r"[^A-Za-z0-9_-]+", "-", name) or "file"
            if any(each.key == key for each in seeds):
                raise UsageError(f"{path}: another response has the file key {key} already; give each one with --key")
            seeds.append(Seed(key, name, content, None, path))
    if len(keys) > len(seeds) and not spare_keys:
        raise UsageError(f"--key {keys[len(seeds)]}: there is no response for it; give as many keys as local responses")
    return tuple(seeds)


def seed(emulator: Emulator, seeds: Sequence[Seed]) -> None:
    """Put design files into the emulator; one that it has under the same key is replaced.

    Raises ProblemsError for the first that is no response; those before it are in.
    """
    for each in seeds:
        try:
            emulator.seed(each.key, each.local, each.published, name=each.name)
        except ProblemsError as stop:
            places = (f"{each.source}, {found.where}" if each.source else found.where for found in stop.problems)
            raise ProblemsError(
                [found._replace(where=place) for found, place in zip(stop.problems, places, strict=True)]
            ) from None


def furnish(emulator: Emulator, seeds: Sequence[Seed]) -> None:
    """Give seeded files a published sample library, where they have no components or styles.

    A saved response holds variables alone, and clients that read the styles of a file first expect some.
    """
    for each in seeds:
        if not emulator.libraries.keys(each.key):
            emulator.libraries.sample(each.key, published=True)


def _is_published(content: bytes) -> bool:
    """Return whether a response is of published variables: they have a subscribed_id and no values."""
    import msgspec

    try:
        document = msgspec.json.decode(content.removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.DecodeError, RecursionError):
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
    """Let it be this moment for the emulator, from where its clock goes on: ISO 8601 (UTC without a zone) or Unix s.

    Its default token is made valid from then on. Raises UsageError for a text that is no moment.
    """
    emulator.clock.set(_seconds(moment))
    emulator.tokens.default()


def with_faults(application: WSGIApplication, path: str | None) -> WSGIApplication:
    """Return the application behind the script of faults in this file; None is no file."""
    if path is None:
        return application
    from tokensync.emulator import faults
    from tokensync.project.sources import read_file

    try:
        text = read_file(path).decode()
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 ({error.reason}); save it as UTF-8") from None
    return faults.Faults(application, faults.read(text, path))


def _seconds(moment: str) -> float:
    try:
        return float(moment) if moment.replace(".", "", 1).isdecimal() else _parsed(moment)
    except (ValueError, OverflowError):
        what = "not a moment; write 2026-03-01T12:00:00Z, or seconds since 1970"
        raise UsageError(f"--clock {moment}: {what}") from None


def _parsed(moment: str) -> float:
    parsed = datetime.fromisoformat(moment)
    return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp()


@contextmanager
def emulator_of(state: str | None, config: str | None) -> Iterator[Emulator]:
    """The emulator with its state in the file ``state``, or in the project's ``.tokensync/`` when that is None.

    A state that another process is serving may be opened as well: both see what the other one changed.
    """
    from tokensync.emulator import Emulator
    from tokensync.project.configuration import load_project
    from tokensync.project.connection import embedded_emulator

    if state is not None:
        with closing(Emulator(state)) as emulator:
            yield emulator
        return
    with embedded_emulator(load_project(config, allow_outside=True)) as emulator:
        yield emulator


def file_key(emulator: Emulator, file: str, configured: Mapping[str, str] | None = None) -> str:
    """Return the key of a file that is given as a key, as a URL, or by a name: a configured one, or that in the
    emulator.

    ``configured`` maps the names of configured files to their keys. A name of several files is a UsageError.
    """
    if file in emulator.files.keys():  # noqa: SIM118 - a method of ours, no dictionary's
        return file
    if "/" in file:
        from tokensync.client import parse_file

        return parse_file(file).working_key
    if configured and file in configured:
        return configured[file]
    named = emulator.files.keys_of(file)
    if len(named) > 1:
        raise UsageError(f"{file}: several files have this name; give the key of one: {', '.join(named)}")
    return named[0] if named else file


def configured_keys(state: str | None, config: str | None) -> dict[str, str]:
    """Return the keys of a project's files by their names; none of a state that belongs to no project."""
    from tokensync.project.configuration import load_project
    from tokensync.project.connection import configured

    if state is not None:
        return {}
    return {
        name: reference.working_key for name, reference in configured(load_project(config, allow_outside=True)).items()
    }


def read_document(path: str) -> dict[str, Any]:
    """Return the JSON object in a file; a UsageError when there is none in it."""
    import msgspec

    try:
        return msgspec.json.decode(read_file(path).removeprefix(b"\xef\xbb\xbf"), type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: not a JSON object ({error}); save an answer of GET v1/files/:key") from None


def placed(emulator: Emulator) -> Iterator[str]:
    """Yield a line a team and a folder, each below what it is in."""
    folders = emulator.places.folders()

    def below(team: str, parent: str | None, depth: int) -> Iterator[str]:
        for each in folders:
            if (each.team, each.parent) == (team, parent):
                yield f"{'  ' * depth}{_folder_text(each)}"
                yield from below(team, each.id, depth + 1)

    for team in emulator.places.teams():
        yield f"team {team.id}: {team.name} ({team.plan})"
        yield from below(team.id, None, 1)


def _folder_text(folder: Folder) -> str:
    return f"folder {folder.id}: {folder.name}" + ("" if folder.access == "team" else f" ({folder.access})")


_OPTIONS: Final = {"mentions": "mention"}


class Details(NamedTuple):
    """What an event tells beside its kind and its file; each kind takes what it knows. ``user`` is an id."""

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


def raise_event(emulator: Emulator, kind: str, key: str, details: Details) -> int:
    """Raise an event of the file of this key; how many webhooks hear of it.

    A detail that the kind has no place for is a UsageError, as is one that it cannot do without.
    """
    raising, needs, takes = _KINDS[kind]
    given = {name: value for name, value in details._asdict().items() if value not in (None, ())}
    wrong = [name for name in given if name not in (*needs, *takes)]
    if wrong:
        known = ", ".join(f"--{_OPTIONS.get(each, each)}" for each in (*needs, *takes))
        raise UsageError(f"{kind}: it has no {wrong[0]}; it takes {known or 'nothing but --file'}")
    missing = [name for name in needs if name not in given]
    if missing:
        raise UsageError(f"{kind}: it needs a {missing[0]}; give --{missing[0]}")
    return raising(emulator)(key, **given)


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
"""What can be raised."""


_UNITS: Final = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86_400}
_SPAN: Final = re.compile(r"(?:\d+(?:\.\d+)?(?:s|min|m|h|d))+", re.ASCII)
_PART: Final = re.compile(r"(\d+(?:\.\d+)?)(s|min|m|h|d)", re.ASCII)


def seconds(span: str) -> float:
    """Return the seconds in a span of time such as ``90s``, ``30m``, ``3h`` or ``1h30m``; seconds when it has
    no unit.
    """
    if re.fullmatch(r"\d+(?:\.\d+)?", span, re.ASCII):
        return float(span)
    if not _SPAN.fullmatch(span):
        raise UsageError(f"{span}: not a duration; write 90s, 30m, 3h, 7d or 1h30m")
    return sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(span))
