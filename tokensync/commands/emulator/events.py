"""Raises events in an emulator and moves its clock; whatever is due then is delivered before the command ends."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from tokensync.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tokensync.emulator import Emulator

_OPTIONS: Final = {"mentions": "mention"}
_UNITS: Final = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86_400}
_SPAN: Final = re.compile(r"(?:\d+(?:\.\d+)?(?:s|min|m|h|d))+", re.ASCII)
_PART: Final = re.compile(r"(\d+(?:\.\d+)?)(s|min|m|h|d)", re.ASCII)


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
        raise UsageError(f"{kind}: it tells of no {wrong[0]}; it takes {known or 'nothing but --file'}")
    missing = [name for name in needs if name not in given]
    if missing:
        raise UsageError(f"{kind}: it tells of a {missing[0]}; give --{missing[0]}")
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


def file_key(emulator: Emulator, file: str, configured: Mapping[str, str] | None = None) -> str:
    """The key of a file that is given as a key, as a URL, or by a name: a configured one, or that in the emulator.

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
    """The keys of a project's files by their names; none of a state that belongs to no project."""
    from tokensync.client import parse_file
    from tokensync.config import load_project

    if state is not None:
        return {}
    return {each.name: parse_file(each.key).working_key for each in load_project(config).config.files}


def seconds(span: str) -> float:
    """The seconds in a span of time such as ``90s``, ``30m``, ``3h`` or ``1h30m``; seconds when it has no unit."""
    if re.fullmatch(r"\d+(?:\.\d+)?", span, re.ASCII):
        return float(span)
    if not _SPAN.fullmatch(span):
        raise UsageError(f"{span}: no span of time; write 90s, 30m, 3h, 7d or 1h30m")
    return sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(span))
