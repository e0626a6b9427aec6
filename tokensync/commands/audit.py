"""Audit the recent requests of access tokens, and find mentions of design tokens in text."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tokensync.system.errors import DECODE_ERRORS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tokensync.extract.client import Client
    from tokensync.extract.client.endpoints.organization import DeveloperLogItem

SCOPE: Final = "org:developer_log_read"
RANGES: Final = {"24h": "LAST_24H", "7d": "LAST_7D", "30d": "LAST_30D"}
_WINDOW_HOURS: Final = 24
"""The longest time range of one discovery request."""
_LINK_SECONDS: Final = 3600
_CONTEXT: Final = 40
_WORD: Final = re.compile(r"[\w/-]+(?:\.[\w/-]+)*")
"""A word of a text. A name that is one word is looked up in a set, so thousands of names cost no more than one."""


class Calls(NamedTuple):
    """Requests of one kind; ``last`` is ISO 8601. ``resource`` is an id or key."""

    event: str
    source: str
    resource: str | None
    resource_name: str | None
    requests: int
    last: str


class TokenUse(NamedTuple):
    """The requests of a token, most recent kind of call first. ``user`` is empty for a plan access token."""

    token: str
    type: str
    user: str
    addresses: tuple[str, ...]
    requests: int
    last: str
    calls: tuple[Calls, ...]


class Audit(NamedTuple):
    """The tokens, most recently used first; ``complete`` is False if there are more requests than were read."""

    tokens: tuple[TokenUse, ...]
    requests: int
    complete: bool


class Mention(NamedTuple):
    """A term in a text. ``hour`` is ``YYYY/MM/DD/HH`` in UTC; unknown values are empty."""

    term: str
    hour: str
    text: str
    kind: str
    by: str
    file: str
    node: str
    time: str


def audit(client: Client, filters: Mapping[str, str | None], most: int) -> Audit:
    """Return the latest ``most`` requests that match the filters of POST developer_logs, by token."""
    items = client.developer_logs.search(**filters)
    read = list(islice(items, most))
    complete = next(items, None) is None
    tokens: dict[tuple[str, str, str], list[DeveloperLogItem]] = {}
    for item in read:  # newest first, which the groups preserve
        actor = item.actor
        token = (actor.token_name, actor.token_type.lower(), actor.user_email or actor.user_name)
        tokens.setdefault(token, []).append(item)
    return Audit(tuple(_use(*token, items) for token, items in tokens.items()), len(read), complete)


def _use(token: str, type_: str, user: str, items: Sequence[DeveloperLogItem]) -> TokenUse:
    calls: dict[tuple[str, str, str | None], list[DeveloperLogItem]] = {}
    for item in items:
        call = (item.action.event_name, item.action.event_source.lower(), item.resource.id_or_key)
        calls.setdefault(call, []).append(item)
    return TokenUse(
        token,
        type_,
        user,
        tuple(dict.fromkeys(each.context.ip_address for each in items if each.context.ip_address)),
        len(items),
        items[0].timestamp,
        tuple(
            Calls(event, source, resource, of[0].resource.name, len(of), of[0].timestamp)
            for (event, source, resource), of in calls.items()
        ),
    )


def mentions(
    client: Client, terms: Sequence[str], hours: int, now: float, *, progress: Callable[[str], None] = lambda text: None
) -> Iterator[Mention]:
    """Yield the mentions of terms in the ``hours`` before the last whole hour, oldest hour first.

    Matches whole terms, ignoring case: ``color/accent`` does not match ``color/accent-2``. ``now`` is in Unix seconds.
    """
    matcher = _Terms(terms)
    end = datetime.fromtimestamp(now, UTC).replace(minute=0, second=0, microsecond=0)
    start = end - timedelta(hours=hours)
    while start < end:
        until = min(start + timedelta(hours=_WINDOW_HOURS), end)
        urls = client.discovery.urls(_timestamp(start), _timestamp(until), link_seconds=_LINK_SECONDS)
        for hour, links in sorted(urls.items()):
            progress(f"reading {hour}")
            for link in links:
                yield from _mentions_in(hour, client.discovery.download(link), matcher)
        start = until


class _Terms:
    """A matcher of whole terms that ignores case."""

    def __init__(self, terms: Sequence[str]) -> None:
        self._words = {each.lower(): each for each in terms if _WORD.fullmatch(each)}
        self._phrases = {
            each: re.compile(rf"(?<![\w/-]){re.escape(each)}(?![\w/-])", re.IGNORECASE)
            for each in terms
            if each.lower() not in self._words
        }

    def within(self, text: str) -> Iterator[tuple[str, re.Match[str]]]:
        """Yield the first match of each term in the text."""
        reported: set[str] = set()
        for match in _WORD.finditer(text):
            term = self._words.get(match[0].lower())
            if term is not None and term not in reported:
                reported.add(term)
                yield term, match
        for term, pattern in self._phrases.items():
            if first := pattern.search(text):
                yield term, first


def _timestamp(time: datetime) -> str:
    return time.strftime("%Y-%m-%dT%H:00:00Z")


def _mentions_in(hour: str, content: bytes, matcher: _Terms) -> Iterator[Mention]:
    """Yield the mentions in the file of an hour. Its format is undocumented, so every text in it is searched."""
    try:
        document = json.loads(content)
    except DECODE_ERRORS:
        document = content.decode("utf-8", "replace")
    for event, text in _texts(document):
        for term, match in matcher.within(text):
            yield Mention(term, hour, *map(_encodable, (_excerpt(text, match), *_origin_of(event))))


def _texts(document: Any) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield every text of a document with its event: the nearest enclosing object that is an array element."""
    pending: list[tuple[dict[str, Any], Any]] = [({}, document)]
    while pending:
        event, value = pending.pop()
        match value:
            case str():
                yield event, value
            case dict():
                pending += [(event, each) for each in reversed(value.values())]
            case list():
                pending += [(each if isinstance(each, dict) else event, each) for each in reversed(value)]


def _excerpt(text: str, match: re.Match[str]) -> str:
    start, end = max(0, match.start() - _CONTEXT), match.end() + _CONTEXT
    cut = " ".join(text[start:end].split())
    return f"{'…' if start else ''}{cut}{'…' if end < len(text) else ''}"


def _encodable(text: str) -> str:
    """Return the text without lone surrogates, which remain where a platform has cut a text."""
    return text.encode("utf-8", "replace").decode()


def _origin_of(event: Mapping[str, Any]) -> tuple[str, str, str, str, str]:
    return (
        _first(event, ("kind", "type", "event_type")),
        _first(event, ("actor", "user", "author"), ("email", "name", "handle", "id")),
        _first(event, ("file", "file_key", "resource"), ("key", "id_or_key", "id", "name")),
        _first(event, ("node_id", "node")),
        _first(event, ("timestamp", "created_at", "time")),
    )


def _first(event: Mapping[str, Any], names: Iterable[str], within: Iterable[str] = ()) -> str:
    for name in names:
        value = event.get(name)
        if isinstance(value, dict):
            value = _first(value, within)
        if isinstance(value, str | int) and value != "":
            return str(value)
    return ""
