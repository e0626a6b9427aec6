"""Run a mode of the action, and report its result: outputs, summary, annotations, issues and the exit code."""

from __future__ import annotations

import datetime as dt
import json
import os
import re
import time
from functools import partial
from typing import TYPE_CHECKING

import click
import msgspec

from tokensync.action import texts
from tokensync.action.hosting import Hosting, HostingError
from tokensync.action.job import (
    Job,
    Result,
    annotate,
    annotate_problems,
    base_name,
    from_top,
    hosting_of,
    job_of,
    refuse_without_token,
    shown,
)
from tokensync.action.pulling import pull_mode, take_waiting_lock
from tokensync.action.reviewing import Unreviewed, apply_mode, keep_journals, plan_mode
from tokensync.action.runner import Inputs, Runner, inputs
from tokensync.cli import options
from tokensync.project.configuration import load_project
from tokensync.project.connection import connect
from tokensync.project.merging import MergeConflictError
from tokensync.system import outlet
from tokensync.system.errors import (
    ConflictError,
    DifferencesFound,
    ErrorsFound,
    ProblemsError,
    TokensyncError,
    UsageError,
    errors_among,
)
from tokensync.system.outlet.findings import annotation, sarif
from tokensync.system.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tokensync.cli.console import Console

_DAYS_BEFORE_EXPIRY = 14


@click.command("action", hidden=True)
@options.console
def action_command(console: Console) -> int:
    """Run a mode of the GitHub Action. action.yml sets the variables TOKENSYNC_ACTION_... for it."""
    return run(os.environ, console.info)


def run(
    variables: Mapping[str, str], say: Callable[[str], None], *, sleep: Callable[[float], None] = time.sleep
) -> int:
    """Run the mode that the variables select and return the exit code. Raises TokensyncError after reporting it."""
    chosen = _inputs(variables)
    runner = Runner(variables, os.getcwd())
    if chosen.mode == KEEP_JOURNALS:
        _keep_journals(chosen, runner, variables.get("GITHUB_RUN_ID", ""))
        return 0
    job: Job | None = None
    try:
        job = job_of(chosen, runner, variables, say, sleep)
        _announce_expiry(chosen)
        result = MODES[chosen.mode](job)
    except Exception as error:
        if isinstance(error, UsageError):
            error.args = (_naming_inputs(str(error), chosen),)
        _fail(chosen, runner, variables, job, error)
        raise
    for name, value in {"changed": "false", "conflicts": "0", **result.outputs}.items():
        runner.output(name, value)
    runner.output("summary", runner.summary(result.summary))
    if chosen.report or (chosen.closes and result.code == 0):
        message = "" if result.code == 0 else f"exit code {result.code}; the log and the summary have details"
        _report(chosen, runner, variables, job.label, message)
    return result.code


def _inputs(variables: Mapping[str, str]) -> Inputs:
    """Return the inputs. Invalid ones are an annotation, too, because nobody looks into the log of a schedule."""
    try:
        chosen = inputs(variables)
        _refuse_unknown(chosen.mode)
    except UsageError as error:
        outlet.write_commands([annotation("error", str(error))])
        raise
    return chosen


def _refuse_unknown(mode: str) -> None:
    if mode not in (*MODES, KEEP_JOURNALS):
        raise UsageError(f"mode: {mode!r:.50} is not one of {', '.join(MODES)}; write one of them")


def _naming_inputs(message: str, chosen: Inputs) -> str:
    """Return a message with the names of inputs instead of those of options and settings that they have set."""
    to_do = "set the input config to its path from the top of the repository"
    message = message.replace("select a configuration with --config", to_do)
    source = "snapshot:" if chosen.snapshot else "base-url:" if chosen.base_url else "base_url:"
    return re.sub(r"^--file ", "file: ", re.sub(r"^base_url:", source, message))


def _keep_journals(chosen: Inputs, runner: Runner, run_id: str) -> None:
    """Keep the journals of an apply that was killed, and say how to continue it."""
    try:
        project = load_project(chosen.config or None)
    except TokensyncError:  # the apply has failed for it, and has begun nothing
        return
    for name in keep_journals(project, runner):
        what = f"{name}: the apply is unfinished"
        to_do = f"run this workflow by hand with journals: {run_id}, which continues it"
        outlet.write_commands([annotation("warning", f"{what}; {to_do}")])


# --- check ----------------------------------------------------------------------------------------------------------


def _check(job: Job) -> Result:
    from tokensync.commands.check import check_project
    from tokensync.commands.files import matrix

    checked = check_project(job.project)
    problems = from_top(checked.problems, job.top)
    annotate(checked.findings, job.top)
    log = sarif(checked.portable_findings, checked.source)
    report = job.runner.result("check.sarif", msgspec.json.encode(log))
    errors = len(errors_among(checked.problems))
    code = ErrorsFound.exit_code if errors else DifferencesFound.exit_code if checked.stale else 0
    sentences = [each for each in (checked.summary, checked.advice if code else "") if each]
    summary = [texts.title("tokensync check", job.label), texts.lines(*sentences), *texts.problems(problems)]
    outputs = {"sarif": report, "changed": str(bool(checked.stale)).lower()}
    try:
        outputs["matrix"] = json.dumps(matrix(job.project))
    except UsageError as error:  # too many files for a matrix, which most workflows do not need
        outlet.write_commands([annotation("warning", shown(str(error), job.top))])
    return Result(code, outputs, summary)


# --- drift ----------------------------------------------------------------------------------------------------------


