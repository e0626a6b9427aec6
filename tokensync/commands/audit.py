"""Which tokens called what lately; and where somebody wrote of a token."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tokensync.client import Client
    from tokensync.client.endpoints.developer_logs import DeveloperLogItem

SCOPE: Final = "org:developer_log_read"
RANGES: Final = {"24h": "LAST_24H", "7d": "LAST_7D", "30d": "LAST_30D"}
_WINDOW_HOURS: Final = 24
"""The most that one request of discovery spans."""
_LINK_SECONDS: Final = 3600
_CONTEXT: Final = 40
_WORD: Final = re.compile(r"[\w/-]+(?:\.[\w/-]+)*")
"""What a name without spaces is looked for among: thousands of names cost no more than one."""


class Calls(NamedTuple):
    """How often something was asked; ``last`` is ISO 8601. ``resource`` is the id or key that it was about."""

    event: str
    source: str
    resource: str | None
    resource_name: str | None
    requests: int
    last: str


class TokenUse(NamedTuple):
    """What a token did, its latest kind of call first. ``user`` is empty for a plan access token."""

    token: str
    type: str
    user: str
    addresses: tuple[str, ...]
    requests: int
    last: str
    calls: tuple[Calls, ...]


class Audit(NamedTuple):
    """The tokens, the latest used first; ``complete`` is False where there were more requests than were read."""

    tokens: tuple[TokenUse, ...]
    requests: int
    complete: bool


class Mention(NamedTuple):
    """Where somebody wrote a term. ``hour`` is ``YYYY/MM/DD/HH`` in UTC; what the file does not tell is empty."""

    term: str
    hour: str
    text: str
    kind: str
    by: str
    file: str
    node: str
    time: str


def audit(client: Client, filters: Mapping[str, str | None], most: int) -> Audit:
    """Return what tokens did, of the latest ``most`` requests that fit the filters of POST developer_logs."""
    items = client.developer_logs.search(**filters)
    read = list(islice(items, most))
    complete = next(items, None) is None
    tokens: dict[tuple[str, str, str], list[DeveloperLogItem]] = {}
    for each in read:  # the latest first, and so stay the groups
        actor = each.actor
        tokens.setdefault((actor.token_name, actor.token_type.lower(), actor.user_email or actor.user_name), []).append(
            each
        )
    return Audit(tuple(_use(*who, items) for who, items in tokens.items()), len(read), complete)


def _use(token: str, type_: str, user: str, items: Sequence[DeveloperLogItem]) -> TokenUse:
    calls: dict[tuple[str, str, str | None], list[DeveloperLogItem]] = {}
    for each in items:
        what = (each.action.event_name, each.action.event_source.lower(), each.resource.id_or_key)
        calls.setdefault(what, []).append(each)
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
    client: Client,
    terms: Sequence[str],
    hours: int,
    now: float,
    *,
    progress: Callable[[str], None] = lambda text: None,
) -> Iterator[Mention]:
    """Yield where a term was written in the ``hours`` before the last whole hour, an hour after the other.

    A term is found as a whole, in any case: ``color/accent`` is not in ``color/accent-2``. ``now`` is Unix seconds.
    """
    wanted = _Terms(terms)
    end = datetime.fromtimestamp(now, UTC).replace(minute=0, second=0, microsecond=0)
    start = end - timedelta(hours=hours)
    while start < end:
        until = min(start + timedelta(hours=_WINDOW_HOURS), end)
        urls = client.discovery.urls(_written(start), _written(until), link_seconds=_LINK_SECONDS)
        for hour, links in sorted(urls.items()):
            progress(f"reading {hour}")
            for link in links:
                yield from _found(hour, client.discovery.download(link), wanted)
        start = until


class _Terms:
    """Finds terms as wholes, in any case."""

    def __init__(self, terms: Sequence[str]) -> None:
        self._words = {each.lower(): each for each in terms if _WORD.fullmatch(each)}
        self._phrases = {
            each: re.compile(rf"(?<![\w/-]){re.escape(each)}(?![\w/-])", re.IGNORECASE)
            for each in terms
            if each.lower() not in self._words
        }

    def within(self, text: str) -> Iterator[tuple[str, re.Match[str]]]:
        """Yield each term of the text, where it stands first."""
        reported: set[str] = set()
        for match in _WORD.finditer(text):
            term = self._words.get(match[0].lower())
            if term is not None and term not in reported:
                reported.add(term)
                yield term, match
        for term, pattern in self._phrases.items():
            found = pattern.search(text)
            if found:
                yield term, found


def _written(time: datetime) -> str:
    return time.strftime("%Y-%m-%dT%H:00:00Z")


def _found(hour: str, content: bytes, wanted: _Terms) -> Iterator[Mention]:
    """Yield the terms in the file of an hour. Its shape is not documented, so every text in it is looked at."""
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        document = content.decode("utf-8", "replace")
    for event, text in _texts(document):
        for term, match in wanted.within(text):
            yield Mention(term, hour, *map(_whole, (_around(text, match), *_origin_of(event))))


def _texts(document: Any) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield every text of a document, with the object that it belongs to: the nearest one that stands in an array."""
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


def _around(text: str, match: re.Match[str]) -> str:
    """Return the term with what stands around it, on one line."""
    start, end = max(0, match.start() - _CONTEXT), match.end() + _CONTEXT
    cut = " ".join(text[start:end].split())
    return f"{'…' if start else ''}{cut}{'…' if end < len(text) else ''}"


def _whole(text: str) -> str:
    """Return the text without halves of characters, such as a platform leaves where it cuts a text."""
    return text.encode("utf-8", "replace").decode()


def _origin_of(event: Mapping[str, Any]) -> tuple[str, str, str, str, str]:
    """Kind, author, file, node and time of a text, by the names that the emulator and the like give them."""
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
