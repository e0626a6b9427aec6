"""Raises events in an emulator, with what each kind of them tells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from tokensync.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokensync.emulator import Emulator

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
