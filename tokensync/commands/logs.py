"""Search the developer logs for requests, and the text events for terms."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from tokensync.system.errors import DECODE_ERRORS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tokensync.extract.client import Client
    from tokensync.extract.client.groups import DeveloperLogItem


class Mention(NamedTuple):
    """A term in a text; ``time`` is at least the hour, ``YYYY/MM/DD/HH`` in UTC. Other unknown values are empty."""

    term: str
    time: str
    kind: str
    by: str
    file: str
    node: str
    text: str


def search(client: Client, filters: dict[str, str | None], most: int) -> tuple[list[DeveloperLogItem], bool]:
    """Return the latest ``most`` requests that match the filters of POST developer_logs, and whether more match."""
    items = client.developer_logs.search(**filters)
    return list(islice(items, most)), next(items, None) is not None


def mentions(client: Client, terms: Sequence[str], hours: int, progress: Callable[[str], None]) -> Iterator[Mention]:
    """Yield the mentions of terms in the ``hours`` before the last whole hour, oldest hour first."""
    end = datetime.now(UTC)
    for before in range(hours, 0, -24):  # a request covers at most 24 hours
        start, until = (f"{end - timedelta(hours=ago):%Y-%m-%dT%H:00:00Z}" for ago in (before, max(before - 24, 0)))
        for hour, links in sorted(client.discovery.urls(start, until, link_seconds=3600).items()):
            progress(f"reading {hour}")
            for link in links:
                yield from mentions_in(hour, client.discovery.download(link), terms)


def mentions_in(hour: str, content: bytes, terms: Sequence[str]) -> Iterator[Mention]:
    """Yield the mentions in the file of an hour. Its format is undocumented, so every text in it is searched.

    Matches whole terms, ignoring case: ``color/accent`` does not match ``color/accent-2`` or ``color/accent.dark``.
    """
    whole = r"(?<![\w/-])(?<![\w/-]\.){}(?!\.?[\w/-])"
    patterns = {term: re.compile(whole.format(re.escape(term)), re.IGNORECASE) for term in terms}
    try:
        document = json.loads(content)
    except DECODE_ERRORS:
        document = content.decode("utf-8", "replace")
    for event, text in _texts(document):
        for term, pattern in patterns.items():
            if match := pattern.search(text):
                start, end = max(match.start() - 40, 0), match.end() + 40
                excerpt = f"{'…' * (start > 0)}{' '.join(text[start:end].split())}{'…' * (end < len(text))}"
                values = (
                    _first(event, ("timestamp", "created_at", "time")) or hour,
                    _first(event, ("kind", "type", "event_type")),
                    _first(event, ("actor", "user", "author"), ("email", "name", "handle", "id")),
                    _first(event, ("file", "file_key", "resource"), ("key", "id_or_key", "id", "name")),
                    _first(event, ("node_id", "node")),
                    excerpt,
                )
                # A platform that cuts a text may leave a lone surrogate, which no output can hold.
                yield Mention(term, *(value.encode("utf-8", "replace").decode() for value in values))


def _texts(document: Any) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield every text of a document with its event: the nearest enclosing object that is an array element."""
    pending: list[tuple[dict[str, Any], Any]] = [({}, document)]
    while pending:
        event, value = pending.pop()
        if isinstance(value, str):
            yield event, value
        elif isinstance(value, dict):
            pending += [(event, member) for member in reversed(value.values())]
        elif isinstance(value, list):
            pending += [(item if isinstance(item, dict) else event, item) for item in reversed(value)]


def _first(event: dict[str, Any], names: Sequence[str], within: Sequence[str] = ()) -> str:
    """Return the first known value of these names; an object is known by its names ``within``."""
    members = (event.get(name) for name in names)
    values = (_first(value, within) if isinstance(value, dict) else value for value in members)
    return next((str(value) for value in values if isinstance(value, str | int) and value != ""), "")
