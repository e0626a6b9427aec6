"""The files and variables of the runner: inputs, outputs, job summary, event, and the folder for results.

The runner parses GITHUB_OUTPUT and GITHUB_STEP_SUMMARY after the step. GITHUB_ENV and GITHUB_PATH are never written,
because they would change later steps.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from tokensync.extract.client.endpoints import within
from tokensync.system.disk import append_descriptor, content_of, replace_file
from tokensync.system.errors import DECODE_ERRORS, UsageError
from tokensync.system.outlet.markdown import Block, document

_LARGEST_SUMMARY: Final = 1024 * 1024
"""Bytes. The runner shows nothing of a longer summary of a step, and the step does not fail."""
_ROOM: Final = 24 * 1024
"""Bytes that stay free, since a summary just below the limit can vanish, too."""
_COUNT: Final = 100
"""Bytes for the count of what is omitted, which is written even if earlier commands of the step left no space."""
_NAME: Final = re.compile(r"[a-z][a-z0-9-]*")
BRANCH: Final = "tokensync/pull"
"""The default branch of the bot for the configuration at the top of the work tree and all of its files."""
_DEPENDABOT: Final = "dependabot[bot]"
RESULTS: Final = "tokensync-results"
"""The folder for files that go to other jobs. Uploads omit hidden folders, so it is not in .tokensync/."""
JOURNALS: Final = "tokensync-journals"
"""The folder for the artifact of an interrupted run. It is not RESULTS, which this run uploads as its own."""


class Inputs(NamedTuple):
    """The inputs of the action."""

    mode: str
    config: str
    file: str
    token: str
    github_token: str
    app_token: str
    base_url: str
    snapshot: str
    branch: str
    token_expires: str
    approved: str
    journals: str
    sign: bool
    report: bool
    closes: bool
    """Whether a success closes the issue about failed runs: also one by hand, which its text may have asked for."""


def inputs(variables: Mapping[str, str]) -> Inputs:
    """Return the inputs, which action.yml passes as variables. Raises UsageError for invalid ones."""

    def value_of(name: str) -> str:
        return variables.get(f"TOKENSYNC_ACTION_{name}", "").strip()

    def flag(name: str, default: bool) -> bool:
        value = value_of(name).lower()
        if value not in ("", "true", "false"):
            raise UsageError(f"{name.lower().replace('_', '-')}: {value!r:.50} is neither true nor false; write one")
        return default if not value else value == "true"

    event = variables.get("GITHUB_EVENT_NAME")
    is_scheduled = event in ("schedule", "push")
    return Inputs(
        **{name: value_of(name.upper()) for name in Inputs._fields[:-3]},
        sign=flag("SIGN", default=False),
        report=flag("REPORT", default=is_scheduled),
        closes=flag("REPORT", default=is_scheduled or event == "workflow_dispatch"),
    )


def default_branch(source: str, file: str) -> str:
    """Return the bot's branch for a configuration, by its path from the top, and a file; each pair has its own.

    Two configurations with one branch would replace each other's proposals every night. Folders whose names a branch
    cannot have add a digest.
    """
    folder, _, name = source.rpartition("/")
    own = folder if name in ("tokensync.toml", "pyproject.toml") else source.removesuffix(".toml")
    words = re.sub(r"[^A-Za-z0-9_]+", "-", own).strip("-")
    digest = "" if re.fullmatch(r"[\w/-]*", own, re.ASCII) else hashlib.sha256(own.encode()).hexdigest()[:6]
    return "-".join(filter(None, (BRANCH, words, digest, file)))


class Runner:
    """The runner of this job. Without its variables (outside of CI), outputs and the summary are only in RESULTS."""

    def __init__(self, variables: Mapping[str, str], top: str) -> None:
        self._variables = variables
        folder = os.path.realpath(variables.get("RUNNER_TEMP") or top)
        self.results, self.journals = os.path.join(folder, RESULTS), os.path.join(folder, JOURNALS)
        self.event_name = variables.get("GITHUB_EVENT_NAME", "")
        self.repository_url = f"{variables.get('GITHUB_SERVER_URL', '')}/{variables.get('GITHUB_REPOSITORY', '')}"
        self.run_url = f"{self.repository_url}/actions/runs/{variables.get('GITHUB_RUN_ID', '')}"

    def event(self) -> dict[str, Any]:
        """Return the event that started the run."""
        import msgspec

        path = self._variables.get("GITHUB_EVENT_PATH", "")
        content = content_of(os.path.realpath(path)) if path else None
        try:
            event = msgspec.json.decode(content or b"{}")
        except DECODE_ERRORS:
            event = None
        if not isinstance(event, dict):
            raise UsageError(f"{path}: this is not an event of GitHub; run this in GitHub Actions")
        return event

    def is_for_fork(self) -> bool:
        """Return whether this run is for a pull request from another repository, so that its files are a stranger's."""
        if not self.event_name.startswith("pull_request"):
            return False
        head = within(self.event(), "pull_request", "head") or {}
        if "repo" not in head:
            return False
        own = self._variables.get("GITHUB_REPOSITORY", "")
        return str((head["repo"] or {}).get("full_name", "")).lower() != own.lower()  # null if it was deleted

    def is_without_secrets(self) -> bool:
        """Return whether GitHub passes no secrets to this run: one for a pull request of a fork or of Dependabot."""
        if not self.event_name.startswith("pull_request"):
            return False
        author = within(self.event(), "pull_request", "user", "login")
        return self.is_for_fork() or _DEPENDABOT in (self._variables.get("GITHUB_ACTOR"), author)

    def output(self, name: str, value: str) -> None:
        """Set an output of the step. A new random delimiter keeps the value from ending early."""
        if not _NAME.fullmatch(name):
            raise ValueError(name)
        delimiter = f"tokensync-{secrets.token_hex(16)}"
        self._append("GITHUB_OUTPUT", f"{name}<<{delimiter}\n{value}\n{delimiter}\n".encode("utf-8", "replace"))

    def summary(self, blocks: Sequence[Block]) -> str:
        """Append a summary that is cut at whole rows, write it to RESULTS, too, and return the path of that file."""
        path = self._variables.get("GITHUB_STEP_SUMMARY", "")
        written = (content_of(os.path.realpath(path)) if path else None) or b""
        largest = max(_LARGEST_SUMMARY - _ROOM, len(written) + _COUNT) - len(written)
        content = document(blocks, largest, lambda text: len(text.encode())).encode()
        self._append("GITHUB_STEP_SUMMARY", b"\n\n" + content if written[-1:] not in (b"", b"\n") else content)
        return self.result("summary.md", content)

    def result(self, name: str, content: bytes) -> str:
        """Write a file for other jobs, and return its path."""
        path = os.path.join(self.results, *name.split("/"))
        replace_file(path, content)
        return path

    def _append(self, variable: str, content: bytes) -> None:
        path = self._variables.get(variable, "")
        if not path:
            return
        descriptor = append_descriptor(os.path.realpath(path))
        try:
            os.lseek(descriptor, 0, os.SEEK_END)
            while content:
                content = content[os.write(descriptor, content) :]
        finally:
            os.close(descriptor)