def _drift(job: Job) -> Result:
    from tokensync.commands.status import status

    refuse_without_token(job)
    take_waiting_lock(job, base_name(job))
    with connect(job.project, on_wait=job.say) as client:
        found = status(job.project, client, job.files, progress=job.say)
    annotate_problems(found.problems, job.top)
    sentences = []
    for file in found.files:
        counts = (
            f"{counted(len(file.ahead), 'edit')} in code, {counted(len(file.behind), 'change')} in the design file, "
            f"{counted(len(file.conflicting), 'conflict')}, "
            f"{counted(sum(map(len, file.publication)), 'difference')} from the publication"
        )
        sentences.append(f"{file.name}: {counts}")
        job.say(sentences[-1])
    if found.is_unresolved:
        sentences.append("tokensync.lock: git has left a conflict; run tokensync pull")
    conflicts = sum(len(file.conflicting) for file in found.files)
    outputs = {"changed": str(not found.is_in_sync).lower(), "conflicts": str(conflicts)}
    code = ConflictError.exit_code if conflicts else 0 if found.is_in_sync else DifferencesFound.exit_code
    summary = [texts.title("tokensync drift", job.label), texts.lines(*sentences)]
    return Result(code, outputs, [*summary, *texts.problems(from_top(found.problems, job.top))])


# --- reports --------------------------------------------------------------------------------------------------------


def _fail(chosen: Inputs, runner: Runner, variables: Mapping[str, str], job: Job | None, error: Exception) -> None:
    """Report an error everywhere but in the log, where the command line reports it."""
    from tokensync.project.merging import answers

    top = job.top if job is not None else os.getcwd()
    message = shown(str(error), top)
    found = error.problems if isinstance(error, (ProblemsError, MergeConflictError)) else ()
    if found:
        annotate_problems(found, top)
    else:
        outlet.write_commands([annotation("error", message)])
    conflicts = len(answers(job.project.folder)[1]) if job is not None and isinstance(error, ConflictError) else 0
    runner.output("changed", str(isinstance(error, ConflictError)).lower())
    runner.output("conflicts", str(conflicts))
    source = job.label if job is not None else chosen.config or "tokensync.toml"
    fresh = texts.reviews(error.plans) if isinstance(error, Unreviewed) else []
    summary = [texts.title(f"tokensync {chosen.mode} failed", source), texts.lines(*message.splitlines())]
    table = texts.problems(from_top(found, top)) if isinstance(error, ProblemsError) else []
    runner.output("summary", runner.summary([*summary, *table, *fresh]))
    if chosen.report:
        _report(chosen, runner, variables, source, message or type(error).__name__)


def _report(chosen: Inputs, runner: Runner, variables: Mapping[str, str], label: str, message: str) -> None:
    """Open the issue about failed runs, comment on it, or close it. Its own failure is only a warning.

    The token of an App may be what has expired, so the token of the job reports it then.
    """
    try:
        with hosting_of(chosen, variables) as hosting:
            title = f"tokensync: {chosen.mode} fails ({label})"
            number = hosting.issue(title)
            if message:
                text = texts.failure(chosen.mode, label, message, runner.run_url)
                if number is None:
                    hosting.create_issue(title, text)
                else:
                    hosting.add_comment(number, text)
            elif number is not None:
                hosting.add_comment(number, texts.note("The latest run succeeded."))
                hosting.close_issue(number)
            _report_expiry(chosen, hosting)
    except (HostingError, UsageError) as error:
        if isinstance(error, HostingError) and error.status == 401 and chosen.app_token and chosen.github_token:
            return _report(chosen._replace(app_token=""), runner, variables, label, message)
        outlet.write_commands([annotation("warning", f"the issue about this run could not be written: {error}")])


def _report_expiry(chosen: Inputs, hosting: Hosting) -> None:
    """Open an issue about the end of a token, once."""
    try:
        expiry = expiry_of(chosen)
    except UsageError:  # an invalid date is what this run failed for
        return
    if expiry is None or expiry[1] > _DAYS_BEFORE_EXPIRY:
        return
    title = f"tokensync: the Figma token expires on {expiry[0]}"
    if hosting.issue(title, "all") is None:
        to_do = "Create a new token, replace the secret, and change the input token-expires."
        hosting.create_issue(title, texts.note(f"The access token expires on {expiry[0]}.", to_do))


def expiry_of(chosen: Inputs) -> tuple[dt.date, int] | None:
    """Return the day on which the token expires, and the number of days until then."""
    if not chosen.token_expires:
        return None
    try:
        day = dt.date.fromisoformat(chosen.token_expires)
    except ValueError:
        raise UsageError(f"token-expires: {chosen.token_expires!r:.50} is not a date; write YYYY-MM-DD") from None
    return day, (day - dt.datetime.now(dt.UTC).date()).days


def _announce_expiry(chosen: Inputs) -> None:
    expiry = expiry_of(chosen)
    if expiry is not None and expiry[1] <= _DAYS_BEFORE_EXPIRY:
        when = f"in {counted(expiry[1], 'day')}" if expiry[1] >= 0 else f"{counted(-expiry[1], 'day')} ago"
        what = f"token: it expires on {expiry[0]} ({when}); create a new one, and replace the secret"
        outlet.write_commands([annotation("warning", what)])


MODES: Mapping[str, Callable[[Job], Result]] = {
    "pull": pull_mode,
    "check": _check,
    "plan": partial(plan_mode, check=_check),
    "apply": apply_mode,
    "drift": _drift,
}
"""The modes by the values of the input."""
KEEP_JOURNALS = "keep-journals"
"""What action.yml runs after each apply, also if the job is cancelled."""
