"""Makes, lists, pauses, tests and deletes the webhooks of a team, a folder or the configured files."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urlsplit

from tokensync.errors import UsageError
from tokensync.project.connection import EMULATOR, configured, embedded_emulator, meant

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tokensync.client import Client
    from tokensync.client.endpoints.webhooks import SentRequest, Webhook
    from tokensync.project.configuration import Project

LONGEST_PASSCODE: Final = 100
_LOOK_SECONDS: Final = 1.0
_TEST_DESCRIPTION: Final = "A test by tokensync, deleted at once"


class Place(NamedTuple):
    """What a webhook is about: ``context`` is team, project (a folder) or file, ``id`` its id or key."""

    context: str
    id: str
    name: str


class Tested(NamedTuple):
    """What became of a PING; ``status`` is that of the endpoint's answer, None when there was none."""

    status: str | None
    error: str | None

    @property
    def works(self) -> bool:
        """Return whether the endpoint took the event."""
        return self.status == "200"


def places(project: Project, files: Sequence[str], team: str | None, folder: str | None) -> tuple[Place, ...]:
    """Return the team, the folder or the files that are named; without any the configured files.

    Files are named as they are configured, or given as keys or URLs. Naming several kinds is a UsageError.
    """
    if sum((bool(files), team is not None, folder is not None)) > 1:
        raise UsageError("--team, --folder, --file: they exclude each other; give one of them")
    if team is not None:
        return (Place("team", team, f"team {team}"),)
    if folder is not None:
        return (Place("project", folder, f"folder {folder}"),)
    return tuple(_files(project, files))


def _files(project: Project, names: Sequence[str]) -> Iterator[Place]:
    known = configured(project)
    if not (names or known):
        raise UsageError(f"{project.source}: no file is configured; name one with --file, or give --team or --folder")
    for name in names or known:
        yield Place("file", meant(project, name, "--file").working_key, f"file {name}")


def passcode_of(variable: str) -> str:
    """Return the passcode in an environment variable: on a command line, everybody on the machine could read it."""
    passcode = os.environ.get(variable, "")
    if not passcode:
        raise UsageError(f"--passcode-env {variable}: the environment has no such variable, or nothing in it; set it")
    if not passcode.isprintable():  # nor is what no encoding has: half a surrogate pair
        raise UsageError(f"--passcode-env {variable}: it holds what cannot be typed; take letters and digits")
    if len(passcode) > LONGEST_PASSCODE:
        raise UsageError(f"--passcode-env {variable}: longer than {LONGEST_PASSCODE} characters; take a shorter one")
    return passcode


def checked_endpoint(endpoint: str) -> str:
    """Return the endpoint, unless a passcode would go there in plain text, off this machine."""
    from tokensync.client.base_url import is_loopback

    try:
        parts = urlsplit(endpoint)
        host = parts.hostname or ""
    except ValueError:
        host = ""
    if not host or parts.scheme not in ("http", "https"):
        raise UsageError(f"--endpoint {endpoint}: not an http or https URL; give the full address of the receiver")
    if parts.scheme == "http" and not is_loopback(host):
        raise UsageError("--endpoint: http sends the passcode in plain text; use https, or an address of this machine")
    return endpoint


def create(
    client: Client,
    where: Sequence[Place],
    event_type: str,
    endpoint: str,
    passcode: str,
    *,
    paused: bool = False,
    description: str | None = None,
) -> Iterator[tuple[Place, Webhook]]:
    """Make a webhook for each place, one after the other."""
    for place in where:
        made = client.webhooks.create(
            event_type, place.context, place.id, endpoint, passcode, paused=paused, description=description
        )
        yield place, made


def listed(client: Client, where: Sequence[Place], plan: str | None) -> list[Webhook]:
    """Return the webhooks of all places, or those of a plan."""
    if plan is not None:
        return list(client.webhooks.of_plan(plan))
    return [webhook for place in where for webhook in client.webhooks.of_context(place.context, place.id)]


def ping(
    project: Project,
    client: Client,
    webhook_id: str,
    passcode: str,
    *,
    seconds: float,
    sleep: Callable[[float], None] = time.sleep,
    elapsed: Callable[[], float] = time.monotonic,
) -> Tested:
    """Have the platform PING the endpoint of a webhook, and read in its history what was answered.

    The platform pings new webhooks only: a second one is made in the same place, and deleted again.
    """
    webhook = client.webhooks.get(webhook_id)
    context = (webhook.context or "").lower()
    if not context or not webhook.context_id:
        raise UsageError(f"webhook {webhook_id}: the platform does not say what it is about; create a new one")
    probe = client.webhooks.create(
        webhook.event_type, context, webhook.context_id, webhook.endpoint, passcode, description=_TEST_DESCRIPTION
    )
    deadline = elapsed() + seconds
    try:
        while True:
            deliver_embedded(project)
            answered = _answered(client.webhooks.requests(str(probe.id)))
            if answered is not None or elapsed() >= deadline:
                break
            sleep(_LOOK_SECONDS)
    finally:
        client.webhooks.delete(str(probe.id))
    if answered is None:
        return Tested(None, f"the platform has sent nothing for {seconds:g} s")
    status = None if answered.response_info is None else str(answered.response_info.status)
    return Tested(status, answered.error_msg)


def _answered(requests: Sequence[SentRequest]) -> SentRequest | None:
    """Return the request that was answered, or that failed; one that is under way has neither an answer nor an
    error.
    """
    return next((each for each in requests if each.response_info is not None or each.error_msg), None)


def deliver_embedded(project: Project) -> None:
    """Deliver what is due on the embedded emulator, which nobody serves; other platforms do it by themselves."""
    if project.config.base_url == EMULATOR:
        with embedded_emulator(project) as emulator:
            emulator.deliver_due()
