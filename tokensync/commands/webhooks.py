"""Create, list and test the webhooks of a team, a folder or the configured files."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urlsplit

from tokensync.project.connection import EMULATOR, configured, embedded_emulator, file_reference
from tokensync.system.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tokensync.extract.client import Client
    from tokensync.project.configuration import Project

LONGEST_PASSCODE: Final = 100
_POLL_SECONDS: Final = 1.0
_TEST_DESCRIPTION: Final = "A test by tokensync, deleted at once"


class WebhookContext(NamedTuple):
    """The object that a webhook observes: ``kind`` is team, project (a folder) or file; ``id`` is its id or key."""

    kind: str
    id: str
    name: str


class PingResult(NamedTuple):
    """The result of a PING; ``status`` is that of the endpoint's response, None without a response."""

    status: str | None
    error: str | None

    @property
    def succeeded(self) -> bool:
        """Return whether the endpoint accepted the event."""
        return self.status == "200"


def contexts(
    project: Project, files: Sequence[str], team: str | None, folder: str | None
) -> tuple[WebhookContext, ...]:
    """Return the team, the folder or the files (configured names, keys or URLs); by default the configured files.

    Raises UsageError for arguments of several kinds.
    """
    if sum((bool(files), team is not None, folder is not None)) > 1:
        raise UsageError("--team, --folder, --file: they are mutually exclusive; use one of them")
    if team is not None:
        return (WebhookContext("team", team, f"team {team}"),)
    if folder is not None:
        return (WebhookContext("project", folder, f"folder {folder}"),)
    names = files or tuple(configured(project))
    if not names:
        raise UsageError(f"{project.source}: no files are configured; use --file, --team or --folder")
    return tuple(
        WebhookContext("file", file_reference(project, name, "--file").working_key, f"file {name}") for name in names
    )


def passcode_of(variable: str) -> str:
    """Return the passcode in an environment variable, because other users can read command lines."""
    passcode = os.environ.get(variable, "")
    if not passcode:
        raise UsageError(
            f"--passcode-env {variable}: the environment variable is empty or not set; set it to the passcode"
        )
    if not passcode.isprintable():  # also false for lone surrogates
        raise UsageError(f"--passcode-env {variable}: it contains unprintable characters; use letters and digits")
    if len(passcode) > LONGEST_PASSCODE:
        raise UsageError(
            f"--passcode-env {variable}: it has {len(passcode)} characters; use at most {LONGEST_PASSCODE}"
        )
    return passcode


def checked_endpoint(endpoint: str) -> str:
    """Return the endpoint. Raises UsageError if the passcode would leave this machine in plain text."""
    from tokensync.extract.client.addresses import is_loopback
    from tokensync.extract.client.groups import shown_endpoint

    shown = shown_endpoint(endpoint)
    try:
        parts = urlsplit(endpoint)
        host = parts.hostname or ""
    except ValueError:
        host = ""
    if not host or parts.scheme not in ("http", "https"):
        raise UsageError(f"--endpoint {shown}: not an http or https URL; give the full URL of the receiver")
    if parts.scheme == "http" and not is_loopback(host):
        raise UsageError(
            f"--endpoint {shown}: http sends the passcode in plain text; use https, or an address of this machine"
        )
    return endpoint


def ping(
    project: Project,
    client: Client,
    webhook_id: str,
    passcode: str,
    *,
    seconds: float,
    sleep: Callable[[float], None] = time.sleep,
    elapsed: Callable[[], float] = time.monotonic,
) -> PingResult:
    """Make the platform PING the endpoint of a webhook, and return the response from its request history.

    The platform sends a PING only to new webhooks, so this creates and deletes a second webhook in the same context.
    """
    webhook = client.webhooks.get(webhook_id)
    context = (webhook.context or "").lower()
    if not context or not webhook.context_id:
        raise UsageError(f"webhook {webhook_id}: Figma reports no context for it; create a new one")
    probe = client.webhooks.create(
        webhook.event_type, context, webhook.context_id, webhook.endpoint, passcode, description=_TEST_DESCRIPTION
    )
    deadline = elapsed() + seconds
    try:
        while True:
            deliver_embedded(project)
            requests = client.webhooks.requests(str(probe.id))
            request = next((each for each in requests if each.response_info is not None or each.error_msg), None)
            if request is not None or elapsed() >= deadline:
                break
            sleep(_POLL_SECONDS)
    finally:
        client.webhooks.delete(str(probe.id))
    if request is None:
        return PingResult(None, f"Figma has sent nothing for {seconds:g} s")
    status = None if request.response_info is None else str(request.response_info.status)
    error = request.error_msg and request.error_msg.replace(webhook.endpoint, webhook.shown_endpoint)
    return PingResult(status, error)


def deliver_embedded(project: Project) -> None:
    """Deliver due events on the embedded emulator; other platforms deliver them automatically."""
    if project.config.base_url == EMULATOR:
        with embedded_emulator(project) as emulator:
            emulator.deliver_due()
