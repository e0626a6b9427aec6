"""Runs the jobs of examples/github-action: their steps for tokensync with the inputs that they give, on fresh clones.

Each run has the runner's files and variables. The last step of action.yml runs in this process; ``steps`` runs all of
them as programs. Time in this process is the emulator's, and sleeping moves it on.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import os
import shutil
import time
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest.mock import patch

import yaml
from action.github import APP_TOKEN, REPOSITORY, GitHub, git
from action.runner_files import ACTION, evaluated, input_context, outputs_in, run_steps, step_variables
from corpus.building import ROOT, run_here

from tokensync.action.running import run
from tokensync.extract.client import Clock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from unattended.design import DesignFile

_WORKFLOWS = {
    path.stem: yaml.safe_load(path.read_text("utf-8")) for path in (ROOT / "examples/github-action").glob("*.yml")
}
_STEPS = {each["id"]: each for each in ACTION["runs"]["steps"] if "id" in each}
_RESULTS = "tokensync-results"
_JOURNALS = "tokensync-journals"
"""The folder for the artifact of an earlier run."""
FETCH_ALL = 0


class Run(NamedTuple):
    """A run of a job: its mode, exit code, outputs, summary, log, and the files for other jobs."""

    mode: str
    code: int
    outputs: dict[str, str]
    summary: str
    log: str
    results: dict[str, bytes]
    requests: tuple[str, ...]

    @property
    def error(self) -> str:
        """Return the message of the error, without annotations and progress."""
        lines = [each for each in self.log.splitlines() if not each.startswith("::")]
        starts = [at for at, each in enumerate(lines) if each.startswith("error: ")]
        return "\n".join(lines[starts[0] :]).removeprefix("error: ") if starts else ""


class Workflows:
    """The jobs of a repository. ``secret`` is the access token, ``has_app`` whether there is a GitHub App."""

    def __init__(self, scratch: Path, github: GitHub, design: DesignFile) -> None:
        self._scratch = scratch
        self._github = github
        self._design = design
        self._number = 0
        self._slept = 0.0
        self.secret = ""
        self.expires = ""
        self.has_app = False

    def run(
        self,
        workflow: str,
        commit: str,
        *,
        event: Mapping[str, Any] | None = None,
        results: Mapping[str, bytes] | None = None,
        as_programs: bool = False,
        started: Callable[[Any], None] = lambda process: None,
        **more: str,
    ) -> Run:
        """Run the last step for tokensync of a workflow on a commit. ``more`` has variables of the runner, and
        ``approved`` of a run by hand. ``results`` are the files of an earlier run that the job downloads.
        """
        self._number += 1
        folder = self._scratch / f"job-{self._number}"
        temp = self._scratch / f"job-{self._number}-runner"
        steps = [*_WORKFLOWS[workflow]["jobs"].values()][-1]["steps"]
        self._check_out(folder, commit, next(each["with"] for each in steps if "actions/checkout" in each["uses"]))
        inputs = self._inputs(steps, more.pop("approved", ""))
        variables = self._variables(temp, event or {}, results or {}, more)
        requests = len(self._github.requests)
        if as_programs:
            inputs["token-expires"] = ""  # a program has the real date
            codes, outputs, log = run_steps(variables, folder, inputs, started)
            code = codes[-1]
        else:
            code, outputs, log = self._run_here(folder, variables, inputs)
        kept = temp / _RESULTS
        files = {str(each.relative_to(kept)): each.read_bytes() for each in sorted(kept.rglob("*")) if each.is_file()}
        summary = (temp / "summary").read_text(encoding="utf-8")
        shutil.rmtree(folder)
        shutil.rmtree(temp)
        sent = tuple(self._github.requests[requests:])
        return Run(inputs["mode"], code, outputs, summary, log, files, sent)

    def command(self, folder: Path, *arguments: str) -> str:
        """Run a command in a folder as a developer does, and return its log."""
        with self._environment({"PATH": os.environ["PATH"], **self._access()}), contextlib.chdir(folder):
            done = run_here(*arguments)
        if done.code:
            raise AssertionError(f"tokensync {' '.join(arguments)}: {done.code}\n{done.output}{done.stderr}")
        return done.output + done.stderr

    def _access(self) -> dict[str, str]:
        return {"TOKENSYNC_BASE_URL": self._design.base_url, "FIGMA_TOKEN": self.secret}

    def _inputs(self, steps: list[dict[str, Any]], approved: str) -> dict[str, str]:
        given = [each["with"] for each in steps if each["uses"].startswith("tokensync/tokensync@")][-1]
        context = {"secrets.FIGMA_TOKEN": self.secret, "inputs.approved": approved, "matrix.file": "one"}
        if self.has_app:
            context["steps.app.outputs.token"] = APP_TOKEN
        inputs = {name: evaluated(value, context) for name, value in given.items()}
        if inputs["mode"] == "pull":
            inputs["token-expires"] = self.expires
        if inputs["mode"] == "pull" and self.has_app:
            inputs["app-token"] = APP_TOKEN
        return {**inputs, "base-url": self._design.base_url}

    def _check_out(self, folder: Path, commit: str, options: Mapping[str, Any]) -> None:
        depth = [] if options.get("fetch-depth", 1) == FETCH_ALL else ["--depth=1"]
        git(self._scratch, "init", "-q", str(folder))
        git(folder, "fetch", "-q", *depth, self._github.bare.as_uri(), commit)
        git(folder, "checkout", "-q", "--detach", "FETCH_HEAD")

    def _variables(
        self, temp: Path, event: Mapping[str, Any], results: Mapping[str, bytes], more: Mapping[str, str]
    ) -> dict[str, str]:
        temp.mkdir()
        (temp / "output").touch()
        (temp / "summary").touch()
        (temp / "event.json").write_text(json.dumps(event), encoding="utf-8")
        for path, content in results.items():
            (temp / _JOURNALS / path).parent.mkdir(parents=True, exist_ok=True)
            (temp / _JOURNALS / path).write_bytes(content)
        return {
            "GITHUB_ACTIONS": "true",
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_SERVER_URL": self._github.bare.parent.parent.as_uri(),
            "GITHUB_API_URL": self._github.url,
            "GITHUB_EVENT_PATH": str(temp / "event.json"),
            "GITHUB_OUTPUT": str(temp / "output"),
            "GITHUB_STEP_SUMMARY": str(temp / "summary"),
            "GITHUB_REF_TYPE": "branch",
            "GITHUB_REF_NAME": "main",
            "GITHUB_RUN_ID": str(self._number),
            "RUNNER_TEMP": str(temp),
            "RUNNER_OS": "Linux",
            **more,
        }

    def _run_here(
        self, folder: Path, variables: Mapping[str, str], inputs: Mapping[str, str]
    ) -> tuple[int, dict[str, str], str]:
        own = step_variables(_STEPS["run"], input_context(inputs))
        kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        with self._environment({**kept, **variables, **own}), contextlib.chdir(folder):
            done = run_here("action")
        found = outputs_in(Path(variables["GITHUB_OUTPUT"]))
        context = {f"steps.run.outputs.{name}": value for name, value in found.items()}
        outputs = {name: evaluated(each["value"], context) for name, each in ACTION["outputs"].items()}
        return done.code, outputs, done.output + done.stderr

    @contextlib.contextmanager
    def _environment(self, variables: Mapping[str, str]) -> Iterator[None]:
        """Set the environment, and the time of the modules that look at it."""
        now = dt.datetime.fromtimestamp(self._design.now, dt.UTC)
        calendar = SimpleNamespace(date=dt.date, UTC=dt.UTC, datetime=SimpleNamespace(now=lambda zone: now))
        with (
            patch.dict(os.environ, dict(variables), clear=True),
            patch("tokensync.action.running.dt", calendar),
            patch.dict(run.__kwdefaults__, sleep=self._sleep),
            patch("tokensync.action.hosting.time", SimpleNamespace(sleep=self._sleep)),
            patch("tokensync.extract.client.Clock", self._clock),
            patch("tokensync.commands.apply.Clock", self._clock),
        ):
            yield

    def _sleep(self, seconds: float) -> None:
        self._slept += seconds

    def _clock(self) -> Clock:
        return Clock(
            lambda: self._design.now + self._slept, lambda: time.monotonic() + self._slept, self._sleep, lambda: 0.5
        )
